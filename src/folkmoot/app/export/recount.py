"""Recount the ballots of a debate under every rule, and find what would flip the result.

One kind of change is tried: some ballots move the same other candidate to the first place and the winner to the last.
Another change, such as of places in the middle, may flip a ranking with fewer ballots.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import Value
from folkmoot.core.decision import Ballot, Decision, Strength
from folkmoot.core.errors import BriefError, ProtocolError, RecordError
from folkmoot.core.event import Entry, Opened
from folkmoot.core.extensions import NO_OPTIONS, PHASE, RULE, installed, offered, options_for
from folkmoot.core.labels import rule_in_words
from folkmoot.core.text import listed
from folkmoot.core.transcript import fold
from folkmoot.phases.choices import COUNTING, BallotKind, counting_rule
from folkmoot.policy.rankings import METHODS, Ranked, condorcet, tiers_of
from folkmoot.policy.rules import MAJORITY, PLURALITY, SUPERMAJORITY, UNANIMITY, WEIGHTED, Quorum, Rule, count_voters
from folkmoot.protocols.spec import naming_packages
from folkmoot.report.gaps import gaps, in_sentences
from folkmoot.report.report import as_data

SINGLE: tuple[Rule, ...] = (PLURALITY, MAJORITY, SUPERMAJORITY, UNANIMITY, WEIGHTED)
"""The rules that look at whom a ballot has alone on top."""

RANKINGS: tuple[Rule, ...] = tuple(Ranked(method=name) for name in METHODS)
"""The rules that look at the whole ranking."""

NO_VOTES = ("consent", "judge")
"""The rules whose ballots are no choice of several voters among candidates."""

MOST = 1000
"""So many counts are made in search of the ballots that flip one result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """The fewest ballots that would give another result by moving one candidate first and the winner last.

    Attributes:
        voters: whose ballots.
        to: whom they would put first, with the winner last.
        then: what would follow, in a sentence.
    """

    voters: tuple[str, ...]
    to: str
    then: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult:
    """The result of the ballots under one rule.

    Attributes:
        rule: its name.
        status: how it ends.
        winner: who wins; "" where nobody does.
        share: the largest share, 0 to 1, as the rule counts it.
        strength: the share in a word.
        tally: a number for each candidate.
        margin: by how much the first is before the next in the tally; 0 where they are even or nobody voted.
        next: who that is; "" where there is nobody else.
        how: how it followed, in a sentence.
        flip: the fewest ballots that would change it by moving one candidate first and the winner last; None where no
            set of at most ``tried`` does, or nobody voted.
        tried: the most ballots that were changed at once in search of it.
    """

    rule: str
    status: str
    winner: str
    share: float
    strength: Strength
    tally: Mapping[str, float]
    margin: float
    next: str
    how: str
    flip: Flip | None
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recount:
    """The ballots of a debate under every rule that applies.

    Attributes:
        debate: its id.
        topic: what was debated.
        recorded: the rule by which it was decided.
        result: how that followed, in a sentence.
        candidates: who or what could be chosen.
        ballots: the ballots as they were read.
        ranked: whether they rank candidates.
        condorcet: who wins every duel; "" where nobody does.
        quorum: whether more than half of the voters cast a ballot or abstained; the counts do not ask for it.
        counts: the rules with their results.
        problems: why a rule of another package could not be counted by.
        uncounted: whose ballots are missing or could not be read, and why, in sentences.
    """

    debate: str
    topic: str
    recorded: str
    result: str
    candidates: tuple[str, ...]
    ballots: tuple[Ballot, ...]
    ranked: bool
    condorcet: str
    quorum: bool
    counts: tuple[RuleResult, ...]
    problems: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()


async def recount_debate(workspace: Workspace, debate: str) -> Recount:
    """Count the ballots of a debate under every rule that applies to them.

    Raises:
        BriefError: there are no ballots that could be counted.
        RecordError: there is no such debate, or its record is damaged.
    """
    return recount_entries(await workspace.entries(debate), debate)


