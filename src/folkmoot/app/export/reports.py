"""Reports, argument maps, logs and plans for hosts: read from the record, written as files with names.

A file is complete when its name appears: no reader finds half of one.
"""

import asyncio
import json
import os
import re
import secrets
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from folkmoot.app.brief.presets import KEY as PRESET
from folkmoot.app.brief.presets import Preset, read_presets
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.brief.values import LocatedValue
from folkmoot.app.plan.next_steps import UNDECIDED, ways_to_decide
from folkmoot.app.plan.settings import load_config, user_file
from folkmoot.app.plan.starter_presets import USUAL_QUESTION
from folkmoot.app.plan.toolbox import offered_tools
from folkmoot.app.run.outcome import opening
from folkmoot.app.run.prepare import Overrides, PreparedDebate, prepare
from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.arguments.argument_map import argument_map, judge
from folkmoot.arguments.tree import as_data, mermaid
from folkmoot.core.brief import LogMode
from folkmoot.core.errors import BriefError, FolkmootError
from folkmoot.core.event import Entry
from folkmoot.core.text import clean_data, slug
from folkmoot.protocols import spec
from folkmoot.record.sqlite import is_open
from folkmoot.record.store import digest
from folkmoot.report.compare import Comparison
from folkmoot.report.compare import compare as set_side_by_side
from folkmoot.report.flowchart import flowchart
from folkmoot.report.logs import write as write_texts
from folkmoot.report.markdown import markdown
from folkmoot.report.report import Report, report
from folkmoot.report.report import as_data as report_as_data

_LONGEST = 60


def file_name(topic: str, debate: str) -> str:
    """A file name without an ending, safe on every system: the topic, at most 60 characters of it, and the debate's id.

    Only small ASCII letters, digits and single dashes: ``hire-the-candidate-01jx2``. It is never empty, and being at
    least two words it is no name that Windows reserves. An id that begins with the topic stands alone.
    """
    head, tail = slug(topic, _LONGEST), slug(debate, _LONGEST)
    begun = tail.rpartition("-")[0]
    return tail if begun and head.startswith(begun) else f"{head}-{tail}"


def save(path: Path, content: str | bytes) -> None:
    """Write a text as UTF-8, or bytes, wholly or not at all: a file that was there stays until the new one is complete.

    What is no file, such as ``/dev/stdout`` or a pipe, is written to and never replaced.

    Raises:
        OSError: the folder is missing or cannot be written.
    """
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as device:
            device.write(data)
        return
    draft = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        with draft.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


_OURS = re.compile(
    rb"\*\*Debate:\*\* `|folkmoot verify [a-z0-9]|\"debate\":\s?[\"{]|\A\{\"v\":\d|"
    rb"^# Argument map|WeasyPrint|"
    rb"\A<!-- folkmoot-review:|\A\{\s*\"folkmoot_review\":|\"driver\": \{\s*\"name\": \"Folkmoot\"|"
    rb"\A[\w.-]{1,200}: (?:no findings|\d+ findings? (?:survived|contested|retracted|without basis))",
    re.MULTILINE,
)
"""What stands in the reports, logs, maps, receipts and reviews that Folkmoot writes, and hardly anywhere else."""

LOOKED_AT = 2**24
"""So many bytes of a file are looked at to see whether it is a report."""


def check_target(path: Path) -> None:
    """Refuse to write a report over a file that is no report, such as a brief or the record.

    Raises:
        BriefError: there is such a file.
    """
    if not path.is_file():
        return
    refusal = BriefError(
        "this file is not a report, so it is not overwritten; choose another name", where=str(path), code="exists"
    )
    if is_open(path):  # reading it by other means would take the record's locks away
        raise refusal
    try:
        with path.open("rb") as file:
            data = file.read(LOOKED_AT)
    except OSError:  # whoever writes it meets the same, and says so
        return
    if data.strip() and (data.startswith(b"SQLite format 3") or not _OURS.search(data)):
        raise refusal


def map_at(entries: Sequence[Entry], debate: str, at: int | None = None) -> dict[str, object]:
    """The argument map as plain data, as ``folkmoot report --format visual_tree`` writes it.

    Args:
        entries: the record.
        debate: its id.
        at: the last entry that counts; None for all.

    Raises:
        BriefError: there is no such entry.
    """
    if at is not None and not 1 <= at <= len(entries):
        raise BriefError(f"{debate} has entries 1 to {len(entries)}, not {at}", code="out_of_range")
    arguments = argument_map(entries[:at])
    topic = opening(debate, entries).brief.topic
    return clean_data(
        {"debate": debate, "topic": topic, "at": at or len(entries), **as_data(arguments, judge(arguments))}
    )


def mermaid_of(report: Report) -> str:
    """The argument map of a report as Mermaid text."""
    return mermaid(report.arguments, report.judged)


def plan_diagram(plan: Plan) -> str:
    """The phases of a plan as a Mermaid flowchart."""
    return flowchart(spec.dump(plan.protocol))


