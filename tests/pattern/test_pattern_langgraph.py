"""A debate as a node of a graph, with the real LangGraph: alone, inside a bigger graph, in both ways of calling it."""

# LangGraph has types, but not all of them are known to the last.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import operator
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, TypedDict, cast

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from folkmoot.app.program.program_plans import open_workspace
from folkmoot.app.run.people import answer
from folkmoot.core.brief import Limits, Participant
from folkmoot.core.errors import BriefError, LimitReached, ModelError, Waiting
from folkmoot.pattern import DebatePattern
from tests.council.agents import Agent, chaired, own_place

SETTLED = "SUMMARY: Enough.\nSTATUS: SETTLED\nDECISION: Half of it."
GOES_ON = "SUMMARY: Open.\nSTATUS: CONTINUE"
DEBATERS = [{"name": name, "role": "Investor", "system_prompt": "Argue."} for name in ("Bull", "Bear")]


class State(TypedDict, total=False):
    """The document's state."""

    topic: str
    debaters: list[dict[str, str]]
    current_round: int
    max_rounds: int
    debate_history: Annotated[list[dict[str, object]], operator.add]
    moderator_summary: str
    final_decision: str
    is_settled: bool


Graph = CompiledStateGraph[State, None, State, State]


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


def graph(pattern: DebatePattern, saver: InMemorySaver | None = None) -> Graph:
    builder = StateGraph(State)
    builder.add_node("debate", pattern.as_langgraph_node())
    builder.add_edge(START, "debate")
    builder.add_edge("debate", END)
    return builder.compile(checkpointer=saver)


def begin(**more: object) -> State:
    return cast("State", {"topic": "Invest?", "debaters": DEBATERS, **more})


def spoken(state: Mapping[str, object]) -> list[tuple[str, int]]:
    history = cast("list[dict[str, object]]", state["debate_history"])
    return [(str(row["name"]), int(str(row["round"]))) for row in history]


BOTH = [("Bull", 0), ("Bear", 0)]


def test_invoke() -> None:
    state = graph(DebatePattern(llm=chaired([SETTLED]))).invoke(begin())
    assert state == {
        **begin(),
        "current_round": 1,
        "debate_history": [
            {"name": name, "role": "Investor", "argument": f"{name} argues, 1.", "round": 0}
            for name in ("Bull", "Bear")
        ],
        "moderator_summary": "Enough.",
        "final_decision": "Half of it.",
        "is_settled": True,
    }


async def test_ainvoke_appends_to_what_is_there_and_takes_the_rounds_of_the_state() -> None:
    earlier = {"name": "Owl", "role": "Historian", "argument": "Once.", "round": 0}
    state = await graph(DebatePattern(llm=chaired([GOES_ON]))).ainvoke(begin(max_rounds=2, debate_history=[earlier]))
    assert spoken(state) == [("Owl", 0), *BOTH, ("Bull", 1), ("Bear", 1)]
    assert (state["current_round"], state["max_rounds"], state["is_settled"]) == (2, 2, False)


class Mine(TypedDict, total=False):
    """A state of somebody's own, which wants nothing but the decision."""

    topic: str
    debaters: list[dict[str, str]]
    final_decision: str
    letter: str


async def test_inside_a_bigger_graph() -> None:
    def prepare(state: Mine) -> Mine:
        return {"topic": f"{state.get('topic')} Now?", "debaters": DEBATERS}

    def write(state: Mine) -> Mine:
        return {"letter": f"Dear all: {state.get('final_decision')}"}

    agent = chaired([SETTLED])
    builder = StateGraph(Mine)
    builder.add_node("prepare", prepare)
    builder.add_node("debate", DebatePattern(llm=agent).as_langgraph_node())
    builder.add_node("write", write)
    builder.add_edge(START, "prepare")
    builder.add_edge("prepare", "debate")
    builder.add_edge("debate", "write")
    builder.add_edge("write", END)
    state = await builder.compile().ainvoke({"topic": "Invest?"})
    assert state == {
        "topic": "Invest? Now?",
        "debaters": DEBATERS,
        "final_decision": "Half of it.",
        "letter": "Dear all: Half of it.",
    }
    assert "Topic: Invest? Now?" in agent.heard[0][1]


