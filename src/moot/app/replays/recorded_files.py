"""Read the files of a recorded data set; one that cannot be read ends in a sentence."""

import csv
import json
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from moot.app.evaluation.scores import LONGEST_CELL
from moot.core.errors import MootError

REFERENCE = "reference.txt"
"""The file with figures that somebody else computed from the same data."""

UNREADABLE: Final = (
    *(OSError, ValueError, LookupError, TypeError, AttributeError),
    *(ArithmeticError, RuntimeError, SyntaxError, MemoryError),
)
"""What data raise that are not as they should be: a missing file or column, a null, a word for a number."""


@contextmanager
def reading(folder: Path, name: str) -> Generator[None]:
    """Read the data set of that name in a folder.

    Raises:
        MootError: a file is missing, or is not as it should be.
    """
    try:
        yield
    except FileNotFoundError as error:
        missing = Path(error.filename or "").name
        raise MootError(f"{folder} is no data set {name}: it has no file {missing}") from error
    except UNREADABLE as error:
        raise MootError(f"{folder} cannot be read as {name}: {fault_of(error)}") from error


def fault_of(error: Exception) -> str:
    """What is wrong with data, in words."""
    if isinstance(error, KeyError):
        return f"it has no {error}"
    words = str(error)
    return words if type(error) is ValueError and words else f"{type(error).__name__}: {words}"


def read_reference(folder: Path) -> str:
    """The text of the reference beside the data."""
    return (folder / REFERENCE).read_text("utf-8")


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by their heads.

    Raises:
        ValueError: it is no CSV file.
    """
    with path.open(encoding="utf-8-sig", newline="") as file:
        csv.field_size_limit(LONGEST_CELL)
        try:
            return list(csv.DictReader(file))
        except csv.Error as error:
            raise ValueError(f"{path.name}: {error}") from error


def read_json_lines(path: Path) -> list[JsonValue]:
    """The values of a file with one JSON value a line; blank lines are passed over."""
    return [json.loads(line) for line in path.read_text("utf-8-sig").split("\n") if line.strip()]
