"""Files of a scoreboard: the page, JSON, tables as CSV and LaTeX, and the sentence for a paper."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec

from folkmoot.app.evaluation.arms import Arm
from folkmoot.app.export.reports import save
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_tables import MEASURES, money, p_text
from folkmoot.app.results.scoreboard import PairLine, Scoreboard
from folkmoot.core.text import counted, percent


def write_file(board: Scoreboard, form: str, place: Path) -> Path:
    """Write a scoreboard in one of ``FORMS`` into a folder, which is made; returns the file.

    Raises:
        OSError: it cannot be written.
    """
    name, write = FORMS[form]
    place.mkdir(parents=True, exist_ok=True)
    save(place / name, write(board))
    return place / name


def summary(board: Scoreboard) -> str:
    """The scoreboard as JSON."""
    return msgspec.json.format(msgspec.json.encode(board)).decode() + "\n"


def planned_pairs(board: Scoreboard) -> Iterator[tuple[PairLine, tuple[str, ...]]]:
    """The planned differences, with the cells that both tables have of each."""
    costs, several = {line.arm.name: line.usd for line in board.arms}, len(board.verdicts) > 1
    for pair in board.pairs:
        if pair.matched:
            yield (
                pair,
                (
                    *(pair.arm, pair.rival, str(pair.n), f"{pair.difference:+.3f}"),
                    *(f"{pair.interval.low:+.3f}", f"{pair.interval.high:+.3f}", p_text(pair.p)),
                    p_text(pair.adjusted if several and pair.adjusted is not None else pair.p),
                    "" if pair.cost_ratio is None else f"{pair.cost_ratio:.2f}",
                    "" if costs[pair.arm] is None else money(costs[pair.arm]),
                ),
            )


HEADS: Final = ("arm", "rival", "n", "difference", "low", "high", "p", "p (Holm)", "cost ratio", "USD a question")


def as_csv(board: Scoreboard) -> str:
    """The planned differences as CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADS, *(cells for _, cells in planned_pairs(board))])
    return text.getvalue()


def as_latex(board: Scoreboard) -> str:
    """The planned differences as a table of LaTeX."""
    heads = ("Arm", "Rival", "$n$", "Difference", r"95\% CI", "$p$", "$p$ (Holm)", "Cost ratio", r"US\$ a question")
    rows = [
        " & ".join(map(_tex, (*cells[:4], f"[{cells[4]}, {cells[5]}]", *cells[6:]))) + r" \\"
        for _, cells in planned_pairs(board)
    ]
    head = " & ".join(heads) + r" \\"
    lines = [r"\begin{tabular}{llrrlrrrr}", r"\hline", head, r"\hline", *rows, r"\hline", r"\end{tabular}"]
    return "\n".join(["% " + sentence.replace("%", r"\%") for sentence in paper(board)] + lines) + "\n"


def _tex(text: str) -> str:
    signs = {"\\": r"\textbackslash{}", "<": "$<$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(signs.get(sign, f"\\{sign}" if sign in "&%$#_{}" else sign) for sign in text)


def paper(board: Scoreboard) -> Iterator[str]:
    """Each planned difference as a sentence for a paper: n, difference, interval, p, correction, cost."""
    lines = {line.arm.name: line for line in board.arms}
    groups = f" in {counted(board.groups, 'group')}" if board.groups < board.questions else ""
    several, score = len(board.verdicts) > 1, board.plan.score
    for pair, _ in planned_pairs(board):
        arm, rival = lines[pair.arm], lines[pair.rival]
        p = p_text(pair.p if pair.adjusted is None or not several else pair.adjusted)
        p = f"p {p}" if p.startswith("<") else f"p = {p}"
        cost = "not known" if pair.cost_ratio is None else f"{pair.cost_ratio:.2f} times the cost"
        price = f", US${money(arm.usd)} a question" if arm.usd else ""
        measure = MEASURES[score].replace("share right", "share of right answers")
        level, better = percent(pair.interval.level), "" if score == "credit" else " in its favour"
        yield (
            f"On {counted(pair.n, 'question')}{groups}, {_named(arm.arm)} reached a {measure} of {arm.score:.3f} and "
            f"{_named(rival.arm)} {rival.score:.3f} at {cost}{price}: a paired difference of {pair.difference:+.3f}"
            f"{better} ({level} CI [{pair.interval.low:+.3f}, {pair.interval.high:+.3f}]; {p}, "
            f"{'Holm-corrected' if several else 'uncorrected'})."
        )


def _named(arm: Arm) -> str:
    """An arm with what it does, where its name does not say it."""
    return arm.name if arm.title == arm.name else f"{arm.name} ({arm.title})"


def _paper(board: Scoreboard) -> str:
    return "\n".join(paper(board)) + "\n"


FORMS: Final[Mapping[str, tuple[str, Callable[[Scoreboard], str]]]] = MappingProxyType(
    {
        "html": ("scoreboard.html", page),
        "json": ("summary.json", summary),
        "csv": ("differences.csv", as_csv),
        "latex": ("differences.tex", as_latex),
        "paper": ("sentences.txt", _paper),
    }
)
"""The formats by name: the file, and what writes it."""
