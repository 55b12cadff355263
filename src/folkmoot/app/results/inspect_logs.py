"""Evaluations as logs of Inspect, one for each arm: its viewer and its metrics read them, and so does ``folkmoot eval``.

They are written by the fields that Inspect documents (``EvalLog`` version 2, as JSON), so the package itself is not
needed. A sample is a question in one epoch. Its store has ``folkmoot``: the state, the cost as charged, the debate's id.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final, TypeAlias, cast

from folkmoot.app.evaluation.scores import EvalResult, PlannedArm, Score
from folkmoot.app.questions.data_sets import KEYS_FILE, QUESTIONS_FILE
from folkmoot.app.questions.quantities import RELATIVE
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Asked, Called, Entry
from folkmoot.core.text import slug
from folkmoot.evaluation.paired import Differences

Json: TypeAlias = Mapping[str, object]
Usage: TypeAlias = Mapping[str, Json]
"""Tokens and US dollars by participant or by model."""

SCORER: Final = "folkmoot"
RIGHT, WRONG, NO_ANSWER = "C", "I", "N"
"""Inspect's words for scores; a share, as in a tie, is a number."""

NO_QUESTIONS: Final = "logs of Inspect need the questions of the evaluation: {folder} has no {name}"
EPOCH: Final = "1970-01-01"
"""The date of a log whose own is not known."""

LONGEST: Final = 40
"""Letters of an arm's name in the name of a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What the record of a debate says beside the scores.

    Attributes:
        at: when it began, in seconds since 1970.
        seats: what each participant used.
        models: what each model used.
    """

    at: float
    seats: Usage = field(default_factory=dict[str, Json])
    models: Usage = field(default_factory=dict[str, Json])


async def read_records(workspace: Workspace, result: EvalResult) -> dict[str, Record]:
    """The records of an evaluation's debates by id, as far as this store has them."""
    records: dict[str, Record] = {}
    for debate in dict.fromkeys(row.record for row in result.scores if row.record):
        if await workspace.store.read(debate, limit=1):
            records[debate] = record_of(await workspace.entries(debate))
    return records


def record_of(entries: Sequence[Entry]) -> Record:
    """What each participant and each model of a debate used."""
    receivers = {entry.event.ask.key: entry.event.ask.to for entry in entries if isinstance(entry.event, Asked)}
    seats: dict[str, Json] = {}
    models: dict[str, Json] = {}
    for event in (entry.event for entry in entries if isinstance(entry.event, Called)):
        for table, name in ((seats, receivers.get(event.key, "")), (models, event.model)):
            before = table.get(name, _usage(0, 0, 0.0))
            table[name] = _usage_sum(
                before, _usage(event.usage.input_tokens, event.usage.output_tokens, event.usage.cost)
            )
    return Record(at=entries[0].at, seats=seats, models=models)


def _usage(tokens_in: int, tokens_out: int, cost: float | None) -> Json:
    return {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
        "total_cost": cost,
    }


def _usage_sum(one: Json, other: Json) -> Json:
    """The sum of two usages; a cost that is not known makes that of the sum unknown."""
    return {
        name: None if value is None or other[name] is None else cast(float, value) + cast(float, other[name])
        for name, value in one.items()
    }


def logs_of(result: EvalResult, folder: Path, records: Mapping[str, Record], server: str = "") -> dict[str, str]:
    """The logs, by the names of their files.

    Args:
        result: what the evaluation has scored.
        folder: that of the evaluation, with questions and keys.
        records: what is known of its debates, by id.
        server: the address of a ``folkmoot serve`` that shows them; "" for none.

    Raises:
        BriefError: the folder has no questions.
        RecordError: they cannot be read.
    """
    questions, keys = (_lines(folder / name) for name in (QUESTIONS_FILE, KEYS_FILE))
    logs: dict[str, str] = {}
    for number, arm in enumerate(result.plan.arms, start=1):
        rows = [row for row in result.scores if row.arm == arm.name and row.question in questions]
        # Independent answers share the records of first answers, so what was used there is not theirs alone.
        own = records if arm.kind in ("rethink", "protocol") else dict[str, Record]()
        samples = [_sample(row, questions[row.question], keys[row.question], own, server) for row in rows]
        log = _log(result, arm, rows, samples, own)
        logs[f"{number:02}-{slug(arm.name, LONGEST)}.json"] = json.dumps(log, ensure_ascii=False, indent=1) + "\n"
    return logs


