"""Findings: what one reviewer reports, and what several report of one fault as one.

Two faults can stand in one line, so a place makes nothing one: the quotations have to overlap, and the claims to be
alike. Whatever is in doubt stays apart: a second check costs a question, a lost finding costs the fault.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, cast

from folkmoot.core.ask import Value
from folkmoot.core.text import flat, shorten
from folkmoot.reviews.artefact import Artefact, digest
from folkmoot.reviews.citations import Citation, check

SEVERITIES: Final = ("critical", "high", "medium", "low")
"""How bad it is, the worst first."""

CATEGORIES: Final = (
    *("correctness", "security", "concurrency", "data", "api", "performance", "tests", "docs"),
    *("gap", "risk", "contradiction", "cost"),
)
"""What a finding is about: the last four are for plans."""

OTHER_SCALES: Final[Mapping[str, str]] = MappingProxyType(
    {"blocker": "critical", "major": "high", "moderate": "medium", "minor": "low"}
)
"""Words of the other scale in wide use. What is on no scale counts as the worst, so that no gate lets it pass."""

MOST_FINDINGS: Final = 20
"""The most findings of one reviewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One finding of one reviewer: its citation, how bad it is, what it is about, what it says.

    Attributes:
        odd: what it says in words that were not offered, and how they were taken.
    """

    by: str
    cite: Citation
    severity: str
    category: str
    claim: str
    why: str = ""
    odd: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What reviewers report of one fault.

    Attributes:
        id: ``F1``, ``F2`` …
        reports: what each of them reports, the first one first.
        touched: whether the change has touched a cited line; what it has not was there before.
        linked: the other findings at the same lines.
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
    def categories(self) -> tuple[str, ...]:
        """What its reviewers say it is about, each once."""
        return tuple(dict.fromkeys(report.category for report in self.reports))

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
    read, about = read_severity(severity), _named(CATEGORIES, category)
    odd = {"severity": (severity, read, _named(SEVERITIES, severity)), "category": (category, CATEGORIES[0], about)}
    return Report(
        by=by,
        cite=check(artefact, values.get("FILE", ""), values.get("LINES", ""), values.get("QUOTE", "")),
        severity=read,
        category=about or CATEGORIES[0],
        claim=flat(values.get("CLAIM", "")),
        why=values.get("WHY", ""),
        odd=tuple(
            f'{name} "{shorten(flat(said), 40)}" counts as {taken}'
            for name, (said, taken, known) in odd.items()
            if not known
        ),
    )


def read_severity(text: str) -> str:
    """The severity that the words name, the worst of several; what cannot be told is critical."""
    words = _words(text)
    ranks = [SEVERITIES[min(int(word[1]), 3)] for word in words if re.fullmatch(r"p[0-9]", word)]
    others = [OTHER_SCALES[word] for word in words if word in OTHER_SCALES]
    return _named(SEVERITIES, text) or min([*ranks, *others], key=SEVERITIES.index, default=SEVERITIES[0])


def _named(names: Sequence[str], text: str) -> str:
    """The first of the names that is a word of the text; "" for none."""
    words = _words(text)
    return next((name for name in names if name in words), "")


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def merge(reports: Iterable[Report], artefact: Artefact) -> tuple[Finding, ...]:
    """The reports as findings: those of one fault as one, the worst first, numbered.

    What has no basis is merged with nothing but its own words: nobody knows its place. Nor does it matter who reports first.
    """
    groups: list[list[Report]] = []
    once = dict.fromkeys(reports)  # what one reviewer says twice in the same words is said once
    for report in sorted(once, key=_place):
        # Like each of them, not like one: else a chain of small differences would join two faults.
        group = next((group for group in groups if all(_are_one_fault(report, other) for other in group)), None)
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


def _place(report: Report) -> tuple[object, ...]:
    """What reports are sorted by: their place, their words, then the worst first."""
    severity = SEVERITIES.index(report.severity)
    return (report.cite.path, report.cite.lines, report.cite.reach, report.claim, severity, report.category, report.by)


def _are_one_fault(left: Report, right: Report) -> bool:
    """Whether two reports are of one fault: they quote the same words, and say the same of them."""
    if (left.cite, left.claim) == (right.cite, right.claim):
        return True
    if not (left.cite.valid and right.cite.valid) or left.cite.path != right.cite.path:
        return False
    overlap = max(left.cite.reach[0], right.cite.reach[0]) < min(left.cite.reach[1], right.cite.reach[1])
    return overlap and _alike(left.claim, right.claim)


def _alike(left: str, right: str) -> bool:
    """Whether two claims say the same: one has all words of the other, and at most as much again.

    A share of common words would not do: "SQL injection in the query" and "Shell injection in the query" have nearly
    all in common. A word in place of another one is another claim.
    """
    one, other = ({word for word in _words(claim) if len(word) > 2} - {"the"} for claim in (left, right))
    fewer, more = sorted((one, other), key=len)
    return left == right or (bool(fewer) and fewer <= more and len(more) <= 2 * len(fewer))


def gap(left: Citation, right: Citation) -> int:
    """The number of lines between two citations of one file; negative where they share lines."""
    (first, last), (start, end) = left.lines, right.lines
    return max(first - end, start - last) - 1


def _is_touched(cite: Citation, artefact: Artefact) -> bool:
    file = artefact.file(cite.path) if cite.valid else None
    return file is not None and not file.touched().isdisjoint(range(cite.lines[0], cite.lines[1] + 1))


def _linked(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, each with the others whose lines it shares."""
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
