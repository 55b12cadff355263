"""Figures in arguments against the documents: which lines have them, however they are written, and which are in none."""

import pytest

from folkmoot.analysis.cited_figures import cited_figures
from folkmoot.core.brief import Source
from folkmoot.core.transcript import fold
from tests.analysis.courses import say, table

COSTS = Source(
    name="costs.md",
    text="# Costs of 2027\n\nThe lease costs 41,000 a year.\nThe servers are full at 6.5 TB.\nLoads failed on 23 nights.\nRent: 41,000",
    line=10,
)


def checked(*arguments: str, source: Source = COSTS) -> tuple[list[tuple[str, ...]], dict[str, tuple[str, ...]]]:
    diary = table(background=(source,))
    for argument in arguments:
        say(diary, "Ann", {"ANSWER": "move", "ARGUMENT": argument})
    check = cited_figures(fold(diary.entries))
    return [(figure.words, *figure.where) for figure in check.cited], dict(check.missing)


@pytest.mark.parametrize("written", ["41,000", "41.000", "41 000", "41'000", "41\u202f000", "41000"])
def test_a_figure_is_found_however_its_thousands_are_written(written: str) -> None:
    assert checked(f"The lease is {written} euros.") == ([(f"The lease is {written} euros.", "costs.md:12")], {})


def test_of_several_lines_the_likeliest_is_named() -> None:
    assert checked("The rent is 41,000.")[0] == [("The rent is 41,000.", "costs.md:15")]


def test_what_no_document_has_is_named_with_its_author_and_unit() -> None:
    cited, missing = checked("We pay 52,000 euros. It fills at 6,5 TB or 70% of nights.")
    assert cited == [("It fills at 6,5 TB or 70% of nights.", "costs.md:13")]
    assert missing == {"52,000 euros": ("Ann",), "70%": ("Ann",)}


def test_lines_single_digits_and_years_are_no_figures() -> None:
    assert checked("In 2027 all 3 of us said so (costs.md, lines 23-29), see costs.md:41 too.") == ([], {})


def test_without_figures_in_the_documents_nothing_is_checked() -> None:
    assert checked("It costs 52,000.", source=Source(name="a.md", text="No number.")) == ([], {})
