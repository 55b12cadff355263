"""Embeddings: texts as vectors, by a served model or one on this machine, and an agent that measures similarity.

Served models are reached at the addresses and with the keys of the model providers, never at one that a brief names.
Each request is a recorded call (``tool-1-embed-2``) and counts against the limits. Vectors are not recorded.

A model2vec model is a table of vectors for tokens; the vector of a text is their mean (Tulkens and van Dongen,
"Model2Vec: Fast State-of-the-Art Static Embeddings", 2024). It is named by the full path of its folder, so nothing is
ever downloaded. The record has only the folder's name. The agent compares pairs of each author's previous and newest
text; if there are no vectors it gives no answer, and words are compared instead.
"""

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from math import hypot, inf
from typing import Protocol, TypeAlias, cast

from folkmoot.agents.toolkit import ToolUse
from folkmoot.core.agent import Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.errors import BriefError, Unavailable, Unreadable
from folkmoot.core.event import Called
from folkmoot.core.json_values import read_object
from folkmoot.core.packages import missing_library
from folkmoot.core.text import clean, clip
from folkmoot.core.transcript import Turn, read_field
from folkmoot.models.base import Message
from folkmoot.models.http_port import Unreached
from folkmoot.models.names import Environment, parse
from folkmoot.models.prices import cost, count_most, count_tokens
from folkmoot.models.provider_errors import answer_error
from folkmoot.models.transport import ProviderConnection

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

    async def embed(self, texts: Sequence[str], tool_use: ToolUse) -> tuple[Vector, ...]:
        """A vector for each text, in order.

        Args:
            texts: what is to be compared.
            tool_use: for whom it is done; it records what it takes.

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
        if not self._name.provider.wire.vectors_path:
            raise BriefError(f"{self._name.provider.name} makes no embeddings; take ollama or openai", code="bad_model")
        self._connection = ProviderConnection(self._name.provider, env)

    @property
    def name(self) -> str:
        """``provider:name``."""
        return str(self._name)

    async def embed(self, texts: Sequence[str], tool_use: ToolUse) -> tuple[Vector, ...]:
        """A vector for each text; see ``Embedder``."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += await self._batch(texts[start : start + BATCH], tool_use)
        return tuple(vectors)

    def quote(self, texts: Sequence[str]) -> Quote:
        """The most that the vectors of texts can use: tokens by their characters, and the price if it is known."""
        sent = [Message(role="user", text=text) for text in texts]
        tokens, upper_bound = count_tokens(sent), count_most(sent)
        return Quote(
            model=str(self._name),
            tokens=tokens,
            cost=cost(self._name, Usage(input_tokens=tokens)),
            prompt=tokens,
            worst=upper_bound,
            worst_cost=cost(self._name, Usage(input_tokens=upper_bound)),
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self._connection.close()

    async def _batch(self, texts: Sequence[str], tool_use: ToolUse) -> Sequence[Vector]:
        quote = self.quote(texts)
        return await on_record(tool_use, quote, partial(self._send, texts, quote))

    async def _send(self, texts: Sequence[str], quote: Quote) -> tuple[Sequence[Vector], Called]:
        wire = self._name.provider.wire
        body = {"model": self._name.model, "input": list(texts)}
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            answer = await self._connection.post(wire.vectors_path, body)
        except Unreached as error:
            reason = f"{self._name} cannot be reached: {clip(clean(str(error)), 200)}"
            raise Unavailable(reason, kind="connection") from error
        if answer.status != 200:
            key, url = self._connection.key, self._connection.url
            raise answer_error(self._name, answer.status, answer.body, headers=answer.headers, key=key, url=url)
        data = read_object(answer.body)
        vectors = _of_openai(data) if wire.vectors == "data" else _of_ollama(data.get(wire.vectors))
        if len(vectors) != len(texts) or len({len(item) for item in vectors}) != 1:
            raise Unreadable(f"{self._name} gave no vector for each text", kind="garbled")
        tokens = _used_tokens(data)
        usage = Usage(input_tokens=quote.tokens if tokens is None else tokens, estimated=tokens is None).cleaned()
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
    tool_use: ToolUse, quote: Quote, make: Callable[[], Awaitable[tuple[Sequence[Vector], Called]]]
) -> Sequence[Vector]:
    """Vectors, made in a call on record.

    Args:
        tool_use: for whom; it records the call.
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
        await tool_use.say.call(tool_use.number("embed"), quote, send)
    return vectors


def likeness(first_vector: Vector, other: Vector) -> float:
    """The cosine of two vectors of length 1; 0 where they are not of the same model."""
    return sum(a * b for a, b in zip(first_vector, other, strict=True)) if len(first_vector) == len(other) else 0.0


def _of_ollama(rows: object) -> list[Vector]:
    return [vector(item) for item in _as_list(rows)]


def _of_openai(data: Mapping[str, object]) -> list[Vector]:
    rows = [cast("Mapping[str, object]", item) for item in _as_list(data.get("data")) if isinstance(item, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else 0)
    return [vector(row.get("embedding")) for row in rows]


def _used_tokens(data: Mapping[str, object]) -> int | None:
    """The tokens that were used, of Ollama or of OpenAI and its kin; None where nothing is said."""
    usage = data.get("usage")
    prompt_tokens = cast("Mapping[str, object]", usage).get("prompt_tokens") if isinstance(usage, dict) else None
    tokens = data.get("prompt_eval_count", prompt_tokens)
    return tokens if isinstance(tokens, int) else None


def vector(value: object) -> Vector:
    """Numbers as a vector of length 1; empty where they are none, or too large to be reckoned with."""
    try:
        numbers = [float(item) for item in _as_list(value) if isinstance(item, int | float)]
    except OverflowError:
        return ()
    length = hypot(*numbers)
    return tuple(number / length for number in numbers) if 0 < length < inf else ()


def _as_list(value: object) -> Sequence[object]:
    return cast("list[object]", value) if isinstance(value, list) else ()


KIND = "model2vec"
"""What stands before the colon in the name of such a model."""

_FILES = (("model.safetensors",), ("0_StaticEmbedding", "model.safetensors"))
"""Where the vectors lie in a model's folder, as model2vec and Sentence Transformers save it."""

