"""The tray of batches: it gathers the requests of many debates, sends them as one, and looks for their answers.

A request that is put into the tray is answered later: until then its debate is paused, and no process need run. What
the tray knows is on the log of the store, so any process finds the answers. A request is at one provider once: the log
is written before a batch is sent, and one whose fate is unknown is looked for before its requests are sent again.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from typing import TYPE_CHECKING, Protocol

from folkmoot.core.agent import BatchTry, Quote, Recorder, is_batch_recorder
from folkmoot.core.errors import BatchPending, BriefError, ModelError, Refused, Unavailable
from folkmoot.core.event import Batched, BatchState, Called, Gathered, SideEntry, SideEvent
from folkmoot.core.labels import WAITS_FOR_BATCH
from folkmoot.core.text import clean, counted
from folkmoot.models import provider_errors
from folkmoot.models.base import Model, Request
from folkmoot.models.layers import Layer
from folkmoot.models.names import Key, ModelName

if TYPE_CHECKING:
    from folkmoot.models.batches.providers import BatchApi, ItemResult, Requests
    from folkmoot.models.wires.base import WireModel

MOST_ITEMS, MOST_BYTES = 1_000, 50_000_000
"""The most requests of one batch, whose answers must fit into one answer of the provider, and their most bytes."""

SEND_SECONDS, LOST_SECONDS = 300.0, 900.0
"""The most time for sending one batch; and seconds after which one that the provider does not list was never sent."""

UNKNOWN = frozenset({"timeout", "connection", "server", "garbled"})
"""Kinds of errors after which nobody knows whether the provider has the batch."""

CALL = "answer"
"""The call that goes into a batch: the first one for an answer. What follows it in the same turn is sent live."""

TRIES, REFUSED_TRIES = 2, 4
"""How often a call is put into a batch that the provider had no time for; and where it refuses a part of the request,
which is left out the next time: each try may take a day."""

HALF = 0.5
"""The share of the usual price that both providers ask in a batch, as of November 2026."""


class JobLog(Protocol):
    """The log of batches; all processes of a store write it, in one order. See ``record.mailbox``."""

    async def read(self, after: int = 0) -> tuple[SideEntry, ...]:
        """Its entries."""
        ...

    async def post(self, event: SideEvent) -> int:
        """Add an event; it is durable when this returns."""
        ...


@dataclass(slots=True, kw_only=True)
class Job:
    """One batch at a provider.

    Attributes:
        id: our name of it.
        model: ``provider:name``, which all of its requests ask.
        items: what its requests are called.
        at: when they were gathered, in seconds since 1970.
        state: what is known of it; None where it was about to be sent.
        handle: what the provider calls it; "" where that is not known.
        kind: with ``refused``, the kind of the error.
        reason: with ``refused``, the error in a sentence.
        sending: whether this process sends it now; ``looked``: when it has last asked for it, and ``done``: how many
            requests were done with then; ``results``: what has become of them, once it has read that.
    """

    id: str
    model: str
    items: tuple[str, ...]
    at: float
    state: BatchState | None = None
    handle: str = ""
    kind: str = ""
    reason: str = ""
    sending: bool = False
    looked: float = -inf
    done: int | None = None
    results: "dict[str, ItemResult] | None" = None

    @property
    def open(self) -> bool:
        """Whether the provider may still be at work on it."""
        return self.state in (None, "sent")


@dataclass(slots=True)
class Jobs:
    """All batches of a log, by our names of them, the oldest first."""

    by_id: dict[str, Job] = field(default_factory=dict[str, Job])
    _of: dict[str, Job] = field(default_factory=dict[str, Job])
    read: int = 0  # the number of the last entry that was taken

    def take(self, entries: Iterable[SideEntry]) -> "Jobs":
        """Take entries that were not taken before."""
        for entry in entries:
            self.read = entry.seq
            match entry.event:
                case Gathered(job=name, model=model, items=items):
                    # What an earlier batch has is of that one: of two processes the faster one sends a request.
                    if free := tuple(item for item in items if self.of(item) is None):
                        self.by_id[name] = job = Job(id=name, model=model, items=free, at=entry.at)
                        self._of.update(dict.fromkeys(free, job))
                case Batched(job=name) as news if name in self.by_id:
                    job = self.by_id[name]
                    job.state, job.handle = news.state, news.handle or job.handle
                    job.kind, job.reason = news.kind, news.reason
                case _:
                    pass
        return self

    def of(self, item: str) -> Job | None:
        """The batch that has a request; None where no provider can have got it."""
        job = self._of.get(item)
        return None if job is None or job.state == "unsent" else job

    def open_of(self, items: Iterable[str]) -> list[Job]:
        """The batches under way that have some of these requests, each once."""
        return list({job.id: job for item in items if (job := self.of(item)) and job.open}.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchPace:
    """How often a provider is asked how far a batch is: after a share of its age, within bounds.

    Attributes:
        least: the least seconds between two looks.
        most: the most.
        lost: seconds after which a batch that nobody lists was never sent.
    """

    least: float = 30.0
    most: float = 600.0
    lost: float = LOST_SECONDS

    def wait(self, age: float) -> float:
        """Seconds between two looks at a batch of that age."""
        return min(self.most, max(self.least, age / 10))


LOOK, LEAST_LOOK = "FOLKMOOT_BATCH_LOOK", 0.1
"""The environment variable with the least seconds between two looks at a batch, and the least that it may say."""


def pace_of(env: Mapping[str, str]) -> BatchPace:
    """How often providers are asked, as the environment says.

    Raises:
        BriefError: it says something that is no number of seconds.
    """
    usual = BatchPace()
    text = env.get(LOOK, "").strip()
    try:
        least = float(text or usual.least)
    except ValueError:
        least = 0.0
    if not LEAST_LOOK <= least <= usual.most:
        problem = f"{LOOK} must be a number of seconds from {LEAST_LOOK:g} to {usual.most:g}"
        raise BriefError(problem, code="out_of_range")
    return BatchPace(least=least)


class BatchTray:
    """Requests on their way into batches, and answers on their way back.

    Args:
        log: what is known of batches.
        clock: seconds since 1970.
        pace: how often providers are asked.

    Attributes:
        on: whether debates that have no call in a batch yet put theirs here.
        live: whether all new calls are sent by themselves, also those of debates that had calls here.
        or_live: whether a call that batches had no time for is sent by itself, at the full price.
        held: whether somebody gathers the requests of many debates and sends them; else whoever runs one does.
        tell: is told in a sentence what happens with batches.
    """

    def __init__(self, log: JobLog, *, clock: Callable[[], float] = time.time, pace: BatchPace | None = None) -> None:
        self._log, self._clock, self.pace = log, clock, pace or BatchPace()
        self.on = self.live = self.or_live = self.held = False
        self.tell: Callable[[str], None] = lambda sentence: None
        self._jobs = Jobs()
        self._apis: dict[str, BatchApi] = {}
        self._put: dict[str, dict[str, Mapping[str, object]]] = {}  # by model
        self._turn = asyncio.Lock()

    def takes(self, begun: bool) -> bool:
        """Whether a new call goes into a batch; ``begun`` for a debate that had some there before."""
        return (self.on or begun) and not self.live

    def register(self, model: str, api: "BatchApi") -> None:
        """Name the batch interface of a model."""
        self._apis.setdefault(model, api)

    async def jobs(self) -> Jobs:
        """All batches, as the log stands."""
        return self._jobs.take(await self._log.read(self._jobs.read))

    async def answer(self, item: str, model: str, body: Mapping[str, object]) -> "ItemResult":
        """What has become of a request; one that no provider has is put into the tray.

        Raises:
            BatchPending: there is no answer yet.
            ModelError: the provider refused the batch as a whole, or no longer has it.
        """
        job = (await self.jobs()).of(item)
        if job and job.open:
            await self._look(job)
            job = self._jobs.of(item)
        if job is None:
            self._put.setdefault(model, {})[item] = body
        if job is None or job.open:
            since = datetime.fromtimestamp(job.at if job else self._clock(), UTC)
            raise BatchPending(f"{WAITS_FOR_BATCH} since {since:%Y-%m-%d %H:%M} UTC ({model})")
        if job.state == "refused":
            raise Unavailable(job.reason, kind=job.kind, again=job.kind == "overloaded")
        async with self._turn:
            if job.results is None:  # another process has seen it end
                news = await self._read(job, self._apis[job.model])
                if news and news.state == "refused":
                    raise Unavailable(news.reason, kind=news.kind)
            return (job.results or {})[item]

    def settled(self, item: str) -> bool:
        """Whether there is something new of a request since its debate has paused, as far as is known here."""
        job = self._jobs.of(item)
        return not any(item in items for items in self._put.values()) and (job is None or not job.open)

    # ---- sending -----------------------------------------------------------------------------------------------------

    async def submit(self) -> None:
        """Send what was gathered: for each model one batch, or several where it is too large."""
        async with self._turn:
            for model in tuple(self._put):
                for part in _parts(self._put.pop(model)):
                    await self._submit(model, part)

    async def _submit(self, model: str, requests: "Requests") -> None:
        name = secrets.token_hex(8)
        if all(map((await self.jobs()).of, requests)):
            return
        await self._log.post(Gathered(job=name, model=model, items=tuple(requests)))
        if not (job := (await self.jobs()).by_id.get(name)):
            return
        job.sending = True
        try:
            async with asyncio.timeout(SEND_SECONDS):
                handle = await self._apis[model].submit(name, {item: requests[item] for item in job.items})
        except (ModelError, TimeoutError) as error:
            kind = error.kind if isinstance(error, ModelError) else "timeout"
            words = clean(str(error)) or f"sending took more than {SEND_SECONDS:.0f} s"
            self.tell(f"a batch of {counted(len(job.items), 'call')} to {model} was not sent: {words}")
            if kind == "rate":  # nothing was sent, and the same batch may be taken a little later
                await self._log.post(Batched(job=name, state="unsent"))
                self._put.setdefault(model, {}).update(requests)
            elif kind not in UNKNOWN:  # where nobody knows, nothing is noted: it is looked for later
                await self._log.post(Batched(job=name, state="refused", kind=kind, reason=words))
        else:
            await self._log.post(Batched(job=name, state="sent", handle=handle))
            self.tell(f"sent a batch of {counted(len(job.items), 'call')} to {model}: {handle}")
        finally:
            job.sending, job.looked = False, self._clock()

    async def cancel(self, job: Job) -> bool:
        """Have a provider leave what it has not begun of a batch; whether there was anything to cancel.

        Raises:
            ModelError: the provider does not say that it does.
        """
        if under_way := job.open and bool(job.handle):
            await self._apis[job.model].cancel(job.handle)
        return under_way

    # ---- looking -----------------------------------------------------------------------------------------------------

    async def look_for(self, items: Iterable[str]) -> None:
        """Ask providers how far the batches are that have these requests, those whose turn it is."""
        for job in (await self.jobs()).open_of(items):
            await self._look(job)
        await self.jobs()

    def next_look(self, items: Iterable[str]) -> float:
        """Seconds until the next look at a batch that has one of these requests."""
        now = self._clock()
        due = (job.looked + self.pace.wait(now - job.at) - now for job in self._jobs.open_of(items))
        return max(0.0, min(due, default=self.pace.least))

    async def _look(self, job: Job) -> None:
        """Ask a provider how far a batch is, if it is time to."""
        async with self._turn:
            now, api = self._clock(), self._apis.get(job.model)
            early = now - job.looked < self.pace.wait(now - job.at)
            if early or api is None or job.sending or not job.open:
                return
            job.looked = now
            try:
                news = await (self._read(job, api) if job.handle else self._find(job, api))
            except ModelError as error:
                self.tell(f"{job.model} does not say how far batch {job.handle or job.id} is: {error}")
                return
            if news:
                await self._log.post(news)
            await self.jobs()

    async def _read(self, job: Job, api: "BatchApi") -> Batched | None:
        """What the provider says of a batch, and its results once it has ended; None where it has not."""
        try:
            look = await api.look(job.handle)
        except ModelError as error:
            if error.kind != "not_found":
                raise
            gone = f"{job.model} no longer has the batch {job.handle}, or its results"
            return Batched(job=job.id, state="refused", kind="gone", reason=gone)
        if look.refused:
            reason = clean(f"{job.model.partition(':')[0]} refused the batch: {look.refused}")[:500]
            self.tell(reason)
            return Batched(job=job.id, state="refused", kind="overloaded" if look.again else "request", reason=reason)
        if look.results is None:
            if job.done != look.done:
                job.done = look.done
                self.tell(f"{job.model}: {look.done} of {counted(len(job.items), 'call')} done ({look.words})")
            return None
        job.results = {**dict.fromkeys(job.items, look.missing), **look.results}
        if job.open:
            self.tell(f"{job.model}: the batch {job.handle} has ended")
        return Batched(job=job.id, state="ended")

    async def _find(self, job: Job, api: "BatchApi") -> Batched | None:
        """Look for a batch that was sent by a process that ended before it noted the provider's name."""
        known = [other.handle for other in self._jobs.by_id.values() if other.handle]
        handle = await api.find(job.id, job.items, job.at, known)
        if handle:
            self.tell(f"found the batch of {counted(len(job.items), 'call')} at {job.model} again: {handle}")
            job.looked = -inf
            return Batched(job=job.id, state="sent", handle=handle)
        if handle is None and self._clock() - job.at > self.pace.lost:
            self.tell(f"a batch of {counted(len(job.items), 'call')} never reached {job.model}; it will be sent again")
            return Batched(job=job.id, state="unsent")
        return None


