"""The scripts behind `make test` and `make docs`: what they print and when they fail."""

import ast
import json
from pathlib import Path
from typing import Any

import click
import pytest
from slipcover import Slipcover  # pyright: ignore[reportMissingTypeStubs]
from slipcover.branch import preinstrument  # pyright: ignore[reportMissingTypeStubs]

import coverage_floors
import doc_performance
import doc_phases
import doc_protocols
import generate_docs
from folkmoot.protocols import spec


def measured(ran: int, of: int, lines: list[int], branches: list[tuple[int, int]]) -> dict[str, object]:
    missing = [*lines, *range(1001, 1001 + of - ran - len(lines))]
    return {"executed_lines": [*range(1, ran + 1)], "missing_lines": missing, "missing_branches": branches}


@pytest.mark.parametrize(
    ("files", "good", "row"),
    [
        ({"src/folkmoot/core/a.py": measured(10, 10, [], [])}, True, "core         100.0 %   100 %"),
        ({"src/folkmoot/core/a.py": measured(9, 10, [3], [])}, False, "    src/folkmoot/core/a.py: 3"),
        (
            {"src/folkmoot/core/a.py": measured(9, 10, [3], [(2, 3), (3, 4), (5, 0)])},
            False,
            "    src/folkmoot/core/a.py: 3, 5->exit",
        ),
        ({"src/folkmoot/core/a.py": measured(9999, 10000, [3], [])}, False, "core          99.9 %   100 %   too low"),
        ({"src/folkmoot/cli/a.py": measured(9, 10, [3], [])}, True, "cli           90.0 %    90 %"),
        ({"src/folkmoot/cli/a.py": measured(89, 100, [3], [])}, False, "cli           89.0 %    90 %   too low"),
        ({"src/folkmoot/council.py": measured(0, 0, [], [])}, True, "council      100.0 %    90 %"),
        ({}, False, "part        coverage   floor"),
    ],
)
def test_coverage_floors(files: dict[str, object], good: bool, row: str) -> None:
    lines, passed = coverage_floors.judge(coverage_floors.Report.model_validate({"files": files}))
    assert (row in lines, passed) == (True, good), lines


def test_a_part_without_its_package_has_no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    report = coverage_floors.Report.model_validate({"files": {"src/folkmoot/inspect.py": measured(1, 10, [3], [])}})
    monkeypatch.setattr(coverage_floors, "NEEDS", {"inspect": "pytest"})
    assert coverage_floors.judge(report)[1] is False
    monkeypatch.setattr(coverage_floors, "NEEDS", {"inspect": "a_package_that_is_nowhere"})
    lines, passed = coverage_floors.judge(report)
    assert (passed, lines[-1]) == (
        True,
        "inspect          -     needs a_package_that_is_nowhere, which is not installed",
    )


def test_coverage_floors_puts_processes_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "def sign(number: int) -> str:\n    if number < 0:\n        return '-'\n    return '+'\n"
    source = tmp_path / "src" / "folkmoot"
    names = {"core/measured_here.py": code, "core/nobody_imports_this.py": "A = 1\nB = 2\n"}
    for name, text in names.items():
        source.joinpath(name).parent.mkdir(parents=True, exist_ok=True)
        source.joinpath(name).write_text(text)
    measured = tmp_path / "coverage"
    measured.mkdir()
    for number in (-1, 1):  # each process takes one of the two branches
        slipcover = Slipcover(branch=True)
        code_file = str(source / "core" / "measured_here.py")
        program = slipcover.instrument(compile(preinstrument(ast.parse(code)), code_file, "exec"))
        names_of_module: dict[str, Any] = {}
        exec(program, names_of_module)
        names_of_module["sign"](number)
        measured.joinpath(f"{number}.json").write_text(json.dumps(slipcover.get_coverage()))
    monkeypatch.setattr(coverage_floors, "ROOT", tmp_path)
    monkeypatch.setattr(coverage_floors, "SOURCE", source)
    assert coverage_floors.main([str(measured)]) == 1
    assert capsys.readouterr().out.splitlines()[1:] == [
        "core          75.0 %   100 %   too low",
        "    src/folkmoot/core/nobody_imports_this.py: 1, 2",
    ]
    source.joinpath("core/nobody_imports_this.py").unlink()
    assert coverage_floors.main([str(measured)]) == 0


