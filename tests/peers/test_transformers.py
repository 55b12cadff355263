"""A real tokenizer and a real model, tiny and of random numbers, behind the server of Transformers."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from tests.models.models_kit import Notebook, ask

# The first test waits for the installation of PyTorch, some minutes.
pytestmark = [pytest.mark.peers, pytest.mark.timeout(1800)]


@pytest_asyncio.fixture
async def pool(transformers: tuple[str, str]) -> AsyncGenerator[Pool, None]:
    pool = Pool(env={"VLLM_BASE_URL": f"{transformers[0]}/v1"}, retry=RetrySettings(wait=0.01, jitter=0.0))
    yield pool
    await pool.close()


async def test_a_real_model_is_cut_off_at_the_cap(pool: Pool, transformers: tuple[str, str]) -> None:
    model = pool.model(f"vllm:{transformers[1]}")
    answers: list[str] = []
    for _ in range(2):
        notebook = Notebook()
        request = ask("Shall we build or buy?", seconds=120, settings=Settings(max_tokens=12, temperature=0.0, seed=1))
        called = await model.complete(request, notebook)
        assert called.finish == "length"
        assert (called.usage.output_tokens, called.usage.estimated, called.usage.cost) == (12, False, 0.0)
        assert called.usage.input_tokens > 10
        assert called.served.startswith(transformers[1])
        assert notebook.deltas
        answers.append(called.text)
    assert answers[0] == answers[1] != ""


async def test_the_server_refuses_another_model_in_its_own_words(pool: Pool) -> None:
    with pytest.raises(ModelError) as caught:
        await pool.model("vllm:another").complete(ask(seconds=120), Notebook())
    assert (caught.value.kind, caught.value.again) == ("request", False)
