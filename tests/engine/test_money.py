"""Money is reserved before the call, and no finished call is paid twice."""

import asyncio
import base64
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import ceil

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from folkmoot.core.agent import Context, Quote, Recorder
from folkmoot.core.ask import Ask, Usage
from folkmoot.core.brief import Brief, Limits, Participant, Settings
from folkmoot.core.errors import LimitReached, Unavailable
from folkmoot.core.event import (
    Attempted,
    Called,
    Erred,
    Failed,
    Paused,
)
from folkmoot.engine.calls import SPARE, Budget
from folkmoot.engine.driver import DriverOptions
from folkmoot.models.base import Message, Request
from folkmoot.models.names import parse
from folkmoot.models.prices import cost, quote
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone, Floor
from folkmoot.record.store import decode
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.acting import ARGUE, Acts, both, paying, runner


@pytest.mark.parametrize(("cost", "calls"), [(0.01, 6), (0.1, 3), (0.7, 3), (1e-6, 1000), (0.1, 8), (100.1, 30)])
def test_a_limit_of_whole_calls_lets_all_of_them_through_and_no_more(cost: float, calls: int) -> None:
    budget, quote = Budget(Limits(cost=float(f"{cost * calls:.9g}"))), Quote(model="m", tokens=1, cost=cost)
    for n in range(calls):
        key = str(n)
        assert budget.check(quote)
        budget.apply(Attempted(key=key, call=key, n=1, model="m", tokens=1, cost=cost))
        budget.apply(Called(key=key, call=key, model="m", text="", usage=Usage(input_tokens=1, cost=cost)))
    with pytest.raises(LimitReached, match="needed"):
        budget.check(quote)


def test_calls_in_flight_that_fill_a_limit_exactly_are_sent_together() -> None:
    budget, quote = Budget(Limits(cost=0.3)), Quote(model="m", tokens=1, cost=0.1)
    budget.apply(Attempted(key="0", call="0", n=1, model="m", tokens=1, cost=0.1))
    budget.apply(Called(key="0", call="0", model="m", text="", usage=Usage(input_tokens=1, cost=0.1)))
    with budget.sending(quote):
        budget.apply(Attempted(key="1", call="1", n=1, model="m", tokens=1, cost=0.1))
        assert budget.check(quote)


@pytest.mark.parametrize(
    ("limits", "cost", "reason", "limit", "calls"),
    [
        (Limits(tokens=22), 0.0, "the limit of 22 tokens: 18 used, 10 needed", "tokens", 3),
        (Limits(cost=0.5), 0.2, "the limit of $0.5: $0.4000 used, $0.2000 needed", "cost", 2),
        (Limits(cost=0.5), None, "the limit of $0.5 cannot be checked: the price of m is unknown", "", 0),
        (Limits(asks=3), 0.0, "the limit of 3 questions is reached", "asks", 2),
    ],
)
async def test_a_limit_pauses_before_the_call_that_would_break_it(
    limits: Limits, cost: float | None, reason: str, limit: str, calls: int
) -> None:
    one_at_a_time = Rounds(each=Floor(act="argue", task="Speak."), most=3)
    if limits.asks == 3:
        one_at_a_time = ARGUE
    place = runner(one_at_a_time, limits=limits)
    debate = await place.run({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))})
    most = getattr(limits, limit) if limit else None
    assert debate.transcript.paused == Paused(reason=reason, kind="limit", limit=limit, most=most)
    assert sum(isinstance(entry.event, Called) for entry in debate.entries) == calls
    place.hosting = lambda: DriverOptions(limits=Limits())
    resumed = await place.run({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))}, debate.lines)
    assert resumed.transcript.closed


async def test_parallel_calls_cannot_break_a_limit_together() -> None:
    place = runner(limits=Limits(tokens=15))
    debate = await place.run({"Ann": Acts(paying(0.0)), "Bob": Acts(paying(0.0))})
    assert sum(isinstance(entry.event, Attempted) for entry in debate.entries) == 1
    assert debate.transcript.paused


