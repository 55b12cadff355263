"""The live screen of a debate: finished turns in the scrollback, open answers and a status line below."""

import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from rich.console import Console, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.serve.entry_view import EntryView
from folkmoot.cli.display.render import ViewState, doing, entry_lines, running_tally
from folkmoot.cli.display.text_layout import BAD, FAINT, Indented, Stack, joined, line, usage_in_words
from folkmoot.core.event import Attempted, Called, Delta, Entry
from folkmoot.core.labels import duration
from folkmoot.core.text import clean, counted
from folkmoot.report.metrics import sums_of

MOST_STREAMS = 6
STREAM_LINES = 4


class Viewer(Protocol):
    """Something that is shown the entries of a debate."""

    @property
    def pieces(self) -> bool:
        """Whether it shows unfinished answers."""
        ...

    def take(self, item: Entry | Delta, raw: str) -> None:
        """Show one item; ``raw`` is an entry's stored line."""
        ...

    def tick(self) -> None:
        """Update what depends on the time."""
        ...


class Screen:
    """Shows a debate: finished turns go into the scrollback; on a terminal, open answers are shown below them.

    Args:
        console: where it is printed.
        live: whether there is a live area.
        planned: the maximum number of questions; 0 where it is not known.

    Attributes:
        pieces: whether it shows unfinished answers, which stand in the live area.
        shown: the keys of the turns already shown.
        in_place: whether people are asked at this screen. It then waits for their answers, so that nobody reads other
            answers to a question before giving their own.
    """

    def __init__(self, console: Console, *, live: bool, planned: int = 0) -> None:
        self.console, self.state, self.planned = console, ViewState(), planned
        self.shown: set[str] = set()
        self.in_place = False
        self.pieces = live
        self._live: Live | None = None
        self._asked: set[str] = set()
        self._later: list[EntryView] = []
        self._began = time.monotonic()
        self._since: dict[str, float] = {}
        self._sent: set[str] = set()

    def __enter__(self) -> "Screen":
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self.release(*self._asked)
        self._stop()

    def _start(self) -> None:
        if self.pieces:
            # A new object each time: a stopped one would overwrite what was shown since.
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live:
            self._live.update("")
            self._live.stop()
            self._live = None

    def release(self, *keys: str) -> None:
        """No longer wait for these questions; when nobody is asked any more, show what came in the meantime."""
        before, self._asked = self._asked, self._asked.difference(keys)
        if before and not self._asked:
            later, self._later = self._later, []
            self._start()
            for view in later:
                self._show(view)

    def load(self, entry: Entry) -> EntryView:
        """Apply an entry without showing it."""
        if isinstance(entry.event, Attempted):
            self._sent.add(entry.event.key)
        if isinstance(entry.event, Attempted | Called):
            self._since.pop(entry.event.key, None)
        return self.state.take(entry)

    def take(self, item: Entry | Delta, raw: str) -> None:
        """Show one item."""
        if isinstance(item, Delta):
            self.state.fold.add_delta(item)
        else:
            self._show(self.load(item))

    def _show(self, view: EntryView) -> None:
        """Show an entry, or keep it until the people have answered who are asked now."""
        if self._asked and view.kind != "asked":
            self._later.append(view)
            if view.kind in ("replied", "failed", "attempted"):  # the last one by a fallback model
                self.release(view.key)
            elif view.kind == "paused":
                self.release(*self._asked)
            return
        if view.kind in ("replied", "failed", "interjected"):
            self.shown.add(view.key)
        if view.kind in ("asked", "resumed") and self.in_place:
            self._wait_for_people()
        for renderable in entry_lines(self.state, view):
            self.console.print(renderable)
        self.tick()

    def _wait_for_people(self) -> None:
        """Show nothing more while people are asked here."""
        fold = self.state.fold
        if waiting := [key for key, words in fold.drafts.items() if not words and fold.waits_for_person(key)]:
            self._asked = self._asked.union(waiting)
            self._stop()

    def tick(self) -> None:
        """Redraw the live area."""
        if self._live:
            self._live.update(Stack(tuple(self._area())), refresh=True)

    def _area(self) -> Iterator[RenderableType]:
        # Unfinished text may be private: it is not known yet to which field it belongs.
        fold = self.state.fold
        texts = {key: "" if fold.hides_piece(key) else words.strip() for key, words in fold.drafts.items()}
        speaking = [(key, clean(fold.drafts[key])) for key, words in texts.items() if words]
        waiting = [key for key, words in texts.items() if not words]
        people = [key for key in waiting if fold.waits_for_person(key)]
        waiting = [key for key in waiting if key not in people]
        room = max(1, min(STREAM_LINES, (self.console.height - 6) // max(1, min(len(speaking), MOST_STREAMS)) - 1))
        for key, words in speaking[:MOST_STREAMS]:
            yield doing(self.state, key).append(f" · {self._pace(key, words)}", FAINT)
            yield Indented(tail(words, self.console.width - 2, room))
        if len(speaking) > MOST_STREAMS:
            yield Text(f"{len(speaking) - MOST_STREAMS} more are answering", style=FAINT)
        if waiting:
            # While calls of others are sent, whose call is not waits for a place at a server that answers few at once.
            busy = self._sent.intersection(texts)
            idle = [key for key in waiting if busy and key not in busy and not fold.drafts[key]]
            yield from self._who(" thinking …", [key for key in waiting if key not in idle])
            yield from self._who(" waiting …", idle)
        if people:
            yield Text.assemble(("waiting for ", FAINT), Text(", ").join(self._name(key) for key in people))
        if tally := running_tally(self.state):
            yield tally
        yield Rule(style=FAINT)
        yield self._status()

    def _who(self, what: str, keys: Sequence[str]) -> Iterator[Text]:
        if keys:
            names = Text(", ").join(self._name(key) for key in keys[:8])
            rest = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
            line_ = Text.assemble(names, (rest + what, FAINT))
            line_.truncate(self.console.width - 1, overflow="ellipsis")
            yield line_

    def _pace(self, key: str, words: str) -> str:
        """How much of an answer has come, and how fast: a slow server shows so that it is at work."""
        count, now = len(words.split()), time.monotonic()
        began = self._since.setdefault(key, now)
        rate = f", {count / (now - began):.0f}/s" if now - began >= 1 else ""
        return f"{counted(count, 'word')}{rate}"

    def _name(self, key: str) -> Text:
        by = self.state.fold.transcript.get(key).by
        return Text(line(by), style=f"bold {self.state.colours.get(by, '')}")

    def _status(self) -> Text:
        state, width = self.state, self.console.width - 1
        sums = sums_of(state.fold.transcript)
        position = Text(self._place_in_words(), style="bold")
        asks = f"{state.done()}/{self.planned}" if self.planned else counted(state.done(), "question")
        facts = [
            asks,
            counted(sums.calls, "call"),
            *usage_in_words(sums.tokens, sums.cost, sums.estimated)[: 1 + bool(sums.calls)],
            duration(int(time.monotonic() - self._began)),
        ]
        if sums.missing:
            facts.append(f"{sums.missing} missing")
        # On a narrow screen the least important facts are dropped first: calls, then tokens.
        while len(facts) > 3 and len(position.plain) + len(" · ".join(facts)) + 3 > width:
            facts.pop(1)
        facts_text = joined(*(Text(fact, style=BAD if "missing" in fact else "") for fact in facts))
        room = width - position.cell_len - facts_text.cell_len - 2
        progress = bar(state.done(), self.planned, min(room, 30))
        line_ = Text(" ").join(part for part in (position, progress, facts_text) if part)
        line_.truncate(width, overflow="ellipsis")
        return line_

    def _place_in_words(self) -> str:
        parts = self.state.path.split("/")
        rounds = [part.removeprefix("round-") for part in parts if part.startswith("round-")]
        phase = parts[-1].replace("_", " ").replace("-", " ")
        if not rounds:
            return phase or "debate"
        head = f"round {rounds[-1]}" + (f"/{self.state.rounds}" if self.state.rounds else "")
        return head if parts[-1].startswith("round-") else f"{head} {phase}"


def bar(done: int, whole: int, width: int) -> Text:
    """A progress bar; empty if there is no room or the total is not known."""
    if width < 6 or not whole:
        return Text("")
    full = min(width, round(width * done / whole))
    return Text.assemble(("━" * full, "color(68)"), ("━" * (width - full), FAINT))


def tail(words: str, width: int, rows: int) -> Text:
    """The last rows of an unfinished answer, with a cursor."""
    text = words[-(width * (rows + 2)) :].expandtabs(4).strip()
    lines = Text(text + " ▌").wrap(Console(width=width), width)
    return Text("\n").join([text for text in lines if text.plain.strip()][-rows:])
