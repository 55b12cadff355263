"""The report of a debate in Markdown, with its chapters on the decision and on the argument map.

Headings: 1 the topic, 2 the chapters, 3 the phases, 4 the turns. Headings of participants are level 5 or below.
"""

import re
from collections.abc import Iterable, Mapping, Sequence, Set

from folkmoot.arguments.argument_map import AGAINST, ArgumentMap, Edge, Judgement, Node, Standing
from folkmoot.arguments.positions import Change
from folkmoot.arguments.tree import VERBS, mermaid
from folkmoot.core.decision import Ballot, Decision, Minority
from folkmoot.core.labels import duration, duty_in_words, fork_origin, place, protocol_in_words, rule_in_words
from folkmoot.core.text import about, counted, listed, percent
from folkmoot.report.conclusion import BALLOT_STATES, Conclusion, Row, answer_in_words, board_chapter, on_top
from folkmoot.report.course import course_chapters, score_chapter
from folkmoot.report.dialogue import dialogue
from folkmoot.report.findings_chapter import findings_chapter
from folkmoot.report.gaps import NOT_READABLE, readable_ballots
from folkmoot.report.lookups import appendix, tools_chapter
from folkmoot.report.markdown_text import LONG, block, bullets, capital, code, date, inline, lead, quoted, table
from folkmoot.report.metrics import Fault, Kind, Use
from folkmoot.report.report import Person, Report

MOST_TEXT = 45_000
"""Characters of a chart: Mermaid draws none of more than 50,000."""

MOST_EDGES = 450
"""Edges of a chart: Mermaid draws none of more than 500."""

ABOUT = (
    "*A claim stands if no claim that attacks it stands (the grounded extension of Dung 1995; attacks and "
    "rebuttals count). Its strength, from 0 to 1, counts support too; 0.5 is that of a claim without links (the "
    "quadratic energy model of Potyka 2018). Neither says what is true: only which claims were left unanswered.*"
)

_GROUPS: Mapping[Standing, str] = {
    "in": "Claims that stand",
    "undecided": "Claims left undecided: they attack each other",
    "out": "Claims that do not stand",
    "replaced": "Claims replaced by their authors",
    "question": "Questions",
}


def map_chapter(argument_map: ArgumentMap, judged: Judgement) -> list[str]:
    """The chapter of a report, as blocks; none if there is too little to draw."""
    return ["## Argument map", *whole_map(argument_map, judged)] if argument_map.is_worth_showing else []


def whole_map(argument_map: ArgumentMap, judged: Judgement) -> list[str]:
    """The flowchart and what follows from it, as blocks."""
    if not argument_map.nodes:
        return ["Nobody made a claim."]
    return [
        _chart(argument_map, judged),
        ABOUT,
        *_convergence_note(judged),
        *_groups(argument_map, judged),
        *_unanswered(argument_map, judged),
    ]


def _chart(argument_map: ArgumentMap, judged: Judgement) -> str:
    text = mermaid(argument_map, judged)
    if len(text) > MOST_TEXT or len(argument_map.edges) > MOST_EDGES:
        many = f"{len(argument_map.nodes)} claims with {len(argument_map.edges)} links"
        return f"The map is too large for a chart here ({many}); all claims are listed below."
    return f"```mermaid\n{text}```"


def _convergence_note(judged: Judgement) -> list[str]:
    return [] if judged.settled else ["> **Note:** The strengths did not converge: these are their last values."]


def _groups(argument_map: ArgumentMap, judged: Judgement) -> Iterable[str]:
    for standing, title in _GROUPS.items():
        nodes = [node for node in argument_map.nodes if judged.standing[node.mark] == standing]
        nodes.sort(key=lambda node: -judged.strength.get(node.mark, 0.0))
        if nodes:
            yield f"**{title}**\n\n{bullets(_line(node, argument_map, judged) for node in nodes)}"


def _line(node: Node, argument_map: ArgumentMap, judged: Judgement) -> str:
    strength = f", strength {judged.strength[node.mark]:.2f}" if node.mark in judged.strength else ""
    return f"{_claim_label(node)}{strength}: {inline(node.claim, LONG)}{_why_not_accepted(node, argument_map, judged)}"


