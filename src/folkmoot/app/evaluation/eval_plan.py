"""The plan of an evaluation: priced, and what its questions can show.

The plan is fixed before the first call; its hash stands in the opening of every debate of the evaluation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import Final

from folkmoot.app.evaluation.arms import judge_of
from folkmoot.app.evaluation.blocks import arm_plan, brief_of, drafts_plan, shares_drafts
from folkmoot.app.evaluation.eval_setup import Setup
from folkmoot.app.evaluation.inspect_tasks import is_task
from folkmoot.app.evaluation.responses import OUTPUT
from folkmoot.app.evaluation.scores import Currency, EvalPlan, Measure
from folkmoot.app.plan.estimate import Costing, estimate
from folkmoot.app.plan.settings import Config
from folkmoot.app.questions.data_sets import Question, StoredData
from folkmoot.app.run.prepare import live_models
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.text import slug
from folkmoot.evaluation.power import (
    design_effect,
    questions_needed,
    questions_needed_if_differ,
    smallest_difference,
    spread_of_share,
)
from folkmoot.record.store import digest

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
class ArmPrice:
    """What one arm is expected to cost on one question: model calls, tokens, US dollars (None: price unknown)."""

    calls: float = 0.0
    tokens: float = 0.0
    weighted: float = 0.0
    usd: float | None = 0.0

    def plus(self, other: "ArmPrice", times: float) -> "ArmPrice":
        """This and so many times another one."""
        return ArmPrice(
            calls=self.calls + times * other.calls,
            tokens=self.tokens + times * other.tokens,
            weighted=self.weighted + times * other.weighted,
            usd=None if self.usd is None or other.usd is None else self.usd + times * other.usd,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedEvaluation:
    """An evaluation that can run.

    Attributes:
        setup: as it was asked for.
        data: its questions, with the keys in a file of their own.
        plan: what is fixed.
        prices: of each arm that debates, and of one round of first answers under "", for one question.
        ceilings: the same if each answer is as long as it may be, and nobody agrees.
        spread: the standard deviation of differences, as long as nothing better is known.
    """

    setup: Setup
    data: StoredData
    plan: EvalPlan
    prices: Mapping[str, ArmPrice]
    ceilings: Mapping[str, ArmPrice]
    spread: float

    @property
    def effect(self) -> float:
        """By which factor groups of questions raise the variance of a difference (design effect)."""
        return design_effect([question.group or question.id for question in self.data.questions], ALIKE)

    @property
    def smallest(self) -> float:
        """The smallest difference that its questions show in 4 of 5 runs; it allows for groups."""
        return smallest_difference(self.spread * math.sqrt(self.effect), self.plan.planned)

    @property
    def needed(self) -> int:
        """How many questions show the margin, in groups of the same sizes."""
        margin, by_share = self.plan.margin, self.plan.score == "credit" and self.plan.margin <= DIFFER
        many = questions_needed_if_differ(DIFFER, margin) if by_share else questions_needed(self.spread, margin)
        return math.ceil(self.effect * many)

    @property
    def groups(self) -> int:
        """How many groups the questions are; one that has none counts as one."""
        return len({question.group or question.id for question in self.data.questions})

    @property
    def total(self) -> ArmPrice:
        """What to expect: first answers, debates without those they share, and answers at the cost of the dearest."""
        return self._priced(self.prices, self._rounds(self.prices))

    @property
    def usual(self) -> ArmPrice:
        """What it usually stays below: every answer is as long as it may be, and rivals share none.

        Calls that fail, and those that ask for a form again, come on top.
        """
        return self._priced(self.ceilings, 2 * self._rounds(self.ceilings) + 1)

    def _rounds(self, prices: Mapping[str, ArmPrice]) -> float:
        """How many rounds of first answers reach the largest sample, and the cost of the dearest debate."""
        drafts = prices[""].weighted
        sizes = [arm.size / self.setup.panel.seats for arm in self.setup.arms]
        return max([1.0, *sizes, *(price.weighted / drafts for name, price in prices.items() if name and drafts)])

    def _priced(self, prices: Mapping[str, ArmPrice], rounds: float) -> ArmPrice:
        blocks = len(self.data.questions) * self.plan.epochs
        total = ArmPrice()
        for arm in self.plan.arms:
            if arm.name in prices:
                rounds -= not arm.own_drafts
                total = total.plus(prices[arm.matches or arm.name], blocks)  # what meets a cost costs as much
        return total.plus(prices[""], blocks * rounds)


async def prepare_evaluation(
    workspace: Workspace, setup: Setup, data: StoredData, config: Config
) -> PreparedEvaluation:
    """Check every arm on some questions, price it, and fix the plan. Nothing is sent to any model.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    kinds = {question.kind for question in data.questions}
    score: Measure = setup.score or ("log_loss" if kinds == {"probability"} else "credit")
    if score != "credit" and kinds != {"probability"}:
        raise BriefError(f"{score} needs questions of the kind probability alone", code="inconsistent")
    models = setup.panel.models
    arms = tuple(replace(arm, judge=arm.judge or judge_of(arm.models or models, models)) for arm in setup.arms)
    setup = replace(setup, arms=arms)
    costings, own = await _look_at(workspace, setup, data.questions, config)
    prices = {name: _mean(values) for name, values in costings.items()}
    _check_costs(setup, prices)
    plan = EvalPlan(
        name=setup.name,
        arms=tuple(arm.planned(own_drafts=arm.name in own) for arm in setup.arms),
        score=score,
        currency=setup.currency or _currency(prices),
        margin=MARGINS[score] if setup.margin is None else setup.margin,
        alpha=setup.alpha,
        looks=setup.looks,
        epochs=setup.epochs,
        planned=len(data.questions),
        questions_hash=data.questions_hash,
        keys_hash=data.keys_hash,
        prices_date=date.today().isoformat(),
        seed=setup.panel.seed,
        versions=_versions(setup),
    )
    return PreparedEvaluation(
        setup=setup,
        data=data,
        plan=plan,
        prices=prices,
        ceilings={name: _mean(values, most=True) for name, values in costings.items()},
        spread=SPREADS.get(score) or spread_of_share(DIFFER),
    )


