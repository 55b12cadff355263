"""Transcripts: a record folded into turns, with what each participant may see.

Turns are ordered as they were asked, so the latency of an answer never changes what anybody reads.
"""

import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar, cast

from folkmoot.core.ask import Ask, Fields, Form, Reply, Usage, Value, choices_of, shown
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Decision
from folkmoot.core.errors import RecordError
from folkmoot.core.event import (
    ASIDE,
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
from folkmoot.core.text import words
from folkmoot.core.unread import reason_in_words

T = TypeVar("T")

_ROUND = re.compile(r"/round-(\d+)")
INTERJECTION = "interject"
"""The act of a turn that came from outside the debate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One contribution: an ask with its answer, or an interjection.

    Attributes:
        key: the ask's key; ``interjection#n`` for an interjection.
        number: its place among all asks and interjections, from 1.
        by: the speaker. It comes from the ask, never from the text.
        act: the kind of contribution (``propose``, ``critique``).
        ask: the question; None for an interjection.
        reply: the answer; None while there is none.
        failure: why there is no answer, if the ask failed; else "".
        to: the turn that an interjection replies to; None for none.
        computed: what follows from the turn and is needed often; see ``once``.
    """

    key: str
    by: str
    act: str
    number: int = 0
    ask: Ask | None = None
    reply: Reply | None = None
    failure: str = ""
    to: "Turn | None" = None
    computed: dict[Hashable, object] = field(
        default_factory=dict[Hashable, object], init=False, repr=False, compare=False
    )

    def once(self, what: Hashable, make: Callable[["Turn"], T]) -> T:
        """What follows from the turn and ``what`` alone: made when it is asked for first, and kept with the turn.

        A debate reads each of its turns again for every question behind it.
        """
        try:
            return cast(T, self.computed[what])
        except KeyError:
            result = self.computed[what] = make(self)
            return result

    def ended(self, reply: Reply | None = None, failure: str = "") -> "Turn":
        """The turn with its answer, or with why there is none."""
        return Turn(
            key=self.key, by=self.by, act=self.act, number=self.number, ask=self.ask, reply=reply, failure=failure
        )

    @property
    def mark(self) -> str:
        """The mark by which others refer to the turn: ``T3``."""
        return f"T{self.number}"

    @property
    def text(self) -> str:
        """The text of the answer; "" if there is none."""
        return self.reply.text if self.reply else ""

    @property
    def fields(self) -> Fields:
        """The fields of the form that were read."""
        return self.reply.fields if self.reply else {}

    @property
    def round(self) -> int:
        """The round of the turn, from 1; 0 outside rounds."""
        return self.once("round", _round)

    @property
    def about(self) -> tuple[str, ...]:
        """The keys of the turns that it is about."""
        return self.ask.about if self.ask else ()

    @property
    def why_unread(self) -> str:
        """Why an answer could not be read, in one line; of several fields each is named. "" where all of it was."""
        form, unread = self.ask.form if self.ask else None, self.reply.unread if self.reply else ()
        whys = [reason_in_words(each.reason, (each.seen,), choices_of(form, each.field)) for each in unread]
        if len(whys) == 1:
            return whys[0]
        return "; ".join(f"{each.field}: {why}" for each, why in zip(unread, whys, strict=True))


def _round(turn: Turn) -> int:
    return int(next(reversed(_ROUND.findall(turn.key)), 0))


def within(path: str, under: str) -> bool:
    """Whether a path or key is at or beneath another path."""
    return under in ("", "/") or path == under or path.startswith((under + "/", under + "#"))


@dataclass(slots=True)
class Transcript:
    """The state of a debate, built by applying its events in the order of the record."""

    brief: Brief | None = None
    protocol: str = ""
    place: str = ""
    unseated: tuple[str, ...] = ()
    entered: list[str] = field(default_factory=list[str])
    halts: dict[str, str] = field(default_factory=dict[str, str])
    decision: Decision | None = None
    closed: Closed | None = None
    paused: Paused | None = None
    usage: Usage = Usage()
    calls: int = 0
    attempts: int = 0
    errors: list[Erred] = field(default_factory=list[Erred])
    models: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    _turns: dict[str, Turn] = field(default_factory=dict[str, Turn])
    # A copy with another brief shares the turns, and has masks of its own.
    _masks_of: dict[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]], init=False, compare=False)

    def apply(self, event: Event) -> None:
        """Apply one event.

        Raises:
            RecordError: the event cannot follow the events before it, so the record has been changed.
        """
        self.check(event)
        self.add(event)

    def add(self, event: Event) -> None:
        """Apply one event that ``check`` has let pass."""
        number = len(self._turns) + 1
        self.paused = None  # whatever follows a pause shows that the debate goes on
        match event:
            case Asked(ask=ask):
                self._turns[ask.key] = Turn(key=ask.key, by=ask.to, act=ask.act, number=number, ask=ask)
            case Replied(key=key, reply=reply):
                self._turns[key] = self._turn_of(key).ended(reply)
            case Failed(key=key, kind=kind, reason=reason):
                self._turns[key] = self._turn_of(key).ended(failure=reason or kind)
            case Interjected(by=by, text=text, to=mark):
                key = f"interjection#{number}"
                to = self.marked(mark) if mark else None
                self._turns[key] = Turn(key=key, by=by, act=INTERJECTION, number=number, reply=Reply(text=text), to=to)
            case Attempted():
                self.attempts += 1
            case Called():
                self._add_call(event)
            case Erred():
                self.errors.append(event)
            case Opened(brief=brief, name=name, place=folder_mark):
                self.brief, self.protocol, self.place, self.unseated = brief, name, folder_mark, event.unseated
                self._masks_of.clear()
            case Entered(path=path):
                self.entered.append(path)
            case Halted(path=path, reason=reason):
                self.halts[path] = reason
            case Ruled(decision=decision):
                self.decision = decision
            case Closed():
                self.closed = event
            case Paused():
                self.paused = event
            case _:  # Resumed
                pass

    def _add_call(self, call: Called) -> None:
        self.usage = self.usage + call.usage
        if not call.model.startswith(ASIDE):
            self.calls += 1
            self.models.setdefault(self._turns[call.key].by, set()).add(call.model)

    def check(self, event: Event) -> None:
        """Check that an event can follow the events before it.

        Raises:
            RecordError: it cannot.
        """
        if self.closed:
            raise RecordError("the record continues after the end of the debate")
        match event:
            case Opened() if self.brief:
                raise RecordError("the record opens the debate twice")
            case Asked(ask=ask):
                self._check_ask(ask)
            case Attempted(key=key) | Called(key=key) | Erred(key=key):
                self._turn_of(key)
            case Replied(key=key) | Failed(key=key):
                if self._turn_of(key).reply or self._turns[key].failure:
                    raise RecordError(f"the record answers {key!r} twice")
            case _:
                pass

    def _check_ask(self, ask: Ask) -> None:
        if ask.key in self._turns:
            raise RecordError(f"the record asks {ask.key!r} twice")
        if self.brief and ask.to not in {participant.name for participant in self.brief.participants}:
            raise RecordError(f"the record asks {ask.to!r}, who is not a participant")
        if missing := next((text for text in ask.about if text not in self._turns), ""):
            raise RecordError(f"the record shows {missing!r} to {ask.to!r}, but that was never asked")

    def _turn_of(self, key: str) -> Turn:
        if key not in self._turns:
            raise RecordError(f"the record answers {key!r}, but that was never asked")
        return self._turns[key]

    # ---- what has been said ------------------------------------------------------------------------------------

    def turns(self, *acts: str, by: str = "", under: str = "") -> tuple[Turn, ...]:
        """The turns with an answer, oldest ask first; if given, only of these acts, this speaker, beneath this path."""
        answered = [
            turn
            for turn in self._turns.values()
            if turn.reply is not None and (not acts or turn.act in acts) and (not by or turn.by == by)
        ]
        return tuple([turn for turn in answered if within(turn.key, under)] if under else answered)

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
        """The turn with that key; KeyError if there is none."""
        return self._turns[key]

    def last(self, by: str, *acts: str, under: str = "") -> Turn | None:
        """The newest answered turn of that speaker, of those acts; None if there is none."""
        for turn in reversed(self._turns.values()):
            wanted = turn.by == by and turn.reply is not None and (not acts or turn.act in acts)
            if wanted and (not under or within(turn.key, under)):
                return turn
        return None

    def latest(self, *acts: str, under: str = "") -> tuple[Turn, ...]:
        """The newest answered turn of each speaker, in the order in which the speakers first spoke."""
        return tuple({turn.by: turn for turn in self.turns(*acts, under=under)}.values())

    def first(self, *acts: str) -> tuple[Turn, ...]:
        """The oldest answered turn of each speaker."""
        oldest: dict[str, Turn] = {}
        for turn in self.turns(*acts):
            oldest.setdefault(turn.by, turn)
        return tuple(oldest.values())

    def positions(self, name: str) -> dict[str, tuple[Value, ...]]:
        """Each speaker's answers in the field of that name over time; the name is compared without case."""
        answers: dict[str, tuple[Value, ...]] = {}
        for turn in self.turns():
            if (value := read_field(turn, name)) is not None:
                answers[turn.by] = (*answers.get(turn.by, ()), value)
        return answers

    def halted(self, path: str) -> str:
        """Why the phase at that path was ended early; "" if it was not."""
        for halted, reason in self.halts.items():
            if within(path, halted):
                return reason
        return ""

    # ---- who sees what -----------------------------------------------------------------------------------------

    def sees(self, reader: str, turn: Turn) -> bool:
        """Whether a participant may see a turn: its own, or one for its eyes that is not masked."""
        return _may_see(reader, turn, self._masks(reader))

    def may_know(self, reader: str, turn: Turn) -> bool:
        """Whether a participant may know what a turn says: it may see it, or all that the turn sums up.

        A summary is addressed to one group of readers. That makes it no secret from those who may see its sources.
        """
        if self.sees(reader, turn):
            return True
        if turn.act != SUMMARY or not turn.about or self._masks(reader).intersection(_masked(turn)):
            return False
        return all(self.may_know(reader, self._turns[key]) for key in turn.about)

    def _masks(self, reader: str) -> frozenset[str]:
        if self.brief is None:
            return frozenset()
        if reader not in self._masks_of:
            people = [participant for participant in self.brief.participants if participant.name == reader]
            self._masks_of[reader] = frozenset(mask for participant in people for mask in participant.hide)
        return self._masks_of[reader]

    def look(self, view: View, reader: str) -> tuple[Turn, ...]:
        """The turns that a participant may see, reduced to what the view shows, oldest first.

        A turn that only its author may see is in no log, not even the author's. Otherwise the author's prompt would
        differ from the others', and a provider could not cache their common beginning. An ask can still show it to
        the author through ``Ask.about``.
        """
        masks = self._masks(reader)
        turns = [
            turn
            for turn in self._turns.values()
            if turn.reply is not None
            and ((not masks and (turn.ask is None or not turn.ask.audience)) or _is_shown(reader, turn, masks))
        ]
        if view.hide:
            turns = [turn for turn in turns if turn.act not in view.hide and turn.by not in view.hide]
        if view.mine:
            turns = [turn for turn in turns if self._concerns(reader, turn)]
        sums = [n for n, turn in enumerate(turns) if turn.act == SUMMARY]
        if view.summary_only:
            turns = [turn for n, turn in enumerate(turns) if n in sums[-1:] or turn.act == INTERJECTION]
        elif view.summary and sums:
            turns = turns[sums[-1] :]
        if view.last is not None:
            first = len(turns) - view.last
            turns = [turn for n, turn in enumerate(turns) if n >= first or turn.act == INTERJECTION]
        return tuple(turns)

    def _concerns(self, reader: str, turn: Turn) -> bool:
        """Whether a turn is the participant's own, about or in answer to its own, the moderator's or from outside."""
        participants = self.brief.participants if self.brief else ()
        if turn.ask is None or turn.by in (
            reader,
            *(participant.name for participant in participants if participant.duty != "debater"),
        ):
            return True
        if any(self._turns[key].by == reader for key in turn.about):
            return True
        target = self.target(turn)
        return target is not None and target.by == reader

    def target(self, turn: Turn) -> Turn | None:
        """The turn that this one says it answers, in its field TARGET; None if it names none."""
        mark = read_field(turn, TARGET)
        return turn.to if mark is None else self.marked(mark)

    def marked(self, mark: object) -> Turn | None:
        """The turn with that mark; None if there is none."""
        # it is mostly one of the newest turns
        return next((turn for turn in reversed(self._turns.values()) if turn.mark == mark), None)


