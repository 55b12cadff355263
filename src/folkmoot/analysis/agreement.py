"""Agreement over time: how many participants gave which answer at each stage, and which turns changed that.

The cause of a change is the turn that its author points at; if that is no turn of another participant, the cause is not
stated.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from folkmoot.arguments.positions import AnswerGiven, Change, answers_given, bare, explained
from folkmoot.core.transcript import Transcript
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
class Stage:
    """The answers at the end of a round: its name, the mark of the last turn with an answer, the tally."""

    name: str
    mark: str
    tally: Tally


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

    ledger: tuple[AnswerGiven, ...] = ()
    stages: tuple[Stage, ...] = ()
    flips: tuple[Change, ...] = ()
    moments: tuple[TallyChange, ...] = ()


def agreement(transcript: Transcript) -> Agreement:
    """Analyse who gave which answer when, in a debate, complete or not."""
    answers = answers_given(transcript)
    given = [(transcript.get(answer.key), answer) for own in answers.values() for answer in own]
    given.sort(key=lambda item: item[0].number)
    lost = [(turn, None) for turn in transcript.turns() if any(gap.answer for gap in turn_gaps(turn))]
    said = sorted([*given, *lost], key=lambda item: item[0].number)
    changed = {change.key: change for change in explained(transcript, answers)}
    now: dict[str, str] = {}
    words: dict[str, str] = {}
    stages: list[Stage] = []
    moments: list[TallyChange] = []
    rounds = False
    for n, (turn, answer) in enumerate(said):
        rounds = rounds or turn.round > 0
        before = dict(now)
        if answer is None:
            now.pop(turn.by, None)  # whoever can't be read any more is for nobody
        else:
            words.setdefault(bare(answer.answer), answer.answer)
            now[turn.by] = answer.answer
        # The answers that open a debate make its first tally; a first answer after that changes it.
        if before and answer and (turn.key in changed or (stages and turn.by not in before)):
            old, new = _count(before, words), _count(now, words)
            turned = old.leading != new.leading
            moments.append(TallyChange(by=turn.by, mark=turn.mark, before=old, after=new, turned=turned))
        if now and (n + 1 == len(said) or said[n + 1][0].round != turn.round):
            name = f"round {turn.round}" if turn.round else "closing answers" if rounds else "first answers"
            stages.append(Stage(name=name, mark=turn.mark, tally=_count(now, words)))
    return Agreement(
        ledger=tuple(answer for _, answer in given),
        stages=tuple(stages),
        flips=tuple(changed[turn.key] for turn, _ in said if turn.key in changed),
        moments=tuple(moments),
    )


def _count(now: Mapping[str, str], words: Mapping[str, str]) -> Tally:
    holders = Counter(words[bare(answer)] for answer in now.values())
    highest = max(holders.values())
    tops = [answer for answer, n in holders.items() if n == highest]
    return Tally(holders=dict(holders), leading=tops[0] if len(tops) == 1 else "", share=highest / holders.total())
