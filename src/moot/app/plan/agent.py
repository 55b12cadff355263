"""The tools of a moderator of the type ToolAgent. This file owns which it gets where the brief names none for it."""

from dataclasses import replace

from moot.app.brief.reader import Intake
from moot.app.plan.settings import Config
from moot.app.plan.toolbox import check_tools
from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError

TOOLS = ("search", "rag", "summarizer")
"""What a tool agent may use, as far as it can be had: a search engine, documents."""


def equip(brief: Brief, intake: Intake, config: Config | None) -> Brief:
    """The brief with tools for its tool agent.

    Args:
        brief: the brief, everybody seated.
        intake: what its file says.
        config: the owner's settings; None to load them if they are needed.
    """
    if intake.given.get("mediator_type") != "toolagent":
        return brief
    people = [
        replace(each, tools=tuple(name for name in TOOLS if _can(each, name, brief, config)))
        if each.duty == "moderator" and "tool_usage" not in intake.own.get(each.name, {})
        else each
        for each in brief.participants
    ]
    return replace(brief, participants=tuple(people))


def _can(who: Participant, name: str, brief: Brief, config: Config | None) -> bool:
    try:
        check_tools(replace(brief, participants=(replace(who, tools=(name,)),)), config)
    except BriefError:
        return False
    return True
