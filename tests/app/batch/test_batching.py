"""Holding a batch: what is over is only read, what stands still goes on, nobody pays twice, and the budget holds."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from moot.app.batch.batch_plan import FaultyBatch, make_batch, make_item
from moot.app.batch.run_batch import BatchBudget
from moot.app.batch.summary import BatchOutcome, batch_data, batch_page, outcomes_in_words, rows
from moot.app.brief.reader import read_brief
from moot.app.run.api import read_brief_argument
from moot.app.run.people import answer
from moot.app.run.prepare import Overrides
from moot.app.run.record_reader import waiting
from moot.app.run.workspace import Workspace
from moot.core.brief import Limits
from moot.core.errors import Refused
from moot.core.event import Called, Entry, Opened
from moot.models.base import Request
from tests.app.batch.batch_kit import BRIEF, BUILD, BUY, PRICE, Paid, desk_with, item, work_on
from tests.app.run.test_casting import CAST
from tests.council.agents import own_place
from tests.web.web_kit import ADA, Slow


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def split(request: Request) -> str:
    """They never agree, so that there is more than one batch of questions."""
    return BUY if "You are Ben" in str(request.messages) else BUILD


async def lines(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    return {info.debate: await workspace.lines(info.debate) for info in await workspace.store.debates()}


async def test_all_are_held_and_counted_and_a_second_run_only_reads() -> None:
    """The first three debates build, the last two buy."""

    def script(request: Request) -> str:
        return BUILD if len(paid.history) <= 6 else BUY

    paid = Paid(script)
    workspace = desk_with(paid=paid)
    batch = make_batch([item()], times=5)
    work = work_on(workspace, batch)
    foreseen = await work.estimate()
    assert (foreseen.over, foreseen.begun) == (0, 0)
    assert foreseen.costing.most.cost == pytest.approx(PRICE * foreseen.costing.most.calls)
    told_of: list[BatchOutcome] = []
    work.tell = told_of.append
    await work.run()
    came = await work.outcomes()
    assert [each.debate for each in told_of] == [each.debate for each in came] == [each.debate for each in batch]
    assert [(each.status, each.answer) for each in came] == [("decided", "build")] * 3 + [("decided", "buy")] * 2
    row, total = rows(came)
    assert outcomes_in_words(row) == "build 3, buy 2"
    assert row.agreement == 0.6
    assert row.calls == total.calls == len(paid.history) == sum(each.calls for each in came)
    assert row.cost == pytest.approx(PRICE * row.calls)
    assert row.tokens == 10 * row.calls
    before, sent = await lines(workspace), len(paid.history)
    again = work_on(workspace, batch)
    assert (await again.estimate()).over == 5
    await again.run()
    assert await again.outcomes() == came
    assert len(paid.history) == sent
    assert await lines(workspace) == before


async def test_stopped_after_the_answers_in_hand_it_goes_on_and_pays_nothing_twice() -> None:
    whole = work_on(desk_with(paid=Paid(split)))
    await whole.run()

    def script(request: Request) -> str:
        if len(paid.history) == 3:
            work.stop.reason = "interrupted"
        return split(request)

    paid = Paid(script)
    workspace = desk_with(paid=paid)
    work = work_on(workspace, parallel=2)
    await work.run()
    states = [each.status for each in await work.outcomes()]
    assert "paused" in states
    assert states[2] == "unbegun"
    again = work_on(workspace, parallel=2)
    foreseen = await again.estimate()
    assert foreseen.begun == states.count("paused")
    await again.run()
    came = await again.outcomes()
    ends = [(each.debate, each.status, each.answer, each.calls) for each in came]
    assert ends == [(each.debate, each.status, each.answer, each.calls) for each in await whole.outcomes()]
    assert len(paid.history) == sum(each.calls for each in came)


async def test_broken_off_at_once_it_goes_on() -> None:
    slow = Slow(BUILD)
    workspace = desk_with(slow=slow)
    batch = make_batch([item(model="guest:slow")], times=3)
    work = work_on(workspace, batch, parallel=2)
    async with asyncio.TaskGroup() as group:
        held = group.create_task(work.run())
        await slow.asked.wait()
        held.cancel()
    assert [each.status for each in await work.outcomes()] == ["paused", "paused", "unbegun"]
    assert work.running == set()
    slow.go.set()
    again = work_on(workspace, batch, parallel=2)
    await again.run()
    assert {each.status for each in await again.outcomes()} == {"decided"}


async def test_so_many_are_held_at_once_and_no_more() -> None:
    slow = Slow(BUILD)
    work = work_on(desk_with(slow=slow), make_batch([item(model="guest:slow")], times=5), parallel=2)
    async with asyncio.TaskGroup() as group:
        group.create_task(work.run())
        await slow.asked.wait()
        await asyncio.sleep(0.05)
        assert len(work.running) == 2
        assert len(await work.workspace.store.debates()) == 2
        slow.go.set()
    assert len(work.came) == 5


async def test_one_that_fails_ends_no_other() -> None:
    def script(request: Request) -> str | Exception:
        return Refused("not with me") if "bad" in str(request.messages) else BUILD

    workspace = desk_with(paid=Paid(script))
    await workspace.store.append(next(iter(make_batch([item(" torn")], name="a"))).debate, ["no entry"], after=0)
    work = work_on(workspace, make_batch([item(" a"), item(" bad"), item(" torn"), item(" b")], name="a"), parallel=4)
    told_of: list[BatchOutcome] = []
    work.tell = told_of.append
    await work.run()
    came = await work.outcomes()
    assert [each.status for each in came] == ["decided", "failed", "error", "decided"]
    assert "damaged" in came[2].reason
    assert {each.debate for each in told_of} == {each.debate for each in came}
    assert rows(came)[-1].failed == 2


async def test_a_slip_in_one_debate_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = desk_with(paid=Paid())
    run = Workspace.run

    async def slip(self: Workspace, plan: object, debate: str, **more: object) -> object:
        if debate.endswith(last):
            raise ValueError("key=sk-12345678")
        return await run(self, plan, debate, **more)  # type: ignore[arg-type]

    work = work_on(workspace)
    last = [each.debate for each in work.batch][-1].rpartition("-")[2]
    monkeypatch.setattr(Workspace, "run", slip)
    await work.run()
    came = await work.outcomes()
    assert [each.status for each in came] == ["decided", "decided", "error"]
    assert came[2].reason == "internal error: ValueError: ***"


async def test_a_limit_pauses_one_and_raised_in_the_brief_it_goes_on() -> None:
    paid = Paid(split)
    workspace = desk_with(paid=paid)
    narrow = item(brief=BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  asks: 2"))
    wide = item(brief=BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  asks: 20"))
    first = work_on(workspace, make_batch([narrow]))
    await first.run()
    (came,) = await first.outcomes()
    assert (came.status, came.kind) == ("paused", "limit")
    assert rows([came])[0].paused == 1
    second = work_on(workspace, make_batch([wide]))
    await second.run()
    (went,) = await second.outcomes()
    assert (went.debate, went.status) == (came.debate, "tie")
    assert len(paid.history) == went.calls


async def test_who_is_a_person_is_waited_for_by_letter() -> None:
    workspace = desk_with()
    batch = make_batch([make_item(read_brief(ADA), Overrides(), name="ada")])
    kinds: list[str] = []
    while not kinds or kinds[-1]:
        assert len(kinds) < 10
        work = work_on(workspace, batch)
        await work.run()
        (came,) = await work.outcomes()
        kinds.append(came.kind)
        if not came.kind:
            continue
        assert came.kind == "waiting"
        (turn,) = await waiting(workspace, came.debate)
        form = turn.ask.form if turn.ask else None
        fields = {each.name: each.choices[0] for each in form.fields if each.choices} if form else {}
        await answer(workspace, came.debate, "" if fields else "Tea, I say.", key=turn.key, fields=fields or None)
    assert len(kinds) > 1


# ---- money ---------------------------------------------------------------------------------------------------------


async def test_nothing_begins_that_the_budget_cannot_pay() -> None:
    paid = Paid(split)
    workspace = desk_with(paid=paid)
    batch = make_batch([item()], times=4)
    most = (await work_on(workspace, batch).estimate()).costing.most.cost
    assert most
    each = most / 4
    work = work_on(workspace, batch, parallel=4, budget=2.5 * each)
    await work.run()
    came = await work.outcomes()
    assert [each.status for each in came] == ["tie", "tie", "unbegun", "unbegun"]
    assert len(paid.history) * PRICE <= 2.5 * each
    for debate in came[:2]:
        opened = (await workspace.entries(debate.debate))[0].event
        assert isinstance(opened, Opened)
        assert opened.brief.limits.cost == pytest.approx(each)
    more = work_on(workspace, batch, parallel=4, budget=3.5 * each)
    await more.run()
    assert [each.status for each in await more.outcomes()] == ["tie", "tie", "tie", "unbegun"]
    enough = work_on(workspace, batch, parallel=4, budget=most)
    await enough.run()
    assert [each.status for each in await enough.outcomes()] == ["tie"] * 4
    assert len(paid.history) * PRICE == pytest.approx(most)


async def test_one_that_cannot_be_prepared_any_more_is_named() -> None:
    work = work_on(desk_with(paid=Paid()), make_batch([item(" a"), item(" b", model="guest:gone")]))
    await work.run()
    first, second = await work.outcomes()
    assert (first.status, second.status) == ("decided", "error")
    assert "guest:gone" in second.reason
    assert not await work.workspace.count_entries(second.debate)


async def test_one_that_another_process_holds_is_left_to_it() -> None:
    slow = Slow(BUILD)
    workspace = desk_with(slow=slow)
    batch = make_batch([item(model="guest:slow")])
    one, other = work_on(workspace, batch), work_on(workspace, batch)
    async with asyncio.TaskGroup() as group:
        group.create_task(one.run())
        await slow.asked.wait()
        group.create_task(other.run())
        await asyncio.sleep(0.05)
        slow.go.set()
    states = [one.came[batch_id].status for batch_id in one.came] + [other.came[each].status for each in other.came]
    assert sorted(states) == ["decided", "error"]
    (error,) = [came.reason for work in (one, other) for came in work.came.values() if came.status == "error"]
    assert "somebody else has written" in error


async def test_a_budget_needs_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_BASE_URL", "http://127.0.0.1:9")
    brief = item(model="compatible:x")
    free = item(model="compatible:x", brief=BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  tokens: 9"))
    work = work_on(desk_with(), make_batch([replace(brief, where="all.jsonl:3"), free]), budget=1.0)
    with pytest.raises(FaultyBatch) as caught:
        await work.estimate()
    assert len(caught.value.faults) == 2
    assert caught.value.faults[0].startswith("all.jsonl:3: ")
    assert "the price of compatible:x is unknown" in caught.value.faults[1]
    unpriced = work_on(desk_with(), make_batch([item(model="compatible:x")]))
    assert (await unpriced.estimate()).costing.most.cost is None


async def test_a_budget_waits_for_what_comes_free() -> None:
    budget = BatchBudget(1.0)
    assert await budget.reserve("a", 0.8)
    async with asyncio.TaskGroup() as group:
        second = group.create_task(budget.reserve("b", 0.5))
        await asyncio.sleep(0)
        assert not second.done()
        await budget.settle("a", 0.3)
    assert second.result()
    await budget.settle("b", 0.5)
    assert not await budget.reserve("c", 0.5)
    assert budget.reached
    assert not await budget.reserve("d", 0.1), "what is cheap does not overtake"
    assert await BatchBudget(None).reserve("e", 1e9)


# ---- participants that are made ------------------------------------------------------------------------------------


async def test_participants_are_made_once_for_all_repeats() -> None:
    def script(request: Request) -> str:
        return json.dumps(CAST) if "You are Casting" in str(request.messages) else BUILD

    model = Paid(script)
    workspace = desk_with(paid=model)
    intake = read_brief_argument("Should the school open on Saturdays?")
    batch = make_batch([make_item(intake, Overrides(models=("guest:paid",)), name="school")], times=3)
    work = work_on(workspace, batch, parallel=3, budget=100.0)
    await work.estimate()
    await work.run()
    came = await work.outcomes()
    assert {each.status for each in came} == {"decided"}, came
    assert sum("You are Casting" in str(each.messages) for each in model.history) == 1
    names = [(await workspace.entries(each.debate))[0].event.brief.names("debater") for each in came]  # type: ignore[union-attr]
    assert names == [("Ann", "Bob", "Cy")] * 3
    assert work._spending.used == pytest.approx(PRICE * len(model.history))  # pyright: ignore[reportPrivateUsage]


async def test_a_debate_whose_participants_cannot_be_made_yet_stands_still() -> None:
    model = Paid()
    workspace = desk_with(paid=model)
    intake = read_brief_argument("Should the school open on Saturdays?")
    intake = replace(intake, brief=replace(intake.brief, limits=Limits(tokens=5)))
    work = work_on(workspace, make_batch([make_item(intake, Overrides(models=("guest:paid",)), name="school")]))
    await work.run()
    (came,) = await work.outcomes()
    assert (came.status, came.kind) == ("paused", "limit")
    assert came.reason.startswith("no participants yet: the limit of 5 tokens")
    assert not any(isinstance(each.event, Called) for each in await entries_of_casting(workspace))


async def entries_of_casting(workspace: Workspace) -> tuple[Entry, ...]:
    (info,) = await workspace.store.debates()
    assert info.debate.startswith("cast-")
    return await workspace.entries(info.debate)


# ---- what came of it -----------------------------------------------------------------------------------------------


def a(answer: str, status: str = "decided", **more: object) -> BatchOutcome:
    given = BatchOutcome(
        item="hire", number=1, seed=0, debate="d-1", status=status, answer=answer, calls=2, seconds=1.5
    )
    return replace(given, **more)  # type: ignore[arg-type]


def test_answers_are_compared_as_votes_are() -> None:
    found = rows(
        [a("18"), a("18.0"), a("**18**"), a(".5"), a("5"), a("", "tie"), a("", "no_decision"), a("", "paused")]
    )
    assert outcomes_in_words(found[0]) == "18 3, .5 1, 5 1, tie 1, no decision 1"
    assert found[0].agreement == pytest.approx(3 / 7)
    assert (found[0].ended, found[0].debates, found[0].paused) == (7, 8, 1)
    assert rows([a("tie"), a("", "tie")])[0].agreement == 0.5, "an answer that is called tie is no tie"
    assert rows([a("18")])[0].agreement is None
    assert rows([a("x", cost=None), a("x", cost=1.0)])[0].cost is None
    assert outcomes_in_words(rows([a("so " * 40), a("y")])[0]).startswith("so so so")
    assert "…" in outcomes_in_words(rows([a("so " * 40), a("y")])[0])


def test_a_table_in_markdown_holds_no_foreign_markup() -> None:
    batch = make_batch([item()], name="a")
    page = batch_page(batch, [a("x | y\n# z"), a("", "failed", item="<b>", reason="no | one"), a("", "unbegun")])
    head, rule, first, second, total = page.split("\n\n")[1].split("\n")
    assert head.count("|") == rule.count("|") == first.replace("\\|", "").count("|") == total.count("|")
    assert "\\<b\\>" in second or "\\<b>" in second
    assert "## Paused and failed" in page
    assert "`d-1`: no \\| one" in page
    assert '"agreement"' in batch_data(batch, [a("x")])
