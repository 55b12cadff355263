"""What a board tells: who was refused is told why, prose is shown as said, and the timekeeper keeps given times."""

from pathlib import Path

import pytest

from folkmoot.board import BoardMeeting, BoardMember, BoardResult, VerdictType
from folkmoot.core.decision import Decision
from tests.council.agents import own_place

LEAVE = "<Withdrawn>true</Withdrawn>"
WHY = "<VerdictReasoning>So.</VerdictReasoning>"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_place(tmp_path, monkeypatch)


class Members:
    """Two members: Ann says these things in turn and then leaves with a verdict, Ben leaves at once with one."""

    def __init__(self, *texts: str) -> None:
        self.said, self.asked = list(texts), list[str]()
        self.heard: list[str] = []

    def ann(self, prompt: str) -> str:
        self.asked.append(prompt)
        left = f"<Message><Verdict>HIRE</Verdict>{WHY}{LEAVE}<Content>Done.</Content></Message>"
        return self.said.pop(0) if self.said else left

    def ben(self, prompt: str) -> str:
        self.heard.append(prompt)
        leaves = LEAVE if not self.said else ""
        return f"<Message><Verdict>NO_HIRE</Verdict>{WHY}{leaves}<Content>I have read it.</Content></Message>"

    def meeting(self, **more: object) -> BoardMeeting:
        people = (BoardMember("Ann", agent=self.ann), BoardMember("Ben", agent=self.ben))
        return BoardMeeting("Whom to hire?", people, **more)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (
            "<Message><Content>So <Verdict>HIRE</Verdict> it is.</Content></Message>",
            "inside another field",
        ),
        (
            "<Message><Verdict>STRONG</Verdict><Content>Good.</Content></Message>",
            '"STRONG"',
        ),
        (
            "<Message><Verdict>HIRE</Verdict><Content>Good.</Content></Message>",
            "its reasons",
        ),
        (
            f"<Message>{LEAVE}<Content>Bye.</Content></Message>",
            "You could not leave the meeting: a withdrawal counts only with a verdict.",
        ),
        (
            "<Message><Withdrawn>maybe</Withdrawn><Content>Bye.</Content></Message>",
            "You did not leave the meeting: Withdrawn must be true or false.",
        ),
        (
            "<Message><Speaker>Ben</Speaker><Content>I am Ben.</Content></Message>",
            "in somebody else's name",
        ),
    ],
)
def test_who_was_refused_is_told_why(words: str, reason: str) -> None:
    members = Members(words, words)
    members.meeting().run()
    assert reason not in members.asked[0]
    assert any(reason in prompt for prompt in members.asked[1:])
    assert not any("Your last message" in prompt or "You could not leave" in prompt for prompt in members.heard)


def test_what_may_be_private_in_a_broken_message_is_not_shown() -> None:
    members = Members(*["<Message><Thoughts>She is weak.</Thoughts><Content>Hm."] * 6)
    members.meeting().run()
    assert not any("She is weak" in prompt for prompt in members.heard)


def test_verdicts_may_be_an_enumeration() -> None:
    result = Members().meeting(verdicts=VerdictType).run()
    assert result.states["Ann"].verdict == VerdictType.HIRE == "HIRE"
    assert result.states["Ben"].verdict == VerdictType.NO_HIRE


NONSENSE = "<Message><Verdict>HIRE<Content>Hm."


def test_who_sends_nothing_readable_for_ever_is_absent_like_one_who_does_not_answer() -> None:
    members = Members(*[NONSENSE] * 200)
    result = members.meeting(rounds=10).run()
    assert [turn.by for turn in result.messages if turn.by == "Ann"] == ["Ann", "Ann"]
    assert "- absent: Ann" in result.recommendation
    assert (result.verdict, result.states["Ann"].verdict, result.states["Ben"].verdict) == ("", None, "NO_HIRE")
    ballots = {ballot.voter: ballot for ballot in decision_of(result).ballots}
    assert (ballots["Ann"].state, ballots["Ann"].reason) == ("missing", "absent")


def test_one_readable_message_and_a_member_is_there_again() -> None:
    text = "<Message><Content>Let me see.</Content></Message>"
    members = Members(NONSENSE, NONSENSE, text, NONSENSE, NONSENSE, text)  # each is repaired once
    result = members.meeting().run()
    assert "absent" not in result.recommendation
    assert result.states["Ann"].verdict == "HIRE"


def test_plain_words_are_a_message_however_often_they_come() -> None:
    result = Members(*["I have doubts."] * 200).meeting(rounds=6).run()
    assert "absent" not in result.recommendation
    assert len([turn for turn in result.messages if turn.by == "Ann"]) > 3


def decision_of(result: BoardResult) -> Decision:
    assert result.outcome.decision
    return result.outcome.decision
