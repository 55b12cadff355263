"""Matches between models: which debates have a result, and which results count as one."""

from collections.abc import Mapping

import pytest

from folkmoot.core.brief import Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.learn.memory import Lessons, ModelMatch
from folkmoot.learn.model_matches import joined_matches
from tests.learn.lessons_kit import THREE, TWO, Paper
from tests.learn.test_lessons import teach, won


def stood(people: Mapping[str, str], *others: Participant, **answers: str) -> Paper:
    paper = Paper(people, others=others)
    for name in people:
        paper.say(name, "propose", ANSWER=answers.get(name, f"answer of {name}"))
    return paper


def results(lessons: Lessons) -> list[tuple[str, str, float, float]]:
    return [(*model_match.sides, model_match.score, model_match.weight) for model_match in lessons.matches]


def test_the_winner_has_beaten_all_who_ended_with_another_answer() -> None:
    votes = {"Ann": "Bob", "Bob": "Ann", "Cy": "Ann"}
    assert results(teach(stood(THREE), won("Ann", votes))) == [("Ann", "Bob", 1.0, 0.5), ("Ann", "Cy", 1.0, 0.5)]
    same = teach(stood(THREE, Ann="Buy", Cy="buy."), won("Ann", votes))
    assert results(same) == [("Ann", "Bob", 1.0, 1.0)]
    assert (same.matches[0].one, same.matches[0].other) == ("ollama:a", "ollama:b")


def test_those_at_the_top_of_a_tie_are_equal() -> None:
    votes = {"Ann": "Bob", "Bob": "Ann", "Cy": "Cy"}
    ballots = tuple(Ballot(voter=voter, choice=choice) for voter, choice in votes.items())
    tie = Decision(status="tie", tally={"Ann": 1.0, "Bob": 1.0, "Cy": 0.5}, ballots=ballots)
    assert results(teach(stood(THREE), tie)) == [("Ann", "Bob", 0.5, 1.0)]


def test_a_judge_decides_and_may_be_a_person() -> None:
    for seat in ("ollama:judge", "human"):
        chair = Participant(name="Chair", duty="moderator", seat=seat)
        assert results(teach(stood(TWO, chair), won("Bob", {"Chair": "Bob"}))) == [("Bob", "Ann", 1.0, 1.0)]


# fmt: off
NONE: list[tuple[Mapping[str, str], Decision | None]] = [
    (TWO, None),
    (TWO, Decision(status="no_decision")),
    (TWO, Decision(status="no_decision", tally={"Ann": 1.0}, ballots=(Ballot(voter="Bob", choice="Ann"),))),
    (TWO, Decision(status="decided", winner="Ann")),                        # nobody has voted
    (TWO, won("yes", {"Ann": "yes", "Bob": "yes"})),                        # an option has won, no debater
    (TWO, won("Ann", {"Ann": "Ann", "Bob": "Bob"})),                        # by a vote for itself
    (THREE, won("Ann", {"Ann": "Ann", "Bob": "Ann", "Cy": "Bob"})),         # without its own vote a tie
    ({**TWO, "Bob": "ollama:a"}, won("Ann", {"Bob": "Ann"})),               # against itself
    ({**TWO, "Bob": "builtin:quotes"}, won("Ann", {"Ann": "Ann"})),
    ({**TWO, "Bob": "builtin:quotes"}, won("Ann", {"Bob": "Ann"})),         # the voter only quotes
    ({**TWO, "Bob": "human"}, won("Bob", {"Ann": "Bob"})),                  # people have no rating
    (TWO, Decision(status="decided", winner="Ann", ballots=(Ballot(voter="Ann", state="abstained"),))),
]
# fmt: on


@pytest.mark.parametrize(("people", "decision"), NONE)
def test_no_result(people: Mapping[str, str], decision: Decision | None) -> None:
    assert teach(stood(people), decision).matches == ()


def test_a_judge_of_the_same_model_judges_nobody() -> None:
    chair = Participant(name="Chair", duty="moderator", seat="ollama:a")
    assert teach(stood(TWO, chair), won("Ann", {"Chair": "Ann"})).matches == ()
    assert len(teach(stood(THREE, chair), won("Bob", {"Chair": "Bob"})).matches) == 1


