"""What votes weigh by what memory holds: by log-odds, by Elo and calibration, with grounds that give it again."""

import math
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moot.core.agent import Context
from moot.core.ask import Ask, Reply
from moot.core.brief import Brief, Participant
from moot.core.decision import Ballot, Decision
from moot.core.roles import GROUNDS, HOW, METHOD, VOTE_WEIGHER, WEIGH, VoteWeights, weight_field
from moot.core.transcript import Transcript
from moot.learn.calibration import document_weight
from moot.learn.lessons import lessons
from moot.learn.memory import Notes
from moot.learn.memory_store import MemoryStore
from moot.learn.panels import ENOUGH, Marks, log_odds_weight, log_odds_weights
from moot.learn.ratings import Match
from moot.learn.vote_weights import Graded, Measured, VoteWeigher, by_elo, by_log_odds, measured, would_weigh
from moot.phases.base import State
from moot.phases.helpers import Weigh
from tests.learn.lessons_kit import Paper
from tests.report.quoting import Ear

A, B, PERSON, QUOTES = "ollama:a", "ollama:b", "human", "builtin:quotes"
SEATS = {"Ann": A, "Bob": B}


def graded(player: str, right: int, n: int, confidence: float | None = None) -> tuple[Graded, ...]:
    """So many graded answers, so many of them right."""
    return tuple(Graded(player=player, right=i < right, confidence=confidence) for i in range(n))


# ---- log-odds ------------------------------------------------------------------------------------------------------


def test_who_was_right_more_often_weighs_more() -> None:
    known = Measured(graded=(*graded(A, 18, 24), *graded(B, 13, 20)))
    found = by_log_odds({**SEATS, "Ada": A}, known)
    assert {name: round(weight, 3) for name, weight in found.weights.items()} == {
        "Ann": 0.999,
        "Bob": 0.56,
        "Ada": 0.999,
    }
    assert found.how == "by the log-odds of graded answers that were right, with 2 answers to choose from"
    assert found.grounds == (
        "Ann (ollama:a): 18 of 24 graded answers right",
        "Bob (ollama:b): 13 of 20 graded answers right",
        "Ada (ollama:a): 18 of 24 graded answers right",
    )
    assert by_log_odds(SEATS, known, options=5).weights["Ann"] == pytest.approx(found.weights["Ann"] + math.log(4))


@pytest.mark.parametrize(
    ("seats", "known", "why"),
    [
        (SEATS, graded(A, 30, 30) + graded(B, 9, 19), "fewer than 20 graded answers for ollama:b"),
        (SEATS, (), "fewer than 20 graded answers for ollama:a and ollama:b"),
        (
            {"Ann": A, "Zoe": PERSON},
            graded(A, 30, 30) + graded(PERSON, 30, 30),
            "fewer than 20 graded answers for human",
        ),
        ({"Ann": A, "Q": QUOTES}, graded(A, 30, 30), "fewer than 20 graded answers for builtin:quotes"),
        (SEATS, graded(A, 10, 20) + graded(B, 3, 20), "nobody's graded answers are better than chance"),
    ],
)
def test_all_weigh_the_same_as_long_as_not_enough_is_known(
    seats: Mapping[str, str], known: tuple[Graded, ...], why: str
) -> None:
    found = by_log_odds(seats, Measured(graded=known))
    assert (dict(found.weights), found.how) == (dict.fromkeys(seats, 1.0), f"equally: {why}")
    assert len(found.grounds) == len(seats)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=5), st.integers(2, 20))
def test_weights_can_be_counted_and_the_grounds_give_them_again(counts: list[tuple[int, int]], options: int) -> None:
    seats = {f"P{n}": f"ollama:m{n}" for n in range(len(counts))}
    known = tuple(
        each
        for seat, (right, wrong) in zip(seats.values(), counts, strict=True)
        for each in graded(seat, right, right + wrong)
    )
    found = by_log_odds(seats, Measured(graded=known), options=options)
    assert all(math.isfinite(weight) and weight >= 0 for weight in found.weights.values())
    assert any(found.weights.values())
    read = [re.search(r"(\d+) of (\d+) graded", line) for line in found.grounds]
    marks = {name: Marks(right=int(each[1]), n=int(each[2])) for name, each in zip(seats, read, strict=True) if each}
    assert dict(found.weights) == log_odds_weights(marks, options=options)
    if any(each.n < ENOUGH for each in marks.values()):
        assert set(found.weights.values()) == {1.0}
        assert found.how.startswith("equally: fewer than 20")


