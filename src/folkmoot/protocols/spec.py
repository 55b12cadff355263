"""Protocols as data and back, and protocols and phases from other packages (plugins).

A phase tree is stored in a record as ``{"is": "Rounds", "most": 3}``. A class of another package stands there with the
package's name: ``{"is": "folkmoot-steelman:Steelman"}``, so that no class of Folkmoot can ever take its place.

A package offers a protocol by an entry point of the group ``folkmoot.protocols``: a name, and a function from a brief and
its choices to a phase. Phase classes of its own are looked for in the module of that function, and in the modules that
entry points of ``folkmoot.parts`` name. Nothing is looked up or imported until a name appears that is not built in.
"""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, cast
from typing import Protocol as TypingProtocol

from folkmoot.core.ask import Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.errors import FolkmootError, PackageMissing, ProtocolError, RecordMismatch
from folkmoot.core.event import Opened, Package
from folkmoot.core.extensions import (
    PHASE,
    PROTOCOL,
    RULE,
    Offer,
    failing_package,
    find,
    installed,
    offers,
    with_options,
)
from folkmoot.phases import (
    base,
    consent,
    draws,
    helpers,
    ranked_vote,
    reflection,
    revise,
    score,
    shares,
    speak,
    verdict,
    vote,
)
from folkmoot.phases.base import Phase
from folkmoot.phases.choices import Choices
from folkmoot.policy import board_turns, convergence, early_stop, pairing, rankings, rounds, rules
from folkmoot.protocols import (
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
from folkmoot.protocols.measured import critic, findings, forecast, selection

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Protocol: TypeAlias = Callable[[Brief, Choices], Phase]
"""From a brief and its choices to a phase tree."""


def protocol(name: str) -> Protocol | None:
    """The protocol of that name from another package; None if no package offers it.

    Raises:
        ProtocolError: several packages offer it, or it cannot be loaded.
    """
    offer = find(PROTOCOL, name)
    if offer is None:
        return None
    make = offer.load(object)
    if not callable(make):
        raise offer.broken(f"it is not {PROTOCOL.offers}")
    return lambda brief, choices: _make(offer, cast(Callable[[Brief, Choices], object], make), brief, choices)


def _make(offer: Offer, make: Callable[[Brief, Choices], object], brief: Brief, choices: Choices) -> Phase:
    try:
        tree = with_options(make, choices.protocol_options, whose=offer.name, where=PROTOCOL.options)(brief, choices)
    except FolkmootError:
        raise
    except Exception as error:  # foreign code raises what it likes
        raise offer.broken(f"{type(error).__name__}: {error}") from error
    if not hasattr(tree, "play"):
        raise offer.broken(f"it makes no phase but {type(tree).__name__}")
    return cast(Phase, tree)


def plugin_modules(package: str = "") -> Iterator[tuple[Offer, ModuleType]]:
    """The modules in which other packages offer phases, rules or protocols; of one package or of all that offer parts.

    Raises:
        ProtocolError: one of them cannot be loaded.
    """
    for offer in _code() if package else offers(PHASE):
        if package not in ("", offer.package):
            continue
        if offer.kind is PHASE:
            yield offer, offer.load(ModuleType)
        else:
            offer.load(object)
            yield offer, import_module(offer.point.module)


def _code() -> tuple[Offer, ...]:
    """All that is offered in whose modules classes of a phase tree may stand."""
    return offers(PHASE, RULE, PROTOCOL)


@contextmanager
def naming_packages() -> Generator[None]:
    """Whatever code of another package raises while a protocol is played names that package.

    Raises:
        ProtocolError: such code has failed; a FolkmootError of it stays as it is.
    """
    try:
        yield
    except Exception as error:  # foreign code raises what it likes
        # Over a record the driver makes a mismatch of it, which has it as its cause.
        fault = error.__cause__ if isinstance(error, RecordMismatch) else error
        if offer := failing_package(fault):
            raise offer.broken(f"{type(fault).__name__}: {fault}") from error
        raise


Data: TypeAlias = bool | int | float | str | list["Data"] | dict[str, "Data"] | None

_SIMPLE = (str, int, float, type(None))
"""What stands in a phase tree as it is, and holds nothing else."""

MODULES = (
    base,
    speak,
    helpers,
    shares,
    vote,
    draws,
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
    critic,
    findings,
    forecast,
    selection,
    reflection,
    board_turns,
    convergence,
    early_stop,
    pairing,
    rules,
    rankings,
    rounds,
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
    """The class of that name for a phase tree: one of PARTS, else one of another package (``folkmoot-steelman:Steelman``).

    Raises:
        ProtocolError: it is none of ours, and a package that offers parts cannot be loaded.
    """
    if name in PARTS:
        return PARTS[name]
    package, _, word = name.rpartition(":")
    if not package:
        return None
    return next(
        (part for _, module in plugin_modules(package) for part in _values(module) if part.__name__ == word), None
    )


@cache
def name_of(kind: type["DataclassInstance"]) -> str:
    """The name of a class in a phase tree.

    Raises:
        ProtocolError: it is no dataclass of Folkmoot's own parts, and of no module that a package offers.
    """
    name = kind.__name__
    if PARTS.get(name) is kind:
        return name
    matching = [offer for offer in _code() if offer.point.module == kind.__module__]
    if not matching or not is_dataclass(kind):
        reason = "no package offers its module" if is_dataclass(kind) else "it is not a dataclass"
        raise ProtocolError(f"{name} of {kind.__module__} cannot be in a protocol: {reason}")
    return f"{matching[0].package}:{name}"


def packages_in(tree: object) -> Iterator[Package]:
    """The packages whose classes stand in a phase tree as data."""
    if isinstance(tree, Mapping):
        data = cast(Mapping[str, object], tree)
        package, _, word = str(data.get("is", "")).rpartition(":")
        if package:
            yield Package(name=package, used_for=(f"{_kind_of(str(data['is']))} {word}",))
        yield from (part for value in data.values() if not isinstance(value, _SIMPLE) for part in packages_in(value))
    else:
        items = cast(Sequence[object], tree)
        yield from (part for item in items if not isinstance(item, _SIMPLE) for part in packages_in(item))


def _kind_of(name: str) -> str:
    """What a class of another package is in a phase tree: a rule, or a phase or a part of one."""
    return RULE.name if hasattr(part_named(name), "decide") else PHASE.name


class _Part(TypingProtocol):
    def __init__(self, **options: object) -> None: ...


def dump(part: object) -> dict[str, Data]:
    """A phase tree as plain data; fields with their default are left out, but never texts for participants.

    A later version may put its questions better; a record of today is still played with the words of today.

    Raises:
        ProtocolError: something in the tree is neither one of PARTS nor of a package that offers it.
    """
    data: dict[str, Data] = {"is": name_of(type(part))}
    assert is_dataclass(part)
    for name, default in _defaults(type(part)):
        value: object = getattr(part, name)
        if default is MISSING or value != default or _is_wording(value):
            data[name] = _dump(value)
    return data


@cache
def _defaults(kind: type["DataclassInstance"]) -> tuple[tuple[str, object], ...]:
    """The fields of a part, and their defaults."""
    return tuple((field.name, field.default) for field in fields(kind))


def load(data: Mapping[str, object], packages: Sequence[Package] = ()) -> Phase:
    """The phase tree that the data describe.

    Args:
        data: the tree as it is stored.
        packages: the packages that it was made with, as they stand on record.

    Raises:
        PackageMissing: it holds a part of a package that is not installed, or of another version of it.
        ProtocolError: an unknown part or field, or a field that is missing.
    """
    part = _load(data, packages)
    if not hasattr(part, "play"):
        raise ProtocolError(f"a protocol is a phase, not {type(part).__name__}")
    return cast(Phase, part)


def load_opened(opened: Opened) -> Phase:
    """The phase tree of a debate on record; see ``load``."""
    return load(opened.protocol, opened.packages)


def _missing_part(name: str, packages: Sequence[Package]) -> ProtocolError:
    """The error for a part that is not available."""
    package, _, word = name.rpartition(":")
    if not package:
        known = f"{name!r} is not a part of a protocol"
        return PackageMissing(f"{known}; a package that offers it may not be installed: see folkmoot config plugins")
    noted = next((recorded for recorded in packages if recorded.name == package), Package(name=package))
    version = installed(package)
    reason = f"{package} {version} has no {word}" if version else "that package is not installed"
    return PackageMissing(f"the debate needs {noted} for its {word}; {reason}", about="protocol")


def _is_wording(value: object) -> bool:
    """Whether a field contains words for a participant: a text of several words, or a form."""
    return isinstance(value, Form) or (isinstance(value, str) and " " in value)


def _dump(value: object) -> Data:
    if isinstance(value, _SIMPLE):
        return value
    if isinstance(value, tuple):
        return [_dump(item) for item in cast(tuple[object, ...], value)]
    return dump(value)


def _load(data: object, packages: Sequence[Package]) -> object:
    if isinstance(data, list | tuple):
        return tuple(_load(item, packages) for item in cast(list[object], data))
    if isinstance(data, _SIMPLE) or not isinstance(data, Mapping):
        return data
    values = dict(cast(Mapping[str, object], data))
    name = values.pop("is", None)
    if not isinstance(name, str):
        raise ProtocolError(f"{name!r} is not a part of a protocol")
    if (part := part_named(name)) is None:
        raise _missing_part(name, packages)
    try:
        return cast(type[_Part], part)(**{field: _load(value, packages) for field, value in values.items()})
    except TypeError as error:
        raise ProtocolError(f"{name} in a protocol: {error}") from error
