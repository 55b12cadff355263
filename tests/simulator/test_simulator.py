"""The simulation: its seeds hold, are the same in every process, fail small, and find what is planted."""

import asyncio
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from folkmoot.core.ask import Ask, Field, Form
from folkmoot.core.event import Attempted
from tests.kits.thoroughness import MORE
from tests.simulator import INVARIANTS, Violation, check_simulated, make_plan, shrink, simulate
from tests.simulator import __main__ as command
from tests.simulator.__main__ import Block, Progress, main, run_block, run_seeds
from tests.simulator.checks.answer_tokens import draw, draws
from tests.simulator.checks.record_state import RecordState
from tests.simulator.checks.simulated_answers import person_reply
from tests.simulator.fault_plan import LASTING, PASSING, Mode, from_json
from tests.simulator.found_by import FOUND_BY
from tests.simulator.garbage_collection import many_worlds
from tests.simulator.invariants import require
from tests.simulator.plan_drawing import PROTOCOLS
from tests.simulator.planted_faults import FAULTS, planted
from tests.simulator.virtual_loop import OutsideWorld, Stuck, VirtualLoop

SEEDS = range(500, 2_000) if MORE else range(500)
"""The seeds that are run: `make test-all` is `make test` and then the rest."""

BLOCKS = 6 if MORE else 5
"""Over how many tests, so that they run beside each other."""

ROOT = Path(__file__).parents[2]

FOUND_WORLDS: Sequence[dict[str, Any]] = [
    json.loads(line) for line in Path(__file__).with_name("found_worlds.jsonl").read_text("utf-8").splitlines()
]
"""Smallest cases of faults that the simulation has found in our code, with what was wrong."""

WITHIN = 2_000
"""The seeds within which each planted fault is found."""


@pytest.mark.parametrize("block", range(BLOCKS))
def test_all_invariants_hold(block: int) -> None:
    size = len(SEEDS) // BLOCKS
    check_simulated(SEEDS[block * size : (block + 1) * size])


@pytest.mark.parametrize("name", FAULTS if MORE else tuple(FAULTS)[1::12])
def test_a_planted_fault_is_found_by_what_it_breaks(name: str) -> None:
    number, likely = FOUND_BY[name]
    with planted(name), many_worlds() as collect:
        for seed in (likely, *range(WITHIN)):
            collect()
            violation = simulate(seed).violation
            if violation and violation.number == number:
                return  # which of the invariants that it breaks is broken first is chance
    pytest.fail(f"{name} was not found in {WITHIN} seeds")


def test_the_page_says_which_fault_is_found_by_what() -> None:
    page = (ROOT / "docs/design/testing.md").read_text("utf-8")
    rows = {row[1]: (row[2], int(row[3]) - 1) for row in re.finditer(r"\| `(\w+)` \| (I\d+) \| (\d+) \|", page)}
    assert rows == FOUND_BY
    assert FOUND_BY.keys() == FAULTS.keys()


def test_each_invariant_is_checked_and_broken_by_a_planted_fault() -> None:
    folder = ROOT / "tests/simulator"
    code = "".join(path.read_text("utf-8") for path in folder.rglob("*.py") if path.stem != "invariants")
    assert [number for number in INVARIANTS if f'"{number}"' not in code] == []
    # Whatever drives a debate that is over (I57) breaks another one before.
    assert INVARIANTS.keys() - {number for number, _ in FOUND_BY.values()} == {"I57"}


@pytest.mark.parametrize("row", FOUND_WORLDS, ids=[row["what"] for row in FOUND_WORLDS])
def test_a_world_that_once_failed_holds(row: dict[str, Any]) -> None:
    plan = from_json(json.dumps(row["plan"]))
    story = simulate(plan.seed, plan=plan)
    assert story.violation is None, story.tell()


def test_there_are_enough_invariants_and_planted_faults() -> None:
    assert len(INVARIANTS) >= 40
    assert len(FAULTS) >= 30


@pytest.mark.system
def test_a_seed_is_the_same_in_every_process() -> None:
    program = (
        "from tests.simulator import simulate\n"
        "import hashlib\n"
        "stories = [simulate(seed) for seed in range(12)]\n"
        "print(hashlib.sha256(repr([(s.trace, s.records, s.steps, s.seconds) for s in stories]).encode()).hexdigest())"
    )
    digests = [
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": str(number), "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for number in (1, 2)
    ]
    assert digests[0] == digests[1]
    assert len(digests[0]) == 65


def test_a_failing_seed_is_made_small_and_told() -> None:
    name = "first_of_a_tie_wins"
    with planted(name):
        seed = next(seed for seed in range(WITHIN) if simulate(seed).violation)
        shrunk = shrink(make_plan(seed))
        with pytest.raises(AssertionError, match="The smallest case"):
            check_simulated(range(seed, seed + 1))
    assert shrunk.same
    assert shrunk.story.violation is not None
    assert shrunk.story.violation.number == "I20"
    assert shrunk.story.plan.faults <= shrunk.first.plan.faults
    report = shrunk.report()
    assert f"make simulate SEED={seed}" in report
    assert "VIOLATED at step" in report
    assert from_json(shrunk.story.plan.to_json()) == shrunk.story.plan


