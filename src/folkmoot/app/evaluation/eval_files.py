"""The files of an evaluation: what ``folkmoot eval`` saves into its folder, and where the folders are.

The folder has ``plan.json`` (what was planned, with its hash), ``scores.csv`` (a row for each question and arm),
``seats.csv`` (the first and the last answer of each participant) and ``run.json`` (what was paid). Where gates learn on
questions that are kept for it, ``lessons.csv`` and ``lesson-seats.csv`` have the same of these questions.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, Facts, JudgeCheck, Learning, Lessons, Score, SeatScore
from folkmoot.app.questions.data_sets import QUESTIONS_FILE, Question
from folkmoot.app.questions.whole_files import LONGEST_CELL, write_whole
from folkmoot.core.errors import FolkmootError, RecordError
from folkmoot.record.store import digest

PLAN_FILE, SCORES_FILE, SEATS_FILE, RUN_FILE = "plan.json", "scores.csv", "seats.csv", "run.json"
LESSONS_FILE, LESSON_SEATS_FILE = "lessons.csv", "lesson-seats.csv"
FORMAT = 1
"""The version of these files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """The content of ``plan.json``; the hash is that of the first plan."""

    format: int
    hash: str
    plan: EvalPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ran:
    """The content of ``run.json``."""

    plan_changed: bool = False
    paid_usd: float | None = None
    paid_tokens: int = 0
    paid_estimated: bool = False
    judged_with_labels: bool | None = None
    judge: JudgeCheck | None = None
    learned: tuple[Learning, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvaluation:
    """An evaluation that lists show.

    Attributes:
        id: what names it; it stays the same while the folder does.
        name: its name; that of the folder where the plan cannot be read.
        folder: where its files are.
        arms: what it compares.
        done: how many questions are answered in every arm, repeats counted.
        planned: how many there will be.
        at: when its scores were written, in seconds since 1970; 0 before.
        problem: why it cannot be read; "" where it can.
    """

    id: str
    name: str
    folder: str
    arms: tuple[str, ...] = ()
    done: int = 0
    planned: int = 0
    at: float = 0.0
    problem: str = ""


Row = TypeVar("Row", Score, SeatScore)
Content = TypeVar("Content")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said(Facts):
    """A line of the questions, as far as it matters here."""

    id: str


_FACTS: Final = TypeAdapter(_Said)
_PLAN: Final = TypeAdapter(_Planned)
_RAN: Final = TypeAdapter(_Ran)


def save_plan(folder: Path, plan: EvalPlan, *, first: str = "") -> None:
    """Write ``plan.json`` into a folder, which is made.

    Args:
        folder: that of the evaluation.
        plan: what is planned.
        first: the hash of the plan with which the first call was made; "" for this one.

    Raises:
        FolkmootError: it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritten(folder, error) from error
    planned = _Planned(format=FORMAT, hash=first or plan.hash, plan=plan)
    _save(folder / PLAN_FILE, json.dumps(asdict(planned), ensure_ascii=False, indent=2) + "\n")


def read_plan(folder: Path) -> tuple[EvalPlan, bool]:
    """The plan of a folder, and whether it was changed after it was saved.

    Raises:
        RecordError: there is none, or it cannot be read.
    """
    planned = _read_plan(folder)
    return planned.plan, planned.plan.hash != planned.hash


def first_hash(folder: Path) -> str:
    """The hash of the plan with which the first call was made.

    Raises:
        RecordError: there is no plan, or it cannot be read.
    """
    return _read_plan(folder).hash


def _read_plan(folder: Path) -> _Planned:
    planned = _read(folder / PLAN_FILE, _PLAN.validate_json)
    if planned.format > FORMAT:
        raise RecordError(f"{folder / PLAN_FILE} was written by a newer Folkmoot (format {planned.format})")
    return planned


def save_result(folder: Path, result: EvalResult) -> None:
    """Write all files of an evaluation into a folder, which is made. Each file is written wholly or not at all.

    Raises:
        FolkmootError: one cannot be written.
    """
    known = (folder / PLAN_FILE).exists()
    save_plan(folder, result.plan, first=first_hash(folder) if known and result.plan_changed else "")
    _save(folder / SCORES_FILE, scores_csv(result.scores))
    _save(folder / SEATS_FILE, seats_csv(result.seats))
    if result.lessons.scores:
        _save(folder / LESSONS_FILE, scores_csv(result.lessons.scores))
        _save(folder / LESSON_SEATS_FILE, seats_csv(result.lessons.seats))
    ran = _Ran(
        plan_changed=result.plan_changed,
        paid_usd=result.paid_usd,
        paid_tokens=result.paid_tokens,
        paid_estimated=result.paid_estimated,
        judged_with_labels=result.judged_with_labels,
        judge=result.judge,
        learned=result.learned,
    )
    _save(folder / RUN_FILE, json.dumps(asdict(ran), indent=2) + "\n")


def read_result(folder: Path) -> EvalResult:
    """Read the files of an evaluation.

    Raises:
        RecordError: one is missing or cannot be read.
    """
    plan, changed = read_plan(folder)
    ran = _read(folder / RUN_FILE, _RAN.validate_json) if (folder / RUN_FILE).exists() else _Ran()
    return EvalResult(
        plan=plan,
        scores=_read(folder / SCORES_FILE, lambda data: _rows(data, Score)),
        seats=_read(folder / SEATS_FILE, lambda data: _rows(data, SeatScore)),
        plan_changed=changed or ran.plan_changed,
        paid_usd=ran.paid_usd,
        paid_tokens=ran.paid_tokens,
        paid_estimated=ran.paid_estimated,
        judged_with_labels=ran.judged_with_labels,
        judge=ran.judge,
        learned=ran.learned,
        facts=_facts(folder / QUESTIONS_FILE),
        lessons=_read_lessons(folder),
    )


def _read_lessons(folder: Path) -> Lessons:
    """How arms did on questions to learn on; nothing where there are none, as in folders of older versions.

    Raises:
        RecordError: a file cannot be read.
    """
    if not (folder / LESSONS_FILE).exists():
        return Lessons()
    return Lessons(
        scores=_read(folder / LESSONS_FILE, lambda data: _rows(data, Score)),
        seats=_read(folder / LESSON_SEATS_FILE, lambda data: _rows(data, SeatScore)),
    )


def facts_of(questions: Iterable[Question]) -> dict[str, Facts]:
    """What the data says of questions, of those of which it says something."""
    facts = {item.id: Facts(tags=item.tags, known_since=item.known_since) for item in questions}
    return {name: own for name, own in facts.items() if own != Facts()}


def _facts(path: Path) -> dict[str, Facts]:
    """What the questions of a folder say; nothing where they are not in it, as in folders of past debates.

    Raises:
        RecordError: the file cannot be read.
    """
    if not path.exists():
        return {}
    lines = _read(path, lambda data: [_FACTS.validate_json(line) for line in data.splitlines() if line.strip()])
    facts = {line.id: Facts(tags=line.tags, known_since=line.known_since) for line in lines}
    return {name: own for name, own in facts.items() if own != Facts()}


def scores_csv(scores: Sequence[Score]) -> str:
    """Scores as CSV with heads; an empty cell is None."""
    return _table(Score, scores)


def seats_csv(seats: Sequence[SeatScore]) -> str:
    """The answers of participants as CSV with heads; an empty cell is None."""
    return _table(SeatScore, seats)


def _table(row: type[Row], rows: Sequence[Row]) -> str:
    heads = [column.name for column in fields(row)]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(heads)
    writer.writerows([_cell(getattr(item, head)) for head in heads] for item in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    """A value as it stands in a cell; numbers so that they read back the same."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _rows(data: bytes, row: type[Row]) -> tuple[Row, ...]:
    """The rows of a table; cells that may be None are None where they are empty.

    Raises:
        ValueError: heads or cells do not fit.
    """
    heads = [column.name for column in fields(row)]
    optional = {column.name for column in fields(row) if "None" in str(column.type)}
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    if (first := next(reader, list[str]())) != heads:
        raise ValueError(f"the heads are {', '.join(first) or 'missing'}; they must be {', '.join(heads)}")
    adapter = TypeAdapter(row)
    rows: list[Row] = []
    for cells in reader:
        if len(cells) != len(heads):
            raise ValueError(f"line {reader.line_num} must have {len(heads)} cells; it has {len(cells)}")
        values = [None if head in optional and not cell else cell for head, cell in zip(heads, cells, strict=True)]
        try:
            rows.append(adapter.validate_python(dict(zip(heads, values, strict=True))))
        except ValidationError as error:
            raise ValueError(f"line {reader.line_num}: {_first_mistake(error)}") from None
    return tuple(rows)


def _read(path: Path, read: Callable[[bytes], Content]) -> Content:
    """What a file says.

    Raises:
        RecordError: it is missing or says something else.
    """
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}") from None
    except ValidationError as error:
        raise RecordError(f"{path} cannot be read: {_first_mistake(error)}") from None
    except (ValueError, csv.Error) as error:
        raise RecordError(f"{path} cannot be read: {error}") from None


