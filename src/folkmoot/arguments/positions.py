"""Positions over time: who gave which answer in which turn, what changed it, and which sources turns cite.

Answers are compared by their wording, as counting rules compare them (``core.transcript``).

A quotation of the background is written ``"words" (name:line)``. It is verified if the document of that name contains
the words, apart from blanks. A source that a tool returned counts as cited if the turn names it; that a tool returned
it does not mean that a turn relies on it. Tool arguments are in the model's call before the call of the tool.

The cause of a changed answer is **stated** if its author points at it: by marks in the reason, by a reason that
contains words of exactly one turn, by accepted critiques, or by the turn that is answered. It is **likely** if an
accepted critique or the reason shares words with a turn, and somebody gave the new answer before. Otherwise nobody is
credited.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Literal, TypeAlias

from folkmoot.core.ask import ToolCall, shown
from folkmoot.core.brief import Brief, Source
from folkmoot.core.event import TOOL, Called, Entry
from folkmoot.core.text import letter, terms
from folkmoot.core.transcript import Transcript, Turn, normalise, read_field

_ANSWERS = ("ANSWER", "POSITION")
_REASONS = ("BECAUSE", "REASON")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven:
    """What one participant answered in one turn: the turn, the answer, and the reason given for a change."""

    by: str
    key: str
    mark: str
    answer: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A participant's answer that is not the one before: which turn, from what, to what, and why.

    Attributes:
        by: the participant.
        key: the name of the turn in the record.
        mark: its mark.
        before: the answer before.
        after: the answer since.
        because: the reason that the participant gave; empty if there is none.
        causes: the marks of the turns that the participant names as the cause; empty if there are none, or if nobody
            has looked for them.
        to: the authors of those turns, each once.
    """

    by: str
    key: str
    mark: str
    before: str
    after: str
    because: str = ""
    causes: tuple[str, ...] = ()
    to: tuple[str, ...] = ()


def answers_given(transcript: Transcript) -> dict[str, tuple[AnswerGiven, ...]]:
    """The answers of each participant in their fields ANSWER or POSITION, oldest first."""
    answers: dict[str, tuple[AnswerGiven, ...]] = {}
    for turn in transcript.turns():
        if answer := _read(turn, _ANSWERS):
            answers[turn.by] = (
                *answers.get(turn.by, ()),
                AnswerGiven(by=turn.by, key=turn.key, mark=turn.mark, answer=answer, because=_read(turn, _REASONS)),
            )
    return answers


def answer_shifts(answers: Sequence[AnswerGiven]) -> Iterator[tuple[AnswerGiven, AnswerGiven]]:
    """Each pair of consecutive answers of one participant that differ."""
    return ((old, new) for old, new in pairwise(answers) if not alike(old.answer, new.answer))


def changes(answers_by_name: Mapping[str, Sequence[AnswerGiven]]) -> tuple[Change, ...]:
    """Who changed the answer, where, and why."""
    return tuple(
        Change(by=by, key=new.key, mark=new.mark, before=old.answer, after=new.answer, because=new.because)
        for by, answers in answers_by_name.items()
        for old, new in answer_shifts(answers)
    )


def alike(text: str, other: str) -> bool:
    """Whether two answers are the same."""
    return text == other or bare(text) == bare(other)


@lru_cache(maxsize=2048)  # a map or a memo compares each claim with each other one
def bare(answer: str) -> str:
    """An answer, or a claim, as it is compared."""
    return normalise(answer)


def _read(turn: Turn, names: tuple[str, ...]) -> str:
    for name in names:
        if (value := read_field(turn, name)) is not None:
            return shown(value)
    return ""


