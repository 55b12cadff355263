"""The command ``folkmoot``: its table of commands, and how every error becomes one sentence and an exit code."""

import contextlib
import errno
import os
import re
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path

import click
import rich_click

from folkmoot.cli.options import ERROR, INTERRUPTED, USAGE, Place
from folkmoot.core.errors import BriefError, FolkmootError, PackageMissing, ProtocolError
from folkmoot.core.packages import missing_module
from folkmoot.core.text import clean, closest

COMMANDS: Mapping[str, str] = {
    "run": "folkmoot.cli.commands.run:run",
    "review": "folkmoot.cli.commands.review_changes:review",
    "batch": "folkmoot.cli.commands.batch:batch",
    "submit": "folkmoot.cli.commands.submit:submit",
    "worker": "folkmoot.cli.commands.submit:worker",
    "queue": "folkmoot.cli.commands.submit:queue",
    "resume": "folkmoot.cli.commands.run:resume",
    "answer": "folkmoot.cli.commands.answer:answer",
    "say": "folkmoot.cli.commands.answer:say",
    "fork": "folkmoot.cli.commands.run:fork",
    "again": "folkmoot.cli.commands.run:again",
    "show": "folkmoot.cli.commands.show:show",
    "list": "folkmoot.cli.commands.records:list_",
    "report": "folkmoot.cli.commands.show:report",
    "diff": "folkmoot.cli.commands.show:diff",
    "recount": "folkmoot.cli.commands.show:recount",
    "verify": "folkmoot.cli.commands.records:verify",
    "stale": "folkmoot.cli.commands.records:stale",
    "store": "folkmoot.cli.commands.records:store",
    "rename": "folkmoot.cli.commands.records:rename",
    "delete": "folkmoot.cli.commands.records:delete",
    "import": "folkmoot.cli.commands.records:import_",
    "analyse": "folkmoot.cli.commands.analyse:analyse",
    "receipt": "folkmoot.cli.commands.analyse:receipt",
    "learn": "folkmoot.cli.commands.learn:learn",
    "memory": "folkmoot.cli.commands.learn:memory",
    "resolve": "folkmoot.cli.commands.learn:resolve",
    "ratings": "folkmoot.cli.commands.standings:ratings",
    "calibration": "folkmoot.cli.commands.standings:calibration",
    "personas": "folkmoot.cli.commands.standings:personas",
    "relations": "folkmoot.cli.commands.standings:relations",
    "eval": "folkmoot.cli.commands.evaluate:evaluate",
    "new": "folkmoot.cli.commands.check:new",
    "check": "folkmoot.cli.commands.check:check",
    "models": "folkmoot.cli.commands.check:models",
    "doctor": "folkmoot.cli.commands.check:doctor",
    "presets": "folkmoot.cli.commands.check:presets",
    "skill": "folkmoot.cli.commands.serve:skill",
    "plugins": "folkmoot.cli.commands.check:plugins",
    "serve": "folkmoot.cli.commands.serve:serve",
    "mcp": "folkmoot.cli.commands.serve:mcp",
}
"""Where each command is defined. Its module is imported when it is used, and imports nothing heavy at its top."""

GROUPS: Mapping[str, Sequence[str]] = {
    "Run": ("run", "review", "resume", "again", "fork", "answer", "say", "batch"),
    "Look": (
        "list",
        "show",
        "report",
        "diff",
        "recount",
        "verify",
        "stale",
        "analyse",
        "receipt",
        "store",
        "import",
        "rename",
        "delete",
    ),
    "Learn": ("learn", "memory", "resolve", "ratings", "calibration", "personas", "relations"),
    "Measure": ("eval",),
    "Many machines": ("submit", "worker", "queue", "serve", "mcp"),
    "Set up": ("new", "check", "models", "doctor", "presets", "plugins", "skill"),
}
"""The headings under which help lists the commands."""

