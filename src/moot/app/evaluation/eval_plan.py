"""The plan of an evaluation: read from ``check.toml`` or from options, priced, and what its questions can show.

The plan is fixed before the first call; its hash stands in the opening of every debate of the evaluation.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from moot.app.evaluation.arms import SAMPLING, Arm, default_arms, judge_of, read_arms, with_liars
from moot.app.evaluation.blocks import Panel, arm_plan, brief_of, drafts_plan, shares_drafts
from moot.app.evaluation.data_sets import Question, StoredData
from moot.app.evaluation.responses import OUTPUT
from moot.app.evaluation.rubrics import Case, Label, check_judge, read_labels
from moot.app.evaluation.scores import Currency, EvalPlan, Measure
from moot.app.plan.estimate import Costing, estimate
from moot.app.plan.settings import Config
from moot.app.run.prepare import live_models
from moot.app.run.workspace import Plan, Workspace
from moot.core.brief import MODELS, PARTICIPANTS, SEED
from moot.core.errors import BriefError, MootError
from moot.core.text import clean, slug, unknown_word
from moot.evaluation.power import (
    questions_needed,
    questions_needed_if_differ,
    smallest_difference,
    spread_of_share,
)
from moot.record.store import digest

MARGINS: Final[Mapping[Measure, float]] = {"credit": 0.05, "log_loss": 0.02, "brier": 0.01}
"""The smallest difference that matters where nobody says otherwise."""

DIFFER = 0.15
"""The share of questions on which only one of two arms is right, as long as nothing better is known."""

SPREADS: Final[Mapping[Measure, float]] = {"log_loss": 0.17, "brier": 0.07}
"""The standard deviation of differences of losses in recorded forecasts, as long as nothing better is known."""

SEATS = 3
"""How many take part where nobody says otherwise, and at least."""

NAMED_SO = "name must be one that a folder can have, of at most 100 characters"

SOME_WORDS = "word " * 60
"""A rubric and an answer as long as most are: the estimate sees neither."""

LOOKED_AT = 5
"""Questions from which the costs of all are estimated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """An evaluation as it was asked for.

    Attributes:
        name: its name.
        questions: the file or folder of its questions.
        panel: who answers.
        arms: what is compared.
        epochs: how often each question is put.
        score: the primary measure; None for the one that fits the questions.
        currency: in what costs are equal; None for the best that is known.
        margin: the smallest difference that matters; None for the usual one of the score.
        alpha: the level of a verdict.
        looks: the shares of the questions at which a verdict may be read.
        budget: US dollars that may be paid; None for any.
        liars: how many liars sit at the table of each debate, in an arm of its own for each number; () for none.
        liar_model: the model of the liars; "" for that of their seats.
        rubric_judge: the model that judges answers by a rubric; "" for none.
        labels: a file of answers that people have judged; None for none.
    """

    name: str
    questions: Path
    panel: Panel
    arms: tuple[Arm, ...]
    epochs: int = 1
    score: Measure | None = None
    currency: Currency | None = None
    margin: float | None = None
    alpha: float = 0.05
    looks: tuple[float, ...] = (1.0,)
    budget: float | None = None
    liars: tuple[int, ...] = ()
    liar_model: str = ""
    rubric_judge: str = ""
    labels: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file ``check.toml`` as it is written."""

    questions: str
    models: tuple[str, ...]
    name: str = ""
    seats: int | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    seed: int = 0
    epochs: int = 1
    score: Measure | None = None
    currency: Currency | None = None
    margin: float | None = None
    alpha: float = 0.05
    looks: tuple[float, ...] = (1.0,)
    budget: float | None = None
    liars: tuple[int, ...] = ()
    liar_model: str = ""
    rubric_judge: str = ""
    labels: str = ""
    arm: tuple[dict[str, object], ...] = ()


_FILE: Final = TypeAdapter(_File)


def read_setup(path: Path) -> Setup:
    """Read a file such as ``check.toml``; the questions are named from its folder.

    Raises:
        BriefError: it cannot be read, or says what cannot be.
    """
    where = path.name
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        known = list(_File.__dataclass_fields__)
        if strange := [name for name in data if name not in known]:
            raise BriefError(f"there is no key {strange[0]!r}; {unknown_word(strange[0], known)}", where=where)
        written = _FILE.validate_python(data)
    except (OSError, UnicodeDecodeError) as error:
        raise BriefError(f"cannot be read: {error}", where=where, code="no_file") from None
    except tomllib.TOMLDecodeError as error:
        raise BriefError(f"this is not TOML: {error}", where=where) from None
    except ValidationError as error:
        mistake = error.errors(include_url=False, include_input=False)[0]
        raise BriefError(f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}", where=where) from None
    try:
        return _check_setup(_setup_of(written, path))
    except BriefError as error:
        raise BriefError(error.found, where=where, code=error.code) from None


def _setup_of(written: _File, path: Path) -> Setup:
    """What a file says; other files are named from its folder.

    Raises:
        BriefError: an arm that cannot be.
    """
    return Setup(
        name=written.name or path.stem,
        questions=path.parent / written.questions,
        panel=_panel(written),
        arms=read_arms(written.arm, written.models) if written.arm else (),
        epochs=written.epochs,
        score=written.score,
        currency=written.currency,
        margin=written.margin,
        alpha=written.alpha,
        looks=written.looks,
        budget=written.budget,
        liars=written.liars,
        liar_model=written.liar_model,
        rubric_judge=written.rubric_judge,
        labels=path.parent / written.labels if written.labels else None,
    )


def _panel(written: _File) -> Panel:
    return Panel(
        models=written.models,
        seats=max(SEATS, len(written.models)) if written.seats is None else written.seats,
        temperature=written.temperature,
        max_tokens=written.max_tokens,
        seed=written.seed,
    )


def plain_setup(questions: Path, models: Sequence[str], *, name: str = "", seed: int = 0) -> Setup:
    """The evaluation of a file of questions, with the usual arms.

    Raises:
        BriefError: there is no model, or too many.
    """
    panel = Panel(models=tuple(models), seats=max(SEATS, len(models)), seed=seed)
    return _check_setup(Setup(name=name or questions.stem, questions=questions, panel=panel, arms=()))


def is_file_name(name: str) -> bool:
    """Whether an evaluation may have this name, which its folder has too."""
    plain = clean(name) == name == Path(name).name and not set(name) & set("\\\n\t")
    return plain and bool(name.strip(". ")) and len(name) <= 100


def _check_setup(setup: Setup) -> Setup:
    """The setup with its arms.

    Raises:
        BriefError: a value out of range.
    """
    panel = setup.panel
    arms = setup.arms or default_arms(panel.models, panel.seats)
    checks = {
        f"models must name 1 to {MODELS} models": 1 <= len(panel.models) <= MODELS,
        f"seats must be from {max(PARTICIPANTS.low, len(panel.models))} to {PARTICIPANTS.high}": max(
            PARTICIPANTS.low, len(panel.models)
        )
        <= panel.seats
        <= PARTICIPANTS.high,
        "epochs must be from 1 to 100": 1 <= setup.epochs <= 100,
        "margin must be above 0 and below 1": setup.margin is None or 0 < setup.margin < 1,
        "alpha must be above 0 and below 0.5": 0 < setup.alpha < 0.5,
        "looks must rise, from above 0 to 1": setup.looks == tuple(sorted(set(setup.looks)))
        and setup.looks[-1:] == (1.0,)
        and setup.looks[0] > 0,
        "budget must be 0 or more": setup.budget is None or 0 <= setup.budget < math.inf,
        f"seed must be from {SEED.low} to {SEED.high}": SEED.low <= panel.seed <= SEED.high,
        NAMED_SO: is_file_name(setup.name),
        "the temperature 0 makes all answers of a model equal; leave it out where independent answers are compared": (
            panel.temperature != 0 or not any(arm.kind in SAMPLING[1:] for arm in arms)
        ),
    }
    if wrong := next((problem for problem, fine in checks.items() if not fine), ""):
        raise BriefError(wrong, code="out_of_range")
    return replace(setup, arms=arms)


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
        smallest: the smallest difference that its questions show in 4 of 5 runs.
        needed: how many questions show the margin.
    """

    setup: Setup
    data: StoredData
    plan: EvalPlan
    prices: Mapping[str, ArmPrice]
    ceilings: Mapping[str, ArmPrice]
    labels: tuple[Label, ...] = ()
    judging: ArmPrice | None = None
    smallest: float
    needed: int

    @property
    def total(self) -> ArmPrice:
        """What to expect in all."""
        return self.expected(self.plan.planned * self.plan.epochs)

    def expected(self, blocks: int) -> ArmPrice:
        """What so many questions cost: first answers, debates without those they share, answers at the dearest's cost.

        Args:
            blocks: how many, repeats counted.
        """
        return self._priced(self.prices, blocks, self._rounds(self.prices))

    def usual(self, blocks: int) -> ArmPrice:
        """What so many questions usually stay below: every answer is as long as it may be, and rivals share none.

        Calls that fail, and those that ask for a form again, come on top.
        """
        return self._priced(self.ceilings, blocks, 2 * self._rounds(self.ceilings) + 1)

    def _rounds(self, prices: Mapping[str, ArmPrice]) -> float:
        """How many rounds of first answers reach the largest sample, and the cost of the dearest debate."""
        sizes = [arm.size / self.setup.panel.seats for arm in self.setup.arms]
        ratios = [
            price.weighted / prices[""].weighted for name, price in prices.items() if name and prices[""].weighted
        ]
        return max([1.0, *sizes, *ratios])

    def _priced(self, prices: Mapping[str, ArmPrice], blocks: int, rounds: float) -> ArmPrice:
        own = {arm.name for arm in self.plan.arms if arm.own_drafts or arm.liars}
        debates = {name: price for name, price in prices.items() if name}
        judged = blocks / (self.plan.planned * self.plan.epochs)
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


