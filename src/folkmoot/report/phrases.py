"""What the templates of the report say where it takes more than a name: sentences in plain words, and rows of tables."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import TypeAlias

from markupsafe import Markup

from folkmoot.arguments.argument_map import AGAINST, ArgumentMap, Edge, Judgement, Node, Standing
from folkmoot.arguments.positions import Change, ToolUsage
from folkmoot.arguments.tree import VERBS, mermaid
from folkmoot.core.ask import Form
from folkmoot.core.brief import View
from folkmoot.core.decision import Decision
from folkmoot.core.event import TOOL, Attempted, Called, Erred, Failed, Halted
from folkmoot.core.labels import (
    duration,
    duty_in_words,
    fork_origin,
    noun,
    place,
    plural,
    protocol_in_words,
    rule_in_words,
    with_author,
)
from folkmoot.core.text import about, counted, listed, percent
from folkmoot.report.conclusion import BALLOT_STATES, Attachment, Board, Conclusion, answer_in_words, on_top
from folkmoot.report.course import Mean, Reflection, Scores
from folkmoot.report.gaps import NOT_READABLE
from folkmoot.report.lookups import SearchNode
from folkmoot.report.markdown_text import LONG, capital, date
from folkmoot.report.metrics import Fault, Kind, Use
from folkmoot.report.report import Person, Report
from folkmoot.report.templates import joined, kept, safe_code, safe_inline, table
from folkmoot.report.turn_text import Pairs, Spoken, Subject, parted
from folkmoot.reviews.citations import Citation, span
from folkmoot.reviews.merging import Finding
from folkmoot.reviews.reviewed import STATE_WORDS, Review, Reviewed
from folkmoot.reviews.states import ReplyWord, Ruling, Verdict

__all__ = ["VERBS", "span"]  # for the templates

answer = answer_in_words


# ---- the decision ----------------------------------------------------------------------------------------------------


def how_decided(report: Report) -> Markup:
    """How the decision followed, by which rule, with how large a share."""
    decision = report.outcome.decision
    assert decision
    sentences: list[object] = [safe_inline(decision.how, 2 * LONG) or "The record does not say"]
    if decision.rule:
        sentences.append(f"Rule: {rule_in_words(decision.rule)}")
    if decision.ballots and decision.share:
        strength = report.strength(decision)
        share = f"Largest share of the votes: {percent(decision.share)}"
        sentences.append(f"{share} ({strength})" if strength else share)
    if report.outcome.readable:
        sentences.append(report.outcome.readable)
    return Markup(f"{joined(sentences, '. ')}.")


def tally(outcome: Conclusion) -> Markup:
    """The candidates and what was counted for each; where nobody voted, what a judge gave."""
    if not outcome.ballots:
        rows = [[safe_inline(row.candidate, LONG), f"{row.votes:g}"] for row in outcome.tally]
        return table(["Candidate", "Score"], rows, numbers=1)
    ranked = any(ballot.ranks for ballot in outcome.ballots)
    tiers = [ballot.ranks for ballot in outcome.ballots if ballot.ranks]
    # A ballot of approval says no more than whom its voter could accept.
    approval = ranked and all(len(ranks) == 1 for ranks in tiers) and any(len(ranks[0]) > 1 for ranks in tiers)
    weighed, drafts = outcome.weighed, any(row.first is not None for row in outcome.tally)
    heads = ["Candidate", "Approvals" if approval else "First places" if ranked else "Votes"]
    heads += ["Count" if ranked else "Weight"] if weighed else []
    heads += ["First drafts"] if drafts else []
    rows: list[list[object]] = []
    for row in outcome.tally:
        rows.append([safe_inline(row.candidate, LONG), f"{row.ballots}"])
        rows[-1] += [f"{row.votes:g}"] if weighed else []
        rows[-1] += [f"{row.first or 0:g}"] if drafts else []
    if outcome.unread:
        rows.append([Markup(f"*{NOT_READABLE}*"), f"{outcome.unread}", *["–"] * (len(heads) - 2)])
    return table(heads, rows, numbers=len(heads) - 1)


def ballots(outcome: Conclusion) -> Markup:
    """Who voted for whom, and why; of a ranking all tiers, the best first."""
    weighed = outcome.weighed and not any(ballot.ranks for ballot in outcome.ballots)
    reasons = any(ballot.reason for ballot in outcome.ballots)
    rows: list[list[object]] = []
    for ballot in outcome.ballots:
        tiers = [joined([safe_inline(name, LONG) for name in tier], " = ") for tier in ballot.ranks]
        chosen = joined(tiers, " > ") or safe_inline(ballot.choice, LONG)
        rows.append([ballot.voter, chosen if ballot.state == "cast" else Markup(f"*{BALLOT_STATES[ballot.state]}*")])
        rows[-1] += [safe_inline(ballot.reason, _SHORT)] if reasons else []
        rows[-1] += [f"{ballot.weight:g}"] if weighed else []
    heads = ["Voter", "Vote", *(["Reason"] if reasons else []), *(["Weight"] if weighed else [])]
    return table(heads, rows, numbers=int(weighed))


_SHORT = 160
"""The most characters of a reason in the table of ballots; the transcript has the whole."""


def dissent(outcome: Conclusion) -> list[Markup]:
    """Who voted for somebody else than the winner."""
    return [
        Markup(f"{safe_inline(ballot.voter)} for {safe_inline(listed(on_top(ballot)), LONG)}")
        for ballot in outcome.dissent
    ]


def lost(decision: Decision) -> Iterator[tuple[Markup, str]]:
    """The answers that lost with their best arguments; those without any vote only where no answer has one."""
    answers = {decision.winner, *(minority.answer for minority in decision.minority)}
    # Rankings that somebody else has made up his mind by have elected nobody.
    led = any(ballot.ranks for ballot in decision.ballots) and not any(minority.share for minority in decision.minority)
    voted = not led and any(ballot.state == "cast" and ballot.choice in answers for ballot in decision.ballots)
    for minority in [minority for minority in decision.minority if minority.share] or decision.minority:
        share = f"{percent(minority.share)} of the votes" if voted else ""
        if minority.by == (minority.answer,):  # without a short answer it goes by its author
            yield (
                Markup(f"the proposal of {safe_inline(minority.answer)}{f' ({share})' if share else ''}"),
                minority.argument,
            )
        else:
            by = listed([safe_inline(name) for name in minority.by]) or "nobody at the end"
            details = "; ".join(filter(None, (by, share)))
            yield Markup(f"{safe_inline(minority.answer, 2 * LONG)} ({details})"), minority.argument


def answered_twice(report: Report) -> bool:
    """Whether anybody answered more than once, and so could have changed the answer."""
    return any(len(answers) > 1 for answers in report.stands.values())


def cause(change: Change, report: Report) -> Markup:
    """Why an answer changed: after which turns of whom, by their marks where the report has them, and in what words."""
    marks = {turn.mark for part in report.parts for turn in part.turns}
    named = [mark for mark in change.causes if mark in marks]
    turns = f" ({listed(named)})" if named else ""
    after = f"after {listed([safe_inline(name) for name in change.to])}{turns}" if change.to else ""
    because = f"because: {safe_inline(change.because, 2 * LONG)}" if change.because else ""
    return Markup(", ".join(filter(None, (after, because))) or "and the record states no reason")


# ---- a board, scores, reflection -------------------------------------------------------------------------------------


def members(board: Board) -> list[list[object]]:
    """A row for each member of a board."""
    return [
        [
            member.name,
            safe_inline(member.verdict, LONG) or ("abstained" if member.abstained else "none"),
            safe_inline(member.reasoning, LONG) or "–",
            joined([Markup(f"{safe_inline(past.verdict, LONG)} ({past.mark})") for past in member.history], " → ")
            if member.changed
            else "–",
            member.withdrawn or ("absent" if member.absent else "–"),
            f"{member.messages}",
        ]
        for member in board.members
    ]


def refused(board: Board) -> list[str]:
    """Who could not withdraw, with the turns in which it was tried."""
    return [f"{member.name} ({', '.join(member.refused)})" for member in board.members if member.refused]


def citing(attachment: Attachment) -> list[str]:
    """Who cited what was attached, in which turn."""
    return [f"{by} ({mark})" for by, mark in attachment.cited]


def means(given: Mapping[str, Mapping[str, Mean]], scores: Scores) -> list[list[object]]:
    """A row for each who was rated, or who rated."""
    return [[name, *(_mean(value.get(criterion)) for criterion in scores.criteria)] for name, value in given.items()]


def _mean(mean: Mean | None) -> str:
    return f"{mean.value:.1f} ({mean.n})" if mean else "–"


def says(reflection: Reflection) -> str:
    """Whether somebody who looks back says that the opinion has changed."""
    if reflection.changed is None:
        return "does not say whether the opinion has changed"
    return f"says that the opinion has {'' if reflection.changed else 'not '}changed"


# ---- the head, the participants, problems ----------------------------------------------------------------------------


def facts(report: Report) -> Mapping[str, object]:
    """What is at the head of a report, by its name; "" for what there is nothing to say of."""
    total, metrics = report.metrics.total, report.metrics
    pauses = f", paused for {duration(metrics.paused)}" if metrics.paused else ""
    people = [
        Markup(f"{safe_inline(person.name)} ({safe_code(person.seat)})") if person.seat else person.name
        for person in report.participants
    ]
    return {
        "Protocol": protocol_in_words(report.protocol),
        "Options": joined(report.options, "; "),
        "Background": listed(report.background),
        "Participants": joined(people, ", "),
        "Settings": "; ".join(report.settings),
        "Date": f"{date(report.began)}, took {duration(metrics.seconds)}{pauses}",
        "Calls": _calls(total),
        "Tokens": _tokens(total) if total.attempts else "",
        "Cost": _cost(total) if total.attempts else "",
        "Debate": safe_code(report.debate),
        "Origin": fork_origin(report.forked),
    }


def _calls(use: Use) -> str:
    if not use.attempts:
        return "none"
    others = {
        "retry": use.retries,
        "repair question": use.repairs,
        "failed attempt": use.errors,
        "lost attempt": use.lost,
    }
    more = listed([counted(n, what) for what, n in others.items() if n])
    return f"{use.calls:,} answered{f', with {more}' if more else ''}"


def _tokens(use: Use) -> str:
    cached = f" ({use.cached_tokens:,} of them from the provider's cache)" if use.cached_tokens else ""
    estimated = f"; estimated for {counted(use.estimated, 'call')}" if use.estimated else ""
    return f"{about(f'{use.input_tokens:,} in', use.estimated)}{cached}, {use.output_tokens:,} out{estimated}"


def _price(use: Use) -> str:
    return "unknown" if use.cost is None else about(f"${use.cost:.4f}", use.estimated) if use.cost else "$0"


def _cost(use: Use) -> Markup:
    money = about(f"${use.known:.4f}", use.estimated)
    known = f"; the calls with a known price cost {money}" if use.cost is None and use.known else ""
    models = listed([safe_code(model) for model in use.unpriced])
    failed = "; failed and lost attempts are not included" if use.errors + use.lost else ""
    return Markup(f"{_price(use)}{f' (no price for {models}{known})' if use.unpriced else ''}{failed}")


def quoting(report: Report) -> str:
    """A note on those who are no language models."""
    if len(report.quoting) == len(report.participants):
        return "No language model took part: the participants only quote the brief's background."
    verb = (
        "are no language models: they only quote"
        if len(report.quoting) > 1
        else "is not a language model: it only quotes"
    )
    return f"{listed(report.quoting)} {verb} the brief's background."


def bio(person: Person) -> list[object]:
    """Who a participant is, in a few words each."""
    return [
        *([person.role] if person.role.strip() else []),
        *([] if person.role.casefold() == person.duty else [duty_in_words(person.duty)]),
        *([safe_code(person.seat)] if person.seat else []),
        *([] if person.weight is None else [f"weight {person.weight:g}"]),
        *([f"speaks {person.language}"] if person.language else []),
        *([f"tools: {listed(person.tools)}"] if person.tools else []),
    ]


def persona(person: Person) -> str:
    """The persona for one line, with a mark where a line of it begins that says what it is about: ``Expertise: …``."""
    rows = [row.strip() for row in person.persona.strip().split("\n")]
    return rows[0] + "".join(f" · {row}" if re.match(r"[A-Z][\w ]{0,30}: ", row) else f" {row}" for row in rows[1:])


def uses(people: Sequence[Person]) -> Markup:
    """What each participant did and used; nothing where no model was called."""
    rows = [
        [
            person.name,
            f"{person.use.answers} of {person.use.asks}",
            f"{person.use.calls}",
            about(f"{person.use.input_tokens:,}", person.use.estimated),
            about(f"{person.use.output_tokens:,}", person.use.estimated),
            _price(person.use),
            duration(person.use.seconds),
        ]
        for person in people
    ]
    heads = ["Participant", "Answers", "Calls", "Tokens in", "Tokens out", "Cost", "Time"]
    return table(heads, rows if any(person.use.attempts for person in people) else [], numbers=6)


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


def problems(faults: Sequence[Fault]) -> Iterator[tuple[str, str, str]]:
    """The kind, the place and the reason of each problem; the same one of the same participant is one."""
    same: dict[tuple[Kind, str, str], list[Fault]] = {}
    for fault in faults:
        who = "" if fault.kind == "estimated" else fault.who
        same.setdefault((fault.kind, who, fault.reason), []).append(fault)
    for (kind, who, reason), group in same.items():
        places = list(dict.fromkeys(place(fault.key) for fault in group if "#" in fault.key))
        times = f"{len(group)} times" if len(group) > 1 else ""
        yield _FAULTS[kind], ", ".join(filter(None, (who, places[0] if len(places) == 1 else "", times))), reason


# ---- what was said ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Turns under one heading: a line that sums bids up stands for them; "" where a heading goes on."""

    chapter: str = ""
    title: str = ""
    turns: tuple[Spoken | str, ...] = ()
    ends: tuple[Halted, ...] = ()


