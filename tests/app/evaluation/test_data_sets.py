"""Questions with known answers: questions and keys are parted, and each faulty line is one error with its number."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import read_result
from folkmoot.app.evaluation.quantities import read_quantity
from folkmoot.app.evaluation.questions import DataSet, FaultyData, Key, Question, read_data_set
from tests.cli.commands import folkmoot

OUTCOMES = ("1", "0", "1.0", "0.0", "Yes", "no", "TRUE", "false")
BRIEF = "---\nanswer: port\ngroup: map\n{more}---\n# Where is it?\n\nIt lies near the port.\n"
GOOD = {"id": "a", "input": "Tea or coffee?", "options": ["tea", "coffee"], "truth": "tea", "group": "g", "tags": ["x"]}


def write(folder: Path, *lines: object, name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), "utf-8")
    return path


def faults(path: Path) -> tuple[str, ...]:
    with pytest.raises(FaultyData) as raised:
        read_data_set(path)
    return raised.value.faults


def test_questions_and_keys_are_parted(tmp_path: Path) -> None:
    secret = "only the grader knows 5417"
    data = read_data_set(write(tmp_path, GOOD, {"input": "How many?", "target": secret}, ""))
    assert data == DataSet(
        questions=(
            Question(id="a", input="Tea or coffee?", kind="option", options=("tea", "coffee"), group="g", tags=("x",)),
            Question(id="How many?", input="How many?", kind="text"),
        ),
        keys=(Key(id="a", truth="tea"), Key(id="How many?", truth=secret)),
    )
    assert secret not in json.dumps([asdict(question) for question in data.questions])


def test_numbers_have_a_tolerance(tmp_path: Path) -> None:
    line = {"input": "How many?", "truth": 18, "kind": "number", "tolerance": 0.5}
    assert read_data_set(write(tmp_path, line)).keys == (Key(id="How many?", truth="18", tolerance=0.5),)
    line = {"input": "Does it rain?", "truth": 1, "kind": "probability"}
    assert read_data_set(write(tmp_path, line)).questions[0].kind == "probability"


def test_a_table_is_read_like_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "\ufeffid,input,choices,target,group,tags",
        '1,"Tea,',
        'or coffee?",tea | coffee,tea,,a|b',
        "2,Why?,,because,g,",
        name="set.csv",
    )
    data = read_data_set(path)
    assert [(question.id, question.options, question.tags) for question in data.questions] == [
        ("1", ("tea", "coffee"), ("a", "b")),
        ("2", (), ()),
    ]
    assert data.questions[0].input == "Tea,\nor coffee?"
    assert [key.truth for key in data.keys] == ["tea", "because"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"truth": None}, "truth"),
        ({"input": " "}, "input"),
        ({"input": ["x"]}, "input"),
        ({"answr": "x"}, "'answr'; there are id, input, truth, kind"),
        ({"truht": "x"}, "did you mean 'truth'?"),
        ({"truth": "milk"}, "tea and coffee"),
        ({"options": "tea"}, "options"),
        ({"options": None, "kind": "option"}, "options"),
        ({"kind": "rubik"}, "option, number, probability, text"),
        ({"kind": "number"}, "'tea'"),
        ({"kind": "number", "truth": "inf"}, "'inf'"),
        ({"truth": float("nan")}, "truth"),
        ({"options": ["tea", "Tea "]}, "'tea' and 'Tea'"),
        ({"options": ["tea"]}, "2 to 20 options"),
        ({"accepted": ["Tea"]}, "accepted"),
        ({"tolerance": "much"}, "0.5 or 2%"),
        ({"tolerance": -1}, "0.5 or 2%"),
        ({"documents": "a.md"}, "documents"),
        ({"documents": ["a.md"]}, "'a.md'"),
        ({"documents": [{"name": "a.md"}]}, "documents"),
        ({"kind": "probability"}, "0 or 1"),
        ({"options": ["tea", None]}, "option"),
        ({"options": ["tea", ["x"]]}, "options"),
        ({"target": "tea"}, "target and truth"),
    ],
)
def test_a_faulty_line_has_its_number_and_what_is_allowed(
    change: dict[str, object], named: str, tmp_path: Path
) -> None:
    [fault] = faults(write(tmp_path, {"input": "Else?", "truth": "so"}, {**GOOD, **change}))
    assert fault.startswith("set.jsonl:2: ")
    assert named in fault


def test_each_faulty_line_is_one_error(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD, "{", "", "[1]", {**GOOD, "input": "Else?"}, {**GOOD, "id": "b"})
    named = {"2": "JSON", "4": "JSON", "5": "line 1 already has this id", "6": "line 1 already has this input"}
    for fault, (number, words) in zip(faults(path), named.items(), strict=True):
        assert fault.startswith(f"set.jsonl:{number}: ")
        assert words in fault
    [twice] = faults(write(tmp_path, "input,truth,input", "a,b,c", name="set.csv"))
    assert "'input'" in twice
    [wide] = faults(write(tmp_path, "input,truth", "a,b", "a,b,c", name="set.csv"))
    assert wide.startswith("set.csv:3: ")


def test_a_file_that_cannot_be_used_is_one_error(tmp_path: Path) -> None:
    assert faults(tmp_path / "set.txt") == ("there is no file or folder 'set.txt'",)
    assert ".jsonl or .csv" in faults(write(tmp_path, "", name="set.txt"))[0]
    assert faults(write(tmp_path, "")) == ("set.jsonl has no questions",)
    (tmp_path / "set.csv").write_bytes(b"\xff\xfe")
    assert "not UTF-8" in faults(tmp_path / "set.csv")[0]


def test_options_that_are_no_texts_in_json_are_read_as_the_truth_is(tmp_path: Path) -> None:
    line = {"input": "Is it so?", "options": [True, False], "truth": True}
    assert read_data_set(write(tmp_path, line)).keys == (Key(id="Is it so?", truth="true"),)
    line = {"input": "How many?", "options": [1, 2.5], "truth": 2.5}
    assert read_data_set(write(tmp_path, line)).questions[0].options == ("1", "2.5")


@pytest.mark.parametrize("sign", [";", "\t"])
def test_cells_may_be_parted_as_other_programs_do(tmp_path: Path, sign: str) -> None:
    path = write(tmp_path, sign.join(["input", "truth"]), sign.join(["Why, then?", "so"]), name="SET.CSV")
    assert read_data_set(path).questions[0].input == "Why, then?"


@pytest.mark.parametrize(
    ("truth", "kind"),
    [
        *((number, "number") for number in ("14", "1,204.5", "$18", "30 %", "-3")),
        *((text, "text") for text in ("14 vans", "2026-11-01", "v1.2", "7, or 8")),
    ],
)
def test_a_truth_that_is_a_number_and_nothing_else_makes_the_question_one_of_numbers(
    tmp_path: Path, truth: str, kind: str
) -> None:
    assert read_data_set(write(tmp_path, {"input": "How many?", "truth": truth})).questions[0].kind == kind
    several = {"input": "How many?", "truth": ["14", "fourteen"]}
    assert read_data_set(write(tmp_path, several)).questions[0].kind == "text"


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
    assert missing.startswith("c.md: answer")
    assert wrong.startswith("d.md: ")
    assert "protocl" in wrong
    assert unreadable.startswith("e.md: ")


def test_a_readme_beside_briefs_is_no_brief(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(BRIEF.format(more=""), "utf-8")
    (tmp_path / "README.md").write_text("# Questions about a port\n", "utf-8")
    assert [question.id for question in read_data_set(tmp_path).questions] == ["a"]


# ---- hostile files ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("figures", ["9" * 400, "9" * 5000, "1e999", "inf", "NaN", "1/0"])
def test_a_number_that_no_machine_has_is_no_truth_and_no_answer(tmp_path: Path, figures: str) -> None:
    (tmp_path / "q.csv").write_text(f"input,truth,kind\nHow many?,{figures},number\n", "utf-8")
    [fault] = faults(tmp_path / "q.csv")
    assert fault.startswith("q.csv:2: ")
    assert len(fault) < 120
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
    [fault] = faults(tmp_path / "q.csv")
    assert fault.startswith("q.csv:2: ")


def test_outcomes_are_read_as_other_tables_write_them(tmp_path: Path) -> None:
    lines = [f"{n},Will it rain on day {n}?,probability,{word}\n" for n, word in enumerate(OUTCOMES)]
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n" + "".join(lines), "utf-8")
    assert [key.truth for key in read_data_set(tmp_path / "q.csv").keys] == ["1", "0"] * 4
    (tmp_path / "q.csv").write_text("id,input,kind,truth\n1,Will it?,probability,0.7\n", "utf-8")
    assert faults(tmp_path / "q.csv")[0].startswith("q.csv:2: ")
