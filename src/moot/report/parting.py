"""Where two debates part. This file owns what it means that two records say the same up to a place.

Times, ids, hashes, tokens and calls say nothing. The answers of one batch are compared in the order of asking, for
their order in the record is that of their latencies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from moot.core.event import (
    Asked,
    Closed,
    Entered,
    Entry,
    Failed,
    Halted,
    Interjected,
    Opened,
    PlayEvent,
    Replied,
    Ruled,
    kind,
)
from moot.core.labels import act_of, ending, noun, title
from moot.core.transcript import Transcript, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a record says in one entry.

    Attributes:
        seq: the entry.
        kind: the kind of its event.
        words: what it says.
        by: who speaks or is asked; "" where nobody is.
        mark: what the turn is called (``T7``); "" where it is no turn.
    """

    seq: int
    kind: str
    words: str
    by: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """How far two debates say the same, and what each says there.

    Attributes:
        same: how many entries say the same, the opening counted.
        answers: how many of them are answers.
        one: what the first debate says then; None where its record ends.
        other: the same of the second one. Both None: the debates say the same throughout.
    """

    same: int
    answers: int
    one: Said | None = None
    other: Said | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fact:
    """What counts of an entry, and the entry in words."""

    meaning: object
    said: Said


def part(one: Sequence[Entry], other: Sequence[Entry], *, akin: bool) -> Parting:
    """Where two records part.

    What the openings set does not count between debates that are akin: a fork parts where it goes another way.

    Args:
        one: a whole record, from its opening on.
        other: another one.
        akin: whether they are forks, or the same people debate the same topic; others part at once, unless an answer
            is the same.
    """
    (first, *ours), (second, *theirs) = list(_facts(one)), list(_facts(other))
    same = next(
        (n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a.meaning != b.meaning),
        min(len(ours), len(theirs)),
    )
    answers = sum(fact.said.kind == "replied" for fact in ours[:same])
    if not akin and not answers:
        return Parting(same=0, answers=0, one=first.said, other=second.said)
    return Parting(same=same + 1, answers=answers, one=_at(ours, same), other=_at(theirs, same))


def _at(facts: Sequence[_Fact], n: int) -> Said | None:
    return facts[n].said if n < len(facts) else None


def _facts(entries: Sequence[Entry]) -> Iterator[_Fact]:
    """What a record says, the opening first; what came of a batch stands behind it, in the order of asking."""
    transcript = Transcript()
    batch: list[tuple[int, _Fact]] = []
    for entry in entries:
        event = entry.event
        transcript.apply(event)
        match event:
            case Replied(key=key) | Failed(key=key):
                turn = transcript.get(key)
                batch.append((turn.number, _Fact(meaning=_meaning(event), said=_answer(entry.seq, event, turn))))
            case Interjected(by=by, text=text):
                turn = transcript.all()[-1]
                said = Said(seq=entry.seq, kind=kind(event), by=by, mark=turn.mark, words=text)
                batch.append((turn.number, _Fact(meaning=(by, text), said=said)))
            case Opened() | Entered() | Asked() | Halted() | Ruled() | Closed():
                yield from (fact for _, fact in sorted(batch, key=lambda pair: pair[0]))
                batch = []
                yield _Fact(meaning=event, said=_said(entry.seq, event, transcript))
            case _:
                pass
    yield from (fact for _, fact in sorted(batch, key=lambda pair: pair[0]))


def _meaning(event: Replied | Failed) -> object:
    if isinstance(event, Failed):
        return event.key, event.kind
    return event.key, event.reply.text, dict(event.reply.fields), event.reply.unread


def _answer(seq: int, event: Replied | Failed, turn: Turn) -> Said:
    words = turn.text if isinstance(event, Replied) else f"no answer: {turn.failure}"
    return Said(seq=seq, kind=kind(event), by=turn.by, mark=turn.mark, words=f"{noun(act_of(turn))}: {words}")


def _said(seq: int, event: PlayEvent, transcript: Transcript) -> Said:
    by = mark = ""
    match event:
        case Opened(brief=brief, name=name):
            words = f"{brief.topic} ({name})"
        case Entered(path=path):
            words = f"{title(path)} begins"
        case Asked(ask=ask):
            turn = transcript.get(ask.key)
            by, mark = turn.by, turn.mark
            shown = ", ".join(transcript.get(key).mark for key in ask.about)
            words = f"asked for: {noun(act_of(ask))}{f' on {shown}' if shown else ''}: {ask.task}"
        case Halted(path=path, reason=reason):
            words = f"{ending(path)} ends early: {reason}"
        case Ruled(decision=decision):
            words = f"{decision.status.replace('_', ' ')}: {decision.winner or decision.how}"
        case _:  # Closed
            words = f"the end, {event.status.replace('_', ' ')}: {event.reason}"
    return Said(seq=seq, kind=kind(event), words=words, by=by, mark=mark)
