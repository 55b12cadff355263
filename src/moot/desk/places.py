"""Who has a place in the end. This file owns the checks across the participants, and who is added."""

from collections.abc import Mapping, Sequence
from typing import cast

from moot.core.brief import Participant
from moot.core.errors import BriefError
from moot.desk.cast import MODERATOR, USUAL, debaters
from moot.desk.keys import HEADER, get
from moot.desk.roster import Entry, participant
from moot.desk.values import Given
from moot.phases.known import NEEDS_MODERATOR

NEEDS_ROLES = ("moderated",)
"""Protocols that show everybody each debater's role, and that a moderator ends."""

NEEDS_SUMMARY = ("mediator_summary",)
"""Strategies that leave the last word to a moderator."""


def fill_places(entries: Sequence[Entry], given: Mapping[str, Given]) -> tuple[Participant, ...]:
    """Everybody who takes part: as described, else the built-in debaters; and a moderator where one is wanted.

    Args:
        entries: what the brief says about its participants.
        given: the brief's values by the names of their keys.

    Raises:
        BriefError: too few or too many debaters, a number that differs from ``persona_count``, a debater without a
            role where the protocol needs one, two moderators, or none where the strategy needs one.
    """
    people = tuple(participant(entry) for entry in entries)
    lines = {entry.name: entry.line for entry in entries}
    debating = [each for each in people if each.duty == "debater"]
    moderating = [each for each in people if each.duty == "moderator"]
    count = given.get("persona_count")
    protocol = given["protocol"].value if "protocol" in given else ""
    if len(moderating) > 1:
        found = f"{moderating[0].name!r} and {moderating[1].name!r} both moderate; there can be one moderator"
        raise BriefError(found, line=lines[moderating[1].name], code="inconsistent")
    if debating:
        _check_count(debating, count, given["participants"].line)
        if protocol in NEEDS_ROLES:
            _check_roles(debating, lines)
    else:
        people = debaters(cast("int", count.value) if count else USUAL) + people
    return people + _added(moderating, given.get("moderator"), given)


def check_crowd(*lines: Sequence[int]) -> None:
    """Refuse a list or a row of sections that is far too long, before each of them is read.

    Raises:
        BriefError: code ``out_of_range``.
    """
    most = int(get(HEADER, "participants").high) + 1
    for each in lines:
        if len(each) > most:
            found = f"{len(each)} participants are described; at most {most - 1} and a moderator can take part"
            raise BriefError(found, line=each[most], code="out_of_range")


def _check_count(debating: Sequence[Participant], count: Given | None, line: int) -> None:
    key = get(HEADER, "participants")
    names = ", ".join(each.name for each in debating[:12])
    if not key.low <= len(debating) <= key.high:
        found = f"{len(debating)} debaters ({names}); a debate needs {key.low:g} to {key.high:g}"
        raise BriefError(found, line=line, code="out_of_range")
    if count and count.value != len(debating):
        found = f"persona_count is {count.value}, but {len(debating)} debaters are described: {names}"
        raise BriefError(found, line=count.line, code="inconsistent")


def _check_roles(debating: Sequence[Participant], lines: Mapping[str, int]) -> None:
    for each in debating:
        if not each.role:
            found = f"{each.name!r} has no role; the protocol moderated needs one: add a line 'role: …'"
            raise BriefError(found, line=lines[each.name], code="inconsistent")


def _added(
    moderating: Sequence[Participant], wanted: Given | None, given: Mapping[str, Given]
) -> tuple[Participant, ...]:
    """The built-in moderator, where the brief asks for one or cannot do without."""
    protocol, strategy = (given[name].value if name in given else "" for name in ("protocol", "strategy"))
    if wanted and not wanted.value:
        need = f"{moderating[0].name!r} moderates" if moderating else _need(protocol, strategy)
        if need:
            raise BriefError(f"moderator is no, but {need}", line=wanted.line, code="inconsistent")
    elif not moderating and (wanted or protocol in NEEDS_MODERATOR or strategy in NEEDS_SUMMARY):
        return (MODERATOR,)
    if strategy == "moderator" and not moderating:
        found = "the strategy moderator needs one: add moderator: yes, or a section ## Moderator"
        raise BriefError(found, line=given["strategy"].line, code="inconsistent")
    return ()


def _need(protocol: object, strategy: object) -> str:
    if protocol in NEEDS_ROLES:
        return f"the protocol {protocol} cannot do without"
    return f"the strategy {strategy} cannot do without" if strategy in NEEDS_SUMMARY else ""
