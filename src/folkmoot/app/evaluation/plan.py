"""The plan of an evaluation: priced, and what its questions can show.

The plan is fixed before the first call; its hash stands in the opening of every debate of the evaluation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from importlib.metadata import version
from typing import Final

from folkmoot.app.evaluation.blocks import arm_plan, brief_of, drafts_plan, shares_drafts
from folkmoot.app.evaluation.inspect_bridge import program_of
from folkmoot.app.evaluation.questions import DataSet, Question
from folkmoot.app.evaluation.responses import Charge
from folkmoot.app.evaluation.scores import EvalPlan
from folkmoot.app.evaluation.setup import Arm, Currency, Measure, Setup, checked, judge_of
from folkmoot.app.plan.assignment import live_models
from folkmoot.app.plan.estimate import Costing, estimate
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.text import listed
from folkmoot.evaluation.power import (
    design_effect,
    questions_needed,
    questions_needed_if_differ,
    smallest_difference,
    spread_of_share,
)

MARGINS: Final[Mapping[Measure, float]] = {"credit": 0.05, "log_loss": 0.02, "brier": 0.01}
"""The smallest difference that matters where nobody says otherwise."""

DIFFER = 0.15
"""The share of questions on which only one of two arms is right, as long as nothing better is known."""

SPREADS: Final[Mapping[Measure, float]] = {"log_loss": 0.17, "brier": 0.07}
"""The standard deviation of differences of losses in recorded forecasts, as long as nothing better is known."""

ALIKE = 0.3
"""The correlation of differences within a group of questions, as long as nothing better is known."""

LOOKED_AT = 5
"""Questions from which the costs of all are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedEvaluation:
    """An evaluation that can run."""

    data: DataSet
    plan: EvalPlan
    prices: Mapping[str, Charge]  # of each arm that debates, and of one round of first answers under "", a question
    ceilings: Mapping[str, Charge]  # the same if each answer is as long as it may be, and nobody agrees

    @property
    def groups(self) -> list[str]:
        """The group of each question; one that has none counts as one."""
        return [question.group or question.id for question in self.data.questions]

    @property
    def spread(self) -> float:
        """The standard deviation of differences, as long as nothing better is known."""
        return SPREADS.get(self.plan.score) or spread_of_share(DIFFER)

    @property
    def smallest(self) -> float:
        """The smallest difference that its questions show in 4 of 5 runs; it allows for groups."""
        return smallest_difference(self.spread * math.sqrt(design_effect(self.groups, ALIKE)), self.plan.planned)

    @property
    def needed(self) -> int:
        """How many questions show the margin, in groups of the same sizes."""
        margin, by_share = self.plan.margin, self.plan.score == "credit" and self.plan.margin <= DIFFER
        many = questions_needed_if_differ(DIFFER, margin) if by_share else questions_needed(self.spread, margin)
        return math.ceil(design_effect(self.groups, ALIKE) * many)

    @property
    def total(self) -> Charge:
        """What to expect: first answers, debates without those they share, and answers at the cost of the dearest."""
        return self._priced(self.prices, self._rounds(self.prices))

    @property
    def usual(self) -> Charge:
        """What it usually stays below: every answer is as long as it may be, and rivals share none.

        Calls that fail, and those that ask for a form again, come on top.
        """
        return self._priced(self.ceilings, 2 * self._rounds(self.ceilings) + 1)

    @property
    def growth(self) -> float:
        """How many times as much a question costs with what its rivals need as before that, by the estimate."""
        before = self._priced(self.prices, max(1.0, *self._samples), with_rivals=False).usd
        return (self.total.usd or 0.0) / before if before else 1.0

    @property
    def _samples(self) -> list[float]:
        """How many rounds of first answers the arms count that match no cost."""
        return [arm.size / self.plan.seats for arm in self.plan.arm]

    def _rounds(self, prices: Mapping[str, Charge]) -> float:
        """How many rounds of first answers reach the largest sample, and the cost of the dearest debate."""
        drafts = prices[""].tokens
        return max([1.0, *self._samples, *(price.tokens / drafts for name, price in prices.items() if name and drafts)])

    def _priced(self, prices: Mapping[str, Charge], rounds: float, *, with_rivals: bool = True) -> Charge:
        debating = [arm for arm in self.plan.arm if arm.name in prices]
        rounds -= sum(not arm.own_drafts for arm in debating)
        # what meets a cost costs as much at the end
        each = [prices[(with_rivals and arm.match) or arm.name] for arm in debating]
        once = Charge.sum([prices[""].times(rounds), *each])
        return once.times(len(self.data.questions) * self.plan.epochs)


