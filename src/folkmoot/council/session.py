"""A council session: runs one step after the other on the same task, and retries or stops when a step fails.

The debates of one session have related ids: ``RUN-step0``, ``RUN-step1``, and ``RUN-step1-try2`` for a retry. By them a
session can be resumed in another process.
"""

import asyncio
import inspect
import secrets
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_calls import name_task, run_of, stop_streams, stream, whole, words
from folkmoot.app.run.api import run_blocking
from folkmoot.core.brief import Limits
from folkmoot.core.errors import BriefError, ModelError, RecordError, Waiting
from folkmoot.core.text import slug
from folkmoot.council.agent_wrapper import Context
from folkmoot.council.step_results import StepResult
from folkmoot.council.steps import (
    CouncilEvent,
    EventListener,
    EventType,
    RecordedStep,
    Step,
    StepHost,
    count_tries,
    task_of,
)

Fallback: TypeAlias = Step | Callable[[str, Context], Any]
"""What takes the place of a step that failed: another step, or a function of the task and the context."""

STRATEGIES = ("halt", "continue", "retry", "fallback")
MOST_RETRIES = 10


@dataclass(slots=True, kw_only=True)
class _Run:
    """One run of a council.

    Attributes:
        id: what the ids of its debates begin with.
        task: what all steps work on.
        context: what its steps know; each adds its result.
        begun: whether there may be a record of its steps.
        raised: what each debate may use from now on; None for the limits that it has.
        tell: told of what happens.
        results: those of the steps so far.
    """

    id: str
    task: str
    context: Context
    begun: bool = False
    raised: Limits | None = None
    tell: EventListener | None = None
    results: list[StepResult] = field(default_factory=list[StepResult])


