"""The conformance kit for seats and models: ours pass, and what breaks the promise is found."""

import itertools
from dataclasses import replace

import pytest

from folkmoot.agents.llm import ModelAgent
from folkmoot.core.agent import Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Value
from folkmoot.core.errors import Refused
from folkmoot.core.event import Called
from folkmoot.demo.debater import DemoDebater
from folkmoot.models.base import Request
from folkmoot.testing.conformance import check_agent, check_model
from folkmoot.testing.replay import SeededAgent
from folkmoot.testing.scripted import Scripted, ScriptedModel
from folkmoot.testing.wires import Wires
from tests.models.models_kit import build

GOOD = '{"ANSWER": "Tea", "CONFIDENCE": 0.5, "ARGUMENT": "It is warm."}'


def good(request: Request) -> str:
    return "I vote for: Tea" if "I vote for" in request.messages[-1].text else GOOD


async def test_our_seats_conform() -> None:
    await check_agent(DemoDebater)
    await check_agent(lambda: ModelAgent(ScriptedModel(good)))
    await check_agent(SeededAgent)
    await check_agent(lambda: Scripted(lambda ask, context: Refused("no")))


async def test_our_models_conform(monkeypatch: pytest.MonkeyPatch) -> None:
    await check_model(lambda: ScriptedModel(lambda request: "Tea."))
    async with Wires().serve() as server:
        monkeypatch.setenv("OLLAMA_HOST", server.url)
        await check_model(lambda: build("ollama:tiny"))


NUMBERS = itertools.count()


class Paying:
    """A seat with a habit."""

    def __init__(self, habit: str) -> None:
        self.habit = habit

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        if self.habit == "forgetful":
            await recorder.call(f"answer {next(NUMBERS)}", Quote(model="m"), _send)
        habits: dict[str, dict[str, Value]] = {
            "invents": {"COLOUR": "red"},
            "chooses": {"ANSWER": "Cocoa"},
            "counts": {"CONFIDENCE": 7.0},
            "writes": {"CONFIDENCE": "much"},
        }
        filled = ask.form is not None and ask.form.layout != "line"
        return Reply(
            text="" if self.habit == "silent" else "words", fields=habits.get(self.habit, {}) if filled else {}
        )


async def _send() -> Called:
    return Called(key="", call="", text="words")


@pytest.mark.parametrize(
    ("habit", "message"),
    [
        ("invents", "no field COLOUR"),
        ("chooses", "ANSWER cannot be 'Cocoa'"),
        ("counts", "CONFIDENCE"),
        ("writes", "CONFIDENCE is not a number"),
        ("silent", "words or fields"),
        ("forgetful", "sent again"),
    ],
)
async def test_a_seat_that_breaks_the_promise_is_found(habit: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        await check_agent(lambda: Paying(habit))


class Odd(ScriptedModel):
    """A model with a habit."""

    def __init__(self, habit: str) -> None:
        super().__init__(lambda request: "Tea.", name="tea" if habit == "nameless" else "scripted:tea")
        self.habit = habit

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        match self.habit:
            case "hidden":
                return Called(key="", call="answer", text="Tea.", model=self.name)
            case "mute":
                return await recorder.call("answer", self.quote(request), _silent)
            case _:
                called = await super().complete(request, recorder)
                return replace(called, model="other:model") if self.habit == "disguised" else called


async def _silent() -> Called:
    return Called(key="", call="answer", text="Tea.", model="scripted:tea")


@pytest.mark.parametrize(
    ("habit", "message"),
    [("nameless", "provider:name"), ("hidden", "pieces"), ("mute", "pieces"), ("disguised", "names the model")],
)
async def test_a_model_that_breaks_the_promise_is_found(habit: str, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        await check_model(lambda: Odd(habit))
