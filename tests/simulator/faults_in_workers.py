"""Faults planted into our workers, leases and limits, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from folkmoot.app.run import people, record_reader
from folkmoot.app.run.dispatcher import QueueError
from folkmoot.workers import jobs, lease_runs, leases, provider_limits, schedules, worker

Change = tuple[Any, str, Any]


def fence_is_always_open() -> list[Change]:
    return [(leases.FencedStore, "lapsed", lambda self, debate: False)]


def leases_are_not_renewed() -> list[Change]:
    async def beat(self: Any) -> float:
        return self._sender.seconds / 3

    return [(leases.Heartbeat, "_renew", beat)]


def lease_is_taken_although_another_holds() -> list[Change]:
    words = leases._LEASE.replace("where l.until <= clock_timestamp() ", "")
    lost = leases._LOST.replace("(l.until is null or l.until <= clock_timestamp())", "true")
    return [(leases, "_LEASE", words), (leases, "_LOST", lost)]


def debates_of_dead_workers_are_forgotten() -> list[Change]:
    return [(leases, "_LOST", leases._LOST.replace("j.state = 'running'", "false"))]


def overtaken_worker_ends_the_debate_of_another() -> list[Change]:
    usual = leases.end

    async def end(c: Any, lease: Any, ending: Any) -> Any:
        row = await jobs.row_of(c, lease.debate)
        return await usual(c, replace(lease, epoch=row["epoch"]), ending)

    return [(leases, "end", end)]


def paused_debate_counts_as_done() -> list[Change]:
    usual = lease_runs.LeaseRuns._ending

    async def ending(self: Any, outcome: Any, leased: Any) -> Any:
        result = await usual(self, outcome, leased)
        return replace(result, state="done") if result.state == "waiting" else result

    return [(lease_runs.LeaseRuns, "_ending", ending)]


def answer_of_a_person_queues_nothing() -> list[Change]:
    async def submit(c: Any, debate: str, *more: Any) -> Any:
        job = await jobs.locked(c, debate)
        if job is None or job["state"] in ("new", "parked", "cancelled"):
            return await usual(c, debate, *more)
        return jobs.job_of(await jobs.row_of(c, debate))

    usual = jobs.submit
    return [(jobs, "submit", submit), (people, "queue_again", people.queue_again)]


def deadline_of_a_person_wakes_nobody() -> list[Change]:
    return [(record_reader.OpenAsks, "until_next", lambda self, now: None)]


def what_came_while_a_debate_paused_is_overlooked() -> list[Change]:
    def until_next(self: Any, now: float) -> float | None:
        left = [seconds for turn in self.open(now) if (seconds := self.left(turn, now)) is not None]
        return max(0.0, min(left)) if left else None

    return [(record_reader.OpenAsks, "until_next", until_next)]


def time_that_was_up_while_a_debate_paused_is_overlooked() -> list[Change]:
    def until_next(self: Any, now: float) -> float | None:
        left = [seconds for turn in self.open(now) if (seconds := self.left(turn, now)) is not None]
        return 0.0 if self.pending() else max(0.0, min(left)) if left else None

    return [(record_reader.OpenAsks, "until_next", until_next)]


def worker_takes_more_than_it_has_places() -> list[Change]:
    usual = leases.take

    async def take(c: Any, taker: Any) -> Any:
        return await usual(c, replace(taker, most=taker.most + 1))

    return [(leases, "take", take)]


def drained_worker_keeps_its_leases() -> list[Change]:
    async def end(c: Any, lease: Any, ending: Any) -> Any:
        if not ending.fresh:
            return await usual(c, lease, ending)
        await jobs.move(c, lease.debate, ending.state, "")
        return ending.state

    usual = leases.end
    return [(leases, "end", end)]


def cancelled_debate_runs_on() -> list[Change]:
    usual = worker.LeasedDebate.ask

    def ask(self: Any, why: str, *, now: bool) -> None:
        if why != "lost":
            usual(self, why, now=now)

    return [(worker.LeasedDebate, "ask", ask), (leases.FencedStore, "lapsed", lambda self, debate: False)]


def heartbeat_waits_for_the_debates() -> list[Change]:
    usual = leases.Heartbeat._renew

    async def beat(self: Any) -> float:
        if self._fence.held:
            await asyncio.sleep(2 * self._sender.seconds)
        return await usual(self)

    return [(leases.Heartbeat, "_renew", beat)]


def lease_that_has_run_out_is_renewed() -> list[Change]:
    words = leases._RENEWED.replace("and until > clock_timestamp()", "")
    return [(leases, "_RENEWED", words)]


def lease_begins_with_its_answer() -> list[Change]:
    async def beat(self: Any) -> float:
        renewed = await self._database.do(partial(leases.beat, sender=self._sender, debates=self._fence.held))
        self._fence.extend(renewed, self._fence.now() + self._sender.seconds)
        self._told(renewed)
        return self._sender.seconds / 3

    usual = worker.Worker._open

    def open_(self: Any, lease: Any, began: float) -> None:
        usual(self, lease, self.fence.now())

    return [(leases.Heartbeat, "_renew", beat), (worker.Worker, "_open", open_)]


def tries_are_not_counted() -> list[Change]:
    async def claim(c: Any, job: Any, *more: Any) -> Any:
        lease = await usual(c, job, *more)
        if lease is not None:
            await c.execute("update folkmoot_job set tries = 0 where debate = $1", job["debate"])
        return lease

    usual = leases._claim
    return [(leases, "_claim", claim)]


def tries_begin_anew_with_each_worker() -> list[Change]:
    async def end(c: Any, lease: Any, ending: Any) -> Any:
        return await usual(c, lease, replace(ending, fresh=True))

    usual = leases.end
    return [(leases, "end", end)]


def answers_do_not_begin_the_tries_anew() -> list[Change]:
    async def answered(c: Any, debate: str) -> int:
        return 0

    return [(leases, "answered", answered)]


def slots_of_all_workers_are_not_counted() -> list[Change]:
    words = provider_limits._IN_FLIGHT.replace("worker <> $2", "worker <> $2 and 1 = 0")
    return [(provider_limits, "_IN_FLIGHT", words)]


def slots_are_not_given_back() -> list[Change]:
    async def give_back(self: Any, c: Any, tokens: int) -> None:
        return None

    return [(provider_limits.Allowed, "_give_back", give_back)]


def worker_takes_a_debate_that_it_has_not_let_go() -> list[Change]:
    async def take(c: Any, taker: Any) -> Any:
        return await usual(c, replace(taker, held=()))

    usual = leases.take
    return [(leases, "take", take)]


def beginning_by_a_schedule_is_tried_once() -> list[Change]:
    async def fire(workspace: Any, scheduled_run: Any, config: Any, enqueue: Any) -> Any:
        return await enqueue(await schedules.begin(workspace, scheduled_run, config))

    return [(worker, "fire", fire)]


def time_of_a_schedule_is_not_forgotten() -> list[Change]:
    async def finish(c: Any, scheduled_run: Any) -> None:
        return None

    return [(schedules, "finish", finish)]


def time_of_a_schedule_is_left_to_a_worker_that_never_heard_of_it() -> list[Change]:
    return [(schedules, "_LEFT", schedules._LEFT.replace("g.worker = $1 or", ""))]


def time_of_a_schedule_is_forgotten_after_the_queueing() -> list[Change]:
    async def submit_once(c: Any, debate: str, scheduled_run: Any) -> Any:
        job = await jobs.find(c, debate)
        return job or await jobs.submit(c, debate, "", 5, 0.0)

    async def begin(self: Any, scheduled_run: Any) -> None:
        await usual(self, scheduled_run)
        with suppress(QueueError):
            await self.database.do(partial(schedules.finish, scheduled_run=scheduled_run))

    usual = worker.Worker._begin
    left = schedules._LEFT.replace("g.worker = $1 or", "")
    return [(schedules, "submit_once", submit_once), (worker.Worker, "_begin", begin), (schedules, "_LEFT", left)]


def schedule_queues_its_ended_debate_again() -> list[Change]:
    async def submit_once(c: Any, debate: str, scheduled_run: Any) -> Any:
        await schedules.finish(c, scheduled_run)
        return await jobs.submit(c, debate, "", 5, 0.0)

    return [(schedules, "submit_once", submit_once)]


def debate_does_not_wait_for_its_provider() -> list[Change]:
    return [(lease_runs.LeaseRuns, "_ending", _with_wait(lambda tries: 0.0))]


def waits_for_a_provider_do_not_grow() -> list[Change]:
    return [(lease_runs.LeaseRuns, "_ending", _with_wait(lambda tries: lease_runs.AWAY))]


def _with_wait(seconds: Any) -> Any:
    usual = lease_runs.LeaseRuns._ending

    async def ending(self: Any, outcome: Any, leased: Any) -> Any:
        result = await usual(self, outcome, leased)
        return replace(result, after=seconds(leased.lease.tries)) if outcome.kind == "unavailable" else result

    return ending


def times_of_a_schedule_that_were_missed_begin_debates() -> list[Change]:
    return [(schedules, "_DUE", schedules._DUE.replace("next < clock_timestamp() - $1", "$1 < 0 and 0 < $1"))]


def time_of_a_schedule_is_that_of_the_look() -> list[Change]:
    words = schedules._FIRED.replace("$2", "coalesce(clock_timestamp(), $2)")
    return [(schedules, "_FIRED", words)]


def what_is_submitted_while_a_debate_ends_is_overlooked() -> list[Change]:
    usual = leases.end

    async def end(c: Any, lease: Any, ending: Any) -> Any:
        await c.execute("update folkmoot_job set again = false where debate = $1", lease.debate)
        return await usual(c, lease, ending)

    return [(leases, "end", end)]


def submission_after_a_withdrawal_dies_with_the_worker() -> list[Change]:
    usual = leases.watch

    async def watch(c: Any) -> Any:
        for job in await c.fetch(leases._LOST):
            if job["stop"]:
                await jobs.move(c, job["debate"], "cancelled", "it was cancelled")
        return await usual(c)

    return [(leases, "watch", watch)]


def requests_in_a_minute_are_not_counted() -> list[Change]:
    return [(provider_limits.Allowed, "_take_slot", _without("requests"))]


def tokens_in_a_minute_are_not_counted() -> list[Change]:
    return [(provider_limits.Allowed, "_take_slot", _without("tokens"))]


def _without(kind: str) -> Any:
    """Take a slot as if there were no limit of that kind."""
    usual = provider_limits.Allowed._take_slot

    async def take_slot(self: Any, c: Any, tokens: int) -> Any:
        free = replace(self, allowance=replace(self.allowance, **{kind: None}))
        return await usual(free, c, tokens)

    return take_slot


def worker_does_not_hear_of_a_withdrawal() -> list[Change]:
    async def beat(c: Any, sender: Any, debates: Any) -> Any:
        return {debate: (epoch, "") for debate, (epoch, _) in (await usual(c, sender, debates)).items()}

    usual = leases.beat
    return [(leases, "beat", beat)]


def heartbeat_withdraws_what_nobody_has_withdrawn() -> list[Change]:
    usual = worker.Worker._on_heartbeat

    def on_heartbeat(self: Any, result: Any) -> None:
        usual(self, result)
        for leased in self._held.values():
            leased.ask("cancel", now=False)

    return [(worker.Worker, "_on_heartbeat", on_heartbeat)]
