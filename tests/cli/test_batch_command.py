"""``folkmoot batch`` as a command: table and lines, mistakes, exit codes, signals, and a real process that is killed."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import Result
from rich.console import Console

from folkmoot.app.batch.summary import BatchOutcome
from folkmoot.cli.commands.batch import exit_code
from folkmoot.cli.display.progress import Progress
from folkmoot.cli.options import DONE, ERROR, INTERRUPTED, LIMIT, UNREACHABLE, WAITING
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.app.batch.batch_kit import BRIEF, BUILD, BUY, Paid, desk_with, work_on
from tests.cli.commands import QUOTES, folkmoot, served, settle
from tests.cli.terminals import ESCAPES, Terminal, terminal_env
from tests.kits.processes import start_module
from tests.web.web_kit import ADA

MODEL = ("-m", "ollama:tiny")


def briefs(folder: Path, *marks: str) -> list[str]:
    """Files of briefs in a folder."""
    for mark in marks:
        (folder / f"{mark}.md").write_text(BRIEF.replace("{mark}", f" {mark}"), "utf-8")
    return [f"{mark}.md" for mark in marks]


def split(call: Call) -> Plan:
    """They never agree, so each debate has more than one batch of questions."""
    return Plan(text=BUY if "You are Ben" in json.dumps(call.body) else BUILD, usage=(100, 20, 0))


def test_briefs_and_lines_are_held_and_the_table_is_written(tmp_path: Path) -> None:
    files = briefs(tmp_path, "north", "south")
    (tmp_path / "more.jsonl").write_text('{"brief": "north.md", "id": "again", "strategy": "majority"}\n', "utf-8")
    words = ("batch", *files, "--jsonl", "more.jsonl", "--repeat", "2", *QUOTES, "--name", "Sites", "-o", "out/deep")
    ran = folkmoot(tmp_path, *words)
    assert ran.exit_code == DONE, ran.output
    assert "Sites: 6 debates of 3 briefs" in ran.output
    assert re.search(r"\[6/6\] \w+ #\d, batch-sites-[0-9a-f]{6}-[0-9a-f]{12}: \w+", ran.output)
    head, *rows = ran.stdout.splitlines()[-5:]
    assert head.split() == ["brief", "outcome", "ended", "calls", "tokens", "cost", "seconds"]
    assert [row.split()[0] for row in rows] == ["north", "south", "again", "all"]
    assert "2/2" in rows[0]
    assert "%" not in ran.stdout, "who decides nothing agrees on nothing"
    data = json.loads((tmp_path / "out/deep/batch.json").read_text("utf-8"))
    assert [row["debates"] for row in data["briefs"]] == [2, 2, 2]
    assert data["total"]["ended"] == 6
    table = list(csv.DictReader((tmp_path / "out/deep/batch.csv").read_text("utf-8").splitlines()))
    assert [(row["protocol"], row["votes"], row["unparsed"]) for row in table] == [("panel", "0", "2")] * 6
    assert (tmp_path / "out/deep/batch.md").read_text("utf-8").startswith("# Batch Sites\n\n| brief |")
    again = folkmoot(tmp_path, *words)
    assert "Already on record: 6 finished, 0 to be resumed." in again.output
    assert json.loads((tmp_path / "out/deep/batch.json").read_text("utf-8")) == data
    listed = folkmoot(tmp_path, "list", "--all").output
    assert listed.count("batch-sites-") == 6


def test_each_debate_is_a_line_of_json_as_it_ends(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "batch", *briefs(tmp_path, "north"), "--repeat", "3", *QUOTES, "--json")
    items = [json.loads(line) for line in ran.stdout.splitlines()]
    assert sorted(item["number"] for item in items) == [1, 2, 3]
    assert {item["item"] for item in items} == {"north"}
    assert len({item["seed"] for item in items}) == 3
    assert "is not a language model" in ran.stderr
    again = folkmoot(tmp_path, "batch", "north.md", "--repeat", "3", *QUOTES, "--json")
    assert [json.loads(line) for line in again.stdout.splitlines()] == sorted(items, key=lambda data: data["number"])


def test_a_dry_run_estimates_and_sends_nothing(tmp_path: Path) -> None:
    with served(split) as wires:
        words = ("batch", *briefs(tmp_path, "north", "south"), *MODEL, "--dry-run")
        result = folkmoot(tmp_path, *words, OLLAMA_HOST=wires.url)
        ten = folkmoot(tmp_path, *words, "--repeat", "10", "--json", OLLAMA_HOST=wires.url)
        assert wires.calls == []
    assert result.exit_code == ten.exit_code == DONE
    assert "2 debates of 2 briefs" in result.output
    assert re.search(r"In total: 4 to 8 questions; 4 to 8 model calls; about .*; free", result.output)
    assert "Nothing has been sent to any model." in result.output
    data = json.loads(ten.stdout)
    assert (data["debates"], data["calls"]) == (20, {"least": 40, "usual": 80, "most": 960})
    assert data["cost"] == {"least": 0, "expected": 0, "usual": 0, "most": 0}
    assert folkmoot(tmp_path, "list").stdout.count("batch-") == 0


def test_every_mistake_is_told_before_anything_is_sent(tmp_path: Path) -> None:
    lines = ['{"brief": "north.md"}', "no json", '{"brief": "north.md", "rounds": -1}']
    (tmp_path / "bad.jsonl").write_text("\n".join(lines), "utf-8")
    files = briefs(tmp_path, "north")
    ran = folkmoot(tmp_path, "batch", *files, "none.md", "--jsonl", "bad.jsonl", *QUOTES)
    assert ran.exit_code == 2
    assert [line.partition(": ")[0] for line in ran.stderr.splitlines()] == ["folkmoot"] * 3
    assert "folkmoot: none.md: there is no such file" in ran.stderr
    assert "folkmoot: bad.jsonl:2: this is not JSON" in ran.stderr
    assert "folkmoot: bad.jsonl:3: rounds must be" in ran.stderr
    (tmp_path / "late.jsonl").write_text('{"brief": "north.md", "models": ["nobody:x"]}\n' * 60, "utf-8")
    late = folkmoot(tmp_path, "batch", "--jsonl", "late.jsonl", *QUOTES)
    assert late.exit_code == 2
    assert "folkmoot: late.jsonl:1: Ann: 'nobody:x' has no known provider" in late.stderr
    assert "folkmoot: and 10 more mistakes" in late.stderr
    assert folkmoot(tmp_path, "list").stdout.count("batch-") == 0
    for words, text in (
        ((), "Give at least one brief, or --jsonl FILE."),
        (("north.md", "--name", "a b"), "cannot be named 'a b'"),
    ):
        wrong = folkmoot(tmp_path, "batch", *words)
        assert wrong.exit_code == 2
        assert text in wrong.stderr


def test_lines_can_come_from_standard_input(tmp_path: Path) -> None:
    line = '{"brief": "Tea or coffee?", "id": "tea"}\n'
    ran = folkmoot(tmp_path, "batch", "--jsonl", "-", *QUOTES, "--json", stdin=line)
    assert json.loads(ran.stdout)["item"] == "tea"


def test_a_debate_that_waits_for_a_person_has_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "ada.md").write_text(ADA, "utf-8")
    ran = folkmoot(tmp_path, "batch", "ada.md", *briefs(tmp_path, "north"), *QUOTES)
    assert ran.exit_code == WAITING
    assert re.search(r"ada #1, batch-\S+: paused: ", ran.output)
    assert "repeat the same command to resume the batch" in ran.stderr


def test_the_budget_of_the_whole_batch(tmp_path: Path) -> None:
    with served(split) as wires:
        env = {"OPENAI_BASE_URL": f"{wires.url}/v1", "OPENAI_API_KEY": "sk-canary"}
        words = ("batch", *briefs(tmp_path, "north"), "--repeat", "3", "-m", "openai:gpt-4o", "--parallel", "1")
        plan = json.loads(folkmoot(tmp_path, *words, "--dry-run", "--json", **env).stdout)
        most = plan["cost"]["usual"] / 3
        ran = folkmoot(tmp_path, *words, "--budget", f"{most * 1.01:.6f}", **env)
        assert ran.exit_code == LIMIT, ran.output
        assert "the budget kept" in ran.stderr
        sent = len(wires.calls)
        rest = folkmoot(tmp_path, *words, "--budget", f"{most * 4:.6f}", "--json", **env)
        assert rest.exit_code == DONE, rest.output
        items = [json.loads(line) for line in rest.stdout.splitlines()]
        assert 0 < sent < len(wires.calls) == sum(item["calls"] for item in items)


@pytest.mark.parametrize(
    ("states", "stopped", "code"),
    [
        ([("decided", ""), ("tie", ""), ("no_decision", "")], False, DONE),
        ([("failed", "")], False, ERROR),
        ([("decided", ""), ("error", "")], False, ERROR),
        ([("failed", ""), ("paused", "waiting")], False, WAITING),
        ([("paused", "waiting"), ("paused", "unavailable")], False, UNREACHABLE),
        ([("paused", "unavailable"), ("paused", "limit")], False, LIMIT),
        ([("decided", ""), ("unbegun", "")], False, LIMIT),
        ([("paused", "stopped"), ("failed", "")], False, INTERRUPTED),
        ([("failed", "")], True, INTERRUPTED),
    ],
)
def test_exit_codes(states: list[tuple[str, str]], stopped: bool, code: int) -> None:
    came = [BatchOutcome(item="a", number=1, seed=0, debate="d", status=status, kind=kind) for status, kind in states]
    assert exit_code(came, stopped=stopped) == code


def test_a_folder_that_cannot_be_written_loses_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file", "utf-8")
    ran = folkmoot(tmp_path, "batch", *briefs(tmp_path, "north"), *QUOTES, "-o", "out/deep")
    assert ran.exit_code == DONE, ran.output
    assert "the table was not saved" in ran.stderr
    assert "1/1" in ran.stdout


# ---- real processes ------------------------------------------------------------------------------------------------


@pytest.mark.system
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and terminals")
def test_ctrl_c_pauses_all_after_the_answers_in_hand(tmp_path: Path) -> None:
    def slow(call: Call) -> Plan:
        return Plan(text=split(call).text, usage=(100, 20, 0), delay=0.4)

    words = ["batch", *briefs(tmp_path, "north", "south", "west"), *MODEL, "--parallel", "2"]
    with served(slow) as wires:
        terminal = Terminal(words, terminal_env(tmp_path, OLLAMA_HOST=wires.url), tmp_path)
        terminal.read_until(lambda shown: bool(wires.calls) and "2 running" in ESCAPES.sub("", shown))
        terminal.process.send_signal(signal.SIGINT)
        assert terminal.end() == INTERRUPTED
        text = terminal.words
        assert "stopping after the answers in progress" in text
        assert "repeat the same command to resume the batch" in text
        assert re.search(r"0/3 done · 2 running · 0 failed · 0 calls", text)
        count = len(wires.calls)
        wires.script = split
        went = folkmoot(tmp_path, *words, "--json", OLLAMA_HOST=wires.url)
    assert went.exit_code == DONE, went.output
    items = [json.loads(line) for line in went.stdout.splitlines()]
    assert 0 < count < len(wires.calls) == sum(item["calls"] for item in items) == 12


@pytest.mark.system
@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_a_second_ctrl_c_ends_at_once(tmp_path: Path) -> None:
    def stuck(call: Call) -> Plan:
        return Plan(text="ANSWER: bu", fault="stall")

    with served(stuck) as wires:
        command = [sys.executable, "-m", "folkmoot", "batch", *briefs(tmp_path, "north"), *MODEL]
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        with subprocess.Popen(command, stdout=-3, stderr=subprocess.PIPE, env=env, cwd=tmp_path, text=True) as process:
            while not wires.calls:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            assert process.stderr
            assert any("press Ctrl-C again" in line for line in process.stderr)
            process.send_signal(signal.SIGINT)
            assert process.wait(100) == INTERRUPTED  # the answers have 120 seconds


REPEATED = ["batch", "north.md", "south.md", *MODEL, "--repeat", "5", "--parallel", "3", "--json"]


def slowly(call: Call) -> Plan:
    return Plan(text=split(call).text, usage=(100, 20, 0), delay=0.03)


def kill_often(folder: Path, wires: Wires) -> int:
    """Begin the command again and again, and kill its process each time; how often it was still running then."""
    kills = 0
    env = {**settle(folder), "OLLAMA_HOST": wires.url}
    for after in (2, 9, 14, 20, 27):
        with start_module(["folkmoot", *REPEATED], folder, env) as process:
            while len(wires.calls) < after + 3 * kills and process.poll() is None:
                time.sleep(0.002)
            kills += process.poll() is None
            process.kill()
    return kills


def essence(result: Result) -> Sequence[object]:
    items = [json.loads(line) for line in result.stdout.splitlines()]
    return sorted((item["debate"], item["status"], item["reason"], item["calls"], item["seed"]) for item in items)


@pytest.mark.system
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_killed_again_and_again_it_comes_out_the_same_and_nothing_finished_is_sent_twice(tmp_path: Path) -> None:
    whole, torn = tmp_path / "whole", tmp_path / "torn"
    for folder in (whole, torn):
        folder.mkdir()
        briefs(folder, "north", "south")
    with served(slowly) as wires:
        unbroken = folkmoot(whole, *REPEATED, OLLAMA_HOST=wires.url)
        needed = Counter(call.prompt for call in wires.calls)
        wires.calls.clear()
        kills = kill_often(torn, wires)
        last = folkmoot(torn, *REPEATED, OLLAMA_HOST=wires.url)
    assert last.exit_code == DONE, last.output
    assert kills >= 4
    assert essence(last) == essence(unbroken)
    # Three debates at once with two questions each: so many calls can be in flight when the process is killed.
    assert 40 == needed.total() <= len(wires.calls) <= 40 + 6 * kills
    assert not needed - Counter(call.prompt for call in wires.calls)
    ids = [json.loads(line)["debate"] for line in last.stdout.splitlines()]
    entries = [json.loads(line) for item in ids for line in folkmoot(torn, "show", item, "--json").stdout.splitlines()]
    assert sum(entry["kind"] == "called" for entry in entries) == 40, "each answer is on record once"
    assert sum(entry["kind"] == "attempted" for entry in entries) >= len(wires.calls), "all that was sent is on record"


@pytest.mark.system
@pytest.mark.skipif(os.name != "posix", reason="needs pipes that break")
def test_an_output_that_nobody_reads_on_pauses_the_batch(tmp_path: Path) -> None:
    with served(slowly) as wires:
        briefs(tmp_path, "north", "south")
        env = {**settle(tmp_path), "OLLAMA_HOST": wires.url}
        command = [sys.executable, "-m", "folkmoot", *REPEATED]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=tmp_path
        ) as process:
            assert process.stdout
            assert process.stderr
            process.stdout.readline()
            process.stdout.close()
            assert process.wait(120) == ERROR
            assert b"Traceback" not in process.stderr.read()
        last = folkmoot(tmp_path, *REPEATED, OLLAMA_HOST=wires.url)
    assert last.exit_code == DONE
    assert len(last.stdout.splitlines()) == 10


# ---- the line that is rewritten ------------------------------------------------------------------------------------


async def test_the_line_says_how_far_the_batch_is() -> None:
    work = work_on(desk_with(paid=Paid()), parallel=2)
    progress = Progress(work)
    shown = io.StringIO()
    progress.console = Console(file=shown, force_terminal=True, width=120, color_system=None)
    progress.introduce(await work.estimate(), dry=False)
    assert progress.line() == "0/3 done · 0 running · 0 failed · 0 calls · 0 tokens · $0.00"
    work.tell = progress.tell
    with progress:
        await work.run()
        assert re.fullmatch(
            r"3/3 done · 0 running · 0 failed · 6 calls · 60 tokens · \$0.06\d* · 0 s left", progress.line()
        )
    assert "[1/3]" not in shown.getvalue(), "what ended well is only counted"
    progress.remark("so it is")
    assert "so it is" in shown.getvalue()
    failed = BatchOutcome(item="item", number=1, seed=0, debate="d", status="error", reason="it is torn")
    progress.conclude([failed])
    assert "item #1, d: error: it is torn" in shown.getvalue()


def test_settings_are_typed_for_all_briefs(tmp_path: Path) -> None:
    (file,) = briefs(tmp_path, "north")
    ran = folkmoot(tmp_path, "batch", file, "--set", "protocol=council", *QUOTES, "--dry-run")
    assert ran.exit_code == DONE, ran.output
    assert folkmoot(tmp_path, "batch", file, *QUOTES, "--dry-run").stdout != ran.stdout
    wrong = folkmoot(tmp_path, "batch", file, "--set", "colour=red", *QUOTES)
    assert wrong.exit_code == 2
    assert "--set: there is no key 'colour' to set" in wrong.output
