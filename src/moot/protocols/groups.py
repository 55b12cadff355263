"""Debates in groups: many at the table, three to five in a debate. This file owns who hears what, and what goes across.

Each drafts alone, groups debate among themselves, and nobody outside a group reads what is said in it. Then each group
reports every answer that it holds, with its count and its best argument; all reconsider with the reports in view; and
all decide.
"""

from dataclasses import dataclass

from moot.core.ask import Ask
from moot.core.brief import Brief, View
from moot.core.event import Entered, Halted
from moot.core.form import Form
from moot.core.transcript import Transcript
from moot.phases import base
from moot.phases.choices import Choices
from moot.phases.endings import rule_of
from moot.phases.forms import draft, revision
from moot.phases.phases_base import ROOT, Phase, Play, Table
from moot.phases.speak import lay
from moot.phases.vote import Count, Vote
from moot.policy.groups import Teams, done, split
from moot.policy.rules import PLURALITY, Quorum
from moot.policy.showing import Showing
from moot.protocols.council import JURY_TASK, VOTE_TASK
from moot.protocols.grouped import ACROSS, REPORTING, Reconsider, Report

ACTS = ("draft", "revise")
"""The acts that hold answers."""

LEAST = 6
"""The fewest debaters of whom groups can be made."""

ALONE = "Answer the question on your own, from what you know and from the background."
"""Drafts come first and alone: what others say first is an anchor for those who come after."""

# As in a panel: names and counts make members follow each other, so there are none.
AMONG = (
    "Read the different answers of your group above; none of them is marked as yours. Keep your answer unless a claim "
    "in them, or evidence you overlooked, gives you a reason to change it. Then answer again."
)
LONGEST = 1500
"""The most characters of a proposal on a ballot: with thirty at the table a voter reads up to thirty."""


def grouped(brief: Brief, choices: Choices) -> Phase:
    """Drafts; groups of 3 to 5 debate among themselves; each reports to all others; all reconsider, then decide.

    For six or more. Who debates with whom is drawn by the seed. In each round all groups debate at once, authors
    hidden; a group that agrees, or in which nobody changes the answer, has done. One round by default, at most three.
    With options in the brief the newest answers are the votes.
    """
    choices.no_turn_mode("grouped")
    rounds = choices.at_most("grouped", 3, 1)
    names = brief.names("debater")
    seats = {name: brief.participant(name).seat for name in names}
    groups = split(names, seats, Table(brief=brief, transcript=Transcript()).chance("groups"))
    talk = Groups(groups=groups, rounds=rounds, drafted=draft(brief.options), revised=revision(brief.options))
    across = Reconsider(task=ACROSS, form=revision(brief.options))
    rule = Quorum(rule=rule_of(choices.strategy, PLURALITY))
    vote = Vote(rule=rule, acts=ACTS, task=VOTE_TASK, jury=JURY_TASK, clip=LONGEST, reasons=True)
    decide = Count(rule=rule, acts=ACTS, reasons=True) if brief.options else vote
    return base.Sequence(parts=(talk, Report(groups=groups, task=REPORTING, acts=ACTS), across, decide))


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """All draft alone, then each group debates for itself, all groups at once; each answer is for its group alone.

    It is one phase, closed to whatever is woven into rounds or behind turns: that would tell others of it.

    Attributes:
        groups: the groups.
        rounds: the greatest number of rounds behind the drafts.
        drafted: the fields of a draft.
        revised: the fields of an answer in a round.
        alone: the question for the drafts.
        among: the question in a round.
        name: what it is called in paths.
    """

    groups: Teams
    rounds: int
    drafted: Form
    revised: Form
    alone: str = ALONE
    among: str = AMONG
    name: str = "groups"

    def play(self, table: Table) -> Play:
        """Play the drafts and the rounds."""
        yield from self._ask_all(table.at("draft"), self.groups)
        if not table.transcript.turns("draft", under=table.path):
            asked = sum(map(len, self.groups))
            yield Halted(path=ROOT, reason=f"0 of {asked} answered, 1 are needed to go on")
        for n in range(1, self.rounds + 1):
            left = tuple(() if done(table.transcript, group, ACTS) else group for group in self.groups)
            if not any(left):
                return
            yield from self._ask_all(table.at(f"round-{n}"), left)

    def _ask_all(self, table: Table, groups: Teams) -> Play:
        yield Entered(path=table.path)
        yield [
            self._ask(table.at(f"group-{g}"), n, name, group)
            for g, group in enumerate(groups, start=1)
            for n, name in enumerate(group, start=1)
        ]

    def _ask(self, table: Table, n: int, name: str, group: tuple[str, ...]) -> Ask:
        debating = table.round > 0
        shown = Showing(acts=ACTS, distinct=True, shuffle=True)
        return Ask(
            key=table.key(n),
            to=name,
            act="revise" if debating else "draft",
            task=self.among if debating else self.alone,
            form=self.revised if debating else self.drafted,
            about=lay((shown,), table, name) if debating else (),
            audience=group,
            view=View(last=0, anonymous=debating),
        )
