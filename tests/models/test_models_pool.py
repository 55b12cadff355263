"""Models by name: what they share, what is loaded when, how many calls are in flight, and where keys go."""

import asyncio
import logging
import subprocess
import sys

import pytest

from folkmoot.core.errors import BriefError, ModelError
from folkmoot.models.http_port import Unreached
from folkmoot.models.layers import RetrySettings
from folkmoot.models.names import PROVIDERS
from folkmoot.models.pool import Pool
from folkmoot.models.transport import ProviderConnection
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires
from tests.models.models_kit import HASTY, KEY, Canned, Double, Notebook, Page, ask, build, environment, gives

HEAVY = ("pydantic_ai", "openai", "anthropic", "genai_prices", "aiohttp", "httpx2", "httpx")


@pytest.mark.system
@pytest.mark.parametrize("use", ["", "Pool(env={'OPENAI_API_KEY': 'k'}).model('openai:gpt-4o').name"])
def test_nothing_heavy_is_loaded_before_a_request(use: str) -> None:
    lines = "from folkmoot.models.pool import Pool; import folkmoot.models.discover, sys"
    report = f"print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"{lines}\n{use}\n{report}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.system
@pytest.mark.parametrize(("name", "listed"), [("compatible:x", False), ("ollama:x", False), ("openai:gpt-4o", True)])
def test_the_list_of_prices_is_loaded_for_the_providers_that_it_has(name: str, listed: bool) -> None:
    lines = f"""
import asyncio, sys
from folkmoot.models.pool import Pool
pool = Pool(env={{"OPENAI_API_KEY": "k", "FOLKMOOT_BASE_URL": "http://127.0.0.1:1/v1"}})
pool.model({name!r})
asyncio.run(pool.warm())
print("genai_prices" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(listed)


def test_a_pool_gives_the_same_model_for_the_same_name() -> None:
    pool = Pool(env={"OPENAI_API_KEY": KEY})
    assert pool.model("ollama:tiny") is pool.model(" Ollama/tiny")
    assert pool.model("ollama:tiny") is not pool.model("ollama:other")
    assert pool.model("openai:gpt-4o").name == "openai:gpt-4o"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("openai:gpt-4o", "no_key"),
        ("nobody:x", "bad_model"),
        ("compatible:x", "bad_address"),
        ("builtin:quotes", "bad_model"),
    ],
)
def test_what_there_cannot_be_is_refused_at_once(name: str, code: str) -> None:
    with pytest.raises(BriefError) as pooled:
        Pool(env={}).model(name)
    with pytest.raises(BriefError) as alone:
        build(name, env={})
    assert pooled.value.code == alone.value.code == code


async def test_a_guest_of_a_program_is_a_model_by_name() -> None:
    pool, guest = Pool(env={}, retry=HASTY), Double(gives("yes"))
    with pytest.raises(BriefError, match=r"guest:ann belongs to a program"):
        pool.model("guest:ann")
    pool.add_agent("ann", guest)
    pool.add_agent("ann", guest)
    book = Notebook()
    assert (await pool.model("guest:ann").complete(ask(), book)).text == "yes"
    assert [name for name, _ in book.calls] == ["answer"]
    with pytest.raises(BriefError, match="two agents are called ann"):
        pool.add_agent("ann", Double())
    await pool.close()
    assert guest.closed


@pytest.mark.parametrize("names", [["groq:a", "groq:b"], ["anthropic:claude-haiku-5-5"]])
async def test_calls_in_flight_are_limited_for_all_models_of_a_provider(names: list[str]) -> None:
    async with Wires(script=lambda call: Plan(text="yes", delay=0.02)).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY, in_flight=3)
        async with asyncio.TaskGroup() as group:
            for n in range(12):
                group.create_task(pool.model(names[n % len(names)]).complete(ask(f"prompt {n}"), Notebook()))
        assert (len(wires.calls), wires.most_open) == (12, 3)
        await pool.close()


async def test_a_call_is_on_record_once_it_is_its_turn() -> None:
    """Where a process is killed, what waits for a place has not been sent and is not booked."""
    full = asyncio.Event()

    def play(call: Call) -> Plan:
        if wires.open == 2:
            full.set()
        return Plan(text="yes", delay=0.1)

    async with Wires(script=play).serve() as wires:
        pool, notebook = Pool(env=environment(wires.url), retry=HASTY, in_flight=2), Notebook()
        async with asyncio.TaskGroup() as group:
            for n in range(6):
                group.create_task(pool.model("groq:tiny").complete(ask(f"prompt {n}"), notebook))
            await full.wait()
            assert len(notebook.calls) == 2
        assert len(notebook.calls) == len(wires.calls) == 6
        await pool.close()


@pytest.mark.parametrize("name", ["ollama:tiny", "openai:gpt-4o-mini", "anthropic:claude-haiku-5-5"])
async def test_connections_survive_calls_that_are_cancelled(name: str) -> None:
    def play(call: Call) -> Plan:
        return Plan(text="yes", delay=0.0 if call.prompt == "healthy" else 0.05, pause=0.001)

    async with Wires(script=play).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY, in_flight=10)
        model = pool.model(name)
        await model.complete(ask("healthy"), Notebook())

        async def give_up(n: int) -> None:
            try:
                async with asyncio.timeout(n % 5 / 250):
                    await model.complete(ask(f"churn {n}"), Notebook())
            except TimeoutError:
                pass

        async with asyncio.TaskGroup() as group:
            for n in range(60):
                group.create_task(give_up(n))
        for _ in range(5):
            assert (await model.complete(ask("healthy"), Notebook())).text == "yes"
        await pool.close()


# ---- keys ---------------------------------------------------------------------------------------------------------

NAMES = ["ollama:tiny", "openai:gpt-4o-mini", "groq:llama-3.3-70b-versatile", "anthropic:claude-haiku-5-5"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_key_is_in_its_header_and_nowhere_else(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with Wires(script=lambda call: Plan(text="yes")).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        notebook = Notebook()
        called = await pool.model(name).complete(ask(), notebook)
        sent = wires.calls[-1].headers
        assert sent["authorization"] == f"Bearer {KEY}"
        assert [key for key, text in sent.items() if KEY in text] == ["authorization"]
        assert KEY not in f"{called} {notebook.calls} {pool.model(name)!r} {wires.calls[-1].body} {caplog.text}"
        await pool.close()


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("openai")])
async def test_what_is_set_for_openai_goes_to_openai_alone(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary-key")
    monkeypatch.setenv("OPENAI_ADMIN_KEY", "canary-admin")
    monkeypatch.setenv("OPENAI_ORG_ID", "canary-org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "canary-project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Canary: canary-header\nAuthorization: Bearer canary-other")
    async with Wires(script=lambda call: Plan(text="yes")).serve() as wires:
        pool = Pool(env=environment(wires.url), retry=HASTY)
        await pool.model(name).complete(ask(), Notebook())
        sent = wires.calls[-1].headers
        assert sent["authorization"] == f"Bearer {KEY}"
        assert "canary" not in str(sent).replace(KEY, "")
        await pool.close()


async def test_no_key_no_header() -> None:
    async with Wires(script=lambda call: Plan(text="yes")).serve() as wires:
        pool = Pool(env={"OLLAMA_HOST": wires.url, "FOLKMOOT_BASE_URL": f"{wires.url}/v1"}, retry=HASTY)
        for name in ("ollama:tiny", "compatible:tiny"):
            await pool.model(name).complete(ask(), Notebook())
            assert "authorization" not in wires.calls[-1].headers
        await pool.close()


@pytest.mark.parametrize("name", ["ollama", "groq", "openai", "anthropic"])
async def test_a_link_leads_to_one_host_only(name: str) -> None:
    link = ProviderConnection(PROVIDERS[name], environment("http://127.0.0.1:9"))
    for path in ("@evil.example/v1", "http://evil.example:9/v1", ".evil.example"):
        with pytest.raises(ValueError, match="begins with a slash"):
            link.open(path, b"{}")
    with pytest.raises(Unreached):
        await link.post("/v1", {})
    assert KEY not in repr(link)
    await link.close()
    await link.close()


async def test_a_redirect_is_not_followed() -> None:
    async with Wires(script=lambda call: Plan(text="stolen")).serve() as thief:
        plan = Plan(status=307, code="moved", headers={"location": f"{thief.url}/api/chat"})
        async with Wires(script=lambda call: plan).serve() as wires:
            pool = Pool(env=environment(wires.url), retry=HASTY)
            for name in NAMES:
                with pytest.raises(ModelError):
                    await pool.model(name).complete(ask(), Notebook())
            await pool.close()
        assert thief.calls == []


@pytest.mark.system
def test_what_is_warm_has_loaded_what_a_try_needs() -> None:
    loaded = f"print([name for name in {HEAVY[3:6]} if name in sys.modules])"
    lines = (
        "import asyncio, sys",
        "from folkmoot.models.pool import Pool",
        "pool = Pool(env={'GROQ_API_KEY': 'k'})",
        "pool.model('groq:x')",
        "asyncio.run(pool.warm())",
        loaded,
    )
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([*HEAVY[3:6]])


def test_each_key_is_counted_for_itself() -> None:
    queries: list[tuple[str, str]] = []
    for key in ("sk-one-of-ours", "sk-one-of-ours", "sk-another-one"):
        pool = Pool(env={"OPENAI_API_KEY": key})
        pool.meter = lambda provider, mark: queries.append((provider, mark))
        pool.model("openai:gpt-4o-mini")
        pool.model("openai:gpt-4o")
    pool = Pool(env={})
    pool.meter = lambda provider, mark: queries.append((provider, mark))
    pool.model("ollama:llama3.2")
    (one, again, other, nobody) = queries
    assert one == again != other
    assert nobody == ("ollama", "")
    assert all(len(mark) == 8 and "sk" not in mark for _, mark in (one, other))


async def test_a_pool_opens_http_and_draws_waits_as_it_is_told() -> None:
    opened, waits = list[tuple[str, bool]](), list[tuple[float, float]]()
    canned = Canned(Page(b'{"error": {"message": "busy"}}', status=503))

    def http(url: str, proxied: bool) -> Canned:
        opened.append((url, proxied))
        return canned

    def chance(low: float, high: float) -> float:
        waits.append((low, high))
        return low

    retry = RetrySettings(tries=2, wait=0.0, jitter=0.25, chance=chance)
    pool = Pool(env={"OPENAI_API_KEY": KEY}, retry=retry, http=http)
    with pytest.raises(ModelError, match="busy"):
        await pool.model("openai:gpt-4o").complete(ask(), Notebook())
    assert opened == [("https://api.openai.com/v1", True)]
    assert (len(canned.sent), waits) == (2, [(0.0, 0.25)])
