"""Answers in records: whole blocks count, nothing must be written, and what is not whole is named."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.answers.layout import form_instructions, read, repair_question, write
from folkmoot.core.ask import Field, Form
from tests.kits.codes import codes

FORM = Form(
    name="findings",
    layout="records",
    under="FINDING",
    fields=(Field(name="FINDINGS", kind="list"),),
    record=(
        Field(name="FILE"),
        Field(name="SEVERITY", kind="choice", choices=("high", "low")),
        Field(name="QUOTE"),
        Field(name="WHY", required=False),
    ),
    most=3,
)
ONE = "FINDING\nFILE: a.py\nSEVERITY: high\nQUOTE: x = 1\nWHY: so\nEND"


def records(text: str) -> list[dict[str, str]]:
    return [json.loads(item) for item in read(FORM, text).fields["FINDINGS"]]  # type: ignore[union-attr]


def test_a_block_is_read_with_its_fields() -> None:
    assert records(f"Here they are:\n\n{ONE}\n\nThat is all.") == [
        {"FILE": "a.py", "SEVERITY": "high", "QUOTE": "x = 1", "WHY": "so"}
    ]


def test_marks_around_words_and_labels_do_not_matter() -> None:
    text = "### FINDING 1:\n**File:** a.py\n- Severity: **High**\nquote: x\n**END**"
    assert records(text) == [{"FILE": "a.py", "SEVERITY": "high", "QUOTE": "x"}]


def test_what_stands_in_a_block_before_its_first_label_is_no_field() -> None:
    assert records(ONE.replace("FILE:", "The worst one is this.\nFILE:")) == records(ONE)


def test_code_keeps_its_lines_and_what_looks_like_labels() -> None:
    code = "\n    FILE: other\n    why: not\nEND\n    END2"
    text = f"FINDING\nFILE: a\nSEVERITY: low\nQUOTE:{code}\nWHY: it is\nlong\nEND"
    assert records(text)[0]["QUOTE"] == "    FILE: other\n    why: not\nEND\n    END2"
    assert records(text)[0]["WHY"] == "it is\nlong"


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("", ("FINDINGS: no_form",)),
        ("I found no problems.", ("FINDINGS: no_form",)),
        ("> NO FINDINGS", ("FINDINGS: no_form",)),
        ("The other one says:\nNO FINDINGS", ("FINDINGS: no_form",)),
        ("NO FINDINGS\nbut look at line 3", ("FINDINGS: no_form",)),
        (f"{ONE}\nNO FINDINGS", ("FINDINGS: ambiguous",)),
        (ONE.removesuffix("END"), ("FINDING 1: unclosed",)),
        (ONE.replace("high", "huge"), ("FINDING 1 SEVERITY: not_allowed",)),
        (ONE.replace("SEVERITY: high\n", "SEVERITY: high\nSEVERITY: low\n"), ("FINDING 1 SEVERITY: ambiguous",)),
        (ONE.replace("QUOTE: x = 1\n", ""), ("FINDING 1 QUOTE: missing",)),
        (ONE.replace("x = 1", ""), ("FINDING 1 QUOTE: empty",)),
        (ONE.replace("a.py", "[your text]"), ("FINDING 1 FILE: empty",)),
    ],
)
def test_what_is_not_whole_is_not_guessed(text: str, unread: tuple[str, ...]) -> None:
    reading = read(FORM, text)
    assert (dict(reading.fields), codes(reading)) == ({}, unread)


def test_whole_blocks_count_beside_broken_ones() -> None:
    reading = read(FORM, f"{ONE}\n{ONE.replace('high', 'huge')}")
    assert len(reading.fields["FINDINGS"]) == 1  # type: ignore[arg-type]
    assert codes(reading) == ("FINDING 2 SEVERITY: not_allowed",)
    assert "FINDING 2 SEVERITY: " in repair_question(FORM, reading)


@pytest.mark.parametrize(
    "text", ["NO FINDINGS", "**NO FINDINGS.**\n", "I looked at all.\n\nNO FINDINGS", "```\nNO FINDINGS\n```"]
)
def test_that_there_is_nothing_must_be_written(text: str) -> None:
    assert read(FORM, text).fields == {"FINDINGS": ()}


def test_no_more_are_read_than_allowed() -> None:
    reading = read(FORM, "\n".join([ONE] * 4))
    assert len(reading.fields["FINDINGS"]) == 3  # type: ignore[arg-type]
    assert codes(reading) == ("FINDINGS: too_many",)


def test_an_empty_optional_field_is_left_out() -> None:
    assert "WHY" not in records(ONE.replace("so", ""))[0]
    assert records(ONE.replace("WHY: so\n", "WHY: [your text]\n"))[0].get("WHY") is None


def test_instructions_show_one_block_and_the_line_for_nothing() -> None:
    words = form_instructions(FORM)
    assert words.count("FINDING\nFILE: ") == 1
    assert "at most 3 times" in words
    assert "NO FINDINGS" in words
    assert read(FORM, words).fields == {}


LINES = st.text(alphabet="abc :=#\n{}", min_size=1, max_size=40).filter(lambda text: bool(text.strip(" \n:={}#")))


@given(st.lists(st.tuples(st.sampled_from(("high", "low")), LINES, st.booleans()), max_size=3))
def test_what_is_written_is_read_back(items: list[tuple[str, str, bool]]) -> None:
    blocks = tuple(
        json.dumps({"FILE": "a", "SEVERITY": severity, "QUOTE": quote.strip("\n"), **({"WHY": "so"} if why else {})})
        for severity, quote, why in items
    )
    assert read(FORM, write(FORM, {"FINDINGS": blocks})).fields == {"FINDINGS": blocks}
