"""The agent of a person: how long it waits for the person, and what answers instead.

A person answers at a prompt of the host, or from elsewhere by a message to the debate. If nobody can be asked now, the
debate waits, over weeks and restarts, until the answer arrives or the person's time is up.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from operator import attrgetter
from typing import Protocol, Self

from folkmoot.core.agent import Agent, Context, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import HUMAN
from folkmoot.core.errors import ModelError, Waiting
from folkmoot.core.event import Replied
from folkmoot.deadline import Deadline

POLL = 0.5
"""The most seconds between two looks for a letter while a person is asked in place."""


class Interface(Protocol):
    """A host's way to ask people in place: a terminal, a page."""

    async def ask(self, ask: Ask, context: Context) -> Reply:
        """Ask the person and wait for the answer, however long it takes.

        Several asks can be put at once, also to one person. It is cancelled when the answer comes by message or the
        person's time is up, and must let the cancellation pass at once.

        Raises:
            Waiting: the person will answer later; the debate pauses, and a resume asks again. Its text says why, if
                anything is to be said of that.
        """
        ...


class MessageBox(Protocol):
    """Stores the answers of people, from this process and from others, in one order."""

    async def post(self, event: Replied) -> int:
        """Store an answer and return its number; the answer is durable when this returns."""
        ...

    async def reply(self, key: str) -> Reply | None:
        """Return the first answer that was stored for that ask, if there is one."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Contacts:
    """How the people of one debate can be reached.

    Attributes:
        debate: its id, for the words that tell a person how to answer.
        mailbox: the messages to the debate, with answers from elsewhere; None where there are none.
        interface: asks people in place; None where the host has none.
        called: what the answer to an ask is called, in words for people.
        clock: seconds since 1970.
        asked_at: when each ask that was on record before was asked, by its key; others are asked now.
        gate: how many agents that are no people may answer in parallel; a stand-in for a person counts too.
    """

    debate: str = "ID"
    mailbox: MessageBox | None = None
    interface: Interface | None = None
    called: Callable[[Ask], str] = attrgetter("act")
    clock: Callable[[], float] = time.time
    asked_at: Mapping[str, float] = field(default_factory=dict[str, float])
    gate: asyncio.Semaphore = field(default_factory=asyncio.Semaphore)


@dataclass(frozen=True, slots=True)
class _AnswerTime:
    """The time that a person has for an answer.

    It ends by the wall clock, which all processes share, or by the loop's own clock, which nobody can set back.

    Attributes:
        clock: seconds since 1970.
        ends: when it ends by that clock; None for never.
        latest: when it ends by the loop's clock.
    """

    clock: Callable[[], float]
    ends: float | None
    latest: float

    @classmethod
    def begin(cls, contacts: Contacts, key: str, allowed: float | None) -> Self:
        """Compute the time for an answer to that ask, by the clock of this process."""
        if allowed is None:
            return cls(contacts.clock, None, inf)
        ends = contacts.asked_at.get(key, contacts.clock()) + allowed
        left = min(allowed, ends - contacts.clock())
        return cls(contacts.clock, ends, asyncio.get_running_loop().time() + left)

    @property
    def left(self) -> float:
        """The seconds that are left; 0 or less when the time is up."""
        if self.ends is None:
            return inf
        return min(self.ends - self.clock(), self.latest - asyncio.get_running_loop().time())


class Human:
    """The agent of a person.

    Args:
        contacts: how people can be reached.
        stand_in: who answers when a person's time is up; None for nobody.
        seconds: the most time that the stand-in may take.
    """

    def __init__(self, contacts: Contacts, *, stand_in: Agent | None = None, seconds: float = 120.0) -> None:
        self._contacts, self._stand_in, self._seconds = contacts, stand_in, seconds

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask; see ``core.agent.Agent``.

        Raises:
            Waiting: the person has to answer first.
            ModelError: the person's time is up, and nobody answers instead; of kind ``timeout``.
        """
        contacts = self._contacts
        term = _AnswerTime.begin(contacts, ask.key, context.me.deadline)
        reply = await self._answer_by_message(ask.key)
        if reply is None and term.left > 0:
            if contacts.interface is None:
                raise self._waits_for(ask)
            reply = await self._ask_in_place(contacts.interface, ask, context, term)
        if reply is None:
            return await self._answer_by_fallback(ask, context, recorder)
        return replace(reply, asked=HUMAN, served="", usage=Usage())

    def _waits_for(self, ask: Ask, why: str = "") -> Waiting:
        contacts = self._contacts
        because = f", {why}" if why else ""
        return Waiting(f"{ask.to} has to answer ({contacts.called(ask)}){because}: folkmoot answer {contacts.debate}")

    async def _answer_by_message(self, key: str) -> Reply | None:
        """The answer that came as a message; it counts as long as the ask is open, whatever the clocks say."""
        mailbox = self._contacts.mailbox
        return await mailbox.reply(key) if mailbox else None

    async def _ask_in_place(self, interface: Interface, ask: Ask, context: Context, term: _AnswerTime) -> Reply | None:
        """The answer from the interface or from the mailbox, whichever comes first; None when the time is up."""
        try:
            async with asyncio.timeout(None) as wait, asyncio.TaskGroup() as group:
                watching = group.create_task(self._watch_for_message(ask.key, term, wait))
                reply = await interface.ask(ask, context)
                watching.cancel()
        except TimeoutError:  # of our waiting: what the interface raises stands in the group
            return await self._answer_by_message(ask.key)
        except BaseExceptionGroup as errors:
            error = errors.exceptions[0]
            raise (self._waits_for(ask, str(error)) if isinstance(error, Waiting) else error) from None
        return await self._store_answer(ask, reply)

    async def _store_answer(self, ask: Ask, reply: Reply) -> Reply:
        """Store the answer from the interface; return it, or the message that came before it.

        Both go through the mailbox, so one order decides. The later one gets an error that says so.
        """
        if self._contacts.mailbox is None:
            return reply
        await self._contacts.mailbox.post(Replied(key=ask.key, reply=reply.cleaned(ask.form)))
        return await self._answer_by_message(ask.key) or reply

    async def _watch_for_message(self, key: str, term: _AnswerTime, wait: asyncio.Timeout) -> None:
        """Cancel the question at the interface when a message is there or the time is up."""
        while (left := term.left) > 0:
            if await self._answer_by_message(key):
                break
            await asyncio.sleep(min(POLL, left))
        wait.reschedule(asyncio.get_running_loop().time())

    async def _answer_by_fallback(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        if self._stand_in is None:
            raise ModelError(f"{ask.to} gave no answer in time", kind="timeout")
        try:
            async with self._contacts.gate, Deadline(self._seconds):
                reply = await self._stand_in.answer(ask, context, recorder)
        except TimeoutError:
            late = f"{ask.to} gave no answer in time, nor did the stand-in within {self._seconds:g} seconds"
            raise ModelError(late, kind="timeout") from None
        return replace(reply, notes=(*reply.notes, f"in place of {ask.to}, whose time was up"))
