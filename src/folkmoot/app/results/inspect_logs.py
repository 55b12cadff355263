"""Evaluations as logs of Inspect, one for each arm, by its own classes: its viewer and its metrics read them.

A sample is a question in one epoch. Its messages are the turns of the debate; its store has ``folkmoot``: the state, the
cost as charged, and the debate's id. Right answers stand in these logs, as in any log of Inspect.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

from folkmoot.app.evaluation.eval_files import read_lines
from folkmoot.app.evaluation.scores import EvalResult, PlannedArm, Score
from folkmoot.app.evaluation.task_samples import completion
from folkmoot.app.questions.data_sets import KEYS_FILE, QUESTIONS_FILE, Key, Question
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Called, Entry
from folkmoot.core.packages import missing_library
from folkmoot.core.text import slug
from folkmoot.core.transcript import fold
from folkmoot.evaluation.paired import Differences

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
    """Write the logs into a folder, which is made.

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
        library, models, scorers = (import_module(f"inspect_ai.{part}") for part in ("log", "model", "scorer"))
    except ImportError as error:
        raise BriefError(missing_library("A log of Inspect", "inspect"), code="no_library") from error
    if not (folder / QUESTIONS_FILE).exists():
        raise BriefError(f"logs of Inspect need questions, and {folder} has no {QUESTIONS_FILE}", code="no_file")
    questions = {item.id: item for item in read_lines(folder / QUESTIONS_FILE, Question)}
    keys = {item.id: item for item in read_lines(folder / KEYS_FILE, Key)}
    place.mkdir(parents=True, exist_ok=True)
    writer = LogWriter(library, models, scorers, questions, keys, records)
    paths: list[Path] = []
    for number, arm in enumerate(result.plan.arms, start=1):
        paths.append(place / f"{number:02}-{slug(arm.name, LONGEST)}.eval")
        library.write_eval_log(writer.log(result, arm), str(paths[-1]))
    return paths


