"""The state of a debate as the answer of a model: text, usage, and what was missing, said and never silent."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, cast

from folkmoot.app.brief.presets import Preset
from folkmoot.app.endpoint.answer_shape import AnswerShape, calls_in, fills
from folkmoot.app.endpoint.chat_request import ChatRequest
from folkmoot.app.plan.checks import LEFT_OUT
from folkmoot.app.serve.visibility import visible_entries
from folkmoot.core.ask import ToolCall, Usage
from folkmoot.core.brief import Brief, Participant, is_person
from folkmoot.core.decision import Minority, OutcomeStatus
from folkmoot.core.event import Called, Entry, Opened
from folkmoot.core.roles import FINAL, final_turn
from folkmoot.core.text import clip, counted, flat, listed, percent
from folkmoot.core.transcript import Transcript, Turn, fold
from folkmoot.report.conclusion import OutcomeView, cautions, outcome_view
from folkmoot.report.gaps import gaps, in_sentences, readable_ballots, turn_gaps

CHARACTERS = 4
"""Characters of a token, by which the final answer is cut."""

LEAST_ANSWERS = 2
"""Fewer participants who answer are no debate, so nothing is decided."""

AnswerStatus: TypeAlias = Literal[OutcomeStatus, "limit", "running", "waiting"]
"""How a debate stands for whoever waits for its answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateState:
    """A debate as the endpoint sees it.

    Attributes:
        debate: its id.
        entries: its record; empty while its participants are generated, or where that failed.
        transcript: the record, folded.
        runs: whether it runs now.
        error: why its last run ended with an error; "" where it did not.
    """

    debate: str
    entries: Sequence[Entry]
    transcript: Transcript
    runs: bool
    error: str = ""

    @property
    def outcome(self) -> OutcomeView:
        """How it stands by its record."""
        return outcome_view(self.transcript)

    @property
    def shown(self) -> Transcript:
        """What may be told of it: while a person is waited for, nothing of what others said at the same time."""
        shown = visible_entries(self.entries, "")
        return self.transcript if shown is self.entries else fold(shown)

    @property
    def answered(self) -> tuple[Participant, ...]:
        """The debaters and jurors of whom there is an answer."""
        return tuple(
            participant
            for participant in _speakers(self.transcript.brief)
            if any(turn.reply for turn in self.turns(participant.name))
        )

    @property
    def paid(self) -> bool:
        """Whether a call has ended with an answer, which may have cost money."""
        return self.transcript.calls > 0

    def turns(self, name: str) -> tuple[Turn, ...]:
        """What a participant was asked."""
        return tuple(turn for turn in self.transcript.all() if turn.ask and turn.by == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """What a model name answers.

    Attributes:
        status: how the debate stands.
        text: the content; "" where there are calls or a refusal instead.
        finish: why it ends, in OpenAI's words.
        refusal: why there is no answer at all; "" where there is one.
        usage: the sum of all calls.
        degraded: what was missing, a sentence each.
        facts: the field ``folkmoot``.
        calls: the calls of the caller's tools.
    """

    status: AnswerStatus
    text: str
    finish: Literal["stop", "length", "content_filter", "tool_calls"]
    refusal: str = ""
    usage: Usage = Usage()
    degraded: tuple[str, ...] = ()
    facts: Mapping[str, object] = field(default_factory=dict[str, object])
    calls: tuple[ToolCall, ...] = ()


def chat_answer(state: DebateState, request: ChatRequest, preset: Preset) -> ChatAnswer:
    """The answer of a debate as it stands now."""
    status, degraded = _status(state), tuple(_degradations(state))
    answer = ChatAnswer(
        status=status,
        text=_words(state, status),
        finish="length" if status == "limit" else "stop",
        usage=state.transcript.usage,
        degraded=degraded,
        facts=_facts(state, status, degraded, request),
    )
    if status == "failed":
        return replace(answer, finish="content_filter" if _all_refused(state) else "stop", refusal=answer.text)
    if request.shape and (shaped := _in_shape(answer, state, request, request.shape)):
        return shaped
    if status == "decided":
        words, cut = _shorten("\n\n".join([answer.text, *(_memo(state) if preset.answer == "memo" else ())]), request)
        answer = replace(answer, text=words, finish="length" if cut else "stop")
    elif _all_refused(state):
        answer = replace(answer, finish="content_filter")
    notices = [f"Folkmoot: {' '.join(degraded)}"] if degraded and request.notices == "text" else []
    return replace(answer, text="\n\n".join([answer.text, *notices]))


def _in_shape(answer: ChatAnswer, state: DebateState, request: ChatRequest, shape: AnswerShape) -> ChatAnswer | None:
    """The answer in a shape; where there is none, a refusal, or None where the caller takes words too."""
    free = shape.kind == "tools" and not shape.forced
    if answer.status != "decided":
        return None if free else replace(answer, text="", refusal=_capital(answer.text.removeprefix("Folkmoot: ")))
    decision, turn = state.outcome.decision, final_turn(state.transcript)
    value = fills(shape, request.options, decision.winner if decision else "") if turn is None else None
    value = str(turn.fields[FINAL]) if turn and FINAL in turn.fields else value
    if value is None:
        if free and state.outcome.answer:
            return None
        problem = _why_no_answer(turn) if turn else "nobody has written it"
        return replace(answer, text="", refusal=f"There is a decision, but no answer in that shape: {problem}.")
    text, calls = calls_in(shape, value, state.debate)
    return replace(answer, text=text, calls=calls, finish="tool_calls" if calls else "stop")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _why_no_answer(turn: Turn) -> str:
    """Why there is no final answer in a turn."""
    return _sentence("; ".join(gap.why for gap in turn_gaps(turn)))


def _speakers(brief: Brief | None) -> tuple[Participant, ...]:
    return (
        tuple(participant for participant in brief.participants if participant.duty in ("debater", "juror"))
        if brief
        else ()
    )


def _status(state: DebateState) -> AnswerStatus:
    outcome, turn = state.outcome, final_turn(state.transcript)
    if outcome.over and turn and outcome.decision is None:  # nothing was debated: that turn alone is the answer
        return "decided" if turn.reply else "failed"
    if not outcome.over:
        if state.runs:
            return "waiting" if _waits_for_people(state) else "running"
        if outcome.kind == "limit":
            return "limit"
        if outcome.kind == "waiting":
            return "waiting"
        return "paused" if state.answered and not state.error else "failed"
    if outcome.status == "decided" and len(state.answered) < min(LEAST_ANSWERS, len(_speakers(state.transcript.brief))):
        return "no_decision"
    return cast("AnswerStatus", outcome.status)


def _waits_for_people(state: DebateState) -> bool:
    """Whether only people have to answer."""
    people = {participant.name for participant in _speakers(state.transcript.brief) if is_person(participant)}
    open_turns = [turn for turn in state.transcript.all() if turn.ask and not state.transcript.answered(turn.key)]
    return bool(open_turns) and all(turn.by in people for turn in open_turns)


def _words(state: DebateState, status: AnswerStatus) -> str:
    """What the answer says, without notices."""
    outcome, debate = state.outcome, state.debate
    match status:
        case "decided":
            turn = final_turn(state.transcript)
            return turn.text if turn and turn.reply and not turn.reply.unread else outcome.answer
        case "tie" | "no_decision":
            return "\n".join([f"Folkmoot: no decision: {_why_undecided(state)}.", *_final_answers(state)])
        case "limit":
            return "\n".join(
                [f"Folkmoot: a limit ended the debate: {_sentence(outcome.reason)}.", *_final_answers(state)]
            )
        case "running":
            return f"Folkmoot: still debating ({debate}). It continues. Its page and its record will have the decision."
        case "waiting":
            names = listed(list(dict.fromkeys(turn.by for turn in _open(state)))) or "a person"
            return f"Folkmoot: still debating ({debate}). It waits for an answer in person: {names}."
        case "paused":
            return "\n".join([f"Folkmoot: the debate is paused: {_sentence(outcome.reason)}.", *_final_answers(state)])
        case "failed":
            turn = final_turn(state.transcript)
            reason = state.error or (turn.failure if turn else outcome.reason)
            return f"Folkmoot: no answer. {_sentence(reason) or 'Nobody answered'}."


def _open(state: DebateState) -> list[Turn]:
    return [turn for turn in state.transcript.all() if turn.ask and not state.transcript.answered(turn.key)]


def _why_undecided(state: DebateState) -> str:
    people, speakers = state.answered, _speakers(state.transcript.brief)
    if len(people) < min(LEAST_ANSWERS, len(speakers)):
        speakers_in_words = f"only {people[0].name} of {len(speakers)} answered" if people else "nobody answered"
        return f"{speakers_in_words}, which is no debate"
    decision = state.outcome.decision
    return _sentence(decision.how if decision and decision.how else state.outcome.reason)


def _final_answers(state: DebateState) -> Iterator[str]:
    """The answers that stand, with those who gave them; nothing is chosen among them."""
    decision = state.outcome.decision
    if decision:
        rows = decision.answers or decision.minority
        first = [Minority(answer=decision.winner, by=decision.support, share=decision.share)] if decision.winner else []
        yield from (_answer_line(state, row) for row in (*first, *rows))


def _answer_line(state: DebateState, row: Minority) -> str:
    """An answer with those who gave it, and its words where it has only the name of its author."""
    authors = {speaker.name for speaker in _speakers(state.transcript.brief)}
    by = "" if row.by == (row.answer,) and row.answer in authors else f" ({listed(list(row.by)) or 'nobody'})"
    words = f": {_line(row.argument)}" if row.answer in authors and row.argument else ""
    return f"- {_line(row.answer)}{by}{words}"


def _memo(state: DebateState) -> Iterator[str]:
    """Strength, dissent and other answers, in words."""
    decision = state.outcome.decision
    if decision is None:
        return
    yield f"Strength: {decision.strength}; {percent(decision.share)} of the votes ({decision.rule})."
    if decision.argument:
        yield f"Because: {decision.argument}"
    others = [_answer_line(state, row) for row in decision.minority]
    if others:
        yield "\n".join(["Other answers:", *others])
    if decision.dissent:
        yield "\n".join(["Dissent:", *(f"- {_line(text)}" for text in decision.dissent)])


def _shorten(words: str, request: ChatRequest) -> tuple[str, bool]:
    """The answer before the first text at which it ends, and no longer than it may be; whether the length cut it."""
    ends = [start for text in request.stop if (start := words.find(text)) >= 0]
    words = words[: min(ends)].rstrip() if ends else words
    limit = None if request.most_tokens is None else request.most_tokens * CHARACTERS
    if limit is None or len(words) <= limit:
        return words, False
    cut = words[: limit + 1]
    return (cut.rsplit(None, 1)[0] if " " in cut.strip() else cut[:limit]), True


# ---- what was missing ------------------------------------------------------------------------------------------------


def _degradations(state: DebateState) -> Iterator[str]:
    """What makes the answer less than was asked for, one sentence each."""
    for entry in state.entries[:1]:
        chosen = entry.event.chosen if isinstance(entry.event, Opened) else ()
        yield from (f"{_sentence(words)}." for words in chosen if LEFT_OUT in words)
    speakers = _speakers(state.transcript.brief)
    silent = [
        participant
        for participant in speakers
        if (turns := state.turns(participant.name)) and all(turn.failure for turn in turns)
    ]
    if silent:
        yield f"{len(silent)} of {counted(len(speakers), 'seat')} did not answer."
    if uncounted := readable_ballots(state.transcript.decision):
        yield f"{uncounted}."
    names = [participant.name for participant in speakers]
    told = (gap for gap in gaps(state.shown) if gap.by in names and (gap.ballot or not gap.fields))
    yield from map(_line, in_sentences(told))
    for participant in speakers:
        others = sorted(state.transcript.models.get(participant.name, set()) - {participant.seat})
        if others and not is_person(participant):
            yield f"{listed(others)} answered for {participant.seat} ({participant.name})."
    decision = state.transcript.decision
    final = final_turn(state.transcript)
    if final and decision and (final.failure or (final.reply and final.reply.unread)):
        yield f"The final answer could not be written ({_why_no_answer(final)}); this is the decision itself."
    if state.outcome.kind == "limit":
        yield f"A limit ended it: {_sentence(state.outcome.reason)}."


def _all_refused(state: DebateState) -> bool:
    """Whether every answer that there is was stopped by a provider's filter."""
    calls = [entry.event for entry in state.entries if isinstance(entry.event, Called)]
    return bool(calls) and all(call.finish == "filter" for call in calls)


_ADDRESS = re.compile(r" at [a-z]+://\S+?(?=:?\s|:?$)")


def _sentence(text: str) -> str:
    """A reason in one line, without the point at its end, and without the address of a provider on this machine."""
    return clip(_ADDRESS.sub("", flat(text)), 200).rstrip(". ")


def _line(text: str) -> str:
    return clip(_ADDRESS.sub("", flat(text)), 600)


# ---- the field ``folkmoot`` ----------------------------------------------------------------------------------------------


def _facts(
    state: DebateState, status: AnswerStatus, degraded: Sequence[str], request: ChatRequest
) -> dict[str, object]:
    decision, usage = state.outcome.decision, state.transcript.usage
    facts: dict[str, object] = {"debate": state.debate, "status": status, "cost": usage.cost}
    facts["estimated"] = usage.estimated
    if decision and status == "decided":
        facts |= {"strength": decision.strength, "share": decision.share, "rule": decision.rule}
        facts |= {"dissent": list(decision.dissent)}
    rows = (decision.minority or decision.answers) if decision else ()
    return {
        **facts,
        "minority": [_fact(row) for row in rows],
        "degraded": list(degraded),
        "warnings": [_line(warning) for warning in cautions(state.shown)],
        "ignored": list(request.ignored),
        "seats": [_seat(state, speaker) for speaker in _speakers(state.transcript.brief)],
    }


def _fact(row: Minority) -> dict[str, object]:
    return {"answer": row.answer, "by": list(row.by), "share": row.share, "argument": row.argument}


def _seat(state: DebateState, participant: Participant) -> dict[str, object]:
    turns = state.turns(participant.name)
    keys = {turn.key for turn in turns}
    calls = [entry.event for entry in state.entries if isinstance(entry.event, Called) and entry.event.key in keys]
    served = list(dict.fromkeys(call.served or call.model for call in calls))
    answers, missing = sum(turn.reply is not None for turn in turns), sum(bool(turn.failure) for turn in turns)
    return {
        "name": participant.name,
        "asked": participant.seat,
        "served": served,
        "answered": answers,
        "missing": missing,
    }
