"""What votes weigh by what was measured before. This file owns the words that the phase, the seat and readers
share, and how an answer is read.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from moot.core.brief import Brief
from moot.core.transcript import Transcript, Turn

VoteWeights: TypeAlias = Literal["stated", "log_odds", "elo_calibration"]
"""What votes weigh by: what the brief states, the log-odds of measured accuracy, or Elo and calibration."""

WEIGH = "weigh"
"""The act of the turn that says what each vote weighs."""

TELLER = "builtin:teller"
"""The seat that weighs votes."""

METHOD = "METHOD"
"""The field with the name of the formula; its choice says which one is wanted."""

HOW = "HOW"
"""The field that says in a line how votes are weighed, or why all weigh the same."""

GROUNDS = "GROUNDS"
"""The field with what each weight rests on, a line for each voter."""


def weight_field(voter: str) -> str:
    """The name of the field with the weight of a voter; no other field of the form is called so."""
    return f"weight of {voter}"


def teller(brief: Brief) -> str:
    """The name of the one who weighs votes; "" where there is none."""
    return next((each.name for each in brief.participants if each.seat == TELLER), "")


def told(brief: Brief, transcript: Transcript) -> Turn | None:
    """The turn in which the teller was asked, answered or not; None where there is none."""
    who = teller(brief)
    return next((turn for turn in transcript.all() if turn.act == WEIGH and turn.by == who), None)


def given(turn: Turn) -> Mapping[str, float]:
    """What a turn that weighs votes has given: the field of each voter's weight to the weight.

    Empty where all weigh the same: there is no answer, it leaves somebody out, or nobody would weigh anything.
    """
    asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    values = {field.name: turn.fields.get(field.name) for field in asked if field.kind == "number"}
    read = {name: float(value) for name, value in values.items() if isinstance(value, int | float)}
    return read if len(read) == len(values) and any(read.values()) else {}
