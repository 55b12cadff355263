"""Following a debate: every stored line once and in order, whatever comes in between; signals where there is room."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.errors import RecordAway
from folkmoot.core.event import Delta, Signal
from folkmoot.record import hub as hub_module
from folkmoot.record.hub import PAGE, Hub, StoredLine
from folkmoot.testing.store_checks import InMemoryStore

Seen = list[StoredLine | Signal]


class SlowStore(InMemoryStore):
    """Lets other tasks run before and after every reading."""

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        await asyncio.sleep(0)
        lines = await super().read(debate, after=after, limit=limit)
        await asyncio.sleep(0)
        return lines


class CountingStore(SlowStore):
    """Counts how often it is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads, self.fifth = 0, asyncio.Event()

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        self.reads += 1
        if self.reads == 5:
            self.fifth.set()
        return await super().read(debate, after=after, limit=limit)


async def write(store: InMemoryStore, count: int) -> list[StoredLine]:
    """Append so many lines to debate "a", as another process would."""
    after = len(store.kept.get("a", []))
    lines = [StoredLine(seq, f"line {seq}") for seq in range(after + 1, after + count + 1)]
    await store.append("a", [line.text for line in lines], after=after)
    return lines


async def tell(store: InMemoryStore, hub: Hub, count: int = 1) -> None:
    """Append so many lines and publish them, as the ledger does."""
    hub.publish("a", await write(store, count))


def numbered(*seqs: int) -> Seen:
    return [StoredLine(seq, f"line {seq}") for seq in seqs]


async def collect(stream: AsyncGenerator[StoredLine | Signal, None]) -> Seen:
    return [item async for item in stream]


async def first(stream: AsyncGenerator[StoredLine | Signal, None], count: int) -> Seen:
    async with aclosing(stream) as items:
        return [await anext(items) for _ in range(count)]


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(20):
        await asyncio.sleep(0)


# ---- what is stored, then what is live -----------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, 2 * PAGE + 7])
async def test_stored_lines_alone(count: int) -> None:
    store = SlowStore()
    await write(store, count)
    hub = Hub(store)
    assert await collect(hub.follow("a", live=False)) == numbered(*range(1, count + 1))
    assert await collect(hub.follow("a", after=3, live=False)) == numbered(*range(4, count + 1))
    assert hub.viewers("a") == 0


async def test_stored_then_live_then_finished() -> None:
    store = SlowStore()
    hub = Hub(store, poll=60, gather=0)
    await write(store, 2)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(collect(hub.follow("a")))
        await asyncio.sleep(0)
        await tell(store, hub)  # while the viewer reads
        await settle()
        await tell(store, hub, 2)
        await settle()
        assert hub.viewers("a") == 1
        hub.finish("a")
    assert viewer.result() == numbered(1, 2, 3, 4, 5)
    assert hub.viewers("a") == 0


async def test_who_comes_after_the_end_gets_what_is_stored() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub, 3)
    hub.finish("a")
    assert await collect(hub.follow("a", after=1)) == numbered(2, 3)


async def test_a_debate_that_is_taken_up_again_is_live_again() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub)
    hub.finish("a")
    assert await collect(hub.follow("a")) == numbered(1)
    hub.publish("a", [])  # no line, no life
    assert await collect(hub.follow("a")) == numbered(1)
    await tell(store, hub)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(collect(hub.follow("a")))
        await settle()
        await tell(store, hub)
        await settle()
        assert not viewer.done()
        hub.finish("a")
    assert viewer.result() == numbered(1, 2, 3)


async def test_the_end_gives_what_was_stored_but_never_published() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(collect(hub.follow("a")))
        await settle()
        await write(store, 2)
        hub.finish("a")
    assert viewer.result() == numbered(1, 2, 3)


async def test_a_line_that_another_process_put_in_between() -> None:
    store = SlowStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub)
    async with aclosing(hub.follow("a")) as stream:
        assert await anext(stream) == StoredLine(1, "line 1")
        await write(store, 2)
        await tell(store, hub)
        assert [await anext(stream) for _ in range(3)] == numbered(2, 3, 4)