_HELP: Mapping[str, object] = {
    "command_groups": {"folkmoot": [{"name": name, "commands": list(names)} for name, names in GROUPS.items()]}
}


class CommandGroup(rich_click.RichGroup):
    """The group of all commands, and the one place that catches every error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of their use."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].partition(":")
        return getattr(import_module(module), name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find a command; else suggest what was meant: ``folkmoot run`` for a question or the name of a brief."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            meant = closest(args[0], tuple(COMMANDS))
            if args[0].endswith(".md") or " " in args[0]:
                meant = f"run {shlex.quote(args[0])}"
            if not meant:
                raise
            problem = f"No such command {args[0][:60]!r}. Did you mean: folkmoot {meant}?"
            raise click.UsageError(problem, ctx) from None

    def main(  # type: ignore[override]
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: object,
    ) -> int:
        """Run a command and leave with its exit code."""
        # Libraries warn of a provider's unusual token counts. Folkmoot estimates such counts, and the report says so.
        for words in ("Pydantic serializer warnings", "Failed to extract usage"):
            warnings.filterwarnings("ignore", words)
        for stream in (sys.stdout, sys.stderr):
            # A terminal that cannot show a character shows another one instead of failing.
            with contextlib.suppress(AttributeError, ValueError):
                stream.reconfigure(errors="replace")  # type: ignore[union-attr]
        _drop_unknown_width()
        code = self._answer(args, prog_name or "folkmoot", complete_var, extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _answer(
        self, args: Sequence[str] | None, prog_name: str, complete_var: str | None, extra: Mapping[str, object]
    ) -> int:
        """Run a command; an output that cannot be written is an error of its own, also while another one is shown."""
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so where it was closed at the start
            return _print_error("standard output is closed; to see no output, write it to /dev/null", ERROR)
        try:
            return self._run(args, prog_name, complete_var, extra)
        except BrokenPipeError:
            return _exit_silently()
        except OSError as error:
            _exit_silently()
            return _print_error(f"the output cannot be written: {error.strerror}", ERROR)

    def _run(
        self, args: Sequence[str] | None, prog_name: str, complete_var: str | None, extra: Mapping[str, object]
    ) -> int:
        refuse = partial(_print_error, args=sys.argv[1:] if args is None else args)
        try:
            code: object = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help())
            return USAGE
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else prog_name
            words = _wrong_number(error) or _RANGE.sub(_in_words, error.format_message())
            return refuse(f"{words}{'' if words.endswith(('.', '?', '!')) else '.'} Try `{command} --help`.", USAGE)
        except click.ClickException as error:
            return refuse(error.format_message(), ERROR)
        except PackageMissing as error:
            return refuse(str(error), ERROR)
        except (BriefError, ProtocolError) as error:
            return refuse(str(error), USAGE)
        except FolkmootError as error:
            return refuse(str(error), ERROR)
        except (KeyboardInterrupt, click.Abort):
            return refuse("interrupted", INTERRUPTED)
        except BrokenPipeError:
            return _exit_silently()
        except Exception as error:
            if isinstance(error, OSError) and error.filename is None and error.errno in _UNWRITABLE:
                raise
            if isinstance(error, FileNotFoundError) and not _is_somewhere():
                return refuse("the current folder has been deleted; go to another one", ERROR)
            if isinstance(error, ModuleNotFoundError) and (how := missing_module(error)):
                return refuse(how, USAGE)
            return refuse(f"internal error: {type(error).__name__}: {error} (details in {_save_traceback()})", ERROR)


_RANGE = re.compile(r"\S+ is not in the range (?:(\S+?)(<=?))?x([<>]=?)(\S+?)(?=\.$)")
"""How click says that a number is too small or too large: ``21 is not in the range 0<=x<=20.``"""

_BOUNDS: Mapping[str, str] = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}


def _wrong_number(error: click.UsageError) -> str:
    """What is wrong with a number that has a bound, in the words of every entrance; "" for any other mistake."""
    param = error.param if isinstance(error, click.BadParameter) else None
    if param is None or not isinstance(kind := param.type, click.IntRange | click.FloatRange):
        return ""
    name = max(param.opts, key=len)
    closed = kind.min is not None and kind.max is not None and not (kind.min_open or kind.max_open)
    if (match := _RANGE.match(error.message)) and closed:
        return f"{name} must be from {kind.min:,g} to {kind.max:,.12g}, not {match[0].split()[0]}"
    if text := _NO_NUMBER.match(error.message):
        return f"{name} is {text[1]}; it must be a {'whole ' if isinstance(kind, click.IntRange) else ''}number"
    return ""


_NO_NUMBER = re.compile(r"('.*') is not a valid (?:integer|float) range")
"""How click says that a text is no number: ``'many' is not a valid integer range.``"""


def _in_words(match: re.Match[str]) -> str:
    """The range of an option in words."""
    least, low, high, greatest = match.groups()
    if (low, high) == ("<=", "<="):
        return f"must be from {least} to {greatest}"
    first = f"{'at least' if low == '<=' else 'more than'} {least} and " if low else ""
    return f"must be {first}{_BOUNDS[high]} {greatest}"


def _is_somewhere() -> bool:
    """Whether the current folder is still there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
