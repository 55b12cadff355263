"""Read the body of a chat request: messages, and what of the rest is used, named as not used, or refused."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from folkmoot.app.brief.types import HEADER
from folkmoot.app.brief.values import check_value
from folkmoot.app.endpoint.answer_shape import AnswerShape, read_shape
from folkmoot.app.endpoint.chat_files import KINDS, read_file
from folkmoot.app.endpoint.endpoint_errors import EndpointError
from folkmoot.core.ask import ToolCall
from folkmoot.core.brief import OPTIONS, Source
from folkmoot.core.errors import BriefError
from folkmoot.core.text import clean, flat

RULES = ("system", "developer")
RESULTS = ("tool", "function")
ROLES = (*RULES, "user", "assistant", *RESULTS)

REFUSED = (
    "top_logprobs",
    "logit_bias",
    "audio",
    "prediction",
    "web_search_options",
    "functions",
    "function_call",
    "guided_json",
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "grammar",
)
"""What would change the meaning of an answer, and is not supported. All else that nobody knows is named as not used."""

USED = (
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "stop",
    "n",
    "metadata",
    "folkmoot",
    "tools",
    "tool_choice",
    "response_format",
    "modalities",
    "logprobs",
)

NOTHING: Sequence[object] = (None, [], 0, "none", "auto")
"""Values of a field that is not supported, with which it says nothing; ``{}`` too, but for a search of the web."""

OWN = ("max_cost", "seconds", "notices", "key")
"""What the object ``folkmoot`` of a request may have."""

FIELDS = ("role", "content", "name", "tool_calls", "tool_call_id", "refusal", "function_call", "audio")
"""What a message may have; all else in one is named as not used."""

CALLED = "\n(called tools: "

MOST_NAME = 64
"""The most characters of a speaker's name."""

MOST_ID = 2000
"""The most characters of the id of a call; gateways write more into it than a name."""

MOST_NAMES = 50
"""The most names of fields that an answer tells as not used."""

