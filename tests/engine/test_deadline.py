"""Deadlines: they end a block in time, and leave out the time in which the process did not run."""

import asyncio
from collections.abc import Callable

import pytest

from folkmoot.deadline import LATE, STEP, Deadline

Jump = Callable[[float], None]


@pytest.fixture
async def jump(monkeypatch: pytest.MonkeyPatch) -> Jump:
    """Sets the loop's clock forward, as it looks to a process that was stopped."""
    loop = asyncio.get_running_loop()
    time, ahead = loop.time, 0.0

    def leap(seconds: float) -> None:
        nonlocal ahead
        ahead += seconds

    monkeypatch.setattr(loop, "time", lambda: time() + ahead)
    return leap


async def pass_time(jump: Jump, seconds: float) -> None:
    """Let time pass while the process runs: every timer comes when it is due, or hardly later."""
    for _ in range(round(seconds / 0.25)):
        jump(0.25)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_a_block_ends_when_its_time_is_up(jump: Jump) -> None:
    clock = Deadline(5.0)

    async def block() -> None:
        async with clock:
            await pass_time(jump, 4.5)
            assert not clock.expired()
            await pass_time(jump, 1.0)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()
    assert clock.expired()


async def test_a_time_that_is_up_is_up(jump: Jump) -> None:
    """Whoever swallows the end of the time gets no more of it."""
    async with Deadline(0.5) as clock:
        with pytest.raises(asyncio.CancelledError):
            await pass_time(jump, 0.75)
        clock.restart(60.0)
    assert clock.expired()


@pytest.mark.parametrize("at", [0.0, 0.25, 1.5, 4.75])
async def test_a_stop_costs_no_more_than_a_step_however_late_it_comes(jump: Jump, at: float) -> None:
    clock = Deadline(5.0)

    async def block() -> None:
        async with clock:
            await pass_time(jump, at)
            jump(3600.0)
            await asyncio.sleep(0.01)
            jump(3600.0)
            await asyncio.sleep(0.01)
            await pass_time(jump, min(5.0 - at, STEP) - 0.25)
            assert not clock.expired()
            await pass_time(jump, 5.0 + STEP)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()


async def test_a_loop_that_is_merely_busy_gets_no_more_time(jump: Jump) -> None:
    clock = Deadline(2.0)

    async def block() -> None:
        async with clock:
            for _ in range(2):
                jump(STEP + LATE / 2)
                await asyncio.sleep(0.01)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()


async def test_time_can_be_given_anew_more_or_less(jump: Jump) -> None:
    clock = Deadline(None)

    async def block() -> None:
        async with clock:
            await pass_time(jump, 50.0)
            clock.restart(2.0)
            await pass_time(jump, 1.5)
            clock.restart(2.0)
            await pass_time(jump, 1.5)
            assert not clock.expired()
            clock.restart(0.5)
            await pass_time(jump, 0.75)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()


async def test_a_block_that_ends_in_time_leaves_no_timer_behind(jump: Jump) -> None:
    async with Deadline(1.0), Deadline(None):
        pass
    await pass_time(jump, 3.0)
    with pytest.raises(ZeroDivisionError):
        async with Deadline(1.0):
            raise ZeroDivisionError
    await pass_time(jump, 3.0)


async def test_being_cancelled_from_outside_is_no_lack_of_time() -> None:
    clock = Deadline(5.0)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), clock:
            await asyncio.sleep(9)
    assert not clock.expired()


# ---- signs of life --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [60.0, None])
async def test_a_block_ends_without_a_first_sign_of_life(jump: Jump, seconds: float | None) -> None:
    clock = Deadline(seconds, silence=2.0)

    async def block() -> None:
        async with clock:
            await pass_time(jump, 1.5)
            assert not clock.expired()
            await pass_time(jump, 0.75)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()
    assert clock.silent


@pytest.mark.parametrize(("seconds", "silence"), [(60.0, 2.0), (60.0, None), (None, None)])
@pytest.mark.parametrize("gap", [2.5, 0.5])
async def test_a_block_ends_when_the_signs_of_life_end(
    jump: Jump, seconds: float | None, silence: float | None, gap: float
) -> None:
    clock = Deadline(seconds, silence)

    async def block() -> None:
        async with clock:
            await pass_time(jump, 0.25)
            for _ in range(8):
                clock.live(gap)
                await pass_time(jump, gap - 0.25)
            assert not clock.expired()
            await pass_time(jump, 0.5)
            await asyncio.sleep(9)

    with pytest.raises(TimeoutError):
        await block()
    assert clock.silent


async def test_signs_of_life_give_no_time_for_the_whole(jump: Jump) -> None:
    clock = Deadline(3.0)

    async def block() -> None:
        async with clock:
            for _ in range(20):
                clock.live(1.5)
                await pass_time(jump, 0.5)

    with pytest.raises(TimeoutError):
        await block()
    assert clock.expired()
    assert not clock.silent
    clock.live(60.0)
    assert clock.expired(), "a time that is up is up"


async def test_a_stop_is_no_silence(jump: Jump) -> None:
    async with Deadline(60.0) as clock:
        clock.live(2.0)
        jump(3600.0)
        await asyncio.sleep(0.01)
        await pass_time(jump, 0.5)
        assert not clock.expired()
