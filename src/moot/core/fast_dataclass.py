"""Frozen dataclasses that are made, and constructed, in less time than by the standard library; else they are the same.

For each class the standard library of Python 3.11 and 3.12 compiles six functions one by one. That was a third of the
time that ``moot list`` took. Here one compilation makes those that matter. Fields are set by their slots, not by
``object.__setattr__``, which takes two thirds of the time for each new object.

A class that is not frozen or has no slots, one with a base that is a dataclass, with methods of its own in place of the
generated ones or with unusual fields is made by the standard library.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, InitVar
from inspect import get_annotations
from reprlib import recursive_repr
from types import FunctionType
from typing import TYPE_CHECKING, cast

OWN = frozenset(
    ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__getstate__", "__setstate__")
)
"""The methods that are made here."""


class _Made:
    """What stands for a value that is made anew for each object; it is shown as by the standard library."""

    def __repr__(self) -> str:
        return "<factory>"


_MADE = _Made()


def _dataclass(
    cls: type[object] | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True, **others: bool
) -> object:
    """As ``dataclasses.dataclass``."""

    def make(cls: type[object]) -> type[object]:
        if not (frozen and slots and set(others) <= {"kw_only"}) or _is_unusual(cls):
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=eq, **others)
        bare = dataclasses.dataclass(cls, init=False, repr=False, eq=False, slots=True, **others)
        fields = cast("Callable[[type[object]], tuple[Field[object], ...]]", dataclasses.fields)
        return _with_methods(bare, fields(bare), eq=eq)

    return make if cls is None else make(cls)


def _is_unusual(cls: type[object]) -> bool:
    """Whether a class has what only the standard library makes."""
    kinds = get_annotations(cls).values()
    odd = any(isinstance(kind, str | InitVar) or kind is InitVar for kind in kinds)
    based = any("__dataclass_fields__" in base.__dict__ for base in cls.__mro__[1:])
    values = [cast("Field[object]", value) for value in cls.__dict__.values() if isinstance(value, Field)]
    plain = all(value.init and value.repr and value.compare and value.hash is None for value in values)
    return odd or based or not plain or not OWN.isdisjoint(cls.__dict__)


def _with_methods(cls: type[object], fields: tuple[Field[object], ...], *, eq: bool) -> type[object]:
    """A class of slots with the methods of a frozen dataclass."""
    names = tuple(field.name for field in fields)
    known: dict[str, object] = {"__name__": cls.__module__, "_MADE": _MADE}
    for field in fields:
        known[f"_set_{field.name}"] = cls.__dict__[field.name].__set__
        known[f"_default_{field.name}"] = _MADE if field.default is MISSING else field.default
        known[f"_make_{field.name}"] = field.default_factory
    source = _init_source(fields, ends=hasattr(cls, "__post_init__")) + (_equality_source(names) if eq else "")
    methods: dict[str, FunctionType] = {}
    exec(source, known, methods)  # noqa: S102 - the names of the fields, and nothing else
    methods["__init__"].__annotations__ = {**{field.name: field.type for field in fields}, "return": None}
    for name, method in (methods | _rare_methods(cls, names)).items():
        method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
        setattr(cls, name, method)
    parameters = vars(cls)["__dataclass_params__"]
    parameters.init, parameters.repr, parameters.eq, parameters.frozen = True, True, eq, True
    return cls


def _init_source(fields: tuple[Field[object], ...], *, ends: bool) -> str:
    """The source of ``__init__``."""
    parameters = ["self"]
    for word, by_name in (("", False), ("*", True)):
        chosen = [field for field in fields if bool(field.kw_only) is by_name]
        parameters += [word] if word and chosen else []
        parameters += [field.name if _is_needed(field) else f"{field.name}=_default_{field.name}" for field in chosen]
    rows = [f"def __init__({', '.join(parameters)}):"]
    for field in fields:
        name = field.name
        anew = field.default_factory is not MISSING
        rows.append(f" _set_{name}(self, {f'_make_{name}() if {name} is _MADE else ' if anew else ''}{name})")
    rows.append(" self.__post_init__()" if ends else " return None")
    return "\n".join(rows) + "\n"


def _is_needed(field: Field[object]) -> bool:
    """Whether a field has no default."""
    return field.default is MISSING and field.default_factory is MISSING


def _equality_source(names: tuple[str, ...]) -> str:
    """The source of ``__eq__`` and ``__hash__``."""
    mine, others = ("".join(f"{who}.{name}, " for name in names) for who in ("self", "other"))
    return (
        "def __eq__(self, other):\n"
        " if other.__class__ is self.__class__:\n"
        f"  return ({mine}) == ({others})\n"
        " return NotImplemented\n"
        "def __hash__(self):\n"
        f" return hash(({mine}))\n"
    )


def _rare_methods(cls: type[object], names: tuple[str, ...]) -> dict[str, FunctionType]:
    """The methods whose speed does not matter."""

    def show(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    def refuse(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def keep(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    def state(self: object) -> list[object]:
        return [getattr(self, name) for name in names]

    def restore(self: object, values: list[object]) -> None:
        for name, value in zip(names, values, strict=True):
            object.__setattr__(self, name, value)

    methods: dict[str, Callable[..., object]] = {
        "__repr__": recursive_repr()(show),
        "__setattr__": refuse,
        "__delattr__": keep,
        "__getstate__": state,
        "__setstate__": restore,
    }
    return cast("dict[str, FunctionType]", methods)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _dataclass
