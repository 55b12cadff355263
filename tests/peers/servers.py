"""Servers of other people as child processes. How they are installed, started and ended.

An environment lies in ``.cache/peers`` under the hash of its pins, so new pins make a new one and old ones stay usable.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.kits.left_out import leave_out

HERE = Path(__file__).resolve().parent
CACHE = HERE.parents[1] / ".cache" / "peers"
INSTALL_SECONDS, START_SECONDS, END_SECONDS = 900, 240, 10


def install(name: str, alone: str = "") -> Path:
    """The folder of the programs of an environment with the pins of ``name.txt``; built if it is not there.

    The pins of ``alone.txt`` are installed beside them, without what these packages ask for.

    Leaves the test out, with the reason, where the packages cannot be installed.
    """
    pins = [HERE / f"{file}.txt" for file in (name, alone) if file]
    mark = hashlib.sha256(b"".join(file.read_bytes() for file in pins) + sys.version.encode()).hexdigest()[:12]
    place = CACHE / f"{name}-{mark}"
    ready = place / "ready"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Two runs of the tests build it once.
        if not ready.exists():
            shutil.rmtree(place, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
            pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            try:
                for file, options in zip(pins, ([], ["--no-deps"]), strict=False):
                    command = [*pip, *options, "-r", str(file)]
                    subprocess.run(command, check=True, capture_output=True, timeout=INSTALL_SECONDS)
            except subprocess.CalledProcessError as error:
                leave_out(f"{name} cannot be installed: {last_line(error.stderr)}")
            except subprocess.TimeoutExpired:
                leave_out(f"{name} cannot be installed within {INSTALL_SECONDS} seconds")
            ready.touch()
    return place / "bin"


def last_line(text: bytes) -> str:
    """The last line that says what is wrong, else the last one."""
    lines = text.decode("utf-8", "replace").strip().splitlines() or [""]
    return next((line for line in reversed(lines) if line.startswith("ERROR")), lines[-1])


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serve(command: Sequence[str], ready: str, home: Path, env: Mapping[str, str]) -> Generator[None, None, None]:
    """Run a server until the block ends; it has no keys, no settings of the user, and a log of its own.

    Args:
        command: the program and its arguments.
        ready: the address that answers as soon as the server works.
        home: an empty folder, for its files and its log.
        env: variables beside ``PATH`` and ``HOME``.
    """
    log = home / "server.log"
    clean = {"PATH": os.environ.get("PATH", ""), "HOME": str(home), **env}
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=clean, cwd=home, start_new_session=True)
        try:
            wait(server, ready, log)
            yield
        finally:
            end(server)


def wait(server: subprocess.Popen[bytes], ready: str, log: Path) -> None:
    """Wait until the address answers; fail with the end of the log if it never does."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with opener.open(ready, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"{ready} does not answer:\n{log.read_text('utf-8', 'replace')[-2000:]}")


def end(server: subprocess.Popen[bytes]) -> None:
    """End a server with all processes that it has started."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(server.pid, sign)
            server.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return
