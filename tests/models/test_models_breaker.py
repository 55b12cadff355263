"""Breakers and fallbacks: who is left out when, what counts as a failure, and who is asked instead."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.errors import LimitReached, ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.models.base import Model, Traits
from folkmoot.models.layers import Breaker, BreakerSettings, ResilientModel, RetrySettings, counts
from folkmoot.models.pool import Fallback
from folkmoot.models.transport import Gate
from tests.kits.clock import jumping
from tests.models.models_kit import Double, Notebook, ask, fails, gives

ONCE, ONE_OPENS = RetrySettings(tries=1), BreakerSettings(failure_threshold=1)


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.fail(breaker.admit())


def test_three_failures_open_it() -> None:  # R1
    clock = Clock()
    breaker = Breaker(clock=clock)
    fail(breaker, 2)
    assert (breaker.state, breaker.free) == ("CLOSED", True)
    fail(breaker)
    assert (breaker.state, breaker.free, breaker.admit(), breaker.wait) == ("OPEN", False, 0, 60.0)
    clock.now += 59.5
    assert (breaker.state, breaker.wait) == ("OPEN", 0.5)


def test_one_failed_trial_opens_it_again_with_a_fresh_cooldown() -> None:  # R3
    clock = Clock()
    breaker = Breaker(clock=clock)
    fail(breaker, 3)
    clock.now += 75.0
    first, second = breaker.admit(), breaker.admit()
    breaker.succeed(first)
    breaker.fail(second)
    assert (breaker.state, breaker.wait) == ("OPEN", 60.0)


def test_what_began_before_the_breaker_opened_counts_for_nothing() -> None:
    clock = Clock()
    breaker = Breaker(clock=clock)
    old, older = breaker.admit(), breaker.admit()
    fail(breaker, 3)
    clock.now += 30.0
    breaker.fail(old)
    breaker.succeed(older)
    assert breaker.wait == 30.0


class Machine(RuleBasedStateMachine):
    """A breaker beside a plain account of what it should do, on a clock that only the machine moves."""

    def __init__(self) -> None:
        super().__init__()
        self.clock, self.settings = Clock(), BreakerSettings()
        self.breaker = Breaker(self.settings, self.clock)
        self.row, self.good, self.opened_at = 0, 0, -1.0
        self.state, self.tickets = "CLOSED", list[int]()

    def settle(self) -> None:
        if self.state == "OPEN" and self.clock.now - self.opened_at >= self.settings.cooldown_seconds:
            self.state, self.good, self.tickets = "HALF_OPEN", 0, []

    def open(self) -> None:
        self.state, self.opened_at, self.row, self.tickets = "OPEN", self.clock.now, 0, []

    @rule(seconds=st.integers(0, 70))
    def time_passes(self, seconds: int) -> None:
        self.clock.now += seconds

    @rule()
    def call(self) -> None:
        self.settle()
        may = self.state == "CLOSED" or (self.state == "HALF_OPEN" and self.good + len(self.tickets) < 2)
        ticket = self.breaker.admit()
        assert bool(ticket) == may
        if ticket:
            self.tickets.append(ticket)

    @precondition(lambda self: self.tickets)
    @rule(data=st.data(), end=st.sampled_from(["succeed", "fail", "release"]))
    def end(self, data: st.DataObject, end: str) -> None:
        ticket = self.tickets.pop(data.draw(st.integers(0, len(self.tickets) - 1)))
        {"succeed": self.breaker.succeed, "fail": self.breaker.fail, "release": self.breaker.release}[end](ticket)
        if end == "succeed":
            self.row = 0
            self.good += self.state == "HALF_OPEN"
            if self.state == "HALF_OPEN" and self.good >= 2:
                self.state, self.tickets = "CLOSED", []
        elif end == "fail":
            self.row += 1
            if self.state == "HALF_OPEN" or self.row >= 3:
                self.open()

    @invariant()
    def agrees(self) -> None:
        self.settle()
        assert self.breaker.state == self.state
        assert self.breaker.free == (
            self.state != "OPEN" and (self.state == "CLOSED" or self.good + len(self.tickets) < 2)
        )


TestMachine = Machine.TestCase
TestMachine.settings = settings(stateful_step_count=40)


# ---- around a model


@pytest.mark.parametrize(
    ("error", "counted"),
    [
        (Unavailable("late", kind="timeout"), True),
        (Unavailable("nobody there", kind="connection"), True),
        (Unavailable("down", kind="server"), True),
        (Unavailable("down", kind="server", retry_after=3.0), True),
        (Unavailable("busy", kind="rate"), True),
        (Unavailable("busy", kind="rate", retry_after=3.0), False),
        (Unavailable("no key", kind="key"), False),
        (Unavailable("no money", kind="quota"), False),
        (Unavailable("no such model", kind="not_found"), False),
        (Refused("no", kind="refused"), False),
        (Refused("too long", kind="too_long"), False),
        (Unreadable("nothing", kind="empty"), False),
    ],
)
async def test_only_failures_of_transport_count(error: ModelError, counted: bool) -> None:
    assert counts(error) is counted
    model = ResilientModel(Double(*[fails(error)] * 3), ONCE, breaker=Breaker(clock=Clock()))
    for _ in range(3):
        with pytest.raises(type(error)):
            await model.complete(ask(), Notebook())
    assert model.breaker.state == ("OPEN" if counted else "CLOSED")


async def test_an_open_breaker_answers_at_once_and_sends_nothing() -> None:
    clock, inner = Clock(), Double(*[fails(Unavailable("down", kind="server"))] * 3, gives("yes"), gives("yes"))
    model = ResilientModel(inner, ONCE, breaker=Breaker(clock=clock))
    for _ in range(3):
        with pytest.raises(Unavailable, match="down"):
            await model.complete(ask(), Notebook())
    with pytest.raises(
        Unavailable, match="double:model has failed again and again: it is left out for 1 min"
    ) as caught:
        await model.complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again, caught.value.retry_after, len(inner.requests)) == (
        "open",
        False,
        60.0,
        3,
    )
    clock.now += 60.0
    assert (await model.complete(ask(), Notebook())).text == "yes"
    admission = model.breaker.admit()
    with pytest.raises(Unavailable, match="it is being tried again") as tried:
        await model.complete(ask(), Notebook())
    assert tried.value.retry_after is None
    model.breaker.release(admission)
    await model.complete(ask(), Notebook())
    assert model.breaker.state == "CLOSED"


async def test_what_is_on_record_is_read_there_whatever_the_breaker_says() -> None:
    class Kept(Notebook):
        def done(self, name: str) -> Called | None:
            return Called(key="", call=name, text="kept")

    inner = Double()
    model = ResilientModel(inner, ONCE, breaker=Breaker(clock=Clock()))
    fail(model.breaker, 3)
    assert (await model.complete(ask(), Kept())).text == "kept"
    assert inner.requests == []


@pytest.mark.parametrize(("seconds", "state"), [(60.0, "CLOSED"), (52.0, "OPEN")])
@jumping
async def test_a_cancelled_call_counts_only_where_its_time_was_up(seconds: float, state: str) -> None:
    async def hangs(say: Recorder) -> Called:
        await asyncio.sleep(1000)
        raise AssertionError

    model = ResilientModel(Double(hangs), ONCE, breaker=Breaker(ONE_OPENS, Clock()))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(50.0):
            await model.complete(ask(seconds=seconds), Notebook())
    assert model.breaker.state == state


async def test_a_call_that_waited_for_a_place_until_its_time_was_up_counts_for_nothing() -> None:
    gate = Gate(1)
    model = ResilientModel(Double(), ONCE, gate=gate, breaker=Breaker(ONE_OPENS, Clock()))
    async with gate.slots:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await model.complete(ask(seconds=0.02), Notebook())
    assert model.breaker.state == "CLOSED"


async def test_a_limit_says_nothing_about_the_provider() -> None:
    model = ResilientModel(Double(fails(LimitReached("no money"))), ONCE, breaker=Breaker(ONE_OPENS, Clock()))
    with pytest.raises(LimitReached):
        await model.complete(ask(), Notebook())
    assert model.breaker.state == "CLOSED"


# ---- fallbacks


class Named(Double):
    """A double under a name of its own, at a price."""

    def __init__(
        self, name: str, *steps: Callable[[Recorder], Awaitable[Called]], cost: float | None = 0.25, tokens: int = 100
    ) -> None:
        super().__init__(*steps)
        self.name, self.cost, self.tokens = name, cost, tokens

    def quote(self, request: object) -> Quote:
        return Quote(model=self.name, tokens=self.tokens, cost=self.cost)


def stack(*models: Model) -> Fallback:
    return Fallback(ResilientModel(models[0], ONCE), [ResilientModel(model, ONCE) for model in models[1:]])


@pytest.mark.parametrize("kind", ["quota", "open", "connection", "timeout", "server", "key", "not_found", "rate"])
async def test_another_model_is_asked_where_the_first_is_unavailable(kind: str) -> None:
    book = Notebook()
    model = stack(Named("a:one", fails(Unavailable("gone", kind=kind))), Named("b:two", gives("yes")))
    assert model.name == "a:one"
    assert (await model.complete(ask(), book)).text == "yes"
    assert [(call, quote.model) for call, quote in book.calls] == [("answer", "a:one"), ("answer", "b:two")]


@pytest.mark.parametrize("error", [Refused("no", kind="refused"), Unreadable("?", kind="empty"), LimitReached("dear")])
async def test_what_is_refused_is_not_taken_elsewhere(error: Exception) -> None:
    other = Named("b:two", gives("yes"))
    with pytest.raises(type(error)):
        await stack(Named("a:one", fails(error)), other).complete(ask(), Notebook())
    assert other.requests == []


async def test_where_nobody_can_be_reached_all_are_named() -> None:
    gone = [
        Named(name, fails(Unavailable(f"{name} is gone", kind=kind))) for name, kind in (("a", "quota"), ("b", "open"))
    ]
    with pytest.raises(Unavailable, match="a is gone; b is gone") as caught:
        await stack(*gone).complete(ask(), Notebook())
    assert (caught.value.kind, caught.value.again) == ("quota", False)


@pytest.mark.parametrize(
    ("one", "two", "most"),
    [(0.25, 0.5, ("b", 0.5)), (0.5, 0.25, ("a", 0.5)), (None, 0.25, ("a", None)), (0.0, None, ("b", None))],
)
def test_a_quote_holds_whoever_is_asked(one: float | None, two: float | None, most: tuple[str, float | None]) -> None:
    model = stack(Named("a", cost=one, tokens=70), Named("b", cost=two, tokens=90))
    worst = None if most[1] is None else 0.0
    assert model.quote(ask()) == Quote(model=most[0], tokens=90, cost=most[1], worst_cost=worst)


def test_what_is_sent_fits_all() -> None:
    one, two = Named("a"), Named("b")
    one.traits = Traits(system=False, alternate=False, context=0, tools=True, prefill=True)
    one.drops = ("seed",)
    two.traits = Traits(context=9, tools=False)
    assert stack(one, two).traits == Traits(system=False, alternate=True, context=9, tools=False, prefill=False)
    assert stack(one, two).drops == ("seed",)
