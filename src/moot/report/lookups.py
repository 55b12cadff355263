"""Searches for arguments, read from the record. This file owns the appendix that shows what was looked at.

A search is on record as one call with its tree as JSON; which line was chosen, and how often and how well each was
judged, stands in it. Values are those for the participant, from 0 to 1.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from moot.core.event import TREE, Asked, Called, Entry
from moot.core.labels import place
from moot.report.markdown_text import inline
from moot.report.pieces import LONG


@dataclass(frozen=True, slots=True, kw_only=True)
class Thought:
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
        """How many it answers, one behind the other: 0 for a claim."""
        return self.id.count(".")


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """One search.

    Attributes:
        key: the ask before which it was made.
        by: who searched.
        simulations: how many were made.
        asked: how many the brief asked for.
        depth: how many replies were imagined behind a claim.
        stopped: why it ended early; "" where it did not.
        thoughts: the tree, each line to its end before the next.
    """

    key: str
    by: str
    simulations: int
    asked: int
    depth: int
    stopped: str
    thoughts: tuple[Thought, ...]


def searches(entries: Iterable[Entry]) -> tuple[Searched, ...]:
    """All searches of a record, in the order in which they ended; what is no tree is left out."""
    who: dict[str, str] = {}
    found: list[Searched] = []
    for entry in entries:
        match entry.event:
            case Asked(ask=ask):
                who[ask.key] = ask.to
            case Called(model=model, key=key, text=text) if model.startswith(TREE):
                if tree := _read(key, who.get(key, ""), text):
                    found.append(tree)
            case _:
                pass
    return tuple(found)


def appendix(found: Sequence[Searched]) -> list[str]:
    """The searches as a chapter in Markdown, block by block; nothing where there are none."""
    if not found:
        return []
    blocks = ["## Appendix: how arguments were looked for"]
    for each in found:
        blocks += [f"### {inline(each.by)}, {place(each.key)[:1].lower()}{place(each.key)[1:]}", _told(each)]
        blocks.append("\n".join(_line(thought) for thought in each.thoughts))
    return blocks


def _told(each: Searched) -> str:
    ended = f" It ended early: {inline(each.stopped, LONG)}." if each.stopped else ""
    replies = "1 reply" if each.depth == 1 else f"{each.depth} replies"
    return (
        f"Monte Carlo tree search, {each.simulations} of {each.asked} simulations, {replies} deep. The line in bold "
        f"was chosen; values run from 0 to 1, for {inline(each.by)}.{ended}"
    )


def _line(thought: Thought) -> str:
    words = inline(f"{thought.by}: {thought.claim}" if thought.depth else thought.claim, LONG)
    shown = f"**{words}**" if thought.chosen else words
    visits = "1 visit" if thought.visits == 1 else f"{thought.visits} visits"
    judged = f"{visits}, value {thought.value:.2f}" if thought.value is not None else "not judged"
    return f"{'  ' * thought.depth}- {shown} ({judged})"


def _read(key: str, by: str, text: str) -> Searched | None:
    try:
        tree = cast("Mapping[str, int]", json.loads(text))
        nodes = cast("Sequence[Mapping[str, object]]", tree["nodes"])
        return Searched(
            key=key,
            by=by,
            simulations=int(tree["simulations"]),
            asked=int(tree["asked"]),
            depth=int(tree["depth"]),
            stopped=str(tree["stopped"]),
            thoughts=tuple(_thought(node) for node in nodes),
        )
    except (ValueError, LookupError, TypeError):
        return None


def _thought(node: Mapping[str, object]) -> Thought:
    value = node["value"]
    return Thought(
        id=str(node["id"]),
        by=str(node["by"]),
        claim=str(node["claim"]),
        visits=int(cast("int", node["visits"])),
        value=float(value) if isinstance(value, int | float) else None,
        chosen=node["chosen"] is True,
    )
