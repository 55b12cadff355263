"""What servers of one's own can do: what they say of themselves, and one call to each, timed and held to a schema."""

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from folkmoot.app.plan.assignment import OTHER_MODELS, Available
from folkmoot.app.plan.model_check import NoRecord
from folkmoot.core.brief import Settings
from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.base import Message, Request
from folkmoot.models.names import Environment
from folkmoot.models.pool import Pool

SECONDS = 60.0
"""The most seconds for the call: a server may have to load the model first."""

UNASKED = ("quail", "zebra")
"""Words that nobody says to the question: who does is held to the schema."""

QUESTION = Request(
    messages=(Message(role="user", text="Greet me in one word, as a JSON object with the name word."),),
    settings=Settings(max_tokens=32, temperature=0.0),
    seconds=SECONDS,
    schema=json.dumps(
        {
            "type": "object",
            "properties": {"word": {"type": "string", "enum": list(UNASKED)}},
            "required": ["word"],
            "additionalProperties": False,
        }
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCheck:
    """What a server of one's own can do.

    Attributes:
        provider: its name among the providers.
        model: the model that was asked.
        slots: the calls that it answers at once.
        context: the tokens that the model holds; 0 where the server does not say.
        schema: whether an answer is held to its schema; None where the call failed.
        seconds: how long the call took.
        speed: tokens of the answer a second, with the reading of the question; 0 where the call failed.
        fault: why the call failed; "" where it did not.
    """

    provider: str
    model: str
    slots: int = 1
    context: int = 0
    schema: bool | None = None
    seconds: float = 0.0
    speed: float = 0.0
    fault: str = ""


async def check_servers(
    reach: Available, env: Environment | None = None, *, clock: Callable[[], float] = time.monotonic
) -> tuple[ServerCheck, ...]:
    """Ask the first chat model of each server of one's own, one server after the other: they may share the machine."""
    pool, checks = Pool(env=env), list[ServerCheck]()
    try:
        for server in reach.servers:
            name = next((model for model in server.models if not OTHER_MODELS.search(model)), "")
            if server.up and name and pool.is_nearby(name):
                checks.append(await _check(server.provider, name, pool, clock))
    finally:
        await pool.close()
    return tuple(checks)


async def _check(provider: str, name: str, pool: Pool, clock: Callable[[], float]) -> ServerCheck:
    model = pool.model(name)
    await pool.learn()
    began = clock()
    try:
        async with asyncio.timeout(SECONDS):
            called = await model.complete(QUESTION, NoRecord())
    except (TimeoutError, ModelError, BriefError) as error:
        fault = str(error) or f"no answer within {SECONDS:.0f} s"
        return ServerCheck(
            provider=provider, model=name, slots=pool.slots(name), context=model.traits.context, fault=fault
        )
    seconds = clock() - began
    return ServerCheck(
        provider=provider,
        model=name,
        slots=pool.slots(name),
        context=model.traits.context,
        schema=_is_held(called.text),
        seconds=seconds,
        speed=called.usage.output_tokens / seconds if seconds > 0 else 0.0,
    )


def _is_held(text: str) -> bool:
    try:
        return json.loads(text).get("word") in UNASKED
    except (ValueError, AttributeError):
        return False