async def prepare_evaluation(
    workspace: Workspace, setup: Setup, data: StoredData, config: Config
) -> PreparedEvaluation:
    """Check every arm on some questions, price it, and fix the plan. Nothing is sent to any model.

    Raises:
        BriefError: an arm, a model or a question that cannot be.
    """
    setup, score = _with_score(setup, data)
    labels = _labels(setup, data)
    prices, ceilings, own = await _prices(workspace, setup, data.questions, config)
    margin = MARGINS[score] if setup.margin is None else setup.margin
    spread = SPREADS.get(score) or spread_of_share(DIFFER)
    plan = EvalPlan(
        name=setup.name,
        arms=tuple(arm.planned(own_drafts=own.get(arm.name, False)) for arm in setup.arms),
        score=score,
        currency=_chosen_currency(setup, prices),
        margin=margin,
        alpha=setup.alpha,
        looks=setup.looks,
        epochs=setup.epochs,
        planned=len(data.questions),
        questions_hash=data.questions_hash,
        keys_hash=data.keys_hash,
        prices_date=date.today().isoformat(),
        seed=setup.panel.seed,
        versions=_versions(setup, labels),
    )
    return PreparedEvaluation(
        setup=setup,
        data=data,
        plan=plan,
        prices=prices,
        ceilings=ceilings,
        labels=labels,
        judging=_judging(workspace, setup, data, len(labels)) if setup.rubric_judge else None,
        smallest=smallest_difference(spread, plan.planned),
        needed=_needed_questions(score, margin, spread),
    )


