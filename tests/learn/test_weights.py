"""What votes weigh by what memory holds: by log-odds, by Elo and calibration, with grounds that give it again."""

import math
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.roles import GROUNDS, HOW, METHOD, VOTE_WEIGHER, WEIGH, VoteWeights, weight_field
from folkmoot.core.transcript import Transcript
from folkmoot.learn.calibration import document_weight
from folkmoot.learn.lessons import lessons
from folkmoot.learn.memory import Notes
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.learn.panels import ENOUGH, Marks, log_odds_weight, log_odds_weights
from folkmoot.learn.ratings import Match
from folkmoot.learn.vote_weights import Graded, Measured, VoteWeigher, by_elo, by_log_odds, measured, would_weigh
from folkmoot.phases.base import State
from folkmoot.phases.helpers import Weigh
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
    weighing = by_log_odds({**SEATS, "Ada": A}, known)
    assert {name: round(weight, 3) for name, weight in weighing.weights.items()} == {
        "Ann": 0.999,
        "Bob": 0.56,
        "Ada": 0.999,
    }
    assert weighing.how == "by the log-odds of graded answers that were right, with 2 answers to choose from"
    assert weighing.grounds == (
        "Ann (ollama:a): 18 of 24 graded answers right",
        "Bob (ollama:b): 13 of 20 graded answers right",
        "Ada (ollama:a): 18 of 24 graded answers right",
    )
    assert by_log_odds(SEATS, known, options=5).weights["Ann"] == pytest.approx(weighing.weights["Ann"] + math.log(4))


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
    weighing = by_log_odds(seats, Measured(graded=known))
    assert (dict(weighing.weights), weighing.how) == (dict.fromkeys(seats, 1.0), f"equally: {why}")
    assert len(weighing.grounds) == len(seats)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=1, max_size=5), st.integers(2, 20))
def test_weights_can_be_counted_and_the_grounds_give_them_again(counts: list[tuple[int, int]], options: int) -> None:
    seats = {f"P{n}": f"ollama:m{n}" for n in range(len(counts))}
    known = tuple(
        grade
        for seat, (right, wrong) in zip(seats.values(), counts, strict=True)
        for grade in graded(seat, right, right + wrong)
    )
    weighing = by_log_odds(seats, Measured(graded=known), options=options)
    assert all(math.isfinite(weight) and weight >= 0 for weight in weighing.weights.values())
    assert any(weighing.weights.values())
    read = [re.search(r"(\d+) of (\d+) graded", line) for line in weighing.grounds]
    marks = {
        name: Marks(right=int(match_[1]), n=int(match_[2])) for name, match_ in zip(seats, read, strict=True) if match_
    }
    assert dict(weighing.weights) == log_odds_weights(marks, options=options)
    if any(mark.n < ENOUGH for mark in marks.values()):
        assert set(weighing.weights.values()) == {1.0}
        assert weighing.how.startswith("equally: fewer than 20")


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
    weighing = by_elo({**SEATS, "Zoe": PERSON}, known)
    assert weighing.grounds == (
        "Ann (ollama:a): Elo 1515.6, calibration 0.90 (1 - ECE of 10 answers)",
        "Bob (ollama:b): Elo 1484.4, calibration 0.50 (no graded confidence)",
        "Zoe (human): Elo 1500.0 (no match), calibration 0.50 (no graded confidence)",
    )
    assert weighing.weights == {"Ann": document_weight(1515.6, 0.9), "Bob": document_weight(1484.4, 0.5), "Zoe": 1.0}
    assert weighing.how == "by Elo and calibration, (Elo - 1000) / 500 x (0.5 + calibration)"


def test_less_than_nothing_counts_as_nothing_and_is_named() -> None:
    many = Measured(matches=tuple(Match(one=f"x:{n}", other=B, score=1.0) for n in range(60)) * 40)
    weighing = by_elo(SEATS, many)
    assert weighing.weights["Bob"] == 0.0
    assert re.search(r"Elo \d{3}\.\d, .*; -0\.\d+ is not above 0, so this vote weighs nothing$", weighing.grounds[1])
    alone = by_elo({"Bob": B}, many)
    assert alone.weights == {"Bob": 1.0}
    assert alone.how == "equally: by Elo and calibration nobody's vote weighs anything"


