"""Debates at the command line: what may decide a tie, once more, short names, lists, deletion, and files that stay."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from folkmoot.app.plan.next_steps import next_steps, pause_steps, resume_step
from folkmoot.app.run.api import show
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Ask, Usage
from folkmoot.core.brief import HUMAN, Brief, Participant
from folkmoot.core.decision import PauseKind
from folkmoot.core.event import Asked, Paused
from folkmoot.core.transcript import Transcript
from folkmoot.testing.wire_formats import Plan
from tests.cli.commands import BRIEF, QUOTES, folkmoot, only_id, served, speak

TIE = """---
options: [usage, seats, flat]
seed: 4
---
# Which pricing?

## Background
Usage pricing is fair. Seats pricing is known. Flat pricing is simple.

## Ada (builtin:quotes)
Says usage.
## Bo (builtin:quotes)
Says seats.
## Cy (builtin:quotes)
Says flat.
"""


def tied(folder: Path) -> str:
    """A debate that ended in a tie; its id."""
    (folder / "tie.md").write_text(TIE, "utf-8")
    ran = folkmoot(folder, "run", "tie.md", "--plain")
    assert ran.exit_code == 0, ran.output
    return only_id(ran)


def test_a_tie_names_what_would_decide_it_and_every_command_runs(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    shown = folkmoot(tmp_path, "show", debate, "--plain").stdout
    commands = re.findall(r"^(?:next)? +folkmoot ((?:show --recount|again) [^#]*)#", shown, re.MULTILINE)
    assert [command.split() for command in commands] == [
        ["show", "--recount", debate],
        ["again", debate, "--rounds", "2"],
        ["again", debate, "--protocol", "moderated"],
        ["again", debate, "--protocol", "moderated", "-m", "Moderator=human"],
    ]
    codes = [
        folkmoot(tmp_path, *command.split(), "--quiet" if "again" in command else "--json") for command in commands
    ]
    assert [ran.exit_code for ran in codes] == [0, 0, 0, 6]
    statuses = [item["status"] for item in json.loads(folkmoot(tmp_path, "list", "--json").stdout)]
    assert statuses == ["paused", "decided", "tie", "tie"]


def test_again_runs_the_same_brief_by_the_same_protocol(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    ran = folkmoot(tmp_path, "again", "last", "--plain", "--max-questions", "40")
    assert ran.exit_code == 0, ran.output
    again = only_id(ran)
    report = folkmoot(tmp_path, "report", again).stdout
    assert f"the brief of {debate} once more" in report
    assert folkmoot(tmp_path, "verify", again).exit_code == 0
    differ = folkmoot(tmp_path, "diff", debate, again).stdout
    assert "Which pricing?" in differ
    third = folkmoot(tmp_path, "again", again, "-m", "Ada=human", "--seed", "7", "--quiet")
    assert third.exit_code == 6
    assert "seed 7" in folkmoot(tmp_path, "report", "last").stdout
    refused = folkmoot(tmp_path, "again", debate, "-m", "Eve=human")
    assert (refused.exit_code, "nobody is called 'Eve'" in refused.stderr) == (2, True)


def test_again_builds_another_protocol_and_says_what_does_not_hold(tmp_path: Path) -> None:
    folkmoot(tmp_path, "run", "Should we move?", *QUOTES, "--strategy", "borda", "--quiet")
    ran = folkmoot(tmp_path, "again", "last", "--protocol", "moderated", "--plain")
    assert ran.exit_code == 0, ran.output
    assert "strategy: borda" in ran.stdout
    refused = folkmoot(tmp_path, "again", "last", "--protocol", "counsel")
    assert "no protocol is called 'counsel'; did you mean 'council'?" in refused.stderr


def test_a_generated_cast_is_kept_and_the_helper_debate_is_hidden(tmp_path: Path) -> None:
    with served(speak) as wires:
        words = ("run", "Should we move?", "-m", "ollama:x", "--participants", "new", "--quiet")
        ran = folkmoot(tmp_path, *words, OLLAMA_HOST=wires.url)
        assert ran.exit_code == 0, ran.output
        count = len(wires.calls)
        assert len(json.loads(folkmoot(tmp_path, "list", "--json").stdout)) == 1
        assert "1 more debate not shown" in folkmoot(tmp_path, "list").stderr
        whole = json.loads(folkmoot(tmp_path, "list", "--all", "--json").stdout)
        assert sorted(item["protocol"] for item in whole) == ["casting", "panel"]
        folkmoot(tmp_path, "again", "last", "--quiet", OLLAMA_HOST=wires.url)
        assert len(wires.calls) - count < count


def test_lists_are_filtered_and_short_ids_are_enough(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet")
    rows = json.loads(folkmoot(tmp_path, "list", "--json").stdout)
    assert [row["short"] for row in rows] == [row["debate"].rpartition("-")[2][:3] for row in rows]
    assert folkmoot(tmp_path, "show", rows[1]["short"]).stdout.count(debate) >= 1
    assert f"{debate}: " in folkmoot(tmp_path, "verify", "last~1").stdout
    assert [item["debate"] for item in json.loads(folkmoot(tmp_path, "list", "--status", "tie", "--json").stdout)] == [
        debate
    ]
    won, even = rows
    assert (even["winner"], even["decision"], even["models"], even["cost"]) == ("", "", ["builtin:quotes"], 0.0)
    outcome = show(won["debate"], store=tmp_path / "folkmoot.sqlite")
    assert outcome.decision
    assert (won["winner"], won["decision"]) == (outcome.decision.winner, outcome.decision.text)
    assert won["winner"]
    assert won["tokens"] == outcome.usage.input_tokens + outcome.usage.output_tokens
    assert len(json.loads(folkmoot(tmp_path, "list", "-n", "1", "--json").stdout)) == 1
    listed = folkmoot(tmp_path, "list", "--search", "PRICING")
    assert rows[1]["short"] in listed.stdout
    assert rows[0]["debate"] not in listed.stdout
    assert "None of 2 debates" in folkmoot(tmp_path, "list", "--search", "nothing").stdout
    wrong = folkmoot(tmp_path, "list", "--status", "tied")
    assert (wrong.exit_code, "did you mean 'tie'?" in wrong.stderr) == (2, True)


def test_a_debate_is_renamed_and_found_by_its_name(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    renamed = folkmoot(tmp_path, "store", "rename", "last", "Second try")
    assert (renamed.exit_code, renamed.stdout) == (0, f"{debate}: named Second try\n")
    assert "Second try" in folkmoot(tmp_path, "list", "--search", "second").stdout
    assert json.loads(folkmoot(tmp_path, "list", "--json").stdout)[0]["name"] == "Second try"
    assert "has its question as its name again" in folkmoot(tmp_path, "store", "rename", "last", "").stdout
    assert "Second try" not in folkmoot(tmp_path, "list").stdout
    long = folkmoot(tmp_path, "store", "rename", "last", "x" * 201)
    assert (long.exit_code, "at most 200 characters" in long.stderr) == (2, True)
    nowhere = folkmoot(tmp_path, "store", "rename", "last", "x", "--store", "typo.sqlite")
    assert (nowhere.exit_code, (tmp_path / "typo.sqlite").exists()) == (1, False)


def test_a_debate_is_deleted_with_all_that_belongs_to_it(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    assert folkmoot(tmp_path, "learn", "resolve", debate, "--answer", "usage").exit_code == 0
    folkmoot(tmp_path, "fork", debate, "--at", "4", "--no-run")
    result = folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--quiet")
    assert result.exit_code == 0
    declined = folkmoot(tmp_path, "store", "delete", debate, stdin="n\n")
    assert declined.exit_code == 130
    gone = folkmoot(tmp_path, "store", "delete", debate, "--yes")
    assert gone.exit_code == 0, gone.output
    assert re.search(rf"{debate}: deleted \d+ entries, 1 message, and what was learned from it", gone.stdout)
    assert "its forks stay: which-pricing-" in gone.stderr
    assert folkmoot(tmp_path, "show", debate).exit_code == 1
    assert folkmoot(tmp_path, "learn").exit_code == 0
    assert "usage" not in folkmoot(tmp_path, "learn", "search", "pricing").stdout
    assert folkmoot(tmp_path, "store", "delete", debate, "--yes").exit_code == 1
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0
    nowhere = folkmoot(tmp_path, "store", "delete", "last", "--yes", "--store", "typo.sqlite")
    assert (nowhere.exit_code, (tmp_path / "typo.sqlite").exists()) == (1, False)


def test_a_debate_that_may_run_elsewhere_is_deleted_by_force_alone(tmp_path: Path) -> None:
    debate = tied(tmp_path)
    folkmoot(tmp_path, "fork", debate, "--at", "4", "--no-run")
    refused = folkmoot(tmp_path, "store", "delete", "last", "--yes")
    assert refused.exit_code == 1
    assert "is not over, and another machine may run it" in refused.stderr
    assert folkmoot(tmp_path, "store", "delete", "last", "--yes", "--force").exit_code == 0


@pytest.mark.parametrize("words", [("report", "last", "-o"), ("report", "last", "--format", "json", "-o")])
def test_a_report_is_written_over_a_report_and_over_nothing_else(tmp_path: Path, words: tuple[str, ...]) -> None:
    tied(tmp_path)
    for n, form in enumerate(("md", "json", "html", "memo")):
        assert folkmoot(tmp_path, "report", "last", "--format", form, "-o", f"r{n}").exit_code == 0
        assert folkmoot(tmp_path, *words, f"r{n}").exit_code == 0, form
    for mode in ("summary_only", "json_log", "verbose", "visual_tree"):
        assert folkmoot(tmp_path, "report", "last", "--format", mode, "-o", "log.md").exit_code == 0
        assert folkmoot(tmp_path, "report", "last", "--format", mode, "-o", "log.md").exit_code == 0
    (tmp_path / "empty.md").touch()
    assert folkmoot(tmp_path, *words, "empty.md").exit_code == 0
    (tmp_path / "other.sqlite").write_bytes((tmp_path / "folkmoot.sqlite").read_bytes())
    for name in ("tie.md", "folkmoot.sqlite", "other.sqlite"):
        before = (tmp_path / name).read_bytes()
        refused = folkmoot(tmp_path, *words, name)
        assert (refused.exit_code, (tmp_path / name).read_bytes() == before) == (2, True)
        assert f"{name}: this file is not a report, so it is not overwritten; choose another name" in refused.stderr


@pytest.mark.parametrize(
    ("limit", "most", "options"),
    [
        ("tokens", 1200, " --max-tokens 2400"),
        ("asks", 1, " --max-questions 2"),
        ("total_seconds", 0.5, " --total-seconds 1"),
        ("cost", 0.05, " --budget 0.1"),
        ("", None, ""),
    ],
)
def test_a_limit_that_paused_a_debate_is_doubled(limit: str, most: float | None, options: str) -> None:
    paused = Paused(reason="so", kind="limit", limit=limit, most=most)
    step = resume_step("tea", paused, Usage(input_tokens=30, cost=None))
    assert step.command == f"folkmoot resume tea{options}"


@pytest.mark.parametrize(
    ("limit", "most", "options"), [("cost", 0.5, " --budget 3.46"), ("tokens", 1200, " --max-tokens 3000")]
)
def test_what_was_used_beyond_a_limit_is_doubled(limit: str, most: float, options: str) -> None:
    paused = Paused(reason="so", kind="limit", limit=limit, most=most)
    step = resume_step("tea", paused, Usage(input_tokens=1400, output_tokens=100, cost=1.72906))
    assert (step.command, step.words) == (f"folkmoot resume tea{options}", "with twice what it has used")


@pytest.mark.parametrize(
    ("kind", "commands"),
    [
        ("waiting", ["folkmoot answer tea --as 'Mr Lee'", "folkmoot resume tea"]),
        ("batch", ["folkmoot resume tea", "folkmoot batch --jobs"]),
        ("stopped", ["folkmoot resume tea", "folkmoot fork tea --at 9 -m PROVIDER:NAME"]),
        ("unavailable", ["folkmoot resume tea", "folkmoot fork tea --at 9 -m PROVIDER:NAME"]),
        ("", ["folkmoot resume tea"]),
    ],
)
def test_what_can_be_done_with_a_debate_that_pauses(kind: PauseKind, commands: list[str]) -> None:
    who = "Mr Lee" if kind == "waiting" else "Ann"
    brief = Brief(topic="Tea?", participants=(Participant(name="Ann"), Participant(name="Mr Lee", seat=HUMAN)))
    transcript = Transcript(brief=brief)
    transcript.add(Asked(ask=Ask(key="/debate#1", to=who, act="draft", task="Answer.")))
    transcript.paused = Paused(reason="so", kind=kind) if kind else None
    steps = list(pause_steps("tea", transcript, Usage(), 9))
    assert [step.command for step in steps] == commands
    assert all(step.words for step in steps)


@pytest.mark.parametrize(
    ("header", "commands"),
    [
        ("protocol: moderated\n", []),
        ("protocol: panel\nrounds: 3\n", ["recount", "--protocol moderated", "-m Moderator=human"]),
        ("protocol: round_robin\n", ["recount", "--rounds 4", "--protocol moderated", "-m Moderator=human"]),
        (
            "protocol: round_robin\nturn_mode: random\n",  # which the record tells, so that it stays
            ["recount", "--rounds 4", "--protocol moderated", "-m Moderator=human"],
        ),
        ("protocol: round_robin\nconsensus_strategy: no_consensus\n", ["--protocol moderated", "-m Moderator=human"]),
    ],
)
def test_the_ways_on_fit_the_protocol(tmp_path: Path, header: str, commands: list[str]) -> None:
    (tmp_path / "tie.md").write_text(TIE.replace("seed: 4\n", header), "utf-8")
    ran = folkmoot(tmp_path, "run", "tie.md", "--quiet")
    assert ran.exit_code == 0, ran.output

    async def look() -> tuple[str, list[str]]:
        workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
        outcome = await workspace.outcome(await workspace.find("last"))
        opened = opening(outcome.debate, await workspace.entries(outcome.debate))
        await workspace.close()
        return outcome.status, [
            next_step.command for next_step in next_steps(opened, outcome.debate, outcome.transcript)
        ]

    status, ways = asyncio.run(look())
    assert status == ("no_decision" if "no_consensus" in header else "tie" if commands else "decided")
    assert [words for words, text in zip(commands, ways, strict=True) if words in text] == commands


def test_a_bare_question_that_nobody_can_answer_leads_to_a_language_model(tmp_path: Path) -> None:
    ran = folkmoot(tmp_path, "run", "Tea or coffee?", *QUOTES)
    assert "all 3 voters abstained" in ran.output
    shown = [line.partition("#")[0].split() for line in ran.output.splitlines()]
    assert ["next", "folkmoot", "models"] in shown
    assert [words[2] for words in shown if words[:1] == ["folkmoot"] and "--rounds" in words] == []
    again = next(words for words in shown if words[:2] == ["folkmoot", "again"])
    assert again == ["folkmoot", "again", only_id(ran), "-m", "PROVIDER:NAME"]
    with served() as wires:
        end = folkmoot(tmp_path, *again[1:-1], "ollama:tiny", OLLAMA_HOST=wires.url)
    assert end.exit_code == 0, end.output
    assert "decided" in end.output


DEPOT = """---
options: [建てる, 建てない]
---
# 新しい倉庫を建てるべきか？

