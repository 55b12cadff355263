"""Limits on what a provider sends: bytes of an answer, of an event or line, and of the body of an error.

Bytes are counted as they arrive, before anything parses them. Answers are requested uncompressed, and a compressed one
is refused, so the count is the real size. The module loads the HTTP library; import it where a connection is opened.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import cast

from httpx2 import AsyncByteStream, Response

from moot.core.errors import Unreadable
from moot.models.provider_errors import provider_words, wrong_server_error

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
        raise wrong_server_error(f"{who} at {url} answers with a web page; is the address right?")
    elif packed:
        raise wrong_server_error(f"{who} at {url} compresses its answers, though asked not to{provider_words(packing)}")
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
