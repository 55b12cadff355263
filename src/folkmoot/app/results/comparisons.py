"""Debates against their rivals: paired differences, looks, several debates at once, and the verdicts."""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.app.evaluation.scores import EvalResult, PlannedArm
from folkmoot.app.results.score_rows import ScoreRows, only_some
from folkmoot.app.results.scoreboard import GrowthLine, OrderLine, PairLine, PartLine, QuestionLine, VerdictLine
from folkmoot.core.errors import RecordError
from folkmoot.evaluation.looks import FIRST_LOOK, holm, live_half_width, look_bounds
from folkmoot.evaluation.paired import Interval
from folkmoot.evaluation.power import questions_needed, smallest_difference
from folkmoot.evaluation.quantiles import NORMAL
from folkmoot.evaluation.verdicts import COST_ROOM, Comparison, Conduct, Verdict, compare, decide, spread_of_interval

UNKNOWN_COST = math.inf
"""The ratio of costs of which one is not known: they are not equal."""

MOST_PARTS = 30
"""Parts of the questions that are shown; those with the most questions."""

GROWTH_POINTS = 60
"""The most points of a curve over the questions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Whether a verdict may be read now.

    Attributes:
        alpha: the level now; stricter at a look before the end.
        missing: how many questions are missing until the next planned look; 0 where a verdict may be read.
    """

    alpha: float
    missing: int = 0


def look(rows: ScoreRows) -> Look:
    """The planned look at which the evaluation is, or the next one."""
    n, planned, alpha = len(rows.questions), rows.plan.planned, rows.plan.alpha
    shares = (*(share for share in rows.plan.looks if 0 < share < 1), 1.0)
    if len(shares) == 1:
        return Look(alpha=alpha, missing=max(planned - n, 0))
    dues = [math.ceil(share * planned - 1e-9) for share in shares]
    index = next((index for index, due in enumerate(dues) if n <= due), len(dues) - 1)
    bound = look_bounds(shares, alpha=alpha)[index]
    return Look(alpha=2 * (1 - NORMAL.cdf(bound)), missing=max(dues[index] - n, 0))


def rivals(rows: ScoreRows, debate: PlannedArm) -> list[PlannedArm]:
    """The arms that were bought for the cost of a debate."""
    return [arm for arm in rows.arms if arm.matches == debate.name and not arm.is_debate]


def debates(rows: ScoreRows) -> list[PlannedArm]:
    """The debates of the plan."""
    return [arm for arm in rows.arms if arm.is_debate]


def compare_all(rows: ScoreRows) -> dict[str, dict[str, Comparison]]:
    """Each debate against every other arm, at the level of the look; p values against rivals are adjusted (Holm)."""
    alpha = look(rows).alpha
    table = {
        debate.name: {
            other.name: _compare(rows, debate.name, other, alpha)
            for other in rows.arms
            if other.name != debate.name and not (other.liars or other.probes)
        }
        for debate in debates(rows)
    }
    planned = {debate.name: [rival.name for rival in rivals(rows, debate)] for debate in debates(rows)}
    worst = {name: max(table[name][rival].p for rival in names) for name, names in planned.items() if names}
    adjusted = holm(worst)
    for name, p in adjusted.items():
        for rival in planned[name]:
            comparison = table[name][rival]
            table[name][rival] = replace(comparison, p=max(comparison.p, p))
    return table


def _compare(rows: ScoreRows, debate: str, other: PlannedArm, alpha: float) -> Comparison:
    comparison = compare(
        other.name,
        rows.differences(rows.minus(debate, other.name)),
        cost_ratio=cost_ratio(rows, debate, other.name),
        seed=rows.plan.seed,
        alpha=alpha,
    )
    return replace(comparison, groups=rows.group_count)


def cost_ratio(rows: ScoreRows, debate: str, other: str) -> float:
    """The debate's cost by the other's; infinite where one is not known."""
    own, theirs = rows.cost(debate), rows.cost(other)
    return own / theirs if own is not None and theirs else UNKNOWN_COST