def test_what_does_not_fail_is_not_made_smaller() -> None:
    shrunk = shrink(make_plan(2))
    assert shrunk.story is shrunk.first
    assert shrunk.runs == 2


def test_seeds_draw_all_protocols_and_faults() -> None:
    plans = [make_plan(seed) for seed in range(800)]
    assert {debate.protocol for plan in plans for debate in plan.debates} == {name for name, _ in PROTOCOLS}
    assert {fault.kind for plan in plans for fault in plan.models} == {*PASSING, *LASTING}
    kinds = {fault.kind for plan in plans for fault in plan.processes}
    assert kinds == {"kill", "freeze", "cancel", "end", "stop", "second"}
    assert {plan.mode for plan in plans} == {"same", "wild"}
    stored = {fault.kind for plan in plans for fault in plan.store}
    assert stored == {"refused", "unsure", "full", "slow", "unread", "part"}
    same = [fault.kind for plan in plans if plan.mode == "same" for fault in plan.models]
    assert set(same) <= set(PASSING)


# ---- the command -----------------------------------------------------------------------------------------------------


def test_the_command_runs_seeds() -> None:
    out = io.StringIO()
    assert main(["--seeds", "6", "--from", "10", "--jobs", "1"], out) == 0
    assert out.getvalue().startswith("6 seeds from 10: ")
    assert out.getvalue().endswith("all invariants hold\n")


def test_the_command_tells_one_seed_in_the_same_words_each_time() -> None:
    outputs: list[str] = []
    for _ in range(2):
        out = io.StringIO()
        assert main(["--seed", "4"], out) == 0
        outputs.append(out.getvalue())
    assert outputs[0] == outputs[1]
    assert "process 1" in outputs[0]
    out = io.StringIO()
    assert main(["--plan", make_plan(4).to_json()], out) == 0
    assert out.getvalue() == outputs[0]


def test_the_command_tells_what_fails() -> None:
    with planted("first_of_a_tie_wins"):
        block = run_block(0, 12)
        seed = block.failing[0][0]
        out = io.StringIO()
        assert main(["--seed", str(seed)], out) == 1
        assert "The smallest case" in out.getvalue()
        out = io.StringIO()
        assert main(["--seeds", "2", "--from", str(seed), "--jobs", "1"], out) == 1
        assert f"seed {seed}: I20" in out.getvalue()


def test_seeds_run_over_several_processes() -> None:
    progress = Progress(4, io.StringIO())
    run_seeds(0, progress, jobs=2)
    assert (progress.total.seeds, progress.total.failing) == (4, ())


def test_the_command_tells_now_and_then_how_far_it_is() -> None:
    out, times = io.StringIO(), iter([0.0, 1.0, 6.0, 7.0, 12.0, 20.0])
    progress = Progress(500, out, lambda: next(times))
    for failing in ((), (), ((101, "I01"),), ()):
        progress.add(Block(seeds=100, failing=failing))
    progress.add(Block(seeds=100))
    assert out.getvalue().splitlines() == [
        "200 of 500 seeds, about 9 s left",
        "400 of 500 seeds, 1 of them violate an invariant, about 3 s left",
    ]
    assert progress.total.seeds == 500


def test_what_is_interrupted_tells_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    def some(first: int, last: int, mode: Mode | None = None) -> Block:
        if first >= 100:
            raise KeyboardInterrupt
        return Block(seeds=last - first, failing=((60, "I01: broken"),) if first == 50 else ())

    monkeypatch.setattr(command, "run_block", some)
    out = io.StringIO()
    assert main(["--seeds", "500", "--jobs", "1"], out) == 130
    assert out.getvalue().startswith("interrupted: 100 of 500 seeds from 0: ")
    assert "seed 60: I01: broken\n" in out.getvalue()
    assert "smallest" not in out.getvalue()


@pytest.mark.system
def test_processes_are_interrupted_together() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.simulator", "--seeds", "100000", "--jobs", "2"],
        env={"PYTHONPATH": ":".join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stderr is not None
        first = running.stderr.readline()
        os.killpg(running.pid, signal.SIGINT)
        try:
            output, errors = running.communicate(timeout=120)
        finally:
            with suppress(ProcessLookupError):  # it has ended
                os.killpg(running.pid, signal.SIGKILL)
    assert " of 100000 seeds, about " in first
    assert running.returncode == 130
    assert output.startswith("interrupted: ")
    assert output.endswith("all invariants hold\n")
    assert "Traceback" not in errors


# ---- the parts -------------------------------------------------------------------------------------------------------


def test_time_jumps_and_the_outside_is_refused() -> None:
    loop = VirtualLoop("order")

    async def run() -> float:
        with pytest.raises(OutsideWorld):
            await loop.create_connection(asyncio.Protocol, "127.0.0.1", 9)
        with pytest.raises(OutsideWorld):
            await loop.getaddrinfo("localhost", 9)
        with pytest.raises(OutsideWorld):
            loop.add_reader(0, print)
        assert await asyncio.to_thread(lambda: 5) == 5
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 / 0)
        await asyncio.sleep(3_600)
        return loop.time()

    assert loop.run_until_complete(run()) == pytest.approx(3_600, abs=1)
    loop.bury()


