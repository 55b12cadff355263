"""The driver: the loop that runs a debate from a play, a ledger and agents, within its total time.

It asks the agents of each batch in parallel and records their answers. An ask is recorded before its agent is called,
an answer before it is used. What a participant is shown is fixed when its batch is asked, so nobody sees an answer of
the same batch, whatever the latencies. The total time does not run while only people are waited for.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from folkmoot.core.agent import Agent, Context, context_of
from folkmoot.core.ask import Ask, Reply
from folkmoot.core.brief import GUEST, Limits
from folkmoot.core.decision import NO_DECISION, PauseKind, Status
from folkmoot.core.errors import (
    PASSING_ERRORS,
    BatchPending,
    FolkmootError,
    LimitReached,
    ModelError,
    RecordError,
    RecordMismatch,
    Refused,
    Stopped,
    Unavailable,
    Unreadable,
    Unstorable,
    Waiting,
)
from folkmoot.core.event import Asked, Closed, Failed, Note, Opened, Paused, Replied, Resumed, Signal
from folkmoot.core.text import clean, counted, hide, named
from folkmoot.core.transcript import Transcript
from folkmoot.engine.calls import AnswerTime, Budget, CallRecorder
from folkmoot.engine.quorum import Quorum, quorum_of
from folkmoot.phases.base import ROOT, Phase, Play, State, enter
from folkmoot.record.ledger import Ledger
from folkmoot.record.mailbox import Inbox, Mailbox

T = TypeVar("T")


class Deadlines:
    """How long a debate may still run.

    Args:
        seconds: the time it has from now on; None for any time.
        untimed: the names of those whose time does not count.
    """

    def __init__(self, seconds: float | None, untimed: frozenset[str]) -> None:
        self.ends = None if seconds is None else asyncio.get_running_loop().time() + seconds
        self._untimed = untimed

    async def not_counting(self, work: Awaitable[None]) -> None:
        """Wait for work whose time does not count for the limit."""
        since = asyncio.get_running_loop().time()
        await work
        if self.ends is not None:
            self.ends += asyncio.get_running_loop().time() - since

    async def answers_in_time(
        self, asks: Sequence[Ask], answer: Callable[[Ask], Coroutine[object, object, T]], quorum: Quorum | None = None
    ) -> list[T | Failed] | None:
        """The outcomes of all asks, in their order; None if the time ends before the timed asks do.

        With a quorum, whoever is late has failed.
        """
        people = [ask for ask in asks if ask.to in self._untimed] if self._untimed else []
        if not people:
            return await self._in_time(asks, answer, quorum)
        async with asyncio.TaskGroup() as group:
            waits = [group.create_task(answer(ask)) for ask in people]
            timed = [ask for ask in asks if ask.to not in self._untimed]
            in_time = await self._in_time(timed, answer, quorum)
            if in_time is None:
                for wait in waits:
                    wait.cancel()
                return None
            since = asyncio.get_running_loop().time()
        if self.ends is not None:
            self.ends += asyncio.get_running_loop().time() - since
        outcomes = {ask.key: outcome for ask, outcome in zip(timed, in_time, strict=True)}
        outcomes |= {ask.key: wait.result() for ask, wait in zip(people, waits, strict=True)}
        return [outcomes[ask.key] for ask in asks]

    async def _in_time(
        self, asks: Sequence[Ask], answer: Callable[[Ask], Coroutine[object, object, T]], quorum: Quorum | None = None
    ) -> list[T | Failed] | None:
        try:
            async with asyncio.timeout_at(self.ends), asyncio.TaskGroup() as group:
                tasks = [group.create_task(answer(ask)) for ask in asks]
                if quorum:
                    group.create_task(quorum.hurry(tasks))
        except TimeoutError:
            return None
        return [
            quorum.late(ask) if quorum and task.cancelled() else task.result()
            for ask, task in zip(asks, tasks, strict=True)
        ]


GRACE = 2.0
"""Seconds that writing the last entry may take when a debate is cancelled."""


@dataclass(slots=True)
class StopRequest:
    """A request to pause after the batch in progress; the debate can be resumed."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverOptions:
    """How a host runs a debate: limits, live signals, messages, a way to stop.

    Attributes:
        limits: what the debate may use; None for the limits of its brief.
        show: is called with each live signal.
        watched: whether somebody sees these signals now.
        stop: is checked between batches.
        mailbox: the messages of people from elsewhere; None where they cannot send any.
        untimed: the names of those who may take longer than a turn: people.
        gate: how many of the others may answer in parallel; None for the number in the limits.
        prepare: awaited once before the first question is asked; its time counts for no limit.
    """

    limits: Limits | None = None
    show: Callable[[Signal], None] = field(default=lambda signal: None)
    watched: Callable[[], bool] = field(default=lambda: True)
    stop: StopRequest = field(default_factory=StopRequest)
    mailbox: Mailbox | None = None
    untimed: frozenset[str] = frozenset()
    gate: asyncio.Semaphore | None = None
    prepare: Callable[[], Awaitable[None]] | None = None


