"""Generated texts in fourteen languages: nothing that a retraction follows is booked, and everyday texts are read."""

from collections import Counter
from collections.abc import Callable

import pytest

from folkmoot.answers.layout import read
from folkmoot.core.ask import Value
from tests.answers.grammar import LANGUAGES, Sample, idioms, samples
from tests.kits.thoroughness import MORE

NUMBER = 100_000 if MORE else 2_000
"""So many texts are read."""

ASKED = 0.05
"""The greatest share of everyday texts that may cost a repair question."""


def booked(sample: Sample) -> Value | None:
    """What is booked from a text."""
    fields = read(sample.form, sample.text, speaker=sample.speaker).fields
    if sample.field:
        return fields.get(sample.field)
    return tuple(f"{name} {value}" for name, value in fields.items()) or None


@pytest.mark.parametrize("unseen", [False, True])
def test_an_authors_last_word_counts(unseen: bool, record_property: Callable[[str, object], None]):
    verdicts: Counter[str] = Counter()
    everyday: Counter[str] = Counter()
    harmful: list[str] = []
    for sample in samples(31 if MORE else 7, NUMBER // 2, unseen=unseen):
        value = booked(sample)
        verdict = sample.judge(value)
        verdicts[verdict] += 1
        everyday[verdict] += sample.everyday
        if verdict == "harmful":
            harmful.append(f"{sample.text!r}: {value}, not {sample.right} ({', '.join(sample.parts)})")
    share_asked = everyday["asked"] / everyday.total()
    summary = f"{verdicts.total()} read, {len(harmful)} harmful, {verdicts['exact']} exact, "
    summary += f"{share_asked:.1%} of everyday asked"
    record_property(f"generated texts, {'later' if unseen else 'first'} idioms", summary)
    assert not harmful, "\n".join(harmful[:20])
    assert share_asked <= ASKED, summary


def test_every_language_has_every_production():
    productions = set(idioms("en"))
    assert all(set(idioms(language)) == productions for language in LANGUAGES)


def test_texts_are_the_same_for_the_same_seed():
    assert [sample.text for sample in samples(1, 20)] == [sample.text for sample in samples(1, 20)]
    assert [sample.text for sample in samples(1, 20)] != [sample.text for sample in samples(2, 20)]


@pytest.mark.parametrize(
    ("value", "verdict"), [("Agent1", "exact"), ("Agent2", "harmful"), ("Agent3", "fine"), (None, "asked")]
)
def test_a_reading_is_judged_by_what_a_careful_person_books(value: str | None, verdict: str):
    first = next(iter(samples(1, 1)))
    sample = Sample(text="", form=first.form, field="x", right="Agent1", allowed=("Agent3",), parts=())
    assert sample.judge(value) == verdict
