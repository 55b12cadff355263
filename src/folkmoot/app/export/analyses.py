"""Analyses of debates for hosts: as data, as a page, and with plots."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from folkmoot.analysis.analysis import Analysis, analyse, overview
from folkmoot.analysis.formal_claims import formal_claims
from folkmoot.analysis.review import insights, review
from folkmoot.app.export.plots import Plot, draw, draw_all
from folkmoot.app.export.proofs import prove
from folkmoot.app.export.reports import check_target, file_name, save
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError, RecordError
from folkmoot.core.event import Entry
from folkmoot.report.markdown import markdown
from folkmoot.report.report import Report, as_data

PAGE = "analysis.md"
"""The page that stands beside the plots."""


async def analyse_debates(
    workspace: Workspace, debates: Sequence[str], *, formal: bool = False
) -> tuple[tuple[Analysis, ...], Mapping[str, str]]:
    """Analyse debates, each once.

    Args:
        workspace: where their records are.
        debates: their ids.
        formal: whether claims that are stated formally are checked.

    Returns:
        The analyses; and of the debates whose records are damaged, the reasons, by id.

    Raises:
        RecordError: none of them can be read.
    """
    analyses: list[Analysis] = []
    damaged: dict[str, RecordError] = {}
    for debate in dict.fromkeys(debates):
        try:
            entries = await workspace.entries(debate)
            checked = await prove(formal_claims(entries)) if formal else None
            analyses.append(replace(analyse(entries, debate=debate), formal=checked))
        except RecordError as error:
            damaged[debate] = error
    if damaged and not analyses:
        raise next(iter(damaged.values()))
    return tuple(analyses), {debate: str(error) for debate, error in damaged.items()}


def write_analysis(analyses: Sequence[Analysis], plots: Mapping[str, Sequence[str]] | None = None) -> str:
    """Analyses as Markdown; ``plots`` names the files of the pictures for each debate."""
    return review(analyses, overview(analyses), plots or {})


def write_data(analyses: Sequence[Analysis], damaged: Mapping[str, str] | None = None) -> str:
    """Analyses as JSON: the debates, each with its insights, their sums, and those that are damaged, with reasons."""
    debates = [{**as_data(analysis), "insights": list(insights(analysis))} for analysis in analyses]
    data = {"debates": debates, "overview": as_data(overview(analyses)), "damaged": dict(damaged or {})}
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def save_analysis(analyses: Sequence[Analysis], folder: Path, form: Literal["svg", "png"] = "svg") -> tuple[Path, ...]:
    """Write the plots and a page that shows them into a new folder; returns the paths, the page first.

    Raises:
        BriefError: the library that draws is not installed, or the folder cannot be written.
    """
    plots = {analysis.debate: draw(analysis, form) for analysis in analyses}
    if len(analyses) > 1:
        plots[""] = draw_all(analyses, form)
    names = {
        debate: [f"{_stem(debate, analyses)}-{plot.name}.{form}" for plot in drawn] for debate, drawn in plots.items()
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        save(folder / PAGE, write_analysis(analyses, names))
        for debate, drawn in plots.items():
            _write(folder, names[debate], drawn)
    except OSError as error:
        raise BriefError(f"the plots cannot be written: {error.strerror or error}", where=str(folder)) from error
    return (folder / PAGE, *(folder / name for item in names.values() for name in item))


def save_illustrated(report: Report, entries: Sequence[Entry], path: Path) -> tuple[Path, ...]:
    """Write a report as Markdown with the plots of its debate as its last chapter, and the plots beside it, as SVG.

    Raises:
        BriefError: the library that draws is not installed, or a file cannot be written.
    """
    check_target(path)
    drawn = draw(analyse(entries, debate=report.debate))
    names = [f"{path.stem}-{plot.name}.svg" for plot in drawn]
    shown = [f"![{plot.name}]({quote(name)})" for plot, name in zip(drawn, names, strict=True)]
    try:
        save(
            path,
            "\n\n".join([markdown(report).rstrip("\n"), "## Plots", *(shown or ["There is nothing to draw."])]) + "\n",
        )
        _write(path.parent, names, drawn)
    except OSError as error:
        raise BriefError(f"cannot be written: {error.strerror or error}", where=str(path)) from error
    return (path, *(path.parent / name for name in names))


def _stem(debate: str, analyses: Sequence[Analysis]) -> str:
    return next((file_name(analysis.question, debate) for analysis in analyses if analysis.debate == debate), "all")


def _write(folder: Path, names: Sequence[str], drawn: Sequence[Plot]) -> None:
    for name, plot in zip(names, drawn, strict=True):
        (folder / name).write_bytes(plot.content)
