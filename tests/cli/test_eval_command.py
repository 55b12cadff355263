"""`folkmoot eval check`, and options of `folkmoot eval` that are no numbers."""

from pathlib import Path

from tests.cli.commands import folkmoot


def test_it_says_what_is_in_a_file_of_questions(tmp_path: Path) -> None:
    lines = ("id,input,truth,options,group", "1,Tea?,yes,yes|no,a", "2,Milk?,no,yes|no,a", "3,Why?,because,,")
    (tmp_path / "set.csv").write_text("\n".join(lines), "utf-8")
    assert folkmoot(tmp_path, "eval", "check", "set.csv").output == "3 questions in 2 groups\n  option: 2\n  text: 1\n"
    (tmp_path / "set.csv").write_text("input,truth\nTea?,\nMilk?,\n", "utf-8")
    result = folkmoot(tmp_path, "eval", "check", "set.csv")
    assert result.exit_code == 2
    assert [line[:20] for line in result.output.splitlines()] == ["folkmoot: set.csv:2:", "folkmoot: set.csv:3:"]


def test_a_budget_that_is_no_number_is_refused(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("input,truth\nHow many?,5\n", "utf-8")
    result = folkmoot(tmp_path, "eval", "run", "q.csv", "-m", "builtin:quotes", "--budget", "NaN")
    assert result.exit_code == 2
    assert "--budget is 'NaN'" in result.output
