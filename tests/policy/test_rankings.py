"""Rules over rankings: ballots with tiers to decision."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, permutations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from folkmoot.core.decision import Ballot
from folkmoot.policy.rankings import METHODS, Ranked, condorcet, elect, gather

NAMES = ("A", "B", "C", "D")


def ballots(*rows: str) -> list[Ballot]:
    """``"3: A B=C"``: three voters rank A above B and C, who are equal; ``-`` abstains."""
    counted_ballots: list[Ballot] = []
    for row in rows:
        count, _, ranking = row.rpartition(": ")
        ranks = tuple(tuple(tier.split("=")) for tier in ranking.split())
        for _ in range(int(count or 1)):
            voter = f"voter{len(counted_ballots)}"
            abstains = ranking == "-"
            counted_ballots.append(
                Ballot(voter=voter, state="abstained")
                if abstains
                else Ballot(voter=voter, choice=ranks[0][0], ranks=ranks)
            )
    return counted_ballots


# Tennessee's capital: https://en.wikipedia.org/wiki/Schulze_method and its neighbours use the same figures.
CAPITAL = ("42: M N C K", "26: N C K M", "15: C K N M", "17: K C N M")
# M. Schulze 2011, section 2: 45 voters, five candidates; E wins, though nobody wins every duel.
SCHULZE = ("5: A C B E D", "5: A D E C B", "8: B E D A C", "3: C A B E D", "7: C A E B D", "2: C B A D E",
           "7: D C E B A", "8: E B A D C")  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "candidates", "winners"),
    [
        (CAPITAL, "MNCK", {"borda": "N", "copeland": "N", "schulze": "N", "minimax": "N", "instant_runoff": "K"}),
        (SCHULZE, "ABCDE", {"schulze": "E"}),
        (("A=B", "A"), "AB", {"approval": "A"}),
        (("2: A", "B C A"), "ABC", {"borda": "A", "approval": "A", "instant_runoff": "A"}),
    ],
)
def test_who_wins(rows: Sequence[str], candidates: str, winners: dict[str, str]) -> None:
    for rule, winner in winners.items():
        assert Ranked(method=rule).decide(ballots(*rows), tuple(candidates)).winner == winner


@pytest.mark.parametrize(
    ("rule", "rows", "tally", "how"),
    [
        ("borda", ("A B C",), (2, 1, 0), "A has 2, the next 1: points"),
        ("borda", ("A B=C",), (2, 0.5, 0.5), "A has 2, the next 0.5: points"),
        ("borda", ("A",), (2, 0.5, 0.5), "A has 2, the next 0.5: points"),  # who is not listed shares the rest
        ("approval", ("A B", "B"), (1, 2, 0), "B has 2, the next 1: approvals"),
        ("copeland", ("A B C", "A C B"), (2, 0.5, 0.5), "A has 2, the next 0.5: duels won"),
        ("minimax", ("2: A B C", "C A B"), (2, 0, 1), "A has 2, the next 1: points in the worst duel"),
        ("schulze", ("2: A B C", "C A B"), (2, 1, 0),
         "A has 2, the next 1: not beaten by so many others on the strongest path"),
        ("instant_runoff", ("2: A", "2: B", "C B"), (2, 3, 0),
         "B has 3, the next 2: votes of 5 in round 2 (C out with 1)"),
        ("instant_runoff", ("A=B", "A", "C"), (2, 0, 1),  # the half of an overvote, and the whole of it
         "A has 2, the next 1: votes of 3 in round 2 (B out with 0.5)"),
        ("instant_runoff", ("3: A", "B A", "C A"), (3, 1, 1), "A has 3, the next 1: votes of 5 in round 1"),
        ("instant_runoff", ("2: A", "B A", "C A"), (4, 0, 0),
         "A has 4, the next 0: votes of 4 in round 2 (B and C out with 1 each)"),
    ],
)  # fmt: skip
def test_what_is_counted(rule: str, rows: Sequence[str], tally: tuple[float, ...], how: str) -> None:
    decision = Ranked(method=rule).decide(ballots(*rows), ("A", "B", "C"))
    assert (tuple(decision.tally.values()), decision.how) == (tally, how)


@pytest.mark.parametrize("rule", METHODS)
def test_a_tie_is_a_tie(rule: str) -> None:
    decision = Ranked(method=rule).decide(ballots("A B", "B A"), ("A", "B", "C"))
    assert (decision.status, decision.winner, decision.strength) == ("tie", "", "contested")
    assert decision.how.startswith("tie: A and B have ")


@pytest.mark.parametrize("rule", METHODS)
def test_without_a_ballot_there_is_no_decision(rule: str) -> None:
    decision = Ranked(method=rule).decide(ballots("-", "-"), NAMES)
    assert (decision.status, decision.how) == ("no_decision", "all 2 voters abstained")
    assert decision.tally == dict.fromkeys(NAMES, 0.0)


@pytest.mark.parametrize("rule", METHODS)
def test_a_candidate_alone_wins(rule: str) -> None:
    decision = Ranked(method=rule).decide(ballots("A"), ("A",))
    assert (decision.status, decision.winner, decision.share, decision.strength) == ("decided", "A", 1.0, "unanimous")


def test_whoever_ranks_others_says_nothing_about_its_own() -> None:
    """Bob's own answer is equal to each other on his ballot; Cy cast none, and wins nothing by that."""
    counted_ballots = [
        Ballot(voter="Ann", choice="Bob", ranks=(("Bob",), ("Cy",))),
        Ballot(voter="Bob", choice="Ann", ranks=(("Ann",), ("Cy",))),
        Ballot(voter="Cy", state="missing"),
    ]
    profile = gather(counted_ballots, ("Ann", "Bob", "Cy"), weighted=False)
    assert profile.points("Ann", "Bob") == profile.points("Bob", "Ann") == 1
    assert profile.duels["Bob", "Ann"] == 0
    decision = Ranked(method="borda").decide(counted_ballots, ("Ann", "Bob", "Cy"))
    assert decision.tally == {"Ann": 2.5, "Bob": 2.5, "Cy": 1.0}


