"""The tray of batches: it gathers the requests of many debates, sends them as one, and looks for their answers.

A request that is put into the tray is answered later: until then its debate is paused, and no process need run. What
the tray knows is on the log of the store, so any process finds the answers. A request is at one provider once: the log
is written before a batch is sent, and one whose fate is unknown is looked for before its requests are sent again.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from folkmoot.core.errors import BatchPending, BriefError, ModelError, Unavailable
from folkmoot.core.event import Batched, BatchState, Gathered, SideEntry, SideEvent
from folkmoot.core.labels import WAITS_FOR_BATCH
from folkmoot.core.text import clean, counted
from folkmoot.models.batches.providers import BatchApi, ItemResult, JobLook

MOST_ITEMS = 1_000
"""The most requests of one batch: their answers must fit into one answer of the provider."""

MOST_BYTES = 50_000_000

SEND_SECONDS = 300.0
"""The most time for sending one batch."""

LOST_SECONDS = 900.0
"""Seconds after which a batch that the provider does not list was never sent; more than sending one can take."""

LEAST_LOOK = 0.1
"""The least seconds between two looks that can be set."""

AGAIN = frozenset({"rate"})
"""Kinds of errors after which nothing was sent, and the same batch may be taken a little later."""

UNKNOWN = frozenset({"timeout", "connection", "server", "garbled"})
"""Kinds of errors after which nobody knows whether the provider has the batch."""


class JobLog(Protocol):
    """The log of batches; all processes of a store write it, in one order."""

    async def read(self, after: int = 0) -> tuple[SideEntry, ...]:
        """Its entries."""
        ...

    async def post(self, event: SideEvent) -> int:
        """Add an event; it is durable when this returns."""
        ...

    async def post_what(self, make: Callable[[Sequence[SideEntry]], SideEvent | None]) -> SideEvent | None:
        """Add what follows from all entries before it; None adds nothing."""
        ...


@dataclass(slots=True, kw_only=True)
class Job:
    """One batch at a provider.

    Attributes:
        id: our name of it.
        model: ``provider:name``, which all of its requests ask.
        items: what its requests are called.
        at: when they were gathered, in seconds since 1970.
        state: what is known of it; "" where it was about to be sent.
        handle: what the provider calls it; "" where that is not known.
        kind: with ``refused``, the kind of the error.
        reason: with ``refused``, the error in a sentence.
    """

    id: str
    model: str
    items: tuple[str, ...]
    at: float
    state: BatchState | None = None
    handle: str = ""
    kind: str = ""
    reason: str = ""

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
                    job = self.by_id[name] = Job(id=name, model=model, items=items, at=entry.at)
                    self._of.update(dict.fromkeys(items, job))
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

    def handles(self) -> list[str]:
        """What providers call them."""
        return [job.handle for job in self.by_id.values() if job.handle]


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


LOOK = "FOLKMOOT_BATCH_LOOK"
"""The environment variable with the least seconds between two looks at a batch."""


def pace_of(env: Mapping[str, str]) -> BatchPace:
    """How often providers are asked, as the environment says.

    Raises:
        BriefError: it says something that is no number of seconds.
    """
    usual = BatchPace()
    if not (text := env.get(LOOK, "").strip()):
        return usual
    try:
        least = float(text)
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
        self._sending: set[str] = set()
        self._looked: dict[str, float] = {}
        self._done: dict[str, int] = {}
        self._results: dict[str, dict[str, ItemResult]] = {}
        self._turn = asyncio.Lock()

    def takes(self, begun: bool) -> bool:
        """Whether a new call goes into a batch; ``begun`` for a debate that had some there before."""
        return (self.on or begun) and not self.live

    def register(self, model: str, api: BatchApi) -> None:
        """Name the batch interface of a model."""
        self._apis.setdefault(model, api)

    @property
    def waiting(self) -> int:
        """How many requests are gathered and not sent."""
        return sum(map(len, self._put.values()))

    async def jobs(self) -> Jobs:
        """All batches, as the log stands."""
        return self._jobs.take(await self._log.read(self._jobs.read))

    async def answer(self, item: str, model: str, body: Mapping[str, object]) -> ItemResult:
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
            raise BatchPending(_waiting_sentence(model, self._clock()))
        if job.state == "refused":
            raise Unavailable(job.reason, kind=job.kind, again=job.kind == "overloaded")
        if job.open:
            raise BatchPending(_waiting_sentence(model, job.at))
        return (await self._fetched(job)).get(item, ItemResult(status="expired"))

    def settled(self, item: str) -> bool:
        """Whether there is something new of a request since its debate has paused, as far as is known here."""
        if any(item in items for items in self._put.values()):
            return False
        job = self._jobs.of(item)
        return job is None or not job.open

    # ---- sending -----------------------------------------------------------------------------------------------------

    async def submit(self) -> None:
        """Send what was gathered: for each model one batch, or several where it is too large."""
        async with self._turn:
            for model in tuple(self._put):
                for part in _parts(self._put.pop(model)):
                    await self._submit(model, part)

    async def _submit(self, model: str, requests: dict[str, Mapping[str, object]]) -> None:
        job = secrets.token_hex(8)

        def gathered(entries: Sequence[SideEntry]) -> Gathered | None:
            jobs = Jobs().take(entries)
            free = tuple(item for item in requests if jobs.of(item) is None)
            return Gathered(job=job, model=model, items=free) if free else None

        event = await self._log.post_what(gathered)
        if not isinstance(event, Gathered):
            return
        self._sending.add(job)
        try:
            free = {item: requests[item] for item in event.items}
            async with asyncio.timeout(SEND_SECONDS):
                handle = await self._apis[model].submit(job, free)
        except (ModelError, TimeoutError) as error:
            kind = error.kind if isinstance(error, ModelError) else "timeout"
            words = clean(str(error)) or f"sending took more than {SEND_SECONDS:.0f} s"
            self.tell(f"a batch of {counted(len(requests), 'call')} to {model} was not sent: {words}")
            if kind in AGAIN:
                await self._log.post(Batched(job=job, state="unsent"))
                self._put.setdefault(model, {}).update(requests)
            elif kind not in UNKNOWN:  # where nobody knows, nothing is noted: it is looked for later
                await self._log.post(Batched(job=job, state="refused", kind=kind, reason=words))
        else:
            await self._log.post(Batched(job=job, state="sent", handle=handle))
            self.tell(f"sent a batch of {counted(len(free), 'call')} to {model}: {handle}")
        finally:
            self._sending.discard(job)
            self._looked[job] = self._clock()

    # ---- looking -----------------------------------------------------------------------------------------------------

    async def look_for(self, items: Iterable[str]) -> None:
        """Ask providers how far the batches are that have these requests, those whose turn it is."""
        jobs = await self.jobs()
        wanted = {job.id: job for item in items if (job := jobs.of(item)) and job.open}
        for job in wanted.values():
            await self._look(job)
        await self.jobs()

    def next_look(self, items: Iterable[str]) -> float:
        """Seconds until the next look at a batch that has one of these requests."""
        jobs = {job.id: job for item in items if (job := self._jobs.of(item)) and job.open}
        now = self._clock()
        due = [self._looked.get(job.id, 0.0) + self.pace.wait(now - job.at) - now for job in jobs.values()]
        return max(0.0, min(due, default=self.pace.least))

    async def _look(self, job: Job) -> None:
        """Ask a provider how far a batch is, if it is time to."""
        async with self._turn:
            now = self._clock()
            wait = self.pace.wait(now - job.at)
            if job.id in self._sending or not job.open or now - self._looked.get(job.id, -wait) < wait:
                return
            self._looked[job.id] = now
            api = self._apis.get(job.model)
            if api is None:
                return
            try:
                if job.handle:
                    await self._look_at(job, api)
                else:
                    await self._find(job, api)
            except ModelError as error:
                self.tell(f"{job.model} does not say how far batch {job.handle or job.id} is: {error}")
            await self.jobs()

    async def _look_at(self, job: Job, api: BatchApi) -> None:
        try:
            look = await api.look(job.handle)
            results = await self._all_results(job, api, look) if look.ended and not look.refused else {}
        except ModelError as error:
            if error.kind != "not_found":
                raise
            gone = f"{job.model} no longer has the batch {job.handle}, or its results"
            await self._log.post(Batched(job=job.id, state="refused", kind="gone", reason=gone))
            return
        if not look.ended:
            if self._done.get(job.id) != look.done:
                self._done[job.id] = look.done
                self.tell(f"{job.model}: {look.done} of {counted(len(job.items), 'call')} done ({look.words})")
            return
        if look.refused:
            reason = clean(f"{job.model.partition(':')[0]} refused the batch: {look.refused}")[:500]
            kind = "overloaded" if look.again else "request"
            await self._log.post(Batched(job=job.id, state="refused", kind=kind, reason=reason))
            self.tell(reason)
            return
        self._results[job.id] = results
        await self._log.post(Batched(job=job.id, state="ended"))
        self.tell(f"{job.model}: the batch {job.handle} has ended")

    async def _find(self, job: Job, api: BatchApi) -> None:
        """Look for a batch that was sent by a process that ended before it noted the provider's name."""
        handle = await api.find(job.id, job.items, job.at, self._jobs.handles())
        if handle:
            await self._log.post(Batched(job=job.id, state="sent", handle=handle))
            self.tell(f"found the batch of {counted(len(job.items), 'call')} at {job.model} again: {handle}")
            self._looked.pop(job.id)
        elif handle is None and self._clock() - job.at > self.pace.lost:
            await self._log.post(Batched(job=job.id, state="unsent"))
            self.tell(f"a batch of {counted(len(job.items), 'call')} never reached {job.model}; it will be sent again")

    async def _fetched(self, job: Job) -> dict[str, ItemResult]:
        """The results of a batch that has ended; a process that has not seen it end gets them once more."""
        async with self._turn:
            if job.id not in self._results:
                api = self._apis[job.model]
                self._results[job.id] = await self._all_results(job, api, await api.look(job.handle))
            return self._results[job.id]

    async def _all_results(self, job: Job, api: BatchApi, look: JobLook) -> dict[str, ItemResult]:
        """What has become of every request of a batch that has ended."""
        missing = dict.fromkeys(job.items, ItemResult(status=look.missing))
        return missing | await api.results(job.handle, look)

    async def cancel(self, job: Job) -> bool:
        """Have a provider leave what it has not begun of a batch; whether there was anything to cancel.

        Raises:
            ModelError: the provider does not say that it does.
        """
        if not job.open or not job.handle:
            return False
        await self._apis[job.model].cancel(job.handle)
        return True


def _parts(requests: dict[str, Mapping[str, object]]) -> list[dict[str, Mapping[str, object]]]:
    """Requests in parts that a provider takes as one batch."""
    parts: list[dict[str, Mapping[str, object]]] = [{}]
    size = 0
    for item, body in requests.items():
        more = len(repr(body))
        if parts[-1] and (len(parts[-1]) >= MOST_ITEMS or size + more > MOST_BYTES):
            parts.append({})
            size = 0
        parts[-1][item] = body
        size += more
    return parts


def _waiting_sentence(model: str, at: float) -> str:
    return f"{WAITS_FOR_BATCH} since {datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M} UTC ({model})"
