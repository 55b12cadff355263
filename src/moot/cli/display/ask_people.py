"""Ask people at the terminal: one question after the other, each answered field by field.

The form decides which values are allowed. This module shows them, and asks again after a mistake.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text

from moot.app.program.in_place import Keyboard
from moot.app.run.people import OutsideMessages, ShownTurn, allowed_values, read_manual_reply
from moot.app.run.people import focus_turns as lay
from moot.app.run.people import new_turns as tell_news
from moot.app.run.record_reader import time_left
from moot.app.run.workspace import Workspace
from moot.cli.display.live_screen import Screen
from moot.cli.display.output import Output, question, term, viewer_messages
from moot.cli.display.text_layout import BAD, FAINT, WARN, Indented, line
from moot.cli.terminal import Interrupt
from moot.core.agent import Context
from moot.core.ask import ABSTAIN, REPLACES, Ask, Field, Form, Reply, Value, needed
from moot.core.errors import BriefError, Waiting
from moot.core.event import Interjected
from moot.core.labels import act_of, noun

FLAGS = ("yes", "no")

LOOK = 0.5
"""Seconds between two checks for messages of viewers."""

FEW = 3
"""Up to this many optional fields are asked for one by one; of more, the person picks the ones to fill in."""

MORE = Field(name="Anything else?", kind="choice", required=False)
"""The question for the optional field to fill in next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A person's answer: text, and fields by name; the key of the question, "" for the oldest open one."""

    words: str = ""
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    key: str = ""


class AnswerPrompt:
    """Asks one person for an answer, field by field.

    Args:
        console: where the form is shown.
        keyboard: where answers are typed.
        remarks: words beside a choice, such as whose turn it is.
        outside: messages of viewers; they are shown as they come.
    """

    def __init__(
        self, console: Console, keyboard: Keyboard, remarks: Mapping[str, str], outside: OutsideMessages
    ) -> None:
        self._console, self._keyboard, self._remarks, self._outside = console, keyboard, remarks, outside

    async def fill(self, ask: Ask) -> Filled:
        """The person's answer, which the form accepts.

        Raises:
            EOFError: the person will answer later.
        """
        while True:
            filled = await self._all(ask)
            try:
                read_manual_reply(ask, filled.words, filled.fields)
            except BriefError as error:
                self._refuse(error)
            else:
                return filled

    async def _all(self, ask: Ask) -> Filled:
        if ask.form is None:
            return Filled(words=await self._text(Field(name="Your answer")))
        form = ask.form
        fields: dict[str, Value] = {item.name: sole for item in form.fields if (sole := _known(item, ask))}
        many = len([item for item in form.fields if not item.required and _open(item, ask, fields)]) > FEW
        for item in form.fields:
            if item.required or not many:
                await self._add(ask, item, fields)
        if many:
            await self._more(ask, form, fields)
        # A ballot also has room for the voter's reason.
        why = Field(name="Why", required=False, help="your reason; everybody can read it")
        words = "" if any(item.kind == "text" for item in ask.form.fields) else await self._text(why)
        return Filled(words=words, fields=fields)

    async def _add(self, ask: Ask, asked: Field, fields: dict[str, Value]) -> None:
        """Ask for a field, unless it has a value already or cannot have one."""
        if not _open(asked, ask, fields):
            return
        value = await self._field(ask, replace(asked, required=_must(asked, ask, fields)), self._remarks)
        if value is not None:
            fields[asked.name] = value

    async def _more(self, ask: Ask, form: Form, fields: dict[str, Value]) -> None:
        """Ask which optional fields the person wants to fill in, and ask for those."""
        while names := {item.name: item for item in form.fields if _open(item, ask, fields)}:
            wanted = replace(MORE, choices=tuple(names))
            name = await self._field(ask, wanted, {name.name: name.help for name in names.values()})
            if not isinstance(name, str):
                return
            await self._add(ask, names[name], fields)
            for item in form.fields:
                if _must(item, ask, fields):
                    await self._add(ask, item, fields)

    async def _field(self, ask: Ask, asked: Field, remarks: Mapping[str, str]) -> Value | None:
        """The value of a field; None if it is left out."""
        if asked.kind == "text":
            return await self._text(asked) or None
        while True:
            self._name(asked)
            options = _options(asked)
            for n, option in enumerate(options, start=1):
                said = Text(line(option))
                said.append(f"  {line(remarks[option])}" if remarks.get(option) else "", style=FAINT)
                self._console.print(Indented(said, f"{n:>3}  ", "     ", FAINT))
            try:
                raw = await (self._rows() if asked.kind == "list" else self._line())
                if raw.strip() or asked.required:
                    return _value(ask, asked, _picked(asked, options, raw.strip()))
                return None
            except BriefError as error:
                self._refuse(error)

    async def _text(self, asked: Field) -> str:
        """A text of any number of lines; "" if it is left out."""
        while True:
            self._name(asked)
            try:
                words = (await self._rows()).strip()
            except BriefError as error:
                self._refuse(error)
                continue
            if words or not asked.required:
                return words
            self._refuse(BriefError(f"{asked.name} is required"))

    async def _rows(self) -> str:
        rows: list[str] = []
        while (row := await self._line()).strip() or (rows and await self._keyboard.pasted()):
            rows.append(row)
        return "\n".join(rows)

    async def _line(self) -> str:
        self._prompt()
        while True:
            try:
                async with asyncio.timeout(LOOK):
                    return await self._keyboard.line()
            except TimeoutError:
                await self._overhear()

    async def _overhear(self) -> None:
        """Show new messages of viewers; text that is already typed is kept."""
        if said := await self._outside.more():
            self._console.print()
            for renderable in viewer_messages(said):
                self._console.print(renderable)
            self._prompt()

    def _prompt(self) -> None:
        self._console.print(Text("> ", style="bold"), end="")
        self._console.file.flush()

    def _name(self, asked: Field) -> None:
        """Show the field's name, the allowed values, and what Enter does."""
        self._console.print(Text.assemble((line(asked.name), "bold"), (f"  {_told(asked)}", FAINT)))

    def _refuse(self, error: BriefError) -> None:
        self._console.print(Text(f"{line(error.found)}.", style=BAD))
        self._keyboard.drop()


