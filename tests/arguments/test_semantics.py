"""Standing and strength: what the published semantics promise, on small graphs by brute force and by chance."""

from collections.abc import Sequence
from itertools import chain, combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.arguments.argument_map import BASE, Label, Pair, grounded, strengths

NAMES = ("a", "b", "c", "d", "e")
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), unique=True, max_size=12)
DOWNWARD = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda pair: pair[0] > pair[1]),
    unique=True,
    max_size=10,
)
"""Pairs without a cycle: later letters act on earlier ones."""


@pytest.mark.parametrize(
    ("attacks", "labels"),
    [
        ([], {"a": "in", "b": "in", "c": "in"}),
        ([("b", "a")], {"a": "out", "b": "in", "c": "in"}),
        ([("c", "b"), ("b", "a")], {"a": "in", "b": "out", "c": "in"}),
        ([("a", "b"), ("b", "a")], {"a": "undecided", "b": "undecided", "c": "in"}),
        ([("a", "b"), ("b", "a"), ("c", "a")], {"a": "out", "b": "in", "c": "in"}),
        ([("a", "a"), ("a", "b")], {"a": "undecided", "b": "undecided", "c": "in"}),
        ([("a", "b"), ("b", "c"), ("c", "a")], {"a": "undecided", "b": "undecided", "c": "undecided"}),
    ],
)
def test_grounded(attacks: list[Pair], labels: dict[str, Label]) -> None:
    assert grounded(("a", "b", "c"), attacks) == labels


def complete(attacks: Sequence[Pair]) -> list[frozenset[str]]:
    """All complete extensions, straight from the definition: conflict-free sets that hold exactly what they defend."""
    subsets = chain.from_iterable(combinations(NAMES, size) for size in range(len(NAMES) + 1))
    items: list[frozenset[str]] = []
    for subset in map(frozenset, subsets):
        free = not any(by in subset and on in subset for by, on in attacks)
        defended = frozenset(
            name
            for name in NAMES
            if all(any(d in subset for d, on in attacks if on == by) for by, target in attacks if target == name)
        )
        items += [subset] if free and defended == subset else []
    return items


@given(attacks=PAIRS)
def test_what_is_in_is_the_least_complete_extension(attacks: list[Pair]) -> None:
    labels = grounded(NAMES, attacks)
    accepted = frozenset(name for name in NAMES if labels[name] == "in")
    extensions = complete(attacks)
    assert accepted in extensions, "it is complete, so it is free of conflict"
    assert all(accepted <= extension for extension in extensions)
    attacked = {on for _, on in attacks}
    assert all(labels[name] == "in" for name in NAMES if name not in attacked)
    assert all((labels[on] == "out") == any(labels[by] == "in" for by, to in attacks if to == on) for on in attacked)
    assert tuple(labels) == NAMES, "every argument has one label"


@given(attacks=PAIRS, supports=PAIRS)
def test_strengths_lie_between_0_and_1_and_settle(attacks: list[Pair], supports: list[Pair]) -> None:
    strength_values = strengths(NAMES, attacks, supports)
    assert all(0 <= value <= 1 for value in strength_values.values.values())
    assert strength_values.settled
    assert strength_values == strengths(NAMES, attacks, supports)


def test_an_argument_alone_has_the_base_score() -> None:
    assert strengths(("a",), (), ()).values == {"a": BASE}
    assert strengths((), (), ()).values == {}


def test_the_numbers_of_the_formula() -> None:
    values = strengths(("a", "b", "c"), [("b", "a")], [("c", "b")]).values
    assert values["c"] == 0.5
    assert values["b"] == pytest.approx(0.5 + 0.5 * 0.25 / 1.25)  # 0.6
    assert values["a"] == pytest.approx(0.5 - 0.5 * 0.36 / 1.36)


@given(attacks=DOWNWARD, supports=DOWNWARD, on=st.sampled_from(NAMES))
def test_another_attacker_never_raises_and_another_supporter_never_lowers(
    attacks: list[Pair], supports: list[Pair], on: str
) -> None:
    names = (*NAMES, "new")
    before = strengths(names, attacks, supports).values[on]
    assert strengths(names, [*attacks, ("new", on)], supports).values[on] <= before + 1e-8
    assert strengths(names, attacks, [*supports, ("new", on)]).values[on] >= before - 1e-8


def test_many_attackers_of_each_other_settle() -> None:
    names = [f"n{n}" for n in range(40)]
    everyone = [(name, other) for name in names for other in names if name != other]
    strength_values = strengths(names, everyone, ())
    assert strength_values.settled
    assert len({round(value, 6) for value in strength_values.values.values()}) == 1


def test_what_has_not_settled_says_so() -> None:
    strength_values = strengths(("a", "b"), [("a", "b"), ("b", "a")], (), steps=2)
    assert not strength_values.settled
    assert all(0 < value < BASE for value in strength_values.values.values())
    assert strengths(("a", "b"), [("a", "b"), ("b", "a")], ()).settled
