"""What clients of streams keep of them: usage, and what a response says of its debate in its metadata."""

from pathlib import Path
from typing import Any

import openai
import pytest

from folkmoot.app.endpoint.responses_answer import pieces_of
from tests.council.agents import own_place
from tests.web.test_model_acting import acting, answer_of, brew
from tests.web.test_model_endpoint import QUESTION, client, place_of


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def test_a_stream_tells_its_usage_once_also_where_nobody_asked_for_a_chunk_of_it(tmp_path: Path) -> None:
    async with place_of(tmp_path, beat=60) as (web, _), client(web) as caller:
        create = caller.chat.completions.create
        plain = [chunk async for chunk in await create(model="folkmoot/fast", messages=QUESTION, stream=True)]
        apart = [
            chunk
            async for chunk in await create(
                model="folkmoot/fast", messages=QUESTION, stream=True, stream_options={"include_usage": True}
            )
        ]
    told_plain = [chunk for chunk in plain if chunk.usage]
    assert told_plain == plain[-1:], "LangChain and others ask for no chunk of usage where they are given an address"
    assert plain[-1].choices[0].finish_reason == "stop"
    assert plain[-1].usage
    assert plain[-1].usage.total_tokens > 0
    assert [chunk for chunk in apart if chunk.usage] == apart[-1:]
    assert apart[-1].choices == []


async def test_the_metadata_of_a_response_name_its_debate_and_how_it_stands(tmp_path: Path) -> None:
    own: Any = {"trace": "7", "folkmoot_options": "Tea|Coffee"}
    async with place_of(tmp_path, beat=60) as (web, slow), client(web) as caller:
        begun = await caller.responses.create(model="folkmoot/slow", input="Tea?", background=True)
        slow.go.set()
        whole = await caller.responses.create(model="folkmoot/fast", input="Tea or coffee?", metadata=own)
        lame = await caller.responses.create(model="folkmoot/lame", input="Tea or coffee?")
        stream = await caller.responses.create(model="folkmoot/fast", input="Tea or coffee?", stream=True)
        events = [event async for event in stream]
    debate = whole.id.removeprefix("resp_")
    assert whole.metadata == {
        **own,
        "folkmoot_debate": debate,
        "folkmoot_report": f"{web.base}/api/v1/debates/{debate}/report.html",
        "folkmoot_status": "decided",
        "folkmoot_strength": "unanimous",
        "folkmoot_share": "1.0",
        "folkmoot_cost": "0.0",
    }
    last: Any = events[-1]
    assert last.response.metadata["folkmoot_status"] == "decided"
    assert last.response.metadata["folkmoot_debate"] == last.response.id.removeprefix("resp_")
    assert lame.metadata
    assert lame.metadata["folkmoot_degraded"].startswith("1 of 3 seats did not answer")
    assert begun.metadata
    assert begun.metadata["folkmoot_status"] == "running"
    assert "folkmoot_strength" not in begun.metadata


async def test_words_of_a_response_are_sent_while_they_are_said(tmp_path: Path) -> None:
    words = "Tea is what we take today.\n\nIt is calm."
    async with acting(tmp_path, lambda request: words, real=True) as (web, actor):
        actor.go.clear()
        async with client(web) as caller:
            events: list[Any] = []
            stream = await caller.responses.create(model="folkmoot/acts", input="Tea or coffee?", stream=True)
            async for event in stream:
                events.append(event)
                if event.type == "response.output_text.delta":
                    actor.go.set()
            response = events[0].response.id
            resumed: list[Any] = [
                event async for event in await caller.responses.retrieve(response, stream=True, starting_after=8)
            ]
    events = without_signs(events)
    kinds = [event.type.removeprefix("response.") for event in events]
    begun = kinds.index("output_text.delta")
    assert list(dict.fromkeys(kinds)) == [
        "created",
        "in_progress",
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "completed",
    ]
    assert kinds[begun - 2 : begun] == ["output_item.added", "content_part.added"]
    assert texts(events) == words
    assert kinds.count("output_text.delta") == 9
    assert numbers(events) == list(range(events[-1].sequence_number + 1))
    after = [event for event in events if event.sequence_number > 8]
    assert [item.model_dump() for item in resumed] == [item.model_dump() for item in after]
    assert events[-1].response.output_text == words


async def test_words_before_a_call_come_first(tmp_path: Path) -> None:
    tool: Any = {"type": "function", "name": "brew", "description": "brews", "parameters": {}, "strict": False}
    async with (
        acting(tmp_path, lambda request: answer_of("I brew it now.", brew()), real=True) as (web, actor),
        client(web) as caller,
    ):
        actor.go.clear()
        events: list[Any] = []
        async with caller.responses.stream(model="folkmoot/acts", input="Tea?", tools=[tool]) as stream:
            async for event in stream:
                events.append(event)
                if event.type == "response.output_text.delta":
                    actor.go.set()
            final: Any = await stream.get_final_response()
    kinds = [event.type.removeprefix("response.") for event in events]
    assert texts(events) == final.output_text == "I brew it now."
    assert kinds[-5:] == [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
    ]
    assert [event.output_index for event in events[-5:-1]] == [2] * 4
    assert final.output[2].arguments == '{"drink": "Tea"}'


