"""Read the files of a recorded data set; one that cannot be read ends in a sentence."""

import csv
import io
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import StatisticsError
from typing import Final, cast

from pydantic import JsonValue

from folkmoot.app.evaluation.questions import LONGEST_CELL
from folkmoot.core.errors import FolkmootError

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
        FolkmootError: a file is missing, or is not as it should be.
    """
    try:
        yield
    except FileNotFoundError as error:
        missing = Path(error.filename or "").name
        raise FolkmootError(f"{folder} is no data set {name}: it has no file {missing}") from error
    except UNREADABLE as error:
        raise FolkmootError(f"{folder} cannot be read as {name}: {fault_of(error)}") from error


def fault_of(error: Exception) -> str:
    """What is wrong with data, in words."""
    words = str(error)
    match error:
        case UnicodeDecodeError():
            return "a file is not UTF-8"
        case KeyError():
            return f"it has no {error}"
        case ArithmeticError() | StatisticsError() | IndexError() | StopIteration():
            return f"it has too few rows, or values that cannot be counted ({words or type(error).__name__})"
        case TypeError() | AttributeError():
            return f"a value is missing or of another kind ({words})"
        case _:
            return words if isinstance(error, ValueError) and words else f"{type(error).__name__}: {words}"


def read_reference(folder: Path) -> str:
    """The text of the reference beside the data.

    Raises:
        ValueError: it is not UTF-8.
    """
    return _text(folder / REFERENCE)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not UTF-8") from None


class Row(dict[str, str]):
    """The cells of a row by their heads; a head that is not there is a fault of the whole file."""

    def __init__(self, cells: Mapping[str, str], file: str) -> None:
        super().__init__(cells)
        self.file = file

    def __missing__(self, head: str) -> str:
        """Refuse a column that is not there.

        Raises:
            ValueError: always.
        """
        raise ValueError(f"{self.file} has no column {head!r}")


def read_rows(path: Path) -> list[Row]:
    """The rows of a CSV file by their heads.

    Raises:
        ValueError: it is no CSV file, or a row has more or fewer cells than there are heads.
    """
    csv.field_size_limit(LONGEST_CELL)
    rows: list[Row] = []
    reader = csv.DictReader(io.StringIO(_text(path), newline=""))
    try:
        for cells in reader:
            row = cast("Mapping[str | None, str | None]", cells)
            if None in row or None in row.values():
                many = "more" if None in row else "fewer"
                raise ValueError(f"{path.name}, line {reader.line_num}: there are {many} cells than heads")
            rows.append(Row(cells, path.name))
    except csv.Error as error:
        raise ValueError(f"{path.name}: {error}") from error
    return rows


def read_json_lines(path: Path) -> list[JsonValue]:
    """The values of a file with one JSON value a line; blank lines are passed over.

    Raises:
        ValueError: a line is not JSON.
    """
    values: list[JsonValue] = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        try:
            values += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            raise ValueError(f"{path.name}, line {number}: this is not JSON") from None
    return values
