"""`python -m benchmarks.replays`: sets in miniature with figures by hand, the recorded sets, and mistakes."""

import csv
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmarks.replays.data_sets import REPLAYS, replay
from benchmarks.replays.figures import Figure, find, numbers
from benchmarks.replays.judge_replay import replay_judges
from benchmarks.replays.panel_replay import panel_lines, unjudged_lines
from folkmoot.core.errors import FolkmootError
from tests.benchmarks.recorded_sets import run, write_sets
from tests.paths import SHARED

DATA = SHARED / "data"
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded sets are not there: {DATA}")


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


def test_without_a_name_the_data_sets_are_listed() -> None:
    lines = run().output.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [[name, entry.about] for name, entry in REPLAYS.items()]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("panel_answer", "."), 2, "panel_answers"),
        (("panel_answers",), 2, "DATA"),
        (("all", "nowhere"), 1, "nowhere is no folder"),
        (("deliberative_forecasts", "nowhere"), 1, "it has no file questions.csv"),
    ],
)
def test_what_cannot_be_replayed_is_told(words: tuple[str, ...], code: int, message: str) -> None:
    result = run(*words)
    assert result.exit_code == code
    assert message in result.output


def test_each_data_set_is_a_replay_of_that_name(tmp_path: Path) -> None:
    """The figures of the miniature sets are counted by hand."""
    write_sets(tmp_path)
    for name in REPLAYS:
        result = replay(name, tmp_path)
        assert result.checks
        assert [check.row for check in result.checks if not check.reached] == []
        assert replay(name, tmp_path / name) == result


def test_all_replays_what_stands_in_the_folder_and_goes_on_behind_a_set_that_cannot_be_read(tmp_path: Path) -> None:
    write_sets(tmp_path)
    shutil.rmtree(tmp_path / "judge_pairs")
    result = run("all", tmp_path)
    assert result.exit_code == 0
    heads = [line.removeprefix("== ") for line in result.output.splitlines() if line.startswith("== ")]
    assert heads == [name for name in REPLAYS if name != "judge_pairs"]
    assert f"not in {tmp_path}: judge_pairs\n" in result.output
    (tmp_path / "debate_judgments" / "judgments.csv").write_bytes(b"pro,con,winner\n\xff\n")
    result = run("all", tmp_path)
    assert result.exit_code == 1
    assert "cannot be read as debate_judgments: judgments.csv is not UTF-8" in result.output
    assert result.output.count("reference.txt: ") == len(heads) - 1


@pytest.mark.parametrize(
    ("name", "old", "new", "row"),
    [
        ("panel_answers", "1 models, mean over panels: 0.5", "1 models, mean over panels: 0.6", "0.500 ±0.002 0.600"),
        ("persuasion_shift", "any sign flip: 0.500", "any sign flip: 0.600", "0.500 = 0.600"),
        ("deliberative_forecasts", "wrong to right 1", "wrong to right 2", "right to wrong 0"),
    ],
)
def test_what_does_not_come_out_ends_with_one(tmp_path: Path, name: str, old: str, new: str, row: str) -> None:
    path = write_sets(tmp_path) / name / "reference.txt"
    assert run(name, tmp_path).exit_code == 0
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    result = run(name, tmp_path / name)
    assert result.exit_code == 1
    (line,) = [line for line in result.output.splitlines() if line.endswith("OUT OF REACH")]
    assert " ".join(line.split()).endswith(f"{row} OUT OF REACH")


SPOILERS: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda text: b"",
    "not UTF-8": lambda text: b"\xff" + text,
    "no heads": lambda text: text.partition(b"\n")[2],
    "half a line": lambda text: text[: len(text) * 2 // 3],
    "words for numbers": lambda text: re.sub(rb"\d", b"x", text),
    "nulls": lambda text: re.sub(rb'": *("[^"]*"|[\d.]+|true|false)', b'": null', text),
    "lists": lambda text: re.sub(rb'": *("[^"]*"|[\d.]+|true|false)', b'": []', text),
    "a value that is none": lambda text: b"[]\n5\n" + text,
    "deeply nested": lambda text: b"[" * 100_000,
    "a long field": lambda text: text + b'"' + b"x" * 200_000 + b'"\n',
    "open brackets": lambda text: text.replace(b"}", b""),
}


