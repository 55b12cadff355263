"""What counts as evidence for what, who has quoted it, and how it is cited."""

import pytest

from folkmoot.core.brief import Source
from folkmoot.demo.evidence import Library, Stance, query
from folkmoot.demo.material import Passage, marks, matter, quotation
from tests.report.quoting import turn_by

TEXT = """The depot is cheaper than the hall. The hall has a poor roof.

The depot fails in winter. This is a fact of life.

He said "so it is" to all. The roof, which is over the hall and over the yard and over the street, was lost.
"""


def library(text: str = TEXT) -> Library:
    return Library([Source(name="a (b).md", text=text)])


def test_options_are_told_apart_by_their_words() -> None:
    shelf = library()
    depot, runner = shelf.stances(("the depot", "a hall"))
    assert [round(shelf.favour(n, depot), 1) for n in range(3)] == [1.0, 0.5, -0.3]
    assert shelf.favour(0, runner) < 0
    assert shelf.favour(2, runner) > 0 > shelf.favour(2, depot)
    assert shelf.favour(3, runner) == 0


def test_polar_options_go_by_the_news() -> None:
    shelf = library()
    assert shelf.stances(("yes", "no")) == (Stance(side=1), Stance(side=-1))
    assert shelf.stances(("build it", "do not build it")) == (Stance(side=1), Stance(side=-1))
    assert shelf.stances(("do not build it", "build it")) == (Stance(side=-1), Stance(side=1))
    assert shelf.favour(2, Stance(side=-1)) > 0 > shelf.favour(2, Stance(side=-1, against=True))


def test_no_change_is_what_speaks_against_the_others() -> None:
    shelf = library()
    none, *_ = shelf.stances(("no change", "depot", "hall"))
    assert none.words == {}
    assert shelf.favour(2, none) > 0
    assert shelf.stances(("not the roof", "depot"))[0].side == 0
    assert shelf.stances(("yes", "no", "a hall"))[0].side == 1
    assert shelf.stances(("the", "or"))[0].words is not None


def test_a_choice_bears_on_the_query_and_on_something_new() -> None:
    shelf = library()
    assert shelf.choose(query(("roof", 1.0)), Stance(), 2) == (1, 5)
    assert shelf.choose(query(("roof", 1.0)), Stance(), 1, but=(1,)) == (5,)
    assert shelf.choose(query(("unheard", 1.0)), Stance(), 3) == (0,)
    assert shelf.choose({}, Stance(), 3, but=range(6)) == ()
    assert library("").choose({}, Stance(), 3) == ()


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ('"The depot is cheaper than the hall." (a (b).md:1)', (0,)),
        ('"The hall has a\npoor roof." (a (b).md:1) and "The depot fails in winter." (a (b).md:3)', (1, 2)),
        ('“He said "so it is" to all.” (a (b).md:5)', (4,)),
        ('"The roof, which is over the hall and …" (a (b).md:5)', (5,)),
        ('"is cheaper than" (a (b).md:1)', (0,)),
        ('"The depot is cheaper than the hall." (a (b).md, line 1)', (0,)),
        ('"is cheaper than" (a (b).md, line 1)', (0,)),
        ('"cheaper" (a (b).md:1)', ()),
        ('"The depot is cheaper than the hall." (a (b).md:2)', (0,)),
        ('"The depot is cheaper than the hall." (other.md:1)', (0,)),
        ("As they say, “The depot is cheaper than the hall.”", (0,)),
        ('"The depot is"', ()),
        ("The depot is cheaper than the hall. (a (b).md:1)", ()),
        ('"Something else." (a (b).md:3)', ()),
    ],
)
def test_who_quoted_what(text: str, numbers: tuple[int, ...]) -> None:
    shelf = library()
    assert shelf.quoted(turn_by("x", text)) == numbers
    assert shelf.quoted(turn_by("x", "", fields={"A": text})) == numbers
    assert shelf.quoted(turn_by("x", text, fields={"A": text, "B": 3})) == numbers


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("plain", '""'),
        ('he "said" so', "“”"),
        ('he "said" “so”', "«»"),
        ('he "said" “so” «here»', ""),
        ('half a "quotation', ""),
        ("half a “quotation", ""),
        ("„so“", ""),
        ("a <b>tag</b>", ""),
        ("5 < 6", '""'),
    ],
)
def test_marks_that_do_not_disturb(text: str, pair: str) -> None:
    assert marks(text) == pair
    assert len(library(f"{text} and so on here.").passages) == bool(pair)


def test_a_long_passage_is_cut_with_a_mark() -> None:
    passage = Passage(source="a\n b.md", line=7, text="One two three, four five six seven.")
    assert quotation(passage) == '"One two three, four five six seven." (a b.md, line 7)'
    assert quotation(passage, 24) == '"One two three …" (a b.md, line 7)'
    assert quotation(passage, 31) == '"One two three, four five six …" (a b.md, line 7)'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("The fee and the price are fixed by customers.", "cost"),
        ("Customers pay the fee.", "customers"),
        ("The fee is for customers.", "cost"),
        ("It is so.", ""),
    ],
)
def test_what_a_passage_is_on(text: str, name: str) -> None:
    assert matter(Passage(source="a", line=1, text=text)) == name
