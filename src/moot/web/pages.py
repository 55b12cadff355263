"""The page, and the doors to it. This file owns the built app's files, the links that let somebody in, and health."""

import asyncio
import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from moot.app.run.access import opened_by
from moot.app.run.dispatcher import QueueError
from moot.core.errors import RecordError
from moot.web.auth import SESSION_SECONDS, session_cookie, share_cookie
from moot.web.problems import Problem
from moot.web.site import PREFIX, NeedsNothing, SiteOf, find_pass, host_of

router = APIRouter(include_in_schema=False, dependencies=[Depends(NeedsNothing())])

DIST = Path(__file__).with_name("dist")
"""Where the built app lies."""

PATIENCE = 5.0
"""Seconds in which the record and the queue must have answered."""

LONGEST = 200
"""Letters of a file's name; a longer one is none, and no system is asked for it."""

FOR_EVER = "public, max-age=31536000, immutable"

HEAD = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>Moot</title>
"""
"""The beginning of a page of the server's own; it has the app's look where the app is built."""

MISSING = f"""{HEAD}<h1>Moot is running, and its page is not built</h1>
<p>The API is at <code>/api/v1</code>, its description at <code>/api/v1/openapi.json</code>.
To build the page, run <code>make app</code> in a clone of Moot, and load this again.</p>
"""

GONE = """<h1>This link is not good any more</h1>
<p>A link that <code>moot serve</code> prints is good once, for ten minutes. Press Enter there for a new one.</p>
"""

ENDED = """<h1>This link is not good any more</h1>
<p>Whoever sent it to you has taken it back, or its time is over. Ask them for a new one.</p>
"""

_STYLE = re.compile(r'<link rel="stylesheet"[^>]*>')
_NAME = re.compile(r"[\w.-]+(/[\w.-]+)*", re.ASCII)


def build_of() -> str:
    """The hash of the built page; "" where it is not built."""
    index = DIST / "index.html"
    return hashlib.sha256(index.read_bytes()).hexdigest()[:12] if index.is_file() else ""


@router.get("/healthz")
async def healthz() -> Response:
    """Say that the process answers."""
    return PlainTextResponse("ok\n")


@router.get("/readyz")
async def readyz(site: SiteOf) -> Response:
    """Say whether debates can be held: the record can be read, and the queue reached where there is one."""
    try:
        async with asyncio.timeout(PATIENCE):
            await site.runner.check()
    except QueueError:
        return PlainTextResponse("the queue cannot be reached\n", 503)
    except RecordError:
        return PlainTextResponse("the record cannot be read\n", 503)
    except TimeoutError:
        return PlainTextResponse(f"the record or the queue gave no answer within {PATIENCE:g} seconds\n", 503)
    return PlainTextResponse("ready\n")


@router.get("/")
@router.get("/compare")
@router.get("/ratings")
@router.get("/models")
async def page(request: Request, site: SiteOf, token: str = "") -> Response:
    """The page; with the one-time token of the printed link a session begins."""
    if not token:
        return _index()
    session = site.passes.exchange(token)
    if session is None:
        return _told(GONE, back=find_pass(request) is not None)
    # The address with the token leaves the bar, and is in no history: the page is loaded once more without it.
    answer = RedirectResponse(request.url.path, 303)
    name = session_cookie(host_of(request))
    answer.set_cookie(name, session, max_age=int(SESSION_SECONDS), httponly=True, samesite="strict")
    return answer


@router.get("/d/{debate}")
async def debate_page(request: Request, site: SiteOf, debate: str, share: str = "") -> Response:
    """The page of a debate; with the token of a link its holder is let in."""
    if not share:
        return _index()
    found = await opened_by(site.workspace, debate, share)
    if found is None:
        return _told(ENDED, back=find_pass(request) is not None)
    answer = RedirectResponse(request.url.path, 303)
    ends = None if found.until is None else max(1, int(found.until - site.workspace.clock()))
    name = share_cookie(host_of(request), debate)
    # The whole API, for two debates are compared outside the paths of either; the name tells the debate.
    answer.set_cookie(name, share, max_age=ends, path=PREFIX, httponly=True, samesite="strict")
    return answer


@router.get("/{name:path}")
async def asset(request: Request, name: str) -> Response:
    """A file of the built app; its name changes with what is in it."""
    if allowed(request.app.routes, request.url.path):  # a route of the API that is not got
        raise HTTPException(405)
    named = len(name) <= LONGEST and _NAME.fullmatch(name) and ".." not in name and not name.startswith("api/")
    path = DIST / name if named else None
    if path is None or not path.is_file():
        if "text/html" in request.headers.get("accept", "") and not name.startswith(("api/", "assets/")):
            return _index(404)  # whoever reads it is told so by the app
        raise Problem(404, f"there is no page /{name[:80]}")
    lasting = name.startswith("assets/")
    return FileResponse(path, headers={"Cache-Control": FOR_EVER if lasting else "no-cache"})


def _index(status: int = 200) -> Response:
    index = DIST / "index.html"
    if not index.is_file():
        return HTMLResponse(MISSING, status)
    return FileResponse(index, status, headers={"Cache-Control": "no-cache"}, media_type="text/html")


def _told(words: str, *, back: bool) -> Response:
    """A page of the server's own about a link that lets nobody in.

    Args:
        words: what it says, as HTML.
        back: whether whoever reads it has a session, and may look at the debates.
    """
    index = DIST / "index.html"
    style = "".join(_STYLE.findall(index.read_text("utf-8"))) if index.is_file() else ""
    way = '<p><a href="/">To the debates</a></p>' if back else ""
    return HTMLResponse(f'{HEAD}{style}<main class="page">{words}{way}</main>', 403)


def allowed(found: Sequence[BaseRoute], path: str) -> list[str]:
    """The methods of all routes of a path, also where several routes share it."""
    methods: set[str] = set()
    for each in found:
        if isinstance(each, Route) and each.path_regex.match(path) and each.path != "/{name:path}":
            methods |= each.methods or set()
    return sorted(methods)
