"""Faults planted into our own code, by name: the simulation must find each, else it has no teeth.

Each is applied in memory for the time of a block. The faults that users once met are among them.
"""
# They change what is private, and stand in for it with whatever types it has.
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from random import Random
from typing import Any, cast

import pytest

from folkmoot.app.run import runner
from folkmoot.core import ask, transcript
from folkmoot.core.errors import ModelError, RecordConflict, RecordError
from folkmoot.core.event import Attempted, Interjected, Paused, Replied
from folkmoot.deadline import Deadline
from folkmoot.engine import calls, driver
from folkmoot.models import layers, transport
from folkmoot.models.wires import base as wires
from folkmoot.phases.base import State
from folkmoot.policy import rules
from folkmoot.record import ledger, mailbox, store
from tests.simulator import faults_in_course, faults_in_debates, faults_in_records

Change = tuple[Any, str, Any]
Planted = Callable[[], list[Change]]


@contextmanager
def planted(name: str) -> Generator[None]:
    """Have a fault in our code for the time of a block."""
    with pytest.MonkeyPatch.context() as patch:
        for owner, attribute, value in FAULTS[name]():
            patch.setattr(owner, attribute, value)
        yield


# ---- the record ------------------------------------------------------------------------------------------------------


def finished_calls_are_sent_again() -> list[Change]:
    return [(calls.CallRecorder, "done", lambda self, name: None)]


def tries_are_sent_before_they_are_durable() -> list[Change]:
    async def add(self: Any, *events: Any) -> None:
        self.note(*events)

    return [(ledger.Ledger, "add", add)]


def nothing_waits_for_the_store() -> list[Change]:
    async def flush(self: Any) -> None:
        if self._over:
            raise self._over

    return [(ledger.Ledger, "flush", flush)]


def hash_chain_begins_anew_after_a_resume() -> list[Change]:
    usual = ledger.Ledger.open

    async def open_(self: Any) -> Any:
        entries = await usual(self)
        self._head = ""
        return entries

    return [(ledger.Ledger, "open", open_)]


def conflict_is_answered_by_appending_behind() -> list[Change]:
    usual = ledger.Ledger._append

    async def append(self: Any, lines: Any) -> None:
        try:
            await usual(self, lines)
        except RecordConflict:
            behind = len(await self._store.read(self.debate))
            await self._store.append(self.debate, lines, after=behind)

    return [(ledger.Ledger, "_append", append)]


def errors_of_the_store_are_swallowed() -> list[Change]:
    usual = ledger.Ledger._append

    async def append(self: Any, lines: Any) -> None:
        try:
            await usual(self, lines)
        except RecordConflict:
            raise
        except RecordError:
            return

    return [(ledger.Ledger, "_append", append)]


def last_waiter_is_not_woken() -> list[Change]:
    def wake(self: Any) -> None:
        for seq, durable in self._waiters:
            if seq < self._stored and not durable.done():
                durable.set_result(None)
        self._waiters = [waiter for waiter in self._waiters if waiter[0] >= self._stored]

    return [(ledger.Ledger, "_wake", wake)]


def lines_are_shown_before_they_are_stored() -> list[Change]:
    usual = ledger.Ledger._append

    async def append(self: Any, lines: Any) -> None:
        self._publish(self.debate, lines, self._stored + 1)
        await usual(self, lines)

    return [(ledger.Ledger, "_append", append)]


def tries_are_numbered_anew_after_a_resume() -> list[Change]:
    return [(ledger.Ledger, "tries", lambda self, key, call: 0)]


def conflict_is_not_noticed() -> list[Change]:
    async def append(self: Any, lines: Any) -> None:
        while True:
            try:
                return await self._store.append(self.debate, lines, after=len(await self._store.read(self.debate)))
            except RecordConflict:
                continue

    return [(ledger.Ledger, "_append", append)]


def entry_of_a_cancel_goes_past_the_ledger() -> list[Change]:
    async def note_cancel(self: Any) -> None:
        lines = await self.ledger._store.read(self.ledger.debate)
        entry = store.Entry(seq=len(lines) + 1, at=0.0, event=Paused(reason="stopped", kind="stopped"))
        await self.ledger._store.append(self.ledger.debate, [store.encode(entry)], after=len(lines))

    return [(driver._Driver, "note_cancel", note_cancel)]


def fractional_tokens_are_stored() -> list[Change]:
    def encode(entry: Any) -> str:
        head = f'{{"v":{store.VERSION},"seq":{entry.seq},"at":{entry.at:.6f},"prev":"{entry.prev}"'
        return f'{head},"kind":"{store.KIND[type(entry.event)]}","body":{store.to_json(entry.event).decode()}}}'

    return [(ask.Usage, "cleaned", lambda self: self), (ledger, "encode", encode)]


