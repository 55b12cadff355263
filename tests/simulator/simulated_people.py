"""People of a simulated world: they answer late and twice, and speak up, two of them at the same moment."""

import asyncio
import contextlib
from dataclasses import replace
from random import Random
from typing import Protocol

from folkmoot.core.errors import RecordError
from folkmoot.core.event import Interjected, Replied
from folkmoot.record.mailbox import Mailbox
from folkmoot.record.store import decode
from tests.simulator.checks.simulated_answers import person_reply
from tests.simulator.fault_plan import PERSON, Plan, SimulatedDebate
from tests.simulator.invariants import Violation
from tests.simulator.world import SimulatedStore, World


class Surroundings(Protocol):
    """What people need of a world; see ``simulation.Simulation``."""

    world: World
    plan: Plan


class SimulatedPerson:
    """Somebody outside, who answers late and twice, and speaks up.

    Args:
        simulation: the world.
        debate: the debate.
    """

    def __init__(self, simulation: Surroundings, debate: SimulatedDebate) -> None:
        self.simulation, self.debate = simulation, debate
        self.world, self.plan = simulation.world, simulation.plan
        self._mailbox, self._other = (
            Mailbox(SimulatedStore(self.world), debate.id, clock=self.world.wall) for _ in range(2)
        )
        self._random = Random(f"person {self.plan.seed} {debate.id}")
        self._answered: set[str] = set()

    async def run(self) -> None:
        """Answer and speak up until the debate is over."""
        debate, record, random = self.debate, self.world.records[self.debate.id], self._random
        remarks, known, pause = 0, -1, 1.0
        while record.closed is None:
            # Whoever is not waited for looks more and more seldom, for a debate may hang for days.
            waits = any(ask.to == PERSON and key not in self._answered for key, ask in record.asked.items())
            pause = 1.0 if (waits and debate.person) or len(record.lines) != known else min(2 * pause, 16.0)
            known = len(record.lines)
            late = self.plan.late
            await asyncio.sleep(min((random.random() * late + 0.2) * pause, max(30.0, late)))
            with contextlib.suppress(RecordError):
                if record.lines and remarks < self.plan.remarks and random.random() < 0.3:
                    remarks += 1
                    await self._speak_up(remarks)
                if debate.person:
                    await self._answer()

    async def _speak_up(self, number: int) -> None:
        """Say something; every second time somebody else does so at the same moment."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._say(self._mailbox, Interjected(by="Eve", text=f"Eve says {number}")))
            if number % 2 == 0:
                group.create_task(self._say(self._other, Interjected(by="Fay", text=f"Fay says {number}")))

    async def _say(self, mailbox: Mailbox, remark: Interjected) -> None:
        with contextlib.suppress(RecordError):
            await self._post(mailbox, remark)

    async def _answer(self) -> None:
        """Answer the questions that are open, some of them twice."""
        debate, record, random = self.debate, self.world.records[self.debate.id], self._random
        for key, ask in tuple(record.asked.items()):
            if ask.to != PERSON or key in self._answered or key in record.answered:
                continue
            reply = person_reply(self.plan.seed, debate.id, ask)
            await self._post(self._mailbox, Replied(key=key, reply=reply))
            self._answered.add(key)
            if random.random() < 0.3:
                again = replace(reply, text=f"{reply.text} On second thoughts, no.", fields={})
                await self._post(self._mailbox, Replied(key=key, reply=again))

    async def _post(self, mailbox: Mailbox, message: Interjected | Replied) -> None:
        """Queue a message; once that is acknowledged it stands in the mailbox under its number."""
        number = await mailbox.post(message)
        lines = self.world.lines.get(mailbox.stream, [])
        stored = decode(lines[number - 1]).event if number <= len(lines) else None
        if stored != message:
            self.world.fail(Violation("I91", f"message {number} of {self.debate.id} is {stored}, not {message}"))