MOST_TEXT = 1024 * 1024
"""The most characters of all messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """A message of a conversation.

    Attributes:
        role: who speaks.
        text: the text; with the calls of tools in words.
        files: the pictures and PDFs in it.
        name: the name that the caller gives to the speaker; "" for none.
        calls: the calls of tools in it.
        answers: the id of the call whose result it is; "" where it is none.
    """

    role: str
    text: str
    files: tuple[Source, ...] = ()
    name: str = ""
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    @property
    def words(self) -> str:
        """The text without the calls of tools."""
        return self.text.partition(CALLED)[0] if self.calls else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """A chat request.

    Attributes:
        model: the name of the model.
        messages: the conversation.
        stream: whether the answer is streamed.
        usage_chunk: whether the stream ends with a chunk of usage.
        most_tokens: the length of the final answer in tokens; None for no limit.
        stop: texts before which the final answer ends.
        options: the closed set of answers; empty for an open question.
        max_cost: US dollars at most; None for what the preset allows.
        seconds: how long the request is held open; None for what the preset says.
        notices: whether what went wrong stands in the text, or in the field ``folkmoot`` alone.
        key: the idempotency key in the body; "" for none.
        ignored: what was sent and is not used.
        shape: the shape that the answer has to have; None for words.
        turn: whether the last message is the result of a tool.
    """

    model: str
    messages: tuple[ChatMessage, ...]
    stream: bool = False
    usage_chunk: bool = False
    most_tokens: int | None = None
    stop: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    max_cost: float | None = None
    seconds: float | None = None
    notices: Literal["text", "field"] = "text"
    key: str = ""
    ignored: tuple[str, ...] = ()
    shape: AnswerShape | None = None
    turn: bool = False


def read_chat(body: Mapping[str, object]) -> ChatRequest:
    """Read the body of a chat request.

    Raises:
        EndpointError: something in it cannot be used; its ``param`` says what.
    """
    model = body.get("model")
    if not isinstance(model, str):
        raise _invalid_value("model", "must be the name of a model, such as folkmoot/fast")
    ignored = [name for name in body if name not in (*USED, *REFUSED) and body[name] not in (None, [], {})]
    _check_meaning(body)
    shape, unused = read_shape(body)
    ignored += unused
    own = _table(body, "folkmoot")
    for name in own:
        if name not in OWN:
            raise _invalid_value(f"folkmoot.{name[:60]}", f"is not known; there are {', '.join(OWN)}")
    notices = own.get("notices", "text")
    if notices not in ("text", "field"):
        raise _invalid_value("folkmoot.notices", "must be text or field")
    metadata, messages = _table(body, "metadata"), _messages(body.get("messages"))
    ignored += [f"metadata.{name}" for name in metadata if name != "folkmoot_options"]
    ignored += _unused_fields(cast("list[Mapping[str, object]]", body["messages"]))
    return ChatRequest(
        model=model,
        messages=messages,
        stream=_flag(body, "stream"),
        usage_chunk=_flag(_table(body, "stream_options"), "include_usage", "stream_options."),
        most_tokens=_most_tokens(body),
        stop=_stop(body.get("stop")),
        options=_options(metadata.get("folkmoot_options")),
        max_cost=_number(own, "max_cost"),
        seconds=_number(own, "seconds"),
        notices="field" if notices == "field" else "text",
        key=_text(own.get("key", ""), "folkmoot.key"),
        ignored=_in_short(ignored),
        shape=shape,
        turn=messages[-1].role in RESULTS,
    )


def _in_short(names: Sequence[str]) -> tuple[str, ...]:
    """Names that a caller made up, so that they fit into a header: a line each, and not too many."""
    rest = len(names) - MOST_NAMES
    short = [flat(clean(name))[:60] for name in names[:MOST_NAMES]]
    return (*short, *([f"and {rest} more"] if rest > 0 else []))


def _check_meaning(body: Mapping[str, object]) -> None:
    """Refuse what would change the meaning of the answer."""
    for name in REFUSED:
        value = body.get(name)
        if value not in NOTHING and (value != {} or name == "web_search_options"):
            raise EndpointError(400, f"{name} is not supported here", "unsupported_parameter", param=name)
    if body.get("n") not in (None, 1):
        raise EndpointError(400, "n must be 1; send n requests: each is a debate", "unsupported_value", param="n")
    if body.get("logprobs"):
        raise EndpointError(
            400, "logprobs is not supported: a debate has none", "unsupported_parameter", param="logprobs"
        )
    if body.get("modalities") not in (None, ["text"]):
        raise EndpointError(400, "modalities can only be text", "unsupported_parameter", param="modalities")


def _messages(value: object) -> tuple[ChatMessage, ...]:
    if not isinstance(value, list) or not value:
        raise EndpointError(400, "messages must be a list with at least one message", "missing_topic", param="messages")
    files: list[Source] = []
    messages = tuple(_message(item, n, files) for n, item in enumerate(cast("list[object]", value)))
    if sum(len(message.text) for message in messages) > MOST_TEXT:
        raise EndpointError(413, f"the messages have more than {MOST_TEXT:,} characters", "too_large", param="messages")
    if messages[-1].role == "assistant":
        problem = "the last message must be of the user or of a tool, not of the role assistant"
        raise EndpointError(400, problem, "unsupported_value", param="messages")
    asking = [message for message in messages if message.role == "user" and message.text.strip()]
    if not asking:
        raise EndpointError(400, "no message of the user has a text", "missing_topic", param="messages")
    return messages


def _unused_fields(messages: Sequence[Mapping[str, object]]) -> list[str]:
    """The names of what stands in messages and is not used, each once."""
    names = [name for message in messages for name in message if name not in FIELDS and message[name]]
    return [f"messages.{name}" for name in dict.fromkeys(names)]


def _message(item: object, n: int, files: list[Source]) -> ChatMessage:
    table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
    role, parameter = table.get("role"), f"messages[{n}]"
    if role not in ROLES:
        raise _invalid_value(f"{parameter}.role", f"must be one of {', '.join(ROLES)}")
    if table.get("audio"):
        problem = f"{parameter}.audio is not supported: write in content what was said"
        raise EndpointError(400, problem, "unsupported_value", param=f"{parameter}.audio")
    content, before = table.get("content"), len(files)
    if isinstance(content, list):
        parts = cast("list[object]", content)
        texts = [_part(part, f"{parameter}.content[{number}]", str(role), files) for number, part in enumerate(parts)]
        names = [f"({file.name})" for file in files[before:]]
        content = " ".join(["\n".join(text for text in texts if text), *names]).strip()
    if content is not None and not isinstance(content, str):
        raise _invalid_value(f"{parameter}.content", "must be a text or a list of parts")
    if refusal := table.get("refusal"):
        content = f"{content or ''}\n{_text(refusal, f'{parameter}.refusal')}".strip()
    calls = table.get("tool_calls") or table.get("function_call")
    called = f"{CALLED}{json.dumps(calls, ensure_ascii=False)[:2000]})" if calls else ""
    return ChatMessage(
        role=str(role),
        text=clean(f"{content or ''}{called}"),
        files=tuple(files[before:]),
        name=flat(clean(str(table.get("name") or "")))[:MOST_NAME] if role != "tool" else "",
        calls=tuple(_calls(calls)),
        answers=str(table.get("tool_call_id") or "")[:MOST_ID] if role in RESULTS else "",
    )


def _calls(value: object) -> Iterator[ToolCall]:
    """The calls of tools of a message of the assistant; one that is none in OpenAI's form stands in the words alone."""
    for item in cast("list[object]", value) if isinstance(value, list) else ():
        table = cast("dict[str, object]", item) if isinstance(item, dict) else {}
        inner = table.get("function")
        function = cast("dict[str, object]", inner) if isinstance(inner, dict) else {}
        if (name := function.get("name")) and (mark := table.get("id")):
            arguments = clean(str(function.get("arguments") or "{}"))
            yield ToolCall(id=str(mark)[:MOST_ID], name=str(name)[:MOST_NAME], arguments=arguments)


