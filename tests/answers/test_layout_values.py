"""Values of fields: what numbers, choices, flags and lists mean, in each layout."""

import json

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import ABSTAIN, Field, Form, Layout, Value
from tests.answers.answer_forms import ballot, draft, settlement
from tests.kits.codes import codes


def one(field: Field, layout: Layout = "sections") -> Form:
    """A form with one field."""
    return Form(name="form", fields=(field,), layout=layout)


def number(text: str, low: float | None, high: float | None) -> Value | str:
    """The number that is read, or the reason why none is."""
    reading = read(one(Field(name="N", kind="number", low=low, high=high)), f"N: {text}")
    return reading.fields.get("N", codes(reading)[0] if reading.unread else "")


FLAGS = [
    ("true", True),
    ("FALSE", False),
    ("**true**", True),
    ("yes", None),
    ("true or false", None),
    ("not true", None),
]


@pytest.mark.parametrize(("text", "value"), FLAGS)
def test_a_flag_is_true_or_false(text: str, value: bool | None):
    assert read(one(Field(name="DONE", kind="flag")), f"DONE: {text}").fields.get("DONE") is value


LISTS = [
    ("\n- one\n- two", ("one", "two")),
    ("\n1. one\n2) two\n\n• three", ("one", "two", "three")),
    ("one", ("one",)),
    ('[a list: one line for each, beginning with "- "]', None),
    ("", None),
]


@pytest.mark.parametrize(("text", "items"), LISTS)
def test_a_list_has_one_item_a_line(text: str, items: tuple[str, ...] | None):
    assert read(one(Field(name="POINTS", kind="list")), f"POINTS: {text}").fields.get("POINTS") == items


OBJECTS = [
    (Field(name="a"), '{"a": "x"}', "x"),
    (Field(name="a"), '{"a": 25.50}', "25.5"),
    (Field(name="a"), '{"a": "one\ntwo \\u00e9 \\ud83d\\ude00 \\( \\t."}', "one\ntwo é 😀 \\( \t."),
    (Field(name="a"), "{'a': \"it's\"}", "it's"),
    (Field(name="a"), '{"a": "x", "b": 1, "b": 2}', "x"),
    (Field(name="a"), '{"a": "x\\u12"}', "x\\u12"),
    (Field(name="a"), '{"a": {"b": 1}}', "a: wrong_type"),
    (Field(name="a"), '{"a": true}', "a: wrong_type"),
    (Field(name="a"), '{"a": null}', "a: empty"),
    (Field(name="a"), '{"a": " "}', "a: empty"),
    (Field(name="a"), '{"a": "x", "a": "y"}', "a: duplicate_key"),
    (Field(name="a"), '{"a": "x", "A": "y"}', "a: duplicate_key"),
    (Field(name="a"), '{"b": "x"}', "a: missing"),
    (Field(name="a"), '{"a" "x"}', "form: malformed"),
    (Field(name="a"), '{"a": "x" "b"}', "form: malformed"),
    (Field(name="a"), '{"a": "x', "form: malformed"),
    (Field(name="a"), '{"a": "x\\', "form: malformed"),
    (Field(name="a"), '{"a": [1, 2', "form: malformed"),
    (Field(name="a", kind="choice", choices=("1", "2")), '{"a": 2}', "2"),
    (Field(name="a", kind="choice", choices=("x",), abstain=True), '{"a": "ABSTAIN"}', ABSTAIN),
    (Field(name="a", kind="choice", choices=("x",)), '{"a": "ABSTAIN"}', "a: not_allowed"),
    (Field(name="a", kind="flag"), '{"a": true}', True),
    (Field(name="a", kind="flag"), '{"a": "False"}', False),
    (Field(name="a", kind="flag"), '{"a": 1}', "a: wrong_type"),
    (Field(name="a", kind="list"), '{"a": ["x", 2, ]}', ("x", "2")),
    (Field(name="a", kind="list"), '{"a": "x"}', ("x",)),
    (Field(name="a", kind="list"), '{"a": ""}', "a: empty"),
    (Field(name="a", kind="list"), '{"a": ["x", null]}', "a: wrong_type"),
    (Field(name="a", kind="number"), '{"a": 1e999}', "a: invalid_number"),
    (Field(name="a", kind="number", low=0), '{"a": 1e999}', "a: invalid_number"),
    (Field(name="a", kind="number"), '{"a": -2.5e1}', -25.0),
]


@pytest.mark.parametrize(("field", "text", "value"), OBJECTS)
def test_members_of_an_object(field: Field, text: str, value: Value):
    reading = read(one(field, "json"), text)
    assert reading.fields.get("a", *codes(reading)) == value


