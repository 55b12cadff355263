"""Play a protocol with made-up answers: once as if all agreed at once, once as if nobody ever did.

Where all agree, everybody gives the first answer, nobody bids, and everybody who may end the debate ends it. Where
nobody does, answers differ and change, claims are new, everybody bids as high as possible, and nobody ends it.

With nothing hidden, more answers never lead to fewer questions, so the run in which all answer and nobody agrees has
the most. Three things break that rule: criticism and scores of what is hidden, revisions of turns out of sight, and
translations. So each is run at its most where the brief has it, and only there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, cast

from folkmoot.core.agent import Context, context_of
from folkmoot.core.ask import Ask, Field, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Asked, Failed, Replied
from folkmoot.core.roles import VERDICT, WITHDRAWN, hurried
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.phases.base import Phase, State, enter
from folkmoot.phases.helpers import FinalAnswer
from folkmoot.phases.revise import SUMMED, Revise
from folkmoot.phases.score import Score
from folkmoot.phases.vote import Vote
from folkmoot.policy.board_turns import QuietFirst
from folkmoot.policy.convergence import Stalled
from folkmoot.policy.pairing import UNEVEN, Pairs
from folkmoot.policy.rounds import Ahead, AnyOf, Close, Confident, FloorView, Reacting, Settled, Unchanged
from folkmoot.protocols.board import Meeting
from folkmoot.protocols.compose import Interruption
from folkmoot.protocols.fishbowl import Bowl
from folkmoot.protocols.grouped import Report
from folkmoot.protocols.measured.critic import Criticise
from folkmoot.protocols.measured.findings import Refute, Respond
from folkmoot.protocols.measured.forecast import CENTER
from folkmoot.protocols.measured.selection import Merge
from folkmoot.protocols.open_fight import Fight
from folkmoot.protocols.parliament import Speech
from folkmoot.protocols.spec import PARTS

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# fmt: off
WORDS: Mapping[str, int] = {
    "open": 180, "draft": 150, "propose": 180, "argue": 180, "revise": 180, "close": 180, "critique": 100,
    "question": 50, "answer": 150, "interrupt": 60, "bid": 15, "reconsider": 10, "guide": 80, "inform": 120,
    "score": 40, "evaluate": 150, "summarize": 150, "strategy": 50, "reflect": 100, "gauge": 30, "moderate": 150,
    "consent": 30, "vote": 30, "remind": 30, "verdict": 50, "recall": 250, "synthesize": 350,
    "deliver": 150, "verify": 150, "inspect": 500, "respond": 60, "refute": 120, "dispute": 120,
}
"""Words of an answer by its act: round figures for English prose by chat models. They are no limits."""
# fmt: on

USUAL = 150
"""Words of an answer whose act is not in the table."""

FIELD = 15
"""Words of a text in a form that has many of them."""

WORD = "words "
"""A word of an answer: as long as English words are, with the blank behind it."""

MARK = "\ue000"
"""Stands before the words of an answer, once for each time that it may be as long as its limit. A private letter."""

GUESSED = (Stalled, Confident, Ahead)
"""The stops that made-up answers might meet by the way; nobody knows when real ones do."""

OPEN = (Fight, Bowl, Speech, Interruption, Reacting, Meeting, Report)
"""The parts of a protocol in which it depends on bids, words or failures who speaks."""


def expected_words(ask: Ask, context: Context) -> int:
    """The number of words that an answer is likely to have; a translation has those of what is translated."""
    if ask.act == "translate":
        return sum(len(turn.text.split()) for turn in context.about)
    # A form may have more fields than can be filled in within the usual length.
    least = sum(FIELD if field.kind in ("text", "list") else 2 for field in (ask.form.fields if ask.form else ()))
    return max(WORDS.get(ask.act, USUAL), least)


class Simulation:
    """One simulated run.

    Args:
        brief: the brief with agents assigned.
        protocol: the phase tree.
        agree: whether all agree at once, so that nothing takes longer than it must; else nobody ever does.
        silent: the participants who never answer.

    Attributes:
        transcript: what was asked and answered so far.
        batches: how often somebody was asked; those who are asked at the same time count once.
        hurried: how many at most speak at the same time who need not all be waited for, where there is a quorum.
    """

    def __init__(self, brief: Brief, protocol: Phase, *, agree: bool, silent: Sequence[str] = ()) -> None:
        self._brief, self._agree, self._silent = brief, agree, silent
        self._alone: Sequence[str] = ()  # who may need a summary for itself, because something is hidden from it
        self._open = False  # whether it depends on bids, words or failures how often somebody is asked
        phases = list(parts(protocol))
        self._ends = _stop_values(phases)
        played = brief if agree else self._widened(phases)
        self._tree = _shortest(protocol, phases) if agree else _longest(protocol)
        self.transcript = Transcript(brief=played)
        self.batches = self.hurried = 0

    def _widened(self, phases: Sequence[object]) -> Brief:
        """The brief with which most is asked: nothing hidden, and all debaters foreign where one is and may speak."""
        people = self._brief.participants
        self._open = any(isinstance(part, OPEN) or _may_ask_unequally(part) for part in phases)
        masked = [person for person in people if person.hide or (person.view and person.view.hide)]
        if any(person.duty == "moderator" for person in masked):
            masked = list(people)  # then it depends on what is hidden who sums up for the others
        self._alone = [person.name for person in masked]
        tongues = [person.language for person in people if person.duty == "debater" and person.language]
        tongue = tongues[0] if tongues and (self._open or masked) else ""
        # A view may keep an own turn from being revised.
        unseen = bool(masked) or any(isinstance(part, Revise) for part in phases)
        wide = [
            replace(
                person,
                hide=(),
                view=None if unseen else person.view,
                language=person.language or (tongue if person.duty == "debater" else ""),
            )
            for person in people
        ]
        return replace(self._brief, participants=tuple(wide))

    def peers(self, person: Participant) -> Sequence[Participant]:
        """The participants who may be asked instead of this one."""
        played = self.transcript.brief
        if played is None or not (self._alone or self._open):
            return [person]
        # A mask can keep a moderator from a turn, which somebody else then rates, sums up or translates.
        return [other for other in played.participants if self._alone or other.duty == person.duty]

    def play(self) -> Iterator[tuple[Ask, Context, Context]]:
        """Every ask, with what its participant sees, and what it would see if nothing were left out."""
        transcript = self.transcript
        played = transcript.brief or self._brief
        seen = replace(transcript, brief=self._brief)  # the same turns, as they are really shown
        bare = tuple(replace(person, hide=(), view=None) for person in played.participants)
        everything = replace(transcript, brief=replace(played, participants=bare))
        for step in enter(self._tree, State(brief=played, transcript=transcript)):
            if not isinstance(step, Sequence):
                transcript.apply(step)
                continue
            self.batches += 1
            self.hurried = max(self.hurried, len(hurried(step, self._brief)))
            step = self._apart(step)
            for ask in step:
                transcript.apply(Asked(ask=ask))
            contexts = [context_of(self._brief, seen, ask) for ask in step]
            whole = contexts
            if not self._agree and bare != self._brief.participants:
                whole = [context_of(everything.brief or played, everything, ask) for ask in step]
            yield from zip(step, contexts, whole, strict=True)
            for n, (ask, context) in enumerate(zip(step, contexts, strict=True)):
                if ask.to in self._silent:
                    transcript.apply(Failed(key=ask.key, kind="empty", reason="no words"))
                else:
                    reply = self._answer(ask, expected_words(ask, context), place=n, last=n + 1 == len(step))
                    transcript.apply(Replied(key=ask.key, reply=reply))

    def _apart(self, step: Sequence[Ask]) -> Sequence[Ask]:
        """The batch with a summary for each of those who may see something else than all others.

        Where two of them see the same, they read one summary, which may be translated: that comes to no more.
        """
        if not step or step[0].form != SUMMED:
            return step
        have = [ask.to for ask in step if ask.audience == (ask.to,)]
        new = [replace(step[0], to=name, audience=(name,)) for name in self._alone if name not in have]
        return [*step, *(replace(ask, key=f"{ask.key}-{ask.to}") for ask in new)]

    def _answer(self, ask: Ask, words: int, *, place: int, last: bool) -> Reply:
        """A made-up answer.

        Args:
            ask: the question.
            words: the words of the answer.
            place: its place in its batch, from 0.
            last: whether it is the last of its batch: all who change their choice at once still differ, but whoever
                answers last must not come to what all the others hold.
        """
        name = "of all" if self._agree else f"{self.batches}.{place}"
        fields = ask.form.fields if ask.form else ()
        values: dict[str, Value] = {}
        # In tags the fields are all there is of a message, and the words of one answer stand in the last text.
        full = "" if ask.form and ask.form.layout == "tags" else 2 * MARK
        for field in fields:
            if (ask.act, field.name, True) in self._ends:
                if self._agree:
                    values[field.name] = True if field.kind == "flag" else (*field.choices, "answer")[0]
            elif field.name in CENTER.values() and not self._agree:  # forecasts far apart, and never the same
                step = self.batches / 1000
                values[field.name] = step if place % 2 else (1.0 if field.high is None else field.high) - step
            elif field.kind != "choice":
                values[field.name] = self._value(field, f"{full}{name}")
            elif choices := self._choices(ask, field):
                own, others = self._last_values(field.name, ask.to)
                start = choices.index(own) + 1 if own in choices else place + self.batches
                order = [choices[(start + n) % len(choices)] for n in range(len(choices))]
                held = list(others) if last else []
                values[field.name] = next((text for text in order if held != [text]), order[0])
        texts = [field for field in fields if field.kind == "text"]
        # A note is read by its field; and where some fields are private, others read the fields in place of the text.
        public_words = max(words - FIELD * sum(text.private for text in texts), 1)
        for text in [text.name for text in texts if not text.private and text.name in values][-1:]:
            values[text] = f"{2 * MARK}{WORD * public_words}{name}"
        # A form can be continued once, so two marks stand for its answer.
        return Reply(text=f"{MARK * (2 if ask.form else 1)}{WORD * max(words, 1)}{name}", fields=values)

    def _choices(self, ask: Ask, field: Field) -> tuple[str, ...]:
        """The choices. If all agree: the one that ends something, else the first."""
        ending = tuple(choice for choice in field.choices if (ask.act, field.name, choice) in self._ends)
        if not self._agree:
            return tuple(choice for choice in field.choices if choice not in ending)
        idle = not field.required and ask.audience == (ask.to,)
        return () if idle else (ending or field.choices)[:1]

    def _value(self, field: Field, words: str) -> Value:
        match field.kind:
            case "number":
                return (field.low or 0.0) if self._agree else 1.0 if field.high is None else field.high
            case "flag":
                return not self._agree
            case "list" if field.choices:
                return field.choices
            case "list":
                return () if self._agree else (f"point {words}",)
            case _:
                return f"answer {words}"

    def _last_values(self, name: str, participant: str) -> tuple[Value | None, tuple[Value, ...]]:
        """The last value of a participant in that field, and the last values of the others."""
        turns = self.transcript.turns()
        newest = {turn.by: value for turn in turns if (value := read_field(turn, name)) is not None}
        own = newest.pop(participant, None)
        return own, tuple(dict.fromkeys(newest.values()))


def _may_ask_unequally(part: object) -> bool:
    """Whether a part may ask some participants more often than others; so may any of another package."""
    return (isinstance(part, Pairs) and part.topology in UNEVEN) or type(part) not in PARTS.values()


def _stop_values(phases: Sequence[object]) -> frozenset[tuple[str, str, str | bool]]:
    """The values that end rounds: act, field and value, True for any value, of every stop that waits for one."""
    ends: set[tuple[str, str, str | bool]] = set()
    for part in phases:
        match part:
            case Settled():
                ends.add((part.act, part.field, part.value))
            case Meeting():  # it ends where all give a verdict and withdraw, whatever the verdict
                ends |= {(part.act, VERDICT, True), (part.act, WITHDRAWN, True)}
            case Criticise():  # a critic who agrees ends the check
                ends.add((part.name, "RESULT", "AGREE"))
            case _:
                pass
    return frozenset(ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class _LeastAsked:
    """The participant who was asked least speaks next."""

    def next(self, turns: Sequence[Turn], people: Sequence[Participant], floor: FloorView) -> str:
        had = [turn.by for turn in turns]
        return min((participant.name for participant in people), key=had.count, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtOnce:
    """A stop that is met before the first round."""

    def met(self, transcript: Transcript) -> str:
        return "at once"


def _shortest(protocol: Phase, phases: Sequence[object]) -> Phase:
    """The phase tree in its shortest form: every stop that cannot be foreseen is met at once."""
    by_chance = any(isinstance(part, QuietFirst) for part in phases)

    def instead(part: object) -> object:
        if by_chance and isinstance(part, Score) and not part.live:  # whom chance never lets speak nobody rates
            return replace(part, acts=("",))  # no turn has such an act
        return _AtOnce() if isinstance(part, GUESSED) else None

    return cast(Phase, _with_replaced_parts(protocol, instead))


def _longest(protocol: Phase) -> Phase:
    """The phase tree in its longest form: no stop that nobody can foresee is ever met, and no vote is skipped."""

    def instead(part: object) -> object:
        match part:
            case QuietFirst():  # all have the floor as often: who never spoke is rated by nobody
                return _LeastAsked()
            case FinalAnswer() | Merge() | Refute() | Respond():
                return replace(part, always=True)
            case Close() | Unchanged() if part.field in CENTER.values():  # forecasts come close by chance
                return AnyOf(stops=())
            case Vote() if part.early:
                return replace(part, early=())
            case _:
                return AnyOf(stops=()) if isinstance(part, GUESSED) else None

    return cast(Phase, _with_replaced_parts(protocol, instead))


def parts(protocol: object) -> Iterator[object]:
    """All parts of a phase tree, the tree itself first."""
    if isinstance(protocol, tuple):
        for item in cast(tuple[object, ...], protocol):
            yield from parts(item)
    elif (names := _fields_of(type(protocol))) is not None:
        yield protocol
        for name in names:
            yield from parts(getattr(protocol, name))


def _with_replaced_parts(part: object, instead: Callable[[object], object]) -> object:
    """A phase tree with other parts in place of those for which there is something else than None."""
    if isinstance(part, tuple):
        items = cast(tuple[object, ...], part)
        replaced = tuple(_with_replaced_parts(item, instead) for item in items)
        return items if all(map(is_, items, replaced)) else replaced
    if (names := _fields_of(type(part))) is None:
        return part
    if (other := instead(part)) is not None:
        return other
    values = {name: getattr(part, name) for name in names}
    others = {name: _with_replaced_parts(value, instead) for name, value in values.items()}
    changed = {name: other for name, other in others.items() if other is not values[name]}
    return replace(cast("DataclassInstance", part), **changed) if changed else part


@cache
def _fields_of(kind: type) -> tuple[str, ...] | None:
    """The names of the fields of a part of a phase tree; None for values, which have no parts."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else None
