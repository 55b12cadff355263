"""From somebody's order to a debate that is held. This file owns that a key counts once, and what an owner may spend.

Every host whose debates come from elsewhere receives them here, so that the same limits hold on every way in.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from moot.app.brief.reader import Intake
from moot.app.plan.serving import Serving
from moot.app.run.access import Claim, claim, claimed, conflict, note_limits, noted_limits
from moot.app.run.choosing import Caps, Wishes
from moot.app.run.dispatcher import QueueError
from moot.app.run.holding import Start, lay_down, make_start
from moot.app.run.keeping import Full
from moot.app.run.outcome import opening
from moot.app.run.runner import Hall
from moot.app.run.standing import stands_still
from moot.app.run.workspace import Desk
from moot.app.serve.remote import read_remote, with_limits, within
from moot.app.serve.spending import Till, is_free, reserve, spent
from moot.core.brief import Limits
from moot.core.errors import BriefError, LimitReached, RecordConflict
from moot.core.transcript import fold


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What somebody wants debated.

    Attributes:
        brief: Markdown as in a file, or the keys of its header as plain data.
        wishes: what is wanted otherwise; its caps take the place of the brief's limits.
        start: whether the debate is held at once; else it is only put on record.
    """

    brief: str | Mapping[str, object]
    wishes: Wishes
    start: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Reception:
    """Takes the orders of one owner.

    Attributes:
        hall: where the debates are held.
        till: what owners may spend.
        serving: what the owner of the machine allows the others.
        owner: under which name debates are owned; "" for whoever is at the machine, who has no limits but the brief's.
    """

    hall: Hall
    till: Till
    serving: Serving
    owner: str = ""

    @property
    def machine(self) -> bool:
        """Whether it is whoever is at the machine."""
        return not self.owner

    @property
    def desk(self) -> Desk:
        """The desk of the hall."""
        return self.hall.desk

    async def make_ready(self, order: Order) -> Start:
        """Read and prepare what is wanted; nothing is sent to any model.

        Raises:
            BriefError: something in it cannot be used, or is more than the owner allows.
            LimitReached: the price of a model is unknown where spending is limited.
        """
        intake = with_limits(read_remote(order.brief, alone=not self.machine), order.wishes.caps)
        caps = Caps() if self.machine else within(intake.brief.limits, self.serving)
        wishes = replace(order.wishes, caps=caps)
        start = await make_start(self.desk, intake, wishes, self.hall.config)
        cap = None if self.machine else self.till.cap(start.ready)
        if cap is None:
            return start
        return await make_start(self.desk, with_limits(intake, Caps(cost=cap)), wishes, self.hall.config)

    async def begin(self, order: Order, key: str = "") -> str:
        """Begin what is wanted; once, however often it comes under the same key.

        Returns:
            The debate's id.

        Raises:
            MootError: it cannot be begun.
        """
        wanted = {"brief": order.brief, "wishes": asdict(order.wishes), "start": order.start}
        asked = request_of("begin", wanted)
        if key and await self.is_there(debate := keyed(self.owner, key), asked):
            if order.start and await self.desk.count_entries(debate) == 1:
                await self.go_on(debate)  # it was put on record, and nobody was told to hold it
            return debate
        start = await self.make_ready(order)
        debate = keyed(self.owner, key) if key else self.desk.new_id(start.ready.plan)
        await self.own(debate, asked if key else "")
        if not order.start:
            try:
                await lay_down(self.desk, start, debate)
            except RecordConflict:
                if not key:
                    raise  # else the same was asked for at the same time
            return debate
        ready = start.ready
        free = is_free(ready.costing.most) and not ready.caster
        async with self.till.paying(self.owner, debate, 0.0 if free else ready.plan.brief.limits.cost or 0.0):
            return await self.hall.begin(start, debate, owner=self.owner)

    async def go_on(self, debate: str, caps: Caps | None = None) -> bool:
        """Go on with a debate, within what its owner may spend.

        Args:
            debate: its id.
            caps: limits in the place of those that it had, all in all. Those of its owner hold from now on.

        Returns:
            Whether it is held now.

        Raises:
            MootError: it cannot be taken up.
        """
        entries = await self.desk.entries(debate)
        held = (await self.hall.look(debate)).sure
        if fold(entries).closed or held:
            return held
        noted = await noted_limits(self.desk, debate)
        caps = _over(noted, caps or Caps())
        opened = opening(debate, entries)
        wanted = caps.on(opened.brief.limits)
        if self.owner:
            wanted = within(wanted, self.serving).on(wanted)
            self.till.check(wanted)
        amount = max(0.0, reserve(self.desk, opened, wanted.cost) - spent(entries)) if self.owner else 0.0
        async with self.till.paying(self.owner, debate, amount):
            await self.hall.resume(debate, wanted, owner=self.owner)
        if caps != noted and self.owner == (await claimed(self.desk, debate)).owner:
            await note_limits(self.desk, debate, caps)
        return (await self.hall.look(debate)).sure

    async def answered(self, debate: str) -> bool:
        """Go on with a debate that stood still because a person had to answer, now that somebody has.

        It goes on for its owner, whoever has answered: within what the owner may spend, and the limits last set.

        Returns:
            Whether it is held now. Where it is not, it stands still for another reason, another process holds it,
            the hall is full, the queue cannot be reached, or its owner may spend no more.

        Raises:
            RecordError: there is no such debate, or its record is damaged.
        """
        try:
            if await self.hall.takes_in(debate):
                return True
            if not await stands_still(self.desk, debate):
                return False
            owner = (await claimed(self.desk, debate)).owner
            return await replace(self, owner=owner).go_on(debate)
        except (BriefError, Full, LimitReached, QueueError):
            return False

    def read_other(self, brief: str | Mapping[str, object], parent: Limits) -> Intake:
        """Another brief for a fork, within what the owner allows; it has its parent's limit on cost where it has none.

        Raises:
            BriefError: something in it cannot be used, or is more than the owner allows.
        """
        intake = read_remote(brief, alone=not self.machine)
        if self.machine:
            return intake
        if intake.brief.limits.cost is None:
            intake = with_limits(intake, Caps(cost=parent.cost))
        return with_limits(intake, within(intake.brief.limits, self.serving))

    async def own(self, debate: str, asked: str) -> None:
        """Note whose a new debate is, and what was asked for.

        Raises:
            RecordConflict: something else was asked for under the same key.
        """
        wanted = Claim(owner=self.owner, request=asked)
        if wanted != Claim() and await claim(self.desk, debate, wanted) != wanted:
            raise conflict(debate)

    async def is_there(self, debate: str, asked: str) -> bool:
        """Whether the debate of a key is there already, or being begun.

        Raises:
            RecordConflict: something else was asked for under that key.
        """
        if not (debate in self.hall.held or await self.desk.store.read(debate, limit=1)):
            return False
        await self.own(debate, asked)
        return True


def _over(noted: Caps, caps: Caps) -> Caps:
    """Limits that were noted, with others in their place where these are set."""
    return Caps(**{name: value if value is not None else getattr(noted, name) for name, value in asdict(caps).items()})


def keyed(owner: str, key: str) -> str:
    """The id of the debate that a request under a key makes: it follows from whose key it is."""
    return f"debate-{hashlib.sha256(f'{owner} {key}'.encode()).hexdigest()[:24]}"


def request_of(what: str, wanted: Mapping[str, object]) -> str:
    """The hash of what is asked for.

    Raises:
        BriefError: it cannot be written as JSON.
    """
    try:
        text = json.dumps(wanted, sort_keys=True, ensure_ascii=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise BriefError("the brief is nested too deeply, or holds what JSON cannot", code="malformed") from error
    return hashlib.sha256(f"{what} {text}".encode()).hexdigest()
