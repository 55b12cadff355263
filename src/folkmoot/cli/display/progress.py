"""Show the progress of a batch, and its table at the end."""

import json
import time
from collections.abc import Sequence

import click
from rich.live import Live
from rich.table import Table
from rich.text import Text

from folkmoot.app.batch.run_batch import BatchEstimate, BatchRun
from folkmoot.app.batch.summary import (
    ENDED,
    HEADS,
    BatchOutcome,
    CallCounter,
    Row,
    json_line,
    outcome_in_words,
    outcomes_in_words,
    rows,
    unread_notes,
)
from folkmoot.cli.display.plan_view import plan_words
from folkmoot.cli.display.text_layout import BAD, FAINT, WARN, amount, console_for, line, short, usage_in_words
from folkmoot.core.labels import duration
from folkmoot.core.text import about, counted, percent

WIDEST = 60
"""The most characters of an outcome in a line."""

MOST_MISSING = 20
"""The most paused and failed debates that are listed under the table; the data have all."""

MOST_NOTES = 10


class Progress:
    """Shows one batch: on a terminal a line that is rewritten, else a line for each debate.

    Args:
        work: the batch.
        as_json: whether each debate is printed as a line of JSON on standard output, and all else on standard error.
    """

    def __init__(self, work: BatchRun, *, as_json: bool = False) -> None:
        self.work, self.as_json = work, as_json
        self.console = console_for(stderr=as_json)
        self.meter = CallCounter()
        self._live: Live | None = None
        self._began = time.monotonic()
        self._before = 0

    def __enter__(self) -> "Progress":
        self._began = time.monotonic()
        if self.console.is_terminal:
            self.work.workspace.watchers.each.append(self.meter)
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.update("")
            self._live.stop()
            self._live = None

    def remark(self, sentence: str) -> None:
        """Show a sentence about the whole batch."""
        if self.console.is_terminal:
            self.console.print(Text(sentence, style=WARN))
        else:
            click.echo(f"folkmoot: {sentence}", err=True)

    def introduce(self, foreseen: BatchEstimate, *, dry: bool) -> None:
        """Show which debates will run, and what they are expected to use."""
        batch = self.work.batch
        self._before = foreseen.over
        for note in foreseen.notes[:MOST_NOTES]:
            self.remark(line(note))
        if self.as_json:
            if dry:
                click.echo(json.dumps(plan_as_data(self.work, foreseen), ensure_ascii=False))
            return
        size = f"{counted(len(batch), 'debate')} of {counted(len(batch.items), 'brief')}"
        self.console.print(Text(f"{batch.name}: {size}", style="bold"))
        self.console.print(Text(f"In total: {plan_words(foreseen.costing)}."), soft_wrap=True)
        if foreseen.batched:
            self.console.print(Text(foreseen.batched), soft_wrap=True)
        if foreseen.over or foreseen.begun:
            self.console.print(Text(f"Already on record: {foreseen.over} finished, {foreseen.begun} to be resumed."))
        if dry:
            self.console.print(Text("Nothing has been sent to any model.", style=FAINT))

    def tell(self, outcome: BatchOutcome) -> None:
        """Show a debate that has ended or paused."""
        if self.as_json:
            click.echo(json_line(outcome))
        elif not self._live or outcome.status not in ENDED:
            count = f"[{len(self.work.finished)}/{len(self.work.batch)}]"
            self.console.print(Text(f"{count} {outcome_line(outcome)}"), soft_wrap=True)
        self.tick()

    def tick(self) -> None:
        """Rewrite the progress line."""
        if self._live:
            self._live.update(Text(self.line(), style=FAINT, no_wrap=True, overflow="ellipsis"), refresh=True)

    def line(self) -> str:
        """The progress of the batch in one line."""
        work, outcomes = self.work, list(self.work.finished.values())
        done = sum(item.status in ENDED for item in outcomes)
        failed = sum(item.status in ("failed", "error") for item in outcomes)
        waiting = work.rounds.waiting
        parts = [f"{done}/{len(work.batch)} done", f"{len(work.running) - waiting} running", f"{failed} failed"]
        parts += [f"{waiting} waiting for batches"] if waiting else []
        # Workers count by themselves: what they used is known of debates that have ended.
        meter = self.meter if work.queue is None else added(outcomes)
        parts += [counted(meter.calls, "call"), *usage_in_words(meter.tokens, meter.cost, meter.estimated)]
        if (now := len(outcomes) - self._before) > 0:
            left = (time.monotonic() - self._began) / now * (len(work.batch) - len(outcomes))
            parts.append(f"{duration(int(left))} left")
        return " · ".join(parts)

    def conclude(self, outcomes: Sequence[BatchOutcome]) -> None:
        """Show the table, the unfinished debates with their reasons, and how to continue."""
        if not self.as_json:
            self.console.print(outcome_table(rows(outcomes)))
            for item in [item for item in outcomes if item.status not in (*ENDED, "unbegun")][:MOST_MISSING]:
                self.console.print(Text(outcome_line(item), style=BAD if item.status in ("failed", "error") else WARN))
        for note in unread_notes(outcomes):
            self.remark(note)
        left = sum(item.status == "unbegun" for item in outcomes)
        if left and not self.work.stop.reason:
            self.remark(f"the budget kept {counted(left, 'debate')} from starting; raise --budget to continue")
        if left or any(item.status == "paused" for item in outcomes):
            self.remark("repeat the same command to resume the batch; finished debates are not run again")
        if any(item.kind == "batch" for item in outcomes):
            self.remark("the batches go on at the providers; see them with folkmoot batch --jobs")


