"""The plan of an evaluation and its scores, as values. No truth stands in them: a score says how good an answer was."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

import msgspec

from folkmoot.app.evaluation.arms import Arm
from folkmoot.record.store import digest

State: TypeAlias = Literal["answered", "tied", "unread", "failed"]
Measure: TypeAlias = Literal["credit", "log_loss", "brier"]
Currency: TypeAlias = Literal["usd", "tokens", "calls"]

# The bounds are checked where a file is read: files are edited, and two runs are put together.
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Look: TypeAlias = Annotated[float, msgspec.Meta(gt=0, le=1)]
Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one arm did on one question.

    Attributes:
        question: the question's id.
        group: what it shares with others; its own id where it stands alone.
        arm: the arm's name.
        epoch: the number of the repeat, from 1.
        answer: the answer in words; None where there is none.
        credit: from 0 (wrong) to 1 (right).
        loss: minus the logarithm of the probability that the truth was given; None without probabilities.
        brier: the squared error of the probability; None without probabilities.
        usd: US dollars as charged, which is as if the arm ran alone; None where a price is unknown.
        tokens: tokens as charged: those of prompts and 5 times those of answers.
        calls: model calls as charged.
        state: whether there is an answer.
        debated: whether participants saw answers of others.
        record: the id of the debate on record; "" for none.
    """

    question: str
    group: str
    arm: str
    epoch: Number
    answer: str | None
    credit: Share
    loss: Amount | None
    brier: Share | None
    usd: Amount | None
    tokens: Count
    calls: Count
    state: State
    debated: bool
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScore:
    """The first and the last answer of one participant of an arm, and whether each was right; None for no answer."""

    question: str
    group: str
    arm: str
    epoch: Number
    seat: str
    model: str
    first: str | None
    last: str | None
    first_right: bool | None
    last_right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """What was fixed before the first call.

    Attributes:
        name: the evaluation's name.
        arms: what is compared.
        score: the primary measure; credit is better when higher, the losses when lower.
        currency: in what costs are equal.
        margin: the smallest difference that matters, in the unit of the score.
        alpha: the level of a verdict.
        looks: the shares of the questions at which a verdict may be read; the last is 1.
        epochs: how often each question is put.
        planned: how many questions.
        questions_hash: of all questions in their order.
        keys_hash: of all truths in their order.
        prices_date: the date of the price list, ``2026-11-01``; "" for none.
        seed: the random seed.
        versions: of Folkmoot, and of who answers how.
    """

    name: str
    arms: tuple[Arm, ...]
    score: Measure
    currency: Currency
    margin: Annotated[float, msgspec.Meta(gt=0)]
    alpha: Annotated[float, msgspec.Meta(gt=0, lt=0.5)]
    looks: tuple[Look, ...]
    epochs: Number
    planned: Count
    questions_hash: str
    keys_hash: str
    prices_date: str
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def hash(self) -> str:
        """The SHA-256 of the plan's canonical JSON: keys sorted, no blanks."""
        return digest(msgspec.json.encode(self, order="sorted").decode())


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """All that a scoreboard needs.

    Attributes:
        plan: what was planned.
        scores: a row for each question, arm and repeat; only whole questions.
        seats: the answers of the participants.
        plan_changed: whether the plan was changed after the first call.
        paid_usd: what was paid in US dollars, shared answers once; None where a price is unknown.
        paid_tokens: the same in tokens, in and out.
        paid_estimated: whether both are estimates, because a provider did not count the tokens of every call.
        tags: the tags of questions that have some, by their ids.
        tag: only questions with this tag are in it; "" for all.
    """

    plan: EvalPlan
    scores: tuple[Score, ...]
    seats: tuple[SeatScore, ...]
    plan_changed: bool = False
    paid_usd: float | None = None
    paid_tokens: int = 0
    paid_estimated: bool = False
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    tag: str = ""
