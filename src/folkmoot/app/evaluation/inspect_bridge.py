"""Inspect (https://inspect.aisi.org.uk) at the edges: its tasks as questions, and evaluations as its logs.

A task is named ``FILE.py@TASK``; its own scorer grades the answers, after all are on record. A log is of one arm, and
made of Inspect's own classes, so that its viewer and its metrics read it. A sample is a question in one epoch; its
messages are the turns of the debate. Right answers stand in these logs, as in any log of Inspect.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from folkmoot.app.evaluation.folder import read_lines
from folkmoot.app.evaluation.questions import (
    KEYS_FILE,
    QUESTIONS_FILE,
    DataSet,
    FaultyData,
    Key,
    Question,
    read_data_set,
)
from folkmoot.app.evaluation.scores import EvalResult, Score
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.event import Called, Entry
from folkmoot.core.packages import missing_library
from folkmoot.core.text import slug
from folkmoot.core.transcript import fold
from folkmoot.record.store import digest

Mark: TypeAlias = Callable[[Question, str], Awaitable[float]]
"""The credit of an answer, from 0 to 1."""


def is_task(path: str) -> bool:
    """Whether a path names a task of Inspect."""
    return Path(path.partition("@")[0]).suffix == ".py"


def program_of(path: str) -> dict[str, str]:
    """The hash of the program of a task, for the plan; nothing where a path names none."""
    return {"task": digest(Path(path.partition("@")[0]).read_text("utf-8"))} if is_task(path) else {}


def read_questions(path: str) -> tuple[DataSet, Mark | None]:
    """Questions, and what grades the answers to them where that is no key: from a file, a folder, or a task of Inspect.

    Raises:
        FaultyData: it is no such thing, or has what no question has.
    """
    return read_task(path) if is_task(path) else (read_data_set(Path(path)), None)


def read_task(path: str) -> tuple[DataSet, Mark]:
    """The samples of a task, and its scorer.

    Raises:
        FaultyData: Inspect is not installed, there is no such task, or a sample is no question.
    """
    file = path.partition("@")[0]
    if not Path(file).exists():
        raise FaultyData([f"there is no file {file!r}"])
    try:
        loader: Any = import_module("inspect_ai._eval.loader")
    except ImportError:
        raise FaultyData([missing_library("A task of Inspect", "inspect")]) from None
    try:
        tasks = loader.load_tasks([path])
    except Exception as error:  # the file is a program of somebody else
        raise FaultyData([f"{path} cannot be loaded: {type(error).__name__}: {error}"]) from error
    if len(tasks) != 1 or not tasks[0].scorer:
        raise FaultyData([f"{path} must be one task with a scorer; name it: {file}@TASK"])
    samples = {str(sample.id or number): sample for number, sample in enumerate(tasks[0].dataset, start=1)}
    faults, pairs = list[str](), list[tuple[Question, Key]]()
    for name, sample in samples.items():
        try:
            pairs.append(_question(name, sample))
        except ValueError as error:
            faults.append(f"{path}: sample {name[:60]}: {error}")
    if faults or not samples:
        raise FaultyData(faults or [f"{path} has no samples"])
    questions, keys = zip(*pairs, strict=True)
    return DataSet(questions=questions, keys=keys), scorer_of(tasks[0], samples)


def _question(name: str, sample: Any) -> tuple[Question, Key]:
    """A sample as a question with its key."""
    if not isinstance(sample.input, str):
        raise ValueError("its input is a conversation; a question is one text")
    target: object = sample.target
    truth, *others = map(str, cast("list[object]", target) if isinstance(target, list) else [target])
    options = tuple(map(str, sample.choices or ()))
    if options:
        place = ord(truth) - ord("A") if len(truth) == 1 else -1
        if others or not 0 <= place < len(options):
            raise ValueError("its target must be the letter of one choice")
        truth = options[place]
    group = str(cast("dict[str, object]", sample.metadata or {}).get("group", ""))
    question = Question(id=name, input=sample.input, kind="option" if options else "text", options=options, group=group)
    return question, Key(id=name, truth=truth, accepted=tuple(others))


def completion(answer: str, options: Sequence[str]) -> str:
    """An answer as Inspect's scorers read it: ``ANSWER: B`` where there are choices."""
    return f"ANSWER: {choice(answer, options)}" if answer and options else answer


