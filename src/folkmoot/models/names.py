"""Model names, ``provider:name``: the table of providers with their wires, addresses and keys.

Addresses and keys come from here or from the owner's environment, never from a brief. So a brief cannot send a key to a
host of its choice.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.core.extensions import PROVIDER, find, offered
from folkmoot.core.text import clean, closest

Environment: TypeAlias = Mapping[str, str]

_NAME = re.compile(r"\S{1,200}")
_KEY = re.compile(r"[!-~]+")
"""What a key may be of: a header takes no other letters, and no key has blanks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A protocol that servers of models speak: all that differs between them stands here.

    Attributes:
        name: what it is called.
        adapter: the class of its models, made with a ``ModelName`` and a ``ProviderConnection``; or where it stands,
            so that it is imported when a model is first used.
        models_path: where a server lists its models; "" where none does.
        vectors_path: where it makes vectors of texts; "" where it makes none.
        vectors: the key of its answer that has them.
        cache_writes: whether tokens that are written to the provider's cache have a price of their own.
        unnamed: the settings that it has no name for.
        refused: what models refuse that speak it: a pattern for the beginning of their names, and the settings.
        address: how an address in the environment is read.
        starts_program: whether its models are programs of this machine, which it starts.
    """

    name: str
    adapter: str | Callable[..., object]
    models_path: str = ""
    vectors_path: str = ""
    vectors: str = "data"
    cache_writes: bool = False
    unnamed: tuple[str, ...] = ()
    refused: tuple[tuple[str, tuple[str, ...]], ...] = ()
    address: Callable[[str], str] = str
    starts_program: bool = False


def ollama_address(text: str) -> str:
    """OLLAMA_HOST as an address. The server reads it too, so it may be no more than a host, a port, or ``0.0.0.0``."""
    scheme, mark, rest = text.partition("://")
    if not mark:
        scheme, rest = "http", text
    host, slash, path = rest.partition("/")
    path = re.sub(r"^(?:api(?:/chat|/generate|/tags)?|v1(?:/chat/completions)?)/*$", "", path)
    slash = slash if path else ""
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name, port = host, "" if mark else "11434"
    name = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(name, name)
    return f"{scheme}://{name}" + (f":{port}" if port else "") + slash + path


def chat_address(text: str) -> str:
    """An address of OpenAI's interface, also where somebody has copied the whole path of a question."""
    return re.sub(r"/(?:chat/completions|completions|responses|embeddings|models)/*$", "", text)


def messages_address(text: str) -> str:
    """An address of Anthropic's interface, to which its version belongs."""
    return re.sub(r"/v1(?:/messages|/models)?/*$", "", text)


_PENALTIES = ("presence_penalty", "frequency_penalty")
_LOCAL = ("num_ctx", "keep_alive")
_SAMPLING = ("temperature", "top_p", *_PENALTIES, "stop")

OPENAI = Wire(
    name="openai",
    adapter="folkmoot.models.wires.openai_chat:OpenAIChat",
    models_path="/models",
    vectors_path="/embeddings",
    address=chat_address,
    unnamed=("top_k", "min_p", "repeat_penalty", *_LOCAL),
    # Models that always think, or do where nobody says otherwise, as of November 2026.
    refused=(
        (r"o[134]\b", _SAMPLING),
        (r"gpt-5(?!\.[1-4]|-chat)", _SAMPLING),
        (r"gpt-5\.(?:1-codex|[123]-chat|[24]-pro)", _SAMPLING),
        (r"gpt-6", _SAMPLING),
    ),
)
ANTHROPIC = Wire(
    name="anthropic",
    adapter="folkmoot.models.wires.anthropic_messages:AnthropicMessages",
    models_path="/models",
    address=messages_address,
    cache_writes=True,
    unnamed=("min_p", *_PENALTIES, "repeat_penalty", "seed", *_LOCAL),
    # As of November 2026.
    refused=(
        (
            r"claude-(?:fable-5|mythos-5|opus-4-[78]|opus-5|sonnet-5|haiku-5-5)",
            ("temperature", "top_p", "top_k"),
        ),
    ),
)
OLLAMA = Wire(
    name="ollama",
    adapter="folkmoot.models.wires.ollama_chat:OllamaChat",
    models_path="/api/tags",
    vectors_path="/api/embed",
    vectors="embeddings",
    address=ollama_address,
)
LIBRARY = Wire(
    name="library",
    adapter="folkmoot.models.wires.library:LibraryModel",
    unnamed=("min_p", "repeat_penalty", *_LOCAL),
)

