"""``moot run`` and ``moot resume``. This file owns how a debate is begun, taken up again and ended."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack, cast

import click
import rich_click

from moot.cli.codes import MEANINGS, code_of
from moot.cli.options import (
    CapOptions,
    OutputOptions,
    WishOptions,
    caps_of,
    complete_debate,
    finish,
    limit_options,
    open_stage,
    output_options,
    read_input,
    store_option,
    wish_options,
    wishes_of,
)

if TYPE_CHECKING:
    from moot.app.run.outcome import Outcome
    from moot.app.run.prepare import Ready
    from moot.app.run.start import Made
    from moot.app.run.workspace import Desk
    from moot.cli.display.output import Face
    from moot.report.readers_logs import Mode

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
    """Hold a debate.

    BRIEF is a file, a question in quotes, or - for standard input.
    """
    return finish(_run(brief, given))


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@limit_options
@output_options
@store_option
def resume(debate: str, **given: Unpack[ResumeOptions]) -> int:
    """Take a debate up where it stopped.

    DEBATE is its id, the beginning of it, or "last". Limits given here replace those of the brief.
    """
    return finish(take_up(debate, given))


async def _run(words: str, given: RunOptions) -> int:
    from moot.app.run.prepare import prepare
    from moot.app.run.start import with_cast
    from moot.cli.display.asking import seat_people
    from moot.cli.display.output import Face
    from moot.cli.terminal import Interrupt, conduct

    intake, wishes = read_input(words), wishes_of(given, given)
    async with open_stage(given["store"]) as desk:
        ready = await prepare(desk, intake, wishes)
        debate = desk.new_id(ready.plan)
        made = await _cast(desk, ready, given) if ready.caster else None
        if made:
            if made.came.status == "paused":
                return code_of(made.came.status, made.came.kind)
            ready = await prepare(desk, *with_cast(intake, wishes, ready, made))
        face = Face(given["mode"] or "", planned=ready.costing.most.asks)
        face.introduce(debate, ready)
        interrupt = Interrupt(say=face.remark)
        door = seat_people(desk, debate, face, interrupt, away=given["away"])
        with face:
            plan = replace(ready.plan, log=str(intake.given.get("logging_mode", "")))
            hold = desk.hold(plan, debate, stop=interrupt.stop, door=door)
            came = await conduct(desk, debate, hold, face.viewer, interrupt)
        code = await _end(desk, debate, face, given, came)
        if made and not made.casting.earlier and face.mode in ("", "plain"):
            face.remark(f"the participants took {_used(made.came)} more: moot show {made.came.debate}")
        return code


async def _cast(desk: "Desk", ready: "Ready", given: RunOptions) -> "Made":
    """Have the participants made; where that does not come to an end, say so."""
    from moot.app.run.start import find_casting, hold_casting, read_casting
    from moot.cli.display.output import Face
    from moot.cli.terminal import Interrupt, conduct

    face = Face(given["mode"] or "", still=True)
    casting = await find_casting(desk, ready, new=given["cast"] == "new")
    if casting.earlier:
        face.remark(f"taking the participants that were made in {casting.debate}; others: --cast new")
        return await read_casting(desk, casting)
    face.remark(f"asking {ready.caster} for the participants; built-in ones: --cast builtin")
    interrupt = Interrupt(say=face.remark)
    hold = hold_casting(desk, casting, stop=interrupt.stop)
    await conduct(desk, casting.debate, hold, Face("quiet").viewer, interrupt)
    made = await read_casting(desk, casting)
    if made.came.status == "paused":
        face.remark(f"no participants, so no debate: {made.came.reason}; run it again")
    return made


def _used(came: "Outcome") -> str:
    from moot.cli.display.text import amount, money

    tokens = came.usage.input_tokens + came.usage.output_tokens
    return f"{amount(tokens)} tokens, {money(came.usage.cost)}"


async def take_up(name: str, given: ResumeOptions) -> int:
    """Go on with a debate where its record ends; the exit code."""
    from moot.cli.display.asking import seat_people
    from moot.cli.display.output import Face
    from moot.cli.terminal import Interrupt, conduct
    from moot.core.transcript import fold

    async with open_stage(given["store"]) as desk:
        debate = await desk.find(name)
        entries = await desk.entries(debate)
        transcript = fold(entries)
        if transcript.closed or transcript.brief is None:
            held = await desk.resume(debate)
            return await _end(desk, debate, Face(given["mode"] or ""), given, held)
        face = Face(given["mode"] or "", planned=await desk.count_asks(debate))
        face.welcome_back(debate, entries)
        limits = caps_of(given).on(transcript.brief.limits)
        interrupt = Interrupt(say=face.remark)
        door = seat_people(desk, debate, face, interrupt, away=given["away"])
        hold = desk.resume(debate, limits=limits, stop=interrupt.stop, door=door)
        with face:
            held = await conduct(desk, debate, hold, face.viewer, interrupt)
        return await _end(desk, debate, face, given, held)


async def _end(desk: "Desk", debate: str, face: "Face", given: OutputOptions, held: "Outcome | None") -> int:
    """Save the report, and the log that the command line or else the brief names; say how it ended."""
    from moot.app.export.reports import recount, save_log, save_report
    from moot.app.run.meanwhile import Meanwhile
    from moot.app.run.outcome import opening, outcome
    from moot.app.run.question import open_asks
    from moot.core.transcript import fold

    found = await recount(desk, debate)
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
    outside = await (await Meanwhile.of(desk, debate)).more()
    face.conclude(found.report, came, saved, await open_asks(desk, debate), outside)
    return code_of(came.status, came.kind, fail_on=given["fail_on"] or "")