_FAULT = re.compile(r"The tool (?:was not used|gave no result)|There is no tool ")
"""How a result begins that is none. A use that found sources has a result, whatever its words are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUsage:
    """One use of a tool.

    Attributes:
        key: the ask during which it was used.
        mark: the mark of that turn: ``T3``.
        by: who used it.
        tool: its name.
        arguments: what it was given, as JSON text; "" if the record does not say.
        sources: where the result comes from.
        seconds: how long it took.
        fault: why there is no result; "" if there is one.
    """

    key: str
    mark: str
    by: str
    tool: str
    arguments: str = ""
    sources: tuple[str, ...] = ()
    seconds: float = 0.0
    fault: str = ""


def tool_usages(entries: Iterable[Entry], transcript: Transcript) -> tuple[ToolUsage, ...]:
    """All uses of tools, turn by turn in the order of asking."""
    calls_by_key: dict[str, list[ToolCall]] = {}
    usages: dict[str, list[ToolUsage]] = {}
    for entry in entries:
        event = entry.event
        if not isinstance(event, Called):
            continue
        if event.model.startswith(TOOL):
            usages.setdefault(event.key, []).append(_tool_usage(event, calls_by_key.get(event.key, []), transcript))
        elif event.tools:
            calls_by_key[event.key] = list(event.tools)
    return tuple(use for turn in transcript.all() for use in usages.get(turn.key, []))


def _tool_usage(event: Called, calls: list[ToolCall], transcript: Transcript) -> ToolUsage:
    """A use; tools are used in the order in which the model asked for them."""
    turn = transcript.get(event.key)
    failed = not event.sources and _FAULT.match(event.text)
    return ToolUsage(
        key=event.key,
        mark=turn.mark,
        by=turn.by,
        tool=event.model.removeprefix(TOOL),
        arguments=calls.pop(0).arguments if calls else "",
        sources=event.sources,
        seconds=event.seconds,
        fault=event.text if failed else "",
    )


QUOTED = re.compile(r"[\"“«]([^\"“”«»\n]{1,2000})[\"”»] \(([^\n]{1,200}?):(\d{1,7})\)")
"""A quotation with its source: ``"words" (name:line)``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source that a turn cites.

    Attributes:
        key: of the turn.
        mark: its mark.
        by: who cites.
        source: the name of the document, or the address that a tool gave.
        words: the words that were quoted; "" if only the name stands in the turn.
        found: whether the source holds those words; True for a source that a tool gave in that turn.
    """

    key: str
    mark: str
    by: str
    source: str
    words: str = ""
    found: bool = True


def citations(entries: Sequence[Entry], transcript: Transcript) -> tuple[Citation, ...]:
    """All citations, turn by turn in the order of asking."""
    texts = documents(transcript.brief)
    sources_by_turn: dict[str, dict[str, None]] = {}
    for use in tool_usages(entries, transcript):
        sources_by_turn.setdefault(use.key, {}).update(dict.fromkeys(use.sources))
    return tuple(
        citation
        for turn in transcript.turns()
        for citation in _citations_in(turn, texts, sources_by_turn.get(turn.key, {}))
    )


def documents(brief: Brief | None) -> dict[str, str]:
    """The texts that the brief gives to all, and those that a tool searches, by their names, blanks squeezed."""
    sources: tuple[Source, ...] = (*brief.background, *brief.library) if brief else ()
    return {source.name: _single_spaced(source.text) for source in sources}


def quotations(text: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str, bool]]:
    """What a text quotes: the document's name, the words, and whether that document contains them."""
    for words, name, _ in QUOTED.findall(text):
        if name in texts:
            yield name, words, _single_spaced(words) in texts[name]


def full_text(turn: Turn) -> str:
    """Everything that a turn says: its words, and its fields if those are other words."""
    return "\n".join(dict.fromkeys((turn.text, *(shown(value) for value in turn.fields.values()))))


def _citations_in(turn: Turn, texts: Mapping[str, str], sources: Mapping[str, None]) -> Iterator[Citation]:
    if not texts and not sources:
        return
    words_of_turn = full_text(turn)
    for name, words, item in dict.fromkeys(quotations(words_of_turn, texts)):
        yield Citation(key=turn.key, mark=turn.mark, by=turn.by, source=name, words=words, found=item)
    for source in sources:
        if source in words_of_turn:
            yield Citation(key=turn.key, mark=turn.mark, by=turn.by, source=source)


def _single_spaced(text: str) -> str:
    return " ".join(text.split())


