"""What a server of one's own says of itself: how many calls it answers at once, and how long a prompt may be.

A server on a laptop answers one call after the other, and holds a few thousand tokens. It says so, and nothing has to be
sent to find out. A server that says nothing is taken for one that answers a single call at a time.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from urllib.parse import urlsplit

from folkmoot.core.errors import ModelError
from folkmoot.core.json_values import as_object, objects
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import Provider

SECONDS = 3.0
"""Seconds in which a server says what it is."""

FRESH = 60.0
"""Seconds after which it is asked again: somebody may have started it anew, with more context."""

BATCHING = 16
"""Calls at once to a server that answers as many together as its memory holds, such as vLLM."""

_LENGTHS = ("max_model_len", "loaded_context_length", "context_length", "n_ctx", "max_context_length")
"""What servers call the tokens of context in their lists, the one that holds now before the one that could be: vLLM and
SGLang, LM Studio, llama.cpp (in ``meta``)."""

_HOME = (".local", ".localhost", ".internal", ".lan", ".home.arpa")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFacts:
    """What a server says of itself.

    Attributes:
        slots: the calls that it answers at once.
        alone: whether it has a single model, which answers under any name.
        contexts: by model, the tokens of a prompt with its answer; only of those that it tells.
    """

    slots: int = 1
    alone: bool = False
    contexts: Mapping[str, int] = field(default_factory=dict[str, int])

    def context(self, model: str) -> int:
        """The tokens that a model holds; 0 where unknown. A server of one model answers under any name with it."""
        if model in self.contexts or len(self.contexts) != 1:
            return self.contexts.get(model, 0)
        return next(iter(self.contexts.values()))


def is_private(url: str) -> bool:
    """Whether an address is of this machine, or of the network around it."""
    host = urlsplit(url).hostname or ""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return bool(host) and ("." not in host or host.endswith(_HOME))


def is_nearby(provider: Provider, url: str) -> bool:
    """Whether a provider is a server of one's own: it speaks for itself there, and is no proxy to one of the cloud."""
    return provider.local or (not provider.url and is_private(url))


Get = Callable[[str], Awaitable[Mapping[str, object]]]
"""Reads the JSON object behind a path of the server's address; an empty one where there is none."""


async def ask_server(get: Get) -> ServerFacts | None:
    """What a server says of itself, whichever it is, within ``SECONDS``; None where it cannot be reached."""
    facts: ServerFacts | None = None
    with suppress(ModelError, Unreached, TimeoutError):
        async with asyncio.timeout(SECONDS):
            entries = objects((await get("/v1/models")).get("data"))
            contexts = {name: tokens for entry in entries for name, tokens in _context(entry)}
            owners = {entry.get("owned_by") for entry in entries}
            slots, alone = BATCHING if owners & {"vllm", "sglang"} else 1, len(entries) == 1
            facts = ServerFacts(slots=slots, alone=alone, contexts=contexts)
            if "llamacpp" in owners:
                return _with_props(facts, await get("/props"))
            if entries and not contexts:
                # LM Studio tells the length with which a model is loaded on its own path only.
                loaded = objects((await get("/api/v0/models")).get("data"))
                contexts = {name: tokens for entry in loaded for name, tokens in _context(entry)}
                return replace(facts, contexts=contexts)
    return facts


def _context(entry: Mapping[str, object]) -> list[tuple[str, int]]:
    """The name of a model in a list, and its tokens of context; nothing where they are not told."""
    known = {**as_object(entry.get("meta")), **entry}
    tokens = next((value for name in _LENGTHS if (value := _count(known.get(name)))), 0)
    return [(str(entry.get("id", "")), tokens)] if tokens else []


def _with_props(facts: ServerFacts, props: Mapping[str, object]) -> ServerFacts:
    """What llama.cpp adds: its slots, and the context of each, which is less than that of the model."""
    each = _count(as_object(props.get("default_generation_settings")).get("n_ctx"))
    contexts = {name: min(tokens, each or tokens) for name, tokens in facts.contexts.items()}
    return replace(facts, slots=_count(props.get("total_slots")) or 1, contexts=contexts)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
