"""The real process at a real terminal: people asked in place, at once, later, and from another terminal."""

import os
import re
import signal
from pathlib import Path

import pytest

from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call
from tests.cli.commands import QUOTES, folkmoot, served, settle, speak
from tests.cli.terminals import CTRL_D, Terminal, terminal_env
from tests.cli.test_cli_people import DRAFT, SEALED, TEA, begin

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and terminals"),
]

RUN = ("run", "tea.md", *QUOTES, "--no-report", "--full")


def sit_down(folder: Path, brief: str, *words: str, **env: str) -> Terminal:
    """A debate that is held at a terminal."""
    (folder / "tea.md").write_text(brief, "utf-8")
    return Terminal([*RUN, *words], terminal_env(folder, **env), folder)


@pytest.mark.parametrize(("words", "env"), [((), {"COLUMNS": "60"}), (("--plain",), {}), ((), {"TERM": "dumb"})])
def test_a_vote_is_given_by_its_number(tmp_path: Path, words: tuple[str, ...], env: dict[str, str]) -> None:
    terminal = sit_down(tmp_path, SEALED, *words, **env)
    terminal.type("Ada is asked.*2  Proposal B.*3  abstain", "5\n")
    terminal.type("I vote for is '5'; it must be.*3  abstain", "2\n")
    terminal.type("Why", "The kettle is old.\n")
    terminal.type("", "\n")
    assert terminal.end() == 0, terminal.shown
    assert re.search(
        r"Ada Drinks it · votes for (Bull|Bear)'s revision · in person The kettle is old\.", terminal.words
    )
    assert terminal.words.index("Proposal A") < terminal.words.index("Ada Drinks it · votes for")
    assert ("\x1b" in terminal.shown) == (env.get("COLUMNS") == "60")


def test_a_debate_that_is_left_by_ctrl_d_goes_on_at_the_terminal(tmp_path: Path) -> None:
    terminal = sit_down(tmp_path, SEALED)
    terminal.type("Ada is asked", CTRL_D)
    assert terminal.end() == 6
    assert "next folkmoot answer tea-or-coffee-" in terminal.words
    terminal = Terminal(["answer", "last", "--no-report"], terminal_env(tmp_path), tmp_path)
    terminal.type("Tea or coffee.*Ada is asked.*Proposal A.*Ctrl-D: answer later.*I vote for", "proposal b\n")
    terminal.type("Why", "\n")
    assert terminal.end() == 0
    assert "decided" in terminal.words


def test_nothing_is_noted_where_nobody_answers(tmp_path: Path) -> None:
    name = begin(tmp_path)
    terminal = Terminal(["answer", name], terminal_env(tmp_path), tmp_path)
    terminal.type("Ada is asked.*ARGUMENT", CTRL_D)
    assert terminal.end() == 2
    assert "folkmoot: no answer was given" in terminal.words
    terminal = Terminal(["answer", name], terminal_env(tmp_path), tmp_path)
    terminal.wait()
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 130
    assert "waits for Ada" in folkmoot(tmp_path, "list").output


def test_ctrl_c_leaves_the_question_open(tmp_path: Path) -> None:
    terminal = sit_down(tmp_path, TEA)
    terminal.type("Ada is asked", "Tea is calm.\n")
    terminal.type("", "\n")
    terminal.wait("CONFIDENCE")
    terminal.process.send_signal(signal.SIGINT)
    assert terminal.end() == 6
    assert "Ada has to answer (draft): folkmoot answer" in terminal.words
    assert "waits for Ada" in folkmoot(tmp_path, "list").output
    assert folkmoot(tmp_path, "verify", "last").exit_code == 0


def test_an_answer_from_another_terminal_closes_the_question(tmp_path: Path) -> None:
    terminal = sit_down(tmp_path, SEALED)
    terminal.type("Ada is asked", "2")
    noted = folkmoot(tmp_path, "answer", "last", "Proposal B")
    assert noted.exit_code == 0
    assert (
        "the answer is saved; the process that runs the debate will read it; if that process has ended" in noted.stderr
    )
    assert terminal.end() == 0
    assert "Ada is no longer asked here." in terminal.words
    assert "Ada Drinks it · votes for" in terminal.words


@pytest.mark.parametrize("words", ["--no-input", "--json", "--quiet"])
def test_nobody_is_asked_here_who_shall_not_be(tmp_path: Path, words: str) -> None:
    terminal = sit_down(tmp_path, TEA, words)
    assert terminal.end() == 6
    assert "is asked" not in terminal.words
    assert "folkmoot answer tea-or-coffee-" in terminal.words


def test_somebody_speaks_up_in_a_running_debate(tmp_path: Path) -> None:
    def slow(call: Call) -> Plan:
        plan = speak(call)
        return Plan(text=plan.text, usage=plan.usage, delay=0.2)

    (tmp_path / "tea.md").write_text(TEA.replace("\n## Ada (human)\nrole: Drinks it\n", ""), "utf-8")
    with served(slow) as wires:
        env = terminal_env(tmp_path, OLLAMA_HOST=wires.url)
        terminal = Terminal(
            ["run", "tea.md", "--protocol", "round_robin", "--rounds", "1", "--no-report"], env, tmp_path
        )
        terminal.read_until(lambda shown: "thinking" in shown)
        assert folkmoot(tmp_path, "say", "last", "Think of the kettle.", "--by", "Zed").exit_code == 0
        assert terminal.end() == 0
        prompts = [call.prompt for call in wires.calls if "Think of the kettle." in call.prompt]
    assert "▌ Zed (viewer) ▌ Think of the kettle." in terminal.words
    assert prompts
    assert all("Zed (from outside)" in prompt for prompt in prompts)


def test_a_follower_sees_for_whom_a_debate_waits(tmp_path: Path) -> None:
    terminal = sit_down(tmp_path, TEA)
    terminal.wait()
    follower = Terminal(["show", "last", "--follow"], terminal_env(tmp_path), tmp_path)
    follower.read_until(lambda shown: "waiting for " in shown)
    assert folkmoot(tmp_path, "list").output.count("waits for Ada · since") == 1
    assert folkmoot(tmp_path, "answer", "last", *DRAFT).exit_code == 0
    terminal.type("is no longer asked here.*Ada is asked", CTRL_D)
    assert terminal.end() == follower.end() + 6 == 6
    assert "draft · in person" in follower.words


def test_no_process_is_left_at_the_terminal(tmp_path: Path) -> None:
    terminal = sit_down(tmp_path, TEA)
    terminal.wait()
    os.close(terminal.ours)
    assert terminal.process.wait(120) != 0
    assert "waits for Ada" in folkmoot(tmp_path, "list", **settle(tmp_path)).output