How: TypeAlias = Literal["named", "quoted", "accepted", "answered", "echoed", "taken"]
"""How a turn is found to be a cause, the surest first."""

STATED: Sequence[How] = ("named", "quoted", "accepted", "answered")
"""Those that the author of a change points at."""

ACCEPTS = "ACCEPTS"
"""The field in which an author lists the critiques that it accepts."""

REJECTS = "REJECTS"
"""The field in which it lists those that it rejects."""

ISSUE = "ISSUE"
"""The field with the point of a critique."""

SHARED = 2
"""So many words of a text must stand in a critique to be an echo of it."""

_LEAST = 4
"""A reason of fewer words stands in a turn by chance."""

MARK = re.compile(r"\bT[1-9][0-9]{0,8}\b")
"""A turn as others call it."""

_LABEL = re.compile(
    r"[\s*_(\[]*(?:critique\s+([a-z]{1,2}|t\d+)\b|([a-z]{1,2}|t\d+)(?=[*_)\]]*(?:[:.,;)\]]|\s+[-–—]\s|\s*$)))",
    re.IGNORECASE,
)
"""How a critique is named: ``Critique A …``, ``A: …``, ``**T7** – …``; not ``A budget is …``, not ``A-rated``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A turn of another participant that changed an answer, and how that is known."""

    turn: Turn
    how: How


def causes(transcript: Transcript, change: Change, answers: Mapping[str, Sequence[AnswerGiven]]) -> tuple[Cause, ...]:
    """All that can have changed an answer, in the order of How; a turn is listed for each way it is found.

    Args:
        transcript: of the debate.
        change: the changed answer.
        answers: the answers of those who can have moved somebody by holding the new answer first.
    """
    turn = transcript.get(change.key)
    turns_by_how: Mapping[How, Sequence[Turn]] = {
        **_turns_in_reason(transcript, turn, change.because),
        "answered": [item for item in [transcript.target(turn)] if item],
        **_accepted_critiques(transcript, turn, change.because),
        "taken": list(_earlier_holders(transcript, turn, change.after, answers)),
    }
    order: Sequence[How] = (*STATED, "echoed", "taken")
    return tuple(Cause(turn=turn, how=how) for how in order for turn in turns_by_how[how] if turn.by != change.by)


def stated(candidates: Sequence[Cause]) -> tuple[Turn, ...]:
    """The turns that the author points at in the surest way; () if it points at none."""
    best = next((cause.how for cause in candidates if cause.how in STATED), None)
    return tuple(cause.turn for cause in candidates if cause.how == best)


def explained(transcript: Transcript, answers_by_name: Mapping[str, Sequence[AnswerGiven]]) -> tuple[Change, ...]:
    """Who changed the answer, where, and why: in its author's words, and after which turns of whom."""
    found: list[Change] = []
    for change in changes(answers_by_name):
        named = stated(causes(transcript, change, {}))
        marks, authors = tuple(turn.mark for turn in named), tuple(dict.fromkeys(turn.by for turn in named))
        found.append(replace(change, causes=marks, to=authors))
    return tuple(found)


def answered_critiques(transcript: Transcript) -> tuple[str, ...]:
    """The marks of the critiques that an author accepts or rejects by their letter or mark, each once."""
    marks: list[str] = []
    for turn in transcript.turns():
        values = [value for name in (ACCEPTS, REJECTS) if isinstance(value := read_field(turn, name), tuple)]
        labels = [_label(text) for texts in values for text in texts]
        laid = _shown_critiques(transcript, turn) if labels else []
        marks += [turn.mark for n, turn in enumerate(laid) if letter(n) in labels or turn.mark in labels]
    return tuple(dict.fromkeys(marks))


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCritique:
    """A critique that the criticised author read and that changed nothing.

    Attributes:
        critique: the turn that criticises.
        turn: the turn in which the author answered again.
        rejected: whether the author rejected it by its letter or mark.
        because: the words with which it was rejected, the label included; "" where it was passed over.
    """

    critique: Turn
    turn: Turn
    rejected: bool
    because: str = ""


