"""Ballots: what a voter is given and what came of it. This file owns what a choice on a ballot stands for.

A ballot is read only from the voter's own answer to its own ballot ask, by the one strict reader of the seats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from moot.core.decision import Ballot
from moot.core.form import ABSTAIN, Field, Form
from moot.core.reasons import beside
from moot.core.text import letter
from moot.core.transcript import Turn, read_field
from moot.core.weights import weight_field
from moot.phases.phases_base import Table
from moot.phases.weigh import weights

BALLOT = "I vote for"
"""The formula of a ballot, and the name of its field."""


def slip(choices: Sequence[str], *, strict: bool = False) -> Form:
    """The form of a ballot with these choices; ``strict``: whether the colon of the formula must stand there."""
    field = Field(name=BALLOT, kind="choice", choices=tuple(choices), abstain=True)
    return Form(name="ballot", layout="line", fields=(field,), strict=strict)


def weighed(table: Table, ballot: Ballot, *, unstated: float = 1.0) -> Ballot:
    """The ballot with the weight of its voter.

    Where a teller was asked it is what the teller gave, or 1 for all alike where that could not be read; else what the
    brief states, or ``unstated`` where it states none.
    """
    if (measured := weights(table)) is not None:
        return replace(ballot, weight=measured.get(weight_field(ballot.voter), 1.0))
    weight = table.brief.participant(ballot.voter).weight
    return replace(ballot, weight=unstated if weight is None else weight)


def in_sight(table: Table, voter: str, groups: Mapping[str, Sequence[Turn]]) -> dict[str, Turn]:
    """For each candidate the first of its turns that the voter may see; a masked candidate is none for this voter."""
    seen = {name: [turn for turn in turns if table.transcript.sees(voter, turn)] for name, turns in groups.items()}
    return {name: turns[0] for name, turns in seen.items() if turns}


def labels(n: int) -> tuple[str, ...]:
    """The letters under which n proposals stand: ``Proposal A``, ``Proposal B`` … ``Proposal Z``, ``Proposal AA`` …"""
    return tuple(f"Proposal {letter(i)}" for i in range(n))


def read_ballot(turn: Turn, *, reasons: bool = False) -> Ballot:
    """A voter's ballot from its own answer; ``reasons``: whether with the words beside its formula."""
    voter = turn.by
    if turn.reply is None:
        return Ballot(voter=voter, state="missing", reason=turn.failure)
    choice = read_field(turn, BALLOT)
    if choice == ABSTAIN:
        return Ballot(voter=voter, state="abstained")
    if choice is None:
        return Ballot(voter=voter, state="unread", reason="; ".join(turn.reply.unread))
    return Ballot(voter=voter, choice=str(choice), reason=beside(turn) if reasons else "")


def book(turn: Turn, groups: Mapping[str, Sequence[Turn]], *, reasons: bool = False) -> Ballot:
    """A voter's ballot for the candidate whose turn stood under the label that was chosen; see ``read_ballot``."""
    ballot = read_ballot(turn, reasons=reasons)
    if ballot.state == "cast" and turn.ask and turn.ask.form:
        labelled = next(field.choices for field in turn.ask.form.fields if field.name == BALLOT)
        chosen = turn.about[labelled.index(ballot.choice)]
        names = [name for name, turns in groups.items() if chosen in [each.key for each in turns]]
        return replace(ballot, choice=names[0])
    return ballot
