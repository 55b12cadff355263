"""Samples of another framework as debates: its models answer by role, and its log gets the way to the record."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.app.evaluation.task_samples import (
    Debating,
    RoleModel,
    Sampled,
    Send,
    debate_sample,
    question_of,
    store_of,
)
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Usage
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.core.event import Called
from folkmoot.core.transcript import fold
from folkmoot.models.base import Request
from folkmoot.testing.store_checks import InMemoryStore
from tests.cli.commands import settle

CITIES = ("Rome", "Paris", "Berlin")


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
    answers: Mapping[str, str], how: Debating | None = None, options: tuple[str, ...] = CITIES
) -> Sampled:
    question = question_of("s1", "Which city?", options, {"instructions.md": ""})
    return await debate_sample(InMemoryStore(), question, how or Debating(), models(answers))


async def test_the_decision_is_the_answer_and_the_log_says_how_to_read_its_record() -> None:
    came = await sampled(says("Paris", "Paris", "Rome"))
    assert (came.state, came.answer, came.how) == ("answered", "Paris", "Paris has 2 of 3")
    data = came.as_data("/r.sqlite", "http://127.0.0.1:8765/")
    assert data["link"] == f"http://127.0.0.1:8765/d/{came.debate}"
    assert data["show"] == f"folkmoot show {came.debate} --store /r.sqlite"
    assert "link" not in came.as_data("/r.sqlite")


async def test_nothing_is_guessed_where_there_is_a_tie_or_no_answer() -> None:
    two = Debating(seats=2)
    tied = await sampled(says("Paris", "Rome"), two)
    assert (tied.state, tied.answer) == ("tied", "")
    unread = await sampled({"seat1": "Well.", "seat2": "Hm."}, two)
    assert (unread.state, unread.answer) == ("unread", "")
    failed = await sampled({"seat1": " "}, two)
    assert (failed.state, failed.answer) == ("failed", "")


async def test_copies_are_told_by_the_models_that_answered() -> None:
    came = await sampled(says("Paris", "Paris", "Paris"), Debating(settings=("threshold=0",)))
    assert not any("seat" in warning for warning in came.warnings if "copies" in warning)
    assert any(warning.startswith("No debate took place") for warning in came.warnings)


async def test_instructions_of_a_task_reach_everybody_and_options_keep_their_order() -> None:
    prompts: list[str] = []
    question = question_of("s1", "Which city?", CITIES, {"instructions.md": "Think of France."})
    store = InMemoryStore()
    came = await debate_sample(store, question, Debating(), models(says("Paris", "Paris", "Paris"), prompts))
    assert all("Think of France." in prompt for prompt in prompts)
    brief = fold(await Workspace(store).entries(came.debate)).brief
    assert brief
    assert brief.options == CITIES


async def test_a_judge_is_a_role_of_its_own() -> None:
    judge = {"judge": "BEST: Answer A\nREASON: It is right."}
    came = await sampled(says("Paris", "Rome") | judge, Debating(protocol="select", seats=2))
    assert came.state in ("answered", "unread")
    with pytest.raises(BriefError, match="no protocol is called"):
        await sampled(says("Paris", "Rome"), Debating(protocol="pannel"))


async def test_every_call_is_on_record_once() -> None:
    store, prompts = InMemoryStore(), list[str]()
    question = question_of("s1", "Which city?", CITIES, {})
    came = await debate_sample(store, question, Debating(), models(says("Paris", "Paris", "Rome"), prompts))
    entries = await Workspace(store).entries(came.debate)
    calls = [entry.event for entry in entries if isinstance(entry.event, Called)]
    assert len(calls) == len(prompts) > 0
    used = fold(entries).usage
    assert (used.input_tokens, used.output_tokens) == (10 * len(prompts), 5 * len(prompts))


async def test_a_retry_asks_nothing_that_is_on_record() -> None:
    store, prompts = InMemoryStore(), list[str]()
    question = question_of("s1", "Which city?", CITIES, {})
    answers = says("Paris", "Paris", "Rome")

    async def debated(sample: str, how: Debating | None = None) -> tuple[Sampled, int]:
        before = len(prompts)
        came = await debate_sample(store, question, how or Debating(), models(answers, prompts), sample)
        return came, len(prompts) - before

    first, asked = await debated("run 1")
    assert asked > 0
    assert await debated("run 1") == (first, 0)
    for sample, how in (("run 2", None), ("run 1", Debating(seats=2)), ("", None), ("", None)):
        other, more = await debated(sample, how)
        assert (other.debate != first.debate, more > 0) == (True, True)


async def test_a_retry_goes_on_where_the_first_try_broke_off() -> None:
    store, prompts = InMemoryStore(), list[str]()
    question = question_of("s1", "Which city?", CITIES, {})
    send = models(says("Paris", "Paris", "Rome"), prompts)

    async def broken(role: str, request: Request) -> Called:
        if role == "seat3":
            await asyncio.sleep(0.01)
            raise asyncio.CancelledError
        return await send(role, request)

    with pytest.raises(asyncio.CancelledError):
        await debate_sample(store, question, Debating(), broken, "run 1")
    broken_off = list(prompts)
    assert broken_off
    came = await debate_sample(store, question, Debating(), send, "run 1")
    assert (came.state, came.answer) == ("answered", "Paris")
    alone: list[str] = []
    await debate_sample(store, question, Debating(), models(says("Paris", "Paris", "Rome"), alone))
    assert len(prompts) == len(alone)


async def test_a_try_in_which_nobody_answered_is_made_anew() -> None:
    store = InMemoryStore()
    question = question_of("s1", "Which city?", CITIES, {})
    failed = await debate_sample(store, question, Debating(), models({}), "run 1")
    assert failed.state == "failed"
    came = await debate_sample(store, question, Debating(), models(says("Paris", "Paris", "Rome")), "run 1")
    assert (came.state, came.answer) == ("answered", "Paris")
    assert came.debate != failed.debate


async def test_open_answers_are_asked_for_without_options() -> None:
    came = await sampled(says("42", "42", "42"), options=())
    assert (came.state, came.answer) == ("answered", "42")


async def test_records_go_where_the_task_says(tmp_path: Path) -> None:
    store, place = store_of(tmp_path / "r.sqlite")
    assert place == str(tmp_path / "r.sqlite")
    question = question_of("s1", "Which city?", CITIES, {})
    came = await debate_sample(store, question, Debating(), models(says("Paris", "Paris", "Paris")))
    await store.close()
    again, _ = store_of(tmp_path / "r.sqlite")
    assert (await Workspace(again).entries(came.debate))[-1].event
    await again.close()
    await RoleModel("seat1", models({})).close()
