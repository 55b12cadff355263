"""Logs: a record in the form that its owner asked for. This file owns the modes and the files of each.

``full_markdown`` is the report. ``summary_only`` is what was said last and what follows. ``json_log`` has tokens and
times of every turn. ``verbose`` is the report with every question in full. ``visual_tree`` is the argument map.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, get_args

from moot.arguments.svg import svg
from moot.arguments.tree import as_data
from moot.core.event import Entry
from moot.core.text import clean_data
from moot.report.claims import whole
from moot.report.journal import journal
from moot.report.logs import metered
from moot.report.markdown import markdown
from moot.report.markdown_text import inline
from moot.report.pieces import LONG
from moot.report.report import Report
from moot.report.summary import summary

Mode: TypeAlias = Literal["full_markdown", "summary_only", "json_log", "verbose", "visual_tree"]
MODES: tuple[Mode, ...] = get_args(Mode)


def write(mode: Mode, report: Report, entries: Sequence[Entry]) -> Mapping[str, str]:
    """A record as texts.

    Args:
        mode: which of MODES.
        report: what the record has to report.
        entries: the record.

    Returns:
        What is to stand behind the name of each file, with its text; the first is the one to read.
    """
    match mode:
        case "full_markdown":
            return {".md": markdown(report)}
        case "summary_only":
            return {".summary.md": summary(report)}
        case "json_log":
            return {".log.json": _json(metered(report, entries))}
        case "verbose":
            return {".verbose.md": f"{markdown(report)}\n{journal(report, entries)}"}
        case _:
            return _tree(report)


def _tree(report: Report) -> Mapping[str, str]:
    found, judged = report.arguments, report.judged
    page = [f"# Argument map: {inline(report.topic, LONG)}", *whole(found, judged)]
    return {
        ".tree.md": "\n\n".join(page) + "\n",
        ".tree.svg": svg(found, judged, report.topic),
        ".tree.json": _json({"debate": report.debate, "topic": report.topic, **as_data(found, judged)}),
    }


def _json(data: Mapping[str, object]) -> str:
    return json.dumps(clean_data(data), ensure_ascii=False, indent=2) + "\n"
