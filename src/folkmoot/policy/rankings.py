"""Voting rules over rankings: ballots with tiers become a decision.

All rules read a ballot in the same way. Tiers are in order, and candidates within a tier are equal. Candidates that are
not listed rank below all that are, equal to each other. One exception: a voter that ranks the answers of the others
leaves out its own, which counts as equal to each of them. A ballot without tiers ranks only its choice.
Sums are exact fractions. If several candidates have the best sum, it is a tie: no order breaks it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import lcm
from typing import NamedTuple, TypeAlias

from folkmoot.core.decision import Ballot, Decision, Strength
from folkmoot.core.text import listed
from folkmoot.policy.rules import PLURALITY, Share, no_vote_reason, strength, top, weight_in_words, weight_of

HALF = Fraction(1, 2)

Tiers: TypeAlias = tuple[tuple[str, ...], ...]
"""A ranking: the best tier first, those within a tier equal."""


class Profile(NamedTuple):
    """The ballots that were cast, ready to be counted.

    Attributes:
        candidates: all who can win, in the order of the tally.
        ballots: the tiers of each distinct ballot, and its weight.
        total: the weight of all ballots.
        duels: for each ordered pair of candidates the weight of the ballots that set the first above the second.
        yielded: for each ordered pair the weight of the ballots of the second's author that have the first on top.
    """

    candidates: tuple[str, ...]
    ballots: tuple[tuple[Tiers, Fraction], ...]
    total: Fraction
    duels: Mapping[tuple[str, str], Fraction]
    yielded: Mapping[tuple[str, str], Fraction]

    def points(self, candidate: str, other: str) -> Fraction:
        """A candidate's points in a duel: the ballots for it, and half of those that rank both the same."""
        return (self.total + self.duels[candidate, other] - self.duels[other, candidate]) / 2

    def agreed(self, name: str) -> Fraction:
        """A candidate's share of all ballots in its closest duel, 0 to 1; alone it is 1.

        A ballot without an opinion on the two does not agree. Whoever ranks others agrees to what it has on top.
        """
        shares = [self.duels[name, other] + self.yielded[name, other] for other in self.candidates if other != name]
        return min(shares, default=self.total) / self.total


class Tallied(NamedTuple):
    """The count of a rule.

    Attributes:
        tally: a number for each candidate, in the candidates' order; the largest one wins.
        told: what the number is, in words ("points", "duels won"), and how it came about.
        shares: the winner's share where the rule has one of its own; else it is that in its closest duel.
    """

    tally: dict[str, Fraction]
    told: str
    shares: Mapping[str, Fraction] | None = None


def borda(profile: Profile) -> Tallied:
    """Points: one for each candidate below, a half for each that is equal, on each ballot.

    This is Borda's count for rankings with ties; who is not listed shares the points of the places left
    (J.-C. de Borda 1781; for ties D. Black 1976, "Partial justification of the Borda count").
    """
    tally = {
        candidate: sum(
            (profile.points(candidate, other) for other in profile.candidates if other != candidate), Fraction(0)
        )
        for candidate in profile.candidates
    }
    return Tallied(tally=tally, told="points")


def approval(profile: Profile) -> Tallied:
    """How many ballots list a candidate, in whatever place (S. Brams, P. Fishburn 1978, "Approval voting")."""
    tally = dict.fromkeys(profile.candidates, Fraction(0))
    for tiers, fraction in profile.ballots:
        for name in dict.fromkeys(name for tier in tiers for name in tier):
            tally[name] += fraction
    shares = {name: fraction / profile.total for name, fraction in tally.items()}
    return Tallied(tally=tally, told="approvals", shares=shares)


def copeland(profile: Profile) -> Tallied:
    """Duels won, with a half for each that is even (A. Copeland 1951; the half: D. Saari, V. Merlin 1996)."""
    tally = dict.fromkeys(profile.candidates, Fraction(0))
    for candidate, other in profile.duels:
        margin = profile.duels[candidate, other] - profile.duels[other, candidate]
        tally[candidate] += 1 if margin > 0 else 0 if margin < 0 else HALF
    return Tallied(tally=tally, told="duels won")


def minimax(profile: Profile) -> Tallied:
    """The points in one's worst duel, which orders candidates as the greatest margin lost by does.

    Source: P. Simpson 1969, G. Kramer 1977; "Minimax by margins".
    """
    tally = {
        candidate: min(
            (profile.points(candidate, other) for other in profile.candidates if other != candidate),
            default=profile.total,
        )
        for candidate in profile.candidates
    }
    return Tallied(tally=tally, told="points in the worst duel")


