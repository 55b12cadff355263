"""Phases made of phases. This file owns what comes after what, and what ends early."""

from dataclasses import dataclass, replace

from moot.core.errors import ProtocolError
from moot.core.event import Halted
from moot.phases.phases_base import Phase, Play, Table, enter, is_batch
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
            if isinstance(part, At) and not part.due(table):
                continue
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


@dataclass(frozen=True, slots=True, kw_only=True)
class At:
    """A phase that is played in some rounds only.

    Attributes:
        each: the phase.
        every: with 2 in every second round, and so on.
        rounds: just these rounds, where any are named.
    """

    each: Phase
    every: int = 1
    rounds: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase."""
        return self.each.name

    def due(self, table: Table) -> bool:
        """Whether this is its round."""
        return table.round in self.rounds if self.rounds else table.round % self.every == 0

    def play(self, table: Table) -> Play:
        """Play the phase, if this is its round."""
        if self.due(table):
            yield from self.each.play(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """A phase, and another one whenever somebody has spoken in it; that one has the new turns in its table's focus.

    Attributes:
        each: the phase in which they speak.
        then: what follows each batch of answered turns.
        acts: only turns of these acts count.
    """

    each: Phase
    then: Phase
    acts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase in which they speak."""
        return self.each.name

    def play(self, table: Table) -> Play:
        """Play the phase, and the other one after each batch."""
        n = 0
        for step in self.each.play(table):
            yield step
            if is_batch(step):
                turns = [table.transcript.get(ask.key) for ask in step if ask.act in self.acts]
                if focus := tuple(turn.key for turn in turns if turn.reply):
                    n += 1
                    yield from enter(self.then, replace(table.at(f"{self.then.name}-{n}"), focus=focus))