def test_coverage_floors_without_a_measurement(tmp_path: Path) -> None:
    assert coverage_floors.main([str(tmp_path)]) == 1


def test_pages_are_written_and_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = {"events.md": generate_docs.events_page, "brief-keys.md": generate_docs.keys_page}
    monkeypatch.setattr(generate_docs, "PAGES", pages)  # `make check` makes them all
    monkeypatch.setattr(generate_docs, "ROOT", tmp_path)
    monkeypatch.setattr(generate_docs, "FOLDER", tmp_path / "docs")
    monkeypatch.setattr(generate_docs, "PHASES", tmp_path / "phases")
    (tmp_path / "phases").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text("# Docs\n\n## How to\n\n- [Run](run.md)\n", "utf-8")
    page = tmp_path / "phases" / "2.md"
    page.write_text("Words.\n\n<!-- diagram: rounds -->\nold\n<!-- end of diagram -->\n\nMore.\n", "utf-8")
    assert generate_docs.main(["--check"]) == 1
    assert generate_docs.main([]) == 0
    assert generate_docs.main(["--check"]) == 0
    written = page.read_text("utf-8")
    assert written == f"Words.\n\n{doc_phases.block('rounds')}\n\nMore.\n"
    page.write_text(written.replace("at most 2", "at most 9"), "utf-8")
    (tmp_path / "docs" / "events.md").write_text("old", "utf-8")
    assert generate_docs.main(["--check"]) == 1
    assert capsys.readouterr().err.endswith("Not what the code says: docs/events.md, phases/2.md. Run make docs.\n")


def test_events_page_says_kinds_fields_and_meanings() -> None:
    text = generate_docs.events_page()
    assert "### Attempted\n\nA model call inside an ask is about to be sent." in text
    assert "| `n` | `int` |  | which try of that call, from 1. |" in text
    assert "``line`` (one formula line, such as ``I vote for: X``), ``sections`` (``LABEL: text`` lines)" in text


def test_phase_trees_are_drawn() -> None:
    tree: dict[str, spec.Data] = {
        "is": "Sequence",
        "parts": [{"is": "Rounds", "each": {"is": "Floor", "act": "argue"}}, {"is": "Adopt"}],
    }
    assert list(doc_protocols.draw(tree)) == ["Sequence", "├── Rounds", "│   └── Floor argue", "└── Adopt"]


def test_commands_are_described() -> None:
    group = click.Group("folkmoot", help="Debates.")
    run = click.Command("run", help="Run a brief.", params=[click.Option(["--model", "-m"], help="Who answers.")])
    group.add_command(run)
    group.add_command(click.Command("secret", hidden=True))
    text = "\n".join(generate_docs.describe_command(group, "folkmoot", None))
    assert "## folkmoot run\n\nRun a brief.\n\n```text\nfolkmoot run [OPTIONS]\n```" in text
    assert "| `-m, --model TEXT` | Who answers. |" in text
    assert "secret" not in text


def test_keys_page_says_names_values_meanings_and_examples() -> None:
    text = generate_docs.keys_page()
    row = "| `rounds` (also `max_rounds`) | a whole number from 0 to 20 | Maximum number of rounds. | `rounds: 2` |"
    assert row in text
    assert "| `cost` (also `usd`) | a number from 0 to 100,000 |" in text
    assert "| `topology` | one of `all-to-all`, `round-robin`, `ring`," in text


def test_the_picture_of_performance_has_a_line_for_each_row(tmp_path: Path) -> None:
    figures = tmp_path / "wires.json"
    rows = {name: {"brief-30": 9.0, "burst-1": 0.3, "burst-10": 100.0 if name == "e" else 3.0} for name in "abcde"}
    figures.write_text(json.dumps({"ms": rows}), "utf-8")
    drawn = doc_performance.picture(figures)
    assert drawn.count("<polyline") == 5
    assert (doc_performance.across(1, 10), doc_performance.across(10, 10)) == (64.0, 530.0)
    assert (doc_performance.down(0.3), doc_performance.down(100.0)) == (368.0, 46.0)
    assert "a 3.0" in drawn
    assert "e 100.0" in drawn
