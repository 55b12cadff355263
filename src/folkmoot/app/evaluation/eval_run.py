"""Run an evaluation: question by question in a seeded order, in parallel, under one budget, and again after a crash.

A block is one question in one epoch: its first answers, and the debates of all arms. Every call is on record in the
ordinary store; what is over is only read, so the same command goes on where a run stopped. Answers that the rivals need
at the cost of the debates are drawn at the end. Only then are the keys opened, and only whole blocks count.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from folkmoot.app.batch.batch_rounds import BatchRounds
from folkmoot.app.evaluation.arms import COUNTED, Arm
from folkmoot.app.evaluation.blocks import (
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
from folkmoot.app.evaluation.eval_debates import EvalDebates, PausedRun
from folkmoot.app.evaluation.eval_files import (
    PLAN_FILE,
    facts_of,
    first_hash,
    note_folder,
    read_plan,
    save_plan,
    save_result,
)
from folkmoot.app.evaluation.eval_plan import PreparedEvaluation, prefix_of
from folkmoot.app.evaluation.grading import (
    Grader,
    Part,
    answered_by,
    answers_to,
    kept_draws,
    lessons_of,
    mixed,
    pilot_of,
    rows_of,
    seats_of,
)
from folkmoot.app.evaluation.learned_gate import GatedDebate
from folkmoot.app.evaluation.matching import Missing, Mixture, match_adaptive, match_uniform
from folkmoot.app.evaluation.responses import (
    Block,
    Charge,
    charge_of,
    debated_of,
    drafts_of,
    own_entries,
)
from folkmoot.app.evaluation.rubrics import MEETS, Case, check_of
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, JudgeCheck, Learning, Score
from folkmoot.app.plan.settings import Config, lock_place
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.errors import LimitReached, RecordConflict, RecordError
from folkmoot.core.event import Entry
from folkmoot.engine.driver import StopRequest
from folkmoot.evaluation.power import Pilot

PARALLEL = 8
"""The default number of questions in parallel."""

PILOT = 30
"""The first questions, after which the run says what all cost and can show; they count like all others."""

PILOT_OVER = "the pilot is over"

SPREAD = 4
"""How many times more answers than uniform sampling adaptive sampling may take for one question."""


BUSY = "another process runs this evaluation; nothing is lost: wait until it is over, and repeat the command"

Item = TypeVar("Item")

Answered: TypeAlias = dict[str, Sequence[Sequence[Part]]]
"""For each arm what it answered to each question, in parts."""


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
    debates: EvalDebates = field(init=False)
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
        self.debates = EvalDebates(
            workspace=self.workspace,
            name=self.plan.name,
            prefix=prefix_of(self.plan.name),
            rounds=self.rounds,
            stop=self.stop,
            budget=self.budget,
        )
        self.blocks = [
            Block(question=question, epoch=epoch)
            for question in shuffled(self.prepared.data.questions, self.plan.seed)
            for epoch in range(1, self.plan.epochs + 1)
        ]

    async def begin(self) -> None:
        """Save plan and questions before the first call; a plan that was changed after it is found out here.

        Raises:
            RecordError: the folder has files of another evaluation, or the store has debates of one with this name.
        """
        records = await self.debates.records()
        first = self.plan.hash
        if (self.folder / PLAN_FILE).exists():
            saved, edited = read_plan(self.folder)
            if saved.name != self.plan.name:
                raise RecordError(f"{self.folder} has the evaluation {saved.name!r}; choose another folder with --out")
            self.plan = replace(self.plan, prices_date=saved.prices_date)
            first = self.plan.hash
            if records:
                self.plan_changed = edited or saved.hash != self.plan.hash
                first = first_hash(self.folder)
        same_plan = [self.debates.names_plan(*record, first) for record in records]
        if same_plan and not any(same_plan) and not (self.folder / PLAN_FILE).exists():
            problem = f"the store has debates of an evaluation {self.plan.name!r} with another plan"
            raise RecordError(f"{problem}; give this one a name of its own with --name, or name its folder with --out")
        save_plan(self.folder, self.plan, first=first)
        self.prepared.data.keep()
        note_folder(lock_place(self.workspace.store), self.folder)
        self.plan_changed |= not all(same_plan)
        await self.debates.begin(self.plan.hash)

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
        if len(self.prepared.data.questions) <= PILOT or (self.workspace.tray.on and not self.only_pilot):
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
        if not rows:
            return None
        unit, total = orders_of([block.question for block in first]), len(self.prepared.data.questions)
        return pilot_of(self.plan, costs, pairs, unit, total=total, effect=self.prepared.effect)

    async def _graded(self, blocks: Sequence[Block]) -> dict[str, list[Score]]:
        """The rows of each arm on some blocks, before anything is learned; none where something paused before."""
        grader = Grader(self.prepared.data.keys)
        answered = await self._answered(blocks)
        for gate in self._gates():
            answered |= self._gate_and_rivals(gate.arm, gate.undecided(blocks), blocks)
        if self.prepared.setup.rubric_judge:
            await self._judge([(block, _at(answered, n)) for n, block in enumerate(blocks)], grader, 0)
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
        if self.prepared.setup.order_probe and not block.ordered:
            await self._draft(block, ordered=True)
        first = await self.workspace.entries(block.records[""])
        for arm in self.prepared.setup.arms:
            if arm.kind not in COUNTED:
                await self._debate(block, arm, first)
        while len(block.drafts) < self._draft_count():
            await self._draft(block)
        block.whole = True

    def _draft_count(self) -> int:
        """How many first answers every question needs at least; what matches a cost is drawn later."""
        sizes = [arm.size for arm in self.prepared.setup.arms if arm.kind == "sample"]
        return max([*sizes, self.prepared.setup.panel.seats])

    async def _draft(self, block: Block, *, ordered: bool = False) -> None:
        """One more round of first answers; or the first one once more with the options in the order of the data."""
        panel = self.prepared.setup.panel
        repeat = repeat_of(block.epoch, 0 if ordered else block.rounds, self.plan.epochs)
        brief = brief_of(block.question, panel, panel.models, epoch=block.epoch, repeat=repeat)
        plan = drafts_plan(replace(brief, options=block.question.options) if ordered else brief, block.question)
        debate = id_of(self.debates.prefix, plan)
        entries = await self._run(debate, plan)
        if ordered:
            block.ordered.extend(drafts_of(block.question, entries))
            return
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
        debate = id_of(self.debates.prefix, plan)
        entries = await self._run(
            debate, plan, copied_lines(self.debates.with_plan_name(plan), first, shared) if shared else ()
        )
        block.records[arm.name] = debate
        block.debates[arm.name] = debated_of(block.question, entries, recount=arm.kind == "rethink")

    async def _run(self, debate: str, plan: Plan, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """Run a debate to its end, or read it where it is over; returns its record.

        Raises:
            PausedRun: it stands still, or the whole run does.
            LimitReached: the budget is used up.
        """
        if self.paused:
            raise PausedRun(self.paused)
        return await self.debates.run(debate, plan, beginning)

    # ---- rivals at the cost of a debate ------------------------------------------------------------------------------

    async def result(self) -> EvalResult:
        """Draw what the rivals need, open the keys, grade the whole blocks, and save everything into the folder.

        Raises:
            RecordError: the keys cannot be read.
            FolkmootError: the folder cannot be written.
        """
        whole, lessons = self._whole_blocks()
        answered = await self._answered(whole)
        grader, draws = Grader(self.prepared.data.keys), kept_draws(whole)
        judge = None
        if self.prepared.setup.rubric_judge:
            pairs = [(block, _at(answered, n)) for n, block in enumerate(whole)]
            judge = await self._judge([*pairs, *((block, ()) for block in lessons)], grader, draws)
            places = [n for n, block in enumerate(whole) if block.whole]
            lessons, whole = [block for block in lessons if block.whole], [whole[n] for n in places]
            answered = {name: [parts[n] for n in places] for name, parts in answered.items()}
        learned: list[Learning] = []
        for gate in self._gates():
            parts, learning = gate.learn(lessons, whole, grader, self.plan.seed)
            answered |= self._gate_and_rivals(gate.arm, parts, whole)
            learned.append(learning)
        rows = [row for arm in self.plan.arms for row in rows_of(arm.name, whole, answered[arm.name], grader)]
        result = EvalResult(
            plan=self.plan,
            scores=tuple(rows),
            seats=tuple(seats_of(self.plan.arms, whole, grader, draws)),
            plan_changed=self.plan_changed,
            **await self.debates.paid(),
            judged_with_labels=judge.enough if judge else None,
            judge=judge,
            learned=tuple(learned),
            facts=facts_of(self.prepared.judged),
            lessons=lessons_of(self.prepared.setup, lessons, grader),
        )
        save_result(self.folder, result)
        return result

    def _whole_blocks(self) -> tuple[list[Block], list[Block]]:
        """The whole blocks of questions that count, and of those to learn on."""
        ids = {question.id for question in self.prepared.judged}
        whole = [block for block in self.blocks if block.whole]
        judged = [block for block in whole if block.question.id in ids]
        return judged, [block for block in whole if block.question.id not in ids]

    async def _judge(
        self, answered: Sequence[tuple[Block, Sequence[Sequence[Part]]]], grader: Grader, draws: int
    ) -> JudgeCheck:
        """Have every answer to a question with a rubric judged, once, and labels of people too.

        Args:
            answered: the blocks, with what the arms answered; one of which not every answer is judged is not whole.
            grader: has the rubrics, and gets the marks.
            draws: how many independent answers are judged for the curve over their number.

        Returns:
            How the judge compares with people.
        """
        setup, labels, marks = self.prepared.setup, self.prepared.labels, self._marks
        cases = [
            [
                Case(question=block.question, rubric=grader.rubric(block.question), answer=answer)
                for answer in answers_to(block, parts, draws)
            ]
            for block, parts in answered
        ]

        async def judge(case: Case) -> None:
            plan = case.plan(setup.rubric_judge, self.plan.seed)
            entries = await self._run(id_of(self.debates.prefix, plan), plan)
            draft = drafts_of(case.as_question(), entries)[0]
            marks[case] = None if draft.answer is None else draft.answer == MEETS
            self._judged[case] = draft.charge

        every = (*(label.case for label in labels), *(case for own in cases for case in own))
        await self._run_all([case for case in dict.fromkeys(every) if case not in marks], judge)
        grader.marks = {(case.question.id, case.answer): bool(mark) for case, mark in marks.items()}
        for (block, _), own in zip(answered, cases, strict=True):
            block.whole = block.whole and all(case in marks for case in own)
        return check_of(setup.rubric_judge, labels, marks)

    async def _answered(self, blocks: Sequence[Block]) -> Answered:
        """What each arm answered that learns nothing: the debates, and then their rivals at their cost."""
        arms, models = self.prepared.setup.arms, self.prepared.setup.panel.models
        gates = {gate.arm.name for gate in self._gates()}
        answered: Answered = {
            arm.name: [[answered_by(arm, block, models)] for block in blocks]
            for arm in arms
            if not arm.match and arm.name not in gates
        }
        for arm in arms:
            if arm.match and arm.match not in gates:
                answered[arm.name] = await self._drawn(arm, blocks, answered[arm.match])
        return answered

    def _gates(self) -> list[GatedDebate]:
        """The arms that learn when to debate."""
        setup = self.prepared.setup
        arms = {arm.name: arm for arm in setup.arms}
        return [
            GatedDebate(
                arm=arm,
                debate=arms[arm.gates],
                models=setup.panel.models,
                seats=setup.panel.seats,
                least=self.prepared.thresholds[arm.gates],
                score=self.plan.score,
            )
            for arm in setup.arms
            if arm.kind == "learned_gate"
        ]

    def _gate_and_rivals(self, gate: Arm, parts: Sequence[Sequence[Part]], blocks: Sequence[Block]) -> Answered:
        """The answers of a gate, and those of its rivals at its cost.

        Its threshold follows from the keys, so nothing is drawn for it: no call may depend on a truth. Its debate costs
        at least as much, so the answers that were drawn for the rivals of that are enough.
        """
        answered: Answered = {gate.name: parts}
        for arm in self.prepared.setup.arms:
            if arm.match == gate.name:
                matched = self._match(arm, blocks, parts)
                mixture = matched if isinstance(matched, Mixture) else matched.nearest
                answered[arm.name] = [mixed(block, place, mixture) for place, block in enumerate(blocks)]
        return answered

    async def _drawn(
        self, arm: Arm, blocks: Sequence[Block], debate: Sequence[Sequence[Part]]
    ) -> Sequence[Sequence[Part]]:
        """What an arm of independent answers says at the cost of a debate; what is missing is drawn first."""
        matched = self._match(arm, blocks, debate)
        while isinstance(matched, Missing) and not self.paused:
            if not await self.extend([(blocks[place], many) for place, many in matched.needed]):
                break
            matched = self._match(arm, blocks, debate)
        mixture = matched if isinstance(matched, Mixture) else matched.nearest
        return [mixed(block, place, mixture) for place, block in enumerate(blocks)]

    def _match(self, arm: Arm, blocks: Sequence[Block], debate: Sequence[Sequence[Part]]) -> Mixture | Missing:
        """How many first answers an arm takes at the cost of a debate, or which are missing to know it."""
        if not blocks:
            return Mixture(low=(), high=(), share=1.0)
        currency = self.plan.currency
        target = sum(part.charge.amount(currency) for parts in debate for part in parts)
        costs = [[draft.charge.amount(currency) for draft in block.drafts] for block in blocks]
        matched = match_uniform(costs, target)
        if isinstance(matched, Mixture) and arm.kind == "adaptive":
            votes = [[draft.form for draft in block.drafts] for block in blocks]
            matched = match_adaptive(votes, costs, target, most=SPREAD * matched.high[0])
        return matched


def _at(answered: Answered, place: int) -> list[Sequence[Part]]:
    """What all arms answered to one question."""
    return [parts[place] for parts in answered.values()]
