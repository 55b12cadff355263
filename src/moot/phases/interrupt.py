"""Interruptions, for any protocol: whoever bids highest answers words of the turn just made. This file owns them.

Behind each turn the others bid. The strongest bid gets one short turn, which quotes the words it answers, and whoever
was interrupted replies as shortly. A reply is not interrupted again, so that a round stays a round.
"""

from dataclasses import dataclass, replace

from moot.core.ask import Ask
from moot.core.brief import View
from moot.core.form import Form
from moot.core.transcript import Turn
from moot.phases.base import Phase, Play, Table
from moot.phases.bids import BID, ask_bids, winner
from moot.phases.endings import LOG
from moot.phases.forms import aimed, bound, clash, speech
from moot.phases.weave import after_turns

INTERRUPTED = ("argue", "answer")
"""The acts that may be interrupted: not what all say at once before anybody is heard, and no closing statement."""

# Models seldom refuse a chance to speak, so the bid says what 0 is for.
BIDDING = (
    "{speaker} has just said what stands above. Do you interrupt? Bid high only if words of it are false, unfair or "
    "beside the point and should not stand for a moment: quote them. Bid 0 to let the debate go on."
)
INTERRUPTING = (
    "You interrupt {speaker}. Quote the exact words above that you answer, and say in at most three sentences what is "
    "wrong with them."
)
ANSWERING = "{speaker} has interrupted you with what stands above. Answer it in at most three sentences."

CUTTING_IN = bound(
    Form(name="interruption", fields=tuple(field for field in clash(()).fields if field.name != "ANSWER"))
)
"""What an interruption says: the quoted words, and what it does to them; no position is taken in passing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """An interruption of each turn in the table's focus, and the reply; ``{speaker}`` in a task is who is meant.

    Attributes:
        bidding: the task of those who may interrupt.
        interrupting: the task of whoever does.
        answering: the task of whoever was interrupted.
        view: which turns of the log go along.
        name: what it is called in paths.
    """

    bidding: str = BIDDING
    interrupting: str = INTERRUPTING
    answering: str = ANSWERING
    view: View = LOG
    name: str = "interruption"

    def play(self, table: Table) -> Play:
        """Let each turn be interrupted, once."""
        n = 0
        for key in table.focus:
            turn = table.transcript.get(key)
            others = [name for name in table.brief.names("debater") if _may(table, name, turn)]
            if not others:
                continue
            task = self.bidding.replace("{speaker}", turn.by)
            asks = ask_bids(table, others, task=task, first=n + 1, view=self.view)
            bids = [replace(ask, form=aimed(BID, turn), about=(key,)) for ask in asks]
            yield bids
            n += len(bids)
            won = winner([table.transcript.get(bid.key) for bid in bids], table.transcript)
            if won:
                n += 1
                yield [self._cut_in(table, n, won, turn)]
                cut = table.transcript.get(table.key(n))
                if cut.reply and _may(table, turn.by, cut):
                    n += 1
                    yield [self._answer(table, n, cut, turn)]

    def _cut_in(self, table: Table, n: int, bid: Turn, turn: Turn) -> Ask:
        return Ask(
            key=table.key(n),
            to=bid.by,
            act="interrupt",
            task=self.interrupting.replace("{speaker}", turn.by),
            form=aimed(CUTTING_IN, turn),
            about=(turn.key, bid.key),
            view=self.view,
        )

    def _answer(self, table: Table, n: int, cut: Turn, turn: Turn) -> Ask:
        return Ask(
            key=table.key(n),
            to=turn.by,
            act="answer",
            task=self.answering.replace("{speaker}", cut.by),
            form=aimed(speech(table.brief.options), cut),
            about=(cut.key,),
            view=self.view,
        )


def _may(table: Table, name: str, turn: Turn) -> bool:
    """Whether somebody may speak to a turn: it is another's, and he may see it."""
    return turn.by != name and table.transcript.sees(name, turn)


def with_interruptions(tree: Phase) -> Phase:
    """The protocol with an interruption behind each turn that argues or answers."""
    return after_turns(tree, Interruption(), acts=INTERRUPTED)
