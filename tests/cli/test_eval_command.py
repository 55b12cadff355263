"""`folkmoot eval simulate`, `voters` and `check`: what so many questions could tell, what talk does, and mistakes."""

from pathlib import Path

import pytest

from folkmoot.cli.commands.evaluate import PROMISES
from tests.cli.commands import folkmoot


def test_it_says_what_so_many_questions_could_tell(tmp_path: Path) -> None:
    lines = folkmoot(tmp_path, "eval", "simulate", "--questions", "80", "--runs", "200").output.splitlines()
    assert lines[0] == "80 questions, of which 15% differ between the debate and a rival:"
    assert lines[1].endswith("in 4 of 5 runs: 12.1 points")
    assert lines[2].endswith("to find 5 points: 469")
    assert [line.split(" points")[0].strip() for line in lines[5:]] == ["0", "5", "10"]
    assert lines == folkmoot(tmp_path, "eval", "simulate", "--runs", "200").output.splitlines()
    assert lines != folkmoot(tmp_path, "eval", "simulate", "--runs", "200", "--seed", "1").output.splitlines()


def test_it_checks_what_the_statistics_promise(tmp_path: Path) -> None:
    for promise in PROMISES[:1] + PROMISES[2:]:
        result = folkmoot(tmp_path, "eval", "simulate", promise, "--runs", "50", "--seed", "1")
        assert (result.exit_code, result.output.splitlines()[0]) == (0, f"{promise}: 50 runs, seed 1")
        assert "ok" in result.output


def test_a_promise_that_is_not_kept_is_an_error(tmp_path: Path) -> None:
    """One run finds the difference always or never, which is not 80 %."""
    result = folkmoot(tmp_path, "eval", "simulate", "power", "--runs", "1")
    assert result.exit_code == 1
    assert "promised 0.770 to 0.830  NOT KEPT" in result.output


def test_a_difference_that_cannot_be_is_refused(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "simulate", "--margin", "0.2")
    assert result.exit_code == 2
    assert "--margin cannot be larger than --differ" in result.output


def test_it_simulates_what_talk_and_liars_do(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "voters", "--rounds", "1", "--learn", "0", "--misled", "0", "--conform", "0.5")
    head, alone, after = result.output.splitlines()
    assert head.split() == ["one", "voter", "their", "vote", "vote", "with", "liars"]
    single, vote, lied_to = (float(share.rstrip("%")) for share in alone.split()[1:])
    assert (single, alone.split()[0]) == (pytest.approx(70, abs=1), "alone")
    assert single < vote
    assert lied_to < vote - 5
    assert float(after.split()[3].rstrip("%")) < vote


def test_more_liars_than_voters_are_refused(tmp_path: Path) -> None:
    result = folkmoot(tmp_path, "eval", "voters", "--liars", "6")
    assert result.exit_code == 2
    assert "--liars cannot be larger than --voters" in result.output


def test_it_says_what_is_in_a_file_of_questions(tmp_path: Path) -> None:
    lines = ("id,input,truth,options,group", "1,Tea?,yes,yes|no,a", "2,Milk?,no,yes|no,a", "3,Why?,because,,")
    (tmp_path / "set.csv").write_text("\n".join(lines), "utf-8")
    assert folkmoot(tmp_path, "eval", "check", "set.csv").output == "3 questions in 2 groups\n  option: 2\n  text: 1\n"
    (tmp_path / "set.csv").write_text("input,truth\nTea?,\nMilk?,\n", "utf-8")
    result = folkmoot(tmp_path, "eval", "check", "set.csv")
    assert result.exit_code == 2
    assert result.output == "folkmoot: set.csv:2: truth is missing\nfolkmoot: set.csv:3: truth is missing\n"


@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "--margin", "nan"),
        ("simulate", "--differ", "nan"),
        ("voters", "--accuracy", "nan"),
        ("run", "q.csv", "-m", "builtin:quotes", "--budget", "NaN"),
    ],
)
def test_what_is_no_number_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "q.csv").write_text("input,truth\nHow many?,5\n", "utf-8")
    result = folkmoot(tmp_path, "eval", *words)
    assert result.exit_code == 2
    assert f"folkmoot: {words[-2]} is {words[-1]!r}; it must be a number" in result.output