@pytest.mark.parametrize("instead", ["Coffee after all.", ""])
async def test_a_response_that_broke_off_is_followed_by_what_there_is_instead(tmp_path: Path, instead: str) -> None:
    tool: Any = {"type": "function", "name": "brew", "description": "brews", "parameters": {}, "strict": False}
    second = answer_of(instead) if instead else answer_of("", brew())
    lines = [answer_of("Tea is what we take."), second, second]
    async with acting(tmp_path, lambda request: lines.pop(0), real=True) as (web, actor), client(web) as caller:
        actor.breaks = 1
        events: list[Any] = []
        async with caller.responses.stream(model="folkmoot/acts", input="Tea or coffee?", tools=[tool]) as stream:
            events = [event async for event in stream]
            final: Any = await stream.get_final_response()
    done = [event for event in events if event.type == "response.output_item.done"]
    assert [(event.item.type, getattr(event.item, "status", "")) for event in done] == [
        ("reasoning", None),
        ("message", "incomplete"),
        ("message" if instead else "function_call", "completed"),
    ]
    assert done[1].item.content[0].text in ("Tea", "Tea is"), "what was said cannot be taken back"
    assert [event.output_index for event in done] == [0, 1, 2]
    assert done[1].item.id != done[2].item.id
    assert final.output_text == instead
    assert numbers(events) == list(range(events[-1].sequence_number + 1))


async def test_answers_to_results_of_tools_are_heard_from_their_beginning(tmp_path: Path) -> None:
    call: Any = {"id": "c1", "type": "function", "function": {"name": "brew", "arguments": "{}"}}
    messages: Any = [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [call]}]
    messages += [{"role": "tool", "tool_call_id": "c1", "content": "brewed"}]
    items: Any = [
        {"role": "user", "content": "Tea?"},
        {"type": "function_call", "call_id": "c1", "name": "brew", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "brewed"},
    ]
    words = "It is brewed by now."
    async with acting(tmp_path, lambda request: words, real=True) as (web, actor), client(web) as caller:
        actor.waits = True
        actor.go.clear()
        events: list[Any] = []
        async for event in await caller.responses.create(model="folkmoot/acts", input=items, stream=True):
            events.append(event)
            if event.type == "response.output_text.delta":
                actor.go.set()
        actor.go.clear()
        text = ""
        async for chunk in await caller.chat.completions.create(model="folkmoot/acts", messages=messages, stream=True):
            text += chunk.choices[0].delta.content or ""
            if text:
                actor.go.set()
    assert without_signs(events)[2].item.type == "message", "nobody was asked before, so there is nothing to tell"
    assert texts(events) == text == words


def numbers(events: list[Any]) -> list[int]:
    """The numbers of events; a sign of life has that of the event before it."""
    return list(dict.fromkeys(event.sequence_number for event in events))


def without_signs(events: list[Any]) -> list[Any]:
    """The events without signs of life."""
    return list({event.sequence_number: event for event in reversed(events)}.values())[::-1]


def texts(events: list[Any]) -> str:
    return "".join(event.delta for event in events if event.type == "response.output_text.delta")


def test_pieces_are_the_same_however_the_words_come() -> None:
    words = "Tea, please.\n\n这是一个没有空格的很长的句子而且它还在继续。 Done  "
    whole = pieces_of(words)
    assert "".join(whole) == words
    for end in range(len(words)):
        begun = pieces_of(words[:end])[:-1]
        assert begun == whole[: len(begun)]


async def test_the_input_may_refer_to_items_of_earlier_responses(tmp_path: Path) -> None:
    tool: Any = {"type": "function", "name": "brew", "description": "brews", "parameters": {}, "strict": False}

    def script(request: Any) -> Any:
        return "It is brewed." if request.messages[-1].answers else answer_of("I brew it.", brew())

    async with acting(tmp_path, script, real=True) as (web, actor), client(web) as caller:
        async with caller.responses.stream(model="folkmoot/acts", input="Tea?", tools=[tool]) as stream:
            first: Any = await stream.get_final_response()
        call: Any = first.output[-1]
        user: Any = {"role": "user", "content": "Tea?"}
        named: Any = [{"type": "item_reference", "id": item.id} for item in first.output[:-1]]
        result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "brewed"}
        second = await caller.responses.create(
            model="folkmoot/acts", input=[user, *named, {"id": call.id}, result], tools=[tool]
        )
        sent = actor.history[-1].messages[2:]
        for wrong in ("msg_nothing-123abc", "x_1", f"{call.id}0"):
            with pytest.raises(openai.NotFoundError, match="there is no"):
                await caller.responses.create(
                    model="folkmoot/acts", input=[user, {"type": "item_reference", "id": wrong}]
                )
        foreign = await web.ben.post("/v1/responses", json={"model": "folkmoot/acts", "input": [user, *named]})
        many: Any = [{"type": "item_reference", "id": f"msg_tea-{n}"} for n in range(201)]
        with pytest.raises(openai.BadRequestError, match="more than 200 responses"):
            await caller.responses.create(model="folkmoot/acts", input=[user, *many])
    assert [item.type for item in first.output] == ["reasoning", "message", "function_call"]
    assert second.output_text == "It is brewed."
    assert [(item.role, item.text) for item in sent] == [("assistant", "I brew it."), ("tool", "brewed")]
    assert sent[0].calls[0].id == call.call_id
    assert foreign.status_code == 404