TARGET = "TARGET"
"""The field in which a turn gives the mark of the turn that it answers."""

SUMMARY = "summarize"
"""The act of a turn that summarizes the turns before it."""


def _is_shown(reader: str, turn: Turn, masks: frozenset[str]) -> bool:
    """Whether an answered turn is in a participant's log."""
    audience = turn.ask.audience if turn.ask else ()
    # Only its author may see a note. Summaries are the exception: they are part of their author's log.
    note = audience == (turn.by,) and turn.act != SUMMARY
    return not note and _may_see(reader, turn, masks)


def _may_see(reader: str, turn: Turn, masks: frozenset[str]) -> bool:
    audience = turn.ask.audience if turn.ask else ()
    in_audience = not audience or reader in audience
    return turn.by == reader or (in_audience and not (masks and masks.intersection(_masked(turn))))


def _masked(turn: Turn) -> tuple[str, ...]:
    """The names by which ``Participant.hide`` can refer to a turn."""
    return (turn.by, turn.act, *(f"{text}round {turn.round}" for text in ("", f"{turn.by} ", f"{turn.act} ")))


def read_field(turn: Turn, name: str) -> Value | None:
    """The value of a field of a turn, its name compared without case; None if it was not read."""
    if turn.reply is None or not (values := turn.reply.fields):
        return None
    return values[name] if name in values else turn.once("fields without case", _fields_folded).get(name.casefold())


