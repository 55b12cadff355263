"""``folkmoot answer`` and ``folkmoot say``: people take part in a debate that runs elsewhere, or that waits for them."""

import getpass
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import click
import rich_click

from folkmoot.cli.commands.run import ResumeOptions, resume_debate
from folkmoot.cli.options import (
    DONE,
    MEANINGS,
    USAGE,
    complete_debate,
    limit_options,
    open_workspace,
    output_options,
    run_command,
    store_option,
)
from folkmoot.core.errors import BriefError

if TYPE_CHECKING:
    from folkmoot.app.program.in_place import Keyboard
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.cli.display.ask_people import Filled

VIEWER = "Viewer"
"""The speaker's name where the system knows none."""

MOST = 1_000_000
"""The most bytes that are read from standard input; the workspace allows fewer."""


class AnswerOptions(ResumeOptions):
    """All options of ``folkmoot answer``."""

    words: str | None
    who: str
    field: tuple[str, ...]
    no_run: bool


@rich_click.command(epilog=MEANINGS)
@click.argument("debate", shell_complete=complete_debate)
@click.argument("words", required=False)
@click.option(
    "--as", "who", default="", metavar="NAME", help="Whose answer this is, if the debate waits for several people."
)
@click.option("-f", "--field", multiple=True, metavar="FIELD=VALUE", help="A field of the form. Can be repeated.")
@click.option("--no-run", is_flag=True, help="Only save the answer. Continue later with folkmoot resume.")
@limit_options
@output_options
@store_option
def answer(debate: str, **options: Unpack[AnswerOptions]) -> int:
    """Answer a question that a debate asks a person, then continue the debate.

    DEBATE is an id, a short id, or "last". WORDS is the answer, or - for standard input. Without
    WORDS you are asked for each field. Without a terminal, the question is printed.
    """
    debate, goes_on = run_command(_answer(debate, options))
    if goes_on is None:
        return USAGE
    return run_command(resume_debate(debate, options)) if goes_on else DONE


async def _answer(name: str, answer_options: AnswerOptions) -> tuple[str, bool | None]:
    """Save an answer; returns the debate's id, and whether it continues here (None: no answer was given)."""
    from folkmoot.app.program.program_agents import names_inside
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.people import answer as note
    from folkmoot.core.text import listed
    from folkmoot.core.transcript import fold
    from folkmoot.report.conclusion import outcome_view

    async with open_workspace(answer_options["store"]) as workspace:
        debate = await workspace.find(name)
        filled = await _read_answer(workspace, debate, answer_options)
        if filled is None:
            return debate, None
        await note(workspace, debate, filled.words, who=answer_options["who"], key=filled.key, fields=filled.fields)
        entries = await workspace.entries(debate)
        job = await workspace.queue.job(debate) if workspace.queue else None
    if job and job.state != "cancelled":
        click.echo("folkmoot: the answer is saved; a worker continues the debate: folkmoot queue", err=True)
        return debate, False
    paused, guests = outcome_view(fold(entries)).status == "paused", names_inside(opening(debate, entries).brief)
    if paused and not answer_options["no_run"] and not guests:
        return debate, True
    running = "" if paused else "the process that runs the debate will read it; if that process has ended, "
    way = f"in the program that answers for {listed(guests)}" if guests else f"with: folkmoot resume {debate}"
    click.echo(f"folkmoot: the answer is saved; {running}continue {way}", err=True)
    return debate, False


async def _read_answer(workspace: "Workspace", debate: str, answer_options: AnswerOptions) -> "Filled | None":
    """The answer, from the command line or the terminal; None where the question is shown instead."""
    from folkmoot.app.program.in_place import Keyboard
    from folkmoot.cli.display.ask_people import Filled

    words, fields = answer_options["words"], _fields(answer_options["field"])
    if words is not None or fields:
        return Filled(words=_words(words or ""), fields=fields)
    return await _ask(workspace, debate, answer_options, Keyboard.here() if sys.stdout.isatty() else None)


