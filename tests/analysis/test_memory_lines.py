"""Each kind of item in the memory, as a person reads it."""

import pytest

from moot.analysis.memory_lines import HEADINGS, memory_lines

CRITIQUE: dict[str, object] = {"critic": "Bo", "author": "Ada", "issue": "No price.", "suggestion": "", "seq": 3}
OUTCOME: dict[str, object] = {
    "topic": "Tea?",
    "protocol": "panel",
    "domain": "",
    "status": "no_decision",
    "text": "",
    "how": "",
    "dissent": [],
    "minority": [],
    "trust": "confirmed",
}
PERFORMANCE: dict[str, object] = {
    "who": "Ada",
    "role": "",
    "player": "",
    "answers": 2,
    "missing": 0,
    "changed": 0,
    "won": None,
    "right": None,
}
RELATION: dict[str, object] = {"one": "Ada", "other": "Bo", "agreed": None, "moved_other": 0, "moved_one": 0}


@pytest.mark.parametrize(
    ("kind", "body", "lines"),
    [
        ("outcome", OUTCOME, ["Tea?", "no decision (it was right)", "protocol panel"]),
        (
            "outcome",
            OUTCOME
            | {"status": "decided", "text": "Tea", "how": "Tea has 2 of 3", "domain": "drinks", "trust": "refuted"}
            | {"dissent": ["Bo: too weak"], "minority": ["Coffee"]},
            [
                "Tea?",
                "decided: Tea (it was wrong)",
                "Tea has 2 of 3",
                "protocol panel, domain drinks",
                "against it: Bo: too weak",
                "another answer: Coffee",
            ],
        ),
        (
            "pattern",
            CRITIQUE | {"suggestion": "Add it.", "before": "Tea", "after": "Milk", "because": "it is cheap"},
            ["Bo to Ada: No price.", "  suggestion: Add it.", "  Ada changed from Tea to Milk, because it is cheap"],
        ),
        (
            "failed_pattern",
            CRITIQUE | {"answer": "Tea", "rejected": True, "because": "It has one."},
            ["Bo to Ada: No price.", "  Ada rejected it and kept Tea: It has one."],
        ),
        (
            "failed_pattern",
            CRITIQUE | {"answer": "Tea", "rejected": False, "because": ""},
            ["Bo to Ada: No price.", "  Ada did not answer it and kept Tea"],
        ),
        (
            "position",
            {"who": "Ada", "answer": "Tea", "confidence": 0.7, "last": True, "right": False},
            ["Ada: Tea, confidence 0.7, last answer, wrong"],
        ),
        (
            "position",
            {"who": "Ada", "answer": "Tea", "confidence": None, "last": False, "right": None},
            ["Ada: Tea"],
        ),
        ("performance", PERFORMANCE, ["Ada: 2 answers"]),
        (
            "performance",
            PERFORMANCE | {"role": "CFO", "missing": 1, "changed": 2, "won": False, "right": True},
            ["Ada (CFO): 2 answers, 1 missing, changed 2 times, another answer was chosen, right"],
        ),
        ("relation", RELATION, []),
        (
            "relation",
            RELATION | {"agreed": False, "moved_other": 1, "moved_one": 2},
            [
                "Ada and Bo ended with different answers",
                "Ada changed the answer of Bo 1 time",
                "Bo changed the answer of Ada 2 times",
            ],
        ),
        ("bout", {"one": "a:x", "other": "b:y", "score": 0.5}, ["a:x drew with b:y"]),
        ("bout", {"one": "a:x", "other": "b:y", "score": 0.0}, ["a:x lost to b:y"]),
    ],
)
def test_an_item_is_told_in_sentences(kind: str, body: dict[str, object], lines: list[str]) -> None:
    assert list(memory_lines(kind, body)) == lines
    assert kind in HEADINGS