def _versions(setup: Setup) -> Mapping[str, str]:
    """What the plan's hash speaks of beside its own fields: Folkmoot, who answers how, and the program of a task."""
    task = setup.questions.with_name(setup.questions.name.partition("@")[0])
    program = {"task": digest(task.read_text("utf-8"))} if is_task(setup.questions) else {}
    return {"folkmoot": version("folkmoot"), "arms": digest(repr((setup.panel, setup.arms))), **program}


def _check_costs(setup: Setup, prices: Mapping[str, ArmPrice]) -> None:
    """Refuse what needs prices that are not known, and a debate that costs more than the one whose cost it shall meet.

    Raises:
        BriefError: there is such a thing.
    """
    unpriced = [name for name, price in prices.items() if price.usd is None]
    if setup.budget is not None and unpriced:
        problem = "a budget needs the price of every model, and one is unknown; leave the budget out"
        raise BriefError(problem, code="inconsistent")
    if setup.currency == "usd" and unpriced:
        raise BriefError("the currency usd needs the price of every model; use tokens", code="inconsistent")
    for arm in setup.arms:
        if arm.kind == "protocol" and arm.match and prices[arm.name].weighted > prices[arm.match].weighted:
            dearer = f"one {arm.protocol} costs more than {arm.match}, so it can't be held at that cost"
            raise BriefError(f"{dearer}; let {arm.match} meet the cost of {arm.protocol} instead", code="inconsistent")


async def _look_at(
    workspace: Workspace, setup: Setup, questions: Sequence[Question], config: Config
) -> tuple[dict[str, list[Costing]], set[str]]:
    """Plan every arm on some of the questions: what each debate costs, "" for first answers, and whose are its own.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    costings: dict[str, list[Costing]] = {}
    own: set[str] = set()
    step = max(1, len(questions) // LOOKED_AT)  # from all parts of the data: documents may grow from line to line
    for question in questions[::step][:LOOKED_AT]:
        try:
            brief = brief_of(question, setup.panel, setup.panel.models, epoch=1, repeat=1)
            drafts = drafts_plan(brief, question)
            workspace.plan_stored(brief, drafts.name, None, ())  # checks the brief and every model
            costings.setdefault("", []).append(price_of(workspace, drafts))
            for arm in setup.arms:
                if arm.is_drawn:
                    continue
                models = arm.models or setup.panel.models
                other = brief_of(question, setup.panel, models, epoch=1, repeat=1)
                plan = await arm_plan(workspace, arm, other, question, config)
                own |= set() if shares_drafts(plan, drafts) else {arm.name}
                costings.setdefault(arm.name, []).append(price_of(workspace, plan))
        except FolkmootError as error:
            raise BriefError(f"question {question.id[:60]!r}: {error}") from error
    return costings, own


def price_of(workspace: Workspace, plan: Plan) -> Costing:
    """What a debate costs."""
    return estimate(plan.brief, plan.protocol, live_models(workspace, plan.brief))


def _mean(costings: Sequence[Costing], *, most: bool = False) -> ArmPrice:
    """The mean of what is expected; or of what is used where every answer is as long as it may be."""
    n = len(costings)
    plays = [
        (max(play.most.calls, play.most.asks), play.most.tokens, play.most.cost)  # built-in agents call no model
        if most
        else ((play.least.asks + play.most.asks) / 2, play.expected, play.expected_cost)
        for play in costings
    ]
    known = [cost for _, _, cost in plays if cost is not None]
    tokens = sum(used for _, used, _ in plays) / n
    return ArmPrice(
        calls=sum(calls for calls, _, _ in plays) / n,
        tokens=tokens,
        weighted=tokens * (1 + OUTPUT) / 2,
        usd=sum(known) / n if len(known) == n else None,
    )


def _currency(prices: Mapping[str, ArmPrice]) -> Currency:
    """US dollars where all prices are known and not 0, else tokens; calls where no model counts any."""
    if all(price.usd for price in prices.values()):
        return "usd"
    return "tokens" if all(price.tokens for price in prices.values()) else "calls"


def prefix_of(name: str) -> str:
    """How the ids of all debates of an evaluation begin."""
    return f"eval-{slug(name, 24)}-{digest(name)[:6]}"
