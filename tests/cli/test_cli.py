"""The commands as a user types them: what they print, where, and with which exit code."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.cli.options import UNREACHABLE, code_of
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import BRIEF, DEAD, EXAMPLES, QUOTES, folkmoot, only_id, served, speak

HEAVY = ("asyncio", "pydantic", "rich.live", "rich.markdown", "markdown_it", "ruamel", "httpx", "httpx2", "sqlite3")
LIGHT = """
import sys
from folkmoot.cli.main import main
code = main(sys.argv[1:], standalone_mode=False)
print(*sorted({name for name in HEAVY if name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""


@pytest.mark.system
@pytest.mark.parametrize("words", [["--help"], ["--version"], ["run", "--help"], ["nothing"]])
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    code = LIGHT.replace("HEAVY", repr(HEAVY))
    ran = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=False, timeout=120)
    assert ran.stderr.splitlines()[-1] == "", ran.stderr
    assert ran.returncode == (2 if words == ["nothing"] else 0)


def test_run_shows_the_debate_as_plain_lines_and_saves_the_report(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "-o", str(tmp_path / "out"))
    assert ran.exit_code == 0
    assert "\x1b" not in ran.output
    assert [line for line in ran.output.splitlines() if line != line.rstrip()] == []
    for words in (
        "Finance",
        "drafts: 4 answers",
        "round 1: 4 answers",
        "decided",
        "3 buy: Finance",
        "4 to 8 questions",
    ):
        assert words in ran.output, words
    assert ran.output.count("builtin:quotes is not a language model") == 1
    assert ran.output.count("\n") <= 40
    full = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report", "-v").output
    assert full.count("Argument") == 8
    (report,) = (tmp_path / "out").iterdir()
    assert report.read_text("utf-8").startswith("# Should we build our own billing")
    assert str(report) in ran.output
    assert f"folkmoot show {only_id(ran)}" in ran.output


def test_json_gives_the_stored_lines_and_nothing_else(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--json", "--no-report")
    lines = ran.stdout.splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, len(lines) + 1))
    assert json.loads(lines[-1])["kind"] == "closed"
    assert "builtin:quotes is not a language model" in ran.stderr
    shown = folkmoot(tmp_path, "show", "last", "--json")
    assert shown.stdout == ran.stdout


def test_quiet_gives_the_outcome_alone(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", "-", *QUOTES, "--quiet", "--no-report", stdin="Tea or coffee?\n")
    assert ran.exit_code == 0
    assert "no decision" in ran.stdout
    assert "thinking" not in ran.stdout
    assert "Tea or coffee" not in ran.stdout
    refused = folkmoot(tmp_path, "run", "Tea or coffee?", *QUOTES, "--quiet", "--no-report", "--fail-on", "no-decision")
    assert refused.exit_code == 3


def test_records_are_listed_shown_reported_and_verified(tmp_path: Path) -> None:
    assert "There are no debates yet" in folkmoot(tmp_path, "list").output
    assert folkmoot(tmp_path, "list", "--json").output == "[]\n"
    ran = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report")
    name = only_id(ran)
    assert json.loads(folkmoot(tmp_path, "list", "--json").output)[0]["debate"] == name
    narrow, wide = folkmoot(tmp_path, "list", COLUMNS="60").output, folkmoot(tmp_path, "list", COLUMNS="180").output
    assert name in narrow
    assert "decided · buy" in wide
    shown = folkmoot(tmp_path, "show", name[:-4])
    assert "Finance Head of finance" in shown.output
    assert "decided by most votes" in shown.output
    assert folkmoot(tmp_path, "show", name, "--speed", "16").output == shown.output
    assert folkmoot(tmp_path, "show", name, "--follow").output == shown.output
    data = json.loads(folkmoot(tmp_path, "report", "last", "--format", "json").output)
    assert data["debate"] == name
    file = tmp_path / "report.md"
    assert folkmoot(tmp_path, "report", "last", "-o", str(file)).exit_code == 0
    assert file.read_text("utf-8") == folkmoot(tmp_path, "report", "last", "-o", "-").output
    checked = folkmoot(tmp_path, "verify", "last").output.splitlines()
    assert checked[0].endswith("entries, intact")
    head = checked[1].removeprefix("head ")
    assert folkmoot(tmp_path, "verify", "last", "--head", head[:12].upper()).exit_code == 0
    wrong = folkmoot(tmp_path, "verify", "last", "--head", "0" * 64)
    assert (wrong.exit_code, head in wrong.stderr) == (1, True)
    assert "decided by most votes" in folkmoot(tmp_path, "resume", "last", "--no-report").output


def test_a_brief_is_begun_and_checked(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    assert folkmoot(tmp_path, "new", str(path)).exit_code == 0
    again = folkmoot(tmp_path, "new", str(path)[:-3])
    assert (again.exit_code, "exists already" in again.stderr) == (2, True)
    checked = folkmoot(tmp_path, "check", str(path), *QUOTES)
    assert "Nothing has been sent to any model" in checked.output
    assert "round-1" in checked.output
    one_form = folkmoot(tmp_path, "check", str(path), "--normalised").output
    assert all(f"## {name}\n" in one_form for name in ("Ada", "Bo", "Cem"))
    data = json.loads(folkmoot(tmp_path, "check", str(path), *QUOTES, "--json").output)
    assert data["asks"] == {"least": 3, "most": 6}
    assert [item["model"] for item in data["participants"]] == ["builtin:quotes"] * 3
    assert folkmoot(tmp_path, "run", str(path), *QUOTES, "--no-report").exit_code == 0


def test_the_plan_tells_which_tools_a_brief_of_somebody_else_gives(tmp_path: Path) -> None:
    path = tmp_path / "shared.md"
    path.write_text(
        "# Tea?\n\n## Ann\nrole: for\ntool_usage: [search, scorer]\n\nYes.\n\n## Bob\nrole: against\n\nNo.\n"
    )
    shown = folkmoot(tmp_path, "check", str(path), "-m", "ollama:tiny").output
    assert "tools search, open_page, scorer" in " ".join(shown.split())
    assert shown.count("tools search") == 1
    data = json.loads(folkmoot(tmp_path, "check", str(path), "-m", "ollama:tiny", "--json").output)
    assert [item["tools"] for item in data["participants"]] == [["search", "open_page", "scorer"], []]
    data = json.loads(folkmoot(tmp_path, "check", str(path), *QUOTES, "--json").output)
    assert [item["tools"] for item in data["participants"]] == [[], []]


def test_models_shows_what_is_in_reach(tmp_path: Path) -> None:
    nothing = folkmoot(tmp_path, "models").output
    assert "builtin:quotes  always available" in nothing
    assert "No language model is in reach" in nothing
    with served() as wires:
        output = folkmoot(tmp_path, "models", OLLAMA_HOST=wires.url, OPENAI_API_KEY="sk-canary").output
        data = json.loads(folkmoot(tmp_path, "models", "--json", OLLAMA_HOST=wires.url).output)
    assert "ollama:tiny:latest" in output
    assert "from OPENAI_API_KEY" in output
    assert "canary" not in output
    assert data["models"] == ["ollama:tiny:latest", "builtin:quotes"]


def test_a_local_model_is_found_and_debates(tmp_path: Path) -> None:
    with served(models=("nomic-embed-text:latest", "tiny:latest")) as wires:
        ran = folkmoot(tmp_path, "run", str(EXAMPLES / "question.txt"), "--no-report", "-v", OLLAMA_HOST=wires.url)
    assert ran.exit_code == 0, ran.output
    assert "The model is ollama:tiny:latest" in ran.output
    assert "votes for " in ran.output
    assert "[bold]cheap[/bold]" in ran.output
    assert "It names figures." in ran.output
    assert "no language model" not in ran.output
    assert "9 calls · 1.1k tokens · $0.00" in ran.output


def test_limits_pause_and_resume_goes_on(tmp_path: Path) -> None:
    with served() as wires:
        words = ("run", str(EXAMPLES / "question.txt"), "--max-questions", "3", "--participants", "builtin")
        paused = folkmoot(tmp_path, *words, OLLAMA_HOST=wires.url)
        assert paused.exit_code == 4
        assert f"folkmoot resume {only_id(paused)} --max-questions 6 # with twice that limit" in " ".join(
            paused.output.split()
        )
        assert not list(tmp_path.rglob("debates"))
        count = len(wires.calls)
        shown = folkmoot(tmp_path, "show", "last", OLLAMA_HOST=wires.url).output
        assert "the limit of 3 questions is reached" in shown
        silent = folkmoot(tmp_path, "resume", "last", "--json", OLLAMA_HOST=wires.url)
        assert (silent.exit_code, json.loads(silent.stdout)["kind"]) == (4, "paused")
        assert f"Resume with: folkmoot resume {only_id(paused)} --max-questions 6" in " ".join(silent.stderr.split())
        went = folkmoot(tmp_path, "resume", "last", "--max-questions", "50", "--no-report", OLLAMA_HOST=wires.url)
    assert went.exit_code == 0
    assert "3 answers kept." in went.output
    assert "─ drafts" not in went.output
    assert "decided" in went.output
    assert len(wires.calls) == 3 * count


def test_nobody_in_reach_pauses(tmp_path: Path) -> None:
    with served(lambda call: Plan(status=503, error="overloaded")) as wires:
        ran = folkmoot(
            tmp_path, "run", "Tea or coffee?", "-m", "ollama:tiny", "--turn-seconds", "1", OLLAMA_HOST=wires.url
        )
    assert ran.exit_code in (1, 5)
    assert "overloaded" in ran.output


def test_faults_are_shown_and_counted(tmp_path: Path) -> None:
    def script(call: Call) -> Plan:
        if call.n == 1 and "You are Skeptic" in call.prompt:
            return Plan(status=500, error="overloaded \x1b[31mred")
        if "could not read" in call.prompt or "You are Advocate" in call.prompt:
            return Plan(text="I would rather not say.", usage=(10, 10, 0))
        return speak(call)

    with served(script) as wires:
        ran = folkmoot(tmp_path, "run", "Tea or coffee?", "-m", "ollama:tiny", "--no-report", OLLAMA_HOST=wires.url)
    assert ran.exit_code == 0, ran.output
    assert "\x1b" not in ran.output
    assert "attempt 1 failed" in ran.output
    assert "not readable: " in ran.output
    assert "failed attempt" in ran.output.split("problems")[1]


@pytest.mark.parametrize(
    ("status", "kind", "fail_on", "code"),
    [
        ("decided", "", "no-decision", 0),
        ("tie", "", "", 0),
        ("no_decision", "", "", 0),
        ("tie", "", "no-decision", 3),
        ("no_decision", "", "no-decision", 3),
        ("failed", "", "", 1),
        ("paused", "limit", "", 4),
        ("paused", "unavailable", "", 5),
        ("paused", "stopped", "", 130),
        ("paused", "waiting", "", 6),
    ],
)
def test_exit_codes(status: str, kind: str, fail_on: str, code: int) -> None:
    assert code_of(status, kind, fail_on=fail_on) == code


def test_the_module_is_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["folkmoot", "--version"])
    monkeypatch.delitem(sys.modules, "folkmoot.__main__", raising=False)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("folkmoot", run_name="__main__")
    assert ended.value.code == 0


def test_a_debate_with_nobody_who_answers_pauses(tmp_path: Path) -> None:
    with served(lambda call: Plan(text="")) as wires:
        ran = folkmoot(tmp_path, "run", "Tea or coffee?", "-m", "ollama:tiny", "--no-report", OLLAMA_HOST=wires.url)
    assert ran.exit_code == UNREACHABLE, ran.output
    assert "3 questions open" in ran.output
    assert "gave no words" in ran.output


def test_a_debate_in_which_all_are_refused_pauses_and_says_what_to_do(tmp_path: Path) -> None:
    with served(lambda call: Plan(status=402, error="no credit")) as wires:
        words = ("run", "Tea or coffee?", "-m", "ollama:tiny", "--no-report", "--quiet")
        ran = folkmoot(tmp_path, *words, OLLAMA_HOST=wires.url)
    assert ran.exit_code == UNREACHABLE, ran.output
    assert re.search(r"next +folkmoot resume \S+  # once there is credit", ran.output), ran.output
    assert "-m PROVIDER:NAME" in ran.output


def test_a_plan_with_unknown_prices_and_all_limits_is_spelt_out(tmp_path: Path) -> None:
    words = ("check", "Tea or coffee?", "-m", "compatible:x", "--max-tokens", "9000", "--total-seconds", "60")
    shown = folkmoot(tmp_path, *words, FOLKMOOT_BASE_URL=DEAD).output
    assert "cost       not known: no price for compatible:x" in shown
    assert "limits     500 questions, 9,000 tokens, 10 min for each answer, 1 min in total" in shown
    assert (
        ", a quorum of 2 with 5 s of grace"
        in folkmoot(tmp_path, "check", "-", stdin="---\nquorum: 2\ngrace: 5s\n---\n# Tea or coffee?\n").output
    )
    priced = ("check", "Tea or coffee?", "-m", "openai:gpt-4o", "--budget", "3", "--details")
    shown = folkmoot(tmp_path, *priced, OPENAI_API_KEY="sk-canary").output
    cost = re.search(r"cost +about \$([\d.]+), usually below \$([\d.]+), at most \$([\d.]+)", shown)
    assert cost
    assert 0 < float(cost[1]) < float(cost[2]) < float(cost[3]) <= 3
    assert "if no answer is longer than 2,048 tokens" in shown
    usual = folkmoot(tmp_path, *priced[:-1], OPENAI_API_KEY="sk-canary").output
    assert "at most" not in usual.lower()
    assert "$3" in shown.split("limits")[1]
    assert "canary" not in shown
    with served() as wires:
        address = f"{wires.url}/v1"
        ran = folkmoot(
            tmp_path, "run", "Tea or coffee?", "-m", "compatible:x", "--no-report", FOLKMOOT_BASE_URL=address
        )
    assert "cost not known: no price for compatible:x" in " ".join(ran.output.split())
    assert "$?" in ran.output
