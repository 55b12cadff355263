"""What was held against a decision. This file owns which answers that lost are remembered, and in which words.

A record keeps every candidate that lost, also one that nobody wanted in the end, and some are called by their authors:
names that mean nobody, or others, in another debate. Remembered is what somebody voted for or still held, in words.
"""

from collections.abc import Iterator, Mapping, Sequence

from moot.arguments.stance import Stand, alike, stands
from moot.core.decision import Decision, Minority
from moot.core.transcript import Transcript


def against(transcript: Transcript, decision: Decision) -> Iterator[str]:
    """The answers that lost and that somebody voted for, or held to the end without a vote for another.

    Args:
        transcript: of the debate.
        decision: that it came to.
    """
    held = stands(transcript)
    names = {each.name for each in transcript.brief.participants} if transcript.brief else set[str]()
    for each in decision.minority:
        words = held[each.answer][-1].answer if each.answer in held else each.argument
        told = words if each.answer in names else each.answer
        wanted = (each.by and not _left(each, decision, held)) or _kept(each, decision, held, names)
        if wanted and told and not alike(told, decision.text):
            yield told


def _left(each: Minority, decision: Decision, held: Mapping[str, Sequence[Stand]]) -> bool:
    """Whether nobody voted, and all who gave this answer gave another one in the end."""
    return not decision.ballots and all(
        name in held and name != each.answer and not alike(held[name][-1].answer, each.answer) for name in each.by
    )


def _kept(each: Minority, decision: Decision, held: Mapping[str, Sequence[Stand]], names: set[str]) -> bool:
    """Whether somebody who has not voted for one candidate gave this answer last, or is its author."""
    voted = {ballot.voter for ballot in decision.ballots if ballot.state == "cast" and not ballot.ranks}
    if each.answer in names:
        return each.answer not in voted
    return any(name not in voted and alike(held[name][-1].answer, each.answer) for name in held)
