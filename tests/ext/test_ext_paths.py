"""All kinds of extensions through the HTTP API and MCP to what the page gets, and with their packages gone."""

import json
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest

from folkmoot.core.ask import ToolCall
from folkmoot.core.errors import FolkmootError
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Wires, echo
from tests.council.agents import own_place
from tests.ext.ext_kit import Install, remove
from tests.ext.test_ext_models_tools import Server, server
from tests.mcp.mcp_kit import place, runner_in
from tests.web.web_kit import API, Web, opened

__all__ = ["server"]

PACKAGES = (
    "folkmoot_six_hats",
    "folkmoot_star",
    "folkmoot_say",
    "folkmoot_slides",
    "folkmoot_dice",
    "folkmoot_steelman",
)
TOPIC = "# Should the town keep its pool?\n\nIt costs $210,000 a year. It had 31,000 visitors.\n"
STEELMAN = f"""---
protocol: steelman
rounds: 1
limits: {{asks: 5}}
model: say:parrot
---
{TOPIC}
## Ann
role: for

Speak.

## Bob
role: against

Speak.
"""
STAR = f"""---
protocol: panel
strategy: star
strategy_options: {{finalists: 3}}
tool_options: {{dice: {{most: 3}}}}
report_options: {{slides: {{people: no}}}}
---
{TOPIC}
## Ann
model: ollama:tiny
role: counts
tool_usage: [dice]

Speak.

## Bob
model: say:parrot
role: for

Speak.

## Cem
model: say:parrot
role: against

Speak.
"""
STEELMAN_NEEDS = "the debate needs folkmoot-steelman 1.0 for its Steelman; that package is not installed"
STAR_NEEDS = "the debate needs folkmoot-star 2.1 for its Star; that package is not installed"
SAY_NEEDS = "the debate needs folkmoot-say 0.3 for its provider say; that package is not installed"


def rolls(call: Call) -> Plan:
    """Asks for dice once, then answers."""
    if "tools" in call.body and "rolls" not in json.dumps(call.body["messages"]):
        return Plan(tools=(ToolCall(id="1", name="dice", arguments=json.dumps({"dice": 2, "sum": 7})),))
    return (
        Plan(text="ANSWER: close it\nCONFIDENCE: 0.6\nARGUMENT: It costs much.")
        if "ANSWER" in call.prompt
        else echo(call)
    )


async def data_of(me: httpx2.AsyncClient, path: str) -> str:
    """What the page gets, as one line of text."""
    response = await me.get(f"{API}/{path}")
    assert response.status_code == 200, f"{path}: {response.text}"
    return " ".join(response.text.split())


async def check_star(me: httpx2.AsyncClient, debate: str) -> None:
    """The page gets the rule, the tool, the model and the packages of a debate."""
    entries = (await me.get(f"{API}/debates/{debate}/entries")).text
    assert '"tool:dice"' in entries
    assert "6 of 36 rolls" in entries
    shown = await data_of(me, f"debates/{debate}")
    assert '"star"' in shown
    report = await data_of(me, f"debates/{debate}/report.json")
    for words in (
        "uses folkmoot-star 2.1 for rule Star",
        "folkmoot-dice 1.0 for tool dice",
        "folkmoot-say 0.3 for provider say",
    ):
        assert words in report
    assert "all rolls" in report
    slides = await data_of(me, f"debates/{debate}/report.slides")
    assert "Who" not in slides


@pytest.fixture
async def _own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server) -> None:
    own_place(tmp_path, monkeypatch)
    monkeypatch.setenv("SAY_BASE_URL", server.url)


