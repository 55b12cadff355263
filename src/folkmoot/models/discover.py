"""Provider discovery for ``folkmoot models``: local servers in reach, and keys that are set.

Nothing here costs anything or shows a key: local servers are asked for their lists, keys only checked for presence.
"""

import asyncio
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from folkmoot.core.brief import QUOTES
from folkmoot.core.errors import BriefError
from folkmoot.core.json_values import objects, read_object
from folkmoot.models.names import Environment, Key, Provider, find_key, find_url, providers
from folkmoot.models.wires.acp_programs import USUAL

if TYPE_CHECKING:
    from httpx2 import AsyncClient

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
        trouble: why nothing is known of a server whose address the environment names; "" where it names none: who
            has set nothing misses nothing.
        wrong: whether what is set is a mistake. One that is silent may be off for now, and one without a list of its
            models may work all the same.
    """

    provider: str
    url: str
    up: bool = False
    models: tuple[str, ...] = ()
    trouble: str = ""
    wrong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Available:
    """What can be used now.

    Attributes:
        servers: the local servers, found or not.
        keys: provider and variable of each key that is set.
        no_keys: what is wrong with what is set in the place of a key, one sentence each.
        missing: provider and variables of each provider whose key is not set.
        agents: the usual agents of subscriptions whose program is on this machine.
        advice: what to do, one sentence each, where there is no language model in reach.
    """

    servers: tuple[Server, ...]
    keys: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    advice: tuple[str, ...]
    agents: tuple[str, ...] = ()
    no_keys: tuple[str, ...] = ()

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
    servers = tuple(server for server in answers if server.url or server.trouble or server.provider != "compatible")
    keys, no_keys = dict[str, str](), list[str]()
    for provider in known:
        try:
            if key := find_key(provider, values):
                keys[provider.name] = key.origin
        except BriefError as error:
            no_keys.append(str(error))
    needed = {provider.name: " or ".join(provider.keys) for provider in known if provider.needs_key}
    path = values.get("PATH", "")
    agents = tuple(f"acp:{name}" for name, program in USUAL.items() if shutil.which(program.command[0], path=path))
    return Available(
        servers=servers,
        agents=agents,
        keys=tuple(keys.items()),
        no_keys=tuple(dict.fromkeys(no_keys)),
        missing=tuple((name, variables) for name, variables in needed.items() if name not in keys),
        advice=_next_steps(servers, [*agents, *(name for name in keys if name in needed)]),
    )


async def _probe(client: "AsyncClient", provider: Provider, env: Environment, seconds: float) -> Server:
    import httpx2

    named = bool(env.get(provider.url_env, "").strip())

    def missing(url: str, trouble: str, *, wrong: bool = False) -> Server:
        return Server(provider=provider.name, url=url, trouble=trouble if named else "", wrong=named and wrong)

    try:
        url = find_url(provider, env)
    except BriefError as error:
        return missing("", str(error), wrong=True)
    # Who listens at a usual port may be anybody; a key goes only to an address that the owner has named.
    key = _key(provider, env) if named else None
    headers = {"authorization": f"Bearer {key.reveal()}"} if key else {}
    path = provider.wire.models_path
    try:
        async with asyncio.timeout(seconds):
            response = await client.get(url + path, headers=headers)
    except (httpx2.RequestError, TimeoutError):
        return missing(url, f"nothing answers at the address in {provider.url_env}")
    status = response.status_code
    if status in (401, 403):
        refused = f"the server at the address in {provider.url_env} refuses the key ({status})"
        return missing(url, refused, wrong=True)
    names = _names(response.content) if status == 200 else None
    if names is None:
        return missing(url, f"the server at the address in {provider.url_env} gives no list of its models ({status})")
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
    names = (entry.get("name") or entry.get("id") for entry in objects(cast("object", listed)))
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
