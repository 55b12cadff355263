"""Made-up answers for estimates: their expected length, and runs that ask as much or as little as possible.

The lengths are round figures for English prose by chat models that are asked for no length. They are no limits.

Where all agree, everybody gives the first answer, nobody bids, and everybody who may end the debate ends it. Where
nobody ever agrees, answers differ and change, claims are new, everybody bids as high as possible, and nobody ends it.

With nothing hidden, more answers never lead to fewer questions, so the run in which all answer and nobody agrees has
the most. Three things break that rule: criticism and scores of what is hidden, revisions of turns out of sight, and
translations. So each is run at its most where the brief has it, and only there.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from operator import is_
from typing import TYPE_CHECKING, TypeGuard, cast

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Field, Reply, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.roles import VERDICT, WITHDRAWN
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.phases.base import Phase
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
"""Words of an answer by its act."""
# fmt: on

USUAL = 150
"""Words of an answer whose act is not in the table."""

FIELD = 15
"""Words of a text in a form that has many of them."""


CLAIM = 20
"""Words of a claim in a search, which is a sentence."""

REPLY = 45
"""Words of a reply in a search, which is two."""

MARKS = 12
"""Words of the marks for an exchange in a search."""

CALL = 15
"""Words in which a model asks for a tool: its name, and what to look for."""

FOUND: Mapping[str, int] = {"search": 350, "rag": 450, "summarizer": 200, "scorer": 20}
"""Words of the usual result of a tool: five hits of a search engine, four extracts of a document, a summary, marks."""

UNKNOWN = 300
"""Words of the result of a tool that is not in the table."""


def expected_words(ask: Ask, context: Context) -> int:
    """The number of words that an answer is likely to have.

    A form with so many fields that they cannot be filled in within that length makes it longer; a translation is as
    long as the turns that are laid before the translator.
    """
    if ask.act == "translate":
        return sum(len(turn.text.split()) for turn in context.about)
    fields = ask.form.fields if ask.form else ()
    least = sum(FIELD if field.kind in ("text", "list") else 2 for field in fields)
    return max(WORDS.get(ask.act, USUAL), least)


GUESSED = (Stalled, Confident, Ahead)
"""The stops that pretended answers might meet by the way; nobody knows when real ones do."""

WORD = "words "
"""A word of an answer: as long as English words are, with the blank behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSimulator:
    """Makes up the answers of one simulated run.

    Attributes:
        ends: the values that end something, by act and field; with True whatever the field holds.
        agree: whether all agree at once; else nobody ever does.
        mark: what stands for an answer of the greatest length; "" for words of the usual number. A form can be
            continued once, so two of them stand for one.
    """

    ends: frozenset[tuple[str, str, str | bool]]
    agree: bool
    mark: str = ""

    def answer(self, ask: Ask, transcript: Transcript, *, place: int, batch: int, words: int, last: bool) -> Reply:
        """A simulated answer with that many words.

        Args:
            ask: the question.
            transcript: everything before it, and what was answered before it in its batch.
            place: its place in its batch, from 0.
            batch: the number of its batch, from 1.
            words: the words of the answer.
            last: whether it is the last of its batch: all who change their choice at once still differ, but whoever
                answers last must not come to what all the others hold.
        """
        mark = "of all" if self.agree else f"{batch}.{place}"
        values: dict[str, Value] = {}
        # In tags the fields are all there is of a message, and the words of one answer stand in the last text.
        tagged = ask.form is not None and ask.form.layout == "tags"
        for field in ask.form.fields if ask.form else ():
            if (ask.act, field.name, True) in self.ends:
                values |= _final(field) if self.agree else {}
            elif field.name in CENTER.values() and not self.agree:
                values[field.name] = _distant_forecast(field, place, batch)
            elif field.kind != "choice":
                values[field.name] = self._value(field, mark, "" if tagged else 2 * self.mark)
            elif choices := self._choices(ask, field):
                own, others = _last_values(field.name, ask.to, transcript)
                start = choices.index(own) + 1 if own in choices else place + batch
                values[field.name] = _other_choice(choices, start, others if last else ())
        texts = [field for field in ask.form.fields if field.kind == "text"] if ask.form else []
        # A note is read by its field; and where some fields are private, others read the fields in place of the text.
        public_words = max(words - FIELD * sum(text.private for text in texts), 1)
        for name in [text.name for text in texts if not text.private and text.name in values][-1:]:
            values[name] = f"{2 * self.mark or WORD * public_words}{mark}"
        full = self.mark * (2 if ask.form else 1) or WORD * max(words, 1)
        return Reply(text=f"{full}{mark}", fields=values)

    def _choices(self, ask: Ask, field: Field) -> tuple[str, ...]:
        """The choices. If all agree: the one that ends something, else the first."""
        ending = tuple(choice for choice in field.choices if (ask.act, field.name, choice) in self.ends)
        if not self.agree:
            return tuple(choice for choice in field.choices if choice not in ending)
        idle = not field.required and ask.audience == (ask.to,)
        return () if idle else (ending or field.choices)[:1]

    def _value(self, field: Field, mark: str, full: str) -> Value:
        match field.kind:
            case "number":
                return (field.low or 0.0) if self.agree else 1.0 if field.high is None else field.high
            case "flag":
                return not self.agree
            case "list" if field.choices:
                return field.choices
            case "list":
                return () if self.agree else (f"point {full}{mark}",)
            case _:
                return f"answer {full}{mark}"