def verdict(rows: ScoreRows, result: EvalResult, debate: PlannedArm, comparisons: Mapping[str, Comparison]) -> Verdict:
    """The verdict on a debate against its rivals.

    Args:
        rows: the scores.
        result: how the run went.
        debate: the arm.
        comparisons: against every other arm, by name.
    """
    names = [arm.name for arm in rivals(rows, debate)]
    if not names:
        return Verdict(word="no verdict", sentence="no verdict: cost not matched")
    chosen = [comparisons[name] for name in names]
    conduct = Conduct(
        failed=[_failed(rows, name) for name in (debate.name, *names)],
        plan_changed=result.plan_changed,
        judge_unchecked=result.judged_with_labels is False,
        part=bool(result.tag),
        learned_here=any(learning.arm == debate.name and learning.way == "folds" for learning in result.learned),
        unread_decide=any(_turns_without_unread(rows, debate.name, name) for name in names),
    )
    decided = decide(chosen, margin=rows.plan.margin, conduct=conduct)
    missing = look(rows).missing
    if missing and decided.word != "no verdict":
        return Verdict(word="not known", sentence=f"not known: n too small by {missing} (the next look of the plan)")
    return decided


def part_lines(result: EvalResult) -> tuple[PartLine, ...]:
    """Every arm, and every debate against its rivals, on the questions of each tag and on each side of the cut-off."""
    named = parts_of(result)
    most = sorted(named, key=lambda name: (-len(named[name]), name))[:MOST_PARTS]
    return tuple(line for name in named if name in most for line in _part_lines(result, name, named[name]))


def parts_of(result: EvalResult) -> dict[str, set[str]]:
    """The questions of each part: by the words of their tags, and by the latest cut-off of a model."""
    known = dict.fromkeys(row.question for row in result.scores)
    facts = {name: result.facts[name] for name in known if name in result.facts}
    parts: dict[str, set[str]] = {}
    for tag in sorted({tag for own in facts.values() for tag in own.tags}):
        parts[tag] = {name for name, own in facts.items() if tag in own.tags}
    if result.plan.cutoffs and any(own.known_since for own in facts.values()):
        dated = [name for name, own in facts.items() if own.known_since]
        day = max(result.plan.cutoffs.values())
        parts[f"public by {day}"] = {name for name in dated if is_known_by(facts[name].known_since, day)}
        parts[f"public after {day}"] = set(dated) - parts[f"public by {day}"]
        parts["without a date"] = set(known) - set(dated)
    return {name: questions for name, questions in parts.items() if questions}


def is_known_by(known_since: str, cutoff: str) -> bool:
    """Whether a model may know an answer: of a whole year or month its first day counts, of a cut-off its last one."""
    return known_since <= f"{cutoff}~"


def _part_lines(result: EvalResult, part: str, questions: Container[str]) -> Iterator[PartLine]:
    try:
        rows = ScoreRows(replace(only_some(result, questions), seats=()))
    except RecordError:
        return  # fewer than two questions have no interval
    n = len(rows.questions)
    for arm in rows.arms:
        values = rows.scores(arm.name)
        interval = rows.interval(values)
        yield PartLine(part=part, questions=n, arm=arm.name, rival="", value=float(values.mean()), interval=interval)
    for debate in debates(rows):
        for rival in rivals(rows, debate):
            differences = rows.differences(rows.minus(debate.name, rival.name))
            yield PartLine(
                part=part,
                questions=n,
                arm=debate.name,
                rival=rival.name,
                value=differences.mean,
                interval=differences.interval(),
            )


def _failed(rows: ScoreRows, arm: str) -> float:
    states = [row.state for row in rows.of(arm)]
    return states.count("failed") / len(states)


def without_unread(rows: ScoreRows, arm: str, rival: str) -> float | None:
    """The mean difference without questions that one of the two left unread; None where none is left."""
    places = rows.read(arm, rival)
    return float(rows.minus(arm, rival)[places].mean()) if places else None


def _turns_without_unread(rows: ScoreRows, arm: str, rival: str) -> bool:
    bound = without_unread(rows, arm, rival)
    return bound is None or bound * float(rows.minus(arm, rival).mean()) < 0


def verdict_lines(
    rows: ScoreRows, result: EvalResult, table: Mapping[str, Mapping[str, Comparison]]
) -> tuple[VerdictLine, ...]:
    """The verdict on each debate of the plan."""
    verdicts = {debate.name: verdict(rows, result, debate, table[debate.name]) for debate in debates(rows)}
    return tuple(VerdictLine(arm=name, word=item.word, sentence=item.sentence) for name, item in verdicts.items())


def pair_lines(rows: ScoreRows, table: Mapping[str, Mapping[str, Comparison]]) -> tuple[PairLine, ...]:
    """Each debate against every other arm, but not against what has the cost of another debate."""
    return tuple(
        _pair_line(rows, debate, other, table[debate.name][other.name])
        for debate in debates(rows)
        for other in sorted(rows.arms, key=lambda arm: arm.matches != debate.name)
        if other.name in table[debate.name]
        and other.matches in ("", debate.name)
        and not _is_compared(rows, debate, other)
    )


