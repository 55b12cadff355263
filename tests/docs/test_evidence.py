"""What the README and the guide say of recorded debates: with its caveats, and as the replay computes it."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from benchmarks.replays.data_sets import replay
from tests.paths import ROOT, SHARED

SET = "deliberative_forecasts"
needs_data = pytest.mark.skipif(not (SHARED / "data" / SET).is_dir(), reason="the recorded forecasts are not there")
PAGES = ("README.md", "docs/how-to/does-a-debate-pay.md")
CAVEATS = (
    "equal calls and not equal tokens",
    "one data set and one kind of question",
    "at twice the calls",
    "not established",
    "202",
    "copies of one model",
)
DETAILS = ("400", "99", "learned on other questions")
"""What the guide says besides; the README has a few sentences, and leads there."""
NUMBER = re.compile(r"[-+]?\d\.\d+")


def said_of_forecasts(page: str) -> str:
    """The part of a page that speaks of recorded forecasts, in one line."""
    text = (ROOT / page).read_text("utf-8")
    begin = text.index("**Evidence so far.**" if page == PAGES[0] else "The folder `deliberative_forecasts` has")
    return " ".join(text[begin:].partition("\n## ")[0].split())


@pytest.mark.parametrize("page", PAGES)
def test_figures_stand_with_their_caveats(page: str) -> None:
    words = said_of_forecasts(page)
    details = DETAILS if page == PAGES[1] else ("does-a-debate-pay.md#what-recorded-debates-say",)
    assert [caveat for caveat in (*CAVEATS, *details) if caveat not in words] == []


def test_the_readme_is_short_and_says_what_speaks_for_and_against() -> None:
    words = said_of_forecasts(PAGES[0]).partition("** ")[2]
    assert len(re.findall(r"[.!?](?= |$)", words)) <= 5, words
    assert [word for word in ("For:", "Against:", "arxiv.org/abs/2607.14713") if word not in words] == []


@cache
def lines_of_replay() -> tuple[str, ...]:
    """What the replay says; it takes some seconds."""
    return replay(SET, SHARED / "data").lines


def measured() -> Iterator[tuple[str, str, str]]:
    """The mean difference and its interval, to three digits, of each comparison that the pages speak of."""
    lines = lines_of_replay()
    cautious = lines.index(next(line for line in lines if line.startswith("gate by one standard error")))
    names = (
        "log loss, debate minus the panel's first forecasts",
        "log loss, debate minus six independent calls",
        "log loss, after minus before, homo_full",
    )
    rows = [next(line for line in lines if line.startswith(name)) for name in names]
    for row in (*rows, lines[cautious + 3]):
        mean, low, high = (f"{float(number):+.3f}" for number in NUMBER.findall(row.partition("  p ")[0]))
        yield mean, low, high


@needs_data
def test_the_guide_has_the_figures_of_the_replay() -> None:
    figures = [f"{mean} [{low}, {high}]" for mean, low, high in measured()]
    assert [figure for figure in figures if figure not in said_of_forecasts(PAGES[1])] == []


@needs_data
def test_the_pages_have_the_calls_and_the_questions_of_the_replay() -> None:
    lines = lines_of_replay()
    calls = next(re.findall(r"([\d.]+) calls", line)[0] for line in lines if line.startswith("gate by one standard"))
    needed = next(int(re.findall(r"needs (\d+)", line)[0]) for line in lines if line.startswith("a difference as"))
    assert f"for {float(calls):.1f} calls of 6" in said_of_forecasts(PAGES[0])
    assert round(needed, -2) == 400
