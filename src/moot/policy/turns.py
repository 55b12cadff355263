"""Speaking order, and the choice and order of the turns that an ask is about."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, NamedTuple, Protocol

from moot.core.brief import Participant
from moot.core.transcript import SUMMARY, Transcript, Turn, read_field, wording

SHARE = 2
"""The most turns of one speaker in a floor where whoever is addressed speaks next."""


class Turns(Protocol):
    """An order of speaking."""

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: "Hearing") -> str:
        """Who speaks next.

        Args:
            said: the turns of this floor so far, answered or not.
            people: who may speak, in the order of the table.
            floor: what else an order may go by.

        Returns:
            A name; "" where the floor is closed.
        """
        ...


class Hearing(NamedTuple):
    """What an order of speaking may go by: number of the round, whole transcript, chance (the same each time)."""

    round: int
    transcript: Transcript
    chance: Random


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """Everybody once, in the order of the table.

    Attributes:
        rotate: whether each round begins one place further on, so that nobody always has the last word.
    """

    rotate: bool = True

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: Hearing) -> str:
        """The next in the order; see Turns."""
        if len(said) >= len(people):
            return ""
        start = (max(floor.round, 1) - 1) % len(people) if self.rotate else 0
        return people[(start + len(said)) % len(people)].name


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Everybody once, in an order drawn by chance for each floor."""

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: Hearing) -> str:
        """The next in the order that was drawn; see Turns."""
        order = [participant.name for participant in people]
        floor.chance.shuffle(order)
        return order[len(said)] if len(said) < len(order) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByPriority:
    """Everybody once, who has the greatest priority first; among equals the order of the table."""

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: Hearing) -> str:
        """The next in the order of priority; see Turns."""
        order = sorted(people, key=lambda participant: -participant.priority)
        return order[len(said)].name if len(said) < len(order) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacting:
    """Whoever is addressed answers; as many turns in a floor as there are people, and nobody has all of them.

    Addressed is the author of the turn that the newest turn says it answers. Where nobody is, or has used up his
    share, whoever has been asked least speaks: in this floor, then in the debate, then in the order of the table.
    Nobody speaks twice running while somebody else may.
    """

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: Hearing) -> str:
        """Who has to react; see Turns."""
        if len(said) >= len(people):
            return ""
        had = Counter(turn.by for turn in said)
        heard = _heard(floor.transcript, people)
        newest = heard[-1] if heard else None
        free = [participant.name for participant in people if had[participant.name] < SHARE]
        free = [name for name in free if newest is None or name != newest.by] or free
        target = floor.transcript.target(newest) if newest else None
        if target and target.by in free:
            return target.by
        asked = Counter(turn.by for turn in heard)
        return min(free, key=lambda name: (had[name], asked[name]))


def _is_said(turn: Turn) -> bool:
    return turn.ask is not None and not turn.ask.audience and turn.act != SUMMARY


def _heard(transcript: Transcript, people: Sequence[Participant]) -> list[Turn]:
    """What these people were asked to say to all, answered or not, but summaries; all else is for one alone."""
    names = {participant.name for participant in people}
    return [turn for turn in transcript.all() if _is_said(turn) and turn.by in names]


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
