"""Which files can have a test that a run of some marks takes; the others need not be imported."""

import re
from collections.abc import Mapping, Set
from functools import cache
from pathlib import Path

from tests.kits.thoroughness import with_many_cases

OUTSIDE: Set[str] = frozenset({"database", "litellm", "postgres", "stage", "transformers"})
"""Fixtures that are processes of their own."""

REST = "(system or many) and not alone"
"""What `make test-all` runs after `make test`."""

_SIGNS: Mapping[str, re.Pattern[str]] = {
    "alone": re.compile(r"mark\.alone"),
    REST: re.compile(rf"mark\.(?:system|alone|peers)\b|\b(?:{'|'.join(sorted(OUTSIDE))})\b"),
}
"""What stands in a file that has a test of a selection; of the rest, ``with_many_cases`` knows the others."""


@cache
def may_have(selection: str, path: Path) -> bool:
    """Whether a file may have a test of the selection, by its text; of a selection that is not known here, it may."""
    if selection not in _SIGNS or _SIGNS[selection].search(path.read_text("utf-8")):
        return True
    return selection == REST and bool(with_many_cases(path))
