"""Four providers over real connections, with every fault that a provider has shown."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import cast

import pytest
import pytest_asyncio

from folkmoot.core.brief import Settings
from folkmoot.core.errors import ModelError
from folkmoot.core.event import Called
from folkmoot.models.base import Message, Request
from folkmoot.models.pool import Pool
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, KEY, Notebook, ask, environment

MODELS = ["ollama:tiny", "openai:gpt-4o-mini", "groq:llama-3.3-70b-versatile", "anthropic:claude-haiku-5-5"]
BEYOND = ("top_k", "min_p", "repeat_penalty")
LOCAL = ("num_ctx", "keep_alive")
TEXT = "Grüße, <b> 世界 😀 to the end of it."


@dataclass
class Bench:
    """A pool over a server that answers each prompt by a plan."""

    wires: Wires
    pool: Pool
    plans: list[Plan]

    async def call(self, name: str, *plans: Plan, request: Request | None = None) -> tuple[Called, Notebook]:
        """Ask a model; the plans are played in order, the last one for ever."""
        self.plans[:] = plans
        notebook = Notebook()
        return await self.pool.model(name).complete(request or ask(), notebook), notebook

    async def fail(self, name: str, *plans: Plan, seconds: float = 120.0) -> ModelError:
        """Ask a model that fails; each try must have been on record."""
        self.plans[:] = plans
        notebook = Notebook()
        with pytest.raises(ModelError) as caught:
            await self.pool.model(name).complete(ask(seconds=seconds), notebook)
        assert len(notebook.calls) == len(self.wires.calls)
        assert KEY not in str(caught.value)
        return caught.value


@pytest_asyncio.fixture
async def bench() -> AsyncGenerator[Bench, None]:
    plans: list[Plan] = []

    def play(call: Call) -> Plan:
        return plans[min(call.n, len(plans)) - 1]

    wires = Wires(script=play)
    async with wires.serve():
        pool = Pool(env=environment(wires.url), retry=HASTY)
        yield Bench(wires, pool, plans)
        await pool.close()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("size", [0, 1])
async def test_an_answer_comes_through_whole(bench: Bench, name: str, size: int) -> None:
    plan = Plan(text=TEXT, thinking="let me see", usage=(30, 5, 3), slice=size, served="served-1", pause=0.02)
    called, notebook = await bench.call(name, plan)
    assert called.text == TEXT == "".join(notebook.deltas)
    assert (called.model, called.served, called.finish) == (name, "served-1", "stop")
    cached = 0 if name.startswith("ollama") else 3
    got = called.usage
    assert (got.input_tokens, got.output_tokens, got.cached_tokens, got.estimated) == (30, 5, cached, False)
    assert got.cost is not None
    assert (got.cost == 0.0) == name.startswith("ollama")
    assert 0 < called.seconds < 5
    assert len(notebook.deltas) > 1


@pytest.mark.parametrize("name", MODELS)
async def test_what_a_conversation_becomes_on_the_wire(bench: Bench, name: str) -> None:
    roles = [("system", "S"), ("user", "U"), ("assistant", "A"), ("user", "V")]
    messages = tuple(Message(role=role, text=text) for role, text in roles)  # pyright: ignore[reportArgumentType]
    settings = Settings(temperature=0.3, top_p=0.9, presence_penalty=0.1, frequency_penalty=0.2, seed=7, max_tokens=99)
    request = Request(messages=messages, settings=settings)
    await bench.call(name, Plan(text="yes"), request=request)
    body = dict(bench.wires.calls[-1].body)
    sent_messages = body.pop("messages")
    drops = bench.pool.model(name).drops
    if name.startswith("anthropic"):
        assert body["system"] == [{"type": "text", "text": "S", "cache_control": {"type": "ephemeral", "ttl": "5m"}}]
        assert [message["role"] for message in sent_messages] == ["user", "assistant", "user"]  # type: ignore[index]
        assert body["max_tokens"] == 99
        assert drops == (
            "temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repeat_penalty",
            "seed", *LOCAL,
        )  # fmt: skip
        assert not set(drops) & set(body)
        return
    assert sent_messages == [{"role": role, "content": text} for role, text in roles]
    assert drops == (() if name.startswith("ollama") else (*BEYOND, *LOCAL))
    sent = cast("dict[str, object]", body["options"] if name.startswith("ollama") else body)
    limit = {"ollama": "num_predict", "openai": "max_completion_tokens", "groq": "max_tokens"}[name.split(":")[0]]
    wanted = {"temperature": 0.3, "top_p": 0.9, "presence_penalty": 0.1, "frequency_penalty": 0.2, "seed": 7, limit: 99}
    assert {key: sent.get(key) for key in wanted} == wanted


@pytest.mark.parametrize("name", MODELS)
async def test_where_the_system_says_nothing_none_is_sent(bench: Bench, name: str) -> None:
    await bench.call(name, Plan(text="yes"), request=Request(messages=(Message(role="user", text="U"),)))
    body = bench.wires.calls[-1].body
    assert "system" not in body
    assert [message["role"] for message in cast("list[dict[str, object]]", body["messages"])] == ["user"]


@pytest.mark.parametrize("name", MODELS)
async def test_a_cap_is_always_sent(bench: Bench, name: str) -> None:
    await bench.call(name, Plan(text="yes"))
    assert "2048" in str(bench.wires.calls[-1].body)


async def test_temperature_of_claude_ends_at_one(bench: Bench) -> None:
    request = ask(settings=Settings(temperature=1.4, top_p=0.5))
    await bench.call("anthropic:claude-haiku-4-5", Plan(text="yes"), request=request)
    body = bench.wires.calls[-1].body
    assert (body["temperature"], body["top_p"]) == (1.0, 0.5)


async def test_claude_is_told_how_to_sample_in_the_version_that_knows_of_it(bench: Bench) -> None:
    """Anthropic's version 2026-10-21 refuses temperature, top_p and top_k for all models, at any value."""
    versions: list[str] = []
    for settings in (Settings(temperature=1.0), Settings(top_k=5), Settings(), Settings(stop=("END",))):
        await bench.call("anthropic:claude-haiku-4-5", Plan(text="yes"), request=ask(settings=settings))
        versions.append(bench.wires.calls[-1].headers["anthropic-version"])
    assert versions == ["2023-06-01", "2023-06-01", "2026-10-21", "2026-10-21"]


