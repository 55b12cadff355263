"""Measures many debates at once in one process while all their answers stream over real sockets.

The server of models has a process of its own. Each answer streams ``PACE`` pieces a second, and somebody sees the
pieces of every debate. The record is on, in SQLite. Each piece carries the time at which it was sent, by the clock that
all processes of a machine share.

- ``wall``: from the first question to the end of the last debate, over the time that the answers take by their pace.
  The debates begin one after the other within the time of one answer, for they would all ask at the same moment else.
- ``late``: from sending a piece to the moment at which its debate hands it on; half of them, 95%, all.
- ``processor``: of this process, over the time that the answers take by their pace; the server's stands beside it.
- ``memory``: the most that this process held.

Python looks for garbage as seldom as in the command ``folkmoot``.

The machine must have cores for both processes. The load average is printed, because other programs make pieces late.

Run it with ``make bench`` or ``python benchmarks/streams.py [--debates 1000]``.
"""

import argparse
import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from parts.model_server import PACE, serving

from folkmoot.__main__ import GARBAGE
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Called, Signal
from folkmoot.models.pool import Pool
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.record.hub import Hub
from folkmoot.record.store import Store

WORDS = 400
"""Pieces of one answer."""

ROUNDS = 2
"""Answers that follow each other in a debate: one participant speaks in each round."""


def answer_seconds(words: int) -> float:
    """The seconds that an answer of so many pieces takes by its pace."""
    return (words + 1) / PACE


@dataclass(slots=True)
class Measured:
    """What came of one run.

    Attributes:
        late: milliseconds by which each piece came late.
        whole: debates with all their answers.
        wall: seconds.
        cpu: seconds of this process.
    """

    late: list[float] = field(default_factory=list[float])
    whole: int = 0
    wall: float = 0.0
    cpu: float = 0.0

    def within(self, share: float) -> float:
        """Milliseconds within which that share of the pieces came."""
        return sorted(self.late)[min(len(self.late) - 1, int(share * len(self.late)))]


class Clock(Hub):
    """A hub that notes when each piece comes; it says that all debates are watched."""

    def __init__(self, store: Store, measured: Measured) -> None:
        super().__init__(store)
        self.measured = measured

    def watched(self, debate: str) -> bool:
        """Somebody sees everything."""
        return True

    def signal(self, debate: str, signal: Signal) -> None:
        """Note how late the words of a piece are."""
        now = time.monotonic_ns()
        self.measured.late += [(now - int(word)) / 1e6 for word in signal.text.split()]
        super().signal(debate, signal)


async def hold(workspace: Workspace, plan: Plan, debate: str, measured: Measured) -> None:
    """One debate."""
    outcome = await workspace.run(plan, debate)
    called = [entry for entry in (outcome.record.entries if outcome.record else ()) if isinstance(entry.event, Called)]
    measured.whole += len(called) == ROUNDS


async def measure(debates: int, words: int, url: str, folder: Path) -> Measured:
    """So many debates at once, with answers of so many pieces."""
    workspace = Workspace.at(folder / "record.sqlite")
    workspace.config = Config(learn=False)
    workspace.pool = Pool(env={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}, in_flight=debates)
    people = (Participant(name="Ann", seat=f"openai:paced-{words}"),)
    protocol = Rounds(each=Everyone(act="argue", task="Argue."), most=ROUNDS)
    plan = Plan(brief=Brief(topic="Stream?", participants=people, limits=Limits()), name="panel", protocol=protocol)
    await hold(workspace, plan, "warm", Measured())
    measured = Measured()
    workspace.hub = Clock(workspace.store, measured)
    began, used = time.monotonic(), time.process_time()
    async with asyncio.TaskGroup() as group:
        for number in range(debates):
            group.create_task(hold(workspace, plan, f"d{number}", measured))
            wait = began + (number + 1) * answer_seconds(words) / debates - time.monotonic()
            if wait > 0:  # those that are due begin together, however long a turn of the event loop takes
                await asyncio.sleep(wait)
    measured.wall, measured.cpu = time.monotonic() - began, time.process_time() - used
    await workspace.close()
    return measured


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debates", type=int, default=1000, help="how many at once")
    parser.add_argument("--words", type=int, default=WORDS, help="pieces of one answer")
    options = parser.parse_args()
    gc.set_threshold(GARBAGE)
    debates, words = int(options.debates), int(options.words)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * debates + 1000
    if soft < wanted:  # the server inherits it
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard) if hard > 0 else wanted, hard))
    with tempfile.TemporaryDirectory() as name, serving() as url:
        measured = asyncio.run(measure(debates, words, url, Path(name)))
        served = sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children())
    ideal = answer_seconds(words) * (ROUNDS + (debates - 1) / debates)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{debates} debates, {ROUNDS} answers of {words} pieces each, {PACE:g} pieces a second; ideal {ideal:.1f} s")
    print(f"whole: {measured.whole}; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    late = [measured.within(share) for share in (0.5, 0.95, 1.0)]
    print(f"late: {late[0]:.0f} ms half, {late[1]:.0f} ms 95%, {late[2]:.0f} ms all")
    print(f"processor: {measured.cpu / ideal:.2f} cores, the server {served / ideal:.2f}")
    ratio = measured.wall / ideal
    print(f"wall {ratio:.3f} x ideal, 95% of the pieces within {late[1]:.0f} ms, memory {peak:.0f} MB")
    return 0 if measured.whole == debates else 1


if __name__ == "__main__":
    sys.exit(main())
