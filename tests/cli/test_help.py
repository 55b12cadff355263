"""Help fits on a screen, every command takes what its options give, and shells complete."""

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from folkmoot.cli.main import COMMANDS, main
from folkmoot.cli.options import RARE
from tests.cli.commands import BRIEF, QUOTES, folkmoot, only_id, settle


def every_command(command: click.Command = main, *path: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Each command with its words."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            if below := command.get_command(context, name):
                yield from every_command(below, *path, name)


EVERY = list(every_command())


def test_there_are_at_most_24_commands_at_the_top() -> None:
    assert len(COMMANDS) <= 24


@pytest.mark.parametrize(("words", "command"), EVERY, ids=[" ".join(words) for words, _ in EVERY])
def test_help_fits_on_a_screen_and_all_of_it_is_there(
    tmp_path: Path, words: tuple[str, ...], command: click.Command
) -> None:
    shown = folkmoot(tmp_path, *words, "--help").stdout
    assert 0 < shown.count("\n") <= 40
    options = {
        max(param.opts, key=len): getattr(param, "panel", "") == RARE
        for param in command.params
        if isinstance(param, click.Option)
    }
    assert listed(shown) == {name for name, rare in options.items() if not rare} | {"--help"}
    if any(options.values()):
        assert listed(folkmoot(tmp_path, *words, "--help-all").stdout) == {*options, "--help"}


def listed(text: str) -> set[str]:
    """The options that a help lists."""
    return set(re.findall(r"^  (?:-\w,)?(--[a-z-]+)", text, re.MULTILINE))


@pytest.mark.parametrize(("words", "command"), EVERY[1:], ids=[" ".join(words) for words, _ in EVERY[1:]])
def test_a_command_takes_what_its_options_give(words: tuple[str, ...], command: click.Command) -> None:
    assert command.callback
    parameters = inspect.signature(command.callback).parameters.values()
    named = {item.name for item in parameters if item.kind is not item.VAR_KEYWORD} - {"ctx"}
    options = {item.name for item in command.params if item.expose_value}
    wide = any(item.kind is item.VAR_KEYWORD for item in parameters)
    assert named <= options if wide else named == options


@pytest.mark.system
@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_commands_options_and_debates(tmp_path: Path) -> None:
    debate = only_id(folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report"))
    # The script calls the program by its name, so a name is put on the path.
    program = tmp_path / "bin" / "folkmoot"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m folkmoot "$@"\n')
    program.chmod(0o755)
    typed = {
        "folkmoot sho": "show",
        "folkmoot show shou": debate,
        "folkmoot run --pro": "--protocol",
        "folkmoot run --protocol mod": "moderated",
        "folkmoot report last --format pd": "pdf",
        "folkmoot run --max-q": "--max-questions",
    }
    lines = [
        'eval "$(folkmoot config completion bash)"',
        't() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _folkmoot_completion folkmoot; echo "${COMPREPLY[*]}"; }',
        *(f"t {words}" for words in typed),
    ]
    env = {**settle(tmp_path), "PATH": f"{program.parent}:/usr/bin:/bin"}
    ran = subprocess.run(["bash", "-c", "\n".join(lines)], env=env, capture_output=True, text=True, timeout=120)
    assert ran.stdout.splitlines() == [*typed.values()], ran.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_offered_the_debates_with_their_topics(tmp_path: Path, shell: str) -> None:
    debate = only_id(folkmoot(tmp_path, "run", str(BRIEF), *QUOTES, "--no-report"))
    assert "_FOLKMOOT_COMPLETE" in folkmoot(tmp_path, "config", "completion", shell).stdout
    word = "2" if shell == "zsh" else "shou"
    env = {"_FOLKMOOT_COMPLETE": f"{shell}_complete", "COMP_WORDS": "folkmoot show shou", "COMP_CWORD": word}
    shown = folkmoot(tmp_path, **env).stdout
    assert debate in shown
    assert "billing" in shown.replace(debate, "")
    assert folkmoot(tmp_path, **env, FOLKMOOT_STORE="/dev/null/record").stdout.strip() == ""
