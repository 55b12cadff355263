"""OpenAI's responses interface: created, streamed, polled, stopped, gone on from, and found again after a restart."""

import json
import re
from pathlib import Path
from typing import Any

import openai
import pytest

from folkmoot.app.endpoint.responses_request import read_responses
from folkmoot.core.event import Paused
from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION, client, place_of
from tests.web.test_model_shapes import SCHEMA, serving
from tests.web.web_kit import Web, opened, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def test_a_response_is_made_read_again_and_gone_on_from(tmp_path: Path) -> None:
    async with place_of(tmp_path, beat=60) as (web, _), client(web) as caller:
        first = await caller.responses.create(
            model="folkmoot/fast", input="Tea or coffee?", instructions="Be brief.", temperature=0.1, truncation="auto"
        )
        again: Any = await caller.responses.retrieve(first.id)
        second = await caller.responses.create(model="folkmoot/fast", input="And milk?", previous_response_id=first.id)
        entries = await web.site.workspace.entries(second.id.removeprefix("resp_"))
        with pytest.raises(openai.NotFoundError, match="there is no response 'resp_x'"):
            await caller.responses.retrieve("resp_x")
        foreign = await web.ben.get(f"/v1/responses/{first.id}")
        options = await web.ben.options(f"/v1/responses/{first.id}")
    assert first.status == "completed"
    assert first.output_text.startswith("Tea\n\nStrength: ")
    assert (again.output_text, again.usage, again.instructions) == (first.output_text, first.usage, "Be brief.")
    assert again.folkmoot["ignored"] == ["temperature", "truncation"]
    opening: Any = entries[0].event
    conversation = opening.brief.background[0].text
    assert conversation.startswith("user:\n  Tea or coffee?\nassistant:\n  Tea")
    assert second.previous_response_id == first.id
    assert (foreign.status_code, options.status_code) == (404, 204)


async def test_a_stream_has_typed_events_and_can_be_taken_up_again(tmp_path: Path) -> None:
    async with place_of(tmp_path) as (web, slow), client(web) as caller:
        stream = await caller.responses.create(model="folkmoot/slow", input="Tea or coffee?", stream=True)
        events: list[Any] = []
        async for event in stream:
            events.append(event)
            if len(events) == 4:  # the beginning, and signs of life
                slow.go.set()
        response = events[0].response.id
        rest = [item async for item in await caller.responses.retrieve(response, stream=True, starting_after=6)]
        async with caller.responses.stream(model="folkmoot/slow", input="Tea?") as whole:
            final: Any = await whole.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert "response.reasoning_summary_text.delta" in kinds
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta") == "Tea"
    numbered = {event.sequence_number: event.type for event in events}
    assert sorted(numbered) == list(range(len(numbered)))
    assert [(item.sequence_number, item.type) for item in rest] == [item for item in numbered.items() if item[0] > 6]
    assert final.output_text == "Tea"
    assert final.output[0].type == "reasoning"


async def test_a_response_in_the_background_is_polled_and_stopped(tmp_path: Path) -> None:
    async with place_of(tmp_path) as (web, slow), client(web) as caller:
        begun = await caller.responses.create(model="folkmoot/slow", input="Tea?", background=True)
        await slow.asked.wait()
        assert (await caller.responses.retrieve(begun.id)).status == "in_progress"
        stopping = await caller.responses.create(model="folkmoot/slow", input="Milk?", background=True)
        stopped = await caller.responses.cancel(stopping.id)
        slow.go.set()
        await web.site.runner.wait(begun.id.removeprefix("resp_"))
        done = await caller.responses.retrieve(begun.id)
        rest = [item.type async for item in await caller.responses.retrieve(stopping.id, stream=True)]
        over = await caller.responses.cancel(begun.id)
    assert begun.status in ("queued", "in_progress")
    assert (stopped.status, done.status, done.output_text, over.status) == (
        "cancelled",
        "completed",
        "Tea",
        "completed",
    )
    assert rest[-1] == "response.incomplete"


async def test_a_long_response_is_kept_alive_or_left(tmp_path: Path) -> None:
    async with place_of(tmp_path) as (web, slow):
        body = {"model": "folkmoot/slow", "input": "Tea?"}
        left = (await web.ann.post("/v1/responses", json={**body, "folkmoot": {"seconds": 0.05}})).json()
        async with web.ann.stream("POST", "/v1/responses", json=body) as response:
            parts: list[bytes] = []
            async for part in response.aiter_raw():
                parts.append(part)
                if len(parts) == 3:
                    slow.go.set()
    assert (left["status"], left["folkmoot"]["status"]) == ("incomplete", "running")
    assert left["output"][-1]["content"][0]["text"].startswith("Folkmoot: still debating (")
    assert json.loads(b"".join(parts))["output"][-1]["content"][0]["text"] == "Tea"