ACP = Wire(
    name="acp",
    adapter="folkmoot.models.wires.acp_agent:AcpModel",
    unnamed=tuple(Settings.__slots__),
    starts_program=True,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """Who serves models, and how it is reached.

    Attributes:
        name: what stands before the colon.
        wire: the protocol it speaks.
        url: its address; "" where only the environment can say it.
        url_env: the environment variable that replaces the address.
        keys: the environment variables that may hold its key, the first one set counts.
        needs_key: whether it answers nobody without a key.
        local: whether it runs on the owner's machines, so that its answers cost nothing.
        prices: what the price list calls it; "" where no list knows its prices.
        alternate: whether its templates may want user and assistant messages in turns.
        strict: whether it is OpenAI itself, with OpenAI's newer names of fields.
        countable: whether it may be asked to count tokens in a stream; who may not counts them unasked.
        drops: the names of settings that it refuses or ignores for all its models.
        extras: the settings beyond OpenAI's own that it takes, and what it calls them.
        tools: whether its models can be offered tools.
        prefill: how its models are asked to go on with a last message of their own: ``prefix`` marks the message,
            ``continue`` the request; "" where they cannot.
        unthinking: the fields of a request that keep its models from thinking before they answer.
        headers: environment variables whose values go to it alone, and the header of each.
        starters: the large and the small models with which presets begin, as of November 2026; all have a known price.
        batches: where its batch interface stands, which answers within a day at half the price; "" where it has none.
    """

    name: str
    wire: Wire = OPENAI
    url: str = ""
    url_env: str = ""
    keys: tuple[str, ...] = ()
    needs_key: bool = True
    local: bool = False
    prices: str = ""
    alternate: bool = True
    strict: bool = False
    countable: bool = True
    drops: tuple[str, ...] = ()
    extras: Mapping[str, str] = field(default_factory=dict[str, str])
    tools: bool = True
    prefill: Literal["", "prefix", "continue"] = ""
    unthinking: Mapping[str, object] = field(default_factory=dict[str, object])
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    starters: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    batches: str = ""


_TOP_K = MappingProxyType({"top_k": "top_k"})
_SAMPLERS = MappingProxyType({**_TOP_K, "min_p": "min_p", "repeat_penalty": "repetition_penalty"})
"""What servers built on vLLM and its kin take in the body beside OpenAI's own names."""

_UNTHINKING = MappingProxyType({"chat_template_kwargs": {"enable_thinking": False}})
"""What templates of thinking models look at, where the server hands it on; other templates ignore it."""


def _cloud(name: str, url: str, *, drops: tuple[str, ...] = ()) -> Provider:
    """A provider with an OpenAI-compatible address, its key and prices under the usual names."""
    word = name.upper()
    return Provider(name=name, url=url, url_env=f"{word}_BASE_URL", keys=(f"{word}_API_KEY",), prices=name, drops=drops)


def _local(name: str, url: str, *keys: str) -> Provider:
    """A server on the owner's machines with an OpenAI-compatible address."""
    return Provider(name=name, url=url, url_env=f"{name.upper()}_BASE_URL", keys=keys, needs_key=False, local=True)


PROVIDERS: Mapping[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            name="ollama",
            wire=OLLAMA,
            url="http://127.0.0.1:11434",
            url_env="OLLAMA_HOST",
            keys=("OLLAMA_API_KEY",),
            needs_key=False,
            local=True,
        ),
        Provider(
            name="openai",
            url="https://api.openai.com/v1",
            url_env="OPENAI_BASE_URL",
            keys=("OPENAI_API_KEY",),
            prices="openai",
            alternate=False,
            strict=True,
            batches="folkmoot.models.batches.providers:OpenAIBatches",
            starters=(("gpt-5.4",), ("gpt-5.4-mini",)),
            headers={"OPENAI_ORG_ID": "openai-organization", "OPENAI_PROJECT_ID": "openai-project"},
        ),
        Provider(
            name="anthropic",
            wire=ANTHROPIC,
            url="https://api.anthropic.com",
            url_env="ANTHROPIC_BASE_URL",
            keys=("ANTHROPIC_API_KEY",),
            prices="anthropic",
            batches="folkmoot.models.batches.providers:AnthropicBatches",
            starters=(("claude-sonnet-5-5",), ("claude-haiku-5-5",)),
        ),
        replace(
            _cloud("openrouter", "https://openrouter.ai/api/v1"),
            extras=_SAMPLERS,
            starters=(
                ("openai/gpt-5.4", "anthropic/claude-sonnet-5.5", "google/gemini-3.1-pro-preview"),
                ("openai/gpt-5.4-mini", "anthropic/claude-haiku-5.5", "google/gemini-3.8-flash"),
            ),
        ),
        replace(
            _cloud("google", "https://generativelanguage.googleapis.com/v1beta/openai", drops=(*_PENALTIES, "seed")),
            keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            starters=(("gemini-3.1-pro-preview",), ("gemini-3.8-flash",)),
        ),
        _cloud("groq", "https://api.groq.com/openai/v1"),
        replace(
            _cloud("mistral", "https://api.mistral.ai/v1", drops=("seed",)),
            countable=False,
            prefill="prefix",
            starters=(("mistral-large-2512",), ("mistral-small-2603",)),
        ),
        replace(
            _cloud("deepseek", "https://api.deepseek.com/v1"), starters=(("deepseek-v4-pro",), ("deepseek-v4-flash",))
        ),
        replace(_cloud("together", "https://api.together.xyz/v1"), extras=_SAMPLERS),
        replace(_cloud("fireworks", "https://api.fireworks.ai/inference/v1"), extras=_SAMPLERS),
        _cloud("cerebras", "https://api.cerebras.ai/v1", drops=_PENALTIES),
        replace(
            _cloud("xai", "https://api.x.ai/v1", drops=_PENALTIES),
            prices="x-ai",
            starters=(("grok-4.5",), ("grok-4-fast-non-reasoning",)),
        ),
        replace(_local("lmstudio", "http://127.0.0.1:1234/v1"), extras={**_TOP_K, "repeat_penalty": "repeat_penalty"}),
        replace(
            _local("llamacpp", "http://127.0.0.1:8080/v1", "LLAMA_API_KEY"),
            extras={**_SAMPLERS, "repeat_penalty": "repeat_penalty"},
            unthinking=_UNTHINKING,
        ),
        replace(
            _local("vllm", "http://127.0.0.1:8000/v1", "VLLM_API_KEY"),
            extras=_SAMPLERS,
            prefill="continue",
            unthinking=_UNTHINKING,
        ),
        Provider(name="compatible", url_env="FOLKMOOT_BASE_URL", keys=("FOLKMOOT_API_KEY",), needs_key=False),
        Provider(name="library", wire=LIBRARY, needs_key=False),
        Provider(name="acp", wire=ACP, needs_key=False),
    )
}
"""All providers by name. ``compatible`` is any OpenAI-compatible server at ``FOLKMOOT_BASE_URL``, at unknown prices.

``library`` is every provider that PydanticAI knows, named as it names them: ``library:bedrock:NAME``. That library
finds addresses and keys in the environment by itself. ``acp`` is agents on this machine that speak the Agent Client
Protocol: ``acp:claude``.
"""

