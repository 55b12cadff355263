"""Voting: ballots, how they are read, and how votes, answers or a moderator's verdict become the decision.

A ballot is read only from the voter's own answer to its own question, by one strict reader.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import ABSTAIN, Ask, Field, Form
from folkmoot.core.brief import View
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.event import Halted, Ruled
from folkmoot.core.roles import measured_weights, weight_field
from folkmoot.core.text import letter
from folkmoot.core.transcript import Transcript, Turn, read_field, voter_reason, wording
from folkmoot.phases.base import Play, State
from folkmoot.phases.speak import asked_names
from folkmoot.policy.early_stop import UNASKED, Early
from folkmoot.policy.rounds import confidence
from folkmoot.policy.rules import Rule, opposing_votes

BALLOT = "I vote for"
"""The formula of a ballot, and the name of its field."""


def ballot_form(choices: Sequence[str], *, strict: bool = False) -> Form:
    """The form of a ballot with these choices; ``strict``: whether the formula needs its colon."""
    field = Field(name=BALLOT, kind="choice", choices=tuple(choices), abstain=True)
    return Form(name="ballot", layout="line", fields=(field,), strict=strict)


def with_weight(state: State, ballot: Ballot, *, unstated: float = 1.0) -> Ballot:
    """The ballot with the weight of its voter.

    If a vote weigher was asked, it is the weight that it gave, or 1 for all if that was not readable; else what the
    brief states, or ``unstated`` where it states none.
    """
    if (measured := measured_weights(state.brief, state.transcript)) is not None:
        return replace(ballot, weight=measured.get(weight_field(ballot.voter), 1.0))
    weight = state.brief.participant(ballot.voter).weight
    return replace(ballot, weight=unstated if weight is None else weight)


def visible_turns(state: State, voter: str, groups: Mapping[str, Sequence[Turn]]) -> dict[str, Turn]:
    """For each candidate the first of its turns that the voter may see; hidden candidates are left out."""
    visible = {name: [turn for turn in turns if state.transcript.sees(voter, turn)] for name, turns in groups.items()}
    return {name: turns[0] for name, turns in visible.items() if turns}


def labels(n: int) -> tuple[str, ...]:
    """The labels of n proposals: ``Proposal A``, ``Proposal B`` … ``Proposal Z``, ``Proposal AA`` …"""
    return tuple(f"Proposal {letter(i)}" for i in range(n))


def read_ballot(turn: Turn) -> Ballot:
    """A voter's ballot from its own answer, with the words beside its formula."""
    voter = turn.by
    if turn.reply is None:
        return Ballot(voter=voter, state="missing", reason=turn.failure)
    choice = read_field(turn, BALLOT)
    if choice == ABSTAIN:
        return Ballot(voter=voter, state="abstained")
    if choice is None:
        return Ballot(voter=voter, state="unread", reason=turn.why_unread)
    return Ballot(voter=voter, choice=str(choice), reason=voter_reason(turn))


def ballot_for(turn: Turn, groups: Mapping[str, Sequence[Turn]]) -> Ballot:
    """A voter's ballot for the candidate whose turn had the chosen label; see ``read_ballot``."""
    ballot = read_ballot(turn)
    if ballot.state == "cast" and turn.ask and turn.ask.form:
        labelled = next(field.choices for field in turn.ask.form.fields if field.name == BALLOT)
        chosen = turn.about[labelled.index(ballot.choice)]
        names = [name for name, turns in groups.items() if chosen in [turn.key for turn in turns]]
        return replace(ballot, choice=names[0])
    return ballot


