"""The result of a board meeting as a program gets it, with the documented states of its members.

Includes the document's small functions, over the same reader and the same order of speakers as a meeting.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from folkmoot.app.program.program_plans import next_speaker, read_message
from folkmoot.app.run.outcome import Outcome
from folkmoot.core.roles import (
    REASONING,
    VERDICT,
    WITHDRAWN,
    Artifact,
    GivenVerdict,
    Standing,
    artifacts,
    standings,
    verdicts_differ,
)
from folkmoot.core.transcript import Turn
from folkmoot.report.conclusion import Board, board


class ResponseFields(NamedTuple):
    """What a message says beside its content: verdict, reasons, whether its author withdraws."""

    verdict: str | None
    reasoning: str | None
    withdrawn: bool


def parse_response_fields(message: str, *, verdicts: Sequence[str] = (), speaker: str = "") -> ResponseFields:
    """Verdict, reasons and withdrawal of a message in tags, read as in a meeting: forgeries and other words are none.

    Args:
        message: the text.
        verdicts: the possible verdicts; empty for any words.
        speaker: whose message it is; one in another's name holds nothing. "" checks nothing.
    """
    fields = read_message(message, verdicts=tuple(verdicts), speaker=speaker).fields
    verdict, reasoning = fields.get(VERDICT), fields.get(REASONING)
    return ResponseFields(
        verdict=None if verdict is None else str(verdict),
        reasoning=None if reasoning is None else str(reasoning),
        withdrawn=fields.get(WITHDRAWN) is True,
    )


def generate_next_speaker(messages: Sequence[Turn], members: Sequence[str], *, seed: int = 0, every: int = 4) -> str:
    """Who speaks next: ``timekeeper`` behind every fourth message of members, else a member, the quiet first.

    The weight is ``max(1, 10 - messages)``, three times that for whoever the newest message speaks to; the last speaker
    has none unless alone, and who has withdrawn has none. "" when nobody is left.

    Args:
        messages: the turns so far, such as ``BoardResult.messages``.
        members: the names of the members.
        seed: what chance is drawn from.
        every: the number of messages after which the timekeeper speaks.
    """
    return next_speaker(messages, members, seed=seed, every=every)


@dataclass(frozen=True, slots=True)
class BoardMemberState:
    """Where a member stands.

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
    verdict_history: tuple[GivenVerdict, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardResult:
    """The outcome of a meeting.

    Attributes:
        outcome: the outcome of the debate: its id, its status, the usage.
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
    """The outcome of a meeting, from the outcome of its debate."""
    transcript, decision = outcome.transcript, outcome.decision
    members = transcript.brief.names("debater") if transcript.brief else ()
    states = standings(members, transcript.all())
    return BoardResult(
        outcome=outcome,
        states={name: _state(standing) for name, standing in states.items()},
        recommendation=decision.text if decision else "",
        verdict=decision.winner if decision else "",
        split=verdicts_differ(states.values()),
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
