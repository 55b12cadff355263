"""What a debate's memo says: the answer and its votes, why, the objections, how sure it is, what to do, what it cost.

All of it is on record: votes, claims with their strength, who changed the answer. No model writes anything for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from folkmoot.analysis.cited_figures import CitedFigure, FigureCheck, cited_figures
from folkmoot.analysis.decision_grounds import DecisionGrounds, decision_grounds, is_for, reasons
from folkmoot.app.plan.next_steps import pause_steps
from folkmoot.arguments.argument_map import AGAINST, Node
from folkmoot.arguments.positions import bare
from folkmoot.core.ask import Usage
from folkmoot.core.decision import Decision
from folkmoot.core.event import Entry
from folkmoot.core.labels import (
    ANSWERED,
    ANSWERED_LINE,
    duration,
    fork_origin,
    protocol_in_words,
    rule_in_words,
    status_in_words,
)
from folkmoot.core.text import about, counted, listed, percent
from folkmoot.core.transcript import Transcript, fold
from folkmoot.report.conclusion import MEAN, answer_in_words
from folkmoot.report.gaps import readable_ballots, why_uncounted
from folkmoot.report.markdown_text import capital, date, without_markdown
from folkmoot.report.memo_page import Column, FigureRow, Memo, Point, VoteRow
from folkmoot.report.metrics import missing_causes
from folkmoot.report.report import DEMONSTRATION, Person, Report

MOST_NAMES = 3
"""How many names are behind a point."""

LONGEST_NAMES = 20
"""How many characters they have about."""

SHORT = 120
"""Characters of a headline."""


def decision_memo(entries: Sequence[Entry], report: Report, recounted: Sequence[str] = ()) -> Memo:
    """The memo of a record, complete or not.

    Args:
        entries: the record.
        report: its report.
        recounted: what other rules or other ballots would have given, in sentences.
    """
    transcript = fold(entries)
    grounds, checked = decision_grounds(transcript), cited_figures(transcript)
    headline = _headline(report)
    status = report.outcome.status
    return Memo(
        topic=report.topic,
        date=date(report.ended)[:10],
        kicker=_kicker(report),
        headline=headline,
        text=_whole_answer(report, headline),
        votes=tuple(_votes(report, transcript)),
        columns=tuple(_columns(report, grounds, transcript)),
        figures=tuple(_figures(report, checked)),
        change=tuple(_change(report, grounds, transcript, recounted)),
        sure=tuple(_sure(report, grounds)),
        unfound=_unfound(checked),
        cautions=tuple(_cautions(report)),
        steps_title="What would break the tie" if status == "tie" else "Next step",
        steps=tuple(_steps(report, transcript)),
        sources=", ".join(report.background),
        who=_who(report.participants),
        cost=_cost(report) if report.metrics.total.attempts else "No model was called.",
        small=tuple(_small(report)),
    )


# ---- the answer -----------------------------------------------------------------------------------------------------


_LIST = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]", re.MULTILINE)


def _headline(report: Report) -> str:
    outcome, decision = report.outcome, report.outcome.decision
    if outcome.status == "decided" and decision:
        if outcome.proposer:
            return f"{outcome.proposer}'s proposal"
        words = decision.winner or answer_in_words(decision)
        return words if len(words) <= SHORT or not decision.text else decision.text
    if outcome.line == ANSWERED_LINE:
        return capital(ANSWERED)
    titles = {"tie": "A tie: nothing is decided", "no_decision": "No decision", "failed": "The debate failed"}
    return titles.get(outcome.status, "Not finished")


def _whole_answer(report: Report, headline: str) -> str:
    decision = report.outcome.decision
    if report.outcome.status == "decided" and decision:
        words = _before_lists(answer_in_words(decision))
        return "" if bare(words) == bare(headline) else without_markdown(words)
    line = f"{capital(report.outcome.line)}." if report.outcome.line else ""
    causes = missing_causes(report.faults) if report.outcome.status == "failed" else ()
    return " ".join([line, *(f"{capital(cause).rstrip('.')}." for cause in causes if cause not in line)])


def _before_lists(text: str) -> str:
    """What stands before the first list of a text, which has no place on one page; all where it begins with one."""
    return _LIST.split(text, maxsplit=1)[0].strip() or text


def _kicker(report: Report) -> str:
    decision = report.outcome.decision
    if report.outcome.line == ANSWERED_LINE:
        return "No debate"
    if decision is None or not decision.rule:
        return "Decision" if report.outcome.status == "decided" else capital(status_in_words(report.outcome.status))
    verb = "Decided" if report.outcome.status == "decided" else "Counted"
    return f"{verb} by {rule_in_words(decision.rule)}"


def _cast(decision: Decision | None) -> list[str]:
    return [ballot.choice for ballot in decision.ballots if ballot.state == "cast"] if decision else []


def _votes(report: Report, transcript: Transcript) -> Iterator[VoteRow]:
    """Each answer with those who chose it; then whose ballots didn't count, and what stood in the way."""
    decision = report.outcome.decision
    if decision is None or not decision.tally:
        return
    cast = [ballot for ballot in decision.ballots if ballot.state == "cast"]
    for answer, votes in sorted(decision.tally.items(), key=lambda item: -item[1]):
        voters = [ballot.voter for ballot in cast if bare(ballot.choice) == bare(answer)]
        won = report.outcome.status == "decided" and bare(answer) == bare(decision.winner)
        yield VoteRow(answer=answer, votes=f"{votes:g}", by=", ".join(voters), won=won)
    abstained = [ballot.voter for ballot in decision.ballots if ballot.state == "abstained"]
    if abstained:
        yield VoteRow(answer="Abstained", votes=str(len(abstained)), by=", ".join(abstained))
    uncounted = [ballot.voter for ballot in decision.ballots if ballot.state not in ("cast", "abstained")]
    if uncounted:
        why = why_uncounted(transcript)
        words = "; ".join(f"{name}: {why[name]}" if name in why else name for name in uncounted)
        yield VoteRow(answer="Not counted", votes=str(len(uncounted)), by=words)


