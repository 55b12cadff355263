"""The folder of an evaluation: what ``folkmoot eval`` saves there, and where the folders are.

``plan.json`` (what was planned, with its hash), ``questions.jsonl``, ``keys.jsonl``, ``scores.jsonl`` (a row for each
question and arm, with the first and the last answer of each participant) and ``run.json`` (what was paid).
What can't be read is a ``RecordError``, what can't be written a ``FolkmootError``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import msgspec

from folkmoot.app.evaluation.questions import KEYS_FILE, QUESTIONS_FILE, DataSet, Question
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState, Score
from folkmoot.app.export.reports import save
from folkmoot.core.errors import FolkmootError, RecordError
from folkmoot.core.text import slug
from folkmoot.record.store import digest

PLAN_FILE, SCORES_FILE, RUN_FILE = "plan.json", "scores.jsonl", "run.json"

Content = TypeVar("Content")


class SavedPlan(msgspec.Struct, frozen=True):
    """The content of ``plan.json``; the hash is that of the plan with which the first call was made."""

    hash: str
    plan: EvalPlan

    @property
    def edited(self) -> bool:
        """Whether the plan is not the first one any more."""
        return self.plan.hash != self.hash


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvaluation:
    """An evaluation that lists show.

    Attributes:
        id: what names it; it stays the same while the folder does.
        name: its name; that of the folder where the plan cannot be read.
        folder: where its files are.
        debates: how the ids of its debates begin.
        arms: what it compares.
        done: how many questions are answered in every arm, repeats counted.
        planned: how many there will be.
        paid_usd: what was paid so far in US dollars; None where that is not known.
        at: when its scores were written, in seconds since 1970; 0 before.
        problem: why it cannot be read; "" where it can.
    """

    id: str
    name: str
    folder: str
    debates: str = ""
    arms: tuple[str, ...] = ()
    done: int = 0
    planned: int = 0
    paid_usd: float | None = None
    at: float = 0.0
    problem: str = ""


def save_plan(folder: Path, plan: EvalPlan, *, first: str = "") -> None:
    """Write ``plan.json``; ``first`` is the hash of the plan with which the first call was made, "" for this one."""
    _save(folder / PLAN_FILE, SavedPlan(hash=first or plan.hash, plan=plan))


def save_questions(folder: Path, data: DataSet) -> None:
    """Write questions and keys, each into a file of its own, which only the grader opens for the keys."""
    _save(folder / QUESTIONS_FILE, data.questions)
    _save(folder / KEYS_FILE, data.keys)


def save_result(folder: Path, result: EvalResult) -> None:
    """Write what came of an evaluation."""
    known = read_plan(folder)
    save_plan(folder, result.plan, first=known.hash if known and result.run.plan_changed else "")
    _save(folder / SCORES_FILE, result.scores)
    save_run(folder, result.run)


def save_run(folder: Path, run: RunState) -> None:
    """Note how far a run is, so that a list can say it meanwhile."""
    _save(folder / RUN_FILE, run)


def read_plan(folder: Path) -> SavedPlan | None:
    """The plan of a folder; None where there is none."""
    return _read(folder / PLAN_FILE, SavedPlan) if (folder / PLAN_FILE).exists() else None


def read_run(folder: Path) -> RunState:
    """How far the run of a folder is."""
    return _read(folder / RUN_FILE, RunState) if (folder / RUN_FILE).exists() else RunState()


def read_result(folder: Path) -> EvalResult:
    """Read the files of an evaluation."""
    saved, questions, run = read_plan(folder), folder / QUESTIONS_FILE, read_run(folder)
    if saved is None:
        named = "name the folder that folkmoot eval has written, such as NAME-eval"
        raise RecordError(f"{folder} has no evaluation, for it has no {PLAN_FILE}; {named}")
    return EvalResult(
        plan=saved.plan,
        scores=tuple(read_lines(folder / SCORES_FILE, Score)),
        run=replace(run, plan_changed=saved.edited or run.plan_changed),
        tags=tags_of(read_lines(questions, Question)) if questions.exists() else {},
    )


def tags_of(questions: Iterable[Question]) -> Mapping[str, tuple[str, ...]]:
    """The tags of the questions that have some."""
    return {question.id: question.tags for question in questions if question.tags}


def prefix_of(name: str) -> str:
    """How the ids of all debates of an evaluation begin."""
    return f"eval-{slug(name, 24)}-{digest(name)[:6]}"


def _notes(place: str) -> Path | None:
    """The file beside a store that names the folders of its evaluations; None where the store is no file."""
    return Path(f"{place}.evaluations") if place and "://" not in place else None


def _noted(place: str) -> list[str]:
    try:
        return notes.read_text("utf-8").splitlines() if (notes := _notes(place)) else []
    except (OSError, UnicodeDecodeError):
        return []  # there is none yet, or it is damaged: what stands in folders is still listed


def note_folder(place: str, folder: Path) -> None:
    """Note beside a store where an evaluation of it is; nothing where the store is no file."""
    known, path = _noted(place), str(folder.resolve())
    if path not in known and (notes := _notes(place)):
        _write(notes, "".join(f"{line}\n" for line in [*known, path]).encode())


def stored_evaluations(place: str, beside: Path) -> tuple[StoredEvaluation, ...]:
    """The evaluations of a store by its name, and those in folders of the folder ``beside``; the newest first."""
    folders = {*map(Path, _noted(place)), *(file.parent.resolve() for file in beside.glob(f"*/{PLAN_FILE}"))}
    known = [_summary(folder) for folder in folders if (folder / PLAN_FILE).is_file()]
    return tuple(sorted(known, key=lambda item: (-item.at, item.folder)))


def _summary(folder: Path) -> StoredEvaluation:
    """How an evaluation stands."""
    known = StoredEvaluation(id=digest(str(folder))[:16], name=folder.name, folder=str(folder))
    scores = folder / SCORES_FILE
    try:
        plan, run = _read(folder / PLAN_FILE, SavedPlan).plan, read_run(folder)
        return replace(
            known,
            name=plan.name,
            debates=prefix_of(plan.name),
            arms=tuple(arm.name for arm in plan.arm),
            done=run.done,
            planned=plan.planned * plan.epochs,
            paid_usd=run.paid_usd,
            at=scores.stat().st_mtime if scores.exists() and scores.stat().st_size else 0.0,
        )
    except (RecordError, OSError) as error:
        return replace(known, problem=str(error))


def _read(path: Path, kind: type[Content]) -> Content:
    return _decoded(path, _bytes(path), kind)


def read_lines(path: Path, kind: type[Content]) -> Sequence[Content]:
    """The lines of a file, each a value of a kind."""
    lines = _bytes(path).splitlines()
    return [_decoded(path, line, kind, f"line {number}: ") for number, line in enumerate(lines, start=1)]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror or error}") from None


def _decoded(path: Path, data: bytes, kind: type[Content], where: str = "") -> Content:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} cannot be read: {where}{error}") from None


def _save(path: Path, value: object) -> None:
    """Write a value as JSON; several values as lines of it."""
    if isinstance(value, tuple):
        _write(path, msgspec.json.Encoder().encode_lines(value))  # pyright: ignore[reportUnknownArgumentType]
    else:
        _write(path, msgspec.json.format(msgspec.json.encode(value)) + b"\n")


def _write(path: Path, data: bytes) -> None:
    """Write a file wholly or not at all, into a folder that is made."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, data)
    except OSError as error:
        problem = f"{path} cannot be written: {error.strerror or error}; what was answered is on record"
        raise FolkmootError(problem) from error
