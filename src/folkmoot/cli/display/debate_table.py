"""A list of debates for a terminal, and as data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table
from rich.text import Text

from folkmoot.app.run.outcome import Listed
from folkmoot.app.run.record_reader import OpenQuestion
from folkmoot.cli.display.text_layout import (
    BAD,
    FAINT,
    GOOD,
    WARN,
    Indented,
    console_for,
    joined,
    line,
    local_time,
    short,
)
from folkmoot.core.labels import (
    ANSWERED,
    NOTHING_DEBATED,
    WAITS_FOR_BATCH,
    fork_origin,
    group_in_words,
    group_of,
    only_answered,
    status_in_words,
)
from folkmoot.core.text import counted, listed
from folkmoot.reviews.states import COMPLETE, RULE

LIST_WIDTH = 160
"""Columns of a list where the output has no width."""

ROOMY = 120
"""The least columns for a table."""

REASON = 40
"""Columns of a reason."""


def fold_groups(debates: Iterable[Listed]) -> list[Listed]:
    """The debates with one row for each group, where its newest one stands: an evaluation has hundreds."""
    rows: dict[str, list[Listed]] = {}
    for item in debates:
        rows.setdefault(group_of(item.debate) or item.debate, []).append(item)
    return [_group(name, own) if group_of(own[0].debate) else own[0] for name, own in rows.items()]


def _group(name: str, own: Sequence[Listed]) -> Listed:
    paused = any(item.status == "paused" for item in own)
    kind, _ = group_in_words(name)
    words = f"{kind}, {counted(len(own), 'debate')}; folkmoot list --all shows them"
    # What its newest paused debate waits for, which is mostly what they all wait for.
    reason = next((item.reason for item in own if item.status == "paused"), "")
    status, at = "paused" if paused else "decided", max(item.at for item in own)
    protocol = "eval" if kind == "evaluation" else kind
    return replace(own[0], debate=name, name=words, protocol=protocol, status=status, reason=reason, decision="", at=at)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDebates:
    """The debates that a list shows.

    Attributes:
        debates: the debates, the newest first.
        asks: the open questions to people in those that have not ended.
        short: their short ids.
        stale: those about documents of this folder that have changed since.
        stored: how many debates there are.
        running: those that a process on this machine runs now.
    """

    debates: Sequence[Listed]
    asks: Mapping[str, Sequence[OpenQuestion]]
    short: Mapping[str, str]
    stale: frozenset[str]
    stored: int
    running: frozenset[str] = frozenset()


def as_data(item: Listed, shown: ShownDebates) -> dict[str, object]:
    """A debate of a list as plain data."""
    asks = shown.asks.get(item.debate, ())
    return {
        "debate": item.debate,
        "short": shown.short[item.debate],
        "topic": item.topic,
        "name": item.name,
        "protocol": item.protocol,
        "status": item.status,
        "running": item.debate in shown.running,
        "at": item.at,
        "reason": item.reason,
        "winner": item.winner,
        "decision": item.decision,
        "models": list(item.models),
        "cost": item.cost,
        "tokens": item.tokens,
        "estimated": item.estimated,
        "entries": item.entries,
        "forked": item.forked,
        "stale": item.debate in shown.stale,
        "waits_for": [{"name": ask.turn.by, "act": ask.turn.act, "since": ask.since, "left": ask.left} for ask in asks],
    }


def print_debates(shown: ShownDebates) -> None:
    """Print a table where there is room for one, else two lines for each debate."""
    console = console_for(width=LIST_WIDTH)
    if console.width < ROOMY:
        _lines(shown, console)
        return
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT, expand=True)
    for name in ("short", "id", "when", "protocol", "outcome"):
        table.add_column(name, no_wrap=True)
    table.add_column("topic", no_wrap=True, overflow="ellipsis", ratio=1)
    for item in shown.debates:
        table.add_row(
            Text(shown.short[item.debate], style="bold"),
            Text(item.debate),
            Text(local_time(item.at), style=FAINT),
            Text(line(item.protocol)),
            _marked_outcome(item, shown, REASON),
            joined(fork_origin(item.forked), Text(line(item.name or item.topic))),
        )
    console.print(table)


def _lines(shown: ShownDebates, console: Console) -> None:
    """Two lines for each debate."""
    for item in shown.debates:
        outcome = _marked_outcome(item, shown, 0)
        console.print(Text.assemble((shown.short[item.debate], "bold"), "  ", item.debate, "  ", outcome))
        topic = Text(line(item.name or item.topic))
        console.print(Indented(joined(local_time(item.at), line(item.protocol), fork_origin(item.forked), topic)))


def _marked_outcome(item: Listed, shown: ShownDebates, length: int) -> Text:
    """What came of a debate, or that it is running, behind a mark where it is stale."""
    asks = shown.asks.get(item.debate, ())
    running = item.debate in shown.running and not asks
    outcome = Text("running", style=GOOD) if running else _outcome(item, asks, length)
    return Text.assemble(("stale", WARN), " · ", outcome) if item.debate in shown.stale else outcome


def _outcome(summary: Listed, asks: Sequence[OpenQuestion], length: int) -> Text:
    if asks:
        names = listed(list(dict.fromkeys(line(ask.turn.by) for ask in asks)))
        since = local_time(min(ask.since for ask in asks))
        return Text.assemble((f"waits for {names}", WARN), (f" · since {since}", FAINT))
    if summary.reason.startswith(WAITS_FOR_BATCH):
        since = line(summary.reason).removeprefix(WAITS_FOR_BATCH).partition(" (")[0].strip()
        return Text.assemble((WAITS_FOR_BATCH, WARN), (f" · {since}", FAINT))
    style = {"decided": GOOD, "failed": BAD, "damaged": BAD}.get(summary.status, WARN)
    status = status_in_words(summary.status)
    if only_answered(summary.protocol, summary.status, summary.reason):
        return Text.assemble((ANSWERED, GOOD), (f" · {NOTHING_DEBATED}", FAINT))
    if summary.protocol == RULE and summary.decision:
        lacking = "" if summary.reason == COMPLETE else "incomplete: "
        return Text.assemble((status, style), (f" · {lacking}{line(summary.decision).rstrip('.')}", FAINT))
    reason = short(line(summary.reason).removeprefix(f"{status}: "), length) if length else ""
    return Text.assemble((status, style), (f" · {reason}" if reason else "", FAINT))
