"""Exit codes. This file owns which there are and what each means.

Options that several commands share. This file owns their names, their checks and their words.
"""

import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, TypeVar

import click
from click.shell_completion import CompletionItem

if TYPE_CHECKING:
    from moot.app.brief.reader import Intake
    from moot.app.run.dispatcher import Dispatcher
    from moot.app.run.prepare import LimitWishes, Wishes
    from moot.app.run.workspace import Workspace
    from moot.report.logs import Mode

DONE = 0
ERROR = 1
USAGE = 2
UNDECIDED = 3
LIMIT = 4
UNREACHABLE = 5
WAITING = 6
INTERRUPTED = 130

MEANINGS = """Exit codes: 0 done, also with a tie or without a decision; 1 an error, or nobody answered; 2 a mistake in
the command or the brief; 3 no decision, only with --fail-on no-decision; 4 paused by a limit; 5 paused because no
provider could be reached; 6 paused because a person has to answer; 130 interrupted."""


def code_of(status: str, kind: str, *, fail_on: str = "") -> int:
    """The exit code of a debate.

    Args:
        status: ``decided``, ``tie``, ``no_decision``, ``failed``, ``error`` or ``paused``.
        kind: with ``paused``, why.
        fail_on: ``no-decision`` where a debate without one shall count as a failure.
    """
    match status:
        case "paused":
            codes = {"limit": LIMIT, "unavailable": UNREACHABLE, "waiting": WAITING, "stopped": INTERRUPTED}
            return codes.get(kind, ERROR)
        case "failed" | "error":
            return ERROR
        case "tie" | "no_decision" if fail_on:
            return UNDECIDED
        case _:
            return DONE


Command = TypeVar("Command", bound=Callable[..., object])
Result = TypeVar("Result")


LOGS = ("full_markdown", "summary_only", "json_log", "verbose", "visual_tree")
"""The forms of a log; here in words, because help needs no desk."""


class CapOptions(TypedDict):
    """The limits as they were typed."""

    budget: float | None
    max_tokens: int | None
    max_asks: int | None
    turn_seconds: float | None
    total_seconds: float | None


class OutputOptions(TypedDict):
    """How a debate is shown, as it was typed."""

    mode: str | None
    out: Path
    no_report: bool
    log: "Mode | None"
    fail_on: str | None
    away: bool


class WishOptions(TypedDict):
    """What was wished otherwise, as it was typed."""

    model: tuple[str, ...]
    protocol: str | None
    rounds: int | None
    strategy: str | None
    topology: str | None
    seed: int | None
    cast: Literal["builtin", "new"] | None


class Place(click.ParamType):  # pyright: ignore[reportMissingTypeArgument]
    """Where records are kept: the path of a file, or the address of a database."""

    name = "place"

    def convert(self, value: str | Path, param: click.Parameter | None, ctx: click.Context | None) -> Path | str:
        """A path, or an address as it was typed."""
        from moot.app.plan.stores import read_where

        if isinstance(value, str) and isinstance(place := read_where(value), str):
            return place
        return click.Path(dir_okay=False, path_type=Path).convert(value, param, ctx)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Files, as far as a shell can offer anything."""
        return click.Path(dir_okay=False).shell_complete(ctx, param, incomplete)


def store_option(command: Command) -> Command:
    """``--store``, behind a command as well as before it."""
    return click.option("--store", type=Place(), help="The record: a file, or postgresql://….")(command)


def limit_options(command: Command) -> Command:
    """What a debate may use."""
    above = click.FloatRange(min=0, min_open=True)
    for option in (
        click.option("--total-seconds", type=above, metavar="S", help="Time for the whole debate."),
        click.option("--turn-seconds", type=above, metavar="S", help="Time for one answer."),
        click.option("--max-asks", type=click.IntRange(min=1), metavar="N", help="Questions put, all in all."),
        click.option("--max-tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of the whole debate."),
        click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="US dollars, all in all."),
    ):
        command = option(command)
    return command


def output_options(command: Command) -> Command:
    """How a debate is shown, and where its report goes."""
    folder = click.Path(file_okay=False, path_type=Path)
    for option in (
        click.option("--away", is_flag=True, help="Ask people by moot answer, not here."),
        click.option("--fail-on", type=click.Choice(["no-decision"]), help="Exit with 3 where there is no decision."),
        click.option("--no-report", is_flag=True, help="Save no report."),
        click.option("--log", type=click.Choice(LOGS), help="Save a log beside the report; else as the brief says."),
        click.option(
            "-o", "--out", type=folder, default=Path("debates"), help="The folder of the report; else ./debates."
        ),
        click.option("--quiet", "mode", flag_value="quiet", help="Only the outcome."),
        click.option("--plain", "mode", flag_value="plain", help="Plain lines, as where the output is no terminal."),
        click.option("--json", "mode", flag_value="json", help="The entries of the record as JSON lines."),
    ):
        command = option(command)
    return command


def wish_options(command: Command) -> Command:
    """What a caller wants otherwise than the brief says."""
    for option in (
        click.option(
            "--cast",
            type=click.Choice(["builtin", "new"]),
            help="Where the brief describes nobody: built-in participants, or newly made ones.",
        ),
        click.option("--seed", type=click.IntRange(min=0), metavar="N", help="What all chance is drawn from."),
        click.option("--topology", metavar="WORD", help="Who criticises whom: ring, star, all-to-all …"),
        click.option("--strategy", metavar="WORD", help="How it is decided: majority, weighted, supermajority …"),
        click.option("--rounds", type=click.IntRange(0, 20), metavar="N", help="The greatest number of rounds."),
        click.option("--protocol", metavar="NAME", help="panel, council, arena, moderated, round_robin …"),
        click.option(
            "-m", "--model", multiple=True, metavar="PROVIDER:NAME", help="Who answers; several are taken in turn."
        ),
    ):
        command = option(command)
    return command


def caps_of(given: CapOptions) -> "LimitWishes":
    """The limits for the desk."""
    from moot.app.run.prepare import LimitWishes

    return LimitWishes(
        asks=given["max_asks"],
        tokens=given["max_tokens"],
        cost=given["budget"],
        turn_seconds=given["turn_seconds"],
        total_seconds=given["total_seconds"],
    )


def finish(work: Coroutine[object, object, Result]) -> Result:
    """Run a command's work to its end."""
    import asyncio  # here for start-up time: help needs no event loop

    return asyncio.run(work)


