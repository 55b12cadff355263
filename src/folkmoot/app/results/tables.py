"""The scoreboard as sentences and tables of text: the terminal and the page show the same words and numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from folkmoot.app.results.scoreboard import PairLine, Scoreboard
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
    return UNKNOWN if value is None else f"{sign}{value:.2f}" if value >= 0.1 else f"{sign}{value:.2g}"


def p_text(p: float) -> str:
    """A p value; below a thousandth only that."""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def heading(board: Scoreboard) -> str:
    """What was evaluated, in one line."""
    plan, of = board.plan, f"{board.questions} of {counted(board.plan.planned, 'question')}"
    repeats = f", {plan.epochs} times each" if plan.epochs > 1 else ""
    currency = plan.currency.replace("usd", "US dollars")
    return f"{plan.name}: {of}{repeats}; score: {MEASURES[plan.score]}; equal cost in {currency}"


def verdicts(board: Scoreboard) -> Iterator[str]:
    """The verdict on each debate; with its name where there are several."""
    for line in board.verdicts:
        subject = f"{line.arm} against {line.rival}" if line.rival else line.arm
        yield f"{subject}: {line.sentence}" if len(board.verdicts) > 1 else line.sentence


def facts(board: Scoreboard) -> Iterator[str]:
    """What stands below the scoreboard: what this data could show, groups, looks, plan and prices."""
    plan = board.plan
    for pair in board.pairs:
        if pair.matched:
            yield (
                f"smallest difference that could be shown against {pair.rival}: {pair.smallest:.3f}; "
                f"{plan.margin:g} needs {counted(pair.needed, 'question')}"
            )
    looks = ", ".join(percent(share) for share in plan.looks)
    yield f"margin {plan.margin:g}; level {plan.alpha:g}; looks at {looks}; {counted(board.groups, 'group')}"
    charged, paid = money(board.charged_usd, "$"), money(board.paid_usd, "$")
    prices = f"; prices of {plan.prices_date}" if plan.prices_date else ""
    yield f"charged to all arms: {charged}; paid: {paid}, {board.paid_tokens:,} tokens{prices}"
    yield f"plan {board.plan_hash[:16]}{' (changed: exploratory)' if board.exploratory else ''}; seed {plan.seed}"


def tables(board: Scoreboard) -> Iterator[Table]:
    """All tables but that of the questions."""
    yield _arm_table(board)
    yield from pair_tables(board)
    if board.flips:
        yield _flip_table(board)


def _arm_table(board: Scoreboard) -> Table:
    """Each arm alone, without what happened in none of them."""
    counts = {"tied": "tied", "unread": "not readable", "failed": "failed", "debated": "debated"}
    there = [name for name in counts if any(getattr(line, name) for line in board.arms)]
    return Table(
        title=f"Arms: {MEASURES[board.plan.score]}, 95% interval of each alone",
        heads=("arm", "score", "interval", *(counts[name] for name in there), "$ a question", "tokens", "calls"),
        rows=[
            (
                *(short(line.arm.name), f"{line.score:.3f}", span(line.interval, "")),
                *(str(getattr(line, name)) for name in there),
                *(money(line.usd), f"{line.tokens:.0f}", f"{line.calls:.2f}"),
            )
            for line in board.arms
        ],
        note="Compare arms by their differences below, not by these intervals.",
    )


def pair_tables(board: Scoreboard) -> Iterator[Table]:
    """Each debate minus the other arms, a table for each debate: two names in a cell would leave no room."""
    level = f"{100 * min((pair.interval.level for pair in board.pairs), default=0.95):g}%"
    several = len(board.verdicts) > 1
    corrected = f" It goes by p (Holm), which is corrected for {len(board.verdicts)} verdicts." if several else ""
    holm = ("p (Holm)",) if several else ()
    for debate in dict.fromkeys(pair.arm for pair in board.pairs):
        yield Table(
            title=f"{short(debate)} minus another arm on the same questions (above 0 it is better), {level} interval",
            heads=("minus", "planned", "it is", "difference", "interval", "won", "lost", "p", *holm, "cost"),
            rows=[
                (
                    *(short(pair.rival), "yes" if pair.matched else "no", _word(pair, board)),
                    *(f"{pair.difference:+.3f}", span(pair.interval), str(pair.helped), str(pair.hurt), p_text(pair.p)),
                    *("" if pair.adjusted is None else p_text(pair.adjusted) for _ in holm),
                    UNKNOWN if pair.cost_ratio is None else f"{pair.cost_ratio:.2f} x",
                )
                for pair in board.pairs
                if pair.arm == debate
            ],
            note=f"Planned: at equal cost; the verdict needs a small p and an interval without 0.{corrected}",
        )


def _word(pair: PairLine, board: Scoreboard) -> str:
    """What a line says of the debate: better, worse, as good (all of the interval is within the margin), or not known.

    It goes by the line alone; where there are several verdicts, with interval and p value corrected for their number.
    """
    interval, times = pair.corrected or pair.interval, len(board.verdicts) if pair.matched else 1
    if interval.beyond_zero and times * pair.p <= board.plan.alpha:
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
    yield from verdicts(board)
    for table in (*tables(board), *([question_table(board)] if everything and board.by_question else [])):
        yield ""
        yield from table.lines()
    yield ""
    yield from facts(board)
    if board.notes:
        yield ""
        yield from board.notes
