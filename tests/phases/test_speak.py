"""Phases in which participants speak: who is asked what, in which batch, and what each may see."""

from collections.abc import Sequence

import pytest

from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Participant, View
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Asked, Failed, Halted, Replied
from folkmoot.core.transcript import Transcript
from folkmoot.phases.base import Phase, State, is_batch
from folkmoot.phases.speak import ISSUES, Critique, Everyone, Floor, check_names, speech
from folkmoot.policy.pairing import Pairs
from folkmoot.policy.rounds import ByPriority, Showing

LOG = View(numbered=True)
PEOPLE = (Participant(name="Ann"), Participant(name="Bob", priority=1), Participant(name="Cy", priority=2))


def table(people: Sequence[Participant] = PEOPLE, path: str = "/debate/round-2") -> State:
    brief = Brief(topic="?", participants=(*people, Participant(name="Chair", duty="moderator")))
    return State(brief=brief, transcript=Transcript(brief=brief), path=path)


def play(phase: Phase, at: State, fails: tuple[str, ...] = ()) -> tuple[list[list[Ask]], list[Halted]]:
    """Its batches and its notes; those named fail."""
    batches: list[list[Ask]] = []
    notes: list[Halted] = []
    for step in phase.play(at):
        if not is_batch(step):
            assert isinstance(step, Halted)
            notes.append(step)
            continue
        batches.append(list(step))
        for ask in step:
            at.transcript.apply(Asked(ask=ask))
        for ask in step:
            broken = Failed(key=ask.key, kind="timeout", reason="late")
            at.transcript.apply(broken if ask.to in fails else Replied(key=ask.key, reply=Reply(text="so")))
    return batches, notes


def names(batches: list[list[Ask]]) -> str:
    return " ".join("".join(ask.to[0] for ask in batch) for batch in batches)


def targets(ask: Ask) -> tuple[str, ...]:
    assert ask.form
    return next((field.choices for field in ask.form.fields if field.name == "TARGET"), ())


def test_everyone_is_asked_at_once() -> None:
    (batch,), notes = play(Everyone(act="open", task="Round {round}."), table())
    assert [(ask.key, ask.to, ask.act, ask.task, ask.audience) for ask in batch] == [
        (f"/debate/round-2#{n}", name, "open", "Round 2.", ()) for n, name in enumerate(("Ann", "Bob", "Cy"), start=1)
    ]
    assert notes == []
    assert names(play(Everyone(act="moderate", task="?", who=("Chair",)), table())[0]) == "C"


def test_what_is_private_is_seen_by_its_author_alone() -> None:
    at = table()
    play(Everyone(act="strategy", task="Note.", private=True), at)
    turns = at.transcript.turns()
    for name in ("Ann", "Bob", "Chair"):
        assert [turn.by for turn in turns if at.transcript.sees(name, turn)] == [name] * (name != "Chair")


@pytest.mark.parametrize(
    ("needs", "fails", "reason"),
    [
        (0, ("Ann", "Bob", "Cy"), ""),
        (2, ("Ann",), ""),
        (1, ("Ann", "Bob", "Cy"), "0 of 3 answered, 1 is needed to go on"),
        (2, ("Ann", "Cy"), "1 of 3 answered, 2 are needed to go on"),
    ],
)
def test_too_few_answers_end_the_debate(needs: int, fails: tuple[str, ...], reason: str) -> None:
    _, notes = play(Everyone(act="open", task="?", needs=needs), table(), fails)
    assert notes == ([Halted(path="/debate", reason=reason)] if reason else [])


def test_everyone_may_answer_what_he_can_see() -> None:
    at = table((Participant(name="Ann", hide=("Bob",)), *PEOPLE[1:]))
    speak = Everyone(act="argue", task="?", form=speech(()), show=(Showing(acts=("argue",)),), view=LOG)
    (first,), _ = play(speak, at)
    assert [(targets(ask), ask.about) for ask in first] == [((), ())] * 3
    (second,), _ = play(speak, State(brief=at.brief, transcript=at.transcript, path="/debate/round-3"))
    assert [targets(ask) for ask in second] == [("T3",), ("T1", "T3"), ("T1", "T2")]
    assert [[key[-2:] for key in ask.about] for ask in second] == [["#1", "#3"], ["#1", "#2", "#3"], ["#1", "#2", "#3"]]


def test_one_after_the_other_in_an_order_of_the_phase() -> None:
    floor = Floor(act="argue", task="Round {round}.", turns=ByPriority(), form=speech(()), view=LOG)
    batches, notes = play(floor, table(), ("Bob",))
    assert names(batches) == "C B A"
    assert [(ask.key, ask.task, targets(ask)) for (ask,) in batches] == [
        ("/debate/round-2#1", "Round 2.", ()),
        ("/debate/round-2#2", "Round 2.", ("T1",)),
        ("/debate/round-2#3", "Round 2.", ("T1",)),  # what failed cannot be answered
    ]
    assert notes == []
    assert names(play(Floor(act="argue", task="?", who=("Cy", "Ann")), table())[0]) == "A C"


def test_a_floor_on_which_nobody_answers_ends_the_debate() -> None:
    batches, notes = play(Floor(act="argue", task="?"), table(), ("Ann", "Bob", "Cy"))
    assert names(batches) == "B C A"
    assert notes == [Halted(path="/debate", reason="none of 3 answered")]


CRITIQUE = Critique(of=("argue",), pairs=Pairs(topology="all-to-all"), task="Criticise.", form=ISSUES)


def test_nobody_criticises_what_he_may_not_see() -> None:
    at = table((Participant(name="Ann", hide=("Bob",)), *PEOPLE[1:]))
    play(Everyone(act="argue", task="?"), at, ("Cy",))
    (batch,), _ = play(CRITIQUE, State(brief=at.brief, transcript=at.transcript, path="/debate/critique"))
    assert [(ask.to, ask.about, ask.act) for ask in batch] == [("Bob", ("/debate/round-2#1",), "critique")]


def test_where_there_is_nothing_to_criticise_nobody_is_asked() -> None:
    assert play(CRITIQUE, table()) == ([], [])


def test_a_debate_needs_two() -> None:
    check_names(("Ann", "Bob"))
    with pytest.raises(ProtocolError, match="a debate needs at least 2 debaters, not 1"):
        check_names(("Ann",))
