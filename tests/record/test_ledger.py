"""The ledger: what is noted becomes durable in order, and whoever waits for it is told."""

import asyncio
import gc
import weakref
from collections.abc import Sequence

import pytest

from folkmoot.core.errors import RecordConflict, RecordError, RecordMismatch
from folkmoot.core.event import Closed, Entered, Halted, Interjected
from folkmoot.record import ledger as ledger_module
from folkmoot.record.ledger import Ledger, Publish, read_on
from folkmoot.record.store import digest, read
from folkmoot.testing.store_checks import InMemoryStore


class Gate(InMemoryStore):
    """A store whose appends wait for a gate."""

    def __init__(self) -> None:
        super().__init__()
        self.open, self.reached = asyncio.Event(), asyncio.Event()
        self.sizes: list[int] = []

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        self.reached.set()
        await self.open.wait()
        self.sizes.append(len(lines))
        await super().append(debate, lines, after=after)


async def opened(store: InMemoryStore, publish: Publish | None = None) -> Ledger:
    ledger = Ledger(store, "d", clock=lambda: 7.5, publish=publish)
    await ledger.open()
    return ledger


async def test_lines_are_numbered_dated_chained_and_published_once_durable() -> None:
    published: list[tuple[str, int, int]] = []
    store = InMemoryStore()
    ledger = await opened(store, publish=lambda debate, lines, first: published.append((debate, len(lines), first)))
    assert ledger.head == ""
    async with ledger.writing():
        ledger.note(Entered(path="/a"), Entered(path="/b"))
        assert await store.read("d") == ()
        assert published == []
        await ledger.add(Interjected(by="x", text="y"))
        assert len(await store.read("d")) == 3
        ledger.note(Entered(path="/c"))
    lines = await store.read("d")
    assert [(entry.seq, entry.at) for entry in read(lines)] == [(1, 7.5), (2, 7.5), (3, 7.5), (4, 7.5)]
    assert published == [("d", 3, 1), ("d", 1, 4)]
    assert ledger.head == digest(lines[-1])


async def test_a_ledger_that_nobody_needs_is_gone_without_a_collection() -> None:
    ledger = await opened(InMemoryStore())
    async with ledger.writing():
        ledger.note(Entered(path="/a"))
    await asyncio.sleep(0)
    reference = weakref.ref(ledger)
    gc.disable()
    try:
        del ledger
        assert reference() is None
    finally:
        gc.enable()


async def test_while_one_write_runs_the_next_collects() -> None:
    store = Gate()
    ledger = await opened(store)
    async with ledger.writing(), asyncio.TaskGroup() as group:
        group.create_task(ledger.add(Entered(path="/first")))
        await store.reached.wait()
        for n in range(5):
            group.create_task(ledger.add(Entered(path=f"/{n}")))
        await asyncio.sleep(0)  # all of them are noted
        store.open.set()
    assert store.sizes == [1, 5]


async def test_the_end_of_a_debate_waits_for_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_module, "TURNS", 10**9)
    store = InMemoryStore()
    ledger = await opened(store)
    async with asyncio.timeout(10), ledger.writing():
        ledger.note(Entered(path="/a"), Closed(status="failed", reason="nobody answered"))
        await ledger.flush()
    assert len(await store.read("d")) == 2


async def test_who_gives_up_waiting_holds_nobody_up() -> None:
    store = Gate()
    ledger = await opened(store)
    async with ledger.writing():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await ledger.add(Entered(path="/given up"))
        store.open.set()
        await ledger.add(Entered(path="/waited for"))
    assert len(await store.read("d")) == 2


async def test_nothing_is_waited_for_where_nobody_writes() -> None:
    ledger = await opened(InMemoryStore())
    with pytest.raises(RecordError, match="the record of d is not open for writing"):
        await ledger.add(Entered(path="/a"))


async def test_a_lost_record_stops_whoever_writes() -> None:
    store = InMemoryStore()
    ledger = await opened(store)
    await store.append("d", ["another writer"], after=0)
    with pytest.raises(ExceptionGroup) as caught:
        async with ledger.writing():
            await ledger.add(Entered(path="/a"))
    assert caught.group_contains(RecordConflict)
    with pytest.raises(RecordConflict):
        await ledger.flush()


def stop_writing() -> None:
    """What an event loop that ends does to the task that writes."""
    (keeping,) = [task for task in asyncio.all_tasks() if "_keep" in str(task.get_coro())]
    keeping.cancel()


async def test_where_the_loop_ends_the_last_word_is_still_written() -> None:
    store = InMemoryStore()
    ledger = await opened(store)
    async with ledger.writing():
        await ledger.add(Entered(path="/a"))
        stop_writing()
        await asyncio.sleep(0.01)
        await ledger.add(Entered(path="/b"))
        stop_writing()
        ledger.note(Entered(path="/c"))
    assert len(await store.read("d")) == 3


