"""Measures what asking a model costs the processor of the process that asks, beside bare HTTP and other libraries.

The server answers from a process of its own, on the same machine. What is counted is the processor time of this
process, of all its threads, user and system; a row is the median of several rounds, in which all rows take turns.

- ``floor``: ``httpx2`` and ``json`` read the stream line by line, and join the words.
- ``openai``, ``pydantic-ai``: the same request through these libraries; those that are not installed are left out.
- ``folkmoot: model``: Folkmoot's model with all its layers (limits, retries, prices), without a debate.
- ``folkmoot: debate``: whole debates of 3 participants and 2 rounds with the record on: prompts, budget, record in SQLite,
  transcript. It is divided by the calls.

Streamed answers have one word an event, sent as fast as they can be. The other answers have 30 words: ``openai`` asks
for them without a stream; Folkmoot always streams, and the server sends all words in one event.

Run it with ``make bench`` or ``python benchmarks/wires.py [--quick] [--json FILE]``. ``--quick`` measures answers of
400 words and the short ones only. The last line is the result: over the floor, and over the ``openai`` library.
"""

import argparse
import asyncio
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from parts.model_server import serving

from folkmoot.app.run.workspace import Plan, Workspace
from folkmoot.core.agent import Quote
from folkmoot.core.brief import Brief, Participant
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Request
from folkmoot.models.pool import Pool
from folkmoot.phases.base import Rounds
from folkmoot.phases.speak import Everyone

LENGTHS = (1, 25, 100, 400)
"""Words of the answers of the whole measurement."""

WORDS, SHORT = 400, 30
"""Words of a streamed answer, and of a short one that is not."""

PEOPLE, ROUNDS = 3, 2
DEBATES = 4
"""Debates of one round of the measurement."""

PROMPT = "Should we build a new depot? The routes would become shorter, and the rent is low. " * 8

Answer = Callable[[str], Awaitable[object]]
"""Asks a model of that name once."""


class Unrecorded:
    """A recorder for calls without a debate."""

    watched = False

    def delta(self, text: str) -> None:
        """Show nothing."""

    def done(self, name: str) -> Called | None:
        """Nothing is on record."""

    async def call(self, name: str, quote: Quote, send: Callable[[], Awaitable[Called]]) -> Called:
        """Send at once."""
        return await send()


@dataclass(frozen=True, slots=True)
class Row:
    """One way to ask.

    Attributes:
        name: what it is called.
        open: gives what asks a model as often as so many debates do, and what closes it.
        package: what has to be installed.
    """

    name: str
    open: Callable[[str, Path, int], tuple[Answer, Callable[[], Awaitable[object]]]]
    package: str = "folkmoot"


async def together(ask: Callable[[], Awaitable[object]], debates: int) -> None:
    """Ask as so many debates ask: all participants of a round at once."""
    for _ in range(ROUNDS * debates):
        async with asyncio.TaskGroup() as group:
            for _ in range(PEOPLE):
                group.create_task(_awaited(ask()))


async def _awaited(answer: Awaitable[object]) -> None:
    await answer


def floor(url: str, folder: Path, debates: int) -> tuple[Answer, Callable[[], Awaitable[object]]]:
    """Bare HTTP."""
    client = httpx2.AsyncClient(timeout=60)

    async def ask(model: str) -> str:
        body = {"model": model, "messages": [{"role": "user", "content": PROMPT}], "stream": True}
        words: list[str] = []
        async with client.stream("POST", f"{url}/chat/completions", json=body) as response:
            async for line in response.aiter_lines():
                if line.startswith("data: {"):
                    words += [choice["delta"].get("content") or "" for choice in json.loads(line[6:])["choices"]]
        return "".join(words)

    return lambda model: together(lambda: ask(model), debates), client.aclose


def openai(url: str, folder: Path, debates: int) -> tuple[Answer, Callable[[], Awaitable[object]]]:
    """OpenAI's library."""
    package: Any = importlib.import_module("openai")
    client = package.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)

    async def ask(model: str) -> str:
        messages = [{"role": "user", "content": PROMPT}]
        if model.startswith("brief"):
            answer = await client.chat.completions.create(model=model, messages=messages)
            return answer.choices[0].message.content
        words: list[str] = []
        async for piece in await client.chat.completions.create(model=model, messages=messages, stream=True):
            words += [choice.delta.content or "" for choice in piece.choices]
        return "".join(words)

    return lambda model: together(lambda: ask(model), debates), client.close


