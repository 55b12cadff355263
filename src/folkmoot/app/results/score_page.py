"""The scoreboard as one HTML page: no script, no network, light, dark and on paper."""

from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import TypedDict

from jinja2 import Environment, StrictUndefined, Template

from folkmoot.app.results.score_tables import (
    arm_table,
    facts,
    flip_table,
    heading,
    pair_tables,
    question_table,
    span,
    verdicts,
)
from folkmoot.app.results.scoreboard import Scoreboard
from folkmoot.core.text import clean, flat


class Bar(TypedDict):
    """A difference as it is drawn, in percent of the width."""

    name: str
    planned: bool
    left: float
    width: float
    dot: float
    figures: str


class Plot(TypedDict):
    """The differences with their intervals on one scale."""

    bars: list[Bar]
    left: float
    width: float
    end: str


def page(board: Scoreboard) -> str:
    """The scoreboard as a whole HTML page."""
    tables = [arm_table(board), *pair_tables(board), flip_table(board)]
    return _template().render(
        board=board,
        heading=heading(board),
        verdicts=[
            (said.removesuffix(f" ({line.figures})"), line.figures)
            for said, line in zip(verdicts(board), board.verdicts, strict=True)
        ],
        plot=plot(board) if board.pairs else None,
        tables=[table for table in tables if table.rows],
        questions=question_table(board),
        facts=list(facts(board)),
    )


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        autoescape=True, finalize=_cleaned, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    text = resources.files("folkmoot.app.results").joinpath("scoreboard.html.jinja").read_text("utf-8")
    return environment.from_string(text)


def _cleaned(value: object) -> object:
    """A text of others without control characters; what the template has made itself stays."""
    return flat(clean(value)) if type(value) is str else value


def plot(board: Scoreboard) -> Plot:
    """Where the differences and their intervals lie, and the margin around 0."""
    ends = [abs(end) for pair in board.pairs for end in (pair.interval.low, pair.interval.high)]
    most = max(*ends, 1.2 * board.plan.margin)

    def at(value: float) -> float:
        return round(50 + 50 * value / most, 2)

    def bars() -> Iterator[Bar]:
        for pair in board.pairs:
            low, high = at(pair.interval.low), at(pair.interval.high)
            yield Bar(
                name=f"{pair.arm} - {pair.rival}",
                planned=pair.matched,
                left=low,
                width=round(high - low, 2),
                dot=at(pair.difference),
                figures=f"{pair.difference:+.3f} {span(pair.interval)}",
            )

    low, high = at(-board.plan.margin), at(board.plan.margin)
    return Plot(bars=list(bars()), left=low, width=round(high - low, 2), end=f"{most:.2f}")
