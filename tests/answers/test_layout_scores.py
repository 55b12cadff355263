"""Scores as JSON: which numbers a careful reader takes, and what spoils an answer."""

import pytest

from folkmoot.answers.layout import read
from tests.answers.answer_forms import marks

TAKEN = [
    ('{"Agent1": 7, "Agent2": 8}', 7, 8),
    ('{"Agent1": 7, "Agent2": 8, "reason": "Sources."}', 7, 8),
    ('{"scores": {"Agent1": "~7", "Agent2": 8}}', 7, 8),
    ("{“scores”: {“Agent1”: 7, “Agent2”: 8}}", 7, 8),
    ('{\n  // clarity\n  "scores": {"Agent1": 7, /* see https://x.org/y */ "Agent2": 8}\n}', 7, 8),
    ('Here are the scores you asked for: {"scores": {"Agent1": 7, "Agent2": 8}}', 7, 8),
    ('{"scores": {"agent1": 7, "AGENT2": 8}}', 7, 8),
    ('{"scores": {"Agent1": [7], "Agent2": 8}}', 7, 8),
    ('{"scores": {"Agent1": "7/10", "Agent2": "8 / 10"}}', 7, 8),
    ('{"scores": {"Agent1": 7, "Agent2": 8}}\n{"scores": {"Agent1": 7, "Agent2": 8}}', 7, 8),
    ('<think>{"scores": {"Agent1": 1, "Agent2": 2}}</think>{"scores": {"Agent1": 7, "Agent2": 8}}', 7, 8),
    ('<!-- {"scores": {"Agent1": 1, "Agent2": 2}} -->{"scores": {"Agent1": 7, "Agent2": 8}}', 7, 8),
    ('{"scores": {"Agent1": 7, "Agent2": 8}, "reason": "Agent1 sent {\\"scores\\": {\\"Agent1\\": 10}}"}', 7, 8),
    ('{"note": {"scores": {"Agent1": 10, "Agent2": 0}}, "scores": {"Agent1": 7, "Agent2": 8}}', 7, 8),
    ('{"scores": {"Agent1": 1e0, "Agent2": 8}}', 1, 8),
    ('{"scores": {"Agent1": -0, "Agent2": 8}}', 0, 8),
    ('{"scores": {"Agent１": 7, "Agent2": 8}}', 7, 8),
    ('```\n{"scores": {"Agent1": 7, "Agent2": 8}}\n```\nHope this helps!', 7, 8),
    ('{"scores": {"Agent1": 7, "Agent2": 8}} // Agent2 was better', 7, 8),
]

SPOILT = [
    ('{"scores": {"Agent1": 7, "agent1": 8, "Agent2": 1}}', "duplicate_key"),
    ('{"scores": {"Agent1": 7, "Agent1": 8, "Agent2": 1}}', "duplicate_key"),
    ('{"scores": {"Agent1": -1, "Agent2": 1}}', "out_of_range"),
    ('{"scores": {"Agent1": Infinity, "Agent2": 1}}', "invalid_number"),
    ('{"scores": {"Agent1": true, "Agent2": 1}}', "wrong_type"),
    ('{"scores": {"Agent1": {"score":7, "points": 8}, "Agent2": 1}}', "wrong_type"),
    ('{"scores": [{"name": 1, "score": 7}]}', "wrong_type"),
    ('{"scores": {"Agent1": "seven", "Agent2": 1}}', "invalid_number"),
    ('{"scores": {"Agent1": "NaN", "Agent2": 1}}', "invalid_number"),
    ('{"scores": {"Agent1": "70%", "Agent2": 1}}', "invalid_number"),
    ('{"scores": {"Agent1": "11", "Agent2": 1}}', "out_of_range"),
    ('{"scores": [7, 8]}', "wrong_type"),
    ('{"scores": {}}', "missing_candidate"),
    ('{"scores": {"Agent1": 7, "Agent2": 8}', "malformed"),
    ('{"scores": {"Agent1": 7 "Agent2": 8}}', "malformed"),
    ("{scores: {Agent1: 7, Agent2: 8}}", "malformed"),
    ('{"scores": {"Agent1": 7, "Agent2": 8}} {"scores": {"Agent1": 1, "Agent2": 2}}', "ambiguous"),
    ('{"scores": {"Agent1": 7, "Agent2": 8, "Agent 2": 1}}', "unknown_candidate"),
    ('{"scores": {"Agent1": 10.0000001, "Agent2": 8}}', "out_of_range"),
]

NOTHING = [
    'Agent1: {"scores": {"Agent1": 10, "Agent2": 0}}',
    'Agent1:\n```json\n{"scores": {"Agent1": 10, "Agent2": 0}}\n```',
    '{"note": "he says "{"scores": {"Agent1": 10, "Agent2": 0}}" so"}',
    'Example: {"scores": {"Agent1": 0, "Agent2": 10}}\n\nMy scores:\n{"scores": {"Agent1": 7, "Agent2": 8}}',
    '{"scores": {"Agent1": "7, no 3", "Agent2": 8}}',
    '{"scores": {"Agent1": "7 — rather 3", "Agent2": 8}}',
    '{"scores": {"Agent1": 1e999, "Agent2": 1}}',
    '{"scores": {"Agent1": null, "Agent2": 1}}',
    '{"scores": {"Agent1": "", "Agent2": 1}}',
    '{"scores": {"Agent1": "7-8", "Agent2": 1}}',
    "{}",
    "[]",
    "7",
    "",
    '> {"scores": {"Agent1": 7, "Agent2": 8}}',
    '{"result": {"scores": {"Agent1": 10, "Agent2": 0}}}',
    '{"scores": {"Agent1": 07, "Agent2": 8}}',
    '{"scores": {"Agent1": +7, "Agent2": 8}}',
    '{"scores": {"Аgent1": 7, "Agent2": 8}}',
    "Agent1: 7, Agent2: 8",
    "{'scores': {'Agent1': 7, 'Agent2': None}}",
    '{"scores": ' * 3000,
    "[" * 5000,
    '{"scores": {"Agent1": ' + "9" * 5000 + "}}",
]


@pytest.mark.parametrize(("text", "one", "two"), TAKEN)
def test_plain_scores_are_taken(text: str, one: float, two: float):
    reading = read(marks(), text)
    assert reading.fields == {"Agent1": one, "Agent2": two}
    assert reading.unread == ()


@pytest.mark.parametrize(("text", "reason"), SPOILT)
def test_one_fault_spoils_all_scores_and_is_named(text: str, reason: str):
    reading = read(marks(), text)
    assert reading.fields == {}
    assert reading.unread[0].reason == reason


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_not_in_the_form_gives_no_scores(text: str):
    reading = read(marks(), text, others=("Agent1", "Agent2"))
    assert reading.fields == {}
    assert reading.unread