HIRING, LEVELS = ("HIRE", "NO_HIRE"), ("LEVEL-1", "LEVEL-2", "YES NO", "-1", "1")
CONSTANTS: list[tuple[tuple[str, ...], str, str | None]] = [
    *(
        (HIRING, text, "NO_HIRE")
        for text in ("NO HIRE", "no hire", "no-hire", "No-Hire.", "**no\u2011hire**", "no_hire")
    ),
    *((HIRING, text, None) for text in ("NO - HIRE", "no, hire", "no\n\nhire")),
    *((HIRING, text, None) for text in ("hire no", "~~no hire~~", "not no hire", "no hire, hire", "no-")),
    (LEVELS, "level 2", "LEVEL-2"),
    (LEVELS, "YES_NO", "YES NO"),
    (LEVELS, "- 1", None),
    (("A_B", "A-B"), "a b", None),
    (("A_B", "a-b"), "a b", None),
    (("A_B", "A-B"), "a-b", "A-B"),
]


@pytest.mark.parametrize("layout", ["tags", "json"])
@pytest.mark.parametrize(("choices", "text", "choice"), CONSTANTS)
def test_blanks_hyphens_and_underscores_are_the_same_in_a_constant(
    choices: tuple[str, ...], text: str, choice: str | None, layout: Layout
):
    form = one(Field(name="V", kind="choice", choices=choices), layout)
    answer = json.dumps({"V": text}) if layout == "json" else f"<V>{text}</V>"
    assert read(form, answer).fields.get("V") == choice


def test_a_constant_in_a_section_keeps_its_rivals():
    form = one(Field(name="V", kind="choice", choices=HIRING))
    assert read(form, "V: no hire\nToo few papers.").fields == {"V": "NO_HIRE"}
    assert codes(read(form, "V: HIRE\nno-hire")) == ("V: ambiguous",)


# ---- sections --------------------------------------------------------------------------------------------------

DECISIONS = [
    ("STATUS: SETTLED\nDECISION: Buy.", "Buy."),
    ("**STATUS:** SETTLED\n**DECISION: Buy.**", "Buy."),
    ("**STATUS: SETTLED**\n**DECISION: Buy.", "Buy."),
    ("STATUS: SETTLED\nDECISION:\nBuy\n- in May\n- in June\n\n---\n", "Buy\n- in May\n- in June"),
    ("STATUS: SETTLED\nDECISION: Buy.\nDECISION: Buy.", "Buy."),
    ("STATUS: CONTINUE\nDECISION: Buy.", "Buy."),
    ("DECISION: Buy.", "Buy."),
    ("STATUS: SETTLED\nDECISION: Buy.\nDECISION: Wait.", None),
    ("STATUS: SETTLED\nDECISION: ~~Sell.~~ Hold.", "Hold."),
    ("STATUS: SETTLED\nDECISION: none", None),
    ("STATUS: SETTLED\nDECISION: N/A.", None),
    ("STATUS: SETTLED\nDECISION: -", None),
    ("STATUS: SETTLED\nDECISION: [your text]", None),
    ("STATUS: SETTLED\nDECISION: <the decision in one sentence>", None),
    ("STATUS: SETTLED\nDECISION: ...", None),
    ("STATUS: SETTLED\nDECISION:", None),
    ("STATUS: SETTLED\nDecision - we come to it later.", None),
    ("STATUS: SETTLED\n| DECISION | Buy. |", None),
]


@pytest.mark.parametrize(("text", "decision"), DECISIONS)
def test_a_decision_is_what_its_section_says(text: str, decision: str | None):
    assert read(settlement(), text).fields.get("DECISION") == decision


def test_a_required_text_may_say_none():
    assert read(one(Field(name="ISSUE")), "ISSUE: none").fields == {"ISSUE": "none"}


def test_two_statuses_are_none():
    assert "STATUS" not in read(settlement(), "STATUS: SETTLED\nCONTINUE").fields
    assert "STATUS" not in read(settlement(), "STATUS: not settled, or settled?").fields


def test_sections_keep_their_words_and_the_rest_stays_in_the_text():
    text = "I thought long.\n\nANSWER: 42\nCONFIDENCE: 0.9\nARGUMENT: Because\n\n```\nCONFIDENCE: 1\n```\nof that."
    reading = read(draft(), text)
    assert reading.text == text
    assert reading.fields["ARGUMENT"] == "Because\n\n```\nCONFIDENCE: 1\n```\nof that."
    assert reading.fields["CONFIDENCE"] == 0.9


