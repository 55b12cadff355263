"""The start of the command: what each command loads, and that Ctrl-C while it loads ends it without a traceback."""

import asyncio
import gc
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from folkmoot.__main__ import interrupt_again, start
from tests.cli.commands import BRIEF, QUOTES, folkmoot, settle

SDKS = ("openai", "anthropic", "pydantic_ai", "httpx", "httpx2")
"""The libraries of models and of the network, which are loaded when somebody is asked."""

READERS = ("bs4", "pypdf", "numpy", "matplotlib", "fastapi", "mcp", "asyncpg")
"""What only documents, servers and databases need."""

RUNNING = (
    "folkmoot.engine",
    "folkmoot.models",
    "folkmoot.answers",
    "folkmoot.agents.llm",
    "folkmoot.phases",
    "folkmoot.tools.fetch",
    "ruamel",
    "folkmoot.reviews.reviewed",
)
"""What runs a debate, and no list needs."""

LOADED = """
import sys
from folkmoot.cli.main import main
code = main(sys.argv[1:], standalone_mode=False)
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""

FIRST_WORDS = """
import os, sys
from folkmoot.cli.main import main
def write(text, stream=sys.stdout, write=sys.stdout.write):
    if text.strip():
        print(*sorted(sys.modules), file=sys.stderr, flush=True)
        write(text), stream.flush()
        os._exit(0)
sys.stdout.write = write
main(sys.argv[1:], standalone_mode=False)
"""


def loaded(folder: Path, *words: str, program: str = LOADED) -> set[str]:
    """The modules that are loaded when a command has ended, or by another program."""
    env = {**settle(folder), "OPENAI_API_KEY": "none"}
    ran = subprocess.run(
        [sys.executable, "-c", program, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout
    return set(ran.stderr.splitlines()[-1].split())


def among(modules: set[str], names: tuple[str, ...]) -> list[str]:
    """Those of the modules that have one of these names, or stand in a package of such a name."""
    return sorted(module for module in modules if any(f"{module}.".startswith(f"{name}.") for name in names))


@pytest.mark.system
def test_check_loads_no_library_of_a_model(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "check", str(BRIEF), "-m", "openai:gpt-4o")
    assert among(modules, (*SDKS[:3], *READERS)) == []
    assert "folkmoot.app.run.prepare" in modules


@pytest.mark.system
def test_list_loads_nothing_that_runs_a_debate(tmp_path: Path) -> None:
    folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report", "--quiet")
    modules = loaded(tmp_path, "list")
    names = ["folkmoot.models", "folkmoot.models.names", "folkmoot.models.wires", "folkmoot.models.wires.acp_programs"]
    assert among(modules, (*SDKS, *READERS, *RUNNING, "pydantic")) == names, "names and settings alone"
    assert "folkmoot.app.run.record_reader" in modules


@pytest.mark.system
def test_run_says_its_first_words_before_it_loads_the_reports(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "run", str(BRIEF), *QUOTES, program=FIRST_WORDS)
    assert (
        among(
            modules, (*SDKS, *READERS, "folkmoot.app.export.reports", "folkmoot.report.logs", "folkmoot.report.report")
        )
        == []
    )
    assert "folkmoot.app.run.workspace" in modules


def test_check_asks_the_library_where_it_has_to(tmp_path: Path) -> None:
    """Which settings a model drops only its library knows."""
    brief = tmp_path / "b.md"
    brief.write_text("# Tea?\n\n## Ada\nmodel: openai:o3\ntemperature: 0.5\n\n## Bo\nmodel: openai:o3\n", "utf-8")
    assert "ignores temperature" in " ".join(
        folkmoot(tmp_path, "check", str(brief), OPENAI_API_KEY="none").output.split()
    )


@pytest.mark.parametrize("usual", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_ends_with_its_code(usual: signal.Handlers, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("folkmoot.cli.main.main", interrupted)
    before = signal.signal(signal.SIGINT, usual)
    try:
        with pytest.raises(SystemExit) as ended:
            start()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == 130


class Falling:
    """Something that raises where nobody can catch it."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __del__(self) -> None:
        raise self._error


def test_an_interruption_that_python_drops_comes_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "unraisablehook", interrupt_again)
    pressed = threading.Event()
    before = signal.signal(signal.SIGINT, lambda number, frame: pressed.set())
    try:
        Falling(KeyboardInterrupt())
        # A signal that comes just before a wait begins does not end this wait, so no single one is long.
        assert any(pressed.wait(0.1) for _ in range(600))
    finally:
        signal.signal(signal.SIGINT, before)


def test_whatever_else_python_drops_is_told_as_usual(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", interrupt_again)
    Falling(ValueError("too late"))
    assert "ValueError: too late" in capsys.readouterr().err


def test_an_event_loop_that_was_interrupted_while_it_was_made_is_thrown_away_without_a_word(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loop = asyncio.SelectorEventLoop.__new__(asyncio.SelectorEventLoop)
    loop._closed = False  # pyright: ignore[reportAttributeAccessIssue] - as its class leaves it before its selector
    monkeypatch.setattr(sys, "unraisablehook", interrupt_again)
    del loop
    gc.collect()
    assert capsys.readouterr().err == ""
