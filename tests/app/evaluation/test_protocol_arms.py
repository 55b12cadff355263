"""Measured protocols as arms of an evaluation: what each answers, what it costs, and whose answers count."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.output import screen
from folkmoot.app.evaluation.questions import DataSet, Key, Question
from folkmoot.app.evaluation.scoreboard import measure
from folkmoot.app.evaluation.scores import EvalResult, Score
from folkmoot.core.event import Opened, Ruled
from tests.app.evaluation.eval_kit import answer, arms_of, questions, run_of, setup_of, workspace_of

NAMES = ("a", "b", "c")
MODELS = tuple(f"guest:{name}" for name in NAMES)


def say(prompt: str, name: str) -> str:
    """A willing model: it names an error, checks it by a quotation, and votes for the first of several answers."""
    if "Look for errors in it" in prompt:
        return "RESULT: ERRORS\nWHERE 1: so it seems\nKIND 1: REASONING\nERROR 1: it gives no reason"
    if "Check each claim of the critic" in prompt:
        return 'OUTCOME: CHANGE\nANSWER: alpha\nCHECK 1: QUOTATION\nPROOF 1: "so it seems"\nCLAIM 1: VERIFIED'
    if "I vote for" in prompt:
        return "REASON: It is clear.\nI vote for: Proposal A"
    return answer(prompt, None, name)


async def evaluated(folder: Path, *kinds: str, n: int = 8) -> tuple[EvalResult, list[Ruled]]:
    """The result of an evaluation with these debates, and all its decisions."""
    workspace, models = workspace_of(*NAMES)
    for name, model in models.items():
        model.say = lambda prompt, name=name: say(prompt, name)
    tables = ({"kind": kind} for kind in (*kinds, "rethink"))
    arms = arms_of(*tables, {"kind": "sample", "size": 5}, models=MODELS)
    run = await run_of(workspace, setup_of(folder, *NAMES, arms=arms), questions(n), folder)
    await run.run()
    assert run.paused == ""
    result = await run.result()
    records = [await workspace.entries(debate.debate) for debate in await workspace.list()]
    return result, [entry.event for entries in records for entry in entries if isinstance(entry.event, Ruled)]


def rows(result: EvalResult) -> dict[str, list[Score]]:
    by_arm: dict[str, list[Score]] = defaultdict(list)
    for row in result.scores:
        by_arm[row.arm].append(row)
    return by_arm


@pytest.mark.parametrize("kind", ["gate", "critique", "select", "council", "panel"])
async def test_each_protocol_meets_its_rivals_at_equal_cost(tmp_path: Path, kind: str) -> None:
    result, _ = await evaluated(tmp_path, kind)
    by_arm = rows(result)
    cost = sum(row.usd or 0.0 for row in by_arm[kind])
    for rival in ("sample", "adaptive"):
        assert sum(row.usd or 0.0 for row in by_arm[rival]) == pytest.approx(cost, rel=0.02)
    assert {row.state for row in by_arm[kind]} <= {"answered", "tied"}
    board = measure(result)
    assert [line.arm for line in board.verdicts] == [kind]


async def test_a_gate_debates_only_where_first_answers_differ(tmp_path: Path) -> None:
    result, _ = await evaluated(tmp_path, "gate")
    firsts: dict[str, set[str | None]] = defaultdict(set)
    for row in rows(result)["gate"]:
        firsts[row.question] |= {seat.first for seat in row.seats}
    debated = {row.question: row.debated for row in rows(result)["gate"]}
    assert debated == {question: len(answers) > 1 for question, answers in firsts.items()}
    assert set(debated.values()) == {True, False}
    assert {row.calls for row in rows(result)["gate"]} == {3, 6}


async def test_a_critic_is_no_voter(tmp_path: Path) -> None:
    """One answers, one criticises: only the first has an answer, so there is no count to share."""
    result, decisions = await evaluated(tmp_path, "critique")
    assert {seat.seat for row in rows(result)["critique"] for seat in row.seats} == {"Seat 1"}
    assert {row.answer for row in rows(result)["critique"]} == {"alpha"}
    how = {ruled.decision.how for ruled in decisions if ruled.decision.rule == "critique"}
    assert any("1 of 1 claim of the critic verified" in words for words in how)


async def test_those_who_only_argue_have_no_answers_to_count(tmp_path: Path) -> None:
    result, _ = await evaluated(tmp_path, "moderated", n=3)
    assert not any(row.seats for row in rows(result)["moderated"])
    assert "moderated" not in {line.arm for line in measure(result).flips}


async def test_rethink_asks_twice_and_sampling_five_times(tmp_path: Path) -> None:
    result, _ = await evaluated(tmp_path, "panel")
    by_arm = rows(result)
    assert {row.calls for row in by_arm["rethink"]} == {6}
    assert {row.calls for row in by_arm["sample:5"]} == {5}
    assert not any(row.debated for row in by_arm["rethink"])
    assert {arm.name: arm.own_drafts for arm in result.plan.arm}["rethink"] is False


async def test_a_judge_is_a_model_of_the_evaluation(tmp_path: Path) -> None:
    """Who judges has no seat among the debaters if another model is there, and has the settings of the debaters."""
    workspace, models = workspace_of(*NAMES)
    for name, model in models.items():
        model.say = lambda prompt, name=name: say(prompt, name)
    tables = [{"kind": "select", "models": MODELS[:2]}, {"kind": "select", "name": "own", "judge": MODELS[1]}]
    setup = setup_of(tmp_path, *NAMES, arms=arms_of(*tables, models=MODELS))
    setup = replace(setup, temperature=0.5, max_tokens=300)
    run = await run_of(workspace, setup, questions(2), tmp_path)
    titles = {arm.name: arm.title for arm in run.plan.arm}
    assert titles["select"] == "select, guest:a, guest:b, judge guest:c"
    assert titles["own"] == "select, judge guest:b"
    await run.run()
    for listed in await workspace.list():
        opened = (await workspace.entries(listed.debate))[0].event
        assert isinstance(opened, Opened)
        for who in opened.brief.participants:
            assert who.seat in MODELS
            assert (who.settings.temperature, who.settings.max_tokens) == (0.5, 300)


async def test_a_line_is_not_compared_with_what_another_debate_costs(tmp_path: Path) -> None:
    result, _ = await evaluated(tmp_path, "panel", "select", n=4)
    pairs = {(pair.arm, pair.compared.rival) for pair in measure(result).pairs}
    assert ("panel", "sample=panel") in pairs
    assert ("panel", "select") in pairs
    assert ("panel", "sample=select") not in pairs
    assert "p (Holm)" in "\n".join(screen(measure(result)))


async def test_a_forecast_shares_first_answers_and_is_scored_by_its_loss(tmp_path: Path) -> None:
    workspace, models = workspace_of(*NAMES)
    for name, stated in zip(NAMES, ("0.9", "0.6", "0.3"), strict=True):
        models[name].say = lambda prompt, stated=stated: f"PROBABILITY: {stated}\nARGUMENT: clouds"
    data = DataSet(
        questions=tuple(Question(id=f"f{n}", input=f"Rain on day {n}?", kind="probability") for n in range(3)),
        keys=tuple(Key(id=f"f{n}", truth="1") for n in range(3)),
    )
    run = await run_of(
        workspace, setup_of(tmp_path, *NAMES, arms=arms_of({"kind": "forecast"}, models=MODELS)), data, tmp_path
    )
    await run.run()
    result = await run.result()
    assert not result.plan.arm[0].own_drafts
    assert result.plan.score == "log_loss"
    assert [(row.answer, row.calls) for row in rows(result)["forecast"]] == [("0.6", 6)] * 3
    assert [row.brier for row in rows(result)["forecast"]] == pytest.approx([0.16] * 3)
