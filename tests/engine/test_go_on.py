"""Going on with a form that was cut off: once, by the model's own open message or by a request, on every wire."""

from collections.abc import AsyncGenerator
from typing import cast

import pytest
import pytest_asyncio

from folkmoot.agents.llm import CONTINUED, COPIED, CUT_OFF, REPAIRED, TRUNCATED, ModelAgent
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Form, Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import LimitReached, Unavailable
from folkmoot.core.event import Called
from folkmoot.models.base import Traits
from folkmoot.models.pool import Pool
from folkmoot.protocols.board import member_form, message
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, Notebook, environment

ANN = Participant(name="Ann")
SCENE = Context(brief=Brief(topic="Tea?", participants=(ANN, Participant(name="Bob"))), me=ANN)
FORM = member_form(message(("HIRE", "NO_HIRE")), "Ann", ("Ann", "Bob"))

BEGUN = "<Message>\n<Speaker>Ann</Speaker>\n<Verdict>HIRE</Verdict>\n<VerdictReasoning>So.</VerdictReasoning>\n<Content>She is the best of al"
HEAD = BEGUN.removesuffix(" al")
REST = "all.</Content>\n</Message>"
WHOLE = {"Speaker": "Ann", "Verdict": "HIRE", "VerdictReasoning": "So.", "Content": "She is the best of all."}


def cut(text: str) -> Called:
    return Called(key="", call="", text=text, finish="length")


def ask(form: Form | None = FORM) -> Ask:
    return Ask(key="/debate/meeting#1", to="Ann", act="argue", task="Speak.", form=form)


async def answer(
    *texts: str | Called | Exception, prefill: bool = False, form: Form | None = FORM
) -> tuple[Reply, ScriptedModel, Notebook]:
    model, say = ScriptedModel(texts, traits=Traits(prefill=prefill)), Notebook()
    return await ModelAgent(model).answer(ask(form), SCENE, say), model, say


@pytest.mark.parametrize("rest", [REST, f" {REST}", f"\n{REST}"])
@pytest.mark.parametrize("prefill", [True, False])
async def test_the_whole_is_joined_and_read(rest: str, prefill: bool) -> None:
    reply, _, say = await answer(cut(BEGUN), rest, prefill=prefill)
    assert (reply.fields, reply.unread, reply.notes) == (WHOLE, (), (CONTINUED,))
    assert reply.text == HEAD + " " + REST
    assert [name for name, _ in say.calls] == ["answer", "continue"]
    assert all(quote.tokens > 0 for _, quote in say.calls)


async def test_a_model_goes_on_with_its_own_message_where_the_wire_takes_it() -> None:
    _, model, _ = await answer(cut(BEGUN), REST, prefill=True)
    before, going_on = model.history
    assert going_on.messages[:-1] == before.messages
    assert (going_on.messages[-1].role, going_on.messages[-1].text) == ("assistant", HEAD)


async def test_a_model_is_asked_to_go_on_where_the_wire_does_not() -> None:
    _, model, _ = await answer(cut(BEGUN), REST)
    assert [sent_message.role for sent_message in model.history[1].messages] == ["system", "user", "assistant", "user"]
    assert model.history[1].messages[2].text == HEAD
    assert model.history[1].messages[3].text == f"{CUT_OFF} <Content>She is the best of"


@pytest.mark.parametrize(
    ("text", "head", "gap"),
    [
        ("a bc", "a", " "),
        ("a bc\n", "a", " "),
        ("a \n\n bc", "a", " \n\n "),
        ("世界" * 30, "世界" * 30, ""),
        ("go 世" + "界" * 60 + "\n", "go 世" + "界" * 60, "\n"),
        ("word", "word", ""),
    ],
)
async def test_the_last_word_is_written_again(text: str, head: str, gap: str) -> None:
    reply, model, _ = await answer(cut(text), "and so on", "no", prefill=True)
    assert model.history[1].messages[-1].text == head
    assert reply.text == f"{head}{gap}and so on"


async def test_a_copy_of_the_question_is_no_going_on() -> None:
    reply, model, _ = await answer(cut(BEGUN), f"{CUT_OFF} She is the best of", "no form at all")
    assert COPIED in reply.notes
    assert CONTINUED not in reply.notes
    assert CUT_OFF not in reply.text
    assert model.history[2].messages[-2].text == BEGUN


