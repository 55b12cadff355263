"""Replays of panels and judges: sets in miniature with figures by hand, and the recorded sets."""

import csv
from pathlib import Path

import pytest

from folkmoot.app.replays.judge_replay import replay_judges
from folkmoot.app.replays.panel_replay import panel_lines, unjudged_lines
from tests.cli.commands import folkmoot
from tests.paths import SHARED

DATA = SHARED / "data"
needs_data = pytest.mark.skipif(not (DATA / "panel_answers").is_dir(), reason=f"the recorded sets are not in {DATA}")


def test_a_panel_is_counted_with_and_without_each_model(tmp_path: Path) -> None:
    """All are right on six questions of eight; on the others only Ada is, and the vote is not."""
    right, wrong = {"Ada": "x", "Bo": "x", "Cy": "x"}, {"Ada": "x", "Bo": "y", "Cy": "y"}
    items = [right, right, right, wrong] * 2
    lines = list(panel_lines(items, ["x"] * 8))
    assert lines[0] == "  vote of all 0.750, mean of single models 0.833"
    assert lines[1].startswith("  vote minus best single model of the other half -0.250 [")
    assert lines[2].startswith("  agreement beyond chance (Krippendorff's alpha) ")
    assert lines[3].startswith("  one liar among them +0.000 [")
    assert [line.split(" [")[0] for line in lines[4:]] == [
        "  with Ada minus without it +0.000",
        "  with Bo minus without it -0.125",
        "  with Cy minus without it -0.125",
    ]
    assert len(list(panel_lines([dict.fromkeys("abc", "x")] * 8, ["x"] * 8))) == 6


def test_prompts_of_a_judge_are_compared_on_the_same_pairs(tmp_path: Path) -> None:
    head = "item,judge,strategy,label,winner_original_order,winner_swapped_order"
    base = [f"{item},J,CoT,1,1,2" for item in range(10)]
    other = [f"{item},J,Swap,1,1,1" for item in range(10)]
    (tmp_path / "votes.csv").write_text("\n".join([head, *base, *other, ""]), "utf-8")
    lines = list(replay_judges(tmp_path))
    assert lines[1] == "  CoT                        0.500"
    assert lines[2].startswith("  Swap                       1.000  +0.500 [+")
    assert lines[2].endswith("p 0.002")


@needs_data
def test_recorded_panels_are_worth_two_to_three_votes(tmp_path: Path) -> None:
    """The figures of an independent script: 2.61 [2.40, 2.83], 2.74 [2.51, 2.97] and 2.18 [2.04, 2.32]."""
    output = folkmoot(tmp_path, "eval", "replay", "panel_answers", "--data", str(DATA)).output
    for figures in ("effective votes 2.61 [2.39, 2.83] of 11", "votes 2.74 [2.49, 2.99]", "votes 2.18 [2.05, 2.32]"):
        assert figures in output


@needs_data
def test_recorded_panels_without_keys_have_only_a_limit(tmp_path: Path) -> None:
    """Where truth is known there are 2.6, 2.7 and 2.2 effective votes; without it no plain figure is shown."""
    folder = tmp_path / "panel_answers"
    folder.mkdir()
    for name in ("reference.txt", "gsm_answers.csv", "mmlupro_answers.csv"):
        rows = list(csv.reader((DATA / "panel_answers" / name).read_text("utf-8").splitlines()))
        if name.endswith("csv"):
            gold = rows[0].index("gold")
            rows = [rows[0], *([*row[:gold], "", *row[gold + 1 :]] for row in rows[1:])]
            (folder / name).write_text("\n".join(",".join(row) for row in rows), "utf-8")
        else:
            (folder / name).write_text((DATA / "panel_answers" / name).read_text("utf-8"), "utf-8")
    result = folkmoot(tmp_path, "eval", "replay", "panel_answers", "--data", str(folder))
    assert result.exit_code == 0
    lines = result.output.splitlines()
    limits = [line for line in lines if "effective votes" in line]
    assert limits == [
        "  without right answers: effective votes at most about 3.2 of 11",
        "  without right answers: effective votes at most about 3.3 of 11",
        "  without right answers: effective votes at most about 3.3 of 11",
    ]
    assert not any("vote of all" in line or "liar" in line or "OUT OF REACH" in line for line in lines)


def test_a_panel_without_keys_and_with_few_questions_is_not_known() -> None:
    lines = list(unjudged_lines([{"Ada": "x", "Bo": "y"}, {"Ada": "x", "Bo": "x"}]))
    assert lines[0] == "  without right answers: effective votes not known"


@needs_data
def test_a_recorded_judge_is_better_with_a_reference(tmp_path: Path) -> None:
    """An independent script says +6.3 [+2.5, +9.9] points."""
    result = folkmoot(tmp_path, "eval", "replay", "judge_pairs", "--data", str(DATA))
    assert result.exit_code == 0
    assert "Metrics_Reference          0.864  +0.062 [+0.025, +0.099]  p 0.008" in result.output
