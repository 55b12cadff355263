"""The layer that has a model's calls answered by a provider's batch; repairs and calls with tools go live."""

from dataclasses import replace
from typing import Protocol

from folkmoot.core.agent import BatchTry, Quote, Recorder, is_batch_recorder
from folkmoot.core.errors import ModelError, Refused, Unavailable
from folkmoot.core.event import Called
from folkmoot.models import provider_errors
from folkmoot.models.base import Model, Request
from folkmoot.models.batches.batch_tray import BatchTray
from folkmoot.models.batches.providers import HALF, ItemResult
from folkmoot.models.layers import Layer
from folkmoot.models.names import Key, ModelName

CALL = "answer"
"""The call that goes into a batch: the first one for an answer. What follows it in the same turn is sent live."""

TRIES = 2
"""How often a call is put into a batch that the provider had no time for."""

REFUSED_TRIES = 4
"""The same where it refuses a part of the request, which is left out the next time: each try may take a day."""


class Whole(Protocol):
    """A wire that can write a request, and read its answer, as a whole."""

    async def write_whole(self, request: Request) -> dict[str, object]:
        """The body of a request whose answer comes as a whole."""
        ...

    def read_whole(self, request: Request, recorder: Recorder, raw: bytes) -> Called:
        """The answer that came as a whole."""
        ...

    async def refused_whole(self, request: Request, error: ModelError, status: int, raw: bytes) -> ModelError:
        """The error of such a request; one that asks to try again where a part of it will be left out from now on."""
        ...


class BatchedModel(Layer):
    """A model whose calls go into the tray of batches while that is on.

    Args:
        model: the model in its other layers, for calls that go live.
        wire: writes requests and reads answers.
        name: which model.
        tray: where they go.
        key: the key that is sent, which must not show.
    """

    def __init__(self, model: Model, wire: Whole, name: ModelName, tray: BatchTray, key: Key | None) -> None:
        super().__init__(model)
        self._wire, self._name, self._tray, self._key = wire, name, tray, key

    def quote(self, request: Request) -> Quote:
        """The most that one try can use: half of the price where it goes into a batch."""
        full_quote = self._model.quote(request)
        return _halved(full_quote) if self._tray.takes(False) and _can_be_batched(request) else full_quote

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request.

        Raises:
            BatchPending: the provider has not answered yet.
        """
        if not _can_be_batched(request) or not is_batch_recorder(recorder):
            return await self._model.complete(request, recorder)
        while True:
            tried = recorder.batch_try(request.call)
            if not tried.model and not self._goes_into_a_batch(tried):
                return await self._model.complete(request, recorder)
            try:
                return await self._batched(request, recorder, tried)
            except Refused as error:
                if not error.again or tried.failures + 1 >= REFUSED_TRIES:
                    raise
            except Unavailable as error:
                again = error.kind == "cancelled" or tried.failures + 1 < TRIES or self._tray.or_live
                if not error.again or not again:
                    raise

    def _goes_into_a_batch(self, tried: BatchTry) -> bool:
        """Whether a call that is in no batch now goes into one: no longer live, once batches had no time for it."""
        late = self._tray.or_live and tried.failures >= TRIES
        return self._tray.takes(tried.begun) and not late

    async def _batched(self, request: Request, recorder: Recorder, tried: BatchTry) -> Called:
        """One try in a batch, the one that is under way or a new one."""
        if tried.model and tried.model != self.name:
            raise Unavailable(f"{tried.model} is asked in place of {self.name}", kind="open")

        async def send() -> Called:
            result = await self._tray.answer(tried.item, self.name, await self._wire.write_whole(request))
            return await self._read(result, request, recorder)

        quote = replace(_halved(self._model.quote(request)), item=tried.item)
        return await recorder.call(request.call, quote, send)

    async def _read(self, result: ItemResult, request: Request, recorder: Recorder) -> Called:
        match result.status:
            case "answered":
                called = self._wire.read_whole(request, recorder, result.body)
                cost = called.usage.cost
                return replace(called, usage=replace(called.usage, cost=None if cost is None else cost * HALF))
            case "expired":
                raise Unavailable(f"{self.name} had no time for this call in its batch", kind="expired", again=True)
            case "cancelled":
                raise Unavailable(f"the batch of {self.name} was cancelled", kind="cancelled", again=True)
            case _:
                raise await self._fault(result, request)

    async def _fault(self, result: ItemResult, request: Request) -> ModelError:
        if result.code:
            error = provider_errors.answer_error(self._name, result.code, result.body, key=self._key)
        else:
            error = provider_errors.stream_error(self._name, result.body, self._key)
        # What a provider says of a batch says nothing of calls that are sent live.
        if error.again:
            return Unavailable(str(error), kind="overloaded", again=True)
        return await self._wire.refused_whole(request, error, result.code, result.body)


def _can_be_batched(request: Request) -> bool:
    return request.call == CALL and not request.tools


def _halved(quote: Quote) -> Quote:
    def half(cost: float | None) -> float | None:
        return None if cost is None else cost * HALF

    return replace(quote, cost=half(quote.cost), worst_cost=half(quote.worst_cost))
