"""The argument map at the desk. This file owns how a host gets it as it stood at any entry."""

from collections.abc import Sequence

from moot.core.errors import BriefError
from moot.core.event import Entry
from moot.core.text import clean_data
from moot.desk.outcome import opening
from moot.readers.arguments import argument_map, judge
from moot.readers.mermaid import mermaid
from moot.readers.report import Report
from moot.readers.tree import as_data


def map_at(entries: Sequence[Entry], debate: str, at: int | None = None) -> dict[str, object]:
    """The argument map as plain data, as ``moot report --as visual_tree`` writes it.

    Args:
        entries: the record.
        debate: its id.
        at: the last entry that counts; None for all.

    Raises:
        BriefError: there is no such entry.
    """
    if at is not None and not 1 <= at <= len(entries):
        raise BriefError(f"{debate} has entries 1 to {len(entries)}, not {at}", code="out_of_range")
    found = argument_map(entries[:at])
    topic = opening(debate, entries).brief.topic
    return clean_data({"debate": debate, "topic": topic, "at": at or len(entries), **as_data(found, judge(found))})


def mermaid_of(report: Report) -> str:
    """The argument map of a report as Mermaid text."""
    return mermaid(report.arguments, report.judged)
