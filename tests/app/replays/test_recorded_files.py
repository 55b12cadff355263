"""Recorded data that are not as they should be: each fault is one sentence with the file, and where known the line."""

import math
from pathlib import Path
from statistics import StatisticsError

import pytest

from folkmoot.app.replays.recorded_files import fault_of, read_json_lines, read_reference, read_rows, reading
from folkmoot.core.errors import FolkmootError


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a,b\n1,2\n3\n", "t.csv, line 3: there are fewer cells than heads"),
        ("a,b\n1,2,3\n", "t.csv, line 2: there are more cells than heads"),
        ("a,b\n1,2\n", "t.csv has no column 'c'"),
        ('a,b\n"1\x00,2\n', "t.csv"),
        ("a,b\n1,\udcff\n", "t.csv is not UTF-8"),
    ],
)
def test_a_table_that_is_not_whole_names_its_line(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "t.csv").write_bytes(text.encode("utf-8", "surrogateescape"))

    def cells() -> list[str]:
        with reading(tmp_path, "forecasts"):
            return [row["c"] for row in read_rows(tmp_path / "t.csv")]

    with pytest.raises(FolkmootError) as error:
        cells()
    assert f"cannot be read as forecasts: {problem}" in str(error.value)


def test_lines_that_are_not_json_and_references_in_other_encodings(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl").write_text('{"a": 1}\n\n{"a":\n', "utf-8")
    with pytest.raises(ValueError, match=r"e\.jsonl, line 3: this is not JSON"):
        read_json_lines(tmp_path / "e.jsonl")
    (tmp_path / "e.jsonl").write_text("[" * 100_000, "utf-8")
    with pytest.raises(ValueError, match=r"e\.jsonl, line 1: this is not JSON"):
        read_json_lines(tmp_path / "e.jsonl")
    (tmp_path / "reference.txt").write_bytes(b"\xff\xfe0")
    with pytest.raises(ValueError, match=r"reference\.txt is not UTF-8"):
        read_reference(tmp_path)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ZeroDivisionError("division by zero"), "it has too few rows, or values that cannot be counted"),
        (StatisticsError("mean requires at least one data point"), "it has too few rows"),
        (IndexError(), "cannot be counted (IndexError)"),
        (TypeError("float() argument must be a number, not 'NoneType'"), "a value is missing or of another kind"),
        (KeyError("x"), "it has no 'x'"),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, "bad"), "a file is not UTF-8"),
        (ValueError("could not convert string to float: 'x'"), "could not convert string to float: 'x'"),
        (RuntimeError("no"), "RuntimeError: no"),
        (ValueError(), "ValueError: "),
    ],
)
def test_every_fault_has_words(error: Exception, words: str) -> None:
    assert words in fault_of(error)


def test_a_whole_table_is_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('\ufeffa,b\n1,"x\ny"\n', "utf-8")
    [row] = read_rows(tmp_path / "t.csv")
    assert (dict(row), math.isclose(float(row["a"]), 1)) == ({"a": "1", "b": "x\ny"}, True)
