"""What nine debates give the tenth: it is shown what bears on its topic, says where that is from, and can use it.

Nothing here says that a model decides better for it: the seats follow a script. Whoever uses what it is shown answers
otherwise than without it; whoever does not answers as before.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from folkmoot.agents.prompt import compose
from folkmoot.core.agent import Context
from folkmoot.core.ask import Ask, Value
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.decision import Ballot, Decision
from folkmoot.core.roles import HISTORY, ORIGINS, PATTERNS, RECALL, RETRIEVER
from folkmoot.core.transcript import Turn, read_field
from folkmoot.learn.lessons import lessons
from folkmoot.learn.memory import Notes
from folkmoot.learn.memory_store import MemoryStore
from folkmoot.learn.retriever import Retriever
from folkmoot.models.base import Traits
from folkmoot.phases.choices import Choices, Memory
from folkmoot.protocols.arena import response
from folkmoot.protocols.known import build
from folkmoot.testing.replay import Harness, HeldDebate
from tests.kits.players import Player
from tests.learn.lessons_kit import THREE, Paper

TOPIC = "Should the depot buy electric buses for the night lines?"
LEASED, MISSING = "lease them for two years", "Nobody has counted the price of new batteries"
EARLIER = (
    ("Should the depot buy electric buses?", LEASED, MISSING),
    ("Should the depot buy electric trucks?", "buy two", "The grid takes twelve chargers"),
    ("May nurses refuse overtime at weekends?", "yes", "The contract says otherwise"),
    ("Should the library open on Sundays?", "no", "Nobody wants to work then"),
    ("What should the kitchen serve?", "tea", "Coffee helps in the morning"),
    ("Braucht die Stadt eine Straßenbahn?", "ja", "Schienen kosten zu viel"),
    ("Shall the club raise its fees?", "no", "Half of the members are students"),
    ("Which language shall the course teach?", "Python", "The teachers know Java"),
    ("Should the office close in August?", "yes", "Customers call in August too"),
)
"""The topics of nine debates, what they came to, and the critique that led there."""

NAMES = tuple(THREE)
BRIEF = Brief(
    topic=TOPIC,
    participants=(
        *(Participant(name=name, seat=seat) for name, seat in THREE.items()),
        Participant(name="Librarian", seat=RETRIEVER, duty="aide"),
    ),
)


def earlier(topic: str, came: str, issue: str) -> Paper:
    """An arena: all propose to wait, Bob criticises Ann, who takes that up and wins."""
    paper = Paper(THREE, topic=topic)
    keys = [paper.say(name, "propose", ANSWER="wait") for name in NAMES]
    critique = paper.say("Bob", "critique", [keys[0]], ISSUE=issue, SUGGESTION="Count that first")
    paper.say("Ann", "revise", [keys[0], critique], form=response(()), ANSWER=came, ACCEPTS=("A: true",))
    ballots = tuple(Ballot(voter=name, choice="Ann") for name in NAMES[1:])
    return paper.end(Decision(status="decided", winner="Ann", text=came, ballots=ballots))


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    path = tmp_path / "record.sqlite"
    with MemoryStore.open(path) as opened:
        for n, (topic, came, issue) in enumerate(EARLIER, start=1):
            known = Notes(truth=came if n == 1 else "")
            opened.add(f"d{n}", lessons(earlier(topic, came, issue).entries(1000.0 * n), known), head=f"h{n}")
    return path


def reader(ask: Ask, context: Context) -> Mapping[str, Value]:
    """Proposes what was confirmed on a like topic where that is laid before it, else to wait; Cy reads nothing."""
    shown = "\n".join(message.text for message in compose(ask, context, Traits()))
    answer = LEASED if ask.to != "Cy" and f"confirmed] on “{EARLIER[0][0]}”: decided “{LEASED}”" in shown else "wait"
    values: dict[str, Value] = {}
    for field in ask.form.fields if ask.form else ():
        plain: Mapping[str, Value] = {"number": field.high or 1.0, "list": (), "flag": True}
        values[field.name] = field.choices[0] if field.choices else plain.get(field.kind, answer)
    return values


async def tenth(shelf: Path | None) -> tuple[HeldDebate, Player]:
    player = Player(reader)
    runner = Harness(brief=BRIEF, protocol=build("arena", BRIEF, Choices(memory=Memory(history=2))))
    retriever = Retriever(place=shelf, clock=lambda: 20_000.0)
    return await runner.run({**dict.fromkeys(NAMES, player), "Librarian": retriever}), player


def proposals(debate: HeldDebate) -> dict[str, str]:
    return {turn.by: str(read_field(turn, "ANSWER")) for turn in debate.transcript.turns("propose")}


def field_lines(turn: Turn, name: str) -> tuple[str, ...]:
    value = read_field(turn, name)
    return value if isinstance(value, tuple) else ()


async def test_the_tenth_debate_names_what_it_recalls_on_record(shelf: Path) -> None:
    (turn,) = (await tenth(shelf))[0].transcript.turns(RECALL)
    assert field_lines(turn, HISTORY)[0].startswith(
        f"[d1, entry 12, 1970-01-01, confirmed] on “{EARLIER[0][0]}”: decided “{LEASED}”"
    )
    assert [line.split(",")[0] for line in field_lines(turn, HISTORY)] == ["[d1", "[d2"]
    assert any(line.startswith("[d1, entry 9,") and f"“{MISSING}”" in line for line in field_lines(turn, PATTERNS))
    assert {line.split(",")[0] for line in field_lines(turn, PATTERNS)} == {"[d1", "[d2"}, "of like topics alone"
    assert field_lines(turn, ORIGINS) == ("d1", "d2")


async def test_its_prompts_hold_the_outcome_and_the_critique_and_without_memory_they_do_not(shelf: Path) -> None:
    for path, there in ((shelf, True), (None, False)):
        rows = [asks for asks in (await tenth(path))[1].asked if asks[0].act == "propose"]
        assert [ask.to for ask, _ in rows] == list(NAMES)
        for ask, context in rows:
            shown = "\n".join(message.text for message in compose(ask, context, Traits()))
            assert (f"“{LEASED}”" in shown, f"“{MISSING}”" in shown) == (there, there)
            assert "nurses" not in shown


async def test_whoever_uses_what_it_is_shown_answers_otherwise_and_nobody_else_does(shelf: Path) -> None:
    informed, alone = (await tenth(shelf))[0], (await tenth(None))[0]
    assert proposals(alone) == dict.fromkeys(NAMES, "wait")
    assert proposals(informed) == {"Ann": LEASED, "Bob": LEASED, "Cy": "wait"}
