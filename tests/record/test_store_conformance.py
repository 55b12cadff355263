"""The stores keep what the Store port promises, and the checks notice a store that does not."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordConflict
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import Store, StreamInfo
from folkmoot.testing.store_checks import CHECKS, Check, InMemoryStore, OpenStore, check_store


def over_memory() -> OpenStore:
    stored_lines: dict[str, dict[str, list[str]]] = {}

    async def open_store(name: str) -> Store:
        return InMemoryStore(stored_lines.setdefault(name, {}))

    return open_store


def over_sqlite(folder: Path) -> OpenStore:
    async def open_store(name: str) -> Store:
        return SqliteStore.open(folder / f"{name}.db")

    return open_store


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_sqlite_keeps_the_promise(check: Check, tmp_path: Path) -> None:
    await check(over_sqlite(tmp_path))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
async def test_memory_keeps_the_promise(check: Check) -> None:
    await check(over_memory())


class Forgetful(InMemoryStore):
    """Loses the last line of every append of several."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await super().append(debate, lines if len(lines) < 2 else lines[:-1], after=after)


class Trusting(InMemoryStore):
    """Takes every append wherever it belongs."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        try:
            await super().append(debate, lines, after=after)
        except RecordConflict:
            await super().append(debate, lines, after=len(self.kept.get(debate, [])))


class Trimming(InMemoryStore):
    """Thinks that blanks at the ends do not matter."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await super().append(debate, tuple(line.strip(" ") for line in lines), after=after)


class Unlimited(InMemoryStore):
    """Ignores the limit."""

    async def read(self, debate: str, *, after: int = 0, limit: int | None = None) -> tuple[str, ...]:
        return await super().read(debate, after=after)


class Alphabetical(InMemoryStore):
    """Lists debates by their ids."""

    async def debates(self) -> tuple[StreamInfo, ...]:
        return tuple(sorted(await super().debates(), key=lambda info: info.debate, reverse=True))


class Swallowing(InMemoryStore):
    """Stores text that cannot be kept everywhere, in place of refusing it."""

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await super().append(debate.replace("\0", ""), tuple(line.replace("\0", "") for line in lines), after=after)


class Hasty(InMemoryStore):
    """Lets a read pass a long append."""

    late: tuple[str, Sequence[str]] = ("", ())

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await self._land()
        if len(lines) > 1000:
            self.late = debate, lines
            await asyncio.sleep(0)
            await self._land()
        else:
            await super().append(debate, lines, after=after)

    async def _land(self) -> None:
        (debate, lines), self.late = self.late, ("", ())
        await super().append(debate, lines, after=len(self.kept.get(debate, [])))


class Immortal(InMemoryStore):
    """Goes on after closing."""

    async def close(self) -> None:
        """Nothing."""


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Forgetful, "check_order: the store refused"),
        (Trusting, "no RecordConflict"),
        (Trimming, "lines of"),
        (Unlimited, "limit 0"),
        (Alphabetical, "debates"),
        (Swallowing, "no RecordError"),
        (Hasty, "came behind it"),
        (Immortal, "closed store"),
    ],
)
async def test_the_checks_notice(broken: type[InMemoryStore], message: str) -> None:
    stored_lines: dict[str, dict[str, list[str]]] = {}

    async def open_store(name: str) -> Store:
        return broken(stored_lines.setdefault(name, {}))

    with pytest.raises(AssertionError, match=message):
        await check_store(open_store)


async def test_the_checks_notice_a_store_that_keeps_nothing() -> None:
    async def open_store(name: str) -> Store:
        return InMemoryStore()

    with pytest.raises(AssertionError, match="written by the other store"):
        await check_store(open_store)


async def test_all_checks_pass_in_one_call() -> None:
    await check_store(over_memory())
