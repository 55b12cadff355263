"""A new debate from beginning to end. This file owns what comes before it: casting."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from moot.agents.human import Door
from moot.app.brief.reader import Intake
from moot.app.plan.settings import Config
from moot.app.run.access import Claim, claim, claimed
from moot.app.run.choosing import Wishes
from moot.app.run.held import Plan
from moot.app.run.outcome import Outcome
from moot.app.run.past import stamp
from moot.app.run.prepare import Ready, prepare
from moot.app.run.start import Casting, find_casting, hold_casting, read_casting, with_cast
from moot.app.run.workspace import Desk
from moot.core.agent import Scene
from moot.core.ask import Ask, Reply
from moot.core.errors import BriefError, Waiting
from moot.core.event import Entry
from moot.engine.driver import Stop


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """A debate that can begin.

    Attributes:
        intake: its brief, as it was read.
        wishes: what its caller wants otherwise.
        ready: both, prepared.
        config: the owner's settings.
    """

    intake: Intake
    wishes: Wishes
    ready: Ready
    config: Config


class ByLetter:
    """A door behind which nobody stands: whoever is asked answers by letter, however long that takes."""

    def __init__(self) -> None:
        self._leave = asyncio.Event()

    def leave(self) -> None:
        """Wait for nobody any longer."""
        self._leave.set()

    async def ask(self, ask: Ask, scene: Scene) -> Reply:
        """Wait for the letter, which cancels this; see ``agents.human.Door``.

        Raises:
            Waiting: the debate is being stopped.
        """
        await self._leave.wait()
        raise Waiting


@dataclass(frozen=True, slots=True, kw_only=True)
class Lent:
    """What a host lends to a new debate.

    Attributes:
        stop: set its reason to pause after the batch in hand.
        door: the way to ask people in place; None where they answer by letter.
        casting: told of the debate in which the participants are made, before it is held.
    """

    stop: Stop
    door: Door | None = None
    casting: Callable[[Casting], None] = lambda casting: None


async def make_start(desk: Desk, intake: Intake, wishes: Wishes, config: Config) -> Start:
    """Prepare a debate; nothing is sent to any model. For what it raises see ``prepare``."""
    ready = await prepare(desk, intake, wishes, config=config)
    return Start(intake=intake, wishes=wishes, ready=ready, config=config)


async def hold_start(desk: Desk, start: Start, debate: str, lent: Lent | None = None) -> Outcome:
    """Hold a new debate to its end, or until it pauses.

    Where nobody describes its participants a model makes them first, in a debate of its own, which belongs to whom this
    one belongs. Where that one pauses, it is what is returned.

    Args:
        desk: where it is held.
        start: the debate.
        debate: its id.
        lent: what the host lends to it.
    """
    lent = lent or Lent(stop=Stop())
    peopled = await people_start(desk, start, debate, lent)
    if isinstance(peopled, Outcome):
        return peopled
    return await desk.hold(_planned(peopled), debate, stop=lent.stop, door=lent.door)


async def people_start(desk: Desk, start: Start, debate: str, lent: Lent) -> Start | Outcome:
    """The debate with its participants made, where it has none; what came of making them where that has paused."""
    ready = start.ready
    if not ready.caster:
        return start
    owner = (await claimed(desk, debate)).owner
    casting = await find_casting(desk, ready, new=start.wishes.cast == "new", owner=owner)
    if owner and not casting.begun:
        await claim(desk, casting.debate, Claim(owner=owner))
    lent.casting(casting)
    came = await hold_casting(desk, casting, stop=lent.stop)
    if came.status == "paused":
        return came
    made = await read_casting(desk, casting)
    return await make_start(desk, *with_cast(start.intake, start.wishes, ready, made), start.config)


async def lay_down(desk: Desk, start: Start, debate: str) -> None:
    """Put a new debate on record without holding it; ``Desk.resume`` goes on with it.

    Raises:
        BriefError: its participants are not made yet.
        RecordConflict: there is another debate of that id.
    """
    if start.ready.caster:
        found = "its participants have to be made first; start it, or have the built-in ones with cast: builtin"
        raise BriefError(found, code="inconsistent")
    first = Entry(seq=1, at=desk.clock(), event=_planned(start).opened(), prev="")
    await desk.store.append(debate, stamp([first]), after=0)


def _planned(start: Start) -> Plan:
    """The plan with the log that the brief wants."""
    return replace(start.ready.plan, log=str(start.intake.given.get("logging_mode", "")))
