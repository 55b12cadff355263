"""Recorded graded preferences of a judge over a baseline: win rates, ranking, the bias of length, stability."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

from benchmarks.replays.figures import Figure, find, spearman
from benchmarks.replays.recorded_files import read_reference, read_rows

SIZES = (25, 50, 100, 200)
"""The numbers of items of which a ranking is made."""

DRAWS = 100
"""How often items of each number are drawn."""

DRAWN = 0.04
"""For means over draws; those of the reference are others."""

FITTED = 0.005
"""For the rates without length: the reference fits the same curve, with a scale and a stop that it does not state."""

STEPS = 50
"""The most steps of a fit; a handful does."""

HEAD = "win rate against the published one: Spearman"
"""How the line of the win rates begins."""

Cells = Mapping[str, Sequence[tuple[int, float, float]]]
"""By model: the number of an item, the preference for the model, and how much longer its answer is."""


def pairwise_preferences(folder: Path) -> Iterator[Figure]:
    """Win rates against the published ones, raw and at equal length, and how many items a stable ranking needs."""
    reference = read_reference(folder)
    published = {row["model"]: row for row in read_rows(folder / "published.csv")}
    cells = _cells(folder)
    items = len(read_rows(folder / "preference.csv"))
    yield Figure(name="items", ours=items, reference=find(r"items (\d+)", reference))
    yield Figure(name="models", ours=len(cells), reference=find(r"models (\d+)", reference))
    won = {model: float(published[model]["win_rate"]) for model in cells}
    raw = {model: _rate([graded for _, graded, _ in answers]) for model, answers in cells.items()}
    gaps = [abs(100 * raw[model] - won[model]) for model in cells]
    yield Figure(
        name="win rates, mean difference in points",
        ours=sum(gaps) / len(gaps),
        reference=find(rf"{HEAD} [\d.]+, mean \|difference\| ([\d.]+)", reference),
    )
    yield Figure(
        name="win rates, largest difference in points",
        ours=max(gaps),
        reference=find(rf"{HEAD} .* largest ([\d.]+)", reference),
    )
    yield from _rankings(cells, won, published, reference)
    for size in SIZES:
        if size < items:
            yield Figure(
                name=f"ranking by {size} items, mean Spearman",
                ours=_stability(cells, won, items, size),
                reference=find(rf" {size} items: Spearman with the published order ([\d.]+)", reference),
                margin=DRAWN,
            )


def _rankings(
    cells: Cells, won: Mapping[str, float], published: Mapping[str, Mapping[str, str]], reference: str
) -> Iterator[Figure]:
    """How the orders of the models agree: by graded and by whole wins, by length, and at equal length."""
    level = {model: float(published[model]["length_controlled_winrate"]) for model in cells}
    long = {model: float(published[model]["avg_length"]) for model in cells}
    raw = {model: _rate([graded for _, graded, _ in answers]) for model, answers in cells.items()}
    discrete = {model: _rate([_points(graded) for _, graded, _ in answers]) for model, answers in cells.items()}
    comparisons = {
        "win rates": (raw, won, rf"{HEAD} ([\d.]+), mean [^,]+, largest"),
        "won or lost alone": (discrete, won, r"discrete .*? Spearman (-?[\d.]+)"),
        "win rates and those at equal length": (raw, level, r"raw against [^:]*: Spearman (-?[\d.]+)"),
        "length and win rates": (long, won, r"average length against win rate, Spearman (-?[\d.]+)"),
        "length and rates at equal length": (long, level, r"against the length-controlled rate (-?[\d.]+)"),
    }
    for name, (ours, other, pattern) in comparisons.items():
        yield Figure(name=f"{name}, Spearman", ours=spearman(ours, other) or 0.0, reference=find(pattern, reference))
    yield Figure(
        name="our rates at equal length, Spearman with the published ones",
        ours=spearman(at_equal_length(cells), level) or 0.0,
        reference=find(r"our length-controlled rate [^:]*: Spearman (-?[\d.]+)", reference),
        margin=FITTED,
    )


def _cells(folder: Path) -> Cells:
    """What is known of each model and item; a cell without a figure is left out."""
    lengths = {row["item"]: row for row in read_rows(folder / "length.csv")}
    preferences = read_rows(folder / "preference.csv")
    models = [name for name in (preferences[0] if preferences else ()) if name not in ("item", "baseline_chars")]
    return {
        model: [
            (n, float(row[model]), float(lengths[row["item"]][model]) - float(row["baseline_chars"]))
            for n, row in enumerate(preferences)
            if row[model] and lengths[row["item"]][model]
        ]
        for model in models
    }


def _rate(values: Sequence[float]) -> float:
    return math.fsum(values) / max(len(values), 1)


def _points(graded: float) -> float:
    return 0.5 if graded == 0.5 else float(graded > 0.5)


def at_equal_length(cells: Cells) -> dict[str, float]:
    """The win rate of each model where its answers are as long as the baseline's.

    One curve for all: log-odds of being preferred are a strength for each model and one slope for the difference of
    lengths, in units of its root mean square and through tanh, so that no length counts without end. By Newton's steps.
    """
    gaps = [gap for answers in cells.values() for _, _, gap in answers]
    scale = math.sqrt(math.fsum(gap * gap for gap in gaps) / max(len(gaps), 1)) or 1.0
    points = {model: [(graded, math.tanh(gap / scale)) for _, graded, gap in cells[model]] for model in cells}
    strengths, slope = dict.fromkeys(points, 0.0), 0.0
    for _ in range(STEPS):
        sums = {model: _sums(points[model], strengths[model], slope) for model in points}
        pull = math.fsum(part[2] - part[3] * part[0] / part[1] for part in sums.values())
        hold = math.fsum(part[4] - part[3] * part[3] / part[1] for part in sums.values())
        step = pull / hold if hold > 1e-9 else 0.0
        slope += step
        for model, part in sums.items():
            strengths[model] += (part[0] - part[3] * step) / part[1]
        if abs(step) < 1e-9:
            break
    return {model: 1 / (1 + math.exp(-strength)) for model, strength in strengths.items()}


def _sums(points: Sequence[tuple[float, float]], strength: float, slope: float) -> tuple[float, ...]:
    """Gradient and curvature for one model: both for its strength, then for the slope, with what they share."""
    pull = hold = across = long = wide = 0.0
    for graded, gap in points:
        chance = 1 / (1 + math.exp(-(strength + slope * gap)))
        spread = chance * (1 - chance)
        pull, hold = pull + graded - chance, hold + spread
        long, across, wide = long + (graded - chance) * gap, across + spread * gap, wide + spread * gap * gap
    return pull, hold + 1e-6, long, across, wide


def _stability(cells: Cells, published: Mapping[str, float], items: int, size: int) -> float:
    """The mean correlation of rankings by this number of items with the published one, over draws of items."""
    chance = Random(size)
    correlations: list[float] = []
    for _ in range(DRAWS):
        drawn = set(chance.sample(range(items), size))
        rates = {model: _rate([graded for n, graded, _ in cells[model] if n in drawn]) for model in cells}
        correlations.append(spearman(rates, published) or 0.0)
    return math.fsum(correlations) / len(correlations)
