"""The debates of an evaluation on record: each is run to its end under one budget, or read where it is over."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypedDict

from folkmoot.app.batch.batch_rounds import BatchRounds
from folkmoot.app.batch.run_batch import BatchBudget
from folkmoot.app.evaluation.eval_plan import price_of
from folkmoot.app.evaluation.responses import exact_sum, own_cost, own_entries, usage_of
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.app.serve.spending import lost
from folkmoot.core.errors import LimitReached, Unpriced
from folkmoot.core.event import Closed, Entry, Paused
from folkmoot.engine.driver import StopRequest
from folkmoot.record.listing import ListQuery

OF_THE_QUESTION = ("too_long", "refused")
"""Causes for which a debate paused that say nothing of the others: one question is no reason to end the evaluation."""


class PausedRun(Exception):
    """A debate stands still, with the reason."""


class Paid(TypedDict):
    """What debates were paid; see ``scores.EvalResult``."""

    paid_usd: float | None
    paid_tokens: int
    paid_estimated: bool


@dataclass(slots=True, kw_only=True)
class EvalDebates:
    """All debates of one evaluation.

    Attributes:
        workspace: whose store and models they use.
        name: the name of the evaluation.
        prefix: how their ids begin.
        rounds: waits for providers' batches.
        stop: pauses them.
        budget: US dollars that may be paid in all runs together; None for any.
        plan_hash: of the plan, which stands in the opening of each debate.
    """

    workspace: Workspace
    name: str
    prefix: str
    rounds: BatchRounds
    stop: StopRequest
    budget: float | None
    plan_hash: str = ""
    _spending: BatchBudget = field(default_factory=lambda: BatchBudget(None))

    async def begin(self, plan_hash: str) -> None:
        """Know the plan's hash, and count what earlier runs have paid against the budget."""
        self.plan_hash = plan_hash
        self._spending = BatchBudget(self.budget)
        await self._spending.settle("", sum(own_cost(entries) for _, entries in await self.records()))

    async def records(self) -> list[tuple[str, tuple[Entry, ...]]]:
        """The ids and records of all debates so far."""
        page = await self.workspace.page(ListQuery(prefix=f"{self.prefix}-"))
        return [(summary.debate, await self.workspace.entries(summary.debate)) for summary in page.debates]

    def names_plan(self, debate: str, entries: Sequence[Entry], plan_hash: str) -> bool:
        """Whether the opening of a debate names this plan.

        Raises:
            RecordError: the record has no opening.
        """
        return self._mark(plan_hash) in opening(debate, entries).chosen

    def with_plan_name(self, plan: Plan) -> Plan:
        """The debate whose opening names the plan of the evaluation."""
        return replace(plan, chosen=(*plan.chosen, self._mark(self.plan_hash)))

    async def run(self, debate: str, plan: Plan, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """Run a debate to its end, or read it where it is over; returns its record.

        Args:
            debate: its id.
            plan: what it is.
            beginning: the lines of its record with the first answers that it shares.

        Raises:
            PausedRun: it stands still.
            LimitReached: the budget is used up.
        """
        plan = self.with_plan_name(plan)
        before = await self._stored(debate, beginning)
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
            entries = await self._stored(debate)
            await self._spending.settle(debate, own_cost(entries) - used)
        last = entries[-1].event
        if outcome.status == "paused" and not (isinstance(last, Paused) and last.cause in OF_THE_QUESTION):
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

    async def _stored(self, debate: str, beginning: Sequence[str] = ()) -> tuple[Entry, ...]:
        """The record of a debate, which begins with these lines; () for none."""
        begun = await self.workspace.store.read(debate, limit=1)
        if beginning and not begun:
            await self.workspace.store.append(debate, beginning, after=0)
            begun = list(beginning)
        return await self.workspace.entries(debate) if begun else ()

    def _most(self, plan: Plan) -> float | None:
        """What a debate costs at most where there is a budget.

        Raises:
            Unpriced: a price is unknown, so that no budget could hold.
        """
        if self.budget is None:
            return None
        most = price_of(self.workspace, plan).most
        if most.cost is None:
            unknown = ", ".join(most.unpriced) or "a model"
            raise Unpriced(f"a budget needs known prices, and the price of {unknown} is unknown")
        return most.cost

    def _mark(self, plan_hash: str) -> str:
        """What the opening of each debate says of the plan."""
        return f"evaluation {self.name}, plan {plan_hash[:16]}"

    async def paid(self) -> Paid:
        """What all debates of the evaluation were paid."""
        used = [usage for _, entries in await self.records() for usage in usage_of(entries)]
        return Paid(
            paid_usd=exact_sum([usage.cost for usage in used]),
            paid_tokens=sum(usage.input_tokens + usage.output_tokens for usage in used),
            paid_estimated=any(usage.estimated for usage in used),
        )
