"""The plan of an evaluation: priced, and what its questions can show.

The plan is fixed before the first call; its hash stands in the opening of every debate of the evaluation.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from typing import Final

from folkmoot.app.evaluation.arms import COUNTED, judge_of, with_liars, with_order_probes
from folkmoot.app.evaluation.blocks import arm_plan, brief_of, drafts_plan, shares_drafts
from folkmoot.app.evaluation.eval_setup import Setup
from folkmoot.app.evaluation.grading import MOST_DRAWS
from folkmoot.app.evaluation.learned_gate import own_threshold
from folkmoot.app.evaluation.responses import OUTPUT
from folkmoot.app.evaluation.rubrics import Case, Label, check_judge, read_labels
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

SOME_WORDS = "word " * 60
"""A rubric and an answer as long as most are: the estimate sees neither."""

ALIKE = 0.3
"""The correlation of differences within a group of questions, as long as nothing better is known."""

LOOKED_AT = 5
"""Questions from which the costs of all are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmPrice:
    """What one arm is expected to cost on one question: model calls, tokens, US dollars (None: price unknown)."""

    calls: float
    tokens: float
    weighted: float
    usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedEvaluation:
    """An evaluation that can run.

    Attributes:
        setup: as it was asked for.
        data: its questions, with the keys in a file of their own.
        plan: what is fixed.
        prices: of each arm that debates, and of one round of first answers under "", for one question.
        ceilings: the same if each answer is as long as it may be, and nobody agrees.
        labels: answers that people have judged, to check the judge of a rubric.
        judging: what that judge is expected to cost in all, at most; None where nothing is judged.
        thresholds: of each debate the distance of first answers below which it leaves its rounds out; 0 for none.
        spread: the standard deviation of differences, as long as nothing better is known.
    """

    setup: Setup
    data: StoredData
    plan: EvalPlan
    prices: Mapping[str, ArmPrice]
    ceilings: Mapping[str, ArmPrice]
    labels: tuple[Label, ...] = ()
    judging: ArmPrice | None = None
    thresholds: Mapping[str, float]
    spread: float

    @property
    def effect(self) -> float:
        """By which factor groups of questions raise the variance of a difference (design effect)."""
        return design_effect([question.group or question.id for question in self.judged], ALIKE)

    @property
    def smallest(self) -> float:
        """The smallest difference that its questions show in 4 of 5 runs; it allows for groups."""
        return smallest_difference(self.spread * math.sqrt(self.effect), self.plan.planned)

    @property
    def needed(self) -> int:
        """How many questions show the margin, in groups of the same sizes."""
        return math.ceil(self.effect * _needed_questions(self.plan.score, self.plan.margin, self.spread))

    @property
    def judged(self) -> tuple[Question, ...]:
        """The questions that count; a gate learns on the others."""
        return judged_of(self.setup, self.data.questions)

    @property
    def groups(self) -> int:
        """How many groups the judged questions are; one that has none counts as one."""
        return len({question.group or question.id for question in self.judged})

    @property
    def blocks(self) -> int:
        """How many questions are put, repeats counted."""
        return len(self.data.questions) * self.plan.epochs

    @property
    def total(self) -> ArmPrice:
        """What to expect in all."""
        return self.expected(self.blocks)

    def expected(self, blocks: int) -> ArmPrice:
        """What so many questions cost: first answers, debates without those they share, answers at the dearest's cost.

        Args:
            blocks: how many, repeats counted.
        """
        return self._priced(self.prices, blocks, rounds_of(self.setup, self.prices))

    def usual(self, blocks: int) -> ArmPrice:
        """What so many questions usually stay below: every answer is as long as it may be, and rivals share none.

        Calls that fail, and those that ask for a form again, come on top.
        """
        return self._priced(self.ceilings, blocks, 2 * rounds_of(self.setup, self.ceilings) + 1)

    def _priced(self, prices: Mapping[str, ArmPrice], blocks: int, rounds: float) -> ArmPrice:
        own = {arm.name for arm in self.plan.arms if arm.own_drafts or arm.liars}
        debates = {name: price for name, price in prices.items() if name}
        judged = blocks / self.blocks
        rounds += self.setup.order_probe
        parts = [
            (prices[""], blocks * (rounds - sum(name not in own for name in debates))),
            *((price, blocks) for price in debates.values()),
            *([(self.judging, judged)] if self.judging else ()),
        ]
        known = all(price.usd is not None for price, _ in parts)
        return ArmPrice(
            calls=sum(price.calls * times for price, times in parts),
            tokens=sum(price.tokens * times for price, times in parts),
            weighted=sum(price.weighted * times for price, times in parts),
            usd=sum((price.usd or 0.0) * times for price, times in parts) if known else None,
        )


