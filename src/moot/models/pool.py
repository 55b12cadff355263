"""Models by name. This file owns which layers stand around a model, and the connections that models share."""

from moot.models.base import Model
from moot.models.direct import Direct
from moot.models.names import Environment, ModelName, parse
from moot.models.net import IN_FLIGHT, Link
from moot.models.ollama import Ollama
from moot.models.wrap import Patience, Recorded, Retrying, Throttled, Timed


class Pool:
    """Live models by name; all models of one provider share its connections, its key and its queue.

    A pool belongs to one event loop. Nothing is loaded or opened before the first request.

    Args:
        env: where addresses and keys come from; None for the process's environment.
        patience: how long to try.
        in_flight: the most calls at once to one provider.
    """

    def __init__(
        self, *, env: Environment | None = None, patience: Patience | None = None, in_flight: int = IN_FLIGHT
    ) -> None:
        self._env, self._patience, self._in_flight = env, patience or Patience(), in_flight
        self._links: dict[str, Link] = {}
        self._models: dict[str, Model] = {}

    def model(self, name: str) -> Model:
        """The model of that name (``ollama:llama3.2``), always the same one.

        Raises:
            BriefError: there is no such provider, or its key or address is missing.
        """
        parsed = parse(name)
        if str(parsed) not in self._models:
            self._models[str(parsed)] = stack(parsed, self._link(parsed), self._patience)
        return self._models[str(parsed)]

    async def close(self) -> None:
        """Give all connections back."""
        for model in self._models.values():
            await model.close()

    def _link(self, name: ModelName) -> Link:
        provider = name.provider
        if provider.name not in self._links:
            self._links[provider.name] = Link(provider, self._env, in_flight=self._in_flight)
        return self._links[provider.name]


def build(name: str, *, env: Environment | None = None, patience: Patience | None = None) -> Model:
    """One model with connections of its own, which its ``close`` gives back.

    Raises:
        BriefError: there is no such provider, or its key or address is missing.
    """
    parsed = parse(name)
    return stack(parsed, Link(parsed.provider, env), patience or Patience())


def stack(name: ModelName, link: Link, patience: Patience) -> Model:
    """A model in all its layers."""
    adapter = Ollama(name, link) if name.provider.wire == "ollama" else Direct(name, link)
    return Retrying(Recorded(Throttled(Timed(adapter, patience), link.gate)), patience)
