"""Every command takes the parameters that its options and arguments give it."""

import inspect
from importlib import import_module

import click
import pytest

from folkmoot.cli.main import COMMANDS


def leaves(command: click.Command) -> list[click.Command]:
    """A command and those under it."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [command, *(leaf for child in below for leaf in leaves(child))]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_what_its_options_give(name: str) -> None:
    module, _, attribute = COMMANDS[name].partition(":")
    for command in leaves(getattr(import_module(module), attribute)):
        assert command.callback
        parameters = inspect.signature(command.callback).parameters.values()
        named = {item.name for item in parameters if item.kind is not item.VAR_KEYWORD}
        options = {item.name for item in command.params if item.expose_value}
        wide = any(item.kind is item.VAR_KEYWORD for item in parameters)
        passed = {"ctx", "context"} & named
        assert named - passed <= options, command.name
        assert wide or options == named - passed, command.name
