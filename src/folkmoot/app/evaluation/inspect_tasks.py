"""Tasks of Inspect as questions: ``FILE.py@TASK``. The task's own scorer grades the answers, after all are on record."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, cast

from folkmoot.app.evaluation.task_samples import completion
from folkmoot.app.questions.data_sets import DataSet, FaultyData, Key, Question
from folkmoot.app.questions.question_files import read_data_set
from folkmoot.core.errors import FolkmootError
from folkmoot.core.packages import missing_library

Mark: TypeAlias = Callable[[Question, str], Awaitable[float]]
"""The credit of an answer, from 0 to 1."""


def is_task(path: Path) -> bool:
    """Whether a path names a task of Inspect."""
    return path.name.partition("@")[0].endswith(".py")


def read_questions(path: Path) -> tuple[DataSet, Mark | None]:
    """Questions, and what grades the answers to them where that is no key: from a file, a folder, or a task of Inspect.

    Raises:
        FaultyData: it is no such thing, or has what no question has.
    """
    return read_task(path) if is_task(path) else (read_data_set(path), None)


def read_task(path: Path) -> tuple[DataSet, Mark]:
    """The samples of a task, and its scorer.

    Raises:
        FaultyData: Inspect is not installed, there is no such task, or a sample is no question.
    """
    file = path.with_name(path.name.partition("@")[0])
    if not file.exists():
        raise FaultyData([f"there is no file {str(file)!r}"])
    try:
        loader: Any = import_module("inspect_ai._eval.loader")
    except ImportError:
        raise FaultyData([missing_library("A task of Inspect", "inspect")]) from None
    try:
        tasks = loader.load_tasks([str(path)])
    except Exception as error:  # the file is a program of somebody else
        raise FaultyData([f"{path.name} cannot be loaded: {type(error).__name__}: {error}"]) from error
    if len(tasks) != 1 or not tasks[0].scorer:
        raise FaultyData([f"{path.name} must be one task with a scorer; name it: {file.name}@TASK"])
    samples = {str(sample.id or number): sample for number, sample in enumerate(tasks[0].dataset, start=1)}
    faults: list[str] = []
    pairs: list[tuple[Question, Key]] = []
    for name, sample in samples.items():
        pair = _question(name, sample)
        if isinstance(pair, str):
            faults.append(f"{path.name}: sample {name[:60]}: {pair}")
        else:
            pairs.append(pair)
    if faults or not pairs:
        raise FaultyData(faults or [f"{path.name} has no samples"])
    data = DataSet(questions=tuple(pair[0] for pair in pairs), keys=tuple(pair[1] for pair in pairs))
    return data, scorer_of(tasks[0], samples)


def _question(name: str, sample: Any) -> tuple[Question, Key] | str:
    """A sample as a question with its key; or why it is none."""
    if not isinstance(sample.input, str):
        return "its input is a conversation; a question is one text"
    targets, options = _list(sample.target), tuple(map(str, sample.choices or ()))
    group = str(cast("dict[str, object]", sample.metadata or {}).get("group", ""))
    if not options:
        question = Question(id=name, input=sample.input, kind="text", group=group)
        return question, Key(id=name, truth=targets[0], accepted=tuple(targets[1:]))
    places = [ord(target) - ord("A") for target in targets if len(target) == 1]
    if len(targets) != 1 or not places or not 0 <= places[0] < len(options):
        return "its target must be the letter of one choice"
    question = Question(id=name, input=sample.input, kind="option", options=options, group=group)
    return question, Key(id=name, truth=options[places[0]])


def _list(target: object) -> list[str]:
    if isinstance(target, list):
        return [str(item) for item in cast("list[object]", target)]
    return [str(target)]


def scorer_of(task: Any, samples: dict[str, Any]) -> Mark:
    """The task's scorer as what grades answers; of several scorers the first."""
    given: object = task.scorer
    scorer: Any = cast("list[object]", given)[0] if isinstance(given, list) else given
    scorers, models, solvers = (import_module(f"inspect_ai.{part}") for part in ("scorer", "model", "solver"))
    to_float = scorers.value_to_float()

    async def mark(question: Question, answer: str) -> float:
        sample, said = samples[question.id], completion(answer, question.options)
        output = models.ModelOutput.from_content("folkmoot", said)
        state = solvers.TaskState(
            model=models.ModelName("folkmoot/debate"),
            sample_id=question.id,
            epoch=1,
            input=sample.input,
            messages=[models.ChatMessageUser(content=sample.input), output.message],
            target=scorers.Target(sample.target),
            choices=list(question.options) or None,
            output=output,
            completed=True,
            metadata=sample.metadata,
        )
        for place, option in enumerate(question.options):
            state.choices.mark_choice(place, option == answer)
        try:
            score: Any = await scorer(state, state.target)
            return float(to_float(score.value)) if score is not None else 0.0
        except Exception as error:  # it is a program of somebody else
            problem = f"{type(error).__name__}: {error}"
            raise FolkmootError(f"the task's scorer failed at {question.id[:60]!r}: {problem}") from error

    return mark