async def test_a_long_stream_of_a_response_has_signs_of_life(tmp_path: Path) -> None:
    async with place_of(tmp_path) as (web, slow), client(web) as caller:
        events: list[Any] = []
        async for event in await caller.responses.create(model="folkmoot/slow", input="Tea?", stream=True):
            events.append(event)
            if [item.type for item in events].count("response.in_progress") == 4:
                slow.go.set()
    assert events[-1].type == "response.completed"


async def test_a_connection_test_runs_no_debate(tmp_path: Path) -> None:
    async with place_of(tmp_path, beat=60) as (web, _), client(web) as caller:
        answer = await caller.responses.create(model="folkmoot/dead", input="hi", max_output_tokens=16)
        assert (answer.output_text, answer.status) == ("Ready.", "completed")
        stream = await caller.responses.create(model="folkmoot", input="hi", max_output_tokens=16, stream=True)
        events: list[Any] = [event async for event in stream]
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert events[-1].response.output_text == "Ready."
        with pytest.raises(openai.NotFoundError):
            await caller.responses.create(model="folkmoot/nobody", input="hi", max_output_tokens=16)
        assert await web.site.workspace.store.debates() == ()


async def test_failures_and_limits_have_their_status(tmp_path: Path) -> None:
    async with place_of(tmp_path, beat=60) as (web, _), client(web, max_retries=0) as caller:
        with pytest.raises(openai.InternalServerError, match="no answer"):
            await caller.responses.create(model="folkmoot/dead", input="Tea?")
        dead = await caller.responses.create(model="folkmoot/dead", input="Tea?", background=True)
        events = [item async for item in await caller.responses.retrieve(dead.id, stream=True)]
        limited = await caller.responses.create(model="folkmoot/short", input="Tea?")
    failed: Any = events[-1]
    assert failed.type == "response.failed"
    assert failed.response.error.code == "server_error"
    assert "could be reached" in failed.response.error.message
    assert limited.status == "incomplete"


async def test_shapes_and_tools_of_a_response(tmp_path: Path) -> None:
    tool: Any = {"type": "function", "name": "brew", "description": "brews", "parameters": SCHEMA, "strict": False}
    other: Any = {"type": "function", "name": "pour", "parameters": {}, "strict": False}
    shape: Any = {"format": {"type": "json_schema", "name": "drink", "schema": SCHEMA}}
    async with serving(tmp_path, real=True) as web, client(web) as caller:
        create = caller.responses.create
        typed = await create(model="folkmoot/any", input="Tea?", text=shape)
        topic = "Tea or coffee? BROKEN"
        refused = [item async for item in await create(model="folkmoot/any", input=topic, text=shape, stream=True)]
        forced = await create(
            model="folkmoot/any", input="Tea?", tools=[tool, other], tool_choice={"type": "function", "name": "brew"}
        )
        async with caller.responses.stream(model="folkmoot/acts", input="Tea?", tools=[tool]) as stream:
            called: Any = await stream.get_final_response()
        output = {"type": "function_call_output", "call_id": called.output[-1].call_id, "output": "brewed"}
        items: Any = [{"role": "user", "content": "Tea?"}, called.output[-1].model_dump(), output]
        after = await create(model="folkmoot/acts", input=items, tools=[tool])
    assert json.loads(typed.output_text) == {"drink": "Tea"}
    assert "response.refusal.done" in [item.type for item in refused]
    assert (forced.output[-1].type, called.output[-1].arguments) == ("function_call", '{"drink": "Tea"}')
    assert after.output_text == "It is brewed."


async def test_a_retry_finds_its_debate_after_a_restart(tmp_path: Path) -> None:
    body = {"model": "folkmoot/slow", "messages": QUESTION}
    async with place_of(tmp_path, beat=60) as (web, slow):
        slow.go.set()
        first = await web.ann.post("/v1/chat/completions", json=body)
    async with place_of(tmp_path, beat=60) as (web, _):
        again = await web.ann.post("/v1/chat/completions", json=body, headers={"x-stainless-retry-count": "1"})
        other = {**body, "messages": [{"role": "user", "content": "Milk?"}]}
        new = await web.ann.post(
            "/v1/chat/completions",
            json={**other, "model": "folkmoot/fast"},
            headers={"x-stainless-retry-count": "1"},
        )
    assert again.headers["x-folkmoot-debate"] == first.headers["x-folkmoot-debate"]
    assert again.json()["choices"][0]["message"]["content"] == "Tea"
    assert "x-folkmoot-joined" not in new.headers