def rounds_of(setup: Setup, prices: Mapping[str, ArmPrice]) -> float:
    """How many rounds of first answers reach the largest sample, and the cost of the dearest debate."""
    sizes = [arm.size / setup.panel.seats for arm in setup.arms]
    ratios = [price.weighted / prices[""].weighted for name, price in prices.items() if name and prices[""].weighted]
    return max([1.0, *sizes, *ratios])


async def prepare_evaluation(
    workspace: Workspace, setup: Setup, data: StoredData, config: Config
) -> PreparedEvaluation:
    """Check every arm on some questions, price it, and fix the plan. Nothing is sent to any model.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    setup, score = _with_score(setup, data)
    labels = _labels(setup, data)
    looked = await _look_at(workspace, setup, data.questions, config)
    plan = EvalPlan(
        name=setup.name,
        arms=tuple(arm.planned(own_drafts=looked.own.get(arm.name, False)) for arm in setup.arms),
        score=score,
        currency=_chosen_currency(setup, looked.prices),
        margin=MARGINS[score] if setup.margin is None else setup.margin,
        alpha=setup.alpha,
        looks=setup.looks,
        epochs=setup.epochs,
        planned=len(judged_of(setup, data.questions)),
        questions_hash=data.questions_hash,
        keys_hash=data.keys_hash,
        prices_date=date.today().isoformat(),
        seed=setup.panel.seed,
        versions=_versions(setup, labels),
        cutoffs=setup.cutoffs,
    )
    return PreparedEvaluation(
        setup=setup,
        data=data,
        plan=plan,
        prices=looked.prices,
        ceilings=looked.ceilings,
        labels=labels,
        judging=_judging(workspace, setup, data, looked.prices, len(labels)) if setup.rubric_judge else None,
        thresholds=looked.thresholds,
        spread=SPREADS.get(score) or spread_of_share(DIFFER),
    )


def judged_of(setup: Setup, questions: Sequence[Question]) -> tuple[Question, ...]:
    """The questions that count: all; but where a gate learns, not those that the data keeps to learn on.

    Raises:
        BriefError: none is left.
    """
    learns = any(arm.kind == "learned_gate" for arm in setup.arms)
    judged = tuple(question for question in questions if not (learns and question.split == "learn"))
    if not judged:
        raise BriefError("all questions have split: learn, so none is left to judge the arms on", code="inconsistent")
    groups = {question.group for question in judged if question.group}
    to_learn = {question.group for question in questions if learns and question.split == "learn"}
    if torn := sorted(groups & to_learn):
        problem = "questions of one group are learned from or judged as a whole"
        raise BriefError(f"{problem}: group {torn[0][:60]!r} is split", code="inconsistent")
    return judged


def _chosen_currency(setup: Setup, prices: Mapping[str, ArmPrice]) -> Currency:
    """The currency that was asked for, or the best that is known.

    Raises:
        BriefError: it or the budget needs prices that are not known.
    """
    currency = setup.currency or _currency(prices)
    if setup.budget is not None and any(price.usd is None for price in prices.values()):
        problem = "a budget needs the price of every model, and one is unknown; leave the budget out"
        raise BriefError(problem, code="inconsistent")
    if currency == "usd" and any(price.usd is None for price in prices.values()):
        raise BriefError("the currency usd needs the price of every model; use tokens", code="inconsistent")
    return currency


def _versions(setup: Setup, labels: Sequence[Label]) -> Mapping[str, str]:
    """What the plan's hash speaks of beside its own fields: Folkmoot, who answers how, and who judges by a rubric."""
    rubric = {"rubric": digest(repr((setup.rubric_judge, labels)))} if setup.rubric_judge else {}
    return {"folkmoot": version("folkmoot"), "arms": digest(repr((setup.panel, setup.arms))), **rubric}


def _needed_questions(score: Measure, margin: float, spread: float) -> int:
    """How many questions show the margin."""
    by_share = score == "credit" and margin <= DIFFER
    return questions_needed_if_differ(DIFFER, margin) if by_share else questions_needed(spread, margin)


def _labels(setup: Setup, data: StoredData) -> tuple[Label, ...]:
    """The labels of people by which the judge of a rubric is checked; () where nothing is judged.

    Raises:
        BriefError: a judge is missing, not needed, or related to those who answer.
    """
    if all(question.kind != "rubric" for question in data.questions):
        if setup.rubric_judge or setup.labels:
            raise BriefError(
                "no question is of the kind rubric, so leave out its judge and labels", code="inconsistent"
            )
        return ()
    models = (*setup.panel.models, *(model for arm in setup.arms for model in arm.models))
    check_judge(setup.rubric_judge, models)
    return read_labels(setup.labels) if setup.labels else ()


