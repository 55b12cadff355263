"""People for tests: a door that answers as a script says, and a clock that is turned by hand."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeAlias

from folkmoot.app.run.people import read_manual_reply
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Reply, Value, needed
from folkmoot.core.brief import Brief, Participant
from folkmoot.record.store import Store
from folkmoot.testing.store_checks import InMemoryStore

QUOTES = "builtin:quotes"

Words: TypeAlias = Callable[[Ask, Context], str]


class Hand:
    """A door behind which somebody writes what a script says; None keeps it waiting for ever."""

    def __init__(self, words: Words | None, fields: Mapping[str, Value] | None = None) -> None:
        self.words, self.fields = words, fields
        self.asked: list[str] = []
        self.let_go: list[str] = []

    async def ask(self, ask: Ask, context: Context) -> Reply:
        self.asked.append(ask.key)
        if self.words is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.let_go.append(ask.key)
        assert self.words
        return read_manual_reply(ask, self.words(ask, context), self.fields)


class Filling:
    """A door behind which somebody fills in every form: the first choice, the lowest number, a few words."""

    def __init__(self) -> None:
        self.asked: list[Ask] = []

    async def ask(self, ask: Ask, context: Context) -> Reply:
        self.asked.append(ask)
        return read_manual_reply(ask, *filled(ask))


def filled(ask: Ask) -> tuple[str, dict[str, Value]]:
    """What somebody writes who fills in every form: words, or the fields that are required or go with those."""
    form = ask.form.fields if ask.form else ()
    fields = {field.name: _value(field) for field in form if field.required}
    beside = {needed(field, fields[field.name]) for field in form if field.name in fields}
    fields |= {field.name: _value(field) for field in form if field.name in beside}
    return "" if fields else f"{ask.to} says tea.", fields


def _value(field: Field) -> Value:
    match field.kind:
        case "choice":
            return field.choices[0]
        case "number":
            return field.low or 0
        case "flag":
            return True
        case "list":
            return field.choices or ("a point",)
        case "text":
            return f"{field.name.lower()} of tea"


class Time:
    """Seconds since 1970, turned by hand."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def person(name: str, **values: object) -> Participant:
    return Participant(name=name, seat="human", **values)  # pyright: ignore[reportArgumentType]


def workspace(time: Time | None = None, store: Store | None = None) -> Workspace:
    return Workspace(store or InMemoryStore(), clock=time or Time())


def table(*people: Participant, options: tuple[str, ...] = (), others: int = 1) -> Brief:
    """A brief with those people and so many who quote, at least two debaters in all."""
    quoting = tuple(Participant(name=f"Q{n}", seat=QUOTES) for n in range(others))
    return Brief(topic="Tea or coffee?", participants=(*people, *quoting), options=options)
