"""Documents as extracts: pieces of some sentences each, to be searched and laid before a model. This file owns the cut.

Unlike the passages of ``demo.passages``, which are sentences that can be quoted, extracts leave nothing out: tables,
lists and code are where the figures stand.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from moot.core.brief import Source
from moot.core.sentences import sentences
from moot.core.text import clean

SIZE = 700
"""Characters of a usual extract."""

MOST = 1000
"""Characters of the longest."""

_HEADING = re.compile(r" {0,3}#{1,6}\s+")
_STOP = re.compile(r"^\s*$|[.!?:|。！？][\"'”’)*_]*\s*$")
_UNLINED = re.compile(r", page \d+$|\.x?html?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A piece of a document.

    Attributes:
        source: the document's name.
        line: the line on which it begins, counted from 1.
        text: its words as they stand.
        heading: the heading above it; "" where there is none.
    """

    source: str
    line: int
    text: str
    heading: str = ""

    @property
    def place(self) -> str:
        """Where it stands: ``study.md:12``; ``costs.pdf, page 3``, for lines of a PDF or of HTML are nobody's."""
        return self.source if _UNLINED.search(self.source) else f"{self.source}:{self.line}"


@dataclass(slots=True)
class _Cut:
    """A document under the knife; ``size`` is the number of letters in ``rows``."""

    source: str
    heading: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    size: int = 0

    def take(self, number: int, row: str) -> Iterator[Extract]:
        """Add a row; an empty one ends an extract that is long enough."""
        if found := _HEADING.match(row):
            yield from self.end()
            self.heading = row[found.end() :].rstrip("# \t")
        elif row.strip():
            self.rows.append((number, row))
            self.size += len(row)
        elif self.size >= SIZE // 2:
            yield from self.end()
        elif self.rows and self.rows[-1][1]:
            self.rows.append((number, ""))

    def end(self) -> Iterator[Extract]:
        """What has been gathered, in pieces of about the same size, cut behind a sentence where that can be."""
        pieces = [each for row in self.rows for each in _pieces(*row)]
        total = sum(len(piece) + 1 for _, piece in pieces)
        parts = 1 if total <= MOST else round(total / SIZE)
        self.rows, self.size = [], 0
        held: list[tuple[int, str]] = []
        size = done = given = 0
        for number, piece in pieces:
            full = given < parts - 1 and done >= total * (given + 0.9) / parts and _STOP.search(held[-1][1])
            if held and (full or size + len(piece) > MOST):
                yield self._extract(held)
                held, size, given = [], 0, given + 1
            held.append((number, piece))
            size, done = size + len(piece) + 1, done + len(piece) + 1
        if any(piece.strip() for _, piece in held):
            yield self._extract(held)

    def _extract(self, held: Sequence[tuple[int, str]]) -> Extract:
        text = "\n".join(piece for _, piece in held).strip("\n")
        return Extract(source=self.source, line=held[0][0], text=text, heading=self.heading)


def cut(sources: Sequence[Source]) -> tuple[Extract, ...]:
    """All extracts of the documents, in order."""
    return tuple(extract for source in sources for extract in _cut(source))


def _cut(source: Source) -> Iterator[Extract]:
    knife = _Cut(source.name)
    for number, row in enumerate(clean(source.text).split("\n"), start=source.line):
        yield from knife.take(number, row)
    yield from knife.end()


def _pieces(number: int, row: str) -> Iterator[tuple[int, str]]:
    """A row; a long one in pieces, cut behind a sentence where one ends in time, else between words."""
    ends = [offset + len(sentence) for offset, sentence in sentences(row)] if len(row) > SIZE else []
    start = 0
    while len(row) - start > SIZE:
        near = bisect_right(ends, start + SIZE)
        end = ends[near - 1] if near and ends[near - 1] > start else row.rfind(" ", start + 1, start + SIZE)
        end = end if end > start else start + SIZE
        yield number, row[start:end].strip()
        start = end
    yield number, row[start:].rstrip() if start == 0 else row[start:].strip()
