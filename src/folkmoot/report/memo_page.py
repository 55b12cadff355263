"""The memo of a debate as one printed page: every part is cut between words to the lines that there is room for.

How many letters fit is estimated; the style sheet clamps what is wider. The page has the width of A4 and the height of
Letter, so that it fits on both.
"""

import html
import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from folkmoot.core.text import clean_data, counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of a memo: the words, what stands behind them in small print, and a command instead of words."""

    words: str = ""
    tail: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What speaks for an answer or against it, under a heading; ``total`` where there are more points than these."""

    title: str
    points: tuple[Point, ...] = ()
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRow:
    """An answer in the tally: its words, its votes as text, and its place among the answers, which gives its colour; -1 for none."""

    answer: str
    votes: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareColumn:
    """How many held each answer after a round: the round in short, and a number for each answer by its place."""

    name: str
    holders: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memo:
    """A memo: what stands in each of its parts.

    Attributes:
        topic: what was debated.
        date: the day of the last entry.
        kicker: how it was decided, in a few words.
        headline: the answer, or that there is none.
        text: the answer in full, if the headline is not all of it; else how it came about.
        seats: the place of the answer that each voter chose, those of one answer beside each other; -1 for none.
        score: such as ``5 of 8``.
        tally: the answers with their votes.
        columns: what speaks for it and against it, or for each of the answers where nobody won.
        change: what would change it, or break the tie; ``change_title`` is its heading.
        sure: how sure it is, in sentences.
        shares: how many held which answer after each round.
        cautions: what makes it weaker than it looks.
        who: who took part.
        cost: what it cost.
        small: identifiers and hashes, for the end.
    """

    topic: str
    date: str
    kicker: str
    headline: str
    text: str = ""
    seats: tuple[int, ...] = ()
    score: str = ""
    tally: tuple[AnswerRow, ...] = ()
    columns: tuple[Column, ...] = ()
    change_title: str = "What would change it"
    change: tuple[Point, ...] = ()
    sure: tuple[str, ...] = ()
    shares: tuple[ShareColumn, ...] = ()
    cautions: tuple[str, ...] = ()
    who: str = ""
    cost: str = ""
    small: tuple[str, ...] = ()


LINES = 12
"""The lines of a column of points; more where parts below the columns are missing."""

LETTERS = 108
"""About so many letters stand on a line as wide as the page. What is wider than estimated is cut by the style sheet."""

LONGEST = 3_000
"""So many characters of a text are looked at, for the page has no room for more."""

SHORT = 1_500
"""A memo of fewer characters has larger letters."""

POINT = 3
"""The most lines of a point."""

COLOURS = ("#1d55b0", "#bf5208", "#0e7a6c", "#93297f", "#2b333b")
HUES = len(COLOURS)
"""The colours of answers by their places; with more answers they come again, and letters tell those apart."""

_PALETTE = "\n".join(
    f".memo .of-{place} {{ --of: {colour} }}" for place, colour in [*enumerate(COLOURS), (-1, "#454d55")]
)