async def test_debates_do_not_mix() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await store.append("b", ("other",), after=0)
    hub.publish("b", [StoredLine(1, "other")])
    hub.signal("b", Delta(key="k", text="other"))
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(collect(hub.follow("a")))
        await settle()
        hub.publish("b", [StoredLine(2, "more")])
        hub.signal("b", Delta(key="k", text="other"))
        hub.finish("b")
        await tell(store, hub)
        await settle()
        hub.finish("a")
    assert viewer.result() == numbered(1)


# ---- debates that another process drives ---------------------------------------------------------------------------


async def test_a_foreign_debate_is_followed_until_its_last_line() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=0.001, gather=0)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(first(hub.follow("a"), 5))
        for count in (2, 1, 3):
            await asyncio.sleep(0.005)
            await write(store, count)
    assert viewer.result() == numbered(1, 2, 3, 4, 5)


async def test_followers_of_a_foreign_debate_share_each_look() -> None:
    store = CountingStore()
    hub = Hub(store, poll=0.02, gather=0)
    await write(store, 120)
    async with asyncio.TaskGroup() as group:
        viewers = [group.create_task(first(hub.follow("a"), 121)) for _ in range(50)]
        await store.fifth.wait()
        await write(store, 1)
    assert all(viewer.result() == numbered(*range(1, 122)) for viewer in viewers)
    assert store.reads < 50, "pages and looks are read once for all"


async def test_a_debate_of_this_process_is_not_polled() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=0.001, gather=0)
    await tell(store, hub)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(first(hub.follow("a"), 2))
        await settle()
        await write(store, 1)
        await asyncio.sleep(0.02)
        assert not viewer.done()
        hub.publish("a", [StoredLine(2, "line 2")])
    assert viewer.result() == numbered(1, 2)


# ---- slow viewers and signals --------------------------------------------------------------------------------------


async def test_a_slow_viewer_loses_no_line() -> None:
    store = SlowStore()
    hub = Hub(store, most=3, poll=60, gather=0)
    await tell(store, hub)
    async with aclosing(hub.follow("a")) as stream:
        assert await anext(stream) == StoredLine(1, "line 1")
        for _ in range(50):
            await tell(store, hub, 2)
        assert [await anext(stream) for _ in range(100)] == numbered(*range(2, 102))
        await tell(store, hub)
        assert await anext(stream) == StoredLine(102, "line 102")


async def test_signals_come_between_lines() -> None:
    store = InMemoryStore()
    hub = Hub(store, most=3, poll=60, gather=0)
    await tell(store, hub)
    one, two, three = (Delta(key="k", text=text) for text in "123")
    async with aclosing(hub.follow("a")) as stream:
        assert await anext(stream) == StoredLine(1, "line 1")
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(take(stream))
            await settle()
            hub.signal("a", one)
        assert asking.result() == one
        await tell(store, hub, 2)
        hub.signal("a", two)
        assert [await anext(stream) for _ in range(3)] == [*numbered(2, 3), two]
        for signal in (one, two, three, one):  # one more than there is room for
            hub.signal("a", signal)
        assert [await anext(stream) for _ in range(3)] == [two, three, one]
        await tell(store, hub)
        assert await anext(stream) == StoredLine(4, "line 4")
        hub.signal("a", one)
        await tell(store, hub)
        await tell(store, hub, 2)
        store.kept.clear()  # the ring alone must do
        assert [await anext(stream) for _ in range(3)] == numbered(5, 6, 7)


async def test_a_ring_is_limited_by_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "MOST_BYTES", 5_000)
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    with hub.following("a") as follower:
        assert await follower.read_on()
        for _ in range(60):
            await tell(store, hub)
        assert len(follower.ring.items(follower.ring.first)) < 30
        item = follower.ring.items(follower.ring.first)[-1]
        follower.ring.put_view(item, "viewers", "a large view", 6_000)
        assert follower.ring.items(follower.ring.first) == [item], "the newest stays in any case"
        assert await first(hub.follow("a"), 60) == numbered(*range(1, 61))


