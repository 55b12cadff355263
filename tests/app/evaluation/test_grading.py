"""Numbers and texts in answers, and the grader: each kind of truth, and answers that are tied or cannot be read."""

import math
from pathlib import Path

import pytest

from folkmoot.app.evaluation.folder import save_questions
from folkmoot.app.evaluation.grading import Grade, Grader
from folkmoot.app.evaluation.quantities import Quantity, normal_text, read_quantity
from folkmoot.app.evaluation.questions import DataSet, Key, Kind, Question
from folkmoot.app.evaluation.responses import Charge, Response, charge_of
from folkmoot.core.ask import Usage
from folkmoot.core.errors import RecordError
from folkmoot.core.event import Called, Entry


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("18", 18, ""),
        ("$18", 18, "usd"),
        ("The answer is 18 dollars.", 18, "usd"),
        ("18 €", 18, "eur"),
        ("1,234.5", 1234.5, ""),
        ("1 234", 1234, ""),
        ("1,5", 1.5, ""),
        ("0,25", 0.25, ""),
        ("30 percent", 30, "%"),
        ("3/4", 0.75, ""),
        ("1 1/2 hours", 1.5, "hour"),
        ("-3", -3, ""),
        ("−3.5 kg", -3.5, "kg"),
        ("+3", 3, ""),
        ("$-5", -5, "usd"),
        ("1.2 million", 1_200_000, ""),
        ("3k", 3000, ""),
        ("2e3", 2000, ""),
        ("**42**", 42, ""),
        ("7.", 7, ""),
        ("14 seats in 2 rows", 14, ""),
        ("It is 7, yes 7", 7, ""),
        ("12 vans because 2 broke", 12, ""),
    ],
)
def test_numbers_are_read(text: str, value: float, unit: str) -> None:
    assert read_quantity(text) == Quantity(value=value, unit=unit)


@pytest.mark.parametrize("text", ["", "none", "between 3 and 4", "2-3", "3 to 4", "It has 3 or 4", "1/0"])
def test_what_is_not_exactly_one_number_is_unread(text: str) -> None:
    assert read_quantity(text) is None


@pytest.mark.parametrize(
    ("answer", "truth", "same"),
    [
        ("18.0", "$18", True),
        ("18 km", "18 kg", False),
        ("30", "30%", True),
        ("0.3", "30%", True),
        ("30%", "0.3", True),
        ("3", "30%", False),
        ("0.300001", "30%", False),
        ("1000000.5", "1000000", True),
        ("1000002", "1000000", False),
    ],
)
def test_numbers_compare_by_value(answer: str, truth: str, same: bool) -> None:
    own, other = read_quantity(answer), read_quantity(truth)
    assert own
    assert other
    assert own.same(other) == same


def test_texts_compare_without_case_articles_and_marks() -> None:
    assert normal_text(" The Port! ") == normal_text("port") == "port"
    assert normal_text("a port") != normal_text("airport")


def grader(folder: Path, kind: Kind, key: Key) -> tuple[Grader, Question]:
    question = Question(id=key.id, input="?", kind=kind, options=("tea", "coffee") if kind == "option" else ())
    save_questions(folder, DataSet(questions=(question,), keys=(key,)))
    return Grader(folder / "keys.jsonl"), question


@pytest.mark.parametrize(
    ("kind", "key", "answers", "credit"),
    [
        ("option", Key(id="q", truth="tea"), ("tea",), 1.0),
        ("option", Key(id="q", truth="tea"), ("coffee",), 0.0),
        ("option", Key(id="q", truth="tea"), ("coffee", "tea"), 0.5),
        ("option", Key(id="q", truth="tea"), (), 0.0),
        ("number", Key(id="q", truth="18"), ("$18.00",), 1.0),
        ("number", Key(id="q", truth="18", tolerance=0.5), ("18.4",), 1.0),
        ("number", Key(id="q", truth="200", relative=0.01), ("202.1",), 0.0),
        ("number", Key(id="q", truth="18"), ("18 or 19",), 0.0),
        ("text", Key(id="q", truth="The port", accepted=("harbour",)), ("Harbour.",), 1.0),
        ("text", Key(id="q", truth="The port"), ("the station",), 0.0),
    ],
)
def test_credits(tmp_path: Path, kind: Kind, key: Key, answers: tuple[str, ...], credit: float) -> None:
    judge, question = grader(tmp_path, kind, key)
    assert judge.grade(question, Response(answers=answers, state="answered")) == Grade(credit=credit)
    if len(answers) == 1:
        assert judge.right(question, answers[0]) == (credit == 1)
    assert judge.right(question, None) is None


@pytest.mark.parametrize(
    ("probability", "credit", "loss", "brier"),
    [
        (0.8, 1.0, -math.log(0.8), 0.04),
        (0.0, 0.0, -math.log(0.01), 1.0),
        (1.0, 1.0, -math.log(0.99), 0.0),
        (0.5, 0.5, math.log(2), 0.25),
        (None, 0.0, -math.log(0.01), 1.0),
    ],
)
def test_probabilities_have_losses(
    tmp_path: Path, probability: float | None, credit: float, loss: float, brier: float
) -> None:
    judge, question = grader(tmp_path, "probability", Key(id="q", truth="1"))
    grade = judge.grade(question, Response(probability=probability))
    assert (grade.credit, grade.loss, grade.brier) == (credit, pytest.approx(loss), pytest.approx(brier))
    assert judge.right(question, "0.7") is True
    assert judge.right(question, "0.2") is False


def test_grades_are_mixed_by_shares(tmp_path: Path) -> None:
    judge, question = grader(tmp_path, "probability", Key(id="q", truth="1"))
    sure, none = Response(probability=0.8), Response(probability=0.0)
    mixed = judge.mix(question, [(0.75, sure), (0.25, none)])
    assert (mixed.credit, mixed.brier) == (0.75, pytest.approx(0.75 * 0.04 + 0.25))
    assert mixed.loss == pytest.approx(-0.75 * math.log(0.8) - 0.25 * math.log(0.01))
    judge, question = grader(tmp_path, "option", Key(id="q", truth="tea"))
    half = [(0.5, Response(answers=("tea",))), (0.5, Response(answers=("coffee",)))]
    assert judge.mix(question, half) == Grade(credit=0.5)


def test_keys_lie_in_a_file_of_their_own(tmp_path: Path) -> None:
    grader(tmp_path, "text", Key(id="q", truth="the harbour 5417"))
    assert "5417" not in (tmp_path / "questions.jsonl").read_text("utf-8")
    (tmp_path / "keys.jsonl").write_text("{}\n", "utf-8")
    with pytest.raises(RecordError, match=r"keys\.jsonl cannot be read: line 1"):
        Grader(tmp_path / "keys.jsonl")


def test_a_charge_is_the_same_whatever_call_ended_first() -> None:
    """After a kill the calls of a round stand on record in another order."""
    costs = (0.00013725, 0.0004, 0.1, 0.2, 0.3)
    calls = [
        Entry(
            seq=n,
            at=0.0,
            event=Called(
                key=f"/debate/draft#{n}", call="1", model="m", text="", usage=Usage(output_tokens=n, cost=cost)
            ),
        )
        for n, cost in enumerate(costs, 1)
    ]
    assert charge_of(calls) == charge_of(calls[::-1]) == Charge(usd=math.fsum(costs), tokens=75, calls=5)
    assert Charge.sum([charge_of([call]) for call in calls[::-1]]) == charge_of(calls)