def _distant_forecast(field: Field, place: int, batch: int) -> float:
    """A forecast that is far from those beside it, and is another one than before."""
    step = batch / 1000
    return step if place % 2 else (1.0 if field.high is None else field.high) - step


def _final(field: Field) -> dict[str, Value]:
    """The value that ends something as soon as it is said."""
    return {field.name: True if field.kind == "flag" else field.choices[0] if field.choices else "answer"}


def _last_values(name: str, participant: str, transcript: Transcript) -> tuple[Value | None, tuple[Value, ...]]:
    """The last value of a participant in that field, and the last values of the others."""
    newest = {turn.by: value for turn in transcript.turns() if (value := read_field(turn, name)) is not None}
    own = newest.pop(participant, None)
    return own, tuple(dict.fromkeys(newest.values()))


def _other_choice(choices: Sequence[str], start: int, others: Sequence[Value]) -> str:
    """The first choice from that place on, in a circle, that is not what all the others hold."""
    order = [choices[(start + n) % len(choices)] for n in range(len(choices))]
    return next((text for text in order if [*others] != [text]), order[0])


def stop_values(protocol: object) -> frozenset[tuple[str, str, str | bool]]:
    """The values that end rounds of a phase tree: act, field and value of every stop that waits for one.

    A meeting ends where all give a verdict and withdraw, whatever the verdict. A critic who agrees ends the check.
    """
    phases = list(parts(protocol))
    stops = [(part.act, part.field, part.value) for part in phases if isinstance(part, Settled)]
    leaving = [(part.act, name, True) for part in phases if isinstance(part, Meeting) for name in (VERDICT, WITHDRAWN)]
    agreeing = [(part.name, "RESULT", "AGREE") for part in phases if isinstance(part, Criticise)]
    return frozenset((*stops, *leaving, *agreeing))


def parts(protocol: object) -> Iterator[object]:
    """All parts of a phase tree, the tree itself first."""
    if isinstance(protocol, tuple):
        for item in cast(tuple[object, ...], protocol):
            yield from parts(item)
    elif (names := _fields_of(type(protocol))) is not None:
        yield protocol
        for name in names:
            yield from parts(getattr(protocol, name))


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


def shortest_form(protocol: Phase) -> Phase:
    """The phase tree in its shortest form: every stop that cannot be foreseen is met at once.

    Where chance decides who speaks, nobody is rated at the end: who never spoke is not.
    """
    by_chance = any(isinstance(part, QuietFirst) for part in parts(protocol))

    def instead(part: object) -> object:
        if by_chance and isinstance(part, Score) and not part.live:
            return replace(part, acts=("",))  # no turn has such an act
        return _AtOnce() if isinstance(part, GUESSED) else None

    return cast(Phase, _with_replaced_parts(protocol, instead))