async def debate(
    opened: Opened,
    protocol: Phase,
    agents: Mapping[str, Agent],
    *,
    ledger: Ledger,
    options: DriverOptions | None = None,
) -> Transcript:
    """Run a debate, or resume it where its record ends.

    Args:
        opened: the brief and the protocol, as they are stored in the first entry.
        protocol: the phase tree that ``opened.protocol`` describes.
        agents: who answers, by the participants' names.
        ledger: the record, opened.
        options: limits, live signals, a way to stop.

    Returns:
        The transcript: closed, or paused with the reason.

    Raises:
        RecordMismatch: the protocol and the record disagree.
        RecordConflict: another process runs this debate.
    """
    driver = _Driver(opened, agents, ledger, options or DriverOptions())
    try:
        async with ledger.writing():
            try:
                await driver.run(protocol)
            except asyncio.CancelledError:
                await driver.note_cancel()
                raise
    except BaseExceptionGroup as errors:
        first = _first_error(errors)
        raise first from first.__cause__ or errors
    return ledger.transcript


def replay(opened: Opened, protocol: Phase, *, ledger: Ledger) -> Transcript:
    """Replay a whole record and write nothing.

    Raises:
        RecordMismatch: the replay makes another event than the record has; the message names the entry.
    """
    ledger.note(opened)
    play = enter(protocol, State(brief=opened.brief, transcript=ledger.transcript))
    while True:
        ledger.take_world_events()
        if not ledger.replaying:
            return ledger.transcript
        step = _next_step(play, ledger.transcript)
        if step is None:
            ledger.note(closing_event(ledger.transcript))
        elif isinstance(step, Sequence):
            for ask in step:
                if ledger.replaying:
                    ledger.note(Asked(ask=ask))
        else:
            ledger.note(step)


