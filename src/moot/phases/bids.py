"""Bids: who wants to speak, how urgently, and to what. This file owns their form and which bid wins.

A bid is for the eyes of the one who makes it, so that nobody raises his own because of another's.
"""

from collections.abc import Sequence

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.form import Field, Form
from moot.core.transcript import TARGET, Transcript, Turn, read_field
from moot.phases.base import Table
from moot.phases.forms import SPOKEN, linked

LEAST = 1.0
"""Whoever is less urgent than this does not want to speak."""

BID = Form(
    name="bid",
    fields=(
        Field(name="URGENCY", kind="number", low=0, high=10, help="0 (you have nothing to add) to 10 (it cannot wait)"),
        Field(name=TARGET, kind="choice", required=False, help="the turn that you would answer"),
        Field(name="QUOTE", required=False, help="the words of it that you would answer, copied exactly"),
        Field(name="POINT", required=False, help="what you would say, in one sentence"),
    ),
)
"""What somebody gives who may ask for the floor; only the urgency is worth a repair."""


def ask_bids(table: Table, names: Sequence[str], *, task: str, first: int, view: View) -> list[Ask]:
    """One batch of asks for bids, each for the bidder's eyes only.

    Args:
        table: where they are asked.
        names: who may bid, in the order of asking.
        task: what the floor is for; ``{round}`` stands for the number of the round.
        first: the number of the first ask in this phase; the others follow it.
        view: which turns of the log go along; of these the bidder may name one.
    """
    return [
        Ask(
            key=table.key(n),
            to=name,
            act="bid",
            task=task.replace("{round}", str(table.round)),
            form=linked(BID, table, name, view),
            audience=(name,),
            view=view,
        )
        for n, name in enumerate(names, start=first)
    ]


def winner(turns: Sequence[Turn], transcript: Transcript) -> Turn | None:
    """The strongest of these bids; None where nobody wants to speak.

    Of equal bids that of whoever has spoken least in the whole debate wins, then the first that was asked for. A bid
    that failed, or whose urgency is below LEAST or was not read, is none.
    """
    bids = [(urgency, turn) for turn in turns if (urgency := _urgency(turn)) >= LEAST]
    if not bids:
        return None
    return min(bids, key=lambda bid: (-bid[0], len(transcript.turns(*SPOKEN, by=bid[1].by))))[1]


def _urgency(turn: Turn) -> float:
    value = read_field(turn, "URGENCY")
    return 0.0 if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
