"""The argument map as an SVG picture, with text measured and wrapped without a font.

The picture contains no scripts and no external references, is the same each time, and is readable on light and on dark
pages. Relations and standings differ in sign, word and line style as well as in colour.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from xml.sax.saxutils import escape

from folkmoot.arguments.argument_map import ArgumentMap, Edge, Judgement, Node, Relation
from folkmoot.arguments.tree import SEMANTICS, SIGNS, VERBS, Branch, acceptance_in_words, arrange, claim_trees
from folkmoot.core.text import bare, clean

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
_WIDTH: Mapping[str, int] = {text: width for width, group in _WIDTHS.items() for text in group}
_OTHER = 650
"""An unknown character's width: rather too wide than too narrow."""


def width(text: str, size: float) -> float:
    """How wide a text is, in the unit of the font's size."""
    return sum(map(_advance, text)) * size / 1000


def wrap(text: str, room: float, size: float, lines: int) -> tuple[str, ...]:
    """A text in lines of at most that width, broken between words; a longer word is broken where it must be.

    Args:
        text: the words.
        room: the width of a line.
        size: the font's size.
        lines: the most lines; what is left out is marked by an ellipsis.
    """
    rows, used = [""], 0
    for word in text.split():
        joined = f"{rows[-1]} {word}" if rows[-1] else word
        wide = (used + _advance(" ") if rows[-1] else 0) + sum(map(_advance, word))
        if wide * size / 1000 <= room:
            rows[-1], used = joined, wide
            continue
        rows += [""] if rows[-1] else []
        used = 0
        for item in word:
            if rows[-1] and (used + _advance(item)) * size / 1000 > room:
                rows.append("")
                used = 0
            rows[-1] += item
            used += _advance(item)
        if len(rows) > lines:
            break
    if len(rows) > lines:
        return (*rows[: lines - 1], _cut_to_width(rows[lines - 1], room, size))
    return tuple(rows)


def _cut_to_width(row: str, room: float, size: float) -> str:
    while row and width(row + "…", size) > room:
        row = row.rpartition(" ")[0] or row[:-1]
    return row + "…"


@lru_cache(maxsize=10_000)
def _advance(text: str) -> int:
    if text in _WIDTH:
        return _WIDTH[text]
    if unicodedata.category(text) in ("Mn", "Me") or not bare(text):
        return 0
    if unicodedata.east_asian_width(text) in "WF":
        return 1000
    return _WIDTH.get(unicodedata.normalize("NFKD", text)[0], _OTHER)


_CARD, _PAD, _COLUMN, _GAP, _EDGE, _BEND, _LEAST = 268.0, 12.0, 396.0, 18.0, 24.0, 30.0, 712.0
"""Pixels: a card's width, its inner margin, from column to column, between cards, around the picture, how far the thin
lines reach out, the least width of a picture."""

_BIG, _BODY, _SMALL, _ROW, _ROWS = 18.0, 13.0, 11.0, 17.0, 7
"""Pixels: the sizes of the letters, the height of a line; and the most lines of a claim."""

