"""Faces of the command line: live, plain, quiet, JSON lines. This file owns what goes to which stream."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from moot.app.run.outcome import Outcome
from moot.app.run.question import Open
from moot.cli.display.ending import ending
from moot.cli.display.live_screen import Screen, Viewer
from moot.cli.display.plan_view import heading, introduction
from moot.cli.display.question import commands, overheard, waits
from moot.cli.display.text import count, line
from moot.cli.display.text_layout import FAINT, WARN
from moot.core.event import Delta, Entry, Interjected, Opened
from moot.core.labels import descent
from moot.core.transcript import fold
from moot.report.report import Report

if TYPE_CHECKING:
    from moot.app.run.prepare import Ready

PLAIN_WIDTH = 100
"""Columns of plain lines where nobody says how wide the output is."""


def console_for(*, plain: bool = False, stderr: bool = False, width: int = PLAIN_WIDTH) -> Console:
    """A console that neither colours nor marks up what others wrote; plain, or no terminal: no escape codes at all."""
    file = sys.stderr if stderr else sys.stdout
    terminal = file.isatty() and not plain and os.environ.get("TERM") != "dumb"
    return Console(
        file=file,
        force_terminal=terminal,
        color_system="auto" if terminal else None,
        no_color=None if terminal else True,
        width=None if file.isatty() or os.environ.get("COLUMNS") else width,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
    )


class _Lines:
    """Shows the stored lines as they are."""

    def take(self, item: Entry | Delta, raw: str) -> None:
        if raw:
            sys.stdout.buffer.write(raw.encode() + b"\n")
            sys.stdout.buffer.flush()

    def tick(self) -> None:
        pass


class _Nobody:
    """Shows nothing."""

    def take(self, item: Entry | Delta, raw: str) -> None:
        pass

    def tick(self) -> None:
        pass


class Face:
    """How one command shows a debate.

    Args:
        mode: ``json``, ``plain``, ``quiet``, or "" for the live screen where there is a terminal.
        planned: the asks that there will be at most; 0 where nobody knows.
        still: whether there is no live area, because everything is there already.
        numbers: whether turns are shown with their marks and entries.
    """

    def __init__(self, mode: str, *, planned: int = 0, still: bool = False, numbers: bool = False) -> None:
        self.mode = mode
        self.console = console_for(plain=mode == "plain", stderr=mode == "json")
        self.boxed = mode == "" and self.console.is_terminal
        self.live = self.boxed and not still
        self.screen = Screen(self.console, live=self.live, planned=planned) if mode in ("", "plain") else None
        if self.screen:
            self.screen.stage.numbers = numbers
        self.viewer: Viewer = self.screen or (_Lines() if mode == "json" else _Nobody())

    def __enter__(self) -> "Face":
        if self.screen:
            self.screen.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self.screen:
            self.screen.__exit__(*error)

    def remark(self, sentence: str) -> None:
        """Say something that is no part of the debate."""
        if self.boxed:
            self.console.print(Text(sentence, style=WARN))
        else:
            click.echo(f"moot: {sentence}", err=True)

    def introduce(self, debate: str, ready: "Ready") -> None:
        """What is about to be held."""
        if self.mode in ("", "plain"):
            for each in introduction(debate, ready):
                self.console.print(each)
        else:
            for note in ready.notes:
                self.remark(note)

    def announce(self, debate: str, opened: Opened) -> None:
        """Which debate is shown."""
        if self.screen:
            for each in (*heading(debate, opened.name, opened.brief, {}, origin=descent(opened.forked)), ""):
                self.console.print(each)

    def welcome_back(self, debate: str, entries: Sequence[Entry]) -> None:
        """What is kept of a debate that is taken up."""
        transcript = fold(entries)
        if self.screen:
            for entry in entries:
                self.screen.load(entry)
            self.screen.stage.words.clear()
        answered = len(transcript.turns())
        again = sum(not transcript.answered(turn.key) for turn in transcript.all())
        said = f"{debate}: {count(answered, 'answer')} kept"
        said += f", {count(again, 'ask')} put again" if again else ""
        origin = next((descent(each.event.forked) for each in entries if isinstance(each.event, Opened)), "")
        said += f", {origin}" if origin else ""
        if self.mode in ("", "plain"):
            topic = transcript.brief.topic if transcript.brief else ""
            self.console.print(Text(line(topic), style="bold"))
            self.console.print(Text(f"{said}.", style=FAINT))
            self.console.print()
        else:
            self.remark(said)

    def conclude(
        self,
        report: Report,
        came: Outcome,
        saved: Mapping[str, str],
        asks: Sequence[Open] = (),
        outside: Sequence[Interjected] = (),
    ) -> None:
        """How it ended, for whom it waits, what was said from outside and is not on record yet, and what to do next."""
        if self.mode == "json":
            if came.status == "paused":
                self.remark(f"{line(came.reason)}; go on with: moot resume {came.debate}")
            return
        self.console.print(ending(report, boxed=self.boxed))
        for each in (*waits(asks), *overheard(outside)):
            self.console.print(each)
        for label, path in saved.items():
            self.console.print(Text(f"{label:<10}{path}", style=FAINT), soft_wrap=True)
        first = commands(came.debate, asks)
        first += [f"moot resume {came.debate}"] if came.status == "paused" else []
        rest = [f"moot show {came.debate}", f"moot verify {came.debate}"] if self.mode != "quiet" else []
        for n, command in enumerate((*first, *rest)):
            label = "next" if not n else ""
            self.console.print(Text(f"{label:<10}{command}", style="" if command in first else FAINT), soft_wrap=True)
