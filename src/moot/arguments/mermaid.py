"""An argument map as a Mermaid flowchart. This file owns how any text becomes safe in it.

Written for Mermaid 11 and what GitHub, GitLab and others embed of it: https://mermaid.js.org/syntax/flowchart.html
"""

import re
from collections.abc import Mapping

from moot.arguments.argument_map import ArgumentMap, Edge, Judgement, Node, Relation
from moot.arguments.tree import SIGNS, VERBS, standing
from moot.core.text import clean

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


def mermaid(found: ArgumentMap, judged: Judgement) -> str:
    """The map as a flowchart, from right to left: each claim points at the one that it answers."""
    lines = ["flowchart RL"]
    lines += [_box(node, judged) for node in found.nodes]
    lines += [_arrow(edge) for edge in found.edges]
    lines += [f"    {style}" for style in _STYLES]
    return "\n".join(lines) + "\n"


def safe(text: str) -> str:
    """A text as it may stand between quotation marks in a flowchart.

    Whatever Mermaid, Markdown or HTML could take for markup stands as the number of its character.
    """
    words = " ".join(clean(text).split())
    words = words.replace("$$", "$ $").replace("$$", "$ $")  # between two of them Mermaid sets mathematics
    return _ITEM.sub(lambda item: f"{item[1]}{_code(item[2])}", _ODD.sub(lambda odd: _code(odd[0]), words))


def _code(sign: str) -> str:
    return f"#{ord(sign)};"


def _box(node: Node, judged: Judgement) -> str:
    claim = node.claim if len(node.claim) <= _LONGEST else node.claim[: _LONGEST - 1].rstrip() + "…"
    strength = f" {judged.strength[node.mark]:.2f}" if node.mark in judged.strength else ""
    rows = (f"{node.mark} {safe(', '.join(node.by))}", safe(claim), safe(f"{standing(node, judged)}{strength}"))
    return f'    {node.mark}["{"<br/>".join(rows)}"]:::{judged.standing[node.mark]}'


def _arrow(edge: Edge) -> str:
    label = safe(f"{SIGNS[edge.relation]} {VERBS[edge.relation]}")
    return f'    {edge.source} {_LINES[edge.relation]}|"{label}"| {edge.target}'
