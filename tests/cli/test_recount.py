"""Recounts: the same ballots under every rule, and the ballots that would flip a result."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.export.recount import MOST, Recount, RuleResult, recount_decision
from folkmoot.cli.commands.show import flip_in_words
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import BriefError
from folkmoot.policy.rules import PLURALITY, Quorum
from tests.cli.commands import QUOTES, folkmoot
from tests.policy.test_rankings import ballots
from tests.policy.test_rules import ballots as votes

NAMES = ("A", "B", "C")


def count(counted_ballots: list[Ballot], names: tuple[str, ...] = NAMES) -> Recount:
    tally = dict.fromkeys(names, 0.0)
    return recount_decision(
        Decision(status="decided", rule="plurality", ballots=tuple(counted_ballots), tally=tally), debate="d"
    )


def under(recount: Recount, rule: str) -> RuleResult:
    return next(rule_result for rule_result in recount.counts if rule_result.rule == rule)


def test_votes_are_counted_under_the_rules_for_votes() -> None:
    recount = count(votes("A A A B C -"))
    assert [(rule_result.rule, rule_result.status, rule_result.winner) for rule_result in recount.counts] == [
        ("plurality", "decided", "A"),
        ("majority", "decided", "A"),
        ("supermajority", "no_decision", ""),
        ("unanimity", "no_decision", ""),
    ]
    assert (recount.ranked, recount.condorcet) == (False, "")
    plurality = under(recount, "plurality")
    assert (plurality.margin, plurality.next, plurality.tried) == (2.0, "B", 1)


@pytest.mark.parametrize(
    ("ballots", "rule", "voters", "to"),
    [
        ("A A A B B", "plurality", ("voter0",), "B"),
        ("A A A A B C", "plurality", ("voter0", "voter1"), "B"),
        ("A A B", "supermajority", ("voter0",), "B"),
        ("A A B", "unanimity", ("voter2",), "A"),
        ("A B", "plurality", ("voter0",), "B"),
    ],
)
def test_the_fewest_votes_that_flip_a_result_are_named(
    ballots: str, rule: str, voters: tuple[str, ...], to: str
) -> None:
    flip = under(count(votes(ballots)), rule).flip
    assert flip
    assert (flip.voters, flip.to) == (voters, to)
    assert flip.then


def test_a_changed_ballot_really_flips_the_result() -> None:
    counted_ballots = votes("A A A B B")
    flip = under(count(counted_ballots), "plurality").flip
    assert flip
    changed = [
        Ballot(voter=ballot.voter, choice=flip.to if ballot.voter in flip.voters else ballot.choice)
        for ballot in counted_ballots
    ]
    assert PLURALITY.decide(changed, NAMES).how == flip.then == "B has 3 of 5"


def test_rankings_are_counted_under_all_rules() -> None:
    recount = count(ballots("4: A B C", "3: C B A", "2: B C A"))
    winners = {rule_result.rule: rule_result.winner for rule_result in recount.counts}
    assert [winners.pop(text) for text in ("plurality", "majority", "supermajority", "unanimity")] == ["A", "", "", ""]
    assert winners == {
        "borda": "B",
        "approval": "",
        "copeland": "B",
        "schulze": "B",
        "minimax": "B",
        "instant runoff": "C",
    }
    assert (recount.ranked, recount.condorcet) == (True, "B")
    assert under(recount, "instant runoff").flip
    assert under(recount, "borda").margin == 3.0


@pytest.mark.parametrize(
    ("ballots", "quorum"), [("A - ?", True), ("A A ? !", False), ("A A - ? !", True), ("A ! !", False)]
)
def test_that_there_is_no_quorum_is_said(ballots: str, quorum: bool) -> None:
    recount = count(votes(ballots))
    assert recount.quorum is quorum
    assert Quorum(rule=PLURALITY).decide(votes(ballots), NAMES).how.startswith("no quorum") is not quorum
    assert under(recount, "plurality").winner == "A", "the counts themselves ask for none"


def test_approvals_are_no_votes_for_one() -> None:
    recount = count(ballots("A=B", "B"))
    assert [rule_result.rule for rule_result in recount.counts][:2] == ["borda", "approval"]
    assert under(recount, "approval").winner == "B"


def test_a_lone_candidate_cannot_lose() -> None:
    counted = under(count(votes("A A"), ("A",)), "plurality")
    assert (counted.next, counted.margin, counted.flip, counted.tried) == ("", 0.0, None, 2)


def test_nobody_is_made_to_rank_its_own() -> None:
    counted_ballots = [
        Ballot(voter="A", choice="B", ranks=(("B",), ("C",))),
        Ballot(voter="B", choice="C", ranks=(("C",), ("A",))),
        Ballot(voter="C", choice="B", ranks=(("B",), ("A",))),
    ]
    for rule_result in count(counted_ballots).counts:
        assert rule_result.flip is None or rule_result.flip.to not in rule_result.flip.voters


@pytest.mark.system
def test_the_search_for_a_flip_has_an_end() -> None:
    names = tuple("ABCDEFGH")
    rows = [" ".join(("A", *names[n:0:-1], *names[n + 1 :])) for n in range(1, 8)] * 4
    counted = under(count(ballots(*rows), names), "unanimity")
    assert counted.flip
    many = [Ballot(voter=f"v{n}", choice="A", weight=1 + n / 100) for n in range(40)]
    counted = under(count(many, ("A", "B")), "plurality")
    assert (counted.flip, counted.tried) == (None, 2)
    assert 40 + 40 * 39 / 2 < MOST < 40 * 39 * 38 / 6


@pytest.mark.parametrize(
    ("rule", "ballots", "how"),
    [
        ("consent", "A A", "nobody of 2 rejects the text"),
        ("judge", "A A", "J chose A"),
        ("plurality", "- -", "silence"),
    ],
)
def test_what_is_no_vote_is_not_counted(rule: str, ballots: str, how: str) -> None:
    decision = Decision(status="decided", rule=rule, how=how, ballots=tuple(votes(ballots)), tally={"A": 2.0})
    with pytest.raises(BriefError, match=f"d was not decided by ballots that can be counted in another way: {how}"):
        recount_decision(decision, debate="d")


# ---- the command ---------------------------------------------------------------------------------------------------

BRIEF = """---
protocol: panel
strategy: schulze
background: [facts.md]
---
# Tea or coffee?
"""
FACTS = "Tea is cheap. Coffee is quick and good. Water costs nothing. Tea can cause loss of sleep.\n"


def with_brief(folder: Path) -> Path:
    (folder / "facts.md").write_text(FACTS, encoding="utf-8")
    (folder / "b.md").write_text(BRIEF, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = with_brief(tmp_path_factory.mktemp("recount"))
    done = folkmoot(folder, "run", "b.md", *QUOTES, "--quiet", "--no-report")
    assert done.exit_code == 0, done.output
    return folder


def test_the_command_shows_every_rule(place: Path) -> None:
    shown = folkmoot(place, "show", "--recount", "last").output
    assert "3 of 3 ballots counted (rankings), for: Advocate, Skeptic, Pragmatist" in shown
    assert "Counted in the debate by schulze: " in shown
    assert "wins against every other" in shown
    for rule in ("plurality", "majority", "supermajority", "unanimity", "borda", "copeland", "instant runoff"):
        assert f"\n{rule}  " in shown


def test_the_command_gives_data(place: Path) -> None:
    data = json.loads(folkmoot(place, "show", "--recount", "last", "--json").output)
    assert data["ranked"] is True
    assert len(data["ballots"]) == 3
    assert len(data["counts"]) == 10
    assert {"rule", "status", "winner", "tally", "margin", "next", "flip", "tried"} <= data["counts"][0].keys()


def test_a_debate_without_a_vote_is_refused_in_one_sentence(tmp_path: Path) -> None:
    folkmoot(tmp_path, "run", "Tea or coffee?", "--protocol", "moderated", *QUOTES, "--quiet", "--no-report")
    result = folkmoot(tmp_path, "show", "--recount", "last")
    assert result.exit_code == 2
    assert "was not decided by ballots that can be counted in another way" in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_open_debate_has_nothing_to_count(tmp_path: Path) -> None:
    folkmoot(with_brief(tmp_path), "run", "b.md", *QUOTES, "--quiet", "--no-report", "--max-questions", "1")
    assert "had no vote: there is nothing to count" in folkmoot(tmp_path, "show", "--recount", "last").stderr


def test_a_flip_in_words() -> None:
    counted = under(count(votes("A A A B B")), "plurality")
    assert (
        flip_in_words(counted)
        == "Another result with a changed ballot of voter0 (B first and the winner last): B has 3 of 5"
    )
    same, change = "The result stays the same if", "another candidate first and the winner last."
    assert flip_in_words(replace(counted, flip=None, tried=1)) == f"{same} any one ballot puts {change}"
    assert flip_in_words(replace(counted, flip=None, tried=2)) == f"{same} up to 2 ballots put {change}"
    assert counted.flip
    both = replace(counted.flip, voters=("voter0", "voter1"))
    assert flip_in_words(replace(counted, flip=both)).startswith(
        "Another result with changed ballots of voter0 and voter1 (B first and the winner last): "
    )
