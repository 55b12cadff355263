"""Prompts for models with little context: what is left out, what stays, and what is not sent at all."""

from dataclasses import replace

import pytest

from folkmoot.agents.context_window import fitted_prompt
from folkmoot.agents.llm import ModelAgent
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant, Settings, Source, View
from folkmoot.core.errors import Refused
from folkmoot.core.transcript import Turn
from folkmoot.models.base import Traits
from folkmoot.models.prices import count_tokens
from folkmoot.testing.scripted import ScriptedModel
from tests.models.models_kit import Notebook

ANN = Participant(name="Ann", settings=Settings(max_tokens=64))
BRIEF = Brief(topic="Tea?", participants=(ANN, Participant(name="Bob")))
ASK = Ask(key="/debate/r#1", to="Ann", act="argue", task="Speak.")


def turn(n: int, act: str = "argue") -> Turn:
    ask = Ask(key=f"/debate/x-{n}#1", to="Bob", act=act, task="Speak.")
    return Turn(
        key=ask.key, by="Bob", act=act, number=n, ask=ask, reply=Reply(text=f"Turn {n}: {'tea is good. ' * 12}")
    )


def model(context: int) -> ScriptedModel:
    return ScriptedModel(["Tea."], traits=Traits(context=context))


def prompt(context: Context, size: int) -> tuple[str, int]:
    fitted = fitted_prompt(ASK, context, model(size))
    assert count_tokens(fitted.messages) <= size or not size
    return "\n".join(message.text for message in fitted.messages), fitted.left_out


LONG = Context(brief=BRIEF, me=ANN, turns=tuple(turn(n) for n in range(1, 21)))


@pytest.mark.parametrize("size", [0, 100_000])
def test_where_there_is_room_nothing_is_left_out(size: int) -> None:
    words, left_out = prompt(LONG, size)
    assert (left_out, "Turn 1:" in words, "Not shown" in words) == (0, True, False)


def test_the_oldest_turns_are_left_out_and_the_prompt_says_so() -> None:
    words, left_out = prompt(LONG, 640)
    assert 0 < left_out < 20
    assert [f"Turn {n}:" in words for n in range(1, 21)] == [n > left_out for n in range(1, 21)]
    assert f"{left_out} older turns" in words


def test_the_newest_summary_stands_for_what_is_left_out() -> None:
    turns = tuple(turn(n, "summarize" if n in (3, 6) else "argue") for n in range(1, 21))
    words, left_out = prompt(Context(brief=BRIEF, me=ANN, turns=turns), 640)
    assert left_out > 6
    assert ("Turn 6:" in words, "Turn 3:" in words, "Turn 20:" in words) == (True, False, True)


def test_what_does_not_fit_without_them_either_is_not_sent() -> None:
    brief = Brief(
        topic="Tea?", background=(Source(name="a.md", text="tea is good. " * 900),), participants=BRIEF.participants
    )
    with pytest.raises(Refused) as caught:
        fitted_prompt(ASK, Context(brief=brief, me=ANN, turns=LONG.turns), model(640))
    assert caught.value.kind == "too_long"


def test_who_is_to_see_the_full_log_is_not_asked_with_less_of_it() -> None:
    whole = replace(LONG, view=View(whole=True))
    with pytest.raises(Refused, match="full_log") as caught:
        fitted_prompt(ASK, whole, model(640))
    assert caught.value.kind == "too_long"
    assert fitted_prompt(ASK, whole, model(100_000)).left_out == 0


async def test_the_answer_is_marked() -> None:
    reply = await ModelAgent(model(640)).answer(ASK, LONG, Notebook())
    assert [("left out" in note) for note in reply.notes] == [True]
