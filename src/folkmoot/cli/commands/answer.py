"""``folkmoot answer`` and ``folkmoot say``: people take part in a debate that runs elsewhere, or that waits for them."""

import getpass
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

import click

from folkmoot.cli.commands.run import ResumeOptions, resume_debate
from folkmoot.cli.options import (
    DONE,
    EXIT_CODES,
    USAGE,
    Store,
    command,
    debate_argument,
    limit_options,
    note,
    open_workspace,
    option,
    output_options,
    run_command,
    store_option,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.text import listed

if TYPE_CHECKING:
    from folkmoot.app.run.workspace import Workspace
    from folkmoot.cli.display.ask_people import Filled

VIEWER = "Viewer"
"""The speaker's name where the system knows none."""

MOST = 1_000_000
"""The most bytes that are read from standard input; the workspace allows fewer."""


@command(epilog=EXIT_CODES)
@debate_argument
@click.argument("words", required=False)
@option("--as", "who", default="", metavar="NAME", help="Whose answer this is, if the debate waits for several.")
@option("-f", "--field", multiple=True, metavar="FIELD=VALUE", help="A field of the form. Can be repeated.")
@option("--no-run", is_flag=True, help="Only save the answer. Continue later with folkmoot resume.")
@limit_options
@output_options
@store_option
def answer(
    debate: str,
    words: str | None,
    who: str,
    field: tuple[str, ...],
    no_run: bool,
    store: Store,
    **options: Unpack[ResumeOptions],
) -> int:
    """Answer a question that a debate asks a person, then continue the debate.

    DEBATE is an id, a short id, or "last". WORDS is the answer, or - for standard input. Without
    WORDS you are asked for each field. Without a terminal, the question is printed.
    """
    fields: dict[str, str] = {}
    for text in field:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.UsageError(f"-f {text} has no value; write FIELD=VALUE.")
        if name.strip() in fields:
            raise click.UsageError(f"-f {name.strip()} is given twice.")
        fields[name.strip()] = value
    debate, goes_on = run_command(_answer(debate, words, who, fields, store, no_run=no_run))
    if goes_on is None:
        return USAGE
    return run_command(resume_debate(debate, store, options)) if goes_on else DONE


async def _answer(
    name: str, words: str | None, who: str, fields: dict[str, str], store: Store, *, no_run: bool
) -> tuple[str, bool | None]:
    """Save an answer; returns the debate's id, and whether it continues here (None: no answer was given)."""
    from folkmoot.app.program.program_agents import names_inside
    from folkmoot.app.run.outcome import opening
    from folkmoot.app.run.people import answer as save_answer
    from folkmoot.cli.display.ask_people import Filled
    from folkmoot.core.transcript import fold
    from folkmoot.report.conclusion import outcome_view

    async with open_workspace(store) as workspace:
        debate = await workspace.find(name)
        if words is not None or fields:
            filled = Filled(words=_typed(words or ""), fields=fields)
        else:
            filled = await _ask(workspace, debate, who)
        if filled is None:
            return debate, None
        await save_answer(workspace, debate, filled.words, who=who, key=filled.key, fields=filled.fields)
        entries = await workspace.entries(debate)
        job = await workspace.queue.job(debate) if workspace.queue else None
    if job and job.state != "cancelled":
        note("the answer is saved; a worker continues the debate: folkmoot worker queue")
        return debate, False
    paused, guests = outcome_view(fold(entries)).status == "paused", names_inside(opening(debate, entries).brief)
    if paused and not no_run and not guests:
        return debate, True
    running = "" if paused else "the process that runs the debate will read it; if that process has ended, "
    way = f"in the program that answers for {listed(guests)}" if guests else f"with: folkmoot resume {debate}"
    note(f"the answer is saved; {running}continue {way}")
    return debate, False


async def _ask(workspace: "Workspace", debate: str, who: str) -> "Filled | None":
    """Show the question and ask for the answer; without a terminal, show the question with its form, and return None."""
    from rich.text import Text

    from folkmoot.app.program.in_place import Keyboard
    from folkmoot.app.run.people import OutsideMessages, context_for, open_ask_for
    from folkmoot.app.run.record_reader import time_left
    from folkmoot.cli.display.ask_people import ask_answer, form_lines, show_question, term
    from folkmoot.cli.display.text_layout import console_for, line
    from folkmoot.core.transcript import fold

    keyboard = Keyboard.here() if sys.stdout.isatty() else None
    turn = await open_ask_for(workspace, debate, who)
    assert turn.ask is not None
    context, transcript = await context_for(workspace, debate, turn.key), fold(await workspace.entries(debate))
    left = (await time_left(workspace, debate)).get(turn.key)
    console = console_for()
    console.print(Text(line(context.brief.topic), style="bold"))
    outside = await OutsideMessages.of(workspace, debate, turn.key)
    show_question(console, turn.ask, context, transcript, await outside.more())
    if keyboard:
        try:
            return replace(await ask_answer(console, keyboard, turn.ask, context, outside, left=left), key=turn.key)
        except EOFError:
            console.print()
            raise BriefError("no answer was given") from None
    for renderable in form_lines(turn.ask.form):
        console.print(renderable)
    if left is not None:
        console.print(term(left))
    note(f'answer with: folkmoot answer {debate} "…", or -f FIELD=VALUE for each field')
    return None


@command()
@debate_argument
@click.argument("words")
@option("--by", metavar="NAME", help="The speaker's name. Default: your user name.")
@option("--to", metavar="TURN", default="", help="The turn that the message replies to, such as T3.")
@store_option
def say(debate: str, words: str, by: str | None, to: str, store: Store) -> int:
    """Send a message to a debate.

    Models see it from the next question on; people also see it beside an open question.

    DEBATE is an id, a short id, or "last". WORDS is the message, or - for standard input.
    """
    from folkmoot.app.run.people import say as speak_up
    from folkmoot.app.run.record_reader import waiting

    async def speak() -> tuple[str, list[str]]:
        async with open_workspace(store) as workspace:
            found = await workspace.find(debate)
            await speak_up(workspace, found, by or _user(), _typed(words), to.upper())
            return found, list(dict.fromkeys(turn.by for turn in await waiting(workspace, found)))

    found, asked = run_command(speak())
    now = f"{listed(asked)}, who {'have' if len(asked) > 1 else 'has'} an open question, now; " if asked else ""
    note(f"{found}: the message is saved; it is shown to {now}everybody{' else' if now else ''} with the next question")
    return DONE


def _typed(words: str) -> str:
    return sys.stdin.buffer.read(MOST).decode("utf-8", "replace") if words == "-" else words


def _user() -> str:
    """The user's name on this system, where it can be the name of a speaker."""
    from folkmoot.app.brief.names import check_name

    try:
        return check_name(getpass.getuser())
    except (BriefError, KeyError, OSError):
        return VIEWER
