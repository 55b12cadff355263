"""How a text of one's own falls into claims."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.analysis.grounds import statements


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("We buy. They last!", ("We buy.", "They last!")),
        ("Dr. Chen is right, e.g. on no. 5. We buy.", ("Dr. Chen is right, e.g. on no. 5.", "We buy.")),
        ("It costs 3.5 million. We buy", ("It costs 3.5 million.", "We buy")),
        ("# Verdict\n\nWe buy\nten buses. They last.", ("We buy ten buses.", "They last.")),
        ("We buy, because:\n\n- they last\n- 2) is cheap\n1. Rails cost", ("they last", "2) is cheap", "Rails cost")),
        ("- **Why?**\n* They last.\n* They last.", ("They last.",)),
        ("Should we? Yes.", ("Yes.",)),
        ("Should we?", ("Should we?",)),
        ("10 : 3.", ("10 : 3.",)),
        ("我们买。他们便宜。", ("我们买。", "他们便宜。")),
        (
            '"The yard is full. Rent is due." (plan.md:1) So we move.',
            ('"The yard is full. Rent is due." (plan.md:1)', "So we move."),
        ),
        ('He says "We move." (plan.md:1), and we do.', ('He says "We move." (plan.md:1), and we do.',)),
        ("", ("",)),
    ],
)
def test_claims(text: str, claims: tuple[str, ...]) -> None:
    assert statements(text) == claims


@given(st.text(alphabet='aB .!?\n-#:"()1', max_size=60))
def test_there_is_always_a_claim_and_none_is_made_up(text: str) -> None:
    texts = statements(text)
    assert texts
    assert len(set(texts)) == len(texts)
    words = text.split()
    for claim in texts:
        assert all(word in text for word in claim.split())
        assert len(claim.split()) <= len(words)
