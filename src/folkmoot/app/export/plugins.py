"""The list of plugins: what other packages add to Folkmoot, of which kind, in which version, and why it is broken."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from folkmoot.app.brief.types import STRATEGIES
from folkmoot.app.export.report_formats import FORMATS, foreign_format
from folkmoot.app.plan.toolbox import foreign_tool
from folkmoot.core.brief import TOOLS
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.extensions import (
    KINDS,
    PHASE,
    PROTOCOL,
    PROVIDER,
    REPORT,
    RULE,
    TOOL,
    DeclaredOption,
    Kind,
    Offer,
    declared_options,
    find,
    offers,
)
from folkmoot.models.names import PROVIDERS, provider_named
from folkmoot.phases.choices import counting_rule
from folkmoot.protocols.known import KNOWN
from folkmoot.protocols.spec import protocol

OURS: Mapping[Kind, tuple[str, ...]] = {
    PROTOCOL: tuple(KNOWN),
    PHASE: (),
    RULE: STRATEGIES,
    PROVIDER: tuple(PROVIDERS),
    TOOL: TOOLS,
    REPORT: tuple(FORMATS),
}
"""The names that are built in; what another package offers under one of them is never used."""

_LOADS: Mapping[Kind, Callable[[Offer], object]] = {
    PROTOCOL: lambda offer: protocol(offer.name),
    PHASE: lambda offer: offer.load(ModuleType),
    RULE: lambda offer: counting_rule(offer.name),
    PROVIDER: lambda offer: provider_named(offer.name),
    TOOL: lambda offer: foreign_tool(offer.name),
    REPORT: foreign_format,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """Something that another package adds.

    Attributes:
        kind: ``protocol``, ``phase``, ``rule``, ``provider``, ``tool`` or ``report``.
        name: the name under which it is used.
        package: the package that offers it.
        version: the version of the package.
        broken: why it cannot be used; "" where it can.
        options: the options that it takes; empty where it is broken.
    """

    kind: str
    name: str
    package: str
    version: str
    broken: str = ""
    options: tuple[DeclaredOption, ...] = ()


def find_plugins() -> tuple[Plugin, ...]:
    """All that other packages add, by kind and name; each is imported, to see whether it can be used."""
    return tuple(map(_plugin, offers(*KINDS)))


def _plugin(offer: Offer) -> Plugin:
    broken, options = _why_broken(offer.kind, offer), ()
    if not broken:
        try:
            options = declared_options(offer)
        except ProtocolError as error:
            broken = str(error)
    return Plugin(
        kind=offer.kind.name,
        name=offer.name,
        package=offer.package,
        version=offer.version,
        broken=broken,
        options=options,
    )


def _why_broken(kind: Kind, offer: Offer) -> str:
    """Why something cannot be used; "" where it can."""
    if offer.name in OURS[kind]:
        return f"Folkmoot has a {kind.name} of that name, which is always used"
    try:
        if kind is not PHASE:  # modules may have any name, the same one too
            find(kind, offer.name)
        _LOADS[kind](offer)
    except (BriefError, ProtocolError) as error:
        return str(error)
    return ""
