"""Recorded debates of three solvers and a judge, with the truth: accuracy by stage, flips, reviews, confidence."""

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict, cast

from benchmarks.replays.figures import Figure, find
from benchmarks.replays.judge_data import calibration
from benchmarks.replays.recorded_files import read_json_lines, read_reference
from folkmoot.core.transcript import normalise
from folkmoot.learn.calibration import Forecast

_UNIT = re.compile(r"(-?\d[\d.,]*)\s*[^\W\d]+[\w/^²³]*\.?")
"""A number with one word behind it: its unit."""


class Solver(TypedDict, total=False):
    """A solver's part of a debate, before and after the reviews."""

    initial_correct: bool
    initial_confidence: float | None
    refined_answer: str | None
    refined_correct: bool
    refined_confidence: float | None


class Verdict(TypedDict):
    """The judge's part of a debate."""

    winner: str
    confidence: float | None
    text: str | None


class Debate(TypedDict):
    """One line of debates.jsonl, as far as it is read."""

    source: str
    gold: str | None
    accepted: NotRequired[Sequence[str]]
    solvers: Mapping[str, Solver]
    reviews: Sequence[Mapping[str, str]]
    verdict: Verdict
    final_answer: str | None
    final_correct: NotRequired[bool]
    final_correct_by_source: NotRequired[bool]
    consensus_refined: NotRequired[bool]


def solver_judge_debates(folder: Path) -> Iterator[Figure]:
    """Each source of debates by its own part of the reference, then the judges' picks in all."""
    reference = read_reference(folder)
    debates = cast("list[Debate]", read_json_lines(folder / "debates.jsonl"))
    plain = reference.replace("ECE(10)", "ECE")
    for letter, source, part in re.findall(
        r"^source (\w) \(([^)]+)\)(.*?)(?=^source |^judge picks|\Z)", plain, flags=re.MULTILINE | re.DOTALL
    ):
        yield from _marked_figures(letter, [debate for debate in debates if debate["source"] == source], part)
    rest = [debate for debate in debates if "final_correct_by_source" in debate]
    if rest:
        yield from _unmarked_figures(rest, reference)
    picks = Counter(debate["verdict"]["winner"] for debate in debates)
    for slot, printed in _printed(r"judge picks by slot, all sources: (\{.*\})", reference).items():
        yield Figure(name=f"judges who picked {slot}", ours=picks[slot], reference=str(printed))


def _marked_figures(letter: str, debates: Sequence[Debate], part: str) -> Iterator[Figure]:
    """A source that says of each answer whether it was right."""
    solvers = [solver for debate in debates for solver in debate["solvers"].values()]
    yield Figure(name=f"{letter}: debates", ours=len(debates), reference=find(r": (\d+) debates", part))
    stages: Mapping[str, Callable[[Solver], bool]] = {
        r"initial ([\d.]+)": _initial,
        r"refined ([\d.]+)": _is_refined_correct,
    }
    for pattern, right in stages.items():
        yield Figure(
            name=f"{letter}: solvers right, {pattern.partition(' ')[0]}",
            ours=sum(map(right, solvers)) / max(len(solvers), 1),
            reference=find(f"solver accuracy .*?{pattern}", part),
        )
    flips = Counter((_initial(solver), _is_refined_correct(solver)) for solver in solvers)
    for words, path in (("right->wrong", (True, False)), ("wrong->right", (False, True))):
        yield Figure(name=f"{letter}: {words}", ours=flips[path], reference=find(rf"{words} (\d+)", part))
    for count_name, printed in _printed(r"per debate: (\{.*\})", part).items():
        count = _COUNTS.get(count_name)
        if count:
            ours = sum(map(count, debates))
            yield Figure(name=f"{letter}: {count_name}", ours=ours, reference=str(printed).partition("/")[0])
    reviews = Counter(
        f"{review['overall']}, {_initial(debate['solvers'][review['target']])}"
        for debate in debates
        for review in debate["reviews"]
    )
    for kind, printed in _printed(r"peer reviews [^:]*: (\{.*\})", part).items():
        yield Figure(name=f"{letter}: reviews {kind}", ours=reviews[kind], reference=str(printed))
    for name, forecasts in _confidences(debates, solvers).items():
        if f"confidence {name}" in part:
            yield from calibration(f"confidence {name}", forecasts, part, title=f"{letter}: confidence {name}")