def test_steps_of_the_same_time_can_be_called_off() -> None:
    loop, done = VirtualLoop("order"), list[int]()
    steps = [loop.call_at(5.0, done.append, number) for number in range(4)]
    steps[1].cancel()
    loop.call_soon(done.append, 9).cancel()
    assert [step.cancelled() for step in steps] == [False, True, False, False]
    assert {step.when() for step in steps} == {5.0}
    assert "a step at 5.0" in repr(steps[0])
    assert len(set(steps)) == 4
    loop.run_until_complete(asyncio.sleep(6.0))
    assert sorted(done) == [0, 2, 3]
    loop.bury()
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_soon(done.append, 9)
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_later(1.0, done.append, 9)
    with pytest.raises(RuntimeError, match="closed"):
        loop.call_at(1.0, done.append, 9)


def test_what_a_callback_raises_is_kept_and_ends_nothing() -> None:
    loop = VirtualLoop()
    loop.call_soon(lambda: 1 / 0)
    loop.run_until_complete(asyncio.sleep(1.0))
    assert loop.errors == ["a callback has failed: ZeroDivisionError('division by zero')"]
    loop.bury()


def test_numbers_are_drawn_alike_one_by_one_and_together() -> None:
    words = 'Ann\'s "tea"\n' * 3
    together = draws((7, "d0", "/debate/open#1"), ["VOTE", "it's"], words)
    assert together == [draw(7, "d0", "/debate/open#1", name, words) for name in ("VOTE", "it's")]


def test_nothing_that_can_go_on_is_no_silence() -> None:
    loop = VirtualLoop()
    with pytest.raises(Stuck):
        loop.run_until_complete(loop.create_future())
    loop.bury()


def test_a_killed_process_does_nothing_more_and_a_frozen_one_waits() -> None:
    loop, done = VirtualLoop(), list[str]()

    async def work(name: str) -> None:
        try:
            await asyncio.sleep(10)
            done.append(name)
        finally:
            done.append(f"{name} cleaned up")

    async def run() -> None:
        loop.start(1, work("killed"))
        loop.start(2, work("frozen"))
        await asyncio.sleep(5)
        loop.kill(1)
        loop.freeze(2)
        loop.freeze(1)
        await asyncio.sleep(50)
        assert done == []
        assert loop.is_dead(1)
        assert len(loop.tasks_of(2)) == 1
        loop.thaw(2)
        await asyncio.sleep(1)

    loop.run_until_complete(run())
    assert done == ["frozen", "frozen cleaned up"]
    loop.bury()


def test_a_violation_names_its_invariant() -> None:
    require(True, "I01", "not shown")
    with pytest.raises(Violation, match=r"I13: what is used and reserved fits.*Seen: too much"):
        require(False, "I13", lambda: "too much")


def test_a_damaged_line_is_a_violation() -> None:
    with pytest.raises(Violation, match="I41"):
        RecordState("d").add("{")


def test_an_unbroken_world_has_no_fault_and_the_same_answers() -> None:
    plan = next(plan for plan in map(make_plan, range(3, 99, 4)) if plan.faults > 3)
    assert plan.unbroken().faults == 0
    one = simulate(plan.seed, plan=replace(plan.unbroken(), mode="wild"))
    other = simulate(plan.seed, plan=replace(plan.unbroken(), mode="wild"))
    assert one.records == other.records
    assert one.violation is None
    assert Attempted.__name__ in one.tell(1_000)


def test_a_person_answers_the_same_each_time() -> None:
    fields = (
        Field(name="VOTE", kind="choice", choices=("yes", "no")),
        Field(name="SURE", kind="number", low=2.0, high=4.0),
        Field(name="AGREED", kind="flag"),
        Field(name="ORDER", kind="list", choices=("a", "b", "c")),
        Field(name="POINTS", kind="list"),
        Field(name="WHY", kind="text"),
    )
    ask = Ask(key="/debate/x#1", to="Bob", act="vote", task="Vote.", form=Form(name="all", fields=fields))
    reply = person_reply(1, "d0", ask)
    assert reply == person_reply(1, "d0", ask)
    assert set(reply.fields) == {field.name for field in fields}
    assert reply.text.startswith("By Bob word")