def _first_mistake(error: ValidationError) -> str:
    """The first mistake in words, with its place."""
    mistake = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, mistake["loc"]))
    return f"{place}: {mistake['msg']}" if place else mistake["msg"]


def note_folder(place: str, folder: Path) -> None:
    """Note beside a store where an evaluation of it is; nothing where the store is no file."""
    known = _noted(place)
    if (path := str(folder.resolve())) not in known and (notes := _notes_file(place)):
        _save(notes, "".join(f"{line}\n" for line in [*known, path]))


def stored_evaluations(place: str, beside: Path) -> tuple[StoredEvaluation, ...]:
    """The evaluations of a store, the newest first.

    Args:
        place: the name of the store: its file, or the address of a database.
        beside: a folder whose own folders are looked into as well.
    """
    folders = {*map(Path, _noted(place)), *(file.parent.resolve() for file in beside.glob(f"*/{PLAN_FILE}"))}
    known = [_summary(folder) for folder in folders if (folder / PLAN_FILE).is_file()]
    return tuple(sorted(known, key=lambda item: (-item.at, item.folder)))


def _notes_file(place: str) -> Path | None:
    return Path(f"{place}.evaluations") if place and "://" not in place else None


def _noted(place: str) -> list[str]:
    notes = _notes_file(place)
    try:
        return notes.read_text("utf-8").splitlines() if notes else []
    except (OSError, UnicodeDecodeError):
        return []  # there is none yet, or it is damaged: what stands in folders is still listed


def _summary(folder: Path) -> StoredEvaluation:
    """How an evaluation stands."""
    known = StoredEvaluation(id=digest(str(folder))[:16], name=folder.name, folder=str(folder))
    try:
        plan, _ = read_plan(folder)
        scores = folder / SCORES_FILE
        rows = _read(scores, lambda data: _rows(data, Score)) if scores.exists() else ()
        at = scores.stat().st_mtime if rows else 0.0
    except (RecordError, OSError) as error:
        return replace(known, problem=str(error))
    return replace(
        known,
        name=plan.name,
        arms=tuple(arm.name for arm in plan.arms),
        done=len({(row.question, row.epoch) for row in rows}),
        planned=plan.planned * plan.epochs,
        at=at,
    )


def _save(path: Path, text: str) -> None:
    """Write a file wholly or not at all."""
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise _unwritten(path, error) from error


def _unwritten(path: Path, error: OSError) -> FolkmootError:
    return FolkmootError(f"{path} cannot be written: {error.strerror or error}; what was answered is on record")
