"""`folkmoot eval past`: debates whose right answer is known, as they are typed; ties, costs and sampling by hand."""

import json
import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.results.past_debates import DEBATE, GATE, SINGLE, VOTE, Cost, Forecasts, PastDebate, as_result
from folkmoot.app.results.scoring import measure
from folkmoot.arguments.positions import AnswerGiven
from folkmoot.core.decision import Decision
from tests.cli.commands import QUOTES, folkmoot
from tests.paths import EXAMPLES

OPTIONS = ("build", "buy")


def past(
    name: str, answers: Mapping[str, tuple[str, str]], decision: Decision | None, *, usd: float | None = 0.09
) -> PastDebate:
    """A debate in which building was right; six calls for nine cents, of which the first answers took two."""
    return PastDebate(
        debate=name,
        truth="Build",
        options=OPTIONS,
        answers={
            who: tuple(AnswerGiven(key=f"{who}{turn}", answer=answer) for turn, answer in enumerate(both))
            for who, both in answers.items()
        },
        models=dict.fromkeys(answers, "x:model"),
        decision=decision,
        first=Cost(usd=None if usd is None else 0.02, tokens=200, calls=2),
        whole=Cost(usd=usd, tokens=900, calls=6),
    )


BUILD = Decision(status="decided", winner="build", text="build", tally={"build": 2.0})
BUY = Decision(status="decided", winner="Bob", text="We buy.", tally={"Bob": 2.0, "Ann": 0.0})
TIE = Decision(status="tie", tally={"Ann": 1.0, "Bob": 1.0, "Cy": 0.0})
DEBATES = (
    past("agreed", {"Ann": ("build", "build"), "Bob": ("BUILD", "build")}, BUY),
    past("turned", {"Ann": ("build", "build"), "Bob": ("buy", "build")}, BUILD),
    past("tied", {"Ann": ("build", "build"), "Bob": ("buy", "buy")}, TIE),
    past("undecided", {"Ann": ("buy", "buy"), "Bob": ("buy", "buy")}, None),
)


def test_what_one_model_a_vote_and_a_gate_would_have_said() -> None:
    rows = {(score.question, score.arm): score for score in as_result(DEBATES).scores}
    credits = {
        arm: [rows[name, arm].credit for name in ("agreed", "turned", "tied", "undecided")]
        for arm in (DEBATE, VOTE, SINGLE, GATE)
    }
    assert credits == {
        DEBATE: [0.0, 1.0, 0.5, 0.0],
        VOTE: [1.0, 0.5, 0.5, 0.0],
        SINGLE: [1.0, 0.5, 0.5, 0.0],
        GATE: [1.0, 1.0, 0.5, 0.0],
    }
    assert [rows[name, DEBATE].state for name in ("agreed", "tied", "undecided")] == ["answered", "tied", "failed"]
    assert [rows["agreed", arm].usd for arm in (DEBATE, VOTE, SINGLE, GATE)] == [0.09, 0.02, 0.01, 0.02]
    assert [rows["turned", arm].calls for arm in (DEBATE, VOTE, SINGLE, GATE)] == [6, 2, 1, 6]
    board = measure(as_result(DEBATES))
    assert (board.currency, board.paid_usd, board.verdicts[0].sentence) == (
        "usd",
        pytest.approx(0.36),
        "no verdict: cost not matched",
    )
    flips = {line.of: line for line in board.flips}
    assert (flips["seats"].to_right.turned, flips["seats"].to_wrong.turned) == (1, 0)


def test_an_unknown_price_makes_costs_go_by_tokens() -> None:
    board = measure(
        as_result((*DEBATES, past("free", {"Ann": ("build", "build"), "Bob": ("buy", "buy")}, BUILD, usd=None)))
    )
    assert (board.currency, board.paid_usd, board.charged_usd, board.paid_tokens) == ("tokens", None, None, 4500)
    assert {line.usd for line in board.arms} == {None}


