"""Requests in the library's own types. This file owns how our settings, messages and tools are written there."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from moot.core.brief import Settings
from moot.core.tool import ToolSpec
from moot.models.base import Message
from moot.models.names import ModelName, Provider
from moot.models.prices import cap

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage, TextPart, ToolCallPart
    from pydantic_ai.models import Model as Library
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.anthropic import AnthropicModelSettings

SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "stop")
"""Settings that OpenAI's reasoning models do not take."""

NEWER_CLAUDES = ("temperature", "top_p", "top_k")
"""Settings that Anthropic's newer models do not take."""

BEYOND = ("top_k", "min_p", "repeat_penalty")
"""Settings that OpenAI's wire has no name for; some who speak it take them all the same."""

OF_LOCAL_SERVERS = ("num_ctx", "keep_alive")
"""Settings that only Ollama's own wire takes."""


def drops(name: ModelName, model: "Library") -> tuple[str, ...]:
    """The names of our settings that the model ignores or refuses."""
    theirs = {"stop" if each == "stop_sequences" else str(each) for each in model.unsupported_settings}
    beyond = BEYOND if name.provider.wire == "openai" else BEYOND[1:]
    dropped = {*name.provider.drops, *theirs, *beyond, *OF_LOCAL_SERVERS}.difference(name.provider.extras)
    profile = dict(model.profile)
    switchable = profile.get("openai_supports_reasoning_effort_none") and not profile.get("thinking_enabled_by_default")
    if profile.get("openai_supports_reasoning") and not switchable:
        dropped.update(SAMPLING)
    if profile.get("anthropic_disallows_sampling_settings"):
        dropped.update(NEWER_CLAUDES)
    return tuple(each for each in Settings.__slots__ if each in dropped)


def settings(given: Settings, dropped: tuple[str, ...], provider: Provider) -> "AnthropicModelSettings":
    """The settings as the library takes them; the cap on tokens is always sent, so that what was reserved holds."""
    given = replace(given, **{name: () if name == "stop" else None for name in dropped})
    made: AnthropicModelSettings = {"max_tokens": cap(given)}
    anthropic = provider.wire == "anthropic"
    if anthropic:
        # The beginning is the same for all participants, so a cache is worth its price. Others cache by themselves.
        made["anthropic_cache_instructions"] = True
    if given.temperature is not None:
        made["temperature"] = min(given.temperature, 1.0) if anthropic else given.temperature
    if given.top_p is not None:
        made["top_p"] = given.top_p
    if given.presence_penalty is not None:
        made["presence_penalty"] = given.presence_penalty
    if given.frequency_penalty is not None:
        made["frequency_penalty"] = given.frequency_penalty
    if given.seed is not None:
        made["seed"] = given.seed
    if given.stop:
        made["stop_sequences"] = list(given.stop)
    if anthropic and given.top_k is not None:
        made["top_k"] = given.top_k
    extras: dict[str, object] = {wire: getattr(given, ours) for ours, wire in provider.extras.items()}
    if known := {wire: value for wire, value in extras.items() if value is not None}:
        made["extra_body"] = known
    return made


def messages(said: Sequence[Message]) -> "list[ModelMessage]":
    """The messages as the library takes them; the results of one answer's tools go together."""
    from pydantic_ai.messages import ModelRequest, ModelResponse, SystemPromptPart, ToolReturnPart, UserPromptPart

    made: list[ModelMessage] = []
    names = {call.id: call.name for message in said for call in message.calls}
    for role, group in groupby(said, key=lambda message: message.role):
        match role:
            case "tool":
                returned = [ToolReturnPart(names.get(each.answers, ""), each.text, each.answers) for each in group]
                made.append(ModelRequest(parts=returned))
            case "assistant":
                made.extend(ModelResponse(parts=_parts(each)) for each in group)
            case "system":
                made.extend(ModelRequest(parts=[SystemPromptPart(content=each.text)]) for each in group)
            case _:
                made.extend(ModelRequest(parts=[UserPromptPart(content=each.text)]) for each in group)
    return made


def _parts(message: Message) -> "list[TextPart | ToolCallPart]":
    from pydantic_ai.messages import TextPart, ToolCallPart

    words = [TextPart(content=message.text)] if message.text or not message.calls else []
    calls = (ToolCallPart(tool_name=each.name, args=each.arguments, tool_call_id=each.id) for each in message.calls)
    return [*words, *calls]


def tools(offered: Sequence[ToolSpec]) -> "ModelRequestParameters":
    """The tools as the library takes them."""
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=each.name,
                description=each.help,
                parameters_json_schema=dict(each.parameters),
                # Strictness would rewrite the schema; what does not fit is told to the model instead.
                strict=False,
            )
            for each in offered
        ]
    )
