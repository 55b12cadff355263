"""Workers that are forks of one process: tests are imported and collected once, not once a worker.

``-n`` and ``--numprocesses`` mean what they mean to pytest-xdist, whose workers these replace where processes can fork
without harm. A fork runs a test like a worker of xdist and sends its reports to the first process, which alone counts,
prints and remembers what failed.
"""

import multiprocessing
import os
import sys
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import pairwise
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest

FORKS = multiprocessing.get_context("fork")

AHEAD = 2
"""How many tests a worker knows: the one that runs, and the next, which says what of the fixtures stays."""


PATIENCE = 10.0
"""How many seconds workers have to end when a run is interrupted."""


class Parts:
    """Indexes of tests, a part for each worker. Who has done its own takes the second half of the longest.

    So each worker runs its tests in the order in which they stand in their files.
    """

    def __init__(self, count: int, workers: int) -> None:
        ends = [count * number // workers for number in range(workers + 1)]
        self._parts = [deque(range(*pair)) for pair in pairwise(ends)]

    def take(self, number: int) -> int | None:
        """The next test of a worker, if there is one."""
        own = self._parts[number]
        if not own:
            longest = max(self._parts, key=len)
            own.extend(reversed([longest.pop() for _ in range(-(-len(longest) // 2))]))
        return own.popleft() if own else None

    def give_back(self, number: int, tests: Iterable[int]) -> None:
        """Have another worker run what this one cannot."""
        self._parts[number].extendleft(tests)

    def clear(self) -> None:
        """Forget all."""
        for part in self._parts:
            part.clear()


class Worker:
    """A fork: its process, the connection with it, and the tests that it was given and has not done."""

    def __init__(self, number: int, target: Callable[[int, Connection], None]) -> None:
        self.number = number
        self.connection, theirs = FORKS.Pipe()
        self.given: deque[int] = deque()
        self.ended = False
        self.process = FORKS.Process(target=self._begin, args=(target, theirs))
        self.process.start()
        theirs.close()

    def _begin(self, target: Callable[[int, Connection], None], theirs: Connection) -> None:
        self.connection.close()  # so that it ends where the first process ends
        target(self.number, theirs)

    def give(self, test: int | None) -> None:
        """Tell it a test to run, or that there is no other."""
        if test is None:
            self.ended = True
        else:
            self.given.append(test)
        with suppress(OSError):  # it has crashed, and the loop will see that
            self.connection.send(test)


class Forked:
    """The plugin that gives the tests of a session to forks."""

    def __init__(self, config: pytest.Config, count: int) -> None:
        self.count = count
        self._config = config
        self._run = uuid.uuid4().hex
        self._workers: list[Worker] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> object:
        """Run all tests; what there is besides, pytest does as ever."""
        if session.config.option.collectonly or session.testsfailed or not session.items:
            return None
        self._session, self._parts = session, Parts(len(session.items), self.count)
        try:
            for number in range(min(self.count, len(session.items))):
                self._workers.append(self._start(number))
            while self._workers:
                for connection in wait([worker.connection for worker in self._workers]):
                    self._hear(next(worker for worker in self._workers if worker.connection is connection))
        finally:
            self._end()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        return True

    def _start(self, number: int) -> Worker:
        worker = Worker(number, self._work)
        for _ in range(AHEAD):
            self._feed(worker)
        return worker

    def _feed(self, worker: Worker) -> None:
        if self._session.shouldfail or self._session.shouldstop:
            self._parts.clear()
        if not worker.ended:
            worker.give(self._parts.take(worker.number))

    def _hear(self, worker: Worker) -> None:
        """Take the reports of a test that a worker has done; a worker that is gone has failed the test that it ran."""
        try:
            reports = worker.connection.recv()
        except (EOFError, OSError):
            self._bury(worker)
            return
        self._tell(worker.given.popleft(), reports)
        self._feed(worker)

    def _bury(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.connection.close()
        worker.process.join()
        if not worker.given:
            if worker.process.exitcode:
                self._session.shouldfail = (
                    f"worker {worker.number} ended with {worker.process.exitcode} after its tests"
                )
            return
        test = self._session.items[worker.given[0]]
        why = f"{test.nodeid} ended its worker, with {worker.process.exitcode}"
        report = pytest.TestReport(test.nodeid, test.location, {}, "failed", why, "call")
        self._tell(worker.given.popleft(), [self._packed(report)])
        self._parts.give_back(worker.number, reversed(worker.given))
        self._workers.append(self._start(worker.number))

    def _end(self) -> None:
        """End workers that are left when a run is interrupted: they take down what they have set up, if they can."""
        for worker in self._workers:
            worker.connection.close()
        until = time.monotonic() + PATIENCE
        for worker in self._workers:
            worker.process.join(max(0.0, until - time.monotonic()))
            worker.process.kill()

    def _packed(self, report: pytest.TestReport) -> dict[str, Any]:
        return self._config.hook.pytest_report_to_serializable(config=self._config, report=report)

    def _tell(self, test: int, reports: Sequence[dict[str, Any]]) -> None:
        """Let all plugins hear of a test as if it had run here."""
        hook, item = self._config.hook, self._session.items[test]
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for data in reports:
            hook.pytest_runtest_logreport(report=hook.pytest_report_from_serializable(config=self._config, data=data))
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)

    def _work(self, number: int, connection: Connection) -> None:
        """What a fork does: it runs one test after the other, and ends its session as a worker of xdist does."""
        for worker in self._workers:
            worker.connection.close()
        session, reports = self._session, list[dict[str, Any]]()
        _settle(self._config, number, {"workercount": self.count, "testrunuid": self._run})
        self._config.pluginmanager.register(_Reports(lambda report: reports.append(self._packed(report))))
        with suppress(KeyboardInterrupt, EOFError, BrokenPipeError, ConnectionResetError):  # the run was interrupted
            test: int | None = connection.recv()
            while test is not None:
                following: int | None = connection.recv()
                after = None if following is None else session.items[following]
                self._config.hook.pytest_runtest_protocol(item=session.items[test], nextitem=after)
                connection.send(reports)
                reports.clear()
                test = following
        code = pytest.ExitCode.TESTS_FAILED if session.testsfailed else pytest.ExitCode.OK
        self._config.hook.pytest_sessionfinish(session=session, exitstatus=code)


class _Reports:
    """The plugin of a fork that takes what a test reports."""

    def __init__(self, take: Callable[[pytest.TestReport], None]) -> None:
        self._take = take

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a report."""
        self._take(report)


def _settle(config: Any, number: int, shared: dict[str, object]) -> None:
    """Let a fork be a worker by its name, print nothing, and have captured output and temporary files of its own."""
    name = f"gw{number}"
    os.environ["PYTEST_XDIST_WORKER"] = name
    config.workerinput = {"workerid": name, **shared}
    manager = config.pluginmanager
    if manager.has_plugin("terminalreporter"):
        manager.unregister(name="terminalreporter")
    captured = manager.getplugin("capturemanager")._global_capturing
    for stream in (captured.out, captured.err):
        if hasattr(stream, "targetfd"):  # what has kept the stream since it was imported must find it open
            with tempfile.TemporaryFile() as file:
                os.dup2(file.fileno(), stream.tmpfile.fileno(), inheritable=False)
    files = config._tmp_path_factory
    files._basetemp = files.getbasetemp() / f"{name}-{os.getpid()}"
    files._basetemp.mkdir()
    config.hook.pytest_fork_begins(config=config)


class Hooks:
    """What a conftest may do more."""

    def pytest_fork_begins(self, config: pytest.Config) -> None:
        """A worker has begun, as a fork of the process that has collected the tests."""


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Tell pytest of ``Hooks``."""
    pluginmanager.add_hookspecs(Hooks)


def pytest_cmdline_main(config: pytest.Config) -> None:
    """Take the place of the workers of xdist, which has worked out how many there are."""
    count = getattr(config.option, "numprocesses", None)
    if count and sys.platform == "linux" and not config.option.collectonly:
        config.option.dist, config.option.tx = "no", []
        config.pluginmanager.register(Forked(config, count), "forked")
