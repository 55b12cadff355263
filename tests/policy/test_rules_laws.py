"""What theory promises of the rules for votes, and where it denies it: each with every rule, or a counterexample."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from folkmoot.core.decision import Ballot, BallotState
from folkmoot.phases.choices import STRATEGIES
from folkmoot.phases.ranked_vote import RULES as RANKED
from folkmoot.policy.rankings import Ranked
from folkmoot.policy.rules import PLURALITY, SUPERMAJORITY, FirstProposal, Quorum, Rule, Share
from tests.policy.test_rankings import ballots as rankings

NAMES: tuple[str, ...] = ("A", "B", "C", "D")
SINGLE: dict[str, Rule] = {
    **STRATEGIES,
    **{f"{name} with a quorum": Quorum(rule=rule) for name, rule in STRATEGIES.items()},
    "three quarters": Share(name="x", least="3/4"),
}
STATES: Sequence[BallotState] = ("abstained", "unread", "missing")


@st.composite
def electorates(draw: st.DrawFn) -> list[Ballot]:
    """Up to nine voters with weights, some of whom cast nothing."""
    ballots: list[Ballot] = []
    for n in range(draw(st.integers(0, 9))):
        choice = draw(st.sampled_from((*NAMES, "")))
        ballot = Ballot(voter=f"v{n}", weight=draw(st.sampled_from((0.1, 0.3, 0.5, 1.0, 2.0))))
        ballots.append(
            replace(ballot, choice=choice) if choice else replace(ballot, state=draw(st.sampled_from(STATES)))
        )
    return ballots


@given(name=st.sampled_from(sorted(SINGLE)), given_=electorates(), data=st.data())
def test_anonymity(name: str, given_: list[Ballot], data: st.DataObject) -> None:
    """Who casts which ballot makes no difference: the ballots, with their weights, may change hands."""
    rule = SINGLE[name]
    mixed = [replace(ballot, voter=f"other{n}") for n, ballot in enumerate(data.draw(st.permutations(given_)))]
    decision, other = rule.decide(given_, NAMES), rule.decide(mixed, NAMES)
    assert (decision.status, decision.winner, decision.tally, decision.strength) == (
        other.status,
        other.winner,
        other.tally,
        other.strength,
    )


@given(name=st.sampled_from(sorted(SINGLE)), given_=electorates(), data=st.data())
def test_neutrality(name: str, given_: list[Ballot], data: st.DataObject) -> None:
    """What the candidates are called, and in which order they stand, makes no difference."""
    rule = SINGLE[name]
    new = dict(zip(NAMES, data.draw(st.permutations(NAMES)), strict=True))
    renamed = [replace(ballot, choice=new.get(ballot.choice, "")) for ballot in given_]
    decision, other = rule.decide(given_, NAMES), rule.decide(renamed, data.draw(st.permutations(NAMES)))
    assert (other.status, other.winner) == (decision.status, new.get(decision.winner, ""))
    assert other.tally == {new[text]: weight for text, weight in decision.tally.items()}


@given(name=st.sampled_from(sorted(SINGLE)), given_=electorates(), data=st.data())
def test_monotonicity(name: str, given_: list[Ballot], data: st.DataObject) -> None:
    """Whoever turns to the winner, from another or from silence, leaves it the winner."""
    rule = SINGLE[name]
    winner = rule.decide(given_, NAMES).winner
    assume(winner)
    n = data.draw(st.integers(0, len(given_) - 1))
    turned = replace(given_[n], state="cast", choice=winner)
    assert rule.decide([*given_[:n], turned, *given_[n + 1 :]], NAMES).winner == winner


def test_the_documented_fallback_is_not_neutral() -> None:
    """It rewards whoever stands first, which is why no strategy of ours uses it."""
    tied = [Ballot(voter="v0", choice="A"), Ballot(voter="v1", choice="B")]
    rule = FirstProposal(rule=PLURALITY)
    assert (rule.decide(tied, ("A", "B")).winner, rule.decide(tied, ("B", "A")).winner) == ("A", "B")
    assert not any(isinstance(strategy, FirstProposal) for strategy in STRATEGIES.values())


def test_instant_runoff_is_not_monotone() -> None:
    """Two of C's voters, who turn to the winner A, make it lose (P. Fishburn, S. Brams 1983)."""
    rule = RANKED["instant_runoff"]
    names = ("A", "B", "C")
    assert rule.decide(rankings("6: A B C", "5: C A B", "4: B C A", "2: B A C"), names).winner == "A"
    assert rule.decide(rankings("8: A B C", "5: C A B", "4: B C A"), names).winner == "C"


def test_borda_and_instant_runoff_may_pass_over_whoever_wins_every_duel() -> None:
    names = ("A", "B", "C")
    duels = rankings("3: A B C", "2: B C A")
    assert Ranked(method="copeland").decide(duels, names).winner == "A"
    assert Ranked(method="borda").decide(duels, names).winner == "B"
    squeezed = rankings("4: B A C", "4: C A B", "3: A B C")
    assert Ranked(method="schulze").decide(squeezed, names).winner == "A"
    assert Ranked(method="instant_runoff").decide(squeezed, names).winner == "B"


@pytest.mark.parametrize(("cast", "against"), [(2, 1), (4, 2), (200, 100)])
def test_two_thirds_are_two_thirds(cast: int, against: int) -> None:
    given_ = [Ballot(voter=f"v{n}", choice="A" if n < cast else "B") for n in range(cast + against)]
    assert SUPERMAJORITY.decide(given_, ("A", "B")).status == "decided"
    one_less = [replace(given_[0], choice="B"), *given_[1:]]
    assert SUPERMAJORITY.decide(one_less, ("A", "B")).winner != "A"
