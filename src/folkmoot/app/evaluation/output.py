"""The scoreboard as text, page and files. Terminal and page show the same words and numbers.

Formats: a page of HTML to forward, JSON, tables as CSV and LaTeX, and sentences for a paper.
"""

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec
from jinja2 import Environment, StrictUndefined, Template

from folkmoot.app.evaluation.scoreboard import PairLine, Scoreboard
from folkmoot.app.evaluation.setup import Arm
from folkmoot.app.export.reports import save
from folkmoot.core.text import clean, counted, flat, percent, shorten
from folkmoot.evaluation.flips import FlipRate
from folkmoot.evaluation.paired import Interval

MEASURES: Final[Mapping[str, str]] = {
    "credit": "share right",
    "log_loss": "log loss (lower is better)",
    "brier": "Brier score (lower is better)",
}
WIDEST: Final = 100
"""Columns of a terminal."""

UNKNOWN: Final = "not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of texts, with a sentence below it."""

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def lines(self) -> Iterator[str]:
        """The table in columns, at most 100 wide."""
        wide = [max(map(len, column)) for column in zip(self.heads, *self.rows, strict=True)]
        wide[0] = max(min(wide[0], WIDEST - sum(wide[1:]) - 2 * (len(wide) - 1)), 8)
        yield self.title
        for row in (self.heads, *self.rows):
            others = (f"{cell:>{size}}" for cell, size in zip(row[1:], wide[1:], strict=True))
            yield "  ".join([f"{short(row[0], wide[0]):<{wide[0]}}", *others]).rstrip()
        if self.note:
            yield self.note


def short(text: str, limit: int = 26) -> str:
    """A name in one line, cut after a number of characters and marked with "…"."""
    return shorten(flat(clean(text)), limit)


def span(interval: Interval, sign: str = "+") -> str:
    """An interval: ``[+0.004, +0.046]``; of a value that has no sign ``[0.404, 0.446]``."""
    return f"[{interval.low:{sign}.3f}, {interval.high:{sign}.3f}]"


def money(value: float | None, sign: str = "") -> str:
    """US dollars with at least two significant digits."""
    if value is None:
        return UNKNOWN
    return f"{sign}{value:.{max(2, 1 - math.floor(math.log10(value)))}f}" if value else f"{sign}0"


def p_text(p: float) -> str:
    """A p value; below a thousandth only that."""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def heading(board: Scoreboard) -> str:
    """What was evaluated, in one line."""
    plan, of = board.plan, f"{board.questions} of {counted(board.plan.planned, 'question')}"
    repeats = f", {plan.epochs} times each" if plan.epochs > 1 else ""
    currency = plan.currency.replace("usd", "US dollars")
    return f"{plan.name}: {of}{repeats}; score: {MEASURES[plan.score]}; equal cost in {currency}"


def verdicts(board: Scoreboard) -> Iterator[tuple[str, str]]:
    """The verdict on each debate, with its name where there are several; and the figures behind it."""
    for line in board.verdicts:
        subject = f"{line.arm} against {line.rival}: " if line.rival else f"{line.arm}: "
        yield (subject if len(board.verdicts) > 1 else "") + line.verdict.says, line.verdict.figures


def facts(board: Scoreboard) -> Iterator[str]:
    """What stands below the scoreboard: what this data could show, groups, looks, plan and prices."""
    plan = board.plan
    for pair in board.pairs:
        if pair.planned:
            yield (
                f"smallest difference that could be shown against {pair.compared.rival}: {pair.smallest:.3f}; "
                f"{plan.margin:g} needs {counted(pair.needed, 'question')}"
            )
    looks = ", ".join(percent(share) for share in plan.looks)
    yield f"margin {plan.margin:g}; level {plan.alpha:g}; looks at {looks}"
    charged, paid = money(board.charged_usd, "$"), money(board.run.paid_usd, "$")
    prices = f"; prices of {plan.prices_date}" if plan.prices_date else ""
    yield f"charged to all arms: {charged}; paid: {paid}, {board.run.paid_tokens:,} tokens{prices}"
    yield f"plan {board.plan_hash[:16]}; seed {plan.seed}"


def tables(board: Scoreboard) -> Iterator[Table]:
    """All tables but that of the questions."""
    yield _arm_table(board)
    yield from pair_tables(board)
    if board.flips:
        yield _flip_table(board)


def _arm_table(board: Scoreboard) -> Table:
    """Each arm alone, without what happened in none of them."""
    counts = {"tied": "tied", "unread": "not readable", "failed": "failed", "debated": "debated"}
    each = [{**line.states, "debated": line.debated} for line in board.arms]
    there = [name for name in counts if any(own.get(name) for own in each)]
    return Table(
        title=f"Arms: {MEASURES[board.plan.score]}, 95% interval of each alone",
        heads=("arm", "score", "interval", *(counts[name] for name in there), "$ a question", "tokens", "calls"),
        rows=[
            (
                *(short(line.arm.name), f"{line.score:.3f}", span(line.interval, "")),
                *(str(own.get(name, 0)) for name in there),
                *(money(line.usd), f"{line.tokens:.0f}", f"{line.calls:.2f}"),
            )
            for line, own in zip(board.arms, each, strict=True)
        ],
        note="Compare arms by their differences below, not by these intervals.",
    )


