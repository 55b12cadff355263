"""The seat of a person: a door, a letter, a deadline, somebody who stands in."""

import asyncio
from collections.abc import Mapping

import pytest

from folkmoot.agents.human import POLL, Contacts, Human, Interface
from folkmoot.core.agent import Context, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief
from folkmoot.core.errors import ModelError, Refused, Waiting
from folkmoot.core.event import Replied
from folkmoot.engine.calls import CallRecorder
from folkmoot.record.mailbox import Mailbox
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.people_kit import Hand, Time, person

ASK = Ask(key="k", to="Ada", act="argue", task="Argue.")
TEA = Reply(text="Tea.")


def context(deadline: float | None = None) -> Context:
    ada = person("Ada", deadline=deadline)
    return Context(brief=Brief(topic="Tea?", participants=(ada,)), me=ada)


class Proxy:
    """A stand-in that says the same, or never anything."""

    def __init__(self, reply: Reply | None) -> None:
        self.reply = reply

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        if self.reply is None:
            await asyncio.sleep(9)
        assert self.reply
        return self.reply


async def answer(human: Human, deadline: float | None = None) -> Reply:
    line: Recorder = CallRecorder.__new__(CallRecorder)  # nothing is said on it
    async with asyncio.timeout(120):
        return await human.answer(ASK, context(deadline), line)


def box(time: Time) -> tuple[Mailbox, Mailbox]:
    """The letters as the seat reads them, and as somebody else writes them."""
    store = InMemoryStore()
    return Mailbox(store, "tea", clock=time), Mailbox(store, "tea", clock=time)


async def test_without_a_door_the_debate_has_to_wait() -> None:
    with pytest.raises(Waiting, match=r"^Ada has to answer \(argue\): folkmoot answer tea$"):
        await answer(Human(Contacts(debate="tea")))


@pytest.mark.parametrize(("why", "message"), [("", ""), ("nobody is in", ", nobody is in")])
async def test_who_answers_later_is_told_how(why: str, message: str) -> None:
    class Closed:
        async def ask(self, ask: Ask, context: Context) -> Reply:
            raise Waiting(why)

    with pytest.raises(Waiting, match=rf"^Ada has to answer \(speech\){message}: folkmoot answer tea$"):
        await answer(Human(Contacts(debate="tea", interface=Closed(), called=lambda ask: "speech")))


async def test_a_person_uses_no_tokens_whatever_the_door_says() -> None:
    class Lying:
        async def ask(self, ask: Ask, context: Context) -> Reply:
            return Reply(text="Tea.", asked="x:y", served="z", usage=Usage(output_tokens=9, cost=1.0))

    assert await answer(Human(Contacts(interface=Lying()))) == Reply(text="Tea.", asked="human")


@pytest.mark.parametrize("error", [Refused("no"), ValueError("the terminal is gone"), TimeoutError("x")])
async def test_what_the_door_raises_is_what_the_seat_raises(error: Exception) -> None:
    class Broken:
        async def ask(self, ask: Ask, context: Context) -> Reply:
            raise error

    with pytest.raises(type(error)) as caught:
        await answer(Human(Contacts(interface=Broken())))
    assert caught.value is error


async def test_a_letter_that_is_there_answers_without_the_door() -> None:
    reads, writes = box(Time())
    await writes.post(Replied(key="k", reply=TEA))
    door = Hand(None)
    assert (await answer(Human(Contacts(mailbox=reads, interface=door)))).text == "Tea."
    assert door.asked == []


async def test_a_letter_that_comes_meanwhile_goes_before_a_door_that_waits() -> None:
    reads, writes = box(Time())
    door = Hand(None)
    human = Human(Contacts(mailbox=reads, interface=door))
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(answer(human))
        await asyncio.sleep(0.01)
        await writes.post(Replied(key="k", reply=TEA))
    assert answering.result().text == "Tea."
    assert (door.asked, door.let_go) == (["k"], ["k"])


async def test_of_a_letter_and_a_door_that_answer_at_once_the_first_counts() -> None:
    """Whoever wrote the letter was told that it is noted."""
    reads, writes = box(Time())

    class Late:
        async def ask(self, ask: Ask, context: Context) -> Reply:
            await writes.post(Replied(key="k", reply=TEA))
            return Reply(text="Coffee.")

    assert (await answer(Human(Contacts(mailbox=reads, interface=Late())), 100.0)).text == "Tea."


