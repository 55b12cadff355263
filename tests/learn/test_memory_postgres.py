"""What was learned, in a real PostgreSQL: the same as in SQLite."""

import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import get_args

import psycopg
import pytest

from folkmoot.core.errors import RecordError
from folkmoot.learn.memory import DAY, FoundMemory, Lessons, ModelMatch
from folkmoot.learn.memory_store import MOST, MemoryStore
from folkmoot.learn.tables import LONGEST_WORD, MOST_WORDS, VERSION, Column, DebateRow, Rows, Tables, UseRow, searched
from tests.learn.lessons_kit import taught
from tests.learn.test_shelf import TOPICS, known

SYLLABLES = ("ba", "de", "ki", "lo", "mu", "ne", "pa", "ri", "so", "tu")
BOUTS = tuple(ModelMatch(one="a", other="b", score=n / 3, weight=0.5, sides=("Ann", "Bob")) for n in range(2))
PATIENCE = 120.0
"""Seconds for a thread that waits for another."""


@contextmanager
def linked(address: str) -> "Generator[psycopg.Connection[tuple[object, ...]]]":
    with psycopg.connect(address, autocommit=True) as link:
        yield link


def strange(address: str) -> str:
    """The address for somebody who may make tables there, and install nothing."""
    with linked(address) as link:
        if not link.execute("SELECT FROM pg_roles WHERE rolname = 'stranger'").fetchall():
            link.execute("CREATE ROLE stranger LOGIN")
        link.execute("GRANT CREATE ON SCHEMA public TO stranger")
    return address.replace("//postgres:@", "//stranger:@")


@pytest.fixture
def place(database: str) -> str:
    """The address of a database, for somebody who may make tables there."""
    return strange(database)


def drawn(chance: Random, count: int) -> str:
    """Words of few syllables: some stand in most texts, many texts are level."""
    return " ".join("".join(chance.choices(SYLLABLES, k=chance.choice((1, 1, 2, 3)))) for _ in range(count))


def many(seed: int, count: int = 120) -> list[tuple[str, Lessons]]:
    """Debates that share words, of which some are the same but for their ids."""
    chance = Random(seed)
    rows: list[tuple[str, Lessons]] = []
    for n in range(count):
        topic = TOPICS[n % 5] if n % 3 == 0 else drawn(chance, chance.randint(1, 12))
        text, issue = drawn(chance, 20), drawn(chance, chance.choice((0, 8)))
        uses = (f"d{n // 4:03}",) if n % 7 == 0 else ()
        lessons = taught(topic, text, at=float(n % 11), issue=issue, uses=uses)
        rows.append((f"d{n:03}", replace(lessons, matches=BOUTS[: n % 3])))
    return rows


def keep(shelf: MemoryStore, debates: list[tuple[str, Lessons]]) -> None:
    for debate, lessons in debates:
        assert shelf.add(debate, lessons, head=f"head of {debate}")


# ---- the same as in SQLite -----------------------------------------------------------------------------------------


def by_place(memories: Sequence[FoundMemory]) -> list[FoundMemory]:
    return sorted(memories, key=lambda memory: (memory.debate, memory.n))


def test_both_hold_and_find_the_same(place: str, tmp_path: Path) -> None:
    chance, debates = Random(5), many(1)
    with MemoryStore.open(place) as memory_store, MemoryStore.open(tmp_path / "x.sqlite") as other:
        keep(memory_store, debates)
        keep(other, debates[::-1])
        assert memory_store.contents() == other.contents()
        queries = [*TOPICS, "ba de", "ba", "l'électric d'bus", "count again", *(drawn(chance, 9) for _ in range(40))]
        count = 0
        for query in queries:
            for kind in ("outcome", "pattern"):
                for column in get_args(Column):
                    results = memory_store.search(query, kind, limit=MOST, now=9 * DAY, column=column)
                    there = other.search(query, kind, limit=MOST, now=9 * DAY, column=column)
                    assert len(results) == len(there)
                    if len(results) < MOST:  # else each has looked at those that it ranks highest
                        assert by_place(results) == by_place(there)
                    count += len(results)
        assert count > 1000
        for kind in ("outcome", "pattern"):
            assert memory_store.newest(kind, limit=7) == other.newest(kind, limit=7) != ()
        for kind in ("outcome", "pattern", "bout"):
            assert memory_store.bodies(kind) == other.bodies(kind)
            assert memory_store.bodies(kind, debate="d009") == other.bodies(kind, debate="d009")
        assert memory_store.learned() == other.learned()