@pytest.mark.usefixtures("_own")
async def test_all_kinds_are_used_through_the_api_and_named_where_they_are_gone(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = {name: install(name) for name in PACKAGES}
    async with Wires(script=rolls).serve() as ollama, opened(tmp_path) as web, web.me as me:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        checked = await me.post(f"{API}/check", json={"brief": STAR})
        assert checked.status_code == 200, checked.text
        for package in ("folkmoot-star 2.1", "folkmoot-dice 1.0", "folkmoot-say 0.3"):
            assert package in checked.text
        star = await started(web, me, STAR)
        await check_star(me, star)
        counted = (await me.get(f"{API}/debates/{star}/recount")).json()
        assert "star" in {count["rule"] for count in counted["counts"]}
        # What was read once is kept, so another debate tells what is missing.
        other, steelman = await started(web, me, STAR), await started(web, me, STEELMAN)
        assert '"paused"' in await data_of(me, f"debates/{steelman}")
        for site in sites.values():
            remove(site)
        listed = await data_of(me, "debates")
        assert star in listed
        assert steelman in listed
        assert SAY_NEEDS in await error_after_resume(web, me, steelman)
        assert STAR_NEEDS in await data_of(me, f"debates/{other}/recount")
        for debate in (star, steelman):
            assert "pool" in await data_of(me, f"debates/{debate}")
            assert "pool" in await data_of(me, f"debates/{debate}/report.md")
            assert "pool" in await data_of(me, f"debates/{debate}/map")
        gone = await me.get(f"{API}/debates/{star}/report.slides")
        assert (gone.status_code, "there is no format 'slides'" in gone.text) == (422, True)
        install("folkmoot_say")
        assert STEELMAN_NEEDS in await error_after_resume(web, me, steelman)
        install("folkmoot_steelman")
        resumed = await me.post(f"{API}/debates/{steelman}/resume", json={"limits": {"asks": 60}})
        assert resumed.status_code in (200, 202), resumed.text
        await web.site.runner.wait(steelman)
        assert '"paused"' not in await data_of(me, f"debates/{steelman}")


async def started(web: Web, me: httpx2.AsyncClient, brief: str) -> str:
    """A debate with the models of its brief, once it is over or paused."""
    response = await me.post(f"{API}/debates", json={"brief": brief})
    assert response.status_code == 201, response.text
    debate = str(response.json()["id"])
    await web.site.runner.wait(debate)
    return debate


async def error_after_resume(web: Web, me: httpx2.AsyncClient, debate: str) -> str:
    """Why a debate does not go on, as the page gets it."""
    response = await me.post(f"{API}/debates/{debate}/resume", json={"limits": {"asks": 60}})
    assert response.status_code < 500, response.text
    with suppress(FolkmootError):
        await web.site.runner.wait(debate)
    return str((await me.get(f"{API}/debates/{debate}")).json()["error"])


@pytest.mark.usefixtures("_own")
async def test_all_kinds_are_used_through_mcp_and_named_where_they_are_gone(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sites = {name: install(name) for name in PACKAGES}
    async with Wires(script=rolls).serve() as ollama, runner_in(tmp_path) as runner, place(runner) as here:
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        plan = json.dumps(await here.call("check_brief", question=STAR))
        assert "folkmoot-star 2.1" in plan
        star = (await here.call("run_debate", question=STAR))["id"]
        report = (await here.call("get_report", id=star))["report"].replace("\\", "")
        assert "uses folkmoot-star 2.1 for rule Star" in report
        assert "Decided by star" in report or "star" in json.dumps(await here.call("get_decision", id=star))
        assert "Who" not in (await here.call("get_report", id=star, form="slides"))["report"]
        steelman = (await here.call("run_debate", question=STEELMAN))["id"]
        for site in sites.values():
            remove(site)
        assert {star, steelman} <= {row["id"] for row in (await here.call("list_debates"))["debates"]}
        assert SAY_NEEDS in await here.refused("resume_debate", id=steelman)
        install("folkmoot_say")
        assert STEELMAN_NEEDS in await here.refused("resume_debate", id=steelman)
        for debate in (star, steelman):
            assert "pool" in json.dumps(await here.call("get_debate", id=debate))
            assert "pool" in (await here.call("get_report", id=debate))["report"]
        assert "there is no format 'slides'" in await here.refused("get_report", id=star, form="slides")
