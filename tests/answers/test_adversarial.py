"""Texts that fool readers: nothing harmful is booked, nearly everything is exactly right, all within a second."""

from collections import Counter
from pathlib import Path

import pytest

from moot.bench.text_cases import check, read_cases
from tests.kits.clock import within

FILES = sorted((Path(__file__).parent / "data").glob("*.jsonl"))
RIGHT = {"dev": 0.98, "dev2": 0.98, "holdout1": 0.95, "holdout2": 0.98}
"""The least share of the cases of a file that must be read exactly as a careful reader does."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_nothing_harmful_is_booked_and_nearly_everything_is_right(path: Path) -> None:
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    for case in read_cases(path):
        with within(3):
            verdict = check(case)
        assert not verdict.harmful, (case.id, verdict.booked)
        kinds[case.kind] += 1
        if not verdict.exact:
            wrong.append(case.id)
    assert kinds.total() >= 60
    assert len(kinds) >= 3
    assert len(wrong) <= kinds.total() * (1 - RIGHT[path.stem]), wrong


def test_all_files_are_there() -> None:
    assert [path.stem for path in FILES] == list(RIGHT)
