"""Checks that every record store must pass.

``await check_store(open_store)`` runs all checks. Each is a plain async function that opens stores by name: stores
opened under the same name must hold the same lines, and a name that was never used must be empty.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Decision
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.core.event import (
    Asked,
    Attempted,
    Called,
    Claimed,
    Closed,
    Entered,
    Entry,
    Erred,
    Event,
    Failed,
    Opened,
    Paused,
    Renamed,
    Replied,
    Resumed,
    Ruled,
    SideEntry,
)
from folkmoot.record import listing
from folkmoot.record.in_memory import InMemoryStore
from folkmoot.record.listing import ListQuery, choose
from folkmoot.record.store import LONGEST_LINE, Removing, Store, StreamInfo, count, digest, encode
from folkmoot.record.summary_fold import SIDE, summarize

__all__ = ["InMemoryStore", "check_store"]

OpenStore: TypeAlias = Callable[[str], Awaitable[Store]]
"""Opens the store of that name (letters, digits and hyphens)."""

Check: TypeAlias = Callable[[OpenStore], Awaitable[None]]


async def check_store(open_store: OpenStore) -> None:
    """Run every check.

    Raises:
        AssertionError: the store breaks a promise; the text says which.
    """
    for check in CHECKS:
        try:
            await check(open_store)
        except RecordError as error:
            raise AssertionError(f"{check.__name__}: the store refused what it must take: {error}") from error


async def check_order(open_store: OpenStore) -> None:
    """Lines come back exactly, in order, from any place on."""
    store = await open_store("order")
    lines = tuple(f"line {n}" for n in range(1, 8))
    await store.append("a", lines[:1], after=0)
    await store.append("b", ("other",), after=0)
    await store.append("a", lines[1:6], after=1)
    await store.append("a", lines[6:], after=6)
    _check_equal("all lines", await store.read("a"), lines)
    _check_equal("the other debate's lines", await store.read("b"), ("other",))
    for after in (*range(9), 10**30):
        for limit in (None, 0, 1, 3, 10**30):
            wanted = lines[after:] if limit is None else lines[after:][:limit]
            _check_equal(f"lines after {after}, limit {limit}", await store.read("a", after=after, limit=limit), wanted)
    _check_equal("an unknown debate", await store.read("nobody"), ())
    await store.close()


async def check_exact(open_store: OpenStore) -> None:
    """Whatever may be stored comes back unchanged."""
    store = await open_store("exact")
    ids = ("a", "A", "a ", "ä", "a\u0308", "a%", "a_", "'; drop table line; --", "1", "01", "")
    lines = (
        "",
        " ",
        "1",
        "1.0",
        "01",
        "null",
        '{"a":"\\n"}',
        "\t\x01\x7f",
        "é e\u0301 𝔘 👩\u200d👧 \ufeff\uffff\u2028",
        "x" * 300_000,
    )
    for debate in ids:
        await store.append(debate, (debate, *lines), after=0)
    for debate in ids:
        _check_equal(f"lines of {debate!r}", await store.read(debate), (debate, *lines))
    await store.close()


async def check_removal(open_store: OpenStore) -> None:
    """Where debates can be deleted, nothing is left of them, whoever writes them is refused, and others stay."""
    store = await open_store("removal")
    for debate in ("a", "a/letters", "b"):
        await store.append(debate, ("one", "two"), after=0)
    if isinstance(store, Removing):
        await store.remove(["a", "a/letters", "nobody"])
        _check_equal("the lines of a deleted debate", await store.read("a"), ())
        _check_equal("what is left", [info.debate for info in await store.debates()], ["b"])
        await _check_refused(RecordConflict, "an append to a deleted debate", store.append("a", ("three",), after=2))
        await store.append("a", ("anew",), after=0)
        _check_equal("a new debate of that id", await store.read("a"), ("anew",))
        await store.remove([])
    _check_equal("another debate", await store.read("b"), ("one", "two"))
    await store.close()


async def check_refusals(open_store: OpenStore) -> None:
    """What cannot be kept exactly is refused with a RecordError, and nothing of it is stored."""
    store = await open_store("refusals")
    for bad in ("two\nlines", "two\rlines", "a\0b", "a\ud800b", "x" * (LONGEST_LINE + 1)):
        await _check_refused(RecordError, f"line {bad[:9]!r}", store.append("a", ("good", bad), after=0))
        await _check_refused(RecordError, f"id {bad[:9]!r}", store.append(bad, ("good",), after=0))
    _check_equal("debates after refusals", await store.debates(), ())
    await store.close()


async def check_conflict(open_store: OpenStore) -> None:
    """An append at a wrong place is refused as a RecordConflict and stores nothing."""
    store = await open_store("conflict")
    for after in (-1, 1, 2**63, 10**30):
        await _check_refused(RecordConflict, f"a first append after {after}", store.append("a", ("x",), after=after))
    _check_equal("debates after conflicts", await store.debates(), ())
    await store.append("a", ("1", "2"), after=0)
    for after in (-1, 0, 1, 3):
        await _check_refused(RecordConflict, f"append after {after} of 2", store.append("a", ("x", "y"), after=after))
    await store.append("a", (), after=2)
    await store.append("nobody", (), after=0)
    await store.append("a", ("3",), after=2)
    _check_equal("lines after conflicts", await store.read("a"), ("1", "2", "3"))
    _check_equal("debates that exist", tuple(info.debate for info in await store.debates()), ("a",))
    await store.close()


async def check_crowd(open_store: OpenStore) -> None:
    """Many appends at once: one winner for each place, and no conflict harms another debate."""
    store = await open_store("crowd")
    won: list[str] = []

    async def race(debate: str, line: str) -> None:
        try:
            await store.append(debate, (line, line), after=0)
        except RecordConflict:
            return
        won.append(f"{debate} {line}")

    async with asyncio.TaskGroup() as group:
        for n in range(50):
            for rival in ("x", "y", "z"):
                group.create_task(race(f"debate-{n}", rival))
    _check_equal("winners", len(won), 50)
    for text in won:
        debate, line = text.split()
        _check_equal(f"lines of {debate}", await store.read(debate), (line, line))
    await store.close()


async def check_queue(open_store: OpenStore) -> None:
    """Appends begun before the last one has returned are taken in the order of the calls; one may be long."""
    store = await open_store("queue")
    async with asyncio.TaskGroup() as group:
        for n in range(100):
            group.create_task(store.append("a", (f"{n}a", f"{n}b"), after=2 * n))
    _check_equal("lines of a queue", await store.read("a"), tuple(f"{n}{half}" for n in range(100) for half in "ab"))
    long = tuple(str(n) for n in range(20_000))
    await store.append("b", long, after=0)
    _check_equal("lines of a long append", await store.read("b"), long)
    await store.close()


async def check_reading_behind(open_store: OpenStore) -> None:
    """A read waits behind the appends of its debate that were begun, also by another store of the name and given up."""
    first, two = await open_store("behind"), await open_store("behind")
    long = tuple(str(n) for n in range(20_000))
    for debate, reader in (("a", first), ("b", two)):
        async with asyncio.TaskGroup() as group:
            beginning = group.create_task(first.append(debate, long, after=0))
            await asyncio.sleep(0)
            beginning.cancel()
        lines = await reader.read(debate)
        try:
            await reader.append(debate, ("next",), after=len(lines))
        except RecordConflict as error:
            raise AssertionError(f"an append that was begun before a read came behind it: {error}") from error
    await first.close()
    await two.close()


async def check_debates(open_store: OpenStore) -> None:
    """Debates are listed with their ends, the one that began last first."""
    store = await open_store("debates")
    _check_equal("debates of an empty store", await store.debates(), ())
    await store.append("m", ("m1",), after=0)
    await store.append("z", ("z1", "z2"), after=0)
    await store.append("a", ("a1", "a2", "a3"), after=0)
    await store.append("m", ("m2",), after=1)
    wanted = (
        StreamInfo(debate="a", entries=3, first="a1", last="a3"),
        StreamInfo(debate="z", entries=2, first="z1", last="z2"),
        StreamInfo(debate="m", entries=2, first="m1", last="m2"),
    )
    _check_equal("debates", await store.debates(), wanted)
    await store.close()


async def check_sharing(open_store: OpenStore) -> None:
    """Two stores of one name see each other's lines at once, and only one of two writers gets a place."""
    first, two = await open_store("sharing"), await open_store("sharing")
    await first.append("a", ("1",), after=0)
    _check_equal("lines written by the other store", await two.read("a"), ("1",))
    await two.append("a", ("2",), after=1)
    await _check_refused(RecordConflict, "append behind the other's back", first.append("a", ("x",), after=1))
    _check_equal("lines in both", (await first.read("a"), await two.read("a")), (("1", "2"), ("1", "2")))
    await first.close()
    await two.append("a", ("3",), after=2)
    await two.close()


