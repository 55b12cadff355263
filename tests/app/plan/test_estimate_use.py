"""What `folkmoot check` expects beside what a debate uses: the examples as they stand, held over a socket.

The server writes as much as models do for what a form or a task asks for. Whoever is offered tools uses one, once,
before it answers; which one is chance, but no page is opened. What is searched for stays on this machine.
"""

import asyncio
import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.brief.reader import read_brief
from folkmoot.app.plan.settings import Config
from folkmoot.app.run.prepare import Overrides, prepare
from folkmoot.app.run.workspace import Workspace
from folkmoot.core.ask import ToolCall
from folkmoot.models.pool import Pool
from folkmoot.testing.small_web import Web, searxng
from folkmoot.testing.store_checks import InMemoryStore
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.kits.thoroughness import some
from tests.paths import EXAMPLES

BRIEFS = [path for path in sorted(EXAMPLES.glob("*.md")) if path.name != "README.md"]
LETTERS = 4
"""Characters of a token in English prose; the server counts by them."""

TEMPLATE = 130
"""Tokens in which the templates of open models say how tools are asked for."""

PROSE = (
    "The northern depot would save almost two hours every day because routes become shorter and nobody has to wait. "
)
"""Words about as long as those of the examples, which have 5.8 characters with the blank."""

LENGTHS = {"URGENCY": 15, "I vote for": 30, "CLARITY": 40, "NOTE": 50, "QUESTION": 50, "POINT": 60, "NEXT": 80}
LENGTHS["CLAIMS"] = 80
SAID = {"two sentences": 40, "At most 200 words": 160}
"""Words where a task without a form says how long the answer shall be: a sentence has twenty."""

USUAL = 165
"""Words of an answer by a field of its form; recorded debates of several models have from 130 to 180 a speech."""

SLOT = re.compile(r"^<?([\w ]+)(?:: |>)(?:\(optional\) )?\[(.*)\](?:</\1>)?$", flags=re.MULTILINE)
LEFT_OUT = ("Whisper", "WhisperTo", "Artifacts")
"""What nobody adds to a message at a board; nobody withdraws from it either."""

TEXT = re.compile(r"(?:a list|your|what|which|who|whose|why|how|where|the|one|each|if|addresses|an?) ")
CHOSEN = re.compile(r"a number|one of |true or ")
HITS = [
    {"url": f"https://example.org/{n}", "title": f"What others found out, part {n}", "content": PROSE * 3}
    for n in range(1, 9)
]