"""What the system says of an open output that takes nothing more."""

_WIDTH = re.compile(r"0*([2-9][0-9]|[1-9][0-9]{2,3})")
"""The value of COLUMNS that is the width of an output: from 20 to 9999. In fewer columns words would be lost."""


def _drop_unknown_width() -> None:
    """Where COLUMNS is no usable width, such as 0, the width is not known: 80."""
    if (width := os.environ.get("COLUMNS")) and not _WIDTH.fullmatch(width):
        os.environ["COLUMNS"] = "80"


LONGEST_VALUE = 300
"""The most characters of a value that an error repeats whole."""

_LONG = re.compile(rf"[^\s'\"]{{{LONGEST_VALUE + 1},}}")
"""A value without blanks that is too long to be repeated."""


def _shortened(value: str) -> str:
    """The beginning of a long value, and how long it is."""
    return f"{value[:60].rstrip()}… ({len(value):,} characters)"


def _print_error(sentence: str, code: int, *, args: Sequence[str] = ()) -> int:
    """Print an error; arguments that are very long are not repeated whole."""
    values = [value for arg in args for value in (arg, arg.partition("=")[2]) if len(value) > LONGEST_VALUE]
    for value in values:
        for spelling in (value, repr(value)[1:-1], value.strip()):
            sentence = sentence.replace(spelling, _shortened(value))
    words = _LONG.sub(lambda match: _shortened(match[0]), " ".join(clean(sentence).split()))
    with contextlib.suppress(OSError):
        click.echo(f"folkmoot: {words}", err=True)
    return code


def _exit_silently() -> int:
    """The reader of the output is gone: exit silently, also when Python closes its output."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ERROR


def _save_traceback() -> str:
    """Write the traceback into a file of the temporary folder; returns its path."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile(
        "w", prefix="folkmoot-error-", suffix=".txt", delete=False, encoding="utf-8"
    ) as file:
        file.write(traceback.format_exc())
    return file.name


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from importlib import metadata  # here for start-up time

        click.echo(f"folkmoot {metadata.version('folkmoot')}")
        ctx.exit()


_CONTEXT: Mapping[str, object] = {
    "help_option_names": ["-h", "--help"],
    "rich_help_config": _HELP,
}


@click.command(cls=CommandGroup, context_settings=_CONTEXT)
@click.option(
    "--store",
    type=Place(),
    help="Where records are stored: a file, or postgresql://…. Default: FOLKMOOT_STORE, folkmoot.toml, or your data folder.",
)
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def main(store: Path | str | None) -> None:  # pyright: ignore[reportUnusedParameter]
    """Structured debates among language models, on the record.

    Start with: folkmoot run "Should we build or buy?"
    """
