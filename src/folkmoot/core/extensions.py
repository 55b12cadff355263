"""Extensions: what other packages add to Folkmoot by entry points, found by kind and name, and options that they declare.

There is one group of entry points for each kind. Nothing is looked up or imported until a name appears that is not
built in. Whatever foreign code raises becomes one sentence that names its package.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar, cast, get_args, get_origin, get_type_hints

from folkmoot.core.ask import Fields, Value
from folkmoot.core.errors import FolkmootError, ProtocolError
from folkmoot.core.event import Package
from folkmoot.core.text import unknown_word

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

T = TypeVar("T")

NO_OPTIONS: Mapping[str, Value] = MappingProxyType({})
"""No options."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of thing that another package can add.

    Attributes:
        name: what it is called in sentences.
        group: the group of its entry points.
        about: the setting that names one, for errors.
        offers: what an entry point of the group leads to, in words.
        options: the key of a brief behind which the options of one stand; "" where it takes none.
        by_name: whether they stand there in a table of its own, under its name.
    """

    name: str
    group: str
    about: str
    offers: str
    options: str = ""
    by_name: bool = False


PROTOCOL = Kind(
    name="protocol",
    group="folkmoot.protocols",
    about="protocol",
    offers="a function of a brief and its choices",
    options="protocol_options",
)
PHASE = Kind(name="phase", group="folkmoot.parts", about="protocol", offers="a module")
RULE = Kind(name="rule", group="folkmoot.rules", about="strategy", offers="a CountingRule", options="strategy_options")
PROVIDER = Kind(
    name="provider",
    group="folkmoot.providers",
    about="model",
    offers="a Provider",
    options="provider_options",
    by_name=True,
)
TOOL = Kind(
    name="tool",
    group="folkmoot.tools",
    about="tool_usage",
    offers="a function that makes a tool",
    options="tool_options",
    by_name=True,
)
REPORT = Kind(
    name="report",
    group="folkmoot.reports",
    about="format",
    offers="a ReportFormat, or a function of a report",
    options="report_options",
    by_name=True,
)

KINDS = (PROTOCOL, PHASE, RULE, PROVIDER, TOOL, REPORT)
"""All kinds of extensions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What a package offers under a name.

    Attributes:
        kind: its kind.
        point: its entry point.
    """

    kind: Kind
    point: "EntryPoint"

    @property
    def name(self) -> str:
        """The name under which it is used."""
        return self.point.name

    @property
    def package(self) -> str:
        """The name of the package."""
        return (self.point.dist.name if self.point.dist else "") or "unknown"

    @property
    def version(self) -> str:
        """The version of the package; "" where nobody says it."""
        return (self.point.dist.version if self.point.dist else "") or ""

    def load(self, wanted: type[T]) -> T:
        """Import it.

        Raises:
            ProtocolError: it cannot be imported, or is something else than its kind offers.
        """
        try:
            thing: object = self.point.load()
        except (Exception, SystemExit) as error:  # foreign code raises what it likes
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if not isinstance(thing, wanted):
            raise self.broken(f"it is not {self.kind.offers}")
        return thing

    def broken(self, why: str) -> ProtocolError:
        """The error that says why it cannot be used."""
        sentence = f"{self.name!r} of the package {self.package} ({self.point.value}) cannot be used: {why}"
        return ProtocolError(sentence, about=self.kind.about)

    def used(self, *uses: str) -> Package:
        """Its package as it stands on record."""
        return Package(name=self.package, version=self.version, used_for=uses or (f"{self.kind.name} {self.name}",))


def offers(*kinds: Kind) -> tuple[Offer, ...]:
    """All that packages offer of these kinds, sorted by kind, name and package."""
    points = _entry_points(tuple(sys.path))
    return tuple(offer for kind in kinds for offer in points[kind.group])


@lru_cache(maxsize=4)
def _entry_points(folders: tuple[str, ...]) -> Mapping[str, Sequence[Offer]]:
    """What the packages in these folders offer, by group. Reading it takes 30 ms or more, so a process does it once."""
    from importlib.metadata import entry_points  # here for start-up time

    points = cast("EntryPoints", entry_points())  # typed so from Python 3.12 on
    return {
        kind.group: sorted(
            (Offer(kind=kind, point=point) for point in points.select(group=kind.group)),
            key=lambda offer: (offer.name, offer.package),
        )
        for kind in KINDS
    }


def offered(kind: Kind) -> tuple[str, ...]:
    """The names that packages offer of a kind, in the order of the alphabet."""
    return tuple(dict.fromkeys(offer.name for offer in offers(kind)))


def find(kind: Kind, name: str) -> Offer | None:
    """What is offered under a name; None if no package offers it.

    Raises:
        ProtocolError: several packages offer it.
    """
    matching = [offer for offer in offers(kind) if offer.name == name]
    if len(matching) > 1:
        packages = ", ".join(offer.package for offer in matching)
        raise ProtocolError(f"several packages offer a {kind.name} {name!r}: {packages}; keep one", about=kind.about)
    return matching[0] if matching else None


def installed(package: str) -> str:
    """The version of a package that is installed; "" where it is not."""
    from importlib.metadata import PackageNotFoundError, version  # here for start-up time

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def failing_package(error: BaseException | None) -> Offer | None:
    """What the package offers in whose code an error was raised; None where it was none of those."""
    if error is None or isinstance(error, FolkmootError):
        return None
    from traceback import walk_tb  # here for start-up time

    packages = {offer.point.module.partition(".")[0]: offer for offer in reversed(offers(*KINDS))}
    names = (str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__))
    failing = [packages[name] for name in names if name in packages]
    return failing[-1] if failing else None


# ---- options ---------------------------------------------------------------------------------------------------------

MARK = "folkmoot"
"""Under what a field of a dataclass has its limits as an option."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What an option allows beside its type.

    Attributes:
        help: what it means, in a sentence.
        low: the least number, or number of entries.
        high: the greatest number, or number of entries.
        choices: the allowed words.
    """

    help: str = ""
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()


def option(
    default: T, help: str, *, low: float | None = None, high: float | None = None, choices: tuple[str, ...] = ()
) -> T:
    """A field of a frozen dataclass that a brief can set: of type ``bool``, ``int``, ``float``, ``str`` or texts.

    Args:
        default: its value where the brief says nothing.
        help: what it means, in a sentence.
        low: the least number, or number of entries.
        high: the greatest number, or number of entries.
        choices: the allowed words.
    """
    return field(default=default, metadata={MARK: Limits(help=help, low=low, high=high, choices=choices)})


def options_of(kind: type[object]) -> dict[str, tuple[object, Limits, Value]]:
    """The options that a dataclass declares: the type of each, what it allows, and its default.

    Raises:
        ProtocolError: their types cannot be read.
    """
    if not is_dataclass(kind):
        return {}
    try:
        hints = get_type_hints(kind)
    except Exception as error:  # a type may be any expression
        problem = f"the options of {kind.__name__} in {kind.__module__} have types that cannot be read"
        raise ProtocolError(f"{problem}: {type(error).__name__}: {error}") from error
    return {
        item.name: (hints[item.name], cast(Limits, item.metadata[MARK]), cast(Value, item.default))
        for item in fields(kind)
        if MARK in item.metadata and item.default is not MISSING
    }


def check_options(kind: type[object], options: Mapping[str, Value], *, whose: str, where: str) -> dict[str, Value]:
    """The options that are given, as the dataclass takes them.

    Args:
        kind: the dataclass that declares them.
        options: their values as they were read.
        whose: who takes them, for sentences.
        where: the key behind which they stand.

    Raises:
        ProtocolError: there is no such option, it does not take that value, or it is declared wrongly.
    """
    known = options_of(kind)
    checked: dict[str, Value] = {}
    for name, value in options.items():
        about = f"{where}.{name}"
        if name not in known:
            hint = unknown_word(name, tuple(known)) if known else "it has none"
            raise ProtocolError(f"{whose} has no option {name!r}; {hint}", about=about)
        option_type, limits, _ = known[name]
        typed_value = _as_type(option_type, value)
        if typed_value is None:
            raise ProtocolError(f"{about} is {value!r}; it must be {wanted_type(option_type)}", about=about)
        if wrong := _why_out_of_range(typed_value, limits):
            raise ProtocolError(f"{about} {wrong}", about=about)
        checked[name] = typed_value
    if wrong := declaration_fault(known):
        raise ProtocolError(f"{whose} declares its options wrongly: {wrong}", about=where)
    return checked


def declaration_fault(known: Mapping[str, tuple[object, Limits, Value]]) -> str:
    """What is wrong with options as they are declared, in a sentence; "" where nothing is."""
    for name, (option_type, limits, default) in known.items():
        texts = get_origin(option_type) is tuple and get_args(option_type) == (str, ...)
        if option_type not in _TYPES and not texts:
            shown = getattr(option_type, "__name__", "") or str(option_type)
            return f"the type of {name} is {shown}; it must be bool, int, float, str or tuple[str, ...]"
        usual = _as_type(option_type, default)
        if usual is None:
            return f"the default of {name} is {default!r}; it must be {wanted_type(option_type)}"
        if wrong := _why_out_of_range(usual, limits):
            return f"the default of {name} {wrong}"
    return ""


@dataclass(frozen=True, slots=True)
class WithOptions(Generic[T]):
    """What a package offers, where it takes options of its own; ``takes_options`` makes one.

    Called as it is, it takes the defaults of its options.

    Attributes:
        make: the function or class; an object of the options is its last argument.
        options: the frozen dataclass that declares them, each by ``option``.
    """

    make: Callable[..., T]
    options: type[object]

    def __call__(self, *arguments: object) -> T:
        """What the function or class makes with the defaults of its options."""
        return self.make(*arguments, self.options())


def takes_options(options: type[object]) -> Callable[[Callable[..., T]], WithOptions[T]]:
    """Let a function or class of an extension take options: an object of that dataclass is its last argument."""
    return lambda make: WithOptions(make, options)


def with_options(
    make: Callable[..., object], options: Mapping[str, Value], *, whose: str, where: str
) -> Callable[..., object]:
    """A function or class that takes these options, where it declares any.

    Args:
        make: what a package offers.
        options: the values that are set, by name.
        whose: who takes them, for sentences.
        where: the key behind which they stand.

    Raises:
        ProtocolError: it takes no options, or not these.
    """
    if not isinstance(make, WithOptions):
        no_options(options, whose=whose, where=where)
        return make
    own = cast("WithOptions[object]", make)
    values = check_options(own.options, options, whose=whose, where=where)
    chosen = cast(Callable[..., object], own.options)(**values)
    return lambda *arguments: own.make(*arguments, chosen)


def no_options(options: Mapping[str, Value], *, whose: str, where: str) -> None:
    """Refuse options for what takes none.

    Raises:
        ProtocolError: there are some.
    """
    for name in options:
        raise ProtocolError(f"{whose} has no {where.partition('.')[0]}", about=f"{where}.{name}")


def declared_by(offer: Offer) -> type[object] | None:
    """The dataclass that declares the options of what a package offers; None where it takes none.

    Raises:
        ProtocolError: it cannot be imported.
    """
    thing = offer.load(object)
    if offer.kind is RULE:
        return cast(type[object], type(getattr(thing, "rule", None)))
    places = (thing, getattr(thing, "make", None), getattr(getattr(thing, "wire", None), "adapter", None))
    declaring = [cast("WithOptions[object]", owner) for owner in places if isinstance(owner, WithOptions)]
    return declaring[0].options if declaring else None


def check_named_options(options: Fields) -> None:
    """Check the options of tools, providers and report formats, whether or not these take part in the debate.

    Args:
        options: their values under their full names: ``tool_options.dice.most``.

    Raises:
        ProtocolError: no package offers what is named, or it does not take the option or the value.
    """
    for full_name, value in options.items():
        word, name, option_name = full_name.split(".", 2)
        kind = next(kind for kind in KINDS if kind.options == word)
        if (offer := find(kind, name)) is None:
            hint = unknown_word(name, offered(kind)) if offered(kind) else "no package offers any"
            raise ProtocolError(f"{word}.{name}: no package offers a {kind.name} of that name; {hint}", about=full_name)
        key, values = f"{word}.{name}", {option_name: value}
        if declares := declared_by(offer):
            check_options(declares, values, whose=name, where=key)
        else:
            no_options(values, whose=name, where=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredOption:
    """An option as an extension declares it.

    Attributes:
        name: its name.
        takes: what it takes, in words.
        default: its value where nothing is set.
        help: what it means, in a sentence.
        low: the least number, or number of entries; None for none.
        high: the greatest number, or number of entries; None for none.
        choices: the allowed words; empty for any.
    """

    name: str
    takes: str
    default: Value
    help: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]


def declared_options(offer: Offer) -> tuple[DeclaredOption, ...]:
    """The options that an extension declares, in its own order.

    Raises:
        ProtocolError: it cannot be imported.
    """
    known = options_of(declares) if (declares := declared_by(offer)) else {}
    return tuple(
        DeclaredOption(
            name=name,
            takes=wanted_type(option_type).partition(";")[0],
            default=default,
            help=limits.help,
            low=limits.low,
            high=limits.high,
            choices=limits.choices,
        )
        for name, (option_type, limits, default) in known.items()
    )


def options_for(kind: Kind, name: str, options: Fields) -> dict[str, Value]:
    """The options of one extension among those of a brief, by their short names.

    Args:
        kind: its kind.
        name: its name.
        options: those of a brief under their full names: ``tool_options.dice.most``.
    """
    beginning = f"{kind.options}.{name}." if kind.by_name else f"{kind.options}."
    return {key.removeprefix(beginning): value for key, value in options.items() if key.startswith(beginning)}


def _as_type(wanted: object, value: Value) -> Value | None:
    """A value as an option of that type takes it; None where it does not."""
    if get_origin(wanted) is tuple and get_args(wanted)[:1] == (str,):
        texts = (value,) if isinstance(value, str) else value
        return texts if isinstance(texts, tuple) else None
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if wanted is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is wanted else None


_TYPES: Mapping[object, str] = {
    bool: "yes or no",
    int: "a whole number",
    float: "a number",
    str: "a text; put quotes around it",
}
"""The types that an option may have, beside a tuple of texts, in words."""


def wanted_type(wanted: object) -> str:
    """The type of an option in words."""
    return _TYPES.get(wanted, "a list of texts")


def _why_out_of_range(value: Value, limits: Limits) -> str:
    """What is wrong with a value of the right type; "" where nothing is."""
    words = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
    if limits.choices and (unknown := [word for word in words if word not in limits.choices]):
        return f"cannot be {unknown[0]!r}; {unknown_word(str(unknown[0]), limits.choices, 'allowed are')}"
    size = len(value) if isinstance(value, tuple) else value
    if isinstance(size, str | bool):
        return ""
    low, high = limits.low, limits.high
    if (low is None or size >= low) and (high is None or size <= high):
        return ""
    unit = " entries" if isinstance(value, tuple) else ""
    minimum, maximum = (
        (f"at least {low:g}" if low is not None else ""),
        (f"at most {high:g}" if high is not None else ""),
    )
    return f"must have {' and '.join(filter(None, (minimum, maximum)))}{unit}, not {size}"
