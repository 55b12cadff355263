"""Money is reserved before the call, and no finished call is paid twice."""

import asyncio
import base64
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from math import ceil

import pytest

from moot.core.agent import Context, Quote, Recorder
from moot.core.ask import Ask, Usage
from moot.core.brief import Brief, Limits, Participant, Settings
from moot.core.errors import Unavailable
from moot.core.event import (
    Attempted,
    Called,
    Erred,
    Failed,
    Paused,
)
from moot.engine.calls import Budget
from moot.engine.driver import DriverOptions
from moot.models.base import Message, Request
from moot.models.names import parse
from moot.models.prices import cost, quote
from moot.phases.base import Rounds
from moot.phases.speak import Everyone, Floor
from moot.record.store import decode
from moot.testing.replay import Harness, HeldDebate
from tests.kits.acting import ARGUE, Acts, both, paying, runner


@pytest.mark.parametrize(
    ("limits", "cost", "reason", "calls"),
    [
        (Limits(tokens=22), 0.0, "the limit of 22 tokens: 18 used, 10 needed", 3),
        (Limits(cost=0.5), 0.2, "the limit of $0.5: $0.4000 used, $0.2000 needed", 2),
        (Limits(cost=0.5), None, "the limit of $0.5: the price of m is unknown", 0),
        (Limits(asks=3), 0.0, "the limit of 3 asks is reached", 2),
    ],
)
async def test_a_limit_pauses_before_the_call_that_would_break_it(
    limits: Limits, cost: float | None, reason: str, calls: int
) -> None:
    one_at_a_time = Rounds(each=Floor(act="argue", task="Speak."), most=3)
    if limits.asks == 3:
        one_at_a_time = ARGUE
    place = runner(one_at_a_time, limits=limits)
    held = await place.run({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))})
    assert held.transcript.paused == Paused(reason=reason, kind="limit")
    assert sum(isinstance(entry.event, Called) for entry in held.entries) == calls
    place.hosting = lambda: DriverOptions(limits=Limits())
    resumed = await place.run({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))}, held.lines)
    assert resumed.transcript.closed


async def test_parallel_calls_cannot_break_a_limit_together() -> None:
    place = runner(limits=Limits(tokens=15))
    held = await place.run({"Ann": Acts(paying(0.0)), "Bob": Acts(paying(0.0))})
    assert sum(isinstance(entry.event, Attempted) for entry in held.entries) == 1
    assert held.transcript.paused


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


async def test_each_try_is_on_record_with_its_number_and_reason() -> None:
    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            raise Unavailable("busy", kind="rate", again=True)

        for _ in range(2):
            with pytest.raises(Unavailable):
                await say.call("answer", Quote(model="m", tokens=5), send)
        raise Unavailable("busy", kind="rate")

    held = await runner(Everyone(act="argue", task="Argue.")).run(both(act))
    tries = [entry.event for entry in held.entries if isinstance(entry.event, Attempted | Erred)]
    assert [(type(t).__name__, t.n) for t in tries] == [("Attempted", 1), ("Erred", 1), ("Attempted", 2), ("Erred", 2)]
    assert held.transcript.attempts == 2
    assert [error.kind for error in held.transcript.errors] == ["rate", "rate"]


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
    """A provider that counts a prompt's tokens as it likes; the answer is always of the length that it may have."""

    def __init__(self, count: Callable[[str], float]) -> None:
        self.count, self.prompts, self.open, self.most_open = count, list[int](), 0, 0
        self.pause = 0.001

    def seat(self, text: Callable[[Ask], str]) -> Acts:
        """A seat that sends a text to gpt-4o."""

        async def act(ask: Ask, context: Context, say: Recorder) -> str:
            request = Request(messages=(Message(role="user", text=text(ask)),), settings=Settings(max_tokens=200))
            return (await say.call("answer", quote(GPT, request), partial(self._send, request))).text

        return Acts(act)

    async def _send(self, request: Request) -> Called:
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(self.pause)
        self.open -= 1
        taken = ceil(self.count(request.messages[0].text))
        self.prompts.append(taken)
        usage = Usage(input_tokens=taken, output_tokens=200)
        return Called(key="", call="", text="ok", model=str(GPT), usage=replace(usage, cost=cost(GPT, usage)))


GPT = parse("openai:gpt-4o")
ENGLISH = "The committee should weigh the cost of tea against the comfort that it gives to those who work late. " * 200
ENCODED = base64.b64encode(random.Random(7).randbytes(15_000)).decode()
LIMIT = 0.5


def council(text: Callable[[Ask], str], provider: Counting, limits: Limits) -> Awaitable[HeldDebate]:
    """Twenty at a table, asked for twenty rounds at once each."""
    people = tuple(Participant(name=f"P{n}", seat="x") for n in range(20))
    brief = Brief(topic="Tea?", participants=people, limits=limits)
    phase = Rounds(each=Everyone(act="argue", task="Argue."), most=20)
    place = Harness(brief=brief, protocol=phase, hosting=DriverOptions)
    return place.run({each.name: provider.seat(text) for each in people})


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
    held = await council(lambda ask: text, provider, Limits(cost=LIMIT, parallel=parallel, asks=500))
    assert held.transcript.paused
    assert held.transcript.paused.kind == "limit"
    most = quote(GPT, Request(messages=(Message(role="user", text=text),), settings=Settings(max_tokens=200)))
    assert most.cost is not None
    assert most.worst_cost is not None
    assert held.transcript.usage.cost is not None
    assert held.transcript.usage.cost <= LIMIT + error * (most.worst_cost - most.cost)
    assert held.transcript.usage.cost >= LIMIT - most.worst_cost, "what there is can be used"
    assert provider.most_open <= parallel
    assert parallel == 1 or error or provider.most_open > 5


async def test_what_a_model_has_counted_holds_for_its_next_prompts_and_after_a_resume() -> None:
    provider = Counting(len)
    held = await council(lambda ask: ENGLISH[:4000], provider, Limits(tokens=100_000, parallel=1, asks=500))
    tries = [entry.event for entry in held.entries if isinstance(entry.event, Attempted)]
    assert tries[0].tokens < 2000 < 4000 < tries[1].tokens < 4400
    live, again = Budget(Limits(cost=1.0)), Budget(Limits(cost=1.0))
    for entry in held.entries:
        live.apply(entry.event)
    for entry in map(decode, held.lines):
        again.apply(entry.event)
    asked = quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),)))
    other = replace(asked, model="openai:other")
    assert live.fit(asked) == again.fit(asked) != asked
    assert again.fit(other) == other


async def test_who_waits_for_the_money_of_others_has_its_time_for_itself() -> None:
    provider = Counting(lambda text: len(text) / 4.5)
    worst = quote(GPT, Request(messages=(Message(role="user", text=ENGLISH),), settings=Settings(max_tokens=200))).worst
    limits = Limits(tokens=worst + 6000, parallel=50, asks=20, turn_seconds=0.2)
    provider.pause = 0.05
    held = await council(lambda ask: ENGLISH, provider, limits)
    assert provider.most_open == 1
    assert len(provider.prompts) > 1
    assert not [entry for entry in held.entries if isinstance(entry.event, Failed)]
