"""Ratings from matches: Bradley-Terry with intervals, and Elo.

Every sum is ``math.fsum`` or over sorted names: the same results in any order give the same bits.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

SCALE = 400 / math.log(10)
"""Points for one unit of log-strength: 400 points are odds of ten to one, as with Elo (1978)."""

Z95 = 1.959963984540054
"""The standard normal quantile of 97.5%."""

_CLOSE = 1e-10
_PASSES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One result between two: ``score`` is what ``one`` got, 1 for a win, 0 for a loss, a tie is one half.

    Attributes:
        one: who got the score.
        other: the other player, who got 1 - score.
        score: 0 to 1.
        domain: the kind of question; ratings of two domains do not mix.
        weight: how many results it counts for, above 0.
    """

    one: str
    other: str
    score: float
    domain: str = ""
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse values that are no result."""
        if self.one == self.other:
            raise ValueError(f"{self.one} cannot play against {self.other}; a match needs two names")
        if not 0 <= self.score <= 1:
            raise ValueError(f"a score of {self.score:g} is not a result; it must be from 0 to 1")
        if not 0 < self.weight < math.inf:
            raise ValueError(f"a weight of {self.weight:g} cannot be used; it is above 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rating:
    """The strength of a player, in points.

    Attributes:
        name: who.
        value: points; ahead by 400 means odds of ten to one.
        low: the lower end of the 95% interval.
        high: the upper end.
        games: matches that it rests on.
    """

    name: str
    value: float
    low: float
    high: float
    games: int


def bradley_terry(
    matches: Iterable[Match], *, anchor: str = "", level: float = 1500.0, prior: float = 1.0
) -> tuple[Rating, ...]:
    """Ratings from all matches at once, the best first, equals by name.

    The model of Bradley and Terry (1952): ``one`` beats ``other`` with probability p / (p + q). Strengths are found by
    the minorise-maximise steps of Hunter (2004, Annals of Statistics 32, section 2); a tie counts as half a win for
    both. Everybody also plays ``prior`` games against an average player and wins half of them, so that who never lost
    has a finite rating. Intervals are those of the normal approximation with the information matrix at the solution
    (Laplace); they are those of the distance to the anchor, or to the mean of all.

    Args:
        matches: of one domain; see ``by_domain``.
        anchor: whose rating is ``level``, without an interval; "" sets the mean of all there.
        level: points of the anchor or of the mean.
        prior: games against the average player, above 0.

    Raises:
        ValueError: the anchor has no match, or the prior is not above 0.
    """
    played = tuple(matches)
    if not played:
        return ()
    if prior <= 0:
        raise ValueError(f"a prior of {prior:g} games cannot be used; it is above 0")
    names, met, won = _gather(played)
    if anchor and anchor not in names:
        raise ValueError(f"{anchor} has no match and cannot be the anchor; those who have: {', '.join(names)}")
    groups = [[names.index(name) for name in group] for group in connected_groups(played)]
    logs = _climb(groups, met, won, prior)
    spread = _invert(_information(names, met, logs, prior))
    zero = [float(name == anchor) if anchor else 1 / len(names) for name in names]
    across = [_dot(zero, row) for row in spread]
    counts = Counter(name for match in played for name in (match.one, match.other))
    ratings: list[Rating] = []
    for i, name in enumerate(names):
        value = level + SCALE * (logs[i] - _dot(zero, logs))
        half = Z95 * SCALE * math.sqrt(max(spread[i][i] - 2 * across[i] + _dot(zero, across), 0.0))
        ratings.append(Rating(name=name, value=value, low=value - half, high=value + half, games=counts[name]))
    return tuple(sorted(ratings, key=lambda rating: (-round(rating.value, 6), rating.name)))


def by_domain(
    matches: Iterable[Match], *, anchor: str = "", level: float = 1500.0, prior: float = 1.0
) -> dict[str, tuple[Rating, ...]]:
    """The ratings of each domain by itself, domains sorted by name; see ``bradley_terry``."""
    played: dict[str, list[Match]] = {}
    for match in matches:
        played.setdefault(match.domain, []).append(match)
    return {
        domain: bradley_terry(value, anchor=anchor, level=level, prior=prior)
        for domain, value in sorted(played.items())
    }


def elo(matches: Iterable[Match], *, k: float = 16.0, start: float = 1500.0) -> dict[str, float]:
    """Points after each match in its turn (Elo 1978), by name; for display only.

    They depend on the order of the matches: with K = 32 the same 2,000 games in another order moved a model by 23
    places of 48. Rank by ``bradley_terry``.

    Args:
        matches: in the order in which they were played.
        k: points that one result can move.
        start: points of who has not played yet.
    """
    points: dict[str, float] = {}
    for match in matches:
        first, other = points.get(match.one, start), points.get(match.other, start)
        moved = k * match.weight * (match.score - 1 / (1 + 10 ** ((other - first) / 400)))
        points[match.one], points[match.other] = first + moved, other - moved
    return dict(sorted(points.items()))


def side_swapped(first: Match, second: Match) -> Match:
    """Two debates on one motion, sides swapped, as one result: the mean of both scores, for ``first.one``.

    So the side cancels: if it decided both debates, the result is a tie.

    Raises:
        ValueError: the two are not of the same pair or domain.
    """
    if {first.one, first.other} != {second.one, second.other} or first.domain != second.domain:
        raise ValueError(f"{second.one} against {second.other} is not the return of {first.one} against {first.other}")
    back = second.score if second.one == first.one else 1 - second.score
    return replace(first, score=(first.score + back) / 2)


def connected_groups(matches: Iterable[Match]) -> tuple[tuple[str, ...], ...]:
    """The connected groups of players, linked by matches directly or through others: the largest first, names sorted.

    More than one: ratings of two groups are linked by nothing but the prior, and their order means nothing.
    """
    near: dict[str, set[str]] = {}
    for match in matches:
        near.setdefault(match.one, set()).add(match.other)
        near.setdefault(match.other, set()).add(match.one)
    groups: list[tuple[str, ...]] = []
    left = set(near)
    for name in sorted(near):
        if name not in left:
            continue
        group, ahead = {name}, [name]
        while ahead:
            new = near[ahead.pop()] - group
            group |= new
            ahead += sorted(new)
        left -= group
        groups.append(tuple(sorted(group)))
    return tuple(sorted(groups, key=lambda group: (-len(group), group)))


def _dot(first: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(first, other, strict=True))


def correlation(first: Sequence[float], other: Sequence[float]) -> float | None:
    """The correlation of values in pairs (Pearson); None for fewer than two pairs, or where one side never differs."""
    if len(first) < 2:
        return None
    left, right = math.fsum(first) / len(first), math.fsum(other) / len(other)
    across = math.fsum((a - left) * (b - right) for a, b in zip(first, other, strict=True))
    within = math.fsum((a - left) ** 2 for a in first) * math.fsum((b - right) ** 2 for b in other)
    return across / math.sqrt(within) if within else None


def _gather(matches: Sequence[Match]) -> tuple[list[str], list[list[tuple[int, float]]], list[float]]:
    """The names sorted; for each, whom it met by index and how often; its score against all."""
    names = sorted({name for match in matches for name in (match.one, match.other)})
    index = {name: i for i, name in enumerate(names)}
    weights: dict[tuple[int, int], list[float]] = {}
    scores: list[list[float]] = [[] for _ in names]
    for match in matches:
        first_name, other = index[match.one], index[match.other]
        weights.setdefault((min(first_name, other), max(first_name, other)), []).append(match.weight)
        scores[first_name].append(match.weight * match.score)
        scores[other].append(match.weight * (1 - match.score))
    met: list[list[tuple[int, float]]] = [[] for _ in names]
    for (first_name, other), parts in sorted(weights.items()):
        met[first_name].append((other, math.fsum(parts)))
        met[other].append((first_name, math.fsum(parts)))
    return names, met, [math.fsum(parts) for parts in scores]


def _climb(
    groups: Sequence[Sequence[int]], met: Sequence[Sequence[tuple[int, float]]], won: Sequence[float], prior: float
) -> list[float]:
    """Log-strengths: Hunter's steps until nobody moves; the average player has strength 1.

    The games against the average player alone hold all strengths of an island in their place. One step for their
    common factor in each pass, of the same kind, saves thousands of passes.
    """
    strengths = [1.0] * len(met)
    moved, passes = math.inf, 0
    while moved >= _CLOSE and passes < _PASSES:
        moved, passes = 0.0, passes + 1
        for group in groups:
            factor = len(group) / 2 / sum(strengths[i] / (strengths[i] + 1) for i in group)
            moved = max(moved, abs(factor - 1))
            for i in group:
                strengths[i] *= factor
        for i, own in enumerate(strengths):
            down = prior / (own + 1)
            for j, games in met[i]:
                down += games / (own + strengths[j])
            new = (won[i] + prior / 2) / down
            moved = max(moved, abs(new - own) / own)
            strengths[i] = new
    return [math.log(strength) for strength in strengths]


def _information(
    names: Sequence[str], met: Sequence[Sequence[tuple[int, float]]], logs: Sequence[float], prior: float
) -> list[list[float]]:
    rows = [[0.0] * len(names) for _ in names]
    for i, own in enumerate(logs):
        rows[i][i] = prior * _variance(own)
        for j, games in met[i]:
            part = games * _variance(own - logs[j])
            rows[i][i] += part
            rows[i][j] = -part
    return rows


def _variance(gap: float) -> float:
    chance = 1 / (1 + math.exp(-gap))
    return chance * (1 - chance)


def _invert(rows: list[list[float]]) -> list[list[float]]:
    """The inverse of a symmetric, diagonally dominant matrix, by Gauss and Jordan's steps; no pivot is needed."""
    size = len(rows)
    wide = [[*row, *(1.0 if i == j else 0.0 for j in range(size))] for i, row in enumerate(rows)]
    for i in range(size):
        pivot = wide[i][i]
        lead = wide[i] = [item / pivot for item in wide[i]]
        for j, row in enumerate(wide):
            if j != i and row[i]:
                factor = row[i]
                wide[j] = [a - factor * b for a, b in zip(row, lead, strict=True)]
    return [row[size:] for row in wide]
