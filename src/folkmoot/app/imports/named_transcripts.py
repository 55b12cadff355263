"""Transcripts in Markdown or plain text, in which each turn begins with the name of its speaker."""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from folkmoot.app.imports.conversations import Conversation, Speaker, Statement, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import flat

_TIME = r"(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?\)?\]?\s*[-–]?\s*)?"

_HEADING = r"^{}\s+(?P<name>[^#\n]{{1,60}}?)\s*:?\s*#*\s*(?P<words>)$"

STYLES: Final[Mapping[str, re.Pattern[str]]] = MappingProxyType(
    {
        "bold": re.compile(
            rf"^\s*(?:[-*]\s+)?{_TIME}\*\*(?P<name>[^*\n]{{1,60}}?)(?::\s*\*\*|\*\*\s*:)\s*(?P<words>.*)$"
        ),
        **{f"heading {n}": re.compile(_HEADING.format("#" * n)) for n in (2, 3, 4, 5, 6, 1)},
        "plain": re.compile(rf"^{_TIME}(?P<name>[^\W\d_][\w .'\-]{{0,39}}?)\s*:\s+(?P<words>\S.*)$"),
    }
)
"""How a line can name who speaks from there on: ``**Ada:** …``, ``## Ada``, ``Ada: …``; a time may stand before it."""

BEFORE = "before the first turn"
"""The name of the document of what stands there."""

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_TITLE = re.compile(r"^#\s+(.+?)\s*#*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line, and who begins to speak in it; "" for nobody."""

    text: str
    name: str = ""
    words: str = ""


def read_transcript(text: str, name: str, names: Collection[str] = ()) -> Conversation:
    """The conversation of a transcript.

    Names are those that the caller gives. Else they are found: of all styles the first in which two names begin several
    turns each. What stands once, such as "Note:", may be a name or not: there the caller has to say who speaks.

    Raises:
        BriefError: nobody can be told from the text, or a given name says nothing in it.
    """
    wanted = {flat(item).casefold() for item in names}
    for style in STYLES.values():
        lines = [_without_colon(line, wanted) for line in _lines(text, style)]
        spoken = Counter(line.name.casefold() for line in lines if line.name)
        if wanted:
            if spoken.keys() >= wanted:
                return _conversation(lines, wanted, name)
        elif len(spoken) > 1 and max(spoken.values()) > 1:
            if min(spoken.values()) == 1:
                raise BriefError(_ONCE.format(name, *_once(lines, spoken)), code="ambiguous")
            return _conversation(lines, spoken, name)
    if wanted:
        missing = ", ".join(dict.fromkeys(names))
        raise BriefError(f"{name}: not each of {missing} begins a turn in one of the known styles", code="malformed")
    bold = list(_lines(text, STYLES["bold"]))
    spoken = Counter(line.name.casefold() for line in bold if line.name)
    if len(spoken) > 1 and max(spoken.values()) == 1:
        raise BriefError(_ONCE.format(name, *_once(bold, spoken)), code="ambiguous")
    problem = f"{name}: no speakers found. Begin each turn with a name: **Ada:** …, ## Ada, or Ada: …; or use --names"
    raise BriefError(problem, code="malformed")


_ONCE = "{}: {} stands only once, so it may be no name. Say who speaks, such as: --names {}"


def _once(lines: Sequence[_Line], spoken: Counter[str]) -> tuple[str, str]:
    """A name that begins one turn, and all names as an option has them."""
    names = list(dict.fromkeys(line.name for line in lines if line.name))
    return next(name for name in names if spoken[name.casefold()] == 1), shlex.quote(",".join(names))


def _lines(text: str, style: re.Pattern[str]) -> Iterator[_Line]:
    """The lines, with who begins to speak; what stands in fences is nobody's name."""
    fence = ""
    for row in text.splitlines():
        if not row.strip():
            yield _Line(text=row)
            continue
        begun = fence
        fence = _fence_after(row, fence)
        match = None if fence or begun else style.match(row)
        fence = _fence_after(match["words"], fence) if match else fence
        yield _Line(text=row, name=flat(match["name"]), words=match["words"]) if match else _Line(text=row)


def _without_colon(line: _Line, wanted: Collection[str]) -> _Line:
    """The line; a name with a colon is one only where the caller has named it."""
    return _Line(text=line.text) if ":" in line.name and line.name.casefold() not in wanted else line


def _fence_after(row: str, fence: str) -> str:
    """The fence that is open behind a line; "" for none. One of the same sign, at least as long, closes it."""
    match = _FENCE.match(row)
    if match is None or (not fence and "`" in match["info"]):
        return fence
    if not fence:
        return match["fence"]
    return "" if match["fence"].startswith(fence) and not match["info"].strip() else fence


def _conversation(lines: Sequence[_Line], known: Collection[str], file: str) -> Conversation:
    before: list[str] = []
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.name.casefold() in known:
            turns.append((line.name, [line.words]))
        else:
            (turns[-1][1] if turns else before).append(line.text)
    statements = [(name, text) for name, rows in turns if (text := "\n".join(rows).strip())]
    spelling: dict[str, str] = {}
    for name, _ in statements:
        spelling.setdefault(name.casefold(), name)
    names = unique_names(list(spelling.values()))
    title = next((match[1] for row in before if (match := _TITLE.match(row))), "")
    above = "\n".join(row for row in before if _TITLE.match(row) is None).strip()
    topic, long_topic = topic_of(
        title or (above if above else statements[0][1] if statements else ""), "before the first turn"
    )
    background = (Source(name="before the first turn", text=above),) if title and above else long_topic
    return Conversation(
        topic=topic,
        program="transcript",
        speakers=tuple(Speaker(name=name) for name in names.values()),
        statements=tuple(Statement(by=names[spelling[name.casefold()]], text=text) for name, text in statements),
        background=background,
    )
