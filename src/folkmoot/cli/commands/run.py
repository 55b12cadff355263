"""The commands ``folkmoot run``, ``resume``, ``again`` and ``fork``: run a debate at the terminal and show how it ended."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click
import rich_click

from folkmoot.cli.options import (
    DONE,
    MEANINGS,
    LimitOptions,
    OutputOptions,
    OverrideOptions,
    code_of,
    complete_debate,
    limit_options,
    limits_of,
    open_for_running,
    open_workspace,
    output_options,
    override_options,
    overrides_of,
    read_input,
    run_command,
    set_option,
    settings_of,
    store_option,
)
from folkmoot.core.brief import ROUNDS, SEED, LogMode
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from folkmoot.app.brief.reader import ParsedBrief, Settings
    from folkmoot.app.export.reports import ReadRecord
    from folkmoot.app.plan.next_steps import NextStep
    from folkmoot.app.run.fork import Change
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.prepare import PreparedDebate
    from folkmoot.app.run.start import Generation, StartRequest
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.cli.display.ask_people import Terminal
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt
    from folkmoot.core.brief import Brief
    from folkmoot.core.event import Interjected

USUAL: LogMode = "full_markdown"
MOST_PIPED = 4 * 1024 * 1024
"""The most bytes of a conversation."""

SUMMARY_ONLY: LogMode = "summary_only"
"""The log that is the report itself."""


class RunOptions(LimitOptions, OutputOptions, OverrideOptions):
    """All options of ``folkmoot run``."""

    settings: tuple[str, ...]
    store: Path | str | None
    conversation: Path | None
    ask: str


class ResumeOptions(LimitOptions, OutputOptions):
    """All options of ``folkmoot resume``."""

    store: Path | str | None


@rich_click.command(epilog=MEANINGS)
@click.argument("brief", required=False, default="")
@click.option(
    "--conversation",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Begin from a conversation instead of a brief: JSON or JSON lines of role and content.",
)
@click.option("--ask", default="", metavar="TEXT", help="The question about the conversation. Default: its end.")
@set_option
@override_options
@limit_options
@output_options
@store_option
def run(brief: str, **options: Unpack[RunOptions]) -> int:
    """Run a debate.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    if bool(brief) == bool(options["conversation"]):
        raise click.UsageError("Give a BRIEF or --conversation FILE, one of the two.")
    if options["ask"] and brief:
        raise click.UsageError("--ask asks about a conversation; it needs --conversation FILE.")
    return run_command(_run(brief, options))


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@limit_options
@output_options
@store_option
def resume(debate: str, **options: Unpack[ResumeOptions]) -> int:
    """Resume a debate where it stopped.

    DEBATE is an id, a short id, or "last". Limits given here replace those of the brief.
    """
    return run_command(resume_debate(debate, options))


async def _run(words: str, run_options: RunOptions) -> int:
    from folkmoot.app.plan.checks import has_nothing_to_quote
    from folkmoot.app.run.start import prepare_start

    file, settings = run_options["conversation"], run_options["settings"]
    if file:
        parsed = _conversation(file, run_options["ask"], settings_of(settings, run_options["preset"]))
    else:
        parsed = read_input(words, settings, run_options["preset"])
    overrides = overrides_of(run_options, run_options)
    async with open_for_running(run_options["store"]) as workspace:
        request = await prepare_start(workspace, parsed, overrides)
        chosen = overrides.models or run_options["preset"] or any(each.seat for each in parsed.brief.participants)
        if not chosen and has_nothing_to_quote(request.prepared.plan.brief):
            raise BriefError(NO_MODEL, code="no_model")
        return await _run_new(workspace, request, run_options)


NO_MODEL = (
    "no language model is set, and the built-in debater has no background to quote; name a model with -m, set a key such "
    "as ANTHROPIC_API_KEY, or start Ollama; `folkmoot models` says what there is"
)


def _conversation(file: Path, question: str, settings: "Settings") -> "ParsedBrief":
    """The brief of a conversation; - is standard input."""
    from folkmoot.app.brief.files import read_bytes
    from folkmoot.app.endpoint.conversation import read_conversation

    piped = str(file) == "-"
    data = sys.stdin.buffer.read(MOST_PIPED) if piped else read_bytes(file.name, file, limit=MOST_PIPED)
    return read_conversation(data, "conversation" if piped else file.name, question, settings)


