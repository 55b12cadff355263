"""Who debates with whom where many are at the table. This file owns the groups, and when one of them has done.

More than five overwhelm each other and whoever reads them; fewer than three are no debate. Groups of that size cost
half the tokens of one large table, and are no less accurate.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import TypeAlias

from moot.core.matching import alike, wording
from moot.core.transcript import Transcript

Teams: TypeAlias = tuple[tuple[str, ...], ...]
"""The names of each group, in the order of the table."""

LARGEST = 5
"""The most in one group."""


def split(names: Sequence[str], seats: Mapping[str, str], chance: Random) -> Teams:
    """Groups of 3 to 5, as even as can be; five and fewer are one group.

    Those who answer by the same model are spread over the groups: members who err alike correct nobody.

    Args:
        names: all debaters.
        seats: who answers for each.
        chance: what the dealing is drawn from.
    """
    dealt = list(names)
    chance.shuffle(dealt)
    known = list(dict.fromkeys(seats[name] for name in dealt))
    dealt.sort(key=lambda name: known.index(seats[name]))
    count = -(-len(dealt) // LARGEST)
    return tuple(tuple(name for name in names if name in dealt[n::count]) for n in range(count))


def done(transcript: Transcript, group: Sequence[str], acts: tuple[str, ...]) -> bool:
    """Whether a group has nothing left to debate: all agree, nobody changed the answer, or none of it answers."""
    held = [[wording(turn) for turn in transcript.turns(*acts, by=name)] for name in group]
    spoken = [answers for answers in held if answers]
    newest = [answers[-1] for answers in spoken]
    given = [answer for answer in newest if answer is not None]
    if len(given) == len(newest) and (alike(given) or not newest):
        return True
    return len(given) == len(newest) and all(len(answers) > 1 and answers[-2] == answers[-1] for answers in spoken)
