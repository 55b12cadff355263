"""The transcript: a record, folded. This file owns what has been said and who may see it.

Turns stand in the order in which they were asked, so the latency of an answer never changes what anybody reads.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from moot.core.ask import Ask, Fields, Reply, Usage, Value
from moot.core.brief import Brief, View
from moot.core.decision import Decision
from moot.core.errors import RecordError
from moot.core.event import (
    Asked,
    Attempted,
    Called,
    Closed,
    Entered,
    Entry,
    Erred,
    Event,
    Failed,
    Halted,
    Interjected,
    Opened,
    Paused,
    Replied,
    Ruled,
)

_ROUND = re.compile(r"/round-(\d+)")
INTERJECTION = "interject"
"""The act of a turn that came from outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One contribution: an ask and what came of it, or an interjection.

    Attributes:
        key: the ask's key; ``interjection#n`` for an interjection.
        number: its place among all asks and interjections, from 1.
        by: who speaks. It comes from the ask, never from the text.
        act: what it is.
        ask: the question; None for an interjection.
        reply: the answer; None while there is none.
        failure: why there is none, where it failed; "" otherwise.
    """

    key: str
    by: str
    act: str
    number: int = 0
    ask: Ask | None = None
    reply: Reply | None = None
    failure: str = ""

    @property
    def mark(self) -> str:
        """What the turn is called by those who answer it: ``T3``."""
        return f"T{self.number}"

    @property
    def text(self) -> str:
        """The words, "" where there are none."""
        return self.reply.text if self.reply else ""

    @property
    def fields(self) -> Fields:
        """The form's fields that were read."""
        return self.reply.fields if self.reply else {}

    @property
    def round(self) -> int:
        """The round in which the turn stands, from 1; 0 outside rounds."""
        found = _ROUND.findall(self.key)
        return int(found[-1]) if found else 0

    @property
    def about(self) -> tuple[str, ...]:
        """The keys of the turns that it is about."""
        return self.ask.about if self.ask else ()


def within(path: str, under: str) -> bool:
    """Whether a path or key stands at or beneath another path."""
    return under in ("", "/") or path == under or path.startswith((under + "/", under + "#"))


