"""All providers but Ollama, through ``pydantic_ai.direct``: requests in its types, and answers back.

The library is loaded when a model is first used, which takes one to three seconds. None of its types leaves here.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import TYPE_CHECKING

from moot.core.agent import Quote, Recorder
from moot.core.ask import ToolSpec, Usage
from moot.core.brief import Settings
from moot.core.errors import ModelError, Refused, Unavailable
from moot.core.event import Called
from moot.models import provider_errors
from moot.models.base import Message, Request, Traits
from moot.models.discover import explain
from moot.models.names import ANTHROPIC, ModelName, Provider
from moot.models.prices import answer_cap, quote
from moot.models.stream import AnswerStream, End, final_answer
from moot.models.transport import ProviderConnection, shown

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelAPIError
    from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponseStreamEvent, TextPart, ToolCallPart
    from pydantic_ai.models import Model as Library
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.anthropic import AnthropicModelSettings

SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "stop")
"""Settings that OpenAI's reasoning models do not take."""

NEWER_CLAUDES = ("temperature", "top_p", "top_k")
"""Settings that Anthropic's newer models do not take."""

OF_LOCAL_SERVERS = ("num_ctx", "keep_alive")
"""Settings that only Ollama's own wire takes."""


def dropped_settings(name: ModelName, model: "Library") -> tuple[str, ...]:
    """The names of our settings that the model ignores or refuses."""
    theirs = {
        "stop" if model_setting_name == "stop_sequences" else str(model_setting_name)
        for model_setting_name in model.unsupported_settings
    }
    dropped = {*name.provider.drops, *theirs, *name.provider.wire.unnamed, *OF_LOCAL_SERVERS}.difference(
        name.provider.extras
    )
    profile = dict(model.profile)
    switchable = profile.get("openai_supports_reasoning_effort_none") and not profile.get("thinking_enabled_by_default")
    if profile.get("openai_supports_reasoning") and not switchable:
        dropped.update(SAMPLING)
    if profile.get("anthropic_disallows_sampling_settings"):
        dropped.update(NEWER_CLAUDES)
    return tuple(text for text in Settings.__slots__ if text in dropped)


def write_settings(given: Settings, dropped: tuple[str, ...], provider: Provider) -> "AnthropicModelSettings":
    """The settings as the library takes them; the cap on tokens is always sent, so that what was reserved holds."""
    given = replace(given, **{name: () if name == "stop" else None for name in dropped})
    anthropic_model_settings: AnthropicModelSettings = {"max_tokens": answer_cap(given)}
    anthropic = provider.wire is ANTHROPIC
    if anthropic:
        # The beginning is the same for all participants, so a cache is worth its price. Others cache by themselves.
        anthropic_model_settings["anthropic_cache_instructions"] = True
    if given.temperature is not None:
        anthropic_model_settings["temperature"] = min(given.temperature, 1.0) if anthropic else given.temperature
    if given.top_p is not None:
        anthropic_model_settings["top_p"] = given.top_p
    if given.presence_penalty is not None:
        anthropic_model_settings["presence_penalty"] = given.presence_penalty
    if given.frequency_penalty is not None:
        anthropic_model_settings["frequency_penalty"] = given.frequency_penalty
    if given.seed is not None:
        anthropic_model_settings["seed"] = given.seed
    if given.stop:
        anthropic_model_settings["stop_sequences"] = list(given.stop)
    if anthropic and given.top_k is not None:
        anthropic_model_settings["top_k"] = given.top_k
    extras: dict[str, object] = {wire: getattr(given, ours) for ours, wire in provider.extras.items()}
    if known := {wire: value for wire, value in extras.items() if value is not None}:
        anthropic_model_settings["extra_body"] = known
    return anthropic_model_settings


