"""The protocol ``forecast``: all forecast alone, debate only where they differ, and their mean is the result.

Recorded forecasts of different models came closer to the truth where those who differed had read each other's reasons.
The mean of probabilities, numbers or quantiles needs no vote, and what it was worth is scored once the truth is known.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Ruled
from folkmoot.core.text import counted
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.phases import base
from folkmoot.phases.base import Phase, Play, State, Undebated
from folkmoot.phases.choices import Choices
from folkmoot.phases.speak import AGAIN, ALONE, FIRST, HIDDEN, Everyone
from folkmoot.policy.rounds import THRESHOLD, AnyOf, Close, Showing, Unchanged
from folkmoot.protocols import compose
from folkmoot.protocols.compose import gated

ForecastKind: TypeAlias = Literal["probability", "number", "quantiles"]
ACTS = ("draft", "revise")
RULE = "mean"
"""What the rule is called in decisions."""

ARGUMENT = Field(name="ARGUMENT", help="your best argument, with its evidence")
BECAUSE = Field(name="BECAUSE", required=False, help="if your forecast has changed: the claim that changed it")

FORECASTS: Mapping[ForecastKind, tuple[Field, ...]] = {
    "probability": (Field(name="PROBABILITY", kind="number", low=0, high=1, help="how likely the answer is yes"),),
    "number": (Field(name="ESTIMATE", kind="number", help="the number that you expect"),),
    "quantiles": (
        Field(name="P10", kind="number", help="the true number is below it with a chance of one in ten"),
        Field(name="P50", kind="number", help="the true number is as likely below it as above it"),
        Field(name="P90", kind="number", help="the true number is above it with a chance of one in ten"),
    ),
}
"""What is asked for, by kind."""

CENTER: Mapping[ForecastKind, str] = {"probability": "PROBABILITY", "number": "ESTIMATE", "quantiles": "P50"}
"""The field by which forecasts are compared, by kind."""


def forecast(brief: Brief, choices: Choices) -> Phase:
    """All forecast alone; a round only where the forecasts differ by more than a threshold; their mean is the result.

    The brief says of what kind they are: a probability that the answer is yes (the default), a number, or quantiles.
    The threshold is that of ``gate``; numbers differ by a share of the largest one. One round by default, at most
    three. Brier and log score, or the error, are known once ``folkmoot learn resolve`` has the truth.
    """
    choices.no_turn_mode("forecast")
    if brief.options:
        raise ProtocolError(
            "forecast takes no options; ask for the probability that the answer is yes", about="options"
        )
    kind: ForecastKind = choices.forecast or "probability"
    first = Everyone(act="draft", task=FIRST, form=first_form(kind), view=ALONE, needs=1)
    answers = Showing(acts=ACTS, distinct=True, shuffle=True)
    form = Form(name="revision", fields=(BECAUSE, ARGUMENT, *FORECASTS[kind]))
    again = Everyone(act="revise", task=AGAIN, form=form, show=(answers,), view=HIDDEN)
    close = Close(
        acts=ACTS, field=CENTER[kind], threshold=THRESHOLD if choices.threshold is None else choices.threshold
    )
    usual = AnyOf(stops=(close, Unchanged(acts=ACTS, field=CENTER[kind])))
    size = (choices.rounds_before_vote("forecast", 1), len(brief.names("debater")))
    talk = compose.rounds((again,), brief, choices, acts=ACTS, usual=usual, size=size)
    return base.Sequence(parts=(first, gated(talk, close), Undebated(each=Pooled(kind=kind))))


def first_form(kind: ForecastKind) -> Form:
    """The form of a first forecast."""
    return Form(name="draft", fields=(ARGUMENT, *FORECASTS[kind]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """The mean of the newest forecasts that could be read; of quantiles the mean of each. Nobody is asked again.

    Attributes:
        kind: of what kind the forecasts are.
        acts: the acts that hold them.
        name: what it is called in paths.
    """

    kind: ForecastKind
    acts: tuple[str, ...] = ACTS
    name: str = "pool"

    def play(self, state: State) -> Play:
        """Give the mean."""
        yield Ruled(decision=self._decide(state.transcript))

    def _decide(self, transcript: Transcript) -> Decision:
        newest, firsts = (
            newest_forecasts(transcript, self.kind),
            newest_forecasts(transcript, self.kind, acts=self.acts[:1]),
        )
        if not newest:
            return Decision(status="no_decision", rule=RULE, how="no forecast could be read")
        middle = list(FORECASTS[self.kind]).index(_center(self.kind))
        mean = pooled(list(newest.values()))
        stated = ", ".join(f"{forecaster} {shown(values[middle])}" for forecaster, values in newest.items())
        how = f"the mean of {counted(len(newest), 'forecast')}: {stated}"
        if self.kind == "quantiles":
            how = f"{how}; one in ten below {shown(mean[0])}, one in ten above {shown(mean[2])}"
        first = shown(pooled(list(firsts.values()))[middle]) if firsts else ""
        if first and first != shown(mean[middle]):
            how = f"{how}; the mean of the first forecasts was {first}"
        decision = Decision(status="decided", rule=RULE, text=shown(mean[middle]), how=how, support=tuple(newest))
        return replace(decision, argument=_argument(transcript, newest, mean[middle], middle))


def _center(kind: ForecastKind) -> Field:
    return next(field for field in FORECASTS[kind] if field.name == CENTER[kind])


def _argument(transcript: Transcript, newest: Mapping[str, Sequence[float]], mean: float, middle: int) -> str:
    """The argument of whose forecast is nearest to the mean; the first of equals."""
    nearest = min(newest, key=lambda who: abs(newest[who][middle] - mean))
    turn = transcript.last(nearest, *ACTS)
    return str(read_field(turn, ARGUMENT.name) or "") if turn else ""


def newest_forecasts(
    transcript: Transcript, kind: ForecastKind, *, acts: Sequence[str] = ACTS
) -> dict[str, tuple[float, ...]]:
    """The newest forecast of each participant that could be read; quantiles have to rise."""
    newest: dict[str, tuple[float, ...]] = {}
    for turn in transcript.turns(*acts):
        if values := _values(turn, kind):
            newest[turn.by] = values
    return newest


def _values(turn: Turn, kind: ForecastKind) -> tuple[float, ...]:
    """The numbers of a forecast; () where one is missing or quantiles do not rise."""
    read = [read_field(turn, field.name) for field in FORECASTS[kind]]
    values = tuple(float(value) for value in read if isinstance(value, int | float))
    return values if len(values) == len(read) and list(values) == sorted(values) else ()


def kind_of(transcript: Transcript) -> ForecastKind | None:
    """Of what kind the forecasts of a debate are; None where nobody was asked for any."""
    names = {field.name for turn in transcript.all() if turn.ask and turn.ask.form for field in turn.ask.form.fields}
    return next((kind for kind, center in CENTER.items() if center in names), None)


def pooled(values: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """The mean of each number."""
    return tuple(math.fsum(column) / len(column) for column in zip(*values, strict=True))


def shown(value: float) -> str:
    """A forecast as text."""
    return f"{round(value, 4):.12g}"
