"""Seats that do what a function does, shared by the tests of the engine."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias, cast

from folkmoot.core.agent import Agent, Context, Quote, Recorder
from folkmoot.core.ask import Ask, Reply, Usage
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.core.event import Called, Failed
from folkmoot.engine.driver import DriverOptions
from folkmoot.phases.base import Phase, Rounds
from folkmoot.phases.speak import Everyone
from folkmoot.testing.replay import Harness, HeldDebate

TWO = (Participant(name="Ann", seat="x"), Participant(name="Bob", seat="x"))
ARGUE = Rounds(each=Everyone(act="argue", task="Argue."), most=2)


Act: TypeAlias = Callable[[Ask, Context, Recorder], object]


class Acts:
    """A seat that does what a function does."""

    def __init__(self, act: Act) -> None:
        self.act = act

    async def answer(self, ask: Ask, context: Context, recorder: Recorder) -> Reply:
        result = self.act(ask, context, recorder)
        if isinstance(result, Awaitable):
            result = await cast(Awaitable[object], result)
        if isinstance(result, Exception):
            raise result
        return result if isinstance(result, Reply) else Reply(text=str(result))


def runner(
    phase: Phase = ARGUE, *, limits: Limits | None = None, hosting: Callable[[], DriverOptions] = DriverOptions
) -> Harness:
    brief = Brief(topic="Tea?", participants=TWO, limits=limits or Limits())
    return Harness(brief=brief, protocol=phase, hosting=hosting)


def just(result: object) -> Act:
    """Always the same words or error."""

    def act(ask: Ask, context: Context, say: Recorder) -> object:
        return result

    return act


async def slowly(ask: Ask, context: Context, recorder: Recorder) -> str:
    await asyncio.sleep(9)
    return "never"


def both(act: Act) -> Mapping[str, Agent]:
    return {"Ann": Acts(act), "Bob": Acts(lambda ask, context, say: f"fine {ask.key}")}


def failed(debate: HeldDebate) -> list[Failed]:
    return [entry.event for entry in debate.entries if isinstance(entry.event, Failed)]


def paying(cost: float | None) -> Callable[[Ask, Context, Recorder], Awaitable[str]]:
    async def act(ask: Ask, context: Context, say: Recorder) -> str:
        async def send() -> Called:
            return Called(key="", call="", text="paid", usage=Usage(output_tokens=6, cost=cost))

        return (await say.call("answer", Quote(model="m", tokens=10, cost=cost), send)).text

    return act