@pytest.mark.parametrize(
    ("rows", "share", "word"),
    [
        (("5: A B C",), 1.0, "unanimous"),
        (("9: A B C", "B A C"), 0.9, "strong"),
        (("4: A B C", "B A C"), 0.8, "moderate"),
        (("3: A B C", "2: B A C"), 0.6, "moderate"),
        (("5: A B C", "4: B A C"), 5 / 9, "weak"),
        (("9: A B C", "1: -"), 1.0, "strong"),  # who abstained has not agreed
        (("A B C", "4: A=B C"), 0.2, "split"),  # nor has whoever sets none above the other
        (("3: A B", "2: C"), 0.6, "moderate"),
    ],
)
def test_strength_is_the_share_in_the_closest_duel(rows: Sequence[str], share: float, word: str) -> None:
    decision = Ranked(method="schulze").decide(ballots(*rows), ("A", "B", "C"))
    assert (decision.winner, decision.share, decision.strength) == ("A", pytest.approx(share), word)


@pytest.mark.parametrize(
    ("rankings", "share", "word"),
    [
        ({"Ann": "Ben Cay", "Ben": "Ann Cay", "Cay": "Ben Ann"}, 2 / 3, "moderate"),  # Ben has not voted for himself
        ({"Ann": "Ben Cay", "Ben": "Ann Cay", "Cay": "Ben Ann", "Dot": "Ben Ann Cay"}, 3 / 4, "moderate"),
        ({"Ann": "Ben=Cay", "Ben": "Ann", "Cay": "Ben Ann", "Dot": "Ben"}, 1 / 2, "weak"),  # Ann is not for Ben alone
        ({"Ann": "Cay Ben", "Ben": "Cay Ann", "Cay": "Ben Ann", "Dot": "Ben", "Eve": "Ben Ann Cay"}, 3 / 5, "moderate"),
        ({"Dot": "Ben Ann", "Eve": "Ben Cay", "Fay": "Ben"}, 1.0, "unanimous"),  # nobody's own answer stands there
    ],
)
@pytest.mark.parametrize("rule", ["borda", "copeland", "schulze", "minimax", "instant_runoff"])
def test_whoever_cannot_rank_its_own_answer_does_not_make_the_vote_unanimous(
    rule: str, rankings: dict[str, str], share: float, word: str
) -> None:
    cast_ = [
        Ballot(voter=voter, choice=ranks[0][0], ranks=ranks)
        for voter, ranking in rankings.items()
        for ranks in [tuple(tuple(tier.split("=")) for tier in ranking.split())]
    ]
    decision = Ranked(method=rule).decide(cast_, ("Ann", "Ben", "Cay"))
    assert (decision.winner, decision.share, decision.strength) == ("Ben", pytest.approx(share), word)


