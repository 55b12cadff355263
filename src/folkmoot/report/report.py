"""The report of a debate as data: its settings, participants, turns and outcome. ``report.markdown`` renders it.

Everything is read from entries, the protocol as it is stored: ``{"is": "Rounds", "most": 3}``. Words of participants
are those on record.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import TypeAlias, cast

from folkmoot.arguments.argument_map import ArgumentMap, Judgement, argument_map, judge
from folkmoot.arguments.positions import AnswerGiven, Change, ToolUsage, answers_given, explained, tool_usages
from folkmoot.core.brief import DEFAULT_MESSAGES, DEFAULT_ROUNDS, QUOTES, Brief, Duty
from folkmoot.core.decision import Decision, NextStep
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Asked, Called, Entered, Entry, Failed, Halted, Interjected, Opened
from folkmoot.core.labels import choice_in_words, duration, heading_path, title
from folkmoot.core.text import clean, clean_data, counted, listed
from folkmoot.core.transcript import INTERJECTION, Transcript, Turn, fold
from folkmoot.report.conclusion import Board, Conclusion, DecisionView, board, conclusion, decision_view
from folkmoot.report.course import Course, Scores, course, scores
from folkmoot.report.lookups import SearchRun, searches
from folkmoot.report.metrics import Fault, Metrics, Use, faults, measure
from folkmoot.report.turn_text import Spoken, speak
from folkmoot.reviews.review_data import facts_of
from folkmoot.reviews.reviewed import Review, review_of
from folkmoot.reviews.states import RULE


def settings(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Rounds, limits and seed in words; a limit that the brief does not set is left out."""
    openings = [entry.event for entry in entries if isinstance(entry.event, Opened)]
    return tuple(words for opened in openings[:1] for words in _settings_in_words(opened))


def _settings_in_words(opened: Opened) -> Iterator[str]:
    limits = opened.brief.limits
    for limit in list(_greatest_numbers(opened.protocol, "Rounds", "most", DEFAULT_ROUNDS))[:1]:
        yield f"at most {counted(limit, 'round')}"
    if limit := most_messages(opened):
        yield f"at most {counted(limit, 'message')} for each member"
    yield from map(choice_in_words, opened.chosen)
    yield from (f"uses {package} for {listed(package.used_for)}" for package in opened.packages)
    for limit, unit in ((limits.asks, "question"), (limits.tokens, "token")):
        if limit is not None:
            yield f"at most {counted(limit, unit)}"
    if limits.cost is not None:
        yield f"at most ${limits.cost:.2f}"
    if limits.total_seconds is not None:
        yield f"at most {duration(limits.total_seconds)} in all"
    yield f"{duration(limits.turn_seconds)} for an answer"
    if limits.quorum is not None:
        yield f"{counted(limits.quorum, 'answer')} and {duration(limits.grace)} are enough to go on"
    yield f"seed {opened.brief.seed}"


def most_messages(opened: Opened) -> int:
    """The most messages of each member in a board's meeting; 0 where there is none."""
    return next(_greatest_numbers(opened.protocol, "Meeting", "rounds", DEFAULT_MESSAGES), 0)


def _greatest_numbers(part: object, kind: str, name: str, usual: int) -> Iterator[int]:
    """The greatest numbers in phases of a kind within a part of a protocol, from the outermost on."""
    if isinstance(part, Mapping):
        phase = cast("Mapping[str, object]", part)
        if phase.get("is") == kind:
            number = phase.get(name, usual)
            if isinstance(number, int):
                yield number
        part = list(phase.values())
    if isinstance(part, list | tuple):
        for item in cast("Sequence[object]", part):
            yield from _greatest_numbers(item, kind, name, usual)


