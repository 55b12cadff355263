"""MCP tools that run debates: start one, report its progress, wait for it, stop it and resume it."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from moot.app.export.reports import plan_data
from moot.app.plan.assignment import is_person
from moot.app.run.prepare import LimitOverrides, Overrides
from moot.app.run.record_reader import waiting
from moot.app.serve.admission import DebateRequest
from moot.app.serve.view_model import EntryFold
from moot.core.brief import COST, MODELS, ROUNDS
from moot.core.errors import MootError
from moot.core.event import Entry
from moot.core.transcript import Transcript
from moot.mcp.clients import Client
from moot.mcp.summaries import memo_of, unanswered
from moot.mcp.tool_results import BegunResult, Memo, PlanResult
from moot.mcp.tool_server import Here, Server
from moot.report.metrics import sums_of

LAST_SECONDS = 1.0
"""Seconds for reporting the last entries of a debate that has ended; one that never started has none."""

Tell = Callable[[float, float | None, str], Awaitable[None]]
"""Takes the number of answered questions, the maximum, and what has just happened."""


async def settle(client: Client, debate: str, seconds: float, tell: Tell) -> None:
    """Wait until a debate no longer runs, until only people have to answer, or until the time is over.

    Args:
        client: the client that waits.
        debate: its id; a debate that does not run here is not waited for.
        seconds: the maximum time.
        tell: called after each answer.
    """
    done, followed = asyncio.Event(), asyncio.Event()
    async with asyncio.TaskGroup() as group:
        watching = group.create_task(_watch(client, debate, done, tell))
        watching.add_done_callback(lambda _: followed.set())
        tasks = [watching, group.create_task(_until_over(client, debate, done, followed))]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await done.wait()
        for task in tasks:
            task.cancel()


async def _until_over(client: Client, debate: str, done: asyncio.Event, followed: asyncio.Event) -> None:
    """Set ``done`` when the debate no longer runs and its last entries have been reported."""
    with contextlib.suppress(MootError):
        await client.runner.wait(debate)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LAST_SECONDS):
            await followed.wait()
    done.set()


async def _watch(client: Client, debate: str, done: asyncio.Event, tell: Tell) -> None:
    """Report each answer, and set ``done`` when only people have to answer."""
    workspace, folded, reported, most, activity = client.workspace, EntryFold(), -1, 0, ""
    transcript = folded.transcript
    if client.runner.generation_of(debate):
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
                reported, most = sums.done, most or await workspace.count_asks(debate)
                await tell(reported, max(sums.asked, most), activity)
            if open_ and _has_people(transcript) and len(await waiting(workspace, debate)) == len(open_):
                done.set()


def _has_people(transcript: Transcript) -> bool:
    return transcript.brief is not None and any(map(is_person, transcript.brief.participants))


PATIENCE = 50.0
"""Seconds after which run_debate returns while the debate continues: many clients give up after a minute."""

LONGEST = 600.0
"""The maximum number of seconds of one wait."""

Question = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200_000,
        description="One sentence; or a brief in Markdown: the question as heading, background, participants.",
    ),
]
Names = Annotated[
    list[str],
    Field(
        max_length=MODELS,
        description="Models that answer in turn, such as ollama:llama3.2. Default: the owner's model.",
    ),
]
Protocol = Annotated[str, Field(max_length=100, description="A name of list_protocols.")]
PresetName = Annotated[str, Field(max_length=32, description="Settings that the owner has named.")]
Rounds = Annotated[int | None, Field(ge=ROUNDS.low, le=ROUNDS.high, description="Maximum number of rounds.")]
Money = Annotated[float | None, Field(ge=COST.low, le=COST.high, description="Maximum cost in US dollars.")]
Id = Annotated[str, Field(max_length=200, description="The debate's id.")]


@dataclass(frozen=True, slots=True)
class DebateTools:
    """The tools that run debates.

    Args:
        server: knows which client calls.
    """

    server: Server

    async def run_debate(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        preset: PresetName = "",
        rounds: Rounds = None,
        max_cost: Money = None,
    ) -> Memo:  # house: wide because a tool's parameters are its interface
        """Run a debate and return its decision, with votes, dissent and minority answers. This costs money.

        Progress is reported. If the debate takes longer than 50 seconds, the tool returns its id while the debate
        continues; call wait_for_debate then. The debate also continues if you stop waiting.
        """
        client = self.server.client(here)
        order = _order(question, models, protocol, preset, rounds, max_cost)
        debate = await client.admission.begin(order)
        await settle(client, debate, PATIENCE, here.report_progress)
        return await memo_of(client, debate)

    async def start_debate(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        preset: PresetName = "",
        rounds: Rounds = None,
        max_cost: Money = None,
        key: Annotated[
            str, Field(max_length=200, description="Requests with the same key return the same debate.")
        ] = "",
    ) -> BegunResult:  # house: wide because a tool's parameters are its interface
        """Start a debate and return its id at once. This costs money. wait_for_debate waits for its end."""
        client = self.server.client(here)
        debate = await client.admission.begin(_order(question, models, protocol, preset, rounds, max_cost), key)
        return BegunResult(id=debate, next=f"call wait_for_debate with {debate}; get_debate shows what was said so far")

    async def check_brief(
        self,
        question: Question,
        here: Here,
        models: Names | None = None,
        protocol: Protocol = "",
        preset: PresetName = "",
        rounds: Rounds = None,
        max_cost: Money = None,
    ) -> PlanResult:  # house: wide because a tool's parameters are its interface
        """Show how a question or brief was understood and what the debate would cost. Nothing is sent to a model."""
        client = self.server.client(here)
        start = await client.admission.make_ready(_order(question, models, protocol, preset, rounds, max_cost))
        return PlanResult.model_validate(plan_data(start.prepared))

    async def wait_for_debate(
        self,
        id: Id,
        here: Here,
        seconds: Annotated[float, Field(ge=0, le=LONGEST, description="Maximum number of seconds to wait.")] = PATIENCE,
    ) -> Memo:
        """Wait for the end of a debate, report its progress, and return its decision.

        The tool returns earlier if a person has to answer or the debate is paused. When the time is over it returns,
        and the debate continues.
        """
        client = self.server.client(here)
        await client.check_seen(id)
        if (await client.runner.running_state(id)).by:
            await settle(client, id, seconds, here.report_progress)
        return await memo_of(client, id)

    async def stop_debate(
        self,
        id: Id,
        here: Here,
        now: Annotated[bool, Field(description="Stop at once; answers in progress are lost.")] = False,
    ) -> Memo:
        """Stop a debate after the answers in progress. Nothing that was said is lost; resume_debate continues it."""
        client = await self._own(id, here)
        await client.runner.pause(id, now=now)
        if (await client.runner.running_state(id)).by:
            await settle(client, id, PATIENCE, here.report_progress)
        return await memo_of(client, id)

    async def resume_debate(self, id: Id, here: Here, max_cost: Money = None) -> Memo:
        """Resume a debate that was stopped, interrupted or paused by a limit. Finished answers are not paid for twice.

        A higher max_cost, counted from the start of the debate, raises its limit. wait_for_debate waits for its end.
        """
        client = await self._own(id, here)
        await client.admission.resume(id, LimitOverrides(cost=max_cost))
        return await memo_of(client, id)

    async def _own(self, debate: str, here: Here) -> Client:
        client = self.server.client(here)
        await client.check_own(debate)
        return client


def _order(
    question: str, models: list[str] | None, protocol: str, preset: str, rounds: int | None, cost: float | None
) -> DebateRequest:
    overrides = Overrides(models=tuple(models or ()), protocol=protocol, rounds=rounds, caps=LimitOverrides(cost=cost))
    return DebateRequest(brief=question, overrides=overrides, preset=preset)
