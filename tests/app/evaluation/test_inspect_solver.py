"""The solver for Inspect, in Inspect itself where it is installed, and what is said where it is not."""

import json
import os
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.commands import settle

HERE = find_spec("inspect_ai") is not None

TASK = """
import json, sys
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import choice
from folkmoot.inspect import debate

def answer(*request):
    output = ModelOutput.from_content("mockllm/model", "ANSWER: Paris\\nARGUMENT: It is known.")
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output

samples = [
    Sample(input=f"The capital of France? {n}", choices=["Rome", "Paris"], target="B", id=f"s{n}") for n in range(4)
]
task = Task(dataset=samples, solver=debate(store="r.sqlite"), scorer=choice())
(log,) = eval(task, model=get_model("mockllm/model", custom_outputs=answer), log_dir="logs", display="none")
print(json.dumps({
    "status": log.status,
    "accuracy": log.results.scores[0].metrics["accuracy"].value,
    "tokens": {role: used.output_tokens for role, used in log.stats.role_usage.items()},
    "samples": [[sample.output.completion, sample.store["folkmoot"]] for sample in log.samples],
}))
"""


@pytest.mark.skipif(HERE, reason="inspect-ai is installed")
def test_without_inspect_the_missing_package_is_named() -> None:
    with pytest.raises(ImportError, match=r'folkmoot.inspect .*pip install "inspect-ai'):
        import_module("folkmoot.inspect")


@pytest.mark.skipif(not HERE, reason="inspect-ai is large and no requirement; to run this: pip install inspect-ai")
def test_a_task_is_answered_by_debates_and_its_log_names_their_records(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", TASK],
        cwd=tmp_path,
        env={**os.environ, **settle(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    log = json.loads(done.stdout.splitlines()[-1])
    assert (log["status"], log["accuracy"]) == ("success", 1.0)
    assert log["tokens"] == {"seat1": 20, "seat2": 20, "seat3": 20}
    assert len(log["samples"]) == 4
    for completion, data in log["samples"]:
        assert (data["state"], data["answer"], completion) == ("answered", "Paris", "ANSWER: B")
        assert data["show"].startswith(f"folkmoot show {data['debate']} --store ")
