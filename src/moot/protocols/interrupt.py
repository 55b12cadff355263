"""Interruptions, for any protocol: whoever bids highest answers words of the turn just made. This file owns them.

Behind each turn the others bid. The strongest bid gets one short turn, which quotes the words it answers, and whoever
was interrupted replies as shortly. A reply is not interrupted again, so that a round stays a round.
"""

from dataclasses import dataclass

from moot.core.brief import View
from moot.core.form import Form
from moot.core.roles import standing
from moot.phases.bids import CuttingIn
from moot.phases.endings import LOG
from moot.phases.forms import bound, clash, speech
from moot.phases.phases_base import Phase, Play, Table
from moot.protocols.weave import after_turns

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
        """Let each turn be interrupted, once; who has left the table neither cuts in nor is cut in on."""
        states = standing(table.brief.names("debater"), table.transcript.all())
        n, names = 1, [name for name, state in states.items() if not state.withdrawn]
        for turn in [turn for turn in map(table.transcript.get, table.focus) if turn.by in names]:
            scene = CuttingIn(
                bidding=self.bidding.replace("{speaker}", turn.by),
                cutting=self.interrupting.replace("{speaker}", turn.by),
                replying=self.answering.replace("{speaker}", "{name}"),
                point=CUTTING_IN,
                reply=speech(table.brief.options),
                view=self.view,
            )
            n = yield from scene.play(table, turn, names, n)


def with_interruptions(tree: Phase) -> Phase:
    """The protocol with an interruption behind each turn that argues or answers."""
    return after_turns(tree, Interruption(), acts=INTERRUPTED)
