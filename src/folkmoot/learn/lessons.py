"""Lessons of a closed debate: which answers were right, matches between models, persuasion, and counterarguments.

Computed from the entries alone, without clock or file. Answers are compared by wording, as votes are: with a closed set
of options by the option that is meant. A counterargument is remembered from an answer that lost, if somebody voted for
it or still gave it at the end, and if it has words of its own.

A participant's ``player`` is the model that answered for it, or ``human``. It is "" for agents without a language model
(``builtin:``) and where several answered, so neither is measured. Of a fork only the outcome is learned: the rest is
from before the fork or follows from it, and would count twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from folkmoot.arguments.positions import (
    AnswerGiven,
    alike,
    answers_given,
    causes,
    changes,
    criticised_point,
    failed_critiques,
)
from folkmoot.core.brief import BUILTIN, Brief
from folkmoot.core.decision import Decision, Minority
from folkmoot.core.event import ASIDE, Called, Entry, Noted, NoteKind, Opened, Replied, Ruled, SideEntry
from folkmoot.core.roles import ORIGINS, RECALL
from folkmoot.core.text import clip
from folkmoot.core.transcript import Transcript, Turn, fold, normalise, read_field
from folkmoot.learn.memory import (
    FailedPattern,
    Lessons,
    Notes,
    Outcome,
    Pattern,
    Performance,
    Position,
    Relation,
    Trust,
)
from folkmoot.learn.model_matches import matches
from folkmoot.report.conclusion import answer_in_words, dissent


def is_right(answer: str, truth: str, options: Sequence[str] = ()) -> bool:
    """Whether an answer is the truth.

    Args:
        answer: the answer.
        truth: what has turned out to be right.
        options: the closed set of answers, if there was one.
    """
    meant = option_of(truth, options)
    return option_of(answer, options) == meant if meant else normalise(answer) == normalise(truth)


def option_of(text: str, options: Sequence[str]) -> str:
    """The option that a text names; "" if it names none, or more than one."""
    for plain in (normalise, _loose):
        fits = [option for option in options if plain(option) == plain(text)]
        if fits:
            return fits[0] if len(fits) == 1 else ""
    return ""


def _loose(text: str) -> str:
    """``NO_HIRE`` is also written "no hire" or "no-hire"."""
    return " ".join(normalise(text).replace("_", " ").replace("-", " ").split())


def lost_answers(transcript: Transcript, decision: Decision) -> Iterator[str]:
    """The answers that lost, if somebody voted for them, or gave them to the end and voted for no other.

    Args:
        transcript: of the debate.
        decision: that it came to.
    """
    answers = answers_given(transcript)
    names = {participant.name for participant in transcript.brief.participants} if transcript.brief else set[str]()
    for minority in decision.minority:
        words = answers[minority.answer][-1].answer if minority.answer in answers else minority.argument
        sentence = words if minority.answer in names else minority.answer
        wanted = (minority.by and not _all_changed_later(minority, decision, answers)) or _was_kept(
            minority, decision, answers, names
        )
        if wanted and sentence and not alike(sentence, decision.text):
            yield sentence


def _all_changed_later(minority: Minority, decision: Decision, answers: Mapping[str, Sequence[AnswerGiven]]) -> bool:
    """Whether there was no vote, and all who gave this answer changed it later."""
    return not decision.ballots and all(
        name in answers and name != minority.answer and not alike(answers[name][-1].answer, minority.answer)
        for name in minority.by
    )


def _was_kept(
    minority: Minority, decision: Decision, answers: Mapping[str, Sequence[AnswerGiven]], names: set[str]
) -> bool:
    """Whether somebody who has not voted for one candidate gave this answer last, or is its author."""
    voted = {ballot.voter for ballot in decision.ballots if ballot.state == "cast" and not ballot.ranks}
    if minority.answer in names:
        return minority.answer not in voted
    return any(name not in voted and alike(answers[name][-1].answer, minority.answer) for name in answers)


SUGGESTION = "SUGGESTION"

LONGEST_PATTERN = 600
"""Characters of a text that is remembered."""


def persuasion_counts(
    transcript: Transcript, answers: Mapping[str, Sequence[AnswerGiven]]
) -> Mapping[tuple[str, str], int]:
    """How often one participant changed another's answer, by both names; all authors of causes count."""
    counts: dict[tuple[str, str], int] = {}
    for change in changes(answers):
        for name in dict.fromkeys(cause.turn.by for cause in causes(transcript, change, answers)):
            counts[name, change.by] = counts.get((name, change.by), 0) + 1
    return counts


