"""The gaps in a debate: what could not be read, and which answers are missing. Every surface tells them from here."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import choices_of, needed
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.roles import VERDICT
from folkmoot.core.text import listed
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.core.unread import Unread, reason_in_words

NOT_READABLE = "not readable"
"""What stands in place of a choice that could not be read."""

MOST_MARKS = 4
MOST_SEEN = 3

ANSWERS = ("ANSWER", "POSITION", VERDICT)
"""The fields that say what somebody is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Something that a participant was asked for and that a debate does not have.

    Attributes:
        by: who was asked.
        marks: the turns in which it is missing for the same reason.
        fields: the fields that could not be read; empty where there is no answer at all.
        reason: why, in one word or as a sentence.
        seen: the words that stood in the way; empty where the reader may not read the answer.
        allowed: what could have been chosen instead.
        ballot: whether it is the ballot of its author, who therefore counts for nobody.
    """

    by: str
    marks: tuple[str, ...]
    fields: tuple[str, ...] = ()
    reason: str
    seen: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    ballot: bool = False

    @property
    def why(self) -> str:
        """The reason in plain words."""
        if not self.fields:
            return self.reason
        return reason_in_words(self.reason, self.seen[:MOST_SEEN], self.allowed)

    @property
    def answer(self) -> bool:
        """Whether it is what its author is for."""
        return any(name in ANSWERS for name in self.fields)

    @property
    def remark(self) -> str:
        """What is said beside the turn itself."""
        return f"{NOT_READABLE}: {listed(self.fields)}: {self.why}"

    @property
    def sentence(self) -> str:
        """The whole story in one sentence."""
        more = len(self.marks) - MOST_MARKS
        marks = listed([*self.marks[:MOST_MARKS], *([f"{more} more"] if more > 0 else [])])
        uncounted = ", so it counts for nobody" if self.ballot else ""
        why = self.why.rstrip(".")
        if not self.fields:
            return f"{self.by} gave no {'ballot' if self.ballot else 'answer'} ({marks}): {why}."
        what = "ballot" if self.ballot and VERDICT not in self.fields else listed(self.fields)
        verb = "are" if len(self.fields) > 1 and what != "ballot" else "is"
        return f"{self.by}'s {what} ({marks}) {verb} {NOT_READABLE}{uncounted}: {why}."


def turn_gaps(turn: Turn, *, shown: bool = True) -> tuple[Gap, ...]:
    """The gaps of one turn; fields with the same reason are one.

    Args:
        turn: the turn.
        shown: whether the reader may read its words.
    """
    if turn.failure:
        return (Gap(by=turn.by, marks=(turn.mark,), reason=turn.failure),)
    by_reason: dict[str, list[Unread]] = {}
    form = turn.ask.form if turn.ask else None
    private = {field.name for field in form.fields if field.private} if form and not shown else set[str]()
    for unread in _unread(turn):
        if unread.field not in private:
            by_reason.setdefault(unread.reason, []).append(unread)
    return tuple(
        Gap(
            by=turn.by,
            marks=(turn.mark,),
            fields=tuple(dict.fromkeys(unread.field for unread in found)),
            reason=reason,
            seen=tuple(dict.fromkeys(unread.seen for unread in found if unread.seen)) if shown else (),
            allowed=choices_of(form, found[0].field),
        )
        for reason, found in by_reason.items()
    )


def _unread(turn: Turn) -> Iterator[Unread]:
    """What was not read, and what a value that was read needs beside it."""
    unread = turn.reply.unread if turn.reply else ()
    yield from unread
    names = {each.field for each in unread}
    for field in turn.ask.form.fields if turn.ask and turn.ask.form and turn.reply else ():
        other = needed(field, turn.fields[field.name]) if field.name in turn.fields else ""
        if other and other not in turn.fields and other not in names:
            yield Unread(other, "missing")


def gaps(transcript: Transcript, may_read: Callable[[Turn], bool] = lambda _: True) -> tuple[Gap, ...]:
    """All gaps of a debate in the order of their turns; the same one in several turns is told once.

    Args:
        transcript: of the debate.
        may_read: whether the reader may read a turn. Of one that is hidden, only an uncounted ballot is told, without
            its words.
    """
    ballots = _void_ballots(transcript)
    found: dict[tuple[object, ...], Gap] = {}
    for turn in transcript.all():
        shown = may_read(turn)
        for gap in turn_gaps(turn, shown=shown):
            gap = replace(gap, ballot=turn.key in ballots and _chooses(gap, turn))
            if not shown and not gap.ballot:
                continue
            before = found.get(key := (gap.by, gap.fields, gap.reason), gap)
            found[key] = replace(
                gap,
                marks=tuple(dict.fromkeys((*before.marks, *gap.marks))),
                seen=tuple(dict.fromkeys((*before.seen, *gap.seen))),
                ballot=before.ballot or gap.ballot,
            )
    return tuple(found.values())


def why_uncounted(transcript: Transcript) -> dict[str, str]:
    """Why a ballot doesn't count, by its voter."""
    return {gap.by: gap.why for gap in gaps(transcript) if gap.ballot}


def in_sentences(found: Iterable[Gap]) -> tuple[str, ...]:
    """Gaps as they are told, one sentence each; those who gave no answer for the same reason are told together."""
    sentences: dict[tuple[object, ...], list[Gap]] = {}
    for gap in found:
        sentences.setdefault((gap.reason, gap.ballot) if not gap.fields else (gap,), []).append(gap)
    return tuple(same[0].sentence if len(same) == 1 else _together(same) for same in sentences.values())


def _together(same: Sequence[Gap]) -> str:
    names = list(dict.fromkeys(gap.by for gap in same))
    some = names if len(names) <= MOST_MARKS else [*names[:MOST_MARKS], f"{len(names) - MOST_MARKS} more"]
    return f"{listed(some)} gave no {'ballot' if same[0].ballot else 'answer'}: {same[0].why.rstrip('.')}."


def _void_ballots(transcript: Transcript) -> frozenset[str]:
    """The turns with ballots that do not count: as it was decided, and before that as far as it shows."""
    if transcript.decision is None:
        votes = (turn for turn in transcript.all() if turn.act in ("vote", "consent"))
        return frozenset(turn.key for turn in votes if turn.failure or (turn.reply and not turn.fields))
    keys: set[str] = set()
    for ballot in transcript.decision.ballots:
        if ballot.state in ("unread", "missing"):
            own = (turn for turn in reversed(transcript.all()) if _voted_by(ballot, turn) and turn.key not in keys)
            keys.update([turn.key for turn in own if turn_gaps(turn)][:1])
    return frozenset(keys)


def _voted_by(ballot: Ballot, turn: Turn) -> bool:
    return ballot.voter == turn.by or ballot.voter.startswith(f"{turn.by} #")


def _chooses(gap: Gap, turn: Turn) -> bool:
    """Whether what is missing is what its author is for, and not how sure it is of it."""
    names = {field.name for field in turn.ask.form.fields} if turn.ask and turn.ask.form else set[str]()
    chosen = [name for name in ANSWERS if name in names]
    return not gap.fields or not chosen or any(name in gap.fields for name in chosen)


def readable_ballots(decision: Decision | None) -> str:
    """How many ballots could be read (``2 of 3 ballots readable``); "" where all could."""
    states = [ballot.state for ballot in decision.ballots] if decision else []
    unread = states.count("unread")
    return f"{len(states) - unread} of {len(states)} ballots readable" if unread else ""
