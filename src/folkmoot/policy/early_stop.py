"""Early stopping of votes: whether a lead is certain, or nearly so, and no more voters need to be asked.

The posterior of a share after some votes is computed in exact fractions. Each vote counts as an independent draw, and
every share is equally likely before the first. Votes of models of one family are not independent, so the result is an
upper bound of the certainty.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Protocol

from folkmoot.core.decision import Ballot, Decision
from folkmoot.policy.rules import Rule, count


def incomplete_beta(x: Fraction, a: int, b: int) -> Fraction:
    """The regularised incomplete beta function I_x(a, b), exactly.

    For whole parameters it is a tail of the binomial distribution: the chance of a or more successes in a + b - 1
    draws with the chance x each (NIST Digital Library of Mathematical Functions, 8.17.5).

    Args:
        x: from 0 to 1.
        a: a whole number, at least 1.
        b: a whole number, at least 1.
    """
    n, hit, miss = a + b - 1, x.numerator, x.denominator - x.numerator
    return Fraction(sum(comb(n, j) * hit**j * miss ** (n - j) for j in range(a, n + 1)), x.denominator**n)


def chance_ahead(leader: int, second: int) -> Fraction:
    """The probability that more than half of all voters would choose the first of two, after some votes for each.

    The share has the posterior Beta(1 + leader, 1 + second) after a uniform prior.

    Args:
        leader: votes for the one.
        second: votes for the other.
    """
    return 1 - incomplete_beta(Fraction(1, 2), 1 + leader, 1 + second)


UNASKED = "not asked: the vote was over"
"""The reason of a missing ballot whose voter was not asked."""


class Early(Protocol):
    """A reason to ask no further voter."""

    def met(self, rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> str:
        """The reason in words; "" as long as there is none.

        Args:
            rule: ballots to decision.
            cast: the ballots of those who were asked.
            left: those of the others, with their weights, missing as yet.
            candidates: who or what can be chosen.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """The rule has the same winner however the others vote, or if they do not vote.

    It is enough to look at the ends: all others for one candidate, for each in turn, all abstain, all are missing. A
    rule by shares that has one winner at all these ends has it in between, for no mixture is worse for the winner.
    """

    def met(self, rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> str:
        """The reason, or ""; see Early."""
        now = _decision_now(rule, cast, left, candidates)
        ends = [[replace(ballot, state="cast", choice=name, reason="") for ballot in left] for name in candidates]
        ends.append([replace(ballot, state="abstained", reason="") for ballot in left])
        winners = {_winner(rule.decide((*cast, *end), candidates)) for end in ends}
        return f"the lead of {now.winner} cannot be overturned" if now.winner and winners == {_winner(now)} else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certain:
    """The rule has a winner already, and the leader is ahead of the second with at least this probability.

    Of the calls saved, the share that decides otherwise than all votes would have is about 1 - ``least`` at most, where
    votes are independent draws. It fits rules by which the one with the most votes wins.

    Attributes:
        least: the probability that is needed, as a decimal in words.
    """

    least: str = "0.95"

    def met(self, rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> str:
        """The reason, or ""; see Early."""
        now = _decision_now(rule, cast, left, candidates)
        tally = sorted(map(int, count(cast, candidates, weighted=False).values()), reverse=True)
        chance = chance_ahead(tally[0], tally[1]) if len(tally) > 1 else Fraction(0)
        if not _winner(now) or chance < Fraction(self.least):
            return ""
        return f"{now.winner} leads with a probability of {float(chance):.3f}"


def _decision_now(rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
    """What the rule decides if nobody else is asked."""
    return rule.decide((*cast, *left), candidates)


def _winner(decision: Decision) -> str:
    return decision.winner if decision.status == "decided" else ""