@pytest.mark.parametrize(("kind", "spent"), [("rate", 0), ("timeout", 10), ("garbled", 10), ("connection", 10)])
def test_a_try_that_may_have_been_paid_stays_spent(kind: str, spent: int) -> None:
    budget = Budget(Limits())
    budget.apply(Attempted(key="k", call="answer", n=1, tokens=10, cost=0.1))
    assert budget.tokens == 10
    budget.apply(Erred(key="k", call="answer", n=1, kind=kind, reason="?"))
    assert budget.tokens == spent
    budget.apply(Called(key="k", call="answer", text="", usage=Usage(input_tokens=4, output_tokens=3)))
    assert budget.tokens == 7
    budget.apply(Called(key="other", call="answer", text="", usage=Usage(input_tokens=1)))
    assert budget.tokens == 8


async def test_a_call_on_record_is_not_sent_again_when_its_ask_was_cut_off() -> None:
    sent: list[str] = []

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            sent.append(ask.key)
            return Called(key="", call="", text="paid")

        called = await say.call("answer", Quote(model="m"), send)
        return called.text

    place = runner(Everyone(act="argue", task="Argue."))
    whole = await place.run(both(act))
    cut = next(n for n, entry in enumerate(whole.entries) if isinstance(entry.event, Called)) + 1
    resumed = await place.run(both(act), whole.lines[:cut])
    assert sent == ["/debate#1"]
    assert resumed.transcript.closed


async def test_a_call_that_a_batch_has_from_before_counts_as_in_flight_when_the_debate_goes_on() -> None:
    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            await asyncio.sleep(0)
            usage = Usage(input_tokens=900, output_tokens=0, cost=0.0)
            return Called(key="", call="", text="paid", model="m", usage=usage)

        return (await say.call("answer", Quote(model="m", tokens=100, prompt=100, worst=300, item=ask.to), send)).text

    place = runner(Everyone(act="argue", task="Argue."), limits=Limits(tokens=1000))
    whole = await place.run({"Ann": Acts(act), "Bob": Acts(act)})
    cut = next(n for n, entry in enumerate(whole.entries) if isinstance(entry.event, Attempted)) + 1
    resumed = await place.run({"Ann": Acts(act), "Bob": Acts(act)}, whole.lines[:cut])
    for debate in (whole, resumed):
        assert [entry.event.key for entry in debate.entries if isinstance(entry.event, Attempted)] == ["/debate#1"]
        assert debate.transcript.usage.input_tokens == 900
        assert debate.transcript.paused


async def test_each_try_is_on_record_with_its_number_and_reason() -> None:
    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            raise Unavailable("busy", kind="rate", again=True)

        for _ in range(2):
            with pytest.raises(Unavailable):
                await say.call("answer", Quote(model="m", tokens=5), send)
        raise Unavailable("busy", kind="rate")

    debate = await runner(Everyone(act="argue", task="Argue.")).run(both(act))
    tries = [entry.event for entry in debate.entries if isinstance(entry.event, Attempted | Erred)]
    assert [(type(t).__name__, t.n) for t in tries] == [("Attempted", 1), ("Erred", 1), ("Attempted", 2), ("Erred", 2)]
    assert debate.transcript.attempts == 2
    assert [error.kind for error in debate.transcript.errors] == ["rate", "rate"]


@pytest.mark.parametrize(
    ("usage", "tokens", "cost"),
    [
        (Usage(input_tokens=30, output_tokens=20, cost=0.1), 50, 0.1),
        (Usage(input_tokens=30, output_tokens=20, cost=None), 50, 1.0),
        (Usage(cost=0.1), 100, 0.1),
        (Usage(input_tokens=3, cost=0.1, estimated=True), 100, 0.1),
        (Usage(input_tokens=300, cost=0.1, estimated=True), 300, 0.1),
    ],
)
def test_what_a_provider_does_not_say_stays_reserved(usage: Usage, tokens: int, cost: float) -> None:  # F24
    budget = Budget(Limits())
    budget.apply(Attempted(key="k", call="answer", n=1, tokens=100, cost=1.0))
    budget.apply(Called(key="k", call="answer", text="", usage=usage))
    assert (budget.tokens, budget.cost) == (tokens, pytest.approx(cost))