@pytest.mark.parametrize(
    ("people", "judge", "bouts"),
    [
        (("ollama:qwen3:8b", "openai:gpt-5"), "openrouter:qwen/qwen2.5-72b", 0),
        (("ollama:qwen3:8b", "openai:gpt-5"), "openai:gpt-4o-mini", 0),
        (("ollama:qwen3:8b", "openai:gpt-5"), "anthropic:claude-opus", 1),
        (("ollama:qwen3:8b", "ollama:qwen3:4b"), "ollama:qwen2.5:32b", 1),
        (("ollama:7b", "ollama:8b"), "ollama:7b", 0),
    ],
)
def test_a_judge_of_the_family_of_one_side_alone_judges_neither(
    people: tuple[str, str], judge: str, bouts: int
) -> None:
    chair = Participant(name="Chair", duty="moderator", seat=judge)
    seats = dict(zip(TWO, people, strict=True))
    assert len(teach(stood(seats, chair), won("Ann", {"Chair": "Ann"})).matches) == bouts


def ranked(**ranks: str) -> Decision:
    """Debaters whom judges, or each other, have ranked; B wins by Borda, Copeland and Schulze, not by first places."""
    names = {"A": "Ann", "B": "Bob", "C": "Cy"}
    ballots = tuple(
        Ballot(voter=voter, choice=names[rank[0]], ranks=tuple((names[text],) for text in rank))
        for voter, rank in ranks.items()
    )
    return Decision(status="decided", winner="Bob", text="Bob", rule="borda", ballots=ballots)


def test_who_wins_by_a_ranking_has_won() -> None:
    jurors = [Participant(name=f"J{n}", duty="juror", seat="groq:j") for n in range(1, 6)]
    decision = ranked(J1="ABC", J2="ABC", J3="BCA", J4="CBA", J5="CBA")
    assert results(teach(stood(THREE, *jurors), decision)) == [("Bob", "Ann", 1.0, 0.5), ("Bob", "Cy", 1.0, 0.5)]
    assert len(teach(stood(THREE), ranked(Ann="BC", Bob="AC", Cy="BA")).matches) == 2
    assert teach(stood(THREE), ranked(Ann="BC", Bob="BAC", Cy="BA")).matches == ()


def test_weights_are_added_as_the_rules_add_them() -> None:
    jurors = [Participant(name=f"J{n}", duty="juror", seat="groq:j") for n in range(4)]
    weighed = [("J0", "Ann", 0.1), ("J1", "Ann", 0.2), ("J2", "Bob", 0.3), ("J3", "Bob", 1e-17)]
    ballots = tuple(Ballot(voter=voter, choice=choice, weight=weight) for voter, choice, weight in weighed)
    decision = Decision(status="decided", winner="Bob", text="Bob", rule="weighted", ballots=ballots)
    assert results(teach(stood(TWO, *jurors), decision)) == [("Bob", "Ann", 1.0, 1.0)]


def test_results_stand_in_the_order_of_playing() -> None:
    alone = bout("c", "d", 1.0, ("For", "Against"))
    first, back = bout("a", "b", 1.0, ("For", "Against")), bout("b", "a", 1.0, ("For", "Against"))
    matches = joined_matches([("early", "", alone), ("m", "", first), ("late", "", alone), ("m", "", back)])
    assert [(match_.one, match_.score) for match_ in matches] == [("c", 1.0), ("a", 0.5), ("c", 1.0)]


def bout(text: str, other: str, score: float, sides: tuple[str, str]) -> ModelMatch:
    return ModelMatch(one=text, other=other, score=score, weight=1.0, sides=sides)


def test_two_debates_with_the_sides_swapped_are_one_result() -> None:
    first, back = bout("a", "b", 1.0, ("For", "Against")), bout("b", "a", 1.0, ("For", "Against"))
    played = [("motion", "law", first), ("motion", "law", back), ("motion", "law", first), ("other", "law", back)]
    matches = joined_matches(played)
    assert [(match_.one, match_.other, match_.score, match_.domain) for match_ in matches] == [
        ("a", "b", 0.5, "law"),
        ("a", "b", 1.0, "law"),
        ("b", "a", 1.0, "law"),
    ]
    assert joined_matches([("m", "", first), ("m", "law", back)])[0].score == 1.0
    assert joined_matches([]) == ()


def test_wins_with_both_sides_are_one_win() -> None:
    played = [("m", "", bout("a", "b", 1.0, ("For", "Against"))), ("m", "", bout("a", "b", 1.0, ("Against", "For")))]
    assert [(joined.one, joined.score) for joined in joined_matches(played)] == [("a", 1.0)]
