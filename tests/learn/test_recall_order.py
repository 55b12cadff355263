"""In which order earlier debates are recalled: by topic and trust, each outcome once, critiques by topic."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.core.roles import HISTORY, ORIGINS, PATTERNS
from folkmoot.learn.memory import Lessons, Trust
from folkmoot.learn.memory_store import MemoryStore
from tests.learn.lessons_kit import taught
from tests.learn.test_retriever import TOPIC, ask_and_context, recall


def outcome(text: str, trust: Trust = "unconfirmed", *, topic: str = TOPIC, at: float = 0.0) -> Lessons:
    lessons = taught(topic, text, at=at)
    return replace(lessons, outcome=replace(lessons.outcome, trust=trust))


def criticised(topic: str, *issues: str) -> Lessons:
    lessons = taught(topic, "buy ten", issue="x")
    return replace(
        lessons, patterns=tuple(replace(lessons.patterns[0], issue=issue, seq=n) for n, issue in enumerate(issues))
    )


async def recalled(path: Path, field: str = HISTORY, *, history: int = 5, patterns: int = 3) -> list[str]:
    """The lines of a field, without what stands before the quotations."""
    value = (await recall(path, ask_and_context(history, patterns))).fields.get(field, ())
    assert isinstance(value, tuple)
    return list(value)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "record.sqlite"


def keep(path: Path, **values: Lessons) -> None:
    with MemoryStore.open(path) as shelf:
        for debate, lessons in values.items():
            shelf.add(debate, lessons, head="h")


async def test_what_is_confirmed_comes_first_and_what_is_refuted_last(path: Path) -> None:
    keep(
        path,
        a=outcome("one", "refuted", at=9e5),
        b=outcome("two", "quoted"),
        c=outcome("three", at=8e5),
        d=outcome("four", "confirmed"),
    )
    assert [line.partition(",")[0] for line in await recalled(path)] == ["[d", "[c", "[b", "[a"]
    assert [line.partition(",")[0] for line in await recalled(path, history=1)] == ["[d"]


async def test_a_topic_that_is_less_alike_comes_later_however_sure_it_is(path: Path) -> None:
    keep(
        path,
        near=outcome("buy"),
        far=outcome("no", "confirmed", topic="May the electric depot close on Sundays, and who would pay?"),
    )
    assert [line.partition(",")[0] for line in await recalled(path)] == ["[near", "[far"]


async def test_equal_outcomes_of_one_topic_are_told_once_with_their_number(path: Path) -> None:
    equal = {f"d{n}": outcome("Buy ten." if n % 2 else "**buy ten**", at=float(n)) for n in range(7)}
    keep(path, **equal, other=outcome("lease"), topic=outcome("buy ten", topic="Should the depot buy electric trams?"))
    lines = await recalled(path)
    assert len(lines) == 3
    assert [line.endswith("; the same in 6 other debates") for line in lines].count(True) == 1
    origins = (await recall(path)).fields[ORIGINS]
    assert isinstance(origins, tuple)
    assert {"other", "topic"} < set(origins)
    assert len(origins) == 3


async def test_of_equal_outcomes_the_most_trusted_stands_for_all_but_none_for_one_that_was_refuted(path: Path) -> None:
    keep(path, a=outcome("buy"), b=outcome("buy", "confirmed"), c=outcome("buy", "refuted"))
    first, second = await recalled(path)
    assert first.startswith("[b, entry 9, 1970-01-01, confirmed]")
    assert first.endswith("; the same in 1 other debate")
    assert second.startswith("[c, entry 9, 1970-01-01, refuted]")
    assert "the same" not in second


async def test_whoever_criticises_does_not_choose_where_that_is_recalled(path: Path) -> None:
    planted = f"{TOPIC} {TOPIC} electric buses depot"
    keep(path, off=criticised("May nurses refuse overtime?", planted), on=criticised(TOPIC, "The price is missing"))
    (line,) = await recalled(path, PATTERNS)
    assert line.startswith("[on, entry 0")


async def test_one_debate_does_not_fill_all_places_with_its_critiques(path: Path) -> None:
    keep(path, many=criticised(TOPIC, *(f"point {n}" for n in range(9))), one=criticised(TOPIC, "The price is missing"))
    lines = await recalled(path, PATTERNS, patterns=5)
    assert sorted(line.partition(",")[0] for line in lines) == ["[many", "[many", "[one"]
