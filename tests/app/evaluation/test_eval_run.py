"""Whole evaluations: equal cost, no truth in requests, the same scores after kills, a hard budget, a changed plan."""

from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from folkmoot.app.evaluation.folder import read_result
from folkmoot.app.evaluation.questions import DataSet, Key, Question
from folkmoot.app.evaluation.responses import own_entries
from folkmoot.app.evaluation.run import EvalRun, Progress
from folkmoot.app.evaluation.scoreboard import measure
from folkmoot.app.evaluation.scores import EvalResult, Score
from folkmoot.app.evaluation.setup import Arm, Setup, plain_setup, read_arms
from folkmoot.app.run.outcome import Outcome
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.agent import Quote
from folkmoot.core.errors import BriefError, ModelError, RecordConflict, RecordError, Refused, Unavailable
from folkmoot.core.event import Called, Opened
from folkmoot.evaluation.verdicts import COST_ROOM
from folkmoot.models.base import Request
from folkmoot.testing.scripted import ScriptedModel
from folkmoot.testing.store_checks import InMemoryStore
from tests.app.evaluation.eval_kit import OPTIONS, PRICE, questions, run_of, setup_of, workspace_of
from tests.kits.thoroughness import MORE

NAMES = ("a", "b", "c")
MODELS = [f"guest:{name}" for name in NAMES]
PANEL = read_arms([Arm(kind="panel")], MODELS)


def by_arm(result: EvalResult) -> dict[str, list[Score]]:
    rows: dict[str, list[Score]] = defaultdict(list)
    for score in result.scores:
        rows[score.arm].append(score)
    return rows


async def evaluated(folder: Path, setup: Setup, data: DataSet, workspace: Workspace) -> EvalResult:
    run = await run_of(workspace, setup, data, folder)
    await run.run()
    assert run.paused == ""
    return await run.result()


@pytest.mark.parametrize("kind", ["too_long", "refused"])
async def test_a_question_that_all_refuse_is_one_failure_and_ends_no_evaluation(tmp_path: Path, kind: str) -> None:
    workspace, models = workspace_of("a")
    model = models["a"]

    def refuse_one() -> None:
        model.fault = Refused("not this one", kind=kind) if "day 1?" in model.log[-1] else None

    model.before = refuse_one
    arms = [Arm(name="panel", kind="panel"), Arm(name="single", kind="single", model="guest:a")]
    result = await evaluated(tmp_path, setup_of(tmp_path, "a", arms=arms), questions(4), workspace)
    states = {(row.arm, row.question): row.state for row in result.scores}
    assert {question for (_, question), state in states.items() if state == "failed"} == {"q1"}
    assert {question for _, question in states} == {"q0", "q1", "q2", "q3"}


# ---- equal cost ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4 if MORE else 1))
@pytest.mark.parametrize("currency", ["usd", "tokens", "calls"])
async def test_rivals_cost_what_the_debate_costs(tmp_path: Path, seed: int, currency: str) -> None:
    chance = Random(seed)
    names = NAMES[: chance.randint(1, 3)]
    setup = setup_of(tmp_path, *names, arms=[*PANEL, Arm(name="rethink", kind="rethink")])
    setup = replace(setup, seed=seed, seats=chance.randint(3, 4), currency=currency)  # pyright: ignore[reportArgumentType]
    workspace, models = workspace_of(*names)
    result = await evaluated(tmp_path, setup, questions(chance.randint(4, 9)), workspace)
    totals = {arm: sum(float(getattr(row, currency) or 0.0) for row in rows) for arm, rows in by_arm(result).items()}
    assert totals["panel"] > 0
    for rival in ("sample", "adaptive"):
        assert totals[rival] == pytest.approx(totals["panel"], rel=0.02)
    sent = sum(len(model.history) for model in models.values())
    assert result.run.paid_usd == pytest.approx(await bill(workspace))
    assert sent == await calls_on_record(workspace), "every call is on record, and none is on record twice"


async def calls_on_record(workspace: Workspace) -> int:
    records = [await workspace.entries(debate.debate) for debate in await workspace.list()]
    return sum(isinstance(entry.event, Called) for entries in records for entry in own_entries(entries))


