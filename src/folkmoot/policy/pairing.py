"""Pairing: who criticises whom (topologies of pairs of critic and author), and the groups of large debates.

Groups have three to five members: more are hard to follow, fewer are no debate. Groups of that size cost half the
tokens of one large debate and are no less accurate.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias

from folkmoot.core.transcript import Transcript, alike, wording

Topology: TypeAlias = Literal["all-to-all", "round-robin", "ring", "star", "sparse", "random-graph", "adaptive"]
UNEVEN: tuple[Topology, ...] = ("star", "sparse", "random-graph", "adaptive")
"""The topologies in which one has more to criticize than another, and who that is depends on whose answer failed."""

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """A topology.

    Attributes:
        topology: ``all-to-all``: everybody on everybody; ``ring``: everybody on the next at the table;
            ``round-robin``: everybody on one other, by a stable hash of the names, another one in each round;
            ``star``: the hub on everybody and everybody on the hub; ``sparse``: the ring and some links by chance;
            ``random-graph``: each link by chance, and one for everybody whom nobody would criticise;
            ``adaptive``: the ring, and one more critic for everybody, by chance, the strongest most often.
        hub: the centre of a star; the first at the table where it is "" or has no proposal.
        density: with ``sparse``, the probability of each of the remaining links, 0 to 1; with ``random-graph``, of each
            link.
        strongest: with ``adaptive``, the names of the strongest, one of whom is drawn; () for anybody.
    """

    topology: Topology = "all-to-all"
    hub: str = ""
    density: float = 0.25
    strongest: tuple[str, ...] = ()

    def draw(self, names: Sequence[str], *, round: int, chance: Random) -> tuple[Pair, ...]:
        """The pairs of one round, each once, critics in the order of the table."""
        if len(names) < 2:
            return ()
        match self.topology:
            case "all-to-all":
                return tuple((critic, author) for critic in names for author in names if critic != author)
            case "ring":
                return _ring_pairs(names)
            case "round-robin":
                return _rotation(names, round)
            case "star":
                return _star(names, self.hub if self.hub in names else names[0])
            case "adaptive":
                strong = [name for name in names if name in self.strongest] or names
                return _adaptive(names, chance.choice(strong), chance)
            case "random-graph":
                return _random_graph(names, self.density, chance)
            case _:
                return _sparse_pairs(names, self.density, chance)

    def least(self, count: int) -> int:
        """The fewest pairs that can be drawn among ``count``; only ``sparse`` and ``random-graph`` may draw more."""
        if count < 2:
            return 0
        many = {
            "all-to-all": count * (count - 1),
            "star": 2 * (count - 1),
            "adaptive": 2 * count if count > 2 else count,
        }
        return many.get(self.topology, count)


def _ring_pairs(names: Sequence[str]) -> tuple[Pair, ...]:
    return tuple((name, names[(n + 1) % len(names)]) for n, name in enumerate(names))


def _rotation(names: Sequence[str], round: int) -> tuple[Pair, ...]:
    # SHA-256, because hash() of a text differs from process to process.
    order = sorted(names, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
    step = 1 + (max(round, 1) - 1) % (len(order) - 1)
    onto = {name: order[(n + step) % len(order)] for n, name in enumerate(order)}
    return tuple((name, onto[name]) for name in names)


def _star(names: Sequence[str], hub: str) -> tuple[Pair, ...]:
    return tuple(
        (critic, author) for critic in names for author in names if critic != author and hub in (critic, author)
    )


def _sparse_pairs(names: Sequence[str], density: float, chance: Random) -> tuple[Pair, ...]:
    ring = _ring_pairs(names)
    others = [(c, a) for c in names for a in names if c != a and (c, a) not in ring]
    drawn = [pair for pair in others if chance.random() < density]
    return _in_order((*ring, *drawn), names)


def _random_graph(names: Sequence[str], density: float, chance: Random) -> tuple[Pair, ...]:
    """Each link by chance (E. Gilbert 1959, "Random graphs"); nobody is left without a critic."""
    links = [(critic, author) for critic in names for author in names if critic != author]
    drawn = [link for link in links if chance.random() < density]
    alone = [name for name in names if all(author != name for _, author in drawn)]
    drawn += [(chance.choice([critic for critic in names if critic != author]), author) for author in alone]
    return _in_order(drawn, names)


def _adaptive(names: Sequence[str], hub: str, chance: Random) -> tuple[Pair, ...]:
    """The ring and a second critic for everybody, so that every proposal has the same number of them.

    Half of those whom the hub does not criticise anyway get the hub, at least two where there are two; each of the
    others gets one of the rest with the fewest pairs so far. So nobody criticises more than the hub.
    """
    ring = _ring_pairs(names)
    if len(names) < 3:
        return ring
    critic = {author: name for name, author in ring}
    shuffled = list(names)
    chance.shuffle(shuffled)
    free = [author for author in shuffled if hub not in (author, critic[author])]
    theirs = free[: max((len(free) + 1) // 2, min(2, len(free)))]
    drawn: list[Pair] = [(hub, author) for author in theirs]
    loads = {name: 0 for name in shuffled if name != hub}
    for author in shuffled:
        if author not in theirs:
            rest = [name for name in loads if name not in (author, critic[author])]
            least = min(rest, key=lambda name: loads[name])
            loads[least] += 1
            drawn.append((least, author))
    return _in_order((*ring, *drawn), names)


def _in_order(pairs: Sequence[Pair], names: Sequence[str]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (names.index(pair[0]), names.index(pair[1]))))


Teams: TypeAlias = tuple[tuple[str, ...], ...]
"""The names of each group, in the order of the table."""

LARGEST = 5
"""The most in one group."""


def split_groups(names: Sequence[str], seats: Mapping[str, str], chance: Random) -> Teams:
    """Groups of 3 to 5, as even as can be; five and fewer are one group.

    Debaters with the same model are spread over the groups, because equal errors correct nobody.

    Args:
        names: all debaters.
        seats: the agent of each.
        chance: the random generator.
    """
    dealt = list(names)
    chance.shuffle(dealt)
    known = list(dict.fromkeys(seats[name] for name in dealt))
    dealt.sort(key=lambda name: known.index(seats[name]))
    count = -(-len(dealt) // LARGEST)
    return tuple(tuple(name for name in names if name in dealt[n::count]) for n in range(count))


def is_finished(transcript: Transcript, group: Sequence[str], acts: tuple[str, ...]) -> bool:
    """Whether a group has nothing left to debate: all agree, nobody changed the answer, or none of it answers."""
    wordings = [[wording(turn) for turn in transcript.turns(*acts, by=name)] for name in group]
    spoken = [answers for answers in wordings if answers]
    newest = [answers[-1] for answers in spoken]
    proposals = [answer for answer in newest if answer is not None]
    if len(proposals) == len(newest) and (alike(proposals) or not newest):
        return True
    return len(proposals) == len(newest) and all(len(answers) > 1 and answers[-2] == answers[-1] for answers in spoken)
