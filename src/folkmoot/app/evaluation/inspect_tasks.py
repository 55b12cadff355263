"""Tasks of Inspect as questions: ``FILE.py@TASK``. The task's own scorer grades the answers, after all are on record."""

from collections.abc import Awaitable, Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

from folkmoot.app.questions.data_sets import DataSet, FaultyData, Key, Question, read_data_set
from folkmoot.core.errors import FolkmootError
from folkmoot.core.packages import missing_library
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
