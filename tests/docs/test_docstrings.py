"""The examples in the docstrings of the public Python names do what they show."""

import doctest
import inspect
import shutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from tests.paths import ROOT

PAGES = sorted((ROOT / "docs" / "reference" / "python").glob("*.md"))
MODULES = ("folkmoot", "folkmoot.arena", "folkmoot.board", "folkmoot.council", "folkmoot.pattern", "folkmoot.reading")


def examples(module: str) -> Iterator[doctest.DocTest]:
    """The examples of a module and of all that it lists."""
    home = import_module(module)
    finder = doctest.DocTestFinder(exclude_empty=True)
    yield from finder.find(home, module, module=False)
    for name in home.__all__:
        thing = getattr(home, name)
        if inspect.isclass(thing) or inspect.isroutine(thing):
            within = import_module(thing.__module__)
            yield from finder.find(thing, f"{module}.{name}", module=False, globs=dict(vars(within)))


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_do_what_they_show(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    doctests = {test.name: test for test in examples(module) if test.examples}
    assert doctests, "a package shows how it is used"
    for test in doctests.values():
        output: list[str] = []
        failed = doctest.DocTestRunner(verbose=False).run(test, out=output.append).failed
        assert not failed, "".join(output)


def test_a_docstring_that_is_wrong_is_found() -> None:
    wrong = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(wrong, out=lambda text: None).failed == 1


def test_every_package_with_a_list_of_names_has_a_page() -> None:
    assert {*MODULES} <= {path.read_text("utf-8").partition("\n")[0].removeprefix("# ") for path in PAGES}