JURY = "You have heard the debate. Vote for the answer that the arguments bear out; you may abstain."
"""What jurors are asked where the debaters' answers are their votes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """All vote at once for one of the proposals.

    Proposals with the same answer are one candidate. With fewer than two candidates no vote is held.

    Attributes:
        rule: ballots to decision.
        acts: the acts that are proposals.
        task: what to do.
        jury: what jurors are to do, who have no proposal of their own; "" for the same.
        who: names of the voters; empty for all debaters and jurors.
        latest: whether each author's newest proposal is the candidate, or the first.
        anonymous: whether the proposals have letters instead of names, in a random order for each voter.
        strict: whether the formula needs its colon.
        clip: the most characters shown of each proposal.
        unstated: the weight of a voter for whom the brief states none.
        name: what it is called in paths.
        early: reasons to ask no further voter; with any, voters are asked one after the other, in an order drawn by
            chance.
        closed: whether only proposals with an ANSWER that could be read are candidates; see ``candidates``.
        heard: whether voters see the debate, and the newest proposal of each author, whichever are the candidates.
    """

    rule: Rule
    acts: tuple[str, ...]
    task: str
    jury: str = ""
    who: tuple[str, ...] = ()
    latest: bool = True
    anonymous: bool = True
    strict: bool = False
    clip: int | None = None
    unstated: float = 1.0
    name: str = "vote"
    early: tuple[Early, ...] = ()
    closed: bool = False
    heard: bool = False

    def play(self, state: State) -> Play:
        """Run the vote."""
        groups = candidates(state.transcript, self.acts, latest=self.latest, closed=self.closed)
        if len(groups) < 2:
            yield Ruled(decision=uncontested(state, groups, self.rule, self.acts))
            return
        voters = self.who or (*asked_names(state, ()), *state.brief.names("juror"))
        groups_shown = newest_proposals(state.transcript, groups, self.acts) if self.heard else groups
        shown = {voter: visible_turns(state, voter, groups_shown) for voter in voters}
        # A voter who can see none of the proposals is not asked, and counts as missing.
        asks = {voter: self.ask(state, n, voter, shown[voter]) for n, voter in enumerate(voters, start=1)}
        ballot_asks = [asks[voter] for voter in voters if shown[voter]]
        ballots = {voter: Ballot(voter=voter, state="missing") for voter in voters}
        if self.early:
            state.chance("voters").shuffle(ballot_asks)
            left = {ask.to: replace(ballots[ask.to], reason=UNASKED) for ask in ballot_asks}
            ballots |= {name: with_weight(state, ballot, unstated=self.unstated) for name, ballot in left.items()}
        for n, batch in enumerate([[ask] for ask in ballot_asks] if self.early else [ballot_asks]):
            if reason := self._why_complete(ballots, [ask.to for ask in ballot_asks[n:]], tuple(groups)):
                yield Halted(path=state.path, reason=reason)
                break
            yield batch
            ballots_read = [ballot_for(state.transcript.get(ask.key), groups_shown) for ask in batch]
            ballots |= {ballot.voter: with_weight(state, ballot, unstated=self.unstated) for ballot in ballots_read}
        decision = self.rule.decide(tuple(ballots.values()), tuple(groups))
        yield Ruled(decision=with_words(decision, groups, state.transcript))

    def _why_complete(self, ballots: Mapping[str, Ballot], left: Sequence[str], names: tuple[str, ...]) -> str:
        """Why no remaining voter needs to be asked; "" if one must."""
        cast = [ballot for name, ballot in ballots.items() if name not in left]
        for early in self.early:
            if reason := early.met(self.rule, cast, [ballots[name] for name in left], names):
                return f"{reason}; {len(left)} of {len(ballots)} calls of the vote saved"
        return ""

    def ask(self, state: State, n: int, voter: str, proposals: Mapping[str, Turn]) -> Ask:
        """The n-th ballot, from 1: of a voter who sees these proposals."""
        names = list(proposals)
        if self.anonymous:
            state.chance(voter).shuffle(names)
        choices = labels(len(names)) if self.anonymous else tuple(names)
        return Ask(
            key=state.key(n),
            to=voter,
            act="vote",
            task=(state.brief.participant(voter).duty == "juror" and self.jury) or self.task,
            form=ballot_form(choices, strict=self.strict),
            about=tuple(proposals[name].key for name in names),
            view=View(last=None if self.heard else 0, anonymous=self.anonymous, clip=self.clip),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The newest answers are the votes: no debater is asked again. Jurors, without an answer, are asked for a vote.

    Attributes:
        rule: answers to decision.
        acts: the acts that hold an ANSWER; one that could not be read is no vote and no candidate.
        name: what it is called in paths.
        task: what jurors are to do.
    """

    rule: Rule
    acts: tuple[str, ...]
    name: str = "count"
    task: str = JURY

    def play(self, state: State) -> Play:
        """Count the answers."""
        latest_answers = candidates(state.transcript, self.acts, latest=True)
        groups = {name: turns for name, turns in latest_answers.items() if wording(turns[0]) is not None}
        ballots = answers_as_ballots(state, self.acts, groups)
        options = state.brief.options or tuple(groups)
        if not options:
            yield Ruled(decision=uncontested(state, {}, self.rule, self.acts))
            return
        jurors = state.brief.names("juror") if len(options) > 1 else ()
        asks = {juror: self._ask(state, n, juror, groups) for n, juror in enumerate(jurors, start=1)}
        if ballot_asks := [ask for ask in asks.values() if ask.form]:
            yield ballot_asks
        ballots += [with_weight(state, self._ballot(state, ask, groups)) for ask in asks.values()]
        decision = self.rule.decide(ballots, options)
        yield Ruled(decision=with_words(decision, groups, state.transcript))

    def _ask(self, state: State, n: int, juror: str, groups: Mapping[str, Sequence[Turn]]) -> Ask:
        """A juror's ballot; without a form for one who may see none of the answers that can be chosen."""
        shown = visible_turns(state, juror, groups)
        ask = Vote(rule=self.rule, acts=self.acts, task=self.task).ask(state, n, juror, shown)
        options = state.brief.options
        return replace(ask, form=ballot_form(options) if options else ask.form if shown else None)

    def _ballot(self, state: State, ask: Ask, groups: Mapping[str, Sequence[Turn]]) -> Ballot:
        if ask.form is None:
            return Ballot(voter=ask.to, state="missing")
        turn = state.transcript.get(ask.key)
        return read_ballot(turn) if state.brief.options else ballot_for(turn, groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopt:
    """The decision is in the newest turn of the moderator.

    Attributes:
        act: the moderator's act.
        field: the field that holds the decision.
        status: the field that must say ``value``; "" if none must.
        value: what it must say.
        otherwise: the field that stands in where the moderator says ``value`` and leaves out a decision in free words.
        rule: what this is called in the decision.
        name: what it is called in paths.
    """

    act: str = "moderate"
    field: str = "DECISION"
    status: str = "STATUS"
    value: str = "SETTLED"
    otherwise: str = "SUMMARY"
    rule: str = "moderator"
    name: str = "adopt"

    def play(self, state: State) -> Play:
        """Adopt the moderator's decision."""
        turns = [turn for turn in state.transcript.all() if turn.act == self.act]
        newest = turns[-1] if turns else None
        yield Ruled(decision=self._read(newest))

    def _read(self, turn: Turn | None) -> Decision:
        none = Decision(status="no_decision", rule=self.rule)
        if turn is None or turn.reply is None:
            return replace(none, how=f"the {self.rule} gave no answer")
        if self.status:
            status = read_field(turn, self.status)
            if status is None:
                return replace(none, how=f"{turn.by}'s {self.status} could not be read")
            if status != self.value:
                return replace(none, how=f"{turn.by} says {status}: the rounds were used up")
        text = read_field(turn, self.field)
        if text is not None:
            return replace(none, status="decided", text=str(text), how=f"{turn.by} gave the {self.field.lower()}")
        text = read_field(turn, self.otherwise) if self.status and self._is_left_out(turn) else None
        if text is None:
            return replace(none, how=f"{turn.by} gave no {self.field}")
        instead = f"{turn.by} says {self.value} without a {self.field}: the {self.otherwise} replaces it"
        return replace(none, status="decided", text=str(text), how=instead)

    def _is_left_out(self, turn: Turn) -> bool:
        """Whether a decision in free words is not there at all; one that could not be read is none."""
        fields = turn.ask.form.fields if turn.ask and turn.ask.form else ()
        free = any(field.name == self.field and field.kind == "text" for field in fields)
        unread = turn.reply.unread if turn.reply else ()
        return free and all(each.reason in ("missing", "empty") for each in unread if each.field == self.field)


def candidates(
    transcript: Transcript, acts: tuple[str, ...], *, latest: bool, closed: bool = False
) -> dict[str, list[Turn]]:
    """The candidates: name to turns, those with the same ANSWER together.

    A candidate is named by its answer where the proposals have one, else by its author; where two would have one
    name, the author is added. Its first turn is the one with the most confidence.

    Args:
        transcript: of the debate.
        acts: the acts that are proposals.
        latest: whether each author's newest proposal counts, or the first.
        closed: whether a proposal without an ANSWER is none, as where the brief names the possible answers.
    """
    turns_by_answer: dict[str, list[Turn]] = {}
    for turn in transcript.latest(*acts) if latest else transcript.first(*acts):
        answer = wording(turn)
        if answer is None and closed:
            continue
        turns_by_answer.setdefault(f"by {turn.key}" if answer is None else f"answer {answer}", []).append(turn)
    named: dict[str, list[Turn]] = {}
    for turns in turns_by_answer.values():
        answer = read_field(turns[0], "ANSWER")
        name = turns[0].by if answer is None else str(answer)
        while name in named:
            name = f"{name} ({turns[0].by})"
        named[name] = sorted(turns, key=confidence, reverse=True)
    return named


def newest_proposals(
    transcript: Transcript, groups: Mapping[str, Sequence[Turn]], acts: tuple[str, ...]
) -> dict[str, tuple[Turn, ...]]:
    """For each candidate the newest proposals of the authors of its turns."""
    latest = {turn.by: turn for turn in transcript.latest(*acts)}
    return {name: tuple(latest[turn.by] for turn in turns) for name, turns in groups.items()}


def answers_as_ballots(state: State, acts: tuple[str, ...], groups: Mapping[str, Sequence[Turn]]) -> list[Ballot]:
    """For each debater the newest answer as a ballot for the candidate that it belongs to."""
    holds = {turn.key: name for name, turns in groups.items() for turn in turns}
    ballots: list[Ballot] = []
    for voter in asked_names(state, ()):
        ballot = with_weight(state, Ballot(voter=voter))
        turn = state.transcript.last(voter, *acts)
        if turn is None or turn.reply is None:
            ballots.append(replace(ballot, state="missing", reason="no answer"))
        elif turn.key in holds:
            ballots.append(replace(ballot, choice=holds[turn.key]))
        else:
            ballots.append(replace(ballot, state="unread", reason=turn.why_unread))
    return ballots


def uncontested(state: State, groups: Mapping[str, Sequence[Turn]], rule: Rule, acts: tuple[str, ...]) -> Decision:
    """The decision if there are fewer than two candidates: the same answer by two or more is counted by the rule."""
    none = Decision(status="no_decision", rule=rule.name, first=first_tally(state.transcript, groups))
    if not groups:
        return replace(none, how="there is no proposal")
    ((name, turns),) = groups.items()
    if len(turns) < 2:
        return replace(none, how=f"{name} is the only proposal: there was no vote")
    decision = rule.decide(answers_as_ballots(state, acts, groups), (name,))
    counted = with_words(decision, groups, state.transcript)
    if decision.status != "decided":
        return counted
    return replace(counted, how=f"all {len(turns)} who answered give the same answer: no vote was needed")


def with_words(decision: Decision, groups: Mapping[str, Sequence[Turn]], transcript: Transcript) -> Decision:
    """A rule's decision with the words of the proposals: text, dissent, minority answers, tally of the first drafts."""
    winner = groups.get(decision.winner)
    lost = [name for name in groups if name != decision.winner]
    total = sum(decision.tally.values())
    voters = {name: tuple(ballot.voter for ballot in decision.ballots if ballot.choice == name) for name in lost}
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
    return replace(
        decision,
        text=proposal_text(winner[0]) if winner else "",
        argument=proposal_argument(winner[0]) if winner else "",
        first=first_tally(transcript, groups),
        dissent=opposing_votes(cast, decision.winner) if decision.winner else decision.dissent,
        minority=tuple(
            Minority(
                answer=name,
                by=voters[name] if total else tuple(turn.by for turn in groups[name]),
                share=decision.tally.get(name, 0.0) / total if total else 0.0,
                argument=proposal_argument(groups[name][0]) or groups[name][0].text,
            )
            for name in lost
        ),
    )


def first_tally(transcript: Transcript, groups: Mapping[str, Sequence[Turn]]) -> dict[str, float]:
    """How many first drafts gave which answer; empty if drafts give no ANSWER."""
    names = {wording(turns[0]): name for name, turns in groups.items()}
    tally: dict[str, float] = {}
    for turn in transcript.first("draft"):
        if (answer := read_field(turn, "ANSWER")) is not None:
            name = names.get(wording(turn), str(answer))
            tally[name] = tally.get(name, 0.0) + 1.0
    return tally


def proposal_text(turn: Turn) -> str:
    """The proposed answer: its ANSWER where it has one, else its text."""
    answer = read_field(turn, "ANSWER")
    return turn.text if answer is None else str(answer)


def proposal_argument(turn: Turn) -> str:
    """The ARGUMENT given for a proposal; "" if it has no such field."""
    value = read_field(turn, "ARGUMENT")
    return "" if value is None else str(value)
