"""The argument map at the desk. This file owns how a host gets it as it stood at any entry."""

from collections.abc import Sequence

from moot.app.run.outcome import opening
from moot.arguments.argument_map import argument_map, judge
from moot.arguments.mermaid import mermaid
from moot.arguments.tree import as_data
from moot.core.errors import BriefError
from moot.core.event import Entry
from moot.core.text import clean_data
from moot.report.report import Report


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
