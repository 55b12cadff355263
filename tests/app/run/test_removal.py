"""Deletion where the command line cannot reach it: queues, damaged records, stores that cannot delete."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.run.dispatcher import Job, State
from folkmoot.app.run.removal import remove
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.errors import RecordConflict, RecordError
from folkmoot.record.sqlite import SqliteStore
from folkmoot.record.store import StreamInfo
from folkmoot.testing.store_checks import InMemoryStore

BRIEF = Brief(
    topic="Tea or coffee?",
    participants=tuple(Participant(name=name, seat="builtin:quotes") for name in ("Ann", "Bob")),
)


class Queue:
    """A queue that knows one job."""

    def __init__(self, state: State) -> None:
        self.state: State = state
        self.forgotten = ""

    async def job(self, debate: str) -> Job:
        return Job(debate=debate, state=self.state)

    async def forget(self, debate: str) -> bool:
        self.forgotten = debate
        return True

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(("state", "stays"), [("queued", True), ("running", True), ("waiting", True), ("done", False)])
async def test_what_is_in_a_queue_is_deleted_only_by_force(state: State, stays: bool) -> None:
    workspace = Workspace(InMemoryStore())
    await workspace.run(workspace.plan(BRIEF), "tea")
    queue = workspace.queue = Queue(state)  # type: ignore[assignment]
    if stays:
        with pytest.raises(RecordConflict, match=rf"tea is in the queue \({state}\); cancel it first"):
            await remove(workspace, "tea")
        assert queue.forgotten == ""
    removed = await remove(workspace, "tea", force=stays)
    assert (removed.debate, removed.messages, removed.learned, removed.forks) == ("tea", 0, False, ())
    assert queue.forgotten == "tea"
    assert await workspace.list() == ()


async def test_an_unfinished_debate_can_be_deleted_once_nobody_can_be_running_it() -> None:
    values: dict[str, list[str]] = {}
    now = [1000.0]
    workspace = Workspace(InMemoryStore(values), clock=lambda: now[0])
    await workspace.run(workspace.plan(replace(BRIEF, limits=Limits(turn_seconds=10))), "tea")
    del values["tea"][3:]
    with pytest.raises(RecordConflict, match="another machine may run it; wait 10 s, or use --force"):
        await remove(workspace, "tea")
    now[0] += 11
    assert (await remove(workspace, "tea")).entries == 3


async def test_a_damaged_record_can_be_deleted_and_harms_no_other() -> None:
    values = {"bad": ["{}"], "bad/letters": ["x"], "other": ["{}"]}
    workspace = Workspace(InMemoryStore(values))
    removed = await remove(workspace, "bad")
    assert (removed.entries, removed.messages, list(values)) == (1, 1, ["other"])


async def test_what_is_not_there_and_what_cannot_be_deleted_is_said() -> None:
    with pytest.raises(RecordError, match="there is no debate 'tea'"):
        await remove(Workspace(InMemoryStore()), "tea")

    class Keeps:
        def __init__(self) -> None:
            inner = InMemoryStore()
            self.append, self.read, self.debates, self.close = inner.append, inner.read, inner.debates, inner.close

    with pytest.raises(RecordError, match="nothing can be deleted from this store"):
        await remove(Workspace(Keeps()), "tea")


def _files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.iterdir()]


async def test_nothing_of_a_deleted_record_stays_in_the_file(tmp_path: Path) -> None:
    workspace = Workspace.at(tmp_path / "own.sqlite")
    store = workspace.store
    await store.append("secret", ["the word is xylophone " * 400], after=0)
    await store.append("other", ["y"], after=0)
    assert isinstance(store, SqliteStore)
    await store.remove(["secret"])
    assert not any(b"xylophone" in data for data in _files(tmp_path))
    reader = SqliteStore.open(tmp_path / "own.sqlite", reading=True)
    with pytest.raises(RecordError, match="it may only be read"):
        await reader.remove(["other"])
    await reader.close()
    await workspace.close()


async def test_a_deletion_goes_through_no_list_of_all_streams(tmp_path: Path) -> None:
    class Unlisted(SqliteStore):
        async def debates(self) -> tuple[StreamInfo, ...]:
            raise AssertionError("all streams are read")

    workspace = Workspace(Unlisted.open(tmp_path / "own.sqlite"))
    await workspace.run(workspace.plan(BRIEF), "tea")
    for stream in ("tea/letters", "tea/access/letters", "tea/memory/letters", "tea/said/letters"):
        await workspace.store.append(stream, ("x",), after=0)
    assert (await remove(workspace, "tea")).messages == 4
    assert await workspace.store.read("tea/said/letters") == ()
    await workspace.close()
