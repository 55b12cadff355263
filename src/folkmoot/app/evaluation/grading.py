"""The grader: the only module that opens the keys, after all answers to a question are on record."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from folkmoot.app.evaluation.eval_files import read_lines
from folkmoot.app.evaluation.matching import spread_evenly
from folkmoot.app.evaluation.responses import Block, Charge, Parts, Response
from folkmoot.app.evaluation.scores import Score, SeatScore
from folkmoot.app.questions.data_sets import Key, Question
from folkmoot.app.questions.quantities import normal_text, read_quantity

CLIP = 0.01
"""The least probability that counts; without it one certain error would outweigh everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """How good a response is: credit from 0 to 1, and the losses of a probability. Nothing in it tells the truth."""

    credit: float
    loss: float | None = None
    brier: float | None = None


class Grader:
    """Grades responses by keys; or by ``marks``, credits of answers that something else has given.

    Args:
        keys: the file of the keys, or the keys.

    Raises:
        RecordError: it cannot be read.
    """

    def __init__(self, keys: Path | Sequence[Key]) -> None:
        known = read_lines(keys, Key) if isinstance(keys, Path) else keys
        self._keys = {key.id: key for key in known}
        self.marks: Mapping[tuple[str, str], float] = {}

    def grade(self, question: Question, response: Response) -> Grade:
        """The grade of a response; one without an answer counts as wrong.

        In a tie of m answers that holds the right one the credit is 1/m. A missing probability has the greatest loss.
        """
        if question.kind == "probability":
            return _forecast(response.probability, outcome=int(self._keys[question.id].truth))
        right = sum(self._credit(question, answer) for answer in response.answers)
        return Grade(credit=right / len(response.answers) if response.answers else 0.0)

    def mix(self, question: Question, parts: Parts) -> Grade:
        """The mean grade of several responses, each with its share."""
        grades = [(share, self.grade(question, response)) for share, response in parts]
        losses = [share * grade.loss for share, grade in grades if grade.loss is not None]
        briers = [share * grade.brier for share, grade in grades if grade.brier is not None]
        return Grade(
            credit=math.fsum(share * grade.credit for share, grade in grades),
            loss=math.fsum(losses) if losses else None,
            brier=math.fsum(briers) if briers else None,
        )

    def right(self, question: Question, answer: str | None) -> bool | None:
        """Whether an answer is right; None where there is none. Of a probability: whether it is on the right side."""
        if answer is None:
            return None
        if question.kind == "probability":
            return abs(float(answer) - int(self._keys[question.id].truth)) < 0.5
        return self._credit(question, answer) > 0.5

    def _credit(self, question: Question, answer: str) -> float:
        marked = self.marks.get((question.id, answer))
        return float(_is_right(question, answer, self._keys[question.id])) if marked is None else marked


def _is_right(question: Question, answer: str, key: Key) -> bool:
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


def _forecast(probability: float | None, *, outcome: int) -> Grade:
    """Log loss with clipping, and the Brier score (Brier 1950), of the probability of 1."""
    if probability is None:
        return Grade(credit=0.0, loss=-math.log(CLIP), brier=1.0)
    hit = probability if outcome else 1 - probability
    credit = 0.5 if hit == 0.5 else float(hit > 0.5)
    return Grade(credit=credit, loss=-math.log(min(max(hit, CLIP), 1 - CLIP)), brier=(1 - hit) ** 2)


# ---- the rows of an evaluation ---------------------------------------------------------------------------------------


def rows_of(arm: str, blocks: Sequence[Block], answered: Sequence[Parts], grader: Grader) -> Iterator[Score]:
    """The rows of one arm.

    Args:
        arm: its name.
        blocks: the questions, whole.
        answered: for each block what it answered.
        grader: has the keys.
    """
    charges = [Charge.sum([response.charge.times(share) for share, response in parts]) for parts in answered]
    tokens = spread_evenly([charge.tokens for charge in charges])
    calls = spread_evenly([charge.calls for charge in charges])
    for n, (block, parts) in enumerate(zip(blocks, answered, strict=True)):
        question, grade = block.question, grader.mix(block.question, parts)
        _, main = max(parts, key=lambda part: part[0])
        yield Score(
            question=question.id,
            group=question.group or question.id,
            arm=arm,
            epoch=block.epoch,
            answer=main.answers[0] if len(main.answers) == 1 else None,
            credit=grade.credit,
            loss=grade.loss,
            brier=grade.brier,
            usd=charges[n].usd,
            tokens=tokens[n],
            calls=calls[n],
            state=main.state,
            debated=main.debated,
            record=block.records.get(arm, block.rounds)[0],
        )


def seats_of(blocks: Sequence[Block], grader: Grader) -> Iterator[SeatScore]:
    """The first and last answers of the participants of all debates, one debate of each arm."""
    for arm in blocks[0].debates if blocks else ():
        for block in blocks:
            for seat in block.debates[arm][0].seats:
                yield SeatScore(
                    question=block.question.id,
                    group=block.question.group or block.question.id,
                    arm=arm,
                    epoch=block.epoch,
                    seat=seat.seat,
                    model=seat.model,
                    first=seat.first,
                    last=seat.last,
                    first_right=grader.right(block.question, seat.first),
                    last_right=grader.right(block.question, seat.last),
                )
