"""The protocol ``council``: proposals, rounds of debate and a vote; also as ``debate_step``, which follows its source.

``council`` has Folkmoot's own defaults. ``debate_step`` follows the document of the source system exactly: names are
visible, texts are clipped to the documented lengths, a vote needs the whole formula, the first proposals are the
candidates, and if nobody wins, the first proposal does.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Ruled
from folkmoot.core.text import listed
from folkmoot.core.transcript import Turn, read_field
from folkmoot.phases.base import Phase, Play, Rounds, State
from folkmoot.phases.base import Sequence as Steps
from folkmoot.phases.choices import RANKED, Choices, ranks, rule_of
from folkmoot.phases.endings import mediator
from folkmoot.phases.ranked_vote import vote
from folkmoot.phases.speak import Everyone, draft, revision
from folkmoot.phases.vote import Vote, candidates, newest_proposals, visible_turns, with_words
from folkmoot.policy.rounds import Alike, Showing
from folkmoot.policy.rules import PLURALITY, UNANIMITY, WEIGHTED, FirstProposal, Quorum, Rule, Share

VOTING = ("majority", "weighted", "consensus", "moderator")
"""The voting strategies of the document."""

ACTS = ("propose", "revise")
PROPOSE = Everyone(act="propose", task="Propose a solution.", view=View(last=0), needs=1)
ALIKE = Alike(acts=ACTS, field="")
VOTE_TASK = (
    "Vote for the best proposal. You may vote for your own, or abstain. Give your reason in one or two sentences."
)
JURY_TASK = (
    "You have heard the debate. Vote for the best proposal, or abstain. Give your reason in one or two sentences."
)
"""What jurors are asked, who have no proposal of their own."""

PICK_TASK = "Select the best proposal for the topic, and say why."
DEBATE = (
    "{heading} Criticise them where they are weak, defend or modify your own, build on the others' ideas. Then write "
    "your updated proposal in full."
)
UNSTATED = 0.5
"""What a voter's level of expertise counts where none is stated, in the document."""

IN_ROUNDS = 500
"""How many characters of a proposal are shown in a round, in the document."""

IN_BALLOTS = 200
"""How many are shown on a ballot, in the document."""

PICK = "I pick"
"""The formula by which the moderator of a debate step chooses, and the name of its field."""


def council(brief: Brief, choices: Choices) -> Phase:
    """Proposals; rounds of critique and refinement; a winner by majority, weight, consensus, or the moderator.

    With options in the brief each proposal is one of them with an argument, and proposals of one option are one
    candidate.
    """
    choices.no_turn_mode("council")
    strategy, options = choices.strategy or "majority", brief.options
    if strategy == "moderator":
        by = mediator(brief, "council with strategy moderator")
        share = Share(name="moderator")
        decide: Phase = Vote(rule=share, acts=ACTS, task=PICK_TASK, who=(by,), closed=bool(options))
    elif ranks(choices):
        decide = vote(choices, brief, ACTS)
    else:
        unstated = UNSTATED if strategy == "weighted" else 1.0
        rule = Quorum(rule=rule_of(choices, PLURALITY, after=RANKED))
        decide = Vote(
            rule=rule,
            acts=ACTS,
            task=VOTE_TASK,
            jury=JURY_TASK,
            unstated=unstated,
            closed=bool(options),
        )
    heading = "Debate round {round}. You see all current proposals."
    rounds = _rounds(heading, 4000, 2 if choices.rounds is None else choices.rounds, strategy)
    if not options:
        return Steps(parts=(PROPOSE, rounds, decide))
    assert isinstance(rounds.each, Everyone)
    until = replace(ALIKE, field="ANSWER") if rounds.until else None
    rounds = replace(rounds, each=replace(rounds.each, form=revision(options)), until=until)
    return Steps(parts=(replace(PROPOSE, form=draft(options)), rounds, decide))


