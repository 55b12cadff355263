"""The model pool: a model name becomes a model with its layers, shared connections and fallbacks.

A fallback is called if the first model cannot be reached. Only the brief or the owner's settings can name one, because
it may belong to another company. A request that was refused never goes to a fallback. Each attempt is recorded under
the model that it was sent to, and reserved at that model's price before it is sent.
"""

import asyncio
import contextlib
import copy
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Fields, Usage, Value
from folkmoot.core.brief import GUEST
from folkmoot.core.errors import BriefError, FolkmootError, Unavailable
from folkmoot.core.event import Called
from folkmoot.core.extensions import NO_OPTIONS, PROVIDER, options_for, with_options
from folkmoot.models.base import Model, Request, Traits
from folkmoot.models.batches.batch_tray import BatchedModel, BatchTray
from folkmoot.models.layers import Breaker, BreakerSettings, Layer, ResilientModel, RetrySettings
from folkmoot.models.local_server import is_nearby
from folkmoot.models.names import ACP, Environment, ModelName, find_url, need_key, parse, programs_in
from folkmoot.models.prices import cost
from folkmoot.models.provider_errors import translated_errors
from folkmoot.models.transport import IN_FLIGHT, OpenHttp, ProviderConnection, UsageMeter
from folkmoot.models.wires.acp_agent import AcpModel
from folkmoot.models.wires.acp_programs import AcpProgram, program_of

if TYPE_CHECKING:
    from folkmoot.models.batches.providers import BatchApi
    from folkmoot.models.wires.base import WireModel


class OpenTray(Protocol):
    """A function behind ``functools.cache``: all who call it have one tray, and it tells whether anybody has."""

    def __call__(self) -> BatchTray:
        """The tray."""
        ...

    def cache_info(self) -> Any:
        """What ``functools.cache`` tells."""
        ...


@runtime_checkable
class AsksItsServer(Protocol):
    """A model whose server can be asked what it is."""

    async def learn(self) -> None:
        """Ask, once."""
        ...


