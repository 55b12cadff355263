"""The values of memory: lessons of debates, owner's notes, search results, and tiers that decay with half-lives.

Memories that are used often decay more slowly. The strength of a memory halves after each half-life and never reaches
0, so old memories only rank lower. The figures are our choice, for an owner with some debates a week.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log2
from typing import Literal, TypeAlias

Tier: TypeAlias = Literal["fast", "medium", "slow", "archival"]

DAY = 86_400.0

HALF_LIFE: Mapping[Tier, float] = {
    "fast": 7 * DAY,
    "medium": 30 * DAY,
    "slow": 180 * DAY,
    "archival": 1825 * DAY,
}
"""Seconds after which a memory that nobody has used is half as strong."""

PROMOTED: Mapping[Tier, int] = {"fast": 0, "medium": 1, "slow": 3, "archival": 7}
"""How many uses lift a memory into a tier."""


def tier(uses: int) -> Tier:
    """The tier of a memory with this number of uses."""
    reached: Tier = "fast"
    for name, least in PROMOTED.items():
        if uses >= least:
            reached = name
    return reached


def score(age: float, uses: int, half_life: float) -> float:
    """How strong a memory is: ``2 ** (-age / half_life) * (1 + log2(1 + uses))``.

    Args:
        age: seconds since it was made or last used; negative ages count as 0, because clocks differ.
        uses: how often it was used.
        half_life: seconds, above 0.
    """
    return 2.0 ** (-max(0.0, age) / half_life) * (1 + log2(1 + max(0, uses)))


def strength(age: float, uses: int) -> float:
    """The score of a memory in the tier that its uses have lifted it to."""
    return score(age, uses, HALF_LIFE[tier(uses)])


Trust: TypeAlias = Literal["confirmed", "refuted", "unconfirmed", "quoted"]
"""How far an outcome can be believed: the truth came to be known and was the same, or another; it did not; or only
agents without a language model took part."""

Kind: TypeAlias = Literal["outcome", "pattern"]
"""What can be searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The owner's notes on a closed debate.

    Attributes:
        truth: the right answer, now that it is known; "" if it is not.
        domain: the kind of question.
        forgotten: whether nothing should be learned from it.
    """

    truth: str = ""
    domain: str = ""
    forgotten: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a debate.

    Attributes:
        topic: what was debated.
        protocol: its name.
        domain: the kind of question; "" if nobody has named one.
        status: how it ended.
        text: the decision in words.
        how: how it followed.
        strength: how many agreed, in a word.
        share: the winner's share of the weight, 0 to 1.
        dissent: who voted otherwise, with reasons.
        minority: the answers that lost.
        trust: how far it can be believed.
        seq: the entry of the decision; the last entry where there is none.
    """

    topic: str
    protocol: str
    domain: str
    status: str
    text: str
    how: str
    strength: str
    share: float
    dissent: tuple[str, ...]
    minority: tuple[str, ...]
    trust: Trust
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A critique that worked: its author accepted it, and then gave another answer.

    Attributes:
        critic: who criticised.
        author: whose answer it was.
        issue: what was criticised.
        suggestion: what would mend it; "" if nothing was suggested.
        before: the answer before.
        after: the answer after.
        because: the reason that the author gave for the change; "" if none was given.
        seq: the entry of the critique.
    """

    critic: str
    author: str
    issue: str
    suggestion: str
    before: str
    after: str
    because: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPattern:
    """A critique that failed: its author rejected it, or passed over it and kept its answer.

    Attributes:
        critic: who criticised.
        author: whose answer it was.
        issue: what was criticised.
        suggestion: what would mend it; "" if nothing was suggested.
        answer: the author's answer after it.
        rejected: whether the author rejected it by name.
        because: the words of the rejection; "" if it was passed over.
        seq: the entry of the critique.
    """

    critic: str
    author: str
    issue: str
    suggestion: str
    answer: str
    rejected: bool
    because: str
    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """A participant's answer in one turn.

    Attributes:
        who: the participant.
        player: the model that answered, or ``human``; "" if that is nobody's performance.
        seq: the entry of the answer.
        answer: what was held.
        confidence: what was given for it, 0 to 1; None if nothing was.
        last: whether it is the last that this participant held.
        right: whether it is the truth; None if that is not known.
    """

    who: str
    player: str
    seq: int
    answer: str
    confidence: float | None
    last: bool
    right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """The relation between two participants.

    Attributes:
        one: the first of the two in the brief.
        other: the second.
        players: the models that answered for them.
        agreed: whether they ended with the same answer; None if one of them has given none.
        moved_other: how often the first changed the second's answer.
        moved_one: how often the second changed the first's.
    """

    one: str
    other: str
    players: tuple[str, str]
    agreed: bool | None
    moved_other: int
    moved_one: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Performance:
    """How one participant did.

    Attributes:
        who: the participant.
        role: its role.
        player: the model that answered, or ``human``; "" if that is nobody's performance.
        answers: questions that it answered.
        missing: questions that it did not answer.
        changed: how often it changed its answer.
        won: whether its answer was chosen; None if nothing was decided.
        right: whether its last answer is the truth; None if that is not known.
    """

    who: str
    role: str
    player: str
    answers: int
    missing: int
    changed: int
    won: bool | None
    right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMatch:
    """One result between two models.

    Attributes:
        one: the model that got the score.
        other: the model that got the rest of it.
        score: 1 for a win, one half for a tie.
        weight: how many results it counts for: those of one debate come to 1 together.
        sides: the participants whom they played, in that order: a return has them the other way round.
    """

    one: str
    other: str
    score: float
    weight: float
    sides: tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """All that one debate teaches; ``at`` is when it ended, ``uses`` the debates that it recalled."""

    at: float
    outcome: Outcome
    patterns: tuple[Pattern, ...] = ()
    failed: tuple[FailedPattern, ...] = ()
    positions: tuple[Position, ...] = ()
    relations: tuple[Relation, ...] = ()
    performances: tuple[Performance, ...] = ()
    matches: tuple[ModelMatch, ...] = ()
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    """A search result.

    Attributes:
        debate: where it was learned.
        kind: an outcome, or a pattern of critique.
        n: its number among those of its kind in that debate, from 0.
        at: when that debate ended, in seconds since 1970.
        body: what is remembered: the fields of ``learn.lessons.Outcome`` or ``Pattern``.
        uses: how many later debates have recalled it.
        tier: how slowly it is forgotten.
        likeness: how alike what it is about and the query are, 0 to 1; 0 where they share no more than some words.
    """

    debate: str
    kind: Kind
    n: int
    at: float
    body: Mapping[str, object]
    uses: int = 0
    tier: Tier = "fast"
    likeness: float = 0.0
