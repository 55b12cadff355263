"""How `folkmoot queue` shows a queue, without a database."""

import pytest

from folkmoot.app.run.dispatcher import Job, QueueStatus
from folkmoot.cli.display.queue_table import queue_table, status_lines
from folkmoot.cli.display.text_layout import local_time


def test_a_queue_without_workers_and_debates_says_what_to_start() -> None:
    assert status_lines(QueueStatus(), 0.0) == [
        "No worker is running. Start one with: folkmoot worker",
        "The queue is empty. Start with: folkmoot submit BRIEF",
    ]


def test_a_queue_says_its_workers_its_totals_and_since_when_the_oldest_waits() -> None:
    status = QueueStatus(workers=1, places=8, counts={"done": 12, "queued": 1, "running": 2}, oldest=1_000_000.0)
    assert status_lines(status, 1_000_090.0) == [
        "1 worker with 8 places",
        "debates: 1 queued, 2 running, 12 done",
        f"the oldest waits since {local_time(1_000_000.0)} (1 minute)",
    ]


def test_a_table_tells_stopping_from_cancelled_and_shows_priority_and_when_a_debate_begins(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    queue_table(
        [
            Job(debate="a", state="running", worker="w1", stopping=True, priority=3),
            Job(debate="b", state="cancelled", reason="it was cancelled"),
            Job(debate="c", state="queued", since=1_000_000.0, begins=1_003_600.0),
        ]
    )
    header, first, second, third = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert first.split()[:4] == ["stopping", "a", "3", "w1"]
    assert first.index("3") == header.index("priority")
    assert second.split()[:2] == ["cancelled", "b"]
    assert third.endswith(f"begins {local_time(1_003_600.0)}")