async def prepare_evaluation(workspace: Workspace, setup: Setup, data: DataSet) -> PreparedEvaluation:
    """Check every arm on some questions, price it, and fix the plan. Nothing is sent to any model.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    kinds = {question.kind for question in data.questions}
    score: Measure = setup.score or ("log_loss" if kinds == {"probability"} else "credit")
    if score != "credit" and kinds != {"probability"}:
        raise BriefError(f"{score} needs questions of the kind probability alone", code="inconsistent")
    models = setup.models
    arms = tuple(replace(arm, judge=arm.judge or judge_of(arm.models or models, models)) for arm in setup.arm)
    setup = replace(setup, arm=arms)
    costings, own = await _look_at(workspace, setup, data.questions)
    prices = {name: _mean(values) for name, values in costings.items()}

    def is_dearer(arm: Arm) -> bool:
        """Whether a debate costs more than the one whose cost it shall meet: in US dollars, or in tokens."""
        price, other = prices[arm.name], prices[arm.match]
        return price.usd > other.usd if price.usd and other.usd else price.tokens > other.tokens

    if cheaper := next((arm for arm in arms if arm.is_protocol and arm.match and is_dearer(arm)), None):
        if len(setup.protocols) == 2:  # two protocols of which nobody said which is the dearer one
            turned = checked(replace(setup, arm=(), protocols=setup.protocols[::-1]))
            return await prepare_evaluation(workspace, turned, data)
        problem = f"one {cheaper.kind} costs more than {cheaper.match}, so it can't be held at that cost"
        raise BriefError(f"{problem}; let {cheaper.match} meet the cost of {cheaper.kind} instead", code="inconsistent")
    unpriced = dict.fromkeys(name for values in costings.values() for play in values for name in play.most.unpriced)
    for wanted, whose, instead in (
        (setup.budget is not None, "a budget", "leave the budget out"),
        (setup.currency == "usd", "the currency usd", "use tokens"),
    ):
        if unpriced and wanted:
            problem = f"{whose} needs the price of every model, and that of {listed(list(unpriced))} is unknown"
            raise BriefError(f"{problem}; {instead}", code="inconsistent")
    by_price, by_tokens = all(price.usd for price in prices.values()), all(price.tokens for price in prices.values())
    currency: Currency = "usd" if by_price else "tokens" if by_tokens else "calls"  # the best that is known of all
    filled = replace(
        setup,
        arm=tuple(replace(arm, title=arm.titled(), own_drafts=arm.name in own) for arm in arms),
        score=score,
        currency=setup.currency or currency,
        margin=MARGINS[score] if setup.margin is None else setup.margin,
    )
    plan = EvalPlan(
        **{item.name: getattr(filled, item.name) for item in fields(Setup)},
        planned=len(data.questions),
        questions_hash=data.hashes[0],
        keys_hash=data.hashes[1],
        prices_date=date.today().isoformat(),
        versions={"folkmoot": version("folkmoot"), **program_of(setup.questions)},
    )
    ceilings = {name: _mean(values, most=True) for name, values in costings.items()}
    return PreparedEvaluation(data=data, plan=plan, prices=prices, ceilings=ceilings)


async def _look_at(
    workspace: Workspace, setup: Setup, questions: Sequence[Question]
) -> tuple[dict[str, list[Costing]], set[str]]:
    """Plan every arm on some of the questions: what each debate costs, "" for first answers, and whose are its own."""
    costings: dict[str, list[Costing]] = {}
    own: set[str] = set()
    step = max(1, len(questions) // LOOKED_AT)  # from all parts of the data: documents may grow from line to line
    for question in questions[::step][:LOOKED_AT]:
        try:
            drafts = drafts_plan(brief_of(question, setup), question)
            workspace.plan(drafts.brief, protocol=drafts.name)  # checks the brief and every model
            costings.setdefault("", []).append(price_of(workspace, drafts))
            for arm in (arm for arm in setup.arm if not arm.is_drawn):
                plan = await arm_plan(workspace, arm, brief_of(question, setup, arm.models), question)
                if not shares_drafts(plan, drafts):
                    own.add(arm.name)
                costings.setdefault(arm.name, []).append(price_of(workspace, plan))
        except FolkmootError as error:
            raise BriefError(f"question {question.id[:60]!r}: {error}") from error
    return costings, own


def price_of(workspace: Workspace, plan: Plan) -> Costing:
    """What a debate costs."""
    return estimate(plan.brief, plan.protocol, live_models(plan.brief, workspace.pool))


def _mean(costings: Sequence[Costing], *, most: bool = False) -> Charge:
    """The mean of what is expected; or of what is used where every answer is as long as it may be. Tokens are plain."""
    plays = [
        Charge(calls=max(play.most.calls, play.most.asks), tokens=play.most.tokens, usd=play.most.cost)
        if most  # built-in agents call no model
        else Charge(calls=(play.least.asks + play.most.asks) / 2, tokens=play.expected, usd=play.expected_cost)
        for play in costings
    ]
    return Charge.sum(plays).times(1 / len(plays))
