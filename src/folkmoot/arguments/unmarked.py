"""Words without the marks of Markdown, for a line that shows none.

Each run of marks is looked at once, so a text of nothing but marks is read as quickly as any other. A Markdown library
would do that too, but it takes the stars of ``2*3*4`` for marks, and the number is lost. Underscores stay, for they are
a part of more names (``__init__``) than of bold words.
"""

import re
from collections.abc import Iterator, Sequence

_RUN = re.compile(r"`+|\*+")
_LINK = re.compile(r"\[([^\[\]\n]+)\]\([^)\[\s]+\)")
_LETTER = re.compile(r"[^\W_\u2e80-\uffff]")
"""A letter or digit of a script with blanks between its words: a mark beside it, from outside, belongs to the word."""


def unmarked(line: str) -> str:
    """The words of a line: what is bold, leaning, code or a link reads like any other word."""
    kept, at = list[str](), 0
    for start, end in sorted(mark.span() for mark in _marks(line, list(_RUN.finditer(line)))):
        kept.append(line[at:start])
        at = end
    return _LINK.sub(r"\1", "".join([*kept, line[at:]]))


def _marks(line: str, runs: Sequence[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The runs that mark something: those of a pair, and within code none but its own."""
    last = {run[0]: n for n, run in enumerate(runs)}
    opened, n = dict[str, int](), 0
    while n < len(runs):
        run = runs[n]
        if run[0][0] == "`" and last[run[0]] > n:
            n = next(later for later in range(n + 1, len(runs)) if runs[later][0] == run[0])
            yield from (run, runs[n])
        elif run[0] in opened and _closes(line, run):
            begin = opened[run[0]]
            yield from (runs[begin], run)
            opened = {mark: place for mark, place in opened.items() if place < begin}
        elif len(run[0]) <= 3 and run[0][0] != "`" and _opens(line, run):
            opened[run[0]] = n
        n += 1


def _opens(line: str, run: re.Match[str]) -> bool:
    return not _LETTER.match(line[run.start() - 1 : run.start()]) and bool(line[run.end() : run.end() + 1].strip())


def _closes(line: str, run: re.Match[str]) -> bool:
    return not _LETTER.match(line, run.end()) and bool(line[run.start() - 1 : run.start()].strip())
