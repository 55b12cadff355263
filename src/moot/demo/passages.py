"""Background documents as passages: sentences, each with its source and line. This file owns what can be quoted.

Only running text is quoted: no headings, tables, code, block quotations, comments or front matter. A passage has the
document's own words in their order, with runs of blanks and line ends folded into one blank each.
Everything here runs in time linear in the length of the text.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from moot.core.brief import Source
from moot.core.sentences import sentences
from moot.core.text import clean

LEAST = 3
"""A sentence of fewer words is no passage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """One sentence of a document.

    Attributes:
        source: the document's name.
        line: the line of the document on which the sentence begins, counted from 1.
        text: its words, blanks folded.
        heading: the heading above it; "" where there is none.
    """

    source: str
    line: int
    text: str
    heading: str = ""


_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6}(?=\s|$)")
_UNDERLINE = re.compile(r"\s{0,3}(?:=+|-+)\s*$")
_RULE = re.compile(r"\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$")
_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|(\d{1,4})[.)]|[A-Za-z]\))\s+(?:\[[ xX]\]\s+)?")
_TAG = re.compile(r"\s*</?[A-Za-z][^<>]*>\s*$|\s*\[[^\]]+\]:\s|\s*!\[[^\]]*\]\([^)]*\)\s*$")
_KEY = re.compile(r"[\w-]+\s*:")


def read_passages(sources: Sequence[Source]) -> tuple[Passage, ...]:
    """All passages of the documents, in order."""
    return tuple(passage for source in sources for passage in _passages(source))


@dataclass(slots=True)
class _Scan:
    """A document as it is read, row by row."""

    source: Source
    heading: str = ""
    inside: Literal["", "list", "quote", "table", "comment"] = ""
    fence: str = ""
    rows: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    def flush(self) -> Iterator[Passage]:
        """The passages of the paragraph that ends here."""
        rows, self.rows = self.rows, []
        if not rows:
            return
        text = "\n".join(row for _, row in rows)
        seen = line = 0
        for offset, sentence in sentences(text):
            line += text.count("\n", seen, offset)
            seen = offset
            words = " ".join(sentence.split())
            if len(re.findall(r"[^\W_]+", words)) >= LEAST or re.search(r"[\u3040-\u9fff]{6}", words):
                yield Passage(source=self.source.name, line=rows[line][0], text=words, heading=self.heading)

    def is_hidden(self, row: str) -> bool:
        """Whether the row stands in, opens or closes a code fence or a comment."""
        if self.fence:
            if row.strip().startswith(self.fence) and not row.strip().strip(self.fence[0]):
                self.fence = ""
            return True
        if self.inside == "comment" or row.lstrip().startswith("<!--"):
            self.inside = "" if "-->" in row else "comment"
            return True
        if found := _FENCE.match(row):
            self.fence = found[1]
            return True
        return False

    def is_apart(self, row: str, below: str) -> bool:
        """Whether the row is no running text: a rule, table row, block quotation, tag or indented code."""
        if row.lstrip().startswith(">"):
            self.inside = "quote"
        elif row.lstrip().startswith("|") or _is_ruled(row) or ("|" in row and _is_ruled(below)):
            self.inside = "table"
        if self.inside in ("quote", "table") or _RULE.match(row) or _TAG.match(row):
            return True
        return row.startswith("    ") and not self.rows and self.inside != "list"

    def take(self, number: int, row: str) -> Iterator[Passage]:
        """Add a row of running text; a list item begins a paragraph of its own."""
        found = _BULLET.match(row)
        if found and (not self.rows or self.inside == "list" or found[1] in (None, "1")):
            yield from self.flush()
            self.inside, row = "list", row[found.end() :]
        self.rows.append((number, row.strip()))


def _passages(source: Source) -> Iterator[Passage]:
    rows = _outdent(clean(source.text).split("\n"))
    scan = _Scan(source)
    for place in range(_front(rows), len(rows)):
        row = rows[place]
        if scan.is_hidden(row):
            yield from scan.flush()
        elif not row.strip():
            yield from scan.flush()
            scan.inside = "list" if scan.inside == "list" else ""
        elif scan.rows and _UNDERLINE.match(row) and scan.inside != "list":
            scan.heading = " ".join(text for _, text in scan.rows)
            scan.rows = []
        elif heading := _HEADING.match(row):
            yield from scan.flush()
            scan.heading, scan.inside = row[heading.end() :].strip().rstrip("#").rstrip(), ""
        elif scan.is_apart(row, rows[place + 1] if place + 1 < len(rows) else ""):
            yield from scan.flush()
        else:
            if scan.inside == "list" and not scan.rows and not row.startswith(" ") and not _BULLET.match(row):
                scan.inside = ""
            yield from scan.take(source.line + place, row)
    yield from scan.flush()


def _is_ruled(row: str) -> bool:
    """Whether the row is the line between a table's head and its body."""
    return "|" in row and "-" in row and not row.strip(" |:+=-\n")


def _outdent(rows: list[str]) -> list[str]:
    """The rows with tabs as blanks, without the blanks before all of them: a text set in as a whole is no code."""
    wide = [row.expandtabs(4) for row in rows]
    margin = min((len(row) - len(row.lstrip()) for row in wide if row.strip()), default=0)
    return [row[margin:] for row in wide]


def _front(rows: list[str]) -> int:
    """The number of rows that front matter takes."""
    if len(rows) > 2 and rows[0].rstrip() == "---" and _KEY.match(rows[1]):
        for number, row in enumerate(rows[1:200], start=1):
            if row.rstrip() == "---":
                return number + 1
    return 0
