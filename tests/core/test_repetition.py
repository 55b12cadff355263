"""Texts that say the same again and again are told from those that have lists, tables, code and refrains."""

from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.repetition import LOOKED_AT, repeats_itself

WORD = st.text("abcdefghilmnoprstu", min_size=1, max_size=9)
SENTENCE = st.lists(WORD, min_size=2, max_size=16).map(lambda words: f"{' '.join(words).capitalize()}. ")
PROSE = st.lists(SENTENCE, min_size=1, max_size=12).map("".join)
LIST = st.lists(PROSE, min_size=1, max_size=9).map(lambda rows: "".join(f"- {row}\n" for row in rows))
TABLE = st.tuples(WORD, st.integers(1, 60)).map(
    lambda t: f"| {t[0]} | cost |\n| --- | --- |\n" + f"| {t[0]} | 0 |\n" * t[1]
)
CODE = st.tuples(WORD, st.integers(1, 40)).map(
    lambda t: "```python\n" + "".join(f"    {t[0]}[{n}] = {t[0]}({n})\n" for n in range(t[1])) + "```\n" + "=" * 80
)
REFRAIN = st.tuples(PROSE, st.lists(PROSE, min_size=1, max_size=8)).map(
    lambda t: "".join(f"{verse}\n\n{t[0]}\n{t[0]}\n\n" for verse in t[1])
)
ZEROS = st.integers(1, 3000).map(lambda n: f"[{'0, ' * n}0]")


@given(st.lists(st.one_of(PROSE, LIST, TABLE, CODE, REFRAIN, ZEROS), min_size=1, max_size=6), st.data())
def test_an_ordinary_text_says_nothing_again_and_again(parts: list[str], data: st.DataObject) -> None:
    # No two parts are the same, else it would be no ordinary text.
    text = "\n\n".join(f"{part}\nThat was part {n}." for n, part in enumerate(dict.fromkeys(parts)))
    end = data.draw(st.integers(0, len(text)))
    assert not repeats_itself(text[:end])


@given(PROSE, SENTENCE, st.integers(0, 200))
def test_a_loop_is_one_however_it_began_and_wherever_it_is_cut(start: str, again: str, cut: int) -> None:
    loop = again * (LOOKED_AT // len(again) + 1)
    assert repeats_itself(start + loop[: LOOKED_AT - cut])


@given(PROSE, SENTENCE)
def test_what_comes_behind_a_loop_ends_it(start: str, again: str) -> None:
    assert not repeats_itself(start + again * 99 + f"But number {len(again)} is another matter, and so we go on to it.")


def test_a_paragraph_of_a_loop_may_be_long() -> None:
    paragraph = " ".join(f"Point {n} is settled." for n in range(45)) + "\n\n"
    assert repeats_itself("We have met. " + paragraph * 5)
    assert not repeats_itself("We have met. " + paragraph * 2)


def test_rows_that_differ_in_their_number_alone_are_the_same() -> None:
    assert repeats_itself("Reasons:\n" + "".join(f"{n}. The library is closed on Sundays.\n" for n in range(1, 60)))
    assert not repeats_itself("Costs:\n" + "".join(f"{n}. In year {n} it is {n * 37} dollars.\n" for n in range(1, 99)))
