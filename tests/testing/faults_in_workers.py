"""Faults planted into our workers, leases and limits, by name; see ``planted_faults``."""
# pyright: reportPrivateUsage=false, reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false, reportUnknownParameterType=false

import asyncio
from dataclasses import replace
from typing import Any

from moot.app.run import people
from moot.workers import jobs, lease_runs, leases, worker

Change = tuple[Any, str, Any]


def fence_is_always_open() -> list[Change]:
    return [(leases.FencedStore, "lapsed", lambda self, debate: False)]


def leases_are_not_renewed() -> list[Change]:
    async def beat(self: Any) -> float:
        return self._who.seconds / 3

    return [(leases.Heartbeat, "_beat", beat)]


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


def worker_takes_more_than_it_has_places() -> list[Change]:
    usual = leases.take

    async def take(c: Any, worker: str, most: int, seconds: float) -> Any:
        return await usual(c, worker=worker, most=most + 1, seconds=seconds)

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
    usual = leases.Heartbeat._beat

    async def beat(self: Any) -> float:
        if self._fence.held:
            await asyncio.sleep(2 * self._who.seconds)
        return await usual(self)

    return [(leases.Heartbeat, "_beat", beat)]
