"""The admission: money, limits and places of several owners, answers that wake a debate, and what is not learned."""

import asyncio
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.export.learned import learn_all, learned_items
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run import liveness
from folkmoot.app.run.access import noted_limits
from folkmoot.app.run.liveness import waited_for_people, waits_only
from folkmoot.app.run.people import answer
from folkmoot.app.run.prepare import LimitOverrides, Overrides, PreparedDebate, prepare
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner, RunnerFull
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import Admission, DebateRequest, read_remote
from folkmoot.app.serve.spending import Spending
from folkmoot.core.errors import BriefError, LimitReached, RecordConflict, RecordError
from folkmoot.core.event import Entry, Paused
from folkmoot.testing.store_checks import InMemoryStore
from tests.council.agents import own_place
from tests.mcp.mcp_kit import Dear
from tests.web.web_kit import ADA, QUOTES, Slow, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def desk_with(slow: Slow | None = None) -> Workspace:
    workspace = Workspace(InMemoryStore(), config=Config())
    if slow:
        workspace.pool.add_agent("slow", slow)
    return workspace


def of(runner: Runner, owner: str, spending: Spending | None = None, serving: Serving | None = None) -> Admission:
    return Admission(
        runner=runner, spending=spending or Spending(runner, None), serving=serving or Serving(), owner=owner
    )


def order(
    brief: str = ADA, model: str = "builtin:quotes", caps: LimitOverrides | None = None, *, start: bool = True
) -> DebateRequest:
    return DebateRequest(
        brief=brief, overrides=Overrides(models=(model,), cast="builtin", caps=caps or LimitOverrides()), start=start
    )


async def start_of(workspace: Workspace, brief: str, model: str = "builtin:quotes") -> PreparedDebate:
    return await prepare(workspace, read_brief(brief), Overrides(models=(model,), cast="builtin"), Config())


async def put_down(runner: Runner, debate: str) -> None:
    """Stop a debate when somebody is waited for."""
    await until(lambda: waits_only(runner.workspace, debate))
    runner.stop(debate)
    assert (await runner.wait(debate)).kind == "waiting"


async def say(workspace: Workspace, debate: str) -> None:
    (turn,) = await waiting(workspace, debate)
    form = turn.ask.form if turn.ask else None
    fields = (
        {form_field.name: form_field.choices[0] for form_field in form.fields if form_field.choices} if form else {}
    )
    await answer(workspace, debate, "" if fields else "Tea, I say.", key=turn.key, fields=fields or None)


# ---- answers -------------------------------------------------------------------------------------------------------


async def test_answers_do_not_spend_past_the_allowance_of_a_day() -> None:
    workspace, dear = desk_with(), ADA.replace("builtin:quotes", "guest:dear")
    workspace.pool.add_agent("dear", Dear(0.0001))
    async with Runner(workspace) as runner:
        spending = Spending(runner, 1.0)
        ann, me = of(runner, "ann", spending), of(runner, "", spending)
        ids = [await ann.begin(order(dear, caps=LimitOverrides(cost=0.9)))]
        with pytest.raises(LimitReached):
            await ann.begin(order(dear, caps=LimitOverrides(cost=0.9)))
        await put_down(runner, ids[0])
        for _ in range(3):
            ids.append(await ann.begin(order(dear, caps=LimitOverrides(cost=0.9))))
            await put_down(runner, ids[-1])
        for debate in ids:
            await say(workspace, debate)
        assert [await me.resume_answered(debate) for debate in ids] == [True, False, False, False]
        assert runner.running == (ids[0],)
        assert await spending.used("ann") == pytest.approx(0.9, abs=0.01)


async def test_debates_that_cost_nothing_reserve_nothing() -> None:
    async with Runner(desk_with()) as runner:
        spending = Spending(runner, 1.0)
        ann = of(runner, "ann", spending)
        ids = [await ann.begin(order(caps=LimitOverrides(cost=0.9))) for _ in range(3)]
        assert await spending.used("ann") == 0.0
        await put_down(runner, ids[0])
        assert await ann.resume(ids[0])
        assert await spending.used("ann") == 0.0


