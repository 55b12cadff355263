"""When to stop. This file owns the reasons for which rounds end before their number is full.

Stops read typed fields and statuses, never the likeness of texts: two opponents who repeat themselves have not agreed.
"""

import re
from dataclasses import dataclass
from typing import Protocol

from moot.core.answers import alike, normalise, wording
from moot.core.transcript import Transcript, Turn, read_field, within
from moot.policy.claims import adds_nothing, asks


class Stop(Protocol):
    """A reason to end rounds."""

    def met(self, transcript: Transcript) -> str:
        """The reason in words; "" as long as there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Alike:
    """All have answered and their newest answers are the same.

    Attributes:
        acts: the acts that hold answers; a turn whose form does not ask for the field is passed over.
        field: the field that holds the answer; "" for the whole text.
        of: how many must have answered.
    """

    acts: tuple[str, ...]
    field: str = "ANSWER"
    of: int = 2

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        newest = {turn.by: turn for turn in transcript.turns(*self.acts) if _holds(turn, self.field)}
        answers = [answer_of(turn, self.field) for turn in newest.values()]
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
class NothingNew:
    """The last round brought no new claim, and nobody gave another answer than before.

    What comes before the first round counts as a round. Where somebody's turn is missing, or a claim could not be
    read, nobody knows whether it was new: the rounds go on.

    Attributes:
        acts: the acts that carry claims.
    """

    acts: tuple[str, ...]

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        spoken = [(_round(turn), turn) for turn in transcript.all() if turn.act in self.acts]
        rounds = list(dict.fromkeys(place for place, _ in spoken))
        held = [path for path in transcript.entered if re.search(r"/round-\d+$", path)]
        if spoken and held and not any(within(turn.key, held[-1]) for _, turn in spoken):
            return "nobody had anything to say in the last round"
        if len(rounds) < 2:
            return ""
        before = [turn for place, turn in spoken if place != rounds[-1]]
        if all(adds_nothing(turn, before) for place, turn in spoken if place == rounds[-1]):
            return "the last round brought no new claim and no other answer"
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The moderator's newest turn has this value in this field.

    Attributes:
        act: the moderator's act.
        field: the field that says so.
        value: what it must hold.
        saying: what follows behind the moderator's name in the reason; "" for ``says`` and the value.
    """

    act: str = "moderate"
    field: str = "STATUS"
    value: str = "SETTLED"
    saying: str = ""

    def met(self, transcript: Transcript) -> str:
        """The reason, or ""; see Stop."""
        turns = transcript.turns(self.act)
        if turns and read_field(turns[-1], self.field) == self.value:
            return f"{turns[-1].by} {self.saying or f'says {self.value}'}"
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


def _holds(turn: Turn, field: str) -> bool:
    """Whether a turn could give an answer: it has no form, or one that asks for the field."""
    return not field or turn.ask is None or turn.ask.form is None or asks(turn, field)


def _round(turn: Turn) -> str:
    """The outermost round in which a turn stands, as a path; "" outside rounds."""
    found = re.match(r".*?/round-\d+", turn.key)
    return found[0] if found else ""
