"""Answers of providers as bytes, written after their documents and after what servers are known to send.

Each frame has the body of an answer and what it comes to. None of them was recorded.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OPENAI, GROQ, CLAUDE, OLLAMA = "openai:gpt-4o", "groq:some-model", "anthropic:claude-haiku-5-5", "ollama:tiny"

Json = Mapping[str, object]


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One answer.

    Attributes:
        model: who is asked; what speaks the same wire sends the same.
        body: the bytes.
        text: its words.
        finish: why it ended; "" where it does not say.
        usage: tokens in, out, and read from a cache.
        written: tokens written to a cache.
        served: the model that says it answered.
        tools: id, name and arguments of each call.
        fails: the kind of the error that it comes to instead.
    """

    model: str
    body: bytes
    text: str = ""
    finish: str = "stop"
    usage: tuple[int, int, int] = (0, 0, 0)
    written: int = 0
    served: str = ""
    tools: tuple[tuple[str, str, str], ...] = ()
    fails: str = ""


def sse(*events: object, end: str = "\n", mark: str = "data: ") -> bytes:
    """Events of a stream, each with a blank line behind it."""
    texts = (event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events)
    return "".join(f"{mark}{text}{end}{end}" for text in texts).encode()


def lines(*events: Json) -> bytes:
    """Events of Ollama's, one a line."""
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


# ---- OpenAI's form ----------------------------------------------------------------------------------------------

WORDS = ("Grüße, ", "世界 ", "👩‍🔬 \n\n", '"data: x" ', "\u2028end")
SAID = "".join(WORDS)


def piece(delta: Json, finish: str | None = None, **more: object) -> Json:
    """A chunk of a chat completion."""
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "served-1"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def counted(**more: object) -> dict[str, object]:
    """The counts of an answer."""
    return {"prompt_tokens": 30, "completion_tokens": 7, "total_tokens": 37, **more}


CACHED = counted(prompt_tokens_details={"cached_tokens": 4}, completion_tokens_details={"reasoning_tokens": 2})
SPOKEN = tuple(piece({"content": word}, usage=None) for word in WORDS)
STOP = piece({}, "stop")
COUNTS: Json = {"id": "c", "choices": [], "usage": CACHED}
PLAIN = (piece({"role": "assistant", "content": ""}), *SPOKEN, STOP, COUNTS, "[DONE]")
LOOK = {"name": "look", "arguments": ""}


def called(*parts: Json) -> bytes:
    """A stream with pieces of tool calls."""
    chunks = (piece({"tool_calls": [part]}) for part in parts)
    return sse(*chunks, piece({}, "tool_calls"), "[DONE]")


def chat(body: bytes, text: str = SAID, model: str = OPENAI, **more: Any) -> Frame:
    """A frame of OpenAI's form; one that is whole says what it used."""
    usual: dict[str, Any] = {"usage": (30, 7, 4), "served": "served-1"}
    return Frame(model=model, body=body, text=text, **{**usual, **more})


ASKED: Mapping[str, Any] = {"text": "", "usage": (0, 0, 0)}
TWO = (("c1", "look", '{"q": 1}'), ("c2", "find", "{}"))
BROKEN = {"message": "Provider disconnected", "code": 502}

