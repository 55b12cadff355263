"""Forms as text: what is written can be read, instructions are never mistaken for answers, and reading is quick."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from folkmoot.answers.layout import form_instructions, read, repair_question, template, write
from folkmoot.answers.values import read_value
from folkmoot.core.ask import ABSTAIN, Field, Form, Layout, Value
from folkmoot.core.text import clean
from folkmoot.core.unread import Unread
from folkmoot.phases.speak import draft as first_answer
from tests.answers.answer_forms import ballot, draft, marks, scaffold, settlement
from tests.kits.codes import codes

BLANK = Field(name="My verdict is [[{}]]", kind="choice", choices=("A", "B", "A=B"))
JUDGED = Form(name="verdict", layout="line", fields=(BLANK,))
FORMS = (ballot(), ballot(strict=True), scaffold(), settlement(), draft(), marks(), JUDGED)
EVERY_KIND = (
    Field(name="ANSWER"),
    Field(name="PICK", kind="choice", choices=("Ann", "Bob Lee", "N/A")),
    Field(name="SURE", kind="number", low=0, high=10),
    Field(name="DONE", kind="flag"),
    Field(name="POINTS", kind="list"),
    Field(name="NOTE", required=False),
)
LAYOUTS: tuple[Layout, ...] = ("sections", "tags", "json")

TEXTS = (
    st.text(
        st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], include_characters="\n"), min_size=1, max_size=60
    )
    .map(clean)
    .map(str.strip)
    .filter(bool)
)
ITEMS = TEXTS.filter(lambda text: "\n" not in text and text == " ".join(text.split()))
WORDS = st.one_of(
    st.just(""),
    st.text(max_size=60),
    st.sampled_from(["STATUS: SETTLED", "<think>", '{"ANSWER": 1}', "```", '"', "> x"]),
)


def form(layout: Layout, *, under: str = "", envelope: str = "") -> Form:
    """A form with a field of every kind."""
    return Form(name="form", fields=EVERY_KIND, layout=layout, under=under, envelope=envelope)


def readable(text: str) -> bool:
    """Whether a text is one that a form can hold: it has words, and is neither a template nor "none"."""
    return all(read_value(field, text) == text for field in EVERY_KIND if field.kind == "text")


@st.composite
def fields(draw: st.DrawFn) -> dict[str, Value]:
    """Values for every field."""
    texts = TEXTS.filter(readable)
    return {
        "ANSWER": draw(texts),
        "PICK": draw(st.sampled_from(EVERY_KIND[1].choices)),
        "SURE": draw(
            st.one_of(st.integers(0, 10), st.floats(0, 10).filter(lambda number: number == 0 or number > 1e-4))
        ),
        "DONE": draw(st.booleans()),
        "POINTS": tuple(draw(st.lists(texts.filter(lambda text: "\n" not in text), min_size=1, max_size=3))),
        "NOTE": draw(texts),
    }


@given(layout=st.sampled_from(LAYOUTS), values=fields(), words=WORDS)
@example(layout="sections", values={"ANSWER": "a\nPICK: Bob Lee\n> b"}, words="PICK: Ann")
@example(layout="tags", values={"ANSWER": "</ANSWER><PICK>Ann</PICK> & <![CDATA[x]]>"}, words="<PICK>Ann</PICK>")
@example(layout="json", values={"ANSWER": '{"ANSWER": "x"}\\u0041'}, words='{"ANSWER": "y"}')
def test_what_is_written_can_be_read(layout: Layout, values: Mapping[str, Value], words: str):
    whole = set(values) == {field.name for field in EVERY_KIND}
    forms = [form(layout), form(layout, envelope="Message" if layout == "tags" else "")]
    for layout_form in [*forms, *([form("json", under="inner")] if whole else [])]:
        assert read(layout_form, write(layout_form, values, words), speaker="Ann").fields == values


@given(st.sampled_from(["Agent1", "Agent2", "Agent3", ABSTAIN]), WORDS, st.booleans())
def test_what_is_voted_can_be_read(vote: str, words: str, strict: bool):
    ballot_form = ballot(strict=strict)
    assert read(ballot_form, write(ballot_form, {"I vote for": vote}, words), speaker="Agent3").fields == {
        "I vote for": vote
    }


def test_words_that_do_no_harm_stay_as_they_are():
    assert write(ballot(), {"I vote for": "Agent1"}, "It is cheap.") == "It is cheap.\n\nI vote for: Agent1"


def test_words_that_would_disturb_are_set_as_a_quotation():
    written = write(ballot(), {"I vote for": "Agent1"}, "I vote for: Agent2\nreally")
    assert written == "> I vote for: Agent2\n> really\n\nI vote for: Agent1"


@pytest.mark.parametrize("fields", [{"I vote for": "Nobody"}, {"Colour": "red"}])
def test_fields_that_the_form_does_not_have_cannot_be_written(fields: dict[str, Value]):
    with pytest.raises(ValueError, match="cannot be written"):
        write(ballot(), fields)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Both are good. Therefore, my verdict is [[B]].", "B"),
        ("**My verdict is [[ a=b ]]**", "A=B"),
        ("My verdict is [[A]]. As I said, my verdict is [[A]].", "A"),
        ("My verdict is [[A]]. On second thoughts: my verdict is [[B]].", None),
        ("My verdict is [[C]]", None),
        ("My verdict is [[A or B]]", None),
        ('Write "My verdict is [[A]]" if the first one is better.', None),
        ("> My verdict is [[A]]", None),
        ("One writes:\n```\nMy verdict is [[A]]\n```", None),
        ("Ben:\nMy verdict is [[A]]", None),
        ("[[A]]", None),
    ],
)
def test_a_choice_may_stand_in_the_middle_of_a_formula(text: str, verdict: str | None):
    assert read(JUDGED, text, others=("Ben",)).fields.get(BLANK.name) == verdict


def test_a_formula_with_its_choice_in_the_middle_is_written_as_it_is_read():
    written = write(JUDGED, {BLANK.name: "B"}, "It is shorter.")
    assert written == "It is shorter.\n\nMy verdict is [[B]]"
    assert read(JUDGED, written).fields == {BLANK.name: "B"}


def test_a_line_holds_other_fields_too():
    form = Form(
        name="guess", fields=(Field(name="My guess", kind="number", low=0, high=1), Field(name="Why")), layout="line"
    )
    values = {"My guess": 0.25, "Why": "It rained."}
    assert read(form, write(form, values)).fields == values
    assert codes(read(form, "My guess: 0.2\nMy guess: 0.3")) == ("My guess: ambiguous", "Why: no_form")


@pytest.mark.parametrize(
    "form", [*FORMS, *map(form, LAYOUTS), form("tags", envelope="Message"), form("json", under="inner")]
)
def test_a_repeated_instruction_is_no_answer(form: Form):
    for text in (
        form_instructions(form),
        f"You said: {form_instructions(form)}",
        f"```\n{form_instructions(form)}\n```",
    ):
        reading = read(form, text, speaker="Agent1")
        assert reading.fields == {}
        assert reading.unread


def test_instructions_name_choices_ranges_and_what_may_be_left_out():
    text = form_instructions(
        replace(form("sections"), fields=(*EVERY_KIND, Field(name="AGE", kind="number", low=1, help="in years")))
    )
    for words in ('"Ann", "Bob Lee", "N/A"', "from 0 to 10", "of at least 1", "NOTE: (optional)", "in years"):
        assert words in text
    assert ABSTAIN in form_instructions(ballot())
    assert read(ballot(), f"I vote for: {ABSTAIN}").fields == {"I vote for": ABSTAIN}
    assert "of at most 3" in form_instructions(Form(name="few", fields=(Field(name="N", kind="number", high=3),)))
    assert ABSTAIN in form_instructions(
        Form(name="pick", fields=(Field(name="PICK", kind="choice", choices=("a",), abstain=True),))
    )


def test_nothing_above_the_form_looks_like_an_answer():
    for shown in (first_answer(("Tea", "Coffee")), form("sections")):
        rows = form_instructions(shown).split("\n")
        first = next(number for number, row in enumerate(rows) if row.startswith(f"{shown.fields[0].name}:"))
        assert not any(row.startswith(f"{item.name}:") for row in rows[:first] for item in shown.fields)


@pytest.mark.parametrize("options", [("one", "two"), ("of", "one of"), ("a or b", "c, d"), ("Tea", "one of Tea")])
@pytest.mark.parametrize("final", [False, True])
def test_a_slot_that_is_copied_chooses_nothing(options: tuple[str, ...], *, final: bool):
    for asked in (
        ballot(options),
        first_answer(options),
        replace(first_answer(options), layout="tags", envelope="Message"),
    ):
        for row in template(asked).split("\n"):
            for around in ("{}", "**{}**", "I think.\n{}", "{}.", "{}\nor so"):
                assert read(asked, around.format(row), final=final).fields == {}, row


def test_a_form_that_is_copied_with_its_marks_for_what_is_optional_says_nothing():
    marks = Form(
        name="marks",
        fields=(
            Field(name="TARGET", kind="choice", choices=("T3",), required=False),
            Field(name="GRADE", kind="number", required=False),
            Field(name="SURE", kind="flag", required=False, help="if you are"),
            Field(name="NOTE", required=False),
        ),
    )
    assert read(marks, template(marks)).fields == {}
    filled = "GRADE: (optional) (7)\nSURE: (optional) true\nNOTE: (optional) Hm."
    assert read(marks, filled).fields == {"GRADE": 7, "SURE": True, "NOTE": "Hm."}


def test_the_repair_question_names_each_fault_and_asks_for_what_is_missing_alone():
    reading = read(draft(), "ARGUMENT: Tea is warm.\nANSWER: 42\nCONFIDENCE: 7")
    question = repair_question(draft(), reading)
    assert all(unread.field in question for unread in reading.unread)
    assert "ARGUMENT:" not in question
    assert "couldn't be read" in repair_question(draft(), replace(reading, unread=(Unread("X", "other"),)))


def test_the_repair_question_shows_each_choice_as_it_is_said_and_a_copy_of_it_chooses_none():
    for asked in (
        ballot(("A", "B")),
        first_answer(("Tea", "Coffee")),
        replace(first_answer(("Tea", "Coffee")), layout="tags"),
    ):
        question = repair_question(asked, read(asked, "Hm."))
        item = next(item for item in asked.fields if item.kind == "choice")
        assert all(write(asked, {item.name: choice}) in question for choice in item.choices)
        assert read(asked, question, final=True).fields == {}


def test_the_repair_question_says_again_what_was_clear_and_a_copy_of_it_chooses_nothing():
    asked = ballot(("A", "B"))
    text = "I vote for: B\nThanks to all."
    clear = read(asked, text, final=True).fields
    question = repair_question(asked, read(asked, text), clear)
    assert question.count("I vote for: B") == 2, "beside the list of the lines that can be said"
    assert read(asked, question, final=True).fields == {}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I vote for: A\nI vote for: B", ("different", "A, B")),
        ("I vote for: Cay", ("Cay", "abstain")),
        ("I vote for: A\nThanks to all.", ("behind", "Thanks to all.")),
        ("I vote for: A because it is cheap", ("behind", "because it is cheap")),
    ],
)
def test_the_repair_question_names_what_stood_in_the_way_and_the_closed_list(text: str, parts: tuple[str, ...]):
    question = repair_question(ballot(("A", "B")), read(ballot(("A", "B")), text))
    assert all(part in question for part in (*parts, '"A", "B"'))


# ---- words -----------------------------------------------------------------------------------------------------

WORDS_LEFT = [
    ("Hello.", "Hello."),
    ("Ann: Hello.", "Hello."),
    ("**Ann:** Hello.", "Hello."),
    ("**Ann**: Hello.", "Hello."),
    ("[Ann]: Hello.", "Hello."),
    ("Bob: Hello.", "Bob: Hello."),
    ("Ann\nis here: yes", "Ann\nis here: yes"),
    ("<think>x</think>Hello.", "Hello."),
    ("<think>x</think>\nAnn: Hello.", "Hello."),
    ("Write `<think>` to think.", "Write `<think>` to think."),
    ("<think>never closed", ""),
    ("Hello.<thinking>x", "Hello."),
    ("<|channel|>analysis<|message|>x", ""),
    ("<|channel|>final<|message|>Hello.<|return|>", "Hello."),
    ("<|channel|>final <|constrain|>text<|message|>Hello.<|return|>", "Hello."),
    ("One\u2028two\r\nthree", "One\ntwo\nthree"),
]


@pytest.mark.parametrize(("text", "words"), WORDS_LEFT)
def test_words_come_without_thoughts_and_without_ones_own_name(text: str, words: str):
    reading = read(None, text, speaker="Ann")
    assert (reading.text, reading.fields, reading.unread) == (words, {}, ())


def test_a_name_of_ones_own_stays_where_it_begins_a_sentence():
    assert read(None, "SQLite: in-process, no server.", speaker="SQLite").text == "SQLite: in-process, no server."


def test_a_name_of_ones_own_goes_before_a_form_that_speaks_of_it():
    form = Form(name="vote", fields=(Field(name="I vote for", kind="choice", choices=("SQLite", "Redis")),))
    reading = read(form, "SQLite: I vote for: Redis", speaker="SQLite")
    assert reading.fields == {"I vote for": "Redis"}


def test_without_a_known_speaker_no_name_is_removed():
    assert read(None, "Ann: Hello.").text == "Ann: Hello."


def test_a_field_may_have_the_name_of_a_thinking_tag():
    form = Form(name="plan", fields=(Field(name="Reasoning"),), layout="tags")
    assert read(form, "<Reasoning>Because.</Reasoning>").fields == {"Reasoning": "Because."}


# ---- conformance -----------------------------------------------------------------------------------------------

VOTES: list[tuple[str, str, bool, dict[str, str]]] = [
    ("K7", "I will not abstain. I vote for: B", False, {"I vote for": "B"}),
    ("K9", "I vote for: nobody", False, {}),
    ("K11", "I vote for B", True, {}),
    ("K11 not strict", "I vote for B", False, {"I vote for": "B"}),
    ("K11 with its colon", "I vote for: B", True, {"I vote for": "B"}),
    ("K13", "I vote for: A\nI vote for: B", False, {}),
    ("K15", "I vote for:\nB", False, {"I vote for": "B"}),
]


@pytest.mark.parametrize(("text", "strict", "booked"), [case[1:] for case in VOTES], ids=[case[0] for case in VOTES])
def test_votes_of_the_council(text: str, strict: bool, booked: dict[str, str]):
    assert read(ballot(("A", "B"), strict=strict), text).fields == booked


RULINGS: list[tuple[str, str, dict[str, str]]] = [
    ("A7", "STATUS: settled", {"STATUS": "SETTLED"}),
    ("A9", "SUMMARY: the DECISION: is near\nDECISION: Buy.", {"SUMMARY": "the DECISION: is near", "DECISION": "Buy."}),
    ("A11", "lorem ipsum", {}),
]


@pytest.mark.parametrize(("text", "fields"), [case[1:] for case in RULINGS], ids=[case[0] for case in RULINGS])
def test_rulings_of_the_pattern(text: str, fields: dict[str, str]):
    reading = read(settlement(), text)
    assert reading.fields == fields
    assert bool(reading.unread) == ("STATUS" not in fields or "SUMMARY" not in fields)


def test_d11_the_outer_object_is_read():
    form = Form(name="pick", fields=(Field(name="choice", kind="choice", choices=("a", "b")),), layout="json")
    assert read(form, 'I take {"choice":"a","x":{"y":1}} as said.').fields == {"choice": "a"}


@pytest.mark.parametrize(
    ("text", "fields", "unread"),
    [
        ("choice: a", {"CHOICE": "a"}, ()),
        ("**CHOICE:** a", {"CHOICE": "a"}, ()),
        ("CHOICE: a\nCONFIDENCE: 90%", {"CHOICE": "a", "CONFIDENCE": 0.9}, ()),
        ("CHOICE: a\nCONFIDENCE: 7", {"CHOICE": "a"}, ("CONFIDENCE: out_of_range",)),
    ],
)
def test_r15_choice_and_confidence(text: str, fields: dict[str, Value], unread: tuple[str, ...]):
    choice = Field(name="CHOICE", kind="choice", choices=("a", "b"))
    confidence = Field(name="CONFIDENCE", kind="number", low=0, high=1, required=False)
    reading = read(Form(name="vote", fields=(choice, confidence)), text)
    assert (reading.fields, codes(reading)) == (fields, unread)


# ---- any text --------------------------------------------------------------------------------------------------

UNITS = (
    *(
        "I vote for ",
        "I vote for: Agent1. ",
        "I abstain ",
        "my vote is ",
        "Agent1 and ",
        "に投票します",
        "あ",
        "if ",
        "so ",
        "- ",
        "9",
    ),
    *(
        "<think>",
        "</think>",
        "<Verdict>",
        "</Verdict>",
        "<Message>",
        "<Message>\n",
        "<!--",
        "<![CDATA[",
        "<a ",
        "&amp;",
    ),
    *("{", '{"a":', '{"scores": ', "[", "*", "_", '"', " '", "`", "```\n", "> ", "~~", "\\", "\n", " "),
    *("STATUS: SETTLED\n", "**STATUS", "\u0301\u0327", "e\u0301\u0327"),
    *("…", "?", "漢", "{a", "{'a': ", "</q>", "<q></q>", "<q>", "<Content></Content>", "<a b='c'>", "~~a", "//", "/* "),
    *("Agent1:\n", "Agent1 writes:\n", "I vote for:\n", "I vote for: Agent1\n", "<|x|>", "[INST]", "<|channel|>"),
)


@given(
    st.sampled_from(FORMS), st.lists(st.one_of(st.text(max_size=8), st.sampled_from(UNITS)), max_size=12).map("".join)
)
def test_no_text_breaks_the_reader_and_what_it_books_is_allowed(form: Form, text: str):
    reading = read(form, text, speaker="Agent3")
    for field in form.fields:
        value = reading.fields.get(field.name)
        assert value is None or field.kind != "choice" or value in (*field.choices, ABSTAIN)
        assert value is not None or not field.required or reading.unread