def _chosen_currency(setup: Setup, prices: Mapping[str, ArmPrice]) -> Currency:
    """The currency that was asked for, or the best that is known.

    Raises:
        BriefError: it needs prices that are not known.
    """
    currency = setup.currency or _currency(prices)
    if currency == "usd" and any(price.usd is None for price in prices.values()):
        raise BriefError("the currency usd needs the price of every model; use tokens", code="inconsistent")
    return currency


def _versions(setup: Setup, labels: Sequence[Label]) -> Mapping[str, str]:
    """What the plan's hash speaks of beside its own fields: Moot, who answers how, and who judges by a rubric."""
    rubric = {"rubric": digest(repr((setup.rubric_judge, labels)))} if setup.rubric_judge else {}
    return {"moot": version("moot"), "arms": digest(repr((setup.panel, setup.arms))), **rubric}


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
    return replace(setup, arms=arms), score


async def _prices(
    workspace: Workspace, setup: Setup, questions: Sequence[Question], config: Config
) -> tuple[dict[str, ArmPrice], dict[str, ArmPrice], dict[str, bool]]:
    """The mean price of each debate on some of the questions, "" for first answers, and the highest that is usual.

    Also: whose first answers are its own.
    """
    costings: dict[str, list[Costing]] = {}
    own: dict[str, bool] = {}
    step = max(1, len(questions) // LOOKED_AT)  # from all parts of the data: documents may grow from line to line
    for question in questions[::step][:LOOKED_AT]:
        try:
            brief = brief_of(question, setup.panel, setup.panel.models, epoch=1, repeat=1)
            drafts = drafts_plan(brief, question)
            workspace.plan_stored(brief, drafts.name, None, ())  # checks the brief and every model
            costings.setdefault("", []).append(price_of(workspace, drafts))
            for arm in setup.arms:
                if arm.kind in SAMPLING:
                    continue
                models = arm.models or setup.panel.models
                other = brief_of(question, setup.panel, models, epoch=1, repeat=1)
                plan = await arm_plan(workspace, arm, other, question, config)
                own[arm.name] = own.get(arm.name, False) or not shares_drafts(plan, drafts)
                costings.setdefault(arm.name, []).append(price_of(workspace, plan))
        except MootError as error:
            raise BriefError(f"question {question.id[:60]!r}: {error}") from error
    prices = {name: _mean(values) for name, values in costings.items()}
    return prices, {name: _mean(values, most=True) for name, values in costings.items()}, own


def _judging(workspace: Workspace, setup: Setup, data: StoredData, labels: int) -> ArmPrice:
    """What the judge of a rubric costs, if all answers of all arms and participants differ: each is judged once."""
    judged = [question for question in data.questions if question.kind == "rubric"]
    cases = [Case(question=question, rubric=SOME_WORDS, answer=SOME_WORDS) for question in judged[:LOOKED_AT]]
    plans = [case.plan(setup.rubric_judge, setup.panel.seed) for case in cases]
    one = _mean([price_of(workspace, plan) for plan in plans])
    debates = sum(arm.kind not in SAMPLING for arm in setup.arms)
    answers = len(setup.arms) + setup.panel.seats * (1 + debates)
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
        (play.most.calls, play.most.tokens, play.most.cost)
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
