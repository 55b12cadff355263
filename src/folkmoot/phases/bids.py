"""Bids for the floor: their form, which bid wins, and interruptions of a turn.

A bid is visible only to its author, so nobody bids higher because of the bids of others.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.transcript import TARGET, Transcript, Turn, read_field
from folkmoot.phases.base import State
from folkmoot.phases.speak import SPOKEN, aimed, linked

LEAST = 1.0
"""A bid below this urgency is none."""

BID = Form(
    name="bid",
    fields=(
        Field(name=TARGET, kind="choice", required=False, help="the turn that you would answer"),
        Field(name="QUOTE", required=False, help="the words of it that you would answer, copied exactly"),
        Field(name="POINT", required=False, help="what you would say, in one sentence"),
        Field(name="URGENCY", kind="number", low=0, high=10, help="0 if you have nothing to add, 10 if it cannot wait"),
    ),
)
"""What somebody gives who may ask for the floor; only the urgency is worth a repair."""


def ask_bids(state: State, names: Sequence[str], *, task: str, first: int, view: View) -> list[Ask]:
    """One batch of asks for bids, each for the bidder's eyes only.

    Args:
        state: the state of the phase that asks.
        names: who may bid, in the order of asking.
        task: what the floor is for; ``{round}`` is replaced by the number of the round.
        first: the number of the first ask in this phase; the others follow it.
        view: which turns of the log go along; of these the bidder may name one.
    """
    return [
        Ask(
            key=state.key(n),
            to=name,
            act="bid",
            task=task.replace("{round}", str(state.round)),
            form=linked(BID, state, name, view),
            audience=(name,),
            view=view,
        )
        for n, name in enumerate(names, start=first)
    ]


def winner(turns: Sequence[Turn], transcript: Transcript) -> Turn | None:
    """The strongest of these bids; None if nobody wants to speak.

    Of equal bids, the one of the bidder with the fewest turns so far wins, then the first that was asked for. A bid
    that failed, or whose urgency is below LEAST or was not read, is none.
    """
    bids = [(urgency, turn) for turn in turns if (urgency := _urgency(turn)) >= LEAST]
    if not bids:
        return None
    return min(bids, key=lambda bid: (-bid[0], len(transcript.turns(*SPOKEN, by=bid[1].by))))[1]


class CuttingIn(NamedTuple):
    """Others bid to interrupt a turn; the strongest bidder speaks, and the interrupted speaker replies.

    Attributes:
        bidding: the task of the bidders.
        cutting: the task of the winner.
        replying: the task of the interrupted speaker; ``{name}`` is replaced by the winner's name.
        point: the form of the interruption.
        reply: the form of the reply.
        view: which turns of the log go along.
    """

    bidding: str
    cutting: str
    replying: str
    point: Form
    reply: Form
    view: View

    def play(self, state: State, turn: Turn, names: Sequence[str], first: int) -> Generator[list[Ask], None, int]:
        """Ask for the bids, the point and the reply; returns the number of the next ask.

        Args:
            state: the state of the phase that is interrupted.
            turn: the turn that is interrupted.
            names: who may bid; participants who cannot see the turn are not asked.
            first: the number of the first ask.
        """
        bidders = [name for name in names if name != turn.by and state.transcript.sees(name, turn)]
        if not bidders:
            return first
        asks = ask_bids(state, bidders, task=self.bidding, first=first, view=self.view)
        yield [replace(ask, form=aimed(BID, turn), about=(turn.key,)) for ask in asks]
        n = first + len(asks)
        won = winner([state.transcript.get(ask.key) for ask in asks], state.transcript)
        if won is None:
            return n
        # The bid says what was meant, and the log does not show it.
        laid, form = (turn.key, won.key), aimed(self.point, turn)
        key = state.key(n)
        yield [Ask(key=key, to=won.by, act="interrupt", task=self.cutting, form=form, about=laid, view=self.view)]
        cut_in = state.transcript.get(state.key(n))
        if cut_in.reply is None or not state.transcript.sees(turn.by, cut_in):
            return n + 1
        task, form = self.replying.replace("{name}", cut_in.by), aimed(self.reply, cut_in)
        key = state.key(n + 1)
        yield [Ask(key=key, to=turn.by, act="answer", task=task, form=form, about=(cut_in.key,), view=self.view)]
        return n + 2


def _urgency(turn: Turn) -> float:
    value = read_field(turn, "URGENCY")
    return 0.0 if isinstance(value, bool) or not isinstance(value, int | float) else float(value)
