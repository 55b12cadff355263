"""Options that several commands share, exit codes, and how a command opens its workspace."""

import math
import os
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, TypeVar, cast

import click
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


class NotEmpty(click.ParamType[str]):
    """A text that is not empty: ``--pr "$NUMBER"`` of a variable that is not set shall not mean something else."""

    name = "text"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text that was typed."""
        if not value.strip():
            self.fail("it is empty", param, ctx)
        return value


class FloatRange(click.FloatRange):
    """A number within bounds. No comparison finds ``nan`` outside of them, so it is refused by name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number that was typed."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid float range", param, ctx)
        return number


MEANINGS = """Exit codes: 0 finished, also with a tie or without a decision; 1 an error, or nobody answered; 2 a mistake
in the command or the brief; 3 no decision (only with --fail-on no-decision); 4 paused because a limit was reached;
5 paused because no provider could be reached; 6 paused because a person has to answer, or a provider's batch has to
end; 130 interrupted. With folkmoot review also: 7 a finding of the severity of --fail-on survived; 8 the review is
incomplete (not with --lenient). With folkmoot stale: 9 what a debate was about has changed."""


def code_of(status: str, kind: str, *, fail_on: str = "") -> int:
    """The exit code of a debate.

    Args:
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, ``error`` or ``paused``.
        kind: with ``paused``, why.
        fail_on: ``no-decision`` where a debate without a decision counts as a failure.
    """
    match status:
        case "paused":
            codes = {
                "limit": LIMIT,
                "unavailable": UNREACHABLE,
                "stopped": INTERRUPTED,
                **dict.fromkeys(("waiting", "batch"), WAITING),
            }
            return codes.get(kind, ERROR)
        case "failed" | "error":
            return ERROR
        case "tie" | "no_decision" if fail_on:
            return UNDECIDED
        case _:
            return DONE


Command = TypeVar("Command", bound=Callable[..., object])
Result = TypeVar("Result")


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
    out: Path
    no_report: bool
    log: "LogMode | None"
    fail_on: str | None
    no_input: bool


class OverrideOptions(TypedDict):
    """What replaces settings of the brief, as the user typed it."""

    model: tuple[str, ...]
    preset: str | None
    protocol: str | None
    rounds: int | None
    strategy: str | None
    topology: str | None
    seed: int | None
    participants: Literal["builtin", "new"] | None


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


def store_option(command: Command) -> Command:
    """``--store``, after a command as well as before it."""
    return click.option("--store", type=Place(), help="Where records are stored: a file, or postgresql://….")(command)


class HalfPriceOptions(TypedDict):
    """Whether models are asked in providers' batches, as the user typed it."""

    half_price: bool
    or_live: bool
    wait: bool


def half_price_options(command: Command) -> Command:
    """``--batch``, ``--or-live`` and ``--no-wait``."""
    half = "Ask models of OpenAI and Anthropic in batches, at half the price. Each round can take up to 24 hours."
    wait = "With --batch: send the calls and end. Repeat the command later to go on."
    live = "With --batch: ask live, at the full price, what a provider had no time for in two batches."
    for option in (
        click.option("--or-live", is_flag=True, help=live),
        click.option("--no-wait", "wait", flag_value=False, default=True, help=wait),
        click.option("--batch", "half_price", is_flag=True, help=half),
    ):
        command = option(command)
    return _refuse_without_batch(command)


def _refuse_without_batch(command: Command) -> Command:
    """Refuse ``--no-wait`` and ``--or-live`` where nothing is asked in batches."""

    @wraps(command)
    def checked(*values: object, **options: object) -> object:
        if not options["half_price"] and (options["or_live"] or not options["wait"]):
            raise click.UsageError(f"{'--or-live' if options['or_live'] else '--no-wait'} goes with --batch.")
        return command(*values, **options)

    return cast(Command, checked)


def set_option(command: Command) -> Command:
    """``--set``: any setting of a brief's header."""
    help_ = "A setting of the brief's header, such as turn_mode=random. Can be repeated."
    return click.option("--set", "settings", multiple=True, metavar="KEY=VALUE", help=help_)(command)


