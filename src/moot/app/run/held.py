"""A debate that can be held. This file owns what a plan is."""

from dataclasses import dataclass

from moot.core.brief import Brief
from moot.core.event import Opened
from moot.phases.phases_base import Phase
from moot.protocols.spec import dump


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A debate that can be held.

    Attributes:
        brief: the brief with everybody seated.
        name: the protocol's name.
        protocol: its phase tree.
        log: how the brief wants the result written beside the report; "" for the report alone.
        chosen: what was chosen about the protocol, in words.
    """

    brief: Brief
    name: str
    protocol: Phase
    log: str = ""
    chosen: tuple[str, ...] = ()

    def opened(self) -> Opened:
        """The first entry of the record."""
        return Opened(brief=self.brief, protocol=dump(self.protocol), name=self.name, log=self.log, chosen=self.chosen)
