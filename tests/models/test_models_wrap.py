"""The layers around a model: every try is on record, in time, in turn, and made again only where that may help."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from itertools import pairwise

import pytest

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.errors import LimitReached, ModelError, Refused, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.models.base import Model
from folkmoot.models.layers import ResilientModel, RetrySettings
from folkmoot.models.transport import LONGEST_HOLD, Gate
from folkmoot.testing.conformance import Journal
from tests.kits.clock import jumping
from tests.models.models_kit import HASTY, Double, Notebook, ask, fails, gives

Step = Callable[[Recorder], Awaitable[Called]]
ONCE = RetrySettings(tries=1)


@jumping
async def test_it_stands_for_its_model() -> None:
    inner = Double(gives("yes", "y", "es"))
    model = ResilientModel(inner, gate=Gate(1))
    notebook = Notebook()
    assert (model.name, model.traits, model.quote(ask())) == (inner.name, inner.traits, inner.quote(ask()))
    assert model.drops == inner.drops
    called = await model.complete(ask(), notebook)
    assert (called.text, notebook.deltas, inner.requests) == ("yes", ["y", "es"], [ask()])
    await model.close()
    assert inner.closed


@jumping
async def test_a_try_is_reserved_before_it_is_sent() -> None:
    inner = Double(gives("yes"))

    class Closed(Notebook):
        async def call(self, name: str, quote: object, send: object) -> Called:
            raise LimitReached("no money")

    with pytest.raises(LimitReached):
        await ResilientModel(inner, HASTY).complete(ask(), Closed())
    assert inner.requests == []


def server_error(**more: float) -> Unavailable:
    """An error that may pass."""
    return Unavailable("down", kind="server", again=True, **more)


@pytest.mark.parametrize(
    ("steps", "tries", "ends"),
    [
        ([gives("yes")], 1, "yes"),
        ([fails(server_error()), gives("yes")], 2, "yes"),
        ([fails(server_error()), fails(server_error()), gives("yes")], 3, "yes"),
        ([fails(server_error())] * 4, 3, "server"),
        ([fails(server_error(retry_after=0.0)), gives("yes")], 2, "yes"),
        ([fails(server_error(retry_after=120.1)), gives("yes")], 1, "server"),
        ([fails(server_error(retry_after=1e9)), gives("yes")], 1, "server"),
        ([fails(Unavailable("key", kind="key")), gives("yes")], 1, "key"),
        ([fails(Refused("no", kind="refused")), gives("yes")], 1, "refused"),
        ([fails(Unreadable("?", kind="empty", again=True)), gives("yes")], 2, "yes"),
        ([fails(Unreadable("?", kind="empty", again=True))] * 3, 2, "empty"),
    ],
)
@jumping
async def test_what_may_pass_is_tried_again(steps: list[Step], tries: int, ends: str) -> None:
    inner, notebook = Double(*steps), Notebook()
    model = ResilientModel(inner, HASTY)
    try:
        got = (await model.complete(ask(), notebook)).text
    except ModelError as error:
        got = error.kind
    assert got == ends
    assert len(inner.requests) == len(notebook.calls) == tries


@jumping
async def test_programming_errors_are_not_tried_again() -> None:
    inner = Double(fails(ZeroDivisionError()), gives("yes"))
    with pytest.raises(ZeroDivisionError):
        await ResilientModel(inner, HASTY).complete(ask(), Notebook())
    assert len(inner.requests) == 1


@jumping
async def test_a_wait_that_was_asked_for_is_kept() -> None:
    inner = Double(fails(server_error(retry_after=0.05)), gives("yes"))
    clock = asyncio.get_running_loop().time
    began = clock()
    await ResilientModel(inner, HASTY).complete(ask(), Notebook())
    assert clock() - began >= 0.05


@pytest.mark.parametrize("wait", [None, 0.0])
@jumping
async def test_who_is_told_nothing_or_to_come_back_at_once_makes_a_pause(wait: float | None) -> None:
    inner = Double(fails(Unavailable("slow", kind="rate", again=True, retry_after=wait)), gives("yes"))
    clock = asyncio.get_running_loop().time
    began = clock()
    await ResilientModel(inner, RetrySettings(wait=0.1, jitter=0.0)).complete(ask(), Notebook())
    assert clock() - began >= 0.1


@pytest.mark.parametrize(("jitter", "most"), [(0.0, 0.0), (0.5, 0.5)])
@jumping
async def test_pauses_grow_up_to_the_longest(jitter: float, most: float) -> None:
    clock = asyncio.get_running_loop().time
    times = list[float]()

    async def fail(say: Recorder) -> Called:
        times.append(clock())
        raise server_error()

    patience = RetrySettings(tries=5, wait=1.0, jitter=jitter)
    with pytest.raises(Unavailable):
        await ResilientModel(Double(*[fail] * 5), patience).complete(ask(), Notebook())
    waits = [later - earlier for earlier, later in pairwise(times)]
    assert all(least <= wait <= least + most + 0.01 for wait, least in zip(waits[:3], (1.0, 2.0, 4.0), strict=True)), (
        waits
    )
    assert waits[3] == pytest.approx(5.0, abs=0.01)


def dawdles(*pauses: float | str) -> Step:
    """A step that waits and says pieces in turn."""

    async def step(say: Recorder) -> Called:
        for pause in pauses:
            if isinstance(pause, str):
                say.delta(pause)
            else:
                await asyncio.sleep(pause)
        return Called(key="", call="answer", text="late")

    return step


@pytest.mark.parametrize(
    ("step", "patience", "ends", "again"),
    [
        (dawdles(), RetrySettings(), "late", None),
        (dawdles(9), RetrySettings(), "did not finish", False),
        (dawdles(9), RetrySettings(first=0.02), "fell silent", True),
        (dawdles("a", 9), RetrySettings(gap=0.02), "fell silent", True),
        (dawdles("", 9), RetrySettings(gap=0.02), "fell silent", True),
        (dawdles(*["", 0.1] * 5), RetrySettings(first=0.4, gap=0.4), "late", None),
        (dawdles(*["a", 0.01] * 40), RetrySettings(gap=0.06), "did not finish", False),
    ],
)
@jumping
async def test_a_try_has_limits(step: Step, patience: RetrySettings, ends: str, again: bool | None) -> None:
    notebook = Notebook()
    model = ResilientModel(Double(step), replace(patience, tries=1))
    if again is None:
        called = await model.complete(ask(seconds=5.0), notebook)
        assert called.text == ends
        assert 0 <= called.seconds < 5.0
        return
    with pytest.raises(Unavailable, match=ends) as caught:
        await model.complete(ask(seconds=0.2), notebook)
    assert (caught.value.kind, caught.value.again) == ("timeout", again)


@pytest.mark.parametrize("ends", ["answer", "error"])
@pytest.mark.parametrize("patience", [RetrySettings(), RetrySettings(first=0.01, gap=0.01)])
@jumping
async def test_an_adapter_that_swallows_its_cancellation_is_too_late(ends: str, patience: RetrySettings) -> None:
    """What it streams after that changes nothing; its try is on record as one that took too long."""

    async def step(say: Recorder) -> Called:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            say.delta("late")
            await asyncio.sleep(0)
            say.delta("later")
        if ends == "error":
            raise TimeoutError
        return Called(key="", call="answer", text="late")

    with pytest.raises(Unavailable, match="stopped after") as caught:
        await ResilientModel(Double(step), replace(patience, tries=1)).complete(ask(seconds=0.05), Notebook())
    assert caught.value.kind == "timeout"


@jumping
async def test_signs_of_life_are_not_shown() -> None:
    notebook = Notebook()
    await ResilientModel(Double(gives("ab", "", "a", "", "b"))).complete(ask(), notebook)
    assert notebook.deltas == ["a", "b"]


@jumping
async def test_a_timeout_of_ones_own_is_not_the_models() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await ResilientModel(Double(dawdles(9))).complete(ask(), Notebook())


@jumping
async def test_a_try_that_waits_for_a_place_is_not_on_record() -> None:
    """Neither a full queue nor a closed gate books what was not sent, and who tries again holds no place meanwhile."""
    gate, sent, notebook = Gate(1), asyncio.Event(), Notebook()

    async def is_told_to_wait(say: Recorder) -> Called:
        await sent.wait()
        raise Unavailable("slow", kind="rate", retry_after=0.2, again=True)

    def model(*steps: Step) -> Model:
        return ResilientModel(Double(*steps), HASTY, gate=gate)

    async with asyncio.TaskGroup() as group:
        first = group.create_task(model(is_told_to_wait, gives("at last")).complete(ask("1"), notebook))
        others = [group.create_task(model(gives("yes")).complete(ask(), notebook)) for _ in range(3)]
        await asyncio.sleep(0.02)
        assert len(notebook.calls) == 1, "the queue is full"
        sent.set()
        await asyncio.sleep(0.02)
        assert len(notebook.calls) == 1, "the gate is closed"
        others[0].cancel()
        await asyncio.wait_for(others[2], 2)
        assert others[1].done(), "in the order of coming"
    assert first.result().text == "at last"
    assert len(notebook.calls) == 4


@jumping
async def test_what_is_on_record_takes_no_place() -> None:
    gate = Gate(1)
    journal = Journal(kept={"answer": Called(key="", call="answer", text="kept")})
    async with gate.slots:
        assert (await ResilientModel(Double(), ONCE, gate=gate).complete(ask(), journal)).text == "kept"


@jumping
async def test_whoever_waits_at_the_gate_waits_as_long_as_was_asked_last() -> None:
    gate = Gate(2)
    clock = asyncio.get_running_loop().time
    gate.hold(0.05)
    began = clock()
    async with asyncio.TaskGroup() as group:
        waits = group.create_task(ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(), Notebook()))
        await asyncio.sleep(0.01)
        gate.hold(0.15)
    assert waits.result().text == "yes"
    assert clock() - began >= 0.15


@jumping
async def test_a_call_that_waited_for_money_behind_the_gate_waits_at_the_gate_again() -> None:
    gate = Gate(2)
    clock = asyncio.get_running_loop().time
    began, sent_at = clock(), list[float]()

    class Poor(Notebook):
        """A recorder in which a call waits for money, and the provider asks to be left alone meanwhile."""

        async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
            await asyncio.sleep(0.01)
            gate.hold(0.2)
            return await super().call(name, quote, send)

    async def say(recorder: Recorder) -> Called:
        sent_at.append(clock() - began)
        return Called(key="", call="answer", text="yes")

    called = await ResilientModel(Double(say), ONCE, gate=gate).complete(ask(), Poor())
    assert called.text == "yes"
    assert sent_at[0] >= 0.2


@jumping
async def test_places_are_given_in_the_order_of_coming() -> None:
    order: list[int] = []
    busy = 0

    def step(n: int) -> Step:
        async def run(say: Recorder) -> Called:
            nonlocal busy
            busy += 1
            order.append(n)
            assert busy <= 2
            await asyncio.sleep(0.001)
            busy -= 1
            return Called(key="", call="answer", text="")

        return run

    gate = Gate(2)
    async with asyncio.TaskGroup() as group:
        for n in range(12):
            group.create_task(ResilientModel(Double(step(n)), ONCE, gate=gate).complete(ask(), Notebook()))
    assert order == list(range(12))


@jumping
async def test_a_wait_holds_back_all_who_share_the_key() -> None:
    gate = Gate(5)
    limited = ResilientModel(
        Double(fails(Unavailable("slow", kind="rate", retry_after=0.05, again=True))), ONCE, gate=gate
    )
    other = ResilientModel(Double(gives("yes"), gives("yes")), ONCE, gate=gate)
    with pytest.raises(Unavailable):
        await limited.complete(ask(), Notebook())
    with pytest.raises(Unavailable, match="asked to wait") as caught:
        await other.complete(ask(seconds=0.01), Notebook())
    assert (caught.value.kind, caught.value.again) == ("rate", False)
    clock = asyncio.get_running_loop().time
    began = clock()
    await other.complete(ask(), Notebook())
    assert clock() - began >= 0.03
    began = clock()
    await other.complete(ask(), Notebook())
    assert clock() - began < 0.03


class Interrupted(Notebook):
    """A line to the engine that is interrupted while an error goes into the record."""

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        with suppress(Unavailable):
            await super().call(name, quote, send)
        raise asyncio.CancelledError


@jumping
async def test_a_wait_is_kept_where_the_debate_is_interrupted_before_it_is_on_record() -> None:
    gate = Gate(5)
    busy = fails(Unavailable("slow", kind="rate", retry_after=30.0, again=True))
    with pytest.raises(asyncio.CancelledError):
        await ResilientModel(Double(busy), ONCE, gate=gate).complete(ask(), Interrupted())
    with pytest.raises(Unavailable, match="asked to wait"):
        await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(seconds=1), Notebook())


@pytest.mark.parametrize("kind", ["server", "rate"])
@jumping
async def test_other_errors_hold_nobody_back(kind: str) -> None:
    gate = Gate(1)
    with pytest.raises(Unavailable):
        await ResilientModel(Double(fails(Unavailable("x", kind=kind, again=True))), ONCE, gate=gate).complete(
            ask(), Notebook()
        )
    assert (
        await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(seconds=0.0), Notebook())
    ).text == "yes"


@jumping
async def test_a_place_is_given_back_when_a_call_is_cancelled() -> None:
    gate = Gate(1)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await ResilientModel(Double(dawdles(9)), ONCE, gate=gate).complete(ask(), Notebook())
    assert (await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(), Notebook())).text == "yes"


@jumping
async def test_nobody_is_held_back_for_ever() -> None:
    gate = Gate(1)
    gate.hold(1e12)
    gate.hold(1.0)
    with pytest.raises(Unavailable) as caught:
        await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(), Notebook())
    assert (caught.value.retry_after or 0) > LONGEST_HOLD
    await asyncio.sleep(LONGEST_HOLD)
    assert (await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(), Notebook())).text == "yes"


@jumping
async def test_who_is_asked_to_wait_for_hours_does_not_wait_for_a_minute() -> None:
    gate, clock = Gate(1), asyncio.get_running_loop().time
    gate.hold(21_600.0)
    began = clock()
    with pytest.raises(Unavailable):
        await gate.opened(LONGEST_HOLD)
    assert clock() == began
    await asyncio.sleep(LONGEST_HOLD)
    gate.hold(3.0)
    await gate.opened(LONGEST_HOLD)  # it was asked again meanwhile, and asks for less


class Counting:
    """A meter that keeps what it was asked for and told."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, float]] = []
        self.told: list[int] = []

    @asynccontextmanager
    async def counted(self, tokens: int, seconds: float) -> AsyncGenerator[Callable[[int], None]]:
        self.asked.append((tokens, seconds))
        yield self.told.append


