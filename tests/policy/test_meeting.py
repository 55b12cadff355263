"""Who speaks next on a board, where its members stand, and what it recommends in words."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.ask import ABSTAIN, Ask, Reply, Value
from folkmoot.core.brief import Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.roles import GivenVerdict, Standing, standings, verdicts_differ
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.policy.board_turns import QuietFirst, recommendation, speaking_weights
from folkmoot.policy.rounds import FloorView
from folkmoot.protocols.board import last_word, message
from tests.kits.codes import coded

NAMES = ("Ann", "Bob", "Cy", "Dan")
PEOPLE = tuple(Participant(name=name) for name in NAMES)
FORM, LAST = message(("HIRE", "NO_HIRE")), last_word(("HIRE", "NO_HIRE"))


def turn_of(number: int, by: str, fields: Mapping[str, Value] | None = None, *, last: bool = False) -> Turn:
    """A message with these fields; None for one that failed."""
    ask = Ask(key=f"/debate/meeting#{number}", to=by, act="argue", task="Speak.", form=LAST if last else FORM)
    reply = None if fields is None else Reply(text="words", fields=fields)
    return Turn(key=ask.key, by=by, act="argue", number=number, ask=ask, reply=reply, failure="" if reply else "late")


def talk(*turns: tuple[str, Mapping[str, Value] | None]) -> tuple[Turn, ...]:
    return tuple(turn_of(n, by, fields) for n, (by, fields) in enumerate(turns, start=1))


def next_of(turns: Sequence[Turn], people: Sequence[Participant] = PEOPLE, seed: int = 0) -> str:
    return QuietFirst().next(turns, people, FloorView(round=0, transcript=Transcript(), chance=Random(seed)))


VERDICT: Mapping[str, Value] = {"Verdict": "HIRE"}
LEAVE: Mapping[str, Value] = {"Verdict": "HIRE", "Withdrawn": True}


Talk: TypeAlias = tuple[tuple[str, Mapping[str, Value] | None], ...]
WEIGHTS: list[tuple[Talk, dict[str, int]]] = [
    ((), {"Ann": 10, "Bob": 10, "Cy": 10, "Dan": 10}),
    ((("Ann", {}),), {"Bob": 10, "Cy": 10, "Dan": 10}),
    ((("Ann", {}), ("Bob", {})), {"Ann": 9, "Cy": 10, "Dan": 10}),
    ((("Ann", {"SpeakingTo": "Cy"}),), {"Bob": 10, "Cy": 30, "Dan": 10}),
    # Whom an older message spoke to had its turn; whoever is named in words was not spoken to.
    ((("Ann", {"SpeakingTo": "Cy"}), ("Bob", {"Content": "SpeakingTo: Dan"})), {"Ann": 9, "Cy": 10, "Dan": 10}),
    # What failed is no message, but its author had the floor.
    ((("Ann", {"SpeakingTo": "Cy"}), ("Bob", None)), {"Ann": 9, "Cy": 30, "Dan": 10}),
    ((("Ann", LEAVE), ("Bob", {"SpeakingTo": "Ann"})), {"Cy": 10, "Dan": 10}),
    ((("Ann", {}), *((("Bob", {}), ("Cy", {})) * 12)), {"Ann": 9, "Bob": 1, "Dan": 10}),
    ((("Ann", LEAVE), ("Bob", LEAVE), ("Dan", LEAVE), ("Cy", {})), {"Cy": 9}),  # alone, one may go on
    ((("Ann", None), ("Bob", {}), ("Ann", None), ("Bob", {})), {"Cy": 10, "Dan": 10}),  # Ann is absent
    ((("Ann", None), ("Bob", {}), ("Ann", {}), ("Bob", {})), {"Ann": 9, "Cy": 10, "Dan": 10}),
    ((("Ann", LEAVE), ("Bob", LEAVE), ("Cy", LEAVE), ("Dan", LEAVE)), {}),
]


@pytest.mark.parametrize(("turns", "weights"), WEIGHTS)
def test_the_weights(turns: Talk, weights: dict[str, int]) -> None:
    assert speaking_weights(talk(*turns), NAMES) == weights
    assert next_of(talk(*turns)) in (weights or {""})


FIELDS = st.fixed_dictionaries(
    {},
    optional={
        "SpeakingTo": st.sampled_from((*NAMES, "all")),
        "Verdict": st.sampled_from(("HIRE", "NO_HIRE")),
        "Withdrawn": st.booleans(),
    },
)
TALKS = st.lists(st.tuples(st.sampled_from((*NAMES, "Chair")), st.none() | FIELDS), max_size=24)


@given(TALKS, st.integers(0, 99))
def test_nobody_speaks_out_of_turn(turns: list[tuple[str, Mapping[str, Value] | None]], seed: int) -> None:
    spoken = talk(*turns)
    states = standings(NAMES, spoken)
    here = [name for name in NAMES if not states[name].withdrawn and not states[name].absent]
    name = next_of(spoken, seed=seed)
    assert name in (here or [""])
    last = [by for by, _ in turns if by in NAMES][-1:]
    assert [name] != last or here == last, "the last speaker, though not alone"
    assert name == next_of(spoken, seed=seed)


@given(st.integers(0, 9999))
def test_who_has_been_quiet_is_drawn_in(seed: int) -> None:
    turns: list[Turn] = []
    for n in range(1, 41):
        turns.append(turn_of(n, next_of(turns, seed=seed), {}))
    counts = [sum(turn.by == name for turn in turns) for name in NAMES]
    assert min(counts) >= 6
    assert max(counts) <= 14


def test_who_is_spoken_to_answers_in_half_of_the_cases() -> None:
    turns = talk(("Ann", {"SpeakingTo": "Dan"}))
    people = (*PEOPLE, Participant(name="Eve"))
    answers = [next_of(turns, people, seed) for seed in range(1000)]
    assert 450 < answers.count("Dan") < 550


# ---- where they stand ----------------------------------------------------------------------------------------------


def ann(*fields: Mapping[str, Value] | None) -> Standing:
    return standings(("Ann",), talk(*(("Ann", field) for field in fields)))["Ann"]


def test_a_change_of_verdict_is_kept_as_history() -> None:
    state = ann(
        {"Verdict": "HIRE", "VerdictReasoning": "papers"},
        {},  # O5: without a verdict the earlier one stands
        {"Verdict": "HIRE", "VerdictReasoning": "talks"},
        {"Verdict": "NO_HIRE"},
    )
    assert (state.verdict, state.reasoning, state.changed, state.messages) == ("NO_HIRE", "", True, 4)
    assert state.history == (
        GivenVerdict(verdict="HIRE", reasoning="papers", mark="T1"),
        GivenVerdict(verdict="NO_HIRE", reasoning="", mark="T4"),
    )


@pytest.mark.parametrize(
    ("fields", "withdrawn", "refused"),
    [
        ([{"Withdrawn": True}], "", ("T1",)),  # O7
        ([{"Withdrawn": True}, {"Withdrawn": True, "Verdict": "HIRE"}], "T2", ("T1",)),
        ([{"Verdict": "HIRE"}, {"Withdrawn": True}], "T2", ()),
        ([{"Verdict": "HIRE", "Withdrawn": True}], "T1", ()),
        ([{"Verdict": "HIRE", "Withdrawn": False}], "", ()),
        ([{"Verdict": "HIRE", "Withdrawn": True}, {"Withdrawn": True}], "T1", ()),
        ([{"Verdict": ABSTAIN}, {"Withdrawn": True}], "", ("T2",)),
    ],
)
def test_a_withdrawal_counts_only_with_a_verdict(
    fields: list[Mapping[str, Value]], withdrawn: str, refused: tuple[str, ...]
) -> None:
    state = ann(*fields)
    assert (state.withdrawn, state.refused) == (withdrawn, refused)


@pytest.mark.parametrize(
    ("one", "other", "options", "differ"),
    [
        ("Approve", "approve.", (), False),
        ("1,000", "1000", (), False),
        ("wait", "hire", (), True),
        ("1.0", "1", ("1", "1.0"), True),  # closed choices are compared to the letter
    ],
)
def test_one_comparison_tells_changes_and_splits(
    one: str, other: str, options: tuple[str, ...], *, differ: bool
) -> None:
    form = message(options)
    asks = [Ask(key=f"#{n}", to="Ann", act="argue", task="?", form=form) for n in (1, 2)]
    turns = [
        Turn(key=ask.key, by="Ann", act="argue", ask=ask, reply=Reply(text="", fields={"Verdict": verdict}))
        for ask, verdict in zip(asks, (one, other), strict=True)
    ]
    state = standings(("Ann",), turns)["Ann"]
    assert (state.changed, state.verdict) == (differ, other if differ else one)
    apart = [*standings(("Ann",), turns[:1]).values(), *standings(("Ann",), turns[1:]).values()]
    assert verdicts_differ(apart) is differ
    assert not verdicts_differ([Standing(name="Bob"), apart[0]]), "who has given none differs from nobody"


def test_two_failures_in_a_row_are_absence_and_an_answer_ends_it() -> None:
    assert not ann(None, {}, None).absent
    assert ann({}, None, None).absent
    assert not ann(None, None, VERDICT).absent
    assert (ann(None, {}, None).asked, ann(None, {}, None).messages) == (3, 1)


def test_nothing_readable_is_no_answer_but_not_in_records_whose_forms_are_not_strict() -> None:
    ask = turn_of(1, "Ann").ask
    assert ask
    assert ask.form
    torn = Reply(text="<Message><Content>Hm.", unread=coded(["Content: unclosed"]))
    turns = [Turn(key=f"{n}", by="Ann", act="argue", ask=ask, reply=torn) for n in range(2)]
    strict = standings(("Ann",), turns)["Ann"]
    assert (strict.absent, strict.asked, strict.messages) == (True, 2, 0)
    assert speaking_weights(turns, ("Ann", "Bob")) == {"Bob": 10}
    older = replace(ask, form=replace(ask.form, strict=False))
    turns = [replace(turn, ask=older) for turn in turns]
    before = standings(("Ann",), turns)["Ann"]
    assert (before.absent, before.asked, before.messages) == (False, 2, 2)
    assert speaking_weights([*turns, turn_of(3, "Bob", {})], ("Ann", "Bob")) == {"Ann": 8}


def test_open_asks_and_words_of_others_count_for_nothing() -> None:
    waiting = Turn(key="k", by="Ann", act="argue", ask=turn_of(1, "Ann").ask)
    foreign = Turn(key="l", by="Ann", act="reflect", reply=Reply(text="x", fields={"Verdict": "HIRE"}))
    states = standings(("Ann",), (waiting, foreign, turn_of(2, "Bob", VERDICT)))
    assert states == {"Ann": Standing(name="Ann", asked=1)}


def test_a_last_word_is_no_message_and_can_be_an_abstention() -> None:
    states = standings(("Ann", "Bob"), (turn_of(1, "Ann", {"Verdict": ABSTAIN}, last=True), turn_of(2, "Bob", VERDICT)))
    assert (states["Ann"].abstained, states["Ann"].messages, states["Ann"].verdict) == (True, 0, "")
    assert not states["Bob"].abstained


# ---- the recommendation --------------------------------------------------------------------------------------------


def decided(
    tally: Mapping[str, float], votes: Mapping[str, str], winner: str = "", status: str = "decided"
) -> Decision:
    ballots = tuple(Ballot(voter=name, choice=choice) for name, choice in votes.items())
    return Decision(status=status, winner=winner, tally=tally, ballots=ballots, how="no vote was cast")  # pyright: ignore[reportArgumentType]


def test_a_split_decision_is_told_as_one() -> None:
    talked = talk(
        ("Ann", {"Verdict": "NO_HIRE"}),
        ("Ann", {"Verdict": "HIRE", "VerdictReasoning": "a strong\nrecord", "Withdrawn": True}),
        ("Bob", {"Verdict": "NO_HIRE"}),
        ("Cy", None),
        ("Cy", None),
    )
    states = standings(NAMES[:3], talked)
    decision = decided({"HIRE": 1, "NO_HIRE": 1}, {"Ann": "HIRE", "Bob": "NO_HIRE"}, status="tie")
    assert recommendation(decision, states) == (
        "The board is split and recommends nothing: HIRE 1, NO_HIRE 1.\n"
        "- HIRE: Ann\n  - Ann: a strong record\n- NO_HIRE: Bob\n"
        "- changed: Ann, NO_HIRE (T1) -> HIRE (T2)\n- withdrew: Ann (T2)\n- without a verdict: Cy\n- absent: Cy"
    )


@pytest.mark.parametrize(
    ("decision", "line"),
    [
        (decided({"HIRE": 2, "NO_HIRE": 1}, {}, "HIRE"), "The board recommends HIRE. It is split: HIRE 2, NO_HIRE 1."),
        (decided({"HIRE": 2, "NO_HIRE": 0}, {}, "HIRE"), "The board recommends HIRE."),
        (decided({"HIRE": 0}, {}, status="no_decision"), "The board recommends nothing: no vote was cast."),
    ],
)
def test_the_first_line_says_what_is_recommended(decision: Decision, line: str) -> None:
    assert recommendation(decision, {}) == line