def schulze(profile: Profile) -> Tallied:
    """How many candidates do not beat one by the strongest path; whoever is beaten by none wins.

    A path is as strong as its weakest step, a step as strong as the weight of the ballots for it, where it is a win
    (M. Schulze 2011, "A new monotonic, clone-independent, reversal symmetric, and Condorcet-consistent single-winner
    election method", with winning votes).
    """
    duels, none = profile.duels, Fraction(0)
    paths = {
        (winner, other): duels[winner, other] if duels[winner, other] > duels[other, winner] else none
        for winner, other in duels
    }
    for middle in profile.candidates:
        for candidate, other in paths:
            if middle not in (candidate, other):
                paths[candidate, other] = max(
                    paths[candidate, other], min(paths[candidate, middle], paths[middle, other])
                )
    tally = dict.fromkeys(profile.candidates, Fraction(len(profile.candidates) - 1))
    for candidate, other in paths:
        tally[other] -= paths[candidate, other] > paths[other, candidate]
    return Tallied(tally=tally, told="not beaten by so many others on the strongest path")


def instant_runoff(profile: Profile) -> Tallied:
    """Whoever is first on the fewest ballots goes out, until somebody is first on more than half of those that count.

    Also called the alternative vote, or Hare's method (W. Ware 1871). All who have the fewest go out together, so that
    no order decides; where that would be everybody left, it is a tie. A ballot with several on top of those left (an
    overvote) counts for them in equal parts; one that lists none of those left counts no more.
    """
    left = list(profile.candidates)
    course: list[str] = []
    while True:
        tally = _first_choice_weights(profile, left)
        counting = sum(tally.values(), Fraction(0))
        highest, least = max(tally.values()), min(tally.values())
        if 2 * highest > counting or highest == least:
            break
        names = [name for name in left if tally[name] == least]
        course.append(f"{listed(names)} out with {weight_in_words(least)}{' each' if len(names) > 1 else ''}")
        left = [name for name in left if name not in names]
    sentence = f"votes of {weight_in_words(counting)} in round {len(course) + 1}"
    full_tally = {name: tally.get(name, Fraction(0)) for name in profile.candidates}
    return Tallied(tally=full_tally, told=f"{sentence} ({'; '.join(course)})" if course else sentence)


def _first_choice_weights(profile: Profile, left: Sequence[str]) -> dict[str, Fraction]:
    """The weight of the ballots on which each of those left is first; equal ones share a ballot."""
    tally = dict.fromkeys(left, Fraction(0))
    for tiers, fraction in profile.ballots:
        standing = [[name for name in tier if name in tally] for tier in tiers]
        for first in [tier for tier in standing if tier][:1]:
            for name in first:
                tally[name] += fraction / len(first)
    return tally


METHODS: Mapping[str, Callable[[Profile], Tallied]] = {
    "borda": borda,
    "approval": approval,
    "copeland": copeland,
    "schulze": schulze,
    "minimax": minimax,
    "instant_runoff": instant_runoff,
}
"""The ways to count rankings, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """The candidate on top of a count of rankings wins.

    The share is the winner's in its closest duel, of all ballots cast (``Profile.agreed``); with ``approval`` it is the
    part of them that lists it. The strength is the same part of all voters.

    Attributes:
        method: one of METHODS.
        weighted: whether ballots count by their weight, or each as one.
    """

    method: str
    weighted: bool = False

    @property
    def name(self) -> str:
        """What the rule is called in decisions."""
        return self.method.replace("_", " ")

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see ``policy.rules.Rule``."""
        profile = gather(ballots, tuple(candidates), weighted=self.weighted)
        none = Decision(
            status="no_decision", rule=self.name, tally=dict.fromkeys(candidates, 0.0), ballots=tuple(ballots)
        )
        if not profile.total:
            weightless = any(ballot.state == "cast" for ballot in ballots)
            how = "all ballots that were cast weigh nothing" if weightless else no_vote_reason(ballots, candidates)
            return replace(none, how=how)
        count = METHODS[self.method](profile)
        tops = top(count.tally)
        share = count.shares[tops[0]] if count.shares else profile.agreed(tops[0])
        counted = replace(
            none, tally={name: float(fraction) for name, fraction in count.tally.items()}, share=float(share)
        )
        weight = weight_in_words(count.tally[tops[0]])
        if len(tops) > 1:
            how = f"tie: {listed(tops)} have {weight} each: {count.told}"
            return replace(counted, status="tie", strength="contested", how=how)
        winner = tops[0]
        second = max((fraction for name, fraction in count.tally.items() if name != winner), default=Fraction(0))
        next_ = f", the next {weight_in_words(second)}" if len(count.tally) > 1 else ""
        return replace(
            counted,
            status="decided",
            winner=winner,
            support=tuple(
                ballot.voter for ballot in ballots if ballot.state == "cast" and winner in tiers_of(ballot)[0]
            ),
            strength=self._strength(share, ballots, profile),
            how=f"{winner} has {weight}{next_}: {count.told}",
        )

    def _strength(self, share: Fraction, ballots: Sequence[Ballot], profile: Profile) -> Strength:
        """The share, taken of all voters."""
        return strength(share * profile.total / sum(weight_of(ballot, weighted=self.weighted) for ballot in ballots))


