"""Each kind of item in the memory, as a person reads it."""

import pytest

from folkmoot.analysis.memory_lines import HEADINGS, learned_lines

CRITIQUE: dict[str, object] = {"critic": "Bo", "author": "Ada", "issue": "No price.", "suggestion": "", "seq": 3}
OUTCOME: dict[str, object] = {
    "topic": "Tea?",
    "protocol": "round_robin",
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
        ("outcome", OUTCOME, ["Tea?", "no decision (it was right)", "protocol: round robin"]),
        (
            "outcome",
            OUTCOME
            | {"status": "decided", "text": "Tea", "how": "Tea has 2 of 3", "domain": "drinks", "trust": "refuted"}
            | {"dissent": ["Bo: too weak", "Cy for Milk"], "minority": ["Coffee", "Milk"]},
            [
                "Tea?",
                "decided: Tea (it was wrong)",
                "Tea has 2 of 3",
                "protocol: round robin, domain: drinks",
                "against it: Bo: too weak",
                "against it: Cy for Milk",
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
        ("performance", PERFORMANCE, ["Ada: 2 answers"]),
        (
            "performance",
            PERFORMANCE | {"role": "CFO", "missing": 1, "changed": 2, "won": False, "right": True},
            ["Ada (CFO): 2 answers, 1 missing, changed the answer twice, another answer was chosen, right"],
        ),
        ("relation", RELATION, []),
        (
            "relation",
            RELATION | {"agreed": False, "moved_other": 1, "moved_one": 3},
            [
                "Ada and Bo ended with different answers",
                "Ada changed the answer of Bo once",
                "Bo changed the answer of Ada 3 times",
            ],
        ),
        ("bout", {"one": "a:x", "other": "b:y", "score": 0.5}, ["a:x drew with b:y"]),
        ("bout", {"one": "a:x", "other": "b:y", "score": 0.0}, ["a:x lost to b:y"]),
    ],
)
def test_an_item_is_told_in_sentences(kind: str, body: dict[str, object], lines: list[str]) -> None:
    assert dict(learned_lines({kind: [body]})) == ({HEADINGS[kind]: [lines]} if lines else {})


def position(who: str, answer: str, confidence: float | None = None, *, right: bool | None = None) -> dict[str, object]:
    return {"who": who, "answer": answer, "confidence": confidence, "last": right is not None, "right": right}


def test_the_answers_of_a_participant_are_told_once_however_often_they_were_given() -> None:
    answers = [position("Ada", "Tea"), position("Bo", "Milk"), position("Ada", "Tea"), position("Ada", "Milk", 0.625)]
    answers += [position("Ada", "Tea", 0.7, right=False), position("Bo", "Milk")]
    assert dict(learned_lines({"position": answers})) == {
        "Answers": [["Ada: Tea, then Milk, then Tea; confidence 70%; wrong"], ["Bo: Milk"]]
    }


def test_where_the_answers_stand_only_relations_with_a_change_are_told() -> None:
    learned = [RELATION | {"agreed": True}, RELATION | {"agreed": False, "moved_one": 1}]
    parts = dict(learned_lines({"position": [position("Ada", "Tea")], "relation": learned}))
    assert parts["Relations"] == [["Ada and Bo ended with different answers", "Bo changed the answer of Ada once"]]
    assert len(dict(learned_lines({"relation": learned}))["Relations"]) == 2
