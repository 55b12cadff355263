"""How a step comes to the desk. This file owns that its debate is on record and can be taken up again."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from moot.core.brief import Brief, Limits, Source
from moot.core.errors import BriefError
from moot.core.event import Closed, Entry
from moot.core.text import clean
from moot.council.agents import Sitting
from moot.council.context import Context
from moot.council.events import CouncilEvent, Teller
from moot.council.results import finished
from moot.desk.desk import Desk, Plan
from moot.desk.guests import invite
from moot.desk.inplace import InPlace
from moot.desk.outcome import Outcome, opening
from moot.desk.plans import open_desk

CONTEXT = "context"
"""What the context is called in the prompts and in the record."""

Making: TypeAlias = Callable[[Desk, Brief], Awaitable[Plan]]
Telling: TypeAlias = Callable[[CouncilEvent], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Venue:
    """Where and how a step is held.

    Attributes:
        store: the file of the record; None for the owner's.
        limits: what a new debate may use; None for the usual limits.
        raised: what it may use from now on, also where it goes on; None for the limits that it has.
        debate: the id of the debate; it is taken up where there is a record of it. "" for a new one.
        again: whether another debate is held where nobody answered in that one; its id ends with ``-try2``, and so on.
        tell: told of what happens, as it happens; None for nobody.
        step: which step of a council it is.
        hint: how to go on with a debate that stands still, in Python; "" for the step's own way.
    """

    store: Path | None = None
    limits: Limits | None = None
    raised: Limits | None = None
    debate: str = ""
    again: bool = False
    tell: Telling | None = None
    step: int = 0
    hint: str = ""


async def hold(venue: Venue, brief: Brief, sitting: Sitting, make: Making) -> Outcome:
    """Hold the debate of a step, or take it up where its record ends.

    Raises:
        MootError: it does not come to its end; see ``results.finished``.
    """
    async with open_desk(venue.store) as desk:
        guests = {name: invite(desk.pool, name, agent) for name, agent in sitting.guests.items()}
        seated = [replace(each, seat=guests.get(each.name, each.seat)) for each in brief.participants]
        debate = _try(venue.debate, await _failed(desk, venue.debate)) if venue.again else venue.debate
        begun = bool(debate) and await desk.count_entries(debate) > 0
        plan = None if begun else await make(desk, replace(brief, participants=tuple(seated)))
        debate = debate or (desk.new_id(plan) if plan else "")
        door = InPlace(sitting.people) if sitting.people else None

        async def go() -> Outcome:
            if plan is None:
                return await desk.resume(debate, limits=venue.raised, door=door)
            return await desk.hold(plan, debate, door=door)

        outcome = await (_told(desk, debate, venue, venue.tell, go) if venue.tell else go())
    return finished(outcome, venue.hint or f"await step.resume({outcome.debate!r})")


async def _told(desk: Desk, debate: str, venue: Venue, tell: Telling, go: Callable[[], Awaitable[Outcome]]) -> Outcome:
    """The outcome, with what happens told on the way."""

    async def follow() -> None:
        teller = Teller(step=venue.step, debate=debate)
        async with aclosing(desk.follow(debate)) as items:
            async for item in items:
                event = teller.tell(item) if isinstance(item, Entry) else None
                if event:
                    await tell(event)

    try:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(follow())
            outcome = await go()
            await following
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return outcome


def _try(debate: str, failed: int) -> str:
    """The id of the next try of a debate."""
    return f"{debate}-try{failed + 1}" if failed else debate


async def _failed(desk: Desk, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    failed = 0
    while lines := await desk.count_entries(_try(debate, failed)):
        newest = (await desk.entries(_try(debate, failed)))[lines - 1].event
        if not isinstance(newest, Closed) or newest.status != "failed":
            break
        failed += 1
    return failed


async def count_failed(store: Path | None, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    async with open_desk(store) as desk:
        return await _failed(desk, debate)


def brief_of(task: str, context: Context, sitting: Sitting, limits: Limits | None) -> Brief:
    """The brief of a step: the task is its topic, the context stands behind it in every prompt.

    Raises:
        BriefError: there is no task.
    """
    words, known = clean(task).strip(), clean(context.to_prompt_context())
    if not words:
        raise BriefError("the task is empty", code="missing_topic")
    return Brief(
        topic=words,
        background=(Source(name=CONTEXT, text=known),) if known else (),
        participants=sitting.participants,
        limits=limits or Limits(),
    )


async def task_of(store: Path | None, debate: str) -> str:
    """The task of a debate on record.

    Raises:
        RecordError: there is no such debate.
    """
    async with open_desk(store) as desk:
        return opening(debate, await desk.entries(debate)).brief.topic