class Fallback(Layer):
    """A model with others that take its place, call by call, while it is unavailable.

    It has the name of the first. A request must fit all of them, so its traits are those that all share.

    Args:
        model: the model that is called first.
        others: the models that are called next, in order; at least one.
    """

    def __init__(self, model: Model, others: Sequence[Model]) -> None:
        super().__init__(model)
        self._all = (model, *others)

    @property
    def traits(self) -> Traits:
        """What all of the models accept."""
        all_traits = [model.traits for model in self._all]
        return Traits(
            system=all(traits.system for traits in all_traits),
            alternate=any(traits.alternate for traits in all_traits),
            context=min((traits.context for traits in all_traits if traits.context), default=0),
            tools=all(traits.tools for traits in all_traits),
            prefill=all(traits.prefill for traits in all_traits),
            pictures=all(traits.pictures for traits in all_traits),
        )

    def quote(self, request: Request) -> Quote:
        """The most that one try can use, whichever model is called."""
        quotes = [model.quote(request) for model in self._all]
        known = [quote.cost for quote in quotes if quote.cost is not None]
        most_expensive = max(quotes, key=lambda quote: (quote.cost is None, quote.cost or 0.0))
        return Quote(
            model=most_expensive.model,
            tokens=max(quote.tokens for quote in quotes),
            cost=max(known) if len(known) == len(quotes) else None,
            worst=max(quote.worst for quote in quotes),
            worst_cost=max(quote.worst_cost or 0.0 for quote in quotes) if len(known) == len(quotes) else None,
        )

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request with the first model that can be reached.

        Raises:
            Unavailable: no model can be reached. The message has the error of each.
        """
        errors: list[Unavailable] = []
        for model in self._all:
            try:
                return await model.complete(request, recorder)
            except Unavailable as error:
                errors.append(error)
        raise Unavailable("; ".join(map(str, errors)), kind=errors[0].kind) from errors[0]


class Pool:
    """Live models by name; all models of one provider share its connections, its key and its queue.

    A pool belongs to one event loop. Nothing is loaded or opened before the first request.

    Args:
        env: where addresses and keys come from; None for the process's environment.
        retry: how often a call is tried again, and how long a try may take.
        in_flight: the most calls at once to one provider.
        breaker: when a model that fails again and again is left out, and for how long.
        clock: what breakers measure that time with: seconds that never run backwards.
        http: opens HTTP to a provider's address; None for the usual client.

    Attributes:
        open_tray: gives the tray for the calls that a provider's batch answers, always the same one; None where there
            are no records to wait in.
        programs: the programs behind ``acp:NAME`` that the user's own settings name.
        meter: by a provider's name and the mark of its key what counts its calls, where several processes share its
            limits; it is asked when a provider is first used.
    """

    def __init__(
        self,
        *,
        env: Environment | None = None,
        retry: RetrySettings | None = None,
        in_flight: int = IN_FLIGHT,
        breaker: BreakerSettings | None = None,
        clock: Callable[[], float] = time.monotonic,
        http: OpenHttp | None = None,
    ) -> None:
        self._env, self._retry, self._in_flight = env, retry or RetrySettings(), in_flight
        self._breaker, self._clock, self._http = breaker or BreakerSettings(), clock, http
        self.meter: Callable[[str, str], UsageMeter | None] = lambda provider, key: None
        self._links: dict[str, ProviderConnection] = {}
        self._models: dict[str, Model] = {}
        self._guests: dict[str, Model] = {}
        self._cold: dict[str, tuple[ModelName, ProviderConnection]] = {}  # models that nobody has loaded yet
        self._nearby: list[AsksItsServer] = []  # the models of servers of one's own
        self._warming = asyncio.Lock()
        self._options: Fields = {}
        self.open_tray: OpenTray | None = None
        self.programs: Callable[[], Mapping[str, AcpProgram]] = dict
        self._may_start: frozenset[str] | None = None

    def with_options(self, options: Fields) -> "Pool":
        """The same pool for a debate that sets options of providers from other packages; it shares all connections.

        Args:
            options: those of a brief under their full names: ``provider_options.say.voice``.
        """
        if options == self._options:
            return self
        other = copy.copy(self)
        other._options = options
        return other

    def starting_only(self, programs: Collection[str]) -> "Pool":
        """The same pool for a caller over the network: it shares all connections, and starts few programs.

        Every model comes from a pool, however its name is written and wherever it stands, so no request gets past this.

        Args:
            programs: the models of this machine's programs that may be started, as ``names.programs_in`` gives them.
        """
        other = copy.copy(self)
        other._may_start = frozenset(programs)
        return other

    def starts(self, name: str) -> bool:
        """Whether the caller may have a model of that name; only a program of this machine may be out of bounds."""
        return self._may_start is None or programs_in((name,)) <= self._may_start

    def is_nearby(self, name: str) -> bool:
        """Whether a model of that name is on a server of one's own."""
        with contextlib.suppress(BriefError):
            provider = parse(name).provider
            return is_nearby(provider, find_url(provider, self._env))
        return False

    def slots(self, name: str) -> int:
        """The calls that the provider of a model is sent at once, as far as is known now."""
        return self._connection(parse(name)).gate.limit

    def model(self, name: str) -> Model:
        """The model of that name (``ollama:llama3.2``), always the same one.

        Raises:
            BriefError: there is no such provider, or its key or address is missing.
        """
        if name.startswith(GUEST):
            if name not in self._models:
                raise BriefError(f"{name} belongs to a program; resume the debate in that program", code="bad_enum")
            return self._models[name]
        parsed = parse(name)
        provider = parsed.provider
        if not self.starts(name):
            problem = f"{parsed} is a program of this machine, which a request over the network cannot start"
            raise BriefError(f"{problem}; name a model that a server answers for", code="not_here")
        options = options_for(PROVIDER, provider.name, self._options)
        known_as = f"{parsed} {sorted(options.items())}" if options else str(parsed)
        if known_as in self._models:
            return self._models[known_as]
        breaker = Breaker(self._breaker, self._clock)
        if provider.wire is ACP:
            program, wanted = program_of(parsed.model, self.programs())
            key = f"{ACP.name}:{parsed.model.partition('/')[0]}"  # each program has a queue of its own
            if key not in self._links:
                self._links[key] = ProviderConnection(provider, self._env, in_flight=program.parallel)
            model: Model = _layered(AcpModel(parsed, program, wanted), self._links[key], self._retry, breaker)
        else:
            connection = self._connection(parsed)
            adapter = _adapter(parsed, connection, options)
            model = _layered(adapter, connection, self._retry, breaker)
            if self.open_tray is not None and provider.batches:
                tray = self.open_tray()
                tray.register(str(parsed), cast("BatchApi", _load(provider.batches)(parsed, connection)))
                model = BatchedModel(model, cast("WireModel", adapter), parsed, tray, connection.key)
            self._cold[known_as] = (parsed, connection)
            if connection.local and isinstance(adapter, AsksItsServer):
                self._nearby.append(adapter)
        return self._models.setdefault(known_as, model)

    async def warm(self) -> None:
        """Load what the models asked for so far need, once, in a thread: providers' libraries take seconds to load.

        A model that is used without it loads them on its first request, and holds the event loop up meanwhile.
        """
        async with self._warming:
            for known_as, (name, connection) in tuple(self._cold.items()):
                await asyncio.to_thread(_warm, name, self._models[known_as], connection)
                del self._cold[known_as]
        await self.learn()

    async def learn(self) -> None:
        """Ask each server of one's own what it says of itself and of the models asked for so far."""
        for model in self._nearby:
            await model.learn()

    def add_agent(self, name: str, model: Model) -> None:
        """Register an agent: ``guest:name`` is this model from now on, with the same retries as any other.

        Raises:
            BriefError: another model has that name.
        """
        full_name = f"{GUEST}{name}"
        if self._guests.setdefault(full_name, model) is not model:
            raise BriefError(f"two agents are called {name}; each needs a name of its own", code="duplicate_name")
        self._models[full_name] = ResilientModel(model, self._retry, breaker=Breaker(self._breaker, self._clock))

    async def close(self) -> None:
        """Give all connections back."""
        for model in self._models.values():
            await model.close()

    def _connection(self, name: ModelName) -> ProviderConnection:
        provider = name.provider
        if provider.name not in self._links:
            key = need_key(provider, self._env)
            meter = self.meter(provider.name, key.mark if key else "")
            self._links[provider.name] = ProviderConnection(
                provider, self._env, in_flight=self._in_flight, meter=meter, http=self._http
            )
        return self._links[provider.name]


