"""The scores in Markdown. This file owns how the chapter looks; what it says is ``report.scores``'s business."""

from collections.abc import Mapping, Sequence

from moot.report.markdown_text import inline
from moot.report.pieces import table
from moot.report.scores import Mean, Scores


def scoreboard(scores: Scores) -> list[str]:
    """The chapter on the scores, as blocks; nothing where nobody was rated."""
    if not scores.ratings:
        return []
    told = "Means on a scale from 0 to 10; in brackets, of how many ratings. Scores decide nothing."
    return [
        "## Scores",
        told,
        _means("Debater", scores.debaters, scores.criteria),
        _means("Rated by", scores.raters, scores.criteria),
    ]


def _means(head: str, means: Mapping[str, Mapping[str, Mean]], criteria: Sequence[str]) -> str:
    lines = [[inline(name), *(_mean(held.get(each)) for each in criteria)] for name, held in means.items()]
    return table([head, *map(inline, criteria)], lines, numbers=len(criteria))


def _mean(mean: Mean | None) -> str:
    return f"{mean.value:.1f} ({mean.n})" if mean else "–"
