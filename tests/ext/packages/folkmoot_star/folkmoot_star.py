"""The rule ``star``: scores, then a runoff of the best by how many ballots prefer each (equal.vote/star)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from folkmoot.ext import Ballot, CountingRule, Decision, listed, no_vote_reason, option, strength, tiers_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Star:
    """Score then automatic runoff; the tally is that of the runoff, so that the winner has the most in it."""

    name: str = "star"
    finalists: int = option(2, "How many of the best by scores are in the runoff.", low=2, high=5)

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see ``folkmoot.ext.Rule``."""
        cast = [ballot for ballot in ballots if ballot.state == "cast"]
        tally = dict.fromkeys(candidates, 0.0)
        if not cast:
            how = no_vote_reason(ballots, candidates)
            return Decision(status="no_decision", rule=self.name, tally=tally, ballots=tuple(ballots), how=how)
        points = {name: sum(dict(ballot.scores).get(name, 0.0) for ballot in cast) for name in candidates}
        least = sorted(points.values(), reverse=True)[: self.finalists][-1]
        final = [name for name in candidates if points[name] >= least]
        for ballot in cast:
            scores = {name: dict(ballot.scores).get(name, 0.0) for name in final}
            best = [name for name in final if scores[name] == max(scores.values())]
            if len(best) == 1:
                tally[best[0]] += 1.0
        top = [name for name in final if tally[name] == max(tally.values())]
        text = f"by scores {', '.join(f'{name} {points[name]:g}' for name in candidates)}; runoff of {listed(final)}"
        winner = top[0] if len(top) == 1 else ""
        share = Fraction(int(tally[top[0]]), len(cast))
        return Decision(
            status="decided" if winner else "tie",
            winner=winner,
            rule=self.name,
            tally=tally,
            share=float(share),
            strength=strength(share) if winner else "contested",
            support=tuple(ballot.voter for ballot in cast if winner and winner in tiers_of(ballot)[0]),
            ballots=tuple(ballots),
            how=f"{text}: {listed(top)} {'has' if winner else 'have'} {tally[top[0]]:g} of {len(cast)}",
        )


star = CountingRule(rule=Star(), ballot="scores")