def debate_step(brief: Brief, *, voting: str, rounds: int, latest: bool = False) -> Phase:
    """The debate step as it is documented.

    Args:
        brief: the task as its topic, the context as its background, the agents as its debaters.
        voting: how the winner is found.
        rounds: the number of rounds after the proposals, from 0.
        latest: whether the text of the newest proposal wins; in the document it is that of the first.

    Voters and moderator see the whole debate and the newest proposals, so that they can be convinced; see ``Vote``.

    Raises:
        ProtocolError: an unknown strategy, or ``moderator`` without one.
    """
    heading = (
        "Debate Round {round}\n\nCurrent Proposals: all of them are above, each under its author's name; long ones "
        f"are cut after {IN_ROUNDS} characters."
    )
    return Steps(
        parts=(PROPOSE, _rounds(heading, IN_ROUNDS, rounds, voting), _decide(brief, voting, rounds, latest=latest))
    )


def _rounds(heading: str, clip: int, limit: int, strategy: str) -> Rounds:
    """Rounds in which all see all current proposals; with the strategy consensus they end when all agree."""
    task = DEBATE.replace("{heading}", heading)
    revise = Everyone(act="revise", task=task, show=(Showing(acts=ACTS),), view=View(last=0, clip=clip))
    return Rounds(each=revise, most=limit, until=ALIKE if strategy == "consensus" else None)


def _decide(brief: Brief, voting: str, rounds: int, *, latest: bool) -> Phase:
    if voting == "moderator":
        by = mediator(brief, "the voting strategy moderator")
        return Choose(by=by, acts=ACTS, task=PICK_TASK, latest=latest)
    rules: Mapping[str, Rule] = {
        "majority": PLURALITY,
        "weighted": Weighed(rule=WEIGHTED),
        "consensus": OrElse(first=UNANIMITY, then=PLURALITY),
    }
    if voting not in rules:
        raise ProtocolError(f"no voting strategy is called {voting!r}; there are {', '.join(VOTING)}", about="strategy")
    vote = Vote(
        rule=FirstProposal(rule=rules[voting]),
        acts=ACTS,
        task=VOTE_TASK,
        latest=latest,
        anonymous=False,
        strict=True,
        clip=IN_ROUNDS if rounds else IN_BALLOTS,
        unstated=UNSTATED if voting == "weighted" else 1.0,
        heard=rounds > 0,
    )
    return Elect(vote=vote, agreed=voting == "consensus")


