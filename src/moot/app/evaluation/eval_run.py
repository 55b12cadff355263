"""Run an evaluation: question by question in a seeded order, in parallel, under one budget, and again after a crash.

A block is one question in one epoch: its first answers, and the debates of all arms. Every call is on record in the
ordinary store; what is over is only read, so the same command goes on where a run stopped. Answers that the rivals need
at the cost of the debates are drawn at the end. Only then are the keys opened, and only whole blocks count.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from moot.app.batch.batch_rounds import BatchRounds
from moot.app.batch.run_batch import BatchBudget
from moot.app.evaluation.arms import SAMPLING, Arm
from moot.app.evaluation.blocks import (
    arm_plan,
    brief_of,
    copied_lines,
    drafts_plan,
    id_of,
    more_repeats,
    orders_of,
    repeat_of,
    sharers,
    shares_drafts,
    shuffled,
)
from moot.app.evaluation.eval_plan import PreparedEvaluation, prefix_of, price_of
from moot.app.evaluation.grading import Grader, Part, answered_by, answers_to, mixed, pilot_of, rows_of, seats_of
from moot.app.evaluation.matching import Mixture, match_adaptive, match_uniform
from moot.app.evaluation.responses import (
    Block,
    Charge,
    charge_of,
    debated_of,
    drafts_of,
    exact_sum,
    own_cost,
    own_entries,
    usage_of,
)
from moot.app.evaluation.rubrics import MEETS, Case, check_of
from moot.app.evaluation.scores import (
    PLAN_FILE,
    EvalPlan,
    EvalResult,
    JudgeCheck,
    Score,
    first_hash,
    note_folder,
    read_plan,
    save_plan,
    save_result,
)
from moot.app.plan.settings import Config, lock_place
from moot.app.run.outcome import Outcome, opening
from moot.app.run.workspace import Plan, Workspace
from moot.app.serve.spending import lost
from moot.core.errors import LimitReached, RecordConflict, RecordError
from moot.core.event import Closed, Entry
from moot.engine.driver import StopRequest
from moot.evaluation.power import Pilot
from moot.record.listing import ListQuery
from moot.record.summary_fold import Summary

PARALLEL = 8
"""The default number of questions in parallel."""

PILOT = 30
"""The first questions, after which the run says what all cost and can show; they count like all others."""

PILOT_OVER = "the pilot is over"

SPREAD = 4
"""How many times more answers than uniform sampling adaptive sampling may take for one question."""


BUSY = "another process runs this evaluation; nothing is lost: wait until it is over, and repeat the command"

Item = TypeVar("Item")


class PausedRun(Exception):
    """A debate stands still, with the reason."""


@dataclass(slots=True, kw_only=True)
class EvalRun:
    """One run of an evaluation.

    Attributes:
        workspace: whose store and models it uses.
        prepared: the evaluation.
        config: the user's settings.
        folder: where its files are.
        parallel: how many questions are worked on in parallel.
        budget: US dollars that may be paid in all runs together; None for any.
        wait: whether to wait for providers' batches; else the calls are sent, and the evaluation stays paused.
        stop: set its reason to pause after the answers in progress.
        tell: is called with the numbers of blocks done and of all.
        tell_pilot: is called with what the first questions tell about all of them.
        only_pilot: whether to pause after these.
        paused: why it stopped before its end; "" where it did not.
        plan: the plan that counts, with the date of the prices of the first run.
        plan_changed: whether another plan was there when the first call was made.
        blocks: all blocks, in the order in which they are worked on.
    """

    workspace: Workspace
    prepared: PreparedEvaluation
    config: Config
    folder: Path
    parallel: int = PARALLEL
    budget: float | None = None
    wait: bool = True
    stop: StopRequest = field(default_factory=StopRequest)
    tell: Callable[[int, int], None] = lambda done, total: None
    tell_pilot: Callable[[Pilot], None] = lambda pilot: None
    only_pilot: bool = False
    paused: str = ""
    plan_changed: bool = False
    plan: EvalPlan = field(init=False)
    blocks: list[Block] = field(default_factory=list[Block])
    rounds: BatchRounds = field(init=False)
    _spending: BatchBudget = field(default_factory=lambda: BatchBudget(None))
    _marks: dict[Case, bool | None] = field(default_factory=dict[Case, bool | None])
    _judged: dict[Case, Charge] = field(default_factory=dict[Case, Charge])

    def __post_init__(self) -> None:
        # What the answers teach must not reach the memory, from which other debates recall.
        config = replace(self.config, learn=False)
        pool, clock = self.workspace.pool, self.workspace.clock
        self.workspace = Workspace(self.workspace.store, pool=pool, clock=clock, config=config)
        places = asyncio.Semaphore(self.parallel)
        self.rounds = BatchRounds(workspace=self.workspace, stop=self.stop, wait=self.wait, places=places)
        self.plan = self.prepared.plan
        self.blocks = [
            Block(question=question, epoch=epoch)
            for question in shuffled(self.prepared.data.questions, self.plan.seed)
            for epoch in range(1, self.plan.epochs + 1)
        ]

    @property
    def prefix(self) -> str:
        """How the ids of its debates begin."""
        return prefix_of(self.plan.name)

    async def begin(self) -> None:
        """Save plan and questions before the first call; a plan that was changed after it is found out here.

        Raises:
            RecordError: the folder has files of another evaluation, or the store has debates of one with this name.
        """
        earlier = [summary.debate for summary in await self._summaries()]
        first = self.plan.hash
        if (self.folder / PLAN_FILE).exists():
            saved, edited = read_plan(self.folder)
            if saved.name != self.plan.name:
                raise RecordError(f"{self.folder} has the evaluation {saved.name!r}; choose another folder with --out")
            self.plan = replace(self.plan, prices_date=saved.prices_date)
            first = self.plan.hash
            if earlier:
                self.plan_changed = edited or saved.hash != self.plan.hash
                first = first_hash(self.folder)
        records = [(debate, await self.workspace.entries(debate)) for debate in earlier]
        same_plan = [any(self._mark(first) == words for words in opening(*record).chosen) for record in records]
        if same_plan and not any(same_plan) and not (self.folder / PLAN_FILE).exists():
            problem = f"the store has debates of an evaluation {self.plan.name!r} with another plan"
            raise RecordError(f"{problem}; give this one a name of its own with --name, or name its folder with --out")
        save_plan(self.folder, self.plan, first=first)
        self.prepared.data.keep(self.folder)
        note_folder(lock_place(self.workspace.store), self.folder)
        self.plan_changed |= not all(same_plan)
        paid = sum(own_cost(entries) for _, entries in records)
        self._spending = BatchBudget(self.budget)
        await self._spending.settle("", paid)

    async def run(self) -> None:
        """Run all blocks, those of the pilot first; ``blocks`` has what came of it."""
        first = self._pilot_blocks()
        await self._run_all(first, self._block)
        if first and not self.paused:
            more = more_repeats([block.question for block in first], self.plan.epochs) if self.only_pilot else []
            if pilot := await self._pilot(first, more):
                self.tell_pilot(pilot)
            self.paused = self.paused or (PILOT_OVER if self.only_pilot else "")
        await self._run_all(self.blocks[len(first) :], self._block)

    def _pilot_blocks(self) -> list[Block]:
        """The blocks of the first questions; none where these are all, or where waiting for them would take a day."""
        if self.plan.planned <= PILOT or (self.workspace.tray.on and not self.only_pilot):
            return []
        return self.blocks[: PILOT * self.plan.epochs]

    async def _pilot(self, first: Sequence[Block], more: Sequence[Block]) -> Pilot | None:
        """What the first questions tell: costs, and how far differences spread; None where something paused before.

        Who is ahead plays no part.
        """
        await self._run_all(more, self._fill)
        rows = {} if self.paused else await self._graded(first)
        costs = await self._costs(first)
        if more and rows:
            rows = await self._graded([*first, *more])
        pairs = [(rows[arm.match], rows[arm.name]) for arm in self.prepared.setup.arms if arm.match and rows]
        return pilot_of(self.plan, costs, pairs, orders_of([block.question for block in first])) if rows else None

    async def _graded(self, blocks: Sequence[Block]) -> dict[str, list[Score]]:
        """The rows of each arm on some blocks; none where something paused before all was known."""
        grader = Grader(self.prepared.data.keys)
        answered = {arm.name: await self._answers(arm, blocks) for arm in self.prepared.setup.arms}
        if self.prepared.setup.rubric_judge:
            await self._judge(blocks, answered, grader)
        return {} if self.paused else {name: rows_of(name, blocks, own, grader) for name, own in answered.items()}

    async def _costs(self, blocks: Sequence[Block]) -> list[list[Charge]]:
        """For each question what its calls cost: first answers, the debates of all arms, and judgements."""
        costs: dict[str, list[Charge]] = {}
        for block in blocks:
            own = costs.setdefault(block.question.id, [])
            debates = [own_entries(await self.workspace.entries(block.records[name])) for name in block.debates]
            own += (*(draft.charge for draft in block.drafts), *map(charge_of, debates))
        for case, charge in self._judged.items():
            costs.get(case.question.id, []).append(charge)
        return list(costs.values())

    async def extend(self, needed: Sequence[tuple[Block, int]]) -> bool:
        """Draw first answers until each of these blocks has this number; returns whether all have."""

        async def draw(item: tuple[Block, int]) -> None:
            block, many = item
            while len(block.drafts) < many and not self.paused:
                await self._draft(block)

        await self._run_all(needed, draw)
        return all(len(block.drafts) >= many for block, many in needed)

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
                    except (PausedRun, LimitReached) as error:
                        self.paused = self.paused or str(error)

        workers = len(items) if self.workspace.tray.on else min(self.parallel, len(items))
        async with self.rounds.open(), asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(worker())
        if others:
            raise RecordConflict(BUSY) from others[0]
        self.paused = self.paused or self.stop.reason

    # ---- one block ---------------------------------------------------------------------------------------------------

    async def _block(self, block: Block) -> None:
        """Everything of one question that counts, and how far the run is."""
        await self._fill(block)
        self.tell(sum(other.whole for other in self.blocks), len(self.blocks))

    async def _fill(self, block: Block) -> None:
        """Everything of one question: first answers, then the debates of all arms."""
        await self._draft(block)
        first = await self.workspace.entries(block.records[""])
        for arm in self.prepared.setup.arms:
            if arm.kind not in SAMPLING:
                await self._debate(block, arm, first)
        while len(block.drafts) < self._draft_count():
            await self._draft(block)
        block.whole = True

    def _draft_count(self) -> int:
        """How many first answers every question needs at least; what matches a cost is drawn later."""
        sizes = [arm.size for arm in self.prepared.setup.arms if arm.kind == "sample"]
        return max([*sizes, self.prepared.setup.panel.seats])

    async def _draft(self, block: Block) -> None:
        """One more round of first answers."""
        panel = self.prepared.setup.panel
        repeat = repeat_of(block.epoch, block.rounds, self.plan.epochs)
        brief = brief_of(block.question, panel, panel.models, epoch=block.epoch, repeat=repeat)
        plan = drafts_plan(brief, block.question)
        debate = id_of(self.prefix, plan)
        entries = await self._run(debate, plan)
        block.rounds += 1
        block.records.setdefault("", debate)
        block.drafts.extend(drafts_of(block.question, entries))

    async def _debate(self, block: Block, arm: Arm, first: Sequence[Entry]) -> None:
        """The debate of one arm; it begins with the first answers where they are its own."""
        panel, repeat = self.prepared.setup.panel, repeat_of(block.epoch, 0, self.plan.epochs)
        brief = brief_of(block.question, panel, arm.models or panel.models, epoch=block.epoch, repeat=repeat)
        plan = await arm_plan(self.workspace, arm, brief, block.question, self.config)
        drafts = drafts_plan(
            brief_of(block.question, panel, panel.models, epoch=block.epoch, repeat=repeat), block.question
        )
        shared = sharers(plan, drafts) if arm.liars or shares_drafts(plan, drafts) else ()
        debate = id_of(self.prefix, plan)
        entries = await self._run(
            debate, plan, copied_lines(self._with_plan_name(plan), first, shared) if shared else ()
        )
        block.records[arm.name] = debate
        block.debates[arm.name] = debated_of(block.question, entries, recount=arm.kind == "rethink")

    def _with_plan_name(self, plan: Plan) -> Plan:
        """The debate whose opening names the plan of the evaluation."""
        return replace(plan, chosen=(*plan.chosen, self._mark(self.plan.hash)))

    async def _run(self, debate: str, plan: Plan, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """Run a debate to its end, or read it where it is over; returns its record.

        Args:
            debate: its id.
            plan: what it is.
            beginning: the lines of its record with the first answers that it shares.

        Raises:
            PausedRun: it stands still.
            LimitReached: the budget is used up.
        """
        if self.paused:
            raise PausedRun(self.paused)
        plan = self._with_plan_name(plan)
        before = await self._stored_entries(debate, beginning)
        if before and isinstance(before[-1].event, Closed):
            return before
        used, most = own_cost(before), self._most(plan)
        await self._reserve(debate, most, used - lost(own_entries(before)) if before else 0.0)
        # What calls that a kill cut off may have cost is used, but it is no part of what the debate needs.
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
            entries = await self._stored_entries(debate)
            await self._spending.settle(debate, own_cost(entries) - used)
        if outcome.status == "paused":
            raise PausedRun(outcome.reason)
        return entries

    async def _reserve(self, debate: str, most: float | None, paid: float) -> None:
        """Reserve what a debate may still cost, as soon as there is enough; nothing where there is no budget.

        Raises:
            LimitReached: there never is.
        """
        if most is None:
            return
        async with self.rounds.resting():
            enough = await self._spending.reserve(debate, max(0.0, most - paid))
        if not enough:
            raise LimitReached(f"the budget of ${self.budget:g} is used up")

    async def _stored_entries(self, debate: str, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """The record of a debate, which begins with these lines; () for none."""
        begun = await self.workspace.store.read(debate, limit=1)
        if beginning and not begun:
            await self.workspace.store.append(debate, beginning, after=0)
            begun = list(beginning)
        return await self.workspace.entries(debate) if begun else ()

    def _most(self, plan: Plan) -> float | None:
        """What a debate costs at most where there is a budget.

        Raises:
            LimitReached: a price is unknown, so that no budget could hold.
        """
        if self.budget is None:
            return None
        most = price_of(self.workspace, plan).most
        if most.cost is None:
            unknown = ", ".join(most.unpriced) or "a model"
            raise LimitReached(f"a budget needs known prices, and the price of {unknown} is unknown")
        return most.cost

    def _mark(self, plan_hash: str) -> str:
        """What the opening of each debate says of the plan."""
        return f"evaluation {self.plan.name}, plan {plan_hash[:16]}"

    async def _summaries(self) -> Sequence[Summary]:
        return (await self.workspace.page(ListQuery(prefix=f"{self.prefix}-"))).debates

    # ---- rivals at the cost of a debate ------------------------------------------------------------------------------

    async def result(self) -> EvalResult:
        """Draw what the rivals need, open the keys, grade the whole blocks, and save everything into the folder.

        Raises:
            RecordError: the keys cannot be read.
            OSError: the folder cannot be written.
        """
        whole = [block for block in self.blocks if block.whole]
        answered: dict[str, list[Sequence[Part]]] = {}
        for arm in self.prepared.setup.arms:
            answered[arm.name] = await self._answers(arm, whole)
        grader = Grader(self.prepared.data.keys)
        judge = None
        if self.prepared.setup.rubric_judge:
            judge, complete = await self._judge(whole, answered, grader)
            whole = [whole[place] for place in complete]
            answered = {name: [parts[place] for place in complete] for name, parts in answered.items()}
        usd, tokens = await self.paid()
        result = EvalResult(
            plan=self.plan,
            scores=tuple(row for name, parts in answered.items() for row in rows_of(name, whole, parts, grader)),
            seats=tuple(seats_of([arm for arm in self.plan.arms if arm.name in answered], whole, grader)),
            plan_changed=self.plan_changed,
            paid_usd=usd,
            paid_tokens=tokens,
            judged_with_labels=judge.enough if judge else None,
            judge=judge,
        )
        save_result(self.folder, result)
        return result

    async def _judge(
        self, whole: Sequence[Block], answered: Mapping[str, Sequence[Sequence[Part]]], grader: Grader
    ) -> tuple[JudgeCheck, list[int]]:
        """Have every answer to a question with a rubric judged, once, and labels of people too.

        Returns:
            How the judge compares with people, and the places of the questions of which every answer is judged.
        """
        setup, labels, marks = self.prepared.setup, self.prepared.labels, self._marks
        cases = [
            [
                Case(question=block.question, rubric=grader.rubric(block.question), answer=answer)
                for answer in answers_to(block, [parts[place] for parts in answered.values()])
            ]
            for place, block in enumerate(whole)
        ]

        async def judge(case: Case) -> None:
            plan = case.plan(setup.rubric_judge, self.plan.seed)
            entries = await self._run(id_of(self.prefix, plan), plan)
            draft = drafts_of(case.as_question(), entries)[0]
            marks[case] = None if draft.answer is None else draft.answer == MEETS
            self._judged[case] = draft.charge

        every = (*(label.case for label in labels), *(case for own in cases for case in own))
        await self._run_all([case for case in dict.fromkeys(every) if case not in marks], judge)
        grader.marks = {(case.question.id, case.answer): bool(mark) for case, mark in marks.items()}
        complete = [place for place, own in enumerate(cases) if all(case in marks for case in own)]
        for place in set(range(len(whole))) - set(complete):
            whole[place].whole = False
        return check_of(setup.rubric_judge, labels, marks), complete

    async def _answers(self, arm: Arm, whole: Sequence[Block]) -> list[Sequence[Part]]:
        """What an arm answered to each question."""
        if arm.match and whole:
            mixture = await self._matched_size(arm, whole)
            return [mixed(block, place, mixture) for place, block in enumerate(whole)]
        return [[answered_by(arm, block, self.prepared.setup.panel.models)] for block in whole]

    async def _matched_size(self, arm: Arm, whole: Sequence[Block]) -> Mixture:
        """How many first answers an arm takes at the cost of a debate; what is missing is drawn first."""
        currency = self.plan.currency
        target = sum(block.debates[arm.match].charge.amount(currency) for block in whole)
        while True:
            costs = [[draft.charge.amount(currency) for draft in block.drafts] for block in whole]
            matched = match_uniform(costs, target)
            if isinstance(matched, Mixture) and arm.kind == "adaptive":
                votes = [[draft.form for draft in block.drafts] for block in whole]
                matched = match_adaptive(votes, costs, target, most=SPREAD * matched.high[0])
            if isinstance(matched, Mixture):
                return matched
            if self.paused or not await self.extend([(whole[place], many) for place, many in matched.needed]):
                return matched.nearest

    async def paid(self) -> tuple[float | None, int]:
        """What all debates of the evaluation were paid, in US dollars (None: a price is unknown) and tokens."""
        costs: list[float | None] = []
        tokens = 0
        for summary in await self._summaries():
            used = usage_of(await self.workspace.entries(summary.debate))
            costs += (usage.cost for usage in used)
            tokens += sum(usage.input_tokens + usage.output_tokens for usage in used)
        return exact_sum(costs), tokens
