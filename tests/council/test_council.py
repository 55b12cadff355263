"""Councils: one step after the other, what happens when one fails, streaming, and a run that is taken up again."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from folkmoot import BriefError, FolkmootError, LimitReached, Limits, ModelError, RecordError, Waiting, Workspace
from folkmoot.core.event import Called
from folkmoot.council import (
    AgentWrapper,
    Context,
    Council,
    CouncilEvent,
    DebateStep,
    HumanAgent,
    ParallelStep,
    SplitStep,
    Step,
    StepResult,
)
from tests.cli.commands import settle
from tests.council.councils import Scripted, agents

FOR_A, FOR_B = "I vote for: A", "I vote for: B"


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


class Broken:
    """A step that fails so many times."""

    def __init__(self, times: int, error: Exception | None = None, answer: object = "done") -> None:
        self.left, self.error, self.answer = times, error or KeyError("broken"), answer

    async def execute(self, task: str, context: Context) -> object:
        self.left -= 1
        if self.left >= 0:
            raise self.error
        return self.answer


class Heard(Step):
    """A step that gives back what it is told."""

    async def execute(self, task: str, context: Context) -> StepResult:
        return StepResult({"output": f"{task}|{context.to_prompt_context()}", "first": context.get("step_0")})


def debate(*votes: str) -> DebateStep:
    return DebateStep(agents(**dict(zip("ABC", votes, strict=False))), rounds=0)


# ---- steps ---------------------------------------------------------------------------------------------------------


async def test_each_step_knows_the_results_of_those_before_it() -> None:
    context = Context({"budget": "ten crowns"})
    result = await Council("two", [debate(FOR_B, FOR_B), Heard()], context).execute("Which tea?")
    assert result["output"] == "Which tea?|budget:\n  ten crowns\n\nstep_0:\n  B's plan"
    assert [step.text for step in result.steps] == ["B's plan", result["output"]]
    assert (result["first"], result.debate, context.get("step_0")) == ("B's plan", "", None)
    assert result.steps[0].outcome
    assert result.steps[0].debate.endswith("-step0")
    assert result.steps[0].outcome.status == "decided"


@pytest.mark.parametrize(
    ("answer", "values"),
    [("done", {"output": "done"}), ({"a": 1}, {"a": 1}), (StepResult({"b": 2}), {"b": 2}), (None, {"output": None})],
)
async def test_a_step_of_ones_own_gives_a_text_or_a_mapping(answer: object, values: Mapping[str, Any]) -> None:
    result = await Council("own", [Broken(0, answer=answer), Heard()]).execute("Go.")
    assert result.steps[0] == values


async def test_agents_in_parallel_work_on_the_whole_or_on_their_part() -> None:
    def split(task: str, count: int) -> list[str]:
        return [f"{task} {n}" for n in range(1, count)]

    scripts = {name: Scripted(f"{name}'s work") for name in "ABC"}
    people = [AgentWrapper(scripted, name) for name, scripted in scripts.items()]
    whole = await ParallelStep(people[:2]).execute("Read it.")
    assert whole == {
        "output": "[A]:\nA's work\n\n[B]:\nB's work",
        "parallel_results": {"A": "A's work", "B": "B's work"},
        "agents_involved": ["A", "B"],
    }
    parts = await ParallelStep(people, split).execute("Read it.")
    assert parts["agents_involved"] == ["A", "B"]
    assert ("Read it. 1" in scripts["A"].prompts[1], "Read it. 2" in scripts["A"].prompts[1]) == (True, False)
    assert ("Read it. 1" in scripts["B"].prompts[1], "Read it. 2" in scripts["B"].prompts[1]) == (False, True)
    assert scripts["C"].prompts == []
    for bad in ([], ["a"] * 4, ["a", " ", "b"]):
        with pytest.raises(BriefError, match=r"the task splitter gives|a part of the task is empty"):
            await ParallelStep(people, lambda task, count, bad=bad: bad).execute("Read it.")


async def test_a_failing_part_is_missing_and_named() -> None:
    people = [AgentWrapper(Scripted("done"), "A"), AgentWrapper(Scripted(ModelError("gone", kind="server")), "B")]
    result = await ParallelStep(people).execute("Read it.")
    assert (result["parallel_results"], list(result["failed"])) == ({"A": "done"}, ["B"])
    assert "gone" in result["failed"]["B"]


async def test_a_split_task_is_worked_on_in_parts() -> None:
    def work(prompt: str) -> str:
        if "- three" in prompt.rpartition("only this part")[2]:
            raise ModelError("gone", kind="server")
        return prompt.rpartition("\n")[2]

    result = await SplitStep(work).execute("Check:\n- one\n- two\n- three")
    assert result["subtasks"] == ["- one", "- two", "- three"]
    assert result["split_results"] == ["- one", "- two", None]
    assert (result["num_agents"], result["strategy"], list(result["failed"])) == (3, "auto", ["Agent 3"])
    whole = await SplitStep(AgentWrapper(work, "Worker"), 2, 4, "fixed").execute("One sentence.")
    assert (whole["subtasks"], whole["split_results"]) == (["One sentence."] * 2, ["Work on the task."] * 2)
    assert whole["output"].startswith("[Worker 1]:")


# ---- errors --------------------------------------------------------------------------------------------------------


async def test_halt_raises_what_the_step_raised() -> None:
    with pytest.raises(KeyError, match="broken"):
        await Council("halt", [Broken(1), Heard()]).execute("Go.")
    with pytest.raises(ModelError, match=r"nobody answered"):
        await Council("halt", [DebateStep([AgentWrapper(Scripted(ValueError("no")), "A")])]).execute("Go.")


async def test_continue_goes_on_without_the_step() -> None:
    result = await Council("on", [Broken(1), Heard()], error_strategy="continue").execute("Go.")
    assert (result["output"], result.steps[0]) == ("Go.|", {"error": "'broken'"})


@pytest.mark.parametrize(("times", "retries", "left"), [(1, 1, -1), (2, 2, -1), (3, 2, 0)])
async def test_retry_tries_again_so_often(times: int, retries: int, left: int) -> None:
    step = Broken(times)
    council = Council("again", [step], error_strategy="retry", retries=retries)
    if times > retries:
        with pytest.raises(KeyError):
            await council.execute("Go.")
    else:
        assert (await council.execute("Go."))["output"] == "done"
    assert step.left == left


async def test_a_debate_in_which_nobody_answered_is_held_anew() -> None:
    class Late(Scripted):
        def __call__(self, prompt: str) -> str:
            if len(self.prompts) < 1:
                self.prompts.append(prompt)
                raise ValueError("not yet")
            return super().__call__(prompt)

    late = Late("A's plan")
    step = DebateStep([AgentWrapper(late, "A")], rounds=0)
    result = await Council("again", [step], error_strategy="retry").execute("Go.")
    assert (result["winner"], result.debate.rpartition("-")[2]) == ("A's plan", "try2")


async def double(task: str, context: Context) -> str:
    return task * 2


def plain(task: str, context: Context) -> dict[str, str]:
    return {"winner": "plain"}


@pytest.mark.parametrize(
    ("fallback", "text"),
    [(double, "Go.Go."), (plain, "plain"), (debate(FOR_B, FOR_B), "B's plan")],
)
async def test_a_fallback_takes_the_place_of_the_step(fallback: Any, text: str) -> None:
    council = Council("else", [Broken(1), Heard()], error_strategy="fallback", fallback=fallback)
    result = await council.execute("Go.")
    assert (result.steps[0].text, result["output"]) == (text, f"Go.|step_0:\n  {text}")


async def test_a_fallback_that_fails_is_an_error() -> None:
    council = Council("else", [Broken(1)], error_strategy="fallback", fallback=Broken(1, OSError("both")))
    with pytest.raises(OSError, match="both"):
        await council.execute("Go.")


async def test_a_person_who_is_waited_for_is_no_failure() -> None:
    def away(prompt: str) -> str:
        raise Waiting("later")

    step = DebateStep([HumanAgent("Flo", away)], rounds=0)
    with pytest.raises(
        Waiting, match=r"Flo .*, later: folkmoot answer go-.*; resume it with await council\.resume\('go"
    ):
        await Council("wait", [step, Heard()], error_strategy="continue").execute("Go.")


ODD: Any = object()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Council("none"), "at least one step"),
        (lambda: Council("odd", [ODD]), "object has none"),
        (lambda: Council("bad", [Heard()], error_strategy="hope"), "'hope'; there are halt, continue, retry, fallback"),
        (lambda: Council("bad", [Heard()], error_strategy="retry", retries=0), "retries is 0"),
        (lambda: Council("bad", [Heard()], error_strategy="fallback"), "must be given together"),
        (lambda: Council("bad", [Heard()], fallback=double), "must be given together"),
        (lambda: SplitStep(print, 3, 2), "max_agents is 2; it must be a whole number from 3 to 100"),
        (lambda: SplitStep(print, split_strategy="best"), "'best'; it must be auto or fixed"),
        (lambda: SplitStep(ODD), "an agent is a function"),
        (lambda: ParallelStep([]), "at least one agent"),
        (lambda: Context(characters=10), "characters is 10; it must be a whole number from 100"),
    ],
)
def test_what_cannot_be_is_refused(make: Any, words: str) -> None:
    with pytest.raises(BriefError, match=words):
        make()


def test_run_needs_no_loop() -> None:
    assert Council("plain", [debate(FOR_B, FOR_B)]).run("Which tea?")["winner"] == "B's plan"


async def test_run_in_a_loop_names_the_other_door() -> None:
    with pytest.raises(FolkmootError, match=r"await council\.execute"):
        Council("plain", [Heard()]).run("Which tea?")


# ---- streaming -----------------------------------------------------------------------------------------------------


async def test_a_stream_tells_what_happens_in_order() -> None:
    people = [AgentWrapper(Scripted("A's plan", FOR_A, ValueError("no")), "A"), *agents(B=FOR_A, C="hm")[0:]]
    council = Council("told", [DebateStep(people, rounds=1), Broken(1)], error_strategy="continue")
    events = [event async for event in council.stream_execute("Which tea?")]
    assert [event.type for event in events] == [
        *("step_start", "debate_start", "agent_message", "agent_message", "agent_message", "round_start"),
        *("agent_message", "agent_message", "agent_error", "vote", "vote", "vote"),
        *("consensus", "debate_end", "step_end", "step_start", "step_end"),
    ]
    council_events = {event.type: event for event in events}
    assert events[0] == CouncilEvent(type="step_start", step=0, data={"kind": "DebateStep", "task": "Which tea?"})
    assert council_events["debate_start"].data == {"task": "Which tea?", "agents": ["A", "B", "C"]}
    assert council_events["round_start"].data == {"round": 1}
    assert [event.data["choice"] for event in events if event.type == "vote"] == ["A", "A", ""]
    assert (council_events["consensus"].data["winner"], council_events["consensus"].data["rule"]) == ("A", "plurality")
    assert (council_events["debate_end"].data["status"], council_events["agent_error"].data["agent"]) == (
        "decided",
        "A",
    )
    assert events[-3].data["result"]["winner"] == "A's plan"
    assert events[-1].data == {"error": "'broken'"}
    seqs = [event.seq for event in events if event.debate]
    assert (seqs == sorted(seqs), seqs[0], {event.debate for event in events[1:14]}) == (True, 1, {events[1].debate})


async def test_a_stream_raises_what_ends_the_run() -> None:
    step = DebateStep(agents(A=FOR_A, B=FOR_A), limits=Limits(asks=3))
    types: list[str] = []

    async def follow() -> None:
        async for event in Council("short", [step]).stream_execute("Which tea?"):
            types.extend([event.type])

    with pytest.raises(LimitReached, match=r"council\.resume"):
        await follow()
    assert types[-1] == "debate_pause"


# ---- resume --------------------------------------------------------------------------------------------------------


async def test_a_run_that_stands_still_goes_on_and_no_call_is_made_twice() -> None:
    people = {name: Scripted(f"{name}'s plan", FOR_B, f"{name} again") for name in "AB"}
    council = Council(
        "long",
        [ParallelStep([AgentWrapper(Scripted("facts"), "Scout")]), DebateStep(_wrapped(people), rounds=1), Heard()],
        limits=Limits(asks=4),
    )
    with pytest.raises(LimitReached, match=r"resume it with await council\.resume\('which-tea-"):
        await council.execute("Which tea?")
    first = {name: len(person.prompts) for name, person in people.items()}
    workspace = Workspace.at(Path("folkmoot.sqlite"))
    ids = [summary.debate for summary in await workspace.list()]
    await workspace.close()
    assert (sorted(text.rpartition("-")[2] for text in ids), first) == (["step0", "step1"], {"A": 2, "B": 2})
    later = {name: Scripted("another plan", FOR_B, "another round") for name in "AB"}
    again = Council(
        "long",
        [
            ParallelStep([AgentWrapper(Scripted("other facts"), "Scout")]),
            DebateStep(_wrapped(later), rounds=1),
            Heard(),
        ],
    )
    result = await again.resume(ids[0], limits=Limits(asks=20))
    assert {name: len(scripted.prompts) for name, scripted in later.items()} == {"A": 1, "B": 1}
    assert result.steps[0]["output"] == "[Scout]:\nfacts"
    assert result.steps[1]["proposals"] == {
        "A": "A's plan",
        "B": "B's plan",
        "A_round_0": "A again",
        "B_round_0": "B again",
    }
    assert result["first"] == "[Scout]:\nfacts"


def _wrapped(people: Mapping[str, Scripted]) -> list[AgentWrapper]:
    return [AgentWrapper(person, name) for name, person in people.items()]


async def test_a_debate_that_was_killed_anywhere_goes_on_as_if_nothing_had_happened() -> None:
    whole = await Council("whole", [debate(FOR_B, FOR_A, FOR_B)], store=Path("whole.sqlite")).execute("Which tea?")
    workspace = Workspace.at(Path("whole.sqlite"))
    lines = await workspace.lines(whole.debate)
    entries = await workspace.entries(whole.debate)
    await workspace.close()
    for cut in range(1, len(lines)):
        store = Path(f"cut-{cut}.sqlite")
        workspace = Workspace.at(store)
        await workspace.store.append(whole.debate, lines[:cut], after=0)
        await workspace.close()
        step = debate(FOR_B, FOR_A, FOR_B)
        resumed = await Council("cut", [step], store=store).resume(whole.debate)
        assert dict(resumed) == dict(whole), f"cut behind entry {cut}"
        paid = sum(isinstance(entry.event, Called) for entry in entries[:cut])
        assert sum(len(prompts(agent)) for agent in step.agents) == 6 - paid


def prompts(agent: object) -> list[str]:
    assert isinstance(agent, AgentWrapper)
    assert isinstance(agent.agent, Scripted)
    return agent.agent.prompts


async def test_a_step_alone_is_taken_up_by_its_debate() -> None:
    step = DebateStep(agents(A=FOR_B, B=FOR_B), rounds=0, limits=Limits(asks=2), store=Path("own.sqlite"))
    with pytest.raises(LimitReached, match=r"await step\.resume\('which-tea-") as stopped:
        await step.execute("Which tea?")
    debate_id = str(stopped.value).split("'")[1]
    result = await step.resume(debate_id, limits=Limits(asks=9))
    assert (result["winner"], result.debate) == ("B's plan", debate_id)
    assert dict(await step.resume(debate_id)) == dict(result)
    with pytest.raises(RecordError, match="no debate 'nothing'"):
        await step.resume("nothing")
    with pytest.raises(RecordError, match="no run 'nothing'"):
        await Council("none", [Heard(), step]).resume("nothing-step3-try2")


@pytest.mark.parametrize("strategy", ["halt", "retry", "continue"])
async def test_tries_on_record_count_on_a_resume(strategy: str) -> None:
    agent = Scripted(ValueError("no"))
    step = DebateStep([AgentWrapper(agent, "A")], rounds=0, limits=Limits(asks=9))
    council = Council("tries", [step], error_strategy="halt")
    with pytest.raises(ModelError, match=r"\((go-\w+-step0)\)") as failed:
        await council.execute("Go.")
    run = str(failed.value).rpartition("(")[2].rstrip(")")
    agent.prompts.clear()
    agent.proposal = "A's plan"
    result = await Council("tries", [step], error_strategy=strategy).resume(run)
    if strategy == "continue":
        assert result == {"error": "nobody answered before"}
    else:
        assert (result["winner"], result.debate.endswith("-try2")) == ("A's plan", True)


async def test_two_runs_at_once_do_not_meet() -> None:
    council = Council("both", [debate(FOR_B, FOR_B), Heard()])
    async with asyncio.TaskGroup() as group:
        runs = [group.create_task(council.execute(task)) for task in ("Which tea?", "Which cup?")]
    assert [run.result()["output"].partition("|")[0] for run in runs] == ["Which tea?", "Which cup?"]
