"""Recorded panels of models on questions with known answers: read and count them."""

import ast
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import cast

from benchmarks.replays.dawid_skene import one_coin
from benchmarks.replays.figures import Figure, blocks, find
from benchmarks.replays.recorded_files import read_reference, read_rows
from benchmarks.replays.stopping import RULES, beta, savings, shape_of
from folkmoot.learn.panels import Answers, Marks, credit, log_odds_weights, tops

OPEN = 20
"""Answers to choose from where the answer is any number: more make no difference to a rounded figure."""

POINTS = 0.002
"""Two tenths of a percentage point."""

DRAWN = 0.01
"""For means over panels of middle sizes, of which there are so many that the reference drew some; ours are exact."""

CALLS = 0.1
"""For mean calls: the reference drew orders of asking, ours are means over all."""

STOPS: Mapping[str, str] = {
    "ask all": "ask all",
    "lead cannot be overturned": "the lead cannot be overturned",
    "Beta 0.90": ">= 0.90",
    "Beta 0.95": ">= 0.95",
    "Beta 0.99": ">= 0.99",
    "first two equal": "two equal answers in a row",
    "first three alike, else all": "first three, then all",
}
"""Our stop rules, and words by which the reference names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The answers of some models to all questions: by model for each question, the truths, and the options."""

    title: str
    items: tuple[Mapping[str, str], ...]
    truths: tuple[str, ...]
    options: int


def panel_answers(folder: Path) -> Iterator[Figure]:
    """Plurality by size, weighted votes, Dawid and Skene's estimates, and what early stops save.

    Without right answers there is nothing to count.
    """
    reference = read_reference(folder)
    panels: list[Panel] = []
    for head, body in blocks(reference):
        if line := re.search(r"^panel accuracies: (\{.*\})", body, flags=re.MULTILINE):
            members = tuple(cast("dict[str, float]", ast.literal_eval(line[1])))
            panels.append(_read(folder, head.partition(": items")[0], members))
            if any(panels[-1].truths):
                yield from _compare(panels[-1], body)
        elif head.startswith("stopping rules, "):
            name = head.split(", ")[1]
            panel = next(panel for panel in panels if panel.title.startswith(name))
            if any(panel.truths):
                yield from _stop(panel, name, body)


def _read(folder: Path, title: str, members: tuple[str, ...]) -> Panel:
    table = read_rows(folder / ("gsm_answers.csv" if title.startswith("GSM8K") else "mmlupro_answers.csv"))
    return Panel(
        title=title,
        items=tuple({member: row[member] for member in members} for row in table),
        truths=tuple(row.get("gold") or "" for row in table),
        options=max(int(row.get("options") or OPEN) for row in table),
    )


def _compare(panel: Panel, body: str) -> Iterator[Figure]:
    items, truths, n = panel.items, panel.truths, len(panel.items)
    sizes = re.findall(r"plurality of +(\d+) models, mean over panels: ([\d.]+)", body)
    for size, printed in sizes:
        drawn = 3 <= int(size) <= len(items[0]) - 4
        yield Figure(
            name=f"{panel.title}: plurality of {size}",
            ours=mean_accuracy(items, truths, size=int(size)),
            reference=printed,
            margin=DRAWN if drawn else POINTS,
        )
    weighted = cross_fitted(items, truths, options=panel.options)
    yield Figure(
        name=f"{panel.title}: log-odds weights, cross-fitted",
        ours=sum(credit(tied, truth) for tied, truth in zip(weighted, truths, strict=True)) / n,
        reference=find(r"log-odds weights ([\d.]+)", body),
        margin=POINTS,
    )
    estimate = one_coin(items, options=panel.options)
    yield Figure(
        name=f"{panel.title}: Dawid-Skene without the truth",
        ours=sum(credit(tied, truth) for tied, truth in zip(estimate.answers, truths, strict=True)) / n,
        reference=find(r"Dawid-Skene without gold: ([\d.]+)", body),
        margin=POINTS,
    )
    true = {
        voter: sum(item[voter] == truth for item, truth in zip(items, truths, strict=True)) / n for voter in items[0]
    }
    yield Figure(
        name=f"{panel.title}: Dawid-Skene, largest error of an accuracy",
        ours=max(abs(estimate.accuracies[voter] - true[voter]) for voter in true),
        reference=find(r"largest error of its accuracy estimates ([\d.]+)", body),
        margin=POINTS,
    )


def _stop(panel: Panel, name: str, body: str) -> Iterator[Figure]:
    saved = savings(panel.items, panel.truths, rules={**RULES, "Beta 0.99": beta(0.99)})
    for rule, words in STOPS.items():
        line = next((line for line in body.splitlines() if words in line), "")
        ours = saved[rule]
        yield Figure(
            name=f"{name}, {rule}: calls of {len(panel.items[0])}",
            ours=ours.calls,
            reference=find(r": ([\d.]+) models", line),
            margin=CALLS,
        )
        yield Figure(
            name=f"{name}, {rule}: accuracy",
            ours=ours.accuracy,
            reference=find(r"models ([\d.]+)", line),
            margin=POINTS,
        )


def cross_fitted(
    items: Sequence[Answers], truths: Sequence[str], *, folds: int = 2, options: int = 2
) -> tuple[tuple[str, ...], ...]:
    """The weighted tops of each item, by weights learned on the items of all other folds; item i is in fold i % folds.

    So no item helps to weigh its own votes.
    """
    chosen: list[tuple[str, ...]] = []
    learned = [
        log_odds_weights(_panel_marks(items, truths, skip=fold, folds=folds), options=options) for fold in range(folds)
    ]
    for i, item in enumerate(items):
        chosen.append(tops(item, learned[i % folds]))
    return tuple(chosen)


def _panel_marks(items: Sequence[Answers], truths: Sequence[str], *, skip: int, folds: int) -> dict[str, Marks]:
    right: Counter[str] = Counter()
    n: Counter[str] = Counter()
    for i, (item, truth) in enumerate(zip(items, truths, strict=True)):
        if i % folds != skip:
            n.update(item.keys())
            right.update(voter for voter, answer in item.items() if answer == truth)
    return {voter: Marks(right=right[voter], n=n[voter]) for voter in n}


def mean_accuracy(items: Sequence[Answers], truths: Sequence[str], *, size: int) -> float:
    """The mean plurality accuracy over all panels of this number of voters: exact, nothing is drawn.

    Every item must name the same voters; who abstains still takes a place.
    """
    return math.fsum(
        _mean_credit(*shape_of(item, truth), size) for item, truth in zip(items, truths, strict=True)
    ) / len(items)


@lru_cache(maxsize=4096)
def _mean_credit(right: int, wrong: tuple[int, ...], silent: int, size: int) -> float:
    """The mean credit over all ways to take ``size`` voters: for each number that is right, the ways of the others.

    ``ways[taken, tied]`` counts choices among the wrong answers with none ahead of the right one, whole numbers.
    """
    parts: list[float] = []
    for ahead in range(1, min(right, size) + 1):
        ways = Counter({(0, 1): 1})
        for group in wrong:
            longer: Counter[tuple[int, int]] = Counter()
            for (drawn, tied), count in ways.items():
                for chosen in range(min(group, ahead, size - ahead - drawn) + 1):
                    longer[drawn + chosen, tied + (chosen == ahead)] += count * math.comb(group, chosen)
            ways = longer
        for (drawn, tied), count in ways.items():
            left = size - ahead - drawn
            parts.append(math.comb(right, ahead) * count * math.comb(silent, left) / tied)
    return math.fsum(parts) / math.comb(right + sum(wrong) + silent, size)
