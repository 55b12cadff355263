"""What changed an answer. This file owns how a changed answer is traced to the turns of others.

A cause is **stated** where its author points at it: by marks in the reason, by a reason that one turn alone holds word
for word, by the critiques that are accepted under their letter or mark, or by the turn that is answered. A cause is
**likely** where a critique shares words with what is accepted, or with the reason where the form asks for no more, and
where somebody held the new answer before. Where there is neither, nobody is credited.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from moot.arguments.citations import spoken
from moot.arguments.stance import Change, Stand, alike, bare
from moot.core.text import letter
from moot.core.transcript import Transcript, Turn, read_field
from moot.core.words import terms

How: TypeAlias = Literal["named", "quoted", "accepted", "answered", "echoed", "taken"]
"""How a turn is found to be a cause, the surest first."""

STATED: Sequence[How] = ("named", "quoted", "accepted", "answered")
"""Those that the author of a change points at."""

ACCEPTS, REJECTS, ISSUE = "ACCEPTS", "REJECTS", "ISSUE"
"""The fields in which an author lists what it accepts and rejects, and that with the point of a critique."""

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
    """A turn of somebody else that changed an answer, and how that is found."""

    turn: Turn
    how: How


def causes(transcript: Transcript, change: Change, held: Mapping[str, Sequence[Stand]]) -> tuple[Cause, ...]:
    """All that can have changed an answer, in the order of How; a turn stands there for each way in which it is found.

    Args:
        transcript: of the debate.
        change: the changed answer.
        held: the answers of those who can have moved somebody by holding the new answer first.
    """
    turn = transcript.get(change.key)
    found: Mapping[How, Sequence[Turn]] = {
        **_pointed(transcript, turn, change.because),
        "answered": [each for each in [transcript.target(turn)] if each],
        **_criticised(transcript, turn, change.because),
        "taken": list(_holding(transcript, turn, change.after, held)),
    }
    order: Sequence[How] = (*STATED, "echoed", "taken")
    return tuple(Cause(turn=each, how=how) for how in order for each in found[how] if each.by != change.by)


def stated(found: Sequence[Cause]) -> tuple[Turn, ...]:
    """The turns that the author points at in the surest way; () where it points at none."""
    best = next((each.how for each in found if each.how in STATED), None)
    return tuple(each.turn for each in found if each.how == best)


def met_critiques(transcript: Transcript) -> tuple[str, ...]:
    """The marks of the critiques that an author accepts or rejects by their letter or mark, each once."""
    found: list[str] = []
    for turn in transcript.turns():
        given = [value for name in (ACCEPTS, REJECTS) if isinstance(value := read_field(turn, name), tuple)]
        labels = [_label(text) for texts in given for text in texts]
        laid = _laid(transcript, turn) if labels else []
        found += [each.mark for n, each in enumerate(laid) if letter(n) in labels or each.mark in labels]
    return tuple(dict.fromkeys(found))


def _laid(transcript: Transcript, turn: Turn) -> list[Turn]:
    """The critiques that were laid before a turn."""
    return [each for each in map(transcript.get, turn.about) if each.act == "critique" and each.reply]


def _pointed(transcript: Transcript, turn: Turn, because: str) -> Mapping[How, Sequence[Turn]]:
    """The turns whose marks stand in the reason, and the one that holds the reason word for word."""
    others = [each for each in transcript.turns() if each.number < turn.number and each.by != turn.by]
    marks, reason = MARK.findall(because), bare(because)
    long = len(reason.split()) >= _LEAST
    holding = [each for each in others if reason in bare(spoken(each))] if long else []
    named = [each for each in others if each.mark in marks]
    return {"named": named, "quoted": holding if len(holding) == 1 else []}


def _criticised(transcript: Transcript, turn: Turn, because: str) -> Mapping[How, Sequence[Turn]]:
    """The critiques laid before a turn that it accepts by their names, and those whose words it takes up."""
    laid = _laid(transcript, turn)
    said = _accepted(turn)
    labels = [_label(text) for text in said] if said is not None else [""]
    said = [because] if said is None else said
    echoes = [text for text, label in zip(said, labels, strict=True) if not label]
    return {
        "accepted": [each for n, each in enumerate(laid) if letter(n) in labels or each.mark in labels],
        "echoed": [each for each in laid if any(_shares(text, each) for text in echoes)],
    }


def _holding(transcript: Transcript, turn: Turn, answer: str, held: Mapping[str, Sequence[Stand]]) -> Iterator[Turn]:
    """The turns that gave an answer before that turn."""
    for stood in held.values():
        for each in stood:
            if alike(each.answer, answer) and (earlier := transcript.get(each.key)).number < turn.number:
                yield earlier


def _label(text: str) -> str:
    """The letter or the mark of a critique with which a text begins; "" for none."""
    found = _LABEL.match(text)
    return (found[1] or found[2]).upper() if found else ""


def _shares(text: str, critique: Turn) -> bool:
    return len(set(terms(text)).intersection(terms(point(critique)))) >= SHARED


def point(critique: Turn) -> str:
    """What a critique criticises: its ISSUE, else its words."""
    return str(read_field(critique, ISSUE) or critique.text)


def _accepted(turn: Turn) -> Sequence[str] | None:
    """What a turn lists as accepted; None where its form does not ask for that."""
    value = read_field(turn, ACCEPTS)
    if value is not None:
        return value if isinstance(value, tuple) else ()
    fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
    return () if any(each.name.upper() == ACCEPTS for each in fields) else None
