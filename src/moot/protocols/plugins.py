"""Protocols and phases from other packages. This file owns where they are looked for, and what is said of broken ones.

A package offers a protocol by an entry point of the group ``moot.protocols``: a name, and a function from a brief and
its choices to a phase. Phase classes of its own stand in a module that an entry point of ``moot.parts`` names. Nothing
is looked for, or imported, before a name comes up that is not one of ours.
"""

from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import TypeAlias, cast

from moot.core.brief import Brief
from moot.core.errors import ProtocolError
from moot.phases.choices import Choices
from moot.phases.phases_base import Phase

Protocol: TypeAlias = Callable[[Brief, Choices], Phase]
"""From a brief and its choices to a phase tree."""

PROTOCOLS = "moot.protocols"
PARTS = "moot.parts"

FAULTS = (ArithmeticError, AssertionError, AttributeError, ImportError, LookupError, NameError, OSError, RuntimeError)
BROKEN = (*FAULTS, SyntaxError, TypeError, ValueError)
"""What goes wrong in foreign code, by name; a MootError is none of it and says itself what is wrong."""


def offered() -> tuple[str, ...]:
    """The names of the protocols that other packages offer, in the order of the alphabet."""
    return tuple(sorted(entry_points(group=PROTOCOLS).names))


def protocol(name: str) -> Protocol | None:
    """The protocol of that name from another package; None where none offers it.

    Raises:
        ProtocolError: several packages offer it, or it cannot be loaded.
    """
    found = list(entry_points(group=PROTOCOLS, name=name))
    if not found:
        return None
    if len(found) > 1:
        names = ", ".join(sorted(_package(each) for each in found))
        raise ProtocolError(f"several packages offer a protocol {name!r}: {names}; keep one", about="protocol")
    point = found[0]
    make = _load(point)
    if not callable(make):
        raise ProtocolError(_broken(point, "it is not a function of a brief and its choices"), about="protocol")
    return lambda brief, choices: _make(point, cast(Callable[[Brief, Choices], object], make), brief, choices)


def modules() -> Iterator[ModuleType]:
    """The modules with phase classes that other packages offer, in the order of their entry points' names.

    Raises:
        ProtocolError: one of them cannot be loaded.
    """
    for each in sorted(entry_points(group=PARTS), key=lambda each: (each.name, _package(each))):
        module = _load(each)
        if not isinstance(module, ModuleType):
            raise ProtocolError(_broken(each, "it is not a module"), about="protocol")
        yield module


def _make(point: EntryPoint, make: Callable[[Brief, Choices], object], brief: Brief, choices: Choices) -> Phase:
    try:
        tree = make(brief, choices)
    except BROKEN as error:
        raise ProtocolError(_broken(point, f"{type(error).__name__}: {error}"), about="protocol") from error
    if not hasattr(tree, "play"):
        raise ProtocolError(_broken(point, f"it makes no phase but {type(tree).__name__}"), about="protocol")
    return cast(Phase, tree)


def _load(point: EntryPoint) -> object:
    try:
        return cast(object, point.load())
    except BROKEN as error:
        raise ProtocolError(_broken(point, f"{type(error).__name__}: {error}"), about="protocol") from error


def _broken(point: EntryPoint, why: str) -> str:
    return f"{point.name!r} of the package {_package(point)} ({point.value}) cannot be used: {why}"


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "unknown"
