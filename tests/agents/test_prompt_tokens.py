"""Control tokens in what others wrote reach no model as they came, whichever way they come in; the record keeps them."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.agents.acting import ActingAgent
from folkmoot.agents.llm import ModelAgent
from folkmoot.agents.toolkit import Tool, ToolResult
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form, ToolCall, ToolSpec
from folkmoot.core.brief import Attachment, Brief, Participant, Source
from folkmoot.core.control_tokens import JOINER, break_tokens
from folkmoot.core.errors import ToolError
from folkmoot.core.event import Called, Interjected
from folkmoot.engine.driver import DriverOptions
from folkmoot.models.base import Request, Traits
from folkmoot.protocols.known import build
from folkmoot.record.mailbox import Mailbox
from folkmoot.reviews.artefact import Artefact, artefact_of
from folkmoot.reviews.citations import check
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.testing.conformance import Journal
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.tools.condense import Scorer, Summarizer
from folkmoot.tools.rag import Rag
from tests.core.test_control_tokens import TOKENS
from tests.kits.diffs import unified
from tests.kits.tools import Lookup, wants

SHAPED = st.builds("<|{}|>".format, st.text(alphabet="abz_09", min_size=1, max_size=20))
ANY_TOKEN = st.sampled_from(TOKENS) | SHAPED | SHAPED.map(lambda token: token.replace("|", "｜"))

PEOPLE = (Participant(name="Ann", role="Buyer"), Participant(name="Bob"))
BRIEF = Brief(topic="Tea?", options=("tea", "coffee"), participants=PEOPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class WayIn:
    """How a token gets into a debate: in the brief, by a tool, in the words of a model, by a remark."""

    brief: Callable[[str], Brief] = lambda token: BRIEF
    tools: Callable[[str], Sequence[Tool]] = lambda token: ()
    answers: Callable[[str], Sequence[str | Called]] = lambda token: ()
    remark: bool = False


def with_person(**values: str) -> Brief:
    return replace(BRIEF, participants=(replace(PEOPLE[0], **values), PEOPLE[1]))  # pyright: ignore[reportArgumentType]


def with_source(name: str, text: str) -> Brief:
    return replace(BRIEF, background=(Source(name=name, text=text),))


def pdf(token: str) -> Brief:
    file = Attachment(media="application/pdf", sha256="0" * 64, size=1, pages=1, data="AA==")
    return replace(BRIEF, background=(Source(name=f"{token}.pdf", text=f"It says {token}.", file=file),))


def reviewed(token: str) -> Brief:
    artefact = Artefact(files=files_of(read_diff(unified("a.py", "old\n", f"new {token}\n"))), facts={"kind": "diff"})
    return replace(BRIEF, background=artefact.sources())


def finding(words: str) -> Lookup:
    return Lookup(answer=lambda q: ToolResult(text=words, sources=(words,)))


def failing(error: Exception) -> Lookup:
    def answer(q: str) -> ToolResult:
        raise error

    return Lookup(answer=answer)


class Described(Lookup):
    """A tool whose server describes it."""

    @property
    def spec(self) -> ToolSpec:
        schema = {"type": "object", "properties": {"q": {"type": "string", "description": self.name}}}
        return ToolSpec(name="search", help=f"Finds {self.name}.", parameters=schema)


def calling(name: str, arguments: str) -> Called:
    call = ToolCall(id="c1", name=name, arguments=arguments)
    return Called(key="", call="", text="", model="scripted:model", finish="tools", tools=(call,))


WAYS: Mapping[str, WayIn] = {
    "topic": WayIn(brief=lambda token: replace(BRIEF, topic=f"Is {token} good?")),
    "option": WayIn(brief=lambda token: replace(BRIEF, options=(f"tea {token}", "coffee"))),
    "rules": WayIn(brief=lambda token: replace(BRIEF, rules=f"Say {token}.")),
    "role": WayIn(brief=lambda token: with_person(role=f"Friend of {token}")),
    "name": WayIn(brief=lambda token: with_person(name=f"Ann {token}")),
    "persona": WayIn(brief=lambda token: with_person(persona=f"You like {token}.")),
    "language": WayIn(brief=lambda token: with_person(language=f"English {token}")),
    "document": WayIn(brief=lambda token: with_source("a.md", f"It says {token}.")),
    "name of a document": WayIn(brief=lambda token: with_source(f"{token}.md", "It says so.")),
    "attached document": WayIn(brief=pdf),
    "diff": WayIn(brief=reviewed),
    "library": WayIn(
        brief=lambda token: replace(BRIEF, library=(Source(name="b.md", text=f"Tea {token} is warm."),)),
        tools=lambda token: (Rag((Source(name="b.md", text=f"Tea {token} is warm."),)),),
        answers=lambda token: (wants("rag", arguments='{"query": "tea warm"}'),),
    ),
    "tool": WayIn(tools=lambda token: (finding(f"It is {token}."),), answers=lambda token: (wants("search"),)),
    "error of a tool": WayIn(
        tools=lambda token: (failing(ToolError(f"no {token}")),), answers=lambda token: (wants("search"),)
    ),
    "unknown error of a tool": WayIn(
        tools=lambda token: (failing(ValueError(f"no {token}")),), answers=lambda token: (wants("search"),)
    ),
    "description of a tool": WayIn(
        tools=lambda token: (Described(name=token),),
        answers=lambda token: (wants("search", arguments=json.dumps({"q": token})),),
    ),
    "arguments of a tool": WayIn(
        tools=lambda token: (Lookup(),), answers=lambda token: (wants("search", arguments=json.dumps({"q": token})),)
    ),
    "name of a called tool": WayIn(tools=lambda token: (Lookup(),), answers=lambda token: (calling(token, "{}"),)),
    "summarizer": WayIn(
        tools=lambda token: (Summarizer(),), answers=lambda token: (f"I say {token}.", wants("summarizer"))
    ),
    "scorer": WayIn(
        tools=lambda token: (Scorer(),),
        answers=lambda token: (wants("scorer", arguments=json.dumps({"text": f"So {token}."})),),
    ),
    "words of a model": WayIn(answers=lambda token: (f"I say {token} and more.", f"{token}")),
    "remark": WayIn(remark=True),
}


def texts_of(value: object) -> Iterator[str]:
    """Every text of data, at any depth; of texts that are JSON also what they mean."""
    if isinstance(value, str):
        yield value
        try:
            data: object = json.loads(value)
        except ValueError:
            return
        if not isinstance(data, str):
            yield from texts_of(data)
    elif isinstance(value, Mapping):
        for name, item in cast("Mapping[object, object]", value).items():
            yield from texts_of(name)
            yield from texts_of(item)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            yield from texts_of(item)
    elif is_dataclass(value) and not isinstance(value, type):
        for part in fields(value):
            yield from texts_of(getattr(value, part.name))


def is_sent(requests: Sequence[Request], words: str) -> bool:
    return any(words in text for request in requests for text in texts_of(request))


async def held_debate(way: WayIn, token: str) -> tuple[HeldDebate, list[Request]]:
    """A panel into which the token comes that way, and what the models were sent."""
    lines = list(way.answers(token))

    def answer(request: Request) -> str | Called:
        return lines.pop(0) if lines else "Tea, for it is warm."

    brief, box, model = way.brief(token), None, ScriptedModel(answer)
    if way.remark:
        box = Mailbox(InMemoryStore(), "d", clock=lambda: 0.0)
        await box.post(Interjected(by=f"Zed {token}", text=f"What of {token}?"))
    harness = Harness(brief=brief, protocol=build("panel", brief), hosting=lambda: DriverOptions(mailbox=box))
    agent = ModelAgent(model, tools=way.tools(token), schemas="first")
    return await harness.run({person.name: agent for person in brief.participants}), model.history


@pytest.mark.parametrize("name", WAYS)
@given(token=ANY_TOKEN)
@settings(max_examples=15)
def test_no_token_is_sent_as_it_came_and_the_record_has_it_as_it_came(name: str, token: str) -> None:
    debate, requests = asyncio.run(held_debate(WAYS[name], token))
    assert not is_sent(requests, token)
    assert is_sent(requests, break_tokens(token))
    assert any(token in text for entry in debate.entries for text in texts_of(entry.event))
    assert not any(JOINER in text for entry in debate.entries for text in texts_of(entry.event))


@given(token=ANY_TOKEN)
@settings(max_examples=15)
def test_what_a_caller_sends_reaches_the_model_that_acts_without_tokens(token: str) -> None:
    item = {"properties": {"name": {"const": "f", "description": token}, "arguments": {"enum": [{"q": token}]}}}
    way = {"properties": {"tool_calls": {"items": {"anyOf": [item]}}}}
    rows = [
        {"role": "system", "text": f"Be {token}."},
        {"role": "user", "text": f"Is {token} good?"},
        {"role": "assistant", "text": "", "calls": [{"id": token, "name": token, "arguments": json.dumps([token])}]},
        {"role": "tool", "text": f"It is {token}.", "answers": token},
    ]
    form = Form(name="f", layout="json", schema=json.dumps({"anyOf": [way]}), fields=(Field(name="FINAL"),))
    ask = Ask(key="/debate#1", to="Ann", act="act", task=f"It was decided: {token}", form=form, talk=json.dumps(rows))
    model = ScriptedModel(lambda request: "Yes.", traits=Traits(alternate=False))
    agent = ActingAgent(ModelAgent(model), model)
    asyncio.run(agent.answer(ask, Context(brief=BRIEF, me=PEOPLE[0]), Journal()))
    assert not is_sent(model.history, token)
    assert is_sent(model.history, break_tokens(token))
    calls = [call.id for message in model.history[0].messages for call in message.calls]
    assert calls == [message.answers for message in model.history[0].messages if message.answers]


BALLOTS = (
    Form(name="f", layout="line", fields=(Field(name="I vote for", kind="choice"),)),
    Form(name="f", layout="sections", fields=(Field(name="CHOICE", kind="choice"), Field(name="REASON"))),
    Form(name="f", layout="json", fields=(Field(name="CHOICE", kind="choice"), Field(name="REASON"))),
)


@pytest.mark.parametrize("form", BALLOTS, ids=lambda form: form.layout)
@given(token=ANY_TOKEN.filter(lambda token: "think" not in token.casefold()))  # what a model thinks is no answer
@settings(max_examples=30)
def test_a_choice_that_holds_a_token_can_be_chosen_as_it_was_read(form: Form, token: str) -> None:
    option = f"Tea {token} now"
    field = replace(form.fields[0], choices=(option, "Coffee"))
    form = replace(form, fields=(field, *form.fields[1:]))
    ask = Ask(key="/debate#1", to="Ann", act="vote", task="Vote.", form=form)
    shown = break_tokens(option)
    answer = f"{field.name}: {shown}\nREASON: It is warm." if len(form.fields) > 1 else f"{field.name}: {shown}"
    if form.layout == "json":
        answer = json.dumps({field.name: shown, "REASON": "It is warm."})
    model = ScriptedModel(lambda request: answer)
    reply = asyncio.run(ModelAgent(model).answer(ask, Context(brief=BRIEF, me=PEOPLE[0]), Journal()))
    assert reply.fields[field.name] == option


@given(token=ANY_TOKEN)
def test_a_citation_that_holds_the_joiner_stands_in_the_artefact(token: str) -> None:
    artefact = artefact_of(reviewed(token))
    for quote in (f"new {token}", break_tokens(f"new {token}"), break_tokens(f"1 +|new {token}")):
        assert check(artefact, "a.py", "1", quote).valid
