"""Participants to live seats. This file owns which model answers for whom, and how many calls an answer takes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from moot.agents.human import HUMAN, Human, Reach
from moot.agents.llm import UNAIDED, ModelSeat
from moot.agents.toolkit import ROUNDS, USES
from moot.agents.tree_search import SOUGHT, Searching, calls
from moot.app.plan.measuring import instrument
from moot.app.plan.settings import Config
from moot.app.plan.toolbox import Give, no_tools
from moot.core.agent import Seat
from moot.core.ask import Ask
from moot.core.brief import Brief, Limits, Participant
from moot.core.errors import BriefError
from moot.core.recall import LIBRARIAN, NAMED
from moot.core.weights import TELLER
from moot.demo.clock import CLOCK, Clock
from moot.demo.debater import Quotes
from moot.learn.retriever import Librarian
from moot.learn.teller import Teller
from moot.models.base import Model
from moot.models.fallback import Fallback
from moot.models.names import parse
from moot.models.pool import GUEST, Pool

BUILTIN = "builtin:quotes"
"""The seat without a language model: it quotes the background."""

ASKING = frozenset({"summarizer", "scorer"})
"""Tools that put a question to the participant's own model."""


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
        model = models[0] if each.duty == "moderator" else models[taken % len(models)]
        taken += each.duty != "moderator"
        seated.append(replace(each, seat=model))
    return replace(brief, participants=tuple(seated))


def is_person(who: Participant) -> bool:
    """Whether a person answers for a participant."""
    return who.seat == HUMAN


def people(brief: Brief) -> frozenset[str]:
    """The names of the participants for whom a person answers."""
    return frozenset(each.name for each in brief.participants if is_person(each))


def seat(
    brief: Brief,
    pool: Pool,
    give: Give = no_tools,
    *,
    limits: Limits | None = None,
    reach: Reach | None = None,
    config: Config | None = None,
) -> Mapping[str, Seat]:
    """A live seat for each participant.

    Args:
        brief: the brief, everybody seated.
        pool: the models.
        give: the tools of each participant.
        limits: the limits in force; None for those of the brief.
        reach: how people can be reached; None where they cannot, as long as nothing is asked.
        config: the owner's settings; None to load them if an aide needs one of them.

    Raises:
        BriefError: a participant's seat, or a stand-in, names no model that there can be.
    """
    quotes, seconds = Quotes(), (limits or brief.limits).turn_seconds
    seats: dict[str, Seat] = {}
    for each in brief.participants:
        if each.fallback and (is_person(each) or each.seat.startswith("builtin:")):
            found = f"{each.name}: fallback goes with a model, not with {each.seat}"
            raise BriefError(f"{found}{'; a person has a stand_in' if is_person(each) else ''}", code="bad_enum")
        if is_person(each):
            instead = replace(each, seat=each.stand_in, search=None)
            stand_in = (_seat(instead, seconds, pool) or quotes) if each.stand_in else None
            seats[each.name] = Human(reach or Reach(), stand_in=stand_in, seconds=seconds)
        else:
            seats[each.name] = _seat(each, seconds, pool, give, config) or quotes
    return seats


def _seat(
    who: Participant, seconds: float, pool: Pool, give: Give = no_tools, config: Config | None = None
) -> Seat | None:
    """A participant's own seat; None for the built-in one, which all share."""
    if who.seat == BUILTIN:
        return None
    if who.seat == CLOCK:
        return _clock(who)
    if who.seat == LIBRARIAN and who.duty == "aide":
        return Librarian(shelf=None)  # it recalls nothing until a desk hands it a shelf (desk.recalling)
    if who.seat == TELLER and who.duty == "aide":
        return Teller(shelf=None)  # so does this one (desk.weighing)
    if who.duty == "aide":
        return instrument(who.seat, config)
    check_seat(who)
    try:
        model = model_of(who, pool)
    except BriefError as error:
        raise BriefError(f"{who.name}: {error.found}", code=error.code) from error
    answering = ModelSeat(model, seconds=seconds, tools=give(who))
    return Searching(answering, model, who.search, seconds=seconds) if who.search else answering


def check_seat(who: Participant) -> None:
    """Check that there can be such a seat, before any key, server or guest is looked for.

    Raises:
        BriefError: it names nothing that can answer.
    """
    if who.seat in (BUILTIN, CLOCK, HUMAN) or who.seat.startswith(GUEST):
        return
    if who.seat in (NAMED, LIBRARIAN):
        found = f"{who.name}: a {NAMED} only recalls and never debates; name a model (provider:name) or {BUILTIN}"
        raise BriefError(found, code="bad_enum")
    if who.seat.startswith("builtin:"):
        raise BriefError(f"{who.name}: there is no {who.seat}; the built-in seat is {BUILTIN}", code="bad_enum")
    try:
        parse(who.seat)
    except BriefError as error:
        raise BriefError(f"{who.name}: {error.found}", code=error.code) from error


def model_of(who: Participant, pool: Pool) -> Model:
    """The model that answers for a participant, with those that are asked where it cannot be reached.

    Raises:
        BriefError: there is no such model.
    """
    model = pool.model(who.seat)
    return Fallback(model, [pool.model(name) for name in who.fallback]) if who.fallback else model


def _clock(who: Participant) -> Clock:
    if who.duty != "moderator":
        raise BriefError(f"{who.name}: {CLOCK} keeps the time of a board and is no member of it", code="bad_enum")
    return Clock()


def work(who: Participant, ask: Ask) -> int:
    """The most calls of a model that an answer takes: offers of tools, the search, and the answer.

    Tools that ask the participant's own model do so once in each use.
    """
    aided = who.tools and ask.act not in UNAIDED
    asking = USES if ASKING.intersection(who.tools) else 0
    answer = 1 + ROUNDS + asking if aided else 1
    return answer + (calls(who.search) - 1 if who.search and ask.act in SOUGHT else 0)
