"""What clients of streams keep of them: usage, and what a response says of its debate in its metadata."""

from pathlib import Path
from typing import Any

import pytest

from tests.council.agents import own_place
from tests.web.test_model_endpoint import QUESTION, client, place_of


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def test_a_stream_tells_its_usage_once_also_where_nobody_asked_for_a_chunk_of_it(tmp_path: Path) -> None:
    async with place_of(tmp_path, beat=60) as (web, _), client(web) as caller:
        create = caller.chat.completions.create
        plain = [chunk async for chunk in await create(model="moot/fast", messages=QUESTION, stream=True)]
        apart = [
            chunk
            async for chunk in await create(
                model="moot/fast", messages=QUESTION, stream=True, stream_options={"include_usage": True}
            )
        ]
    told_plain = [chunk for chunk in plain if chunk.usage]
    assert told_plain == plain[-1:], "LangChain and others ask for no chunk of usage where they are given an address"
    assert plain[-1].choices[0].finish_reason == "stop"
    assert plain[-1].usage
    assert plain[-1].usage.total_tokens > 0
    assert [chunk for chunk in apart if chunk.usage] == apart[-1:]
    assert apart[-1].choices == []


async def test_the_metadata_of_a_response_name_its_debate_and_how_it_stands(tmp_path: Path) -> None:
    own: Any = {"trace": "7", "moot_options": "Tea|Coffee"}
    async with place_of(tmp_path, beat=60) as (web, slow), client(web) as caller:
        begun = await caller.responses.create(model="moot/slow", input="Tea?", background=True)
        slow.go.set()
        whole = await caller.responses.create(model="moot/fast", input="Tea or coffee?", metadata=own)
        lame = await caller.responses.create(model="moot/lame", input="Tea or coffee?")
        stream = await caller.responses.create(model="moot/fast", input="Tea or coffee?", stream=True)
        events = [event async for event in stream]
    debate = whole.id.removeprefix("resp_")
    assert whole.metadata == {
        **own,
        "moot_debate": debate,
        "moot_report": f"{web.base}/api/v1/debates/{debate}/report.html",
        "moot_status": "decided",
        "moot_strength": "unanimous",
        "moot_share": "1.0",
        "moot_cost": "0.0",
    }
    last: Any = events[-1]
    assert last.response.metadata["moot_status"] == "decided"
    assert last.response.metadata["moot_debate"] == last.response.id.removeprefix("resp_")
    assert lame.metadata
    assert lame.metadata["moot_degraded"].startswith("1 of 3 seats did not answer (")
    assert begun.metadata
    assert begun.metadata["moot_status"] == "running"
    assert "moot_strength" not in begun.metadata