async def test_a_letter_behind_an_answer_from_the_door_is_the_second() -> None:
    reads, writes = box(Time())
    human = Human(Contacts(mailbox=reads, interface=Hand(lambda ask, context: "Coffee.")))
    assert await answer(human) == Reply(text="Coffee.", asked="human")
    assert await writes.post(Replied(key="k", reply=TEA)) == 2


async def test_a_cancelled_seat_lets_go_of_the_door() -> None:
    door = Hand(None)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.02):
            await Human(Contacts(interface=door)).answer(ASK, context(), CallRecorder.__new__(CallRecorder))
    assert door.let_go == ["k"]


@pytest.mark.parametrize("door", [None, Hand(lambda ask, context: "too late")])
async def test_when_the_time_is_up_the_turn_is_missing(door: Interface | None) -> None:
    """The time counts from when the ask was put, also in another process."""
    reach = Contacts(interface=door, clock=Time(1100.0), asked_at={"k": 1000.0})
    with pytest.raises(ModelError, match=r"^Ada gave no answer in time$") as caught:
        await answer(Human(reach), 100.0)
    assert (type(caught.value), caught.value.kind) == (ModelError, "timeout")


async def test_the_time_runs_out_at_the_door() -> None:
    time = Time()
    door = Hand(None)
    human = Human(
        Contacts(interface=door, clock=time), stand_in=Proxy(Reply(text="Coffee.", asked="a:b", notes=("n",)))
    )
    async with asyncio.TaskGroup() as group:
        answering = group.create_task(answer(human, 100.0))
        await asyncio.sleep(0.01)
        time.now += 99.0
        await asyncio.sleep(POLL)
        assert not answering.done()
        time.now += 1.0
    assert door.let_go == ["k"]
    expected = Reply(text="Coffee.", asked="a:b", notes=("n", "in place of Ada, whose time was up"))
    assert answering.result() == expected


@pytest.mark.parametrize("written", [1099.0, 1101.0])
async def test_a_letter_counts_as_long_as_the_ask_is_open(written: float) -> None:
    """Whoever wrote it was told that it is noted, whatever the clocks said then or say now."""
    time = Time(written)
    reads, writes = box(time)
    await writes.post(Replied(key="k", reply=TEA))
    time.now = 2000.0
    reach = Contacts(mailbox=reads, clock=time, asked_at={"k": 1000.0})
    assert (await answer(Human(reach, stand_in=Proxy(Reply(text="Coffee."))), 100.0)).text == "Tea."


async def test_a_clock_that_is_set_back_keeps_no_letter_waiting() -> None:
    time = Time(1000.0)
    reads, writes = box(time)
    human = Human(Contacts(mailbox=reads, interface=Hand(None), clock=time, asked_at={"k": 1000.0}))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        answering = group.create_task(answer(human, 100.0))
        await asyncio.sleep(0.01)
        time.now = 4600.0
        await writes.post(Replied(key="k", reply=TEA))
        time.now = -80_000.0
    assert answering.result().text == "Tea."


@pytest.mark.parametrize("put", [{}, {"k": 1000.0}])
async def test_a_clock_that_is_set_back_gives_no_more_time(put: Mapping[str, float]) -> None:
    """A process waits no longer than the deadline, by a clock that nobody can set."""
    time = Time(-80_000.0 if put else 1000.0)
    human = Human(Contacts(interface=Hand(None), clock=time, asked_at=put))
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        group.create_task(fails_late(human))
        await asyncio.sleep(0.01)
        time.now = -80_000.0


async def fails_late(human: Human) -> None:
    with pytest.raises(ModelError, match=r"^Ada gave no answer in time$"):
        await answer(human, 0.05)


async def test_a_stand_in_has_a_turn_s_time_and_fails_like_any_seat() -> None:
    reach = Contacts(clock=Time(1100.0), asked_at={"k": 1000.0})
    with pytest.raises(ModelError, match=r"Ada gave no answer in time, nor did the stand-in within 0.01 s") as caught:
        await answer(Human(reach, stand_in=Proxy(None), seconds=0.01), 100.0)
    assert caught.value.kind == "timeout"

    class Refusing(Proxy):
        async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
            raise Refused("no", kind="refused")

    with pytest.raises(Refused):
        await answer(Human(reach, stand_in=Refusing(None)), 100.0)
