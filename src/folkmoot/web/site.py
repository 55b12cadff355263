"""The state of one server, and authorization: which right a route needs.

A debate that a client may not see does not exist for it: the answer is 404, as for an unknown id.
"""

import re
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias, cast

from fastapi import APIRouter, Depends, Path
from starlette.requests import HTTPConnection

from folkmoot.app.endpoint.endpoint import Endpoint
from folkmoot.app.plan.model_check import ModelChecks
from folkmoot.app.plan.settings_tables import Serving
from folkmoot.app.run.access import Claim, Right, claimed, hash_of, share_of
from folkmoot.app.run.runner import Runner
from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.admission import RemarkQueue
from folkmoot.app.serve.live import Live
from folkmoot.app.serve.request_guard import bearer
from folkmoot.app.serve.spending import Spending
from folkmoot.app.serve.visibility import Reader
from folkmoot.core.errors import BriefError
from folkmoot.web.auth import Authenticator, Identity, reaches, session_cookie, share_cookie, share_cookies
from folkmoot.web.bodies import ParsedRoute
from folkmoot.web.cache import ResultCache
from folkmoot.web.problems import EVERYWHERE, Problem, is_model_api

SITE = "folkmoot.site"
"""The key of the server in a request's scope; the guard sets it."""


@dataclass(slots=True, kw_only=True)
class ServerState:
    """The state of one server.

    Attributes:
        runner: runs debates here or on workers, in its workspace.
        live: the viewers of debates.
        auth: authenticates requests.
        spending: what owners may spend per day.
        serving: the owner's settings.
        hosts: the accepted values of the header ``Host``.
        endpoint: presets as models, for clients of OpenAI's interface.
        started: when it began, in seconds since 1970.
        kept: what was read from records, cached.
        remarks: accepts the messages of viewers.
        checks: asks models whether they answer, and remembers it for a minute.
    """

    runner: Runner
    live: Live
    auth: Authenticator
    spending: Spending
    serving: Serving
    hosts: frozenset[str]
    endpoint: Endpoint
    started: float = 0.0
    kept: ResultCache = field(default_factory=ResultCache)
    remarks: RemarkQueue = field(default_factory=RemarkQueue)
    checks: ModelChecks = field(default_factory=ModelChecks)

    @property
    def workspace(self) -> Workspace:
        """The workspace of the runner."""
        return self.runner.workspace


def site_of(connection: HTTPConnection) -> ServerState:
    """The server that a request came to."""
    return cast("ServerState", connection.scope[SITE])


Needed: TypeAlias = Literal["none", "view", "join", "own"]

_DEBATE = re.compile(r"[\w.-]{1,200}", re.ASCII)
_OF_DEBATE = re.compile(r"/api/v1/debates/([\w.-]{1,200})(?:/|$)", re.ASCII)
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

PREFIX = "/api/v1"