def _figures(report: Report, checked: FigureCheck) -> Iterator[FigureRow]:
    """What was said for each answer with figures of the documents: in turn one for each, those for the winner first."""
    decision = report.outcome.decision
    order = {bare(answer): -votes for answer, votes in decision.tally.items()} if decision else {}
    by_answer: dict[str, list[CitedFigure]] = {}
    for figure in checked.cited:
        if all(bare(figure.words) != bare(each.words) for each in by_answer.get(bare(figure.answer), [])):
            by_answer.setdefault(bare(figure.answer), []).append(figure)
    for figures in zip_longest(*(by_answer[key] for key in sorted(by_answer, key=lambda key: order.get(key, 0.0)))):
        for figure in filter(None, figures):
            words = f"{without_markdown(figure.words)} ({figure.by})"
            yield FigureRow(answer=figure.answer, words=words, where=", ".join(figure.where))


def _unfound(checked: FigureCheck) -> str:
    """Figures of arguments that no document has as they are written."""
    words = [f"{figure} ({listed(list(names))})" for figure, names in checked.missing.items()]
    return f"Not in the documents as written: {', '.join(words)}." if words else ""


# ---- why, and what is against it ------------------------------------------------------------------------------------


def _columns(report: Report, grounds: DecisionGrounds, transcript: Transcript) -> Iterator[Column]:
    decision = report.outcome.decision
    if decision is None:
        return
    if report.outcome.status == "decided":
        yield _column("Why", _reasons(report, transcript, decision.winner, decision.argument))
        yield _column("Strongest objections", _objections(report, decision, grounds))
        return
    for minority in sorted(decision.minority, key=lambda answer: -answer.share)[:2]:
        yield _column(f"For {minority.answer}", _reasons(report, transcript, minority.answer, minority.argument))


def _column(title: str, points: Iterable[Point]) -> Column:
    distinct = list({bare(point.words): point for point in reversed(list(points)) if bare(point.words)}.values())[::-1]
    return Column(title=title, points=tuple(distinct))


def _reasons(report: Report, transcript: Transcript, answer: str, argument: str) -> Iterator[Point]:
    """Why its supporters chose an answer, then the claims for it that are held, the strongest first."""
    first = reasons(transcript, answer)
    for reason in first:
        before = f", was for {reason.before}" if reason.before else ""
        yield Point(words=reason.words, tail=f"{reason.by}, {reason.mark}{before}")
    if argument.strip() and not first:
        yield Point(words=without_markdown(argument))
    for node in _held(report, lambda node: is_for(node, answer) and bare(node.claim) != bare(answer)):
        yield _claim(node)
    for ballot in report.outcome.ballots:
        if ballot.state == "cast" and bare(ballot.choice) == bare(answer):
            yield Point(words=without_markdown(ballot.reason), tail=ballot.voter)


