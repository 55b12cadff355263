"""Recall at the desk. This file owns what a brief says of it, who recalls, and from where.

It is off where a brief does not ask for it: what is recalled is shown to everybody, so independent drafts would lean
the same way, and a wrong or planted outcome would reach the next debate.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from moot.core.brief import Brief, Participant
from moot.core.errors import BriefError
from moot.core.recall import LIBRARIAN
from moot.core.seat import Seat
from moot.desk.config import Config, load_config, own_file
from moot.desk.intake import Intake
from moot.desk.names import skeleton
from moot.learn.librarian import Librarian
from moot.phases.choices import Memory
from moot.phases.recall import librarian
from moot.seats.feeds import Feeds

NAMES = ("Librarian", "Archivist", "Keeper of Memory")
"""What the librarian is called, as far as nobody else is called so."""


def memory_of(intake: Intake) -> Memory | None:
    """What a brief wants recalled; None where it does not ask for that.

    Raises:
        BriefError: settings of recall without it, or a librarian who shall not recall.
    """
    given, seated = intake.given, librarian(intake.brief)
    if not given.get("recall", bool(seated)):
        for name in ("history_limit", "feeds"):
            if name in given:
                raise _misfit(intake, name, f"{name} goes with recall: yes")
        if seated:
            raise _misfit(intake, "recall", f"recall is no, but {seated} is a librarian")
        return None
    usual = Memory()
    return Memory(
        history=cast("int", given.get("history_limit", usual.history)),
        feeds=cast("tuple[str, ...]", given.get("feeds", ())),
    )


def with_librarian(brief: Brief, memory: Memory | None) -> Brief:
    """The brief with somebody who recalls, where that is wanted and nobody described does."""
    if memory is None or librarian(brief):
        return brief
    taken = [skeleton(each.name) for each in brief.participants]
    name = next(name for name in (*NAMES, f"{NAMES[0]} {len(taken)}") if skeleton(name) not in taken)
    who = Participant(name=name, role="Recalls earlier debates", seat=LIBRARIAN, duty="aide")
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
    brief: Brief, shelf: Path | None, config: Config | None, clock: Callable[[], float]
) -> Mapping[str, Seat]:
    """The librarian's seat, by its name; nothing where nobody recalls.

    Args:
        brief: the brief, everybody seated.
        shelf: the file with what was learned; None where there is none.
        config: the owner's settings; None to load them.
        clock: seconds since 1970.
    """
    name = librarian(brief)
    if not name:
        return {}
    feeds = (config or load_config()).feeds
    return {name: Librarian(shelf=shelf, pulse=Feeds(feeds).news, clock=clock)}


def _misfit(intake: Intake, name: str, found: str) -> BriefError:
    return BriefError(found, where=intake.where, line=intake.lines.get(name, 0), code="inconsistent")
