"""Measures the overhead of Folkmoot in wall time and processor time, as ratios to a baseline in the same run.

1. One debate, 10 participants, 3 rounds, agents that sleep 0.1 s: wall time over the ideal critical path.
2. The same with agents that answer at once: processor time per ask and asks per second, for 1, 100 and 1,000 debates
   in parallel in one process, with the SQLite record on. The baseline is bare asyncio with the same number of tasks.
   Python looks for garbage as seldom as in the command ``folkmoot``.
   Small numbers of debates are run several times, because one alone ends too soon to be measured.

Run it with ``make bench`` or ``python benchmarks/overhead.py [--debates 1 100 1000]``.
"""

import argparse
import asyncio
import gc
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from folkmoot.__main__ import GARBAGE
from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Opened
from folkmoot.engine.driver import debate
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.protocols.spec import dump
from folkmoot.record.ledger import Ledger
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import Store

PEOPLE, ROUNDS = 10, 3
ASKS = PEOPLE * ROUNDS
PROTOCOL = Rounds(each=Everyone(act="argue", task="Argue."), most=ROUNDS)
BRIEF = Brief(
    topic="What does it cost?",
    participants=tuple(Participant(name=f"P{n}") for n in range(PEOPLE)),
    limits=Limits(parallel=PEOPLE),
)
OPENED = Opened(brief=BRIEF, protocol=dump(PROTOCOL), name="bench")
WORDS = "word " * 60

LEAST = 20
"""Debates that are held for each row."""


@dataclass(frozen=True, slots=True)
class Sleeper:
    """A seat that sleeps and then says the same."""

    seconds: float

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer after a while."""
        await asyncio.sleep(self.seconds)
        return Reply(text=WORDS)


async def hold(store: Store, debate_id: str, seconds: float) -> None:
    """One debate on the record."""
    ledger = Ledger(store, debate_id, clock=time.time)
    await ledger.open()
    seats: dict[str, Agent] = {participant.name: Sleeper(seconds) for participant in BRIEF.participants}
    transcript = await debate(OPENED, PROTOCOL, seats, ledger=ledger)
    assert len(transcript.turns()) == ASKS


async def floor(seconds: float) -> None:
    """The same sleeps in bare task groups."""
    for _ in range(ROUNDS):
        async with asyncio.TaskGroup() as group:
            for _ in range(PEOPLE):
                group.create_task(asyncio.sleep(seconds))


@dataclass(frozen=True, slots=True)
class Measured:
    """Wall seconds and processor seconds of one run."""

    wall: float
    cpu: float


async def measure(count: int, seconds: float, *, bare: bool, folder: Path, runs: int = 1) -> Measured:
    """That many debates at once, in so many runs; the sums."""
    store = SqliteStore.open(folder / f"{count}-{seconds}-{bare}.sqlite")
    wall, cpu = time.perf_counter(), time.process_time()
    for run in range(runs):
        async with asyncio.TaskGroup() as group:
            for n in range(count):
                group.create_task(floor(seconds) if bare else hold(store, f"d{run}-{n}", seconds))
    measured = Measured(time.perf_counter() - wall, time.process_time() - cpu)
    await store.close()
    return measured


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debates", type=int, nargs="+", default=[1, 100, 1000], help="how many at once")
    debates: list[int] = parser.parse_args().debates
    gc.set_threshold(GARBAGE)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(measure(1, 0.0, bare=False, folder=folder / "warm"))
        ideal = ROUNDS * 0.1
        one = asyncio.run(measure(1, 0.1, bare=False, folder=folder))
        bare = asyncio.run(measure(1, 0.1, bare=True, folder=folder))
        print(f"one debate, {PEOPLE} participants, {ROUNDS} rounds, 0.1 s an answer: ideal {ideal:.2f} s")
        print(f"  Folkmoot {one.wall / ideal:.3f} x ideal; bare asyncio {bare.wall / ideal:.3f} x ideal")
        print(f"no latency, {ASKS} asks a debate, SQLite record with synchronous=FULL:")
        print("  debates   asks/s   bare tasks/s   ms CPU/ask   floor   above the floor   peak MB")
        for count in debates:
            runs = max(1, LEAST // count)
            with_folkmoot = asyncio.run(measure(count, 0.0, bare=False, folder=folder, runs=runs))
            base = asyncio.run(measure(count, 0.0, bare=True, folder=folder, runs=runs))
            asks, peak = count * runs * ASKS, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            ours, least = with_folkmoot.cpu / asks * 1000, base.cpu / asks * 1000
            print(
                f"  {count:7}  {asks / with_folkmoot.wall:7.0f}  {asks / base.wall:13.0f}  {ours:11.3f}  {least:6.3f}"
                f"  {ours - least:16.3f}  {peak:8.0f}"
            )


if __name__ == "__main__":
    main()