def _objections(report: Report, decision: Decision, grounds: DecisionGrounds) -> Iterator[Point]:
    """The strongest objection, then claims that attack those for the winner, then what others stand for."""
    strongest = grounds.objection
    if strongest:
        note = "; nobody attacked it" if strongest.unanswered else ""
        yield Point(words=without_markdown(strongest.claim), tail=f"{_names(strongest.by)}, {strongest.mark}{note}")
    ours = {node.mark for node in report.arguments.nodes if is_for(node, decision.winner)}
    attacks = {edge.source for edge in report.arguments.edges if edge.relation in AGAINST and edge.target in ours}
    for node in _held(report, lambda node: node.mark in attacks - ours):
        yield _claim(node)
    for minority in decision.minority:
        yield Point(
            words=without_markdown(minority.argument),
            tail=f"{_names(minority.by) or 'an answer'}, for {minority.answer}",
        )
    for ballot in report.outcome.dissent:
        yield Point(words=without_markdown(ballot.reason), tail=f"{ballot.voter}, for {ballot.choice}")
    for node in _held(report, lambda node: bool(node.stances) and node.mark not in ours):
        yield _claim(node)


def _held(report: Report, wanted: Callable[[Node], bool]) -> list[Node]:
    """The claims of that kind that are held and that nobody has defeated, the strongest first; then the others."""
    strength, standing = report.judged.strength, report.judged.standing
    nodes = [node for node in report.arguments.nodes if node.mark in strength and wanted(node)]
    return sorted(nodes, key=lambda node: (standing[node.mark] == "out", -strength[node.mark]))


def _claim(node: Node) -> Point:
    return Point(words=without_markdown(node.claim), tail=f"{_names(node.by)}, {node.mark}")


def _names(names: Sequence[str]) -> str:
    """All names, or the first of them and how many there are more: they have to leave room for what stands behind."""
    some = [f"{', '.join(names[:n])} and {len(names) - n} more" for n in range(min(MOST_NAMES, len(names) - 2), 0, -1)]
    full = [listed(list(names))] if len(names) <= MOST_NAMES + 1 else []
    return next((words for words in [*full, *some] if len(words) <= LONGEST_NAMES), (some or full or [""])[-1])


# ---- how sure, and what would change it -----------------------------------------------------------------------------


def _steps(report: Report, transcript: Transcript) -> Iterator[Point]:
    """What to do next, as commands."""
    status, total = report.outcome.status, report.metrics.total
    if status in ("paused", "open") and report.debate:
        used = Usage(input_tokens=total.input_tokens, output_tokens=total.output_tokens, cost=total.cost)
        steps = pause_steps(report.debate, transcript, used, report.entries)
        yield from (Point(command=step.command, words=step.words) for step in steps)
    if status == "failed" and report.debate:
        yield Point(command=f"folkmoot again {report.debate}", words="runs it once more")
    yield from (Point(command=way.command, words=way.words) for way in report.ways)
    if status == "decided" and report.debate and report.options:
        yield Point(
            command=f"folkmoot learn resolve {report.debate} --answer ANSWER",
            words="once you know which answer was right",
        )


def _change(
    report: Report, grounds: DecisionGrounds, transcript: Transcript, recounted: Sequence[str]
) -> Iterator[Point]:
    if grounds.margin:
        yield Point(words=grounds.margin)
    yield from (Point(words=words) for words in recounted if not (grounds.margin and words.startswith("If ")))
    questions = {edge.source for edge in report.judged.unanswered if edge.relation not in AGAINST}
    for node in report.arguments.nodes:
        if node.mark in questions:
            yield Point(
                words=f"An answer to the question: {without_markdown(node.claim)}",
                tail=f"{_names(node.by)}, {node.mark}",
            )
    if report.outcome.status == "decided":
        open_ = [turn for turn in transcript.turns() if "OPEN" in turn.fields]
        for turn in open_[-1:]:
            open_words = without_markdown(str(turn.fields["OPEN"]))
            yield Point(words=f"What was left open: {open_words}", tail=f"{turn.by}, {turn.mark}")


