"""Turns that say what they claim and which turn they answer. This file owns how their fields read in short.

Such a turn is its argument; the claim, the position and what it answers are one line in front of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from moot.core.text import stands_in
from moot.core.transcript import TARGET, Transcript, Turn, read_field

Pairs: TypeAlias = tuple[tuple[str, str], ...]

_LINK = ("Target", "Relation")
_VERBS: Mapping[str, str] = {"SUPPORT": "support", "ATTACK": "attack", "REBUT": "rebuttal", "QUESTION": "question"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """The fields of a turn: those that fit in one line, the words of the argument, and what else there is.

    ``aside`` are a few words on a message at a table: to whom, with which verdict, whether its author leaves.
    """

    aside: tuple[str, ...] = ()
    facts: Pairs = ()
    words: str = ""
    rest: Pairs = ()


def link(turn: Turn, transcript: Transcript) -> str:
    """What a turn answers, and how: ``T7 answers T3 (Ben): attack``; "" where it names no turn that there is.

    A quotation that does not stand in that turn is called so: whoever answers words should not answer other words.
    """
    target = transcript.target(turn)
    if target is None:
        return ""
    relation = str(read_field(turn, "RELATION") or "")
    how = f": {_VERBS.get(relation, relation)}" if relation else ""
    quote = str(read_field(turn, "QUOTE") or "")
    wrong = f"; what it quotes does not stand in {target.mark}" if quote and not stands_in(quote, target.text) else ""
    return f"{turn.mark} answers {target.mark} ({target.by}){how}{wrong}"


def frame(turn: Turn, transcript: Transcript) -> tuple[str, ...]:
    """Words that a speaker may have set beside the mark of the turn that it answers: whose it is, and what."""
    target = transcript.target(turn)
    return (TARGET, target.by, target.act, "s") if target else ()


_MESSAGE = ("Speaker", "SpeakingTo", "Verdict", "Withdrawn", "WhisperTo", "Content")
_CALLED: Mapping[str, str] = {"VerdictReasoning": "Reasons", "Thoughts": "Thoughts, told nobody"}


def _message(names: Mapping[str, str]) -> Speech:
    """A message at a table: what it says comes first; what others cannot read says so."""
    aside = [
        f"to {names['SpeakingTo']}" if names.get("SpeakingTo", "all") != "all" else "",
        f"verdict: {names['Verdict']}" if "Verdict" in names else "",
        "withdraws" if names.get("Withdrawn") == "yes" else "",
    ]
    called = {**_CALLED, "Whisper": f"Whisper to {names.get('WhisperTo', 'nobody')} alone"}
    rest = tuple((called.get(name, name), value) for name, value in names.items() if name not in _MESSAGE)
    return Speech(aside=tuple(filter(None, aside)), words=names["Content"], rest=rest)


def parted(fields: Sequence[tuple[str, str]]) -> Speech:
    """The fields of a turn by their names in words; one with a claim and an argument, or a message, is taken apart."""
    rest = tuple(pair for pair in fields if pair[0] not in _LINK)
    names = dict(rest)
    if "Content" in names:
        return _message(names)
    if "Claim" not in names or "Argument" not in names:
        return Speech(rest=rest)
    return Speech(facts=tuple(pair for pair in rest if pair[0] != "Argument"), words=names["Argument"])
