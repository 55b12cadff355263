"""The plan of an evaluation and its scores: the values that ``moot eval`` saves, and their files.

The folder of an evaluation has ``plan.json`` (what was planned, with its hash), ``scores.csv`` (a row for each question
and arm), ``seats.csv`` (the first and the last answer of each participant) and ``run.json`` (what was paid). No truth
stands in any of them: a score says how good an answer was, not what would have been right.
"""

import csv
import io
import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import ClassVar, Final, Literal, TypeAlias, TypeVar

from pydantic import TypeAdapter, ValidationError

from moot.core.errors import RecordError
from moot.record.store import digest

State: TypeAlias = Literal["answered", "tied", "unread", "failed"]
ArmKind: TypeAlias = Literal["single", "sample", "adaptive", "rethink", "protocol"]
Measure: TypeAlias = Literal["credit", "log_loss", "brier"]
Currency: TypeAlias = Literal["usd", "tokens", "calls"]

PLAN_FILE, SCORES_FILE, SEATS_FILE, RUN_FILE = "plan.json", "scores.csv", "seats.csv", "run.json"
FORMAT = 1
"""The version of these files."""
LONGEST_CELL = 2**31 - 1  # Python's own limit is 131,072 characters, and answers and documents may be longer

ADDED = ("liars", "honest")
"""Fields of a planned arm that the first plans did not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How one arm did on one question.

    Attributes:
        question: the question's id.
        group: what it shares with others; its own id where it stands alone.
        arm: the arm's name.
        epoch: the number of the repeat, from 1.
        answer: the answer in words; None where there is none.
        credit: from 0 (wrong) to 1 (right); None where the kind of question has none.
        loss: minus the logarithm of the probability that the truth was given; None without probabilities.
        brier: the squared error of the probability; None without probabilities.
        usd: US dollars as charged, which is as if the arm ran alone; None where a price is unknown.
        tokens: tokens as charged: those of prompts and 5 times those of answers.
        calls: model calls as charged.
        state: whether there is an answer.
        debated: whether participants saw answers of others.
        record: the id of the debate on record; "" for none.
    """

    question: str
    group: str
    arm: str
    epoch: int
    answer: str | None
    credit: float | None
    loss: float | None
    brier: float | None
    usd: float | None
    tokens: int
    calls: int
    state: State
    debated: bool
    record: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatScore:
    """The first and the last answer of one participant of an arm, and whether each was right; None for no answer."""

    question: str
    group: str
    arm: str
    epoch: int
    seat: str
    model: str
    first: str | None
    last: str | None
    first_right: bool | None
    last_right: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedArm:
    """One way to answer.

    Attributes:
        name: what the tables call it.
        kind: what it does.
        title: what it does, in words for a reader.
        is_debate: whether it is judged as a debate, against its rivals.
        matches: the arm whose cost it meets; "" for none.
        own_drafts: whether its first answers are its own, and not those that the other arms share.
        liars: how many of its participants are told to mislead the others.
        honest: the debate of which it has liars; "" for none.
    """

    name: str
    kind: ArmKind
    title: str
    is_debate: bool = False
    matches: str = ""
    own_drafts: bool = False
    liars: int = 0
    honest: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalPlan:
    """What was fixed before the first call.

    Attributes:
        name: the evaluation's name.
        arms: what is compared.
        score: the primary measure; credit is better when higher, the losses when lower.
        currency: in what costs are equal.
        margin: the smallest difference that matters, in the unit of the score.
        alpha: the level of a verdict.
        looks: the shares of the questions at which a verdict may be read; the last is 1.
        epochs: how often each question is put.
        planned: how many questions.
        questions_hash: of all questions in their order.
        keys_hash: of all truths in their order.
        prices_date: the date of the price list, ``2026-11-01``; "" for none.
        seed: the random seed.
        versions: of Moot, and of the format.
    """

    name: str
    arms: tuple[PlannedArm, ...]
    score: Measure
    currency: Currency
    margin: float
    alpha: float
    looks: tuple[float, ...]
    epochs: int
    planned: int
    questions_hash: str
    keys_hash: str
    prices_date: str
    seed: int
    versions: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def hash(self) -> str:
        """The SHA-256 of the plan's canonical JSON: keys sorted, no blanks, ASCII.

        Fields that later versions added to arms count only where they are set, so a plan keeps its hash.
        """
        values = asdict(self)
        values["arms"] = [
            {name: value for name, value in arm.items() if value or name not in ADDED} for arm in values["arms"]
        ]
        return digest(json.dumps(values, sort_keys=True, separators=(",", ":")))


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheck:
    """How a model that judged answers by a rubric compares with labels of people.

    Attributes:
        model: the judge.
        labels: how many answers both have judged.
        agreed: how often they agree.
        said_right: how many the model called right.
        labelled_right: how many people called right.
        unread: how many judgements could not be read.
    """

    NEEDED: ClassVar[int] = 50
    """Labels without which there is no verdict."""

    model: str
    labels: int = 0
    agreed: int = 0
    said_right: int = 0
    labelled_right: int = 0
    unread: int = 0

    @property
    def enough(self) -> bool:
        """Whether there are enough labels for a verdict."""
        return self.labels >= self.NEEDED

    @property
    def kappa(self) -> float | None:
        """Agreement beyond chance (Cohen 1960); None where nothing can differ."""
        own, theirs = self.said_right / self.labels, self.labelled_right / self.labels
        chance = own * theirs + (1 - own) * (1 - theirs)
        return None if chance == 1 else (self.agreed / self.labels - chance) / (1 - chance)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvalResult:
    """All that a scoreboard needs.

    Attributes:
        plan: what was planned.
        scores: a row for each question, arm and repeat; only whole questions.
        seats: the answers of the participants.
        plan_changed: whether the plan was changed after the first call.
        paid_usd: what was paid in US dollars, shared answers once; None where a price is unknown.
        paid_tokens: the same in tokens, in and out.
        judged_with_labels: whether a judging model was checked against enough labels of people; None if none judged.
        judge: how that model compares with people; None if none judged.
    """

    plan: EvalPlan
    scores: tuple[Score, ...]
    seats: tuple[SeatScore, ...]
    plan_changed: bool
    paid_usd: float | None
    paid_tokens: int
    judged_with_labels: bool | None
    judge: JudgeCheck | None = None


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
    judged_with_labels: bool | None = None
    judge: JudgeCheck | None = None


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

