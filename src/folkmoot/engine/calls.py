"""Model calls of a debate: each is taken from the record, or reserved in the budget, sent and recorded.

The budget is a fold over the record, live and on resume alike. An attempt without a result counts as spent, because the
provider may have been paid for it.

Only the provider knows how many tokens a prompt has. The number is estimated from its characters. What a model has
counted corrects the estimates of its next prompts, up and down: by the highest ratio of its counts to the estimates so
far. An answer that was longer than the cap corrects what is reserved for the next answers, up only. All of that is
read from the record. A call is sent if its estimate and the worst case of those in flight fit into the limit; else it
waits for these to end. Their worst case is corrected up by each answer, whatever order the answers come in. A call that
was sent before its model had counted anything has one ``UNKNOWN`` times as high until it ends. So few calls go first
near a limit, and the final use exceeds the limit by no more than the error of one estimate. A server that counts more
than ``UNKNOWN`` tokens for a byte can exceed it further, by the calls that were sent before its first answer.
"""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from math import ceil, inf
from typing import cast

from folkmoot.core.agent import ANY_TIME, BatchTry, PastTry, Quote, TurnTime
from folkmoot.core.ask import Reply, Usage
from folkmoot.core.brief import Limits, is_within
from folkmoot.core.errors import FREE_ERRORS, LimitReached, ModelError, Stopped, Unpriced
from folkmoot.core.event import Asked, Attempted, Called, Delta, Erred, Event, Signal
from folkmoot.core.text import PieceCleaner, clean, counted, named
from folkmoot.deadline import Deadline
from folkmoot.record.ledger import Ledger

LEAST_RATIO = 0.5
"""No estimate is lowered further, because some servers count only the part of a prompt that they have not cached."""

SPARE = 1.15
"""By how much an estimate that is lowered stays above what the model has counted: the next prompt may be denser."""

UNKNOWN = 4
"""How many times its worst case a call may use that is sent before its model has counted anything: a server may count
in its own way, and one answer says little of the others."""

ITEM = 40
"""Characters of the hash that names a request in a provider's batch; Anthropic takes 64 letters and digits."""


