"""A participant that looks for its next argument by Monte Carlo tree search. This file owns the search.

The tree begins with the debate as the participant sees it. Below stand claims that it might make, below each the
replies that its strongest opponent and then itself might give, as many deep as ``Search.depth``. Each simulation walks
down, adds the replies that are missing to the end, has the model judge how the participant stands after the exchange,
from 0 to 1, and books that value on every node of the way.

Which way is walked down, and which claim is chosen in the end, is the business of ``seats.uct``; its chance comes from
the brief's seed and the ask's key.

The whole search is one call on record, ``tree``, with the tree as JSON; all calls of the model in it are on record
too, under names that say which node they made. So a resumed search repeats none, and a finished one is just read.
One ask costs at most ``calls(search)`` calls of the model. A search takes at most ``SHARE`` of the time of a turn: the
first visits of all claims are made at once, the rest one after the other, because each depends on the one before. Where
time is up or the model fails, the tree is used as far as it has grown.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import cast

from moot.core.ask import Ask, Reply, Usage
from moot.core.brief import Search
from moot.core.errors import ModelError, MootError, RecordError
from moot.core.event import Called
from moot.core.form import Field, Form
from moot.core.seat import Quote, Say, Scene, Seat
from moot.core.text import clip
from moot.models.base import Model, Request
from moot.seats.layout import Reading, read
from moot.seats.prompt import compose, frame
from moot.seats.tools import Silent
from moot.seats.uct import Node, below, best_line, descend

SOUGHT = frozenset({"open", "argue", "answer", "close", "revise", "draft", "propose"})
"""Acts for which an argument is looked for."""

CLAIMS = 4
"""Claims that are looked at."""

REPLIES = 2
"""Replies to one claim or reply that are looked at."""

SHARE = 0.6
"""The part of a turn's time that a search may take; the rest is for the answer."""

LONGEST = 600
"""Characters of a claim or reply that are kept."""

OPPONENT = "the strongest opponent"
"""Who speaks where the participant does not."""

MODEL = "search:mcts"
"""What stands in the record as the model of a tree."""

_CANDIDATES = Form(
    name="candidates",
    fields=(Field(name="CLAIMS", kind="list", help=f"{CLAIMS} claims that differ in substance, best first"),),
)
_STANDING = Form(
    name="standing",
    fields=(
        Field(name="CLARITY", kind="number", low=0, high=10, help="how clear your claim is", required=False),
        Field(name="EVIDENCE", kind="number", low=0, high=10, help="how well it is borne out", required=False),
        Field(name="ORIGINALITY", kind="number", low=0, high=10, help="how much it adds", required=False),
        Field(name="STANDING", kind="number", low=0, high=10, help="how well your position stands after all of it"),
    ),
)
_PREPARE = "Nothing is said aloud yet: you prepare your next turn in private. It is about this:"
_PROPOSE = f"Name up to {CLAIMS} claims that you could make, each in one sentence, each a different line of argument."
_AGAINST = "Now imagine your strongest opponent. What would that opponent reply? Give only the reply, two sentences."
_FOR = "What would you answer to that? Give only the answer, two sentences."
_OTHER = "These replies are known already; give one that differs in substance:"
_JUDGE = "Judge this exchange as a fair listener would, not as a friend: how does your side stand at its end?"
_READY = (
    "You have prepared this in private. Build your turn on the claim, meet the reply before it is made, and leave "
    "all of it if it does not fit the question:"
)


def calls(search: Search) -> int:
    """The most calls of a model that one ask takes: one for the claims, those of the simulations, and the answer.

    A simulation takes at most one for each reply behind the claim and one to judge; no place in the tree is made or
    judged twice. Repairs, retries and tools come on top, as with any ask.
    """
    replies = sum(REPLIES**n for n in range(1, search.depth + 1))
    return 1 + min(search.simulations * (search.depth + 1), CLAIMS * (replies + REPLIES**search.depth)) + 1


class Searching:
    """A seat that prepares its speeches by a search.

    Args:
        seat: gives the answers.
        model: imagines and judges.
        search: how much.
        seconds: the time of a turn, of which the search takes its share; no try of a call may take longer.
    """

    def __init__(self, seat: Seat, model: Model, search: Search, *, seconds: float = 120.0) -> None:
        self._seat, self._model, self._search, self._seconds = seat, model, search, seconds

    async def answer(self, ask: Ask, scene: Scene, say: Say) -> Reply:
        """Answer one ask, after a search where it asks for a speech; see ``core.seat.Seat``."""
        if ask.act not in SOUGHT:
            return await self._seat.answer(ask, scene, say)
        hunt = _Hunt(self._model, self._search, self._seconds, ask, scene, Silent(say))
        called = await say.call("tree", Quote(model=MODEL), hunt.record)
        tree = cast("Mapping[str, object]", json.loads(called.text))
        usage = Usage()
        for name in cast("Sequence[str]", tree["calls"]):
            usage = usage + (await say.call(name, Quote(model=self._model.name), _lost)).usage
        line = [(str(each["by"]), str(each["text"])) for each in cast("Sequence[Mapping[str, object]]", tree["best"])]
        reply = await self._seat.answer(_prepared(ask, line), scene, say)
        stopped = [f"the search ended early: {tree['stopped']}"] if tree["stopped"] else []
        return replace(
            reply, usage=reply.usage + usage, seconds=reply.seconds + called.seconds, notes=(*reply.notes, *stopped)
        )


