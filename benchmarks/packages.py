"""Compares Folkmoot with other packages for the same purpose, on the same scripted model.

- ``aragora-debate``: its arena, and Folkmoot's protocol ``arena``: proposals, all-to-all critiques, votes.
- ``langgraph``: the moderated pattern as its document shows it (a node for the debaters, who speak one after the
  other, and a node for the moderator), and Folkmoot's ``DebatePattern``. The step of the council and a meeting of the board
  are measured too.

``calls`` are the calls of the model; the protocols differ in how often they ask. ``wall`` is the time with a model that
takes 0.1 s over the ideal: the stages that must wait for each other, times 0.1 s. For the moderated debate the ideal
asks all debaters of a round at once. ``ms`` is processor time per call with a model that answers at once: the least of
several measurements, since work of other programs only adds to it. ``floor`` is bare asyncio with the same calls. Folkmoot
writes its record to SQLite, and waits for the disk before each question; the others write none. ``in memory`` is the
same above the floor with a record that is kept in no file (``folkmoot.InMemoryStore``), which is what the others do.
``import`` is the time that a new process needs to import the package, median of five.

Run it with ``make bench``, which installs the others in pinned versions, or with ``python benchmarks/packages.py``;
packages that are not installed are left out.
"""

import asyncio
import importlib
import importlib.util
import operator
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypedDict

from folkmoot.app.plan.settings import StorePlace
from folkmoot.app.program.program_agents import register
from folkmoot.app.run.workspace import Workspace
from folkmoot.board import BoardMeeting, BoardMember
from folkmoot.core.brief import Brief, Limits, Participant
from folkmoot.council import AgentWrapper, DebateStep
from folkmoot.pattern import DebatePattern
from folkmoot.protocols.known import Choices
from folkmoot.record.in_memory import InMemoryStore

LATENCY = 0.1
PEOPLE, ROUNDS = 5, 2
NAMES = tuple(f"P{n}" for n in range(1, PEOPLE + 1))
TOPIC = "Should we build a new depot?"
TIMES, DEBATES = 10, 4
"""How often the processor time is taken, and over how many debates."""

WORDS = "The depot would save two hours a day because the routes become shorter. " * 4
IMPORTS = 5


@dataclass(slots=True)
class Script:
    """The model: waits, and answers every form that the protocols ask for."""

    seconds: float
    calls: int = 0

    def agent(self, name: str) -> Callable[[str], Awaitable[str]]:
        """The model as one participant."""

        async def answer(prompt: str) -> str:
            return await self.say(name, prompt)

        return answer

    async def say(self, name: str, prompt: str) -> str:
        """One answer."""
        self.calls += 1
        if self.seconds:
            await asyncio.sleep(self.seconds)
        if "<Message>" in prompt:
            verdict = "<Verdict>HIRE</Verdict><VerdictReasoning>The routes become shorter.</VerdictReasoning>"
            return f"<Message><Speaker>{name}</Speaker>{verdict}<Content>{WORDS}</Content></Message>"
        if "STATUS" in prompt:
            return f"SUMMARY: {WORDS}\nSTATUS: CONTINUE"
        if "I vote for" in prompt:
            return f"I vote for: {'Proposal A' if 'Proposal A' in prompt else NAMES[0]}"
        if "SEVERITY: [" in prompt:
            return f"ISSUE: {WORDS}\nSEVERITY: 3"
        return f"ANSWER: {name} holds its own.\nARGUMENT: {WORDS}" if "ARGUMENT: [" in prompt else f"{name}: {WORDS}"


@dataclass(frozen=True, slots=True)
class Row:
    """One way to hold a debate.

    Attributes:
        name: what it is called.
        package: what has to be installed and is imported.
        stages: the calls that must wait for each other, at best.
        hold: holds one debate with a script.
    """

    name: str
    package: str
    stages: int
    hold: Callable[[Script, StorePlace], Awaitable[object]]


