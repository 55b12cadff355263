"""Which files and tests a run of some tests takes."""

from collections.abc import Set
from pathlib import Path
from typing import Any, cast

import pytest

from tests.conftest import pytest_ignore_collect, pytest_itemcollected
from tests.kits.selection import REST
from tests.kits.thoroughness import with_many_cases
from tests.paths import ROOT

WORDS = {
    "alone": "@pytest.mark.alone\ndef test_it():\n    pass\n",
    "system": "@pytest.mark.system\ndef test_it():\n    pass\n",
    "peers": "pytestmark = [pytest.mark.peers]\n",
    "database": "def test_it(database: str):\n    pass\n",
    "stage": '@pytest.mark.usefixtures("stage")\ndef test_it():\n    pass\n',
    "many": "from tests.kits.thoroughness import some\n@cases(some([1, 2], 2))\ndef test_it():\n    pass\n",
    "plain": "def test_behind_the_back_stages():\n    pass\n",
}
"""Files with one test each, by what it needs."""


@pytest.mark.parametrize(
    ("selection", "read"),
    [
        ("alone", {"alone"}),
        (REST, {*WORDS} - {"plain"}),
        ("not alone", {*WORDS}),
        ("alone or system", {*WORDS}),
        ("", {*WORDS}),
    ],
)
def test_a_run_of_some_marks_reads_the_files_that_have_one(
    selection: str, read: Set[str], pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(pytestconfig.option, "markexpr", selection)
    for name, text in WORDS.items():
        path = tmp_path / f"test_{name}.py"
        path.write_text(text, "utf-8")
        assert pytest_ignore_collect(path, pytestconfig) is (None if name in read else True), name
    assert pytest_ignore_collect(ROOT / "tests/workers/test_workers.py", pytestconfig) is None
    assert pytest_ignore_collect(tmp_path, pytestconfig) is None


def test_the_rest_is_what_the_makefile_runs() -> None:
    assert f'-m "{REST}"' in (ROOT / "Makefile").read_text("utf-8")


def test_a_test_that_the_rest_would_not_find_is_refused(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    path = tmp_path / "test_hidden.py"
    path.write_text("def test_it():\n    pass\n", "utf-8")
    module = cast("Any", pytest.Module).from_parent(request.session, path=path)
    item: pytest.Item = cast("Any", pytest.Function).from_parent(module, name="test_it", callobj=lambda: None)
    pytest_itemcollected(item)
    item.add_marker("system")
    with pytest.raises(pytest.UsageError, match="would not be found"):
        pytest_itemcollected(item)


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
