"""Files of a scoreboard: the page, JSON, tables as CSV and LaTeX, and the sentence for a paper."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec
from jinja2 import Environment, StrictUndefined, Template

from folkmoot.app.evaluation.setup import Arm
from folkmoot.app.export.reports import save
from folkmoot.app.results.scoreboard import PairLine, Scoreboard
from folkmoot.app.results.tables import (
    MEASURES,
    facts,
    heading,
    money,
    p_text,
    question_table,
    span,
    tables,
    verdicts,
)
from folkmoot.core.text import clean, counted, flat, percent


def page(board: Scoreboard) -> str:
    """The scoreboard as one HTML page: no script, no network, light, dark and on paper."""
    ends = [abs(end) for pair in board.pairs for end in (pair.interval.low, pair.interval.high)]
    return _template().render(
        board=board,
        heading=heading(board),
        verdicts=list(zip(verdicts(board), board.verdicts, strict=True)),
        span=span,
        most=max([1.2 * board.plan.margin, *ends]),
        tables=list(tables(board)),
        questions=question_table(board),
        facts=list(facts(board)),
    )


@lru_cache(maxsize=1)
def _template() -> Template:
    def cleaned(value: object) -> object:
        """A text of others without control characters; what the template has made itself stays."""
        return flat(clean(value)) if type(value) is str else value

    environment = Environment(
        autoescape=True, finalize=cleaned, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    text = resources.files("folkmoot.app.results").joinpath("scoreboard.html.jinja").read_text("utf-8")
    return environment.from_string(text)


def summary(board: Scoreboard) -> str:
    """The scoreboard as JSON."""
    return msgspec.json.format(msgspec.json.encode(board)).decode() + "\n"


HEADS: Final = ("arm", "rival", "n", "difference", "low", "high", "p", "p (Holm)", "cost ratio", "USD a question")


def _planned(board: Scoreboard) -> Iterator[tuple[PairLine, tuple[str, ...]]]:
    """The planned differences, each with its cells under ``HEADS``."""
    costs, several = {line.arm.name: line.usd for line in board.arms}, len(board.verdicts) > 1
    for pair in board.pairs:
        if pair.matched:
            corrected = pair.adjusted if several and pair.adjusted is not None else pair.p
            yield (
                pair,
                (
                    *(pair.arm, pair.rival, str(pair.n), f"{pair.difference:+.3f}"),
                    *(f"{pair.interval.low:+.3f}", f"{pair.interval.high:+.3f}", p_text(pair.p), p_text(corrected)),
                    "" if pair.cost_ratio is None else f"{pair.cost_ratio:.2f}",
                    "" if costs[pair.arm] is None else money(costs[pair.arm]),
                ),
            )


def as_csv(board: Scoreboard) -> str:
    """The planned differences as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADS, *(cells for _, cells in _planned(board))])
    return text.getvalue()


def as_latex(board: Scoreboard) -> str:
    """The planned differences as a table of LaTeX, with the sentences for a paper as comments."""
    signs = {"\\": r"\textbackslash{}", "<": "$<$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    signs = str.maketrans(signs | {sign: f"\\{sign}" for sign in "&%$#_{}"})
    heads = ("Arm", "Rival", "$n$", "Difference", r"95\% CI", "$p$", "$p$ (Holm)", "Cost ratio", r"US\$ a question")
    rows: list[tuple[str, ...]] = [heads]
    for _, cells in _planned(board):
        rows.append(tuple(cell.translate(signs) for cell in (*cells[:4], f"[{cells[4]}, {cells[5]}]", *cells[6:])))
    head, *body = (" & ".join(row) + r" \\" for row in rows)
    comments = ["% " + sentence.replace("%", r"\%") for sentence in paper(board)]
    table = [r"\begin{tabular}{llrrlrrrr}", r"\hline", head, r"\hline", *body, r"\hline", r"\end{tabular}"]
    return "\n".join([*comments, *table]) + "\n"


def paper(board: Scoreboard) -> Iterator[str]:
    """Each planned difference as a sentence for a paper: n, difference, interval, p, correction, cost."""

    def named(arm: Arm) -> str:
        return arm.name if arm.title == arm.name else f"{arm.name} ({arm.title})"

    lines = {line.arm.name: line for line in board.arms}
    groups = f" in {counted(board.groups, 'group')}" if board.groups < board.questions else ""
    corrected, score = "Holm-corrected" if len(board.verdicts) > 1 else "uncorrected", board.plan.score
    measure = MEASURES[score].replace("share right", "share of right answers")
    for pair, cells in _planned(board):
        arm, rival = lines[pair.arm], lines[pair.rival]
        p = f"p {cells[7]}" if cells[7].startswith("<") else f"p = {cells[7]}"
        cost = f"{cells[8]} times the cost" if cells[8] else "not known"
        price = f", US${money(arm.usd)} a question" if arm.usd else ""
        level, better = percent(pair.interval.level), "" if score == "credit" else " in its favour"
        yield (
            f"On {counted(pair.n, 'question')}{groups}, {named(arm.arm)} reached a {measure} of {arm.score:.3f} and "
            f"{named(rival.arm)} {rival.score:.3f} at {cost}{price}: a paired difference of {pair.difference:+.3f}"
            f"{better} ({level} CI {span(pair.interval)}; {p}, {corrected})."
        )


FORMS: Final[Mapping[str, tuple[str, Callable[[Scoreboard], str]]]] = MappingProxyType(
    {
        "html": ("scoreboard.html", page),
        "json": ("summary.json", summary),
        "csv": ("differences.csv", as_csv),
        "latex": ("differences.tex", as_latex),
        "paper": ("sentences.txt", lambda board: "\n".join(paper(board)) + "\n"),
    }
)
"""The formats by name: the file, and what writes it."""


def write_file(board: Scoreboard, form: str, place: Path) -> Path:
    """Write a scoreboard in one of ``FORMS`` into a folder, which is made; returns the file.

    Raises:
        OSError: it cannot be written.
    """
    name, write = FORMS[form]
    place.mkdir(parents=True, exist_ok=True)
    save(place / name, write(board))
    return place / name