@dataclass(slots=True)
class Transcript:
    """What a debate has come to, built by applying events in the order of the record."""

    brief: Brief | None = None
    protocol: str = ""
    entered: list[str] = field(default_factory=list[str])
    halts: dict[str, str] = field(default_factory=dict[str, str])
    decision: Decision | None = None
    closed: Closed | None = None
    paused: Paused | None = None
    usage: Usage = Usage()
    attempts: int = 0
    errors: list[Erred] = field(default_factory=list[Erred])
    _turns: dict[str, Turn] = field(default_factory=dict[str, Turn])

    def apply(self, event: Event) -> None:
        """Take one event in.

        Raises:
            RecordError: it cannot have happened here, so that the record has been changed.
        """
        self.check(event)
        number = len(self._turns) + 1
        match event:
            case Asked(ask=ask):
                self._turns[ask.key] = Turn(key=ask.key, by=ask.to, act=ask.act, number=number, ask=ask)
            case Replied(key=key, reply=reply):
                self._turns[key] = replace(self._asked(key), reply=reply)
            case Failed(key=key, kind=kind, reason=reason):
                self._turns[key] = replace(self._asked(key), failure=reason or kind)
            case Interjected(by=by, text=text):
                key = f"interjection#{number}"
                self._turns[key] = Turn(key=key, by=by, act=INTERJECTION, number=number, reply=Reply(text=text))
            case Attempted():
                self.attempts += 1
            case Called(usage=usage):
                self.usage = self.usage + usage
            case Erred():
                self.errors.append(event)
            case Opened(brief=brief, name=name):
                self.brief, self.protocol = brief, name
            case Entered(path=path):
                self.entered.append(path)
            case Halted(path=path, reason=reason):
                self.halts[path] = reason
            case Ruled(decision=decision):
                self.decision = decision
            case Closed():
                self.closed, self.paused = event, None
            case Paused():
                self.paused = event
            case _:  # Resumed
                self.paused = None

    def check(self, event: Event) -> None:
        """Refuse what cannot follow on what was before.

        Raises:
            RecordError: it cannot.
        """
        if self.closed:
            raise RecordError("the record goes on behind the end of the debate")
        match event:
            case Opened() if self.brief:
                raise RecordError("the record opens the debate twice")
            case Asked(ask=ask):
                self._check_ask(ask)
            case Attempted(key=key) | Called(key=key) | Erred(key=key):
                self._asked(key)
            case Replied(key=key) | Failed(key=key):
                if self._asked(key).reply or self._turns[key].failure:
                    raise RecordError(f"the record answers {key!r} twice")
            case _:
                pass

    def _check_ask(self, ask: Ask) -> None:
        if ask.key in self._turns:
            raise RecordError(f"the record asks {ask.key!r} twice")
        if self.brief and ask.to not in {each.name for each in self.brief.participants}:
            raise RecordError(f"the record asks {ask.to!r}, who takes no part")
        if missing := next((each for each in ask.about if each not in self._turns), ""):
            raise RecordError(f"the record lays {missing!r} before {ask.to!r}, which was never asked")

    def _asked(self, key: str) -> Turn:
        if key not in self._turns:
            raise RecordError(f"the record answers {key!r}, which was never asked")
        return self._turns[key]

    # ---- what has been said ------------------------------------------------------------------------------------

    def turns(self, *acts: str, by: str = "", under: str = "") -> tuple[Turn, ...]:
        """The turns with an answer, oldest ask first; only those acts, that speaker, beneath that path, where given."""
        return tuple(
            turn
            for turn in self._turns.values()
            if turn.reply is not None
            and (not acts or turn.act in acts)
            and (not by or turn.by == by)
            and (not under or within(turn.key, under))
        )

    def all(self) -> tuple[Turn, ...]:
        """Every ask and interjection, answered or not, oldest first."""
        return tuple(self._turns.values())

    def failures(self) -> tuple[Turn, ...]:
        """The asks that ended without an answer."""
        return tuple(turn for turn in self._turns.values() if turn.failure)

    def answered(self, key: str) -> bool:
        """Whether that ask has ended, with an answer or without."""
        turn = self._turns[key]
        return turn.reply is not None or bool(turn.failure)

    def get(self, key: str) -> Turn:
        """The turn at that key; KeyError where there is none."""
        return self._turns[key]

    def last(self, by: str, *acts: str, under: str = "") -> Turn | None:
        """The newest answered turn of that speaker, of those acts."""
        found = self.turns(*acts, by=by, under=under)
        return found[-1] if found else None

    def latest(self, *acts: str, under: str = "") -> tuple[Turn, ...]:
        """The newest answered turn of each speaker, in the order in which the speakers first spoke."""
        newest: dict[str, Turn] = {}
        for turn in self.turns(*acts, under=under):
            newest[turn.by] = turn
        return tuple(newest.values())

    def first(self, *acts: str) -> tuple[Turn, ...]:
        """The oldest answered turn of each speaker."""
        oldest: dict[str, Turn] = {}
        for turn in self.turns(*acts):
            oldest.setdefault(turn.by, turn)
        return tuple(oldest.values())

    def positions(self, name: str) -> dict[str, tuple[Value, ...]]:
        """What each speaker answered in the field of that name over time; the field is compared without case."""
        held: dict[str, tuple[Value, ...]] = {}
        for turn in self.turns():
            if (value := read_field(turn, name)) is not None:
                held[turn.by] = (*held.get(turn.by, ()), value)
        return held

    def halted(self, path: str) -> str:
        """Why the phase at that path has been ended before its time; "" where it has not."""
        for halted, reason in self.halts.items():
            if within(path, halted):
                return reason
        return ""

    # ---- who sees what -----------------------------------------------------------------------------------------

    def sees(self, who: str, turn: Turn) -> bool:
        """Whether a participant may see a turn: always its own, else where it is in the audience and not masked."""
        return _sees(who, turn, self._masks(who))

    def _masks(self, who: str) -> frozenset[str]:
        people = self.brief.participants if self.brief else ()
        return frozenset(entry for each in people if each.name == who for entry in each.hide)

    def look(self, view: View, who: str) -> tuple[Turn, ...]:
        """The turns that a participant may see, cut down to what the view shows, oldest first.

        What is for its author alone stands in no log, not even the author's: it would part this log from all others,
        and no provider could keep what they have in common. It can be laid before the author by an ask.
        """
        masks = self._masks(who)
        seen = [turn for turn in self.turns() if not _is_note(turn) and _sees(who, turn, masks)]
        seen = [turn for turn in seen if turn.act not in view.hide and turn.by not in view.hide]
        if view.mine:
            seen = [turn for turn in seen if self._concerns(who, turn)]
        sums = [n for n, turn in enumerate(seen) if turn.act == SUMMARY]
        if view.summary_only:
            seen = [turn for n, turn in enumerate(seen) if n in sums[-1:] or turn.act == INTERJECTION]
        elif view.summary and sums:
            seen = seen[sums[-1] :]
        if view.last is not None:
            first = len(seen) - view.last
            seen = [turn for n, turn in enumerate(seen) if n >= first or turn.act == INTERJECTION]
        return tuple(seen)

    def _concerns(self, who: str, turn: Turn) -> bool:
        """Whether a turn is one's own, about one's own, an answer to one's own, the moderator's or from outside."""
        people = self.brief.participants if self.brief else ()
        if turn.ask is None or turn.by in (who, *(each.name for each in people if each.duty != "debater")):
            return True
        if any(self._turns[key].by == who for key in turn.about):
            return True
        target = self.target(turn)
        return target is not None and target.by == who

    def target(self, turn: Turn) -> Turn | None:
        """The turn that this one says it answers, in its field TARGET; None where it names none."""
        mark = read_field(turn, TARGET)
        return None if mark is None else next((each for each in self._turns.values() if each.mark == mark), None)