_PLAN: Final = TypeAdapter(_Planned)
_RAN: Final = TypeAdapter(_Ran)


def save_plan(folder: Path, plan: EvalPlan, *, first: str = "") -> None:
    """Write ``plan.json`` into a folder, which is made.

    Args:
        folder: that of the evaluation.
        plan: what is planned.
        first: the hash of the plan with which the first call was made; "" for this one.

    Raises:
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
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
        raise RecordError(f"{folder / PLAN_FILE} was written by a newer Moot (format {planned.format})")
    return planned


def save_result(folder: Path, result: EvalResult) -> None:
    """Write all files of an evaluation into a folder, which is made. Each file is written wholly or not at all.

    Raises:
        OSError: one cannot be written.
    """
    known = (folder / PLAN_FILE).exists()
    save_plan(folder, result.plan, first=first_hash(folder) if known and result.plan_changed else "")
    _save(folder / SCORES_FILE, scores_csv(result.scores))
    _save(folder / SEATS_FILE, seats_csv(result.seats))
    ran = _Ran(
        plan_changed=result.plan_changed,
        paid_usd=result.paid_usd,
        paid_tokens=result.paid_tokens,
        judged_with_labels=result.judged_with_labels,
        judge=result.judge,
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
        judged_with_labels=ran.judged_with_labels,
        judge=ran.judge,
    )


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
    write_whole(path, text.encode("utf-8"))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file wholly or not at all, so that nobody reads half of it.

    Raises:
        OSError: it cannot be written.
    """
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
