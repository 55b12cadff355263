"""The real process: a terminal, Ctrl-C once and twice, a request to end, and taking the debate up again."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.cli.terminal import Interrupt
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Script
from tests.cli.commands import BRIEF, EXAMPLES, QUOTES, folkmoot, served, settle, speak
from tests.cli.terminals import ESCAPES, Terminal, terminal_env

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and terminals"),
]

QUESTION = str(EXAMPLES / "question.txt")
TINY = ("-m", "ollama:tiny")


def slow(call: Call) -> Plan:
    """The first answers come at once, what follows takes its time."""
    plan = speak(call)
    late = "ANSWER" in call.prompt and "none of them is marked" in call.prompt
    return Plan(text=plan.text, usage=plan.usage, pause=0.25, piece=4) if late else plan


def slow_until(hold: threading.Event) -> Script:
    """The first answers come at once; what follows begins, and goes on when the test says so."""

    def script(call: Call) -> Plan:
        plan = speak(call)
        late = "ANSWER" in call.prompt and "none of them is marked" in call.prompt
        return replace(plan, piece=12, hold=hold) if late else plan

    return script


def followed_by(act: Callable[..., None], then: Callable[[], None]) -> Callable[..., None]:
    """What a signal does, and word of it."""

    def both(*args: object) -> None:
        act(*args)
        then()

    return both


def test_the_live_screen_shows_speakers_and_decision(tmp_path: Path) -> None:
    with served(slow) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        del env["NO_COLOR"]
        terminal = Terminal(["run", QUESTION, *TINY, "--no-report"], env, tmp_path)
        assert terminal.end() == 0
    words = ESCAPES.sub("", terminal.shown)
    for name in ("Advocate", "Skeptic", "Pragmatist", "decided", "╭─", "thinking …", "▌", "0/9", "votes for"):
        assert name in words, name
    assert "\x1b[38;5;68m" in terminal.shown
    assert terminal.shown.count("\x1b[?25l") == terminal.shown.count("\x1b[?25h") == 1


@pytest.mark.parametrize("words", [("--plain",), ()])
def test_plain_lines_and_dumb_terminals_have_no_escape_codes(tmp_path: Path, words: tuple[str, ...]) -> None:
    env = terminal_env(tmp_path, TERM="xterm-256color" if words else "dumb")
    terminal = Terminal(["run", str(BRIEF), *QUOTES, "--no-report", *words], env, tmp_path)
    assert terminal.end() == 0
    assert "\x1b" not in terminal.shown
    assert "decided" in terminal.shown


def test_no_color_is_respected(tmp_path: Path) -> None:
    env = terminal_env(tmp_path, NO_COLOR="1")
    terminal = Terminal(["run", str(BRIEF), *QUOTES, "--no-report"], env, tmp_path)
    assert terminal.end() == 0
    assert "38;5;" not in terminal.shown


def test_ctrl_c_stops_after_the_answers_in_hand_and_resume_goes_on(tmp_path: Path) -> None:
    hold = threading.Event()
    with served(slow_until(hold)) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        terminal = Terminal(["run", QUESTION, *TINY], env, tmp_path)
        terminal.read_until(lambda shown: "round 1/1" in shown and "Rent ▌" in ESCAPES.sub("", shown))
        terminal.process.send_signal(signal.SIGINT)
        terminal.read_until(lambda shown: "press Ctrl-C again" in " ".join(ESCAPES.sub("", shown).split()))
        hold.set()
        assert terminal.end() == 130
        words = ESCAPES.sub("", terminal.shown)
        assert "stopping after the answers in progress — press Ctrl-C again to stop at once" in " ".join(words.split())
        name = re.findall(r"folkmoot resume (\S+)", words)[0]
        count = len(wires.calls)
        went = folkmoot(tmp_path, "resume", name, OLLAMA_HOST=wires.url)
    assert went.exit_code == 0, went.output
    # A server of one's own answers one call after the other, so only one was in progress.
    assert "4 answers kept, 2 questions asked again." in went.output
    assert len(wires.calls) == count + 5
    assert list((tmp_path / "debates").iterdir())


def test_a_second_ctrl_c_stops_at_once(tmp_path: Path) -> None:
    def stuck(call: Call) -> Plan:
        return Plan(text="Rent, they say", fault="stall") if "none of them is marked" in call.prompt else speak(call)

    with served(stuck) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        terminal = Terminal(["run", QUESTION, *TINY], env, tmp_path)
        terminal.read_until(lambda shown: "Rent, they say ▌" in ESCAPES.sub("", shown))
        terminal.process.send_signal(signal.SIGINT)
        terminal.read_until(lambda shown: "press Ctrl-C again" in shown)
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == 130
        wires.script = speak
        went = folkmoot(tmp_path, "resume", "last", "--no-report", OLLAMA_HOST=wires.url)
    assert went.exit_code == 0, went.output
    assert "3 answers kept, 3 questions asked again." in went.output


def test_a_request_to_end_leaves_a_debate_that_can_be_resumed(tmp_path: Path) -> None:
    hold = threading.Event()
    with served(slow_until(hold)) as wires:
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        command = [sys.executable, "-m", "folkmoot", "run", QUESTION, *TINY, "--json"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                if "none of them is marked" in line and '"kind":"asked"' in line:
                    break
            process.send_signal(signal.SIGTERM)
            hold.set()  # the signal is there before the answers can be
            _, text = process.communicate(timeout=120)
        assert process.returncode == 130
        assert "terminated. Resume with: folkmoot resume" in text
        assert folkmoot(tmp_path, "resume", "last", "--no-report", OLLAMA_HOST=wires.url).exit_code == 0


def test_a_running_debate_can_be_followed_by_another_process(tmp_path: Path) -> None:
    with served(slow) as wires:
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        command = [sys.executable, "-m", "folkmoot", "run", QUESTION, *TINY, "--json", "--no-report"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, cwd=tmp_path, text=True) as process:
            assert process.stdout
            first = process.stdout.readline()
            followed = folkmoot(tmp_path, "show", "last", "--follow", "--json")
            assert followed.stdout == first + process.stdout.read()
            assert process.wait(120) == 0


@pytest.mark.parametrize(
    ("number", "times", "message"),
    [
        (signal.SIGINT, 1, "paused: interrupted"),
        (signal.SIGINT, 2, "paused: stopped"),
        (signal.SIGTERM, 1, "paused: terminated"),
        (signal.SIGHUP, 1, "paused: the terminal was closed"),
    ],
)
def test_signals_in_this_process(
    tmp_path: Path, number: signal.Signals, times: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if number == signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)  # it may be ignored where the tests run
    before = signal.getsignal(number)
    left = [number] * times
    handled = threading.Event()
    for name in ("press", "terminate", "hang_up"):
        monkeypatch.setattr(Interrupt, name, followed_by(getattr(Interrupt, name), handled.set))

    def script(call: Call) -> Plan:
        if "none of them is marked" not in call.prompt:
            return speak(call)
        while left:
            # Sent while answers are in hand; a second Ctrl-C must not wait for them.
            handled.clear()
            os.kill(os.getpid(), left.pop())
            assert handled.wait(120)
        return replace(speak(call), hold=threading.Event() if times > 1 else None)

    with served(script) as wires:
        ran = folkmoot(tmp_path, "run", QUESTION, *TINY, "--max-tokens", "100000", OLLAMA_HOST=wires.url)
    assert ran.exit_code == 130, ran.output
    assert message in ran.output
    assert "folkmoot resume " in ran.output
    assert signal.getsignal(number) is before


def test_a_terminal_that_is_closed_pauses_its_debate(tmp_path: Path) -> None:
    with served(slow) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        terminal = Terminal(["run", QUESTION, *TINY], env, tmp_path)
        terminal.read_until(lambda shown: "round 1/1" in shown and "Rent ▌" in ESCAPES.sub("", shown))
        os.close(terminal.ours)  # what it leads to depends on who leads the session, so the signal is sent as well
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(120) == 130
        count = len(wires.calls)
        paused = json.loads(folkmoot(tmp_path, "list", "--json").stdout)
        went = folkmoot(tmp_path, "resume", "last", "--no-report", OLLAMA_HOST=wires.url)
    assert (paused[0]["status"], paused[0]["reason"]) == ("paused", "the terminal was closed")
    assert went.exit_code == 0, went.output
    assert len(wires.calls) == count + 5


def test_a_server_whose_terminal_is_closed_ends_in_order(tmp_path: Path) -> None:
    with served(slow) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        terminal = Terminal(["serve", "--port", "0"], env, tmp_path)
        terminal.read_until(lambda shown: "token=" in shown)
        os.close(terminal.ours)
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(120) == 0


def test_under_nohup_a_debate_goes_on_when_the_terminal_is_closed(tmp_path: Path) -> None:
    hold = threading.Event()
    with served(slow_until(hold)) as wires:
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        command = ["nohup", sys.executable, "-m", "folkmoot", "run", QUESTION, *TINY, "--json"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path, text=True
        ) as process:
            assert process.stdout
            next(line for line in process.stdout if "none of them is marked" in line and '"kind":"asked"' in line)
            process.send_signal(signal.SIGHUP)
            hold.set()
            process.communicate(timeout=120)
    assert process.returncode == 0
    assert json.loads(folkmoot(tmp_path, "list", "--json").stdout)[0]["status"] == "decided"


@pytest.mark.parametrize("seconds", [0.02, 0.06, 0.1, 0.15, 0.2, 0.3, 0.45, 0.6, 0.8, 1.1])
def test_an_early_ctrl_c_ends_without_a_traceback(tmp_path: Path, seconds: float) -> None:
    code = "from folkmoot.__main__ import start; print('up', flush=True); start()"
    command = [sys.executable, "-c", code, "check", QUESTION, *QUOTES]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=settle(tmp_path), cwd=tmp_path, text=True
    ) as process:
        assert process.stdout
        process.stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        _, text = process.communicate(timeout=120)
    assert process.returncode in (0, 130, -signal.SIGINT)
    assert text.strip() in ("", "folkmoot: interrupted"), text


def test_the_second_of_two_resumes_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    with served(slow) as wires:
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        assert folkmoot(tmp_path, "run", QUESTION, *TINY, "--max-questions", "3", OLLAMA_HOST=wires.url).exit_code == 4
        command = [sys.executable, "-m", "folkmoot", "resume", "last", "--max-questions", "50", "--json", "--no-report"]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path, text=True
        ) as process:
            assert process.stdout
            for line in process.stdout:
                if '"kind":"attempted"' in line:
                    break
            second = folkmoot(tmp_path, "resume", "last", "--max-questions", "50", OLLAMA_HOST=wires.url)
            assert second.exit_code == 1
            assert "is being run by another process; follow it with `folkmoot show" in second.stderr
            refused = folkmoot(tmp_path, "store", "delete", "last", "--yes")
            assert "is being run by another process; stop it first" in refused.stderr
            process.communicate(timeout=120)
        assert process.returncode == 0
    prompts = [call.prompt for call in wires.calls]
    assert len(set(prompts)) == len(prompts)
