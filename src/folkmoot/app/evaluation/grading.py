"""The grader: the only module that opens the keys, after all answers to a question are on record."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from pydantic import TypeAdapter, ValidationError

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.eval_setup import Setup
from folkmoot.app.evaluation.matching import Mixture, spread_evenly
from folkmoot.app.evaluation.responses import Block, Charge, Draft, Response, SeatAnswers, count
from folkmoot.app.evaluation.scores import EvalPlan, Lessons, Measure, PlannedArm, Score, SeatScore
from folkmoot.app.questions.data_sets import Key, Question
from folkmoot.app.questions.quantities import normal_text, read_quantity
from folkmoot.core.errors import RecordError
from folkmoot.evaluation.power import (
    Pilot,
    gain_of_repeats,
    interval_of_total,
    questions_needed_by,
    smallest_difference,
    spread_in_pilot,
)

CLIP = 0.01
"""The least probability that counts; without it one certain error would outweigh everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """How good a response is: credit from 0 to 1, and the losses of a probability. Nothing in it tells the truth."""

    credit: float
    loss: float | None = None
    brier: float | None = None


_KEY: Final = TypeAdapter(Key)


class Grader:
    """Grades responses by the keys of a file.

    ``marks`` says of an answer to a question with a rubric whether a judge found that it meets it.

    Args:
        path: the file of the keys, which ``StoredData.keep`` has written.

    Raises:
        RecordError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.marks: dict[tuple[str, str], bool] = {}
        try:
            lines = path.read_text("utf-8").splitlines()
            keys = [_KEY.validate_python({**json.loads(line)}) for line in lines]
        except (OSError, ValueError, TypeError, ValidationError):
            raise RecordError(f"the keys cannot be read: {path}") from None
        self._keys: Mapping[str, Key] = {key.id: key for key in keys}

    def grade(self, question: Question, response: Response) -> Grade:
        """The grade of a response; one without an answer counts as wrong.

        In a tie of m answers that holds the right one the credit is 1/m. A missing probability has the greatest loss.
        """
        key = self._keys[question.id]
        if question.kind == "probability":
            return _forecast(response.probability, outcome=int(key.truth))
        right = sum(self._right(question, answer, key) for answer in response.answers)
        return Grade(credit=right / len(response.answers) if response.answers else 0.0)

    def right(self, question: Question, answer: str | None) -> bool | None:
        """Whether an answer is right; None where there is none. Of a probability: whether it is on the right side."""
        if answer is None:
            return None
        key = self._keys[question.id]
        if question.kind == "probability":
            return abs(float(answer) - int(key.truth)) < 0.5
        return self._right(question, answer, key)

    def rubric(self, question: Question) -> str:
        """The rubric of a question, for its judge alone."""
        return self._keys[question.id].truth

    def _right(self, question: Question, answer: str, key: Key) -> bool:
        if question.kind == "rubric":
            return self.marks.get((question.id, answer), False)
        return _right(question, answer, key)


# ---- the rows of an evaluation ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of what an arm answered to a question.

    Attributes:
        share: of the answer; the shares of all parts sum to 1.
        response: what was answered.
        charge: what that cost, in full.
        debate: the arm whose debate it is; "" for independent answers.
        debated: whether participants saw answers of others.
    """

    share: float
    response: Response
    charge: Charge
    debate: str = ""
    debated: bool = False


def sampled(question: Question, drafts: Sequence[Draft], *, share: float = 1.0) -> Part:
    """What several independent answers say together."""
    response = count(question, [draft.answer for draft in drafts])
    if all(draft.failed for draft in drafts):
        response = Response(state="failed")
    return Part(share=share, response=response, charge=Charge.sum([draft.charge for draft in drafts]))


def answered_by(arm: Arm, block: Block, models: Sequence[str]) -> Part:
    """What an arm that matches no cost answered to a question; ``models`` are those of the evaluation."""
    if arm.kind == "single":
        at = models.index(arm.model)
        return sampled(block.question, (block.ordered if arm.probes else block.drafts)[at : at + 1])
    if arm.kind == "sample":
        return sampled(block.question, block.drafts[: arm.size])
    debate = block.debates[arm.name]
    return Part(share=1.0, response=debate.response, charge=debate.charge, debate=arm.name, debated=debate.debated)


