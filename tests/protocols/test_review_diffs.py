"""The benchmark of sixty changes in small: the changes are what they say, and every state is the one by hand."""

import ast
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from folkmoot.app.run.workspace import Workspace
from folkmoot.models.base import Request
from folkmoot.reviews.diff_reader import files_of, read_diff
from folkmoot.testing.scripted import ScriptedModel
from tests.paths import ROOT


def load() -> ModuleType:
    spec = spec_from_file_location("review_diffs_bench", ROOT / "benchmarks" / "review_diffs.py")
    assert spec
    assert spec.loader
    module = sys.modules["review_diffs_bench"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


BENCH = load()
PLANTED, CLEAN = BENCH.read_cases()


def test_there_are_forty_faults_of_ten_kinds_in_three_languages_and_twenty_changes_without_one() -> None:
    assert Counter(case.kind for case in PLANTED) == dict.fromkeys({case.kind for case in PLANTED}, 4)
    assert len({case.kind for case in PLANTED}) == 10
    assert Counter(case.path.rpartition(".")[2] for case in PLANTED) == {"py": 20, "ts": 10, "go": 10}
    assert len(CLEAN) == 20
    assert not any(case.kind for case in CLEAN)
    faulty = {case.path: case for case in PLANTED}
    for case in (*PLANTED, *CLEAN):
        (file,) = files_of(read_diff(case.diff))
        assert {*range(case.lines[0], case.lines[1] + 1)} <= file.touched()
        assert file.path == case.path
        if case.path.endswith(".py"):
            ast.parse(case.new)
    for case in CLEAN:
        assert case.new != faulty[case.path].new


async def test_the_states_are_those_by_hand_to_the_last_one() -> None:
    totals = await BENCH.measure_scripted([*PLANTED[::4], *CLEAN[::4]], 2, seed=3)
    assert totals.wrong == []
    assert totals.invalid == 0
    assert 0 < totals.survived < totals.checked
    one, every, checked, copies = totals.arms.values()
    assert every.found >= max(one.found, checked.found)
    assert checked.alarms <= every.alarms
    assert copies.planted == every.planted == 20
    assert len(totals.rows()) == 1 + 4 + 2


async def test_a_state_that_is_not_the_one_by_hand_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_survive(quoted: bool, checked: object) -> tuple[str, bool]:
        return "survived", False

    monkeypatch.setattr(BENCH, "by_hand", all_survive)
    totals = await BENCH.measure_scripted(CLEAN[:5], 2, seed=3)
    assert totals.wrong
    assert "and not ('survived', False, " in totals.wrong[0]


async def test_models_are_asked_about_the_same_changes_and_each_review_is_on_record(tmp_path: Path) -> None:
    case = PLANTED[0]

    def say(request: Request) -> str:
        words = request.messages[-1].text
        cited = {"QUOTE": case.words(case.lines[0])}
        if "CHECK" in words:
            return BENCH.block("CHECK", CITE=f"{case.path}:{case.lines[0]}", **cited, REASON="So.", VERDICT="AGREE")
        place = {"FILE": case.path, "LINES": str(case.lines[0]), "SEVERITY": "high", "CATEGORY": case.category}
        return BENCH.block("FINDING", **place, CLAIM=case.claim, **cited)

    workspace = Workspace.at(tmp_path / "reviews.sqlite")
    for name in ("one", "two"):
        workspace.pool.add_agent(name, ScriptedModel(say, name=f"guest:{name}"))
    totals = await BENCH.measure_models([case], ("guest:one", "guest:two"), None, workspace)
    await workspace.close()
    assert (totals.survived, totals.invalid) == (1, 0)
    assert totals.tokens > 0
    assert totals.questions == 3
    assert totals.arms["all reviewers and checkers"].found == 1