def _lines(path: Path) -> dict[str, Json]:
    """The lines of a file of questions or keys, by id."""
    try:
        lines = [cast("Json", json.loads(line)) for line in path.read_text("utf-8").split("\n") if line]
        return {str(line["id"]): line for line in lines}
    except FileNotFoundError:
        raise BriefError(NO_QUESTIONS.format(folder=path.parent, name=path.name), code="no_file") from None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise RecordError(f"{path} cannot be read: {error}") from None


# ---- one sample ------------------------------------------------------------------------------------------------------


def _sample(row: Score, question: Json, key: Json, records: Mapping[str, Record], server: str) -> Json:
    options = [str(option) for option in cast("Sequence[object]", question["options"])]
    completion = "" if row.answer is None else row.answer
    if options and row.answer in options:
        completion = f"ANSWER: {letter(options, row.answer)}"
    message = {"role": "assistant", "content": completion, "source": "generate", "model": f"folkmoot/{row.arm}"}
    record = records.get(row.record)
    failed = "no participant answered"
    return {
        "id": row.question,
        "epoch": row.epoch,
        "input": question["input"],
        **({"choices": options} if options else {}),
        "target": _target(options, key),
        "messages": [{"role": "user", "content": question["input"], "source": "input"}, message],
        "output": {
            "model": f"folkmoot/{row.arm}",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "completion": completion,
        },
        "scores": _scores(row),
        "metadata": _metadata(row, question, key),
        "store": {"folkmoot": _store(row, server)},
        "model_usage": dict(record.models) if record else {},
        "role_usage": dict(record.seats) if record else {},
        **({"error": {"message": failed, "traceback": "", "traceback_ansi": ""}} if row.state == "failed" else {}),
    }


def letter(options: Sequence[str], option: str) -> str:
    """The letter of an option, as Inspect counts them: A to Z; beyond, the option itself."""
    place = options.index(option)
    return chr(ord("A") + place) if place < 26 else option


def _target(options: Sequence[str], key: Json) -> str | list[str]:
    """The right answer: of options its letter, unless options are letters themselves."""
    truth, accepted = str(key["truth"]), [str(form) for form in cast("Sequence[object]", key["accepted"])]
    if options and truth in options:
        return truth if any(len(option) == 1 for option in options) else letter(options, truth)
    return [truth, *accepted] if accepted else truth


def _scores(row: Score) -> Json:
    """The credit, and the losses of a probability."""
    credit = row.credit or 0.0
    value = NO_ANSWER if row.state == "unread" else {1.0: RIGHT, 0.0: WRONG}.get(credit, credit)
    losses = {"log_loss": row.loss, "brier": row.brier}
    return {
        SCORER: {"value": value, "answer": row.answer, "explanation": row.state},
        **{name: {"value": loss, "answer": row.answer} for name, loss in losses.items() if loss is not None},
    }


def _metadata(row: Score, question: Json, key: Json) -> Json:
    room, share = (float(cast(float, key[name])) for name in ("tolerance", "relative"))
    tolerance = f"{room:g}" if room else f"{100 * share:g}%" if share != RELATIVE else ""
    names = ("kind", "split", "known_since", "tags", "documents")
    return {
        "group": row.group,
        **{name: question[name] for name in names if question.get(name)},
        **({"tolerance": tolerance} if tolerance else {}),
    }


def _store(row: Score, server: str) -> Json:
    link = {"link": f"{server.rstrip('/')}/d/{row.record}"} if server and row.record else {}
    return {
        **link,
        "state": row.state,
        "debate": row.record,
        "show": f"folkmoot show {row.record}" if row.record else "",
        "debated": row.debated,
        "calls": row.calls,
        "tokens": row.tokens,
        "usd": row.usd,
    }


