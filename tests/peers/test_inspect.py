"""Inspect itself (https://inspect.aisi.org.uk), offline: our solver in its tasks, its reader on our logs, and back."""

import asyncio
import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from folkmoot.app.questions.question_files import read_data_set
from folkmoot.app.results.inspect_logs import logs_of
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Called
from folkmoot.core.transcript import fold
from tests.app.evaluation.test_inspect_logs import SET, saved
from tests.cli.commands import settle
from tests.paths import ROOT
from tests.peers.servers import install

pytestmark = [pytest.mark.peers, pytest.mark.timeout(1200)]

TASK = """
from pathlib import Path
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, choice, scorer

ANSWERS = {"France": "Paris", "Italy": "Rome", "Peru": "I will not say.", "Spain": None}

def answer(messages, *more):
    text = str(messages)
    with Path("calls.txt").open("a") as calls:
        print(text, file=calls)
    place = next(name for name in ANSWERS if f"capital of {name}?" in text)
    if ANSWERS[place] is None:
        raise RuntimeError("no model")
    output = ModelOutput.from_content("mockllm/model", f"ANSWER: {ANSWERS[place]}\\nARGUMENT: It is known.")
    output.usage = ModelUsage(input_tokens=10, output_tokens=5, total_tokens=15)
    return output

@task
def capitals():
    samples = [
        Sample(input=f"The capital of {name}?", choices=["Rome", "Paris"], target="B", id=name * 40) for name in ANSWERS
    ]
    return Task(
        dataset=samples, scorer=choice(), model=get_model("mockllm/model", custom_outputs=answer)
    )

@scorer(metrics=[accuracy()])
def breaking():
    async def score(state, target):
        if Path("broken").exists():
            raise RuntimeError("the scorer is broken")
        return Score(value=1)
    return score

@task
def two():
    samples = [Sample(input="The capital of France?", choices=["Rome", "Paris"], target="B", id=id) for id in "ab"]
    return Task(dataset=samples, scorer=breaking(), model=get_model("mockllm/model", custom_outputs=answer))
"""
READ = """
import json, sys
from inspect_ai.log import read_eval_log
log = read_eval_log(sys.argv[1])
print(json.dumps({
    "status": log.status,
    "tokens": {role: used.output_tokens for role, used in (log.stats.role_usage or {}).items()},
    "samples": {item.id: [item.output.completion, item.store.get("folkmoot"), item.scores["choice"].value]
        for item in log.samples},
}))
"""
COUNT = """
import json, sys
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.scorer._metric import SampleScore
log = read_eval_log(sys.argv[1])
scores = [SampleScore(score=s.scores["folkmoot"], sample_id=s.id, sample_metadata=s.metadata) for s in log.samples]
write_eval_log(log, sys.argv[2])
print(json.dumps([accuracy()(scores), stderr(cluster="group")(scores)]))
"""


@pytest.fixture(scope="module")
def inspect() -> Path:
    return install("inspect")


