"""Which files and tests a run of some tests takes."""

from pathlib import Path

import pytest

from tests.conftest import pytest_ignore_collect
from tests.kits.thoroughness import with_many_cases
from tests.paths import ROOT


@pytest.mark.parametrize(
    ("selection", "marks", "ignored"),
    [
        ("alone", ("alone",), True),
        ("not alone", (), None),
        ("alone or system", (), None),
        ("", (), None),
    ],
)
def test_a_run_of_some_marks_reads_the_files_that_have_one(  # house: wide because pytest gives fixtures so
    selection: str,
    marks: tuple[str, ...],
    ignored: bool | None,
    pytestconfig: pytest.Config,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(pytestconfig.option, "markexpr", selection)
    plain, marked = tmp_path / "test_plain.py", tmp_path / "test_marked.py"
    plain.write_text("def test_it():\n    pass\n", "utf-8")
    assert pytest_ignore_collect(plain, pytestconfig) is ignored
    for mark in marks:
        marked.write_text(f"@pytest.mark.{mark}\ndef test_it():\n    pass\n", "utf-8")
        assert pytest_ignore_collect(marked, pytestconfig) is None
    assert pytest_ignore_collect(ROOT / "tests/workers/test_workers.py", pytestconfig) is None
    assert pytest_ignore_collect(ROOT / "tests/record/test_postgres.py", pytestconfig) is (
        True if marks == ("alone",) else None
    )
    assert pytest_ignore_collect(tmp_path, pytestconfig) is None


def test_a_test_has_many_cases_by_what_it_uses(tmp_path: Path) -> None:
    path = tmp_path / "test_cases.py"
    path.write_text(
        "from tests.kits.thoroughness import MORE, some\n"
        "NUMBER = 9 if MORE else 3\n"
        "def numbers():\n    return range(NUMBER)\n"
        "def test_by_a_helper():\n    assert numbers()\n"
        "@mark(some([1, 2], 2))\ndef test_by_its_cases():\n    pass\n"
        "def test_of_one_case():\n    more = some_thing = 1\n",
        "utf-8",
    )
    assert with_many_cases(path) == {"MORE", "some", "NUMBER", "numbers", "test_by_a_helper", "test_by_its_cases"}
    path = tmp_path / "test_other.py"
    path.write_text(
        "from tests.kits.waiting import until\ndef test_it():\n    some = MORE = 1\n    return some\n", "utf-8"
    )
    assert not with_many_cases(path)
