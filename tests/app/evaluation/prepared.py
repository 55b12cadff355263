"""Prepared results of evaluations: so many questions won and lost against each rival, and seats as they are needed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState, Score, SeatScore, State
from folkmoot.app.evaluation.setup import Arm

DEBATE, UNIFORM, ADAPTIVE, SINGLE = "debate", "uniform sampling", "adaptive sampling", "single"
TITLES = {DEBATE: "three models, one round", UNIFORM: "as many answers", ADAPTIVE: "answers where they differ"}
Results = Mapping[str, Sequence[float]]


def plan(arms: Sequence[Arm], planned: int, **changes: object) -> EvalPlan:
    """A plan over these arms, scored by credit."""
    usual = EvalPlan(
        name="prepared",
        questions="q.csv",
        models=("builtin:quotes",),
        arm=tuple(arms),
        score="credit",
        currency="usd",
        margin=0.05,
        planned=planned,
        questions_hash="q",
        keys_hash="k",
        prices_date="2026-11-01",
        seed=7,
        versions={"folkmoot": "1"},
    )
    return replace(usual, **changes)  # pyright: ignore[reportArgumentType]


def arm(name: str) -> Arm:
    """The usual arms by name."""
    kinds = {UNIFORM: "sample", ADAPTIVE: "adaptive", SINGLE: "single", "rethink": "rethink"}
    kind = kinds.get(name, "panel")
    match = DEBATE if kind in ("sample", "adaptive") else ""
    return Arm(name=name, kind=kind, title=TITLES.get(name, name), match=match)


def score(arm: str, question: int, credit: float | None, **changes: object) -> Score:
    """A row that costs one cent and six calls."""
    state: State = "failed" if credit is None else "answered"
    usual = Score(
        question=f"q{question:04}",
        group=f"q{question:04}",
        arm=arm,
        epoch=1,
        answer=None if credit is None else "yes",
        credit=credit or 0.0,
        loss=None,
        brier=None,
        usd=0.01,
        tokens=600,
        calls=6,
        state=state,
        debated=arm == DEBATE,
        record=f"{arm[:1]}{question}",
    )
    return replace(usual, **changes)  # pyright: ignore[reportArgumentType]


def credits(n: int, **rivals: tuple[int, int]) -> dict[str, list[float]]:
    """Right and wrong answers of the debate and of rivals, of whom it won and lost so many questions."""
    wrong = max(lost for _, lost in rivals.values())
    results = {DEBATE: [0.0] * wrong + [1.0] * (n - wrong)}
    for name, (won, lost) in rivals.items():
        own = [1.0] * lost + [0.0] * (wrong - lost) + [0.0] * won + [1.0] * (n - wrong - won)
        results[{"uniform": UNIFORM, "adaptive": ADAPTIVE}[name]] = own
    return results


def result(results: Results, **changes: object) -> EvalResult:
    """The result of an evaluation with these credits."""
    n = len(results[DEBATE])
    rows = [score(name, place, values[place]) for place in range(n) for name, values in results.items()]
    usual = EvalResult(
        plan=plan([arm(name) for name in results], n),
        scores=tuple(rows),
        run=RunState(done=n, paid_usd=n * 0.02, paid_tokens=n * 1200),
    )
    return replace(usual, **changes)  # pyright: ignore[reportArgumentType]


Seated = tuple[str, str, int, SeatScore]
"""A participant with arm, question and repeat."""


def seat(
    name: str,
    place: int,
    before: bool | None,
    after: bool | None,
    *,
    arm: str = DEBATE,
    epoch: int = 1,
    **changes: object,
) -> Seated:
    """A participant of the debate; ``name`` is also its model."""
    words = {True: "yes", False: "no", None: None}
    usual = SeatScore(
        seat=name,
        model=f"builtin:{name}",
        first=words[before],
        last=words[after],
        first_right=before,
        last_right=after,
    )
    return arm, f"q{place:04}", epoch, replace(usual, **changes)  # pyright: ignore[reportArgumentType]


def seated(whole: EvalResult, seats: Sequence[Seated]) -> EvalResult:
    """A result with these participants."""
    rows = [
        replace(row, seats=tuple(own for *where, own in seats if where == [row.arm, row.question, row.epoch]))
        for row in whole.scores
    ]
    return replace(whole, scores=tuple(rows))


def forecast(arm: str, place: int, probability: float, outcome: int, **changes: object) -> Score:
    """A row with a probability."""
    loss = -math.log(probability if outcome else 1 - probability)
    brier = (probability - outcome) ** 2
    credit = float((probability > 0.5) == bool(outcome))
    row = replace(score(arm, place, credit), answer=f"{probability}", loss=loss, brier=brier)
    return replace(row, **changes)  # pyright: ignore[reportArgumentType]
