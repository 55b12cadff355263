"""The argument map as an outline in HTML: each claim below the one that it answers, indented.

It needs no scripts and no pictures, so that a page in a file shows the map, and paper does too.
"""

import html

from folkmoot.arguments.argument_map import ArgumentMap, Edge, Judgement
from folkmoot.arguments.tree import SIGNS, VERBS, Branch, acceptance_in_words, claim_trees
from folkmoot.core.text import clean

DEEPEST = 8
"""So many levels are indented, for a long chain would leave the page."""

STYLE = """
.map { list-style: none; padding: 0; font-size: .9rem }
.map li { border-left: 3px solid #bbb; padding-left: .6rem; margin: .5rem 0; break-inside: avoid }
.map .out { border-left-style: dashed } .map .replaced { border-left-style: dotted } .map .in { border-left-color: #1c1c22 }
.map small { color: #454d55 }
"""
"""What a page needs to show it."""


def outline(argument_map: ArgumentMap, judged: Judgement) -> str:
    """The map as a list; what a claim does to others than the one above it stands behind its name."""
    branches = claim_trees(argument_map)
    shown = {branch.node.mark: branch.link for branch in branches}
    more: dict[str, list[Edge]] = {}
    for edge in argument_map.edges:
        if edge != shown[edge.source]:
            more.setdefault(edge.source, []).append(edge)
    items = [_item(branch, more.get(branch.node.mark, []), judged) for branch in branches]
    return f'<ul class="map">\n{"".join(items)}</ul>\n'


def _item(branch: Branch, more: list[Edge], judged: Judgement) -> str:
    node = branch.node
    links = [*([branch.link] if branch.link else []), *more]
    does = "".join(f" {SIGNS[edge.relation]} {VERBS[edge.relation]} {edge.target}" for edge in links)
    strength = f", strength {judged.strength[node.mark]:.2f}" if node.mark in judged.strength else ""
    stances = f", says {'; '.join(node.stances)}" if node.stances else ""
    indent = f"margin-left: {1.4 * min(branch.depth, DEEPEST):.1f}rem"
    return (
        f'<li class="{judged.standing[node.mark]}" style="{indent}">'
        f"<b>{node.mark} {_text(', '.join(node.by))}</b>{_text(does)}<br>{_text(node.claim)}<br>"
        f"<small>{_text(acceptance_in_words(node, judged) + strength + stances)}</small></li>\n"
    )


def _text(words: str) -> str:
    return html.escape(clean(words))
