"""`folkmoot worker submit`, `folkmoot worker queue` and `folkmoot worker`, as they are typed."""

import asyncio
import json
import os
import re
import signal
import threading
from pathlib import Path

import pytest

from folkmoot.app.serve import hang_up
from folkmoot.record.postgres import PostgresStore
from tests.cli.commands import folkmoot

QUESTION = "Should we rent or own the mail server?"


@pytest.fixture(autouse=True)
def server(temporal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEMPORAL_ADDRESS", temporal)


async def look(address: str, question: str, *values: object) -> object:
    store = PostgresStore.open(address)
    try:
        return await store.transaction(lambda c: c.fetchval(question, *values))
    finally:
        await store.close()


def state(address: str, debate: str) -> object:
    return asyncio.run(look(address, "select state from folkmoot_wanted where debate = $1", debate))


def test_what_is_submitted_stands_in_the_table_and_can_be_cancelled_and_retried(database: str, tmp_path: Path) -> None:
    here = {"FOLKMOOT_STORE": database}
    assert folkmoot(tmp_path, "worker", "queue", **here).output.splitlines() == [
        "No worker is running. Start one with: folkmoot worker",
        "The queue is empty. Start with: folkmoot worker submit BRIEF",
    ]
    result = folkmoot(
        tmp_path, "worker", "submit", QUESTION, "-m", "builtin:quotes", "--owner", "anna", "--priority", "2", **here
    )
    assert result.exit_code == 0
    debate = result.stdout.strip()
    assert result.stderr == "folkmoot: no worker is running; start one with: folkmoot worker\n"
    [job] = json.loads(folkmoot(tmp_path, "worker", "queue", "--json", **here).output)["debates"]
    assert (job["debate"], job["state"], job["owner"], job["priority"]) == (debate, "queued", "anna", 2)
    assert debate in folkmoot(tmp_path, "worker", "queue", "--state", "queued", **here).output
    shown = folkmoot(tmp_path, "worker", "queue", "--owner", "anna", **here).output
    assert "debates: 1 queued" in shown
    assert "the oldest waits since" in shown
    header, row = shown.splitlines()[-2:]
    assert row[header.index("priority")] == "2"
    assert debate not in folkmoot(tmp_path, "worker", "queue", "--owner", "bert", **here).output
    status = json.loads(folkmoot(tmp_path, "worker", "queue", "--json", **here).output)["status"]
    assert (status["workers"], status["places"], status["counts"]) == (0, 0, {"queued": 1})
    assert status["oldest"] == pytest.approx(job["since"], abs=0.5)
    assert folkmoot(tmp_path, "worker", "cancel", "last", **here).output == f"{debate}: cancelled\n"
    again = folkmoot(tmp_path, "worker", "cancel", "--store", database, debate, FOLKMOOT_STORE="")
    assert (again.exit_code, "is not queued, running or waiting" in again.output) == (1, True)
    assert folkmoot(tmp_path, "worker", "retry", debate, **here).output == f"{debate}: queued\n"
    assert json.loads(folkmoot(tmp_path, "worker", "queue", "--json", **here).output)["debates"][0]["owner"] == "anna"


def rows(address: str, debate: str) -> dict[str, object]:
    """How many rows of each table speak of a debate."""
    question = "select count(*) from {} where debate = $1 or debate like $1 || '/%'"
    tables = ("folkmoot_line", "folkmoot_wanted")
    return {table: asyncio.run(look(address, question.format(table), debate)) for table in tables}


def test_what_is_deleted_leaves_the_queue_too(database: str, tmp_path: Path) -> None:
    here = {"FOLKMOOT_STORE": database}
    debate, other = (
        folkmoot(tmp_path, "worker", "submit", QUESTION, "-m", "builtin:quotes", **here).stdout.strip()
        for _ in range(2)
    )
    refused = folkmoot(tmp_path, "store", "delete", "-y", debate, **here)
    assert (refused.exit_code, "is in the queue (queued); cancel it first" in refused.output) == (1, True)
    assert rows(database, debate) == {"folkmoot_line": 1, "folkmoot_wanted": 1}
    assert folkmoot(tmp_path, "worker", "cancel", debate, **here).exit_code == 0
    result = folkmoot(tmp_path, "store", "delete", "-y", "--force", debate, **here)
    assert (result.exit_code, result.output) == (0, f"{debate}: deleted 1 entry\n")
    assert rows(database, debate) == {"folkmoot_line": 0, "folkmoot_wanted": 0}
    assert debate not in folkmoot(tmp_path, "worker", "queue", **here).output
    assert folkmoot(tmp_path, "store", "delete", "-y", "--force", other, **here).exit_code == 0
    assert rows(database, other) == {"folkmoot_line": 0, "folkmoot_wanted": 0}
    assert "The queue is empty" in folkmoot(tmp_path, "worker", "queue", **here).output


def test_a_debate_that_was_never_submitted_can_be_given_to_workers(database: str, tmp_path: Path) -> None:
    here = {"FOLKMOOT_STORE": database}
    assert folkmoot(tmp_path, "run", QUESTION, "-m", "builtin:quotes", "--quiet", "--no-report", **here).exit_code == 0
    assert folkmoot(tmp_path, "worker", "retry", "last", **here).output.endswith(": queued\n")


@pytest.mark.parametrize(("how", "number"), [((), signal.SIGTERM), (("--log-json",), signal.SIGHUP)])
def test_a_worker_holds_what_is_there_and_ends_when_it_is_asked_to(
    database: str, tmp_path: Path, how: tuple[str, ...], number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hang_up, "open_terminals", tuple)  # those of the tests stay as they are
    if number == signal.SIGHUP:
        signal.signal(number, signal.SIG_DFL)  # it may be ignored where the tests run
    here = {"FOLKMOOT_STORE": database}
    debate = folkmoot(tmp_path, "worker", "submit", QUESTION, "-m", "builtin:quotes", **here).stdout.strip()
    over = threading.Event()

    def watch() -> None:
        while not over.wait(0.1) and state(database, debate) != "done":
            pass
        os.kill(os.getpid(), number)

    thread = threading.Thread(target=watch)
    thread.start()
    result = folkmoot(tmp_path, "worker", "--name", "here", *how, **here)
    over.set()
    thread.join()
    assert (result.exit_code, result.stdout) == (0, ""), result.output
    lines = result.stderr.splitlines()
    if not how:
        assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ INFO    ", line) for line in lines), lines
        assert "Z INFO    here-" in lines[0]
        assert any(line.endswith(f"{debate}: done") for line in lines)
        assert lines[-1].endswith("handed on or finished")
        return
    notes = [json.loads(line) for line in lines]
    assert [note["event"] for note in notes] == ["started", "taken", "ended", "draining", "stopped"]
    assert (notes[2]["debate"], notes[2]["state"], notes[2]["level"]) == (debate, "done", "INFO")
    assert all(note["worker"].startswith("here-") and note["at"] > 1_700_000_000 for note in notes)


def test_what_needs_a_queue_says_so_where_there_is_none(tmp_path: Path) -> None:
    for words in (("worker",), ("worker", "submit", QUESTION), ("worker", "queue"), ("worker", "retry", "last")):
        result = folkmoot(tmp_path, *words)
        assert result.exit_code == 2
        assert "a queue needs a store that many machines share" in result.output


def test_a_worker_s_name_is_checked_before_any_work(database: str, tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "worker", "--name", "a b", FOLKMOOT_STORE=database)
    assert (result.exit_code, "A worker's name must have 1 to 40 letters" in result.output) == (2, True)
