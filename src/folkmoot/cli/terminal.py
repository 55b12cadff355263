"""Run a debate at the terminal: what Ctrl-C and SIGTERM do, and showing a viewer what is recorded meanwhile."""

import asyncio
import errno
import os
import signal
from collections.abc import Callable, Coroutine, Generator
from contextlib import aclosing, closing, contextmanager
from dataclasses import dataclass, field

from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import StopRequest, Workspace, decode
from folkmoot.cli.display.live_screen import Viewer
from folkmoot.core.errors import FolkmootError, RecordError
from folkmoot.core.event import Delta, Entry

GRACE = 10.0
"""Seconds that the answers in progress have when the process is asked to end."""

TICK = 0.1


@dataclass(slots=True)
class Interrupt:
    """What a user's signals ask of a debate: first to stop after the answers in progress, then at once."""

    say: Callable[[str], None]
    leave: Callable[[], None] = lambda: None
    stop: StopRequest = field(default_factory=StopRequest)
    task: "asyncio.Task[object] | None" = None
    presses: int = 0
    terminals: tuple[int, ...] = field(default_factory=lambda: tuple(fd for fd in (0, 1, 2) if os.isatty(fd)))

    def press(self) -> None:
        """Ctrl-C."""
        self.presses += 1
        if self.presses == 1:
            self.stop.reason = "interrupted"
            self.leave()
            self.say("stopping after the answers in progress — press Ctrl-C again to stop at once")
        else:
            self.end()

    def end(self) -> None:
        """Stop at once."""
        if self.task:
            self.task.cancel()

    def terminate(self, reason: str = "terminated") -> None:
        """SIGTERM: the answers in progress have a little time."""
        self.stop.reason = reason
        self.leave()
        self.presses += 1
        asyncio.get_running_loop().call_later(GRACE, self.end)

    def hang_up(self) -> None:
        """SIGHUP: the terminal is gone, so nobody reads what is shown; the debate pauses as for SIGTERM."""
        from folkmoot.app.serve.hang_up import leave_terminals  # here for start-up time

        leave_terminals(self.terminals)
        self.terminals = ()
        self.terminate("the terminal was closed")


@dataclass(slots=True)
class HangUpViewer:
    """A viewer whose terminal may be closed: the debate then pauses.

    Args:
        viewer: the viewer.
        interrupt: is called when the terminal ends.
    """

    viewer: Viewer
    interrupt: Interrupt

    @property
    def pieces(self) -> bool:
        """See Viewer."""
        return self.viewer.pieces

    def take(self, item: Entry | Delta, raw: str) -> None:
        """See Viewer."""
        with self._hanging_up():
            self.viewer.take(item, raw)

    def tick(self) -> None:
        """See Viewer."""
        with self._hanging_up():
            self.viewer.tick()

    @contextmanager
    def _hanging_up(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            self.interrupt.hang_up()


@contextmanager
def listening(interrupt: Interrupt) -> Generator[None]:
    """Signals go to the interrupt; before and after they mean what they did."""
    loop = asyncio.get_running_loop()
    wanted = {signal.SIGINT: interrupt.press, signal.SIGTERM: interrupt.terminate}
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # nohup has it ignored
        wanted[signal.SIGHUP] = interrupt.hang_up

    def handler(number: int, frame: object) -> None:
        loop.call_soon_threadsafe(wanted[signal.Signals(number)])

    before = {number: signal.signal(number, handler) for number in wanted}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


async def conduct(
    workspace: Workspace, debate: str, running: Coroutine[object, object, Outcome], viewer: Viewer, interrupt: Interrupt
) -> Outcome | None:
    """Run a debate while a viewer is shown its record; ends when the debate is closed or paused.

    Returns:
        The outcome; None where it was cancelled.

    Raises:
        FolkmootError: it cannot run.
    """

    async def run() -> Outcome | FolkmootError:
        """An error becomes a value, so that the viewer is shown everything before it is raised."""
        try:
            return await running
        except FolkmootError as error:
            return error
        finally:
            workspace.hub.finish(debate)

    viewer = HangUpViewer(viewer, interrupt)
    with closing(running), listening(interrupt):
        after = await workspace.count_entries(debate)
        try:
            async with asyncio.TaskGroup() as group:
                interrupt.task = task = group.create_task(run())
                ticks = group.create_task(refresh(viewer.tick))
                await watch(workspace, debate, viewer, after=after)
                ticks.cancel()
        except BaseExceptionGroup as errors:
            # The viewer's error, such as an output that nobody reads; the debate was stopped for it and can be resumed.
            raise errors.exceptions[0] from errors
    if task.cancelled():
        return None
    result = task.result()
    if type(result) is RecordError and await _is_stored(workspace, debate):
        raise RecordError(f"{result} Mend that; then go on with: folkmoot resume {debate}") from result
    if isinstance(result, FolkmootError):
        raise result
    return result


async def _is_stored(workspace: Workspace, debate: str) -> bool:
    """Whether a debate that could not be written on has entries, so that it can be resumed."""
    try:
        return bool(await workspace.count_entries(debate))
    except RecordError:
        return True  # what cannot be read now may be there


async def refresh(tick: Callable[[], None]) -> None:
    """Update for ever what depends on the time."""
    while True:
        await asyncio.sleep(TICK)
        tick()


async def watch(workspace: Workspace, debate: str, viewer: Viewer, *, after: int = 0, live: bool = True) -> None:
    """Show a viewer the stored entries and the new ones, until the debate is closed or paused."""
    async with aclosing(workspace.follow_lines(debate, after=after, live=live, pieces=viewer.pieces)) as items:
        async for item in items:
            if isinstance(item, Delta):
                viewer.take(item, "")
            else:
                viewer.take(decode(item.text), item.text)
