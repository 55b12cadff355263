"""The commands ``folkmoot run``, ``resume``, ``again`` and ``fork``: run a debate at the terminal and show how it ended."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click

from folkmoot.cli.options import (
    DONE,
    EXIT_CODES,
    BriefOptions,
    LimitOptions,
    OutputOptions,
    SettingOptions,
    Store,
    brief_options,
    brief_overrides,
    code_of,
    command,
    debate_argument,
    limit_options,
    limits_of,
    models_by_name,
    note,
    open_for_running,
    open_workspace,
    option,
    output_options,
    overrides_of,
    rare,
    read_input,
    run_command,
    setting_options,
    settings_of,
    store_option,
)
from folkmoot.core.brief import LogMode
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from folkmoot.app.run.outcome import Outcome
    from folkmoot.app.run.prepare import PreparedDebate
    from folkmoot.app.run.start import Generation
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.cli.display.ask_people import Terminal
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt
    from folkmoot.core.brief import Brief

USUAL: LogMode = "full_markdown"
SUMMARY_ONLY: LogMode = "summary_only"
"""The log that is the report itself."""

MOST_PIPED = 4 * 1024 * 1024
"""The most bytes of a conversation."""

NO_MODEL = (
    "no language model is set, and the built-in debater has no background to quote; name a model with -m, set a key such "
    "as ANTHROPIC_API_KEY, or start Ollama; `folkmoot models` says what there is"
)


class RunOptions(LimitOptions, OutputOptions, BriefOptions):
    """The options of ``folkmoot run``."""


class AgainOptions(LimitOptions, OutputOptions, SettingOptions):
    """The options of ``folkmoot again``."""


class ResumeOptions(LimitOptions, OutputOptions):
    """The options of ``folkmoot resume``."""


@command(epilog=EXIT_CODES)
@click.argument("brief", required=False, default="")
@brief_options
@limit_options
@output_options
@rare(
    "--conversation",
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
    metavar="FILE",
    help="Begin from a conversation: JSON or JSON lines of role and content.",
)
@rare("--ask", default="", metavar="TEXT", help="The question about the conversation. Default: its end.")
@store_option
def run(brief: str, conversation: Path | None, ask: str, store: Store, **options: Unpack[RunOptions]) -> int:
    """Run a debate.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    if bool(brief) == bool(conversation):
        raise click.UsageError("Give a BRIEF or --conversation FILE, one of the two.")
    if ask and brief:
        raise click.UsageError("--ask asks about a conversation; it needs --conversation FILE.")
    return run_command(_run(brief, conversation, ask, store, options))


async def _run(words: str, file: Path | None, ask: str, store: Store, options: RunOptions) -> int:
    from folkmoot.app.plan.checks import has_nothing_to_quote
    from folkmoot.app.run.prepare import prepare

    if file:
        from folkmoot.app.brief.files import read_bytes
        from folkmoot.app.endpoint.conversation import read_conversation

        piped = str(file) == "-"
        data = sys.stdin.buffer.read(MOST_PIPED) if piped else read_bytes(file.name, file, limit=MOST_PIPED)
        changed = settings_of(options["settings"], options["preset"])
        parsed = read_conversation(data, "conversation" if piped else file.name, ask, changed)
    else:
        parsed = read_input(words, options["settings"], options["preset"])
    overrides = brief_overrides(options, options)
    async with open_for_running(store) as workspace:
        request = await prepare(workspace, parsed, overrides)
        chosen = overrides.models or options["preset"] or any(each.seat for each in parsed.brief.participants)
        if not chosen and has_nothing_to_quote(request.plan.brief):
            raise BriefError(NO_MODEL, code="no_model")
        return await _run_new(workspace, request, options)


