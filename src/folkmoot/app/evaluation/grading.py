"""The grader: the only module that opens the keys, after all answers to a question are on record."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.evaluation.matching import Mixture, spread_evenly
from folkmoot.app.evaluation.responses import Block, Charge, Draft, Response, count
from folkmoot.app.evaluation.scores import Score, SeatScore
from folkmoot.app.questions.data_sets import Key, Question
from folkmoot.app.questions.quantities import normal_text, read_quantity
from folkmoot.core.errors import RecordError

CLIP = 0.01
"""The least probability that counts; without it one certain error would outweigh everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """How good a response is: credit from 0 to 1, and the losses of a probability. Nothing in it tells the truth."""

    credit: float
    loss: float | None = None
    brier: float | None = None


class Grader:
    """Grades responses by the keys of a file; or by ``marks``, credits of answers that something else has given.

    Args:
        path: the file of the keys, which ``StoredData.keep`` has written.

    Raises:
        RecordError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        try:
            keys = [msgspec.json.decode(line, type=Key) for line in path.read_bytes().splitlines()]
        except (OSError, msgspec.MsgspecError):
            raise RecordError(f"the keys cannot be read: {path}") from None
        self._keys: Mapping[str, Key] = {key.id: key for key in keys}
        self.marks: Mapping[tuple[str, str], float] = {}

    def grade(self, question: Question, response: Response) -> Grade:
        """The grade of a response; one without an answer counts as wrong.

        In a tie of m answers that holds the right one the credit is 1/m. A missing probability has the greatest loss.
        """
        key = self._keys[question.id]
        if question.kind == "probability":
            return _forecast(response.probability, outcome=int(key.truth))
        right = sum(self._credit(question, answer, key) for answer in response.answers)
        return Grade(credit=right / len(response.answers) if response.answers else 0.0)

    def right(self, question: Question, answer: str | None) -> bool | None:
        """Whether an answer is right; None where there is none. Of a probability: whether it is on the right side."""
        if answer is None:
            return None
        key = self._keys[question.id]
        if question.kind == "probability":
            return abs(float(answer) - int(key.truth)) < 0.5
        return self._credit(question, answer, key) > 0.5

    def _credit(self, question: Question, answer: str, key: Key) -> float:
        known = self.marks.get((question.id, answer))
        return float(_right(question, answer, key)) if known is None else known


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


def _forecast(probability: float | None, *, outcome: int) -> Grade:
    """Log loss with clipping, and the Brier score (Brier 1950), of the probability of 1."""
    if probability is None:
        return Grade(credit=0.0, loss=-math.log(CLIP), brier=1.0)
    hit = probability if outcome else 1 - probability
    credit = 0.5 if hit == 0.5 else float(hit > 0.5)
    return Grade(credit=credit, loss=-math.log(min(max(hit, CLIP), 1 - CLIP)), brier=(1 - hit) ** 2)


def mix(grades: Sequence[tuple[float, Grade]]) -> Grade:
    """The mean of grades, each with its share; the shares sum to 1."""
    losses = [(share, grade.loss) for share, grade in grades if grade.loss is not None]
    briers = [(share, grade.brier) for share, grade in grades if grade.brier is not None]
    return Grade(
        credit=math.fsum(share * grade.credit for share, grade in grades),
        loss=math.fsum(share * loss for share, loss in losses) if len(losses) == len(grades) else None,
        brier=math.fsum(share * brier for share, brier in briers) if len(briers) == len(grades) else None,
    )


# ---- the rows of an evaluation ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of what an arm answered to a question.

    Attributes:
        share: of the answer; the shares of all parts sum to 1.
        response: what was answered.
        charge: what that cost, in full.
        debated: whether participants saw answers of others.
    """

    share: float
    response: Response
    charge: Charge
    debated: bool = False


def counted(question: Question, drafts: Sequence[Draft], *, share: float = 1.0, debated: bool = False) -> Part:
    """What several independent answers say together."""
    response = count(question, [draft.answer for draft in drafts])
    if all(draft.failed for draft in drafts):
        response = Response(state="failed")
    charge = Charge.sum([draft.charge for draft in drafts])
    return Part(share=share, response=response, charge=charge, debated=debated)


def answered_by(arm: Arm, block: Block, models: Sequence[str]) -> tuple[Part, ...]:
    """What an arm that matches no cost answered to a question; ``models`` are those of the evaluation."""
    if arm.kind == "single":
        at = models.index(arm.model)
        return (counted(block.question, block.drafts[at : at + 1]),)
    if arm.kind == "sample":
        return (counted(block.question, block.drafts[: arm.size]),)
    debate = block.debates[arm.name][0]
    return (Part(share=1.0, response=debate.response, charge=debate.charge, debated=debate.debated),)


def mixed(arm: Arm, block: Block, place: int, mixture: Mixture) -> tuple[Part, ...]:
    """What an arm says that meets the cost of another one; ``place`` is that of the block in the mixture."""
    sizes = {mixture.low[place]: 1 - mixture.share}
    sizes[mixture.high[place]] = sizes.get(mixture.high[place], 0.0) + mixture.share
    draws, debated = block.draws(arm.name), any(debate.debated for debate in block.debates.get(arm.name, ()))
    return tuple(
        counted(block.question, draws[:size], share=share, debated=debated)
        for size, share in sizes.items()
        if share > 0
    )


def rows_of(arm: str, blocks: Sequence[Block], parts: Sequence[Sequence[Part]], grader: Grader) -> Iterator[Score]:
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
    for n, (block, inner) in enumerate(zip(blocks, parts, strict=True)):
        question, main = block.question, max(inner, key=lambda part: part.share)
        grade = mix([(part.share, grader.grade(question, part.response)) for part in inner])
        answers = main.response.answers
        yield Score(
            question=question.id,
            group=question.group or question.id,
            arm=arm,
            epoch=block.epoch,
            answer=answers[0] if len(answers) == 1 else None,
            credit=grade.credit,
            loss=grade.loss,
            brier=grade.brier,
            usd=charges[n].usd,
            tokens=tokens[n],
            calls=calls[n],
            state=main.response.state,
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
