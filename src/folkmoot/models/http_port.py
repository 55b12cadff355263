"""The port of HTTP: one request goes out, and its answer is read in whatever pieces come.

What is read is bounded before anything parses it: the bytes of an answer, also of what a compressed one becomes, and of
the body of an error.
"""

import zlib
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from folkmoot.core.errors import Unreadable
from folkmoot.models.provider_errors import provider_words, wrong_server_error

ANSWER_BYTES = 32_000_000
"""Bytes of one whole answer: some 100,000 tokens, for each comes in an event of about 300 bytes."""

ERROR_BYTES = 64_000
"""Bytes that are read of the body of an error; no more than 200 characters of it are told."""

INFLATED = 1_000_000
"""Bytes that are made of a compressed piece at once."""

_GZIP_OR_DEFLATE = 47
"""How zlib is told to take gzip and deflate alike."""


class Unreached(Exception):
    """The server cannot be reached, or the connection broke.

    Args:
        words: what the HTTP library says.
        late: whether connecting took too long.
        closed: whether the server closed the connection, or sent something else than HTTP, before it answered.
        connecting: whether the connection was still being made.
        refused: whether a proxy refused to connect to the server, and will refuse again.
    """

    def __init__(
        self,
        words: str,
        *,
        late: bool = False,
        closed: bool = False,
        connecting: bool = False,
        refused: bool = False,
    ) -> None:
        super().__init__(words)
        self.late, self.closed, self.connecting, self.refused = late, closed, connecting, refused


class HttpAnswer(Protocol):
    """An answer whose head has come."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers; names are compared without case, or are in lower case."""
        ...

    async def read(self) -> bytes:
        """The bytes that have come, one at least; nothing at the end of the body.

        Raises:
            Unreached: the connection broke; all that came before has been read.
        """
        ...

    def pause(self) -> bool:
        """Take nothing from the server until the next read; False where nothing more will come."""
        ...


class HttpPort(Protocol):
    """A way to servers."""

    def open(self, url: str, headers: Mapping[str, str], body: bytes | None) -> AbstractAsyncContextManager[HttpAnswer]:
        """Post a body, or get what is there without one; the context has the answer.

        Leaving it before the end closes the connection.

        Redirects are not followed, and cookies are not kept.

        Raises:
            Unreached: no head of an answer has come.
        """
        ...

    async def close(self) -> None:
        """Give the connections back."""
        ...


class BoundedBody:
    """Reads the body of an answer, bounded.

    Args:
        answer: the answer, with a status of success.
        provider: the provider's name.
        url: the provider's address.

    Raises:
        Unavailable: it is a web page, or compressed in an unknown way; what answers there is no such provider.
    """

    def __init__(self, answer: HttpAnswer, provider: str, url: str) -> None:
        self._answer, self._provider = answer, provider
        self._bytes_left = ANSWER_BYTES
        media_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        encoding = answer.headers.get("content-encoding", "").strip().lower()
        if media_type == "text/html":
            raise wrong_server_error(f"{provider} at {url} answers with a web page; is the address right?")
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise wrong_server_error(
                f"{provider} at {url} compresses its answers, though asked not to{provider_words(encoding)}"
            )
        self._compressed = encoding not in ("", "identity")
        self._not_inflated = b""
        self._inflater = zlib.decompressobj(_GZIP_OR_DEFLATE) if self._compressed else None

    async def read(self) -> bytes:
        """The next bytes; nothing at the end of the body.

        Raises:
            Unreadable: there are too many, or they cannot be inflated.
            Unreached: the connection broke.
        """
        while data := self._not_inflated or await self._answer.read():
            if self._compressed:
                data = self._inflate(data)
            self._bytes_left -= len(data)
            if self._bytes_left < 0:
                raise Unreadable(
                    f"{self._provider} sent more than {ANSWER_BYTES // 1_000_000} MB in one answer", kind="garbled"
                )
            if data:
                return data
        return b""

    def pause(self) -> bool:
        """Take nothing from the server until the next read; False where there is something to read, or nothing more."""
        return not self._not_inflated and self._answer.pause()

    async def whole(self) -> bytes:
        """The whole body."""
        pieces: list[bytes] = []
        while data := await self.read():
            pieces.append(data)
        return b"".join(pieces)

    def _inflate(self, data: bytes) -> bytes:
        """What the first of the bytes become; the others wait."""
        assert self._inflater is not None
        try:
            inflated = self._inflater.decompress(data, INFLATED)
        except zlib.error as error:
            reason = f"{self._provider} sent something that is not compressed as it says{provider_words(str(error))}"
            raise Unreadable(reason, kind="garbled", again=True) from error
        self._not_inflated = self._inflater.unconsumed_tail
        return inflated


async def read_error(answer: HttpAnswer) -> bytes:
    """The beginning of an error's body; nothing of one that is compressed, for nobody knows what it becomes."""
    body = b""
    if answer.headers.get("content-encoding", "").strip().lower() in ("", "identity"):
        while len(body) < ERROR_BYTES and (data := await answer.read()):
            body += data
    return body[:ERROR_BYTES]