def answers_to(block: Block, parts: Iterable[Sequence[Part]], draws: int) -> Iterator[str]:
    """All answers that a judge grades by a rubric: of arms, of participants first and last, and of so many draws."""
    if block.question.kind != "rubric":
        return
    yield from (answer for inner in parts for part in inner for answer in part.response.answers)
    seats = (seat for debate in block.debates.values() for seat in debate.seats)
    yield from (answer for seat in seats for answer in (seat.first, seat.last) if answer is not None)
    yield from (answer for debate in block.debates.values() for answer in debate.response.answers)
    yield from (draft.answer for draft in block.drafts[:draws] if draft.answer is not None)


def mixed(block: Block, place: int, mixture: Mixture) -> tuple[Part, ...]:
    """What first answers say at the cost of another arm; ``place`` is that of the block in the mixture."""
    sizes = {mixture.low[place]: 1 - mixture.share}
    sizes[mixture.high[place]] = sizes.get(mixture.high[place], 0.0) + mixture.share
    return tuple(
        sampled(block.question, block.drafts[:size], share=share) for size, share in sizes.items() if share > 0
    )


def rows_of(arm: str, blocks: Sequence[Block], parts: Sequence[Sequence[Part]], grader: Grader) -> list[Score]:
    """The rows of one arm.

    Args:
        arm: its name.
        blocks: the questions, whole.
        parts: for each block what it answered.
        grader: has the keys.
    """
    charges = [Charge.sum([part.charge.times(part.share) for part in inner]) for inner in parts]
    tokens = spread_evenly([charge.tokens for charge in charges])
    calls = spread_evenly([charge.calls for charge in charges])
    rows: list[Score] = []
    for n, (block, inner) in enumerate(zip(blocks, parts, strict=True)):
        question, main = block.question, max(inner, key=lambda part: part.share)
        response = main.response
        grade = mix([(part.share, grader.grade(question, part.response)) for part in inner])
        rows.append(
            Score(
                question=question.id,
                group=question.group or question.id,
                arm=arm,
                epoch=block.epoch,
                answer=response.answers[0] if len(response.answers) == 1 else None,
                credit=grade.credit,
                loss=grade.loss,
                brier=grade.brier,
                usd=charges[n].usd,
                tokens=tokens[n],
                calls=calls[n],
                state=response.state,
                debated=main.debated,
                record=block.records.get(main.debate, ""),
            )
        )
    return rows


def lessons_of(setup: Setup, blocks: Sequence[Block], grader: Grader) -> Lessons:
    """How the arms of an evaluation did on questions that gates learn on, whole blocks."""
    arms = [arm for arm in setup.arms if not arm.match and arm.kind != "learned_gate"]
    parts = {arm.name: [[answered_by(arm, block, setup.panel.models)] for block in blocks] for arm in arms}
    return Lessons(
        scores=tuple(row for name, own in parts.items() for row in rows_of(name, blocks, own, grader)),
        seats=tuple(seats_of([arm.planned() for arm in arms], blocks, grader, 0)),
    )


MOST_DRAWS: Final = 30
"""The most independent answers of a question that are kept for the curve over their number; a third of forecasts."""


def kept_draws(blocks: Sequence[Block]) -> int:
    """How many independent answers are kept, as many for each question, so that each point of a curve is over all."""
    most = MOST_DRAWS // 3 if any(block.question.kind == "probability" for block in blocks) else MOST_DRAWS
    return min([most, *(len(block.drafts) for block in blocks)])


def seats_of(arms: Sequence[PlannedArm], blocks: Sequence[Block], grader: Grader, many: int) -> Iterator[SeatScore]:
    """The first and last answers of the participants of all debates, and so many answers that sampling draws from."""
    draws = next((arm.name for arm in arms if arm.kind == "sample"), "")
    for arm in arms:
        for block in blocks:
            seats = block.debates[arm.name].seats if arm.name in block.debates else ()
            if arm.name == draws:
                drafts = block.drafts[:many]
                seats = [SeatAnswers(seat=f"draw {n}", first=item.answer) for n, item in enumerate(drafts, start=1)]
            for seat in seats:
                yield SeatScore(
                    question=block.question.id,
                    group=block.question.group or block.question.id,
                    arm=arm.name,
                    epoch=block.epoch,
                    seat=seat.seat,
                    model=seat.model,
                    first=seat.first,
                    last=seat.last,
                    first_right=grader.right(block.question, seat.first),
                    last_right=grader.right(block.question, seat.last),
                )


