"""Protocols as data and back, and protocols and phases from other packages (plugins).

A phase tree is stored in a record as ``{"is": "Rounds", "most": 3}``.

A package offers a protocol by an entry point of the group ``moot.protocols``: a name, and a function from a brief and
its choices to a phase. An entry point of ``moot.parts`` names a module with phase classes of its own. Nothing is looked
up or imported until a name appears that is not built in.
"""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from traceback import walk_tb
from types import ModuleType
from typing import Protocol as TypingProtocol
from typing import TypeAlias, cast

from moot.core.ask import Field, Form
from moot.core.brief import Brief, View
from moot.core.errors import MootError, ProtocolError, RecordMismatch
from moot.phases import base, consent, helpers, ranked_vote, reflection, revise, score, shares, speak, verdict, vote
from moot.phases.base import Phase
from moot.phases.choices import Choices
from moot.policy import board_turns, convergence, early_stop, pairing, rankings, rules, stops, turns
from moot.protocols import (
    adjudication,
    board,
    chaired,
    compose,
    council,
    fishbowl,
    grouped,
    open_fight,
    parliament,
    socratic,
)

Protocol: TypeAlias = Callable[[Brief, Choices], Phase]
"""From a brief and its choices to a phase tree."""

PROTOCOLS_GROUP = "moot.protocols"
PARTS_GROUP = "moot.parts"

FAULTS = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError)
BROKEN = (*FAULTS, SyntaxError, TypeError, ValueError)
"""What goes wrong in foreign code, by name; a MootError is none of it and says itself what is wrong."""


def offered() -> tuple[str, ...]:
    """The names of the protocols that other packages offer, in the order of the alphabet."""
    return tuple(sorted(entry_points(group=PROTOCOLS_GROUP).names))


def protocol(name: str) -> Protocol | None:
    """The protocol of that name from another package; None if no package offers it.

    Raises:
        ProtocolError: several packages offer it, or it cannot be loaded.
    """
    found = list(entry_points(group=PROTOCOLS_GROUP, name=name))
    if not found:
        return None
    if len(found) > 1:
        names = ", ".join(sorted(_package(entry_point) for entry_point in found))
        raise ProtocolError(f"several packages offer a protocol {name!r}: {names}; keep one", about="protocol")
    point = found[0]
    make = _load_entry_point(point)
    if not callable(make):
        raise ProtocolError(_broken(point, "it is not a function of a brief and its choices"), about="protocol")
    return lambda brief, choices: _make(point, cast(Callable[[Brief, Choices], object], make), brief, choices)


def modules() -> Iterator[ModuleType]:
    """The modules with phase classes that other packages offer, in the order of their entry points' names.

    Raises:
        ProtocolError: one of them cannot be loaded.
    """
    for entry_point in sorted(
        entry_points(group=PARTS_GROUP), key=lambda entry_point: (entry_point.name, _package(entry_point))
    ):
        module = _load_entry_point(entry_point)
        if not isinstance(module, ModuleType):
            raise ProtocolError(_broken(entry_point, "it is not a module"), about="protocol")
        yield module


def _make(point: EntryPoint, make: Callable[[Brief, Choices], object], brief: Brief, choices: Choices) -> Phase:
    try:
        tree = make(brief, choices)
    except BROKEN as error:
        raise ProtocolError(_broken(point, f"{type(error).__name__}: {error}"), about="protocol") from error
    if not hasattr(tree, "play"):
        raise ProtocolError(_broken(point, f"it makes no phase but {type(tree).__name__}"), about="protocol")
    return cast(Phase, tree)


def _load_entry_point(point: EntryPoint) -> object:
    try:
        return cast(object, point.load())
    except BROKEN as error:
        raise ProtocolError(_broken(point, f"{type(error).__name__}: {error}"), about="protocol") from error


@contextmanager
def naming_packages() -> Generator[None]:
    """Whatever code of another package raises while a protocol is played names that package.

    Raises:
        ProtocolError: such code has failed; a MootError of it stays as it is.
    """
    try:
        yield
    except (*BROKEN, RecordMismatch) as error:
        # Over a record the driver makes a mismatch of it, which has it as its cause.
        fault = error.__cause__ if isinstance(error, RecordMismatch) else error
        point = None if fault is None or isinstance(fault, MootError) else _culprit(fault)
        if point is None:
            raise
        raise ProtocolError(_broken(point, f"{type(fault).__name__}: {fault}"), about="protocol") from error


def _culprit(error: BaseException) -> EntryPoint | None:
    """The entry point of the package in whose code an error was raised; None where it was none of those."""
    points = [point for group in (PARTS_GROUP, PROTOCOLS_GROUP) for point in entry_points(group=group)]
    packages = {point.module.partition(".")[0]: point for point in points}
    names = (str(frame.f_globals.get("__name__", "")) for frame, _ in walk_tb(error.__traceback__))
    culprits = [packages[name.partition(".")[0]] for name in names if name.partition(".")[0] in packages]
    return culprits[-1] if culprits else None


def _broken(point: EntryPoint, why: str) -> str:
    return f"{point.name!r} of the package {_package(point)} ({point.value}) cannot be used: {why}"


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"


Data: TypeAlias = bool | int | float | str | list["Data"] | dict[str, "Data"] | None

MODULES = (
    base,
    speak,
    helpers,
    shares,
    vote,
    verdict,
    ranked_vote,
    chaired,
    council,
    consent,
    score,
    revise,
    socratic,
    adjudication,
    parliament,
    fishbowl,
    open_fight,
    compose,
    board,
    grouped,
    reflection,
    board_turns,
    convergence,
    early_stop,
    pairing,
    rules,
    rankings,
    turns,
    stops,
)
"""The modules whose dataclasses may stand in a phase tree."""


def _values(module: ModuleType) -> Iterator[type[object]]:
    for var in vars(module).values():
        own = isinstance(var, type) and var.__module__ == module.__name__ and var is not base.State
        if own and is_dataclass(var):
            yield var


PARTS: Mapping[str, type[object]] = {
    part.__name__: part
    for part in (*(part for module in MODULES for part in _values(module)), View, Form, Field)
    if part is not base.State
}
"""All built-in classes that a phase tree can contain, by name."""


def part_named(name: str) -> type[object] | None:
    """The class of that name for a phase tree: one of PARTS, else a phase class of another package.

    Raises:
        ProtocolError: it is none of ours, and a package that offers parts cannot be loaded.
    """
    if name in PARTS:
        return PARTS[name]
    return next((part for module in modules() for part in _values(module) if part.__name__ == name), None)


class _Part(TypingProtocol):
    def __init__(self, **given: object) -> None: ...


def dump(part: object) -> dict[str, Data]:
    """A phase tree as plain data; fields with their default are left out, but never texts for participants.

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
    """Whether a field contains words for a participant: a text of several words, or a form."""
    return isinstance(value, Form) or (isinstance(value, str) and " " in value)


def _dump(value: object) -> Data:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [_dump(item) for item in cast(tuple[object, ...], value)]
    return dump(value)


def _load(data: object) -> object:
    if isinstance(data, list | tuple):
        return tuple(_load(item) for item in cast(list[object], data))
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
