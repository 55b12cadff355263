"""Ways to providers: one for each, with its address, its key and its connections. Keys go to their own host alone."""

import asyncio
import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from math import ceil
from typing import Protocol, TypeAlias, cast
from urllib.parse import urlsplit

from folkmoot.core.errors import BriefError, Unavailable, Unreadable
from folkmoot.core.json_values import read_object
from folkmoot.core.labels import duration
from folkmoot.models.http_port import HttpAnswer, HttpPort
from folkmoot.models.local_server import FRESH, ServerFacts, ask_server, is_nearby
from folkmoot.models.names import Environment, Provider, find_url, need_key
from folkmoot.models.provider_errors import CONNECT_SECONDS, wrong_server_error

VIA = "folkmoot-via"
"""The header that names the instance of Folkmoot from which a call comes, so that a debate is never asked by itself."""

INSTANCE = secrets.token_hex(8)
"""This process among all that run Folkmoot."""

MODELS, VERSION = "/models", "/v1"
"""Where servers that speak as OpenAI's does list their models, and how their addresses end."""

IN_FLIGHT = 50
"""Calls in flight to one provider with one key."""

ANSWER_BYTES = 32_000_000
"""Bytes of one whole answer: some 100,000 tokens, for each comes in an event of about 300 bytes."""

ERROR_BYTES = 64_000
"""Bytes that are read of the body of an error; no more than 200 characters of it are told."""

OpenHttp: TypeAlias = Callable[[str, bool], HttpPort]
"""Opens HTTP to an address; the second value is whether the environment may name a proxy for it."""


def _usual_http(url: str, proxied: bool) -> HttpPort:
    from folkmoot.models.http_client import HttpClient  # deferred: it takes 0.2 s to load

    return HttpClient(url, proxied=proxied, connect=CONNECT_SECONDS)


@dataclass(frozen=True, slots=True)
class Response:
    """An answer that has been read: status, headers, and the body, of an error its beginning."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class ProviderConnection:
    """The way to one provider: its address, key and connections, shared by all its models.

    Args:
        provider: who is to be reached.
        env: the environment; None for the process's own.
        in_flight: the most calls at once.
        meter: counts the calls of all processes that share the provider's limits.
        http: opens HTTP to an address, through a proxy or not; None for the usual client.

    Attributes:
        streams: answers that are being read now.
        local: whether it is a server of one's own, whose calls wait in its queue.
        facts: what such a server has said of itself; None before it was asked.

    Raises:
        BriefError: there is no usable address, or no key where one must be.
    """

    def __init__(
        self,
        provider: Provider,
        env: Environment | None = None,
        *,
        in_flight: int = IN_FLIGHT,
        meter: "UsageMeter | None" = None,
        http: OpenHttp | None = None,
    ) -> None:
        self.provider, self.key, self.url = provider, need_key(provider, env), find_url(provider, env)
        if self.key and urlsplit(self.url).username is not None:
            problem = f"{provider.name} can be sent a key or a user name, not both"
            raise BriefError(
                f"{problem}: take the user name out of {provider.url_env}, or unset {self.key.origin}",
                code="bad_address",
            )
        self.local = is_nearby(provider, self.url)
        self.gate = Gate(1 if self.local else in_flight, meter)
        self.facts: ServerFacts | None = None
        self._learning, self._stale = asyncio.Lock(), 0.0
        values = os.environ if env is None else env
        own = {header: values[name] for name, header in provider.headers.items() if values.get(name, "").strip()}
        bearer = {"authorization": f"Bearer {self.key.reveal()}"} if self.key else {}
        usual = {"user-agent": "folkmoot", "accept-encoding": "identity", "content-type": "application/json"}
        self._headers = {**usual, VIA: INSTANCE, **own, **bearer}
        self._open_http, self._port = http or _usual_http, cast("HttpPort | None", None)
        self.streams = 0

    def __repr__(self) -> str:
        return f"Link({self.provider.name}, {self.url}, {self.key})"

    @property
    def port(self) -> HttpPort:
        """HTTP to the provider; its library is loaded when it is first asked for."""
        if self._port is None:
            self._port = self._open_http(self.url, not self.provider.local)
        return self._port

    async def learn(self) -> ServerFacts:
        """Ask a server of one's own what it can do, and let through as many calls as it answers at once.

        What it said a moment ago counts, and what it said last where it is away.
        """
        async with self._learning:
            now = asyncio.get_running_loop().time()
            asks = self.local and self.provider.wire.models_path == MODELS and now >= self._stale
            _ = asks and self.port  # its library is loaded first, which is no time of the server's
            if asks and (facts := await ask_server(self._get)):
                self.facts, self._stale = facts, now + FRESH
                self.gate.widen(facts.slots)
            return self.facts or ServerFacts()

    async def _get(self, path: str) -> Mapping[str, object]:
        """The JSON object behind a path of the server, whose address may end with the version of its interface."""
        url = self.url.removesuffix(VERSION)
        async with self.port.open(url + path, self._headers, None) as answer:
            if answer.status != 200:
                return {}
            return read_object(await BoundedBody(answer, self.provider.name, url).whole())

    def open(
        self, path: str, body: bytes | None, headers: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[HttpAnswer]:
        """Post JSON to a path under the provider's address, or get it, with its key; see ``HttpPort.open``."""
        if not path.startswith("/"):
            raise ValueError(f"a path begins with a slash: {path!r}")
        return self.port.open(self.url + path, {**self._headers, **(headers or {})}, body)

    async def post(self, path: str, body: Mapping[str, object]) -> Response:
        """Post JSON to a path, and read the whole answer.

        Raises:
            Unreached: there is none, or not all of it.
            ModelError: it is none of such a provider, or too long.
        """
        return await self.fetch(path, json.dumps(dict(body)).encode())

    async def fetch(self, path: str, body: bytes | None, headers: Mapping[str, str] | None = None) -> Response:
        """Post to a path, or get it where there is no body, and read the whole answer; see ``post``."""
        async with self.open(path, body, headers) as answer:
            succeeded = 200 <= answer.status < 300
            raw = await (BoundedBody(answer, self.provider.name, self.url).whole() if succeeded else read_error(answer))
            return Response(answer.status, answer.headers, raw)

    async def close(self) -> None:
        """Give the connections back; the next request opens new ones."""
        if self._port:
            await self._port.close()


