"""Voting rules: ballots become a decision. Rules read ballots, never texts.

Sums are exact fractions, so that three weights of 0.1 equal one of 0.3 and two thirds are two thirds.
A tie is a tie, and no vote is no decision. A documented fallback is a wrapper around a rule and says so in ``how``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Literal, Protocol

from folkmoot.core.decision import Ballot, Decision, Strength
from folkmoot.core.errors import ProtocolError
from folkmoot.core.text import listed


class Rule(Protocol):
    """A voting rule: ballots become a decision."""

    @property
    def name(self) -> str:
        """What the rule is called in decisions."""
        ...

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide.

        The contract of the tally: its keys are the candidates, in their order; the winner has the most in it; where it
        is a tie, at least two have the most, and they are those who are tied. Reports, recounts and screens read the
        tally so. Whoever decides by several counts puts the last one into it. ``unlawful`` says whether a decision
        keeps the law.

        Args:
            ballots: one for each voter, in the voters' order; a choice is one of the candidates.
            candidates: who or what can be chosen, in the order of the tally.
        """
        ...


def unlawful(decision: Decision, ballots: Sequence[Ballot], candidates: Sequence[str]) -> str:
    """How a rule's decision breaks the law of ``Rule.decide``; "" where it keeps it."""
    tally, winner = decision.tally, decision.winner
    if list(tally) != list(candidates):
        return f"its tally is of {', '.join(tally) or 'nobody'}, not of the candidates {', '.join(candidates)}"
    if decision.ballots != tuple(ballots):
        return "it does not keep the ballots as they were cast"
    if not_finite := [name for name, number in tally.items() if not isfinite(number)]:
        return f"{not_finite[0]} has no finite number in the tally"
    if not 0 <= decision.share <= 1:
        return f"its share is {decision.share:g}, which is not from 0 to 1"
    leading = [name for name, number in tally.items() if number == max(tally.values())]
    if decision.status == "decided" and winner not in leading:
        has = f"{winner or 'nobody'} wins with {tally.get(winner, 0):g} in the tally"
        return (
            f"{has}, and {leading[0]} has {tally[leading[0]]:g}"
            if leading
            else "there is no candidate, and somebody wins"
        )
    if decision.status != "decided" and winner:
        return f"{winner} is the winner of what is {decision.status.replace('_', ' ')}"
    return "it is a tie, and nobody shares the first place" if decision.status == "tie" and len(leading) < 2 else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRule:
    """A rule of another package, whose decisions must keep the law of ``Rule.decide``.

    Attributes:
        rule: the rule.
        package: the package that it comes from.
    """

    rule: Rule
    package: str

    @property
    def name(self) -> str:
        """The name of the rule within."""
        return self.rule.name

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see Rule.

        Raises:
            ProtocolError: the decision breaks the law.
        """
        decision = self.rule.decide(ballots, candidates)
        if wrong := unlawful(decision, ballots, candidates):
            sentence = f"the rule {self.name} of the package {self.package} breaks the law of the tally: {wrong}"
            raise ProtocolError(sentence, about="strategy")
        return decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The candidate with the most weight wins if its share is large enough and nobody else has as much.

    Equal leaders are tied only if each has ``least``, so that one vote more could decide; else none has enough, and
    nothing is decided. Where the only leader has too few, those against it are named as dissent.

    Attributes:
        name: what the rule is called.
        least: the share needed, as a fraction in words: ``1/2``.
        beyond: whether the share must be greater than ``least``, not just equal to it.
        of: what the share is taken of: the ballots ``cast``, or all ``voters`` who did not abstain.
        weighted: whether ballots count by their weight, or each as one.
    """

    name: str
    least: str = "0"
    beyond: bool = True
    of: Literal["cast", "voters"] = "cast"
    weighted: bool = False

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see Rule."""
        tally = count(ballots, candidates, weighted=self.weighted)
        cast = [ballot for ballot in ballots if ballot.state == "cast"]
        base = Decision(
            status="no_decision",
            rule=self.name,
            tally={name: float(weight) for name, weight in tally.items()},
            ballots=tuple(ballots),
        )
        if not cast:
            return replace(base, how=no_vote_reason(ballots, candidates))
        tops = top(tally)
        counted_ballots = cast if self.of == "cast" else [ballot for ballot in ballots if ballot.state != "abstained"]
        total = _sum_weights(counted_ballots, weighted=self.weighted)
        if not total:
            return replace(base, how="all ballots that were cast weigh nothing")
        winner, votes = tops[0], tally[tops[0]]
        share = votes / total
        least, words = Fraction(self.least), weight_in_words(votes)
        if len(tops) > 1 and share >= least:
            how = f"tie: {listed(tops)} have {words} each"
            return replace(base, status="tie", share=float(share), strength="contested", how=how)
        counted = f"{listed(tops)} {'have' if len(tops) > 1 else 'has'} {words} of {weight_in_words(total)}"
        if len(tops) > 1 or not reaches(share, least, beyond=self.beyond):
            how = f"{counted}{' each' if len(tops) > 1 else ''}; {self.name} needs {self._needed()}"
            against = opposing_votes(cast, winner) if len(tops) == 1 else ()
            word = "split" if len(tops) > 1 else self._strength(votes, ballots)
            return replace(base, share=float(share), strength=word, how=how, dissent=against)
        return replace(
            base,
            status="decided",
            winner=winner,
            share=float(share),
            support=tuple(ballot.voter for ballot in cast if ballot.choice == winner),
            strength=self._strength(votes, ballots),
            how=counted,
        )

    def _needed(self) -> str:
        """The share that is needed, in words."""
        if self.least == "1":
            return "all"
        return f"{'more than ' if self.beyond else ''}{self.least}"

    def _strength(self, weight: Fraction, ballots: Sequence[Ballot]) -> Strength:
        """The share of all voters: who abstained or could not be read has not agreed."""
        return strength(weight / _sum_weights(ballots, weighted=self.weighted))


@dataclass(frozen=True, slots=True, kw_only=True)
class Quorum:
    """Another rule, applied only if more than half of the voters cast a ballot or abstained."""

    rule: Rule

    @property
    def name(self) -> str:
        """The name of the rule within."""
        return self.rule.name

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see Rule."""
        decision = self.rule.decide(ballots, candidates)
        if decision.status == "no_decision" or 2 * count_voters(ballots) > len(ballots):
            return decision
        how = f"no quorum: {count_voters(ballots)} of {len(ballots)} ballots could be read; the tally is partial"
        return replace(decision, status="no_decision", winner="", support=(), strength="", how=how)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstProposal:
    """Another rule; where it finds no winner, the first of the tied, or else the first proposal wins.

    This is the documented fallback of the council's debate step. It rewards a position, so it is used only where
    that document is followed to the letter, and ``how`` says that it was.
    """

    rule: Rule

    @property
    def name(self) -> str:
        """The name of the rule within."""
        return self.rule.name

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see Rule."""
        decision = self.rule.decide(ballots, candidates)
        if decision.status == "decided" or not candidates:
            return decision
        highest = max(decision.tally.values(), default=0.0)
        tied = [name for name in candidates if decision.tally[name] == highest] if decision.status == "tie" else []
        winner = tied[0] if tied else candidates[0]
        support = tuple(ballot.voter for ballot in ballots if ballot.state == "cast" and ballot.choice == winner)
        how = f"{decision.how}; fallback: first {'tied ' if tied else ''}proposal"
        return replace(decision, status="decided", winner=winner, support=support, how=how)


PLURALITY = Share(name="plurality")
WEIGHTED = Share(name="weighted plurality", weighted=True)
MAJORITY = Share(name="majority", least="1/2")
SUPERMAJORITY = Share(name="supermajority", least="2/3", beyond=False)
UNANIMITY = Share(name="unanimity", least="1", beyond=False, of="voters")


def opposing_votes(cast: Sequence[Ballot], candidate: str) -> tuple[str, ...]:
    """The votes for other candidates, with the reasons on the ballots."""
    against = [(f"{ballot.voter} for {ballot.choice}", ballot.reason) for ballot in cast if ballot.choice != candidate]
    return tuple(f"{voter}: {reason}" if reason else voter for voter, reason in against)


def count_voters(ballots: Sequence[Ballot]) -> int:
    """How many of the voters cast a ballot or abstained."""
    return sum(ballot.state in ("cast", "abstained") for ballot in ballots)


def count(ballots: Sequence[Ballot], candidates: Sequence[str], *, weighted: bool) -> dict[str, Fraction]:
    """The weight of the votes for each candidate, in the candidates' order."""
    cast: dict[str, list[Ballot]] = {name: [] for name in candidates}
    for ballot in ballots:
        if ballot.state == "cast":
            cast[ballot.choice].append(ballot)
    return {name: _sum_weights(votes, weighted=weighted) for name, votes in cast.items()}