def _told(asked: Field) -> str:
    helped = [line(asked.help)] if asked.help else []
    if asked.kind in ("number", "flag"):
        helped.append("yes or no" if asked.kind == "flag" else line(allowed_values(asked)))
    match asked.kind:
        case "text" | "list":
            how = (
                "one item on each line; finish with an empty line"
                if asked.kind == "list"
                else "finish with an empty line"
            )
        case "choice" | "flag":
            how = "type the number or the words"
        case _:
            how = ""
    left_out = (
        ""
        if asked.required
        else "press Enter if not"
        if asked.name == MORE.name
        else "optional: press Enter to skip it"
    )
    return " · ".join(filter(None, (*helped, how, left_out)))


def _options(asked: Field) -> tuple[str, ...]:
    """The options that can be chosen by number."""
    if asked.kind == "flag":
        return FLAGS
    return (*asked.choices, "abstain") if asked.abstain else asked.choices


def _picked(asked: Field, options: tuple[str, ...], raw: str) -> Value:
    """The typed option; a word that equals an option has priority over a number."""
    if asked.kind == "list":
        return "\n".join(_chosen(options, row.strip()) for row in raw.split("\n")) if options else raw
    words = _chosen(options, raw)
    if asked.kind == "flag" and words in FLAGS:
        return words == FLAGS[0]
    return ABSTAIN if asked.abstain and words == "abstain" else words


def _chosen(options: tuple[str, ...], raw: str) -> str:
    words = {option.casefold(): option for option in options}.get(raw.casefold())
    if words is None and raw.isdecimal() and 0 < int(raw) <= len(options):
        words = options[int(raw) - 1]
    return words or raw


def _value(ask: Ask, asked: Field, raw: Value) -> Value:
    """A value as the form accepts it.

    Raises:
        BriefError: the value is not allowed.
    """
    if raw == "":
        raise BriefError(f"{asked.name} is required")
    alone = replace(ask, form=Form(name="one", fields=(asked,)))
    return read_manual_reply(alone, "", {asked.name: raw}).fields[asked.name]


def _known(asked: Field, ask: Ask) -> str:
    """The value of a field with a single choice; "" for all other fields."""
    sole = asked.kind == "choice" and len(asked.choices) == 1 and not asked.abstain
    return asked.choices[0] if sole and (asked.required or asked.name == REPLACES) else ""