def _part(part: object, place: str, role: str, files: list[Source]) -> str:
    """The text of a part; a picture or PDF of the user is added to the files instead."""
    table = cast("dict[str, object]", part) if isinstance(part, dict) else {}
    kind = table.get("type")
    if kind in ("text", "input_text", "output_text", "refusal"):
        return _text(table.get("refusal" if kind == "refusal" else "text"), f"{place}.text")
    if kind in KINDS and role == "user":
        files.append(read_file(table, files, place))
        return ""
    problem = f"{place} is of the type {str(kind)[:60]!r}; a debate takes text, and pictures and PDFs of the user"
    raise EndpointError(400, problem, "unsupported_value", param=place)


def _most_tokens(body: Mapping[str, object]) -> int | None:
    for name in ("max_completion_tokens", "max_tokens"):
        if (value := body.get(name)) is not None:
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise _invalid_value(name, "must be a whole number from 1")
            return value
    return None


def _stop(value: object) -> tuple[str, ...]:
    texts = cast("list[object]", value) if isinstance(value, list) else [] if value is None else [value]
    if len(texts) > 4 or not all(isinstance(text, str) and text for text in texts):
        raise _invalid_value("stop", "must be 1 to 4 texts")
    return tuple(str(text) for text in texts)


def _options(value: object) -> tuple[str, ...]:
    """The closed set of answers, written as one text: ``tea|coffee``."""
    parameter = "metadata.folkmoot_options"
    words = _text(value, parameter).split("|") if value is not None else []
    options = tuple(word.strip() for word in words)
    if options and not (OPTIONS.low <= len(options) <= OPTIONS.high and all(options)):
        raise _invalid_value(parameter, f"must have {OPTIONS.low:g} to {OPTIONS.high:g} answers: tea|coffee")
    try:
        return options and cast("tuple[str, ...]", check_value(HEADER, "options", options))
    except BriefError as error:
        raise EndpointError(400, f"{parameter}: {error.found}", error.code, param=parameter) from error


def _number(table: Mapping[str, object], name: str) -> float | None:
    value = table.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or value <= 0):
        raise _invalid_value(f"folkmoot.{name}", "must be a number above 0")
    return None if value is None else float(value)


def _flag(table: Mapping[str, object], name: str, place: str = "") -> bool:
    value = table.get(name)
    if value is not None and not isinstance(value, bool):
        raise _invalid_value(f"{place}{name}", "must be true or false")
    return bool(value)


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise _invalid_value(place, "must be a text")
    return value


def _table(body: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = body.get(name)
    if value is not None and not isinstance(value, dict):
        raise _invalid_value(name, "must be an object")
    return cast("dict[str, object]", value or {})


def _invalid_value(param: str, problem: str) -> EndpointError:
    return EndpointError(400, f"{param} {problem}", "invalid_value", param=param)
