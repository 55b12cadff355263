"""MapReduce: a task is divided among agents and their answers are combined; arguments and keys of the result."""

from collections.abc import Sequence
from typing import TypedDict, cast

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_calls import words
from folkmoot.app.program.program_plans import plan_map_reduce
from folkmoot.app.run.api import run_blocking
from folkmoot.app.run.outcome import Outcome
from folkmoot.core.brief import PARTICIPANTS, Brief, Limits
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Opened
from folkmoot.pattern.pattern_base import PatternBase, Result


class MapReduceState(TypedDict):
    """The keys of a result; ``results`` has an entry for each item in their order, None where no answer came."""

    task: str
    results: list[str | None]
    missing: list[int]
    final: str
    is_complete: bool


class MapReduceResult(Result[MapReduceState]):
    """The outcome of a task that was shared out: exactly the keys of ``MapReduceState``.

    ``missing`` holds the places in ``results``, from 0, of the items without an answer; the reducer is told of them.
    ``final`` is what the reducer put together, "" where it did not answer. ``is_complete``: nothing is missing.
    """


class MapReducePattern(PatternBase[MapReduceResult]):
    """Each item is worked on by a mapper of its own, all at once; then one reducer puts the answers together.

    Args:
        model: a model of OpenAI's by its name, or ``provider:name``.
        llm: a LangChain chat model, or any agent that can be seated; it goes before ``model``.
        store: the record's file, its database's address, or an open store; None for the owner's.
        limits: what one run may use; None for the usual limits.

    Raises:
        BriefError: an argument that cannot be used.
    """

    protocol = "map_reduce"

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        llm: object = None,
        *,
        store: StorePlace | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(model, llm, store, limits)

    def run(self, task: str, items: Sequence[str]) -> MapReduceResult:
        """Work on all items, and put the answers together; see ``arun``.

        Raises:
            FolkmootError: an event loop is running: await ``arun`` there.
        """
        return run_blocking(self.arun(task, items), "MapReducePattern.arun")

    async def arun(self, task: str, items: Sequence[str]) -> MapReduceResult:
        """Work on all items, and put the answers together.

        Args:
            task: what shall be done for each item.
            items: 1 to 100 texts.

        Raises:
            BriefError: an argument or a model that cannot be used; nothing was asked.
            LimitReached: a limit stands in the way; Unavailable: no mapper can be reached. What was answered is kept,
                and ``resume`` goes on.
            ModelError: nobody answered.
        """
        texts = _items(items)
        brief = Brief(topic=words("task", task), limits=self.limits or Limits())
        return await self._run(
            brief, lambda workspace, brief, seat: plan_map_reduce(workspace, brief, seat, items=texts)
        )

    def _read(self, outcome: Outcome, opened: Opened) -> MapReduceResult:
        shares = [turn for turn in outcome.transcript.all() if turn.act == "share"]
        results = [turn.text if turn.reply else None for turn in shares]
        missing = [n for n, result in enumerate(results) if result is None]
        state: MapReduceState = {
            "task": outcome.topic,
            "results": results,
            "missing": missing,
            "final": outcome.decision.text if outcome.decision else "",
            "is_complete": outcome.status == "decided" and not missing,
        }
        return MapReduceResult(state, outcome)


def _items(listed: object) -> tuple[str, ...]:
    if (
        isinstance(listed, str)
        or not isinstance(listed, Sequence)
        or not 1 <= len(cast("Sequence[object]", listed)) <= PARTICIPANTS.high
    ):
        raise BriefError(f"items must be a list of 1 to {PARTICIPANTS.high} texts", code="out_of_range")
    return tuple(words(f"item {n}", value) for n, value in enumerate(cast("Sequence[object]", listed), start=1))