async def folkmoot_arena(script: Script, store: StorePlace) -> object:
    """The protocol ``arena`` with agents of the program."""
    workspace = Workspace.at(store)
    try:
        people = tuple(Participant(name=n, seat=register(workspace.pool, n, script.agent(n))) for n in NAMES)
        choices = Choices(rounds=ROUNDS, topology="all-to-all")
        brief = Brief(topic=TOPIC, participants=people, limits=Limits(parallel=PEOPLE * PEOPLE))
        plan = workspace.plan(brief, protocol="arena", choices=choices, models=())
        return await workspace.run(plan, workspace.new_id(plan))
    finally:
        await workspace.close()


async def folkmoot_council(script: Script, store: StorePlace) -> object:
    """The council's debate step."""
    agents = [AgentWrapper(script.agent(n), name=n) for n in NAMES]
    return await DebateStep(agents=agents, rounds=ROUNDS, store=store).execute(TOPIC)


def debaters() -> list[dict[str, str]]:
    """The debaters of the moderated pattern."""
    return [{"name": n, "role": "Speaks for one side", "system_prompt": f"You are {n}."} for n in NAMES]


async def folkmoot_pattern(script: Script, store: StorePlace) -> object:
    """The moderated pattern."""
    return await DebatePattern(llm=script.agent("all"), max_rounds=ROUNDS, store=store).arun(TOPIC, debaters())


async def folkmoot_board(script: Script, store: StorePlace) -> object:
    """A meeting of a board, whose members speak one after the other."""
    members = [BoardMember(name=n, agent=script.agent(n)) for n in NAMES]
    return await BoardMeeting(TOPIC, members, rounds=ROUNDS, store=store).hold()


class State(TypedDict):
    """The document's state, as far as the graph needs it."""

    current_round: int
    debate_history: Annotated[list[dict[str, Any]], operator.add]
    moderator_summary: str
    is_settled: bool


async def langgraph_pattern(script: Script, store: StorePlace) -> object:
    """The same as a graph, after the document."""
    package: Any = importlib.import_module("langgraph.graph")

    async def debate_round(state: State) -> dict[str, Any]:
        new_turns: list[dict[str, Any]] = []
        for debater in debaters():
            so_far = "\n".join(f"[{turn['name']}]: {turn['argument']}" for turn in state["debate_history"] + new_turns)
            words = await script.say(debater["name"], f"{debater['system_prompt']}\n{TOPIC}\n{so_far}")
            new_turns.append({"name": debater["name"], "role": debater["role"], "argument": words})
        return {"debate_history": new_turns, "current_round": state["current_round"] + 1}

    async def moderator(state: State) -> dict[str, Any]:
        so_far = "\n".join(f"[{turn['name']}]: {turn['argument']}" for turn in state["debate_history"])
        words = await script.say("moderator", f"{TOPIC}\n{so_far}\nAnswer with SUMMARY:, STATUS:, DECISION:")
        return {"moderator_summary": words, "is_settled": "STATUS: SETTLED" in words}

    def next_node(state: State) -> str:
        return package.END if state["is_settled"] or state["current_round"] >= ROUNDS else "debate_round"

    graph = package.StateGraph(State)
    graph.add_node("debate_round", debate_round)
    graph.add_node("moderator", moderator)
    graph.add_edge(package.START, "debate_round")
    graph.add_edge("debate_round", "moderator")
    graph.add_conditional_edges("moderator", next_node)
    first: State = {"current_round": 0, "debate_history": [], "moderator_summary": "", "is_settled": False}
    return await graph.compile().ainvoke(first)