def write_messages(said: Sequence[Message]) -> "list[ModelMessage]":
    """The messages as the library takes them; the results of one answer's tools go together."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, ToolReturnPart, UserPromptPart

    model_messages: list[ModelMessage] = []
    names = {call.id: call.name for message in said for call in message.calls}
    for role, group in groupby(said, key=lambda message: message.role):
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
                model_messages.extend(ModelRequest(parts=[UserPromptPart(content=message.text)]) for message in group)
    return model_messages


def _parts(message: Message) -> "list[TextPart | ToolCallPart]":
    from pydantic_ai.messages import TextPart, ToolCallPart

    words = [TextPart(content=message.text)] if message.text or not message.calls else []
    calls = (ToolCallPart(tool_name=call.name, args=call.arguments, tool_call_id=call.id) for call in message.calls)
    return [*words, *calls]


def write_tools(offered: Sequence[ToolSpec]) -> "ModelRequestParameters":
    """The tools as the library takes them."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=tool_spec.name,
                description=tool_spec.help,
                parameters_json_schema=dict(tool_spec.parameters),
                # Strictness would rewrite the schema; what does not fit is told to the model instead.
                strict=False,
            )
            for tool_spec in offered
        ]
    )


STUMBLES = (AssertionError, AttributeError, LookupError, RecursionError, TypeError)
"""How the library fails over JSON of a shape that it does not expect; what it says then is for its authors."""

ODD_SHAPE = "its JSON has another shape than this interface has"

_NO_TAGS = ("\ue000 begins nowhere", "\ue000 ends nowhere")
"""In place of <think>: the library takes such a tag for thinking wherever a packet holds just it, quoted or not."""


class Direct:
    """One model of a provider with an OpenAI or Anthropic wire.

    Args:
        name: which model.
        link: the way to the provider.
    """

    def __init__(self, name: ModelName, link: ProviderConnection) -> None:
        self._name, self._link = name, link
        self._tools = name.provider.tools

    @property
    def name(self) -> str:
        """``provider:name``."""
        return str(self._name)

    @property
    def traits(self) -> Traits:
        """What the wire takes; whether this very model takes tools is known once the library is loaded."""
        # No prefill: OpenAI has none, Anthropic refuses it from Claude 4.6 on, others want fields of their own for it.
        return Traits(alternate=self._name.provider.alternate, tools=self._tools)

    @property
    def drops(self) -> tuple[str, ...]:
        """The names of Settings that this model ignores or refuses: the library knows."""
        return self._drops

    def quote(self, request: Request) -> Quote:
        """The most that the request can use."""
        return quote(self._name, request)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request; see ``models.base.Model``."""
        from httpx2 import RequestError
        from pydantic_ai.direct import model_request_stream
        from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, UnexpectedModelBehavior

        speech = AnswerStream(self._name, recorder)
        settings = write_settings(request.settings, self.drops, self._name.provider)
        if request.tools and not self._tools:
            raise Refused(f"{self._name} takes no tools", kind="request")
        messages, tools = write_messages(request.messages), write_tools(request.tools)
        try:
            async with model_request_stream(
                self._library, messages, model_settings=settings, model_request_parameters=tools
            ) as stream:
                async for event in stream:
                    _hear(event, speech)
                end = _end(stream.get())
                _want(stream.get(), speech)
        except ModelConnectionError as error:
            raise await explain(self._name, self._link, error) from error
        except ModelAPIError as error:
            raise self._fault(error) from error
        except (UnexpectedModelBehavior, RequestError, ValueError) as error:
            raise provider_errors.malformed_error(self._name, str(error), self._link.key) from error
        except STUMBLES as error:
            raise provider_errors.malformed_error(self._name, ODD_SHAPE, self._link.key) from error
        return final_answer(self._name, request, speech, end)

    async def close(self) -> None:
        """Give the connections back."""
        await self._link.close()
        self.__dict__.pop("_library", None)

    @cached_property
    def _drops(self) -> tuple[str, ...]:
        return dropped_settings(self._name, self._library)

    @cached_property
    def _library(self) -> "Library":
        """The library's model, over our own connections and with its own retries off."""
        import_module("pydantic_ai.direct")  # so that all is loaded when a try begins
        library = (_open_anthropic if self._name.provider.wire is ANTHROPIC else _open_openai)(self._name, self._link)
        self._tools = self._tools and bool(library.profile.get("supports_tools", True))
        return library

    def _fault(self, error: "ModelAPIError") -> ModelError:
        from pydantic_ai import exceptions as library

        name, key = self._name, self._link.key
        match error:
            case library.ModelQuotaExceededError():
                return Unavailable(f"{name.provider.name} says that the account has no quota left", kind="quota")
            case library.ModelContextWindowExceededError():
                return Refused(f"the prompt is too long for {name}", kind="too_long")
            case library.ModelHTTPError(status_code=status, headers=headers):
                wait = provider_errors.wait_seconds(headers or {})
                return provider_errors.status_error(name, status, _said(error.body), wait=wait, key=key)
            case _:
                status = getattr(error.__cause__, "status_code", 200)
                if status != 200:
                    return provider_errors.status_error(name, status, error.message, key=key)
                make = provider_errors.broken_off_error if error.in_stream else provider_errors.malformed_error
                return make(name, error.message, key)


