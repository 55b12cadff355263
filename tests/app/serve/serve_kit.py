"""``folkmoot serve`` for tests, as a process of its own."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import httpx2

from tests.cli.commands import settle
from tests.kits.processes import start_module

PATIENCE = 120
"""Seconds in which whatever shall happen has happened, also on a machine with much else to do."""

PATIENT = "tests.app.serve.patient"
"""The command, whose debates have more time for the answers in hand than any test has."""


@dataclass(slots=True)
class Running:
    """A server in a process of its own."""

    process: subprocess.Popen[bytes]
    stderr: TextIO
    link: str = ""

    @contextmanager
    def client(self) -> Generator[httpx2.Client]:
        """Whoever has the printed link."""
        base = self.link.partition("/?")[0]
        with httpx2.Client(base_url=base, headers={"X-Folkmoot": "1"}, follow_redirects=True, timeout=120) as client:
            assert client.get(self.link.removeprefix(base)).status_code == 200
            yield client

    def end(self, *signals: signal.Signals) -> int:
        """Send signals, each once the one before it was heard; the exit code."""
        for count, number in enumerate(signals):
            if count:
                assert any("stopping after the answers in progress" in line for line in self.stderr)
            self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def wait_for(look: Callable[[], object]) -> None:
    """Wait until a look finds something."""
    ends = time.monotonic() + PATIENCE
    while not look():
        assert time.monotonic() < ends, "what is waited for does not come"
        time.sleep(0.02)


@contextmanager
def running(folder: Path, *options: str, module: str = "folkmoot", **env: str) -> Generator[Running]:
    """A server in a process of its own, once it can be reached."""
    words = (module, "serve", "--port", "0", *options)
    environment = {**settle(folder), "PYTHONUNBUFFERED": "1", **env}
    (out, to_out), (err, to_err) = os.pipe(), os.pipe()
    with (
        open(out, encoding="utf-8") as stdout,
        open(err, encoding="utf-8") as stderr,
        open(os.devnull, "rb") as nothing,
    ):
        process = start_module(words, folder, environment, (nothing.fileno(), to_out, to_err))
        os.close(to_out)
        os.close(to_err)
        try:
            line = stdout.readline()
            link = line.removeprefix("Open this link: ").strip()
            assert link.startswith("http://127.0.0.1:"), line or stderr.read()
            yield Running(process, stderr, link)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(PATIENCE)