CHAT: Mapping[str, Frame] = {
    "plain": chat(sse(*PLAIN)),
    "cr lf": chat(sse(*PLAIN, end="\r\n")),
    "cr": chat(sse(*PLAIN, end="\r")),
    "no blank behind the colon": chat(sse(*PLAIN, mark="data:")),
    "byte order mark": chat(b"\xef\xbb\xbf" + sse(*PLAIN)),
    "ids, names and comments": chat(
        b": OPENROUTER PROCESSING\n\nretry: 3\nid: 1\nevent: message\n"
        + sse(*PLAIN[:3])
        + b": ping\n\n"
        + sse(*PLAIN[3:])
    ),
    "blank lines first": chat(b"\n\n \r\n" + sse(*PLAIN)),
    "no last blank line": chat(sse(*PLAIN[:-1])[:-2]),
    "no [DONE]": chat(sse(*PLAIN[:-1])),
    "noise behind [DONE]": chat(sse(*PLAIN) + b"data: nonsense\n\ndata: {"),
    "half an event behind the finish": chat(sse(*PLAIN[:-1]) + b'data: {"choi'),
    "data in several lines": chat(
        b"".join(b"data: " + line + b"\n" for line in json.dumps(SPOKEN[0], indent=1).encode().split(b"\n"))
        + b"\n"
        + sse(*PLAIN[2:])
    ),
    "empty data": chat(b"data:\n\n" + sse(*PLAIN)),
    "usage with the finish": chat(sse(*SPOKEN, piece({}, "stop", usage=CACHED), "[DONE]")),
    "usage with every chunk": chat(sse(*(piece({"content": w}, usage=CACHED) for w in WORDS), STOP)),
    "usage in words": chat(sse(*SPOKEN, STOP, {"choices": [], "usage": "many"}, "[DONE]"), usage=(0, 0, 0)),
    "choices null": chat(sse(*SPOKEN, STOP, {"choices": None, "usage": CACHED}, "[DONE]")),
    "no choices": chat(sse({"choices": [], "prompt_filter_results": []}, *PLAIN)),
    "x_groq": chat(
        sse(*SPOKEN, piece({}, "stop", x_groq={"id": "r", "usage": counted()}), "[DONE]"), usage=(30, 7, 0), model=GROQ
    ),
    "x_groq null": chat(sse(piece({}, x_groq={"id": "r", "usage": None}), *PLAIN), model=GROQ),
    "cache hits by another name": chat(
        sse(*SPOKEN, STOP, {"choices": [], "usage": counted(prompt_cache_hit_tokens=9)}), usage=(30, 7, 9)
    ),
    "timings": chat(sse(*SPOKEN, piece({}, "stop", usage=CACHED, timings={"prompt_ms": 1.5}), "[DONE]")),
    "reasoning_content": chat(sse(piece({"content": None, "reasoning_content": "hm"}), *PLAIN)),
    "reasoning": chat(sse(piece({"content": "", "reasoning": "hm", "reasoning_details": [{"type": "x"}]}), *PLAIN)),
    "thinking tags": chat(sse(piece({"content": "<think>hm"}), piece({"content": "</think>"}), *PLAIN)),
    "parts": chat(
        sse(
            piece({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]}),
            piece({"content": [{"type": "text", "text": "yes"}, {"type": "reference", "reference_ids": [1]}]}, "stop"),
        ),
        "yes",
        usage=(0, 0, 0),
    ),
    "error null": chat(sse(*(piece({"content": word}, error=None) for word in WORDS), STOP, COUNTS)),
    "length": chat(sse(*SPOKEN, piece({}, "length"), COUNTS), finish="length"),
    "length, then stop": chat(sse(*SPOKEN, piece({}, "length"), STOP, COUNTS), finish="length"),
    "a thought in parts": chat(
        sse(piece({"content": [{"text": "Hm.", "thought": True}]}), *SPOKEN, STOP, COUNTS),
    ),
    "max_tokens": chat(sse(*SPOKEN, piece({}, "max_tokens"), COUNTS), finish="length"),
    "filter": chat(sse(piece({"content": "no"}), piece({}, "content_filter"), COUNTS), "no", finish="filter"),
    "refusal": chat(sse(piece({"refusal": "I cannot."}), STOP, COUNTS), "", finish="filter"),
    "unknown finish": chat(sse(*SPOKEN, piece({}, "eos"), COUNTS)),
    "no finish": chat(sse(*SPOKEN), finish="", usage=(0, 0, 0)),
    "whole": chat(
        b"\n\n  "
        + json.dumps(
            {
                "model": "served-1",
                "choices": [{"message": {"content": SAID}, "finish_reason": "stop"}],
                "usage": CACHED,
            },
            indent=1,
        ).encode()
    ),
    "halves of a character": chat(
        b'data: {"choices":[{"delta":{"content":"a\\ud83d b"},"finish_reason":"stop"}]}\n\n',
        "a\ud83d b",
        usage=(0, 0, 0),
        served="",
    ),
    "null everywhere": chat(
        sse(
            {"choices": [{"delta": None, "finish_reason": None}], "usage": None, "model": None},
            {"choices": [{"delta": {"content": None, "tool_calls": None, "refusal": None, "reasoning": None}}]},
            *PLAIN,
        )
    ),
    "tool": chat(
        called(
            {"index": 0, "id": "c1", "type": "function", "function": LOOK},
            {"index": 0, "function": {"arguments": '{"q"'}},
            {"index": 0, "function": {"arguments": ": 1}"}},
        ),
        tools=TWO[:1],
        **ASKED,
    ),
    "two tools in turns": chat(
        called(
            {"index": 0, "id": "c1", "function": LOOK},
            {"index": 1, "id": "c2", "function": {"name": "find", "arguments": "{"}},
            {"index": 0, "function": {"name": None, "arguments": '{"q": 1}'}},
            {"index": 1, "id": None, "function": {"arguments": "}"}},
        ),
        tools=TWO,
        **ASKED,
    ),
    "tools without an index": chat(
        called(
            {"id": "c1", "function": {"name": "look", "arguments": '{"q":'}},
            {"function": {"arguments": " 1}"}},
            {"id": "c2", "function": {"name": "find", "arguments": "{}"}},
        ),
        tools=TWO,
        **ASKED,
    ),
    "tools of the same index": chat(
        called(
            {"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{"q": 1}'}},
            {"index": 0, "id": "c2", "function": {"name": "find", "arguments": "{}"}},
        ),
        tools=TWO,
        **ASKED,
    ),
    "arguments as an object": chat(
        called({"index": 0, "id": "c1", "function": {"name": "look", "arguments": {"q": 1}}}), tools=TWO[:1], **ASKED
    ),
    "a tool without a function": chat(called({"index": 0, "id": "c1"}), tools=(("c1", "", ""),), **ASKED),
    "error": chat(sse(*SPOKEN, {"error": BROKEN}), fails="server"),
    "error as OpenRouter sends it": chat(
        sse(*SPOKEN, {"error": BROKEN, "choices": [{"delta": {"content": ""}, "finish_reason": "error"}]}),
        fails="server",
    ),
    "error of a kind": chat(sse({"error": {"message": "slow down", "type": "rate_limit_error"}}), fails="rate"),
    "error in words": chat(sse({"error": "out of memory"}), fails="server"),
    "error as a whole": chat(json.dumps({"error": {"message": "x", "code": 429}}).encode(), fails="rate"),
    "html": chat(b"<!doctype html><p>502", fails="garbled"),
    "nothing": chat(b"", fails="garbled"),
    "comments alone": chat(b": ping\n\n" * 3, fails="garbled"),
    "no json": chat(b"data: {not json}\n\n", fails="garbled"),
    "no utf-8": chat(b'data: {"choices":[{"delta":{"content":"\xff"}}]}\n\n', fails="garbled"),
    "another shape": chat(b'data: {"choices":3}\n\n', fails="garbled"),
    "deep": chat(b'data: {"usage":{"a":' + b"[" * 2000 + b"\n\n", fails="garbled"),
}

