"""What all routes stand on. This file owns what one server holds as long as it lives.

Rights: which routes need which. This file owns that a debate which a pass may not see does not exist for it.
"""

import re
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias, cast

from fastapi import APIRouter, Depends, Path
from starlette.requests import HTTPConnection

from moot.app.plan.settings import Serving
from moot.app.run.access import Claim, Right, claimed, mark_of, opened_by
from moot.app.run.runner import Runner
from moot.app.run.workspace import Workspace
from moot.app.serve.admission import Remarks
from moot.app.serve.spending import Spending
from moot.app.serve.visibility import Ears
from moot.core.errors import BriefError
from moot.web.auth import Pass, Passes, reaches, session_cookie, share_cookie, share_cookies
from moot.web.cache import Kept, Sums
from moot.web.live import Live
from moot.web.problems import EVERYWHERE, Problem

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
        remarks: what is said in debates from outside.
    """

    runner: Runner
    live: Live
    passes: Passes
    spending: Spending
    serving: Serving
    hosts: frozenset[str]
    sums: Sums = field(default_factory=Sums)
    kept: Kept = field(default_factory=Kept)
    remarks: Remarks = field(default_factory=Remarks)

    @property
    def workspace(self) -> Workspace:
        """The desk of the hall."""
        return self.runner.workspace


def site_of(connection: HTTPConnection) -> Site:
    """The server that a request came to."""
    return cast("Site", connection.scope[SITE])


Needed: TypeAlias = Literal["none", "view", "join", "own"]

_DEBATE = re.compile(r"[\w.-]{1,200}", re.ASCII)
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

PREFIX = "/api/v1"

HEADER = "x-moot"
"""What a page of ours sends beside its cookie; a form of another page cannot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Somebody at a debate: who, with which right, and whose the debate is."""

    site: Site
    debate: str
    holder: Pass
    right: Right
    claim: Claim

    @property
    def who(self) -> str:
        """For whom at the table the holder of a link answers; "" for nobody in particular, or for an owner."""
        return self.holder.share.who if self.holder.share else ""

    @property
    def ears(self) -> Ears:
        """What is heard: all by an owner, what the person may read for whom a link is, or what is for everybody."""
        return None if self.right == "own" else self.who


@dataclass(frozen=True, slots=True)
class Needs:
    """A debate must be there, and the pass must have this right on it."""

    right: Right

    async def __call__(
        self,
        connection: HTTPConnection,
        debate: Annotated[str, Path(description="The debate's id.", examples=["depot-3f2a1c"])],
    ) -> Visit:
        """Who comes, and to what."""
        return await visit(connection, debate, self.right)


@dataclass(frozen=True, slots=True)
class NeedsOwner:
    """Whoever comes must be at the machine or hold a token of the owner's."""

    right: Right = "own"

    async def __call__(self, connection: HTTPConnection) -> Pass:
        """Who comes."""
        return owner_of(connection)


@dataclass(frozen=True, slots=True)
class NeedsNothing:
    """Anybody may come."""

    right: Needed = "none"

    def __call__(self) -> None:
        """Nobody is asked."""


async def visit(connection: HTTPConnection, debate: str, needed: Right) -> Visit:
    """Who comes to a debate.

    Raises:
        Problem: 401 where nothing is sent along, 404 where there is no such debate for the pass, 403 where its right
            does not reach.
    """
    site = site_of(connection)
    holder = find_pass(connection)
    if not _DEBATE.fullmatch(debate):
        raise missing(debate) if holder else unknown()
    claim = await claimed(site.workspace, debate)
    if holder is None or holder.right_on(claim) is None:
        holder = await _shared(connection, site, debate) or holder
    if holder is None:
        raise unknown()
    _check_header(connection, holder)
    right = holder.right_on(claim)
    known = debate in site.runner.running or site.runner.error(debate) is not None
    if right is None or not (known or await site.workspace.store.read(debate, limit=1)):
        raise missing(debate)
    if not reaches(right, needed):
        raise Problem(403, f"this link lets you {right}; it needs the right to {needed} the debate")
    return Visit(site=site, debate=debate, holder=holder, right=right, claim=claim)


