"""A process of its own for a command or a program, without importing Folkmoot anew: forks of one server.

The server has imported Folkmoot and done nothing else, so a fork begins like a process that starts from nothing. What is
said of a start itself, of help that loads little or of an end by the interpreter, is tried with such a process.
"""

import multiprocessing
import os
import runpy
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import DupFd
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, Protocol, Self

from tests.paths import ROOT

GUARD = 300.0
"""A process that takes longer hangs."""

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.kits.imported"])


class Ended(NamedTuple):
    """How a process ended and what it printed."""

    code: int
    output: str


class Descriptor(Protocol):
    """A file of this process on its way to another."""

    def detach(self) -> int:
        """Its number there."""
        ...


class Command:
    """A module (its name, then its arguments) in a fork, as a ``Popen`` is; its files are nothing or those given."""

    def __init__(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], files: Sequence[int] = ()
    ) -> None:
        with open(os.devnull, "r+b") as nothing:
            start = ForkStart(words, folder, dict(environment), files or (nothing.fileno(),) * 3)
            self._process = FORKS.Process(target=start)
            self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    def poll(self) -> int | None:
        """The exit code, if it has ended."""
        return self._process.exitcode

    def wait(self, seconds: float = GUARD) -> int:
        """Wait until it ends; a process that takes too long is killed."""
        return _wait(self._process, seconds)

    def send_signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it has not ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it as a loss of power would."""
        self._process.kill()


def run_module(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], begun: Callable[[int], None] = lambda pid: None
) -> Ended:
    """Run a module (its name, then its arguments) in such a folder and environment; ``begun`` is told the process."""
    with tempfile.TemporaryFile() as output, open(os.devnull, "rb") as nothing:
        files = (nothing.fileno(), output.fileno(), output.fileno())
        command = Command(words, folder, environment, files)
        begun(command.pid)
        code = command.wait()
        output.seek(0)
        return Ended(code, output.read().decode("utf-8", "replace"))


class Program:
    """A process that runs pieces of Python, each with the names of those before: a program that grows."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._output, name = tempfile.mkstemp()
        os.unlink(name)
        self._ours, theirs = FORKS.Pipe()
        with open(os.devnull, "rb") as nothing:
            start = ForkStart([], folder, dict(environment), (nothing.fileno(), self._output, self._output))
            self._process = FORKS.Process(target=_grow, args=(theirs, start))
            self._process.start()
        theirs.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        os.close(self._output)

    def run(self, code: str) -> Ended:
        """Run a piece; the exit code is 0 where the program can go on."""
        try:
            self._ours.send(code)
            ran = self._ours.poll(GUARD) and self._ours.recv()
        except (EOFError, OSError):
            ran = False
        if ran:
            return Ended(0, "")
        code_of_end, output = self.end()
        return Ended(code_of_end or 1, output or "The program has ended.")

    def end(self) -> Ended:
        """Let the program end, as one does after its last line."""
        self._ours.close()
        code = _wait(self._process, GUARD)
        output = os.pread(self._output, os.fstat(self._output).st_size, 0)
        return Ended(code, output.decode("utf-8", "replace"))


def _wait(process: BaseProcess, seconds: float) -> int:
    process.join(seconds)
    if process.exitcode is None:
        process.kill()
        process.join()
    assert process.exitcode is not None
    return process.exitcode


class ForkStart:
    """What a fork does first, and the module that it runs then."""

    def __init__(
        self, words: Sequence[str], folder: Path, environment: Mapping[str, str], files: Sequence[int]
    ) -> None:
        self.words, self.folder, self.environment, self.files = words, folder, environment, files
        self.sent: Sequence[Descriptor] = ()

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "files": (), "sent": [DupFd(number) for number in self.files]}

    def __call__(self) -> None:
        self.begin()
        sys.argv = list(self.words)
        runpy.run_module(self.words[0], run_name="__main__", alter_sys=True)

    def begin(self) -> None:
        """Take the place of a process that starts from nothing."""
        os.environ.clear()
        os.environ.update(self.environment)
        os.chdir(self.folder)
        for place, sent in enumerate(self.sent):
            number = sent.detach()
            os.dup2(number, place)
            os.close(number)
        sys.stdin = TextIOWrapper(BufferedReader(FileIO(0, closefd=False)), encoding="utf-8")
        for name, number in (("stdout", 1), ("stderr", 2)):
            at_once = number == 2 or os.isatty(number)
            file = BufferedWriter(FileIO(number, "w", closefd=False))
            errors = "backslashreplace" if number == 2 else None
            setattr(sys, name, TextIOWrapper(file, encoding="utf-8", errors=errors, line_buffering=at_once))
        sys.path[:] = ["", *(path for path in sys.path if path and Path(path) not in (ROOT, ROOT / "scripts"))]


def _grow(pieces: Connection, start: ForkStart) -> None:
    start.begin()
    warnings.simplefilter("error")
    sys.argv = ["-c"]
    main = sys.modules["__main__"] = ModuleType("__main__")
    while True:
        try:
            code = pieces.recv()
        except EOFError:
            return
        exec(code, main.__dict__)
        sys.stdout.flush()
        pieces.send(True)
