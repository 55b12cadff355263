"""``folkmoot.reading``: what a debate books from a text, and why it books nothing."""

import pytest

from folkmoot import reading
from folkmoot.reading import read_brief, read_message, read_ruling, read_scores, read_vote

MESSAGE = (
    "<Message><Speaker>{0}</Speaker><Verdict>{1}</Verdict><VerdictReasoning>Her talks.</VerdictReasoning>"
    "<Withdrawn>{2}</Withdrawn><Content>So.</Content></Message>"
)


def codes(why: tuple[reading.Reason, ...]) -> list[tuple[str, str]]:
    """The fields that were not booked, each with its reason in a word."""
    return [(reason.field, reason.code) for reason in why]


@pytest.mark.parametrize(
    ("text", "choice", "abstained", "why"),
    [
        ("I vote for: **ann**", "Ann", False, []),
        ("I abstain from voting.", None, True, []),
        ("I vote for: Cay", None, False, [("I vote for", "unknown_name")]),
        ("I vote for: Ann\nI vote for: Ben", None, False, [("I vote for", "ambiguous")]),
    ],
)
def test_a_vote(text: str, choice: str | None, abstained: bool, why: list[tuple[str, str]]) -> None:
    vote = read_vote(text, ["Ann", "Ben"])
    assert (vote.choice, vote.abstained, codes(vote.why)) == (choice, abstained, why)
    assert all(" " in reason.text for reason in vote.why)


def test_the_author_is_known_and_a_strict_ballot_needs_its_colon() -> None:
    assert read_vote("Ben: I vote for: Ann", ["Ann", "Ben"], voter="Ben").choice == "Ann"
    assert read_vote("I vote for Ann.", ["Ann", "Ben"]).choice == "Ann"
    assert codes(read_vote("I vote for Ann.", ["Ann", "Ben"], strict=True).why) == [("I vote for", "no_form")]


def test_a_ruling_decides_only_where_it_is_settled() -> None:
    ruling = read_ruling("SUMMARY: All said.\nSTATUS: SETTLED\nDECISION: Wait.")
    assert (ruling.status, ruling.decision, ruling.summary, ruling.why) == ("SETTLED", "Wait.", "All said.", ())
    ruling = read_ruling("SUMMARY: Open.\nSTATUS: CONTINUE\nDECISION: Wait.")
    assert (ruling.status, ruling.decision) == ("CONTINUE", None)
    ruling = read_ruling("Both made good points.")
    assert (ruling.status, ruling.decision, ruling.summary) == (None, None, None)
    assert codes(ruling.why) == [("SUMMARY", "no_form"), ("STATUS", "no_form")]


def test_a_message_counts_for_its_speaker_alone() -> None:
    message = read_message(MESSAGE.format("Ann", "hire", "true"), verdicts=["HIRE", "NO_HIRE"], speaker="Ann")
    assert (message.verdict, message.withdrawn, message.content, message.why) == ("HIRE", True, "So.", ())
    message = read_message(MESSAGE.format("Ben", "HIRE", "true"), verdicts=["HIRE", "NO_HIRE"], speaker="Ann")
    assert (message.verdict, message.withdrawn, message.content) == (None, False, None)
    assert codes(message.why) == [("Content", "speaker_mismatch")]
    message = read_message(MESSAGE.format("Ben", "Buy two.", "no"), members=["Ann", "Ben"])
    assert (message.verdict, message.reasoning, message.withdrawn) == ("Buy two.", "Her talks.", False)


def test_a_verdict_counts_only_with_its_reasons() -> None:
    message = read_message("<Message><Verdict>HIRE</Verdict><Content>So.</Content></Message>", verdicts=["HIRE"])
    assert (message.verdict, message.content, codes(message.why)) == (None, "So.", [("Verdict", "no_reasons")])


def test_scores_are_booked_all_or_none() -> None:
    assert read_scores('{"scores": {"Ann": 7, "Ben": "8.5"}}', ["Ann", "Ben"]).scores == {"Ann": 7, "Ben": 8.5}
    rated = read_scores('{"scores": {"Ann": 7, "Ben": 80}}', ["Ann", "Ben"], high=10)
    assert (rated.scores, codes(rated.why)) == ({}, [("Ben", "out_of_range")])
    assert read_scores('{"scores": {"Ann": 80}}', ["Ann"], low=50, high=100).scores == {"Ann": 80}


def test_a_brief_says_its_settings_or_what_is_wrong() -> None:
    brief = read_brief("---\nmax_rounds: 3\n---\n# Tea or coffee?\n")
    assert (brief.brief and brief.brief.topic, brief.settings["rounds"], brief.why) == ("Tea or coffee?", 3, ())
    brief = read_brief("---\nmax_round: 3\n---\n# Tea or coffee?\n", name="tea.md")
    assert (brief.brief, brief.settings, codes(brief.why)) == (None, {}, [("", "unknown_key")])
    assert brief.why[0].text.startswith("tea.md:2: ")


def test_what_is_public_is_listed() -> None:
    public = {name for name in vars(reading) if name.startswith("read_")} - {"read"}
    assert public - {"reason_in_words"} <= set(reading.__all__)


def test_what_stands_behind_a_template_is_no_vote() -> None:
    read = read_vote("Here is a sample: my vote, I vote for: Build", ("Build", "Buy"))
    assert read.choice is None
    assert [reason.code for reason in read.why] == ["inside_line"]
