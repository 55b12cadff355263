"""Agreement over time: how many participants gave which answer at each stage, and which turns changed that.

The cause of a change is the turn that its author points at; if that is no turn of another participant, the cause is not
stated.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from folkmoot.arguments.positions import AnswerGiven, Change, answers_given, bare, explained
from folkmoot.core.transcript import Transcript, Turn
from folkmoot.report.gaps import turn_gaps


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """The number of participants with each answer; equal answers count as one, in the words of the first.

    Attributes:
        holders: how many hold each answer.
        leading: the answer that more hold than any other; "" if several lead, or there is none.
        share: the share of those who hold the answer, or one of the answers, that most hold.
    """

    holders: Mapping[str, int]
    leading: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """The answer of one turn: whose, the turn's key and mark, the answer, and the reason given for a change."""

    by: str
    key: str
    mark: str
    answer: str
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The answers at the end of a round: its name, the mark of the last turn with an answer, the tally."""

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
        because: the reason in its author's words; "" if none was given.
        causes: the marks of the turns that it names as the cause; () if none is stated.
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
class TallyChange:
    """A turn that changed the tally: by a changed answer, or by a first answer after the first stage.

    ``turned`` says whether another answer leads, or none any more.
    """

    by: str
    mark: str
    before: Tally
    after: Tally
    turned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The answers over time: all answers in the order of asking, the stages, the flips, the changes of the tally."""

    ledger: tuple[GivenAnswer, ...] = ()
    stages: tuple[Stage, ...] = ()
    flips: tuple[Flip, ...] = ()
    moments: tuple[TallyChange, ...] = ()


def agreement(transcript: Transcript) -> Agreement:
    """Analyse who gave which answer when, in a debate, complete or not."""
    answers = answers_given(transcript)
    ledger = _ledger(transcript, answers)
    changed = {change.key: change for change in explained(transcript, answers)}
    now: dict[str, str] = {}
    words: dict[str, str] = {}
    stages: list[Stage] = []
    flips: list[Flip] = []
    moments: list[TallyChange] = []
    rounds = False
    said = _with_unread(transcript, ledger)
    for n, (turn, stand) in enumerate(said):
        rounds = rounds or turn.round > 0
        before = dict(now)
        if stand is None:
            now.pop(turn.by, None)  # whoever can't be read any more is for nobody
        else:
            words.setdefault(bare(stand.answer), stand.answer)
            now[turn.by] = stand.answer
        if turn.key in changed:
            flips.append(_flip(turn, changed[turn.key]))
        # The answers that open a debate make its first tally; a first answer after that changes it.
        if before and stand and (turn.key in changed or (stages and turn.by not in before)):
            moments.append(_tally_change(turn, _count(before, words), _count(now, words)))
        if now and (n + 1 == len(said) or said[n + 1][0].round != turn.round):
            stages.append(Stage(name=_name(turn, rounds), mark=turn.mark, tally=_count(now, words)))
    return Agreement(
        ledger=tuple(
            GivenAnswer(by=turn.by, key=turn.key, mark=turn.mark, answer=stand.answer, because=stand.because)
            for turn, stand in ledger
        ),
        stages=tuple(stages),
        flips=tuple(flips),
        moments=tuple(moments),
    )


def _ledger(transcript: Transcript, answers: Mapping[str, Sequence[AnswerGiven]]) -> list[tuple[Turn, AnswerGiven]]:
    """All answers with their turns, in the order of asking."""
    turns = [(transcript.get(stand.key), stand) for stood in answers.values() for stand in stood]
    return sorted(turns, key=lambda item: item[0].number)


def _with_unread(
    transcript: Transcript, ledger: Sequence[tuple[Turn, AnswerGiven]]
) -> list[tuple[Turn, AnswerGiven | None]]:
    """The answers together with the turns whose answer is not readable, in the order of asking."""
    lost = [(turn, None) for turn in transcript.turns() if any(gap.answer for gap in turn_gaps(turn))]
    return sorted([*ledger, *lost], key=lambda item: item[0].number)


def _count(now: Mapping[str, str], words: Mapping[str, str]) -> Tally:
    holders = Counter(words[bare(answer)] for answer in now.values())
    highest = max(holders.values())
    tops = [answer for answer, n in holders.items() if n == highest]
    return Tally(holders=dict(holders), leading=tops[0] if len(tops) == 1 else "", share=highest / holders.total())


def _tally_change(turn: Turn, before: Tally, after: Tally) -> TallyChange:
    turned = before.leading != after.leading
    return TallyChange(by=turn.by, mark=turn.mark, before=before, after=after, turned=turned)


def _name(turn: Turn, rounds: bool) -> str:
    return f"round {turn.round}" if turn.round else "closing answers" if rounds else "first answers"


def _flip(turn: Turn, change: Change) -> Flip:
    return Flip(
        by=turn.by,
        mark=turn.mark,
        before=change.before,
        after=change.after,
        because=change.because,
        causes=change.causes,
        to=change.to,
    )
