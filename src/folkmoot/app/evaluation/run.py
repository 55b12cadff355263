"""Run an evaluation: question by question in a seeded order, in parallel, under one budget, and again after a crash.

A block is one question in one epoch: its first answers, and the debates of all arms. Every call is on record in the
ordinary store, so the records are the cache, the bill and the resume: what is over is only read. What the rivals need
at the cost of the debates is drawn at the end. Only then are the keys opened, and only whole blocks count.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from folkmoot.app.batch.batch_rounds import BatchRounds
from folkmoot.app.batch.run_batch import BatchBudget
from folkmoot.app.evaluation import blocks, folder
from folkmoot.app.evaluation.grading import Grader, answers_to_grade, result_of
from folkmoot.app.evaluation.inspect_bridge import Mark
from folkmoot.app.evaluation.matching import Mixture, match_adaptive, match_uniform
from folkmoot.app.evaluation.plan import PreparedEvaluation, price_of
from folkmoot.app.evaluation.questions import KEYS_FILE
from folkmoot.app.evaluation.responses import (
    Answered,
    Block,
    Parts,
    counted,
    debated_of,
    drafts_of,
    form_of,
    own_cost,
    own_entries,
)
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState
from folkmoot.app.evaluation.setup import RETHINK, Arm
from folkmoot.app.plan.settings import Config, lock_place
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.app.serve.spending import lost, spent
from folkmoot.core.brief import Brief
from folkmoot.core.errors import LimitReached, RecordConflict, RecordError, Unpriced
from folkmoot.core.event import Called, Closed, Entry, Paused
from folkmoot.core.text import counted as counted_noun
from folkmoot.engine.driver import StopRequest
from folkmoot.record.listing import ListQuery

PARALLEL = 8
"""The default number of questions in parallel."""

SPREAD = 4
"""How many times more answers than uniform sampling adaptive sampling may take for one question."""

ROOM = 1.1
"""How much more a question is taken to need under a budget than those before it: one that isn't whole is lost."""

BUSY = "another process runs this evaluation; nothing is lost: wait until it is over, and repeat the command"

OF_THE_QUESTION = ("too_long", "refused")
"""Causes for which a debate paused that say nothing of the others: one question is no reason to end the evaluation."""

Item = TypeVar("Item")
Record: TypeAlias = tuple[Entry, ...]


class PausedRun(Exception):
    """A debate stands still, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is: whole blocks, US dollars so far, and what the rest is expected to cost and take."""

    done: int
    total: int
    paid: float  # in earlier runs, too
    left: float  # 0 where nothing has a price
    seconds: float


