"""What a decision rests on: the margin, the strongest objection, who moved whom; and who may not read it."""

from dataclasses import replace

import pytest

from folkmoot.analysis.decision_grounds import DecisionGrounds, decision_grounds, margin, reasons
from folkmoot.app.serve.view_model import entry_views
from folkmoot.core.ask import Field, Form, Reply
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Asked, Replied, Ruled
from folkmoot.core.transcript import fold
from tests.analysis.courses import ANN, BEN, say, table
from tests.report.reports import Diary, ask

MOVE = Decision(status="decided", winner="move", text="move", rule="plurality")


def counted(**tally: int) -> Decision:
    ballots = tuple(Ballot(voter=f"{name} {n}", choice=name) for name, votes in tally.items() for n in range(votes))
    return replace(MOVE, tally={name: float(votes) for name, votes in tally.items()}, ballots=ballots)


@pytest.mark.parametrize(
    ("decision", "sentence"),
    [
        (counted(move=3, stay=2), "1 vote for stay instead of move would have made stay the winner."),
        (counted(move=4, stay=2), "1 vote for stay instead of move would have made it a tie."),
        (counted(move=5, stay=0, sell=1), "2 votes for sell instead of move would have made it a tie."),
        (counted(move=2, stay=2), ""),
        (counted(move=2), ""),
        (replace(counted(move=3, stay=2), rule="borda"), ""),
        (replace(counted(move=3, stay=2), status="tie"), ""),
        (replace(counted(move=3, stay=2), tally={"move": 4.5, "stay": 2.0}), ""),
        (replace(counted(move=3, stay=2), ballots=()), ""),
    ],
)
def test_a_margin_is_told_of_a_plain_count_alone(decision: Decision, sentence: str) -> None:
    assert margin(decision) == sentence


def debated() -> Diary:
    diary = table(ANN, BEN)
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "The yard is full."})
    say(diary, "Ben", {"ANSWER": "stay", "CLAIM": "Half of it is empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    return diary


def test_an_attack_on_the_winner_that_nobody_attacked_is_its_strongest_objection() -> None:
    diary = debated()
    diary.add(Ruled(decision=MOVE))
    objection = decision_grounds(fold(diary.entries)).objection
    assert objection
    assert (objection.mark, objection.by, objection.claim) == ("T2", ("Ben",), "Half of it is empty.")
    assert objection.unanswered


def test_an_objection_that_was_attacked_says_so_and_one_against_a_loser_is_none() -> None:
    diary = debated()
    say(diary, "Ann", {"ANSWER": "move", "CLAIM": "It is let.", "TARGET": "T2", "RELATION": "ATTACK"}, at=2)
    diary.add(Ruled(decision=MOVE))
    met = decision_grounds(fold(diary.entries)).objection
    assert met
    assert (met.mark, met.unanswered) == ("T2", False)
    other = debated()
    other.add(Ruled(decision=replace(MOVE, winner="sell")))
    assert decision_grounds(fold(other.entries)) == DecisionGrounds()
    assert decision_grounds(fold(debated().entries)) == DecisionGrounds()


def test_an_attack_on_a_claim_that_is_the_answer_itself_counts() -> None:
    diary = table(ANN, BEN)
    say(diary, "Ann", {"CLAIM": "Move!"})
    say(diary, "Ben", {"CLAIM": "Half of it is empty.", "TARGET": "T1", "RELATION": "ATTACK"})
    diary.add(Ruled(decision=MOVE))
    objection = decision_grounds(fold(diary.entries)).objection
    assert objection
    assert objection.mark == "T2"


def test_who_moved_is_told_with_the_turn_that_moved_it() -> None:
    diary = debated()
    say(diary, "Ben", {"ANSWER": "move", "CLAIM": "So it is.", "TARGET": "T1", "RELATION": "SUPPORT"}, at=2)
    diary.add(Ruled(decision=MOVE))
    [move] = entry_views(diary.entries)[-1].grounds.moves
    assert (move.by, move.mark, move.before, move.after) == ("Ben", "T3", "stay", "move")
    assert (move.causes, move.to) == (("T1",), ("Ann",))


def test_a_link_that_does_not_show_every_field_is_not_told_what_it_rests_on() -> None:
    diary = debated()
    whisper = Form(name="message", fields=(Field(name="Content"), Field(name="Thoughts", private=True)))
    put = replace(ask("/debate/rounds/round-2/talk#1", "Ann", "speak"), form=whisper)
    diary.add(
        Asked(ask=put), Replied(key=put.key, reply=Reply(text="", fields={"Content": "Good.", "Thoughts": "No."}))
    )
    diary.add(Ruled(decision=counted(move=3, stay=2)))
    assert entry_views(diary.entries, reader="")[-1].grounds == DecisionGrounds()
    assert entry_views(diary.entries)[-1].grounds.margin


def test_a_reason_is_the_argument_with_which_somebody_took_the_answer() -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "stay", "ARGUMENT": "Moving costs a year."})
    say(diary, "Ben", {"ANSWER": "move", "ARGUMENT": "The **lease** ends."})
    say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": "Only if the rent is fixed."}, at=2)
    say(diary, "Ben", {"ANSWER": "move", "ARGUMENT": "That objection is met."}, at=2)
    given = reasons(fold(diary.entries), "Move")
    assert [(reason.by, reason.words, reason.before) for reason in given] == [
        ("Ben", "The lease ends.", ""),
        ("Ann", "Only if the rent is fixed.", "stay"),
    ]
