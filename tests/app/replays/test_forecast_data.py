"""Recorded forecasts of any size and in any order: the same figures as an independent script, or a clear sentence."""

import csv
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

import pytest

from folkmoot.app.replays.replays import replay
from folkmoot.core.errors import FolkmootError
from tests.app.replays.test_replays import SET, needs_data, write_set
from tests.cli.commands import folkmoot
from tests.paths import SHARED

RECORDED = SHARED / "data" / SET
Rows = list[dict[str, str]]
Change = Callable[[Rows], Rows]


def change(folder: Path, file: str, how: Change) -> Path:
    """Write one file of a set anew."""
    path = folder / SET / f"{file}.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    heads, changed = list(rows[0]), how(rows)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(
            stream, dict.fromkeys((*heads, *(changed[0] if changed else ()))), extrasaction="ignore"
        )
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
    assert folkmoot(tmp_path, "eval", "replay", SET, "--data", str(tmp_path)).exit_code == 0


def test_one_id_with_two_values_is_one_sentence(tmp_path: Path) -> None:
    with_ids(write_set(tmp_path))
    change(tmp_path, "forecasts", lambda rows: [*rows, {**rows[0], "probability": "51"}])
    shown = folkmoot(tmp_path, "eval", "replay", SET, "--data", str(tmp_path))
    assert shown.exit_code == 1
    twice = "the forecast_id 'f0' is there twice, with other values in forecasts.csv, line 2"
    assert f"forecasts.csv, line 162: {twice}" in " ".join(shown.output.split())


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
}


@pytest.mark.parametrize("fault", list(FAULTS))
def test_what_cannot_be_is_one_sentence(tmp_path: Path, fault: str) -> None:
    file, how, sentence = FAULTS[fault]
    folder = change(write_set(tmp_path), file, how)
    with pytest.raises(FolkmootError) as caught:
        replay(SET, folder)
    assert str(caught.value).startswith(f"{folder / SET} cannot be read as {SET}: ")
    assert str(caught.value).endswith(sentence)


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    folder = write_set(tmp_path)
    path = folder / SET / "forecasts.csv"
    path.write_text(path.read_text("utf-8").replace("info_label", "label", 1), "utf-8")
    with pytest.raises(FolkmootError, match=r"forecasts\.csv has no column 'info_label'"):
        replay(SET, folder)
