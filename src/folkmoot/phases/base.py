"""The Phase interface, the state that a phase can read, and phases that combine others: Sequence, Rounds, At, After.

A play is a plain generator of asks and notes. It never awaits, reads no clock and takes all randomness from its state,
so the same record always leads to the same path. A phase can read nothing but its state.
"""

import re
from collections.abc import Generator
from collections.abc import Sequence as AbstractSequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol, TypeAlias, TypeGuard

from folkmoot.core.ask import Ask
from folkmoot.core.brief import DEFAULT_ROUNDS, RECORDED_ROUNDS, Brief
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Entered, Halted, Note, Ruled
from folkmoot.core.transcript import Transcript
from folkmoot.policy.rounds import Stop

Play: TypeAlias = Generator[AbstractSequence[Ask] | Note, None, None]
"""Batches of asks, which agents answer in parallel, and notes. The answers are in the transcript."""

ROOT = "/debate"


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a play can see and reach.

    Attributes:
        brief: what is debated, frozen at the opening.
        transcript: the debate so far.
        path: the path of the phase.
        focus: keys of the newest turns, for a phase that is played because of them.
    """

    brief: Brief
    transcript: Transcript
    path: str = ROOT
    focus: tuple[str, ...] = ()

    def at(self, name: str) -> "State":
        """The state of a phase within this one."""
        return replace(self, path=f"{self.path}/{name}")

    @property
    def round(self) -> int:
        """The number of the innermost round around this phase, from 1; 0 outside rounds."""
        round_numbers = re.findall(r"/round-(\d+)", self.path)
        return int(round_numbers[-1]) if round_numbers else 0

    def key(self, n: int) -> str:
        """The key of the n-th ask of this phase, from 1."""
        return f"{self.path}#{n}"

    def chance(self, purpose: str = "") -> Random:
        """A random generator that depends only on the seed of the brief, the path of the phase and the purpose."""
        return Random(f"{self.brief.seed}:{self.path}:{purpose}")


class Phase(Protocol):
    """A part of a debate, as data: a frozen dataclass that can be stored and shown."""

    @property
    def name(self) -> str:
        """What the phase is called in paths."""
        ...

    def play(self, state: State) -> Play:
        """Play this part."""
        ...


def is_batch(step: AbstractSequence[Ask] | Note) -> TypeGuard[AbstractSequence[Ask]]:
    """Whether what a play yields is a batch of asks."""
    return not isinstance(step, Entered | Halted | Ruled)


def enter(phase: Phase, state: State) -> Play:
    """Play a phase, with a note that it begins."""
    yield Entered(path=state.path)
    yield from phase.play(state)


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

    def play(self, state: State) -> Play:
        """Play all parts, until one halts this sequence."""
        counts: dict[str, int] = {}
        for part in self.parts:
            if state.transcript.halted(state.path):
                return
            if isinstance(part, At) and not part.due(state):
                continue
            counts[part.name] = counts.get(part.name, 0) + 1
            name = part.name if counts[part.name] == 1 else f"{part.name}-{counts[part.name]}"
            yield from enter(part, state.at(name))


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
    most: int = DEFAULT_ROUNDS
    until: Stop | None = None
    name: str = "rounds"

    def __post_init__(self) -> None:
        if not 0 <= self.most <= RECORDED_ROUNDS:
            raise ProtocolError(f"rounds: {self.most} is not a number from 0 to {RECORDED_ROUNDS}")

    def play(self, state: State) -> Play:
        """Play the rounds."""
        for n in range(1, self.most + 1):
            reason = self.until.met(state.transcript) if self.until else ""
            if reason:
                yield Halted(path=state.path, reason=reason)
            if state.transcript.halted(state.path):
                return
            yield from enter(self.each, state.at(f"round-{n}"))


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

    def due(self, state: State) -> bool:
        """Whether this is its round."""
        return state.round in self.rounds if self.rounds else state.round % self.every == 0

    def play(self, state: State) -> Play:
        """Play the phase, if this is its round."""
        if self.due(state):
            yield from self.each.play(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """A phase, and a second phase after each of its batches of turns, which the second phase has in focus.

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

    def play(self, state: State) -> Play:
        """Play the phase, and the other one after each batch."""
        n = 0
        for step in self.each.play(state):
            yield step
            if is_batch(step):
                turns = [state.transcript.get(ask.key) for ask in step if ask.act in self.acts]
                if focus := tuple(turn.key for turn in turns if turn.reply):
                    n += 1
                    yield from enter(self.then, replace(state.at(f"{self.then.name}-{n}"), focus=focus))


UNDEBATED = "no debate took place"
"""What a decision says that follows from first answers alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undebated:
    """A phase that decides; where no round was played before it, its decision says that no debate took place.

    Attributes:
        each: the phase.
        rounds: what the rounds are called in paths.
    """

    each: Phase
    rounds: str = "rounds"

    @property
    def name(self) -> str:
        """What it is called in paths: as the phase."""
        return self.each.name

    def play(self, state: State) -> Play:
        """Play the phase."""
        for step in self.each.play(state):
            yield self._with_round_mark(step, state) if isinstance(step, Ruled) else step

    def _with_round_mark(self, ruled: Ruled, state: State) -> Ruled:
        path = f"{state.path.rpartition('/')[0]}/{self.rounds}"
        if any(entered.startswith(f"{path}/round-") for entered in state.transcript.entered):
            return ruled
        reason = state.transcript.halted(path).partition("; ")[0]
        words = f"{UNDEBATED}: {reason}" if reason else UNDEBATED
        decision = ruled.decision
        return Ruled(decision=replace(decision, how="; ".join(filter(None, (decision.how, words)))))