async def bill(workspace: Workspace) -> float:
    """What the provider has charged, counted from the requests themselves."""
    records = [await workspace.entries(debate.debate) for debate in await workspace.list()]
    used = [
        entry.event.usage for entries in records for entry in own_entries(entries) if isinstance(entry.event, Called)
    ]
    return sum(PRICE * (usage.input_tokens + 4 * usage.output_tokens) for usage in used)


async def test_arms_share_first_answers_and_are_charged_in_full(tmp_path: Path) -> None:
    workspace, models = workspace_of(*NAMES)
    arms = [*PANEL, Arm(name="again", kind="panel", rounds=0), Arm(name="rethink", kind="rethink")]
    setup = setup_of(tmp_path, *NAMES, arms=[*arms, Arm(name="three", kind="sample", size=3)])
    result = await evaluated(tmp_path, setup, questions(4), workspace)
    rows = by_arm(result)
    assert [arm.own_drafts for arm in result.plan.arm] == [False] * 6
    assert [row.calls for row in rows["again"]] == [3] * 4
    assert [row.usd for row in rows["again"]] == pytest.approx([row.usd for row in rows["three"]])
    assert [row.credit for row in rows["again"]] == [row.credit for row in rows["three"]]
    assert sum(row.calls for row in result.scores) > sum(len(model.history) for model in models.values())
    first, again = (
        {(row.question, seat.seat): seat.first for row in by_arm(result)[arm] for seat in row.seats}
        for arm in ("panel", "rethink")
    )
    assert first == again != {}


