"""The threshold of a gate, learned from the owner's resolved questions, and judged on those it was not learned from.

A past debate counts where its right answer is known, and both outcomes are: of the vote over the first answers, and
of the debate. So a gate that left a debate out teaches something only where all first answers were alike. What is
learned comes from memory, before the debate is opened; its record holds the number alone.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from folkmoot.app.plan.learning import memory_place, missing_lessons
from folkmoot.core.errors import RecordError
from folkmoot.core.text import percent
from folkmoot.core.transcript import normalise
from folkmoot.evaluation.gates import DEFAULT, ENOUGH, Gated, choose, cross_validate
from folkmoot.learn.memory_store import Item, MemoryStore
from folkmoot.learn.panels import Answers, credit, tops
from folkmoot.learn.tables import Place
from folkmoot.protocols.known import GATED
from folkmoot.record.store import Store

RIGHT = "right"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedQuestion:
    """A question whose right answer is known, with both outcomes.

    Attributes:
        spread: how far apart the first answers were, 0 to 1, as ``policy.rounds.spread`` counts.
        without: the loss of the vote over the first answers, 0 for a right one.
        debated: the loss after the debate.
    """

    spread: float
    without: float
    debated: float


async def learn_threshold(store: Store, topic: str = "") -> tuple[float, str]:
    """The threshold that past debates teach, and a sentence with its grounds.

    Args:
        store: the records, beside which stands what was learned.
        topic: the question that the threshold is for: nothing is learned from its own outcome.
    """
    location = memory_place(store)
    try:
        questions = [] if location is None else await asyncio.to_thread(read_questions, location, topic)
        missing = await missing_lessons(store)
    except RecordError as error:
        return DEFAULT, f"The threshold is {DEFAULT:g}, the default: memory cannot be read: {error}."
    threshold, grounds = choose_threshold(questions)
    return threshold, f"{grounds[:-1]}; {missing}." if missing else grounds


def choose_threshold(questions: Sequence[ResolvedQuestion]) -> tuple[float, str]:
    """The threshold for these questions: the learned one if there are enough, and it is no worse than the default.

    Each question is judged by the threshold that the other nine tenths choose; of thresholds that are as good, as far
    as one can tell, the one with the fewest debates is chosen.
    """
    if len(questions) < ENOUGH:
        few = f"learning one needs {ENOUGH} resolved questions, and there are {len(questions)}"
        return DEFAULT, f"The threshold is {DEFAULT:g}, the default: {few}."
    gated = Gated(
        spread=np.array([question.spread for question in questions]),
        without=np.array([question.without for question in questions]),
        debated=np.array([question.debated for question in questions]),
    )
    learned, threshold = cross_validate(gated, cautious=True), choose(gated, cautious=True)
    wrong, usual = float(learned.losses.mean()), float(gated.losses(DEFAULT).mean())
    other = f"{wrong:.1%} wrong and {percent(learned.share)} debated on questions that it was not learned from"
    default = f"the default {DEFAULT:g} has {usual:.1%} and {percent(gated.share(DEFAULT))}"
    if wrong > usual:
        worse = f"one learned from {gated.n} resolved questions is worse, {other}; {default}"
        return DEFAULT, f"The threshold is {DEFAULT:g}: {worse}."
    return threshold, f"The threshold is {threshold:g}, learned from {gated.n} resolved questions: {other}; {default}."


def read_questions(place: Place, but: str = "") -> list[ResolvedQuestion]:
    """The resolved questions in memory; one that was debated again counts once, as it was debated last.

    Args:
        place: of memory.
        but: the question that is left out; "" for none.

    Raises:
        RecordError: memory cannot be read.
    """
    with MemoryStore.open(place) as memory:
        outcomes, answers = memory.bodies("outcome"), memory.bodies("position")
    by_debate: dict[str, list[Item]] = {}
    for item in answers:
        by_debate.setdefault(item.debate, []).append(item)
    questions: dict[str, ResolvedQuestion] = {}
    for outcome in outcomes:
        if outcome.body["protocol"] in GATED:
            question = _question(outcome, by_debate.get(outcome.debate, []))
            questions |= {normalise(str(outcome.body["topic"])): question} if question else {}
    return [question for topic, question in questions.items() if topic != normalise(but)]


def _question(outcome: Item, answers: Sequence[Item]) -> ResolvedQuestion | None:
    """What a debate teaches; None if its truth or one of the outcomes is not known, or no model took part."""
    first: dict[str, Item] = {}
    last: dict[str, Item] = {}
    for item in answers:
        first.setdefault(str(item.body["who"]), item)
        last[str(item.body["who"])] = item
    later = [_seq(item) for item in answers if item is not first[str(item.body["who"])]]
    known = all(item.body["right"] is not None for item in answers) and any(item.body["player"] for item in answers)
    if len(first) < 2 or not known or max(map(_seq, first.values())) > min(later, default=float("inf")):
        return None
    ballots = {debater: _ballot(item) for debater, item in first.items()}
    spread = (len(ballots) - max(Counter(ballots.values()).values())) / len(ballots)
    without = _loss(ballots)
    if not spread:
        return ResolvedQuestion(spread=0.0, without=without, debated=without)
    debated = _decision_loss(outcome, {debater: _ballot(item) for debater, item in last.items()}) if later else None
    return None if debated is None else ResolvedQuestion(spread=spread, without=without, debated=debated)


def _decision_loss(outcome: Item, ballots: Answers) -> float | None:
    """The loss of a decision: of a tie that of the last answers; None where its words cannot be compared."""
    match outcome.body["status"], outcome.body["trust"]:
        case "decided", "confirmed":
            return 0.0
        case "decided", "refuted":
            return 1.0
        case "tie", _:
            return _loss(ballots)
        case "decided", _:
            return None
        case _:
            return 1.0


def _loss(ballots: Answers) -> float:
    return 1 - credit(tops(ballots), RIGHT)


def _ballot(item: Item) -> str:
    return RIGHT if item.body["right"] else f"wrong: {normalise(str(item.body['answer']))}"


def _seq(item: Item) -> int:
    return cast("int", item.body["seq"])
