"""When to stop. This file owns the reasons for which rounds end before their number is full.

Stops read typed fields and statuses, never the likeness of texts: two opponents who repeat themselves have not agreed.
"""

from dataclasses import dataclass
from typing import Protocol

from moot.core.form import Value
from moot.core.transcript import Transcript, read_field
from moot.policy.answers import alike, normalise


class Stop(Protocol):
    """A reason to end rounds."""

    def met(self, transcript: Transcript) -> str:
        """The reason in words; "" as long as there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """All have answered and their newest answers are the same.

    Attributes:
        acts: the acts that hold answers.
        field: the field that holds the answer; "" for the whole text.
        of: how many must have answered.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    of: int = 2

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        answers = [answer_of(transcript, by, self.acts, self.field) for by in speakers(transcript, self.acts)]
        given = [answer for answer in answers if answer is not None]
        if len(given) >= self.of and len(given) == len(answers) and alike(given):
            return f"all {len(given)} give the same answer"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unchanged:
    """Everybody who spoke twice or more gave the same answer as the time before."""

    acts: tuple[str, ...]
    field: str = "ANSWER"

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        pairs = 0
        for by in speakers(transcript, self.acts):
            answers = [read_field(turn, self.field) for turn in transcript.turns(*self.acts, by=by)]
            if len(answers) < 2 or answers[-1] is None or answers[-2] is None:
                return ""
            if normalise(answers[-1]) != normalise(answers[-2]):
                return ""
            pairs += 1
        return "nobody changed the answer since the round before" if pairs else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The moderator's newest turn has this value in this field."""

    act: str = "moderate"
    field: str = "STATUS"
    value: str = "SETTLED"

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        turns = transcript.turns(self.act)
        if turns and read_field(turns[-1], self.field) == self.value:
            return f"{turns[-1].by} says {self.value}"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyOf:
    """Whichever of these comes first."""

    stops: tuple[Stop, ...]

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        for stop in self.stops:
            if reason := stop.met(transcript):
                return reason
        return ""


def speakers(transcript: Transcript, acts: tuple[str, ...]) -> tuple[str, ...]:
    """Who has spoken in these acts."""
    return tuple(turn.by for turn in transcript.latest(*acts))


def answer_of(transcript: Transcript, by: str, acts: tuple[str, ...], field: str) -> Value | None:
    """The newest answer of a speaker: that field, or with "" the whole text; None where it was not read."""
    turn = transcript.last(by, *acts)
    if turn is None:
        return None
    return read_field(turn, field) if field else turn.text
