"""The hall: debates beside each other, people by letter, stops, errors as values, and a close that loses nothing."""

import asyncio
from contextlib import nullcontext
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import Claim, claim, claimed
from folkmoot.app.run.people import answer
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner, RunnerFull
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import Admission
from folkmoot.app.serve.spending import Spending
from folkmoot.core.agent import Recorder
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError, FolkmootError, RecordError
from folkmoot.core.event import Called, Paused
from folkmoot.models.base import Request
from folkmoot.models.pool import Pool
from folkmoot.record.hub import Hub, StoredLine
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore
from tests.council.agents import own_place
from tests.web.web_kit import ADA, QUOTES, Slow, until

ROUNDS = f"---\nprotocol: round_robin\nrounds: 2\n---\n{QUOTES}"


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def start_of(workspace: Workspace, brief: str = QUOTES, model: str = "builtin:quotes") -> PreparedDebate:
    overrides = Overrides(models=(model,), cast="builtin")
    return await prepare(workspace, read_brief(brief), overrides, Config())


def desk_with(slow: Slow | None = None) -> Workspace:
    workspace = Workspace(InMemoryStore(), config=Config())
    if slow:
        workspace.pool.add_agent("slow", slow)
    return workspace


def admission(runner: Runner) -> Admission:
    return Admission(runner=runner, spending=Spending(runner, None), serving=Serving())


async def test_several_debates_run_beside_each_other() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        ids = [await runner.begin(await start_of(workspace), f"d{n}") for n in range(3)]
        for debate in ids:
            assert await workspace.count_entries(debate), "the first entry is durable when begin returns"
        came = [await runner.wait(debate) for debate in ids]
        assert runner.running == ()
    assert {outcome.status for outcome in came} == {"decided"}


async def test_a_debate_on_record_is_held_only_once() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace, limit=1) as runner:
        start = await start_of(workspace, model="guest:slow")
        assert await runner.begin(start, "d") == await runner.begin(start, "d") == "d"
        await runner.resume("d")
        with pytest.raises(RunnerFull, match=r"limit of running debates is reached \(1\)"):
            await runner.begin(start, "e")
        assert not await workspace.count_entries("e")
        slow.go.set()
        assert (await runner.wait("d")).status == "decided"
        await runner.resume("d")
        assert runner.running == (), "what is over is not held again"
        with pytest.raises(RecordError, match="no debate"):
            await runner.resume("nobody")
        assert not runner.stop("nobody")


async def test_a_person_answers_by_letter_and_the_debate_goes_on_by_itself() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        await runner.begin(await start_of(workspace, ADA), "d")
        while "d" in runner.running:
            if turns := await waiting(workspace, "d"):
                ask = turns[0].ask
                fields = (
                    {field.name: field.choices[0] for field in ask.form.fields if field.choices}
                    if ask and ask.form
                    else {}
                )
                await answer(workspace, "d", "" if fields else "Tea, I say.", key=turns[0].key, fields=fields or None)
                assert await admission(runner).resume_answered("d")
            await asyncio.sleep(0.01)
        assert (await runner.wait("d")).status in ("decided", "tie", "no_decision")
        assert not any(isinstance(entry.event, Paused) for entry in await workspace.entries("d"))


async def test_a_debate_that_was_put_down_goes_on_when_the_letter_comes() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        await runner.begin(await start_of(workspace, ADA), "d")
        await until(lambda: waiting(workspace, "d"))
    paused = (await workspace.entries("d"))[-1].event
    assert isinstance(paused, Paused)
    assert paused.kind == "waiting"
    async with Runner(workspace) as runner:
        (turn,) = await waiting(workspace, "d")
        await answer(workspace, "d", "Tea, I say.", key=turn.key)
        assert await admission(runner).resume_answered("d")
        await until(lambda: waiting(workspace, "d"))
        runner.stop("d")
        assert (await runner.wait("d")).kind == "waiting"


async def test_an_answer_to_a_debate_that_was_stopped_wakes_nobody() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace) as runner:
        await runner.begin(await start_of(workspace, model="guest:slow"), "d")
        await slow.asked.wait()
        runner.stop("d", now=True)
        assert (await runner.wait("d")).kind == "stopped"
        assert not await admission(runner).resume_answered("d")


async def test_stop_lets_the_answers_in_hand_come() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace) as runner:
        await runner.begin(await start_of(workspace, ROUNDS, "guest:slow"), "d")
        await slow.asked.wait()
        assert runner.stop("d")
        slow.go.set()
        came = await runner.wait("d")
        assert (came.status, came.kind) == ("paused", "stopped")
        calls = [entry.event.call for entry in await workspace.entries("d") if isinstance(entry.event, Called)]
        assert set(calls) == {"answer"}, "the answers in hand are on record, and no question about a form has begun"
        await runner.resume("d")
        assert (await runner.wait("d")).status != "paused"