async def test_wakes_soon_after_another_are_gathered() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=60)
    await tell(store, hub)
    woken = 0
    with hub.following("a") as follower:
        await follower.read_on()
        await tell(store, hub)
        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                waiting = group.create_task(follower.ring.wait_for_items())
                await settle()
                await tell(store, hub)
                await settle()
                woken += waiting.done()
                waiting.cancel()
            waiting = group.create_task(follower.ring.wait_for_items())
            await settle()
            hub.finish("a")
            await waiting  # the end is told at once
    assert woken == 0


async def test_a_store_that_was_away_is_read_again() -> None:
    class Away(InMemoryStore):
        away = True

        async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
            if self.away:
                raise RecordAway("away")
            return await super().read(debate, after=after, limit=limit)

    store = Away()
    hub = Hub(store, poll=60, gather=0)
    await write(store, 1)
    with hub.following("a") as follower:
        with pytest.raises(RecordAway):
            await follower.read_on()
        store.away = False
        assert await follower.read_on()
        assert (item := follower.pick())
        assert item.what == StoredLine(1, "line 1")


async def test_a_follower_ahead_of_the_ring_gets_only_what_follows_its_line() -> None:
    store = SlowStore()
    hub = Hub(store, poll=60, gather=0)
    await write(store, 130)
    async with asyncio.TaskGroup() as group:
        whole = group.create_task(first(hub.follow("a"), 130))
        await asyncio.sleep(0)
        ahead = group.create_task(first(hub.follow("a", after=120), 10))
        await settle()
        hub.signal("a", Delta(key="k", text="to whom?"))
    assert whole.result() == numbered(*range(1, 131))
    assert ahead.result() == numbered(*range(121, 131))


async def test_signals_come_before_this_process_has_published_a_line() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await write(store, 1)
    async with aclosing(hub.follow("a")) as stream:
        assert await anext(stream) == StoredLine(1, "line 1")
        hub.signal("a", Delta(key="k", text="early"))
        assert await anext(stream) == Delta(key="k", text="early")


async def test_no_signal_comes_after_the_line_that_it_led_to() -> None:
    store = SlowStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub)
    async with asyncio.TaskGroup() as group:
        viewer = group.create_task(collect(hub.follow("a")))
        await asyncio.sleep(0)
        hub.signal("a", Delta(key="k", text="stale"))
        await tell(store, hub)
        await settle()
        hub.signal("a", Delta(key="k", text="fresh"))
        await settle()
        hub.finish("a")
    assert viewer.result() == [*numbered(1, 2), Delta(key="k", text="fresh")]


async def test_leaving_leaves_nothing_behind() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60, gather=0)
    await tell(store, hub)
    async with asyncio.TaskGroup() as group:
        viewers = [group.create_task(collect(hub.follow("a"))) for _ in range(3)]
        await settle()
        assert hub.viewers("a") == 3
        viewers[0].cancel()
        await settle()
        assert hub.viewers("a") == 2
        hub.finish("a")
    async with aclosing(hub.follow("a")) as stream:
        await anext(stream)
        assert hub.viewers("a") == 1
    assert hub.viewers("a") == 0


async def take(stream: AsyncGenerator[StoredLine | Signal, None]) -> StoredLine | Signal:
    return await anext(stream)


async def test_who_is_told_of_another_process_looks_only_where_it_follows() -> None:
    hub = Hub(InMemoryStore(), poll=60, gather=0)
    hub.publish("here", [StoredLine(1, "line 1")])
    with hub.following("here") as here, hub.following("there") as there:
        assert [await follower.read_on() for follower in (here, there)] == [True, True]
        hub.look("")
        assert (here.ring.stale, there.ring.stale) == (False, True)
        there.ring.add_signal(Delta(key="k", text="early"))
        assert there.ring.place_after(7) == 0, "a follower ahead of the ring waits where its next line will be"


