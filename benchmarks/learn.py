"""Measures the cost of learning from debates and of searching memory, against limits.

1. Search by words over 10,000 and 100,000 outcomes: 95 of 100 searches take less than 20 ms and
   100 ms. Memory is opened for each, as the retriever and the command open it. Topics are drawn from a vocabulary of
   30,000 words with the frequencies of English (Zipf's law).
2. Learning from one finished debate, from its record to the memory store: less than 50 ms.

The limits are for processor time, which equals wall time on an idle machine; both are printed. Run it with
``make bench`` or ``python benchmarks/learn.py [--outcomes 10000 100000]``; it exits with 1 if a limit is exceeded.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Mapping
from itertools import accumulate
from pathlib import Path
from random import Random

from folkmoot.app.export.learned import learn
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Participant
from folkmoot.learn.memory import Lessons, Outcome
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.phases.choices import Choices

WORDS = 30_000
SEARCHES = 200
LIMITS: Mapping[int, float] = {10_000: 20.0, 100_000: 100.0}
"""Milliseconds within which 95 of 100 searches stay, by the number of outcomes."""

MOST_LEARNING = 50.0
"""Milliseconds for one debate."""


class Topics:
    """Texts of words that are as frequent as those of English."""

    def __init__(self, seed: int) -> None:
        self._chance = Random(seed)
        letters = "bcdfghklmnprstvw"
        self._words = [
            "".join(self._chance.choice(letters) + self._chance.choice("aeiou") for _ in range(4)) for _ in range(WORDS)
        ]
        self._weights = list(accumulate(1 / (n + 3) for n in range(WORDS)))

    def draw(self, count: int) -> str:
        """So many words."""
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=count))


def outcome(topics: Topics) -> Outcome:
    """What some debate came to."""
    return Outcome(
        topic=topics.draw(12),
        protocol="panel",
        domain="",
        status="decided",
        text=topics.draw(25),
        how="3 of 5 votes",
        strength="moderate",
        share=0.6,
        dissent=(topics.draw(20),),
        minority=(topics.draw(15),),
        trust="unconfirmed",
        seq=40,
    )


class Clock:
    """Takes the time from now on."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    @property
    def cpu(self) -> float:
        """Milliseconds of the processor so far."""
        return (time.process_time() - self._cpu) * 1000

    @property
    def wall(self) -> float:
        """Milliseconds on the wall so far."""
        return (time.perf_counter() - self._wall) * 1000


def share(times: list[float], part: float) -> float:
    """The time within which that part of all stay."""
    return sorted(times)[round(part * (len(times) - 1))]


def search(folder: Path, counts: list[int]) -> bool:
    """Fill one shelf up and search it at each size; whether all limits hold."""
    topics, had, within_limits = Topics(1), 0, True
    print(f"search, {SEARCHES} topics of 12 words, opening included, ms")
    print("  outcomes  filled s    first    p50    p95  limit  p95 on the wall")
    for count in sorted(counts):
        filling = Clock()
        with MemoryStore.open(folder / "shelf.sqlite") as shelf:
            for n in range(had, count):
                shelf.add(f"d{n}", Lessons(at=float(n), outcome=outcome(topics)), head="")
        filled, had = filling.wall / 1000, count
        times: list[tuple[float, float]] = []
        for _ in range(SEARCHES):
            query, clock = topics.draw(12), Clock()
            with MemoryStore.open(folder / "shelf.sqlite") as shelf:
                shelf.search(query, now=float(count))
            times.append((clock.cpu, clock.wall))
        limit = LIMITS.get(count, 0.0)
        cpu, wall = ([run[n] for run in times] for n in (0, 1))
        p50, p95 = share(cpu, 0.5), share(cpu, 0.95)
        within_limits = within_limits and (not limit or p95 < limit)
        print(
            f"{count:52,} {filled:9.1f} {times[0][0]:7.0f} {p50:5.1f} {p95:5.1f} {limit:6g} {share(wall, 0.95):16.1f}"
        )
    return within_limits


async def learning(folder: Path) -> bool:
    """Hold arenas of several sizes without a model and learn from each; whether the limit holds."""
    print("learning from one debate, ms:  participants   rounds   entries   ms   limit   on the wall")
    within_limits = True
    for people, rounds in ((3, 2), (5, 3), (8, 3)):
        workspace = Workspace.at(folder / "records.sqlite")
        names = [Participant(name=f"P{n}", seat="builtin:quotes") for n in range(people)]
        brief = Brief(topic="Should the depot buy electric buses?", participants=tuple(names))
        plan = workspace.plan(brief, protocol="arena", choices=Choices(rounds=rounds), models=("builtin:quotes",))
        debate = workspace.new_id(plan)
        await workspace.run(plan, debate)
        clock = Clock()
        await learn(workspace, debate)
        cpu, wall = clock.cpu, clock.wall
        within_limits = within_limits and cpu < MOST_LEARNING
        entries = await workspace.count_entries(debate)
        print(f"{people:43}  {rounds:7}  {entries:8}  {cpu:3.0f}  {MOST_LEARNING:6g}  {wall:12.0f}")
        await workspace.close()
    return within_limits


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--outcomes", type=int, nargs="+", default=list(LIMITS), help="how many on the shelf")
    counts: list[int] = parser.parse_args().outcomes
    with tempfile.TemporaryDirectory() as name:
        within_limits = [asyncio.run(learning(Path(name))), search(Path(name), counts)]
    if not all(within_limits):
        sys.exit("a limit does not hold")


if __name__ == "__main__":
    main()
