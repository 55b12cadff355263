"""The argument map in Markdown. This file owns the chapter: the chart, which claims stand, what was not answered."""

from collections.abc import Iterable, Mapping, Sequence

from moot.arguments.argument_map import AGAINST, ArgumentMap, Edge, Judgement, Node, Standing
from moot.arguments.mermaid import mermaid
from moot.arguments.tree import VERBS
from moot.core.text import listed
from moot.report.markdown_text import inline
from moot.report.pieces import LONG, bullets

MOST_TEXT, MOST_EDGES = 45_000, 450
"""Mermaid draws no chart of more than 50,000 characters or 500 edges."""

ABOUT = (
    "*A claim stands where whatever attacks it does not stand (the grounded extension of Dung 1995; attacks and "
    "rebuttals count). Its strength, from 0 to 1, counts support too; 0.5 is that of a claim left alone (the "
    "quadratic energy model of Potyka 2018). Neither says what is true: only which claims were left unanswered.*"
)

_GROUPS: Mapping[Standing, str] = {
    "in": "Claims that stand",
    "undecided": "Claims left undecided: they attack each other",
    "out": "Claims that do not stand",
    "replaced": "Claims replaced by their authors",
    "question": "Questions",
}


def chapter(found: ArgumentMap, judged: Judgement) -> list[str]:
    """The chapter of a report, as blocks; none where there is too little to draw."""
    return ["## Argument map", *whole(found, judged)] if found.tells else []


def whole(found: ArgumentMap, judged: Judgement) -> list[str]:
    """The flowchart and what follows from it, as blocks."""
    if not found.nodes:
        return ["Nobody made a claim."]
    return [_chart(found, judged), ABOUT, *_settled(judged), *_groups(found, judged), *_unanswered(found, judged)]


def _chart(found: ArgumentMap, judged: Judgement) -> str:
    text = mermaid(found, judged)
    if len(text) > MOST_TEXT or len(found.edges) > MOST_EDGES:
        many = f"{len(found.nodes)} claims with {len(found.edges)} links"
        return f"The map is too large for a chart here ({many}); the file that ends in `.tree.svg` shows it."
    return f"```mermaid\n{text}```"


def _settled(judged: Judgement) -> list[str]:
    return [] if judged.settled else ["> **Note:** The strengths have not settled: these are their last values."]


def _groups(found: ArgumentMap, judged: Judgement) -> Iterable[str]:
    for standing, title in _GROUPS.items():
        nodes = [node for node in found.nodes if judged.standing[node.mark] == standing]
        nodes.sort(key=lambda node: -judged.strength.get(node.mark, 0.0))
        if nodes:
            yield f"**{title}**\n\n{bullets(_line(node, found, judged) for node in nodes)}"


def _line(node: Node, found: ArgumentMap, judged: Judgement) -> str:
    strength = f", strength {judged.strength[node.mark]:.2f}" if node.mark in judged.strength else ""
    return f"{_named(node)}{strength}: {inline(node.claim, LONG)}{_why(node, found, judged)}"


def _why(node: Node, found: ArgumentMap, judged: Judgement) -> str:
    """What keeps a claim from standing."""
    if node.replaced:
        return f" *(replaced by {node.replaced})*"
    if judged.standing[node.mark] != "out":
        return ""
    against = [edge for edge in found.edges if edge.target == node.mark and edge.relation in AGAINST]
    marks = [edge.source for edge in against if judged.standing[edge.source] == "in"]
    return f" *(against it: {listed(list(dict.fromkeys(marks)))})*"


def _unanswered(found: ArgumentMap, judged: Judgement) -> Iterable[str]:
    attacks = [edge for edge in judged.unanswered if edge.relation in AGAINST]
    questions = [edge for edge in judged.unanswered if edge.relation not in AGAINST]
    for title, edges in (("Unanswered attacks", attacks), ("Unanswered questions", questions)):
        if edges:
            yield f"**{title}**\n\n{bullets(_open(edges, found))}"


def _open(edges: Sequence[Edge], found: ArgumentMap) -> Iterable[str]:
    for edge in edges:
        source, target = found.node(edge.source), found.node(edge.target)
        yield f"{_named(source)} {VERBS[edge.relation]} {_named(target)}: {inline(source.claim, LONG)}"


def _named(node: Node) -> str:
    return f"{node.mark} ({listed([inline(name) for name in node.by])})"
