"""From the scores of an evaluation to its scoreboard, with what a reader must know beside the figures."""

import math
from collections.abc import Iterator, Mapping

from folkmoot.app.evaluation.rubrics import judge_sentences
from folkmoot.app.evaluation.scores import EvalResult, Facts, Learning, PlannedArm
from folkmoot.app.results.comparisons import (
    compare_all,
    debates,
    growth_lines,
    is_known_by,
    look,
    order_lines,
    pair_lines,
    part_lines,
    question_lines,
    verdict_lines,
)
from folkmoot.app.results.cost_curve import curve
from folkmoot.app.results.forecast_quality import calibration_lines
from folkmoot.app.results.score_rows import ScoreRows
from folkmoot.app.results.scoreboard import VERSION, ArmLine, OrderLine, Scoreboard
from folkmoot.app.results.seat_measures import (
    flip_lines,
    gate_lines,
    liar_lines,
    liar_sentences,
    seat_lines,
    voices_lines,
)
from folkmoot.core.text import counted, listed
from folkmoot.evaluation.gates import ENOUGH

ONE_GROUP = "All questions are one group, so the intervals are too narrow: they count the questions as independent."
COUNT_ONLY = "Contributions are those to the count of the answers, not to the talk."
NO_PLACEBO = (
    "There is no arm that asks again without showing other answers (rethink): "
    "some flips are what a second look alone gives."
)


def measure(result: EvalResult) -> Scoreboard:
    """The scoreboard of an evaluation.

    Raises:
        RecordError: fewer than two questions are answered by all arms.
    """
    rows = ScoreRows(result)
    plan, table = rows.plan, compare_all(rows)
    points, front = curve(rows)
    liars, orders = liar_lines(rows), order_lines(rows)
    charged = [row.usd for arm in rows.arms for row in rows.of(arm.name)]
    known = [usd for usd in charged if usd is not None]
    return Scoreboard(
        version=VERSION,
        name=plan.name,
        plan_hash=result.plan.hash,
        exploratory=result.plan_changed,
        score=plan.score,
        currency=plan.currency,
        margin=plan.margin,
        alpha=plan.alpha,
        looks=plan.looks,
        seed=plan.seed,
        prices_date=plan.prices_date,
        questions=len(rows.questions),
        planned=plan.planned,
        groups=rows.group_count,
        epochs=plan.epochs,
        charged_usd=math.fsum(known) if len(known) == len(charged) else None,
        paid_usd=result.paid_usd,
        paid_tokens=result.paid_tokens,
        verdicts=verdict_lines(rows, result, table),
        arms=tuple(_arm(rows, arm) for arm in rows.arms),
        pairs=pair_lines(rows, table),
        flips=flip_lines(rows),
        seats=seat_lines(rows),
        voices=voices_lines(rows),
        calibration=calibration_lines(rows),
        curve=points,
        front=front,
        gates=gate_lines(rows),
        liars=liars,
        parts=part_lines(result),
        orders=orders,
        by_question=question_lines(rows),
        growth=growth_lines(rows),
        notes=(*_notes(rows, result), *map(_order_note, orders), *liar_sentences(liars)),
    )


def _arm(rows: ScoreRows, arm: PlannedArm) -> ArmLine:
    scores, due = rows.scores(arm.name), rows.of(arm.name)
    states = [row.state for row in due]
    readable = rows.read(arm.name)
    prices = [row.usd for row in due if row.usd is not None]
    return ArmLine(
        name=arm.name,
        title=arm.title,
        kind=arm.kind,
        is_debate=arm.is_debate,
        matches=arm.matches,
        own_drafts=arm.own_drafts,
        score=float(scores.mean()),
        interval=rows.interval(scores),
        without_unread=float(scores[readable].mean()) if readable else None,
        unread_right=float(rows.scores(arm.name, unread_right=True).mean()),
        rows=len(due),
        tied=states.count("tied"),
        unread=states.count("unread"),
        failed=states.count("failed"),
        debated=sum(row.debated for row in due),
        usd=math.fsum(prices) / len(due) if len(prices) == len(due) else None,
        tokens=sum(row.tokens for row in due) / len(due),
        calls=sum(row.calls for row in due) / len(due),
    )


