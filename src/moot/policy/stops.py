"""When to stop. This file owns the reasons for which rounds end before their number is full.

Stops read typed fields and statuses, never the likeness of texts: two opponents who repeat themselves have not agreed.
"""

from dataclasses import dataclass
from typing import Protocol

from moot.core.transcript import Transcript, Turn, read_field
from moot.policy.answers import alike, normalise, wording


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
        answers = [answer_of(turn, self.field) for turn in transcript.latest(*self.acts)]
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
        for newest in transcript.latest(*self.acts):
            answers = [wording(turn, self.field) for turn in transcript.turns(*self.acts, by=newest.by)]
            if len(answers) < 2 or answers[-1] is None or answers[-1] != answers[-2]:
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


def answer_of(turn: Turn, field: str) -> str | None:
    """What a turn answers, as it is compared: that field, or with "" the whole text; None where it was not read."""
    return wording(turn, field) if field else normalise(turn.text)