async def aragora_arena(script: Script, store: StorePlace) -> object:
    """Its arena, with agents of the same script."""
    package: Any = importlib.import_module("aragora_debate")

    class Scripted(package.Agent):
        async def generate(self, prompt: str, context: Any = None) -> str:
            return await script.say(self.name, prompt)

        async def critique(self, proposal: str, task: str, context: Any = None, target_agent: Any = None) -> Any:
            words = await script.say(self.name, f"{task}\n{proposal}\nSEVERITY: [")
            return package.Critique(
                agent=self.name, target_agent=target_agent or "", target_content=proposal, issues=[words],
                suggestions=[], severity=3.0,
            )  # fmt: skip

        async def vote(self, proposals: dict[str, str], task: str) -> Any:
            await script.say(self.name, f"{task}\n{proposals}\nI vote for")
            return package.Vote(agent=self.name, choice=self.name, confidence=0.5, reasoning="")

    config = package.DebateConfig(rounds=ROUNDS, early_stopping=False)
    return await package.Arena(question=TOPIC, agents=[Scripted(n) for n in NAMES], config=config).run()


async def floor(script: Script, store: StorePlace) -> object:
    """Bare asyncio with the calls of the council's step."""
    for _ in range(ROUNDS + 2):
        async with asyncio.TaskGroup() as group:
            for name in NAMES:
                group.create_task(script.say(name, ""))
    return None


ROWS: Sequence[Row] = (
    Row("bare asyncio (floor)", "asyncio", ROUNDS + 2, floor),
    Row("folkmoot: council step", "folkmoot.council", ROUNDS + 2, folkmoot_council),
    Row("folkmoot: arena", "folkmoot.app.run.workspace", 2 * ROUNDS + 2, folkmoot_arena),
    Row("aragora-debate: arena", "aragora_debate", 3 * ROUNDS, aragora_arena),
    Row("folkmoot: moderated pattern", "folkmoot.pattern", 2 * ROUNDS, folkmoot_pattern),
    Row("folkmoot: board", "folkmoot.board", PEOPLE * ROUNDS, folkmoot_board),
    Row("langgraph: moderated pattern", "langgraph.graph", 2 * ROUNDS, langgraph_pattern),
)


@dataclass(slots=True)
class Figures:
    """What was measured for one row."""

    calls: int = 0
    ratio: float = 0.0
    cpu: float = 0.0
    memory: float = 0.0


async def measure(row: Row) -> Figures:
    """Hold the debates of a row."""
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "record.sqlite"
        await row.hold(Script(0.0), store)  # what is loaded late is loaded now
        slow = Script(LATENCY)
        began = time.perf_counter()
        await row.hold(slow, store)
        figures.ratio = (time.perf_counter() - began) / (row.stages * LATENCY)
        figures.cpu = min([await processor_time(row, store) for _ in range(TIMES)])
        figures.memory = min([await processor_time(row, InMemoryStore()) for _ in range(TIMES)])
        figures.calls = slow.calls
    return figures


async def processor_time(row: Row, store: StorePlace) -> float:
    """Milliseconds of the processor for a call, over some debates."""
    quick = Script(0.0)
    began = time.process_time()
    for _ in range(DEBATES):
        await row.hold(quick, store)
    return (time.process_time() - began) * 1000 / quick.calls


def load(package: str) -> float:
    """The median of the seconds that a new process needs to import a package."""
    seconds: list[float] = []
    for _ in range(IMPORTS):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {package}"], check=True)
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def main() -> int:
    """Print the table."""
    print(f"{PEOPLE} participants, {ROUNDS} rounds; a call takes {LATENCY:g} s, or nothing\n")
    print(f"{'':30}{'calls':>6}{'wall':>8}{'ms':>8}{'over floor':>12}{'in memory':>11}{'import s':>10}")
    base = 0.0
    for row in ROWS:
        if importlib.util.find_spec(row.package.partition(".")[0]) is None:
            print(f"{row.name:30}  not installed")
            continue
        figures = asyncio.run(measure(row))
        base = base or figures.cpu
        line = f"{row.name:30}{figures.calls:6}{figures.ratio:8.2f}{figures.cpu:8.2f}"
        memory = f"{figures.memory - base:11.2f}" if row.name.startswith("folkmoot") else f"{'':11}"
        print(f"{line}{figures.cpu - base:12.2f}{memory}{load(row.package):10.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
