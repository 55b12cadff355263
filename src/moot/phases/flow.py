"""Phases made of phases. This file owns what comes after what, and what ends early."""

from dataclasses import dataclass

from moot.core.errors import ProtocolError
from moot.core.event import Halted
from moot.phases.base import Phase, Play, Table, enter
from moot.policy.stops import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequence:
    """One phase after the other.

    Attributes:
        parts: the phases; two of the same name are told apart by their number.
        name: what it is called in paths.
    """

    parts: tuple[Phase, ...]
    name: str = "sequence"

    def __post_init__(self) -> None:
        if not self.parts:
            raise ProtocolError("a sequence needs at least one phase")

    def play(self, table: Table) -> Play:
        """Play all parts, until one halts this sequence."""
        seen: dict[str, int] = {}
        for part in self.parts:
            if table.transcript.halted(table.path):
                return
            seen[part.name] = seen.get(part.name, 0) + 1
            name = part.name if seen[part.name] == 1 else f"{part.name}-{seen[part.name]}"
            yield from enter(part, table.at(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The same phase again and again.

    Attributes:
        each: what happens in a round.
        most: the greatest number of rounds, from 0.
        until: the reason to end before that; looked at before each round.
        name: what it is called in paths.
    """

    each: Phase
    most: int = 3
    until: Stop | None = None
    name: str = "rounds"

    def __post_init__(self) -> None:
        if not 0 <= self.most <= 100:
            raise ProtocolError(f"rounds: {self.most} is not a number from 0 to 100")

    def play(self, table: Table) -> Play:
        """Play the rounds."""
        for n in range(1, self.most + 1):
            reason = self.until.met(table.transcript) if self.until else ""
            if reason:
                yield Halted(path=table.path, reason=reason)
            if table.transcript.halted(table.path):
                return
            yield from enter(self.each, table.at(f"round-{n}"))