_LIGHT = "--p:#ffffff;--t:#1f2328;--f:#59636e;--c:#f6f8fa;--s:#1a7f37;--a:#cf222e;--r:#8a4600;--q:#0969da"
_DARK = "--p:#0d1117;--t:#f0f6fc;--f:#9198a1;--c:#151b23;--s:#3fb950;--a:#f85149;--r:#e3a008;--q:#4493f8"
_RULES = """text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;fill:var(--t)}
.page{fill:var(--p)}
.card{fill:var(--c);stroke:var(--f)}
.in{stroke:var(--t);stroke-width:2}
.out{stroke-dasharray:7 4}
.undecided{stroke-dasharray:2 3}
.replaced{stroke-dasharray:7 4;stroke-width:.75}
.faint{fill:var(--f)}
.line{fill:none;stroke-width:2}
.cross{stroke-width:1}
.to-support{stroke:var(--s)}
.to-attack{stroke:var(--a)}
.to-rebut{stroke:var(--r);stroke-dasharray:8 4}
.to-question{stroke:var(--q);stroke-dasharray:2 4}
.to-answer{stroke:var(--f)}
.bar{fill:var(--f);opacity:.3}
.full{fill:var(--t)}"""
# Every rule is for this picture alone, so that it can stand within a page.
_OWN = "\n".join(f".folkmoot-map {rule}" for rule in _RULES.split("\n"))
_STYLE = f".folkmoot-map{{{_LIGHT}}}\n@media (prefers-color-scheme:dark){{.folkmoot-map{{{_DARK}}}}}\n{_OWN}"
_COLORS: Mapping[str, str] = {rule[:3]: rule[4:] for rule in _LIGHT.split(";")}
# Paper is white, and what makes a PDF knows no variables: it would fill everything with black.
_PAPER = re.sub(r"var\((--\w)\)", lambda match: _COLORS[match[1]], _OWN)
_TIPS: Mapping[Relation, str] = {
    "SUPPORT": "M1 1L9 5L1 9",
    "ATTACK": "M1 1L9 9M1 9L9 1",
    "REBUT": "M5 0V10M9 0V10",
    "QUESTION": "M1 5a4 4 0 1 0 8 0a4 4 0 1 0 -8 0",
    "ANSWER": "M1 1L9 5L1 9",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Card:
    """A claim on the picture: where its upper left corner is, and its lines."""

    node: Node
    x: float
    y: float
    height: float
    rows: tuple[str, ...]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def svg(argument_map: ArgumentMap, judged: Judgement, title: str, *, paper: bool = False) -> str:
    """The map as a picture: roots on the left, each claim to the right of the one that it answers.

    Args:
        argument_map: the map.
        judged: what follows from it.
        title: what was debated.
        paper: whether it is printed, always in the light colours; else it follows the colours of the page.
    """
    branches = claim_trees(argument_map)
    cards, bottom = _place(branches, _head(title))
    cross = [edge for edge in argument_map.edges if edge not in [branch.link for branch in branches]]
    wide = max([_LEAST, *(card.x + _CARD + _EDGE + (_BEND if cross else 0) for card in cards.values())])
    body = [
        *_text(_EDGE, _EDGE + _BIG, _BIG, wrap(_plain(title), _LEAST - 2 * _EDGE, _BIG, 3), "bold"),
        *(_extra_line(edge, cards) for edge in cross),
        *_branch_lines(branches, cards),
        *(_draw(card, judged) for card in cards.values()),
        *_legend_lines(argument_map, bottom, judged),
    ]
    high = bottom + _EDGE + _ROW * (len(_legend(argument_map)) + 3)
    size = f'width="{wide:.0f}" height="{high:.0f}" viewBox="0 0 {wide:.0f} {high:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} class="folkmoot-map" role="img">',
        f"<title>{_escape(f'Argument map: {title}')}</title>",
        f"<style>{_PAPER if paper else _STYLE}</style>",
        f"<defs>{''.join(_tip(relation) for relation in _legend(argument_map))}</defs>",
        f'<rect class="page" width="{wide:.0f}" height="{high:.0f}"/>',
        *body,
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(branches: Sequence[Branch], top: float) -> tuple[dict[str, _Card], float]:
    """The cards, and where the lowest ends."""
    rows = {branch.node.mark: wrap(_plain(branch.node.claim), _CARD - 2 * _PAD, _BODY, _ROWS) for branch in branches}
    heights = {mark: 2 * _PAD + _ROW * (len(lines) + 3) + 2 for mark, lines in rows.items()}
    tops = arrange(branches, heights, _GAP)
    cards = {
        branch.node.mark: _Card(
            node=branch.node,
            x=_EDGE + branch.depth * _COLUMN,
            y=top + tops[branch.node.mark],
            height=heights[branch.node.mark],
            rows=rows[branch.node.mark],
        )
        for branch in branches
    }
    return cards, max((card.y + card.height for card in cards.values()), default=top)


def _head(title: str) -> float:
    return 2 * _EDGE + (_BIG + 6) * len(wrap(_plain(title), _LEAST - 2 * _EDGE, _BIG, 3))


def _draw(card: _Card, judged: Judgement) -> str:
    node, x = card.node, card.x + _PAD
    state = judged.standing[node.mark]
    by = ", ".join(node.by)
    sentence = f"{node.mark} {by}: {node.claim}"
    heading = wrap(f"{node.mark}  {_plain(by)}", _CARD - 2 * _PAD, _BODY, 1)
    stances = f" · says {_plain('; '.join(node.stances))}" if node.stances else ""
    round = f"round {node.made[0].round}" if node.made[0].round else node.made[0].act
    under = wrap(f"{round}{stances}", _CARD - 2 * _PAD, _SMALL, 1)
    last = card.y + card.height - _PAD
    corner = 18 if state == "question" else 5
    return "\n".join(
        [
            f"<g><title>{_escape(sentence)}</title>",
            f'<rect class="card {state}" x="{card.x:.1f}" y="{card.y:.1f}" width="{_CARD:.0f}" '
            f'height="{card.height:.1f}" rx="{corner}"/>',
            *_text(x, card.y + _PAD + 10, _BODY, heading, "bold"),
            *_text(x, card.y + _PAD + 10 + _ROW, _SMALL, under, "faint"),
            *_text(x, card.y + _PAD + 13 + 2 * _ROW, _BODY, card.rows, "faint" if node.replaced else ""),
            *_text(x, last, _SMALL, (acceptance_in_words(node, judged),), "bold"),
            *_strength_bar(card, judged.strength.get(node.mark), last),
            "</g>",
        ]
    )


def _strength_bar(card: _Card, strength: float | None, at: float) -> list[str]:
    """The strength as a number and as a bar."""
    if strength is None:
        return []
    right, long = card.x + _CARD - _PAD, 56.0
    return [
        *_text(right - long - 30, at, _SMALL, (f"{strength:.2f}",), ""),
        f'<rect class="bar" x="{right - long:.1f}" y="{at - 7:.1f}" width="{long:.0f}" height="6" rx="3"/>',
        f'<rect class="full" x="{right - long:.1f}" y="{at - 7:.1f}" width="{long * strength:.1f}" height="6" rx="3"/>',
    ]


def _branch_lines(branches: Sequence[Branch], cards: Mapping[str, _Card]) -> list[str]:
    """The lines from the claims to those that they hang on; they arrive side by side, in the order of the cards."""
    links = [branch.link for branch in branches if branch.link]
    onto = Counter(link.target for link in links)
    come: Counter[str] = Counter()
    lines: list[str] = []
    for link in links:
        come[link.target] += 1
        card = cards[link.target]
        lines.append(_arc(link, cards, card.y + card.height * come[link.target] / (onto[link.target] + 1)))
    return lines


def _arc(edge: Edge, cards: Mapping[str, _Card], up: float) -> str:
    """The line from a claim to that height of the one that it hangs on, with its sign and word."""
    x, y, left = cards[edge.source].x, cards[edge.source].middle, cards[edge.target].x + _CARD + 8
    label = f"{SIGNS[edge.relation]} {VERBS[edge.relation]}"
    path = f"M{x:.1f} {y:.1f}H{x - 84:.1f}C{x - 108:.1f} {y:.1f} {left + 24:.1f} {up:.1f} {left:.1f} {up:.1f}"
    return f"{_line(edge, path)}\n{_label(x - 46, y, label)}"


def _extra_line(edge: Edge, cards: Mapping[str, _Card]) -> str:
    """A thin line from a claim to another one that it answers too."""
    source, target = cards[edge.source], cards[edge.target]
    x, y, up = source.x + _CARD, source.y + 14, target.y + 14
    far = max(x, target.x + _CARD) + _BEND + 6
    end = target.x + _CARD + 8
    path = f"M{x:.1f} {y:.1f}C{far:.1f} {y:.1f} {far:.1f} {up:.1f} {end:.1f} {up:.1f}"
    return f"{_line(edge, path, ' cross')}\n{_label(x + 16, y, SIGNS[edge.relation])}"


def _line(edge: Edge, path: str, more: str = "") -> str:
    name = edge.relation.lower()
    return f'<path class="line to-{name}{more}" d="{path}" marker-end="url(#to-{name})"/>'


def _label(x: float, y: float, words: str) -> str:
    long = width(words, _SMALL) + 8
    return (
        f'<rect class="page" x="{x - long / 2:.1f}" y="{y - 8:.1f}" width="{long:.1f}" height="16" rx="3"/>'
        f'<text x="{x:.1f}" y="{y + 4:.1f}" font-size="{_SMALL:.0f}" text-anchor="middle">{_escape(words)}</text>'
    )


def _tip(relation: Relation) -> str:
    name = relation.lower()
    return (
        f'<marker id="to-{name}" viewBox="-1 -1 12 12" refX="5" refY="5" markerWidth="12" markerHeight="12" '
        f'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path class="line to-{name}" style="stroke-dasharray:none" d="{_TIPS[relation]}"/></marker>'
    )


def _legend(argument_map: ArgumentMap) -> list[Relation]:
    """The relations that there are."""
    return [relation for relation in SIGNS if any(edge.relation == relation for edge in argument_map.edges)]


def _legend_lines(argument_map: ArgumentMap, top: float, judged: Judgement) -> list[str]:
    """What the lines and the numbers mean."""
    parts: list[str] = []
    y = top + _EDGE + 8
    for relation in _legend(argument_map):
        name, label = relation.lower(), f"{SIGNS[relation]} {VERBS[relation]}"
        path = f"M{_EDGE + 48:.1f} {y - 4:.1f}H{_EDGE + 8:.1f}"
        parts.append(f'<path class="line to-{name}" d="{path}" marker-end="url(#to-{name})"/>')
        parts += _text(_EDGE + 60, y, _SMALL, (label,), "")
        y += _ROW
    settled = "" if judged.settled else "; not settled"
    legend = (f"Stands: {SEMANTICS['standing']}.", f"Number: strength, 0 to 1; {SEMANTICS['strength']}{settled}.")
    return [*parts, *_text(_EDGE, y, _SMALL, legend, "faint")]


def _text(x: float, y: float, size: float, rows: Sequence[str], style: str) -> list[str]:
    weight = ' font-weight="bold"' if style == "bold" else f' class="{style}"' if style else ""
    step = _ROW if size < _BIG else _BIG + 6
    return [
        f'<text x="{x:.1f}" y="{y + n * step:.1f}" font-size="{size:.0f}"{weight}>{_escape(row)}</text>'
        for n, row in enumerate(rows)
    ]


def _plain(text: str) -> str:
    """The words without what could hide or turn them, and without what no XML can hold."""
    return " ".join(clean(text).split())


def _escape(text: str) -> str:
    return escape(_plain(text), {'"': "&quot;"})