def _notes(rows: ScoreRows, result: EvalResult) -> Iterator[str]:
    """What a reader must know: how the run went, and what limits the figures."""
    plan = rows.plan
    if result.plan_changed:
        yield (
            "Exploratory: the plan was changed after the first call. To test the new plan, run it under a name of its "
            "own (--name): it gets its own hash and its own answers."
        )
    if result.tag:
        many = counted(len(rows.questions), "question")
        yield f"Exploratory: only the {many} with the tag {result.tag[:60]!r}. The plan's verdict is over all of them."
    judged = {name: result.facts[name] for name in rows.questions if name in result.facts}
    yield from contamination_notes(judged, plan.cutoffs)
    if (missing := look(rows).missing) > 0:
        early = counted(len(rows.questions), "question")
        yield (
            f"So far {early} of {plan.planned} answered: {missing} more until the next look. "
            "Until then look at the live interval alone."
        )
    if result.paid_estimated:
        yield "A provider did not count the tokens of every call: the tokens and the costs here are estimates."
    yield from map(_learning_note, result.learned)
    if rows.group_count == 1:
        yield ONE_GROUP
    elif rows.groups:
        yield f"The questions are {rows.group_count} groups, and the intervals allow for that."
    if result.judge:
        yield from judge_sentences(result.judge)
    elif result.judged_with_labels is not None:
        checked = "was checked against labels of people" if result.judged_with_labels else "was not checked"
        yield f"A model judged the answers; it {checked}."
    for arm in rows.arms:
        yield from _arm_notes(rows, arm)
    if len(debates(rows)) > 1:
        yield f"The p values of {len(debates(rows))} debates are adjusted (Holm)."
    if debates(rows) and not any(arm.kind == "rethink" for arm in rows.arms):
        yield NO_PLACEBO
    if any(len(rows.ballots(arm.name)) for arm in rows.arms):
        yield COUNT_ONLY


def contamination_notes(facts: Mapping[str, Facts], cutoffs: Mapping[str, str]) -> Iterator[str]:
    """Whether models may have seen the answers: a warning, and no correction.

    Args:
        facts: what the data says of questions.
        cutoffs: up to which date models may know what was public.
    """
    dated = [own.known_since for own in facts.values() if own.known_since]
    if dated and not cutoffs:
        many = f"{counted(len(dated), 'question')} {'says' if len(dated) == 1 else 'say'}"
        yield f"{many} since when the answer is public. Name the models' cut-offs (--cutoff) to see what they may know."
    for model, day in cutoffs.items():
        if known := sum(is_known_by(since, day) for since in dated):
            yield (
                f"{model} may have seen the answers to {known} of {counted(len(dated), 'dated question')}: they were "
                f"public by its cut-off, {day}."
            )


def _order_note(line: OrderLine) -> str:
    """What another order of the options does to a model: a warning, and no correction."""
    moved = f"{line.arm}: with its options in another order, {line.changed} of {counted(line.rows, 'answer')} changed"
    if line.interval.low <= 0:
        return f"{moved}; no sign that it knows the options in the order of the data."
    return f"{moved}; it does better in the order of the data, so it may have seen these questions."


def _learning_note(learning: Learning) -> str:
    """How the threshold of a gate was learned, and what follows for its figures."""
    many = counted(learning.questions, "question")
    match learning.way:
        case "split":
            how = f"where first answers are more than {learning.low:g} apart, learned on {many} marked split: learn"
            return f"{learning.arm}: {learning.gates} {how}; no arm is judged on them."
        case "folds":
            low, high = f"{learning.low:g}", f"{learning.high:g}"
            thresholds = low if low == high else f"{low} to {high}"
            return (
                f"{learning.arm}: {learning.gates} where first answers are more than a threshold apart ({thresholds}); "
                "each tenth of the questions is judged by the one that the others choose. That is an estimate and no "
                "test: for a verdict mark questions with split: learn."
            )
        case _:
            return (
                f"{learning.arm}: {many} are too few to learn a threshold ({ENOUGH} are needed), so it is "
                f"{learning.low:g}, the default."
            )


def _arm_notes(rows: ScoreRows, arm: PlannedArm) -> Iterator[str]:
    due = rows.of(arm.name)
    unread = sum(row.state == "unread" for row in due)
    if unread:
        readable, right = rows.read(arm.name), float(rows.scores(arm.name, unread_right=True).mean())
        outside = (
            f"Without those questions the score is {float(rows.scores(arm.name)[readable].mean()):.3f}"
            if readable
            else "Without those no question is left"
        )
        yield (
            f"{arm.name}: {unread} of {counted(len(due), 'answer')} could not be read, which counts as wrong. "
            f"{outside}; with all of these right, {right:.3f}."
        )
    if arm.is_debate:
        took_place = sum(row.debated for row in due)
        yield f"{arm.name}: debated in {took_place} of {len(due)}."
        if took_place == 0:
            yield f"{arm.name}: no debate took place."
    if arm.own_drafts:
        yield f"{arm.name}: own drafts; its first answers are not those that the other arms share."
    items = rows.ballots(arm.name)
    models = {model for item in items for model in item.models.values() if model}
    if arm.is_debate and items and len(items[0].models) > 1 and len(models) == 1:
        yield f"{arm.name}: all participants are copies of one model, {listed(sorted(models))}."