def _fields_folded(turn: Turn) -> dict[str, Value]:
    folded: dict[str, Value] = {}
    for label, value in turn.fields.items():
        folded.setdefault(label.casefold(), value)
    return folded


def speakers(turns: Sequence[Turn]) -> tuple[str, ...]:
    """The speakers of these turns, each once, in order."""
    return tuple(dict.fromkeys(turn.by for turn in turns))


def fold(entries: Iterable[Entry]) -> Transcript:
    """The transcript of these entries.

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


# ---- when two answers are the same: by wording, never by meaning -----------------------------------------------------

_SHARE = re.compile(r"([+-]?(?:(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?|\.\d{1,30})) ?(%)?")
"""A number as it is written alone, in percent or not."""

_SIGNS = ("$", "**", "__", "~~", "*", "_", "`", '"', "'")
_WRAPS = (*zip(_SIGNS, _SIGNS, strict=True), ("\\boxed{", "}"), ("“", "”"), ("‘", "’"), ("«", "»"), ("„", "“"))
_CLOSINGS = tuple(closing for _, closing in _WRAPS)
_STOPS = ".。．｡।۔։።"
"""Full stops of several scripts."""

_ENDS = (*_STOPS, "!", ";", ":", *_CLOSINGS)
"""Endings that normalising may remove: a fast check, because each text is compared many times and few end so."""

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_POINT_ZERO = re.compile(r"(?<=\d)\.0+\b(?!\.?\d)")
_WORD = re.compile(r"[^\W\d]|[*_`~\"'”’»]")
"""What must come before a stop other than a full stop; after a digit it may be a sign."""


def normalise(answer: Value) -> str:
    """An open answer in the form in which it is compared.

    Case, blanks, marks around the whole, TeX's ``\\boxed{…}`` and ``$…$``, and a stop at the end make no difference, and
    a number counts by its value: ``1,000`` is 1000, ``18.0`` is 18, ``.5`` and ``50 %`` are 0.5. Everything that could
    matter stays: ``5!``, ``5'``, ``10³``, ``~5`` and ``007`` are answers of their own.
    """
    text = ", ".join(answer) if isinstance(answer, tuple) else str(answer)
    text = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    while text.endswith(_ENDS) and (unwrapped := _unwrap(_unstop(text).strip())) != text:
        text = unwrapped
    text = _THOUSANDS.sub("", text) if "," in text else text
    if number := _SHARE.fullmatch(text):
        share = Decimal(number[1]) / (100 if number[2] else 1)
        return format(share.normalize() if share else abs(share), "f")
    return _POINT_ZERO.sub("", text) if ".0" in text else text


def wording(turn: Turn, name: str = "ANSWER") -> str | None:
    """A turn's answer as it is compared: a choice exactly, open words normalised; None if it was not readable."""
    value = read_field(turn, name)
    if value is None:
        return None
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    closed = any(field.kind == "choice" and field.name.casefold() == name.casefold() for field in fields)
    return str(value) if closed else normalise(value)