def _load(place: str) -> Callable[[ModelName, ProviderConnection], object]:
    """A class by the name of its module and its own: ``package.module:Class``."""
    module, _, word = place.partition(":")
    return getattr(import_module(module), word)


def _warm(name: ModelName, model: Model, connection: ProviderConnection) -> None:
    """Load the libraries for a model, and its price."""
    with contextlib.suppress(Exception):  # broad, because the model's turn meets the same fault and books it
        _ = connection.port, model.drops
    cost(name, Usage())


def _adapter(name: ModelName, connection: ProviderConnection, options: Mapping[str, Value]) -> Model:
    """A model of a provider's wire; whatever the code of another package raises becomes a ModelError."""
    adapter = name.provider.wire.adapter
    if isinstance(adapter, str):
        return cast("Model", _load(adapter)(name, connection))
    key = f"{PROVIDER.options}.{name.provider.name}"
    try:
        make = with_options(adapter, options, whose=name.provider.name, where=key)
        return Guarded(cast(Model, make(name, connection)))
    except FolkmootError as error:
        raise BriefError(str(error), code="bad_model") from error
    except Exception as error:  # foreign code raises what it likes
        raise BriefError(f"{name} cannot be used: {type(error).__name__}: {error}", code="bad_model") from error


class Guarded(Layer):
    """A model of another package: whatever it raises becomes a ModelError, which names it."""

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request.

        Raises:
            ModelError: it has failed.
        """
        with translated_errors(self.name):
            return await self._model.complete(request, recorder)


def layered_model(
    name: ModelName, connection: ProviderConnection, retry: RetrySettings, options: Mapping[str, Value] = NO_OPTIONS
) -> Model:
    """A model in all its layers.

    Args:
        name: which model.
        connection: the way to its provider.
        retry: how long to try.
        options: those of a provider from another package, by name.
    """
    return _layered(_adapter(name, connection, options), connection, retry)


def _layered(
    adapter: Model, connection: ProviderConnection, retry: RetrySettings, breaker: Breaker | None = None
) -> Model:
    local = connection.local
    learn = connection.learn if local else None
    return ResilientModel(adapter, retry, gate=connection.gate, learn=learn, queued=local, breaker=breaker)
