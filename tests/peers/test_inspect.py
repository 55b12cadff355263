"""Inspect itself (https://inspect.aisi.org.uk), offline: our solver in its tasks, its reader on our logs, and back."""

import asyncio
import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from folkmoot.app.run.workspace import Workspace
from folkmoot.core.event import Called
from folkmoot.core.transcript import fold
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
OURS = """
import asyncio, json, sys
from pathlib import Path
from folkmoot.app.evaluation.inspect_bridge import read_records, read_task, write_logs
from folkmoot.app.plan.settings import Config
from folkmoot.testing.scripted import ScriptedModel
from tests.app.evaluation.eval_kit import setup_of, arms_of
from folkmoot.app.evaluation.plan import prepare_evaluation
from folkmoot.app.evaluation.run import EvalRun
from folkmoot.app.run.workspace import Workspace
from folkmoot.testing.store_checks import InMemoryStore
import task as theirs

async def main():
    workspace, folder = Workspace(InMemoryStore(), config=Config()), Path("ours")
    def say(request):
        return theirs.answer([message.text for message in request.messages]).completion
    for name in ("seat1", "seat2", "seat3"):
        workspace.pool.add_agent(name, ScriptedModel(say, name=f"guest:{name}"))
    data, mark = read_task(sys.argv[1])
    arms = arms_of({"kind": "panel"}, {"kind": "single"}, models=("guest:seat1",))
    setup = setup_of(folder, "seat1", "seat2", "seat3", arms=arms)
    prepared = await prepare_evaluation(workspace, setup, data)
    run = EvalRun(workspace=workspace, prepared=prepared, folder=folder, mark=mark)
    await run.begin()
    await run.run()
    result = await run.result()
    paths = write_logs(result, folder, await read_records(workspace, result), folder / "logs")
    print(json.dumps([{row.question: row.credit for row in result.scores if row.arm == "panel"}, list(map(str, paths))]))

asyncio.run(main())
"""
COUNT = """
import json, sys
from inspect_ai.log import read_eval_log
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.scorer._metric import SampleScore
log = read_eval_log(sys.argv[1])
scores = [SampleScore(score=s.scores["folkmoot"], sample_id=s.id, sample_metadata=s.metadata) for s in log.samples]
print(json.dumps({
    "counted": [accuracy()(scores), stderr(cluster="group")(scores)],
    "ours": [log.results.scores[0].metrics[name].value for name in ("accuracy", "stderr")],
    "messages": {s.id: [message.text for message in s.messages] for s in log.samples},
    "credits": {s.id: s.scores["folkmoot"].value for s in log.samples},
    "scored": {s.id: s.scores["answer"].value for s in log.samples if "answer" in s.scores},
}))
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
    env = {**settle(folder), "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}:{folder}"}
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


def test_a_task_scores_the_same_through_us_and_its_log_opens_in_inspect(inspect: Path, tmp_path: Path) -> None:
    """The scorer of the task grades our debates as it grades those of our solver; our log has turns as messages."""
    text = TASK.replace(', "Spain": None', "").replace("id=name * 40", "id=name, metadata={'group': name[0]}")
    (tmp_path / "task.py").write_text(text, "utf-8")
    program, solver = str(inspect / "inspect"), ("--solver", "folkmoot/debate", "-S", "store=r.sqlite")
    run([program, "eval", "task.py@capitals", *solver, "--display", "none"], tmp_path)
    [path] = (tmp_path / "logs").glob("*.eval")
    log = json.loads(run([str(inspect / "python"), "-c", READ, str(path)], tmp_path))
    theirs = {name: {"C": 1.0}.get(value, 0.0) for name, (_, _, value) in log["samples"].items()}
    ours, [panel, *_] = json.loads(run([str(inspect / "python"), "-c", OURS, "task.py@capitals"], tmp_path))
    assert ours == theirs
    read = json.loads(run([str(inspect / "python"), "-c", COUNT, panel], tmp_path))
    assert read["counted"] == pytest.approx(read["ours"], abs=1e-9)
    assert read["messages"]["France"][0] == "The capital of France?"
    assert [line for line in read["messages"]["France"] if line.startswith("Seat 1 (draft): ")]
    scored = ("--scorer", "answer", "-S", "pattern=letter", "--output-file", "again.eval", "--action", "append")
    run([program, "score", panel, *scored, "--display", "none"], tmp_path)
    again = json.loads(run([str(inspect / "python"), "-c", COUNT, "again.eval"], tmp_path))
    assert {name: {"C": 1.0}.get(value, 0.0) for name, value in again["scored"].items()} == ours
