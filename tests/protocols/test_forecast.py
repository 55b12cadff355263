"""The protocol ``forecast``: who is asked what, when a round follows, how the mean comes about, what is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief
from folkmoot.core.errors import ProtocolError
from folkmoot.core.transcript import Transcript
from folkmoot.phases.choices import Choices
from folkmoot.protocols.known import build
from folkmoot.protocols.measured.forecast import kind_of, newest_forecasts
from folkmoot.testing.replay import Harness, SeededAgent
from tests.cli.commands import folkmoot
from tests.kits.players import ANN, BOB, CY, Player, resume_everywhere

Said = Mapping[str, Value] | None
NUMBER = Choices(forecast="number")
QUANTILES = Choices(forecast="quantiles")


async def hold(
    first: Sequence[Said], later: Sequence[Said] = (), *, choices: Choices | None = None
) -> tuple[Transcript, Player]:
    """A debate of those who forecast so at first, and so when asked again; None fails."""
    people = (ANN, BOB, CY)[: len(first)]
    brief = Brief(topic="Will it rain?", participants=people)

    def script(ask: Ask, context: Context) -> Said:
        answer = (first if ask.act == "draft" else later)[[who.name for who in people].index(ask.to)]
        return None if answer is None else {"ARGUMENT": f"{ask.to}'s reason", **answer}

    player = Player(script)
    place = Harness(brief=brief, protocol=build("forecast", brief, choices), name="forecast")
    debate = await place.run({who.name: player for who in people})
    return debate.transcript, player


def p(*values: float) -> list[Said]:
    return [{"PROBABILITY": value} for value in values]


async def test_forecasts_that_are_close_are_pooled_without_a_debate() -> None:
    transcript, player = await hold(p(0.6, 0.7, 0.8))
    assert len(player.asked) == 3
    decision = transcript.decision
    assert decision
    assert (decision.status, decision.text, decision.rule) == ("decided", "0.7", "mean")
    assert decision.support == ("Ann", "Bob", "Cy")
    assert decision.argument == "Bob's reason"
    assert decision.how == (
        "the mean of 3 forecasts: Ann 0.6, Bob 0.7, Cy 0.8; no debate took place: the answers differ by 0.20, "
        "which is not more than 0.2"
    )


async def test_forecasts_that_differ_are_made_again_before_all_of_them() -> None:
    transcript, player = await hold(p(0.2, 0.9, 0.4), p(0.5, 0.8, 0.5))
    assert [ask.act for ask, _ in player.asked] == ["draft"] * 3 + ["revise"] * 3
    for ask, context in player.asked[3:]:
        assert {turn.by for turn in context.about} == {"Ann", "Bob", "Cy"}
        assert ask.view.anonymous
    assert transcript.decision
    assert transcript.decision.text == "0.6"
    assert transcript.decision.how == (
        "the mean of 3 forecasts: Ann 0.5, Bob 0.8, Cy 0.5; the mean of the first forecasts was 0.5"
    )


async def test_who_says_nothing_later_keeps_the_first_forecast() -> None:
    transcript, _ = await hold(p(0.2, 0.9), [{"PROBABILITY": 0.4}, None])
    assert newest_forecasts(transcript, "probability") == {"Ann": (0.4,), "Bob": (0.9,)}
    assert transcript.decision
    assert transcript.decision.text == "0.65"


async def test_numbers_differ_by_a_share_of_the_largest() -> None:
    near, player = await hold([{"ESTIMATE": 90}, {"ESTIMATE": 100}], choices=NUMBER)
    assert len(player.asked) == 2
    assert near.decision
    assert near.decision.text == "95"
    far, player = await hold([{"ESTIMATE": 70}, {"ESTIMATE": 100}], [{"ESTIMATE": 80}] * 2, choices=NUMBER)
    assert len(player.asked) == 4
    assert far.decision
    assert far.decision.text == "80"
    _, player = await hold([{"ESTIMATE": 70}, {"ESTIMATE": 100}], choices=replace(NUMBER, threshold=0.3))
    assert len(player.asked) == 2


async def test_of_quantiles_each_is_pooled_and_they_must_rise() -> None:
    ann, bob, cy = {"P10": 1, "P50": 10, "P90": 20}, {"P10": 3, "P50": 11, "P90": 40}, {"P10": 9, "P50": 10, "P90": 2}
    transcript, _ = await hold([ann, bob, cy], choices=QUANTILES)
    assert kind_of(transcript) == "quantiles"
    assert transcript.decision
    assert transcript.decision.text == "10.5"
    assert transcript.decision.support == ("Ann", "Bob")
    assert "Ann 10, Bob 11; one in ten below 2, one in ten above 30" in transcript.decision.how


async def test_without_any_forecast_nothing_is_decided() -> None:
    transcript, _ = await hold([{}, {}], [{}, {}])
    assert transcript.decision
    assert (transcript.decision.status, transcript.decision.how) == ("no_decision", "no forecast could be read")


@pytest.mark.parametrize("choices", [None, NUMBER, QUANTILES])
async def test_it_resumes_from_every_entry(choices: Choices | None) -> None:
    brief = Brief(topic="Rain?", participants=(ANN, BOB, CY))
    place = Harness(brief=brief, protocol=build("forecast", brief, choices), name="forecast")
    whole = await place.run(dict.fromkeys(("Ann", "Bob", "Cy"), SeededAgent(1)))
    await resume_everywhere(place, whole, seed=1)


def test_options_are_refused() -> None:
    brief = Brief(topic="Rain?", participants=(ANN, BOB), options=("yes", "no"))
    with pytest.raises(ProtocolError, match="forecast takes no options; ask for the probability that the answer is"):
        build("forecast", brief)


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("protocol: panel\nforecast: number", "panel does not support forecast; forecast does"),
        ("protocol: council\nthreshold: 0.3", "council does not support threshold; panel, gate and forecast do"),
        ("protocol: forecast\nforecast: colour", "forecast"),
        ("protocol: forecast\nstrategy: majority", "forecast cannot be decided by 'majority'"),
    ],
)
def test_what_does_not_fit_is_refused(header: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "rain.md").write_text(f"---\n{header}\n---\n# Will it rain?\n", "utf-8")
    result = folkmoot(tmp_path, "check", "rain.md", "-m", "builtin:quotes")
    assert result.exit_code == 2
    assert problem in result.output


@pytest.mark.parametrize("kind", ["probability", "number", "quantiles"])
def test_a_forecast_from_the_brief_to_its_scores(kind: str, tmp_path: Path) -> None:
    """Through a whole debate, its report, and the truth."""
    text = f"---\nprotocol: forecast\nforecast: {kind}\n---\n# Will the port open in May?\n\n- Ann\n- Bob\n"
    (tmp_path / "port.md").write_text(f"{text}\n## Background\n\nThe port opens in May, say 9 of 10 pilots.\n", "utf-8")
    run = folkmoot(tmp_path, "run", "port.md", "-m", "builtin:quotes")
    assert run.exit_code == 0, run.output
    assert "the mean of" in folkmoot(tmp_path, "show", "last").output
    refused = folkmoot(tmp_path, "learn", "resolve", "last", "--answer", "perhaps")
    assert refused.exit_code == 2
    assert "the truth of this forecast is" in refused.output
    resolved = folkmoot(tmp_path, "learn", "resolve", "last", "--answer", "yes" if kind == "probability" else "9")
    assert resolved.exit_code == 0, resolved.output
    word = {"probability": "log score", "number": "error", "quantiles": "pinball loss"}[kind]
    assert f"{word} " in resolved.output.partition("the mean: ")[2]
