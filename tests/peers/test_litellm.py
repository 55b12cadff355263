"""The wires of OpenAI and Anthropic as the LiteLLM proxy speaks them."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from folkmoot.core.errors import ModelError
from folkmoot.models.discover import find_models
from folkmoot.models.layers import RetrySettings
from folkmoot.models.pool import Pool
from tests.models.models_kit import Notebook, ask
from tests.peers.conftest import ANSWER, MASTER

# The first test waits for the installation, about a minute, and for the start.
pytestmark = [pytest.mark.peers, pytest.mark.timeout(1200)]


def keys(url: str, key: str) -> dict[str, str]:
    """An environment in which three providers are the proxy."""
    places = {"OPENAI_BASE_URL": f"{url}/v1", "FOLKMOOT_BASE_URL": f"{url}/v1", "ANTHROPIC_BASE_URL": url}
    return places | {"OPENAI_API_KEY": key, "FOLKMOOT_API_KEY": key, "ANTHROPIC_API_KEY": key}


@pytest_asyncio.fixture
async def pool(litellm: str) -> AsyncGenerator[Pool, None]:
    pool = Pool(env=keys(litellm, MASTER), retry=RetrySettings(wait=0.01, jitter=0.0))
    yield pool
    await pool.close()


@pytest.mark.parametrize("name", ["openai:gpt", "compatible:gpt", "openai:claude", "anthropic:claude"])
async def test_an_answer_streams_through(pool: Pool, name: str) -> None:
    notebook = Notebook()
    called = await pool.model(name).complete(ask("hello", seconds=60), notebook)
    assert called.text == ANSWER == "".join(notebook.deltas)
    assert len(notebook.deltas) > 1  # pieces that come within 40 ms are one
    assert (called.model, called.finish) == (name, "stop")
    assert called.served in ("gpt", "claude")
    assert not called.usage.estimated
    assert called.usage.input_tokens > 5
    assert called.usage.output_tokens > 5


@pytest.mark.parametrize(
    ("name", "kind", "tries"),
    [
        ("openai:rate", "rate", 3),
        ("anthropic:claude-rate", "rate", 3),
        ("openai:down", "server", 3),
        ("openai:long", "too_long", 1),
        ("openai:nobody", "request", 1),
        ("anthropic:nobody", "request", 1),
    ],
)
async def test_errors_keep_their_kind(pool: Pool, name: str, kind: str, tries: int) -> None:
    notebook = Notebook()
    with pytest.raises(ModelError) as caught:
        await pool.model(name).complete(ask("hello", seconds=60), notebook)
    assert (caught.value.kind, len(notebook.calls)) == (kind, tries)
    assert MASTER not in str(caught.value)


async def test_it_is_found_by_those_who_look_around(litellm: str) -> None:
    reach = await find_models(keys(litellm, MASTER), seconds=20)
    assert {"compatible:gpt", "compatible:claude"} <= set(reach.models)
