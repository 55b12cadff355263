"""Who speaks next. This file owns the orders of speaking."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple, Protocol

from moot.core.brief import Participant
from moot.core.transcript import Transcript, Turn


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
