"""What the tests of batches share: a brief of two people, and a model that is paid for."""

from collections.abc import Callable
from dataclasses import replace

from folkmoot.app.batch.batch_plan import Batch, BatchItem, make_batch, make_item
from folkmoot.app.batch.run_batch import BatchRun
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.event import Called
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore

BRIEF = """---
protocol: panel
rounds: 1
---
# Should we build or buy{mark}?

## Options

- build
- buy

## Ann
role: Engineer

You like to build.

## Ben
role: Bookkeeper

You count money.
"""
BUILD = "ANSWER: build\nCONFIDENCE: 0.7\nARGUMENT: It is ours."
BUY = "ANSWER: buy\nCONFIDENCE: 0.7\nARGUMENT: It is quick."
PRICE = 0.01


class Paid(ScriptedModel):
    """A model that costs a cent a call."""

    def __init__(self, script: Callable[[Request], str | Called | Exception] = lambda request: BUILD) -> None:
        super().__init__(script, name="guest:paid")

    def quote(self, request: Request) -> Quote:
        """A cent."""
        return replace(super().quote(request), cost=PRICE)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        """Answer; the pool, which it is lent to, puts the call on record."""
        called = await self._send(request, recorder)
        return replace(called, usage=Usage(input_tokens=8, output_tokens=2, cost=PRICE))


def item(mark: str = "", *, model: str = "guest:paid", brief: str = BRIEF) -> BatchItem:
    """One brief of a batch."""
    parsed = read_brief(brief.replace("{mark}", mark))
    return make_item(parsed, Overrides(models=(model,)), name=f"item{mark}")


def desk_with(**models: ScriptedModel) -> Workspace:
    """A desk in memory that seats these models as guests."""
    workspace = Workspace(InMemoryStore(), config=Config())
    for name, model in models.items():
        workspace.pool.add_agent(name, model)
    return workspace


def work_on(
    workspace: Workspace, batch: Batch | None = None, *, parallel: int = 1, budget: float | None = None
) -> BatchRun:
    """A batch at a desk; one brief three times where none is given."""
    batch = batch or make_batch([item()], times=3)
    return BatchRun(workspace=workspace, batch=batch, config=Config(), parallel=parallel, budget=budget)
