"""The live screen of a debate: finished turns in the scrollback, open answers and a status line below."""

import time
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from moot.app.plan.assignment import is_person
from moot.app.serve.view_model import most_rounds
from moot.cli.display.render import ViewState, doing, entry_lines, running_tally
from moot.cli.display.text_layout import BAD, FAINT, Indented, Stack, amount, joined, line, money, span
from moot.core.event import Asked, Attempted, Delta, Entry, Event, Failed, Interjected, Opened, Paused, Replied, Resumed
from moot.core.text import clean, counted

MOST_STREAMS, STREAM_LINES = 6, 4


class Viewer(Protocol):
    """Something that is shown the entries of a debate."""

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
        shown: the keys of the turns already shown.
        in_place: whether people are asked at this screen. It then waits for their answers, so that nobody reads other
            answers to a question before giving their own.
    """

    def __init__(self, console: Console, *, live: bool, planned: int = 0) -> None:
        self.console, self.view, self.planned = console, ViewState(), planned
        self.shown: set[str] = set()
        self.in_place = False
        self._moves = live
        self._live: Live | None = None
        self._asked: set[str] = set()
        self._held: list[Entry | Delta] = []
        self._rounds = 0
        self._began = time.monotonic()

    def __enter__(self) -> "Screen":
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self.release(*self._asked)
        self._stop()

    def _start(self) -> None:
        if self._moves:
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
            held, self._held = self._held, []
            self._start()
            for item in held:
                self.take(item, "")

    def load(self, entry: Entry) -> None:
        """Apply an earlier entry without showing it."""
        self.view.take(entry.event)
        self.view.seq = entry.seq
        if isinstance(entry.event, Opened):
            self._rounds = most_rounds(entry.event.protocol)

    def take(self, item: Entry | Delta, raw: str) -> None:
        """Show one item."""
        event = None if isinstance(item, Delta) else item.event
        if self._asked and not isinstance(event, Asked):
            self._held.append(item)
            match event:
                case Replied(key=key) | Failed(key=key) | Attempted(key=key):  # the last one by a fallback model
                    self.release(key)
                case Paused():
                    self.release(*self._asked)
                case _:
                    pass
            return
        if isinstance(item, Delta):
            self.view.hear(item)
            return
        self.load(item)
        self._mind(item.event)
        for renderable in entry_lines(self.view, item.event):
            self.console.print(renderable)
        self.tick()

    def _mind(self, event: Event) -> None:
        """Note which turn is shown, and wait where people are asked."""
        match event:
            case Replied(key=key) | Failed(key=key):
                self.shown.add(key)
            case Interjected():
                self.shown.add(self.view.transcript.all()[-1].key)
            case Asked() | Resumed() if self.in_place:
                asked = [key for key, words in self.view.words.items() if not words and self._waits_for(key)]
                if asked:
                    self._asked = self._asked.union(asked)
                    self._stop()
            case _:
                pass

    def tick(self) -> None:
        """Redraw the live area."""
        if self._live:
            self._live.update(Stack(tuple(self._area())), refresh=True)

    def _area(self) -> Iterator[RenderableType]:
        # Unfinished text may be private: it is not known yet to which field it belongs.
        heard = {key: "" if self.view.hides(key) else words.strip() for key, words in self.view.words.items()}
        speaking = [(key, clean(self.view.words[key])) for key, words in heard.items() if words]
        waiting = [key for key, words in heard.items() if not words]
        people = [key for key in waiting if self._waits_for(key)]
        waiting = [key for key in waiting if key not in people]
        room = max(1, min(STREAM_LINES, (self.console.height - 6) // max(1, min(len(speaking), MOST_STREAMS)) - 1))
        for key, words in speaking[:MOST_STREAMS]:
            yield doing(self.view, key)
            yield Indented(tail(words, self.console.width - 2, room))
        if len(speaking) > MOST_STREAMS:
            yield Text(f"{len(speaking) - MOST_STREAMS} more are answering", style=FAINT)
        if waiting:
            names = Text(", ").join(self._name(key) for key in waiting[:8])
            rest = f" and {len(waiting) - 8} more" if len(waiting) > 8 else ""
            line_ = Text.assemble(names, (f"{rest} thinking …", FAINT))
            line_.truncate(self.console.width - 1, overflow="ellipsis")
            yield line_
        if people:
            yield Text.assemble(("waiting for ", FAINT), Text(", ").join(self._name(key) for key in people))
        if tally := running_tally(self.view):
            yield tally
        yield Rule(style=FAINT)
        yield self._status()

    def _waits_for(self, key: str) -> bool:
        """Whether a person has to answer this question."""
        transcript = self.view.transcript
        return transcript.brief is not None and is_person(transcript.brief.participant(transcript.get(key).by))

    def _name(self, key: str) -> Text:
        by = self.view.transcript.get(key).by
        return Text(line(by), style=f"bold {self.view.colours.get(by, '')}")

    def _status(self) -> Text:
        view, width = self.view, self.console.width - 1
        usage = view.transcript.usage
        where = Text(self._where(), style="bold")
        asks = f"{view.done()}/{self.planned}" if self.planned else counted(view.done(), "question")
        facts = [
            asks,
            counted(view.calls, "call"),
            f"{amount(usage.input_tokens + usage.output_tokens)} tokens",
            money(usage.cost),
            span(time.monotonic() - self._began),
        ]
        if failures := len(view.transcript.failures()):
            facts.append(f"{failures} missing")
        # On a narrow screen the least important facts are dropped first: calls, then tokens.
        while len(facts) > 3 and len(where.plain) + len(" · ".join(facts)) + 3 > width:
            facts.pop(1)
        said = joined(*(Text(fact, style=BAD if "missing" in fact else "") for fact in facts))
        room = width - where.cell_len - said.cell_len - 2
        progress = bar(view.done(), self.planned, min(room, 30))
        line_ = Text(" ").join(part for part in (where, progress, said) if part)
        line_.truncate(width, overflow="ellipsis")
        return line_

    def _where(self) -> str:
        parts = self.view.path.split("/")
        rounds = [part.removeprefix("round-") for part in parts if part.startswith("round-")]
        phase = parts[-1].replace("_", " ").replace("-", " ")
        if not rounds:
            return phase or "debate"
        head = f"round {rounds[-1]}" + (f"/{self._rounds}" if self._rounds else "")
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
