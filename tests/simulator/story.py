"""What came of one simulated world, and whether two runs of it are the same debates."""

from dataclasses import dataclass, field, replace
from typing import cast

from folkmoot.core.ask import Reply, Usage
from folkmoot.core.event import Entry
from folkmoot.core.transcript import fold
from folkmoot.testing.replay import essence
from tests.simulator.fault_plan import Plan
from tests.simulator.invariants import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What came of one world.

    Attributes:
        plan: what was to happen.
        violation: the invariant that did not hold; None where all did.
        trace: what happened, line by line.
        records: the stored lines of each debate.
        steps: steps of the event loop.
        seconds: virtual seconds.
        sent: requests that left.
        lives: processes that were started.
    """

    plan: Plan
    violation: Violation | None
    trace: tuple[str, ...]
    records: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    steps: int = 0
    seconds: float = 0.0
    sent: int = 0
    lives: int = 0

    def tell(self, last: int = 40) -> str:
        """The story for a reader, with the last lines of what happened."""
        head = f"seed {self.plan.seed} {self.plan.mode}: {self.steps} steps, {self.seconds:.1f} virtual seconds, "
        head += f"{self.sent} requests, {self.lives} processes, {self.plan.faults} faults planned"
        end = f"VIOLATED at step {self.steps}: {self.violation}" if self.violation else "all invariants hold"
        return "\n".join([head, *self.trace[-last:], end])


def differ(entries: dict[str, tuple[Entry, ...]], wanted: dict[str, tuple[Entry, ...]]) -> Violation | None:
    """The violation where two runs of a world have not the same debates."""
    for debate, record in entries.items():
        one, other = _plain(record), _plain(wanted[debate])
        if one != other:
            place = next(
                (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
            )
            a, b = (str(side[place])[:200] if place < len(side) else "nothing" for side in (one, other))
            return Violation("I28", f"{debate}: {a} and not {b}")
    return None


def _plain(entries: tuple[Entry, ...]) -> list[object]:
    """What must be the same in two runs, without what the number of tries changes."""
    return [_without_usage(item) for item in essence(fold(entries))]


def _without_usage(item: object) -> object:
    if not isinstance(item, tuple):
        return item
    parts = cast("tuple[object, ...]", item)
    return tuple(replace(part, usage=Usage(), notes=()) if isinstance(part, Reply) else part for part in parts)