class Counting:
    """A provider that counts a prompt's tokens as it likes; the answer is always of the length that it may have.

    Args:
        count: the tokens of a prompt.
        turns: how many turns of the event loop a call takes, by its number.
    """

    def __init__(self, count: Callable[[str], float], turns: Callable[[int], int] = lambda number: 20) -> None:
        self.count, self.turns, self.prompts, self.open, self.most_open = count, turns, list[int](), 0, 0
        self.calls, self.pause, self.answer, self.first_counted = 0, 0.0, 200, 1

    def seat(self, text: Callable[[Ask], str]) -> Acts:
        """A seat that sends a text to gpt-4o."""

        async def act(ask: Ask, context: Context, say: Recorder) -> str:
            request = Request(messages=(Message(role="user", text=text(ask)),), settings=Settings(max_tokens=200))
            return (await say.call("answer", quote(GPT, request), partial(self._send, request))).text

        return Acts(act)

    async def _send(self, request: Request) -> Called:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        self.calls = number = self.calls + 1
        for _ in range(self.turns(number)):  # no time, so that the order is the same in each run
            await asyncio.sleep(0)
        await asyncio.sleep(self.pause)
        self.open -= 1
        tokens = ceil(self.count(request.messages[0].text))
        self.prompts.append(tokens)
        usage = Usage(input_tokens=tokens, output_tokens=self.answer, estimated=number < self.first_counted)
        return Called(key="", call="", text="ok", model=str(GPT), usage=replace(usage, cost=cost(GPT, usage)))


GPT = parse("openai:gpt-4o")
ENGLISH = "The committee should weigh the cost of tea against the comfort that it gives to those who work late. " * 200
ENCODED = base64.b64encode(random.Random(7).randbytes(15_000)).decode()
LIMIT = 0.5


async def council(text: Callable[[Ask], str], provider: Counting, limits: Limits) -> HeldDebate:
    """Twenty at a table, asked for twenty rounds at once each."""
    people = tuple(Participant(name=f"P{n}", seat="x") for n in range(20))
    brief = Brief(topic="Tea?", participants=people, limits=limits)
    phase = Rounds(each=Everyone(act="argue", task="Argue."), most=20)
    place = Harness(brief=brief, protocol=phase, hosting=DriverOptions)
    return await place.run({person.name: provider.seat(text) for person in people})


@pytest.mark.parametrize(
    ("text", "share", "error"),
    [
        (ENGLISH, 1 / 4.5, 0),
        (ENCODED, 1 / 1.5, 0),
        ("\U00012000" * 5000, 1.0, 0),
        # A tokenizer that makes a token of each byte of plain English errs in one call, and never again.
        (ENGLISH, 1.0, 1),
    ],
    ids=["english", "base64", "cuneiform", "contrived"],
)
@pytest.mark.parametrize("parallel", [50, 1])
async def test_a_limit_on_cost_holds_whatever_the_letters(text: str, share: float, error: int, parallel: int) -> None:
    provider = Counting(lambda text: share * len(text.encode()))
    debate = await council(lambda ask: text, provider, Limits(cost=LIMIT, parallel=parallel, asks=500))
    assert debate.transcript.paused
    assert debate.transcript.paused.kind == "limit"
    most = quote(GPT, Request(messages=(Message(role="user", text=text),), settings=Settings(max_tokens=200)))
    assert most.cost is not None
    assert most.worst_cost is not None
    assert debate.transcript.usage.cost is not None
    assert debate.transcript.usage.cost <= LIMIT + error * (most.worst_cost - most.cost)
    assert debate.transcript.usage.cost >= LIMIT - most.worst_cost, "what there is can be used"
    assert provider.most_open <= parallel
    assert parallel == 1 or error or provider.most_open > 5


