"""Who speaks next. This file owns the orders of speaking."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class InTurn:
    """Everybody once, in the order of the table.

    Attributes:
        rotate: whether each round begins one place further on, so that nobody always has the last word.
    """

    rotate: bool = True

    def order(self, names: Sequence[str], *, round: int) -> tuple[str, ...]:
        """The order of speaking in a round, counted from 1."""
        start = (max(round, 1) - 1) % len(names) if self.rotate and names else 0
        return (*names[start:], *names[:start])