def test_what_one_holds_another_can_take_over(place: str, tmp_path: Path) -> None:
    with (
        MemoryStore.open(place) as memory_store,
        MemoryStore.open(tmp_path / "x.sqlite") as other,
        MemoryStore.open("") as third,
    ):
        keep(other, many(2, 30))
        keep(memory_store, many(3, 40)[20:])
        assert memory_store.replace(other) == {f"d{n:03}" for n in range(30, 40)}
        assert memory_store.contents() == other.contents()
        assert third.replace(memory_store) == frozenset()
        assert third.contents() == memory_store.contents()
        results = memory_store.search(TOPICS[0], limit=MOST)
        assert by_place(results) == by_place(third.search(TOPICS[0], limit=MOST)) != []
        assert memory_store.add("d000", taught("Another one?"), head="new head")
        assert memory_store.search("Another one?")[0].debate == "d000"


def test_a_text_of_any_size_can_be_kept(place: str, tmp_path: Path) -> None:
    words = [f"{n:x}" + "ß" * 3000 for n in range(2)] + [f"w{n}" * (n % 30) for n in range(3 * MOST_WORDS)]
    long = taught("Ω" * 5000 + " don't 'quote\\d' \u2028 \U0001f600", "\n".join(words))
    for shelf in (MemoryStore.open(place), MemoryStore.open(tmp_path / "x.sqlite")):
        with shelf:
            assert shelf.add("long", long, head="h")
            assert [memory.debate for memory in shelf.search("w77" * 17)] == ["long"]
            assert [memory.debate for memory in shelf.search("quote")] == ["long"]
    assert len(searched(" ".join(words))) == MOST_WORDS
    assert max(map(len, searched(" ".join(words)))) == LONGEST_WORD


# ---- the promises of a shelf ---------------------------------------------------------------------------------------


def test_a_debate_is_kept_once_and_again_with_more_notes(place: str) -> None:
    with MemoryStore.open(place) as shelf, MemoryStore.open(place) as other:
        assert shelf.add("d", taught(TOPICS[0], issue="old claims", uses=("e",)), head="h")
        before = shelf.contents()
        assert not other.add("d", taught(TOPICS[2]), head="h")
        assert shelf.contents() == before
        assert other.add("d", taught(TOPICS[2]), head="h", notes=2)
        assert not shelf.add("d", taught(TOPICS[0]), head="h", notes=1)
        assert shelf.search("old claims", "pattern") == shelf.search("electric buses") == ()
        assert [memory.body["topic"] for memory in shelf.search("nurses overtime")] == [TOPICS[2]]
        assert shelf.add("d", None, head="h", notes=3)
        assert shelf.contents() == [("debate", "d", "h", 3, 0.0)]
        assert shelf.search("nurses overtime") == shelf.search("") == ()


def inside(shelf: MemoryStore) -> Tables:
    """The tables of a shelf."""
    return shelf._tables  # pyright: ignore[reportPrivateUsage]


class Broken(Exception):
    """Something that ends an addition in its middle."""


def test_a_break_leaves_nothing_of_an_addition_and_nothing_of_a_replacement(place: str) -> None:
    def breaking(uses: Iterable[UseRow]) -> Iterator[UseRow]:
        yield from uses
        raise Broken

    with MemoryStore.open(place) as shelf, MemoryStore.open("") as anew:
        tables, others = inside(shelf), inside(anew)
        keep(shelf, many(4, 5))
        keep(anew, many(5, 9))
        before = shelf.contents()

        def replace_all() -> None:
            with tables.writing():
                tables.clear()
                tables.put(others.rows()._replace(uses=breaking(others.rows().uses)))

        def add() -> None:
            with tables.writing("d001"):
                tables.drop("d001")
                tables.put(Rows([DebateRow("d001", "new", 9, 1.0)], others.rows().items, ()))

        with pytest.raises(Broken):
            replace_all()
        with pytest.raises(RecordError, match="duplicate key"):
            add()
        assert shelf.contents() == before


def test_the_order_of_learning_leaves_no_trace(place: str) -> None:
    debates, values = many(6, 30), list[object]()
    for order in (debates, debates[::-1], Random(1).sample(debates, k=30)):
        with MemoryStore.open(place) as shelf, MemoryStore.open("") as none:
            shelf.replace(none)
            assert shelf.contents() == []
            keep(shelf, order)
            values.append((shelf.contents(), shelf.search("bus depot ba", limit=9), shelf.bodies("outcome")))
    assert values[0] == values[1] == values[2]


# ---- several at once -----------------------------------------------------------------------------------------------


def at_once(*jobs: Callable[[], object]) -> None:
    """Do all of it, each in a thread; what one raises is raised here."""
    ready = threading.Barrier(len(jobs))

    def do(job: Callable[[], object]) -> None:
        ready.wait(PATIENCE)
        job()

    with ThreadPoolExecutor(len(jobs)) as threads:
        for submitted in [threads.submit(do, job) for job in jobs]:
            submitted.result(PATIENCE)