async def _run_new(workspace: "Workspace", request: "StartRequest", options: OutputOptions) -> int:
    """Run a new debate and show it; the exit code."""
    from folkmoot.app.run.start import HostHooks, run_start
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt, conduct

    debate = workspace.new_id(request.prepared.plan)
    output = Output(options["mode"] or "", planned=request.prepared.costing.most.asks)
    interrupt = Interrupt(say=output.remark)
    generations: list[Generation] = []

    def generating(generation: "Generation") -> None:
        generations.append(generation)
        output.remark(_generating(generation, request.prepared.generator))

    with ExitStack() as stack:

        def begins(ready: "PreparedDebate") -> None:
            output.introduce(debate, ready)
            stack.enter_context(output)

        interface = _interface(
            workspace, debate, request.prepared.plan.brief, output, interrupt, away=options["no_input"]
        )
        hooks = HostHooks(stop=interrupt.stop, interface=interface, generating=generating, begins=begins)
        running = run_start(workspace, request, debate, hooks)
        outcome = await conduct(workspace, debate, running, output.viewer, interrupt)
    if generations and not await workspace.count_entries(debate):
        return await _without_participants(workspace, generations[0], output)
    code = await _end(workspace, debate, output, options, outcome)
    if generations and not generations[0].earlier and output.mode in ("", "plain"):
        output.remark(await _generation_usage(workspace, generations[0]))
    return code


def _generating(generation: "Generation", model: str) -> str:
    if generation.earlier:
        return f"taking the participants that were generated in {generation.debate}; for others: --participants new"
    return f"asking {model} for the participants; for built-in ones: --participants builtin"


async def _without_participants(workspace: "Workspace", generation: "Generation", output: "Output") -> int:
    """Say why there are no participants and so no debate; the exit code."""
    from folkmoot.app.run.start import read_generation

    outcome = (await read_generation(workspace, generation)).outcome
    output.remark(f"no participants were generated, so the debate did not start: {outcome.reason}; run it again")
    return code_of(outcome.status, outcome.kind)


async def _generation_usage(workspace: "Workspace", generation: "Generation") -> str:
    """What generating the participants has used."""
    from folkmoot.app.run.start import read_generation
    from folkmoot.cli.display.text_layout import usage_in_words

    usage = (await read_generation(workspace, generation)).outcome.usage
    used = usage_in_words(usage.input_tokens + usage.output_tokens, usage.cost, usage.estimated)
    return f"generating the participants used {', '.join(used)}: folkmoot show {generation.debate}"


def _interface(
    workspace: "Workspace", debate: str, brief: "Brief", output: "Output", interrupt: "Interrupt", *, away: bool
) -> "Terminal | None":
    """What asks the people of a debate here; None where there are none, or none can be asked here."""
    from folkmoot.app.plan.assignment import names_of_people

    if away or not names_of_people(brief):
        return None
    from folkmoot.cli.display.ask_people import people_interface

    return people_interface(workspace, debate, output, interrupt, away=away)


async def resume_debate(name: str, options: ResumeOptions) -> int:
    """Resume a debate where its record ends; the exit code."""
    from folkmoot.app.plan.toolbox import changed_packages
    from folkmoot.app.run.outcome import opening
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt, conduct
    from folkmoot.core.transcript import fold

    async with open_for_running(options["store"]) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        transcript = fold(entries)
        if transcript.closed or transcript.brief is None:
            if transcript.closed:
                click.echo(f"folkmoot: {debate} is over. To run its brief again: folkmoot again {debate}", err=True)
            return await _end(workspace, debate, Output(options["mode"] or ""), options, await workspace.resume(debate))
        output = Output(options["mode"] or "", planned=await workspace.count_asks(debate))
        output.introduce_resumed(debate, entries)
        for change in changed_packages(opening(debate, entries).packages):
            output.remark(change)
        limits = limits_of(options).on(transcript.brief.limits)
        interrupt = Interrupt(say=output.remark)
        interface = _interface(workspace, debate, transcript.brief, output, interrupt, away=options["no_input"])
        running = workspace.resume(debate, limits=limits, stop=interrupt.stop, interface=interface)
        with output:
            outcome = await conduct(workspace, debate, running, output.viewer, interrupt)
        return await _end(workspace, debate, output, options, outcome)


