"""Render the entries of a record: each turn in full, or in one line."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from folkmoot.app.serve.entry_view import EntryView, TurnView
from folkmoot.app.serve.view_model import EntryFold
from folkmoot.cli.display.text_layout import (
    BAD,
    FAINT,
    MODERATOR,
    WARN,
    Indented,
    Stack,
    colours,
    fields,
    joined,
    line,
    paragraphs,
)
from folkmoot.core.event import Entry
from folkmoot.core.labels import act_of, heading_path, noun, title, with_author
from folkmoot.report.gaps import NOT_READABLE
from folkmoot.report.markdown_text import capital
from folkmoot.report.turn_text import BALLOT_FIELDS, Speech, Spoken

LONGEST_FACT = 24
"""The most characters of a value in the single line of a bid or a score."""


@dataclass(slots=True)
class ViewState:
    """The state of a debate as far as the screen has shown it.

    Attributes:
        fold: makes the views of its entries.
        colours: by participant.
        place: the title above the last turn shown.
        path: the last phase that began.
        places: the phases in which somebody was asked.
        rounds: the most rounds that it can have; 0 where there are none.
        numbers: whether turns are shown with their numbers and entries.
    """

    fold: EntryFold = field(default_factory=EntryFold)
    colours: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    path: str = ""
    places: set[str] = field(default_factory=set[str])
    rounds: int = 0
    numbers: bool = False

    def take(self, entry: Entry) -> EntryView:
        """Apply one entry."""
        view = self.fold.take(entry)
        if view.opened:
            self.rounds = view.opened.rounds
            self.colours = colours(self.fold.brief)
        if view.path and view.kind == "entered":
            self.path = view.path
        if view.kind == "asked":
            self.path = view.key.rpartition("#")[0]
            self.places.add(self.path)
        return view

    def done(self) -> int:
        """The number of questions that have ended, and of messages from outside."""
        return len(self.fold.transcript.all()) - len(self.fold.drafts)

    def name(self, name: str) -> Text:
        """A participant in their colour."""
        return Text(line(name), style=f"bold {self.colours.get(name, '')}".strip())

    def new_place(self, spoken: Spoken) -> str:
        """The title of the part of the debate that begins with a turn; "" where it goes on."""
        heading = title(heading_path(spoken.key.rpartition("#")[0], self.places)).lower()
        if heading == self.place:
            return ""
        self.place = heading
        return heading


def entry_lines(state: ViewState, view: EntryView) -> Iterator[RenderableType]:
    """An entry that was already applied to the state, in full."""
    match view.kind:
        case "replied" | "failed" if view.turn:
            yield from _turn(state, view, view.turn)
        case "interjected" if view.turn:
            spoken = view.turn.spoken
            yield outsider(spoken.by, spoken.text, *_numbers(state, view, view.turn), to=spoken.link)
            yield ""
        case "halted" | "ruled" if view.line:
            yield Text(f"{capital(line(view.line))}.", style=FAINT)
            yield ""
        case "resumed":
            yield Text(line(view.line), style=FAINT)
            yield ""
        case _:
            yield from _incident(view)


def short_lines(state: ViewState, view: EntryView) -> Iterator[RenderableType]:
    """The same in one line, cut at the edge of the screen: who did what, with which answer."""
    if view.kind in ("replied", "failed") and view.turn:
        turn = view.turn
        if place := state.new_place(turn.spoken):
            yield Text(place, style=FAINT)
        speech = turn.speech
        answer = line(turn.position.answer) if turn.position and not turn.ballot else _in_short(turn.spoken)
        said = speech.words or max((value for _, value in (*speech.facts, *speech.rest)), key=len, default="")
        words = Text(f"✗ {line(view.line)}", style=BAD) if view.kind == "failed" else Text(line(said), FAINT)
        shown = joined(state.name(turn.spoken.by), _act(state, turn), Text(answer), words, between="  ")
        shown.no_wrap, shown.overflow = True, "ellipsis"
        yield Indented(shown)  # rich forgets the two settings of a text that it prints itself
        # A remark, such as a ballot that isn't readable, is never cut off.
        yield from (Indented(Text(line(remark), WARN), "    ", "    ") for remark in turn.remarks if turn.unread)
    elif view.kind == "interjected" and view.turn:
        yield outsider(view.turn.spoken.by, view.turn.spoken.text, to=view.turn.spoken.link)
    else:
        yield from _incident(view)


def _incident(view: EntryView) -> Iterator[RenderableType]:
    if view.kind == "erred" and view.call:
        yield Indented(Text(f"{line(view.call.by)}: {line(view.line)}", style=FAINT))
    elif view.kind == "paused":
        yield Text(line(view.line), style=WARN)


def outsider(by: str, text: str, *more: tuple[str, str], to: str = "") -> RenderableType:
    """A message of a viewer, with what it replies to and further remarks on it."""
    heading = Text.assemble((line(by), "bold"), (" (viewer)", FAINT), (f" {line(to)}" if to else "", FAINT), *more)
    return Indented(Stack((heading, *paragraphs(text))), "▌ ", "▌ ", WARN)


def _turn(state: ViewState, view: EntryView, turn: TurnView) -> Iterator[RenderableType]:
    spoken = turn.spoken
    if short := _in_short(spoken):
        parts = (state.name(spoken.by), " ", _act(state, turn), (f"  {short}", FAINT))
        yield Indented(Text.assemble(*parts, *_numbers(state, view, turn)))
        return
    if place := state.new_place(spoken):
        yield Rule(Text(place, style="bold"), style=FAINT)
    parts = [Text(f"✗ {line(view.line)}", style=BAD)] if view.kind == "failed" else body(spoken, turn.speech)
    if turn.remarks:
        parts.append(Text("; ".join(map(line, turn.remarks)), style=WARN if turn.unread else FAINT))
    facts = joined(line(spoken.role).partition(",")[0], _act(state, turn), line(turn.answered_by))
    heading = Text(" ").join(part for part in (state.name(spoken.by), facts) if part)
    shown = Stack((heading.append_text(Text.assemble(*_numbers(state, view, turn))), *map(Indented, parts)))
    yield Indented(shown, "▌ ", "▌ ", MODERATOR) if spoken.moderator else shown
    yield ""


def _in_short(turn: Spoken) -> str:
    """The short form of a turn that only organises the debate, such as a bid or a score; "" for all other turns.

    The participants do not see such a turn. The report has all of it.
    """
    if not turn.private or turn.state != "answered":
        return ""
    short = [(line(name).lower(), line(value)) for name, value in turn.fields if len(value) <= LONGEST_FACT]
    return ", ".join(f"{name} {value}" for name, value in short)


def _numbers(state: ViewState, view: EntryView, turn: TurnView) -> Iterator[tuple[str, str]]:
    """The numbers by which a command can refer to a turn."""
    if state.numbers:
        yield f" · {turn.mark}, entry {view.seq}", FAINT


def doing(state: ViewState, key: str) -> Text:
    """Who is answering, and what."""
    turn = state.fold.transcript.get(key)
    return Text.assemble(state.name(turn.by), (f" · {noun(line(act_of(turn)))}", FAINT))


def _act(state: ViewState, turn: TurnView) -> Text:
    spoken, ballot = turn.spoken, turn.ballot
    if ballot and ballot.abstains:
        return Text("abstains", style=FAINT)
    if ballot and not ballot.names:
        return Text.assemble((line(turn.act), FAINT), (f" ({NOT_READABLE})", BAD))
    if ballot:
        scores = [f" {score:g}" for score in ballot.scores] or [""] * len(ballot.names)
        chosen = [_choice(state, spoken, name) for name in ballot.names]
        names = Text(", ").join(name + Text(score) for name, score in zip(chosen, scores, strict=True))
        return Text.assemble((f"{ballot.how} ", FAINT), names)
    words, on = Text(line(turn.act), style=FAINT), spoken.on
    if spoken.act != "vote" and len(on) == 1 and on[0].by != spoken.by:
        by = on[0].by
        words.append(" on ")
        words.append(line(by), style=state.colours.get(by, ""))
        words.append(with_author(line(by), on[0].act).removeprefix(line(by)))
    return words


def _choice(state: ViewState, spoken: Spoken, choice: str) -> Text:
    """The choice of a ballot, in the colour of the candidate's author."""
    for subject in spoken.on:
        if choice.startswith(with_author(subject.by, subject.act)):
            return Text(with_author(line(subject.by), subject.act), style=f"bold {state.colours.get(subject.by, '')}")
    return Text(line(choice), style="bold")


