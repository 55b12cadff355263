"""Money over one store: whoever reserves, in whatever process, an owner's allowance holds."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import Claim, claim
from folkmoot.app.run.people import answer
from folkmoot.app.run.prepare import LimitOverrides, Overrides, prepare
from folkmoot.app.run.queue_runner import QueueRunner
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve import spending as tills
from folkmoot.app.serve.admission import Admission, DebateRequest
from folkmoot.app.serve.spending import Spending
from folkmoot.core.agent import Quote
from folkmoot.core.errors import LimitReached
from folkmoot.models.base import Request
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.run.queue_kit import working
from tests.council.agents import own_place
from tests.mcp.mcp_kit import Dear
from tests.web.web_kit import ADA, QUOTES, Slow, until


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


@pytest.fixture(params=["file", "database"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str | Path:
    """Where records are that several servers share."""
    return request.getfixturevalue("database") if request.param == "database" else tmp_path / "folkmoot.sqlite"


@asynccontextmanager
async def runners(where: str | Path, slow: Slow | Dear, count: int = 2) -> AsyncGenerator[list[Runner]]:
    """Halls of several servers over the same records."""
    async with AsyncExitStack() as stack:
        open_runners: list[Runner] = []
        for _ in range(count):
            workspace = Workspace.at(where)
            workspace.config = Config()
            stack.push_async_callback(workspace.close)
            workspace.pool.add_agent("slow", slow)
            open_runners.append(await stack.enter_async_context(Runner(workspace, config=workspace.config, grace=0.05)))
        yield open_runners


class Priced(Slow):
    """A model that waits until it may go on, and costs a cent a call."""

    def quote(self, request: Request) -> Quote:
        return replace(super().quote(request), cost=0.01)


def of(runner: Runner, spending: Spending, owner: str = "ann") -> Admission:
    return Admission(runner=runner, spending=spending, serving=Serving(), owner=owner)


def order(
    cost: float | None = 0.6, brief: str = QUOTES, model: str = "guest:slow", cast: str = "builtin"
) -> DebateRequest:
    overrides = Overrides(models=(model,), cast=cast, caps=LimitOverrides(cost=cost))  # pyright: ignore[reportArgumentType]
    return DebateRequest(brief=brief, overrides=overrides)


async def tried(taker: Admission, wanted: DebateRequest) -> str:
    """The debate's id, or "" where the allowance does not reach."""
    try:
        return await taker.begin(wanted)
    except LimitReached:
        return ""


async def test_of_two_servers_that_begin_at_the_same_moment_one_is_refused(where: str | Path) -> None:
    async with runners(where, Priced(), 3) as running:
        takers = [of(runner, Spending(runner, 1.0)) for runner in running]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(tried(taker, order())) for taker in takers]
        ids = [task.result() for task in tasks if task.result()]
        assert len(ids) == 1, "the others would have overrun the allowance together"
        for taker in takers:
            assert await taker.spending.used("ann") == 0.6
            assert await taker.spending.used("ben") == 0.0
            assert not await tried(taker, order(0.5)), "what another server holds is reserved"
        assert await tried(takers[0], order(0.3))
        assert [round(await taker.spending.used("ann"), 6) for taker in takers] == [0.9] * 3


async def test_what_is_put_down_or_over_counts_with_what_it_has_used(where: str | Path) -> None:
    slow = Priced()
    async with runners(where, slow) as (here, there):
        mine, theirs = of(here, Spending(here, 1.0)), of(there, Spending(there, 1.0))
        debate = await mine.begin(order())
        await slow.asked.wait()
        assert here.stop(debate, now=True)
        await here.wait(debate)
        assert await theirs.spending.used("ann") < 0.3
        assert await theirs.resume(debate)
        await until(lambda: there.workspace.count_entries(debate))
        assert await mine.spending.used("ann") == 0.6
        assert not await tried(mine, order())
        slow.go.set()
        await there.wait(debate)
        assert await mine.spending.used("ann") == await theirs.spending.used("ann") < 0.3
        other = await tried(mine, order())
        assert other
        await here.wait(other)


