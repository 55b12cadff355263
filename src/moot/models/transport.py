"""HTTP connections to providers: one client for each, and keys that go only to their own host."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Protocol, cast

from moot.core.errors import Unavailable
from moot.models.names import OPENAI, Environment, Key, Provider, find_url, need_key

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Request, Response

CONNECT_SECONDS = 10.0
"""Seconds to reach a host. All other limits are those of ``layers.TimeLimit``, which tells words from signs of life."""

IN_FLIGHT = 50
"""Calls in flight to one provider with one key; the cost of a pool of connections grows with its square."""

_PLAIN = frozenset({"host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length"})
"""Headers that any server may have. OpenAI's client adds others from its own variables, meant for OpenAI alone."""

_OWN_CLIENT = frozenset({"openai", "anthropic"})
"""Providers that are asked by their own client; it may add what their variables in the environment say."""


class ProviderConnection:
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
        meter: "UsageMeter | None" = None,
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
        for header in [header for header in request.headers if header not in _PLAIN]:
            del request.headers[header]
        if self.key:
            request.headers["authorization"] = f"Bearer {self.key.reveal()}"

    async def _bound(self, response: "Response") -> None:
        """Let in no more than an answer can be."""

        events = self.provider.wire.events and not response.request.url.path.endswith(OPENAI.vectors_path)
        from moot.models.bounds import bound  # it loads the HTTP library, which takes 0.1 s

        bound(response, self.provider.name, self.url, events=events)


LONGEST_HOLD = 300.0
"""Seconds after which a provider is asked again, however long it wanted to be left alone."""


class UsageMeter(Protocol):
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

    def __init__(self, most: int, meter: UsageMeter | None = None) -> None:
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
                    problem = f"the provider asked to wait {left:.0f} seconds more"
                    raise Unavailable(problem, kind="rate", retry_after=left)
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
