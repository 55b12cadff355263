"""What is taken over from another program: who took part, and what each of them said, in order."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from folkmoot.app.brief.names import check_name
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, flat

LONGEST_TOPIC, LONGEST_NAME = 300, 40
"""Characters of a topic and of a name; a longer first message also becomes a document."""


@dataclass(frozen=True, slots=True)
class Said:
    """Who said what, by which model as far as the file names it, and whether it was a person."""

    by: str
    text: str
    model: str = ""
    person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation of another program.

    Attributes:
        topic: what it is about, in one paragraph.
        program: the kind of file that it was read from, in words.
        turns: what was said one after the other, with names that are unique; what stands in one turn was said apart.
        background: documents: what stood before the first words.
    """

    topic: str
    program: str
    turns: tuple[tuple[Said, ...], ...] = ()
    background: tuple[Source, ...] = ()

    @property
    def speakers(self) -> tuple[Said, ...]:
        """Something that each said who took part, in the order of their first words."""
        return tuple({said.by: said for turn in self.turns for said in turn}.values())


def topic_of(text: str, name: str) -> tuple[str, tuple[Source, ...]]:
    """A topic in one paragraph, and the whole text as a document where that is longer."""
    cleaned = clean(text).strip()
    topic = clip(flat(cleaned), LONGEST_TOPIC)
    return (topic, ()) if topic == cleaned else (topic or name, (Source(name=name, text=cleaned),) if cleaned else ())


def unique_names(raw: Sequence[str]) -> dict[str, str]:
    """A name that a participant can have for each name of a file: its last part, without what no name may contain."""
    names: dict[str, str] = {}
    bases: Counter[str] = Counter()
    for text in dict.fromkeys(raw):
        tail = flat(clean(text)).rstrip("/").rpartition("/")[2]
        base = flat("".join(letter if letter.isalnum() or letter in " .'-_" else " " for letter in tail))
        base = base[:LONGEST_NAME].strip() or "Speaker"
        try:
            check_name(base)
        except BriefError:  # such as a word that has another meaning in a debate
            base = check_name(f"{base} (speaker)")
        bases[base] += 1
        names[text] = f"{base} ({bases[base]})" if bases[base] > 1 else base
    return names
