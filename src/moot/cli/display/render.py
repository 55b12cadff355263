"""Entries to lines on the screen. This file owns what is said about each entry, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.rule import Rule
from rich.text import Text

from moot.app.export.reports import spoken
from moot.app.plan.assignment import is_person
from moot.app.run.people import HUMAN, for_people
from moot.cli.display.text_layout import (
    BAD,
    FAINT,
    MODERATOR,
    WARN,
    Inset,
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
from moot.core.labels import act_of, home, noun, owned, title
from moot.core.transcript import Transcript, Turn
from moot.report.turn_text import Spoken, parted


@dataclass(slots=True)
class Stage:
    """What a viewer knows of a debate so far.

    Attributes:
        transcript: the entries, folded.
        words: the words so far of the answers in the making, by the ask's key, in the order of asking.
        ended: the asks whose last call has ended.
        calls: model calls that have ended with an answer.
        colours: by participant.
        place: the title under which the last turn was shown.
        path: the phase that was entered last.
        places: the phases in which anybody was asked.
        numbers: whether turns are shown with their marks and entries.
        seq: the entry that was taken in last.
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
        """Take a piece of an answer in."""
        if delta.key in self.words:
            # A call that has ended is over: what comes now belongs to the next one, such as a repair.
            before = "" if delta.key in self.ended else self.words[delta.key]
            self.ended.discard(delta.key)
            self.words[delta.key] = before + delta.text

    def take(self, event: Event) -> None:
        """Take one entry in."""
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
        """Whether a person sits at the table who may not read all of what is said there."""
        turn, brief = self.transcript.get(key), self.transcript.brief
        asked = turn.ask.form.fields if turn.ask and turn.ask.form else ()
        people = [each.name for each in brief.participants if is_person(each)] if brief else []
        return any(field.private for field in asked) and any(name != turn.by for name in people)

    def done(self) -> int:
        """How many asks have ended."""
        return len(self.transcript.all()) - len(self.words)


def tell(stage: Stage, event: Event) -> Iterator[RenderableType]:
    """What is shown for an event that the stage has taken in."""
    match event:
        case Replied(key=key):
            yield from _turn(stage, spoken(stage.transcript, key))
        case Failed(key=key):
            yield from _turn(stage, spoken(stage.transcript, key, event))
        case Interjected(by=by, text=text):
            yield outsider(by, text, *_numbers(stage, stage.transcript.all()[-1]))
            yield ""
        case Erred(key=key, n=n, reason=reason):
            who = line(stage.transcript.get(key).by)
            yield Inset(Text(f"{who}: try {n} failed: {line(reason)}", style=FAINT))
        case Halted(path=path, reason=reason):
            yield Text(f"{_ended(path)}: {line(reason)}.", style=FAINT)
            yield ""
        case Paused(reason=reason):
            yield Text(f"paused: {line(reason)}", style=WARN)
        case Resumed():
            yield Text("resumed", style=FAINT)
            yield ""
        case Ruled(decision=decision) if decision.ballots and not stage.transcript.turns("vote"):
            yield Text("The newest answers are the votes; nobody is asked again.", style=FAINT)
            yield ""
        case _:
            pass


def outsider(by: str, text: str, *more: tuple[str, str]) -> RenderableType:
    """Words from outside, with what else is to be said of them."""
    who = Text.assemble((line(by), "bold"), (" from outside", FAINT), *more)
    return Inset(Stack((who, *paragraphs(text))), "▌ ", "▌ ", WARN)


def _ended(path: str) -> str:
    name = path.rpartition("/")[2]
    return {"debate": "The debate ends early", "rounds": "No further round"}.get(name, f"{title(path)} ends early")


def _turn(stage: Stage, turn: Spoken) -> Iterator[RenderableType]:
    if short := _in_short(turn):
        said = (_name(stage, turn), " ", _act(stage, turn), (f"  {short}", FAINT))
        yield Inset(Text.assemble(*said, *_numbers(stage, stage.transcript.get(turn.key))))
        return
    place = title(home(turn.key.rpartition("#")[0], stage.places))
    if place != stage.place:
        stage.place = place
        yield Rule(Text(place.lower(), style="bold"), style=FAINT)
    shown = Stack((_heading(stage, turn), *(Inset(each) for each in (*body(turn), *_remarks(stage, turn)))))
    yield Inset(shown, "▌ ", "▌ ", MODERATOR) if turn.moderator else shown
    yield ""


LONGEST_FACT = 24
"""The most characters of a value that stands in the one line of a bid or a score."""


def _in_short(turn: Spoken) -> str:
    """What is shown of a turn that only serves the debate, such as a bid or a score; "" for all others.

    Nobody at the table hears it, and the report has the whole of it.
    """
    if not turn.private or turn.state != "answered":
        return ""
    short = [(line(name).lower(), line(value)) for name, value in turn.fields if len(value) <= LONGEST_FACT]
    return ", ".join(f"{name} {value}" for name, value in short)


