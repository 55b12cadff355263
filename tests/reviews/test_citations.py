"""Citations: what counts as standing in the artefact, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.reviews.artefact import Artefact, ReviewedFile, Row, whole_file
from folkmoot.reviews.citations import Citation, check, read_place, read_span

TEXT = """\
def pages(total, size):
    page = 0
    while page:
        yield page
        page += 1

def other():
    if total % size != 0:
        return `x`
"""
ARTEFACT = Artefact(files=(whole_file("src/pager.py", TEXT), whole_file("long.txt", "a\nb\n" * 100)), facts={})


def cite(lines: str, quote: str | None, path: str = "src/pager.py") -> Citation:
    return check(ARTEFACT, path, lines, quote)


@pytest.mark.parametrize(
    ("lines", "quote"),
    [
        ("3", "while page:"),
        ("3-3", "    while page:   "),
        ("L2-L4", "while"),
        ("2–4", "while page:\n    yield page"),
        ("3..4", "\n\n  while page:\nyield page\n\n"),
        ("3 to 5", "```python\nwhile page:\n    yield page\n```"),
        ("3", "3  |    while page:"),
        ("3-4", "3 +|    while page:\n4 +|        yield page"),
        ("9", "return `x`"),
        ("3", "`while page:`"),
        ("6", None),
    ],
)
def test_a_quotation_that_stands_there_is_valid(lines: str, quote: str | None) -> None:
    cited = cite(lines, quote)
    assert (cited.valid, cited.moved_from) == (True, None)


@pytest.mark.parametrize(
    ("lines", "quote", "path", "fault"),
    [
        ("3", "while Page:", "src/pager.py", "is not in src/pager.py"),
        ("3", "while  page:", "src/pager.py", "is not in"),
        ("3-4", "while page:\nyield  page", "src/pager.py", "is not in"),
        ("3", "", "src/pager.py", "is not in"),
        ("3", "```\n```", "src/pager.py", "is not in"),
        ("0", "while page:", "src/pager.py", "has no lines 0, but 9"),
        ("8-10", "return", "src/pager.py", "has no lines 8-10, but 9"),
        ("4-3", "while page:", "src/pager.py", "has no lines 4-3"),
        ("three", "while page:", "src/pager.py", "no lines are named"),
        ("1-61", "a", "long.txt", "more than 60 lines"),
        ("3", "while page:", "pager.py", "pager.py is no file of what is reviewed"),
        ("3", "while page:", "", "nothing is no file"),
        ("3", "while page:", "/src/pager.py", "leads out"),
        ("3", "while page:", "src/../src/pager.py", "leads out"),
        ("3", "while page:", "C:\\src\\pager.py", "leads out"),
    ],
)
def test_what_does_not_stand_there_has_no_basis(lines: str, quote: str, path: str, fault: str) -> None:
    cited = cite(lines, quote, path)
    assert not cited.valid
    assert fault in cited.fault


def test_a_quotation_that_stands_once_elsewhere_has_moved() -> None:
    cited = cite("8", "while page:")
    assert (cited.valid, cited.lines, cited.moved_from) == (True, (3, 3), (8, 8))
    assert str(cited) == "src/pager.py:3"


LONG = Artefact(
    files=(whole_file("a.py", "x = 0\nrun('a', b); run('c', d)  # two\ny = [\n    1,\n    2,\n]\nz(...args)\n"),),
    facts={},
)


@pytest.mark.parametrize(
    ("lines", "quote"),
    [
        ("2", "run('a', ..."),
        ("2", "run('a', … d)"),
        ("2", "...run('c'..."),
        ("2", "run('a' [...] run('c' […] # two"),
        ("3-6", "y = [\n    ...\n]"),
        ("3-6", "y = [\n    # ...\n    2,\n]"),
        ("3-6", "y = [ ... ]"),
        ("7", "z(...args)"),
        ("7", "z(...)"),
    ],
)
def test_a_shortened_quotation_stands_where_its_pieces_stand_in_their_order(lines: str, quote: str) -> None:
    cited = check(LONG, "a.py", lines, quote)
    assert (cited.fault, cited.moved_from) == ("", None)


@pytest.mark.parametrize("quote", ["run('c' ... run('a'", "… …", "( ... )", "run('a', ... gone", "y = [ ... x = 0"])
def test_a_shortened_quotation_with_other_words_or_another_order_has_no_basis(quote: str) -> None:
    assert "is not in" in check(LONG, "a.py", "2", quote).fault


def test_a_shortened_quotation_reaches_over_no_more_lines_than_a_citation_may_have() -> None:
    for rows, valid in ((59, True), (60, False)):
        artefact = Artefact(files=(whole_file("a", "\n".join(["begin", *["-"] * (rows - 1), "end"])),), facts={})
        assert check(artefact, "a", "1", "begin ... end").valid == valid


def test_no_quotation_reaches_across_lines_that_are_not_shown() -> None:
    rows = (Row(" ", 1, "a"), Row(" ", 2, "b"), Row(" ", 9, "c"))
    artefact = Artefact(files=(ReviewedFile(path="x", change="changed", rows=rows, total=9),), facts={})
    assert check(artefact, "x", "1-2", "a\nb").valid
    assert not check(artefact, "x", "2-9", "b\nc").valid
    assert check(artefact, "x", "2-9", "b\n...\nc").valid


def test_of_several_places_the_nearest_within_twenty_lines_counts() -> None:
    near = "\n".join(["x"] + ["-"] * 20 + ["x"] + ["-"] * 40)
    artefact = Artefact(files=(whole_file("a", near),), facts={})
    assert check(artefact, "a", "5", "x").lines == (1, 1)
    assert check(artefact, "a", "42", "x").lines == (22, 22)
    assert "is at 2 other places" in check(artefact, "a", "43-44", "x").fault
    assert check(artefact, "a", "41", "- ").moved_from is None


def test_names_are_compared_in_one_form_of_unicode() -> None:
    artefact = Artefact(files=(whole_file("a\u0308.md", "x"),), facts={})
    assert check(artefact, "`ä.md`", "1", "x").valid


def test_places_are_read_with_their_lines() -> None:
    assert read_place("`src/a.py:10-12`") == ("src/a.py", "10-12")
    assert read_place("src/a.py:lines 3") == ("src/a.py", "3")
    assert read_place("src/a.py") == ("src/a.py", "")
    assert read_place("C:\\x") == ("C:\\x", "")
    assert read_span("12") == (12, 12)
    assert read_span("") is None


@given(st.integers(1, 9), st.integers(0, 8))
def test_lines_copied_from_the_artefact_are_always_valid(first: int, more: int) -> None:
    lines = TEXT.rstrip("\n").split("\n")
    last = min(first + more, len(lines))
    words = "\n".join(lines[first - 1 : last])
    cited = cite(f"{first}-{last}", words)
    assert cited.valid == bool(words.strip())


@given(st.text(max_size=30), st.text(max_size=8), st.text(max_size=30))
def test_whatever_is_cited_is_valid_or_has_a_reason(path: str, lines: str, quote: str) -> None:
    cited = check(ARTEFACT, path, lines, quote)
    file = ARTEFACT.file(cited.path)
    assert cited.valid == (file is not None and not cited.fault)
    if cited.valid and file and "..." not in quote and "…" not in quote:
        first, last = cited.lines
        assert any(
            row.strip() and row.strip() in file.lines()[n] for n in range(first, last + 1) for row in quote.split("\n")
        )
