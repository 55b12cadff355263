"""Whether a model answers: in one sentence, within a time limit, remembered for a minute."""

import asyncio

import pytest

from folkmoot.app.plan.model_check import KEPT, ModelChecks
from folkmoot.core.agent import Quote, Recorder
from folkmoot.core.ask import Usage
from folkmoot.core.errors import Unavailable
from folkmoot.core.event import Called
from folkmoot.models.base import Request, Traits
from folkmoot.models.pool import Pool


class Spoken:
    """A model that answers, fails or is silent."""

    name, traits = "guest:m", Traits()
    drops: tuple[str, ...] = ()

    def __init__(self, error: Exception | None = None, *, silent: bool = False) -> None:
        self.error, self.silent, self.asked = error, silent, 0

    def quote(self, request: Request) -> Quote:
        return Quote(model=self.name, tokens=10)

    async def complete(self, request: Request, recorder: Recorder) -> Called:
        self.asked += 1
        recorder.delta("Hel")
        if self.silent:
            await asyncio.Event().wait()
        if self.error:
            raise self.error
        usage = Usage(input_tokens=9, output_tokens=2, cost=0.001)
        return Called(
            key="", call="answer", text="Hello", model=self.name, served=self.name, usage=usage, finish="stop"
        )

    async def close(self) -> None:
        """Nothing to give back."""


def pool_of(model: Spoken) -> Pool:
    pool = Pool()
    pool.add_agent("m", model)
    return pool


async def test_a_model_that_answers_is_asked_once_a_minute() -> None:
    now, model = [100.0], Spoken()
    pool, checks = pool_of(model), ModelChecks(clock=lambda: now[0])
    first = await checks.check(pool, "guest:m")
    assert (first.answers, first.words, first.cost) == (True, "It answered in 0 s.", 0.001)
    assert await checks.check(pool, "guest:m") is first
    now[0] += KEPT + 1
    assert await checks.check(pool, "guest:m") is not first
    assert model.asked == 2


@pytest.mark.parametrize(
    ("name", "model", "words"),
    [
        ("guest:m", Spoken(Unavailable("the key was refused", kind="key")), "the key was refused"),
        ("guest:m", Spoken(silent=True), "It did not answer within 0.1 s."),
        ("nobody:x", Spoken(), "nobody"),
        ("guest:other", Spoken(), "belongs to a program"),
    ],
)
async def test_one_that_does_not_answer_says_why(name: str, model: Spoken, words: str) -> None:
    check = await ModelChecks(limit=0.05).check(pool_of(model), name)
    assert not check.answers
    assert words in check.words


async def test_the_built_in_one_is_not_asked() -> None:
    assert (await ModelChecks().check(Pool(), "builtin:quotes")).words == "It is built in, and no language model."


async def test_an_agent_of_a_program_is_tested_only_there() -> None:
    checked = await ModelChecks().check(Pool(), "guest:nobody")
    assert (checked.answers, checked.words) == (False, "It belongs to a program, and only that program can ask it.")
