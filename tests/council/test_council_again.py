"""What a council goes on with: only the same debate, by the id of any try; and steps that cancel themselves."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from folkmoot import BriefError, Limits, ModelError
from folkmoot.council import AgentWrapper, Context, Council, DebateStep, ParallelStep, SplitStep, StepResult
from folkmoot.council.steps import RecordedStep
from tests.council.agents import own_place
from tests.council.councils import Scripted, agents

FOR_A = "I vote for: A"


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def pair(*names: str) -> list[AgentWrapper]:
    return agents(**dict.fromkeys(names, FOR_A))


@pytest.mark.parametrize(
    ("begun", "other", "message"),
    [
        (
            DebateStep(pair("A", "B")),
            ParallelStep(pair("A", "B")),
            "a debate of the kind debate_step, not parallel_step",
        ),
        (
            ParallelStep(pair("A", "B")),
            DebateStep(pair("A", "B")),
            "a debate of the kind parallel_step, not debate_step",
        ),
        (ParallelStep(pair("A", "B")), SplitStep(print), "a debate of the kind parallel_step, not split_step"),
        (DebateStep(pair("A", "B")), DebateStep(pair("A", "C")), "a debate of A and B, not of A and C"),
        (DebateStep(pair("A", "B")), DebateStep(pair("B", "A")), "a debate of A and B, not of B and A"),
        (
            DebateStep(pair("A", "B")),
            DebateStep(pair("A", "B"), pair("M")[0], voting_strategy="moderator"),
            "a debate of A and B, not of A, B and M",
        ),
        (
            DebateStep(pair("A", "B")),
            DebateStep(pair("A", "B"), voting_strategy="weighted"),
            "a debate with other choices: decided by majority .* not decided by weighted",
        ),
        (
            DebateStep(pair("A", "B")),
            DebateStep(pair("A", "B"), ballot="latest"),
            "a debate with other choices: .*first",
        ),
    ],
)
async def test_a_step_goes_on_with_its_own_debate_alone(begun: RecordedStep, other: RecordedStep, message: str) -> None:
    result = await begun.execute("Which tea?")
    assert dict(await begun.resume(result.debate)) == dict(result)
    with pytest.raises(BriefError, match=f"{result.debate} is {message}"):
        await other.resume(result.debate)
    whole = await Council("begun", [begun]).execute("Which cup?")
    with pytest.raises(BriefError, match=message):
        await Council("other", [other]).resume(whole.debate)


class Failing:
    """A step that fails."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    async def execute(self, task: str, context: Context) -> StepResult:
        raise self.error


async def test_a_run_goes_on_by_the_id_of_any_of_its_debates() -> None:
    agent = Scripted(ValueError("no"))
    fallback = DebateStep([AgentWrapper(agent, "A")], rounds=0, limits=Limits(asks=9))
    council = Council("again", [Failing(KeyError("no"))], error_strategy="fallback", fallback=fallback)
    asking = Council("again", [fallback, Failing(KeyError("no"))], error_strategy="fallback", fallback=fallback)
    with pytest.raises(ModelError, match="nobody answered") as caught:
        await asking.execute("Go.")
    run, agent.proposal = caught.value.debate.partition("-step0")[0], "A's plan"
    result = await asking.resume(caught.value.debate)
    ids = [step.debate for step in result.steps]
    assert ids == [f"{run}-step0-fallback-try2", f"{run}-step1-fallback"]
    for debate in (run, *ids):
        assert [step.debate for step in (await asking.resume(debate)).steps] == ids
    assert (await council.execute("Go."))["winner"] == "A's plan"


async def test_a_step_that_cancels_itself_has_failed() -> None:
    step: Any = Failing(asyncio.CancelledError())
    result = await Council("on", [step, ParallelStep(pair("A"))], error_strategy="continue").execute("Go.")
    assert result.steps[0] == {"error": "Failing was cancelled from within"}
    assert result["agents_involved"] == ["A"]
    with pytest.raises(ModelError, match="Failing was cancelled from within"):
        await Council("halt", [step]).execute("Go.")


async def test_whoever_cancels_a_run_cancels_its_step() -> None:
    begun, left = asyncio.Event(), asyncio.Event()

    class Slow:
        async def execute(self, task: str, context: Context) -> None:
            begun.set()
            try:
                await asyncio.sleep(60)
            finally:
                left.set()

    async with asyncio.TaskGroup() as group:
        running = group.create_task(Council("slow", [Slow()], error_strategy="continue").execute("Go."))
        await begun.wait()
        running.cancel()
    assert (running.cancelled(), left.is_set()) == (True, True)
