"""Heads: by which letters the texts begin that a pattern matches, so that most patterns need never be compiled.

Compiling costs far more than reading does. A row of cues has hundreds of alternatives in many languages, and a text has
words that few of them begin with.
"""

import re
from collections.abc import Iterator

LETTER = r"[\w\u0307\u0900-\u0963\u0966-\u097f\u064b-\u065f]"
"""A letter or a sign that belongs to one, also of Hindi, Arabic and Turkish, but for the stop of Hindi."""

LONGEST = 5
"""The most letters of a head."""

END = "\0"
"""What stands at the end of a head that is a whole word."""

_MARK = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\((?:\?(?:<?[=!]|:))?|[)|]")
_PIECE = re.compile(
    r"(?P<around>\(\?<?[=!])|(?P<group>\((?:\?:)?)|(?P<close>\))|(?P<bar>\|)|(?P<nowhere>\\b|\^|\$)"
    rf"|(?P<any>\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[.~])|(?P<letter>{LETTER})|(?P<other>.)",
    re.DOTALL,
)
_TIMES = re.compile(r"(?:[*+?]|\{\d*,?\d*\})\??")
_PLAIN = re.compile(rf"(?:{LETTER}{{{LONGEST}}}|{LETTER}+(?=[ '](?![*+?{{])|$))(?![*+?{{])")
"""How an alternative begins that has one head, as most have."""


def alternatives(row: str) -> list[str]:
    """The alternatives of a pattern, which bars part outside of its groups."""
    parts: list[str] = []
    start = depth = 0
    for mark in _MARK.finditer(row):
        depth += mark[0].startswith("(") - (mark[0] == ")")
        if mark[0] == "|" and not depth:
            parts.append(row[start : mark.start()])
            start = mark.end()
    return [*parts, row[start:]]


def heads_of(pattern: str) -> frozenset[str]:
    """The first letters of all that a pattern can match at the beginning of a word; "" if it may be any.

    Args:
        pattern: an alternative without named groups; ``~`` stands for the rest of a word.
    """
    if plain := _PLAIN.match(pattern):
        return frozenset((plain[0] if len(plain[0]) == LONGEST else plain[0] + END,))
    parser = _Parser(pattern)
    parser.close(parser.grown({""}))
    return frozenset(parser.heads)


def heads_of_word(word: str) -> Iterator[str]:
    """The heads that a pattern may have which matches at the beginning of this word."""
    for size in range(1, min(LONGEST, len(word)) + 1):
        yield word[:size]
    if len(word) < LONGEST:
        yield word + END


class _Parser:
    """Reads a pattern as far as its heads grow."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.place = self.depth = 0
        self.heads: set[str] = set()

    def close(self, growing: set[str]) -> None:
        """Let the words end that are being read."""
        self.heads.update(head and head + END for head in growing)

    def grown(self, growing: set[str]) -> set[str]:
        """What becomes of these beginnings up to the end of the group."""
        ended: set[str] = set()
        now = growing
        while now or self.depth:
            if not now:
                self._skip(to_bar=True)
            if (piece := _PIECE.match(self.pattern, self.place)) is None or piece.lastgroup == "close":
                break
            self.place = piece.end()
            if piece.lastgroup == "bar":
                ended, now = ended | now, growing
            else:
                now = self._repeated(now, self._after(str(piece.lastgroup), piece[0], now))
        return ended | now

    def _skip(self, *, to_bar: bool) -> None:
        """Go on to what ends the group, or to a bar of it."""
        marks, ends, depth = _MARK.finditer(self.pattern, self.place), (")|" if to_bar else ")"), 0
        mark = next(marks)
        while depth or mark[0] not in ends:
            depth += mark[0].startswith("(") - (mark[0] == ")")
            mark = next(marks)
        self.place = mark.start()

    def _after(self, kind: str, sign: str, growing: set[str]) -> set[str]:
        """What becomes of these beginnings behind a piece of the pattern."""
        if kind == "letter":
            longer = {head + sign for head in growing}
            self.heads |= {head for head in longer if len(head) == LONGEST}
            return {head for head in longer if len(head) < LONGEST}
        if kind in ("around", "nowhere"):
            if kind == "around":
                self._skip(to_bar=False)
                self.place += 1
            return growing
        if kind == "group":
            self.depth += 1
            growing = self.grown(growing)
            self.depth -= 1
            self.place += 1
            return growing
        if kind == "any":
            self.heads |= growing
        else:
            self.close(growing)
        return set()

    def _repeated(self, before: set[str], after: set[str]) -> set[str]:
        """What becomes of beginnings where the last piece may stand several times, or not at all."""
        times = _TIMES.match(self.pattern, self.place)
        if times is None:
            return after
        self.place = times.end()
        if times[0][0] != "?":
            self.heads |= after - before
            after = after & before
        return after | before if times[0].startswith(("*", "?", "{0", "{,")) else after
