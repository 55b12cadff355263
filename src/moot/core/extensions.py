"""Extensions: what other packages add to Moot by entry points, found by kind and name, and options that they declare.

There is one group of entry points for each kind. Nothing is looked up or imported until a name appears that is not
built in. Whatever foreign code raises becomes one sentence that names its package.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, TypeVar, cast, get_args, get_origin, get_type_hints

from moot.core.ask import Value
from moot.core.errors import MootError, ProtocolError
from moot.core.event import Package
from moot.core.text import unknown_word

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of thing that another package can add.

    Attributes:
        name: what it is called in sentences.
        group: the group of its entry points.
        about: the setting that names one, for errors.
        offers: what an entry point of the group leads to, in words.
    """

    name: str
    group: str
    about: str
    offers: str


PROTOCOL = Kind(
    name="protocol", group="moot.protocols", about="protocol", offers="a function of a brief and its choices"
)
PHASE = Kind(name="phase", group="moot.parts", about="protocol", offers="a module")
RULE = Kind(name="rule", group="moot.rules", about="strategy", offers="a CountingRule")
PROVIDER = Kind(name="provider", group="moot.providers", about="model", offers="a Provider")
TOOL = Kind(name="tool", group="moot.tools", about="tool_usage", offers="a function that makes a tool")
REPORT = Kind(name="report", group="moot.reports", about="format", offers="a ReportFormat, or a function of a report")

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
        except (Exception, SystemExit) as error:  # house: broad because foreign code raises what it likes
            raise self.broken(f"{type(error).__name__}: {error}") from error
        if not isinstance(thing, wanted):
            raise self.broken(f"it is not {self.kind.offers}")
        return thing

    def broken(self, why: str) -> ProtocolError:
        """The error that says why it cannot be used."""
        sentence = f"{self.name!r} of the package {self.package} ({self.point.value}) cannot be used: {why}"
        return ProtocolError(sentence, about=self.kind.about)

    def used(self, *what: str) -> Package:
        """Its package as it stands on record."""
        return Package(name=self.package, version=self.version, used_for=what or (f"{self.kind.name} {self.name}",))


def offers(*kinds: Kind) -> tuple[Offer, ...]:
    """All that packages offer of some kinds: kind by kind, by name and package, in one look."""
    from importlib.metadata import entry_points  # here for start-up time

    points = entry_points()
    found = {kind: [Offer(kind=kind, point=point) for point in points.select(group=kind.group)] for kind in kinds}
    return tuple(
        offer for kind in kinds for offer in sorted(found[kind], key=lambda offer: (offer.name, offer.package))
    )


def offered(kind: Kind) -> tuple[str, ...]:
    """The names that packages offer of a kind, in the order of the alphabet."""
    return tuple(dict.fromkeys(offer.name for offer in offers(kind)))


def find(kind: Kind, name: str) -> Offer | None:
    """What is offered under a name; None if no package offers it.

    Raises:
        ProtocolError: several packages offer it.
    """
    found = [offer for offer in offers(kind) if offer.name == name]
    if len(found) > 1:
        packages = ", ".join(offer.package for offer in found)
        raise ProtocolError(f"several packages offer a {kind.name} {name!r}: {packages}; keep one", about=kind.about)
    return found[0] if found else None


def installed(package: str) -> str:
    """The version of a package that is installed; "" where it is not."""
    from importlib.metadata import PackageNotFoundError, version  # here for start-up time

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def culprit(error: BaseException | None) -> Offer | None:
    """What the package offers in whose code an error was raised; None where it was none of those."""
    if error is None or isinstance(error, MootError):
        return None
    from traceback import walk_tb  # here for start-up time

    packages = {offer.point.module.partition(".")[0]: offer for offer in reversed(offers(*KINDS))}
    names = (str(frame.f_globals.get("__name__", "")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__))
    culprits = [packages[name] for name in names if name in packages]
    return culprits[-1] if culprits else None


# ---- options ---------------------------------------------------------------------------------------------------------

MARK = "moot"
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
    """The options that a dataclass declares: the type of each, what it allows, and its default."""
    if not is_dataclass(kind):
        return {}
    hints = get_type_hints(kind)
    return {
        item.name: (hints[item.name], cast(Limits, item.metadata[MARK]), cast(Value, item.default))
        for item in fields(kind)
        if MARK in item.metadata and item.default is not MISSING
    }


def check_options(kind: type[object], given: Mapping[str, Value], *, whose: str, where: str) -> dict[str, Value]:
    """The options that are given, as the dataclass takes them.

    Args:
        kind: the dataclass that declares them.
        given: their values as they were read.
        whose: who takes them, for sentences.
        where: the key behind which they stand.

    Raises:
        ProtocolError: there is no such option, or it does not take that value.
    """
    known = options_of(kind)
    checked: dict[str, Value] = {}
    for name, value in given.items():
        about = f"{where}.{name}"
        if name not in known:
            there = unknown_word(name, tuple(known)) if known else "it has none"
            raise ProtocolError(f"{whose} has no option {name!r}; {there}", about=about)
        asked, limits, _ = known[name]
        taken = _as_type(asked, value)
        if taken is None:
            raise ProtocolError(f"{about} is {value!r}; it must be {_wanted(asked)}", about=about)
        if wrong := _beyond(taken, limits):
            raise ProtocolError(f"{about} {wrong}", about=about)
        checked[name] = taken
    return checked


def _as_type(asked: object, value: Value) -> Value | None:
    """A value as an option of that type takes it; None where it does not."""
    if get_origin(asked) is tuple and get_args(asked)[:1] == (str,):
        texts = (value,) if isinstance(value, str) else value
        return texts if isinstance(texts, tuple) else None
    if asked is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if asked is int and isinstance(value, float) and value.is_integer():
        return int(value)
    return value if type(value) is asked else None


def _wanted(asked: object) -> str:
    words: dict[object, str] = {
        bool: "yes or no",
        int: "a whole number",
        float: "a number",
        str: "a text; put quotes around it",
    }
    return words.get(asked, "a list of texts")


def _beyond(value: Value, limits: Limits) -> str:
    """What is wrong with a value of the right type; "" where nothing is."""
    words = value if isinstance(value, tuple) else (value,) if isinstance(value, str) else ()
    if limits.choices and (odd := [word for word in words if word not in limits.choices]):
        return f"cannot be {odd[0]!r}; {unknown_word(str(odd[0]), limits.choices, 'allowed are')}"
    size = len(value) if isinstance(value, tuple) else value
    if isinstance(size, str | bool):
        return ""
    low, high = limits.low, limits.high
    if (low is None or size >= low) and (high is None or size <= high):
        return ""
    what = " entries" if isinstance(value, tuple) else ""
    least, most = (f"at least {low:g}" if low is not None else ""), (f"at most {high:g}" if high is not None else "")
    return f"must have {' and '.join(filter(None, (least, most)))}{what}, not {size}"
