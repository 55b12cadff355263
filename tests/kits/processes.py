"""Commands in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

GUARD = 300.0
"""A process that takes longer hangs."""


class Ended(NamedTuple):
    """How a process ended and what it printed."""

    code: int
    output: str


def with_imports(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment in which a process finds the modules that this one has, unless it says itself where they are."""
    return {"PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(ROOT)]), **environment}


def start_module(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], files: Sequence[int] = (subprocess.DEVNULL,) * 3
) -> subprocess.Popen[bytes]:
    """Start a module (its name, then its arguments); its standard files are nothing or those given."""
    command = [sys.executable, "-m", *words]
    stdin, stdout, stderr = files
    return subprocess.Popen(
        command, cwd=folder, env=with_imports(environment), stdin=stdin, stdout=stdout, stderr=stderr
    )


def run_module(
    words: Sequence[str], folder: Path, environment: Mapping[str, str], begun: Callable[[int], None] = lambda pid: None
) -> Ended:
    """Run a module (its name, then its arguments) to its end; ``begun`` is told the process."""
    with start_module(words, folder, environment, (subprocess.DEVNULL, subprocess.PIPE, subprocess.STDOUT)) as process:
        begun(process.pid)
        output, _ = process.communicate(timeout=GUARD)
    return Ended(process.returncode, output.decode("utf-8", "replace"))
