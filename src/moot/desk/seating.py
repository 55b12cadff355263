"""Participants to live seats. This file owns which model answers for whom."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError
from moot.core.seat import Seat
from moot.models.pool import Pool
from moot.seats.llm import ModelSeat
from moot.seats.quotes import Quotes

BUILTIN = "builtin:quotes"
"""The seat without a language model: it quotes the background."""

ABSENT = ("human", "librarian")
"""Seats that briefs may name and that this version cannot fill."""


def assign(brief: Brief, models: Sequence[str]) -> Brief:
    """The brief with a seat for everybody: those without a model of their own take the given ones in turn.

    Args:
        brief: the brief as it was read.
        models: default models, at least one; a moderator without one takes the first.
    """
    seated: list[Participant] = []
    taken = 0
    for each in brief.participants:
        if each.seat:
            seated.append(each)
            continue
        model = models[taken % len(models)] if each.duty == "debater" else models[0]
        taken += each.duty == "debater"
        seated.append(replace(each, seat=model))
    return replace(brief, participants=tuple(seated))


def seat(brief: Brief, pool: Pool) -> Mapping[str, Seat]:
    """A live seat for each participant.

    Raises:
        BriefError: a participant's seat names no model that there can be.
    """
    quotes = Quotes()
    return {each.name: _seat(each, brief, pool, quotes) for each in brief.participants}


def _seat(who: Participant, brief: Brief, pool: Pool, quotes: Quotes) -> Seat:
    if who.seat == BUILTIN:
        return quotes
    if who.seat.startswith("builtin:"):
        raise BriefError(f"{who.name}: there is no {who.seat}; the built-in seat is {BUILTIN}", code="bad_enum")
    if who.seat in ABSENT:
        found = f"{who.name}: this version has no {who.seat} seat; name a model (provider:name) or {BUILTIN}"
        raise BriefError(found, code="bad_enum")
    try:
        model = pool.model(who.seat)
    except BriefError as error:
        raise BriefError(f"{who.name}: {error.found}", code=error.code) from error
    return ModelSeat(model, seconds=brief.limits.turn_seconds)
