"""How commands and options are declared, the options that several share, exit codes, and how a workspace is opened."""

import json
import math
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypedDict, TypeVar, cast

import click
import rich_click
from click.shell_completion import CompletionItem

from folkmoot.core.brief import ASKS, COST, LOGS, ROUNDS, SEED, TOKENS, TOTAL_SECONDS, TURN_SECONDS

if TYPE_CHECKING:
    from folkmoot.app.brief.reader import ParsedBrief, Settings
    from folkmoot.app.run.dispatcher import Dispatcher
    from folkmoot.app.run.prepare import LimitOverrides, Overrides
    from folkmoot.app.run.record_reader import RecordReader
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.brief import LogMode
    from folkmoot.core.event import Entry

DONE = 0
ERROR = 1
USAGE = 2
UNDECIDED = 3
LIMIT = 4
UNREACHABLE = 5
WAITING = 6
SURVIVED = 7
INCOMPLETE = 8
STALE = 9
INTERRUPTED = 130

EXIT_CODES = """Exit codes: 0 finished, 1 error, 2 mistake in the command or brief, 3 no decision (--fail-on), 4 limit
reached, 5 provider unreachable, 6 waits for a person or a batch, 130 interrupted."""

Function = TypeVar("Function", bound=Callable[..., object])
Result = TypeVar("Result")
Store = Path | str | None


# ---- commands and their help ---------------------------------------------------------------------------------------

RARE = "More options"


class Command(rich_click.RichCommand):
    """A command whose help has one screen: options of the panel ``RARE`` are shown by ``--help-all`` alone."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        if any(getattr(param, "panel", None) == RARE for param in self.params):
            show = rich_click.RichOption(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show all options, also the rare ones.",
            )
            self.params.append(show)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help."""
        for param in self.params:
            if isinstance(param, click.Option) and getattr(param, "panel", None) == RARE:
                param.hidden = not ctx.meta.get(RARE)
        super().format_help(ctx, formatter)


class Group(Command, rich_click.RichGroup):
    """A command with others below it."""

    command_class = Command