# ---- Anthropic's messages ---------------------------------------------------------------------------------------


def events(*data: Json) -> bytes:
    """Events with their names, as this wire sends them."""
    return b"".join(f"event: {event.get('type')}\n".encode() + sse(event) for event in data)


BEGUN: Json = {
    "type": "message_start",
    "message": {
        "model": "served-1",
        "content": [],
        "stop_reason": None,
        "usage": {
            "input_tokens": 5,
            "cache_creation_input_tokens": 8,
            "cache_read_input_tokens": 4,
            "output_tokens": 1,
        },
    },
}
PING: Json = {"type": "ping"}
STOPPED: Json = {"type": "message_stop"}


def ended(reason: str | None = "end_turn", **usage: object) -> Json:
    """The event that says why an answer ended."""
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7, **usage}}


def block(index: int, start: Json, *deltas: Json) -> tuple[Json, ...]:
    """A block of an answer."""
    return (
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    )


SPEECH = block(0, {"type": "text", "text": ""}, *({"type": "text_delta", "text": word} for word in WORDS))
THOUGHT = block(
    1,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "hm"},
    {"type": "signature_delta", "signature": "x"},
)
USE = block(
    1,
    {"type": "tool_use", "id": "c1", "name": "look", "input": {}},
    {"type": "input_json_delta", "partial_json": ""},
    {"type": "input_json_delta", "partial_json": '{"q"'},
    {"type": "input_json_delta", "partial_json": ": 1}"},
)
NO_INPUT = block(2, {"type": "tool_use", "id": "c2", "name": "find", "input": {}})