@dataclass(frozen=True, slots=True, kw_only=True)
class Elect:
    """A vote that always has a winner where there is a proposal: its rule falls back.

    Attributes:
        vote: the vote.
        agreed: whether no vote is held where the newest texts of all are alike; then that text wins.
        name: what it is called in paths.
    """

    vote: Vote
    agreed: bool = False
    name: str = "vote"

    def play(self, state: State) -> Play:
        """Hold the vote, where there is something to vote on."""
        acts, transcript = self.vote.acts, state.transcript
        if self.agreed and (how := replace(ALIKE, acts=acts).met(transcript)):
            agreeing = [turn for turns in candidates(transcript, acts, latest=True).values() for turn in turns]
            decision = _unanimous([turn.by for turn in agreeing], how)
            yield Ruled(decision=with_words(decision, {decision.winner: agreeing}, transcript))
            return
        groups = candidates(transcript, acts, latest=self.vote.latest)
        if len(groups) == 1:
            yield Ruled(decision=with_words(self.vote.rule.decide((), tuple(groups)), groups, transcript))
        else:
            yield from self.vote.play(state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose:
    """One picks the best proposal, names and whole texts in sight; where none is picked the first one wins.

    It sees the debate and the newest proposals. Where its choice can't be read the first proposal wins, as the document
    has it, unless it names somebody: a proposal that it may have turned down, or passed over, doesn't win.

    Attributes:
        by: who picks.
        acts: the acts that are proposals.
        task: what to do.
        latest: whether each author's newest proposal can be picked, or the first.
        name: what it is called in paths.
    """

    by: str
    acts: tuple[str, ...]
    task: str
    latest: bool = False
    name: str = "vote"

    def play(self, state: State) -> Play:
        """Ask for the choice."""
        transcript = state.transcript
        groups = candidates(transcript, self.acts, latest=self.latest)
        shown = visible_turns(state, self.by, newest_proposals(transcript, groups, self.acts))
        ballots: list[Ballot] = []
        named: tuple[str, ...] = ()
        if len(groups) > 1 and shown:
            debated = len(transcript.turns(*self.acts)) > len(transcript.first(*self.acts))
            yield [self._ask(state, shown, View(last=None if debated else 0))]
            turn = transcript.get(state.key(1))
            ballots.append(self._ballot(turn))
            if turn.reply and ballots[0].state == "unread":
                named = _named_in(turn.text, tuple(groups))
        rule: Rule = Share(name="moderator")
        decision = (rule if named else FirstProposal(rule=rule)).decide(ballots, tuple(groups))
        if named:
            how = "names {} without picking {}".format(listed(named), "one of them" if named[1:] else "it")
            decision = replace(decision, how=f"{self.by} {how}")
        yield Ruled(decision=with_words(decision, groups, transcript))

    def _ask(self, state: State, shown: Mapping[str, Turn], view: View) -> Ask:
        return Ask(
            key=state.key(1),
            to=self.by,
            act="vote",
            task=self.task,
            form=Form(name="choice", layout="line", fields=(Field(name=PICK, kind="choice", choices=tuple(shown)),)),
            about=tuple(turn.key for turn in shown.values()),
            view=view,
        )

    def _ballot(self, turn: Turn) -> Ballot:
        if turn.reply is None:
            return Ballot(voter=self.by, state="missing", reason=turn.failure)
        choice = read_field(turn, PICK)
        if choice is None:
            return Ballot(voter=self.by, state="unread", reason=turn.why_unread)
        return Ballot(voter=self.by, choice=str(choice))


def _named_in(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that stand in a text as words."""
    return tuple(name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


@dataclass(frozen=True, slots=True, kw_only=True)
class OrElse:
    """A rule, and another one where the first finds no winner; ``how`` says so.

    Attributes:
        first: the rule that is tried first; a decision has the name of the rule that made it.
        then: the other one.
    """

    first: Rule
    then: Rule

    @property
    def name(self) -> str:
        """The name of the first rule."""
        return self.first.name

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see ``policy.rules.Rule``."""
        decision = self.first.decide(ballots, candidates)
        if decision.status == "decided":
            return decision
        other = self.then.decide(ballots, candidates)
        return replace(other, how=f"{decision.how}; fallback: {self.then.name}: {other.how}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Another rule, applied only where the votes that were cast weigh anything: levels of expertise may be 0."""

    rule: Rule

    @property
    def name(self) -> str:
        """The name of the rule within."""
        return self.rule.name

    def decide(self, ballots: Sequence[Ballot], candidates: Sequence[str]) -> Decision:
        """Decide; see ``policy.rules.Rule``."""
        cast = [ballot for ballot in ballots if ballot.state == "cast"]
        if not cast or any(ballot.weight for ballot in cast):
            return self.rule.decide(ballots, candidates)
        how = f"the votes of {len(cast)} voters weigh nothing" if len(cast) > 1 else "the only vote weighs nothing"
        tally = dict.fromkeys(candidates, 0.0)
        return Decision(status="no_decision", rule=self.name, tally=tally, ballots=tuple(ballots), how=how)


def _unanimous(names: Sequence[str], how: str) -> Decision:
    """The decision where all give the same text."""
    return Decision(
        status="decided",
        winner=names[0],
        rule=UNANIMITY.name,
        share=1.0,
        support=tuple(names),
        strength="unanimous",
        how=f"{how}: there was no vote",
        tally=dict.fromkeys(names, 0.0),
    )
