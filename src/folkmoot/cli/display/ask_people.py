"""Ask people at the terminal: one question after the other, each answered field by field.

The form decides which values are allowed. This module shows them, and asks again after a mistake.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text

from folkmoot.app.program.in_place import Keyboard
from folkmoot.app.run.people import REASON, OutsideMessages, ShownTurn, allowed_values, read_manual_reply, takes_reason
from folkmoot.app.run.people import focus_turns as lay
from folkmoot.app.run.people import new_turns as tell_news
from folkmoot.app.run.record_reader import time_left
from folkmoot.app.run.workspace import Workspace
from folkmoot.cli.display.live_screen import Screen
from folkmoot.cli.display.output import Output, question, term, viewer_messages
from folkmoot.cli.display.text_layout import BAD, FAINT, WARN, Indented, line
from folkmoot.cli.terminal import Interrupt
from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, REPLACES, Ask, Field, Form, Reply, Value, needed
from folkmoot.core.errors import BriefError, Waiting
from folkmoot.core.event import Interjected
from folkmoot.core.labels import act_of, noun

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
            filled = await self._ask_all(ask)
            try:
                read_manual_reply(ask, filled.words, filled.fields)
            except BriefError as error:
                self._refuse(error)
            else:
                return filled

    async def _ask_all(self, ask: Ask) -> Filled:
        if ask.form is None:
            return Filled(words=await self._text(Field(name="Your answer")))
        form = ask.form
        fields: dict[str, Value] = {item.name: sole for item in form.fields if (sole := _only_choice(item, ask))}
        many = len([item for item in form.fields if not item.required and _open(item, ask, fields)]) > FEW
        for item in form.fields:
            if item.required or not many:
                await self._add(ask, item, fields)
        if many:
            await self._ask_optional(ask, form, fields)
        words = await self._text(Field(name="Why", required=False, help=REASON)) if takes_reason(form) else ""
        return Filled(words=words, fields=fields)

    async def _add(self, ask: Ask, form_field: Field, fields: dict[str, Value]) -> None:
        """Ask for a field, unless it has a value already or cannot have one."""
        if not _open(form_field, ask, fields):
            return
        value = await self._field(
            ask, replace(form_field, required=_is_required(form_field, ask, fields)), self._remarks
        )
        if value is None:
            return
        fields[form_field.name] = value
        for item in ask.form.fields if ask.form else ():
            if item.name == needed(form_field, value):  # a verdict's reasons, which stand before it in the form
                await self._add(ask, item, fields)

    async def _ask_optional(self, ask: Ask, form: Form, fields: dict[str, Value]) -> None:
        """Ask which optional fields the person wants to fill in, and ask for those."""
        while names := {item.name: item for item in form.fields if _open(item, ask, fields)}:
            wanted = replace(MORE, choices=tuple(names))
            name = await self._field(ask, wanted, {name.name: name.help for name in names.values()})
            if not isinstance(name, str):
                return
            await self._add(ask, names[name], fields)
            for item in form.fields:
                if _is_required(item, ask, fields):
                    await self._add(ask, item, fields)

    async def _field(self, ask: Ask, form_field: Field, remarks: Mapping[str, str]) -> Value | None:
        """The value of a field; None if it is left out."""
        if form_field.kind == "text":
            return await self._text(form_field) or None
        while True:
            self._name(form_field)
            options = _options(form_field)
            for n, option in enumerate(options, start=1):
                option_text = Text(line(option))
                option_text.append(f"  {line(remarks[option])}" if remarks.get(option) else "", style=FAINT)
                self._console.print(Indented(option_text, f"{n:>3}  ", "     ", FAINT))
            try:
                raw = await (self._rows() if form_field.kind == "list" else self._line())
                if raw.strip() or form_field.required:
                    return _value(ask, form_field, _option_typed(form_field, options, raw.strip()))
                return None
            except BriefError as error:
                self._refuse(error)

    async def _text(self, form_field: Field) -> str:
        """A text of any number of lines; "" if it is left out."""
        while True:
            self._name(form_field)
            try:
                words = (await self._rows()).strip()
            except BriefError as error:
                self._refuse(error)
                continue
            if words or not form_field.required:
                return words
            self._refuse(BriefError(f"{form_field.name} is required"))

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
                await self._show_messages()

    async def _show_messages(self) -> None:
        """Show new messages of viewers; text that is already typed is kept."""
        if messages := await self._outside.more():
            self._console.print()
            for renderable in viewer_messages(messages):
                self._console.print(renderable)
            self._prompt()

    def _prompt(self) -> None:
        self._console.print(Text("> ", style="bold"), end="")
        self._console.file.flush()

    def _name(self, form_field: Field) -> None:
        """Show the field's name, the allowed values, and what Enter does."""
        self._console.print(Text.assemble((line(form_field.name), "bold"), (f"  {_field_help(form_field)}", FAINT)))

    def _refuse(self, error: BriefError) -> None:
        self._console.print(Text(f"{line(error.found)}.", style=BAD))
        self._keyboard.drop()


def _field_help(form_field: Field) -> str:
    helped = [line(form_field.help)] if form_field.help else []
    if form_field.kind in ("number", "flag"):
        helped.append("yes or no" if form_field.kind == "flag" else line(allowed_values(form_field)))
    match form_field.kind:
        case "text" | "list":
            way = (
                "one item on each line; finish with an empty line"
                if form_field.kind == "list"
                else "finish with an empty line"
            )
        case "choice" | "flag":
            way = "type the number or the words"
        case _:
            way = ""
    left_out = (
        ""
        if form_field.required
        else "press Enter if not"
        if form_field.name == MORE.name
        else "optional: press Enter to skip it"
    )
    return " · ".join(filter(None, (*helped, way, left_out)))