@jumping
async def test_a_meter_is_asked_before_each_try_and_told_what_it_took() -> None:
    meter = Counting()
    limited = ResilientModel(Double(gives("yes")), ONCE, gate=Gate(1, meter))
    request = ask()
    called = await limited.complete(request, Notebook())
    assert meter.asked == [(limited.quote(request).tokens, request.seconds)]
    assert meter.told == [called.usage.input_tokens + called.usage.output_tokens]


@jumping
async def test_a_meter_is_told_that_nothing_was_sent_where_a_limit_stands_in_the_way() -> None:
    class Poor(Notebook):
        async def call(self, name: str, quote: object, send: object) -> Called:
            raise LimitReached("no money")

    meter = Counting()
    with pytest.raises(LimitReached):
        await ResilientModel(Double(), ONCE, gate=Gate(1, meter)).complete(ask(), Poor())
    assert meter.told == [0]


@jumping
async def test_a_call_that_waits_for_the_meter_is_held_back_too_where_the_provider_asks_others_to_wait() -> None:
    class Slow(Counting):
        @asynccontextmanager
        async def counted(self, tokens: int, seconds: float) -> AsyncGenerator[Callable[[int], None]]:
            gate.hold(60.0)
            yield self.told.append

    meter = Slow()
    gate = Gate(1, meter)
    with pytest.raises(Unavailable, match="asked to wait"):
        await ResilientModel(Double(gives("yes")), ONCE, gate=gate).complete(ask(seconds=5.0), Notebook())
    assert meter.told == [0]
