"""Recorded games, debates and elections as matches or ballots."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import cast

from benchmarks.replays.elections import Result, count_election, read_elections
from benchmarks.replays.figures import Figure, find, spearman
from benchmarks.replays.recorded_files import read_json_lines, read_reference, read_rows
from folkmoot.learn.ratings import Match, bradley_terry

SEATS = tuple(f"P{n}" for n in range(1, 9))


def elimination_votes(folder: Path) -> Iterator[Figure]:
    """Games of eight: all pairs of a game, rated at once, against the published table."""
    reference = read_reference(folder)
    games = read_rows(folder / "games.csv")
    yield Figure(name="games", ours=len(games), reference=find(r"games (\d+)", reference))
    matches = [match for game in games for match in ranked_pairs(_tiers(game))]
    published = {
        row["code"]: float(row["published_mu"]) for row in read_rows(folder / "models.csv") if row["published_mu"]
    }
    yield Figure(
        name="Bradley-Terry on pairs, Spearman with the published table",
        ours=_agreement(matches, published),
        reference=find(r"Spearman\(Bradley-Terry on pairs, [^)]*\) = ([\d.]+)", reference),
        aim="at least",
    )


def debate_judgments(folder: Path) -> Iterator[Figure]:
    """Debates of two, held twice with sides swapped: one result a pair of debates, and one a judge."""
    reference = read_reference(folder)
    published = {row["model"]: float(row["bt"]) for row in read_rows(folder / "leaderboard.csv")}
    pairs = [
        Match(one=row["model_a"], other=row["model_b"], score=_score(row["result_normalized"], row["model_a"]))
        for row in read_rows(folder / "matchups.csv")
        if row["rating_eligible"] == "1"
    ]
    yield Figure(name="rated matchups", ours=len(pairs), reference=find(r"rating-eligible (\d+)", reference))
    yield Figure(
        name="Bradley-Terry on matchups, Spearman with the published table",
        ours=_agreement(pairs, published),
        reference=find(r"Spearman\(Bradley-Terry on matchup results, [^)]*\) = ([\d.]+)", reference),
        aim="at least",
    )
    votes = [
        Match(one=row["pro"], other=row["con"], score=1.0 if row["winner"] == "PRO" else 0.0)
        for row in read_rows(folder / "judgments.csv")
    ]
    yield Figure(
        name="Bradley-Terry on single votes, Spearman with the published table",
        ours=_agreement(votes, published),
        reference=find(r"Spearman\(Bradley-Terry on single judge votes, [^)]*\) = ([\d.]+)", reference),
        aim="at least",
    )
    yield Figure(
        name="share of votes for the PRO side",
        ours=sum(match.score for match in votes) / len(votes),
        reference=find(r"PRO side wins \d+/\d+ = ([\d.]+)", reference),
    )


def ranked_ballots(folder: Path) -> Iterator[Figure]:
    """Elections: the official winner by the official rule, and how often each rule elects the Condorcet winner."""
    reference = read_reference(folder)
    text = (folder / "elections.jsonl").read_text("utf-8-sig")
    lines = cast("list[dict[str, str]]", read_json_lines(folder / "elections.jsonl"))
    rules = [line["official_rule"] for line in lines]
    results = [count_election(election) for election in read_elections(text)]
    yield Figure(
        name="official winners by the official rule",
        ours=sum(
            result.matches("schulze" if rule == "Schulze" else "instant_runoff")
            for rule, result in zip(rules, results, strict=True)
        ),
        reference=find(r"official winner reproduced: (\d+)/", reference),
    )
    beaten = [result for result in results if result.condorcet]
    yield Figure(
        name="elections with a Condorcet winner",
        ours=len(beaten),
        reference=find(r"Condorcet winner exists in (\d+)", reference),
    )
    line = re.search(r"agreement with the Condorcet winner: .*", reference)
    for name in ("plurality", "borda", "irv", "copeland", "minimax", "schulze"):
        yield Figure(
            name=f"Condorcet winners elected by {name}",
            ours=_elected(beaten, "instant_runoff" if name == "irv" else name),
            reference=find(rf"'{name}': '(\d+)/", line[0] if line else ""),
        )


def ranked_pairs(tiers: Sequence[Sequence[str]], *, domain: str = "", weight: float = 1.0) -> tuple[Match, ...]:
    """The result of a game of many as one match for each pair: the higher rank wins, within a tier it is a tie.

    Two players of the same name make no match. The pairs of one game are not independent: intervals from them are
    too narrow unless the weight makes up for it.

    Args:
        tiers: the ranking, the best first; a name can occur several times.
        domain: of all matches.
        weight: of each match.
    """
    placed = [(rank, name) for rank, tier in enumerate(tiers) for name in tier]
    return tuple(
        Match(one=name, other=other, score=1.0 if above < below else 0.5, domain=domain, weight=weight)
        for (above, name), (below, other) in combinations(placed, 2)
        if name != other
    )


def _tiers(game: dict[str, str]) -> list[list[str]]:
    places: dict[int, list[str]] = {}
    for seat in SEATS:
        if model := game[f"model_{seat}"]:
            places.setdefault(int(game[f"rank_{seat}"]), []).append(model)
    return [names for _, names in sorted(places.items())]


def _score(winner: str, name: str) -> float:
    return 0.5 if winner == "Tie" else 1.0 if winner == name else 0.0


def _agreement(matches: Sequence[Match], published: dict[str, float]) -> float:
    ours = {rating.name: rating.value for rating in bradley_terry(matches)}
    return spearman(ours, published) or 0.0


def _elected(results: Sequence[Result], rule: str) -> int:
    return sum(result.winners[rule] == result.condorcet for result in results)