# ---- the whole log ---------------------------------------------------------------------------------------------------


def _log(
    result: EvalResult, arm: PlannedArm, rows: Sequence[Score], samples: Sequence[Json], records: Mapping[str, Record]
) -> Json:
    plan, known = result.plan, [records[row.record] for row in rows if row.record in records]
    begun = min((record.at for record in known), default=None)
    day = datetime.fromisoformat(plan.prices_date or EPOCH).replace(tzinfo=UTC)
    created = (day if begun is None else datetime.fromtimestamp(begun, UTC)).isoformat(timespec="seconds")
    means = {name: _question_means(samples, name) for name in (SCORER, "log_loss", "brier")}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": plan.hash[:22],
            "created": created,
            "task": plan.name,
            "task_id": f"{plan.hash[:16]}-{slug(arm.name, LONGEST)}",
            "task_display_name": f"{plan.name}: {arm.name}",
            "solver": arm.name,
            "dataset": {"name": plan.name, "samples": len(means[SCORER]), "sample_ids": list(means[SCORER])},
            "model": f"folkmoot/{arm.name}",
            "config": {"epochs": plan.epochs},
            "packages": {"folkmoot": version("folkmoot")},
            "metadata": {"title": arm.title, "plan": plan.hash, "prices": plan.prices_date, "seed": plan.seed},
            "scorers": [{"name": name} for name, values in means.items() if values],
        },
        "plan": {"name": arm.name, "steps": [{"solver": arm.name}]},
        "results": {
            "total_samples": len(samples),
            "completed_samples": sum(row.state != "failed" for row in rows),
            "scores": [_score(name, values, rows) for name, values in means.items() if values],
        },
        "stats": {"started_at": created, "completed_at": created, "role_usage": _total(known)},
        "samples": samples,
        "reductions": [_reduction(name, values) for name, values in means.items() if values],
    }


def _reduction(name: str, means: Mapping[str, float]) -> Json:
    samples: list[Json] = [{"sample_id": of, "value": mean} for of, mean in means.items()]
    return {"scorer": name, "samples": samples}


def _question_means(samples: Sequence[Json], name: str) -> dict[str, float]:
    """The mean score of each question over its epochs."""
    values: dict[str, list[float]] = {}
    for sample in samples:
        score = cast("Mapping[str, Json]", sample["scores"]).get(name)
        if score is not None:
            value = score["value"]
            number = {RIGHT: 1.0, WRONG: 0.0, NO_ANSWER: 0.0}.get(cast(str, value), value)
            values.setdefault(str(sample["id"]), []).append(float(cast(float, number)))
    return {of: math.fsum(own) / len(own) for of, own in values.items()}


def _score(name: str, means: Mapping[str, float], rows: Sequence[Score]) -> Json:
    """The mean with its standard error, by groups where questions share them: the figures of ``paired``, not padded."""
    groups = {row.question: row.group for row in rows}
    values, labels = list(means.values()), [groups[question] for question in means]
    mean = "accuracy" if name == SCORER else "mean"
    metrics: dict[str, Json] = {mean: {"name": mean, "value": math.fsum(values) / len(values), "params": {}}}
    if len(set(labels)) > 1:
        grouped = len(set(labels)) < len(labels)
        differences = Differences(values, labels if grouped else ())
        error = differences.spread / math.sqrt(differences.n)
        metrics["stderr"] = {"name": "stderr", "value": error, "params": {"cluster": "group"} if grouped else {}}
    return {"name": name, "scorer": name, "reducer": "mean", "scored_samples": len(values), "metrics": metrics}


def _total(records: Sequence[Record]) -> Usage:
    total: dict[str, Json] = {}
    for record in records:
        for name, usage in record.seats.items():
            total[name] = _usage_sum(total.get(name, _usage(0, 0, 0.0)), usage)
    return total
