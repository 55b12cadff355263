"""Board messages in tags: only fields on the outer level of the speaker's own message count."""

import pytest

from folkmoot.answers.layout import read
from tests.answers.answer_forms import scaffold
from tests.kits.codes import codes

CHEN = "Dr. Sarah Chen"
HIRE = "<Verdict>HIRE</Verdict>"
STAYS = "<Withdrawn>false</Withdrawn>"


def message(
    verdict: str = HIRE, *, speaker: str = CHEN, withdrawn: str = STAYS, content: str = "See her record."
) -> str:
    """A message as the board writes it."""
    rows = [
        '<Message id="7" timestamp="10:02">',
        f"<Speaker>{speaker}</Speaker>",
        "<SpeakingTo>Prof. Rodriguez</SpeakingTo>",
        "<Artifacts></Artifacts>",
        verdict,
        "<VerdictReasoning>Strong record</VerdictReasoning>",
        withdrawn,
        f"<Content>{content}</Content>",
        "</Message>",
    ]
    return "\n".join(rows)


BOOKED = [
    HIRE,
    "<Verdict>**HIRE**</Verdict>",
    '<Verdict>"HIRE"</Verdict>',
    "<Verdict>\nHIRE\n</Verdict>",
    "<Verdict>HIRE.</Verdict>",
    "</Quote><Verdict>HIRE</Verdict>",
    "<Verdict>ＨＩＲＥ</Verdict>",
    "<Verdict>HI\u200bRE</Verdict>",
    "<verdict>hire</verdict>",
    "<!-- <Verdict>NO_HIRE</Verdict> --><Verdict>HIRE</Verdict>",
    "<Verdict>HIRE<!-- or not --></Verdict>",
    f"<Quote><Verdict>NO_HIRE</Verdict></Quote>\n{HIRE}",
]
REFUSED = [
    ("<Verdict></Verdict>", "empty"),
    ("<Verdict/>", "missing"),
    ('<Verdict value="HIRE"/>', "missing"),
    ('<Verdict value="HIRE"></Verdict>', "malformed"),
    ('<Verdict by="Prof. Rodriguez">HIRE</Verdict>', "malformed"),
    ("<Verdict>NO - HIRE</Verdict>", "not_allowed"),
    ("<Verdict>not HIRE</Verdict>", "not_allowed"),
    ("<Verdict>HIRE or NO_HIRE</Verdict>", "ambiguous"),
    ("<Verdict>HIRE/NO_HIRE/UNDECIDED</Verdict>", "not_allowed"),
    ("<Verdict>[HIRE|NO_HIRE|UNDECIDED]</Verdict>", "not_allowed"),
    ("<Verdict>HIRE if references check out</Verdict>", "words_behind"),
    ("<Verdict>HIRЕ</Verdict>", "not_allowed"),
    ("<Verdict><b>HIRE</b></Verdict>", "not_allowed"),
    ("<Verdict>Prof. Rodriguez: HIRE</Verdict>", "not_allowed"),
    ("<Verdict><!-- HIRE --></Verdict>", "empty"),
    ("<!-- <Verdict>HIRE</Verdict> -->", "missing"),
    ("<Vеrdict>HIRE</Vеrdict>", "missing"),
    ("&lt;Verdict&gt;HIRE&lt;/Verdict&gt;", "missing"),
    ("<Artifacts><Verdict>HIRE</Verdict></Artifacts>", "missing"),
    ("Verdict: HIRE", "missing"),
    (f"{HIRE}\n<Verdict>NO_HIRE</Verdict>", "ambiguous"),
    (f"{HIRE}\n{HIRE}", "ambiguous"),
    ("<Quote><Verdict>HIRE</Verdict></Quote>", "missing"),
    ("<Quote><Artifacts></Quote><Verdict>HIRE</Verdict></Artifacts>", "unclosed"),
    (f"{HIRE}\n<Verdict></Verdict>", "ambiguous"),
]
WITHDRAWN = [
    ("<Withdrawn>true</Withdrawn>", True),
    ("<Withdrawn>TRUE</Withdrawn>", True),
    ("<Withdrawn> True </Withdrawn>", True),
    ("<Withdrawn>false</Withdrawn>", False),
    ("<Withdrawn>yes</Withdrawn>", None),
    ("<Withdrawn>1</Withdrawn>", None),
    ("<Withdrawn>not true</Withdrawn>", None),
    ("<Withdrawn>true if nobody answers</Withdrawn>", None),
    ("<Withdrawn>true</Withdrawn><Withdrawn>false</Withdrawn>", None),
    ('<Withdrawn agent="Prof. Rodriguez">true</Withdrawn>', None),
    ("<Withdrawn></Withdrawn>", None),
    ("", None),
]
CONTENTS = [
    "I wrote <Withdrawn>true</Withdrawn> in my notes.",
    "<Message>\n<Speaker>Dr. Sarah Chen</Speaker>\n<Withdrawn>true</Withdrawn>\n</Message>",
    "```xml\n<Withdrawn>true</Withdrawn>\n```",
    "> <Withdrawn>true</Withdrawn>",
    "<!-- </Content><Withdrawn>true</Withdrawn> -->",
]
NO_MESSAGE = [
    "",
    "I think we should hire her. My vote is HIRE.",
    "Verdict: HIRE\nWithdrawn: true",
    '{"Verdict": "HIRE"}',
    "<Message></Message>",
    '<Message verdict="HIRE">x</Message>',
    "<Message><Verdict>HIRE</Message>",
    "<Message><Content><Verdict>HIRE</Verdict></Content></Message>",
    message()[:60],
    message().replace("</Content>\n</Message>", ""),
    "> " + message().replace("\n", "\n> "),
    f"<Quote>{message()}</Quote>\nSo he would say.",
    f"<Quote>{message()}</Quote>\n<Quote>So I would say.</Quote>",
    f"Prof. Rodriguez:\n{message()}",
    f"<!-- {message()} -->",
    f"<!-- {message()}",
    f"{message()}\n{message('<Verdict>NO_HIRE</Verdict>')}",
]
ONE_MESSAGE = [
    message(),
    message(speaker="dr. sarah chen"),
    message(speaker="**Dr. Sarah Chen**"),
    message(speaker=""),
    message().replace("\n", ""),
    message().replace("\n", "\r\n"),
    f"```xml\n{message()}\n```",
    f"Sure, here is my message:\n\n```xml\n{message()}\n```",
    f"Here is my message: {message()}",
    f"{CHEN}: {message()}",
    f"I looked at her record.\n\n{message()}\n\nLet me know if you need more.",
    f"<think>{message('<Verdict>NO_HIRE</Verdict>')}</think>{message()}",
    f"{message()}\n{message()}",
    f"{message()}\n{message('<Verdict>NO_HIRE</Verdict>', speaker='Prof. Rodriguez')}",
    f"{message('<Verdict>NO_HIRE</Verdict>', speaker='Prof. Rodriguez')}\n{message()}",
    f"<Verdict>HIRE</Verdict>\n{STAYS}\n<Content>x</Content>",
]


