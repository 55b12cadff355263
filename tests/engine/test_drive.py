"""The driver under faults: failure is data, money is reserved, a stop can be resumed."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from folkmoot.core.agent import Agent, Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.errors import (
    LimitReached,
    ModelError,
    RecordConflict,
    RecordError,
    RecordMismatch,
    Refused,
    Unavailable,
    Waiting,
)
from folkmoot.core.event import (
    Asked,
    Called,
    Closed,
    Delta,
    Entry,
    Interjected,
    Opened,
    Paused,
    Replied,
    Signal,
)
from folkmoot.core.transcript import fold
from folkmoot.core.unread import Unread
from folkmoot.engine.driver import DriverOptions, StopRequest, debate, replay
from folkmoot.phases import base
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone, Floor
from folkmoot.protocols.known import build
from folkmoot.protocols.spec import dump
from folkmoot.record.ledger import Ledger
from folkmoot.record.store import digest, encode, read
from folkmoot.testing.replay import SeededAgent
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.acting import ARGUE, TWO, Act, Acts, both, failed, just, paying, runner, slowly
from tests.kits.clock import jumping

FAULTS: list[tuple[Act, str, str]] = [
    (just(Unavailable("no connection", kind="connection")), "connection", "no connection"),
    (just(Unavailable("no connection")), "unavailable", "no connection"),
    (just(Refused("will not say", kind="refused")), "refused", "will not say"),
    (
        just(ZeroDivisionError("half a \ud800 character\x00")),
        "broken",
        "ZeroDivisionError: half a \ufffd character",
    ),
    (slowly, "timeout", "no answer within 0.05 seconds"),
    (just(TimeoutError("a timeout of its own")), "broken", "TimeoutError: a timeout of its own"),
]


@pytest.mark.parametrize(("act", "kind", "reason"), FAULTS)
async def test_one_failing_seat_is_data_and_the_debate_goes_on(act: Act, kind: str, reason: str) -> None:
    ran = await runner(limits=Limits(turn_seconds=0.05)).run(both(act))
    assert [(f.key, f.kind, f.reason) for f in failed(ran)] == [(f"/debate/round-{n}#1", kind, reason) for n in (1, 2)]
    assert [turn.by for turn in ran.transcript.turns()] == ["Bob", "Bob"]
    assert len(ran.transcript.failures()) == 2
    assert ran.transcript.closed == Closed(status="no_decision", reason="the protocol came to no decision")


WRONG: list[dict[str, Any]] = [
    {"usage": Usage(output_tokens=2.5, cost=float("nan"))},  # pyright: ignore[reportArgumentType]
    {"usage": Usage(input_tokens=-1, cached_tokens=10**12, output_tokens=None)},  # pyright: ignore[reportArgumentType]
    {"seconds": float("inf"), "finish": None, "model": None, "served": 5},
    {"seconds": None, "sources": ("a", None, "half a \ud800"), "served": "x" * 500_000},
]


@pytest.mark.parametrize("wrong", WRONG, ids=["fractions", "out of range", "no texts", "no numbers"])
async def test_whatever_a_call_brings_along_its_answer_can_be_read_back(wrong: dict[str, Any]) -> None:
    async def answer(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            return Called(key="", call="", text="Tea.", **wrong)

        return (await say.call("answer", Quote(model="m"), send)).text

    ran = await runner().run(both(answer))
    assert not ran.transcript.failures()
    calls = [entry.event for entry in ran.entries if isinstance(entry.event, Called)]
    assert len(calls) == 2
    assert all(len(call.served) < 300 and call.sources in ((), ("a", "half a \ufffd")) for call in calls)
    assert ran.transcript.usage.estimated == ("usage" in wrong)


@pytest.mark.parametrize("text", [None, 5, b"x"], ids=str)
@pytest.mark.parametrize("where", ["call", "reply", "quote", "kind"])
async def test_what_cannot_be_stored_fails_its_turn_and_not_the_debate(where: str, text: Any) -> None:
    async def answer(ask: Ask, context: Context, say: Recorder) -> Any:
        async def send() -> Called:
            if where == "kind":
                raise ModelError("no answer", kind=text)
            return Called(key="", call="", text=text if where == "call" else "Tea.", tools=(text,))

        if where == "reply":
            return Reply(text="Tea.", fields={}, unread=(Unread("ANSWER", text),))
        return (await say.call("answer", Quote(model="m", tokens=text if where == "quote" else 5), send)).text

    ran = await runner().run(both(answer))
    assert [(failure.key, failure.kind) for failure in failed(ran)] == [
        (f"/debate/round-{n}#1", "modelerror" if where == "kind" else "broken") for n in (1, 2)
    ]
    assert ran.transcript.closed
    assert fold(ran.entries).all() == ran.transcript.all()


@jumping
async def test_a_seat_that_swallows_its_cancellation_is_still_out_of_time() -> None:
    async def stubborn(ask: Ask, context: Context, say: Recorder) -> str:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            return "too late"
        return "never"

    ran = await runner(limits=Limits(turn_seconds=0.02)).run(both(stubborn))
    assert [f.kind for f in failed(ran)] == ["timeout", "timeout"]


@jumping
async def test_whatever_a_seat_raises_after_its_time_it_was_out_of_time() -> None:
    async def stubborn(ask: Ask, context: Context, say: Recorder) -> str:
        try:
            await asyncio.sleep(9)
        except asyncio.CancelledError:
            raise RuntimeError("Cannot change state of expiring Timeout") from None
        return "never"

    ran = await runner(limits=Limits(turn_seconds=0.02)).run(both(stubborn))
    assert [(f.kind, f.reason) for f in failed(ran)] == [("timeout", "no answer within 0.02 seconds")] * 2


async def test_all_out_of_reach_pauses_and_a_resume_asks_again() -> None:
    def down(ask: Ask, context: Context, say: Recorder) -> Exception:
        return Unavailable("no connection", kind="connection")

    place = runner(build("panel", Brief(topic="Tea?", participants=TWO)))
    ran = await place.run({"Ann": Acts(down), "Bob": Acts(down)})
    assert ran.transcript.paused == Paused(
        reason="none of 2 participants could be reached: no connection", kind="unavailable", cause="connection"
    )
    assert failed(ran) == []
    resumed = await place.run({"Ann": SeededAgent(), "Bob": SeededAgent()}, ran.lines)
    assert resumed.transcript.closed
    assert resumed.transcript.paused is None


async def test_what_refuses_everybody_at_the_first_question_pauses_and_a_resume_asks_again() -> None:
    refused, away = Acts(just(Refused("no such field", kind="request"))), Acts(just(Unavailable("away", kind="server")))
    place = runner(build("panel", Brief(topic="Tea?", participants=TWO)))
    ran = await place.run({"Ann": away, "Bob": refused})
    assert ran.transcript.paused == Paused(
        reason="none of 2 participants could be asked: no such field", kind="unavailable"
    )
    assert failed(ran) == []
    resumed = await place.run({"Ann": SeededAgent(), "Bob": SeededAgent()}, ran.lines)
    assert resumed.transcript.closed
    assert resumed.transcript.closed.status != "failed"


async def test_what_refuses_everybody_later_is_a_matter_of_that_question() -> None:
    def later(ask: Ask, context: Context, say: Recorder) -> object:
        return "Tea." if ask.act == "open" else Refused("will not say", kind="refused")

    tree = base.Sequence(parts=(Everyone(act="open", task="Begin."), Everyone(act="argue", task="Go on.")))
    ran = await runner(tree).run({"Ann": Acts(later), "Bob": Acts(later)})
    assert ran.transcript.paused is None
    assert [failure.kind for failure in failed(ran)] == ["refused"] * 2


async def test_all_failing_in_other_ways_closes_as_failed() -> None:
    broken = Acts(just(ValueError("broken")))
    ran = await runner(build("panel", Brief(topic="Tea?", participants=TWO))).run({"Ann": broken, "Bob": broken})
    assert ran.transcript.closed == Closed(status="failed", reason="0 of 2 answered, 1 is needed to go on")
    assert ran.transcript.decision is None


async def test_a_floor_where_nobody_speaks_ends_the_debate() -> None:
    broken = Acts(just(ValueError("broken")))
    ran = await runner(Rounds(each=Floor(act="argue", task="Speak."))).run({"Ann": broken, "Bob": broken})
    assert ran.transcript.closed == Closed(status="failed", reason="none of 2 answered")
    assert len(ran.transcript.all()) == 2


# ---- stopping ------------------------------------------------------------------------------------------------------


async def test_a_stop_pauses_after_the_batch_in_hand() -> None:
    stop = StopRequest()

    def act(ask: Ask, context: Context, say: Recorder) -> str:
        stop.reason = "stopped by its owner"
        return "said"

    place = runner(hosting=lambda: DriverOptions(stop=stop))
    ran = await place.run(both(act))
    assert ran.transcript.paused == Paused(reason="stopped by its owner", kind="stopped")
    assert len(ran.transcript.turns()) == 2
    again = await place.run(both(act), ran.lines[:-3])
    assert again.transcript.paused, "a stop that came before the resume holds the debate at once"


async def test_a_cancelled_debate_keeps_its_record_and_can_be_resumed() -> None:
    store = InMemoryStore()
    brief = Brief(topic="Tea?", participants=TWO)
    opened = Opened(brief=brief, protocol=dump(ARGUE), name="test")
    seats = both(slowly)

    async def run(**values: Mapping[str, Agent]) -> Ledger:
        ledger = Ledger(store, "d", clock=lambda: 0.0)
        await ledger.open()
        await debate(opened, ARGUE, values["seats"], ledger=ledger)
        return ledger

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await run(seats=seats)
    ledger = await run(seats=both(just("at last")))
    assert [turn.text for turn in ledger.transcript.turns(by="Ann")] == ["at last", "at last"]
    kinds = [line.split('"kind":"')[1].split('"')[0] for line in await store.read("d")]
    assert kinds.count("paused") == 1
    assert kinds.count("resumed") == 1


@pytest.mark.parametrize("records", [True, False])
async def test_a_question_is_durable_before_it_is_sent(records: bool) -> None:
    appended: list[list[str]] = []

    class Seen(InMemoryStore):
        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            appended.append([line.split('"kind":"')[1].split('"')[0] for line in lines])
            await super().append(debate, lines, after=after)

    store = Seen()
    asked_before: list[bool] = []

    async def act(ask: Ask, context: Context, recorder: Recorder) -> str:
        async def send() -> Called:
            lines = "".join(await store.read("d"))
            asked_before.append(ask.key in lines and '"kind":"attempted"' in lines)
            return Called(key="", call="", text="Tea.")

        if not records:
            assert ask.key in "".join(await store.read("d")), "it may act by itself"
        return (await recorder.call("answer", Quote(model="m"), send)).text

    class Recording(Acts):
        def __init__(self, act: Act) -> None:
            super().__init__(act)
            self.records = records

    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE))
    await debate(opened, ARGUE, {who.name: Recording(act) for who in TWO}, ledger=ledger)
    assert asked_before == [True] * 4
    together = [kinds for kinds in appended if "asked" in kinds and "attempted" in kinds]
    assert len(together) == (2 if records else 0), "a question and its first try cost one write"


@pytest.mark.parametrize("mark", ["asked", "closed"])
@jumping
async def test_a_debate_cancelled_in_mid_write_keeps_what_is_durable(mark: str) -> None:
    class Stuck(InMemoryStore):
        stuck = False

        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            if self.stuck:
                raise RecordError("the disk is gone")
            if f'"kind":"{mark}"' in "".join(lines):
                self.stuck = True
                await asyncio.sleep(9)
            await super().append(debate, lines, after=after)

    store = Stuck()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await debate(opened, ARGUE, both(just("said")), ledger=ledger)
    assert store.stuck
    stored = await store.read("d")
    assert [line.split('"seq":')[1].split(",")[0] for line in stored] == [str(n + 1) for n in range(len(stored))]
    assert '"kind":"paused"' not in "".join(stored)


@jumping
async def test_a_debate_that_is_cancelled_ends_though_the_store_refuses_what_follows() -> None:
    """A group that is being cancelled does not cancel its tasks again; who waits for the store has to be told."""

    class Full(InMemoryStore):
        full = False

        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            if self.full:
                raise RecordError("the disk is full")
            await super().append(debate, lines, after=after)

    async def stubborn(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            try:
                await asyncio.sleep(9)
            except asyncio.CancelledError:
                store.full = True
            return Called(key="", call="answer", text="late")

        return (await say.call("answer", Quote(model="x"), send)).text

    store = Full()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE), name="test")

    async def hold() -> None:
        async with asyncio.timeout(1), asyncio.timeout(0.02):
            await debate(opened, ARGUE, both(stubborn), ledger=ledger)

    with pytest.raises(RecordError, match="the disk is full"):
        await hold()


@jumping
async def test_the_whole_time_is_limited() -> None:
    ran = await runner(limits=Limits(total_seconds=0.05)).run(both(slowly))
    reason = "the limit of 0.05 seconds is reached"
    assert ran.transcript.paused == Paused(reason=reason, kind="limit", limit="total_seconds", most=0.05)
    assert failed(ran) == []


@pytest.mark.parametrize("limits", [Limits(turn_seconds=0.05), Limits(total_seconds=0.15)])
@jumping
async def test_what_is_prepared_counts_for_no_limit_and_is_done_once(limits: Limits) -> None:
    prepared: list[bool] = []

    async def prepare() -> None:
        prepared.append(True)
        await asyncio.sleep(0.2)

    place = runner(limits=limits, hosting=lambda: DriverOptions(prepare=prepare))
    ran = await place.run(both(just("said")))
    assert len(ran.transcript.turns()) == 4
    assert ran.transcript.closed
    assert prepared == [True]
    await place.run(both(just("said")), ran.lines)
    assert prepared == [True], "nobody is asked any more"


async def test_no_batch_begins_when_time_is_over() -> None:
    ran = await runner(limits=Limits(total_seconds=0.03)).run(
        both(lambda ask, context, say: Reply(text=str(_burn(0.05))))
    )
    assert ran.transcript.paused
    assert len(ran.transcript.all()) == 2


def _burn(seconds: float) -> int:
    loop = asyncio.get_running_loop()
    ends, n = loop.time() + seconds, 0
    while loop.time() < ends:
        n += 1
    return n


async def test_waiting_for_a_person_pauses() -> None:
    ran = await runner().run(both(just(Waiting("Ann has to answer"))))
    assert ran.transcript.paused == Paused(reason="Ann has to answer", kind="waiting")


async def test_a_limit_met_by_a_seat_itself_pauses() -> None:
    ran = await runner().run(both(just(LimitReached("enough"))))
    assert ran.transcript.paused == Paused(reason="enough", kind="limit")


# ---- one writer, live signals ---------------------------------------------------------------------------------------


async def test_two_drivers_of_one_debate_cannot_both_write() -> None:
    store = InMemoryStore()
    brief = Brief(topic="Tea?", participants=TWO)
    opened = Opened(brief=brief, protocol=dump(ARGUE))

    async def run() -> str:
        ledger = Ledger(store, "d", clock=lambda: 0.0)
        await ledger.open()
        await asyncio.sleep(0)
        try:
            await debate(opened, ARGUE, both(just("said")), ledger=ledger)
        except RecordConflict:
            return "stopped"
        return "done"

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run()) for _ in range(2)]
    assert sorted(task.result() for task in tasks) == ["done", "stopped"]


async def test_a_conflict_inside_a_call_ends_the_debate_for_this_driver() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        await store.append("d", ["another writer"], after=len(await store.read("d")))
        return await paying(0.0)(ask, context, say)

    opened = Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE))
    with pytest.raises(RecordConflict):
        await debate(opened, ARGUE, both(act), ledger=ledger)


async def test_a_conflict_inside_an_answer_ends_the_debate_for_this_driver() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    brief = Brief(topic="Tea?", participants=TWO)

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        stored = await store.read("d")
        await store.append("d", ["another writer"], after=len(stored))
        return "said"

    with pytest.raises(RecordConflict):
        await debate(Opened(brief=brief, protocol=dump(ARGUE)), ARGUE, both(act), ledger=ledger)


@pytest.mark.parametrize("watched", [True, False])
async def test_pieces_are_handed_on_whoever_looks_and_not_stored(watched: bool) -> None:
    shown: list[Signal] = []

    def act(ask: Ask, context: Context, say: Recorder) -> str:
        say.delta("a \x1b[31mpiece")
        return "whole"

    options = DriverOptions(show=shown.append, watched=lambda: watched)
    ran = await runner(Everyone(act="argue", task="?"), hosting=lambda: options).run(both(act))
    assert shown == [Delta(key="/debate#1", text="a [31mpiece")]
    assert "piece" not in "".join(ran.lines)


async def test_nothing_can_happen_while_the_play_is_behind_the_record() -> None:
    ran = await runner().run(both(just("said")))
    store = InMemoryStore()
    await store.append("d", ran.lines, after=0)
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    with pytest.raises(RecordMismatch, match="entry 1"):
        await ledger.add(Interjected(by="me", text="hello"))


async def test_an_interjection_is_seen_from_the_next_question_on() -> None:
    store = InMemoryStore()
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    texts_shown: list[list[str]] = []

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        texts_shown.append([turn.text for turn in context.turns])
        if "round-1" in ask.key:
            await ledger.add(Interjected(by="Guest", text="what of milk?"))
        return "said"

    brief = Brief(topic="Tea?", participants=TWO)
    opened = Opened(brief=brief, protocol=dump(ARGUE))
    first = await debate(opened, ARGUE, both(act), ledger=ledger)
    assert texts_shown == [[], ["said", "fine /debate/round-1#2", "what of milk?"]]
    assert first.turns("interject")[0].round == 0
    again = Ledger(store, "d", clock=lambda: 0.0)
    await again.open()
    second = replay(opened, ARGUE, ledger=again)
    assert second.all() == first.all()


async def test_a_record_that_goes_on_behind_its_end_is_a_mismatch() -> None:
    ran = await runner().run(both(just("said")))
    store = InMemoryStore()
    await store.append("d", ran.lines, after=0)
    entries = read(ran.lines)
    more = Entry(seq=len(entries) + 1, at=0.0, event=Closed(status="tie"), prev=digest(ran.lines[-1]))
    await store.append("d", [encode(more)], after=len(entries))
    again = Ledger(store, "d", clock=lambda: 1.0)
    await again.open()
    with pytest.raises(RecordMismatch, match="has closed"):
        replay(hall_opened(), ARGUE, ledger=again)


def hall_opened() -> Opened:
    return Opened(brief=Brief(topic="Tea?", participants=TWO), protocol=dump(ARGUE), name="test")


async def test_a_part_of_a_record_can_be_checked_too() -> None:
    ran = await runner(base.Sequence(parts=(ARGUE,))).run(both(just("said")))
    assert sum(isinstance(entry.event, Replied) for entry in ran.entries) == 4
    store = InMemoryStore()
    await store.append("d", ran.lines[:4], after=0)
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    opened = Opened(brief=runner().brief, protocol=dump(base.Sequence(parts=(ARGUE,))), name="test")
    replay(opened, base.Sequence(parts=(ARGUE,)), ledger=ledger)
    assert ledger.head


async def test_a_record_that_ends_between_two_questions_of_a_batch_can_be_checked_too() -> None:
    ran = await runner().run(both(just("said")))
    cut = next(n for n, entry in enumerate(ran.entries, 1) if isinstance(entry.event, Asked))
    store = InMemoryStore()
    await store.append("d", ran.lines[:cut], after=0)
    ledger = Ledger(store, "d", clock=lambda: 0.0)
    await ledger.open()
    assert len(replay(hall_opened(), ARGUE, ledger=ledger).all()) == 1
    assert ledger.head == digest(ran.lines[cut - 1])
