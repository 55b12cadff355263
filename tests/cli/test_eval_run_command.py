"""`folkmoot eval FILE`: plan, run, resume; mistakes are one sentence; a process that is killed loses nothing."""

import hashlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import read_result
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import QUOTES, folkmoot, served, settle
from tests.kits.processes import run_module, start_module

QUESTIONS = "id,input,options,truth,group,documents\n" + "".join(
    f"{n},Is place {n} nearer to the port?,yes|no,{'yes' if n % 2 else 'no'},g{n // 2},map.md\n" for n in range(4)
)
TOML = """
questions = "places.csv"
models = ["ollama:a", "ollama:b"]
seed = 2

[[arm]]
kind = "panel"

[[arm]]
kind = "rethink"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "places.csv").write_text(QUESTIONS, "utf-8")
    (tmp_path / "map.md").write_text("Place 1 is in the north. The port is in the north.", "utf-8")
    (tmp_path / "check.toml").write_text(TOML, "utf-8")
    return tmp_path


def test_a_file_of_questions_is_planned_run_and_resumed(folder: Path) -> None:
    plan = folkmoot(folder, "eval", "plan", "places.csv", *QUOTES)
    assert plan.exit_code == 0
    assert plan.output.splitlines()[0] == "places: 4 questions in 2 groups"
    assert "610" in plan.output
    assert "no verdict" in plan.output
    assert not (folder / "places-eval").exists(), "a plan alone leaves nothing"
    assert folkmoot(folder, "eval", "run", "places.csv", *QUOTES, "--dry-run").output == plan.output
    refused = folkmoot(folder, "eval", "places.csv", *QUOTES)
    assert refused.exit_code == 2
    assert "610" in refused.output
    first = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force")
    assert first.exit_code == 0
    assert "4 of 4 questions answered by all arms; paid $0.0000, 0 tokens" in first.output
    scores = (folder / "places-eval" / "scores.jsonl").read_bytes()
    again = folkmoot(folder, "eval", "run", "places.csv", *QUOTES, "--force", "--parallel", "1")
    assert again.exit_code == 0
    assert (folder / "places-eval" / "scores.jsonl").read_bytes() == scores
    other = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--seed", "4", "--name", "other", "-o", "new")
    assert other.exit_code == 0
    assert read_result(folder / "new").plan.seed == 4
    changed = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--seed", "4")
    assert "exploratory" in changed.output
    assert "--name" in changed.output
    assert "no verdict: plan changed" in folkmoot(folder, "eval", "show", "places-eval").output
    (folder / "places.csv").write_text(QUESTIONS.replace("nearer", "closer"), "utf-8")
    data = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--seed", "4")
    assert "exploratory" in data.output
    fresh = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--seed", "4", "--name", "places2")
    assert fresh.exit_code == 0
    assert "exploratory" not in fresh.output
    assert not read_result(folder / "places2-eval").run.plan_changed


def test_an_evaluation_is_one_row_of_the_list(folder: Path) -> None:
    assert folkmoot(folder, "eval", "places.csv", *QUOTES, "--force").exit_code == 0
    assert folkmoot(folder, "run", "Tea or coffee?", *QUOTES).exit_code == 0
    listed = folkmoot(folder, "list")
    assert listed.exit_code == 0, listed.output
    rows = [line for line in listed.output.splitlines() if "eval-places-" in line]
    assert len(rows) == 1
    assert "tea-or-coffee" in listed.output
    assert "not shown" not in listed.output
    everything = folkmoot(folder, "list", "--all").output
    assert sum("eval-places-" in line for line in everything.splitlines()) > 4 * 2


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("places.csv",), "-m"),
        (("check.toml", *QUOTES), "--model"),
        (("bad.csv", *QUOTES), "bad.csv:2: "),
        (("none.csv", *QUOTES), "'none.csv'"),
        (("places.csv", "-m", "nobody:x"), "nobody"),
        (("places.csv", *QUOTES, "--protocol", "panle"), "did you mean 'panel'?"),
        (("bad.toml",), "did you mean 'models'?"),
        (("replya",), "No such command 'replya'"),
        (("task.py@capitals", *QUOTES), "inspect-ai"),
        (("nowhere.py@capitals", *QUOTES), "'nowhere.py'"),
    ],
)
def test_mistakes_are_one_sentence(folder: Path, words: tuple[str, ...], problem: str) -> None:
    (folder / "bad.csv").write_text("input,truth\nWhy?,\n", "utf-8")
    (folder / "bad.toml").write_text("modles = 1\n", "utf-8")
    (folder / "task.py").write_text("", "utf-8")
    result = folkmoot(folder, "eval", *words)
    assert result.exit_code == 2
    assert problem in result.output
    assert "Traceback" not in result.output


def test_many_faulty_lines_are_not_all_shown(folder: Path) -> None:
    (folder / "bad.csv").write_text("input,truth\n" + "Why?,\n" * 61, "utf-8")
    for words in (("check", "bad.csv"), ("bad.csv", *QUOTES)):
        result = folkmoot(folder, "eval", *words)
        assert result.exit_code == 2
        *_, last, more = result.output.splitlines()
        assert "bad.csv:51: " in last
        assert "11 more" in more


def reply(call: Call) -> Plan:
    """An answer that follows from prompt and seed, with a length of its own."""
    options = call.body.get("options")
    mark = hashlib.sha256(f"{call.prompt} {call.body.get('model')} {options}".encode()).hexdigest()
    text = f"ANSWER: {'yes' if mark < 'a' else 'no'}\nARGUMENT: It is so, {mark[: 4 + int(mark[0], 16)]}."
    return Plan(text=text, usage=(40 + len(call.prompt) // 40, 5 + int(mark[1], 16), 0))


def test_a_provider_that_is_away_pauses(folder: Path) -> None:
    result = folkmoot(folder, "eval", "check.toml", "--force")
    assert result.exit_code == 1
    assert "0 of 4 questions answered by all arms" in result.output
    assert "repeat the command to resume" in result.output


def test_models_on_a_server(folder: Path) -> None:
    with served(reply) as wires:
        result = folkmoot(folder, "eval", "check.toml", "--force", OLLAMA_HOST=wires.url)
        calls = len(wires.calls)
        assert folkmoot(folder, "eval", "check.toml", "--force", OLLAMA_HOST=wires.url).exit_code == 0
        assert len(wires.calls) == calls, "what is on record is not asked again"
    assert result.exit_code == 0, result.output
    saved = read_result(folder / "check-eval")
    assert saved.plan.currency == "tokens"
    totals = {arm.name: sum(row.tokens for row in saved.scores if row.arm == arm.name) for arm in saved.plan.arm}
    for rival in ("sample", "adaptive"):
        assert totals[rival] == pytest.approx(totals["panel"], rel=0.02)
    assert saved.run.paid_tokens > 0


def test_what_is_learned_from_right_answers_reaches_no_request(tmp_path: Path) -> None:
    """Two homes that differ in right answers alone: those in memory, of a past debate, and those of the data."""
    sent: dict[str, list[str]] = {}
    judged: set[str] = set()
    for truth, other in (("yes", "no"), ("no", "yes")):
        home = tmp_path / truth
        home.mkdir()
        (home / "past.md").write_text("# Is place 1 nearer to the port?\n\n## Options\n\n- yes\n- no\n", "utf-8")
        lines = [f"{n},Is place {n} nearer to the port?,yes|no,{truth if n % 3 else other}\n" for n in range(4)]
        (home / "places.csv").write_text("id,input,options,truth\n" + "".join(lines), "utf-8")
        (home / "check.toml").write_text(TOML, "utf-8")
        with served(reply) as wires:
            past = folkmoot(home, "run", "past.md", "-m", "ollama:a", OLLAMA_HOST=wires.url)
            assert past.exit_code == 0, past.output
            resolved = folkmoot(home, "learn", "resolve", "last", "--answer", truth)
            assert resolved.exit_code == 0, resolved.output
            known, before = folkmoot(home, "learn").output, len(wires.calls)
            result = folkmoot(home, "eval", "check.toml", "--force", "--parallel", "1", OLLAMA_HOST=wires.url)
            assert result.exit_code == 0, result.output
            again = folkmoot(
                home, "eval", "check.toml", "--force", "--parallel", "1", "--name", "b", OLLAMA_HOST=wires.url
            )
            assert again.exit_code == 0, again.output
            sent[truth] = [repr(call.body) for call in wires.calls[before:]]
        assert folkmoot(home, "learn").output == known, "an evaluation teaches nothing"
        learned = folkmoot(home, "learn", "search", "place").output
        judged |= set(re.findall(r"it was (right|wrong)", learned))
        assert "not learned" not in learned
        assert "Is place 2" not in learned, "an evaluation teaches nothing"
    assert judged == {"right", "wrong"}, "the memories differ"
    assert sent["yes"] == sent["no"]
    assert len(sent["yes"]) > 2 * 4 * 6
    assert not [body for body in sent["yes"] if "resolved" in body]


@pytest.mark.system
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_is_killed_leaves_scores_that_come_out_the_same(folder: Path) -> None:
    """The server kills the process when some request comes in; the page then shows what an unbroken run shows."""
    (folder / "check.toml").write_text(f'{TOML}\n[[arm]]\nkind = "gate"\n', "utf-8")
    command = ["folkmoot", "eval", "check.toml", "--force", "--parallel", "1"]
    with served(reply) as wires:
        whole = {**settle(folder), "OLLAMA_HOST": wires.url, "FOLKMOOT_STORE": str(folder / "whole.sqlite")}
        assert run_module([*command, "-o", "whole"], folder, whole).code == 0
        calls = len(wires.calls)
    assert [killed_at(folder, command, moment) for moment in (3, calls // 3, calls // 2)] == [-signal.SIGKILL] * 3
    assert killed_at(folder, command, 9 * calls) == 0
    for name in ("scores.jsonl", "plan.json"):
        assert (folder / "check-eval" / name).read_bytes() == (folder / "whole" / name).read_bytes()
    for place in ("check-eval", "whole"):
        assert folkmoot(folder, "eval", "export", place).exit_code == 0
    page = (folder / "check-eval" / "scoreboard.html").read_text("utf-8")
    assert page == (folder / "whole" / "scoreboard.html").read_text("utf-8")
    assert "check: 4 of 4 questions" in page
    assert all(f"{debate}: no verdict" in page for debate in ("panel", "gate"))


def killed_at(folder: Path, command: list[str], moment: int) -> int:
    """Run a command and kill it when so many requests have come in; returns its exit code."""
    running: list[subprocess.Popen[bytes]] = []
    came: list[Call] = []

    def deadly(call: Call) -> Plan:
        came.append(call)
        if len(came) == moment:
            os.kill(running[0].pid, signal.SIGKILL)
        return reply(call)

    with served(deadly) as wires:
        running.append(start_module(command, folder, {**settle(folder), "OLLAMA_HOST": wires.url}))
        return running[0].wait()


def test_a_refused_command_writes_nothing_into_a_folder(folder: Path) -> None:
    """Questions that are too few, and those of another evaluation: the files that are there stay as they are."""
    assert folkmoot(folder, "eval", "places.csv", *QUOTES).exit_code == 2
    assert not (folder / "places-eval").exists()
    assert folkmoot(folder, "eval", "places.csv", *QUOTES, "--force").exit_code == 0
    before = {path.name: path.read_bytes() for path in (folder / "places-eval").iterdir()}
    assert {"questions.jsonl", "keys.jsonl"} < set(before)
    text = (folder / "places.csv").read_text("utf-8")
    (folder / "others.csv").write_text(text.replace("Place", "Town"), "utf-8")
    refused = folkmoot(folder, "eval", "others.csv", *QUOTES, "--force", "-o", "places-eval")
    assert refused.exit_code != 0
    assert "--out" in refused.output
    assert {path.name: path.read_bytes() for path in (folder / "places-eval").iterdir()} == before


def test_two_evaluations_of_one_name_in_one_store_are_kept_apart(folder: Path) -> None:
    assert folkmoot(folder, "eval", "places.csv", *QUOTES, "--force").exit_code == 0
    refused = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--seed", "9", "-o", "elsewhere")
    assert refused.exit_code == 1
    assert "--name" in refused.output.splitlines()[-1]
    assert not (folder / "elsewhere").exists()
    for path in (folder / "places-eval").iterdir():
        path.unlink()
    assert folkmoot(folder, "eval", "places.csv", *QUOTES, "--force").exit_code == 0, "a lost folder is made again"


@pytest.mark.parametrize(("name", "exit_code"), [("../x", 2), ("a\nb", 2), ("x" * 101, 2), ("früh", 0)])
def test_a_name_is_one_that_a_folder_can_have(folder: Path, name: str, exit_code: int) -> None:
    result = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "--name", name)
    assert result.exit_code == exit_code
    assert (tmp_files := {path.name for path in folder.iterdir()}) >= {"places.csv"}
    assert any(entry.endswith("-eval") for entry in tmp_files) == (exit_code == 0)


def test_a_folder_that_cannot_be_written_is_one_sentence_and_loses_no_answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("", "utf-8")
    inside = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force", "-o", "file/inside")
    assert inside.exit_code == 1
    assert "inside/plan.json" in inside.output

    replace = os.replace

    def full(source: Path, target: Path) -> None:
        if Path(target).name == "scores.jsonl":
            raise OSError(28, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patched:
        patched.setattr("folkmoot.app.export.reports.os.replace", full)
        stopped = folkmoot(folder, "eval", "places.csv", *QUOTES, "--force")
    assert stopped.exit_code == 1
    assert "scores.jsonl" in stopped.output
    assert "No space left on device" in stopped.output
    assert folkmoot(folder, "eval", "places.csv", *QUOTES, "--force").exit_code == 0
