"""Which turns are laid before a participant. This file owns the choice and the order of what an ask is about."""

from dataclasses import dataclass
from random import Random
from typing import Literal

from moot.core.matching import wording
from moot.core.transcript import Transcript, Turn, read_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """A choice of turns.

    Attributes:
        acts: the acts to choose from.
        whose: ``all``, ``others``, ``own``, or those that are about one's own newest turn of ``mine`` (``to_me``).
        mine: with ``to_me``, the acts of one's own turn.
        distinct: whether of turns with the same ANSWER only the one with the most confidence is shown.
        shuffle: whether the order is drawn by chance (it is on record); else the order of the asks.
    """

    acts: tuple[str, ...]
    whose: Literal["all", "others", "own", "to_me"] = "all"
    mine: tuple[str, ...] = ()
    distinct: bool = False
    shuffle: bool = False

    def keys(self, transcript: Transcript, who: str, chance: Random) -> tuple[str, ...]:
        """The keys of the chosen turns, in the order in which they are to be presented."""
        chosen = [turn for turn in self._pick(transcript, who) if transcript.sees(who, turn)]
        if self.distinct:
            chosen = strongest(chosen)
        if self.shuffle:
            chance.shuffle(chosen)
        return tuple(turn.key for turn in chosen)

    def _pick(self, transcript: Transcript, who: str) -> list[Turn]:
        if self.whose == "to_me":
            mine = transcript.last(who, *self.mine)
            return [turn for turn in transcript.turns(*self.acts) if mine and mine.key in turn.about]
        newest = transcript.latest(*self.acts)
        if self.whose == "own":
            return [turn for turn in newest if turn.by == who]
        return [turn for turn in newest if self.whose == "all" or turn.by != who]


def strongest(turns: list[Turn]) -> list[Turn]:
    """Of the turns with the same answer the one with the most confidence, in the order in which the answers came."""
    best: dict[str, Turn] = {}
    for turn in turns:
        answer = wording(turn) or turn.key
        if answer not in best or confidence(turn) > confidence(best[answer]):
            best[answer] = turn
    return list(best.values())


def confidence(turn: Turn) -> float:
    """The confidence that a turn states, 0 to 1; 0 where it states none."""
    value = read_field(turn, "CONFIDENCE")
    return float(value) if isinstance(value, int | float) else 0.0
