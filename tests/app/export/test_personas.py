"""Participants, models and their relations over many debates: the sums, the intervals, the commands."""

import asyncio
import json
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.export.learned import add_note, learn_all
from folkmoot.app.export.learned import personas as read_personas
from folkmoot.app.export.learned import relations as read_relations
from folkmoot.app.run.workspace import Workspace
from folkmoot.learn.memory import Performance, Relation
from folkmoot.learn.personas import model_pairs, models, pairs, personas, share
from tests.app.run.test_learning import paper
from tests.cli.commands import folkmoot
from tests.cli.test_cli_learn import fill, pattern
from tests.learn.lessons_kit import Paper


def did(
    who: str, player: str = "ollama:a", *, role: str = "", won: bool | None = None, right: bool | None = None
) -> Performance:
    return Performance(
        who=who, role=role, player=player, answers=2, missing=1, changed=1, won=won, right=right
    )  # fmt: skip


def met(
    text: str, other: str, agreed: bool | None, moved: tuple[int, int] = (0, 0), players: tuple[str, str] = ("", "")
) -> Relation:
    return Relation(one=text, other=other, players=players, agreed=agreed, moved_other=moved[0], moved_one=moved[1])


# ---- shares ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("some", "of", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (3, 4, 0.3006, 0.9544),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_the_interval_of_wilson(some: int, of: int, low: float, high: float) -> None:
    link_share = share(some, of)
    assert (link_share.some, link_share.of) == (some, of)
    assert (round(link_share.low, 4), round(link_share.high, 4)) == (low, high)


