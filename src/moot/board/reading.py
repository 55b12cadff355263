"""Small functions of the document, over the real reader and the real order. This file owns their documented results."""

from collections.abc import Sequence
from typing import NamedTuple

from moot.app.program.boards import next_speaker, read_message
from moot.core.roles import REASONING, VERDICT, WITHDRAWN
from moot.core.transcript import Turn


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


def generate_next_speaker(messages: Sequence[Turn], members: Sequence[str], *, seed: int = 0) -> str:
    """Who speaks next: ``timekeeper`` behind every fourth message of members, else a member, the quiet first.

    The weight is ``max(1, 10 - messages)``, three times that for whoever the newest message speaks to; the last speaker
    has none unless alone, and who has withdrawn has none. "" when nobody is left.

    Args:
        messages: the turns so far, such as ``BoardResult.messages``.
        members: the names of the members.
        seed: what chance is drawn from.
    """
    return next_speaker(messages, members, seed=seed)