def _options(form_field: Field) -> tuple[str, ...]:
    """The options that can be chosen by number."""
    if form_field.kind == "flag":
        return FLAGS
    return (*form_field.choices, "abstain") if form_field.abstain else form_field.choices


def _option_typed(form_field: Field, options: tuple[str, ...], raw: str) -> Value:
    """The typed option; a word that equals an option has priority over a number."""
    if form_field.kind == "list":
        return "\n".join(_matching_option(options, row.strip()) for row in raw.split("\n")) if options else raw
    words = _matching_option(options, raw)
    if form_field.kind == "flag" and words in FLAGS:
        return words == FLAGS[0]
    return ABSTAIN if form_field.abstain and words == "abstain" else words


def _matching_option(options: tuple[str, ...], raw: str) -> str:
    words = {option.casefold(): option for option in options}.get(raw.casefold())
    if words is None and raw.isdecimal() and 0 < int(raw) <= len(options):
        words = options[int(raw) - 1]
    return words or raw


def _value(ask: Ask, form_field: Field, raw: Value) -> Value:
    """A value as the form accepts it.

    Raises:
        BriefError: the value is not allowed.
    """
    if raw == "":
        raise BriefError(f"{form_field.name} is required")
    alone = replace(ask, form=Form(name="one", fields=(form_field,)))
    return read_manual_reply(alone, "", {form_field.name: raw}).fields[form_field.name]


def _only_choice(form_field: Field, ask: Ask) -> str:
    """The value of a field with a single choice; "" for all other fields."""
    sole = form_field.kind == "choice" and len(form_field.choices) == 1 and not form_field.abstain
    return form_field.choices[0] if sole and (form_field.required or form_field.name == REPLACES) else ""


def _open(form_field: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field has to be asked for.

    Not a field that has a value, that has no choices, that names the readers of a text which was left out, or that
    belongs to a field which was left out or has another value.
    """
    if form_field.name in fields or (
        form_field.kind == "choice" and (not form_field.choices or form_field.choices == (ask.to,))
    ):
        return False
    receiver = _receivers(ask.form).get(form_field.name)
    if receiver is not None and receiver not in fields:
        return False
    if form_field.needs and not form_field.when and form_field.needs not in fields and not _leads(form_field, ask.form):
        return False
    by_value = [
        partner for partner in _requiring_fields(form_field, ask.form) if partner.when and partner.name in fields
    ]
    return not by_value or _is_required(form_field, ask, fields)


def _leads(form_field: Field, form: Form | None) -> bool:
    """Whether a field is asked for before the one that it needs and that needs it: a verdict before its reasons."""
    names = [item.name for item in form.fields] if form else []
    mutual = form_field.needs in {item.name for item in _requiring_fields(form_field, form)}
    return mutual and names.index(form_field.needs) < names.index(form_field.name)


def _is_required(form_field: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field is required, by itself or because of earlier answers."""
    beside = [partner for partner in _requiring_fields(form_field, ask.form) if partner.name in fields]
    called_for = any(needed(item, fields[item.name]) for item in beside)
    return form_field.required or form_field.name in _receivers(ask.form) or called_for


def _requiring_fields(form_field: Field, form: Form | None) -> list[Field]:
    """The fields that may require this one."""
    return [item for item in form.fields if item.needs == form_field.name] if form else []


def _receivers(form: Form | None) -> dict[str, str]:
    """The fields that name the readers of another field, each with that field."""
    return {item.to: item.name for item in form.fields if item.to and item.to != item.name} if form else {}


LOOKS = 100
"""How often a question checks that the screen shows the turns before it."""

STEP = 0.02
"""Seconds between two checks."""


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
                return await self._ask_in_terminal(ask, context)
        except (asyncio.CancelledError, Waiting):
            screen.release(ask.key)
            raise

    async def _ask_in_terminal(self, ask: Ask, context: Context) -> Reply:
        screen = self._screen
        if self._left:
            raise Waiting
        left = (await time_left(self._workspace, self._debate)).get(ask.key)
        ends = None if left is None else time.monotonic() + left
        shown_turns = [
            shown for shown in tell_news(context, screen.state.fold.transcript) if shown.turn.key not in screen.shown
        ]
        try:
            outside = await OutsideMessages.of(self._workspace, self._debate, ask.key)
            outside_messages = await outside.more()
            show_question(
                screen.console,
                ask,
                context,
                turns=shown_turns,
                about=lay(context, screen.state.fold.transcript),
                outside=outside_messages,
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
            if any(turn.key == key for turn in self._screen.state.fold.transcript.all()):
                return

    def _close(self, ask: Ask, *, over: bool) -> None:
        name = line(ask.to)
        reason = f"the time for the answer of {name} is over" if over else f"{name} is no longer asked here"
        self._screen.console.print()
        self._screen.console.print(Text(f"{reason}.", style=WARN))
        self._keyboard.drop()


def show_question(
    console: Console,
    ask: Ask,
    context: Context,
    *,
    turns: Sequence[ShownTurn],
    about: Sequence[ShownTurn],
    outside: Sequence[Interjected],
) -> None:
    """Show a question, and before it the turns that lead to it."""
    laid = {shown.turn.key for shown in about}
    for renderable in question(
        ask, context, [shown_turn for shown_turn in turns if shown_turn.turn.key not in laid], about, outside
    ):
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
    interface = Terminal(workspace, debate, output.screen, keyboard)
    interrupt.leave = interface.leave
    return interface