async def test_reasoning_models_drop_what_they_refuse(bench: Bench) -> None:
    request = ask(settings=Settings(temperature=0.4, seed=3))
    await bench.call("openai:o3", Plan(text="yes"), request=request)
    assert bench.pool.model("openai:o3").drops == (
        "temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repeat_penalty", "stop",
        *LOCAL,
    )  # fmt: skip
    body = bench.wires.calls[-1].body
    assert "temperature" not in body
    assert body["seed"] == 3
    assert bench.pool.model("openai:gpt-5.2").drops == (*BEYOND, *LOCAL)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("plan", "kind", "tries"),
    [
        (Plan(status=429), "rate", 3),
        (Plan(status=429, headers={"retry-after": "0.01"}), "rate", 3),
        (Plan(status=429, headers={"retry-after-ms": "1"}), "rate", 3),
        (Plan(status=429, headers={"retry-after": "3600"}), "rate", 1),
        (Plan(status=429, headers={"retry-after": "-5"}), "rate", 3),
        (Plan(status=402, error="You exceeded your current quota"), "quota", 1),
        (Plan(status=500), "server", 3),
        (Plan(status=503), "server", 3),
        (Plan(status=529, code="overloaded_error"), "server", 3),
        (Plan(status=401, error=f"Incorrect API key: {KEY}"), "key", 1),
        (Plan(status=404, error=f"no such model, {KEY}"), "not_found", 1),
        (Plan(status=400, error="prompt is too long: maximum context length is 9"), "too_long", 1),
        (Plan(status=403, code="invalid_request_error", error="no such field"), "request", 1),
        (Plan(status=307, code="moved", headers={"location": "http://127.0.0.1:9/"}), "address", 1),
        (Plan(text=TEXT, fault="silence"), "timeout", 1),
        (Plan(text=TEXT, fault="stall"), "timeout", 3),
        (Plan(text=TEXT, fault="drip"), "timeout", 3),
        (Plan(text=TEXT, fault="cut"), "connection", 3),
        (Plan(text=TEXT, fault="reset"), "connection", 3),
        (Plan(text=TEXT, fault="html"), "address", 1),
        (Plan(text=TEXT, fault="garbage"), "garbled", 2),
        (Plan(text=TEXT, fault="broken", code="unheard_of", error=f"{KEY} is lost"), "server", 3),
        (Plan(text=""), "empty", 2),
        (Plan(thinking="hm, let me see"), "empty", 1),
        (Plan(text="<think>hm, let me see"), "empty", 1),
    ],
    ids=lambda value: value.fault or f"{value.status}{value.code}" if isinstance(value, Plan) else None,
)
async def test_faults(bench: Bench, name: str, plan: Plan, kind: str, tries: int) -> None:
    error = await bench.fail(name, plan, seconds=1.0 if plan.fault == "silence" else 120.0)
    # A server of one's own may still be at work on a try that took too long.
    tries = 1 if kind == "timeout" and name.startswith("ollama") else tries
    assert (error.kind, len(bench.wires.calls)) == (kind, tries)
    assert str(error)