def choice(option: str, options: Sequence[str]) -> str:
    """The letter that an option has in Inspect."""
    return chr(ord("A") + options.index(option))


def scorer_of(task: Any, samples: dict[str, Any]) -> Mark:
    """The task's scorer as what grades answers; of several scorers the first."""
    given: object = task.scorer
    scorer: Any = cast("list[object]", given)[0] if isinstance(given, list) else given
    scorers, models, solvers = (import_module(f"inspect_ai.{part}") for part in ("scorer", "model", "solver"))
    to_float = scorers.value_to_float()

    async def mark(question: Question, answer: str) -> float:
        sample, options = samples[question.id], question.options
        output = models.ModelOutput.from_content("folkmoot", completion(answer, options))
        state = solvers.TaskState(
            model=models.ModelName("folkmoot/debate"),
            sample_id=question.id,
            epoch=1,
            input=sample.input,
            messages=[models.ChatMessageUser(content=sample.input), output.message],
            target=scorers.Target(sample.target),
            choices=list(options) or None,
            output=output,
            completed=True,
            metadata=sample.metadata,
        )
        for place, option in enumerate(options):
            state.choices.mark_choice(place, option == answer)
        try:
            score: Any = await scorer(state, state.target)
            return float(to_float(score.value)) if score is not None else 0.0
        except Exception as error:  # it is a program of somebody else
            problem = f"{type(error).__name__}: {error}"
            raise FolkmootError(f"the task's scorer failed at {question.id[:60]!r}: {problem}") from error

    return mark


# ---- logs ------------------------------------------------------------------------------------------------------------

Records: TypeAlias = Mapping[str, Sequence[Entry]]
"""The records of debates by id."""

SCORER: Final = "folkmoot"
NO_ANSWER: Final = "N"
"""Inspect's word for an answer that cannot be read."""

LONGEST: Final = 40
"""Letters of an arm's name in the name of a file."""


async def read_records(workspace: Workspace, result: EvalResult) -> Records:
    """The records of an evaluation's debates, as far as this store has them."""
    records: dict[str, Sequence[Entry]] = {}
    for debate in dict.fromkeys(row.record for row in result.scores if row.record):
        if await workspace.store.read(debate, limit=1):
            records[debate] = await workspace.entries(debate)
    return records


