"""MCP client: how a server is reached, which of its tools and results reach a model, and when it is refused.

Servers are the owner's: a command as a list of words, never through a shell, or an address. A server's description of
its tools is foreign text too. It is pinned by a hash, and a server whose tools change during a debate is refused.
"""

import asyncio
import hashlib
import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, TextIO, cast

from folkmoot.agents.toolkit import ToolResult, ToolUse
from folkmoot.core.ask import ToolSpec
from folkmoot.core.errors import BriefError, ToolError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean, clip
from folkmoot.tools.mcp_servers import Server

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult, ContentBlock

START = 30.0
"""Seconds in which a server must have shown its tools."""

END = 10.0
"""Seconds in which the line to a server must have ended; a process of its own is given 4 before it is killed."""

MOST_TOOLS = 64
"""Tools of one server."""

LONGEST_SCHEMA = 16 * 1024
"""Characters of what a tool takes, as JSON; a tool with more is left out."""

LONGEST_NAME = 40
LONGEST_HELP = 2000
"""Characters of what a server says of a tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOffer:
    """A tool as its server describes it."""

    name: str
    help: str
    schema: Mapping[str, object]


def fingerprint(offers: Sequence[ToolOffer]) -> str:
    """The hash of a server's tools: names, descriptions and schemas, in the order of the names."""
    descriptions = sorted([offer.name, offer.help, json.dumps(offer.schema, sort_keys=True)] for offer in offers)
    return "sha256:" + hashlib.sha256(json.dumps(descriptions).encode()).hexdigest()


@asynccontextmanager
async def attach(server: Server, *, seconds: float = START) -> AsyncGenerator["ServerConnection", None]:
    """A server with its tools, as long as the block runs.

    The connection lives in a task of its own, so that whatever happens to it happens to nobody else.

    Raises:
        BriefError: it does not start, or its tools are not those that were pinned.
    """
    attached = ServerConnection(server)
    group = asyncio.TaskGroup()
    await group.__aenter__()  # not ``async with``: an error of the block is to leave it as it is, not in a group
    holding = group.create_task(attached.hold())
    try:
        await attached.open(seconds)
        yield attached
    finally:
        attached.leave.set()
        late = asyncio.get_running_loop().call_later(END if attached.ready.is_set() else 0.0, holding.cancel)
        await group.__aexit__(None, None, None)
        late.cancel()


class ServerConnection:
    """The line to one server.

    Args:
        server: which one.

    Attributes:
        server: the same.
        ready: set when its tools are known, or cannot be.
        leave: set when it is no longer needed.
        hash: of its tools as they were when it was attached.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.ready, self.leave = asyncio.Event(), asyncio.Event()
        self.hash = ""
        self._offers: Sequence[ToolOffer] = ()
        self._client: Client | None = None
        self._fault = ""
        self._changed = False

    @property
    def tools(self) -> tuple["ServerTool", ...]:
        """Its tools, in the order in which it shows them, but for those that are too large."""
        return tuple(ServerTool(self, offer) for offer in self._offers if not _is_large(offer))

    @property
    def left_out(self) -> tuple[str, ...]:
        """The names of the tools that are left out because their description is too long for a model."""
        return tuple(_flat(offer.name, LONGEST_NAME) for offer in self._offers if _is_large(offer))

    async def open(self, seconds: float) -> None:
        """Wait for its tools.

        Raises:
            BriefError: it shows none in time, too many, or others than those that were pinned.
        """
        name = self.server.name
        try:
            async with asyncio.timeout(seconds):
                await self.ready.wait()
        except TimeoutError:
            raise BriefError(f"the MCP server {name} showed no tools in {seconds:g} seconds", code="no_tool") from None
        if self._fault:
            raise BriefError(self._fault, code="no_tool")
        if len(self._offers) > MOST_TOOLS:
            raise BriefError(f"the MCP server {name} has more than {MOST_TOOLS} tools", code="too_large")
        if self.server.pin not in ("", self.hash):
            problem = f"the tools of the MCP server {name} are not those that were pinned"
            raise BriefError(
                f'{problem}; if you trust them as they are now, set its pin to "{self.hash}"', code="bad_pin"
            )

    async def hold(self) -> None:
        """Keep the connection until it is no longer needed or breaks; what went wrong is kept, not raised."""
        if find_spec("mcp") is None:
            self._fault = missing_library(f"the MCP server {self.server.name}", "mcp")
            self.ready.set()
            return
        try:
            async with _connect(self.server) as client:
                self._offers = await _list(client)
                self.hash, self._client = fingerprint(self._offers), client
                self.ready.set()
                await self.leave.wait()
        except _faults() as error:
            self._fault = f"the MCP server {self.server.name} does not work: {_error_text(error)}"
        finally:
            self._client = None
            self.ready.set()

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Use one of its tools.

        Raises:
            ToolError: it gave no result, has ended, or shows other tools than at first.
        """
        if self._changed:
            raise ToolError(f"the tools of the server {self.server.name} have changed; they are refused")
        if self._client is None:
            raise ToolError(f"the server {self.server.name} has ended")
        try:
            # It may not say that its tools have changed; so it is asked.
            if fingerprint(await _list(self._client)) != self.hash:
                self._changed = True
                return await self.call(name, arguments)
            result = await self._client.call_tool(name, dict(arguments))
        except _faults() as error:
            raise ToolError(f"the server {self.server.name} gave no result: {_error_text(error)}") from error
        return _read(result, self.server.name)


