"""``moot run`` and ``moot resume``. This file owns how a debate is begun, taken up again and ended.

``moot fork``. This file owns how a debate goes on from the middle of another one, with something changed.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click
import rich_click

from moot.cli.options import (
    DONE,
    MEANINGS,
    CapOptions,
    OutputOptions,
    WishOptions,
    caps_of,
    code_of,
    complete_debate,
    finish,
    limit_options,
    open_for_running,
    open_workspace,
    output_options,
    read_input,
    store_option,
    wish_options,
    wishes_of,
)

if TYPE_CHECKING:
    from moot.app.run.fork import Change
    from moot.app.run.outcome import Outcome
    from moot.app.run.prepare import Ready
    from moot.app.run.start import Generated
    from moot.app.run.workspace import Workspace
    from moot.cli.display.output import Output
    from moot.report.logs import Mode

USUAL: "Mode" = "full_markdown"
"""The log that is the report itself."""


class RunOptions(CapOptions, OutputOptions, WishOptions):
    """All options of ``moot run``."""

    store: Path | str | None


class ResumeOptions(CapOptions, OutputOptions):
    """All options of ``moot resume``."""

    store: Path | str | None


@rich_click.command(epilog=MEANINGS)
@click.argument("brief")
@wish_options
@limit_options
@output_options
@store_option
def run(brief: str, **given: Unpack[RunOptions]) -> int:
    """Run a debate.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    return finish(_run(brief, given))


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@limit_options
@output_options
@store_option
def resume(debate: str, **given: Unpack[ResumeOptions]) -> int:
    """Resume a debate where it stopped.

    DEBATE is its id, the beginning of it, or "last". Limits given here replace those of the brief.
    """
    return finish(take_up(debate, given))


async def _run(words: str, given: RunOptions) -> int:
    from moot.app.run.prepare import prepare
    from moot.app.run.start import with_participants
    from moot.cli.display.ask_people import seat_people
    from moot.cli.display.output import Output
    from moot.cli.terminal import Interrupt, conduct

    intake, wishes = read_input(words), wishes_of(given, given)
    async with open_for_running(given["store"]) as workspace:
        ready = await prepare(workspace, intake, wishes)
        debate = workspace.new_id(ready.plan)
        made = await _cast(workspace, ready, given) if ready.caster else None
        if made:
            if made.came.status == "paused":
                return code_of(made.came.status, made.came.kind)
            ready = await prepare(workspace, *with_participants(intake, wishes, ready, made))
        face = Output(given["mode"] or "", planned=ready.costing.most.asks)
        face.introduce(debate, ready)
        interrupt = Interrupt(say=face.remark)
        door = seat_people(workspace, debate, face, interrupt, away=given["away"])
        with face:
            plan = replace(ready.plan, log=str(intake.given.get("logging_mode", "")))
            hold = workspace.hold(plan, debate, stop=interrupt.stop, door=door)
            came = await conduct(workspace, debate, hold, face.viewer, interrupt)
        code = await _end(workspace, debate, face, given, came)
        if made and not made.casting.earlier and face.mode in ("", "plain"):
            face.remark(f"the participants took {_used(made.came)} more: moot show {made.came.debate}")
        return code


async def _cast(workspace: "Workspace", ready: "Ready", given: RunOptions) -> "Generated":
    """Have the participants made; where that does not come to an end, say so."""
    from moot.app.run.start import find_generation, read_generation, run_generation
    from moot.cli.display.output import Output
    from moot.cli.terminal import Interrupt, conduct

    face = Output(given["mode"] or "", still=True)
    casting = await find_generation(workspace, ready, new=given["cast"] == "new")
    if casting.earlier:
        face.remark(f"taking the participants that were made in {casting.debate}; others: --cast new")
        return await read_generation(workspace, casting)
    face.remark(f"asking {ready.caster} for the participants; built-in ones: --cast builtin")
    interrupt = Interrupt(say=face.remark)
    hold = run_generation(workspace, casting, stop=interrupt.stop)
    await conduct(workspace, casting.debate, hold, Output("quiet").viewer, interrupt)
    made = await read_generation(workspace, casting)
    if made.came.status == "paused":
        face.remark(f"no participants, so no debate: {made.came.reason}; run it again")
    return made


def _used(came: "Outcome") -> str:
    from moot.cli.display.text_layout import amount, money

    tokens = came.usage.input_tokens + came.usage.output_tokens
    return f"{amount(tokens)} tokens, {money(came.usage.cost)}"


