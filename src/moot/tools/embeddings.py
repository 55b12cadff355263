"""Texts as vectors, by an embedding model of the owner's. This file owns the wires to models that are served.

They are asked at the addresses and with the keys of the model providers, never at one that a brief names. Each request
is a call on record (``tool-1-embed-2``), so it has to pass the limits of the debate. The vectors are not on record: a
use of a tool that was cut off asks for them again, and one that came to its end needs none. Models that are loaded on
this machine are in ``tools.installed``.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import hypot, inf
from typing import Protocol, TypeAlias, cast

from moot.agents.toolkit import Errand
from moot.core.agent import Quote
from moot.core.ask import Usage
from moot.core.errors import BriefError, Unavailable, Unreadable
from moot.core.event import Called
from moot.core.text import clean, clip
from moot.models.base import Message
from moot.models.names import Environment, parse
from moot.models.prices import cost, count_most, count_tokens
from moot.models.provider_errors import from_status
from moot.models.transport import Link, read_object

BATCH = 64
"""Texts of one request."""

Vector: TypeAlias = tuple[float, ...]
"""A vector of length 1."""


class Embedder(Protocol):
    """Something that makes vectors of texts."""

    @property
    def name(self) -> str:
        """What it is called on record."""
        ...

    async def embed(self, texts: Sequence[str], errand: Errand) -> tuple[Vector, ...]:
        """A vector for each text, in order.

        Args:
            texts: what is to be compared.
            errand: for whom it is done; its line records what it takes.

        Raises:
            ModelError: there are none.
            LimitReached: a limit stands in the way.
        """
        ...

    def quote(self, texts: Sequence[str]) -> Quote:
        """The most that the vectors of texts can use."""
        ...

    async def close(self) -> None:
        """Give connections back."""
        ...


class Embeddings:
    """An embedding model of a provider.

    Args:
        name: ``provider:name``, such as ``ollama:nomic-embed-text``.
        env: where addresses and keys come from; None for the process's environment.

    Raises:
        BriefError: there is no such provider, it makes no embeddings, or its key or address is missing.
    """

    def __init__(self, name: str, env: Environment | None = None) -> None:
        self._name = parse(name)
        if self._name.provider.wire == "anthropic":
            raise BriefError(f"{self._name.provider.name} makes no embeddings; take ollama or openai", code="bad_model")
        self._link = Link(self._name.provider, env)

    @property
    def name(self) -> str:
        """``provider:name``."""
        return str(self._name)

    async def embed(self, texts: Sequence[str], errand: Errand) -> tuple[Vector, ...]:
        """A vector for each text; see ``Embedder``."""
        found: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            found += await self._batch(texts[start : start + BATCH], errand)
        return tuple(found)

    def quote(self, texts: Sequence[str]) -> Quote:
        """The most that the vectors of texts can use: tokens by their characters, and the price if it is known."""
        sent = [Message(role="user", text=text) for text in texts]
        tokens, most = count_tokens(sent), count_most(sent)
        return Quote(
            model=str(self._name),
            tokens=tokens,
            cost=cost(self._name, Usage(input_tokens=tokens)),
            prompt=tokens,
            worst=most,
            worst_cost=cost(self._name, Usage(input_tokens=most)),
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._link.close()

    async def _batch(self, texts: Sequence[str], errand: Errand) -> Sequence[Vector]:
        quote = self.quote(texts)
        return await on_record(errand, quote, partial(self._send, texts, quote))

    async def _send(self, texts: Sequence[str], quote: Quote) -> tuple[Sequence[Vector], Called]:
        import httpx2  # deferred: it takes 0.1 s to load

        ollama = self._name.provider.wire == "ollama"
        path = "/api/embed" if ollama else "/embeddings"
        body = {"model": self._name.model, "input": list(texts)}
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            response = await self._link.client.post(f"{self._link.url}{path}", json=body)
        except httpx2.RequestError as error:
            reason = f"{self._name} cannot be reached: {clip(clean(str(error)), 200)}"
            raise Unavailable(reason, kind="connection") from error
        if response.status_code != 200:
            raise from_status(self._name, response.status_code, "", key=self._link.key)
        told = read_object(response.content)
        vectors = _of_ollama(told) if ollama else _of_openai(told)
        if len(vectors) != len(texts) or len({len(each) for each in vectors}) != 1:
            raise Unreadable(f"{self._name} gave no vector for each text", kind="garbled")
        taken = _taken(told)
        usage = Usage(input_tokens=quote.tokens if taken is None else taken, estimated=taken is None).mended()
        called = Called(
            key="",
            call="",
            text=f"{len(vectors)} vectors",
            model=str(self._name),
            usage=replace(usage, cost=cost(self._name, usage)),
            seconds=clock() - began,
            finish="stop",
        )
        return vectors, called


async def on_record(
    errand: Errand, quote: Quote, make: Callable[[], Awaitable[tuple[Sequence[Vector], Called]]]
) -> Sequence[Vector]:
    """Vectors, made in a call on record.

    Args:
        errand: for whom; its line records the call.
        quote: the most that they can use.
        make: makes them, one at least, and says what it took.
    """
    vectors: Sequence[Vector] = ()

    async def send() -> Called:
        nonlocal vectors
        vectors, called = await make()
        return called

    while not vectors:
        # A call that is on record already is not sent: its vectors went with the run that made them.
        await errand.say.call(errand.number("embed"), quote, send)
    return vectors


def likeness(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1; 0 where they are not of the same model."""
    return sum(a * b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else 0.0


def _of_ollama(told: Mapping[str, object]) -> list[Vector]:
    return [vector(each) for each in _listed(told.get("embeddings"))]


def _of_openai(told: Mapping[str, object]) -> list[Vector]:
    rows = [cast("Mapping[str, object]", each) for each in _listed(told.get("data")) if isinstance(each, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else 0)
    return [vector(row.get("embedding")) for row in rows]


def _taken(told: Mapping[str, object]) -> int | None:
    """The tokens that were used, of Ollama or of OpenAI and its kin; None where nothing is said."""
    usage = told.get("usage")
    said = cast("Mapping[str, object]", usage).get("prompt_tokens") if isinstance(usage, dict) else None
    tokens = told.get("prompt_eval_count", said)
    return tokens if isinstance(tokens, int) else None


def vector(value: object) -> Vector:
    """Numbers as a vector of length 1; empty where they are none, or too large to be reckoned with."""
    try:
        numbers = [float(each) for each in _listed(value) if isinstance(each, int | float)]
    except OverflowError:
        return ()
    length = hypot(*numbers)
    return tuple(each / length for each in numbers) if 0 < length < inf else ()


def _listed(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()
