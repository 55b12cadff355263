"""What a hall keeps of a debate while it is held. This file owns the words for who holds it.

The hall: the debates that one process holds at the same time. This file owns when each begins, waits, stops, ends.

People answer by letter: a debate that waits for somebody goes on by itself when the letter comes. Whoever closes the
hall stops all of them; each can be taken up again, here or anywhere.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Self

from moot.app.plan.settings import Config, load_config
from moot.app.run.liveness import Liveness, waits_only
from moot.app.run.outcome import Outcome, outcome
from moot.app.run.start import ByMessage, Generation, HostHooks, Start, run_start
from moot.app.run.workspace import Workspace
from moot.core.brief import Limits
from moot.core.errors import MootError
from moot.core.text import clean, hide
from moot.core.transcript import fold
from moot.engine.driver import StopRequest

HERE = "here"
"""Who holds a debate: this process."""

QUEUED = "queue"
"""Who holds a debate: nobody yet, it stands in a queue."""

ELSEWHERE = "elsewhere"
"""Who holds a debate: another process, as far as can be told from a record that grows."""


class Full(MootError):
    """The hall holds as many debates as it may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What is known of a debate beside its record.

    Attributes:
        by: who holds it now: ``HERE``, ``QUEUED``, ``ELSEWHERE``, or the name of a worker; "" for nobody.
        casting: the debate in which its participants are being made; "" where none is.
        error: why it ended otherwise than by its record, when it was last held; None where it did not.
    """

    by: str = ""
    casting: str = ""
    error: MootError | None = None

    @property
    def sure(self) -> bool:
        """Whether it is held, and not only by the looks of its record."""
        return self.by not in ("", ELSEWHERE)


@dataclass(slots=True, eq=False)
class Held:
    """A debate that the hall holds.

    Attributes:
        owner: who had it held; "" for whoever is at the machine.
        casting: the debate in which its participants are being made; "" where none is.
        pays: the same, from then on until it is held no longer; "" where they had been made before.
        stop: the request to pause it.
        begun: set when its first entry, or that of its casting, is durable, or nothing will come of it.
        over: set when it is held no longer.
    """

    owner: str = ""
    casting: str = ""
    pays: str = ""
    stop: StopRequest = field(default_factory=StopRequest)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    letterbox: ByMessage = field(default_factory=ByMessage)
    task: "asyncio.Task[None] | None" = None


GRACE = 10.0
"""Seconds that the answers in hand have when the hall is closed."""

MOST = 8
"""The most debates at once, where nobody says otherwise."""

KEPT = 200
"""Of so many debates that ended with an error the error is kept."""


class Runner:
    """Holds debates beside each other; use it as an async context manager, in one event loop.

    A debate that waits for people alone takes no place, so that nobody who is silent keeps others out. Of these too an
    owner has at most as many as there are places.

    Args:
        desk: where they are held. The hall does not close it.
        config: the owner's settings; None to load them.
        most: how many debates it holds at once.
        kept: how many of these places are for whoever is at the machine alone.
        grace: seconds that the answers in hand have when the hall is closed.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        config: Config | None = None,
        most: int = MOST,
        kept: int = 0,
        grace: float = GRACE,
    ) -> None:
        self.workspace, self.most, self.room, self._kept = workspace, most, most, kept
        self.config = config or workspace.config or load_config()
        self._grace = grace
        self._held: dict[str, Held] = {}
        self._errors: dict[str, MootError] = {}
        self._order: deque[str] = deque()
        self._group: asyncio.TaskGroup = asyncio.TaskGroup()
        self._turn = asyncio.Lock()
        self._closing = False
        self._pulse = Liveness(workspace.store)

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self.close()
        finally:
            await self._group.__aexit__(kind, error, trace)

    # ---- what is held ------------------------------------------------------------------------------------------------

    @property
    def held(self) -> tuple[str, ...]:
        """The debates that are held now, the oldest first."""
        return tuple(self._held)

    def casting(self, debate: str) -> str:
        """The debate in which that one's participants are being made; "" where none is."""
        held = self._held.get(debate)
        return held.casting if held else ""

    @property
    def castings(self) -> frozenset[str]:
        """The debates that were held for those that are held now, to make their participants; they pay for them."""
        return frozenset(held.pays for held in self._held.values() if held.pays)

    def error(self, debate: str) -> MootError | None:
        """Why a debate ended otherwise than by its record, when it was last held here."""
        return self._errors.get(debate)

    async def look(self, debate: str) -> Running:
        """What is known of a debate beside its record: who holds it, here or elsewhere."""
        here = self._here(debate)
        return here if here.by or not await self._pulse.beats(debate) else replace(here, by=ELSEWHERE)

    async def holders(self) -> Mapping[str, str]:
        """Who holds which debate now; see ``Hold.by``."""
        return dict.fromkeys(self._held, HERE)

    async def check(self) -> None:
        """Raise what stands in the way of holding debates: the record or the queue cannot be reached."""
        await self.workspace.store.read("ready", limit=1)

    # ---- what is done ------------------------------------------------------------------------------------------------

    async def begin(self, start: Start, debate: str, *, owner: str = "") -> str:
        """Begin a new debate; one of that id that is held already is that one.

        Args:
            start: the debate, prepared.
            debate: its id.
            owner: who has it held; "" for whoever is at the machine.

        Returns:
            The id; the first entry, of the debate or of the casting before it, is durable then.

        Raises:
            Full: the hall holds as many debates as it may.
            MootError: it cannot be held.
        """

        async def hold(held: Held) -> Outcome:
            return await self._hold_start(start, debate, held)

        held = await self._take(debate, owner, hold)
        await held.begun.wait()
        if (error := self._errors.get(debate)) and not await self.workspace.count_entries(debate):
            raise error
        return debate

    async def resume(self, debate: str, limits: Limits | None = None, *, owner: str = "") -> None:
        """Go on with a debate where its record ends; one that is held already, or is over, stays as it is.

        Args:
            debate: its id.
            limits: what it may use from now on, all in all; None for the limits of its brief.
            owner: who has it held; "" for whoever is at the machine.

        Raises:
            Full: the hall holds as many debates as it may.
            RecordError: there is no such debate, or its record is damaged.
        """
        if debate in self._held or fold(await self.workspace.entries(debate)).closed:
            return

        async def hold(held: Held) -> Outcome:
            return await self.workspace.resume(debate, limits=limits, stop=held.stop, interface=held.letterbox)

        await self._take(debate, owner, hold)

    def stop(self, debate: str, *, now: bool = False) -> bool:
        """Stop a debate after the answers in hand; whoever is a person is waited for no longer.

        Args:
            debate: its id.
            now: at once, answers in hand are lost.

        Returns:
            Whether it was held here.
        """
        held = self._held.get(debate)
        if held is None:
            return False
        held.stop.reason = held.stop.reason or "stopped"
        held.letterbox.leave()
        if now and held.task:
            held.task.cancel()
        return True

    async def pause(self, debate: str, *, now: bool = False) -> bool:
        """The same, wherever it is held."""
        return self.stop(debate, now=now)

    async def takes_in(self, debate: str) -> bool:
        """Whether whoever holds a debate takes in the letter that has just been put in."""
        return debate in self._held

    async def wait(self, debate: str) -> Outcome:
        """What came of a debate, once it is held no longer.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
            MootError: it ended with an error.
        """
        if held := self._held.get(debate):
            await held.over.wait()
        if error := self._errors.get(debate):
            raise error
        return outcome(debate, fold(await self.workspace.entries(debate)))

    async def close(self) -> None:
        """Hold nothing any longer: the answers in hand have some seconds, then all is broken off."""
        self._closing = True
        for debate in self.held:
            self.stop(debate)
        try:
            async with asyncio.timeout(self._grace):
                for held in tuple(self._held.values()):
                    await held.over.wait()
        except TimeoutError:
            for debate in self.held:
                self.stop(debate, now=True)

    # ---- within ------------------------------------------------------------------------------------------------------

    async def _hold_start(self, start: Start, debate: str, held: Held) -> Outcome:
        return await run_start(self.workspace, start, debate, self._lend(held))

    def _here(self, debate: str) -> Running:
        by = HERE if debate in self._held else ""
        return Running(by=by, casting=self.casting(debate), error=self.error(debate))

    def _lend(self, held: Held) -> HostHooks:
        def cast(casting: Generation) -> None:
            held.casting = casting.debate
            held.pays = "" if casting.earlier else casting.debate
            held.begun.set()

        return HostHooks(stop=held.stop, interface=held.letterbox, generating=cast)

    async def _take(self, debate: str, owner: str, hold: Callable[[Held], Awaitable[Outcome]]) -> Held:
        """Hold a debate from now on, or find it held already; one after the other, so that each finds a place."""
        async with self._turn:
            if debate in self._held:
                return self._held[debate]
            await self._check_places(owner)
            if self._closing:
                raise Full("no debate is begun any more: Moot is being ended")
            self._errors.pop(debate, None)
            held = self._held[debate] = Held(owner=owner)
            held.task = self._group.create_task(self._hold(debate, held, hold))
            held.task.add_done_callback(lambda _: self._release(debate))
            return held

    async def _check_places(self, owner: str) -> None:
        most = max(1, self.most - self._kept) if owner else self.most
        own = sum(each.owner == owner for each in self._held.values())
        if owner and own >= self.most:
            raise Full(f"{own} debates of yours are held already, as many as may be; stop one, or come back later")
        if len(self._held) < most:
            return
        busy = sum([not await waits_only(self.workspace, each) for each in self.held])
        if busy >= most:
            raise Full(f"{busy} debates are held already, as many as may be; stop one, or come back later")

    def _release(self, debate: str) -> None:
        """Hold a debate no longer; also one that was stopped before its task had run at all."""
        held = self._held.pop(debate)
        self._pulse.forget(debate)
        if held.casting and debate not in self._errors:
            found = f"it was stopped while its participants were made; begin it again ({held.casting})"
            self._keep(debate, MootError(found))
        held.begun.set()
        held.over.set()

    async def _hold(self, debate: str, held: Held, hold: Callable[[Held], Awaitable[Outcome]]) -> None:
        """Hold one debate; what goes wrong becomes a value, so that it ends no other."""
        async with asyncio.TaskGroup() as group:
            first = group.create_task(self._see_first(debate, held))
            await self._note(debate, hold(held))
            first.cancel()

    async def _note(self, debate: str, holding: Awaitable[Outcome]) -> None:
        try:
            came = await holding
        except MootError as error:
            self._keep(debate, error)
        except Exception as error:  # noqa: BLE001 # house: broad because a slip in one debate must not end the others
            self._keep(debate, MootError(hide(clean(f"internal error: {type(error).__name__}: {error}"))))
        else:
            if came.debate != debate:  # the participants could not be made
                found = f"no participants, so no debate: {came.reason}; begin it again ({came.debate})"
                self._keep(debate, MootError(found))

    def _keep(self, debate: str, error: MootError) -> None:
        self._errors[debate] = error
        self._order.append(debate)
        if len(self._order) > KEPT:
            self._errors.pop(self._order.popleft(), None)

    async def _see_first(self, debate: str, held: Held) -> None:
        """Say when the first entry is durable."""
        # Broad, because whoever looks on must end neither the debate nor the others; it meets the same, or goes on.
        with contextlib.suppress(Exception):
            async with aclosing(self.workspace.hub.follow(debate)) as items:
                async for _ in items:
                    held.casting = ""
                    held.begun.set()
                    return