def owner_of(connection: HTTPConnection) -> Pass:
    """Whoever is at the machine, or holds a token of the owner's.

    Raises:
        Problem: 401 where it is neither.
    """
    holder = find_pass(connection)
    if holder is None:
        raise unknown()
    _check_header(connection, holder)
    return holder


def find_pass(connection: HTTPConnection) -> Pass | None:
    """The owner behind a request; None where it is none. A token that is sent counts, whatever cookies say."""
    passes = site_of(connection).passes
    if secret := bearer(connection):
        return passes.of_token(secret)
    session = connection.cookies.get(session_cookie(host_of(connection)))
    return passes.of_session(session) if session else None


def host_of(connection: HTTPConnection) -> str:
    """Under which name and port the server was asked; the guard has checked it."""
    return connection.headers.get("host", "")


def bearer(connection: HTTPConnection) -> str:
    """The token of the header ``Authorization``; "" where there is none."""
    kind, _, secret = connection.headers.get("authorization", "").partition(" ")
    return secret.strip() if kind.lower() == "bearer" else ""


async def _shared(connection: HTTPConnection, site: Site, debate: str) -> Pass | None:
    """The pass of a link to that debate, by its cookie or sent as a token."""
    cookie = connection.cookies.get(share_cookie(host_of(connection), debate), "")
    secret = bearer(connection) or cookie
    found = await opened_by(site.workspace, debate, secret) if secret else None
    if found is None:
        return None
    site.passes.meet(found.mark)
    return Pass(share=found, cookie=not bearer(connection), mark=found.mark)


def link_of(connection: HTTPConnection) -> str:
    """The hash of a known link that was sent along, by which its requests are counted; "" where there is none."""
    start, passes = share_cookies(host_of(connection)), site_of(connection).passes
    cookies = [value for name, value in connection.cookies.items() if name.startswith(start)]
    sent = [secret] if (secret := bearer(connection)) else cookies
    return next((mark for mark in map(mark_of, sent) if mark in passes.links), "")


def _check_header(connection: HTTPConnection, holder: Pass) -> None:
    """Refuse what another page may have made a browser send."""
    unsafe = connection.scope["type"] == "http" and connection.scope["method"] not in _SAFE
    if unsafe and holder.cookie and connection.headers.get(HEADER) != "1":
        raise Problem(403, "with a cookie, this needs the header X-Moot: 1", "header")


def unknown() -> Problem:
    """What is said to whom nobody knows."""
    detail = "no token came along, or one that is not known; open the link that moot serve printed"
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def missing(debate: str) -> Problem:
    """What is said of a debate that is not there for a pass."""
    return Problem(404, f"there is no debate {debate[:80]!r}")


async def seen(connection: HTTPConnection, debate: str) -> Visit:
    """The visit to a debate that is named in a query; see ``visit``."""
    if not debate:
        raise BriefError("name two debates: a and b", code="missing_key")
    return await visit(connection, debate, "view")


def api_router(tag: str) -> APIRouter:
    """A router of the API; its routes are named by their functions, and may answer with any problem."""
    return APIRouter(
        prefix=PREFIX, tags=[tag], responses=EVERYWHERE, generate_unique_id_function=lambda route: route.name
    )


def _site(connection: HTTPConnection) -> Site:
    return site_of(connection)


Viewing: TypeAlias = Annotated[Visit, Depends(Needs("view"))]
Joining: TypeAlias = Annotated[Visit, Depends(Needs("join"))]
Owning: TypeAlias = Annotated[Visit, Depends(Needs("own"))]
SiteOf: TypeAlias = Annotated[Site, Depends(_site)]
Owner: TypeAlias = Annotated[Pass, Depends(NeedsOwner())]