class ServerTool:
    """One tool of a server.

    Args:
        line: the line to its server.
        offer: what the server says of it.

    Attributes:
        told: the description by the server, on one line; "" if there is none.
    """

    def __init__(self, line: ServerConnection, offer: ToolOffer) -> None:
        self._line, self._offer = line, offer
        server, self.told = line.server.name, _flat(offer.help, LONGEST_HELP)
        self.spec = ToolSpec(
            name=f"{server}_{_flat(offer.name, LONGEST_NAME)}",
            help=f"A tool of the server {server}, which says of it: {self.told or 'nothing'}",
            parameters=offer.schema,
        )

    async def use(self, arguments: Mapping[str, object], tool_use: ToolUse) -> ToolResult:
        """Use it; see ``agents.toolkit.Tool``."""
        return await self._line.call(self._offer.name, arguments)


@asynccontextmanager
async def _connect(server: Server) -> "AsyncGenerator[Client, None]":
    from mcp import Client, StdioServerParameters, stdio_client  # deferred: optional, and takes 0.7 s to load

    if server.url:
        async with Client(server.url, cache=None) as client:
            yield client
        return
    program, *arguments = server.command
    own = {name: os.environ[name] for name in server.env if name in os.environ}
    started = StdioServerParameters(command=program, args=arguments, env=own)
    with _discarded_log() as log:
        async with Client(stdio_client(started, errlog=log), cache=None) as client:
            yield client


def _discarded_log() -> TextIO:
    """Where a server's own log goes: nowhere, for it belongs on nobody's screen."""
    return open(os.devnull, "w", encoding="utf-8")


async def _list(client: "Client") -> Sequence[ToolOffer]:
    """All tools of a server; one more than are allowed is enough to know that there are too many."""
    offers: list[ToolOffer] = []
    cursor: str | None = None
    while True:
        page = await client.list_tools(cursor=cursor)
        offers += [
            ToolOffer(name=tool.name, help=tool.description or "", schema=tool.input_schema) for tool in page.tools
        ]
        cursor = page.next_cursor
        if not cursor or len(offers) > MOST_TOOLS:
            return offers


def _read(result: "CallToolResult", server: str) -> ToolResult:
    """A result as text, with the addresses of what it embeds.

    Raises:
        ToolError: the tool itself says that it failed, or gave nothing.
    """
    pieces = [_piece(content_block) for content_block in result.content]
    text = "\n\n".join(piece for piece, _ in pieces)
    if not result.content and result.structured_content is not None:
        text = json.dumps(result.structured_content, ensure_ascii=False)
    if result.is_error:
        raise ToolError(f"the server {server} says: {_flat(text, 500)}")
    if not text.strip():
        raise ToolError(f"the server {server} gave an empty result")
    return ToolResult(text=text, sources=(f"mcp:{server}", *(source for _, source in pieces if source)))


def _piece(block: "ContentBlock") -> tuple[str, str]:
    """One piece of a result: its words, or what it is, and its address."""
    match block.type:
        case "text":
            return block.text, ""
        case "image" | "audio":
            return f"[{block.type}, {block.mime_type}: not shown]", ""
        case "resource_link":
            return f"[link to {block.name}: {block.uri}]", block.uri
        case _:
            resource = block.resource
            words = getattr(resource, "text", f"[{resource.mime_type or 'data'}: not shown]")
            return words, resource.uri


def _faults() -> tuple[type[Exception], ...]:
    """What the library raises when a server or the line to it fails; its task groups raise groups."""
    import anyio
    import httpx2
    from mcp import MCPError

    lines = (anyio.ClosedResourceError, anyio.BrokenResourceError, httpx2.HTTPError)
    return (MCPError, OSError, ValueError, RuntimeError, ExceptionGroup, *lines)


def _is_large(offer: ToolOffer) -> bool:
    return len(json.dumps(offer.schema)) > LONGEST_SCHEMA


def _flat(text: str, limit: int) -> str:
    """A server's words on one line, without control characters, cut where they are too long."""
    return clip(" ".join(clean(text).split()), limit)


def _error_text(error: Exception) -> str:
    """What an error says; of a group its first."""
    while isinstance(error, ExceptionGroup):
        error = cast("ExceptionGroup[Exception]", error).exceptions[0]
    return _flat(str(error), 300) or type(error).__name__
