"""Files of a scoreboard: ``summary.json``, the page, tables as CSV or Parquet, and a folder for Hugging Face."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, cast

from folkmoot.app.evaluation.eval_files import SCORES_FILE, SEATS_FILE, read_result, scores_csv, seats_csv
from folkmoot.app.evaluation.scores import EvalResult, Score, SeatScore
from folkmoot.app.export.reports import save
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_tables import MEASURES, facts, heading, verdicts
from folkmoot.app.results.scoreboard import Scoreboard
from folkmoot.app.results.scoring import measure
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library

SUMMARY, PAGE = "summary.json", "scoreboard.html"
QUESTIONS, KEYS = "questions.jsonl", "keys.jsonl"
"""What the run leaves beside the scores. Keys are copied as they are, and into a file of their own."""

SECTIONS: Final = (
    "arms",
    "pairs",
    "flips",
    "seats",
    "voices",
    "calibration",
    "curve",
    "gates",
    "liars",
    "parts",
    "orders",
    "by_question",
)
TAGS: Final = ("evaluation", "debate", "language-models")

Row = Mapping[str, object]
Files = Mapping[str, "str | bytes"]


def export(folder: Path, form: str, out: Path | None = None) -> list[Path]:
    """Write the scoreboard of an evaluation's folder in a format.

    Args:
        folder: the folder of the evaluation.
        form: one of ``FORMS``.
        out: the folder to write into; None for the folder of the evaluation, or one inside it for several files.

    Returns:
        The files, in the order in which they were written.

    Raises:
        RecordError: the folder cannot be read.
        BriefError: a library is missing.
    """
    result = read_result(folder)
    files = FORMS[form](measure(result), result, folder)
    return write_files(out or (folder if len(files) == 1 else folder / form), files)


def write_files(place: Path, files: Files) -> list[Path]:
    """Write files into a folder, which is made; returns them in their order.

    Raises:
        OSError: one cannot be written.
    """
    for name, content in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, content)
    return [place / name for name in files]


def summary(board: Scoreboard) -> str:
    """The scoreboard as JSON."""
    return json.dumps(board.as_data(), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def _json(board: Scoreboard, result: EvalResult, folder: Path) -> Files:
    return {SUMMARY: summary(board)}


def _html(board: Scoreboard, result: EvalResult, folder: Path) -> Files:
    return {PAGE: page(board)}


def _csv(board: Scoreboard, result: EvalResult, folder: Path) -> Files:
    tables = {f"{name}.csv": as_csv(rows) for name, rows in _sections(board)}
    return {SCORES_FILE: scores_csv(result.scores), f"participants_{SEATS_FILE}": seats_csv(result.seats), **tables}


def _parquet(board: Scoreboard, result: EvalResult, folder: Path) -> Files:
    tables = {"scores": _rows(result.scores), "participants_seats": _rows(result.seats), **dict(_sections(board))}
    return {f"{name}.parquet": as_parquet(rows) for name, rows in tables.items() if rows}


def _hugging_face(board: Scoreboard, result: EvalResult, folder: Path) -> Files:
    """Scores and answers as JSON lines with a card; questions and keys as the run left them, each in its own file."""
    files = {"scores.jsonl": as_lines(_rows(result.scores)), "participants.jsonl": as_lines(_rows(result.seats))}
    copied = {name: (folder / name).read_text("utf-8") for name in (QUESTIONS, KEYS) if (folder / name).is_file()}
    names = [*files, *copied]
    sizes = {"scores.jsonl": len(result.scores), "participants.jsonl": len(result.seats)}
    sizes |= {name: len(text.splitlines()) for name, text in copied.items()}
    return {"README.md": card(board, names, sizes), **files, **copied, SUMMARY: summary(board)}


def card(board: Scoreboard, names: Sequence[str], sizes: Mapping[str, int]) -> str:
    """The card of a Hugging Face folder: its settings, what the files are, and the verdicts.

    Args:
        board: the scoreboard.
        names: of the files with data.
        sizes: how many lines each has.
    """
    configs = [line for name in names for line in _config(name)]
    head = ["---", "license: other", f"pretty_name: {json.dumps(board.name)}", "tags:", *(f"- {tag}" for tag in TAGS)]
    table = ["| file | lines |", "| --- | --- |", *(f"| {name} | {sizes[name]} |" for name in names)]
    keys = [
        f"The right answers stand in `{KEYS}` alone. Do not train on it, and do not put it beside the questions.",
        "",
    ]
    text = [
        *head,
        "configs:",
        *configs,
        "---",
        "",
        "# Does a debate pay?",
        "",
        *(_plain(line) for line in (heading(board), "", *verdicts(board))),
        "",
        *(f"- {_plain(line)}" for line in (*facts(board), *board.notes)),
        "",
        *table,
        "",
        *(keys if KEYS in names else ()),
        f"The score is: {MEASURES[board.score]}. Prices are those of {board.prices_date or 'an unknown date'}.",
        "The license is that of the questions; name it before you publish this folder.",
    ]
    return "\n".join(text) + "\n"


def _config(name: str) -> Iterator[str]:
    yield f"- config_name: {name.removesuffix('.jsonl')}"
    yield f"  data_files: {name}"


def _plain(text: str) -> str:
    """Text of others in Markdown: no HTML, no links, no tables."""
    return "".join(f"\\{sign}" if sign in "<>[]()|`*_#" else sign for sign in text)


def _sections(board: Scoreboard) -> Iterator[tuple[str, list[Row]]]:
    """The lists of the scoreboard that have rows."""
    data = board.as_data()
    for name in SECTIONS:
        if rows := [flatten(row) for row in cast("Sequence[Row]", data[name])]:
            yield name, rows


def flatten(row: Row) -> Row:
    """A row without nesting: ``interval`` becomes ``interval_low`` and so on; lists become JSON."""
    cells: dict[str, object] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            inner = flatten(cast("Row", value))
            cells |= {f"{name}_{part}": cell for part, cell in inner.items()}
        else:
            cells[name] = json.dumps(value) if isinstance(value, list | tuple) else value
    return cells


def _rows(items: Sequence[Score] | Sequence[SeatScore]) -> list[Row]:
    return [asdict(item) for item in items]


def as_csv(rows: Sequence[Row]) -> str:
    """Rows as CSV; a cell that is missing is empty."""
    heads = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, heads, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_lines(rows: Sequence[Row]) -> str:
    """Rows as lines of JSON."""
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows)


def as_parquet(rows: Sequence[Row]) -> bytes:
    """Rows as Parquet.

    Raises:
        BriefError: pyarrow is not installed.
    """
    try:
        arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        problem = missing_library("A Parquet file", "parquet")
        raise BriefError(f"{problem}; or take csv", code="no_library") from error
    heads = list(dict.fromkeys(name for row in rows for name in row))
    sink = io.BytesIO()
    parquet.write_table(arrow.table({name: [row.get(name) for row in rows] for name in heads}), sink)
    return sink.getvalue()


FORMS: Final[Mapping[str, Callable[[Scoreboard, EvalResult, Path], Files]]] = MappingProxyType(
    {"html": _html, "csv": _csv, "parquet": _parquet, "json": _json, "huggingface": _hugging_face}
)
"""The formats by name."""
