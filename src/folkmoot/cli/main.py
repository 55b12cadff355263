"""The command ``folkmoot``: its table of commands, and how every error becomes one sentence and an exit code."""

import contextlib
import errno
import os
import re
import shlex
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module, metadata
from pathlib import Path

import click
import rich_click

from folkmoot.cli.options import ERROR, INTERRUPTED, USAGE, Command, Place
from folkmoot.core.errors import BriefError, FolkmootError, PackageMissing, ProtocolError
from folkmoot.core.packages import missing_module
from folkmoot.core.text import clean, closest

COMMANDS: Mapping[str, tuple[str, str]] = {
    "run": ("Debate", "run:run"),
    "resume": ("Debate", "run:resume"),
    "again": ("Debate", "run:again"),
    "fork": ("Debate", "run:fork"),
    "answer": ("Debate", "answer:answer"),
    "say": ("Debate", "answer:say"),
    "review": ("Debate", "review_changes:review"),
    "eval": ("Debate", "evaluate:evaluate"),
    "batch": ("Debate", "batch:batch"),
    "list": ("Read", "records:list_"),
    "show": ("Read", "show:show"),
    "report": ("Read", "show:report"),
    "diff": ("Read", "show:diff"),
    "verify": ("Read", "verify:verify"),
    "learn": ("Read", "learn:learn"),
    "standings": ("Read", "standings:standings"),
    "new": ("Set up", "check:new"),
    "check": ("Set up", "check:check"),
    "models": ("Set up", "check:models"),
    "config": ("Set up", "config:config"),
    "store": ("Set up", "records:store"),
    "serve": ("Serve", "serve:serve"),
    "mcp": ("Serve", "serve:mcp"),
    "worker": ("Serve", "worker:worker"),
}
"""Each command with its heading in help, and where it is defined: its module is imported when it is used."""

UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
"""What the system says of an open output that takes nothing more."""

LONGEST = 500
"""The most characters of an error: a value that was typed may be a whole file."""

WIDTH = re.compile(r"0*([2-9][0-9]|[1-9][0-9]{2,3})")
"""The value of COLUMNS that is the width of an output: from 20 to 9999. In fewer columns words would be lost."""


class CommandGroup(Command, rich_click.RichGroup):
    """The group of all commands, and the one place that catches every error."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][1].partition(":")
        return getattr(import_module(f"folkmoot.cli.commands.{module}"), name)

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
        if (width := os.environ.get("COLUMNS")) and not WIDTH.fullmatch(width):
            os.environ["COLUMNS"] = "80"
        if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - so where it was closed at the start
            code = print_error("standard output is closed; to see no output, write it to /dev/null", ERROR)
        else:
            try:
                code = self._run(args, prog_name or "folkmoot", complete_var, extra)
            except BrokenPipeError:  # also while an error is shown
                code = _exit_silently()
            except OSError as error:
                _exit_silently()
                code = print_error(f"the output cannot be written: {error.strerror}", ERROR)
        if standalone_mode:
            sys.exit(code)
        return code

    def _run(
        self, args: Sequence[str] | None, prog_name: str, complete_var: str | None, extra: Mapping[str, object]
    ) -> int:
        try:
            try:
                code: object = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            except SystemExit as ending:  # so rich-click leaves behind the help of a command without arguments
                code = ending.code
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else prog_name
            words = error.format_message()
            return print_error(
                f"{words}{'' if words.endswith(('.', '?', '!')) else '.'} Try `{command} --help`.", USAGE
            )
        except click.ClickException as error:
            return print_error(error.format_message(), ERROR)
        except PackageMissing as error:
            return print_error(str(error), ERROR)
        except (BriefError, ProtocolError) as error:
            return print_error(str(error), USAGE)
        except FolkmootError as error:
            return print_error(str(error), ERROR)
        except (KeyboardInterrupt, click.Abort):
            return print_error("interrupted", INTERRUPTED)
        except BrokenPipeError:
            raise
        except Exception as error:
            if isinstance(error, OSError) and error.filename is None and error.errno in UNWRITABLE:
                raise
            if isinstance(error, FileNotFoundError) and not _is_somewhere():
                return print_error("the current folder has been deleted; go to another one", ERROR)
            if isinstance(error, ModuleNotFoundError) and (how := missing_module(error)):
                return print_error(how, USAGE)
            return print_error(
                f"internal error: {type(error).__name__}: {error} (details in {_save_traceback()})", ERROR
            )


def print_error(sentence: str, code: int) -> int:
    """Print an error on one line; returns the exit code."""
    words = " ".join(clean(sentence).split())
    if len(words) > LONGEST:
        words = f"{words[: LONGEST // 2]} … {words[-LONGEST // 4 :]}"
    with contextlib.suppress(OSError):
        click.echo(f"folkmoot: {words}", err=True)
    return code


def _is_somewhere() -> bool:
    """Whether the current folder is still there."""
    try:
        return bool(Path.cwd())
    except FileNotFoundError:
        return False


def _exit_silently() -> int:
    """The reader of the output is gone: exit silently, also when Python closes its output."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ERROR


def _save_traceback() -> str:
    """Write the traceback into a file of the temporary folder; returns its path."""
    import tempfile
    import traceback

    with tempfile.NamedTemporaryFile("w", prefix="folkmoot-error-", suffix=".txt", delete=False, encoding="utf-8") as f:
        f.write(traceback.format_exc())
    return f.name


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"folkmoot {metadata.version('folkmoot')}")
        ctx.exit()


HELP: Mapping[str, object] = {
    "command_groups": {
        "folkmoot": [
            {"name": heading, "commands": [name for name, (its, _) in COMMANDS.items() if its == heading]}
            for heading in dict.fromkeys(heading for heading, _ in COMMANDS.values())
        ]
    },
    # Without boxes and ranges the help of a command fits on one screen.
    "options_table_column_types": ["opt_all_metavar", "help"],
    "options_table_help_sections": ["help", "default"],
    "style_options_panel_box": "HORIZONTALS_TOP",
    "style_commands_panel_box": "HORIZONTALS_TOP",
    "default_string": "[{}]",
    "padding_usage": (0, 1),
    "padding_helptext": (0, 1, 1, 1),
    "padding_epilog": (0, 1),
    "max_width": 100,
}


@click.command(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "rich_help_config": HELP})
@click.option("--store", type=Place(), help="Where records are: a file or postgresql://…. Default: your data folder.")
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_show_version, help="Show the version."
)
def main(store: Path | str | None) -> None:  # pyright: ignore[reportUnusedParameter]
    """Structured debates among language models. Start with: folkmoot run "Should we build or buy?" """
