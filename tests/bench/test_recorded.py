"""`folkmoot-bench recorded`: when a figure is reached, what is said where data are missing, and all recorded sets."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from folkmoot.app.replays.figures import Figure, find, numbers
from folkmoot.app.replays.replays import REPLAYS
from folkmoot.bench.command import main
from tests.bench.recorded_sets import write_sets
from tests.paths import SHARED

DATA = SHARED / "data"

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded sets are not there: {DATA}")


def run(*words: str) -> Result:
    return CliRunner(env={"FOLKMOOT_DATA": None}).invoke(main, ["recorded", *words])


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder with all sets in miniature."""
    return write_sets(tmp_path)


@pytest.mark.parametrize(
    ("ours", "reference", "aim", "margin", "reached", "shown", "wanted"),
    [
        (0.9796, "0.980", "at least", 0.0, True, "0.980", ">="),
        (0.9794, "0.980", "at least", 0.0, False, "0.979", ">="),
        (0.999, "0.980", "at least", 0.0, True, "0.999", ">="),
        (0.999, "0.980", "equal", 0.0, False, "0.999", "="),
        (0.8125, "0.812", "equal", 0.0, True, "0.812", "="),
        (0.8125, "0.813", "equal", 0.0, True, "0.812", "="),
        (0.833, "0.831", "equal", 0.002, True, "0.833", "±0.002"),
        (0.834, "0.831", "equal", 0.002, False, "0.834", "±0.002"),
        (20, "20", "equal", 0.0, True, "20", "="),
        (19, "20", "equal", 0.0, False, "19", "="),
        (0.5, "", "at least", 1.0, False, "0.500", ">="),
    ],
)
def test_when_a_figure_is_reached(
    ours: float, reference: str, aim: str, margin: float, reached: bool, shown: str, wanted: str
) -> None:
    figure = Figure(
        name="x", ours=ours, reference=reference, aim="at least" if aim == "at least" else "equal", margin=margin
    )
    assert (figure.reached, figure.shown, figure.asked) == (reached, shown, wanted)


def test_numbers_are_read_as_they_are_printed() -> None:
    line = "n=  92 mean 0.929 Brier 0.132 AUROC None levels {0.625: 3, 1.0: 49}"
    assert numbers(line) == {"n": "92", "mean": "0.929", "Brier": "0.132"}
    assert numbers("acc=0.377 agree=0.598 acc|agree=0.299") == {"acc": "0.377", "agree": "0.598", "acc|agree": "0.299"}
    assert (find(r"games (\d+)", "games 12 rated"), find(r"games (\d+)", "none")) == ("12", "")


def test_small_sets_are_counted_as_by_hand(small: Path) -> None:
    ran = run("--data", str(small))
    assert [line for line in ran.output.splitlines() if "OUT OF REACH" in line] == []
    assert ran.output.splitlines()[-1] == "133 of 133 figures reached"
    assert ran.exit_code == 0


def test_a_set_that_is_not_there_is_left_out(small: Path) -> None:
    shutil.rmtree(small / "judge_pairs")
    shutil.rmtree(small / "ranked_ballots")
    ran = run("--data", str(small))
    assert ran.exit_code == 0
    assert "not found, skipped: ranked_ballots, judge_pairs\n" in ran.output


def test_without_data_one_sentence_says_what_to_give(tmp_path: Path) -> None:
    give = f"give the folder of {', '.join(REPLAYS)} with --data or in FOLKMOOT_DATA"
    for folder, words in ((tmp_path / "no", "is no folder"), (tmp_path, "holds none of them")):
        ran = run("--data", str(folder))
        assert (ran.exit_code, ran.output) == (2, f"folkmoot-bench: {folder} {words}; {give}\n")
    ran = run()
    assert (ran.exit_code, ran.output) == (2, f"folkmoot-bench: no folder is named; {give}\n")


def test_the_folder_may_stand_in_the_environment(small: Path) -> None:
    ran = CliRunner().invoke(main, ["recorded"], env={"FOLKMOOT_DATA": str(small)})
    assert (ran.exit_code, ran.output.splitlines()[-1]) == (0, "133 of 133 figures reached")


