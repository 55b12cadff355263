"""The packages beside Moot that a debate uses, and whether they are here and the same."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from moot.core.brief import TOOLS, Brief
from moot.core.errors import PackageMissing
from moot.core.event import Package
from moot.core.extensions import PROTOCOL, PROVIDER, TOOL, find, installed
from moot.core.text import listed
from moot.models.names import PROVIDERS
from moot.protocols.known import KNOWN
from moot.protocols.spec import packages_in


def packages_of(brief: Brief, name: str, tree: Mapping[str, object]) -> tuple[Package, ...]:
    """The packages beside Moot that a debate uses, with their versions.

    Args:
        brief: the brief with agents assigned.
        name: the name of the protocol.
        tree: its phase tree as data.
    """
    used: dict[str, Package] = {}
    for package in (*_offered(brief, name), *packages_in(tree)):
        known = used.setdefault(package.name, replace(package, version=package.version or installed(package.name)))
        used[package.name] = replace(known, used_for=tuple(dict.fromkeys((*known.used_for, *package.used_for))))
    return tuple(used.values())


def _offered(brief: Brief, name: str) -> Iterator[Package]:
    """The packages of a protocol, of models and of tools that are not built in."""
    names = [(PROTOCOL, name)] if name not in KNOWN else []
    for who in brief.participants:
        seats = (who.seat, *who.fallback, who.stand_in)
        words = [seat.partition(":")[0] for seat in seats if ":" in seat and who.duty != "aide"]
        names += [(PROVIDER, word) for word in words if word not in PROVIDERS and word not in OURS]
        names += [(TOOL, tool) for tool in who.tools if tool not in TOOLS and ":" not in tool]
    for kind, word in dict.fromkeys(names):
        if offer := find(kind, word):
            yield offer.used()


OURS = ("builtin", "guest")
"""What stands before the colon of seats that no provider answers for."""


def changed_packages(packages: Sequence[Package]) -> list[str]:
    """Which packages of a debate on record are here in another version, a sentence each."""
    here = [(package, installed(package.name)) for package in packages]
    return [
        f"{package.name} is {version} here; the debate began with {package.version}"
        for package, version in here
        if version and package.version and version != package.version
    ]


def check_packages(packages: Sequence[Package]) -> None:
    """Make sure that the packages of the models and tools of a debate on record are there.

    Raises:
        PackageMissing: one is not.
    """
    for package in packages:
        needs = [use for use in package.used_for if use.startswith((PROVIDER.name, TOOL.name))]
        if needs and not installed(package.name):
            raise PackageMissing(f"the debate needs {package} for its {listed(needs)}; that package is not installed")