async def test_a_graph_of_the_debate_alone_is_a_node_of_another() -> None:
    inner = graph(DebatePattern(llm=chaired([SETTLED])))
    builder = StateGraph(State)
    builder.add_node("inner", inner)
    builder.add_edge(START, "inner")
    builder.add_edge("inner", END)
    assert spoken(await builder.compile().ainvoke(begin())) == BOTH


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"debaters": DEBATERS}, "topic is None"),
        ({"topic": "?"}, "debaters is None"),
        (begin(max_rounds=0), "max_rounds is 0"),
    ],
)
def test_a_state_that_cannot_be_debated(state: State, message: str) -> None:
    agent = chaired([SETTLED])
    with pytest.raises(BriefError, match=message):
        graph(DebatePattern(llm=agent)).invoke(state)
    assert agent.heard == []


THREAD: RunnableConfig = {"configurable": {"thread_id": "board-7"}}


def test_at_a_limit_the_run_goes_on_with_the_same_debate() -> None:
    agent, saver = chaired([GOES_ON, SETTLED]), InMemorySaver()
    pattern = DebatePattern(llm=agent, limits=Limits(asks=4))
    for start_state in (begin(), None):
        with pytest.raises(LimitReached, match="the limit of 4 questions is reached"):
            graph(pattern, saver).invoke(start_state, THREAD)
    assert len(agent.heard) == 3
    pattern.limits = Limits(asks=20)
    state = graph(pattern, saver).invoke(None, THREAD)
    assert (spoken(state), state["final_decision"]) == ([*BOTH, ("Bull", 1), ("Bear", 1)], "Half of it.")
    assert len(agent.heard) == 6 == len({*agent.heard}), "somebody was asked twice"


async def test_where_a_person_is_waited_for_the_run_goes_on_with_the_answer() -> None:
    agent, saver = chaired([SETTLED]), InMemorySaver()
    people = [DEBATERS[0], Participant(name="Eve", role="Chairwoman", seat="human")]
    run = graph(DebatePattern(llm=agent), saver)
    with pytest.raises(Waiting) as caught:
        await run.ainvoke(begin(debaters=people), THREAD)
    async with open_workspace() as workspace:
        await answer(workspace, caught.value.debate, "I am for it.")
    state = await run.ainvoke(None, THREAD)
    assert [(item["name"], item["argument"]) for item in state["debate_history"]] == [
        ("Bull", "Bull argues, 1."),
        ("Eve", "I am for it."),
    ]
    assert [who for who, _ in agent.heard] == ["Bull", "Moderator"]


async def test_another_turn_of_the_same_thread_is_another_debate() -> None:
    agent, saver = chaired([SETTLED]), InMemorySaver()
    run = graph(DebatePattern(llm=agent), saver)
    await run.ainvoke(begin(), THREAD)
    state = await run.ainvoke(begin(), THREAD)
    assert (len(spoken(state)), len(agent.heard)) == (4, 6)


def test_where_nobody_answers_the_run_fails_and_may_be_tried_again() -> None:
    mute, saver = Agent(lambda who, prompt, n: ""), InMemorySaver()
    for state in (begin(), None):
        with pytest.raises(ModelError, match="nobody answered"):
            graph(DebatePattern(llm=mute), saver).invoke(state, THREAD)
    with pytest.raises(ModelError, match="nobody answered"):
        graph(DebatePattern(llm=mute)).invoke(begin())
    assert spoken(graph(DebatePattern(llm=chaired([SETTLED])), saver).invoke(None, THREAD)) == BOTH


ALONE = """
import sys
import folkmoot.pattern
pattern = folkmoot.pattern.DebatePattern("builtin:quotes")
assert not [name for name in sys.modules if name.startswith(("langgraph", "langchain"))], "imported"
sys.modules["langchain_core"] = sys.modules["langchain_core.runnables"] = None
try:
    pattern.as_langgraph_node()
except folkmoot.FolkmootError as error:
    assert 'pip install "langgraph' in str(error)
else:
    raise SystemExit("no error")
"""


@pytest.mark.system
def test_the_pattern_itself_needs_no_langgraph() -> None:
    ran = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
