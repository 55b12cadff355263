"""Answers judged by a rubric: only where asked for, by another family, blind to the arm, and checked against people."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.arms import Arm, with_rivals
from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.app.evaluation.eval_plan import prepare_evaluation, rounds_of
from folkmoot.app.evaluation.eval_run import EvalRun
from folkmoot.app.evaluation.grading import MOST_DRAWS
from folkmoot.app.evaluation.rubrics import MEETS, TASK, judge_sentences, read_labels
from folkmoot.app.evaluation.scores import EvalResult, JudgeCheck
from folkmoot.app.plan.settings import Config
from folkmoot.app.questions.data_sets import DataSet, FaultyData, Key, Question, to_store
from folkmoot.app.results.scoring import measure
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.errors import BriefError
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.evaluation.eval_kit import Priced, setup_of, workspace_of
from tests.cli.commands import QUOTES, folkmoot

PANEL = with_rivals([Arm(name="panel", kind="protocol", protocol="panel")])
SET = DataSet(
    questions=tuple(Question(id=f"q{n}", input=f"Explain day {n}.", kind="rubric") for n in range(2)),
    keys=tuple(Key(id=f"q{n}", truth="It names alpha.") for n in range(2)),
)


def judges(prompt: str) -> str:
    """Says that an answer meets the rubric if it is alpha; of one answer it says neither."""
    assert TASK in prompt
    answer = prompt.partition("=== answer.md ===")[2].partition("=== end")[0]
    word = "perhaps" if "gamma" in answer else MEETS if "alpha" in answer else "does not meet the rubric"
    return f"ANSWER: {word}\nARGUMENT: So it is."


def workspace(store: InMemoryStore | None = None) -> tuple[Workspace, dict[str, Priced]]:
    space, models = workspace_of("a", "b", "judge", store=store)
    models["judge"].say = judges
    return space, models


def labelled(folder: Path, n: int) -> Path:
    lines = [f"Explain case {i}.,It names alpha.,{'alpha' if i % 2 else 'beta'},{int(i % 4 > 0)}" for i in range(n)]
    path = folder / "labels.csv"
    path.write_text("\n".join(["input,rubric,answer,label", *lines, ""]), "utf-8")
    return path


async def begun(folder: Path, labels: Path | None, space: Workspace, *, budget: float | None = None) -> EvalRun:
    setup = replace(setup_of(folder, "a", "b", arms=PANEL), rubric_judge="guest:judge", labels=labels, budget=budget)
    prepared = await prepare_evaluation(space, setup, to_store(SET, folder), Config())
    run = EvalRun(workspace=space, prepared=prepared, config=Config(), folder=folder, budget=budget)
    await run.begin()
    await run.run()
    return run


async def judged(folder: Path, labels: Path | None) -> tuple[EvalResult, dict[str, Priced]]:
    space, models = workspace()
    return await (await begun(folder, labels, space)).result(), models


async def test_a_named_model_judges_each_answer_once_and_sees_no_arm(tmp_path: Path) -> None:
    result, models = await judged(tmp_path, labelled(tmp_path, 60))
    sent = models["judge"].log
    assert len(sent) == len(set(sent))
    assert not [request for request in sent if "panel" in request or "Seat 2" in request]
    for row in result.scores:
        if row.answer is not None and row.arm == "panel":
            assert row.credit == float(row.answer.startswith("alpha"))
    assert result.judge
    assert result.judge == JudgeCheck(
        model="guest:judge", labels=60, agreed=45, said_right=30, labelled_right=45, unread=result.judge.unread
    )
    assert (result.judged_with_labels, read_result(tmp_path).judge) == (True, result.judge)
    notes = " ".join(measure(result).notes)
    assert "guest:judge judged the answers by a rubric. It did not see which arm gave them." in notes
    assert "It agrees with 45 of 60 labels of people, beyond chance 0.50 (Cohen's kappa), and says right -25.0" in notes
    assert not [request for name in "ab" for request in models[name].log if "It names alpha" in request]


async def test_what_the_judge_may_cost_is_in_the_estimate_and_never_less_than_it_was(tmp_path: Path) -> None:
    space, _ = workspace()
    run = await begun(tmp_path, labelled(tmp_path, 8), space)
    await run.result()
    judging, prices = run.prepared.judging, run.prepared.prices
    assert judging
    rounds, debates, seats = rounds_of(run.prepared.setup, prices), sum(name != "" for name in prices), 3
    assert judging.calls == 8 + 2 * (math.ceil(2 * seats * rounds) + debates * (1 + seats))
    judged = run._judged  # pyright: ignore[reportPrivateUsage]
    assert len(judged) <= judging.calls, "one that asks for the form again has two calls, which come on top"
    without = replace(run.prepared, judging=None).total
    assert run.prepared.total.calls == without.calls + judging.calls
    assert run.prepared.total.tokens == without.tokens + judging.tokens
    unlabelled = await prepare_evaluation(space, replace(run.prepared.setup, labels=None), run.prepared.data, Config())
    assert unlabelled.judging
    assert judging.calls - unlabelled.judging.calls == 8


async def test_the_curve_of_a_rubric_is_over_judged_answers_alone(
    tmp_path: Path,
) -> None:
    space, models = workspace()
    run = await begun(tmp_path, labelled(tmp_path, 60), space)
    result = await run.result()
    draws = [seat for seat in result.seats if seat.seat.startswith("draw ")]
    many = min([MOST_DRAWS, *(len(block.drafts) for block in run.blocks)])
    assert (len(draws), many > 3) == (2 * many, True)
    for seat in draws:
        assert seat.first_right == (seat.first is not None and seat.first.startswith("alpha"))
    texts = {request.partition("=== answer.md ===")[2].partition("=== end")[0] for request in models["judge"].log}
    assert all(any(str(seat.first).splitlines()[0] in text for text in texts) for seat in draws)
    assert [point.k for point in measure(result).curve] == list(range(1, many + 1))


async def test_without_labels_there_is_no_verdict(tmp_path: Path) -> None:
    result, _ = await judged(tmp_path, None)
    board = measure(result)
    assert result.judged_with_labels is False
    assert "It was checked against 0 labels of people; a verdict needs 50." in board.notes
    assert [line.sentence for line in board.verdicts] == ["no verdict: judge not checked"]


async def test_what_is_not_judged_when_money_ends_is_judged_at_the_next_run(tmp_path: Path) -> None:
    store = InMemoryStore()
    space, models = workspace(store)
    run = await begun(tmp_path, None, space)
    models["judge"].fault = OSError("away")
    run.stop.reason = "stopped"
    first = await run.result()
    assert (first.scores, [block.whole for block in run.blocks]) == ((), [False] * 2)
    space, models = workspace(store)
    run = await begun(tmp_path, None, space)
    assert not models["a"].log
    assert len({row.question for row in (await run.result()).scores}) == 2


def test_a_judge_is_named_and_of_another_family(tmp_path: Path) -> None:
    (tmp_path / "q.csv").write_text("input,kind,truth\nWhy?,rubric,It says because.\n", "utf-8")
    (tmp_path / "plain.csv").write_text("input,truth\nHow many?,5\n", "utf-8")
    (tmp_path / "l.csv").write_text("input,rubric,answer,label\nWhy?,It says because.,Because.,1\n", "utf-8")
    nobody = folkmoot(tmp_path, "eval", "plan", "q.csv", *QUOTES)
    assert (nobody.exit_code, "only where you ask for it: name it with --rubric-judge" in nobody.output) == (2, True)
    relative = folkmoot(tmp_path, "eval", "plan", "q.csv", *QUOTES, "--rubric-judge", "builtin:quotes")
    assert "the judge builtin:quotes is of one family with builtin:quotes, which answers" in relative.output
    unneeded = folkmoot(tmp_path, "eval", "plan", "plain.csv", *QUOTES, "--rubric-judge", "ollama:x")
    assert "no question is of the kind rubric, so leave out its judge and labels" in unneeded.output
    options = ("--rubric-judge", "ollama:x", "--labels", "l.csv")
    planned = folkmoot(tmp_path, "eval", "plan", "q.csv", *QUOTES, *options)
    assert "ollama:x judges each answer by its rubric, checked by 1 label of people: at most " in planned.output


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("l.txt", "", "l.txt: labels are a file .csv or .jsonl"),
        ("l.csv", "input,rubric,answer,label\na,b,c,maybe\n", "l.csv:2: label is 1 or 0 (yes or no, right or wrong)"),
        ("l.csv", "input,rubric,answer,label\na,,c,1\n", "l.csv:2: rubric is missing"),
        ("l.jsonl", "no\n", "l.jsonl:1: this is not JSON"),
        ("none.csv", None, "none.csv cannot be read"),
    ],
)
def test_labels_that_cannot_be_read_are_named(tmp_path: Path, name: str, text: str | None, problem: str) -> None:
    if text is not None:
        (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(FaultyData) as raised:
        read_labels(tmp_path / name)
    assert problem in str(raised.value)
    assert isinstance(raised.value, BriefError)


def test_labels_that_are_all_alike_say_nothing_beyond_chance() -> None:
    check = JudgeCheck(model="m", labels=60, agreed=60, said_right=60, labelled_right=60)
    assert check.kappa is None
    assert list(judge_sentences(check))[1:] == [
        "It agrees with 60 of 60 labels of people, and says right +0.0 points more often than they do."
    ]