def pair_tables(board: Scoreboard) -> Iterator[Table]:
    """Each debate minus the other arms, a table for each debate: two names in a cell would leave no room."""
    level = f"{100 * min((pair.compared.interval.level for pair in board.pairs), default=0.95):g}%"
    several = len(board.verdicts) > 1
    corrected = f" It goes by p (Holm), which is corrected for {len(board.verdicts)} verdicts." if several else ""
    holm = ("p (Holm)",) if several else ()
    for debate in dict.fromkeys(pair.arm for pair in board.pairs):
        yield Table(
            title=f"{short(debate)} minus another arm on the same questions (above 0 it is better), {level} interval",
            heads=("minus", "planned", "it is", "difference", "interval", "won", "lost", "p", *holm, "cost"),
            rows=[
                (
                    *(short(other.rival), "yes" if pair.planned else "no", _word(pair, board)),
                    *(f"{other.mean:+.3f}", span(other.interval), str(pair.won), str(pair.lost), p_text(other.p)),
                    *("" if pair.adjusted is None else p_text(pair.adjusted) for _ in holm),
                    f"{other.cost_ratio:.2f} x" if math.isfinite(other.cost_ratio) else UNKNOWN,
                )
                for pair, other in ((pair, pair.compared) for pair in board.pairs)
                if pair.arm == debate
            ],
            note=f"Planned: at equal cost; the verdict needs a small p and an interval without 0.{corrected}",
        )


def _word(pair: PairLine, board: Scoreboard) -> str:
    """What a line says of the debate: better, worse, as good (all of the interval is within the margin), or not known.

    It goes by the line alone; where there are several verdicts, with interval and p value corrected for their number.
    """
    interval, times = pair.corrected or pair.compared.interval, len(board.verdicts) if pair.planned else 1
    if interval.beyond_zero and times * pair.compared.p <= board.plan.alpha:
        return "better" if interval.low > 0 else "worse"
    margin = board.plan.margin
    return "as good" if -margin < interval.low and interval.high < margin else UNKNOWN


def _flip_table(board: Scoreboard) -> Table:
    """How often wrong answers became right, and right ones wrong."""

    def rate(rate: FlipRate) -> str:
        return f"{rate.turned} of {rate.n} {span(rate.interval, '')}" if rate.n else "0 of 0"

    return Table(
        title="Turned answers, 95% interval by question",
        heads=("arm", "of", "wrong to right", "right to wrong", "questions up", "down", "p"),
        rows=[
            (
                *(short(line.arm), line.of, rate(line.flips.to_right), rate(line.flips.to_wrong)),
                *(str(line.flips.questions_up), str(line.flips.questions_down), p_text(line.flips.p)),
            )
            for line in board.flips
        ],
    )


def question_table(board: Scoreboard) -> Table:
    """Each question with its difference, and the debate on record."""
    return Table(
        title="Each question: the debate minus the other arm",
        heads=("question", "debate - other", "difference", "record"),
        rows=[
            (short(line.question, 60), f"{line.arm} - {line.rival}", f"{line.difference:+.3f}", line.record)
            for line in board.by_question
        ],
    )


def screen(board: Scoreboard, *, everything: bool = False) -> Iterator[str]:
    """The scoreboard for a terminal of 100 columns; with ``everything`` also a line for each question."""
    yield heading(board)
    yield from (f"{says} ({figures})" if figures else says for says, figures in verdicts(board))
    for table in (*tables(board), *([question_table(board)] if everything and board.by_question else [])):
        yield ""
        yield from table.lines()
    yield ""
    yield from facts(board)
    if board.notes:
        yield ""
        yield from board.notes


# ---- files -----------------------------------------------------------------------------------------------------------


def page(board: Scoreboard) -> str:
    """The scoreboard as one HTML page: no script, no network, light, dark and on paper."""
    intervals = [pair.compared.interval for pair in board.pairs]
    ends = [abs(end) for interval in intervals for end in (interval.low, interval.high)]
    return _template().render(
        board=board,
        heading=heading(board),
        verdicts=list(verdicts(board)),
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
    text = resources.files("folkmoot.app.evaluation").joinpath("scoreboard.html.jinja").read_text("utf-8")
    return environment.from_string(text)


def summary(board: Scoreboard) -> str:
    """The scoreboard as JSON."""
    return msgspec.json.format(msgspec.json.encode(board)).decode() + "\n"


HEADS: Final = ("arm", "rival", "n", "difference", "low", "high", "p", "p (Holm)", "cost ratio", "USD a question")


def _planned(board: Scoreboard) -> Iterator[tuple[PairLine, tuple[str, ...]]]:
    """The planned differences, each with its cells under ``HEADS``."""
    costs, several = {line.arm.name: line.usd for line in board.arms}, len(board.verdicts) > 1
    for pair in board.pairs:
        if pair.adjusted is not None:
            other, interval = pair.compared, pair.compared.interval
            yield (
                pair,
                (
                    *(pair.arm, other.rival, str(other.n), f"{other.mean:+.3f}"),
                    *(f"{interval.low:+.3f}", f"{interval.high:+.3f}"),
                    *(p_text(other.p), p_text(pair.adjusted if several else other.p)),
                    f"{other.cost_ratio:.2f}" if math.isfinite(other.cost_ratio) else "",
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
        other, arm, rival = pair.compared, lines[pair.arm], lines[pair.compared.rival]
        p = f"p {cells[7]}" if cells[7].startswith("<") else f"p = {cells[7]}"
        cost = f"{cells[8]} times the cost" if cells[8] else "not known"
        price = f", US${money(arm.usd)} a question" if arm.usd else ""
        level, better = percent(other.interval.level), "" if score == "credit" else " in its favour"
        yield (
            f"On {counted(other.n, 'question')}{groups}, {named(arm.arm)} reached a {measure} of {arm.score:.3f} and "
            f"{named(rival.arm)} {rival.score:.3f} at {cost}{price}: a paired difference of {other.mean:+.3f}"
            f"{better} ({level} CI {span(other.interval)}; {p}, {corrected})."
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
