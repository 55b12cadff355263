"""People for tests: a door that answers as a script says, and a clock that is turned by hand."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeAlias

from moot.core.ask import Ask, Reply
from moot.core.brief import Brief, Participant
from moot.core.form import Value
from moot.core.seat import Scene
from moot.desk.desk import Desk
from moot.desk.people import by_hand
from moot.record.store import Store
from moot.testing.stores import MemoryStore

QUOTES = "builtin:quotes"

Words: TypeAlias = Callable[[Ask, Scene], str]


class Hand:
    """A door behind which somebody writes what a script says; None keeps it waiting for ever."""

    def __init__(self, words: Words | None, fields: Mapping[str, Value] | None = None) -> None:
        self.words, self.fields = words, fields
        self.asked: list[str] = []
        self.let_go: list[str] = []

    async def ask(self, ask: Ask, scene: Scene) -> Reply:
        self.asked.append(ask.key)
        if self.words is None:
            try:
                await asyncio.Event().wait()
            finally:
                self.let_go.append(ask.key)
        assert self.words
        return by_hand(ask, self.words(ask, scene), self.fields)


class Time:
    """Seconds since 1970, turned by hand."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def person(name: str, **given: object) -> Participant:
    return Participant(name=name, seat="human", **given)  # pyright: ignore[reportArgumentType]


def desk(time: Time | None = None, store: Store | None = None) -> Desk:
    return Desk(store or MemoryStore(), clock=time or Time())


def table(*people: Participant, options: tuple[str, ...] = (), others: int = 1) -> Brief:
    """A brief with those people and so many who quote, at least two debaters in all."""
    quoting = tuple(Participant(name=f"Q{n}", seat=QUOTES) for n in range(others))
    return Brief(topic="Tea or coffee?", participants=(*people, *quoting), options=options)
