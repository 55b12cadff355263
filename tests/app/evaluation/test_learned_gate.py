"""A gate whose threshold is learned, as an arm: from kept questions or from other tenths, without a call of its own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from folkmoot.app.evaluation import learned_gate
from folkmoot.app.evaluation.arms import read_arms
from folkmoot.app.evaluation.eval_files import facts_of, read_result
from folkmoot.app.evaluation.eval_plan import judged_of
from folkmoot.app.evaluation.eval_run import EvalRun
from folkmoot.app.evaluation.scores import EvalResult, Learning, Score
from folkmoot.app.questions.data_sets import DataSet
from folkmoot.app.results.score_page import page
from folkmoot.app.results.score_tables import screen
from folkmoot.app.results.scoring import measure
from folkmoot.core.errors import BriefError
from folkmoot.evaluation import gates
from tests.app.evaluation.eval_kit import OPTIONS, Priced, questions, run_of, setup_of, workspace_of
from tests.cli.commands import folkmoot

NAMES = ("a", "b", "c")
MODELS = tuple(f"guest:{name}" for name in NAMES)
GATE: dict[str, object] = {"kind": "gate", "threshold": "learned"}


def mixed(n: int, *, learn: int = 0, seed: int = 5) -> DataSet:
    """Questions with truths of their own, the first of them to be learned on; groups are not torn."""
    data, chance = questions(n), Random(seed)
    keys = tuple(replace(key, truth=chance.choices(OPTIONS, (6, 2, 2))[0]) for key in data.keys)
    split = tuple(
        replace(question, split="learn" if i < learn else "judge") if learn else question
        for i, question in enumerate(data.questions)
    )
    return DataSet(questions=split, keys=keys)


async def evaluated(folder: Path, data: DataSet, *tables: dict[str, object]) -> tuple[EvalRun, dict[str, Priced]]:
    workspace, models = workspace_of(*NAMES)
    run = await run_of(workspace, setup_of(folder, *NAMES, arms=read_arms(tables, MODELS)), data, folder)
    await run.run()
    assert run.paused == ""
    await run.result()
    return run, models


def rows(result: EvalResult, arm: str) -> dict[str, Score]:
    return {row.question: row for row in result.scores if row.arm == arm}


@pytest.fixture(autouse=True)
def enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_gate, "ENOUGH", 10)


async def test_a_gate_learned_by_tenths_is_counted_from_the_debates_of_another_arm(tmp_path: Path) -> None:
    _, models = await evaluated(tmp_path, mixed(24), GATE, {"kind": "sample", "size": 3})
    result = read_result(tmp_path)
    assert [arm.name for arm in result.plan.arms] == [
        *("everywhere", "learned gate", "sample:3", "sample=everywhere", "adaptive=everywhere"),
        *("sample=learned gate", "adaptive=learned gate"),
    ]
    gate, debate, vote = (rows(result, name) for name in ("learned gate", "everywhere", "sample:3"))
    for question, row in gate.items():
        other = debate[question] if row.debated else vote[question]
        assert (row.answer, row.credit, row.usd, row.record) == (other.answer, other.credit, other.usd, other.record)
    alone, gated = await evaluated(tmp_path / "alone", mixed(24), {"kind": "panel", "set": ["threshold=0"]}), models
    assert {name: model.log for name, model in alone[1].items()} == {name: model.log for name, model in gated.items()}
    [learning] = result.learned
    assert (learning.way, learning.questions, learning.arm, learning.gates) == (
        *("folds", 24),
        *("learned gate", "everywhere"),
    )
    total = sum(row.usd or 0.0 for row in gate.values())
    for name in ("sample=learned gate", "adaptive=learned gate"):
        assert sum(row.usd or 0.0 for row in rows(result, name).values()) == pytest.approx(total, rel=0.02)
    board = measure(result)
    verdicts = {line.arm: line.sentence for line in board.verdicts}
    assert verdicts["learned gate"] == "no verdict: its threshold was learned on these questions"
    assert "learned on these" not in verdicts["everywhere"]
    note = next(note for note in board.notes if note.startswith("learned gate: everywhere where first answers"))
    assert note.endswith("an estimate and no test: for a verdict mark questions with split: learn.")
    assert note in "\n".join(screen(board))
    assert "an estimate and no test" in page(board)


async def test_each_tenth_is_judged_by_what_the_others_choose(tmp_path: Path) -> None:
    run, _ = await evaluated(tmp_path, mixed(24), GATE)
    gate = run._gates()[0]  # pyright: ignore[reportPrivateUsage]
    truths = {key.id: key.truth for key in mixed(24).keys}
    result = read_result(tmp_path)
    debate, decided = rows(result, "everywhere"), rows(result, "learned gate")
    spreads: dict[str, float] = {}
    votes: dict[str, float] = {}
    for block in run.blocks:
        answers = [draft.answer for draft in block.drafts[:3]]
        counts = {answer: answers.count(answer) for answer in answers}
        tops = [answer for answer, many in counts.items() if many == max(counts.values())]
        spreads[block.question.id] = round(1 - max(counts.values()) / 3, 12)
        votes[block.question.id] = (truths[block.question.id] in tops) / len(tops)
    thresholds = {t: {q: spreads[q] > t for q in spreads} for t in gate.candidates}
    learning = result.learned[0]
    assert learning.low in thresholds
    assert learning.high in thresholds
    for question, row in decided.items():
        assert row.credit == pytest.approx(debate[question].credit if row.debated else votes[question])
        assert row.debated in {own[question] for t, own in thresholds.items() if learning.low <= t <= learning.high}


async def test_what_is_kept_to_learn_on_is_judged_by_no_arm(tmp_path: Path) -> None:
    data = mixed(30, learn=14)
    await evaluated(tmp_path, data, GATE)
    result = read_result(tmp_path)
    assert (result.plan.planned, {row.question for row in result.scores}) == (16, {f"q{n}" for n in range(14, 30)})
    [learning] = result.learned
    assert (learning.way, learning.questions, learning.low == learning.high) == ("split", 14, True)
    board = measure(result)
    sentence = next(line.sentence for line in board.verdicts if line.arm == "learned gate")
    assert not sentence.startswith("no verdict")
    assert f"learned gate: everywhere where first answers are more than {learning.low:g} apart" in " ".join(board.notes)
    with_dates = tuple(replace(question, known_since="2025") for question in data.questions)
    dated = replace(result, facts=facts_of(with_dates), plan=replace(result.plan, cutoffs={"guest:a": "2026"}))
    assert "to 16 of 16 dated questions" in " ".join(measure(dated).notes), "those to learn on do not count"
    flipped = tuple(replace(key, truth="gamma") for key in data.keys)
    other = DataSet(questions=data.questions, keys=(*flipped[:14], *data.keys[14:]))
    await evaluated(tmp_path / "other", other, GATE)
    again = read_result(tmp_path / "other")
    assert [row for row in again.scores if row.arm == "everywhere"] == [
        row for row in result.scores if row.arm == "everywhere"
    ], "what is learned moves no other arm"


async def test_the_folder_of_a_run_is_enough_to_judge_its_gate_again(tmp_path: Path) -> None:
    """`folkmoot eval gate FOLDER` learns on the questions that the run has kept, and says what the run says."""
    tables: Sequence[dict[str, object]] = ({"kind": "panel", "threshold": 0}, GATE, {"kind": "sample", "size": 3})
    await evaluated(tmp_path / "own", mixed(30, learn=14), *tables)
    result = read_result(tmp_path / "own")
    assert {row.question for row in result.lessons.scores} == {f"q{n}" for n in range(14)}
    assert {row.arm for row in result.lessons.scores} == {"panel", "sample:3"}
    assert {seat.arm for seat in result.lessons.seats} == {"panel"}
    done = folkmoot(tmp_path, "eval", "gate", "own")
    assert done.exit_code == 0, done.output
    learned, *_, judged = done.output.splitlines()[:4]
    assert learned == (
        f"learned on 14 questions: debate where first answers are more than {result.learned[0].low:g} apart"
    )
    assert judged == "judged on 16 other questions; share right"
    own = next(arm for arm in measure(result).arms if arm.name == "learned gate")
    line = next(line for line in done.output.splitlines() if line.startswith("  gate ") and ", learned " in line)
    assert float(line.split()[3]) == pytest.approx(own.score, abs=5e-5)
    assert folkmoot(tmp_path, "eval", "gate", "own", "--arm", "learned gate").exit_code == 2


async def test_no_request_depends_on_a_truth(tmp_path: Path) -> None:
    sent: list[dict[str, list[str]]] = []
    thresholds: list[tuple[Learning, ...]] = []
    for truth in ("alpha", "gamma"):
        data = mixed(30, learn=12)
        data = replace(data, keys=tuple(replace(key, truth=truth) for key in data.keys))
        _, models = await evaluated(tmp_path / truth, data, GATE)
        sent.append({name: model.log for name, model in models.items()})
        thresholds.append(read_result(tmp_path / truth).learned)
    assert sent[0] == sent[1]
    assert sum(map(len, sent[0].values())) > 30 * 3


@pytest.mark.system
async def test_as_many_questions_as_are_needed_teach_a_threshold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learned_gate, "ENOUGH", gates.ENOUGH)
    await evaluated(tmp_path, mixed(100), GATE)
    [learning] = read_result(tmp_path).learned
    assert (learning.way, learning.questions) == ("folds", 100)


async def test_too_few_questions_teach_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learned_gate, "ENOUGH", gates.ENOUGH)
    await evaluated(tmp_path, mixed(8), {"kind": "panel"}, {**GATE, "name": "own", "gates": "panel"})
    result = read_result(tmp_path)
    assert result.learned == (Learning(arm="own", gates="panel", way="default", questions=8, low=0.2, high=0.2),)
    gate, panel = rows(result, "own"), rows(result, "panel")
    assert [row.debated for row in gate.values()] == [row.debated for row in panel.values()]
    note = "own: 8 questions are too few to learn a threshold (100 are needed), so it is 0.2, the default."
    assert note in measure(result).notes


async def test_a_debate_with_a_gate_of_its_own_leaves_only_higher_thresholds(tmp_path: Path) -> None:
    run, _ = await evaluated(tmp_path, mixed(12), {"kind": "gate", "threshold": 0.3}, {**GATE, "gates": "gate"})
    [gate] = run._gates()  # pyright: ignore[reportPrivateUsage]
    assert (gate.least, gate.usual, gate.candidates) == (0.3, 0.3, (0.3, 0.4, 0.5, 1.0))
    assert read_result(tmp_path).learned[0].low >= 0.3


async def test_answers_that_cannot_be_read_are_debated(tmp_path: Path) -> None:
    workspace, models = workspace_of(*NAMES)
    models["a"].say = lambda prompt: "Who knows?"
    run = await run_of(workspace, setup_of(tmp_path, *NAMES, arms=read_arms([GATE], MODELS)), mixed(12), tmp_path)
    await run.run()
    result = await run.result()
    assert [row.record for row in rows(result, "learned gate").values()] == [
        row.record for row in rows(result, "everywhere").values()
    ]


async def test_a_gate_of_forecasts_goes_by_their_distance(tmp_path: Path) -> None:
    data, chance = questions(12), Random(2)
    forecasts = tuple(replace(question, kind="probability", options=()) for question in data.questions)
    keys = tuple(replace(key, truth=chance.choice("01")) for key in data.keys)
    tables: Sequence[dict[str, object]] = ({"kind": "forecast", "set": ["threshold=0"]}, {**GATE, "gates": "forecast"})
    run, _ = await evaluated(tmp_path, DataSet(questions=forecasts, keys=keys), *tables)
    result = read_result(tmp_path)
    assert (result.plan.score, result.learned[0].way) == ("log_loss", "folds")
    blocks = {block.question.id: block for block in run.blocks}
    for question, row in rows(result, "learned gate").items():
        values = [float(draft.answer or 0) for draft in blocks[question].drafts[:3]]
        if not row.debated:
            assert row.answer == f"{sum(values) / 3:g}"
            assert max(values) - min(values) <= result.learned[0].high


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ([{"kind": "panel", "threshold": "learned"}], "a learned threshold is for the kind gate"),
        ([{**GATE, "rounds": 2}], "say rounds in the arm of the debate that it gates"),
        ([{**GATE, "gates": "council"}], "gates 'council', which is not a debate here"),
        (
            [GATE, {"kind": "panel"}, {"kind": "council"}],
            "gates = 'panel': panel and council",
        ),
        ([{"kind": "gate", "threshold": "most"}], "threshold is a number from 0 to 1 or the word learned, not 'most'"),
        ([{"kind": "gate", "gates": "panel"}], 'gates is for a gate with threshold = "learned"'),
        ([{"kind": "sample", "size": 3, "threshold": "learned"}], "threshold says nothing of sample"),
    ],
)
def test_a_gate_that_cannot_be_is_one_sentence(tables: list[dict[str, object]], problem: str) -> None:
    with pytest.raises(BriefError) as error:
        read_arms(tables, MODELS)
    assert problem in error.value.found


async def test_what_cannot_be_gated_or_judged_is_refused_before_the_first_call(tmp_path: Path) -> None:
    workspace, models = workspace_of(*NAMES)
    arms = read_arms([{"kind": "moderated", "name": "chaired"}, {**GATE, "gates": "chaired"}], MODELS)
    with pytest.raises(BriefError, match="chaired begins with first answers of its own, which no other arm has"):
        await run_of(workspace, setup_of(tmp_path, *NAMES, arms=arms), mixed(4), tmp_path)
    setup = setup_of(tmp_path, *NAMES, arms=read_arms([GATE], MODELS))
    with pytest.raises(BriefError, match="none is left to judge the arms on"):
        judged_of(setup, mixed(4, learn=4).questions)
    with pytest.raises(BriefError, match="learned from or judged as a whole: group 'g1' is split"):
        judged_of(setup, mixed(6, learn=3).questions)
    assert len(judged_of(setup_of(tmp_path, *NAMES), mixed(6, learn=3).questions)) == 6, "without a gate all count"
    assert not any(model.log for model in models.values())