def limit_options(command: Command) -> Command:
    """The limits of a debate."""
    cost, tokens, asks = FloatRange(*COST), click.IntRange(*TOKENS), click.IntRange(*ASKS)
    turn, total = FloatRange(*TURN_SECONDS), FloatRange(*TOTAL_SECONDS)
    for option in (
        click.option("--total-seconds", type=total, metavar="SECONDS", help="Time limit for the whole debate."),
        click.option("--turn-seconds", type=turn, metavar="SECONDS", help="Time limit for one answer."),
        click.option(
            "--max-questions",
            type=asks,
            metavar="N",
            help="Maximum number of questions to participants in the whole debate.",
        ),
        click.option("--max-tokens", type=tokens, metavar="N", help="Maximum number of tokens in the whole debate."),
        click.option("--budget", type=cost, metavar="USD", help="Maximum cost of the whole debate, in US dollars."),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """How a debate is shown, and where its report is saved."""
    folder = click.Path(file_okay=False, path_type=Path)
    for option in (
        click.option("--no-input", is_flag=True, help="Do not ask people here. They answer with folkmoot answer."),
        click.option("--fail-on", type=click.Choice(["no-decision"]), help="Exit with code 3 if there is no decision."),
        click.option("--no-report", is_flag=True, help="Do not save a report."),
        click.option(
            "--log", type=click.Choice(LOGS), help="Save a log beside the report. Default: what the brief says."
        ),
        click.option(
            "-o", "--out", type=folder, default=Path("debates"), help="The folder for the report. Default: ./debates."
        ),
        click.option("--quiet", "mode", flag_value="quiet", help="Show only the outcome."),
        click.option("--plain", "mode", flag_value="plain", help="Show plain lines, as without a terminal."),
        click.option("--json", "mode", flag_value="json", help="Print the entries of the record as JSON lines."),
    ):
        command = option(command)
    return command


def override_options(command: Command) -> Command:
    """The settings that replace those of the brief."""
    for option in (
        click.option(
            "--participants",
            type=click.Choice(["builtin", "new"]),
            help="If the brief names no participants: use built-in ones, or generate new ones.",
        ),
        click.option("--seed", type=click.IntRange(*SEED), metavar="N", help="Random seed."),
        click.option("--topology", metavar="NAME", help="Who criticises whom: ring, star, all-to-all …"),
        click.option(
            "--strategy", metavar="NAME", help="How the debate is decided: majority, weighted, supermajority …"
        ),
        click.option("--rounds", type=click.IntRange(*ROUNDS), metavar="N", help="Maximum number of rounds."),
        click.option(
            "--protocol", metavar="NAME", help="The protocol: panel, council, arena, moderated, round_robin …"
        ),
        click.option(
            "--preset",
            type=NotEmpty(),
            metavar="NAME",
            help="A named set of settings that fills in what the brief leaves open.",
        ),
        click.option(
            "-m",
            "--model",
            multiple=True,
            metavar="PROVIDER:NAME",
            help="The model that answers. Give several to assign them in turn.",
        ),
    ):
        command = option(command)
    return command


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


def run_command(work: Coroutine[object, object, Result]) -> Result:
    """Run a command's coroutine and return its result."""
    try:
        import asyncio  # here for start-up time: help needs no event loop

        return asyncio.run(work)
    finally:
        work.close()  # an early Ctrl-C leaves it unused


def overrides_of(options: OverrideOptions, caps: LimitOptions) -> "Overrides":
    """The typed settings as an object."""
    from folkmoot.app.run.prepare import Overrides

    for model in options["model"]:
        name, equals, rest = model.partition("=")
        if equals and ":" not in name:
            hint = f"for one participant, write model: {rest} below ## {name} in the brief"
            raise click.UsageError(f"-m takes a model without NAME= here, not {model!r}; {hint}.")
    return Overrides(
        models=options["model"],
        protocol=options["protocol"] or "",
        rounds=options["rounds"],
        strategy=options["strategy"] or "",
        topology=options["topology"] or "",
        seed=options["seed"],
        cast=options["participants"] or "",
        caps=limits_of(caps),
    )


def read_input(words: str, settings: tuple[str, ...] = (), preset: str | None = None) -> "ParsedBrief":
    """Read the brief that was typed: a file, a question, or ``-`` for standard input.

    The settings of ``--set`` and the preset hold in the place of the brief's own.
    """
    from folkmoot.app.brief.reader import read_stream, read_words

    changed = settings_of(settings, preset)
    return read_stream(sys.stdin.buffer, changed) if words == "-" else read_words(words, settings=changed)


def settings_of(settings: tuple[str, ...], preset: str | None) -> "Settings":
    """The settings of ``--set``, and that of ``--preset``."""
    from folkmoot.app.brief.reader import read_settings
    from folkmoot.app.brief.values import LocatedValue

    chosen = {"preset": LocatedValue(value=preset, line=0)} if preset else {}
    return {**read_settings(settings, where="--set"), **chosen}


def unwritable(file: Path) -> str:
    """Why a file cannot be written; "" where it seems that it can."""
    if not file.parent.is_dir():
        return "there is no such folder"
    return "" if os.access(file if file.exists() else file.parent, os.W_OK) else "permission denied"


def store_path(own: Path | str | None = None) -> Path | str:
    """Where records are stored: the command's ``--store``, else ``folkmoot --store``, else the settings."""
    from folkmoot.app.plan.settings import default_store, load_config

    context = click.get_current_context(silent=True)
    above = context.find_root().params.get("store") if context else None
    return own or above or load_config().store or default_store()


@asynccontextmanager
async def open_for_running(store: Path | str | None) -> "AsyncGenerator[Workspace]":
    """Open the workspace for a command that runs debates, with telemetry where the environment asks for it."""
    from folkmoot.app.plan.settings import wants_telemetry

    async with open_workspace(store) as workspace:
        if wants_telemetry():
            from folkmoot.app.export.telemetry import attach_telemetry

            attach_telemetry(workspace)
        yield workspace


@asynccontextmanager
async def open_records(store: Path | str | None) -> "AsyncGenerator[RecordReader]":
    """Open the records for a command that only reads them; nothing of what runs debates is loaded."""
    from folkmoot.app.run.record_reader import RecordReader

    reader = RecordReader.at(store_path(store), reading=True)
    try:
        yield reader
    finally:
        await reader.close()


@asynccontextmanager
async def open_workspace(store: Path | str | None, *, reading: bool = False) -> "AsyncGenerator[Workspace]":
    """Open the workspace over a store, with the queue of the workers that share it; both are closed at the end.

    With ``reading`` the store is only read: no file is created, and a read-only file is enough.
    """
    from folkmoot.app.plan.settings import is_address
    from folkmoot.app.run.workspace import Workspace

    location = store_path(store)
    workspace = Workspace.at(location, reading=reading)
    if is_address(location):
        from folkmoot.workers.job_queue import find_queue

        workspace.queue = find_queue(workspace.store)
    try:
        yield workspace
    finally:
        await workspace.close()


@asynccontextmanager
async def open_queue(store: Path | str | None) -> "AsyncGenerator[tuple[Workspace, Dispatcher]]":
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
async def open_memory(store: Path | str | None) -> "AsyncGenerator[Workspace]":
    """Open the workspace to read the memory; say on standard error what the memory still lacks."""
    from folkmoot.app.plan.learning import missing_lessons
    from folkmoot.app.plan.settings import is_there, show_where
    from folkmoot.core.errors import RecordError

    if not is_there(location := store_path(store)):
        raise RecordError(f"There are no records yet at {show_where(location)}.")
    async with open_workspace(store, reading=True) as workspace:
        if missing := await missing_lessons(workspace.store):
            click.echo(f"folkmoot: {missing}", err=True)
        yield workspace


def complete_debate(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids of debates that a shell offers; none where there is no store to read."""
    from folkmoot.app.run.record_reader import list_query
    from folkmoot.core.errors import FolkmootError

    async def read() -> list[CompletionItem]:
        async with open_records(ctx.params.get("store") or ctx.find_root().params.get("store")) as reader:
            listed = (await reader.page(list_query(prefix=incomplete, helpers=True))).debates
        return [CompletionItem(item.debate, help=item.topic) for item in listed]

    try:
        return run_command(read())
    except FolkmootError:
        return []


async def warn_of_changes(debate: str, entries: "Sequence[Entry]") -> list[str]:
    """Say on standard error where documents of a debate are in this folder and have changed since; what was said."""
    from folkmoot.app.brief.document_states import DocumentWatch
    from folkmoot.app.run.outcome import opening

    opened = opening(debate, entries)
    warnings = await DocumentWatch(Path()).warnings(debate, opened.brief, opened.place)
    for warning in warnings:
        click.echo(f"folkmoot: {warning}", err=True)
    return warnings
