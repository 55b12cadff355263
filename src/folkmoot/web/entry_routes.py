"""Routes of the entries of a debate: JSON lines, server-sent events and the live WebSocket."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, suppress
from typing import Annotated, Literal, cast

from fastapi import Header, Query, WebSocket
from fastapi.responses import StreamingResponse
from starlette.requests import Request
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect, WebSocketState

from folkmoot.app.run.access import shares
from folkmoot.app.serve.live import (
    AWAY,
    Digest,
    Form,
    Item,
    Overrun,
    RawLines,
    StoredItems,
    Viewer,
    ViewerGroup,
    write,
)
from folkmoot.core.errors import RecordAway, RecordError
from folkmoot.web.problems import Problem
from folkmoot.web.site import DebateAccess, Viewing, api_router

router = api_router("entries")

HEARTBEAT = 15.0
"""Seconds after which a silent stream sends a heartbeat."""

PATIENCE = 30.0
"""Seconds for which a database may be away while stored entries are sent."""

LOOK = 1.0
"""Seconds between two checks whether a viewer may still watch."""

EVENTS = "text/event-stream"
LINES = "application/x-ndjson"

After = Annotated[int, Query(ge=0, le=10**9, description="The number of the last entry that the client has.")]


class Stream(StreamingResponse):
    """A stream whose source is closed with it, also when the client disconnects.

    Args:
        source: the content.
        visit: the request's access to the debate; the number of streams is limited for each identity.
        media_type: the media type.
    """

    def __init__(self, source: AsyncIterator[bytes], visit: DebateAccess, media_type: str) -> None:
        super().__init__(source, media_type=media_type, headers={"X-Accel-Buffering": "no"})
        self._visit = visit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request."""
        with self._visit.site.auth.streaming(self._visit.holder):
            await super().__call__(scope, receive, send)

    async def stream_response(self, send: Send) -> None:
        """Send the content."""
        async with aclosing(cast("AsyncGenerator[bytes]", self.body_iterator)):
            await super().stream_response(send)


@router.get(
    "/debates/{debate}/entries",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The entries as JSON lines; with `Accept: text/event-stream` as events, `id:` the number.",
            "content": {
                LINES: {"schema": {"type": "string"}, "example": '{"v":2,"seq":1,"kind":"opened","body":{}}\n'},
                EVENTS: {"schema": {"type": "string"}, "example": 'id: 1\nevent: debate_start\ndata: {"v":2}\n\n'},
            },
        }
    },
)
async def get_entries(
    visit: Viewing,
    request: Request,
    after: After = 0,
    follow: Annotated[bool, Query(description="Continue with new entries, until the debate ends.")] = False,
    form: Annotated[
        Literal["", "entries", "frames"],
        Query(description="`entries` as they are stored, for owners; `frames` as the web app needs them."),
    ] = "",
    last_event_id: Annotated[str, Header(description="The same as `after`, for a client that reconnects.")] = "",
) -> Stream:
    """Return the entries of a debate: the stored ones and, with `follow`, new ones as they come."""
    form = form or ("entries" if visit.right == "own" else "frames")
    if form == "entries" and visit.right != "own":
        raise Problem(403, "only the owner of the debate can read the raw record; use form=frames")
    events = EVENTS in request.headers.get("accept", "")
    if events and last_event_id:
        after = _number(last_event_id)
    source = _followed(visit, after, HEARTBEAT) if follow else _stored_items(visit, after, form, events)
    return Stream(_events(source, form) if events else _lines(source, form), visit, EVENTS if events else LINES)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise Problem(422, "Last-Event-ID must be the number of an entry", "cursor")
    return int(text)


async def _stored_items(visit: DebateAccess, after: int, form: Form, named: bool) -> AsyncGenerator[list[Item]]:
    lines = RawLines(named=named) if form == "entries" else Digest(visit.reader)
    past = StoredItems(visit.site.workspace.store, visit.debate, lines, after)
    until = asyncio.get_running_loop().time() + PATIENCE
    while True:
        try:
            page = await past.page()
        except RecordAway:
            if asyncio.get_running_loop().time() > until:
                raise  # the answer is cut off: it must not look as if this were all
            await asyncio.sleep(AWAY)
            continue
        if not page:
            return
        yield page