def _why_not_accepted(node: Node, argument_map: ArgumentMap, judged: Judgement) -> str:
    """What keeps a claim from standing."""
    if node.replaced:
        return f" *(replaced by {node.replaced})*"
    if judged.standing[node.mark] != "out":
        return ""
    against = [edge for edge in argument_map.edges if edge.target == node.mark and edge.relation in AGAINST]
    marks = [edge.source for edge in against if judged.standing[edge.source] == "in"]
    return f" *(against it: {listed(list(dict.fromkeys(marks)))})*"


def _unanswered(argument_map: ArgumentMap, judged: Judgement) -> Iterable[str]:
    attacks = [edge for edge in judged.unanswered if edge.relation in AGAINST]
    questions = [edge for edge in judged.unanswered if edge.relation not in AGAINST]
    for title, edges in (("Unanswered attacks", attacks), ("Unanswered questions", questions)):
        if edges:
            yield f"**{title}**\n\n{bullets(_open(edges, argument_map))}"


def _open(edges: Sequence[Edge], argument_map: ArgumentMap) -> Iterable[str]:
    for edge in edges:
        source, target = argument_map.node(edge.source), argument_map.node(edge.target)
        yield f"{_claim_label(source)} {VERBS[edge.relation]} {_claim_label(target)}: {inline(source.claim, LONG)}"


def _claim_label(node: Node) -> str:
    return f"{node.mark} ({listed([inline(name) for name in node.by])})"


_SHORT = 160
"""The most characters of a reason in the table of ballots; the transcript has the whole."""


def decision_chapter(report: Report) -> list[str]:
    """The chapter on the decision, as blocks."""
    outcome, decision = report.outcome, report.outcome.decision
    if decision is None:
        begun = "" if outcome.status == "no_decision" else "There is no decision. "
        notes = (f"> **Note:** {inline(note)}" for note in outcome.notes)
        return ["## Decision", f"{begun}{capital(inline(outcome.line))}.", *notes]
    return [
        "## Decision",
        *_result(outcome, decision),
        _how_decided(decision, report.strength(decision)),
        *(f"> **Note:** {inline(note)}" for note in outcome.notes),
        _tally(outcome) if outcome.ballots else _points(outcome.tally),
        _ballots(outcome),
        _dissent(outcome.dissent),
        *_minority(decision),
        _next_commands(report),
        _changes(report),
    ]


def _next_commands(report: Report) -> str:
    """The commands that may decide what nobody won; "" where somebody did."""
    ways = [f"{code(way.command)} ({way.words})" for way in report.ways]
    return f"**What may decide it:** {', '.join(ways)}." if ways else ""


def _result(outcome: Conclusion, decision: Decision) -> list[str]:
    if decision.status == "tie":
        return ["**It is a tie: nothing is decided.**"]
    if decision.status != "decided":
        return ["**There is no decision.**"]
    whose = f"The proposal of {inline(outcome.proposer)}" if outcome.proposer else "Decided"
    return [lead(whose, answer_in_words(decision)), *_best_argument(decision.argument)]


def _best_argument(argument: str) -> list[str]:
    """The best argument for an answer, as a quotation; nothing if there is none."""
    words = argument.strip()
    return [quoted(block(words) if len(words) <= 2 * LONG else inline(words, 2 * LONG))] if words else []


def _how_decided(decision: Decision, strength: str) -> str:
    sentences = [inline(decision.how, 2 * LONG) or "The record does not say"]
    if decision.rule:
        sentences.append(f"Rule: {inline(rule_in_words(decision.rule))}")
    if decision.ballots and decision.share:
        strength = f" ({strength})" if strength else ""
        sentences.append(f"Largest share of the votes: {percent(decision.share)}{strength}")
    if readable := readable_ballots(decision):
        sentences.append(readable)
    return f"**How it was decided:** {'. '.join(sentences)}."


