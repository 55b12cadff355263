"""Agents that give more than a text, the context's other methods, and streams that are left and resumed at once."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from folkmoot.council import AgentWrapper, Context, Council, DebateStep
from folkmoot.models.custom import text_of
from tests.council.councils import agents


@dataclass
class Result:
    """What an agent's framework gives."""

    message: object


@dataclass
class Message:
    """A message of a chat model."""

    content: object


class Property:
    """An object whose text is computed, beside a method of another kind."""

    def content(self) -> str:
        """No text: a method."""
        return "method"

    @property
    def text(self) -> str:
        """The text."""
        return "Buy."


GIVEN: list[tuple[object, str | None]] = [
    ("Buy.", "Buy."),
    ({"role": "assistant", "content": "Buy."}, "Buy."),
    ({"role": "assistant", "content": [{"text": "Buy."}, {"text": "Now."}]}, "Buy.\nNow."),
    ({"content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Buy."}]}, "Buy."),
    ([{"type": "text", "text": "Buy."}], "Buy."),
    (Message("Buy."), "Buy."),
    (Message([{"type": "text", "text": "Buy."}, {"type": "tool_use", "name": "x"}]), "Buy."),
    (Result({"role": "assistant", "content": [{"text": "Buy."}]}), "Buy."),
    (Result(Message(["Buy."])), "Buy."),
    (Property(), "Buy."),
    ({"message": {"content": "Buy."}}, "Buy."),
    (None, None),
    (7, None),
    (b"Buy.", None),
    ({}, None),
    ([], None),
    ({"content": []}, None),
    (Message, None),
]


@pytest.mark.parametrize(("answer", "text"), GIVEN)
def test_the_text_of_what_an_agent_gives(answer: object, text: str | None) -> None:
    assert text_of(answer) == text


def test_what_holds_itself_has_no_text() -> None:
    loop: list[object] = []
    loop.append(loop)
    assert text_of(loop) is None


def wrapped(wrap: Callable[[str], object], vote: str) -> Callable[[str], object]:
    def agent(prompt: str) -> object:
        return wrap(f"I vote for: {vote}" if "I vote for:" in prompt else f"{vote}'s plan")

    return agent


async def test_agents_that_give_messages_and_objects_debate(tmp_path: Path) -> None:
    people = [
        AgentWrapper(wrapped(lambda text: {"role": "assistant", "content": [{"text": text}]}, "Ada"), "Ada"),
        AgentWrapper(wrapped(lambda text: Result({"content": [{"text": text}]}), "Ada"), "Bo"),
        AgentWrapper(wrapped(Message, "Cy"), "Cy"),
    ]
    result = await DebateStep(people, rounds=0, store=tmp_path / "s").execute("Which plan?")
    assert result["proposals"] == {"Ada": "Ada's plan", "Bo": "Ada's plan", "Cy": "Cy's plan"}
    assert (result["winner"], result["votes"]) == ("Ada's plan", {"Ada": 2, "Bo": 0, "Cy": 1})


def test_a_context_is_updated_given_as_a_dictionary_and_cleared() -> None:
    context = Context({"a": 1}, entries=3)
    context.update({"b": 2, "a": 3})
    assert context.to_dict() == {"b": 2, "a": 3}
    assert list(context.to_dict()) == ["b", "a"]
    context.to_dict()["c"] = 4
    assert context.get("c") is None
    context.update({"c": 1, "d": 2})
    assert context.to_dict() == {"a": 3, "c": 1, "d": 2}
    assert "left out" in context.to_prompt_context()
    context.clear()
    assert (context.to_dict(), context.to_prompt_context()) == ({}, "")


async def test_a_stream_that_is_still_read_ends_where_its_debate_is_resumed(tmp_path: Path) -> None:
    council = Council(
        "c", [DebateStep(agents(Ada="I vote for: Bo", Bo="I vote for: Bo"), rounds=2)], store=tmp_path / "s"
    )
    events = council.stream_execute("Which plan?")
    first = [await anext(events), await anext(events)]
    step = council.steps[0]
    assert isinstance(step, DebateStep)
    step.store = council.store
    result = await step.resume(first[-1].debate)
    assert result["winner"] == "Bo's plan"
    rest = [event.type async for event in events]
    assert "step_end" not in rest
