"""How far apart answers are, and when that makes a debate needless."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from folkmoot.core.ask import Ask, Field, Form, Reply, Value
from folkmoot.core.event import Asked, Replied
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.policy.rounds import Close, newest_with, spread

WORDS = Field(name="ANSWER")
CHANCE = Field(name="ANSWER", kind="number", low=0, high=1)
NUMBER = Field(name="ANSWER", kind="number")


def turns(field: Field, values: Sequence[Value | None]) -> list[Turn]:
    form = Form(name="f", fields=(field,))
    return [
        Turn(
            key=f"/debate/draft#{n}",
            by=f"V{n}",
            act="draft",
            ask=Ask(key=f"/debate/draft#{n}", to=f"V{n}", act="draft", task="?", form=form),
            reply=Reply(text="words", fields={} if value is None else {"ANSWER": value}),
        )
        for n, value in enumerate(values, start=1)
    ]


@pytest.mark.parametrize(
    ("field", "values", "expected"),
    [
        (WORDS, ["yes", "Yes.", "YES"], 0),
        (WORDS, ["yes", "yes", "no"], Fraction(1, 3)),
        (WORDS, ["a", "b", "c", "d"], Fraction(3, 4)),
        (WORDS, ["yes", None], None),
        (WORDS, ["yes"], None),
        (WORDS, [], None),
        (CHANCE, [0.1, 0.3, 0.2], Fraction(1, 5)),
        (CHANCE, [0.7, 0.7], 0),
        (NUMBER, [80, 100], Fraction(1, 5)),
        (NUMBER, [0, 0], 0),
        (NUMBER, [-50, 100], 1),
    ],
)
def test_the_distance(field: Field, values: list[Value | None], expected: Fraction | None) -> None:
    assert spread(turns(field, values)) == expected


def transcript_of(field: Field, *values: Value | None) -> Transcript:
    transcript = Transcript()
    for turn in turns(field, values):
        assert turn.ask
        assert turn.reply
        transcript.apply(Asked(ask=turn.ask))
        transcript.apply(Replied(key=turn.key, reply=turn.reply))
    return transcript


@pytest.mark.parametrize(
    ("values", "threshold", "reason"),
    [
        (("a", "a", "a"), 0.2, "all 3 give the same answer"),
        (("a", "a", "a", "a", "b"), 0.2, "the answers differ by 0.20, which is not more than 0.2"),
        (("a", "a", "a", "a", "b"), 0.19, ""),
        (("a", "a", "b"), 0.2, ""),
        (("a", "a", None), 0.9, ""),
        (("a", "b"), 1.0, "the answers differ by 0.50, which is not more than 1"),
        (("a", "a"), 0.0, "all 2 give the same answer"),
    ],
)
def test_the_gate(values: tuple[Value | None, ...], threshold: float, reason: str) -> None:
    stop = Close(acts=("draft",), threshold=threshold)
    assert stop.met(transcript_of(WORDS, *values)) == reason


def test_a_turn_whose_form_asks_for_no_answer_is_passed_over() -> None:
    transcript = transcript_of(WORDS, "a", "a")
    transcript.apply(Asked(ask=Ask(key="/debate/note#1", to="V1", act="draft", task="?")))
    transcript.apply(Replied(key="/debate/note#1", reply=Reply(text="b")))
    assert [turn.key for turn in newest_with(transcript, ("draft",), "answer")] == [
        "/debate/draft#1",
        "/debate/draft#2",
    ]
