"""Words, stems, and the weight of texts for a query."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.text import K1, B, Index, stem, stems, terms


@pytest.mark.parametrize(
    "alike",
    [
        "cost costs costing",
        "price prices priced pricing",
        "plan plans planned planning",
        "delay delays delayed Delaying",
        "story stories",
        "glass glasses",
        "box boxes",
        "customer's customers customer’s",
        "build builds building",
    ],
)
def test_forms_of_a_word_have_one_stem(alike: str) -> None:
    assert len({stem(word) for word in alike.split()}) == 1


@pytest.mark.parametrize(
    "word", ["bus", "thing", "need", "speed", "status", "gas", "x1s", "ähs", "is", "string", "2020s"]
)
def test_short_and_strange_words_stay(word: str) -> None:
    assert stem(word) == word


def test_words_of_a_text() -> None:
    assert stems("It's the Depot's cost, 3.1 per cent") == ["it", "the", "depot", "cost", "3", "1", "per", "cent"]
    assert terms("You argue for the depots") == ["depot"]
    assert stems("新仓库 depot") == ["新", "仓", "库", "depot"]


def test_the_formula() -> None:
    index = Index([["a", "b", "b"], ["a"], ["c", "c"]])
    rarity = log(1 + (3 - 1 + 0.5) / (1 + 0.5))
    assert index.rarity("b") == pytest.approx(rarity)
    norm = K1 * (1 - B + B * 3 / 2)
    assert index.weigh({"b": 2.0, "z": 1.0}) == pytest.approx([2 * rarity * 2 * (K1 + 1) / (2 + norm), 0.0, 0.0])


def test_nothing_to_weigh() -> None:
    assert Index([]).weigh({"a": 1.0}) == []
    assert Index([[], []]).weigh({"a": 1.0}) == [0.0, 0.0]


@given(
    st.lists(st.lists(st.sampled_from("abcd"), max_size=6), max_size=6),
    st.dictionaries(st.sampled_from("abcde"), st.floats(0, 9)),
)
def test_weights_are_never_negative_and_nothing_weighs_without_a_word(
    texts: list[list[str]], query: dict[str, float]
) -> None:
    for text, weight in zip(texts, Index(texts).weigh(query), strict=True):
        assert weight >= 0
        assert weight == 0 or query.keys() & set(text)


@given(st.text(max_size=40))
def test_any_text_has_stems(text: str) -> None:
    assert all(stems(text))
