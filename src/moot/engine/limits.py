"""Money is reserved before the call. This file owns what a debate has used and may still use.

The purse is a fold over the record, live and on resume alike. A try without an end counts as spent, because the
provider may have been paid for it.
"""

from moot.core.ask import Usage
from moot.core.brief import Limits
from moot.core.errors import LimitReached
from moot.core.event import Asked, Attempted, Called, Erred, Event
from moot.core.seat import Quote

FREE_ERRORS = frozenset({"rate", "quota", "key", "not_found", "address", "request", "too_long", "server"})
"""Kinds of errors after which a provider charges nothing; all others keep what was reserved."""


class Purse:
    """What a debate has used and reserved.

    Attributes:
        limits: what it may use.
        asks: questions put.
        tokens: tokens used and reserved.
        cost: US dollars used and reserved, of the calls whose price is known.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.asks, self.tokens, self.cost = 0, 0, 0.0
        self._reserved: dict[tuple[str, str], Attempted] = {}

    def apply(self, event: Event) -> None:
        """Take one event in."""
        match event:
            case Asked():
                self.asks += 1
            case Attempted(tokens=tokens, cost=cost):
                self.tokens += tokens
                self.cost += cost or 0.0
                self._reserved[event.key, event.call] = event
            case Called(usage=usage):
                self._settle(event.key, event.call, usage)
            case Erred(kind=kind) if kind in FREE_ERRORS:
                self._release(event.key, event.call)
            case _:
                pass

    def check_asks(self, more: int) -> None:
        """Refuse more questions than the limit allows.

        Raises:
            LimitReached: they would be too many.
        """
        most = self.limits.asks
        if most is not None and self.asks + more > most:
            raise LimitReached(f"the limit of {most} asks is reached")

    def check(self, quote: Quote) -> None:
        """Refuse a call that could break a limit. There is no await between this and the entry that reserves.

        Raises:
            LimitReached: it could; or a limit on cost stands and the price is unknown.
        """
        limits = self.limits
        if limits.tokens is not None and self.tokens + quote.tokens > limits.tokens:
            raise LimitReached(f"the limit of {limits.tokens} tokens: {self.tokens} used, {quote.tokens} needed")
        if limits.cost is None:
            return
        if quote.cost is None:
            raise LimitReached(f"the limit of ${limits.cost:g}: the price of {quote.model} is unknown")
        if self.cost + quote.cost > limits.cost:
            raise LimitReached(f"the limit of ${limits.cost:g}: ${self.cost:.4f} used, ${quote.cost:.4f} needed")

    def _settle(self, key: str, call: str, usage: Usage) -> None:
        """Put what was used in the place of what was reserved; where nobody says what was used, that stays."""
        held = self._reserved.get((key, call), Attempted(key=key, call=call, n=0))
        self._release(key, call)
        used = usage.input_tokens + usage.output_tokens
        self.tokens += used if used and not usage.estimated else max(used, held.tokens)
        self.cost += (held.cost or 0.0) if usage.cost is None else usage.cost

    def _release(self, key: str, call: str) -> None:
        held = self._reserved.pop((key, call), None)
        if held:
            self.tokens -= held.tokens
            self.cost -= held.cost or 0.0
