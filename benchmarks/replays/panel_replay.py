"""Replay of recorded panels of models on questions with known answers: what are they worth?

The best single model is chosen on one half of the questions and judged on the other, and the reverse.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from benchmarks.replays.panel_data import mean_accuracy
from benchmarks.replays.recorded_files import read_reference, read_rows
from benchmarks.replays.voices import effective_votes, krippendorff
from benchmarks.replays.vote_limit import most_votes
from folkmoot.core.text import counted
from folkmoot.evaluation.paired import Differences
from folkmoot.evaluation.verdicts import compare, signed
from folkmoot.learn.panels import Answers, credit, tops

_PANEL = re.compile(r"^== (.+?): items .*\npanel accuracies: (\{.*\})$", re.MULTILINE)


def replay_panels(folder: Path) -> Iterator[str]:
    """The lines of each panel that ``reference.txt`` names."""
    for title, members in _PANEL.findall(read_reference(folder)):
        rows = read_rows(folder / ("gsm_answers.csv" if title.startswith("GSM8K") else "mmlupro_answers.csv"))
        models = list(cast("Mapping[str, float]", ast.literal_eval(members)))
        items = [{model: row[model] for model in models} for row in rows]
        groups = [row["category"] for row in rows] if "category" in rows[0] else []
        yield f"{title}: {counted(len(models), 'model')}, {counted(len(items), 'question')}"
        truths = [row.get("gold") or "" for row in rows]
        yield from panel_lines(items, truths, groups) if any(truths) else unjudged_lines(items)


def panel_lines(items: Sequence[Answers], truths: Sequence[str], groups: Sequence[str] = ()) -> Iterator[str]:
    """What is known of one panel.

    Args:
        items: for each question the answers by model.
        truths: the right answers.
        groups: the group of each question; empty where each stands for itself.
    """
    models = list(items[0])
    vote = [credit(tops(item), truth) for item, truth in zip(items, truths, strict=True)]
    yield f"  vote of all {sum(vote) / len(vote):.3f}, mean of single models {mean_accuracy(items, truths, size=1):.3f}"
    single = _best_single(items, truths)
    gain = Differences([a - b for a, b in zip(vote, single, strict=True)], groups, credits=True)
    yield f"  vote minus best single model of the other half {signed(compare('best single', gain))}"
    if voices := effective_votes(items, truths):
        span = f"[{voices.interval.low:.2f}, {voices.interval.high:.2f}]"
        yield f"  effective votes {voices.effective:.2f} {span} of {len(models)}, correlation {voices.correlation:.2f}"
    yield from _agreement_line(items)


def unjudged_lines(items: Sequence[Answers]) -> Iterator[str]:
    """What is known of one panel without the right answers."""
    limit = most_votes(items)
    known = "not known" if limit is None else f"at most about {limit:.1f} of {len(items[0])}"
    yield f"  without right answers: effective votes {known}"
    yield from _agreement_line(items)


def _agreement_line(items: Sequence[Answers]) -> Iterator[str]:
    if (alpha := krippendorff(items)) is not None:
        yield f"  agreement beyond chance (Krippendorff's alpha) {alpha:.3f}"


def _best_single(items: Sequence[Answers], truths: Sequence[str]) -> list[float]:
    """The credit on each question of the model that was best on the other half; halves alternate."""
    right = [
        {model: float(answer == truth) for model, answer in item.items()}
        for item, truth in zip(items, truths, strict=True)
    ]
    best = [max(right[0], key=lambda model: sum(row[model] for row in right[1 - half :: 2])) for half in (0, 1)]
    return [row[best[index % 2]] for index, row in enumerate(right)]