def _tally(outcome: Conclusion) -> str:
    rows, ranked = outcome.tally, _is_ranked(outcome)
    weighted = any(row.votes != row.ballots for row in rows)
    drafts = any(row.first is not None for row in rows)
    counted = "Count" if ranked else "Weight"
    heads = [
        "Candidate",
        "Approvals" if _is_approval(outcome) else "First places" if ranked else "Votes",
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
    if outcome.unread:
        lines.append([f"*{NOT_READABLE}*", f"{outcome.unread}", *["–"] * (len(heads) - 2)])
    return table(heads, lines, numbers=len(heads) - 1)


def _points(rows: Sequence[Row]) -> str:
    """The tally where nobody voted: what a judge gave."""
    lines = [[inline(row.candidate, LONG), f"{row.votes:g}"] for row in rows]
    return table(["Candidate", "Score"], lines, numbers=1)


def _ballots(outcome: Conclusion) -> str:
    ballots = outcome.ballots
    weighted = any(row.votes != row.ballots for row in outcome.tally) and not _is_ranked(outcome)
    reasons = any(ballot.reason for ballot in ballots)
    heads = ["Voter", "Vote", *(["Reason"] if reasons else []), *(["Weight"] if weighted else [])]
    lines = [
        [
            inline(ballot.voter),
            _choice(ballot) if ballot.state == "cast" else f"*{BALLOT_STATES[ballot.state]}*",
            *([inline(ballot.reason, _SHORT)] if reasons else []),
            *([f"{ballot.weight:g}"] if weighted else []),
        ]
        for ballot in ballots
    ]
    return table(heads, lines, numbers=int(weighted))


def _is_ranked(outcome: Conclusion) -> bool:
    """Whether ballots rank candidates; then the rule counts something else than votes."""
    return any(ballot.ranks for ballot in outcome.ballots)


def _is_approval(outcome: Conclusion) -> bool:
    """Whether no ballot says more than whom its voter could accept."""
    ranks = [ballot.ranks for ballot in outcome.ballots if ballot.ranks]
    return bool(ranks) and all(len(tiers) == 1 for tiers in ranks) and any(len(tiers[0]) > 1 for tiers in ranks)


def _choice(ballot: Ballot) -> str:
    """Whom a ballot is for; of a ranking all tiers, the best first."""
    tiers = [" = ".join(inline(name, LONG) for name in tier) for tier in ballot.ranks]
    return " > ".join(tiers) or inline(ballot.choice, LONG)


def _dissent(ballots: Sequence[Ballot]) -> str:
    against = [f"{inline(ballot.voter)} for {inline(listed(on_top(ballot)), LONG)}" for ballot in ballots]
    return f"**Dissent:** {'; '.join(against)}" if against else ""


def _minority(decision: Decision) -> list[str]:
    """The answers that lost with their best arguments; those without any vote only where no answer has one."""
    name = "Minority answer" if decision.status == "decided" else "Answer without a decision"
    answers = {decision.winner, *(minority.answer for minority in decision.minority)}
    # Rankings that somebody else has made up his mind by have elected nobody.
    led = any(ballot.ranks for ballot in decision.ballots) and not any(minority.share for minority in decision.minority)
    voted = not led and any(ballot.state == "cast" and ballot.choice in answers for ballot in decision.ballots)
    blocks: list[str] = []
    for minority in [minority for minority in decision.minority if minority.share] or decision.minority:
        blocks += [f"**{name}:** {_minority_line(minority, voted=voted)}", *_best_argument(minority.argument)]
    return blocks


def _minority_line(minority: Minority, *, voted: bool) -> str:
    """An answer, its supporters, and its share of votes if any; without a short answer, by its author."""
    share = f"{percent(minority.share)} of the votes" if voted else ""
    if minority.by == (minority.answer,):
        return f"the proposal of {inline(minority.answer)}{f' ({share})' if share else ''}"
    by = listed([inline(name) for name in minority.by]) or "nobody at the end"
    return f"{inline(minority.answer, 2 * LONG)} ({'; '.join(filter(None, (by, share)))})"


def _changes(report: Report) -> str:
    if not any(len(stand) > 1 for stand in report.stands.values()):
        return ""
    if not report.changes:
        return "Nobody changed their answer during the debate."
    marks = {turn.mark for part in report.parts for turn in part.turns}
    lines = [
        f"{inline(change.by)} ({inline(place(change.key))}): from {inline(change.before, LONG)} "
        f"to {inline(change.after, LONG)}, {_reason(change, marks)}"
        for change in report.changes
    ]
    return f"**Changed answers**\n\n{bullets(lines)}"


def _reason(change: Change, marks: Set[str]) -> str:
    """Why an answer changed: after which turns of whom, by their marks where the report has them, and in what words."""
    named = [mark for mark in change.causes if mark in marks]
    turns = f" ({listed(named)})" if named else ""
    after = f"after {listed([inline(name) for name in change.to])}{turns}" if change.to else ""
    because = f"because: {inline(change.because, 2 * LONG)}" if change.because else ""
    return ", ".join(filter(None, (after, because))) or "and the record states no reason"


_LABEL = re.compile(r"[A-Z][\w ]{0,30}: ")
"""How a line begins that says what it is about, such as ``Expertise: …``."""

_FAULTS: Mapping[Kind, str] = {
    "missing": "No answer",
    "open": "Open question",
    "erred": "Failed attempt",
    "lost": "Lost attempt",
    "fallback": "Another model was asked",
    "served": "Another model answered",
    "truncated": "Truncated answer",
    "unmarked": "Answer without an end",
    "filtered": "Filtered answer",
    "unread": "Field not readable",
    "noted": "Remark",
    "halted": "Ended early",
    "paused": "Paused",
    "resumed": "Resumed",
    "estimated": "Estimated tokens",
}


_OPEN = ("paused", "open")


def markdown(report: Report) -> str:
    """A report to read, to print and to take to a meeting; it ends with a line break."""
    blocks = [
        *_header(report),
        *decision_chapter(report),
        *board_chapter(report.board, report.outcome.decision),
        *_findings(report),
        *score_chapter(report.scores),
        *_participants(report),
        *dialogue(report.parts, report.course.translations),
        *course_chapters(report.course),
        *map_chapter(report.arguments, report.judged),
        *(tools_chapter(report.tools) if report.tools else ()),
        *_faults(report.faults),
        *_record(report),
        *(appendix(report.searches) if report.searches else ()),
    ]
    return "\n\n".join(item for item in blocks if item) + "\n"


def _findings(report: Report) -> list[str]:
    review = report.review
    return findings_chapter(review, over=report.outcome.decision is not None) if review else []


def _header(report: Report) -> list[str]:
    total = report.metrics.total
    called = total.attempts > 0
    topic = inline(report.topic)
    people = [_cast(person) for person in report.participants]
    facts = {
        "Protocol": inline(protocol_in_words(report.protocol)),
        "Options": "; ".join(inline(option) for option in report.options),
        "Background": listed([inline(name) for name in report.background]),
        "Participants": ", ".join(people),
        "Settings": inline("; ".join(report.settings)),
        "Date": f"{date(report.began)}, took {duration(report.metrics.seconds)}{_pauses(report.metrics.paused)}",
        "Calls": _calls(total),
        "Tokens": _tokens(total) if called else "",
        "Cost": _cost(total) if called else "",
        "Debate": code(report.debate),
        "Origin": inline(fork_origin(report.forked)),
    }
    return [
        f"# {inline(report.topic, LONG)}",
        f"**{capital(inline(report.outcome.line, LONG))}**",
        bullets(f"**{name}:** {fact}" for name, fact in facts.items() if fact),
        f"**Topic:** {topic}" if len(topic) > LONG else "",
        _quoting_note(report),
    ]


def _quoting_note(report: Report) -> str:
    quoting = report.quoting
    if not quoting:
        return ""
    if len(quoting) == len(report.participants):
        return "*No language model took part: the participants only quote the brief's background.*"
    names = listed([inline(name) for name in quoting])
    verb = "are no language models: they" if len(quoting) > 1 else "is not a language model: it"
    return f"*{names} {verb} only quote{'' if len(quoting) > 1 else 's'} the brief's background.*"


# ---- the participants ----------------------------------------------------------------------------------------------


def _participants(report: Report) -> list[str]:
    lines = [
        [
            inline(person.name),
            f"{person.use.answers} of {person.use.asks}",
            f"{person.use.calls}",
            about(f"{person.use.input_tokens:,}", person.use.estimated),
            about(f"{person.use.output_tokens:,}", person.use.estimated),
            _price(person.use),
            duration(person.use.seconds),
        ]
        for person in report.participants
    ]
    heads = ["Participant", "Answers", "Calls", "Tokens in", "Tokens out", "Cost", "Time"]
    called = any(person.use.attempts for person in report.participants)
    bios = bullets(_bio(person) for person in report.participants)
    return ["## Participants", bios, table(heads, lines, numbers=6) if called else ""]


def _bio(person: Person) -> str:
    duty = "" if person.role.casefold() == person.duty else duty_in_words(person.duty)
    weight = "" if person.weight is None else f"weight {person.weight:g}"
    language = f"speaks {inline(person.language)}" if person.language else ""
    tools = f"tools: {listed([inline(tool) for tool in person.tools])}" if person.tools else ""
    details = (inline(person.role), duty, code(person.seat), weight, language, tools)
    facts = ", ".join(fact for fact in details if fact)
    persona = f". {inline(_persona(person), LONG)}" if person.persona.strip() else ""
    return f"**{inline(person.name)}:** {facts}{persona}"


def _persona(person: Person) -> str:
    """The persona for one line, with a mark where a labelled line of it begins."""
    rows = [row.strip() for row in person.persona.strip().split("\n")]
    return rows[0] + "".join(f" · {row}" if _LABEL.match(row) else f" {row}" for row in rows[1:])


def _cast(person: Person) -> str:
    return f"{inline(person.name)} ({code(person.seat)})" if person.seat else inline(person.name)


# ---- problems, and the record ---------------------------------------------------------------------------------------


def _faults(faults: Sequence[Fault]) -> list[str]:
    """One line for each kind, participant and reason."""
    faults_by_kind: dict[tuple[Kind, str, str], list[Fault]] = {}
    for fault in faults:
        participant = "" if fault.kind == "estimated" else fault.who
        faults_by_kind.setdefault((fault.kind, participant, fault.reason), []).append(fault)
    lines = [_fault(kind, participant, reason, same) for (kind, participant, reason), same in faults_by_kind.items()]
    return ["## Problems", bullets(lines) or "There were no problems."]


def _fault(kind: Kind, participant: str, reason: str, same: Sequence[Fault]) -> str:
    places = list(dict.fromkeys(place(fault.key) for fault in same if "#" in fault.key))
    location = inline(places[0]) if len(places) == 1 else ""
    times = f"{len(same)} times" if len(same) > 1 else ""
    text = ", ".join(part for part in (inline(participant), location, times) if part)
    head = f"**{_FAULTS[kind]}**{f' ({text})' if text else ''}"
    return f"{head}: {inline(reason, 2 * LONG)}" if reason else head


def _record(report: Report) -> list[str]:
    lines = [
        f"**Kept in:** {code(report.where)}" if report.where else "",
        f"**Length:** {counted(report.entries, 'entry')}, the last one of {date(report.ended)}",
        f"**Hash of the last entry:** {code(report.head)}" if report.head else "",
        f"**Resume:** {code(f'folkmoot resume {report.debate}')}" if report.outcome.status in _OPEN else "",
        f"**Verify:** {code(f'folkmoot verify {report.debate}')}",
        f"**Show:** {code(f'folkmoot show {report.debate}')}",
    ]
    return ["## Record", bullets(line for line in lines if line)]


def _calls(use: Use) -> str:
    if not use.attempts:
        return "none"
    more = [
        _count(use.retries, "retry"),
        _count(use.repairs, "repair question"),
        _count(use.errors, "failed attempt"),
        _count(use.lost, "lost attempt"),
    ]
    text = listed([text for text in more if text])
    return f"{use.calls:,} answered{f', with {text}' if text else ''}"


def _count(n: int, noun: str) -> str:
    return counted(n, noun) if n else ""


def _tokens(use: Use) -> str:
    cached = f" ({use.cached_tokens:,} of them from the provider's cache)" if use.cached_tokens else ""
    estimated = f"; estimated for {counted(use.estimated, 'call')}" if use.estimated else ""
    return f"{about(f'{use.input_tokens:,} in', use.estimated)}{cached}, {use.output_tokens:,} out{estimated}"


def _price(use: Use) -> str:
    return "unknown" if use.cost is None else about(f"${use.cost:.4f}", use.estimated) if use.cost else "$0"


def _cost(use: Use) -> str:
    money = about(f"${use.known:.4f}", use.estimated)
    known = f"; the calls with a known price cost {money}" if use.cost is None and use.known else ""
    unpriced = f" (no price for {listed([code(model) for model in use.unpriced])}{known})" if use.unpriced else ""
    failed = "; failed and lost attempts are not included" if use.errors + use.lost else ""
    return f"{_price(use)}{unpriced}{failed}"


def _pauses(seconds: float) -> str:
    return f", paused for {duration(seconds)}" if seconds else ""
