"""The plan of an evaluation and its scores, as values. No truth stands in them: a score says how good an answer was."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import ClassVar, Literal, TypeAlias

from folkmoot.record.store import digest

State: TypeAlias = Literal["answered", "tied", "unread", "failed"]
ArmKind: TypeAlias = Literal["single", "sample", "adaptive", "rethink", "protocol", "learned_gate"]
Measure: TypeAlias = Literal["credit", "log_loss", "brier"]
Currency: TypeAlias = Literal["usd", "tokens", "calls"]

ADDED = ("liars", "honest", "gates", "probes")
"""Fields of a planned arm that the first plans did not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one arm did on one question.

    Attributes:
        question: the question's id.
        group: what it shares with others; its own id where it stands alone.
        arm: the arm's name.
        epoch: the number of the repeat, from 1.
        answer: the answer in words; None where there is none.
        credit: from 0 (wrong) to 1 (right); None where the kind of question has none.
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
    epoch: int
    answer: str | None
    credit: float | None
    loss: float | None
    brier: float | None
    usd: float | None
    tokens: int
    calls: int
    state: State
    debated: bool
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScore:
    """The first and the last answer of one participant of an arm, and whether each was right; None for no answer."""

    question: str
    group: str
    arm: str
    epoch: int
    seat: str
    model: str
    first: str | None
    last: str | None
    first_right: bool | None
    last_right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedArm:
    """One way to answer.

    Attributes:
        name: what the tables call it.
        kind: what it does.
        title: what it does, in words for a reader.
        is_debate: whether it is judged as a debate, against its rivals.
        matches: the arm whose cost it meets; "" for none.
        own_drafts: whether its first answers are its own, and not those that the other arms share.
        liars: how many of its participants are told to mislead the others.
        honest: the debate of which it has liars; "" for none.
        gates: the debate that it has take place only where a learned threshold says so; "" for none.
        probes: the arm of which this one sees the options in the order of the data; "" for none.
    """

    name: str
    kind: ArmKind
    title: str
    is_debate: bool = False
    matches: str = ""
    own_drafts: bool = False
    liars: int = 0
    honest: str = ""
    gates: str = ""
    probes: str = ""


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
        versions: of Folkmoot, and of the format.
        cutoffs: of models the date up to which they may know what was public, as far as somebody said it.
    """

    name: str
    arms: tuple[PlannedArm, ...]
    score: Measure
    currency: Currency
    margin: float
    alpha: float
    looks: tuple[float, ...]
    epochs: int
    planned: int
    questions_hash: str
    keys_hash: str
    prices_date: str
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    cutoffs: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def hash(self) -> str:
        """The SHA-256 of the plan's canonical JSON: keys sorted, no blanks, ASCII.

        Fields that later versions added count only where they are set, so a plan keeps its hash.
        """
        values = asdict(self)
        if not self.cutoffs:
            del values["cutoffs"]
        values["arms"] = [
            {name: value for name, value in arm.items() if value or name not in ADDED} for arm in values["arms"]
        ]
        return digest(json.dumps(values, sort_keys=True, separators=(",", ":")))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck:
    """How a model that judged answers by a rubric compares with labels of people.

    Attributes:
        model: the judge.
        labels: how many answers both have judged.
        agreed: how often they agree.
        said_right: how many the model called right.
        labelled_right: how many people called right.
        unread: how many judgements could not be read.
    """

    NEEDED: ClassVar[int] = 50
    """Labels without which there is no verdict."""

    model: str
    labels: int = 0
    agreed: int = 0
    said_right: int = 0
    labelled_right: int = 0
    unread: int = 0

    @property
    def enough(self) -> bool:
        """Whether there are enough labels for a verdict."""
        return self.labels >= self.NEEDED

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance (Cohen 1960); None where nothing can differ."""
        own, theirs = self.said_right / self.labels, self.labelled_right / self.labels
        chance = own * theirs + (1 - own) * (1 - theirs)
        return None if chance == 1 else (self.agreed / self.labels - chance) / (1 - chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the data says of a question beside what is asked: its tags, and since when its answer is public."""

    tags: tuple[str, ...] = ()
    known_since: str = ""


Way: TypeAlias = Literal["split", "folds", "default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """How the threshold of a gate was learned.

    Attributes:
        arm: the gate.
        gates: the debate that it has take place or leaves out.
        way: ``split`` on questions that are kept for it and that no arm is judged on; ``folds`` on nine tenths of the
            questions for each other tenth; ``default`` where they are too few.
        questions: on how many it was learned, or would have been.
        low: the threshold; with ``folds`` the lowest.
        high: the same; with ``folds`` the highest.
    """

    arm: str
    gates: str
    way: Way
    questions: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """How arms did on the questions that gates learn on: those that meet no other arm's cost, and learn nothing."""

    scores: tuple[Score, ...] = ()
    seats: tuple[SeatScore, ...] = ()


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
        judged_with_labels: whether a judging model was checked against enough labels of people; None if none judged.
        judge: how that model compares with people; None if none judged.
        learned: how the thresholds of gates were learned.
        facts: what the data says of questions, by their ids.
        tag: only questions with this tag are in it; "" for all.
        lessons: the same of the questions that gates learn on.
    """

    plan: EvalPlan
    scores: tuple[Score, ...]
    seats: tuple[SeatScore, ...]
    plan_changed: bool
    paid_usd: float | None
    paid_tokens: int
    judged_with_labels: bool | None
    judge: JudgeCheck | None = None
    learned: tuple[Learning, ...] = ()
    facts: Mapping[str, Facts] = field(default_factory=dict[str, Facts])
    tag: str = ""
    lessons: Lessons = Lessons()
    paid_estimated: bool = False
