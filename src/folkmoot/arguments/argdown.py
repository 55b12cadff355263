"""The argument map as Argdown, statements with supports and attacks that other tools read: https://argdown.org/syntax/."""

import json
from collections.abc import Iterator

from folkmoot.arguments.argument_map import AGAINST, ArgumentMap, Judgement, Node
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
