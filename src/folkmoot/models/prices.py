"""Tokens and prices: the most that a call may use, and what it did cost.

A price that no list has is unknown, never zero. Local models cost nothing, by declaration.
"""

import json
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from folkmoot.core.agent import Quote
from folkmoot.core.ask import ToolSpec, Usage
from folkmoot.core.brief import Settings
from folkmoot.models.base import Message, Request
from folkmoot.models.names import LIBRARY, ModelName

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.types import ModelInfo, TieredPrices

MAX_TOKENS = 2048
"""Tokens of an answer where the settings say nothing. It is sent along, so that what was reserved holds."""

OVERHEAD = 8
"""Tokens that a template puts around one message."""

TOOLS_OVERHEAD = 500
"""Tokens in which a provider tells a model how to ask for tools; Anthropic's take 300 to 500, others' fewer."""


LEAST_RUN = 16
_RUNS, _DIGIT = re.compile(rf"[!-~]{{{LEAST_RUN},}}"), re.compile(r"[0-9]")
"""Runs without a blank; those that hold a digit are no words, but encoded data, long numbers, addresses."""


_OTHERS = re.compile(r"[^\x00-\x7f]+")
_WIDE, _RARE = re.compile("[\u0590-\u1dff\u2e00-\uffff]+"), re.compile("[\U00010000-\U0010ffff]+")
"""Letters of Asia's scripts, and of those that are hardly ever written."""


def answer_cap(settings: Settings) -> int:
    """The most tokens that the answer may have, thinking included."""
    return MAX_TOKENS if settings.max_tokens is None else settings.max_tokens


MARGIN = 1.25
"""What ``count_tokens`` adds to the tokens that are likely, so that its estimate is an upper one."""


def count_tokens(messages: Sequence[Message], tools: Sequence[ToolSpec] = (), model: str = "") -> int:
    """An upper estimate of the tokens of messages and of the tools offered with them, by their letters.

    Tokenizers give about 4 characters a token for English, 2 for other alphabets of Europe, 1 for scripts of Asia, and
    fewer for those that are hardly ever written. A quarter is added, because code and names take more, and 8 tokens for
    each message's frame. In long runs of letters and digits without a blank, which no language has, each counts as one.
    Pictures and PDFs count as the model's provider says; without a model, as the one that takes most.
    """
    return _count_all(messages, tools, _count, model)


def count_most(messages: Sequence[Message], tools: Sequence[ToolSpec] = (), model: str = "") -> int:
    """The most tokens that the same can be: no tokenizer makes more tokens of a text than it has bytes."""
    return _count_all(messages, tools, _count_bytes, model)


def _count_all(messages: Sequence[Message], tools: Sequence[ToolSpec], count: Callable[[str], int], model: str) -> int:
    spoken_tokens = OVERHEAD * len(messages)
    for message in messages:
        spoken_tokens += count(message.text) + (_count_calls(message, count) if message.calls else 0)
        if message.files:
            from folkmoot.models.attached_files import count_files  # deferred: few debates have pictures

            spoken_tokens += count_files(model, message.files, count)
    if not tools:
        return OVERHEAD + spoken_tokens
    offered = sum(
        OVERHEAD + count(f"{tool_spec.name} {tool_spec.help} {json.dumps(dict(tool_spec.parameters))}")
        for tool_spec in tools
    )
    return OVERHEAD + spoken_tokens + TOOLS_OVERHEAD + offered


def quote(name: ModelName, request: Request) -> Quote:
    """What a request is expected to use at most: the estimate of its prompt, the cap on its answer, and their price."""
    model, messages = str(name), request.messages
    if request.schema:  # which most providers tell the model
        messages = (*messages, Message(role="system", text=request.schema))
    prompt = count_tokens(messages, request.tools, model)
    longest = count_most(messages, request.tools, model)
    output_tokens, worst = answer_cap(request.settings), max(prompt, longest)
    price = _price(name, prompt, output_tokens)
    return Quote(
        model=model,
        tokens=prompt + output_tokens,
        cost=price,
        prompt=prompt,
        worst=worst,
        worst_cost=price if worst == prompt else _price(name, worst, output_tokens),
    )


def _price(name: ModelName, prompt: int, output_tokens: int) -> float | None:
    if name.provider.local:
        return 0.0
    usage = Usage(input_tokens=prompt, output_tokens=output_tokens)
    return cost(name, usage, written=prompt if name.provider.wire.cache_writes else 0)


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
    provider, model = _price_list_names(name)
    if not provider:
        return None
    info = _listed(provider, model)
    if info is None:
        return None
    cached = min(usage.cached_tokens, usage.input_tokens)
    put = min(written, usage.input_tokens - cached)
    price = info.get_prices(datetime.now(UTC))  # some prices have hours, or a day from which they hold
    fresh_rate = price.input_mtok
    # The library's own sum takes half a millisecond a call. What has no price of its own is priced as other input is.
    used = (
        (usage.input_tokens - cached - put, fresh_rate),
        (usage.output_tokens, price.output_mtok),
        (cached, fresh_rate if price.cache_read_mtok is None else price.cache_read_mtok),
        (put, fresh_rate if price.cache_write_mtok is None else price.cache_write_mtok),
    )
    return sum(count * _rate(rate, usage.input_tokens) for count, rate in used) / 1_000_000


def _rate(price: "Decimal | TieredPrices | None", prompt: int) -> float:
    """US dollars for a million tokens; behind a prompt of some length all of them may cost more."""
    from genai_prices.types import TieredPrices

    if isinstance(price, TieredPrices):
        price = next((tier.price for tier in reversed(price.tiers) if prompt > tier.start), price.base)
    return float(price or 0)


@lru_cache(maxsize=1_000)
def _listed(provider: str, model: str) -> "ModelInfo | None":
    """What the list has of a model; None where it does not know it."""
    from genai_prices.data_snapshot import get_snapshot  # deferred: the list takes 0.2 s to load and 14 MB

    try:
        return get_snapshot().find_provider_model(model, None, provider, None)[1]
    except LookupError:
        return None


def _price_list_names(name: ModelName) -> tuple[str, str]:
    """The provider and the model as the list of prices calls them; "" for a provider that it does not have."""
    if name.provider.wire is not LIBRARY:
        return name.provider.prices, name.model
    provider, _, model = name.model.partition(":")
    return {"bedrock": "aws", "google-cloud": "google", "google-gla": "google"}.get(provider, provider), model


def _count_calls(message: Message, count: Callable[[str], int]) -> int:
    return sum(OVERHEAD + count(call.name + call.arguments) for call in message.calls)


def _count_bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


@lru_cache(maxsize=128)
def _count(text: str) -> int:
    narrow = wide = rare = 0
    letters = len(text.encode("ascii", "ignore"))
    if letters < len(text):
        others = "".join(_OTHERS.findall(text))
        wide, rare = (sum(map(len, pattern.findall(others))) for pattern in (_WIDE, _RARE))
        narrow = len(others) - wide - rare
    dense = sum(len(run) for run in _RUNS.findall(text) if _DIGIT.search(run))
    # In 48ths of a token, the quarter included: 15 for a letter of English, 30 for one of Europe, 60 for one of Asia;
    # in a run without a blank, and where the script is rare, each byte is one.
    return -(-(15 * (letters - dense) + 48 * dense + 30 * narrow + 60 * wide + 192 * rare) // 48)