def _with_score(setup: Setup, data: StoredData) -> tuple[Setup, Measure]:
    """The primary score, and the setup with the epochs that preferences need, a judge for each arm, and liars.

    Raises:
        BriefError: the score does not fit the questions.
    """
    kinds = {question.kind for question in data.questions}
    score = setup.score or ("log_loss" if kinds == {"probability"} else "credit")
    if score != "credit" and kinds != {"probability"}:
        raise BriefError(f"{score} needs questions of the kind probability alone", code="inconsistent")
    if setup.epochs % 2 and "preference" in kinds:
        setup = replace(setup, epochs=2 * setup.epochs)
    models = setup.panel.models
    judged = (replace(arm, judge=arm.judge or judge_of(arm.models or models, models)) for arm in setup.arms)
    arms = with_liars(tuple(judged), setup.liars, seats=setup.panel.seats, model=setup.liar_model)
    if setup.order_probe:
        if "option" not in kinds:
            raise BriefError("no question is of the kind option, so leave out the probe of their order")
        arms = with_order_probes(arms)
    return replace(setup, arms=arms), score


@dataclass(frozen=True, slots=True, kw_only=True)
class _Looked:
    """What some of the questions tell about all arms.

    Attributes:
        prices: the mean price of each debate, "" for first answers.
        ceilings: the highest that is usual.
        own: whose first answers are its own.
        thresholds: of each debate.
    """

    prices: Mapping[str, ArmPrice]
    ceilings: Mapping[str, ArmPrice]
    own: Mapping[str, bool]
    thresholds: Mapping[str, float]


async def _look_at(workspace: Workspace, setup: Setup, questions: Sequence[Question], config: Config) -> _Looked:
    """Plan every arm on some of the questions.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    costings: dict[str, list[Costing]] = {}
    own: dict[str, bool] = {}
    thresholds: dict[str, float] = {}
    step = max(1, len(questions) // LOOKED_AT)  # from all parts of the data: documents may grow from line to line
    for question in questions[::step][:LOOKED_AT]:
        try:
            brief = brief_of(question, setup.panel, setup.panel.models, epoch=1, repeat=1)
            drafts = drafts_plan(brief, question)
            workspace.plan_stored(brief, drafts.name, None, ())  # checks the brief and every model
            costings.setdefault("", []).append(price_of(workspace, drafts))
            for arm in setup.arms:
                if arm.kind in COUNTED:
                    continue
                models = arm.models or setup.panel.models
                other = brief_of(question, setup.panel, models, epoch=1, repeat=1)
                plan = await arm_plan(workspace, arm, other, question, config)
                own[arm.name] = own.get(arm.name, False) or not shares_drafts(plan, drafts)
                thresholds[arm.name] = max(thresholds.get(arm.name, 0.0), own_threshold(plan.protocol))
                costings.setdefault(arm.name, []).append(price_of(workspace, plan))
        except FolkmootError as error:
            raise BriefError(f"question {question.id[:60]!r}: {error}") from error
    if alone := next((arm for arm in setup.arms if own.get(arm.gates)), None):
        problem = f"{alone.gates} begins with first answers of its own, which no other arm has"
        raise BriefError(f"arm {alone.name!r}: {problem}; gate a panel", code="inconsistent")
    return _Looked(
        prices={name: _mean(values) for name, values in costings.items()},
        ceilings={name: _mean(values, most=True) for name, values in costings.items()},
        own=own,
        thresholds=thresholds,
    )


def _judging(
    workspace: Workspace, setup: Setup, data: StoredData, prices: Mapping[str, ArmPrice], labels: int
) -> ArmPrice:
    """What the judge of a rubric costs, if all answers of all arms and participants differ: each is judged once."""
    judged = [question for question in data.questions if question.kind == "rubric"]
    cases = [Case(question=question, rubric=SOME_WORDS, answer=SOME_WORDS) for question in judged[:LOOKED_AT]]
    plans = [case.plan(setup.rubric_judge, setup.panel.seed) for case in cases]
    one = _mean([price_of(workspace, plan) for plan in plans])
    debates = sum(arm.kind not in COUNTED for arm in setup.arms)
    draws = min(MOST_DRAWS, math.ceil(2 * setup.panel.seats * rounds_of(setup, prices)))
    answers = draws + debates * (1 + setup.panel.seats)
    times = labels + len(judged) * setup.epochs * answers
    return ArmPrice(
        calls=one.calls * times,
        tokens=one.tokens * times,
        weighted=one.weighted * times,
        usd=None if one.usd is None else one.usd * times,
    )


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