def test_workers_learn_at_the_same_time_while_all_is_made_anew_and_nothing_is_lost(place: str) -> None:
    debates, missed = many(7, 60), list[frozenset[str]]()

    def work(part: list[tuple[str, Lessons]]) -> None:
        with MemoryStore.open(place) as shelf:
            for debate, lessons in part:
                shelf.add(debate, lessons, head=f"head of {debate}")
                shelf.search(TOPICS[0])

    def rebuild() -> None:
        with MemoryStore.open(place) as shelf, MemoryStore.open("") as anew:
            keep(anew, debates[:30])
            missed.extend(shelf.replace(anew) for _ in range(3))

    # Two learn the same debates, one of them the other way round; a third learns others.
    at_once(*(partial(work, part) for part in (debates[:40], debates[:40][::-1], debates[40:])), rebuild)
    with MemoryStore.open(place) as shelf, MemoryStore.open("") as whole:
        gone = frozenset[str]().union(*missed)
        there = set(shelf.learned())
        assert there | gone == {debate for debate, _ in debates}
        keep(whole, debates)
        for debate, lessons in debates:
            shelf.add(debate, lessons, head=f"head of {debate}")
        assert shelf.contents() == whole.contents()


def test_who_opens_first_makes_the_tables_and_the_others_find_them(database: str) -> None:
    def open_and_add(n: int) -> None:
        with MemoryStore.open(database) as shelf:
            assert shelf.add(f"d{n}", taught(TOPICS[n]), head="h")

    at_once(*(partial(open_and_add, n) for n in range(4)))
    with MemoryStore.open(database) as shelf:
        assert [row[0] for row in known(shelf)] == ["d0", "d1", "d2", "d3"]


def test_who_reads_waits_for_nobody_and_sees_all_or_nothing(place: str) -> None:
    with MemoryStore.open(place) as memory_store, MemoryStore.open(place) as other:
        keep(memory_store, many(8, 6))
        before, memories = memory_store.contents(), memory_store.search(TOPICS[0])
        tables = inside(memory_store)
        with tables.writing():
            tables.clear()
            assert other.contents() == before
            assert other.search(TOPICS[0]) == memories != ()
        assert other.contents() == []


def test_another_program_that_holds_memory_is_waited_for_and_then_named(place: str) -> None:
    with MemoryStore.open(place) as memory_store, MemoryStore.open(place, busy=0.05) as other:
        tables = inside(memory_store)
        with tables.writing(), pytest.raises(RecordError, match="canceling statement due to lock timeout"):
            other.add("d", taught(TOPICS[0]), head="h")
        assert other.add("d", taught(TOPICS[0]), head="h")


# ---- the schema ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        f"UPDATE memory_state SET value = {VERSION + 1} WHERE name = 'version'",
        "DELETE FROM memory_state",
    ],
)
def test_tables_of_another_version_are_made_anew(place: str, change: str) -> None:
    with MemoryStore.open(place) as shelf:
        keep(shelf, many(9, 3))
    with linked(place) as link:
        link.execute(change.encode())
    with MemoryStore.open(place) as shelf:
        assert shelf.contents() == []
        keep(shelf, many(9, 3))
    with MemoryStore.open(place) as shelf:
        assert len(shelf.learned()) == 3


# ---- what goes wrong -----------------------------------------------------------------------------------------------


def test_a_shelf_that_was_closed_says_so(place: str) -> None:
    shelf = MemoryStore.open(place)
    shelf.close()
    shelf.close()
    with pytest.raises(RecordError, match="cannot be used"):
        shelf.contents()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://me:se%zzcret@h/d", "cannot be used"),
        ("postgresql://me:secret@h:port/d", "address of a database cannot be read"),
        ("postgresql://me:secret@127.0.0.1:1/d", "its server cannot be reached"),
        ("postgres://me:secret@/d?host=/nowhere", "its server cannot be reached"),
    ],
)
def test_an_address_that_leads_nowhere_shows_no_password(address: str, message: str) -> None:
    with pytest.raises(RecordError, match=message) as caught:
        MemoryStore.open(address)
    assert "cret" not in str(caught.value)
    assert str(caught.value).count("\n") == 0


def test_who_may_not_write_there_is_told(database: str) -> None:
    place = strange(database)
    with linked(database) as link:
        link.execute("REVOKE CREATE ON SCHEMA public FROM stranger")
    with pytest.raises(RecordError, match="permission denied for schema public"):
        MemoryStore.open(place)


def test_without_the_libraries_their_names_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    with pytest.raises(RecordError, match=r'pip install .*"asyncpg'):
        MemoryStore.open("postgresql://h/d")
