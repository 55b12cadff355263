"""Phase trees as data and back. This file owns how a protocol stands in a record: ``{"is": "Rounds", "most": 3}``."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from types import ModuleType
from typing import Protocol, TypeAlias, cast

from moot.core.brief import View
from moot.core.errors import ProtocolError
from moot.core.form import Field, Form
from moot.phases import (
    base,
    consent,
    helpers,
    liken,
    phases_shares,
    ranked_vote,
    reflection,
    rethink,
    revise,
    score,
    shares,
    speak,
    verdict,
    vote,
    weigh,
)
from moot.phases.phases_base import Phase
from moot.policy import board_turns, convergence, early_stop, pairing, rankings, rules, showing, stops, turns
from moot.protocols import (
    board,
    chaired,
    council,
    fishbowl,
    grouped,
    groups,
    interrupt,
    open_fight,
    parliament,
    plugins,
    recommend,
    socratic,
)

Data: TypeAlias = bool | int | float | str | list["Data"] | dict[str, "Data"] | None

MODULES = (
    base,
    speak,
    liken,
    phases_shares,
    vote,
    verdict,
    ranked_vote,
    chaired,
    council,
    consent,
    score,
    revise,
    helpers,
    weigh,
    rethink,
    socratic,
    parliament,
    fishbowl,
    open_fight,
    interrupt,
    board,
    recommend,
    shares,
    groups,
    grouped,
    reflection,
    board_turns,
    convergence,
    early_stop,
    pairing,
    rules,
    rankings,
    showing,
    stops,
    turns,
)
"""The modules whose dataclasses may stand in a phase tree."""


def _values(module: ModuleType) -> Iterator[type[object]]:
    for each in vars(module).values():
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__:
            yield each


PARTS: Mapping[str, type[object]] = {
    part.__name__: part for part in (*(part for module in MODULES for part in _values(module)), View, Form, Field)
}
"""All of ours that may stand in a phase tree, by name."""


def part_named(name: str) -> type[object] | None:
    """What may stand in a phase tree under that name: one of PARTS, else a phase class of another package.

    Raises:
        ProtocolError: it is none of ours, and a package that offers parts cannot be loaded.
    """
    if name in PARTS:
        return PARTS[name]
    return next((part for module in plugins.modules() for part in _values(module) if part.__name__ == name), None)


class _Part(Protocol):
    def __init__(self, **given: object) -> None: ...


def dump(part: object) -> dict[str, Data]:
    """A phase tree as plain data; fields that hold their default are left out, but never what somebody is told.

    A later version may put its questions better; a record of today is still played with the words of today.

    Raises:
        ProtocolError: something in the tree is not one of PARTS.
    """
    name = type(part).__name__
    if not is_dataclass(part) or part_named(name) is not type(part):
        raise ProtocolError(f"{name} cannot stand in a protocol; there are {', '.join(PARTS)}")
    data: dict[str, Data] = {"is": name}
    for field in fields(part):
        value = cast(object, getattr(part, field.name))
        if field.default is MISSING or value != field.default or _is_wording(value):
            data[field.name] = _dump(value)
    return data


def load(data: Mapping[str, object]) -> Phase:
    """The phase tree that the data describe.

    Raises:
        ProtocolError: an unknown part or field, or a field that is missing.
    """
    part = _load(data)
    if not hasattr(part, "play"):
        raise ProtocolError(f"a protocol is a phase, not {type(part).__name__}")
    return cast(Phase, part)


def _is_wording(value: object) -> bool:
    """Whether a field holds words for a participant: a text of several words, or a form."""
    return isinstance(value, Form) or (isinstance(value, str) and " " in value)


def _dump(value: object) -> Data:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [_dump(each) for each in cast(tuple[object, ...], value)]
    return dump(value)


def _load(data: object) -> object:
    if isinstance(data, list | tuple):
        return tuple(_load(each) for each in cast(list[object], data))
    if not isinstance(data, Mapping):
        return data
    given = dict(cast(Mapping[str, object], data))
    name = given.pop("is", None)
    part = part_named(name) if isinstance(name, str) else None
    if part is None:
        raise ProtocolError(f"{name!r} is no part of a protocol; there are {', '.join(PARTS)}")
    try:
        return cast(type[_Part], part)(**{field: _load(value) for field, value in given.items()})
    except TypeError as error:
        raise ProtocolError(f"{name} in a protocol: {error}") from error
