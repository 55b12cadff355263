"""Answers that nobody else has read: several of one participant, and their count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Form
from folkmoot.core.brief import View
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Halted, Ruled
from folkmoot.core.transcript import Turn, read_field, wording
from folkmoot.phases.base import ROOT, Play, State
from folkmoot.phases.speak import asked_names
from folkmoot.phases.vote import proposal_argument, with_weight, with_words
from folkmoot.policy.rounds import confidence
from folkmoot.policy.rules import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """So many answers to one question, all at once: the participants are asked in turn, each as often as it takes.

    Attributes:
        number: how many answers.
        task: the question.
        form: the fields that an answer must have.
        who: names of those who are asked; empty for all debaters.
        view: which turns of the log go along.
        name: what it is called in paths, and the act of the answers.
    """

    number: int
    task: str
    form: Form | None = None
    who: tuple[str, ...] = ()
    view: View = View(last=0)
    name: str = "draft"

    def play(self, state: State) -> Play:
        """Ask for all answers."""
        names = asked_names(state, self.who)
        asks = [
            Ask(
                key=state.key(n + 1),
                to=names[n % len(names)],
                act=self.name,
                task=self.task,
                form=self.form,
                view=self.view,
            )
            for n in range(self.number)
        ]
        yield asks
        if not any(state.transcript.get(ask.key).reply for ask in asks):
            yield Halted(path=ROOT, reason=f"none of {len(asks)} answered")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountEach:
    """Every answer is a vote, also several of one participant; nobody is asked again.

    Of a participant with several answers each has a ballot of its own: ``Ada #1``, ``Ada #2``.

    Attributes:
        rule: answers to decision.
        acts: the acts that hold an ANSWER; one that could not be read is no vote and no candidate.
        who: names of those whose answers count; empty for all debaters.
        name: what it is called in paths.
    """

    rule: Rule
    acts: tuple[str, ...]
    who: tuple[str, ...] = ()
    name: str = "count"

    def play(self, state: State) -> Play:
        """Count the answers."""
        names = asked_names(state, self.who)
        turns = [turn for turn in state.transcript.all() if turn.act in self.acts and turn.by in names]
        yield Ruled(decision=self._decide(state, turns))

    def _decide(self, state: State, turns: Sequence[Turn]) -> Decision:
        groups = answers_in_groups(turns)
        ballots = [_ballot(state, voter, turn, groups) for voter, turn in zip(voters(turns), turns, strict=True)]
        decision = self.rule.decide(ballots, state.brief.options or tuple(groups))
        decision = replace(with_words(decision, groups, state.transcript), first={})
        if len(turns) != 1:
            return decision
        by = turns[0].by
        if decision.status != "decided":
            return replace(decision, how=f"{by} gave no answer that could be read")
        return replace(decision, how=f"{by} answered alone: nothing was compared")


def answers_in_groups(turns: Sequence[Turn]) -> dict[str, list[Turn]]:
    """The answers that could be read, those of the same wording together; the surest turn of a group is its first."""
    by_wording: dict[str, list[Turn]] = {}
    for turn in turns:
        if (words := wording(turn)) is not None:
            by_wording.setdefault(words, []).append(turn)
    ordered = [sorted(group, key=confidence, reverse=True) for group in by_wording.values()]
    return {str(read_field(group[0], "ANSWER")): group for group in ordered}


def voters(turns: Sequence[Turn]) -> tuple[str, ...]:
    """A name for the author of each turn, with a number where somebody has several."""
    authors = [turn.by for turn in turns]
    numbers = [authors[: n + 1].count(author) for n, author in enumerate(authors)]
    return tuple(
        f"{author} #{number}" if authors.count(author) > 1 else author
        for author, number in zip(authors, numbers, strict=True)
    )


def _ballot(state: State, voter: str, turn: Turn, groups: Mapping[str, Sequence[Turn]]) -> Ballot:
    ballot = replace(with_weight(state, Ballot(voter=turn.by)), voter=voter)
    if turn.reply is None:
        return replace(ballot, state="missing", reason=turn.failure)
    choice = next((name for name, group in groups.items() if turn in group), "")
    if not choice:
        return replace(ballot, state="unread", reason=turn.why_unread)
    return replace(ballot, choice=choice, reason=proposal_argument(turn))
