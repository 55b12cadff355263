"""How the terminal shows a debate: output modes (live, plain, quiet, JSON), open questions, and the result box."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
from rich.cells import cell_len
from rich.console import RenderableType
from rich.panel import Panel
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.plan.next_steps import NextStep, pause_steps, resume_step
from folkmoot.app.run.outcome import Outcome, opening
from folkmoot.app.run.people import ShownTurn, allowed_values
from folkmoot.app.run.record_reader import OpenQuestion
from folkmoot.cli.display.live_screen import Screen, Viewer
from folkmoot.cli.display.plan_view import heading, introduction
from folkmoot.cli.display.render import body, outsider
from folkmoot.cli.display.text_layout import (
    BAD,
    FAINT,
    GOOD,
    WARN,
    Indented,
    Stack,
    console_for,
    fields,
    joined,
    line,
    local_time,
    paragraphs,
    short,
    usage_in_words,
)
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field
from folkmoot.core.decision import Decision, Minority
from folkmoot.core.event import Delta, Entry, Interjected, Opened
from folkmoot.core.labels import ANSWERED, ANSWERED_LINE, act_of, duration, fork_origin, noun, status_in_words
from folkmoot.core.text import counted, listed, percent
from folkmoot.core.transcript import fold
from folkmoot.report.conclusion import answer_in_words
from folkmoot.report.gaps import NOT_READABLE
from folkmoot.report.metrics import UNMARKED_ANSWER

if TYPE_CHECKING:
    from folkmoot.app.run.prepare import PreparedDebate
    from folkmoot.report.report import Report

TASK = 160
"""The most characters of a task in a list of open questions."""


def question(
    ask: Ask, context: Context, news: Sequence[ShownTurn], about: Sequence[ShownTurn], outside: Sequence[Interjected]
) -> Iterator[RenderableType]:
    """A question to a person: who is asked, what was said before, what the question is about, and the task.

    Args:
        ask: the question.
        context: what the person may see.
        news: turns that are not on the screen yet.
        about: turns that the question is about.
        outside: messages of viewers since the question was asked.
    """
    yield Rule(Text.assemble((line(ask.to), "bold"), " is asked"), style=WARN)
    for shown in (*news, *about):
        yield from _turn_view(shown)
    yield from viewer_messages(outside)
    heading = joined(Text(line(ask.to), style="bold"), Text(line(context.me.role)), line(noun(act_of(ask))))
    yield Indented(Stack((heading, *paragraphs(ask.task))), "▌ ", "▌ ", WARN)
    yield ""


def _turn_view(shown: ShownTurn) -> Iterator[RenderableType]:
    act = line(noun(shown.turn.act))
    hidden = shown.name != shown.turn.by
    yield joined(Text(line(shown.name), style="bold"), "" if hidden else act, line(shown.turn.mark))
    yield from (Indented(renderable) for renderable in body(shown.turn, shown.speech))
    yield ""


def viewer_messages(outside: Sequence[Interjected]) -> Iterator[RenderableType]:
    """Messages of viewers while a question is open."""
    for interjection in outside:
        yield outsider(interjection.by, interjection.text)
        yield ""


def form(fields: Sequence[Field]) -> Iterator[RenderableType]:
    """The fields of an answer, with the values that each allows."""
    for field in fields:
        help_text = f"{line(field.help)}: " if field.help and field.kind != "text" else ""
        rest = "" if field.required else " (optional)"
        yield Indented(Text(f"{help_text}{line(allowed_values(field))}{rest}"), f"{line(field.name)}  ", "    ", "bold")


def term(left: float | None) -> str:
    """How much time is left for an answer, and until when; "" without a deadline."""
    return "" if left is None else f"until {local_time(time.time() + left)}, {duration(int(max(0.0, left)))} left"


def waits(asks: Sequence[OpenQuestion]) -> Iterator[RenderableType]:
    """For whom a debate waits, for what, since when and until when."""
    for ask in asks:
        turn = ask.turn
        since = f"since {local_time(ask.since)}"
        what_is_due = line(noun(act_of(turn)))
        head = joined(Text(line(turn.by), style="bold"), what_is_due, since, Text(term(ask.left), style=WARN))
        task = Text(short(turn.ask.task if turn.ask else "", TASK), style=FAINT)
        yield Indented(Stack((head, task)), "waits for ", " " * 10, FAINT)


def commands(debate: str, asks: Sequence[OpenQuestion]) -> list[str]:
    """The commands with which the people who are asked can answer."""
    names = list(dict.fromkeys(ask.turn.by for ask in asks))
    whose = [f' --as "{name}"' if " " in name else f" --as {name}" for name in names] if len(names) > 1 else [""]
    return [f"folkmoot answer {debate}{name_option}" for name_option in whose] if names else []


_COLOURS: Mapping[str, str] = {
    "decided": GOOD,
    "failed": BAD,
    "tie": WARN,
    "no_decision": WARN,
    "paused": WARN,
    "open": WARN,
}
_FAULTS: Mapping[str, tuple[str, str]] = {
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


def ending(report: "Report", *, boxed: bool) -> RenderableType:
    """How a debate ended: status, decision, how it was reached, what was used, and problems."""
    status = report.outcome.status
    colour, name = _COLOURS.get(status, WARN), "not finished" if status == "open" else status_in_words(status)
    if report.outcome.line == ANSWERED_LINE:
        colour, name = GOOD, ANSWERED
    body = Stack(tuple(_body(report)))
    if boxed:
        return Panel(body, title=Text(f" {name} ", style=f"bold {colour}"), title_align="left", border_style=colour)
    return Stack((Rule(Text(name, style=f"bold {colour}"), style=FAINT), body))


def _body(report: "Report") -> Iterator[RenderableType]:
    outcome = report.outcome
    decision = outcome.decision
    if decision and answer_in_words(decision):
        yield from paragraphs(answer_in_words(decision), "bold")
        if outcome.proposer:
            yield Text(f"proposed by {line(outcome.proposer)}", style=FAINT)
        yield ""
    yield from fields(_facts(report))


def _facts(report: "Report") -> Iterator[tuple[str, str]]:
    outcome, total = report.outcome, report.metrics.total
    decision = outcome.decision
    label = "why" if outcome.status == "paused" else "how"
    yield label, outcome.line.removeprefix("paused: ").removeprefix(f"{ANSWERED}: ")
    if decision and decision.share:
        share = ", ".join(filter(None, (percent(decision.share), report.strength(decision))))
        support = f": {line(listed(decision.support))}" if decision.support else ""
        yield "support", share + support + (f" ({outcome.readable})" if outcome.readable else "")
    elif outcome.readable:
        yield "support", outcome.readable
    if outcome.tally:
        yield "tally", "\n".join(_tally(report))
    if outcome.dissent:
        yield "dissent", "\n".join(_dissent(report))
    if decision:
        for minority in decision.minority if decision.status != "decided" else _voted_answers(decision):
            by = f" ({line(listed(minority.by))})" if minority.by and minority.by != (minority.answer,) else ""
            yield (
                "minority" if decision.status == "decided" else "answer",
                f"{short(minority.answer, 160)}{by}"
                + (f": {short(minority.argument, 240)}" if minority.argument else ""),
            )
    if report.review:
        from folkmoot.report.phrases import finding_in_words  # here for start-up time: few debates are reviews

        for item in report.review.findings:
            yield item.finding.id, line(finding_in_words(item))
    for note in outcome.notes:
        yield "cause" if outcome.status == "failed" else "note", note
    if problems := _problems(report):
        yield "problems", problems
    if any(fault.kind == "unmarked" for fault in report.faults):
        yield "", UNMARKED_ANSWER
    used = [
        counted(total.asks, "question"),
        counted(total.calls, "call"),
        # What a call costs that has ended without an answer is not known.
        *usage_in_words(total.input_tokens + total.output_tokens, total.cost, total.estimated)[: 1 + bool(total.calls)],
        duration(report.metrics.seconds),
    ]
    yield "used", " · ".join(used)


def _voted_answers(decision: Decision) -> Iterator[Minority]:
    """The answers that lost and that somebody voted for, the strongest first."""
    return iter(
        sorted((minority for minority in decision.minority if minority.share), key=lambda minority: -minority.share)
    )


def _tally(report: "Report") -> Iterator[str]:
    ordered = sorted(report.outcome.tally, key=lambda row: -row.votes)
    highest = max(row.votes for row in ordered) or 1.0
    rows = [
        (
            short(row.candidate, 48),
            "█" * round(8 * row.votes / highest),
            f"{row.votes:g}" + ("" if row.first is None else f" (first drafts {row.first:g})"),
        )
        for row in ordered
    ]
    rows += [(NOT_READABLE, "", f"{report.outcome.unread}")] if report.outcome.unread else []
    wide = max(cell_len(name) for name, _, _ in rows)
    yield from (f"{name}{' ' * (wide - cell_len(name))}  {bar:<8} {votes}" for name, bar, votes in rows)


def _dissent(report: "Report") -> Iterator[str]:
    for ballot in report.outcome.dissent:
        reason = f": {short(ballot.reason, 200)}" if ballot.reason else ""
        yield f"{line(ballot.voter)} for {short(ballot.choice, 60)}{reason}"


def _problems(report: "Report") -> str:
    kinds: Sequence[str] = [fault.kind for fault in report.faults]
    counts = [counted(kinds.count(kind), *names) for kind, names in _FAULTS.items() if kind in kinds]
    return ", ".join(counts)


class _Lines:
    """Prints the stored lines unchanged."""

    pieces = False

    def take(self, item: Entry | Delta, raw: str) -> None:
        if raw:
            sys.stdout.buffer.write(raw.encode() + b"\n")
            sys.stdout.buffer.flush()

    def tick(self) -> None:
        pass


class _NoOutput:
    """Shows nothing."""

    pieces = False

    def take(self, item: Entry | Delta, raw: str) -> None:
        pass

    def tick(self) -> None:
        pass


class Output:
    """How one command shows a debate.

    Args:
        mode: ``json``, ``plain``, ``quiet``, or "" for the live screen where there is a terminal.
        planned: the maximum number of questions; 0 where it is not known.
        still: whether there is no live area, because the debate has already ended.
        numbers: whether turns are shown with their numbers and entries.
    """

    def __init__(self, mode: str, *, planned: int = 0, still: bool = False, numbers: bool = False) -> None:
        self.mode = mode
        self.console = console_for(plain=mode == "plain", stderr=mode == "json")
        self.boxed = mode == "" and self.console.is_terminal
        self.live = self.boxed and not still
        self.screen = Screen(self.console, live=self.live, planned=planned) if mode in ("", "plain") else None
        if self.screen:
            self.screen.state.numbers = numbers
        self.viewer: Viewer = self.screen or (_Lines() if mode == "json" else _NoOutput())

    def __enter__(self) -> "Output":
        if self.screen:
            self.screen.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self.screen:
            self.screen.__exit__(*error)

    def remark(self, sentence: str) -> None:
        """Show a sentence that is not part of the debate."""
        if self.boxed:
            self.console.print(Text(sentence, style=WARN))
        else:
            click.echo(f"folkmoot: {sentence}", err=True)

    def introduce(self, debate: str, prepared: "PreparedDebate") -> None:
        """Show the debate that is about to run."""
        if self.mode in ("", "plain"):
            for renderable in introduction(debate, prepared):
                self.console.print(renderable)
        else:
            for note in prepared.notes:
                self.remark(note)

    def announce(self, debate: str, opened: Opened) -> None:
        """Show which debate follows."""
        if self.screen:
            for renderable in (*heading(debate, opened.name, opened.brief, {}, origin=fork_origin(opened.forked)), ""):
                self.console.print(renderable)

    def introduce_resumed(self, debate: str, entries: Sequence[Entry]) -> None:
        """Show what is kept of a debate that is resumed."""
        transcript = fold(entries)
        if self.screen:
            for entry in entries:
                self.screen.load(entry)
            self.screen.state.fold.drafts.clear()
        answered = len(transcript.turns())
        again = sum(not transcript.answered(turn.key) for turn in transcript.all())
        sentence = f"{debate}: {counted(answered, 'answer')} kept"
        sentence += f", {counted(again, 'question')} asked again" if again else ""
        origin = fork_origin(opening(debate, entries).forked)
        sentence += f", {origin}" if origin else ""
        if self.mode in ("", "plain"):
            topic = transcript.brief.topic if transcript.brief else ""
            self.console.print(Text(line(topic), style="bold"))
            self.console.print(Text(f"{sentence}.", style=FAINT))
            self.console.print()
        else:
            self.remark(sentence)

    def conclude(
        self, report: "Report", outcome: Outcome, saved: Mapping[str, str], follow_ups: "FollowUps | None" = None
    ) -> None:
        """Show how the debate ended or for whom it waits, messages not on record yet, and what to do next."""
        follow_ups = follow_ups or FollowUps()
        if self.mode == "json":
            if outcome.status == "paused":
                step = resume_step(outcome.debate, outcome.transcript.paused, outcome.usage)
                self.remark(f"{line(outcome.reason)}. Resume with: {step.command}")
            return
        self.console.print(ending(report, boxed=self.boxed))
        for renderable in (*waits(follow_ups.asks), *viewer_messages(follow_ups.outside)):
            self.console.print(renderable)
        for label, path in saved.items():
            self.console.print(Text(f"{label:<10}{path}", style=FAINT), soft_wrap=True)
        first = commands(outcome.debate, follow_ups.asks)
        paused = outcome.status == "paused"
        steps = [resume_step(outcome.debate, outcome.transcript.paused, outcome.usage)] if paused else []
        if outcome.kind == "unavailable":
            steps = list(pause_steps(outcome.debate, outcome.transcript, outcome.usage, report.entries))
        first += [f"{step.command}{step.words and f'  # {step.words}'}" for step in (*steps, *follow_ups.steps)]
        rest = [f"folkmoot show {outcome.debate}", f"folkmoot verify {outcome.debate}"] if self.mode != "quiet" else []
        for n, command in enumerate((*first, *rest)):
            label = "next" if not n else ""
            self.console.print(Text(f"{label:<10}{command}", style="" if command in first else FAINT), soft_wrap=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUps:
    """What can be done after the end or the pause of a debate.

    Attributes:
        asks: the questions to people that are open.
        outside: messages that are not on record yet.
        steps: what may decide a debate that nobody won.
    """

    asks: Sequence[OpenQuestion] = ()
    outside: Sequence[Interjected] = ()
    steps: Sequence[NextStep] = ()
