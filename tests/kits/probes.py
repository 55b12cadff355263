"""Which lines and branches of the package run: ``pytest -p tests.kits.probes`` writes it to ``.cache/coverage``.

SlipCover adds probes to each module as it is imported, and takes those out again that were hit. So a long run takes no
longer than without; a tracer nearly doubles it. Each process of a run writes a file of its own, which
``scripts/coverage_floors.py`` puts together.
"""

import json
import os
from pathlib import Path

from slipcover import (  # pyright: ignore[reportMissingTypeStubs]
    FileMatcher,
    ImportManager,
    Slipcover,
    wrap_spec_from_file_location,
)

ROOT = Path(__file__).resolve().parents[2]

SOURCE = ROOT / "src" / "folkmoot"

FOLDER = ROOT / ".cache" / "coverage"

BODILESS = r"^\s*\.\.\.$"
"""What a method of a Protocol has instead of a body."""

_slipcover = Slipcover(branch=True, exclude_also=[BODILESS])
_matcher = FileMatcher(sources=[SOURCE])
wrap_spec_from_file_location(_slipcover, _matcher)  # Alembic loads migrations by their paths
ImportManager(_slipcover, _matcher).__enter__()


def pytest_sessionfinish() -> None:
    """Write what ran in this process."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    FOLDER.joinpath(f"{os.getpid()}.json").write_text(json.dumps(_slipcover.get_coverage()))