STYLE = (
    _PALETTE
    + """
:root { color-scheme: light }
.memo { font: 9pt/1.3333 "Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans", sans-serif; color: #14181c;
  width: 504pt; max-width: 100%; margin: 0 auto; overflow-wrap: anywhere; background: #fff }
.memo.large { font-size: 10.6pt }
.memo .cut { overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical }
.memo .points { overflow: hidden }
.memo :where(.topic, h2, p, ul, ol, li, dl, dd, dt, header, footer) { margin: 0; padding: 0 }
.memo ul { list-style: none }
.memo header { display: flex; justify-content: space-between; border-bottom: 1.5pt solid #14181c; padding-bottom: .4em }
.memo header b { font-size: 1.2em } .memo header span { color: #454d55 }
.memo .topic, .memo .headline { font-family: Charter, "Liberation Serif", Georgia, serif }
.memo .topic { font-size: 1.35em; line-height: 1.25; font-weight: 700; margin: .55em 0 .5em }
.memo h2 { font-size: 1em; margin: 0 0 .15em; border-bottom: .5pt solid #868f96 }
.memo .answer { display: flex; gap: 10pt; background: #eef1ee; border-left: 4pt solid var(--of, #14181c);
  padding: .7em .9em; margin-bottom: .8em }
.memo .answer > div { flex: 1; min-width: 0 } .memo .answer figure { margin: 0; width: 150pt; flex: none }
.memo .kicker { color: #454d55; font-weight: 700 }
.memo .headline { font-size: 2em; line-height: 1.12; font-weight: 700; margin: .05em 0 .1em }
.memo svg { display: block; width: 100%; height: auto } .memo .seats { max-width: 112pt; margin: 0 auto }
.memo .tally { font-size: .89em } .memo .tally li { display: flex; justify-content: space-between; gap: 6pt }
.memo .tally span { min-width: 0; max-width: 104pt; max-height: 1.3333em; overflow: hidden }
.memo i.key { display: inline-block; min-width: 1.25em; text-align: center; font: 700 .85em/1.3 sans-serif; color: #fff;
  background: var(--of, #454d55); border-radius: 2pt; margin-right: .35em }
.memo .two { display: flex; gap: 16pt; margin-bottom: .8em } .memo .two > section { flex: 1; min-width: 0 }
.memo section.part { margin-bottom: .8em }
.memo li + li { margin-top: .25em } .memo .tally li + li { margin-top: 0 }
.memo .tail { color: #454d55; font-style: italic }
.memo code { font: .95em "DejaVu Sans Mono", Consolas, monospace }
.memo .care { border: .5pt solid #868f96; padding: .4em .7em } .memo .care h2 { border: 0 }
.memo .last { font-size: .94em } .memo .last b { font-weight: 700 }
.memo footer { margin-top: .6em; border-top: .5pt solid #868f96; padding-top: .3em; color: #454d55; font-size: 7pt;
  line-height: 1.3 }
.memo .two > section.shares { flex: 0 0 180pt }
@media (max-width: 640px) { .memo .two, .memo .answer { flex-wrap: wrap } .memo .two > section { flex-basis: 100% }
  .memo .answer > div { flex-basis: 100% } }
"""
)
"""What only the memo has, so that it can stand before a report."""

SHEET = """
html, body { margin: 0; background: #fff } @page { margin: 12mm 16mm }
@media screen { body { padding: 12mm 16mm } } @media screen and (max-width: 640px) { body { padding: 12px } }
"""


