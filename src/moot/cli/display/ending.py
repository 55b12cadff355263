"""The end of a debate on the screen. This file owns the panel with the decision and how it followed."""

from collections.abc import Iterator, Mapping, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from moot.cli.display.text import amount, count, line, money, short, span
from moot.cli.display.text_layout import BAD, FAINT, GOOD, WARN, Stack, fields, paragraphs
from moot.core.decision import Decision, Minority
from moot.core.text import listed
from moot.report.report import Report

_COLOURS: Mapping[str, str] = {
    "decided": GOOD,
    "failed": BAD,
    "tie": WARN,
    "no_decision": WARN,
    "paused": WARN,
    "unfinished": WARN,
}
_TITLES: Mapping[str, str] = {"no_decision": "no decision"}
_FAULTS: Mapping[str, tuple[str, str]] = {
    "missing": ("answer missing", "answers missing"),
    "open": ("question open", "questions open"),
    "erred": ("failed try", "failed tries"),
    "lost": ("try without an end", "tries without an end"),
    "fallback": ("answer by a fallback model", "answers by fallback models"),
    "served": ("answer by another model than asked", "answers by another model than asked"),
    "truncated": ("answer cut off", "answers cut off"),
    "filtered": ("answer cut by a filter", "answers cut by a filter"),
    "unread": ("field unread", "fields unread"),
    "noted": ("remark", "remarks"),
}


def ending(report: Report, *, boxed: bool) -> RenderableType:
    """How a debate ended: status, decision, how it followed, what it used, what went wrong."""
    status = report.outcome.status
    colour, name = _COLOURS.get(status, WARN), _TITLES.get(status, status)
    body = Stack(tuple(_body(report)))
    if boxed:
        return Panel(body, title=Text(f" {name} ", style=f"bold {colour}"), title_align="left", border_style=colour)
    return Stack((Rule(Text(name, style=f"bold {colour}"), style=FAINT), body))


def _body(report: Report) -> Iterator[RenderableType]:
    outcome = report.outcome
    decision = outcome.decision
    if decision and (decision.text or decision.winner):
        yield from paragraphs(decision.text or decision.winner, "bold")
        if outcome.proposer:
            yield Text(f"proposed by {line(outcome.proposer)}", style=FAINT)
        yield ""
    yield from fields(_facts(report))


def _facts(report: Report) -> Iterator[tuple[str, str]]:
    outcome, total = report.outcome, report.metrics.total
    decision = outcome.decision
    yield ("why", outcome.line.removeprefix("paused: ")) if outcome.status == "paused" else ("how", outcome.line)
    if decision and decision.share:
        strength = f", {decision.strength}" if decision.strength else ""
        yield (
            "support",
            f"{decision.share:.0%}{strength}" + (f": {line(listed(decision.support))}" if decision.support else ""),
        )
    if outcome.tally:
        yield "tally", "\n".join(_tally(report))
    if outcome.dissent:
        yield "dissent", "\n".join(_dissent(report))
    if decision:
        for each in decision.minority if decision.status != "decided" else _voted(decision):
            by = f" ({line(listed(each.by))})" if each.by and each.by != (each.answer,) else ""
            yield (
                "minority",
                f"{short(each.answer, 160)}{by}" + (f": {short(each.argument, 240)}" if each.argument else ""),
            )
    for note in outcome.notes:
        yield "note", note
    if wrong := _wrong(report):
        yield "went wrong", wrong
    tokens = f"{amount(total.input_tokens + total.output_tokens)} tokens"
    used = [
        count(total.asks, "ask"),
        count(total.calls, "call"),
        tokens,
        money(total.cost),
        span(report.metrics.seconds),
    ]
    yield "used", " · ".join(used)


def _voted(decision: Decision) -> Iterator[Minority]:
    """The answers that lost and that somebody voted for, the strongest first."""
    return iter(sorted((each for each in decision.minority if each.share), key=lambda each: -each.share))


def _tally(report: Report) -> Iterator[str]:
    ordered = sorted(report.outcome.tally, key=lambda row: -row.votes)
    rows = [(short(row.candidate, 48), row) for row in ordered]
    wide = max(cell_len(name) for name, _ in rows)
    most = max(row.votes for _, row in rows) or 1.0
    for name, row in rows:
        bar = "█" * round(8 * row.votes / most)
        first = "" if row.first is None else f" (first drafts {row.first:g})"
        yield f"{name}{' ' * (wide - cell_len(name))}  {bar:<8} {row.votes:g}{first}"


def _dissent(report: Report) -> Iterator[str]:
    for ballot in report.outcome.dissent:
        reason = f": {short(ballot.reason, 200)}" if ballot.reason else ""
        yield f"{line(ballot.voter)} for {short(ballot.choice, 60)}{reason}"


def _wrong(report: Report) -> str:
    kinds: Sequence[str] = [fault.kind for fault in report.faults]
    said = [count(kinds.count(kind), *names) for kind, names in _FAULTS.items() if kind in kinds]
    return ", ".join(said)