def patterns(
    transcript: Transcript, answers: Mapping[str, Sequence[AnswerGiven]], seqs: Mapping[str, int]
) -> tuple[Pattern, ...]:
    """The critiques that worked, in the order of the changes.

    Args:
        transcript: of a closed debate.
        answers: the answers of each debater.
        seqs: the entry of each turn's answer, by the turn's key.
    """
    worked = [
        (change, turn)
        for change in changes(answers)
        for turn in sorted(
            {
                cause.turn.key: cause.turn
                for cause in causes(transcript, change, {})
                if cause.how in ("accepted", "echoed")
            }.values(),
            key=lambda turn: turn.number,
        )
    ]
    return tuple(
        Pattern(
            critic=critique.by,
            author=change.by,
            issue=clip(criticised_point(critique), LONGEST_PATTERN),
            suggestion=clip(str(read_field(critique, SUGGESTION) or ""), LONGEST_PATTERN),
            before=clip(change.before, LONGEST_PATTERN),
            after=clip(change.after, LONGEST_PATTERN),
            because=clip(change.because, LONGEST_PATTERN),
            seq=seqs[critique.key],
        )
        for change, critique in worked
    )


def failed_patterns(
    transcript: Transcript, answers: Mapping[str, Sequence[AnswerGiven]], seqs: Mapping[str, int]
) -> tuple[FailedPattern, ...]:
    """The critiques that failed, in the order in which their authors answered; see ``patterns`` for the arguments."""
    return tuple(
        FailedPattern(
            critic=critique.critique.by,
            author=critique.turn.by,
            issue=clip(criticised_point(critique.critique), LONGEST_PATTERN),
            suggestion=clip(str(read_field(critique.critique, SUGGESTION) or ""), LONGEST_PATTERN),
            answer=clip(str(read_field(critique.turn, "ANSWER") or ""), LONGEST_PATTERN),
            rejected=critique.rejected,
            because=clip(critique.because, LONGEST_PATTERN),
            seq=seqs[critique.critique.key],
        )
        for critique in failed_critiques(transcript, answers)
    )


LONGEST = 2000
"""Characters of a text that is remembered."""

RESOLVE: NoteKind = "resolve"
DOMAIN: NoteKind = "domain"
FORGET: NoteKind = "forget"
"""What the owner's notes on a debate are about."""


def notes(entries: Iterable[SideEntry]) -> Notes:
    """The owner's notes on a debate, combined; of each kind the last one counts."""
    texts = {entry.event.what: entry.event.text for entry in entries if isinstance(entry.event, Noted)}
    return Notes(truth=texts.get(RESOLVE, ""), domain=texts.get(DOMAIN, ""), forgotten=FORGET in texts)


def lessons(entries: Sequence[Entry], known: Notes | None = None, transcript: Transcript | None = None) -> Lessons:
    """What a closed debate teaches.

    Args:
        entries: its whole record.
        known: what the owner has said of it since.
        transcript: the fold of the record, where there is one already.

    Raises:
        ValueError: the debate is not closed.
    """
    known = known or Notes()
    transcript = transcript or fold(entries)
    opened = entries[0].event if entries else None
    if not isinstance(opened, Opened) or transcript.closed is None:
        raise ValueError("a debate that is not closed teaches nothing yet")
    brief, answers = opened.brief, answers_given(transcript)
    debaters = brief.names("debater")
    answers = {name: answers[name] for name in debaters if name in answers}
    player_of = players(entries, transcript, brief)
    seqs = {entry.event.key: entry.seq for entry in entries if isinstance(entry.event, Replied)}
    outcome = _outcome(entries, opened.name, transcript, known)
    if opened.forked:
        nobody = dict.fromkeys(player_of, "")
        positions = tuple(_positions(transcript, answers, nobody, seqs, known.truth))
        return Lessons(at=entries[-1].at, outcome=outcome, positions=positions)
    moved = persuasion_counts(transcript, answers)
    final = {name: stood[-1].answer for name, stood in answers.items()}
    return Lessons(
        at=entries[-1].at,
        outcome=outcome,
        patterns=patterns(transcript, answers, seqs),
        failed=failed_patterns(transcript, answers, seqs),
        positions=tuple(_positions(transcript, answers, player_of, seqs, known.truth)),
        relations=tuple(_relations(debaters, player_of, final, moved)),
        performances=tuple(_performances(transcript, answers, player_of, known.truth)),
        matches=matches(transcript, final, player_of) if len(set(player_of.values())) > 1 else (),
        uses=_recalled_origins(transcript),
    )


def players(entries: Iterable[Entry], transcript: Transcript, brief: Brief) -> Mapping[str, str]:
    """Who answered for each participant: one model or ``human``; "" for built-in agents, and for several models.

    A turn was answered by the models that were called for it, which with a fallback differ from the participant's
    model; if none was called, by the agent that was asked.
    """
    called: dict[str, list[str]] = {}
    for entry in entries:
        # What a tool asks another model for, such as vectors, is no answer of a participant's.
        if isinstance(call := entry.event, Called) and not call.model.startswith(ASIDE) and call.call[:5] != "tool-":
            called.setdefault(call.key, []).extend([call.model] if call.model else [])
    answered: dict[str, list[Turn]] = {}
    for turn in transcript.turns():
        answered.setdefault(turn.by, []).extend([turn] if turn.ask else [])
    models: dict[str, str] = {}
    for participant in brief.participants:
        turns = answered.get(participant.name, [])
        by = {name for turn in turns for name in called.get(turn.key) or [_prompt_of(turn) or participant.seat]}
        alone = next(iter(by), participant.seat)
        models[participant.name] = "" if len(by) > 1 or alone.startswith(BUILTIN) else alone
    return models


