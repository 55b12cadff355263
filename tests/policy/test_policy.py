"""The other pure choices: answers, stops, pairs, turns, showings."""

import subprocess
import sys
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.brief import Participant
from folkmoot.core.event import Asked, Failed, Replied
from folkmoot.core.transcript import Transcript, Turn, alike, normalise, wording
from folkmoot.policy.pairing import Pairs, Topology
from folkmoot.policy.rounds import Alike, AnyOf, FloorView, InTurn, Settled, Showing, Unchanged

NAMES = ("Ann", "Bob", "Cy", "Di", "Eve")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Yes.", "**yes**"),
        ("1,000", "1000"),
        ("18.0", "18"),
        ("  buy \n now ", "Buy now"),
        (True, "true"),
        (("a", "b"), "A, B"),
        ('"Yes"!', "yes"),
        (".5", "0.50"),
        ("50 %", ".5"),
        ("50%", "0.5"),
        ("+3", "3.0"),
        ("-0", "0"),
        (r"\boxed{42}", "42"),
        ("$42$.", "42"),
        ("東京。", "東京"),
        ("हाँ।", "हाँ"),
    ],
)
def test_the_same_answer_in_other_clothes(one: Value, other: Value) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("yes", "no"),
        ("1.5", "15"),
        ("18.05", "18"),
        ("*a* or *b*", "a* or *b"),
        ("7!", "7"),
        ("not now", "now"),
        (".NET", "NET"),
        (".5", "5"),
        ("10³", "103"),
        ("2*3", "23"),
        ("5'", '5"'),
        ("~5", "5"),
        ("5!", "5"),
        ("50", "50 %"),
        ("$5", "5"),
        ("007", "7"),
        ("1.2.3", "1.23"),
    ],
)
def test_other_answers_stay_others(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("answers", "same"), [(["a", "A."], True), (["a"], False), (["a", "b"], False), (["", ""], False), ([], False)]
)
def test_alike(answers: list[str], same: bool) -> None:
    assert alike(normalise(answer) for answer in answers) is same


def test_closed_answers_are_compared_to_the_letter() -> None:
    options = Form(name="draft", fields=(Field(name="ANSWER", kind="choice", choices=("1", "1.0")),))
    asks = [Ask(key="#1", to="Ann", act="draft", task="?", form=form) for form in (options, None)]
    turns = [
        Turn(key="#1", by="Ann", act="draft", ask=ask, reply=Reply(text="", fields={"ANSWER": "1.0"})) for ask in asks
    ]
    assert [wording(turn) for turn in turns] == ["1.0", "1"]
    assert wording(turns[0], "COLOUR") is None


def transcript_of(*turns: tuple[str, str, dict[str, Value] | None]) -> Transcript:
    """A transcript of turns: speaker, act, fields; None for an ask that failed."""
    transcript = Transcript()
    for n, (by, act, fields) in enumerate(turns):
        key = f"/debate/{act}#{n}"
        about = (f"/debate/draft#{n - 1}",) if act == "critique" else ()
        transcript.apply(Asked(ask=Ask(key=key, to=by, act=act, task="?", about=about)))
        if fields is None:
            transcript.apply(Failed(key=key, kind="timeout", reason="late"))
        else:
            transcript.apply(Replied(key=key, reply=Reply(text=f"{by} {n}", fields=fields)))
    return transcript


ACTS = ("draft", "revise")


Told: TypeAlias = list[tuple[str, str, dict[str, Value] | None]]
AGREEMENTS: list[tuple[Told, str]] = [
    ([("Ann", "draft", {"ANSWER": "x"}), ("Bob", "draft", {"answer": "X."})], "all 2 give the same answer"),
    ([("Ann", "draft", {"ANSWER": "x"}), ("Bob", "draft", {"ANSWER": "y"})], ""),
    ([("Ann", "draft", {"ANSWER": "x"}), ("Bob", "draft", {})], ""),
    ([("Ann", "draft", {"ANSWER": "x"}), ("Bob", "draft", None)], ""),
    (
        [("Ann", "draft", {"ANSWER": "x"}), ("Bob", "draft", {"ANSWER": "y"}), ("Bob", "revise", {"ANSWER": "x"})],
        "all 2 give the same answer",
    ),
    ([], ""),
]


@pytest.mark.parametrize(("turns", "reason"), AGREEMENTS)
def test_alike_stops(turns: Told, reason: str) -> None:
    assert Alike(acts=ACTS).met(transcript_of(*turns)) == reason