async def test_a_response_that_a_crash_cut_off_goes_on_when_it_is_read(tmp_path: Path) -> None:
    async with place_of(tmp_path) as (web, slow):
        begun = (
            await web.ann.post("/v1/responses", json={"model": "folkmoot/slow", "input": "Tea?", "background": True})
        ).json()
        await slow.asked.wait()
        debate = begun["id"].removeprefix("resp_")
        lines = await web.site.workspace.store.read(debate)
        streams = {
            name: await web.site.workspace.store.read(f"{debate}/{name}/letters") for name in ("asked", "access")
        }
    other = tmp_path / "other"
    other.mkdir()
    async with place_of(other) as (web, slow):
        slow.go.set()
        await web.site.workspace.store.append(debate, lines, after=0)
        for name, rows in streams.items():
            await web.site.workspace.store.append(f"{debate}/{name}/letters", rows, after=0)
        assert await status(web, begun["id"]) == "in_progress"
        await until(lambda: debate not in web.site.runner.running)
        assert await status(web, begun["id"]) == "completed"
        entries = await web.site.workspace.entries(debate)
    assert not [entry for entry in entries if isinstance(entry.event, Paused)]


async def status(web: Web, response: str) -> str:
    return str((await web.ann.get(f"/v1/responses/{response}")).json()["status"])


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"store": False}, "store"),
    ({"background": 1}, "background"),
    ({"conversation": "c"}, "conversation"),
    ({"input": 3}, "input"),
    ({"input": [{"type": "computer_call", "id": "x"}]}, "input[0]"),
    ({"previous_response_id": 3}, "previous_response_id"),
    ({"previous_response_id": "resp_none"}, "previous_response_id"),
    ({"tools": 3}, "tools"),
    ({"text": "json"}, "text"),
    ({"text": {"format": "json"}}, "text.format"),
    ({"text": {"format": {"type": "grammar"}}}, "text.format"),
    ({"text": {"format": {"type": "json_schema", "schema": {"type": "x"}}}}, "text.format.schema"),
    ({"instructions": [{"text": "x"}]}, "instructions"),
    ({"max_output_tokens": 0}, "max_output_tokens"),
    ({"input": ""}, "input"),
    ({"input": []}, "input"),
    ({"instructions": "x", "input": [{"type": "reasoning"}, {"role": "king"}]}, "input[1].role"),
    ({"input": [{"role": "user", "content": [{"type": "input_audio"}]}]}, "input[0].content[0]"),
]


async def test_what_a_response_cannot_be_is_refused_by_name(tmp_path: Path) -> None:
    async with opened(tmp_path) as web:
        for more, param in REFUSED:
            body = {"model": "folkmoot/fast", "input": "Tea?", **more}
            response = await web.ann.post("/v1/responses", json=body)
            error = response.json()["error"]
            assert (response.status_code, error["param"]) == (404 if "resp_none" in more.values() else 400, param)
            assert not set(re.findall(r"messages|max_completion_tokens|response_format", error["message"]))


def test_items_that_only_think_are_left_out() -> None:
    items = [
        {"type": "reasoning"},
        {"role": "user", "content": [{"type": "input_text", "text": "Tea?"}]},
    ]
    wanted = read_responses({"model": "folkmoot", "input": items, "max_output_tokens": 9})
    assert [message.text for message in wanted.chat.messages] == ["Tea?"]
    assert wanted.chat.most_tokens == 9
    calls: list[Any] = [*items, {"type": "function_call_output", "call_id": "1", "output": {"a": 1}}]
    assert read_responses({"model": "folkmoot", "input": calls}).chat.turn


def test_what_is_not_used_of_a_text_is_named() -> None:
    wanted = read_responses({"model": "folkmoot", "input": "Tea?", "text": {"verbosity": "low", "format": None}})
    assert wanted.chat.ignored == ("text.verbosity",)


def test_calls_of_one_answer_stay_together() -> None:
    calls = [{"type": "function_call", "call_id": f"{n}", "name": "brew", "arguments": "{}"} for n in range(3)]
    results = [{"type": "function_call_output", "call_id": f"{n}", "output": "done"} for n in range(3)]
    words_before = {"role": "assistant", "content": [{"type": "output_text", "text": "One moment."}]}
    items = [
        {"role": "user", "content": "Tea?"},
        words_before,
        {"type": "reasoning"},
        *calls[:2],
        *results[:2],
        calls[2],
        results[2],
    ]
    messages = read_responses({"model": "folkmoot", "input": items}).chat.messages
    assert [(message.role, message.words, [call.id for call in message.calls]) for message in messages] == [
        ("user", "Tea?", []),
        ("assistant", "One moment.", ["0", "1"]),
        ("tool", "done", []),
        ("tool", "done", []),
        ("assistant", "", ["2"]),
        ("tool", "done", []),
    ]