def added(outcomes: Sequence[BatchOutcome]) -> CallCounter:
    """The sum of what debates have used; the cost is not known where that of one is not."""
    costs = [item.cost for item in outcomes if item.cost is not None]
    return CallCounter(
        calls=sum(item.calls for item in outcomes),
        tokens=sum(item.tokens for item in outcomes),
        cost=sum(costs) if len(costs) == len(outcomes) else None,
        estimated=any(item.estimated for item in outcomes),
    )


def outcome_line(outcome: BatchOutcome) -> str:
    """The outcome of a debate in one line."""
    head = f"{line(outcome.item)} #{outcome.number}, {outcome.debate}: {short(outcome_in_words(outcome), WIDEST)}"
    if outcome.status not in ENDED:
        return f"{head}: {line(outcome.reason)}"
    used = usage_in_words(outcome.tokens, outcome.cost, outcome.estimated)
    return f"{head} ({', '.join((counted(outcome.calls, 'call'), *used, duration(outcome.seconds)))})"


def outcome_table(lines: Sequence[Row]) -> Table:
    """The rows as a table; empty columns are left out."""
    shown = [
        (
            short(row.item, 30) or "all",
            outcomes_in_words(row),
            "" if row.agreement is None else percent(row.agreement),
            f"{row.ended}/{row.debates}",
            str(row.calls),
            about(amount(row.tokens), row.estimated),
            usage_in_words(row.tokens, row.cost, row.estimated)[1],
            duration(row.seconds),
            *(str(n or "") for n in (row.paused, row.failed, row.unbegun)),
        )
        for row in lines
    ]
    table = Table(box=None, pad_edge=False, header_style=FAINT)
    columns = [n for n in range(len(HEADS)) if n < 2 or any(row[n] for row in shown)]
    for n in columns:
        table.add_column(HEADS[n], justify="left" if n < 2 else "right", overflow="fold" if n < 2 else "ellipsis")
    for row in shown:
        table.add_row(*(Text(row[n]) for n in columns))
    return table


def plan_as_data(work: BatchRun, foreseen: BatchEstimate) -> dict[str, object]:
    """The estimate for a batch as plain data."""
    sizes = {
        "briefs": len(work.batch.items),
        "debates": len(work.batch),
        "over": foreseen.over,
        "begun": foreseen.begun,
    }
    batched = {"batched": foreseen.batched} if foreseen.batched else {}
    return {"name": work.batch.name, **sizes, **batched, **foreseen.costing.as_data()}
