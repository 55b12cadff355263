"""What a text of somebody's own claims. This file owns how running text falls into claims; it weighs no word.

Every sentence is a claim, and so is every item of a list. Headings, questions, lines that only lead in to a list and
what holds no letter are none. A quotation is never parted from its source.
"""

import re
from collections.abc import Iterator

from moot.arguments.citations import QUOTED
from moot.core.sentences import sentences

_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s")
_NONE = re.compile(r"[?？:：][*_\"'”’»)]*$")
"""How a question or the lead-in of a list ends."""


def statements(text: str) -> tuple[str, ...]:
    """The claims of a text in their order, each once; the whole text where it holds none."""
    found = [each for paragraph in _paragraphs(text) for each in _sentences(paragraph)]
    claims = [each for each in found if any(letter.isalpha() for letter in each) and not _NONE.search(each)]
    return tuple(dict.fromkeys(claims)) or (text,)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs and items, each on one line, without the marks of lists."""
    rows: list[str] = []
    for row in [*text.splitlines(), ""]:
        item, heading = _ITEM.match(row), _HEADING.match(row)
        if rows and (item or heading or not row.strip()):
            yield " ".join(rows)
            rows = []
        if row.strip() and not heading:
            rows.append(row[item.end() :].strip() if item else row.strip())


def _sentences(paragraph: str) -> Iterator[str]:
    """Its sentences; those that one quotation with its source runs through are one."""
    quoted = list(QUOTED.finditer(paragraph))
    cuts = {at for at, _ in sentences(paragraph) if not any(each.start() < at < each.end() for each in quoted)}
    for each in quoted:
        blank, after = paragraph[each.end() : each.end() + 1], paragraph[each.end() :].lstrip()
        if each[1][-1] in ".!?" and blank.isspace() and not after[0].islower():
            cuts.add(len(paragraph) - len(after))
    for first, last in zip(sorted(cuts), [*sorted(cuts)[1:], len(paragraph)], strict=True):
        yield paragraph[first:last].strip()
