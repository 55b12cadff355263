"""What `moot check` expects beside what a debate uses: the examples, held over a socket, without tools or searches."""

import asyncio
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest

from moot.desk.config import Config
from moot.desk.desk import Desk
from moot.desk.intake import read_brief
from moot.desk.prepare import Wishes, prepare
from moot.models.pool import Pool
from moot.testing.stores import MemoryStore
from moot.testing.wire_formats import Plan
from moot.testing.wires import Call, Wires

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.md"))
BRIEFS = [path for path in EXAMPLES if path.name != "README.md"]
LETTERS = 4
"""Characters of a token in English prose; the server counts by them."""

PROSE = "The depot would save two hours a day because the routes become shorter and nobody waits at the gate. "
LENGTHS = {"URGENCY": 15, "I vote for": 30, "CLARITY": 40, "NOTE": 50, "QUESTION": 50, "POINT": 60, "NEXT": 80}
USUAL = 165
"""Words of an answer by a field of its form; recorded debates of several models have from 130 to 180 a speech."""
TEXT = re.compile(r"(?:a list|your|what|which|who|whose|why|how|where|the|one|each|if|addresses|an?) ")


def answer(call: Call) -> Plan:
    """Fill in the form that the prompt ends with, as long as models write, give or take a third."""
    chance = random.Random(call.prompt)
    slots = re.findall(r"^([\w ]+): \[(.*)\]$", call.prompt, flags=re.MULTILINE)
    length = next((words for name, words in LENGTHS.items() if name in dict(slots)), USUAL)
    length = round(length * chance.uniform(0.67, 1.33))
    texts = [name for name, slot in slots if TEXT.match(slot)]
    rows = [f"{name}: {fill(slot, length // max(1, len(texts)), chance)}" for name, slot in slots]
    text = "\n".join(rows) or words(length)
    sent = sum(len(str(message)) for message in call.body["messages"])  # type: ignore[attr-defined]
    return Plan(text=text, usage=(sent // LETTERS, len(text) // LETTERS, 0))


def fill(slot: str, length: int, chance: random.Random) -> str:
    """What stands in a slot: the greatest number, one of the choices, else prose."""
    if found := re.match(r"a number.* to ([\d.]+)", slot):
        return found[1]
    return words(length) if TEXT.match(slot) else chance.choice(slot.split(" or "))


def words(count: int) -> str:
    prose = PROSE.split()
    return " ".join(prose[n % len(prose)] for n in range(max(3, count)))


@pytest.mark.parametrize("path", BRIEFS, ids=lambda path: path.stem)
async def test_the_expected_tokens_are_near_what_is_used(path: Path) -> None:
    intake = await asyncio.to_thread(lambda: read_brief(path.read_text("utf-8"), name=str(path), folder=path.parent))
    brief = replace(
        intake.brief, participants=tuple(replace(each, tools=(), search=None) for each in intake.brief.participants)
    )
    async with Wires(script=answer, context=100_000).serve() as server:
        pool = Pool(env={"OLLAMA_HOST": server.url})
        desk = Desk(MemoryStore(), pool=pool)
        unaided = replace(intake, brief=brief, own={each.name: {"tool_usage": ()} for each in brief.participants})
        ready = await prepare(desk, unaided, Wishes(models=("ollama:tiny",)), config=Config())
        outcome = await desk.hold(ready.plan, "used")
        used = outcome.transcript.usage
        await desk.close()
    least, most = ready.costing.least, ready.costing.most
    asks = len([turn for turn in outcome.transcript.all() if turn.ask])
    assert least.asks <= asks <= most.asks
    total = used.input_tokens + used.output_tokens
    assert not [event for event in outcome.transcript.turns() if event.reply and event.reply.unread]
    # Between the least and the most the tokens grow with the asks that were really put.
    share = (asks - least.asks) / (most.asks - least.asks) if most.asks > least.asks else 1.0
    expected = least.expected + share * (most.expected - least.expected)
    assert 0.75 <= total / expected <= 1.25