def _sure(report: Report, grounds: DecisionGrounds) -> Iterator[str]:
    decision = report.outcome.decision
    if decision is None:
        return
    yield from _agreement_sentence(report, decision)
    moved = list(dict.fromkeys(flip.by for flip in grounds.moves))
    holders = [name for name, stood in report.stands.items() if stood]
    if moved:
        yield f"{len(moved)} of {len(holders)} changed the answer during the debate: {_names(moved)}."
    elif len(holders) > 1 and any(len(stood) > 1 for stood in report.stands.values()):
        yield "Nobody changed the answer during the debate."
    confidences = [ballot.confidence for ballot in decision.ballots if ballot.confidence is not None]
    if confidences:
        yield f"The voters say that they are {percent(sum(confidences) / len(confidences))} sure, on average."
    attacks = [edge for edge in report.judged.unanswered if edge.relation in AGAINST]
    if attacks:
        verb = "was" if len(attacks) == 1 else "were"
        yield f"{counted(len(attacks), 'attack')} on claims {verb} not rebutted."


_LEVELS: Mapping[str, str] = {
    "unanimous": "All agree",
    "strong": "Firm",
    "moderate": "Moderate",
    "weak": "Weak",
    "split": "Split",
    "contested": "Open: as many are against it",
    DEMONSTRATION: "A demonstration",
}
"""The strength of a decision in plain words."""


def _agreement_sentence(report: Report, decision: Decision) -> Iterator[str]:
    level = _LEVELS.get(report.strength(decision), "")
    chosen, voters = _cast(decision), len(decision.ballots)
    won = sum(bare(choice) == bare(decision.winner) for choice in chosen)
    readable = "".join(f", {words}" for words in filter(None, [readable_ballots(decision)]))
    if report.outcome.status == "decided" and won:
        yield f"{level or 'Decided'}: {won} of {voters} chose it{readable}."
    elif chosen:
        yield f"{level or 'Undecided'}: {len(chosen)} of {voters} gave a ballot that counts{readable}."
    elif decision.rule == MEAN:
        yield f"Pooled from {counted(len(decision.support), 'forecast')}."
    elif report.outcome.status == "decided":
        yield "Nobody voted: one ruling decided."


def _cautions(report: Report) -> Iterator[str]:
    yield from report.outcome.notes
    replaced = sum(fault.kind in ("fallback", "served") for fault in report.faults)
    if replaced:
        yield f"Another model than planned answered {counted(replaced, 'time')}."
    if report.quoting:
        everybody = len(report.quoting) == len(report.participants)
        names = "anybody" if everybody else _names(report.quoting)
        yield f"A demonstration: no language model answers for {names}; the built-in agent quotes the background."


# ---- who, cost, identifiers -----------------------------------------------------------------------------------------


def _who(people: Sequence[Person]) -> str:
    """Everybody by name and role, then the models with their seats."""
    people_shown = [person for person in people if person.duty != "aide"]
    names = [f"{person.name} ({person.role})" if person.role else person.name for person in people_shown]
    seats: dict[str, int] = {}
    for person in people_shown:
        seats[person.seat or "no model"] = seats.get(person.seat or "no model", 0) + 1
    models = [f"{model} for {number}" if number > 1 else model for model, number in seats.items()]
    return f"{counted(len(people_shown), 'participant')}, answered by {listed(models)}: {'; '.join(names)}."


def _cost(report: Report) -> str:
    total = report.metrics.total
    money = "unknown" if total.cost is None else about(f"${total.cost:.3f}", total.estimated) if total.cost else "$0"
    tokens = about(counted(total.input_tokens + total.output_tokens, "token"), total.estimated)
    rounds = [text for text in report.settings if "round" in text][:1]
    parts = [money, counted(total.calls, "call"), tokens, duration(report.metrics.seconds), *rounds]
    return f"{', '.join(parts)}; protocol {protocol_in_words(report.protocol)}."


def _small(report: Report) -> Iterator[str]:
    yield f"Debate {report.debate}, {counted(report.entries, 'entry')}, the last one of {date(report.ended)}"
    if report.forked:
        yield fork_origin(report.forked)
    if report.head:
        yield f"hash of the last entry {report.head}"
    if report.debate:
        yield f"check: folkmoot verify {report.debate}; the whole: folkmoot report {report.debate}"
