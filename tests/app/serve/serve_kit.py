"""``moot serve`` for tests, as a process of its own."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.cli.commands import settle

PATIENCE = 120
"""Seconds in which whatever shall happen has happened, also on a machine with much else to do."""

PATIENT = (
    "-c",
    "from moot.app.run.runner import Runner\nfrom moot.cli.main import main\n"
    "Runner.__init__.__kwdefaults__['grace'] = 600.0\nmain()",
)
"""The command, whose debates have more time for the answers in hand than any test has."""


@dataclass(slots=True)
class Running:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    link: str = ""

    @contextmanager
    def client(self) -> Generator[httpx2.Client]:
        """Whoever has the printed link."""
        base = self.link.partition("/?")[0]
        with httpx2.Client(base_url=base, headers={"X-Moot": "1"}, follow_redirects=True, timeout=120) as client:
            assert client.get(self.link.removeprefix(base)).status_code == 200
            yield client

    def end(self, *signals: signal.Signals) -> int:
        """Send signals, each once the one before it was heard; the exit code."""
        for count, number in enumerate(signals):
            if count:
                assert self.process.stderr
                assert any("stopping after the answers in progress" in line for line in self.process.stderr)
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def wait_for(look: Callable[[], object]) -> None:
    """Wait until a look finds something."""
    ends = time.monotonic() + PATIENCE
    while not look():
        assert time.monotonic() < ends, "what is waited for does not come"
        time.sleep(0.02)


@contextmanager
def running(folder: Path, *options: str, program: Sequence[str] = ("-m", "moot"), **env: str) -> Generator[Running]:
    """A server in a process of its own, once it can be reached."""
    process = subprocess.Popen(
        [sys.executable, *program, "serve", "--port", "0", *options],
        cwd=folder,
        env={**settle(folder), "PYTHONPATH": ":".join(sys.path), "PYTHONUNBUFFERED": "1", **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout
        server = Running(process)
        line = process.stdout.readline()
        server.link = line.removeprefix("Open this link: ").strip()
        assert server.link.startswith("http://127.0.0.1:"), process.stderr.read() if process.stderr else line
        yield server
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()
