"""All other providers, through PydanticAI: requests in its types, and answers back.

Such a model is named ``library:PROVIDER:NAME``, as that library names it, and the library finds its address and key in
the environment by itself. It is loaded when such a model is first used, which takes one to three seconds. None of its
types leaves here.
"""

import json
from base64 import b64decode
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING, cast

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import ToolSpec, Usage
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ModelError, Refused, Unavailable
from folkmoot.core.event import Called
from folkmoot.core.packages import missing_library
from folkmoot.core.text import hide
from folkmoot.models import provider_errors
from folkmoot.models.adapter import Adapter
from folkmoot.models.base import Message, Request, Traits
from folkmoot.models.finish import finish_of
from folkmoot.models.names import ModelName, unsent_settings
from folkmoot.models.prices import answer_cap
from folkmoot.models.stream import AnswerStream, End, final_answer
from folkmoot.models.transport import ProviderConnection
from folkmoot.models.wires.refused_parts import PartsOfWire, RefusedParts, is_strict

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import (
        ModelMessage,
        ModelResponse,
        ModelResponseStreamEvent,
        TextPart,
        ToolCallPart,
        UserContent,
    )
    from pydantic_ai.models import Model as Library
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.settings import ModelSettings


def write_settings(wanted: Settings, dropped: Collection[str]) -> "ModelSettings":
    """The settings as the library takes them; the cap on tokens is always sent, so that what was reserved holds."""
    settings: dict[str, object] = {"max_tokens": answer_cap(wanted)}
    for setting in TAKEN:
        value: object = getattr(wanted, setting)
        if setting not in dropped and value not in (None, ()):
            settings[_THEIRS.get(setting, setting)] = list(wanted.stop) if setting == "stop" else value
    return cast("ModelSettings", settings)


def write_messages(messages: Sequence[Message], name: ModelName) -> "list[ModelMessage]":
    """The messages as the library takes them; the results of one answer's tools go together."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, ToolReturnPart, UserPromptPart

    model_messages: list[ModelMessage] = []
    names = {call.id: call.name for message in messages for call in message.calls}
    for role, group in groupby(messages, key=lambda message: message.role):
        match role:
            case "tool":
                returned = [
                    ToolReturnPart(names.get(message.answers, ""), message.text, message.answers) for message in group
                ]
                model_messages.append(ModelRequest(parts=returned))
            case "assistant":
                model_messages.extend(ModelResponse(parts=_parts(message)) for message in group)
            case "system":
                model_messages.extend(ModelRequest(parts=[SystemPromptPart(content=message.text)]) for message in group)
            case _:
                model_messages.extend(
                    ModelRequest(parts=[UserPromptPart(content=user_content(name, message))]) for message in group
                )
    return model_messages


def user_content(name: ModelName, message: Message) -> "str | Sequence[UserContent]":
    """The words of a user's message, after its pictures and PDFs if it has some."""
    if not message.files:
        return message.text
    from pydantic_ai.messages import BinaryContent

    from folkmoot.models.attached_files import split_files  # deferred: few debates have pictures

    sent, text = split_files(name, message)
    files = [BinaryContent(b64decode(item.file.data), media_type=item.file.media) for item in sent]
    return [*files, text]


def _parts(message: Message) -> "list[TextPart | ToolCallPart]":
    from pydantic_ai.messages import TextPart, ToolCallPart

    words = [TextPart(content=message.text)] if message.text or not message.calls else []
    calls = (ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id) for call in message.calls)
    return [*words, *calls]


