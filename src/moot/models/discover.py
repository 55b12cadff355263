"""What is in reach, for ``moot models``. This file owns where local servers are looked for and what is advised.

Nothing of it costs anything or shows a key: local servers are asked for their lists, keys only for their presence.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from moot.core.errors import BriefError
from moot.models.names import PROVIDERS, Environment, Key, Provider, find_key, find_url
from moot.models.transport import read_object

if TYPE_CHECKING:
    from httpx2 import AsyncClient

SECONDS = 0.2
"""Time for each server to answer; all are asked at once."""

BUILTIN = "builtin:quotes"
"""The seat that is always there. It quotes the background and is no language model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A local server that was looked for.

    Attributes:
        provider: its name among the providers.
        url: where it was looked for; "" where the environment names no usable address.
        up: whether it answered as such a server does.
        models: its models as seats: ``ollama:llama3.2``.
    """

    provider: str
    url: str
    up: bool = False
    models: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What can be used now.

    Attributes:
        servers: the local servers, found or not.
        keys: provider and variable of each key that is set.
        missing: provider and variables of each provider whose key is not set.
        advice: what to do, one sentence each, where there is no language model in reach.
    """

    servers: tuple[Server, ...]
    keys: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]

    @property
    def models(self) -> tuple[str, ...]:
        """All seats that are known to answer; ``builtin:quotes`` is the last."""
        return (*(model for server in self.servers for model in server.models), BUILTIN)


async def look_around(env: Environment | None = None, *, seconds: float = SECONDS) -> Reach:
    """Look for local servers and keys.

    Args:
        env: the environment; None for the process's own. ``OLLAMA_HOST`` and its like move the places.
        seconds: time for each server.
    """
    import httpx2  # deferred for start-up time

    places = [each for each in PROVIDERS.values() if each.local or each.name == "compatible"]
    values = os.environ if env is None else env
    async with httpx2.AsyncClient(timeout=seconds, trust_env=False) as client, asyncio.TaskGroup() as group:
        tasks = [group.create_task(_probe(client, each, values, seconds)) for each in places]
    found = [task.result() for task in tasks]
    servers = tuple(server for server in found if server.url or server.provider != "compatible")
    keys = {each.name: key.origin for each in PROVIDERS.values() if (key := _key(each, values))}
    needed = {each.name: " or ".join(each.keys) for each in PROVIDERS.values() if each.needs_key}
    return Reach(
        servers=servers,
        keys=tuple(keys.items()),
        missing=tuple((name, variables) for name, variables in needed.items() if name not in keys),
        advice=_advise(servers, [name for name in keys if name in needed]),
    )


async def _probe(client: "AsyncClient", provider: Provider, env: Environment, seconds: float) -> Server:
    import httpx2

    try:
        url = find_url(provider, env)
    except BriefError:
        return Server(provider=provider.name, url="")
    nothing = Server(provider=provider.name, url=url)
    # Who listens at a usual port may be anybody; a key goes only to an address that the owner has named.
    key = _key(provider, env) if env.get(provider.url_env) else None
    headers = {"authorization": f"Bearer {key.reveal()}"} if key else {}
    path = "/api/tags" if provider.wire == "ollama" else "/models"
    try:
        async with asyncio.timeout(seconds):
            response = await client.get(url + path, headers=headers)
    except (httpx2.RequestError, TimeoutError):
        return nothing
    names = _names(response.content) if response.status_code == 200 else None
    if names is None:
        return nothing
    return Server(provider=provider.name, url=url, up=True, models=tuple(f"{provider.name}:{name}" for name in names))


def _key(provider: Provider, env: Environment) -> Key | None:
    """The key; None where there is none, or what is set there is no key."""
    try:
        return find_key(provider, env)
    except BriefError:
        return None


def _names(raw: bytes) -> list[str] | None:
    """The names in a list of models, Ollama's or OpenAI's; None where it is no such list."""
    page = read_object(raw)
    listed = page.get("models", page.get("data"))
    if not isinstance(listed, list):
        return None
    entries = cast("list[object]", listed)
    known = [cast("Mapping[str, object]", entry) for entry in entries if isinstance(entry, dict)]
    names = (entry.get("name") or entry.get("id") for entry in known)
    return [name for name in names if isinstance(name, str)]


def _advise(servers: Sequence[Server], keys: Sequence[str]) -> tuple[str, ...]:
    up = [server for server in servers if server.up]
    if keys or any(server.models for server in up):
        return ()
    if up:
        empty = up[0]
        how = "ollama pull llama3.2" if empty.provider == "ollama" else "load a model there"
        return (f"{empty.provider} runs at {empty.url} but has no model yet: {how}.",)
    return (
        "No language model is in reach. To use one, do one of these:",
        "Install Ollama from https://ollama.com, then: ollama pull llama3.2",
        "Set a key in the environment, such as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY.",
        f"Until then {BUILTIN} shows how a debate runs; it quotes the background and is no language model.",
    )
