"""No debate asks more than the most that was estimated: every protocol over a socket, with answers of all kinds.

Models answer well, beside the form, in broken tags, at great length, or not at all; so there are repairs and missing
turns.
"""

import random
from collections.abc import Callable
from typing import cast

import pytest

from moot.app.brief.reader import read_brief
from moot.app.plan.settings import Config
from moot.app.run.prepare import Overrides, prepare
from moot.app.run.workspace import Workspace
from moot.models.pool import Pool
from moot.protocols.known import KNOWN
from moot.testing.store_checks import InMemoryStore
from moot.testing.wire_formats import Plan
from moot.testing.wires import Call, Wires
from tests.app.plan.test_estimate_use import LETTERS, words, write

PEOPLE = {"grouped": 7, "bp_style": 4}
SAID: dict[str, Callable[[random.Random], str]] = {
    "malformed": lambda chance: "<Message><Verdict>yes<Content>STATUS maybe\nDECISION",
    "beside the form": lambda chance: words(chance.randint(5, 60)),
    "long": lambda chance: words(900),
}


def script(kind: str) -> Callable[[Call], Plan]:
    """Answers of one kind, or of every kind by chance."""

    def answer(call: Call) -> Plan:
        messages = cast("list[dict[str, object]]", call.body["messages"])
        chance = random.Random(str(messages))
        way = chance.choice([*SAID, "well"]) if kind == "mixed" else kind
        asked = next(str(message["content"]) for message in reversed(messages) if message["role"] == "user")
        text = write(asked, chance) if way == "well" else SAID[way](chance)
        return Plan(
            text=text, usage=(sum(len(str(message)) for message in messages) // LETTERS, len(text) // LETTERS, 0)
        )

    return answer


def brief(name: str, seed: int) -> str:
    people = "".join(f"\n\n## P{n}\nrole: Debater number {n}\n" for n in range(PEOPLE.get(name, 3)))
    return f"---\nprotocol: {name}\nseed: {seed}\n---\n# Build or buy?\n\nWe are eight.{people}"


@pytest.mark.no_cover
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize(("kind", "seed"), [("malformed", 1), ("mixed", 2), ("long", 3)])
async def test_no_debate_asks_more_than_the_most_whatever_is_answered(name: str, kind: str, seed: int) -> None:
    async with Wires(script=script(kind), context=100_000).serve() as server:
        config = Config()
        workspace = Workspace(InMemoryStore(), pool=Pool(env={"OLLAMA_HOST": server.url}), config=config)
        intake = read_brief(brief(name, seed))
        ready = await prepare(workspace, intake, Overrides(models=("ollama:tiny",), cast="builtin"), config=config)
        outcome = await workspace.run(ready.plan, "used")
        await workspace.close()
    most = ready.costing.most
    asked = [turn for turn in outcome.transcript.all() if turn.ask]
    assert len(asked) <= most.asks
    low, high = ready.costing.expected_tokens
    assert low <= ready.costing.expected <= high <= most.tokens
    assert ready.costing.least.asks <= most.asks
