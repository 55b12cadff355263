"""Who changed whose mind, and by what. This file owns what of the causes of a change is remembered.

A critique worked where its author took it up: it accepted it, or its reason says what the critique says.
"""

from collections.abc import Mapping, Sequence

from moot.arguments.positions import causes, point
from moot.arguments.stance import Stand, changes
from moot.core.text import clip
from moot.core.transcript import Transcript, read_field
from moot.learn.memory import Pattern

SUGGESTION = "SUGGESTION"

LONGEST = 600
"""Characters of a text that is remembered."""


def movers(transcript: Transcript, held: Mapping[str, Sequence[Stand]]) -> Mapping[tuple[str, str], int]:
    """How often one changed another's answer, by the names of both: everybody with a turn among the causes."""
    found: dict[tuple[str, str], int] = {}
    for change in changes(held):
        for name in dict.fromkeys(each.turn.by for each in causes(transcript, change, held)):
            found[name, change.by] = found.get((name, change.by), 0) + 1
    return found


def patterns(
    transcript: Transcript, held: Mapping[str, Sequence[Stand]], seqs: Mapping[str, int]
) -> tuple[Pattern, ...]:
    """The critiques that worked, in the order of the changes.

    Args:
        transcript: of a closed debate.
        held: the answers of each debater.
        seqs: the entry of each turn's answer, by the turn's key.
    """
    worked = [
        (change, turn)
        for change in changes(held)
        for turn in sorted(
            {
                each.turn.key: each.turn
                for each in causes(transcript, change, {})
                if each.how in ("accepted", "echoed")
            }.values(),
            key=lambda turn: turn.number,
        )
    ]
    return tuple(
        Pattern(
            critic=critique.by,
            author=change.by,
            issue=clip(point(critique), LONGEST),
            suggestion=clip(str(read_field(critique, SUGGESTION) or ""), LONGEST),
            before=clip(change.before, LONGEST),
            after=clip(change.after, LONGEST),
            because=clip(change.because, LONGEST),
            seq=seqs[critique.key],
        )
        for change, critique in worked
    )