def _is_compared(rows: ScoreRows, debate: PlannedArm, other: PlannedArm) -> bool:
    """Whether two debates are compared already: the first of them in the plan minus the second, and not both ways."""
    return other.is_debate and debates(rows).index(other) < debates(rows).index(debate)


def _pair_line(rows: ScoreRows, debate: PlannedArm, other: PlannedArm, comparison: Comparison) -> PairLine:
    values = rows.minus(debate.name, other.name)
    differences = rows.differences(values)
    matched = other.matches == debate.name
    several = len(debates(rows))
    ratio = comparison.cost_ratio
    return PairLine(
        arm=debate.name,
        rival=other.name,
        matched=matched,
        n=comparison.n,
        difference=comparison.mean,
        interval=comparison.interval,
        corrected=differences.interval(1 - comparison.alpha / several) if several > 1 else None,
        p=compare(other.name, differences, seed=rows.plan.seed, alpha=comparison.alpha).p,
        adjusted=comparison.p if matched else None,
        helped=int((values > 0).sum()),
        hurt=int((values < 0).sum()),
        cost_ratio=ratio if math.isfinite(ratio) else None,
        equal_cost=abs(ratio - 1) <= COST_ROOM,
        smallest=smallest_difference(spread_of_interval(comparison), comparison.n),
        needed=questions_needed(spread_of_interval(comparison), rows.plan.margin),
        without_unread=without_unread(rows, debate.name, other.name),
        live=live_interval(values.tolist(), rows.plan.planned, rows.plan.alpha),
    )


def live_interval(values: Sequence[float], planned: int, alpha: float) -> Interval | None:
    """The interval that may be looked at after every question; None below 50 questions.

    Args:
        values: the differences so far.
        planned: how many questions are planned.
        alpha: the chance that it ever misses the true mean.
    """
    n = len(values)
    if n < FIRST_LOOK:
        return None
    mean = math.fsum(values) / n
    spread = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1))
    half = live_half_width(spread, n, max(planned, n), alpha=alpha)
    return Interval(low=mean - half, high=mean + half, level=1 - alpha)


def order_lines(rows: ScoreRows) -> tuple[OrderLine, ...]:
    """Each model alone with the options in the order of the data, minus the same in another order."""
    return tuple(_order_line(rows, arm) for arm in rows.arms if arm.probes)


def _order_line(rows: ScoreRows, arm: PlannedArm) -> OrderLine:
    differences = rows.differences(rows.minus(arm.name, arm.probes))
    pairs = list(zip(rows.of(arm.name), rows.of(arm.probes), strict=True))
    return OrderLine(
        arm=arm.probes,
        rows=len(pairs),
        changed=sum(own.answer != other.answer for own, other in pairs),
        difference=differences.mean,
        interval=differences.interval(),
    )


def growth_lines(rows: ScoreRows) -> tuple[GrowthLine, ...]:
    """The differences from the rivals as the questions came, with the live interval."""
    n = len(rows.questions)
    sizes = sorted({round(FIRST_LOOK + (n - FIRST_LOOK) * step / GROWTH_POINTS) for step in range(GROWTH_POINTS + 1)})
    lines: list[GrowthLine] = []
    for debate in debates(rows):
        for rival in rivals(rows, debate):
            values = rows.minus(debate.name, rival.name).tolist()
            for size in sizes if n >= FIRST_LOOK else []:
                interval = live_interval(values[:size], rows.plan.planned, rows.plan.alpha)
                if interval:
                    mean = math.fsum(values[:size]) / size
                    lines.append(
                        GrowthLine(arm=debate.name, rival=rival.name, n=size, difference=mean, interval=interval)
                    )
    return tuple(lines)


def question_lines(rows: ScoreRows) -> tuple[QuestionLine, ...]:
    """Each question for each debate and rival, the largest loss first."""
    lines: list[QuestionLine] = []
    for debate in debates(rows):
        for rival in rivals(rows, debate):
            values = rows.minus(debate.name, rival.name).tolist()
            lines += [
                QuestionLine(
                    question=question,
                    group=row.group,
                    arm=debate.name,
                    rival=rival.name,
                    difference=value,
                    record=row.record,
                )
                for value, question in sorted(zip(values, rows.questions, strict=True))
                for row in rows.on(debate.name, question)[:1]
            ]
    return tuple(lines)
