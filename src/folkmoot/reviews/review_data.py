"""A review as data, as SARIF 2.1.0, and as text for a terminal and for a pull request."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from folkmoot.core.text import about, clip, counted, listed
from folkmoot.reviews.artefact import Artefact, Mark, Unseen, real_path, unseen_in_words
from folkmoot.reviews.citations import Citation, span
from folkmoot.reviews.merging import CATEGORIES, SEVERITIES
from folkmoot.reviews.reviewed import STATE_WORDS, Dispute, Refutation, Review, Reviewed
from folkmoot.reviews.states import State

FORMAT = 1
"""The version of the data and of the mark of a comment."""

MOST_COMMENT = 60_000
"""The most characters of a comment on a pull request."""

MOST_RESULTS = 5000
"""The most results of a SARIF file; more are not shown."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

CHANGED: Mapping[Mark, str] = {"+": "added", "-": "removed", " ": "unchanged"}
"""What a line is, in data."""

UNSEEN = "unseen"
"""The rule of a SARIF file under which Folkmoot itself reports signs that nobody sees."""

SECURITY = "security"
SCORES: Mapping[str, str] = dict(zip(SEVERITIES, ("9.5", "8.0", "5.5", "2.0"), strict=True))
"""What code scanning takes for critical, high, medium and low, in the rules of findings about security."""