def _parts(requests: "Requests") -> "Iterator[Requests]":
    """Requests in parts that a provider takes as one batch."""
    part: dict[str, Mapping[str, object]] = {}
    size = 0
    for item, body in requests.items():
        more = len(repr(body))
        if part and (len(part) >= MOST_ITEMS or size + more > MOST_BYTES):
            yield part
            part, size = {}, 0
        part[item] = body
        size += more
    yield part


class BatchedModel(Layer):
    """A model whose calls go into the tray of batches while that is on; repairs and calls with tools go live.

    Args:
        model: the model in its other layers, for calls that go live.
        wire: writes requests and reads answers.
        name: which model.
        tray: where they go.
        key: the key that is sent, which must not show.
    """

    def __init__(self, model: Model, wire: "WireModel", name: ModelName, tray: BatchTray, key: Key | None) -> None:
        super().__init__(model)
        self._wire, self._name, self._tray, self._key = wire, name, tray, key

    def quote(self, request: Request) -> Quote:
        """The most that one try can use: half of the price where it goes into a batch."""
        quote = self._model.quote(request)
        return _halved(quote) if self._tray.takes(False) and _can_be_batched(request) else quote

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer one request.

        Raises:
            BatchPending: the provider has not answered yet.
        """
        if not _can_be_batched(request) or not is_batch_recorder(recorder):
            return await self._model.complete(request, recorder)
        while True:
            tried = recorder.batch_try(request.call)
            late = self._tray.or_live and tried.failures >= TRIES
            if not tried.model and (late or not self._tray.takes(tried.begun)):
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

    async def _batched(self, request: Request, recorder: Recorder, tried: BatchTry) -> Called:
        """One try in a batch, the one that is under way or a new one."""
        if tried.model and tried.model != self.name:
            raise Unavailable(f"{tried.model} is asked in place of {self.name}", kind="open")

        async def send() -> Called:
            result = await self._tray.answer(tried.item, self.name, await self._wire.write_whole(request))
            return await self._read(result, request, recorder)

        quote = replace(_halved(self._model.quote(request)), item=tried.item)
        return await recorder.call(request.call, quote, send)

    async def _read(self, result: "ItemResult", request: Request, recorder: Recorder) -> Called:
        match result.status:
            case "answered":
                called = self._wire.read_whole(request, recorder, result.body)
                return replace(called, usage=replace(called.usage, cost=_half(called.usage.cost)))
            case "expired":
                raise Unavailable(f"{self.name} had no time for this call in its batch", kind="expired", again=True)
            case "cancelled":
                raise Unavailable(f"the batch of {self.name} was cancelled", kind="cancelled", again=True)
            case _:
                pass
        error = provider_errors.answer_error(self._name, result.code, result.body, key=self._key)
        if error.again:  # what a provider says of a batch says nothing of calls that are sent live
            raise Unavailable(str(error), kind="overloaded", again=True)
        raise await self._wire.refused_whole(request, error, result.code, result.body)


def _can_be_batched(request: Request) -> bool:
    return request.call == CALL and not request.tools


def _half(cost: float | None) -> float | None:
    return None if cost is None else cost * HALF


def _halved(quote: Quote) -> Quote:
    return replace(quote, cost=_half(quote.cost), worst_cost=_half(quote.worst_cost))