def sections(report: Report) -> Iterator[Section]:
    """What was said, part by part; from the first closing statements on, parts have a chapter of their own.

    Notes on strategy and translations have their places elsewhere.
    """
    last = ""
    for part in report.parts:
        turns = [turn for turn in part.turns if turn.act not in ("strategy", "translate") or turn.state != "answered"]
        if not turns and not part.ends:
            continue
        if last and not part.ends and all(aside(turn) and turn.act == "score" for turn in turns):
            # Scores belong to the turns above them, not beneath a heading of their own.
            yield Section(turns=tuple(turns))
            continue
        closing = last == "Final statements" or any(turn.act == "close" for turn in part.turns)
        chapter = "Final statements" if closing else "The debate"
        shown: list[Spoken | str] = []
        for bids, group in groupby(turns, key=lambda turn: turn.act == "bid" and aside(turn)):
            said = list(group)
            shown += [_bids(said)] if bids else said
        yield Section(chapter=chapter if chapter != last else "", title=part.title, turns=tuple(shown), ends=part.ends)
        last = chapter


def _bids(turns: Sequence[Spoken]) -> str:
    """Who bid how urgently, the most urgent first, and who did not; the verbose log has every bid in full."""
    urgent = {turn.key: float(value) for turn in turns for name, value in turn.fields if name == "Urgency"}
    bidding = sorted((turn for turn in turns if urgent.get(turn.key, 0.0) >= 1), key=lambda turn: -urgent[turn.key])
    silent = [turn.by for turn in turns if turn not in bidding]
    bids = [f"{turn.by} {urgent[turn.key]:g}{f' ({turn.mark})' if turn.mark else ''}" for turn in bidding]
    return f"Bids: {', '.join(bids) or 'none'}{f'; no bid of {listed(silent)}' if silent and bids else ''}."