_OF_LIBRARY = frozenset({"azure", "bedrock", "cohere", "google-cloud", "heroku", "huggingface", "nebius", "ovhcloud"})
"""Providers that users may ask for and that only the library reaches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelName:
    """A provider and the name of one of its models."""

    provider: Provider
    model: str

    def __str__(self) -> str:
        return f"{self.provider.name}:{self.model}"


class Key:
    """A key that shows itself to nobody but the wire."""

    __slots__ = ("_value", "origin")

    def __init__(self, value: str, origin: str) -> None:
        self._value, self.origin = value, origin

    def __repr__(self) -> str:
        return f"Key({self.origin})"

    @property
    def mark(self) -> str:
        """By what it is known among others: eight letters of its hash, which give nothing of it away."""
        return hashlib.sha256(self._value.encode()).hexdigest()[:8]

    def reveal(self) -> str:
        """The key itself, for the provider's own host."""
        return self._value

    def hide(self, text: str) -> str:
        """The text without the key; a key of less than four letters hides nothing, for it would spoil words."""
        return text.replace(self._value, "***") if len(self._value) >= 4 else text


IMPORTED = "imported"
"""What stands in place of a provider where a participant's words were imported from another program."""


def parse(text: str) -> ModelName:
    """Read ``provider:name``, split at the first colon; ``provider/name`` is taken too where the provider is known.

    Raises:
        BriefError: there is no such provider, or no name.
    """
    words = text.strip()
    slash, colon = (words.find(mark) if mark in words else len(words) for mark in "/:")
    cut = slash if slash < colon and provider_named(words[:slash].lower()) else colon
    word, model = words[:cut].strip().lower(), words[cut + 1 :].strip()
    provider = provider_named(word)
    if provider is None:
        if word == IMPORTED:
            problem = f"{words} is no model that can be asked: its words were imported; name one: -m PROVIDER:NAME"
            raise BriefError(problem, code="bad_model")
        if word in _OF_LIBRARY:
            raise BriefError(f"{word} is reached by a library: write library:{words}", code="bad_model")
        names = (*PROVIDERS, *offered(PROVIDER))
        meant = closest(word, names)
        raise BriefError(
            f"{text!r} has no known provider of models; write provider:name, such as ollama:llama3.2. "
            f"The providers are {', '.join(names)}{f'; did you mean {meant!r}?' if meant else ''}",
            code="bad_model",
        )
    if not _NAME.fullmatch(model) or clean(model) != model:
        raise BriefError(
            f"{text!r} needs the name of a model after {word}: at most 200 characters without blanks",
            code="bad_model",
        )
    return ModelName(provider=provider, model=model)


