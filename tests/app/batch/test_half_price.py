"""Debates whose models are asked in providers' batches, on servers of both providers: rounds, faults, kills, money."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.batch.batch_plan import Batch, make_batch, make_item
from folkmoot.app.batch.batch_rounds import awaited_items
from folkmoot.app.batch.run_batch import BatchRun
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Usage
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Attempted, Called, Erred, Failed, Paused
from folkmoot.engine.driver import StopRequest
from folkmoot.models.batches.batch_tray import LOOK, BatchPace, pace_of
from folkmoot.models.names import parse
from folkmoot.models.pool import Pool
from folkmoot.models.prices import cost
from folkmoot.testing.small_web import Web
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.batch.batch_kit import BRIEF
from tests.council.agents import own_place
from tests.kits.batch_servers import BUILD, BatchServers, Fate, SentBatch

MODELS = ("openai:gpt-5.4-mini", "anthropic:claude-haiku-5-5")
BUY = "ANSWER: buy\nCONFIDENCE: 0.7\nARGUMENT: It is quick."
FAST = BatchPace(least=0.01, most=0.01)


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def split(body: Any) -> str:
    """Ann builds and Ben buys, so that there is a second round."""
    return BUY if "You are Ben" in str(body) else BUILD


class Shop:
    """Providers with batches, and processes that use them on one store."""

    def __init__(self, servers: BatchServers, url: str) -> None:
        self.servers, self.store = servers, InMemoryStore()
        self.env = {
            "OPENAI_API_KEY": "k-openai",
            "OPENAI_BASE_URL": f"{url}/v1",
            "ANTHROPIC_API_KEY": "k-anthropic",
            "ANTHROPIC_BASE_URL": url,
        }

    def process(self, pace: BatchPace = FAST) -> Workspace:
        """A new process on the same store."""
        workspace = Workspace(self.store, pool=Pool(env=self.env), config=Config(learn=False))
        workspace.tray.pace = pace
        return workspace

    async def hold(self, work: BatchRun) -> BatchRun:
        """Run a batch, and close its process."""
        await work.run()
        await work.workspace.pool.close()
        return work

    async def entries(self, work: BatchRun) -> list[Any]:
        """The events of all debates."""
        return [entry.event for repeat in work.batch for entry in await work.workspace.entries(repeat.debate)]


@asynccontextmanager
async def shop(servers: BatchServers) -> AsyncGenerator[Shop]:
    async with Web(servers.script).serve() as web:
        yield Shop(servers, web.url)


def debates(count: int = 3, models: tuple[str, ...] = MODELS) -> Batch:
    return make_batch(
        [make_item(read_brief(BRIEF.replace("{mark}", "")), Overrides(models=models), name="item")],
        times=count,
        name="shop",
    )


def run_of(workspace: Workspace, batch: Batch, *, wait: bool = True, budget: float | None = None) -> BatchRun:
    return BatchRun(
        workspace=workspace, batch=batch, config=Config(learn=False), half_price=True, wait=wait, budget=budget
    )


async def test_each_round_of_all_debates_is_one_batch_for_each_model_at_half_the_price() -> None:
    async with shop(BatchServers(words=split, auto=True)) as there:
        work = run_of(there.process(), debates(4))
        foreseen = await work.estimate()
        assert foreseen.batched == (
            "Asked in batches at half the price: openai:gpt-5.4-mini, anthropic:claude-haiku-5-5. "
            "There are up to 2 rounds, and each can take 24 hours."
        )
        live = BatchRun(workspace=there.process(), batch=work.batch, config=Config(learn=False))
        whole = await live.estimate()
        assert not whole.batched
        assert foreseen.costing.most.cost == pytest.approx((whole.costing.most.cost or 0.0) / 2)
        assert foreseen.costing.bounds.most.cost == whole.costing.bounds.most.cost  # repairs are asked live
        work.workspace.tray.on = True
        await there.hold(work)
        outcomes = await work.outcomes()
        assert {outcome.status for outcome in outcomes} <= {"tie", "decided"}
        assert [len(batch.requests) for batch in there.servers.batches] == [4, 4, 4, 4]
        assert len(set(there.servers.items)) == 16
        assert not there.servers.live
        calls = [event for event in await there.entries(work) if isinstance(event, Called)]
        assert {(call.model, call.served) for call in calls} == {(model, model.partition(":")[2]) for model in MODELS}
        tried = [event for event in await there.entries(work) if isinstance(event, Attempted)]
        assert sorted(event.item for event in tried) == sorted(there.servers.items)
        assert all(event.n == 1 and event.cost for event in tried)
        paused = [event for event in await there.entries(work) if isinstance(event, Paused)]
        assert {event.kind for event in paused} == {"batch"}
        assert re.match(r"waits for a batch since \d{4}-\d\d-\d\d \d\d:\d\d UTC \(openai:gpt-5", paused[0].reason)
        for repeat in work.batch:
            await work.workspace.verify(repeat.debate)
        assert sum(outcome.used for outcome in outcomes) == pytest.approx(sum(call.usage.cost or 0.0 for call in calls))
        usage = Usage(input_tokens=1000, output_tokens=1000)
        live_cost = 8 * sum(cost(parse(model), usage) or 0.0 for model in MODELS)
        assert sum(outcome.cost or 0.0 for outcome in outcomes) == pytest.approx(live_cost / 2)


async def test_who_does_not_wait_pays_once_and_another_process_goes_on() -> None:
    async with shop(BatchServers()) as there:
        first = await there.hold(run_of(there.process(), debates(), wait=False))
        assert [(outcome.status, outcome.kind) for outcome in await first.outcomes()] == [("paused", "batch")] * 3
        used = [outcome.used for outcome in await first.outcomes()]
        assert all(used)
        again = await there.hold(run_of(there.process(), debates(), wait=False))
        assert [outcome.used for outcome in await again.outcomes()] == used  # reserved once, not twice
        assert len(there.servers.batches) == 2
        there.servers.finish()
        there.env["OPENAI_API_KEY"] = "k-rotated"
        last = await there.hold(run_of(there.process(), debates()))
        assert [outcome.answer for outcome in await last.outcomes()] == ["build"] * 3
        assert len(there.servers.items) == len(set(there.servers.items)) == 6
        # One that is resumed by itself, without a flag, goes on by batches too.
        assert "Bearer k-rotated" in there.servers.keys


async def test_a_third_expires_and_a_third_is_refused_and_only_these_asks_differ() -> None:
    fates: dict[str, Fate] = {}

    def fate(batch: SentBatch, item: str) -> Fate:
        if batch.id != "batch_0":
            return "answered"
        fates[item] = ("answered", "expired", "refused")[sorted(batch.requests).index(item) % 3]
        return fates[item]

    async with shop(BatchServers(auto=True, fate=fate)) as there:
        work = await there.hold(run_of(there.process(), debates(6)))
        assert all(outcome.status == "decided" for outcome in await work.outcomes())
        events = await there.entries(work)
        erred = [event for event in events if isinstance(event, Erred)]
        assert sorted(event.kind for event in erred) == ["expired"] * 2 + ["request"] * 2
        failed = [event for event in events if isinstance(event, Failed)]
        assert len(failed) == 2
        assert all("refused the request (400): refused: bad luck" in event.reason for event in failed)
        tried = [event for event in events if isinstance(event, Attempted) and event.n == 2]
        assert len(tried) == 2  # what had expired went again, once
        assert len(there.servers.items) == 12 + 2 + 4  # who gave no draft is heard in a second round
        # Nothing is booked for what expired or was refused.
        calls = [event for event in events if isinstance(event, Called)]
        assert sum(outcome.used for outcome in await work.outcomes()) == pytest.approx(
            sum(call.usage.cost or 0.0 for call in calls)
        )


async def test_what_expires_twice_pauses_the_debate_and_a_cancelled_batch_is_sent_again_when_resumed() -> None:
    async with shop(BatchServers(auto=True, fate=lambda batch, item: "overloaded")) as there:
        work = await there.hold(run_of(there.process(), debates(1)))
        assert [outcome.kind for outcome in await work.outcomes()] == ["unavailable"]
        assert len(there.servers.batches) == 4
    async with shop(BatchServers()) as there:
        await there.hold(run_of(there.process(), debates(1), wait=False))
        workspace = there.process()
        for job in (await workspace.tray.jobs()).by_id.values():
            workspace.pool.model(job.model)
            assert await workspace.tray.cancel(job)
        there.servers.auto = True
        last = await there.hold(run_of(there.process(), debates(1)))
        assert [outcome.status for outcome in await last.outcomes()] == ["decided"]
        erred = [event.kind for event in await there.entries(last) if isinstance(event, Erred)]
        assert erred == ["cancelled", "cancelled"]
        job = next(iter((await workspace.tray.jobs()).by_id.values()))
        assert not await workspace.tray.cancel(job)
        await workspace.pool.close()


async def test_what_was_answered_before_a_batch_was_cancelled_is_kept() -> None:
    """A batch that is being cancelled goes on for a while; what is answered until then is paid, and is on record."""
    servers = BatchServers(fate_of_cancelled=lambda batch, item: "answered" if batch.wire == "openai" else "cancelled")
    async with shop(servers) as there:
        await there.hold(run_of(there.process(), debates(1), wait=False))
        workspace = there.process()
        for job in (await workspace.tray.jobs()).by_id.values():
            workspace.pool.model(job.model)
            assert await workspace.tray.cancel(job)
        await workspace.pool.close()
        assert [batch.status for batch in servers.batches] == ["cancelling", "canceling"]
        servers.auto = True
        last = await there.hold(run_of(there.process(), debates(1)))
        assert [outcome.status for outcome in await last.outcomes()] == ["decided"]
        erred = [event.kind for event in await there.entries(last) if isinstance(event, Erred)]
        assert erred == ["cancelled"]
        sent = [len(batch.requests) for batch in servers.batches if batch.wire == "openai"]
        assert sent == [1] * len(sent), "the answer is not asked for again"


async def test_what_expires_twice_is_asked_live_where_the_user_says_so() -> None:
    async with shop(BatchServers(words=split, auto=True, fate=lambda batch, item: "expired")) as there:
        paused = await there.hold(run_of(there.process(), debates(1)))
        assert [outcome.kind for outcome in await paused.outcomes()] == ["unavailable"]
        assert not there.servers.live
        workspace = there.process()
        workspace.tray.or_live = True
        work = run_of(workspace, debates(1))
        words = (await work.estimate()).batched
        assert words.endswith("What a provider has no time for twice is asked live, at the full price.")
        await there.hold(work)
        assert {outcome.status for outcome in await work.outcomes()} <= {"tie", "decided"}
        events = await there.entries(work)
        live = [event for event in events if isinstance(event, Attempted) and not event.item]
        assert len(there.servers.live) == len(live) == 4, "two models in two rounds"
        assert {event.n for event in live} == {3}, "two tries in batches came before"
        halves = [event for event in events if isinstance(event, Attempted) and event.item and event.key == live[0].key]
        assert live[0].cost == pytest.approx(2 * (halves[0].cost or 0.0))
        for repeat in work.batch:
            await workspace.verify(repeat.debate)


async def test_a_batch_whose_answer_was_lost_is_found_again_and_not_sent_twice() -> None:
    async with shop(BatchServers(lose=2)) as there:
        first = await there.hold(run_of(there.process(), debates(), wait=False))
        assert len(there.servers.batches) == 2
        jobs = (await first.workspace.tray.jobs()).by_id.values()
        assert {(job.state, job.handle) for job in jobs} == {(None, "")}
        # OpenAI's is known by its metadata; Anthropic's only when it has ended.
        again = await there.hold(run_of(there.process(), debates(), wait=False))
        assert [job.handle for job in (await again.workspace.tray.jobs()).by_id.values()] == ["batch_0", ""]
        there.servers.finish()
        remarks: list[str] = []
        workspace = there.process()
        workspace.tray.tell = remarks.append
        last = await there.hold(run_of(workspace, debates()))
        assert [outcome.status for outcome in await last.outcomes()] == ["decided"] * 3
        assert len(there.servers.items) == len(set(there.servers.items)) == 6
        assert "found the batch of 3 calls at anthropic:claude-haiku-5-5 again: msgbatch_1" in remarks


async def test_a_batch_that_never_arrived_is_sent_again_when_it_must_be_lost() -> None:
    async with shop(BatchServers(auto=True)) as there:
        url = there.env["OPENAI_BASE_URL"]
        there.env["OPENAI_BASE_URL"] = there.env["ANTHROPIC_BASE_URL"] = "http://127.0.0.1:9"
        first = await there.hold(run_of(there.process(), debates(2), wait=False))
        assert [outcome.kind for outcome in await first.outcomes()] == ["batch"] * 2
        there.env["OPENAI_BASE_URL"], there.env["ANTHROPIC_BASE_URL"] = url, url.removesuffix("/v1")
        early = await there.hold(run_of(there.process(), debates(2), wait=False))
        assert not there.servers.batches
        assert [outcome.kind for outcome in await early.outcomes()] == ["batch"] * 2
        late = await there.hold(run_of(there.process(BatchPace(least=0.01, lost=0.0)), debates(2)))
        assert [outcome.status for outcome in await late.outcomes()] == ["decided"] * 2
        assert len(there.servers.items) == len(set(there.servers.items)) == 4
        states = [job.state for job in (await late.workspace.tray.jobs()).by_id.values()]
        assert states == ["unsent", "unsent", "ended", "ended"]


async def test_a_provider_that_is_busy_is_asked_again_and_one_that_refuses_ends_the_asks() -> None:
    def words(status: int) -> BatchServers:
        return BatchServers(auto=True, refuse=status)

    async with shop(words(429)) as there:
        workspace = there.process()

        def relent(sentence: str) -> None:
            if "was not sent" in sentence:
                there.servers.refuse = 0

        workspace.tray.tell = relent
        work = await there.hold(run_of(workspace, debates(1)))
        assert [outcome.status for outcome in await work.outcomes()] == ["decided"]
    async with shop(words(401)) as there:
        work = await there.hold(run_of(there.process(), debates(1)))
        (outcome,) = await work.outcomes()
        assert outcome.kind == "unavailable"
        assert "refused the key" in outcome.reason


async def test_a_batch_that_is_refused_as_a_whole_or_gone_is_no_answer() -> None:
    async with shop(BatchServers()) as there:
        await there.hold(run_of(there.process(), debates(1, MODELS[:1]), wait=False))
        batch = there.servers.batches[0]
        batch.status, batch.errors = "failed", [{"code": "token_limit_exceeded", "message": "Enqueued token limit."}]
        again = await there.hold(run_of(there.process(), debates(1, MODELS[:1]), wait=False))
        assert len(there.servers.batches) == 2  # it may fit later
        there.servers.batches.clear()
        last = await there.hold(run_of(there.process(), debates(1, MODELS[:1]), wait=False))
        (outcome,) = await last.outcomes()
        assert "no longer has the batch" in outcome.reason
        assert outcome.used > 0  # it may have been paid
        assert awaited_items([*await again.workspace.entries(outcome.debate)]) == frozenset()


async def test_money_is_reserved_at_half_the_price_and_what_does_not_fit_waits_for_it() -> None:
    async with shop(BatchServers(auto=True)) as there:
        batch = debates(3)
        most = (await run_of(there.process(), batch).estimate()).costing.most.cost or 0.0
        work = await there.hold(run_of(there.process(), batch, budget=0.6 * most))
        assert [outcome.status for outcome in await work.outcomes()] == ["decided"] * 3
        sizes = [len(sent.requests) for sent in there.servers.batches]
        assert sum(sizes) == 6
        assert len(sizes) > 2  # the third began when the money of the others was free


async def test_a_stop_leaves_the_batches_alone_and_a_wrong_pace_is_refused() -> None:
    async with shop(BatchServers()) as there:
        workspace = there.process()
        stop = StopRequest()
        workspace.tray.tell = lambda sentence: setattr(stop, "reason", "stopped by you")
        work = BatchRun(workspace=workspace, batch=debates(2), config=Config(learn=False), half_price=True, stop=stop)
        async with asyncio.timeout(60):
            await there.hold(work)
        assert [outcome.kind for outcome in await work.outcomes()] == ["batch"] * 2
        assert all(batch.status == "in_progress" for batch in there.servers.batches)
    assert pace_of({LOOK: "2"}).wait(0.0) == 2.0
    assert pace_of({}).wait(100_000.0) == 600.0
    with pytest.raises(BriefError, match=f"{LOOK} must be a number of seconds from 0.1 to 600"):
        pace_of({LOOK: "soon"})


async def test_without_a_provider_that_has_batches_the_option_is_refused() -> None:
    async with shop(BatchServers()) as there:
        work = run_of(there.process(), debates(1, ("ollama:llama3.2",)))
        with pytest.raises(BriefError, match="--batch needs a model of a provider that answers in batches: openai or"):
            await work.estimate()