def _fields(typed: tuple[str, ...]) -> dict[str, str]:
    values: dict[str, str] = {}
    for text in typed:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"-f {text} has no value; write FIELD=VALUE.")
        if name.strip() in values:
            raise click.UsageError(f"-f {name.strip()} is given twice.")
        values[name.strip()] = value
    return values


async def _ask(
    workspace: "Workspace", debate: str, answer_options: AnswerOptions, keyboard: "Keyboard | None"
) -> "Filled | None":
    """Show the question and ask for the answer; without a keyboard, show the question with its form."""
    from rich.text import Text

    from folkmoot.app.run.people import OutsideMessages, context_for, focus_turns, new_turns, open_ask_for
    from folkmoot.app.run.record_reader import time_left
    from folkmoot.cli.display.ask_people import ask_answer, show_question
    from folkmoot.cli.display.output import form, term
    from folkmoot.cli.display.text_layout import console_for, line
    from folkmoot.core.transcript import fold

    turn = await open_ask_for(workspace, debate, answer_options["who"])
    assert turn.ask is not None
    context, transcript = await context_for(workspace, debate, turn.key), fold(await workspace.entries(debate))
    left = (await time_left(workspace, debate)).get(turn.key)
    console = console_for()
    console.print(Text(line(context.brief.topic), style="bold"))
    outside = await OutsideMessages.of(workspace, debate, turn.key)
    show_question(
        console,
        turn.ask,
        context,
        turns=new_turns(context, transcript),
        about=focus_turns(context, transcript),
        outside=await outside.more(),
    )
    if keyboard:
        try:
            return replace(await ask_answer(console, keyboard, turn.ask, context, outside, left=left), key=turn.key)
        except EOFError:
            console.print()
            raise BriefError("no answer was given") from None
    for renderable in form(turn.ask.form.fields if turn.ask.form else ()):
        console.print(renderable)
    if left is not None:
        console.print(term(left))
    click.echo(f'folkmoot: answer with: folkmoot answer {debate} "…", or -f FIELD=VALUE for each field', err=True)
    return None


@rich_click.command()
@click.argument("debate", shell_complete=complete_debate)
@click.argument("words")
@click.option("--by", metavar="NAME", help="The speaker's name. Default: your user name.")
@store_option
def say(debate: str, words: str, by: str | None, store: Path | str | None) -> int:
    """Send a message to a debate. Models see it from the next question on; people also see it beside an open question.

    DEBATE is an id, a short id, or "last". WORDS is the message, or - for standard input.
    """
    from folkmoot.app.run.people import say as speak_up
    from folkmoot.app.run.record_reader import waiting

    async def speak() -> str:
        async with open_workspace(store) as workspace:
            debate_id = await workspace.find(debate)
            await speak_up(workspace, debate_id, by or _user(), _words(words))
            people = [turn.by for turn in await waiting(workspace, debate_id)]
            return f"{debate_id}: the message is saved; {_who_sees_message(people)}"

    click.echo(f"folkmoot: {run_command(speak())}", err=True)
    return DONE


def _who_sees_message(people: list[str]) -> str:
    """Who sees a message, and when; people with an open question see it beside the question."""
    from folkmoot.core.text import listed

    names = list(dict.fromkeys(people))
    if not names:
        return "everybody sees it from the next question on"
    readers = f"{names[0]} has an open question and sees it beside that question"
    if len(names) > 1:
        readers = f"{listed(names)} have open questions and see it beside them"
    return f"{readers}; everybody else sees it from the next question on"


def _words(typed: str) -> str:
    return sys.stdin.buffer.read(MOST).decode("utf-8", "replace") if typed == "-" else typed


def _user() -> str:
    """The user's name on this system, where it can be the name of a speaker."""
    from folkmoot.app.brief.names import check_name

    try:
        return check_name(getpass.getuser())
    except (BriefError, KeyError, OSError):
        return VIEWER
