"""The decision of ``bp_style``: the four teams are ranked, and the result is told by team and by side.

A team gets a point on each ballot for every team that stands below it, so a single judge gives 3, 2, 1 and 0, as the
rules of the World Universities Debating Championship do. The points of a side are those of its two teams together.

A judge reads the debate without names. It knows each speech by its mark and its office. The moderator, who chairs the
judges, also says how each office was filled. Where no judge takes part the debaters rank. None of them ranks a team
of its own: on its ballot its own teams stand in the middle, so it can neither help nor harm them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.brief import Brief
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.event import Ruled
from folkmoot.core.text import counted, listed
from folkmoot.core.transcript import Transcript, Turn, read_field
from folkmoot.phases.base import Phase, Play, State
from folkmoot.phases.choices import Choices, rule_of
from folkmoot.phases.endings import ENDINGS, LOG, SUMMING_UP, ending, mediator
from folkmoot.phases.ranked_vote import RANKING
from folkmoot.phases.speak import VERDICT, Everyone, readers_of
from folkmoot.phases.verdict import FAIR, REASON, Keep
from folkmoot.phases.vote import Adopt, proposal_text, with_weight
from folkmoot.policy.rankings import Ranked
from folkmoot.policy.rules import PLURALITY, Quorum, Rule, opposing_votes

POINTS = "team points"
"""What the usual rule is called in decisions."""

SPEECHES = ("argue",)
"""The act of a speech."""

# A judge prefers what is longer and what it agrees with; the rules of parliamentary debate forbid both.
JUDGING = (
    "Above is the whole debate without names. {speeches} Rank the four teams by how well each filled its role over "
    "the whole debate: its arguments, its rebuttal, its points and its answers. Neither length nor your own opinion on "
    "the motion counts."
)
REPLYING = " First say of each office in a sentence or two what its speech did, and what it missed."
VOTING = (
    "Above is the whole debate without names. {speeches} Rank the teams named below by how well each filled its "
    "role over the whole debate: its arguments, its rebuttal, its points and its answers. Neither length nor your own "
    "opinion on the motion counts. A team of your own is not among them."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """One of the four teams.

    Attributes:
        name: what it is called.
        side: the side that it is on.
        members: who speaks for it.
        offices: their speeches, in order; each is the last part of the path of its turn, and the title in words.
    """

    name: str
    side: str
    members: tuple[str, ...]
    offices: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjudicate:
    """The teams are ranked by all who judge, in parallel; the ranking decides, by team and by side.

    Attributes:
        teams: the teams.
        by: the judges; empty for all debaters and jurors.
        chair: the judge who also says how each office was filled; "" for none.
        rule: ballots to decision; None for points.
        task: what the judges do; ``{speeches}`` is replaced by the marks and offices of the speeches.
        reply: what the chair is asked besides.
        twice: whether each judge is asked a second time, with the teams in the other order. Where the two differ, the
            order has decided, and it is a tie.
        name: what it is called in paths.
    """

    teams: tuple[Team, ...]
    by: tuple[str, ...] = ()
    chair: str = ""
    rule: Rule | None = None
    task: str = JUDGING
    reply: str = REPLYING
    twice: bool = False
    name: str = "adjudicate"

    def play(self, state: State) -> Play:
        """Ask for the rankings at once; then decide."""
        voters = self.by or (*state.brief.names("debater"), *state.brief.names("juror"))
        orders = [(voter, back) for voter in voters for back in (False, True)[: 1 + self.twice]]
        asks = [self._ask(state, n, voter, back=back) for n, (voter, back) in enumerate(orders, start=1)]
        yield asks
        ballots = [with_weight(state, self._read(state.transcript.get(ask.key))) for ask in asks]
        yield Ruled(decision=self._decide(ballots, state))

    def _ask(self, state: State, n: int, voter: str, *, back: bool) -> Ask:
        """The n-th ballot, from 1. At least two teams are on it: nobody speaks on both sides."""
        names = [team.name for team in self.teams if voter not in team.members]
        state.chance(voter).shuffle(names)
        offices = [title for team in self.teams for _, title in team.offices] if voter == self.chair else []
        task = self.task.replace("{speeches}", self._speeches(state.transcript))
        return Ask(
            key=state.key(n),
            to=voter,
            act="vote",
            task=task + self.reply if offices else task,
            form=ballot_form(names[::-1] if back else names, offices),
            audience=readers_of(state, voter, FAIR),
            view=FAIR,
        )

    def _speeches(self, transcript: Transcript) -> str:
        """Which turn is which speech, by mark: the log shows no names."""
        titles = {office: f"{title} ({team.name})" for team in self.teams for office, title in team.offices}
        places = [(turn.mark, _place(turn)) for turn in transcript.turns(*SPEECHES)]
        speeches = [f"{mark} {titles[office]}" for mark, office in places if office in titles]
        return f"The speeches: {listed(speeches)}." if speeches else "No speech was given."

    def _read(self, turn: Turn) -> Ballot:
        """A judge's ballot: its ranking, with the teams of its own in the middle."""
        ballot = Ballot(voter=turn.by, state="missing", reason=turn.failure)
        if turn.reply is None:
            return ballot
        ranking = read_field(turn, RANKING)
        names = {name for field in _fields(turn) if field.name == RANKING for name in field.choices}
        if (
            not isinstance(ranking, tuple)
            or not ranking
            or len(set(ranking)) < len(ranking)
            or not set(ranking) <= names
        ):
            return replace(ballot, state="unread", reason=turn.why_unread or "no list of the teams")
        own = tuple(team.name for team in self.teams if turn.by in team.members)
        reason = str(read_field(turn, REASON) or "")
        return replace(ballot, state="cast", choice=ranking[0], ranks=_tiers(ranking, own), reason=reason)

    def _decide(self, ballots: Sequence[Ballot], state: State) -> Decision:
        names = tuple(team.name for team in self.teams)
        rule = self.rule or Quorum(rule=Ranked(method="borda"))
        decision = rule.decide(ballots, names)
        if self.rule is None:
            decision = replace(decision, rule=POINTS)
        cast = [ballot for ballot in ballots if ballot.state == "cast"]
        if self.twice and (doubt := _why_undecided(ballots)):
            status = "tie" if len(cast) == len(ballots) else "no_decision"
            return replace(decision, status=status, winner="", support=(), strength="", how=doubt)
        if decision.status not in ("decided", "tie"):
            return decision
        return replace(
            decision,
            text=self._result(decision.winner, state),
            dissent=opposing_votes(cast, decision.winner) if decision.winner else (),
            how=self._result_in_words(decision),
        )

    def _result(self, winner: str, state: State) -> str:
        """The option that the winning team stands for; where it names none, the team with its members."""
        team = next((team for team in self.teams if team.name == winner), None)
        if team is None:
            return ""
        own = {office for office, _ in team.offices}
        speeches = [turn for turn in state.transcript.turns(*SPEECHES) if _place(turn) in own]
        answers = [proposal_text(turn) for turn in speeches if read_field(turn, "ANSWER") is not None]
        return answers[-1] if state.brief.options and answers else _team_label(team)

    def _result_in_words(self, decision: Decision) -> str:
        """The result by team, then by side."""
        tally, unit = decision.tally, "point" if self.rule is None else "vote"
        ordered = sorted(self.teams, key=lambda team: -tally[team.name])
        ranks = [
            f"{1 + sum(more > tally[team.name] for more in tally.values())}. {_team_label(team)}, "
            f"{counted(tally[team.name], unit)}"
            for team in ordered
        ]
        sums: dict[str, float] = {}
        for team in self.teams:
            sums[team.side] = sums.get(team.side, 0.0) + tally[team.name]
        sides = [f"{side} {counted(sums[side], unit)}" for side in sorted(sums, key=lambda side: -sums[side])]
        level = "level: " if len(set(sums.values())) == 1 else ""
        begun = "" if decision.status == "decided" else "tie: "
        return f"{begun}{'; '.join(ranks)}; by side {level}{', '.join(sides)}"


