"""The agent of a model that answers a caller: in the caller's own messages and with the caller's own tools.

What a debate has decided stands in the first message. A tool that the model asks for is not used here: the call is its
answer, and the caller uses it. A model that takes no tools is asked for the same in JSON, as any other form.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import cast

from folkmoot.agents.llm import Conversation, ModelAgent, reply_of
from folkmoot.agents.prompt import fit, frame
from folkmoot.answers.layout import Reading
from folkmoot.answers.schemas.schema_answer import read_schema_answer
from folkmoot.answers.values import Fault
from folkmoot.core.agent import Context, Recorder, is_cut_off
from folkmoot.core.ask import Ask, Reply, ToolCall, ToolSpec
from folkmoot.core.brief import Brief
from folkmoot.core.errors import Refused, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.roles import ACTS, FINAL
from folkmoot.core.text import clean_data
from folkmoot.core.unread import Unread
from folkmoot.models.base import AttachedFile, Message, Model, Speaker, Traits

NOT_CALLED = "Call one of the tools: words alone are no answer here."


class ActingAgent:
    """An agent that has a model answer a caller.

    Args:
        plain: answers where the wire does not take it, and whatever is no answer to a caller.
        model: the model, in its wrappers.
        seconds: the most time that one try may take.
    """

    records = True

    def __init__(self, plain: ModelAgent, model: Model, *, seconds: float = 120.0) -> None:
        self._plain, self._model, self._seconds = plain, model, seconds

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``."""
        specs = tool_specs(ask.form.schema) if ask.form else ()
        native = ask.talk and (self._model.traits.tools or not specs)
        if not native or (recorder.done("answer") and not recorder.done(ACTS)):
            return await self._plain.answer(ask, context, recorder)
        messages = list(native_messages(ask, context.brief, self._model.traits))
        talk = Conversation(self._model, self._seconds, context, recorder, messages)
        try:
            called = await talk.request(messages, ACTS, specs)
        except Refused as error:
            if error.kind != "request":
                raise
            return await self._plain.answer(ask, context, recorder)
        reading = _read(ask, called, specs)
        if reading.unread:
            called = await talk.request([*messages, *_question(called, reading)], f"{ACTS}-2", specs)
            reading = _read(ask, called, specs)
        if not called.text.strip() and not called.tools:
            raise Unreadable(f"{self._model.name} gave no words", kind="empty")
        return reply_of(reading, talk, called)


def tool_specs(schema: str) -> tuple[ToolSpec, ...]:
    """The caller's tools, as the schema of words or calls holds them."""
    table: dict[str, object] = json.loads(schema or "{}")
    specs: list[ToolSpec] = []
    for way in cast("list[dict[str, dict[str, dict[str, object]]]]", table.get("anyOf", [])):
        items = cast("dict[str, list[dict[str, object]]]", way["properties"].get("tool_calls", {}).get("items", {}))
        for item in items.get("anyOf", []):
            parts = cast("dict[str, dict[str, object]]", item["properties"])
            parameters = {name: value for name, value in parts["arguments"].items() if name != "$id"}
            help_ = str(parts["name"].get("description", ""))
            specs.append(ToolSpec(name=str(parts["name"]["const"]), help=help_, parameters=parameters))
    return tuple(specs)


def native_messages(ask: Ask, brief: Brief, traits: Traits) -> Iterator[Message]:
    """The caller's messages as the wire takes them; what was decided stands at the end of the first one."""
    rows = cast("list[Mapping[str, object]]", json.loads(ask.talk))
    rules = "\n\n".join(str(row["text"]) for row in rows if row["role"] == "system")
    first = Message(role="system", text=f"{rules}\n\n{ask.task}".strip())
    written = [first, *(_message(row, brief) for row in rows if row["role"] != "system")]
    fitted: list[Message] = []
    for plain, group in groupby(written, lambda message: not message.calls and message.role != "tool"):
        messages = tuple(group)
        if plain and fitted and messages[0].role == "assistant":  # it goes on after the results of its tools
            fitted.append(messages[0])
            messages = messages[1:]
        fitted += fit(messages, traits) if plain and messages else messages
    yield from fitted


def _message(row: Mapping[str, object], brief: Brief) -> Message:
    calls = cast("list[dict[str, str]]", row.get("calls", []))
    names = cast("list[str]", row.get("files", []))
    files = [source for source in brief.background if source.file and source.name in names]
    return Message(
        role=cast("Speaker", row["role"]),
        text=str(row["text"]),
        calls=tuple(ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"]) for call in calls),
        answers=str(row.get("answers", "")),
        files=tuple(
            AttachedFile(name=source.name, file=source.file, words=f"{source.name}:\n{frame(source.text)}")
            for source in files
            if source.file
        ),
    )


def _read(ask: Ask, called: Called, specs: Sequence[ToolSpec]) -> Reading:
    """The words, or the calls as JSON that fits the schema of words or calls."""
    if ask.form is None:
        return Reading(text=called.text.strip())
    if is_cut_off(called) and called.tools:
        return Reading(text=called.text, unread=(Unread(FINAL, "truncated"),))
    calls: list[dict[str, object]] = []
    for call in called.tools:
        try:
            arguments: object = clean_data(json.loads(call.arguments or "{}"))
        except (ValueError, RecursionError):
            return Reading(text=called.text, unread=(Unread(FINAL, "malformed"),))
        calls.append({"name": call.name, "arguments": arguments})
    words = {"content": called.text.strip()} if called.text.strip() or not calls else {}
    value = {**words, **({"tool_calls": calls} if calls else {})}
    read = read_schema_answer(ask.form.schema, json.dumps(value, ensure_ascii=False))
    if isinstance(read, Fault):
        known = [spec.name for spec in specs]
        wrong = next((call.name for call in called.tools if call.name not in known), "")
        unread = Unread(FINAL, f"there is no tool {wrong}") if wrong else Unread(FINAL, read.reason, read.seen)
        return Reading(text=called.text, unread=(unread.cleaned(),))
    return Reading(text=called.text.strip(), fields={FINAL: read})


def _question(called: Called, reading: Reading) -> Iterator[Message]:
    """What was answered, and what is wrong with it; a wire wants a result for each call."""
    yield Message(role="assistant", text=called.text, calls=called.tools)
    problem = reading.unread[0].why
    for call in called.tools:
        yield Message(role="tool", text=f"Not done: {problem}. Call the tools again.", answers=call.id)
    if not called.tools:
        yield Message(role="user", text=NOT_CALLED)
