"""A protocol as a Mermaid flowchart: which phase follows which, and the settings of each.

It reads a phase tree as data, as stored in ``Opened``. A field that is missing has its default, and defaults never
change: records rely on them. Written for Mermaid 11: https://mermaid.js.org/syntax/flowchart.html
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TypeAlias, cast

from folkmoot.arguments.tree import escape_mermaid

Tree: TypeAlias = Mapping[str, object]
"""A part of a protocol: ``{"is": "Rounds", "most": 3}``."""

End: TypeAlias = tuple[str, str]
"""Whence an arrow comes that leads to what follows: the id of a box, and what stands on the arrow."""

FIRST = "opened"
"""The id of the first box."""

LAST = "closed"
"""The id of the last box."""

_ROUNDS = 3
"""The default of ``phases.base.Rounds``."""

_TOPOLOGY = "all-to-all"
"""The default of ``policy.pairing.Pairs``."""

_NAMES = 6
"""So many of those who are asked are named in a box."""


def flowchart(tree: Tree, *, before: str = "the debate opens", after: str = "the debate closes") -> str:
    """The protocol from top to bottom: boxes ask or decide, diamonds say whether what hangs on them is played.

    Args:
        tree: the phase tree as data, or a part of it.
        before: what comes before it.
        after: the box at the end.
    """
    chart = _Chart()
    ends = chart.draw(tree, ((FIRST, ""),))
    chart.join(ends, LAST)
    boxes = (f'{FIRST}(["{escape_mermaid(before)}"])', *chart.boxes, f'{LAST}(["{escape_mermaid(after)}"])')
    return "\n".join(["flowchart TD", *(f"    {line}" for line in (*boxes, *chart.arrows))]) + "\n"


class _Chart:
    """Boxes and arrows in the making."""

    def __init__(self) -> None:
        self.boxes: list[str] = []
        self.arrows: list[str] = []

    def draw(self, tree: Tree, ends: Sequence[End]) -> Sequence[End]:
        """Draw a part after the given ends; returns its own ends, after which the next part is drawn."""
        inner = _parts(tree, "parts", "each")
        match tree.get("is"):
            case "Rounds":
                limit = tree.get("most", _ROUNDS)
                stops = [_kind_in_words(stop) for stop in _stops(tree.get("until"))]
                gate = self.box("rounds", f"at most {limit}", f"or until {' or '.join(stops)}" if stops else "", "{}")
                self.join(ends, gate)
                self.join(self._draw_all(inner, ((gate, "next round"),)), gate)
                return ((gate, "over"),)
            case "At":
                gate = self.box(_rounds_in_words(tree), "", "", "{}")
                self.join(ends, gate)
                return (*self._draw_all(inner, ((gate, "due"),)), (gate, "not due"))
            case "After":
                again = f"P{len(self.boxes) + 1}"
                done = self._draw_all(inner, ends)
                done = self._draw_all(_parts(tree, "then"), [(box, "turns") for box, _ in done])
                self.arrows += [f'{box} -.->|"further turns"| {again}' for box, _ in done]
                return done
            case _ if inner:
                return self._draw_all(inner, ends)
            case _:
                box = self.box(*_phase_box(tree), "[]")
                self.join(ends, box)
                return ((box, ""),)

    def _draw_all(self, parts: Sequence[Tree], ends: Sequence[End]) -> Sequence[End]:
        for part in parts:
            ends = self.draw(part, ends)
        return ends

    def box(self, title: str, second: str, third: str, shape: str) -> str:
        """A new box of up to three rows; its id."""
        name = f"P{len(self.boxes) + 1}"
        rows = "<br/>".join(escape_mermaid(row) for row in (title, second, third) if row)
        self.boxes.append(f'{name}{shape[0]}"{rows}"{shape[1]}')
        return name

    def join(self, ends: Sequence[End], box: str) -> None:
        """Arrows from all ends to a box."""
        self.arrows += [
            f'{end} -->|"{escape_mermaid(label)}"| {box}' if label else f"{end} --> {box}" for end, label in ends
        ]


def _parts(tree: Tree, *names: str) -> list[Tree]:
    """The parts of a part in these fields, in order."""
    return list(chain.from_iterable(_trees(tree.get(name)) for name in names))


def _trees(value: object) -> Iterator[Tree]:
    for item in cast(Sequence[object], value) if isinstance(value, list | tuple) else (value,):
        if isinstance(item, Mapping):
            yield cast(Tree, item)


def _phase_box(tree: Tree) -> tuple[str, str, str]:
    """The box of a phase without parts: its name, who is asked, and how."""
    kind = _kind_in_words(tree)
    title = str(tree.get("act") or tree.get("name") or kind)
    names = [name for field in ("by", "who") for name in _names(tree.get(field))]
    asks_whom = ", ".join(names[:_NAMES]) + (" and others" if len(names) > _NAMES else "") if names else kind
    return title, "" if asks_whom == title else asks_whom, ", ".join(_how_it_ends(tree))


def _how_it_ends(tree: Tree) -> Iterator[str]:
    """The form that is filled in, the pairs, the rule, and what ends the phase before all were asked."""
    for form in _parts(tree, "form"):
        yield f"form {form.get('name')}"
    for pairs in _parts(tree, "pairs"):
        yield str(pairs.get("topology", _TOPOLOGY))
    for rule in _parts(tree, "rule"):
        inner = _parts(rule, "rule") or [rule]
        quorum = " with a quorum" if rule.get("is") == "Quorum" else ""
        yield f"{inner[0].get('name') or inner[0].get('method') or _kind_in_words(inner[0])}{quorum}"
    if early := [_kind_in_words(part) for part in _parts(tree, "early")]:
        yield f"early: {' or '.join(early)}"


def _stops(value: object) -> Iterator[Tree]:
    """The conditions that end rounds, without wrappers."""
    for tree in _trees(value):
        trees = _parts(tree, "stop", "stops")
        yield from _stops(trees) if trees else (tree,)


def _rounds_in_words(tree: Tree) -> str:
    """In which rounds a phase is played."""
    rounds = cast(Sequence[object], tree.get("rounds", ()))
    if rounds:
        return f"in round {' and '.join(map(str, rounds))}?"
    return f"every {tree.get('every', 1)} rounds?"


def _names(value: object) -> Iterator[str]:
    yield from map(str, cast(Sequence[object], value) if isinstance(value, list | tuple) else [value] if value else [])


def _kind_in_words(tree: Tree) -> str:
    """The kind of a part in words: ``nothing new`` for NothingNew."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", str(tree.get("is", ""))).lower()