@given(st.integers(0, 10_000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_an_interval_holds_its_share_and_is_that_of_its_complement(case: tuple[int, int]) -> None:
    count, of = case
    link_share, rest = share(count, of), share(of - count, of)
    assert 0 <= link_share.low <= link_share.high <= 1
    assert link_share.low <= (count / of if of else 0.5) <= link_share.high
    assert (link_share.low, link_share.high) == pytest.approx((1 - rest.high, 1 - rest.low))


@pytest.mark.parametrize(("some", "of"), [(2, 1), (-1, 1)])
def test_more_than_all_is_no_share(some: int, of: int) -> None:
    with pytest.raises(ValueError, match="is not a share"):
        share(some, of)


# ---- personas --------------------------------------------------------------------------------------------------------


def test_participants_are_told_apart_by_name_and_role() -> None:
    done = [
        ("d1", did("Ann", role="books", won=True, right=False)),
        ("d2", did("Ann", role="books", won=False)),
        ("d2", did("Ann", role="yard", won=True)),
        ("d3", did("Ann", "", role="books", won=True, right=True)),  # a seat without a model
    ]
    books, yard = personas(done)
    assert (books.name, books.role, books.debates) == ("Ann", "books", 3)
    assert (books.answers, books.missing, books.changed) == (6, 3, 3)
    assert (books.won, books.right) == (share(1, 2), share(0, 1))
    assert (yard.role, yard.debates, yard.won, yard.right) == ("yard", 1, share(1, 1), share(0, 0))


def test_models_are_told_apart_from_people_and_counted_once_a_debate() -> None:
    done = [
        ("d1", did("Ann", won=True)),
        ("d1", did("Bob", won=False)),
        ("d2", did("Cy", "human", won=True)),
        ("d2", did("Ann", "openai:b")),
        ("d3", did("Bob", "openai:b")),
    ]
    assert [(model.name, model.role, model.debates, model.answers, model.won.of) for model in models(done)] == [
        ("openai:b", "", 2, 4, 0),
        ("ollama:a", "", 1, 4, 2),
    ]


@given(st.permutations([("d1", did("Ann", won=True)), ("d1", did("Bob")), ("d2", did("Ann", role="x"))]))
def test_the_order_of_lessons_changes_nothing(done: Sequence[tuple[str, Performance]]) -> None:
    assert [(persona.name, persona.role) for persona in personas(done)] == [("Ann", ""), ("Ann", "x"), ("Bob", "")]


# ---- relations -------------------------------------------------------------------------------------------------------


def test_pairs_are_the_same_whoever_sits_first() -> None:
    for cases in permutations(
        [
            ("d1", met("Ann", "Bob", True, (2, 0))),
            ("d2", met("Bob", "Ann", False, (0, 1))),
            ("d3", met("Ann", "Bob", None)),
            ("d1", met("Ann", "Cy", True)),
        ]
    ):
        both, other = pairs(cases)
        assert (both.one, both.other, both.debates) == ("Ann", "Bob", 3)
        assert (both.agreed, both.moved_other, both.moved_one) == (share(1, 2), 3, 0)
        assert (other.other, other.debates, other.agreed) == ("Cy", 1, share(1, 1))


def test_models_are_paired_but_not_with_themselves_nor_with_people() -> None:
    cases = [
        ("d1", met("Ann", "Bob", True, (1, 0), ("ollama:b", "ollama:a"))),
        ("d1", met("Ann", "Cy", False, (0, 1), ("ollama:b", "ollama:a"))),
        ("d1", met("Bob", "Cy", True, players=("ollama:a", "ollama:a"))),
        ("d1", met("Ann", "Dee", True, players=("ollama:a", "human"))),
        ("d1", met("Ann", "Eve", True, players=("", "ollama:a"))),
    ]
    (pair,) = model_pairs(cases)
    assert (pair.one, pair.other, pair.debates, pair.agreed) == ("ollama:a", "ollama:b", 1, share(1, 2))
    assert (pair.moved_other, pair.moved_one) == (1, 1)


# ---- from records ----------------------------------------------------------------------------------------------------


async def test_sums_follow_from_the_records_and_stay_the_same_when_they_are_made_again(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "record.sqlite")
    for n, winner in enumerate(("Ann", "Ann", "Bob")):
        await workspace.store.append(f"d{n}", paper(winner, topic=f"Line {n}?").lines(1000.0 * n), after=0)
    await workspace.store.append("moved", pattern().lines(9000.0), after=0)
    await learn_all(workspace)
    await add_note(workspace, "d0", "resolve", "Ann's way")
    before = await read_personas(workspace), await read_relations(workspace)
    ann = next(participant for participant in before[0].participants if participant.name == "Ann")
    assert (ann.role, ann.debates, ann.won, ann.right) == ("the Ann", 4, share(2, 4), share(1, 1))
    both = next(
        participant for participant in before[1].participants if (participant.one, participant.other) == ("Ann", "Bob")
    )
    assert (both.debates, both.agreed, both.moved_other, both.moved_one) == (4, share(0, 4), 0, 1)
    await learn_all(workspace, rebuild=True)
    assert (await read_personas(workspace), await read_relations(workspace)) == before
    await add_note(workspace, "moved", "forget")
    assert max(participant.debates for participant in (await read_personas(workspace)).participants) == 3
    await workspace.close()


# ---- the commands ----------------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path) -> Path:
    fill(tmp_path, one=paper(), two=pattern())
    folkmoot(tmp_path, "learn")
    return tmp_path


def test_personas_are_shown(place: Path) -> None:
    lines = folkmoot(place, "standings", "personas").output.splitlines()
    assert lines[0].split() == ["participants", "debates", "answers", "missing", "changed", "won", "right"]
    assert lines[1].startswith("Ann, the Ann ")
    assert lines[1].split()[3:] == [
        "2", "3", "0", "1", "1", "of", "2", "(9", "to", "91%)", "–"
    ]  # fmt: skip
    assert lines[4] == ""
    assert lines[5].split()[0] == "models"
    assert [line.split()[0] for line in lines[6:]] == ["ollama:a", "ollama:b", "openai:c"]
    data = json.loads(folkmoot(place, "standings", "personas", "--json").output)
    assert data["participants"][0]["won"]["of"] == 2
    assert {item["name"] for item in data["models"]} == {"ollama:a", "ollama:b", "openai:c"}


def test_relations_are_shown(place: Path) -> None:
    lines = folkmoot(place, "standings", "relations").output.splitlines()
    assert lines[0].split() == [
        "participants",
        "debates",
        "agreed",
        "first",
        "moved",
        "second",
        "second",
        "moved",
        "first",
    ]
    assert lines[1].split()[:3] == ["Ann", "and", "Bob"]
    assert lines[1].split()[-2:] == ["0", "1"]
    assert lines[5].split()[0] == "models"
    data = json.loads(folkmoot(place, "standings", "relations", "--json").output)
    assert data["participants"][0]["agreed"] == {
        "some": 0,
        "of": 2,
        "low": 0.0,
        "high": pytest.approx(0.6576, abs=1e-4),
    }


@pytest.mark.parametrize("command", ["personas", "relations"])
def test_where_nothing_was_learned_that_is_told(tmp_path: Path, command: str) -> None:
    fill(tmp_path, unfinished=Paper({"Ann": "ollama:a", "Bob": "ollama:b"}))
    assert folkmoot(tmp_path, "standings", command).output == "Nothing has been learned yet. First: folkmoot learn\n"
    assert json.loads(folkmoot(tmp_path, "standings", command, "--json").output) == {"participants": [], "models": []}


def test_names_of_others_cannot_move_the_cursor(tmp_path: Path) -> None:
    bad = Paper({"An\x1b[31mn" + "x" * 99: "ollama:a", "Bob": "ollama:b"})
    asyncio.run(_learned(tmp_path, bad.end()))
    for command in ("personas", "relations"):
        output = folkmoot(tmp_path, "standings", command).output
        assert "\x1b" not in output
        assert "x" * 60 not in output


async def _learned(folder: Path, debate_paper: Paper) -> None:
    workspace = Workspace.at(folder / "folkmoot.sqlite")
    await workspace.store.append("d", debate_paper.lines(), after=0)
    await learn_all(workspace)
    await workspace.close()
