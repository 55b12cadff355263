"""Run an evaluation: question by question in a seeded order, in parallel, under one budget, and again after a crash.

A block is one question in one epoch: its first answers, and the debates of all arms. Every call is on record in the
ordinary store, so the records are the cache, the bill and the resume: what is over is only read. What the rivals need
at the cost of the debates is drawn at the end. Only then are the keys opened, and only whole blocks count.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from folkmoot.app.batch.batch_rounds import BatchRounds
from folkmoot.app.batch.run_batch import BatchBudget
from folkmoot.app.evaluation.arms import RETHINK, Arm
from folkmoot.app.evaluation.blocks import (
    arm_plan,
    brief_of,
    copied_lines,
    drafts_plan,
    id_of,
    shares_drafts,
    shuffled,
)
from folkmoot.app.evaluation.eval_files import (
    note_folder,
    prefix_of,
    read_plan,
    save_plan,
    save_progress,
    save_result,
    tags_of,
)
from folkmoot.app.evaluation.eval_plan import PreparedEvaluation, price_of
from folkmoot.app.evaluation.grading import Grader, rows_of, seats_of
from folkmoot.app.evaluation.inspect_tasks import Mark
from folkmoot.app.evaluation.matching import Missing, Mixture, match_adaptive, match_uniform
from folkmoot.app.evaluation.responses import (
    Block,
    Parts,
    Response,
    counted,
    debated_of,
    drafts_of,
    exact_sum,
    own_cost,
    own_entries,
)
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult
from folkmoot.app.plan.settings import Config, lock_place
from folkmoot.app.questions.data_sets import KEYS_FILE, Question
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.app.serve.spending import lost
from folkmoot.core.brief import Brief
from folkmoot.core.errors import LimitReached, RecordConflict, RecordError, Unpriced
from folkmoot.core.event import Called, Closed, Entry, Paused
from folkmoot.engine.driver import StopRequest
from folkmoot.record.listing import ListQuery

PARALLEL = 8
"""The default number of questions in parallel."""

SPREAD = 4
"""How many times more answers than uniform sampling adaptive sampling may take for one question."""

BUSY = "another process runs this evaluation; nothing is lost: wait until it is over, and repeat the command"

OF_THE_QUESTION = ("too_long", "refused")
"""Causes for which a debate paused that say nothing of the others: one question is no reason to end the evaluation."""

Item = TypeVar("Item")
Answered: TypeAlias = Mapping[str, Sequence[Parts]]
"""For each arm what it answered to each question, in parts."""


class PausedRun(Exception):
    """A debate stands still, with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        done: how many blocks are whole.
        total: of so many.
        paid: US dollars so far, earlier runs too.
        left: US dollars that the rest is expected to cost, going by what is done; 0 where nothing has a price.
        seconds: that the rest is expected to take.
    """

    done: int
    total: int
    paid: float
    left: float
    seconds: float


@dataclass(slots=True, kw_only=True)
class EvalRun:
    """One run of an evaluation.

    Attributes:
        workspace: whose store and models it uses.
        prepared: the evaluation.
        folder: where its files are.
        parallel: how many questions are worked on in parallel.
        wait: whether to wait for providers' batches; else the calls are sent, and the evaluation stays paused.
        stop: set its reason to pause after the answers in progress.
        mark: grades answers where that is no key; None for the keys.
        tell: is told of each block that is done.
        paused: why it stopped before its end; "" where it did not.
        at_limit: whether that was the budget.
        plan: the plan that counts, with the date of the prices of the first run.
        plan_changed: whether another plan was there when the first call was made.
        blocks: all blocks, in the order in which they are worked on.
    """

    workspace: Workspace
    prepared: PreparedEvaluation
    folder: Path
    parallel: int = PARALLEL
    wait: bool = True
    stop: StopRequest = field(default_factory=StopRequest)
    mark: Mark | None = None
    tell: Callable[[Progress], None] = lambda progress: None
    paused: str = ""
    at_limit: bool = False
    plan_changed: bool = False
    plan: EvalPlan = field(init=False)
    blocks: list[Block] = field(init=False)
    rounds: BatchRounds = field(init=False)
    _spending: BatchBudget = field(init=False)

    def __post_init__(self) -> None:
        # What the answers teach must not reach the memory, from which other debates recall.
        config = replace(self.workspace.config or Config(), learn=False)
        pool, clock = self.workspace.pool, self.workspace.clock
        self.workspace = Workspace(self.workspace.store, pool=pool, clock=clock, config=config)
        places = asyncio.Semaphore(self.parallel)
        self.rounds = BatchRounds(workspace=self.workspace, stop=self.stop, wait=self.wait, places=places)
        self.plan = self.prepared.plan
        self._spending = BatchBudget(self.prepared.setup.budget)
        self.blocks = [
            Block(question=question, epoch=epoch)
            for question in shuffled(self.prepared.data.questions, self.plan.seed)
            for epoch in range(1, self.plan.epochs + 1)
        ]

    # ---- the whole ---------------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Save plan and questions before the first call; a plan that was changed after it is found out here.

        Raises:
            RecordError: the folder has files of another evaluation, or the store has debates of one with this name.
        """
        records, saved, first = await self._records(), read_plan(self.folder), self.plan.hash
        if saved:
            if saved.plan.name != self.plan.name:
                problem = f"{self.folder} has the evaluation {saved.plan.name!r}; choose another folder with --out"
                raise RecordError(problem)
            self.plan = replace(self.plan, prices_date=saved.plan.prices_date)
            first = saved.hash if records else self.plan.hash
            self.plan_changed = bool(records) and (saved.edited or first != self.plan.hash)
        same_plan = [self._mark(first) in opening(debate, entries).chosen for debate, entries in records.items()]
        if same_plan and not any(same_plan) and not saved:
            problem = f"the store has debates of an evaluation {self.plan.name!r} with another plan"
            raise RecordError(f"{problem}; give this one a name of its own with --name, or name its folder with --out")
        save_plan(self.folder, self.plan, first=first)
        self.prepared.data.keep(self.folder)
        note_folder(lock_place(self.workspace.store), self.folder)
        self.plan_changed |= not all(same_plan)
        await self._spending.settle("", sum(own_cost(entries) for entries in records.values()))

    async def run(self) -> None:
        """Run all blocks; ``blocks`` has what came of it."""
        begun, before = time.monotonic(), self._spending.used

        async def work(block: Block) -> None:
            await self._fill(block)
            done, total = sum(other.whole for other in self.blocks), len(self.blocks)
            part, paid = (total - done) / done, self._spending.used
            seconds = (time.monotonic() - begun) * part
            save_progress(self.folder, done=done, paid_usd=paid or None, plan_changed=self.plan_changed)
            self.tell(Progress(done=done, total=total, paid=paid, left=(paid - before) * part, seconds=seconds))

        await self._run_all(self.blocks, work)

    async def result(self) -> EvalResult:
        """Draw what the rivals need, open the keys, grade the whole blocks, and save everything into the folder.

        Raises:
            RecordError: the keys cannot be read.
            FolkmootError: the folder cannot be written.
        """
        whole = [block for block in self.blocks if block.whole]
        answered = await self._answered(whole)
        grader = Grader(self.folder / KEYS_FILE)
        if self.mark:
            grader.marks = await marks_of(whole, answered, self.mark)
        records = [own_entries(entries) for entries in (await self._records()).values()]
        used = [entry.event.usage for entries in records for entry in entries if isinstance(entry.event, Called)]
        result = EvalResult(
            plan=self.plan,
            scores=tuple(row for name, parts in answered.items() for row in rows_of(name, whole, parts, grader)),
            seats=tuple(seats_of(whole, grader)),
            plan_changed=self.plan_changed,
            paid_usd=exact_sum([usage.cost for usage in used]),
            paid_tokens=sum(usage.input_tokens + usage.output_tokens for usage in used),
            paid_estimated=any(usage.estimated for usage in used),
            tags=tags_of(self.prepared.data.questions),
        )
        save_result(self.folder, result)
        return result

    async def _run_all(self, items: Sequence[Item], work: Callable[[Item], Awaitable[None]]) -> None:
        """Work on items, some of them in parallel and each begun in order, until something pauses.

        Raises:
            RecordConflict: another process runs the same evaluation.
        """
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

        workers = len(items) if self.workspace.tray.on else min(self.parallel, len(items))
        async with self.rounds.open(), asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        if others:
            raise RecordConflict(BUSY) from others[0]
        self.paused = self.paused or self.stop.reason

    # ---- one block ---------------------------------------------------------------------------------------------------

    async def _fill(self, block: Block) -> None:
        """Everything of one question: first answers, then the debates of all arms."""
        arms = self.prepared.setup.arm
        await self._draft(block)
        for arm in arms:
            if not arm.is_drawn:
                await self._debate(block, arm)
        while len(block.drafts) < max(arm.size for arm in arms):
            await self._draft(block)
        block.whole = True

    def _brief(self, block: Block, rounds: int, models: Sequence[str] = ()) -> Brief:
        return brief_of(block.question, self.prepared.setup, models, epoch=block.epoch, rounds=rounds)

    async def _draft(self, block: Block) -> None:
        """One more round of first answers."""
        plan = drafts_plan(self._brief(block, len(block.rounds)), block.question)
        debate, entries = await self._run(plan)
        block.rounds.append(debate)
        block.drafts.extend(drafts_of(block.question, entries))

    async def _debate(self, block: Block, arm: Arm) -> None:
        """One more debate of an arm; it begins with a round of first answers where they are its own, too."""
        held = block.debates.setdefault(arm.name, [])
        while len(block.rounds) <= len(held):
            await self._draft(block)
        drafts = drafts_plan(self._brief(block, len(held)), block.question)
        brief = self._brief(block, len(held), arm.models)
        plan = await arm_plan(self.workspace, arm, brief, block.question)
        beginning: list[str] = []
        if shares_drafts(plan, drafts):
            beginning = copied_lines(self._marked(plan), await self.workspace.entries(block.rounds[len(held)]))
        debate, entries = await self._run(plan, beginning)
        block.records.setdefault(arm.name, []).append(debate)
        held.append(debated_of(block.question, entries, recount=arm.kind == RETHINK))

    # ---- what each arm answered --------------------------------------------------------------------------------------

    async def _answered(self, blocks: Sequence[Block]) -> Answered:
        """What each arm answered: the debates, and then their rivals at their cost."""
        arms = self.prepared.setup.arm
        answered: dict[str, list[Parts]] = {}
        for arm in arms:
            if not arm.match:
                answered[arm.name] = [[(1.0, self._alone(arm, block))] for block in blocks]
        for arm in arms:
            if arm.match:
                answered[arm.name] = await self._matched(arm, blocks, answered[arm.match])
        return {arm.name: answered[arm.name] for arm in arms}

    def _alone(self, arm: Arm, block: Block) -> Response:
        """What an arm answered that matches no cost."""
        if not arm.is_drawn:
            return block.debates[arm.name][0]
        first = self.prepared.setup.models.index(arm.model) if arm.model else 0
        return counted(block.question, block.drafts[first : first + (arm.size or 1)])

    async def _matched(self, arm: Arm, blocks: Sequence[Block], debate: Sequence[Parts]) -> list[Parts]:
        """What an arm answered at the cost of a debate; what is missing is drawn first."""

        async def draw(item: tuple[int, int]) -> None:
            block, many = blocks[item[0]], item[1]
            while len(block.draws(arm.name)) < many and not self.paused:
                await (self._debate(block, arm) if arm.is_protocol else self._draft(block))

        matched = self._match(arm, blocks, debate)
        while isinstance(matched, Missing) and not self.paused:
            await self._run_all(matched.needed, draw)
            matched = self._match(arm, blocks, debate)
        mixture = matched.nearest if isinstance(matched, Missing) else matched
        return [self._mixed(arm, block, mixture.sizes(place)) for place, block in enumerate(blocks)]

    def _mixed(self, arm: Arm, block: Block, sizes: Mapping[int, float]) -> Parts:
        draws, debated = block.draws(arm.name), any(debate.debated for debate in block.debates.get(arm.name, ()))
        return [(share, counted(block.question, draws[:n], debated=debated)) for n, share in sizes.items()]

    def _match(self, arm: Arm, blocks: Sequence[Block], debate: Sequence[Parts]) -> Mixture | Missing:
        """How many answers or debates an arm takes at the cost of a debate, or which are missing to know it."""
        if not blocks:
            return Mixture(low=(), high=(), share=1.0)
        currency = self.plan.currency
        target = sum(response.charge.amount(currency) for parts in debate for _, response in parts)
        draws = [block.draws(arm.name) for block in blocks]
        costs = [[draft.charge.amount(currency) for draft in own] for own in draws]
        matched = match_uniform(costs, target)
        if isinstance(matched, Mixture) and arm.kind == "adaptive":
            votes = [[draft.form for draft in own] for own in draws]
            matched = match_adaptive(votes, costs, target, most=SPREAD * matched.high[0])
        return matched

    # ---- one debate on record ----------------------------------------------------------------------------------------

    async def _records(self) -> dict[str, tuple[Entry, ...]]:
        """The records of all debates so far, by id."""
        page = await self.workspace.page(ListQuery(prefix=f"{prefix_of(self.plan.name)}-"))
        return {summary.debate: await self.workspace.entries(summary.debate) for summary in page.debates}

    def _mark(self, plan_hash: str) -> str:
        """What the opening of each debate says of the plan."""
        return f"evaluation {self.plan.name}, plan {plan_hash[:16]}"

    def _marked(self, plan: Plan) -> Plan:
        return replace(plan, chosen=(*plan.chosen, self._mark(self.plan.hash)))

    async def _run(self, plan: Plan, beginning: Sequence[str] = ()) -> tuple[str, tuple[Entry, ...]]:
        """Run a debate to its end, or read it where it is over; returns its id and its record.

        Args:
            plan: what it is.
            beginning: the lines of its record with the first answers that it shares.

        Raises:
            PausedRun: it stands still, or the whole run does.
            LimitReached: the budget is used up.
        """
        if self.paused:
            raise PausedRun(self.paused)
        debate = id_of(prefix_of(self.plan.name), plan)
        before = await self._stored(debate, beginning)
        if before and isinstance(before[-1].event, Closed):
            return debate, before
        plan, used = self._marked(plan), own_cost(before)
        # What calls that a kill cut off may have cost is used, but it is no part of what the debate needs.
        most = None if self._spending.most is None else self._most(plan)
        if most is not None:
            async with self.rounds.resting():
                if not await self._spending.reserve(debate, max(0.0, most - used + lost(own_entries(before)))):
                    raise LimitReached(f"the budget of ${self._spending.most:g} is used up")
        limits = replace(plan.brief.limits, cost=None if most is None else most + lost(before))

        async def resume() -> Outcome:
            return await self.workspace.resume(debate, limits=limits, stop=self.stop)

        try:
            if before:
                outcome = await resume()
            else:
                plan = replace(plan, brief=replace(plan.brief, limits=limits))
                outcome = await self.workspace.run(plan, debate, stop=self.stop)
            outcome = await self.rounds.finish(outcome, resume)
        finally:
            entries = await self._stored(debate)
            await self._spending.settle(debate, own_cost(entries) - used)
        last = entries[-1].event
        if outcome.status == "paused" and not (isinstance(last, Paused) and last.cause in OF_THE_QUESTION):
            raise PausedRun(outcome.reason)
        return debate, entries

    async def _stored(self, debate: str, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """The record of a debate, which begins with these lines; () for none."""
        begun = await self.workspace.store.read(debate, limit=1)
        if beginning and not begun:
            await self.workspace.store.append(debate, beginning, after=0)
            begun = list(beginning)
        return await self.workspace.entries(debate) if begun else ()

    def _most(self, plan: Plan) -> float:
        """What a debate costs at most.

        Raises:
            Unpriced: a price is unknown, so that no budget could hold.
        """
        most = price_of(self.workspace, plan).most
        if most.cost is None:
            unknown = ", ".join(most.unpriced) or "a model"
            raise Unpriced(f"a budget needs known prices, and the price of {unknown} is unknown")
        return most.cost


async def marks_of(blocks: Sequence[Block], answered: Answered, mark: Mark) -> dict[tuple[str, str], float]:
    """What the scorer of a task says of every answer: of arms, and of participants first and last."""
    asked: dict[tuple[str, str], Question] = {}
    for place, block in enumerate(blocks):
        seats = [seat for held in block.debates.values() for debate in held for seat in debate.seats]
        own = [answer for seat in seats for answer in (seat.first, seat.last) if answer is not None]
        arms = [response for parts in answered.values() for _, response in parts[place]]
        for answer in (*own, *(answer for response in arms for answer in response.answers)):
            asked[block.question.id, answer] = block.question
    return {name: await mark(question, name[1]) for name, question in asked.items()}