RESULTS = st.lists(st.tuples(st.permutations(["ollama:a", "ollama:b", "ollama:c"]), st.sampled_from([0.0, 0.5, 1.0])))


@given(RESULTS, st.lists(st.tuples(st.floats(0, 1), st.booleans())))
def test_the_grounds_of_the_formula_give_the_weight_again(
    results: list[tuple[list[str], float]], stated: list[tuple[float, bool]]
) -> None:
    seats = {"Ann": A, "Bob": B, "Cy": "ollama:c"}
    known = Measured(
        graded=tuple(Graded(player=A, right=right, confidence=sure) for sure, right in stated),
        matches=tuple(Match(one=two[0], other=two[1], score=score) for two, score in results),
    )
    weighing = by_elo(seats, known)
    for name, line in zip(seats, weighing.grounds, strict=True):
        read = re.search(r"Elo (\S+?)(?: \(no match\))?, calibration (\S+)", line)
        assert read
        assert weighing.weights[name] == max(document_weight(float(read[1]), float(read[2])), 0.0)
        assert math.isfinite(weighing.weights[name])


# ---- the teller ----------------------------------------------------------------------------------------------------


def debate(n: int, truth: str) -> Paper:
    """Ann proposes her way and Bob his; Ann wins."""
    paper = Paper(SEATS, topic=f"Case {n}")
    for name in SEATS:
        paper.say(name, "propose", ANSWER=f"{name}'s way", CONFIDENCE=0.9)
    ballots = tuple(Ballot(voter=name, choice="Ann") for name in ("Bob",))
    return paper.end(Decision(status="decided", winner="Ann", text="Ann's way", ballots=ballots))


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """Twenty graded debates; in 18 of them Ann was right."""
    with MemoryStore.open(tmp_path / "s.sqlite") as memory_store:
        for n in range(20):
            truth = "Ann's way" if n < 18 else "Bob's way"
            memory_store.add(f"d{n}", lessons(debate(n, truth).entries(), Notes(truth=truth)), head=f"{n}")
    return tmp_path / "s.sqlite"


def test_every_seat_of_a_model_is_a_graded_answer(tmp_path: Path) -> None:
    people = {"Ann": A, "Bob": B, "Cy": A, "Dee": "human", "Eve": "human"}
    with MemoryStore.open(tmp_path / "s.sqlite") as memory_store:
        for n in range(2):
            paper = Paper(people)
            for name in people:
                paper.say(name, "propose", ANSWER="buy" if name in ("Ann", "Dee") else "wait", CONFIDENCE=0.9)
            memory_store.add(f"d{n}", lessons(paper.end().entries(), Notes(truth="buy")), head=f"{n}")
        known = measured(memory_store)
    assert [(grade.player, grade.right) for grade in known.graded] == [
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
    (put_ask,) = step
    assert (put_ask.to, put_ask.audience, put_ask.view.last) == ("T", ("T",), 0)
    return put_ask, Context(brief=brief, me=vote_weigher)


async def ask(shelf: Path | None, method: VoteWeights = "log_odds", options: tuple[str, ...] = ()) -> Reply:
    """What a teller answers to its own question."""
    put_ask, context = question(method, options)
    reply = await VoteWeigher(place=shelf).answer(put_ask, context, Ear())
    assert reply.cleaned(put_ask.form) == reply
    assert put_ask.form
    assert {field.name for field in put_ask.form.fields} == set(reply.fields)
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
    put_ask = Ask(key="/x#1", to="Ann", act=WEIGH, task="Weigh.")
    reply = await VoteWeigher(place=None).answer(put_ask, Context(brief=brief, me=brief.participants[0]), Ear())
    assert reply.cleaned(None).fields == {}


def test_what_is_learned_is_measured(shelf: Path) -> None:
    with MemoryStore.open(shelf) as opened:
        known = measured(opened)
    assert len(known.graded) == 40
    assert [match.one for match in known.matches] == [A] * 20
    assert {grade.confidence for grade in known.graded} == {0.9}
