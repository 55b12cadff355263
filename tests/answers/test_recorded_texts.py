"""Texts that real models wrote, read in place: what stands in them is booked, and nothing else."""

from collections.abc import Callable

import pytest

from benchmarks.answers import measure
from tests.paths import SHARED

DATA = SHARED / "data"


@pytest.mark.skipif(not DATA.is_dir(), reason=f"the recorded texts are not there: {DATA}")
def test_recorded_texts_are_read_as_they_were_written(record_property: Callable[[str, object], None]) -> None:
    counts = measure(DATA)
    for name, count in counts.items():
        record_property(name, f"{count.right} of {count.texts} read right, {count.misread} misread")
    assert [name for name, count in counts.items() if count.misread] == []
    assert counts["reasons for secret votes"].read == 0, "they are in no form"
    assert counts["all"].right >= 5080
