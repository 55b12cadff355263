"""How far apart answers are, and the stop of a gate: no round is needed where they are close.

Answers in words are as far apart as the share of those who do not give the most frequent one. Numbers from 0 to 1 are
as far apart as the greatest and the least; other numbers by the same distance, as a share of the largest of them.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from moot.core.ask import Field
from moot.core.transcript import Transcript, Turn, read_field
from moot.policy.rounds import answer_of, asks_for

THRESHOLD = 0.20
"""How far apart answers may be without a debate, where nobody has chosen or learned another number."""


def spread(turns: Sequence[Turn], field: str = "ANSWER") -> Fraction | None:
    """How far apart the answers of these turns are, from 0 (all the same) to 1.

    Args:
        turns: one of each participant.
        field: the field that holds the answer.

    Returns:
        The distance; None if there are fewer than two answers, or one could not be read.
    """
    answers = [answer_of(turn, field) for turn in turns]
    if len(answers) < 2 or None in answers:
        return None
    asked_field = _field(turns[0], field)
    if asked_field is not None and asked_field.kind == "number":
        values = [Fraction(str(read_field(turn, field))) for turn in turns]
        distance = max(values) - min(values)
        scale = Fraction(1) if (asked_field.low, asked_field.high) == (0, 1) else max(map(abs, values))
        return min(distance / scale, Fraction(1)) if distance else Fraction(0)
    return 1 - Fraction(max(Counter(answers).values()), len(answers))


def newest_with(transcript: Transcript, acts: Sequence[str], field: str) -> tuple[Turn, ...]:
    """The newest turn of each participant whose form asks for that field."""
    newest = {turn.by: turn for turn in transcript.turns(*acts) if asks_for(turn, field)}
    return tuple(newest.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """All have answered, and their newest answers are no further apart than the threshold.

    Attributes:
        acts: the acts that hold answers.
        field: the field that holds the answer.
        threshold: the greatest distance without a debate, 0 to 1; see ``spread``.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    threshold: float = THRESHOLD

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see ``policy.rounds.Stop``."""
        turns = newest_with(transcript, self.acts, self.field)
        distance = spread(turns, self.field)
        if distance is None or distance > Fraction(str(self.threshold)):
            return ""
        if not distance:
            return f"all {len(turns)} give the same answer"
        return f"the answers differ by {float(distance):.2f}, which is not more than {self.threshold:g}"


def _field(turn: Turn, name: str) -> Field | None:
    """The field of that name in the form of a turn."""
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return next((field for field in fields if field.name.casefold() == name.casefold()), None)
