"""What was asked for through a model name, beside the record: so a retry finds its debate, and a response its request,
also when the server was killed meanwhile.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import cast

import msgspec

from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.run.access import claimed
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Requested
from folkmoot.core.transcript import fold
from folkmoot.record.listing import ListQuery
from folkmoot.record.mailbox import SideStream

LOOKED_AT = 200
"""So many of the newest debates of an owner are looked at for the one that a retry belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFor:
    """A request that has begun a debate.

    Attributes:
        request: the request as it was used.
        at: when it came, in seconds since 1970.
        echo: what a response tells back of it.
        background: whether nobody waits for it.
    """

    request: ChatRequest
    at: int
    echo: Mapping[str, object] = field(default_factory=dict[str, object])
    background: bool = False


def requested(
    digest: str, request: ChatRequest, echo: Mapping[str, object], *, background: bool, turn: str = ""
) -> Requested:
    """A request as it is stored."""
    without = tuple(replace(message, files=()) for message in request.messages)  # they are in the brief
    stored = {
        "request": msgspec.to_builtins(replace(request, messages=without)),
        "echo": dict(echo),
        "background": background,
    }
    return Requested(digest=digest, request=json.dumps(stored, ensure_ascii=False), turn=turn)


async def find_asked(workspace: Workspace, debate: str, owner: str) -> AskedFor | None:
    """What an owner has asked for with a debate; None if it is not of that owner or was begun in another way."""
    entries = await SideStream(workspace.store, debate, "asked", clock=workspace.clock).read()
    for entry in entries:
        if isinstance(entry.event, Requested) and (await claimed(workspace, debate)).owner == owner:
            stored: dict[str, object] = json.loads(entry.event.request)
            echo, request = cast("dict[str, object]", stored["echo"]), msgspec.convert(stored["request"], ChatRequest)
            return AskedFor(request=request, at=int(entry.at), echo=echo, background=bool(stored["background"]))
    return None


async def find_debate(workspace: Workspace, owner: str, since: float, *, digest: str = "", turn: str = "") -> str:
    """The newest debate of an owner that a request with that hash, or of that turn, has begun since; "" for none."""
    query = ListQuery(owner=owner, since=since, limit=LOOKED_AT)
    for summary in (await workspace.page(query)).debates:
        entries = await SideStream(workspace.store, summary.debate, "asked", clock=workspace.clock).read()
        for event in (entry.event for entry in entries):
            if isinstance(event, Requested) and (event.turn == turn if turn else event.digest == digest):
                return summary.debate
    return ""


async def file_parts(workspace: Workspace, debate: str) -> list[Mapping[str, object]]:
    """The pictures and PDFs of a debate that a request goes on from, as parts of a message."""
    brief = fold((await workspace.entries(debate))[:1]).brief
    return [
        {
            "type": "input_file",
            "filename": source.name,
            "file_data": f"data:{source.file.media};base64,{source.file.data}",
        }
        for source in (brief.background if brief else ())
        if source.file
    ]
