"""Settings, marks and shared servers of all tests: chance is the same in every run, and `make test` needs no server."""

import asyncio
import os
from collections.abc import AsyncGenerator, Generator, Set
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.kits.thoroughness import MORE

if TYPE_CHECKING:
    from tests.record.pg import Postgres
    from tests.web.browser import Stage

settings.register_profile("moot", derandomize=True, deadline=None, max_examples=25)
settings.register_profile("more", settings.get_profile("moot"), max_examples=100)
settings.load_profile("more" if MORE else "moot")

OUTSIDE: Set[str] = frozenset({"database", "litellm", "postgres", "stage", "transformers"})
"""Fixtures that are processes of their own."""


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as ``system`` what uses such a fixture or has a narrower mark; skip ``peers`` unless MOOT_PEERS is set."""
    call = getattr(item, "callspec", None)
    used = {*getattr(item, "fixturenames", ()), *(map(str, call.params.values()) if call else ())}
    narrower = any(item.get_closest_marker(name) for name in ("alone", "peers"))
    if narrower or used & OUTSIDE:
        item.add_marker("system")
    if item.get_closest_marker("peers") and not os.environ.get("MOOT_PEERS"):
        item.add_marker(pytest.mark.skip(reason="needs large servers that nobody here wrote: make test-peers"))


def pytest_xdist_auto_num_workers() -> int:
    """One worker more than there are processors: tests of processes and servers wait half of their time."""
    return (os.cpu_count() or 1) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the recorded texts of real models was read, wherever the tests ran."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    for name, value in dict.fromkeys(pair for each in reports for pair in each.user_properties):
        terminalreporter.write_line(f"{name}: {value}")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator["Stage"]:
    """One server and one browser for all tests of a worker in a browser, which run in the same event loop."""
    from tests.web.browser import hold_stage, skip_without  # here, since most workers need no browser

    skip_without()
    ready: asyncio.Future[Stage] = asyncio.get_running_loop().create_future()
    leave = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(hold_stage(tmp_path_factory.mktemp("stage"), ready, leave))
        yield await ready
        leave.set()


@pytest.fixture(scope="session")
def postgres() -> "Generator[Postgres]":
    """A PostgreSQL server for all tests of a worker."""
    from tests.record.pg import running  # here, since most workers need none

    with running() as server:
        yield server


@pytest.fixture
def database(postgres: "Postgres") -> str:
    """The address of an empty database in it."""
    return postgres.make()
