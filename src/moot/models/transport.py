"""HTTP connections to providers: one client each, keys only to its own host, limited answers.

Bytes are counted as they arrive, before anything parses them. Answers are requested uncompressed, and a compressed one
is refused, so the count is the real size. The module loads the HTTP library, which takes 0.1 s; import it where a
connection is opened.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Protocol, cast

from httpx2 import AsyncByteStream, Response

from moot.core.errors import Unavailable, Unreadable
from moot.models.names import Environment, Key, Provider, find_url, need_key
from moot.models.provider_errors import misled, tell

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

ANSWER_BYTES = 32_000_000
"""Bytes of one whole answer: some 100,000 tokens, for each comes in an event of about 300 bytes."""

EVENT_BYTES = 8_000_000
"""Bytes of one event or line, which is held whole before it is read: 64 vectors of 4,096 numbers take 6 million."""

EVENT_LINES = 1_000
"""Lines of one event; providers send two."""

ERROR_BYTES = 64_000
"""Bytes that are read of the body of an error; no more than 200 characters of it are told."""

_EVENT_ENDS = (b"\n\n", b"\r\r", b"\r\n\r\n")


def bound(response: Response, who: str, url: str, *, events: bool) -> None:
    """Bound what can be read of a response.

    Args:
        response: the response, of which only the head has been read.
        who: the provider's name.
        url: the provider's address, as the owner gave it.
        events: whether it is read as a stream of events, whatever it says that it is; else by lines.

    Raises:
        Unavailable: it is a web page, or compressed; what answers at the address is no such provider.
    """
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    packing = response.headers.get("content-encoding", "").strip().lower()
    packed, body = packing not in ("", "identity"), cast("AsyncByteStream", response.stream)
    if not response.is_success:
        # The status tells what is wrong; of a compressed body nobody knows what it becomes.
        response.headers.pop("content-encoding", None)
        response.stream = _Beginning(body, 0 if packed else ERROR_BYTES)
    elif kind == "text/html":
        raise misled(f"{who} at {url} answers with a web page; is the address right?")
    elif packed:
        raise misled(f"{who} at {url} compresses its answers, though asked not to{tell(packing)}")
    else:
        response.stream = _Answer(body, who, events=events)


class _Answer(AsyncByteStream):
    """A body that is no longer than an answer can be, nor any of its events."""

    def __init__(self, body: AsyncByteStream, who: str, *, events: bool) -> None:
        self._body, self._who = body, who
        self._what, self._ends = ("event", _EVENT_ENDS) if events else ("line", (b"\n",))
        self._whole = self._size = self._lines = 0
        self._tail = b""

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        """The pieces as they come.

        Raises:
            Unreadable: it is too long.
        """
        async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(self._body))) as pieces:
            async for piece in pieces:
                self._count(piece)
                yield piece

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._body.aclose()

    def _count(self, piece: bytes) -> None:
        self._whole += len(piece)
        if self._whole > ANSWER_BYTES:
            raise self._too_much(f"{ANSWER_BYTES // 1_000_000} MB in one answer")
        for line in piece.splitlines(keepends=True):
            self._size += len(line)
            self._tail = (self._tail + line[-4:])[-4:]
            self._lines += line.endswith((b"\n", b"\r"))
            if self._size > EVENT_BYTES:
                raise self._too_much(f"{EVENT_BYTES // 1_000_000} MB in one {self._what}")
            if self._tail.endswith(self._ends):
                self._size = self._lines = 0
            if self._lines > EVENT_LINES and self._what == "event":
                raise self._too_much(f"{EVENT_LINES:,} lines in one event")

    def _too_much(self, what: str) -> Unreadable:
        return Unreadable(f"{self._who} sent more than {what}", kind="garbled")


class _Beginning(AsyncByteStream):
    """The first bytes of a body; the rest is left unread."""

    def __init__(self, body: AsyncByteStream, most: int) -> None:
        self._body, self._left = body, most

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        """The pieces as they come, until there are enough."""
        async with aclosing(cast("AsyncGenerator[bytes, None]", aiter(self._body))) as pieces:
            while self._left > 0 and (piece := await anext(pieces, b"")):
                yield piece[: self._left]
                self._left -= len(piece)

    async def aclose(self) -> None:
        """Give the connection back."""
        await self._body.aclose()


CONNECT_SECONDS = 10.0
"""Seconds to reach a host. All other limits are those of ``wrap.Timed``, which tells words from signs of life."""

IN_FLIGHT = 50
"""Calls in flight to one provider with one key; the cost of a pool of connections grows with its square."""

_PLAIN = frozenset({"host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length"})
"""Headers that any server may have. OpenAI's client adds others from its own variables, meant for OpenAI alone."""

