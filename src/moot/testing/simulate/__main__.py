"""``python -m moot.testing.simulate``: run seeds over all processors, and tell of what fails; see ``make simulate``."""

import argparse
import gc
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TextIO

from moot.testing.simulate.fault_plan import Mode, Plan, from_json
from moot.testing.simulate.garbage_collection import many_worlds
from moot.testing.simulate.plan_drawing import make_plan
from moot.testing.simulate.shrinking import shrink
from moot.testing.simulate.simulation import simulate

BLOCK = 50
"""Seeds that one worker runs before it tells of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """What came of some seeds.

    Attributes:
        seeds: how many.
        steps: steps of their event loops.
        seconds: virtual seconds.
        sent: requests.
        failing: the seeds with a violation, and what was violated.
    """

    seeds: int = 0
    steps: int = 0
    seconds: float = 0.0
    sent: int = 0
    failing: tuple[tuple[int, str], ...] = ()

    def __add__(self, other: "Block") -> "Block":
        return Block(
            seeds=self.seeds + other.seeds,
            steps=self.steps + other.steps,
            seconds=self.seconds + other.seconds,
            sent=self.sent + other.sent,
            failing=self.failing + other.failing,
        )


def run_block(first: int, last: int, mode: Mode | None = None) -> Block:
    """Run the seeds from ``first`` up to ``last``, without that one."""
    total = Block()
    with many_worlds() as collect:
        for seed in range(first, last):
            collect()
            story = simulate(seed, mode=mode)
            failing = ((seed, str(story.violation)),) if story.violation else ()
            total += Block(seeds=1, steps=story.steps, seconds=story.seconds, sent=story.sent, failing=failing)
    return total


def run_seeds(first: int, number: int, *, jobs: int, mode: Mode | None = None) -> Block:
    """Run seeds over several processes."""
    ends = [(start, min(start + BLOCK, first + number)) for start in range(first, first + number, BLOCK)]
    if jobs < 2:
        with many_worlds():
            return sum((run_block(start, end, mode) for start, end in ends), Block())
    with ProcessPoolExecutor(jobs, initializer=gc.freeze) as pool:
        futures = [pool.submit(run_block, start, end, mode) for start, end in ends]
        return sum((future.result() for future in futures), Block())


def tell_seed(plan: Plan, out: TextIO) -> bool:
    """Write the whole story of one world; returns whether all invariants hold."""
    story = simulate(plan.seed, plan=plan)
    out.write(f"{story.tell(len(story.trace))}\n")
    if story.violation is None:
        return True
    out.write(f"\n{shrink(plan).report()}\n")
    return False


def main(arguments: list[str] | None = None, out: TextIO = sys.stdout) -> int:
    """Run what the arguments say; returns 1 if an invariant was violated."""
    parser = argparse.ArgumentParser(prog="python -m moot.testing.simulate", description=__doc__)
    parser.add_argument("--seed", type=int, help="run one seed, and tell its whole story")
    parser.add_argument("--plan", help="run the world of a plan, as a failing seed prints it")
    parser.add_argument("--seeds", type=int, default=500, help="how many seeds to run")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them")
    parser.add_argument("--mode", choices=("same", "wild"), help="which faults there may be; half of each by default")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes run them")
    wanted = parser.parse_args(arguments)
    if wanted.plan or wanted.seed is not None:
        plan = from_json(wanted.plan) if wanted.plan else make_plan(wanted.seed, wanted.mode)
        return 0 if tell_seed(plan, out) else 1
    began = time.monotonic()
    total = run_seeds(wanted.first, wanted.seeds, jobs=wanted.jobs, mode=wanted.mode)
    took = time.monotonic() - began
    out.write(f"{total.seeds} seeds from {wanted.first}: {total.steps} steps, {total.sent} requests, ")
    out.write(f"{total.seconds / 3600:.0f} virtual hours, {took:.0f} s\n")
    for seed, violation in total.failing:
        out.write(f"seed {seed}: {violation}\n")
    if not total.failing:
        out.write("all invariants hold\n")
        return 0
    first_seed = total.failing[0][0]
    out.write(f"{len(total.failing)} seeds violate an invariant; the first one, made small:\n\n")
    out.write(f"{shrink(make_plan(first_seed, wanted.mode)).report()}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
