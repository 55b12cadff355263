"""Consensus for programs that run their own debates: the strength of an agreement, and the weight of a vote.

Both by their documented names. Debates that Folkmoot runs use the same formulas: ``policy.rules.strength``, and
``vote_weights: elo_calibration`` in a brief.
"""

import math
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from typing import Protocol, Self

from folkmoot.core.errors import BriefError
from folkmoot.learn.calibration import document_weight
from folkmoot.policy.rules import strength


class ConsensusStrength(Enum):
    """How strong a consensus is, by the share of those who agree.

    >>> ConsensusStrength.of(4, 5)
    <ConsensusStrength.MODERATE: 'moderate'>
    """

    UNANIMOUS = "unanimous"
    STRONG = "strong"
    MODERATE = "moderate"
    WEAK = "weak"
    SPLIT = "split"
    CONTESTED = "contested"

    @classmethod
    def of(cls, agreeing: int, voters: int, *, tied: bool = False) -> Self:
        """The strength of a result: all, above 80%, from 60%, from 50%, else split; contested where it is a tie.

        Args:
            agreeing: how many voted for the winner, or for one of those who are tied.
            voters: how many could vote; who abstained or could not be read has not agreed.
            tied: whether several candidates have the most votes.

        Raises:
            BriefError: there are no voters, or more agree than there are.
        """
        if voters < 1 or not 0 <= agreeing <= voters:
            problem = (
                f"{agreeing} of {voters} voters cannot agree; there must be 1 voter or more, and no more can agree"
            )
            raise BriefError(problem, code="out_of_range")
        return cls("contested" if tied else strength(Fraction(agreeing, voters)))


class Rated(Protocol):
    """An agent whose results are known."""

    @property
    def name(self) -> str:
        """The name."""
        ...

    @property
    def elo(self) -> float:
        """Its points; 1500 without a match."""
        ...

    @property
    def calibration_score(self) -> float:
        """How well its stated confidence fits its results, 0 to 1; 0.5 if nothing is known."""
        ...


class VoteWeightCalculator:
    """Says what the vote of each agent weighs: (elo - 1000) / 500, times 0.5 + calibration score.

    Below 1000 points that formula gives less than 0. Such a vote weighs 0 here: a vote cannot count against its choice.

    Args:
        agents: who votes, each with ``name``, ``elo`` and ``calibration_score``.
        floor: what a vote weighs at least, so that nobody has none.

    Raises:
        BriefError: two agents have one name, a number is not finite, the floor is below 0, or a calibration score is
            not from 0 to 1.

    >>> from types import SimpleNamespace
    >>> ann = SimpleNamespace(name="Ann", elo=1500, calibration_score=0.5)
    >>> VoteWeightCalculator([ann]).calculate_weight("Ann")
    1.0
    """

    def __init__(self, agents: Iterable[Rated], *, floor: float = 0.0) -> None:
        if not 0 <= floor < math.inf:
            raise BriefError(f"floor is {floor}; it must be 0 or more, and finite", code="out_of_range")
        self._floor = floor
        self._agents: dict[str, Rated] = {}
        for agent in agents:
            if agent.name in self._agents:
                raise BriefError(f"two agents are called {agent.name!r}; each needs its name", code="duplicate_name")
            _check(agent)
            self._agents[agent.name] = agent

    def calculate_weight(self, agent_name: str) -> float:
        """The weight of an agent's vote, from the floor.

        Raises:
            BriefError: there is no such agent.
        """
        if agent_name not in self._agents:
            names = ", ".join(self._agents) or "none"
            raise BriefError(f"there is no agent {agent_name!r}; there are {names}", code="bad_name")
        agent = self._agents[agent_name]
        return max(self._floor, document_weight(agent.elo, agent.calibration_score))


def _check(agent: Rated) -> None:
    if not math.isfinite(agent.elo):
        raise BriefError(f"{agent.name}: elo is {agent.elo}; it must be a finite number", code="out_of_range")
    if not 0 <= agent.calibration_score <= 1:
        problem = f"{agent.name}: calibration_score is {agent.calibration_score}; it must be from 0 to 1"
        raise BriefError(problem, code="out_of_range")