def running_tally(state: ViewState) -> Text:
    """The ballots so far while others are still voting; empty when nobody votes."""
    counted: dict[str, tuple[Text, int]] = {}
    for spoken, ballot in state.fold.ballots_so_far():
        choice = "abstains" if ballot.abstains else ", ".join(ballot.names) or NOT_READABLE
        name = _choice(state, spoken, choice)
        counted[name.plain] = (name, counted.get(name.plain, (name, 0))[1] + 1)
    tally = Text(" · ").join(Text.assemble(name, f" {votes}") for name, votes in counted.values())
    return Text.assemble(("votes so far  ", FAINT), tally) if counted else Text()


def body(spoken: Spoken, speech: Speech) -> list[RenderableType]:
    """The content of a turn; the choice of a ballot is beside its author."""
    link: list[RenderableType] = [Text(line(spoken.link), style=FAINT)] if spoken.link else []
    aside: list[RenderableType] = [joined(*map(line, speech.aside))] if speech.aside else []
    words = paragraphs(speech.words) if speech.words else []
    rest = [pair for pair in speech.rest if spoken.act != "vote" or pair[0] not in BALLOT_FIELDS]
    facts, more = (fields((line(name), value) for name, value in pairs) for pairs in (speech.facts, rest))
    return [*link, *aside, *facts, *words, *more]
