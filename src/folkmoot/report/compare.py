"""Comparison of two debates: where their records differ, their settings, and their outcomes.

Times, ids, hashes, tokens and calls are ignored. The answers of one batch are compared in the order of asking, because
their order in the record is that of their latencies.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import cast

from folkmoot.arguments.positions import answers_given, changes
from folkmoot.core.ask import Value, shown
from folkmoot.core.decision import RecordStatus
from folkmoot.core.errors import RecordError
from folkmoot.core.event import (
    KIND,
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
)
from folkmoot.core.labels import (
    DECIDED_BY,
    act_of,
    choice_in_words,
    early_end,
    noun,
    protocol_in_words,
    status_in_words,
    title,
)
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.report.conclusion import conclusion
from folkmoot.report.metrics import Use, measure


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a record says in one entry.

    Attributes:
        seq: the entry.
        kind: the kind of its event.
        words: what it says.
        by: who speaks or is asked; "" if nobody is.
        mark: what the turn is called (``T7``); "" if it is no turn.
    """

    seq: int
    kind: str
    words: str
    by: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """Where two debates diverge: how much is the same, and what each says next.

    Attributes:
        same: how many entries say the same, the opening counted.
        answers: how many of them are answers.
        one: what the first debate says next; None if its record ends.
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


def part(entries: Sequence[Entry], other: Sequence[Entry], *, related: bool) -> Divergence:
    """Where two records diverge.

    For related debates the settings of the opening are ignored: a fork diverges where its course differs.

    Args:
        entries: a whole record, from its opening on.
        other: another one.
        related: whether they are forks, or the same people debate the same topic; others diverge at once, unless an
            answer is the same.
    """
    (first, *ours), (second, *theirs) = list(_facts(entries)), list(_facts(other))
    same = next(
        (n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a.meaning != b.meaning),
        min(len(ours), len(theirs)),
    )
    answers = sum(fact.said.kind == "replied" for fact in ours[:same])
    if not related and not answers:
        return Divergence(same=0, answers=0, one=first.said, other=second.said)
    return Divergence(same=same + 1, answers=answers, one=_said_at(ours, same), other=_said_at(theirs, same))


def _said_at(facts: Sequence[_Fact], n: int) -> Said | None:
    return facts[n].said if n < len(facts) else None


def _facts(entries: Sequence[Entry]) -> Iterator[_Fact]:
    """What a record says, the opening first; the answers of a batch follow it in the order of asking."""
    transcript = Transcript()
    batch: list[tuple[int, _Fact]] = []
    for entry in entries:
        event = entry.event
        transcript.apply(event)
        match event:
            case Replied(key=key) | Failed(key=key):
                turn = transcript.get(key)
                batch.append((turn.number, _Fact(meaning=_meaning(event), said=_answer(entry.seq, event, turn))))
            case Interjected(by=by, text=text, to=to):
                turn = transcript.all()[-1]
                line = Said(seq=entry.seq, kind=KIND[type(event)], by=by, mark=turn.mark, words=text)
                batch.append((turn.number, _Fact(meaning=(by, text, to), said=line)))
            case Opened() | Entered() | Asked() | Halted() | Ruled() | Closed():
                yield from (fact for _, fact in sorted(batch, key=lambda pair: pair[0]))
                batch = []
                yield _Fact(meaning=event, said=_said_in(entry.seq, event, transcript))
            case _:
                pass
    yield from (fact for _, fact in sorted(batch, key=lambda pair: pair[0]))


def _meaning(event: Replied | Failed) -> object:
    if isinstance(event, Failed):
        return event.key, event.kind
    return event.key, event.reply.text, dict(event.reply.fields), event.reply.unread


def _answer(seq: int, event: Replied | Failed, turn: Turn) -> Said:
    words = turn.text if isinstance(event, Replied) else f"no answer: {turn.failure}"
    return Said(seq=seq, kind=KIND[type(event)], by=turn.by, mark=turn.mark, words=f"{noun(act_of(turn))}: {words}")


def _said_in(seq: int, event: PlayEvent, transcript: Transcript) -> Said:
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
            words = f"{early_end(path)}: {reason}"
        case Ruled(decision=decision):
            words = f"{status_in_words(decision.status)}: {decision.winner or decision.how}"
        case _:  # Closed
            words = f"the end, {status_in_words(event.status)}: {event.reason}"
    return Said(seq=seq, kind=KIND[type(event)], words=words, by=by, mark=mark)


_ANSWERS = ("draft", "propose", "revise", "open", "argue", "close")
"""The acts whose last turn is a participant's answer where no field says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One participant of one debate.

    Attributes:
        name: who.
        seat: who answered for it in the end.
        answer: its final answer: in its field ANSWER or POSITION, else in its last words on the matter.
        flips: how often its answer changed; answers in fields are compared by wording.
        vote: what it voted for; "" if it cast no ballot.
    """

    name: str
    seat: str
    answer: str = ""
    flips: int = 0
    vote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One debate of a comparison.

    Attributes:
        debate: its id.
        topic: what was debated.
        protocol: its name.
        forked: where it was forked from another one (``depot-3f2a1c@17``); "" if it was not.
        status: how it ended.
        line: the same in one line.
        winner: the chosen candidate; "" if there is none.
        text: the decision in words.
        strength: the winner's share in a word.
        share: the winner's share of the ballots cast, 0 to 1.
        tally: votes by candidate.
        rounds: how many rounds there were.
        answers: how many questions were answered.
        entries: how many entries the record has.
        people: the participants.
        use: what it used and what failed.
        seconds: from the first entry to the last, pauses left out.
    """

    debate: str
    topic: str
    protocol: str
    forked: str
    status: RecordStatus
    line: str
    winner: str
    text: str
    strength: str
    share: float
    tally: Mapping[str, float]
    rounds: int
    answers: int
    entries: int
    people: tuple[Standing, ...]
    use: Use
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A setting that differs: its name, and its value in each debate; "" if it is not set."""

    what: str
    one: str
    other: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two debates side by side: where they diverge, how their settings differ, and both outcomes."""

    parting: Divergence
    settings: tuple[Difference, ...]
    one: Side
    other: Side


