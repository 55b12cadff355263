"""What a debate teaches. This file owns the fold of a closed debate's entries to lessons, without clock or file.

Answers are compared by their wording only. A participant's ``player`` is who answered for it: the model of its seat,
or one that took its place, or ``human``. It is "" for seats without a language model (``builtin:``) and where several
answered for one participant, so that neither enters any figure of quality. A fork teaches what it came to and no more:
what was said in it was said before it parted, or follows from that, and would count twice.
"""

from collections.abc import Iterable, Mapping, Sequence

from moot.arguments.stance import Stand, alike, changes, stands
from moot.core.brief import Brief
from moot.core.decision import Decision
from moot.core.event import ASIDE, Called, Entry, Interjected, Opened, Replied, Ruled
from moot.core.recall import ORIGINS, RECALL
from moot.core.text import clip
from moot.core.transcript import Transcript, Turn, fold, read_field
from moot.learn.against import against
from moot.learn.bouts import bouts
from moot.learn.memory import Lessons, Notes, Outcome, Performance, Position, Relation, Trust
from moot.learn.movers import movers, patterns
from moot.learn.truth import is_right, option_of
from moot.report.conclusion import outcome as came

BUILTIN = "builtin:"
"""How the seats begin that are no language model."""

LONGEST = 2000
"""Characters of a text that is remembered."""

RESOLVE, DOMAIN, FORGET = "resolve", "domain", "forget"
"""What the owner's notes on a debate say: they stand in the place of a speaker's name."""


def notes(letters: Iterable[Entry]) -> Notes:
    """What the owner's notes on a debate come to; of each kind the last counts."""
    said = {each.event.by: each.event.text for each in letters if isinstance(each.event, Interjected)}
    return Notes(truth=said.get(RESOLVE, ""), domain=said.get(DOMAIN, ""), forgotten=FORGET in said)


def lessons(entries: Sequence[Entry], known: Notes | None = None) -> Lessons:
    """What a closed debate teaches.

    Args:
        entries: its whole record.
        known: what the owner has said of it since.

    Raises:
        ValueError: the debate is not closed.
    """
    known = known or Notes()
    transcript = fold(entries)
    opened = entries[0].event if entries else None
    if not isinstance(opened, Opened) or transcript.closed is None:
        raise ValueError("a debate that is not closed teaches nothing yet")
    brief, held = opened.brief, stands(transcript)
    debaters = brief.names("debater")
    held = {name: held[name] for name in debaters if name in held}
    who = players(entries, transcript, brief)
    seqs = {each.event.key: each.seq for each in entries if isinstance(each.event, Replied)}
    outcome = _outcome(entries, opened.name, transcript, known)
    if opened.forked:
        nobody = dict.fromkeys(who, "")
        positions = tuple(_positions(transcript, held, nobody, seqs, known.truth))
        return Lessons(at=entries[-1].at, outcome=outcome, positions=positions)
    moved = movers(transcript, held)
    final = {name: stood[-1].answer for name, stood in held.items()}
    return Lessons(
        at=entries[-1].at,
        outcome=outcome,
        patterns=patterns(transcript, held, seqs),
        positions=tuple(_positions(transcript, held, who, seqs, known.truth)),
        relations=tuple(_relations(debaters, who, final, moved)),
        performances=tuple(_performances(transcript, held, who, known.truth)),
        bouts=bouts(transcript, final, who),
        uses=_uses(transcript),
    )


def players(entries: Iterable[Entry], transcript: Transcript, brief: Brief) -> Mapping[str, str]:
    """Who answered for each participant: one model or ``human``; "" for built-in seats, and for several.

    A turn's answer is by the models that were called for it, which a fallback makes others than that of the seat; where
    none was called it is by the seat that was asked.
    """
    called: dict[str, list[str]] = {}
    for each in entries:
        # What a tool asks another model for, such as vectors, is no answer of a participant's.
        if isinstance(call := each.event, Called) and not call.model.startswith(ASIDE) and call.call[:5] != "tool-":
            called.setdefault(call.key, []).extend([call.model] if call.model else [])
    found: dict[str, str] = {}
    for each in brief.participants:
        answered = [turn for turn in transcript.turns(by=each.name) if turn.reply and turn.ask]
        by = {name for turn in answered for name in called.get(turn.key) or [_asked(turn) or each.seat]}
        alone = next(iter(by), each.seat)
        found[each.name] = "" if len(by) > 1 or alone.startswith(BUILTIN) else alone
    return found


