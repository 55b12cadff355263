"""When a vote needs no more voters. This file owns what must be certain, or nearly so, before nobody else is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from moot.core.decision import Ballot, Decision
from moot.policy.beta import chance_ahead
from moot.policy.rules import Rule, count

UNASKED = "not asked: the vote was over"
"""Why a ballot is missing whose voter was not asked any more."""


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
    """However the others vote, if at all, the rule comes to the same winner.

    It is enough to look at the ends: all others for one candidate, for each in turn, all abstain, all are missing. A
    rule by shares that has one winner at all these ends has it in between, for no mixture is worse for the winner.
    """

    def met(self, rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> str:
        """The reason, or ""; see Early."""
        now = _now(rule, cast, left, candidates)
        ends = [[replace(each, state="cast", choice=name, reason="") for each in left] for name in candidates]
        ends.append([replace(each, state="abstained", reason="") for each in left])
        winners = {_winner(rule.decide((*cast, *end), candidates)) for end in ends}
        return f"the lead of {now.winner} cannot be overturned" if now.winner and winners == {_winner(now)} else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Certain:
    """The rule has a winner already, and the leader is ahead of the second with so much certainty.

    Of the calls saved, the share that decides otherwise than all votes would have is about 1 - ``least`` at most, where
    votes are independent draws. It fits rules by which the one with the most votes wins.

    Attributes:
        least: the probability that is needed, as a decimal in words.
    """

    least: str = "0.95"

    def met(self, rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> str:
        """The reason, or ""; see Early."""
        now = _now(rule, cast, left, candidates)
        tally = sorted(map(int, count(cast, candidates, weighted=False).values()), reverse=True)
        chance = chance_ahead(tally[0], tally[1]) if len(tally) > 1 else Fraction(0)
        if not _winner(now) or chance < Fraction(self.least):
            return ""
        return f"{now.winner} leads with a probability of {float(chance):.3f}"


def _now(rule: Rule, cast: Sequence[Ballot], left: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
    """What the rule decides if nobody else is asked."""
    return rule.decide((*cast, *left), candidates)


def _winner(decision: Decision) -> str:
    return decision.winner if decision.status == "decided" else ""
