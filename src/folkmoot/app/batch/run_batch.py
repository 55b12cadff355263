"""Run a batch of debates in parallel under one budget: when each starts, what is reserved for it, how it ended.

A debate that is over is only read and one that has paused is resumed, so the same command completes a batch that was
interrupted in any way. Only as many debates are prepared as run in parallel.
"""

import asyncio
import math
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from folkmoot.app.batch.batch_plan import Batch, FaultyBatch, Repeat
from folkmoot.app.batch.batch_rounds import BatchRounds, batch_note
from folkmoot.app.batch.summary import BatchOutcome, cannot_run, not_started, outcome_of, waits_for_participants
from folkmoot.app.plan.assignment import live_models
from folkmoot.app.plan.estimate import Bounds, Costing, Estimate, estimate
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.dispatcher import Dispatcher
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.prepare import LimitOverrides, PreparedDebate, prepare
from folkmoot.app.run.queue_runner import QueueRunner, run_by_workers
from folkmoot.app.run.start import Generation, generate_participants, generation_plan, run_start
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.spending import lost, spent
from folkmoot.core.brief import Brief, is_within
from folkmoot.core.errors import FolkmootError, RecordError, Unpriced
from folkmoot.core.text import clean, hide
from folkmoot.engine.driver import StopRequest