HEADER = "x-folkmoot"
"""A header that the web app sends with its cookie; a form on another page cannot send it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateAccess:
    """The access of one request to a debate: the identity, its right, and the owner of the debate."""

    site: ServerState
    debate: str
    holder: Identity
    right: Right
    claim: Claim

    @property
    def who(self) -> str:
        """The participant for whom the user of a link answers; "" for none, or for an owner."""
        return self.holder.share.who if self.holder.share else ""

    @property
    def reader(self) -> Reader:
        """What the client may read: everything (owner), what the person of the link may read, or what is public."""
        return None if self.right == "own" else self.who


@dataclass(frozen=True, slots=True)
class Needs:
    """A dependency: the debate must exist, and the client must have this right on it."""

    right: Right

    async def __call__(
        self,
        connection: HTTPConnection,
        debate: Annotated[str, Path(description="The debate's id.", examples=["depot-3f2a1c"])],
    ) -> DebateAccess:
        """The access of the request."""
        return await visit(connection, debate, self.right)


@dataclass(frozen=True, slots=True)
class NeedsOwner:
    """A dependency: the client must be the local owner or have a token."""

    right: Right = "own"

    async def __call__(self, connection: HTTPConnection) -> Identity:
        """The identity of the client."""
        return owner_of(connection)


@dataclass(frozen=True, slots=True)
class NeedsNothing:
    """A dependency: no right is needed."""

    right: Needed = "none"

    def __call__(self) -> None:
        """Do nothing."""


async def visit(connection: HTTPConnection, debate: str, needed: Right) -> DebateAccess:
    """Check and return the access of a request to a debate.

    Raises:
        Problem: 401 without authentication, 404 where the debate does not exist for the client, 403 where its right
            is not enough.
    """
    site = site_of(connection)
    holder = find_identity(connection)
    if not _DEBATE.fullmatch(debate):
        raise missing(debate) if holder else unknown()
    claim = await claimed(site.workspace, debate)
    if holder is None or holder.right_on(claim) is None:
        holder = await _share_identity(connection, site, debate) or holder
    if holder is None:
        raise unknown()
    _check_header(connection, holder)
    right = holder.right_on(claim)
    known = debate in site.runner.running or site.runner.error(debate) is not None
    if right is None or not (known or await site.workspace.store.read(debate, limit=1)):
        raise missing(debate)
    if not reaches(right, needed):
        raise Problem(403, f"this link gives the right to {right} only; this needs the right to {needed}")
    return DebateAccess(site=site, debate=debate, holder=holder, right=right, claim=claim)


def owner_of(connection: HTTPConnection) -> Identity:
    """The local owner, or the owner of a token.

    Raises:
        Problem: 401 where the client is neither.
    """
    holder = find_identity(connection)
    if holder is None:
        raise unknown()
    _check_header(connection, holder)
    return holder


def find_identity(connection: HTTPConnection) -> Identity | None:
    """The owner who sent a request; None where it is no owner. A token has priority over cookies."""
    auth = site_of(connection).auth
    if secret := bearer(connection.headers):
        return auth.of_token(secret)
    session = connection.cookies.get(session_cookie(host_of(connection)))
    return auth.of_session(session) if session else None


async def authenticate(connection: HTTPConnection) -> Identity | None:
    """Who sent a request, as far as can be known before its body is read; None for nobody who may send one.

    Under ``/v1`` only the tokens of programs count. Elsewhere it may be an owner, or the holder of a link to the debate
    that the address names; what they may do is for the route to say.
    """
    if is_model_api(path := connection.scope["path"]):
        return site_of(connection).auth.of_token(bearer(connection.headers))
    if holder := find_identity(connection):
        return holder
    debate = _OF_DEBATE.match(path)
    return await _share_identity(connection, site_of(connection), debate[1]) if debate else None


def host_of(connection: HTTPConnection) -> str:
    """The host name and port of a request; the guard has checked them."""
    return connection.headers.get("host", "")


async def _share_identity(connection: HTTPConnection, site: ServerState, debate: str) -> Identity | None:
    """The identity of a share link to the debate, sent as a cookie or as a token."""
    cookie = connection.cookies.get(share_cookie(host_of(connection), debate), "")
    secret = bearer(connection.headers) or cookie
    share = await share_of(site.workspace, debate, secret) if secret else None
    if share is None:
        return None
    site.auth.meet(share.mark)
    return Identity(share=share, cookie=not bearer(connection.headers), mark=share.mark)


def link_of(connection: HTTPConnection) -> str:
    """The hash of a known share link in a request, by which its requests are counted; "" where there is none."""
    start, auth = share_cookies(host_of(connection)), site_of(connection).auth
    cookies = [value for name, value in connection.cookies.items() if name.startswith(start)]
    sent = [secret] if (secret := bearer(connection.headers)) else cookies
    return next((mark for mark in map(hash_of, sent) if mark in auth.links), "")


def _check_header(connection: HTTPConnection, holder: Identity) -> None:
    """Refuse requests that another page may have made a browser send."""
    unsafe = connection.scope["type"] == "http" and connection.scope["method"] not in _SAFE
    if unsafe and holder.cookie and connection.headers.get(HEADER) != "1":
        raise Problem(403, "with a cookie, this request needs the header X-Folkmoot: 1", "header")


def unknown(path: str = "") -> Problem:
    """The problem for a client that is not authenticated."""
    way = (
        "send one of [serve.tokens] as the API key"
        if is_model_api(path)
        else "open the link that folkmoot serve printed"
    )
    detail = f"the token is missing or not known; {way}"
    return Problem(401, detail, headers={"WWW-Authenticate": "Bearer"})


def missing(debate: str) -> Problem:
    """The problem for a debate that does not exist for the client."""
    return Problem(404, f"there is no debate {debate[:80]!r}")


async def visit_named(connection: HTTPConnection, debate: str) -> DebateAccess:
    """The access to a debate that is named in a query; see ``visit``."""
    if not debate:
        raise BriefError("give two debates: a and b", code="missing_key")
    return await visit(connection, debate, "view")


def api_router(tag: str) -> APIRouter:
    """A router of the API; its routes are named by their functions, and may answer with any problem."""
    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        responses=EVERYWHERE,
        generate_unique_id_function=lambda route: route.name,
        route_class=ParsedRoute,
    )


def _site(connection: HTTPConnection) -> ServerState:
    return site_of(connection)


Viewing: TypeAlias = Annotated[DebateAccess, Depends(Needs("view"))]
Joining: TypeAlias = Annotated[DebateAccess, Depends(Needs("join"))]
Owning: TypeAlias = Annotated[DebateAccess, Depends(Needs("own"))]
SiteOf: TypeAlias = Annotated[ServerState, Depends(_site)]
Owner: TypeAlias = Annotated[Identity, Depends(NeedsOwner())]