def longest_form(protocol: Phase) -> Phase:
    """The phase tree in its longest form.

    The floor is for everybody as often where chance decides: who never spoke is rated by nobody. The stops that nobody
    can foresee are never met, no vote is skipped, and a judge merges whatever it picks.
    """

    def instead(part: object) -> object:
        if isinstance(part, QuietFirst):
            return _LeastAsked()
        if isinstance(part, FinalAnswer | Merge | Refute | Respond):
            return replace(part, always=True)
        if isinstance(part, GUESSED) or _of_forecasts(part):
            return AnyOf(stops=())
        return replace(part, early=()) if _stops_early(part) else None

    return cast(Phase, _with_replaced_parts(protocol, instead))


def _of_forecasts(part: object) -> bool:
    """Whether a stop compares forecasts, which come close by chance."""
    return isinstance(part, Close | Unchanged) and part.field in CENTER.values()


def _stops_early(part: object) -> TypeGuard[Vote]:
    return isinstance(part, Vote) and bool(part.early)


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


OPEN = (Fight, Bowl, Speech, Interruption, Reacting, Meeting, Report)
"""The parts of a protocol in which it depends on bids, words or failures who speaks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WidestPlay:
    """The settings of the simulated run with the most questions.

    Attributes:
        brief: the brief, with nothing hidden, no view that keeps an own turn from being revised, and all debaters
            foreign where one is and it depends who speaks.
        alone: who may need a summary for itself, because something is hidden from it.
        open: whether it depends on bids, words or failures how often somebody is asked.
    """

    brief: Brief
    alone: tuple[str, ...] = ()
    open: bool = False

    def peers(self, person: Participant) -> Sequence[Participant]:
        """The participants who may be asked instead of this one."""
        # A mask can keep a moderator from a turn, which somebody else then rates, sums up or translates.
        like = [participant for participant in self.brief.participants if self.alone or participant.duty == person.duty]
        return like if self.alone or self.open else [person]

    def apart(self, step: Sequence[Ask]) -> Sequence[Ask]:
        """The batch with a summary for each of those who may see something else than all others.

        Where two of them see the same, they read one summary, which may be translated: that comes to no more.
        """
        if not step or step[0].form != SUMMED:
            return step
        have = [ask.to for ask in step if ask.audience == (ask.to,)]
        new = [replace(step[0], to=name, audience=(name,)) for name in self.alone if name not in have]
        return [*step, *(replace(ask, key=f"{ask.key}-{ask.to}") for ask in new)]


def widest(brief: Brief, protocol: object) -> WidestPlay:
    """The widest form of a brief under a phase tree."""
    phases = list(parts(protocol))
    revised = any(isinstance(part, Revise) for part in phases)
    open = any(isinstance(part, OPEN) or _may_ask_unequally(part) for part in phases)
    masked = [
        participant
        for participant in brief.participants
        if participant.hide or (participant.view and participant.view.hide)
    ]
    if any(participant.duty == "moderator" for participant in masked):
        # Then it depends on what is hidden who sums up for the others.
        masked = list(brief.participants)
    tongues = [
        participant.language
        for participant in brief.participants
        if participant.duty == "debater" and participant.language
    ]
    tongue = tongues[0] if tongues and (open or masked) else ""
    people = [
        replace(
            participant,
            hide=(),
            view=None if revised or masked else participant.view,
            language=participant.language or (tongue if participant.duty == "debater" else ""),
        )
        for participant in brief.participants
    ]
    wide = replace(brief, participants=tuple(people))
    return WidestPlay(brief=wide, alone=tuple(participant.name for participant in masked), open=open)


def _may_ask_unequally(part: object) -> bool:
    """Whether a part may ask some participants more often than others."""
    return (isinstance(part, Pairs) and part.topology in UNEVEN) or type(part) not in PARTS.values()
