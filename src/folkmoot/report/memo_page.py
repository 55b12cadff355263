"""The memo of a debate as one printed page: every part is cut between words to the lines that there is room for.

How many letters fit is estimated; the style sheet clamps what is wider. The page has the width of A4 and the height of
Letter, so that it fits on both.
"""

import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from folkmoot.core.text import clean_data
from folkmoot.report.templates import render_html


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a memo: the words, who or what is behind them, and a command before them."""

    words: str = ""
    tail: str = ""
    command: str = ""
    lines: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What speaks for an answer or against it, under a heading."""

    title: str
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteRow:
    """An answer with its votes and those who gave them; or those whose ballots didn't count, and why."""

    answer: str
    votes: str
    by: str
    won: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRow:
    """What was said for an answer with figures of the documents, and the lines that have them."""

    answer: str
    words: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """A memo, part by part. Parts without content are left out.

    Attributes:
        topic: what was debated.
        date: the day of the last entry.
        kicker: how it was decided, in a few words.
        headline: the answer, or that there is none.
        text: the answer in full, if the headline is not all of it; else how it came about.
        votes: the answers with their voters, then the ballots that didn't count.
        columns: what speaks for it and against it, or for each of the answers where nobody won.
        figures: what was said with figures of the documents.
        unfound: which figures are in none of the documents.
        change: what would change it.
        sure: how sure it is, in sentences.
        cautions: what makes it weaker than it looks.
        steps: what to do next; ``steps_title`` is the heading.
        sources: the documents.
        who: who took part.
        cost: what it cost.
        small: identifiers and hashes, for the end.
    """

    topic: str
    date: str
    kicker: str
    headline: str
    text: str = ""
    votes: tuple[VoteRow, ...] = ()
    columns: tuple[Column, ...] = ()
    figures: tuple[FigureRow, ...] = ()
    unfound: str = ""
    change: tuple[Point, ...] = ()
    sure: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    steps_title: str = "Next step"
    steps: tuple[Point, ...] = ()
    sources: str = ""
    who: str = ""
    cost: str = ""
    small: tuple[str, ...] = ()


def memo_page(memo: Memo) -> str:
    """A memo as one static page: no scripts, no external files."""
    memo = clean_data(memo)
    return render_html("report/page.html.jinja", title=memo.topic, sheet=_fitted(memo)) + "\n"


def print_page(memo: Memo, body: str) -> str:
    """A report to print as one static page, with the memo as its cover; ``body`` is safe HTML."""
    memo = clean_data(memo)
    return render_html("report/print.html.jinja", title=memo.topic, sheet=_fitted(memo), body=Markup(body)) + "\n"


# ---- what fits on one page ------------------------------------------------------------------------------------------

PAGE = 59.0
"""So many lines of the usual size has a page of Letter."""

LETTERS = 108
"""About so many letters are on a line as wide as the page."""

LONGEST = 3_000
"""So many characters of a text are looked at; the page has no room for more."""

COLUMN = 6
"""The fewest lines of the columns."""

FIGURES = 5
"""The lines of the figures that the columns leave them."""

