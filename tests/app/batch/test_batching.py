"""Holding a batch: what is over is only read, what stands still goes on, nobody pays twice, and the budget holds."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from folkmoot.app.batch.batch_plan import FaultyBatch, make_batch, make_item
from folkmoot.app.batch.run_batch import BatchBudget
from folkmoot.app.batch.summary import (
    BatchOutcome,
    batch_csv,
    batch_data,
    batch_page,
    outcomes_in_words,
    rows,
    unread_notes,
)
from folkmoot.app.brief.reader import read_brief
from folkmoot.app.run.api import read_brief_argument
from folkmoot.app.run.people import answer
from folkmoot.app.run.prepare import Overrides
from folkmoot.app.run.record_reader import waiting
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.brief import Limits
from folkmoot.core.errors import Refused
from folkmoot.core.event import Called, Entry, Opened
from folkmoot.models.base import Request
from tests.app.batch.batch_kit import BRIEF, BUILD, BUY, PRICE, Paid, desk_with, item, work_on
from tests.app.run.test_casting import CAST, listed
from tests.council.agents import own_place
from tests.kits.waiting import until
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
    results = await work.outcomes()
    assert (
        [outcome.debate for outcome in told_of]
        == [outcome.debate for outcome in results]
        == [repeat.debate for repeat in batch]
    )
    assert [(outcome.status, outcome.answer) for outcome in results] == [("decided", "build")] * 3 + [
        ("decided", "buy")
    ] * 2
    row, total = rows(results)
    assert outcomes_in_words(row) == "build 3, buy 2"
    assert row.agreement == 0.6
    assert row.calls == total.calls == len(paid.history) == sum(outcome.calls for outcome in results)
    assert row.cost == pytest.approx(PRICE * row.calls)
    assert row.tokens == 10 * row.calls
    before, sent = await lines(workspace), len(paid.history)
    again = work_on(workspace, batch)
    assert (await again.estimate()).over == 5
    await again.run()
    assert await again.outcomes() == results
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
    states = [outcome.status for outcome in await work.outcomes()]
    assert "paused" in states
    assert states[2] == "unbegun"
    again = work_on(workspace, parallel=2)
    foreseen = await again.estimate()
    assert foreseen.begun == states.count("paused")
    await again.run()
    results = await again.outcomes()
    ends = [(outcome.debate, outcome.status, outcome.answer, outcome.calls) for outcome in results]
    assert ends == [
        (outcome.debate, outcome.status, outcome.answer, outcome.calls) for outcome in await whole.outcomes()
    ]
    assert len(paid.history) == sum(outcome.calls for outcome in results)


async def test_broken_off_at_once_it_goes_on() -> None:
    slow = Slow(BUILD)
    workspace = desk_with(slow=slow)
    batch = make_batch([item(model="guest:slow")], times=3)
    work = work_on(workspace, batch, parallel=2)
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work.run())
        await slow.asked.wait()
        task.cancel()
    assert [outcome.status for outcome in await work.outcomes()] == ["paused", "paused", "unbegun"]
    assert work.running == set()
    slow.go.set()
    again = work_on(workspace, batch, parallel=2)
    await again.run()
    assert {outcome.status for outcome in await again.outcomes()} == {"decided"}


async def test_so_many_are_held_at_once_and_no_more() -> None:
    slow = Slow(BUILD)
    work = work_on(desk_with(slow=slow), make_batch([item(model="guest:slow")], times=5), parallel=2)

    async def two_have_begun() -> bool:
        return len(await work.workspace.store.debates()) == 2

    async with asyncio.TaskGroup() as group:
        group.create_task(work.run())
        await until(two_have_begun)
        assert len(work.running) == 2
        slow.go.set()
    assert len(work.finished) == 5


async def test_one_that_fails_ends_no_other() -> None:
    def script(request: Request) -> str | Exception:
        return Refused("not with me") if "bad" in str(request.messages) else BUILD

    workspace = desk_with(paid=Paid(script))
    await workspace.store.append(next(iter(make_batch([item(" torn")], name="a"))).debate, ["no entry"], after=0)
    work = work_on(workspace, make_batch([item(" a"), item(" bad"), item(" torn"), item(" b")], name="a"), parallel=4)
    told_of: list[BatchOutcome] = []
    work.tell = told_of.append
    await work.run()
    results = await work.outcomes()
    assert [outcome.status for outcome in results] == ["decided", "paused", "error", "decided"]
    assert "damaged" in results[2].reason
    assert {outcome.debate for outcome in told_of} == {outcome.debate for outcome in results}
    assert (rows(results)[-1].failed, rows(results)[-1].paused) == (1, 1)


async def test_a_slip_in_one_debate_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = desk_with(paid=Paid())
    run = Workspace.run

    async def slip(self: Workspace, plan: object, debate: str, **more: object) -> object:
        if debate.endswith(last):
            raise ValueError("key=sk-12345678")
        return await run(self, plan, debate, **more)  # type: ignore[arg-type]

    work = work_on(workspace)
    last = [repeat.debate for repeat in work.batch][-1].rpartition("-")[2]
    monkeypatch.setattr(Workspace, "run", slip)
    await work.run()
    results = await work.outcomes()
    assert [outcome.status for outcome in results] == ["decided", "decided", "error"]
    assert results[2].reason == "internal error: ValueError: ***"


async def test_a_limit_pauses_one_and_raised_in_the_brief_it_goes_on() -> None:
    paid = Paid(split)
    workspace = desk_with(paid=paid)
    narrow = item(brief=BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  asks: 2"))
    wide = item(brief=BRIEF.replace("rounds: 1", "rounds: 1\nlimits:\n  asks: 20"))
    first = work_on(workspace, make_batch([narrow]))
    await first.run()
    (result,) = await first.outcomes()
    assert (result.status, result.kind) == ("paused", "limit")
    assert rows([result])[0].paused == 1
    second = work_on(workspace, make_batch([wide]))
    await second.run()
    (went,) = await second.outcomes()
    assert (went.debate, went.status) == (result.debate, "tie")
    assert len(paid.history) == went.calls


async def test_who_is_a_person_is_waited_for_by_letter() -> None:
    workspace = desk_with()
    batch = make_batch([make_item(read_brief(ADA), Overrides(), name="ada")])
    kinds: list[str] = []
    while not kinds or kinds[-1]:
        assert len(kinds) < 10
        work = work_on(workspace, batch)
        await work.run()
        (result,) = await work.outcomes()
        kinds.append(result.kind)
        if not result.kind:
            continue
        assert result.kind == "waiting"
        (turn,) = await waiting(workspace, result.debate)
        form = turn.ask.form if turn.ask else None
        fields = (
            {form_field.name: form_field.choices[0] for form_field in form.fields if form_field.choices} if form else {}
        )
        await answer(workspace, result.debate, "" if fields else "Tea, I say.", key=turn.key, fields=fields or None)
    assert len(kinds) > 1


# ---- money ---------------------------------------------------------------------------------------------------------


async def test_nothing_begins_that_the_budget_cannot_pay() -> None:
    paid = Paid(split)
    workspace = desk_with(paid=paid)
    batch = make_batch([item()], times=4)
    most = (await work_on(workspace, batch).estimate()).costing.most.cost
    assert most
    per_debate = most / 4
    work = work_on(workspace, batch, parallel=4, budget=2.5 * per_debate)
    await work.run()
    results = await work.outcomes()
    assert [outcome.status for outcome in results] == ["tie", "tie", "unbegun", "unbegun"]
    assert len(paid.history) * PRICE <= 2.5 * per_debate
    for debate in results[:2]:
        opened = (await workspace.entries(debate.debate))[0].event
        assert isinstance(opened, Opened)
        assert opened.brief.limits.cost == pytest.approx(per_debate)
    more = work_on(workspace, batch, parallel=4, budget=3.5 * per_debate)
    await more.run()
    assert [outcome.status for outcome in await more.outcomes()] == ["tie", "tie", "tie", "unbegun"]
    enough = work_on(workspace, batch, parallel=4, budget=most)
    await enough.run()
    assert [outcome.status for outcome in await enough.outcomes()] == ["tie"] * 4
    assert len(paid.history) * PRICE == pytest.approx(most)


async def test_what_a_kill_may_have_cost_does_not_stop_a_debate_for_good() -> None:
    batch = make_batch([item()])
    workspace = desk_with(paid=Paid(split))
    await work_on(workspace, batch, budget=1.0).run()
    (debate,) = (repeat.debate for repeat in batch)
    lines = list(await workspace.store.read(debate))
    last = max(n for n, line in enumerate(lines) if '"kind":"attempted"' in line)
    killed = desk_with(paid=Paid(split))
    await killed.store.append(debate, lines[: last + 1], after=0)
    work = work_on(killed, batch, budget=1.0)
    await work.run()
    (result,) = await work.outcomes()
    assert result.status == "tie", result.reason


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
        slow.asked.clear()
        group.create_task(other.run())
        await slow.asked.wait()
        slow.go.set()
    states = [one.finished[batch_id].status for batch_id in one.finished] + [
        other.finished[batch_id].status for batch_id in other.finished
    ]
    assert sorted(states) == ["decided", "error"]
    (error,) = [item.reason for work in (one, other) for item in work.finished.values() if item.status == "error"]
    assert "somebody else has written" in error


async def test_a_budget_needs_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOLKMOOT_BASE_URL", "http://127.0.0.1:9")
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
        return json.dumps(listed(CAST)) if "You are Casting" in str(request.messages) else BUILD

    model = Paid(script)
    workspace = desk_with(paid=model)
    parsed = read_brief_argument("Should the school open on Saturdays?")
    batch = make_batch([make_item(parsed, Overrides(models=("guest:paid",)), name="school")], times=3)
    work = work_on(workspace, batch, parallel=3, budget=100.0)
    await work.estimate()
    await work.run()
    results = await work.outcomes()
    assert {outcome.status for outcome in results} == {"decided"}, results
    assert sum("You are Casting" in str(request.messages) for request in model.history) == 1
    names = [(await workspace.entries(outcome.debate))[0].event.brief.names("debater") for outcome in results]  # type: ignore[union-attr]
    assert names == [("Ann", "Bob", "Cy")] * 3
    assert work._spending.used == pytest.approx(PRICE * len(model.history))  # pyright: ignore[reportPrivateUsage]


async def test_a_debate_whose_participants_cannot_be_made_yet_stands_still() -> None:
    model = Paid()
    workspace = desk_with(paid=model)
    parsed = read_brief_argument("Should the school open on Saturdays?")
    parsed = replace(parsed, brief=replace(parsed.brief, limits=Limits(tokens=5)))
    work = work_on(workspace, make_batch([make_item(parsed, Overrides(models=("guest:paid",)), name="school")]))
    await work.run()
    (result,) = await work.outcomes()
    assert (result.status, result.kind) == ("paused", "limit")
    assert result.reason.startswith("no participants yet: the limit of 5 tokens")
    assert not any(isinstance(entry.event, Called) for entry in await entries_of_casting(workspace))


async def entries_of_casting(workspace: Workspace) -> tuple[Entry, ...]:
    (info,) = await workspace.store.debates()
    assert info.debate.startswith("cast-")
    return await workspace.entries(info.debate)


# ---- what came of it -------------------------------------------------------------------------------------------------


def a(answer: str, status: str = "decided", **more: object) -> BatchOutcome:
    outcome = BatchOutcome(
        item="hire", number=1, seed=0, debate="d-1", status=status, answer=answer, calls=2, seconds=1.5
    )
    return replace(outcome, **more)  # type: ignore[arg-type]


def test_answers_are_compared_as_votes_are() -> None:
    summary_rows = rows(
        [a("18"), a("18.0"), a("**18**"), a(".5"), a("5"), a("", "tie"), a("", "no_decision"), a("", "paused")]
    )
    assert outcomes_in_words(summary_rows[0]) == "18 3, .5 1, 5 1, tie 1, no decision 1"
    assert summary_rows[0].agreement == pytest.approx(3 / 7)
    assert (summary_rows[0].ended, summary_rows[0].debates, summary_rows[0].paused) == (7, 8, 1)
    assert rows([a("tie"), a("", "tie")])[0].agreement == 0.5, "an answer that is called tie is no tie"
    assert rows([a("18")])[0].agreement is None
    assert rows([a("", "tie"), a("", "tie")])[0].agreement is None, "two ties agree on nothing"
    assert rows([a("", "tie"), a("", "tie"), a("x")])[0].agreement == pytest.approx(1 / 3)
    assert rows([a("x", cost=None), a("x", cost=1.0)])[0].cost is None
    assert outcomes_in_words(rows([a("so " * 40), a("y")])[0]).startswith("so so so")
    assert "…" in outcomes_in_words(rows([a("so " * 40), a("y")])[0])


def test_a_brief_whose_ballots_could_not_be_read_is_named() -> None:
    outcomes = [
        a("", "no_decision", unparsed=3),
        a("", "no_decision", unparsed=1),
        a("x", item="b", votes=1, unparsed=2),
    ]
    note = "hire: no ballot could be read (4 ballots); see folkmoot show d-1"
    assert unread_notes(outcomes) == [note]
    assert f"- {note}" in batch_page(make_batch([item()], name="a"), outcomes)
    assert unread_notes([a("x", votes=3), a("", "paused", unparsed=1)]) == []


def test_outcomes_are_written_as_csv() -> None:
    head, row, end = batch_csv([a('so, "no"', models=("a:x", "b:y"), protocol="panel", votes=2)]).split("\n")
    assert head.split(",")[:5] == ["item", "number", "seed", "debate", "status"]
    assert '"so, ""no"""' in row
    assert row.endswith(",panel,a:x b:y,2,0")
    assert end == ""


def test_a_table_in_markdown_holds_no_foreign_markup() -> None:
    batch = make_batch([item()], name="a")
    page = batch_page(batch, [a("x | y\n# z"), a("", "failed", item="<b>", reason="no | one"), a("", "unbegun")])
    head, rule, first, second, total = page.split("\n\n")[1].split("\n")
    assert head.count("|") == rule.count("|") == first.replace("\\|", "").count("|") == total.count("|")
    assert "\\<b\\>" in second or "\\<b>" in second
    assert "## Paused and failed" in page
    assert "`d-1`: no \\| one" in page
    assert '"agreement"' in batch_data(batch, [a("x")])
