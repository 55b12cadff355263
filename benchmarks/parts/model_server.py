"""A server of models for benchmarks: chat completions that cost it little, in a process of its own.

The name of the model in a request says what is answered:

- ``burst-400``: 400 words, each in an event and a packet of its own, as fast as they can be sent.
- ``brief-30``: 30 words in one event.
- ``paced-200``: 200 events at ``PACE`` a second. Each word is the time of sending: nanoseconds of the clock that all
  processes of a machine share.

Where a request does not ask for a stream, the same words come as one JSON value. ``python model_server.py`` prints its
port and serves until its input ends.
"""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

PACE = 40.0
"""Events a second of a paced stream."""

TICK = 0.005
"""Seconds between two looks at which streams have to send."""

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
WHOLE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
END = b"0\r\n\r\n"


def chunk(data: bytes) -> bytes:
    """Bytes as a chunk of a body."""
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(delta: dict[str, object], finish: str | None = None) -> bytes:
    """One event of the size that OpenAI sends."""
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
    value = {
        "id": "chatcmpl-CjQv1bX3sT7n5kGmZr8yWq2pLd4Ha",
        "object": "chat.completion.chunk",
        "created": 1763800000,
        "model": "gpt-4o-mini-2024-07-18",
        "service_tier": "default",
        "system_fingerprint": "fp_560af6e559",
        "choices": [choice],
        "usage": None,
        "obfuscation": "n1Q7xZ",
    }
    return chunk(b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n")


def usage(words: int) -> dict[str, object]:
    """What a request is said to have used."""
    return {"prompt_tokens": 120, "completion_tokens": words, "total_tokens": 120 + words}


def last(words: int) -> bytes:
    """The end of a stream: why it ends, what was used, the mark."""
    counts = json.dumps({"choices": [], "usage": usage(words)}).encode()
    return event({}, "stop") + chunk(b"data: " + counts + b"\n\n") + chunk(b"data: [DONE]\n\n") + END


def whole(words: int) -> bytes:
    """An answer that is not streamed."""
    message = {"role": "assistant", "content": "word " * words}
    value = {
        "id": "chatcmpl-CjQv1bX3sT7n5kGmZr8yWq2pLd4Ha",
        "object": "chat.completion",
        "created": 1763800000,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": usage(words),
    }
    body = json.dumps(value).encode()
    return WHOLE % (len(body), body)


FIRST = event({"role": "assistant", "content": ""})
WORD = event({"content": "word "})
TIMED = event({"content": f"{0:020} "}).replace(b"%020d" % 0, b"%020d")


class Wheel:
    """Sends the next event of every paced stream when its time has come, with one timer for all."""

    def __init__(self) -> None:
        self._slots: list[list[tuple[asyncio.Transport, int, int]]] = [[] for _ in range(round(1 / PACE / TICK))]
        self._turn, self._at = 0, 0.0

    def start(self) -> None:
        """Begin to turn."""
        self._at = asyncio.get_running_loop().time()
        self._step()

    def add(self, transport: asyncio.Transport, words: int) -> None:
        """Take a stream."""
        transport.write(HEAD + FIRST)
        self._slots[self._turn].append((transport, words, words))

    def _step(self) -> None:
        loop = asyncio.get_running_loop()
        self._turn = (self._turn + 1) % len(self._slots)
        going: list[tuple[asyncio.Transport, int, int]] = []
        for transport, words, left in self._slots[self._turn]:
            if transport.is_closing():
                continue
            transport.write(TIMED % time.monotonic_ns() if left else last(words))
            if left:
                going.append((transport, words, left - 1))
        self._slots[self._turn] = going
        self._at += TICK
        loop.call_at(self._at, self._step)


class Connection(asyncio.Protocol):
    """One connection."""

    def __init__(self, wheel: Wheel) -> None:
        self._wheel, self._got = wheel, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer the requests that are whole."""
        self._got += data
        while True:
            head, end, rest = self._got.partition(b"\r\n\r\n")
            size = int((head.lower().partition(b"content-length:")[2] or b"0").partition(b"\r")[0])
            if not end or len(rest) < size:
                return
            self._got = rest[size:]
            self._answer(json.loads(rest[:size]))

    def _answer(self, request: dict[str, object]) -> None:
        kind, _, count = str(request["model"]).rpartition("/")[2].partition("-")
        words = int(count)
        if not request.get("stream"):
            self._transport.write(whole(words))
        elif kind == "paced":
            self._wheel.add(self._transport, words)
        elif kind == "brief":
            self._transport.write(HEAD + FIRST + event({"content": "word " * words}) + last(words))
        else:
            self._transport.write(HEAD + FIRST)
            for _ in range(words):
                self._transport.write(WORD)
            self._transport.write(last(words))


async def main() -> None:
    """Serve until the input ends."""
    loop, over, wheel = asyncio.get_running_loop(), asyncio.Event(), Wheel()
    server = await loop.create_server(lambda: Connection(wheel), "127.0.0.1", 0, backlog=4096)
    wheel.start()

    def wait() -> None:
        sys.stdin.read()
        loop.call_soon_threadsafe(over.set)

    threading.Thread(target=wait, daemon=True).start()
    print(server.sockets[0].getsockname()[1], flush=True)
    await over.wait()


@contextmanager
def serving() -> Generator[str]:
    """The server in a process of its own; gives its address."""
    command = [sys.executable, __file__]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"


if __name__ == "__main__":
    asyncio.run(main())