def alike(wordings: Iterable[str]) -> bool:
    """Whether there are at least two answers and all are the same."""
    answers = list(wordings)
    return len(answers) >= 2 and len(set(answers)) == 1 and answers[0] != ""


def _unstop(text: str) -> str:
    stripped = text.rstrip(_STOPS + " ")  # all at once: a row of ". . ." would be copied for each
    if stripped == text and _WORD.match((stripped := text.rstrip("!;:"))[-1:]) is None:
        return text
    return stripped


def _unwrap(text: str) -> str:
    for opening, closing in _WRAPS if text.endswith(_CLOSINGS) else ():
        if text.startswith(opening) and text.endswith(closing):
            inner = text[len(opening) : len(text) - len(closing)]
            if inner and closing not in inner:
                return inner.strip()
    return text


_NUMBER = re.compile(r"^\s*\d{1,3}[.)]\s")


def is_open_prose(form: Form, turn: Turn) -> bool:
    """Whether an answer in tags has none, so that nothing of it can be meant for the author or one other alone."""
    private = [field.name.lower() for field in form.fields if field.private]
    text = turn.text.lower()
    plain = bool(text.strip()) and "<" not in text and "&lt;" not in text
    return form.layout == "tags" and not turn.fields and plain and not any(name in text for name in private)


def voter_reason(turn: Turn) -> str:
    """The voter's reason: the text of a ballot without the lines that only state its fields."""
    formulas = [words(f"{name} {shown(value)}") for name, value in turn.fields.items()]
    for name, value in turn.fields.items():
        formulas += [words(text) for text in (name, *value)] if isinstance(value, tuple) else []
    lines = turn.text.split("\n")
    return "\n".join(line for line in lines if words(_NUMBER.sub("", line)) not in formulas).strip()