# ---- the driver ------------------------------------------------------------------------------------------------------


def turns_stand_in_the_order_of_arrival() -> list[Change]:
    usual = transcript.Transcript.add

    def add(self: Any, event: Any) -> None:
        usual(self, event)
        if isinstance(event, Replied):
            self._turns[event.key] = self._turns.pop(event.key)

    return [(transcript.Transcript, "add", add)]


def chance_in_a_phase_is_not_of_the_seed() -> list[Change]:
    numbers = iter(range(10**9))
    return [(State, "chance", lambda self, purpose="": Random(next(numbers)))]


def masks_are_not_looked_at() -> list[Change]:
    return [(transcript.Transcript, "_masks", lambda self, who: frozenset())]


def batch_is_not_blind() -> list[Change]:
    usual = driver._Driver._in_time

    async def in_time(self: Any, ask: Any, context: Any, recorder: Any) -> Any:
        if ask.to not in self.options.untimed:
            async with self.gate:
                context = driver.context_of(self.opened.brief, self.ledger.transcript, ask)
        return await usual(self, ask, context, recorder)

    return [(driver._Driver, "_in_time", in_time)]


def failures_are_not_recorded() -> list[Change]:
    return [(driver, "_failure_event", lambda ask, outcome: None)]


def limit_of_parallel_answers_is_not_kept() -> list[Change]:
    usual = driver._Driver.__init__

    def init(self: Any, *args: Any) -> None:
        usual(self, *args)
        self.gate = asyncio.Semaphore(1000)

    return [(driver._Driver, "__init__", init)]


def resuming_is_not_recorded() -> list[Change]:
    return [(driver._Driver, "_note_resumed", lambda self: None)]


def answered_questions_are_put_again() -> list[Change]:
    return [(transcript.Transcript, "answered", lambda self, key: False)]


def times_of_turns_are_not_limited() -> list[Change]:
    return [(Deadline, "_look", lambda self: None), (Deadline, "_wait", lambda self: None)]


def stopped_process_loses_its_turns() -> list[Change]:
    def look(self: Any) -> None:
        now = self._loop.time()
        spent, self._since = now - self._since, now
        self._left = None if self._left is None else self._left - spent
        self._quiet = None if self._quiet is None else self._quiet - spent
        over = self._left is not None and self._left <= 0
        self.silent = not over and self._quiet is not None and self._quiet <= 0
        if over or self.silent:
            self._timeout.reschedule(now)
        else:
            self._wait()

    return [(Deadline, "_look", look)]


# ---- money -----------------------------------------------------------------------------------------------------------


def reservations_are_forgotten() -> list[Change]:
    usual = calls.Budget.apply

    def apply(self: Any, event: Any) -> None:
        if not isinstance(event, Attempted):
            usual(self, event)

    return [(calls.Budget, "apply", apply)]


def budget_begins_anew_after_a_resume() -> list[Change]:
    usual = driver._Driver.__init__

    def init(self: Any, *args: Any) -> None:
        usual(self, *args)
        apply, place = self.budget.apply, self.ledger.watchers.index(self.budget.apply)
        self.ledger.watchers[place] = lambda event: None if self.ledger.replaying else apply(event)

    return [(driver._Driver, "__init__", init)]


def limits_on_tokens_are_not_checked() -> list[Change]:
    return [(calls.Budget, "check", lambda self, quote: True)]


def limit_of_questions_is_not_checked() -> list[Change]:
    return [(calls.Budget, "check_asks", lambda self, more: None)]


# ---- models ----------------------------------------------------------------------------------------------------------


def call_is_sent_twice_beneath_the_record() -> list[Change]:
    usual = layers.ResilientModel._send

    async def send(self: Any, request: Any, recorder: Any) -> Any:
        try:
            return await usual(self, request, recorder)
        except ModelError as error:
            if not error.again:
                raise
            return await usual(self, request, recorder)

    return [(layers.ResilientModel, "_send", send)]


def call_is_tried_without_a_pause() -> list[Change]:
    usual = layers.ResilientModel._wait

    def wait(self: Any, *args: Any) -> float | None:
        return None if usual(self, *args) is None else 0.0

    return [(layers.ResilientModel, "_wait", wait)]


def pauses_between_tries_do_not_grow() -> list[Change]:
    usual = layers.ResilientModel._wait

    def wait(self: Any, error: Any, tries: int, longest: float) -> float | None:
        seconds = usual(self, error, tries, longest)
        return seconds if seconds is None or error.retry_after else min(seconds, 0.6)

    return [(layers.ResilientModel, "_wait", wait)]


