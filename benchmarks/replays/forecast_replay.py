"""Replay of recorded forecasts: does a debate pay, on yes/no questions that have since been resolved?

Models gave probabilities, alone and again after reading the others' forecasts and reasons. The first lines are those of
the data's ``reference.txt``; the second part has the intervals, gates and flips of ``folkmoot.evaluation``. Lower losses
are better, so a difference below 0 is a gain.
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.replays.figures import SameLine
from benchmarks.replays.forecast_data import DEBATE, Item, Recorded, read_forecasts
from benchmarks.replays.recorded_files import read_reference
from folkmoot.core.text import counted
from folkmoot.evaluation.flips import Change, FlipRate, flip_table, state_of
from folkmoot.evaluation.gates import CANDIDATES, DEFAULT, Gated, choose, cross_validate, splits
from folkmoot.evaluation.paired import Differences, Floats, Interval, p_value
from folkmoot.evaluation.power import questions_needed, smallest_difference
from folkmoot.evaluation.verdicts import compare, decide
from folkmoot.learn.calibration import Forecast, log_score

GATES = (0.05, 0.10, 0.15, 0.20, 0.30)
DRAWS, SPLITS, HALVES = 4_000, 50, 2_000
MOST_CALLS, ROOM = 4.9, 0.01
"""A gate is worth it with at most so many calls, of 6, and a loss of at most so much above always debating."""

LEAST = 20
"""Questions from which a gate can be learned at all."""

MARGIN = 0.02
"""Nats: a difference of losses that matters."""


Pool = Callable[[Item], float]


def replay_forecasts(folder: Path) -> Iterator[str]:
    """All lines: those of the reference, then ours."""
    recorded = read_forecasts(folder)
    yield from reference_lines(recorded)
    yield ""
    for sentence in recorded.left_out:
        yield f"left out: {sentence}"
    yield from interval_lines(recorded)
    if recorded.items:
        yield from gate_lines(recorded.items)
        yield from flip_lines(recorded.items)


# ---- the lines of the reference --------------------------------------------------------------------------------------


def reference_lines(recorded: Recorded) -> Iterator[str]:
    """The lines of ``reference.txt``, with its percentile bootstraps."""
    items = recorded.items
    counts = recorded.independent
    yield f"questions {len(counts)} independent full forecasts a question {sorted(set(counts))}"
    if items:
        yield from _debate_rows(items)
    for condition, group in recorded.conditions.items():
        before, after = _losses(group, _mean_before), _losses(group, _mean_after)
        interval = percentile((after - before).tolist(), seed=3)
        change = f"{_mean(after - before):+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"
        ends = f"before {_mean(before):.4f}  after {_mean(after):.4f}"
        yield f"condition {condition:24s} n {len(group)}  {ends}  change {change}"


def _debate_rows(items: Sequence[Item]) -> Iterator[str]:
    """The debate that is judged, beside first forecasts, independent ones and gates."""
    size = _group_size(items)
    yield _row("panel mean", items, _mean_before, calls=size)
    yield _row("independent, mean", items, _mean_independent, calls=_mean([len(item.independent) for item in items]))
    yield _row("debate, mean", items, _mean_after, calls=2 * size)
    for threshold in GATES:
        share = _mean([item.spread > threshold for item in items])
        yield _row(f"gate {threshold:.2f}", items, _gated(threshold), calls=size + size * share)
    table = flip_table([_changes(item) for item in items])
    yield f"flips over 0.5: wrong to right {table.to_right.turned} right to wrong {table.to_wrong.turned}"


def _group_size(items: Sequence[Item]) -> int:
    """How many forecasts most groups have; where one of them is missing, its calls were made all the same."""
    return Counter(len(item.before) for item in items).most_common(1)[0][0]


def compare_forecasts(folder: Path) -> Iterator[SameLine]:
    """Each line of the reference, and whether it is among ours."""
    ours = frozenset(reference_lines(read_forecasts(folder)))
    for line in read_reference(folder).splitlines():
        if line.strip():
            yield SameLine(text=line, reached=line in ours)


def _row(name: str, items: Sequence[Item], pool: Pool, *, calls: float) -> str:
    losses = _losses(items, pool)
    differences = losses - _losses(items, _mean_independent)
    interval = percentile(differences.tolist(), seed=2)
    change = f"{_mean(differences):+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]"
    scores = f"log loss {_mean(losses):.4f}  brier {_mean(_briers(items, pool)):.4f}"
    return f"{name:28s} calls {calls:.2f}  {scores}  minus independent {change}"


def percentile(values: Sequence[float], *, seed: int) -> Interval:
    """The 95% interval of a mean by the percentile bootstrap, as the reference has it.

    It covers less often than the interval of ``folkmoot.evaluation.paired``.

    Args:
        values: one for each question; they are drawn again with replacement.
        seed: of the draws.
    """
    chance = random.Random(seed)
    results = sorted(_mean(chance.choices(values, k=len(values))) for _ in range(DRAWS))
    return Interval(low=results[int(0.025 * DRAWS)], high=results[int(0.975 * DRAWS)])


# ---- our own ---------------------------------------------------------------------------------------------------------


def interval_lines(recorded: Recorded) -> Iterator[str]:
    """Paired differences with Student's t, and the p value of flipped signs."""
    items = recorded.items
    yield "paired differences with 95% intervals (Student's t) and p values (flipped signs); below 0 is better"
    if items:
        first, many, last = (_losses(items, pool) for pool in (_mean_before, _mean_independent, _mean_after))
        calls = _independent_calls(items)
        yield _difference(f"log loss, debate minus {calls}", last - many)
        yield _difference("log loss, debate minus the panel's first forecasts", last - first)
        yield _difference(
            f"Brier, debate minus {calls}", _briers(items, _mean_after) - _briers(items, _mean_independent)
        )
    else:
        yield f"the debate {DEBATE} and independent forecasts are not there, so nothing is compared at equal calls"
    for condition, group in recorded.conditions.items():
        yield _difference(
            f"log loss, after minus before, {condition}", _losses(group, _mean_after) - _losses(group, _mean_before)
        )
    if items:
        yield from _verdict_lines(items)


