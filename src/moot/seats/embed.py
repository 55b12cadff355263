"""Texts as vectors, by an embedding model of the owner's. This file owns the wires to such models.

They are asked at the addresses and with the keys of the model providers, never at one that a brief names.
"""

from collections.abc import Mapping, Sequence
from math import fsum, sqrt
from typing import Protocol, TypeAlias, cast

from moot.core.errors import BriefError, ToolError
from moot.core.text import clean, clip
from moot.models.names import Environment, parse
from moot.models.net import Link, read_object

BATCH = 64
"""Texts of one request."""

Vector: TypeAlias = tuple[float, ...]
"""A vector of length 1."""


class Embedder(Protocol):
    """Something that makes vectors of texts."""

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text, in order.

        Raises:
            ToolError: there are none.
        """
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

    async def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """A vector for each text; see ``Embedder``."""
        import httpx2  # deferred: it takes 0.1 s to load

        found: list[Vector] = []
        try:
            for start in range(0, len(texts), BATCH):
                found += await self._send(texts[start : start + BATCH])
        except httpx2.RequestError as error:
            raise ToolError(f"{self._name} cannot be reached: {clip(clean(str(error)), 200)}") from error
        return tuple(found)

    async def close(self) -> None:
        """Give the connections back."""
        await self._link.close()

    async def _send(self, texts: Sequence[str]) -> Sequence[Vector]:
        ollama = self._name.provider.wire == "ollama"
        path = "/api/embed" if ollama else "/embeddings"
        body = {"model": self._name.model, "input": list(texts)}
        response = await self._link.client.post(f"{self._link.url}{path}", json=body)
        told = read_object(response.content)
        if response.status_code != 200:
            raise ToolError(f"{self._name} answers with the status {response.status_code}")
        vectors = _of_ollama(told) if ollama else _of_openai(told)
        if len(vectors) != len(texts) or len({len(each) for each in vectors}) != 1:
            raise ToolError(f"{self._name} gave no vector for each text")
        return vectors


def likeness(one: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1; 0 where they are not of the same model."""
    return sum(a * b for a, b in zip(one, other, strict=True)) if len(one) == len(other) else 0.0


def _of_ollama(told: Mapping[str, object]) -> list[Vector]:
    return [_vector(each) for each in _listed(told.get("embeddings"))]


def _of_openai(told: Mapping[str, object]) -> list[Vector]:
    rows = [cast("Mapping[str, object]", each) for each in _listed(told.get("data")) if isinstance(each, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else 0)
    return [_vector(row.get("embedding")) for row in rows]


def _vector(value: object) -> Vector:
    """Numbers as a vector of length 1; empty where they are none."""
    numbers = [float(each) for each in _listed(value) if isinstance(each, int | float)]
    length = sqrt(fsum(each * each for each in numbers))
    return tuple(each / length for each in numbers) if length else ()


def _listed(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()