TARGET = "TARGET"
"""The field in which a turn names the mark of the turn that it answers."""

SUMMARY = "summarize"
"""The act of a turn that sums up what was said before it."""


def _is_note(turn: Turn) -> bool:
    """Whether a turn is for its author alone; a summary that one reader wrote for itself is its log all the same."""
    return turn.ask is not None and turn.ask.audience == (turn.by,) and turn.act != SUMMARY


def _sees(who: str, turn: Turn, masks: frozenset[str]) -> bool:
    audience = turn.ask.audience if turn.ask else ()
    heard = not audience or who in audience
    return turn.by == who or (heard and not (masks and masks.intersection(_masked(turn))))


def _masked(turn: Turn) -> tuple[str, ...]:
    """The words by which a mask can name a turn."""
    return (turn.by, turn.act, *(f"{each}round {turn.round}" for each in ("", f"{turn.by} ", f"{turn.act} ")))


def read_field(turn: Turn, name: str) -> Value | None:
    """The value of a field of a turn, its name compared without case; None where it was not read."""
    wanted = name.casefold()
    for label, value in turn.fields.items():
        if label.casefold() == wanted:
            return value
    return None


def speakers(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Who speaks in these turns, each once, in order."""
    return tuple(dict.fromkeys(turn.by for turn in turns))


def fold(entries: Iterable[Entry]) -> Transcript:
    """The transcript that entries come to.

    Raises:
        RecordError: an entry does not fit those before it; the message names the entry.
    """
    transcript = Transcript()
    for entry in entries:
        try:
            transcript.apply(entry.event)
        except RecordError as error:
            raise RecordError(f"entry {entry.seq}: {error}") from error
    return transcript
