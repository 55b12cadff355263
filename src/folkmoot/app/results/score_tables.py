"""The scoreboard as sentences and tables of text: the terminal and the page show the same words and numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from folkmoot.app.results.scoreboard import LAST, ArmLine, FlipLine, GateLine, LiarLine, PairLine, Scoreboard
from folkmoot.core.text import clean, counted, flat, percent, shorten
from folkmoot.evaluation.flips import FlipRate
from folkmoot.evaluation.paired import Interval

MEASURES: Final[Mapping[str, str]] = {
    "credit": "share right",
    "log_loss": "log loss (lower is better)",
    "brier": "Brier score (lower is better)",
}
COSTS: Final[Mapping[str, str]] = {"usd": "$ a question", "tokens": "tokens a question", "calls": "calls a question"}
WIDEST: Final = 100
"""Columns of a terminal."""
LONGEST_NAME: Final = 26
SHORT_CURVE: Final = 10
"""A curve of this number of points is always shown."""
SHORT_PARTS: Final = 24
"""Lines about parts of the questions that are always shown."""

UNKNOWN: Final = "not known"
STATES: Final = ("tied", "not readable", "failed", "debated")
PLANNED: Final = "Planned: compared at equal cost; the verdict goes by it, and needs p and an interval without 0."


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table of texts.

    Attributes:
        key: its name for programs.
        title: what it shows.
        heads: of its columns.
        rows: its cells.
        note: a sentence below it; "" for none.
    """

    key: str
    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""

    def lines(self) -> Iterator[str]:
        """The table in columns, at most 100 wide."""
        cells = [list(self.heads), *(list(row) for row in self.rows)]
        wide = [max(len(row[column]) for row in cells) for column in range(len(self.heads))]
        wide[0] = max(min(wide[0], WIDEST - sum(wide[1:]) - 2 * (len(wide) - 1)), 8)
        yield self.title
        for row in cells:
            first = f"{short(row[0], wide[0]):<{wide[0]}}"
            yield "  ".join(
                [first, *(f"{cell:>{size}}" for cell, size in zip(row[1:], wide[1:], strict=True))]
            ).rstrip()
        if self.note:
            yield self.note


def short(text: str, limit: int = LONGEST_NAME) -> str:
    """A name in one line, cut after a number of characters and marked with "…"."""
    return shorten(flat(clean(text)), limit)


def span(interval: Interval | None) -> str:
    """An interval: ``[+0.004, +0.046]``."""
    return f"[{interval.low:+.3f}, {interval.high:+.3f}]" if interval else UNKNOWN


def plain_span(interval: Interval | None) -> str:
    """An interval of a value that has no sign: ``[0.404, 0.446]``."""
    return f"[{interval.low:.3f}, {interval.high:.3f}]" if interval else UNKNOWN


def number(value: float | None, form: str = ".3f") -> str:
    """A number, or that it is not known."""
    return UNKNOWN if value is None else format(value, form)


def money(value: float | None) -> str:
    """US dollars with at least two significant digits."""
    return UNKNOWN if value is None else f"{value:.2f}" if value >= 0.1 else f"{value:.2g}"


def p_text(p: float) -> str:
    """A p value; below a thousandth only that."""
    return f"{p:.3f}" if p >= 0.001 else "<0.001"


def heading(board: Scoreboard) -> str:
    """What was evaluated, in one line."""
    of = f"{board.questions} of {counted(board.planned, 'question')}"
    repeats = f", {board.epochs} times each" if board.epochs > 1 else ""
    currency = board.currency.replace("usd", "US dollars")
    return f"{board.name}: {of}{repeats}; score: {MEASURES[board.score]}; equal cost in {currency}"


def verdicts(board: Scoreboard) -> Iterator[str]:
    """The verdict on each debate; with its name where there are several."""
    for line in board.verdicts:
        yield f"{line.arm}: {line.sentence}" if len(board.verdicts) > 1 else line.sentence


def facts(board: Scoreboard) -> Iterator[str]:
    """What stands below the scoreboard: what this data could show, groups, looks, plan and prices."""
    for pair in board.pairs:
        if pair.matched:
            yield (
                f"smallest difference that could be shown against {pair.rival}: {pair.smallest:.3f}; "
                f"{board.margin:g} needs {counted(pair.needed, 'question')}"
            )
    looks = ", ".join(percent(share) for share in board.looks) or "100%"
    yield f"margin {board.margin:g}; level {board.alpha:g}; looks at {looks}; {counted(board.groups, 'group')}"
    charged = UNKNOWN if board.charged_usd is None else f"${money(board.charged_usd)}"
    paid = UNKNOWN if board.paid_usd is None else f"${money(board.paid_usd)}"
    prices = f"; prices of {board.prices_date}" if board.prices_date else ""
    yield f"charged to all arms: {charged}; paid: {paid}, {board.paid_tokens:,} tokens{prices}"
    yield f"plan {board.plan_hash[:16]}{' (changed: exploratory)' if board.exploratory else ''}; seed {board.seed}"