def aside(turn: Spoken) -> bool:
    """Whether a turn is shown in one line: a bid, a score or the like."""
    return turn.private and turn.state == "answered"


def act_title(turn: Spoken) -> str:
    """What a turn is, and on whose turn it is: ``critique on Ben's draft``."""
    on = turn.on[0] if len(turn.on) == 1 else None
    return f"{noun(turn.act)}{f' on {with_author(on.by, on.act)}' if on else ''}"


def aside_facts(turn: Spoken) -> str:
    """What a turn in one line says."""
    rest = [f"{name}: {value}" for name, value in turn.fields if name not in ("Target", "Relation")]
    return _in_one_line([turn.link, *(rest or [turn.text])])


def _in_one_line(facts: Iterable[str]) -> str:
    """Facts as sentences of one line."""
    facts = [" ".join(fact.split()) for fact in facts]
    return " ".join(fact if fact.endswith((".", "?", "!")) else f"{fact}." for fact in facts if fact)


_ROLE = 48
"""The most characters of a role over a turn; the whole role is with the participants."""


def short_role(role: str) -> Markup:
    """A role over a turn: the parts of a long one, between its commas, that have room."""
    words = " ".join(role.split())
    return safe_inline(words if len(words) <= _ROLE else words[: _ROLE + 1].rpartition(", ")[0] or words, _ROLE)


