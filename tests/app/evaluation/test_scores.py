"""The files of an evaluation: what is written reads back the same, and what does not fit is one sentence."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import (
    note_folder,
    read_plan,
    read_result,
    save_plan,
    save_result,
    stored_evaluations,
)
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, RunState, Score, SeatScore
from folkmoot.app.evaluation.setup import Arm
from folkmoot.core.errors import RecordError

PLAN = EvalPlan(
    name="check",
    questions="q.csv",
    models=("builtin:quotes",),
    arm=(
        Arm(name="panel", kind="panel", title="debate"),
        Arm(name="sample", kind="sample", title="independent answers", match="panel"),
    ),
    score="credit",
    currency="tokens",
    margin=0.05,
    alpha=0.05,
    looks=(0.5, 1.0),
    epochs=1,
    planned=40,
    questions_hash="12",
    keys_hash="ab",
    prices_date="",
    seed=3,
    versions={"folkmoot": "0"},
)
SCORE = Score(
    question="q,1",
    group='a "group"',
    arm="panel",
    epoch=1,
    answer="two\nlines, é",
    credit=1 / 3,
    loss=None,
    brier=0.1 + 0.2,
    usd=1e-7,
    tokens=12,
    calls=3,
    state="answered",
    debated=True,
    record="check-1",
)
EMPTY = replace(SCORE, answer=None, credit=0.0, brier=None, usd=None, state="failed", debated=False, record="")
SEAT = SeatScore(seat="Ada", model="builtin:quotes", first="18", last=None, first_right=True)
RESULT = EvalResult(
    plan=PLAN,
    scores=(replace(SCORE, seats=(SEAT, replace(SEAT, first=None, last="1", last_right=True))), EMPTY),
    run=RunState(done=2, paid_usd=0.25, paid_tokens=17, paid_estimated=True),
)


def test_what_is_written_reads_back_the_same(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "check"
    save_result(folder, RESULT)
    assert read_result(folder) == RESULT
    assert sorted(path.name for path in folder.iterdir()) == ["plan.json", "run.json", "scores.jsonl"]
    (folder / "run.json").unlink()
    assert read_result(folder) == replace(RESULT, run=RunState())


def test_a_plan_that_was_edited_is_recognised(tmp_path: Path) -> None:
    save_plan(tmp_path, PLAN)
    saved = read_plan(tmp_path)
    assert saved
    assert (saved.plan, saved.edited) == (PLAN, False)
    path = tmp_path / "plan.json"
    path.write_text(path.read_text("utf-8").replace('"margin": 0.05', '"margin": 0.01'), "utf-8")
    saved = read_plan(tmp_path)
    assert saved
    assert (saved.plan, saved.edited) == (replace(PLAN, margin=0.01), True)


def test_the_hash_covers_every_field() -> None:
    changed = [
        replace(PLAN, seed=4),
        replace(PLAN, arm=PLAN.arm[:1]),
        replace(PLAN, looks=(1.0,)),
        replace(PLAN, versions={"folkmoot": "1"}),
    ]
    assert len({PLAN.hash, *(plan.hash for plan in changed)}) == 5
    assert replace(PLAN).hash == PLAN.hash
    assert len(PLAN.hash) == 64


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("plan.json", "}", "", "JSON is malformed"),
        ("plan.json", '"seed": 3', '"seed": "x"', "$.plan.seed"),
        ("plan.json", '"margin": 0.05', '"margin": 0', "$.plan.margin"),
        ("plan.json", '"alpha": 0.05', '"alpha": 2', "$.plan.alpha"),
        ("plan.json", '"epochs": 1', '"epochs": 0', "$.plan.epochs"),
        ("scores.jsonl", '"credit":0.0', '"credit":5', "line 2: "),
        ("scores.jsonl", '"usd":null', '"usd":-1', "line 2: "),
        ("scores.jsonl", '"tokens":12', '"tokens":-1', "line 1: "),
        ("scores.jsonl", "failed", "lost", "line 2: "),
        ("run.json", "{", "[", "run.json cannot be read"),
    ],
)
def test_what_does_not_fit_is_one_sentence(tmp_path: Path, name: str, old: str, new: str, words: str) -> None:
    save_result(tmp_path, RESULT)
    path = tmp_path / name
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")
    with pytest.raises(RecordError) as raised:
        read_result(tmp_path)
    assert words in str(raised.value)
    assert name in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"has no evaluation, for it has no plan\.json"):
        read_result(tmp_path)


def test_evaluations_of_a_store_are_listed_wherever_they_are(tmp_path: Path) -> None:
    place, there = str(tmp_path / "folkmoot.sqlite"), tmp_path / "elsewhere/billing-eval"
    save_result(there, RESULT)
    note_folder(place, there)
    note_folder(place, there)
    note_folder("postgresql://nowhere/folkmoot", there)
    save_plan(tmp_path / "here/begun-eval", RESULT.plan)
    (tmp_path / "here/broken-eval").mkdir()
    (tmp_path / "here/broken-eval/plan.json").write_text("{")
    scored, *others = stored_evaluations(place, tmp_path / "here")
    assert (scored.name, scored.folder, scored.problem) == (RESULT.plan.name, str(there), "")
    assert scored.done == RESULT.run.done
    assert scored.at > 0
    begun, broken = others
    assert (begun.done, begun.at, begun.planned) == (0, 0.0, RESULT.plan.planned * RESULT.plan.epochs)
    assert "cannot be read" in broken.problem
    assert len({item.id for item in (scored, begun, broken)}) == 3
    assert [item.folder for item in stored_evaluations("", tmp_path / "elsewhere")] == [str(there)]
    Path(f"{place}.evaluations").write_bytes(b"\xff")
    assert stored_evaluations(place, tmp_path) == ()