def _verdict_lines(items: Sequence[Item]) -> Iterator[str]:
    """Right answers, what so many questions can show, and the verdict."""
    right = [(_right(_mean_after(item), item), _right(_mean_independent(item), item)) for item in items]
    won, lost = right.count((True, False)), right.count((False, True))
    calls = _independent_calls(items)
    yield f"right answers, debate against {calls}: {won} won, {lost} lost of {len(items)}"
    if len(items) < 2:
        yield "no verdict: one question shows no difference"
        return
    rival = Differences(_losses(items, _mean_independent) - _losses(items, _mean_after))
    least, needed = smallest_difference(rival.spread, rival.n), questions_needed(rival.spread, MARGIN)
    yield f"standard deviation {rival.spread:.3f}; {rival.n} questions show {least:.3f}; {MARGIN:g} need {needed}"
    if rival.mean:
        needed = questions_needed(rival.spread, abs(rival.mean))
        yield f"a difference as large as this one needs {counted(needed, 'question')}"
    # Calls are compared, and nothing else: of tokens the data say nothing.
    many = _mean([len(item.independent) for item in items])
    verdict = decide([compare(calls, rival, cost_ratio=2 * _group_size(items) / many)], margin=MARGIN)
    yield f"verdict: {verdict.sentence}"


def _independent_calls(items: Sequence[Item]) -> str:
    """As how many independent calls the debate is compared with, in words."""
    many = _mean([len(item.independent) for item in items])
    return f"{'six' if many == 6 else f'{many:.3g}'} independent call{'s' * (many != 1)}"


def gate_lines(items: Sequence[Item]) -> Iterator[str]:
    """Gates with thresholds learned on other questions, and the best of the fixed ones corrected for the choice."""
    if len(items) < LEAST:
        yield f"no gate: it is learned from at least {LEAST} questions"
        return
    questions = Gated(
        spread=np.array([item.spread for item in items]),
        without=_losses(items, _mean_before),
        debated=_losses(items, _mean_after),
    )
    many, size, rival_name = _losses(items, _mean_independent), _group_size(items), _independent_calls(items)
    for name, cautious in (("least loss", False), ("one standard error", True)):
        learned = [cross_validate(questions, cautious=cautious, seed=seed) for seed in range(SPLITS)]
        losses: Floats = np.mean([split.losses for split in learned], axis=0)
        calls = size + size * _mean([split.share for split in learned])
        yield f"gate by {name}, 10 folds x {SPLITS}: log loss {_mean(losses):.4f}, {calls:.2f} calls (an estimate)"
        yield _difference(f"  minus {rival_name}", losses - many)
        yield _difference("  minus the panel's first forecasts", losses - questions.without)
        yield _difference("  minus always debating", losses - questions.debated)
    yield _half_line(questions)
    yield _sparing_line(questions, size)
    fixed = [questions.losses(threshold) for threshold in CANDIDATES[:-1]]
    against = {rival_name: many, "the panel": questions.without}
    for rival, losses in against.items():
        p = largest_gain([losses - gate for gate in fixed])
        yield f"best of {len(fixed)} fixed gates against {rival}, corrected for the choice: one-sided p {p:.3f}"


