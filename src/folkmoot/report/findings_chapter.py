"""The chapter of a report on the findings of a review: a table, and each finding with its evidence and its checks.

States and citations are those of ``reviews.reviewed``: nothing is judged here.
"""

import re
from collections.abc import Iterator, Mapping

from folkmoot.core.text import listed
from folkmoot.report.markdown_text import LONG, bullets, capital, code, inline, table
from folkmoot.reviews.citations import Citation, span
from folkmoot.reviews.merging import Finding, Report
from folkmoot.reviews.reviewed import STATE_WORDS, Dispute, Refutation, Review, Reviewed
from folkmoot.reviews.states import ReplyWord, Ruling, Verdict

_VERDICTS: Mapping[Verdict, str] = {
    "AGREE": "upheld it",
    "DISAGREE_EVIDENCE": "refuted it",
    "DISAGREE_CONCERN": "doubted it, without proof that it is wrong",
    "CANNOT_TELL": "could not tell",
    "": "gave no verdict",
}
_RULINGS: Mapping[Ruling, str] = {
    "WITHDRAWN": "ruled for the author",
    "UPHELD": "upheld the finding",
    "SPLIT": "split the dispute",
    "": "gave no ruling",
}
_REPLIES: Mapping[ReplyWord, str] = {"RETRACT": "retracted it", "HOLD": "held on to it"}


def findings_chapter(review: Review, *, over: bool) -> list[str]:
    """The chapter, as blocks.

    Args:
        review: the findings, and what came of each so far.
        over: whether the review has come to its end.
    """
    rows = [_row(item) for item in review.findings]
    return [
        "## Findings",
        f"**{capital(str(review))}.**",
        *(() if over else ("> **Note:** The review is not over: what is not checked yet counts as unchecked.",)),
        *(f"> **Note:** The review is not whole: {inline(lack, 2 * LONG)}." for lack in review.missing),
        table(["ID", "Place", "Severity", "Status", "Reviewers"], rows, numbers=0),
        *(text for item in review.findings for text in _finding(item)),
    ]


def finding_in_words(item: Reviewed) -> str:
    """A finding in a line, as plain text: place, severity, status, reviewers and claim."""
    finding = item.finding
    severity = f"{finding.severity} ({finding.agreed})" if finding.agreed else finding.severity
    finders = listed(list(finding.found_by))
    return (
        f"{_where(finding.cite)}: {severity}, {_status(item)}, found by {finders}: {finding.claim or 'nothing is said'}"
    )


def _row(item: Reviewed) -> list[str]:
    finding = item.finding
    severity = f"{finding.severity} ({finding.agreed})" if finding.agreed else finding.severity
    return [finding.id, code(_where(finding.cite)), severity, _status(item), _names(finding)]


def _status(item: Reviewed) -> str:
    return f"{STATE_WORDS[item.state]}{', unchecked' if item.standing.unchecked else ''}"


def _names(finding: Finding) -> str:
    return listed([inline(name) for name in finding.found_by])


def _where(cite: Citation) -> str:
    """The place of a citation; only the file where no lines could be read."""
    return str(cite) if cite.lines[0] else cite.path or "no place"


def _finding(item: Reviewed) -> Iterator[str]:
    finding = item.finding
    yield f"### {finding.id}: {_status(item)}"
    merged = len(finding.reports) > 1
    if merged:
        yield f"**Merged:** {len(finding.reports)} reports. {inline(item.agreement, 2 * LONG)}".rstrip() + "."
    for report in finding.reports:
        yield from _report(report, named=merged)
    remarks = [*_remarks(item), *_checks(item), *_dispute(item.dispute)]
    yield bullets(remarks)


def _report(report: Report, *, named: bool) -> Iterator[str]:
    """What one reviewer claims, the words it quotes, and whether they stand in the file."""
    facts = f"{report.severity}, {report.category}, {code(_where(report.cite))}"
    author = f"**{inline(report.by)}** ({facts})" if named else f"**Claim** ({facts})"
    explanation = f" {inline(report.why, 2 * LONG)}" if report.why else ""
    yield f"{author}: {inline(report.claim, 2 * LONG) or 'nothing is said'}{explanation}"
    if report.cite.quote:
        yield _evidence(report.cite.quote)
    yield f"**Quotation:** {_quotation(report.cite)}."


def _evidence(quote: str) -> str:
    """The quoted words as code, behind a fence that none of them can end."""
    longest = max((len(run) for run in re.findall(r"`+", quote)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{quote}\n{fence}"


def _quotation(cite: Citation) -> str:
    if cite.fault:
        return f"not found: {inline(cite.fault, LONG)}"
    moved = f", not at {span(cite.moved_from)} as the reviewer says" if cite.moved_from else ""
    return f"found in {code(cite.path)} at {_lines(cite)}{moved}"


def _lines(cite: Citation) -> str:
    first, last = cite.lines
    return f"{'line' if first == last else 'lines'} {span(cite.lines)}"


def _remarks(item: Reviewed) -> Iterator[str]:
    finding = item.finding
    for words in dict.fromkeys(words for report in finding.reports for words in report.odd):
        yield f"{capital(inline(words, LONG))}."
    if finding.cite.valid and not finding.touched:
        yield "The change does not touch these lines: it was there before."
    if finding.linked:
        yield f"At the same lines, with another quotation or claim: {listed(finding.linked)}."


def _checks(item: Reviewed) -> Iterator[str]:
    """Who upheld or refuted the finding, and what its finder replied."""
    check = item.refutation
    if check is None:
        yield "Nobody was asked to check it."
        return
    yield _refutation(check)
    if item.reply:
        reason = _reason(item.reply_reason)
        yield f"**{inline(item.finding.found_by[0])}**, who found it, {_REPLIES[item.reply]}{reason}"


def _refutation(check: Refutation) -> str:
    alike = ", of a vendor that found it," if check.same_vendor else ""
    severity = f" as {check.severity}" if check.severity and check.verdict == "AGREE" else ""
    proof = _proof(check.cite) if check.verdict else ""
    verdict = f"{_VERDICTS[check.verdict]}{severity}{_reason(check.reason or check.why_not)}{proof}"
    return f"**{inline(check.by)}**{alike} {verdict}"


def _reason(text: str) -> str:
    return f": {inline(text, 2 * LONG)}" if text.strip() else "."


def _proof(cite: Citation | None) -> str:
    """What somebody cites for a verdict or a ruling, and whether it holds; without it the words count for nothing."""
    if cite is None:
        return " (cites nothing)"
    holds = "the quotation was found" if cite.valid else f"does not hold: {inline(cite.fault, LONG)}"
    return f" (cites {code(_where(cite))}; {holds})"


def _dispute(dispute: Dispute | None) -> Iterator[str]:
    if dispute is None:
        return
    fault = "" if dispute.cite.valid else f"; does not hold: {inline(dispute.cite.fault, LONG)}"
    words = inline(dispute.because, 2 * LONG)
    yield f"**The author** disputed it: {words} (cites {code(_where(dispute.cite))}{fault})"
    proof = _proof(dispute.proof) if dispute.ruling else ""
    ruling = f"{_RULINGS[dispute.ruling]}{_reason(dispute.reason)}{proof}"
    yield f"**{inline(dispute.by)}**, who judged the dispute, {ruling}"
