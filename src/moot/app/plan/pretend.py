"""Pretended answers, for estimates. This file owns what they hold, so that a play is as long or as short as it can be.

Where all agree, everybody gives the first answer, nobody bids, and whoever may end the debate ends it. Where nobody
ever agrees, answers differ and change, claims are new, everybody bids as high as can be, and nobody ends anything.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TypeGuard, cast

from moot.app.plan.lengths import FIELD
from moot.core.ask import Ask, Reply
from moot.core.brief import Participant
from moot.core.form import Field, Value
from moot.core.roles import VERDICT, WITHDRAWN
from moot.core.transcript import Transcript, Turn, read_field
from moot.phases.phases_base import Phase
from moot.phases.vote import Vote
from moot.policy.board_turns import QuietFirst
from moot.policy.convergence import Stalled
from moot.policy.stops import Ahead, AnyOf, Confident, Settled
from moot.policy.turns import Hearing
from moot.protocols.board import Meeting

GUESSED = (Stalled, Confident, Ahead)
"""The stops that pretended answers might meet by the way; nobody knows when real ones do."""

WORD = "words "
"""A word of an answer: as long as English words are, with the blank behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pretender:
    """Makes up the answers of one play.

    Attributes:
        ends: the values that end something, by act and field; with True whatever the field holds.
        agree: whether all agree at once; else nobody ever does.
    """

    ends: frozenset[tuple[str, str, str | bool]]
    agree: bool

    def answer(self, ask: Ask, transcript: Transcript, *, place: int, batch: int, words: int, last: bool) -> Reply:
        """A pretended answer of so many words.

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
        for field in ask.form.fields if ask.form else ():
            if (ask.act, field.name, True) in self.ends:
                values |= _final(field) if self.agree else {}
            elif field.kind != "choice":
                values[field.name] = self._value(field, mark)
            elif choices := self._choices(ask, field):
                own, others = _held(field.name, ask.to, transcript)
                start = choices.index(own) + 1 if own in choices else place + batch
                values[field.name] = _other(choices, start, others if last else ())
        texts = [each for each in ask.form.fields if each.kind == "text"] if ask.form else []
        # A note is read by its field; and where some fields are private, others read the fields in place of the text.
        told = max(words - FIELD * sum(each.private for each in texts), 1)
        for name in [each.name for each in texts if not each.private and each.name in values][-1:]:
            values[name] = f"{WORD * told}{mark}"
        return Reply(text=f"{WORD * max(words, 1)}{mark}", fields=values)

    def _choices(self, ask: Ask, field: Field) -> tuple[str, ...]:
        """What may be chosen. Where all agree: the one that ends something, else the first, or nothing for oneself."""
        ending = tuple(each for each in field.choices if (ask.act, field.name, each) in self.ends)
        if not self.agree:
            return tuple(each for each in field.choices if each not in ending)
        idle = not field.required and ask.audience == (ask.to,)
        return () if idle else (ending or field.choices)[:1]

    def _value(self, field: Field, mark: str) -> Value:
        match field.kind:
            case "number":
                return (field.low or 0.0) if self.agree else 1.0 if field.high is None else field.high
            case "flag":
                return not self.agree
            case "list" if field.choices:
                return field.choices
            case "list":
                return () if self.agree else (f"point {mark}",)
            case _:
                return f"answer {mark}"


def _final(field: Field) -> dict[str, Value]:
    """What ends something by being said at all."""
    return {field.name: True if field.kind == "flag" else field.choices[0] if field.choices else "answer"}


def _held(name: str, who: str, transcript: Transcript) -> tuple[Value | None, tuple[Value, ...]]:
    """What somebody gave last in a field of that name, and what the others gave last."""
    newest = {turn.by: value for turn in transcript.turns() if (value := read_field(turn, name)) is not None}
    own = newest.pop(who, None)
    return own, tuple(dict.fromkeys(newest.values()))


def _other(choices: Sequence[str], start: int, others: Sequence[Value]) -> str:
    """The first choice from that place on, in a circle, that is not what all the others hold."""
    order = [choices[(start + n) % len(choices)] for n in range(len(choices))]
    return next((each for each in order if [*others] != [each]), order[0])


def endings(protocol: object) -> frozenset[tuple[str, str, str | bool]]:
    """The values that end rounds of a phase tree: act, field and value of every stop that waits for one.

    A meeting ends where all give a verdict and withdraw, whatever the verdict.
    """
    found = list(parts(protocol))
    stops = [(part.act, part.field, part.value) for part in found if isinstance(part, Settled)]
    leaving = [(part.act, name, True) for part in found if isinstance(part, Meeting) for name in (VERDICT, WITHDRAWN)]
    return frozenset((*stops, *leaving))


def parts(protocol: object) -> Iterator[object]:
    """Everything that a phase tree is made of, itself first."""
    if isinstance(protocol, tuple):
        for each in cast(tuple[object, ...], protocol):
            yield from parts(each)
    elif is_dataclass(protocol):
        yield protocol
        for each in fields(protocol):
            yield from parts(getattr(protocol, each.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fairest:
    """Whoever was asked least speaks next."""

    def next(self, said: Sequence[Turn], people: Sequence[Participant], floor: Hearing) -> str:
        had = [turn.by for turn in said]
        return min((each.name for each in people), key=had.count, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class _AtOnce:
    """A stop that is met before the first round."""

    def met(self, transcript: Transcript) -> str:
        return "at once"


def shrink(protocol: Phase) -> Phase:
    """The phase tree as short as it can be: the stops that nobody can foresee are met at once."""
    return cast(Phase, _swapped(protocol, lambda part: _AtOnce() if isinstance(part, GUESSED) else None))


def spread(protocol: Phase) -> Phase:
    """The phase tree as long as it can be.

    The floor is for everybody as often where chance decides: who never spoke is rated by nobody. The stops that nobody
    can foresee are never met, and nobody's vote is spared.
    """

    def instead(part: object) -> object:
        if isinstance(part, QuietFirst):
            return _Fairest()
        return AnyOf(stops=()) if isinstance(part, GUESSED) else replace(part, early=()) if _hurried(part) else None

    return cast(Phase, _swapped(protocol, instead))


def _hurried(part: object) -> TypeGuard[Vote]:
    return isinstance(part, Vote) and bool(part.early)


def _swapped(part: object, instead: Callable[[object], object]) -> object:
    """A phase tree with other parts in place of those for which there is something else than None."""
    if (other := instead(part)) is not None:
        return other
    if isinstance(part, tuple):
        return tuple(_swapped(each, instead) for each in cast(tuple[object, ...], part))
    if not is_dataclass(part) or isinstance(part, type):
        return part
    return replace(part, **{each.name: _swapped(getattr(part, each.name), instead) for each in fields(part)})
