"""`folkmoot eval new`: from nothing to one page to forward, asked or with options."""

from pathlib import Path

from folkmoot.app.evaluation.folder import read_result
from tests.cli.commands import QUOTES, folkmoot


def test_it_asks_for_all_it_needs_and_ends_with_a_page(tmp_path: Path) -> None:
    questions = [part for n in range(3) for part in (f"Is place {n} near?", "yes|no", "yes")]
    typed = ["Which depot?", "", *questions, "", "builtin:quotes", "0"]
    ran = folkmoot(tmp_path, "eval", "new", stdin="\n".join(typed) + "\n")
    assert ran.exit_code == 0, ran.output
    assert (tmp_path / "which-depot.csv").read_text("utf-8").splitlines()[1] == "Is place 0 near?,yes|no,yes"
    assert "which-depot-eval/scoreboard.html" in ran.output.splitlines()[-1]
    assert len({row.question for row in read_result(tmp_path / "which-depot-eval").scores}) == 3


def test_typed_questions_are_continued_where_somebody_has_stopped(tmp_path: Path) -> None:
    rest = ("Which depot?", "builtin:quotes", "0")
    for n in range(2):
        typed = [rest[0], "", f"Is place {n} near?", "yes|no", "yes", "", *rest[1:]]
        folkmoot(tmp_path, "eval", "new", stdin="\n".join(typed) + "\n")
    assert (tmp_path / "which-depot.csv").read_text("utf-8").splitlines() == [
        "input,options,truth",
        "Is place 0 near?,yes|no,yes",
        "Is place 1 near?,yes|no,yes",
    ]


def test_what_options_say_is_not_asked_for_and_thirty_are_drawn(tmp_path: Path) -> None:
    lines = "".join(f"Is place {n} near?,yes|no,yes\n" for n in range(8))
    (tmp_path / "q.csv").write_text("input,options,truth\n" + lines, "utf-8")
    words = ("eval", "new", "Depot", "--questions", "q.csv", *QUOTES, "--budget", "0", "-n", "5", "-y")
    ran = folkmoot(tmp_path, *words)
    assert ran.exit_code == 0, ran.output
    first = {row.question for row in read_result(tmp_path / "depot-eval").scores}
    assert len(first) == 5
    assert folkmoot(tmp_path, *words).exit_code == 0
    assert {row.question for row in read_result(tmp_path / "depot-eval").scores} == first, "the same are drawn again"
    (tmp_path / "q.csv").write_text("input,options,truth\nIs it?,yes|no,maybe\n", "utf-8")
    wrong = folkmoot(tmp_path, *words)
    assert wrong.exit_code == 2
    assert "q.csv:2: " in wrong.output


def test_a_mistake_is_said_where_it_is_typed(tmp_path: Path) -> None:
    typed = ["Which depot?", "", "Is place 1 near?", "yes|no", "maybe", "yes", "", "builtin:quotes", "0"]
    ran = folkmoot(tmp_path, "eval", "new", stdin="\n".join(typed) + "\n")
    assert "'maybe' is not one of" in ran.output
    assert (tmp_path / "which-depot.csv").read_text("utf-8").splitlines()[1:] == ["Is place 1 near?,yes|no,yes"]
    missing = folkmoot(tmp_path, "eval", "new", stdin="Which depot?\nnowhere.csv\n")
    assert missing.exit_code == 2
    assert "there is no file or folder 'nowhere.csv'" in missing.output
    assert "Who answers" not in missing.output, "nothing more is asked"
