"""Plots of analyses with Matplotlib. The same analysis gives the same bytes: no date, no randomness.

Matplotlib (extra ``plots``) is imported when the first plot is drawn, and needs no screen.
"""

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from folkmoot.analysis.analysis import Analysis
from folkmoot.analysis.disagreement import Interaction, add
from folkmoot.core.errors import BriefError
from folkmoot.core.packages import missing_library
from folkmoot.core.text import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Form: TypeAlias = Literal["svg", "png"]

STYLE: Mapping[str, object] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "folkmoot",
    "text.parse_math": False,
}
_LONG = 32
_INCH = 0.32
_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A picture: what it shows, as part of a file's name, and its bytes."""

    name: str
    content: bytes


def draw(analysis: Analysis, form: Form = "svg") -> tuple[Plot, ...]:
    """The plots of one debate; only those for which there is something to show.

    Raises:
        BriefError: the library is not installed.
    """
    plots = [
        _plot("agreement", form, lambda figure: _holders(figure, analysis)) if analysis.agreement.stages else None,
        _plot("strength", form, lambda figure: _strengths(figure, analysis)) if analysis.beliefs.answers else None,
        _plot("ties", form, lambda figure: _matrix(figure, analysis.ties)) if analysis.ties else None,
        _plot("tokens", form, lambda figure: _tokens(figure, analysis)) if analysis.use.calls else None,
    ]
    return tuple(plot for plot in plots if plot)


def draw_all(analyses: Sequence[Analysis], form: Form = "svg") -> tuple[Plot, ...]:
    """The plots of many debates together.

    Raises:
        BriefError: the library is not installed.
    """
    ties = add(tie for analysis in analyses for tie in analysis.ties)
    plots = [
        _plot("agreement", form, lambda figure: _shares(figure, analyses))
        if any(analysis.agreement.stages for analysis in analyses)
        else None,
        _plot("ties", form, lambda figure: _matrix(figure, ties)) if ties else None,
    ]
    return tuple(plot for plot in plots if plot)


def _plot(name: str, form: Form, fill: "Callable[[Figure], None]") -> Plot:
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BriefError(missing_library("A plot", "plots"), code="missing_library") from error
    out, library = io.BytesIO(), cast(Any, matplotlib)  # its own types are not complete
    with library.rc_context({**library.rcParamsDefault, **STYLE}), warnings.catch_warnings():
        # A name may have letters that the font lacks; a viewer of the SVG has another font.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        fill(figure)
        metadata = {"Date": None, "Creator": "Folkmoot"} if form == "svg" else {"Software": "Folkmoot"}
        cast(Any, figure).savefig(out, format=form, dpi=150, metadata=metadata)
    return Plot(name=name, content=out.getvalue())


def _axes(figure: "Figure", title: str, wide: float, high: float) -> Any:
    figure.set_size_inches(wide, high)
    axes: Any = figure.add_subplot()
    axes.set_title(title, loc="left", fontsize=11)
    return axes


def _holders(figure: "Figure", analysis: Analysis) -> None:
    """For each stage how many hold which answer, stacked."""
    stages = analysis.agreement.stages
    axes = _axes(figure, "Who holds what", 6.4, 3.6)
    places = list(range(len(stages)))
    floor = [0] * len(stages)
    for answer in dict.fromkeys(name for stage in stages for name in stage.tally.holders):
        counts = [stage.tally.holders.get(answer, 0) for stage in stages]
        axes.bar(places, counts, bottom=floor, width=0.6, label=_shortened(answer))
        floor = [low + count for low, count in zip(floor, counts, strict=True)]
    axes.set_xticks(places, [stage.name for stage in stages])
    axes.set_ylabel("participants")
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _shares(figure: "Figure", analyses: Sequence[Analysis]) -> None:
    """For each debate the leading share after each stage."""
    axes = _axes(figure, "Share of the leading answer", 6.4, 3.6)
    for analysis in analyses:
        shares = [stage.tally.share for stage in analysis.agreement.stages]
        if shares:
            axes.plot(range(len(shares)), shares, marker="o", alpha=0.6, label=_shortened(analysis.debate))
    axes.set_ylim(0, 1.05)
    axes.set_xlabel("stage: 0 for the first answers")
    axes.xaxis.get_major_locator().set_params(integer=True)
    if len(analyses) <= 10:
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)


def _strengths(figure: "Figure", analysis: Analysis) -> None:
    """How strong each answer is on the argument map."""
    answers = analysis.beliefs.answers[:_ROWS]
    axes = _axes(figure, "Answers on the argument map", 6.4, 1.2 + _INCH * len(answers))
    colors = ["C0" if belief == analysis.beliefs.winner else "C7" for belief in answers]
    places = list(range(len(answers)))
    axes.barh(places, [belief.strength for belief in answers], color=colors)
    axes.set_yticks(places, [_shortened(belief.answer) for belief in answers])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("strength; 0.5 is a claim that nobody supports or attacks")


def _matrix(figure: "Figure", ties: Sequence[Interaction]) -> None:
    """Who supports whom (above 0) and attacks whom (below 0)."""
    names = list(dict.fromkeys(name for tie in ties for name in (tie.by, tie.to)))[:_ROWS]
    side = 2.4 + _INCH * len(names)
    axes = _axes(figure, "Supports minus attacks", side + 0.8, side)
    ties_by_pair = {(tie.by, tie.to): tie for tie in ties}
    pairs = [[ties_by_pair.get((by, to)) for to in names] for by in names]
    grid = [[tie.supports - tie.attacks if tie else 0 for tie in row] for row in pairs]
    scale = 2 * max(1, *(abs(n) for row in grid for n in row))  # half of the colours, so that numbers can be read
    axes.imshow(grid, cmap="RdBu", vmin=-scale, vmax=scale)
    for y, row in enumerate(pairs):
        for x, tie in enumerate(row):
            if tie and tie.answers:
                axes.text(x, y, f"{tie.supports - tie.attacks:+d}", ha="center", va="center", fontsize=8)
    places = list(range(len(names)))
    axes.set_xticks(places, [_shortened(name) for name in names], rotation=45, ha="right")
    axes.set_yticks(places, [_shortened(name) for name in names])
    axes.set_xlabel("towards whom")
    axes.set_ylabel("who")


def _tokens(figure: "Figure", analysis: Analysis) -> None:
    """Tokens in and out for each participant."""
    people = list(analysis.people.items())[:_ROWS]
    axes = _axes(figure, "Tokens", 6.4, 1.2 + _INCH * len(people))
    places, before = list(range(len(people))), [use.input_tokens for _, use in people]
    axes.barh(places, before, label="in")
    axes.barh(places, [use.output_tokens for _, use in people], left=before, label="out")
    axes.set_yticks(places, [_shortened(name) for name, _ in people])
    axes.invert_yaxis()
    axes.legend(frameon=False)


def _shortened(text: str) -> str:
    return shorten(" ".join(text.split()), _LONG)
