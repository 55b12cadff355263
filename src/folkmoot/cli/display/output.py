"""How a command shows a debate: its heading, its course (in short, in full, or as JSON), and one closing summary."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import click
from rich.console import RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.plan.next_steps import NextStep, pause_steps, resume_step
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.record_reader import OpenQuestion
from folkmoot.cli.display.ask_people import answer_commands, viewer_messages, waits
from folkmoot.cli.display.live_screen import Screen, Viewer
from folkmoot.cli.display.plan_view import heading, introduction
from folkmoot.cli.display.text_layout import (
    BAD,
    FAINT,
    GOOD,
    WARN,
    Stack,
    console_for,
    fields,
    line,
    paragraphs,
    short,
    usage_in_words,
)
from folkmoot.core.event import Delta, Entry, Interjected, Opened
from folkmoot.core.labels import ANSWERED, ANSWERED_LINE, duration, fork_origin, status_in_words
from folkmoot.core.text import counted
from folkmoot.core.transcript import fold

if TYPE_CHECKING:
    from folkmoot.app.export.reports import ReadRecord
    from folkmoot.app.run.prepare import PreparedDebate
    from folkmoot.report.report import Report

POINT, POINTS = 180, 2
"""The most characters of a reason or an objection in the summary, and how many of each; the report has all."""

ROWS = 8
"""The most rows of votes, or of findings of a review."""

TEXT = 600
"""The most characters of a decision in the summary."""

PROBLEMS: Mapping[str, tuple[str, str]] = {
    "missing": ("answer missing", "answers missing"),
    "open": ("question open", "questions open"),
    "erred": ("failed attempt", "failed attempts"),
    "lost": ("attempt without a result", "attempts without a result"),
    "fallback": ("answer by a fallback model", "answers by fallback models"),
    "served": ("answer by another model than requested", "answers by another model than requested"),
    "truncated": ("answer cut off", "answers cut off"),
    "unmarked": ("answer without a finish mark", "answers without a finish mark"),
    "filtered": ("answer cut off by a content filter", "answers cut off by a content filter"),
    "unread": ("field not readable", "fields not readable"),
    "noted": ("remark", "remarks"),
}


def summary(record: "ReadRecord", *, boxed: bool) -> RenderableType:
    """How a debate ended, on half a screen: what was decided, the votes by name, why, and what it took."""
    outcome = record.report.outcome
    name = "not finished" if outcome.status == "open" else status_in_words(outcome.status)
    colour = {"decided": GOOD, "failed": BAD}.get(outcome.status, WARN)
    if outcome.line == ANSWERED_LINE:
        colour, name = GOOD, ANSWERED
    content = Stack(tuple(_content(record)))
    if boxed:
        return Panel(content, title=Text(f" {name} ", style=f"bold {colour}"), title_align="left", border_style=colour)
    return Stack((Rule(Text(name, style=f"bold {colour}"), style=FAINT), content))


def _content(record: "ReadRecord") -> Iterator[RenderableType]:
    from folkmoot.app.serve.decision_memo import decision_memo  # here for start-up time

    report, outcome = record.report, record.report.outcome
    memo = decision_memo(record.entries, report)
    if outcome.status == "decided":
        yield from paragraphs(short(memo.headline, TEXT), "bold")
        yield from paragraphs(short(memo.text, TEXT))
        yield ""
    label = "why" if outcome.status == "paused" else "how"
    facts = [(label, line(outcome.line.removeprefix("paused: ").removeprefix(f"{ANSWERED}: ")))]
    facts += _in_column(
        "votes", [f"{row.votes} {short(row.answer, 60)}{row.by and f': {line(row.by)}'}" for row in memo.votes]
    )
    for column in memo.columns:
        title = {"Why": "for it", "Strongest objections": "against"}.get(column.title, short(column.title, 40))
        points = [f"{short(point.words, POINT)}{point.tail and f' ({line(point.tail)})'}" for point in column.points]
        facts += [(title.lower(), "\n".join(points[:POINTS]))] if points else []
    if report.review:
        from folkmoot.report.phrases import finding_in_words  # here for start-up time: few debates are reviews

        items = report.review.findings
        facts += _in_column("findings", [f"{item.finding.id} {line(finding_in_words(item))}" for item in items])
    facts += [("sure", line(" ".join(memo.sure[:2])))] if memo.sure else []
    facts += [("cause" if outcome.status == "failed" else "note", short(note, TEXT)) for note in outcome.notes[:4]]
    kinds = [fault.kind for fault in report.faults]
    problems = [counted(kinds.count(kind), *names) for kind, names in PROBLEMS.items() if kind in kinds]
    facts += [("problems", ", ".join(problems))] if problems else []
    yield from fields([*facts, ("used", _usage(report))])


def _in_column(label: str, rows: Sequence[str]) -> list[tuple[str, str]]:
    more = [f"and {len(rows) - ROWS} more"] if len(rows) > ROWS else []
    return [(label, "\n".join((*rows[:ROWS], *more)))] if rows else []


def _usage(report: "Report") -> str:
    total = report.metrics.total
    tokens, cost = usage_in_words(total.input_tokens + total.output_tokens, total.cost, total.estimated)
    # What a call costs that has ended without an answer is not known.
    known = (tokens, cost) if total.calls else (tokens,)
    calls = (counted(total.calls, "call"), *known) if total.attempts else ("no model calls",)
    return " · ".join((counted(total.asks, "question"), *calls, duration(report.metrics.seconds)))


class _Lines:
    """Prints the stored lines unchanged; with ``silent`` nothing."""

    pieces = False

    def __init__(self, *, silent: bool) -> None:
        self._silent = silent

    def take(self, item: Entry | Delta, raw: str) -> None:
        if raw and not self._silent:
            sys.stdout.buffer.write(raw.encode() + b"\n")
            sys.stdout.buffer.flush()

    def tick(self) -> None:
        pass


class Output:
    """How one command shows a debate.

    Args:
        mode: ``json``, ``plain``, ``quiet``, or "" for the live screen where there is a terminal.
        full: whether each answer is shown in full.
        planned: the maximum number of questions; 0 where it is not known.
        still: whether there is no live area, because the debate has already ended.
        numbers: whether turns are shown with their numbers and entries.
    """

    def __init__(
        self, mode: str, *, full: bool = False, planned: int = 0, still: bool = False, numbers: bool = False
    ) -> None:
        self.mode = mode
        self.console = console_for(plain=mode == "plain", stderr=mode == "json")
        self.boxed = mode == "" and self.console.is_terminal
        live = self.boxed and not still
        self.screen = Screen(self.console, live=live, full=full, planned=planned) if mode in ("", "plain") else None
        if self.screen:
            self.screen.state.numbers = numbers
        self.viewer: Viewer = self.screen or _Lines(silent=mode == "quiet")

    def __enter__(self) -> "Output":
        if self.screen:
            self.screen.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self.screen:
            self.screen.__exit__(*error)

    def print(self, renderables: Iterator[RenderableType]) -> None:
        """Print what belongs to the debate."""
        for renderable in renderables:
            self.console.print(renderable)

    def remark(self, sentence: str) -> None:
        """Show a sentence that is not part of the debate."""
        if self.boxed:
            self.console.print(Text(sentence, style=WARN))
        else:
            click.echo(f"folkmoot: {sentence}", err=True)

    def introduce(self, debate: str, prepared: "PreparedDebate") -> None:
        """Show the debate that is about to run."""
        if self.screen:
            self.print(introduction(debate, prepared, full=self.screen.full))
        else:
            for note in prepared.notes:
                self.remark(note)

    def announce(self, debate: str, opened: Opened) -> None:
        """Show which debate follows."""
        if self.screen:
            self.print(heading(debate, opened.name, opened.brief, {}, origin=fork_origin(opened.forked)))
            self.console.print()

    def introduce_resumed(self, debate: str, entries: Sequence[Entry]) -> None:
        """Show what is kept of a debate that is resumed."""
        transcript = fold(entries)
        again = sum(not transcript.answered(turn.key) for turn in transcript.all())
        sentence = f"{debate}: {counted(len(transcript.turns()), 'answer')} kept"
        sentence += f", {counted(again, 'question')} asked again" if again else ""
        origin = fork_origin(opening(debate, entries).forked)
        sentence += f", {origin}" if origin else ""
        if not self.screen:
            self.remark(sentence)
            return
        for entry in entries:
            self.screen.load(entry)
        self.screen.state.fold.drafts.clear()
        self.console.print(Text(line(transcript.brief.topic if transcript.brief else ""), style="bold"))
        self.console.print(Text(f"{sentence}.\n", style=FAINT))

    def conclude(
        self,
        record: "ReadRecord",
        outcome: Outcome,
        saved: Mapping[str, str],
        *,
        asks: Sequence[OpenQuestion] = (),
        outside: Sequence[Interjected] = (),
        steps: Sequence[NextStep] = (),
    ) -> None:
        """Show how the debate ended or for whom it waits, messages not on record yet, and what to do next.

        Args:
            record: the debate.
            outcome: how it ended.
            saved: the files that were written, by what they are.
            asks: the questions to people that are open.
            outside: messages that are not on record yet.
            steps: what may decide a debate that nobody won.
        """
        resume = resume_step(outcome.debate, outcome.transcript.paused, outcome.usage)
        if self.mode == "json":
            if outcome.status == "paused":
                self.remark(f"{line(outcome.reason)}. Resume with: {resume.command}")
            return
        self.console.print(summary(record, boxed=self.boxed))
        self.print(waits(asks))
        self.print(viewer_messages(outside))
        rows = [(label, path) for label, path in saved.items()]
        if outcome.kind == "unavailable":
            steps = (*pause_steps(outcome.debate, outcome.transcript, outcome.usage, record.report.entries), *steps)
        elif outcome.status == "paused":
            steps = (resume, *steps)
        rows += [("next", command) for command in answer_commands(outcome.debate, asks)]
        rows += [("next", f"{step.command}{step.words and f'  # {step.words}'}") for step in steps]
        if self.screen and not self.screen.full:
            rows.append(("next", f"folkmoot show {outcome.debate}  # every word of it"))
        shown = ""
        for label, words in rows:
            self.console.print(Text(f"{'' if label == shown else label:<10}{words}"), soft_wrap=True)
            shown = label
