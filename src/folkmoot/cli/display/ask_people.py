"""Ask people at the terminal: one question after the other, each answered field by field.

The form decides which values are allowed. This module shows them, and asks again after a mistake.
"""

import asyncio
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rich.console import Console, RenderableType
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.program.in_place import Keyboard
from folkmoot.app.run.people import (
    REASON,
    OutsideMessages,
    ShownTurn,
    allowed_values,
    focus_turns,
    new_turns,
    read_manual_reply,
    takes_reason,
)
from folkmoot.app.run.record_reader import OpenQuestion, time_left
from folkmoot.app.run.workspace import Workspace
from folkmoot.cli.display.live_screen import Screen
from folkmoot.cli.display.render import body, outsider
from folkmoot.cli.display.text_layout import (
    BAD,
    FAINT,
    WARN,
    Indented,
    Stack,
    joined,
    line,
    local_time,
    paragraphs,
    short,
)
from folkmoot.core.agent import Context
from folkmoot.core.ask import ABSTAIN, REPLACES, Ask, Field, Form, Reply, Value, needed
from folkmoot.core.errors import BriefError, Waiting
from folkmoot.core.event import Interjected
from folkmoot.core.labels import act_of, duration, noun
from folkmoot.core.transcript import Transcript

FLAGS = ("yes", "no")

LOOK = 0.5
"""Seconds between two checks for messages of viewers."""

FEW = 3
"""Up to this many optional fields are asked for one by one; of more, the person picks the ones to fill in."""

MORE = Field(name="Anything else?", kind="choice", required=False)
"""The question for the optional field to fill in next."""

TASK = 160
"""The most characters of a task in a list of open questions."""


# ---- what is shown -------------------------------------------------------------------------------------------------


def show_question(
    console: Console,
    ask: Ask,
    context: Context,
    transcript: Transcript,
    outside: Sequence[Interjected],
    *,
    seen: frozenset[str] = frozenset(),
) -> None:
    """Show a question: who is asked, the turns that lead to it, the messages of viewers since, and the task.

    Args:
        console: where it is shown.
        ask: the question.
        context: what the person may see.
        transcript: what was said.
        outside: messages of viewers since the question was asked.
        seen: turns that are on the screen already.
    """
    about = focus_turns(context, transcript)
    laid = {shown.turn.key for shown in about}
    news = [shown for shown in new_turns(context, transcript) if shown.turn.key not in laid | seen]
    console.print(Rule(Text.assemble((line(ask.to), "bold"), " is asked"), style=WARN))
    for shown in (*news, *about):
        console.print(_turn_heading(shown))
        for renderable in body(shown.turn, shown.speech):
            console.print(Indented(renderable))
        console.print()
    for renderable in viewer_messages(outside):
        console.print(renderable)
    heading = joined(Text(line(ask.to), style="bold"), Text(line(context.me.role)), line(noun(act_of(ask))))
    console.print(Indented(Stack((heading, *paragraphs(ask.task))), "▌ ", "▌ ", WARN))
    console.print()


def _turn_heading(shown: ShownTurn) -> Text:
    # Whose name is hidden is also not to be known by what was asked.
    act = line(noun(shown.turn.act)) if shown.name == shown.turn.by else ""
    return joined(Text(line(shown.name), style="bold"), act, line(shown.turn.mark))


def viewer_messages(outside: Sequence[Interjected]) -> Iterator[RenderableType]:
    """Messages of viewers while a question is open."""
    for interjection in outside:
        to = f"replies to {interjection.to}" if interjection.to else ""
        yield outsider(interjection.by, interjection.text, to=to)
        yield ""


def form_lines(form: Form | None) -> Iterator[RenderableType]:
    """The fields of an answer, with the values that each allows."""
    for item in form.fields if form else ():
        help_text = f"{line(item.help)}: " if item.help and item.kind != "text" else ""
        rest = "" if item.required else " (optional)"
        yield Indented(Text(f"{help_text}{line(allowed_values(item))}{rest}"), f"{line(item.name)}  ", "    ", "bold")


def term(left: float | None) -> str:
    """How much time is left for an answer, and until when; "" without a deadline."""
    return "" if left is None else f"until {local_time(time.time() + left)}, {duration(int(max(0.0, left)))} left"


def waits(asks: Sequence[OpenQuestion]) -> Iterator[RenderableType]:
    """For whom a debate waits, for what, since when and until when."""
    for ask in asks:
        turn = ask.turn
        since = f"since {local_time(ask.since)}"
        name, due = Text(line(turn.by), style="bold"), line(noun(act_of(turn)))
        task = Text(short(turn.ask.task if turn.ask else "", TASK), style=FAINT)
        head = joined(name, due, since, Text(term(ask.left), style=WARN))
        yield Indented(Stack((head, task)), "waits for ", " " * 10, FAINT)