def memo_page(memo: Memo) -> str:
    """A memo as one static page: no scripts, no external files."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(memo.topic)}</title>\n<style>{STYLE}{SHEET}</style>\n</head>\n"
        f"<body>\n<main>\n{memo_sheet(memo)}</main>\n</body>\n</html>\n"
    )


def memo_sheet(memo: Memo, heading: str = "h1") -> str:
    """The memo as one element of a page that has its STYLE; ``heading`` is the element of the topic."""
    memo = clean_data(memo)
    sheet = "".join(
        [
            f"<header><b>Decision memo</b><span>{_text(memo.date)}</span></header>\n",
            _cut(memo.topic, 2, LETTERS * 2 // 3, heading, "topic"),
            _answer(memo),
            _columns(memo),
            _change(memo),
            _sure(memo),
            _care(memo),
            _last(memo),
            _cut(" · ".join(memo.small), 3, LETTERS * 5 // 4, "footer"),
        ]
    )
    large = " large" if len(re.sub(r"<[^>]*>", "", sheet)) < SHORT else ""
    return f'<article class="memo{large}">\n{sheet}</article>\n'


def _text(words: str) -> str:
    return html.escape(" ".join(words.split()))


def _width(text: str) -> int:
    """How wide a text is, in letters; those of Chinese and its like count twice."""
    return len(text) + sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)


def _shortened(words: str, width: int) -> str:
    """As many words as are about so wide, with an ellipsis for the others."""
    words = words[:LONGEST].strip()
    limit = max(2, width * len(words) // max(1, _width(words)))
    short = textwrap.shorten(words, limit, placeholder="…")
    # A first word that is longer than the room is cut within.
    return f"{words[: limit - 1]}…" if short == "…" else short


def _cut(words: str, lines: int, letters: int, tag: str, name: str = "") -> str:
    """An element with as many words as fit on so many lines of so many letters; "" without words."""
    text = _text(_shortened(words, lines * letters))
    return f'<{tag} class="cut {name}" style="{_clamp(lines)}">{text}</{tag}>\n' if text else ""


def _clamp(lines: int) -> str:
    # The first is the standard's, which printers read; the second is what browsers know.
    return f"line-clamp: {lines}; -webkit-line-clamp: {lines}"


def _answer(memo: Memo) -> str:
    figure = _figure(memo)
    letters = LETTERS * 2 // 3 if figure else LETTERS
    hue = next((f" of-{row.place % HUES}" for row in memo.tally if row.answer == memo.headline), "")
    body = _cut(memo.kicker, 1, letters, "p", "kicker") + _cut(memo.headline, 2, letters // 2, "p", "headline")
    body += _cut(memo.text, 4, letters, "p")
    return f'<section class="answer{hue}" aria-label="Decision"><div>{body}</div>{figure}</section>\n'


MOST_ROWS = 3
"""Rows of the tally that are drawn."""

MOST_SEATS = 24
"""Seats that are drawn."""


def _figure(memo: Memo) -> str:
    seats = _seats(memo) if 1 < len(memo.seats) <= MOST_SEATS else ""
    inner = (seats or (f'<p class="headline">{_text(memo.score)}</p>' if memo.score else "")) + _tally(memo)
    return f"<figure>{inner}</figure>" if inner else ""


def _tally(memo: Memo) -> str:
    answers = [row for row in memo.tally if row.place >= 0]
    shown = answers if len(answers) <= MOST_ROWS else answers[: MOST_ROWS - 1]
    lines = [_tally_row(row) for row in shown]
    if left := len(answers) - len(shown):
        lines.append(f"<li>{counted(left, 'more answer')}</li>")
    lines += [_tally_row(row) for row in memo.tally if row.place < 0]
    return f'<ul class="tally">{"".join(lines)}</ul>' if lines else ""


def _tally_row(row: AnswerRow) -> str:
    hue = row.place % HUES if row.place >= 0 else row.place
    answer = _text(_shortened(row.answer, 24))
    return (
        f'<li class="of-{hue}"><span><i class="key">{letter_of(row.place)}</i>{answer}</span>'
        f"<b>{_text(row.votes)}</b></li>"
    )


def letter_of(place: int) -> str:
    """The letter of an answer by its place; a dash where there is none."""
    return "–" if place < 0 else chr(ord("A") + place) if place < 26 else "#"


def _seats(memo: Memo) -> str:
    """The votes as seats around a table; a seat without a vote is empty."""
    radius = max(8.0, min(17.0, 300 / len(memo.seats)))
    dots: list[str] = []
    for at, answer in enumerate(memo.seats):
        turn = pi * at / (len(memo.seats) - 1)
        x, y = 130 - 108 * cos(turn), 122 - 100 * sin(turn)
        fill = f'fill="{COLOURS[answer % HUES]}"' if answer >= 0 else 'fill="#fff" stroke="#454d55"'
        dots.append(f'<circle {fill} cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>')
        if radius > 11:
            dots.append(_label(letter_of(answer), x, y + 6, 17, "#fff" if answer >= 0 else "#454d55"))
    score = _text(memo.score)
    middle = _label(memo.score, 130, 120, 26, "#14181c")
    return f'<svg class="seats" viewBox="0 0 260 144" role="img" aria-label="{score}">{"".join(dots)}{middle}</svg>'


def _label(words: str, x: float, y: float, size: int, fill: str) -> str:
    """A text of a picture; it has its looks with it, because not every program that prints reads styles in pictures."""
    font = f'font-size="{size}" font-weight="700" font-family="Helvetica, Arial, sans-serif" text-anchor="middle"'
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" {font}>{_text(words)}</text>'


def _columns(memo: Memo) -> str:
    """The columns, with the lines that the parts below them leave."""
    if not memo.columns:
        return ""
    lines = LINES + (0 if memo.change else CHANGE) + (0 if memo.sure else SURE) + (0 if memo.cautions else CARE)
    letters = LETTERS // len(memo.columns)
    parts = [
        f"<section>{_cut(column.title, 1, letters, 'h2')}"
        f"{_points(column.points, letters, lines, column.total) or '<p>Nothing is on record.</p>'}</section>"
        for column in memo.columns
    ]
    return f'<div class="two">{"".join(parts)}</div>\n'


def _points(points: Sequence[Point], letters: int, lines: int, total: int = 0) -> str:
    """As many points as there are lines for, the first ones first; what is left out is counted."""
    items: list[str] = []
    used = 0
    for point in points:
        needed = min(POINT, 1 + _width(f"{point.command} {point.words} {point.tail}") // letters)
        if items and used + needed > lines:
            break
        items.append(_point(point, letters))
        used += needed
    left = max(total, len(points)) - len(items)
    more = f'<p class="tail">{left} more in the full report</p>' if left else ""
    # A quarter of a line stands between two points.
    height = f"max-height: {lines * 4 / 3 + len(items) / 4:.1f}em"
    return f'<ul class="points" style="{height}">{"".join(items)}</ul>{more}' if items else ""


def _point(point: Point, letters: int) -> str:
    """A point; its words are cut so that what stands behind them stays."""
    tail = _shortened(point.tail, letters * 2 // 3)
    words = _shortened(point.words, POINT * letters - _width(tail) - _width(point.command) - 2)
    command = f"<code>{_text(point.command)}</code> " if point.command else ""
    behind = f' <span class="tail">{_text(tail)}</span>' if tail else ""
    return f'<li class="cut" style="{_clamp(POINT)}"><span>{command}{_text(words)}{behind}</span></li>'


# The most lines of the parts below the columns.
CHANGE = 6
SURE = 5
CARE = 4
WHO = 3
COST = 2


def _change(memo: Memo) -> str:
    inner = _points(memo.change, LETTERS, CHANGE)
    return f'<section class="part"><h2>{_text(memo.change_title)}</h2>{inner}</section>\n' if inner else ""


def _sure(memo: Memo) -> str:
    if not memo.sure:
        return ""
    chart = _shares(memo.shares) if len(memo.shares) > 1 else ""
    words = _cut(" ".join(memo.sure), SURE, LETTERS * 3 // 5 if chart else LETTERS, "p")
    return f'<div class="two"><section><h2>How sure is it?</h2>{words}</section>{chart}</div>\n'


MOST_COLUMNS = 8


def _shares(shares: Sequence[ShareColumn]) -> str:
    """The share of each answer after the rounds, as columns; of many rounds the first, the last and some between."""
    last = len(shares) - 1
    chosen = [shares[round(at * last / (MOST_COLUMNS - 1))] for at in range(MOST_COLUMNS)]
    columns = list(shares) if last < MOST_COLUMNS else chosen
    wide = 320 / len(columns)
    parts = "".join(_share_column(column, n * wide, wide) for n, column in enumerate(columns))
    return (
        '<section class="shares"><h2>Answers by round</h2><svg viewBox="0 0 320 104" role="img" '
        f'aria-label="How many held which answer after each round">{parts}</svg></section>'
    )


def _share_column(column: ShareColumn, x: float, wide: float) -> str:
    total, y = max(1, sum(column.holders)), 0.0
    parts: list[str] = []
    for index, count in enumerate(column.holders):
        high = 84 * count / total
        if count:
            fill = COLOURS[index % HUES]
            size = f'width="{wide - 4:.1f}" height="{max(1.0, high - 2):.1f}"'
            parts.append(f'<rect fill="{fill}" x="{x + 2:.1f}" y="{y:.1f}" {size}/>')
        if high >= 16:
            parts.append(_label(f"{letter_of(index)} {count}", x + wide / 2, y + high / 2 + 4, 12, "#fff"))
        y += high
    room = len(column.name) * 3.6  # half of its width: the names at the ends must not stick out
    middle = min(max(x + wide / 2, room), 320 - room)
    return f"{''.join(parts)}{_label(column.name, middle, 100, 11, '#454d55')}"


def _care(memo: Memo) -> str:
    words = _cut(" ".join(memo.cautions), CARE, LETTERS, "p")
    return f'<section class="part care"><h2>Read with care</h2>{words}</section>\n' if words else ""


def _last(memo: Memo) -> str:
    parts = (("Who", memo.who, WHO), ("Cost", memo.cost, COST))
    lines = [
        f'<p class="cut" style="{_clamp(lines)}"><span><b>{name}:</b> '
        f"{_text(_shortened(words, lines * LETTERS - 8))}</span></p>"
        for name, words, lines in parts
        if words
    ]
    return f'<section class="last" aria-label="Who and cost">{"".join(lines)}</section>\n' if lines else ""
