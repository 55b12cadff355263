"""Forks run tests as one process does: each once, with what it printed, what it shares, and what befell it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.kits.forked import Parts
from tests.kits.waiting import until
from tests.paths import ROOT

TESTS = """
import os
import time
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def server():
    up = Path(f"up-{os.getpid()}")
    up.touch()
    yield
    up.unlink()


@pytest.mark.parametrize("number", range(30))
def test_short(number, tmp_path):
    (tmp_path / "file").touch(exist_ok=False)
    with open("ran", "a") as ran:
        ran.write(f"{number}\\n")


def test_wrong():
    os.write(1, b"said before")
    assert "one" == "two"


def test_end():
    Path(f"up-{os.getpid()}").unlink()
    os._exit(7)


@pytest.mark.parametrize("number", range(1 if "LONG" not in os.environ else 9_000))
def test_long(number):
    time.sleep(0.01)
"""


def start(folder: Path, *words: str, **environment: str) -> subprocess.Popen[str]:
    folder.joinpath("test_these.py").write_text(TESTS)
    folder.joinpath("pytest.ini").write_text("[pytest]\n")
    plugins = ("tests.kits.forked", "no:asyncio", "no:schemathesis", "no:langsmith_plugin", "no:slipcover")
    command = [sys.executable, "-m", "pytest", *(word for name in plugins for word in ("-p", name)), "-n2", *words]
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.Popen(
        command,
        cwd=folder,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def up(folder: Path) -> Sequence[Path]:
    return list(folder.glob("up-*"))


@pytest.mark.system
def test_each_test_runs_once_and_what_failed_runs_again(tmp_path: Path) -> None:
    output, _ = start(tmp_path).communicate()
    assert "test_these.py::test_end ended its worker, with 7" in output
    assert "said before" in output
    assert re.search(r"FAILED test_these.py::test_wrong - .*'one' == 'two'", output), output
    assert "2 failed, 31 passed" in output
    assert sorted(map(int, (tmp_path / "ran").read_text().split())) == list(range(30))
    assert not up(tmp_path)
    again, _ = start(tmp_path, "--last-failed").communicate()
    assert "2 failed" in again
    assert "passed" not in again
    first, _ = start(tmp_path, "--maxfail=1", "-k", "wrong or long", LONG="yes").communicate()
    assert "stopping after 1 failures" in first


@pytest.mark.system
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
async def test_no_worker_outlives_the_run(tmp_path: Path, number: signal.Signals) -> None:
    run = start(tmp_path, "-k", "long", LONG="yes")
    await until(lambda: len(up(tmp_path)) == 2)
    run.send_signal(number)
    output, _ = run.communicate()
    assert ("KeyboardInterrupt" in output) is (number == signal.SIGINT)
    await until(lambda: not up(tmp_path))


def test_each_worker_has_a_part_and_helps_the_slowest() -> None:
    parts = Parts(7, 3)
    assert [parts.take(0), parts.take(0), parts.take(0)] == [0, 1, 5]
    parts.give_back(1, [9])
    assert [parts.take(1), parts.take(2), parts.take(1), parts.take(1)] == [9, 4, 2, 3]
    assert parts.take(2) == 6
    assert parts.take(2) is None
    parts = Parts(3, 2)
    parts.clear()
    assert parts.take(0) is None