def recount_entries(entries: Sequence[Entry], debate: str) -> Recount:
    """The same from the entries.

    Raises:
        BriefError: there are no ballots that could be counted.
        RecordError: a ballot is for nobody.
    """
    transcript = fold(entries)
    decision = transcript.decision
    if decision is None:
        raise BriefError(f"{debate} had no vote: there is nothing to count", code="inconsistent")
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
    chosen = {text for ballot in cast for tier in tiers_of(ballot) for text in tier}
    if decision.rule not in NO_VOTES and (unknown := sorted(chosen - {*decision.tally})):
        raise RecordError(f"{debate}: a ballot names {unknown[0]!r}, which is not a candidate")
    topic = transcript.brief.topic if transcript.brief else ""
    options = next((entry.event.options for entry in entries if isinstance(entry.event, Opened)), NO_OPTIONS)
    recount = recount_decision(decision, debate=debate, topic=topic, options=options_for(RULE, "", options))
    counted_again = any(result.rule == decision.rule for result in recount.counts)
    return replace(
        recount,
        problems=(*recount.problems, *(() if counted_again else _missing_parts(entries))),
        uncounted=in_sentences(gap for gap in gaps(transcript) if gap.ballot),
    )


def _missing_parts(entries: Sequence[Entry]) -> Iterator[str]:
    """The packages of the parts of a protocol, such as its rule, that are not installed, in sentences."""
    kinds = (f"{PHASE.name} ", f"{RULE.name} ")
    for package in (used for entry in entries if isinstance(entry.event, Opened) for used in entry.event.packages):
        parts = [use.partition(" ")[2] for use in package.used_for if use.startswith(kinds)]
        if parts and not installed(package.name):
            yield f"the debate needs {package} for its {listed(parts)}; that package is not installed"


def recount_decision(
    decision: Decision, *, debate: str, topic: str = "", options: Mapping[str, Value] = NO_OPTIONS
) -> Recount:
    """The ballots of a decision under every rule that applies to them.

    Args:
        decision: the decision with its ballots.
        debate: its id.
        topic: what was debated.
        options: those of the rule by which it was decided.

    Raises:
        BriefError: it has none, or they are no choice among candidates.
    """
    ballots, candidates = decision.ballots, tuple(decision.tally)
    if decision.rule in NO_VOTES or not any(ballot.state == "cast" for ballot in ballots):
        problem = f"{debate} was not decided by ballots that can be counted in another way: {decision.how}"
        raise BriefError(problem, code="inconsistent")
    ranked = any(ballot.ranks for ballot in ballots)
    alone = all(len(tiers_of(ballot)[0]) == 1 for ballot in ballots if ballot.state == "cast")
    scored = any(ballot.scores for ballot in ballots)
    fit: dict[BallotKind, bool] = {"choice": alone, "ranking": ranked, "approval": ranked, "scores": scored}
    foreign, problems = _package_rules(fit, decision.rule, options)
    rules = (*(_single_rules(decision) if alone else ()), *(RANKINGS if ranked else ()))
    counts = [_rule_result(rule, ballots, candidates) for rule in rules]
    counts += _counted_by_others(foreign, ballots, candidates, problems)
    return Recount(
        debate=debate,
        topic=topic,
        recorded=decision.rule,
        result=decision.how,
        candidates=candidates,
        ballots=ballots,
        ranked=ranked,
        condorcet=condorcet(ballots, candidates) if ranked else "",
        quorum=2 * count_voters(ballots) > len(ballots),
        counts=tuple(counts),
        problems=tuple(problems),
    )


def _single_rules(decision: Decision) -> tuple[Rule, ...]:
    """The rules for whom a ballot has alone on top; where all weigh the same, the weighted one repeats another."""
    weighted = decision.rule == WEIGHTED.name or len({ballot.weight for ballot in decision.ballots}) > 1
    return SINGLE if weighted else tuple(rule for rule in SINGLE if rule is not WEIGHTED)


def _counted_by_others(
    rules: Sequence[Rule], ballots: Sequence[Ballot], candidates: Sequence[str], problems: list[str]
) -> Iterator[RuleResult]:
    """The results under rules of other packages; why one has failed is added to the problems."""
    for rule in rules:
        try:
            with naming_packages():
                yield _rule_result(rule, ballots, candidates)
        except ProtocolError as error:
            problems.append(str(error))


def _package_rules(
    fit: Mapping[BallotKind, bool], recorded: str, options: Mapping[str, Value]
) -> tuple[list[Rule], list[str]]:
    """The rules of other packages for the ballots that there are, and why others of them cannot be used.

    Args:
        fit: which kinds of ballots there are.
        recorded: the rule by which it was decided.
        options: the options of that rule; the others are counted with their defaults.
    """
    rules: list[Rule] = []
    problems: list[str] = []
    for name in offered(RULE):
        try:
            rule = None if name in COUNTING else counting_rule(name, options if name == recorded else None)
        except ProtocolError as error:
            problems.append(str(error))
        else:
            # A recount asks for no quorum.
            rules += [rule.rule.rule] if rule and fit[rule.ballot] and isinstance(rule.rule, Quorum) else []
    return rules, problems