def _name(stage: Stage, turn: Spoken) -> Text:
    return Text(line(turn.by), style=f"bold {stage.colours.get(turn.by, '')}".strip())


def _heading(stage: Stage, turn: Spoken) -> Text:
    who = _name(stage, turn)
    whole = stage.transcript.get(turn.key)
    reply = whole.reply
    asked = reply.asked if reply else ""
    served = f" (answered by {line(turn.served)})" if turn.served and turn.served not in asked else ""
    model = "in person" if asked == HUMAN else f"{line(asked)}{served}"
    said = joined(line(turn.role).partition(",")[0], _act(stage, turn), model)
    return Text.assemble(Text(" ").join((who, said)) if said else who, *_numbers(stage, whole))


def _numbers(stage: Stage, turn: Turn) -> Iterator[tuple[str, str]]:
    """By which numbers a turn can be named in a command."""
    if stage.numbers:
        yield f" · {turn.mark}, entry {stage.seq}", FAINT


def doing(stage: Stage, key: str) -> Text:
    """Who is at it, and what it is."""
    turn = stage.transcript.get(key)
    who = (line(turn.by), f"bold {stage.colours.get(turn.by, '')}".strip())
    return Text.assemble(who, (f" · {noun(line(act_of(turn)))}", FAINT))


def _act(stage: Stage, turn: Spoken) -> Text:
    words = Text(noun(line(turn.act)), style=FAINT)
    if turn.act == "vote":
        return _vote(stage, words, turn)
    if len(turn.on) == 1 and turn.on[0].by != turn.by:
        by = turn.on[0].by
        words.append(" on ")
        words.append(line(by), style=stage.colours.get(by, ""))
        words.append(owned(line(by), turn.on[0].act).removeprefix(line(by)))
    return words


def _vote(stage: Stage, words: Text, turn: Spoken) -> Text:
    if turn.state != "answered":
        return words
    for name, value in turn.fields:
        if name in _LISTS:
            said = [_chosen(stage, turn, each) for each in value.split("; ")]
            return Text.assemble((f"{_LISTS[name]} ", FAINT), Text(", ").join(said))
    match _choice(turn):
        case "":
            return words.append(" that cannot be read", style=BAD)
        case "abstains":
            return Text("abstains", style=FAINT)
        case choice:
            return Text.assemble(("votes for ", FAINT), _chosen(stage, turn, choice))


_LISTS: Mapping[str, str] = {"Ranking": "ranks", "Acceptable": "could accept"}
"""The fields of a ballot that name several, the best first or in any order."""


def _choice(turn: Spoken) -> str:
    return next((value for name, value in turn.fields if name == "Vote"), "")


def _chosen(stage: Stage, turn: Spoken, choice: str) -> Text:
    """What a ballot chooses, in the colour of its author."""
    for each in turn.on:
        if choice.startswith(owned(each.by, each.act)):
            return Text(owned(line(each.by), each.act), style=f"bold {stage.colours.get(each.by, '')}")
    return Text(line(choice), style="bold")


def running_tally(stage: Stage) -> Text:
    """The ballots so far, while others are still voting; empty where nobody votes."""
    waiting = [key for key in stage.words if stage.transcript.get(key).act == "vote"]
    cast = stage.transcript.turns("vote", under=waiting[0].rpartition("#")[0]) if waiting else ()
    counted: dict[str, tuple[Text, int]] = {}
    for each in cast:
        turn = spoken(stage.transcript, each.key)
        name = _chosen(stage, turn, _choice(turn) or "unread")
        counted[name.plain] = (name, counted.get(name.plain, (name, 0))[1] + 1)
    said = Text(" · ").join(Text.assemble(name, f" {votes}") for name, votes in counted.values())
    return Text.assemble(("votes so far  ", FAINT), said) if counted else Text()


def _remarks(stage: Stage, turn: Spoken) -> Iterator[RenderableType]:
    """What could not be read, and what else a reader should know."""
    whole = stage.transcript.get(turn.key)
    if reply := whole.reply:
        said = [f"unread: {line(each)}" for each in reply.unread] + [line(each) for each in reply.notes]
        said += ["private words not shown"] if stage.hides(turn.key) and _is_cut(stage, whole) else []
        if said:
            yield Text("; ".join(said).replace("_", " "), style=WARN if reply.unread else FAINT)


def _is_cut(stage: Stage, whole: Turn) -> bool:
    """Whether anything of a turn is kept from the people at the table."""
    assert stage.transcript.brief
    seen = for_people(stage.transcript.brief, whole)
    return seen.fields != whole.fields or not seen.text.strip()


def body(turn: Spoken) -> list[RenderableType]:
    """What a turn says: its fields where they hold all of it, else its words."""
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
    # Fields of a second answer do not stand in the words of the first.
    further = [(line(name), value) for name, value in turn.fields if line(value) not in line(turn.text)]
    return [*link, *paragraphs(turn.text), *fields(further)]
