"""The server with the wires, as a program of its own: the same prompt gets the same words, and calls are counted."""

import subprocess
import sys
from collections.abc import Iterator

import httpx2
import pytest

from folkmoot.models.pool import Pool
from tests.models.models_kit import HASTY, Notebook, ask, environment


@pytest.fixture
def address() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "folkmoot.testing.wires"], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.terminate()


async def test_the_program_answers_and_counts(address: str) -> None:
    pool = Pool(env=environment(address), retry=HASTY)
    model = pool.model("ollama:tiny")
    first, again, other = [(await model.complete(ask(prompt), Notebook())).text for prompt in ("a", "a", "b")]
    assert first == again != other
    await pool.close()
    async with httpx2.AsyncClient(trust_env=False) as client:
        counted = (await client.get(f"{address}/calls")).json()
    assert (counted["calls"], counted["prompts"]) == (3, ["a", "a", "b"])