def sentences(recount: Recount) -> tuple[str, ...]:
    """What other rules or a few other ballots would have given, one sentence each."""
    recorded = next((result for result in recount.counts if result.rule == recount.recorded), None)
    flip = recorded.flip if recorded else None
    others: dict[str, list[str]] = {}
    for result in recount.counts:
        if recorded and (result.status, result.winner) != (recorded.status, recorded.winner):
            came = result.winner or ("a tie" if result.status == "tie" else "no decision")
            others.setdefault(came, []).append(rule_in_words(result.rule))
    return (
        *((f"If {listed(list(flip.voters))} had chosen {flip.to}: {flip.then}.",) if flip else ()),
        *(f"Under another rule ({listed(rules)}): {came}." for came, rules in others.items()),
    )


def write_recount(recount: Recount) -> str:
    """A recount as JSON."""
    return json.dumps(as_data(recount), ensure_ascii=False, indent=2) + "\n"


def _rule_result(rule: Rule, ballots: Sequence[Ballot], candidates: Sequence[str]) -> RuleResult:
    decision = rule.decide(ballots, candidates)
    order = sorted(candidates, key=lambda name: -decision.tally[name])
    flip, tried = _flip(rule, ballots, candidates, decision)
    return RuleResult(
        rule=rule.name,
        status=decision.status,
        winner=decision.winner,
        share=decision.share,
        strength=decision.strength,
        tally=decision.tally,
        margin=decision.tally[order[0]] - decision.tally[order[1]] if len(order) > 1 else 0.0,
        next=order[1] if len(order) > 1 else "",
        how=decision.how,
        flip=flip,
        tried=tried,
    )


# ---- what would flip it --------------------------------------------------------------------------------------------


def _flip(rule: Rule, ballots: Sequence[Ballot], candidates: Sequence[str], now: Decision) -> tuple[Flip | None, int]:
    """The fewest ballots that flip a result so, and how many were changed at once in search of them.

    Ballots that are alike are tried once. Each changed ballot puts one and the same other candidate first and the
    winner, who would otherwise gain, last.
    """
    kinds: dict[Ballot, list[int]] = {}
    for n, ballot in enumerate(ballots):
        if ballot.state == "cast":
            kinds.setdefault(_kind(ballot, candidates), []).append(n)
    counts = 0
    for size in range(1, sum(map(len, kinds.values())) + 1):
        for places in _sets(list(kinds.values()), size):
            for to in candidates:
                if (changed := _changed_ballots(ballots, places, to, now.winner)) is None:
                    continue
                if counts == MOST:
                    return None, size - 1
                counts += 1
                changed_decision = rule.decide(changed, candidates)
                if changed_decision.winner != now.winner:
                    return Flip(voters=tuple(ballots[n].voter for n in places), to=to, then=changed_decision.how), size
    return None, sum(map(len, kinds.values()))


def _kind(ballot: Ballot, candidates: Sequence[str]) -> Ballot:
    """The ballot without what does not affect a count."""
    own = ballot.voter if ballot.voter in candidates else ""
    return replace(ballot, voter=own, reason="", confidence=None)


def _sets(kinds: Sequence[Sequence[int]], size: int) -> Iterator[tuple[int, ...]]:
    """The sets of this number of ballots that differ in kind, by their places, the first of each kind."""
    for chosen in combinations_with_replacement(range(len(kinds)), size):
        counts = Counter(chosen)
        if all(count <= len(kinds[kind]) for kind, count in counts.items()):
            yield tuple(sorted(n for kind, count in counts.items() for n in kinds[kind][:count]))


def _changed_ballots(ballots: Sequence[Ballot], places: Sequence[int], to: str, winner: str) -> list[Ballot] | None:
    """The ballots with those in places changed; None where one would be as it is, or somebody would rank its own."""
    changed = list(ballots)
    for n in places:
        ballot = ballots[n]
        rest = tuple(tuple(name for name in tier if name not in (to, winner)) for tier in tiers_of(ballot))
        ranks = ((to,), *(tier for tier in rest if tier)) if ballot.ranks else ()
        numbers = [number for _, number in ballot.scores]
        moved = {to: max(numbers, default=0.0), winner: min(numbers, default=0.0)}
        scores = tuple((name, moved.get(name, number)) for name, number in ballot.scores)
        changed[n] = replace(ballot, choice=to, ranks=ranks, scores=scores)
        if to in (ballot.voter, winner) or changed[n] == ballot:
            return None
    return changed