def subjects(turn: Spoken) -> str:
    """What the speaker was asked about, where the heading does not say it; the labels, where the words use them."""
    labels = [on.label for on in turn.on if on.label]
    # A and I are words of English too.
    letters = [label.split()[-1] for label in labels if not label.endswith((" A", " I"))]
    answers = any(name in ("Accepts", "Rejects") for name, _ in turn.fields)  # which name critiques by their letters
    if labels and (answers or re.search(rf"\b(?:{'|'.join([*labels, *letters])})\b", turn.text)):
        return f"Shown without names: {listed([f'{on.label} is {with_author(on.by, on.act)}' for on in turn.on])}."
    if len(turn.on) < 2 or turn.act == "vote":
        return ""
    acts = dict.fromkeys(on.act for on in turn.on)
    on = listed([_by_act(act, [subject for subject in turn.on if subject.act == act]) for act in acts])
    return f"On {on}{', shown without names' if labels else ''}."


def _by_act(act: str, on: Sequence[Subject]) -> str:
    if len(on) == 1:
        return with_author(on[0].by, act)
    return f"the {plural(act)} of {listed([subject.by for subject in on])}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What an answered turn says: facts in a line, fields, the words (None: the fields say all), further fields."""

    line: str
    before: Pairs = ()
    words: str | None
    rest: Pairs = ()


