"""MCP tools that run debates: start one, report its progress, wait for it, stop it and resume it."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from folkmoot.app.export.plans import plan_data
from folkmoot.app.run.prepare import LimitOverrides, Overrides
from folkmoot.app.serve.admission import MOST_SENT, DebateRequest, read_sent_files
from folkmoot.app.serve.settle import settle
from folkmoot.core.brief import COST, MODELS, ROUNDS
from folkmoot.mcp.clients import Client
from folkmoot.mcp.summaries import memo_of
from folkmoot.mcp.tool_results import BegunResult, Memo, PlanResult
from folkmoot.mcp.tool_server import Here, Server

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
Files = Annotated[
    dict[str, str],
    Field(max_length=MOST_SENT, description="Pictures and PDFs: bytes in base64, by name."),
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
        files: Files | None = None,
    ) -> Memo:
        """Run a debate and return its decision, with votes, dissent and minority answers. This costs money.

        Progress is reported. If the debate takes longer than 50 seconds, the tool returns its id while the debate
        continues; call wait_for_debate then. The debate also continues if you stop waiting.
        """
        client = self.server.client(here)
        order = await _order(question, models, protocol, preset, rounds, max_cost, files)
        debate = await client.admission.begin(order)
        await settle(client.runner, debate, PATIENCE, here.report_progress)
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
        files: Files | None = None,
        key: Annotated[
            str, Field(max_length=200, description="Requests with the same key return the same debate.")
        ] = "",
    ) -> BegunResult:
        """Start a debate and return its id at once. This costs money. wait_for_debate waits for its end."""
        client = self.server.client(here)
        order = await _order(question, models, protocol, preset, rounds, max_cost, files)
        debate = await client.admission.begin(order, key)
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
        files: Files | None = None,
    ) -> PlanResult:
        """Show how a question or brief was understood and what the debate would cost. Nothing is sent to a model."""
        client = self.server.client(here)
        order = await _order(question, models, protocol, preset, rounds, max_cost, files)
        start = await client.admission.make_ready(order)
        return PlanResult.model_validate(plan_data(start))

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
            await settle(client.runner, id, seconds, here.report_progress)
        return await memo_of(client, id)

    async def stop_debate(
        self,
        id: Id,
        here: Here,
        now: Annotated[bool, Field(description="Stop at once; answers in progress are lost.")] = False,
    ) -> Memo:
        """Stop a debate after the answers in progress. Nothing that was said is lost; resume_debate continues it."""
        client = await self._owner_client(id, here)
        await client.runner.pause(id, now=now)
        if (await client.runner.running_state(id)).by:
            await settle(client.runner, id, PATIENCE, here.report_progress)
        return await memo_of(client, id)

    async def resume_debate(self, id: Id, here: Here, max_cost: Money = None) -> Memo:
        """Resume a debate that was stopped, interrupted or paused by a limit. Finished answers are not paid for twice.

        A higher max_cost, counted from the start of the debate, raises its limit. wait_for_debate waits for its end.
        """
        client = await self._owner_client(id, here)
        await client.admission.resume(id, LimitOverrides(cost=max_cost))
        return await memo_of(client, id)

    async def _owner_client(self, debate: str, here: Here) -> Client:
        client = self.server.client(here)
        await client.check_own(debate)
        return client


async def _order(
    question: str,
    models: list[str] | None,
    protocol: str,
    preset: str,
    rounds: int | None,
    cost: float | None,
    files: dict[str, str] | None,
) -> DebateRequest:
    overrides = Overrides(models=tuple(models or ()), protocol=protocol, rounds=rounds, caps=LimitOverrides(cost=cost))
    background = await read_sent_files([*(files or {}).items()])
    return DebateRequest(brief=question, overrides=overrides, preset=preset, background=background)
