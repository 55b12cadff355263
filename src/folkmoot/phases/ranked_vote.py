"""Ranked voting: the question to each voter, how a ranking is read, and the decision that follows.

Every answer is a candidate under its author's name, even if two are the same, so that nobody has to rank its own
answer. If equal answers share the first place, this is no tie.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief, View
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.errors import ProtocolError
from folkmoot.core.event import Ruled
from folkmoot.core.transcript import Transcript, Turn, read_field, wording
from folkmoot.phases.base import Play, State
from folkmoot.phases.choices import COUNTING, RANKED, Choices, counting_rule
from folkmoot.phases.speak import asked_names
from folkmoot.phases.vote import candidates, labels, uncontested, visible_turns, with_weight, with_words
from folkmoot.policy.rounds import confidence
from folkmoot.policy.rules import Rule, opposing_votes

RULES: Mapping[str, Rule] = {name: COUNTING[name].rule for name in RANKED}
"""The built-in rules by which rankings are counted, by the words of a brief."""

RANKING = "RANKING"
"""The field of a ranking."""

ACCEPTABLE = "ACCEPTABLE"
"""The field of what a voter approves of."""

# Length and confident tone move judges who are not warned; their own answer is not there to be preferred.
RANK = (
    "Above are answers of others to the topic, without names. Rank them by how right and how well founded they are; "
    "neither length nor style counts."
)
APPROVE = (
    "Above are answers of others to the topic, without names. Say which of them you could accept as the result: as "
    "many as you like, in any order. Neither length nor style counts."
)
SCORE = (
    "Above are answers of others to the topic, without names. Give each a score from 0 to {most} by how right and "
    "how well founded it is; neither length nor style counts. Use the whole scale."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """All rank the newest answers of the others in parallel, under letters in a random order for each voter.

    A voter who can see fewer than two is not asked.

    Attributes:
        acts: the acts that are answers.
        rule: rankings to decision; None if only later phases look at them.
        task: what to do.
        approve: whether the voters name whom they approve of, and rank nobody.
        name: what it is called in paths.
        closed: whether only those with an ANSWER that could be read are candidates.
        most: the highest score that the voters can give each answer; 0 where they give none.
    """

    acts: tuple[str, ...]
    rule: Rule | None = None
    task: str = RANK
    approve: bool = False
    name: str = "rank"
    closed: bool = False
    most: int = 0

    def play(self, state: State) -> Play:
        """Ask for the rankings, and decide where there is a rule."""
        groups = candidates(state.transcript, self.acts, latest=True, closed=self.closed)
        if self.rule and len(groups) < 2:
            yield Ruled(decision=uncontested(state, groups, self.rule, self.acts))
            return
        asks = [ask for n, voter in enumerate(voters(state), 1) if (ask := self._ask(state, n, voter))]
        if asks:
            yield asks
        if self.rule:
            answers = newest_answers(state.transcript, self.acts, closed=self.closed)
            counted = self.rule.decide(rankings(state), tuple(answers))
            yield Ruled(decision=_with_answer_texts(counted, answers, state.transcript))

    def _ask(self, state: State, n: int, voter: str) -> Ask | None:
        """The n-th ballot, from 1; None for a voter who has nothing to rank."""
        answers = newest_answers(state.transcript, self.acts, closed=self.closed)
        groups = {name: (turn,) for name, turn in answers.items() if name != voter}
        names = list(shown := visible_turns(state, voter, groups))
        if len(names) < 2:
            return None
        state.chance(voter).shuffle(names)
        return Ask(
            key=state.key(n),
            to=voter,
            act="vote",
            task=self.task,
            form=score_sheet(len(names), self.most) if self.most else ranking_form(len(names), approve=self.approve),
            about=tuple(shown[name].key for name in names),
            view=View(last=0, anonymous=True),
        )


def ranking_form(n: int, *, approve: bool = False) -> Form:
    """The form of a ranking of that many answers, or of an approval of some of them."""
    reason = Field(name="REASON", help="what the best of them has and the others lack, in a sentence or two")
    order = "the labels alone, the best first; whoever you leave out ranks below all others"
    acceptable = "the labels alone of those that you could accept"
    name, instruction = (ACCEPTABLE, acceptable) if approve else (RANKING, order)
    return Form(name="ranking", fields=(reason, Field(name=name, kind="list", choices=labels(n), help=instruction)))


def score_sheet(n: int, best: int) -> Form:
    """The form of a score for each of that many answers."""
    reason = Field(name="REASON", help="what the best of them has and the others lack, in a sentence or two")
    instruction = f"the score of {{}}; 0 is worst, {best} is best"
    scores = [
        Field(name=_score(text), kind="number", low=0, high=best, help=instruction.format(text)) for text in labels(n)
    ]
    return Form(name="ranking", fields=(reason, *scores))


def _score(label: str) -> str:
    """The field of the score of a label: ``SCORE A`` for ``Proposal A``."""
    return f"SCORE {label.rpartition(' ')[2]}"


def vote(choices: Choices, brief: Brief, acts: tuple[str, ...]) -> Ranking:
    """The phase that decides by rankings or scores, for a strategy that counts them.

    Raises:
        ProtocolError: nobody could rank two answers that are not its own.
    """
    strategy, rule = choices.strategy, counting_rule(choices.strategy, choices.strategy_options)
    assert rule is not None
    if len(brief.names("debater")) < 3 and not brief.names("juror"):
        problem = f"{strategy} ranks the answers of others: it needs at least 3 debaters, or jurors"
        raise ProtocolError(problem, about="strategy")
    approve, best = rule.ballot == "approval", rule.most if rule.ballot == "scores" else 0
    usual = SCORE.replace("{most}", str(best)) if best else APPROVE if approve else RANK
    return Ranking(
        acts=acts,
        rule=rule.rule,
        task=rule.task or usual,
        approve=approve,
        closed=bool(brief.options),
        most=best,
    )


def voters(state: State) -> tuple[str, ...]:
    """Who ranks: all debaters and jurors."""
    return (*asked_names(state, ()), *state.brief.names("juror"))


def newest_answers(transcript: Transcript, acts: tuple[str, ...], *, closed: bool = False) -> dict[str, Turn]:
    """The newest answer of each author; ``closed``: only where its ANSWER could be read."""
    return {turn.by: turn for turn in transcript.latest(*acts) if not closed or wording(turn) is not None}


def rankings(state: State) -> list[Ballot]:
    """Everybody's ballot, in the voters' order, with the authors for the labels."""
    ballots = {turn.by: turn for turn in state.transcript.all() if _is_ranking(turn)}
    unasked = Ballot(voter="", state="missing", reason="fewer than two answers to rank")
    return [
        with_weight(
            state, _read(ballots[voter], state.transcript) if voter in ballots else replace(unasked, voter=voter)
        )
        for voter in voters(state)
    ]


def _is_ranking(turn: Turn) -> bool:
    return turn.act == "vote" and turn.ask is not None and turn.ask.form is not None and turn.ask.form.name == "ranking"


def _read(turn: Turn, transcript: Transcript) -> Ballot:
    """A voter's ballot: a list of labels from its question, none of them twice; anything else is not readable."""
    ballot = Ballot(voter=turn.by, state="missing", reason=turn.failure)
    if turn.reply is None or turn.ask is None:
        return ballot
    if turn.ask.form and turn.ask.form.fields[-1].kind == "number":
        return _read_scores(turn, turn.ask, ballot, transcript)
    ranking, approved = read_field(turn, RANKING), read_field(turn, ACCEPTABLE)
    chosen = approved if ranking is None else ranking
    authors = dict(zip(labels(len(turn.about)), (transcript.get(key).by for key in turn.about), strict=True))
    if (
        not isinstance(chosen, tuple)
        or not chosen
        or len(set(chosen)) < len(chosen)
        or not set(chosen) <= authors.keys()
    ):
        return replace(ballot, state="unread", reason=turn.why_unread or "no list of the labels")
    names = tuple(authors[label] for label in chosen)
    tiers = (names,) if ranking is None else tuple((name,) for name in names)
    reason = read_field(turn, "REASON")
    return replace(ballot, state="cast", choice=names[0], ranks=tiers, reason=str(reason or ""))