def test_support_is_who_has_the_winner_on_top() -> None:
    decision = Ranked(method="borda").decide(ballots("A B", "A=B", "B A", "A"), ("A", "B", "C"))
    assert decision.support == ("voter0", "voter1", "voter3")


def test_weights_count_where_the_rule_weighs() -> None:
    counted_ballots = [
        replace(ballots("A B")[0], weight=n / 10, ranks=((name,),), choice=name) for n, name in ((3, "A"), (2, "B"))
    ]
    assert Ranked(method="borda").decide(counted_ballots, ("A", "B")).status == "tie"
    assert Ranked(method="borda", weighted=True).decide(counted_ballots, ("A", "B")).winner == "A"
    assert elect("approval", counted_ballots).tally == {"A": 0.3, "B": 0.2}


def test_ballots_without_weight_decide_nothing() -> None:
    decision = elect("schulze", [replace(ballot, weight=0.0) for ballot in ballots("A B", "B A")])
    assert (decision.status, decision.how) == ("no_decision", "all ballots that were cast weigh nothing")


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="no rule is called 'dodgson'; there are plurality, borda, approval"):
        elect("dodgson", ballots("A"))


def test_plurality_counts_who_is_alone_on_top() -> None:
    assert elect("plurality", ballots("A=B", "B", "C B", "C", "-")).tally == {"A": 0.0, "B": 1.0, "C": 2.0}


@pytest.mark.parametrize(
    ("rows", "winner"),
    [(CAPITAL, "N"), (SCHULZE, ""), (("A B C", "B C A", "C A B"), ""), (("A", "B"), ""), (("A",), "")],
)
def test_the_condorcet_winner(rows: Sequence[str], winner: str) -> None:
    counted_ballots = ballots(*rows)
    assert (
        condorcet(
            counted_ballots, tuple(dict.fromkeys(text for b in counted_ballots for tier in b.ranks for text in tier))
        )
        == winner
    )


def test_candidates_may_be_the_letters_of_a_word_that_is_a_voters_name() -> None:
    counted_ballots = [Ballot(voter="ab", choice="a", ranks=(("a",), ("b",)))]
    assert condorcet(counted_ballots, "ab") == Ranked(method="schulze").decide(counted_ballots, "ab").winner == "a"


# ---- what theory promises ------------------------------------------------------------------------------------------


@st.composite
def rankings(draw: st.DrawFn, names: tuple[str, ...] = NAMES) -> tuple[tuple[str, ...], ...]:
    """Tiers of some of the candidates, at least one."""
    order = draw(st.permutations(names))
    texts = order[: draw(st.integers(1, len(names)))]
    cuts = draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    tiers: list[list[str]] = [[]]
    for name, cut in zip(texts, cuts, strict=True):
        if cut and tiers[-1]:
            tiers.append([])
        tiers[-1].append(name)
    return tuple(map(tuple, tiers))


def cast(ranks: tuple[tuple[str, ...], ...], n: int = 0, weight: float = 1.0) -> Ballot:
    return Ballot(voter=f"voter{n}", choice=ranks[0][0], ranks=ranks, weight=weight)


@st.composite
def electorates(draw: st.DrawFn) -> list[Ballot]:
    rows = draw(st.lists(st.tuples(rankings(), st.integers(1, 3)), min_size=1, max_size=7))
    return [cast(ranks, n, float(weight)) for n, (ranks, weight) in enumerate(rows)]


def tops(rule: str, counted_ballots: Sequence[Ballot], names: tuple[str, ...] = NAMES) -> set[str]:
    tally = elect(rule, counted_ballots, names).tally
    return {name for name, number in tally.items() if number == max(tally.values())}


