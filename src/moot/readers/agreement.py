"""Agreement over time. This file owns how many held which answer when, which turns changed that, and what caused them.

A cause is read from fields and quotations alone: the marks in the reason, the one turn that holds the reason word for
word, the critiques that are accepted, or the turn in TARGET. Where none names another's turn, the cause is not stated.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from moot.core.text import letter
from moot.core.transcript import Transcript, Turn, read_field
from moot.readers.citations import spoken
from moot.readers.stance import Stand, alike, bare, stands

_MARK = re.compile(r"\bT[1-9][0-9]{0,8}\b")
_ACCEPTS = "ACCEPTS"
_CRITIQUE = re.compile(
    r"[\s*(\[]*(?:Critique ([A-Z]{1,2}|T\d+)\b|([A-Z]{1,2}|T\d+)(?=[*)\]]*(?:[:.,;)\]]|\s+[-–—]\s|\s*$)))"
)
"""How the naming of a critique begins: ``Critique A``, or a letter or mark behind which the name has ended."""

_LEAST = 4
"""A reason of fewer words stands in a turn by chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many hold which answer; alike answers count as one, in the words in which it came first.

    Attributes:
        holders: how many hold each answer.
        leading: the answer that more hold than any other; "" where several lead, or nobody holds one.
        share: the share of those who hold the answer, or one of the answers, that most hold.
    """

    holders: Mapping[str, int]
    leading: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The answer of one turn: whose, the turn's key and mark, the answer, and the reason given for a change."""

    by: str
    key: str
    mark: str
    answer: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Where answers stood at the end of a round: its name, the mark of the last turn with an answer, the tally."""

    name: str
    mark: str
    tally: Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A changed answer.

    Attributes:
        by: whose.
        mark: of the turn that gives the new answer.
        before: the answer before.
        after: the new one.
        because: the reason in its author's words; "" where none was given.
        causes: the marks of the turns that it names as the cause; () where none is stated.
        to: the authors of those turns, each once.
    """

    by: str
    mark: str
    before: str
    after: str
    because: str = ""
    causes: tuple[str, ...] = ()
    to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A turn after which the tally was another one; ``turned`` says whether another answer leads, or none any more."""

    by: str
    mark: str
    before: Tally
    after: Tally
    turned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The course of the answers: all of them in the order of asking, the stages, the flips, the moments."""

    ledger: tuple[Held, ...] = ()
    stages: tuple[Stage, ...] = ()
    flips: tuple[Flip, ...] = ()
    moments: tuple[Moment, ...] = ()


def agreement(transcript: Transcript) -> Agreement:
    """Who held what, when, of a debate, complete or not."""
    ledger = _ledger(transcript)
    now: dict[str, str] = {}
    words: dict[str, str] = {}
    stages: list[Stage] = []
    flips: list[Flip] = []
    moments: list[Moment] = []
    rounds = False
    for n, (turn, stand) in enumerate(ledger):
        rounds = rounds or turn.round > 0
        before, old = dict(now), now.get(turn.by)
        words.setdefault(bare(stand.answer), stand.answer)
        now[turn.by] = stand.answer
        if old is not None and not alike(old, stand.answer):
            flips.append(_flip(transcript, turn, stand, old))
            moments.append(_moment(turn, _count(before, words), _count(now, words)))
        if n + 1 == len(ledger) or ledger[n + 1][0].round != turn.round:
            stages.append(Stage(name=_name(turn, rounds), mark=turn.mark, tally=_count(now, words)))
    return Agreement(
        ledger=tuple(
            Held(by=turn.by, key=turn.key, mark=turn.mark, answer=stand.answer, because=stand.because)
            for turn, stand in ledger
        ),
        stages=tuple(stages),
        flips=tuple(flips),
        moments=tuple(moments),
    )


def _ledger(transcript: Transcript) -> list[tuple[Turn, Stand]]:
    """All answers with their turns, in the order of asking."""
    told = [(transcript.get(each.key), each) for held in stands(transcript).values() for each in held]
    return sorted(told, key=lambda each: each[0].number)


def _count(now: Mapping[str, str], words: Mapping[str, str]) -> Tally:
    holders = Counter(words[bare(answer)] for answer in now.values())
    most = max(holders.values())
    tops = [answer for answer, n in holders.items() if n == most]
    return Tally(holders=dict(holders), leading=tops[0] if len(tops) == 1 else "", share=most / holders.total())


def _moment(turn: Turn, before: Tally, after: Tally) -> Moment:
    turned = before.leading != after.leading
    return Moment(by=turn.by, mark=turn.mark, before=before, after=after, turned=turned)


def _name(turn: Turn, rounds: bool) -> str:
    return f"round {turn.round}" if turn.round else "closing answers" if rounds else "first answers"


def _flip(transcript: Transcript, turn: Turn, stand: Stand, before: str) -> Flip:
    causes = _causes(transcript, turn, stand.because)
    return Flip(
        by=turn.by,
        mark=turn.mark,
        before=before,
        after=stand.answer,
        because=stand.because,
        causes=tuple(each.mark for each in causes),
        to=tuple(dict.fromkeys(each.by for each in causes)),
    )


def _causes(transcript: Transcript, turn: Turn, because: str) -> Sequence[Turn]:
    """The turns of others that a turn names as what changed its answer."""
    if because:
        others = [each for each in transcript.turns() if each.number < turn.number and each.by != turn.by]
        marks = _MARK.findall(because)
        if named := [each for each in others if each.mark in marks]:
            return named
        reason = bare(because)
        if len(reason.split()) >= _LEAST:
            holding = [each for each in others if reason in bare(spoken(each))]
            if len(holding) == 1:
                return holding
    if accepted := _accepted(transcript, turn):
        return accepted
    target = transcript.target(turn)
    return [target] if target is not None and target.by != turn.by else []


def _accepted(transcript: Transcript, turn: Turn) -> list[Turn]:
    """The critiques laid before a turn that it accepts, each named by its letter or its mark."""
    said = read_field(turn, _ACCEPTS)
    if not isinstance(said, tuple):
        return []
    named = [found[1] or found[2] for each in said if (found := _CRITIQUE.match(each))]
    critiques = [each for each in map(transcript.get, turn.about) if each.act == "critique"]
    return [each for n, each in enumerate(critiques) if letter(n) in named or each.mark in named]