async def check_closing(open_store: OpenStore) -> None:
    """What was appended is there after closing and opening again; a closed store refuses everything."""
    store = await open_store("closing")
    await store.append("a", ("1", "2"), after=0)
    await store.close()
    await store.close()
    await _check_refused(RecordError, "append to a closed store", store.append("a", ("3",), after=2))
    await _check_refused(RecordError, "read from a closed store", store.read("a"))
    await _check_refused(RecordError, "list a closed store", store.debates())
    again = await open_store("closing")
    _check_equal("lines after opening again", await again.read("a"), ("1", "2"))
    await again.close()


STATES = (Entered(path="/debate"), Paused(reason="stopped", kind="stopped"), Resumed())


def _events(chance: Random, n: int) -> Iterator[Event]:
    """What may be in a record, in an order that may be; it ends closed, or anywhere before."""
    bob = Participant(name="Bob", seat=chance.choice(("", "test:a", "test:b")))
    people = (Participant(name="Ann", seat="human"), bob, Participant(name="Ida", duty="aide"))
    name = chance.choice(("panel", "casting"))
    yield Opened(brief=Brief(topic=f"Tea or {n}? É", participants=people), protocol={}, name=name)
    for number in range(chance.randrange(4)):
        key, by = f"/debate#{number}", chance.choice(("Ann", "Bob"))
        yield Asked(ask=Ask(key=key, to=by, act="draft", task="Speak."))
        for call in ("answer", "repair")[: chance.randrange(3)]:
            yield Attempted(key=key, call=call, n=1, cost=chance.choice((None, 0.25)))
            usage = Usage(input_tokens=3, output_tokens=2, cost=chance.choice((None, 0.0, 0.125)))
            yield chance.choice(
                (
                    Called(key=key, call=call, text="Tea.", usage=usage),
                    Erred(key=key, call=call, n=1, kind=chance.choice(("rate", "timeout")), reason="busy"),
                )
            )
        yield chance.choice(
            (Replied(key=key, reply=Reply(text="Tea.")), Failed(key=key, kind="timeout", reason="late"))
        )
        yield chance.choice(STATES)
    if chance.random() < 0.5:
        yield Ruled(decision=Decision(status="decided", winner="Tea", text="Tea.", share=1.0))
        yield Closed(status="decided", reason="all agree")


