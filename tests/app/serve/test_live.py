"""Live viewers of a debate: whoever looks on, at whatever pace, is shown every entry once and in order."""

import asyncio
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from folkmoot.app.run.workspace import Workspace
from folkmoot.app.serve.live import Live, Overrun, Viewer
from folkmoot.app.serve.visibility import Reader
from folkmoot.core.event import Asked, Delta
from folkmoot.record import hub
from folkmoot.record.store import decode
from folkmoot.testing.store_checks import InMemoryStore
from tests.paths import RECORDS

LINES = tuple((RECORDS / "v2-round_robin.jsonl").read_text("utf-8").splitlines())
KEY = next(event.ask.key for event in (decode(line).event for line in LINES) if isinstance(event, Asked))


class Watched:
    """Lines of a debate that are stored and published as they are told."""

    def __init__(self, lines: Sequence[str], most: int) -> None:
        self.store, self.lines, self.stored = InMemoryStore(), lines, 0
        self.workspace = Workspace(self.store)
        self.workspace.hub = hub.Hub(self.store, most=most, gather=0)
        self.live = Live(self.workspace)

    async def tell(self, count: int) -> None:
        """Store and publish so many more lines."""
        new = self.lines[self.stored : self.stored + count]
        await self.store.append("d", new, after=self.stored)
        numbered = [hub.StoredLine(seq, line) for seq, line in enumerate(new, self.stored + 1)]
        self.stored += len(new)
        self.workspace.hub.publish("d", numbered)

    async def watch(self, reader: Reader, after: int, naps: int, *, resync: bool) -> list[int]:
        """The numbers of the entries that a viewer is shown, one who naps after each batch; it comes back when told."""
        numbers: list[int] = []
        while True:
            with self.live.watching("d", reader) as group:
                viewer = Viewer(self.store, group, numbers[-1] if numbers else after, beat=0.01, resync=resync)
                try:
                    while (items := await viewer.take()) is not None:
                        numbers += [item.seq for item in items if item.seq]
                        for _ in range(naps):
                            await asyncio.sleep(0)
                    return numbers
                except Overrun:  # it comes back behind what it has
                    continue


WATCHERS = st.tuples(st.sampled_from((None, "")), st.integers(0, 9), st.integers(0, 40), st.booleans())


@given(
    viewers=st.lists(WATCHERS, min_size=1, max_size=5),
    steps=st.lists(st.integers(0, 9), max_size=12),
    most=st.integers(1, 9),
)
def test_viewers_of_any_pace_are_shown_every_entry_once(
    viewers: list[tuple[Reader, int, int, bool]], steps: list[int], most: int
) -> None:
    async def play() -> None:
        watched = Watched(LINES, most)
        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            watching = [
                group.create_task(watched.watch(reader, after, naps, resync=resync))
                for reader, after, naps, resync in viewers
            ]
            for step in [*steps, len(watched.lines)]:
                await watched.tell(step)
                if any(KEY in line for line in watched.lines[: watched.stored]):
                    watched.workspace.hub.signal("d", Delta(key=KEY, text="a piece"))
                for _ in range(step):
                    await asyncio.sleep(0)
        for (_, after, _, _), task in zip(viewers, watching, strict=True):
            assert task.result() == list(range(after + 1, len(watched.lines) + 1))
        assert not watched.live.groups

    asyncio.run(play())
