"""Rules: ballots to decision."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.decision import Ballot
from folkmoot.policy.rules import (
    MAJORITY,
    PLURALITY,
    SUPERMAJORITY,
    UNANIMITY,
    WEIGHTED,
    FirstProposal,
    Quorum,
    Rule,
    Share,
    strength,
)

NAMES = ("A", "B", "C")


def ballots(votes: str, weights: dict[str, float] | None = None) -> list[Ballot]:
    """``"B A - ? !"``: votes in the voters' order; - abstains, ? was unread, ! is missing."""
    states = {"-": "abstained", "?": "unread", "!": "missing"}
    counted_ballots: list[Ballot] = []
    for n, vote in enumerate(votes.split()):
        voter = f"voter{n}"
        weight = (weights or {}).get(voter, 1.0)
        if vote in states:
            counted_ballots.append(Ballot(voter=voter, state=states[vote], weight=weight))  # pyright: ignore[reportArgumentType]
        else:
            counted_ballots.append(Ballot(voter=voter, choice=vote, weight=weight))
    return counted_ballots


@pytest.mark.parametrize(
    ("rule", "votes", "status", "winner", "strength"),
    [
        (PLURALITY, "B B A", "decided", "B", "moderate"),  # K1
        (PLURALITY, "B A", "tie", "", "contested"),  # K3 without the fallback
        (PLURALITY, "A A B C", "decided", "A", "weak"),
        (PLURALITY, "A A B B", "tie", "", "contested"),  # R11
        (PLURALITY, "- - -", "no_decision", "", ""),  # F64
        (PLURALITY, "? ! -", "no_decision", "", ""),
        (PLURALITY, "A", "decided", "A", "unanimous"),
        (PLURALITY, "A ! !", "decided", "A", "split"),
        (MAJORITY, "A B", "tie", "", "contested"),  # D3
        (
            MAJORITY,
            "A B C",
            "no_decision",
            "",
            "split",
        ),  # equal leaders, and no majority: one vote more decides nothing
        (MAJORITY, "A A B B C", "no_decision", "", "split"),
        (MAJORITY, "A A B B", "tie", "", "contested"),  # half each: one vote more would decide
        (MAJORITY, "A B - -", "tie", "", "contested"),
        (SUPERMAJORITY, "A B", "no_decision", "", "split"),
        (UNANIMITY, "A B", "no_decision", "", "split"),
        (MAJORITY, "A A B C", "no_decision", "", "weak"),
        (MAJORITY, "A A A B C", "decided", "A", "moderate"),
        (SUPERMAJORITY, "A A B", "decided", "A", "moderate"),  # exactly two thirds
        (SUPERMAJORITY, "A A A B B", "no_decision", "", "moderate"),
        (SUPERMAJORITY, "A A A A A A B B B", "decided", "A", "moderate"),
        (UNANIMITY, "A A B", "no_decision", "", "moderate"),  # D5
        (UNANIMITY, "A A A", "decided", "A", "unanimous"),
        (UNANIMITY, "A A -", "decided", "A", "moderate"),
        (UNANIMITY, "A A !", "no_decision", "", "moderate"),
    ],
)
def test_what_a_rule_decides(rule: Rule, votes: str, status: str, winner: str, strength: str) -> None:
    decision = rule.decide(ballots(votes), NAMES)
    assert (decision.status, decision.winner, decision.strength) == (status, winner, strength)
    assert decision.rule == rule.name
    assert tuple(decision.tally) == NAMES
    assert decision.how


@pytest.mark.parametrize(
    ("rule", "votes", "dissent"),
    [
        (UNANIMITY, "A B A -", ("V1 for B: so",)),  # D5: with agent and reason
        (SUPERMAJORITY, "A B A C A", ("V1 for B: so", "V3 for C: so")),
        (MAJORITY, "A B", ()),  # nobody leads
        (MAJORITY, "A B C", ()),
        (MAJORITY, "A A A B", ()),  # it is decided: who lost is named with the words of the proposals
        (Quorum(rule=UNANIMITY), "A B A - - -", ("V1 for B: so",)),
    ],
)
def test_who_is_against_is_named_where_too_few_agree(rule: Rule, votes: str, dissent: tuple[str, ...]) -> None:
    counted_ballots = [
        Ballot(voter=f"V{n}", state="abstained") if vote == "-" else Ballot(voter=f"V{n}", choice=vote, reason="so")
        for n, vote in enumerate(votes.split())
    ]
    assert rule.decide(counted_ballots, NAMES).dissent == dissent


@pytest.mark.parametrize(
    ("votes", "how"),
    [
        ("- - -", "all 3 voters abstained"),
        ("? !", "no vote was cast by 2 voters"),
        ("?", "the only voter cast no vote"),
        ("-", "the only voter abstained"),
        ("", "there was no vote"),
        ("B B A", "B has 2 of 3"),
        ("A B", "tie: A and B have 1 each"),
        ("A B C", "tie: A, B and C have 1 each"),
    ],
)
def test_a_decision_says_how_it_followed(votes: str, how: str) -> None:
    assert PLURALITY.decide(ballots(votes), NAMES).how == how


def test_where_one_is_left_no_vote_is_held() -> None:
    decision = FirstProposal(rule=PLURALITY).decide((), ("A",))
    assert decision.how == "A is the only proposal: there was no vote; fallback: first proposal"


def test_a_share_that_falls_short_says_what_was_needed() -> None:
    assert MAJORITY.decide(ballots("A A B C"), NAMES).how == "A has 2 of 4; majority needs more than 1/2"
    assert SUPERMAJORITY.decide(ballots("A A A B B"), NAMES).how == "A has 3 of 5; supermajority needs 2/3"
    assert MAJORITY.decide(ballots("A B C"), NAMES).how == "A, B and C have 1 of 3 each; majority needs more than 1/2"
    assert UNANIMITY.decide(ballots("A A B"), NAMES).how == "A has 2 of 3; unanimity needs all"