def _sum_weights(ballots: Sequence[Ballot], *, weighted: bool) -> Fraction:
    """The weight of ballots together; where they count equally, how many they are."""
    if not weighted:
        return Fraction(len(ballots))
    return sum((weight_of(ballot, weighted=True) for ballot in ballots), Fraction(0))


def top(tally: dict[str, Fraction]) -> list[str]:
    """The candidates with the most weight, in the order of the tally."""
    highest = max(tally.values())
    return [name for name, weight in tally.items() if weight == highest]


def reaches(share: Fraction, least: Fraction, *, beyond: bool) -> bool:
    """Whether a share is large enough."""
    return share > least if beyond else share >= least


def strength(share: Fraction) -> Strength:
    """A share in a word: 1 is unanimous, above 0.8 strong, from 0.6 moderate, from 0.5 weak, else split."""
    if share >= 1:
        return "unanimous"
    if share > Fraction(4, 5):
        return "strong"
    if share >= Fraction(3, 5):
        return "moderate"
    return "weak" if share >= Fraction(1, 2) else "split"


def no_vote_reason(ballots: Sequence[Ballot], candidates: Sequence[str]) -> str:
    """Why there is no vote to count."""
    if not ballots:
        only = f"{candidates[0]} is the only proposal: " if len(candidates) == 1 else ""
        return f"{only}there was no vote"
    abstained = all(ballot.state == "abstained" for ballot in ballots)
    if len(ballots) == 1:
        return f"the only voter {'abstained' if abstained else 'cast no vote'}"
    return f"all {len(ballots)} voters abstained" if abstained else f"no vote was cast by {len(ballots)} voters"


def weight_of(ballot: Ballot, *, weighted: bool) -> Fraction:
    """The weight of a ballot, or 1 where ballots count equally."""
    return Fraction(str(ballot.weight)) if weighted else Fraction(1)


def weight_in_words(weight: Fraction) -> str:
    """A weight as it is written."""
    return f"{float(weight):g}"