def mix(grades: Sequence[tuple[float, Grade]]) -> Grade:
    """The mean of grades, each with its share; the shares sum to 1."""
    losses = [(share, grade.loss) for share, grade in grades if grade.loss is not None]
    briers = [(share, grade.brier) for share, grade in grades if grade.brier is not None]
    return Grade(
        credit=math.fsum(share * grade.credit for share, grade in grades),
        loss=math.fsum(share * loss for share, loss in losses) if len(losses) == len(grades) else None,
        brier=math.fsum(share * brier for share, brier in briers) if len(briers) == len(grades) else None,
    )


def _forecast(probability: float | None, *, outcome: int) -> Grade:
    """Log loss with clipping, and the Brier score (Brier 1950), of the probability of 1."""
    if probability is None:
        return Grade(credit=0.0, loss=-math.log(CLIP), brier=1.0)
    hit = probability if outcome else 1 - probability
    credit = 0.5 if hit == 0.5 else float(hit > 0.5)
    return Grade(credit=credit, loss=-math.log(min(max(hit, CLIP), 1 - CLIP)), brier=(1 - hit) ** 2)


def _right(question: Question, answer: str, key: Key) -> bool:
    match question.kind:
        case "number":
            own, truth = read_quantity(answer), read_quantity(key.truth)
            if own is None or truth is None:
                return False
            return own.same(truth, absolute=key.tolerance, relative=key.relative)
        case "text":
            return normal_text(answer) in {normal_text(form) for form in (key.truth, *key.accepted)}
        case _:
            return answer == key.truth


Rows = Sequence[Score]


def pilot_of(
    plan: EvalPlan,
    costs: Sequence[Sequence[Charge]],
    pairs: Sequence[tuple[Rows, Rows]],
    unit: int,
    *,
    total: int,
    effect: float,
) -> Pilot:
    """What the first questions tell about all of them.

    Args:
        plan: the plan.
        costs: for each question what it was charged.
        pairs: the rows of each debate and of a rival; the pair that spreads most counts. Repeats that the plan does not
            have only tell whether more of them would pay.
        unit: how many repeats are one measurement: 2 where both orders of a preference are.
        total: how many questions are put, also those to learn on.
        effect: by which factor groups of questions raise the variance.
    """
    charges = [Charge.sum(own) for own in costs]
    usd = [charge.usd for charge in charges if charge.usd is not None]
    times = plan.epochs // unit
    tables = [_differences(mine, rival, plan.score, unit) for mine, rival in pairs]
    spreads = [spread_in_pilot([fmean(values[:times]) for values in table]) for table in tables]
    spread = max(spreads, default=0.0)
    widest = tables[spreads.index(spread)] if spreads else []
    needed = questions_needed_by(spread, plan.margin, by_share=plan.score == "credit")
    smallest, gain = smallest_difference(spread * math.sqrt(effect), plan.planned), gain_of_repeats(widest, times)
    return Pilot(
        questions=len(charges),
        usd=interval_of_total(usd, total) if len(usd) == len(charges) else None,
        tokens=interval_of_total([charge.tokens for charge in charges], total),
        smallest=smallest,
        needed=math.ceil(effect * needed),
        repeated=None if gain is None else gain * smallest,
    )


def _differences(mine: Rows, rival: Rows, measure: Measure, unit: int) -> list[list[float]]:
    """The differences of two arms on each question, by repeat; so many repeats are one measurement."""
    field = {"credit": "credit", "log_loss": "loss", "brier": "brier"}[measure]
    by_question: dict[str, list[float]] = {}
    for own, other in zip(mine, rival, strict=True):
        by_question.setdefault(own.question, []).append((getattr(own, field) or 0.0) - (getattr(other, field) or 0.0))
    return [[fmean(values[at : at + unit]) for at in range(0, len(values), unit)] for values in by_question.values()]
