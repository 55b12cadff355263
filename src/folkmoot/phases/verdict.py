"""Decisions by a single judge, and debates that end without a decision.

A judge never sees names: it reads the log with each turn under its mark, and the candidates under letters in random
order, with the same marks. A judge that names nobody, or nobody on the list, decides nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import Ruled
from folkmoot.core.text import clip
from folkmoot.core.transcript import Turn, read_field, wording
from folkmoot.phases.base import Play, State
from folkmoot.phases.vote import (
    BALLOT,
    answers_as_ballots,
    ballot_for,
    candidates,
    labels,
    proposal_argument,
    uncontested,
    visible_turns,
    with_words,
)
from folkmoot.policy.rules import UNANIMITY, Quorum, Share

JUDGE = "judge"
"""What the rule is called by which one judge decides."""

NOT_SOUGHT = "no decision was sought"
"""How a debate ends that was to show the positions alone."""

FAIR = View(numbered=True, anonymous=True)
"""The log as a judge reads it: no names, and marks by which a statement is found again under its letter."""

REASON = "REASON"
MOST = 10
"""The best score; 0 is the worst."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A judge is asked twice for the best proposal, with the proposals in one order and in the other.

    The same verdict both times decides; another one the second time is a tie, because the order has decided it.
    Proposals with the same answer are one candidate.

    Attributes:
        by: the judge's name.
        acts: the acts that are proposals.
        task: what to do.
        name: what it is called in paths.
        closed: whether only proposals with an ANSWER that could be read are candidates.
        view: which turns of the log go along.
    """

    by: str
    acts: tuple[str, ...]
    task: str
    name: str = "pick"
    closed: bool = False
    view: View = FAIR

    def play(self, state: State) -> Play:
        """Ask for both verdicts at once."""
        groups = candidates(state.transcript, self.acts, latest=True, closed=self.closed)
        shown = visible_turns(state, self.by, groups)
        if len(groups) < 2:
            yield Ruled(decision=uncontested(state, groups, Quorum(rule=Share(name=JUDGE)), self.acts))
        elif len(shown) < 2:
            yield Ruled(decision=_too_few_statements(self.by, groups))
        else:
            names = list(shown)
            state.chance("order").shuffle(names)
            orders = (names, names[::-1])
            yield [self._ask(state.key(n), [shown[text].key for text in order]) for n, order in enumerate(orders, 1)]
            verdicts = [_verdict(state.transcript.get(state.key(n)), groups) for n, _ in enumerate(orders, 1)]
            decision = with_words(self._decide(verdicts, groups), groups, state.transcript)
            yield Ruled(decision=replace(decision, minority=other_answers(groups, but=decision.winner)))

    def _ask(self, key: str, about: Sequence[str]) -> Ask:
        ballot = Field(name=BALLOT, kind="choice", choices=labels(len(about)), abstain=True)
        reason = Field(name=REASON, help="what the best one has and the others lack, in a few sentences")
        form = Form(name="verdict", fields=(reason, ballot))
        return Ask(
            key=key,
            to=self.by,
            act="vote",
            task=self.task,
            form=form,
            about=tuple(about),
            audience=(self.by,),
            view=self.view,
        )

    def _decide(self, verdicts: Sequence[Ballot], groups: Mapping[str, Sequence[Turn]]) -> Decision:
        first, second = verdicts
        chosen = [ballot.choice for ballot in verdicts if ballot.state == "cast"]
        none = Decision(
            status="no_decision",
            rule=JUDGE,
            tally={name: float(chosen.count(name)) for name in groups},
            ballots=tuple(verdicts),
        )
        if len(chosen) < 2:
            which = "the first order" if second.choice else "the second order" if first.choice else "either order"
            return replace(none, how=f"{self.by} gave no verdict in {which}")
        if first.choice != second.choice:
            how = f"the judge changed with the order: {first.choice} in the first, {second.choice} in the second"
            return replace(none, status="tie", share=0.5, how=how)
        how = f"{self.by} chose {first.choice} in both orders"
        return replace(none, status="decided", winner=first.choice, share=1.0, support=(self.by,), how=how)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """A judge scores the newest statement of each debater, with a reason for each; the highest score wins.

    Attributes:
        by: the judge's name.
        acts: the acts that are statements.
        task: what to do.
        name: what it is called in paths.
    """

    by: str
    acts: tuple[str, ...]
    task: str
    name: str = "rank"

    def play(self, state: State) -> Play:
        """Ask for all scores at once."""
        groups = {turn.by: [turn] for turn in state.transcript.latest(*self.acts)}
        names = list(visible_turns(state, self.by, groups))
        if len(names) < 2:
            yield Ruled(decision=_too_few_statements(self.by, groups))
            return
        state.chance("order").shuffle(names)
        about = tuple(groups[name][0].key for name in names)
        yield [
            Ask(
                key=state.key(1),
                to=self.by,
                act="score",
                task=self.task,
                form=_ranking(len(names)),
                about=about,
                audience=(self.by,),
                view=FAIR,
            )
        ]
        turn = state.transcript.get(state.key(1))
        decision = with_words(self._decide(turn, names, groups), groups, state.transcript)
        yield Ruled(decision=replace(decision, minority=other_answers(groups, but=decision.winner)))

    def _decide(self, turn: Turn, names: Sequence[str], groups: Mapping[str, Sequence[Turn]]) -> Decision:
        under = dict(zip(names, labels(len(names)), strict=True))
        values = {name: read_field(turn, under[name]) for name in groups if name in under}
        scores = {name: float(score) for name, score in values.items() if isinstance(score, int | float)}
        none = Decision(status="no_decision", rule="ranking by the judge", tally=scores)
        if lacking := [name for name in values if name not in scores]:
            return replace(none, how=f"{self.by} gave no score for {', '.join(lacking)}")
        best = max(scores.values())
        tops = [name for name in scores if scores[name] == best]
        text = ", ".join(f"{name} {scores[name]:g}" for name in sorted(scores, key=lambda text: -scores[text]))
        how = f"{self.by} scores, of {MOST}: {text}"
        if len(tops) > 1:
            return replace(none, status="tie", how=f"tie: {how}")
        reason = read_field(turn, _reason_field(under[tops[0]]))
        how = f"{how}; on {tops[0]}: {clip(str(reason), 300)}" if reason else how
        return replace(none, status="decided", winner=tops[0], support=(self.by,), how=how)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keep:
    """All perspectives are kept side by side; nobody is asked.

    Attributes:
        acts: the acts whose newest turns hold the perspectives.
        agreed: whether the same answer of all debaters is a decision; else none is sought.
        name: what it is called in paths.
    """

    acts: tuple[str, ...]
    agreed: bool = False
    name: str = "keep"

    def play(self, state: State) -> Play:
        """Give the decision."""
        groups = candidates(state.transcript, self.acts, latest=True)
        kept_groups = {name: turns for name, turns in groups.items() if wording(turns[0]) is not None}
        none = Decision(status="no_decision", how=NOT_SOUGHT, minority=other_answers(groups))
        if self.agreed:
            ballots = answers_as_ballots(state, self.acts, kept_groups)
            decision = UNANIMITY.decide(ballots, tuple(kept_groups))
            if decision.status == "decided":
                how = f"all {len(ballots)} give the same answer"
                yield Ruled(decision=replace(with_words(decision, groups, state.transcript), how=how))
                return
            lacking = sum(ballot.state != "cast" for ballot in ballots)
            missing = f"; {lacking} of {len(ballots)} gave none that could be read" if lacking else ""
            how = f"different answers at the end: {len(kept_groups)}{missing}"
            none = replace(none, rule=UNANIMITY.name, tally=decision.tally, ballots=tuple(ballots), how=how)
        yield Ruled(decision=none)


def other_answers(groups: Mapping[str, Sequence[Turn]], but: str = "") -> tuple[Minority, ...]:
    """The answers that were not chosen, each with its supporters and best argument; without votes it has no share."""
    return tuple(
        Minority(
            answer=name, by=tuple(turn.by for turn in turns), argument=proposal_argument(turns[0]) or turns[0].text
        )
        for name, turns in groups.items()
        if name != but
    )


def _too_few_statements(by: str, groups: Mapping[str, Sequence[Turn]]) -> Decision:
    how = f"{by} has fewer than two statements to judge"
    return Decision(status="no_decision", rule=JUDGE, how=how, minority=other_answers(groups))


def _verdict(turn: Turn, groups: Mapping[str, Sequence[Turn]]) -> Ballot:
    """A judge's ballot with its reason, where it gave one."""
    ballot = ballot_for(turn, groups)
    reason = read_field(turn, REASON)
    return ballot if reason is None else replace(ballot, reason=str(reason))


def _ranking(n: int) -> Form:
    """A form with a score and a reason for each of that many statements."""
    fields: list[Field] = []
    for label in labels(n):
        fields.append(
            Field(name=_reason_field(label), help=f"what is strong and what is weak in the argument of {label}")
        )
        fields.append(
            Field(name=label, kind="number", low=0, high=MOST, help="0 is no argument, 10 could not be stronger")
        )
    return Form(name="ranking", fields=tuple(fields))


def _reason_field(label: str) -> str:
    """The field of the reason for a label: ``Why A`` for ``Proposal A``."""
    return f"Why {label.rpartition(' ')[2]}"
