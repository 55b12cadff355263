"""The servers that the tests of this folder share; each is started once in a run."""

import json
import subprocess
from collections.abc import Iterator

import pytest

from tests.peers.servers import HERE, free_port, install, serve

MASTER = "sk-peer-0123456789"
"""The key of the LiteLLM proxy; it opens nothing else."""

ANSWER = "This is an answer from a server that nobody here wrote: Grüße, 世界."


@pytest.fixture(scope="session")
def litellm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a LiteLLM proxy with mock answers.

    Its mock of Anthropic's wire does not stream, so ``claude`` goes in a circle: the proxy translates its own
    OpenAI stream into Anthropic's.
    """
    programs = install("litellm")
    home, port = tmp_path_factory.mktemp("litellm"), free_port()
    url = f"http://127.0.0.1:{port}"
    mocks = {
        "gpt": ANSWER,
        "rate": "litellm.RateLimitError",
        "long": "litellm.ContextWindowExceededError",
        "down": "litellm.InternalServerError",
    }
    models: list[dict[str, object]] = [
        {
            "model_name": name,
            "litellm_params": {"model": "openai/gpt-4o-mini", "api_key": "none", "mock_response": text},
        }
        for name, text in mocks.items()
    ]
    for name, behind in (("claude", "gpt"), ("claude-rate", "rate")):
        circle = {"model": f"hosted_vllm/{behind}", "api_base": f"{url}/v1", "api_key": MASTER}
        models.append({"model_name": name, "litellm_params": circle})
    config = {
        "model_list": models,
        "general_settings": {"master_key": MASTER},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
        "litellm_settings": {"num_retries": 0, "telemetry": False},
    }
    (home / "config.yaml").write_text(json.dumps(config), "utf-8")
    command = [str(programs / "litellm"), "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    # The list of prices that comes with it, so that it asks nobody on the way up.
    env = {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    with serve([*command, "--telemetry", "False"], f"{url}/health/liveliness", home, env):
        yield url


@pytest.fixture(scope="session")
def transformers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a Transformers server and the name of its model, a tiny one of random numbers."""
    programs = install("transformers")
    home, port = tmp_path_factory.mktemp("transformers"), free_port()
    url, model = f"http://127.0.0.1:{port}", str(home / "tiny")
    subprocess.run([str(programs / "python"), str(HERE / "tiny_model.py"), model], check=True, capture_output=True)
    command = [str(programs / "transformers"), "serve", model, "--host", "127.0.0.1", "--port", str(port)]
    with serve([*command, "--device", "cpu"], f"{url}/health", home, {"HF_HUB_OFFLINE": "1"}):
        yield url, model


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server of llama.cpp with a tiny model of random numbers; it keeps to schemas of answers."""
    programs = install("llama")
    home, port = tmp_path_factory.mktemp("llama"), free_port()
    python, model = str(programs / "python"), str(home / "tiny.gguf")
    subprocess.run([python, str(HERE / "tiny_gguf.py"), model], check=True, capture_output=True)
    url = f"http://127.0.0.1:{port}"
    with serve([python, str(HERE / "llama_server.py"), model, str(port)], f"{url}/health", home, {}):
        yield url