def tiers_of(ballot: Ballot) -> Tiers:
    """The ranking that a ballot that was cast comes to: its tiers, or its choice alone."""
    return ballot.ranks or ((ballot.choice,),)


def gather(ballots: Sequence[Ballot], candidates: Sequence[str], *, weighted: bool) -> Profile:
    """The ballots that were cast, those that are alike together; see the head of this file for how they are read."""
    alike: dict[tuple[Tiers, str], Fraction] = {}
    for ballot in ballots:
        if ballot.state == "cast":
            tiers = tiers_of(ballot)
            own = "" if any(ballot.voter in tier for tier in tiers) else ballot.voter
            ranking = (tiers, own if own in candidates else "")
            alike[ranking] = alike.get(ranking, Fraction(0)) + weight_of(ballot, weighted=weighted)
    scale = lcm(*(weight.denominator for weight in alike.values()))  # whole numbers add faster, and as exactly
    duels, yielded = (dict.fromkeys(permutations(candidates, 2), 0) for _ in range(2))
    for (tiers, own), weight in alike.items():
        scaled = int(weight * scale)
        places = {name: n for n, tier in enumerate(tiers) for name in tier}
        judged = [(name, places.get(name, len(tiers))) for name in candidates if name != own]
        for (candidate, above), (other, below) in permutations(judged, 2):
            duels[candidate, other] += scaled * (above < below)
        yielded.update(
            {(candidate, own): yielded[candidate, own] + scaled for candidate, above in judged if own and above == 0}
        )
    return Profile(
        candidates=tuple(candidates),
        ballots=tuple((tiers, weight) for (tiers, _), weight in alike.items()),
        total=sum(alike.values(), Fraction(0)),
        duels={pair: Fraction(value, scale) for pair, value in duels.items()},
        yielded={pair: Fraction(value, scale) for pair, value in yielded.items()},
    )


def condorcet(ballots: Sequence[Ballot], candidates: Sequence[str], *, weighted: bool = False) -> str:
    """The candidate who wins every duel (N. de Condorcet 1785); "" where there is none, or nobody to beat."""
    duels = gather(ballots, tuple(candidates), weighted=weighted).duels
    winners = [
        candidate
        for candidate in candidates
        if len(candidates) > 1
        and all(duels[candidate, other] > duels[other, candidate] for other in candidates if other != candidate)
    ]
    return winners[0] if winners else ""


def elect(rule: str, ballots: Sequence[Ballot], candidates: Sequence[str] = ()) -> Decision:
    """The decision of a rule over weighted rankings; one ballot may represent many equal ones.

    Args:
        rule: one of METHODS, or ``plurality``: the candidate that is alone on top of most ballots.
        ballots: one for each voter, or for each way in which voters rank.
        candidates: who can win; by default all whom the ballots list, in the order in which they are met.

    Raises:
        ValueError: there is no such rule.
    """
    stand = tuple(candidates) or tuple(
        dict.fromkeys(
            name for ballot in ballots if ballot.state == "cast" for tier in tiers_of(ballot) for name in tier
        )
    )
    if rule == PLURALITY.name:
        return Share(name=rule, weighted=True).decide([_single(ballot) for ballot in ballots], stand)
    if rule not in METHODS:
        raise ValueError(f"no rule is called {rule!r}; there are plurality, {', '.join(METHODS)}")
    return Ranked(method=rule, weighted=True).decide(ballots, stand)


def _single(ballot: Ballot) -> Ballot:
    """The ballot for its top candidate; for none where several are on top."""
    if ballot.state != "cast" or len(tiers_of(ballot)[0]) == 1:
        return ballot
    return replace(ballot, state="unread", choice="")
