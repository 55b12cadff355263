"""Texts as vectors, by an embedding model on this machine. This file owns how it is opened, and which kind a name is.

A model of model2vec is a table of vectors for tokens; the vector of a text is the mean of theirs (Tulkens and van
Dongen, "Model2Vec: Fast State-of-the-Art Static Embeddings", 2024). It is named by the full path of its folder, which
no name on a hub can be, so nothing is ever downloaded. On record stands the folder's name, and not where it lies.
"""

import asyncio
import os
import threading
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol, cast

from moot.agents.toolkit import Errand
from moot.core.agent import Quote
from moot.core.ask import Usage
from moot.core.errors import BriefError, Unavailable
from moot.core.event import Called
from moot.core.text import clean, clip
from moot.models.names import Environment
from moot.tools.embeddings import Embedder, Embeddings, Vector, on_record, vector

INSTALL = 'embeddings by model2vec need a library that is not installed: pip install "moot[semantic]"'

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
    kind, _, place = name.strip().partition(":")
    return Installed(place.strip()) if kind.strip().lower() == KIND else Embeddings(name, env)


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


class Installed:
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
            raise BriefError(INSTALL, code="no_tool")
        self._path = path
        self._model: _Model | None = None
        self._loading = threading.Lock()

    @property
    def name(self) -> str:
        """What it is called on record: ``model2vec:`` and the name of its folder."""
        return f"{KIND}:{clip(clean(os.path.basename(os.path.normpath(self._path))), _LONGEST)}"

    async def embed(self, texts: Sequence[str], errand: Errand) -> tuple[Vector, ...]:
        """A vector for each text; see ``Embedder``. They are one call on record, which costs nothing."""

        async def send() -> tuple[Sequence[Vector], Called]:
            clock = asyncio.get_running_loop().time
            began = clock()
            vectors = await asyncio.to_thread(self._encode, list(texts))
            told = f"{len(vectors)} vectors"
            spent = clock() - began
            return vectors, Called(
                key="", call="", text=told, model=self.name, usage=Usage(), seconds=spent, finish="stop"
            )

        return tuple(await on_record(errand, self.quote(texts), send)) if texts else ()

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
        except Exception as error:  # house: broad because tokenizers raises Exception itself
            found = clip(clean(str(error)).replace(self._path, self.name), 200)
            raise Unavailable(f"{self.name} cannot be used: {found}", kind="not_found") from error
        return [vector(row) for row in rows]


def _load(path: str) -> _Model:
    return cast("_Model", import_module(KIND).StaticModel.from_pretrained(path))
