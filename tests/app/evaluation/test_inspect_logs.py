"""An evaluation as logs of Inspect: read back by ``folkmoot eval``, and by Inspect's own reader where it is installed."""

import json
import math
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.evaluation.arms import Arm, with_rivals
from folkmoot.app.evaluation.eval_files import save_result
from folkmoot.app.evaluation.scores import EvalResult, PlannedArm
from folkmoot.app.questions.data_sets import DataSet, Key, Question, to_store
from folkmoot.app.results.inspect_logs import letter, logs_of, read_records
from folkmoot.core.brief import Source
from folkmoot.core.errors import BriefError, RecordError
from tests.app.evaluation.eval_kit import OPTIONS, questions, run_of, setup_of, workspace_of
from tests.app.results.prepared import DEBATE, plan, score

LONG = "-".join(["long"] * 60)
MAP = Source(name="map.md", text="North is up.")
SET = DataSet(
    questions=(
        Question(id=LONG, input="Which?", kind="option", options=("x-ray", "yes"), group="g", documents=(MAP,)),
        Question(id="q2", input="How many?", kind="number", group="g", tags=("count", "few")),
        Question(id="q3", input="Will it rain?", kind="probability"),
        Question(id="q4", input="Who?", kind="text"),
        Question(id="q6", input="How far?", kind="number"),
        Question(id="q5", input="A or B?", kind="option", options=("B", "A")),
    ),
    keys=(
        Key(id=LONG, truth="yes"),
        Key(id="q2", truth="5", tolerance=0.5),
        Key(id="q3", truth="1"),
        Key(id="q4", truth="Ada", accepted=("Ada Lovelace",)),
        Key(id="q6", truth="7", relative=0.02),
        Key(id="q5", truth="A"),
    ),
)
ROWS = (
    replace(score(DEBATE, 0, 1.0), question=LONG, group="g", answer="yes"),
    replace(score(DEBATE, 0, 0.0), question="q2", group="g", answer=None, state="unread"),
    replace(score(DEBATE, 0, 1.0), question="q3", group="q3", answer="0.8", loss=0.22, brier=0.04, usd=None),
    replace(score(DEBATE, 0, 0.5), question="q4", group="q4", answer=None, state="tied"),
    replace(score(DEBATE, 0, 0.0), question="q6", group="q6", answer="9"),
    replace(score(DEBATE, 0, None), question="q5", group="q5", record=""),
)


def saved(folder: Path) -> EvalResult:
    arm = PlannedArm(name=DEBATE, kind="protocol", title="three, one round", is_debate=True)
    result = EvalResult(
        plan=plan([arm], 6, prices_date=""),
        scores=ROWS,
        seats=(),
    )
    save_result(folder, result)
    to_store(SET, folder).keep()
    return result


async def test_a_run_has_a_log_for_each_arm_with_what_each_seat_used(tmp_path: Path) -> None:
    workspace, _ = workspace_of("a", "b", "c")
    arms = with_rivals([Arm(name="panel", kind="protocol", protocol="panel")])
    setup = replace(setup_of(tmp_path, "a", "b", "c", arms=arms), epochs=2)
    run = await run_of(workspace, setup, questions(4), tmp_path)
    await run.run()
    result = await run.result()
    logs = logs_of(result, tmp_path, await read_records(workspace, result))
    assert list(logs) == ["01-panel.json", "02-sample.json", "03-adaptive.json"]
    panel, sample = (json.loads(text) for text in list(logs.values())[:2])
    assert set(panel["stats"]["role_usage"]) == {"Seat 1", "Seat 2", "Seat 3"}
    assert (sample["stats"]["role_usage"], len(panel["samples"])) == ({}, 8)
    used = [usage for item in panel["samples"] for usage in item["role_usage"].values()]
    charged = math.fsum(row.usd or 0.0 for row in result.scores if row.arm == "panel")
    assert math.fsum(usage["total_cost"] for usage in used) == pytest.approx(charged)
    by_question: dict[str, list[float]] = {}
    for row in result.scores:
        if row.arm == "panel":
            by_question.setdefault(row.question, []).append(row.credit or 0.0)
    assert {item["sample_id"]: item["value"] for item in panel["reductions"][0]["samples"]} == {
        question: sum(values) / 2 for question, values in by_question.items()
    }


def test_without_questions_there_is_one_sentence(tmp_path: Path) -> None:
    result = saved(tmp_path)
    (tmp_path / "questions.jsonl").write_text("[]\n", "utf-8")
    with pytest.raises(RecordError, match=r"questions\.jsonl cannot be read"):
        logs_of(result, tmp_path, {})
    (tmp_path / "questions.jsonl").unlink()
    with pytest.raises(BriefError, match=r"logs of Inspect need the questions of the evaluation: .* has no questions"):
        logs_of(result, tmp_path, {})


def test_a_group_of_all_has_no_error_and_many_options_have_no_letter(tmp_path: Path) -> None:
    result = saved(tmp_path)
    alone = replace(result, scores=tuple(replace(row, group="one") for row in result.scores))
    log = json.loads(logs_of(alone, tmp_path, {})["01-debate.json"])
    assert set(log["results"]["scores"][0]["metrics"]) == {"accuracy"}
    assert letter([*OPTIONS, *map(str, range(30))], "29") == "29"


@pytest.mark.skipif(find_spec("inspect_ai") is None, reason="inspect-ai is large and no requirement; pip install it")
def test_inspect_reads_the_log_and_counts_the_same(tmp_path: Path) -> None:
    logs, scorer, metric = (import_module(f"inspect_ai.{name}") for name in ("log", "scorer", "scorer._metric"))
    result = saved(tmp_path)
    (tmp_path / "log.json").write_text(logs_of(result, tmp_path, {})["01-debate.json"], "utf-8")
    log: Any = logs.read_eval_log(str(tmp_path / "log.json"))
    scores = [
        metric.SampleScore(score=item.scores["folkmoot"], sample_id=item.id, sample_metadata=item.metadata)
        for item in log.samples
    ]
    own = log.results.scores[0].metrics
    assert scorer.accuracy()(scores) == pytest.approx(own["accuracy"].value, abs=1e-12)
    assert scorer.stderr(cluster="group")(scores) == pytest.approx(own["stderr"].value, abs=1e-12)
