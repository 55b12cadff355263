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