def write_parameters(
    offered: Sequence[ToolSpec], shape: dict[str, object] | None, *, strict: bool = True
) -> "ModelRequestParameters":
    """The tools and the schema as the library takes them."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.tools import ToolDefinition

    return ModelRequestParameters(
        output_mode="native" if shape else "text",
        output_object=OutputObjectDefinition(shape, name="answer", strict=strict and is_strict(shape))
        if shape
        else None,
        function_tools=[
            ToolDefinition(
                name=tool_spec.name,
                description=tool_spec.help,
                parameters_json_schema=dict(tool_spec.parameters),
                # Strictness would rewrite the schema; what does not fit is told to the model instead.
                strict=False,
            )
            for tool_spec in offered
        ],
    )


TAKEN = ("temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed", "stop")
"""Settings that the library has a name for."""

_THEIRS: Mapping[str, str] = {"stop": "stop_sequences"}

PARTS = PartsOfWire(
    needed=frozenset({"model", "messages", "max_tokens"}),
    caps=frozenset({"max_tokens", "max_completion_tokens", "max_output_tokens"}),
    shape="response_format",
    streamed=frozenset({"stream"}),
)
"""What the library's providers call the parts of a request, most of them as OpenAI does. They are told apart by these
names in the words of a refusal, for the library shows no request."""

STUMBLES = (AssertionError, AttributeError, LookupError, RecursionError, TypeError)
"""How the library fails over JSON of a shape that it does not expect; what it says then is for its authors."""


class LibraryModel(Adapter):
    """One model that the library reaches.

    Args:
        name: which model: ``bedrock:NAME`` behind the colon of ``library:``.
        connection: the gate of all such models.
    """

    def __init__(self, name: ModelName, connection: ProviderConnection) -> None:
        if ":" not in name.model:
            raise BriefError(f"{name} names no provider: write library:PROVIDER:NAME", code="bad_model")
        super().__init__(name, Traits(alternate=name.provider.alternate))
        self._connection = connection
        self._refused = RefusedParts(PARTS)
        self._open = False

    @property
    def drops(self) -> tuple[str, ...]:
        """The names of Settings that this model ignores or refuses: the library knows, or the model has said so."""
        refused = self._refused.fields
        unsent = {*self._unsent_settings, *(name for name in TAKEN if {name, _THEIRS.get(name)} & refused)}
        return tuple(setting for setting in Settings.__slots__ if setting in unsent)

    def quote(self, request: Request) -> Quote:
        """The most that the request can use."""
        return super().quote(self._refused.fit(request))

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        from pydantic_ai.exceptions import ModelAPIError, UnexpectedModelBehavior, UserError

        speech, key = AnswerStream(self._name, recorder), self._connection.key
        request = self._refused.fit(request)
        settings, shape = write_settings(request.settings, self.drops), self._shape(request)
        try:
            end = await self._end_of(request, settings, shape, speech)
        except ModelAPIError as error:
            raise self._fault(error, request, settings, shape) from error
        except UserError as error:
            raise Refused(
                f"{self._name} does not take the request{provider_errors.provider_words(str(error))}", kind="request"
            ) from error
        except (UnexpectedModelBehavior, ValueError) as error:
            raise provider_errors.malformed_error(self._name, str(error), key) from error
        except STUMBLES as error:
            raise provider_errors.malformed_error(self._name, provider_errors.ODD_SHAPE, key) from error
        return final_answer(self._name, request, speech, end)

    async def _end_of(
        self, request: Request, settings: "ModelSettings", shape: dict[str, object] | None, speech: AnswerStream
    ) -> End:
        """Have the library ask, and hear the answer: as a stream, unless the model refuses to stream."""
        model = self._library
        from pydantic_ai.direct import model_request, model_request_stream

        messages = write_messages(request.messages, self._name)
        tools = write_parameters(request.tools, shape, strict=self._refused.strict)
        if not self._open:
            self._open = True
            await model.__aenter__()
        if "stream" in self._refused.fields:
            response = await model_request(model, messages, model_settings=settings, model_request_parameters=tools)
            if response.text:
                speech.hear(response.text)
        else:
            async with model_request_stream(
                model, messages, model_settings=settings, model_request_parameters=tools
            ) as stream:
                async for event in stream:
                    _read_piece(event, speech)
                    if speech.repeats:
                        break
                response = stream.get()
        _take_tool_calls(response, speech)
        return _end(response)

    def _shape(self, request: Request) -> dict[str, object] | None:
        """The schema of a request without what the model has refused of it; None for none."""
        taken = request.schema and PARTS.shape not in self._refused.fields
        return self._refused.schema(request.schema) if taken else None

    async def close(self) -> None:
        """Have the library give its connections back."""
        if self._open:
            self._open = False
            await self._library.__aexit__(None, None, None)
        vars(self).pop("_library", None)

    @cached_property
    def _unsent_settings(self) -> tuple[str, ...]:
        refused = {"stop" if name == "stop_sequences" else str(name) for name in self._library.unsupported_settings}
        unsent = refused.union(unsent_settings(self._name))
        return tuple(setting for setting in Settings.__slots__ if setting in unsent)

    @cached_property
    def _library(self) -> "Library":
        """The library's model, with the retries of its client off.

        Raises:
            Unavailable: what it needs is not installed or not set.
        """
        provider = self._name.model.partition(":")[0]
        try:
            import_module("pydantic_ai.direct")  # so that all is loaded when a try begins
            model = import_module("pydantic_ai.models").infer_model(self._name.model)
        except ImportError as error:
            what, client = f"library:{self._name.model}", f"pydantic-ai-slim[{provider}]"
            problem = missing_library(what, "library", client)
            raise Unavailable(problem, kind="not_found") from error
        except Exception as error:  # each provider of the library raises what it likes
            raise Unavailable(
                f"{self._name} cannot be used{provider_errors.provider_words(hide(str(error)))}", kind="not_found"
            ) from error
        with suppress(AttributeError, TypeError):  # Not every client has tries of its own.
            vars(model.client)["max_retries"] = 0
        return model

    def _fault(
        self,
        error: "ModelAPIError",
        request: Request,
        settings: "ModelSettings",
        shape: dict[str, object] | None,
    ) -> ModelError:
        from pydantic_ai import exceptions as library

        name, key = self._name, self._connection.key
        match error:
            case library.ModelHTTPError(status_code=status, body=body, headers=headers):
                told = provider_errors.answer_error(name, status, body, headers=headers, key=key)
                sent: dict[str, object] = {
                    **settings,
                    **{ours: settings[theirs] for ours, theirs in _THEIRS.items() if theirs in settings},
                    "messages": [{"role": message.role} for message in request.messages],
                    **({PARTS.shape: {"schema": shape, "strict": self._refused.strict}} if shape else {}),
                    **({} if "stream" in self._refused.fields else {"stream": True}),
                }
                return self._refused.taken_in(told, status, body, sent)
            case library.ModelConnectionError():
                return provider_errors.unreached_error(name, "its address", error.message, key)
            case _:
                make = provider_errors.broken_off_error if error.in_stream else provider_errors.malformed_error
                return make(name, error.message, key)


def _take_tool_calls(response: "ModelResponse", speech: AnswerStream) -> None:
    for call in response.tool_calls:
        arguments = call.args if isinstance(call.args, str) else json.dumps(call.args or {})
        speech.want(call.tool_name, arguments, call.tool_call_id)


def _read_piece(event: "ModelResponseStreamEvent", speech: AnswerStream) -> None:
    from pydantic_ai.messages import PartDeltaEvent, PartStartEvent, TextPart, TextPartDelta

    match event:
        case PartStartEvent(part=TextPart(content=words)) | PartDeltaEvent(delta=TextPartDelta(content_delta=words)):
            speech.hear(words)
        case PartStartEvent() | PartDeltaEvent():
            speech.think()
        case _:
            pass


def _end(response: "ModelResponse") -> End:
    used = response.usage
    # The library takes a stream without a mark at its end for a complete one, so the provider's own mark counts.
    withheld = "content_filter" if response.finish_reason == "content_filter" else ""
    finish = finish_of((response.provider_details or {}).get("finish_reason") or withheld)
    usage = Usage(
        input_tokens=used.input_tokens,
        # Anthropic counts the output at the end; what it says at the beginning is no count.
        output_tokens=used.output_tokens if finish else 0,
        cached_tokens=used.cache_read_tokens,
    )
    return End(usage=usage, written=used.cache_write_tokens, served=response.model_name or "", finish=finish)
