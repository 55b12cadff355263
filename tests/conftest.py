"""Settings, marks and shared servers of all tests: chance is the same in every run, and `make test` needs no server."""

import asyncio
import gc
import importlib
import os
import shutil
import signal
from collections.abc import AsyncGenerator, Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio
from hypothesis import settings

from tests.kits.home import take_out, use_home
from tests.kits.order import mix
from tests.kits.scratch import use_memory
from tests.kits.selection import OUTSIDE, REST, may_have
from tests.kits.thoroughness import MORE, with_many_cases
from tests.paths import ROOT

if TYPE_CHECKING:
    from tests.kits.forked import Forked
    from tests.record.pg import Postgres
    from tests.web.browser import Stage

settings.register_profile("folkmoot", derandomize=True, deadline=None, max_examples=25)
settings.load_profile("folkmoot")

pytest_plugins = ("tests.kits.forked",)

HOME = pytest.StashKey[Path]()
"""The home of all tests of a process."""


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


def pytest_fork_begins(config: pytest.Config) -> None:
    """Give a worker that is a fork a home of its own."""
    config.stash[HOME] = use_home()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None]:
    """Let a test fail that left a record or settings in the home: the next would find them."""
    yield
    if files := take_out(item.config.stash[HOME]):
        pytest.fail(
            f"this test wrote into the home of its user, {', '.join(files)}: say where, as store=", pytrace=False
        )


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark as ``system`` what uses such a fixture or has a narrower mark; skip ``peers`` unless FOLKMOOT_PEERS is set."""
    call = getattr(item, "callspec", None)
    words = (value for value in call.params.values() if isinstance(value, str)) if call else ()
    used = {*getattr(item, "fixturenames", ()), *words}
    marks = {mark.name for mark in item.iter_markers()}
    if used & OUTSIDE or marks & {"alone", "peers"}:
        item.add_marker("system")
        marks.add("system")
    if getattr(item, "originalname", "") in with_many_cases(item.path):
        item.add_marker("many")
        marks.add("many")
    if marks & {"system", "many"} and not may_have(REST, item.path):
        raise pytest.UsageError(f"{item.nodeid} would not be found by -m {REST!r}: say by name what it needs")
    if "peers" in marks and not os.environ.get("FOLKMOOT_PEERS"):
        item.add_marker(pytest.mark.skip(reason="needs large servers that nobody here wrote: make test-peers"))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where only some marks run, read only files that have such a test: the others need not be imported."""
    if not collection_path.match("test_*.py"):
        return None
    return None if may_have(config.option.markexpr, collection_path) else True


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let long tests run among short ones, those of one server on one worker; see ``tests/kits/order.py``."""
    forked: Forked | None = config.pluginmanager.get_plugin("forked")
    workers = forked.count if forked else int(getattr(config, "workerinput", {}).get("workercount", 0))
    if workers:  # else the order stays as it is written
        items[:] = [items[index] for index in mix([_kind(item) for item in items], workers)]


def _kind(item: pytest.Item) -> str:
    """What takes a test's time: a server, something else, or nothing."""
    used = getattr(item, "fixturenames", ())
    if server := next((name for name in ("stage", "postgres") if name in used), ""):
        return server
    return "long" if any(item.get_closest_marker(name) for name in ("system", "long")) else ""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Leave what is imported out of the collection of garbage, for it stays to the end; and look for garbage seldom.

    Debates make many small values and hardly a circle: by the usual threshold a sixth of the time goes into looking.
    """
    gc.disable()
    try:
        _compile_part(session.config)
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000)
        gc.enable()


def _compile_part(config: pytest.Config) -> None:
    """Import a part of the tests before the others.

    In a new checkout all tests are compiled. Each worker so compiles a part, and reads from the disk what the others
    have compiled.
    """
    worker: Mapping[str, Any] = getattr(config, "workerinput", {})
    if worker and config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        files = [path for path in sorted(ROOT.glob("tests/**/test_*.py")) if may_have(config.option.markexpr, path)]
        for path in files[int(worker["workerid"].removeprefix("gw")) :: worker["workercount"]]:
            importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))


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


@pytest.fixture(scope="session")
def relays() -> Generator[None]:
    """The server that forks for the programs of ``tests/kits/relays.py``."""
    from tests.kits.relays import relaying  # here, since most workers need none

    with relaying():
        yield


@pytest.fixture
def database(postgres: "Postgres") -> str:
    """The address of an empty database in it."""
    return postgres.make()