def failed_critiques(
    transcript: Transcript, answers: Mapping[str, Sequence[AnswerGiven]]
) -> tuple[FailedCritique, ...]:
    """The critiques that failed: their author rejected them, or passed over them and kept its answer.

    Args:
        transcript: of a debate.
        answers: the answers of each debater.
    """
    changed = {change.key for change in changes(answers)}
    return tuple(
        critique for turn in transcript.turns() for critique in _failed_critiques_of(transcript, turn, changed)
    )


def _failed_critiques_of(transcript: Transcript, turn: Turn, changed: Set[str]) -> Iterator[FailedCritique]:
    laid = _shown_critiques(transcript, turn)
    heeded = [item for turns in _accepted_critiques(transcript, turn, "").values() for item in turns] if laid else []
    rejects = read_field(turn, REJECTS) if laid else None
    words = {_label(text): text for text in rejects} if isinstance(rejects, tuple) else {}
    for n, critique in enumerate(laid):
        label = next((label for label in (letter(n), critique.mark) if label in words), "")
        passed_over = turn.key not in changed and critique not in heeded
        if critique.by != turn.by and (label or passed_over):
            yield FailedCritique(
                critique=critique, turn=turn, rejected=bool(label), because=words.get(label, "") if label else ""
            )


def _shown_critiques(transcript: Transcript, turn: Turn) -> list[Turn]:
    """The critiques that a turn was asked about."""
    return [item for item in map(transcript.get, turn.about) if item.act == "critique" and item.reply]


def _turns_in_reason(transcript: Transcript, turn: Turn, because: str) -> Mapping[How, Sequence[Turn]]:
    """The turns whose marks are in the reason, and the one that contains the reason word for word."""
    others = [item for item in transcript.turns() if item.number < turn.number and item.by != turn.by]
    marks, reason = MARK.findall(because), bare(because)
    long = len(reason.split()) >= _LEAST
    holding = [other for other in others if reason in bare(full_text(other))] if long else []
    named = [other for other in others if other.mark in marks]
    return {"named": named, "quoted": holding if len(holding) == 1 else []}


def _accepted_critiques(transcript: Transcript, turn: Turn, because: str) -> Mapping[How, Sequence[Turn]]:
    """The critiques that a turn was asked about and accepts by name, and those whose words it repeats."""
    laid = _shown_critiques(transcript, turn)
    accepted = _accepted(turn)
    labels = [_label(text) for text in accepted] if accepted is not None else [""]
    accepted = [because] if accepted is None else accepted
    echoes = [text for text, label in zip(accepted, labels, strict=True) if not label]
    return {
        "accepted": [value for n, value in enumerate(laid) if letter(n) in labels or value.mark in labels],
        "echoed": [turn for turn in laid if any(_shares(text, turn) for text in echoes)],
    }


def _earlier_holders(
    transcript: Transcript, turn: Turn, answer: str, answers: Mapping[str, Sequence[AnswerGiven]]
) -> Iterator[Turn]:
    """The turns that gave an answer before that turn."""
    for stood in answers.values():
        for stand in stood:
            if alike(stand.answer, answer) and (earlier := transcript.get(stand.key)).number < turn.number:
                yield earlier


def _label(text: str) -> str:
    """The letter or the mark of a critique with which a text begins; "" for none."""
    match = _LABEL.match(text)
    return (match[1] or match[2]).upper() if match else ""


def _shares(text: str, critique: Turn) -> bool:
    return len(set(terms(text)).intersection(terms(criticised_point(critique)))) >= SHARED


def criticised_point(critique: Turn) -> str:
    """What a critique criticises: its ISSUE, else its words."""
    return str(read_field(critique, ISSUE) or critique.text)


def _accepted(turn: Turn) -> Sequence[str] | None:
    """What a turn lists as accepted; None if its form does not ask for that."""
    value = read_field(turn, ACCEPTS)
    if value is not None:
        return value if isinstance(value, tuple) else ()
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return () if any(field.name.upper() == ACCEPTS for field in fields) else None