async def test_a_casting_that_another_server_holds_is_reserved_once() -> None:
    stored_lines: dict[str, list[str]] = {}
    slow = Priced("{}")
    here, there = (Workspace(InMemoryStore(stored_lines), config=Config()) for _ in range(2))
    for workspace in (here, there):
        workspace.pool.add_agent("slow", slow)
    async with Runner(here) as runner, Runner(there) as other:
        mine, theirs = of(runner, Spending(runner, 1.0)), of(other, Spending(other, 1.0))
        debate = await mine.begin(order(cast=""))
        await slow.asked.wait()
        assert not await here.count_entries(debate)
        assert await mine.spending.used("ann") == 0.6
        assert 0.6 <= await theirs.spending.used("ann") < 0.63
        slow.go.set()
        await runner.wait(debate)


async def test_what_a_server_reserved_that_was_killed_comes_free_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stored_lines: dict[str, list[str]] = {}
    here, there = (Workspace(InMemoryStore(stored_lines), config=Config()) for _ in range(2))
    async with Runner(here) as runner, Runner(there) as other:
        spending = Spending(other, 1.0)
        async with Spending(runner, 1.0).reserving("ann", "d", 0.9):  # and it is killed before anything is on record
            assert await spending.used("ann") == 0.9
        assert await spending.used("ann") == 0.9, "it may be having participants made"
        monkeypatch.setattr(tills, "PLACING", 0.0)
        assert await spending.used("ann") == 0.0
        monkeypatch.setattr(tills, "PLACING", 900.0)
        there.clock = lambda: here.clock() + 86_400 * 2
        assert await spending.used("ann") == 0.0, "that was the day before yesterday"


async def test_an_open_debate_for_which_nothing_was_reserved_counts_with_its_limit_or_its_estimate() -> None:
    stored_lines: dict[str, list[str]] = {}
    slow = Priced()
    here, there = (Workspace(InMemoryStore(stored_lines), config=Config()) for _ in range(2))
    dear = Dear()
    for workspace in (here, there):
        workspace.pool.add_agent("slow", slow)
        workspace.pool.add_agent("dear", dear)
    async with Runner(here, grace=0.05) as runner, Runner(there) as other:
        spending, session = Spending(other, 100.0), Spending(other, 100.0, session=0.0)
        for name, model, cost in (("limited", "guest:slow", 0.7), ("free", "guest:dear", None)):
            overrides = Overrides(models=(model,), cast="builtin", caps=LimitOverrides(cost=cost))
            await claim(here, name, Claim(owner=name))
            slow.asked.clear()
            await runner.begin(
                await prepare(here, read_brief(ADA.replace("builtin:quotes", model)), overrides, Config()), name
            )
            await until(lambda name=name: waiting(here, name))
        assert await spending.used("limited") == 0.7
        assert await session.used("limited") < 0.7, "a session is its process's own"
        assert await spending.used("free") >= 1.0
        await there.store.append("free", ["damaged"], after=await there.count_entries("free"))
        assert await spending.used("free") == 0.0


async def test_what_stands_in_the_queue_stays_reserved() -> None:
    stored_lines: dict[str, list[str]] = {}
    desks, slow = [Workspace(InMemoryStore(stored_lines), config=Config()) for _ in range(3)], Priced()
    for workspace in desks:
        workspace.pool.add_agent("slow", slow)
    slow.go.set()
    async with working(desks[0]) as worker, QueueRunner(desks[1], worker) as one, QueueRunner(desks[2], worker) as two:
        here, there = of(one, Spending(one, 1.0)), of(two, Spending(two, 1.0))
        worker.open.clear()
        wanted = order(0.9, ADA.replace("builtin:quotes", "guest:slow"))
        debate = await here.begin(wanted)
        assert await there.spending.used("ann") == 0.9
        assert not await tried(there, wanted)
        worker.open.set()
        await until(lambda: worker.found[debate].state == "waiting")
        assert await there.spending.used("ann") == await here.spending.used("ann") < 0.3
        (turn,) = await waiting(desks[1], debate)
        await answer(desks[1], debate, "Tea, I say.", key=turn.key)
        worker.open.clear()
        assert await there.resume_answered(debate)
        assert await here.spending.used("ann") == 0.9, "its record stands still, and it is to go on"