def compare(entries: Sequence[Entry], other: Sequence[Entry], *, names: tuple[str, str]) -> Comparison:
    """Compare two debates, complete or not, related or not.

    Args:
        entries: the whole record of one.
        other: that of the other.
        names: their ids.

    Raises:
        RecordError: a record does not begin with the opening of a debate.
    """
    first, second = _opening(entries, names[0]), _opening(other, names[1])
    return Comparison(
        parting=part(entries, other, related=_same_matter(first, second) or _are_related(first, second, names)),
        settings=tuple(_differences(first, second)),
        one=_side(entries, names[0]),
        other=_side(other, names[1]),
    )


def _opening(entries: Sequence[Entry], debate: str) -> Opened:
    for entry in entries[:1]:
        if isinstance(entry.event, Opened):
            return entry.event
    raise RecordError(f"The record of debate {debate} does not begin with its opening: there is nothing to compare.")


def _same_matter(first: Opened, other: Opened) -> bool:
    """Whether the same people debate the same topic."""
    ours, theirs = ([participant.name for participant in opened.brief.participants] for opened in (first, other))
    return first.brief.topic == other.brief.topic and ours == theirs


def _are_related(first: Opened, other: Opened, names: tuple[str, str]) -> bool:
    """Whether one was forked from the other, or both from the same debate."""
    ours, theirs = (
        {name, opened.forked.rpartition("@")[0]} - {""} for opened, name in ((first, names[0]), (other, names[1]))
    )
    return bool(ours & theirs)


def _side(entries: Sequence[Entry], debate: str) -> Side:
    opened, transcript, metrics = _opening(entries, debate), fold(entries), measure(entries)
    outcome = conclusion(transcript)
    decision = outcome.decision
    return Side(
        debate=debate,
        topic=opened.brief.topic,
        protocol=opened.name,
        forked=opened.forked,
        status=outcome.status,
        line=outcome.line,
        winner=decision.winner if decision else "",
        text=decision.text if decision else "",
        strength=decision.strength if decision else "",
        share=decision.share if decision else 0.0,
        tally=decision.tally if decision else {},
        rounds=max((turn.round for turn in transcript.turns()), default=0),
        answers=metrics.total.answers,
        entries=len(entries),
        people=tuple(_people(opened, transcript)),
        use=metrics.total,
        seconds=metrics.seconds,
    )


