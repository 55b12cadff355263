"""What comes of a meeting. This file owns the documented states of its members, and the result as a program gets it."""

from collections.abc import Mapping
from dataclasses import dataclass

from moot.app.run.outcome import Outcome
from moot.core.artifacts import Artifact, artifacts
from moot.core.roles import Given, Standing, split, standing
from moot.core.transcript import Turn
from moot.report.board import Board, board


@dataclass(frozen=True, slots=True)
class BoardMemberState:
    """Where a member stands, under the documented names.

    Attributes:
        verdict: its verdict; None for none.
        verdict_reasoning: the reasons given with it.
        has_withdrawn: whether it has left the meeting.
        message_count: how many messages it has sent.
        verdict_history: its first verdict and every change, with reasons and the mark of the turn.
    """

    verdict: str | None = None
    verdict_reasoning: str | None = None
    has_withdrawn: bool = False
    message_count: int = 0
    verdict_history: tuple[Given, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardResult:
    """What came of a meeting.

    Attributes:
        outcome: what came of the debate: its id, its status, the usage.
        states: where each member stands, by name.
        recommendation: what the board recommends, in words.
        verdict: the recommended verdict; "" for none.
        split: whether the members' verdicts differ.
        messages: the messages of the members and the timekeeper, with all their fields; private ones are in them.
        artifacts: what was attached.
        board: the findings for an audit: who cited what, who whispered what to whom.
    """

    outcome: Outcome
    states: Mapping[str, BoardMemberState]
    recommendation: str
    verdict: str
    split: bool
    messages: tuple[Turn, ...]
    artifacts: tuple[Artifact, ...]
    board: Board | None


def result(outcome: Outcome) -> BoardResult:
    """What came of a meeting, from what came of its debate."""
    transcript, decision = outcome.transcript, outcome.decision
    members = transcript.brief.names("debater") if transcript.brief else ()
    states = standing(members, transcript.all())
    return BoardResult(
        outcome=outcome,
        states={name: _state(each) for name, each in states.items()},
        recommendation=decision.text if decision else "",
        verdict=decision.winner if decision else "",
        split=split(states.values()),
        messages=tuple(turn for turn in transcript.turns("argue", "remind")),
        artifacts=artifacts(transcript.turns("argue")),
        board=board(transcript),
    )


def _state(state: Standing) -> BoardMemberState:
    return BoardMemberState(
        verdict=state.verdict or None,
        verdict_reasoning=state.reasoning or None,
        has_withdrawn=bool(state.withdrawn),
        message_count=state.messages,
        verdict_history=state.history,
    )
