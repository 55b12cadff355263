"""The line from a seat to the engine. This file owns the order: look up, else reserve, log, send, log, use."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from moot.core.errors import ModelError
from moot.core.event import Attempted, Called, Delta, Erred, Signal
from moot.core.seat import Quote
from moot.core.text import clean, named
from moot.engine.limits import Purse
from moot.record.ledger import Ledger


class Line:
    """What a seat may say while it answers one ask; see ``core.seat.Say``."""

    def __init__(self, key: str, ledger: Ledger, purse: Purse, show: Callable[[Signal], None]) -> None:
        self._key, self._ledger, self._purse, self._show = key, ledger, purse, show

    def delta(self, text: str) -> None:
        """Show a piece of the answer in the making."""
        self._show(Delta(key=self._key, text=clean(text)))

    def done(self, name: str) -> Called | None:
        """The answer of a call, if it is on record already."""
        return self._ledger.called(self._key, name)

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send one model call, unless the record holds its answer already; see ``core.seat.Say``."""
        if kept := self.done(name):
            return kept
        n = self._ledger.tries(self._key, name) + 1
        self._purse.check(quote)
        await self._ledger.add(
            Attempted(key=self._key, call=name, n=n, model=quote.model, tokens=quote.tokens, cost=quote.cost)
        )
        try:
            answer = await send()
        except ModelError as error:
            reason, kind = clean(str(error)), named(error.kind) or type(error).__name__.lower()
            await self._ledger.add(Erred(key=self._key, call=name, n=n, kind=kind, reason=reason))
            raise
        called = replace(answer, key=self._key, call=name).mended()
        await self._ledger.add(called)
        return called