def _show_all(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[RARE] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


def command(name: str | None = None, **more: Any) -> Callable[[Callable[..., object]], Command]:
    """A function as a command."""
    return click.command(name, cls=Command, **more)


def group(name: str | None = None, **more: Any) -> Callable[[Callable[..., object]], Group]:
    """A function as a command with others below it."""
    return click.group(name, cls=Group, **more)


def option(*names: str, **more: Any) -> Callable[[Function], Function]:
    """An option; it can be in a panel of help."""
    return click.option(*names, cls=rich_click.RichOption, **more)


def rare(*names: str, **more: Any) -> Callable[[Function], Function]:
    """An option that only ``--help-all`` shows."""
    return option(*names, panel=RARE, **more)


def stacked(*decorators: Callable[[Any], Any]) -> Callable[[Function], Function]:
    """Several options as one decorator, in the order of help."""

    def add(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return add


# ---- kinds of value ------------------------------------------------------------------------------------------------


class NotEmpty(click.ParamType[str]):
    """A text that is not empty: ``--pr "$NUMBER"`` of a variable that is not set shall not mean something else."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text that was typed."""
        if not value.strip():
            self.fail("it is empty", param, ctx)
        return value


class IntRange(click.IntRange):
    """A whole number within bounds."""

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> NoReturn:
        """Say what is wrong with a number."""
        raise _out_of_bounds(message, "a whole number", self, param, ctx)


class FloatRange(click.FloatRange):
    """A number within bounds. No comparison finds ``nan`` outside of them, so it is refused by name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was typed."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number

    def fail(self, message: str, param: click.Parameter | None = None, ctx: click.Context | None = None) -> NoReturn:
        """Say what is wrong with a number."""
        raise _out_of_bounds(message, "a number", self, param, ctx)


def _out_of_bounds(
    message: str,
    kind: str,
    bounds: click.IntRange | click.FloatRange,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> click.UsageError:
    """Click's "21 is not in the range 0<=x<=20." in the words of the other entrances."""
    name, typed = max(param.opts, key=len) if param else "it", message.partition(" is not ")[0]
    if " is not in " not in message:
        return click.UsageError(f"{name} is {typed}; it must be {kind}", ctx)
    limit = f"at least {bounds.min:,g}" if bounds.max is None else f"from {bounds.min:,g} to {bounds.max:,.12g}"
    return click.UsageError(f"{name} must be {limit}, not {typed}", ctx)


class Place(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """Where records are kept: the path of a file, or the address of a database."""

    name = "place"

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """A path, or the address of a database as it was typed."""
        from folkmoot.app.plan.settings import read_where

        if isinstance(value, str) and isinstance(location := read_where(value), str):
            return location
        return click.Path(dir_okay=False, path_type=Path).convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Offer files."""
        return click.Path(dir_okay=False).shell_complete(ctx, param, incomplete)


FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def complete_debate(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of debates that a shell offers, with their names; none where there is no store to read."""
    from folkmoot.app.run.record_reader import list_query
    from folkmoot.core.errors import FolkmootError

    async def read() -> list[CompletionItem]:
        async with open_records(ctx.params.get("store")) as reader:
            listed = (await reader.page(list_query(prefix=incomplete, helpers=True))).debates
        return [CompletionItem(item.debate, help=item.topic) for item in listed]

    try:
        return run_command(read())
    except FolkmootError:
        return []


def complete_names(key: Literal["protocol", "strategy"]) -> Callable[..., list[str]]:
    """The names of protocols or of strategies that a shell offers."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
        from folkmoot.app.brief.types import HEADER

        choices = next(known.choices for known in HEADER if known.name == key)
        return [name for name in choices if name.startswith(incomplete)]

    return complete


# ---- options that several commands share ---------------------------------------------------------------------------

debate_argument = click.argument("debate", shell_complete=complete_debate)
debates_argument = click.argument("debates", nargs=-1, metavar="[DEBATE]...", shell_complete=complete_debate)
store_option = option("--store", type=Place(), help="Where records are: a file, or postgresql://….")
json_option = option("--json", "as_json", is_flag=True, help="Print JSON.")
yes_option = option("-y", "--yes", is_flag=True, help="Do not ask.")


class LimitOptions(TypedDict):
    """The limits as the user typed them."""

    budget: float | None
    max_tokens: int | None
    max_questions: int | None
    turn_seconds: float | None
    total_seconds: float | None


class OutputOptions(TypedDict):
    """How a debate is shown, as the user typed it."""

    mode: str | None
    full: bool
    out: Path
    no_report: bool
    log: "LogMode | None"
    fail_on: str | None
    no_input: bool


class SettingOptions(TypedDict):
    """What replaces settings of the brief, as the user typed it."""

    model: tuple[str, ...]
    protocol: str | None
    rounds: int | None
    settings: tuple[str, ...]
    strategy: str | None
    topology: str | None
    seed: int | None


class BriefOptions(SettingOptions):
    """What also fills in what a new brief leaves open."""

    preset: str | None
    participants: Literal["builtin", "new"] | None


class HalfPriceOptions(TypedDict):
    """Whether models are asked in providers' batches, as the user typed it."""

    half_price: bool
    or_live: bool
    wait: bool


setting_options = stacked(
    option("-m", "--model", multiple=True, metavar="MODEL", help="Who answers, as provider:name; several take turns."),
    option("--protocol", metavar="NAME", shell_complete=complete_names("protocol"), help="How they debate: panel, council, arena …"),
    option("--rounds", type=IntRange(*ROUNDS), metavar="N", help="Maximum number of rounds."),
    option("--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other setting of a brief's header."),
    rare("--strategy", metavar="NAME", shell_complete=complete_names("strategy"), help="How to decide: majority, weighted, borda …"),
    rare("--topology", metavar="NAME", help="Who criticises whom in an arena: ring, star, all-to-all …"),
    rare("--seed", type=IntRange(*SEED), metavar="N", help="Random seed."),
)  # fmt: skip

brief_options = stacked(
    setting_options,
    option("--preset", type=NotEmpty(), metavar="NAME", help="Settings from folkmoot.toml: folkmoot config presets."),
    rare("--participants", type=click.Choice(["builtin", "new"]), help="Without participants: built-in or new ones."),
)

limit_options = stacked(
    option("--budget", type=FloatRange(*COST), metavar="USD", help="Maximum cost, in US dollars."),
    rare("--max-tokens", type=IntRange(*TOKENS), metavar="N", help="Maximum number of tokens."),
    rare("--max-questions", type=IntRange(*ASKS), metavar="N", help="Maximum number of questions to participants."),
    rare("--turn-seconds", type=FloatRange(*TURN_SECONDS), metavar="SECONDS", help="Time limit for one answer."),
    rare("--total-seconds", type=FloatRange(*TOTAL_SECONDS), metavar="SECONDS", help="Time limit for all of it."),
)

output_options = stacked(
    option("-v", "--full", is_flag=True, help="Show every answer in full."),
    option("-q", "--quiet", "mode", flag_value="quiet", help="Show only the outcome."),
    option("--json", "mode", flag_value="json", help="Print the record as JSON lines."),
    option("-o", "--out", type=FOLDER, default=Path("debates"), help="The folder for the report. Default: ./debates."),
    rare("--plain", "mode", flag_value="plain", help="Show plain lines, as without a terminal."),
    rare("--log", type=click.Choice(LOGS), metavar="LOG", help=f"Save a log beside the report: {', '.join(LOGS)}."),
    rare("--no-report", is_flag=True, help="Do not save a report."),
    rare("--no-input", is_flag=True, help="Do not ask people here; they use folkmoot answer."),
    rare("--fail-on", type=click.Choice(["no-decision"]), help="Exit with code 3 if there is no decision."),
)

_half_price = stacked(
    option("--batch", "half_price", is_flag=True, help="Ask in providers' batches, at half the price. Takes hours."),
    rare("--no-wait", "wait", flag_value=False, default=True, help="With --batch: send the calls and end."),
    rare("--or-live", is_flag=True, help="With --batch: ask live what a provider had no time for."),
)


def half_price_options(function: Function) -> Function:
    """``--batch``, and what goes with it alone."""

    @wraps(function)
    def checked(*values: object, **options: object) -> object:
        if not options["half_price"] and (options["or_live"] or not options["wait"]):
            raise click.UsageError(f"{'--or-live' if options['or_live'] else '--no-wait'} goes with --batch.")
        return function(*values, **options)

    return cast(Function, _half_price(checked))


def code_of(status: str, kind: str, *, fail_on: str = "") -> int:
    """The exit code of a debate.

    Args:
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, ``error`` or ``paused``.
        kind: with ``paused``, why.
        fail_on: ``no-decision`` where a debate without a decision counts as a failure.
    """
    match status, kind:
        case "paused", "limit":
            return LIMIT
        case "paused", "unavailable":
            return UNREACHABLE
        case "paused", "stopped":
            return INTERRUPTED
        case "paused", "waiting" | "batch":
            return WAITING
        case "paused" | "failed" | "error", _:
            return ERROR
        case "tie" | "no_decision", _ if fail_on:
            return UNDECIDED
        case _:
            return DONE


def limits_of(options: LimitOptions) -> "LimitOverrides":
    """The typed limits as an object."""
    from folkmoot.app.run.prepare import LimitOverrides

    return LimitOverrides(
        asks=options["max_questions"],
        tokens=options["max_tokens"],
        cost=options["budget"],
        turn_seconds=options["turn_seconds"],
        total_seconds=options["total_seconds"],
    )


def overrides_of(
    options: SettingOptions,
    limits: LimitOptions | None = None,
    *,
    participants: Literal["builtin", "new"] | None = None,
) -> "Overrides":
    """The typed settings as an object; models with NAME= are left out, for commands that take them."""
    from folkmoot.app.run.prepare import LimitOverrides, Overrides

    return Overrides(
        models=tuple(text for text in options["model"] if not _participant_of(text)),
        protocol=options["protocol"] or "",
        rounds=options["rounds"],
        strategy=options["strategy"] or "",
        topology=options["topology"] or "",
        seed=options["seed"],
        cast=participants or "",
        caps=limits_of(limits) if limits else LimitOverrides(),
    )


def _participant_of(text: str) -> str:
    """Whose model ``NAME=provider:model`` is; "" for ``provider:model``, in which a = may stand, too."""
    name, equals, _ = text.partition("=")
    return name.strip() if equals and ":" not in name else ""


def brief_overrides(options: BriefOptions, limits: LimitOptions | None = None) -> "Overrides":
    """The typed settings of a brief that is yet to be run."""
    for text in options["model"]:
        if name := _participant_of(text):
            rest = text.partition("=")[2]
            hint = f"for one participant, write model: {rest} below ## {name} in the brief"
            raise click.UsageError(f"-m takes a model without NAME= here, not {text!r}; {hint}.")
    return overrides_of(options, limits, participants=options["participants"])


def models_by_name(typed: tuple[str, ...]) -> dict[str, str]:
    """Who answers, by the participant's name; under "" for all others."""
    models: dict[str, str] = {}
    for text in typed:
        name = _participant_of(text)
        if name in models:
            raise click.UsageError(f"--model is given twice for {name or 'all'}; write NAME=provider:model for one.")
        models[name] = text.partition("=")[2] if name else text
    return models


def read_input(words: str, settings: tuple[str, ...] = (), preset: str | None = None) -> "ParsedBrief":
    """Read the brief that was typed: a file, a question, or ``-`` for standard input.

    The settings of ``--set`` and the preset hold in the place of the brief's own.
    """
    from folkmoot.app.brief.reader import read_stream, read_words

    changed = settings_of(settings, preset)
    return read_stream(sys.stdin.buffer, changed) if words == "-" else read_words(words, settings=changed)


def settings_of(settings: tuple[str, ...], preset: str | None = None) -> "Settings":
    """The settings of ``--set``, and that of ``--preset``."""
    from folkmoot.app.brief.reader import read_settings
    from folkmoot.app.brief.values import LocatedValue

    chosen = {"preset": LocatedValue(value=preset, line=0)} if preset else {}
    return {**read_settings(settings, where="--set"), **chosen}


def echo_json(data: object) -> None:
    """Print plain data as JSON."""
    click.echo(json.dumps(data, ensure_ascii=False, indent=2))


def note(sentence: str) -> None:
    """Say a sentence on standard error."""
    click.echo(f"folkmoot: {sentence}", err=True)


# ---- workspaces ----------------------------------------------------------------------------------------------------


def run_command(work: Coroutine[object, object, Result]) -> Result:
    """Run a command's coroutine and return its result."""
    try:
        import asyncio  # here for start-up time: help needs no event loop

        return asyncio.run(work)
    finally:
        work.close()  # an early Ctrl-C leaves it unused


def store_path(own: Store = None) -> Path | str:
    """Where records are stored: the command's ``--store``, else that of a command above it, else the settings."""
    from folkmoot.app.plan.settings import default_store, load_config

    context = click.get_current_context(silent=True)
    while context and not own:
        own, context = context.params.get("store"), context.parent
    return own or load_config().store or default_store()


@asynccontextmanager
async def open_for_running(store: Store) -> "AsyncGenerator[Workspace]":
    """Open the workspace for a command that runs debates, with telemetry where the environment asks for it."""
    from folkmoot.app.plan.settings import wants_telemetry

    async with open_workspace(store) as workspace:
        if wants_telemetry():
            from folkmoot.app.export.telemetry import attach_telemetry

            attach_telemetry(workspace)
        yield workspace


@asynccontextmanager
async def open_records(store: Store) -> "AsyncGenerator[RecordReader]":
    """Open the records for a command that only reads them; nothing of what runs debates is loaded."""
    from folkmoot.app.run.record_reader import RecordReader

    reader = RecordReader.at(store_path(store), reading=True)
    try:
        yield reader
    finally:
        await reader.close()


@asynccontextmanager
async def open_workspace(
    store: Store, *, reading: bool = False, must_exist: bool = False
) -> "AsyncGenerator[Workspace]":
    """Open the workspace over a store, with the queue of the workers that share it; both are closed at the end.

    With ``reading`` the store is only read: no file is created, and a read-only file is enough.
    """
    from folkmoot.app.plan.settings import is_address, is_there, show_where
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.core.errors import RecordError

    location = store_path(store)
    if must_exist and not is_there(location):
        raise RecordError(f"There are no records yet at {show_where(location)}.")
    workspace = Workspace.at(location, reading=reading)
    if is_address(location):
        from folkmoot.workers.job_queue import open_queue

        workspace.queue = open_queue(workspace.store)
    try:
        yield workspace
    finally:
        await workspace.close()


@asynccontextmanager
async def open_queue(store: Store) -> "AsyncGenerator[tuple[Workspace, Dispatcher]]":
    """Open the workspace for a command that needs a queue.

    Raises:
        FolkmootError: the store has no queue.
    """
    from folkmoot.workers.job_queue import check_queue

    check_queue(str(store_path(store)))
    async with open_workspace(store) as workspace:
        assert workspace.queue is not None
        yield workspace, workspace.queue


@asynccontextmanager
async def open_memory(store: Store) -> "AsyncGenerator[Workspace]":
    """Open the workspace to read the memory; say on standard error what the memory still lacks."""
    from folkmoot.app.plan.learning import missing_lessons

    async with open_workspace(store, reading=True, must_exist=True) as workspace:
        if missing := await missing_lessons(workspace.store):
            note(missing)
        yield workspace


async def warn_of_changes(debate: str, entries: "Sequence[Entry]") -> list[str]:
    """Say on standard error where documents of a debate are in this folder and have changed since; what was said."""
    from folkmoot.app.brief.document_states import DocumentWatch
    from folkmoot.app.run.outcome import opening

    opened = opening(debate, entries)
    warnings = await DocumentWatch(Path()).warnings(debate, opened.brief, opened.place)
    for warning in warnings:
        note(warning)
    return warnings


def unwritable(file: Path) -> str:
    """Why a file cannot be written; "" where it seems that it can."""
    if not file.parent.is_dir():
        return "there is no such folder"
    return "" if os.access(file if file.exists() else file.parent, os.W_OK) else "permission denied"


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file that was asked for, whole or not at all; never over one that is no output of Folkmoot's."""
    from folkmoot.app.export.reports import check_target, save

    check_target(path)
    try:
        save(path, content)
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written: {error.strerror or error}") from error
