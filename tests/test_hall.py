"""The hall: debates beside each other, people by letter, stops, errors as values, and a close that loses nothing."""

import asyncio
from pathlib import Path

import pytest

from agents import own_place
from moot.app.brief.reader import read_brief
from moot.app.plan.settings import Config, Serving
from moot.app.run.access import Claim, claim, claimed
from moot.app.run.people import answer, waiting
from moot.app.run.prepare import Wishes
from moot.app.run.runner import Full, Runner
from moot.app.run.start import Start, make_start
from moot.app.run.workspace import Workspace
from moot.app.serve.admission import Reception
from moot.app.serve.spending import Spending
from moot.core.errors import BriefError, MootError, RecordError
from moot.core.event import Paused
from moot.record.hub import Hub, StoredLine
from moot.testing.store_checks import InMemoryStore
from web_kit import ADA, QUOTES, Slow, until

ROUNDS = f"---\nprotocol: round_robin\nrounds: 2\n---\n{QUOTES}"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def start_of(desk: Workspace, brief: str = QUOTES, model: str = "builtin:quotes") -> Start:
    wishes = Wishes(models=(model,), cast="builtin")
    return await make_start(desk, read_brief(brief), wishes, Config())


def desk_with(slow: Slow | None = None) -> Workspace:
    desk = Workspace(InMemoryStore(), config=Config())
    if slow:
        desk.pool.lend("slow", slow)
    return desk


def reception(hall: Runner) -> Reception:
    return Reception(hall=hall, till=Spending(hall, None), serving=Serving())


async def test_several_debates_run_beside_each_other() -> None:
    desk = desk_with()
    async with Runner(desk) as hall:
        ids = [await hall.begin(await start_of(desk), f"d{n}") for n in range(3)]
        for debate in ids:
            assert await desk.count_entries(debate), "the first entry is durable when begin returns"
        came = [await hall.wait(debate) for debate in ids]
        assert hall.held == ()
    assert {each.status for each in came} == {"decided"}


async def test_a_debate_on_record_is_held_only_once() -> None:
    slow = Slow()
    desk = desk_with(slow)
    async with Runner(desk, most=1) as hall:
        start = await start_of(desk, model="guest:slow")
        assert await hall.begin(start, "d") == await hall.begin(start, "d") == "d"
        await hall.resume("d")
        with pytest.raises(Full, match="1 debates are held"):
            await hall.begin(start, "e")
        assert not await desk.count_entries("e")
        slow.go.set()
        assert (await hall.wait("d")).status == "decided"
        await hall.resume("d")
        assert hall.held == (), "what is over is not held again"
        with pytest.raises(RecordError, match="no debate"):
            await hall.resume("nobody")
        assert not hall.stop("nobody")


async def test_a_person_answers_by_letter_and_the_debate_goes_on_by_itself() -> None:
    desk = desk_with()
    async with Runner(desk) as hall:
        await hall.begin(await start_of(desk, ADA), "d")
        while "d" in hall.held:
            if turns := await waiting(desk, "d"):
                ask = turns[0].ask
                fields = (
                    {each.name: each.choices[0] for each in ask.form.fields if each.choices} if ask and ask.form else {}
                )
                await answer(desk, "d", "" if fields else "Tea, I say.", key=turns[0].key, fields=fields or None)
                assert await reception(hall).answered("d")
            await asyncio.sleep(0.01)
        assert (await hall.wait("d")).status in ("decided", "tie", "no_decision")
        assert not any(isinstance(each.event, Paused) for each in await desk.entries("d"))


async def test_a_debate_that_was_put_down_goes_on_when_the_letter_comes() -> None:
    desk = desk_with()
    async with Runner(desk) as hall:
        await hall.begin(await start_of(desk, ADA), "d")
        await until(lambda: waiting(desk, "d"))
    paused = (await desk.entries("d"))[-1].event
    assert isinstance(paused, Paused)
    assert paused.kind == "waiting"
    async with Runner(desk) as hall:
        (turn,) = await waiting(desk, "d")
        await answer(desk, "d", "Tea, I say.", key=turn.key)
        assert await reception(hall).answered("d")
        await until(lambda: waiting(desk, "d"))
        hall.stop("d")
        assert (await hall.wait("d")).kind == "waiting"


async def test_an_answer_to_a_debate_that_was_stopped_wakes_nobody() -> None:
    slow = Slow()
    desk = desk_with(slow)
    async with Runner(desk) as hall:
        await hall.begin(await start_of(desk, model="guest:slow"), "d")
        await slow.asked.wait()
        hall.stop("d", now=True)
        assert (await hall.wait("d")).kind == "stopped"
        assert not await reception(hall).answered("d")