# ---- any cut and any course gives the same view --------------------------------------------------------------------


class Viewer:
    """A viewer that takes an item when it is told to, can be cut off, and then follows on from its last line."""

    def __init__(self, hub: Hub, group: asyncio.TaskGroup) -> None:
        self.hub, self.group = hub, group
        self.after, self.seen = 0, Seen()
        self.stream = hub.follow("a")
        self.asking: asyncio.Task[StoredLine | Signal] | None = None

    async def begin(self) -> None:
        """Ask for one item, unless the last question is still open."""
        self.asking = self.asking or self.group.create_task(take(self.stream))
        await asyncio.sleep(0)

    async def take(self) -> None:
        """Ask for one item and give it time to come."""
        await self.begin()
        await settle()
        self.note_answer()

    async def cut(self) -> None:
        """Go away, wherever the question stands, and come back."""
        self.note_answer()
        if self.asking:
            self.asking.cancel()
            await settle()
            self.asking = None
        await self.stream.aclose()
        self.stream = self.hub.follow("a", after=self.after)

    def note_answer(self) -> None:
        if self.asking and self.asking.done():
            self.note(self.asking.result())
            self.asking = None

    def note(self, item: StoredLine | Signal) -> None:
        if isinstance(item, StoredLine):
            self.after = item.seq
        else:
            assert self.after <= int(item.text), "a signal came after a line that it led to"
        self.seen.append(item)


async def act(viewer: Viewer, store: InMemoryStore, deed: str, number: int) -> None:
    match deed:
        case "tell":
            await tell(store, viewer.hub, number)
        case "foreign":
            await write(store, number)
        case "signal":
            for _ in range(number):
                viewer.hub.signal("a", Delta(key="k", text=str(len(store.kept.get("a", [])))))
        case "take":
            for _ in range(number):
                await viewer.take()
        case "begin":
            await viewer.begin()
        case _:
            await viewer.cut()


async def play(course: Sequence[tuple[str, int]], queue: int) -> None:
    store = SlowStore()
    hub = Hub(store, most=queue, poll=60, gather=0)
    async with asyncio.TaskGroup() as group:
        viewer = Viewer(hub, group)
        for deed, number in course:
            await act(viewer, store, deed, number)
        hub.finish("a")
        await viewer.cut()
        for item in await collect(viewer.stream):
            viewer.note(item)
    lines = [item for item in viewer.seen if isinstance(item, StoredLine)]
    assert lines == numbered(*range(1, len(store.kept.get("a", [])) + 1))
    assert hub.viewers("a") == 0


DEEDS = st.sampled_from(("tell", "tell", "foreign", "signal", "take", "take", "begin", "cut"))


@given(course=st.lists(st.tuples(DEEDS, st.integers(1, 4)), max_size=30), queue=st.integers(1, 5))
def test_any_course_and_any_cut_gives_every_line_once(course: list[tuple[str, int]], queue: int) -> None:
    asyncio.run(play(course, queue))


@given(delays=st.lists(st.integers(0, 6), max_size=20), queue=st.integers(1, 5), viewers=st.integers(1, 5))
def test_viewers_of_any_pace_see_the_same(delays: list[int], queue: int, viewers: int) -> None:
    async def debate() -> list[Seen]:
        store = SlowStore()
        hub = Hub(store, most=queue, poll=60, gather=0)
        async with asyncio.TaskGroup() as group:
            watching = [group.create_task(watch(hub, pace)) for pace in range(viewers)]
            for delay in delays:
                for _ in range(delay):
                    await asyncio.sleep(0)
                await tell(store, hub, 2)
            hub.finish("a")
        return [task.result() for task in watching]

    assert asyncio.run(debate()) == [numbered(*range(1, 2 * len(delays) + 1))] * viewers


async def watch(hub: Hub, pace: int) -> Seen:
    watched = Seen()
    async for item in hub.follow("a"):
        watched.append(item)
        for _ in range(pace):
            await asyncio.sleep(0)
    return watched