def _record(chance: Random, n: int) -> list[str]:
    """The lines of a debate; of some the last is damaged."""
    lines: list[str] = []
    for seq, event in enumerate(_events(chance, n), start=1):
        prev = digest(lines[-1]) if lines else ""
        lines.append(encode(Entry(seq=seq, at=float(n + seq), event=event, prev=prev)))
    if chance.random() < 0.2:
        lines[-1] = "no line of any record"
    return lines


QUERIES = (
    ListQuery(),
    ListQuery(limit=2),
    ListQuery(limit=0),
    ListQuery(status="open"),
    ListQuery(status="paused", limit=1),
    ListQuery(without="casting"),
    ListQuery(prefix="debate-1"),
    ListQuery(grouped=False),
    ListQuery(grouped=False, limit=2),
    ListQuery(protocol="panel"),
    ListQuery(model="TEST:a"),
    ListQuery(until=8.0),
    ListQuery(since=4.0, until=9.0, model="b"),
    ListQuery(words=("TEA", "é")),
    ListQuery(words=("debate-2", "Tea")),
    ListQuery(words=("SECOND", "debate")),
    ListQuery(owner="ann"),
    ListQuery(owner="ann", limit=1),
    ListQuery(owner=""),
    ListQuery(since=8.0),
    ListQuery(after="nobody", limit=1),
)


