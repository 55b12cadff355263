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
    open_desk,
    output_options,
    read_input,
    store_option,
    wish_options,
    wishes_of,
)

if TYPE_CHECKING:
    from moot.cli.faces import Face
    from moot.desk.desk import Desk
    from moot.desk.outcome import Outcome
    from moot.desk.prepare import Ready
    from moot.desk.reports import Mode

USUAL: "Mode" = "full_markdown"
"""The log that is the report itself."""


class RunOptions(CapOptions, OutputOptions, WishOptions):
    """All options of ``moot run``."""

    store: Path | None


class ResumeOptions(CapOptions, OutputOptions):
    """All options of ``moot resume``."""

    store: Path | None


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
    return finish(_resume(debate, given))


async def _run(words: str, given: RunOptions) -> int:
    from moot.cli.conduct import Interrupt, conduct
    from moot.cli.faces import Face
    from moot.desk.casting import with_cast
    from moot.desk.prepare import prepare

    intake, wishes = read_input(words), wishes_of(given, given)
    async with open_desk(given["store"]) as desk:
        ready = await prepare(desk, intake, wishes)
        debate = desk.new_id(ready.plan)
        casting = await _cast(desk, debate, ready, given) if ready.caster else None
        if casting:
            if casting.status == "paused":
                return code_of(casting.status, casting.kind)
            ready = await prepare(desk, *with_cast(intake, wishes, ready, casting))
        face = Face(given["mode"] or "", planned=ready.costing.most.asks)
        face.introduce(debate, ready)
        interrupt = Interrupt(say=face.remark)
        with face:
            plan = replace(ready.plan, log=str(intake.given.get("logging_mode", "")))
            await conduct(desk, debate, desk.hold(plan, debate, stop=interrupt.stop), face.viewer, interrupt)
        code = await _end(desk, debate, face, given)
        if casting and face.mode in ("", "plain"):
            face.remark(f"the participants took {_used(casting)} more: moot show {casting.debate}")
        return code


async def _cast(desk: "Desk", debate: str, ready: "Ready", given: RunOptions) -> "Outcome":
    """Have the participants made; where that does not come to an end, say so."""
    from moot.cli.conduct import Interrupt, conduct
    from moot.cli.faces import Face
    from moot.core.transcript import fold
    from moot.desk.casting import casting_id, hold_casting
    from moot.desk.desk import outcome

    face = Face(given["mode"] or "", still=True)
    face.remark(f"asking {ready.caster} for the participants; built-in ones: --cast builtin")
    interrupt, name = Interrupt(say=face.remark), casting_id(debate)
    hold = hold_casting(desk, ready, debate, stop=interrupt.stop)
    await conduct(desk, name, hold, Face("quiet").viewer, interrupt)
    came = outcome(name, fold(await desk.entries(name)))
    if came.status == "paused":
        face.remark(f"no participants, so no debate: {came.reason}; run it again")
    return came


def _used(came: "Outcome") -> str:
    from moot.cli.text import amount, money

    tokens = came.usage.input_tokens + came.usage.output_tokens
    return f"{amount(tokens)} tokens, {money(came.usage.cost)}"


async def _resume(name: str, given: ResumeOptions) -> int:
    from moot.cli.conduct import Interrupt, conduct
    from moot.cli.faces import Face
    from moot.core.transcript import fold

    async with open_desk(given["store"]) as desk:
        debate = await desk.find(name)
        entries = await desk.entries(debate)
        transcript = fold(entries)
        if transcript.closed or transcript.brief is None:
            return await _end(desk, debate, Face(given["mode"] or ""), given)
        face = Face(given["mode"] or "", planned=await desk.count_asks(debate))
        face.welcome_back(debate, entries)
        limits = caps_of(given).on(transcript.brief.limits)
        interrupt = Interrupt(say=face.remark)
        hold = desk.resume(debate, limits=limits, stop=interrupt.stop)
        with face:
            await conduct(desk, debate, hold, face.viewer, interrupt)
        return await _end(desk, debate, face, given)


async def _end(desk: "Desk", debate: str, face: "Face", given: OutputOptions) -> int:
    """Save the report, and the log that the command line or else the brief names; say how it ended."""
    from moot.core.transcript import fold
    from moot.desk.desk import opening, outcome
    from moot.desk.reports import recount, save_log, save_report

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
    face.conclude(found.report, came, saved)
    return code_of(came.status, came.kind, fail_on=given["fail_on"] or "")
