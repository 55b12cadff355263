"""Letters: numbers without gaps whoever writes, a chain that shows damage, and each taken into a debate once."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import Closed, Event, Interjected, Paused, Replied, Resumed
from folkmoot.engine.driver import DriverOptions, StopRequest
from folkmoot.record.listing import names
from folkmoot.record.mailbox import EVERY, TRIES, Mailbox
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import Store
from folkmoot.testing.replay import Harness, HeldDebate, SeededAgent
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.acting import ARGUE, TWO, Acts, just, runner
from tests.kits.players import resume_everywhere

HM = Interjected(by="Zed", text="Hm.")
YES = Replied(key="k", reply=Reply(text="yes"))


def interjection(n: int) -> Interjected:
    return Interjected(by="Zed", text=f"words {n}")


def letters(store: Store, *, at: float = 7.0) -> Mailbox:
    return Mailbox(store, "d", clock=lambda: at)


@pytest.fixture(params=["memory", "sqlite"])
async def stores(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Awaitable[Store]]:
    stored_lines: dict[str, list[str]] = {}

    async def make() -> Store:
        return InMemoryStore(stored_lines) if request.param == "memory" else SqliteStore.open(tmp_path / "r.sqlite")

    return make


async def test_letters_of_two_processes_at_once_all_get_a_number(stores: Callable[[], Awaitable[Store]]) -> None:
    one, other = await stores(), await stores()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(letters((one, other)[n % 2]).post(interjection(n))) for n in range(12)]
    assert sorted(task.result() for task in tasks) == list(range(1, 13))
    entries = await letters(other).read()
    assert [entry.seq for entry in entries] == list(range(1, 13))
    numbered = {task.result(): interjection(n) for n, task in enumerate(tasks)}
    assert [entry.event for entry in entries] == [numbered[n] for n in range(1, 13)]
    assert await letters(one).read(after=10) == entries[10:]
    assert await names(one) == ()
    await one.append("d", ["x"], after=0)
    assert await names(one) == ("d",)
    await one.close()
    await other.close()


async def test_what_was_read_is_not_read_again() -> None:
    reads: list[int] = []

    class Counting(InMemoryStore):
        async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
            reads.append(after)
            lines = await super().read(debate, after=after, limit=limit)
            await asyncio.sleep(0)  # somebody else may read meanwhile
            return lines

    store = Counting()
    box = letters(store)
    await letters(store).post(HM)
    await letters(store).post(YES)
    reads.clear()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(box.read(after=n)) for n in (0, 1)]
    assert [[entry.seq for entry in task.result()] for task in tasks] == [[1, 2], [2]]
    await box.read()
    assert reads == [0, 0, 2]


async def test_the_first_answer_counts() -> None:
    store = InMemoryStore()
    assert await letters(store).reply("k") is None
    await letters(store).post(HM)
    await letters(store, at=20.0).post(YES)
    await letters(store, at=30.0).post(Replied(key="k", reply=Reply(text="no")))
    assert await letters(store).reply("k") == Reply(text="yes")
    assert await letters(store).reply("other") is None


async def test_a_damaged_letter_is_found() -> None:
    store = InMemoryStore()
    await letters(store).post(HM)
    await letters(store).post(HM)
    whole = letters(store)
    await whole.read()
    store.kept["d/letters"][0] = store.kept["d/letters"][0].replace("Hm.", "Ha.")
    with pytest.raises(RecordError, match="entry 1 has been changed"):
        await letters(store).read()
    store.kept["d/letters"].append(store.kept["d/letters"][1])
    with pytest.raises(RecordError, match="entry 3 is missing"):
        await whole.read()


async def test_a_store_that_always_conflicts_ends_the_trying() -> None:
    tries: list[int] = []

    class Busy(InMemoryStore):
        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            tries.append(after)
            raise RecordConflict("somebody else has written")

    with pytest.raises(RecordConflict, match="100 other messages were queued before this one"):
        await letters(Busy()).post(HM)
    assert len(tries) == TRIES


# ---- into the debate -----------------------------------------------------------------------------------------------


def events(debate: HeldDebate, *kinds: type[Event]) -> list[Event]:
    return [entry.event for entry in debate.entries if isinstance(entry.event, kinds)]


async def test_what_is_said_is_heard_from_the_next_question_on() -> None:
    store = InMemoryStore()
    prompts: list[tuple[str, list[str]]] = []

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        prompts.append((ask.key, [turn.text for turn in context.turns if turn.by == "Zed"]))
        if ask.key == "/debate/round-1#1":
            await letters(store).post(YES)
            await letters(store).post(Interjected(by="Zed", text="Hm\x1b[31m."))
            await asyncio.sleep(EVERY * 1.2)
        return "said"

    seats = {"Ann": Acts(act), "Bob": Acts(act)}
    debate = await runner(hosting=lambda: DriverOptions(mailbox=letters(store))).run(seats)
    assert events(debate, Interjected) == [Interjected(by="Zed", text="Hm[31m.", letter=2)]
    assert prompts[-2:] == [("/debate/round-2#1", ["Hm[31m."]), ("/debate/round-2#2", ["Hm[31m."])]
    assert all(not words for _, words in prompts[:2])
    assert debate.transcript.closed


async def test_looks_are_rare() -> None:
    looks: list[int] = []

    class Counting(Mailbox):
        async def read(self, after: int = 0) -> tuple[()]:
            looks.append(after)
            return ()

    box = Counting(InMemoryStore(), "d", clock=lambda: 0.0)
    debate = await runner(hosting=lambda: DriverOptions(mailbox=box)).run(
        {name: Acts(just("said")) for name in ("Ann", "Bob")}
    )
    assert len(debate.entries) > 10
    assert looks == [0, 0]  # the first, and one at the end


async def test_what_is_said_last_is_on_record_though_nobody_hears_it() -> None:
    store = InMemoryStore()

    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        if ask.key == "/debate/round-2#2":
            await letters(store).post(Interjected(by="Zed", text="Too late?"))
        return "said"

    table = runner(hosting=lambda: DriverOptions(mailbox=letters(store)))
    debate = await table.run({"Ann": Acts(act), "Bob": Acts(act)})
    assert [type(entry.event) for entry in debate.entries][-2:] == [Interjected, Closed]
    assert events(debate, Interjected) == [Interjected(by="Zed", text="Too late?", letter=1)]


async def test_on_a_paused_debate_letters_wait_for_the_resume() -> None:
    store = InMemoryStore()
    stop = StopRequest()

    def act(ask: Ask, context: Context, say: Recorder) -> str:
        stop.reason = "enough"
        return "said"

    seats = {"Ann": Acts(act), "Bob": Acts(just("fine"))}
    place = runner(hosting=lambda: DriverOptions(mailbox=letters(store), stop=stop))
    debate = await place.run(seats)
    assert debate.transcript.paused
    await letters(store).post(HM)
    again = await place.run(seats, debate.lines)
    first_message = Interjected(by="Zed", text="Hm.", letter=1)
    assert events(again, Paused, Resumed, Interjected) == [
        Paused(reason="enough", kind="stopped"),
        Resumed(),
        first_message,
        Paused(reason="enough", kind="stopped"),
    ]
    await letters(store).post(interjection(2))
    stop.reason = ""
    seats["Ann"] = Acts(just("said"))
    last = await place.run(seats, again.lines)
    assert events(last, Interjected) == [first_message, Interjected(by="Zed", text="words 2", letter=2)]
    assert last.transcript.closed


async def test_a_debate_with_letters_can_be_cut_anywhere_and_takes_none_twice() -> None:
    store = InMemoryStore()
    for event in (HM, YES, interjection(2)):
        await letters(store).post(event)
    brief = Brief(topic="Tea?", participants=TWO, limits=Limits())
    place = Harness(brief=brief, protocol=ARGUE, hosting=lambda: DriverOptions(mailbox=letters(store)))
    whole = await place.run({participant.name: SeededAgent() for participant in TWO})
    assert [event.letter for event in events(whole, Interjected) if isinstance(event, Interjected)] == [1, 3]
    await resume_everywhere(place, whole)
