"""Findings: reports are checked, and merged where they quote the same words and claim the same."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.reviews.artefact import Artefact, whole_file
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.reviews.merging import CATEGORIES, SEVERITIES, Finding, Report, merge, read_reports
from tests.kits.diffs import unified

OLD = "".join(f"line {n}\n" for n in range(1, 41))
NEW = OLD.replace("line 10\n", "line ten\n")
ARTEFACT = Artefact(
    files=(*files_of(read_diff(unified("a.py", OLD, NEW)), lambda path: NEW.encode()), whole_file("b.py", OLD)),
    facts={},
)


def record(lines: str, quote: str, **more: str) -> str:
    usual = {"FILE": "a.py", "LINES": lines, "SEVERITY": "high", "CATEGORY": "correctness", "CLAIM": "It is\nwrong."}
    return json.dumps({**usual, "QUOTE": quote, **more})


def reports(by: str, *records: str) -> tuple[Report, ...]:
    return read_reports(by, records, ARTEFACT)


def test_reports_of_one_fault_are_one_finding() -> None:
    ann = reports("Ann", record("10", "line ten"), record("30", "line 30", SEVERITY="low"))
    bob = reports("Bob", record("10-11", "ten", SEVERITY="critical", CATEGORY="data", CLAIM="It is just wrong!"))
    first, second = merge((*ann, *bob), ARTEFACT)
    assert (first.id, set(first.found_by), first.severity, first.agreed, first.touched) == (
        "F1",
        {"Ann", "Bob"},
        "critical",
        "1 of 2",
        True,
    )
    assert {report.claim for report in first.reports} == {"It is wrong.", "It is just wrong!"}
    assert set(first.categories) == {"correctness", "data"}
    assert first.number == 1
    assert (second.id, second.agreed, second.touched, second.severity) == ("F2", "", False, "low")


LINE = 'db.run("UPDATE t SET a = %s" % a); os.system("notify %s" % a)'
ONE_LINE = Artefact(files=(whole_file("a.py", f"import os\n{LINE}\n"),), facts={})


@pytest.mark.parametrize(
    ("left", "right", "together"),
    [
        (('db.run("UPDATE', "SQL injection."), ('os.system("notify', "Shell injection."), False),
        (('db.run("UPDATE', "Unsafe injection."), ('os.system("notify', "Unsafe injection."), False),
        ((LINE, "SQL injection in the query."), (LINE, "Shell injection in the query."), False),
        ((LINE, "The lock is missing here"), (LINE, "An await is missing here"), False),
        ((LINE, "It is wrong."), (LINE, "It is wrong: the value of a is put into the query."), False),
        ((LINE, "SQL injection"), ('db.run("UPDATE', "An SQL injection, here."), True),
        (('db.run("UPDATE t ... % a)', "SQL injection"), (LINE, "SQL injection!"), True),
        ((LINE, "注入"), (LINE, "注入"), True),
        ((LINE, "注入"), (LINE, "竞争"), False),
    ],
)
def test_two_faults_in_one_line_are_two_findings(left: tuple[str, str], right: tuple[str, str], together: bool) -> None:
    told = [
        read_reports(by, (record("2", quote, CLAIM=claim),), ONE_LINE)
        for by, (quote, claim) in (("Ann", left), ("Bob", right))
    ]
    findings = merge((*told[0], *told[1]), ONE_LINE)
    assert all(item.cite.valid for item in findings)
    assert len(findings) == 1 if together else [item.linked for item in findings] == [("F2",), ("F1",)]


def test_a_chain_of_small_differences_joins_no_two_faults() -> None:
    claims = ("lock missing", "lock missing while writing", "lock missing while writing rows other threads read")
    told = [report for claim in claims for report in read_reports("Ann", (record("2", LINE, CLAIM=claim),), ONE_LINE)]
    assert sorted(len(item.reports) for item in merge(told, ONE_LINE)) == [1, 2]


@pytest.mark.parametrize(
    ("said", "read", "odd"),
    [
        ("critical", "critical", False),
        ("Critical 🔴", "critical", False),
        ("**High** (data loss)", "high", False),
        ("low to medium", "medium", False),
        ("P0", "critical", True),
        ("p1", "high", True),
        ("P7", "low", True),
        ("Blocker", "critical", True),
        ("major", "high", True),
        ("minor", "low", True),
        ("9.8", "critical", True),
        ("kritisch", "critical", True),
        ("highly unlikely", "critical", True),
    ],
)
def test_a_severity_in_other_words_is_read_and_an_unknown_one_is_the_worst(said: str, read: str, odd: bool) -> None:
    (report,) = reports("Ann", record("10", "line ten", SEVERITY=said))
    assert report.severity == read
    assert [words for words in report.odd if said in words and read in words] == list(report.odd)
    assert bool(report.odd) == odd


def test_other_places_and_categories_are_other_findings() -> None:
    ann = reports("Ann", record("10", "line ten"), record("15", "line 15"), record("10", "line 10", FILE="b.py"))
    bob = reports("Bob", record("10-11", "line 11", CATEGORY="security"))
    findings = merge((*ann, *bob), ARTEFACT)
    assert [(str(item.cite), item.category, item.linked) for item in findings] == [
        ("a.py:10", "correctness", ("F2",)),
        ("a.py:10-11", "security", ("F1",)),
        ("b.py:10", "correctness", ()),
        ("a.py:15", "correctness", ()),
    ]


def test_what_has_no_basis_comes_last_and_is_merged_with_nothing() -> None:
    findings = merge(reports("Ann", record("10", "gone"), record("10", "lost"), record("20", "line 20")), ARTEFACT)
    assert [(item.id, item.cite.valid) for item in findings] == [("F1", True), ("F2", False), ("F3", False)]
    assert not any(item.linked for item in findings)


def test_what_is_no_record_is_no_report_and_an_odd_category_is_said() -> None:
    assert read_reports("Ann", None, ARTEFACT) == ()
    assert read_reports("Ann", "text", ARTEFACT) == ()
    assert reports("Ann", "no json", "[1]", "{}") == ()
    (odd,) = reports("Ann", record("10", "line ten", CATEGORY="taste"))
    assert (odd.category, len(odd.odd), '"taste"' in odd.odd[0]) == ("correctness", 1, True)
    (named,) = reports("Ann", record("10", "line ten", CATEGORY="Security / injection"))
    assert (named.category, named.odd) == ("security", ())
    assert len(reports("Ann", *[record("10", "line ten")] * 25)) == 20


def test_fingerprints_stay_when_lines_move() -> None:
    moved = "new\n" * 7 + NEW
    there = Artefact(files=(*files_of(read_diff(unified("a.py", OLD, moved)), lambda path: moved.encode()),), facts={})
    before = merge(reports("Ann", record("10", "line ten"), record("30", "  line 30")), ARTEFACT)
    records = (record("17", "line ten"), record("37", "line 30"))
    after = merge(read_reports("Bob", records, there), there)
    assert {item.fingerprint for item in before} == {item.fingerprint for item in after}
    twice = merge(reports("Ann", record("10", "line"), record("30", "line")), ARTEFACT)
    assert len({item.fingerprint for item in twice}) == 2


def test_the_same_words_twice_are_one_finding_whatever_their_basis() -> None:
    for twice in ([record("10", "gone")] * 2, [record("10", "line")] * 2):
        (item,) = merge(reports("Ann", *twice), ARTEFACT)
        assert (len(item.reports), item.agreed) == (1, "")  # who says it twice agrees with nobody
        (item,) = merge((*reports("Ann", twice[0]), *reports("Bob", twice[0])), ARTEFACT)
        assert item.found_by == ("Ann", "Bob")


def drawn(line: int, severity: str, category: str) -> str:
    return record(str(line), "line", SEVERITY=severity, CATEGORY=category)


RECORDS = st.builds(
    drawn,
    st.integers(0, 45),
    st.sampled_from(SEVERITIES),
    st.sampled_from(CATEGORIES[:2]),
)


@given(st.lists(RECORDS, max_size=8), st.lists(RECORDS, max_size=8))
def test_merging_loses_no_report_and_does_not_depend_on_who_is_first(left: list[str], right: list[str]) -> None:
    ann, bob = reports("Ann", *left), reports("Bob", *right)
    findings = merge((*ann, *bob), ARTEFACT)
    every = [report for item in findings for report in item.reports]
    assert sorted(map(repr, every)) == sorted(map(repr, {*ann, *bob}))
    assert places(findings) == places(merge((*bob, *ann), ARTEFACT))
    assert [item.number for item in findings] == list(range(1, len(findings) + 1))
    assert [SEVERITIES.index(item.severity) for item in findings if item.cite.valid] == sorted(
        SEVERITIES.index(item.severity) for item in findings if item.cite.valid
    )


def places(findings: tuple[Finding, ...]) -> list[tuple[list[tuple[int, int]], str]]:
    return sorted((sorted(report.cite.lines for report in item.reports), item.category) for item in findings)