async def take_up(name: str, given: ResumeOptions) -> int:
    """Go on with a debate where its record ends; the exit code."""
    from moot.cli.display.ask_people import seat_people
    from moot.cli.display.output import Output
    from moot.cli.terminal import Interrupt, conduct
    from moot.core.transcript import fold

    async with open_for_running(given["store"]) as workspace:
        debate = await workspace.find(name)
        entries = await workspace.entries(debate)
        transcript = fold(entries)
        if transcript.closed or transcript.brief is None:
            held = await workspace.resume(debate)
            return await _end(workspace, debate, Output(given["mode"] or ""), given, held)
        face = Output(given["mode"] or "", planned=await workspace.count_asks(debate))
        face.welcome_back(debate, entries)
        limits = caps_of(given).on(transcript.brief.limits)
        interrupt = Interrupt(say=face.remark)
        door = seat_people(workspace, debate, face, interrupt, away=given["away"])
        hold = workspace.resume(debate, limits=limits, stop=interrupt.stop, door=door)
        with face:
            held = await conduct(workspace, debate, hold, face.viewer, interrupt)
        return await _end(workspace, debate, face, given, held)


async def _end(
    workspace: "Workspace", debate: str, face: "Output", given: OutputOptions, held: "Outcome | None"
) -> int:
    """Save the report, and the log that the command line or else the brief names; say how it ended."""
    from moot.app.export.reports import read_record, save_log, save_report
    from moot.app.run.outcome import opening, outcome
    from moot.app.run.people import Meanwhile, open_asks
    from moot.core.transcript import fold

    found = await read_record(workspace, debate)
    came = outcome(debate, fold(found.entries))
    saved: dict[str, str] = {}
    try:
        if came.status != "paused" and not given["no_report"]:
            saved["report"] = str(save_report(found.report, given["out"]))
        wanted = cast("Mode", opening(debate, found.entries).log or USUAL)
        mode = given["log"] or (USUAL if given["no_report"] else wanted)
        if came.status != "paused" and mode != USUAL:
            saved["log"] = ", ".join(map(str, save_log(found, mode, given["out"])))
    except OSError as error:
        face.remark(f"the report was not saved: {error.strerror or error}: {given['out']}")
    if held and held.unlearned:
        face.remark(f"nothing was learned: {held.unlearned}")
    outside = await (await Meanwhile.of(workspace, debate)).more()
    face.conclude(found.report, came, saved, await open_asks(workspace, debate), outside)
    return code_of(came.status, came.kind, fail_on=given["fail_on"] or "")


class ForkOptions(ResumeOptions):
    """All options of ``moot fork``."""

    at: int | None
    turn: str | None
    answer: str | None
    model: tuple[str, ...]
    brief: str | None
    hold: bool


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@click.option("--at", type=int, metavar="SEQ", help="The last entry to keep: moot show ID --numbers.")
@click.option("--turn", metavar="T7", help="A turn that is answered otherwise; the fork begins there.")
@click.option("--answer", metavar="TEXT", help="What is said in that turn instead.")
@click.option(
    "-m",
    "--model",
    multiple=True,
    metavar="[NAME=]PROVIDER:NAME",
    help="Who answers from there on, for one or for all.",
)
@click.option("--brief", metavar="FILE", help="Another brief, or - for standard input.")
@click.option("--hold", is_flag=True, help="Only make the fork; go on with moot resume.")
@limit_options
@output_options
@store_option
def fork(debate: str, **given: Unpack[ForkOptions]) -> int:
    """Fork a debate: continue from the middle of it, as a new debate.

    DEBATE is its id, the beginning of it, or "last"; it stays as it is. Say where with --at or --turn.
    """
    return finish(_fork(debate, given))


async def _fork(name: str, given: ForkOptions) -> int:
    from moot.app.run.fork import fork as part_from

    change = _change(given)
    async with open_workspace(given["store"]) as workspace:
        debate = await part_from(workspace, await workspace.find(name), at=given["at"], change=change)
    if not given["hold"]:
        return await take_up(debate, given)
    click.echo(debate)
    click.echo(f"moot: go on with: moot resume {debate}", err=True)
    return DONE


def _change(given: ForkOptions) -> "Change":
    """What is otherwise, for the desk."""
    from moot.app.run.fork import Answer, Change

    turn, words = given["turn"], given["answer"]
    if (turn is None) != (words is None):
        raise click.UsageError("--turn and --answer go together: which turn, and what is said in it.")
    if turn is not None and given["at"] is not None:
        raise click.UsageError("--at and --turn cannot be given together: the fork begins at that turn.")
    if turn is None and given["at"] is None:
        raise click.UsageError("Say where: --at SEQ, or --turn T7 with --answer; moot show ID --numbers shows both.")
    return Change(
        models=_models(given["model"]),
        brief=read_input(given["brief"]) if given["brief"] else None,
        answer=Answer(turn=turn, words=words) if turn is not None and words is not None else None,
    )


def _models(typed: tuple[str, ...]) -> dict[str, str]:
    """Who answers, by the participant's name; under "" for all others."""
    found: dict[str, str] = {}
    for each in typed:
        name, _, model = each.rpartition("=")
        if name.strip() in found:
            whom = name.strip() or "all"
            raise click.UsageError(f"--model is given twice for {whom}; write NAME=provider:model for one participant.")
        found[name.strip()] = model
    return found
