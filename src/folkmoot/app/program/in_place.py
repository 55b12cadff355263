"""Ask people in place: from the keyboard of the running process, or by a function of a program.

Only the line that is waited for is read from the keyboard: the rest may be an answer to another question. A person
reads what a model would be sent. An answer that cannot be used is asked for again, with the reason; after some tries
the debate waits for the person. People are asked one after the other, as they may share a console.
"""

import asyncio
import inspect
import os
import re
import select
import sys
from asyncio import AbstractEventLoop, Lock
from collections.abc import Awaitable, Callable, Mapping
from typing import TextIO, TypeAlias
from weakref import WeakKeyDictionary

from folkmoot.agents.prompt import compose
from folkmoot.app.run.people import read_manual_reply
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.errors import BriefError, Waiting
from folkmoot.core.text import clean
from folkmoot.models.base import Traits
from folkmoot.models.custom import apart

PASTE = 0.05
"""Seconds within which the next line of a pasted text is there; nobody types that fast."""

CUT = 4095
"""Bytes behind which a terminal of Linux cuts a line, in silence."""

_KEYS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[A-Z])")


class Keyboard:
    """Reads lines from the keyboard without blocking the event loop.

    Args:
        source: the file descriptor of a terminal; or of a pipe or a file that stands in its place.
    """

    def __init__(self, source: int) -> None:
        self._source = source
        self._terminal = os.isatty(source)
        self._typed = b""
        self._wait: asyncio.Future[None] | None = None
        self._left = False

    @classmethod
    def here(cls) -> "Keyboard | None":
        """The keyboard of this process; None if there is no terminal that can be read."""
        keyboard = cls.behind(sys.stdin)
        return keyboard if keyboard and keyboard._terminal else None

    @classmethod
    def behind(cls, stream: TextIO | None) -> "Keyboard | None":
        """The keyboard behind a stream; None if the stream cannot be read without blocking."""
        if os.name != "posix" or stream is None:
            return None
        try:
            return cls(stream.fileno())
        except (OSError, ValueError):  # a stream of the program's own, or a closed one
            return None

    async def line(self) -> str:
        """The next line, without the escape codes of arrow keys and the like.

        Raises:
            EOFError: Ctrl-D, the terminal is gone, or ``leave`` was called.
            BriefError: the terminal has cut the line.
        """
        while b"\n" not in self._typed:
            await self._wait_for_input(None)
            self._typed += self._read()
        line, _, self._typed = self._typed.partition(b"\n")
        if self._terminal and len(line) >= CUT:
            raise BriefError(f"the terminal cuts lines after {CUT:,} bytes; break it into shorter lines")
        return _KEYS.sub("", line.decode("utf-8", "replace"))

    async def pasted(self) -> bool:
        """Whether more input is there already: then an empty line ends a paragraph, not the text."""
        return self._terminal and (b"\n" in self._typed or await self._wait_for_input(PASTE))

    def drop(self) -> None:
        """Discard what was typed before the question."""
        import termios  # here because Windows has none

        self._typed = b""
        if self._terminal:
            termios.tcflush(self._source, termios.TCIFLUSH)

    def leave(self) -> None:
        """Stop reading: a caller that waits for a line gets EOFError."""
        self._left = True
        if self._wait and not self._wait.done():
            self._wait.set_exception(EOFError())

    def _read(self) -> bytes:
        try:
            piece = os.read(self._source, 65_536 if self._terminal else 1)  # a terminal gives one line at a time
        except OSError:  # the terminal is gone
            piece = b""
        if piece or (self._typed and not self._terminal):
            return piece or b"\n"  # the last line of a file may lack its end
        self._typed = b""
        raise EOFError

    async def _wait_for_input(self, seconds: float | None) -> bool:
        """Wait until there is something to read; False where the time is up before."""
        if self._left:
            raise EOFError
        if not self._terminal and select.select([self._source], [], [], 0)[0]:
            await asyncio.sleep(0)  # what is there already, such as a file, cannot be waited for
            return True
        loop = asyncio.get_running_loop()
        self._wait = wait = loop.create_future()
        loop.add_reader(self._source, lambda: wait.done() or wait.set_result(None))
        try:
            async with asyncio.timeout(seconds):
                await wait
            return True
        except TimeoutError:
            return False
        finally:
            loop.remove_reader(self._source)
            self._wait = None


Asking: TypeAlias = Callable[[str], str] | Callable[[str], Awaitable[str]]
"""A way to ask a person: the question in, the answer out. A plain function is called in a thread of its own."""

TRIES = 3
"""How often a person is asked before the debate waits for an answer that can be used."""

_TURNS: WeakKeyDictionary[AbstractEventLoop, Lock] = WeakKeyDictionary()  # house: state because all share one console
"""Who is asked at the console of this process next; a lock belongs to one event loop."""


class ProgramInterface:
    """An interface for the people of one program; see ``agents.human.Interface``.

    Args:
        people: how each is asked, by name; who is not among them answers by message.
    """

    def __init__(self, people: Mapping[str, Asking]) -> None:
        self._people = dict(people)
        self._turn = Lock()

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Put the question to the person; see ``agents.human.Interface``.

        Raises:
            Waiting: the person cannot be asked here, has left, or has given no answer that can be used.
        """
        if ask.to not in self._people:
            raise Waiting
        question = clean("\n\n".join(message.text for message in compose(ask, context, Traits())))
        refused = ""
        async with self._turn:
            for _ in range(TRIES):
                try:
                    return read_manual_reply(ask, await ask_function(self._people[ask.to], f"{question}{refused}"))
                except BriefError as error:
                    refused = f"\n\nThis cannot be used: {error}."
        raise Waiting(f"none of {TRIES} answers could be used")


async def ask_function(asking: Asking, question: str) -> str:
    """The answer of a function, async or not; ``input`` means the console.

    Raises:
        Waiting: the person has left: the function met the end of its input.
    """
    if asking is input:
        return await ask_at_console(question)
    try:
        answer = asking(question) if inspect.iscoroutinefunction(asking) else await apart(asking, question)
        return str(await answer) if inspect.isawaitable(answer) else str(answer)
    except EOFError:
        raise Waiting("no answer was given") from None


async def ask_at_console(question: str) -> str:
    """The answer at the console: lines up to an empty line, or up to the end of piped input.

    One question is open at a time, whichever debates they come from. Who is no longer waited for is told so, and what
    was typed until then is no answer to the next question.

    Raises:
        Waiting: nobody does.
        BriefError: the terminal has cut a line.
    """
    keyboard = Keyboard.behind(sys.stdin)
    if keyboard is None:
        raise Waiting("there is no terminal to ask at")
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
            raise Waiting("there is no terminal to ask at") from None
    return "\n".join(rows)


def _show(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
