"""People asked in place by a program. This file owns how a function of a program becomes a person's answer.

A person reads what a model would be sent. An answer that cannot be used is asked for again, with the reason; after
some tries the debate waits for the person. One is asked after the other: people may share a console.
"""

import asyncio
import inspect
import sys
from asyncio import AbstractEventLoop, Lock
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias
from weakref import WeakKeyDictionary

from moot.agents.prompt import compose
from moot.app.program.keyboard import Keyboard
from moot.app.run.people import by_hand
from moot.core.agent import Scene
from moot.core.ask import Ask, Reply
from moot.core.errors import BriefError, Waiting
from moot.core.text import clean
from moot.models.base import Traits
from moot.models.custom import apart

Asking: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""A way to ask a person: the question in, the answer out. A plain function is called in a thread of its own."""

TRIES = 3
"""How often a person is asked before the debate waits for an answer that can be used."""

_TURNS: WeakKeyDictionary[AbstractEventLoop, Lock] = WeakKeyDictionary()  # house: state because all share one console
"""Who is asked at the console of this process next; a lock belongs to one event loop."""


class InPlace:
    """A door for the people of one program; see ``app.run.people.Door``.

    Args:
        people: how each is asked, by name; who is not among them answers by letter.
    """

    def __init__(self, people: Mapping[str, Asking]) -> None:
        self._people = dict(people)
        self._turn = Lock()

    async def ask(self, ask: Ask, scene: Scene) -> Reply:
        """Put the question to the person; see ``app.run.people.Door``.

        Raises:
            Waiting: the person cannot be asked here, has left, or has given no answer that can be used.
        """
        if ask.to not in self._people:
            raise Waiting
        question = clean("\n\n".join(message.text for message in compose(ask, scene, Traits())))
        refused = ""
        async with self._turn:
            for _ in range(TRIES):
                try:
                    return by_hand(ask, await hear(self._people[ask.to], f"{question}{refused}"))
                except BriefError as error:
                    refused = f"\n\nThis cannot be used: {error}."
        raise Waiting(f"none of {TRIES} answers could be used")


async def hear(asking: Asking, question: str) -> str:
    """The answer of a function, async or plain; whoever names ``input`` means the console.

    Raises:
        Waiting: the person has left: the function met the end of its input.
    """
    if asking is input:
        return await console(question)
    try:
        answer = asking(question) if inspect.iscoroutinefunction(asking) else await apart(asking, question)
        return str(await answer) if inspect.isawaitable(answer) else str(answer)
    except EOFError:
        raise Waiting("no answer was given") from None


async def console(question: str) -> str:
    """What whoever sits at the console answers: lines up to an empty one, or up to the end of what is piped in.

    One question is open at a time, whichever debates they come from. Who is no longer waited for is told so, and what
    was typed until then is no answer to the next question.

    Raises:
        Waiting: nobody does.
        BriefError: the terminal has cut a line.
    """
    keyboard = Keyboard.behind(sys.stdin)
    if keyboard is None:
        raise Waiting("nobody sits at the console")
    async with _TURNS.setdefault(asyncio.get_running_loop(), Lock()):
        keyboard.drop()
        _show(f"\n{question}\n\n(An empty line ends the answer.)\n> ")
        try:
            return await _rows(keyboard)
        except asyncio.CancelledError:
            keyboard.drop()
            _show("\n(This question is no longer open.)\n")
            raise


async def _rows(keyboard: Keyboard) -> str:
    rows: list[str] = []
    try:
        while (row := await keyboard.line()).strip() or (rows and await keyboard.pasted()):
            rows.append(row)
    except EOFError:
        if not rows:
            raise Waiting("nobody sits at the console") from None
    return "\n".join(rows)


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
