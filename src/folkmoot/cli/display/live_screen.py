"""The screen of a debate that runs: what was said in the scrollback, and below it who is answering now."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from rich.console import Console, RenderableType
from rich.live import Live
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.serve.entry_view import EntryView
from folkmoot.cli.display.render import ViewState, doing, entry_lines, running_tally, short_lines
from folkmoot.cli.display.text_layout import BAD, FAINT, Indented, Stack, joined, usage_in_words
from folkmoot.core.event import Attempted, Delta, Entry
from folkmoot.core.labels import duration
from folkmoot.core.text import clean, counted
from folkmoot.report.metrics import sums_of

MOST_STREAMS = 6
STREAM_LINES = 4

MOST_INCIDENTS = 4
"""The most failures of a kind that are shown where turns are not."""


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
    """Shows a debate: each turn in full or in one line; without a terminal, a line for each part of the debate.

    Args:
        console: where it is printed.
        live: whether there is a live area.
        full: whether turns are shown in full.
        planned: the maximum number of questions; 0 where it is not known.

    Attributes:
        pieces: whether it shows unfinished answers, which are in the live area.
        shown: the keys of the turns already shown in full.
        in_place: whether people are asked at this screen. It then waits for their answers, so that nobody reads other
            answers to a question before giving their own.
    """

    def __init__(self, console: Console, *, live: bool, full: bool = True, planned: int = 0) -> None:
        self.console, self.full, self.planned = console, full, planned
        self.state = ViewState()
        self.shown: set[str] = set()
        self.in_place = False
        self.pieces = live
        self._live: Live | None = None
        self._asked: set[str] = set()
        self._later: list[EntryView] = []
        self._part: list[str] = []
        self._incidents: Counter[str] = Counter()
        self._began = time.monotonic()
        self._sent: set[str] = set()

    def __enter__(self) -> "Screen":
        self._start()
        return self

    def __exit__(self, *error: object) -> None:
        self.release(*self._asked)
        self._end_part()
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
        if view.kind in ("asked", "resumed") and self.in_place:
            fold = self.state.fold
            if waiting := [key for key, words in fold.drafts.items() if not words and fold.waits_for_person(key)]:
                self._asked = self._asked.union(waiting)
                self._stop()
        if self.full:
            self.shown.add(view.key)
            self._print(entry_lines(self.state, view))
        elif self.console.is_terminal:
            self._print(short_lines(self.state, view))
        elif view.turn and view.kind in ("replied", "failed"):
            before = self.state.place
            if self.state.new_place(view.turn.spoken):
                self._end_part(before)
            self._part.append(view.kind)
            self._print_incident(view, unread=view.turn.unread)
        elif view.kind in ("erred", "paused", "interjected"):
            self._print_incident(view)
        self.tick()

    def _print(self, renderables: Iterator[RenderableType]) -> None:
        for renderable in renderables:
            self.console.print(renderable)

    def _print_incident(self, view: EntryView, *, unread: Sequence[object] = ()) -> None:
        """Show what went wrong, the first few times: the summary counts them all."""
        if (view.kind != "replied" or unread) and self._incidents[view.kind] < MOST_INCIDENTS:
            self._incidents[view.kind] += 1
            self._print(short_lines(self.state, view))

    def _end_part(self, place: str = "") -> None:
        """Say what came of a part of the debate, where turns are not shown."""
        if self._part:
            failed = self._part.count("failed")
            missing = f", {failed} missing" if failed else ""
            answers = counted(len(self._part) - failed, "answer")
            self.console.print(Text(f"{place or self.state.place}: {answers}{missing}", style=FAINT))
            self._part.clear()

    def tick(self) -> None:
        """Redraw the live area."""
        if self._live:
            self._live.update(Stack(tuple(self._area())), refresh=True)

    def _area(self) -> Iterator[RenderableType]:
        # Unfinished text may be private: it is not known yet to which field it belongs.
        fold, room = self.state.fold, self.console.height - 6
        texts = {key: "" if fold.hides_piece(key) else clean(words.strip()) for key, words in fold.drafts.items()}
        speaking = [(key, words) for key, words in texts.items() if words]
        silent = [key for key, words in texts.items() if not words]
        people = [key for key in silent if fold.waits_for_person(key)]
        rows = max(1, min(STREAM_LINES, room // max(1, min(len(speaking), MOST_STREAMS)) - 1))
        for key, words in speaking[:MOST_STREAMS]:
            yield doing(self.state, key).append(f" · {counted(len(words.split()), 'word')}", FAINT)
            yield Indented(tail(words, self.console.width - 2, rows))
        if len(speaking) > MOST_STREAMS:
            yield Text(f"{len(speaking) - MOST_STREAMS} more are answering", style=FAINT)
        # While calls of others are sent, whose call is not waits for a place at a server that answers few at once.
        busy = self._sent.intersection(texts)
        models = [key for key in silent if key not in people]
        idle = [key for key in models if busy and key not in busy and not fold.drafts[key]]
        yield from self._who("{} thinking …", [key for key in models if key not in idle])
        yield from self._who("{} waiting …", idle)
        yield from self._who("waiting for {}", people)
        if tally := running_tally(self.state):
            yield tally
        yield Rule(style=FAINT)
        yield self._status()

    def _who(self, words: str, keys: Sequence[str]) -> Iterator[Text]:
        if keys:
            before, _, behind = words.partition("{}")
            names = Text(", ").join(self.state.name(self.state.fold.transcript.get(key).by) for key in keys[:8])
            rest = f" and {len(keys) - 8} more" if len(keys) > 8 else ""
            row = Text.assemble((before, FAINT), names, (rest + behind, FAINT))
            row.truncate(self.console.width - 1, overflow="ellipsis")
            yield row

    def _status(self) -> Text:
        """Where the debate is, how far, what it has used; cut where the screen ends."""
        state, sums = self.state, sums_of(self.state.fold.transcript)
        *_, phase = ("", *state.path.split("/"))
        rounds = [part.removeprefix("round-") for part in state.path.split("/") if part.startswith("round-")]
        place = f"round {rounds[-1]}{f'/{state.rounds}' if state.rounds else ''}" if rounds else ""
        if not phase.startswith("round-"):
            place = " ".join(filter(None, (place, phase.replace("_", " ").replace("-", " ")))) or "debate"
        asks = f"{state.done()}/{self.planned}" if self.planned else counted(state.done(), "question")
        missing = Text(f"{sums.missing} missing", style=BAD) if sums.missing else ""
        used = (
            (*usage_in_words(sums.tokens, sums.cost, sums.estimated), counted(sums.calls, "call")) if sums.calls else ()
        )
        seconds = duration(int(time.monotonic() - self._began))
        facts = joined(asks, missing, seconds, *used)
        room = min(30, self.console.width - len(place) - facts.cell_len - 4)
        status = Text(" ").join(filter(None, (Text(place, "bold"), bar(state.done(), self.planned, room), facts)))
        status.truncate(self.console.width - 1, overflow="ellipsis")
        return status


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