def message(body: bytes, text: str = SAID, **more: Any) -> Frame:
    """A frame of Anthropic's; the input is the sum of its three kinds."""
    usual: dict[str, Any] = {"usage": (17, 7, 4), "written": 8, "served": "served-1"}
    return Frame(model=CLAUDE, body=body, text=text, **{**usual, **more})


NOTHING: Mapping[str, Any] = {"usage": (0, 0, 0), "written": 0, "served": ""}
MESSAGES: Mapping[str, Frame] = {
    "plain": message(events(BEGUN, PING, *SPEECH, ended(), STOPPED)),
    "thinking": message(events(BEGUN, *THOUGHT, *SPEECH, ended(), STOPPED)),
    "[DONE] at the end": message(events(BEGUN, *SPEECH, ended()) + sse("[DONE]")),
    "no message_stop": message(events(BEGUN, *SPEECH, ended())),
    "unknown events": message(events(BEGUN, {"type": "weather", "delta": None}, *SPEECH, ended(), STOPPED)),
    "citations": message(
        events(BEGUN, *SPEECH[:-1], *block(0, {"type": "x"}, {"type": "citations_delta"})[1:2], ended(), STOPPED)
    ),
    "words at the start of a block": message(
        events(BEGUN, *block(0, {"type": "text", "text": "yes"}), ended(), STOPPED), "yes"
    ),
    "all counts at the end": message(
        events(
            BEGUN, *SPEECH, ended(input_tokens=9, cache_read_input_tokens=0, cache_creation_input_tokens=None), STOPPED
        ),
        usage=(17, 7, 0),
    ),
    "usage in words": message(events(BEGUN, *SPEECH, {**ended(), "usage": "many"}, STOPPED), usage=(17, 0, 4)),
    "counts that cannot be": message(events(BEGUN, *SPEECH, ended(input_tokens="many"), STOPPED), usage=(-1, 7, 4)),
    "length": message(events(BEGUN, *SPEECH, ended("max_tokens"), STOPPED), finish="length"),
    "context full": message(events(BEGUN, *SPEECH, ended("model_context_window_exceeded")), finish="length"),
    "refusal": message(events(BEGUN, ended("refusal"), STOPPED), "", finish="filter"),
    "stop sequence": message(events(BEGUN, *SPEECH, ended("stop_sequence"), STOPPED)),
    "no reason": message(events(BEGUN, *SPEECH, ended(None)), finish="", usage=(17, 0, 4)),
    "no delta": message(events(BEGUN, *SPEECH, {"type": "message_delta", "delta": None}), finish="", usage=(17, 0, 4)),
    "cut off": message(events(BEGUN, *SPEECH[:3]), "".join(WORDS[:2]), finish="", usage=(17, 0, 4)),
    "tools": message(events(BEGUN, *SPEECH, *USE, *NO_INPUT, ended("tool_use"), STOPPED), tools=TWO),
    "a piece of no block": message(events(BEGUN, *SPEECH, *USE[1:], ended(), STOPPED)),
    "whole": message(
        json.dumps(
            {
                "type": "message",
                "model": "served-1",
                "content": [
                    {"type": "text", "text": SAID},
                    {"type": "tool_use", "id": "c1", "name": "look", "input": {"q": 1}},
                ],
                "stop_reason": "tool_use",
                "usage": {"input_tokens": 5, "output_tokens": 7},
            }
        ).encode(),
        tools=(("c1", "look", '{"q":1}'),),
        usage=(5, 7, 0),
        written=0,
    ),
    "overloaded": message(
        events(BEGUN, *SPEECH, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        fails="server",
    ),
    "error without a type": message(sse({"error": {"type": "billing_error", "message": "no credit"}}), fails="quota"),
    "an empty whole": message(b'{"type": "message"}', "", finish="", **NOTHING),
}

# ---- Ollama's lines ---------------------------------------------------------------------------------------------


def line(content: str | None, **more: object) -> Json:
    """A line of Ollama's."""
    return {"model": "served-1", "message": {"role": "assistant", "content": content, **more}, "done": False}


DONE: Json = {
    "model": "served-1",
    "message": {"role": "assistant", "content": ""},
    "done": True,
    "done_reason": "stop",
    "total_duration": 9,
    "prompt_eval_count": 30,
    "eval_count": 7,
}
HEARD = tuple(line(word) for word in WORDS)


def local(body: bytes, text: str = SAID, **more: Any) -> Frame:
    """A frame of Ollama's."""
    usual: dict[str, Any] = {"usage": (30, 7, 0), "served": "served-1"}
    return Frame(model=OLLAMA, body=body, text=text, **{**usual, **more})


CALLS: Any = [{"function": {"name": "look", "arguments": {"q": 1}}}, {"function": {"name": "find", "arguments": {}}}]
OURS = (("call-1", "look", '{"q": 1}'), ("call-2", "find", "{}"))
LOCAL: Mapping[str, Frame] = {
    "plain": local(lines(*HEARD, DONE)),
    "cr lf": local(lines(*HEARD, DONE).replace(b"\n", b"\r\n")),
    "no last line end": local(lines(*HEARD, DONE)[:-1]),
    "blank lines": local(b"\n" + lines(*HEARD[:2]) + b"\n\n" + lines(*HEARD[2:], DONE)),
    "thinking": local(lines(line("", thinking="hm"), line(None, thinking="hm"), *HEARD, DONE)),
    "tools": local(lines(*HEARD, line("", tool_calls=CALLS), DONE), tools=OURS),
    "length": local(lines(*HEARD, {**DONE, "done_reason": "length"}), finish="length"),
    "unloaded": local(lines(*HEARD, {**DONE, "done_reason": "unload"}), finish="unload"),
    "no counts": local(lines(*HEARD, {"done": True, "message": {}}), usage=(0, 0, 0), served=""),
    "not done": local(lines(*HEARD), finish="", usage=(0, 0, 0), served=""),
    "noise behind the end": local(lines(*HEARD, DONE) + b"rubbish"),
    "blanks at the end": local(lines(*HEARD) + b"  ", finish="", usage=(0, 0, 0), served=""),
    "error": local(lines(*HEARD, {"error": "out of memory"}), fails="server"),
    "no message": local(lines({"model": "x"}), fails="garbled"),
    "no json": local(b"{not json}\n", fails="garbled"),
}

FRAMES: Mapping[str, Frame] = {
    f"{wire}: {name}": frame
    for wire, frames in (("chat", CHAT), ("messages", MESSAGES), ("lines", LOCAL))
    for name, frame in frames.items()
}
