"""The server with the wires, as a program of its own: the same prompt gets the same words, and calls are counted."""

import subprocess
import sys
from collections.abc import Iterator

import httpx2
import pytest

from folkmoot.core.errors import ModelError
from folkmoot.models.pool import Pool
from folkmoot.testing.wires import Wires
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


async def test_the_words_do_not_depend_on_the_wire() -> None:
    async with Wires().serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        names = ("ollama:tiny", "openai:gpt-4o-mini", "groq:tiny", "anthropic:claude-haiku-5-5")
        texts = {(await pool.model(name).complete(ask(), Notebook())).text for name in names}
        assert len(texts) == 1
        await pool.close()


async def test_pages_that_are_not_there() -> None:
    async with Wires().serve() as wires:
        pool = Pool(env={"OLLAMA_HOST": f"{wires.url}/elsewhere"}, retry=HASTY)
        with pytest.raises(ModelError, match=r"answers nothing at .*/elsewhere"):
            await pool.model("ollama:tiny").complete(ask(), Notebook())
        await pool.close()