def _people(opened: Opened, transcript: Transcript) -> Iterator[Standing]:
    answers = answers_given(transcript)
    flips = [change.by for change in changes(answers)]
    ballots = transcript.decision.ballots if transcript.decision else ()
    votes = {ballot.voter: ballot.choice or ballot.state for ballot in ballots}
    for participant in opened.brief.participants:
        last = transcript.last(participant.name, *_ANSWERS)
        yield Standing(
            name=participant.name,
            seat=participant.seat,
            answer=answers[participant.name][-1].answer if participant.name in answers else _words(last),
            flips=flips.count(participant.name),
            vote=votes.get(participant.name, ""),
        )


def _words(turn: Turn | None) -> str:
    return turn.text if turn else ""


# ---- settings --------------------------------------------------------------------------------------------------


def _differences(first: Opened, other: Opened) -> Iterator[Difference]:
    ours, theirs = ([participant.name for participant in opened.brief.participants] for opened in (first, other))
    both = [name for name in ours if name in theirs]
    # The trees of two protocols have nothing to set side by side.
    trees = first.name == other.name
    a, b = dict(_opening_facts(first, both, tree=trees)), dict(_opening_facts(other, both, tree=trees))
    for subject in dict.fromkeys((*a, *b)):
        if a.get(subject, "") != b.get(subject, ""):
            yield Difference(what=subject, one=a.get(subject, ""), other=b.get(subject, ""))


def _opening_facts(opened: Opened, people: Collection[str], *, tree: bool) -> Iterator[tuple[str, str]]:
    """Everything that an opening sets, by what it is called, in words."""
    brief = opened.brief
    yield "topic", brief.topic
    yield "protocol", protocol_in_words(opened.name)
    yield "participants", ", ".join(participant.name for participant in brief.participants)
    for participant in brief.participants:
        if participant.name in people:
            yield from (
                (f"{participant.name}: model" if heading == f"{participant.name}: seat" else heading, words)
                for heading, words in _flat_parts(participant, participant.name)
                if heading != f"{participant.name}: name"
            )
    for subject, sources in (("background", brief.background), ("library", brief.library)):
        yield subject, ", ".join(source.name for source in sources)
        yield from (
            (f"{subject}: {source.name}", source.file.sha256 if source.file else source.text) for source in sources
        )
    yield "rules", brief.rules
    yield "options", ", ".join(brief.options)
    yield from _flat_parts(brief.limits, "limits")
    yield "seed", str(brief.seed)
    chosen = [choice_in_words(words) for words in opened.chosen]
    rules = "; ".join(words.removeprefix(DECIDED_BY) for words in chosen if words.startswith(DECIDED_BY))
    yield "decided by", rules or "the rule of its protocol"
    yield "chosen", "; ".join(words for words in chosen if not words.startswith(DECIDED_BY))
    if tree:
        yield from _flat_parts(opened.protocol, "protocol")


def _flat_parts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """A value as its smallest parts, each with its place in words."""
    if is_dataclass(value):
        for field in fields(value):
            yield from _flat_parts(cast(object, getattr(value, field.name)), f"{path}: {field.name}")
    elif isinstance(value, Mapping):
        for key, inner in cast(Mapping[str, object], value).items():
            yield from _flat_parts(inner, f"{path}: {key}")
    elif isinstance(value, list | tuple):
        items = cast(Sequence[object], value)
        if all(isinstance(item, str) for item in items):
            yield path, "; ".join(cast(Sequence[str], items))
        else:
            for n, item in enumerate(items, start=1):
                yield from _flat_parts(item, f"{path} {n}")
    else:
        yield path, "" if value is None else shown(cast(Value, value))