def _why_undecided(ballots: Sequence[Ballot]) -> str:
    """Why a judge who was asked in both orders has decided nothing; "" if it has."""
    missing = [ballot for ballot in ballots if ballot.state != "cast"]
    if missing:
        return f"{missing[0].voter} gave no ranking in {counted(len(missing), 'order')} of {len(ballots)}"
    chosen = list(dict.fromkeys(ballot.choice for ballot in ballots))
    return f"the judge changed with the order: {listed(chosen)} came first" if len(chosen) > 1 else ""


def _tiers(ranked: Sequence[str], own: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """A ranking as tiers, the best first; the voter's own teams stand in the middle."""
    tiers = [(name,) for name in ranked]
    middle, remainder = divmod(len(tiers), 2)
    level = (*ranked[middle : middle + remainder], *own)
    return (*tiers[:middle], *((level,) if level else ()), *tiers[middle + remainder :])


# The whips have closed the debate, and a side is drawn, not believed in: so no closing statements are asked for.
BY_TEAM = (
    " Say for each of the four teams what it brought, and which side won by it. Who spoke for which side was drawn, "
    "not chosen."
)


def decided_by_teams(brief: Brief, choices: Choices, teams: tuple[Team, ...]) -> tuple[Phase, ...]:
    """The phases after the speeches: as chosen, else a ranking of the teams by the adjudicator, jurors or debaters.

    Raises:
        ProtocolError: the ending is unknown, or needs a mediator and there is none.
    """
    silent = choices.mediation is not None and choices.mediation.kind == "silent"
    jurors = brief.names("juror")
    usual = "ranked_reasons" if brief.names("moderator") and not silent else ""
    match choices.strategy or usual:
        case "agent_closing":
            return ending(brief, choices)
        case "no_consensus":
            return (Keep(acts=SPEECHES),)
        case "mediator_summary" as name:
            style = choices.mediation.style if choices.mediation else "neutral"
            by, task = (mediator(brief, name),), SUMMING_UP[style] + BY_TEAM
            verdict = Everyone(act="moderate", task=task, who=by, form=VERDICT, view=LOG)
            return (verdict, Adopt(field="VERDICT", status="", rule="mediator"))
        case "vote_based" as name:
            return (Adjudicate(teams=teams, by=(mediator(brief, name),), twice=True),)
        case "ranked_reasons" as name:
            chair = mediator(brief, name)
            return (Adjudicate(teams=teams, by=(chair, *jurors), chair=chair),)
        case "":
            return (Adjudicate(teams=teams, by=jurors, task=JUDGING if jurors else VOTING),)
        case "vote":
            return (Adjudicate(teams=teams, task=VOTING),)
        case _:
            rule = Quorum(rule=rule_of(choices, PLURALITY, beside=ENDINGS))
            return (Adjudicate(teams=teams, rule=rule, task=VOTING),)


def ballot_form(teams: Sequence[str], offices: Sequence[str]) -> Form:
    """The form of a ranking: of each office what was said of it, the reason, then the teams from best to worst."""
    replies = [Field(name=title, help=f"what the {title} did, and what was missing") for title in offices]
    reason = Field(name=REASON, help="what the best team has and the others lack, in a sentence or two")
    order = "the names of the teams alone, the best first"
    ranking = Field(name=RANKING, kind="list", choices=tuple(teams), help=order)
    return Form(name="adjudication", fields=(*replies, reason, ranking))


def _place(turn: Turn) -> str:
    """The last part of the path of a turn: its office."""
    return turn.key.rpartition("#")[0].rpartition("/")[2]


def _fields(turn: Turn) -> Sequence[Field]:
    return turn.ask.form.fields if turn.ask and turn.ask.form else ()


def _team_label(team: Team) -> str:
    return f"{team.name} ({listed(list(dict.fromkeys(team.members)))})"
