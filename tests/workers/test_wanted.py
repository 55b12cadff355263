"""What becomes of a debate's row, in every order of what may befall it: the transitions are pure."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from folkmoot.app.run.dispatcher import State
from folkmoot.workers.wanted import TRIES, Step, Wanted, begun, cancelled, ended, pause_of, submitted

NEW = Wanted(debate="d", owner="anna", priority=2, state="queued")
ENDINGS: tuple[tuple[State, float | None], ...] = (
    *(("done", None), ("parked", None), ("cancelled", None), ("waiting", None), ("waiting", 60.0)),
    *(("queued", 30.0), ("queued", 0.0)),
)
"""What a debate may be after a segment, and the seconds until the next one."""


def steps() -> Iterator[tuple[str, Step]]:
    """What may befall a debate, by the owner, two workers and a cancellation."""
    yield "submit", partial(submitted, new=NEW)
    for at_once in (False, True):
        yield "cancel", partial(cancelled, at_once=at_once)
    for worker in ("w1", "w2"):
        for answers in (0, 3):
            yield f"begin {worker}", partial(begun, worker=worker, answers=answers)
        for state, pause in ENDINGS:
            yield f"end {worker}", partial(ended, worker=worker, state=state, pause=pause, reason="so")


def check(name: str, before: Wanted | None, after: Wanted | None) -> None:
    """What must hold of every step."""
    assert after is not None or before is None, "a row is never lost"
    if after is None:
        return
    assert bool(after.worker) == (after.state == "running")
    assert after.state == "running" or not (after.stopping or after.at_once or after.again)
    assert after.tries <= TRIES
    pause = pause_of(after, 1000.0)
    assert pause is None or after.state in ("queued", "waiting")
    assert after.state != "queued" or pause is not None, "what is queued has a time"
    verb, _, worker = name.partition(" ")
    if before is None or before.state in ("done", "parked", "cancelled"):
        assert after == before or verb == "submit", "what is over begins again only for its owner"
    elif verb == "end" and before.worker != worker:
        assert after == before, "nobody ends the debate of another"
    if before and before.again and verb == "end" and before.worker == worker:
        assert after.state not in ("waiting", "cancelled"), "what was submitted meanwhile is run once more"
    if before and before.stopping and not before.again and verb in ("begin", "end") and after != before:
        assert after.state in ("cancelled", "done", "parked"), "what was withdrawn goes on nowhere"
    if after.state == "cancelled" and before and before.state != "cancelled":
        assert verb == "cancel" or before.stopping or verb == "end"


def test_in_every_order_of_steps_the_row_says_what_is_wanted() -> None:
    known: set[Wanted | None] = {None}
    edge: list[Wanted | None] = [None]
    while edge:
        before = edge.pop()
        for name, step in steps():
            after = step(before, 1000.0)
            check(name, before, after)
            if after not in known:
                known.add(after)
                edge.append(after)
    assert len(known) > 200
    assert {row.state for row in known if row} == {"queued", "running", "waiting", "parked", "done", "cancelled"}


def test_a_debate_that_is_begun_again_and_again_without_an_answer_is_parked() -> None:
    row: Wanted | None = submitted(None, 1.0, new=NEW)
    for _ in range(TRIES):
        row = begun(row, 2.0, worker="w1", answers=0)
        assert row is not None
        assert row.state == "running"
    parked = begun(row, 3.0, worker="w2", answers=0)
    assert parked is not None
    assert (parked.state, parked.reason) == ("parked", "given up after 5 tries: the workers that ran it broke off")
    goes_on = begun(row, 3.0, worker="w2", answers=1)
    assert goes_on is not None
    assert (goes_on.state, goes_on.tries) == ("running", 1)


def test_a_submission_takes_its_own_priority_and_delay_and_none_where_it_is_queued_already() -> None:
    row = submitted(None, 10.0, new=NEW, after=5.0)
    assert (row.priority, row.since, row.begins, pause_of(row, 12.0)) == (2, 10.0, 15.0, 3.0)
    assert submitted(row, 20.0, new=replace(NEW, priority=9)) == row
    assert submitted(replace(row, state="parked", reason="x"), 20.0, new=NEW).reason == ""
