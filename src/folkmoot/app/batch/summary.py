"""Sum up a batch: count its outcomes and compare answers by wording, as votes are compared."""

import json
import math
from collections.abc import Sequence
from csv import DictWriter
from dataclasses import asdict, dataclass, fields
from io import StringIO

from folkmoot.app.batch.batch_plan import Batch, Repeat
from folkmoot.app.run.outcome import Outcome, outcome
from folkmoot.app.serve.spending import spent
from folkmoot.arguments.positions import bare
from folkmoot.core.event import ASIDE, Called, Entry
from folkmoot.core.labels import status_in_words
from folkmoot.core.text import about, clean, counted, flat, percent
from folkmoot.core.transcript import fold
from folkmoot.report.conclusion import answer_in_words
from folkmoot.report.markdown_text import inline, table
from folkmoot.report.metrics import measure

ENDED = ("decided", "tie", "no_decision")
"""How a debate ends that can be compared with its repeats."""

WIDEST = 60
"""The most characters of an answer in a table; the data have all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOutcome:
    """The outcome of one debate of a batch.

    Attributes:
        item: what its brief is called.
        number: which repeat it is, from 1.
        seed: what its chance is drawn from.
        debate: its id.
        status: ``decided``, ``tie``, ``no_decision``, ``failed`` (nobody answered), ``paused``, ``error``, or
            ``unbegun``.
        answer: what was decided, in words; "" where nothing was.
        reason: why it ended or stands still.
        kind: with ``paused``: ``limit``, ``stopped``, ``unavailable``, ``waiting``, ``batch``.
        calls: model calls with an answer.
        tokens: tokens in and out.
        cost: US dollars; None where a price is unknown.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
        seconds: from the first entry to the last, pauses left out.
        used: US dollars used and reserved, of the calls whose price is known.
        protocol: its name; "" where the debate was never started.
        models: the models that answered, in alphabetical order.
        votes: the ballots that the decision counts.
        unparsed: the ballots that could not be read.
    """

    item: str
    number: int
    seed: int
    debate: str
    status: str
    answer: str = ""
    reason: str = ""
    kind: str = ""
    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False
    seconds: float = 0.0
    used: float = 0.0
    protocol: str = ""
    models: tuple[str, ...] = ()
    votes: int = 0
    unparsed: int = 0


@dataclass(slots=True)
class CallCounter:
    """Counts the calls of models in all debates while they run; a watcher of the workspace."""

    calls: int = 0
    tokens: int = 0
    cost: float | None = 0.0
    estimated: bool = False

    def take(self, debate: str, entries: Sequence[Entry]) -> None:
        """Count entries that have just been stored."""
        for entry in entries:
            if isinstance(entry.event, Called):
                used = entry.event.usage
                self.calls += not entry.event.model.startswith(ASIDE)
                self.tokens += used.input_tokens + used.output_tokens
                self.cost = None if self.cost is None or used.cost is None else self.cost + used.cost
                self.estimated = self.estimated or used.estimated

    def end(self, debate: str) -> None:
        """A debate no longer runs here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The outcome of one brief, over its repeats; or of the whole batch.

    Attributes:
        item: what the brief is called; "" for the whole batch.
        outcomes: what was decided, or ``tie`` or ``no decision``, each with how often, the commonest first.
        agreement: the share of the commonest decision among the debates that ended; None where fewer than two ended, or
            nothing was decided.
        debates: how many there are.
        ended: how many came to an end.
        paused: how many stand still and can be gone on with.
        failed: how many failed, or could not be held.
        unbegun: how many were not begun.
        calls: model calls with an answer, added up.
        tokens: tokens in and out, added up.
        cost: US dollars, added up; None where a price is unknown.
        estimated: whether tokens and cost are estimates.
        seconds: of each debate, added up.
    """

    item: str
    outcomes: tuple[tuple[str, int], ...]
    agreement: float | None
    debates: int
    ended: int
    paused: int
    failed: int
    unbegun: int
    calls: int
    tokens: int
    cost: float | None
    estimated: bool
    seconds: float


def outcome_of(repeat: Repeat, entries: Sequence[Entry]) -> BatchOutcome:
    """The outcome of a debate, from its record."""
    transcript, metrics = fold(entries), measure(entries)
    ending = outcome(repeat.debate, transcript)
    decision = ending.decision
    total = metrics.total
    ballots = [ballot.state for ballot in decision.ballots] if decision else []
    return BatchOutcome(
        item=repeat.item.name,
        number=repeat.number,
        seed=repeat.seed,
        debate=repeat.debate,
        status=ending.status,
        answer=answer_in_words(decision) if decision and ending.status == "decided" else "",
        reason=ending.reason,
        kind=ending.kind,
        calls=total.calls,
        tokens=total.input_tokens + total.output_tokens,
        cost=total.cost,
        estimated=total.estimated > 0,
        seconds=round(metrics.seconds, 3),
        used=spent(entries),
        protocol=transcript.protocol,
        models=tuple(sorted({model for models in transcript.models.values() for model in models})),
        votes=ballots.count("cast"),
        unparsed=ballots.count("unread"),
    )


def not_started(repeat: Repeat, *, status: str = "unbegun", reason: str = "", kind: str = "") -> BatchOutcome:
    """The outcome of a debate that was never started."""
    return BatchOutcome(
        item=repeat.item.name,
        number=repeat.number,
        seed=repeat.seed,
        debate=repeat.debate,
        status=status,
        reason=reason,
        kind=kind,
    )


def cannot_run(repeat: Repeat, reason: str) -> BatchOutcome:
    """The outcome of a debate that cannot run."""
    return not_started(repeat, status="error", reason=reason)


def waits_for_participants(repeat: Repeat, generation: Outcome) -> BatchOutcome:
    """The outcome of a debate that still waits for its participants."""
    return not_started(
        repeat, status="paused", reason=f"no participants yet: {generation.reason}", kind=generation.kind
    )


def rows(outcomes: Sequence[BatchOutcome]) -> tuple[Row, ...]:
    """A row for each brief, in order, and a last one for the whole batch."""
    items: dict[str, list[BatchOutcome]] = {}
    for item in outcomes:
        items.setdefault(item.item, []).append(item)
    return (*(_row(name, value) for name, value in items.items()), _row("", outcomes))


def _row(item: str, outcomes: Sequence[BatchOutcome]) -> Row:
    groups: dict[tuple[str, str], list[BatchOutcome]] = {}
    for element in outcomes:
        if element.status in ENDED:
            groups.setdefault((element.status, bare(element.answer)), []).append(element)
    ranked = sorted(groups.values(), key=len, reverse=True)
    ended = sum(map(len, ranked))
    commonest = max((len(group) for group in ranked if group[0].status == "decided"), default=0)
    costs = [item.cost for item in outcomes if item.cost is not None]
    states = [item.status for item in outcomes]
    return Row(
        item=item,
        outcomes=tuple((outcome_in_words(group[0]), len(group)) for group in ranked) if item else (),
        agreement=commonest / ended if item and ended > 1 and commonest else None,
        debates=len(outcomes),
        ended=ended,
        paused=states.count("paused"),
        failed=states.count("failed") + states.count("error"),
        unbegun=states.count("unbegun"),
        calls=sum(item.calls for item in outcomes),
        tokens=sum(item.tokens for item in outcomes),
        cost=math.fsum(costs) if len(costs) == len(outcomes) else None,
        estimated=any(item.estimated for item in outcomes),
        seconds=round(math.fsum(item.seconds for item in outcomes), 3),
    )


def outcome_in_words(outcome: BatchOutcome) -> str:
    """How a debate ended: its decision, or a word."""
    return outcome.answer if outcome.status == "decided" else status_in_words(outcome.status)


def outcomes_in_words(row: Row) -> str:
    """The outcomes of a row on one line, each with its count: ``Build 4, Buy 1``."""
    shorts = ((flat(clean(answer)), n) for answer, n in row.outcomes)
    return ", ".join(f"{text if len(text) <= WIDEST else text[: WIDEST - 1] + '…'} {n}" for text, n in shorts)


def unread_notes(outcomes: Sequence[BatchOutcome]) -> list[str]:
    """A sentence for each brief of whose ballots not one could be read."""
    notes: list[str] = []
    for name in dict.fromkeys(item.item for item in outcomes):
        ended = [item for item in outcomes if item.item == name and item.status in ENDED]
        unparsed = sum(item.unparsed for item in ended)
        if unparsed and not any(item.votes for item in ended):
            notes.append(
                f"{flat(clean(name))}: no ballot could be read ({counted(unparsed, 'ballot')}); "
                f"see folkmoot show {ended[0].debate}"
            )
    return notes


def json_line(outcome: BatchOutcome) -> str:
    """The outcome of one debate, as a line of JSON."""
    return json.dumps(asdict(outcome), ensure_ascii=False)


def batch_data(batch: Batch, outcomes: Sequence[BatchOutcome]) -> str:
    """The outcome of a batch, as JSON."""
    *briefs, total = (asdict(row) for row in rows(outcomes))
    data = {"name": batch.name, "times": batch.times, "briefs": briefs, "total": total}
    return json.dumps({**data, "debates": [asdict(item) for item in outcomes]}, ensure_ascii=False, indent=2) + "\n"


def batch_csv(outcomes: Sequence[BatchOutcome]) -> str:
    """The outcomes as CSV, a row for each debate; several models stand in one cell, with blanks between."""
    text = StringIO(newline="")
    lines = DictWriter(text, [field.name for field in fields(BatchOutcome)], lineterminator="\n")
    lines.writeheader()
    for item in outcomes:
        lines.writerow({**asdict(item), "models": " ".join(item.models)})
    return text.getvalue()


HEADS = (
    "brief",
    "outcome",
    "agreement",
    "ended",
    "calls",
    "tokens",
    "cost",
    "seconds",
    "paused",
    "failed",
    "not begun",
)


def batch_page(batch: Batch, outcomes: Sequence[BatchOutcome]) -> str:
    """The outcome of a batch, as Markdown."""
    summary_rows = rows(outcomes)
    lines = [[_cell(row.item or "all"), _cell(outcomes_in_words(row)), *_numbers(row)] for row in summary_rows]
    parts = [f"# Batch {batch.name}", table(HEADS, lines, numbers=len(HEADS) - 2)]
    if notes := unread_notes(outcomes):
        parts.append("\n".join(f"- {_cell(note)}" for note in notes))
    missing = [item for item in outcomes if item.status not in ENDED and item.status != "unbegun"]
    if missing:
        reasons = (f"- {_cell(item.item)} #{item.number}, `{item.debate}`: {_cell(item.reason)}" for item in missing)
        parts += ["## Paused and failed", "\n".join(reasons)]
    return "\n\n".join(parts) + "\n"


def _numbers(row: Row) -> tuple[str, ...]:
    share = "" if row.agreement is None else percent(row.agreement)
    cost = "unknown" if row.cost is None else about(f"${row.cost:.4f}", row.estimated and row.cost)
    tokens = about(str(row.tokens), row.estimated)
    counts = (f"{row.ended} of {row.debates}", str(row.calls), tokens, cost, f"{row.seconds:.1f}")
    return (share, *counts, str(row.paused), str(row.failed), str(row.unbegun))


def _cell(text: str) -> str:
    """Words of others in a cell of a table or an item of a list."""
    return inline(clean(text))
