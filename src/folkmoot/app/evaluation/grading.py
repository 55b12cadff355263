"""The grader: the only module that opens the keys, after all answers to a question are on record."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from folkmoot.app.evaluation.folder import read_lines
from folkmoot.app.evaluation.matching import spread_evenly
from folkmoot.app.evaluation.quantities import normal_text, read_quantity
from folkmoot.app.evaluation.questions import Key, Question
from folkmoot.app.evaluation.responses import Answered, Block, Charge, Parts, Response, exact_sum
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState, Score
from folkmoot.core.ask import Usage

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

    Raises:
        RecordError: the file of the keys cannot be read.
    """

    def __init__(self, keys: Path | Sequence[Key]) -> None:
        self._keys = {key.id: key for key in (read_lines(keys, Key) if isinstance(keys, Path) else keys)}
        self.marks: Mapping[tuple[str, str], float] = {}

    def grade(self, question: Question, response: Response) -> Grade:
        """The grade of a response; one without an answer counts as wrong.

        In a tie of m answers that holds the right one the credit is 1/m. A missing probability has the greatest loss;
        the others have log loss with clipping, and the Brier score (Brier 1950).
        """
        if question.kind != "probability":
            right = sum(self._credit(question, answer) for answer in response.answers)
            return Grade(credit=right / len(response.answers) if response.answers else 0.0)
        if response.probability is None:
            return Grade(credit=0.0, loss=-math.log(CLIP), brier=1.0)
        hit = response.probability if int(self._keys[question.id].truth) else 1 - response.probability
        credit = 0.5 if hit == 0.5 else float(hit > 0.5)
        return Grade(credit=credit, loss=-math.log(min(max(hit, CLIP), 1 - CLIP)), brier=(1 - hit) ** 2)

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
        if (marked := self.marks.get((question.id, answer))) is not None:
            return marked
        key = self._keys[question.id]
        match question.kind:
            case "number":
                own, truth = read_quantity(answer), read_quantity(key.truth)
                if own is None or truth is None:
                    return 0.0
                return float(own.same(truth, absolute=key.tolerance, relative=key.relative))
            case "text":
                return float(normal_text(answer) in map(normal_text, (key.truth, *key.accepted)))
            case _:
                return float(answer == key.truth)


def answers_to_grade(blocks: Sequence[Block], answered: Answered) -> Iterator[tuple[Question, str]]:
    """Every answer that is graded, once: those of arms, and of participants first and last."""
    seen: set[tuple[str, str]] = set()
    for place, block in enumerate(blocks):
        seats = [seat for held in block.debates.values() for debate in held for seat in debate.seats]
        answers = [answer for seat in seats for answer in (seat.first, seat.last) if answer is not None]
        for parts in answered.values():
            answers += [answer for _, response in parts[place] for answer in response.answers]
        for answer in answers:
            if (name := (block.question.id, answer)) not in seen:
                seen.add(name)
                yield block.question, answer


def result_of(
    plan: EvalPlan, blocks: Sequence[Block], answered: Answered, grader: Grader, used: Sequence[Usage]
) -> EvalResult:
    """The graded result of whole blocks, with a sum of what calls have used."""
    return EvalResult(
        plan=plan,
        scores=tuple(row for arm, parts in answered.items() for row in _rows(arm, blocks, parts, grader)),
        run=RunState(
            done=len(blocks),
            paid_usd=exact_sum([usage.cost for usage in used]),
            paid_tokens=sum(usage.input_tokens + usage.output_tokens for usage in used),
            paid_estimated=any(usage.estimated for usage in used),
        ),
    )


def _rows(arm: str, blocks: Sequence[Block], answered: Sequence[Parts], grader: Grader) -> Iterator[Score]:
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
            seats=tuple(
                replace(
                    seat,
                    first_right=grader.right(question, seat.first),
                    last_right=grader.right(question, seat.last),
                )
                for seat in main.seats
            ),
        )