async def test_what_is_answered_goes_on_within_the_limits_that_its_owner_set_last() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        ann, me = of(runner, "ann"), of(runner, "")
        for by, caps, noted in (
            (me, LimitOverrides(asks=4), LimitOverrides()),
            (ann, LimitOverrides(asks=300), LimitOverrides(asks=300)),
        ):
            debate = await ann.begin(order(caps=LimitOverrides(asks=2)))
            await until(lambda debate=debate: waits_only(workspace, debate))
            await say(workspace, debate)
            assert (await runner.wait(debate)).kind == "limit"
            assert not await me.resume_answered(debate), "it stands still for another reason"
            assert await by.resume(debate, caps)
            assert await noted_limits(workspace, debate) == noted, "only its owner says it for later"
            await put_down(runner, debate)
            await say(workspace, debate)
            assert await me.resume_answered(debate)
            if by is me:
                assert (await runner.wait(debate)).kind == "limit"
                continue
            await put_down(runner, debate)
            assert await ann.resume(debate, LimitOverrides(tokens=90_000))
            assert await noted_limits(workspace, debate) == LimitOverrides(asks=300, tokens=90_000)
            runner.stop(debate, now=True)
            await runner.wait(debate)
        with pytest.raises(BriefError, match="the owner of this machine allows"):
            await of(runner, "ann", serving=Serving(max_questions=10)).resume(debate, LimitOverrides(asks=11))


async def crashed(brief: str, model: str = "builtin:quotes", slow: Slow | None = None) -> Workspace:
    """A desk over what a process leaves that is killed while somebody is asked."""
    first, left = desk_with(slow), InMemoryStore()
    async with Runner(first, grace=0.05) as runner:
        await runner.begin(await start_of(first, brief, model), "d")
        await (slow.asked.wait() if slow else until(lambda: waits_only(first, "d")))
        await left.append("d", await first.lines("d"), after=0)
    return Workspace(left, config=Config())


async def test_an_answer_wakes_a_debate_whose_holder_was_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "QUIET", 0.1)
    workspace = await crashed(ADA)
    assert not any(isinstance(entry.event, Paused) for entry in await workspace.entries("d"))
    async with Runner(workspace) as runner:
        me = of(runner, "")
        assert not await me.resume_answered("d"), "nobody has answered"
        await say(workspace, "d")
        assert await me.resume_answered("d")
        assert runner.running == ("d",)
        await put_down(runner, "d")
        over = await me.begin(order(QUOTES))
        await runner.wait(over)
        assert not await waited_for_people(workspace, over)
        with pytest.raises(RecordError):
            await me.resume_answered("nobody")


async def test_a_debate_whose_models_were_asked_is_taken_up_by_its_owner_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liveness, "QUIET", 0.1)
    brief = ADA.replace("builtin:quotes", "guest:slow")
    workspace = await crashed(brief, slow=Slow())
    async with Runner(workspace) as runner:
        await say(workspace, "d")
        assert not await of(runner, "").resume_answered("d")


async def test_what_another_process_holds_is_left_to_it() -> None:
    here = desk_with()
    there = Workspace(here.store, config=Config())
    async with Runner(here) as runner, Runner(there) as other:
        await runner.begin(await start_of(here, ADA), "d")
        await until(lambda: waits_only(there, "d"))
        await say(there, "d")
        assert not await of(other, "").resume_answered("d")
        await until(lambda: waits_only(here, "d"))
        assert runner.running == ("d",), "it goes on there, undisturbed"
        await put_down(runner, "d")


# ---- money ---------------------------------------------------------------------------------------------------------


async def test_a_look_at_what_is_used_drops_no_promise() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace, grace=0.05) as runner:
        spending = Spending(runner, 1.0)
        async with spending.reserving("ann", "d", 0.9):
            assert await spending.used("ann") == 0.9
            await runner.begin(await start_of(workspace, QUOTES, "guest:slow"), "d", owner="ann")
        assert await spending.used("ann") == 0.9
        async with spending.reserving("ann", "d", 0.9):
            pass
        with pytest.raises(ZeroDivisionError):
            async with spending.reserving("ann", "e", 0.1):
                raise ZeroDivisionError
        with pytest.raises(LimitReached, match=r"\$0.90 of today's \$1.00"):
            async with spending.reserving("ann", "e", 0.2):
                pass
        async with spending.reserving("ann", "e", 0.1):
            pass
        assert await spending.used("ann") == 0.9, "what was not begun is not reserved"


