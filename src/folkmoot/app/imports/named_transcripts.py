"""Transcripts in Markdown or plain text, in which each turn begins with the name of its speaker."""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from folkmoot.app.imports.conversations import Conversation, Said, topic_of, unique_names
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import flat

_TIME = r"(?:\[?\(?\d{1,2}:\d{2}(?::\d{2})?\)?\]?\s*[-–]?\s*)?"
_HEADING = r"^{}\s+(?P<name>[^#\n]{{1,60}}?)\s*:?\s*#*\s*(?P<words>)$"
_BOLD = rf"^\s*(?:[-*]\s+)?{_TIME}\*\*(?P<name>[^*\n]{{1,60}}?)(?::\s*\*\*|\*\*\s*:)\s*(?P<words>.*)$"
_PLAIN = rf"^{_TIME}(?P<name>[^\W\d_][\w .'\-]{{0,39}}?)\s*:\s+(?P<words>\S.*)$"

STYLES: Final = (_BOLD, *(_HEADING.format("#" * n) for n in (2, 3, 4, 5, 6, 1)), _PLAIN)
"""How a line can name who speaks from there on: ``**Ada:** …``, ``## Ada``, ``Ada: …``; a time may stand before it."""

_FENCE = re.compile(r"^\s*(?P<fence>`{3,}|~{3,})(?P<info>.*)$")
_TITLE = re.compile(r"^#\s+(.+?)\s*#*$")


class _Line(NamedTuple):
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
    for style in map(re.compile, STYLES):
        lines = list(_lines(text, style, wanted))
        spoken = Counter(line.name.casefold() for line in lines if line.name)
        if wanted and spoken.keys() >= wanted:
            return _conversation(lines, wanted)
        if not wanted and len(spoken) > 1 and max(spoken.values()) > 1:
            once = next((line.name for line in lines if spoken[line.name.casefold()] == 1), "")
            if not once:
                return _conversation(lines, spoken)
            known = shlex.quote(",".join(dict.fromkeys(line.name for line in lines if line.name)))
            problem = f"{once} stands only once, so it may be no name. Say who speaks, such as: --names {known}"
            raise BriefError(f"{name}: {problem}", code="ambiguous")
    problem = "no speakers found. Begin each turn with a name: **Ada:** …, ## Ada, or Ada: …; or use --names"
    if wanted:
        problem = f"not each of {', '.join(dict.fromkeys(names))} begins a turn in one of the known styles"
    raise BriefError(f"{name}: {problem}", code="malformed")


def _lines(text: str, style: re.Pattern[str], wanted: Collection[str]) -> Iterator[_Line]:
    """The lines, with who begins to speak; what stands in fences is nobody's name, nor has a name a colon by itself."""
    fence = ""
    for row in text.splitlines():
        begun, fence = fence, _fence_after(row, fence)
        match = None if fence or begun or not row.strip() else style.match(row)
        fence = _fence_after(match["words"], fence) if match else fence
        name = flat(match["name"]) if match else ""
        known = match and (":" not in name or name.casefold() in wanted)
        yield _Line(row, name, match["words"]) if match and known else _Line(row)


def _fence_after(row: str, fence: str) -> str:
    """The fence that is open behind a line; "" for none. One of the same sign, at least as long, closes it."""
    match = _FENCE.match(row)
    if match is None or (not fence and "`" in match["info"]):
        return fence
    if not fence:
        return match["fence"]
    return "" if match["fence"].startswith(fence) and not match["info"].strip() else fence


def _conversation(lines: Collection[_Line], known: Collection[str]) -> Conversation:
    before: list[str] = []
    turns: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.name.casefold() in known:
            turns.append((line.name, [line.words]))
        else:
            (turns[-1][1] if turns else before).append(line.text)
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