def _asked(turn: Turn) -> str:
    return turn.reply.asked if turn.reply else ""


def _uses(transcript: Transcript) -> tuple[str, ...]:
    named = [read_field(turn, ORIGINS) for turn in transcript.turns(RECALL)]
    return tuple(dict.fromkeys(each for value in named if isinstance(value, tuple) for each in value))


def _outcome(entries: Sequence[Entry], protocol: str, transcript: Transcript, known: Notes) -> Outcome:
    assert transcript.brief is not None
    assert transcript.closed is not None
    decision = transcript.decision or Decision(status="no_decision")
    ruled = [each.seq for each in entries if isinstance(each.event, Ruled)]
    chosen = decision.text or decision.winner
    seats = [each.seat for each in transcript.brief.participants if each.duty == "debater"]
    trust: Trust = "quoted" if all(each.startswith(BUILTIN) for each in seats) else "unconfirmed"
    if known.truth and chosen:
        options = transcript.brief.options
        right = any(each and is_right(each, known.truth, options) for each in (chosen, decision.winner))
        # Words of a moderator's own say the same in many ways; that they are not the truth's words refutes nothing.
        comparable = decision.winner or option_of(chosen, options)
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
        dissent=tuple(clip(each, LONGEST) for each in decision.dissent or _dissent(transcript, entries)),
        minority=tuple(clip(each, LONGEST) for each in against(transcript, decision)),
        trust=trust,
        seq=ruled[-1] if ruled else entries[-1].seq,
    )


def _dissent(transcript: Transcript, entries: Sequence[Entry]) -> Iterable[str]:
    """Who voted otherwise, and why, where the decision itself does not name them."""
    for each in came(transcript, entries).dissent:
        yield f"{each.voter} for {each.choice}{f': {each.reason}' if each.reason else ''}"


def _positions(
    transcript: Transcript,
    held: Mapping[str, Sequence[Stand]],
    who: Mapping[str, str],
    seqs: Mapping[str, int],
    truth: str,
) -> Iterable[Position]:
    options = transcript.brief.options if transcript.brief else ()
    for name, stood in held.items():
        for n, each in enumerate(stood, start=1):
            yield Position(
                who=name,
                player=who[name],
                seq=seqs[each.key],
                answer=clip(each.answer, LONGEST),
                confidence=_confidence(transcript.get(each.key)),
                last=n == len(stood),
                right=is_right(each.answer, truth, options) if truth else None,
            )


def _confidence(turn: Turn) -> float | None:
    value = read_field(turn, "CONFIDENCE")
    return float(value) if isinstance(value, int | float) and 0 <= value <= 1 else None


def _relations(
    names: Sequence[str], who: Mapping[str, str], final: Mapping[str, str], moved: Mapping[tuple[str, str], int]
) -> Iterable[Relation]:
    for n, one in enumerate(names):
        for other in names[n + 1 :]:
            both = one in final and other in final
            yield Relation(
                one=one,
                other=other,
                players=(who[one], who[other]),
                agreed=alike(final[one], final[other]) if both else None,
                moved_other=moved.get((one, other), 0),
                moved_one=moved.get((other, one), 0),
            )


def _performances(
    transcript: Transcript, held: Mapping[str, tuple[Stand, ...]], who: Mapping[str, str], truth: str
) -> Iterable[Performance]:
    assert transcript.brief is not None
    decision, turns = transcript.decision, transcript.all()
    flips = [change.by for change in changes(dict(held))]
    for each in transcript.brief.participants:
        if each.duty != "debater":
            continue
        mine = [turn for turn in turns if turn.by == each.name and turn.ask]
        answer = held[each.name][-1].answer if each.name in held else ""
        won: bool | None = None
        if decision and decision.winner:
            won = each.name == decision.winner or alike(answer, decision.text) or alike(answer, decision.winner)
        yield Performance(
            who=each.name,
            role=clip(each.role, LONGEST),
            player=who[each.name],
            answers=sum(turn.reply is not None for turn in mine),
            missing=sum(bool(turn.failure) for turn in mine),
            changed=flips.count(each.name),
            won=won,
            right=is_right(answer, truth, transcript.brief.options) if truth and answer else None,
        )
