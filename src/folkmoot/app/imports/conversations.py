"""Conversations of other programs: who took part, and what each of them said, in order; and how transcripts are read.

In a transcript, which is Markdown or plain text, each turn begins with the name of its speaker.
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
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


_TIME = r"(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?\)?\]?\s*[-–]?\s*)?"
_HEADING = r"^{}\s+(?P<name>[^#\n]{{1,60}}?)\s*:?\s*#*\s*(?P<words>)$"
_BOLD = rf"^\s*(?:[-*]\s+)?{_TIME}\*\*(?P<name>[^*\n]{{1,60}}?)(?::\s*\*\*|\*\*\s*:)\s*(?P<words>.*)$"
_PLAIN = rf"^{_TIME}(?P<name>[^\W\d_][\w .'\-]{{0,39}}?)\s*:\s+(?P<words>\S.*)$"

STYLES = (_BOLD, *(_HEADING.format("#" * n) for n in (2, 3, 4, 5, 6, 1)), _PLAIN)
"""How a line can name who speaks from there on: ``**Ada:** …``, ``## Ada``, ``Ada: …``; a time may stand before it."""

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_TITLE = re.compile(r"^#\s+(.+?)\s*#*$")


def read_transcript(text: str, name: str, names: Collection[str] = ()) -> Conversation:
    """The conversation of a transcript.

    Names are those that the caller gives. Else they are found: of all styles the first in which two names begin several
    turns each. What stands once, such as "Note:", may be a name or not: there the caller has to say who speaks.

    Raises:
        BriefError: nobody can be told from the text, or a given name says nothing in it.
    """
    wanted = {flat(item).casefold() for item in names}
    for style in map(re.compile, STYLES):
        lines = list(_lines(text, style, wanted))
        begun = [name for _, name, _ in lines if name]
        spoken = Counter(map(str.casefold, begun))
        if wanted and spoken.keys() >= wanted:
            return _conversation(lines, wanted)
        if not wanted and len(spoken) > 1 and max(spoken.values()) > 1:
            once = next((name for name in begun if spoken[name.casefold()] == 1), "")
            if not once:
                return _conversation(lines, spoken)
            known = shlex.quote(",".join(dict.fromkeys(begun)))
            problem = f"{once} is there only once, so it may be no name. Say who speaks, such as: --names {known}"
            raise BriefError(f"{name}: {problem}", code="ambiguous")
    problem = "no speakers found. Begin each turn with a name: **Ada:** …, ## Ada, or Ada: …; or use --names"
    if wanted:
        problem = f"not each of {', '.join(dict.fromkeys(names))} begins a turn in one of the known styles"
    raise BriefError(f"{name}: {problem}", code="malformed")


def _lines(text: str, style: re.Pattern[str], wanted: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Each line, who begins to speak in it ("" for nobody), and the words behind that name.

    What stands in fences is nobody's name, nor has a name a colon by itself.
    """
    fence = ""
    for row in text.splitlines():
        begun, fence = fence, _fence_after(row, fence)
        match = None if fence or begun or not row.strip() else style.match(row)
        fence = _fence_after(match["words"], fence) if match else fence
        name = flat(match["name"]) if match else ""
        known = match and (":" not in name or name.casefold() in wanted)
        yield (row, name, match["words"]) if match and known else (row, "", "")


def _fence_after(row: str, fence: str) -> str:
    """The fence that is open behind a line; "" for none. One of the same sign, at least as long, closes it."""
    match = _FENCE.match(row)
    if match is None or (not fence and "`" in match["info"]):
        return fence
    closes = match["fence"].startswith(fence) and not match["info"].strip()
    return "" if fence and closes else fence or match["fence"]


def _conversation(lines: Collection[tuple[str, str, str]], known: Collection[str]) -> Conversation:
    before: list[str] = []
    turns: list[tuple[str, list[str]]] = []
    for row, name, words in lines:
        if name.casefold() in known:
            turns.append((name, [words]))
        else:
            (turns[-1][1] if turns else before).append(row)
    said = [(name, text) for name, rows in turns if (text := "\n".join(rows).strip())]
    spelling = {name.casefold(): name for name, _ in reversed(said)}  # as it is first written
    names = unique_names([spelling[name.casefold()] for name, _ in said])
    title = next((match[1] for row in before if (match := _TITLE.match(row))), "")
    above = "\n".join(row for row in before if _TITLE.match(row) is None).strip()
    topic, background = topic_of(title or above or (said[0][1] if said else ""), "before the first turn")
    if title and above:
        background = (Source(name="before the first turn", text=above),)
    spoken = tuple((Said(names[spelling[name.casefold()]], text),) for name, text in said)
    return Conversation(topic=topic, program="transcript", turns=spoken, background=background)
