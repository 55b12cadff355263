"""The scoreboard of an evaluation, as data: verdicts, arms, paired differences, flips, questions.

It is made once, by ``measure``; the terminal, the page and the JSON show the same values. Differences are turned so that
more is better. All intervals name their level.
"""

from dataclasses import dataclass
from typing import Final, Literal

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.scores import EvalPlan
from folkmoot.evaluation.flips import FlipTable
from folkmoot.evaluation.paired import Interval
from folkmoot.evaluation.verdicts import Word

VERSION: Final = 3
"""Of the JSON. New fields do not change it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmLine:
    """How one arm did.

    Attributes:
        arm: what it is.
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

    arm: Arm
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
        corrected: the interval at alpha by the number of debates; None where there is one verdict.
        p: the two-sided p value of this line alone.
        adjusted: the p value that the verdict goes by, adjusted for all verdicts (Holm); None for no rival.
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
    """The verdict on a debate, or on a debate and another one that is held as often as it costs (``rival``)."""

    arm: str
    rival: str
    word: Word
    sentence: str
    figures: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipLine:
    """First answers against last answers of an arm: those of participants, or the decision that follows from them."""

    arm: str
    of: Literal["seats", "decision"]
    flips: FlipTable


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
class Scoreboard:
    """All that is shown of an evaluation.

    Attributes:
        version: of this format.
        plan: what was planned; of one tag, as far as it is about its questions.
        plan_hash: the SHA-256 of the whole plan.
        exploratory: whether the plan was changed after the first call.
        questions: how many questions all arms answered.
        groups: how many groups of questions.
        charged_usd: what all arms would have cost alone; None where a price is unknown.
        paid_usd: what was paid, shared answers once.
        paid_tokens: the same in tokens.
        verdicts: for each debate of the plan, and for each debate that meets another's cost.
        arms: in the order of the plan.
        pairs: each debate against all other arms.
        flips: for each arm whose participants answered twice.
        by_question: each question for each debate and rival.
        notes: what a reader must know, in sentences.
    """

    version: int
    plan: EvalPlan
    plan_hash: str
    exploratory: bool
    questions: int
    groups: int
    charged_usd: float | None
    paid_usd: float | None
    paid_tokens: int
    verdicts: tuple[VerdictLine, ...]
    arms: tuple[ArmLine, ...]
    pairs: tuple[PairLine, ...]
    flips: tuple[FlipLine, ...]
    by_question: tuple[QuestionLine, ...]
    notes: tuple[str, ...]
