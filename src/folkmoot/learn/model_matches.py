"""Matches between the models of one debate: who was for the winning answer, who was not, and which results count.

A match is between two debaters, each answered by a model of its own, of whom one stood for the result and the other for
something else. Whoever gave answers stands for the last of them: the authors of the answer that won, or the participant
whom the decision names, have beaten all who ended with another answer, and the members of a team those of the others.
Whoever gave no answer stands for what it voted for. Those who stand for different answers at the top of a tie are even.
All matches of one debate count as one result.

A result counts only if it rests on no vote for oneself: it must be the same without the votes of authors for their own
answers. Where the answers are the votes nobody votes apart from that: then the answer of most has beaten the others. A
judge, chair or juror of the model of one of two, or of the family of one alone, decides nothing between them. People
and agents that are no language model have no rating. A decision in a moderator's own words is nobody's answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from folkmoot.arguments.positions import alike
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.families import are_apart
from folkmoot.core.transcript import Transcript
from folkmoot.learn.memory import ModelMatch
from folkmoot.learn.ratings import Match, side_swapped

SYNTHESIZED = "synthesize"
"""The act of a chair that decides by a text of its own."""


OFFICE = "OFFICE"
"""The field of a speech in which stands for which team it is given."""


def matches(transcript: Transcript, final: Mapping[str, str], player_of: Mapping[str, str]) -> tuple[ModelMatch, ...]:
    """The matches of a debate between its models; see the module.

    Args:
        transcript: of a closed debate.
        final: the last answer of each debater who gave one.
        player_of: who answered for each participant, as ``lessons.players`` has it.
    """
    decision = transcript.decision
    if decision is None or transcript.brief is None:
        return ()
    names = transcript.brief.names("debater")
    voted = any(turn.by in names for turn in transcript.turns("vote"))
    teams = _teams(transcript, tuple(decision.tally))
    result = _Result(decision=decision, names=names, final=final, voted=voted, teams=teams)
    if not _is_fair(result, player_of):
        return ()
    deciding = {*_voters(decision), *(turn.by for turn in transcript.turns(SYNTHESIZED))}
    judges = {player_of.get(name, "") for name in deciding if name not in names}
    pairs = [
        (name, other, score)
        for name, other, score in _pairs(result)
        if _is_rated(player_of[name]) and _is_rated(player_of[other]) and player_of[name] != player_of[other]
        if not any(_may_favour(judge, player_of[name], player_of[other]) for judge in judges)
    ]
    return tuple(
        ModelMatch(one=player_of[name], other=player_of[other], score=score, weight=1 / len(pairs), sides=(name, other))
        for name, other, score in pairs
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """A decision, and the side of each debater.

    Attributes:
        decision: what was decided.
        names: the debaters.
        final: the last answer of each who gave one.
        voted: whether debaters were asked for votes; else their answers are the votes.
        teams: the members of each candidate that is a team.
    """

    decision: Decision
    names: Sequence[str]
    final: Mapping[str, str]
    voted: bool
    teams: Mapping[str, tuple[str, ...]]

    def side(self, candidate: str) -> tuple[str, ...]:
        """The debaters for a candidate: a participant, the members of a team, or those with that answer."""
        if candidate in self.teams:
            return self.teams[candidate]
        if self.is_person(candidate):
            return (candidate,)
        text = self.decision.text if candidate == self.decision.winner else candidate
        authors = [name for name in self.names if name in self.final and alike(self.final[name], text)]
        cast = {
            ballot.voter for ballot in self.decision.ballots if ballot.state == "cast" and ballot.choice == candidate
        }
        backers = [name for name in self.names if name in cast and name not in self.final]
        return (*authors, *backers)

    def is_person(self, candidate: str) -> bool:
        """Whether a candidate is a participant, and no answer that has the same words."""
        is_option = any(alike(answer, candidate) for answer in self.final.values())
        chosen = candidate != self.decision.winner or alike(self.decision.text, candidate)
        return candidate in self.names and not (is_option and chosen)

    def others(self, winners: Sequence[str]) -> list[str]:
        """The debaters for any other candidate."""
        if self.decision.winner in self.teams:
            members = dict.fromkeys(name for team in self.teams.values() for name in team)
            return [name for name in members if name not in winners]
        own = [self.final[name] for name in winners if name in self.final]
        rest = [name for name in self.names if name not in winners]
        rest = [name for name in rest if not any(alike(self.final.get(name, ""), answer) for answer in own)]
        if self.is_person(self.decision.winner):
            return rest
        cast = {ballot.voter for ballot in self.decision.ballots if ballot.state == "cast"}
        return [name for name in rest if name in self.final or name in cast]

    def tops(self) -> list[str]:
        """The candidates with the most votes."""
        highest = max(self.decision.tally.values(), default=0.0)
        return [name for name, votes in self.decision.tally.items() if votes == highest and highest > 0]


def _teams(transcript: Transcript, candidates: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The members of each candidate that is a team: those who spoke in an office of it."""
    offices = [
        (turn.by, choice)
        for turn in transcript.turns()
        for field in (turn.ask.form.fields if turn.ask and turn.ask.form else ())
        if field.name == OFFICE
        for choice in field.choices
    ]
    speakers = {team: tuple(dict.fromkeys(by for by, office in offices if team in office)) for team in candidates}
    return {team: members for team, members in speakers.items() if members}


