"""The files from which questions are read: tables, briefs, Parquet, logs of Inspect, folders of Hugging Face."""

import io
import json
import math
import struct
import sys
import zipfile
import zlib
from datetime import date
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.app.questions.data_sets import FaultyData, Key, to_store
from folkmoot.app.questions.quantities import read_quantity
from folkmoot.app.questions.question_files import read_data_set
from folkmoot.core.brief import Source
from tests.cli.commands import folkmoot

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
            "log.json: sample 1: 2 of the choices are right; folkmoot eval takes one",
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


# ---- Parquet ---------------------------------------------------------------------------------------------------------


def test_parquet_without_its_package_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "set.parquet").write_bytes(b"PAR1")
    (fault,) = faults(tmp_path / "set.parquet")
    assert "set.parquet" in fault
    assert 'pip install "pyarrow' in fault


WITH_PARQUET = pytest.mark.skipif(find_spec("pyarrow") is None, reason="pyarrow is not installed: folkmoot[parquet]")


def parquet(path: Path, columns: dict[str, list[object]]) -> Path:
    """Write a real file."""
    arrow, files = import_module("pyarrow"), import_module("pyarrow.parquet")
    files.write_table(arrow.table(columns), path)
    return path


@WITH_PARQUET
def test_parquet_has_lists_numbers_dates_and_missing_values(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {
        "id": [1, 2, 3],
        "input": ["Tea or coffee?", "How much?", "Früh oder spät?"],
        "choices": [["tea", "coffee"], None, ["früh", "spät"]],
        "target": ["tea", "18.5", "früh"],
        "tolerance": [math.nan, 0.5, math.nan],
        "known_since": [date(2026, 1, 2), None, None],
        "documents": [[{"name": "card.md", "text": "Tea is cheap."}], None, None],
    }
    data = read_data_set(parquet(tmp_path / "set.parquet", columns))
    assert [(item.id, item.kind, item.options) for item in data.questions] == [
        ("1", "option", ("tea", "coffee")),
        ("2", "number", ()),
        ("3", "option", ("früh", "spät")),
    ]
    assert [(key.truth, key.tolerance) for key in data.keys] == [("tea", 0.0), ("18.5", 0.5), ("früh", 0.0)]
    assert data.questions[0].known_since == "2026-01-02"
    assert data.questions[0].documents == (Source(name="card.md", text="Tea is cheap."),)


@WITH_PARQUET
def test_what_is_wrong_with_parquet_is_said(tmp_path: Path) -> None:
    columns: dict[str, list[object]] = {"input": ["Why?", None, "How?"], "truth": ["so", "so", None]}
    assert faults(parquet(tmp_path / "set.parquet", columns)) == (
        "set.parquet:2: input is missing",
        "set.parquet:3: truth is missing",
    )
    (tmp_path / "set.parquet").write_bytes(b"PAR1 nothing PAR1")
    assert faults(tmp_path / "set.parquet")[0].startswith("set.parquet cannot be read: ")
    arrow, files = import_module("pyarrow"), import_module("pyarrow.parquet")
    twice = arrow.table([["a"], ["b"]], names=["input", "input"])
    files.write_table(twice, tmp_path / "set.parquet")
    assert faults(tmp_path / "set.parquet") == ("set.parquet: the column 'input' stands twice",)
    assert faults(parquet(tmp_path / "set.parquet", {"input": [], "truth": []})) == ("set.parquet has no questions",)


# ---- Hugging Face ----------------------------------------------------------------------------------------------------

LINE = '{"input": "Tea or coffee?", "options": ["tea", "coffee"], "truth": "tea"}\n'


def card(folder: Path, configs: str) -> None:
    (folder / "README.md").write_text(f"---\nlicense: mit\n{configs}---\n\n# Some questions\n", "utf-8")


@pytest.mark.parametrize(
    ("configs", "files"),
    [
        ("configs:\n- config_name: default\n  data_files: data/a.jsonl\n", ("data/a.jsonl",)),
        ("configs:\n- config_name: default\n  data_files: ['data/*.jsonl']\n", ("data/a.jsonl", "data/b.jsonl")),
        (
            "configs:\n- config_name: de\n  data_files:\n  - split: train\n    path: x.jsonl\n"
            "  - split: test\n    path: [a.jsonl]\n",
            ("a.jsonl",),
        ),
        (
            "configs:\n- config_name: a\n  data_files: x.jsonl\n- config_name: b\n  data_files: a.jsonl\n"
            "  default: true\n",
            ("a.jsonl",),
        ),
        ("configs:\n- config_name: a\n  data_files:\n  - split: dev\n    path: a.jsonl\n", ("a.jsonl",)),
        ("", ("test-00000-of-00001.jsonl",)),
        (None, ("any.jsonl",)),
    ],
)
def test_a_folder_of_hugging_face_is_read_by_its_card(
    tmp_path: Path, configs: str | None, files: tuple[str, ...]
) -> None:
    if configs is not None:
        card(tmp_path, configs)
    for number, name in enumerate(files):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(LINE.replace("Tea", f"Tea {number}"), "utf-8")
    if configs == "":
        (tmp_path / "train.jsonl").write_text("no JSON", "utf-8")
    data = read_data_set(tmp_path)
    assert [question.input for question in data.questions] == [f"Tea {n} or coffee?" for n in range(len(files))]


@pytest.mark.parametrize(
    ("configs", "fault"),
    [
        ("configs:\n- data_files: ../secret.jsonl\n", "README.md: '../secret.jsonl' is no file of this folder"),
        ("configs:\n- data_files: hf://a/b.jsonl\n", "README.md: 'hf://a/b.jsonl' is no file of this folder"),
        ("configs:\n- data_files: /etc/passwd\n", "README.md: '/etc/passwd' is no file of this folder"),
        ("configs:\n- data_files: a.jsonl\n", "README.md: the folder has no file 'a.jsonl'"),
        ("configs:\n- config_name: a\n", "README.md names no data files"),
        (
            "configs:\n- config_name: a\n  data_files: x\n- config_name: b\n  data_files: x\n",
            "set has several data sets, a and b: name the file of one",
        ),
    ],
)
def test_what_is_wrong_with_a_card_is_said(tmp_path: Path, configs: str, fault: str) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    card(folder, configs)
    assert faults(folder) == (fault,)


def test_a_card_that_is_no_yaml_is_said(tmp_path: Path) -> None:
    card(tmp_path, "configs: [\n")
    assert faults(tmp_path)[0].startswith("README.md cannot be read: ")


def test_questions_of_an_evaluation_are_read_back_with_their_keys(tmp_path: Path) -> None:
    """What `folkmoot eval export --format huggingface` writes, and what a run leaves, is a data set again."""
    (tmp_path / "map.txt").write_text("The port is in the north.", "utf-8")
    (tmp_path / "set.csv").write_text(
        "id,input,truth,accepted,documents,kind,tolerance,options,group,tags\n"
        "a,Where?,port,harbour|the docks,map.txt,,,,g,x|y\nb,How many?,14,,,number,2%,,,\nc,Which?,no,,,,,yes|no,,\n"
        "d,How far?,9,,,number,0.25,,,\n",
        "utf-8",
    )
    data = read_data_set(tmp_path / "set.csv")
    stored = to_store(data, tmp_path / "run")
    assert not stored.keys.exists()
    stored.keep()
    again = read_data_set(tmp_path / "run")
    assert again == data
    assert to_store(again, tmp_path / "again").keys_hash == stored.keys_hash
    card(
        tmp_path / "run",
        "configs:\n- config_name: questions\n  data_files: questions.jsonl\n"
        "- config_name: keys\n  data_files: keys.jsonl\n- config_name: scores\n  data_files: scores.jsonl\n",
    )
    assert read_data_set(tmp_path / "run") == data
    lines = stored.keys.read_text("utf-8").splitlines(keepends=True)
    stored.keys.write_text("".join([*lines[:2], "{\n", *lines[3:]]), "utf-8")
    assert faults(tmp_path / "run") == ("keys.jsonl:3: this is not JSON", "questions.jsonl:3: truth is missing")


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


# ---- logs that Inspect has compressed --------------------------------------------------------------------------------

needs_zstandard = pytest.mark.skipif(find_spec("zstandard") is None, reason="zstandard is a development requirement")


def zstandard_log(folder: Path, *, spoil: bool = False) -> Path:
    """A log with one sample whose file is compressed as Inspect does it: in several frames of Zstandard."""
    library = import_module("zstandard")
    sample = json.dumps({"id": "s1", "epoch": 1, "input": "How many?", "target": "5"}).encode()
    frames = b"".join(library.ZstdCompressor().compress(part) for part in (sample[:20], sample[20:]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("samples/s1_epoch_1.json", frames)
    data = bytearray(buffer.getvalue())
    central = data.index(b"PK\x01\x02")
    crc = zlib.crc32(sample) ^ spoil
    for start, method in ((0, 8), (central, 10)):
        struct.pack_into("<H", data, start + method, 93)
        struct.pack_into("<I", data, start + method + 6, crc)
        struct.pack_into("<I", data, start + method + 14, len(sample))
    path = folder / "log.eval"
    path.write_bytes(bytes(data))
    return path


@needs_zstandard
def test_logs_that_inspect_has_compressed_are_read(tmp_path: Path) -> None:
    zstandard_log(tmp_path)
    shown = folkmoot(tmp_path, "eval", "check", "log.eval")
    assert (shown.exit_code, shown.output) == (0, "1 question in 1 group\n  number: 1\n")


@needs_zstandard
@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python reads it itself")
def test_a_spoiled_or_unreadable_log_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zstandard_log(tmp_path, spoil=True)
    spoiled = folkmoot(tmp_path, "eval", "check", "log.eval")
    assert (spoiled.exit_code, spoiled.output) == (
        2,
        "folkmoot: samples/s1_epoch_1.json cannot be read: it is spoiled\n",
    )
    data = bytearray(zstandard_log(tmp_path).read_bytes())
    at = data.index(b"\x28\xb5\x2f\xfd")
    data[at : at + 8] = b"\xff" * 8
    (tmp_path / "log.eval").write_bytes(bytes(data))
    assert "samples/s1_epoch_1.json cannot be read: " in folkmoot(tmp_path, "eval", "check", "log.eval").output
    monkeypatch.setitem(sys.modules, "zstandard", None)
    missing = folkmoot(tmp_path, "eval", "check", "log.eval")
    assert missing.exit_code == 2
    assert "pip install zstandard" in missing.output
