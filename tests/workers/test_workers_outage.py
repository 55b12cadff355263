"""A database that goes and comes back, as a worker tells of it."""

import asyncio
import json
import signal
import threading
from collections.abc import Generator

import pytest

from folkmoot.app.run.dispatcher import QueueAway
from folkmoot.core.event import Closed
from folkmoot.record.store import read
from folkmoot.workers.leases import Lost
from folkmoot.workers.worker_log import Note, WorkerLog
from folkmoot.workers.worker_outage import Outage
from tests.record.pg import Postgres, running
from tests.workers.workers_kit import LEASE, Turned, house, until

pytestmark = pytest.mark.alone


@pytest.fixture(scope="module")
def own_server() -> Generator[Postgres]:
    """A server that may be stopped."""
    with running() as server:
        yield server


def stop(server: Postgres) -> None:
    """Stop it at once; whoever is connected is cut off."""
    postmaster = server.server.get_postmaster_info().process
    assert postmaster
    postmaster.send_signal(signal.SIGINT)
    postmaster.wait(120)


@pytest.mark.parametrize("leases", [0.2, 2.0])
async def test_a_worker_says_that_its_database_is_away_and_goes_on_when_it_is_back(
    own_server: Postgres, leases: float
) -> None:
    model = Turned(waits=True)
    async with house(own_server.make(), model) as place:
        await place.queue.submit(await place.lay("cut", rounds=2))
        async with place.working():
            await model.asked.wait()
            await asyncio.to_thread(stop, own_server)
            try:
                await until(lambda: any("the database is away" in line for line in place.said))
                await asyncio.sleep(leases * LEASE)
                model.go.set()
                await asyncio.sleep(0.3)
            finally:
                await asyncio.to_thread(own_server.server.ensure_postgres_running)
            await place.until("cut", "done")
            await until(lambda: any("the database is back" in line for line in place.said))
        events = [entry.event for entry in read(await place.workspace.store.read("cut"))]
    text = "\n".join(place.said)
    assert isinstance(events[-1], Closed)
    assert text.count("the database is away: the queue cannot be reached: ") == 1, text
    assert text.count("the database is back after ") == 1, text
    assert "another worker" not in text
    if leases > 1:
        assert "cut: interrupted, because the database was away for longer than its lease" in text


def test_why_a_debate_was_lost_is_told_as_it_is() -> None:
    now, notes = 100.0, list[Note]()
    outage = Outage(notes.append, 15.0, lambda: now)
    assert not outage.end()
    assert outage.explain(Lost(worker="w2")) == "interrupted, because its lease has run out; worker w2 runs it now"
    outage.begin(QueueAway("the queue cannot be reached: its server is starting"))
    outage.begin(QueueAway("the queue cannot be reached: its server is starting"))
    away = "interrupted, because the database was away for longer than its lease; "
    assert outage.explain(Lost()) == f"{away}it will be queued again"
    now += 23.4
    assert outage.end()
    assert outage.explain(Lost(state="queued")) == f"{away}it is queued again"
    now += 15.1
    assert outage.explain(Lost(state="done")) == "interrupted, because its lease has run out; it is done by now"
    assert [(note.level, note.event, note.text) for note in notes] == [
        (
            "WARNING",
            "database away",
            "the database is away: the queue cannot be reached: its server is starting; trying again until it is back",
        ),
        ("INFO", "database back", "the database is back after 23 seconds"),
    ]


def test_a_log_has_times_and_levels_as_text_and_as_json() -> None:
    lines: list[str] = []
    note = Note(event="lost", debate="a-1", text="interrupted", level="WARNING")
    for as_json in (False, True):
        WorkerLog(lines.append, "w1", as_json=as_json, clock=lambda: 1_700_000_000.1234).take(note)
    assert lines[0] == "2023-11-14T22:13:20Z WARNING a-1: interrupted"
    assert json.loads(lines[1]) == {
        "at": 1_700_000_000.123,
        "level": "WARNING",
        "event": "lost",
        "worker": "w1",
        "debate": "a-1",
        "text": "interrupted",
    }


def test_a_log_that_nobody_reads_any_longer_ends_nothing() -> None:
    event = threading.Event()

    def broken(line: str) -> None:
        event.set()
        raise BrokenPipeError

    WorkerLog(broken, "w1", as_json=False).take(Note(event="started", text="here"))
    assert event.is_set()