@pytest.mark.parametrize(
    ("name", "drops"),
    [
        ("google:gemini-2.5-flash", ("presence_penalty", "frequency_penalty", "seed")),
        ("mistral:mistral-large-latest", ("seed",)),
        ("xai:grok-4", ("presence_penalty", "frequency_penalty")),
    ],
)
async def test_what_a_provider_refuses_is_not_sent(name: str, drops: tuple[str, ...]) -> None:
    settings = Settings(temperature=0.3, presence_penalty=0.1, frequency_penalty=0.2, seed=7)
    async with Wires(script=lambda call: Plan(text="yes")).serve() as wires:
        pool = Pool(env=environment(wires.url, ["GOOGLE", "MISTRAL", "XAI"]), retry=HASTY)
        await pool.model(name).complete(ask(settings=settings), Notebook())
        assert set(pool.model(name).drops) == {*drops, *BEYOND, *LOCAL}
        sent = wires.calls[-1].body
        assert not set(drops) & set(sent)
        assert sent["temperature"] == 0.3
        assert ("stream_options" in sent) == (not name.startswith("mistral"))
        await pool.close()


@pytest.mark.parametrize("name", MODELS)
async def test_a_fault_that_passes_costs_one_more_try(bench: Bench, name: str) -> None:
    called, notebook = await bench.call(name, Plan(status=503), Plan(text="half of it", fault="cut"), Plan(text="yes"))
    assert called.text == "yes"
    assert [call for call, _ in notebook.calls] == ["answer"] * 3 == ["answer"] * len(bench.wires.calls)


@pytest.mark.parametrize("name", MODELS[1:])
async def test_an_answer_that_is_withheld_is_refused(bench: Bench, name: str) -> None:
    error = await bench.fail(name, Plan(finish="filter"))
    assert (type(error).__name__, error.kind, error.again) == ("Refused", "refused", False)
    called, _ = await bench.call(name, Plan(text="I may say", finish="filter"))
    assert called.finish == "filter"


@pytest.mark.parametrize("name", MODELS)
async def test_missing_counts_are_booked_as_reserved(bench: Bench, name: str) -> None:
    called, notebook = await bench.call(name, Plan(text="yes", usage=None))
    assert called.usage.estimated
    assert called.usage.input_tokens + called.usage.output_tokens == notebook.calls[0][1].tokens


@pytest.mark.parametrize("name", MODELS)
async def test_nobody_there(name: str) -> None:
    pool = Pool(env=environment("http://127.0.0.1:9"), retry=HASTY)
    with pytest.raises(ModelError, match="no connection") as caught:
        await pool.model(name).complete(ask(), Notebook())
    assert caught.value.kind == "connection"
    await pool.close()
