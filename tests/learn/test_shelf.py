"""What was learned, in a real SQLite file: kept once, found by words and topic, made again the same."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordError
from folkmoot.learn.memory import DAY, Kind
from folkmoot.learn.memory_store import MemoryStore, likeness
from folkmoot.learn.sqlite_tables import SCHEMA, SqliteTables, statements
from folkmoot.learn.tables import VERSION
from folkmoot.record.sqlite import SqliteStore
from tests.learn.lessons_kit import taught

TOPICS = [
    "Should the depot buy electric buses?",
    "Should the depot buy an electric bus for the night line?",
    "May nurses refuse overtime at weekends?",
    "Should the library open on Sundays?",
    "Braucht die Stadt eine Straßenbahn?",
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.sqlite"


def fill(path: Path, order: list[int]) -> list[tuple[object, ...]]:
    """A shelf with the topics, added in that order; what is kept in the end."""
    with MemoryStore.open(path) as shelf:
        for n in order:
            uses = ("d0",) if n == 1 else ()
            assert shelf.add(f"d{n}", taught(TOPICS[n], at=float(n), issue=f"claim {n}", uses=uses), head=f"h{n}")
        return shelf.contents()


def known(shelf: MemoryStore) -> list[tuple[object, ...]]:
    """The debates that were learned: the hash of the last line, and how many notes of the owner were read."""
    return [row[1:4] for row in shelf.contents() if row[0] == "debate"]


# ---- keeping -------------------------------------------------------------------------------------------------------


def test_a_debate_is_kept_once(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        assert shelf.add("d", taught(TOPICS[0]), head="h")
        before = shelf.contents()
        assert not shelf.add("d", taught(TOPICS[2]), head="h")
        assert shelf.contents() == before
        assert known(shelf) == [("d", "h", 0)]


def test_new_notes_take_the_place_of_what_was_learned(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        shelf.add("d", taught(TOPICS[0], issue="old claims"), head="h")
        assert shelf.add("d", taught(TOPICS[2]), head="h", notes=1)
        assert shelf.search("electric buses") == ()
        assert shelf.search("old claims", "pattern") == ()
        assert [memory.body["topic"] for memory in shelf.search("nurses overtime")] == [TOPICS[2]]
        assert shelf.bodies("pattern") == []


def test_what_is_forgotten_stays_known_as_learned(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        shelf.add("d", taught(TOPICS[0], uses=("e",)), head="h")
        assert shelf.add("d", None, head="h", notes=1)
        assert not shelf.add("d", None, head="h", notes=1)
        assert shelf.search("electric buses") == ()
        assert [row[0] for row in shelf.contents()] == ["debate"]


def test_what_is_removed_is_as_if_it_had_never_been_learned(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        shelf.add("e", taught(TOPICS[2]), head="h")
        before = shelf.contents()
        shelf.add("d", taught(TOPICS[0], uses=("e",)), head="h")
        assert shelf.remove("d")
        assert not shelf.remove("d")
        assert shelf.contents() == before
        assert shelf.add("d", taught(TOPICS[0]), head="h")


def test_who_has_read_fewer_notes_comes_too_late(path: Path) -> None:
    with MemoryStore.open(path) as memory_store, MemoryStore.open(path) as other:
        assert memory_store.add("d", taught(TOPICS[0], "the truth"), head="h", notes=2)
        before = memory_store.contents()
        assert not other.add("d", taught(TOPICS[0], "before the truth was known"), head="h", notes=1)
        assert memory_store.contents() == before
        assert other.add("d", None, head="h", notes=3)
        assert memory_store.search("electric buses") == ()


def test_many_may_be_level_in_any_order_of_learning(tmp_path: Path) -> None:
    values: list[object] = []
    for name, order in (("up", range(80)), ("down", range(79, -1, -1))):
        with MemoryStore.open(tmp_path / f"{name}.sqlite") as shelf:
            for n in order:
                shelf.add(f"d{n:02}", taught(TOPICS[0], issue="The electric price is missing"), head="h")
            values.append(
                [
                    [memory.debate for memory in shelf.search(TOPICS[0], kind, limit=60)]
                    for kind in ("outcome", "pattern")
                ]
            )
    assert values[0] == values[1] == [[f"d{n:02}" for n in range(60)]] * 2


def test_the_order_of_learning_leaves_no_trace(tmp_path: Path) -> None:
    orders = [list(range(5)), [4, 2, 0, 1, 3], [1, 0, 3, 4, 2]]
    answers_filled = [fill(tmp_path / f"{n}.sqlite", order) for n, order in enumerate(orders)]
    assert answers_filled[0] == answers_filled[1] == answers_filled[2]
    values: list[object] = []
    for n in range(3):
        with MemoryStore.open(tmp_path / f"{n}.sqlite") as shelf:
            values.append(shelf.search("electric bus depot city", limit=5, now=10.0))
    assert values[0] == values[1] == values[2] != ()


def test_a_break_at_any_step_of_an_addition_leaves_nothing_of_it(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        shelf.add("d0", taught(TOPICS[0]), head="h")
        before = shelf.contents()
    new = taught(TOPICS[1], issue="claim", uses=("d0",))
    breaks = 0
    for step in range(1, 2000):
        left = [step]

        def tick(left: list[int] = left) -> int:
            left[0] -= 1
            return left[0] == 0

        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            shelf = MemoryStore(SqliteTables(path, connection))
            connection.set_progress_handler(tick, 5)
            try:
                assert shelf.add("d1", new, head="h")
                break
            except RecordError:
                breaks += 1
        with MemoryStore.open(path) as shelf:
            assert shelf.contents() == before
    assert breaks > 20
    with MemoryStore.open(path) as shelf:
        assert not shelf.add("d1", new, head="h")
        assert len(shelf.contents()) == len(before) + 4


async def test_it_stands_in_the_file_of_the_record(path: Path) -> None:
    await SqliteStore.open(path).close()
    with MemoryStore.open(path) as shelf:
        shelf.add("d", taught(TOPICS[0]), head="h")
    await SqliteStore.open(path).close()
    with MemoryStore.open(path) as shelf:
        assert known(shelf) == [("d", "h", 0)]


def test_tables_of_another_version_are_made_anew(path: Path) -> None:
    fill(path, [0, 1])
    with closing(sqlite3.connect(path)) as other:
        other.execute("UPDATE memory_state SET value = ? WHERE name = 'version'", (VERSION + 1,))
        other.commit()
    with MemoryStore.open(path) as shelf:
        assert known(shelf) == []
    with MemoryStore.open(path) as shelf:
        assert shelf.contents() == []
        assert shelf.add("d0", taught(TOPICS[0]), head="h")


def test_two_programs_make_the_tables_once(path: Path) -> None:
    with MemoryStore.open(path) as memory_store, MemoryStore.open(path) as other:
        memory_store.add("d", taught(TOPICS[0]), head="h")
        assert not other.add("d", taught(TOPICS[0]), head="h")
        assert other.search("electric buses") == memory_store.search("electric buses") != ()
        memory_store.add("e", taught(TOPICS[1]), head="h")
        assert len(other.search("electric buses")) == 2


def test_tables_that_another_program_makes_meanwhile_are_left_alone(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = WAL")
        other.execute("BEGIN IMMEDIATE")
        for statement in statements(SCHEMA):
            other.execute(statement)
        other.execute("INSERT INTO memory_state VALUES ('version', ?)", (VERSION,))
        other.execute("INSERT INTO memory_debate VALUES ('d', 'h', 0, 0)")
        values: list[object] = []

        def read() -> None:
            with MemoryStore.open(path) as shelf:
                values.append(known(shelf))

        thread = threading.Thread(target=read)
        thread.start()
        time.sleep(0.3)
        other.execute("COMMIT")
        thread.join()
    assert values == [[("d", "h", 0)]]


def test_a_file_that_is_none_of_ours_is_refused(path: Path, tmp_path: Path) -> None:
    path.write_bytes(b"no database" * 100)
    with pytest.raises(RecordError, match="What was learned cannot be kept"):
        MemoryStore.open(path)
    with pytest.raises(RecordError, match="unable to open"):
        MemoryStore.open(tmp_path / "nowhere" / "x.sqlite")


def test_a_shelf_that_was_closed_says_so(path: Path) -> None:
    shelf = MemoryStore.open(path)
    shelf.close()
    for ask in (shelf.contents, lambda: shelf.search("x y"), lambda: shelf.bodies("bout")):
        with pytest.raises(RecordError, match="closed"):
            ask()


def test_another_program_that_holds_the_file_is_waited_for_and_then_named(path: Path) -> None:
    with MemoryStore.open(path, busy=0.05) as shelf, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(RecordError, match="locked"):
            shelf.add("d", taught(TOPICS[0]), head="h")


# ---- finding -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("electric buses for the depot", 0),
        ("night line", 1),
        ("nurse overtime", 2),
        ("Sunday library", 3),
        ("Straßenbahn", 4),
        ("electrical depots", 0),
        ('"night" OR (line) : * ^ -', 1),
    ],
)
def test_it_is_found_by_words(path: Path, query: str, first: int) -> None:
    fill(path, [0, 1, 2, 3, 4])
    with MemoryStore.open(path) as shelf:
        memories = shelf.search(query, now=5.0)
    assert memories[0].debate == f"d{first}"
    assert memories[0].body["topic"] == TOPICS[first]


@pytest.mark.parametrize(("query", "most"), [("", 5), ("the and of", 5), ("zeppelin", 5), ("buses", 0)])
def test_nothing_is_found_for_nothing(path: Path, query: str, most: int) -> None:
    with MemoryStore.open(path) as shelf:
        assert shelf.search("buses") == ()
    fill(path, [0, 1, 2, 3, 4])
    with MemoryStore.open(path) as shelf:
        assert shelf.search(query, limit=most) == ()


def test_outcomes_and_patterns_are_searched_apart(path: Path) -> None:
    fill(path, [0, 1, 2, 3, 4])
    with MemoryStore.open(path) as shelf:
        assert {memory.kind for memory in shelf.search("claim electric", "pattern")} == {"pattern"}
        assert shelf.search("claim") == ()


def test_what_was_used_is_remembered_longer(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        for n in range(4):
            shelf.add(f"d{n}", taught(TOPICS[0]), head="h")
        for n in range(3):
            shelf.add(f"later{n}", taught("?", at=float(n), uses=("d2",)), head="h")
        memories = shelf.search(TOPICS[0], now=60 * DAY)
    assert [memory.debate for memory in memories] == ["d2", "d0", "d1", "d3"]
    assert [(memory.uses, memory.tier) for memory in memories[:2]] == [(3, "slow"), (0, "fast")]
    assert memories[0].likeness == pytest.approx(1.0)


def test_a_topic_is_searched_apart_from_what_was_said_on_it(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        shelf.add("d", taught(TOPICS[0], "lease trams", issue="nurses"), head="h")
        said: tuple[tuple[Kind, str], ...] = (("outcome", "trams"), ("pattern", "nurses"))
        for kind, word in said:
            assert shelf.search(word, kind)[0].likeness == 0
            assert shelf.search(word, kind, column="topic") == ()
            assert shelf.search("electric depot", kind, column="topic")[0].likeness > 0.5


def test_a_rare_word_weighs_more_than_common_ones(path: Path) -> None:
    with MemoryStore.open(path) as shelf:
        for n in range(6):
            shelf.add(f"d{n}", taught(f"Should we buy {'zinc' if n == 4 else f'item{n} and copper'}?"), head="h")
        assert [memory.debate for memory in shelf.search("buy zinc today", limit=1)] == ["d4"]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [(["a", "b"], ["b", "a"], 1.0), (["a"], ["b"], 0.0), (["a", "a", "b"], ["a"], 0.5**0.5), ([], [], 0.0)],
)
def test_the_likeness_of_topics(one: list[str], other: list[str], expected: float) -> None:
    assert likeness(one, other) == pytest.approx(expected)