class _Driver:
    def __init__(self, opened: Opened, agents: Mapping[str, Agent], ledger: Ledger, options: DriverOptions) -> None:
        self.opened, self.agents, self.ledger, self.options = opened, agents, ledger, options
        self.limits = options.limits or opened.brief.limits
        self.budget = Budget(self.limits)
        self.inbox = Inbox(options.mailbox)
        ledger.watchers.extend((self.budget.apply, self.inbox.apply))
        self.gate = options.gate or asyncio.Semaphore(self.limits.parallel)
        self.deadlines = Deadlines(self.limits.total_seconds, options.untimed)
        self.prepare = options.prepare
        self.resuming = ledger.replaying

    async def run(self, protocol: Phase) -> None:
        ledger, transcript = self.ledger, self.ledger.transcript
        ledger.note(self.opened)
        play = enter(protocol, State(brief=self.opened.brief, transcript=transcript))
        while True:
            # World events before the next step are known to the protocol, live as in a replay.
            ledger.take_world_events()
            await self._take_messages()
            step = _next_step(play, transcript) if self.resuming else next(play, None)
            if step is None:
                break
            if not isinstance(step, Sequence):
                ledger.note(step)
            elif not await self.ask_batch(step):
                return
        await self._take_messages(last=True)
        ledger.note(closing_event(transcript))

    async def _take_messages(self, *, last: bool = False) -> None:
        """Record what people have said meanwhile; only at the end of the record, where the debate is live."""
        now = asyncio.get_running_loop().time()
        if self.ledger.replaying or not (last or self.inbox.due(now)):
            return
        if messages := await self.inbox.fetch(now):
            self._note_resumed()
            self.ledger.note(*messages)

    def _note_resumed(self) -> None:
        """Record once that the debate is resumed."""
        if self.resuming:
            self.resuming = False
            self.ledger.note(Resumed())

    async def ask_batch(self, asks: Sequence[Ask]) -> bool:
        """Ask a batch; returns False if the debate pauses."""
        ledger, transcript = self.ledger, self.ledger.transcript
        if not ledger.replaying and (paused := self._must_pause(len(asks))):
            return self._pause(paused)
        ledger.note(*(Asked(ask=ask) for ask in asks))
        contexts = {ask.key: context_of(self.opened.brief, transcript, ask) for ask in asks}
        ledger.take_world_events()
        unanswered = [ask for ask in asks if not transcript.answered(ask.key)]
        if not unanswered:
            return True
        if paused := self._must_pause(0):
            return self._pause(paused)
        self._note_resumed()
        if self.prepare:
            await self.deadlines.not_counting(self.prepare())
            self.prepare = None
        if not all(map(self._only_calls, unanswered)):
            await ledger.flush()
        outcomes = await self._answers(unanswered, contexts)
        return self._record_failures(unanswered, outcomes, alone=len(unanswered) == len(asks))

    def _only_calls(self, ask: Ask) -> bool:
        """Whether who is asked does nothing but calls on record."""
        return getattr(self.agents.get(ask.to), "records", False)

    async def _answers(self, asks: Sequence[Ask], contexts: Mapping[str, Context]) -> list["_Outcome"]:
        quorum = quorum_of(asks, self.opened.brief, self.limits) if self.limits.quorum else None
        outcomes = await self.deadlines.answers_in_time(asks, lambda ask: self._answer(ask, contexts[ask.key]), quorum)
        most = self.limits.total_seconds or 0
        problem = f"the limit of {counted(most, 'second')} is reached"
        return outcomes or [LimitReached(problem, limit="total_seconds", most=most)]

    async def _answer(self, ask: Ask, context: Context) -> "_Outcome":
        """Ask one agent. Errors become values here, so that one failure never cancels the others."""
        recorder = CallRecorder(ask.key, self.ledger, self.budget, self.options.show, self.options.watched)
        recorder.waits = not self._only_calls(ask)
        recorder.stop = lambda: self.options.stop.reason
        began = asyncio.get_running_loop().time()
        try:
            reply = await self._in_time(ask, context, recorder)
            mended = reply.cleaned(ask.form, asyncio.get_running_loop().time() - began)
        except (RecordError, asyncio.CancelledError) as error:
            if isinstance(error, Unstorable):
                return _failure_of_agent(ask, error)
            raise
        except (ModelError, LimitReached, Waiting) as error:
            return error
        except Exception as error:  # noqa: BLE001 - a broken agent must not end the debate of the others
            return _failure_of_agent(ask, error)
        try:
            self.ledger.note(Replied(key=ask.key, reply=mended))
        except Unstorable as error:
            return _failure_of_agent(ask, error)
        return mended

    async def _in_time(self, ask: Ask, context: Context, recorder: CallRecorder) -> Reply:
        if ask.to in self.options.untimed:
            # People take no place of the others, of whom only a limited number answers in parallel.
            return await self.agents[ask.to].answer(ask, context, recorder)
        async with self.gate:
            time = AnswerTime(self.limits.turn_seconds)
            try:
                async with time.deadline:
                    recorder.time = time
                    reply = await self.agents[ask.to].answer(ask, context, recorder)
            except RecordError:
                raise
            except Exception as error:
                # Whatever an agent does after its time is up, the time is why there is no other answer.
                if not time.deadline.expired():
                    raise
                return self._kept(time, error)
        # An agent that ignored its cancellation answers too late.
        return self._kept(time) if time.deadline.expired() else reply

    def _kept(self, time: AnswerTime, cause: Exception | None = None) -> Reply:
        """The answer that is kept when the time is up: it was whole, and only a question about it was open."""
        if time.kept:
            return time.kept
        problem = f"no answer within {counted(self.limits.turn_seconds, 'second')}"
        raise Unavailable(problem, kind="timeout") from cause

    def _record_failures(self, asks: Sequence[Ask], outcomes: Sequence["_Outcome"], *, alone: bool) -> bool:
        """Record the failures of a batch; returns False if the debate must pause.

        Args:
            asks: the asks that were put.
            outcomes: the outcome of each; only one if the total time is up.
            alone: whether these are all asks of the batch, so that none was answered before.
        """
        waits = [(outcome, _pause_kind(outcome)) for outcome in outcomes if isinstance(outcome, LimitReached | Waiting)]
        away = [outcome for outcome in outcomes if isinstance(outcome, ModelError) and self._gave_nothing(outcome)]
        if alone and len(away) == len(asks) and (len(asks) > 1 or self._all_away(asks[0].to)):
            # Without any answer there is nothing to go on with: the asks stay open, and a resume asks them again.
            told = next((error for error in away if isinstance(error, Refused)), away[0])
            causes = {error.kind for error in away}
            cause = told.kind if len(causes) == 1 or not causes & PASSING_ERRORS else ""
            kinds = {Refused: "be asked", Unavailable: "be reached", Unreadable: "answer"}
            how = next(words for kind, words in kinds.items() if isinstance(told, kind))
            limit, most = ("turn_seconds", self.limits.turn_seconds) if cause == "timeout" else ("", None)
            nobody = f"none of {len({ask.to for ask in asks})} participants could"
            reason = f"{nobody if len(asks) > 1 else f'{asks[0].to} could not'} {how}: {told}"
            return self._pause(Paused(reason=reason, kind="unavailable", cause=named(cause), limit=limit, most=most))
        failures = [
            _failure_event(ask, outcome)
            for ask, outcome in zip(asks, outcomes, strict=False)
            if not (waits and isinstance(outcome, Unavailable))  # a resume asks these again
        ]
        self.ledger.note(*(failure for failure in failures if failure))
        if not waits:
            return True
        # A limit counts before people: their answers alone would not let the debate continue.
        kind = min((kind for _, kind in waits), key=("stopped", "limit", "waiting", "batch").index)
        waited = [wait for wait, text in waits if text == kind]
        limits = (wait for wait in waited if isinstance(wait, LimitReached))
        reached = next(limits, LimitReached(""))
        reason = "; ".join(dict.fromkeys(map(str, waited)))
        return self._pause(Paused(reason=reason, kind=kind, limit=reached.limit, most=reached.most))

    def _gave_nothing(self, error: ModelError) -> bool:
        """Whether a model was not asked, or not in time. What it said, or withheld, another try would bring again.

        What everybody meets before anybody has said a word is a matter of the set-up, such as the key, or the thinking.
        What a program's own agent raises, or leaves unsaid, is none of either.
        """
        nobody = not any(turn.ask and turn.reply for turn in self.ledger.transcript.all())
        own = any(who.seat.startswith(GUEST) for who in self.opened.brief.participants)
        at_first = nobody and (isinstance(error, Refused) or (isinstance(error, Unreadable) and not own))
        return at_first or isinstance(error, Unavailable) or error.kind in ("too_long", "request")

    def _all_away(self, last: str) -> bool:
        """Whether who is asked alone was the last one to try: since somebody answered, all debaters have failed.

        As long as nobody has answered at all, a model counts for all whom it answers for.
        """
        turns, failed = self.ledger.transcript.all(), {last}
        for turn in reversed(turns):
            if turn.reply and turn.ask:
                break
            failed |= {turn.by} if turn.failure else set()
        debaters = {who.name: who.seat for who in self.opened.brief.participants if who.duty == "debater" and who.seat}
        if not any(turn.reply and turn.ask for turn in turns):
            seats = {who.seat for who in self.opened.brief.participants if who.name in failed}
            failed |= {name for name, seat in debaters.items() if seat in seats}
        return bool(debaters) and debaters.keys() <= failed

    def _must_pause(self, more: int) -> Paused | None:
        if self.options.stop.reason:
            return Paused(reason=self.options.stop.reason, kind="stopped")
        try:
            self.budget.check_asks(more)
        except LimitReached as error:
            return Paused(reason=str(error), kind="limit", limit=error.limit, most=error.most)
        return None

    def _pause(self, paused: Paused) -> bool:
        self.ledger.note(replace(paused, reason=clean(paused.reason)))
        return False

    async def note_cancel(self) -> None:
        """Record that the debate was stopped within a batch, if there is time. The record is complete either way.

        An event loop that ends cancels each task, and the task groups above cancel it once more meanwhile.
        """
        end = asyncio.get_running_loop().time() + GRACE
        with contextlib.suppress(TimeoutError, FolkmootError):
            self.ledger.note(Paused(reason="stopped", kind="stopped"))
            while True:
                with contextlib.suppress(asyncio.CancelledError):
                    async with asyncio.timeout_at(end):
                        return await self.ledger.flush()