async def _end(
    workspace: "Workspace", debate: str, output: "Output", options: OutputOptions, ran: "Outcome | None"
) -> int:
    """Save the report, and the log that the command line or else the brief names; say how the debate ended.

    Args:
        workspace: where it ran.
        output: how it is shown.
        options: the options of the command.
        ran: the outcome as running it returned it; None where it was cancelled.
    """
    from folkmoot.app.export.reports import read_record, save_log, save_report
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.outcome import outcome as outcome_of
    from folkmoot.app.run.record_reader import open_asks
    from folkmoot.cli.display.output import FollowUps
    from folkmoot.core.transcript import fold

    record, saved = await read_record(workspace, debate), dict[str, str]()
    outcome = outcome_of(debate, fold(record.entries))
    try:
        wanted = cast("LogMode", opening(debate, record.entries).log or USUAL)
        mode = options["log"] or (USUAL if options["no_report"] else wanted)
        # Who asks for the summary alone gets no transcript beside it.
        if outcome.status != "paused" and not options["no_report"] and mode != SUMMARY_ONLY:
            saved["report"] = str(save_report(record.report, options["out"]))
        if outcome.status != "paused" and mode != USUAL:
            saved["log"] = ", ".join(map(str, save_log(record, mode, options["out"])))
    except OSError as error:
        problem = f"the report was not saved: {error.strerror or error}"
        output.remark(f"{problem}: {options['out']}; to write it: folkmoot report {debate}")
    if ran and ran.unlearned:
        output.remark(f"nothing was learned: {ran.unlearned}")
    follow_ups = FollowUps(
        asks=await open_asks(workspace, debate),
        outside=await _waiting_messages(workspace, debate) if outcome.status == "paused" else (),
        steps=_next_steps(record, outcome),
    )
    output.conclude(record.report, outcome, saved, follow_ups)
    return code_of(outcome.status, outcome.kind, fail_on=options["fail_on"] or "")


async def _waiting_messages(workspace: "Workspace", debate: str) -> "tuple[Interjected, ...]":
    """The messages to a paused debate that it has not read yet."""
    from folkmoot.app.run.people import OutsideMessages

    return await (await OutsideMessages.of(workspace, debate)).more()


def _next_steps(record: "ReadRecord", outcome: "Outcome") -> "tuple[NextStep, ...]":
    """What may decide a debate that nobody won."""
    if outcome.status not in ("tie", "no_decision"):
        return ()
    from folkmoot.app.plan.next_steps import next_steps
    from folkmoot.app.run.outcome import opening

    return tuple(next_steps(opening(outcome.debate, record.entries), outcome.debate, outcome.transcript))


class AgainOptions(LimitOptions, OutputOptions):
    """All options of ``folkmoot again``."""

    settings: tuple[str, ...]
    model: tuple[str, ...]
    protocol: str | None
    strategy: str | None
    topology: str | None
    rounds: int | None
    seed: int | None
    store: Path | str | None


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "-m",
    "--model",
    multiple=True,
    metavar="[NAME=]PROVIDER:NAME",
    help="Another model, for one participant or all. Give several without NAME to assign them in turn.",
)
@set_option
@click.option("--protocol", metavar="NAME", help="Another protocol.")
@click.option("--rounds", type=click.IntRange(*ROUNDS), metavar="N", help="Another number of rounds.")
@click.option("--strategy", metavar="NAME", help="Another way to decide.")
@click.option("--topology", metavar="NAME", help="In an arena, another order of critics.")
@click.option("--seed", type=click.IntRange(*SEED), metavar="N", help="Another random seed.")
@limit_options
@output_options
@store_option
def again(debate: str, **options: Unpack[AgainOptions]) -> int:
    """Run the brief of a debate once more, in a new debate.

    DEBATE is an id, a short id, or "last". It is not changed. Brief, participants and protocol are those on record,
    with the changes that are given here. NAME=human lets a person answer.
    """
    return run_command(_run_again(debate, options))