def speech(turn: Spoken) -> Body:
    """What an answered turn says: a speech is its argument, after a line on what it claims and answers."""
    if not turn.complete:
        return Body(line=_in_one_line([turn.link]), before=turn.fields if turn.act == "vote" else (), words=turn.text)
    said = parted(turn.fields)
    facts = [turn.link, *map(capital, said.aside), *(f"{name}: {value}" for name, value in said.facts)]
    return Body(line=_in_one_line(facts), words=said.words or None, rest=said.rest)


# ---- the argument map ------------------------------------------------------------------------------------------------

_MOST_TEXT = 45_000
"""Characters of a chart: Mermaid draws none of more than 50,000."""

_MOST_EDGES = 450
"""Edges of a chart: Mermaid draws none of more than 500."""

_GROUPS: Mapping[Standing, str] = {
    "in": "Accepted claims",
    "undecided": "Claims left undecided: they attack each other",
    "out": "Rejected claims",
    "replaced": "Claims replaced by their authors",
    "question": "Questions",
}


def chart(argument_map: ArgumentMap, judged: Judgement) -> Markup:
    """The map as a block of Mermaid, where it is not too large."""
    text = mermaid(argument_map, judged)
    if len(text) > _MOST_TEXT or len(argument_map.edges) > _MOST_EDGES:
        many = f"{len(argument_map.nodes)} claims with {len(argument_map.edges)} links"
        return Markup(f"The map is too large for a chart here ({many}); all claims are listed below.")
    return Markup(f"```mermaid\n{text}```")


def claims(argument_map: ArgumentMap, judged: Judgement) -> Iterator[tuple[str, list[Node]]]:
    """The claims by their standing, the strongest first."""
    for standing, title in _GROUPS.items():
        nodes = [node for node in argument_map.nodes if judged.standing[node.mark] == standing]
        if nodes:
            yield title, sorted(nodes, key=lambda node: -judged.strength.get(node.mark, 0.0))


def claim(node: Node) -> str:
    """The mark of a claim, with those who make it."""
    return f"{node.mark} ({listed(node.by)})"


