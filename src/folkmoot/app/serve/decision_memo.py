"""What stands in the memo of a debate: the answer, why, what speaks against it, how sure it is, and what it cost.

All of it is on record: votes, claims with their strength, who changed the answer. No model writes anything for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from folkmoot.analysis.agreement import Agreement, agreement
from folkmoot.analysis.decision_grounds import DecisionGrounds, decision_grounds, is_for
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
from folkmoot.report.gaps import NOT_READABLE, readable_ballots, unread_ballots
from folkmoot.report.markdown_text import capital, date, without_markdown
from folkmoot.report.memo_page import AnswerRow, Column, Memo, Point, ShareColumn, letter_of
from folkmoot.report.metrics import missing_causes
from folkmoot.report.report import DEMONSTRATION, Person, Report

MOST_NAMES = 3
"""How many names stand behind a point."""

LONGEST_NAMES = 20
"""How many characters they have about."""

MOST_POINTS = 8
"""How many points are looked at."""

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
    grounds, agreed, decision = decision_grounds(transcript), agreement(transcript), report.outcome.decision
    answers = _Answers(report, agreed)
    headline = _headline(report)
    total = report.metrics.total
    return Memo(
        topic=report.topic,
        date=date(report.ended)[:10],
        kicker=_kicker(report),
        headline=headline,
        text=_whole_answer(report, headline),
        seats=_seats(decision, answers),
        score=_score(decision),
        tally=_tally(decision, answers),
        columns=tuple(_columns(report, grounds, answers)),
        change_title=_TITLES.get(report.outcome.status, "What to do now"),
        change=tuple(_change(report, grounds, transcript, recounted)),
        sure=tuple(_sure(report, grounds)),
        shares=answers.shares,
        cautions=tuple(_cautions(report)),
        who=_who(report.participants),
        cost=_cost(report) if total.attempts else "No model was called.",
        small=tuple(_small(report)),
    )


_TITLES: Mapping[str, str] = {
    "decided": "What would change it",
    "tie": "What would break the tie",
    "no_decision": "What may decide it",
}


_STAGES: Mapping[str, str] = {"first answers": "opening", "closing answers": "closing"}
"""The stages that are no round, as the map and the stances of the web app have them."""


class _Answers:
    """The answers of a debate in one order, so that each has one letter and colour."""

    def __init__(self, report: Report, agreed: Agreement) -> None:
        decision = report.outcome.decision
        tally = sorted(decision.tally.items(), key=lambda item: -item[1]) if decision else []
        answers = [answer.answer for answer in agreed.ledger]
        self.places: dict[str, int] = {}
        for text in (*report.options, *(name for name, _ in tally), *answers):
            self.places.setdefault(bare(text), len(self.places))
        self.shares = tuple(
            ShareColumn(
                name=_STAGES.get(stage.name) or stage.name.removeprefix("round "),
                holders=self._holders(stage.tally.holders),
            )
            for stage in agreed.stages
        )

    def place(self, answer: str) -> int:
        """The place of an answer; -1 for an unknown one."""
        return self.places.get(bare(answer), -1)

    def named(self, answer: str) -> str:
        """Which answer somebody is for, by its letter."""
        index = self.place(answer)
        return f"for {letter_of(index)}" if index >= 0 else ""

    def _holders(self, holders: Mapping[str, int]) -> tuple[int, ...]:
        counts = [0] * len(self.places)
        for answer, number in holders.items():
            counts[self.place(answer)] += number
        return tuple(counts)


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


def _seats(decision: Decision | None, answers: _Answers) -> tuple[int, ...]:
    if decision is None:
        return ()
    places = [answers.place(ballot.choice) if ballot.state == "cast" else -1 for ballot in decision.ballots]
    return tuple(sorted(places, key=lambda place: (place < 0, place)))


def _score(decision: Decision | None) -> str:
    chosen = _cast(decision)
    if decision is None or not chosen:
        return ""
    won = sum(bare(choice) == bare(decision.winner) for choice in chosen)
    return f"{won} of {len(decision.ballots)}" if won else f"{len(chosen)} voted"


def _tally(decision: Decision | None, answers: _Answers) -> tuple[AnswerRow, ...]:
    rows = sorted(decision.tally.items(), key=lambda item: -item[1]) if decision else []
    tally = [AnswerRow(answer=name, votes=f"{votes:g}", place=answers.place(name)) for name, votes in rows]
    unread = len(unread_ballots(decision))
    return (*tally, *([AnswerRow(answer=NOT_READABLE, votes=f"{unread}", place=-1)] if unread else []))


# ---- why, and what is against it ------------------------------------------------------------------------------------


def _columns(report: Report, grounds: DecisionGrounds, answers: _Answers) -> Iterator[Column]:
    decision = report.outcome.decision
    if decision is None:
        return
    if report.outcome.status == "decided":
        yield _column("Why", _reasons(report, decision.winner, decision.argument))
        yield _column("Against it", _objections(report, decision, grounds, answers))
        return
    for minority in sorted(decision.minority, key=lambda answer: -answer.share)[:2]:
        title = f"For {letter_of(answers.place(minority.answer))}: {minority.answer}"
        yield _column(title, _reasons(report, minority.answer, minority.argument))


def _column(title: str, points: Iterable[Point]) -> Column:
    distinct = list({bare(point.words): point for point in reversed(list(points)) if bare(point.words)}.values())[::-1]
    return Column(title=title, points=tuple(distinct[:MOST_POINTS]), total=len(distinct))


def _reasons(report: Report, answer: str, argument: str) -> Iterator[Point]:
    """The best argument for an answer, then the claims for it that are held, the strongest first."""
    if argument.strip():
        yield Point(words=without_markdown(argument))
    for node in _held(report, lambda node: is_for(node, answer) and bare(node.claim) != bare(answer)):
        yield _claim(node)
    for ballot in report.outcome.ballots:
        if ballot.state == "cast" and bare(ballot.choice) == bare(answer):
            yield Point(words=without_markdown(ballot.reason), tail=ballot.voter)


def _objections(report: Report, decision: Decision, grounds: DecisionGrounds, answers: _Answers) -> Iterator[Point]:
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
            tail=f"{_names(minority.by) or 'an answer'} {answers.named(minority.answer)}",
        )
    for ballot in report.outcome.dissent:
        yield Point(words=without_markdown(ballot.reason), tail=f"{ballot.voter} {answers.named(ballot.choice)}")
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


def _change(
    report: Report, grounds: DecisionGrounds, transcript: Transcript, recounted: Sequence[str]
) -> Iterator[Point]:
    status, total = report.outcome.status, report.metrics.total
    if status in ("paused", "open") and report.debate:
        used = Usage(input_tokens=total.input_tokens, output_tokens=total.output_tokens, cost=total.cost)
        steps = pause_steps(report.debate, transcript, used, report.entries)
        yield from (Point(command=step.command, words=step.words) for step in steps)
    if status == "failed" and report.debate:
        yield Point(command=f"folkmoot again {report.debate}", words="runs it once more")
    yield from (Point(command=way.command, words=way.words) for way in report.ways)
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
    if status == "decided":
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
    "contested": "Open: as many stand against it",
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