class Silent(InMemoryStore):
    """Never says what became of the first append.

    Args:
        stores: whether it stores it all the same.
    """

    def __init__(self, *, stores: bool) -> None:
        super().__init__()
        self.stores, self.reached, self.appends = stores, asyncio.Event(), 0

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        self.appends += 1
        if self.stores or self.appends > 1:
            await super().append(debate, lines, after=after)
        if self.appends == 1:
            self.reached.set()
            await asyncio.Event().wait()


@pytest.mark.parametrize("stores", [True, False])
async def test_where_the_loop_ends_within_a_write_the_rest_is_still_written(stores: bool) -> None:
    store = Silent(stores=stores)
    ledger = await opened(store)
    async with ledger.writing():
        ledger.note(Entered(path="/a"))
        await store.reached.wait()
        stop_writing()
        await ledger.add(Entered(path="/b"))
    assert [entry.event for entry in read(await store.read("d"))] == [Entered(path="/a"), Entered(path="/b")]
    assert store.appends == (2 if stores else 3)


async def test_who_waits_for_a_write_that_is_broken_off_is_told_at_once() -> None:
    store = Gate()
    ledger = await opened(store)
    noted, leave = asyncio.Event(), asyncio.Event()

    async def write() -> None:
        async with ledger.writing():
            ledger.note(Entered(path="/waited for"))
            noted.set()
            await leave.wait()

    async def wait() -> None:
        with pytest.raises(RecordError, match="the record of d is not open for writing"):
            await ledger.flush()

    async with asyncio.TaskGroup() as group:
        writing = group.create_task(write())
        await noted.wait()
        group.create_task(wait())
        await store.reached.wait()
        writing.cancel()
    with pytest.raises(RecordError, match="not open for writing"):
        ledger.note(Entered(path="/too late"))


async def test_a_record_is_played_back_before_it_is_written_on() -> None:
    store = InMemoryStore()
    first = await opened(store)
    async with first.writing():
        first.note(Entered(path="/a"), Interjected(by="x", text="y"), Entered(path="/b"))
    ledger = await opened(store)
    assert ledger.replaying
    with pytest.raises(RecordMismatch, match=r"entry 1: the record has entered .*'/a'.*, but the play makes halted"):
        ledger.note(Halted(path="/a", reason="?"))
    ledger = await opened(store)
    ledger.note(Entered(path="/a"))
    with pytest.raises(RecordMismatch, match="entry 2"):
        ledger.note(Interjected(by="x", text="y"))
    ledger = await opened(store)
    ledger.note(Entered(path="/a"))
    ledger.take_world_events()
    ledger.note(Entered(path="/b"))
    assert not ledger.replaying
    assert ledger.transcript.entered == ["/a", "/b"]
    assert ledger.head == first.head


@pytest.mark.parametrize("fault", ["store", "publish"])
async def test_whatever_ends_the_writing_keeps_nobody_waiting(fault: str) -> None:
    """Whoever waits is told, also outside of the group that ends with the writing."""

    class Failing(InMemoryStore):
        async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
            if fault == "store":
                raise ZeroDivisionError
            await super().append(debate, lines, after=after)

    def publish(debate: str, lines: Sequence[str], first: int) -> None:
        raise ZeroDivisionError

    ledger = await opened(Failing(), publish)
    begun = asyncio.Event()

    async def keep() -> None:
        async with ledger.writing():
            begun.set()
            await asyncio.sleep(1)

    async def write() -> None:
        with pytest.raises(ExceptionGroup) as caught:
            await keep()
        assert caught.group_contains(ZeroDivisionError)

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        group.create_task(write())
        await begun.wait()
        with pytest.raises(RecordError, match="was interrupted"):
            await ledger.add(Entered(path="/a"))


async def test_lines_that_were_read_before_are_read_once() -> None:
    store = InMemoryStore()
    ledger = await opened(store)
    async with ledger.writing():
        await ledger.add(Entered(path="/a"), Entered(path="/b"))
    before = await store.read("d")
    entries = read(before)
    async with ledger.writing():
        await ledger.add(Entered(path="/c"))
    resumed = Ledger(store, "d", clock=lambda: 7.5, known=(before, entries))
    opened_entries = await resumed.open()
    assert [entry.event for entry in opened_entries] == [Entered(path=f"/{name}") for name in "abc"]
    assert opened_entries[0] is entries[0]
    assert resumed.head == digest((await store.read("d"))[-1])


async def test_lines_that_have_changed_since_are_read_again() -> None:
    lines = await _lines_of("/a", "/b")
    other = await _lines_of("/x", "/b")
    assert read_on(other, (lines, read(lines))) == read(other)
    with pytest.raises(RecordError, match="has been changed"):
        read_on((*lines, other[1].replace('"seq":2', '"seq":3')), (lines, read(lines)))
    assert read_on(lines[:1], (lines, read(lines))) == read(lines)[:1]


async def _lines_of(*paths: str) -> tuple[str, ...]:
    store = InMemoryStore()
    ledger = await opened(store)
    async with ledger.writing():
        await ledger.add(*(Entered(path=path) for path in paths))
    return await store.read("d")
