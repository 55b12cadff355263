"""What a round of debate turned: right, wrong and missing answers before and after, by question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from folkmoot.evaluation.paired import Interval, sign_test
from folkmoot.evaluation.quantiles import wilson

State: TypeAlias = Literal["right", "wrong", "none"]
Change: TypeAlias = tuple[State, State]
"""The states of an answer before and after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipRate:
    """Of the answers of one state, how many turned to the other; with its interval."""

    turned: int
    n: int
    interval: Interval

    @property
    def share(self) -> float:
        """The share that turned; 0 where there was none to turn."""
        return self.turned / self.n if self.n else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipTable:
    """First answers against last answers."""

    counts: Mapping[str, int]  # how many went from one state to another, such as ``wrong to right``
    to_right: FlipRate  # of the wrong answers, those that became right
    to_wrong: FlipRate
    questions_up: int  # on which more answers became right than wrong
    questions_down: int
    p: float  # by questions: the answers to one question are not independent of each other


def flip_table(questions: Sequence[Sequence[Change]]) -> FlipTable:
    """Count what turned, by question: the state of each answer before and after."""
    counts = Counter(" to ".join(change) for question in questions for change in question)
    net = [question.count(("wrong", "right")) - question.count(("right", "wrong")) for question in questions]
    up, down = sum(item > 0 for item in net), sum(item < 0 for item in net)
    return FlipTable(
        counts=dict(sorted(counts.items())),
        to_right=_rate(questions, "wrong", "right"),
        to_wrong=_rate(questions, "right", "wrong"),
        questions_up=up,
        questions_down=down,
        p=sign_test(up, down),
    )


def state_of(right: bool | None) -> State:
    """The state of an answer; None is an answer that is missing."""
    return "none" if right is None else "right" if right else "wrong"


def _rate(questions: Sequence[Sequence[Change]], before: State, after: State) -> FlipRate:
    """A ratio of sums over questions; Wilson's interval with as many answers as its standard error is worth."""
    pairs = [(question.count((before, after)), sum(first == before for first, _ in question)) for question in questions]
    turned, n = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    if not n:
        return FlipRate(turned=0, n=0, interval=Interval(low=0.0, high=1.0))
    share, units = turned / n, sum(pair[1] > 0 for pair in pairs)
    robust = sum((hits - share * size) ** 2 for hits, size in pairs) * units / max(units - 1, 1)
    worth = n * n * share * (1 - share) / robust if robust else units
    low, high = wilson(share * min(worth, n), min(worth, n))
    return FlipRate(turned=turned, n=n, interval=Interval(low=low, high=high))
