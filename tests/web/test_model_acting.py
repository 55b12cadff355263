"""A model that answers a caller after the debate: in the caller's messages, with its tools, and as a stream."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.brief.presets import read_presets
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.endpoint.live_words import LiveWords
from folkmoot.core.agent import Recorder
from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.errors import Refused, Unavailable
from folkmoot.core.event import Called
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from tests.council.agents import own_place
from tests.web.test_model_endpoint import PNG, QUESTION, client
from tests.web.test_model_shapes import OTHER, TOOL, message
from tests.web.web_kit import SERVING, WORDS, Web, opened, until

PRESETS = {
    "acts": {
        "models": ["guest:tea"],
        "participants": "builtin",
        "rounds": 0,
        "answer": "acting",
        "acting": "guest:actor",
        "small": "guest:actor",
    },
    "text": {"models": ["guest:tea"], "participants": "builtin", "rounds": 0, "acting": "guest:actor"},
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


class Actor(ScriptedModel):
    """A model that says its words piece by piece; it may stop in the middle, or wait until it is heard."""

    def __init__(self, script: Callable[[Request], str | Called | Exception]) -> None:
        super().__init__(script, name="guest:actor")
        self.go = asyncio.Event()
        self.go.set()
        self.breaks = 0
        self.waits = False

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        if self.waits:
            await until(lambda: recorder.watched)
        self.history.append(request)
        line = self._script(request) if callable(self._script) else ""
        if isinstance(line, Exception):
            raise line
        called = line if isinstance(line, Called) else answer_of(line)
        first, *rest = called.text.split(" ")
        recorder.delta(first)
        if rest:
            recorder.delta(f" {rest.pop(0)}")
        await asyncio.sleep(0)
        await self.go.wait()
        if self.breaks:
            self.breaks -= 1
            raise Unavailable("the stream was cut", kind="server", again=True)
        for word in rest:
            recorder.delta(f" {word}")
        return called


class Panel(ScriptedModel):
    """A model of the panel. It may wait until somebody hears what is said."""

    def __init__(self, *, waits: bool) -> None:
        super().__init__(lambda request: WORDS, name="guest:tea")
        self.waits = waits

    async def _send(self, request: Request, recorder: Recorder) -> Called:
        if self.waits:
            await until(lambda: recorder.watched)
        await asyncio.sleep(0.05 if self.waits else 0)
        return await super()._send(request, recorder)


def answer_of(text: str, *calls: ToolCall, finish: Any = "stop") -> Called:
    usage = Usage(input_tokens=10, output_tokens=5)
    return Called(
        key="", call="", text=text, model="guest:actor", served="guest:actor", usage=usage, finish=finish, tools=calls
    )


def brew(arguments: str = '{"drink": "Tea"}', name: str = "brew") -> ToolCall:
    return ToolCall(id="native-1", name=name, arguments=arguments)


@asynccontextmanager
async def acting(
    folder: Path, script: Callable[[Request], str | Called | Exception], *, real: bool = False
) -> AsyncGenerator[tuple[Web, Actor]]:
    actor = Actor(script)
    models: dict[str, Any] = {"tea": Panel(waits=real), "actor": actor}
    async with opened(folder, real=real, models=models, serving=SERVING) as web:
        web.site.runner.config = replace(web.site.runner.config, presets=read_presets(PRESETS, "folkmoot.toml"))
        web.site.workspace.config = web.site.runner.config
        web.site.endpoint.presets = web.site.runner.config.presets
        yield web, actor


async def ask(web: Web, **more: Any) -> dict[str, Any]:
    response = await web.ann.post("/v1/chat/completions", json={"model": "folkmoot/acts", "messages": QUESTION, **more})
    assert response.status_code == 200, response.text
    return response.json()


async def test_an_acting_model_has_the_callers_messages_and_tools(tmp_path: Path) -> None:
    messages: Any = [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hello", "name": "eve"},
        {"role": "assistant", "content": "Good day."},
        {"role": "user", "content": "Tea or coffee?"},
    ]
    async with acting(tmp_path, lambda request: answer_of("I brew it.", brew())) as (web, actor):
        answer = await ask(web, messages=messages, tools=[TOOL, OTHER], max_tokens=900)
        entries = await web.site.workspace.entries(answer["folkmoot"]["debate"])
    (call,) = message(answer)["tool_calls"]
    assert message(answer)["content"] == "I brew it."
    assert call["function"] == {"name": "brew", "arguments": '{"drink": "Tea"}'}
    assert answer["choices"][0]["finish_reason"] == "tool_calls"
    (request,) = actor.history
    assert [item.role for item in request.messages] == ["system", "user", "assistant", "user"]
    first = request.messages[0].text
    assert first.startswith("Be kind.\n\nYou answer in a panel of models")
    assert "Decision:\n  Tea" in first
    assert [item.text for item in request.messages[1:]] == ["eve: Hello", "Good day.", "Tea or coffee?"]
    assert [(spec.name, spec.help) for spec in request.tools] == [("brew", "brews"), ("pour", "")]
    assert request.tools[0].parameters == TOOL["function"]["parameters"]
    assert request.settings.max_tokens == 900
    opening: Any = entries[0].event
    assert "- brew: brews" in {source.name: source.text for source in opening.brief.background}["tools"]


async def test_results_of_tools_go_back_as_what_they_are_with_what_was_decided(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: "Done." if request.messages[-1].answers else answer_of("", brew())) as (
        web,
        actor,
    ):
        before = await ask(web, tools=[TOOL])
        (call,) = message(before)["tool_calls"]
        turn = {"role": "assistant", "content": "One moment.", "tool_calls": [call]}
        result = {"role": "tool", "tool_call_id": call["id"], "content": "brewed"}
        after = await ask(web, tools=[TOOL], messages=[*QUESTION, turn, result])
        lost = await ask(web, tools=[TOOL], messages=[{"role": "user", "content": "Else?"}, turn, result])
    _, request, other = actor.history
    assert [item.role for item in request.messages] == ["system", "user", "assistant", "tool"]
    assert request.messages[2].text == "One moment."
    assert request.messages[2].calls == (ToolCall(id=call["id"], name="brew", arguments='{"drink": "Tea"}'),)
    assert (request.messages[3].text, request.messages[3].answers) == ("brewed", call["id"])
    assert "Decision:\n  Tea" in request.messages[0].text, "what the panel has decided is known in each turn"
    assert after["folkmoot"]["decided_in"] == before["folkmoot"]["debate"] != after["folkmoot"]["debate"]
    assert "Decision" not in other.messages[0].text
    assert lost["folkmoot"]["decided_in"] == ""
    assert message(after)["content"] == message(lost)["content"] == "Done."


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (brew('{"drink": 3}'), "Not done: "),
        (brew("{"), "Not done: the form is broken"),
        (brew(name="fly"), "Not done: there is no tool fly"),
    ],
)
async def test_a_call_that_does_not_fit_is_asked_for_once_more(tmp_path: Path, wrong: ToolCall, why: str) -> None:
    async with acting(tmp_path, lambda request: answer_of("", brew() if len(request.messages) > 2 else wrong)) as (
        web,
        actor,
    ):
        answer = await ask(web, tools=[TOOL, OTHER])
    (call,) = message(answer)["tool_calls"]
    assert call["function"]["arguments"] == '{"drink": "Tea"}'
    first, again = actor.history
    assert len(again.messages) == len(first.messages) + 2
    assert again.messages[-1].text.startswith(why)
    assert again.messages[-1].answers == again.messages[-2].calls[0].id


async def test_what_never_fits_is_not_handed_on(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: answer_of("", brew("{}"))) as (web, _):
        free = await ask(web, tools=[TOOL, OTHER])
        forced = await ask(web, tools=[TOOL, OTHER], tool_choice="required")
    assert message(free)["content"].startswith("Tea\n\nFolkmoot: The final answer could not be written (")
    assert message(forced)["refusal"].startswith("There is a decision, but no answer in that shape: ")
    assert "tool_calls" not in message(free)


async def test_a_tool_that_has_to_be_called_is_asked_for_once_more(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: answer_of("", brew()) if len(request.messages) > 2 else "Tea.") as (
        web,
        actor,
    ):
        answer = await ask(web, tools=[TOOL, OTHER], tool_choice="required")
    assert message(answer)["tool_calls"][0]["function"]["name"] == "brew"
    assert actor.history[1].messages[-1].text.startswith("Call one of the tools")


async def test_without_words_and_calls_there_is_no_answer(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: answer_of(" ")) as (web, _):
        answer = await ask(web, tools=[TOOL, OTHER])
    assert "The final answer could not be written (" in message(answer)["content"]


async def test_what_is_said_after_the_results_of_tools_stays_behind_them(tmp_path: Path) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "brew", "arguments": '{"drink": "Tea"}'}}
    past = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "brewed"},
        {"role": "assistant", "content": "It is brewed."},
        {"role": "user", "content": "And now?"},
    ]
    async with acting(tmp_path, lambda request: "Drink it.") as (web, actor):
        answer = await ask(web, tools=[TOOL], messages=[*QUESTION, *past])
    sent = [(item.role, item.text) for item in actor.history[-1].messages[2:]]
    assert [role for role, _ in sent] == ["assistant", "tool", "assistant", "user"]
    assert [text for _, text in sent[1:]] == ["brewed", "It is brewed.", "And now?"]
    assert message(answer)["content"] == "Drink it."


async def test_calls_that_were_cut_off_are_no_answer(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: answer_of("", brew(), finish="length")) as (web, _):
        answer = await ask(web, tools=[TOOL, OTHER])
    assert "the answer was cut off" in message(answer)["content"]


async def test_a_provider_that_refuses_the_tools_is_asked_in_words(tmp_path: Path) -> None:
    def script(request: Request) -> str | Called | Exception:
        if request.tools:
            return Refused("no tools here", kind="request")
        return '{"tool_calls": [{"name": "brew", "arguments": {"drink": "Tea"}}]}'

    async with acting(tmp_path, script) as (web, actor):
        answer = await ask(web, tools=[TOOL, OTHER])
    assert message(answer)["tool_calls"][0]["function"]["name"] == "brew"
    assert "JSON Schema" in actor.history[-1].messages[-1].text


async def test_a_refusal_of_another_kind_is_told(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: Refused("the key is wrong", kind="key")) as (web, actor):
        answer = await ask(web, tools=[TOOL, OTHER])
    assert "The final answer could not be written (the key is wrong" in message(answer)["content"]
    assert len(actor.history) == 1


async def test_words_are_streamed_while_they_are_said(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: "Tea is what we take today.", real=True) as (web, actor):
        actor.go.clear()
        async with client(web) as caller:
            stream = await caller.chat.completions.create(model="folkmoot/acts", messages=QUESTION, stream=True)
            said_first, words = "", ""
            first_chunk: Any = None
            async for chunk in stream:
                first_chunk = first_chunk or chunk
                words += chunk.choices[0].delta.content or ""
                if words and not said_first:
                    said_first = words
                    actor.go.set()
    assert said_first in ("Tea", "Tea is")
    assert words == "Tea is what we take today."
    assert first_chunk.choices[0].delta.id == first_chunk.id, "LangChain knows the debate by it"


async def test_who_comes_back_to_a_stream_gets_the_whole_answer(tmp_path: Path) -> None:
    async with acting(tmp_path, lambda request: "Tea is what we take today.") as (web, _):
        body = {"model": "folkmoot/acts", "messages": QUESTION, "stream": True}
        streams = [
            (await web.ann.post("/v1/chat/completions", json=body, headers={"x-stainless-retry-count": n})).text
            for n in ("0", "1")
        ]
    said_words = ["".join(re.findall(r'"content":"(.*?)"', stream)) for stream in streams]
    assert said_words == ["Tea is what we take today."] * 2


async def test_a_stream_that_broke_off_is_followed_by_the_whole_answer(tmp_path: Path) -> None:
    lines = ["Tea is what we take.", "Coffee after all.", "Coffee after all."]
    async with acting(tmp_path, lambda request: lines.pop(0), real=True) as (web, actor):
        actor.breaks = 1
        async with client(web) as caller:
            create = caller.chat.completions.create
            stream = await create(model="folkmoot/acts", messages=QUESTION, stream=True)
            words = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    first, whole = words.split("\n\n")
    assert first in ("Tea", "Tea is"), "what was said cannot be taken back"
    assert whole == "Coffee after all."


def test_what_is_sent_at_once_never_goes_beyond_the_end() -> None:
    whole = LiveWords(ChatRequest(model="folkmoot", messages=()))
    assert [whole.take(piece) for piece in (" Te", "a ", "is", " good. ")] == ["Te", "a", " is", " good."]
    assert whole.rest("Tea is good.\n\nFolkmoot: x") == "\n\nFolkmoot: x"
    assert whole.rest("Coffee") == "\n\nCoffee"
    short = LiveWords(ChatRequest(model="folkmoot", messages=(), most_tokens=20))
    assert short.take("x" * 70) == "x" * 20
    assert LiveWords(ChatRequest(model="folkmoot", messages=(), stop=("is",))).take("Tea is") == ""


async def test_a_task_of_a_chat_program_goes_to_the_small_model_as_it_is(tmp_path: Path) -> None:
    task = "### Task:\nGenerate a concise, 3-5 word title with an emoji.\n### Output:\nJSON"
    async with acting(tmp_path, lambda request: '{"title": "Tea"}') as (web, actor):
        answer = await ask(web, messages=[{"role": "user", "content": task}])
    assert message(answer)["content"] == '{"title": "Tea"}'
    assert actor.history[0].messages[-1].text == task


async def test_pictures_go_along_in_the_message_that_has_them(tmp_path: Path) -> None:
    picture = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "Tea?"}, picture]},
        {"role": "user", "content": "So?"},
    ]
    async with acting(tmp_path, lambda request: "Yes.") as (web, actor):
        answer = await ask(web, messages=messages)
    assert message(answer)["content"] == "Yes."
    (user,) = [item for item in actor.history[0].messages if item.role == "user"]
    assert [item.name for item in user.files] == ["picture 1"]
    assert user.text == "Tea? (picture 1)\n\nSo?"
