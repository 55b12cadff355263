"""Tokens and prices: the most that a call may use, and what it did cost.

A price that no list has is unknown, never zero. Local models cost nothing, by declaration.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from time import monotonic

from moot.core.agent import Quote
from moot.core.ask import ToolSpec, Usage
from moot.core.brief import Settings
from moot.models.base import Message, Request
from moot.models.names import LIBRARY, ModelName

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
            from moot.models.attached_files import count_files  # deferred: few debates have pictures

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
    model = str(name)
    prompt = count_tokens(request.messages, request.tools, model)
    most = count_most(request.messages, request.tools, model)
    output_tokens, worst = answer_cap(request.settings), max(prompt, most)
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
    rates = _rates(provider, model, int(monotonic() // RATES_SECONDS))
    cached = min(usage.cached_tokens, usage.input_tokens)
    put = min(written, usage.input_tokens - cached)
    if rates.tiered:
        return _ask(provider, model, (usage.input_tokens, usage.output_tokens, cached, put))
    if rates.fresh is None:
        return None
    fresh = usage.input_tokens - cached - put
    return fresh * rates.fresh + usage.output_tokens * rates.out + cached * rates.cached + put * rates.put


RATES_SECONDS = 60.0
"""Seconds for which the price of a model is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rates:
    """US dollars a token: fresh input, output, input that is read from a cache and that is written to one.

    Attributes:
        fresh: None where the list does not know the model.
        tiered: whether a long prompt has other prices, so that each call must be asked for.
    """

    fresh: float | None = None
    out: float = 0.0
    cached: float = 0.0
    put: float = 0.0
    tiered: bool = False


@lru_cache(maxsize=256)
def _rates(provider: str, model: str, minute: int) -> _Rates:
    million = 1_000_000
    fresh = _ask(provider, model, (million, 0, 0, 0))
    if fresh is None:
        return _Rates()
    out, cached, put = (
        _ask(provider, model, counts) or 0.0
        for counts in ((0, million, 0, 0), (million, 0, million, 0), (million, 0, 0, million))
    )
    probe = _ask(provider, model, (1_000, 0, 0, 0)) or 0.0
    tiered = abs(probe * 1_000 - fresh) > 1e-9 * fresh
    return _Rates(fresh=fresh / million, out=out / million, cached=cached / million, put=put / million, tiered=tiered)


def _ask(provider: str, model: str, counts: tuple[int, int, int, int]) -> float | None:
    """The price of a call as the list has it; None where it does not know the model."""
    from genai_prices import Usage as Priced  # deferred: the list takes 0.2 s to load
    from genai_prices import calc_price

    input_tokens, output_tokens, cached, put = counts
    priced = Priced(
        input_tokens=input_tokens, output_tokens=output_tokens, cache_read_tokens=cached, cache_write_tokens=put
    )
    try:
        return float(calc_price(priced, model, provider_id=provider).total_price)
    except LookupError:
        return None


def _price_list_names(name: ModelName) -> tuple[str, str]:
    """The provider and the model as the list of prices calls them; "" for a provider that it does not have."""
    if name.provider.wire is not LIBRARY:
        return name.provider.prices, name.model
    provider, _, model = name.model.partition(":")
    return {"bedrock": "aws", "google-cloud": "google", "google-gla": "google"}.get(provider, provider), model


def load_prices(name: ModelName) -> None:
    """Load the list of prices where the first call of a model would load it else; it takes 20 MB."""
    if _price_list_names(name)[0] and not name.provider.local:
        import_module("genai_prices")


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
    words = text.split()
    dense = 0
    if max(map(len, words), default=0) >= LEAST_RUN:
        long_words = (word for word in words if len(word) >= LEAST_RUN)
        dense = sum(len(run) for word in long_words for run in _RUNS.findall(word) if _DIGIT.search(run))
    # In 48ths of a token, the quarter included: 15 for a letter of English, 30 for one of Europe, 60 for one of Asia;
    # in a run without a blank, and where the script is rare, each byte is one.
    return -(-(15 * (letters - dense) + 48 * dense + 30 * narrow + 60 * wide + 192 * rare) // 48)