def programs_in(names: Iterable[str]) -> frozenset[str]:
    """Those of the names, as ``parse`` writes them, whose models are programs of this machine."""
    programs: set[str] = set()
    for text in names:
        with suppress(BriefError):  # what no provider answers for starts nothing
            if (name := parse(text)).provider.wire.starts_program:
                programs.add(str(name))
    return frozenset(programs)


def unsent_settings(name: ModelName) -> tuple[str, ...]:
    """The names of Settings that are not sent to a model: its wire has no name for them, or it refuses them."""
    provider, model = name.provider, name.model.rpartition("/")[2]
    wire = provider.wire
    refused = (text for pattern, settings in wire.refused if re.match(pattern, model) for text in settings)
    unsent = {*provider.drops, *wire.unnamed, *refused}.difference(provider.extras)
    return tuple(text for text in Settings.__slots__ if text in unsent)


def provider_named(name: str) -> Provider | None:
    """The provider of that name, built in or of another package; None where there is none.

    Raises:
        BriefError: several packages offer it, or it cannot be loaded.
    """
    if name in PROVIDERS or not name:
        return PROVIDERS.get(name)
    try:
        if (offer := find(PROVIDER, name)) is None:
            return None
        provider = offer.load(Provider)
        if provider.name != name:
            raise offer.broken(f"its name is {provider.name!r}")
    except ProtocolError as error:
        raise BriefError(str(error), code="bad_model") from error
    return provider


def providers() -> tuple[Provider, ...]:
    """All providers, those of other packages last; one that cannot be loaded is left out."""
    known = list(PROVIDERS.values())
    for name in offered(PROVIDER):
        with suppress(BriefError):
            known += [provider] if name not in PROVIDERS and (provider := provider_named(name)) else []
    return tuple(known)


def find_url(provider: Provider, env: Environment | None = None) -> str:
    """The provider's address without a slash at its end: the owner's from the environment, else the usual one.

    Raises:
        BriefError: the environment's address cannot be used, or there must be one and is none.
    """
    text = (os.environ if env is None else env).get(provider.url_env, "").strip()
    if (not text and provider.url) or not provider.url_env:
        return provider.url
    text = provider.wire.address(text)
    parts = urlsplit(text)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise BriefError(
            f"{provider.name} needs an address in {provider.url_env}, such as http://127.0.0.1:8000/v1",
            code="bad_address",
        )
    return text.rstrip("/")


def find_key(provider: Provider, env: Environment | None = None) -> Key | None:
    """The provider's key from the environment; None where none is set.

    Raises:
        BriefError: what is set there is no key.
    """
    values = os.environ if env is None else env
    for origin in provider.keys:
        if value := values.get(origin, "").strip():
            if not _KEY.fullmatch(value):
                raise BriefError(
                    f"{origin} has characters that no key can have: a key is ASCII, without spaces and line breaks",
                    code="bad_key",
                )
            return Key(value, origin)
    return None


def need_key(provider: Provider, env: Environment | None = None) -> Key | None:
    """The provider's key, which must be there if the provider answers nobody without.

    Raises:
        BriefError: there is none, or what is set there is no key.
    """
    key = find_key(provider, env)
    if key is None and provider.needs_key:
        raise BriefError(
            f"{provider.name} needs a key: set {' or '.join(provider.keys)} in the environment", code="no_key"
        )
    return key