def pydantic_ai(url: str, folder: Path, debates: int) -> tuple[Answer, Callable[[], Awaitable[object]]]:
    """PydanticAI's way to a model, without an agent."""
    direct: Any = importlib.import_module("pydantic_ai.direct")
    messages: Any = importlib.import_module("pydantic_ai.messages")
    chat: Any = importlib.import_module("pydantic_ai.models.openai").OpenAIChatModel
    provider: Any = importlib.import_module("pydantic_ai.providers.openai").OpenAIProvider(base_url=url, api_key="none")

    async def ask(model: str) -> object:
        request = [messages.ModelRequest(parts=[messages.UserPromptPart(content=PROMPT)])]
        if model.startswith("brief"):
            return await direct.model_request(chat(model, provider=provider), request)
        async with direct.model_request_stream(chat(model, provider=provider), request) as stream:
            async for _ in stream:
                pass
            return stream.get()

    return lambda model: together(lambda: ask(model), debates), _nothing


async def _nothing() -> None:
    pass


def folkmoot_model(url: str, folder: Path, debates: int) -> tuple[Answer, Callable[[], Awaitable[object]]]:
    """Folkmoot's model in its layers."""
    env = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"}
    models = {name: Pool(env=env).model(f"openai:{name}") for name in names(LENGTHS)}
    request = Request(messages=(Message(role="user", text=PROMPT),))

    async def close() -> None:
        for model in models.values():
            await model.close()

    return lambda model: together(lambda: models[model].complete(request, Unrecorded()), debates), close


def folkmoot_debate(url: str, folder: Path, debates: int) -> tuple[Answer, Callable[[], Awaitable[object]]]:
    """Whole debates with Folkmoot."""
    workspace = Workspace.at(folder / "record.sqlite")
    workspace.pool = Pool(env={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none"})
    protocol = Rounds(each=Everyone(act="argue", task=PROMPT), most=ROUNDS)

    async def hold(model: str) -> None:
        people = tuple(Participant(name=f"P{n}", seat=f"openai:{model}") for n in range(PEOPLE))
        plan = Plan(brief=Brief(topic="Build a depot?", participants=people), name="panel", protocol=protocol)
        for _ in range(debates):
            outcome = await workspace.run(plan, workspace.new_id(plan))
            assert outcome.record
            assert sum(isinstance(entry.event, Called) for entry in outcome.record.entries) == PEOPLE * ROUNDS

    return hold, workspace.close


ROWS: Sequence[Row] = (
    Row("floor: httpx2 + json", floor),
    Row("openai", openai, "openai"),
    Row("pydantic-ai", pydantic_ai, "pydantic_ai"),
    Row("folkmoot: model", folkmoot_model),
    Row("folkmoot: debate", folkmoot_debate),
)


def names(lengths: Sequence[int]) -> list[str]:
    """The models that answer with so many words, and the one that answers shortly."""
    return [f"brief-{SHORT}", *(f"burst-{length}" for length in lengths)]


async def measure(models: Sequence[str], rounds: int, debates: int) -> dict[str, dict[str, float]]:
    """Milliseconds of the processor for a call: by the row, then by the model."""
    with tempfile.TemporaryDirectory() as name, serving() as url:
        rows = [row for row in ROWS if importlib.util.find_spec(row.package)]
        opened = {row.name: row.open(url, Path(name), debates) for row in rows}
        times: dict[tuple[str, str], list[float]] = {}
        calls = PEOPLE * ROUNDS * debates
        for number in range(rounds + 1):
            for row, (ask, _) in opened.items():
                for model in models:
                    began = time.process_time()
                    await ask(model)
                    if number:  # what is loaded late was loaded in the first round
                        times.setdefault((row, model), []).append((time.process_time() - began) * 1000 / calls)
        for _, close in opened.values():
            await close()
    return {row: {model: statistics.median(times[row, model]) for model in models} for row in opened}


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="answers of 400 words and short ones only")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of which the median is taken")
    parser.add_argument("--debates", type=int, default=DEBATES, help="debates of one round")
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    options = parser.parse_args()
    models = names((WORDS,) if options.quick else LENGTHS)
    figures = asyncio.run(measure(models, options.rounds, options.debates))
    print(f"ms of processor time a call; load average {os.getloadavg()[0]:.1f}")
    print(f"{'':22}" + "".join(f"{model:>12}" for model in models))
    for row, values in figures.items():
        print(f"{row:22}" + "".join(f"{values[model]:12.2f}" for model in models))
    if options.json:
        results = {
            "calls": PEOPLE * ROUNDS * options.debates,
            "load": os.getloadavg()[0],
            "python": sys.version.split()[0],
            "ms": figures,
        }
        options.json.write_text(json.dumps(results, indent=1) + "\n", "utf-8")
    streamed = figures["folkmoot: debate"][f"burst-{WORDS}"] / figures["floor: httpx2 + json"][f"burst-{WORDS}"]
    peer = figures.get("openai", {}).get(f"brief-{SHORT}")
    unstreamed = (
        f"{figures['folkmoot: debate'][f'brief-{SHORT}'] / peer:.2f}" if peer else "? (openai is not installed)"
    )
    print(f"streamed {streamed:.2f} x floor, unstreamed {unstreamed} x sdk")
    return 0


if __name__ == "__main__":
    sys.exit(main())
