"""The probe of the order of options: who answers otherwise, and better, where options stand as in the data."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.arms import default_arms, read_arms
from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.app.evaluation.scores import EvalResult
from folkmoot.app.questions.data_sets import DataSet
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_tables import screen
from folkmoot.app.results.scoring import measure
from folkmoot.core.errors import BriefError
from tests.app.evaluation.eval_kit import OPTIONS, questions, run_of, setup_of, workspace_of
from tests.cli.commands import folkmoot

NAMES = ("a", "b", "c")
MODELS = tuple(f"guest:{name}" for name in NAMES)
QUOTED = ", ".join(f'"{option}"' for option in OPTIONS)
AS_PUBLISHED = f"ANSWER: [one of {QUOTED}"


def say(prompt: str, name: str) -> str:
    """One has learned the data by heart, one goes by the place, and one knows the answer."""
    shown = re.findall(r'"(\w+)"', prompt.rpartition("ANSWER: [one of ")[2].partition("\n")[0])
    choice = {"a": "alpha" if AS_PUBLISHED in prompt else "beta", "b": shown[-1], "c": "alpha"}[name]
    return f"ANSWER: {choice}\nARGUMENT: so it is"


async def probed(folder: Path, *, probe: bool = True) -> tuple[EvalResult, dict[str, list[str]]]:
    """The result, and what each model was sent."""
    workspace, models = workspace_of(*NAMES)
    for name, model in models.items():
        model.say = lambda prompt, name=name: say(prompt, name)
    setup = replace(setup_of(folder, *NAMES, arms=default_arms(MODELS, 3)), order_probe=probe)
    run = await run_of(workspace, setup, questions(24), folder)
    await run.run()
    assert run.paused == ""
    await run.result()
    assert run.prepared.total.calls > (2 + probe) * 24 * 3
    return read_result(folder), {name: model.log for name, model in models.items()}


async def test_a_model_that_knows_the_order_of_the_data_is_named(tmp_path: Path) -> None:
    result, _ = await probed(tmp_path)
    board = measure(result)
    lines = {line.arm: line for line in board.orders}
    rows = {(row.arm, row.question): row.credit or 0.0 for row in result.scores}
    alone = sum(rows["single:guest:a", f"q{n}"] for n in range(24)) / 24
    assert lines["single:guest:a"].difference == pytest.approx(1.0 - alone)
    assert lines["single:guest:a"].interval.low > 0
    assert 0 < lines["single:guest:b"].changed < 24, "who goes by the place answers otherwise in another order"
    assert (lines["single:guest:c"].changed, lines["single:guest:c"].difference) == (0, 0.0)
    notes = " ".join(board.notes)
    assert "it does better in the order of the data, so it may have seen these questions" in notes
    assert "single:guest:c: with its options in another order, 0 of 24 answers changed; no sign that it" in notes
    shown = "\n".join(screen(board))
    assert "Options in the order of the data, minus the same in a random order" in shown
    assert "single:guest:a" in page(board).partition("Options in the order of the data")[2]
    assert not {pair.rival for pair in board.pairs} & {arm.name for arm in result.plan.arms if arm.probes}


async def test_the_probe_changes_no_other_arm(tmp_path: Path) -> None:
    result, sent = await probed(tmp_path / "with")
    plain, before = await probed(tmp_path / "without", probe=False)
    own = [arm.name for arm in plain.plan.arms]
    assert [row for row in result.scores if row.arm in own] == [
        replace(row, record=other.record)
        for row, other in zip(plain.scores, [row for row in result.scores if row.arm in own], strict=True)
    ]
    for name, requests in before.items():
        assert not set(requests) - set(sent[name])
        assert len(requests) < len(sent[name]) <= len(requests) + 24, "once for each question in another order"
    assert plain.plan.hash != result.plan.hash


async def test_what_cannot_be_probed_is_refused(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    setup = replace(setup_of(tmp_path, *NAMES, arms=read_arms([{"kind": "panel"}], MODELS)), order_probe=True)
    with pytest.raises(BriefError, match="probed with models alone; add an arm single"):
        await run_of(workspace, setup, questions(4), tmp_path)
    data = questions(4)
    texts = DataSet(
        questions=tuple(replace(question, kind="text", options=()) for question in data.questions), keys=data.keys
    )
    setup = replace(setup_of(tmp_path, *NAMES), order_probe=True)
    with pytest.raises(BriefError, match="no question is of the kind option"):
        await run_of(workspace, setup, texts, tmp_path)


def test_the_command_takes_it(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("id,input,options,truth\n1,Which?,a|b|c,a\n2,And now?,a|b|c,b\n", "utf-8")
    plan = folkmoot(tmp_path, "eval", "plan", "q.csv", "-m", "builtin:quotes", "--order-probe")
    assert plan.exit_code == 0, plan.output
    assert "single:builtin:quotes in data order" in plan.output
    assert "one answer of builtin:quotes, options in the order of the data" in plan.output
