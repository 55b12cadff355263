"""Texts that fool readers: nothing harmful is booked, nearly everything is exactly right, all within a second."""

from collections import Counter
from pathlib import Path

import pytest
from pydantic import JsonValue

from benchmarks.texts.text_cases import Case, check, read_cases
from tests.kits.clock import within

DATA = Path(__file__).parent / "data"
FILES = sorted(DATA.glob("*.jsonl"))
RIGHT = {
    "dev": 0.98,
    "dev2": 0.98,
    "holdout1": 0.979,
    "holdout10": 0.9,
    "holdout11": 0.98,
    "holdout12": 0.95,
    "holdout13": 0.98,
    "holdout14": 0.96,
    "holdout15": 0.98,
    "holdout16": 0.98,
    "holdout17": 0.99,
    "holdout18": 0.98,
    "holdout19": 0.98,
    "holdout2": 0.98,
    "holdout20": 0.98,
    "holdout21": 0.98,
    "holdout22": 0.97,
    "holdout23": 0.98,
    "holdout24": 0.93,
    "holdout25": 0.96,
    "holdout26": 0.97,
    "holdout27": 0.97,
    "holdout28": 0.84,
    "holdout29": 0.92,
    "holdout3": 0.98,
    "holdout30": 0.93,
    "holdout31": 0.97,
    "holdout32": 0.91,
    "holdout33": 0.95,
    "holdout34": 0.95,
    "holdout35": 0.94,
    "holdout36": 0.84,
    "holdout4": 0.98,
    "holdout5": 0.98,
    "holdout6": 0.99,
    "holdout7": 0.98,
    "holdout8": 0.97,
    "holdout9": 0.98,
}
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
    assert kinds.total() >= 58
    assert len(wrong) <= kinds.total() * (1 - RIGHT[path.stem]), wrong


@pytest.mark.parametrize(("path", "most"), [("holdout3", 0.03), ("holdout4", 0.05), ("holdout9", 0.04)])
def test_few_everyday_texts_need_a_question(path: str, most: float) -> None:
    cases = [case for case in read_cases(DATA / f"{path}.jsonl") if "-day-" in case.id]
    inexact = [case.id for case in cases if not check(case).exact]
    assert len(cases) > 100
    assert len(inexact) <= most * len(cases), inexact


def test_all_files_are_there() -> None:
    assert [path.stem for path in FILES] == list(RIGHT)


@pytest.mark.parametrize("stop", [".", "。", "।", ""])
def test_a_final_stop_in_any_script_makes_no_difference(stop: str) -> None:
    text = f"SUMMARY: x\nSTATUS: SETTLED\nDECISION: Buy{stop}"
    for other in (".", "。", "।", ""):
        expected: dict[str, JsonValue] = {"status": "SETTLED", "decision": f"Buy{other}"}
        assert check(Case(id="stop", kind="moderator_text", text=text, expected=expected)).exact
