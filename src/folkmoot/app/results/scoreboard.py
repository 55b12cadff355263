"""The scoreboard of an evaluation, as data: arms, differences, verdicts, flips, seats, votes, calibration and curves.

It is made once, by ``measure``; the terminal, the page and ``summary.json`` show the same values. Differences are
turned so that more is better. All intervals name their level.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, Literal, TypeAlias, cast

from folkmoot.app.evaluation.scores import ArmKind, Currency, Measure
from folkmoot.evaluation.flips import FlipRate, State
from folkmoot.evaluation.paired import Interval
from folkmoot.evaluation.verdicts import Word

VERSION: Final = 1
"""Of ``summary.json``. New fields do not change it."""

Moment: TypeAlias = Literal["first", "last"]
"""Which answers of the participants are counted."""

FIRST: Final = "first"
LAST: Final = "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLine:
    """One arm.

    Attributes:
        name: what the tables call it.
        title: what it does.
        kind: the kind of arm.
        is_debate: whether it is judged as a debate.
        matches: the arm whose cost it meets; "" for none.
        own_drafts: whether its first answers are its own.
        score: the mean over all questions, an unread answer counting as wrong.
        interval: of the score alone; two arms are compared by their differences and never by these.
        without_unread: the score without the questions that it left unread; None where nothing is left.
        unread_right: the score if unread answers had been right.
        rows: how many answers were due: questions times repeats.
        tied: how many answers were ties.
        unread: how many could not be read.
        failed: how many failed.
        debated: in how many of the rows participants saw answers of others.
        usd: US dollars a question, as charged; None where a price is unknown.
        tokens: tokens a question, as charged.
        calls: model calls a question, as charged.
    """

    name: str
    title: str
    kind: ArmKind
    is_debate: bool
    matches: str
    own_drafts: bool
    score: float
    interval: Interval
    without_unread: float | None
    unread_right: float
    rows: int
    tied: int
    unread: int
    failed: int
    debated: int
    usd: float | None
    tokens: float
    calls: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PairLine:
    """A debate minus another arm, on the same questions.

    Attributes:
        arm: the debate.
        rival: the other arm.
        matched: whether it is a rival of the plan, bought for the cost of this debate.
        n: how many questions.
        difference: the mean.
        interval: of the difference.
        corrected: the interval at alpha by the number of debates; None where there is one debate.
        p: the two-sided p value; 1 where the interval holds 0.
        adjusted: the p value that the verdict goes by, adjusted for several debates (Holm); None for no rival.
        helped: questions on which the debate was better.
        hurt: questions on which it was worse.
        cost_ratio: the debate's cost by the other's; None where a cost is unknown.
        equal_cost: whether the costs are equal within 2%.
        smallest: the smallest difference that this data could show.
        needed: how many questions the margin needs, by the spread that was seen.
        without_unread: the difference without the questions that any of the two left unread.
        live: the interval that may be looked at after every question; None below 50 questions.
    """

    arm: str
    rival: str
    matched: bool
    n: int
    difference: float
    interval: Interval
    corrected: Interval | None
    p: float
    adjusted: float | None
    helped: int
    hurt: int
    cost_ratio: float | None
    equal_cost: bool
    smallest: float
    needed: int
    without_unread: float | None
    live: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictLine:
    """The verdict on one debate: the word and the whole sentence."""

    arm: str
    word: Word
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """How many answers went from one state to another."""

    before: State
    after: State
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLine:
    """First answers against last answers of an arm.

    Attributes:
        arm: the arm.
        of: the answers of participants, or the decision that follows from them.
        turned: the table.
        to_right: of the wrong answers those that became right.
        to_wrong: of the right answers those that became wrong.
        questions_up: questions with more answers turned right than wrong.
        questions_down: questions with more turned wrong than right.
        p: of as many against as many.
    """

    arm: str
    of: Literal["seats", "decision"]
    turned: tuple[Turned, ...]
    to_right: FlipRate
    to_wrong: FlipRate
    questions_up: int
    questions_down: int
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLine:
    """What a participant adds to the count of the answers, not to the talk.

    Attributes:
        arm: the arm.
        moment: which answers are counted.
        seat: the participant.
        model: its model.
        alone: its own mean score.
        left_out: what the count loses without it.
        left_out_interval: of that.
        shapley: the mean of what it adds over all orders; None beyond ten participants.
        shapley_interval: of that.
    """

    arm: str
    moment: Moment
    seat: str
    model: str
    alone: float
    left_out: float
    left_out_interval: Interval
    shapley: float | None
    shapley_interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoicesLine:
    """How many independent votes the participants of an arm are worth.

    Attributes:
        arm: the arm.
        moment: which answers are counted.
        voters: how many participants.
        effective: the effective number of independent votes; None below 50 questions, where it is not known.
        interval: of that.
        correlation: the mean correlation of being right.
        alpha: Krippendorff's alpha, agreement beyond chance; None where nothing can differ.
    """

    arm: str
    moment: Moment
    voters: int
    effective: float | None
    interval: Interval | None
    correlation: float | None
    alpha: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """Forecasts of one tenth: their mean, the share that came true with its interval, and how many they are."""

    forecast: float
    share: float
    interval: Interval
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationLine:
    """How far the probabilities of an arm can be taken at their word.

    Attributes:
        arm: the arm.
        n: how many forecasts.
        log_loss: the mean, in nats.
        brier: the mean squared error.
        reliability: the part of it that calibration would remove.
        resolution: the part that it gains by telling questions apart.
        uncertainty: the part that is the questions' own.
        ece: the expected calibration error over ten bins.
        perfect_ece: what a perfectly calibrated forecaster has with as many questions.
        bins: the reliability table.
    """

    arm: str
    n: int
    log_loss: float
    brier: float
    reliability: float
    resolution: float
    uncertainty: float
    ece: float
    perfect_ece: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The mean over all ways to draw k of the independent answers: its cost a question, its score, its interval."""

    arm: str
    k: int
    cost: float | None
    score: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontLine:
    """An arm minus the curve at its cost; it is above or below only where the interval leaves 0 out."""

    arm: str
    cost: float
    difference: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """What debating only above a threshold would have given: an estimate, and no test.

    Attributes:
        arm: the debate.
        threshold: how far apart first answers are, from 0 to 1; None for that which other questions chose, in tenths.
        share: the share of questions that is debated.
        calls: model calls a question.
        score: the mean score.
        chosen: whether it is the one to take: the default, or the learned one from 100 questions on.
    """

    arm: str
    threshold: float | None
    share: float
    calls: float
    score: float
    chosen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LiarLine:
    """What planted liars cost an arm: the mean loss of its score, with its interval.

    Attributes:
        arm: the honest debate.
        how: ``recount`` where the wrong answer that most others give was put into its ballots, ``run`` where the
            debate was run with liars at the table.
        moment: ``first`` for the vote over first answers; ``last`` for that over last answers, or a run's decision.
        liars: how many.
        lost: the mean loss.
        interval: of it.
    """

    arm: str
    how: Literal["recount", "run"]
    moment: Moment
    liars: int
    lost: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """An arm on a part of the questions: its score, or its difference from a rival. No verdict is read from it.

    Attributes:
        part: the tag of these questions, or on which side of a cut-off they are.
        questions: how many they are.
        arm: the arm.
        rival: the arm that is subtracted; "" for the score of the arm alone.
        value: the score, or the mean difference; above 0 the arm is better.
        interval: of it.
    """

    part: str
    questions: int
    arm: str
    rival: str
    value: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderLine:
    """A model alone with the options in the order of the data, minus the same with options in a random order.

    Attributes:
        arm: the model alone.
        rows: how many answers were given in both orders.
        changed: how many of them are others in the other order.
        difference: the mean; above 0 the order of the data is better.
        interval: of it.
    """

    arm: str
    rows: int
    changed: int
    difference: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLine:
    """One question: the debate's score minus the rival's, and the id of the debate on record."""

    question: str
    group: str
    arm: str
    rival: str
    difference: float
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthLine:
    """The difference after n questions, with the interval that may be looked at after every one."""

    arm: str
    rival: str
    n: int
    difference: float
    interval: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Scoreboard:
    """All that is shown of an evaluation.

    Attributes:
        version: of this format.
        name: of the evaluation.
        plan_hash: the SHA-256 of the plan.
        exploratory: whether the plan was changed after the first call.
        score: the primary measure.
        currency: in what costs are equal.
        margin: the smallest difference that matters.
        alpha: the level.
        looks: the shares of the questions at which a verdict may be read.
        seed: of the plan.
        prices_date: of the price list; "" for none.
        questions: how many questions all arms answered.
        planned: how many are planned.
        groups: how many groups of questions.
        epochs: repeats of each question.
        charged_usd: what all arms would have cost alone; None where a price is unknown.
        paid_usd: what was paid, shared answers once.
        paid_tokens: the same in tokens.
        verdicts: for each debate of the plan.
        arms: in the order of the plan.
        pairs: each debate against all other arms.
        flips: for each arm whose participants answered twice.
        seats: for each arm with several participants.
        voices: the same.
        calibration: for arms with probabilities.
        curve: of the arms that draw independent answers.
        front: each other arm against the curve at its cost.
        gates: for each debate.
        liars: for each debate.
        parts: by tag and by cut-off, where the data has them.
        orders: for each model alone, where the order of options was probed.
        by_question: each question for each debate and rival.
        growth: the differences as the questions came.
        notes: what a reader must know, in sentences.
    """

    version: int
    name: str
    plan_hash: str
    exploratory: bool
    score: Measure
    currency: Currency
    margin: float
    alpha: float
    looks: tuple[float, ...]
    seed: int
    prices_date: str
    questions: int
    planned: int
    groups: int
    epochs: int
    charged_usd: float | None
    paid_usd: float | None
    paid_tokens: int
    verdicts: tuple[VerdictLine, ...]
    arms: tuple[ArmLine, ...]
    pairs: tuple[PairLine, ...]
    flips: tuple[FlipLine, ...]
    seats: tuple[SeatLine, ...]
    voices: tuple[VoicesLine, ...]
    calibration: tuple[CalibrationLine, ...]
    curve: tuple[CurvePoint, ...]
    front: tuple[FrontLine, ...]
    gates: tuple[GateLine, ...]
    liars: tuple[LiarLine, ...]
    parts: tuple[PartLine, ...]
    orders: tuple[OrderLine, ...]
    by_question: tuple[QuestionLine, ...]
    growth: tuple[GrowthLine, ...]
    notes: tuple[str, ...]

    def as_data(self) -> Mapping[str, object]:
        """The scoreboard as JSON values."""
        return cast("Mapping[str, object]", asdict(self))
