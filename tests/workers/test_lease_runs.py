"""When a debate that waits for people goes on, whatever has happened since it has paused; no database is needed."""

import json
from collections.abc import Awaitable, Callable, Sequence

import pytest

from folkmoot.app.run.fork import chain_lines
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Reply
from folkmoot.core.brief import Participant
from folkmoot.core.event import Entry, Replied
from folkmoot.models.http_port import HttpPort
from folkmoot.models.pool import Pool
from folkmoot.record.mailbox import Mailbox
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.workers.jobs import Ending, Lease
from folkmoot.workers.lease_runs import LeasedDebate, LeaseRuns, WorkerSettings
from folkmoot.workers.leases import FencedStore
from tests.app.run.people_kit import Time, person, table
from tests.app.run.people_kit import workspace as workspace_of
from tests.models.models_kit import HASTY, Canned, Page, environment

ASK = "/debate/propose#1"

REFUSALS = {
    400: "your credit balance is too low",
    401: "no such key",
    402: "payment required",
    404: "no such model",
    429: "too many requests",
    503: "overloaded",
}
"""What a provider says with each status."""


class Noticing(InMemoryStore):
    """Calls somebody as soon as a debate has paused."""

    def __init__(self, then: Callable[[InMemoryStore], Awaitable[None]]) -> None:
        super().__init__()
        self._then = then

    async def append(self, debate: str, lines: Sequence[str], *, after: int) -> None:
        await super().append(debate, lines, after=after)
        if '"kind":"paused"' in lines[-1]:
            await self._then(self)


async def never() -> None:
    raise AssertionError("the record can be read")


async def ending_of(place: Workspace, *people: Participant, others: int = 1) -> Ending:
    """How a worker's run of a debate with these people ends."""
    plan = place.plan(table(*people, others=others), protocol="council", models=("builtin:quotes",))
    opened = Entry(seq=1, at=place.clock(), event=plan.opened(), prev="")
    await place.store.append("tea", chain_lines([opened]), after=0)
    fence = FencedStore(place.store, lambda: 0.0)
    fence.open("tea", 10.0)
    runs = LeaseRuns(place, WorkerSettings(address="", name="w1"), fence, never)
    return await runs.run("tea", LeasedDebate(lease=Lease(debate="tea", epoch=1, tries=1)))


async def test_a_debate_waits_until_the_first_time_of_its_people_is_up() -> None:
    ending = await ending_of(workspace_of(), person("Ada", deadline=600.0), person("Bo", deadline=60.0), person("Cy"))
    assert (ending.state, ending.wake) == ("waiting", 60.0)


async def test_a_debate_without_a_deadline_waits_for_its_answer_alone() -> None:
    ending = await ending_of(workspace_of(), person("Ada"))
    assert (ending.state, ending.wake) == ("waiting", None)


async def test_a_debate_whose_time_was_up_while_it_paused_goes_on_at_once() -> None:
    time = Time()

    async def pass_time(store: InMemoryStore) -> None:
        time.now += 61.0

    place = workspace_of(time, Noticing(pass_time))
    ending = await ending_of(place, person("Ada", deadline=60.0), person("Bo", deadline=600.0))
    assert (ending.state, ending.wake) == ("waiting", 0.0)
    assert (await place.resume("tea")).transcript.get(ASK).failure == "Ada gave no answer in time"


@pytest.mark.parametrize("deadline", [None, 60.0])
async def test_a_debate_whose_answer_came_while_it_paused_goes_on_at_once(deadline: float | None) -> None:
    async def post(store: InMemoryStore) -> None:
        reply = Reply(text="Tea.", asked="human")
        await Mailbox(InMemoryStore(store.kept), "tea", clock=Time()).post(Replied(key=ASK, reply=reply))

    place = workspace_of(store=Noticing(post))
    ending = await ending_of(place, person("Ada", deadline=deadline), person("Bo"))
    assert (ending.state, ending.wake) == ("waiting", 0.0)
    assert (await place.resume("tea")).transcript.get(ASK).text == "Tea."


@pytest.mark.parametrize(
    ("status", "state"),
    [(401, "parked"), (402, "parked"), (404, "parked"), (400, "parked"), (429, "queued"), (503, "queued")],
)
async def test_what_only_a_person_can_mend_is_not_tried_again(status: int, state: str) -> None:
    def refuse(url: str, proxied: bool) -> HttpPort:
        return Canned(Page(json.dumps({"error": {"message": REFUSALS[status]}}).encode(), status=status))

    pool = Pool(env=environment("http://127.0.0.1:9"), retry=HASTY, http=refuse)
    place = Workspace(InMemoryStore(), pool=pool, clock=Time())
    ending = await ending_of(place, *(Participant(name=name, seat="openai:m") for name in ("Ann", "Bo")), others=0)
    assert (ending.state, ending.after > 0) == (state, state == "queued")