async def _followed(visit: DebateAccess, after: int, beat: float) -> AsyncGenerator[list[Item]]:
    """Stored and new entries; empty pages after ``beat`` seconds of silence. It ends when the viewer's access ends."""
    clock = asyncio.get_running_loop().time
    sent = clock()
    with visit.site.live.watching(visit.debate, visit.reader) as group:
        viewer = Viewer(visit.site.workspace.store, group, after, beat=LOOK)
        while (page := await viewer.take()) is not None and not await ended(visit):
            if page or clock() >= sent + beat:
                sent = clock()
                yield page


async def ended(visit: DebateAccess) -> bool:
    """Whether the viewer's access has ended: the link was revoked or has expired, or the server shuts down."""
    share, site = visit.holder.share, visit.site
    if share is None or site.live.closing.is_set():
        return site.live.closing.is_set()
    if site.auth.looks_again(visit.debate):  # another server may have revoked it
        with suppress(RecordError):
            site.auth.revoked.update(share.id for share in await shares(site.workspace, visit.debate) if share.revoked)
    return share.id in site.auth.revoked or not share.holds(site.workspace.clock())


async def _events(source: AsyncGenerator[list[Item]], form: Form) -> AsyncIterator[bytes]:
    async with aclosing(source) as pages:
        async for page in pages:
            yield b"".join([item.event(form) for item in page if item.seq]) or b": \n\n"


async def _lines(source: AsyncGenerator[list[Item]], form: Form) -> AsyncIterator[bytes]:
    async with aclosing(source) as pages:
        async for page in pages:
            if lines := b"".join([item.data(form) + b"\n" for item in page if item.seq]):
                yield lines


# ---- WebSocket -------------------------------------------------------------------------------------------------------


@router.websocket("/debates/{debate}/live")
async def watch_debate(socket: WebSocket, visit: Viewing, after: int = 0) -> None:
    """Send arrays of frames and pieces of answers; ends when the debate ends.

    A viewer that is too slow gets ``{"resync": n}`` and is disconnected; it reconnects with ``after=n``.
    """
    with visit.site.auth.streaming(visit.holder):
        await socket.accept()
        async with asyncio.TaskGroup() as group:
            sending = group.create_task(_send(socket, visit, max(0, after)))
            try:
                while True:  # only receiving shows that the viewer has disconnected
                    await socket.receive_text()
            except (WebSocketDisconnect, KeyError, RuntimeError):  # other messages are not supported
                pass
            finally:
                sending.cancel()


async def _send(socket: WebSocket, visit: DebateAccess, after: int) -> None:
    code, reason = 1000, "over"
    try:
        with visit.site.live.watching(visit.debate, visit.reader) as group:
            code, reason = await _send_all(socket, visit, group, after)
    except Overrun as error:
        await socket.send_text(f'{{"resync":{error}}}')
        code, reason = 1013, "too slow"
    except RecordError as error:
        await socket.send_text(write({"error": str(error)}).decode())
        code, reason = 1011, "record"
    except WebSocketDisconnect:
        return
    if socket.application_state is WebSocketState.CONNECTED:
        await socket.close(code, reason)


async def _send_all(socket: WebSocket, visit: DebateAccess, group: ViewerGroup, after: int) -> tuple[int, str]:
    viewer = Viewer(visit.site.workspace.store, group, after, beat=LOOK, resync=True)
    while (page := await viewer.take()) is not None:
        if await ended(visit):
            closing = visit.site.live.closing.is_set()
            return (1001, "the server shuts down") if closing else (1008, "the link is no longer valid")
        if page:
            await socket.send_text("[" + b",".join([item.frame for item in page]).decode() + "]")
    return 1000, "over"
