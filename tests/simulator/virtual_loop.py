"""The event loop of a simulation: virtual time, seeded order of tasks, and processes that can be killed or frozen.

Time jumps to the next timer as soon as nothing is ready. Of the tasks that are ready the seed chooses one; plain
callbacks keep their order. Work for a thread is done in place and answered later. Files, sockets and names of hosts
are refused, because nobody could repeat them.

A process is the number that stands in the context of a task. A killed process loses all that it would still do, without
any ``finally``, as with SIGKILL. What a frozen one would do is kept until it is thawed, as with SIGSTOP.
"""

import asyncio
import selectors
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from random import Random
from typing import Any, TypeVar, cast

T = TypeVar("T")

PROCESS: ContextVar[int] = ContextVar("PROCESS", default=0)
"""The process to which the running task belongs; 0 for the world around all of them."""

MOST_STEPS = 200_000
"""Steps after which a run counts as one that never ends."""


CLOSED = "Event loop is closed"

MOST_CLEANUPS = 50
"""How often a task of the dead may wait while it is cleaned up."""


class Stuck(RuntimeError):
    """Nothing can go on, or something goes on for ever."""


class OutsideWorld(RuntimeError):
    """Something that no seed can repeat was wanted: a file, a socket, the name of a host."""


class _Numbered(asyncio.Task[T]):
    """A task that is hashed by its number, so that the order of a set of tasks is the same in every run."""

    def __init__(self, coroutine: Coroutine[Any, Any, T], number: int, **more: Any) -> None:
        self.number = number
        super().__init__(coroutine, **more)

    def __hash__(self) -> int:
        return self.number


class _Handle(asyncio.TimerHandle):
    """A step, at once or at a time. A world has many: each is made and cancelled without all that asyncio asks.

    Attributes:
        at: its time.
        work: what is called, with ``more``; None where it was cancelled.
        context: in which it is called.
    """

    __slots__ = ("at", "context", "more", "work")

    def __init__(self, at: float, work: Callable[..., object], more: tuple[Any, ...], context: Context | None) -> None:
        self.at, self.more = at, more
        self.work: Callable[..., object] | None = work
        self.context = copy_context() if context is None else context

    def cancel(self) -> None:
        self.work, self.more = None, ()

    def cancelled(self) -> bool:
        return self.work is None

    def when(self) -> float:
        return self.at

    def __repr__(self) -> str:
        return f"<a step at {self.at}: {self.work}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def __lt__(self, other: object) -> bool:
        return False  # the heap has compared their times


