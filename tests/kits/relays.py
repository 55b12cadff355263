"""Commands for programs that start programs themselves: each runs a module in a fork that has imported it before.

A server of tools or an agent takes a second of the processor to import its library. So the command is the small program
of ``tests/kits/relay.py``, and a server that this process starts forks for it. What is said of a real start is tried
with a process that starts from nothing.
"""

import array
import json
import multiprocessing
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing.connection import Connection, wait
from pathlib import Path

from tests.kits.forks import FORKS, ForkStart
from tests.paths import TESTS

LONGEST = 200_000
"""Bytes of a request: arguments and environment."""

LIBRARIES: Mapping[str, Sequence[str]] = {
    "folkmoot": ("mcp",),
    "tests.kits.acp_agent": ("acp",),
    "tests.mcp.mcp_server": ("mcp.server.mcpserver", "uvicorn"),
}
"""What each module imports that takes long, and that does nothing when it is imported."""

_ADDRESS = str(Path(tempfile.gettempdir()) / f"folkmoot-relay-{os.getpid()}")
"""How the addresses of the servers of a run begin: commands are written before it is known which worker runs a test."""


def relayed(module: str, *words: str) -> tuple[str, ...]:
    """The command for a module with such arguments; it works while there are ``relays``."""
    return (sys.executable, "-I", "-S", str(TESTS / "kits" / "relay.py"), _ADDRESS, module, *words)


@contextmanager
def relaying() -> Generator[None]:
    """The server of the relays, as long as it is needed."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    address = f"{_ADDRESS}-{os.getpid()}"
    listener.bind(address)
    listener.listen(64)
    ours, theirs = FORKS.Pipe()
    process = FORKS.Process(target=_serve, args=(listener, theirs))
    process.start()
    try:
        yield
    finally:
        for end in (ours, theirs, listener):
            end.close()
        process.join()
        os.unlink(address)


def _serve(listener: socket.socket, until: Connection) -> None:
    """Give each relay a process that forks for it and waits for the fork."""
    while wait([listener, until]) == [listener]:
        with suppress(ChildProcessError):  # those that have ended are forgotten
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        relay, _ = listener.accept()
        request, ancillary, _, _ = relay.recvmsg(LONGEST, socket.CMSG_SPACE(3 * array.array("i").itemsize))
        files = array.array("i")
        files.frombytes(ancillary[0][2])
        words, folder, environment = json.loads(request)
        for name in LIBRARIES[words[0]]:
            import_module(name)
        if not os.fork():
            start = ForkStart(words, Path(folder), environment, ())
            start.sent = [_Received(number) for number in files]
            _attend(relay, start)
            os._exit(0)
        relay.close()
        for number in files:
            os.close(number)


def _attend(relay: socket.socket, start: ForkStart) -> None:
    """Fork, and tell the relay how the fork ended; if the relay ends first, the fork is killed."""
    fork = multiprocessing.get_context("fork").Process(target=start)
    fork.start()
    for received in start.sent:
        os.close(received.detach())
    relay.send(str(fork.pid).encode())
    threading.Thread(target=lambda: relay.recv(1) or fork.kill(), daemon=True).start()
    fork.join()
    with suppress(OSError):
        relay.send(str(fork.exitcode).encode())


class _Received:
    """A file that a relay has sent."""

    def __init__(self, number: int) -> None:
        self._number = number

    def detach(self) -> int:
        """Its number here."""
        return self._number
