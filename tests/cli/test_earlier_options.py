"""The earlier names of options: each still works, and help shows only the new one."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import click
import pytest

from folkmoot.cli.main import main
from folkmoot.cli.options import EARLIER_LIST_OPTIONS, EARLIER_OPTIONS
from tests.cli.commands import folkmoot

LISTS = ("folkmoot queue", "folkmoot memory search")


def commands(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """A command and all beneath it, each with what is typed for it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(f"{path} {name}", inner)


def cases() -> Iterator[tuple[str, click.Option, str]]:
    """The path of each command that has an option with earlier names, the option, and each earlier name."""
    for path, command in commands("folkmoot", main):
        table: Mapping[str, str] = EARLIER_LIST_OPTIONS if path in LISTS else EARLIER_OPTIONS
        for option in command.params:
            for earlier, name in table.items():
                if isinstance(option, click.Option) and f"--{name}" in option.opts:
                    yield path, option, earlier


CASES = list(cases())


def test_every_earlier_name_stands_for_an_option_that_exists() -> None:
    assert {earlier for _, _, earlier in CASES} == EARLIER_OPTIONS.keys()
    assert {path for path, _, _ in CASES}.issuperset(LISTS)


@pytest.mark.parametrize(("path", "option", "earlier"), CASES, ids=[f"{path} --{name}" for path, _, name in CASES])
def test_an_earlier_name_means_the_option_and_is_not_shown(
    tmp_path: Path, path: str, option: click.Option, earlier: str
) -> None:
    words = path.split()[1:]
    shown = folkmoot(tmp_path, *words, "--help").output
    assert option.opts[-1] in shown
    assert f"--{earlier} " not in shown
    typed = ["--no-such-option"] if option.is_flag else ["no-such-value"]
    refused = folkmoot(tmp_path, *words, f"--{earlier}", *typed).output
    sentences = (f"Invalid value for '{option.opts[0]}'", f"{option.opts[-1]} is 'no-such-value'")
    wanted = (f"No such option '{typed[0]}'",) if option.is_flag else sentences
    assert any(sentence in refused for sentence in wanted), refused
