"""The line from a seat to the engine. This file owns the order: look up, else reserve, log, send, log, use."""

from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace

from moot.core.agent import Quote
from moot.core.errors import ModelError
from moot.core.event import Attempted, Called, Delta, Erred, Signal
from moot.core.text import Pieces, clean, clean_data, named
from moot.deadline import Deadline
from moot.engine.calls import Purse
from moot.record.ledger import Ledger


class Line:
    """What a seat may say while it answers one ask; see ``core.agent.Say``."""

    def __init__(self, key: str, ledger: Ledger, purse: Purse, show: Callable[[Signal], None]) -> None:
        self._key, self._ledger, self._purse, self._show = key, ledger, purse, show
        self._pieces = Pieces()
        self.clock: Deadline | None = None  # what ends the turn

    def delta(self, text: str) -> None:
        """Show a piece of the answer in the making."""
        if words := self._pieces.take(text):
            self._show(Delta(key=self._key, text=words))

    def done(self, name: str) -> Called | None:
        """The answer of a call, if it is on record already."""
        return self._ledger.called(self._key, name)

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send one model call, unless the record holds its answer already; see ``core.agent.Say``."""
        if kept := self.done(name):
            return kept
        n = self._ledger.tries(self._key, name) + 1
        if not self._purse.check(quote):
            # Waiting for money that others have reserved is no time of the turn.
            with self.clock.paused() if self.clock else nullcontext():
                while not self._purse.check(quote):
                    await self._purse.changed()
        with self._purse.sending(quote) as most:
            tried = Attempted(key=self._key, call=name, n=n, model=most.model, tokens=most.tokens, cost=most.cost)
            return await self._send(replace(tried, prompt=quote.prompt), send)

    async def _send(self, tried: Attempted, send: Callable[[], Awaitable[Called]]) -> Called:
        await self._ledger.add(tried)
        self._pieces = Pieces()
        name, n = tried.call, tried.n
        try:
            answer = await send()
        except ModelError as error:
            reason, kind = clean(str(error)), named(error.kind) or type(error).__name__.lower()
            await self._ledger.add(Erred(key=self._key, call=name, n=n, kind=kind, reason=reason))
            raise
        called = replace(clean_data(answer), key=self._key, call=name).mended()
        await self._ledger.add(called)
        return called