def test_weights_count_only_where_the_rule_weighs() -> None:
    weights = {"voter0": 0.9, "voter1": 0.4, "voter2": 0.4}
    assert WEIGHTED.decide(ballots("A B B", weights), NAMES).winner == "A"
    assert PLURALITY.decide(ballots("A B B", weights), NAMES).winner == "B"


def test_sums_of_weights_are_exact() -> None:
    weights = {"voter0": 0.1, "voter1": 0.2, "voter2": 0.3}
    assert WEIGHTED.decide(ballots("A A B", weights), NAMES).status == "tie"


@pytest.mark.parametrize(
    ("votes", "winner", "how"),
    [
        ("B A", "A", "tie: A and B have 1 each; fallback: first tied proposal"),  # K3: not the first voted for
        ("C B", "B", "tie: B and C have 1 each; fallback: first tied proposal"),
        ("- - -", "A", "all 3 voters abstained; fallback: first proposal"),  # K5
        ("? ?", "A", "no vote was cast by 2 voters; fallback: first proposal"),
        ("B B A", "B", "B has 2 of 3"),
    ],
)
def test_the_documented_fallback_is_a_wrapper_and_says_so(votes: str, winner: str, how: str) -> None:
    decision = FirstProposal(rule=PLURALITY).decide(ballots(votes), NAMES)
    assert (decision.status, decision.winner, decision.how) == ("decided", winner, how)


def test_the_fallback_of_an_unweighted_tie_looks_at_no_weight() -> None:
    decision = FirstProposal(rule=PLURALITY).decide(ballots("A B", {"voter0": 1.0, "voter1": 2.0}), NAMES)
    assert decision.winner == "A"


def test_the_fallback_needs_a_proposal() -> None:
    assert FirstProposal(rule=PLURALITY).decide([], ()).status == "no_decision"
    assert FirstProposal(rule=PLURALITY).name == "plurality"


@pytest.mark.parametrize(
    ("votes", "status"),
    [("A A ! ! !", "no_decision"), ("A A -  ! !", "decided"), ("A ?", "no_decision"), ("! !", "no_decision")],
)
def test_a_quorum_is_more_than_half_of_the_voters(votes: str, status: str) -> None:
    decision = Quorum(rule=PLURALITY).decide(ballots(votes), NAMES)
    assert decision.status == status
    assert Quorum(rule=PLURALITY).name == "plurality"
    if "A A !" in votes and status == "no_decision":
        assert decision.how == "no quorum: 2 of 5 ballots could be read; the tally is partial"
        assert decision.tally["A"] == 2.0


@pytest.mark.parametrize(
    ("share", "word"),
    [
        (Fraction(1), "unanimous"),
        (Fraction(81, 100), "strong"),
        (Fraction(4, 5), "moderate"),
        (Fraction(3, 5), "moderate"),
        (Fraction(59, 100), "weak"),
        (Fraction(1, 2), "weak"),
        (Fraction(49, 100), "split"),
    ],
)
def test_strength_at_its_boundaries(share: Fraction, word: str) -> None:
    assert strength(share) == word


VOTES = st.lists(st.sampled_from(["A", "B", "C", "-", "?", "!"]), max_size=9)
RULES = st.sampled_from([PLURALITY, WEIGHTED, MAJORITY, SUPERMAJORITY, UNANIMITY, Share(name="x", least="3/4")])
WEIGHTS = st.dictionaries(st.sampled_from([f"voter{n}" for n in range(9)]), st.floats(0.01, 10))


@given(votes=VOTES, rule=RULES, weights=WEIGHTS)
def test_one_more_vote_for_the_winner_keeps_the_winner(
    votes: list[str], rule: Share, weights: dict[str, float]
) -> None:
    before = rule.decide(ballots(" ".join(votes), weights), NAMES)
    if before.status == "decided":
        after = rule.decide(ballots(" ".join([*votes, before.winner]), weights), NAMES)
        assert after.winner == before.winner


@given(votes=VOTES, rule=RULES, order=st.permutations(NAMES))
def test_the_order_of_candidates_decides_nothing(votes: list[str], rule: Share, order: list[str]) -> None:
    decision = rule.decide(ballots(" ".join(votes)), NAMES)
    other = rule.decide(ballots(" ".join(votes)), order)
    assert (decision.status, decision.winner, decision.share) == (other.status, other.winner, other.share)


@given(votes=VOTES, rule=RULES, weights=WEIGHTS)
def test_the_tally_is_the_sum_of_the_ballots_cast(votes: list[str], rule: Share, weights: dict[str, float]) -> None:
    counted_ballots = ballots(" ".join(votes), weights)
    decision = rule.decide(counted_ballots, NAMES)
    cast = sum((b.weight if rule.weighted else 1.0) for b in counted_ballots if b.state == "cast")
    assert sum(decision.tally.values()) == pytest.approx(cast)
    assert decision.ballots == tuple(counted_ballots)
    assert set(decision.support) <= {b.voter for b in counted_ballots if b.choice == decision.winner}


def test_ballots_that_weigh_nothing_decide_nothing() -> None:
    ballots = [Ballot(voter="Ann", choice="a", weight=0.0), Ballot(voter="Bob", choice="b", weight=0.0)]
    decision = WEIGHTED.decide(ballots, ("a", "b"))
    assert (decision.status, decision.how) == ("no_decision", "all ballots that were cast weigh nothing")
