"""Bytes of an answer, cut anywhere, as whole events: server-sent events, lines, or one JSON value.

Server-sent events are read as the standard of the WHATWG says. LF, CR LF and CR end a line, a byte order mark is left
out, several ``data`` lines are joined, and comments and all other fields are ignored. Three things differ, because
servers do them: an event that is not ended by a blank line counts, a body that begins with ``{`` is one event, and an
event whose name says that something failed is an error, whatever its data look like. What is held is bounded before anything is parsed.
"""

import json
from collections.abc import Sequence

from folkmoot.core.errors import Unreadable
from folkmoot.models.provider_errors import FAILED

EVENT_BYTES = 8_000_000
"""Bytes of one event or line, which is held whole before it is read."""

EVENT_LINES = 1_000
"""Lines of data in one event; providers send one."""

_MARK = b"\xef\xbb\xbf"


class Lines:
    """Whole lines out of bytes that are cut anywhere.

    Args:
        provider: the provider's name, for errors.
        what: what a line that is too long is called.
    """

    def __init__(self, provider: str, what: str = "line") -> None:
        self._provider, self._what = provider, what
        self._rest: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._begun = False

    def feed(self, data: bytes) -> Sequence[bytes]:
        """The lines that are whole now, without their ends.

        Raises:
            Unreadable: a line is too long.
        """
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if b"\r" in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        complete, end, tail = data.rpartition(b"\n")
        if not end:
            self._keep_tail(tail)
            return ()
        if self._rest:
            complete = b"".join((*self._rest, complete))
        self._rest, self._size = [], 0
        lines = complete.split(b"\n")
        if len(complete) > EVENT_BYTES and max(map(len, lines)) > EVENT_BYTES:
            raise too_much(self._provider, self._what)
        self._keep_tail(tail)
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(_MARK)
        return lines

    def close(self) -> Sequence[bytes]:
        """What is left at the end of the body."""
        return self.feed(b"\n") if self._rest else ()

    def _keep_tail(self, tail: bytes) -> None:
        if tail:
            self._rest.append(tail)
            self._size += len(tail)
        if self._size > EVENT_BYTES:
            raise too_much(self._provider, self._what)


class Events:
    """The data of server-sent events out of bytes that are cut anywhere.

    Args:
        provider: the provider's name, for errors.
    """

    def __init__(self, provider: str) -> None:
        self._provider, self._lines = provider, Lines(provider, "event")
        self._data: list[bytes] = []
        self._size = 0
        self._first = b""
        self._kind = ""  # "events", or "whole" where the body is one JSON value
        self._is_error = False

    def feed(self, data: bytes) -> Sequence[bytes]:
        """The data of the events that are whole now.

        Raises:
            Unreadable: an event is too long.
        """
        if not self._kind:
            # Blanks may stand before a body, for minutes.
            data = self._first = (self._first + data).lstrip()
            if _MARK.startswith(data):
                return ()
            self._kind = "whole" if data.removeprefix(_MARK).lstrip().startswith(b"{") else "events"
        if self._kind == "whole":
            self._add_data(data)
            return ()
        events: list[bytes] = []
        for line in self._lines.feed(data):
            if line:
                self._read(line, events)
            elif self._data:  # most events are one line, behind which a blank one stands
                self._end(events)
            else:
                self._is_error = False
        return events

    def close(self) -> Sequence[bytes]:
        """The event that was not ended; what is no whole event is for the decoder to find out."""
        if self._kind == "whole":
            return (b"".join(self._data).removeprefix(_MARK),)
        events: list[bytes] = []
        for line in (*self._lines.close(), b""):
            self._read(line, events)
        return events

    def _read(self, line: bytes, events: list[bytes]) -> None:
        if line.startswith(b"data:"):
            self._add_data(line[6:] if line.startswith(b"data: ") else line[5:])
        elif line.startswith(b"event:"):
            self._is_error = FAILED.search(line[6:].decode("utf-8", "replace")) is not None
        elif not line and self._data:
            self._end(events)

    def _end(self, events: list[bytes]) -> None:
        data = self._data[0] if len(self._data) == 1 else b"\n".join(self._data)
        events.append(_as_error(data) if self._is_error else data)
        self._data, self._size, self._is_error = [], 0, False

    def _add_data(self, data: bytes) -> None:
        self._data.append(data)
        self._size += len(data)
        if self._size > EVENT_BYTES:
            raise too_much(self._provider, "event")
        if len(self._data) > EVENT_LINES and self._kind == "events":
            raise Unreadable(f"{self._provider} sent more than {EVENT_LINES:,} lines in one event", kind="garbled")


def _as_error(data: bytes) -> bytes:
    """The data of an error event as JSON that says so; a text goes along as it is."""
    if data.startswith(b"{"):
        return b'{"error":' + data + b"}"
    return json.dumps({"error": data.decode("utf-8", "replace") or "error"}).encode()


def too_much(provider: str, what: str) -> Unreadable:
    """The error for an event or a line that does not end."""
    return Unreadable(f"{provider} sent more than {EVENT_BYTES // 1_000_000} MB in one {what}", kind="garbled")
