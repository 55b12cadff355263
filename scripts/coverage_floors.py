"""Fails if coverage is too low: lines and branches, 100 % on floors 1 to 4, 90 % for each part above.

Reads what `pytest -p tests.kits.probes` has written, one file for each of its processes.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType

from pydantic import BaseModel

ROOT = Path(__file__).resolve().parents[1]

SOURCE = ROOT / "src" / "folkmoot"

MEASURED = ROOT / ".cache" / "coverage"

FULL = frozenset(
    {
        *("core", "policy", "record", "models", "answers", "agents", "tools", "demo", "phases", "protocols"),
        *("arguments", "reviews", "report", "analysis", "learn", "evaluation", "engine"),
    }
)
"""The parts below the application."""

LEAST = 90.0

NEEDS: Mapping[str, str] = MappingProxyType({"inspect": "inspect_ai"})
"""Parts that run only with a package that no requirement brings, since it is large; without it they have no floor."""


class File(BaseModel):
    """What ran of one file; a branch goes from one line to another, or to 0 if it ends the function."""

    executed_lines: list[int] = []
    missing_lines: list[int]
    executed_branches: list[tuple[int, int]] = []
    missing_branches: list[tuple[int, int]] = []

    def gaps(self) -> str:
        """The lines that never ran, then the branches between lines that did run."""
        lines = [str(line) for line in self.missing_lines]
        untaken = (branch for branch in self.missing_branches if not set(branch).intersection(self.missing_lines))
        return ", ".join([*lines, *(f"{start}->{end or 'exit'}" for start, end in untaken)])


class Report(BaseModel):
    """The report of SlipCover, as far as it is needed."""

    files: dict[str, File]


def part_of(path: str) -> str:
    """The folder under ``folkmoot``, or the file's own name where it stands in none."""
    return path.replace("\\", "/").partition("folkmoot/")[2].removesuffix(".py").partition("/")[0]


def share(files: Sequence[File]) -> float:
    """Lines and branches that ran, in per cent of all."""
    ran = sum(len(file.executed_lines) + len(file.executed_branches) for file in files)
    whole = ran + sum(len(file.missing_lines) + len(file.missing_branches) for file in files)
    return 100.0 * ran / whole if whole else 100.0


def judge(report: Report) -> tuple[list[str], bool]:
    """A table with a row for each part and, under those below their floor, each file's gaps; and whether all hold."""
    lines = ["part        coverage   floor"]
    good = bool(report.files)
    for part in sorted({part_of(path) for path in report.files}):
        files = {path: file for path, file in report.files.items() if part_of(path) == part}
        floor, reached = (100.0 if part in FULL else LEAST), share(list(files.values()))
        if (package := NEEDS.get(part, "")) and find_spec(package) is None:
            lines.append(f"{part:<12}{'-':>6}     needs {package}, which is not installed")
            continue
        enough = reached >= floor
        good = good and enough
        lines.append(f"{part:<12}{int(reached * 10) / 10:>6.1f} % {floor:>5.0f} %{'' if enough else '   too low'}")
        if not enough:
            lines += [f"    {path}: {file.gaps()}" for path, file in sorted(files.items()) if file.gaps()]
    return lines, good


def united(files: Sequence[File]) -> File:
    """What ran of a file in any of several processes."""
    lines = {line for file in files for line in file.executed_lines}
    branches = {branch for file in files for branch in file.executed_branches}
    return File(
        executed_lines=sorted(lines),
        missing_lines=sorted({line for file in files for line in file.missing_lines} - lines),
        executed_branches=sorted(branches),
        missing_branches=sorted({branch for file in files for branch in file.missing_branches} - branches),
    )


def merged(folder: Path, sources: Iterable[Path]) -> Report:
    """What ran in any of the processes; a file that none of them imported has all of its lines missing.

    Args:
        folder: the reports, one for each process.
        sources: the files that should run.
    """
    reports = [Report.model_validate_json(path.read_bytes()) for path in sorted(folder.glob("*.json"))]
    files = [(str((ROOT / path).resolve()), file) for report in reports for path, file in report.files.items()]
    by_path: dict[str, list[File]] = {path: [] for path, _ in files}
    for path, file in files:
        by_path[path].append(file)
    whole = {path: united(of_processes) for path, of_processes in by_path.items()}
    for path in sources if reports else ():
        lines = len(path.read_text("utf-8").splitlines())
        whole.setdefault(str(path.resolve()), File(missing_lines=[*range(1, lines + 1)]))
    return Report(files={os.path.relpath(path, ROOT): file for path, file in whole.items()})


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where a floor is not held."""
    lines, good = judge(merged(Path(*arguments) if arguments else MEASURED, SOURCE.rglob("*.py")))
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
