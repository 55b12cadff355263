"""Render the entries of a record as lines on the screen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from moot.app.export.reports import turn_in_words
from moot.app.plan.assignment import is_person
from moot.app.run.people import HUMAN, for_people
from moot.cli.display.text_layout import (
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
from moot.core.event import (
    Asked,
    Called,
    Delta,
    Entered,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Resumed,
    Ruled,
)
from moot.core.labels import act_of, heading_path, noun, title, with_author
from moot.core.transcript import Transcript, Turn
from moot.report.turn_text import Spoken, parted


@dataclass(slots=True)
class ViewState:
    """The state of a debate as far as the screen has shown it.

    Attributes:
        transcript: the entries, folded.
        words: the text so far of unfinished answers, by the question's key, in the order of asking.
        ended: the questions whose last call has ended.
        calls: the number of model calls that ended with an answer.
        colours: by participant.
        place: the title above the last turn shown.
        path: the last phase that began.
        places: the phases in which somebody was asked.
        numbers: whether turns are shown with their numbers and entries.
        seq: the number of the last entry.
    """

    transcript: Transcript = field(default_factory=Transcript)
    words: dict[str, str] = field(default_factory=dict[str, str])
    ended: set[str] = field(default_factory=set[str])
    calls: int = 0
    colours: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    path: str = ""
    places: set[str] = field(default_factory=set[str])
    numbers: bool = False
    seq: int = 0

    def hear(self, delta: Delta) -> None:
        """Add a piece of an answer."""
        if delta.key in self.words:
            # The last call has ended, so this piece belongs to the next call, such as a repair.
            before = "" if delta.key in self.ended else self.words[delta.key]
            self.ended.discard(delta.key)
            self.words[delta.key] = before + delta.text

    def take(self, event: Event) -> None:
        """Apply one entry."""
        self.transcript.apply(event)
        match event:
            case Opened(brief=brief):
                self.colours = colours(brief)
            case Entered(path=path):
                self.path = path
            case Asked(ask=ask):
                self.words[ask.key] = ""
                self.path = ask.key.rpartition("#")[0]
                self.places.add(self.path)
            case Called(key=key):
                self.calls += 1
                self.ended.add(key)
            case Erred(key=key):
                self.words[key] = ""
            case Replied(key=key) | Failed(key=key):
                self.words.pop(key, None)
            case Resumed():
                self.words = {turn.key: "" for turn in self.transcript.all() if not self.transcript.answered(turn.key)}
            case _:
                pass

    def hides(self, key: str) -> bool:
        """Whether a person takes part who may not read everything in this turn."""
        turn, brief = self.transcript.get(key), self.transcript.brief
        asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
        people = [participant.name for participant in brief.participants if is_person(participant)] if brief else []
        return any(field.private for field in asked) and any(name != turn.by for name in people)

    def done(self) -> int:
        """The number of questions that have ended."""
        return len(self.transcript.all()) - len(self.words)


def entry_lines(view: ViewState, event: Event) -> Iterator[RenderableType]:
    """The lines for an event that was already applied to the view."""
    match event:
        case Replied(key=key):
            yield from _turn(view, turn_in_words(view.transcript, key))
        case Failed(key=key):
            yield from _turn(view, turn_in_words(view.transcript, key, event))
        case Interjected(by=by, text=text):
            yield outsider(by, text, *_numbers(view, view.transcript.all()[-1]))
            yield ""
        case Erred(key=key, n=n, reason=reason):
            who = line(view.transcript.get(key).by)
            yield Indented(Text(f"{who}: attempt {n} failed: {line(reason)}", style=FAINT))
        case Halted(path=path, reason=reason):
            yield Text(f"{_ended(path)}: {line(reason)}.", style=FAINT)
            yield ""
        case Paused(reason=reason):
            yield Text(f"paused: {line(reason)}", style=WARN)
        case Resumed():
            yield Text("resumed", style=FAINT)
            yield ""
        case Ruled(decision=decision) if decision.ballots and not view.transcript.turns("vote"):
            yield Text("The latest answers count as votes; nobody is asked again.", style=FAINT)
            yield ""
        case _:
            pass


def outsider(by: str, text: str, *more: tuple[str, str]) -> RenderableType:
    """A message of a viewer, with further remarks on it."""
    who = Text.assemble((line(by), "bold"), (" (viewer)", FAINT), *more)
    return Indented(Stack((who, *paragraphs(text))), "▌ ", "▌ ", WARN)


def _ended(path: str) -> str:
    name = path.rpartition("/")[2]
    return {"debate": "The debate ends early", "rounds": "No further round"}.get(name, f"{title(path)} ends early")


def _turn(view: ViewState, turn: Spoken) -> Iterator[RenderableType]:
    if short := _in_short(turn):
        said = (_name(view, turn), " ", _act(view, turn), (f"  {short}", FAINT))
        yield Indented(Text.assemble(*said, *_numbers(view, view.transcript.get(turn.key))))
        return
    place = title(heading_path(turn.key.rpartition("#")[0], view.places))
    if place != view.place:
        view.place = place
        yield Rule(Text(place.lower(), style="bold"), style=FAINT)
    shown = Stack(
        (_heading(view, turn), *(Indented(renderable) for renderable in (*body(turn), *_remarks(view, turn))))
    )
    yield Indented(shown, "▌ ", "▌ ", MODERATOR) if turn.moderator else shown
    yield ""


LONGEST_FACT = 24
"""The most characters of a value in the single line of a bid or a score."""


def _in_short(turn: Spoken) -> str:
    """The short form of a turn that only organises the debate, such as a bid or a score; "" for all other turns.

    The participants do not see such a turn. The report has all of it.
    """
    if not turn.private or turn.state != "answered":
        return ""
    short = [(line(name).lower(), line(value)) for name, value in turn.fields if len(value) <= LONGEST_FACT]
    return ", ".join(f"{name} {value}" for name, value in short)


def _name(view: ViewState, turn: Spoken) -> Text:
    return Text(line(turn.by), style=f"bold {view.colours.get(turn.by, '')}".strip())


def _heading(view: ViewState, turn: Spoken) -> Text:
    who = _name(view, turn)
    whole = view.transcript.get(turn.key)
    reply = whole.reply
    asked = reply.asked if reply else ""
    served = f" (answered by {line(turn.served)})" if turn.served and turn.served not in asked else ""
    model = "in person" if asked == HUMAN else f"{line(asked)}{served}"
    said = joined(line(turn.role).partition(",")[0], _act(view, turn), model)
    return Text.assemble(Text(" ").join((who, said)) if said else who, *_numbers(view, whole))


def _numbers(view: ViewState, turn: Turn) -> Iterator[tuple[str, str]]:
    """The numbers by which a command can refer to a turn."""
    if view.numbers:
        yield f" · {turn.mark}, entry {view.seq}", FAINT


def doing(view: ViewState, key: str) -> Text:
    """Who is answering, and what."""
    turn = view.transcript.get(key)
    who = (line(turn.by), f"bold {view.colours.get(turn.by, '')}".strip())
    return Text.assemble(who, (f" · {noun(line(act_of(turn)))}", FAINT))


def _act(view: ViewState, turn: Spoken) -> Text:
    words = Text(noun(line(turn.act)), style=FAINT)
    if turn.act == "vote":
        return _vote(view, words, turn)
    if len(turn.on) == 1 and turn.on[0].by != turn.by:
        by = turn.on[0].by
        words.append(" on ")
        words.append(line(by), style=view.colours.get(by, ""))
        words.append(with_author(line(by), turn.on[0].act).removeprefix(line(by)))
    return words


def _vote(view: ViewState, words: Text, turn: Spoken) -> Text:
    if turn.state != "answered":
        return words
    for name, value in turn.fields:
        if name in _LISTS:
            said = [_chosen(view, turn, text) for text in value.split("; ")]
            return Text.assemble((f"{_LISTS[name]} ", FAINT), Text(", ").join(said))
    match _choice(turn):
        case "":
            return words.append(" (not readable)", style=BAD)
        case "abstains":
            return Text("abstains", style=FAINT)
        case choice:
            return Text.assemble(("votes for ", FAINT), _chosen(view, turn, choice))


_LISTS: Mapping[str, str] = {"Ranking": "ranks", "Acceptable": "could accept"}
"""The fields of a ballot that name several candidates: the best first, or in any order."""


def _choice(turn: Spoken) -> str:
    return next((value for name, value in turn.fields if name == "Vote"), "")


def _chosen(view: ViewState, turn: Spoken, choice: str) -> Text:
    """The choice of a ballot, in the colour of the candidate's author."""
    for subject in turn.on:
        if choice.startswith(with_author(subject.by, subject.act)):
            return Text(with_author(line(subject.by), subject.act), style=f"bold {view.colours.get(subject.by, '')}")
    return Text(line(choice), style="bold")