@pytest.mark.parametrize("verdict", BOOKED)
def test_a_plain_verdict_is_booked(verdict: str):
    assert read(scaffold(), message(verdict), speaker=CHEN).fields.get("Verdict") == "HIRE"


@pytest.mark.parametrize(("verdict", "reason"), REFUSED)
def test_every_other_verdict_is_refused_with_its_reason(verdict: str, reason: str):
    reading = read(scaffold(), message(verdict), speaker=CHEN)
    assert "Verdict" not in reading.fields
    assert f"Verdict: {reason}" in codes(reading)


@pytest.mark.parametrize(("withdrawn", "value"), WITHDRAWN)
def test_a_withdrawal_is_true_or_false_and_nothing_else(withdrawn: str, value: bool | None):
    assert read(scaffold(), message(withdrawn=withdrawn), speaker=CHEN).fields.get("Withdrawn") is value


@pytest.mark.parametrize("content", CONTENTS)
def test_nothing_inside_the_content_withdraws_anybody(content: str):
    reading = read(scaffold(), message(withdrawn="", content=content), speaker=CHEN)
    assert reading.fields.get("Verdict") == "HIRE"
    assert "Withdrawn" not in reading.fields


@pytest.mark.parametrize("text", NO_MESSAGE)
def test_no_verdict_without_a_message_of_ones_own(text: str):
    reading = read(scaffold(), text, speaker=CHEN, others=("Prof. Rodriguez",), final=True)
    assert "Verdict" not in reading.fields
    assert any(unread.field == "Verdict" for unread in reading.unread)


@pytest.mark.parametrize("text", ONE_MESSAGE)
def test_the_message_of_ones_own_is_read(text: str):
    reading = read(scaffold(), text, speaker=CHEN, others=("Prof. Rodriguez",), final=True)
    assert (reading.fields.get("Verdict"), reading.fields.get("Withdrawn")) == ("HIRE", False)


@pytest.mark.parametrize(
    "speaker", ["Prof. Rodriguez", "Sarah Chen", "Dr. Sаrah Chen", "Dr. Sarah Chen</Speaker>\n<Speaker>Prof. Rodriguez"]
)
def test_a_message_in_another_name_is_not_read(speaker: str):
    reading = read(scaffold(), message(speaker=speaker), speaker=CHEN)
    assert reading.fields == {}
    assert codes(reading) == ("Verdict: speaker_mismatch", "Content: speaker_mismatch")


def test_without_a_known_author_every_name_is_taken():
    assert read(scaffold(), message(speaker="Prof. Rodriguez")).fields["Verdict"] == "HIRE"


def test_an_unclosed_field_is_named():
    text = "<Message>\n<Content>See above.</Content>\n<Verdict>HIRE\n</Message>"
    reading = read(scaffold(), text, speaker=CHEN)
    assert reading.fields == {}
    assert codes(reading) == ("Verdict: unclosed", "Content: unclosed")


MESSAGE = (
    "<Message><Speaker>Ann</Speaker><Verdict>HIRE</Verdict><Withdrawn>true</Withdrawn><Content>So.</Content></Message>"
)


@pytest.mark.parametrize("behind", ["I hope this helps!", "Thank you.", "No, I take that back.", "我收回。"])
def test_words_behind_a_message_cost_a_question_and_nothing_after_that(behind: str):
    text = f"{MESSAGE}\n\n{behind}"
    assert codes(read(scaffold(), text, speaker="Ann")) == ("Verdict: words_behind", "Content: words_behind")
    assert read(scaffold(), text, speaker="Ann", final=True).fields["Verdict"] == "HIRE"


def test_a_quotation_behind_a_message_costs_nothing():
    assert read(scaffold(), f"{MESSAGE}\n\n> I take that back.", speaker="Ann").fields["Verdict"] == "HIRE"
