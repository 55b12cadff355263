"""What all models of providers, programs and agents are beside their answers."""

from abc import ABC, abstractmethod

from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.event import Called
from folkmoot.models.base import Request, Traits
from folkmoot.models.names import ModelName
from folkmoot.models.prices import quote


class Adapter(ABC):
    """A model under its name; see ``base.Model``.

    Args:
        name: which model.
        traits: what its wire takes.
        drops: the names of Settings that it ignores or refuses.
    """

    def __init__(self, name: ModelName, traits: Traits, drops: tuple[str, ...] = ()) -> None:
        self._name, self._traits, self._drops = name, traits, drops

    @property
    def name(self) -> str:
        """``provider:name``."""
        return str(self._name)

    @property
    def traits(self) -> Traits:
        """What its wire takes."""
        return self._traits

    @property
    def drops(self) -> tuple[str, ...]:
        """The names of Settings that it ignores or refuses."""
        return self._drops

    def quote(self, request: Request) -> Quote:
        """The most that the request can use."""
        return quote(self._name, request)

    @abstractmethod
    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request."""

    async def close(self) -> None:  # noqa: B027 - what has opened nothing has nothing to do
        """Give back what was opened."""
