"""The tree of an argument search: its questions, how it grows by the answers, and which line is the best.

The way down follows UCT (Kocsis and Szepesvari, Bandit based Monte-Carlo Planning, ECML 2006): of the children j of a
node with N visits take the one with the greatest

    v_j + c * sqrt(ln N / n_j),   c = sqrt(2),

where n_j is the number of its visits and v_j the mean value for the speaker there: values are those for the
participant, so for the opponent v_j is 1 minus the mean. Only ties are decided at random, from the brief's seed and the
ask's key. A search is a plain generator of questions, so that it and its estimate ask the same ones.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from math import log, sqrt
from random import Random
from typing import NamedTuple, TypeAlias, cast

from folkmoot.agents.prompt import compose, frame
from folkmoot.answers.layout import Reading
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Search
from folkmoot.core.text import clip
from folkmoot.models.base import Message, Traits

EXPLORATION = sqrt(2)
"""The c of UCT, for values from 0 to 1."""


@dataclass(slots=True)
class Node:
    """A claim or a reply; the root is the debate as it stands.

    Attributes:
        id: its place: ``2.1`` is the first reply to the second claim; "" for the root.
        text: what is said.
        parent: what it answers; None for the root.
        children: what may be said next.
        visits: simulations that went through it.
        total: the sum of their values.
        worth: what the model judged, at the end of a line; None where it was not asked.
    """

    id: str
    text: str
    parent: "Node | None" = None
    children: "list[Node]" = field(default_factory=list["Node"])
    visits: int = 0
    total: float = 0.0
    worth: float | None = None

    @property
    def level(self) -> int:
        """The depth: 0 for the root, 1 for a claim."""
        return len(self.line) - 1

    @property
    def is_own(self) -> bool:
        """Whether the participant itself makes this claim or reply."""
        return self.level % 2 == 1

    @property
    def mean(self) -> float:
        """The mean value of its visits; there must be at least one."""
        return self.total / self.visits

    def add_value(self, value: float) -> None:
        """Add the value of a simulation that ended here to this node and to all above it."""
        for node in self.line:
            node.visits += 1
            node.total += value

    @property
    def line(self) -> "list[Node]":
        """The path to this node, the root first."""
        return [*(self.parent.line if self.parent else ()), self]


def uct(child: Node, visits: int) -> float:
    """The UCT of a visited child of a node with that many visits."""
    return (child.mean if child.is_own else 1 - child.mean) + EXPLORATION * sqrt(log(visits) / child.visits)


def descend(root: Node, width: int, chance: Random) -> Node:
    """The node where a simulation continues: one with room for another reply, or the end of a line.

    Args:
        root: the root; all its children have been visited, and no more are added to them.
        width: replies to one claim or reply.
        chance: decides between equals.
    """
    node = root
    while node.children and (node is root or len(node.children) == width):
        best = max(uct(child, node.visits) for child in node.children)
        node = chance.choice([child for child in node.children if uct(child, node.visits) == best])
    return node


def best_line(root: Node) -> list[Node]:
    """The most visited claim, then the most visited reply at each step; among equals the better one."""
    line: list[Node] = []
    node = root
    while visited := [child for child in node.children if child.visits]:
        node = max(visited, key=lambda node: (node.visits, node.mean if node.is_own else -node.mean))
        line.append(node)
    return line


def descendants(node: Node) -> list[Node]:
    """All nodes below a node, depth first."""
    return [item for child in node.children for item in (child, *descendants(child))]


CLAIMS = 4
"""Claims that are looked at."""

REPLIES = 2
"""Replies to one claim or reply that are looked at."""

LONGEST = 600
"""Characters of a claim or reply that are kept."""

OPPONENT = "the strongest opponent"
"""Who speaks where the participant does not."""

CANDIDATES = Form(
    name="candidates",
    fields=(Field(name="CLAIMS", kind="list", help=f"{CLAIMS} claims that differ in substance, best first"),),
)
STANDING = Form(
    name="standing",
    fields=(
        Field(name="CLARITY", kind="number", low=0, high=10, help="how clear your claim is", required=False),
        Field(name="EVIDENCE", kind="number", low=0, high=10, help="how well it is borne out", required=False),
        Field(name="ORIGINALITY", kind="number", low=0, high=10, help="how much it adds", required=False),
        Field(name="STANDING", kind="number", low=0, high=10, help="how well your position has survived all of it"),
    ),
)
_PREPARE = "Nothing is said aloud yet: you prepare your next turn in private. It is about this:"
_PROPOSE = f"Name up to {CLAIMS} claims that you could make, each in one sentence, each a different line of argument."
_AGAINST = "Now imagine your strongest opponent. What would that opponent reply? Give only the reply, two sentences."
_FOR = "What would you answer to that? Give only the answer, two sentences."
_OTHER = "These replies are known already; give one that differs in substance:"
_JUDGE = "Judge this exchange as a fair listener would, not as a friend: how well is your side doing at the end of it?"
_READY = (
    "You have prepared this in private. Build your turn on the claim, meet the reply before it is made, and leave "
    "all of it if it does not fit the question:"
)


class Question(NamedTuple):
    """One question to the model: its call, what it is asked, and in which form."""

    call: str
    task: str
    form: Form | None = None


Questions: TypeAlias = Generator[Question, Reading, None]


@dataclass(slots=True, kw_only=True)
class TreeGrowth:
    """A tree of claims and replies, and the questions by which it grows.

    Attributes:
        search: the settings of the search.
        ask: what is prepared.
        context: what the participant is shown.
        root: the tree.
    """

    search: Search
    ask: Ask
    context: Context
    root: Node = field(default_factory=lambda: Node("", ""))

    def compose(self, question: Question, traits: Traits) -> tuple[Message, ...]:
        """The messages of a question; what the participant sees stands before it, as in all its prompts."""
        task = f"{_PREPARE}\n{frame(self.ask.task)}\n\n{question.task}"
        return compose(replace(self.ask, task=task, form=question.form), self.context, traits)

    def claim(self) -> Questions:
        """The question for the claims to examine."""
        reading = yield Question("search-claims", _PROPOSE, CANDIDATES)
        claims = cast("tuple[str, ...]", reading.fields.get("CLAIMS", ()))
        different: dict[str, str] = {}
        for claim in filter(None, (" ".join(claim.split()).strip("-*• ") for claim in claims)):
            different.setdefault(claim.casefold(), clip(claim, LONGEST))
        for n, claim in enumerate(list(different.values())[:CLAIMS], start=1):
            self.root.children.append(Node(str(n), claim, self.root))

    def all_questions(self) -> Questions:
        """All questions, one after the other."""
        yield from self.claim()
        for node in self.first_visits:
            yield from self.visit(node)
        yield from self.later_visits()

    @property
    def first_visits(self) -> Sequence[Node]:
        """The claims whose first visits may be made at once; the visits of ``rest`` depend on each other."""
        return self.root.children[: self.search.simulations]

    def later_visits(self) -> Questions:
        """All visits after the first ones."""
        chance = Random(f"{self.context.brief.seed} {self.ask.key}")
        for _ in range(self.search.simulations - len(self.first_visits)):
            yield from self.visit(descend(self.root, REPLIES, chance))

    def visit(self, node: Node) -> Questions:
        """Extend the line to its end, judge it, and add the value to all nodes above."""
        while node.level <= self.search.depth:
            node = yield from self._reply(node)
        if node.worth is None:
            reading = yield Question(f"search-{node.id}-value", f"{self._path_in_words(node)}\n\n{_JUDGE}", STANDING)
            marks = [value for value in reading.fields.values() if isinstance(value, int | float)]
            # 0.5 where that could not be read.
            node.worth = sum(marks) / len(marks) / 10 if marks else 0.5
        node.add_value(node.worth)

    def speaker(self, node: Node) -> str:
        """The speaker of a node."""
        return self.context.me.name if node.is_own else OPPONENT

    def prepared(self) -> Ask:
        """The ask with the best line in its task."""
        return prepared(self.ask, [(self.speaker(node), node.text) for node in best_line(self.root)])

    def _reply(self, node: Node) -> Generator[Question, Reading, Node]:
        """A further reply to a claim or reply."""
        task = _AGAINST if node.is_own else _FOR
        if node.children:
            known = "\n".join(f"- {child.text}" for child in node.children)
            task = f"{task}\n\n{_OTHER}\n{frame(known)}"
        id = f"{node.id}.{len(node.children) + 1}"
        reading = yield Question(f"search-{id}", f"{self._path_in_words(node)}\n\n{task}")
        child = Node(id, clip(reading.text, LONGEST), node)
        node.children.append(child)
        return child

    def _path_in_words(self, node: Node) -> str:
        spoken = "\n".join(f"{self.speaker(item)}: {item.text}" for item in node.line[1:])
        return f"Suppose that it goes on like this:\n{frame(spoken)}"


def prepared(ask: Ask, line: Sequence[tuple[str, str]]) -> Ask:
    """The ask with a line in its task: who says what."""
    if not line:
        return ask
    spoken = "\n".join(f"{by}: {text}" for by, text in line)
    return replace(ask, task=f"{ask.task}\n\n{_READY}\n{frame(spoken)}")
