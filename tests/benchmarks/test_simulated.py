"""Simulated evaluations: the shipped statistics keep what they promise, and the commands say so."""

from collections.abc import Callable

import numpy as np
import pytest

from benchmarks.simulated.__main__ import main
from benchmarks.simulated.simulations import (
    Check,
    check_coverage,
    check_looks,
    check_null,
    check_power,
    draw_credits,
    draw_losses,
    expect_words,
)

# ---- evaluations -----------------------------------------------------------------------------------------------------


def test_drawn_credits_have_their_share_and_their_difference() -> None:
    drawn = draw_credits(np.random.default_rng(1), 40_000, share=0.15, effect=0.05)
    assert float(np.abs(drawn.values).mean()) == pytest.approx(0.15, abs=0.01)
    assert drawn.mean == pytest.approx(0.05, abs=0.01)


def test_questions_of_a_drawn_group_are_alike() -> None:
    drawn = draw_credits(np.random.default_rng(1), 20_000, share=0.5, group_size=2)
    pairs = drawn.values.reshape(-1, 2)
    assert float((pairs[:, 0] * pairs[:, 1]).mean()) / 0.5 == pytest.approx(0.3, abs=0.03)
    assert len(drawn.sums) == 10_000


def test_drawn_losses_are_worse_with_more_noise() -> None:
    chance = np.random.default_rng(1)
    assert draw_losses(chance, 40_000).mean() > 0.02
    assert draw_losses(chance, 40_000, (0.9, 0.9)).mean() == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(("checks", "runs"), [(check_coverage, 300), (check_power, 300), (check_looks, 300)])
def test_what_is_promised_is_kept(checks: Callable[..., list[Check]], runs: int) -> None:
    assert [check for check in checks(runs=runs, seed=1) if not check.ok] == []


def test_false_verdicts_are_rare() -> None:
    checks = check_null(runs=200, seed=1, sizes=(30, 100))
    assert len(checks) == 14
    assert [check for check in checks if not check.ok] == []


def test_few_questions_say_little_and_many_say_much() -> None:
    few = expect_words(30, margin=0.05, share=0.15, effect=0.05, runs=100)
    many = expect_words(2_000, margin=0.05, share=0.15, effect=0.05, runs=50)
    none = expect_words(2_000, margin=0.05, share=0.15, effect=0.0, runs=50)
    worse = expect_words(2_000, margin=0.05, share=0.15, effect=-0.1, runs=20)
    assert few["not known"] > 0.9
    assert many["helped"] > 0.9
    assert none["no difference"] > 0.9
    assert worse["hurt"] > 0.9


def test_the_command_says_what_so_many_questions_could_tell(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluation", "--questions", "80", "--runs", "200"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "80 questions, of which 15% differ between the debate and a rival:"
    assert lines[1].endswith("in 4 of 5 runs: 12.1 points")
    assert lines[2].endswith("to find 5 points: 469")
    assert [line.split(" points")[0].strip() for line in lines[5:]] == ["0", "5", "10"]


def test_a_promise_that_is_not_kept_ends_with_one(capsys: pytest.CaptureFixture[str]) -> None:
    """One run finds the difference always or never, which is not 80 %."""
    assert main(["promise", "null", "--runs", "1"]) == 0
    assert main(["promise", "power", "--runs", "1"]) == 1
    assert "promised 0.770 to 0.830  NOT KEPT" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("evaluation", "--margin", "0.2"),
        ("evaluation", "--margin", "nan"),
    ],
)
def test_what_cannot_be_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
