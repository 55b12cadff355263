"""Texts that real models wrote, read in place: not one is booked for what its author did not choose."""

import ast
import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form
from tests.answers.answer_forms import ballot
from tests.paths import SHARED

DATA = SHARED / "data"
Note = Callable[[str, object], None]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded texts are not there: {DATA}")


def rows(name: str) -> Iterator[dict[str, Any]]:
    """The items of one file."""
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        yield cast("dict[str, Any]", json.loads(line))


def tell(note: Note, text: str, booked: list[bool]) -> None:
    """Put the share that was read into the output of the tests."""
    note(text, f"{sum(booked)} of {len(booked)} read ({sum(booked) / len(booked):.0%}), none wrongly")


def test_a_reason_for_a_vote_is_no_ballot(record_property: Note) -> None:
    """Sentences that give the reason of a secret vote; the vote itself was recorded apart from them.

    None of them is in the form of a ballot. Some say "I vote for P6 because …" where no valid vote was recorded, and a
    jury's votes count against those whom its words praise.
    """
    booked: list[bool] = []
    for row in rows("elimination_votes/vote_texts.jsonl"):
        field = read(ballot(tuple(row["candidates"])), row["text"], speaker=row["voter"]).fields.get("I vote for")
        assert field in (None, row["target"]), row
        booked.append(field is not None)
    assert len(booked) > 2000
    tell(record_property, "elimination_votes, reasons in prose", booked)


def test_a_moderators_ruling_is_read_as_it_was_written(record_property: Note) -> None:
    form = Form(
        name="ruling",
        layout="json",
        fields=(
            Field(name="Whether there is a preference", kind="choice", choices=("Yes", "No")),
            Field(name="Supported Side", kind="choice", choices=("Affirmative", "Negative"), required=False),
            Field(name="Reason", required=False),
            Field(name="Correct Translation", required=False),
        ),
    )
    booked: list[bool] = []
    for row in rows("mad_translation/debates.jsonl"):
        for text in row["moderator_raw"]:
            written = {name: value.strip() for name, value in ast.literal_eval(text.strip()).items() if value.strip()}
            fields = read(form, text).fields
            assert all(written.get(name) == value for name, value in fields.items()), (text, fields)
            booked.append(set(fields) == set(written))
    assert sum(booked) >= 0.99 * len(booked) > 200
    tell(record_property, "mad_translation, rulings of the moderator", booked)


def test_a_judges_answer_is_read_and_its_thinking_aloud_is_not(record_property: Note) -> None:
    form = Form(name="judgement", layout="json", fields=(Field(name="Reason"), Field(name="Correct Translation")))
    booked: list[bool] = []
    for row in rows("mad_translation/debates.jsonl"):
        for text in cast("list[str]", row["judge_raw"] or []):
            fields = read(form, text).fields
            if not text.lstrip().startswith("{"):
                assert fields == {}, text
                continue
            written = {name: value.strip() for name, value in json.loads(text, strict=False).items()}
            assert all(written[name] == value for name, value in fields.items()), (text, fields)
            booked.append(len(fields) == 2)
    assert sum(booked) >= 0.95 * len(booked) > 50
    tell(record_property, "mad_translation, answers of the judge", booked)