def write_logs(result: EvalResult, folder: Path, records: Records, place: Path) -> list[Path]:
    """Write a log for each arm into a folder, which is made.

    Args:
        result: what the evaluation has scored.
        folder: that of the evaluation, with questions and keys.
        records: of its debates.
        place: where the logs go.

    Raises:
        BriefError: Inspect is not installed, or the folder has no questions.
        RecordError: they cannot be read.
    """
    try:
        log: Any = import_module("inspect_ai.log")
    except ImportError as error:
        raise BriefError(missing_library("A log of Inspect", "inspect"), code="no_library") from error
    if not (folder / QUESTIONS_FILE).exists():
        raise BriefError(f"logs of Inspect need questions, and {folder} has no {QUESTIONS_FILE}", code="no_file")
    questions = {item.id: item for item in read_lines(folder / QUESTIONS_FILE, Question)}
    keys, plan = {item.id: item for item in read_lines(folder / KEYS_FILE, Key)}, result.plan
    place.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for number, arm in enumerate(plan.arm, start=1):
        rows = [row for row in result.scores if row.arm == arm.name and row.question in questions]
        # Independent answers share the records of first answers, so what was said there is not theirs alone.
        own = {row.record: () if arm.is_drawn else records.get(row.record, ()) for row in rows}
        samples = [_sample(row, questions[row.question], keys[row.question], own[row.record]) for row in rows]
        groups, ids = {row.group for row in rows}, list(dict.fromkeys(row.question for row in rows))
        by_group = {"cluster": "group"} if 1 < len(groups) < len(ids) else {}
        began = min((records[row.record][0].at for row in rows if row.record in records), default=0.0)
        moment = datetime.fromtimestamp(began, UTC).isoformat(timespec="seconds")
        name = slug(arm.name, LONGEST)
        spec = log.EvalSpec(
            created=moment,
            task=plan.name,
            task_id=f"{plan.hash[:16]}-{name}",
            task_display_name=f"{plan.name}: {arm.name}",
            solver=arm.name,
            dataset=log.EvalDataset(name=plan.name, samples=len(ids), sample_ids=ids),
            model="none/none",  # the name by which Inspect knows that it has no model to ask, as for `inspect score`
            config=log.EvalConfig(epochs=plan.epochs),
            packages={"folkmoot": version("folkmoot")},
            metadata={"title": arm.title, "plan": plan.hash, "prices": plan.prices_date, "seed": plan.seed},
            scorers=[
                {
                    "name": name,
                    "metrics": [
                        {"name": "inspect_ai/accuracy" if name == SCORER else "inspect_ai/mean"},
                        {"name": "inspect_ai/stderr", "options": by_group},
                    ],
                }
                for name in (_values(rows[0]) if rows else ())
            ],
        )
        whole = log.EvalLog(
            status="success",
            eval=spec,
            plan=log.EvalPlan(name=arm.name, steps=[log.EvalPlanStep(solver=arm.name)]),
            stats=log.EvalStats(started_at=moment, completed_at=moment),
            samples=samples,
        )
        log.recompute_metrics(whole)
        paths.append(place / f"{number:02}-{name}.eval")
        log.write_eval_log(whole, str(paths[-1]))
    return paths


def _sample(row: Score, question: Question, key: Key, entries: Sequence[Entry]) -> Any:
    """A question and what an arm answered, as a sample; its messages are the turns of a debate."""
    library, models, scorers = (import_module(f"inspect_ai.{part}") for part in ("log", "model", "scorer"))
    output = models.ModelOutput.from_content(f"folkmoot/{row.arm}", completion(row.answer or "", question.options))
    turns = [
        models.ChatMessageAssistant(content=f"{turn.by} ({turn.act}): {turn.reply.text}", model=turn.reply.asked)
        for turn in (fold(entries).all() if entries else ())
        if turn.reply
    ]
    usage: dict[str, Any] = {}
    for called in (entry.event for entry in entries if isinstance(entry.event, Called)):
        used, name = called.usage, called.model
        tokens = {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
        each = models.ModelUsage(**tokens, total_tokens=sum(tokens.values()), total_cost=used.cost)
        usage[name] = usage[name] + each if name in usage else each
    failed = {"message": "no participant answered", "traceback": "", "traceback_ansi": ""}
    cost = {name: getattr(row, name) for name in ("state", "debated", "calls", "tokens", "usd")}
    letter = choice(key.truth, question.options) if question.options else key.truth
    return library.EvalSample(
        id=row.question,
        epoch=row.epoch,
        input=question.input,
        choices=list(question.options) or None,
        target=[letter, *key.accepted] if key.accepted else letter,
        messages=[models.ChatMessageUser(content=question.input), *turns, output.message],
        output=output,
        scores={
            name: scorers.Score(value=value, answer=row.answer, explanation=row.state)
            for name, value in (_values(row) | ({SCORER: NO_ANSWER} if row.state == "unread" else {})).items()
        },
        metadata={"group": row.group, "kind": question.kind, "tags": list(question.tags)},
        store={"folkmoot": {**cost, "debate": row.record, "show": f"folkmoot show {row.record}"}},
        model_usage=usage,
        **({"error": failed} if row.state == "failed" else {}),
    )


def _values(row: Score) -> dict[str, Any]:
    """The credit, and the losses of a probability."""
    values = {SCORER: row.credit, "log_loss": row.loss, "brier": row.brier}
    return {name: value for name, value in values.items() if value is not None or name == SCORER}
