"""The scoreboard as one HTML page: no script, no network, light and dark; each plot has a table of its numbers."""

from collections.abc import Mapping
from typing import Final
from xml.etree.ElementTree import Element

from folkmoot.app.results.elements import element, table, write
from folkmoot.app.results.score_plots import Plot, plots
from folkmoot.app.results.score_tables import Table, facts, growth_table, heading, question_table, tables, verdicts
from folkmoot.app.results.scoreboard import Scoreboard

STYLE: Final = """
:root, :host { color-scheme: light dark; --ink: light-dark(#14181c, #eef1f3); --soft: light-dark(#454d55, #bcc4cb);
  --paper: light-dark(#fff, #171c21); --card: light-dark(#eaedea, #20272d); --edge: light-dark(#d8dcd8, #3a444c);
  --c0: light-dark(#1d55b0, #6aa5ff); --c1: light-dark(#bf5208, #ff9a52); --c2: light-dark(#0e7a6c, #58d8bd);
  --c3: light-dark(#93297f, #e39be6); --c4: light-dark(#8a6100, #e6bd5c); --c5: light-dark(#6a6a75, #a3a3b0);
  --s0: light-dark(#fff, #171c21); --s1: light-dark(#dbe7f5, #1d2f45); --s2: light-dark(#b4cfec, #20446b);
  --s3: light-dark(#86b1df, #225a93); --s4: light-dark(#6a9dd4, #266cb3); --margin: light-dark(#e9e4cf, #3a3725);
  --fade: light-dark(#0004, #fff3) }
:host { color-scheme: inherit; display: block; padding: 1rem; color: var(--ink); background: var(--paper) }
.board { font: 15px/1.5 -apple-system, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper) }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem } h2 { font-size: 1.15rem; margin: 2.2rem 0 .5rem }
.verdict { font: 700 1.6rem/1.25 Charter, "Liberation Serif", Georgia, serif; margin: .75rem 0; padding: .9rem 1.1rem;
  background: var(--card); border-left: 4px solid var(--c0); text-wrap: balance }
.verdict::first-letter { text-transform: uppercase }
.verdict small { display: block; font: .9375rem/1.5 -apple-system, "Segoe UI", Arial, "Liberation Sans", sans-serif;
  color: var(--soft); margin-top: .35rem }
.soft, figcaption, .note { color: var(--soft) } figure { margin: 2.2rem 0 } figcaption { margin: .25rem 0 .5rem }
.wide { container-type: inline-size; overflow-x: auto;
  background: linear-gradient(90deg, var(--paper) 50%, transparent) 0 0 / 3rem 100% local,
  linear-gradient(270deg, var(--paper) 50%, transparent) 100% 0 / 3rem 100% local,
  linear-gradient(90deg, var(--fade), transparent) 0 0 / .8rem 100%,
  linear-gradient(270deg, var(--fade), transparent) 100% 0 / .8rem 100%; background-repeat: no-repeat }
@media (max-width: 43.9rem) { .plot::before { content: "Scroll sideways to see the whole plot →"; position: sticky;
  left: 0; display: block; width: max-content; font-size: .85rem; color: var(--soft) } }
svg { width: 100%; height: auto; min-width: 38rem; max-width: 62rem }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; margin: .4rem 0 }
caption { text-align: left; color: var(--soft); padding-bottom: .25rem }
caption span { display: block; position: sticky; left: 0; width: max-content; max-width: 100cqi }
th, td { border-bottom: 1px solid var(--edge); padding: .25rem .6rem; text-align: right; white-space: nowrap }
th:first-child { text-align: left } thead th { border-bottom: 2px solid var(--edge) } summary { cursor: pointer }
svg text { font: 13px -apple-system, "Segoe UI", Arial, "Liberation Sans", sans-serif; fill: var(--ink) }
svg text:not(.count) { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; stroke-linejoin: round }
.axis, .middle, .count { text-anchor: middle } .end { text-anchor: end } .tick { fill: var(--soft) }
.grid { stroke: var(--edge); stroke-width: 1 } .span { stroke-width: 2.5 } .mark { stroke-width: 2 }
.line { fill: none; stroke-width: 2 } .dashed { stroke-dasharray: 5 4 } .band { opacity: .18; stroke: none }
.c0 { stroke: var(--c0); fill: var(--c0) } .c1 { stroke: var(--c1); fill: var(--c1) }
.c2 { stroke: var(--c2); fill: var(--c2) } .c3 { stroke: var(--c3); fill: var(--c3) }
.c4 { stroke: var(--c4); fill: var(--c4) } .c5 { stroke: var(--c5); fill: var(--c5) } svg .line { fill: none }
.margin { fill: var(--margin) } .up { fill: var(--c2) } .down { fill: var(--c1) } .even { fill: var(--c5) }
.cell { stroke: var(--edge) } .s0 { fill: var(--s0) } .s1 { fill: var(--s1) } .s2 { fill: var(--s2) }
.s3 { fill: var(--s3) } .s4 { fill: var(--s4) }
@media print { body { max-width: none; padding: 0 } .wide { overflow: visible; background: none }
  .plot::before { content: none } svg { min-width: 0 }
  figure, tr { break-inside: avoid } h2 { break-after: avoid } table { font-size: .75rem }
  details::details-content { content-visibility: visible; block-size: auto } }
"""
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


