"""What all routes stand on. This file owns what one server holds as long as it lives."""

from dataclasses import dataclass, field
from typing import cast

from starlette.requests import HTTPConnection

from moot.app.plan.serving import Serving
from moot.app.run.runner import Hall
from moot.app.run.workspace import Desk
from moot.app.serve.saying import Sayings
from moot.app.serve.spending import Till
from moot.web.auth import Passes
from moot.web.cache import Kept
from moot.web.live import Live
from moot.web.sums import Sums

SITE = "moot.site"
"""Where the guard puts the server into a request's scope; without the guard there is none."""


@dataclass(slots=True, kw_only=True)
class Site:
    """One server.

    Attributes:
        hall: the debates that are held here or by workers, over their desk.
        live: whoever follows debates.
        passes: whom it knows.
        till: what owners may spend in a day.
        serving: the owner's settings.
        hosts: the values of the header ``Host`` that are answered.
        sums: what debates came to, remembered for lists.
        kept: what was read from records, remembered.
        sayings: what is said in debates from outside.
    """

    hall: Hall
    live: Live
    passes: Passes
    till: Till
    serving: Serving
    hosts: frozenset[str]
    sums: Sums = field(default_factory=Sums)
    kept: Kept = field(default_factory=Kept)
    sayings: Sayings = field(default_factory=Sayings)

    @property
    def desk(self) -> Desk:
        """The desk of the hall."""
        return self.hall.desk


def site_of(connection: HTTPConnection) -> Site:
    """The server that a request came to."""
    return cast("Site", connection.scope[SITE])
