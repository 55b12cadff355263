"""Fails if coverage is too low: lines and branches, 100 % on floors 1 to 4, 90 % for each part above.

Reads the ``.coverage`` that ``pytest --cov`` has just written. A path to a JSON report may be given instead.
"""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from pydantic import BaseModel

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


class Summary(BaseModel):
    """How many lines and branches a file has, and how many ran."""

    covered_lines: int
    num_statements: int
    covered_branches: int
    num_branches: int


class File(BaseModel):
    """What ran of one file."""

    summary: Summary
    missing_lines: list[int]
    missing_branches: list[tuple[int, int]]

    def gaps(self) -> str:
        """The lines that never ran, then the branches between lines that did run."""
        lines = [str(line) for line in self.missing_lines]
        untaken = (branch for branch in self.missing_branches if not set(branch).intersection(self.missing_lines))
        return ", ".join([*lines, *(f"{start}->{'exit' if end < 0 else end}" for start, end in untaken)])


class Report(BaseModel):
    """The JSON report of coverage.py, as far as it is needed."""

    files: dict[str, File]


def part_of(path: str) -> str:
    """The folder under ``moot``, or the file's own name where it stands in none."""
    return path.replace("\\", "/").partition("moot/")[2].removesuffix(".py").partition("/")[0]


def share(files: Sequence[File]) -> float:
    """Lines and branches that ran, in per cent of all."""
    ran = sum(file.summary.covered_lines + file.summary.covered_branches for file in files)
    whole = sum(file.summary.num_statements + file.summary.num_branches for file in files)
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


def main(arguments: Sequence[str]) -> int:
    """Print the table; 1 where a floor is not held."""
    with TemporaryDirectory() as folder:
        path = Path(arguments[0]) if arguments else Path(folder, "coverage.json")
        if not arguments:
            subprocess.run([sys.executable, "-m", "coverage", "json", "-q", "-o", str(path)], check=True)
        lines, good = judge(Report.model_validate_json(path.read_bytes()))
    print("\n".join(lines))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