def tables(board: Scoreboard) -> list[Table]:
    """All tables that have rows, in the order in which they are read."""
    makers: Sequence[Callable[[Scoreboard], Table]] = (
        arm_table,
        pair_table,
        flip_table,
        rate_table,
        seat_table,
        voices_table,
        calibration_table,
        bin_table,
        curve_table,
        front_table,
        gate_table,
        liar_table,
        order_table,
        part_table,
    )
    return [table for make in makers if (table := make(board)).rows]


def arm_table(board: Scoreboard) -> Table:
    """Each arm alone."""
    return Table(
        key="arms",
        title=f"Arms: {MEASURES[board.score]}, 95% interval of each alone",
        heads=("arm", "score", "interval", *STATES, "$ a question", "tokens", "calls"),
        rows=[_arm(arm) for arm in board.arms],
        note="Compare arms by their differences below, not by these intervals.",
    )


def _arm(arm: ArmLine) -> Sequence[str]:
    states = (str(arm.tied), str(arm.unread), str(arm.failed), str(arm.debated))
    costs = (money(arm.usd), f"{arm.tokens:.0f}", f"{arm.calls:.2f}")
    return (short(arm.name), f"{arm.score:.3f}", plain_span(arm.interval), *states, *costs)


def pair_table(board: Scoreboard) -> Table:
    """Each debate minus the other arms."""
    alone = f" p is of each line alone; the verdicts go by p adjusted for {len(board.verdicts)} debates (Holm)."
    levels = {pair.interval.level for pair in board.pairs}
    level = f"{100 * min(levels, default=0.95):g}%"
    return Table(
        key="pairs",
        title=f"Debate minus another arm on the same questions (above 0 the debate is better), {level} interval",
        heads=("debate - other", "planned", "debate is", "difference", "interval", "helped", "hurt", "p", "same cost?"),
        rows=[_pair_row(pair, board) for pair in board.pairs],
        note=PLANNED + (alone if len(board.verdicts) > 1 else ""),
    )


def _pair_row(pair: PairLine, board: Scoreboard) -> Sequence[str]:
    ratio = "cost not known" if pair.cost_ratio is None else f"{pair.cost_ratio:.2f} x"
    equal = f"{'yes' if pair.equal_cost else 'no'}, {ratio}"
    counts = (str(pair.helped), str(pair.hurt), p_text(pair.p), equal)
    names = f"{short(pair.arm)} - {short(pair.rival)}"
    rival = "yes" if pair.matched else "no"
    return (names, rival, pair_word(pair, board), f"{pair.difference:+.3f}", span(pair.interval), *counts)


def pair_word(pair: PairLine, board: Scoreboard) -> str:
    """What a line says of the debate: better, worse, as good (all of the interval is within the margin), or not known.

    It goes by the interval and the p value that the verdict goes by where there are several debates.
    """
    interval, p = pair.corrected or pair.interval, pair.p if pair.adjusted is None else pair.adjusted
    if interval.beyond_zero and p <= board.alpha:
        return "better" if interval.low > 0 else "worse"
    return "as good" if -board.margin < interval.low and interval.high < board.margin else UNKNOWN


def flip_table(board: Scoreboard) -> Table:
    """First answers against last answers, as counts."""
    return Table(
        key="flips",
        title="First and last answers",
        heads=("arm", "of", "before", "after", "answers"),
        rows=[
            (line.arm, line.of, turned.before, turned.after, str(turned.n))
            for line in board.flips
            for turned in line.turned
        ],
    )


def rate_table(board: Scoreboard) -> Table:
    """How often wrong answers became right, and right ones wrong."""
    return Table(
        key="rates",
        title="Turned answers, 95% interval by question",
        heads=("arm", "of", "wrong to right", "right to wrong", "questions up", "down", "p"),
        rows=[_flip(line) for line in board.flips],
    )


def _flip(line: FlipLine) -> Sequence[str]:
    counts = (str(line.questions_up), str(line.questions_down), p_text(line.p))
    return (line.arm, line.of, _rate(line.to_right), _rate(line.to_wrong), *counts)


def _rate(rate: FlipRate) -> str:
    return f"{rate.turned} of {rate.n} {plain_span(rate.interval)}" if rate.n else "0 of 0"