def run(command: list[str], folder: Path) -> str:
    """The output of a program that finds Folkmoot and its entry points where they are developed."""
    about = folder / "folkmoot-0.dist-info"
    about.mkdir(exist_ok=True)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    points = "\n".join(f"{name} = {value}" for name, value in project["entry-points"]["inspect_ai"].items())
    (about / "entry_points.txt").write_text(f"[inspect_ai]\n{points}\n", "utf-8")
    editable = {"url": ROOT.as_uri(), "dir_info": {"editable": True}}
    (about / "direct_url.json").write_text(json.dumps(editable), "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: folkmoot\nVersion: 0\n", "utf-8")
    env = {**settle(folder), "PYTHONPATH": f"{ROOT / 'src'}:{folder}"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_inspect_eval_answers_a_task_by_debates(inspect: Path, tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(TASK, "utf-8")
    settings = ("-S", "protocol=panel", "-S", "seats=3", "-S", "store=r.sqlite")
    run(
        [
            str(inspect / "inspect"),
            "eval",
            "task.py@capitals",
            "--solver",
            "folkmoot/debate",
            *settings,
            "--display",
            "none",
        ],
        tmp_path,
    )
    [path] = (tmp_path / "logs").glob("*.eval")
    log = json.loads(run([str(inspect / "python"), "-c", READ, str(path)], tmp_path))
    assert log["status"] == "success"
    states = {name[:5]: (answer, data["state"], value) for name, (answer, data, value) in log["samples"].items()}
    assert states["Franc"] == ("ANSWER: B", "answered", "C")
    assert states["Italy"] == ("ANSWER: A", "answered", "I")
    assert states["PeruP"][:2] == ("", "unread")
    assert states["Spain"][:2] == ("", "failed")
    assert log["tokens"]["seat1"] == log["tokens"]["seat2"] == log["tokens"]["seat3"] > 0
    data = read_data_set(path)
    assert {question.id[:5] for question in data.questions} == set(states)
    assert {key.truth for key in data.keys} == {"Paris"}


def recorded(store: Path) -> list[tuple[int, int]]:
    """Of each debate on record, how many calls it has and how many tokens they gave."""

    async def read() -> list[tuple[int, int]]:
        workspace = Workspace.at(store)
        debates = [await workspace.entries(listed.debate) for listed in await workspace.list()]
        await workspace.close()
        return [
            (sum(isinstance(entry.event, Called) for entry in entries), fold(entries).usage.output_tokens)
            for entries in debates
        ]

    return asyncio.run(read())


def test_a_retry_of_inspect_asks_nothing_that_is_on_record(inspect: Path, tmp_path: Path) -> None:
    (tmp_path / "task.py").write_text(TASK, "utf-8")
    (tmp_path / "broken").touch()
    program, solver = str(inspect / "inspect"), ("--solver", "folkmoot/debate", "-S", "store=r.sqlite")
    run([program, "eval", "task.py@two", *solver, "--epochs", "2", "--display", "none"], tmp_path)
    calls = (tmp_path / "calls.txt").read_text("utf-8").splitlines()
    once = recorded(tmp_path / "r.sqlite")
    assert len(once) == 4  # two samples of the same words, in two epochs each, are four debates
    assert sum(number for number, _ in once) == len(calls) > 0
    assert sum(tokens for _, tokens in once) == 5 * len(calls)
    (tmp_path / "broken").unlink()
    [path] = (tmp_path / "logs").glob("*.eval")
    run([program, "eval-retry", str(path), "--display", "none"], tmp_path)
    assert (tmp_path / "calls.txt").read_text("utf-8").splitlines() == calls
    assert recorded(tmp_path / "r.sqlite") == once
    [again] = set((tmp_path / "logs").glob("*.eval")) - {path}
    read = READ.replace("choice", "breaking")
    assert json.loads(run([str(inspect / "python"), "-c", read, str(again)], tmp_path))["status"] == "success"
    run([program, "eval", "task.py@two", *solver, "--display", "none"], tmp_path)  # another run is paid for
    assert len(recorded(tmp_path / "r.sqlite")) == 6


def test_inspect_opens_our_logs_and_counts_the_same(inspect: Path, tmp_path: Path) -> None:
    result = saved(tmp_path)
    text = logs_of(result, tmp_path, {})["01-debate.json"]
    (tmp_path / "log.json").write_text(text, "utf-8")
    own = {name: item["value"] for name, item in json.loads(text)["results"]["scores"][0]["metrics"].items()}
    counted = json.loads(run([str(inspect / "python"), "-c", COUNT, "log.json", "again.eval"], tmp_path))
    assert counted == pytest.approx([own["accuracy"], own["stderr"]], abs=1e-9)
    again = read_data_set(tmp_path / "again.eval")
    assert sorted(again.keys, key=lambda key: key.id) == sorted(SET.keys, key=lambda key: key.id)
