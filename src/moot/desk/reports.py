"""Reports at the desk. This file owns how a host gets what the readers read, without knowing them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from moot.core.event import Entry, Failed
from moot.core.transcript import Transcript
from moot.desk.desk import Desk
from moot.readers.files import file_name
from moot.readers.files import save as write_file
from moot.readers.markdown import markdown
from moot.readers.report import Report, as_data, report
from moot.readers.spoken import Spoken, speak
from moot.readers.wording import listed, noun, owned, title
from moot.record.codec import digest

__all__ = [
    "FORMATS",
    "Recount",
    "Report",
    "Spoken",
    "listed",
    "noun",
    "owned",
    "recount",
    "save_report",
    "spoken",
    "title",
    "write_file",
    "write_report",
]

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
    head = digest((await desk.lines(debate))[len(entries) - 1])
    return Recount(entries=entries, report=report(entries, debate=debate, where=desk.place, head=head))


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


def spoken(transcript: Transcript, key: str, failed: Failed | None = None) -> Spoken:
    """A turn in words: who, on whose turn, which fields.

    Args:
        transcript: with the debate's opening and that ask.
        key: the ask's key.
        failed: its failure, if it has failed.
    """
    assert transcript.brief is not None
    return speak(transcript.get(key), transcript, transcript.brief, failed.kind if failed else "")