def complaint(name: str, data: Path) -> str:
    """What is said of a data set that cannot be read; "" where it can."""
    try:
        replay(name, data)
    except FolkmootError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", list(REPLAYS))
def test_a_spoiled_file_is_one_sentence_or_a_figure_that_does_not_come_out(tmp_path: Path, name: str) -> None:
    folder = write_sets(tmp_path) / name
    complaints: list[str] = []
    for path in sorted(folder.iterdir()):
        whole = path.read_bytes()
        for spoil in SPOILERS.values():
            path.write_bytes(spoil(whole))
            complaints.append(complaint(name, tmp_path))
        path.unlink()
        complaints.append(complaint(name, tmp_path))
        path.write_bytes(whole)
    kinds = {sentence.removeprefix(str(folder)).partition(name)[0] for sentence in complaints if sentence}
    assert kinds == {" cannot be read as ", " is no data set "}


def test_a_panel_is_counted() -> None:
    """All are right on six questions of eight; on the others only Ada is, and the vote is not."""
    right, wrong = {"Ada": "x", "Bo": "x", "Cy": "x"}, {"Ada": "x", "Bo": "y", "Cy": "y"}
    items = [right, right, right, wrong] * 2
    lines = list(panel_lines(items, ["x"] * 8))
    assert lines[0] == "  vote of all 0.750, mean of single models 0.833"
    assert lines[1].startswith("  vote minus best single model of the other half -0.250 [")
    assert lines[2].startswith("  agreement beyond chance (Krippendorff's alpha) ")


def test_prompts_of_a_judge_are_compared_on_the_same_pairs(tmp_path: Path) -> None:
    head = "item,judge,strategy,label,winner_original_order,winner_swapped_order"
    base = [f"{item},J,CoT,1,1,2" for item in range(10)]
    other = [f"{item},J,Swap,1,1,1" for item in range(10)]
    (tmp_path / "votes.csv").write_text("\n".join([head, *base, *other, ""]), "utf-8")
    lines = list(replay_judges(tmp_path))
    assert lines[1] == "  CoT                        0.500"
    assert lines[2].startswith("  Swap                       1.000  +0.500 [+")
    assert lines[2].endswith("p 0.002")


def test_a_panel_without_keys_and_with_few_questions_is_not_known() -> None:
    lines = list(unjudged_lines([{"Ada": "x", "Bo": "y"}, {"Ada": "x", "Bo": "x"}]))
    assert lines[0] == "  without right answers: effective votes not known"


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
    result = run("panel_answers", folder)
    assert result.exit_code == 0
    lines = result.output.splitlines()
    limits = [line for line in lines if "effective votes" in line]
    assert limits == [
        "  without right answers: effective votes at most about 3.2 of 11",
        "  without right answers: effective votes at most about 3.3 of 11",
        "  without right answers: effective votes at most about 3.3 of 11",
    ]
    assert not any("vote of all" in line or "OUT OF REACH" in line for line in lines)


@needs_data
@pytest.mark.parametrize(
    ("name", "figures"),
    [
        (
            "panel_answers",
            ("effective votes 2.61 [2.39, 2.83] of 11", "votes 2.74 [2.49, 2.99]", "votes 2.18 [2.05, 2.32]"),
        ),
        ("judge_pairs", ("Metrics_Reference          0.864  +0.062 [+0.025, +0.099]  p 0.008",)),
    ],
)
def test_recorded_panels_and_judges_have_the_figures_of_an_independent_script(
    name: str, figures: tuple[str, ...]
) -> None:
    """It says 2.61 [2.40, 2.83], 2.74 [2.51, 2.97] and 2.18 [2.04, 2.32]; and +6.3 [+2.5, +9.9] points."""
    output = run(name, DATA).output
    assert [figure for figure in figures if figure not in output] == []


@pytest.mark.system
@needs_data
def test_all_recorded_figures_are_reached() -> None:
    ran = run("all", DATA)
    assert [line for line in ran.output.splitlines() if "OUT OF REACH" in line] == []
    assert ran.exit_code == 0
    reached, _, of, *_ = ran.output.splitlines()[-1].split()
    assert (reached, int(of) > 340) == (of, True)