## Background
倉庫を建てる費用は五千万円で、建てると一日に二時間を節約できる。

## 田中 (builtin:quotes)
財務
## 鈴木 (builtin:quotes)
物流
"""


def test_that_copies_of_the_built_in_agent_agree_is_called_a_demonstration(tmp_path: Path) -> None:
    (tmp_path / "depot.md").write_text(DEPOT, "utf-8")
    ran = folkmoot(tmp_path, "run", "depot.md")
    assert ran.exit_code == 0, ran.output
    assert "A demonstration: 2 of 2" in ran.output
    assert "100% (a demonstration)" in folkmoot(tmp_path, "report", "last").output
    assert "A demonstration: 2 of 2 chose it." in folkmoot(tmp_path, "report", "last", "--format", "memo").output
    assert "unanimous" not in ran.output


def test_where_nothing_could_be_read_no_more_rounds_are_advised(tmp_path: Path) -> None:
    with served(lambda call: Plan(text="I would rather talk about the weather.")) as wires:
        ran = folkmoot(tmp_path, "run", str(BRIEF), "-m", "ollama:tiny", "--plain", OLLAMA_HOST=wires.url)
    commands = re.findall(r"^(?:next)? +folkmoot again \S+ ([^#]*)#", ran.stdout, re.MULTILINE)
    assert commands, ran.output
    assert commands[0].split() == ["-m", "PROVIDER:NAME"]
    assert not any("--rounds" in command for command in commands)


@pytest.mark.parametrize(
    ("cause", "most", "command"),
    [
        ("timeout", 120.0, " --turn-seconds 600"),
        ("timeout", 600.0, " --turn-seconds 1200"),
        ("timeout", 3000.0, " --turn-seconds 3600"),
        ("timeout", None, " --turn-seconds 600"),
        ("key", None, ""),
        ("quota", None, ""),
    ],
)
def test_what_kept_all_from_answering_is_mended_first(cause: str, most: float | None, command: str) -> None:
    limit = "turn_seconds" if cause == "timeout" else ""
    paused = Paused(reason="so", kind="unavailable", cause=cause, limit=limit, most=most)
    step = resume_step("tea", paused, Usage())
    assert step.command == f"folkmoot resume tea{command}"
    assert step.words
