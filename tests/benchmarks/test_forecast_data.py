"""Recorded forecasts of any size and in any order: the same figures as an independent script, or a clear sentence."""

import csv
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import numpy as np
import pytest

from benchmarks.replays import forecast_replay
from benchmarks.replays.data_sets import replay
from benchmarks.replays.forecast_replay import half_split, largest_gain
from folkmoot.core.errors import FolkmootError
from folkmoot.evaluation.gates import Gated, splits
from tests.paths import SHARED

SET = "deliberative_forecasts"
RECORDED = SHARED / "data" / SET
needs_data = pytest.mark.skipif(not RECORDED.is_dir(), reason=f"the recorded forecasts are not there: {RECORDED}")
FORECASTS = "question_id,stage,info_label,probability"
PAIRS = "question_id,condition,independent_prob,deliberative_prob"
Rows = list[dict[str, str]]
Change = Callable[[Rows], Rows]


@pytest.fixture(autouse=True)
def draw_seldom(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets in miniature are drawn from less often; recorded data as often as their references."""
    if not request.node.get_closest_marker("skipif"):
        monkeypatch.setattr(forecast_replay, "DRAWS", 200)
        monkeypatch.setattr(forecast_replay, "HALVES", 200)


def write_set(folder: Path, reference: str = "") -> Path:
    """Twenty questions that all came true. Alone all say 50 %, and the odd ones' groups differ and then say 80 %."""
    questions, forecasts, pairs = ["question_id,resolution,title"], [FORECASTS], [PAIRS]
    for number in range(20):
        questions.append(f"{number},1,Does it happen?")
        forecasts += [f"{number},independent,full,50"] * 6
        forecasts += [f"{number},independent,none,1", f"{number},deliberative,full,1"]
        ends = ((30, 80), (50, 80), (70, 80)) if number % 2 else ((50, 50),) * 3
        pairs += [f"{number},diverse_full,{before},{after}" for before, after in ends]
        pairs += [f"{number},copies,60,60"] if number < 2 else []
    place = folder / SET
    place.mkdir()
    for name, lines in (("questions", questions), ("forecasts", forecasts), ("condition_pairs", pairs)):
        (place / f"{name}.csv").write_text("\n".join([*lines, ""]), "utf-8")
    if reference:
        (place / "reference.txt").write_text(reference, "utf-8")
    return folder


def change(folder: Path, file: str, how: Change) -> Path:
    """Write one file of a set anew."""
    path = folder / SET / f"{file}.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    changed = how(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list((changed or rows)[0]))
        writer.writeheader()
        writer.writerows(changed)
    return folder


def lines(folder: Path) -> str:
    """What the replay says."""
    return "\n".join(replay(SET, folder).lines)


def set_cells(column: str, value: str, *, every: int = 1) -> Change:
    """Put a value into a column of each of so many rows."""
    return lambda rows: [{**row, column: value} if n % every == 0 else row for n, row in enumerate(rows)]


@needs_data
@pytest.mark.parametrize("keep", [99, 10, 1])
def test_rows_in_any_order_come_out_as_the_script_says(tmp_path: Path, keep: int) -> None:
    """The bootstraps depend on the order of the rows, so the order has to be the script's."""
    (tmp_path / SET).mkdir()
    chance, names = Random(keep), ("questions", "forecasts", "condition_pairs")
    for name in names:
        (tmp_path / SET / f"{name}.csv").write_bytes((RECORDED / f"{name}.csv").read_bytes())
    chosen = {
        row["question_id"] for row in csv.DictReader((RECORDED / "questions.csv").read_text("utf-8").splitlines())
    }
    chosen = set(sorted(chosen)[:keep])
    for name in names:
        change(
            tmp_path,
            name,
            lambda rows: chance.sample(
                [row for row in rows if row["question_id"] in chosen], sum(row["question_id"] in chosen for row in rows)
            ),
        )
    script = [sys.executable, str(RECORDED / "check.py"), str(tmp_path / SET)]
    reference = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    (tmp_path / SET / "reference.txt").write_text(reference, "utf-8")
    assert replay(SET, tmp_path).sentence == "reference.txt: 16 of 16 lines reached"


def test_a_file_with_a_byte_order_mark_and_other_line_ends_is_read(tmp_path: Path) -> None:
    before = lines(write_set(tmp_path))
    for path in (tmp_path / SET).iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert lines(tmp_path) == before


def test_what_is_missing_is_left_out_and_said(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    change(folder, "questions", lambda rows: [{**rows[0], "resolution": ""}, *rows[1:]])
    change(
        folder,
        "forecasts",
        lambda rows: [{**row, "probability": ""} if row["question_id"] == "1" else row for row in rows],
    )
    change(folder, "condition_pairs", lambda rows: [*rows[:-1], {**rows[-1], "independent_prob": ""}])
    text = lines(folder)
    notes = [line for line in text.splitlines() if line.startswith("left out: ")]
    assert notes == [
        "left out: 1 question without a resolution",
        "left out: 6 forecasts without a probability",
        "left out: 4 pairs of forecasts on unresolved questions",
        "left out: 1 pair of forecasts with one missing",
        "left out: 1 debated question without independent forecasts",
    ]
    assert "questions 19 independent full forecasts a question [0, 6]" in text
    assert "debate against six independent calls: 9 won, 0 lost of 18" in text


def with_ids(folder: Path) -> Path:
    """The set in miniature, whose forecasts have ids."""
    change(folder, "forecasts", lambda rows: [{"forecast_id": f"f{n}", **row} for n, row in enumerate(rows)])
    return change(
        folder,
        "condition_pairs",
        lambda rows: [{"deliberative_forecast_id": f"d{n}", **row} for n, row in enumerate(rows)],
    )


@pytest.mark.parametrize("file", ["forecasts", "condition_pairs"])
def test_rows_that_stand_twice_are_counted_once(tmp_path: Path, file: str) -> None:
    before = lines(with_ids(write_set(tmp_path)))
    change(tmp_path, file, lambda rows: [*rows, *rows[:5]])
    after = lines(tmp_path).splitlines()
    assert [line for line in after if line not in before] == ["left out: 5 rows that stand twice"]
    assert set(before.splitlines()) <= set(after)


def test_one_question_has_no_interval(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    change(folder, "questions", lambda rows: rows[1:2])
    text = lines(folder)
    assert (
        "log loss, debate minus six independent calls         -0.4700 of one question, so without an interval" in text
    )
    assert "no verdict: one question shows no difference" in text
    assert "no gate: it is learned from at least 20 questions" in text


@pytest.mark.parametrize("outcome", ["0", "1", "1.0"])
def test_outcomes_may_all_be_alike(tmp_path: Path, outcome: str) -> None:
    folder = change(write_set(tmp_path), "questions", set_cells("resolution", outcome))
    assert "verdict: " in lines(folder)


def test_groups_of_another_size_have_the_calls_that_they_made(tmp_path: Path) -> None:
    """Most groups have two forecasts; where one of them is missing, it was asked all the same."""
    folder = change(
        write_set(tmp_path), "condition_pairs", lambda rows: [row for n, row in enumerate(rows[5:]) if n % 3]
    )
    text = lines(folder)
    assert "panel mean                   calls 2.00" in text
    assert "debate, mean                 calls 4.00" in text
    assert "verdict: no verdict: cost not matched" in text


def test_without_the_debate_its_conditions_are_still_compared(tmp_path: Path) -> None:
    folder = change(write_set(tmp_path), "condition_pairs", set_cells("condition", "others"))
    text = lines(folder)
    assert "condition others" in text
    assert "the debate diverse_full and independent forecasts are not there" in text
    assert "verdict" not in text


def test_a_debate_that_changed_nothing_needs_no_number_of_questions(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    change(folder, "condition_pairs", set_cells("independent_prob", "50"))
    change(folder, "condition_pairs", set_cells("deliberative_prob", "50"))
    text = lines(folder)
    assert "a difference as large" not in text
    assert "minus always debating                              +0.0000 [+0.0000, +0.0000]  p 1.000" in text


FAULTS: Mapping[str, tuple[str, Change, str]] = {
    "a word": (
        "questions",
        set_cells("resolution", "yes"),
        "questions.csv, line 2: the resolution is not a number: 'yes'",
    ),
    "another outcome": (
        "questions",
        set_cells("resolution", "2"),
        "questions.csv, line 2: the resolution is 1 or 0, not '2'",
    ),
    "twice": (
        "questions",
        lambda rows: [*rows, {**rows[0], "resolution": "0"}],
        "questions.csv, line 22: the question '0' is there twice, with two resolutions",
    ),
    "no number": ("forecasts", set_cells("probability", "nan"), "line 2: the probability is not a number: 'nan'"),
    "too much": (
        "condition_pairs",
        set_cells("deliberative_prob", "101", every=3),
        "condition_pairs.csv, line 2: deliberative_prob is from 0 to 100 percent, not '101'",
    ),
    "shares": (
        "forecasts",
        set_cells("probability", "0.5"),
        "forecasts.csv: the probabilities are in percent, and none of these is above 1",
    ),
    "nothing": ("questions", lambda rows: [], "no question is both resolved and debated"),
    "no column": (
        "forecasts",
        lambda rows: [{"label" if name == "info_label" else name: row[name] for name in row} for row in rows],
        "forecasts.csv has no column 'info_label'",
    ),
    "one id, two values": (
        "forecasts",
        lambda rows: [{"forecast_id": "f", **rows[0]}, {"forecast_id": "f", **rows[0], "probability": "51"}],
        "forecasts.csv, line 3: the forecast_id 'f' is there twice, with other values in forecasts.csv, line 2",
    ),
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_what_cannot_be_is_one_sentence(tmp_path: Path, fault: str) -> None:
    file, how, sentence = FAULTS[fault]
    folder = change(write_set(tmp_path), file, how)
    with pytest.raises(FolkmootError) as caught:
        replay(SET, folder)
    assert str(caught.value).startswith(f"{folder / SET} cannot be read as {SET}: ")
    assert str(caught.value).endswith(sentence)


def test_a_debate_is_compared_with_forecasts_alone(tmp_path: Path) -> None:
    result = replay(SET, write_set(tmp_path))
    half, after = math.log(2), -math.log(0.8)
    loss = (half + after) / 2
    text = "\n".join(result.lines)
    assert result.checks is None
    assert "questions 20 independent full forecasts a question [6]" in text
    assert f"panel mean                   calls 3.00  log loss {half:.4f}  brier 0.2500" in text
    assert f"debate, mean                 calls 6.00  log loss {loss:.4f}  brier 0.1450" in text
    assert f"gate 0.30                    calls 4.50  log loss {loss:.4f}" in text
    assert "flips over 0.5: wrong to right 20 right to wrong 0" in text
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
    assert result.reached
    assert result.sentence == "reference.txt: 16 of 16 lines reached"
    assert len([line for line in result.lines if line.startswith(("panel", "debate,", "gate 0", "condition"))]) == 13
    for figures in (
        "debate minus six independent calls         -0.0238 [-0.0577, +0.0100]",
        "debate minus the panel's first forecasts   -0.0236 [-0.0464, -0.0008]",
        "Brier, debate minus six independent calls            -0.0135 [-0.0259, -0.0011]",
        "six independent calls: 4 won, 0 lost of 99",
        "0.02 need 566",
        "wrong to right 13 of 70 (0.186 [",
        "more turned right 10, more turned wrong 3, p 0.092",
        "verdict: not known: about 467 more questions needed (+0.024 [-0.010, +0.058] against six independent calls)",
    ):
        assert figures in text


# ---- gates -----------------------------------------------------------------------------------------------------------


def gated(n: int) -> Gated:
    """Questions in which a debate gains 0.2 where answers are more than 0.3 apart, and costs as much elsewhere."""
    spread = np.linspace(0.005, 0.995, n)
    return Gated(spread=spread, without=np.full(n, 0.7), debated=np.where(spread > 0.3, 0.5, 0.9))


def test_a_half_is_judged_by_the_other_half() -> None:
    gains = half_split(gated(100), seed=2)
    assert len(gains) == 50
    assert set(np.round(gains, 3)) == {0.0, -0.2}


def test_the_best_of_several_is_corrected_for_the_choice() -> None:
    chance = np.random.default_rng(3)
    real = chance.normal(0.3, 1.0, 100)
    noise = [chance.normal(0.0, 1.0, 100) for _ in range(8)]
    alone, best = largest_gain([real]), largest_gain([real, *noise])
    assert 0.0002 < alone < 0.02
    assert alone < best < 10 * alone
    assert largest_gain([np.zeros(5)]) == 1.0


def test_what_one_half_turned_out_to_be_never_moves_its_own_threshold() -> None:
    """Only the learning half chooses: losses of the judged half move its gain and not what is debated."""
    chance = np.random.default_rng(6)
    spread = chance.random(40)
    debated = np.where(spread > 0.5, 0.5, 1.5)
    questions = Gated(spread=spread, without=np.ones(40), debated=debated)
    _, judged = next(splits(questions, 2, 3))
    inside = np.isin(np.arange(40), judged)
    changed = Gated(spread=spread, without=np.ones(40), debated=np.where(inside, debated + 5, debated))
    before, after = (half_split(item, seed=3) for item in (questions, changed))
    moved = after - before
    assert set(np.round(moved, 9)) == {0.0, 5.0}
    assert ((before != 0) == (moved != 0)).all()