class _NoFiles(selectors.BaseSelector):
    """A selector for a loop that reads no files but its own."""

    def __init__(self) -> None:
        self._keys: dict[int, selectors.SelectorKey] = {}
        self.sealed = False

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        if self.sealed:
            raise OutsideWorld(f"a file was waited for: {fileobj!r}")
        number = fileobj if isinstance(fileobj, int) else fileobj.fileno()
        key = self._keys[number] = selectors.SelectorKey(fileobj, number, events, data)
        return key

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._keys.pop(fileobj if isinstance(fileobj, int) else fileobj.fileno())

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return []

    def get_map(self) -> dict[int, selectors.SelectorKey]:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self._keys


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop in virtual time.

    Args:
        seed: what the order of tasks is drawn from; "" keeps the order in which they became ready.

    Attributes:
        steps: how many steps were run.
        errors: what the loop was told of exceptions that nobody took.
    """

    def __init__(self, seed: str = "") -> None:
        selector = _NoFiles()
        self._now, self.steps = 0.0, 0
        self._random = Random(seed) if seed else None
        self._dead: set[int] = set()
        self._frozen: dict[int, list[_Handle]] = {}
        self._tasks: dict[int, list[asyncio.Task[Any]]] = {}
        self._count = 0
        self.errors: list[str] = []
        super().__init__(selector)
        selector.sealed = True
        self.set_task_factory(self._make_task)
        self.set_exception_handler(self._note_error)

    # What asyncio keeps within; each supported Python is tested to have it.
    _ready: "deque[_Handle]"
    _scheduled: "list[tuple[float, _Handle]]"
    _stopping: bool
    _closed: bool

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._now

    # ---- processes -----------------------------------------------------------------------------------------------

    def start(self, process: int, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run a coroutine as the first task of a process."""
        context = copy_context()
        context.run(PROCESS.set, process)
        return self._make_task(self, work, context=context)

    def kill(self, process: int) -> None:
        """End a process at once; nothing of it runs any more."""
        self._dead.add(process)
        self._frozen.pop(process, None)

    def freeze(self, process: int) -> None:
        """Stop a process until it is thawed."""
        if process not in self._dead:
            self._frozen.setdefault(process, [])

    def thaw(self, process: int) -> None:
        """Let a frozen process go on."""
        self._ready.extend(self._frozen.pop(process, []))

    def is_dead(self, process: int) -> bool:
        """Whether a process was killed."""
        return process in self._dead

    def is_frozen(self, process: int) -> bool:
        """Whether a process is frozen now."""
        return process in self._frozen

    def tasks_of(self, process: int) -> list[asyncio.Task[Any]]:
        """The tasks of a process that have not ended."""
        return [task for task in self._tasks.get(process, ()) if not task.done()]

    def timers_of(self, process: int) -> list[str]:
        """What a process has left to be called later, by the names of its own functions."""
        left = [timer for _, timer in self._scheduled if timer.context.get(PROCESS, 0) == process]
        names = [getattr(timer.work, "__module__", "") or "" for timer in left if timer.work is not None]
        return [name for name in names if name.startswith("folkmoot.") and not name.startswith("folkmoot.testing.")]

    def bury(self) -> None:
        """Close the loop. What is left of the dead ends here and changes nothing, for the run is over."""
        self._dead.update(self._tasks)
        everything = [task for tasks in self._tasks.values() for task in tasks]
        for task in everything:
            asyncio._unregister_task(task)  # tasks of the next world have the same numbers
        for task in [task for task in everything if not task.done()]:
            setattr(task, "_log_destroy_pending", False)  # noqa: B010
            work = task.get_coro()
            for _ in range(MOST_CLEANUPS):
                try:
                    cast("Coroutine[Any, Any, Any]", work).close()
                    break
                except BaseException:  # noqa: BLE001 # what is cleaned up may wait, and raise what it likes
                    continue
        self._ready.clear()
        self._scheduled.clear()
        self._tasks.clear()
        self._frozen.clear()
        self.set_task_factory(None)
        self.set_exception_handler(_ignore)
        self.close()

    # ---- the loop ------------------------------------------------------------------------------------------------

    def _make_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, T] | Generator[Any, None, T], **more: Any
    ) -> asyncio.Task[T]:
        self._count += 1
        task: asyncio.Task[T] = _Numbered(cast("Coroutine[Any, Any, T]", work), self._count, loop=loop, **more)
        context: Context | None = more.get("context")
        process = PROCESS.get() if context is None else context.get(PROCESS, 0)
        # The tasks of the dead are kept, too: Python would run what stands in their ``finally`` else.
        self._tasks.setdefault(process, []).append(task)
        return task

    def _note_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.errors.append(f"{context.get('message')}: {context.get('exception')!r}")

    def _asyncgen_finalizer_hook(self, agen: Any) -> None:
        """Leave an unfinished generator alone, instead of a new task that finishes it."""

    def call_at(
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """As asyncio does it, for each of the many waits of a world."""
        if self._closed:
            raise RuntimeError(CLOSED)
        timer = _Handle(when, callback, args, context)
        heappush(self._scheduled, (when, timer))
        return timer

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """The same, from now."""
        if self._closed:
            raise RuntimeError(CLOSED)
        when = self._now + delay
        timer = _Handle(when, callback, args, context)
        heappush(self._scheduled, (when, timer))
        return timer

    def call_soon(self, callback: Callable[..., object], *args: Any, context: Context | None = None) -> asyncio.Handle:
        """The same, without time between."""
        if self._closed:
            raise RuntimeError(CLOSED)
        handle = _Handle(self._now, callback, args, context)
        self._ready.append(handle)
        return handle

    def _run_once(self) -> None:
        """Run steps until the loop is to stop; asyncio asks for a single one and calls again."""
        ready, scheduled, frozen, dead = self._ready, self._scheduled, self._frozen, self._dead
        while not self._stopping:
            while scheduled and scheduled[0][1].work is None:
                heappop(scheduled)
            if not ready:
                self._jump()
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Stuck(f"it still runs after {MOST_STEPS} steps")
            handle = self._next_handle() if len(ready) > 1 else ready.popleft()
            if (work := handle.work) is None:
                continue
            if dead or frozen:
                process = handle.context.get(PROCESS, 0)
                if process in dead:
                    continue
                if process in frozen:
                    frozen[process].append(handle)
                    continue
            try:
                handle.context.run(work, *handle.more)
            except (SystemExit, KeyboardInterrupt):
                raise
            except BaseException as error:  # noqa: BLE001 # asyncio keeps whatever a callback raises
                self.call_exception_handler({"message": "a callback has failed", "exception": error})

    def _jump(self) -> None:
        """Let time pass until the next timer. A little passes always, as with real clocks: else what waits for the rest
        of a rounding error waits for ever."""
        ready, scheduled = self._ready, self._scheduled
        if not scheduled:
            raise Stuck("nothing is ready, and no timer runs")
        now = self._now = max(self._now + 1e-9, scheduled[0][0])
        while scheduled and scheduled[0][0] <= now:
            timer = heappop(scheduled)[1]
            if timer.work is not None:
                ready.append(timer)

    def _next_handle(self) -> _Handle:
        """Of several that are ready the one whose turn it is."""
        ready = self._ready
        if self._random is not None and _is_step(ready[0]):
            places = [place for place, handle in enumerate(ready) if _is_step(handle)]
            place = places[int(self._random.random() * len(places))]
            handle = ready[place]
            del ready[place]
            return handle
        return ready.popleft()

    # ---- threads and the outside world ---------------------------------------------------------------------------

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        """Do the work of a thread in place; whoever waits hears of it a little later."""
        answer: asyncio.Future[T] = self.create_future()
        try:
            value = func(*args)
        except Exception as error:  # noqa: BLE001 # a thread hands on whatever happens
            self.call_later(0.001, _fail, answer, error)
        else:
            self.call_later(0.001, _answer, answer, value)
        return answer

    def call_soon_threadsafe(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """As ``call_soon``: there are no other threads."""
        return self.call_soon(callback, *args, context=context)

    async def getaddrinfo(self, *args: Any, **more: Any) -> Any:
        """Refused."""
        raise OutsideWorld("the name of a host was looked up")

    async def create_connection(self, *args: Any, **more: Any) -> Any:
        """Refused."""
        raise OutsideWorld("a connection was opened")


def _ignore(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Nobody asks any more what the dead have left."""


def _is_step(handle: _Handle) -> bool:
    return isinstance(getattr(handle.work, "__self__", None), asyncio.Task)


def _answer(answer: "asyncio.Future[T]", value: T) -> None:
    if not answer.done():
        answer.set_result(value)


def _fail(answer: "asyncio.Future[Any]", error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)