class BoundedBody:
    """Reads the body of an answer, bounded before anything parses it.

    Args:
        answer: the answer, with a status of success.
        provider: the provider's name.
        url: the provider's address.

    Raises:
        Unavailable: it is a web page; what answers there is no such provider.
    """

    def __init__(self, answer: HttpAnswer, provider: str, url: str) -> None:
        self._answer, self._provider, self._bytes_left = answer, provider, ANSWER_BYTES
        self.pause = answer.pause
        if answer.headers.get("content-type", "").partition(";")[0].strip().lower() == "text/html":
            raise wrong_server_error(f"{provider} at {url} answers with a web page; is the address right?")

    async def read(self) -> bytes:
        """The next bytes; nothing at the end of the body.

        Raises:
            Unreadable: there are too many.
            Unreached: the connection broke.
        """
        data = await self._answer.read()
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            problem = f"{self._provider} sent more than {ANSWER_BYTES // 1_000_000} MB in one answer"
            raise Unreadable(problem, kind="garbled")
        return data

    async def whole(self) -> bytes:
        """The whole body."""
        pieces: list[bytes] = []
        while data := await self.read():
            pieces.append(data)
        return b"".join(pieces)


async def read_error(answer: HttpAnswer) -> bytes:
    """The beginning of an error's body."""
    body = b""
    while len(body) < ERROR_BYTES and (data := await answer.read()):
        body += data
    return body[:ERROR_BYTES]


LONGEST_HOLD = 300.0
"""Seconds after which a provider is asked again, however long it wanted to be left alone."""


class UsageMeter(Protocol):
    """Counts what a provider is sent, where several processes share its limits."""

    def counted(self, tokens: int, seconds: float) -> AbstractAsyncContextManager[Callable[[int], None]]:
        """Make one call within the context; tell the function how many tokens it took in the end.

        Args:
            tokens: the most that the call can take; they are reserved, and stay reserved where nothing is told.
            seconds: the most time to wait.

        Raises:
            Unavailable: the limits let nobody through in that time.
        """
        ...


class Gate:
    """Lets calls through in the order in which they came, and holds all of them when a provider asks to wait.

    Args:
        limit: calls at once.
        meter: counts the calls of all processes; None where nobody shares the provider's limits.
    """

    def __init__(self, limit: int, meter: UsageMeter | None = None) -> None:
        self.limit, self.slots, self.meter = limit, asyncio.Semaphore(limit), meter
        self._open_at = self._asked_until = 0.0

    def widen(self, limit: int) -> None:
        """Let more calls through at once; never fewer than before."""
        while self.limit < limit:
            self.limit += 1
            self.slots.release()

    def hold(self, seconds: float) -> None:
        """Let nobody through for a number of seconds, ``LONGEST_HOLD`` at most."""
        now = asyncio.get_running_loop().time()
        self._asked_until = max(self._asked_until if self._open_at > now else 0.0, now + seconds)
        self._open_at = max(self._open_at, now + min(seconds, LONGEST_HOLD))

    async def opened(self, patience: float) -> None:
        """Wait until the gate is open, with one of the ``slots``, which is given back at the end of the call.

        Raises:
            Unavailable: the provider wants to be left alone for more than ``patience`` seconds.
        """
        # Whoever is still in flight may be told to wait longer meanwhile.
        while self._open_at and (left := self._open_at - (now := asyncio.get_running_loop().time())) > 0:
            asked = self._asked_until - now  # who is asked to wait for hours gives up at once
            if asked > patience:
                problem = f"the provider asked to wait {duration(ceil(asked))} more"
                raise Unavailable(problem, kind="rate", retry_after=asked)
            await asyncio.sleep(left)