def answer_commands(debate: str, asks: Sequence[OpenQuestion]) -> list[str]:
    """The commands with which the people who are asked can answer."""
    names = list(dict.fromkeys(ask.turn.by for ask in asks))
    if len(names) < 2:
        return [f"folkmoot answer {debate}"] if names else []
    return [f"folkmoot answer {debate} --as {shlex.quote(name)}" for name in names]


# ---- one answer, field by field ------------------------------------------------------------------------------------


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
            if ask.form is None:
                filled = Filled(words=await self._text(Field(name="Your answer")))
            else:
                filled = await self._fill_form(ask, ask.form)
            try:
                read_manual_reply(ask, filled.words, filled.fields)
            except BriefError as error:
                self._refuse(error)
            else:
                return filled

    async def _fill_form(self, ask: Ask, form: Form) -> Filled:
        fields: dict[str, Value] = {}
        for item in form.fields:
            # What has one choice only is not asked for.
            sole = item.kind == "choice" and len(item.choices) == 1 and not item.abstain
            if sole and (item.required or item.name == REPLACES):
                fields[item.name] = item.choices[0]
        optional = [item for item in form.fields if not item.required and is_open(item, ask, fields)]
        for item in form.fields:
            if item.required or len(optional) <= FEW:
                await self._add(ask, item, fields)
        while len(optional) > FEW:
            names = {item.name: item for item in form.fields if is_open(item, ask, fields)}
            wanted = replace(MORE, choices=tuple(names))
            helped = {name: item.help for name, item in names.items()}
            name = await self._field(ask, wanted, helped) if names else None
            if not isinstance(name, str):
                break
            await self._add(ask, names[name], fields)
            for item in form.fields:
                if is_required(item, ask, fields):
                    await self._add(ask, item, fields)
        words = await self._text(Field(name="Why", required=False, help=REASON)) if takes_reason(form) else ""
        return Filled(words=words, fields=fields)

    async def _add(self, ask: Ask, item: Field, fields: dict[str, Value]) -> None:
        """Ask for a field, unless it has a value already or cannot have one."""
        if not is_open(item, ask, fields):
            return
        value = await self._field(ask, replace(item, required=is_required(item, ask, fields)), self._remarks)
        if value is None:
            return
        fields[item.name] = value
        for other in ask.form.fields if ask.form else ():
            if other.name == needed(item, value):  # a verdict's reasons, which are before it in the form
                await self._add(ask, other, fields)

    async def _field(self, ask: Ask, item: Field, remarks: Mapping[str, str]) -> Value | None:
        """The value of a field; None if it is left out."""
        if item.kind == "text":
            return await self._text(item) or None
        options = FLAGS if item.kind == "flag" else (*item.choices, *(["abstain"] if item.abstain else []))
        while True:
            self._name(item)
            for n, option in enumerate(options, start=1):
                text = Text(line(option))
                text.append(f"  {line(remarks[option])}" if remarks.get(option) else "", style=FAINT)
                self._console.print(Indented(text, f"{n:>3}  ", "     ", FAINT))
            try:
                raw = (await (self._rows() if item.kind == "list" else self._line())).strip()
                if not raw:
                    if not item.required:
                        return None
                    raise BriefError(f"{item.name} is required")
                value = _option_typed(item, options, raw)
                alone = replace(ask, form=Form(name="one", fields=(item,)))
                return read_manual_reply(alone, "", {item.name: value}).fields[item.name]
            except BriefError as error:
                self._refuse(error)

    async def _text(self, item: Field) -> str:
        """A text of any number of lines; "" if it is left out."""
        while True:
            self._name(item)
            try:
                words = (await self._rows()).strip()
                if not words and item.required:
                    raise BriefError(f"{item.name} is required")
                return words
            except BriefError as error:
                self._refuse(error)

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
            except TimeoutError:  # look for messages of viewers; text that is already typed is kept
                if messages := await self._outside.more():
                    self._console.print()
                    for renderable in viewer_messages(messages):
                        self._console.print(renderable)
                    self._prompt()

    def _prompt(self) -> None:
        self._console.print(Text("> ", style="bold"), end="")
        self._console.file.flush()

    def _name(self, item: Field) -> None:
        """Show the field's name, the allowed values, and what Enter does."""
        helped = [line(item.help)] if item.help else []
        match item.kind:
            case "number":
                helped.append(line(allowed_values(item)))
            case "flag":
                helped.append("yes or no · type the number or the words")
            case "choice":
                helped.append("type the number or the words")
            case "list":
                helped.append("one item on each line; finish with an empty line")
            case "text":
                helped.append("finish with an empty line")
            case _:
                pass
        if not item.required:
            helped.append("press Enter if not" if item.name == MORE.name else "optional: press Enter to skip it")
        self._console.print(Text.assemble((line(item.name), "bold"), (f"  {' · '.join(helped)}", FAINT)))

    def _refuse(self, error: BriefError) -> None:
        self._console.print(Text(f"{line(error.found)}.", style=BAD))
        self._keyboard.drop()


