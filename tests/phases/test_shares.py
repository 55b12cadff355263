"""Work that is shared out, and plans for the faces: everybody has a task of its own and a seat."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.app.program.program_plans import open_workspace, plan_tree
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.errors import BriefError, ProtocolError
from folkmoot.phases.base import Phase, Sequence
from folkmoot.phases.shares import Shares
from folkmoot.phases.speak import Everyone
from folkmoot.testing.replay import Harness, SeededAgent
from tests.cli.commands import served, settle
from tests.kits.players import ANN, BOB, hold, resume_everywhere

BOTH = Shares(tasks=(("Ann", "Read part 1."), ("Bob", "Read part 2."), ("Ann", "Read part 3.")), needs=2)


async def test_each_has_a_task_of_its_own_and_sees_nobody() -> None:
    debate, player = await hold(BOTH, lambda ask, context: {})
    assert [(ask.to, ask.task) for ask, _ in player.asked] == list(BOTH.tasks)
    assert not any(context.turns or context.about for _, context in player.asked)
    assert [turn.key for turn in debate.transcript.turns("share")] == [f"/debate#{n}" for n in (1, 2, 3)]
    assert not debate.transcript.halts


async def test_too_few_answers_halt_the_debate() -> None:
    def script(ask: Ask, context: Context) -> Mapping[str, Value] | None:
        return {} if ask.to == "Bob" else None

    debate, _ = await hold(BOTH, script)
    assert debate.transcript.halted("/debate") == "1 of 3 answered, 2 are needed to go on"


async def test_shares_resume_from_anywhere() -> None:
    place = Harness(brief=Brief(topic="Tea?", participants=(ANN, BOB)), protocol=Sequence(parts=(BOTH,)))
    oracle = SeededAgent()
    await resume_everywhere(place, await place.run({"Ann": oracle, "Bob": oracle}))


def test_nothing_cannot_be_shared_out() -> None:
    with pytest.raises(ProtocolError, match="at least one task"):
        Shares(tasks=())


@pytest.fixture
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def talk(brief: Brief) -> Phase:
    return Everyone(act="argue", task=f"Argue, {len(brief.participants)} of you.")


@pytest.mark.usefixtures("_own_place")
async def test_a_plan_seats_everybody_and_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    brief = Brief(topic="Tea?", participants=(ANN, Participant(name="Bob", seat="ollama:own")))
    async with open_workspace() as workspace:
        plan = await plan_tree(workspace, brief, "talk", talk)
        assert [participant.seat for participant in plan.brief.participants] == ["builtin:quotes", "ollama:own"]
        assert plan.protocol == Everyone(act="argue", task="Argue, 2 of you.")
        named = await plan_tree(workspace, brief, "talk", talk, ("ollama:given",))
        assert [participant.seat for participant in named.brief.participants] == ["ollama:given", "ollama:own"]
        with pytest.raises(BriefError, match=r"Ann: .*nowhere"):
            await plan_tree(workspace, brief, "talk", talk, ("nowhere:model",))
        aided = Brief(topic="Tea?", participants=(Participant(name="Ann", seat="ollama:own", tools=("hammer",)),))
        with pytest.raises(BriefError, match=r"Ann: .*hammer"):
            await plan_tree(workspace, aided, "talk", talk)
    monkeypatch.setenv("FOLKMOOT_MODEL", "builtin:quotes")
    async with open_workspace(Path("here.sqlite")) as workspace:
        plan = await plan_tree(workspace, Brief(topic="Tea?", participants=(ANN, BOB)), "talk", talk)
        outcome = await workspace.run(plan, workspace.new_id(plan))
        assert (workspace.place, outcome.transcript.protocol) == ("here.sqlite", "talk")
        assert [turn.by for turn in outcome.transcript.turns("argue")] == ["Ann", "Bob"]


@pytest.mark.usefixtures("_own_place")
async def test_the_usual_model_is_the_first_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(models=("all-minilm:latest", "qwen3:8b")) as wires:
        monkeypatch.setenv("OLLAMA_HOST", wires.url)
        async with open_workspace() as workspace:
            plan = await plan_tree(workspace, Brief(topic="Tea?", participants=(ANN, BOB)), "talk", talk)
    assert [participant.seat for participant in plan.brief.participants] == ["ollama:qwen3:8b"] * 2
