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

from folkmoot.app.evaluation.folder import read_lines
from folkmoot.app.evaluation.inspect_tasks import choice, completion
from folkmoot.app.evaluation.scores import EvalResult, Score
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
        began = min((records[row.record][0].at for row in rows if row.record in records), default=0.0)
        moment = datetime.fromtimestamp(began, UTC).isoformat(timespec="seconds")
        ids, name = list(dict.fromkeys(row.question for row in rows)), slug(arm.name, LONGEST)
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
        )
        whole = log.EvalLog(
            status="success",
            eval=spec,
            plan=log.EvalPlan(name=arm.name, steps=[log.EvalPlanStep(solver=arm.name)]),
            results=log.EvalResults(
                total_samples=len(rows),
                completed_samples=sum(row.state != "failed" for row in rows),
                scores=[_mean(log, score, rows) for score in _values(rows[0])] if rows else [],
            ),
            stats=log.EvalStats(started_at=moment, completed_at=moment),
            samples=samples,
        )
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


def _mean(library: Any, name: str, rows: Sequence[Score]) -> Any:
    """The mean of a score with its standard error, by groups where questions share them."""
    by_question: dict[str, list[float]] = {}
    for row in rows:
        by_question.setdefault(row.question, []).append(_values(row).get(name) or 0.0)
    means = [math.fsum(own) / len(own) for own in by_question.values()]
    group = {row.question: row.group for row in rows}
    labels = [group[question] for question in by_question]
    word = "accuracy" if name == SCORER else "mean"
    metrics = {word: library.EvalMetric(name=word, value=math.fsum(means) / len(means))}
    if len(set(labels)) > 1:
        grouped = len(set(labels)) < len(labels)
        differences = Differences(means, labels if grouped else ())
        error, by = differences.spread / math.sqrt(differences.n), {"cluster": "group"} if grouped else {}
        metrics["stderr"] = library.EvalMetric(name="stderr", value=error, params=by)
    return library.EvalScore(name=name, scorer=name, reducer="mean", scored_samples=len(means), metrics=metrics)