async def _run_again(name: str, options: AgainOptions) -> int:
    from folkmoot.app.brief.reader import read_settings
    from folkmoot.app.run.again import start_again
    from folkmoot.app.run.prepare import Overrides

    settings = read_settings(options["settings"], where="--set")
    models = _models(tuple(text for text in options["model"] if "=" in text))
    overrides = Overrides(
        models=tuple(text for text in options["model"] if "=" not in text),
        protocol=options["protocol"] or "",
        rounds=options["rounds"],
        strategy=options["strategy"] or "",
        topology=options["topology"] or "",
        seed=options["seed"],
        caps=limits_of(options),
    )
    async with open_for_running(options["store"]) as workspace:
        debate = await workspace.find(name)
        return await _run_new(workspace, await start_again(workspace, debate, overrides, models, settings), options)


class ForkOptions(ResumeOptions):
    """All options of ``folkmoot fork``."""

    at: int | None
    turn: str | None
    answer: str | None
    model: tuple[str, ...]
    brief: str | None
    settings: tuple[str, ...]
    no_run: bool


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@click.option(
    "--at",
    type=int,
    metavar="ENTRY",
    help="The last entry to keep: see folkmoot show ID --numbers.",
)
@click.option("--turn", metavar="TURN", help="The turn that gets another answer, such as T7. The fork begins there.")
@click.option("--answer", metavar="TEXT", help="The new answer in that turn.")
@click.option(
    "-m",
    "--model",
    multiple=True,
    metavar="[NAME=]PROVIDER:NAME",
    help="The model from there on, for one participant or for all.",
)
@click.option("--brief", metavar="FILE", help="Another brief, or - for standard input.")
@set_option
@click.option("--no-run", is_flag=True, help="Only make the fork. Run it later with folkmoot resume.")
@limit_options
@output_options
@store_option
def fork(debate: str, **options: Unpack[ForkOptions]) -> int:
    """Continue from the middle of a debate, in a new one.

    DEBATE is an id, a short id, or "last". It is not changed. Say where with --at or --turn.
    """
    return run_command(_fork(debate, options))


async def _fork(name: str, fork_options: ForkOptions) -> int:
    from folkmoot.app.run.fork import fork as fork_debate

    change = _change(fork_options)
    async with open_workspace(fork_options["store"]) as workspace:
        debate = await fork_debate(workspace, await workspace.find(name), at=fork_options["at"], change=change)
    if not fork_options["no_run"]:
        return await resume_debate(debate, fork_options)
    click.echo(debate)
    click.echo(f"folkmoot: run it with: folkmoot resume {debate}", err=True)
    return DONE


def _change(fork_options: ForkOptions) -> "Change":
    """What the fork changes."""
    from folkmoot.app.run.fork import Answer, Change

    turn, words = fork_options["turn"], fork_options["answer"]
    if (turn is None) != (words is None):
        raise click.UsageError("--turn and --answer go together: which turn, and what is said in it.")
    if turn is not None and fork_options["at"] is not None:
        raise click.UsageError("--at and --turn cannot be given together: the fork begins at that turn.")
    if turn is None and fork_options["at"] is None:
        raise click.UsageError(
            "Say where: --at ENTRY, or --turn T7 with --answer; folkmoot show ID --numbers shows both."
        )
    if fork_options["settings"] and not fork_options["brief"]:
        raise click.UsageError("--set needs --brief FILE: it replaces settings of that brief.")
    return Change(
        models=_models(fork_options["model"]),
        brief=read_input(fork_options["brief"], fork_options["settings"]) if fork_options["brief"] else None,
        answer=Answer(turn=turn, words=words) if turn is not None and words is not None else None,
    )


def _models(typed: tuple[str, ...]) -> dict[str, str]:
    """Who answers, by the participant's name; under "" for all others."""
    models: dict[str, str] = {}
    for text in typed:
        name, _, model = text.rpartition("=")
        if name.strip() in models:
            whom = name.strip() or "all"
            raise click.UsageError(f"--model is given twice for {whom}; write NAME=provider:model for one participant.")
        models[name.strip()] = model
    return models
