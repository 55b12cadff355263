"""The argument map in two formats that other tools read: Argdown, and the Argument Interchange Format (AIF) as JSON.

Argdown has statements with supports and attacks: https://argdown.org/syntax/. In AIF claims are I-nodes, and what one
does to another is a node too: RA for a support, CA for an attack. An attack that denies that reasons bear a claim is
aimed at these RA-nodes. Who said what are L-nodes, joined to the claims by YA-nodes, and TA-nodes join what is asked
and answered: the JSON of AIFdb.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import pairwise

from folkmoot.arguments.argument_map import AGAINST, ArgumentMap, Edge, Judgement, Node
from folkmoot.core.text import clean

_ARGDOWN = frozenset("\\[]<>{}()*_#@`/:;|+-=~")
"""The signs that mean something in Argdown; each may stand behind a backslash."""


def argdown(argument_map: ArgumentMap, judged: Judgement, title: str) -> str:
    """The map as Argdown: a statement for each claim, and below it what supports or attacks it.

    Args:
        argument_map: the map.
        judged: what follows from it; it is told as data of each statement.
        title: what is debated.
    """
    head = f"===\ntitle: {json.dumps(_line(title), ensure_ascii=False)}\n==="
    statements = ["\n".join(_statement(node, argument_map, judged)) for node in argument_map.nodes]
    return "\n\n".join([head, *(statements or ["# Nobody made a claim"])]) + "\n"  # a head alone is no Argdown


def _statement(node: Node, argument_map: ArgumentMap, judged: Judgement) -> Iterator[str]:
    data: dict[str, object] = {"by": list(node.by), "standing": judged.standing.get(node.mark, "")}
    if node.mark in judged.strength:
        data["strength"] = round(judged.strength[node.mark], 3)
    plain = json.dumps(data, ensure_ascii=False).replace("}", "").replace("{", "")
    yield f"[{node.mark}]: {_escaped(node.claim)} {{{plain}}}"
    for edge in argument_map.edges:
        if edge.target != node.mark:
            continue
        if edge.relation == "SUPPORT":
            yield f"  + [{edge.source}]"
        elif edge.relation in AGAINST:
            yield f"  - [{edge.source}]"
        else:
            yield f"  // {edge.source} {'asks about' if edge.relation == 'QUESTION' else 'answers'} {edge.target}"


def _line(text: str) -> str:
    return " ".join(clean(text).split())


def _escaped(text: str) -> str:
    """A text on one line in which no sign means anything."""
    return "".join(f"\\{sign}" if sign in _ARGDOWN else sign for sign in _line(text))


# ---- AIF -----------------------------------------------------------------------------------------------------------


class _Graph:
    """The nodes and edges of an AIF graph, numbered as they come."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, str]] = []
        self.edges: list[dict[str, str | None]] = []

    def node(self, text: str, kind: str) -> str:
        """Add a node; its id."""
        id = f"n{len(self.nodes) + 1}"
        self.nodes.append({"nodeID": id, "text": text, "type": kind})
        return id

    def chain(self, *ids: str) -> None:
        """Add edges from each node to the next."""
        for source, target in pairwise(ids):
            id = f"e{len(self.edges) + 1}"
            self.edges.append({"edgeID": id, "fromID": source, "toID": target, "formEdgeID": None})


def aif(argument_map: ArgumentMap) -> str:
    """The map as AIF in JSON."""
    graph = _Graph()
    claims = {node.mark: graph.node(_line(node.claim), "I") for node in argument_map.nodes}
    people = list(dict.fromkeys(turn.by for node in argument_map.nodes for turn in node.made))
    spoken: dict[str, str] = {}
    locutions: list[dict[str, str]] = []
    for node in argument_map.nodes:
        for turn in node.made:
            locution = graph.node(f"{turn.by} : {_line(node.claim)}", "L")
            kind = "Pure Questioning" if turn.act == "question" else "Asserting"
            graph.chain(locution, graph.node(kind, "YA"), claims[node.mark])
            spoken.setdefault(node.mark, locution)
            locutions.append({"nodeID": locution, "personID": str(people.index(turn.by) + 1)})
    _relate(graph, argument_map, claims, spoken)
    participants = [
        {"participantID": str(n), "firstname": name, "surname": ""} for n, name in enumerate(people, start=1)
    ]
    data = {"nodes": graph.nodes, "edges": graph.edges, "locutions": locutions, "participants": participants}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _relate(graph: _Graph, argument_map: ArgumentMap, claims: Mapping[str, str], spoken: Mapping[str, str]) -> None:
    """Add what the claims do to each other; supports first, because an attack may aim at one."""
    inferences: dict[str, list[str]] = {}
    for edge in argument_map.edges:
        if edge.relation == "SUPPORT":
            id = graph.node("Default Inference", "RA")
            graph.chain(claims[edge.source], id, claims[edge.target])
            inferences.setdefault(edge.target, []).append(id)
    for edge in argument_map.edges:
        if edge.relation in AGAINST:
            targets = _attack_targets(edge, inferences) or [claims[edge.target]]
            for target in targets:
                graph.chain(claims[edge.source], graph.node("Default Conflict", "CA"), target)
        elif edge.relation != "SUPPORT":
            graph.chain(spoken[edge.target], graph.node("Default Transition", "TA"), spoken[edge.source])


def _attack_targets(edge: Edge, inferences: Mapping[str, list[str]]) -> list[str]:
    """What an attack is aimed at, where it is not the claim itself: with REBUT the reasons for it."""
    return inferences.get(edge.target, []) if edge.relation == "REBUT" else []