@pytest.mark.parametrize("spread", [0, 50], ids=["together", "apart"])
@pytest.mark.parametrize("times", [2, 4])
@pytest.mark.parametrize("text", [ENGLISH[:4000], "\U00012000" * 1000], ids=["english", "cuneiform"])
async def test_the_limit_holds_where_a_server_counts_more_tokens_than_there_are_bytes(
    text: str, times: int, spread: int
) -> None:
    """Nothing is known of the model at first. So near the limit fewer calls are sent before the first answer.

    What that teaches holds for those in flight too, which were sent when it was not known.
    """
    provider = Counting(lambda text: times * len(text.encode()), lambda number: 20 + spread * (number % 20))
    debate = await council(lambda ask: text, provider, Limits(cost=LIMIT, parallel=50, asks=500))
    assert debate.transcript.paused
    assert debate.transcript.usage.cost is not None
    assert LIMIT - 0.05 < debate.transcript.usage.cost <= LIMIT
    assert provider.most_open > 5


@pytest.mark.parametrize("spread", [0, 50], ids=["together", "apart"])
async def test_the_limit_holds_where_answers_are_longer_than_the_cap(spread: int) -> None:
    provider = Counting(lambda text: len(text) / 4.5, lambda number: 20 + spread * (number % 20))
    provider.answer = 800
    debate = await council(lambda ask: ENGLISH[:400], provider, Limits(cost=LIMIT, parallel=50, asks=500))
    assert debate.transcript.paused
    assert debate.transcript.usage.cost is not None
    assert LIMIT - 0.02 < debate.transcript.usage.cost <= LIMIT


async def test_calls_go_at_once_where_the_limit_is_far() -> None:
    provider = Counting(lambda text: len(text) / 4.5)
    await council(lambda ask: ENGLISH[:4000], provider, Limits(cost=2.0, parallel=50, asks=20))
    assert provider.most_open == 20


async def test_what_a_model_has_counted_holds_for_its_next_prompts_and_after_a_resume() -> None:
    provider = Counting(len)
    debate = await council(lambda ask: ENGLISH[:4000], provider, Limits(tokens=100_000, parallel=1, asks=500))
    tries = [entry.event for entry in debate.entries if isinstance(entry.event, Attempted)]
    assert tries[0].tokens < 2000 < 4000 < tries[1].tokens < 4400
    live, again = Budget(Limits(cost=1.0)), Budget(Limits(cost=1.0))
    for entry in debate.entries:
        live.apply(entry.event)
    for entry in map(decode, debate.lines):
        again.apply(entry.event)
    price_quote = quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),)))
    other = replace(price_quote, model="openai:other")
    assert live.fit(price_quote) == again.fit(price_quote) != price_quote
    assert again.fit(other) == other


@pytest.mark.parametrize(
    ("share", "factor"), [(0.2, 0.575), (0.7, 0.805), (0.95, 1.0), (1.0, 1.0), (1.5, 1.5)], ids=str
)
def test_an_estimate_is_corrected_by_what_the_model_counts(share: float, factor: float) -> None:
    price_quote = quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),)))
    budget = Budget(Limits())
    tried = Attempted(key="a", call="answer", n=1, model=price_quote.model, tokens=price_quote.tokens)
    for n, part in enumerate((share, share / 2)):  # the highest ratio holds
        budget.apply(replace(tried, key=str(n), prompt=price_quote.prompt))
        usage = Usage(input_tokens=ceil(part * price_quote.prompt), output_tokens=1)
        budget.apply(Called(key=str(n), call="answer", text="ok", model=price_quote.model, usage=usage))
    fit = budget.fit(price_quote)
    assert fit.prompt == pytest.approx(factor * price_quote.prompt, rel=0.01)
    assert fit.tokens - price_quote.tokens == fit.prompt - price_quote.prompt
    assert fit.cost is not None
    assert price_quote.cost is not None
    assert (fit.cost < price_quote.cost) == (factor < 1)


def test_an_unknown_price_stays_unknown_where_answers_are_longer_than_their_cap() -> None:
    budget = Budget(Limits(tokens=100_000))
    unpriced = replace(quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),))), cost=None)
    with budget.sending(unpriced) as fitted:
        assert fitted.cost is None


