"""The port of HTTP: one request goes out, and its answer is read in whatever pieces come."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol


class Unreached(Exception):
    """The server cannot be reached, or the connection broke.

    Args:
        words: what the HTTP library says.
        late: whether connecting took too long.
        closed: whether the server closed the connection, or sent something else than HTTP, before it answered.
        refused: whether a proxy refused to connect to the server, and will refuse again.
    """

    def __init__(self, words: str, *, late: bool = False, closed: bool = False, refused: bool = False) -> None:
        super().__init__(words)
        self.late, self.closed, self.refused = late, closed, refused


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
