"""How wide words are. This file owns the measuring and the wrapping of text where no font is at hand."""

import unicodedata
from collections.abc import Mapping

from moot.core.text import bare

# Advance widths of Helvetica in thousandths of an em, from Adobe's font metrics; Arial and others have the same.
_WIDTHS: Mapping[int, str] = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    556: "#$0123456789?L_abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1000: "—…",
    1015: "@",
}
_WIDTH: Mapping[str, int] = {each: width for width, group in _WIDTHS.items() for each in group}
_OTHER = 650
"""An unknown character's width: rather too wide than too narrow."""


def width(text: str, size: float) -> float:
    """How wide a text is, in the unit of the font's size."""
    return sum(map(_advance, text)) * size / 1000


def wrap(text: str, most: float, size: float, lines: int) -> tuple[str, ...]:
    """A text in lines of at most that width, broken between words; a longer word is broken where it must be.

    Args:
        text: the words.
        most: the width of a line.
        size: the font's size.
        lines: the most lines; what is left out is marked by an ellipsis.
    """
    rows = [""]
    for word in text.split():
        joined = f"{rows[-1]} {word}".strip()
        if width(joined, size) <= most:
            rows[-1] = joined
            continue
        rows += [""] if rows[-1] else []
        for each in word:
            if rows[-1] and width(rows[-1] + each, size) > most:
                rows.append("")
            rows[-1] += each
        if len(rows) > lines:
            break
    if len(rows) > lines:
        return (*rows[: lines - 1], _cut(rows[lines - 1], most, size))
    return tuple(rows)


def _cut(row: str, most: float, size: float) -> str:
    while row and width(row + "…", size) > most:
        row = row.rpartition(" ")[0] or row[:-1]
    return row + "…"


def _advance(each: str) -> int:
    if each in _WIDTH:
        return _WIDTH[each]
    if unicodedata.category(each) in ("Mn", "Me") or not bare(each):
        return 0
    if unicodedata.east_asian_width(each) in "WF":
        return 1000
    return _WIDTH.get(unicodedata.normalize("NFKD", each)[0], _OTHER)
