"""Who has a place in the end. This file owns the checks across the participants, and who is added."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from moot.app.brief.default_participants import USUAL, debaters, presider
from moot.app.brief.field_values import Given
from moot.app.brief.offers import FORMATS, MEDIATORS
from moot.app.brief.participants import Entry, participant
from moot.app.brief.schema import HEADER, get
from moot.app.brief.sight import check_own, check_sight, look, masks
from moot.core.brief import Participant
from moot.core.errors import BriefError
from moot.protocols.known import NEEDS_MODERATOR

NEEDS_ROLES = ("moderated",)
"""Protocols that show everybody each debater's role, and that a moderator ends."""

JUDGED = ("vote_based", "ranked_reasons")
"""Strategies by which the moderator of a debate format is its judge."""


def fill_places(entries: Sequence[Entry], given: Mapping[str, Given]) -> tuple[Participant, ...]:
    """Everybody who takes part: as described, else the built-in debaters; and a moderator where one is wanted.

    Args:
        entries: what the brief says about its participants.
        given: the brief's values by the names of their keys.

    Raises:
        BriefError: too few or too many debaters, a number that differs from ``persona_count``, a debater without a
            role where the protocol needs one, two moderators, none where the strategy needs one, or settings that
            contradict each other (``app.brief.sight``).
    """
    people = tuple(participant(entry) for entry in entries)
    lines = {entry.name: entry.line for entry in entries}
    debating = [each for each in people if each.duty == "debater"]
    moderating = [each for each in people if each.duty == "moderator"]
    protocol = given["protocol"].value if "protocol" in given else ""
    if len(moderating) > 1:
        found = f"{moderating[0].name!r} and {moderating[1].name!r} both moderate; there can be one moderator"
        raise BriefError(found, line=lines[moderating[1].name], code="inconsistent")
    if debating:
        _check_count(debating, given.get("persona_count"), given["participants"].line)
        if protocol in NEEDS_ROLES:
            _check_roles(debating, lines)
    else:
        count = given.get("persona_count")
        people = debaters(cast("int", count.value) if count else USUAL) + people
    people += _added(moderating, given.get("moderator"), given)
    check_sight(given, entries)
    own = {each.name: Entry(name=each.name, line=0, values={}) for each in people} | {
        each.name: each for each in entries
    }
    return tuple(_fitted(each, own[each.name], people, given) for each in people)


def _fitted(who: Participant, entry: Entry, people: Sequence[Participant], given: Mapping[str, Given]) -> Participant:
    """The participant with what the header says for all, and with what it sees."""
    header: Mapping[str, Given] = given if who.duty == "debater" else {}
    check_own(header, entry)
    language = given["language"].value if "language" in given else ""
    return replace(
        who,
        view=look(header, entry.values),
        hide=masks(entry, people, given),
        language=who.language or str(language),
    )


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
    for name in ("mediator_frequency", "summary_style"):
        if name in given and "mediator_type" not in given:
            found = f"{name} needs a mediator_type: one of {', '.join(MEDIATORS)}"
            raise BriefError(found, line=given[name].line, code="inconsistent")
    kind = _kind(given)
    if wanted and not wanted.value:
        if kind and not moderating:
            found = (
                f"mediator_type is {kind}, but moderator / use_mediator is no on line {wanted.line}; keep one of them"
            )
            raise BriefError(found, line=given["mediator_type"].line, code="inconsistent")
        need = f"{moderating[0].name!r} moderates" if moderating else needs_moderator(protocol, strategy)
        if need:
            raise BriefError(f"moderator is no, but {need}", line=wanted.line, code="inconsistent")
    elif not moderating and (wanted or kind or needs_moderator(protocol, strategy)):
        return (presider(protocol),)
    if strategy == "moderator" and not moderating:
        found = "the strategy moderator needs one: add moderator: yes, or a section ## Moderator"
        raise BriefError(found, line=given["strategy"].line, code="inconsistent")
    return ()


def _kind(given: Mapping[str, Given]) -> str:
    return str(given["mediator_type"].value) if "mediator_type" in given else ""


def needs_moderator(protocol: object, strategy: object) -> str:
    """Why a debate cannot do without a moderator, in words; "" where it can."""
    if protocol in NEEDS_MODERATOR:
        return f"the protocol {protocol} cannot do without"
    judged = strategy in ("mediator_summary", "judge") or (strategy in JUDGED and protocol in FORMATS)
    return f"the strategy {strategy} cannot do without" if judged else ""