def wishes_of(given: WishOptions, caps: CapOptions) -> "Wishes":
    """What is wished otherwise, for the desk."""
    from moot.app.run.prepare import Wishes

    return Wishes(
        models=given["model"],
        protocol=given["protocol"] or "",
        rounds=given["rounds"],
        strategy=given["strategy"] or "",
        topology=given["topology"] or "",
        seed=given["seed"],
        cast=given["cast"] or "",
        caps=caps_of(caps),
    )


def read_input(words: str) -> "Intake":
    """The brief behind what was typed: a file, a question, or ``-`` for standard input."""
    from moot.app.brief.reader import read_stream, read_words

    return read_stream(sys.stdin.buffer) if words == "-" else read_words(words)


def store_path(own: Path | str | None = None) -> Path | str:
    """Where the record is: as the command says, else ``moot --store``, else the owner."""
    from moot.app.plan.settings import default_store, load_config

    context = click.get_current_context(silent=True)
    above = context.find_root().params.get("store") if context else None
    return own or above or load_config().store or default_store()


@asynccontextmanager
async def open_stage(store: Path | str | None) -> "AsyncGenerator[Workspace]":
    """The desk, for a command that holds debates: they are observed where the environment wants it."""
    from moot.app.plan.settings import wants_telemetry

    async with open_workspace(store) as workspace:
        if wants_telemetry():
            from moot.app.export.telemetry import attend

            attend(workspace)
        yield workspace


@asynccontextmanager
async def open_workspace(store: Path | str | None, *, reading: bool = False) -> "AsyncGenerator[Workspace]":
    """The desk over the record, with the queue of the workers that share it; both are closed in the end.

    With ``reading`` the record is only read: no file is made, and one that cannot be written will do.
    """
    from moot.app.plan.stores import is_address
    from moot.app.run.workspace import Workspace

    place = store_path(store)
    workspace = Workspace.at(place, reading=reading)
    if is_address(place):
        from moot.workers.job_queue import find_queue

        workspace.queue = find_queue(str(place))
    try:
        yield workspace
    finally:
        await workspace.close()


@asynccontextmanager
async def queue_at(store: Path | str | None) -> "AsyncGenerator[tuple[Workspace, Dispatcher]]":
    """The same, for a command that is nothing without a queue."""
    from moot.workers.job_queue import check_queue

    check_queue(str(store_path(store)))
    async with open_workspace(store) as workspace:
        assert workspace.queue is not None
        yield workspace, workspace.queue


@asynccontextmanager
async def open_memory(store: Path | str | None) -> "AsyncGenerator[Workspace]":
    """The same, to look at what was learned; what that lacks is told beside what is shown."""
    from moot.app.plan.learning import lacks
    from moot.app.plan.stores import is_there, show_where
    from moot.core.errors import RecordError

    if not is_there(place := store_path(store)):
        raise RecordError(f"There is no record yet at {show_where(place)}.")
    async with open_workspace(store, reading=True) as workspace:
        if missing := await lacks(workspace.store):
            click.echo(f"moot: {missing}", err=True)
        yield workspace


def complete_debate(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ids that a shell offers; none where there is no record to read."""
    from moot.core.errors import MootError

    async def read() -> list[CompletionItem]:
        async with open_workspace(
            ctx.params.get("store") or ctx.find_root().params.get("store"), reading=True
        ) as workspace:
            listed = await workspace.list()
        return [CompletionItem(each.debate, help=each.topic) for each in listed if each.debate.startswith(incomplete)]

    try:
        return finish(read())
    except MootError:
        return []
