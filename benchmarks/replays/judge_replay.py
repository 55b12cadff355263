"""Replay of recorded judges that saw each pair in both orders: which prompt is better, on the same pairs?"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.replays.recorded_files import read_rows
from folkmoot.evaluation.paired import Differences, p_value
from folkmoot.evaluation.power import holm
from folkmoot.evaluation.verdicts import compare, signed

BASE = "CoT"
"""The prompt with which the others are compared."""


def replay_judges(folder: Path) -> Iterator[str]:
    """For each judge the accuracy of each prompt, minus that of its own plain chain of thought."""
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for row in read_rows(folder / "votes.csv"):
        verdicts = (row["winner_original_order"], row["winner_swapped_order"])
        score = sum(verdict == row["label"] for verdict in verdicts) / 2
        scores.setdefault(row["judge"], {}).setdefault(row["strategy"], {})[row["item"]] = score
    for judge, prompts in scores.items():
        yield f"{judge}: accuracy (mean of both orders), minus {BASE}, p adjusted for the number of prompts"
        yield from _judge_lines(prompts)


def _judge_lines(prompts: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    base = prompts[BASE]
    yield f"  {BASE:<26} {sum(base.values()) / len(base):.3f}"
    differences = {
        name: Differences([items[item] - base[item] for item in base], credits=True)
        for name, items in prompts.items()
        if name != BASE
    }
    adjusted = holm({name: p_value(values) for name, values in differences.items()})
    for name, values in differences.items():
        accuracy = sum(prompts[name].values()) / len(prompts[name])
        yield f"  {name:<26} {accuracy:.3f}  {signed(compare(BASE, values))}  p {adjusted[name]:.3f}"
