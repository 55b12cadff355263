"""The plan of an evaluation and its scores, as values. No truth stands in them: a score says how good an answer was."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, TypeAlias

import msgspec

from folkmoot.app.evaluation.setup import Currency, Measure, Setup
from folkmoot.record.store import digest

State: TypeAlias = Literal["answered", "tied", "unread", "failed"]

# The bounds are checked where a file is read: files are edited, and two runs are put together.
Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScore:
    """The first and the last answer of one participant, and whether each was right; None for no answer."""

    seat: str
    model: str = ""
    first: str | None
    last: str | None = None
    first_right: bool | None = None
    last_right: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one arm did on one question."""

    question: str
    group: str  # what it shares with others; its own id where it stands alone
    arm: str
    epoch: Number  # of the repeat
    answer: str | None
    credit: Share  # from 0 (wrong) to 1 (right)
    loss: Amount | None  # minus the logarithm of the probability that the truth was given
    brier: Share | None  # the squared error of the probability
    usd: Amount | None  # as charged, which is as if the arm ran alone; None where a price is unknown
    tokens: Count  # as charged: those of prompts and 5 times those of answers
    calls: Count
    state: State
    debated: bool  # whether participants saw answers of others
    record: str  # the id of the debate; "" for none
    seats: tuple[SeatScore, ...] = ()  # of a debate


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan(Setup):
    """What was fixed before the first call: all that was asked for, with what it left open."""

    score: Measure = "credit"  # credit is better when higher, the losses when lower
    currency: Currency = "usd"
    margin: Annotated[float, msgspec.Meta(gt=0)] = 0.05  # in the unit of the score
    planned: Count  # how many questions
    questions_hash: str
    keys_hash: str
    prices_date: str
    versions: Mapping[str, str] = field(default_factory=dict[str, str])  # of Folkmoot, and of the program of a task

    @property
    def hash(self) -> str:
        """The SHA-256 of the plan as JSON with sorted keys; a budget may be raised, and a file moved."""
        fixed = replace(self, questions="", budget=None)
        return digest(msgspec.json.encode(fixed, order="sorted").decode())


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """How far a run is, and what it has cost."""

    done: Count = 0  # whole questions, repeats counted
    plan_changed: bool = False  # after the first call
    paid_usd: float | None = None  # shared answers once; None where a price is unknown
    paid_tokens: int = 0
    paid_estimated: bool = False  # because a provider did not count the tokens of every call


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """All that a scoreboard needs."""

    plan: EvalPlan
    scores: tuple[Score, ...]  # a row for each question, arm and repeat; only whole questions
    run: RunState = RunState()
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    tag: str = ""  # only questions with this tag are in it; "" for all
