"""The decision in Markdown. This file owns how the chapter looks; what it says is ``report.conclusion``'s business."""

from collections.abc import Mapping, Sequence

from moot.core.decision import Ballot, Decision, Minority
from moot.core.labels import place
from moot.core.text import listed
from moot.report.conclusion import Outcome, Row
from moot.report.markdown_text import block, inline, quoted
from moot.report.pieces import LONG, bullets, capital, lead, table
from moot.report.report import Report

_SHORT = 160
"""The most characters of a reason in the table of ballots; the whole of it stands in the debate."""

_BALLOTS: Mapping[str, str] = {"abstained": "abstained", "unread": "not readable", "missing": "no ballot"}


def verdict(report: Report) -> list[str]:
    """The chapter on the decision, as blocks."""
    outcome, decision = report.outcome, report.outcome.decision
    if decision is None:
        return ["## Decision", f"There is no decision. {capital(inline(outcome.line))}."]
    return [
        "## Decision",
        *_result(outcome, decision),
        _how(decision),
        *(f"> **Note:** {inline(note)}" for note in outcome.notes),
        _tally(outcome) if outcome.ballots else _points(outcome.tally),
        _ballots(outcome),
        _dissent(outcome.dissent),
        *_minority(decision),
        _changes(report),
    ]


def _result(outcome: Outcome, decision: Decision) -> list[str]:
    if decision.status == "tie":
        return ["**It is a tie: nothing is decided.**"]
    if decision.status != "decided":
        return ["**There is no decision.**"]
    whose = f"The proposal of {inline(outcome.proposer)}" if outcome.proposer else "Decided"
    return [lead(whose, decision.text or decision.winner), *_argued(decision.argument)]


def _argued(argument: str) -> list[str]:
    """The best argument for an answer, as a quotation; nothing where there is none."""
    words = argument.strip()
    return [quoted(block(words) if len(words) <= 2 * LONG else inline(words, 2 * LONG))] if words else []


def _how(decision: Decision) -> str:
    sentences = [inline(decision.how, 2 * LONG) or "The record does not say"]
    if decision.rule:
        sentences.append(f"Rule: {inline(decision.rule)}")
    if decision.ballots and decision.share:
        strength = f" ({decision.strength})" if decision.strength else ""
        sentences.append(f"Largest share of the votes: {decision.share:.0%}{strength}")
    return f"**How it followed:** {'. '.join(sentences)}."


def _tally(outcome: Outcome) -> str:
    rows, ranked = outcome.tally, _is_ranked(outcome)
    weighted = any(row.votes != row.ballots for row in rows)
    drafts = any(row.first is not None for row in rows)
    counted = "Count" if ranked else "Weight"
    heads = [
        "Candidate",
        "First places" if ranked else "Votes",
        *([counted] if weighted else []),
        *(["First drafts"] if drafts else []),
    ]
    lines = [
        [
            inline(row.candidate, LONG),
            f"{row.ballots}",
            *([f"{row.votes:g}"] if weighted else []),
            *([f"{row.first or 0:g}"] if drafts else []),
        ]
        for row in rows
    ]
    return table(heads, lines, numbers=len(heads) - 1)


def _points(rows: Sequence[Row]) -> str:
    """The tally where nobody voted: what a judge gave."""
    lines = [[inline(row.candidate, LONG), f"{row.votes:g}"] for row in rows]
    return table(["Candidate", "Score"], lines, numbers=1)


def _ballots(outcome: Outcome) -> str:
    ballots = outcome.ballots
    weighted = any(row.votes != row.ballots for row in outcome.tally) and not _is_ranked(outcome)
    reasons = any(ballot.reason for ballot in ballots)
    heads = ["Voter", "Vote", *(["Reason"] if reasons else []), *(["Weight"] if weighted else [])]
    lines = [
        [
            inline(ballot.voter),
            _choice(ballot) if ballot.state == "cast" else f"*{_BALLOTS[ballot.state]}*",
            *([inline(ballot.reason, _SHORT)] if reasons else []),
            *([f"{ballot.weight:g}"] if weighted else []),
        ]
        for ballot in ballots
    ]
    return table(heads, lines, numbers=int(weighted))


def _is_ranked(outcome: Outcome) -> bool:
    """Whether ballots rank candidates; then the rule counts something else than votes."""
    return any(ballot.ranks for ballot in outcome.ballots)


def _choice(ballot: Ballot) -> str:
    """Whom a ballot is for; of a ranking all tiers, the best first."""
    tiers = [" = ".join(inline(name, LONG) for name in tier) for tier in ballot.ranks]
    return " > ".join(tiers) or inline(ballot.choice, LONG)


def _dissent(ballots: Sequence[Ballot]) -> str:
    against = [f"{inline(ballot.voter)} for {inline(ballot.choice, LONG)}" for ballot in ballots]
    return f"**Dissent:** {'; '.join(against)}" if against else ""


def _minority(decision: Decision) -> list[str]:
    """The answers that lost with their best arguments; those without any vote only where no answer has one."""
    name = "Minority answer" if decision.status == "decided" else "Answer on the table"
    answers = {decision.winner, *(each.answer for each in decision.minority)}
    # Rankings that somebody else has made up his mind by have elected nobody.
    led = any(ballot.ranks for ballot in decision.ballots) and not any(each.share for each in decision.minority)
    voted = not led and any(ballot.state == "cast" and ballot.choice in answers for ballot in decision.ballots)
    blocks: list[str] = []
    for each in [each for each in decision.minority if each.share] or decision.minority:
        blocks += [f"**{name}:** {_held(each, voted=voted)}", *_argued(each.argument)]
    return blocks


def _held(minority: Minority, *, voted: bool) -> str:
    """An answer, who held it, and its share where there were votes; without a short answer it goes by its author."""
    share = f"{minority.share:.0%} of the votes" if voted else ""
    if minority.by == (minority.answer,):
        return f"the proposal of {inline(minority.answer)}{f' ({share})' if share else ''}"
    by = listed([inline(name) for name in minority.by]) or "nobody any more"
    return f"{inline(minority.answer, 2 * LONG)} ({'; '.join(filter(None, (by, share)))})"


def _changes(report: Report) -> str:
    if not any(len(held) > 1 for held in report.stands.values()):
        return ""
    if not report.changes:
        return "Nobody changed the answer in the course of the debate."
    lines = [
        f"{inline(change.by)} ({inline(place(change.key))}): from {inline(change.before, LONG)} "
        f"to {inline(change.after, LONG)}"
        + (f", because: {inline(change.because, 2 * LONG)}" if change.because else ", without a reason")
        for change in report.changes
    ]
    return f"**Changed answers**\n\n{bullets(lines)}"
