"""The ring of a debate that is live here waits a while for a viewer who comes back, and no longer."""

import asyncio
import contextlib

import pytest

from folkmoot.core.event import Delta
from folkmoot.record.hub import Hub
from folkmoot.testing.store_checks import InMemoryStore
from tests.record.test_hub import numbered, tell


async def leave(hub: Hub, store: InMemoryStore) -> None:
    """Follow a debate that is live here, see a piece, and leave."""
    await tell(store, hub)
    with hub.following("a") as follower:
        assert await follower.read_on()
        hub.signal("a", Delta(key="k", text="Tea is"))


async def test_a_viewer_who_comes_back_finds_the_pieces_so_far() -> None:
    store = InMemoryStore()
    hub = Hub(store)
    await leave(hub, store)
    await tell(store, hub)
    with hub.following("a") as follower:
        expected = [*numbered(1), Delta(key="k", text="Tea is"), *numbered(2)]
        assert [item.what for item in iter(follower.pick, None)] == expected


async def test_a_ring_is_given_up_where_nobody_comes_back_in_time() -> None:
    store = InMemoryStore()
    hub = Hub(store, linger=0.0)
    await leave(hub, store)
    await tell(store, hub)
    with hub.following("a") as follower:
        assert follower.pick() is None


def test_who_leaves_when_the_loop_is_over_needs_none() -> None:
    store = InMemoryStore()
    hub = Hub(store)
    leave = contextlib.ExitStack()

    async def follow() -> None:
        await tell(store, hub)
        leave.enter_context(hub.following("a"))

    asyncio.run(follow())
    leave.close()
    assert not hub.viewers("a")


async def test_a_ring_is_given_up_at_once_where_the_debate_is_over_or_runs_elsewhere() -> None:
    store = InMemoryStore()
    hub = Hub(store)
    await tell(store, hub)
    with hub.following("a") as follower:
        assert await follower.read_on()
        first_ring = follower.ring
    hub.finish("a")
    with hub.following("a") as follower:
        assert follower.ring is not first_ring
        second_ring = follower.ring
    with hub.following("a") as follower:
        assert follower.ring is not second_ring


async def test_pieces_are_asked_for_as_long_as_a_viewer_may_come_back() -> None:
    store = InMemoryStore()
    hub = Hub(store, linger=0.0)
    await leave(hub, store)
    assert hub.watched("a")
    hub.signal("a", Delta(key="k", text="Tea is"))
    assert not hub.watched("a"), "nobody came back in time, so pieces may come late"


# ---- who comes late --------------------------------------------------------------------------------------------------


def whole_piece(key: str, text: str) -> Delta:
    """All that was said so far."""
    return Delta(key=key, text=text, whole=True)


async def first_items(hub: Hub, after: int = 0) -> list[object]:
    """What a viewer who comes now sees at first."""
    with hub.following("a", after) as follower:
        while await follower.read_on():
            pass
        return [item.what for item in iter(follower.pick, None)]


async def test_who_comes_late_sees_all_that_was_said_before_anybody_looked() -> None:
    store = InMemoryStore()
    hub = Hub(store)
    await tell(store, hub)
    for text in ("Tea ", "is ", "calm"):
        hub.signal("a", Delta(key="k", text=text))
    assert await first_items(hub) == [*numbered(1), whole_piece("k", "Tea is calm")]
    hub.signal("a", Delta(key="k", text="."))
    with hub.following("a", 1) as follower:
        assert [item.what for item in iter(follower.pick, None)] == [
            whole_piece("k", "Tea is calm"),
            Delta(key="k", text="."),
        ]
    hub.finish("a")
    assert await first_items(hub) == numbered(1)


async def test_pieces_that_come_while_lines_are_missing_are_shown_behind_these_lines() -> None:
    store = InMemoryStore()
    hub = Hub(store)
    await tell(store, hub)
    hub.signal("a", Delta(key="k", text="Tea "))
    with hub.following("a") as follower:
        hub.signal("a", Delta(key="k", text="is calm"))
        assert follower.pick() is None, "its first line is not read yet"
        assert await follower.read_on()
        assert [item.what for item in iter(follower.pick, None)] == [*numbered(1), whole_piece("k", "Tea is calm")]


@pytest.mark.parametrize("published", [True, False])
async def test_a_piece_that_comes_before_the_viewer_has_read_is_shown_once(published: bool) -> None:
    store = InMemoryStore()
    hub = Hub(store)
    if published:
        await tell(store, hub)
    with hub.following("a", 1 if published else 0) as follower:
        hub.signal("a", Delta(key="k", text="Tea"))
        await follower.read_on()
        pieces = [item.what for item in iter(follower.pick, None)]
    assert pieces == [whole_piece("k", "Tea") if published else Delta(key="k", text="Tea")]
