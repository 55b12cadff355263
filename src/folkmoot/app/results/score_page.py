"""The scoreboard as one HTML page: no script, no network, light, dark and on paper."""

from functools import lru_cache
from importlib import resources

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


def page(board: Scoreboard) -> str:
    """The scoreboard as a whole HTML page."""
    ends = [abs(end) for pair in board.pairs for end in (pair.interval.low, pair.interval.high)]
    most = max([1.2 * board.plan.margin, *ends])

    def at(difference: float) -> float:
        """Where it is drawn, in percent of the width."""
        return round(50 + 50 * difference / most, 2)

    return _template().render(
        board=board,
        heading=heading(board),
        verdicts=list(zip(verdicts(board), board.verdicts, strict=True)),
        span=span,
        most=most,
        at=at,
        tables=[table for table in (arm_table(board), *pair_tables(board), flip_table(board)) if table.rows],
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