def _half_line(questions: Gated) -> str:
    splits = [Differences(half_split(questions, seed=seed)) for seed in range(HALVES)]
    gains = sorted(split.mean for split in splits)
    low, high = gains[int(0.025 * HALVES)], gains[int(0.975 * HALVES)]
    below = _mean([gain < 0 for gain in gains])
    shown = _mean([split.interval().high < 0 for split in splits])
    middle = f"{_mean(gains):+.4f}, middle 95 % [{low:+.4f}, {high:+.4f}]"
    return (
        f"gate by halves x {HALVES}, minus the panel: {middle}, below 0 in {below:.2f}, interval below 0 in {shown:.2f}"
    )


def _sparing_line(questions: Gated, size: float) -> str:
    """How often a gate spares calls and loses hardly anything on the half from which it was not learned."""
    met = {"learned gate": 0, f"gate {DEFAULT:g}": 0}
    for seed in range(HALVES):
        learn, judge = next(splits(questions, 2, seed))
        part = questions.only(judge)
        for name, threshold in zip(met, (choose(questions.only(learn), cautious=True), DEFAULT), strict=True):
            worse = float((part.losses(threshold) - part.debated).mean())
            met[name] += size + size * part.share(threshold) <= MOST_CALLS and worse <= ROOM
    shares = ", ".join(f"{name} in {many / HALVES:.2f}" for name, many in met.items())
    return f"by halves x {HALVES}, at most {MOST_CALLS:g} calls and {ROOM:g} above always debating: {shares}"


def half_split(questions: Gated, *, seed: int, cautious: bool = False) -> Floats:
    """What a threshold learned on one half gains on the other: loss with the gate minus loss without a debate."""
    learn, judge = next(splits(questions, 2, seed))
    part = questions.only(judge)
    return part.losses(choose(questions.only(learn), cautious=cautious)) - part.without


def largest_gain(gains: Sequence[Floats], *, draws: int = 20_000, seed: int = 0) -> float:
    """The one-sided p value of the best of several gates, corrected for the choice (max-t with flips of signs).

    Args:
        gains: of each gate the gain on each question, the same questions for all.
        draws: of signs.
        seed: of the draws.
    """
    table = np.stack(gains)
    norms = np.sqrt((table**2).sum(axis=1))
    scaled = table[norms > 0] / norms[norms > 0, None]
    if not len(scaled):
        return 1.0
    signs = np.random.default_rng(seed).choice((-1.0, 1.0), size=(draws, table.shape[1]))
    observed = float(scaled.sum(axis=1).max())
    return (1 + int(((signs @ scaled.T).max(axis=1) >= observed - 1e-12).sum())) / (1 + draws)


def flip_lines(items: Sequence[Item]) -> Iterator[str]:
    """What the debate turned, counted by question."""
    table = flip_table([_changes(item) for item in items])
    yield f"wrong to right {_rate(table.to_right)}; right to wrong {_rate(table.to_wrong)}"
    up, down = table.questions_up, table.questions_down
    yield f"questions with more turned right {up}, more turned wrong {down}, p {table.p:.3f}"


def _rate(rate: FlipRate) -> str:
    return f"{rate.turned} of {rate.n} ({rate.share:.3f} [{rate.interval.low:.3f}, {rate.interval.high:.3f}])"


def _difference(name: str, values: Floats) -> str:
    if len(values) < 2:
        return f"{name:52s} {_mean(values):+.4f} of one question, so without an interval"
    differences = Differences(values)
    interval = differences.interval()
    p = p_value(differences)
    return f"{name:52s} {differences.mean:+.4f} [{interval.low:+.4f}, {interval.high:+.4f}]  p {p:.3f}"


# ---- forecasts -------------------------------------------------------------------------------------------------------


def _mean_before(item: Item) -> float:
    return _mean(item.before)


def _mean_after(item: Item) -> float:
    return _mean(item.after)


def _mean_independent(item: Item) -> float:
    return _mean(item.independent)


def _gated(threshold: float) -> Pool:
    return lambda item: _mean_after(item) if item.spread > threshold else _mean_before(item)


def _right(probability: float, item: Item) -> bool:
    return (probability > 0.5) == bool(item.outcome)


def _changes(item: Item) -> list[Change]:
    return [
        (state_of(_right(before, item)), state_of(_right(after, item)))
        for before, after in zip(item.before, item.after, strict=True)
    ]


def _losses(items: Sequence[Item], pool: Pool) -> Floats:
    """The log loss of each question."""
    return np.array([log_score([Forecast(confidence=pool(item), right=bool(item.outcome))]) for item in items])


def _briers(items: Sequence[Item], pool: Pool) -> Floats:
    return np.array([(pool(item) - item.outcome) ** 2 for item in items])


def _mean(values: Sequence[float] | Floats) -> float:
    return math.fsum(values) / len(values)