def _initial(solver: Solver) -> bool:
    return bool(solver.get("initial_correct"))


def _is_refined_correct(solver: Solver) -> bool:
    return bool(solver.get("refined_correct"))


def _most_solvers(debate: Debate, right: Callable[[Solver], bool]) -> bool:
    return 2 * sum(map(right, debate["solvers"].values())) > len(debate["solvers"])


def _final(debate: Debate) -> bool:
    return bool(debate.get("final_correct"))


_COUNTS: Mapping[str, Callable[[Debate], bool]] = {
    "judge chose a correct refined answer": lambda debate: _is_refined_correct(
        debate["solvers"].get(debate["verdict"]["winner"], Solver())
    ),
    "some refined answer correct": lambda debate: any(map(_is_refined_correct, debate["solvers"].values())),
    "some initial answer correct": lambda debate: any(map(_initial, debate["solvers"].values())),
    "majority initial correct": lambda debate: _most_solvers(debate, _initial),
    "majority refined correct": lambda debate: _most_solvers(debate, _is_refined_correct),
    "final correct": _final,
    "consensus refined": lambda debate: bool(debate.get("consensus_refined")),
    "consensus refined and wrong": lambda debate: bool(debate.get("consensus_refined")) and not _final(debate),
}
"""What is counted of each debate, by the words of the reference."""


def _confidences(debates: Sequence[Debate], solvers: Sequence[Solver]) -> Mapping[str, list[Forecast]]:
    """The confidences that were given, by who gave them and when."""
    first = [(solver.get("initial_confidence"), _initial(solver)) for solver in solvers]
    refined = [(solver.get("refined_confidence"), _is_refined_correct(solver)) for solver in solvers]
    judges = [(debate["verdict"]["confidence"], _final(debate)) for debate in debates]
    groups = {"solver initial": first, "solver refined": refined, "judge": judges}
    return {
        name: [Forecast(confidence=sure, right=right) for sure, right in group if sure is not None]
        for name, group in groups.items()
    }


def _unmarked_figures(debates: Sequence[Debate], reference: str) -> Iterator[Figure]:
    """A source whose own marks are not to be trusted: answers are compared anew, units aside."""
    solvers = [solver for debate in debates for solver in debate["solvers"].values()]
    blank = sum(not (solver.get("refined_answer") or "").strip() for solver in solvers)
    silent = [debate["verdict"] for debate in debates]
    empty = sum(not (verdict["text"] or "").strip() and verdict["confidence"] == 0.5 for verdict in silent)
    counts = {
        "debates": (len(debates), r"source C: (\d+) debates"),
        "right by the source": (
            sum(bool(debate.get("final_correct_by_source")) for debate in debates),
            r"correct by the source (\d+)",
        ),
        "right, units aside": (sum(map(is_accepted, debates)), r"normalisation (\d+)"),
        "blank refined answers": (blank, r"blank refined answers (\d+)"),
        "verdicts without a word": (empty, r"no text and confidence 0.5: (\d+)"),
    }
    for name, (ours, pattern) in counts.items():
        yield Figure(name=f"C: {name}", ours=ours, reference=find(pattern, reference))


def is_accepted(debate: Debate) -> bool:
    """Whether the final answer is one of those that are right, with or without a unit behind a number."""
    answer = debate.get("final_answer") or ""
    united = _UNIT.fullmatch(answer.strip())
    accepted = {normalise(answer), normalise(united[1])} if united else {normalise(answer)}
    right = {normalise(str(text)) for text in (debate.get("gold"), *debate.get("accepted", ())) if text}
    return bool(accepted & right)


def _printed(pattern: str, text: str) -> Mapping[str, object]:
    """The counts that stand in a reference as a mapping."""
    line = re.search(pattern, text)
    return cast("dict[str, object]", ast.literal_eval(line[1])) if line else {}