_LONGEST = 100
"""Characters of a model's name."""


def embedder(name: str, env: Environment | None = None) -> Embedder:
    """The embedding model of that name.

    Args:
        name: ``provider:name`` of one that is served, or ``model2vec:`` and the full path of a folder.
        env: where addresses and keys come from; None for the process's environment.

    Raises:
        BriefError: there is no such model, or its library, key or address is missing.
    """
    kind, _, folder = name.strip().partition(":")
    return LocalEmbeddings(folder.strip()) if kind.strip().lower() == KIND else Embeddings(name, env)


class _Model(Protocol):
    """A model as the library gives it."""

    def encode(self, sentences: Sequence[str], *, max_length: int | None, use_multiprocessing: bool) -> "_Matrix":
        """A row for each text."""
        ...


class _Matrix(Protocol):
    """An array of NumPy."""

    def tolist(self) -> list[object]:
        """Its rows as lists."""
        ...


class LocalEmbeddings:
    """An embedding model of model2vec in a folder. It is loaded once, at the first use, and works in a thread.

    Args:
        place: the full path of the folder; ``~`` stands for the home folder.

    Raises:
        BriefError: that is no full path, there is no model, or the library is missing.
    """

    def __init__(self, place: str) -> None:
        path = os.path.expanduser(place)
        if not os.path.isabs(path):
            raise BriefError(
                f"{KIND} needs the full path of a model's folder, such as {KIND}:/srv/models/potion; "
                f"{place!r} is none, and nothing is downloaded",
                code="bad_model",
            )
        if not any(os.path.isfile(os.path.join(path, *parts)) for parts in _FILES):
            raise BriefError(f"there is no model of {KIND} in {path}: model.safetensors is missing", code="bad_model")
        if find_spec(KIND) is None:
            raise BriefError(missing_library(f"An embedding model of {KIND}", "semantic"), code="no_tool")
        self._path = path
        self._model: _Model | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """What it is called on record: ``model2vec:`` and the name of its folder."""
        return f"{KIND}:{clip(clean(os.path.basename(os.path.normpath(self._path))), _LONGEST)}"

    async def embed(self, texts: Sequence[str], tool_use: ToolUse) -> tuple[Vector, ...]:
        """A vector for each text; see ``Embedder``. They are one call on record, which costs nothing."""

        async def send() -> tuple[Sequence[Vector], Called]:
            clock = asyncio.get_running_loop().time
            began = clock()
            vectors = await asyncio.to_thread(self._encode, list(texts))
            sentence = f"{len(vectors)} vectors"
            spent = clock() - began
            return vectors, Called(
                key="", call="", text=sentence, model=self.name, usage=Usage(), seconds=spent, finish="stop"
            )

        return tuple(await on_record(tool_use, self.quote(texts), send)) if texts else ()

    def quote(self, texts: Sequence[str]) -> Quote:
        """Nothing: no language model reads the texts, and nobody is paid."""
        return Quote(model=self.name)

    async def close(self) -> None:
        """Nothing is open; the model stays loaded."""

    def _encode(self, texts: list[str]) -> list[Vector]:
        """The vectors of whole texts, however long; runs in a thread, one at a time.

        Raises:
            Unavailable: the folder holds something else than a model of this version.
        """
        try:
            with self._loading:
                model = self._model = self._model or _load(self._path)
                rows = model.encode(texts, max_length=None, use_multiprocessing=False).tolist()
        except Exception as error:  # tokenizers raises Exception itself
            problem = clip(clean(str(error)).replace(self._path, self.name), 200)
            raise Unavailable(f"{self.name} cannot be used: {problem}", kind="not_found") from error
        return [vector(row) for row in rows]