def _option_typed(item: Field, options: Sequence[str], raw: str) -> Value:
    """The typed option; a word that equals an option has priority over a number."""
    known = {option.casefold(): option for option in options}

    def read(typed: str) -> str:
        numbered = typed.isdecimal() and 0 < int(typed) <= len(options)
        return known.get(typed.casefold()) or (options[int(typed) - 1] if numbered else typed)

    if item.kind == "list":
        return "\n".join(read(row.strip()) for row in raw.split("\n"))
    words = read(raw)
    if item.kind == "flag" and words in FLAGS:
        return words == FLAGS[0]
    return ABSTAIN if item.abstain and words == "abstain" else words


def is_open(item: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field has to be asked for.

    Not a field that has a value, that has no choices, that names the readers of a text which was left out, or that
    belongs to a field which was left out or has another value.
    """
    if item.name in fields or (item.kind == "choice" and item.choices in ((), (ask.to,))):
        return False
    receiver = _receivers(ask.form).get(item.name)
    if receiver is not None and receiver not in fields:
        return False
    partners = _requiring(item, ask.form)
    if item.needs and not item.when and item.needs not in fields:
        # A verdict is asked for before its reasons, where each needs the other.
        names = [each.name for each in ask.form.fields] if ask.form else []
        leads = item.needs in {partner.name for partner in partners}
        if not (leads and names.index(item.needs) < names.index(item.name)):
            return False
    by_value = any(partner.when and partner.name in fields for partner in partners)
    return not by_value or is_required(item, ask, fields)


def is_required(item: Field, ask: Ask, fields: Mapping[str, Value]) -> bool:
    """Whether a field is required, by itself or because of earlier answers."""
    beside = [partner for partner in _requiring(item, ask.form) if partner.name in fields]
    called_for = any(needed(partner, fields[partner.name]) for partner in beside)
    return item.required or item.name in _receivers(ask.form) or called_for


def _requiring(item: Field, form: Form | None) -> list[Field]:
    """The fields that may require this one."""
    return [other for other in form.fields if other.needs == item.name] if form else []


def _receivers(form: Form | None) -> dict[str, str]:
    """The fields that name the readers of another field, each with that field."""
    return {item.to: item.name for item in form.fields if item.to and item.to != item.name} if form else {}


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


# ---- the people of a debate that runs here -------------------------------------------------------------------------

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
        screen.in_place = True

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Ask the person the question.

        Raises:
            Waiting: the person will answer later.
        """
        for _ in range(LOOKS):  # until the screen shows everything on record
            await asyncio.sleep(STEP)
            if any(turn.key == ask.key for turn in self._screen.state.fold.transcript.all()):
                break
        try:
            async with self._turn:
                return await self._ask(ask, context)
        except (asyncio.CancelledError, Waiting):
            self._screen.release(ask.key)
            raise

    async def _ask(self, ask: Ask, context: Context) -> Reply:
        if self._left:
            raise Waiting
        console = self._screen.console
        left = (await time_left(self._workspace, self._debate)).get(ask.key)
        ends = None if left is None else time.monotonic() + left
        try:
            outside = await OutsideMessages.of(self._workspace, self._debate, ask.key)
            transcript, seen = self._screen.state.fold.transcript, frozenset(self._screen.shown)
            show_question(console, ask, context, transcript, await outside.more(), seen=seen)
            filled = await ask_answer(console, self._keyboard, ask, context, outside, left=left)
        except EOFError:
            if not self._left:
                console.print()
            raise Waiting from None
        except asyncio.CancelledError:
            over = ends is not None and time.monotonic() > ends - STEP
            name = line(ask.to)
            reason = f"the time for the answer of {name} is over" if over else f"{name} is no longer asked here"
            console.print(Text(f"\n{reason}.", style=WARN))
            self._keyboard.drop()
            raise
        return read_manual_reply(ask, filled.words, filled.fields)

    def leave(self) -> None:
        """Ask nobody any more; a person who is asked now will answer later."""
        if self._turn.locked() and not self._left:
            self._screen.console.print()
        self._left = True
        self._keyboard.leave()