@settings(deadline=None, max_examples=20)
@given(
    st.lists(st.sampled_from(["english", "cuneiform"]), min_size=2, max_size=5),
    st.sampled_from([0.25, 1.0, 2.0, 3.0, 4.0]),
    st.sampled_from([50, 200, 800]),
    st.lists(st.sampled_from([0, 20, 200]), min_size=2, max_size=7),
    st.booleans(),
)
@example(kinds=["english"] * 2, times=4.0, answer=200, turns=[20, 200, 200, 200], counted_at_once=True)
@example(kinds=["cuneiform", "english"], times=4.0, answer=50, turns=[200, 0, 20], counted_at_once=True)
@example(kinds=["english"] * 2, times=4.0, answer=200, turns=[200, 0, 200, 200], counted_at_once=False)
def test_in_no_order_of_answers_a_limit_is_exceeded_by_more_than_one_error(
    kinds: list[str], times: float, answer: int, turns: list[int], counted_at_once: bool
) -> None:
    """Texts of both kinds may be in flight when the first of them is counted, or only reported without a count."""
    texts = {"english": ENGLISH[:4000], "cuneiform": "\U00012000" * 1000}
    provider = Counting(lambda text: times * len(text.encode()), lambda number: turns[number % len(turns)])
    provider.answer, provider.first_counted = answer, 1 if counted_at_once else 2
    limits = Limits(cost=LIMIT, parallel=50, asks=500)
    debate = asyncio.run(council(lambda ask: texts[kinds[int(ask.to[1:]) % len(kinds)]], provider, limits))
    events = [entry.event for entry in debate.entries]
    reserved = {event.key: event.cost or 0.0 for event in events if isinstance(event, Attempted)}
    used = {event.key: event.usage.cost or 0.0 for event in events if isinstance(event, Called)}
    error = max(0.0, *(used[key] - reserved[key] for key in used))
    assert sum(used.values()) <= LIMIT + error + 1e-9


DENSE = {
    "base64": ENCODED,
    "CJK": "委員會應該權衡茶的成本與它給人的安慰。" * 400,
    "code": "if(x[i]!=y[j]){a[i]+=b[j]<<2;}else{c(&d,*e);}\n" * 200,
}


@settings(deadline=None, max_examples=30)
@given(
    st.sampled_from(sorted(DENSE)),
    st.integers(500, 5_000),
    st.integers(5_000, 300_000),
    st.floats(0.4, 3.0),
    st.sampled_from([1, 7]),
)
def test_once_a_model_has_counted_no_limit_is_exceeded(
    kind: str, size: int, limit: int, share: float, parallel: int
) -> None:
    """The server counts dense text up to three times as high as estimated; one that counts less leaves more to use."""
    text = DENSE[kind][:size]
    request = Request(messages=(Message(role="user", text=text),), settings=Settings(max_tokens=200))
    estimate = quote(GPT, request)
    counted = ceil(min(share * estimate.prompt, estimate.worst))  # no tokenizer makes more tokens than bytes
    provider = Counting(lambda text: counted)
    debate = asyncio.run(council(lambda ask: text, provider, Limits(tokens=limit, parallel=parallel, asks=500)))
    calls = [entry.event.usage for entry in debate.entries if isinstance(entry.event, Called)]
    used = [usage.input_tokens + usage.output_tokens for usage in calls]
    assert sum(used) <= max(limit, sum(used[:1]))
    if used and debate.transcript.paused and parallel == 1:
        # Where each byte counts as a token already, nobody knows the price of the prompt by itself: nothing shrinks.
        least = (0.575 if estimate.worst > estimate.prompt else 1.0) * estimate.prompt + 200
        assert limit - sum(used) < max(SPARE * used[0], least) + 1, "what there is can be used"


async def test_who_waits_for_the_money_of_others_has_its_time_for_itself() -> None:
    provider = Counting(lambda text: len(text) / 4.5)
    worst = quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),), settings=Settings(max_tokens=200))).worst
    limits = Limits(tokens=worst + 6000, parallel=50, asks=20, turn_seconds=0.2)
    provider.pause = 0.05
    debate = await council(lambda ask: ENGLISH, provider, limits)
    assert provider.most_open == 1
    assert len(provider.prompts) > 1
    assert not [entry for entry in debate.entries if isinstance(entry.event, Failed)]