Data: TypeAlias = bool | int | float | str | list["Data"] | dict[str, "Data"] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A participant: who it is, and what it did and used."""

    name: str
    role: str
    persona: str
    duty: Duty
    seat: str
    weight: float | None
    use: Use
    language: str = ""
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The turns of one phase, with those of the steps within it: interruptions, scores.

    Attributes:
        path: its place in the play.
        title: the place in words.
        turns: what was said, in the order of asking.
        ends: which phases ended early after these turns, and why.
    """

    path: str
    title: str
    turns: tuple[Spoken, ...] = ()
    ends: tuple[Halted, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a report says.

    Attributes:
        debate: the debate's id.
        where: where the record is kept, as the host names it.
        head: the hash of the last entry, "" if it was not given.
        entries: how many entries the record has.
        topic: what was debated.
        protocol: the name of the protocol.
        forked: the debate and the entry from which it was forked (``depot-3f2a1c@17``); "" if it was not.
        options: the closed set of answers, if there was one.
        background: the names of the texts that all were given.
        settings: rounds, limits and seed, in words.
        began: UTC, ISO 8601.
        ended: the same, of the last entry.
        outcome: how it ended, and the decision.
        participants: all participants.
        quoting: those who are no language models but quote the background.
        parts: what was said, phase by phase, in the order of asking.
        stands: each participant's answers over time.
        changes: who changed the answer, and after which turns of whom.
        course: what else changed, and what debaters say of it.
        scores: how debaters were rated.
        board: the outcome of a board; None if the debate was no board.
        arguments: what was claimed, and what the claims do to each other.
        judged: which claims are accepted, and how strong they are.
        searches: how arguments were looked for.
        tools: what was looked up, and where.
        faults: the problems.
        metrics: counts and cost.
        ways: the commands that may decide what nobody won.
        review: the findings, and what came of each; None if the debate was no review.
    """

    debate: str
    where: str
    head: str
    entries: int
    topic: str
    protocol: str
    forked: str
    options: tuple[str, ...]
    background: tuple[str, ...]
    settings: tuple[str, ...]
    began: str
    ended: str
    outcome: Conclusion
    participants: tuple[Person, ...]
    quoting: tuple[str, ...]
    parts: tuple[Part, ...]
    stands: Mapping[str, tuple[AnswerGiven, ...]]
    changes: tuple[Change, ...]
    course: Course
    scores: Scores
    board: Board | None
    arguments: ArgumentMap
    judged: Judgement
    searches: tuple[SearchRun, ...]
    tools: tuple[ToolUsage, ...]
    faults: tuple[Fault, ...]
    metrics: Metrics
    ways: tuple[NextStep, ...] = ()
    review: Review | None = None

    def strength(self, decision: Decision) -> str:
        """How strong its decision is, in a word: a demonstration where none but copies of the built-in agent agree."""
        shown = decision.strength == "unanimous" and set(decision.support) <= set(self.quoting)
        return DEMONSTRATION if shown else decision.strength


DEMONSTRATION = "a demonstration"
"""What stands in the place of "unanimous" where none but the built-in agent voted."""


def report(entries: Sequence[Entry], *, debate: str, where: str = "", head: str = "") -> Report:
    """What a record, complete or not, has to report.

    Args:
        entries: the whole record, from its first entry on.
        debate: its id.
        where: where it is kept, in words for the reader.
        head: the hash of its last line, where the host knows it.

    Raises:
        RecordError: the record does not begin with the opening of a debate.
    """
    entries = clean_data(tuple(entries))  # a record may be older than what is taken out of texts today
    transcript = fold(entries)
    brief = transcript.brief
    if brief is None:
        raise RecordError(f"The record of debate {debate} does not begin with its opening: there is nothing to report.")
    written = _report(entries, transcript, brief, debate)
    return replace(written, where=where, head=head)


def _report(entries: Sequence[Entry], transcript: Transcript, brief: Brief, debate: str) -> Report:
    metrics = measure(entries)
    answers = answers_given(transcript)
    arguments = argument_map(transcript)
    return Report(
        debate=debate,
        where="",
        head="",
        entries=len(entries),
        topic=brief.topic,
        protocol=transcript.protocol,
        forked=next((entry.event.forked for entry in entries if isinstance(entry.event, Opened)), ""),
        options=brief.options,
        background=tuple(source.name for source in brief.background),
        settings=settings(entries),
        began=utc_time(entries[0].at),
        ended=utc_time(entries[-1].at),
        outcome=conclusion(transcript),
        participants=_people(brief, metrics),
        quoting=tuple(participant.name for participant in brief.participants if participant.seat == QUOTES),
        parts=_parts(entries, transcript, brief, arguments),
        stands=answers,
        changes=explained(transcript, answers),
        course=course(transcript),
        scores=scores(transcript),
        board=board(transcript),
        arguments=arguments,
        judged=judge(arguments),
        searches=searches(entries) if any(isinstance(entry.event, Called) for entry in entries) else (),
        tools=tool_usages(entries, transcript),
        faults=faults(entries),
        metrics=metrics,
        review=review_of(brief, transcript) if transcript.protocol == RULE else None,
    )


def as_data(value: object) -> dict[str, object]:
    """A report, or what another reader has read, as plain JSON data under the names of its fields."""
    return cast(dict[str, object], _data(value))


def _data(value: object) -> Data:
    if isinstance(value, Decision) and not isinstance(value, DecisionView):
        return _data(decision_view(value))
    if isinstance(value, Review):
        return _data(facts_of(value))
    if is_dataclass(value):
        return {field.name: _data(cast(object, getattr(value, field.name))) for field in fields(value)}
    if isinstance(value, Mapping):
        return {clean(key): _data(item) for key, item in cast(Mapping[str, object], value).items()}
    if isinstance(value, tuple | list):
        return [_data(item) for item in cast(Sequence[object], value)]
    return clean(value) if isinstance(value, str) else cast(Data, value)


def utc_time(at: float) -> str:
    """A time of an entry as UTC, ISO 8601, to the second."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _people(brief: Brief, metrics: Metrics) -> tuple[Person, ...]:
    return tuple(
        Person(
            name=participant.name,
            role=participant.role,
            persona=participant.persona,
            duty=participant.duty,
            seat=participant.seat,
            weight=participant.weight,
            use=metrics.participants.get(participant.name, Use()),
            language=participant.language,
            tools=participant.tools,
        )
        for participant in brief.participants
    )


def _parts(entries: Sequence[Entry], transcript: Transcript, brief: Brief, arguments: ArgumentMap) -> tuple[Part, ...]:
    """The turns in the order of asking; a new part begins wherever the place changes."""
    kinds = {entry.event.key: entry.event.kind for entry in entries if isinstance(entry.event, Failed)}
    outside = _interjections(transcript)
    marks = _turn_marks(transcript, arguments)
    parts: list[Part] = []
    places: set[str] = set()
    path = ""
    for entry in entries:
        match entry.event:
            case Entered(path=entered) if not parts:
                path = entered
            case Asked(ask=ask):
                places.add(ask.key.rpartition("#")[0])
                path = heading_path(ask.key.rpartition("#")[0], places)
                spoken = speak(transcript.get(ask.key), transcript, brief, kinds.get(ask.key, ""))
                _add_turn(parts, path, replace(spoken, mark=marks.get(spoken.key, "")))
            case Interjected():
                spoken = speak(next(outside), transcript, brief, "")
                _add_turn(parts, path, replace(spoken, mark=marks.get(spoken.key, "")))
            case Halted():
                part = _part(parts, path)
                parts[-1] = replace(part, ends=(*part.ends, entry.event))
            case _:
                pass
    return tuple(parts)


def _add_turn(parts: list[Part], path: str, spoken: Spoken) -> None:
    part = _part(parts, path)
    parts[-1] = replace(part, turns=(*part.turns, spoken))


def _part(parts: list[Part], path: str) -> Part:
    """The last part, which is one of that place."""
    if not parts or parts[-1].path != path:
        parts.append(Part(path=path, title=title(path)))
    return parts[-1]


def _turn_marks(transcript: Transcript, arguments: ArgumentMap) -> dict[str, str]:
    """What turns are called, by their keys, where anybody was shown turns under their marks, or the map is."""
    turns = transcript.all()
    numbered = any(turn.ask.view.numbered for turn in turns if turn.ask)
    return {turn.key: turn.mark for turn in turns} if numbered or arguments.is_worth_showing else {}


def _interjections(transcript: Transcript) -> Iterator[Turn]:
    return (turn for turn in transcript.all() if turn.ask is None and turn.act == INTERJECTION)