def _pairs(result: _Result) -> Iterator[tuple[str, str, float]]:
    """Two debaters each, and the score of the first of them."""
    if result.decision.status == "decided" and result.decision.winner:
        winners = result.side(result.decision.winner)
        yield from ((winner, other, 1.0) for winner in winners for other in result.others(winners))
    elif result.decision.status == "tie":
        for side, other in combinations([result.side(name) for name in result.tops()], 2):
            yield from ((mine, theirs, 0.5) for mine in side for theirs in other if mine not in other)


def _voters(decision: Decision) -> tuple[str, ...]:
    """Who decided: those who cast a ballot; without ballots those whom the decision names."""
    return tuple(ballot.voter for ballot in decision.ballots if ballot.state == "cast") or decision.support


def _is_fair(result: _Result, player_of: Mapping[str, str]) -> bool:
    """Whether all who decided are models or people, and the result is the same without votes for oneself.

    Where ballots are rankings it is so if nobody has ranked itself: what their rule made of them is not counted again.
    """
    decision = result.decision
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
    deciding = _voters(decision)
    if not deciding or any(not player_of.get(name) for name in deciding):
        return False
    if not cast:
        return not any(name in result.names for name in deciding)
    if any(ballot.ranks for ballot in cast):
        return not any(ballot.voter in tier for ballot in cast for tier in ballot.ranks)
    counted: dict[str, Fraction] = {}
    for ballot in cast:
        if not _is_own(result, ballot):
            counted[ballot.choice] = counted.get(ballot.choice, Fraction(0)) + Fraction(str(ballot.weight))
    highest = max(counted.values(), default=Fraction(0))
    tops = {name for name, votes in counted.items() if votes == highest}
    return tops == ({decision.winner} if decision.winner else set(result.tops()))


def _is_own(result: _Result, ballot: Ballot) -> bool:
    """Whether somebody has voted for itself, or for its own answer where votes are asked for."""
    if result.is_person(ballot.choice):
        return ballot.choice == ballot.voter
    return result.voted and ballot.voter in result.final and ballot.voter in result.side(ballot.choice)


def _is_rated(player: str) -> bool:
    """Whether a player is a model; people have no lasting name and are not rated."""
    return ":" in player


def _may_favour(judge: str, name: str, other: str) -> bool:
    """Whether a judge may favour one of two: it is one of them, or of the family of one of them alone."""
    if not _is_rated(judge):
        return False
    return judge in (name, other) or are_apart(judge, name) != are_apart(judge, other)


def joined_matches(played: Sequence[tuple[str, str, ModelMatch]]) -> tuple[Match, ...]:
    """The matches for ratings, in the order of playing: two debates on one motion with sides swapped are one result.

    Args:
        played: the motion, the domain and the match of each, in the order of playing; such a result stands where the
            first of its two debates does.
    """
    waiting: dict[tuple[object, ...], list[int]] = {}
    joined: dict[int, Match] = {}
    for n, (motion, domain, result) in enumerate(played):
        match = Match(one=result.one, other=result.other, score=result.score, domain=domain, weight=result.weight)
        sides = dict(zip((result.one, result.other), result.sides, strict=True))
        pairing = (motion, domain, *sorted(sides.items()))
        swapped = {result.one: sides[result.other], result.other: sides[result.one]}
        back = waiting.get((motion, domain, *sorted(swapped.items())))
        if back:
            first = back.pop(0)
            joined[first] = side_swapped(joined[first], match)
        else:
            waiting.setdefault(pairing, []).append(n)
            joined[n] = match
    return tuple(joined.values())