async def test_a_debate_with_prompts_of_its_own_has_own_drafts(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    arms = [*PANEL, Arm(name="chaired", kind="moderated", rounds=1)]
    others = Arm(name="copies", kind="panel", models=("guest:a",))
    result = await evaluated(tmp_path, setup_of(tmp_path, *NAMES, arms=[*arms, others]), questions(2), workspace)
    own = {arm.name: arm.own_drafts for arm in result.plan.arm}
    assert (own["panel"], own["chaired"], own["copies"]) == (False, True, True)
    assert {seat.model for row in by_arm(result)["copies"] for seat in row.seats} == {"guest:a"}


async def test_a_protocol_is_compared_with_another_one_at_equal_cost(tmp_path: Path) -> None:
    """The cheaper one is held as often as the dearer one costs, and what it decides is counted."""
    workspace, models = workspace_of(*NAMES)
    long = Arm(name="long", kind="panel", rounds=3, set=("threshold=0",))
    other = Arm(name="panel=long", kind="panel", match="long")
    setup = setup_of(tmp_path, *NAMES, arms=read_arms([long, other], MODELS))
    result = await evaluated(tmp_path, setup, questions(12), workspace)
    rows = by_arm(result)
    costs = {name: sum(row.usd or 0.0 for row in own) for name, own in rows.items()}
    assert costs["panel=long"] == pytest.approx(costs["long"], rel=0.02)
    assert sum(row.calls for row in rows["panel=long"]) > 12 * 6, "it is held more than once"
    assert sum(len(model.history) for model in models.values()) == await calls_on_record(workspace)
    board = measure(result)
    assert [(line.arm, line.rival) for line in board.verdicts] == [("long", ""), ("long", "panel=long")]
    [pair] = [pair for pair in board.pairs if pair.compared.rival == "panel=long"]
    assert pair.compared.cost_ratio == pytest.approx(1, abs=COST_ROOM)
    assert pair.adjusted is not None
    assert pair.adjusted >= pair.compared.p
    workspace, _ = workspace_of(*NAMES)
    swapped = [replace(long, match="panel", name="dearer"), Arm(name="panel", kind="panel")]
    with pytest.raises(BriefError, match="one panel costs more than panel"):
        await run_of(workspace, replace(setup, arm=read_arms(swapped, MODELS)), questions(2), tmp_path / "other")


@pytest.mark.parametrize(("protocol", "against"), [("council", "panel"), ("panel", "council")])
async def test_of_two_protocols_the_dearer_one_is_the_debate_whichever_is_named_first(
    tmp_path: Path, protocol: str, against: str
) -> None:
    workspace, _ = workspace_of(*NAMES)
    models = [f"guest:{name}" for name in NAMES]
    setup = plain_setup(tmp_path / "check.jsonl", models, protocol=protocol, against=against)
    run = await run_of(workspace, setup, questions(2), tmp_path)
    assert {arm.name: arm.match for arm in run.plan.arm if arm.is_protocol} == {
        "council": "",
        "panel=council": "council",
    }


async def test_progress_says_what_the_rest_costs_and_takes(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    run, told = (
        await run_of(workspace, setup_of(tmp_path, *NAMES, arms=PANEL), questions(4), tmp_path),
        list[Progress](),
    )
    run.parallel, run.tell = 1, told.append
    await run.run()
    assert [(item.done, item.total) for item in told] == [(n, 4) for n in range(1, 5)]
    assert [item.left for item in told] == pytest.approx([item.paid * (4 - n) / n for n, item in enumerate(told, 1)])
    assert told[0].paid > 0
    assert told[0].seconds > told[3].seconds == 0


# ---- no truth in any request -----------------------------------------------------------------------------------------


async def requests(folder: Path, data: DataSet) -> list[str]:
    log: list[str] = []
    workspace, models = workspace_of(*NAMES)
    for model in models.values():
        model.log = log
    await evaluated(folder, setup_of(folder, *NAMES), data, workspace)
    return log


async def test_requests_are_byte_equal_whatever_the_truth_is(tmp_path: Path) -> None:
    data, chance = questions(6), Random(3)
    keys = tuple(replace(key, truth=chance.choice(OPTIONS)) for key in data.keys)
    other = await requests(tmp_path / "b", replace(data, keys=keys))
    assert await requests(tmp_path / "a", data) == other
    assert len(other) > 6 * 9


# ---- kills -----------------------------------------------------------------------------------------------------------


async def test_scores_are_the_same_after_kills(tmp_path: Path) -> None:
    """What a kill leaves is what was durable when a request was sent; the next run begins with that.

    What a killed request may have cost stays reserved; it does not use up what its debate may still cost.
    """
    data, setup = questions(3), replace(setup_of(tmp_path, *NAMES), budget=99.0)
    workspace, models = workspace_of(*NAMES)
    await evaluated(tmp_path / "whole", setup, data, workspace)
    calls = sum(len(model.history) for model in models.values())
    chance = Random(11)
    for n in range(6 if MORE else 2):
        store, paid = InMemoryStore(), 0
        for moment in sorted(chance.sample(range(1, calls), 2)):
            store, sent = await killed(tmp_path / str(n), setup, data, store, moment - paid)
            paid += sent
        workspace, models = workspace_of(*NAMES, store=store)
        await evaluated(tmp_path / str(n), setup, data, workspace)
        for name in ("scores.jsonl", "plan.json"):
            assert (tmp_path / str(n) / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        assert await calls_on_record(workspace) == calls, "no call is on record twice"


async def killed(
    folder: Path, setup: Setup, data: DataSet, store: InMemoryStore, calls: int
) -> tuple[InMemoryStore, int]:
    """Run until so many requests were sent; returns what was durable then."""
    workspace, models = workspace_of(*NAMES, store=store)
    left: list[InMemoryStore] = []
    sent: list[str] = []

    def look() -> None:
        sent.append("")
        if len(sent) == max(1, calls):
            left.append(InMemoryStore({debate: list(lines) for debate, lines in store.kept.items()}))
            run.stop.reason = "killed"

    for model in models.values():
        model.before = look
    run = await run_of(workspace, setup, data, folder)
    await run.run()
    if not left:  # what is drawn at the end
        await run.result()
    return (left or [store])[0], max(1, calls)


# ---- budget and faults -----------------------------------------------------------------------------------------------


async def test_a_budget_is_hard_and_goes_into_whole_questions_with_their_rivals(tmp_path: Path) -> None:
    """Each call is reserved at about 20 times its cost here; that must not leave a third of the money unused."""
    data, setup = questions(20), setup_of(tmp_path, *NAMES)
    workspace, _ = workspace_of(*NAMES)
    whole = await evaluated(tmp_path / "whole", setup, data, workspace)
    assert whole.run.paid_usd
    budget = round(0.3 * whole.run.paid_usd, 3)
    workspace, _ = workspace_of(*NAMES)
    run = await run_of(workspace, replace(setup, budget=budget), data, tmp_path / "part")
    await run.run()
    part = await run.result()
    assert run.at_limit
    assert f"${budget:g}" in run.paused
    assert part.run.paid_usd
    assert part.run.paid_usd <= budget
    counted = {row.question for row in part.scores}
    assert len(counted) >= 5, "6 of 20 would be a fair share"
    assert len(part.scores) == len(counted) * len(setup.arm)
    costs = {arm: sum(row.usd or 0.0 for row in rows) for arm, rows in by_arm(part).items()}
    assert [costs["sample"], costs["adaptive"]] == pytest.approx([costs["panel"]] * 2, rel=0.02)
    again = await run_of(workspace, replace(setup, budget=99.0), data, tmp_path / "part")
    await again.run()
    assert (await again.result()).scores == whole.scores


async def test_a_budget_needs_known_prices(tmp_path: Path) -> None:
    workspace = Workspace(InMemoryStore())
    workspace.pool.add_agent("a", Unpriced(lambda request: "ANSWER: alpha\nARGUMENT: so", name="guest:a"))
    with pytest.raises(BriefError, match="a budget needs the price of every model, and that of guest:a is unknown"):
        await run_of(workspace, replace(setup_of(tmp_path, "a"), budget=1.0), questions(2), tmp_path)
    run = await run_of(workspace, setup_of(tmp_path, "a"), questions(2), tmp_path)
    plan = replace(run.plan, budget=1.0)  # as where a price gets lost after the plan
    run = EvalRun(workspace=workspace, prepared=replace(run.prepared, plan=plan), folder=tmp_path)
    await run.run()
    assert run.paused == "a budget needs known prices, and the price of guest:a is unknown"
    with pytest.raises(
        BriefError, match="the currency usd needs the price of every model, and that of guest:a is unknown; use tokens"
    ):
        await run_of(workspace, replace(setup_of(tmp_path, "a"), currency="usd"), questions(2), tmp_path)


class Unpriced(ScriptedModel):
    """A model without a price."""

    def quote(self, request: Request) -> Quote:
        """Nobody knows what it costs."""
        return replace(super().quote(request), cost=None)


async def test_a_provider_that_is_away_pauses_and_a_seat_that_fails_is_kept(tmp_path: Path) -> None:
    workspace, models = workspace_of(*NAMES)
    for model in models.values():
        model.fault = Unavailable("guest:a is away", kind="key", again=False)
    setup = setup_of(tmp_path, *NAMES)
    run = await run_of(workspace, setup, questions(3), tmp_path)
    await run.run()
    assert "none of 3 participants could be reached" in run.paused
    assert (await run.result()).scores == ()
    for model in models.values():
        model.fault = None
    models["b"].fault = ModelError("guest:b refuses", kind="refused")
    result = await evaluated(tmp_path, setup, questions(3), workspace)
    rows = by_arm(result)
    assert {row.state for row in rows["single:guest:b"]} == {"failed"}
    assert {row.credit for row in rows["single:guest:b"]} == {0.0}
    assert {row.state for row in rows["panel"]} <= {"answered", "tied"}


async def test_a_stop_is_heeded(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    run = await run_of(workspace, setup_of(tmp_path, *NAMES), questions(3), tmp_path)
    run.tell = lambda progress: setattr(run.stop, "reason", "interrupted")
    run.parallel = 1
    await run.run()
    assert run.paused == "interrupted"
    assert len({row.question for row in (await run.result()).scores}) == 1


# ---- the plan --------------------------------------------------------------------------------------------------------


async def test_the_plan_is_in_every_record_and_a_later_change_shows(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    setup, data = setup_of(tmp_path, *NAMES), questions(3)
    result = await evaluated(tmp_path, setup, data, workspace)
    mark = f"evaluation check, plan {result.plan.hash[:16]}"
    for listed in await workspace.list():
        opened = (await workspace.entries(listed.debate))[0].event
        assert isinstance(opened, Opened)
        assert mark in opened.chosen
    assert not result.run.plan_changed
    assert not (await evaluated(tmp_path, setup, data, workspace)).run.plan_changed, "the same command changes nothing"
    assert (await evaluated(tmp_path, replace(setup, margin=0.2), data, workspace)).run.plan_changed
    assert read_result(tmp_path).run.plan_changed
    assert (await evaluated(tmp_path, replace(setup, margin=0.2), data, workspace)).run.plan_changed, "and it stays so"
    elsewhere = replace(setup, margin=0.3)
    with pytest.raises(RecordError, match="the store has debates of an evaluation 'check' with another plan; give"):
        await evaluated(tmp_path / "new", elsewhere, data, workspace)
    with pytest.raises(RecordError, match="has the evaluation 'check'; choose another folder with --out"):
        await run_of(workspace, replace(setup, name="other"), data, tmp_path)


async def test_a_plan_may_change_before_the_first_call(tmp_path: Path) -> None:
    workspace, _ = workspace_of(*NAMES)
    setup, data = setup_of(tmp_path, *NAMES), questions(3)
    await run_of(workspace, setup, data, tmp_path)
    assert not (await evaluated(tmp_path, replace(setup, margin=0.2), data, workspace)).run.plan_changed


async def test_another_process_on_the_same_evaluation_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the other one has answered stays, and the folder gets no scores of half an evaluation."""
    workspace, _ = workspace_of(*NAMES)
    run = await run_of(workspace, setup_of(tmp_path, *NAMES), questions(12), tmp_path)
    whole = Workspace.run
    drawn = iter(range(100))

    async def interrupted(self: Workspace, *args: object, **options: object) -> Outcome:
        if next(drawn) == 5:
            raise RecordConflict("it is being run by another process")
        return await whole(self, *args, **options)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(Workspace, "run", interrupted)
    with pytest.raises(RecordConflict, match="another process runs this evaluation; nothing is lost"):
        await run.run()
    assert not (tmp_path / "scores.jsonl").exists()


@pytest.mark.parametrize("setting", ["recall=yes", "threshold=learned"])
async def test_an_arm_that_would_learn_from_other_questions_is_refused(tmp_path: Path, setting: str) -> None:
    """Past debates may have had these very questions; and what is learned meanwhile would change the plan."""
    workspace, _ = workspace_of(*NAMES)
    arms = read_arms([Arm(name="gated", kind="gate", set=(setting,))], MODELS)
    with pytest.raises(BriefError, match=f"'q0': arm gated: .*{setting.partition('=')[0]}"):
        await run_of(workspace, setup_of(tmp_path, *NAMES, arms=arms), questions(2), tmp_path)


# ---- kinds of questions ----------------------------------------------------------------------------------------------


async def test_numbers_texts_and_probabilities(tmp_path: Path) -> None:
    data = DataSet(
        questions=(
            Question(id="n", input="How many vans?", kind="number"),
            Question(id="t", input="Which place?", kind="text"),
        ),
        keys=(Key(id="n", truth="14"), Key(id="t", truth="port", accepted=("the harbour",))),
    )
    workspace, models = workspace_of(*NAMES)
    for model in models.values():
        model.say = lambda prompt: (
            "I vote for: Proposal A"
            if "I vote for" in prompt
            else f"ANSWER: {'14 vans' if 'vans' in prompt else 'Harbour'}\nARGUMENT: so"
        )
    result = await evaluated(tmp_path / "a", setup_of(tmp_path, *NAMES), data, workspace)
    assert {row.credit for row in result.scores} == {1.0}
    assert {row.answer for row in result.scores} == {"14 vans", "Harbour"}

    data = DataSet(
        questions=tuple(Question(id=f"f{i}", input=f"Rain on {i}?", kind="probability") for i in range(3)),
        keys=tuple(Key(id=f"f{i}", truth="1") for i in range(3)),
    )
    workspace, models = workspace_of(*NAMES)
    for model in models.values():
        model.say = lambda prompt: "PROBABILITY: 0.8\nANSWER: 80 %\nARGUMENT: clouds"
    result = await evaluated(tmp_path / "b", setup_of(tmp_path, *NAMES), data, workspace)
    assert result.plan.score == "log_loss"
    assert [row.brier for row in by_arm(result)["sample"]] == pytest.approx([0.04] * 3)
    assert {row.answer for row in by_arm(result)["rethink"]} == {"0.8"}
