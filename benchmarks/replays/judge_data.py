"""Recorded judges, confidences and stances, read and compared with the reference."""

import ast
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypedDict, cast

from benchmarks.replays.figures import Figure, find, numbers, spearman
from benchmarks.replays.judges import Shift, Verdicts, count_flips, order_swap
from benchmarks.replays.recorded_files import read_json_lines, read_reference, read_rows
from folkmoot.learn.calibration import Forecast, measure


class Debate(TypedDict):
    """One line of gpt52_debates.jsonl, as far as it is read: answers as (answer, confidence 1 to 5)."""

    gold: str
    initial: dict[str, tuple[str, float]]
    judge: "Ruling"
    direct: tuple[str, float]
    samples: list[tuple[str, float]]


class Ruling(TypedDict):
    """The judge's part of such a line."""

    answer: str
    confidence: float


def judge_pairs(folder: Path) -> Iterator[Figure]:
    """Judges that saw each pair in both orders: how often they say the same, and how often what was shown first."""
    reference = read_reference(folder)
    votes: dict[str, list[Verdicts]] = {}
    for row in read_rows(folder / "votes.csv"):
        votes.setdefault(f"{row['judge']}/{row['strategy']}", []).append(
            Verdicts(
                one="1",
                other="2",
                straight=row["winner_original_order"],
                swapped=row["winner_swapped_order"],
                truth=row["label"],
            )
        )
    for name, line in re.findall(r"^  (\S+/\S+) +(n=.*)$", reference, flags=re.MULTILINE):
        printed, ours = numbers(line), order_swap(votes.get(name, ()))
        figures = {
            "agreement of the orders": (ours.agree, "agree"),
            "accuracy": (ours.accuracy, "acc"),
            "accuracy where they agree": (ours.accuracy_agreeing, "acc|agree"),
            "verdicts for the first shown": (ours.first, "first"),
        }
        for measured, (value, key) in figures.items():
            if value is not None:
                yield Figure(name=f"{name}: {measured}", ours=value, reference=printed.get(key, ""))


def strategyqa_debates(folder: Path) -> Iterator[Figure]:
    """Confidences in yes/no answers, and how far they can be trusted."""
    reference = read_reference(folder)
    lines = cast("list[Debate]", read_json_lines(folder / "gpt52_debates.jsonl"))
    debates = [debate for debate in lines if debate.get("gold")]
    groups = {
        "confidence of direct": [_forecast(*debate["direct"], debate["gold"]) for debate in debates],
        "confidence of debaters, first position": [
            _forecast(*sample, debate["gold"]) for debate in debates for sample in debate["initial"].values()
        ],
        "confidence of samples": [
            _forecast(*sample, debate["gold"]) for debate in debates for sample in debate["samples"]
        ],
        "confidence of judge": [
            _forecast(debate["judge"]["answer"], debate["judge"]["confidence"], debate["gold"]) for debate in debates
        ],
        "judge confidence": list(_rulings(folder / "qwen3_judgments.jsonl")),
    }
    for name, forecasts in groups.items():
        yield from calibration(name, forecasts, reference)


def persuasion_shift(folder: Path) -> Iterator[Figure]:
    """Stances before and after a conversation: who flips, who persuades, who is persuaded."""
    reference = read_reference(folder)
    cells = [row for row in read_rows(folder / "cells.csv") if row["pre_mean"] and row["post_mean"]]
    shifts = [
        Shift(before=float(row["pre_mean"]), after=float(row["post_mean"]), side=1 if row["side"] == "pro" else -1)
        for row in cells
    ]
    flips = count_flips(shifts)
    yield Figure(name="conversations", ours=flips.n, reference=find(r"cells (\d+)", reference))
    line = re.search(r"transitions: (\{.*\})", reference)
    printed = cast("dict[str, int]", ast.literal_eval(line[1])) if line else {}
    for path, count in printed.items():
        start, _, end = path.partition("->")
        ours = next((n for (began, other), n in flips.paths.items() if (began, other) == (start, end)), 0)
        yield Figure(name=path, ours=ours, reference=str(count))
    for name, value, pattern in (
        ("opposed who end aligned", flips.won, r"opposed targets that end aligned: ([\d.]+)"),
        ("aligned who end opposed", flips.lost, r"aligned targets that end opposed: ([\d.]+)"),
        ("all who flip", flips.flipped, r"any sign flip: ([\d.]+)"),
    ):
        if value is not None:
            yield Figure(name=name, ours=value, reference=find(pattern, reference))
    published = read_rows(folder / "published.csv")
    for role in ("persuader", "target"):
        moved: dict[str, list[Shift]] = {}
        for row, shift in zip(cells, shifts, strict=True):
            moved.setdefault(row[role], []).append(shift)
        table = {row["model"]: float(row["mean"]) for row in published if row["role"] == role}
        yield Figure(
            name=f"mean shift by {role}, Spearman with the published table",
            ours=spearman({name: count_flips(value).mean for name, value in moved.items()}, table) or 0.0,
            reference=find(rf"{role}: models \d+, Spearman with the published ranking ([\d.]+)", reference),
        )


def _forecast(answer: str, confidence: float, truth: str) -> Forecast:
    """A confidence of 1 to 5 in one of two answers: 1 is a coin's throw, 5 is certain."""
    return Forecast(confidence=0.5 + (confidence - 1) / 8, right=answer == truth)


def _rulings(path: Path) -> Iterator[Forecast]:
    """Rulings in prose, behind the heading FINAL VERDICT; one that cannot be read, or has no truth, is passed over."""
    for row in cast("list[dict[str, str]]", read_json_lines(path)):
        ruling = row["judge_text"][max(row["judge_text"].upper().rfind("FINAL VERDICT"), 0) :]
        winner = re.search(r"proponent|opponent", ruling, flags=re.IGNORECASE)
        confidence = re.search(r"(\d)\s*/\s*5", ruling)
        if winner and confidence and row.get("gold"):
            yield _forecast("yes" if winner[0].lower() == "proponent" else "no", float(confidence[1]), row["gold"])


def calibration(name: str, forecasts: Sequence[Forecast], reference: str, *, title: str = "") -> Iterator[Figure]:
    """The figures of some confidences beside the line of that name.

    Args:
        name: how the line of the reference begins.
        forecasts: the confidences, with what came true.
        reference: the text in which the line stands.
        title: what the figures are called; "" for the name of the line.
    """
    line = re.search(rf"^ *{re.escape(name)}:? +(n=.*)$", reference, flags=re.MULTILINE)
    printed = numbers(line[1]) if line else {}
    if ours := measure(forecasts):
        measures = {
            "n": ours.n,
            "mean": ours.confidence,
            "accuracy": ours.accuracy,
            "Brier": ours.brier.score,
            "ECE": ours.ece,
            "AUROC": ours.auroc,
        }
        for key, value in measures.items():
            if value is not None:
                yield Figure(name=f"{title or name}: {key}", ours=value, reference=printed.get(key, ""))