def test_a_common_opening_line_is_no_agreement() -> None:  # K19
    transcript = Transcript()
    for n, by in enumerate(("Ann", "Bob")):
        transcript.apply(Asked(ask=Ask(key=f"#{n}", to=by, act="revise", task="?")))
        transcript.apply(Replied(key=f"#{n}", reply=Reply(text="the same beginning " * 10 + by)))
    assert Alike(acts=("revise",), field="").met(transcript) == ""


REPETITIONS: list[tuple[Told, bool]] = [
    ([("Ann", "draft", {"ANSWER": "x"}), ("Ann", "revise", {"ANSWER": "x"})], True),
    ([("Ann", "draft", {"ANSWER": "x"}), ("Ann", "revise", {"ANSWER": "y"})], False),
    ([("Ann", "draft", {"ANSWER": "x"})], False),
    ([("Ann", "draft", {"ANSWER": "x"}), ("Ann", "revise", {})], False),
    ([], False),
]


@pytest.mark.parametrize(("turns", "met"), REPETITIONS)
def test_unchanged_stops(turns: Told, met: bool) -> None:
    assert bool(Unchanged(acts=ACTS).met(transcript_of(*turns))) is met


def test_settled_reads_the_moderators_own_newest_field() -> None:
    transcript = transcript_of(("Chair", "moderate", {"STATUS": "SETTLED"}), ("Ann", "argue", {}))
    assert Settled().met(transcript) == "Chair says SETTLED"
    assert Settled().met(transcript_of(("Chair", "moderate", {"STATUS": "SETTLED"}), ("Chair", "moderate", {}))) == ""
    assert Settled().met(transcript_of(("Ann", "argue", {"STATUS": "SETTLED"}))) == ""
    assert AnyOf(stops=(Alike(acts=ACTS), Settled())).met(transcript) == "Chair says SETTLED"
    assert AnyOf(stops=(Alike(acts=ACTS),)).met(transcript) == ""


@pytest.mark.parametrize(
    ("topology", "pairs"),
    [("all-to-all", 20), ("ring", 5), ("round-robin", 5), ("star", 8), ("adaptive", 10)],  # R5 for all-to-all
)
def test_how_many_critiques_a_topology_makes(topology: Topology, pairs: int) -> None:
    assert len(Pairs(topology=topology).draw(NAMES, round=1, chance=Random(1))) == pairs


@given(
    topology=st.sampled_from(["all-to-all", "ring", "round-robin", "star", "sparse", "random-graph", "adaptive"]),
    names=st.lists(st.text(min_size=1), unique=True, max_size=7),
    round=st.integers(0, 9),
    seed=st.integers(0, 99),
)
def test_nobody_criticises_oneself_and_everybody_is_criticised(
    topology: Topology, names: list[str], round: int, seed: int
) -> None:
    drawn = Pairs(topology=topology).draw(names, round=round, chance=Random(seed))
    assert all(critic != author for critic, author in drawn)
    assert len(set(drawn)) == len(drawn)
    if len(names) > 1:
        assert {author for _, author in drawn} == set(names)
        assert topology == "random-graph" or {critic for critic, _ in drawn} == set(names)
    assert drawn == Pairs(topology=topology).draw(names, round=round, chance=Random(seed))
    least = Pairs(topology=topology).least(len(names))
    assert len(drawn) >= least if topology in ("sparse", "random-graph") else len(drawn) == least


def test_a_random_graph_draws_each_link_with_its_probability() -> None:
    names = [f"P{n}" for n in range(10)]
    pairs = Pairs(topology="random-graph", density=0.3)
    drawn = [len(pairs.draw(names, round=1, chance=Random(seed))) for seed in range(200)]
    assert 0.27 < sum(drawn) / len(drawn) / 90 < 0.33
    assert len(Pairs(topology="random-graph", density=1.0).draw(names, round=1, chance=Random(1))) == 90


def test_a_rotation_pairs_everybody_with_everybody_in_time() -> None:
    drawn = [pair for n in range(1, 5) for pair in Pairs(topology="round-robin").draw(NAMES, round=n, chance=Random())]
    assert len(set(drawn)) == 20


