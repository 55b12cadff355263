"""Fallbacks: another model is asked where the first cannot be reached. This file owns when, and in which order.

Only the brief or the owner's settings can name one, for it may be another company's. What was refused is never taken
elsewhere. Each try is on record under the name of the model that it was sent to, so every reader can see who answered;
and each is reserved by its own price before it is sent.
"""

from collections.abc import Sequence

from moot.core.agent import Quote, Say
from moot.core.errors import Unavailable
from moot.core.event import Called
from moot.models.base import Model, Request, Traits
from moot.models.layers import Layer


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
        each = [model.traits for model in self._all]
        return Traits(
            system=all(one.system for one in each),
            alternate=any(one.alternate for one in each),
            context=min((one.context for one in each if one.context), default=0),
            tools=all(one.tools for one in each),
            prefill=all(one.prefill for one in each),
            drops=each[0].drops,
        )

    def quote(self, request: Request) -> Quote:
        """The most that one try can use, whoever is asked."""
        each = [model.quote(request) for model in self._all]
        known = [one.cost for one in each if one.cost is not None]
        dearest = max(each, key=lambda one: (one.cost is None, one.cost or 0.0))
        return Quote(
            model=dearest.model,
            tokens=max(one.tokens for one in each),
            cost=max(known) if len(known) == len(each) else None,
        )

    async def complete(self, request: Request, say: Say) -> Called:
        """Answer one request by the first of the models that can be reached.

        Raises:
            Unavailable: none of them can; the sentence names them all.
        """
        missed: list[Unavailable] = []
        for model in self._all:
            try:
                return await model.complete(request, say)
            except Unavailable as error:
                missed.append(error)
        raise Unavailable("; ".join(map(str, missed)), kind=missed[0].kind) from missed[0]
