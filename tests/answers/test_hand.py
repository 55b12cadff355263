"""What a person may write: less than a model must, and nothing that is taken for what it is not."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.answers.manual_form import allowed_values, read_manual_answer
from folkmoot.answers.text import LIMIT
from folkmoot.core.ask import ABSTAIN, Field, Form, Value, allows
from folkmoot.core.errors import BriefError
from folkmoot.phases.speak import ISSUES, SETTLEMENT, VERDICT, draft, revision, speech
from folkmoot.phases.vote import ballot_form
from folkmoot.protocols.board import form_with_verdict, last_word, message

AB = ballot_form(("Proposal A", "Proposal B"))
YESNO = ballot_form(("yes", "no"))
PICK = Form(name="verdict", fields=(Field(name="REASON", help="why"), *AB.fields))
MIXED = Form(
    name="mixed",
    fields=(
        Field(name="TEXT", help="your words"),
        Field(name="GRADE", kind="number", low=0, high=10),
        Field(name="POINTS", kind="list", required=False),
        Field(name="SURE", kind="flag", required=False),
        Field(name="WHICH", kind="choice", choices=("one", "two"), required=False),
    ),
)
BOARD = message(("HIRE", "NO_HIRE"))
LAST = last_word(())
OPEN, CLOSED = draft(()), draft(("build", "buy"))
BALLOT = "I vote for"

READ: list[tuple[Form | None, str, dict[str, Value], dict[str, Value], str]] = [
    (None, " Tea.\r\nIndeed.\x07 ", {}, {}, "Tea.\nIndeed."),
    (AB, "Proposal B", {}, {BALLOT: "Proposal B"}, "I vote for: Proposal B"),
    (AB, "proposal b.", {}, {BALLOT: "Proposal B"}, "I vote for: Proposal B"),
    (AB, "b", {}, {BALLOT: "Proposal B"}, "I vote for: Proposal B"),
    (AB, "  **A** ", {}, {BALLOT: "Proposal A"}, "I vote for: Proposal A"),
    (AB, "abstain", {}, {BALLOT: ABSTAIN}, "I abstain from voting."),
    (AB, "", {BALLOT: "I abstain"}, {BALLOT: ABSTAIN}, "I abstain from voting."),
    (AB, "Because it is cheap.\nI vote for: Proposal A", {}, {BALLOT: "Proposal A"}, ""),
    (AB, "", {"i vote for": "B"}, {BALLOT: "Proposal B"}, "I vote for: Proposal B"),
    (AB, "It is cheap.", {BALLOT: "a"}, {BALLOT: "Proposal A"}, "I vote for: Proposal A\n\nIt is cheap."),
    (YESNO, "Yes", {}, {BALLOT: "yes"}, "I vote for: yes"),
    (PICK, "B", {"REASON": "so"}, {"REASON": "so", BALLOT: "Proposal B"}, "REASON: so\nI vote for: Proposal B"),
    (PICK, "It is cheap.", {BALLOT: "B"}, {"REASON": "It is cheap.", BALLOT: "Proposal B"}, ""),
    (OPEN, "Tea is cheap.", {}, {"ARGUMENT": "Tea is cheap."}, "Tea is cheap."),
    (OPEN, "It is cheap.", {"ARGUMENT": "x"}, {"ARGUMENT": "x", "ANSWER": "It is cheap."}, ""),
    (OPEN, "It is so.", {"answer": "Tea"}, {"ANSWER": "Tea", "ARGUMENT": "It is so."}, "ANSWER: Tea\n\nIt is so."),
    (OPEN, "ANSWER: Tea", {}, {"ANSWER": "Tea"}, "ANSWER: Tea"),
    (OPEN, "", {"CONFIDENCE": "80%", "ANSWER": "Tea"}, {"CONFIDENCE": 0.8, "ANSWER": "Tea"}, ""),
    (CLOSED, "It is cheap.", {"ANSWER": "BUY"}, {"ANSWER": "buy", "ARGUMENT": "It is cheap."}, ""),
    (VERDICT, "Tea it is.", {}, {"VERDICT": "Tea it is."}, "Tea it is."),
    (speech(()), "Tea it is.", {}, {"ARGUMENT": "Tea it is."}, "Tea it is."),
    (revision(()), "Still tea.", {}, {"ARGUMENT": "Still tea."}, "Still tea."),
    (SETTLEMENT, "Tea won.", {"STATUS": "settled", "DECISION": "tea"}, {}, ""),
    (SETTLEMENT, "Who pays is open.", {"STATUS": "continue"}, {"STATUS": "CONTINUE"}, ""),
    (BOARD, "Not yet.", {"Withdrawn": "false"}, {"Withdrawn": False, "Content": "Not yet."}, ""),
    (BOARD, "Bye.", {"Withdrawn": "true", "Verdict": "hire", "VerdictReasoning": "So."}, {"Withdrawn": True, "Verdict": "HIRE"}, ""),
    (form_with_verdict(BOARD), "Bye.", {"Withdrawn": "true", "VerdictReasoning": "So."}, {"Withdrawn": True}, ""),
    (LAST, "Hire her.", {"VerdictReasoning": "So."}, {"Verdict": "Hire her."}, ""),
    (LAST, "I abstain.", {}, {"Verdict": ABSTAIN}, "I abstain."),
    (LAST, "", {"Verdict": "abstain"}, {"Verdict": ABSTAIN}, "Verdict: ABSTAIN"),
    (MIXED, "Well.", {"GRADE": 7, "POINTS": "- a\n- b", "SURE": "true"}, {"GRADE": 7, "POINTS": ("a", "b")}, ""),
    (MIXED, "", {"TEXT": "t", "GRADE": "7/10", "POINTS": ("a",), "SURE": True}, {"GRADE": 7}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("form", "words", "fields", "expected", "text"), READ)
def test_what_a_person_may_write(
    form: Form | None, words: str, fields: dict[str, Value], expected: dict[str, Value], text: str
) -> None:
    reading = read_manual_answer(form, words, fields)
    assert reading.unread == ()
    assert {name: reading.fields[name] for name in expected} == expected
    assert {name.upper() for name in fields} <= {name.upper() for name in reading.fields}
    assert reading.text == text if text else words in reading.text


def test_lists_and_flags_stand_in_the_words_that_others_read() -> None:
    reading = read_manual_answer(MIXED, "", {"TEXT": "t", "GRADE": 1, "POINTS": ("a", "b"), "SURE": False})
    assert reading.text == "TEXT: t\nGRADE: 1\nPOINTS:\n- a\n- b\nSURE: false"
    assert (
        read_manual_answer(Form(name="tagged", fields=AB.fields, layout="tags"), "abstain").text
        == "I vote for: ABSTAIN"
    )


REFUSED: list[tuple[Form | None, str, dict[str, Value], str]] = [
    (None, " \x00 ", {}, "the answer is empty; write what you have to say"),
    (AB, "", {}, "the answer is empty"),
    (None, "x" * (LIMIT + 1), {}, "the answer has 65,537 characters; at most 65,536 are allowed"),
    (None, "x", {"ANSWER": "y"}, "the answer has no field 'ANSWER'; the answer is plain words"),
    (AB, "x", {"ANSWER": "y"}, "the answer has no field 'ANSWER'; there are I vote for"),
    (AB, "c", {}, r"must say I vote for \(.*Proposal A.*Proposal B.*abstain\)"),
    (AB, "not Proposal B", {}, "the answer must say I vote for"),
    (AB, "A or B", {}, "the answer must say I vote for"),
    (AB, "", {BALLOT: "C"}, "I vote for is 'C'; it must be .*Proposal B.*abstain"),
    (ballot_form(("tea", "iced tea")), "ice", {}, r"I vote for \(.*tea.*iced tea.*abstain\)"),
    (YESNO, "maybe", {}, r"I vote for \(.*yes.*no.*abstain\)"),
    (PICK, "B", {}, r"the answer must say REASON \(why\) and I vote for \("),
    (CLOSED, "It is cheap.", {}, r"must say ARGUMENT \(your best argument.*\) and ANSWER \(.*build.*buy"),
    (SETTLEMENT, "", {"STATUS": "CONTINUE"}, r"must say SUMMARY \(where the debate stands\)"),
    (ISSUES, "It is wrong.", {}, r"ISSUE \(the weakest.*\) and SEVERITY \(a number from 0 to 10\)"),
    (MIXED, "", {"GRADE": 11}, "GRADE is '11'; it must be a number from 0 to 10"),
    (MIXED, "", {"GRADE": "many"}, "GRADE is 'many'; it must be a number from 0 to 10"),
    (MIXED, "", {"SURE": "perhaps"}, "SURE is 'perhaps'; it must be true or false"),
    (MIXED, "", {"TEXT": "  "}, "TEXT is '  '; it must be your words"),
    (MIXED, "TEXT: t\nGRADE: 3\nWHICH: three", {}, r"the answer must say WHICH \(.*one.*two.*\)"),
    (OPEN, "ANSWER: Tea\nCONFIDENCE: very", {}, r"must say CONFIDENCE \(a number from 0 to 1\)"),
    (SETTLEMENT, "Tea won.", {"STATUS": "settled"}, r"where STATUS is SETTLED, the answer must say DECISION \(the dec"),
    (LAST, "None yet", {}, "Verdict is 'None yet'; it must be your verdict in a few words, .*, or abstain"),
    (LAST, "", {"Verdict": "n/a"}, "Verdict is 'n/a'; it must be your verdict in a few words"),
    (BOARD, "Bye.", {"Withdrawn": "true"}, r"where Withdrawn is true, the answer must say Verdict \(.*HIRE.*NO_HIRE"),
    (BOARD, "Hm.", {"Verdict": "hire"}, "where Verdict is HIRE, the answer must say VerdictReasoning"),
    (BOARD, "Hm.", {"VerdictReasoning": "So."}, r"with VerdictReasoning, the answer must say Verdict \(.*HIRE"),
]


@pytest.mark.parametrize(("form", "words", "fields", "message"), REFUSED)
def test_what_is_missing_or_wrong_is_one_sentence(
    form: Form | None, words: str, fields: dict[str, Value], message: str
) -> None:
    with pytest.raises(BriefError, match=message) as caught:
        read_manual_answer(form, words, fields)
    assert "\n" not in str(caught.value)


def test_what_is_allowed_names_ends_and_choices() -> None:
    words = [allowed_values(form_field) for form_field in MIXED.fields]
    parts = (("your words",), ("0", "10"), ("list",), ("true", "false"), ('"one"', '"two"'))
    assert all(part in text for text, wanted in zip(words, parts, strict=True) for part in wanted)


FORMS = [
    None,
    AB,
    YESNO,
    PICK,
    MIXED,
    OPEN,
    CLOSED,
    VERDICT,
    SETTLEMENT,
    BOARD,
    ISSUES,
    speech(("x", "y")),
    revision(()),
]
WORDS = st.text(max_size=60) | st.lists(
    st.sampled_from(["ANSWER: Tea", "I vote for: yes", "B", "abstain", "GRADE: 3", "no", "", "STATUS: SETTLED", "- x"]),
    max_size=4,
).map("\n".join)

NAMES = st.sampled_from(["ANSWER", "I vote for", "status", "TEXT", "GRADE", "SURE"]) | st.text(max_size=8)


@given(form=st.sampled_from(FORMS), words=WORDS, more=st.dictionaries(NAMES, WORDS, max_size=2))
def test_whatever_is_written_is_read_as_the_form_allows_or_refused(
    form: Form | None, words: str, more: Mapping[str, Value]
) -> None:
    try:
        reading = read_manual_answer(form, words, more)
    except BriefError:
        return
    fields = {form_field.name: form_field for form_field in form.fields} if form else {}
    assert all(allows(fields[name], value) for name, value in reading.fields.items())
    assert all(
        form_field.kind == "text" or form_field.name in reading.fields
        for form_field in fields.values()
        if form_field.required
    )
    assert not [form_field for form_field in fields.values() if form_field.required] or reading.fields
    assert reading.text


VALUES = st.one_of(
    st.tuples(st.just("TEXT"), st.text(st.characters(codec="ascii", categories=("L",)), min_size=1, max_size=9)),
    st.tuples(st.just("GRADE"), st.integers(0, 10)),
    st.tuples(st.just("SURE"), st.booleans()),
    st.tuples(st.just("WHICH"), st.sampled_from(("one", "two"))),
    st.tuples(st.just("POINTS"), st.lists(st.sampled_from(("a", "b")), min_size=1).map(tuple)),
)


@given(st.lists(VALUES, unique_by=lambda pair: pair[0]).map(lambda pairs: {"TEXT": "t", "GRADE": 1, **dict(pairs)}))
def test_fields_that_are_given_come_back_as_they_are(fields: dict[str, Value]) -> None:
    assert read_manual_answer(MIXED, "", fields).fields == fields
