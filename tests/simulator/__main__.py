"""``python -m tests.simulator``: run seeds over all processors, and tell of what fails; see ``make simulate``."""

import argparse
import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TextIO, get_args

from tests.simulator.fault_plan import Mode, Plan, from_json
from tests.simulator.garbage_collection import many_worlds
from tests.simulator.plan_drawing import make_plan
from tests.simulator.shrinking import shrink
from tests.simulator.simulation import simulate

BLOCK = 50
"""Seeds that one process runs before it tells of them."""

TELL_EACH = 5.0
"""Seconds between two lines that tell how far the seeds are."""

LOOK_EACH = 0.2
"""Seconds between two looks whether somebody has interrupted it."""

INTERRUPTED = 130
"""The exit code of who was interrupted, as shells have it."""

WARMING = (3, 4, 5)
"""Seeds of all modes, which load what worlds need."""


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


class Progress:
    """Tells now and then how far many seeds are; nothing where they take a few seconds only.

    Args:
        wanted: how many seeds are to be run.
        out: where it is told.
        clock: seconds.

    Attributes:
        total: what came of the seeds so far.
    """

    def __init__(self, wanted: int, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self.wanted, self.total = wanted, Block()
        self._out, self._clock = out, clock
        self._began = self._told = clock()

    @property
    def seconds(self) -> float:
        """How long they have run."""
        return self._clock() - self._began

    def add(self, block: Block) -> None:
        """Count some seeds more."""
        self.total += block
        now, done = self._clock(), self.total.seeds
        if now - self._told >= TELL_EACH and done < self.wanted:
            self._told = now
            left = (now - self._began) / done * (self.wanted - done)
            failing = f", {len(self.total.failing)} of them violate an invariant" if self.total.failing else ""
            print(f"{done} of {self.wanted} seeds{failing}, about {left:.0f} s left", file=self._out, flush=True)


def run_seeds(first: int, progress: Progress, *, jobs: int, mode: Mode | None = None) -> None:
    """Run seeds over several processes.

    Raises:
        KeyboardInterrupt: somebody has interrupted it; ``progress`` has what was done before.
    """
    end = first + progress.wanted
    blocks = [(start, min(start + BLOCK, end)) for start in range(first, end, BLOCK)]
    if jobs < 2:
        with many_worlds():
            for block in blocks:
                progress.add(run_block(*block, mode))
        return
    for seed in WARMING:  # what the processes need is loaded once
        simulate(seed)
    with ProcessPoolExecutor(jobs, initializer=_begin_process) as pool:
        futures = {pool.submit(run_block, *block, mode) for block in blocks}
        with _noting_interrupts() as interrupted:
            while futures and not interrupted:
                done, futures = wait(futures, timeout=LOOK_EACH, return_when=FIRST_COMPLETED)
                for future in done:
                    progress.add(future.result())
            if interrupted:
                pool.shutdown(cancel_futures=True)  # the blocks that run end
                for future in futures:
                    if not future.cancelled():
                        progress.add(future.result())
    if interrupted:
        raise KeyboardInterrupt


@contextmanager
def _noting_interrupts() -> Generator[list[int]]:
    """Note the interrupts in the block instead of raising them: one within ``wait`` would leave its locks held.

    Whoever ignores interrupts, as a shell has its background commands do, ignores them here too.
    """
    usual, noted = signal.getsignal(signal.SIGINT), list[int]()
    if usual is not signal.default_int_handler:
        yield noted
        return
    signal.signal(signal.SIGINT, lambda number, _: noted.append(number))
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, usual)


def _begin_process() -> None:
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who is interrupted is the process that started them


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
    parser = argparse.ArgumentParser(prog="python -m tests.simulator", description=__doc__)
    parser.add_argument("--seed", type=int, help="run one seed, and tell its whole story")
    parser.add_argument("--plan", help="run the world of a plan, as a failing seed prints it")
    parser.add_argument("--seeds", type=int, default=500, help="how many seeds to run")
    parser.add_argument("--from", dest="first", type=int, default=0, help="the first of them")
    kinds = "which worlds there are; of eight seeds two are same and six wild by default"
    parser.add_argument("--mode", choices=get_args(Mode), help=kinds)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes run them")
    wanted = parser.parse_args(arguments)
    if wanted.plan or wanted.seed is not None:
        plan = from_json(wanted.plan) if wanted.plan else make_plan(wanted.seed, wanted.mode)
        return 0 if tell_seed(plan, out) else 1
    progress, interrupted = Progress(wanted.seeds, sys.stderr), False
    try:
        run_seeds(wanted.first, progress, jobs=wanted.jobs, mode=wanted.mode)
    except KeyboardInterrupt:
        interrupted = True
    tell_total(progress, wanted.first, out, interrupted=interrupted)
    if interrupted:
        return INTERRUPTED
    if not progress.total.failing:
        return 0
    first_seed = min(progress.total.failing)[0]
    out.write(f"{len(progress.total.failing)} seeds violate an invariant; the first one, made small:\n\n")
    out.write(f"{shrink(make_plan(first_seed, wanted.mode)).report()}\n")
    return 1


def tell_total(progress: Progress, first: int, out: TextIO, *, interrupted: bool) -> None:
    """Write what came of many seeds."""
    total = progress.total
    number = f"interrupted: {total.seeds} of {progress.wanted}" if interrupted else str(total.seeds)
    out.write(f"{number} seeds from {first}: {total.steps} steps, {total.sent} requests, ")
    out.write(f"{total.seconds / 3600:.0f} virtual hours, {progress.seconds:.0f} s\n")
    for seed, violation in sorted(total.failing):
        out.write(f"seed {seed}: {violation}\n")
    if not total.failing:
        out.write("all invariants hold\n")


if __name__ == "__main__":
    sys.exit(main())
