"""Settings, marks and shared servers of all tests: chance is the same in every run, and `make test` needs no server."""

import asyncio
import gc
import os
import shutil
import signal
from collections.abc import AsyncGenerator, Generator, Set
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.kits.home import take_out, use_home
from tests.kits.scratch import use_memory
from tests.kits.thoroughness import MORE

if TYPE_CHECKING:
    from tests.record.pg import Postgres
    from tests.web.browser import Stage

settings.register_profile("folkmoot", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("folkmoot")

HOME = pytest.StashKey[Path]()
"""The home of all tests of a process."""

OUTSIDE: Set[str] = frozenset({"database", "litellm", "postgres", "stage", "temporal", "transformers"})
"""Fixtures that are processes of their own."""

MANY: Set[str] = frozenset({"MORE", "STEP", "some", "resume_everywhere"})
"""Names whose users try more cases under FOLKMOOT_MORE."""


def pytest_configure(config: pytest.Config) -> None:
    """Keep files in memory and out of the owner's home.

    Signals end processes of tests also where ``nohup`` or a shell has them ignored.
    """
    use_memory()
    config.stash[HOME] = use_home()
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the home of the run, in which those of its workers are."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        shutil.rmtree(config.stash[HOME], ignore_errors=True)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Let a test fail that left a record or settings in the home: the next would find them."""
    yield
    if files := take_out(item.config.stash[HOME]):
        pytest.fail(
            f"this test wrote into the home of its user, {', '.join(files)}: say where, as store=", pytrace=False
        )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what needs a server as ``system``, and what has more cases than `make test` tries as ``many``."""
    call = getattr(item, "callspec", None)
    words = (value for value in call.params.values() if isinstance(value, str)) if call else ()
    narrower = any(item.get_closest_marker(mark) for mark in ("alone", "peers"))
    if narrower or not OUTSIDE.isdisjoint([*getattr(item, "fixturenames", ()), *words]):
        item.add_marker("system")
    if not MANY.isdisjoint(vars(getattr(item, "module", None) or object)):
        item.add_marker("many")
    if item.get_closest_marker("peers") and not os.environ.get("FOLKMOOT_PEERS"):
        item.add_marker(pytest.mark.skip(reason="needs large servers that nobody here wrote: make test-peers"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Leave what is imported out of the collection of garbage, for it stays to the end; and look for garbage seldom.

    Debates make many small values and hardly a circle: by the usual threshold a sixth of the time goes into looking.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def pytest_xdist_auto_num_workers() -> int:
    """More workers than processors: tests of processes and servers wait half of their time."""
    processors = os.cpu_count() or 1
    return 2 * processors if MORE else processors + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the recorded texts of real models was read, wherever the tests ran."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    for name, value in dict.fromkeys(pair for report in reports for pair in report.user_properties):
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
def postgres(testrun_uid: str) -> "Generator[Postgres]":
    """A PostgreSQL server for all tests of a run; its workers share it."""
    from tests.record.pg import running  # here, since most workers need none

    with running(testrun_uid[:8]) as server:
        yield server


@pytest.fixture
def database(postgres: "Postgres") -> str:
    """The address of an empty database in it."""
    return postgres.make()


@pytest.fixture(scope="session")
def temporal() -> "Generator[str]":
    """The address of a Temporal for all tests of a process; each database has task queues of its own there."""
    from tests.workers.temporal_kit import running_temporal  # here, since most workers need none

    with running_temporal() as server:
        yield server.address