async def test_what_is_cut_off_again_stays_unread_and_is_asked_for_once() -> None:
    reply, model, _ = await answer(cut(BEGUN), cut("all, which"), "no form at all")
    assert [request.call for request in model.history] == ["answer", "continue", "repair"]
    assert (reply.fields, reply.notes) == ({}, (TRUNCATED, CONTINUED, REPAIRED))
    assert reply.text == f"{HEAD} all, which"
    assert model.history[2].messages[-2].text == reply.text


async def test_an_answer_that_is_begun_anew_stands_for_itself() -> None:
    anew = BEGUN.replace("of al", "of all.</Content>\n</Message>")
    reply, model, _ = await answer(cut(BEGUN), anew)
    assert (reply.fields, reply.text, len(model.history)) == (WHOLE, anew, 2)


async def test_what_only_looks_like_a_new_beginning_is_joined_where_that_can_be_read() -> None:
    begun = "<Message>\n<Verdict>HIRE</Verdict>\n<VerdictReasoning>So.</VerdictReasoning>\n<Content>I would write: x"
    rest = "<Message>\n<Verdict>NO_HIRE</Verdict>\n<Content>n</Content>\n</Message>, but no.</Content>\n</Message>"
    reply, _, _ = await answer(cut(begun), rest)
    assert reply.fields["Verdict"] == "HIRE"


async def test_going_on_that_fails_loses_nothing() -> None:
    reply, model, _ = await answer(cut(BEGUN), Unavailable("gone"), BEGUN.replace("al", "all.</Content>\n</Message>"))
    failed = "going on with what was cut off failed: gone"
    assert (reply.fields, reply.notes) == (WHOLE, (TRUNCATED, failed, REPAIRED))
    assert len(model.history) == 3


async def test_a_limit_in_the_way_goes_up() -> None:
    with pytest.raises(LimitReached):
        await answer(cut(BEGUN), LimitReached("no more"))


async def test_there_is_nothing_to_go_on_from_without_words() -> None:
    reply, model, _ = await answer(cut(" "), BEGUN.replace("al", "all.</Content>\n</Message>"))
    assert (reply.fields, reply.notes) == (WHOLE, (TRUNCATED, REPAIRED))
    assert [request.call for request in model.history] == ["answer", "repair"]


async def test_words_without_a_form_are_left_as_they_are() -> None:
    reply, model, _ = await answer(cut("Tea is war"), form=None)
    assert (reply.text, reply.notes, len(model.history)) == ("Tea is war", (TRUNCATED,), 1)


# ---- on the wires -----------------------------------------------------------------------------------------------

NAMES = {
    "ollama:tiny": True,
    "anthropic:claude-haiku-5-5": False,
    "openai:gpt-4o-mini": False,
    "groq:llama-3.3-70b-versatile": False,
}


def play(call: Call) -> Plan:
    """A server that breaks the first answer off."""
    roles = [row["role"] for row in cast("list[dict[str, str]]", call.body["messages"])]
    return Plan(text=REST) if "assistant" in roles else Plan(text=BEGUN, finish="length")


@pytest_asyncio.fixture
async def wires() -> AsyncGenerator[Wires, None]:
    async with Wires(script=play).serve() as wires:
        yield wires


@pytest.mark.parametrize(("name", "prefill"), NAMES.items(), ids=list(NAMES))
async def test_the_last_message_is_the_models_own_only_where_its_wire_takes_that(
    wires: Wires, name: str, prefill: bool
) -> None:
    pool = Pool(env=environment(wires.url), retry=HASTY)
    model = pool.model(name)
    assert model.traits.prefill is prefill
    reply = await ModelAgent(model).answer(ask(), SCENE, Notebook())
    await pool.close()
    assert (reply.fields, reply.notes) == (WHOLE, (CONTINUED,))
    sent = cast("list[dict[str, object]]", wires.calls[-1].body["messages"])
    assert sent[-1]["role"] == ("assistant" if prefill else "user")
    assert wires.calls[-1].prompt == HEAD if prefill else wires.calls[-1].prompt.startswith(CUT_OFF)