def _load(path: str) -> _Model:
    return cast("_Model", import_module(KIND).StaticModel.from_pretrained(path))


class SimilarityTool:
    """The instrument that measures likeness.

    Args:
        embedder: the model that makes the vectors; its name stands with the numbers.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Measure; see ``core.agent.Agent``.

        Raises:
            ModelError: the model gives no vectors.
        """
        tool_use = ToolUse(context=context, say=recorder, name="tool-1")
        try:
            vectors = await self._embedder.embed([_text(turn) for turn in context.about], tool_use)
        finally:
            await self._embedder.close()
        (own, between), name = measure(vectors), self._embedder.name
        fields = {"OWN": own, "BETWEEN": between, "METHOD": name}
        return Reply(text=f"own {own:.3f}, between {between:.3f}, by {name}", fields=fields, asked=name)


def measure(vectors: tuple[Vector, ...]) -> tuple[float, float]:
    """The least likeness of an author's two texts, and the mean likeness of two authors' newest ones, each 0 to 1.

    Args:
        vectors: of each author that of the text before, then that of the newest; of one author at least.
    """
    before, newest = vectors[::2], vectors[1::2]
    pairs = [_share(likeness(first_vector, other)) for first_vector, other in combinations(newest, 2)]
    own = min(_share(likeness(older, other)) for older, other in zip(before, newest, strict=True))
    return own, sum(pairs) / len(pairs) if pairs else 1.0


def _share(cosine: float) -> float:
    """A cosine as a number from 0 to 1: texts that point away from each other have nothing in common."""
    return min(1.0, max(0.0, cosine))


def _text(turn: Turn) -> str:
    """What of a proposal is compared: its ARGUMENT, else all its words."""
    return str(read_field(turn, "ARGUMENT") or turn.text)
