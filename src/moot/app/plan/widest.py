"""The widest form of a brief, for estimates. This file owns what is played so that no debate can put more asks.

With nothing hidden, more answers never lead to fewer asks, so the play in which all answer and nobody agrees has the
most. Three things undo that: what somebody may not see is neither criticised nor scored by it; an own turn out of sight
is not revised; what a foreigner says is translated. How often they come depends on who wins a bid and whose answer
fails, which nobody knows before. So they are played at their most, each where the brief has it, and only there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from moot.app.plan.pretend import parts
from moot.core.ask import Ask
from moot.core.brief import Brief, Participant
from moot.phases.rethink import Revise
from moot.phases.revise import SUMMED
from moot.policy.pairing import Pairs
from moot.policy.turns import Reacting
from moot.protocols.board import Meeting
from moot.protocols.fishbowl import Bowl
from moot.protocols.grouped import Report
from moot.protocols.interrupt import Interruption
from moot.protocols.open_fight import Fight
from moot.protocols.parliament import Speech
from moot.protocols.spec import PARTS

OPEN = (Fight, Bowl, Speech, Interruption, Reacting, Meeting, Report)
"""The parts of a protocol in which it depends on bids, words or failures who speaks."""

HUBS = ("star", "sparse", "adaptive")
"""The topologies in which one has more to criticise than another, and who that is depends on whose answer failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Widest:
    """What the play with the most asks is played with.

    Attributes:
        brief: the brief, with nothing hidden, no view that keeps an own turn from being revised, and all debaters
            foreign where one is and it depends who speaks.
        alone: who may need a summary for itself, because something is hidden from it.
        open: whether it depends on bids, words or failures how often somebody is asked.
    """

    brief: Brief
    alone: tuple[str, ...] = ()
    open: bool = False

    def peers(self, who: Participant) -> Sequence[Participant]:
        """Who may come to be asked what this one is asked in the play."""
        # A mask can keep a moderator from a turn, which somebody else then rates, sums up or translates.
        like = [each for each in self.brief.participants if self.alone or each.duty == who.duty]
        return like if self.alone or self.open else [who]

    def apart(self, step: Sequence[Ask]) -> Sequence[Ask]:
        """The batch with a summary for each of those who may see something else than all others.

        Where two of them see the same, they read one summary, which may be translated: that comes to no more.
        """
        if not step or step[0].form != SUMMED:
            return step
        have = [ask.to for ask in step if ask.audience == (ask.to,)]
        new = [replace(step[0], to=name, audience=(name,)) for name in self.alone if name not in have]
        return [*step, *(replace(ask, key=f"{ask.key}-{ask.to}") for ask in new)]


def widest(brief: Brief, protocol: object) -> Widest:
    """The widest form of a brief under a phase tree."""
    found = list(parts(protocol))
    revised = any(isinstance(part, Revise) for part in found)
    open = any(isinstance(part, OPEN) or _leans(part) for part in found)
    masked = [each for each in brief.participants if each.hide or (each.view and each.view.hide)]
    if any(each.duty == "moderator" for each in masked):
        # Then it depends on what is hidden who sums up for the others.
        masked = list(brief.participants)
    tongues = [each.language for each in brief.participants if each.duty == "debater" and each.language]
    tongue = tongues[0] if tongues and (open or masked) else ""
    people = [
        replace(
            each,
            hide=(),
            view=None if revised or masked else each.view,
            language=each.language or (tongue if each.duty == "debater" else ""),
        )
        for each in brief.participants
    ]
    wide = replace(brief, participants=tuple(people))
    return Widest(brief=wide, alone=tuple(each.name for each in masked), open=open)


def _leans(part: object) -> bool:
    """Whether a part leans on one more than on others, or may, because it is none of ours."""
    return (isinstance(part, Pairs) and part.topology in HUBS) or type(part) not in PARTS.values()
