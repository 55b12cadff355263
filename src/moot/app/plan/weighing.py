"""Vote weights at the desk. This file owns what a brief says of them, who is asked for them, and from which memory."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import cast

from moot.app.brief.names import free_name
from moot.app.brief.reader import Intake
from moot.app.plan.learning import lacks, shelf_of
from moot.core.agent import Seat
from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError
from moot.core.weights import TELLER, VoteWeights, teller
from moot.learn.teller import Teller
from moot.phases.choices import Choices
from moot.record.store import Store

KEY = "vote_weights"

NAMES = ("Teller", "Vote Teller", "Keeper of Weights")
"""What the teller is called, as far as nobody else is called so."""


def vote_weights(intake: Intake, strategy: str) -> VoteWeights | None:
    """What votes weigh by: as the brief says, else what it states of somebody, else what was measured.

    Where the strategy gives votes no weight it is what the brief says, which changes nothing; None where it says
    nothing.

    Raises:
        BriefError: votes shall weigh by what was measured, and somebody has a stated weight.
    """
    stated = [each.name for each in intake.brief.participants if each.weight is not None]
    given = cast("VoteWeights | None", intake.given.get(KEY))
    if strategy != "weighted":
        return given
    if given is None:
        return "stated" if stated else "log_odds"
    if stated and given != "stated":
        found = f"{KEY} is {given}, but {stated[0]} has a weight: leave out one of the two"
        raise BriefError(found, where=intake.where, line=intake.lines.get(KEY, 0), code="inconsistent")
    return given


def with_teller(brief: Brief, choices: Choices) -> Brief:
    """The brief with somebody who weighs votes, where they weigh by what was measured."""
    if not choices.measured:
        return brief
    name = free_name(NAMES, (each.name for each in brief.participants))
    who = Participant(name=name, role="Weighs votes by earlier debates", seat=TELLER, duty="aide")
    return replace(brief, participants=(*brief.participants, who))


def weighing(brief: Brief, store: Store) -> Mapping[str, Seat]:
    """The teller's seat, by its name; nothing where votes are not weighed.

    Args:
        brief: the brief, everybody seated.
        store: the records, beside which stands what was learned.
    """
    name = teller(brief)
    return {name: Teller(shelf=shelf_of(store), lacks=partial(lacks, store))} if name else {}
