"""The pilot through whole paths: in batches, with a rubric, with repeats; it reads costs and spreads and no more."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkmoot.app.evaluation import eval_run
from folkmoot.app.evaluation.arms import Arm, with_rivals
from folkmoot.app.evaluation.blocks import more_repeats, repeat_of
from folkmoot.app.evaluation.eval_files import read_result
from folkmoot.app.questions.data_sets import Question
from folkmoot.evaluation.power import Pilot
from folkmoot.testing.small_web import Web
from tests.app.evaluation.eval_kit import chance, questions, run_of, setup_of, workspace_of
from tests.app.evaluation.test_eval_run import NAMES, PANEL, evaluated
from tests.cli.commands import folkmoot
from tests.kits.batch_servers import BatchServers
from tests.kits.in_thread import in_thread

GPT, CLAUDE = "openai:gpt-5.4-mini", "anthropic:claude-haiku-5-5"
PLACES = "id,input,options,truth\n" + "".join(f"{n},Is place {n} nearer?,yes|no,yes\n" for n in range(5))
ESSAYS = "id,input,kind,truth\n" + "".join(f"{n},Explain place {n}.,rubric,It names the port.\n" for n in range(5))
TWICE = "for twice the money it falls to "


@pytest.fixture(autouse=True)
def short_pilot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eval_run, "PILOT", 3)


def say(body: Mapping[str, Any]) -> str:
    """An answer that follows from the whole request; a judge finds most answers good."""
    text = str(body)
    word = "yes" if chance(text) < 0.6 else "no"
    if "meet the rubric in rubric.md" in text:
        word = "meets the rubric" if word == "yes" else "does not meet the rubric"
    return f"ANSWER: {word}\nARGUMENT: It is so."


def shop_of(url: str) -> dict[str, str]:
    return {
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_API_KEY": "k",
        "ANTHROPIC_BASE_URL": url,
        "FOLKMOOT_BATCH_LOOK": "0.1",
    }


@pytest.mark.parametrize("epochs", [1, 2])
async def test_repeats_tell_whether_more_of_them_pay_and_count_in_no_score(tmp_path: Path, epochs: int) -> None:
    data = questions(6)
    setup = replace(setup_of(tmp_path, *NAMES, arms=PANEL), epochs=epochs)
    workspace, _ = workspace_of(*NAMES)
    run = await run_of(workspace, setup, data, tmp_path / "pilot")
    pilots: list[Pilot] = []
    run.only_pilot, run.tell_pilot = True, pilots.append
    await run.run()
    assert {row.epoch for row in (await run.result()).scores} == set(range(1, epochs + 1))
    [pilot] = pilots
    assert pilot.repeated
    assert pilot.doubled - 1e-9 <= pilot.repeated <= pilot.smallest
    workspace, models = workspace_of(*NAMES, store=workspace.store)  # pyright: ignore[reportArgumentType]
    again = await run_of(workspace, setup, data, tmp_path / "pilot")
    await again.run()
    calls = sum(len(model.log) for model in models.values())
    scores = (await again.result()).scores
    workspace, models = workspace_of(*NAMES)
    whole = await evaluated(tmp_path / "whole", setup, data, workspace)
    assert calls < sum(len(model.log) for model in models.values()), "what the pilot asked is not asked again"
    assert scores == whole.scores


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("kinds", [("panel",), ("panel", "council")])
async def test_what_is_used_is_near_what_was_expected_and_below_the_usual_limit(
    tmp_path: Path, kinds: tuple[str, ...], seed: int
) -> None:
    arms = with_rivals([Arm(name=kind, kind="protocol", protocol=kind) for kind in kinds])
    setup = setup_of(tmp_path, *NAMES, arms=arms)
    setup = replace(setup, panel=replace(setup.panel, seed=seed))
    workspace, models = workspace_of(*NAMES)
    run = await run_of(workspace, setup, questions(6), tmp_path)
    await run.run()
    result = await run.result()
    calls = sum(len(model.log) for model in models.values())
    expected, usual = run.prepared.total, run.prepared.usual(6)
    assert 0.7 < calls / expected.calls < 1.5
    assert expected.calls < usual.calls
    assert calls < usual.calls
    assert result.paid_usd
    assert usual.usd
    assert result.paid_usd < usual.usd
    assert result.paid_tokens < usual.tokens
    assert run.prepared.expected(3).calls == pytest.approx(expected.calls / 2)


def test_a_plan_says_what_to_expect_and_what_it_stays_below(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text(PLACES, "utf-8")
    words = ("eval", "plan", "places.csv", "-m", GPT)
    plan = folkmoot(tmp_path, *words, OPENAI_API_KEY="k").output
    pattern = r"^(expected|usually below): [\d,]+ calls, [\d,]+ tokens, cost \$(\d+\.\d\d)(?:; equal cost in usd)?$"
    (low, expected), (high, usual) = re.findall(pattern, plan, flags=re.MULTILINE)
    assert (low, high) == ("expected", "usually below")
    assert 0 < float(expected) < float(usual)
    assert "pilot: 3 questions, each put 2 times: " not in plan
    assert "pilot: 3 questions, each put 2 times: " in folkmoot(tmp_path, *words, "--pilot", OPENAI_API_KEY="k").output


def test_first_answers_of_a_pilots_own_repeats_are_no_others() -> None:
    for epochs in (1, 2, 3):
        numbers = [repeat_of(epoch, rounds, epochs) for epoch in range(1, epochs + 3) for rounds in range(70)]
        assert len(set(numbers)) == len(numbers)
        assert repeat_of(2, 3, epochs) == 3 * epochs + 2 or epochs == 1


def test_both_orders_of_a_preference_are_one_measurement() -> None:
    options = ("left", "right")
    pair = [Question(id="q", input="Which?", kind="preference", options=options)]
    assert [block.epoch for block in more_repeats(pair, 2)] == [3, 4]
    assert more_repeats(pair, 4) == []


def test_a_pilot_in_batches_is_sent_waited_for_and_resumed(tmp_path: Path) -> None:
    (tmp_path / "places.csv").write_text(PLACES, "utf-8")
    servers = BatchServers(words=say, auto=True)
    web = Web(servers.script)
    words = ("eval", "places.csv", "-m", GPT, "-m", CLAUDE, "--batch", "--yes")
    with in_thread(web.serve):
        sent = folkmoot(tmp_path, *words, "--pilot", "--no-wait", **shop_of(web.url))
        assert "after 3 questions" not in sent.output
        assert "0 of 5 questions answered by all arms" in sent.output
        pilot = folkmoot(tmp_path, *words, "--pilot", **shop_of(web.url))
        assert pilot.exit_code == 0, pilot.output
        assert "after 3 questions: all cost $" in pilot.output
        assert TWICE in pilot.output
        assert "3 of 5 questions answered by all arms" in pilot.output
        assert "paused: the pilot is over; repeat the command without --pilot to resume" in pilot.output
        known = set(servers.items)
        whole = folkmoot(tmp_path, *words, "--force", **shop_of(web.url))
    assert whole.exit_code == 0, whole.output
    assert "5 of 5 questions answered by all arms" in whole.output
    assert not servers.live, "nothing was asked at the full price"
    assert len(servers.items) == len(set(servers.items)) > len(known), "no call is sent twice"
    assert {row.epoch for row in read_result(tmp_path / "places-eval").scores} == {1}


@pytest.mark.parametrize("batch", [True, False])
def test_a_pilot_with_a_rubric_has_its_answers_judged(tmp_path: Path, batch: bool) -> None:
    (tmp_path / "essays.csv").write_text(ESSAYS, "utf-8")
    servers = BatchServers(words=say, auto=True)
    web = Web(servers.script)
    words = ("eval", "essays.csv", "-m", GPT, "--rubric-judge", CLAUDE, *(["--batch"] * batch), "--yes")
    with in_thread(web.serve):
        pilot = folkmoot(tmp_path, *words, "--pilot", **shop_of(web.url))
        assert pilot.exit_code == 0, pilot.output
        assert "after 3 questions: all cost $" in pilot.output
        assert "3 of 5 questions answered by all arms" in pilot.output
        scores = read_result(tmp_path / "essays-eval").scores
        whole = folkmoot(tmp_path, *words, "--force", **shop_of(web.url))
        shown = folkmoot(tmp_path, "eval", "show", "essays-eval")
    assert "5 of 5 questions answered by all arms" in whole.output
    assert "no verdict: judge not checked" in shown.output
    assert {row.credit for row in scores if row.arm == "panel"} <= {0.0, 0.5, 1.0}
    judged = [str(body) for body in servers.live if "meet the rubric in rubric.md" in str(body)]
    assert bool(judged) is not batch
    assert len(judged) == len(set(judged)), "no answer is judged twice"
