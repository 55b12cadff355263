"""Recall at the desk. This file owns what a brief says of it, who recalls, and from where.

It is off where a brief does not ask for it: what is recalled is shown to everybody, so independent drafts would lean
the same way, and a wrong or planted outcome would reach the next debate.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from moot.agents.toolkit import Errand, Kit, Tool
from moot.app.brief.names import free_name
from moot.app.brief.reader import Intake
from moot.app.plan.learning import lacks, shelf_of
from moot.app.plan.settings import Config, load_config, own_file
from moot.app.plan.toolbox import Give, no_tools
from moot.core.agent import Say, Scene, Seat
from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError
from moot.core.letters import flat
from moot.core.recall import LIBRARIAN, Finding
from moot.core.tool import ToolCall
from moot.learn.retriever import Librarian, Look
from moot.phases.choices import Memory
from moot.phases.helpers import librarian
from moot.record.store import Store
from moot.tools.feeds import Feeds

NAMES = ("Librarian", "Archivist", "Keeper of Memory")
"""What the librarian is called, as far as nobody else is called so."""

LONGEST_QUERY = 200
"""Characters of the topic that a tool is asked about."""


def memory_of(intake: Intake) -> Memory | None:
    """What a brief wants recalled; None where it does not ask for that.

    Raises:
        BriefError: settings of recall without it, or a librarian who shall not recall.
    """
    given, seated = intake.given, librarian(intake.brief)
    if not given.get("recall", bool(seated)):
        for name in ("history_limit", "feeds", "research"):
            if name in given:
                raise _misfit(intake, name, f"{name} goes with recall: yes")
        if seated:
            raise _misfit(intake, "recall", f"recall is no, but {seated} is a librarian")
        return None
    usual = Memory()
    return Memory(
        history=cast("int", given.get("history_limit", usual.history)),
        feeds=cast("tuple[str, ...]", given.get("feeds", ())),
        tools=cast("tuple[str, ...]", given.get("research", ())),
    )


def with_librarian(brief: Brief, memory: Memory | None) -> Brief:
    """The brief with somebody who recalls, where that is wanted and nobody described does; with the tools for it."""
    if memory is None:
        return brief
    if seated := librarian(brief):
        people = [replace(each, tools=memory.tools) if each.name == seated else each for each in brief.participants]
        return replace(brief, participants=tuple(people))
    name = free_name(NAMES, (each.name for each in brief.participants))
    who = Participant(name=name, role="Recalls earlier debates", seat=LIBRARIAN, duty="aide", tools=memory.tools)
    return replace(brief, participants=(*brief.participants, who))


def check_feeds(names: Sequence[str], config: Config | None) -> None:
    """Make sure that the owner has set the feeds that a brief names.

    Raises:
        BriefError: he has not.
    """
    known: Mapping[str, str] = (config or load_config()).feeds if names else {}
    for name in names:
        if name not in known:
            there = f"; there are {', '.join(known)}" if known else ""
            found = f"there is no feed {name[:60]!r}{there}; the owner sets them under feeds in {own_file()}"
            raise BriefError(found, code="bad_enum")


def recalling(
    brief: Brief, store: Store, config: Config | None, clock: Callable[[], float], give: Give = no_tools
) -> Mapping[str, Seat]:
    """The librarian's seat, by its name; nothing where nobody recalls.

    Args:
        brief: the brief, everybody seated.
        store: the records, beside which stands what was learned.
        config: the owner's settings; None to load them.
        clock: seconds since 1970.
        give: the tools of each participant.
    """
    name = librarian(brief)
    if not name:
        return {}
    feeds = (config or load_config()).feeds
    look = looking(give(brief.participant(name)))
    pulse, missing = Feeds(feeds).news, partial(lacks, store)
    return {name: Librarian(shelf=shelf_of(store), lacks=missing, pulse=pulse, look=look, clock=clock)}


def looking(tools: Sequence[Tool]) -> Look:
    """A way to look up a topic with all of these tools that take a query, one after the other.

    A use is a call on record, as that of a debater's tool is; it is made once, and it stands in the report.
    """

    async def look(scene: Scene, say: Say) -> tuple[Finding, ...]:
        found: list[Finding] = []
        arguments = json.dumps({"query": flat(scene.brief.topic)[:LONGEST_QUERY]}, ensure_ascii=False)
        for n, tool in enumerate((each for each in tools if "query" in str(each.spec.parameters)), start=1):
            call = ToolCall(id="", name=tool.spec.name, arguments=arguments)
            *_, called = await Kit([tool]).use(call, Errand(scene=scene, say=say, name=f"tool-{n}"))
            found.append(Finding(tool=tool.spec.name, text=called.text, sources=called.sources))
        return tuple(found)

    return look


def _misfit(intake: Intake, name: str, found: str) -> BriefError:
    return BriefError(found, where=intake.where, line=intake.lines.get(name, 0), code="inconsistent")
