"""The adversarial development set, read in place: nothing harmful is booked, nearly everything is exactly right."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import TypeAlias, cast

import pytest

from moot.answers.layout import Reading, read
from moot.core.ask import ABSTAIN
from tests.answers.answer_forms import ballot, marks, scaffold, settlement
from tests.kits.clock import within
from tests.paths import SHARED

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
Case: TypeAlias = dict[str, Json]

CASES = SHARED / "data" / "adversarial" / "dev.jsonl"
KINDS = ("vote_text", "verdict_scaffold", "moderator_text", "score_json")
RIGHT = 0.9
"""The least share of cases of each kind that must be read exactly as the set says."""

pytestmark = pytest.mark.skipif(not CASES.is_file(), reason=f"the adversarial set is not there: {CASES}")


def cases(kind: str) -> Iterator[Case]:
    """The cases of one kind."""
    for line in CASES.read_text(encoding="utf-8").splitlines():
        case = cast("Case", json.loads(line))
        if case["kind"] == kind:
            yield case


def text_of(case: Case) -> str:
    """The case's text, its placeholder expanded."""
    context = cast("Case", case.get("context") or {})
    expand = cast("Mapping[str, str | int] | None", context.get("expand"))
    text = str(case["text"])
    return text.replace(str(expand["placeholder"]), str(expand["unit"]) * int(expand["times"])) if expand else text


def words(text: object) -> object:
    """A decision as the set compares it: without markup, blanks joined, without a final stop."""
    return None if text is None else " ".join(re.sub(r"[*_`#>]", "", str(text)).split()).rstrip(".")


def vote_text(case: Case, context: Case) -> Case:
    """What is booked from a ballot."""
    names = tuple(cast("list[str]", case["candidates"]))
    vote = read(ballot(names), text_of(case), speaker=str(context.get("voter", ""))).fields.get("I vote for")
    return {"abstain": True} if vote == ABSTAIN else {"vote": cast("str | None", vote)}


def verdict_scaffold(case: Case, context: Case) -> Case:
    """What is booked from a board message."""
    form = scaffold(tuple(cast("list[str]", context["verdicts"])))
    fields = read(form, text_of(case), speaker=str(context["speaker"])).fields
    return {"verdict": cast("str | None", fields.get("Verdict")), "withdrawn": bool(fields.get("Withdrawn", False))}


def moderator_text(case: Case, context: Case) -> Case:
    """What is booked from a ruling."""
    fields = read(settlement(), text_of(case)).fields
    return {
        "status": cast("str | None", fields.get("STATUS")),
        "decision": cast("str | None", words(fields.get("DECISION"))),
    }


def score_json(case: Case, context: Case) -> Case:
    """What is booked from scores, or the error code."""
    low, high = float(cast("float", context["min"])), float(cast("float", context["max"]))
    reading: Reading = read(marks(tuple(cast("list[str]", case["candidates"])), low, high), text_of(case))
    if reading.unread:
        assert reading.fields == {}
        return {"error": reading.unread[0].rpartition(": ")[2]}
    return {"scores": cast("Json", dict(reading.fields))}


READERS = {
    "vote_text": vote_text,
    "verdict_scaffold": verdict_scaffold,
    "moderator_text": moderator_text,
    "score_json": score_json,
}
NOTHING: Mapping[str, tuple[Json, ...]] = {
    "vote": (None,),
    "verdict": (None,),
    "withdrawn": (False,),
    "status": (None,),
    "decision": (None,),
}


def allowed(case: Case) -> list[Case]:
    """The readings that can be defended."""
    expected = cast("Case", case["expected"])
    readings = cast("list[Case]", expected.get("any_of") or [expected])
    kept = [{name: value for name, value in each.items() if name != "reason"} for each in readings]
    return [
        {**each, "decision": cast("Json", words(each["decision"]))} if "decision" in each else each for each in kept
    ]


def harmful(booked: Case, readings: list[Case]) -> bool:
    """Whether anything was booked that no defensible reading books."""
    for name, value in booked.items():
        silent = name == "error" or value in NOTHING.get(name, ())
        if not silent and not any(each.get(name) == value for each in readings):
            return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_harmful_is_booked_and_nearly_everything_is_right(kind: str):
    wrong: list[str] = []
    for case in cases(kind):
        with within(1):
            booked = READERS[kind](case, cast("Case", case.get("context") or {}))
        assert not harmful(booked, allowed(case)), (case["id"], booked)
        if booked not in allowed(case):
            wrong.append(str(case["id"]))
    number = len(list(cases(kind)))
    assert number >= 10
    assert len(wrong) <= number * (1 - RIGHT), wrong
