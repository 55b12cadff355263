"""Wait for the end of a debate, and report its progress: for the MCP tools and for the model endpoint."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from folkmoot.app.plan.assignment import is_person
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner
from folkmoot.app.serve.view_model import EntryFold
from folkmoot.core.errors import FolkmootError
from folkmoot.core.event import Entry
from folkmoot.core.transcript import Transcript
from folkmoot.report.metrics import sums_of

LAST_SECONDS = 1.0
"""Seconds for reporting the last entries of a debate that has ended; one that never started has none."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Takes the number of answered questions, the maximum, and what has just happened."""


async def settle(runner: Runner, debate: str, seconds: float, tell: Tell) -> None:
    """Wait until a debate no longer runs, until only people have to answer, or until the time is over.

    Args:
        runner: where the debate runs.
        debate: its id; a debate that does not run here is not waited for.
        seconds: the maximum time.
        tell: called after each answer.
    """
    done, followed = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(runner, debate, done, tell))
        watching.add_done_callback(lambda _: followed.set())
        tasks = [watching, group.create_task(_until_over(runner, debate, done, followed))]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await done.wait()
        for task in tasks:
            task.cancel()


async def _until_over(runner: Runner, debate: str, done: asyncio.Event, followed: asyncio.Event) -> None:
    """Set ``done`` when the debate no longer runs and its last entries have been reported."""
    with contextlib.suppress(FolkmootError):
        await runner.wait(debate)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAST_SECONDS):
            await followed.wait()
    done.set()


async def _watch(runner: Runner, debate: str, done: asyncio.Event, tell: Tell) -> None:
    """Report each answer, and set ``done`` when only people have to answer."""
    workspace, folded, reported, expected, activity = runner.workspace, EntryFold(), -1, 0, ""
    transcript = folded.transcript
    if runner.generation_of(debate):
        await tell(0, None, "its participants are being generated")
    async with aclosing(workspace.follow(debate, pieces=False)) as items:
        async for item in items:
            if not isinstance(item, Entry):
                continue
            view = folded.take(item)
            if view.turn and view.kind in ("replied", "failed"):  # who has just done what, without the content
                activity = f"{view.turn.spoken.by}: {view.turn.act}"
            if await workspace.store.read(debate, after=item.seq, limit=1):
                continue  # first read all that is stored already
            sums, open_ = sums_of(transcript), unanswered(transcript)
            if sums.done > reported:
                reported, expected = sums.done, expected or await workspace.count_asks(debate)
                await tell(reported, max(sums.asked, expected), activity)
            if open_ and _has_people(transcript) and len(await waiting(workspace, debate)) == len(open_):
                done.set()


def _has_people(transcript: Transcript) -> bool:
    return transcript.brief is not None and any(map(is_person, transcript.brief.participants))


def unanswered(transcript: Transcript) -> list[str]:
    """The keys of the open questions."""
    return [turn.key for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
