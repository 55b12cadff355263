"""The Phase port and the table it plays at. This file owns what a phase can see and reach: nothing but the transcript.

A play is a plain generator of asks and notes. It never awaits, reads no clock, and draws chance only from its table,
so that the same record always leads to the same path.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Protocol, TypeAlias, TypeGuard

from moot.core.ask import Ask
from moot.core.brief import Brief
from moot.core.event import Entered, Halted, Note, Ruled
from moot.core.transcript import Transcript

Play: TypeAlias = Generator[Sequence[Ask] | Note, None, None]
"""Batches of asks, put to the seats in parallel, and notes. What came of the asks stands in the transcript."""

ROOT = "/debate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a play can see and reach.

    Attributes:
        brief: what is debated, frozen at the opening.
        transcript: what has come of it so far.
        path: the place of the phase in the play.
        focus: keys of the turns just made, where a phase is played because of them.
    """

    brief: Brief
    transcript: Transcript
    path: str = ROOT
    focus: tuple[str, ...] = ()

    def at(self, name: str) -> "Table":
        """The table of a phase beneath this one."""
        return replace(self, path=f"{self.path}/{name}")

    @property
    def round(self) -> int:
        """The innermost round in which this phase stands, from 1; 0 outside rounds."""
        found = re.findall(r"/round-(\d+)", self.path)
        return int(found[-1]) if found else 0

    def key(self, n: int) -> str:
        """The key of the n-th ask of this phase, from 1."""
        return f"{self.path}#{n}"

    def chance(self, purpose: str = "") -> Random:
        """A generator of chance that depends only on the seed of the brief, this place and the purpose."""
        return Random(f"{self.brief.seed}:{self.path}:{purpose}")


class Phase(Protocol):
    """A part of a debate, as data: a frozen dataclass that can be stored and shown."""

    @property
    def name(self) -> str:
        """What the phase is called in paths."""
        ...

    def play(self, table: Table) -> Play:
        """Play this part."""
        ...


def is_batch(step: Sequence[Ask] | Note) -> TypeGuard[Sequence[Ask]]:
    """Whether what a play yields is a batch of asks."""
    return not isinstance(step, Entered | Halted | Ruled)


def enter(phase: Phase, table: Table) -> Play:
    """Play a phase at a table, with a note that it begins."""
    yield Entered(path=table.path)
    yield from phase.play(table)
