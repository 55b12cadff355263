"""What changed an answer: one fold for the analysis of a debate and for what is learned from it."""

import pytest

from folkmoot.arguments.positions import answers_given, causes, changes, stated
from folkmoot.core.ask import Fields
from folkmoot.core.transcript import fold
from folkmoot.learn.lessons import lessons
from folkmoot.phases.speak import revision
from tests.analysis.courses import look, say, table
from tests.learn.lessons_kit import TWO, Paper


@pytest.mark.parametrize(
    ("fields", "expected", "pointed"),
    [
        ({"BECAUSE": "T1 says so"}, [("named", "T1"), ("taken", "T1")], ("T1",)),
        ({"BECAUSE": "T3 is mine, T9 is nowhere", "TARGET": "T2"}, [("answered", "T2"), ("taken", "T1")], ("T2",)),
        ({"BECAUSE": "the yard is full of snow"}, [("quoted", "T1"), ("taken", "T1")], ("T1",)),
        ({}, [("taken", "T1")], ()),
    ],
)
def test_all_causes_are_found_and_those_pointed_at_are_stated(
    fields: Fields, expected: list[tuple[str, str]], pointed: tuple[str, ...]
) -> None:
    diary = table()
    say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": "The yard is full of snow."})
    say(diary, "Ben", {"ANSWER": "stay"})
    say(diary, "Cid", {"ANSWER": "stay"})
    say(diary, "Cid", {"ANSWER": "move", **fields}, at=2)
    transcript = fold(diary.entries)
    values = answers_given(transcript)
    (change,) = changes(values)
    traced = causes(transcript, change, values)
    assert [(cause.how, cause.turn.mark) for cause in traced] == expected
    assert tuple(turn.mark for turn in stated(traced)) == pointed
    assert look(diary.entries).agreement.flips[0].causes == pointed


def test_what_is_learned_and_what_is_analysed_name_the_same_mover() -> None:
    paper = Paper(TWO)
    paper.say("Ann", "propose", ANSWER="Buy")
    paper.say("Bob", "propose", ANSWER="Lease")
    paper.say("Ann", "revise", form=revision(()), ANSWER="Wait", BECAUSE="T2 has a point")
    entries = paper.end().entries()
    (flip,) = look(entries).agreement.flips
    (relation,) = lessons(entries).relations
    assert flip.to == ("Bob",)
    assert (relation.moved_other, relation.moved_one) == (0, 1)