def _open_openai(name: ModelName, link: ProviderConnection) -> "Library":
    from openai import AsyncOpenAI, omit
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    client = AsyncOpenAI(
        base_url=link.url, api_key=shown(link.key), http_client=link.client, max_retries=0, timeout=link.client.timeout
    )
    profile = OpenAIModelProfile(thinking_tags=_NO_TAGS)
    if name.provider.strict:
        return OpenAIChatModel(name.model, provider=OpenAIProvider(openai_client=client), profile=profile)
    # Others know max_tokens; max_completion_tokens is OpenAI's own name for it, and some refuse it.
    profile["openai_chat_supports_max_completion_tokens"] = False
    provider = OpenAICompatibleProvider(name.provider.name, openai_client=client)
    model = OpenAIChatModel(name.model, provider=provider, profile=profile)
    if not name.provider.countable:
        # The library has no setting for it; a test looks whether it still works.
        vars(model)["_get_stream_options"] = lambda settings: omit  # pyright: ignore[reportUnknownLambdaType]
    return model


def _open_anthropic(name: ModelName, link: ProviderConnection) -> "Library":
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(
        base_url=link.url, api_key=shown(link.key), http_client=link.client, max_retries=0, timeout=link.client.timeout
    )
    # The client loads this part when it is first used, which would be in the middle of a try.
    _ = client.beta.messages
    return AnthropicModel(name.model, provider=AnthropicProvider(anthropic_client=client))


def _want(response: "ModelResponse", speech: AnswerStream) -> None:
    for call in response.tool_calls:
        arguments = call.args if isinstance(call.args, str) else json.dumps(call.args or {})
        speech.want(call.tool_name, arguments, call.tool_call_id)


def _hear(event: "ModelResponseStreamEvent", speech: AnswerStream) -> None:
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
    marked = response.finish_reason == "content_filter" or "finish_reason" in (response.provider_details or {})
    usage = Usage(
        input_tokens=used.input_tokens,
        # Anthropic counts the output at the end; what it says at the beginning is no count.
        output_tokens=used.output_tokens if marked else 0,
        cached_tokens=used.cache_read_tokens,
    )
    match response.finish_reason:
        case "length":
            finish = "length"
        case "content_filter":
            finish = "filter"
        case _:
            # The library takes a stream without a mark at its end for a complete one.
            finish = "stop" if marked else ""
    return End(usage=usage, written=used.cache_write_tokens, served=response.model_name or "", finish=finish)


def _said(body: object) -> str:
    """The provider's own words in the body of an error."""
    match body:
        case {"error": {"message": str(words)}} | {"error": str(words)} | {"message": str(words)} | str(words):
            return words
        case {"detail": str(words)}:
            return words
        case _:
            return ""