_OWN_CLIENT = frozenset({"openai", "anthropic"})
"""Providers that are asked by their own client; it may add what their variables in the environment say."""


class Link:
    """The way to one provider: its address, key and connections, shared by all its models.

    Args:
        provider: who is to be reached.
        env: the environment; None for the process's own.
        in_flight: the most calls at once.
        meter: counts the calls of all processes that share the provider's limits.

    Raises:
        BriefError: there is no usable address, or no key where one must be.
    """

    def __init__(
        self,
        provider: Provider,
        env: Environment | None = None,
        *,
        in_flight: int = IN_FLIGHT,
        meter: "Meter | None" = None,
    ) -> None:
        self.provider, self.key, self.url = provider, need_key(provider, env), find_url(provider, env)
        self.gate = Gate(in_flight, meter)
        self._client: AsyncClient | None = None

    def __repr__(self) -> str:
        return f"Link({self.provider.name}, {self.url}, {self.key})"

    @property
    def client(self) -> "AsyncClient":
        """The HTTP client; opened when it is first asked for."""
        if self._client is None:
            import httpx2  # deferred: it takes 0.1 s to load

            self._client = httpx2.AsyncClient(
                timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=IN_FLIGHT),
                follow_redirects=False,
                trust_env=not self.provider.local,
                event_hooks={"request": [self._guard], "response": [self._bound]},
            )
        return self._client

    async def close(self) -> None:
        """Give the connections back; the next request opens new ones."""
        if client := self._client:
            self._client = None
            await client.aclose()

    async def _guard(self, request: "Request") -> None:
        """Let nothing out to another host, and no header that is not meant for this provider."""
        import httpx2

        # A compressed body could become anything.
        request.headers["accept-encoding"] = "identity"
        own = httpx2.URL(self.url)
        if (request.url.scheme, request.url.host, request.url.port) != (own.scheme, own.host, own.port):
            raise Unavailable(f"{self.provider.name} is at {own.host}, not at {request.url.host}", kind="connection")
        if self.provider.name in _OWN_CLIENT:
            return
        for header in [each for each in request.headers if each not in _PLAIN]:
            del request.headers[header]
        if self.key:
            request.headers["authorization"] = f"Bearer {self.key.reveal()}"

    async def _bound(self, response: "Response") -> None:
        """Let in no more than an answer can be."""

        events = self.provider.wire != "ollama" and not response.request.url.path.endswith("/embeddings")
        bound(response, self.provider.name, self.url, events=events)


LONGEST_HOLD = 300.0
"""Seconds after which a provider is asked again, however long it wanted to be left alone."""


class Meter(Protocol):
    """Counts what a provider is sent, where several processes share its limits."""

    def counted(self, tokens: int, seconds: float) -> AbstractAsyncContextManager[Callable[[int], None]]:
        """Make one call within the context; tell the function how many tokens it took in the end.

        Args:
            tokens: the most that the call can take; so many are reserved, and stay so where nothing is told.
            seconds: the most time to wait.

        Raises:
            Unavailable: the limits let nobody through in that time.
        """
        ...


class Gate:
    """Lets calls through in the order in which they came, and holds all of them when a provider asks to wait.

    Args:
        most: calls at once.
        meter: counts the calls of all processes; None where nobody shares the provider's limits.
    """

    def __init__(self, most: int, meter: Meter | None = None) -> None:
        self.slots, self.meter = asyncio.Semaphore(most), meter
        self._open_at = 0.0

    def hold(self, seconds: float) -> None:
        """Let nobody through for so many seconds, ``LONGEST_HOLD`` at most."""
        self._open_at = max(self._open_at, asyncio.get_running_loop().time() + min(seconds, LONGEST_HOLD))

    @asynccontextmanager
    async def place(self, most: float) -> AsyncGenerator[None]:
        """Take a place, in the order of coming, and wait until the gate is open; the block has the place to its end.

        Raises:
            Unavailable: the provider wants to be left alone for more than ``most`` seconds.
        """
        async with self.slots:
            # Whoever is still in flight may be told to wait longer meanwhile.
            while (left := self._open_at - asyncio.get_running_loop().time()) > 0:
                if left > most:
                    found = f"the provider asked to wait {left:.0f} seconds more"
                    raise Unavailable(found, kind="rate", retry_after=left)
                await asyncio.sleep(left)
            yield


def shown(key: Key | None) -> str:
    """What a client needs in place of a key where there is none."""
    return key.reveal() if key else "none"


def read_object(raw: bytes) -> dict[str, object]:
    """A JSON object; an empty one where the bytes are none."""
    try:
        value: object = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
