"""The memo of a debate as one printed page: every part is cut between words to the lines that there is room for.

No font is asked. Widths are those of Helvetica, with a margin for wider fonts, and the page has the width of A4 and the
height of Letter, so that it fits on both. Where everything fits in larger letters, it has them.
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, pi, sin

from folkmoot.arguments.svg import wrap
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


WIDE, HIGH, FIXED, LINE = 504.0, 724.0, 334.0, 12.0
"""Points: the page between its margins, what headings and the head take of its height, a line of 9 points."""

WIDER = 1.22
"""How much wider than Helvetica a font may be: DejaVu Sans, the widest one in use, is 1.19 times as wide."""

BOLD = 10.4
"""Points: bold letters of 9 points are as wide as others of this size."""

SCALES = (1.18, 1.0)
"""How large the letters are: the first at which nothing is left out, else the last."""

MORE = "in the full report"


class _Fit:
    """Cuts texts to lines, and remembers whether anything was left out."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.rows = int((HIGH / scale - FIXED) / LINE)
        self.missing = False

    def lines(self, text: str, wide: float, size: float = 9.0) -> int:
        """How many lines a text needs in a column of that width; a very long one is told from its beginning."""
        return len(wrap(text[:LONGEST], wide / self.scale, size * WIDER, LONGEST)) if text.strip() else 0

    def cut(self, text: str, wide: float, lines: int, *, size: float = 9.0, tail: str = "") -> str:
        """The text, or as many of its words as fit on so many lines together with what follows them."""
        words = " ".join(text.split())
        if len(words) < LONGEST and self.lines(f"{words} {tail}", wide, size) <= lines:
            return words
        self.missing = True
        low, high = 0, len(words[:LONGEST])
        while low < high:
            middle = (low + high + 1) // 2
            fits = self.lines(f"{words[:middle]}… {tail}", wide, size) <= lines
            low, high = (middle, high) if fits else (low, middle - 1)
        front, _, last = words[: low + 1].rpartition(" ")
        head = front if front and len(last) <= LONGEST_WORD else words[:low]
        return f"{head.rstrip(' ,;:.')}…"


LONGEST, LONGEST_WORD = 3_000, 30
"""So many characters of a text are looked at, for the page has no room for more; a longer word may be cut within."""

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
    sheet, large = "", ""
    for scale in SCALES:
        fit = _Fit(scale)
        sheet, large = _sheet(memo, fit, heading), " large" if scale > 1 else ""
        if not fit.missing:
            break
    return f'<article class="memo{large}">\n{sheet}</article>\n'


def _text(words: str) -> str:
    return html.escape(" ".join(words.split()))


def _sheet(memo: Memo, fit: _Fit, heading: str) -> str:
    sure = _sure(memo, fit)
    care = _care(memo, fit)
    last = _last(memo, fit)
    change = _change(memo, fit)
    return "".join(
        [
            f"<header><b>Decision memo</b><span>{_text(memo.date)}</span></header>\n",
            f'<{heading} class="topic">{_text(fit.cut(memo.topic, WIDE, 2, size=1.35 * BOLD))}</{heading}>\n',
            _answer(memo, fit),
            _columns(memo.columns, fit),
            change,
            sure,
            care,
            last,
            f"<footer>{_foot(memo, fit)}</footer>\n",
        ]
    )


def _answer(memo: Memo, fit: _Fit) -> str:
    figure = _figure(memo, fit)
    wide = WIDE - 24 - (160 if figure else 0)
    headline = fit.cut(memo.headline, wide, 2, size=2 * BOLD)
    text = fit.cut(memo.text, wide, 5 if fit.lines(headline, wide, 2 * BOLD) < 2 else 3)
    hue = next((f" of-{row.place % HUES}" for row in memo.tally if row.answer == memo.headline), "")
    kicker = _text(fit.cut(memo.kicker, wide, 1, size=BOLD))
    body = f'<p class="kicker">{kicker}</p><p class="headline">{_text(headline)}</p>'
    body += f"<p>{_text(text)}</p>" if text else ""
    return f'<section class="answer{hue}" aria-label="Decision"><div>{body}</div>{figure}</section>\n'


MOST_ROWS, MOST_SEATS = 3, 24
"""So many rows of the tally and seats are drawn."""


def _figure(memo: Memo, fit: _Fit) -> str:
    seats = _seats(memo) if 1 < len(memo.seats) <= MOST_SEATS else ""
    inner = (seats or (f'<p class="headline">{_text(memo.score)}</p>' if memo.score else "")) + _tally(memo, fit)
    return f"<figure>{inner}</figure>" if inner else ""


def _tally(memo: Memo, fit: _Fit) -> str:
    answers = [row for row in memo.tally if row.place >= 0]
    rows = answers if len(answers) <= MOST_ROWS else answers[: MOST_ROWS - 1]
    lines = [
        f'<li class="of-{row.place % HUES}"><span><i class="key">{letter_of(row.place)}</i>'
        f"{_text(fit.cut(row.answer, 104, 1, size=8.0))}</span><b>{_text(row.votes)}</b></li>"
        for row in rows
    ]
    if left := len(answers) - len(rows):
        lines.append(f"<li>{counted(left, 'more answer')}</li>")
    lines += [
        f'<li class="of-{row.place}"><span><i class="key">{letter_of(row.place)}</i>{_text(row.answer)}</span><b>{_text(row.votes)}</b></li>'
        for row in memo.tally
        if row.place < 0
    ]
    return f'<ul class="tally">{"".join(lines)}</ul>' if lines else ""


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


