"""Viewers of all kinds on a virtual clock, whose order of steps is drawn: each sees every line once and in order.

Faults are planted into the hub, and the same viewers must notice each of them, else they would prove nothing.
"""
# They change what is private, and stand in for it with whatever types it has.
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from folkmoot.core.event import Delta
from folkmoot.record import hub
from folkmoot.record.hub import Hub, StoredLine
from folkmoot.testing.store_checks import InMemoryStore
from tests.simulator.virtual_loop import Stuck, VirtualLoop

Change = tuple[Any, str, Any]

SEEDS = range(120)
PATIENCE = 600.0
"""Virtual seconds in which every viewer has seen the last line."""

SOON = 2.0
"""Virtual seconds in which a viewer who waits for nothing else sees a line."""


class LateStore(InMemoryStore):
    """A store that takes its time before and after it has read."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self._chance = chance

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        await asyncio.sleep(self._chance.choice((0.0, 0.01, 0.3)))
        lines = await super().read(debate, after=after, limit=limit)
        await asyncio.sleep(self._chance.choice((0.0, 0.01, 0.3)))
        return lines


@dataclass(slots=True, kw_only=True)
class Viewers:
    """A debate that is written and followed.

    Attributes:
        seed: says what happens, and when.
        total: how many lines there will be.
        written: when each was stored.
        seen: what each viewer has seen.
    """

    seed: int
    total: int = 0
    written: list[float] = field(default_factory=list[float])
    seen: list[list[int]] = field(default_factory=list[list[int]])

    async def run(self) -> None:
        """Write a debate, have it followed, and check what was seen."""
        chance = Random(self.seed)
        store = LateStore(chance)
        most, gather, linger = chance.randint(2, 9), chance.choice((0.0, 0.04)), chance.choice((0.0, 30.0))
        pages = Hub(store, most=most, gather=gather, linger=linger)
        self.total = chance.randint(1, 40)
        elsewhere = self.total if chance.random() < 0.4 else chance.randint(0, self.total)
        async with asyncio.TaskGroup() as group:
            for number in range(chance.randint(1, 3)):
                self.seen.append([])
                group.create_task(self._view(pages, Random(f"{self.seed} {number}"), number))
            group.create_task(self._wait(pages))
            await self._write(pages, store, chance, elsewhere)
        for lines in self.seen:
            assert lines == [*range(1, self.total + 1)], f"seed {self.seed}: {lines} of {self.total}"

    async def _write(self, pages: Hub, store: LateStore, chance: Random, elsewhere: int) -> None:
        """Write lines: the first ones in another process, the rest in this one, as the ledger does."""
        written = 0
        while written < self.total:
            await asyncio.sleep(chance.choice((0.0, 0.01, 0.1, 1.0, 10.0)))
            most = elsewhere - written if written < elsewhere else self.total - written
            new = range(written + 1, written + 1 + chance.randint(1, min(3, most)))
            lines = [StoredLine(n, f"line {n}") for n in new]
            await store.append("d", [line.text for line in lines], after=written)
            self.written += [asyncio.get_running_loop().time()] * len(lines)
            if written >= elsewhere and (written + len(lines) < self.total or chance.random() < 0.7):
                pages.publish("d", lines)
                pages.signal("d", Delta(key="k", text="piece"))
            elif chance.random() < 0.3:
                pages.look(chance.choice(("d", "")))
            written += len(lines)
        if elsewhere < self.total:
            pages.finish("d")

    async def _view(self, pages: Hub, chance: Random, number: int) -> None:
        """Follow, leave, come back behind the last line that was seen."""
        lines = self.seen[number]
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                while len(lines) < self.total:
                    await asyncio.sleep(chance.choice((0.0, 0.5, 5.0)))
                    stay = chance.choice((1, 5, 1000))
                    async with aclosing(pages.follow("d", after=lines[-1] if lines else 0)) as items:
                        async for item in items:
                            if isinstance(item, StoredLine):
                                assert item.text == f"line {item.seq}"
                                lines.append(item.seq)
                                stay -= 1
                            await asyncio.sleep(chance.choice((0.0, 0.0, 0.02, 2.0)))
                            if not stay or len(lines) >= self.total:
                                break
                        else:
                            assert len(lines) >= self.total, "the end comes before the last line"

    async def _wait(self, pages: Hub) -> None:
        """Follow from the beginning to the end, and do nothing else."""
        async with aclosing(pages.follow("d")) as items:
            async for item in items:
                if isinstance(item, StoredLine):
                    late = asyncio.get_running_loop().time() - self.written[item.seq - 1]
                    assert late <= SOON, f"line {item.seq} came {late:.1f} s late"
                    if item.seq == self.total:
                        return


def watch(seed: int) -> None:
    """One debate with its viewers."""
    loop = VirtualLoop(f"viewers {seed}")
    try:
        loop.run_until_complete(Viewers(seed=seed).run())
    finally:
        loop.bury()


def is_sound(seed: int) -> bool:
    """Whether one debate goes as it must."""
    try:
        watch(seed)
    except (AssertionError, Stuck):
        return False
    except BaseExceptionGroup as errors:  # of several viewers
        if errors.split((AssertionError, Stuck))[1]:
            raise
        return False
    return True


def test_every_viewer_sees_every_line_once_and_in_order() -> None:
    for seed in SEEDS:
        watch(seed)


# ---- faults ----------------------------------------------------------------------------------------------------------


def a_gap_is_not_noticed() -> list[Change]:
    def add(self: Any, lines: Any) -> None:
        for line in lines:
            if line.seq > self.last:
                self.last = line.seq
                self._append(line, len(line.text))

    return [(hub.Ring, "add", add)]


def lines_are_dropped_without_a_word() -> list[Change]:
    usual = hub.Ring._trim

    def trim(self: Any) -> None:
        base = self.base
        usual(self)
        self.base = base

    return [(hub.Ring, "_trim", trim)]


def who_is_slow_goes_on_with_what_is_there() -> list[Change]:
    usual = hub.Ring.place_after
    return [(hub.Ring, "place_after", lambda self, seq: self.first if seq < self.base else usual(self, seq))]


def what_comes_while_the_store_is_read_is_passed_over() -> list[Change]:
    async def fill(self: Any) -> None:
        async with self._reading:
            if not self.stale:
                return
            last = self.last
            self.reads += 1
            texts = await self._store.read(self._debate, after=last, limit=hub.PAGE)
            self.add(hub._numbered_lines(texts, last))
            self.stale = False

    return [(hub.Ring, "fill", fill)]


def who_comes_back_misses_a_line() -> list[Change]:
    usual = hub.Hub.following

    def following(self: Any, debate: str, after: int = 0, **more: Any) -> Any:
        return usual(self, debate, after + bool(after), **more)

    return [(hub.Hub, "following", following)]


def the_end_shows_nothing_more() -> list[Change]:
    def finish(self: Any, debate: str) -> None:
        self._newest.pop(debate, None)
        self._finished.add(debate)
        if ring := self._rings.get(debate):
            ring.wake()

    return [(hub.Hub, "finish", finish)]


def nobody_looks_for_what_others_write() -> list[Change]:
    async def wait(self: Any, debate: str, ring: Any, longest: float | None = None) -> None:
        await ring.wait_for_items()

    return [(hub.Hub, "wait_for_items", wait)]


def gathered_items_wake_nobody() -> list[Change]:
    def wake(self: Any, gather: float = 0.0) -> None:
        if self._woken + gather <= asyncio.get_running_loop().time():
            self._wake()

    return [(hub.Ring, "wake", wake)]


def a_line_is_shown_twice() -> list[Change]:
    def pick(self: Any) -> Any:
        if self._past:
            self.last += 1
            return hub.RingItem(self._past.popleft())
        if self.place is None or self.place < self.ring.first:
            self.place = self.ring.place_after(self.last - 1)
        if self.place is not None and (item := self.ring.at(self.place)):
            self.place += 1
            self.last = item.what.seq if isinstance(item.what, StoredLine) else self.last
            return item
        return None

    return [(hub.Follower, "pick", pick)]


FAULTS: Mapping[str, Callable[[], Sequence[Change]]] = {
    fault.__name__: fault
    for fault in (
        a_gap_is_not_noticed,
        lines_are_dropped_without_a_word,
        who_is_slow_goes_on_with_what_is_there,
        what_comes_while_the_store_is_read_is_passed_over,
        who_comes_back_misses_a_line,
        the_end_shows_nothing_more,
        nobody_looks_for_what_others_write,
        gathered_items_wake_nobody,
        a_line_is_shown_twice,
    )
}
"""Ways in which a viewer can miss lines."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_viewer_that_misses_lines_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, attribute, value in FAULTS[name]():
        monkeypatch.setattr(owner, attribute, value)
    for seed in SEEDS:
        if not is_sound(seed):
            return
    pytest.fail(f"{name}: no viewer in {len(SEEDS)} debates has noticed it")