def _read_scores(turn: Turn, ask: Ask, ballot: Ballot, transcript: Transcript) -> Ballot:
    """A voter's ballot of scores: all of them could be read, or the ballot is not readable."""
    scores: list[tuple[str, float]] = []
    for label, key in zip(labels(len(ask.about)), ask.about, strict=True):
        value = read_field(turn, _score(label))
        if not isinstance(value, int | float):
            unread = turn.why_unread if turn.reply else ""
            return replace(ballot, state="unread", reason=unread or f"no score of {label}")
        scores.append((transcript.get(key).by, float(value)))
    tiers = tiers_by_score(scores)
    reason = str(read_field(turn, "REASON") or "")
    return replace(ballot, state="cast", choice=tiers[0][0], ranks=tiers, reason=reason, scores=tuple(scores))


def tiers_by_score(scores: Sequence[tuple[str, float]]) -> tuple[tuple[str, ...], ...]:
    """The ranking that scores come to: the best first, those with the same score equal."""
    numbers = sorted({number for _, number in scores}, reverse=True)
    return tuple(tuple(name for name, other in scores if other == number) for number in numbers)


def _with_answer_texts(decision: Decision, answers: Mapping[str, Turn], transcript: Transcript) -> Decision:
    """The decision with the words of the answers. The winner's author could not rank it, and so does not dissent."""
    decision = _merged_equal_answers(decision, answers)
    settled = with_words(decision, {name: (turn,) for name, turn in answers.items()}, transcript)
    against = [
        ballot for ballot in decision.ballots if ballot.state == "cast" and decision.winner not in ballot.ranks[0]
    ]
    dissent = opposing_votes([ballot for ballot in against if ballot.voter != decision.winner], decision.winner)
    return replace(settled, dissent=dissent if decision.winner else ())


def _merged_equal_answers(decision: Decision, answers: Mapping[str, Turn]) -> Decision:
    """A tie of equal answers is a decision for that answer; the most confident author represents them."""
    if decision.status != "tie":
        return decision
    highest = max(decision.tally.values())
    tied = [name for name in answers if decision.tally[name] == highest]
    words = {wording(answers[name]) for name in tied}
    if len(words) > 1 or None in words:
        return decision
    winner = max(tied, key=lambda name: confidence(answers[name]))
    how = f"{decision.how}; all of them give the same answer"
    support = tuple(ballot.voter for ballot in decision.ballots if ballot.state == "cast" and _tops(ballot, tied))
    return replace(decision, status="decided", winner=winner, strength="", support=support, how=how)


def _tops(ballot: Ballot, names: Sequence[str]) -> bool:
    """Whether a ballot has one of those on top."""
    return any(name in names for name in ballot.ranks[0])