def test_what_a_vote_would_weigh_now() -> None:
    known = (*graded(A, 18, 24), *graded(B, 3, 19), *graded(PERSON, 30, 30), *graded("openai:c", 2, 20))
    assert would_weigh(Measured(graded=known)) == {
        A: log_odds_weight(Marks(right=18, n=24)),
        B: None,
        "openai:c": 0.0,
    }


# ---- the document's formula ----------------------------------------------------------------------------------------


def won(times: int) -> tuple[Match, ...]:
    return (Match(one=A, other=B, score=1.0),) * times


def test_the_formula_of_the_document_by_elo_and_calibration() -> None:
    known = Measured(graded=(*graded(A, 9, 10, 0.8), *graded(B, 3, 5)), matches=won(2))
    found = by_elo({**SEATS, "Zoe": PERSON}, known)
    assert found.grounds == (
        "Ann (ollama:a): Elo 1515.6, calibration 0.90 (1 - ECE of 10 answers)",
        "Bob (ollama:b): Elo 1484.4, calibration 0.50 (no graded confidence)",
        "Zoe (human): Elo 1500.0 (no match), calibration 0.50 (no graded confidence)",
    )
    assert found.weights == {"Ann": document_weight(1515.6, 0.9), "Bob": document_weight(1484.4, 0.5), "Zoe": 1.0}
    assert found.how == "by Elo and calibration, (Elo - 1000) / 500 x (0.5 + calibration)"


def test_less_than_nothing_counts_as_nothing_and_is_named() -> None:
    many = Measured(matches=tuple(Match(one=f"x:{n}", other=B, score=1.0) for n in range(60)) * 40)
    found = by_elo(SEATS, many)
    assert found.weights["Bob"] == 0.0
    assert re.search(r"Elo \d{3}\.\d, .*; -0\.\d+ is below 0 and counts as 0$", found.grounds[1])
    alone = by_elo({"Bob": B}, many)
    assert alone.weights == {"Bob": 1.0}
    assert alone.how == "equally: by Elo and calibration nobody's vote weighs anything"


RESULTS = st.lists(st.tuples(st.permutations(["ollama:a", "ollama:b", "ollama:c"]), st.sampled_from([0.0, 0.5, 1.0])))


