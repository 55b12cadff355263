"""What is remembered against a decision: what somebody voted for or still held, in words."""

from collections.abc import Mapping

import pytest

from folkmoot.core.ask import Form
from folkmoot.core.decision import Ballot, Decision, Minority
from tests.learn.lessons_kit import THREE, Paper
from tests.learn.test_lessons import teach

Votes = Mapping[str, str]


def ruled(votes: Votes, minority: tuple[Minority, ...], winner: str = "Bob", *, ranked: bool = False) -> Decision:
    ballots = tuple(
        Ballot(voter=voter, choice=choice, ranks=((choice,),) if ranked else (), state="cast" if choice else "missing")
        for voter, choice in votes.items()
    )
    return Decision(status="decided", winner=winner, text="Bob's way", ballots=ballots, minority=minority)


def named(**by: tuple[str, ...]) -> tuple[Minority, ...]:
    return tuple(Minority(answer=name, by=voters, argument=f"Take {name}'s") for name, voters in by.items())


@pytest.mark.parametrize(
    ("votes", "minority", "ranked", "expected"),
    [
        # Candidates are called by their authors. All are for Bob: nobody is against him.
        ({"Ann": "Bob", "Bob": "Bob", "Cy": "Bob"}, named(Ann=(), Cy=()), False, ()),
        ({"Ann": "Bob", "Bob": "Bob", "Cy": "Ann"}, named(Ann=("Cy",), Cy=()), False, ("Ann's way",)),
        ({"Ann": "Bob", "Bob": "Bob", "Cy": ""}, named(Ann=(), Cy=()), False, ("Cy's way",)),
        # Whoever ranks others may still hold its own.
        ({"Ann": "Bob", "Bob": "Cy", "Cy": "Bob"}, named(Ann=(), Cy=("Bob",)), True, ("Ann's way", "Cy's way")),
        # Candidates are answers.
        ({"Ann": "b", "Bob": "b", "Cy": "b"}, (Minority(answer="Cy's way"), Minority(answer="x")), False, ()),
        ({"Ann": "b", "Bob": "b", "Cy": ""}, (Minority(answer="cy's way."), Minority(answer="x")), False,
         ("cy's way.",)),
        ({"Ann": "b", "Bob": "b", "Cy": "x"}, (Minority(answer="x", by=("Cy",)),), False, ("x",)),
        # Nobody voted: those who gave an answer may have left it.
        ({}, (Minority(answer="Cy's way", by=("Cy",)), Minority(answer="old", by=("Ann",))), False, ("Cy's way",)),
        ({}, named(Ann=("Ann",)), False, ("Ann's way",)),
        ({"Ann": "Bob", "Bob": "Cy", "Cy": "Bob"}, (Minority(answer="bob's way.", by=("Ann",)),), True, ()),  # the same
        ({}, (Minority(answer="spoken", by=("Dot",)),), False, ("spoken",)),
    ],
)  # fmt: skip
def test_only_what_somebody_held_or_voted_for(
    votes: Votes, minority: tuple[Minority, ...], ranked: bool, expected: tuple[str, ...]
) -> None:
    paper = Paper(THREE)
    for name in THREE:
        paper.say(name, "propose", ANSWER=f"{name}'s way")
    assert teach(paper, ruled(votes, minority, ranked=ranked)).outcome.minority == expected


def test_an_answer_without_a_field_is_remembered_by_its_words_and_never_by_a_name() -> None:
    paper = Paper(THREE)
    for name in THREE:
        paper.say(name, "propose", form=Form(name="free", fields=()))
    votes = {"Ann": "Ann", "Bob": "Bob", "Cy": "Bob"}
    assert teach(paper, ruled(votes, named(Ann=("Ann",)))).outcome.minority == ("Take Ann's",)
    paper.events = paper.events[:-2]
    assert teach(paper, ruled(votes, (Minority(answer="Ann", by=("Ann",)),))).outcome.minority == ()