async def check_counting(open_store: OpenStore) -> None:
    """The number of lines and the last line are told, also behind appends that were begun."""
    store = await open_store("counting")
    _check_equal("lines of nobody", (await count(store, "a"), await listing.last(store, "a")), (0, None))
    await store.append("a", ("1", "2"), after=0)
    _check_equal("lines", (await count(store, "a"), await listing.last(store, "a")), (2, "2"))
    async with asyncio.TaskGroup() as group:
        group.create_task(store.append("a", tuple(str(n) for n in range(3, 10_001)), after=2))
        await asyncio.sleep(0)
        counting = group.create_task(count(store, "a"))
    _check_equal("lines behind an append that was begun", counting.result(), 10_000)
    await store.close()


async def check_summaries(open_store: OpenStore) -> None:
    """A list shows of every debate what its lines say, after appends, conflicts and deletions by two writers."""
    for seed in range(3):
        chance = Random(seed)
        stores = [await open_store(f"summaries-{seed}") for _ in range(2)]
        grouped = ["eval-tea-0123ab-0123456789ab", "batch-tea-0123ab-0123456789ab", "cast-0123abcd-012345"]
        names = [*(f"debate-{n}" for n in range(8)), *grouped, "eval-tea-0123ab", "cast-iron-012345"]
        records = {name: _record(chance, n) for n, name in enumerate(names)}
        stored = dict.fromkeys(records, 0)
        while left := [name for name in records if stored[name] < len(records[name])]:
            store, name = chance.choice(stores), chance.choice(left)
            await _step(chance, store, name, records[name][stored[name] :][: chance.randrange(1, 9)], stored)
            if chance.random() < 0.2:
                await _check_page(f"seed {seed}", chance.choice(stores), chance.choice(QUERIES))
        for store in stores:
            for query in QUERIES:
                await _check_page(f"seed {seed}", store, query)
            await store.close()


async def _step(chance: Random, store: Store, name: str, lines: Sequence[str], stored: dict[str, int]) -> None:
    """Append to a debate, or do something beside it."""
    if not stored[name] and chance.random() < 0.3:
        claim = SideEntry(seq=1, at=0.0, event=Claimed(owner=chance.choice(("ann", "ben", ""))))
        await store.append(
            f"{name}/access/letters", (encode(claim),), after=len(await store.read(f"{name}/access/letters"))
        )
    if chance.random() < 0.2:
        beside = f"{name}/access/letters"
        before = await store.read(beside)
        named = Renamed(name=chance.choice(("Second try", "")))
        line = encode(SideEntry(seq=len(before) + 1, at=0.0, event=named, prev=digest(before[-1]) if before else ""))
        await store.append(beside, (line,), after=len(before))
    await _check_refused(
        RecordConflict, "an append at a wrong place", store.append(name, lines, after=stored[name] + 1)
    )
    await store.append(name, lines, after=stored[name])
    stored[name] += len(lines)
    if isinstance(store, Removing) and chance.random() < 0.1:
        await store.remove([name])
        stored[name] = 0


async def _check_page(purpose: str, store: Store, query: ListQuery) -> None:
    """A page is what the lines of all debates say."""
    streams = [info.debate for info in await store.debates()]
    folds = [(name, summarize(name, await store.read(name))) for name in streams]
    wanted, page = choose(folds, query), await listing.page(store, query)
    _check_equal(f"{purpose}, {query}", page, wanted)
    _check_equal("the names", await listing.names(store), tuple(name for name in streams if not name.endswith(SIDE)))
    for shown in page.debates[1:2]:
        behind = ListQuery(after=shown.debate, limit=1)
        _check_equal(f"the debate behind {shown.debate}", await listing.page(store, behind), choose(folds, behind))
        _check_equal(f"the summary of {shown.debate}", await listing.find(store, shown.debate), shown)


CHECKS: tuple[Check, ...] = (
    check_order,
    check_exact,
    check_removal,
    check_refusals,
    check_conflict,
    check_crowd,
    check_queue,
    check_reading_behind,
    check_debates,
    check_sharing,
    check_closing,
    check_counting,
    check_summaries,
)


def _check_equal(purpose: str, actual: object, wanted: object) -> None:
    if actual != wanted:
        raise AssertionError(f"{purpose}: found {actual!r:.200}, wanted {wanted!r:.200}")


async def _check_refused(error: type[RecordError], purpose: str, doing: Awaitable[object]) -> None:
    try:
        await doing
    except error:
        return
    raise AssertionError(f"{purpose}: no {error.__name__}")
