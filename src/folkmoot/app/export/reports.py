"""Reports, argument maps, logs and plans for hosts: read from the record, written as files with names.

A file is complete when its name appears: no reader finds half of one.
"""

import asyncio
import json
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from folkmoot.app.run.outcome import opening
from folkmoot.app.run.workspace import Workspace
from folkmoot.arguments.argument_map import argument_map, judge
from folkmoot.arguments.tree import as_data, mermaid
from folkmoot.core.brief import LogMode
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry
from folkmoot.core.text import clean_data, slug
from folkmoot.record.sqlite import is_open
from folkmoot.record.store import digest
from folkmoot.report.compare import Comparison
from folkmoot.report.compare import compare as set_side_by_side
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
    if full_report.outcome.status in ("tie", "no_decision"):
        from folkmoot.app.plan.next_steps import ways_to_decide  # here for start-up time

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
