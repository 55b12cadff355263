"""Reports at the desk. This file owns how a host gets what the readers read, without knowing them."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.app.export.files import file_name
from moot.app.export.files import save as write_file
from moot.app.run.outcome import opening
from moot.app.run.people import for_people
from moot.app.run.workspace import Desk
from moot.core.errors import BriefError
from moot.core.event import Entry, Failed
from moot.core.transcript import Transcript
from moot.record.codec import digest
from moot.report.compare import Comparison
from moot.report.compare import compare as set_side_by_side
from moot.report.markdown import markdown
from moot.report.readers_logs import Mode
from moot.report.readers_logs import write as write_texts
from moot.report.report import Report, as_data, report
from moot.report.turn_text import Spoken, speak

FORMATS = ("md", "json")
"""How a report can be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """A debate's entries and what they report."""

    entries: Sequence[Entry]
    report: Report


async def recount(desk: Desk, debate: str) -> Recount:
    """Read a record and report it.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    entries = await desk.entries(debate)
    last = (await desk.lines(debate))[len(entries) - 1]
    return await asyncio.to_thread(reported, entries, debate=debate, where=desk.place, last=last)


def reported(entries: Sequence[Entry], *, debate: str, where: str, last: str) -> Recount:
    """What entries report, the last of which is stored as that line; see ``moot.report.report``."""
    return Recount(entries=entries, report=report(entries, debate=debate, where=where, head=digest(last)))


async def compare(desk: Desk, one: str, other: str) -> Comparison:
    """Set two debates side by side.

    Raises:
        RecordError: there is no such debate, or its record is damaged.
    """
    sides = await desk.entries(one), await desk.entries(other)
    return await asyncio.to_thread(set_side_by_side, *sides, names=(one, other))


async def parent(desk: Desk, debate: str) -> str:
    """The debate that a fork was forked from.

    Raises:
        BriefError: the debate is no fork.
        RecordError: there is no such debate, or its record is damaged.
    """
    found = opening(debate, await desk.entries(debate)).forked.rpartition("@")[0]
    if not found:
        raise BriefError(f"{debate} is no fork; name the debate to compare it with", code="missing_key")
    return found


def write_comparison(found: Comparison) -> str:
    """A comparison as JSON."""
    return json.dumps(as_data(found), ensure_ascii=False, indent=2) + "\n"


def write_report(report: Report, form: str = "md") -> str:
    """A report as text, in one of FORMATS."""
    if form == "json":
        return json.dumps(as_data(report), ensure_ascii=False, indent=2) + "\n"
    return markdown(report)


def save_report(report: Report, folder: Path) -> Path:
    """Write a report as Markdown into a folder, which is made; where it is then.

    Raises:
        OSError: the folder cannot be made or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{file_name(report.topic, report.debate)}.md"
    write_file(path, write_report(report))
    return path


def write_log(found: Recount, mode: Mode) -> Mapping[str, str]:
    """A record as texts, in one of MODES: what is to stand behind the name of each file, the one to read first."""
    return write_texts(mode, found.report, found.entries)


def save_log(found: Recount, mode: Mode, folder: Path) -> tuple[Path, ...]:
    """Write a log into a folder, which is made, beside the report; where it is then.

    Raises:
        OSError: the folder cannot be made or a file not written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    name = file_name(found.report.topic, found.report.debate)
    texts = write_log(found, mode)
    for ending, text in texts.items():
        write_file(folder / f"{name}{ending}", text)
    return tuple(folder / f"{name}{ending}" for ending in texts)


def spoken(transcript: Transcript, key: str, failed: Failed | None = None) -> Spoken:
    """A turn in words, as the people at the table may read it: who, on whose turn, which fields.

    Args:
        transcript: with the debate's opening and that ask.
        key: the ask's key.
        failed: its failure, if it has failed.
    """
    assert transcript.brief is not None
    turn = for_people(transcript.brief, transcript.get(key))
    return speak(turn, transcript, transcript.brief, failed.kind if failed else "")