def against(node: Node, argument_map: ArgumentMap, judged: Judgement) -> str:
    """What keeps a claim from standing."""
    if node.replaced:
        return f"replaced by {node.replaced}"
    if judged.standing[node.mark] != "out":
        return ""
    edges = [edge for edge in argument_map.edges if edge.target == node.mark and edge.relation in AGAINST]
    return f"against it: {listed(list(dict.fromkeys(e.source for e in edges if judged.standing[e.source] == 'in')))}"


def unanswered(judged: Judgement) -> Iterator[tuple[str, list[Edge]]]:
    """The attacks and the questions that nobody answered."""
    attacks = [edge for edge in judged.unanswered if edge.relation in AGAINST]
    questions = [edge for edge in judged.unanswered if edge.relation not in AGAINST]
    yield from [("Unanswered attacks", attacks)] if attacks else []
    yield from [("Unanswered questions", questions)] if questions else []


# ---- tools and searches ----------------------------------------------------------------------------------------------


def sources(used: Sequence[ToolUsage]) -> list[str]:
    """What tools found, each once; its place is its number."""
    return list(dict.fromkeys(source for use in used for source in use.sources))


def source(source: str) -> Markup:
    """A source in Markdown: an address as a link that shows itself, anything else in plain words."""
    address = re.fullmatch(r"https?://[!#-;=?-Z\[\]_a-z~]+", source)
    return Markup(f"<{source}>") if address else safe_inline(source, LONG)


def tool_counts(used: Sequence[ToolUsage]) -> str:
    """How often which tools were used, and how many sources they found."""
    by_tool = listed([f"{tool} {_times(n)}" for tool, n in Counter(use.tool for use in used).items()])
    failed = sum(bool(use.fault) for use in used)
    lost = f" {failed} of {len(used)} gave no result." if failed else ""
    found = len(sources(used))
    return f"Tools were used {_times(len(used))}: {by_tool}. They found {counted(found, 'source') if found else 'no sources'}.{lost}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def by_turn(used: Sequence[ToolUsage]) -> list[list[ToolUsage]]:
    """What was used for each turn."""
    return [[use for use in used if use.key == key] for key in dict.fromkeys(use.key for use in used)]


def tool_use(use: ToolUsage, numbered: Sequence[str]) -> Markup:
    """One use: the tool, what it was given, and the numbers of the sources it found, or why it found none."""
    given = f" {safe_code(use.arguments[:LONG])}" if use.arguments.strip(" {}") else ""
    found = ", ".join(f"[{numbered.index(source) + 1}]" for source in use.sources)
    result = f": {safe_inline(_fault(use.fault), 180)}" if use.fault else f" found {found}" if found else ""
    return Markup(f"{safe_inline(use.tool)}{given}{result}")


def _fault(words: str) -> str:
    """A fault without what only a library's author can read, ending at a word; the verbose log has the whole of it."""
    # A library tells an error that it has wrapped like this: DNSError: DNSError('no such host').
    plain = re.sub(r"\b(\w+): \1\((['\"])(.*?)(?:\2,?\)|$)", r"\3", " ".join(words.split()))
    return re.sub(r" \S* ?\[…cut: \d+ more characters\]$", "…", plain)


def indent(thought: SearchNode) -> Markup:
    """The blanks before a thought in a search."""
    return Markup("  " * thought.depth)


def thought(thought: SearchNode) -> Markup:
    """A thought of a search: a claim, or a reply with who would say it."""
    return safe_inline(f"{thought.by}: {thought.claim}" if thought.depth else thought.claim, LONG)


# ---- findings of a review --------------------------------------------------------------------------------------------

VERDICTS: Mapping[Verdict, str] = {
    "AGREE": "upheld it",
    "DISAGREE_EVIDENCE": "refuted it",
    "DISAGREE_CONCERN": "doubted it, without proof that it is wrong",
    "CANNOT_TELL": "could not tell",
    "": "gave no verdict",
}
RULINGS: Mapping[Ruling, str] = {
    "WITHDRAWN": "ruled for the author",
    "UPHELD": "upheld the finding",
    "SPLIT": "split the dispute",
    "": "gave no ruling",
}
REPLIES: Mapping[ReplyWord, str] = {"RETRACT": "retracted it", "HOLD": "kept it"}


