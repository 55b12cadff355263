"""Signs that nobody sees: reviewers are shown each by its code point, and the review itself says where they stand."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.text import clean, with_code_points
from folkmoot.protocols.known import build
from folkmoot.report.conclusion import cautions
from folkmoot.report.markdown import markdown
from folkmoot.report.report import report
from folkmoot.reviews.artefact import Artefact, artefact_of, read_file, split_lines, whole_file
from folkmoot.reviews.citations import check
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.reviews.review_data import ReviewRun, as_data, as_markdown, as_text, sarif
from folkmoot.reviews.reviewed import review_of
from folkmoot.testing.replay import Harness, HeldDebate
from folkmoot.testing.scripted import Scripted
from tests.kits.diffs import unified
from tests.kits.reviewers import review_brief

TROJAN = 'if level != "user\u202e \u2066// Check if admin\u2069 \u2066" {\n'
"""A comment that looks like code (Boucher and Anderson, "Trojan Source", 2021)."""

SIGNS = [
    *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u115f", "\u3164", "\ufe0f", "\U000e0041"),
    *("\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067", "\u2069", "\u200e", "\u061c", "\u2028", "\u0085"),
    *("\x01", "\x07", "\x08", "\x0b", "\x0c", "\x1b", "\x7f", "\x9b", "\r", "\ue000", "\ufff9", "\U0001d173"),
]


def changed(old: str, new: str, *, whole: bool = True) -> Artefact:
    diff = read_diff(unified("a.py", old, new))
    files = files_of(diff, lambda path: new.encode()) if whole else files_of(diff)
    return Artefact(files=files, facts={"kind": "diff"})


@pytest.mark.parametrize("sign", SIGNS, ids=lambda sign: f"{ord(sign):04X}")
@pytest.mark.parametrize("whole", [True, False])
def test_a_change_of_a_sign_alone_is_shown_and_named(sign: str, whole: bool) -> None:
    before, after = "x = 1\nname = 'ab'\n", f"x = 1\nname = 'a{sign}b'\n"
    for old, new, mark in ((before, after, "+"), (after, before, "-")):
        artefact = changed(old, new, whole=whole)
        (file,) = artefact.files
        shown = {row.mark: row.text for row in file.rows if row.mark != " "}
        assert shown["+"] != shown["-"]
        assert shown[mark] == f"name = 'a<U+{ord(sign):04X}>b'"
        assert clean(shown[mark]) == shown[mark]
        (line,) = artefact.unseen
        assert (line.path, line.mark, line.signs[0].split()[0]) == ("a.py", mark, f"U+{ord(sign):04X}")
        assert line.line == 2
        assert artefact_of(review_brief(artefact=artefact)).unseen == artefact.unseen


def test_two_signs_are_not_taken_for_one_another_nor_for_their_code_points() -> None:
    lines = ["a\u200bb", "a\u200cb", "ab", "a<U+200B>b", "a<U+003C>U+200B>b", "a\\u200bb"]
    assert len(set(split_lines("\n".join(lines)))) == len(lines)
    assert Artefact(files=(whole_file("a.md", "It is written as <U+200B>."),), facts={}).unseen == ()


@given(st.text(alphabet="ab<U+200B>\u200b\u200d\u202e\ufe0f☺👨👩क्ष\t\x1b\ue000", max_size=30), st.text(max_size=30))
def test_what_is_shown_is_clean_and_says_which_line_it_was(first: str, second: str) -> None:
    for text in (first, second):
        shown = with_code_points(text.replace("\n", ""))
        assert clean(shown) == shown
    assert (with_code_points(first) == with_code_points(second)) == (first == second)


@pytest.mark.parametrize("text", ["👨‍👩‍👧", "☺️", "क्‍ष", "می‌خواهم", "1️⃣", "tab\there", "naïve – “quoted”"])
def test_what_scripts_and_emoji_need_stays(text: str) -> None:
    assert with_code_points(text) == text


def test_lines_that_are_not_under_review_are_shown_but_not_named() -> None:
    artefact = changed("\ufeffusing System;\nx\n", "\ufeffusing System;\ny\n")
    assert artefact.files[0].lines()[1] == "<U+FEFF>using System;"
    assert artefact.unseen == ()
    files = Artefact(files=(whole_file("a.cs", "\ufeffusing System;\n"),), facts={"kind": "files"})
    assert [line.line for line in files.unseen] == [1]


def test_a_removed_last_line_is_named_at_the_end_of_the_file() -> None:
    (line,) = changed("x\na\u200bb\n", "x\n").unseen
    assert (line.line, line.mark) == (1, "-")


def test_a_file_is_the_same_after_it_was_a_document() -> None:
    file = whole_file("a.go", TROJAN)
    assert read_file(file.source()) == file


def test_a_citation_of_what_is_shown_stands() -> None:
    artefact = changed("if level != user {\n", TROJAN)
    shown = artefact.files[0].lines()[1]
    assert "<U+202E>" in shown
    for quote in (shown, f"1 +|{shown}", f"`{shown}`", "user<U+202E> <U+2066>// Check"):
        assert check(artefact, "a.py", "1", quote).valid


async def held_review(artefact: Artefact) -> HeldDebate:
    brief = review_brief(artefact=artefact)
    harness = Harness(brief=brief, protocol=build("findings", brief), name="findings")
    return await harness.run({who.name: Scripted(lambda ask, context: "FINDING: none") for who in brief.participants})


async def run_of(artefact: Artefact) -> ReviewRun:
    debate = await held_review(artefact)
    assert debate.transcript.brief
    review = review_of(debate.transcript.brief, debate.transcript)
    return ReviewRun(review=review, debate="change-1a2b3c", version="1.2.3")


async def test_every_format_names_file_line_and_signs() -> None:
    run = await run_of(changed("if level != user {\n", TROJAN))
    for text in (as_text(run), as_markdown(run)):
        assert all(words in text for words in ("a.py:1", "U+202E", "U+2066", "U+2069"))
    data: dict[str, Any] = json.loads(json.dumps(as_data(run)))
    (line,) = data["artefact"]["unseen"]
    assert (line["path"], line["line"], line["change"]) == ("a.py", 1, "added")
    assert line["signs"][0] == "U+202E RIGHT-TO-LEFT OVERRIDE"
    log: dict[str, Any] = sarif(run)
    (result,) = log["runs"][0]["results"]
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == "folkmoot/unseen"
    assert result["level"] == "warning"
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert "U+202E" in result["message"]["text"]


async def test_report_and_outcome_warn() -> None:
    debate = await held_review(changed("if level != user {\n", TROJAN))
    assert any("a.py:1" in words and "U+202E" in words for words in cautions(debate.transcript))
    assert "U+202E" in markdown(report(debate.entries, debate="d", where="memory"))
    plain = await held_review(changed("a\n", "b\n"))
    assert not any("U+" in words for words in cautions(plain.transcript))


async def test_many_lines_are_counted_in_words_and_all_in_data() -> None:
    run = await run_of(changed("x\n", "a\u200bb\n" * 50))
    assert as_text(run).count("U+200B") < 25
    assert "30 more lines" in as_text(run)
    data: dict[str, Any] = as_data(run)
    assert len(data["artefact"]["unseen"]) == 50
