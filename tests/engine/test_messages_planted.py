"""Messages that come at any moment of a debate, up to the last answer, on a virtual clock: each is on record, once.

Faults are planted into the way from the mailbox into the record, and the same debates must notice each of them.
"""
# They change what is private, and stand in for it with whatever types it has.
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.event import Closed, Interjected, Replied
from folkmoot.engine import driver
from folkmoot.engine.driver import DriverOptions
from folkmoot.record import mailbox
from folkmoot.record.mailbox import EVERY, Mailbox
from folkmoot.testing.store_checks import InMemoryStore
from tests.kits.acting import Acts, runner
from tests.simulator.virtual_loop import Stuck, VirtualLoop

Change = tuple[Any, str, Any]

SEEDS = range(60)

LAST_KEYS = ("/debate/round-2#1", "/debate/round-2#2")
"""The last questions."""


@dataclass(slots=True, kw_only=True)
class Messages:
    """A debate to which messages come.

    Attributes:
        seed: says when.
        posted: the numbers of the remarks that were queued before the last answer.
    """

    seed: int
    posted: list[int] = field(default_factory=list[int])

    async def run(self) -> None:
        """Run the debate and check which messages it has."""
        chance, box = Random(self.seed), Mailbox(InMemoryStore(), "d", clock=lambda: 7.0)
        left = len(LAST_KEYS)

        async def post() -> None:
            if chance.random() < 0.2:
                await box.post(Replied(key="k", reply=Reply(text="yes")))
            self.posted.append(await box.post(Interjected(by="Zed", text=f"remark of {self.seed}")))

        async def act(ask: Ask, context: Context, say: Recorder) -> str:
            nonlocal left
            for _ in range(chance.randint(0, 3)):
                await asyncio.sleep(chance.choice((0.0, EVERY / 3, EVERY * 2)))
                if left:
                    await post()
            await asyncio.sleep(chance.choice((0.0, EVERY / 3, EVERY * 2)))
            if left and chance.random() < 0.3:
                await post()
            left -= ask.key in LAST_KEYS
            return "said"

        debate = await runner(hosting=lambda: DriverOptions(mailbox=box)).run({"Ann": Acts(act), "Bob": Acts(act)})
        numbers = [entry.event.letter for entry in debate.entries if isinstance(entry.event, Interjected)]
        assert isinstance(debate.entries[-1].event, Closed)
        assert numbers == self.posted, f"seed {self.seed}: {numbers} of {self.posted}"


def hold(seed: int) -> None:
    """One debate with its messages."""
    loop = VirtualLoop(f"messages {seed}")
    try:
        loop.run_until_complete(Messages(seed=seed).run())
    finally:
        loop.bury()


def test_every_message_before_the_last_answer_is_on_record_once() -> None:
    for seed in SEEDS:
        hold(seed)


# ---- faults ----------------------------------------------------------------------------------------------------------


def messages_of_the_last_moment_are_lost() -> list[Change]:
    usual = driver._Driver._take_messages
    return [(driver._Driver, "_take_messages", lambda self, *, last=False: usual(self))]


def the_end_is_not_looked_at() -> list[Change]:
    usual = driver._Driver._take_messages

    async def take_messages(self: Any, *, last: bool = False) -> None:
        if not last:
            await usual(self)

    return [(driver._Driver, "_take_messages", take_messages)]


def of_several_messages_one_is_taken() -> list[Change]:
    usual = mailbox.Inbox.fetch

    async def fetch(self: Any, now: float) -> Any:
        return (await usual(self, now))[:1]

    return [(mailbox.Inbox, "fetch", fetch)]


def earlier_messages_are_passed_over() -> list[Change]:
    usual = mailbox.Inbox.fetch

    async def fetch(self: Any, now: float) -> Any:
        return (await usual(self, now))[-1:]

    return [(mailbox.Inbox, "fetch", fetch)]


def messages_are_taken_again() -> list[Change]:
    return [(mailbox.Inbox, "apply", lambda self, event: None)]


def what_comes_while_nobody_looks_is_lost() -> list[Change]:
    async def fetch(self: Any, now: float) -> Any:
        late, self._next = now > self._next + EVERY, now + EVERY
        entries = await self._mailbox.read(self.taken)
        remarks = [entry for entry in entries if isinstance(entry.event, Interjected)]
        if late and remarks:
            self.taken = remarks.pop().seq
        return [mailbox.replace(entry.event, letter=entry.seq) for entry in remarks]

    return [(mailbox.Inbox, "fetch", fetch)]


FAULTS: Mapping[str, Callable[[], Sequence[Change]]] = {
    fault.__name__: fault
    for fault in (
        messages_of_the_last_moment_are_lost,
        the_end_is_not_looked_at,
        of_several_messages_one_is_taken,
        earlier_messages_are_passed_over,
        messages_are_taken_again,
        what_comes_while_nobody_looks_is_lost,
    )
}
"""Ways in which messages can be lost."""


@pytest.mark.parametrize("name", FAULTS)
def test_a_message_that_is_lost_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for owner, attribute, value in FAULTS[name]():
        monkeypatch.setattr(owner, attribute, value)
    for seed in SEEDS:
        try:
            hold(seed)
        except (AssertionError, Stuck):
            return
    pytest.fail(f"{name}: none of {len(SEEDS)} debates has noticed it")