def finding_in_words(item: Reviewed) -> str:
    """A finding in a line, as plain text: place, severity, status, reviewers and claim."""
    finding = item.finding
    by = listed(finding.found_by)
    said = finding.claim or "nothing is said"
    return f"{cited_place(finding.cite)}: {_severity(finding)}, {finding_status(item)}, found by {by}: {said}"


def finding_rows(review: Review) -> list[list[object]]:
    """A row for each finding."""
    return [
        [
            item.finding.id,
            safe_code(cited_place(item.finding.cite)),
            _severity(item.finding),
            finding_status(item),
            listed(item.finding.found_by),
        ]
        for item in review.findings
    ]


def finding_status(item: Reviewed) -> str:
    """Where a finding stands."""
    return f"{STATE_WORDS[item.state]}{', unchecked' if item.standing.unchecked else ''}"


def _severity(finding: Finding) -> str:
    return f"{finding.severity} ({finding.agreed})" if finding.agreed else finding.severity


def cited_place(cite: Citation) -> str:
    """The place of a citation; only the file where no lines could be read."""
    return str(cite) if cite.lines[0] else cite.path or "no place"


def cited_lines(cite: Citation) -> str:
    """The lines of a citation."""
    return f"{'line' if cite.lines[0] == cite.lines[1] else 'lines'} {span(cite.lines)}"


def evidence(quote: str) -> Markup:
    """Quoted words as code, behind a fence that none of them can end; "" for none."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", quote)), default=0))
    return kept(f"{fence}\n{quote}\n{fence}" if quote else "")


def odd(finding: Finding) -> list[str]:
    """What is odd about the reports of a finding, each once."""
    return list(dict.fromkeys(words for report in finding.reports for words in report.odd))


# ---- every question, with its calls ----------------------------------------------------------------------------------

Effort: TypeAlias = Attempted | Called | Erred | Failed

_RESULT = 2000
"""The most characters of a tool's result."""


def view(view: View) -> str:
    """How a view differs from the whole log."""
    differs = {
        field.name: getattr(view, field.name)
        for field in fields(View)
        if getattr(view, field.name) != getattr(View(), field.name)
    }
    return ", ".join(name if value is True else f"{name} {value}" for name, value in differs.items()) or "the whole log"


def form(form: Form) -> str:
    """A form, field by field."""
    shown = [
        f"{field.name} ({' / '.join(field.choices) or field.kind}){'' if field.required else ', optional'}"
        for field in form.fields
    ]
    return f"{form.name}, as {form.layout}: {'; '.join(shown)}"


def step(event: Effort) -> Markup:
    """One step on the way to an answer."""
    match event:
        case Attempted(call=call, n=n, model=model):
            return Markup(f"{safe_inline(call)}: attempt {n}{f' of {safe_code(model)}' if model else ''}")
        case Erred(call=call, n=n, kind=kind, reason=reason):
            return Markup(f"{safe_inline(f'{call}: attempt {n} failed, {kind}')}: {safe_inline(reason, 2 * LONG)}")
        case Failed(kind=kind, reason=reason):
            return Markup(f"no answer, {safe_inline(kind)}: {safe_inline(reason, 2 * LONG)}")
        case _:
            used = event.usage
            parts: list[object] = [f"answered in {duration(event.seconds)}"]
            parts += [Markup(f"by {safe_code(event.served)}")] if event.served else []
            if used.input_tokens or used.output_tokens:
                parts += [about(f"{used.input_tokens:,} tokens in, {used.output_tokens:,} out", used.estimated)]
            parts += [f"ended by {event.finish}"] if event.finish else []
            for call in event.tools:
                parts.append(
                    Markup(f"{'' if call.is_note else 'asks for '}{safe_code(f'{call.name} {call.arguments}')}")
                )
            parts += [f"from {source}" for source in event.sources]
            result = f": {safe_inline(event.text, _RESULT)}" if event.model.startswith(TOOL) else ""
            return Markup(f"{safe_inline(event.call)}: {joined(parts, ', ')}{result}")