async def _run_new(workspace: "Workspace", request: "PreparedDebate", options: OutputOptions) -> int:
    """Run a new debate and show it; the exit code."""
    from folkmoot.app.run.start import read_generation, run_start
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.display.text_layout import usage_in_words
    from folkmoot.cli.terminal import Interrupt, conduct

    debate, brief = workspace.new_id(request.plan), request.plan.brief
    output = Output(options["mode"] or "", full=options["full"], planned=request.costing.most.asks)
    interrupt = Interrupt(say=output.remark)
    generations: list[Generation] = []

    def generating(generation: "Generation") -> None:
        generations.append(generation)
        asking = f"asking {request.generator} for the participants; for built-in ones: --participants builtin"
        taking = f"taking the participants generated in {generation.debate}; for others: --participants new"
        output.remark(taking if generation.earlier else asking)

    with ExitStack() as stack:

        def begins(ready: "PreparedDebate") -> None:
            output.introduce(debate, ready)
            stack.enter_context(output)

        interface = _interface(workspace, debate, brief, output, interrupt, away=options["no_input"])
        running = run_start(
            workspace, request, debate, stop=interrupt.stop, interface=interface, generating=generating, begins=begins
        )
        outcome = await conduct(workspace, debate, running, output.viewer, interrupt)
    if generations and not await workspace.count_entries(debate):
        failed = (await read_generation(workspace, generations[0])).outcome
        output.remark(f"no participants were generated, so the debate did not start: {failed.reason}; run it again")
        return code_of(failed.status, failed.kind)
    code = await _end(workspace, debate, output, options, outcome)
    if generations and not generations[0].earlier and output.screen:
        usage = (await read_generation(workspace, generations[0])).outcome.usage
        used = usage_in_words(usage.input_tokens + usage.output_tokens, usage.cost, usage.estimated)
        output.remark(f"generating the participants used {', '.join(used)}: folkmoot show {generations[0].debate}")
    return code


def _interface(
    workspace: "Workspace", debate: str, brief: "Brief", output: "Output", interrupt: "Interrupt", *, away: bool
) -> "Terminal | None":
    """What asks the people of a debate here; None where there are none, or none can be asked here."""
    from folkmoot.app.plan.assignment import names_of_people

    if away or output.screen is None or not names_of_people(brief) or not output.console.file.isatty():
        return None
    from folkmoot.app.program.in_place import Keyboard
    from folkmoot.cli.display.ask_people import Terminal

    if (keyboard := Keyboard.here()) is None:
        return None
    interface = Terminal(workspace, debate, output.screen, keyboard)
    interrupt.leave = interface.leave
    return interface


@command(epilog=EXIT_CODES)
@debate_argument
@limit_options
@output_options
@store_option
def resume(debate: str, store: Store, **options: Unpack[ResumeOptions]) -> int:
    """Resume a debate where it stopped.

    DEBATE is an id, a short id, or "last". Limits given here replace those of the brief.
    """
    return run_command(resume_debate(debate, store, options))


