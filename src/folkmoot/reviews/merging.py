"""Findings: what one reviewer reports, and findings of several reviewers at one place as one."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from folkmoot.core.ask import Value
from folkmoot.core.text import flat
from folkmoot.reviews.artefact import Artefact, digest
from folkmoot.reviews.citations import Citation, check

SEVERITIES: Final = ("critical", "high", "medium", "low")
"""How bad it is, the worst first."""

CATEGORIES: Final = (
    *("correctness", "security", "concurrency", "data", "api", "performance", "tests", "docs"),
    *("gap", "risk", "contradiction", "cost"),
)
"""What a finding is about: the last four are for plans."""

CLOSE = 3
"""The most lines between two findings of one category that are one."""

MOST_FINDINGS: Final = 20
"""The most findings of one reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One finding of one reviewer: its citation, how bad it is, what it is about, what it says."""

    by: str
    cite: Citation
    severity: str
    category: str
    claim: str
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What reviewers report at one place.

    Attributes:
        id: ``F1``, ``F2`` …
        reports: what each of them reports, the first one first.
        touched: whether the change has touched a cited line; what it has not was there before.
        linked: the findings of other categories at the same lines.
        fingerprint: what stays the same when lines move.
    """

    id: str
    reports: tuple[Report, ...]
    touched: bool = True
    linked: tuple[str, ...] = ()
    fingerprint: str = ""

    @property
    def number(self) -> int:
        """Its number, from 1."""
        return int(self.id[1:])

    @property
    def cite(self) -> Citation:
        """Where it is: the citation of the first report."""
        return self.reports[0].cite

    @property
    def severity(self) -> str:
        """The worst that a reviewer says."""
        return min((report.severity for report in self.reports), key=SEVERITIES.index)

    @property
    def agreed(self) -> str:
        """How many of its reviewers say that severity: ``1 of 2``; "" where only one reports it."""
        saying = sum(report.severity == self.severity for report in self.reports)
        return f"{saying} of {len(self.reports)}" if len(self.reports) > 1 else ""

    @property
    def category(self) -> str:
        """What it is about: as the first report says."""
        return self.reports[0].category

    @property
    def claim(self) -> str:
        """What it says: the claim of the first report."""
        return self.reports[0].claim

    @property
    def found_by(self) -> tuple[str, ...]:
        """The reviewers who report it, each once."""
        return tuple(dict.fromkeys(report.by for report in self.reports))


def read_reports(by: str, findings: Value | None, artefact: Artefact) -> tuple[Report, ...]:
    """The findings of one reviewer, each checked against the artefact.

    Args:
        by: the reviewer.
        findings: the field of the answer that has them; None where it was not read.
        artefact: what is reviewed.
    """
    records = findings if isinstance(findings, tuple) else ()
    return tuple(_report(by, values, artefact) for values in map(values_of, records[:MOST_FINDINGS]) if values)


def values_of(record: str) -> Mapping[str, str]:
    """The texts of a record, by their labels; empty for what is none."""
    try:
        values = cast(object, json.loads(record))
    except ValueError:
        return {}
    if not isinstance(values, dict):
        return {}
    return {str(name): str(value) for name, value in cast("dict[object, object]", values).items()}


def _report(by: str, values: Mapping[str, str], artefact: Artefact) -> Report:
    severity, category = values.get("SEVERITY", ""), values.get("CATEGORY", "")
    return Report(
        by=by,
        cite=check(artefact, values.get("FILE", ""), values.get("LINES", ""), values.get("QUOTE", "")),
        severity=severity if severity in SEVERITIES else SEVERITIES[-1],
        category=category if category in CATEGORIES else CATEGORIES[0],
        claim=flat(values.get("CLAIM", "")),
        why=values.get("WHY", ""),
    )


def merge(reports: Iterable[Report], artefact: Artefact) -> tuple[Finding, ...]:
    """The reports as findings: those at one place as one, the worst first, numbered.

    What has no basis is merged with nothing: nobody knows its place.
    """
    groups: list[list[Report]] = []
    for report in sorted(reports, key=lambda report: (report.cite.path, report.cite.lines)):
        group = next((group for group in groups if any(_are_one_fault(report, other) for other in group)), None)
        if group is None:
            groups.append([report])
        else:
            group.append(report)
    findings = [
        Finding(id="F0", reports=tuple(group), touched=any(_is_touched(report.cite, artefact) for report in group))
        for group in groups
    ]
    findings.sort(key=lambda item: (not item.cite.valid, SEVERITIES.index(item.severity), not item.touched))
    return _linked(_fingerprinted([replace(item, id=f"F{n}") for n, item in enumerate(findings, start=1)]))


def _are_one_fault(left: Report, right: Report) -> bool:
    """Whether two reports are of one fault: at one place and of one category."""
    if not (left.cite.valid and right.cite.valid) or left.cite.path != right.cite.path:
        return False
    if left.category != right.category:
        return False
    return gap(left.cite, right.cite) <= CLOSE


def gap(left: Citation, right: Citation) -> int:
    """The number of lines between two citations of one file; negative where they share lines."""
    (first, last), (start, end) = left.lines, right.lines
    return max(first - end, start - last) - 1


def _is_touched(cite: Citation, artefact: Artefact) -> bool:
    file = artefact.file(cite.path) if cite.valid else None
    return file is not None and not file.touched().isdisjoint(range(cite.lines[0], cite.lines[1] + 1))


def _linked(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, each with those of other categories whose lines it shares."""
    return tuple(
        replace(item, linked=tuple(other.id for other in findings if other is not item and _overlaps(item, other)))
        for item in findings
    )


def _overlaps(left: Finding, right: Finding) -> bool:
    valid = left.cite.valid and right.cite.valid and left.cite.path == right.cite.path
    return valid and gap(left.cite, right.cite) < 0


def _fingerprinted(findings: Sequence[Finding]) -> list[Finding]:
    """The findings with what stays the same when lines move: path, category, quoted words, and the how-manieth."""
    counts: dict[str, int] = {}
    marked: list[Finding] = []
    for item in findings:
        words = "\n".join(row.strip() for row in item.cite.quote.split("\n"))
        base = digest(f"{item.cite.path}\n{item.category}\n{words}")[:16]
        counts[base] = counts.get(base, 0) + 1
        marked.append(replace(item, fingerprint=f"{base}:{counts[base]}"))
    return marked