def server_that_asks_to_wait_is_not_left_alone() -> list[Change]:
    usual = layers.ResilientModel._wait

    def wait(self: Any, error: Any, tries: int, longest: float) -> float | None:
        seconds = usual(self, error, tries, longest)
        return 5.0 if seconds is not None and error.retry_after and error.kind != "rate" else seconds

    return [(layers.ResilientModel, "_wait", wait)]


def failed_trial_keeps_a_model_half_open() -> list[Change]:
    usual = layers.Breaker.fail

    def fail(self: Any, ticket: int) -> None:
        if self.state == "HALF_OPEN":
            self.release(ticket)
        else:
            usual(self, ticket)

    return [(layers.Breaker, "fail", fail)]


def all_calls_are_trials() -> list[Change]:
    return [(layers.Breaker, "free", property(lambda self: self.state != "OPEN"))]


def call_is_tried_for_ever() -> list[Change]:
    return [(layers.ResilientModel, "_wait", lambda self, error, tries, most: 1.0 if error.again else None)]


def provider_that_asks_to_wait_is_not_left_alone() -> list[Change]:
    return [(transport.Gate, "hold", lambda self, seconds: None)]


def shorter_wait_takes_the_place_of_a_longer_one() -> list[Change]:
    def hold(self: Any, seconds: float) -> None:
        self._open_at = asyncio.get_running_loop().time() + min(seconds, transport.LONGEST_HOLD)

    return [(transport.Gate, "hold", hold)]


def places_of_a_connection_are_not_counted() -> list[Change]:
    usual = transport.Gate.__init__

    def init(self: Any, most: int, meter: Any = None) -> None:
        usual(self, 1000, meter)

    return [(transport.Gate, "__init__", init)]


def address_of_a_request_is_another_one() -> list[Change]:
    return [(wires.WireModel, "headers", lambda self, body: {}), (transport.ProviderConnection, "open", _elsewhere)]


def _elsewhere(self: Any, path: str, body: bytes, headers: Any = None) -> Any:
    return self.port.open("https://elsewhere.example" + path, {}, body)


def key_stands_in_an_error() -> list[Change]:
    @asynccontextmanager
    async def leaking(self: Any, path: str, body: bytes, headers: Any = None) -> AsyncGenerator[Any]:
        try:
            async with usual(self, path, body, headers) as answer:
                yield answer
        except transport.Unavailable:
            raise
        except Exception as error:
            raise transport.Unavailable(f"{error} with {self.key.reveal()}", kind="connection") from error

    usual = transport.ProviderConnection.open
    return [(transport.ProviderConnection, "open", leaking), (calls, "clean", lambda text: text)]


# ---- people and the runner -------------------------------------------------------------------------------------------


def messages_are_used_again_after_a_resume() -> list[Change]:
    return [(mailbox.Inbox, "apply", lambda self, event: None)]


def last_answer_of_a_person_counts() -> list[Change]:
    async def reply(self: Any, key: str) -> Any:
        entries = await self.read()
        fitting = [
            entry.event.reply for entry in entries if isinstance(entry.event, Replied) and entry.event.key == key
        ]
        return fitting[-1] if fitting else None

    return [(mailbox.Mailbox, "reply", reply)]


def remarks_are_changed() -> list[Change]:
    usual = mailbox.Inbox.fetch

    async def fetch(self: Any, now: float) -> Any:
        remarks = await usual(self, now)
        return [Interjected(by=remark.by, text=remark.text.upper(), letter=remark.letter) for remark in remarks]

    return [(mailbox.Inbox, "fetch", fetch)]


def messages_come_in_any_order() -> list[Change]:
    usual = mailbox.Inbox.fetch

    async def fetch(self: Any, now: float) -> Any:
        return (await usual(self, now))[::-1]

    return [(mailbox.Inbox, "fetch", fetch)]


def places_of_the_runner_are_not_counted() -> list[Change]:
    async def check(self: Any, owner: str) -> None:
        """Let everybody in."""

    return [(runner.Runner, "_check_places", check)]


# ---- decisions -------------------------------------------------------------------------------------------------------


def first_of_a_tie_wins() -> list[Change]:
    usual = rules.top
    return [(rules, "top", lambda tally: usual(tally)[:1])]


def vote_is_counted_twice() -> list[Change]:
    usual = rules.count

    def count(ballots: Any, candidates: Any, *, weighted: bool) -> Any:
        return usual((*ballots, *ballots[:1]), candidates, weighted=weighted)

    return [(rules, "count", count)]


FURTHER = (faults_in_debates, faults_in_course, faults_in_records)

FAULTS: Mapping[str, Planted] = {
    name: cast("Planted", value)
    for module in (__name__, *(more.__name__ for more in FURTHER))
    for name, value in vars(sys.modules[module]).items()
    if getattr(value, "__module__", "") == module and callable(value) and name[0] != "_" and name != "planted"
}
"""All planted faults by name."""