class Budget:
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
        self._reserved: dict[tuple[str, str], tuple[Attempted, float]] = {}  # with the cap on the answer
        self._ratios: dict[str, float] = {}  # by model, the highest ratio of counted to estimated tokens of a prompt
        self._answers: dict[str, float] = {}  # by model that has counted, the highest ratio of an answer to its cap
        self._in_flight: list[_InFlight] = []
        self._change: asyncio.Event | None = None

    def apply(self, event: Event) -> None:
        """Apply one event."""
        match event:
            case Asked():
                self.asks += 1
            case Attempted(tokens=tokens, cost=cost):
                self.tokens += tokens
                self.cost += cost or 0.0
                answer = tokens - self._fitted(event.model, event.prompt)
                self._reserved[event.key, event.call] = event, answer / self._answers.get(event.model, 1.0)
            case Called(usage=usage):
                self._settle(event.key, event.call, usage)
            case Erred(kind=kind) if kind in FREE_ERRORS:
                self._release(event.key, event.call)
            case _:
                pass

    def check_asks(self, more: int) -> None:
        """Refuse more questions than the limit allows.

        Raises:
            LimitReached: they would exceed the limit.
        """
        limit = self.limits.asks
        if limit is not None and self.asks + more > limit:
            raise LimitReached(f"the limit of {counted(limit, 'question')} is reached", limit="asks", most=limit)

    def fit(self, quote: Quote) -> Quote:
        """The quote to reserve for a call, corrected by what the model has counted earlier."""
        return _scaled(quote, self._fitted(quote.model, quote.prompt), self._answers.get(quote.model, 1.0))

    def check(self, quote: Quote) -> bool:
        """Refuse a call that could break a limit. No await may stand between this check and the entry that reserves.

        Returns:
            Whether the call may be sent now; else it has to wait for one that is in flight.

        Raises:
            LimitReached: it could; as Unpriced where there is a limit on cost and the price is unknown.
        """
        limits = self.limits
        if limits.cost is None and limits.tokens is None:
            return True
        fitted = self.fit(quote)
        if limits.cost is not None and fitted.cost is None:
            raise Unpriced(f"the limit of ${limits.cost:g} cannot be checked: the price of {quote.model} is unknown")
        pairs = [(call.own, call.worst) for call in self._in_flight]
        tokens, reserved_tokens = self.tokens + fitted.tokens, sum(own.tokens for own, _ in pairs)
        if limits.tokens is not None and tokens - reserved_tokens > limits.tokens:
            limit = counted(limits.tokens, "token")
            problem = f"the limit of {limit}: {self.tokens} used, {fitted.tokens} needed"
            raise LimitReached(problem, limit="tokens", most=limits.tokens)
        cost, reserved_cost = self.cost + (fitted.cost or 0.0), sum(own.cost or 0.0 for own, _ in pairs)
        if limits.cost is not None and not is_within(cost - reserved_cost, limits.cost):
            problem = f"the limit of ${limits.cost:g}: ${self.cost:.4f} used, ${fitted.cost or 0.0:.4f} needed"
            raise LimitReached(problem, limit="cost", most=limits.cost)
        tokens += sum(max(0, worst.tokens - own.tokens) for own, worst in pairs)
        cost += sum(max(0.0, (worst.cost or 0.0) - (own.cost or 0.0)) for own, worst in pairs)
        return tokens <= (inf if limits.tokens is None else limits.tokens) and (
            limits.cost is None or is_within(cost, limits.cost)
        )

    @contextmanager
    def sending(self, quote: Quote, awaited: Attempted | None = None) -> Generator[Quote]:
        """Count a call as in flight for the time of the block; gives the block what to reserve.

        Args:
            quote: the most that the call is expected to use.
            awaited: the try of it that is on record already, with what is reserved for it.
        """
        fitted = replace(quote, tokens=awaited.tokens, cost=awaited.cost) if awaited else self.fit(quote)
        if self.limits.cost is None and self.limits.tokens is None:
            yield fitted
            return
        least = 1.0 if quote.model in self._answers else UNKNOWN
        call = _InFlight(quote, fitted, self._worst(quote, least), least)
        self._in_flight.append(call)
        try:
            yield fitted
        finally:
            self._in_flight.remove(call)
            if self._change:
                self._change.set()
                self._change = None

    async def changed(self) -> None:
        """Wait until a call in flight has ended."""
        self._change = self._change or asyncio.Event()
        await self._change.wait()

    def _settle(self, key: str, call: str, usage: Usage) -> None:
        """Replace what was reserved by what was used; if the usage is unknown, the reservation stays."""
        attempted, cap = self._reserved.get((key, call)) or (Attempted(key=key, call=call, n=0), 0.0)
        self._release(key, call)
        if attempted.prompt and usage.input_tokens and not usage.estimated:
            longer = usage.output_tokens / cap if cap > 0 else 1.0
            self._learn(attempted.model, usage.input_tokens / attempted.prompt, longer)
        used = usage.input_tokens + usage.output_tokens
        self.tokens += used if used and not usage.estimated else max(used, attempted.tokens)
        self.cost += (attempted.cost or 0.0) if usage.cost is None else usage.cost

    def _learn(self, model: str, ratio: float, longer: float) -> None:
        """Correct what is known of a model, and the worst case of its calls in flight."""
        self._ratios[model] = max(self._ratios.get(model, 0.0), ratio)
        self._answers[model] = max(self._answers.get(model, 1.0), longer)
        for call in self._in_flight:
            if call.own.model == model:
                call.worst = self._worst(call.quote, call.least)

    def _worst(self, quote: Quote, least: float) -> Quote:
        """The most that a call can use, by what its model has counted; at least so many tokens for a byte.

        No estimate is higher than a token for a byte. So a server that makes more of a byte makes no more than this.
        """
        times = max(least, self._ratios.get(quote.model, 1.0))
        longest = max(least, self._answers.get(quote.model, 1.0))
        return _scaled(quote, ceil(times * max(quote.worst, quote.prompt)), longest)

    def _release(self, key: str, call: str) -> None:
        if (key, call) in self._reserved:
            attempted, _ = self._reserved.pop((key, call))
            self.tokens -= attempted.tokens
            self.cost -= attempted.cost or 0.0

    def _fitted(self, model: str, prompt: int) -> int:
        """The estimated tokens of a prompt, corrected by what the model has counted earlier."""
        ratio = self._ratios.get(model, 1.0)
        factor = ratio if ratio >= 1.0 else min(1.0, SPARE * max(LEAST_RATIO, ratio))
        return ceil(prompt * factor)


@dataclass(slots=True, eq=False)
class _InFlight:
    """A call in flight: its quote, what is reserved for it, and its worst case, with at least so many tokens a byte."""

    quote: Quote
    own: Quote
    worst: Quote
    least: float


def _scaled(quote: Quote, prompt: int, answer: float) -> Quote:
    """A quote with another number of tokens in its prompt, and an answer that is this many times as long."""
    fitted = quote.at(prompt)
    more = ceil((answer - 1.0) * (quote.tokens - quote.prompt))
    if not quote.prompt or more <= 0:
        return fitted
    cost, alone = fitted.cost, quote.at(0).cost
    if cost is not None and alone is not None:
        cost += max(0.0, alone) * (answer - 1.0)
    return replace(fitted, tokens=fitted.tokens + more, cost=cost)


