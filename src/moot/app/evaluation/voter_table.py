"""Simulated voters under all protocols and rules that vote, with liars among them: ``moot eval voters --table``.

How often voters read each other, and whether a round waits for a difference, comes from the protocols themselves; the
rules that count are those that ship. What is simulated is what reading each other does to voters (``Talk``).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Final

import numpy as np

from moot.app.plan.pretend import parts
from moot.core.brief import Brief, Participant
from moot.core.decision import Ballot
from moot.evaluation.worlds import Drawn, Talk, Voters
from moot.phases.base import Rounds
from moot.phases.choices import STRATEGIES, Choices
from moot.phases.draws import CountEach
from moot.phases.vote import Count, Vote
from moot.policy.rounds import THRESHOLD, Close
from moot.protocols.known import ALONE, DECIDED_BY, FORMATS, KNOWN, NEEDS_MODERATOR, VOTES, build

QUESTIONS: Final = 20_000
LIARS: Final = (0, 1, 2)
LEAST: Final = 3
"""The least number of voters of whom two can lie."""

OPTIONS: Final = ("right", "lure", "third", "fourth")
"""What the numbers of simulated answers stand for; see ``worlds``."""

COUNTED: Final = (Count, Vote, CountEach)
"""The phases in which votes are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How voters get from first answers to ballots: how often they read each other, and where that is left out.

    Attributes:
        rounds: how often at most.
        gated: whether no round takes place where answers are no further apart than the threshold.
        alone: whether one voter answers for all.
    """

    rounds: int
    gated: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes:
    """Shares of questions: decided right, and decided wrong; the rest is undecided."""

    right: float
    wrong: float

    def __str__(self) -> str:
        return f"{100 * self.right:.1f} / {100 * self.wrong:.1f}"


def shapes(voters: int) -> dict[Shape, list[str]]:
    """The protocols that end in a count of votes, by shape."""
    people = tuple(Participant(name=f"Voter {n + 1}", seat="builtin:quotes") for n in range(voters))
    brief = Brief(topic="Which?", participants=people, options=OPTIONS)
    named: dict[Shape, list[str]] = {}
    for name in KNOWN:
        if name in NEEDS_MODERATOR or not (name in (*ALONE, *FORMATS) or VOTES[0] in DECIDED_BY[name]):
            continue
        choices = Choices() if name in ALONE else Choices(strategy=VOTES[0])
        tree = list(parts(build(name, brief, choices)))
        rounds = [part.most for part in tree if isinstance(part, Rounds)]
        if any(isinstance(part, COUNTED) for part in tree) and (rounds or name in ALONE):
            gated = any(isinstance(part, Close) for part in tree)
            shape = Shape(rounds=sum(rounds), gated=gated, alone=name == "single")
            named.setdefault(shape, []).append(name)
    return dict(sorted(named.items(), key=lambda item: (not item[0].alone, item[0].rounds)))


def answers_after(shape: Shape, voters: Voters, talk: Talk, *, seed: int) -> Drawn:
    """The answers on which is voted, by question and voter."""
    chance = np.random.default_rng(seed)
    answers = talk.with_liars(voters.drafts(chance, QUESTIONS)[:, :, 0])
    for _ in range(shape.rounds):
        after = talk.after(answers, chance)
        answers = np.where(_are_apart(answers)[:, None] | (not shape.gated), after, answers)
    return answers


def _are_apart(answers: Drawn) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Whether the answers to a question are further apart than the threshold."""
    voters = answers.shape[1]
    most = np.stack([(answers == answer).sum(axis=1) for answer in range(len(OPTIONS))]).max(axis=0)
    limit = Fraction(str(THRESHOLD))
    return np.array([1 - Fraction(int(count), voters) > limit for count in range(voters + 1)])[most]


def outcomes(answers: Drawn, shape: Shape, rule: str) -> Outcomes:
    """How often a rule decides right and wrong; a tie decides nothing. One who answers for all is any of the voters."""
    if shape.alone:
        right = float((answers == 0).mean())
        return Outcomes(right=right, wrong=1 - right)
    counts = np.stack([(answers == answer).sum(axis=1) for answer in range(len(OPTIONS))], axis=1)
    tally = Counter(tuple(int(count) for count in row) for row in counts)
    won = Counter[str]()
    for votes, many in tally.items():
        won[_winner(rule, votes)] += many
    decided = sum(many for winner, many in won.items() if winner)
    return Outcomes(right=won[OPTIONS[0]] / len(answers), wrong=(decided - won[OPTIONS[0]]) / len(answers))


@cache
def _winner(rule: str, votes: tuple[int, ...]) -> str:
    """Who wins under a rule that ships; "" for nobody."""
    names = [option for option, many in zip(OPTIONS, votes, strict=True) for _ in range(many)]
    ballots = [Ballot(voter=f"Voter {n + 1}", choice=name) for n, name in enumerate(names)]
    decision = STRATEGIES[rule].decide(ballots, OPTIONS)
    return decision.winner if decision.status == "decided" else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """Protocols of one shape under rules that come to the same, with their outcomes by the number of liars."""

    protocols: Sequence[str]
    rules: Sequence[str]
    by_liars: Mapping[int, Outcomes]


def table(voters: Voters, talk: Talk, *, seed: int = 0) -> Iterator[TableRow]:
    """All protocols that vote under all rules for votes, without liars, with one and with two.

    Args:
        voters: who votes; the first ones lie.
        talk: what a round of reading each other does.
        seed: of the draws.
    """
    for shape, protocols in shapes(len(voters.accuracies)).items():
        drawn = {liars: answers_after(shape, voters, replace(talk, liars=liars), seed=seed) for liars in LIARS}
        same: dict[tuple[Outcomes, ...], list[str]] = {}
        for rule in STRATEGIES:
            same.setdefault(tuple(outcomes(drawn[liars], shape, rule) for liars in LIARS), []).append(rule)
        for results, rules in same.items():
            yield TableRow(
                protocols=protocols, rules=() if shape.alone else rules, by_liars=dict(zip(LIARS, results, strict=True))
            )


def table_lines(rows: Sequence[TableRow]) -> Iterator[str]:
    """The table in Markdown."""
    yield "| protocols | rule | no liar | 1 liar | 2 liars |"
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        names, rules = (", ".join(f"`{name}`" for name in items) or "none" for items in (row.protocols, row.rules))
        yield f"| {names} | {rules} | {' | '.join(str(row.by_liars[liars]) for liars in LIARS)} |"
