"""A rule of another package decides in every protocol that ranks, and is recounted; numbers out of bounds are told."""

import json
from pathlib import Path

import pytest

import folkmoot
from folkmoot.app.plan.settings import load_config, user_file
from folkmoot.core.errors import BriefError
from folkmoot.protocols.known import DECIDED_BY
from tests.cli.commands import folkmoot as command
from tests.cli.commands import settle
from tests.council.agents import own_place
from tests.ext.ext_kit import Install
from tests.ext.test_ext_whole import brief, flat

RANKING = tuple(name for name, ways in DECIDED_BY.items() if "borda" in ways)


def test_these_protocols_rank() -> None:
    assert {"panel", "council", "arena"} <= {*RANKING}


@pytest.mark.parametrize("protocol", RANKING)
def test_a_rule_for_scores_decides_wherever_answers_are_ranked(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    own_place(tmp_path, monkeypatch)
    install("folkmoot_star")
    name = brief(tmp_path, f"protocol: {protocol}\nstrategy: star\nstrategy_options: {{finalists: 3}}")
    outcome = folkmoot.run(tmp_path / name, model="builtin:quotes", store=tmp_path / "folkmoot.sqlite")
    assert outcome.decision is not None
    assert (outcome.decision.rule, outcome.status in ("decided", "tie")) == ("star", True)
    assert any(ballot.scores for ballot in outcome.decision.ballots)
    assert "folkmoot-star 2.1 for rule Star" in outcome.report().replace("\\", "")
    counted = command(
        tmp_path, "show", "--recount", outcome.debate, "--json", FOLKMOOT_STORE=str(tmp_path / "folkmoot.sqlite")
    )
    data = json.loads(counted.output)
    (star,) = [count for count in data["counts"] if count["rule"] == "star"]
    # Counted with the options of the debate, it comes out as it did.
    assert star["how"] == outcome.decision.how or star["how"] in outcome.decision.how


@pytest.mark.parametrize("protocol", ["round_robin", "grouped", "board"])
def test_where_nobody_ranks_a_rule_for_scores_is_refused(install: Install, tmp_path: Path, protocol: str) -> None:
    install("folkmoot_star")
    refused = command(
        tmp_path, "check", brief(tmp_path, f"protocol: {protocol}\nstrategy: star"), "-m", "builtin:quotes"
    )
    assert refused.exit_code == 2, refused.output
    assert f"b.md:3: {protocol} cannot be decided by 'star'" in flat(refused.output)


def test_the_settings_limit_a_provider_of_another_package(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    user_file().parent.mkdir(parents=True)
    user_file().write_text("[limits.say]\nrequests = 30\n", "utf-8")
    with pytest.raises(BriefError, match=r"limits\.say is not a provider; there are ollama, openai"):
        load_config(tmp_path)
    install("folkmoot_say")
    assert load_config(tmp_path).limits["say"].requests == 30


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--rounds", "21"), "--rounds must be from 0 to 20, not 21"),
        (("--max-questions", "0"), "--max-questions must be from 1 to 10,000, not 0"),
        (("--budget", "-1"), "--budget must be from 0 to 100,000, not -1"),
        (("--rounds", "many"), "--rounds is 'many'; it must be a whole number"),
        (("--turn-seconds", "soon"), "--turn-seconds is 'soon'; it must be a number"),
        (("--set", "rounds=21"), "rounds must be from 0 to 20, not 21"),
    ],
)
def test_a_number_out_of_bounds_is_told_alike_at_every_entrance(
    tmp_path: Path, words: tuple[str, str], sentence: str
) -> None:
    refused = command(tmp_path, "check", "Tea or coffee?", *words)
    assert refused.exit_code == 2, refused.output
    assert sentence in flat(refused.output)
