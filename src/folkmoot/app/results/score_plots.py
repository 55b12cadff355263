"""The plots of a scoreboard: each a chart, what it shows, and the key of the table with its numbers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from folkmoot.app.results.chart import Chart, axis, places, spread
from folkmoot.app.results.score_tables import COSTS, MEASURES, gate_name, lost_by, lost_words, short
from folkmoot.app.results.scoreboard import Scoreboard
from folkmoot.core.text import counted

ROW = 26.0
NAMES = 268.0
"""Room for names at the left."""

LONGEST = 37
"""Characters of a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A picture on the page.

    Attributes:
        key: its name for programs.
        title: what it shows.
        words: how to read it.
        picture: the chart.
        tables: the keys of the tables that have its numbers.
    """

    key: str
    title: str
    words: str
    picture: Element
    tables: Sequence[str]


def plots(board: Scoreboard) -> list[Plot]:
    """All plots for which there is something to show."""
    makers: Sequence[Callable[[Scoreboard], Iterator[Plot]]] = (
        _costs,
        _differences,
        _questions,
        _flips,
        _reliability,
        _contributions,
        _gate_plots,
        _liar_plots,
        _growth,
    )
    return [plot for make in makers for plot in make(board)]


def _costs(board: Scoreboard) -> Iterator[Plot]:
    """Cost against score: the curve of independent answers, and every arm."""
    costs = [(arm, {"usd": arm.usd, "tokens": arm.tokens, "calls": arm.calls}[board.currency]) for arm in board.arms]
    priced = [(arm, cost) for arm, cost in costs if cost]
    curve = [(point, point.cost) for point in board.curve if point.cost]
    if not priced:
        return
    title = "Cost and score"
    scores = [value for arm, _ in priced for value in (arm.interval.low, arm.interval.high)]
    scores += [value for point, _ in curve for value in (point.interval.low, point.interval.high)]
    all_costs = [cost for _, cost in (*priced, *curve)]
    chart = Chart(
        title=title,
        x=axis(f"cost: {COSTS[board.currency]} (logarithmic)", all_costs, log=True),
        y=axis(MEASURES[board.score], scores),
        height=380,
    )
    for name in dict.fromkeys(point.arm for point, _ in curve):
        own = [(point, cost) for point, cost in curve if point.arm == name]
        chart.band([(cost, point.interval.low, point.interval.high) for point, cost in own], colour=5)
        chart.line([(cost, point.score) for point, cost in own], colour=5)
    # From the top down, so that names which would cover each other stand in the order of their marks.
    shown = sorted(priced, key=lambda item: -item[0].score)
    columns = spread(chart.x, [cost for _, cost in shown])
    for colour, ((arm, cost), (own, last)) in enumerate(zip(shown, columns, strict=True)):
        chart.interval((own, arm.interval.low), (own, arm.interval.high), colour=colour)
        chart.dot(own, arm.score, colour=colour, label=f"{arm.name}: {arm.score:.3f} for {cost:.4g}")
        chart.text(last, arm.score, short(arm.name))
    words = (
        "Each mark is an arm with its own 95% interval; those of equal cost stand beside each other. "
        "The line is what k independent answers score."
    )
    yield Plot(key="costs", title=title, words=words, picture=chart.svg(), tables=("arms", "curve", "front"))


def _differences(board: Scoreboard) -> Iterator[Plot]:
    """Each debate minus the other arms, with the margin."""
    if not board.pairs:
        return
    title = "Debate minus the other arms"
    names = [short(f"{pair.arm} - {pair.rival}", LONGEST) for pair in board.pairs]
    ends = [value for pair in board.pairs for value in (pair.interval.low, pair.interval.high)]
    across = axis("difference (right of 0 the debate is better)", ends, also=(-board.margin, board.margin))
    height = 90 + ROW * len(names)
    chart = Chart(title=title, x=across, y=places("", names), height=height, left=NAMES)
    top, bottom = -0.6, len(names) - 0.4
    chart.box((-board.margin, top), (board.margin, bottom), style="margin", label=f"the margin, {board.margin:g}")
    chart.line([(0, top), (0, bottom)], colour=5)
    for row, pair in enumerate(board.pairs):
        colour = 0 if pair.matched else 5
        chart.interval((pair.interval.low, row), (pair.interval.high, row), colour=colour)
        label = f"{names[row]}: {pair.difference:+.3f} [{pair.interval.low:+.3f}, {pair.interval.high:+.3f}]"
        chart.dot(pair.difference, row, colour=colour, mark=0 if pair.matched else 2, label=label)
    words = (
        "Dots are the arms that the plan compares at equal cost, squares are others; lines are intervals. "
        "The shaded part is the margin."
    )
    yield Plot(key="differences", title=title, words=words, picture=chart.svg(), tables=("pairs",))


def _questions(board: Scoreboard) -> Iterator[Plot]:
    """Each question once, sorted by its difference."""
    for pair in board.pairs:
        own = [line for line in board.by_question if (line.arm, line.rival) == (pair.arm, pair.rival)]
        if not pair.matched or not own:
            continue
        title = f"Each question: {pair.arm} minus {pair.rival}"
        values = [line.difference for line in own]
        chart = Chart(
            title=title,
            x=axis("questions, sorted by the difference", (0.0, float(len(own)))),
            y=axis("difference", values, also=(0.0,)),
            height=260,
        )
        for column, line in enumerate(own):
            style = "bar up" if line.difference > 0 else "bar down" if line.difference < 0 else "bar even"
            record = f", debate {line.record}" if line.record else ""
            label = f"{line.question}: {line.difference:+.3f}{record}"
            chart.box((column + 0.1, 0), (column + 0.9, line.difference), style=style, label=label)
        words = f"Bars above 0 are questions that the debate did better ({pair.helped}), below 0 worse ({pair.hurt})."
        yield Plot(key="questions", title=title, words=words, picture=chart.svg(), tables=("by_question",))


def _flips(board: Scoreboard) -> Iterator[Plot]:
    """First answers against last answers as matrices side by side."""
    states = ("right", "wrong", "none")
    for of in ("decision", "seats"):
        own = [line for line in board.flips if line.of == of]
        if not own:
            continue
        title = f"First and last answers: {'the decision' if of == 'decision' else 'participants'}"
        names = [f"{short(line.arm, 18)}: {before} at first" for line in own for before in states]
        height = 80 + ROW * len(names)
        chart = Chart(title=title, x=places("last answer", states), y=places("", names), height=height, left=NAMES)
        for number, line in enumerate(own):
            counts = {(item.before, item.after): item.n for item in line.turned}
            highest = max(counts.values(), default=1)
            for row, before in enumerate(states):
                for column, after in enumerate(states):
                    n = counts.get((before, after), 0)
                    down = number * len(states) + row
                    style = f"cell s{round(4 * n / highest)}"
                    label = f"{line.arm}: {before} to {after}: {n}"
                    chart.box((column - 0.45, down - 0.42), (column + 0.45, down + 0.42), style=style, label=label)
                    chart.count(column, down, n)
        words = "Each cell is how many answers went from one state to another; darker is more."
        yield Plot(key=f"flips-{of}", title=title, words=words, picture=chart.svg(), tables=("flips", "rates"))


def _reliability(board: Scoreboard) -> Iterator[Plot]:
    """Forecasts against what came true."""
    if not board.calibration:
        return
    title = "Reliability of probabilities"
    chart = Chart(
        title=title, x=axis("forecast", (0.0, 1.0)), y=axis("share that came true", (0.0, 1.0)), height=420, width=560
    )
    chart.line([(0, 0), (1, 1)], colour=5, dashed=True)
    for colour, line in enumerate(board.calibration):
        for item in line.bins:
            chart.interval((item.forecast, item.interval.low), (item.forecast, item.interval.high), colour=colour)
            label = f"{line.arm}: forecast {item.forecast:.2f}, came true {item.share:.2f} of {item.n}"
            chart.dot(item.forecast, item.share, colour=colour, label=label)
    words = "On the dashed line forecasts come true as often as they say. Lines are 95% intervals."
    yield Plot(key="reliability", title=title, words=words, picture=chart.svg(), tables=("reliability", "calibration"))


def _contributions(board: Scoreboard) -> Iterator[Plot]:
    """What each participant adds to the count."""
    for arm in dict.fromkeys(line.arm for line in board.seats):
        own = [line for line in board.seats if line.arm == arm and line.moment == "last"]
        title = f"What each participant adds to the count: {arm}"
        ends = [value for line in own for value in (line.left_out_interval.low, line.left_out_interval.high)]
        ends += [end for line in own if (item := line.shapley_interval) for end in (item.low, item.high)]
        chart = Chart(
            title=title,
            x=axis("score added", ends, also=(0.0,)),
            y=places("", [short(line.seat, LONGEST) for line in own]),
            height=90 + 1.4 * ROW * len(own),
            left=NAMES,
        )
        chart.line([(0, -0.6), (0, len(own) - 0.4)], colour=5)
        for row, line in enumerate(own):
            span = line.left_out_interval
            chart.interval((span.low, row - 0.15), (span.high, row - 0.15), colour=0)
            label = f"{line.seat}: {line.left_out:+.3f} against the count without it"
            chart.dot(line.left_out, row - 0.15, colour=0, label=label)
            if line.shapley is not None and line.shapley_interval:
                span = line.shapley_interval
                chart.interval((span.low, row + 0.15), (span.high, row + 0.15), colour=1)
                chart.dot(line.shapley, row + 0.15, colour=1, mark=4, label=f"{line.seat}: Shapley {line.shapley:+.3f}")
        words = "Dots: the count minus that without the participant. Diamonds: Shapley values. Not of the talk."
        yield Plot(key="contributions", title=title, words=words, picture=chart.svg(), tables=("seats", "voices"))


def _gate_plots(board: Scoreboard) -> Iterator[Plot]:
    """Calls against score for each threshold of a gate."""
    for arm in dict.fromkeys(line.arm for line in board.gates):
        own = [line for line in board.gates if line.arm == arm]
        title = f"Debating only where first answers differ: {arm}"
        chart = Chart(
            title=title,
            x=axis("calls a question", [line.calls for line in own]),
            y=axis(MEASURES[board.score], [line.score for line in own]),
        )
        chart.line([(line.calls, line.score) for line in own if line.threshold is not None], colour=5)
        for line in sorted(own, key=lambda item: item.chosen):
            colour, mark = (1, 4) if line.chosen else (2, 3) if line.threshold is None else (0, 0)
            label = f"threshold {gate_name(line)}: {line.calls:.2f} calls, {line.score:.3f}"
            chart.dot(line.calls, line.score, colour=colour, mark=mark, label=label)
            if line.chosen:
                chart.text(line.calls, line.score, f"threshold {gate_name(line)}")
        words = "Each dot is a threshold; the diamond is the one to take. Estimates, not tests."
        if any(line.threshold is None for line in own):
            words += " The triangle is what a threshold gives that is learned on other questions."
        yield Plot(key="gates", title=title, words=words, picture=chart.svg(), tables=("gates",))


def _liar_plots(board: Scoreboard) -> Iterator[Plot]:
    """Planted liars against the points that they cost."""
    for arm in dict.fromkeys(line.arm for line in board.liars):
        own = [line for line in board.liars if line.arm == arm]
        title = f"Planted liars: {arm}"
        names = [f"{counted(line.liars, 'liar')}: {lost_by(line)}" for line in own]
        scale = 100 if board.score == "credit" else 1
        ends = [scale * value for line in own for value in (line.interval.low, line.interval.high)]
        chart = Chart(
            title=title,
            x=axis(lost_words(board), ends, also=(0.0,)),
            y=places("", names),
            height=90 + ROW * len(own),
            left=NAMES,
        )
        for row, line in enumerate(own):
            colour = 0 if line.moment == "first" else 1
            chart.interval((scale * line.interval.low, row), (scale * line.interval.high, row), colour=colour)
            chart.dot(scale * line.lost, row, colour=colour, label=f"{names[row]}: {scale * line.lost:.3g}")
        words = "The debate and the vote over its first answers; what lies to the right of 0 is lost."
        yield Plot(key="liars", title=title, words=words, picture=chart.svg(), tables=("liars",))


def _growth(board: Scoreboard) -> Iterator[Plot]:
    """The difference and its live interval as the questions came."""
    for pair in board.pairs:
        own = [line for line in board.growth if (line.arm, line.rival) == (pair.arm, pair.rival)]
        if len(own) < 2:
            continue
        title = f"As the questions came: {pair.arm} minus {pair.rival}"
        ends = [value for line in own for value in (line.interval.low, line.interval.high)]
        chart = Chart(
            title=title,
            x=axis("questions", [float(line.n) for line in own]),
            y=axis("difference", ends, also=(0.0,)),
        )
        for look in board.looks:
            if own[0].n <= look * board.planned <= own[-1].n:
                chart.line([(look * board.planned, chart.y.low), (look * board.planned, chart.y.high)], dashed=True)
        chart.band([(line.n, line.interval.low, line.interval.high) for line in own], colour=0)
        chart.line([(line.n, line.difference) for line in own], colour=0)
        chart.line([(own[0].n, 0), (own[-1].n, 0)], colour=5)
        words = (
            "The band is an asymptotic confidence sequence: it may be looked at after every question. "
            "Dashed lines are the planned looks."
        )
        yield Plot(key="growth", title=title, words=words, picture=chart.svg(), tables=("growth",))
