"""The files from which questions are read: tables, briefs, Parquet, and logs of Inspect."""

import importlib.util
import json
import zipfile
from pathlib import Path

import pytest

from moot.app.evaluation.data_sets import FaultyData, Key
from moot.app.evaluation.question_files import read_data_set

BRIEF = "---\nanswer: port\ngroup: map\n{more}---\n# Where is it?\n\nIt lies near the port.\n"
SAMPLES: list[dict[str, object]] = [
    {"id": 1, "epoch": 1, "input": "Is it near?", "choices": ["yes", "no"], "target": "B", "metadata": {"group": "g"}},
    {"id": 1, "epoch": 2, "input": "Is it near?", "choices": ["yes", "no"], "target": "B"},
    {
        "id": "two",
        "input": [
            {"role": "system", "content": "Answer."},
            {"role": "user", "content": [{"type": "text", "text": "How many?"}]},
        ],
        "target": ["14", "fourteen"],
        "metadata": None,
    },
]


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


def test_logs_of_inspect(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps({"version": 2, "samples": SAMPLES}), "utf-8")
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", "{}")
        for n, sample in enumerate(SAMPLES):
            archive.writestr(f"samples/{n}.json", json.dumps(sample))
    data = read_data_set(tmp_path / "log.json")
    assert read_data_set(tmp_path / "log.eval") == data
    assert [(question.id, question.input, question.options, question.group) for question in data.questions] == [
        ("1", "Is it near?", ("yes", "no"), "g"),
        ("two", "How many?", (), ""),
    ]
    assert data.keys == (Key(id="1", truth="no"), Key(id="two", truth="14", accepted=("fourteen",)))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("{", "log.json is not JSON"),
        ("[]", "log.json is not a log of Inspect: it has no samples"),
        (
            json.dumps({"samples": [{"id": 1, "input": "?", "choices": ["a", "b"], "target": ["A", "B"]}]}),
            "log.json: sample 1: 2 of the choices are right; moot eval takes one",
        ),
        (
            json.dumps({"samples": [{"id": 1, "input": "?", "choices": ["a", "b"], "target": "D"}]}),
            "log.json: sample 1: the truth 'D' is none of the options",
        ),
        (json.dumps({"samples": []}), "log.json has no questions"),
    ],
)
def test_what_is_wrong_with_a_log_is_said(tmp_path: Path, content: str, fault: str) -> None:
    (tmp_path / "log.json").write_text(content, "utf-8")
    assert faults(tmp_path / "log.json") == (fault,)
    (tmp_path / "log.eval").write_text("no archive", "utf-8")
    assert faults(tmp_path / "log.eval") == ("log.eval cannot be read: File is not a zip file",)


@pytest.mark.skipif(importlib.util.find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_needs_its_package(tmp_path: Path) -> None:
    (tmp_path / "set.parquet").write_bytes(b"PAR1")
    assert faults(tmp_path / "set.parquet") == (
        "set.parquet: Parquet files need the package pyarrow: pip install pyarrow",
    )
