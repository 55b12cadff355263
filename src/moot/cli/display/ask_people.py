"""A form filled in by hand. This file owns how a person is asked for each field, and when a field is asked again.

People asked in place. This file owns how a terminal is a door of the desk: one question after the other.

What a value may be is the desk's business; here it is only said and asked for.
"""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text

from moot.app.program.in_place import Keyboard
from moot.app.run.people import Meanwhile, Shown, allowed, by_hand, time_left
from moot.app.run.people import laid as lay
from moot.app.run.people import news as tell_news
from moot.app.run.workspace import Workspace
from moot.cli.display.live_screen import Screen
from moot.cli.display.output import Face, overheard, question, term
from moot.cli.display.text_layout import BAD, FAINT, WARN, Inset, line
from moot.cli.terminal import Interrupt
from moot.core.agent import Context
from moot.core.ask import ABSTAIN, REPLACES, Ask, Field, Form, Reply, Value, needed
from moot.core.errors import BriefError, Waiting
from moot.core.event import Interjected
from moot.core.labels import act_of, noun

FLAGS = ("yes", "no")

LOOK = 0.5
"""Seconds between two looks for what is said from outside."""

FEW = 3
"""So many fields that may be left out are asked for one by one; of more, only those that somebody wants to fill in."""

MORE = Field(name="Anything else?", kind="choice", required=False)
"""How somebody is asked which of them that is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What a person has given: words, and fields by name; the key of the question, "" for the oldest open one."""

    words: str = ""
    fields: Mapping[str, Value] = field(default_factory=dict[str, Value])
    key: str = ""


class Sheet:
    """Asks one person for an answer, field by field.

    Args:
        console: where to.
        keyboard: where from.
        remarks: what is said beside a choice, such as whose turn a mark is.
        outside: what is said from outside meanwhile; it is shown as it comes.
    """

    def __init__(self, console: Console, keyboard: Keyboard, remarks: Mapping[str, str], outside: Meanwhile) -> None:
        self._console, self._keyboard, self._remarks, self._outside = console, keyboard, remarks, outside

    async def fill(self, ask: Ask) -> Filled:
        """What the person gives; it can be used as it is.

        Raises:
            EOFError: the person will answer later.
        """
        while True:
            filled = await self._all(ask)
            try:
                by_hand(ask, filled.words, filled.fields)
            except BriefError as error:
                self._refuse(error)
            else:
                return filled

    async def _all(self, ask: Ask) -> Filled:
        if ask.form is None:
            return Filled(words=await self._text(Field(name="Your words")))
        form = ask.form
        fields: dict[str, Value] = {each.name: sole for each in form.fields if (sole := _known(each, ask))}
        many = len([each for each in form.fields if not each.required and _open(each, ask, fields)]) > FEW
        for each in form.fields:
            if each.required or not many:
                await self._add(ask, each, fields)
        if many:
            await self._more(ask, form, fields)
        # A ballot has room for the voter's reason beside its formula.
        why = Field(name="Why", required=False, help="your reason, for all to read")
        words = "" if any(each.kind == "text" for each in ask.form.fields) else await self._text(why)
        return Filled(words=words, fields=fields)

    async def _add(self, ask: Ask, asked: Field, fields: dict[str, Value]) -> None:
        """Ask for a field, unless there is nothing to ask, or it is there already."""
        if not _open(asked, ask, fields):
            return
        value = await self._field(ask, replace(asked, required=_must(asked, ask, fields)), self._remarks)
        if value is not None:
            fields[asked.name] = value

    async def _more(self, ask: Ask, form: Form, fields: dict[str, Value]) -> None:
        """Ask for what may be left out: only what is wanted, by its name."""
        while names := {each.name: each for each in form.fields if _open(each, ask, fields)}:
            wanted = replace(MORE, choices=tuple(names))
            name = await self._field(ask, wanted, {each.name: each.help for each in names.values()})
            if not isinstance(name, str):
                return
            await self._add(ask, names[name], fields)
            for each in form.fields:
                if _must(each, ask, fields):
                    await self._add(ask, each, fields)

    async def _field(self, ask: Ask, asked: Field, remarks: Mapping[str, str]) -> Value | None:
        """The value of a field; None where it is left out."""
        if asked.kind == "text":
            return await self._text(asked) or None
        while True:
            self._name(asked)
            options = _options(asked)
            for n, option in enumerate(options, start=1):
                said = Text(line(option))
                said.append(f"  {line(remarks[option])}" if remarks.get(option) else "", style=FAINT)
                self._console.print(Inset(said, f"{n:>3}  ", "     ", FAINT))
            try:
                raw = await (self._rows() if asked.kind == "list" else self._line())
                if raw.strip() or asked.required:
                    return _value(ask, asked, _picked(asked, options, raw.strip()))
                return None
            except BriefError as error:
                self._refuse(error)

    async def _text(self, asked: Field) -> str:
        """Words over as many lines as somebody likes; "" where they are left out."""
        while True:
            self._name(asked)
            try:
                words = (await self._rows()).strip()
            except BriefError as error:
                self._refuse(error)
                continue
            if words or not asked.required:
                return words
            self._refuse(BriefError(f"{asked.name} cannot be left out"))

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
        """Show what was said from outside meanwhile; what is typed already still counts."""
        if said := await self._outside.more():
            self._console.print()
            for each in overheard(said):
                self._console.print(each)
            self._prompt()

    def _prompt(self) -> None:
        self._console.print(Text("> ", style="bold"), end="")
        self._console.file.flush()

    def _name(self, asked: Field) -> None:
        """What the field is, what may stand in it, and what Enter does."""
        self._console.print(Text.assemble((line(asked.name), "bold"), (f"  {_told(asked)}", FAINT)))

    def _refuse(self, error: BriefError) -> None:
        self._console.print(Text(f"{line(error.found)}.", style=BAD))
        self._keyboard.drop()


