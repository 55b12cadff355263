"""Guards: what a seat, a host or a broken record cannot do to a debate."""

import asyncio
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import cast

import pytest

from folkmoot.core.agent import Context, Quote, Recorder
from folkmoot.core.ask import Ask, Form, Reply
from folkmoot.core.brief import Brief
from folkmoot.core.errors import LimitReached, RecordError, RecordMismatch, Refused, Unavailable
from folkmoot.core.event import (
    Called,
    Interjected,
    Opened,
    Paused,
    Replied,
)
from folkmoot.engine.driver import debate
from folkmoot.phases.base import Play, State
from folkmoot.phases.speak import Everyone
from folkmoot.protocols.spec import dump
from folkmoot.record.ledger import Ledger
from folkmoot.testing.replay import essence
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.acting import ARGUE, TWO, Acts, both, failed, just, runner


def hall_opened() -> Opened:
    return Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE), name="test")


async def test_nothing_comes_behind_the_end() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    await debate(hall_opened(), ARGUE, both(just("said")), ledger=ledger)
    with pytest.raises(RecordError, match="not open for writing"):
        ledger.note(Interjected(by="Guest", text="too late"))
    async with ledger.writing():
        with pytest.raises(RecordError, match="is over"):
            ledger.note(Interjected(by="Guest", text="too late"))
    assert ledger.transcript.turns("interject") == ()


@pytest.mark.parametrize("reply", [None, "words", Reply(text=cast(str, None)), Reply(text="", seconds=float("nan"))])
async def test_a_seat_that_breaks_the_port_breaks_only_its_own_answer(reply: object) -> None:
    class Odd:
        async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
            return cast(Reply, reply)

    ran = await runner().run({"Ann": Odd(), "Bob": Acts(just("fine"))})
    assert ran.transcript.closed
    assert [turn.text for turn in ran.transcript.turns(by="Bob")] == ["fine", "fine"]


async def test_a_seats_own_timeout_is_not_ours() -> None:
    ran = await runner().run(both(just(TimeoutError("the socket"))))
    assert {(f.kind, f.reason) for f in failed(ran)} == {("broken", "TimeoutError: the socket")}


async def test_half_a_batch_out_of_reach_is_booked_the_same_after_a_cut() -> None:
    def away(ask: Ask, context: Context, recorder: Recorder) -> object:
        return "here" if ask.to == "Bob" else Unavailable("gone", kind="connection")

    place = runner(Everyone(act="argue", task="Argue."))
    seats = {"Ann": Acts(away), "Bob": Acts(away)}
    whole = await place.run(seats)
    assert [f.kind for f in failed(whole)] == ["connection"]
    cut = next(n for n, entry in enumerate(whole.entries, 1) if isinstance(entry.event, Replied))
    resumed = await place.run(seats, whole.lines[:cut])
    assert essence(resumed.transcript) == essence(whole.transcript)


async def test_a_refusal_beside_a_limit_is_not_forgotten() -> None:
    def act(ask: Ask, context: Context, recorder: Recorder) -> object:
        return Refused("no") if ask.to == "Ann" else LimitReached("enough")

    ran = await runner(Everyone(act="argue", task="Argue.")).run({"Ann": Acts(act), "Bob": Acts(act)})
    assert [f.key for f in failed(ran)] == ["/debate#1"]
    assert ran.transcript.paused == Paused(reason="enough", kind="limit")


async def test_remarks_from_outside_are_no_answers() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()

    async def act(ask: Ask, context: Context, recorder: Recorder) -> Exception:
        await ledger.add(Interjected(by="Guest", text=f"hello {ask.key}"))
        return ValueError("broken")

    transcript = await debate(hall_opened(), ARGUE, {"Ann": Acts(act), "Bob": Acts(act)}, ledger=ledger)
    assert transcript.closed
    assert transcript.closed.status == "failed"


async def test_what_cannot_be_stored_changes_nothing() -> None:
    ledger = Ledger(InMemoryStore(), "d", clock=lambda: 0.0)
    await ledger.open()
    async with asyncio.timeout(120), ledger.writing():
        with pytest.raises(RecordError, match="an entry 'interjected' cannot be stored"):
            await ledger.add(Interjected(by="Guest", text="half \ud800"))
        await ledger.add(Interjected(by="Guest", text="whole"))
    assert [turn.text for turn in ledger.transcript.turns()] == ["whole"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stubborn(Reply):
    """An answer that says it is fit to be stored, and is not."""

    def cleaned(self, form: Form | None, seconds: float = 0.0) -> Reply:
        return replace(self, seconds=float("nan"))


async def test_an_answer_that_no_record_can_keep_breaks_only_itself() -> None:
    done = await runner().run({"Ann": Acts(just(Stubborn(text="fine"))), "Bob": Acts(just("fine"))})
    assert done.transcript.closed
    assert {(turn.by, bool(turn.failure)) for turn in done.transcript.all()} == {("Ann", True), ("Bob", False)}


async def test_a_protocol_that_stumbles_over_a_record_says_where() -> None:
    class Stumbles:
        name = "stumbles"

        def play(self, state: State) -> Play:
            yield from ARGUE.play(state)
            raise KeyError("nobody")

    store = InMemoryStore()
    for stumbles in (KeyError, RecordMismatch):  # the protocol's own fault, then what a record makes of it
        ledger = Ledger(store, "d", clock=lambda: 0.0)
        await ledger.open()
        with pytest.raises(stumbles, match=r"nobody|has an event that its protocol cannot follow"):
            await debate(hall_opened(), Stumbles(), both(just("said")), ledger=ledger)


class _FullDisk(InMemoryStore):
    """A store that can write nothing more once its disk is full."""

    is_full = False

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        if self.is_full:
            raise RecordError("the disk is full")
        await super().append(debate, lines, after=after)


def test_an_agent_that_swallows_its_cancellation_ends_also_where_the_store_refuses_its_answer() -> None:
    """A group that is being cancelled cancels nobody twice: whoever waits for the store must be told by it."""
    faults: list[BaseException] = []
    thread = threading.Thread(target=lambda: asyncio.run(_stopped_on_a_full_disk(faults)), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive(), "it waits for a store that writes nothing more"
    assert [str(fault) for fault in faults] == ["the disk is full"]


async def _stopped_on_a_full_disk(faults: list[BaseException]) -> None:
    store, begun = _FullDisk(), asyncio.Event()

    async def stubborn(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            begun.set()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(60)
            store.is_full = True
            return Called(key="", call="", text="late")

        return (await say.call("answer", Quote(model="m", tokens=5), send)).text

    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    try:
        async with asyncio.TaskGroup() as group:
            driving = group.create_task(debate(hall_opened(), ARGUE, both(stubborn), ledger=ledger))
            await begun.wait()
            driving.cancel()
    except* RecordError as errors:
        faults += [fault for fault in errors.exceptions if not isinstance(fault, ExceptionGroup)]
