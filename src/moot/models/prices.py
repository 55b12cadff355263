"""Tokens and money. This file owns what a call may use at most, and what it did cost.

A price that no list knows is unknown, never zero. Local models cost nothing, by declaration.
"""

import json
from collections.abc import Sequence

from moot.core.ask import Usage
from moot.core.brief import Settings
from moot.core.seat import Quote
from moot.core.tool import ToolSpec
from moot.models.base import Message, Request
from moot.models.names import ModelName

MAX_TOKENS = 2048
"""Tokens of an answer where the settings say nothing. It is sent along, so that what was reserved holds."""

OVERHEAD = 8
"""Tokens that a template puts around one message."""

TOOLS_OVERHEAD = 500
"""Tokens in which a provider tells a model how to ask for tools; Anthropic's take 300 to 500, others' fewer."""


def cap(settings: Settings) -> int:
    """The most tokens that the answer may have, thinking included."""
    return MAX_TOKENS if settings.max_tokens is None else settings.max_tokens


def count_tokens(messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> int:
    """An upper estimate of the tokens of messages and of the tools offered with them, by characters.

    Tokenizers give about 4 characters a token for English, 2 for other alphabets, 1.5 for Chinese, Japanese and
    Korean. A quarter is added, because code, names and numbers take more, and 8 tokens for each message's frame.
    """
    said = sum(OVERHEAD + _count(message.text) + _count_calls(message) for message in messages)
    offered = sum(OVERHEAD + _count(f"{each.name} {each.help} {json.dumps(dict(each.parameters))}") for each in tools)
    return OVERHEAD + said + (TOOLS_OVERHEAD + offered if tools else 0)


def quote(name: ModelName, request: Request) -> Quote:
    """The most that a request can use: the estimate of its prompt, the cap on its answer, and their price."""
    taken = count_tokens(request.messages, request.tools)
    usage = Usage(input_tokens=taken, output_tokens=cap(request.settings))
    price = cost(name, usage, written=usage.input_tokens if name.provider.wire == "anthropic" else 0)
    return Quote(model=str(name), tokens=usage.input_tokens + usage.output_tokens, cost=price)


def cost(name: ModelName, usage: Usage, *, written: int = 0) -> float | None:
    """US dollars for the tokens used.

    Args:
        name: the model.
        usage: the tokens; its own cost is not read.
        written: input tokens that were written to the provider's cache, which some providers price higher.

    Returns:
        0.0 for local models; None where the price list does not know the model.
    """
    if name.provider.local:
        return 0.0
    if not name.provider.prices:
        return None
    from genai_prices import Usage as Priced  # deferred: the list takes 0.2 s to load
    from genai_prices import calc_price

    cached = min(usage.cached_tokens, usage.input_tokens)
    priced = Priced(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=cached,
        cache_write_tokens=min(written, usage.input_tokens - cached),
    )
    try:
        return float(calc_price(priced, name.model, provider_id=name.provider.prices).total_price)
    except LookupError:
        return None


def _count_calls(message: Message) -> int:
    return sum(OVERHEAD + _count(call.name + call.arguments) for call in message.calls)


def _count(text: str) -> int:
    ascii_only = len(text.encode("ascii", "ignore"))
    wide = 0 if ascii_only == len(text) else sum(letter >= "\u2e80" for letter in text)
    narrow = len(text) - ascii_only - wide
    # In twelfths of a token: 3 each for English, 6 for other alphabets, 8 for wide characters; then a quarter more.
    return -(-(3 * ascii_only + 6 * narrow + 8 * wide) * 5 // 48)