class LogWriter:
    """Makes logs of scores, by Inspect's classes: those of its modules ``log``, ``model`` and ``scorer``."""

    def __init__(
        self,
        library: Any,
        models: Any,
        scorers: Any,
        questions: Mapping[str, Question],
        keys: Mapping[str, Key],
        records: Records,
    ) -> None:
        self._library, self._models, self._scorers = library, models, scorers
        self._questions, self._keys, self._records = questions, keys, records

    def log(self, result: EvalResult, arm: PlannedArm) -> Any:
        """The log of one arm."""
        plan, library = result.plan, self._library
        rows = [row for row in result.scores if row.arm == arm.name and row.question in self._questions]
        begun = [self._records[row.record][0].at for row in rows if row.record in self._records]
        moment = datetime.fromtimestamp(min(begun, default=0.0), UTC).isoformat(timespec="seconds")
        ids = list(dict.fromkeys(row.question for row in rows))
        losses = {"log_loss": [row.loss for row in rows], "brier": [row.brier for row in rows]}
        values = {SCORER: [row.credit or 0.0 for row in rows]}
        values |= {name: [loss or 0.0 for loss in own] for name, own in losses.items() if None not in own}
        return library.EvalLog(
            status="success",
            eval=library.EvalSpec(
                created=moment,
                task=plan.name,
                task_id=f"{plan.hash[:16]}-{slug(arm.name, LONGEST)}",
                task_display_name=f"{plan.name}: {arm.name}",
                solver=arm.name,
                dataset=library.EvalDataset(name=plan.name, samples=len(ids), sample_ids=ids),
                model="none/none",  # the name by which Inspect knows that it has no model to ask, as for `inspect score`
                config=library.EvalConfig(epochs=plan.epochs),
                packages={"folkmoot": version("folkmoot")},
                metadata={"title": arm.title, "plan": plan.hash, "prices": plan.prices_date, "seed": plan.seed},
            ),
            plan=library.EvalPlan(name=arm.name, steps=[library.EvalPlanStep(solver=arm.name)]),
            results=library.EvalResults(
                total_samples=len(rows),
                completed_samples=sum(row.state != "failed" for row in rows),
                scores=[self._score(name, rows, own) for name, own in values.items() if rows],
            ),
            stats=library.EvalStats(started_at=moment, completed_at=moment),
            samples=[self._sample(row, arm) for row in rows],
        )

    def _sample(self, row: Score, arm: PlannedArm) -> Any:
        question, key, library = self._questions[row.question], self._keys[row.question], self._library
        said = completion(row.answer or "", question.options)
        output = self._models.ModelOutput.from_content(f"folkmoot/{row.arm}", said)
        # Independent answers share the records of first answers, so what was said there is not theirs alone.
        own = self._records.get(row.record, ()) if arm.kind in ("rethink", "protocol") else ()
        failed = {"message": "no participant answered", "traceback": "", "traceback_ansi": ""}
        store = {name: getattr(row, name) for name in ("state", "debated", "calls", "tokens", "usd")}
        return library.EvalSample(
            id=row.question,
            epoch=row.epoch,
            input=question.input,
            choices=list(question.options) or None,
            target=_target(question, key),
            messages=[self._models.ChatMessageUser(content=question.input), *self._turns(own), output.message],
            output=output,
            scores=self._scores(row),
            metadata={"group": row.group, "kind": question.kind, "tags": list(question.tags)},
            store={"folkmoot": {**store, "debate": row.record, "show": f"folkmoot show {row.record}"}},
            model_usage=self._usage(own),
            **({"error": failed} if row.state == "failed" else {}),
        )

    def _turns(self, entries: Sequence[Entry]) -> list[Any]:
        """The turns of a debate as messages."""
        turns = fold(entries).all() if entries else ()
        return [
            self._models.ChatMessageAssistant(
                content=f"{turn.by} ({turn.act}): {turn.reply.text}", model=turn.reply.asked
            )
            for turn in turns
            if turn.reply
        ]

    def _usage(self, entries: Sequence[Entry]) -> dict[str, Any]:
        """What each model of a debate used."""
        total: dict[str, Any] = {}
        for called in (entry.event for entry in entries if isinstance(entry.event, Called)):
            tokens = (called.usage.input_tokens, called.usage.output_tokens)
            used = self._models.ModelUsage(
                input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens), total_cost=called.usage.cost
            )
            total[called.model] = total[called.model] + used if called.model in total else used
        return total

    def _scores(self, row: Score) -> dict[str, Any]:
        """The credit, and the losses of a probability."""
        values = {SCORER: NO_ANSWER if row.state == "unread" else row.credit or 0.0}
        values |= {name: loss for name, loss in (("log_loss", row.loss), ("brier", row.brier)) if loss is not None}
        return {
            name: self._scorers.Score(value=value, answer=row.answer, explanation=row.state)
            for name, value in values.items()
        }

    def _score(self, name: str, rows: Sequence[Score], values: Sequence[float]) -> Any:
        """The mean with its standard error, by groups where questions share them."""
        by_question: dict[str, list[float]] = {}
        for row, value in zip(rows, values, strict=True):
            by_question.setdefault(row.question, []).append(value)
        means, groups = (
            [math.fsum(own) / len(own) for own in by_question.values()],
            {row.question: row.group for row in rows},
        )
        labels, metric = [groups[question] for question in by_question], self._library.EvalMetric
        mean = "accuracy" if name == SCORER else "mean"
        metrics = {mean: metric(name=mean, value=math.fsum(means) / len(means))}
        if len(set(labels)) > 1:
            grouped = len(set(labels)) < len(labels)
            differences = Differences(means, labels if grouped else ())
            error = differences.spread / math.sqrt(differences.n)
            metrics["stderr"] = metric(name="stderr", value=error, params={"cluster": "group"} if grouped else {})
        return self._library.EvalScore(
            name=name, scorer=name, reducer="mean", scored_samples=len(means), metrics=metrics
        )


def _target(question: Question, key: Key) -> str | list[str]:
    """The right answer: of options its letter."""
    if question.options:
        return chr(ord("A") + question.options.index(key.truth))
    return [key.truth, *key.accepted] if key.accepted else key.truth
