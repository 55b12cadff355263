"""From the scores of an evaluation to its scoreboard, with what a reader must know beside the figures."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from folkmoot.app.evaluation.arms import RETHINK, Arm
from folkmoot.app.evaluation.responses import exact_sum
from folkmoot.app.evaluation.scores import EvalResult, SeatScore
from folkmoot.app.results.score_rows import ScoreRows
from folkmoot.app.results.scoreboard import (
    VERSION,
    ArmLine,
    FlipLine,
    PairLine,
    QuestionLine,
    Scoreboard,
    VerdictLine,
)
from folkmoot.core.text import counted, listed
from folkmoot.core.transcript import normalise
from folkmoot.evaluation.flips import Change, flip_table, state_of
from folkmoot.evaluation.looks import FIRST_LOOK, holm, live_half_width, look_bounds
from folkmoot.evaluation.paired import Interval
from folkmoot.evaluation.power import questions_needed, smallest_difference
from folkmoot.evaluation.quantiles import NORMAL
from folkmoot.evaluation.verdicts import (
    COST_ROOM,
    Comparison,
    Conduct,
    Verdict,
    compare,
    decide,
    more,
    spread_of_interval,
)
from folkmoot.learn.panels import tops

Pair: TypeAlias = tuple[str, str]
"""A debate and another arm, by name."""

ONE_GROUP = "All questions are one group, so the intervals are too narrow: they count the questions as independent."
NO_PLACEBO = (
    "There is no arm that asks again without showing other answers (rethink): "
    "some flips are what a second look alone gives."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """What one verdict is about: a debate, what it has to beat at equal cost, and which of these is a debate itself."""

    debate: str
    rivals: Sequence[str]
    versus: str = ""


def measure(result: EvalResult) -> Scoreboard:
    """The scoreboard of an evaluation.

    Raises:
        RecordError: fewer than two questions are answered by all arms.
    """
    rows = ScoreRows(result)
    tests, pairs, compared = _tests(rows.arms), list(_pairs(rows.arms)), dict[Pair, Comparison]()
    alpha, missing = _look(rows)
    for debate, other in pairs:
        compared[debate, other.name] = _compare(rows, debate, other.name, alpha)
    # A verdict stands if it does against every rival: its p value is the largest one; Holm corrects for the verdicts.
    worst = [max((compared[test.debate, rival].p for rival in test.rivals), default=1.0) for test in tests]
    adjusted = holm({str(n): p for n, p in enumerate(worst) if tests[n].rivals})
    corrected = dict(compared)
    for n, test in enumerate(tests):
        for pair in ((test.debate, rival) for rival in test.rivals):
            corrected[pair] = replace(compared[pair], p=max(compared[pair].p, adjusted[str(n)]))
    lines = tuple(
        _pair_line(rows, other, compared[debate, other.name], corrected[debate, other.name], debate, len(tests))
        for debate, other in pairs
    )
    return Scoreboard(
        version=VERSION,
        plan=rows.plan,
        plan_hash=result.plan.hash,
        exploratory=result.plan_changed,
        questions=len(rows.questions),
        groups=rows.group_count,
        charged_usd=exact_sum([row.usd for arm in rows.arms for row in rows.of(arm.name)]),
        paid_usd=result.paid_usd,
        paid_tokens=result.paid_tokens,
        verdicts=tuple(_verdict_line(rows, result, test, corrected, missing) for test in tests),
        arms=tuple(_arm_line(rows, arm) for arm in rows.arms),
        pairs=lines,
        flips=tuple(_flip_lines(rows)),
        by_question=tuple(_question_lines(rows)),
        notes=tuple(_notes(rows, result, lines, missing)),
    )


def _tests(arms: Sequence[Arm]) -> list[Test]:
    """Each debate against independent answers at its cost; and against each other debate that meets its cost."""
    tests: list[Test] = []
    for debate in (arm.name for arm in arms if arm.is_debate):
        matching = [arm for arm in arms if arm.match == debate]
        tests.append(Test(debate=debate, rivals=[arm.name for arm in matching if arm.is_drawn]))
        others = [arm.name for arm in matching if arm.is_protocol]
        tests += [Test(debate=debate, rivals=[name], versus=name) for name in others]
    return tests


def _pairs(arms: Sequence[Arm]) -> Iterator[tuple[str, Arm]]:
    """Each debate and every other arm, but not what has the cost of another debate, and not two debates twice."""
    debates = [arm for arm in arms if arm.is_debate]
    for number, debate in enumerate(debates, start=1):
        for other in sorted(arms, key=lambda arm: arm.match != debate.name):
            if other.match in ("", debate.name) and other not in debates[:number]:
                yield debate.name, other


def _look(rows: ScoreRows) -> tuple[float, int]:
    """The level now, stricter at a look before the end; and how many questions are missing until the next look."""
    n, planned, alpha = len(rows.questions), rows.plan.planned, rows.plan.alpha
    shares = (*(share for share in rows.plan.looks if 0 < share < 1), 1.0)
    if len(shares) == 1:
        return alpha, max(planned - n, 0)
    dues = [math.ceil(share * planned - 1e-9) for share in shares]
    index = next((index for index, due in enumerate(dues) if n <= due), len(dues) - 1)
    bound = look_bounds(shares, alpha=alpha)[index]
    return 2 * (1 - NORMAL.cdf(bound)), max(dues[index] - n, 0)


# ---- differences and verdicts ----------------------------------------------------------------------------------------


def _compare(rows: ScoreRows, debate: str, other: str, alpha: float) -> Comparison:
    own, theirs = rows.cost(debate), rows.cost(other)
    ratio = own / theirs if own is not None and theirs else math.inf
    differences = rows.differences(rows.minus(debate, other))
    comparison = compare(other, differences, cost_ratio=ratio, seed=rows.plan.seed, alpha=alpha)
    return replace(comparison, groups=rows.group_count)


def _verdict_line(
    rows: ScoreRows, result: EvalResult, test: Test, compared: Mapping[Pair, Comparison], missing: int
) -> VerdictLine:
    debate, states = test.debate, {arm.name: [row.state for row in rows.of(arm.name)] for arm in rows.arms}
    conduct = Conduct(
        failed=[states[name].count("failed") / len(states[name]) for name in (debate, *test.rivals)],
        plan_changed=result.plan_changed,
        part=bool(result.tag),
        unread_decide=any(_turns_without_unread(rows, debate, name) for name in test.rivals),
    )
    against = [compared[debate, rival] for rival in test.rivals]
    verdict = decide(against, margin=rows.plan.margin, conduct=conduct, name=debate if test.versus else "debate")
    if missing and verdict.word != "no verdict":
        verdict = Verdict(word="not known", says=f"not known: {more(missing)} until the next look of the plan")
    return VerdictLine(
        arm=debate, rival=test.versus, word=verdict.word, sentence=verdict.sentence, figures=verdict.figures
    )


def _without_unread(rows: ScoreRows, arm: str, rival: str) -> float | None:
    """The mean difference without questions that one of the two left unread; None where none is left."""
    places = rows.read(arm, rival)
    return float(rows.minus(arm, rival)[places].mean()) if places else None


def _turns_without_unread(rows: ScoreRows, arm: str, rival: str) -> bool:
    bound = _without_unread(rows, arm, rival)
    return bound is None or bound * float(rows.minus(arm, rival).mean()) < 0


def _pair_line(
    rows: ScoreRows, other: Arm, comparison: Comparison, corrected: Comparison, debate: str, verdicts: int
) -> PairLine:
    values, matched = rows.minus(debate, other.name), other.match == debate
    ratio, spread, n = comparison.cost_ratio, spread_of_interval(comparison), comparison.n
    live = live_half_width(float(values.std(ddof=1)), n, max(rows.plan.planned, n), alpha=rows.plan.alpha)
    middle, level = comparison.mean, 1 - comparison.alpha / verdicts
    return PairLine(
        arm=debate,
        rival=other.name,
        matched=matched,
        n=n,
        difference=middle,
        interval=comparison.interval,
        corrected=rows.differences(values).interval(level) if verdicts > 1 else None,
        p=comparison.p,
        adjusted=corrected.p if matched else None,
        helped=int((values > 0).sum()),
        hurt=int((values < 0).sum()),
        cost_ratio=ratio if math.isfinite(ratio) else None,
        equal_cost=abs(ratio - 1) <= COST_ROOM,
        smallest=smallest_difference(spread, n),
        needed=questions_needed(spread, rows.plan.margin),
        without_unread=_without_unread(rows, debate, other.name),
        live=Interval(low=middle - live, high=middle + live, level=1 - rows.plan.alpha) if n >= FIRST_LOOK else None,
    )


# ---- arms, flips, questions ------------------------------------------------------------------------------------------


def _arm_line(rows: ScoreRows, arm: Arm) -> ArmLine:
    scores, due, readable = rows.scores(arm.name), rows.of(arm.name), rows.read(arm.name)
    states, charged = [row.state for row in due], exact_sum([row.usd for row in due])
    return ArmLine(
        arm=arm,
        score=float(scores.mean()),
        interval=rows.interval(scores),
        without_unread=float(scores[readable].mean()) if readable else None,
        unread_right=float(rows.scores(arm.name, unread_right=True).mean()),
        rows=len(due),
        tied=states.count("tied"),
        unread=states.count("unread"),
        failed=states.count("failed"),
        debated=sum(row.debated for row in due),
        usd=None if charged is None else charged / len(due),
        tokens=sum(row.tokens for row in due) / len(due),
        calls=sum(row.calls for row in due) / len(due),
    )


def _flip_lines(rows: ScoreRows) -> Iterator[FlipLine]:
    """What changed between first and last answers, for the arms whose participants answered twice."""
    for arm in rows.arms:
        if arm.is_drawn or arm.match or not (repeats := rows.seats(arm.name)):
            continue
        seats, decisions = defaultdict[str, list[Change]](list), defaultdict[str, list[Change]](list)
        for (question, epoch), everybody in repeats.items():
            seats[question].extend((state_of(seat.first_right), state_of(seat.last_right)) for seat in everybody)
            tied = tops({seat.seat: _ballot(seat) for seat in everybody})
            before = state_of(tied[0] == "right" if len(tied) == 1 else None)  # a tie decides nothing
            row = next(row for row in rows.on(arm.name, question) if row.epoch == epoch)
            after = state_of(row.credit > 0.5 if row.state == "answered" else None)
            decisions[question].append((before, after))
        yield FlipLine(arm=arm.name, of="seats", flips=flip_table(list(seats.values())))
        yield FlipLine(arm=arm.name, of="decision", flips=flip_table(list(decisions.values())))


def _ballot(seat: SeatScore) -> str:
    """A first answer to count: right ones are one, wrong ones go by their words; "" for none."""
    if seat.first is None:
        return ""
    return "right" if seat.first_right else f"wrong: {normalise(seat.first)}"


def _question_lines(rows: ScoreRows) -> Iterator[QuestionLine]:
    """Each question for each debate and rival, the largest loss first."""
    for rival in (arm for debate in rows.arms if debate.is_debate for arm in rows.arms if arm.match == debate.name):
        values = rows.minus(rival.match, rival.name).tolist()
        for value, question in sorted(zip(values, rows.questions, strict=True)):
            row = rows.on(rival.match, question)[0]
            yield QuestionLine(
                question=question,
                group=row.group,
                arm=rival.match,
                rival=rival.name,
                difference=value,
                record=row.record,
            )


# ---- what to know ----------------------------------------------------------------------------------------------------


def _notes(rows: ScoreRows, result: EvalResult, pairs: Sequence[PairLine], missing: int) -> Iterator[str]:
    """What a reader must know: how the run went, and what limits the figures."""
    plan, n = rows.plan, counted(len(rows.questions), "question")
    if result.plan_changed:
        yield (
            "Exploratory: the plan was changed after the first call. To test the new plan, run it under a name of its "
            "own (--name): it gets its own hash and its own answers."
        )
    if result.tag:
        yield f"Exploratory: only the {n} with the tag {result.tag[:60]!r}. The plan's verdict is over all of them."
    if missing:
        yield f"So far {n} of {plan.planned} answered: {missing} more until the next look."
        live = [
            f"{pair.arm} - {pair.rival} [{pair.live.low:+.3f}, {pair.live.high:+.3f}]"
            for pair in pairs
            if pair.matched and pair.live
        ]
        if live:
            yield f"Until then only these wider intervals may be looked at, as often as you like: {'; '.join(live)}."
    if result.paid_estimated:
        yield "A provider did not count the tokens of every call: the tokens and the costs here are estimates."
    if rows.group_count == 1:
        yield ONE_GROUP
    elif rows.groups:
        yield f"The questions are {rows.group_count} groups, and the intervals allow for that."
    yield from _unread_note(rows)
    for arm in rows.arms:
        yield from _arm_notes(rows, arm)
    if not any(arm.kind == RETHINK for arm in rows.arms):
        yield NO_PLACEBO


def _unread_note(rows: ScoreRows) -> Iterator[str]:
    """What could not be read counts as wrong; the scores if it were left out, and if it were right."""
    parts: list[str] = []
    for line in (_arm_line(rows, arm) for arm in rows.arms):
        if line.unread:
            without = "no question left" if line.without_unread is None else f"{line.without_unread:.3f}"
            bounds = f"score without them: {without}; if they were right: {line.unread_right:.3f}"
            parts.append(f"{line.arm.name} {line.unread} of {counted(line.rows, 'answer')} ({bounds})")
    if parts:
        yield f"What could not be read counts as wrong: {', '.join(parts)}."


def _arm_notes(rows: ScoreRows, arm: Arm) -> Iterator[str]:
    if arm.is_debate:
        debated = sum(row.debated for row in rows.of(arm.name))
        took_place = f"debated in {debated} of {len(rows.of(arm.name))}" if debated else "no debate took place"
        yield f"{arm.name}: {took_place}."
    if arm.own_drafts:
        yield f"{arm.name}: own drafts; its first answers are not those that the other arms share."
    seats = [seat for everybody in rows.seats(arm.name).values() for seat in everybody]
    models = {seat.model for seat in seats if seat.model}
    if arm.is_debate and len({seat.seat for seat in seats}) > 1 and len(models) == 1:
        yield f"{arm.name}: all participants are copies of one model, {listed(sorted(models))}."
