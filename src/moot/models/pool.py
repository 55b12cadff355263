"""The model pool: a model name becomes a model with its layers, shared connections and fallbacks.

A fallback is called if the first model cannot be reached. Only the brief or the owner's settings can name one, because
it may belong to another company. A request that was refused never goes to a fallback. Each attempt is recorded under
the model that it was sent to, and reserved at that model's price before it is sent.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from moot.core.agent import Quote, Recorder
from moot.core.errors import BriefError, Unavailable
from moot.core.event import Called
from moot.models.base import Model, Request, Traits
from moot.models.layers import (
    Breaker,
    BreakerSettings,
    Breaking,
    Layer,
    Recorded,
    Retrying,
    RetrySettings,
    Throttled,
    TimeLimit,
)
from moot.models.names import Environment, ModelName, need_key, parse
from moot.models.provider_errors import TranslatedErrors
from moot.models.transport import IN_FLIGHT, ProviderConnection, UsageMeter


class Fallback(Layer):
    """A model with others that take its place, call by call, while it is unavailable.

    It has the name of the first. What it is sent fits all of them, so its traits are what all take.

    Args:
        model: the model that is asked first.
        others: who is asked next, in order; at least one.
    """

    def __init__(self, model: Model, others: Sequence[Model]) -> None:
        super().__init__(model)
        self._all = (model, *others)

    @property
    def traits(self) -> Traits:
        """What the wires of all take."""
        traitses = [model.traits for model in self._all]
        return Traits(
            system=all(one.system for one in traitses),
            alternate=any(one.alternate for one in traitses),
            context=min((one.context for one in traitses if one.context), default=0),
            tools=all(one.tools for one in traitses),
            prefill=all(one.prefill for one in traitses),
        )

    def quote(self, request: Request) -> Quote:
        """The most that one try can use, whoever is asked."""
        quotes = [model.quote(request) for model in self._all]
        known = [one.cost for one in quotes if one.cost is not None]
        dearest = max(quotes, key=lambda one: (one.cost is None, one.cost or 0.0))
        return Quote(
            model=dearest.model,
            tokens=max(one.tokens for one in quotes),
            cost=max(known) if len(known) == len(quotes) else None,
        )

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request by the first of the models that can be reached.

        Raises:
            Unavailable: none of them can; the sentence names them all.
        """
        missed: list[Unavailable] = []
        for model in self._all:
            try:
                return await model.complete(request, recorder)
            except Unavailable as error:
                missed.append(error)
        raise Unavailable("; ".join(map(str, missed)), kind=missed[0].kind) from missed[0]


GUEST = "guest:"
"""How the seat begins of somebody who answers from within a program."""