LEVELS: Mapping[str, str] = dict(zip(SEVERITIES, ("error", "error", "warning", "note"), strict=True))
"""The level of a survived finding, by its severity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRun:
    """A review with what is known of the debate that it is.

    Attributes:
        review: the review.
        debate: the debate's id.
        version: the version of Folkmoot.
        cost: US dollars; None where a price is unknown.
        tokens: tokens in and out.
        estimated: whether tokens and cost are estimates, because the provider did not count the tokens of every call.
        seconds: from its first entry to its last.
        ignored: how many findings are left out, because the project ignores them for good.
        demonstration: whether no model took part.
    """

    review: Review
    debate: str
    version: str
    cost: float | None = 0.0
    tokens: int = 0
    estimated: bool = False
    seconds: float = 0.0
    ignored: int = 0
    demonstration: bool = False


def as_data(run: ReviewRun) -> dict[str, object]:
    """The review as plain data, with what is known of the debate."""
    return {
        "folkmoot_review": FORMAT,
        "id": run.debate,
        **facts_of(run.review),
        "demonstration": run.demonstration,
        "ignored": run.ignored,
        "cost": run.cost,
        "tokens": run.tokens,
        "estimated": run.estimated,
        "seconds": round(run.seconds, 3),
    }


def facts_of(review: Review) -> dict[str, object]:
    """The review as plain data: what was reviewed, whether it is whole, the findings and their states."""
    return {
        "artefact": _artefact(review.artefact),
        "whole": not review.missing,
        "missing": list(review.missing),
        "findings": [_finding(item) for item in review.findings],
        "counts": {**review.counts, "unchecked": sum(item.standing.unchecked for item in review.findings)},
        "reviewers": dict(review.reviewers),
    }


def _artefact(artefact: Artefact) -> dict[str, object]:
    files = [
        {"path": file.path, "change": file.change, "lines": file.total, "sha256": file.sha256, "note": file.note}
        for file in artefact.files
    ]
    facts = {
        name: artefact.facts[name]
        for name in ("kind", "base", "head", "url", "since", "untracked")
        if name in artefact.facts
    }
    unseen = [
        {"path": line.path, "line": line.line, "change": CHANGED[line.mark], "signs": list(line.signs)}
        for line in artefact.unseen
    ]
    return {**facts, "sha256": artefact.sha256, "files": files, "unseen": unseen}


def _finding(item: Reviewed) -> dict[str, object]:
    finding = item.finding
    return {
        "id": finding.id,
        "state": item.state,
        "unchecked": item.standing.unchecked,
        "severity": finding.severity,
        "agreed": finding.agreed,
        "agreement": item.agreement,
        "category": finding.category,
        "categories": list(finding.categories),
        "path": finding.cite.path,
        "lines": list(finding.cite.lines),
        "touched": finding.touched,
        "claim": finding.claim,
        "claims": [report.claim for report in finding.reports],
        "why": finding.reports[0].why,
        "quote": finding.cite.quote,
        "moved_from": list(finding.cite.moved_from) if finding.cite.moved_from else None,
        "fault": finding.cite.fault,
        "odd": _odd(item),
        "linked": list(finding.linked),
        "found_by": list(finding.found_by),
        "vendors": list(item.vendors),
        "refuter": _refuter_data(item.refutation) if item.refutation else None,
        "reply": {"answer": item.reply, "reason": item.reply_reason} if item.reply else None,
        "dispute": _dispute(item.dispute) if item.dispute else None,
        "fingerprint": finding.fingerprint,
    }


def _refuter_data(check: Refutation) -> dict[str, object]:
    return {
        "by": check.by,
        "same_vendor": check.same_vendor,
        "verdict": check.verdict or None,
        "cite": str(check.cite) if check.cite else None,
        "cite_valid": check.proven,
        "severity": check.severity or None,
        "reason": check.reason,
        "why_not": check.why_not,
    }


def _dispute(dispute: Dispute) -> dict[str, object]:
    return {
        "because": dispute.because,
        "cite": str(dispute.cite),
        "by": dispute.by,
        "ruling": dispute.ruling or None,
        "proof": str(dispute.proof) if dispute.proof else None,
        "reason": dispute.reason,
    }


# ---- SARIF -------------------------------------------------------------------------------------------------------


def sarif(run: ReviewRun, *, every: bool = False) -> dict[str, object]:
    """The review as SARIF 2.1.0, as code scanning takes it.

    Args:
        run: the review.
        every: whether findings that were retracted, and those without basis that name lines, are in it too.
    """
    states = ("survived", "contested", *(("retracted",) if every else ()))
    items = [item for item in run.review.findings if item.state in states][:MOST_RESULTS]
    used = [rule for rule in _RULES if any(_rule_name(item) == rule for item in items)]
    unseen = run.review.artefact.unseen[: MOST_RESULTS - len(items)]
    driver = {
        "name": "Folkmoot",
        "semanticVersion": run.version,
        "rules": [*map(_rule, used), *([_UNSEEN_RULE] if unseen else [])],
    }
    results = [*(_result(run, item, used) for item in items), *(_unseen_result(line, len(used)) for line in unseen)]
    since = run.review.artefact.facts.get("since", "")
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                # What stands before the last slash is the category: a review of later commits ends no alert of earlier ones.
                "automationDetails": {"id": f"folkmoot-review/{f'{since[:12]}/' if since else ''}{run.debate}"},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }
        ],
    }


_RULES: Sequence[str] = [
    f"{category}-{severity}" if category == SECURITY else category
    for category in CATEGORIES
    for severity in (SEVERITIES if category == SECURITY else ("",))
]
"""The rules: a category each, and for security one for each severity, since code scanning has the severity in the rule."""


def _rule_name(item: Reviewed) -> str:
    category = item.finding.category
    return f"{category}-{item.finding.severity}" if category == SECURITY else category


def _rule(name: str) -> dict[str, object]:
    category, _, severity = name.partition("-")
    text = f"Reviewers report a fault of the category {category}, with the lines that show it."
    score = {"security-severity": SCORES[severity]} if severity else {}
    return {
        "id": f"folkmoot/{name}",
        "name": name,
        "shortDescription": {"text": f"Review: {category}"},
        "fullDescription": {"text": text},
        "help": {"text": f"{text} Read the finding with its check before you act on it."},
        "properties": {"precision": "medium", "tags": [category], **score},
    }


def _result(run: ReviewRun, item: Reviewed, rules: Sequence[str]) -> dict[str, object]:
    finding = item.finding
    first, last = shown_lines(run.review.artefact, finding.cite)
    file = run.review.artefact.file(finding.cite.path)
    text = file.lines().get(last, "") if file else ""
    level = LEVELS[finding.severity] if item.state == "survived" else "note"
    region = {"startLine": first, "startColumn": 1, "endLine": last, "endColumn": len(text) + 1}
    location = {"artifactLocation": {"uri": _uri(finding.cite.path)}, "region": region}
    words = f"{finding.claim or 'A fault'} ({STATE_WORDS[item.state]}, {finding.severity})"
    return {
        "ruleId": f"folkmoot/{_rule_name(item)}",
        "ruleIndex": rules.index(_rule_name(item)),
        "level": level,
        "message": {"text": f"{words} {finding.reports[0].why}".strip()},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"primaryLocationLineHash": finding.fingerprint},
        "properties": {"state": item.state, "severity": finding.severity, "finding": f"{run.debate}#{finding.id}"},
    }


_UNSEEN_WORDS = (
    "A line has characters that are not shown: of no width, for the direction of writing, or for control. "
    "The code that runs may be another one than the code that is read."
)
_UNSEEN_RULE: Mapping[str, object] = {
    "id": f"folkmoot/{UNSEEN}",
    "name": UNSEEN,
    "shortDescription": {"text": "Review: signs that nobody sees"},
    "fullDescription": {"text": _UNSEEN_WORDS},
    "help": {"text": f"{_UNSEEN_WORDS} Folkmoot found them itself; no model was asked."},
    "properties": {"precision": "very-high", "tags": ["security"]},
}


def _unseen_result(line: Unseen, index: int) -> dict[str, object]:
    location = {"artifactLocation": {"uri": _uri(line.path)}, "region": {"startLine": line.line}}
    return {
        "ruleId": f"folkmoot/{UNSEEN}",
        "ruleIndex": index,
        "level": "note" if line.mark == "-" else "warning",
        "message": {"text": f"{line}."},
        "locations": [{"physicalLocation": location}],
    }


def shown_lines(artefact: Artefact, cite: Citation) -> tuple[int, int]:
    """The first run of cited lines that the change touches, for only those are shown in a pull request; else all."""
    file = artefact.file(cite.path)
    touched = file.touched() if file else frozenset[int]()
    lines = [line for line in range(cite.lines[0], cite.lines[1] + 1) if line in touched]
    if not lines:
        return cite.lines
    last = next(line for line in lines if line + 1 not in lines)
    return lines[0], last


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(real_path(path), errors="surrogateescape")


def line_comments(run: ReviewRun) -> list[dict[str, object]]:
    """The findings that survived in touched lines, as comments of a pull request; the first line tells each from others."""
    artefact = run.review.artefact
    comments: list[dict[str, object]] = []
    for item in run.review.by_state("survived"):
        finding = item.finding
        file = artefact.file(finding.cite.path)
        if not (finding.touched and finding.cite.valid and file and file.change != "removed"):
            continue
        first, last = shown_lines(artefact, finding.cite)
        start = {"start_line": first, "start_side": "RIGHT"} if first < last else {}
        rows = [f"<!-- folkmoot-finding:{finding.fingerprint} -->"]
        rows += [f"**{finding.severity} {finding.category}**: {_cell(finding.claim)}"]
        rows += [f"- {_cell(line)}" for line in list(_details(item))[1:]]
        place = {"path": real_path(finding.cite.path), "line": last, "side": "RIGHT", **start}
        comments.append({**place, "body": clip("\n".join(rows), MOST_COMMENT)})
    return comments


# ---- text --------------------------------------------------------------------------------------------------------


def as_text(run: ReviewRun) -> str:
    """The review for a terminal."""
    rows = [*_head(run), ""]
    for item in run.review.findings:
        finding = item.finding
        before = "" if finding.touched or not finding.cite.valid else ", was there before"
        unchecked = ", unchecked" if item.standing.unchecked else ""
        state = f"{STATE_WORDS[item.state]}{unchecked}"
        rows.append(f"{finding.id}  {state}  {finding.severity} {finding.category}  {finding.cite}{before}")
        rows += [f"    {line}" for line in _details(item)]
    rows += [f"note: {line}" for line in unseen_in_words(run.review.artefact)]
    rows += [f"incomplete: {lack}" for lack in run.review.missing]
    return "\n".join(rows).rstrip() + "\n"


def _head(run: ReviewRun) -> Iterator[str]:
    yield f"{run.debate}: {run.review}" if run.debate else str(run.review)
    if since := run.review.artefact.facts.get("since"):
        yield f"only what was pushed since {since[:12]}"
    if run.ignored:
        yield f"{counted(run.ignored, 'finding')} ignored for good, by REVIEW.ignore"
    if run.demonstration:
        what = {"files": "files", "plan": "plan"}.get(run.review.artefact.facts.get("kind", ""), "change")
        yield f"This is a demonstration: no model has read the {what}."
    if left_out := run.review.artefact.facts.get("left out"):
        yield f"left out: {left_out}"
    if untracked := run.review.artefact.facts.get("untracked"):
        yield f"left out: {untracked}"


def _claims(item: Reviewed) -> list[str]:
    """What the reviewers say of it, each once."""
    return list(dict.fromkeys(report.claim for report in item.finding.reports))


def _odd(item: Reviewed) -> list[str]:
    """What the reviewers say in words that were not offered, and how they were taken, each once."""
    return list(dict.fromkeys(words for report in item.finding.reports for words in report.odd))


def _details(item: Reviewed) -> Iterator[str]:
    yield from _claims(item)
    yield from (f"| {line}" for line in item.finding.cite.quote.split("\n")[:6])
    yield from _odd(item)
    if item.agreement:
        yield item.agreement
    if item.finding.linked:
        yield f"at the same lines, with another quotation or claim: {listed(item.finding.linked)}"
    if item.finding.cite.moved_from:
        yield f"the words were said to be at {span(item.finding.cite.moved_from)}"
    if item.finding.cite.fault:
        yield f"no basis: {item.finding.cite.fault}"
    if check := item.refutation:
        citation = f" ({check.cite}{'' if check.proven else ', which is wrong'})" if check.cite else ""
        alike = ", of the same vendor" if check.same_vendor else ""
        yield f"{check.by}{alike}: {check.verdict or 'no verdict'}{citation} {clip(check.reason, 400)}".rstrip()
    if item.reply:
        yield f"{item.finding.found_by[0]} replies: {item.reply} {clip(item.reply_reason, 400)}".rstrip()
    if item.dispute:
        yield f"disputed: {clip(item.dispute.because, 400)} ({item.dispute.cite})"
        yield f"{item.dispute.by}: {item.dispute.ruling or 'no ruling'} {clip(item.dispute.reason, 400)}".rstrip()


def as_markdown(run: ReviewRun, *, url: str = "") -> str:
    """The review as one comment on a pull request.

    Args:
        run: the review.
        url: the address of the repository, for links to the reviewed lines; "" for none.
    """
    head = run.review.artefact.facts.get("head", "")
    rows = [f"<!-- folkmoot-review:{FORMAT} head={head} -->", f"**Review:** {run.review}.", ""]
    rows += [f"{line}." if not line.endswith(".") else line for line in list(_head(run))[1:]]
    rows += [f"Note: {_cell(line)}." for line in unseen_in_words(run.review.artefact)]
    rows += [f"Not whole: {_cell(lack)}." for lack in run.review.missing]
    sections: list[list[str]] = []
    for wanted, title in CHAPTERS.items():
        items = [item for item in run.review.findings if item.state in wanted]
        sections += [[f"\n### {title}\n"]] if items else []
        sections += [_section(item, url, head) for item in items]
    tokens = about(counted(run.tokens, "token"), run.estimated)
    foot = f"\n{tokens}, `folkmoot show {run.debate}`\n" if run.debate else "\n"
    return _fitting(rows, sections, foot)


CHAPTERS: Mapping[tuple[State, ...], str] = {
    ("survived",): "Survived",
    ("contested",): "Contested",
    ("retracted", "no_basis"): "Retracted or without basis",
}
"""The headings of a comment, and the states under each."""


def _section(item: Reviewed, url: str, head: str) -> list[str]:
    finding = item.finding
    location = f"{_cell(finding.cite.path)}:{span(finding.cite.lines)}"
    first, last = finding.cite.lines
    link = f"{url}/blob/{head}/{_uri(finding.cite.path)}#L{first}-L{last}" if url and finding.cite.valid else ""
    shown = f"[{location}]({link})" if link else f"`{location}`"
    before = "" if finding.touched or not finding.cite.valid else ", pre-existing"
    rows = [f"- **{finding.id}** {finding.severity} {finding.category}, {shown}{before}: {_cell(finding.claim)}"]
    return rows + [f"  - {_cell(line)}" for line in list(_details(item))[1:]]


def _cell(text: str) -> str:
    """A text on one line that can be neither Markdown nor HTML, and mentions nobody."""
    flat = " ".join(text.split())
    escaped = flat.replace("&", "&amp;").replace("<", "&lt;")
    marked = "".join(f"\\{sign}" if sign in "\\`*_[]|#!" else sign for sign in escaped)
    return marked.replace("@", "@<!-- -->")


def _fitting(rows: Sequence[str], sections: Sequence[Sequence[str]], foot: str) -> str:
    """The comment with as many findings as there is room for; the others are counted."""
    text = clip("\n".join(rows), MOST_COMMENT // 2)
    room = MOST_COMMENT - len(text) - len(foot) - 100
    shown: list[str] = []
    for number, section in enumerate(sections):
        words = "\n".join(section)
        if len(words) > room:
            left = sum(not part[0].startswith("\n###") for part in sections[number:])
            return "\n".join([text, *shown, f"\n{counted(left, 'more finding')}: see the record.", foot])
        room -= len(words) + 1
        shown.append(words)
    return "\n".join([text, *shown, foot])
