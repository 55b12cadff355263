"""Phases woven into a protocol that stands. This file owns where in a tree of phases something can be added.

A protocol is a sequence: what opens it, its rounds, and what ends it. Whatever is added is a phase like any other, so
no protocol needs to know of it.
"""

from collections.abc import Callable
from dataclasses import replace

from moot.phases.consent import Consent
from moot.phases.phases_base import After, At, Phase, Rounds, Sequence
from moot.phases.ranked_vote import Ranking
from moot.phases.verdict import Keep, Pick, Rank
from moot.phases.vote import Adopt, Count, Vote
from moot.protocols.chaired import Synthesis
from moot.protocols.groups import Groups
from moot.protocols.recommend import Recommend

DECIDING: tuple[type[Phase], ...] = (*(Vote, Count, Ranking, Adopt, Pick, Rank, Keep, Consent, Recommend, Synthesis),)
"""The phases that only count or ask for a decision."""

CLOSED: tuple[type[Phase], ...] = (*DECIDING, Groups)
"""The phases behind whose turns nothing can be added: what is said there is counted, or for a few alone."""

ENDING = ("close", "moderate")
"""The acts of a protocol's last words, once its rounds are over."""


def after_turns(tree: Phase, then: Phase, acts: tuple[str, ...]) -> Phase:
    """The tree with ``then`` behind each batch of turns of these acts; it finds them in its table's focus."""

    def wrap(phase: Phase) -> Phase:
        return phase if isinstance(phase, CLOSED) else After(each=phase, then=then, acts=acts)

    return _leaves(tree, wrap)


def after_rounds(tree: Phase, then: Phase, *, every: int = 1, midpoint: bool = False) -> Phase:
    """The tree with ``then`` at the end of every round, of every so many, or of the middle one alone."""

    def add(rounds: Rounds) -> Phase:
        middle = ((rounds.most + 1) // 2,) if midpoint else ()
        extra: Phase = At(each=then, every=every, rounds=middle) if midpoint or every > 1 else then
        return replace(rounds, each=_joined(rounds.each, extra))

    return _rounds(tree, add)


def before_end(tree: Phase, *then: Phase) -> Phase:
    """The tree with these phases behind its rounds; without rounds before the last words, or what decides."""
    if not isinstance(tree, Sequence):
        return Sequence(parts=(tree, *then))
    rounds = [n for n, part in enumerate(tree.parts, start=1) if isinstance(part, Rounds)]
    ends = [n for n, part in enumerate(tree.parts) if isinstance(part, DECIDING) or part.name in ENDING]
    at = rounds[-1] if rounds else [*ends, len(tree.parts)][0]
    return replace(tree, parts=(*tree.parts[:at], *then, *tree.parts[at:]))


def at_end(tree: Phase, *then: Phase) -> Phase:
    """The tree with these phases behind everything, its decision too."""
    return replace(tree, parts=(*tree.parts, *then)) if isinstance(tree, Sequence) else Sequence(parts=(tree, *then))


def _joined(each: Phase, extra: Phase) -> Phase:
    if isinstance(each, Sequence):
        return replace(each, parts=(*each.parts, extra))
    return Sequence(parts=(each, extra))


def _rounds(tree: Phase, change: Callable[[Rounds], Phase]) -> Phase:
    """The tree with its outermost rounds changed."""
    if isinstance(tree, Rounds):
        return change(tree)
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_rounds(part, change) for part in tree.parts))
    return tree


def _leaves(tree: Phase, change: Callable[[Phase], Phase]) -> Phase:
    """The tree with every phase changed that is not made of phases."""
    if isinstance(tree, Sequence):
        return replace(tree, parts=tuple(_leaves(part, change) for part in tree.parts))
    if isinstance(tree, Rounds | At):
        return replace(tree, each=_leaves(tree.each, change))
    return change(tree)
