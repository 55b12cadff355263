"""The page on testing names the seams between the product and a simulated world: each of them is there."""

import importlib
import inspect
import re

import pytest

from tests.paths import ROOT

PAGE = (ROOT / "docs/design/testing.md").read_text("utf-8")
SECTION = PAGE.partition("## The seams\n")[2].partition("\n## ")[0]
NAMES = sorted(set(re.findall(r"`((?:folkmoot|tests)\.[\w.]+)(?:\((\w+)\))?`", SECTION)))
SEAMS = ("clock", "random", "tasks", "store", "wire", "process")


def find(dotted: str) -> object:
    """What a dotted name stands for."""
    parts = dotted.split(".")
    for size in range(len(parts) - 1, 0, -1):
        try:
            what: object = importlib.import_module(".".join(parts[:size]))
        except ModuleNotFoundError:
            continue
        for part in parts[size:]:
            what = getattr(what, part)
        return what
    raise ModuleNotFoundError(dotted)


@pytest.mark.parametrize(("name", "argument"), NAMES)
def test_what_the_page_names_is_there(name: str, argument: str) -> None:
    what = find(name)
    if argument:
        assert callable(what)
        assert argument in inspect.signature(what).parameters


def test_each_seam_has_a_port_of_the_product_and_what_stands_in_for_it() -> None:
    lines = [line for line in SECTION.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert tuple(row[0] for row in rows[2:]) == SEAMS
    for seam, product, world in rows[2:]:
        assert seam == "tasks" or "`folkmoot." in product, "only the event loop is none of Folkmoot's own"
        assert "tests.simulator" not in product
        assert "`tests.simulator." in world or "seed" in world