def _prompt_of(turn: Turn) -> str:
    return turn.reply.asked if turn.reply else ""


def _recalled_origins(transcript: Transcript) -> tuple[str, ...]:
    named = [read_field(turn, ORIGINS) for turn in transcript.turns(RECALL)]
    return tuple(dict.fromkeys(text for value in named if isinstance(value, tuple) for text in value))


def _outcome(entries: Sequence[Entry], protocol: str, transcript: Transcript, known: Notes) -> Outcome:
    assert transcript.brief is not None
    assert transcript.closed is not None
    decision = transcript.decision or Decision(status="no_decision")
    ruled = [entry.seq for entry in entries if isinstance(entry.event, Ruled)]
    chosen = answer_in_words(decision)
    seats = [participant.seat for participant in transcript.brief.participants if participant.duty == "debater"]
    trust: Trust = "quoted" if all(seat.startswith(BUILTIN) for seat in seats) else "unconfirmed"
    if known.truth and chosen:
        options = transcript.brief.options
        right = any(text and is_right(text, known.truth, options) for text in (chosen, decision.winner))
        # Words of a moderator's own say the same in many ways; that they are not the truth's words refutes nothing.
        # Nor does a team that debated best: what it stood for was drawn.
        names = [participant.name for participant in transcript.brief.participants]
        answered = decision.winner in names or (decision.winner and decision.winner.startswith(chosen))
        comparable = answered or option_of(chosen, options)
        trust = "confirmed" if right else "refuted" if comparable else trust
    return Outcome(
        topic=clip(transcript.brief.topic, LONGEST),
        protocol=protocol,
        domain=known.domain,
        status=transcript.closed.status,
        text=clip(chosen, LONGEST),
        how=clip(decision.how or transcript.closed.reason, LONGEST),
        strength=decision.strength,
        share=decision.share,
        dissent=tuple(clip(text, LONGEST) for text in decision.dissent or _dissent(transcript)),
        minority=tuple(clip(text, LONGEST) for text in lost_answers(transcript, decision)),
        trust=trust,
        seq=ruled[-1] if ruled else entries[-1].seq,
    )


def _dissent(transcript: Transcript) -> Iterable[str]:
    """Who voted otherwise, and why, where the decision itself does not name them."""
    for ballot in dissent(transcript):
        yield f"{ballot.voter} for {ballot.choice}{f': {ballot.reason}' if ballot.reason else ''}"


def _positions(
    transcript: Transcript,
    answers: Mapping[str, Sequence[AnswerGiven]],
    player_of: Mapping[str, str],
    seqs: Mapping[str, int],
    truth: str,
) -> Iterable[Position]:
    options = transcript.brief.options if transcript.brief else ()
    for name, stood in answers.items():
        for n, stand in enumerate(stood, start=1):
            yield Position(
                who=name,
                player=player_of[name],
                seq=seqs[stand.key],
                answer=clip(stand.answer, LONGEST),
                confidence=_confidence(transcript.get(stand.key)),
                last=n == len(stood),
                right=is_right(stand.answer, truth, options) if truth else None,
            )


def _confidence(turn: Turn) -> float | None:
    value = read_field(turn, "CONFIDENCE")
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _relations(
    names: Sequence[str], player_of: Mapping[str, str], final: Mapping[str, str], moved: Mapping[tuple[str, str], int]
) -> Iterable[Relation]:
    compared = {name: normalise(answer) for name, answer in final.items()}
    for n, name in enumerate(names):
        for other in names[n + 1 :]:
            both = name in final and other in final
            yield Relation(
                one=name,
                other=other,
                players=(player_of[name], player_of[other]),
                agreed=compared[name] == compared[other] if both else None,
                moved_other=moved.get((name, other), 0),
                moved_one=moved.get((other, name), 0),
            )


def _performances(
    transcript: Transcript, answers: Mapping[str, tuple[AnswerGiven, ...]], player_of: Mapping[str, str], truth: str
) -> Iterable[Performance]:
    assert transcript.brief is not None
    decision, turns = transcript.decision, transcript.all()
    flips = [change.by for change in changes(dict(answers))]
    for participant in transcript.brief.participants:
        if participant.duty != "debater":
            continue
        mine = [turn for turn in turns if turn.by == participant.name and turn.ask]
        answer = answers[participant.name][-1].answer if participant.name in answers else ""
        won: bool | None = None
        if decision and decision.winner:
            won = participant.name == decision.winner or alike(answer, decision.text) or alike(answer, decision.winner)
        yield Performance(
            who=participant.name,
            role=clip(participant.role, LONGEST),
            player=player_of[participant.name],
            answers=sum(turn.reply is not None for turn in mine),
            missing=sum(bool(turn.failure) for turn in mine),
            changed=flips.count(participant.name),
            won=won,
            right=is_right(answer, truth, transcript.brief.options) if truth and answer else None,
        )
