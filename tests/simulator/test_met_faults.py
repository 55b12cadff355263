"""Faults that users have met, planted again: the test that holds each is red with it. They are C2 and M1 of testing.md.

C1, locks that a program drops, is in ``tests/record/test_sqlite_shared.py``.
"""

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.testing import wire_formats
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import BRIEF, folkmoot, served, settle, speak
from tests.models.test_odd_usage import IN, OUT, counting
from tests.paths import ROOT
from tests.simulator.planted_faults import planted

# ---- C2: a provider counts fractions of tokens, and the record can be read no more -----------------------------------


def count_fractions(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a debate with a provider that counts 2.5 tokens, and read its record in each way."""
    odd = {path: counting(dialect, "2.5") for path, dialect in wire_formats.DIALECTS.items()}
    monkeypatch.setattr(wire_formats, "DIALECTS", odd)
    with served(lambda call: replace(speak(call), usage=(IN, OUT, 0))) as wires:
        env = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": f"{wires.url}/v1"}
        ran = folkmoot(folder, "run", str(BRIEF), "-m", "openai:gpt-4o-mini", "--no-report", "--budget", "100", **env)
        assert ran.exit_code == 0, ran.output
    for words in (("verify", "last"), ("show", "last"), ("list",), ("resume", "last")):
        read = folkmoot(folder, *words)
        assert read.exit_code == 0, (words, read.output)
        assert "damaged" not in read.output, words


def test_a_provider_that_counts_fractions_leaves_a_record_that_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_fractions(tmp_path, monkeypatch)


def test_a_record_with_fractions_in_it_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = "a line of the record is damaged"
    with planted("fractional_tokens_are_stored"), pytest.raises(AssertionError, match=damaged):
        count_fractions(tmp_path, monkeypatch)


# ---- M1: a process is stopped for longer than a turn may take, and all answers in flight count as late ---------------

FOLKMOOT = "from folkmoot.cli.main import main; main()"
LOSES_TURNS = f"""
from tests.simulator.planted_faults import FAULTS
for owner, name, value in FAULTS["stopped_process_loses_its_turns"]():
    setattr(owner, name, value)
{FOLKMOOT}
"""


def stop_for_longer_than_a_turn(folder: Path, program: str) -> None:
    """Stop a process while four answers are in flight, and let it go on once a turn would be over."""

    def late(call: Call) -> Plan:
        return replace(speak(call), delay=1.2 if len(wires.calls) <= 4 else 0.0)

    with served(late) as wires:
        reach = {"OPENAI_BASE_URL": f"{wires.url}/v1", "OPENAI_API_KEY": "k"}
        env = {**settle(folder), **reach, "PYTHONPATH": ":".join([str(ROOT), *sys.path])}
        words = ["run", str(BRIEF), "-m", "openai:gpt-4o-mini", "--no-report", "--turn-seconds", "2"]
        command = [sys.executable, "-c", program, *words]
        pipe, same = subprocess.PIPE, subprocess.STDOUT
        with subprocess.Popen(command, env=env, cwd=folder, stdout=pipe, stderr=same) as process:
            try:
                while len(wires.calls) < 4 and process.poll() is None:
                    time.sleep(0.01)
                process.send_signal(signal.SIGSTOP)
                time.sleep(3.2)
                process.send_signal(signal.SIGCONT)
                output, _ = process.communicate(timeout=120)
            finally:
                process.kill()
        bodies = [call.body for call in wires.calls]
    assert process.returncode == 0, output.decode()
    assert not [body for body in bodies[4:] if body in bodies[:4]], "asked for twice"
    assert "no answer within" not in output.decode()


@pytest.mark.system
def test_who_is_stopped_for_longer_than_a_turn_has_lost_nothing(tmp_path: Path) -> None:
    stop_for_longer_than_a_turn(tmp_path, FOLKMOOT)


@pytest.mark.system
def test_turns_that_are_lost_by_a_stop_are_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        stop_for_longer_than_a_turn(tmp_path, LOSES_TURNS)
