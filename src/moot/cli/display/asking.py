"""People asked in place. This file owns how a terminal is a door of the desk: one question after the other."""

import asyncio
import time
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from moot.app.program.keyboard import Keyboard
from moot.app.run.meanwhile import Meanwhile
from moot.app.run.people import by_hand, time_left
from moot.app.run.question import Shown
from moot.app.run.question import laid as lay
from moot.app.run.question import news as tell_news
from moot.app.run.workspace import Desk
from moot.cli.display.ask_people import Filled, Sheet
from moot.cli.display.live_screen import Screen
from moot.cli.display.output import Face
from moot.cli.display.question import question, term
from moot.cli.display.text import line
from moot.cli.display.text_layout import FAINT, WARN
from moot.cli.terminal import Interrupt
from moot.core.agent import Scene
from moot.core.ask import Ask, Reply
from moot.core.errors import Waiting
from moot.core.event import Interjected
from moot.core.labels import act_of, noun

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

    def __init__(self, desk: Desk, debate: str, screen: Screen, keyboard: Keyboard) -> None:
        self._desk, self._debate, self._screen, self._keyboard = desk, debate, screen, keyboard
        self._turn = asyncio.Lock()
        self._left = False

    async def ask(self, ask: Ask, scene: Scene) -> Reply:
        """Put the question to the person.

        Raises:
            Waiting: the person will answer later.
        """
        screen = self._screen
        await self._catch_up(ask.key)
        try:
            async with self._turn:
                return await self._put(ask, scene)
        except (asyncio.CancelledError, Waiting):
            screen.release(ask.key)
            raise

    async def _put(self, ask: Ask, scene: Scene) -> Reply:
        screen = self._screen
        if self._left:
            raise Waiting
        left = (await time_left(self._desk, self._debate)).get(ask.key)
        ends = None if left is None else time.monotonic() + left
        said = [each for each in tell_news(scene, screen.stage.transcript) if each.turn.key not in screen.shown]
        try:
            outside = await Meanwhile.of(self._desk, self._debate, ask.key)
            heard = await outside.more()
            pose(screen.console, ask, scene, said=said, about=lay(scene, screen.stage.transcript), outside=heard)
            filled = await hear(screen.console, self._keyboard, ask, scene, outside, left=left)
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
    scene: Scene,
    *,
    said: Sequence[Shown],
    about: Sequence[Shown],
    outside: Sequence[Interjected],
) -> None:
    """Show a question with what stands before it."""
    laid = {each.turn.key for each in about}
    for each in question(ask, scene, [one for one in said if one.turn.key not in laid], about, outside):
        console.print(each)


async def hear(
    console: Console, keyboard: Keyboard, ask: Ask, scene: Scene, outside: Meanwhile, *, left: float | None
) -> Filled:
    """Ask for the answer, field by field; what is said from outside meanwhile is shown as it comes.

    Raises:
        EOFError: the person will answer later.
    """
    marks = {turn.mark: f"{turn.by}, {noun(act_of(turn))}" for turn in (*scene.turns, *scene.about)}
    note = " · ".join(filter(None, (term(left), "Ctrl-D: answer later")))
    console.print(Text(note, style=FAINT))
    keyboard.drop()
    return await Sheet(console, keyboard, {} if scene.view.anonymous else marks, outside).fill(ask)


def seat_people(desk: Desk, debate: str, face: Face, interrupt: Interrupt, *, away: bool) -> Terminal | None:
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
    door = Terminal(desk, debate, face.screen, keyboard)
    interrupt.leave = door.leave
    return door