@given(count=st.integers(2, 12), seed=st.integers(0, 999), strongest=st.sets(st.integers(0, 11), max_size=3))
def test_an_adaptive_table_gives_everybody_two_critics_and_the_strongest_most(
    count: int, seed: int, strongest: set[int]
) -> None:
    names = [f"P{n}" for n in range(count)]
    pairs = Pairs(topology="adaptive", strongest=tuple(f"P{n}" for n in sorted(strongest)))
    drawn = pairs.draw(names, round=1, chance=Random(seed))
    critics = {name: [critic for critic, author in drawn if author == name] for name in names}
    assert {len(critic) for critic in critics.values()} == {min(2, count - 1)}
    assert {(name, names[(n + 1) % count]) for n, name in enumerate(names)} <= set(drawn)
    loads = {name: sum(critic == name for critic, _ in drawn) for name in names}
    busiest = {name for name in names if loads[name] == max(loads.values())}
    assert busiest & (strongest_of(names, strongest) or set(names))


def strongest_of(names: list[str], places: set[int]) -> set[str]:
    return {f"P{n}" for n in places if f"P{n}" in names}


def test_a_star_has_the_hub_that_was_named() -> None:
    assert all("Cy" in pair for pair in Pairs(topology="star", hub="Cy").draw(NAMES, round=1, chance=Random()))


def test_a_star_without_its_hub_has_another_one() -> None:
    """Whoever gave no proposal is not at the table of a round; the others are criticised all the same."""
    drawn = Pairs(topology="star", hub="Zoe").draw(NAMES, round=1, chance=Random())
    assert drawn == Pairs(topology="star", hub=NAMES[0]).draw(NAMES, round=1, chance=Random())
    assert len(drawn) == 2 * (len(NAMES) - 1)


def test_a_rotation_is_the_same_in_every_process() -> None:  # R7
    code = (
        "from random import Random; from folkmoot.policy.pairing import Pairs;"
        f"print(Pairs(topology='round-robin').draw({NAMES}, round=2, chance=Random(0)))"
    )
    out = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(out) == 1


@pytest.mark.parametrize(
    ("rotate", "round", "order"), [(True, 1, "abc"), (True, 2, "bca"), (True, 4, "abc"), (False, 2, "abc")]
)
def test_in_turn(rotate: bool, round: int, order: str) -> None:
    people = [Participant(name=name) for name in "abc"]
    hearing = FloorView(round=round, transcript=Transcript(), chance=Random(0))
    turns: list[Turn] = []
    while name := InTurn(rotate=rotate).next(turns, people, hearing):
        turns.append(Turn(key=f"#{len(turns)}", by=name, act="argue"))
    assert "".join(turn.by for turn in turns) == order


def test_in_turn_of_nobody() -> None:
    assert InTurn().next((), (), FloorView(round=3, transcript=Transcript(), chance=Random(0))) == ""


SAID = transcript_of(
    ("Ann", "draft", {"ANSWER": "x", "CONFIDENCE": 0.4}),
    ("Bob", "critique", {}),
    ("Bob", "draft", {"ANSWER": "X", "CONFIDENCE": 0.9}),
    ("Cy", "draft", {"ANSWER": "y"}),
    ("Di", "draft", {}),
    ("Eve", "draft", {"ANSWER": "y"}),
)


@pytest.mark.parametrize(
    ("showing", "who", "keys"),
    [
        (Showing(acts=("draft",)), "Ann", ["draft#0", "draft#2", "draft#3", "draft#4", "draft#5"]),
        (Showing(acts=("draft",), whose="others"), "Ann", ["draft#2", "draft#3", "draft#4", "draft#5"]),
        (Showing(acts=("draft",), whose="own"), "Cy", ["draft#3"]),
        (Showing(acts=("critique",), whose="to_me", mine=("draft",)), "Ann", ["critique#1"]),
        (Showing(acts=("critique",), whose="to_me", mine=("draft",)), "Cy", []),
        (Showing(acts=("critique",), whose="to_me", mine=("draft",)), "Nobody", []),
        (Showing(acts=("draft",), distinct=True), "Ann", ["draft#2", "draft#3", "draft#4"]),
    ],
)
def test_what_is_laid_before_whom(showing: Showing, who: str, keys: list[str]) -> None:
    assert list(showing.keys(SAID, who, Random(0))) == [f"/debate/{key}" for key in keys]


def test_a_shuffled_showing_depends_on_its_chance_alone() -> None:
    showing = Showing(acts=("draft",), shuffle=True)
    orders = {showing.keys(SAID, "Ann", Random(n)) for n in range(30)}
    assert len(orders) > 1
    assert showing.keys(SAID, "Ann", Random(3)) == showing.keys(SAID, "Ann", Random(3))
