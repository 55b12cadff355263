"""Tokens and prices: the most that a call may use, and what it did cost.

A price that no list has is unknown, never zero. Local models cost nothing, by declaration.
"""

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import pairwise
from time import time
from typing import TYPE_CHECKING, cast

from folkmoot.core.agent import Quote
from folkmoot.core.ask import ToolSpec, Usage
from folkmoot.core.brief import Settings
from folkmoot.models.base import Message, Request
from folkmoot.models.names import LIBRARY, ModelName

if TYPE_CHECKING:
    from genai_prices.types import ConditionalPrice, ModelInfo, Provider

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
    table = _table(provider, model)
    if not table.steps:
        return None
    cached = min(usage.cached_tokens, usage.input_tokens)
    put = min(written, usage.input_tokens - cached)
    rates = next((step for step in reversed(table.steps) if usage.input_tokens > step["start"]), table.steps[0])
    fresh = usage.input_tokens - cached - put
    used = ((fresh, "fresh"), (usage.output_tokens, "out"), (cached, "cached"), (put, "put"))
    return sum(tokens * rates[kind] for tokens, kind in used)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTable:
    """What a model costs.

    Attributes:
        steps: US dollars a token where a prompt is longer than ``start`` tokens: ``fresh`` input, output (``out``),
            input that is read from a cache (``cached``) or written to one (``put``); none where the list has none.
        until: when it may cost something else, in seconds since 1970; None for never.
    """

    steps: Sequence[Mapping[str, float]] = ()
    until: float | None = None


@cache
def _tables() -> dict[tuple[str, str], PriceTable]:
    """The prices of the models that were asked for, as the list has them."""
    return {}


def _table(provider: str, model: str) -> PriceTable:
    """The price of a model, kept as long as it holds."""
    table = _tables().get((provider, model))
    if table is None or (table.until is not None and time() >= table.until):
        table = _keep(provider, model, look_up(provider, model, datetime.now(UTC)))
    return table


def _keep(provider: str, model: str, price: Mapping[str, object]) -> PriceTable:
    until = price["until"]
    assert until is None or isinstance(until, float)
    table = PriceTable(steps=cast("Sequence[Mapping[str, float]]", price["steps"]), until=until)
    _tables()[provider, model] = table
    return table


MILLION = 1_000_000
NEAR = 1_000
"""How many tokens longer than its beginning the prompt is with which a step of prices is looked up, at most."""


def look_up(provider: str, model: str, now: datetime) -> dict[str, object]:
    """The price of a model as ``PriceTable`` has it; without steps where the list does not know the model."""
    from genai_prices.data_snapshot import get_snapshot  # deferred: the list takes 0.2 s to load and 14 MB

    try:
        priced_by, info = get_snapshot().find_provider_model(model, None, provider, None)
        return {"steps": tuple(_steps(priced_by, info, now)), "until": holds_until(info, now)}
    except LookupError:
        return {"steps": (), "until": None}


def main() -> None:
    """Print the price of the model that the arguments name, its provider first, as JSON."""
    sys.stdout.write(json.dumps(look_up(sys.argv[1], sys.argv[2], datetime.now(UTC))))


def _steps(priced_by: "Provider", info: "ModelInfo", now: datetime) -> Iterator[dict[str, float]]:
    """The prices of each length of a prompt from which others hold."""
    from genai_prices.types import TieredPrices

    tiers = (value.tiers for value in vars(info.get_prices(now)).values() if isinstance(value, TieredPrices))
    starts = sorted({0, *(tier.start for row in tiers for tier in row)})
    for start, stop in pairwise((*starts, starts[-1] + 2 * NEAR)):
        yield _step(priced_by, info, now, start, min(start + NEAR, stop))


def _step(priced_by: "Provider", info: "ModelInfo", now: datetime, start: int, probe: int) -> dict[str, float]:
    from genai_prices import Usage as Priced

    def price(output_tokens: int = 0, cached: int = 0, put: int = 0) -> float:
        priced = Priced(
            input_tokens=probe, output_tokens=output_tokens, cache_read_tokens=cached, cache_write_tokens=put
        )
        return float(info.calc_price(priced, priced_by, genai_request_timestamp=now).total_price)

    fresh = price()
    return {
        "start": start,
        "fresh": fresh / probe,
        "out": (price(output_tokens=MILLION) - fresh) / MILLION,
        "cached": price(cached=probe) / probe,
        "put": price(put=probe) / probe,
    }


def holds_until(info: "ModelInfo", now: datetime) -> float | None:
    """When a model may have another price, in seconds since 1970; None for never."""
    if not isinstance(info.prices, list):
        return None
    changes = [change for price in info.prices for change in _changes(price, now) if change > now]
    return min(changes).timestamp() if changes else None


def _changes(price: "ConditionalPrice", now: datetime) -> Iterator[datetime]:
    from genai_prices.types import StartDateConstraint

    condition = price.constraint
    if condition is None:
        return
    if isinstance(condition, StartDateConstraint):
        yield datetime.combine(condition.start_date, datetime.min.time(), UTC)
        return
    for moment in (condition.start_time, condition.end_time):
        for day in (0, 1, 2):  # a time of day with an offset may stand on the day before
            local = datetime.combine(now.date() + timedelta(days=day - 1), moment)
            yield local.replace(tzinfo=UTC) if local.tzinfo is None else local.astimezone(UTC)


def _price_list_names(name: ModelName) -> tuple[str, str]:
    """The provider and the model as the list of prices calls them; "" for a provider that it does not have."""
    if name.provider.wire is not LIBRARY:
        return name.provider.prices, name.model
    provider, _, model = name.model.partition(":")
    return {"bedrock": "aws", "google-cloud": "google", "google-gla": "google"}.get(provider, provider), model


def load_prices(name: ModelName, *, apart: bool = False) -> None:
    """Look the price of a model up where its first call would do so else.

    Args:
        name: the model.
        apart: in a process of its own, which takes 0.4 s of processor time and leaves 14 MB to this one.
    """
    provider, model = _price_list_names(name)
    if not provider or name.provider.local or (provider, model) in _tables():
        return
    if price := _looked_up_apart(provider, model) if apart else None:
        _keep(provider, model, price)
    else:
        _table(provider, model)


_CHILD = "from folkmoot.models.prices import main; main()"

SECONDS_APART = 60.0
"""The longest that another process may take to look a price up."""


def _looked_up_apart(provider: str, model: str) -> Mapping[str, object] | None:
    """The price of a model as another process finds it; None where that fails."""
    import subprocess  # deferred for start-up time

    command = [sys.executable, "-P", "-c", _CHILD, provider, model]
    try:
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS_APART, check=True)
        return cast("Mapping[str, object]", json.loads(run.stdout))
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


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