async def test_a_stop_before_the_first_step_gives_the_place_back() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        await runner.begin(await start_of(workspace, ADA), "d")
        runner.stop("d", now=True)
        await runner.wait("d")
        await runner.resume("d")
        runner.stop("d", now=True)
        await runner.wait("d")
        assert runner.running == ()


async def test_errors_are_values_and_end_no_other_debate(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, slow = desk_with(), Slow()
    workspace.pool.add_agent("slow", slow)
    good, bad = await start_of(workspace), await start_of(workspace, model="guest:slow")

    async def broken(*_: object, **__: object) -> object:
        raise ZeroDivisionError("key=sk-canary-12345678")

    async with Runner(workspace) as runner:
        await runner.begin(bad, "good")
        run = workspace.run
        monkeypatch.setattr(workspace, "run", broken)
        with pytest.raises(FolkmootError, match="ZeroDivisionError"):
            await runner.begin(good, "bad")
        assert "canary" not in str(runner.error("bad"))
        monkeypatch.setattr(workspace, "run", run)
        slow.go.set()
        assert (await runner.wait("good")).status == "decided"
        with pytest.raises(FolkmootError, match="internal"):
            await runner.wait("bad")
        assert await runner.begin(good, "bad") == "bad", "it can be begun again"
        assert runner.error("bad") is None
        await runner.wait("bad")


async def test_close_gives_the_answers_in_hand_some_seconds_and_then_breaks_off() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace, grace=0.05) as runner:
        await runner.begin(await start_of(workspace, model="guest:slow"), "d")
        await slow.asked.wait()
    entries = await workspace.entries("d")
    assert isinstance(entries[-1].event, Paused)
    with pytest.raises(RunnerFull, match="shutting down"):
        await runner.begin(await start_of(workspace), "e")
    slow.go.set()
    async with Runner(workspace) as runner:
        await runner.resume("d")
        assert (await runner.wait("d")).status == "decided"


async def test_a_casting_that_pauses_is_no_debate(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow("{")
    workspace = desk_with(slow)
    start = await prepare(workspace, read_brief(QUOTES), Overrides(models=("guest:slow",)), Config())
    async with Runner(workspace) as runner:
        assert await runner.begin(start, "d") == "d"
        casting = runner.generation_of("d")
        assert await workspace.count_entries("d") == 0
        assert runner.stop("d", now=True)
        with pytest.raises(FolkmootError, match=f"start it again .{casting}"):
            await runner.wait("d")


async def test_a_casting_comes_before_its_debate() -> None:
    slow = Slow("{}")
    slow.go.set()
    workspace = desk_with(slow)
    start = await prepare(workspace, read_brief(QUOTES), Overrides(models=("guest:slow",)), Config())
    async with Runner(workspace) as runner:
        await runner.begin(start, "d")
        await runner.wait("d")
        assert await workspace.count_entries("d")
        assert runner.generation_of("d") == ""


async def test_a_brief_that_cannot_be_is_refused_before_anything_is_held() -> None:
    workspace = desk_with()
    with pytest.raises(BriefError):
        await start_of(workspace, model="nobody:x")


async def test_whoever_says_first_whose_a_debate_is_is_right() -> None:
    workspace = desk_with()
    assert await claimed(workspace, "d") == Claim()
    assert await claim(workspace, "d", Claim(owner="ann")) == Claim(owner="ann")
    assert await claim(workspace, "d", Claim(owner="ben")) == Claim(owner="ann")
    assert await workspace.list() == (), "what is said of a debate is none"


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


async def test_who_takes_lines_only_watches_nothing() -> None:
    hub = Hub(InMemoryStore(), poll=60)
    assert not hub.watched("a")
    with hub.following("a", pieces=False):
        assert (hub.watched("a"), hub.viewers("a")) == (False, 1)
        with hub.following("a"):
            assert (hub.watched("a"), hub.viewers("a")) == (True, 2)
        assert not hub.watched("a")


@pytest.mark.parametrize(("pieces", "expected"), [(None, False), (False, False), (True, True)])
async def test_a_model_knows_whether_somebody_sees_its_words(pieces: bool | None, expected: bool) -> None:
    watched = set[bool]()

    class Asking(ScriptedModel):
        async def complete(self, request: Request, recorder: Recorder) -> Called:
            watched.add(recorder.watched)
            return await super().complete(request, recorder)

    pool = Pool()
    pool.add_agent("Ann", Asking(lambda request: Called(key="", call="", text="Tea."), name="scripted:a"))
    brief = Brief(topic="Tea?", participants=tuple(Participant(name=name, seat="guest:Ann") for name in "AB"))
    workspace = Workspace(InMemoryStore(), pool=pool, config=Config())
    plan = workspace.plan(brief, protocol="round_robin")
    with nullcontext() if pieces is None else workspace.hub.following("d", pieces=pieces):
        await workspace.run(plan, "d")
    assert watched == {expected}
    lines = [item async for item in workspace.follow("d", pieces=False)]
    assert len(lines) == len(await workspace.entries("d"))
    await workspace.close()
