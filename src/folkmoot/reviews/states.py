"""States of findings: the one table from what was checked and answered to what came of a finding.

A disagreement without a valid citation kills nothing, an agreement without one confirms nothing. There is no default:
what is missing, cut off or not readable is ``unchecked``, and so it stays contested.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

RULE = "findings"
"""The name of the rule by which a review is concluded, and of its protocol."""

COMPLETE = "every reviewer and every refuter gave an answer that could be read"
"""How a review was concluded in which nobody was missing."""

State: TypeAlias = Literal["survived", "contested", "retracted", "no_basis"]
STATES: tuple[State, ...] = get_args(State)

Verdict: TypeAlias = Literal["AGREE", "DISAGREE_EVIDENCE", "DISAGREE_CONCERN", "CANNOT_TELL", ""]
"""What a refuter says; "" where its answer is missing, was cut off or could not be read."""

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

ReplyWord: TypeAlias = Literal["RETRACT", "HOLD", ""]
"""What the finder replies to a refutation; "" where it was not asked, is silent or could not be read."""

REPLIES: tuple[ReplyWord, ...] = get_args(ReplyWord)

Ruling: TypeAlias = Literal["WITHDRAWN", "UPHELD", "SPLIT", ""]
"""What a judge says of a dispute; "" where the answer is missing or could not be read."""

RULINGS: tuple[Ruling, ...] = get_args(Ruling)

ANY: Final = None
"""In a row of the table: whatever it is."""


class Answers(NamedTuple):
    """What decides on a finding.

    Attributes:
        basis: whether the finder's citation is valid.
        verdict: what the refuter says.
        proof: whether the refuter's citation is valid.
        reply: what the finder replies.
    """

    basis: bool
    verdict: Verdict = ""
    proof: bool = False
    reply: ReplyWord = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """What came of a finding.

    Attributes:
        state: one of STATES.
        unchecked: whether nobody could check it.
    """

    state: State
    unchecked: bool = False


class _Line(NamedTuple):
    basis: bool | None
    verdict: Verdict | None
    proof: bool | None
    reply: ReplyWord | None
    came: Standing


TABLE: Sequence[_Line] = (
    _Line(False, ANY, ANY, ANY, Standing("no_basis")),
    _Line(True, "AGREE", True, ANY, Standing("survived")),
    _Line(True, "AGREE", False, ANY, Standing("contested")),
    _Line(True, "DISAGREE_EVIDENCE", True, "RETRACT", Standing("retracted")),
    _Line(True, "DISAGREE_EVIDENCE", True, "HOLD", Standing("contested")),
    _Line(True, "DISAGREE_EVIDENCE", True, "", Standing("contested")),
    _Line(True, "DISAGREE_EVIDENCE", False, ANY, Standing("contested")),
    _Line(True, "DISAGREE_CONCERN", ANY, ANY, Standing("contested")),
    _Line(True, "CANNOT_TELL", ANY, ANY, Standing("contested", unchecked=True)),
    _Line(True, "", ANY, ANY, Standing("contested", unchecked=True)),
)
"""The table. Exactly one row holds for all that can be answered."""


def rows_for(answers: Answers) -> list[Standing]:
    """What the rows of the table say that hold for these answers: exactly one."""
    return [
        row.came for row in TABLE if all(cell in (ANY, value) for cell, value in zip(row[:4], answers, strict=True))
    ]


def state_of(answers: Answers) -> Standing:
    """What came of a finding."""
    (came,) = rows_for(answers)
    return came


RULED: Mapping[Ruling, State] = {"WITHDRAWN": "retracted", "UPHELD": "survived", "SPLIT": "contested"}
"""What a judge's ruling makes of a finding."""


def disputed(state: Standing, ruling: Ruling, proof: bool) -> Standing:
    """What a dispute makes of a finding: without a ruling, or without a valid citation for it, what it was before."""
    return Standing(RULED[ruling]) if ruling and proof else state
