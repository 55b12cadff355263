"""A gate as an arm of an evaluation: a debate that takes place only where first answers are far enough apart.

How far is enough is learned from other questions than those that are judged by it: from those that the data keeps for
it (``split: learn``), else, for each tenth of the questions, from the other nine tenths. Nothing is asked for it. The
first answers and the debates of another arm are on record when the keys are opened, so a threshold reaches no prompt.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import cast

import numpy as np

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.grading import Grade, Grader, Part, answered_by, sampled
from folkmoot.app.evaluation.responses import Block, Draft
from folkmoot.app.evaluation.scores import Learning, Measure, Way
from folkmoot.app.questions.data_sets import Question
from folkmoot.evaluation.gates import CANDIDATES, DEFAULT, ENOUGH, Gated, choose, cross_validate
from folkmoot.phases.base import Phase
from folkmoot.policy.rounds import Close


def own_threshold(protocol: Phase) -> float:
    """The threshold below which a debate leaves out its rounds by itself; 0 where it always has them."""
    stops = [stop.threshold for stop in _stops(protocol)]
    return max(stops, default=0.0)


def _stops(value: object) -> list[Close]:
    if isinstance(value, Close):
        return [value]
    if isinstance(value, tuple):
        return [stop for item in cast("tuple[object, ...]", value) for stop in _stops(item)]
    if is_dataclass(value):
        return [stop for field in fields(value) for stop in _stops(getattr(value, field.name))]
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedDebate:
    """A gate, and what it chooses from.

    Attributes:
        arm: the gate.
        debate: the arm whose debates it takes.
        models: those of the evaluation.
        seats: how many first answers there are.
        least: the threshold of the debate itself; a lower one cannot be judged, because those debates are missing.
        score: the primary measure.
    """

    arm: Arm
    debate: Arm
    models: Sequence[str]
    seats: int
    least: float
    score: Measure

    @property
    def usual(self) -> float:
        """The threshold where nothing can be learned."""
        return max(DEFAULT, self.least)

    @property
    def candidates(self) -> tuple[float, ...]:
        """The thresholds that can be judged."""
        return tuple(threshold for threshold in CANDIDATES if threshold >= self.least)

    def undecided(self, blocks: Sequence[Block]) -> list[list[Part]]:
        """What the gate answers by the usual threshold, before anything is learned."""
        return self._by(self.usual, blocks)

    def learn(
        self, learned: Sequence[Block], judged: Sequence[Block], grader: Grader, seed: int
    ) -> tuple[list[list[Part]], Learning]:
        """What the gate answers to the judged questions, and how its threshold was learned.

        Args:
            learned: questions that are kept to learn on; () to learn by tenths of those that are judged.
            judged: the questions that count.
            grader: has the keys.
            seed: of the tenths.
        """
        known = learned or judged
        many = len({block.question.id for block in known})
        if many < ENOUGH or len({block.question.group or block.question.id for block in known}) < 2:
            return self.undecided(judged), self._learning("default", many, [self.usual])
        gated = self._gated(known, grader)
        if learned:
            threshold = choose(gated, self.candidates, cautious=True)
            return self._by(threshold, judged), self._learning("split", many, [threshold])
        folds = cross_validate(gated, self.candidates, cautious=True, seed=seed)
        debated = folds.debated.tolist()
        parts = [[self._part(block, debate=debate)] for block, debate in zip(judged, debated, strict=True)]
        return parts, self._learning("folds", many, folds.thresholds)

    def _by(self, threshold: float, blocks: Sequence[Block]) -> list[list[Part]]:
        """What the gate answers by a threshold."""
        spreads = [_spread(self._first(block), block.question) for block in blocks]
        return [[self._part(block, debate=own > threshold)] for block, own in zip(blocks, spreads, strict=True)]

    def _learning(self, way: Way, questions: int, thresholds: Sequence[float]) -> Learning:
        return Learning(
            arm=self.arm.name,
            gates=self.debate.name,
            way=way,
            questions=questions,
            low=min(thresholds),
            high=max(thresholds),
        )

    def _first(self, block: Block) -> Sequence[Draft]:
        """The first answers with which the debate begins, too."""
        return block.drafts[: self.seats]

    def _part(self, block: Block, *, debate: bool) -> Part:
        """The answer of the debate, or the vote over the first answers."""
        return answered_by(self.debate, block, self.models) if debate else sampled(block.question, self._first(block))

    def _gated(self, blocks: Sequence[Block], grader: Grader) -> Gated:
        """Both outcomes of each question, as losses."""

        def losses(*, debate: bool) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
            parts = [(block.question, self._part(block, debate=debate).response) for block in blocks]
            return np.array([_loss(grader.grade(question, response), self.score) for question, response in parts])

        return Gated(
            spread=np.array([_spread(self._first(block), block.question) for block in blocks]),
            without=losses(debate=False),
            debated=losses(debate=True),
            groups=[block.question.group or block.question.id for block in blocks],
        )


def _spread(drafts: Sequence[Draft], question: Question) -> float:
    """How far apart first answers are; as in a debate, one that cannot be read is never near enough."""
    if len(drafts) < 2 or any(draft.answer is None for draft in drafts):
        return math.inf
    if question.kind == "probability":
        forecasts = [float(draft.answer or 0) for draft in drafts]
        return round(max(forecasts) - min(forecasts), 12)
    return round(1 - max(Counter(draft.form for draft in drafts).values()) / len(drafts), 12)


def _loss(grade: Grade, score: Measure) -> float:
    """A grade as a loss: of credits with a minus sign."""
    return {"credit": -grade.credit, "log_loss": grade.loss or 0.0, "brier": grade.brier or 0.0}[score]