@pytest.mark.parametrize("rule", METHODS)
@given(ballots=electorates(), data=st.data())
def test_anonymity_and_neutrality(rule: str, ballots: list[Ballot], data: st.DataObject) -> None:
    mixed = [replace(ballot, voter=f"other{n}") for n, ballot in enumerate(data.draw(st.permutations(ballots)))]
    assert elect(rule, mixed, NAMES).tally == elect(rule, ballots, NAMES).tally
    new: dict[str, str] = dict(zip(NAMES, data.draw(st.permutations(NAMES)), strict=True))
    renamed = [
        cast(tuple(tuple(new[name] for name in tier) for tier in ballot.ranks), 0, ballot.weight) for ballot in ballots
    ]
    assert tops(rule, renamed) == {new[name] for name in tops(rule, ballots)}


@pytest.mark.parametrize("rule", [rule for rule in METHODS if rule != "instant_runoff"])
@given(ballots=electorates(), data=st.data())
def test_whoever_rises_on_a_ballot_still_wins(rule: str, ballots: list[Ballot], data: st.DataObject) -> None:
    """Monotonicity; instant runoff has none."""
    winner = elect(rule, ballots, NAMES).winner
    assume(winner)
    n = data.draw(st.integers(0, len(ballots) - 1))
    rest = tuple(tier for tier in (tuple(name for name in tier if name != winner) for tier in ballots[n].ranks) if tier)
    raised = [*ballots[:n], cast(((winner,), *rest), n, ballots[n].weight), *ballots[n + 1 :]]
    assert elect(rule, raised, NAMES).winner == winner


def test_instant_runoff_can_punish_support() -> None:
    """Ten of B's voters raise A to the top, and A, who would have won, loses."""
    rule = Ranked(method="instant_runoff")
    assert rule.decide(ballots("39: A B C", "35: B C A", "26: C A B"), ("A", "B", "C")).winner == "A"
    assert rule.decide(ballots("49: A B C", "25: B C A", "26: C A B"), ("A", "B", "C")).winner == "C"


@pytest.mark.parametrize("rule", ["copeland", "schulze", "minimax"])
@given(ballots=electorates())
def test_whoever_wins_every_duel_wins(rule: str, ballots: list[Ballot]) -> None:
    winner = condorcet(ballots, NAMES, weighted=True)
    assume(winner)
    assert elect(rule, ballots, NAMES).winner == winner


@given(ballots=electorates(), clone=st.sampled_from(NAMES), data=st.data())
def test_clones_change_nothing_for_schulze(ballots: list[Ballot], clone: str, data: st.DataObject) -> None:
    """A candidate in two copies, next to each other on every ballot: the same win, one of the copies for the one."""
    cloned: list[Ballot] = []
    for n, ballot in enumerate(ballots):
        pair = data.draw(st.permutations((clone, "Z")))
        split = data.draw(st.booleans())
        tiers: list[tuple[str, ...]] = []
        for tier in ballot.ranks:
            if clone not in tier:
                tiers.append(tier)
            elif len(tier) == 1 and split:
                tiers += [(pair[0],), (pair[1],)]
            else:
                tiers.append((*tier, "Z"))
        cloned.append(cast(tuple(tiers), n, ballot.weight))
    merged = {clone if name == "Z" else name for name in tops("schulze", cloned, (*NAMES, "Z"))}
    assert merged == tops("schulze", ballots)


@given(ballots=electorates())
def test_schulze_finds_the_widest_path(ballots: list[Ballot]) -> None:
    """Against all paths, one by one."""
    duels = gather(ballots, NAMES, weighted=True).duels

    def strongest(text: str, other: str) -> float:
        between = [name for name in NAMES if name not in (text, other)]
        best = 0.0
        for size in range(len(between) + 1):
            for middle in permutations(between, size):
                steps = list(pairwise((text, *middle, other)))
                won = [duels[step] if duels[step] > duels[step[1], step[0]] else 0 for step in steps]
                best = max(best, float(min(won)))
        return best

    beaten = {
        other: sum(strongest(name, other) > strongest(other, name) for name in NAMES if name != other)
        for other in NAMES
    }
    assert tops("schulze", ballots) == {name for name in NAMES if not beaten[name]}


# ---- real elections ------------------------------------------------------------------------------------------------
