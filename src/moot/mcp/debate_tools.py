"""Tools that hold debates. This file owns how an agent begins one, waits for it, stops it and goes on with it."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from moot.app.export.foretelling import plan_data
from moot.app.run.choosing import Caps, Wishes
from moot.app.serve.admission import Order
from moot.mcp.clients import Client
from moot.mcp.summaries import memo_of
from moot.mcp.tool_results import Begun, Memo, Plan
from moot.mcp.tool_server import Here, Server
from moot.mcp.waiting import settle

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
        debate = await client.reception.begin(order)
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
        debate = await client.reception.begin(_order(question, models, protocol, rounds, max_cost), key)
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
        start = await client.reception.make_ready(_order(question, models, protocol, rounds, max_cost))
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
        if (await client.hall.look(id)).by:
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
        await client.hall.pause(id, now=now)
        if (await client.hall.look(id)).by:
            await settle(client, id, PATIENCE, here.report_progress)
        return await memo_of(client, id)

    async def resume_debate(self, id: Id, here: Here, max_cost: Money = None) -> Memo:
        """Go on with a debate that was stopped, broken off or came to a limit; finished answers are not paid twice.

        A higher max_cost, counted from its beginning, lifts a limit on cost. wait_for_debate waits for its end.
        """
        client = await self._own(id, here)
        await client.reception.go_on(id, Caps(cost=max_cost))
        return await memo_of(client, id)

    async def _own(self, debate: str, here: Here) -> Client:
        client = self.server.client(here)
        await client.check_own(debate)
        return client


def _order(question: str, models: list[str] | None, protocol: str, rounds: int | None, cost: float | None) -> Order:
    wishes = Wishes(models=tuple(models or ()), protocol=protocol, rounds=rounds, caps=Caps(cost=cost))
    return Order(brief=question, wishes=wishes)