def page(board: Scoreboard) -> str:
    """The scoreboard as a whole HTML page."""
    numbers = {item.key: item for item in (*tables(board), question_table(board), growth_table(board))}
    drawn = plots(board)
    content = element(
        "div",
        element("h1", f"Does the debate pay? {board.name}"),
        element("p", heading(board), class_="soft"),
        *(_verdict(sentence) for sentence in verdicts(board)),
        *_first_tables(numbers),
        element("ul", *(element("li", fact) for fact in facts(board)), class_="soft"),
        *_notes(board),
        *(_plot_figure(plot, numbers) for plot in drawn),
        *_other_tables(numbers, drawn),
        class_="board",
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", f"{board.name}: does the debate pay?"),
        element("style", STYLE),
    )
    return f"<!doctype html>\n{write(element('html', head, element('body', element('main', content)), lang='en'))}\n"


def _verdict(sentence: str) -> Element:
    """A verdict as a headline: its words large, the differences below them."""
    words, _, figures = sentence.partition(" (")
    parts = [words, *([element("small", figures.removesuffix(")"))] if figures else [])]
    return element("p", *parts, class_="verdict")


def _first_tables(numbers: Mapping[str, Table]) -> list[Element]:
    return [_table(numbers[key]) for key in ("arms", "pairs") if key in numbers]


def _notes(board: Scoreboard) -> list[Element]:
    if not board.notes:
        return []
    return [element("h2", "What to know"), element("ul", *(element("li", note) for note in board.notes))]


def _table(item: Table) -> Element:
    parts = [table(item.heads, item.rows, caption=item.title)]
    note = [element("p", item.note, class_="note")] if item.note else []
    return element("div", *parts, *note, class_="wide", tabindex="0", role="region", aria_label=item.title)


def _plot_figure(plot: Plot, numbers: Mapping[str, Table]) -> Element:
    """A plot with its words, and its numbers in tables that open."""
    tables_of = [_table(numbers[key]) for key in plot.tables if key in numbers and numbers[key].rows]
    details = [element("details", element("summary", f"Numbers: {plot.title}"), *tables_of)] if tables_of else []
    caption = element("figcaption", plot.words)
    picture = element("div", plot.picture, class_="wide plot", tabindex="0", role="region", aria_label=plot.title)
    return element("figure", element("h2", plot.title), caption, picture, *details, id=plot.key)


def _other_tables(numbers: Mapping[str, Table], drawn: list[Plot]) -> list[Element]:
    """The tables that belong to no plot."""
    shown = {"arms", "pairs", *(key for plot in drawn for key in plot.tables)}
    rest = [item for key, item in numbers.items() if key not in shown and item.rows]
    return [element("section", element("h2", item.title), _table(item)) for item in rest]
