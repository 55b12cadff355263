"""Citations: whether a quotation stands in the artefact, at the lines that are named for it.

No model judges that. Case, marks and the blanks within a line count, for in code they do; blanks at both ends do not.
A long line may be shortened with "...": then its pieces have to stand there in their order.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from folkmoot.core.text import clean
from folkmoot.reviews.artefact import Artefact, ReviewedFile, normal

MOST_LINES = 60
"""The most lines that one citation may have."""

NEAR = 20
"""Where a quotation stands at several places, the most lines between the nearest of them and the lines named."""

_LINES = re.compile(r"[lL]?(\d{1,9})(?: ?(?:[-–—]|\.\.|to) ?[lL]?(\d{1,9}))?")
_PLACE = re.compile(r"(.+?):(?:[lL]ines? )?([lL]?\d[^:]*)")
_ROW_MARK = re.compile(r"\A *\d* ?[ +-]\|")
_FENCE = re.compile(r"(?:`{3,}|~{3,})[^\n`]*")
_LEFT_OUT = re.compile(r"\[(?:\.{3,}|…)\]|\.{3,}|…")
_MISSING = "\0"
"""A row for lines that are not shown: no quotation can have it, so none reaches across."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A citation as it was checked.

    Attributes:
        path: the file, as it was named.
        lines: the first and the last line; (0, 0) where they could not be read.
        quote: the words that shall stand there.
        moved_from: the lines that were named, where the words stand at others; None where they stand there.
        fault: why it proves nothing; "" for a valid one.
        reach: where the words begin and end among all letters of the file; (0, 0) where nobody was to quote any.
    """

    path: str
    lines: tuple[int, int]
    quote: str = ""
    moved_from: tuple[int, int] | None = None
    fault: str = ""
    reach: tuple[int, int] = (0, 0)

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
        return replace(cited, fault=fault)
    file = artefact.file(path)
    assert file
    assert cited_lines
    return cited if quote is None else _located(file, cited)


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


class _Place(NamedTuple):
    """Where a quotation stands: its first and last line, and its first and last letter in the file."""

    first: int
    last: int
    begin: int
    end: int


def _located(file: ReviewedFile, cited: Citation) -> Citation:
    """The citation at the place where its quotation stands."""
    first, last = cited.lines
    places = _quoted_places(file, cited.quote)
    if not places:
        return replace(cited, fault=f"the quotation is not in {cited.path}")
    if here := [place for place in places if place.first <= last and place.last >= first]:
        best = min(here, key=lambda place: (place.end - place.begin, place.begin))
        return replace(cited, reach=(best.begin, best.end))
    near = min(places, key=lambda place: max(place.first - last, first - place.last))
    if len(places) > 1 and max(near.first - last, first - near.last) > NEAR:
        fault = f"the quotation is at {len(places)} other places of {cited.path}, none of them near"
        return replace(cited, fault=fault)
    return replace(cited, lines=(near.first, near.last), moved_from=cited.lines, reach=(near.begin, near.end))


def _quoted_places(file: ReviewedFile, quote: str) -> list[_Place]:
    """The places of a quotation: as it is written, else with "..." for what was left out."""
    lines = file.lines()
    rows = [(number, lines[number].strip()) for number in sorted(lines)]
    gaps = [number for (before, _), (number, _) in pairwise(rows) if number > before + 1]
    rows = sorted([*rows, *((number, _MISSING) for number in gaps)])
    starts = list(accumulate((len(text) + 1 for _, text in rows), initial=0))
    text = "\n".join(text for _, text in rows)
    readings = _readings(quote)
    for pieces in (*(["\n".join(reading)] for reading in readings), *filter(None, map(_pieces, readings))):
        found = [
            _Place(rows[bisect_right(starts, begin) - 1][0], rows[bisect_right(starts, end - 1) - 1][0], begin, end)
            for begin, end in _found(text, pieces)
        ]
        if near := [place for place in found if place.last - place.first < MOST_LINES]:
            return near
    return []


def _pieces(rows: Sequence[str]) -> list[str]:
    """The pieces of a shortened quotation; none where nothing is left out, or no word is left.

    A row of marks around "...", such as a comment, only says that lines are left out.
    """
    text = "\n".join(row if re.search(r"\w", row) or not _LEFT_OUT.search(row) else "..." for row in rows)
    pieces = [piece for part in _LEFT_OUT.split(text) if (piece := part.strip())]
    shortened = _LEFT_OUT.search(text) and len(pieces) <= MOST_LINES and re.search(r"\w", "".join(pieces))
    return pieces if shortened else []


def _found(text: str, pieces: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the pieces stand in their order: for each line with the first one, up to the nearest end.

    It is linear: no piece is ever looked for in front of where it was found last.
    """
    places = [-1] * len(pieces)
    begin = text.find(pieces[0])
    while begin >= 0:
        end = begin + len(pieces[0])
        for n, piece in enumerate(pieces[1:], start=1):
            if places[n] < end:
                places[n] = text.find(piece, end)
            if places[n] < 0:
                return
            end = places[n] + len(piece)
        yield begin, end
        next_line = text.find("\n", begin) + 1
        begin = text.find(pieces[0], next_line) if next_line else -1


def _readings(quote: str) -> list[list[str]]:
    """The lines that a quotation may mean: as it is, then without the fence, marks of rows or backticks around it."""
    rows = [clean(row).strip() for row in quote.split("\n")]
    unfenced = [row for row in rows if not _FENCE.fullmatch(row)]
    unmarked = [_ROW_MARK.sub("", row, count=1).strip() for row in unfenced]
    plain = [unfenced[0][1:-1].strip()] if len(unfenced) == 1 and re.fullmatch(r"`[^`]+`", unfenced[0]) else []
    readings = [_trimmed(reading) for reading in (rows, unfenced, unmarked, plain)]
    return [reading for reading in readings if 0 < len(reading) <= MOST_LINES]


def _trimmed(rows: list[str]) -> list[str]:
    """The rows without empty ones at both ends."""
    filled = [index for index, row in enumerate(rows) if row]
    return rows[filled[0] : filled[-1] + 1] if filled else []