def _open(asked: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field has to be asked for.

    Not a field that has a value, that has no choices, that names the readers of a text which was left out, or that
    belongs to a field which was left out or has another value.
    """
    if asked.name in fields or (asked.kind == "choice" and (not asked.choices or asked.choices == (ask.to,))):
        return False
    said = _receivers(ask.form).get(asked.name)
    if said is not None and said not in fields:
        return False
    if asked.needs and not asked.when and asked.needs not in fields:
        return False
    by_value = [partner for partner in _partners(asked, ask.form) if partner.when and partner.name in fields]
    return not by_value or _must(asked, ask, fields)


def _must(asked: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field is required, by itself or because of earlier answers."""
    beside = [partner for partner in _partners(asked, ask.form) if partner.name in fields]
    called_for = any(needed(item, fields[item.name]) for item in beside)
    return asked.required or asked.name in _receivers(ask.form) or called_for


def _partners(asked: Field, form: Form | None) -> list[Field]:
    """The fields that may require this one."""
    return [item for item in form.fields if item.needs == asked.name] if form else []


def _receivers(form: Form | None) -> dict[str, str]:
    """The fields that name the readers of another field, each with that field."""
    return {item.to: item.name for item in form.fields if item.to and item.to != item.name} if form else {}


LOOKS, STEP = 100, 0.02
"""How often a question checks that the screen shows the turns before it, and the seconds between two checks."""


class Terminal:
    """Asks the people of one debate at the terminal on which it runs; see ``agents.human.Interface``.

    Args:
        workspace: the workspace.
        debate: the debate's id.
        screen: it waits while somebody is asked.
        keyboard: where answers are typed.
    """

    def __init__(self, workspace: Workspace, debate: str, screen: Screen, keyboard: Keyboard) -> None:
        self._workspace, self._debate, self._screen, self._keyboard = workspace, debate, screen, keyboard
        self._turn = asyncio.Lock()
        self._left = False

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Ask the person the question.

        Raises:
            Waiting: the person will answer later.
        """
        screen = self._screen
        await self._catch_up(ask.key)
        try:
            async with self._turn:
                return await self._put(ask, context)
        except (asyncio.CancelledError, Waiting):
            screen.release(ask.key)
            raise

    async def _put(self, ask: Ask, context: Context) -> Reply:
        screen = self._screen
        if self._left:
            raise Waiting
        left = (await time_left(self._workspace, self._debate)).get(ask.key)
        ends = None if left is None else time.monotonic() + left
        said = [shown for shown in tell_news(context, screen.view.transcript) if shown.turn.key not in screen.shown]
        try:
            outside = await OutsideMessages.of(self._workspace, self._debate, ask.key)
            heard = await outside.more()
            show_question(
                screen.console, ask, context, said=said, about=lay(context, screen.view.transcript), outside=heard
            )
            filled = await ask_answer(screen.console, self._keyboard, ask, context, outside, left=left)
        except EOFError:
            if not self._left:
                screen.console.print()
            raise Waiting from None
        except asyncio.CancelledError:
            self._close(ask, over=ends is not None and time.monotonic() > ends - STEP)
            raise
        return read_manual_reply(ask, filled.words, filled.fields)

    def leave(self) -> None:
        """Ask nobody any more; a person who is asked now will answer later."""
        if self._turn.locked() and not self._left:
            self._screen.console.print()
        self._left = True
        self._keyboard.leave()

    async def _catch_up(self, key: str) -> None:
        """Wait until the screen shows everything on record."""
        for _ in range(LOOKS):
            await asyncio.sleep(STEP)
            if any(turn.key == key for turn in self._screen.view.transcript.all()):
                return

    def _close(self, ask: Ask, *, over: bool) -> None:
        name = line(ask.to)
        why = f"the time for the answer of {name} is over" if over else f"{name} is no longer asked here"
        self._screen.console.print()
        self._screen.console.print(Text(f"{why}.", style=WARN))
        self._keyboard.drop()


def show_question(
    console: Console,
    ask: Ask,
    context: Context,
    *,
    said: Sequence[ShownTurn],
    about: Sequence[ShownTurn],
    outside: Sequence[Interjected],
) -> None:
    """Show a question, and before it the turns that lead to it."""
    laid = {shown.turn.key for shown in about}
    for renderable in question(ask, context, [one for one in said if one.turn.key not in laid], about, outside):
        console.print(renderable)


async def ask_answer(
    console: Console, keyboard: Keyboard, ask: Ask, context: Context, outside: OutsideMessages, *, left: float | None
) -> Filled:
    """Ask for the answer, field by field; messages of viewers are shown as they come.

    Raises:
        EOFError: the person will answer later.
    """
    marks = {turn.mark: f"{turn.by}, {noun(act_of(turn))}" for turn in (*context.turns, *context.about)}
    note = " · ".join(filter(None, (term(left), "Ctrl-D: answer later")))
    console.print(Text(note, style=FAINT))
    keyboard.drop()
    return await AnswerPrompt(console, keyboard, {} if context.view.anonymous else marks, outside).fill(ask)


def people_interface(
    workspace: Workspace, debate: str, output: Output, interrupt: Interrupt, *, away: bool
) -> Terminal | None:
    """The terminal for the people of a debate; None if nobody can be asked here.

    Args:
        workspace: the workspace.
        debate: the debate's id.
        output: how the debate is shown.
        interrupt: it ends the open question.
        away: whether people answer elsewhere.
    """
    shown = output.screen is not None and output.console.file.isatty()
    keyboard = Keyboard.here() if shown and not away else None
    if output.screen is None or keyboard is None:
        return None
    output.screen.in_place = True
    door = Terminal(workspace, debate, output.screen, keyboard)
    interrupt.leave = door.leave
    return door