PARALLEL = 8
"""The default number of debates in parallel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchEstimate:
    """The estimate of a batch, with notes for its owner.

    Attributes:
        costing: of all its debates together.
        notes: the notes on its briefs, each once.
        over: how many of its debates are on record and over.
        begun: how many are on record and not over.
        batched: with ``half_price``, which models are asked in batches, in a sentence.
    """

    costing: Costing
    notes: tuple[str, ...]
    over: int
    begun: int
    batched: str = ""


class BatchBudget:
    """The budget that the debates of a batch share.

    Args:
        limit: US dollars; None for no limit.
    """

    def __init__(self, limit: float | None) -> None:
        self.most, self.used = limit, 0.0
        self.reached = False
        self._reserved: dict[str, float] = {}
        self._change = asyncio.Condition()

    async def reserve(self, debate: str, amount: float) -> bool:
        """Reserve an amount as soon as there is enough; returns False if there never is.

        What debates in progress do not use of their reservations becomes free when they end, and is waited for.
        """
        async with self._change:
            await self._change.wait_for(lambda: self._fits_budget(amount) or not self._reserved)
            self.reached = self.reached or not self._fits_budget(amount)
            if not self.reached:
                self._reserved[debate] = amount
            return not self.reached

    async def settle(self, debate: str, used: float) -> None:
        """Replace the reservation of a debate by what it has used."""
        async with self._change:
            self._reserved.pop(debate, None)
            self.used += used
            self._change.notify_all()

    def _fits_budget(self, amount: float) -> bool:
        return self.most is None or is_within(self.used + sum(self._reserved.values()) + amount, self.most)


@dataclass(slots=True, kw_only=True)
class BatchRun:
    """One run of a batch.

    Attributes:
        workspace: where it runs.
        batch: its debates.
        config: the user's settings.
        parallel: how many debates run in parallel.
        budget: what they may use together, in US dollars; None for no limit.
        queue: where workers take them from; None where they run in this process.
        half_price: whether models are asked in providers' batches.
        wait: whether to wait for these; else the calls are sent, and the debates stay paused.
        stop: set its reason to pause all of them after the answers in progress; debates at workers continue.
        tell: is told of each debate that has ended or paused.
        finished: the results of the debates so far, by id.
        running: the debates that run now.
    """

    workspace: Workspace
    batch: Batch
    config: Config
    parallel: int = PARALLEL
    budget: float | None = None
    queue: Dispatcher | None = None
    half_price: bool = False
    wait: bool = True
    stop: StopRequest = field(default_factory=StopRequest)
    tell: Callable[[BatchOutcome], None] = lambda _: None
    finished: dict[str, BatchOutcome] = field(default_factory=dict[str, BatchOutcome])
    running: set[str] = field(default_factory=set[str])
    _spending: BatchBudget = field(default_factory=lambda: BatchBudget(None))
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _lost: dict[str, float] = field(default_factory=dict[str, float])
    rounds: BatchRounds = field(init=False)
    _generating: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def __post_init__(self) -> None:
        places = asyncio.Semaphore(self.parallel)
        self.rounds = BatchRounds(workspace=self.workspace, stop=self.stop, wait=self.wait, places=places)
        self.workspace.tray.on = self.half_price

    async def estimate(self) -> BatchEstimate:
        """Check every brief of the batch, and estimate what it would use. Nothing is sent to any model.

        Raises:
            FaultyBatch: some of them cannot run.
        """
        costings: list[Costing] = []
        briefs: list[Brief] = []
        faults: list[str] = []
        notes: dict[str, None] = {}
        for item in self.batch.items:
            try:
                start = await prepare(self.workspace, item.parsed, item.overrides, self.config)
                self._cap(start)
            except FolkmootError as error:
                location = item.where or ("" if str(error).startswith(item.parsed.where) else item.parsed.where)
                faults.append(f"{location}: {error}" if location else str(error))
            else:
                costings.append(start.costing)
                briefs.append(start.plan.brief)
                notes |= dict.fromkeys(start.notes)
        if faults:
            raise FaultyBatch(faults)
        states = [look.status for repeat in self.batch if (look := await self._outcome_on_record(repeat))]
        begun = states.count("paused")
        costing = Costing(
            least=_sum([costing.least for costing in costings], self.batch.times),
            most=_sum([costing.most for costing in costings], self.batch.times),
            bounds=Bounds.sum([costing.bounds for costing in costings] * self.batch.times),
        )
        rounds = max((costing.most.rounds for costing in costings), default=0)
        batched = batch_note(briefs, rounds, or_live=self.workspace.tray.or_live) if self.half_price else ""
        return BatchEstimate(
            costing=costing, notes=tuple(notes), over=len(states) - begun, begun=begun, batched=batched
        )

    def _cap(self, request: PreparedDebate) -> float | None:
        """The limit on cost that a debate must have because the batch has one; None where it needs none.

        Raises:
            Unpriced: a price is unknown, so that no budget could hold.
        """
        estimate = request.costing.most
        if self.budget is None or request.plan.brief.limits.cost is not None:
            return None
        if estimate.cost is None or estimate.unpriced:
            unknown = ", ".join(estimate.unpriced) or "a model"
            raise Unpriced(f"a budget needs known prices, and the price of {unknown} is unknown")
        return estimate.cost + self._generation_cost(request)

    def _generation_cost(self, request: PreparedDebate) -> float:
        """The most that generating the participants can cost, in US dollars; 0 if none are generated."""
        if not request.generator:
            return 0.0
        plan = generation_plan(request)
        live = live_models(plan.brief, self.workspace.pool.with_options(plan.options))
        return estimate(plan.brief, plan.protocol, live).most.cost or 0.0

    async def run(self) -> None:
        """Run all debates to their ends, or until they pause; those that are over are only reported."""
        self._spending = BatchBudget(self.budget)
        used: dict[str, float] = {}
        left: list[Repeat] = []
        for repeat in self.batch:
            look = await self._outcome_on_record(repeat)
            if look and look.status != "paused":
                self._note(look)
            else:
                left.append(repeat)
                self._lost[repeat.debate] = lost(await self.workspace.entries(repeat.debate)) if look else 0.0
            used[repeat.debate] = look.used if look else 0.0
        await self._spending.settle("", sum(used.values()))
        ahead = iter(left)
        # Debates that wait for batches take no place, so that the calls of all go into one.
        workers = len(left) if self.half_price else min(self.parallel, len(left))
        async with self.rounds.open(), asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._run_debates(ahead, used))

    async def outcomes(self) -> tuple[BatchOutcome, ...]:
        """The outcomes of all debates of the batch, in order, also after an interruption."""
        return tuple(
            [
                self.finished.get(repeat.debate) or await self._outcome_on_record(repeat) or not_started(repeat)
                for repeat in self.batch
            ]
        )

    async def _outcome_on_record(self, repeat: Repeat) -> BatchOutcome | None:
        """The outcome on a debate's record; None if it was never started."""
        if not await self.workspace.store.read(repeat.debate, limit=1):
            return None
        try:
            return outcome_of(repeat, await self.workspace.entries(repeat.debate))
        except RecordError as error:
            return cannot_run(repeat, str(error))

    def _note(self, outcome: BatchOutcome) -> None:
        self.finished[outcome.debate] = outcome
        self.tell(outcome)

    # ---- one after the other -----------------------------------------------------------------------------------------

    async def _run_debates(self, ahead: Iterator[Repeat], used: Mapping[str, float]) -> None:
        """Run one debate after the other, until none is left or no other may start."""
        async with self.rounds.working():
            while (job := await self._next_request(ahead, used)) is not None:
                repeat, start = job
                self.running.add(repeat.debate)
                try:
                    outcome, more = await self._run(repeat, start)
                finally:
                    self.running.discard(repeat.debate)
                await self._spending.settle(repeat.debate, outcome.used + more - used[repeat.debate])
                self._note(outcome)

    async def _next_request(
        self, ahead: Iterator[Repeat], used: Mapping[str, float]
    ) -> tuple[Repeat, PreparedDebate] | None:
        """The next debate, prepared and with its reservation; None if no other may start.

        One call after the other, so that no cheap debate overtakes one that waits for money.
        """
        async with self._locked(self._turn):
            while not (self.stop.reason or self._spending.reached) and (repeat := next(ahead, None)):
                try:
                    start = await self._prepare(repeat)
                except FolkmootError as error:
                    self._note(cannot_run(repeat, str(error)))
                    continue
                cost_limit = start.plan.brief.limits.cost or 0.0
                async with self.rounds.resting():
                    enough = await self._spending.reserve(repeat.debate, max(0.0, cost_limit - used[repeat.debate]))
                return (repeat, start) if enough and not self.stop.reason else None
            return None

    @asynccontextmanager
    async def _locked(self, lock: asyncio.Lock) -> AsyncGenerator[None]:
        """Hold a lock; whoever waits for it rests."""
        async with self.rounds.resting():
            await lock.acquire()
        try:
            yield
        finally:
            lock.release()

    async def _prepare(self, repeat: Repeat) -> PreparedDebate:
        parsed, overrides = repeat.item.parsed, repeat.overrides
        start = await prepare(self.workspace, parsed, overrides, self.config)
        if (cap := self._cap(start)) is None:
            return start
        # What calls that a kill cut off may have cost is used, but it is no part of what the debate needs.
        caps = LimitOverrides(cost=cap + self._lost[repeat.debate])
        return await prepare(self.workspace, parsed, replace(overrides, caps=caps), self.config)

    async def _run(self, repeat: Repeat, request: PreparedDebate) -> tuple[BatchOutcome, float]:
        """Run one debate; returns its outcome and what generating its participants cost now, in US dollars.

        An error becomes a value, so that it ends no other debate.
        """
        generations: list[Generation] = []
        fault = pause_reason = ""
        try:
            outcome = await self._drive(repeat, request, generations)
            if outcome.debate != repeat.debate:
                return waits_for_participants(repeat, outcome), await self._spent(generations)
            pause_reason = outcome.reason if outcome.status == "paused" else ""
        except FolkmootError as error:
            fault = str(error)
        except Exception as error:  # noqa: BLE001 # a slip in one debate must not end the others
            fault = hide(clean(f"internal error: {type(error).__name__}: {error}"))
        outcome = await self._outcome_on_record(repeat) or not_started(repeat)
        if fault or (pause_reason and outcome.status == "paused"):
            outcome = replace(outcome, status="error" if fault else "paused", reason=fault or pause_reason)
        return outcome, await self._spent(generations)

    async def _drive(self, repeat: Repeat, request: PreparedDebate, generations: list[Generation]) -> Outcome:
        """Start a debate or resume it; people answer by message, and the debate pauses until then."""
        debate = repeat.debate
        begun = bool(await self.workspace.store.read(debate, limit=1))
        if not begun:
            # The second debate of the same topic takes the participants that were generated for the first.
            topic = f"{request.generator} {request.plan.brief.topic}"
            async with self._locked(self._generating[topic]):
                generated = await generate_participants(
                    self.workspace, request, debate, stop=self.stop, generating=generations.append
                )
                while isinstance(generated, Outcome) and await self.rounds.settled(generated):
                    generated = await generate_participants(
                        self.workspace, request, debate, stop=self.stop, generating=generations.append
                    )
            if isinstance(generated, Outcome):
                return generated
            request = generated
        if self.queue is not None:
            runner = QueueRunner(self.workspace, self.queue, config=self.config)
            return await run_by_workers(runner, request, debate, self.stop)

        async def resume() -> Outcome:
            return await self.workspace.resume(debate, limits=request.plan.brief.limits, stop=self.stop)

        outcome = (
            await resume()
            if begun
            else await run_start(self.workspace, request, debate, stop=self.stop, generating=generations.append)
        )
        return await self.rounds.finish(outcome, resume)

    async def _spent(self, generations: list[Generation]) -> float:
        return sum(
            [
                spent(await self.workspace.entries(generation.debate))
                for generation in generations
                if not generation.earlier
            ]
        )


def _sum(estimates: Sequence[Estimate], times: int) -> Estimate:
    """The sum of several estimates, each times a number."""
    costs = [item.cost for item in estimates if item.cost is not None]
    return Estimate(
        asks=times * sum(item.asks for item in estimates),
        calls=times * sum(item.calls for item in estimates),
        tokens=times * sum(item.tokens for item in estimates),
        expected=times * sum(item.expected for item in estimates),
        cost=times * math.fsum(costs) if len(costs) == len(estimates) else None,
        unpriced=tuple(dict.fromkeys(name for item in estimates for name in item.unpriced)),
    )
