"""Long tests run among short ones, and tests that share a server go to one worker."""

import pytest

from tests.kits.order import mix

KINDS = ("", "long", "", "stage", "", "long", "database", "", "stage", "", "", "long")


def test_each_part_has_long_tests_and_those_of_a_server_stand_in_one() -> None:
    order = mix(KINDS, 3)
    parts = [[KINDS[index] for index in order[at : at + 4]] for at in (0, 4, 8)]
    assert parts == [["database", "long", "", ""], ["stage", "stage", "long", ""], ["long", "", "", ""]]


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("kinds", [KINDS, (), ("",) * 7, ("long",) * 7, ("stage",) * 7])
def test_every_test_is_given_out_once(kinds: tuple[str, ...], workers: int) -> None:
    assert sorted(mix(kinds, workers)) == list(range(len(kinds)))


def test_short_tests_stand_between_the_long_ones_and_at_the_end() -> None:
    kinds = ("long",) * 4 + ("",) * 20
    mixed = "".join("L" if kinds[index] else "." for index in mix(kinds, 1))
    assert mixed == "L...L...L...L..........."
