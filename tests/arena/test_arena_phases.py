"""The documented names of the phases: the context, the strength of a consensus, the weight of a vote."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from folkmoot.arena import (
    CircuitBreaker,
    ConsensusStrength,
    ContextInitializer,
    ConvergenceDetector,
    DebateContext,
    VoteWeightCalculator,
)
from folkmoot.core.errors import BriefError
from folkmoot.core.roles import Finding
from folkmoot.learn.memory import Lessons, Outcome, Pattern
from folkmoot.learn.memory_store import MemoryStore

OUTCOME = Outcome(
    topic="What should the office kitchen serve?",
    protocol="arena",
    domain="",
    status="decided",
    text="Tea",
    how="all agree",
    strength="unanimous",
    share=1.0,
    dissent=(),
    minority=(),
    trust="confirmed",
    seq=9,
)
PATTERN = Pattern(
    critic="Ann", author="Bob", issue="no cost is named", suggestion="", before="Coffee", after="Tea", because="", seq=5
)


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("arena") / "folkmoot.sqlite"
    with MemoryStore.open(place) as store:
        store.add("tea-1", Lessons(at=0.0, outcome=OUTCOME, patterns=(PATTERN,)), head="h")
    return place


async def test_the_context_holds_outcomes_critiques_and_research(memory: Path) -> None:
    async def library(topic: str) -> Sequence[Finding]:
        return [
            Finding(tool="library", text=f"Read on {topic}", sources=("shelf 3",)),
            Finding(tool="library", text="the second shelf is locked"),
        ]

    initializer = ContextInitializer(
        consensus_memory=memory,
        critique_store=memory,
        research_enabled=True,
        history_limit=5,
        connectors=[library],
        clock=lambda: 60.0,
    )
    assert initializer.state == "START"
    context = await initializer.initialize("What should the office kitchen serve?")
    assert initializer.state == "CONTEXT_READY"
    assert [line.partition("] ")[2] for line in context.history] == [
        "on “What should the office kitchen serve?”: decided “Tea”; strength unanimous"
    ]
    assert [line.partition("] ")[2] for line in context.patterns] == ["“no cost is named”; the answer became “Tea”"]
    assert [line.partition("] ")[2] for line in context.research] == ["“Read on What should the office kitchen serve?”"]
    assert context.debates == ("tea-1",)
    assert context.notes == ("the tool library: the second shelf is locked",)


async def test_it_is_initializing_meanwhile() -> None:
    states: list[str] = []

    async def watch(topic: str) -> Sequence[Finding]:
        states.append(initializer.state)
        return ()

    initializer = ContextInitializer(connectors=[watch])
    context = await initializer.initialize("Tea?")
    assert states == ["INITIALIZING"]
    assert context == DebateContext(topic="Tea?", notes=("nothing was looked up: there are no tools",))


async def test_what_is_not_asked_for_is_not_fetched(memory: Path) -> None:
    async def never(topic: str) -> Sequence[Finding]:
        raise AssertionError("research is not enabled")

    topic = "What should the office kitchen serve?"
    silent = ContextInitializer(memory, research_enabled=False, history_limit=0, connectors=[never])
    assert await silent.initialize(topic) == DebateContext(topic=topic)
    only = await ContextInitializer(critique_store=memory).initialize(topic)
    assert (len(only.history), len(only.patterns)) == (0, 1)


async def test_a_memory_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "folkmoot.sqlite"
    broken.write_text("no database, but long enough to be looked at as one" * 20, "utf-8")
    context = await ContextInitializer(broken).initialize("Tea?")
    assert context.history == ()
    assert context.notes[0].startswith("memory cannot be read")


@pytest.mark.parametrize("limit", [-1, 1.5, True])
def test_a_limit_that_is_none_is_refused(limit: int) -> None:
    with pytest.raises(BriefError, match=r"history_limit is .*; it must be a whole number from 0"):
        ContextInitializer(history_limit=limit)


async def test_an_empty_topic_is_refused() -> None:
    with pytest.raises(BriefError, match="the topic is empty"):
        await ContextInitializer().initialize("  ")


@pytest.mark.parametrize(
    ("agreeing", "voters", "expected"),
    [
        (5, 5, ConsensusStrength.UNANIMOUS),
        (9, 10, ConsensusStrength.STRONG),
        (4, 5, ConsensusStrength.MODERATE),
        (3, 5, ConsensusStrength.MODERATE),
        (11, 20, ConsensusStrength.WEAK),
        (1, 2, ConsensusStrength.WEAK),
        (2, 5, ConsensusStrength.SPLIT),
        (0, 3, ConsensusStrength.SPLIT),
    ],
)
def test_the_strength_of_a_consensus(agreeing: int, voters: int, expected: ConsensusStrength) -> None:
    assert ConsensusStrength.of(agreeing, voters) is expected
    assert ConsensusStrength.of(agreeing, voters, tied=True) is ConsensusStrength.CONTESTED


def test_the_documented_values() -> None:
    values = ["unanimous", "strong", "moderate", "weak", "split", "contested"]
    assert [strength.value for strength in ConsensusStrength] == values


@pytest.mark.parametrize(("agreeing", "voters"), [(0, 0), (3, 2), (-1, 2)])
def test_a_share_that_cannot_be_is_refused(agreeing: int, voters: int) -> None:
    with pytest.raises(BriefError, match="cannot agree"):
        ConsensusStrength.of(agreeing, voters)


@dataclass
class Agent:
    name: str
    elo: float = 1500.0
    calibration_score: float = 0.5


def test_the_documented_weight_of_a_vote() -> None:
    agents = [Agent("ann"), Agent("bob", 2000.0, 1.0), Agent("cy", 1000.0), Agent("dee", 900.0, 1.0)]
    weights = VoteWeightCalculator(agents)
    assert [weights.calculate_weight(agent.name) for agent in agents] == [1.0, 3.0, 0.0, 0.0]
    least = VoteWeightCalculator(agents, floor=0.1)
    assert [least.calculate_weight(agent.name) for agent in agents] == [1.0, 3.0, 0.1, 0.1]
    with pytest.raises(BriefError, match="floor"):
        VoteWeightCalculator(agents, floor=-1.0)
    with pytest.raises(BriefError, match="there is no agent 'eve'; there are ann, bob, cy, dee"):
        weights.calculate_weight("eve")


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        ([Agent("ann"), Agent("ann")], "two agents are called 'ann'"),
        ([Agent("ann", math.inf)], "ann: elo is inf; it must be a finite number"),
        ([Agent("ann", 1500.0, 1.2)], "ann: calibration_score is 1.2; it must be from 0 to 1"),
        ([Agent("ann", 1500.0, math.nan)], "ann: calibration_score is nan; it must be from 0 to 1"),
    ],
)
def test_agents_that_cannot_be_weighed_are_refused(agents: list[Agent], message: str) -> None:
    with pytest.raises(BriefError, match=message):
        VoteWeightCalculator(agents)


def test_without_agents_nobody_has_a_weight() -> None:
    with pytest.raises(BriefError, match="there are none"):
        VoteWeightCalculator([]).calculate_weight("ann")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"failure_threshold": 0}, "failure_threshold is 0; it must be a number from 1"),
        ({"failure_threshold": -1}, "failure_threshold is -1; it must be a number from 1"),
        ({"cooldown_seconds": -5}, "cooldown_seconds is -5; it must be a number from 0"),
        ({"cooldown_seconds": math.nan}, "cooldown_seconds is nan"),
        ({"half_open_success_threshold": 0}, "half_open_success_threshold is 0"),
    ],
)
def test_bad_thresholds_of_a_breaker_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(BriefError, match=message):
        CircuitBreaker(**options)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("threshold", [5, -0.1, math.nan])
def test_bad_thresholds_of_a_detector_are_refused(threshold: float) -> None:
    with pytest.raises(BriefError, match=r"threshold is .*; it must be a number from 0 to 1"):
        ConvergenceDetector(threshold=threshold)
