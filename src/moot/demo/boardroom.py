"""How the built-in debater behaves on a board: when it judges, when it leaves, what it attaches and cites.

This file owns the fields of a board's message by their names. It speaks three times: first it only quotes, then it
gives its verdict, then it leaves. With nothing to quote it does the same, and gives that as its reason.
"""

from collections.abc import Callable, Mapping

from moot.core.artifacts import ARTIFACTS, artifacts
from moot.core.form import Field, Value
from moot.core.roles import REASONING, VERDICT, WITHDRAWN
from moot.core.transcript import read_field
from moot.demo import phrases
from moot.demo.evidence import Case
from moot.demo.speech import Speech, quote


def _spoken(case: Case) -> int:
    """How many messages of its own it has sent."""
    return len(case.mine)


def _judges(case: Case) -> bool:
    """Whether it gives a verdict now: not before it has spoken once, unless it must."""
    form = case.ask.form
    due = form and any(field.name == VERDICT and field.required for field in form.fields)
    return bool(due) or _spoken(case) > 0


def _to(field: Field, case: Case, speech: Speech) -> Value | None:
    rival = case.rival()
    return rival.by if rival and rival.by in field.choices else None


def _verdict(field: Field, case: Case, speech: Speech) -> Value | None:
    """The option that the evidence bears out for it, else the passage that bears most; without any, to get some."""
    if not _judges(case):
        return None
    if field.choices:
        return case.answer or field.choices[0]
    best = case.best(case.library.choose(case.query, case.stance, 1))
    return phrases.FIRST_OF_ALL if best is None else quote(case, best, 160)


def _reasoning(field: Field, case: Case, speech: Speech) -> Value | None:
    """The passage for its verdict that bears most, whatever was quoted already."""
    if not _judges(case):
        return None
    best = case.library.choose(case.query, case.stance, 1)
    return quote(case, best[0]) if best else phrases.NOTHING


def _withdrawn(field: Field, case: Case, speech: Speech) -> Value | None:
    return any(read_field(turn, VERDICT) is not None for turn in case.mine) or None


def _attached(field: Field, case: Case, speech: Speech) -> Value | None:
    """A list of what all have quoted, once, by whoever is the first to speak again."""
    quoted = list(dict.fromkeys(number for turn in case.seen for number in case.quotes[turn.key]))
    if not quoted or not _spoken(case) or artifacts(case.seen):
        return None
    return "\n".join([phrases.QUOTED, *(f"- {quote(case, number, 160)}" for number in quoted)])


def _cited(field: Field, case: Case, speech: Speech) -> Value | None:
    """The documents that it quotes, and the lists of quotations that hold what it quotes."""
    names = dict.fromkeys(case.library.passages[number].source for number in speech.picks)
    marks = [each.mark for each in artifacts(case.seen) if set(case.quotes[each.turn.key]) & set(speech.picks)]
    return (*names, *marks) or None


def _left_out(field: Field, case: Case, speech: Speech) -> Value | None:
    return None


JUDGING = (VERDICT, REASONING, WITHDRAWN)
"""The fields of a verdict and of leaving with it."""

BOARD: Mapping[str, Callable[[Field, Case, Speech], Value | None]] = {
    "SpeakingTo": _to,
    "Thoughts": _left_out,
    "Whisper": _left_out,
    "WhisperTo": _left_out,
    ARTIFACTS: _attached,
    "Cites": _cited,
    VERDICT: _verdict,
    REASONING: _reasoning,
    WITHDRAWN: _withdrawn,
}
"""What stands in a field of a message; None where it is left out."""
