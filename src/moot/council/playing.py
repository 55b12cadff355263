"""How a step comes to the desk. This file owns that its debate is on record and can be taken up again."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from moot.app.program.again import check_same, count_failed, try_of
from moot.app.program.arguments import words
from moot.app.program.plans import open_desk
from moot.app.program.program_agents import Sitting
from moot.app.program.program_calls import Tell, told
from moot.app.run.held import Plan
from moot.app.run.outcome import Outcome, ended, opening
from moot.app.run.workspace import Desk
from moot.core.brief import Brief, Limits, Source
from moot.core.event import Entry
from moot.core.text import clean
from moot.council.context import Context
from moot.council.events import CouncilEvent, Teller

CONTEXT = "context"
"""What the context is called in the prompts and in the record."""

Making: TypeAlias = Callable[[Desk, Brief], Awaitable[Plan]]
Telling: TypeAlias = Tell[CouncilEvent]


@dataclass(frozen=True, slots=True, kw_only=True)
class Venue:
    """Where and how a step is held.

    Attributes:
        store: the record's file, or the address of its database; None for the owner's.
        limits: what a new debate may use; None for the usual limits.
        raised: what it may use from now on, also where it goes on; None for the limits that it has.
        debate: the id of the debate; it is taken up where there is a record of it. "" for a new one.
        again: whether another debate is held where nobody answered in that one; its id ends with ``-try2``, and so on.
        tell: told of what happens, as it happens; None for nobody.
        step: which step of a council it is.
        hint: how to go on with a debate that stands still, in Python; "" for the step's own way.
    """

    store: Path | str | None = None
    limits: Limits | None = None
    raised: Limits | None = None
    debate: str = ""
    again: bool = False
    tell: Telling | None = None
    step: int = 0
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What a step's debate is, so that no other one is taken up in its place.

    Attributes:
        name: what its protocol is called in the record.
        chosen: what was chosen about it, in words; () for nothing.
        make: makes its plan.
    """

    name: str
    chosen: tuple[str, ...] = ()
    make: Making


async def hold(venue: Venue, brief: Brief, sitting: Sitting, kind: Kind) -> Outcome:
    """Hold the debate of a step, or take it up where its record ends.

    Raises:
        BriefError: what is on record is another kind of debate, or one of others.
        MootError: it does not come to its end; see ``app.run.outcome.ended``.
    """
    async with open_desk(venue.store) as desk:
        seated = sitting.seat(desk.pool)
        debate = try_of(venue.debate, await count_failed(desk, venue.debate)) if venue.again else venue.debate
        begun = bool(debate) and await desk.count_entries(debate) > 0
        if begun:
            check_same(debate, await desk.entries(debate), kind.name, sitting.participants, kind.chosen)
        plan = None if begun else await kind.make(desk, replace(brief, participants=seated))
        debate = debate or (desk.new_id(plan) if plan else "")

        async def go() -> Outcome:
            if plan is None:
                return await desk.resume(debate, limits=venue.raised, door=sitting.door)
            return await desk.hold(plan, debate, door=sitting.door)

        tell = _telling(venue, debate, venue.tell) if venue.tell else None
        outcome = await (told(desk, debate, tell, go) if tell else go())
    return ended(outcome, venue.hint or f"await step.resume({outcome.debate!r})")


def _telling(venue: Venue, debate: str, tell: Telling) -> Tell[Entry]:
    """Tells of the entries of a record as of events of a council."""
    teller = Teller(step=venue.step, debate=debate)

    async def say(entry: Entry) -> None:
        if event := teller.tell(entry):
            await tell(event)

    return say


async def tried(store: Path | str | None, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    async with open_desk(store) as desk:
        return await count_failed(desk, debate)


def brief_of(task: str, context: Context, sitting: Sitting, limits: Limits | None) -> Brief:
    """The brief of a step: the task is its topic, the context stands behind it in every prompt.

    Raises:
        BriefError: there is no task.
    """
    known = clean(context.to_prompt_context())
    return Brief(
        topic=clean(words("the task", task)).strip(),
        background=(Source(name=CONTEXT, text=known),) if known else (),
        participants=sitting.participants,
        limits=limits or Limits(),
    )


async def task_of(store: Path | str | None, debate: str) -> str:
    """The task of a debate on record.

    Raises:
        RecordError: there is no such debate.
    """
    async with open_desk(store) as desk:
        return opening(debate, await desk.entries(debate)).brief.topic