def running_tally(view: ViewState) -> Text:
    """The ballots so far while others are still voting; empty when nobody votes."""
    waiting = [key for key in view.words if view.transcript.get(key).act == "vote"]
    cast = view.transcript.turns("vote", under=waiting[0].rpartition("#")[0]) if waiting else ()
    counted: dict[str, tuple[Text, int]] = {}
    for item in cast:
        turn = turn_in_words(view.transcript, item.key)
        name = _chosen(view, turn, _choice(turn) or "not readable")
        counted[name.plain] = (name, counted.get(name.plain, (name, 0))[1] + 1)
    said = Text(" · ").join(Text.assemble(name, f" {votes}") for name, votes in counted.values())
    return Text.assemble(("votes so far  ", FAINT), said) if counted else Text()


def _remarks(view: ViewState, turn: Spoken) -> Iterator[RenderableType]:
    """Fields that could not be read, and other remarks on a turn."""
    whole = view.transcript.get(turn.key)
    if reply := whole.reply:
        said = [f"not readable: {line(text)}" for text in reply.unread] + [line(note) for note in reply.notes]
        said += ["private text not shown"] if view.hides(turn.key) and _is_cut(view, whole) else []
        if said:
            yield Text("; ".join(said).replace("_", " "), style=WARN if reply.unread else FAINT)


def _is_cut(view: ViewState, whole: Turn) -> bool:
    """Whether a part of a turn is hidden from the people who take part."""
    assert view.transcript.brief
    seen = for_people(view.transcript.brief, whole)
    return seen.fields != whole.fields or not seen.text.strip()


def body(turn: Spoken) -> list[RenderableType]:
    """The content of a turn: its fields if they contain all of it, else its text."""
    if turn.state == "missing":
        return [Text(f"✗ no answer: {line(turn.reason)}", style=BAD)]
    if turn.act == "vote":
        return paragraphs(turn.text)
    link: list[RenderableType] = [Text(line(turn.link), style=FAINT)] if turn.link else []
    if turn.complete:
        speech = parted(turn.fields)
        facts = [(line(name), value) for name, value in speech.facts]
        words = paragraphs(speech.words) if speech.words else []
        aside: list[RenderableType] = [joined(*map(line, speech.aside))] if speech.aside else []
        return [*link, *aside, *fields(facts), *words, *fields((line(name), value) for name, value in speech.rest)]
    # Fields of a second answer are not in the text of the first.
    further = [(line(name), value) for name, value in turn.fields if line(value) not in line(turn.text)]
    return [*link, *paragraphs(turn.text), *fields(further)]
