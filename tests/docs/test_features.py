"""The page of features: what it names is there, and what it says of a setting is what Folkmoot reads."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from folkmoot.app.brief.types import HEADER, LIMITS, PARTICIPANT, Key, find_key
from folkmoot.app.brief.values import read_key
from folkmoot.app.brief.yaml_header import Items, Node, Scalar, Table, load, split
from folkmoot.protocols.known import FORMATS as FORMAT_NAMES
from tests.cli.commands import QUOTES, folkmoot
from tests.kits.tables import each_row
from tests.paths import ROOT

PAGE = ROOT / "docs" / "features.md"
SEED = ROOT.parent / "shared" / "seeds" / "autonomous-debate-spec.md"
KEYS = (*HEADER, *LIMITS, *PARTICIPANT)
CODE = re.compile(r"`([^`]+)`")
SETTING = re.compile(r"([a-z_]+)(?:: (.+))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of the page."""

    line: int
    name: str
    folkmoot: str
    example: str
    test: str

    @property
    def brief(self) -> str:
        """The file of the example; "" where the row says why there is none."""
        match_ = re.fullmatch(r"\[([^]]+)\]\(\.\./examples/\1\)", self.example)
        return match_[1] if match_ else ""

    @property
    def settings(self) -> list[tuple[Key, str]]:
        """The settings that the row names, each with its value as it is written; "" where it names only the key."""
        spans = [SETTING.fullmatch(span) for span in CODE.findall(self.folkmoot)]
        named = [(find_key(KEYS, span[1]), span[2] or "") for span in spans if span]
        return [(key, value) for key, value in named if key]


def rows() -> Iterator[Row]:
    """All rows of the page's tables."""
    for n, line in enumerate(PAGE.read_text("utf-8").splitlines(), start=1):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("|") and cells[0] not in ("Feature", "---"):
            assert len(cells) == 4, line
            yield Row(line=n, name=cells[0], folkmoot=cells[1], example=cells[2], test=cells[3])


ROWS = list(rows())


@cache
def written(brief: str) -> tuple[tuple[Key, Node], ...]:
    """Every setting that stands in an example, with its value."""
    parts = split((ROOT / "examples" / brief).read_text("utf-8"))
    header = list(pairs(load(parts.header, line=1))) if parts.header else []
    lines = re.findall(r"^[a-z_]+: .+$", parts.body, re.MULTILINE)
    own = [pair for line in lines for pair in pairs(load(line, line=1))]
    return tuple((key, node) for word, node in (*header, *own) if (key := find_key(KEYS, word)))


def pairs(node: Node) -> Iterator[tuple[str, Node]]:
    """The keys of a table with their values, and those of the tables within."""
    match node:
        case Table(pairs=results):
            for word, value in results:
                yield word.text, value
                yield from pairs(value)
        case Items(items=items):
            for scalar in items:
                yield from pairs(scalar)
        case Scalar():
            return


def meant(key: Key, node: Node) -> set[object]:
    """The things that a value names."""
    values = read_key(key, node, KEYS)
    if key.name not in values:
        return {(name, located_value.value) for name, located_value in values.items()}
    value = values[key.name].value
    return set(value) if isinstance(value, tuple) else {value}


def test_the_page_has_a_row_for_every_name_of_the_specification() -> None:
    if not SEED.exists():
        pytest.skip("the specification does not lie beside this checkout")
    page = " ".join(row.name + row.folkmoot for row in ROWS)
    matches = set(CODE.findall("\n".join(re.findall(r"^\|.*$", SEED.read_text("utf-8"), re.MULTILINE))))
    assert len(matches) > 60
    assert {name for name in matches if f"`{name}`" not in page and f": {name}`" not in page} == {"false"}


@each_row(ROWS)
def test_a_row_names_a_brief_or_says_why_there_is_none(row: Row) -> None:
    if row.brief:
        assert (ROOT / "examples" / row.brief).is_file()
    else:
        assert row.example.startswith("needs ")


def is_a_test(cell: str) -> bool:
    """Whether a cell names a test that is there."""
    match_ = re.fullmatch(r"`([\w/]+\.py)::(test_\w+)`", cell)
    if match_ is None:
        return False
    code = (ROOT / "tests" / match_[1]).read_text("utf-8")
    return re.search(rf"^(?:async )?def {match_[2]}\(", code, re.MULTILINE) is not None


def test_the_page_of_interfaces_names_tests_that_are_there() -> None:
    page = (ROOT / "docs" / "design" / "interfaces.md").read_text("utf-8")
    cells = re.findall(r"^\| .* \| (.*) \|$", page, re.MULTILINE)
    named = [cell for cell in cells if cell not in ("Test", "---")]
    assert len(named) >= 25
    assert [cell for cell in named if not is_a_test(cell)] == []


@each_row(ROWS)
def test_a_row_names_a_test_that_is_there(row: Row) -> None:
    assert is_a_test(row.test)


@each_row(ROWS)
def test_a_setting_is_read_and_stands_in_the_brief(row: Row) -> None:
    for key, value in row.settings:
        wanted = meant(key, next(pairs(load(f"{key.name}: {value}", line=1)))[1]) if value else set[object]()
        if row.brief:
            there = [meant(key, node) for header_key, node in written(row.brief) if header_key == key]
            assert any(wanted <= values for values in there), f"{row.brief} has no {key.name}: {value}"


def test_most_rows_name_a_setting() -> None:
    assert sum(bool(row.settings) for row in ROWS) > 80


# ---- how many questions ---------------------------------------------------------------------------------------------

FORMATS = ROOT / "docs" / "how-to" / "run-a-debate-format.md"


def formulas() -> Iterator[tuple[str, tuple[str, str]]]:
    """Each format with the least and the most questions, as the page gives them."""
    for line in FORMATS.read_text("utf-8").splitlines():
        if match_ := re.fullmatch(r"\| `(\w+)` \| .* \| (.*E.*) \| (?:3|1, always) \|", line):
            least, _, most = match_[2].partition(" to ")
            yield match_[1], (least, most or least)


def count(formula: str, **values: int) -> int:
    """What a formula comes to: products are written without a sign, N² is N times N."""
    text = formula.replace("−", "-").replace("²", "**2 ")
    text = re.sub(r"(?<=[\dNRE)])\s*(?=[NRE(])", "*", text)
    assert re.fullmatch(r"[NRE0-9+*() -]+", text)
    return eval(text, {}, values)  # noqa: S307 - only these signs


@pytest.mark.parametrize(("name", "bounds"), list(formulas()))
@pytest.mark.parametrize(("people", "rounds"), [(4, 2), (5, 3), (3, 1)])
def test_the_page_of_formats_counts_as_the_estimate(
    name: str, bounds: tuple[str, str], people: int, rounds: int, tmp_path: Path
) -> None:
    sections = "".join(f"## P{n}\nrole: Speaker {n}\n\nYou are number {n}.\n\n" for n in range(people))
    text = f"---\ndebate_format: {name}\nmax_rounds: {rounds}\n---\n# Q?\n\n{sections}## Mediator\nrole: Chair\n"
    (tmp_path / "brief.md").write_text(text, "utf-8")
    ran = folkmoot(tmp_path, "check", "brief.md", *QUOTES, "--json")
    asks = json.loads(ran.stdout)["asks"]
    assert asks == dict(
        zip(("least", "most"), (count(bound, N=people, R=rounds, E=1) for bound in bounds), strict=True)
    )


def test_all_formats_are_counted() -> None:
    assert {name for name, _ in formulas()} == set(FORMAT_NAMES)
