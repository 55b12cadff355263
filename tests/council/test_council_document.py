"""The council's document: every block of its code runs as it is printed, imports aside, and does what it says."""

import ast
import asyncio
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import folkmoot.council
from folkmoot.answers.layout import read
from folkmoot.core.ask import Field, Form
from folkmoot.council import AgentWrapper, Context, Council, DebateStep, HumanAgent
from tests.cli.commands import settle
from tests.council.councils import Scripted, agents
from tests.paths import SHARED

SEED = SHARED / "seeds" / "council-debate-step.md"
pytestmark = pytest.mark.skipif(not SEED.exists(), reason="the council's document is not beside this checkout")

NOT_STATEMENTS = ("DebateStep(", "# Check if all agents converged", "# Round 0:", "# Looks for pattern")
"""How the blocks begin that are a signature, a sentence, a script of a debate, and the inside of a function."""


@pytest.fixture(autouse=True)
def _own_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in settle(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)


def blocks() -> list[str]:
    return (
        re.findall(r"^```python\n(.*?)^```", SEED.read_text("utf-8"), re.DOTALL | re.MULTILINE) if SEED.exists() else []
    )


def block(start: str) -> str:
    (text,) = [block for block in blocks() if block.startswith(start)]
    return text


def compiled(text: str) -> CodeType:
    return compile(text, SEED.name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


async def run(text: str, names: dict[str, Any]) -> dict[str, Any]:
    """The names that a block leaves behind, all public names of the council beside those given."""
    space = {
        **{name: getattr(folkmoot.council, name) for name in folkmoot.council.__all__},
        "asyncio": asyncio,
        "re": re,
        **names,
    }
    coroutine = eval(compiled(text), space)  # noqa: S307 - the document's own code
    if inspect.iscoroutine(coroutine):
        await coroutine
    return space


def test_only_these_blocks_are_no_statements() -> None:
    odd: list[str] = []
    for block in blocks():
        try:
            compiled(block)
        except SyntaxError:
            odd.append(block)
    assert len(blocks()) == 17
    assert [text.startswith(start) for text, start in zip(odd, NOT_STATEMENTS, strict=True)] == [True] * 4


def test_the_signature_is_that_of_the_document() -> None:
    matches = re.findall(r"(\w+): ([\w\[\]]+)(?: = ([^,#\s]+))?", block("DebateStep("))
    printed = [(name, default) for name, _, default in matches]
    ours = inspect.signature(DebateStep).parameters.values()
    positional = [parameter for parameter in ours if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    empty = inspect.Parameter.empty
    shown = [
        (parameter.name, "" if parameter.default is empty else repr(parameter.default).replace("'", '"'))
        for parameter in positional
    ]
    assert shown == printed
    for name, first in (("AgentWrapper", ["agent", "name", "expertise_level"]), ("create_agent", ["system_prompt"])):
        assert list(inspect.signature(getattr(folkmoot.council, name)).parameters)[: len(first)] == first


async def test_what_the_document_puts_into_prompts_stands_in_ours() -> None:
    agent = Scripted("A's plan", "I vote for: A", "A again")
    context = Context({"budget": "ten crowns"})
    await DebateStep([AgentWrapper(agent, "A"), *agents(B="I vote for: A")], rounds=1).execute("Which tea?", context)
    propose, debate, vote = agent.prompts

    async def work() -> str:
        return "solution"

    names: dict[str, Any] = {"task": "Which tea?", "context": context, "proposal_tasks": [work()], "proposals": {}}
    first = await run(block("# Each agent receives"), names)
    assert first["prompt"].startswith("Which tea?\n\nbudget:")
    assert all(line in propose for line in first["prompt"].splitlines() if line.strip())
    names = {"round_num": 0, "agent": AgentWrapper(agent, "A"), "updated_proposal": "A again", "proposals": {}}
    second = await run(block("# Create debate context"), names)
    assert second["debate_context"].strip() in debate
    assert second["proposals"] == {"A_round_0": "A again"}
    third = await run(block("# Create voting prompt"), {"vote_tasks": [work()]})
    assert "'I vote for: [agent name]'" in third["voting_prompt"]
    assert ("\nI vote for: " in vote, "I abstain from voting" in vote) == (True, True)
    last = await run(block("# Moderator sees"), {})
    assert last["moderator_prompt"].startswith("Select the best proposal for")


async def test_votes_are_counted_as_the_document_counts_them() -> None:
    majority = await run(block("# Count raw votes"), {"tie": False})
    assert max(majority["vote_counts"].values()) == 3
    names: dict[str, Any] = {"weighted_scores": {}, "proposal_with_highest_weighted_score": "proposal1"}
    weighted = (await run(block("# Each agent's vote"), names))["weighted_scores"]
    levels = {"A": 0.9, "B": 0.7, "C": 0.8, "D": 0.6, "E": 0.5}
    votes = {name: f"I vote for: {'A' if name in 'ABC' else 'B'}" for name in levels}
    wrapped = [AgentWrapper(agent.agent, agent.name, levels[agent.name]) for agent in agents(**votes)]
    result = await DebateStep(wrapped, rounds=0, voting_strategy="weighted").execute("Which tea?")
    assert [result["weighted_scores"][name] for name in "AB"] == pytest.approx(list(weighted.values()))
    assert result["winner"] == "A's plan"


async def test_the_result_has_the_documented_keys() -> None:
    documented = ast.literal_eval(block("{"))
    result = await DebateStep(agents(A="I vote for: A", B="I vote for: A"), rounds=1).execute("Which tea?")
    assert {name: type(value) for name, value in result.items()} == {
        name: type(value) for name, value in documented.items()
    }


async def test_the_example_flow_ends_as_it_is_told() -> None:
    parts = re.split(r"^# (.+)\n", block("# Round 0:"), flags=re.MULTILINE)[1:]
    matches = {
        name.split(":")[0]: dict(re.findall(r'(Agent\d): "(.*?)"', text))
        for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    proposals, first, second, votes = (matches[name] for name in ("Round 0", "Round 1", "Round 2", "Voting"))
    scripts = {name: Scripted(proposals[name], votes[name], first[name], second[name]) for name in proposals}
    people = [AgentWrapper(script, name) for name, script in scripts.items()]
    result = await DebateStep(people).execute("How to implement the feature?")
    assert (result["winner"], result["votes"]) == (proposals["Agent1"], {"Agent1": 2, "Agent2": 0, "Agent3": 1})
    assert [result["proposals"][f"{name}_round_1"] for name in proposals] == list(second.values())


@pytest.mark.parametrize("words", ["Good.\nI vote for: Bo\nBye.", "i VOTE for:  Bo", "I abstain from voting"])
def test_votes_are_extracted_as_the_document_extracts_them(words: str) -> None:
    body = block("# Looks for pattern").replace("\n", "\n    ")
    space: dict[str, Any] = {"re": re}
    exec(f"def extract(response):\n    {body}\n    return vote_match[1].strip()", space)
    extract: Callable[[str], str] = space["extract"]
    form = Form(
        name="ballot",
        layout="line",
        fields=(Field(name="I vote for", kind="choice", choices=("Ann", "Bo"), abstain=True),),
        strict=True,
    )
    assert read(form, words, final=True).fields["I vote for"] == extract(words)


async def test_the_practices_and_patterns_run_as_printed(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {
        "detailed_requirements": "It must boil.",
        "technical_constraints": ["one kettle"],
        "architectural_decisions": {"cup": "blue"},
        "human_agent": HumanAgent(input_handler=lambda question: "tech_lead"),
        "task": "Which tea?",
    }
    for name in ("architect", "devops_engineer", "product_manager", "tech_lead", "senior_dev", "security_auditor"):
        names[name] = AgentWrapper(Scripted(f"{name}'s plan", f"I vote for: {name}"), name)
    names["performance_expert"] = AgentWrapper(Scripted("fast", "I vote for: security_auditor"), "performance_expert")
    printed = [word for word in blocks() if re.match(r"security_expert|context = |council = ", word)]
    strategies: list[tuple[str, str]] = []
    winners: list[str] = []
    for text in printed:
        names = await run(text, names)
        if isinstance(council := names.pop("council", None), Council):
            result = await council.execute("Which tea?")
            strategies.append((council.name, result["strategy"]))
            winners.append(result["winner"])
    assert strategies == [
        ("ArchitectureReview", "consensus"),
        ("FeaturePlanning", "moderator"),
        ("CodeReview", "weighted"),
    ]
    assert winners[1:] == ["tech_lead's plan", "security_auditor's plan"]
    names["debate_step"] = DebateStep(agents(A="I vote for: B", B="I vote for: B"), rounds=1)
    left = await run(block("# The result includes"), names)
    assert left["result"]["winner"] == "B's plan"
    assert "A_round_0: A's plan..." in capsys.readouterr().out
