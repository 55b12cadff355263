"""What is taken over from another program: who took part, and what each of them said, in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from folkmoot.app.brief.field_values import check_name
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, clip, flat

LONGEST_TOPIC = 300
"""Characters of a first message that is taken as the topic; a longer one also becomes a document."""

LONGEST_NAME = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """Somebody who took part.

    Attributes:
        name: unique in its conversation.
        model: the model as the file names it; "" where it does not.
        person: whether it was a person.
    """

    name: str
    model: str = ""
    person: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What somebody said."""

    by: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Council:
    """Answers that were given apart, and the rankings of them.

    Attributes:
        answers: one of each member, in the order of their labels.
        rankings: what each member wrote about the answers, and whom it ranked, the best first; () if that is not clear.
    """

    answers: tuple[Statement, ...]
    rankings: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict[str, tuple[str, tuple[str, ...]]])


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation of another program.

    Attributes:
        topic: what it is about, in one paragraph.
        program: the kind of file that it was read from, in words.
        speakers: who took part, in the order of their first words.
        statements: what was said one after the other, behind the council where there is one.
        council: answers and rankings; None for a plain conversation.
        background: documents: what stood before the first words.
    """

    topic: str
    program: str
    speakers: tuple[Speaker, ...]
    statements: tuple[Statement, ...] = ()
    council: Council | None = None
    background: tuple[Source, ...] = ()


def topic_of(text: str, name: str) -> tuple[str, tuple[Source, ...]]:
    """A topic in one paragraph, and the whole text as a document where that is longer."""
    cleaned = clean(text).strip()
    topic = clip(flat(cleaned), LONGEST_TOPIC)
    return (topic, ()) if topic == cleaned else (topic or name, (Source(name=name, text=cleaned),) if cleaned else ())


def unique_names(raw: Sequence[str]) -> dict[str, str]:
    """A name that a participant can have for each name of a file: its last part, without what no name may contain."""
    names: dict[str, str] = {}
    for text in dict.fromkeys(raw):
        base = _name(text)
        same = sum(name == base or name.startswith(f"{base} (") for name in names.values())
        names[text] = f"{base} ({same + 1})" if same else base
    return names


def _name(text: str) -> str:
    tail = flat(clean(text)).rstrip("/").rpartition("/")[2]
    plain = "".join(letter if letter.isalnum() or letter in " .'-_" else " " for letter in tail)
    words = flat(plain)[:LONGEST_NAME].strip() or "Speaker"
    try:
        return check_name(words)
    except BriefError:  # such as a word that has another meaning in a debate
        return check_name(f"{words} (speaker)")
