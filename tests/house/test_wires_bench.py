"""The benchmarks of model calls and of streams in small: every row is measured, and the last line says the result."""

import subprocess
import sys

import pytest

from tests.paths import ROOT


def last_line(name: str, *options: str) -> str:
    """What a benchmark says at its end."""
    command = [sys.executable, str(ROOT / "benchmarks" / f"{name}.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


@pytest.mark.system
def test_the_price_of_a_call_is_told_in_one_line() -> None:
    words = last_line("wires", "--quick", "--rounds", "1", "--debates", "1").split()
    assert words[0] == "streamed"
    assert words[2:5] == ["x", "floor,", "unstreamed"]
    assert 0 < float(words[1]) < 100
    assert words[5] == "?" or 0 < float(words[5]) < 100


@pytest.mark.system
def test_all_answers_of_many_streams_come_whole() -> None:
    # Without an error, every debate had all its answers.
    words = last_line("streams", "--debates", "2", "--words", "4").split()
    assert words[0] == "wall"
    assert float(words[1]) >= 1.0
