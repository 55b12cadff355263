"""What servers of one's own say of themselves: slots, and tokens of context."""

import asyncio
from collections.abc import Mapping

import pytest

from folkmoot.models.local_server import BATCHING, ServerFacts, ask_server, is_private
from folkmoot.models.names import PROVIDERS
from folkmoot.models.transport import ProviderConnection

LLAMA = {
    "/v1/models": {"data": [{"id": "smol.gguf", "owned_by": "llamacpp", "meta": {"n_ctx": 8192, "n_ctx_train": 8192}}]},
    "/props": {"total_slots": 4, "default_generation_settings": {"n_ctx": 2048}},
}
VLLM = {"/v1/models": {"data": [{"id": "qwen", "owned_by": "vllm", "max_model_len": 4096}]}}
STUDIO = {
    "/v1/models": {"data": [{"id": "a", "owned_by": "organization_owner"}, {"id": "b"}]},
    "/api/v0/models": {"data": [{"id": "a", "loaded_context_length": 4096, "max_context_length": 131072}, {"id": "b"}]},
}
ODD = {"/v1/models": {"data": [5, {"id": None, "meta": "no", "n_ctx": True}, {"id": "x", "n_ctx": -4}]}}


@pytest.mark.parametrize(
    ("pages", "facts"),
    [
        (LLAMA, ServerFacts(slots=4, alone=True, contexts={"smol.gguf": 2048})),
        ({"/v1/models": LLAMA["/v1/models"]}, ServerFacts(slots=1, alone=True, contexts={"smol.gguf": 8192})),
        (VLLM, ServerFacts(slots=BATCHING, alone=True, contexts={"qwen": 4096})),
        (STUDIO, ServerFacts(slots=1, contexts={"a": 4096})),
        (ODD, ServerFacts()),
        ({"/v1/models": {"data": "?"}}, ServerFacts()),
        ({}, ServerFacts()),
    ],
    ids=["llama.cpp", "without props", "vllm", "lm studio", "odd", "odder", "nothing"],
)
async def test_what_each_server_says(pages: Mapping[str, Mapping[str, object]], facts: ServerFacts) -> None:
    async def get(path: str) -> Mapping[str, object]:
        return pages.get(path, {})

    assert await ask_server(get) == facts


async def test_a_server_that_says_nothing_in_time_is_taken_for_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    async def get(path: str) -> Mapping[str, object]:
        await asyncio.Event().wait()
        return {}

    monkeypatch.setattr("folkmoot.models.local_server.SECONDS", 0.01)
    assert await ask_server(get) is None


def test_a_server_of_one_model_has_its_context_under_any_name() -> None:
    one, two = ServerFacts(contexts={"a": 5}), ServerFacts(contexts={"a": 5, "b": 6})
    assert [one.context("any"), two.context("b"), two.context("any"), ServerFacts().context("a")] == [5, 6, 0, 0]


@pytest.mark.parametrize(
    ("url", "private"),
    [
        ("http://127.0.0.1:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://10.1.2.3/v1", True),
        ("http://192.168.0.5:1234/v1", True),
        ("http://localhost:8080/v1", True),
        ("http://studio.local/v1", True),
        ("http://gpu:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
        ("", False),
    ],
)
def test_which_addresses_are_near(url: str, private: bool) -> None:
    assert is_private(url) == private


@pytest.mark.parametrize(
    ("provider", "env", "local"),
    [
        ("llamacpp", {}, True),
        ("compatible", {"FOLKMOOT_BASE_URL": "http://127.0.0.1:9/v1"}, True),
        ("compatible", {"FOLKMOOT_BASE_URL": "https://api.example.com/v1"}, False),
        ("openai", {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k"}, False),
        ("acp", {}, False),
        ("library", {}, False),
    ],
)
def test_what_speaks_for_itself_and_is_near_is_asked_one_call_at_a_time(
    provider: str, env: Mapping[str, str], local: bool
) -> None:
    connection = ProviderConnection(PROVIDERS[provider], env, in_flight=50)
    assert (connection.local, connection.gate.limit) == (local, 1 if local else 50)


async def test_nothing_is_sent_to_find_out_about_a_server_that_is_away() -> None:
    connection = ProviderConnection(PROVIDERS["llamacpp"], {"LLAMACPP_BASE_URL": "http://127.0.0.1:9/v1"})
    assert await connection.learn() == ServerFacts()
    await connection.close()


async def test_a_server_that_is_started_anew_is_asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter([ServerFacts(slots=2, contexts={"a": 512}), None, ServerFacts(slots=4, contexts={"a": 4096})])

    async def answer(get: object) -> ServerFacts | None:
        return next(said)

    monkeypatch.setattr("folkmoot.models.transport.ask_server", answer)
    monkeypatch.setattr("folkmoot.models.transport.FRESH", 0.0)
    connection = ProviderConnection(PROVIDERS["llamacpp"], {})
    assert [(await connection.learn()).context("a") for _ in range(3)] == [512, 512, 4096]
    assert connection.gate.limit == 4
