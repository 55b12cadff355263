"""Calls from a program: check arguments, run, stream and resume a debate, find the next attempt of a failed one.

``run_recorded`` is the one way from council, pattern and board into a workspace. A listener that raises does not harm
the work.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Sequence
from contextlib import aclosing
from functools import partial
from typing import TypeAlias, TypeVar

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import ProgramAgents
from folkmoot.app.program.program_plans import open_workspace
from folkmoot.app.run.outcome import Outcome, ended, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import Limits, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Closed, Entry
from folkmoot.core.text import listed


def whole(name: str, value: object, low: int, high: int | None = None) -> int:
    """A whole number within bounds; None for no upper one.

    Raises:
        BriefError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < low or (high is not None and value > high):
        bounds = f"from {low}" if high is None else f"from {low} to {high}"
        raise BriefError(f"{name} is {value!r}; it must be a whole number {bounds}", code="out_of_range")
    return value


def number(name: str, value: object, low: int, high: int) -> float:
    """A number within bounds.

    Raises:
        BriefError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BriefError(f"{name} is {value!r}; it must be a number from {low} to {high}", code="out_of_range")
    return float(value)


def words(name: str, value: object) -> str:
    """A text that is not empty.

    Raises:
        BriefError: it is none.
    """
    if not isinstance(value, str) or not value.strip():
        raise BriefError(f"{name} is {value!r}; it must be a text that is not empty", code="wrong_type")
    return value


MOST = 100
"""The most items that wait for a listener; then the telling waits, never a debate."""

T = TypeVar("T")
Tell: TypeAlias = Callable[[T], Awaitable[None]]


async def stream(work: Callable[[Tell[T]], Coroutine[object, object, None]]) -> AsyncGenerator[T, None]:
    """Run a piece of work and yield what it reports, as it comes.

    Whoever leaves before the end stops the work, at the latest when the generator is collected or the event loop ends:
    all that the work has opened is its own, so nothing else must be closed then.

    Args:
        work: takes a function and calls it with each event; what it raises comes after the last event.
    """
    items: asyncio.Queue[T | None] = asyncio.Queue(MOST)

    async def do() -> Exception | None:
        # As a value: an error of the task itself would cancel the listener, in the midst of whatever it does.
        error: Exception | None = None
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(work(items.put))
        except ExceptionGroup as errors:
            error = errors.exceptions[0]
        await items.put(None)
        return error

    async with asyncio.TaskGroup() as group:
        doing = group.create_task(do())
        try:
            while (item := await items.get()) is not None:
                yield item
        except GeneratorExit:
            doing.cancel()
            return
    if error := doing.result():
        raise error


_STEP = re.compile(r"-step\d+(?:-fallback)?(?:-try\d+)?$")


def run_of(debate: str) -> str:
    """The id of the council run that a debate belongs to; for any other debate its own id."""
    return _STEP.sub("", debate)


def name_task(debate: str) -> None:
    """Name the task that runs a debate for a stream, so that a resume finds it; see ``stop_streams``."""
    if task := asyncio.current_task():
        task.set_name(f"{_STREAMED}{run_of(debate)}")


_STREAMED = "folkmoot stream of "


async def stop_streams(debate: str) -> None:
    """Stop the streams of this program that still run a debate, and wait until they no longer write its record.

    A loop that is left by ``break`` leaves its generator to the event loop, which closes it only later. So whoever
    resumes the debate at once would meet a second writer. A stream that is still read ends without an error.
    """
    mine = asyncio.current_task()
    name = f"{_STREAMED}{run_of(debate)}"
    left = [task for task in asyncio.all_tasks() if task.get_name() == name and task is not mine]
    for task in left:
        ended_task = asyncio.Event()
        task.add_done_callback(partial(_set, ended_task))
        task.cancel()
        await ended_task.wait()


def _set(event: asyncio.Event, _: object) -> None:
    event.set()


Planner: TypeAlias = Callable[[Workspace, tuple[Participant, ...]], Awaitable[Plan]]
"""Makes a plan in a workspace for participants with their agents."""


async def run_recorded(
    protocol: str,
    agents: ProgramAgents,
    make_plan: Planner | None,
    *,
    store: StorePlace | None = None,
    debate: str = "",
    retry: bool = False,
    limits: Limits | None = None,
    chosen: Sequence[str] = (),
    tell: Callable[[str, Entry], Awaitable[None]] | None = None,
    resume_with: str = "resume({debate!r})",
) -> Outcome:
    """Run the debate of a program to its end, or resume it where its record ends.

    Args:
        protocol: what the debate is called in the record; another one is not resumed.
        agents: who takes part.
        make_plan: plans a new debate; None where the debate must be on record.
        store: the record's file, its database's address, or an open store; None for the owner's.
        debate: its id; "" for a new one.
        retry: whether another attempt begins where nobody answered in that one.
        limits: what a resumed debate may use from now on; None for the limits on record. A plan has its own.
        chosen: what must have been chosen about the debate to be resumed; () for anything.
        tell: is called with the debate's id and each entry of its record; None for nobody.
        resume_with: how to resume the debate, for the error where it pauses.

    Raises:
        BriefError: what is on record is another kind of debate, or one of others.
        FolkmootError: it does not come to its end; see ``app.run.outcome.ended``.
    """
    if make_plan is None:
        await stop_streams(debate)
    async with open_workspace(store) as workspace:
        if retry:
            debate = attempt_id(debate, await count_attempts(workspace, debate))
        recorded = make_plan is None or (debate and await workspace.count_entries(debate))
        if recorded:
            check_same(debate, await workspace.entries(debate), protocol, agents.participants, chosen)
        participants = agents.seat(workspace.pool)
        if make_plan is None or recorded:
            go = partial(workspace.resume, debate, limits=limits, interface=agents.interface)
        else:
            plan = await make_plan(workspace, participants)
            debate = debate or workspace.new_id(plan)
            go = partial(workspace.run, plan, debate, interface=agents.interface)
        if tell:
            name_task(debate)
            outcome = await run_and_tell(workspace, debate, partial(tell, debate), go)
        else:
            outcome = await go()
    return ended(outcome, resume_with.format(debate=outcome.debate))


async def run_and_tell(
    workspace: Workspace, debate: str, tell: Tell[Entry], go: Callable[[], Awaitable[Outcome]]
) -> Outcome:
    """Run a debate and report each entry of its record as it comes; returns the result.

    Args:
        workspace: where it runs.
        debate: its id.
        tell: is called with each entry.
        go: runs the debate, or resumes it.
    """

    async def follow() -> None:
        async with aclosing(workspace.follow(debate, pieces=False)) as items:
            async for item in items:
                if isinstance(item, Entry):
                    await tell(item)

    try:
        async with asyncio.TaskGroup() as group:
            following = group.create_task(follow())
            outcome = await go()
            await following
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return outcome


def check_same(
    debate: str, entries: Sequence[Entry], name: str, people: Sequence[Participant] = (), chosen: Sequence[str] = ()
) -> None:
    """Check that a record belongs to the debate that a program is about to resume.

    Args:
        debate: its id.
        entries: its record.
        name: the protocol that it must have.
        people: who must have taken part; participants with a duty that none of them has do not count.
        chosen: what must have been chosen about the protocol, in words; () for anything.

    Raises:
        RecordError: the record does not begin as one.
        BriefError: it is another debate, one of other people, or one with other choices.
    """
    opened = opening(debate, entries)
    if opened.name != name:
        raise BriefError(f"{debate} is a debate of the kind {opened.name}, not {name}", code="inconsistent")
    duties = {participant.duty for participant in people}
    before = [participant.name for participant in opened.brief.participants if participant.duty in duties]
    now = [participant.name for participant in people]
    if before != now:
        raise BriefError(f"{debate} is a debate of {listed(before)}, not of {listed(now)}", code="inconsistent")
    if chosen and opened.chosen != tuple(chosen):
        problem = f"{debate} is a debate with other choices: {listed(opened.chosen)}, not {listed(chosen)}"
        raise BriefError(problem, code="inconsistent")


async def count_attempts(workspace: Workspace, debate: str) -> int:
    """How many tries of a debate have ended without an answer."""
    failed = 0
    while await workspace.count_entries(attempt_id(debate, failed)):
        newest = (await workspace.entries(attempt_id(debate, failed)))[-1].event
        if not isinstance(newest, Closed) or newest.status != "failed":
            break
        failed += 1
    return failed


def attempt_id(debate: str, failed: int) -> str:
    """The id of a debate's next attempt after some failed ones: its own id, then ``-try2`` and so on."""
    return f"{debate}-try{failed + 1}" if failed else debate
