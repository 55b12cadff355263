"""How much is tried: some of many cases in `make test`, all of them in `make test-all`, which sets FOLKMOOT_MORE."""

import os
from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")

MORE = bool(os.environ.get("FOLKMOOT_MORE"))

STEP = 1 if MORE else 7
"""Of so many places at which a debate can be cut, one is tried."""


def some(cases: Iterable[T], step: int) -> list[T]:
    """One of so many cases in `make test`, all in `make test-all`."""
    return list(cases)[:: 1 if MORE else step]