def test_a_figure_that_is_not_reached_ends_with_one(small: Path) -> None:
    path = small / "persuasion_shift" / "reference.txt"
    path.write_text(path.read_text("utf-8").replace("any sign flip: 0.500", "any sign flip: 0.600"), "utf-8")
    ran = run("--data", str(small))
    assert ran.exit_code == 1
    assert [line.split()[-6:] for line in ran.output.splitlines() if "OUT OF REACH" in line] == [
        ["0.500", "=", "0.600", "OUT", "OF", "REACH"]
    ]


@pytest.mark.parametrize(
    ("folder", "file", "old", "new"),
    [
        ("ranked_ballots", "elections.jsonl", '"official_winner": "Bob"', '"official_winner": null'),
        ("ranked_ballots", "elections.jsonl", '"ballots": [[4', '"ballots": [[null'),
        (
            "ranked_ballots",
            "elections.jsonl",
            '"candidates": {"1": "Ann", "2": "Bob", "3"',
            '"candidates": {"1": null, "3"',
        ),
        ("strategyqa_debates", "gpt52_debates.jsonl", '"direct": ["yes", 4]', '"direct": null'),
        ("strategyqa_debates", "qwen3_judgments.jsonl", '"FINAL VERDICT: the proponent. 5/5"', "null"),
        ("solver_judge_debates", "debates.jsonl", '"verdict": {', '"verdict": null, "v": {'),
        ("solver_judge_debates", "debates.jsonl", '"target": "solver_1"', '"target": "solver_9"'),
        ("pairwise_preferences", "preference.csv", "1.0,0.5", "x,0.5"),
        ("panel_answers", "reference.txt", "{'a': 0.75", "{'z': 0.75"),
        ("debate_judgments", "judgments.csv", "a,b,PRO\nb,a,CON\nb,c,PRO\nc,b,PRO\nb,c,PRO\n", ""),
    ],
)
def test_data_that_are_not_as_they_should_be_end_in_a_sentence(
    small: Path, folder: str, file: str, old: str, new: str
) -> None:
    path = small / folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    ran = run("--data", str(small))
    assert ran.exit_code == 1
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    assert f"{folder} cannot be read as {folder}: " in ran.output or "OUT OF REACH" in ran.output


@pytest.mark.parametrize("name", ["Bob", "bob.", "Robert Bob", "Bob J."])
def test_an_official_winner_is_found_under_other_spellings(small: Path, name: str) -> None:
    path = small / "ranked_ballots" / "elections.jsonl"
    text = path.read_text("utf-8")
    path.write_text(text.replace('"official_winner": "Bob"', f'"official_winner": "{name}"'), "utf-8")
    assert run("--data", str(small)).exit_code == 0


def test_a_ruling_without_a_truth_is_not_counted(small: Path) -> None:
    path = small / "strategyqa_debates" / "qwen3_judgments.jsonl"
    more = '{"gold": null, "judge_text": "FINAL VERDICT: the proponent. 5/5"}\n'
    path.write_text(path.read_text("utf-8") + more, "utf-8")
    assert run("--data", str(small)).exit_code == 0


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        (
            "cells.csv",
            "cell,topic\nc1,t\n",
            "persuasion_shift: cells.csv has no column 'pre_mean'",
        ),
        (
            "cells.csv",
            "pre_mean,post_mean,side\nx,1,pro\n",
            "persuasion_shift: could not convert string to float: 'x'",
        ),
        ("published.csv", None, "persuasion_shift: it has no file published.csv"),
    ],
)
def test_a_set_that_cannot_be_read_is_named(small: Path, file: str, text: str | None, words: str) -> None:
    path = small / "persuasion_shift" / file
    path.unlink()
    if text is not None:
        path.write_text(text, "utf-8")
    ran = run("--data", str(small))
    assert ran.exit_code == 1
    assert words in ran.output


def test_a_reference_without_figures_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "panel_answers"
    folder.mkdir()
    (folder / "reference.txt").write_text("nothing\n", "utf-8")
    ran = run("--data", str(tmp_path))
    assert ran.exit_code == 1
    assert "cannot be read as panel_answers: reference.txt has none of the figures" in ran.output


@pytest.mark.system
@needs_data
def test_all_recorded_figures_are_reached() -> None:
    ran = run("--data", str(DATA))
    lines = ran.output.splitlines()
    assert [line for line in lines if "OUT OF REACH" in line] == []
    assert ran.exit_code == 0
    assert [line.split()[0] for line in lines if line[0] != " " and " of " not in line] == list(REPLAYS)
    reached, _, of, *_ = lines[-1].split()
    assert reached == of
    assert int(of) > 340
