"""Money is reserved before the call, and no finished call is paid twice."""

import pytest

from acting import ARGUE, Acts, both, hall, paying
from moot.core.ask import Ask, Usage
from moot.core.brief import Limits
from moot.core.errors import Unavailable
from moot.core.event import (
    Attempted,
    Called,
    Erred,
    Paused,
)
from moot.core.seat import Quote, Say, Scene
from moot.engine.drive import Hosting
from moot.engine.limits import Purse
from moot.phases.flow import Rounds
from moot.phases.speak import Everyone, Floor


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
    place = hall(one_at_a_time, limits=limits)
    held = await place.hold({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))})
    assert held.transcript.paused == Paused(reason=reason, kind="limit")
    assert sum(isinstance(entry.event, Called) for entry in held.entries) == calls
    place.hosting = lambda: Hosting(limits=Limits())
    resumed = await place.hold({"Ann": Acts(paying(cost)), "Bob": Acts(paying(cost))}, held.lines)
    assert resumed.transcript.closed


async def test_parallel_calls_cannot_break_a_limit_together() -> None:
    place = hall(limits=Limits(tokens=15))
    held = await place.hold({"Ann": Acts(paying(0.0)), "Bob": Acts(paying(0.0))})
    assert sum(isinstance(entry.event, Attempted) for entry in held.entries) == 1
    assert held.transcript.paused


@pytest.mark.parametrize(("kind", "spent"), [("rate", 0), ("timeout", 10), ("garbled", 10), ("connection", 10)])
def test_a_try_that_may_have_been_paid_stays_spent(kind: str, spent: int) -> None:
    purse = Purse(Limits())
    purse.apply(Attempted(key="k", call="answer", n=1, tokens=10, cost=0.1))
    assert purse.tokens == 10
    purse.apply(Erred(key="k", call="answer", n=1, kind=kind, reason="?"))
    assert purse.tokens == spent
    purse.apply(Called(key="k", call="answer", text="", usage=Usage(input_tokens=4, output_tokens=3)))
    assert purse.tokens == 7
    purse.apply(Called(key="other", call="answer", text="", usage=Usage(input_tokens=1)))
    assert purse.tokens == 8


async def test_a_call_on_record_is_not_sent_again_when_its_ask_was_cut_off() -> None:
    sent: list[str] = []

    async def act(ask: Ask, scene: Scene, say: Say) -> str:
        async def send() -> Called:
            sent.append(ask.key)
            return Called(key="", call="", text="paid")

        called = await say.call("answer", Quote(model="m"), send)
        return called.text

    place = hall(Everyone(act="argue", task="Argue."))
    whole = await place.hold(both(act))
    cut = next(n for n, entry in enumerate(whole.entries) if isinstance(entry.event, Called)) + 1
    resumed = await place.hold(both(act), whole.lines[:cut])
    assert sent == ["/debate#1"]
    assert resumed.transcript.closed


async def test_each_try_is_on_record_with_its_number_and_reason() -> None:
    async def act(ask: Ask, scene: Scene, say: Say) -> str:
        async def send() -> Called:
            raise Unavailable("busy", kind="rate", again=True)

        for _ in range(2):
            with pytest.raises(Unavailable):
                await say.call("answer", Quote(model="m", tokens=5), send)
        raise Unavailable("busy", kind="rate")

    held = await hall(Everyone(act="argue", task="Argue.")).hold(both(act))
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
    purse = Purse(Limits())
    purse.apply(Attempted(key="k", call="answer", n=1, tokens=100, cost=1.0))
    purse.apply(Called(key="k", call="answer", text="", usage=usage))
    assert (purse.tokens, purse.cost) == (tokens, pytest.approx(cost))
