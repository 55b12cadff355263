"""The screen of a debate. This file owns the live area, the status line and what goes into the scrollback."""

import time
from collections.abc import Iterator
from typing import Protocol

from rich.console import Console, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from moot.app.plan.assignment import is_person
from moot.app.serve.view_model import most_rounds
from moot.cli.display.render import Stage, doing, running_tally, tell
from moot.cli.display.text_layout import BAD, FAINT, Inset, Stack, amount, count, joined, line, money, span
from moot.core.event import Asked, Attempted, Delta, Entry, Event, Failed, Interjected, Opened, Paused, Replied, Resumed
from moot.core.text import clean

MOST_STREAMS, STREAM_LINES = 6, 4


class Viewer(Protocol):
    """Whoever is shown a debate."""

    def take(self, item: Entry | Delta, raw: str) -> None:
        """Show one item; ``raw`` is an entry's stored line."""
        ...

    def tick(self) -> None:
        """Time has gone by."""
        ...


class Screen:
    """Shows a debate: finished turns go into the scrollback; on a terminal what is open stands below them.

    Args:
        console: where to.
        live: whether there is a live area.
        planned: the asks that there will be at most; 0 where nobody knows.

    Attributes:
        shown: the keys of the turns that were shown.
        in_place: whether people are asked at this screen: it stands still until they have answered, so that nobody
            reads answers to a question before giving his own.
    """

    def __init__(self, console: Console, *, live: bool, planned: int = 0) -> None:
        self.console, self.stage, self.planned = console, Stage(), planned
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
            # A new one each time: one that was stopped would draw over what was shown meanwhile.
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()

    def _stop(self) -> None:
        if self._live:
            self._live.update("")
            self._live.stop()
            self._live = None

    def release(self, *keys: str) -> None:
        """Stand still for these asks no longer; what came meanwhile is shown when nobody is asked any more."""
        before, self._asked = self._asked, self._asked.difference(keys)
        if before and not self._asked:
            held, self._held = self._held, []
            self._start()
            for item in held:
                self.take(item, "")

    def load(self, entry: Entry) -> None:
        """Take an entry of the past in without showing it."""
        self.stage.take(entry.event)
        self.stage.seq = entry.seq
        if isinstance(entry.event, Opened):
            self._rounds = most_rounds(entry.event.protocol)

    def take(self, item: Entry | Delta, raw: str) -> None:
        """Show one item."""
        event = None if isinstance(item, Delta) else item.event
        if self._asked and not isinstance(event, Asked):
            self._held.append(item)
            match event:
                case Replied(key=key) | Failed(key=key) | Attempted(key=key):  # the last one by a stand-in
                    self.release(key)
                case Paused():
                    self.release(*self._asked)
                case _:
                    pass
            return
        if isinstance(item, Delta):
            self.stage.hear(item)
            return
        self.load(item)
        self._mind(item.event)
        for each in tell(self.stage, item.event):
            self.console.print(each)
        self.tick()

    def _mind(self, event: Event) -> None:
        """Note which turn is shown, and stand still where people are asked."""
        match event:
            case Replied(key=key) | Failed(key=key):
                self.shown.add(key)
            case Interjected():
                self.shown.add(self.stage.transcript.all()[-1].key)
            case Asked() | Resumed() if self.in_place:
                asked = [key for key, words in self.stage.words.items() if not words and self._waits_for(key)]
                if asked:
                    self._asked = self._asked.union(asked)
                    self._stop()
            case _:
                pass

    def tick(self) -> None:
        """Draw the live area anew."""
        if self._live:
            self._live.update(Stack(tuple(self._area())), refresh=True)

    def _area(self) -> Iterator[RenderableType]:
        # Words in the making may be private: nobody knows yet in which field they will stand.
        heard = {key: "" if self.stage.hides(key) else words.strip() for key, words in self.stage.words.items()}
        speaking = [(key, clean(self.stage.words[key])) for key, words in heard.items() if words]
        waiting = [key for key, words in heard.items() if not words]
        people = [key for key in waiting if self._waits_for(key)]
        waiting = [key for key in waiting if key not in people]
        room = max(1, min(STREAM_LINES, (self.console.height - 6) // max(1, min(len(speaking), MOST_STREAMS)) - 1))
        for key, words in speaking[:MOST_STREAMS]:
            yield doing(self.stage, key)
            yield Inset(tail(words, self.console.width - 2, room))
        if len(speaking) > MOST_STREAMS:
            yield Text(f"{len(speaking) - MOST_STREAMS} more speak", style=FAINT)
        if waiting:
            names = Text(", ").join(self._name(key) for key in waiting[:8])
            rest = f" and {len(waiting) - 8} more" if len(waiting) > 8 else ""
            line_ = Text.assemble(names, (f"{rest} thinking …", FAINT))
            line_.truncate(self.console.width - 1, overflow="ellipsis")
            yield line_
        if people:
            yield Text.assemble(("waiting for ", FAINT), Text(", ").join(self._name(key) for key in people))
        if tally := running_tally(self.stage):
            yield tally
        yield Rule(style=FAINT)
        yield self._status()

    def _waits_for(self, key: str) -> bool:
        """Whether a person has to answer there."""
        transcript = self.stage.transcript
        return transcript.brief is not None and is_person(transcript.brief.participant(transcript.get(key).by))

    def _name(self, key: str) -> Text:
        by = self.stage.transcript.get(key).by
        return Text(line(by), style=f"bold {self.stage.colours.get(by, '')}")

    def _status(self) -> Text:
        stage, width = self.stage, self.console.width - 1
        usage = stage.transcript.usage
        where = Text(self._where(), style="bold")
        asks = f"{stage.done()}/{self.planned}" if self.planned else f"{stage.done()} asks"
        facts = [
            asks,
            count(stage.calls, "call"),
            f"{amount(usage.input_tokens + usage.output_tokens)} tok",
            money(usage.cost),
            span(time.monotonic() - self._began),
        ]
        if failures := len(stage.transcript.failures()):
            facts.append(f"{failures} missing")
        # On a narrow screen the least important goes first: calls, then tokens.
        while len(facts) > 3 and len(where.plain) + len(" · ".join(facts)) + 3 > width:
            facts.pop(1)
        said = joined(*(Text(fact, style=BAD if "missing" in fact else "") for fact in facts))
        room = width - where.cell_len - said.cell_len - 2
        progress = bar(stage.done(), self.planned, min(room, 30))
        line_ = Text(" ").join(part for part in (where, progress, said) if part)
        line_.truncate(width, overflow="ellipsis")
        return line_

    def _where(self) -> str:
        parts = self.stage.path.split("/")
        rounds = [part.removeprefix("round-") for part in parts if part.startswith("round-")]
        phase = parts[-1].replace("_", " ").replace("-", " ")
        if not rounds:
            return phase or "debate"
        head = f"round {rounds[-1]}" + (f"/{self._rounds}" if self._rounds else "")
        return head if parts[-1].startswith("round-") else f"{head} {phase}"


def bar(done: int, whole: int, width: int) -> Text:
    """How far it is; nothing where there is no room or no end in sight."""
    if width < 6 or not whole:
        return Text("")
    full = min(width, round(width * done / whole))
    return Text.assemble(("━" * full, "color(68)"), ("━" * (width - full), FAINT))


def tail(words: str, width: int, rows: int) -> Text:
    """The last rows of words in the making, with a cursor."""
    kept = words[-(width * (rows + 2)) :].expandtabs(4).strip()
    lines = Text(kept + " ▌").wrap(Console(width=width), width)
    return Text("\n").join([each for each in lines if each.plain.strip()][-rows:])
