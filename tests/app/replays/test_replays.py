"""`folkmoot eval replay`: a set in miniature with figures by hand, the recorded set beside its reference, and mistakes."""

import math
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from folkmoot.app.replays.replays import REPLAYS, replay
from folkmoot.core.errors import FolkmootError
from tests.bench.recorded_sets import write_sets
from tests.cli.commands import folkmoot
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
        "verdict: not known: n too small by 467 (+0.024 [-0.010, +0.058] against six independent calls)",
    ):
        assert figures in text


def test_the_command_compares_with_the_reference(tmp_path: Path) -> None:
    data = write_set(tmp_path, "flips over 0.5: wrong to right 20 right to wrong 0\n\n")
    result = folkmoot(tmp_path, "eval", "replay", SET, "--data", str(data / SET))
    assert (result.exit_code, result.output.splitlines()[-1]) == (0, "reference.txt: 1 of 1 line reached")
    (data / SET / "reference.txt").write_text("flips over 0.5: none\n", "utf-8")
    result = folkmoot(tmp_path, "eval", "replay", SET, FOLKMOOT_DATA=str(data))
    assert result.exit_code == 1
    assert result.output.endswith(
        f"\n{SET}\n  flips over 0.5: none  OUT OF REACH\nreference.txt: 0 of 1 line reached\n"
    )


def test_the_command_runs_without_a_reference(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "replay", SET, "--data", str(write_set(tmp_path)))
    assert result.exit_code == 0
    assert "reference" not in result.output


def test_data_that_are_not_there_are_one_sentence(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "replay", SET, "--data", str(tmp_path))
    assert result.exit_code == 1
    assert f"{tmp_path} is no data set {SET}: it has no file questions.csv" in result.output


def test_the_command_names_all_replays(tmp_path: Path) -> None:
    lines = folkmoot(tmp_path, "eval", "replay").output.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [[name, entry.about] for name, entry in REPLAYS.items()]
    assert all(len(line) <= 100 and line.count(".") == 1 for line in lines)


def test_a_name_that_is_none_is_told_what_was_meant(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "replay", "panel_answer", "--data", str(tmp_path))
    assert result.exit_code == 2
    assert "panel_answers" in result.output


def test_each_data_set_is_a_replay_of_that_name(tmp_path: Path) -> None:
    """The figures of the miniature sets are counted by hand."""
    write_sets(tmp_path)
    for name in REPLAYS:
        result = replay(name, tmp_path)
        assert result.checks
        assert [check.row for check in result.checks if not check.reached] == []
        assert replay(name, tmp_path / name) == result
    assert "no gate: it is learned from at least 20 questions" in replay(SET, tmp_path).lines


def test_all_replays_what_stands_in_the_folder(tmp_path: Path) -> None:
    write_sets(tmp_path)
    shutil.rmtree(tmp_path / "judge_pairs")
    result = folkmoot(tmp_path, "eval", "replay", "all", "--data", str(tmp_path))
    assert result.exit_code == 0
    heads = [line.removeprefix("== ") for line in result.output.splitlines() if line.startswith("== ")]
    assert heads == [name for name in REPLAYS if name != "judge_pairs"]
    assert result.output.count("reference.txt: ") == len(heads)


def test_all_goes_on_behind_a_set_that_cannot_be_read(tmp_path: Path) -> None:
    write_sets(tmp_path)
    (tmp_path / "debate_judgments" / "judgments.csv").write_bytes(b"pro,con,winner\n\xff\n")
    result = folkmoot(tmp_path, "eval", "replay", "all", "--data", str(tmp_path))
    assert result.exit_code == 1
    problem = "cannot be read as debate_judgments: judgments.csv is not UTF-8"
    assert f"folkmoot: {tmp_path / 'debate_judgments'} {problem}" in result.output
    assert result.output.count("reference.txt: ") == len(REPLAYS) - 1


def test_a_figure_that_does_not_come_out_ends_with_one(tmp_path: Path) -> None:
    write_sets(tmp_path)
    path = tmp_path / "panel_answers" / "reference.txt"
    path.write_text(
        path.read_text("utf-8").replace("1 models, mean over panels: 0.5", "1 models, mean over panels: 0.6")
    )
    result = folkmoot(tmp_path, "eval", "replay", "panel_answers", "--data", str(tmp_path))
    assert result.exit_code == 1
    (row,) = [line for line in result.output.splitlines() if line.endswith("OUT OF REACH")]
    assert row.split()[-6:] == ["0.500", "±0.002", "0.600", "OUT", "OF", "REACH"]
    assert result.output.endswith(" figures reached\n")


@pytest.mark.parametrize("name", ["all", "ranked_ballots"])
def test_without_a_folder_one_sentence_says_what_to_give(tmp_path: Path, name: str) -> None:
    result = folkmoot(tmp_path, "eval", "replay", name)
    assert result.exit_code == 1
    assert result.output.startswith("folkmoot: no folder is named; give the folder of deliberative_forecasts, ")


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
