"""Questions with known answers: questions and keys are parted, and each faulty line is one error with its number."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from folkmoot.app.questions.data_sets import DataSet, FaultyData, Key, Question, read_data_set

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
    ("change", "fault"),
    [
        ({"truth": None}, "truth is missing"),
        ({"input": " "}, "input is missing"),
        ({"input": ["x"]}, "input is not a text"),
        (
            {"answr": "x"},
            "unknown field 'answr'; there are id, input, truth, kind, options, accepted, tolerance, documents, group "
            "and tags",
        ),
        ({"truht": "x"}, "unknown field 'truht'; did you mean 'truth'?"),
        ({"truth": "milk"}, "the truth 'milk' is none of the options: tea and coffee"),
        ({"options": "tea"}, "options is not a list"),
        ({"options": None, "kind": "option"}, "a question of the kind option needs options to choose from"),
        ({"kind": "rubik"}, "unknown kind 'rubik'; there are option, number, probability, text"),
        ({"kind": "number"}, "truth is not a number: 'tea'"),
        ({"kind": "number", "truth": "inf"}, "truth is not a number: 'inf'"),
        ({"truth": float("nan")}, "truth is not a number: nan"),
        ({"options": ["tea", "Tea "]}, "two options are the same: 'tea' and 'Tea'"),
        ({"options": ["tea"]}, "there must be 2 to 20 options, not 1"),
        ({"accepted": ["Tea"]}, "several accepted answers are for the kind text, not option"),
        ({"tolerance": "much"}, "tolerance must be a number from 0 on, such as 0.5 or 2%, not 'much'"),
        ({"documents": "a.md"}, "documents is not a list"),
        ({"documents": ["a.md"]}, "there is no file 'a.md' beside the brief"),
        ({"kind": "probability"}, "the truth of a probability is 0 or 1 (no or yes), not 'tea'"),
        ({"tolerance": -1}, "tolerance must be a number from 0 on, such as 0.5 or 2%, not '-1'"),
        ({"options": ["tea", None]}, "an option is empty"),
        ({"options": ["tea", ["x"]]}, "options is not a text"),
        ({"target": "tea"}, "target and truth are one field"),
        ({"documents": [{"name": "a.md"}]}, "documents is not a text"),
    ],
)
def test_what_is_wrong_with_a_line_is_said(change: dict[str, object], fault: str, tmp_path: Path) -> None:
    assert faults(write(tmp_path, {**GOOD, **change})) == (f"set.jsonl:1: {fault}",)


def test_each_faulty_line_is_one_error(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD, "{", "", "[1]", {**GOOD, "input": "Else?"}, {**GOOD, "id": "b"})
    assert faults(path) == (
        "set.jsonl:2: this is not JSON",
        "set.jsonl:4: this is not a JSON object",
        "set.jsonl:5: line 1 already has this id",
        "set.jsonl:6: line 1 already has this input",
    )
    assert faults(write(tmp_path, "input,truth,input", "a,b,c", name="set.csv")) == (
        "set.csv: the column 'input' stands twice",
    )
    assert faults(write(tmp_path, "input,truth", "a,b", "a,b,c", name="set.csv")) == (
        "set.csv:3: there are more values than column names",
    )


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
