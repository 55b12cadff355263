"""Long tests begin first, and tests that share a server go to one worker."""

import pytest

from tests.kits.order import long_first

KINDS = ("", "long", "", "stage", "", "long", "database", "", "stage", "", "", "long")


def test_each_part_begins_with_its_long_tests() -> None:
    order = long_first(KINDS, 3)
    parts = [[KINDS[index] for index in order[at : at + 4]] for at in (0, 4, 8)]
    assert parts == [["long", "database", "", ""], ["stage", "long", "stage", ""], ["long", "", "", ""]]


@pytest.mark.parametrize("workers", [1, 2, 3, 5, 20])
@pytest.mark.parametrize("kinds", [KINDS, (), ("",) * 7, ("long",) * 7, ("stage",) * 7])
def test_every_test_is_given_out_once(kinds: tuple[str, ...], workers: int) -> None:
    assert sorted(long_first(kinds, workers)) == list(range(len(kinds)))


def test_one_worker_begins_with_all_long_tests() -> None:
    kinds = [KINDS[index] for index in long_first(KINDS, 1)]
    assert all(kinds[:6])
    assert not any(kinds[6:])