def test_past_debates_are_judged_once_the_truth_is_known(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    for seed in ("1", "2", "3"):
        assert folkmoot(tmp_path, "run", "examples/build-or-buy.md", *QUOTES, "--seed", seed).exit_code == 0
    listed: list[dict[str, str]] = json.loads(folkmoot(tmp_path, "list", "--json").output)
    names = [item["debate"] for item in listed]
    few = folkmoot(tmp_path, "eval", "past")
    assert few.exit_code != 0
    assert "of 3 closed debates, 0 with a right answer and first answers; a scoreboard needs at least 2" in few.output
    for name, answer in zip(names, ("build", "buy"), strict=False):
        assert folkmoot(tmp_path, "resolve", name, "--answer", answer).exit_code == 0
    shown = folkmoot(tmp_path, "eval", "past", "-o", "judged")
    assert shown.exit_code == 0, shown.output
    assert shown.output.splitlines()[:2] == [
        "past debates: 2 of 2 questions; score: share right; equal cost in tokens",
        "no verdict: cost not matched",
    ]
    assert [line.split()[0] for line in shown.output.splitlines()[5:9]] == ["debate", "vote", "one", "gate"]
    assert folkmoot(tmp_path, "eval", "show", "judged").output == shown.output
    both = json.loads(folkmoot(tmp_path, "eval", "past", *names[:2], "--json").output)
    assert (both["questions"], [arm["name"] for arm in both["arms"]]) == (2, [DEBATE, VOTE, SINGLE, GATE])
    assert "Traceback" not in folkmoot(tmp_path, "eval", "past", names[2]).output


def forecast(name: str, outcome: int, before: tuple[float, float], after: tuple[float, float] | None) -> PastDebate:
    """A forecast of two: six calls for nine cents, of which the first forecasts took two."""
    last = after or before
    forecasts = Forecasts(
        outcome=outcome,
        before=dict(zip(("Ann", "Bob"), before, strict=True)),
        after=dict(zip(("Ann", "Bob"), last, strict=True)),
        decided=sum(last) / 2,
        debated=after is not None,
    )
    plain = past(name, {}, None)
    return replace(plain, truth="yes" if outcome else "no", options=(), models={}, forecasts=forecasts)


FORECASTS = (
    forecast("rain", 1, (0.8, 0.4), (0.8, 0.8)),
    forecast("snow", 0, (0.3, 0.2), None),
)


def test_forecasts_are_scored_by_log_loss() -> None:
    result = as_result(FORECASTS)
    assert (result.plan.score, result.plan.margin) == ("log_loss", 0.02)
    rows = {(score.question, score.arm): score for score in result.scores}
    losses = {arm: [rows[name, arm].loss for name in ("rain", "snow")] for arm in (DEBATE, VOTE, SINGLE, GATE)}
    snow = -math.log(0.75)
    assert losses == {
        DEBATE: pytest.approx([-math.log(0.8), snow]),
        VOTE: pytest.approx([-math.log(0.6), snow]),
        SINGLE: pytest.approx([-(math.log(0.8) + math.log(0.4)) / 2, -(math.log(0.7) + math.log(0.8)) / 2]),
        GATE: pytest.approx([-math.log(0.8), snow]),
    }
    assert [rows["rain", arm].usd for arm in (DEBATE, VOTE, SINGLE, GATE)] == [0.09, 0.02, 0.01, 0.09]
    assert [rows["snow", GATE].usd, rows["rain", DEBATE].debated, rows["snow", DEBATE].debated] == [0.02, True, False]
    board = measure(result)
    flips = {line.of: line for line in board.flips}
    assert (flips["seats"].to_right.turned, flips["seats"].to_wrong.turned) == (1, 0)


def test_forecasts_beside_answers_count_as_yes_or_no() -> None:
    result = as_result((*DEBATES, *FORECASTS, forecast("even", 1, (0.6, 0.4), (0.5, 0.5))))
    assert result.plan.score == "credit"
    rows = {(score.question, score.arm): score.credit for score in result.scores}
    assert [rows[name, DEBATE] for name in ("rain", "snow", "even")] == [1.0, 1.0, 0.5]
    assert rows["rain", SINGLE] == 0.5
    assert FORECASTS[0].forecasts
    lost = replace(FORECASTS[0], forecasts=replace(FORECASTS[0].forecasts, decided=None))
    assert next(score.state for score in as_result((lost, FORECASTS[1])).scores) == "failed"


def test_a_forecast_on_record_is_judged_once_it_came_true(tmp_path: Path) -> None:
    text = "---\nprotocol: forecast\n---\n# Will the port open in May?\n\n- Ann\n- Bob\n"
    (tmp_path / "rain.md").write_text(f"{text}\n## Background\n\nThe port opens in May, say 9 of 10 pilots.\n", "utf-8")
    for seed in ("1", "2"):
        assert folkmoot(tmp_path, "run", "rain.md", *QUOTES, "--seed", seed).exit_code == 0
    for item in json.loads(folkmoot(tmp_path, "list", "--json").output):
        assert folkmoot(tmp_path, "resolve", item["debate"], "--answer", "yes").exit_code == 0
    shown = folkmoot(tmp_path, "eval", "past")
    assert shown.exit_code == 0, shown.output
    assert "score: log loss" in shown.output.splitlines()[0]
