"""The same answer is the same everywhere: for the rule that counts it and for all that is read out of a record."""

import pytest

from folkmoot.arguments.positions import alike, answers_given, changes
from folkmoot.core.transcript import fold, normalise
from folkmoot.phases.vote import candidates
from tests.analysis.courses import ANN, BEN, look, say, table


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("18", "18.0", True),
        ("1,000", "1000", True),
        ("Rent", "**rent**.", True),
        ("„Rent“", "RENT!", True),
        ("rent  a\nroom", "Rent a room.", True),
        (".5", "5", False),
        ("2*3", "23", False),
        ("5!", "5", False),
        ("5'", "5", False),
        ("~5", "5", False),
        ("rent", "own", False),
    ],
)
def test_rules_and_readers_have_one_notion_of_the_same_answer(one: str, other: str, same: bool) -> None:
    assert (normalise(one) == normalise(other)) is same
    assert alike(one, other) is same
    diary = say(say(table(ANN, BEN), "Ann", {"ANSWER": one}), "Ben", {"ANSWER": other})
    say(diary, "Ben", {"ANSWER": one}, at=2)
    transcript = fold(diary.entries)
    assert len(candidates(transcript, ("argue",), latest=False)) == (1 if same else 2)
    assert len(changes(answers_given(transcript))) == (0 if same else 1)
    assert len(look(diary.entries).agreement.stages[0].tally.holders) == (1 if same else 2)
