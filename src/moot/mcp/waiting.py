"""Waiting for a debate. This file owns when a wait ends, and what is told of the progress meanwhile."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing

from moot.app.plan.assignment import is_person
from moot.app.run.people import waiting
from moot.core.errors import MootError
from moot.core.event import Entry, Failed, Replied
from moot.core.labels import act_of, noun
from moot.core.transcript import Transcript
from moot.mcp.clients import Client
from moot.mcp.summaries import unanswered

LAST_SECONDS = 1.0
"""Time in which the last entries of a debate that is over are told of; there are none where it has not begun."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Takes the questions answered, the most there can be, and what has just been done."""


async def settle(client: Client, debate: str, seconds: float, tell: Tell) -> None:
    """Wait until a debate is held no longer, until people alone are waited for, or until the time is up.

    Args:
        client: who waits.
        debate: its id; one that is not held here is not waited for.
        seconds: the most time.
        tell: told of each answer.
    """
    done, seen = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(client, debate, done, tell))
        watching.add_done_callback(lambda _: seen.set())
        tasks = [watching, group.create_task(_until_over(client, debate, done, seen))]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await done.wait()
        for each in tasks:
            each.cancel()


async def _until_over(client: Client, debate: str, done: asyncio.Event, seen: asyncio.Event) -> None:
    """Say when it is held no longer, however it ended, and its last entries have been seen."""
    with contextlib.suppress(MootError):
        await client.hall.wait(debate)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAST_SECONDS):
            await seen.wait()
    done.set()


async def _watch(client: Client, debate: str, done: asyncio.Event, tell: Tell) -> None:
    """Tell of each answer, and say when people alone are waited for."""
    desk, transcript, told, most, what = client.desk, Transcript(), -1, 0, ""
    if client.hall.casting(debate):
        await tell(0, None, "its participants are being made")
    async with aclosing(desk.follow(debate)) as items:
        async for item in items:
            if not isinstance(item, Entry):
                continue
            transcript.apply(item.event)
            what = _what(item, transcript) or what
            if await desk.store.read(debate, after=item.seq, limit=1):
                continue  # what is stored already is gone through first
            put = [each for each in transcript.all() if each.ask]
            open_ = unanswered(transcript)
            if len(put) - len(open_) > told:
                told, most = len(put) - len(open_), most or await desk.count_asks(debate)
                await tell(told, max(len(put), most), what)
            if open_ and _has_people(transcript) and len(await waiting(desk, debate)) == len(open_):
                done.set()


def _has_people(transcript: Transcript) -> bool:
    return transcript.brief is not None and any(map(is_person, transcript.brief.participants))


def _what(entry: Entry, transcript: Transcript) -> str:
    """Who has just done what; nothing of what was said."""
    match entry.event:
        case Replied(key=key) | Failed(key=key):
            turn = transcript.get(key)
            return f"{turn.by}: {noun(act_of(turn))}"
        case _:
            return ""
