"""Artifacts: what turns attach, and what it is called."""

import pytest

from folkmoot.core.ask import Reply, Value
from folkmoot.core.roles import artifacts
from folkmoot.core.text import clip
from folkmoot.core.transcript import Turn


def turn(number: int, value: Value | None, *, field: str = "Artifacts") -> Turn:
    reply = Reply(text="x", fields={} if value is None else {field: value})
    return Turn(key=f"/debate/meeting#{number}", by="Ann", act="argue", number=number, reply=reply)


def test_artifacts_are_called_after_their_turns_in_the_order_of_the_turns() -> None:
    turns = (turn(2, "# Costs\n| a | b |"), turn(3, None), turn(5, ("one", "two")), turn(6, " \n"))
    items = artifacts(turns)
    assert [(artifact.mark, artifact.turn.mark, artifact.title, artifact.text) for artifact in items] == [
        ("A2", "T2", "Costs", "# Costs\n| a | b |"),
        ("A5", "T5", "one", "- one\n- two"),
    ]


def test_a_mark_is_the_same_for_who_sees_fewer_turns() -> None:
    turns = (turn(1, "old"), turn(4, "new"))
    assert artifacts(turns)[1] == artifacts(turns[1:])[0]


@pytest.mark.parametrize(
    ("text", "title"),
    [("**Costs**\nx", "Costs"), ("\n\n- a", "a"), ("---\n```\n", ""), ("w" * 99, clip("w" * 99, 80))],
)
def test_the_title_is_the_first_line_with_words(text: str, title: str) -> None:
    assert artifacts([turn(1, text, field="ARTIFACTS")])[0].title == title


def test_no_turns_carry_nothing() -> None:
    assert artifacts([]) == ()
    assert artifacts([Turn(key="k", by="Ann", act="argue", number=1)]) == ()
