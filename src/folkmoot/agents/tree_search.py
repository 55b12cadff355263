"""An agent that searches for its next argument by Monte Carlo tree search.

The root is the debate as the participant sees it. Below are claims that it might make, and below each the replies that
its strongest opponent and then itself might give, up to ``Search.depth``. Each simulation walks down, adds missing
replies at the end, has the model rate the participant's position after the exchange from 0 to 1, and adds that value to
every node on the way. ``agents.search_tree`` has the questions, the tree and the choices.

The whole search is one recorded call, ``tree``, with the tree as JSON; all model calls in it are recorded too, named by
their nodes. So a resumed search repeats none, and a finished one is just read. One ask costs at most ``calls(search)``
model calls. A search takes at most ``SHARE`` of the time of a turn: the first visits of all claims run in parallel, the
rest in sequence. If time is up or the model fails, the tree is used as far as it has grown.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from folkmoot.agents.search_tree import (
    CLAIMS,
    REPLIES,
    Node,
    Question,
    Questions,
    TreeGrowth,
    best_line,
    descendants,
    prepared,
)
from folkmoot.agents.toolkit import SilentRecorder
from folkmoot.answers.layout import Reading, read
from folkmoot.core.agent import Agent, Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Search
from folkmoot.core.errors import FolkmootError, ModelError, RecordError
from folkmoot.core.event import Called
from folkmoot.deadline import Deadline
from folkmoot.models.base import Model, Request

SOUGHT = frozenset({"open", "argue", "answer", "close", "revise", "draft", "propose"})
"""Acts for which an argument is looked for."""

SHARE = 0.6
"""The part of a turn's time that a search may take; the rest is for the answer."""

MODEL = "search:mcts"
"""What stands in the record as the model of a tree."""


def most_calls(search: Search) -> int:
    """The most model calls for one ask: one for the claims, those of the simulations, and the answer.

    A simulation takes at most one for each reply behind the claim and one to judge; no place in the tree is made or
    judged twice. Repairs, retries and tools come on top, as with any ask.
    """
    replies = sum(REPLIES**n for n in range(1, search.depth + 1))
    return 1 + min(search.simulations * (search.depth + 1), CLAIMS * (replies + REPLIES**search.depth)) + 1


class SearchingAgent:
    """An agent that prepares its speeches by a search.

    Args:
        seat: the agent that gives the answers.
        model: imagines and judges.
        search: how much.
        seconds: the time of a turn, of which the search takes its share; no try of a call may take longer.
    """

    def __init__(self, seat: Agent, model: Model, search: Search, *, seconds: float = 120.0) -> None:
        self._seat, self._model, self._search, self._seconds = seat, model, search, seconds

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        """Answer one ask, after a search where it asks for a speech; see ``core.agent.Agent``."""
        if ask.act not in SOUGHT:
            return await self._seat.answer(ask, context, recorder)
        tree = TreeGrowth(search=self._search, ask=ask, context=context)
        hunt = _TreeSearch(self._model, self._seconds, SilentRecorder(recorder), tree)
        called = await recorder.call("tree", Quote(model=MODEL), hunt.record)
        grown = cast("Mapping[str, object]", json.loads(called.text))
        usage = Usage()
        for name in cast("Sequence[str]", grown["calls"]):
            usage = usage + (await recorder.call(name, Quote(model=self._model.name), _missing_from_record)).usage
        line = [(str(item["by"]), str(item["text"])) for item in cast("Sequence[Mapping[str, object]]", grown["best"])]
        reply = await self._seat.answer(prepared(ask, line), context, recorder)
        stopped = [f"the search ended early: {grown['stopped']}"] if grown["stopped"] else []
        return replace(
            reply, usage=reply.usage + usage, seconds=reply.seconds + called.seconds, notes=(*reply.notes, *stopped)
        )


@dataclass(slots=True)
class _TreeSearch:
    """One search."""

    model: Model
    seconds: float
    say: Recorder
    tree: TreeGrowth
    made: list[str] = field(default_factory=list[str])
    stopped: str = ""

    async def record(self) -> Called:
        """Search, and return the tree as it is recorded."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with Deadline(SHARE * self.seconds):
                await self._search()
        except TimeoutError:
            self.stopped = "its share of the time was used up"
        except ModelError as error:
            self.stopped = str(error)
        return Called(
            key="", call="tree", text=json.dumps(self._data()), model=MODEL, seconds=clock() - began, finish="stop"
        )

    async def _search(self) -> None:
        await self._ask_all(self.tree.claim())
        if not self.tree.first_visits:
            self.stopped = "the model named no claims"
            return
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._visit(claim)) for claim in self.tree.first_visits]
        if errors := [error for task in tasks if (error := task.result())]:
            # A limit or a damaged record goes before a fault of the model, which only ends the search.
            raise min(errors, key=lambda error: isinstance(error, ModelError))
        await self._ask_all(self.tree.later_visits())

    async def _visit(self, node: Node) -> FolkmootError | None:
        """Simulate from a claim. Errors become values, so that one error does not end the others."""
        try:
            await self._ask_all(self.tree.visit(node))
        except FolkmootError as error:
            return error
        return None

    async def _ask_all(self, questions: Questions) -> None:
        """Put one question after the other to the model."""
        question = next(questions, None)
        while question:
            reading = await self._ask(question)
            try:
                question = questions.send(reading)
            except StopIteration:
                return

    async def _ask(self, question: Question) -> Reading:
        """Put one question to the model."""
        context, traits = self.tree.context, self.model.traits
        request = Request(
            messages=self.tree.compose(question, traits),
            settings=context.me.settings,
            call=question.call,
            seconds=self.seconds,
        )
        called = await self.model.complete(request, self.say)
        self.made.append(question.call)
        return read(question.form, called.text, speaker=context.me.name)

    def _data(self) -> dict[str, object]:
        """The tree as JSON data; all values are from the participant's point of view."""
        best = best_line(self.tree.root)
        chosen = {node.id for node in best}
        return {
            "method": self.tree.search.method,
            "simulations": self.tree.root.visits,
            "asked": self.tree.search.simulations,
            "depth": self.tree.search.depth,
            "stopped": self.stopped,
            "calls": sorted(self.made),
            "best": [{"by": self.tree.speaker(node), "text": node.text} for node in best],
            "nodes": [
                {
                    "id": node.id,
                    "parent": node.parent.id if node.parent else "",
                    "by": self.tree.speaker(node),
                    "claim": node.text,
                    "visits": node.visits,
                    "value": round(node.mean, 4) if node.visits else None,
                    "chosen": node.id in chosen,
                }
                for node in descendants(self.tree.root)
            ],
        }


async def _missing_from_record() -> Called:
    raise RecordError("the record has the tree of a search, but not all calls that made it")