@pytest.mark.parametrize(
    "answer",
    [
        "Wrap it in <section>one</section>, not <main>.",
        "\n```html\n<ul><li>one</li></ul>\n```",
        "\n```python\ndef f(x: List[int]) -> int:\n    return x[0]\n```",
        "So:\n> He said that.\nHe is right.",
    ],
)
def test_a_text_keeps_its_code_tags_and_quotations(answer: str):
    text = f"ANSWER: {answer}\nCONFIDENCE: 0.9\nARGUMENT: It works."
    fields = read(draft(), text).fields
    assert (fields["ANSWER"], fields["CONFIDENCE"]) == (answer.strip(), 0.9)


def test_sections_of_somebody_else_are_none():
    assert read(settlement(), "Bear wrote:\nSTATUS: SETTLED", others=("Bear",)).fields == {}


# ---- names -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "turn"),
    [("T2 (Ben)", "T2"), ("**T2** (Ben's).", "T2"), ("T2 (not T1)", None), ("(Ben)", None), ("T3 (Ben)", None)],
)
def test_a_remark_in_brackets_may_stand_behind_a_choice(text: str, turn: str | None):
    target = one(Field(name="TARGET", kind="choice", choices=("T1", "T2")))
    assert read(target, f"TARGET: {text}").fields.get("TARGET") == turn


def test_names_that_cannot_be_told_apart_are_not_booked():
    assert read(ballot(("Ann", "ANN", "Bob")), "I vote for: ann", final=True).fields == {}
    assert codes(read(ballot(("Ann", "ANN", "Bob")), "I vote for: ann")) == ("I vote for: ambiguous",)
    assert read(ballot(("Ann", "ANN", "Bob")), "I vote for: Bob").fields == {"I vote for": "Bob"}
    pick = one(Field(name="PICK", kind="choice", choices=("A*", "A")))
    assert read(pick, "PICK: A*").fields == {"PICK": "A*"}
    assert codes(read(pick, "PICK: (A)")) == ("PICK: ambiguous",)


def test_another_formula_needs_its_colon():
    pick = Form(name="pick", fields=(Field(name="Winner", kind="choice", choices=("Ann", "Bob")),), layout="line")
    assert read(pick, "So,\nWinner: Bob").fields == {"Winner": "Bob"}
    assert codes(read(pick, "The winner is Bob")) == ("Winner: no_form",)
    assert codes(read(pick, "My vote goes to Bob.")) == ("Winner: no_form",)


def test_a_label_of_ones_own_name_may_stand_in_the_middle():
    text = "Both are good.\nAgent3: I vote for: Agent1"
    assert read(ballot(), text, speaker="Agent3").fields == {"I vote for": "Agent1"}
    assert read(ballot(), text, speaker="Agent2", others=("Agent3",)).fields == {}


def test_two_objects_that_differ_are_none():
    form = one(Field(name="a"), "json")
    assert codes(read(form, '{"a": "x"}\n{"a": "y"}')) == ("form: ambiguous",)


def test_single_quotation_marks_do_not_reach_over_an_empty_line():
    text = "The agents' plans 'are fine.\n\n'So' it's clear. I vote for: Agent1"
    assert read(ballot(), text).fields == {"I vote for": "Agent1"}
    assert read(ballot(), "'One' and 'two'.\nI vote for: Agent1").fields == {"I vote for": "Agent1"}


@pytest.mark.parametrize("value", ["none", "None.", "N/A", "-", ""])
def test_a_choice_that_may_be_left_out_may_say_none(value: str):
    target = Field(name="TARGET", kind="choice", choices=("T1", "T12"), required=False)
    assert read(one(target), f"TARGET: {value}").unread == ()
    assert read(one(target), "TARGET: T1").fields == {"TARGET": "T1"}
    assert codes(read(one(target), "TARGET: T2")) == ("TARGET: not_allowed",)
    assert read(one(target), "I have nothing to name.").unread == ()
    named = Field(name="TARGET", kind="choice", choices=("T1", "none"), required=False)
    assert read(one(named), "TARGET: none").fields == {"TARGET": "none"}


NOTE = Form(
    name="note",
    fields=(Field(name="Aside", kind="text", required=False),),
    layout="tags",
    envelope="Message",
)


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("Hello.", ("note: no_form",)),
        ("<Message><Aside>a", ("note: unclosed",)),
        ("<Message><Aside>a</Aside></Message>", ()),
    ],
)
def test_where_no_field_is_required_the_form_is_unread(text: str, unread: tuple[str, ...]):
    assert codes(read(NOTE, text)) == unread
