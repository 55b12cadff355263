"""Pictures and PDFs that an agent sends with a debate, and the schemas of tools that say so in few words."""

import base64
import hashlib
from pathlib import Path

import pytest

from folkmoot.app.run.outcome import opening
from tests.council.agents import own_place
from tests.kits.pictures import png
from tests.mcp.mcp_kit import BUILTIN, QUOTES, place, runner_in
from tests.mcp.test_mcp_http import caller, served


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    own_place(tmp_path, monkeypatch)
    return tmp_path


def written(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def test_a_picture_of_an_agent_is_on_record(folder: Path) -> None:
    files = {"chart.png": written(png(640, 480)), "small.png": written(png())}
    order = {"question": QUOTES, "models": list(BUILTIN), "files": files}
    async with runner_in(folder) as runner, place(runner) as here:
        debates = [str((await here.call(tool, **order))["id"]) for tool in ("run_debate", "start_debate")]
        for debate in debates:
            brief = opening(debate, await runner.workspace.entries(debate)).brief
            assert [(source.name, source.file.sha256) for source in brief.background if source.file] == [
                ("chart.png", hashlib.sha256(png(640, 480)).hexdigest()),
                ("small.png", hashlib.sha256(png()).hexdigest()),
            ]
        assert (await here.call("check_brief", **order))["participants"]


async def test_the_same_key_with_another_picture_is_another_request(folder: Path) -> None:
    order = {"question": QUOTES, "models": list(BUILTIN), "key": "once"}
    async with runner_in(folder) as runner, place(runner) as here:
        first = await here.call("start_debate", **order, files={"chart.png": written(png())})
        assert first == await here.call("start_debate", **order, files={"chart.png": written(png())})
        refused = await here.refused("start_debate", **order, files={"chart.png": written(png(3, 3))})
        assert "once" in refused or "key" in refused


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"chart.png": written(b"GIF?")}, "'chart.png' is no picture and no PDF"),
        ({"chart.png": "###"}, "the data of 'chart.png' is no base64"),
        ({"": written(png())}, "'' cannot be the name of a file"),
        ({f"{number}.png": written(png()) for number in range(9)}, "files: "),
        ({"chart.png": ["x"]}, "files"),
        (["chart.png"], "files"),
    ],
)
async def test_what_is_no_picture_is_refused_in_one_sentence(folder: Path, files: object, words: str) -> None:
    async with runner_in(folder) as runner, place(runner) as here:
        for tool in ("check_brief", "run_debate", "start_debate"):
            assert words in await here.refused(tool, question=QUOTES, models=list(BUILTIN), files=files)
        assert (await here.call("list_debates"))["debates"] == []


async def test_a_picture_over_http_may_be_larger_than_other_words(folder: Path) -> None:
    async with served(folder) as address, caller(address) as here:
        order = {"question": QUOTES, "models": list(BUILTIN), "files": {"a.png": written(png() + b"x" * 1_500_000)}}
        assert not (await here.call_tool("check_brief", order)).is_error


async def test_what_need_not_be_given_may_be_null(folder: Path) -> None:
    """Schemas leave ``null`` out, to be short; clients that fill in every argument still send it."""
    async with runner_in(folder) as runner, place(runner) as here:
        nothing = dict.fromkeys(("models", "rounds", "max_cost", "files"))
        assert (await here.call("check_brief", question=QUOTES, **nothing | {"models": list(BUILTIN)}))["participants"]
        (tool,) = [tool for tool in (await here.caller.list_tools()).tools if tool.name == "check_brief"]
        assert tool.input_schema["properties"]["rounds"] == {
            "description": "Maximum number of rounds.",
            "maximum": 20,
            "minimum": 0,
            "type": "integer",
        }
        assert tool.description
        assert "\n " not in tool.description
