"""Searches for arguments, read from the record.

A search is on record as one call with its tree as JSON: the chosen line, and how often and how well each was judged.
Values are those for the participant, from 0 to 1.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import msgspec

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


class _Tree(msgspec.Struct):
    """A search as it is on record."""

    simulations: int
    asked: int
    depth: int
    stopped: str
    nodes: list[SearchNode]


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
                with suppress(msgspec.MsgspecError):
                    tree = msgspec.json.decode(text, type=_Tree)
                    run = SearchRun(
                        key=key,
                        by=agents.get(key, ""),
                        simulations=tree.simulations,
                        asked=tree.asked,
                        depth=tree.depth,
                        stopped=tree.stopped,
                        thoughts=tuple(tree.nodes),
                    )
                    runs.append(run)
            case _:
                pass
    return tuple(runs)
