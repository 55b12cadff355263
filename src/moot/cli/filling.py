"""A form filled in by hand. This file owns how a person is asked for each field, and when a field is asked again.

What a value may be is the desk's business; here it is only said and asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rich.console import Console
from rich.text import Text

from moot.cli.keyboard import Keyboard
from moot.cli.layout import BAD, FAINT, Inset
from moot.cli.text import line
from moot.core.ask import REPLACES, Ask
from moot.core.errors import BriefError
from moot.core.form import ABSTAIN, Field, Form, Value
from moot.desk.people import allowed, by_hand

FLAGS = ("yes", "no")


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
    """

    def __init__(self, console: Console, keyboard: Keyboard, remarks: Mapping[str, str]) -> None:
        self._console, self._keyboard, self._remarks = console, keyboard, remarks

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
        fields: dict[str, Value] = {}
        for each in ask.form.fields:
            given = _known(each, ask)
            value = given if given else await self._field(ask, each) if _open(each, ask, fields) else None
            if value is not None:
                fields[each.name] = value
        # A ballot has room for the voter's reason beside its formula.
        why = Field(name="Why", required=False, help="your reason, for all to read")
        words = "" if any(each.kind == "text" for each in ask.form.fields) else await self._text(why)
        return Filled(words=words, fields=fields)

    async def _field(self, ask: Ask, asked: Field) -> Value | None:
        """The value of a field; None where it is left out."""
        asked = replace(asked, required=asked.required or asked.name in _receivers(ask.form))
        if asked.kind == "text":
            return await self._text(asked) or None
        while True:
            self._name(asked)
            options = _options(asked)
            for n, option in enumerate(options, start=1):
                said = Text(line(option))
                said.append(f"  {line(self._remarks[option])}" if option in self._remarks else "", style=FAINT)
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
        self._console.print(Text("> ", style="bold"), end="")
        self._console.file.flush()
        return await self._keyboard.line()

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
    left_out = "" if asked.required else "Enter leaves it out"
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
    """Whether there is anything to ask: not whose name it is, nor who hears words that nobody says."""
    if asked.kind == "choice" and (not asked.choices or asked.choices == (ask.to,)):
        return False
    said = _receivers(ask.form).get(asked.name)
    return said is None or said in fields


def _receivers(form: Form | None) -> dict[str, str]:
    """The fields that say who may read another one, each with that one."""
    return {each.to: each.name for each in form.fields if each.to and each.to != each.name} if form else {}