class Council:
    """Steps that work on one task, one after the other; each knows the results of those before it.

    Args:
        name: what it is called.
        steps: its steps; one of your own has a method ``async execute(task, context)``.
        context: what all steps know; a run works on a copy of it.
        error_strategy: when a step fails: ``halt`` raises the error, ``continue`` goes on with the next step,
            ``retry`` tries the step again, ``fallback`` takes what is named below in its place.
        retries: with ``retry``, how often, 1 to 10; after that the error is raised.
        fallback: with ``fallback``, another step, or a function of task and context, async or plain.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what each debate may use; None for the usual limits.

    Raises:
        BriefError: no steps, or a setting that cannot be.
    """

    def __init__(
        self,
        name: str = "council",
        steps: Sequence[Step] = (),
        context: Context | None = None,
        error_strategy: str = "halt",
        *,
        retries: int = 1,
        fallback: Fallback | None = None,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.name, self.steps, self.context = name, tuple(steps), context or Context()
        self.error_strategy, self.retries, self.fallback = error_strategy, retries, fallback
        self.store, self.limits = store, limits
        if not self.steps:
            raise BriefError("a council needs at least one step")
        if not_steps := [step for step in self.steps if not hasattr(step, "execute")]:
            raise BriefError(f"a step has a method execute(task, context); {type(not_steps[0]).__name__} has none")
        if error_strategy not in STRATEGIES:
            problem = f"no error strategy is called {error_strategy!r}; there are {', '.join(STRATEGIES)}"
            raise BriefError(problem, code="bad_enum")
        whole("retries", retries, 1, MOST_RETRIES)
        if (error_strategy == "fallback") != (fallback is not None):
            raise BriefError("error_strategy 'fallback' and the argument fallback must be given together")

    async def execute(self, task: str) -> StepResult:
        """Work on a task.

        Returns:
            The result of the last step; its ``steps`` are the results of all.

        Raises:
            FolkmootError: a step fails and the error strategy does not help; what a step of your own raises comes as it is.
        """
        return await self._go(self._new_run(task))

    def run(self, task: str) -> StepResult:
        """The same for programs without an event loop.

        Raises:
            FolkmootError: as for ``execute``; or an event loop is running.
        """
        return run_blocking(self.execute(task), "council.execute")

    async def resume(self, debate: str, *, limits: Limits | None = None) -> StepResult:
        """Take a run up where its record ends; no finished call is made again.

        Steps that are over are only read; those of your own leave no record and are executed again.

        Args:
            debate: the id of any debate of the run, or what these ids begin with (``depot-3f2a1c``).
            limits: what each debate may use from now on, in total; None for the limits on record.

        Raises:
            RecordError: there is no such run.
            FolkmootError: as for ``execute``.
        """
        run = run_of(debate)
        await stop_streams(run)
        for n in range(len(self.steps)):
            try:
                task = await task_of(self._store(n), f"{run}-step{n}")
            except RecordError:
                continue
            return await self._go(replace(self._new_run(task), id=run, begun=True, raised=limits))
        raise RecordError(f"there is no run {run!r} of this council")

    def stream_execute(self, task: str) -> AsyncGenerator[CouncilEvent, None]:
        """Work on a task and tell what happens as it happens; the last event is the end of the last step.

        Whoever leaves before the end stops the debate in hand, and ``resume`` goes on with it at once.

        Raises:
            FolkmootError: as for ``execute``.
        """

        async def work(tell: EventListener) -> None:
            run = replace(self._new_run(task), tell=tell)
            name_task(run.id)
            await self._go(run)

        return stream(work)

    def _new_run(self, task: str) -> _Run:
        name = f"{slug(words('the task', task), 32)}-{secrets.token_hex(3)}"
        return _Run(id=name, task=task, context=self.context.copy())

    def _store(self, n: int) -> StorePlace | None:
        step = self.steps[n]
        return step.store or self.store if isinstance(step, RecordedStep) else self.store

    async def _go(self, run: _Run) -> StepResult:
        """All steps in order."""
        for n, step in enumerate(self.steps):
            await _tell(run, n, "step_start", kind=type(step).__name__, task=run.task)
            result = await self._step(n, run)
            if isinstance(result, StepResult):
                run.results.append(result)
                run.context.add(f"step_{n}", result.text or dict(result))
                await _tell(run, n, "step_end", result=result)
            else:
                run.results.append(StepResult({"error": str(result)}))
                await _tell(run, n, "step_end", error=str(result))
        last = run.results[-1]
        return StepResult(last, outcome=last.outcome, steps=tuple(run.results))

    async def _step(self, n: int, run: _Run) -> StepResult | Exception:
        """The outcome of one step by the error strategy; an error only where the run goes on without the step."""
        left = 1 + (self.retries if self.error_strategy == "retry" else 0)
        error: Exception = ModelError("nobody answered before", kind="failed")
        if run.begun and self.error_strategy != "halt":
            left -= await count_tries(self._store(n), f"{run.id}-step{n}")
        while left > 0:
            result = await self._attempt(self.steps[n], n, run, f"{run.id}-step{n}")
            if isinstance(result, StepResult):
                return result
            error, left = result, left - 1
        if self.error_strategy == "continue":
            return error
        if self.fallback is None:
            raise error
        other = self.fallback if isinstance(self.fallback, Step) else _Function(self.fallback)
        result = await self._attempt(other, n, run, f"{run.id}-step{n}-fallback")
        if isinstance(result, StepResult):
            return result
        raise result

    async def _attempt(self, step: Step, n: int, run: _Run, debate: str) -> StepResult | Exception:
        """The outcome of a step once, or why nothing did. A person who is waited for is no failure: that is raised."""

        async def work() -> StepResult:
            if not isinstance(step, RecordedStep):
                return await _own_step_result(step, run)
            host = StepHost(
                store=self.store,
                limits=self.limits,
                raised=run.raised,
                debate=debate,
                tell=run.tell,
                step=n,
                resume_with=f"await council.resume({run.id!r})",
            )
            return await step.hold(run.task, run.context, host)

        # What a step of the user's own raises may be anything; in a group of one task it becomes a value.
        try:
            async with asyncio.TaskGroup() as group:
                working = group.create_task(work())
        except ExceptionGroup as errors:
            (error,) = errors.exceptions
            if isinstance(error, Waiting):
                raise error from None
            return error
        return working.result()


class _Function:
    """A function in the place of a step."""

    def __init__(self, function: Callable[[str, Context], Any]) -> None:
        self._function = function

    async def execute(self, task: str, context: Context) -> Any:
        """Call it."""
        function = self._function(task, context)
        return await function if inspect.isawaitable(function) else function


async def _own_step_result(step: Step, run: _Run) -> StepResult:
    """What a step of one's own gives, as a result.

    Raises:
        ModelError: it was cancelled though nobody asked for that; passed on, it would end the run.
    """
    try:
        returned = await step.execute(run.task, run.context)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        raise ModelError(f"{type(step).__name__} was cancelled from within", kind="broken") from error
    if isinstance(returned, StepResult):
        return returned
    return StepResult(cast("Mapping[str, Any]", returned) if isinstance(returned, Mapping) else {"output": returned})


async def _tell(run: _Run, n: int, type: EventType, **data: Any) -> None:
    if run.tell:
        await run.tell(CouncilEvent(type=type, step=n, data=data))