async def test_stop_lets_the_answers_in_hand_come() -> None:
    slow = Slow()
    desk = desk_with(slow)
    async with Runner(desk) as hall:
        await hall.begin(await start_of(desk, ROUNDS, "guest:slow"), "d")
        await slow.asked.wait()
        assert hall.stop("d")
        slow.go.set()
        came = await hall.wait("d")
        assert (came.status, came.kind) == ("paused", "stopped")
        assert any(turn.reply for turn in came.transcript.all()), "the answers in hand are on record"
        await hall.resume("d")
        assert (await hall.wait("d")).status != "paused"


async def test_a_stop_before_the_first_step_gives_the_place_back() -> None:
    desk = desk_with()
    async with Runner(desk) as hall:
        await hall.begin(await start_of(desk, ADA), "d")
        hall.stop("d", now=True)
        await hall.wait("d")
        await hall.resume("d")
        hall.stop("d", now=True)
        await hall.wait("d")
        assert hall.held == ()


async def test_errors_are_values_and_end_no_other_debate(monkeypatch: pytest.MonkeyPatch) -> None:
    desk, slow = desk_with(), Slow()
    desk.pool.lend("slow", slow)
    good, bad = await start_of(desk), await start_of(desk, model="guest:slow")

    async def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError("key=sk-canary-12345678")

    async with Runner(desk) as hall:
        await hall.begin(bad, "good")
        hold = desk.hold
        monkeypatch.setattr(desk, "hold", broken)
        with pytest.raises(MootError, match="ZeroDivisionError"):
            await hall.begin(good, "bad")
        assert "canary" not in str(hall.error("bad"))
        monkeypatch.setattr(desk, "hold", hold)
        slow.go.set()
        assert (await hall.wait("good")).status == "decided"
        with pytest.raises(MootError, match="internal"):
            await hall.wait("bad")
        assert await hall.begin(good, "bad") == "bad", "it can be begun again"
        assert hall.error("bad") is None
        await hall.wait("bad")


async def test_close_gives_the_answers_in_hand_some_seconds_and_then_breaks_off() -> None:
    slow = Slow()
    desk = desk_with(slow)
    async with Runner(desk, grace=0.05) as hall:
        await hall.begin(await start_of(desk, model="guest:slow"), "d")
        await slow.asked.wait()
    entries = await desk.entries("d")
    assert isinstance(entries[-1].event, Paused)
    with pytest.raises(Full, match="being ended"):
        await hall.begin(await start_of(desk), "e")
    slow.go.set()
    async with Runner(desk) as hall:
        await hall.resume("d")
        assert (await hall.wait("d")).status == "decided"


async def test_a_casting_that_pauses_is_no_debate() -> None:
    slow = Slow("{")
    desk = desk_with(slow)
    start = await make_start(desk, read_brief(QUOTES), Wishes(models=("guest:slow",)), Config())
    async with Runner(desk) as hall:
        assert await hall.begin(start, "d") == "d"
        casting = hall.casting("d")
        assert await desk.count_entries("d") == 0
        assert hall.stop("d", now=True)
        with pytest.raises(MootError, match=f"begin it again .{casting}"):
            await hall.wait("d")


async def test_a_casting_comes_before_its_debate() -> None:
    slow = Slow("{}")
    slow.go.set()
    desk = desk_with(slow)
    start = await make_start(desk, read_brief(QUOTES), Wishes(models=("guest:slow",)), Config())
    async with Runner(desk) as hall:
        await hall.begin(start, "d")
        await hall.wait("d")
        assert await desk.count_entries("d")
        assert hall.casting("d") == ""


async def test_a_brief_that_cannot_be_is_refused_before_anything_is_held() -> None:
    desk = desk_with()
    with pytest.raises(BriefError):
        await start_of(desk, model="nobody:x")


async def test_whoever_says_first_whose_a_debate_is_is_right() -> None:
    desk = desk_with()
    assert await claimed(desk, "d") == Claim()
    assert await claim(desk, "d", Claim(owner="ann")) == Claim(owner="ann")
    assert await claim(desk, "d", Claim(owner="ben")) == Claim(owner="ann")
    assert await desk.list() == (), "what is said of a debate is none"


async def test_a_debate_that_is_held_again_is_followed_again() -> None:
    store = InMemoryStore()
    hub = Hub(store, poll=60)
    await store.append("a", ["one"], after=0)
    hub.publish("a", [StoredLine(1, "one")])
    hub.finish("a")
    assert [item async for item in hub.follow("a")] == [StoredLine(1, "one")]
    hub.begin("a")

    async def watch() -> list[object]:
        return [item async for item in hub.follow("a")]

    async with asyncio.TaskGroup() as group:
        watching = group.create_task(watch())
        for _ in range(20):
            await asyncio.sleep(0)
        assert not watching.done(), "nothing has come yet, and more is to come"
        await store.append("a", ["two"], after=1)
        hub.publish("a", [StoredLine(2, "two")])
        hub.finish("a")
    assert watching.result() == [StoredLine(1, "one"), StoredLine(2, "two")]
