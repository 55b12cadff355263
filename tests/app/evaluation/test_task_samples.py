"""Samples of another framework as debates: its models answer by role, and its log gets the way to the record."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from folkmoot.app.evaluation.questions import Question
from folkmoot.app.evaluation.setup import Arm
from folkmoot.app.evaluation.task_samples import RoleModel, Send, debate_sample
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Usage
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.core.event import Called
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import settle

CITIES = ("Rome", "Paris", "Berlin")
CITY = Question(id="s1", input="Which city?", kind="option", options=CITIES)
PANEL = Arm(kind="panel")


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)


def models(answers: Mapping[str, str], prompts: list[str] | None = None) -> Send:
    """Each role's answer; one that is missing fails."""

    async def send(role: str, request: Request) -> Called:
        await asyncio.sleep(0)
        if prompts is not None:
            prompts.append("\n".join(message.text for message in request.messages))
        if role not in answers:
            raise ModelError(f"no model for {role}", kind="server")
        return Called(
            key="",
            call=request.call,
            text=answers[role],
            model=f"inspect:{role}-model",
            usage=Usage(input_tokens=10, output_tokens=5),
            finish="stop",
        )

    return send


def says(*words: str) -> dict[str, str]:
    return {f"seat{n}": f"ANSWER: {word}\nARGUMENT: So it is." for n, word in enumerate(words, start=1)}


async def sampled(
    answers: Mapping[str, str], arm: Arm = PANEL, question: Question = CITY, seats: int = 3
) -> dict[str, object]:
    return await debate_sample(InMemoryStore(), question, arm, models(answers), seats=seats)


def ended(came: Mapping[str, object]) -> tuple[object, object]:
    return came["state"], came["answer"]


async def test_the_decision_is_the_answer() -> None:
    came = await sampled(says("Paris", "Paris", "Rome"))
    assert (ended(came), came["how"]) == (("answered", "Paris"), "Paris has 2 of 3")


async def test_nothing_is_guessed_where_there_is_a_tie_or_no_answer() -> None:
    assert ended(await sampled(says("Paris", "Rome"), seats=2)) == ("tied", "")
    assert ended(await sampled({"seat1": "Well.", "seat2": "Hm."}, seats=2)) == ("unread", "")
    assert ended(await sampled({"seat1": " "}, seats=2)) == ("failed", "")


async def test_copies_are_told_by_the_models_that_answered() -> None:
    came = await sampled(says("Paris", "Paris", "Paris"), Arm(kind="panel", threshold=0.0))
    warnings = str(came["warnings"])
    assert "copies" not in warnings or "seat" not in warnings
    assert "No debate took place" in warnings


async def test_instructions_of_a_task_reach_everybody_and_options_keep_their_order() -> None:
    prompts: list[str] = []
    question = replace(CITY, documents=(Source(name="instructions.md", text="Think of France."),))
    store = InMemoryStore()
    came = await debate_sample(store, question, PANEL, models(says("Paris", "Paris", "Paris"), prompts))
    assert all("Think of France." in prompt for prompt in prompts)
    brief = fold(await Workspace(store).entries(str(came["debate"]))).brief
    assert brief
    assert brief.options == CITIES


async def test_a_judge_is_a_role_of_its_own() -> None:
    judge = {"judge": "BEST: Answer A\nREASON: It is right."}
    came = await sampled(says("Paris", "Rome") | judge, Arm(kind="select"), seats=2)
    assert came["state"] in ("answered", "unread")
    with pytest.raises(BriefError, match="no protocol is called"):
        await sampled(says("Paris", "Rome"), Arm(kind="pannel"))


async def test_every_call_is_on_record_once() -> None:
    store, prompts = InMemoryStore(), list[str]()
    came = await debate_sample(store, CITY, PANEL, models(says("Paris", "Paris", "Rome"), prompts))
    entries = await Workspace(store).entries(str(came["debate"]))
    calls = [entry.event for entry in entries if isinstance(entry.event, Called)]
    assert len(calls) == len(prompts) > 0
    used = fold(entries).usage
    assert (used.input_tokens, used.output_tokens) == (10 * len(prompts), 5 * len(prompts))


async def test_a_retry_asks_nothing_that_is_on_record() -> None:
    store, prompts = InMemoryStore(), list[str]()
    answers = says("Paris", "Paris", "Rome")

    async def debated(sample: str, seats: int = 3) -> tuple[dict[str, object], int]:
        before = len(prompts)
        came = await debate_sample(store, CITY, PANEL, models(answers, prompts), seats=seats, sample=sample)
        return came, len(prompts) - before

    first, asked = await debated("run 1")
    assert asked > 0
    assert await debated("run 1") == (first, 0)
    for sample, seats in (("run 2", 3), ("run 1", 2), ("", 3), ("", 3)):
        other, more = await debated(sample, seats)
        assert (other["debate"] != first["debate"], more > 0) == (True, True)


async def test_a_retry_goes_on_where_the_first_try_broke_off() -> None:
    store, prompts = InMemoryStore(), list[str]()
    send = models(says("Paris", "Paris", "Rome"), prompts)

    async def broken(role: str, request: Request) -> Called:
        if role == "seat3":
            await asyncio.sleep(0.01)
            raise asyncio.CancelledError
        return await send(role, request)

    with pytest.raises(asyncio.CancelledError):
        await debate_sample(store, CITY, PANEL, broken, sample="run 1")
    broken_off = list(prompts)
    assert broken_off
    came = await debate_sample(store, CITY, PANEL, send, sample="run 1")
    assert ended(came) == ("answered", "Paris")
    alone: list[str] = []
    await debate_sample(store, CITY, PANEL, models(says("Paris", "Paris", "Rome"), alone))
    assert len(prompts) == len(alone)


async def test_a_try_in_which_nobody_answered_is_made_anew() -> None:
    store = InMemoryStore()
    failed = await debate_sample(store, CITY, PANEL, models({}), sample="run 1")
    assert failed["state"] == "failed"
    came = await debate_sample(store, CITY, PANEL, models(says("Paris", "Paris", "Rome")), sample="run 1")
    assert ended(came) == ("answered", "Paris")
    assert came["debate"] != failed["debate"]


async def test_open_answers_are_asked_for_without_options() -> None:
    came = await sampled(says("42", "42", "42"), question=Question(id="s1", input="How many?", kind="text"))
    assert ended(came) == ("answered", "42")
    await RoleModel("guest:seat1", models({})).close()


@pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="inspect-ai is installed")
def test_without_inspect_the_missing_package_is_named() -> None:
    with pytest.raises(ImportError, match="inspect-ai"):
        import_module("folkmoot.inspect")