class AnswerTime(TurnTime):
    """The time of one answer, as a limit; see ``core.agent.TurnTime``.

    Args:
        seconds: the time.

    Attributes:
        deadline: what ends the turn.
        kept: the last answer that was kept; None for none.
    """

    def __init__(self, seconds: float) -> None:
        self.deadline, self.kept = Deadline(seconds), cast("Reply | None", None)
        self._seconds, self._waits, self._pause = seconds, 0, ExitStack()

    @property
    def spent(self) -> float:
        """The seconds that have passed."""
        return self._seconds - self.left

    @property
    def left(self) -> float:
        """The seconds that are left."""
        left = self.deadline.left
        assert left is not None
        return left

    @contextmanager
    def waiting(self) -> Generator[None]:
        """A context in which the time does not run; several may overlap."""
        if not self._waits:
            self._pause.enter_context(self.deadline.paused())
        self._waits += 1
        try:
            yield
        finally:
            self._waits -= 1
            if not self._waits:
                self._pause.close()

    def keep(self, reply: Reply) -> None:
        """Keep an answer that is whole."""
        self.kept = reply


class CallRecorder:
    """Records the calls of an agent while it answers one ask; see ``core.agent.Recorder``.

    Attributes:
        time: the time of the turn.
        stop: why no further call may begin; "" as long as one may.
        waits: whether an answer is durable before it is returned. An agent that does nothing outside ``call`` need not
            wait: whatever follows stands behind the answer in the record, and is durable before it is sent.
    """

    def __init__(
        self,
        key: str,
        ledger: Ledger,
        budget: Budget,
        show: Callable[[Signal], None],
        watched: Callable[[], bool] = lambda: True,
    ) -> None:
        self._key, self._ledger, self._budget, self._show, self._watched = key, ledger, budget, show, watched
        self._pieces, self._silent = PieceCleaner(), True
        self.time: TurnTime = ANY_TIME
        self.stop: Callable[[], str] = str
        self.waits = True

    @property
    def watched(self) -> bool:
        """Whether somebody sees the pieces now."""
        return self._watched()

    def delta(self, text: str) -> None:
        """Show a piece of the unfinished answer; who comes later sees it too."""
        if words := self._pieces.take(text):
            self._show(Delta(key=self._key, text=words, first=self._silent))
        self._silent = self._silent and not text

    def done(self, name: str) -> Called | None:
        """The answer of a call, if the record has it already."""
        return self._ledger.called(self._key, name)

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send one model call, unless the record has its answer already; see ``core.agent.Recorder``."""
        if called := self.done(name):
            return called
        awaited = self._ledger.awaited(self._key, name)
        if awaited and awaited.item == quote.item:
            with self._budget.sending(quote, awaited):  # It is reserved already.
                return await self._answer(awaited, send)
        n = self._ledger.tries(self._key, name) + 1
        if not self._may_send(quote):
            # Waiting for money that others have reserved is no time of the turn.
            with self.time.waiting():
                while not self._may_send(quote):
                    await self._budget.changed()
        with self._budget.sending(quote) as fitted:
            tried = Attempted(
                key=self._key,
                call=name,
                n=n,
                model=fitted.model,
                tokens=fitted.tokens,
                cost=fitted.cost,
                prompt=quote.prompt,
                item=quote.item,
            )
            await self._ledger.add(tried)
            return await self._answer(tried, send)

    def _may_send(self, quote: Quote) -> bool:
        """Whether a call may be sent now; else it has to wait for one that is in flight.

        Raises:
            LimitReached: it could break a limit, or the debate is to pause.
        """
        if reason := self.stop():
            raise Stopped(reason)
        return self._budget.check(quote)

    def past_try(self, name: str) -> PastTry | None:
        """The last try of a call that has no answer; see ``core.agent.past_try``."""
        return self._ledger.past_try(self._key, name)

    def batch_try(self, name: str) -> BatchTry:
        """The try of a call in a provider's batch; see ``core.agent.BatchRecorder``."""
        ledger, key = self._ledger, self._key
        failures, begun = ledger.lost(key, name), ledger.batches
        if awaited := ledger.awaited(key, name):
            return BatchTry(item=awaited.item, model=awaited.model, failures=failures, begun=begun)
        name_of_try = f"{ledger.debate}\0{key}\0{name}\0{ledger.tries(key, name) + 1}"
        return BatchTry(item=f"m{sha256(name_of_try.encode()).hexdigest()[:ITEM]}", failures=failures, begun=begun)

    async def _answer(self, tried: Attempted, send: Callable[[], Awaitable[Called]]) -> Called:
        self._pieces, self._silent = PieceCleaner(), True
        name, n = tried.call, tried.n
        try:
            answer = await send()
        except ModelError as error:
            reason, kind = clean(str(error)), named(error.kind) or type(error).__name__.lower()
            wait = error.retry_after or 0.0
            await self._note(Erred(key=self._key, call=name, n=n, kind=kind, reason=reason, wait=wait))
            raise
        called = answer.cleaned(self._key, name)
        await self._note(called)
        return called

    async def _note(self, event: Event) -> None:
        self._ledger.note(event)
        if self.waits:
            await self._ledger.flush()
