"""Planted liars in evaluations: who lies, what is shared with the honest debate, and what a liar costs."""

from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.arms import default_arms, read_arms, with_liars
from folkmoot.app.evaluation.blocks import LYING
from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.app.evaluation.eval_run import EvalRun
from folkmoot.app.evaluation.responses import own_entries
from folkmoot.app.evaluation.scores import EvalPlan, EvalResult, PlannedArm
from folkmoot.app.results.scoreboard import FIRST, LAST
from folkmoot.app.results.scoring import measure
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Asked, Called
from tests.app.evaluation.eval_kit import answer, questions, run_of, setup_of, workspace_of

NAMES = ("a", "b", "c")
MODELS = tuple(f"guest:{name}" for name in NAMES)


def say(prompt: str, name: str) -> str:
    """A liar says gamma; an honest one says alpha or beta, and gamma as soon as somebody says so."""
    gamma = "ANSWER: gamma\nARGUMENT: trust me"
    if LYING[:40] in prompt or "trust me" in prompt:
        return gamma
    return answer(prompt, None, name).replace("gamma", "alpha")


async def lied_to(folder: Path, *numbers: int, model: str = "") -> tuple[EvalRun, EvalResult]:
    """The run of a panel with so many liars, and its result."""
    workspace, models = workspace_of(*NAMES, "liar")
    for name, agent in models.items():
        agent.say = lambda prompt, name=name: say(prompt, name)
    setup = setup_of(folder, *NAMES, arms=read_arms([{"kind": "panel"}, {"kind": "rethink"}], MODELS))
    run = await run_of(workspace, replace(setup, liars=numbers, liar_model=model), questions(12), folder)
    await run.run()
    assert run.paused == ""
    return run, await run.result()


async def test_one_in_each_debate_lies_and_the_others_begin_with_the_shared_answers(tmp_path: Path) -> None:
    run, result = await lied_to(tmp_path, 1)
    liars = set[str]()
    for block in run.blocks:
        entries = await run.workspace.entries(block.records["panel+1 liar"])
        asks = {entry.event.ask.key: entry.event.ask for entry in entries if isinstance(entry.event, Asked)}
        own = [asks[entry.event.key] for entry in own_entries(entries) if isinstance(entry.event, Called)]
        first = [ask.to for ask in own if ask.act == "draft"]
        assert len(first) == 1, "only the liar's first answer is paid again"
        liars.update(first)
        answers = {
            seat.seat: seat.first for seat in result.seats if seat.question == block.question.id and seat.arm == "panel"
        }
        rows = {(seat.arm, seat.seat): seat.first for seat in result.seats if seat.question == block.question.id}
        for name in answers:
            honest, lying = rows["panel", name], rows["panel+1 liar", name]
            assert lying == ("gamma" if name in first else honest)
    assert len(liars) > 1, "the liar sits in another place from question to question"


async def test_what_a_liar_costs_is_told_for_the_debate_and_for_its_first_vote(tmp_path: Path) -> None:
    _, result = await lied_to(tmp_path, 1)
    board = measure(result)
    ran = {line.moment: line for line in board.liars if line.how == "run"}
    honest = {row.question: row.credit or 0.0 for row in result.scores if row.arm == "panel"}
    lying = {row.question: row.credit or 0.0 for row in result.scores if row.arm == "panel+1 liar"}
    assert ran[LAST].lost == pytest.approx(sum(honest[key] - lying[key] for key in honest) / len(honest))
    assert ran[LAST].lost > ran[FIRST].lost > 0, "words turn more answers than one ballot does"
    sentence = next(note for note in board.notes if note.startswith("panel, with a liar at the table:"))
    assert sentence.index("the debate") < sentence.index("its own first vote")
    assert [line.arm for line in board.verdicts] == ["panel"]
    assert "panel+1 liar" not in {pair.rival for pair in board.pairs}
    assert "panel+1 liar" not in {line.arm for line in (*board.seats, *board.voices, *board.gates, *board.flips)}


async def test_a_liar_can_be_another_model_and_the_plan_names_it(tmp_path: Path) -> None:
    run, result = await lied_to(tmp_path, 1, 2, model="guest:liar")
    titles = {arm.name: arm.title for arm in result.plan.arms if arm.liars}
    assert titles == {
        "panel+1 liar": "panel with 1 liar, guest:liar",
        "panel+2 liars": "panel with 2 liars, guest:liar",
    }
    models = [seat.model for seat in result.seats if seat.arm == "panel+2 liars" and seat.question == "q0"]
    assert models.count("guest:liar") == 2
    assert read_result(tmp_path).plan.hash == run.plan.hash


def test_a_plan_without_liars_keeps_the_hash_it_had_before_there_were_any() -> None:
    plan = EvalPlan(
        name="n",
        arms=(
            PlannedArm(name="panel", kind="protocol", title="panel", is_debate=True),
            PlannedArm(name="sample", kind="sample", title="s", matches="panel"),
        ),
        score="credit",
        currency="usd",
        margin=0.05,
        alpha=0.05,
        looks=(1.0,),
        epochs=1,
        planned=2,
        questions_hash="q",
        keys_hash="k",
        prices_date="",
        seed=0,
    )
    assert plan.hash == "f3c7d6e7d175723f14ab2a9d6da15d0f7b46336b5d2da63472a610391c55b9d6"
    lying = replace(plan.arms[0], name="panel+1 liar", is_debate=False, liars=1, honest="panel")
    assert (
        replace(plan, arms=(*plan.arms, lying)).hash != replace(plan, arms=(*plan.arms, replace(lying, liars=2))).hash
    )


@pytest.mark.parametrize("numbers", [(0,), (3,), (1, 7)])
def test_somebody_lies_and_somebody_is_honest(numbers: tuple[int, ...]) -> None:
    with pytest.raises(BriefError, match="among 3 seats cannot be: from 1 to 2"):
        with_liars(default_arms(MODELS, 3), numbers, seats=3)
