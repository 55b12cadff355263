"""Citations: whether a quotation stands in the artefact, at the lines that are named for it.

No model judges that. Case, marks and the blanks within a line count, for in code they do; blanks at both ends do not.
"""

import re
from dataclasses import dataclass

from folkmoot.core.text import clean
from folkmoot.reviews.artefact import Artefact, ReviewedFile, normal

MOST_LINES = 60
"""The most lines that one citation may have."""

NEAR = 20
"""Where a quotation stands at several places, the most lines between the nearest of them and the lines named."""

_LINES = re.compile(r"[lL]?(\d{1,9})(?: ?(?:[-–—]|\.\.|to) ?[lL]?(\d{1,9}))?")
_PLACE = re.compile(r"(.+?):(?:[lL]ines? )?([lL]?\d[^:]*)")
_ROW_MARK = re.compile(r" *\d* ?[ +-]\|")
_FENCE = re.compile(r"(?:`{3,}|~{3,})[^\n`]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A citation as it was checked.

    Attributes:
        path: the file, as it was named.
        lines: the first and the last line; (0, 0) where they could not be read.
        quote: the words that shall stand there.
        moved_from: the lines that were named, where the words stand at others; None where they stand there.
        fault: why it proves nothing; "" for a valid one.
    """

    path: str
    lines: tuple[int, int]
    quote: str = ""
    moved_from: tuple[int, int] | None = None
    fault: str = ""

    @property
    def valid(self) -> bool:
        """Whether it stands in the artefact."""
        return not self.fault

    def __str__(self) -> str:
        return f"{self.path}:{span(self.lines)}"


def span(lines: tuple[int, int]) -> str:
    """Lines as people write them: ``12`` or ``12-14``."""
    first, last = lines
    return str(first) if first == last else f"{first}-{last}"


def read_span(text: str) -> tuple[int, int] | None:
    """The first and the last line of ``41-43``; None where the text is not that."""
    match = _LINES.fullmatch(text.strip().strip("`"))
    return (int(match[1]), int(match[2] or match[1])) if match else None


def read_place(text: str) -> tuple[str, str]:
    """The path and the lines of ``src/a.py:10-12``; no lines where the text does not end in any."""
    match = _PLACE.fullmatch(text.strip().strip("`"))
    return (match[1].strip("`"), match[2]) if match else (text.strip().strip("`"), "")


def check(artefact: Artefact, path: str, lines: str, quote: str | None) -> Citation:
    """Check a citation.

    Args:
        artefact: what is reviewed.
        path: the file.
        lines: the lines as they were written.
        quote: the words that shall stand there; None where nobody was to quote any.
    """
    path = normal(clean(path).strip().strip("`"))
    cited_lines = read_span(lines)
    cited = Citation(path=path, lines=cited_lines or (0, 0), quote=(quote or "").strip("\n"))
    if fault := _fault(artefact.file(path), path, cited_lines):
        return _with_fault(cited, fault)
    file = artefact.file(path)
    assert file
    assert cited_lines
    return cited if quote is None else _located(file, cited)


def _with_fault(cited: Citation, fault: str) -> Citation:
    return Citation(path=cited.path, lines=cited.lines, quote=cited.quote, fault=fault)


def _fault(file: ReviewedFile | None, path: str, place: tuple[int, int] | None) -> str:
    if path.startswith(("/", "\\")) or re.match(r"[A-Za-z]:", path) or ".." in re.split(r"[/\\]", path):
        return "the path leads out of what is reviewed"
    if file is None:
        return f"{path or 'nothing'} is no file of what is reviewed"
    if place is None:
        return "no lines are named"
    first, last = place
    if not 1 <= first <= last <= file.total:
        return f"{path} has no lines {span(place)}, but {file.total}"
    if last - first >= MOST_LINES:
        return f"more than {MOST_LINES} lines are named"
    return ""


def _located(file: ReviewedFile, cited: Citation) -> Citation:
    """The citation at the place where its quotation stands."""
    first, last = cited.lines
    places = _quoted_lines(file, cited.quote)
    if not places:
        return _with_fault(cited, f"the quotation does not stand in {cited.path}")
    if any(start <= last and end >= first for start, end in places):
        return cited
    near = min(places, key=lambda place: max(place[0] - last, first - place[1]))
    if len(places) > 1 and max(near[0] - last, first - near[1]) > NEAR:
        return _with_fault(
            cited, f"the quotation stands at {len(places)} other places of {cited.path}, none of them near"
        )
    return Citation(path=cited.path, lines=near, quote=cited.quote, moved_from=cited.lines)


def _quoted_lines(file: ReviewedFile, quote: str) -> list[tuple[int, int]]:
    """The lines at which a quotation stands: one line or a part of one, or several whole lines."""
    lines = {number: text.strip() for number, text in file.lines().items()}
    for words in _readings(quote):
        size = len(words)
        if size == 1:
            matching = [(number, number) for number, text in lines.items() if words[0] in text]
        else:
            starts = (number for number, text in lines.items() if text == words[0])
            matching = [
                (start, start + size - 1)
                for start in starts
                if all(lines.get(start + offset) == word for offset, word in enumerate(words))
            ]
        if matching:
            return matching
    return []


def _readings(quote: str) -> list[list[str]]:
    """The lines that a quotation may mean: as it is, then without the fence, marks of rows or backticks around it."""
    rows = [clean(row).strip() for row in quote.split("\n")]
    unfenced = [row for row in rows if not _FENCE.fullmatch(row)]
    unmarked = [_ROW_MARK.sub("", row, count=1).strip() for row in unfenced]
    plain = [unfenced[0][1:-1].strip()] if len(unfenced) == 1 and re.fullmatch(r"`[^`]+`", unfenced[0]) else []
    readings = [_trimmed(reading) for reading in (rows, unfenced, unmarked, plain)]
    return [reading for reading in readings if reading]


def _trimmed(rows: list[str]) -> list[str]:
    """The rows without empty ones at both ends."""
    filled = [index for index, row in enumerate(rows) if row]
    return rows[filled[0] : filled[-1] + 1] if filled else []
