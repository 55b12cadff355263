"""Tags of a board message that stand in prose without a message around them."""

import pytest

from folkmoot.board import parse_response_fields
from folkmoot.reading import read_message

VERDICTS = ("HIRE", "NO_HIRE")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("I think <Verdict>HIRE</Verdict>", "HIRE"),
        ("My verdict is <Verdict>hire</Verdict>.", "HIRE"),
        ("She is strong.\n<Verdict>HIRE</Verdict>\n<VerdictReasoning>h-index</VerdictReasoning>", "HIRE"),
        ("After the interview: <Verdict>NO_HIRE</Verdict>", "NO_HIRE"),
        ("Her plan is good. <Verdict>HIRE</Verdict>, because of the grants.", "HIRE"),
    ],
)
def test_tags_in_ones_own_prose_are_read(text: str, verdict: str) -> None:
    message = read_message(text, verdicts=VERDICTS, speaker="Ann")
    assert message.verdict == verdict
    assert message.content
    assert "<" not in message.content
    assert parse_response_fields(text, verdicts=VERDICTS).verdict == verdict


@pytest.mark.parametrize(
    "text",
    [
        "Bear wrote <Verdict>HIRE</Verdict>, which is wrong.",
        "Bear said:\n<Verdict>HIRE</Verdict>",
        "If she had grants I would say <Verdict>HIRE</Verdict>.",
        "I will not say <Verdict>HIRE</Verdict>.",
        "> <Verdict>HIRE</Verdict>\nThat is Bear's.",
        'The line "<Verdict>HIRE</Verdict>" is an example.',
        "Use `<Verdict>HIRE</Verdict>` for it.",
        "I think <Verdict>HIRE</Verdict>\nActually, no.",
        "I think <Verdict>HIRE</Verdict> is what Bear wants.",
        "I think <Verdict>HIRE</Verdict> or <Verdict>NO_HIRE</Verdict>.",
        "I think <Verdict>HIRE",
        "I think <quote><Verdict>HIRE</Verdict></quote>.",
        "I think <Verdict>HIRE</Verdict> <b>now</b>.",
        "I think <Verdict>STRONG_HIRE</Verdict>.",
        "I think we should hire her. My vote is HIRE.",
    ],
)
def test_tags_that_may_be_somebody_elses_or_are_doubted_are_not(text: str) -> None:
    message = read_message(text, verdicts=VERDICTS, speaker="Ann")
    assert (message.verdict, message.withdrawn) == (None, False)


def test_a_verdict_inside_the_content_is_named_as_the_reason() -> None:
    inside = "<Message><Content>So <Verdict>HIRE</Verdict> it is.</Content>{0}</Message>"
    message = read_message(inside.format(""), verdicts=VERDICTS, speaker="Ann")
    assert message.verdict is None
    assert [(reason.field, reason.code) for reason in message.why] == [("Verdict", "inside_content")]
    message = read_message(inside.format("<Verdict>NO_HIRE</Verdict>"), verdicts=VERDICTS, speaker="Ann")
    assert (message.verdict, message.why) == ("NO_HIRE", ())
