"""The files from which questions are read: tables, JSON lines, briefs."""

from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import read_result
from folkmoot.app.questions.data_sets import FaultyData, Key, read_data_set
from folkmoot.app.questions.quantities import read_quantity
from tests.cli.commands import folkmoot

BRIEF = "---\nanswer: port\ngroup: map\n{more}---\n# Where is it?\n\nIt lies near the port.\n"


OUTCOMES = ("1", "0", "1.0", "0.0", "Yes", "no", "TRUE", "false")


def faults(path: Path) -> tuple[str, ...]:
    with pytest.raises(FaultyData) as raised:
        read_data_set(path)
    return raised.value.faults


def test_a_table_has_accepted_answers_documents_and_tolerances(tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("The port is in the north.", "utf-8")
    path = tmp_path / "set.csv"
    path.write_text(
        "input,truth,accepted,documents,kind,tolerance\nWhere?,port,harbour|the docks,map.txt,,\n"
        "How many?,14,,,number,2%\n",
        "utf-8",
    )
    data = read_data_set(path)
    assert data.questions[0].documents[0].text == "The port is in the north."
    assert data.keys == (
        Key(id="Where?", truth="port", accepted=("harbour", "the docks")),
        Key(id="How many?", truth="14", relative=0.02),
    )


def test_briefs_have_their_answer_in_the_header(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(BRIEF.format(more="options: [port, station]\n"), "utf-8")
    (tmp_path / "b.md").write_text(BRIEF.format(more="kind: text\n").replace("Where", "Which"), "utf-8")
    data = read_data_set(tmp_path)
    first, second = data.questions
    assert (first.id, first.input, first.kind, first.options, first.group) == (
        "a",
        "Where is it?",
        "option",
        ("port", "station"),
        "map",
    )
    assert first.documents[0].text.strip() == "It lies near the port."
    assert (second.kind, data.keys[1].truth) == ("text", "port")
    (tmp_path / "c.md").write_text("# Why?\n", "utf-8")
    (tmp_path / "d.md").write_text("---\nanswer: x\nprotocl: panel\n---\n# Why?\n", "utf-8")
    (tmp_path / "e.md").write_bytes(b"\xff\xfe")
    missing, wrong, unreadable = faults(tmp_path)
    assert missing == "c.md: answer is missing: write answer: in the header"
    assert wrong.startswith("d.md: ")
    assert "protocl" in wrong
    assert unreadable.startswith("e.md: the file cannot be read")


def test_a_readme_beside_briefs_is_no_brief(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(BRIEF.format(more=""), "utf-8")
    (tmp_path / "README.md").write_text("# Questions about a port\n", "utf-8")
    assert [question.id for question in read_data_set(tmp_path).questions] == ["a"]


# ---- hostile files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("figures", ["9" * 400, "9" * 5000, "1e999", "inf", "NaN", "1/0"])
def test_a_number_that_no_machine_has_is_no_truth_and_no_answer(tmp_path: Path, figures: str) -> None:
    (tmp_path / "q.csv").write_text(f"input,truth,kind\nHow many?,{figures},number\n", "utf-8")
    shown = folkmoot(tmp_path, "eval", "check", "q.csv")
    assert shown.exit_code == 2
    assert shown.output.startswith("folkmoot: q.csv:2: truth is not a number: '")
    assert len(shown.output) < 120
    assert read_quantity(f"It is {figures}.") is None


def test_long_questions_and_answers_are_read_back(tmp_path: Path) -> None:
    long = "word " * 40_000
    lines = [f'"{long}{n}?",yes' for n in range(2)]
    (tmp_path / "q.csv").write_text("\n".join(["input,truth", *lines, ""]), "utf-8")
    run = folkmoot(tmp_path, "eval", "q.csv", "-m", "builtin:quotes", "--force")
    assert run.exit_code == 0, run.output
    shown = folkmoot(tmp_path, "eval", "show", "q-eval")
    assert shown.exit_code == 0, shown.output
    assert shown.output.startswith("q: 2 of 2 questions")
    ids = {row.question for row in read_result(tmp_path / "q-eval").scores}
    assert len(ids) == 2
    assert max(map(len, ids)) < 100


def test_a_wrong_column_is_one_error_and_not_one_for_each_line(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("question,truth\n" + "Why?,so\n" * 100, "utf-8")
    shown = folkmoot(tmp_path, "eval", "check", "q.csv")
    assert shown.exit_code == 2
    assert len(shown.output.splitlines()) == 1
    assert "q.csv:2: unknown field 'question'; there are id, input, truth, kind" in shown.output


def test_a_file_in_another_encoding_is_one_sentence(tmp_path: Path) -> None:
    for name, encoding in (("utf-16", "utf-16"), ("latin", "latin-1")):
        (tmp_path / f"{name}.csv").write_bytes("input,truth\nCafé?,5\n".encode(encoding))
        shown = folkmoot(tmp_path, "eval", "check", f"{name}.csv")
        assert (shown.exit_code, shown.output) == (
            2,
            f"folkmoot: {name}.csv cannot be read: it is not UTF-8; save it as UTF-8\n",
        )


def test_outcomes_are_read_as_other_tables_write_them(tmp_path: Path) -> None:
    lines = [f"{n},Will it rain on day {n}?,probability,{word}\n" for n, word in enumerate(OUTCOMES)]
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n" + "".join(lines), "utf-8")
    assert [key.truth for key in read_data_set(tmp_path / "q.csv").keys] == ["1", "0"] * 4
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n1,Will it?,probability,0.7\n", "utf-8")
    assert faults(tmp_path / "q.csv")[0].startswith("q.csv:2: ")