def answer(call: Call) -> Plan:
    """Look one thing up where that can be done, then answer."""
    chance = random.Random(str(call.body["messages"]))
    messages = cast("Sequence[Mapping[str, object]]", call.body["messages"])
    tools = cast("Sequence[Mapping[str, Mapping[str, object]]]", call.body.get("tools") or ())
    sent = sum(len(str(message)) for message in messages) + len(json.dumps(tools)) * bool(tools)
    input_tokens = sent // LETTERS + TEMPLATE * bool(tools)
    if tools and messages[-1]["role"] != "tool":
        wanted = look_up([str(tool["function"]["name"]) for tool in tools], chance)
        return Plan(tools=(wanted,), usage=(input_tokens, len(str(wanted)) // LETTERS, 0))
    output = next(str(message["content"]) for message in reversed(messages) if message["role"] == "user")
    text = write(output, chance)
    return Plan(text=text, usage=(input_tokens, len(text) // LETTERS, 0))


def look_up(names: Sequence[str], chance: random.Random) -> ToolCall:
    """A use of one of the tools."""
    name = chance.choice([word for word in names if word != "open_page"])
    values = {"scorer": {"text": words(USUAL, chance)}, "summarizer": {}}.get(name, {"query": "cost of the heat pump"})
    return ToolCall(id="call-1", name=name, arguments=json.dumps(values))


def write(text: str, chance: random.Random) -> str:
    """Fill in the form that the prompt ends with, as long as models write, give or take a third."""
    slots = [slot for slot in SLOT.findall(text) if slot[0] not in LEFT_OUT]
    usual = USUAL if slots else next((words for task, words in SAID.items() if task in text), USUAL)
    length = next((words for name, words in LENGTHS.items() if name in dict(slots)), usual)
    length = round(length * chance.uniform(0.67, 1.33))
    texts = [name for name, slot in slots if TEXT.match(slot) and not CHOSEN.match(slot)]
    # The argument or the last text is what is said in full; half of the words stand there.
    full = next((name for name in ("ARGUMENT", "Content") if name in texts), "".join(texts[-1:]))
    others = length // 2 // max(1, len(texts) - 1)
    main = length - others * (len(texts) - 1)
    filled = {name: fill(name, slot, main if name == full else others, chance) for name, slot in slots}
    if "<Message>" in text:
        return "".join(
            ("<Message>", *(f"\n<{name}>{value}</{name}>" for name, value in filled.items()), "\n</Message>")
        )
    return "\n".join(f"{name}: {value}" for name, value in filled.items()) or words(length, chance)


def fill(name: str, slot: str, length: int, chance: random.Random) -> str:
    """What stands in a slot: a number, the greatest of a bid, one of the choices, a list of sentences, else prose."""
    choices = re.findall(r'"([^"]+)"', slot.partition(" (one line")[0])
    if choices and slot.startswith("a list"):
        return "".join(f"\n- {choice}" for choice in choices)
    if match_ := re.match(r"a number.* to ([\d.]+)", slot):
        return match_[1] if name == "URGENCY" else f"{float(match_[1]) * chance.uniform(0.3, 0.9):.1f}"
    if name == "Withdrawn":
        return "false"
    if slot.startswith("a list"):
        return "".join(f"\n- {n}. {words(20, chance)}" for n in range(1, max(2, round(length / 20) + 1)))
    if choices or slot.startswith("true or false"):
        return chance.choice(choices or ["true", "false"])
    return words(length, chance)


def words(count: int, chance: random.Random) -> str:
    """So many words, which don't come again in the same order: that would be cut off as a repetition."""
    return " ".join(chance.choices(PROSE.split(), k=max(3, count)))


@pytest.mark.parametrize("path", some(BRIEFS, 5), ids=lambda path: path.stem)
async def test_the_expected_tokens_are_near_what_is_used(path: Path) -> None:
    parsed = await asyncio.to_thread(lambda: read_brief(path.read_text("utf-8"), name=str(path), folder=path.parent))
    async with Wires(script=answer, context=100_000).serve() as server, Web(script=searxng(HITS)).serve() as web:
        config = Config(searxng_url=web.url)
        workspace = Workspace(InMemoryStore(), pool=Pool(env={"OLLAMA_HOST": server.url}), config=config)
        ready = await prepare(workspace, parsed, Overrides(models=("ollama:tiny",)), config=config)
        outcome = await workspace.run(ready.plan, "used")
        used = outcome.transcript.usage
        await workspace.close()
    least, most = ready.costing.least, ready.costing.most
    asks = len([turn for turn in outcome.transcript.all() if turn.ask])
    assert least.asks <= asks <= most.asks
    total = used.input_tokens + used.output_tokens
    assert not [event for event in outcome.transcript.turns() if event.reply and event.reply.unread]
    # Between the least and the most the tokens grow with the asks that were really put.
    share = (asks - least.asks) / (most.asks - least.asks) if most.asks > least.asks else 1.0
    expected = least.expected + share * (most.expected - least.expected)
    equipped = any(participant.tools or participant.search for participant in ready.plan.brief.participants)
    answers = [turn for turn in outcome.transcript.turns() if turn.reply and turn.reply.asked == "ollama:tiny"]
    assert len(answers) <= len(server.calls) <= most.calls
    assert (len(server.calls) > len(answers)) is equipped
    assert 0.75 <= total / expected <= 1.25
