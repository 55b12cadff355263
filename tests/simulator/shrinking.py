"""Make the plan of a failing world smaller, as long as the same invariant is violated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from folkmoot.app.brief.participants import needs_moderator
from folkmoot.core.brief import Limits
from tests.simulator.fault_plan import Plan, SimulatedDebate
from tests.simulator.garbage_collection import many_worlds
from tests.simulator.plan_drawing import make_plan
from tests.simulator.simulation import simulate
from tests.simulator.story import Story

MOST_RUNS = 300
"""Worlds that are run to make one smaller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """The smallest case that was reached.

    Attributes:
        seed: the seed of the first failing world.
        first: the story of that world.
        story: the story of the smallest one.
        runs: the worlds that were run on the way.
        same: whether the first world failed in the same way when it was run once more.
    """

    seed: int
    first: Story
    story: Story
    runs: int
    same: bool

    def report(self) -> str:
        """All that somebody needs who has to find out why."""
        again = "run twice, it fails in the same way" if self.same else "run twice, it does NOT fail in the same way"
        before, after = self.first.plan, self.story.plan
        return "\n".join(
            [
                f"Seed {self.seed}: {self.first.violation}",
                f"{again}; {before.faults} faults were planned, {after.faults} of them are needed "
                f"({self.runs} runs). The smallest case:",
                self.story.tell(),
                "Its plan:",
                after.to_json(),
                f"Run it again: make simulate SEED={self.seed}",
            ]
        )


def shrink(plan: Plan) -> Shrunk:
    """Leave out of a failing plan what is not needed to violate the same invariant."""
    first = simulate(plan.seed, plan=plan)
    again = simulate(plan.seed, plan=plan)
    same = first.trace == again.trace and str(first.violation) == str(again.violation)
    smallest, runs = first, 2
    if first.violation is not None:
        number, progress = first.violation.number, True
        while progress and runs < MOST_RUNS:
            progress = False
            for smaller in _smaller_plans(smallest.plan):
                runs += 1
                story = simulate(smaller.seed, plan=smaller)
                if story.violation is not None and story.violation.number == number:
                    smallest, progress = story, True
                    break
                if runs >= MOST_RUNS:
                    break
    return Shrunk(seed=plan.seed, first=first, story=smallest, runs=runs, same=same)


def check_simulated(seeds: range) -> None:
    """Run seeds, for a test.

    Raises:
        AssertionError: an invariant does not hold; the text is the story of the smallest case.
    """
    with many_worlds() as collect:
        for seed in seeds:
            collect()
            if simulate(seed).violation:
                raise AssertionError(shrink(make_plan(seed)).report())


def _smaller_plans(plan: Plan) -> Iterator[Plan]:
    """Plans with a little less, those that leave out most first."""
    if len(plan.debates) > 1:
        for debate in plan.debates:
            yield replace(plan, debates=tuple(item for item in plan.debates if item != debate))
    for name in ("models", "store", "processes", "jumps"):
        faults: tuple[Any, ...] = getattr(plan, name)
        size = len(faults)
        while size:
            for start in range(0, len(faults), size):
                fewer: dict[str, Any] = {name: faults[:start] + faults[start + size :]}
                yield replace(plan, **fewer)
            size //= 2
    simple: dict[str, Any] = {"viewer": False, "remarks": 0, "shuffled": False, "delay": 0.0, "store_delay": 0.0}
    simple |= {"ring": 0, "counts": 1}
    for name, value in (simple | {"in_flight": 50, "places": 8}).items():
        if getattr(plan, name) != value:
            yield replace(plan, **{name: value})
    for number, debate in enumerate(plan.debates):
        for smaller in _smaller_debates(debate):
            yield replace(plan, debates=(*plan.debates[:number], smaller, *plan.debates[number + 1 :]))


def _smaller_debates(debate: SimulatedDebate) -> Iterator[SimulatedDebate]:
    least = 3 if debate.protocol in ("fishbowl", "grouped") else 2
    if debate.protocol != "panel":
        yield replace(debate, protocol="panel", rounds=1)
    if debate.debaters > least:
        yield replace(debate, debaters=debate.debaters - 1)
    unless_needed = () if needs_moderator(debate.protocol, "") else ("chair",)
    for name in ("options", "third", "person", "stand_in", "fallback", "hides", *unless_needed):
        if getattr(debate, name):
            without: dict[str, Any] = {name: False}
            yield replace(debate, **without)
    if debate.strategy:
        yield replace(debate, strategy="")
    for name in ("tokens", "cost", "total_seconds"):
        if getattr(debate.limits, name) is not None:
            unlimited: dict[str, Any] = {name: None}
            yield replace(debate, limits=replace(debate.limits, **unlimited))
    if debate.limits.asks != Limits().asks:
        yield replace(debate, limits=replace(debate.limits, asks=Limits().asks))