@dataclass(slots=True, kw_only=True)
class EvalRun:
    """One run of an evaluation."""

    workspace: Workspace
    prepared: PreparedEvaluation
    folder: Path
    parallel: int = PARALLEL  # questions at a time
    wait: bool = True  # for providers' batches; else the calls are sent, and the evaluation stays paused
    stop: StopRequest = field(default_factory=StopRequest)
    mark: Mark | None = None  # grades answers where that is no key
    tell: Callable[[Progress], None] = lambda progress: None
    paused: str = ""  # why it stopped before its end
    at_limit: bool = False  # whether that was the budget
    state: RunState = field(default_factory=RunState)  # how far it is on disk
    plan: EvalPlan = field(init=False)  # with the date of the prices of the first run
    blocks: list[Block] = field(init=False)  # in the order in which they are worked on
    rounds: BatchRounds = field(init=False)
    _spending: BatchBudget = field(init=False)
    _begun: int = 0  # of the blocks
    _dearest: dict[str, float] = field(default_factory=dict[str, float])  # US dollars of a debate, by arm

    def __post_init__(self) -> None:
        # What the answers teach must not reach the memory, from which other debates recall.
        config = replace(self.workspace.config or Config(), learn=False)
        pool, clock = self.workspace.pool, self.workspace.clock
        self.workspace = Workspace(self.workspace.store, pool=pool, clock=clock, config=config)
        places = asyncio.Semaphore(self.parallel)
        self.rounds = BatchRounds(workspace=self.workspace, stop=self.stop, wait=self.wait, places=places)
        self.plan = self.prepared.plan
        self._spending = BatchBudget(self.plan.budget)
        self.blocks = [
            Block(question=question, epoch=epoch)
            for question in blocks.shuffled(self.prepared.data.questions, self.plan.seed)
            for epoch in range(1, self.plan.epochs + 1)
        ]

    async def begin(self) -> None:
        """Save plan and questions before the first call; a plan that was changed after it is found out here.

        Raises:
            RecordError: the folder has files of another evaluation, or the store has debates of one with this name.
        """
        records, saved = await self._records(), folder.read_plan(self.folder)
        if saved:
            if saved.plan.name != self.plan.name:
                problem = f"{self.folder} has the evaluation {saved.plan.name!r}; choose another folder with --out"
                raise RecordError(problem)
            self.plan = replace(self.plan, prices_date=saved.plan.prices_date)
        first = saved.hash if saved and records else self.plan.hash
        changed = first != self.plan.hash or bool(saved and records and saved.edited)
        same_plan = [self._mark(first) in opening(debate, entries).chosen for debate, entries in records.items()]
        if same_plan and not any(same_plan) and not saved:
            problem = f"the store has debates of an evaluation {self.plan.name!r} with another plan"
            raise RecordError(f"{problem}; give this one a name of its own with --name, or name its folder with --out")
        folder.save_plan(self.folder, self.plan, first=first)
        folder.save_questions(self.folder, self.prepared.data)
        folder.note_folder(lock_place(self.workspace.store), self.folder)
        self.state = replace(folder.read_run(self.folder), plan_changed=changed or not all(same_plan))
        await self._spending.settle("", sum(own_cost(entries) for entries in records.values()))

    async def run(self) -> None:
        """Run the blocks, or as many as the budget is enough for; ``blocks`` has what came of it."""
        started, before = time.monotonic(), self._spending.used

        async def work(block: Block) -> None:
            await self._fill(block)
            done, total = sum(other.whole for other in self.blocks), len(self.blocks)
            part, paid = (total - done) / done, self._spending.used
            seconds = (time.monotonic() - started) * part
            self.state = replace(self.state, done=done, paid_usd=paid or None)
            folder.save_run(self.folder, self.state)
            self.tell(Progress(done=done, total=total, paid=paid, left=(paid - before) * part, seconds=seconds))

        def ahead() -> Iterator[Block]:
            while self._affords_another():
                self._begun += 1
                yield self.blocks[self._begun - 1]

        while self._affords_another() and not self.paused:  # the last ones may have cost less than was thought
            await self._run_all(ahead(), work)
        self.at_limit |= self._begun < len(self.blocks) and not self.paused

    def _affords_another(self) -> bool:
        """Whether the budget is enough for one more question, with what its rivals need at the end.

        Without this, all money would be spent on questions that are begun, and few of them would be whole.
        """
        if self._begun == len(self.blocks) or not self._begun or self._spending.most is None:
            return self._begun < len(self.blocks)
        whole = [block.paid for block in self.blocks if block.whole]
        each = (self.prepared.total.usd or 0.0) / len(self.blocks)
        if whole:
            each = ROOM * self.prepared.growth * sum(whole) / len(whole)
        last = self.prepared.ceilings[""].usd or 0.0  # has to be reserved for the last answers of all
        return each * (self._begun + 1) + last <= self._spending.most

    async def result(self) -> EvalResult:
        """Draw what the rivals need, open the keys, grade the whole blocks, and save everything into the folder.

        Raises:
            RecordError: the keys cannot be read.
            FolkmootError: the folder cannot be written.
        """
        whole = [block for block in self.blocks if block.whole]
        answered = await self._answered(whole)
        if self.at_limit and not self.paused:
            many = f"{len(whole)} of {counted_noun(len(self.blocks), 'question')}"
            self.paused = f"the budget of ${self._spending.most:g} is enough for {many}"
        grader = Grader(self.folder / KEYS_FILE)
        if self.mark:
            asked = answers_to_grade(whole, answered)
            grader.marks = {(question.id, answer): await self.mark(question, answer) for question, answer in asked}
        events = [entry.event for entries in (await self._records()).values() for entry in own_entries(entries)]
        used = [event.usage for event in events if isinstance(event, Called)]
        result = result_of(self.plan, whole, answered, grader, used)
        state = replace(result.run, plan_changed=self.state.plan_changed)
        result = replace(result, run=state, tags=folder.tags_of(self.prepared.data.questions))
        folder.save_result(self.folder, result)
        return result

    async def _run_all(self, items: Iterable[Item], work: Callable[[Item], Awaitable[None]]) -> None:
        """Work on items, some of them in parallel and each begun in order, until something pauses."""
        ahead = iter(items)
        others: list[RecordConflict] = []

        async def worker() -> None:
            async with self.rounds.working():
                while not (self.paused or self.stop.reason) and (item := next(ahead, None)) is not None:
                    try:
                        await work(item)
                    except RecordConflict as error:
                        others.append(error)
                        self.paused = BUSY
                    except (PausedRun, LimitReached) as error:  # what others are asked right now is still taken
                        self.at_limit |= isinstance(error, LimitReached) and not self.paused
                        self.paused = self.paused or str(error)

        async with self.rounds.open(), asyncio.TaskGroup() as group:
            # Where calls wait for a provider's batch, all questions are at work, so that each batch is of all of them.
            for _ in range(len(self.blocks) if self.workspace.tray.on else min(self.parallel, len(self.blocks))):
                group.create_task(worker())
        if others:
            raise RecordConflict(BUSY) from others[0]
        self.paused = self.paused or self.stop.reason

    # ---- one block ---------------------------------------------------------------------------------------------------

    async def _fill(self, block: Block) -> None:
        """Everything of one question: first answers, then the debates of all arms."""
        arms = self.plan.arm
        await self._draft(block)
        for arm in arms:
            if not arm.is_drawn:
                await self._debate(block, arm)
        while len(block.drafts) < max(arm.size for arm in arms):
            await self._draft(block)
        block.whole = True

    def _brief(self, block: Block, rounds: int, models: Sequence[str] = ()) -> Brief:
        return blocks.brief_of(block.question, self.plan, models, epoch=block.epoch, rounds=rounds)

    async def _draft(self, block: Block) -> None:
        """One more round of first answers."""
        plan = blocks.drafts_plan(self._brief(block, len(block.rounds)), block.question)
        debate, entries = await self._run(block, "", plan)
        block.rounds.append(debate)
        block.drafts.extend(drafts_of(block.question, entries))

    async def _debate(self, block: Block, arm: Arm) -> None:
        """One more debate of an arm; it begins with a round of first answers where they are its own, too."""
        held = block.debates.setdefault(arm.name, [])
        while len(block.rounds) <= len(held):
            await self._draft(block)
        drafts = blocks.drafts_plan(self._brief(block, len(held)), block.question)
        brief = self._brief(block, len(held), arm.models)
        plan = await blocks.arm_plan(self.workspace, arm, brief, block.question)
        beginning: list[str] = []
        if blocks.shares_drafts(plan, drafts):
            beginning = blocks.copied_lines(self._marked(plan), await self.workspace.entries(block.rounds[len(held)]))
        debate, entries = await self._run(block, arm.name, plan, beginning)
        block.records.setdefault(arm.name, []).append(debate)
        held.append(debated_of(block.question, entries, recount=arm.kind == RETHINK))

    # ---- what each arm answered --------------------------------------------------------------------------------------

    async def _answered(self, blocks: Sequence[Block]) -> Answered:
        """What each arm answered: the debates, and then their rivals at their cost."""
        arms = self.plan.arm
        answered: dict[str, list[Parts]] = {arm.name: [] for arm in arms}
        for arm in (arm for arm in arms if not arm.match):
            first = self.plan.models.index(arm.model) if arm.model else 0
            for block in blocks:
                response = (
                    counted(block.question, block.drafts[first : first + (arm.size or 1)])
                    if arm.is_drawn
                    else block.debates[arm.name][0]
                )
                answered[arm.name].append([(1.0, response)])
        for arm in (arm for arm in arms if arm.match and blocks):
            answered[arm.name] = await self._matched(arm, blocks, answered[arm.match])
        return answered

    async def _matched(self, arm: Arm, blocks: Sequence[Block], debate: Sequence[Parts]) -> list[Parts]:
        """What an arm answered at the cost of a debate; what is missing is drawn first."""
        currency = self.plan.currency
        target = sum(response.charge.amount(currency) for parts in debate for _, response in parts)

        async def draw(item: tuple[int, int]) -> None:
            block, many = blocks[item[0]], item[1]
            while len(block.draws(arm.name)) < many and not self.paused:
                await (self._debate(block, arm) if arm.is_protocol else self._draft(block))

        while True:
            draws = [block.draws(arm.name) for block in blocks]
            costs = [[draft.charge.amount(currency) for draft in own] for own in draws]
            matched = match_uniform(costs, target)
            if isinstance(matched, Mixture) and arm.kind == "adaptive":
                votes = [
                    [form_of(block.question, response.answer) for response in own]
                    for block, own in zip(blocks, draws, strict=True)
                ]
                matched = match_adaptive(votes, costs, target, most=SPREAD * matched.high[0])
            if isinstance(matched, Mixture) or self.paused:
                break
            await self._run_all(matched.needed, draw)
        mixture = matched if isinstance(matched, Mixture) else matched.nearest
        answered: list[Parts] = []
        for place, block in enumerate(blocks):
            debated = any(held.debated for held in block.debates.get(arm.name, ()))
            sizes, draws = mixture.sizes(place), block.draws(arm.name)
            answered.append(
                [(share, counted(block.question, draws[:n], debated=debated)) for n, share in sizes.items()]
            )
        return answered

    # ---- one debate on record ----------------------------------------------------------------------------------------

    async def _records(self) -> dict[str, Record]:
        """The records of all debates so far, by id."""
        page = await self.workspace.page(ListQuery(prefix=f"{folder.prefix_of(self.plan.name)}-"))
        return {summary.debate: await self.workspace.entries(summary.debate) for summary in page.debates}

    def _mark(self, plan_hash: str) -> str:
        """What the opening of each debate says of the plan."""
        return f"evaluation {self.plan.name}, plan {plan_hash[:16]}"

    def _marked(self, plan: Plan) -> Plan:
        return replace(plan, chosen=(*plan.chosen, self._mark(self.plan.hash)))

    async def _run(self, block: Block, arm: str, plan: Plan, beginning: Sequence[str] = ()) -> tuple[str, Record]:
        """Run a debate of an arm ("" for first answers) to its end, or read it where it is over.

        Its record begins with the lines of the first answers that it shares. Returns its id and its record.
        """
        if self.paused:
            raise PausedRun(self.paused)
        debate = blocks.id_of(folder.prefix_of(self.plan.name), plan)
        entries = await self._stored(debate)
        if beginning and not entries:
            await self.workspace.store.append(debate, beginning, after=0)
            entries = await self._stored(debate)
        if not (entries and isinstance(entries[-1].event, Closed)):
            plan = self._marked(plan)
            allowance = self._allowance(arm, plan)
            while True:
                outcome, entries = await self._drive(debate, plan, entries, allowance)
                last = entries[-1].event
                if not (allowance and isinstance(last, Paused) and last.limit == "cost"):
                    break
                allowance *= 2
            if outcome.status == "paused" and not (isinstance(last, Paused) and last.cause in OF_THE_QUESTION):
                raise PausedRun(outcome.reason)
        self._dearest[arm] = max(self._dearest.get(arm, 0.0), spent(entries) - lost(entries))
        block.paid += own_cost(entries)
        return debate, entries

    async def _drive(self, debate: str, plan: Plan, entries: Record, allowance: float | None) -> tuple[Outcome, Record]:
        """Run a debate until it is over, pauses, or has used what it is allowed; that is reserved before."""
        limit, used = None, own_cost(entries)
        if allowance is not None:
            # What calls that a kill cut off may have cost is used, but it is no part of what the debate needs.
            limit = allowance + lost(entries)
            async with self.rounds.resting():
                if not await self._spending.reserve(debate, max(0.0, limit - spent(entries))):
                    raise LimitReached(f"the budget of ${self._spending.most:g} is used up")
        limits = replace(plan.brief.limits, cost=limit)

        async def resume() -> Outcome:
            return await self.workspace.resume(debate, limits=limits, stop=self.stop)

        try:
            if entries:
                outcome = await resume()
            else:
                plan = replace(plan, brief=replace(plan.brief, limits=limits))
                outcome = await self.workspace.run(plan, debate, stop=self.stop)
            outcome = await self.rounds.finish(outcome, resume)
        finally:
            entries = await self._stored(debate)
            await self._spending.settle(debate, own_cost(entries) - used)
        return outcome, entries

    async def _stored(self, debate: str) -> Record:
        """The record of a debate; () for none."""
        return await self.workspace.entries(debate) if await self.workspace.store.read(debate, limit=1) else ()

    def _allowance(self, arm: str, plan: Plan) -> float | None:
        """What a debate may use at first; None without a budget. It gets more where that was too little.

        It is all that the debate can cost, as long as the budget has room for as many debates as run in parallel. Then
        it is what the dearest one of its arm has cost, or what is expected, and room for the next call.
        """
        if self._spending.most is None:
            return None
        costing = price_of(self.workspace, plan)
        most = costing.most
        if most.cost is None:
            unknown = ", ".join(most.unpriced) or "a model"
            raise Unpriced(f"a budget needs known prices, and the price of {unknown} is unknown")
        if self._spending.used + self.parallel * most.cost <= self._spending.most:
            return most.cost
        likely = self._dearest.get(arm) or costing.expected_cost or 0.0
        return min(most.cost, likely + most.cost / max(most.calls, 1))
