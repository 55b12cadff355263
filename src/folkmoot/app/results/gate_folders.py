"""A gate learned on one folder of resolved questions and judged on another, against as many independent answers.

A folder is that of an evaluation or of past debates (``plan.json``, ``scores.csv``, ``seats.csv``). One is enough where
its data says by ``split`` what to learn on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from folkmoot.app.evaluation.eval_files import PLAN_FILE, read_result
from folkmoot.app.evaluation.scores import Currency, EvalResult, Measure
from folkmoot.app.questions.data_sets import QUESTIONS_FILE
from folkmoot.app.questions.question_files import read_data_set
from folkmoot.app.results.score_rows import ScoreRows, mean_cost
from folkmoot.app.results.score_tables import MEASURES, p_text
from folkmoot.app.results.seat_measures import gated_of
from folkmoot.core.errors import BriefError
from folkmoot.core.text import counted, listed, percent
from folkmoot.evaluation.gates import DEFAULT, ENOUGH, Priced, choose, judge_gate
from folkmoot.evaluation.verdicts import signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """Resolved questions of a folder.

    Attributes:
        ids: of the questions.
        groups: of the questions; questions that share a text, a source or an event have one.
        priced: what is known of them.
        measure: the name of the score.
        currency: of the costs.
        margin: the smallest difference that matters.
        sign: 1 where the score is a loss, -1 where it is a credit.
    """

    ids: Sequence[str]
    groups: Sequence[str]
    priced: Priced
    measure: Measure
    currency: Currency
    margin: float
    sign: float

    def only(self, places: Sequence[int]) -> "Resolved":
        """Some of the questions."""
        return replace(
            self,
            ids=[self.ids[index] for index in places],
            groups=[self.groups[index] for index in places],
            priced=self.priced.only(places),
        )


def read_resolved(folder: Path, arm: str = "") -> Resolved:
    """The resolved questions of an evaluation.

    Args:
        folder: of the evaluation.
        arm: its debate; "" for its only one.

    Raises:
        BriefError: it has no such debate, or is no evaluation.
        RecordError: the evaluation cannot be read.
    """
    if not (folder / PLAN_FILE).exists():
        problem = f"{folder} is no folder of an evaluation: it has no {PLAN_FILE}"
        remedy = "folkmoot eval FILE and folkmoot eval past -o FOLDER write such folders"
        raise BriefError(f"{problem}; {remedy}", code="no_file")
    return _of_evaluation(folder, read_result(folder), arm)


def split_resolved(folder: Path, arm: str = "") -> tuple[Resolved, Resolved]:
    """The questions of one evaluation that are to be learned on, and all others, as its data says by ``split``.

    Raises:
        BriefError: there are none to learn on or none to judge on, or it cannot be read.
        RecordError: the evaluation cannot be read.
    """
    if (folder / PLAN_FILE).exists() and (result := read_result(folder)).lessons.scores:
        return _of_evaluation(folder, _only_lessons(result), arm), _of_evaluation(folder, result, arm)
    resolved = read_resolved(folder, arm)
    if not (folder / QUESTIONS_FILE).is_file():
        raise BriefError(f"{folder} does not say what to learn on; name a second folder to judge on", code="no_file")
    split = {question.id: question.split for question in read_data_set(folder).questions}
    places: list[list[int]] = [[], []]
    for index, name in enumerate(resolved.ids):
        places[split.get(name) != "learn"].append(index)
    if not all(places):
        marked = f"{counted(len(places[0]), 'question')} of {len(resolved.ids)} with split learn"
        problem = f"{marked}: some to learn on and others to judge on are needed, or a second folder"
        raise BriefError(f"{folder} has {problem}", code="inconsistent")
    learn, judge = (resolved.only(some) for some in places)
    return learn, judge


def _only_lessons(result: EvalResult) -> EvalResult:
    """The part of a result that is about the questions to learn on, with the arms that answered them."""
    names = {row.arm for row in result.lessons.scores}
    plan = replace(result.plan, arms=tuple(arm for arm in result.plan.arms if arm.name in names))
    return replace(result, plan=plan, scores=result.lessons.scores, seats=result.lessons.seats)


def _of_evaluation(folder: Path, result: EvalResult, arm: str) -> Resolved:
    rows = ScoreRows(result)
    debates = [item.name for item in rows.arms if item.is_debate and item.kind != "learned_gate"]
    name = arm or (debates[0] if len(debates) == 1 else "")
    if name not in debates:
        raise BriefError(f"{folder}: name a debate with --arm: {listed(debates) or 'it has none'}", code="bad_enum")
    gated = gated_of(rows, name)
    if gated is None or gated.n != len(rows.questions):
        problem = "a gate needs the first answers of all participants, once to each question"
        raise BriefError(f"{folder}: {problem}", code="inconsistent")
    debating = np.array([_cost(rows, name, question) for question in rows.questions])
    calls = np.array([float(rows.on(name, question)[0].calls) for question in rows.questions])
    first = np.array([float(len(item.first)) for item in rows.ballots(name)])
    more = [
        (float(rows.cost(item.name) or 0.0), -rows.sign * rows.scores(item.name))
        for item in rows.arms
        if item.kind == "sample" and item.matches in ("", name)
    ]
    # The first answers are charged by their share of the debate's calls; all of it where nobody was asked again.
    alone = debating * np.minimum(first / np.maximum(calls, 1.0), 1.0)
    priced = Priced(gated=gated, alone=alone, debating=debating, more=more, credits=rows.credits)
    plan = rows.plan
    return Resolved(
        ids=rows.questions,
        groups=[rows.on(name, question)[0].group for question in rows.questions],
        priced=priced,
        measure=plan.score,
        currency=plan.currency,
        margin=plan.margin,
        sign=-rows.sign,
    )


def _cost(rows: ScoreRows, arm: str, question: str) -> float:
    """What an arm cost on a question.

    Raises:
        BriefError: the price is not known.
    """
    cost = mean_cost(rows.on(arm, question), rows.plan.currency)
    if cost is None:
        raise BriefError(f"the cost of {arm} is not known, so a gate cannot be compared at equal cost", code="no_price")
    return cost


def gate_lines(learned: Resolved, judged: Resolved) -> Iterator[str]:
    """What a gate that was learned on some questions is worth on others.

    Raises:
        BriefError: questions are in both, or their scores differ.
    """
    if both := sorted(set(learned.ids) & set(judged.ids)):
        problem = f"{counted(len(both), 'question')} in both folders, such as {both[0]!r}"
        raise BriefError(f"a gate is judged on other questions than those it was learned on: {problem}")
    if both := sorted(set(learned.groups) & set(judged.groups)):
        problem = f"{counted(len(both), 'group')} in both folders, such as {both[0]!r}"
        raise BriefError(f"questions of one group are learned from or judged as a whole: {problem}")
    if learned.measure != judged.measure:
        raise BriefError(f"the scores differ: {learned.measure} and {judged.measure}", code="inconsistent")
    known = learned.priced.gated
    threshold = choose(known, cautious=True)
    yield f"learned on {counted(known.n, 'question')}: debate where first answers are more than {threshold:g} apart"
    yield f"  least loss at {choose(known):g}; taken is the highest threshold within one standard error of that"
    if known.n < ENOUGH:
        yield f"  fewer than {ENOUGH} questions: learned thresholds are often worse than {DEFAULT:g}, the default"
    yield f"judged on {counted(judged.priced.gated.n, 'other question')}; {MEASURES[judged.measure]}"
    yield from _table(judged, threshold)
    yield from _judged_lines(judged, "learned", threshold)
    if known.n < ENOUGH and threshold != DEFAULT:
        yield from _judged_lines(judged, "default", DEFAULT)


def _judged_lines(judged: Resolved, name: str, threshold: float) -> Iterator[str]:
    """A gate against its rivals and against always debating, and the verdict on it."""
    gate = judge_gate(judged.priced, threshold, margin=judged.margin)
    yield f"the {name} gate minus (above 0 the gate is better), 95% interval:"
    for comparison in (*gate.comparisons, gate.always):
        cost = "" if comparison is gate.always else f", cost {comparison.cost_ratio:.2f} x"
        yield f"  {comparison.rival:<38} {signed(comparison)}  p {p_text(comparison.p)}{cost}"
    yield f"verdict on the {name} gate: {gate.verdict.sentence}"


def _table(judged: Resolved, threshold: float) -> Iterator[str]:
    """The score and the cost of never debating, of gates, and of always debating."""
    named = {"never debate": 1.0, f"gate {DEFAULT:g}, the default": DEFAULT}
    named |= {f"gate {threshold:g}, learned": threshold, "always debate": -1.0}
    for name, value in named.items():
        gate = judge_gate(judged.priced, value, margin=judged.margin)
        score = judged.sign * gate.loss + 0.0
        yield f"  {name:<38} {score:.4f}  {gate.cost:8.2f} {judged.currency} a question, debated {percent(gate.share)}"