async def test_owners_pay_beside_each_other_and_no_record_of_today_is_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        ids: dict[str, str] = {}
        for owner in ("ann", "ben", ""):
            ids[owner] = await of(runner, owner).begin(order(QUOTES))
            await runner.wait(ids[owner])
        looked: list[str] = []
        entries = workspace.entries

        async def look(debate: str) -> tuple[Entry, ...]:
            looked.append(debate)
            return await entries(debate)

        monkeypatch.setattr(workspace, "entries", look)
        spending = Spending(runner, 1.0)
        async with asyncio.timeout(120), spending.reserving("ann", "d", 0.9), spending.reserving("ben", "e", 0.9):
            pass
        assert await Spending(runner, 1.0, session=workspace.clock() + 1).used("ann") == 0.0
        assert looked == [], "what was spent stands in the summaries"
        await workspace.store.append(ids["ann"], ["damaged"], after=await workspace.count_entries(ids["ann"]))
        assert await spending.used("ann") == 0.0


async def test_the_same_key_laid_down_by_two_at_once_is_one_debate() -> None:
    workspace = desk_with()
    async with Runner(workspace) as runner:
        ann, wanted = of(runner, "ann"), order(QUOTES, start=False)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(ann.begin(wanted, "k")) for _ in range(4)]
        assert len({task.result() for task in tasks}) == 1
        workspace.new_id = lambda plan: tasks[0].result()  # an id that is taken, without a key
        with pytest.raises(RecordConflict):
            await ann.begin(wanted)


# ---- places --------------------------------------------------------------------------------------------------------


async def test_a_debate_that_waits_for_people_takes_no_place_of_others() -> None:
    slow = Slow()
    workspace = desk_with(slow)
    async with Runner(workspace, limit=2, reserved=1, grace=0.05) as runner:
        for name in ("a1", "a2", "a3"):
            await runner.begin(await start_of(workspace, ADA), name, owner="ann")
            await until(lambda name=name: waits_only(workspace, name))
        busy = await start_of(workspace, QUOTES, "guest:slow")
        await runner.begin(busy, "b1", owner="ben")
        with pytest.raises(RunnerFull, match=r"limit of running debates is reached \(1\)"):
            await runner.begin(busy, "b2", owner="ben")
        await runner.begin(busy, "m1")
        with pytest.raises(RunnerFull, match=r"limit of running debates is reached \(2\)"):
            await runner.begin(busy, "m2")
        assert runner.running == ("a1", "a2", "a3", "b1", "m1")
        await say(workspace, "a1")
        await until(lambda: waits_only(workspace, "a1"))
        assert "a1" in runner.running, "it goes on, though the hall is full"


async def test_a_casting_takes_a_place() -> None:
    slow = Slow("{")
    workspace = desk_with(slow)
    async with Runner(workspace, limit=1, grace=0.05) as runner:
        start = await prepare(workspace, read_brief(QUOTES), Overrides(models=("guest:slow",)), Config())
        await runner.begin(start, "d")
        with pytest.raises(RunnerFull):
            await runner.begin(await start_of(workspace, QUOTES), "e")


# ---- memory --------------------------------------------------------------------------------------------------------


async def test_the_debates_of_others_are_not_learned(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "folkmoot.sqlite")
    workspace.config = Config()
    try:
        async with Runner(workspace) as runner:
            mine, hers = [await of(runner, owner).begin(order(QUOTES)) for owner in ("", "ann")]
            for debate in (mine, hers):
                assert (await runner.wait(debate)).status == "decided"
        for _ in range(2):
            assert len((await learned_items(workspace, mine, ("outcome",)))["outcome"]) == 1
            assert not (await learned_items(workspace, hers, ("outcome", "position")))["outcome"]
            await learn_all(workspace, rebuild=True)
    finally:
        await workspace.close()


async def test_reservations_that_fill_an_allowance_exactly_all_fit() -> None:
    workspace, dear = desk_with(), ADA.replace("builtin:quotes", "guest:dear")
    workspace.pool.add_agent("dear", Dear(0.0001))
    async with Runner(workspace) as runner:
        ann = of(runner, "ann", Spending(runner, 0.3))
        await ann.begin(order(dear, caps=LimitOverrides(cost=0.1)))
        await ann.begin(order(dear, caps=LimitOverrides(cost=0.2)))
        with pytest.raises(LimitReached):
            await ann.begin(order(dear, caps=LimitOverrides(cost=0.01)))


def test_whoever_sends_keys_is_told_of_no_line() -> None:
    for keys in ({"topic": "Tea?", "options": ["a", "a"]}, {"topic": "Tea?", "rounds": "x"}, {"topics": "Tea?"}):
        with pytest.raises(BriefError) as caught:
            read_remote(keys)
        assert "line" not in str(caught.value)
        assert caught.value.line == 0