async def resume_debate(name: str, store: Store, options: ResumeOptions) -> int:
    """Resume a debate where its record ends; the exit code."""
    from folkmoot.app.plan.toolbox import changed_packages
    from folkmoot.app.run.outcome import opening
    from folkmoot.cli.display.output import Output
    from folkmoot.cli.terminal import Interrupt, conduct
    from folkmoot.core.transcript import fold

    async with open_for_running(store) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        transcript = fold(entries)
        output = Output(options["mode"] or "", full=options["full"], planned=await workspace.count_asks(debate))
        if transcript.closed or transcript.brief is None:
            if transcript.closed:
                note(f"{debate} is over. To run its brief again: folkmoot again {debate}")
            return await _end(workspace, debate, output, options, await workspace.resume(debate))
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
        debate: its id.
        output: how it is shown.
        options: the options of the command.
        ran: the outcome as running it returned it; None where it was cancelled.
    """
    from folkmoot.app.export.reports import read_record, save_log, save_report
    from folkmoot.app.plan.next_steps import next_steps
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.outcome import outcome as outcome_of
    from folkmoot.app.run.people import OutsideMessages
    from folkmoot.app.run.record_reader import open_asks
    from folkmoot.core.transcript import fold

    record, saved = await read_record(workspace, debate), dict[str, str]()
    opened, outcome = opening(debate, record.entries), outcome_of(debate, fold(record.entries))
    paused = outcome.status == "paused"
    try:
        wanted = cast("LogMode", opened.log or USUAL)
        mode = options["log"] or (USUAL if options["no_report"] else wanted)
        # Who asks for the summary alone gets no transcript beside it.
        if not paused and not options["no_report"] and mode != SUMMARY_ONLY:
            saved["report"] = str(save_report(record.report, options["out"]))
        if not paused and mode != USUAL:
            saved["log"] = ", ".join(map(str, save_log(record, mode, options["out"])))
    except OSError as error:
        problem = f"the report was not saved: {error.strerror or error}"
        output.remark(f"{problem}: {options['out']}; to write it: folkmoot report {debate}")
    if ran and ran.unlearned:
        output.remark(f"nothing was learned: {ran.unlearned}")
    output.conclude(
        record,
        outcome,
        saved,
        asks=await open_asks(workspace, debate),
        outside=await (await OutsideMessages.of(workspace, debate)).more() if paused else (),
        steps=tuple(next_steps(opened, debate, outcome.transcript)),
    )
    return code_of(outcome.status, outcome.kind, fail_on=options["fail_on"] or "")


@command(epilog=EXIT_CODES)
@debate_argument
@setting_options
@limit_options
@output_options
@store_option
def again(debate: str, store: Store, **options: Unpack[AgainOptions]) -> int:
    """Run the brief of a debate once more, in a new debate.

    DEBATE is an id, a short id, or "last". It is not changed. Brief, participants and protocol are those on record,
    with the changes that are given here. -m NAME=human lets a person answer, -m NAME=MODEL another model.
    """
    return run_command(_run_again(debate, store, options))


async def _run_again(name: str, store: Store, options: AgainOptions) -> int:
    from folkmoot.app.run.again import start_again

    overrides = overrides_of(options, options)
    models = models_by_name(tuple(text for text in options["model"] if text not in overrides.models))
    async with open_for_running(store) as workspace:
        debate = await workspace.find(name)
        request = await start_again(workspace, debate, overrides, models, settings_of(options["settings"]))
        return await _run_new(workspace, request, options)


@command(epilog=EXIT_CODES)
@debate_argument
@option("--at", type=int, metavar="ENTRY", help="The last entry to keep: see folkmoot show ID --numbers.")
@option("--turn", metavar="TURN", help="The turn, such as T7, that gets another answer.")
@option("--answer", metavar="TEXT", help="The new answer in that turn.")
@option("-m", "--model", multiple=True, metavar="[NAME=]MODEL", help="The model from there on, of one or of all.")
@option("--brief", metavar="FILE", help="Another brief, or - for standard input.")
@rare("--set", "settings", multiple=True, metavar="KEY=VALUE", help="With --brief: a setting of its header.")
@option("--no-run", is_flag=True, help="Only make the fork. Run it later with folkmoot resume.")
@limit_options
@output_options
@store_option
def fork(
    debate: str,
    at: int | None,
    turn: str | None,
    answer: str | None,
    model: tuple[str, ...],
    brief: str | None,
    settings: tuple[str, ...],
    no_run: bool,
    store: Store,
    **options: Unpack[ResumeOptions],
) -> int:
    """Continue from the middle of a debate, in a new one.

    DEBATE is an id, a short id, or "last". It is not changed. Say where with --at or --turn.
    """
    from folkmoot.app.run.fork import Answer, Change
    from folkmoot.app.run.fork import fork as fork_debate

    if (turn is None) != (answer is None):
        raise click.UsageError("--turn and --answer go together: which turn, and what is said in it.")
    if (turn is None) == (at is None):
        raise click.UsageError("Say where: --at ENTRY, or --turn T7 with --answer; folkmoot show --numbers shows both.")
    if settings and not brief:
        raise click.UsageError("--set needs --brief FILE: it replaces settings of that brief.")
    change = Change(
        models=models_by_name(model),
        brief=read_input(brief, settings) if brief else None,
        answer=Answer(turn=turn, words=answer) if turn is not None and answer is not None else None,
    )

    async def copy() -> str:
        async with open_workspace(store) as workspace:
            return await fork_debate(workspace, await workspace.find(debate), at=at, change=change)

    copied = run_command(copy())
    if not no_run:
        return run_command(resume_debate(copied, store, options))
    click.echo(copied)
    note(f"run it with: folkmoot resume {copied}")
    return DONE
