"""Provider discovery for ``folkmoot models``: local servers in reach, keys that are set, and causes of failure.

Nothing here costs anything or shows a key: local servers are asked for their lists, keys only checked for presence.
"""

import asyncio
import os
import shutil
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, cast
from urllib.parse import SplitResult, urlsplit

from folkmoot.core.brief import QUOTES
from folkmoot.core.errors import BriefError, Unavailable
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import Environment, Key, ModelName, Provider, find_key, find_url, providers
from folkmoot.models.provider_errors import unreached_error, wrong_server_error
from folkmoot.models.transport import CONNECT_SECONDS, ProviderConnection, read_object
from folkmoot.models.wires.acp_programs import USUAL

if TYPE_CHECKING:
    from httpx2 import AsyncClient

PROBE_SECONDS = 3.0
"""Seconds in which a server shows what it speaks."""


async def explain(name: ModelName, link: ProviderConnection, error: Unreached) -> Unavailable:
    """The error for a request that got no response, or lost it.

    Args:
        name: the model that was asked.
        link: the way to its provider.
        error: what happened; its causes tell more than its words.
    """
    # The HTTP library has errors of its own that are of this class, and say less.
    named = (error for error in _causes(error) if isinstance(error, ssl.SSLError) and type(error).__module__ == "ssl")
    tls = next(named, None)
    if text := await _wrong_address(urlsplit(link.url), tls, error):
        return wrong_server_error(f"{name.provider.name} at {link.url} {text}")
    if error.refused:
        return wrong_server_error(f"no connection to {name.provider.name} at {link.url}: {error}")
    reason = f"it took longer than {CONNECT_SECONDS:g} s" if error.late else str(error)
    return unreached_error(name, link.url, reason, link.key)


async def _wrong_address(parts: SplitResult, tls: ssl.SSLError | None, error: Unreached) -> str:
    """What is wrong with the server at an address, or with the address; "" where it may just be away."""
    if isinstance(tls, ssl.SSLCertVerificationError):
        return f"shows a certificate that is not trusted: {tls.verify_message}"
    if parts.scheme == "http":
        # A server of TLS answers a plain request with an alert, or closes the connection at once.
        return "speaks https, not http" if error.closed and await _speaks_tls(parts) else ""
    # Whoever cuts an answer off has shaken hands, so no plain request is sent to it.
    if (tls or error.late or (error.closed and error.connecting)) and await _speaks_http(parts):
        return "speaks http, not https"
    return f"and Folkmoot do not agree on TLS: {getattr(tls, 'reason', '') or tls}" if tls else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error, its cause, and so on."""
    for _ in range(20):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


async def _speaks_http(parts: SplitResult) -> bool:
    """Whether the server answers a plain request; one of TLS is silent, sends an alert, or answers with status 400."""
    request = f"HEAD / HTTP/1.1\r\nHost: {parts.netloc}\r\nConnection: close\r\n\r\n".encode()
    head = await _first_bytes(parts, request, None)
    return head.startswith(b"HTTP/") and not head.endswith(b"400")


async def _speaks_tls(parts: SplitResult) -> bool:
    """Whether the server shakes hands as those of TLS do, whoever it is."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return await _first_bytes(parts, b"", context) == b"shaken"


async def _first_bytes(parts: SplitResult, request: bytes, context: ssl.SSLContext | None) -> bytes:
    """The first 12 bytes of a server's answer, or ``shaken`` where nothing was asked; nothing where it fails."""
    with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
        async with asyncio.timeout(PROBE_SECONDS):
            port = parts.port or (443 if parts.scheme == "https" else 80)
            reader, writer = await asyncio.open_connection(parts.hostname, port, ssl=context)
            try:
                writer.write(request)
                return await reader.readexactly(12) if request else b"shaken"
            finally:
                writer.close()
    return b""


SECONDS = 1.0
"""Time for each server to answer; all are asked at once. A busy machine answers late."""


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
class Available:
    """What can be used now.

    Attributes:
        servers: the local servers, found or not.
        keys: provider and variable of each key that is set.
        missing: provider and variables of each provider whose key is not set.
        agents: the usual agents of subscriptions whose program is on this machine.
        advice: what to do, one sentence each, where there is no language model in reach.
    """

    servers: tuple[Server, ...]
    keys: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]
    agents: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """All seats that are known to answer; ``builtin:quotes`` is the last."""
        return (*(model for server in self.servers for model in server.models), QUOTES)


async def find_models(env: Environment | None = None, *, seconds: float = SECONDS) -> Available:
    """Look for local servers and keys.

    Args:
        env: the environment; None for the process's own. ``OLLAMA_HOST`` and its like move the places.
        seconds: time for each server.
    """
    import httpx2  # deferred for start-up time

    known = await asyncio.to_thread(providers)
    local = [provider for provider in known if provider.local or provider.name == "compatible"]
    places = [provider for provider in local if provider.wire.models_path]
    values = os.environ if env is None else env
    async with httpx2.AsyncClient(timeout=seconds, trust_env=False) as client, asyncio.TaskGroup() as group:
        tasks = [group.create_task(_probe(client, provider, values, seconds)) for provider in places]
    answers = [task.result() for task in tasks]
    servers = tuple(server for server in answers if server.url or server.provider != "compatible")
    keys = {provider.name: key.origin for provider in known if (key := _key(provider, values))}
    needed = {provider.name: " or ".join(provider.keys) for provider in known if provider.needs_key}
    path = values.get("PATH", "")
    agents = tuple(f"acp:{name}" for name, program in USUAL.items() if shutil.which(program.command[0], path=path))
    return Available(
        servers=servers,
        agents=agents,
        keys=tuple(keys.items()),
        missing=tuple((name, variables) for name, variables in needed.items() if name not in keys),
        advice=_next_steps(servers, [*agents, *(name for name in keys if name in needed)]),
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
    path = provider.wire.models_path
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
    """The names in a list of models, Ollama's or OpenAI's, each once; None where it is no such list.

    A server that was started with one file calls the model by its path, and answers under any name: so the short one.
    """
    page = read_object(raw)
    listed = page.get("models", page.get("data"))
    if not isinstance(listed, list):
        return None
    entries = cast("list[object]", listed)
    known = [cast("Mapping[str, object]", entry) for entry in entries if isinstance(entry, dict)]
    names = (entry.get("name") or entry.get("id") for entry in known)
    found = list(dict.fromkeys(name for name in names if isinstance(name, str) and name.strip()))
    return [PurePath(found[0]).stem] if len(found) == 1 and found[0].endswith(".gguf") else found


def _next_steps(servers: Sequence[Server], keys: Sequence[str]) -> tuple[str, ...]:
    up = [server for server in servers if server.up]
    if keys or any(server.models for server in up):
        return ()
    if up:
        empty = up[0]
        hint = "ollama pull llama3.2" if empty.provider == "ollama" else "load a model there"
        return (f"{empty.provider} runs at {empty.url} but has no model yet: {hint}.",)
    return (
        "No language model is in reach. To use one, do one of these:",
        "Install Ollama from https://ollama.com, then: ollama pull llama3.2",
        "Log in to Claude Code, Codex or Gemini and use acp:claude, acp:codex or acp:gemini, which need no key.",
        "Set a key in the environment, such as OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY.",
        f"Until then {QUOTES} shows how a debate runs; it quotes the background and is not a language model.",
    )
