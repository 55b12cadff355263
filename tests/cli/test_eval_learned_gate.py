"""A learned gate in whole runs of `folkmoot eval`, by voters whose truth is known: what it learns, and what kills do."""

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from folkmoot.app.evaluation import learned_gate
from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import folkmoot, served, settle
from tests.kits.processes import run_module, start_module

OPTIONS = ("north", "south", "west")
MODELS = ("a", "b", "c")
QUESTIONS = 40
"""As many as are enough here, so that a whole run takes little."""
THOUGHT = "This was my first thought"
TOML = """
questions = "places.csv"
models = ["ollama:a", "ollama:b", "ollama:c"]
seed = 2

[[arm]]
kind = "panel"
threshold = 0

[[arm]]
kind = "gate"
threshold = "learned"
"""


def truth(place: int) -> str:
    """Where a place lies; only the voters and this test know it."""
    return OPTIONS[place % 3]


def answer(place: int, voter: str, *, debated: bool) -> str:
    """What a voter says. Half of the places are known to all.

    Of a quarter two voters know the place, and a debate turns both: it hurts where answers are 1/3 apart. Of the last
    quarter one knows it, and a debate convinces the others: it helps where answers are 2/3 apart, but for three places.
    """
    right, wrong, other = (OPTIONS[(place + n) % 3] for n in range(3))
    match place % 4:
        case 2:
            return wrong if debated or voter == "c" else right
        case 3 if debated:
            return wrong if place % 40 == 3 else right
        case 3:
            return {"a": other, "b": right, "c": wrong}[voter]
        case _:
            return right


def reply(call: Call) -> Plan:
    request_text = repr(call.body)
    place = int(re.findall(r"Place (\d+)", request_text)[0])
    choice = answer(place, str(call.body.get("model")), debated=THOUGHT in request_text)
    return Plan(text=f"ANSWER: {choice}\nARGUMENT: {THOUGHT}.", usage=(40 + len(request_text) // 40, 8, 0))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "check.toml").write_text(TOML, "utf-8")
    write_questions(tmp_path)
    return tmp_path


def write_questions(folder: Path, *, turned: int = 0, number: int = QUESTIONS) -> None:
    """So many questions, and the truth; or others in its place, for as many steps further."""
    lines = [
        f"{n},Where does Place {n} lie?,{'|'.join(OPTIONS)},{truth(n + turned)},g{n // 8}\n" for n in range(number)
    ]
    (folder / "places.csv").write_text(f"id,input,options,truth,group\n{''.join(lines)}", "utf-8")


def requests(folder: Path, name: str) -> Counter[str]:
    """What a whole run sends."""
    with served(reply) as wires:
        done = folkmoot(folder, "eval", "check.toml", "--force", "--name", name, OLLAMA_HOST=wires.url)
        assert done.exit_code == 0, done.output
        return Counter(repr(call.body) for call in wires.calls)


def test_the_threshold_is_the_one_at_which_debates_begin_to_pay(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_gate, "ENOUGH", QUESTIONS)
    sent = requests(folder, "true")
    result = read_result(folder / "true-eval")
    [learning] = result.learned
    assert (learning.way, learning.low, learning.high, learning.questions) == ("folds", 0.5, 0.5, QUESTIONS)
    for row in result.scores:
        place = int(row.question)
        if row.arm == "learned gate":
            assert row.debated == (place % 4 == 3)
            assert row.credit == (place % 4 != 3 or place % 40 != 3)
        if row.arm == "panel":
            assert row.debated == (place % 4 > 1)
            assert row.credit == (place % 4 < 2 or (place % 4 == 3 and place % 40 != 3))
    shown = " ".join(folkmoot(folder, "eval", "show", "true-eval").output.split())
    assert "learned gate: no verdict: its threshold was learned on these questions" in shown
    assert (
        "learned gate: panel where first answers are more than a threshold apart (0.5); each tenth of the questions is "
        "judged by the one that the others choose. That is an estimate and no test: for a verdict mark questions with "
        "split: learn."
    ) in shown
    other = folder / "other"
    other.mkdir()
    (other / "check.toml").write_text(TOML, "utf-8")
    write_questions(other, turned=1)
    assert requests(other, "true") == sent, "no request depends on a truth"
    assert read_result(other / "true-eval").learned[0].low == 0.3, "by these truths two of three are turned rightly"


@pytest.mark.system
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_run_that_is_killed_twice_has_the_same_scoreboard_and_pays_no_call_twice(folder: Path) -> None:
    """It is killed once in a debate, and once while answers for the rivals are drawn."""
    write_questions(folder, number=40)
    command = ["folkmoot", "eval", "check.toml", "--force", "--parallel", "1"]
    with served(reply) as wires:
        whole = {**settle(folder), "OLLAMA_HOST": wires.url, "FOLKMOOT_STORE": str(folder / "whole.sqlite")}
        assert run_module([*command, "-o", "whole"], folder, whole).code == 0
        sent = Counter(repr(call.body) for call in wires.calls)
    calls = sum(sent.values())
    first, second = calls // 3, calls - 16
    one, two, three = (killed_at(folder, command, moment) for moment in (first, second - first, 0))
    assert [code for code, _ in (one, two, three)] == [-signal.SIGKILL, -signal.SIGKILL, 0]
    again = Counter([*one[1], *two[1], *three[1]])
    assert not sent - again, "all that an unbroken run asks is asked"
    in_flight = Counter([*one[1][-len(MODELS) :], *two[1][-len(MODELS) :]])
    assert not again - sent - in_flight, "only what was in flight at a kill is sent again"
    for name in ("scores.csv", "seats.csv", "plan.json", "run.json"):
        assert (folder / "check-eval" / name).read_bytes() == (folder / "whole" / name).read_bytes()
    shown = [folkmoot(folder, "eval", "show", place, "--all").output for place in ("check-eval", "whole")]
    assert shown[0] == shown[1]
    assert "learned gate" in shown[0]


def killed_at(folder: Path, command: list[str], moment: int) -> tuple[int, list[str]]:
    """Run a command and kill it at its request of this number; returns its exit code and what it has sent."""
    running: list[subprocess.Popen[bytes]] = []
    came: list[Call] = []

    def deadly(call: Call) -> Plan:
        came.append(call)
        if len(came) == moment:
            os.kill(running[0].pid, signal.SIGKILL)
        return reply(call)

    with served(deadly) as wires:
        environment = {**settle(folder), "OLLAMA_HOST": wires.url}
        running.append(start_module(command, folder, environment))
        return running[0].wait(), [repr(call.body) for call in came]
