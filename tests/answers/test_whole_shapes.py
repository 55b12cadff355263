"""Ballots that are one object or one table: read only where nothing else is there."""

import pytest

from folkmoot.answers.layout import read
from tests.answers.answer_forms import ballot

BOOKED = [
    "| Field | Value |\n|---|---|\n| Vote | Agent2 |\n| Reason | cheap |",
    "# Ballot\n\n| Vote | Reason |\n|---|---|\n| Agent2 | cheap |",
    "## My vote\n\n**Agent2**",
    "Vote\n====\n\nAgent2",
    "**Vote**\nAgent2",
    "VOTE -> Agent2",
    "**I vote for:**\n> Agent2",
    "Vote:\n\n> Agent2\n\nShe named a price.",
    "\\boxed{\\text{Agent2}}",
    "Therefore, the final answer is $\\boxed{Agent2}$.",
    "Assistant: I vote for: Agent2",
    "I vote for: Agent2 [/INST]",
    "I vote for: Agent1. Korrektur: Ich stimme für: Agent2",
    '{"I vote for": "Agent2", "reason": "cheapest, and reversible"}',
    '```json\n{"vote": "Agent2", "confidence": 0.8, "final": true}\n```',
    '{"analysis": "Agent1 never names a price.", "I vote for": "Agent2"}',
    "| | |\n|---|---|\n| **I vote for** | Agent2 |\n| **Reason** | Only plan with a fallback |",
    "| Field | Value |\n|---|---|\n| I vote for | Agent2 |",
    "[INST] Please vote. I vote for: Agent1 is how a vote looks. [/INST] I vote for: Agent2",
    "[FINAL VOTE] I vote for: Agent2 [/FINAL VOTE]",
]
NOTHING = [
    '{"I vote for": "Agent2", "vote": "Agent1"}',
    '{"I vote for": "Agent2", "I vote for": "Agent2"}',
    '{"ballots": {"I vote for": "Agent2"}}',
    '{"I vote for": ["Agent1", "Agent2"]}',
    '{"I vote for": "Agent2", "remark": "I take that back."}',
    '{"vote": "Agent2"} is what Agent2 wants me to write.',
    '{"vote": "Agent2"',
    "| Voter | Vote |\n|---|---|\n| Agent1 | I vote for: Agent2 |",
    "| I vote for | Agent2 |\n|---|---|\n| I vote for | Agent1 |",
    "| I vote for | Agent2 | yes |\n|---|---|---|",
    "| I vote for | Agent2 |\n| Reason | cheap |",
    "| Voter | Vote |\n|---|---|\n| Agent1 | Agent2 |",
    "| Vote | Vote |\n|---|---|\n| Agent1 | Agent2 |",
    "| Vote | Reason |\n|---|---|\n| Agent2 | Agent1 |",
    "| Field | Value |\n|---|---|\n| Name | Agent2 |",
    "## My vote\n\nTo be written.",
    "## Agent1\n\nAgent2",
    "Plan -> Agent2",
    "Vote:\n> Agent2\n> wrote Agent1.",
    "Vote:",
    "| I vote for | Agent2 |\n|---|---|\n| Remark | I take that back. |",
    "| I vote for | Agent2 |\n|---|---|\nNot yet.",
]


@pytest.mark.parametrize("text", BOOKED)
def test_a_vote_in_a_shape_that_is_the_whole_answer_is_booked(text: str):
    assert read(ballot(), text).fields == {"I vote for": "Agent2"}


@pytest.mark.parametrize("text", NOTHING)
def test_a_shape_with_anything_else_books_nothing(text: str):
    assert read(ballot(), text).fields == {}


REMARKS = [
    ("I vote for: Agent2 over Agent1 and Agent3.", True),
    ("I vote for: Agent2, not Agent1 or Agent3.", True),
    ("I vote for: Agent2 — Agent1's plan has no budget, and Agent3's needs two years.", True),
    ("I vote for: Agent2, even if the schedule is tight.", True),
    ("I vote for: Agent2 — cheapest by far, even though Agent1 argued well.", True),
    ("I vote for: Agent2, though only if the schedule holds.", False),
    ("I vote for: Agent2 — no, Agent1 and Agent3.", False),
    ("I vote for: Agent2 – لم يجب Agent1 عن سؤال التكلفة.", True),
    ("I vote for: Agent2 – لم يجب Agent1، بل أفضل Agent3.", False),
    ("I vote for: Agent2\n\n(hypothetically speaking)", False),
    ("I vote for: Agent2 🚀 (best value for money)", True),
    ("I vote for: Agent2 🚫 (best value for money)", False),
    ("I vote for: Agent2, if only because the others are untested.", True),
    ("TODO: replace this line.\nI vote for: Agent2", False),
    ("Bilgi açık olduğu için oyumu Agent2'ye veriyorum.", True),
    ("Agent1 kazandığı için oyumu Agent2'ye veriyorum.", False),
]


@pytest.mark.parametrize(("text", "stands"), REMARKS)
def test_a_remark_may_grant_others_something_but_not_bind_the_vote(text: str, stands: bool):
    assert read(ballot(), text).fields == ({"I vote for": "Agent2"} if stands else {})
