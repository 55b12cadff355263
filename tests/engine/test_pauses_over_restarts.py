"""A pause before another try holds where the process ends meanwhile: the record says when the last try failed."""

import asyncio
from dataclasses import replace

import pytest

from folkmoot.agents.llm import ModelAgent
from folkmoot.core.agent import Recorder
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import ModelError, Unavailable
from folkmoot.core.event import Attempted, Called, Erred
from folkmoot.models.base import Traits
from folkmoot.models.layers import ResilientModel, RetrySettings
from folkmoot.phases.speak import Everyone
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.clock import JumpingLoop
from tests.models.models_kit import Double, fails, gives

ANN = Participant(name="Ann", seat="double:model")
SECONDS = 60.0
AWAY = 3.0
"""Seconds between the failed try and the new process."""


def held(double: Double, *, away: float = 0.0, lines: tuple[str, ...] = ()) -> HeldDebate:
    """A debate of one question in a process of its own, whose time begins at 0."""

    double.traits = Traits()

    async def run() -> HeldDebate:
        clock = asyncio.get_running_loop().time
        brief = Brief(topic="Tea?", participants=(ANN,))
        place = Harness(
            brief=brief, protocol=Everyone(act="argue", task="Speak."), clock=lambda: 1000.0 + away + clock()
        )
        model = ResilientModel(double, RetrySettings(wait=4.0, jitter=0.0))
        return await place.run({"Ann": ModelAgent(model, seconds=SECONDS)}, lines)

    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(run())


def busy(wait: float | None) -> ModelError:
    return Unavailable("busy", kind="rate", again=True, retry_after=wait)


@pytest.mark.parametrize(
    ("error", "last", "pause"),
    [
        (busy(8.0), Erred, 8.0 - AWAY),
        (busy(None), Erred, 4.0 - AWAY),
        (busy(8.0), Attempted, 4.0 - AWAY),  # it ended before the answer was on record
        (busy(2.0), Erred, 0.0),
        (busy(SECONDS + 1), Erred, 0.0),  # nobody has waited for that; the debate was resumed since
    ],
)
def test_a_new_process_waits_for_the_rest_of_the_pause(error: ModelError, last: type, pause: float) -> None:
    before = held(Double(fails(error), gives("Tea.")))
    cut = next(n for n, entry in enumerate(before.entries, start=1) if isinstance(entry.event, last))
    sent: list[float] = []

    async def answer(recorder: Recorder) -> Called:
        sent.append(asyncio.get_running_loop().time())
        return await gives("Tea.")(recorder)

    after = held(Double(answer), away=AWAY, lines=before.lines[:cut])
    assert sent == [pytest.approx(pause)]
    tries = [entry.event.n for entry in after.entries if isinstance(entry.event, Attempted)]
    assert tries == [1, 2]


def test_another_model_does_not_wait_for_the_pause_of_the_first() -> None:
    before = held(Double(fails(busy(8.0)), gives("Tea.")))
    cut = next(n for n, entry in enumerate(before.entries, start=1) if isinstance(entry.event, Erred))
    sent: list[float] = []

    async def answer(recorder: Recorder) -> Called:
        sent.append(asyncio.get_running_loop().time())
        return replace(await gives("Tea.")(recorder), model="double:other")

    other = Double(answer)
    other.name = "double:other"
    held(other, lines=before.lines[:cut])
    assert sent == [0.0]