def _told(asked: Field) -> str:
    helped = [line(asked.help)] if asked.help else []
    if asked.kind in ("number", "flag"):
        helped.append("yes or no" if asked.kind == "flag" else line(allowed(asked)))
    match asked.kind:
        case "text" | "list":
            how = "one item a line; an empty line ends it" if asked.kind == "list" else "an empty line ends it"
        case "choice" | "flag":
            how = "the number or the words"
        case _:
            how = ""
    left_out = "" if asked.required else "Enter for nothing" if asked.name == MORE.name else "Enter leaves it out"
    return " · ".join(filter(None, (*helped, how, left_out)))


def _options(asked: Field) -> tuple[str, ...]:
    """What can be chosen by its number."""
    if asked.kind == "flag":
        return FLAGS
    return (*asked.choices, "abstain") if asked.abstain else asked.choices


def _picked(asked: Field, options: tuple[str, ...], raw: str) -> Value:
    """The words that a number stands for; a word that is one of the options goes before a number."""
    if asked.kind == "list":
        return "\n".join(_chosen(options, row.strip()) for row in raw.split("\n")) if options else raw
    words = _chosen(options, raw)
    if asked.kind == "flag" and words in FLAGS:
        return words == FLAGS[0]
    return ABSTAIN if asked.abstain and words == "abstain" else words


def _chosen(options: tuple[str, ...], raw: str) -> str:
    words = {each.casefold(): each for each in options}.get(raw.casefold())
    if words is None and raw.isdecimal() and 0 < int(raw) <= len(options):
        words = options[int(raw) - 1]
    return words or raw


def _value(ask: Ask, asked: Field, raw: Value) -> Value:
    """A value as the form takes it.

    Raises:
        BriefError: it cannot stand there.
    """
    if raw == "":
        raise BriefError(f"{asked.name} cannot be left out")
    alone = replace(ask, form=Form(name="one", fields=(asked,)))
    return by_hand(alone, "", {asked.name: raw}).fields[asked.name]


def _known(asked: Field, ask: Ask) -> str:
    """The value of a field that leaves nothing to choose; "" for all others."""
    sole = asked.kind == "choice" and len(asked.choices) == 1 and not asked.abstain
    return asked.choices[0] if sole and (asked.required or asked.name == REPLACES) else ""