def _prepared(ask: Ask, line: Sequence[tuple[str, str]]) -> Ask:
    """The ask with the best line laid into its task."""
    if not line:
        return ask
    told = "\n".join(f"{by}: {text}" for by, text in line)
    return replace(ask, task=f"{ask.task}\n\n{_READY}\n{frame(told)}")


@dataclass(slots=True)
class _Hunt:
    """One search."""

    model: Model
    search: Search
    seconds: float
    ask: Ask
    scene: Scene
    say: Say
    root: Node = field(default_factory=lambda: Node("", ""))
    made: list[str] = field(default_factory=list[str])
    stopped: str = ""

    async def record(self) -> Called:
        """Search, and give the tree as it goes on record."""
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(SHARE * self.seconds):
                await self._search()
        except TimeoutError:
            self.stopped = "its share of the time was used up"
        except ModelError as error:
            self.stopped = str(error)
        return Called(
            key="", call="tree", text=json.dumps(self._data()), model=MODEL, seconds=clock() - began, finish="stop"
        )

    async def _search(self) -> None:
        reading = await self._put("search-claims", _PROPOSE, _CANDIDATES)
        claims = cast("tuple[str, ...]", reading.fields.get("CLAIMS", ()))
        different: dict[str, str] = {}
        for claim in filter(None, (" ".join(each.split()).strip("-*• ") for each in claims)):
            different.setdefault(claim.casefold(), clip(claim, LONGEST))
        for n, claim in enumerate(list(different.values())[:CLAIMS], start=1):
            self.root.children.append(Node(str(n), claim, self.root))
        if not self.root.children:
            self.stopped = "the model named no claims"
            return
        first = self.root.children[: self.search.simulations]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._visit(claim)) for claim in first]
        if errors := [error for task in tasks if (error := task.result())]:
            # A limit or a damaged record goes before a fault of the model, which only ends the search.
            raise min(errors, key=lambda error: isinstance(error, ModelError))
        chance = Random(f"{self.scene.brief.seed} {self.ask.key}")
        for _ in range(self.search.simulations - len(first)):
            await self._simulate(descend(self.root, REPLIES, chance))

    async def _visit(self, node: Node) -> MootError | None:
        """Simulate from a claim; errors become values, so that one does not end the others."""
        try:
            await self._simulate(node)
        except MootError as error:
            return error
        return None

    async def _simulate(self, node: Node) -> None:
        """Go on to the end of the line, judge it, and book the value all the way up."""
        while node.level <= self.search.depth:
            node = await self._reply(node)
        if node.worth is None:
            node.worth = await self._judge(node)
        node.book(node.worth)

    async def _reply(self, node: Node) -> Node:
        """A further reply to a claim or reply."""
        task = _AGAINST if node.mine else _FOR
        if node.children:
            known = "\n".join(f"- {each.text}" for each in node.children)
            task = f"{task}\n\n{_OTHER}\n{frame(known)}"
        id = f"{node.id}.{len(node.children) + 1}"
        reading = await self._put(f"search-{id}", f"{self._told(node)}\n\n{task}")
        child = Node(id, clip(reading.text, LONGEST), node)
        node.children.append(child)
        return child

    async def _judge(self, node: Node) -> float:
        """How the participant stands at the end of a line, from 0 to 1; 0.5 where that could not be read."""
        reading = await self._put(f"search-{node.id}-value", f"{self._told(node)}\n\n{_JUDGE}", _STANDING)
        marks = [value for value in reading.fields.values() if isinstance(value, int | float)]
        return sum(marks) / len(marks) / 10 if marks else 0.5

    def _told(self, node: Node) -> str:
        said = "\n".join(f"{self._by(each)}: {each.text}" for each in node.line[1:])
        return f"Suppose that it goes on like this:\n{frame(said)}"

    def _by(self, node: Node) -> str:
        return self.scene.me.name if node.mine else OPPONENT

    async def _put(self, call: str, task: str, form: Form | None = None) -> Reading:
        """Put one question to the model; what the participant sees stands before it, as in all its prompts."""
        inner = replace(self.ask, task=f"{_PREPARE}\n{frame(self.ask.task)}\n\n{task}", form=form)
        messages = compose(inner, self.scene, self.model.traits)
        settings = self.scene.me.settings
        request = Request(messages=messages, settings=settings, call=call, seconds=self.seconds)
        called = await self.model.complete(request, self.say)
        self.made.append(call)
        return read(form, called.text, speaker=self.scene.me.name)

    def _data(self) -> dict[str, object]:
        """The tree as JSON data; values are those for the participant, whoever speaks."""
        best = best_line(self.root)
        chosen = {each.id for each in best}
        return {
            "method": self.search.method,
            "simulations": self.root.visits,
            "asked": self.search.simulations,
            "depth": self.search.depth,
            "stopped": self.stopped,
            "calls": sorted(self.made),
            "best": [{"by": self._by(each), "text": each.text} for each in best],
            "nodes": [
                {
                    "id": each.id,
                    "parent": each.parent.id if each.parent else "",
                    "by": self._by(each),
                    "claim": each.text,
                    "visits": each.visits,
                    "value": round(each.mean, 4) if each.visits else None,
                    "chosen": each.id in chosen,
                }
                for each in below(self.root)
            ],
        }


async def _lost() -> Called:
    raise RecordError("the record holds the tree of a search, but not all calls that made it")
