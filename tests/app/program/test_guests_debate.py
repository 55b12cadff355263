"""Guests of all kinds at one table: a debate on record, resumed without paying twice; and what is never loaded."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import folkmoot
from folkmoot.app.export.reports import read_record, write_report
from folkmoot.app.program.program_agents import register
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Attempted, Called
from folkmoot.models.base import Model
from folkmoot.models.pool import Pool
from folkmoot.protocols.known import Choices
from folkmoot.record.sqlite import SqliteStore
from folkmoot.testing.conformance import check_model
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY

BRIEF = Brief(
    topic="Should the office buy tea or coffee?",
    participants=tuple(
        Participant(name=name, seat=seat)
        for name, seat in (("Fay", "guest:fay"), ("Pia", "guest:pia"), ("Lou", "guest:lou"), ("Moe", "ollama:tiny"))
    ),
)


def well(prompt: str) -> str:
    """What everybody answers: a proposal, or a vote for the first one."""
    if "I vote for" in prompt:
        return "I vote for: Proposal A"
    return "ANSWER: tea\nCONFIDENCE: 0.6\nARGUMENT: It keeps warm."


class Lou(SimpleChatModel):
    """A LangChain chat model of one's own."""

    hear: Callable[[str], None]

    @property
    def _llm_type(self) -> str:
        return "lou"

    def _call(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> str:
        prompt = "\n".join(str(message.text) for message in messages)
        self.hear(prompt)
        return well(prompt)


class Table:
    """A desk with a guest of each kind, and a model on a server."""

    def __init__(self) -> None:
        self.heard: dict[str, list[str]] = {name: [] for name in ("fay", "pia", "lou", "moe")}
        self.fay = self.listen

    def play(self, call: Call) -> Plan:
        self.heard["moe"].append(call.prompt)
        return Plan(text=well(call.prompt))

    async def listen(self, prompt: str) -> str:
        self.heard["fay"].append(prompt)
        return well(prompt)

    async def pia(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        parts = [part for message in messages for part in message.parts]
        self.heard["pia"].append("\n".join(str(part.content) for part in parts if isinstance(part, UserPromptPart)))
        return ModelResponse(parts=[TextPart(well(self.heard["pia"][-1]))])

    @asynccontextmanager
    async def open(self, folder: Path) -> AsyncGenerator[Workspace]:
        async with Wires(script=self.play).serve() as server:
            pool = Pool(env={"OLLAMA_HOST": server.url}, retry=HASTY)
            workspace = Workspace(SqliteStore.open(folder / "folkmoot.sqlite"), pool=pool)
            assert register(pool, "fay", self.fay) == "guest:fay"
            assert register(pool, "pia", Agent(FunctionModel(self.pia), instructions="You are fair.")) == "guest:pia"
            assert register(pool, "lou", Lou(hear=self.heard["lou"].append)) == "guest:lou"
            try:
                yield workspace
            finally:
                await workspace.close()


async def test_three_kinds_of_guests_and_a_model_debate_on_record(tmp_path: Path) -> None:
    table = Table()
    async with table.open(tmp_path) as workspace:
        plan = workspace.plan(BRIEF, protocol="council", choices=Choices(rounds=1), models=())
        outcome = await workspace.run(plan, "tea")
        again = await workspace.resume("tea")
        entries = await workspace.entries("tea")
        page = write_report((await read_record(workspace, "tea")).report)
    assert outcome.status == "decided"
    assert again == outcome
    called = [entry.event for entry in entries if isinstance(entry.event, Called)]
    assert Counter(model_call.model for model_call in called) == {
        participant.seat: 3 for participant in BRIEF.participants
    }
    assert {name: len(prompts) for name, prompts in table.heard.items()} == dict.fromkeys(table.heard, 3)
    assert all(
        "Should the office buy tea or coffee?" in text for name in ("fay", "pia", "lou") for text in table.heard[name]
    )
    assert [model_call.usage.estimated for model_call in called if model_call.model == "guest:fay"] == [True] * 3
    assert [model_call.usage.estimated for model_call in called if model_call.model == "guest:pia"] == [False] * 3
    assert all(name in page for name in ("Fay", "Pia", "Lou", "Moe"))


async def test_a_debate_that_stands_still_goes_on_with_guests_invited_anew(tmp_path: Path) -> None:
    before, behind = Table(), Table()
    async with before.open(tmp_path) as workspace:
        brief = replace(BRIEF, limits=Limits(asks=8))
        paused = await workspace.run(
            workspace.plan(brief, protocol="council", choices=Choices(rounds=1), models=()), "tea"
        )
    assert (paused.status, paused.kind) == ("paused", "limit")
    assert {name: len(prompts) for name, prompts in before.heard.items()} == dict.fromkeys(before.heard, 2)
    stranger = Workspace(SqliteStore.open(tmp_path / "folkmoot.sqlite"), pool=Pool(env={}))
    with pytest.raises(BriefError, match="Fay: guest:fay belongs to a program; resume the debate in that program"):
        await stranger.resume("tea", limits=Limits())
    await stranger.close()
    async with behind.open(tmp_path) as workspace:
        resumed = await workspace.resume("tea", limits=Limits())
        tries = Counter(
            (e.event.key, e.event.call) for e in await workspace.entries("tea") if isinstance(e.event, Attempted)
        )
    assert resumed.status == "decided"
    assert {name: len(prompts) for name, prompts in behind.heard.items()} == dict.fromkeys(behind.heard, 1)
    assert set(tries.values()) == {1}


async def test_a_guest_that_fails_is_reported_and_the_others_go_on(tmp_path: Path) -> None:
    table = Table()

    async def broken(prompt: str) -> str:
        raise KeyError("a bug")

    table.fay = broken
    async with table.open(tmp_path) as workspace:
        outcome = await workspace.run(
            workspace.plan(BRIEF, protocol="council", choices=Choices(rounds=1), models=()), "tea"
        )
        page = write_report((await read_record(workspace, "tea")).report)
    assert outcome.status == "decided"
    assert "guest:fay raised KeyError: 'a bug'" in page
    assert len(table.heard["pia"]) == 3


async def test_by_public_names_a_guest_debates_beside_the_built_in_seat(tmp_path: Path) -> None:
    workspace = folkmoot.Workspace.at(tmp_path / "own.sqlite")
    ann = folkmoot.Participant(name="Ann", seat=folkmoot.register(workspace.pool, "ann", well))
    plan = workspace.plan(folkmoot.Brief(topic="Tea?", participants=(ann, folkmoot.Participant(name="Bob"))))
    outcome = await workspace.run(plan, "tea")
    await workspace.close()
    assert (plan.name, [participant.seat for participant in plan.brief.participants]) == (
        "panel",
        ["guest:ann", "builtin:quotes"],
    )
    assert outcome.transcript.turns(by="Ann")[0].fields["ANSWER"] == "tea"


def open_function() -> object:
    async def agent(prompt: str) -> str:
        return "Tea, for it keeps warm."

    return agent


def open_agent() -> object:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[TextPart("Tea, for it keeps warm.")])

    return Agent(FunctionModel(answer))


def open_chat() -> object:
    return FakeListChatModel(responses=["Tea, for it keeps warm."])


@pytest.mark.parametrize("open_one", [open_function, open_agent, open_chat])
async def test_guests_keep_the_promise_of_a_model(open_one: Callable[[], object]) -> None:
    def open_model() -> Model:
        pool = Pool(env={}, retry=HASTY)
        return pool.model(register(pool, "ann", open_one()))

    await check_model(open_model)


# ---- what is not loaded --------------------------------------------------------------------------------------------

QUIET = """
import asyncio, sys
from pathlib import Path
import folkmoot
people = tuple(folkmoot.Participant(name=name, seat="builtin:quotes") for name in ("Ann", "Bob"))
folkmoot.run(folkmoot.Brief(topic="Tea?", participants=people), store=Path("a.sqlite"))
from folkmoot.core.errors import BriefError
from folkmoot.app.program.program_agents import register
from folkmoot.models.pool import Pool
async def agent(prompt):
    return "yes"
register(Pool(), "ann", agent)
try:
    register(Pool(), "bob", object())
except BriefError as error:
    print(error)
print([name for name in ("langchain_core", "langgraph", "pydantic_ai") if name in sys.modules])
"""


@pytest.mark.system
def test_no_package_of_guests_is_loaded_without_one(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-c", QUIET]
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    ran = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=120)
    text = (
        "bob is an object of type object; an agent is a function that takes one str and returns a str (async or plain)"
        ", a PydanticAI Agent or a LangChain chat model\n[]\n"
    )
    assert (ran.returncode, ran.stdout) == (0, text), ran.stderr
