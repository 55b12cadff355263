"""Debaters as a program describes them. This file owns what a debater must have, and how it is given back."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

from moot.app.brief.names import check_name, skeleton
from moot.core.brief import Participant
from moot.core.errors import BriefError

Debater: TypeAlias = Mapping[str, str] | Participant
"""A mapping with ``name``, ``role`` and ``system_prompt``, or a participant with a seat of its own."""

KEYS = ("name", "role", "system_prompt")
"""The documented keys of a debater; only ``system_prompt`` may be missing."""


def debaters_of(given: object, *, beside: Sequence[str] = ()) -> tuple[Participant, ...]:
    """The debaters as participants, in their order.

    Args:
        given: what a caller gave.
        beside: names that are taken.

    Raises:
        BriefError: nobody is described, or somebody without a name of its own, without a role, or with unknown keys.
    """
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        shown = _short(cast("object", given))
        found = f"debaters is {shown}; it must be a list of {{'name': …, 'role': …, 'system_prompt': …}}"
        raise BriefError(found, code="wrong_type")
    people = tuple(_debater(n, each) for n, each in enumerate(cast("Sequence[object]", given), start=1))
    taken = {skeleton(name): name for name in beside}
    for each in people:
        if other := taken.get(skeleton(each.name)):
            found = f"the name {each.name!r} is taken by {other!r}; each at the table needs a name of its own"
            raise BriefError(found, code="duplicate_name")
        taken[skeleton(each.name)] = each.name
    return people


def described(people: Sequence[Participant]) -> list[dict[str, str]]:
    """The participants with the documented keys."""
    return [{"name": each.name, "role": each.role, "system_prompt": each.persona} for each in people]


def _debater(n: int, given: object) -> Participant:
    if isinstance(given, Participant):
        entry: Mapping[object, object] = {"name": given.name, "role": given.role, "system_prompt": given.persona}
    elif isinstance(given, Mapping):
        entry = cast("Mapping[object, object]", given)
    else:
        raise BriefError(f"debater {n} is {_short(given)}; it must be a mapping with {_listed()}", code="wrong_type")
    if unknown := [key for key in entry if key not in KEYS]:
        raise BriefError(f"debater {n} has the key {unknown[0]!r}; there are {_listed()}", code="unknown_key")
    for key in KEYS:
        value = entry.get(key, "")
        if not isinstance(value, str) or (key != "system_prompt" and not value.strip()):
            found = f"debater {n} has {'no' if key not in entry else 'a wrong'} {key}; it must be a text"
            raise BriefError(found, code="wrong_type")
    name = check_name(str(entry["name"]))
    if isinstance(given, Participant):
        return given if given.name == name and given.duty == "debater" else _refuse(given)
    return Participant(name=name, role=str(entry["role"]).strip(), persona=str(entry.get("system_prompt", "")).strip())


def _refuse(given: Participant) -> Participant:
    found = (
        f"the participant {given.name!r} cannot debate here: its duty must be debater, its name without extra blanks"
    )
    raise BriefError(found, code="inconsistent")


def _listed() -> str:
    return ", ".join(KEYS)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
