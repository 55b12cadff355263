"""The argument map as a tree, as JSON data and as a Mermaid flowchart, with any text escaped for Mermaid.

Written for Mermaid 11 as embedded by GitHub and GitLab: https://mermaid.js.org/syntax/flowchart.html
"""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from folkmoot.arguments.argument_map import ArgumentMap, Edge, Judgement, Node, Relation, Standing
from folkmoot.core.text import clean, shorten

SEMANTICS: Mapping[str, str] = {
    "standing": "grounded extension on attacks and rebuttals (Dung 1995)",
    "strength": "quadratic energy model, base score 0.5 (Potyka 2018)",
}
"""What standing and strength are computed by."""

SIGNS: Mapping[Relation, str] = {"SUPPORT": "+", "ATTACK": "−", "REBUT": "≠", "QUESTION": "?", "ANSWER": "→"}
VERBS: Mapping[Relation, str] = {
    "SUPPORT": "supports",
    "ATTACK": "attacks",
    "REBUT": "rebuts",
    "QUESTION": "asks about",
    "ANSWER": "answers",
}
_STANDINGS: Mapping[Standing, str] = {
    "in": "✓ accepted",
    "out": "✗ rejected",
    "undecided": "~ undecided",
    "question": "? question",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A claim in the tree: its depth, and what it does to others, to its parent first; a root may do nothing."""

    node: Node
    depth: int = 0
    links: tuple[Edge, ...] = ()


def claim_trees(argument_map: ArgumentMap) -> tuple[Branch, ...]:
    """The map as trees, each parent before its children, all in the order in which they were made.

    A claim hangs on the first that it answers, unless that one hangs on it.
    """
    parents: dict[str, Edge] = {}
    for edge in argument_map.edges:
        if edge.source not in parents and not _descends_from(edge.target, edge.source, parents):
            parents[edge.source] = edge
    links: dict[str, list[Edge]] = {}
    for edge in argument_map.edges:
        links.setdefault(edge.source, []).append(edge)
    children: dict[str, list[Node]] = {}
    for node in argument_map.nodes:
        link = parents.get(node.mark)
        children.setdefault(link.target if link else "", []).append(node)
    branches: list[Branch] = []
    left = [(node, 0) for node in reversed(children.get("", []))]
    while left:
        node, depth = left.pop()
        # The edge to the parent comes first: sorting is stable.
        own = sorted(links.get(node.mark, ()), key=lambda edge: edge != parents.get(edge.source))
        branches.append(Branch(node=node, depth=depth, links=tuple(own)))
        left += [(child, depth + 1) for child in reversed(children.get(node.mark, []))]
    return tuple(branches)


def _descends_from(mark: str, on: str, parents: Mapping[str, Edge]) -> bool:
    """Whether a claim is that one, or hangs on it at some distance."""
    while mark != on and mark in parents:
        mark = parents[mark].target
    return mark == on


def acceptance_in_words(node: Node, judged: Judgement) -> str:
    """Whether a claim stands, as a sign and in words."""
    return f"↻ replaced by {node.replaced}" if node.replaced else _STANDINGS[judged.standing[node.mark]]


def as_data(argument_map: ArgumentMap, judged: Judgement) -> dict[str, object]:
    """The map and what follows from it as plain JSON data."""
    nodes = [
        {
            **asdict(node),
            "by": node.by,
            "stances": node.stances,
            "standing": judged.standing[node.mark],
            "strength": judged.strength.get(node.mark),
        }
        for node in argument_map.nodes
    ]
    unanswered = [asdict(edge) for edge in judged.unanswered]
    return {
        "semantics": {**SEMANTICS, "settled": judged.settled},
        "nodes": nodes,
        "edges": [asdict(edge) for edge in argument_map.edges],
        "unanswered": unanswered,
    }


_LONGEST = 160
"""The most characters of a claim in a box."""

# A solid line backs or answers, a thick one attacks, a dotted one rebuts or asks; a cross ends what speaks against.
_LINES: Mapping[Relation, str] = {
    "SUPPORT": "-->",
    "ATTACK": "==x",
    "REBUT": "-.-x",
    "QUESTION": "-.->",
    "ANSWER": "-->",
}

# Lines alone tell the standings apart, so that the boxes fit a light and a dark page.
_STYLES = (
    "classDef in stroke-width:2px",
    "classDef out stroke-dasharray:6 4",
    "classDef undecided stroke-dasharray:2 3",
    "classDef replaced stroke-dasharray:6 4,stroke-width:1px",
    "classDef question stroke-width:1px",
)

_ODD = re.compile(r"[^\w\s,.?!'()%/-]|[_/-]|(?<!\d)\.(?=\S)|\.(?=[^\s\d])")
_ITEM = re.compile(r"^(\d+)([.)])")


def mermaid(argument_map: ArgumentMap, judged: Judgement) -> str:
    """The map as a flowchart, from right to left: each claim points at the one that it answers."""
    lines = ["flowchart RL"]
    lines += [_box(node, judged) for node in argument_map.nodes]
    lines += [_mermaid_edge(edge) for edge in argument_map.edges]
    lines += [f"    {style}" for style in _STYLES]
    return "\n".join(lines) + "\n"


def escape_mermaid(text: str) -> str:
    """A text escaped for quotation marks in a flowchart.

    Whatever Mermaid, Markdown or HTML could take for markup stands as the number of its character.
    """
    words = " ".join(clean(text).split())
    words = words.replace("$$", "$ $").replace("$$", "$ $")  # between two of them Mermaid sets mathematics
    return _ITEM.sub(lambda item: f"{item[1]}{_code(item[2])}", _ODD.sub(lambda odd: _code(odd[0]), words))


def _code(sign: str) -> str:
    return f"#{ord(sign)};"


def _box(node: Node, judged: Judgement) -> str:
    claim = shorten(node.claim, _LONGEST)
    strength = f" {judged.strength[node.mark]:.2f}" if node.mark in judged.strength else ""
    rows = (
        f"{node.mark} {escape_mermaid(', '.join(node.by))}",
        escape_mermaid(claim),
        escape_mermaid(f"{acceptance_in_words(node, judged)}{strength}"),
    )
    return f'    {node.mark}["{"<br/>".join(rows)}"]:::{judged.standing[node.mark]}'


def _mermaid_edge(edge: Edge) -> str:
    label = escape_mermaid(f"{SIGNS[edge.relation]} {VERBS[edge.relation]}")
    return f'    {edge.source} {_LINES[edge.relation]}|"{label}"| {edge.target}'