MARGIN = 1.8
"""The lines of a part's heading and of the blank below it."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A text cut to fit on so many lines."""

    text: str
    lines: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """A row of a table."""

    answer: Cut
    votes: str = ""
    by: Cut = Cut("", 0)
    words: Cut = Cut("", 0)
    where: Cut = Cut("", 0)
    won: bool = False

    @property
    def lines(self) -> int:
        return max(self.answer.lines, self.by.lines, self.words.lines, self.where.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    title: Cut
    points: list[Point]
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sheet:
    """A memo whose parts fit on one page together."""

    date: str
    topic: Cut
    kicker: Cut
    headline: Cut
    text: Cut
    votes: list[_Row]
    change: list[Point]
    sure: list[Point]
    cautions: list[Point]
    steps_title: str
    steps: list[Point]
    last: list[tuple[str, Cut]]
    small: Cut
    columns: list[_Column]
    figures: list[_Row]
    unfound: Cut
    large: bool


def _fitted(memo: Memo) -> _Sheet:
    """Cut every part to its most lines; the columns, then the figures, get what the others leave."""
    topic, headline = _cut(memo.topic, 2, LETTERS * 2 // 3), _cut(memo.headline, 2, LETTERS // 2)
    kicker, text = _cut(memo.kicker, 1, LETTERS), _cut(memo.text, 3, LETTERS)
    votes = _within(5, (_vote(row) for row in memo.votes))
    side = LETTERS // 2 if memo.change and memo.sure else LETTERS
    change, sure = _points(memo.change, side, 6), _points(_said(memo.sure), side, 6)
    cautions, steps = _points(_said(memo.cautions), LETTERS, 4), _points(memo.steps, LETTERS, 3)
    last = [
        (name, _cut(words, lines, LETTERS - 10))
        for name, words, lines in (("Sources", memo.sources, 1), ("Who", memo.who, 2), ("Cost", memo.cost, 1))
        if words
    ]
    small = _cut(" · ".join(memo.small), 3, LETTERS * 5 // 4)
    used = 6.0 + 1.7 * topic.lines + kicker.lines + 2.3 * headline.lines + text.lines
    used += sum(row.lines for row in votes) + MARGIN * bool(votes)
    used += max(_lines(change), _lines(sure)) if side < LETTERS else _lines(change) + _lines(sure)
    used += _lines(cautions) + _lines(steps) + sum(item.lines for _, item in last) + 0.8 * small.lines
    unfound, rows = _cut(memo.unfound, 2, LETTERS), [_figure(row) for row in memo.figures]
    some = min(FIGURES, sum(row.lines for row in rows)) + unfound.lines + MARGIN if memo.figures else 0.0
    room = max(COLUMN, int(PAGE - used - some - MARGIN))
    columns = [_column(column, LETTERS // len(memo.columns), room) for column in memo.columns]
    used += (
        max((sum(point.lines for point in column.points) + MARGIN for column in columns), default=0.0) + unfound.lines
    )
    figures = _within(int(PAGE - used - MARGIN), rows)
    used += sum(row.lines for row in figures) + MARGIN * bool(figures)
    return _Sheet(
        date=memo.date,
        topic=topic,
        kicker=kicker,
        headline=headline,
        text=text,
        votes=votes,
        change=change,
        sure=sure,
        cautions=cautions,
        steps_title=memo.steps_title,
        steps=steps,
        last=last,
        small=small,
        columns=columns,
        figures=figures,
        unfound=unfound,
        large=used < PAGE * 0.68,
    )


def _vote(row: VoteRow) -> _Row:
    answer, by = _cut(row.answer, 2, LETTERS * 2 // 5 - 4), _cut(row.by, 2, LETTERS * 12 // 25 - 4)
    return _Row(answer=answer, votes=row.votes, by=by, won=row.won)


def _figure(row: FigureRow) -> _Row:
    answer, where = _cut(row.answer, 2, LETTERS // 5 - 3), _cut(row.where, 2, LETTERS // 5)
    return _Row(answer=answer, words=_cut(row.words, 2, LETTERS * 11 // 20), where=where)


def _within(lines: float, rows: Iterable[_Row]) -> list[_Row]:
    """The first rows that fit on so many lines; always one of the votes."""
    kept: list[_Row] = []
    for row in rows:
        if sum(each.lines for each in kept) + row.lines > lines:
            break
        kept.append(row)
    return kept


def _said(sentences: Sequence[str]) -> tuple[Point, ...]:
    return tuple(Point(words=words) for words in sentences)


def _lines(points: Sequence[Point]) -> float:
    return sum(point.lines for point in points) + MARGIN if points else 0.0


def _column(column: Column, letters: int, lines: int) -> _Column:
    points = _points(column.points, letters, lines)
    return _Column(title=_cut(column.title, 1, letters), points=points, left=len(column.points) - len(points))


POINT = 4
"""The most lines of a point."""


def _points(points: Sequence[Point], letters: int, lines: int) -> list[Point]:
    """The first points that fit on so many lines, each cut so that what is behind its words stays."""
    kept: list[Point] = []
    for point in points:
        needed = min(POINT, 1 + _width(f"{point.command} {point.words} {point.tail}") // letters)
        left = lines - sum(item.lines for item in kept)
        if kept and needed > left:
            break
        needed = min(needed, left)
        tail = _shortened(point.tail, letters * 2 // 3)
        words = _shortened(point.words, needed * letters - _width(tail) - _width(point.command) - 2)
        kept.append(replace(point, words=words, tail=tail, lines=needed))
    return kept


def _cut(words: str, lines: int, letters: int) -> Cut:
    """As many words as fit on so many lines of so many letters."""
    text = _shortened(words, lines * letters)
    return Cut(text, min(lines, 1 + _width(text) // letters) if text else 0)


def _width(text: str) -> int:
    """How wide a text is, in letters; those of Chinese and its like count twice."""
    return len(text) + sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)


def _shortened(words: str, width: int) -> str:
    """As many words as are about so wide, with an ellipsis for the others."""
    words = " ".join(words[:LONGEST].split())
    limit = max(2, width * len(words) // max(1, _width(words)))
    short = textwrap.shorten(words, limit, placeholder="…")
    # A first word that is longer than the room is cut within.
    return f"{words[: limit - 1]}…" if short == "…" else short
