"""People asked in place by a program. This file owns how a function of a program becomes a person's answer.

A person reads what a model would be sent. An answer that cannot be used is asked for again, with the reason; after
some tries it stands as it is, unread. One is asked after the other: people may share a console.
"""

import asyncio
import contextlib
import inspect
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from moot.core.ask import Ask, Reply
from moot.core.errors import BriefError, Unreadable, Waiting
from moot.core.seat import Scene
from moot.core.text import clean
from moot.desk.people import by_hand
from moot.models.base import Traits
from moot.models.guests import apart
from moot.seats.prompt import compose

Asking: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""A way to ask a person: the question in, the answer out. A plain function is called in a thread of its own."""

TRIES = 3
"""How often a person is asked before an answer that cannot be used stands."""


class InPlace:
    """A door for the people of one program; see ``desk.people.Door``.

    Args:
        people: how each is asked, by name; who is not among them answers by letter.
    """

    def __init__(self, people: Mapping[str, Asking]) -> None:
        self._people = dict(people)
        self._turn = asyncio.Lock()

    async def ask(self, ask: Ask, scene: Scene) -> Reply:
        """Put the question to the person; see ``desk.people.Door``.

        Raises:
            Waiting: the person cannot be asked here.
            Unreadable: the person has said nothing.
        """
        if ask.to not in self._people:
            raise Waiting(f"{ask.to} has to answer ({ask.act})")
        question = clean("\n\n".join(message.text for message in compose(ask, scene, Traits())))
        words = refused = ""
        async with self._turn:
            for _ in range(TRIES):
                words = await hear(self._people[ask.to], f"{question}{refused}")
                try:
                    return by_hand(ask, words)
                except BriefError as error:
                    refused = f"\n\nThis cannot be used: {error}."
        if not words.strip():
            raise Unreadable(f"{ask.to} gave no words", kind="empty")
        lacking = tuple(f"{each.name}: no_form" for each in (ask.form.fields if ask.form else ()) if each.required)
        return Reply(text=clean(words), unread=lacking)


async def hear(asking: Asking, question: str) -> str:
    """The answer of a function, async or plain."""
    if inspect.iscoroutinefunction(asking):
        answer = asking(question)
    else:
        answer = await apart(asking, question)
    return str(await answer) if inspect.isawaitable(answer) else str(answer)


async def console(question: str) -> str:
    """One line from whoever sits at the console.

    Raises:
        Waiting: nobody does.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[str | None] = loop.create_future()

    def settle(line: str | None) -> None:
        if not typed.done():
            typed.set_result(line)

    def read() -> None:
        try:
            line = input(f"\n{question}\n\n> ")
        except (EOFError, OSError, ValueError):
            line = None
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop is closed
            loop.call_soon_threadsafe(settle, line)

    # A thread that reads the console cannot be ended from outside; the program must not wait for it when it ends.
    threading.Thread(target=read, daemon=True).start()
    line = await typed
    if line is None:
        raise Waiting("nobody sits at the console")
    return line