def seat_table(board: Scoreboard) -> Table:
    """What each participant adds to the count."""
    return Table(
        key="seats",
        title="What each participant adds to the count of answers, 95% interval",
        heads=("participant", "arm", "answers", "alone", "without it", "interval", "Shapley", "interval"),
        rows=[
            (
                short(f"{line.seat} ({line.model})" if line.model else line.seat),
                short(line.arm, 14),
                line.moment,
                f"{line.alone:.3f}",
                f"{line.left_out:+.3f}",
                span(line.left_out_interval),
                number(line.shapley, "+.3f"),
                span(line.shapley_interval),
            )
            for line in board.seats
        ],
        note='Of the count, not of the talk. "without it": what the count loses. With no answers the count is 0.',
    )


def voices_table(board: Scoreboard) -> Table:
    """How many independent votes."""
    return Table(
        key="voices",
        title="Effective number of independent votes, 95% interval",
        heads=("arm", "answers", "participants", "effective votes", "interval", "correlation", "Krippendorff's alpha"),
        rows=[
            (
                short(line.arm),
                line.moment,
                str(line.voters),
                number(line.effective, ".2f"),
                f"[{line.interval.low:.2f}, {line.interval.high:.2f}]" if line.interval else UNKNOWN,
                number(line.correlation, ".2f"),
                number(line.alpha),
            )
            for line in board.voices
        ],
        note="Below 50 questions the effective number is not known." if board.questions < 50 else "",
    )


def calibration_table(board: Scoreboard) -> Table:
    """The calibration of probabilities."""
    return Table(
        key="calibration",
        title="Calibration",
        heads=("arm", "n", "log loss", "Brier", "reliability", "resolution", "uncertainty", "ECE", "perfect ECE"),
        rows=[
            (
                short(line.arm),
                str(line.n),
                *(f"{value:.3f}" for value in (line.log_loss, line.brier, line.reliability, line.resolution)),
                *(f"{value:.3f}" for value in (line.uncertainty, line.ece, line.perfect_ece)),
            )
            for line in board.calibration
        ],
        note="perfect ECE: what a perfectly calibrated forecaster has with as many questions.",
    )


def bin_table(board: Scoreboard) -> Table:
    """Forecasts against what came true."""
    return Table(
        key="reliability",
        title="Forecasts and what came true, 95% interval",
        heads=("arm", "forecast", "came true", "interval", "n"),
        rows=[
            (line.arm, f"{item.forecast:.3f}", f"{item.share:.3f}", plain_span(item.interval), str(item.n))
            for line in board.calibration
            for item in line.bins
        ],
    )


def curve_table(board: Scoreboard) -> Table:
    """What k independent answers score and cost."""
    return Table(
        key="curve",
        title=f"Independent answers: mean over all ways to draw k, 95% interval; cost in {COSTS[board.currency]}",
        heads=("arm", "k", "cost", "score", "interval"),
        rows=[
            (point.arm, str(point.k), number(point.cost, ".4g"), f"{point.score:.3f}", plain_span(point.interval))
            for point in board.curve
        ],
    )


def front_table(board: Scoreboard) -> Table:
    """Each arm against the curve."""
    return Table(
        key="front",
        title="Arms minus independent answers of the same cost (above 0 is better), 95% interval",
        heads=("arm", "cost", "difference", "interval", "beyond the curve"),
        rows=[
            (
                line.arm,
                f"{line.cost:.4g}",
                f"{line.difference:+.3f}",
                span(line.interval),
                ("above" if line.difference > 0 else "below") if line.interval.beyond_zero else "no",
            )
            for line in board.front
        ],
    )


def gate_table(board: Scoreboard) -> Table:
    """What a gate would have given."""
    return Table(
        key="gates",
        title="Debating only where first answers are further apart than a threshold",
        heads=("debate", "threshold", "debated", "calls", "score", "to take"),
        rows=[
            (
                line.arm,
                gate_name(line),
                percent(line.share),
                f"{line.calls:.2f}",
                f"{line.score:.3f}",
                "yes" if line.chosen else "",
            )
            for line in board.gates
        ],
        note="Estimates, not tests. The threshold to take was chosen on these very questions; in the line of other "
        "questions each tenth of them is judged by the threshold that the other nine tenths choose.",
    )


def gate_name(line: GateLine) -> str:
    """The threshold of a gate, or that other questions chose it."""
    return "of other questions" if line.threshold is None else f"{line.threshold:.2f}"


