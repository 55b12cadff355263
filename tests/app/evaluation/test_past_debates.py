"""`folkmoot eval past`: debates whose right answer is known, as they are typed; ties, costs and sampling by hand."""

import json
import math
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from folkmoot.app.evaluation.past import DEBATE, GATE, SINGLE, VOTE, PastDebate, as_result
from folkmoot.app.evaluation.questions import Key, Question
from folkmoot.app.evaluation.responses import Block, Charge, Response
from folkmoot.app.evaluation.scoreboard import measure
from folkmoot.app.evaluation.scores import SeatScore
from folkmoot.core.ask import Usage
from tests.cli.commands import QUOTES, folkmoot
from tests.paths import EXAMPLES

OPTIONS = ("build", "buy")
ALL = (DEBATE, VOTE, SINGLE, GATE)
BUILD, BUY = Response(answers=("build",), state="answered"), Response(answers=("buy",), state="answered")
TIE = Response(answers=OPTIONS, state="tied")


def past(name: str, seats: Sequence[tuple[str, str]], decided: Response, *, usd: float | None = 0.09) -> PastDebate:
    """A debate of two in which building was right; six calls for nine cents, of which the first answers took two."""
    price = None if usd is None else 0.01
    charge = Charge(usd=price, tokens=100, calls=1)
    drafts = [Response(answers=(first,), state="answered", charge=charge) for first, _ in seats]
    spoken = tuple(SeatScore(seat=f"s{n}", first=first, last=last) for n, (first, last) in enumerate(seats))
    whole = Response(
        answers=decided.answers, state=decided.state, charge=Charge(usd=usd, tokens=900, calls=6), seats=spoken
    )
    question = Question(id=name, input=f"{name}?", kind="option", options=OPTIONS)
    block = Block(question=question, epoch=1, rounds=[name], drafts=drafts, debates={DEBATE: [whole]})
    return PastDebate(block=block, key=Key(id=name, truth="Build"), used=[Usage(input_tokens=900, cost=usd)])


DEBATES = (
    past("agreed", [("build", "build"), ("build", "build")], BUY),
    past("turned", [("build", "build"), ("buy", "build")], BUILD),
    past("tied", [("build", "build"), ("buy", "buy")], TIE),
    past("undecided", [("buy", "buy"), ("buy", "buy")], Response()),
)


def test_what_one_model_a_vote_and_a_gate_would_have_said() -> None:
    rows = {(score.question, score.arm): score for score in as_result(DEBATES).scores}
    names = ("agreed", "turned", "tied", "undecided")
    assert {arm: [rows[name, arm].credit for name in names] for arm in ALL} == {
        DEBATE: [0.0, 1.0, 0.5, 0.0],
        VOTE: [1.0, 0.5, 0.5, 0.0],
        SINGLE: [1.0, 0.5, 0.5, 0.0],
        GATE: [1.0, 1.0, 0.5, 0.0],
    }
    assert [rows[name, DEBATE].state for name in ("agreed", "tied", "undecided")] == ["answered", "tied", "unread"]
    assert [rows["agreed", arm].usd for arm in ALL] == pytest.approx([0.09, 0.02, 0.01, 0.02])
    assert [rows["turned", arm].calls for arm in ALL] == [6, 2, 1, 6]
    board = measure(as_result(DEBATES))
    assert (board.plan.currency, board.run.paid_usd) == ("usd", pytest.approx(0.36))
    assert [line.verdict.word for line in board.verdicts] == ["no verdict"]
    flips = {line.of: line.flips for line in board.flips}
    assert (flips["seats"].to_right.turned, flips["seats"].to_wrong.turned) == (1, 0)


def test_an_unknown_price_makes_costs_go_by_tokens() -> None:
    free = past("free", [("build", "build"), ("buy", "buy")], BUILD, usd=None)
    board = measure(as_result((*DEBATES, free)))
    assert (board.plan.currency, board.run.paid_usd, board.charged_usd, board.run.paid_tokens) == (
        "tokens",
        None,
        None,
        4500,
    )
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
        assert folkmoot(tmp_path, "learn", "resolve", name, "--answer", answer).exit_code == 0
    shown = folkmoot(tmp_path, "eval", "past", "-o", "judged")
    assert shown.exit_code == 0, shown.output
    assert shown.output.splitlines()[0].startswith("past debates: 2 of 2 questions")
    assert [line.split()[0] for line in shown.output.splitlines()[5:9]] == ["debate", "vote", "one", "gate"]
    assert folkmoot(tmp_path, "eval", "show", "judged").output == shown.output
    both = json.loads(folkmoot(tmp_path, "eval", "past", *names[:2], "--json").output)
    assert (both["questions"], [line["arm"]["name"] for line in both["arms"]]) == (2, list(ALL))
    assert "Traceback" not in folkmoot(tmp_path, "eval", "past", names[2]).output


def forecast(name: str, outcome: int, before: Sequence[float], after: float) -> PastDebate:
    drafts = [Response(answers=(f"{each:g}",), state="answered", charge=Charge(tokens=1)) for each in before]
    whole = Response(answers=(f"{after:g}",), state="answered", probability=after, charge=Charge(tokens=4))
    question = Question(id=name, input=f"{name}?", kind="probability")
    block = Block(question=question, epoch=1, rounds=[name], drafts=drafts, debates={DEBATE: [whole]})
    return PastDebate(block=block, key=Key(id=name, truth=str(outcome)), used=[])


def test_forecasts_are_scored_by_log_loss_and_a_gate_debates_where_they_are_apart() -> None:
    result = as_result((forecast("rain", 1, (0.8, 0.4), 0.8), forecast("snow", 0, (0.3, 0.2), 0.25)))
    assert (result.plan.score, result.plan.margin) == ("log_loss", 0.02)
    rows = {(score.question, score.arm): score for score in result.scores}
    snow = -math.log(0.75)
    assert {arm: [rows[name, arm].loss for name in ("rain", "snow")] for arm in ALL} == {
        DEBATE: pytest.approx([-math.log(0.8), snow]),
        VOTE: pytest.approx([-math.log(0.6), snow]),
        SINGLE: pytest.approx([-(math.log(0.8) + math.log(0.4)) / 2, -(math.log(0.7) + math.log(0.8)) / 2]),
        GATE: pytest.approx([-math.log(0.8), snow]),
    }
    assert [rows["rain", GATE].tokens, rows["snow", GATE].tokens] == [4, 2]


def test_a_forecast_on_record_is_judged_once_it_came_true(tmp_path: Path) -> None:
    text = "---\nprotocol: forecast\n---\n# Will the port open in May?\n\n- Ann\n- Bob\n"
    (tmp_path / "rain.md").write_text(f"{text}\n## Background\n\nThe port opens in May, say 9 of 10 pilots.\n", "utf-8")
    for seed in ("1", "2"):
        assert folkmoot(tmp_path, "run", "rain.md", *QUOTES, "--seed", seed).exit_code == 0
    for item in json.loads(folkmoot(tmp_path, "list", "--json").output):
        assert folkmoot(tmp_path, "learn", "resolve", item["debate"], "--answer", "yes").exit_code == 0
    shown = folkmoot(tmp_path, "eval", "past")
    assert shown.exit_code == 0, shown.output
    assert "score: log loss" in shown.output.splitlines()[0]