@given(RESULTS, st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_the_grounds_of_the_formula_give_the_weight_again(
    results: list[tuple[list[str], float]], said: list[tuple[float, bool]]
) -> None:
    seats = {"Ann": A, "Bob": B, "Cy": "ollama:c"}
    known = Measured(
        graded=tuple(Graded(player=A, right=right, confidence=sure) for sure, right in said),
        matches=tuple(Match(one=two[0], other=two[1], score=score) for two, score in results),
    )
    found = by_elo(seats, known)
    for name, line in zip(seats, found.grounds, strict=True):
        read = re.search(r"Elo (\S+?)(?: \(no match\))?, calibration (\S+)", line)
        assert read
        assert found.weights[name] == max(document_weight(float(read[1]), float(read[2])), 0.0)
        assert math.isfinite(found.weights[name])


# ---- the teller ----------------------------------------------------------------------------------------------------


def debate(n: int, truth: str) -> Paper:
    """Ann proposes her way and Bob his; Ann wins."""
    made = Paper(SEATS, topic=f"Case {n}")
    for name in SEATS:
        made.say(name, "propose", ANSWER=f"{name}'s way", CONFIDENCE=0.9)
    ballots = tuple(Ballot(voter=name, choice="Ann") for name in ("Bob",))
    return made.end(Decision(status="decided", winner="Ann", text="Ann's way", ballots=ballots))


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Twenty graded debates; in 18 of them Ann was right."""
    with MemoryStore.open(tmp_path / "s.sqlite") as made:
        for n in range(20):
            truth = "Ann's way" if n < 18 else "Bob's way"
            made.add(f"d{n}", lessons(debate(n, truth).entries(), Notes(truth=truth)), head=f"{n}")
    return tmp_path / "s.sqlite"


def test_every_seat_of_a_model_is_a_graded_answer(tmp_path: Path) -> None:
    people = {"Ann": A, "Bob": B, "Cy": A, "Dee": "human", "Eve": "human"}
    with MemoryStore.open(tmp_path / "s.sqlite") as made:
        for n in range(2):
            paper = Paper(people)
            for name in people:
                paper.say(name, "propose", ANSWER="buy" if name in ("Ann", "Dee") else "wait", CONFIDENCE=0.9)
            made.add(f"d{n}", lessons(paper.end().entries(), Notes(truth="buy")), head=f"{n}")
        known = measured(made)
    assert [(each.player, each.right) for each in known.graded] == [
        (A, True), (B, False), (A, False), ("human", True), ("human", False)
    ] * 2  # fmt: skip


def question(method: VoteWeights = "log_odds", options: tuple[str, ...] = ()) -> tuple[Ask, Context]:
    """The question to a teller on two debaters and a juror."""
    people = (*SEATS.items(), ("Joe", A))
    voters = tuple(Participant(name=n, seat=seat, duty="juror" if n == "Joe" else "debater") for n, seat in people)
    vote_weigher = Participant(name="T", seat=VOTE_WEIGHER, duty="aide")
    brief = Brief(topic="Tea?", options=options, participants=(*voters, vote_weigher))
    step = next(Weigh(who="T", method=method).play(State(brief=brief, transcript=Transcript(brief=brief))))
    assert isinstance(step, list)
    (put,) = step
    assert (put.to, put.audience, put.view.last) == ("T", ("T",), 0)
    return put, Context(brief=brief, me=vote_weigher)


async def ask(shelf: Path | None, method: VoteWeights = "log_odds", options: tuple[str, ...] = ()) -> Reply:
    """What a teller answers to its own question."""
    put, context = question(method, options)
    reply = await VoteWeigher(place=shelf).answer(put, context, Ear())
    assert reply.cleaned(put.form) == reply
    assert put.form
    assert {field.name for field in put.form.fields} == set(reply.fields)
    return reply


async def test_the_teller_reads_memory(shelf: Path) -> None:
    reply = await ask(shelf)
    assert [reply.fields[weight_field(name)] for name in ("Ann", "Bob", "Joe")] == [
        log_odds_weight(Marks(right=18, n=20)),
        0.0,
        log_odds_weight(Marks(right=18, n=20)),
    ]
    assert reply.fields[METHOD] == "log_odds"
    assert reply.fields[GROUNDS] == (
        "Ann (ollama:a): 18 of 20 graded answers right",
        "Bob (ollama:b): 2 of 20 graded answers right",
        "Joe (ollama:a): 18 of 20 graded answers right",
    )
    assert reply.text == (
        "Votes weigh by the log-odds of graded answers that were right, with 2 answers to choose from.\n"
        "- Ann: 1.84583\n- Bob: 0\n- Joe: 1.84583\nWhat that rests on:\n"
        "- Ann (ollama:a): 18 of 20 graded answers right\n- Bob (ollama:b): 2 of 20 graded answers right\n"
        "- Joe (ollama:a): 18 of 20 graded answers right"
    )
    five = await ask(shelf, options=("a", "b", "c", "d", "e"))
    assert five.fields[weight_field("Ann")] == pytest.approx(1.84583 + math.log(4), abs=1e-5)


async def test_the_teller_knows_the_formula_of_the_document(shelf: Path) -> None:
    reply = await ask(shelf, "elo_calibration")
    lines = reply.fields[GROUNDS]
    assert isinstance(lines, tuple)
    assert lines[0].startswith("Ann (ollama:a): Elo 16")
    assert lines[0].endswith(", calibration 1.00 (1 - ECE of 20 answers)")
    assert lines[1].endswith(", calibration 0.20 (1 - ECE of 20 answers)")
    assert reply.fields[METHOD] == "elo_calibration"


async def test_where_there_is_no_memory_all_weigh_the_same(tmp_path: Path) -> None:
    ones = {weight_field(name): 1.0 for name in ("Ann", "Bob", "Joe")}
    none = await ask(None)
    assert none.fields == {
        METHOD: "log_odds",
        **ones,
        HOW: "equally: there is no memory of earlier debates",
        GROUNDS: (),
    }
    empty = await ask(tmp_path / "new.sqlite")
    assert empty.fields[HOW] == "equally: fewer than 20 graded answers for ollama:a and ollama:b"
    (tmp_path / "odd.sqlite").write_bytes(b"no database" * 99)
    for method in ("log_odds", "elo_calibration"):
        odd = await ask(tmp_path / "odd.sqlite", method)
        assert {name: odd.fields[name] for name in ones} == ones
        assert str(odd.fields[HOW]).startswith("equally: memory cannot be read: ")
        assert odd.notes == (str(odd.fields[HOW]).removeprefix("equally: "),)


async def test_another_question_finds_nothing_to_weigh() -> None:
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann", seat=A),))
    put = Ask(key="/x#1", to="Ann", act=WEIGH, task="Weigh.")
    reply = await VoteWeigher(place=None).answer(put, Context(brief=brief, me=brief.participants[0]), Ear())
    assert reply.cleaned(None).fields == {}


def test_what_is_learned_is_measured(shelf: Path) -> None:
    with MemoryStore.open(shelf) as opened:
        known = measured(opened)
    assert len(known.graded) == 40
    assert [match.one for match in known.matches] == [A] * 20
    assert {each.confidence for each in known.graded} == {0.9}