def _open(asked: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether there is anything to ask.

    Not for what is there already, whose name it is, who hears words that nobody says, what goes with a field that was
    left out, or with another value than was chosen.
    """
    if asked.name in fields or (asked.kind == "choice" and (not asked.choices or asked.choices == (ask.to,))):
        return False
    said = _receivers(ask.form).get(asked.name)
    if said is not None and said not in fields:
        return False
    if asked.needs and not asked.when and asked.needs not in fields:
        return False
    by_value = [each for each in _partners(asked, ask.form) if each.when and each.name in fields]
    return not by_value or _must(asked, ask, fields)


def _must(asked: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field cannot be left out: by itself, or because of what was said before."""
    beside = [each for each in _partners(asked, ask.form) if each.name in fields]
    called_for = any(needed(each, fields[each.name]) for each in beside)
    return asked.required or asked.name in _receivers(ask.form) or called_for


def _partners(asked: Field, form: Form | None) -> list[Field]:
    """The fields that may call for this one."""
    return [each for each in form.fields if each.needs == asked.name] if form else []


def _receivers(form: Form | None) -> dict[str, str]:
    """The fields that say who may read another one, each with that one."""
    return {each.to: each.name for each in form.fields if each.to and each.to != each.name} if form else {}


LOOKS, STEP = 100, 0.02
"""How often a question looks whether the screen shows what was said before it, and the seconds between two looks."""


class Terminal:
    """Asks the people of one debate at the terminal at which it is held; see ``app.run.people.Door``.

    Args:
        desk: the desk.
        debate: the debate's id.
        screen: it stands still while anybody is asked.
        keyboard: where answers are typed.
    """

    def __init__(self, workspace: Workspace, debate: str, screen: Screen, keyboard: Keyboard) -> None:
        self._workspace, self._debate, self._screen, self._keyboard = workspace, debate, screen, keyboard
        self._turn = asyncio.Lock()
        self._left = False

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Put the question to the person.

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
        said = [each for each in tell_news(context, screen.stage.transcript) if each.turn.key not in screen.shown]
        try:
            outside = await Meanwhile.of(self._workspace, self._debate, ask.key)
            heard = await outside.more()
            pose(screen.console, ask, context, said=said, about=lay(context, screen.stage.transcript), outside=heard)
            filled = await hear(screen.console, self._keyboard, ask, context, outside, left=left)
        except EOFError:
            if not self._left:
                screen.console.print()
            raise Waiting from None
        except asyncio.CancelledError:
            self._close(ask, over=ends is not None and time.monotonic() > ends - STEP)
            raise
        return by_hand(ask, filled.words, filled.fields)

    def leave(self) -> None:
        """Ask nobody any more; whoever is asked now answers later."""
        if self._turn.locked() and not self._left:
            self._screen.console.print()
        self._left = True
        self._keyboard.leave()

    async def _catch_up(self, key: str) -> None:
        """Let the screen show what is on record already."""
        for _ in range(LOOKS):
            await asyncio.sleep(STEP)
            if any(turn.key == key for turn in self._screen.stage.transcript.all()):
                return

    def _close(self, ask: Ask, *, over: bool) -> None:
        name = line(ask.to)
        why = f"the time of {name} is up" if over else f"{name} is no longer asked here"
        self._screen.console.print()
        self._screen.console.print(Text(f"{why}.", style=WARN))
        self._keyboard.drop()


def pose(
    console: Console,
    ask: Ask,
    context: Context,
    *,
    said: Sequence[Shown],
    about: Sequence[Shown],
    outside: Sequence[Interjected],
) -> None:
    """Show a question with what stands before it."""
    laid = {each.turn.key for each in about}
    for each in question(ask, context, [one for one in said if one.turn.key not in laid], about, outside):
        console.print(each)


async def hear(
    console: Console, keyboard: Keyboard, ask: Ask, context: Context, outside: Meanwhile, *, left: float | None
) -> Filled:
    """Ask for the answer, field by field; what is said from outside meanwhile is shown as it comes.

    Raises:
        EOFError: the person will answer later.
    """
    marks = {turn.mark: f"{turn.by}, {noun(act_of(turn))}" for turn in (*context.turns, *context.about)}
    note = " · ".join(filter(None, (term(left), "Ctrl-D: answer later")))
    console.print(Text(note, style=FAINT))
    keyboard.drop()
    return await Sheet(console, keyboard, {} if context.view.anonymous else marks, outside).fill(ask)


def seat_people(workspace: Workspace, debate: str, face: Face, interrupt: Interrupt, *, away: bool) -> Terminal | None:
    """The door for the people of a debate; None where nobody can be asked here.

    Args:
        desk: the desk.
        debate: the debate's id.
        face: how the debate is shown.
        interrupt: it ends the question that stands open.
        away: whether people are to be asked elsewhere.
    """
    shown = face.screen is not None and face.console.file.isatty()
    keyboard = Keyboard.here() if shown and not away else None
    if face.screen is None or keyboard is None:
        return None
    face.screen.in_place = True
    door = Terminal(workspace, debate, face.screen, keyboard)
    interrupt.leave = door.leave
    return door
