"""Tokens are estimated upward, and a price that nobody knows is unknown."""

from datetime import UTC, datetime
from typing import cast

import pytest
from genai_prices import Usage as Priced
from genai_prices import calc_price
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import TieredPrices
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Usage
from folkmoot.core.brief import Settings
from folkmoot.models.base import Message
from folkmoot.models.names import PROVIDERS, ModelName, Provider, parse
from folkmoot.models.prices import MAX_TOKENS, OVERHEAD, answer_cap, cost, count_most, count_tokens, quote
from tests.models.models_kit import ask


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a" * 16, 5),  # 4 characters a token, and a quarter more
        ("ж" * 16, 10),  # 2
        ("世" * 12, 15),  # 1
        ("aaaa" * 4 + "世" * 12, 20),
        ("a", 1),
        ("aGVsbG8gd29ybGQ" * 4, 60),  # encoded data: each letter may be one
        ("https://an.example/of/words", 9),
        ("\U00012000" * 5, 20),  # cuneiform: each byte may be one
    ],
)
def test_tokens_are_counted_by_characters(text: str, tokens: int) -> None:
    assert count_tokens((Message(role="user", text=text),)) == 2 * OVERHEAD + tokens


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_no_estimate_is_beyond_what_a_text_can_be(text: str) -> None:
    sent = (Message(role="user", text=text),)
    assert count_most(sent) == 2 * OVERHEAD + len(text.encode())
    assert count_tokens(sent) <= count_most(sent)


@given(st.text(), st.text())
def test_a_longer_text_is_never_cheaper(one: str, two: str) -> None:
    both = count_tokens((Message(role="user", text=one + two),))
    assert both >= count_tokens((Message(role="user", text=one),))


def test_what_is_reserved_is_prompt_and_cap() -> None:
    request = ask("x" * 1600)
    assert answer_cap(request.settings) == MAX_TOKENS
    assert answer_cap(Settings(max_tokens=64)) == 64
    free = quote(parse("ollama:tiny"), request)
    assert (free.model, free.cost) == ("ollama:tiny", 0.0)
    assert free.tokens == count_tokens(request.messages) + MAX_TOKENS
    priced = quote(parse("openai:gpt-4o-mini"), request)
    assert priced.cost == pytest.approx(  # pyright: ignore[reportUnknownMemberType]
        count_tokens(request.messages) * 0.15e-6 + MAX_TOKENS * 0.6e-6
    )


def test_a_cache_that_is_written_is_part_of_the_reserve() -> None:
    request = ask("x" * 40_000)
    plain = cost(parse("anthropic:claude-haiku-4-5"), Usage(input_tokens=count_tokens(request.messages)))
    reserved = quote(parse("anthropic:claude-haiku-4-5"), request).cost
    assert plain is not None
    assert reserved is not None
    assert reserved > plain


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("openai:gpt-4o-mini", True),
        ("anthropic:claude-haiku-4-5", True),
        ("google:gemini-2.5-flash", True),
        ("groq:llama-3.3-70b-versatile", True),
        ("mistral:mistral-large-latest", True),
        ("deepseek:deepseek-chat", True),
        ("xai:grok-4", True),
        ("openrouter:openai/gpt-4o", True),
        ("openai:no-such-model", False),
        ("compatible:gpt-4o-mini", False),
    ],
)
def test_unknown_is_not_zero(name: str, known: bool) -> None:
    price = cost(parse(name), Usage(input_tokens=1000, output_tokens=100))
    assert price is None if not known else price is not None and price > 0


def test_local_models_are_free() -> None:
    for name in ("ollama:a", "lmstudio:a", "llamacpp:a", "vllm:a"):
        assert cost(parse(name), Usage(input_tokens=10**6)) == 0.0


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_count_of_cached_tokens_breaks_the_price(input_tokens: int, cached: int, written: int) -> None:
    usage = Usage(input_tokens=input_tokens, cached_tokens=cached)
    price = cost(parse("anthropic:claude-haiku-4-5"), usage, written=written)
    assert price is not None
    assert price >= 0


COUNTS = ((1000, 500, 0, 0), (900_000, 70_000, 0, 0), (40_000, 0, 30_000, 0), (40_000, 9, 1_000, 39_000), (0, 0, 0, 0))


def test_a_price_that_is_kept_is_that_of_the_list() -> None:
    known = 0
    for provider in get_snapshot().providers:
        row = next((row for row in PROVIDERS.values() if row.prices == provider.id and not row.local), None)
        for model in provider.models if row else ():
            name = ModelName(provider=cast("Provider", row), model=model.id)
            for input_tokens, given_, cached, written in COUNTS:
                usage = Usage(input_tokens=input_tokens, output_tokens=given_, cached_tokens=cached)
                counts = {"cache_read_tokens": cached, "cache_write_tokens": written}
                priced = Priced(input_tokens=input_tokens, output_tokens=given_, **counts)
                try:
                    price = calc_price(priced, model.id, provider_id=provider.id).total_price
                except LookupError:
                    assert cost(name, usage, written=written) is None
                    continue
                assert cost(name, usage, written=written) == pytest.approx(float(price))  # pyright: ignore[reportUnknownMemberType]
                known += 1
    assert known > 200


def test_models_of_the_library_have_the_prices_of_their_providers() -> None:
    usage = Usage(input_tokens=1000, output_tokens=10)
    direct = cost(parse("openai:gpt-4o"), usage)
    assert direct
    assert cost(parse("library:openai:gpt-4o"), usage) == direct
    assert cost(parse("library:bedrock:amazon.nova-lite-v1:0"), usage)
    assert cost(parse("library:google-cloud:gemini-2.5-flash"), usage)
    assert cost(parse("library:nobody:x"), usage) is None


def test_where_a_price_rises_with_the_prompt_it_is_that_of_the_list_on_both_sides() -> None:
    near = 0
    for provider in get_snapshot().providers:
        row = next((row for row in PROVIDERS.values() if row.prices == provider.id and not row.local), None)
        for model in provider.models if row else ():
            values = vars(model.get_prices(datetime.now(UTC))).values()
            for start in {tier.start for value in values if isinstance(value, TieredPrices) for tier in value.tiers}:
                for input_tokens in (start, start + 1):
                    priced = Priced(input_tokens=input_tokens, output_tokens=900, cache_read_tokens=100)
                    name = ModelName(provider=cast("Provider", row), model=model.id)
                    usage = Usage(input_tokens=input_tokens, output_tokens=900, cached_tokens=100)
                    price = calc_price(priced, model.id, provider_id=provider.id).total_price
                    assert cost(name, usage) == pytest.approx(float(price)), (model.id, start)  # pyright: ignore[reportUnknownMemberType]
                    near += 1
    assert near > 20