class Pool:
    """Live models by name; all models of one provider share its connections, its key and its queue.

    A pool belongs to one event loop. Nothing is loaded or opened before the first request.

    Args:
        env: where addresses and keys come from; None for the process's environment.
        patience: how long to try.
        in_flight: the most calls at once to one provider.
        fuse: when a model that fails again and again is left out, and for how long.
        clock: what breakers measure that time with: seconds that never run backwards.

    Attributes:
        meter: by a provider's name and the mark of its key what counts its calls, where several processes share its
            limits; it is asked when a provider is first used.
    """

    def __init__(
        self,
        *,
        env: Environment | None = None,
        patience: RetrySettings | None = None,
        in_flight: int = IN_FLIGHT,
        fuse: BreakerSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._env, self._patience, self._in_flight = env, patience or RetrySettings(), in_flight
        self._fuse, self._clock = fuse or BreakerSettings(), clock
        self.meter: Callable[[str, str], UsageMeter | None] = lambda provider, key: None
        self._links: dict[str, ProviderConnection] = {}
        self._models: dict[str, Breaking] = {}
        self._guests: dict[str, Model] = {}
        self._cold: dict[str, ProviderConnection] = {}  # models that nobody has loaded yet
        self._warming = asyncio.Lock()

    def model(self, name: str) -> Model:
        """The model of that name (``ollama:llama3.2``), always the same one.

        Raises:
            BriefError: there is no such provider, or its key or address is missing.
        """
        return self._named(name)

    def _named(self, name: str) -> Breaking:
        if name.startswith(GUEST):
            return self._guest(name)
        parsed = parse(name)
        if str(parsed) not in self._models:
            link = self._link(parsed)
            self._models[str(parsed)] = self._guarded(layered_model(parsed, link, self._patience))
            self._cold[str(parsed)] = link
        return self._models[str(parsed)]

    async def warm(self) -> None:
        """Load what the models asked for so far need, once, in a thread: providers' libraries take seconds to load.

        A model that is used without it loads them on its first request, and holds the event loop up meanwhile.
        """
        async with self._warming:
            for name, link in tuple(self._cold.items()):
                await asyncio.to_thread(_load, self._models[name], link)
                del self._cold[name]

    def add_agent(self, name: str, model: Model) -> None:
        """Seat a guest: ``guest:name`` is this model from now on, with the same patience as any other.

        Raises:
            BriefError: another model has that name.
        """
        whole = f"{GUEST}{name}"
        if self._guests.setdefault(whole, model) is not model:
            raise BriefError(f"two guests are called {name}; each needs a name of its own", code="duplicate_name")
        self._models[whole] = self._guarded(Retrying(Recorded(TimeLimit(model, self._patience)), self._patience))

    def available(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of the names whose models would be asked now: all but those that their breaker leaves out.

        Raises:
            BriefError: a name is none of a model; see ``model``.
        """
        return tuple(name for name in names if self._named(name).breaker.free)

    async def close(self) -> None:
        """Give all connections back."""
        for model in self._models.values():
            await model.close()

    def _guarded(self, model: Model) -> Breaking:
        return Breaking(model, Breaker(self._fuse, self._clock))

    def _guest(self, name: str) -> Breaking:
        if name not in self._models:
            raise BriefError(f"{name} answers from within a program; go on with the debate there", code="bad_enum")
        return self._models[name]

    def _link(self, name: ModelName) -> ProviderConnection:
        provider = name.provider
        if provider.name not in self._links:
            key = need_key(provider, self._env)
            meter = self.meter(provider.name, key.mark if key else "")
            self._links[provider.name] = ProviderConnection(provider, self._env, in_flight=self._in_flight, meter=meter)
        return self._links[provider.name]


def _load(model: Model, link: ProviderConnection) -> None:
    """Load the libraries for a model and for its tries."""
    import_module("stamina")
    # Broad, because the model's turn meets the same fault and books it.
    with contextlib.suppress(Exception):
        _ = link.client, model.drops


def build(name: str, *, env: Environment | None = None, patience: RetrySettings | None = None) -> Model:
    """One model with connections of its own, which its ``close`` gives back.

    Raises:
        BriefError: there is no such provider, or its key or address is missing.
    """
    parsed = parse(name)
    return layered_model(parsed, ProviderConnection(parsed.provider, env), patience or RetrySettings())


def _adapter(name: ModelName, link: ProviderConnection) -> Model:
    """A model of a provider's wire; whatever the code of another package raises becomes a ModelError."""
    where = name.provider.wire.adapter
    if isinstance(where, str):
        module, _, word = where.partition(":")
        return cast(Callable[[ModelName, ProviderConnection], Model], getattr(import_module(module), word))(name, link)
    try:
        return Guarded(cast(Model, where(name, link)))
    except Exception as error:  # house: broad because foreign code raises what it likes
        raise BriefError(f"{name} cannot be used: {type(error).__name__}: {error}", code="bad_model") from error


class Guarded(Layer):
    """A model of another package: whatever it raises becomes a ModelError, which names it."""

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request.

        Raises:
            ModelError: it has failed.
        """
        with TranslatedErrors(self.name):
            return await self._model.complete(request, recorder)


def layered_model(name: ModelName, link: ProviderConnection, patience: RetrySettings) -> Model:
    """A model in all its layers."""
    adapter = _adapter(name, link)
    return Retrying(Throttled(Recorded(TimeLimit(adapter, patience)), link.gate), patience)