def _columns(columns: Sequence[Column], fit: _Fit) -> str:
    """The columns, with all lines that the other parts have left."""
    if not columns:
        return ""
    wide = (WIDE - 16 * (len(columns) - 1)) / len(columns)
    parts = [
        f"<section><h2>{_text(fit.cut(column.title, wide, 1, size=BOLD))}</h2>"
        f"{_points(column.points, fit, wide, fit.rows, column.total)[0] or '<p>Nothing is on record.</p>'}</section>"
        for column in columns
    ]
    return f'<div class="two">{"".join(parts)}</div>\n'


LEAST, SHORT = 2, 40
"""So many lines a point has at least, if it needs them; so many characters its names have about."""


def _points(points: Sequence[Point], fit: _Fit, wide: float, rows: int, total: int = 0) -> tuple[str, int]:
    """As many points as there are lines for, the first ones first, and their lines; what is left out is counted."""
    total, wide, points = max(total, len(points)), wide - 6, points[:rows]
    needs = [fit.lines(f"{point.command} {point.words} {point.tail[:SHORT]}", wide) for point in points]
    shown = len(points)
    while shown > 1 and _least(needs[:shown]) + (shown < total) > rows:
        shown -= 1
    free = rows - (shown < total) - shown // 4
    items: list[str] = []
    for n, point in enumerate(points[:shown]):
        lines = max(1, min(needs[n], free - sum(min(need, LEAST) for need in needs[n + 1 : shown])))
        items.append(_point(point, fit, wide, lines))
        free -= lines
    if shown < total:
        fit.missing = True
        items.append(f'<li class="tail">{total - shown} more {MORE}</li>')
    return f"<ul>{''.join(items)}</ul>" if items else "", rows - max(0, free)


def _least(needs: Sequence[int]) -> int:
    """The lines that points need at least, with the space between them."""
    return sum(min(need, LEAST) for need in needs) + len(needs) // 4


MOST_TAIL, SMALL = 0.6, '<span class="tail">{}</span>'
"""The part of a line that names may take behind a point, and how they look."""


def _point(point: Point, fit: _Fit, wide: float, lines: int) -> str:
    if point.command:
        words = fit.cut(point.words, wide, lines, tail=point.command)
        return f"<li><code>{_text(point.command)}</code> {_text(words)}</li>"
    tail = fit.cut(point.tail, wide * MOST_TAIL, 1)
    words = fit.cut(point.words, wide, lines, tail=tail)
    return f"<li>{_text(words)}{f' {SMALL.format(_text(tail))}' if tail else ''}</li>"


# ---- the parts below the columns take their lines first -------------------------------------------------------------


def _take(fit: _Fit, words: str, wide: float, rows: int, size: float = 9.0) -> str:
    """A text of at most so many lines, which are taken from those of the page."""
    text = fit.cut(words, wide, rows, size=size)
    fit.rows -= fit.lines(text, wide, size)
    return _text(text)


def _change(memo: Memo, fit: _Fit) -> str:
    if not memo.change:
        return ""
    rows = min(CHANGE, fit.rows - 2 * LEAST - 1)
    inner, used = _points(memo.change, fit, WIDE, rows)
    fit.rows -= used
    return f'<section class="part"><h2>{_text(memo.change_title)}</h2>{inner}</section>\n'


CHANGE, SURE, CARE, WHO, COST = 6, 5, 4, 3, 2
"""The most lines of the parts below the columns."""


def _sure(memo: Memo, fit: _Fit) -> str:
    if not memo.sure:
        return ""
    chart = _shares(memo.shares) if len(memo.shares) > 1 else ""
    before = fit.rows
    words = _take(fit, " ".join(memo.sure), WIDE - (196 if chart else 0), SURE)
    fit.rows = before - SURE if chart else fit.rows
    words = f"<section><h2>How sure is it?</h2><p>{words}</p></section>"
    return f'<div class="two">{words}{chart}</div>\n'


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


def _care(memo: Memo, fit: _Fit) -> str:
    if not memo.cautions:
        return ""
    text = _take(fit, " ".join(memo.cautions), WIDE - 20, CARE)
    return f'<section class="part care"><h2>Read with care</h2><p>{text}</p></section>\n'


def _last(memo: Memo, fit: _Fit) -> str:
    parts = (("Who", memo.who, WHO), ("Cost", memo.cost, COST))
    lines = [f"<p><b>{name}:</b> {_take(fit, words, WIDE - 40, rows)}</p>" for name, words, rows in parts if words]
    return f'<section class="last" aria-label="Who and cost">{"".join(lines)}</section>\n' if lines else ""


def _foot(memo: Memo, fit: _Fit) -> str:
    return _text(fit.cut(" · ".join(memo.small), WIDE * fit.scale, 3, size=7.0))
