"""A fresh process for each piece of Python and each command, without importing Moot anew: forks of one server.

The server has imported Moot and done nothing else, so a fork begins like a process of its own.
"""

import multiprocessing
import os
import runpy
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.paths import ROOT

GUARD = 300.0
"""A process that takes longer hangs."""

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.docs.imported"])


class Ended(NamedTuple):
    """How a process ended and what it printed."""

    code: int
    output: str


def run_forked(program: str | Sequence[str], folder: Path, environment: Mapping[str, str]) -> Ended:
    """Run Python code, or a module (its name, then its arguments), in such a folder and environment."""
    with tempfile.NamedTemporaryFile() as output:
        process = _CONTEXT.Process(target=_run, args=(program, folder, dict(environment), output.name))
        process.start()
        process.join(GUARD)
        if process.exitcode is None:
            process.kill()
            process.join()
        assert process.exitcode is not None
        return Ended(process.exitcode, output.read().decode("utf-8", "replace"))


def _run(program: str | Sequence[str], folder: Path, environment: Mapping[str, str], output: str) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for descriptor, path, flags in ((0, os.devnull, os.O_RDONLY), (1, output, os.O_WRONLY | os.O_APPEND)):
        opened = os.open(path, flags)
        os.dup2(opened, descriptor)
        os.close(opened)
    os.dup2(1, 2)
    for stream in (sys.stdout, sys.stderr):
        assert isinstance(stream, TextIOWrapper)
        stream.reconfigure(encoding="utf-8")
    sys.path[:] = ["", *(path for path in sys.path if path and Path(path) not in (ROOT, ROOT / "scripts"))]
    if isinstance(program, str):
        warnings.simplefilter("error")
        sys.argv = ["-c"]
        main = sys.modules["__main__"] = ModuleType("__main__")
        exec(program, main.__dict__)
    else:
        sys.argv = list(program)
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
