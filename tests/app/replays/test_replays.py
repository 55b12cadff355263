"""`moot eval replay`: a set in miniature with figures by hand, the recorded set beside its reference, and mistakes."""

import math
from pathlib import Path

import pytest

from moot.app.replays.replays import REPLAYS, replay
from moot.cli.commands.evaluate import REPLAYABLE
from tests.cli.commands import moot
from tests.paths import SHARED

SET = "deliberative_forecasts"
RECORDED = SHARED / "data" / SET
needs_data = pytest.mark.skipif(not RECORDED.is_dir(), reason=f"the recorded forecasts are not there: {RECORDED}")
FORECASTS = "question_id,stage,info_label,probability"
PAIRS = "question_id,condition,independent_prob,deliberative_prob"


def write_set(folder: Path, reference: str = "") -> Path:
    """Twenty questions that all came true. Alone all say 50 %, and the odd ones' groups differ and then say 80 %."""
    questions, forecasts, pairs = ["question_id,resolution,title"], [FORECASTS], [PAIRS]
    for number in range(20):
        questions.append(f"{number},1,Does it happen?")
        forecasts += [f"{number},independent,full,50", f"{number},independent,none,1", f"{number},deliberative,full,1"]
        ends = ((30, 80), (70, 80)) if number % 2 else ((50, 50), (50, 50))
        pairs += [f"{number},diverse_full,{before},{after}" for before, after in ends]
        pairs += [f"{number},copies,60,60"] if number < 2 else []
    place = folder / SET
    place.mkdir()
    for name, lines in (("questions", questions), ("forecasts", forecasts), ("condition_pairs", pairs)):
        (place / f"{name}.csv").write_text("\n".join([*lines, ""]), "utf-8")
    if reference:
        (place / "reference.txt").write_text(reference, "utf-8")
    return folder


def test_a_debate_is_compared_with_forecasts_alone(tmp_path: Path) -> None:
    result = replay(SET, write_set(tmp_path))
    half, after = math.log(2), -math.log(0.8)
    loss = (half + after) / 2
    text = "\n".join(result.lines)
    assert result.missing is None
    assert "questions 20 independent full forecasts a question [1]" in text
    assert f"panel mean                   calls 3.00  log loss {half:.4f}  brier 0.2500" in text
    assert f"debate, mean                 calls 6.00  log loss {loss:.4f}  brier 0.1450" in text
    assert f"gate 0.30                    calls 4.50  log loss {loss:.4f}" in text
    assert "flips over 0.5: wrong to right 10 right to wrong 0" in text
    assert f"condition copies                   n 2  before {-math.log(0.6):.4f}  after {-math.log(0.6):.4f}" in text
    assert f"log loss, debate minus six independent calls         {loss - half:+.4f} [" in text
    assert "right answers, debate against six independent calls: 10 won, 0 lost of 20" in text
    assert f"gate by least loss, 10 folds x 50: log loss {loss:.4f}, 4.50 calls" in text
    assert "verdict: debate helped (+0.235 [" in text
    assert "questions with more turned right 10, more turned wrong 0, p 0.002" in text


@needs_data
def test_the_recorded_forecasts_come_out_as_in_their_reference() -> None:
    """Every line of the reference; and figures of an independent script, to four digits."""
    result = replay(SET, SHARED / "data")
    text = "\n".join(result.lines)
    assert result.missing == ()
    assert len([line for line in result.lines if line.startswith(("panel", "debate,", "gate 0", "condition"))]) == 13
    for figures in (
        "debate minus six independent calls         -0.0238 [-0.0577, +0.0100]",
        "debate minus the panel's first forecasts   -0.0236 [-0.0464, -0.0008]",
        "Brier, debate minus six independent calls            -0.0135 [-0.0259, -0.0011]",
        "six independent calls: 4 won, 0 lost of 99",
        "0.02 need 566",
        "wrong to right 13 of 70 (0.186 [",
        "more turned right 10, more turned wrong 3, p 0.092",
        "verdict: not known: n too small by 467 (+0.024 [-0.010, +0.058] against six independent calls)",
    ):
        assert figures in text


def test_the_command_compares_with_the_reference(tmp_path: Path) -> None:
    data = write_set(tmp_path, "flips over 0.5: wrong to right 10 right to wrong 0\n\n")
    result = moot(tmp_path, "eval", "replay", SET, "--data", str(data / SET))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "reference.txt: every line comes out the same")
    (data / SET / "reference.txt").write_text("flips over 0.5: none\n", "utf-8")
    result = moot(tmp_path, "eval", "replay", SET, MOOT_DATA=str(data))
    assert result.exit_code == 1
    assert result.output.endswith("reference.txt: lines that do not come out: 1\n  flips over 0.5: none\n")


def test_the_command_runs_without_a_reference(tmp_path: Path) -> None:
    result = moot(tmp_path, "eval", "replay", SET, "--data", str(write_set(tmp_path)))
    assert result.exit_code == 0
    assert "reference" not in result.output


def test_data_that_are_not_there_are_one_sentence(tmp_path: Path) -> None:
    result = moot(tmp_path, "eval", "replay", SET, "--data", str(tmp_path))
    assert result.exit_code == 1
    assert f"{tmp_path} is no data set {SET}: it has no file questions.csv" in result.output


def test_the_command_names_all_replays() -> None:
    assert set(REPLAYABLE) == set(REPLAYS)
