"""The report's chapters on tools, sources and searches for arguments, read from the record.

A use of a tool is a call on record with its sources; its arguments are in the model's call before it. That a source was
found does not mean that a turn relies on it.

A search is on record as one call with its tree as JSON: the chosen line, and how often and how well each was judged.
Values are those for the participant, from 0 to 1.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from folkmoot.core.event import TREE, Asked, Called, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchNode:
    """A claim that was weighed, or a reply that was imagined.

    Attributes:
        id: its place in the tree: ``2.1`` is the first reply to the second claim.
        by: who says it.
        claim: what is said.
        visits: simulations that went through it.
        value: the mean value of its visits; None without any.
        chosen: whether it is on the line that was chosen.
    """

    id: str
    by: str
    claim: str
    visits: int
    value: float | None
    chosen: bool

    @property
    def depth(self) -> int:
        """The number of thoughts above it in its line: 0 for a claim."""
        return self.id.count(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRun:
    """One search.

    Attributes:
        key: the ask before which it was made.
        by: who searched.
        simulations: how many were made.
        asked: how many the brief asked for.
        depth: how many replies were imagined after a claim.
        stopped: why it ended early; "" if it did not.
        thoughts: the tree, each line to its end before the next.
    """

    key: str
    by: str
    simulations: int
    asked: int
    depth: int
    stopped: str
    thoughts: tuple[SearchNode, ...]


def searches(entries: Iterable[Entry]) -> tuple[SearchRun, ...]:
    """All searches of a record, in the order in which they ended; what is no tree is left out."""
    agents: dict[str, str] = {}
    runs: list[SearchRun] = []
    for entry in entries:
        match entry.event:
            case Asked(ask=ask):
                agents[ask.key] = ask.to
            case Called(model=model, key=key, text=text) if model.startswith(TREE):
                if tree := _read(key, agents.get(key, ""), text):
                    runs.append(tree)
            case _:
                pass
    return tuple(runs)


def _read(key: str, by: str, text: str) -> SearchRun | None:
    try:
        tree = cast("Mapping[str, int]", json.loads(text))
        nodes = cast("Sequence[Mapping[str, object]]", tree["nodes"])
        return SearchRun(
            key=key,
            by=by,
            simulations=int(tree["simulations"]),
            asked=int(tree["asked"]),
            depth=int(tree["depth"]),
            stopped=str(tree["stopped"]),
            thoughts=tuple(_search_node(node) for node in nodes),
        )
    except (ValueError, LookupError, TypeError):
        return None


def _search_node(node: Mapping[str, object]) -> SearchNode:
    value = node["value"]
    return SearchNode(
        id=str(node["id"]),
        by=str(node["by"]),
        claim=str(node["claim"]),
        visits=int(cast("int", node["visits"])),
        value=float(value) if isinstance(value, int | float) else None,
        chosen=node["chosen"] is True,
    )