_Outcome = Reply | Failed | ModelError | LimitReached | Waiting


def _pause_kind(outcome: LimitReached | Waiting) -> PauseKind:
    """Why a debate pauses after that outcome of an ask."""
    if isinstance(outcome, LimitReached):
        return "stopped" if isinstance(outcome, Stopped) else "limit"
    return "batch" if isinstance(outcome, BatchPending) else "waiting"


def _next_step(play: Play, transcript: Transcript) -> Sequence[Ask] | Note | None:
    """The next step over a record. A protocol that fails over a record of another version is a mismatch, not a bug."""
    try:
        return next(play, None)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        last = transcript.all()[-1].key if transcript.all() else ROOT
        problem = f"after {last!r} the record has an event that its protocol cannot follow ({type(error).__name__})"
        raise RecordMismatch(problem) from error


def _failure_of_agent(ask: Ask, error: Exception) -> Failed:
    return Failed(key=ask.key, kind="broken", reason=hide(clean(f"{type(error).__name__}: {error}"))[:500])


def _failure_event(ask: Ask, outcome: _Outcome) -> Failed | None:
    if isinstance(outcome, Failed):
        return outcome
    if isinstance(outcome, ModelError):
        return Failed(
            key=ask.key, kind=named(outcome.kind) or type(outcome).__name__.lower(), reason=clean(str(outcome))
        )
    return None


def _first_error(error: BaseException) -> BaseException:
    """The first error in a group, at any depth."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def closing_event(transcript: Transcript) -> Closed:
    """The last entry of a debate whose play has ended."""
    decision, halt = transcript.decision, transcript.halted(ROOT)
    has_turns = any(turn.ask for turn in transcript.turns())
    status: Status = "failed" if not has_turns else decision.status if decision else "no_decision"
    return Closed(status=status, reason=halt or (decision.how if decision else NO_DECISION))
