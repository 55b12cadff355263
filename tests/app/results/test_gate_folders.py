"""`folkmoot eval gate`: a threshold learned on one evaluation and judged on another; words, and mistakes."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.evaluation.eval_files import save_result
from tests.app.results.prepared import ADAPTIVE, DEBATE, UNIFORM, result, score, seat
from tests.cli.commands import folkmoot


def evaluation(folder: Path, name: str, *, usd: float | None = 0.01, epochs: int = 1) -> str:
    """Three seats, of whom one errs on the odd questions until they have debated; first answers cost half."""
    seats = [
        replace(
            seat(who, place, who != "Cy" or place % 2 == 0, last=True),
            question=f"{name}{place}",
            group=f"{name}{place}",
            epoch=epoch,
        )
        for place in range(20)
        for who in ("Ann", "Bob", "Cy")
        for epoch in range(1, epochs + 1)
    ]
    rows = [
        replace(score(of, place, 1.0), question=f"{name}{place}", group=f"{name}{place}", usd=usd, epoch=epoch)
        for place in range(20)
        for of in (DEBATE, UNIFORM, ADAPTIVE)
        for epoch in range(1, epochs + 1)
    ]
    save_result(folder / name, replace(result({DEBATE: [1.0] * 20, UNIFORM: [1.0] * 20}), scores=rows, seats=seats))  # pyright: ignore[reportArgumentType]
    return name


def test_an_evaluation_of_ones_own_is_judged_too(tmp_path: Path) -> None:
    done = folkmoot(tmp_path, "eval", "gate", evaluation(tmp_path, "a"), evaluation(tmp_path, "b"))
    assert done.exit_code == 0, done.output
    assert "fewer than 100 questions: learned thresholds are often worse than 0.2, the default" in done.output
    verdicts = [line.partition(":")[0] for line in done.output.splitlines() if line.startswith("verdict")]
    assert verdicts == ["verdict on the learned gate", "verdict on the default gate"]
    assert "always debate                          1.0000      0.01 usd a question, debated 100%" in done.output
    assert "no difference larger than 0.05" in done.output or "not known" in done.output


def split_questions(folder: Path, name: str, learn: int) -> None:
    """Mark the first questions of an evaluation to be learned on."""
    lines = [
        {"id": f"{name}{n}", "input": f"Does {n} happen?", "kind": "text", "split": "learn" if n < learn else "judge"}
        for n in range(20)
    ]
    keys = [{"id": line["id"], "truth": "yes"} for line in lines]
    for file, items in (("questions", lines), ("keys", keys)):
        text = "".join(f"{json.dumps(item)}\n" for item in items)
        (folder / name / f"{file}.jsonl").write_text(text, "utf-8")


def test_one_folder_is_enough_where_its_data_say_what_to_learn_on(tmp_path: Path) -> None:
    evaluation(tmp_path, "own")
    without = folkmoot(tmp_path, "eval", "gate", "own")
    assert without.exit_code == 2
    assert "own does not say what to learn on; name a second folder to judge on" in without.output
    split_questions(tmp_path, "own", 12)
    done = folkmoot(tmp_path, "eval", "gate", "own")
    assert done.exit_code == 0, done.output
    assert done.output.startswith("learned on 12 questions: ")
    assert "judged on 8 other questions" in done.output
    for learn in (0, 20):
        split_questions(tmp_path, "own", learn)
        refused = folkmoot(tmp_path, "eval", "gate", "own")
        assert refused.exit_code == 2
        assert f"{learn} questions of 20 with split learn: some to learn on" in refused.output


def test_a_group_is_not_learned_from_and_judged(tmp_path: Path) -> None:
    """The questions have other ids, but two of them are about one event."""
    for name in ("a", "b"):
        evaluation(tmp_path, name)
        path = tmp_path / name / "scores.csv"
        heads, *lines = path.read_text("utf-8").splitlines()
        lines = [line.replace(f"{name}0,{name}0,", f"{name}0,the flood,") for line in lines]
        path.write_text("\n".join([heads, *lines, ""]), "utf-8")
    done = folkmoot(tmp_path, "eval", "gate", "a", "b")
    assert done.exit_code != 0
    assert "1 group in both folders, such as 'the flood'" in done.output


@pytest.mark.parametrize(
    ("learn", "judge", "more", "problem"),
    [
        ("own", "own", (), "20 questions in both folders, such as 'own0'"),
        ("own", "empty", (), "empty is no folder of an evaluation: it has no plan.json"),
        ("own", "own", ("--arm", "x"), "own: name a debate with --arm: debate"),
        ("unpriced", "own", (), "the cost of debate is not known"),
        ("twice", "own", (), "a gate needs the first answers of all participants, once to each question"),
    ],
)
def test_what_cannot_be_is_one_sentence(
    tmp_path: Path, learn: str, judge: str, more: tuple[str, ...], problem: str
) -> None:
    (tmp_path / "empty").mkdir()
    evaluation(tmp_path, "own")
    evaluation(tmp_path, "unpriced", usd=None)
    evaluation(tmp_path, "twice", epochs=2)
    done = folkmoot(tmp_path, "eval", "gate", learn, judge, *more)
    assert done.exit_code != 0
    assert problem in done.output
