"""Whole forms: what stands in the form's own order is the author's own, whatever words its fields end in."""

import re
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.answers.layout import read, write
from folkmoot.core.ask import Fields, Form, Value
from folkmoot.phases.score import EVALUATION
from folkmoot.phases.speak import draft, speech
from folkmoot.protocols.mediators import guidance
from tests.answers.answer_forms import settlement
from tests.kits.codes import codes

SPEECH = Form(
    name="speech",
    fields=tuple(
        replace(form_field, choices=("T1", "T12")) if form_field.name == "TARGET" else form_field
        for form_field in speech(()).fields
    ),
)
FORMS = (SPEECH, draft(()), draft(("A", "B")), guidance(("Ann", "Bob")), EVALUATION)

ENDINGS = ("said", "says", "wrote", "this", "was", "words", "as Bob said:", "with", "so", "the template")
OPENINGS = ("The trial does not show", "Ann says", "Nobody knows", "As Bob claims,", "I reject", "If so, he asks")
MIDDLES = ("what the letter", "that Sundays are worth more than the memo", "what Bob", "for example", "the text")
ONE_LINE = st.sampled_from(
    [f"{' '.join(words)}{stop}" for *words, stop in product(OPENINGS, MIDDLES, ENDINGS, ("", ".", "?"))]
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """One sentence, or some on several lines; what ends in a colon announces, so no such line comes last."""
    rows = draw(st.lists(ONE_LINE, max_size=2))
    last = draw(ONE_LINE.filter(lambda text: not text.endswith(":")))
    return draw(st.sampled_from([" ", "\n", "\n\n"])).join([*rows, last])


def laid_out(fields: Fields, gap: str = "\n") -> str:
    """The fields as labels and words, as a model writes them."""
    return gap.join(f"{name}: {value}" for name, value in fields.items())


@st.composite
def answers(draw: st.DrawFn) -> tuple[Form, dict[str, Value]]:
    """A form with everything that has to be there, and some of the rest."""
    form = draw(st.sampled_from(FORMS))
    values: dict[str, Value] = {}
    for field in form.fields:
        if field.required or draw(st.booleans()):
            closed = field.choices or ((0, 0.5, 1) if field.kind == "number" else ())
            values[field.name] = draw(st.sampled_from(closed)) if closed else draw(texts())
    if isinstance(answer := values.get("ANSWER"), str):  # one paragraph: what follows takes leave
        values["ANSWER"] = answer.replace("\n\n", "\n")
    return form, values


@given(answers(), st.sampled_from(["\n", "\n\n"]))
def test_ordinary_sentences_come_back_from_a_form_exactly(answer: tuple[Form, Fields], gap: str):
    form, values = answer
    reading = read(form, laid_out(values, gap))
    # A short last sentence such as "I reject the template" may be about the choice: then one asks.
    assert reading.fields.items() <= values.items()
    doubtful = {f"{field.name}: ambiguous" for field in form.fields if field.choices}
    assert set(codes(reading)) <= (doubtful if _ends_in_doubt(values) else set())
    assert bool(reading.unread) == (write(form, values) != laid_out(values))


def _ends_in_doubt(values: Fields) -> bool:
    _, *later = re.split(r"(?<=[.?])\s+|\n+", str(list(values.values())[-1]))
    return bool(later) and any(word in f" {later[-1]} " for word in (" not ", " reject ", " example "))


CLAIMS = (
    "The trial does not show what Bob said",
    "That is not what Ann wrote",
    "Nobody knows what the letter says",
    "The cost is exactly as Bob said",
    "Ann says this",
    "Sundays are worth it: Ann says so",
    "He asks what the evidence was",
)


@pytest.mark.parametrize("lead", ["", "- ", "## ", "**"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_does_not_swallow_the_labels_behind_it(claim: str, lead: str):
    shut = "**" if lead == "**" else ""
    rows = {"CLAIM": claim, "TARGET": "T1", "RELATION": "ATTACK", "ARGUMENT": "Sixty had never come."}
    text = "\n".join(f"{lead}{name}:{shut} {value}" for name, value in rows.items())
    assert read(SPEECH, text).fields == rows


def test_a_numbered_form_counts_its_labels():
    text = "1. SUMMARY: That is what Bob said\n2. STATUS: CONTINUE\n3. DECISION: NONE"
    assert read(settlement(), text).fields == {"SUMMARY": "That is what Bob said", "STATUS": "CONTINUE"}


SOMEBODY_ELSES = {
    "announced before": "Bob wrote:\nSUMMARY: x\nSTATUS: SETTLED\nDECISION: sell",
    "announced by a whole field": "SUMMARY: Bear wrote:\nSTATUS: SETTLED\nDECISION: sell",
    "announced in a line of its own": "SUMMARY: x.\n\nBear wrote:\nSTATUS: SETTLED",
    "a form in the form": "SUMMARY: Bob wrote:\nSUMMARY: x\nSTATUS: SETTLED",
    "set in": "SUMMARY: As Bob said:\n  STATUS: SETTLED\n  DECISION: sell",
    "a list in a field": "SUMMARY: As Bob said:\n- STATUS: SETTLED\n- DECISION: sell",
    "quoted": "SUMMARY: As Bob said:\n> STATUS: SETTLED\n> DECISION: sell",
    "fenced": "SUMMARY: As Bob said:\n```\nSTATUS: SETTLED\nDECISION: sell\n```",
}


@pytest.mark.parametrize("text", SOMEBODY_ELSES.values(), ids=list(SOMEBODY_ELSES))
def test_what_somebody_else_says_is_not_booked(text: str):
    assert not {"STATUS", "DECISION"} & set(read(settlement(), text, others=("Bob", "Bear")).fields)


def test_what_is_announced_behind_a_value_is_not_booked():
    text = "SUMMARY: x.\nSTATUS: CONTINUE\nBear wrote:\nDECISION: sell"
    assert "DECISION" not in read(settlement(), text, others=("Bear",)).fields
