"""Measures how long the command takes to start: ``--help``, ``list`` and ``check``, and the first line of ``run``.

Each command runs as a whole process, in turn with ``python -c pass`` and ``python -c 'import rich_click'``. The time of
the processor is that of the system's own account of each process. A ratio holds from machine to machine, and beside
others that are busy; the seconds do not. ``modules`` is how many were loaded at the end.

Run it with ``python benchmarks/start.py [--runs 15]``.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

BRIEF = Path(__file__).parent.parent / "examples" / "build-or-buy.md"
MODEL = "openai:gpt-4o"

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "python -c pass": ("-c", "pass"),
    "python -c 'import rich_click'": ("-c", "import rich_click"),
    "folkmoot --help": ("-m", "folkmoot", "--help"),
    "folkmoot list": ("-m", "folkmoot", "list"),
    f"folkmoot check (with {MODEL})": ("-m", "folkmoot", "check", str(BRIEF), "-m", MODEL),
}
RUN = ("-m", "folkmoot", "run", str(BRIEF), "-m", "builtin:quotes", "--no-report")


@dataclass(slots=True)
class Times:
    """What the runs of one command took: seconds of the processor, and modules that were loaded."""

    seconds: list[float] = field(default_factory=list[float])
    modules: int = 0


def environment(folder: Path) -> dict[str, str]:
    """A place of its own, with a key so that the model can be named; nothing is sent to it."""
    own = {
        "HOME": folder,
        "XDG_CONFIG_HOME": folder,
        "XDG_DATA_HOME": folder,
        "FOLKMOOT_STORE": folder / "folkmoot.sqlite",
    }
    return {**os.environ, **{name: str(path) for name, path in own.items()}, "OPENAI_API_KEY": "none"}


def take(words: Sequence[str], env: Mapping[str, str]) -> float:
    """The seconds of the processor that one process takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], env=dict(env), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def count(words: Sequence[str], env: Mapping[str, str]) -> int:
    """How many modules a process has loaded at its end."""
    loud = [sys.executable, "-v", *words]
    output = subprocess.run(loud, env=dict(env), check=True, capture_output=True, text=True).stderr
    return sum(line.startswith("import ") for line in output.splitlines())


def first_line(env: Mapping[str, str]) -> float:
    """The seconds until ``folkmoot run`` shows its first line."""
    began = time.perf_counter()
    with subprocess.Popen([sys.executable, *RUN], env=dict(env), stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        took = time.perf_counter() - began
        process.stdout.read()
    return took


def measure(runs: int) -> None:
    """Run all commands in turn and print a table."""
    with tempfile.TemporaryDirectory() as folder:
        env = environment(Path(folder))
        times = {name: Times(modules=count(words, env)) for name, words in COMMANDS.items()}
        first_line(env)
        lines: list[float] = []
        for _ in range(runs):
            for name, words in COMMANDS.items():
                times[name].seconds.append(take(words, env))
            lines.append(first_line(env))
    bare = median(times["python -c pass"].seconds)
    print(f"{'command':<34}{'CPU s':>8}{'least':>8}{'most':>8}{'ratio':>8}{'modules':>9}")
    for name, took in times.items():
        low, mid, high = min(took.seconds), median(took.seconds), max(took.seconds)
        print(f"{name:<34}{mid:>8.3f}{low:>8.3f}{high:>8.3f}{mid / bare:>8.1f}{took.modules:>9}")
    print(f"first line of folkmoot run: {median(lines):.3f} s of the clock, {min(lines):.3f} to {max(lines):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    measure(parser.parse_args().runs)