def plan_data(prepared: PreparedDebate) -> dict[str, object]:
    """A debate before it begins, as plain data: what was understood, and what it would use at least and at most."""
    brief, costing = prepared.plan.brief, prepared.costing
    return {
        "topic": brief.topic,
        "protocol": prepared.plan.name,
        "options": list(brief.options),
        "background": [source.name for source in brief.background],
        "participants": [
            {
                "name": participant.name,
                "role": participant.role,
                "duty": participant.duty,
                "model": participant.seat,
                "weight": participant.weight,
                "tools": list(offered_tools(participant)),
                "ignored": list(prepared.drops.get(participant.name, ())),
            }
            for participant in brief.participants
        ],
        "phases": list(costing.most.phases),
        **costing.as_data(),
        "participants_made_by": prepared.generator,
        "repeated": round(costing.most.repeated, 3),
        "notes": list(prepared.notes),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PresetRow:
    """A preset in a list.

    Attributes:
        name: what it is called.
        protocol: what a brief that names none is debated by.
        models: who answers a usual question, in the order of the seats.
        expected: US dollars that a usual question is expected to cost; None where a price is unknown.
        most: US dollars at most, with its limit.
        warnings: what its owner should know before a debate is paid.
        where: the file that it stands in.
        problem: why it cannot be used; "" where it can.
    """

    name: str
    protocol: str = ""
    models: tuple[str, ...] = ()
    expected: float | None = None
    most: float | None = None
    warnings: tuple[str, ...] = ()
    where: str = ""
    problem: str = ""


async def preset_data(workspace: Workspace, preset: Preset) -> PresetRow:
    """A preset, and what a usual question would cost with it. Nothing is sent to any model."""
    row = PresetRow(name=preset.name, where=preset.where, models=preset.models)
    settings = {PRESET: LocatedValue(value=preset.name, line=0)}
    try:
        ready = await prepare(workspace, read_brief(USUAL_QUESTION, settings=settings), Overrides(cast="builtin"))
    except FolkmootError as error:
        return replace(row, problem=str(error))
    brief, costing, serving = ready.plan.brief, ready.costing, load_config().serve
    warnings, usual_cost = list(preset.warnings()), costing.usual_total.cost
    if costing.most.unpriced and (serving.daily is not None or serving.cost is not None):
        unknown = ", ".join(costing.most.unpriced)
        warnings.append(f"The price of {unknown} is unknown: [serve] limits spending, so no token can use it.")
    limit = brief.limits.cost
    return replace(
        row,
        protocol=ready.plan.name,
        models=tuple(participant.seat for participant in brief.participants if participant.duty == "debater"),
        expected=costing.expected_total.cost,
        most=usual_cost if usual_cost is None or limit is None else min(usual_cost, limit),
        warnings=tuple(warnings),
    )


def add_presets(text: str) -> Path:
    """Write presets behind what the user's own file of settings has; it stays as it is where they cannot stand there.

    Returns:
        The file.

    Raises:
        BriefError: the file cannot be read or written, or could not be read any more.
    """
    path = user_file()
    try:
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        joined = f"{before.rstrip()}\n\n{text}".lstrip()
        read_presets(tomllib.loads(joined).get("presets"), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, joined)
    except (OSError, ValueError) as error:
        raise BriefError(f"cannot be changed: {error}", where=str(path)) from error
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRecord:
    """A debate's entries and what they report."""

    entries: Sequence[Entry]
    report: Report


async def read_record(workspace: Workspace, debate: str) -> ReadRecord:
    """Read a record and report it.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    entries = await workspace.entries(debate)
    last = (await workspace.lines(debate))[len(entries) - 1]
    return await asyncio.to_thread(make_report, entries, debate=debate, where=workspace.place, last=last)


def make_report(entries: Sequence[Entry], *, debate: str, where: str, last: str) -> ReadRecord:
    """Make the report of entries; see ``folkmoot.report.report``."""
    full_report = report(entries, debate=debate, where=where, head=digest(last))
    if full_report.outcome.status in UNDECIDED:
        full_report = replace(full_report, ways=ways_to_decide(entries, debate))
    return ReadRecord(entries=entries, report=full_report)


def with_notes(record: ReadRecord, notes: Sequence[str]) -> ReadRecord:
    """The report with more notes on the outcome, such as that a document has changed since."""
    outcome = record.report.outcome
    return replace(record, report=replace(record.report, outcome=replace(outcome, notes=(*outcome.notes, *notes))))


async def compare(workspace: Workspace, debate: str, other: str) -> Comparison:
    """Compare two debates.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    sides = await workspace.entries(debate), await workspace.entries(other)
    return await asyncio.to_thread(set_side_by_side, *sides, names=(debate, other))


async def parent(workspace: Workspace, debate: str) -> str:
    """The debate that a fork was forked from.

    Raises:
        BriefError: the debate is no fork.
        RecordError: there is no such debate, or its record is damaged.
    """
    text = opening(debate, await workspace.entries(debate)).forked.rpartition("@")[0]
    if not text:
        raise BriefError(f"{debate} is not a fork; name the debate to compare it with", code="missing_key")
    return text


def write_comparison(comparison: Comparison) -> str:
    """A comparison as JSON."""
    return json.dumps(report_as_data(comparison), ensure_ascii=False, indent=2) + "\n"


def write_report(report: Report) -> str:
    """A report as Markdown."""
    return markdown(report)


def write_data(report: Report) -> str:
    """A report as JSON."""
    return json.dumps(report_as_data(report), ensure_ascii=False, indent=2) + "\n"


def save_report(report: Report, folder: Path) -> Path:
    """Write a report as Markdown into a folder, which is made; where it is then.

    Raises:
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_name(report.topic, report.debate)}.md"
    save(path, write_report(report))
    return path


def write_log(record: ReadRecord, mode: LogMode) -> Mapping[str, str]:
    """A record as texts, in one of LOGS: what is to stand behind the name of each file, the one to read first."""
    return write_texts(mode, record.report, record.entries)


def save_log(record: ReadRecord, mode: LogMode, folder: Path) -> tuple[Path, ...]:
    """Write a log into a folder, which is made, beside the report; where it is then.

    Raises:
        OSError: the folder cannot be made or a file not written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name(record.report.topic, record.report.debate)
    texts = write_log(record, mode)
    for ending, text in texts.items():
        save(folder / f"{name}{ending}", text)
    return tuple(folder / f"{name}{ending}" for ending in texts)
