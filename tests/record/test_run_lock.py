"""Locks of those who run debates: between processes, within one, after a kill, and where there can be none."""

import errno
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from folkmoot.core.errors import RecordConflict
from folkmoot.record import ledger
from folkmoot.record.ledger import is_running, running

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no such locks")

HOLD = """
import sys, time
from folkmoot.record.ledger import running
with running(sys.argv[1], sys.argv[2]):
    print("held", flush=True)
    time.sleep(30)
"""


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(ledger, "SHARED_FOLDER", str(tmp_path))
    monkeypatch.setattr(ledger, "PLACES", {})
    yield
    ledger.PLACES.clear()


@contextmanager
def held_elsewhere(store: str, debate: str, tmpdir: Path) -> Generator[subprocess.Popen[str]]:
    """Another process that runs a debate, with a temporary folder of its own."""
    env = {**os.environ, "TMPDIR": str(tmpdir)}
    command = [sys.executable, "-c", HOLD, store, debate]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "held\n"
        yield process
        process.send_signal(signal.SIGKILL)
        process.wait(120)


def test_one_debate_is_run_once_and_others_beside_it() -> None:
    with running("store", "a"), running("store", "b"), running("other", "a"):
        sentence = "a is being run by another process; follow it with `folkmoot show a --follow`"
        with pytest.raises(RecordConflict, match=sentence), running("store", "a"):
            raise AssertionError("it was run twice")
        assert is_running("store", "b")
    assert not is_running("store", "a")
    with running("store", "a"):
        pass


@pytest.mark.parametrize("tmpdir", ["", "of another"])
def test_another_process_has_it_until_it_ends_however_that_comes(
    tmpdir: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "SHARED_FOLDER", "/tmp")
    store, folder = str(tmp_path / "folkmoot.db"), tmp_path / tmpdir
    folder.mkdir(exist_ok=True)
    with held_elsewhere(store, "a", folder):
        assert is_running(store, "a")
        assert not is_running(store, "b")
    assert not is_running(store, "a")
    assert not list(folder.glob("folkmoot-*"))


def test_a_fork_has_no_lock_of_its_parent() -> None:
    with running("store", "a"):
        child = os.fork()
        if not child:
            os._exit(0 if is_running("store", "a") and not ledger.lock_file_of("store").debates else 1)
        assert os.waitpid(child, 0)[1] == 0


def test_the_temporary_folder_has_the_locks_where_the_shared_one_cannot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "SHARED_FOLDER", str(tmp_path / "missing"))
    with running("store", "a"):
        assert is_running("store", "a")
    assert [path.suffix for path in (tmp_path / f"folkmoot-{os.getuid()}").iterdir()] == [".lock"]


def test_a_lock_file_that_is_used_does_not_grow_old(tmp_path: Path) -> None:
    file = ledger.open_file("x")
    assert file is not None
    os.utime(file, (0, 0))
    again = ledger.open_file("x")
    assert again is not None
    assert os.fstat(file).st_mtime > 0
    assert [path.name for path in tmp_path.iterdir()] == [f"folkmoot-{os.getuid()}"]


def test_where_there_can_be_no_lock_the_process_alone_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / f"folkmoot-{os.getuid()}").write_text("in the way", "utf-8")
    with running("store", "a"):
        assert is_running("store", "a")
    assert not is_running("store", "a")
    monkeypatch.setattr(ledger.os, "name", "nt")
    assert ledger.open_file("x") is None


def test_a_folder_of_somebody_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    uid = os.getuid()
    answers = iter([uid, uid + 1] * 2)
    monkeypatch.setattr(ledger.os, "getuid", lambda: next(answers))
    assert ledger.open_file("x") is None


def test_a_file_system_without_locks_is_no_obstacle(monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "lockf", refuse)
    with running("store", "a"):
        assert is_running("store", "a")
