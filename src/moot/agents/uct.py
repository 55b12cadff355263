"""The tree of a search for arguments. This file owns which way a simulation takes, and which line is the best.

The way down follows UCT (Kocsis and Szepesvari, Bandit based Monte-Carlo Planning, ECML 2006): of the children j of a
node with N visits take the one with the greatest

    v_j + c * sqrt(ln N / n_j),   c = sqrt(2),

where n_j is the number of its visits and v_j the mean value for whoever speaks there: values are those for the
participant, the opponent wants them low, so 1 minus the mean stands for the opponent. Chance decides ties alone.
"""

from dataclasses import dataclass, field
from math import log, sqrt
from random import Random

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
        """How deep it stands: 0 for the root, 1 for a claim."""
        return len(self.line) - 1

    @property
    def mine(self) -> bool:
        """Whether the participant itself says it."""
        return self.level % 2 == 1

    @property
    def mean(self) -> float:
        """The mean value of its visits, of which there must be one."""
        return self.total / self.visits

    def book(self, value: float) -> None:
        """Book the value of a simulation that ended here, all the way up."""
        for each in self.line:
            each.visits += 1
            each.total += value

    @property
    def line(self) -> "list[Node]":
        """The way to it, the root first."""
        return [*(self.parent.line if self.parent else ()), self]


def promise(child: Node, visits: int) -> float:
    """The UCT of a visited child of a node with so many visits."""
    return (child.mean if child.mine else 1 - child.mean) + EXPLORATION * sqrt(log(visits) / child.visits)


def descend(root: Node, width: int, chance: Random) -> Node:
    """The node from which a simulation goes on: one with room for another reply, or the end of a line.

    Args:
        root: the root; all its children have been visited, and no more are added to them.
        width: replies to one claim or reply.
        chance: decides between equals.
    """
    node = root
    while node.children and (node is root or len(node.children) == width):
        best = max(promise(child, node.visits) for child in node.children)
        node = chance.choice([child for child in node.children if promise(child, node.visits) == best])
    return node


def best_line(root: Node) -> list[Node]:
    """The most visited claim and, behind it, the most visited replies; of equals the one that is better to say."""
    line: list[Node] = []
    node = root
    while visited := [child for child in node.children if child.visits]:
        node = max(visited, key=lambda each: (each.visits, each.mean if each.mine else -each.mean))
        line.append(node)
    return line


def below(node: Node) -> list[Node]:
    """All that stands below a node, each line to its end before the next."""
    return [each for child in node.children for each in (child, *below(child))]
