"""Plans for the patterns of a program. This file owns which phases a moderated debate and its companions take."""

from dataclasses import replace

from moot.core.brief import Brief
from moot.desk.cast import MODERATOR
from moot.desk.desk import Desk, Plan
from moot.desk.plans import plan_tree
from moot.phases.choices import Choices
from moot.phases.known import build


async def plan_moderated(desk: Desk, brief: Brief, seat: str, *, rounds: int) -> Plan:
    """A debate that a moderator settles.

    Args:
        desk: where it will be held.
        brief: the topic and its debaters; the built-in moderator joins them.
        seat: who answers for all who have no seat, the moderator too.
        rounds: the greatest number of rounds.

    Raises:
        BriefError: a seat that there cannot be.
        ProtocolError: fewer than two debaters.
    """
    brief = with_moderator(brief, seat)
    return await plan_tree(
        desk, brief, "moderated", lambda brief: build("moderated", brief, Choices(rounds=rounds)), (seat,)
    )


def with_moderator(brief: Brief, seat: str) -> Brief:
    """The brief with the built-in moderator in that seat."""
    return replace(brief, participants=(*brief.participants, replace(MODERATOR, seat=seat)))
