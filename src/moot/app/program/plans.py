"""Plans for the faces: a brief and a phase tree become a debate. This file owns how a face gets one.

A face knows no phase. It asks the desk for a plan by what the plan is for; each face has a builder of its own.
"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from moot.app.plan.assignment import BUILTIN, assign, seat
from moot.app.plan.desk_checks import check_brief
from moot.app.plan.look import first_chat_model
from moot.app.plan.settings import default_store, load_config
from moot.app.plan.toolbox import check_tools
from moot.app.run.held import Plan
from moot.app.run.workspace import Desk
from moot.core.brief import Brief
from moot.core.text import clean_data
from moot.phases.phases_base import Phase
from moot.phases.phases_shares import Shares
from moot.protocols.council import (
    VOTING,  # a face takes them from here
    debate_step,
)

__all__ = ["VOTING"]


@asynccontextmanager
async def open_desk(store: Path | str | None = None) -> AsyncGenerator[Desk, None]:
    """A desk with the owner's settings, as long as the block runs.

    Args:
        store: the record's file, or the address of its database; None for the owner's.
    """
    config = load_config()
    desk = Desk.at(store or config.store or default_store())
    desk.config = config
    try:
        yield desk
    finally:
        await desk.close()


async def usual_models(desk: Desk, brief: Brief) -> tuple[str, ...]:
    """The model for those without a seat: the owner's, else the first of this machine, else the built-in seat."""
    if all(each.seat for each in brief.participants):
        return (BUILTIN,)
    model = desk.config.model if desk.config else ""
    return (model or await first_chat_model() or BUILTIN,)


async def plan_tree(
    desk: Desk, brief: Brief, name: str, make: Callable[[Brief], Phase], models: Sequence[str] = ()
) -> Plan:
    """Make a debate out of a brief and a phase tree: seat everybody, then build the tree.

    Args:
        desk: where the debate will be held; guests are lent to its pool before.
        brief: what is debated, and by whom.
        name: what the protocol is called in records and reports.
        make: the phase tree for the brief, everybody seated.
        models: for those without a seat, taken in turn; empty for the usual one.

    Raises:
        BriefError: a seat or a tool that there cannot be.
        ProtocolError: the tree cannot be built for these participants.
    """
    check_brief(brief)
    seated = assign(clean_data(brief), models or await usual_models(desk, brief))
    tree = make(seated)
    seat(seated, desk.pool)
    check_tools(seated, desk.config)
    return Plan(brief=seated, name=name, protocol=tree)


async def council_plan(desk: Desk, brief: Brief, *, voting: str, rounds: int, latest: bool = False) -> Plan:
    """The debate step of a council, as it is documented.

    Args:
        desk: where it will be held.
        brief: the task as its topic, the context as its background, the agents as its debaters.
        voting: how the winner is found, one of VOTING.
        rounds: the number of rounds behind the proposals.
        latest: whether the newest proposals stand for election; in the document the first do.

    Raises:
        BriefError: a seat or a tool that there cannot be.
        ProtocolError: an unknown strategy, or ``moderator`` without one.
    """

    def make(seated: Brief) -> Phase:
        return debate_step(seated, voting=voting, rounds=rounds, latest=latest)

    plan = await plan_tree(desk, brief, "debate_step", make)
    return replace(plan, chosen=step_choices(voting, latest=latest))


def step_choices(voting: str, *, latest: bool) -> tuple[str, ...]:
    """What was chosen about a debate step, in words; see ``council_plan``."""
    return f"decided by {voting}", f"the {'newest' if latest else 'first'} proposals stand for election"


async def shares_plan(desk: Desk, brief: Brief, name: str, tasks: Sequence[tuple[str, str]]) -> Plan:
    """Work that is shared out, as pairs of a participant's name and its task; at least one must answer.

    Raises:
        BriefError: a seat or a tool that there cannot be.
        ProtocolError: there is no task.
    """
    return await plan_tree(desk, brief, name, lambda seated: Shares(tasks=tuple(tasks), needs=1))
