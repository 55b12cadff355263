"""The house rules hold in every file. ``test_house_rules.py`` shows that each rule can fail."""

import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator

import pytest

from folkmoot.core import errors
from tests.house import documented, imports, purity, source, state
from tests.paths import ROOT

Check = Callable[[source.Source], Iterator[source.Breach]]
CHECKS: tuple[Check, ...] = (
    purity.check_purity,
    state.check_globals,
    state.check_tasks,
    documented.check_documented,
)


def refuse(breaches: Iterable[source.Breach]) -> None:
    """Fail with one line for each breach."""
    if lines := [str(breach) for breach in breaches]:
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_rule_holds_in_every_file(check: Check) -> None:
    refuse(breach for source_file in source.read_all() for breach in check(source_file))


def test_imports_go_down_the_floors() -> None:
    modules = frozenset(source_file.module for source_file in source.read_all() if source_file.module)
    refuse(breach for source_file in source.read_all() for breach in imports.check_floors(source_file, modules))


def test_no_import_circle() -> None:
    assert imports.find_circles(imports.arrows(source.read_all())) == []


PINNED = ("run.txt", "dev.txt", "docs.txt", "bench.txt")


def test_requirements_are_versions_and_hashes_alone() -> None:
    pins = {name: (ROOT / "requirements" / name).read_text("utf-8") for name in PINNED}
    lines = {name: text.replace("\\\n", " ").splitlines() for name, text in pins.items()}
    pin = re.compile(r"[a-z0-9-]+==\S+( ; [^#@]+?)?( +--hash=sha256:[0-9a-f]{64})+")
    assert [line for text in lines.values() for line in text if not pin.fullmatch(line)] == []
    # A package may be needed on more platforms for development; its version and its hashes are the same.
    bare = {name: {re.sub(r" ; [^#@]+?(?= +--hash)", "", line) for line in text} for name, text in lines.items()}
    run, dev, docs, bench = ({" ".join(line.split()) for line in bare[name]} for name in PINNED)
    assert run < dev
    # What the benchmarks compare with is measured beside the libraries of the tests.
    names = {line.partition("==")[0] for line in dev}
    assert {line for line in bench if line.partition("==")[0] in names} <= dev
    # The site is built in the environment of the tests.
    assert {line for line in docs if line.partition("==")[0] in names} <= dev
    assert {"aragora-debate", "langgraph", "openai"} <= {line.partition("==")[0] for line in bench}


def test_public_names_are_exactly_those_listed() -> None:
    import folkmoot

    listed: list[str] = list(vars(folkmoot)["__all__"])
    assert len(listed) == len(set(listed))
    assert [name for name in listed if not hasattr(folkmoot, name)] == []
    bound = [name for name, value in vars(folkmoot).items() if not isinstance(value, types.ModuleType)]
    assert [name for name in bound if not name.startswith("_") and name not in listed] == []


def test_exception_tree_in_the_docstring_is_that_of_the_classes() -> None:
    drawn: dict[str, str] = {}
    above: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match_ := re.match(r"([│├└─ ]*)([A-Z]\w+)  ", line):
            depth = len(match_[1]) // 4
            above[depth:] = [match_[2]]
            drawn[match_[2]] = above[depth - 1] if depth else "Exception"
    classes = {
        name: kind.__base__.__name__ if kind.__base__ else ""
        for name, kind in inspect.getmembers(errors, inspect.isclass)
        if kind.__module__ == errors.__name__
    }
    assert drawn == classes