def liar_table(board: Scoreboard) -> Table:
    """What liars cost."""
    return Table(
        key="liars",
        title="What planted liars cost, 95% interval",
        heads=("arm", "liars", "lost by", lost_words(board), "interval"),
        rows=[
            (
                line.arm,
                str(line.liars),
                lost_by(line),
                _points_lost(board, line.lost),
                f"[{_points_lost(board, line.interval.low)}, {_points_lost(board, line.interval.high)}]",
            )
            for line in board.liars
        ],
        note="First vote: the vote over first answers. Recount: liars give the wrong answer that most others give, and "
        "what their words would do is not in it. Run: liars sit at the table, and find a lie by themselves.",
    )


def lost_by(line: LiarLine) -> str:
    """What lost so much, and how that is known."""
    if line.how == "run":
        return "the debate, run" if line.moment == LAST else "first vote, run"
    return f"{line.moment} vote, recount"


def lost_words(board: Scoreboard) -> str:
    """In what a loss is measured."""
    return "points lost" if board.score == "credit" else "loss added"


def _points_lost(board: Scoreboard, value: float) -> str:
    return f"{100 * value:.1f}" if board.score == "credit" else f"{value:+.3f}"


def order_table(board: Scoreboard) -> Table:
    """Models alone in two orders of the options."""
    return Table(
        key="orders",
        title="Options in the order of the data, minus the same in a random order, 95% interval",
        heads=("arm", "answers", "changed", "difference", "interval"),
        rows=[
            (short(line.arm), str(line.rows), str(line.changed), f"{line.difference:+.3f}", span(line.interval))
            for line in board.orders
        ],
        note="Above 0 a model does better in the order of the data: it may have seen the questions. A warning only.",
    )


def part_table(board: Scoreboard) -> Table:
    """Arms and differences by tag and by cut-off."""
    return Table(
        key="parts",
        title=f"Parts of the questions, exploratory: {MEASURES[board.score]}, 95% interval",
        heads=("part", "questions", "arm", "value", "interval"),
        rows=[
            (
                short(line.part),
                str(line.questions),
                f"{short(line.arm)} - {short(line.rival)}" if line.rival else short(line.arm),
                f"{line.value:+.3f}" if line.rival else f"{line.value:.3f}",
                span(line.interval) if line.rival else plain_span(line.interval),
            )
            for line in board.parts
        ],
        note="A - B is a difference: above 0 A is better. Of many parts some differ by chance, so none has a verdict.",
    )


def question_table(board: Scoreboard) -> Table:
    """Each question with its difference, and the debate on record."""
    return Table(
        key="by_question",
        title="Each question: the debate minus the other arm",
        heads=("question", "group", "debate - other", "difference", "record"),
        rows=[
            (
                short(line.question, 60),
                short(line.group, 60),
                f"{line.arm} - {line.rival}",
                f"{line.difference:+.3f}",
                line.record,
            )
            for line in board.by_question
        ],
    )


def growth_table(board: Scoreboard) -> Table:
    """The differences as the questions came."""
    return Table(
        key="growth",
        title="The difference after n questions, with the interval that may be looked at after every one",
        heads=("debate - other", "questions", "difference", "interval"),
        rows=[
            (f"{line.arm} - {line.rival}", str(line.n), f"{line.difference:+.3f}", span(line.interval))
            for line in board.growth
        ],
    )


def _pairs_by_debate(board: Scoreboard, whole: Table) -> Iterator[Table]:
    """The pairs of each debate by themselves: with both names in a cell there is no room to tell arms apart."""
    names = list(dict.fromkeys(pair.arm for pair in board.pairs))
    for name in names:
        own = [(pair, row) for pair, row in zip(board.pairs, whole.rows, strict=True) if pair.arm == name]
        yield replace(
            whole,
            title=whole.title if name == names[0] else f"{short(name)} minus another arm",
            heads=(f"{short(name, 15)} -", *whole.heads[1:]),
            rows=[(short(pair.rival), *row[1:]) for pair, row in own],
            note=whole.note if name == names[-1] else "",
        )


def screen(board: Scoreboard, *, everything: bool = False) -> Iterator[str]:
    """The scoreboard for a terminal of 100 columns; with ``everything`` also the long tables."""
    short = {"arms", "pairs", "rates", "seats", "voices", "calibration", "front", "orders"}
    short |= {"parts"} if len(board.parts) <= SHORT_PARTS else set()
    short |= {"liars"} if any(line.how == "run" for line in board.liars) else set()
    yield heading(board)
    yield from verdicts(board)
    for table in tables(board):
        if everything or table.key in short or (table.key == "curve" and len(table.rows) <= SHORT_CURVE):
            for part in _pairs_by_debate(board, table) if table.key == "pairs" else [table]:
                yield ""
                yield from part.lines()
    yield ""
    yield from facts(board)
    if board.notes:
        yield ""
        yield from board.notes
