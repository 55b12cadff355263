"""Waiting for a debate. This file owns when a wait ends, and what is told of the progress meanwhile.

Tools that hold debates. This file owns how an agent begins one, waits for it, stops it and goes on with it.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from moot.app.export.reports import plan_data
from moot.app.plan.assignment import is_person
from moot.app.run.people import waiting
from moot.app.run.prepare import LimitWishes, Wishes
from moot.app.serve.admission import Order
from moot.core.errors import MootError
from moot.core.event import Entry, Failed, Replied
from moot.core.labels import act_of, noun
from moot.core.transcript import Transcript
from moot.mcp.clients import Client
from moot.mcp.summaries import memo_of, unanswered
from moot.mcp.tool_results import Begun, Memo, Plan
from moot.mcp.tool_server import Here, Server

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
        await client.runner.wait(debate)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAST_SECONDS):
            await seen.wait()
    done.set()


async def _watch(client: Client, debate: str, done: asyncio.Event, tell: Tell) -> None:
    """Tell of each answer, and say when people alone are waited for."""
    workspace, transcript, told, most, what = client.workspace, Transcript(), -1, 0, ""
    if client.runner.casting(debate):
        await tell(0, None, "its participants are being made")
    async with aclosing(workspace.follow(debate)) as items:
        async for item in items:
            if not isinstance(item, Entry):
                continue
            transcript.apply(item.event)
            what = _what(item, transcript) or what
            if await workspace.store.read(debate, after=item.seq, limit=1):
                continue  # what is stored already is gone through first
            put = [each for each in transcript.all() if each.ask]
            open_ = unanswered(transcript)
            if len(put) - len(open_) > told:
                told, most = len(put) - len(open_), most or await workspace.count_asks(debate)
                await tell(told, max(len(put), most), what)
            if open_ and _has_people(transcript) and len(await waiting(workspace, debate)) == len(open_):
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


PATIENCE = 50.0
"""Seconds after which run_debate answers that the debate goes on: many clients give up after a minute."""

LONGEST = 600.0
"""The most seconds of one wait."""

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200_000,
        description="The question in a sentence; or a whole brief in Markdown: a heading with the question, "
        "background, and a section for each participant.",
    ),
]
Names = Annotated[
    list[str],
    Field(max_length=50, description="Who answers, taken in turn, such as ollama:llama3.2; empty for the owner's own."),
]
Protocol = Annotated[str, Field(max_length=100, description="As list_protocols names them; empty for the usual one.")]
Rounds = Annotated[int | None, Field(ge=0, le=20, description="The most rounds; null for the protocol's own.")]
Money = Annotated[float | None, Field(ge=0, le=100_000, description="US dollars that this debate may use at most.")]
Id = Annotated[str, Field(max_length=200, description="The debate's id.")]


@dataclass(frozen=True, slots=True)
class Holding:
    """The tools.

    Args:
        server: knows who calls.
    """

    server: Server

    async def run_debate(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        rounds: Rounds = None,
        max_cost: Money = None,
    ) -> Memo:
        """Hold a debate and give its decision, with votes, dissent and minority answers. It costs money.

        It tells of its progress. After 50 seconds it answers that the debate goes on, with its id; it is not stopped
        then, nor when you give up waiting: wait_for_debate waits on.
        """
        client = self.server.client(here)
        order = _order(question, models, protocol, rounds, max_cost)
        debate = await client.admission.begin(order)
        await settle(client, debate, PATIENCE, here.report_progress)
        return await memo_of(client, debate)

    async def start_debate(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        rounds: Rounds = None,
        max_cost: Money = None,
        key: Annotated[
            str, Field(max_length=200, description="The same key gives the same debate, however often it is sent.")
        ] = "",
    ) -> Begun:  # house: wide because a tool's parameters are its interface
        """Begin a debate and answer at once with its id. It costs money. wait_for_debate waits for its end."""
        client = self.server.client(here)
        debate = await client.admission.begin(_order(question, models, protocol, rounds, max_cost), key)
        return Begun(id=debate, next=f"call wait_for_debate with {debate}; get_debate shows what is said meanwhile")

    async def check_brief(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        rounds: Rounds = None,
        max_cost: Money = None,
    ) -> Plan:
        """Say what is understood of a question or brief and what the debate would cost. Nothing is sent to a model."""
        client = self.server.client(here)
        start = await client.admission.make_ready(_order(question, models, protocol, rounds, max_cost))
        return Plan.model_validate(plan_data(start.ready))

    async def wait_for_debate(
        self,
        id: Id,
        here: Here,
        seconds: Annotated[float, Field(ge=0, le=LONGEST, description="The most seconds to wait.")] = PATIENCE,
    ) -> Memo:
        """Wait for the end of a debate, tell of its progress, and give its decision.

        It answers earlier where a person has to answer or the debate stands still, and at the latest when the time is
        up; the debate goes on then.
        """
        client = self.server.client(here)
        await client.check_seen(id)
        if (await client.runner.look(id)).by:
            await settle(client, id, seconds, here.report_progress)
        return await memo_of(client, id)

    async def stop_debate(
        self,
        id: Id,
        here: Here,
        now: Annotated[bool, Field(description="At once, so that answers in hand are lost.")] = False,
    ) -> Memo:
        """Stop a debate after the answers in hand; what was said stays, and resume_debate goes on with it."""
        client = await self._own(id, here)
        await client.runner.pause(id, now=now)
        if (await client.runner.look(id)).by:
            await settle(client, id, PATIENCE, here.report_progress)
        return await memo_of(client, id)

    async def resume_debate(self, id: Id, here: Here, max_cost: Money = None) -> Memo:
        """Go on with a debate that was stopped, broken off or came to a limit; finished answers are not paid twice.

        A higher max_cost, counted from its beginning, lifts a limit on cost. wait_for_debate waits for its end.
        """
        client = await self._own(id, here)
        await client.admission.go_on(id, LimitWishes(cost=max_cost))
        return await memo_of(client, id)

    async def _own(self, debate: str, here: Here) -> Client:
        client = self.server.client(here)
        await client.check_own(debate)
        return client


def _order(question: str, models: list[str] | None, protocol: str, rounds: int | None, cost: float | None) -> Order:
    wishes = Wishes(models=tuple(models or ()), protocol=protocol, rounds=rounds, caps=LimitWishes(cost=cost))
    return Order(brief=question, wishes=wishes)
