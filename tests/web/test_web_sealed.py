"""Answers are sealed from links while a person of the same batch is waited for, and are sent once all have answered."""

import json
from pathlib import Path
from typing import cast

import pytest

from folkmoot.app.run.outcome import opening
from folkmoot.core.brief import is_person
from folkmoot.core.event import Replied
from folkmoot.core.transcript import fold
from tests.council.agents import own_place
from tests.web.test_web_live import live_at
from tests.web.test_web_people import filled
from tests.web.web_kit import ADA, ANN, API, Web, opened, until

JUROR = """---
topic: Tea or coffee?
protocol: council
rounds: 1
---

Tea is calm. Coffee is quick.

## Ben
role: Host
## Cid
role: Guest
## Ada
model: human
duty: juror
role: Judge of taste
"""
READ = ("map", "analysis", "recount", "report.md", "report.json")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_place(tmp_path, monkeypatch)


async def answers(web: Web, debate: str) -> tuple[set[str], set[str]]:
    """Keys of the answers on record: those that are sealed while somebody is waited for, and the others."""
    entries = await web.site.workspace.entries(debate)
    transcript, brief = fold(entries), opening(debate, entries).brief
    people = {participant.name for participant in brief.participants if is_person(participant)}
    waits = [turn.ask.key for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
    steps = {key.rpartition("#")[0] for key in waits if transcript.get(key).by in people}
    keys = [entry.event.key for entry in entries if isinstance(entry.event, Replied)]
    sealed = {key for key in keys if key.rpartition("#")[0] in steps}
    return sealed, set(keys) - sealed


@pytest.mark.parametrize("brief", [JUROR, ADA], ids=["vote", "draft"])
@pytest.mark.parametrize("body", [{"right": "view"}, {"right": "join"}, {"right": "join", "who": "Ada"}], ids=str)
async def test_a_link_sees_no_answer_before_all_have_answered(
    tmp_path: Path, brief: str, body: dict[str, object]
) -> None:
    async with opened(tmp_path, real=True) as web:
        ann = web.ann
        debate = await web.begin(ann, brief)
        url = f"{API}/debates/{debate}"
        asks = await web.asked(ann, debate)
        await until(lambda: _ready(web, debate))
        sealed, known = await answers(web, debate)
        token = (await ann.post(f"{url}/shares", json=body)).json()["token"]
        guest = web.client(token=token)
        async with live_at(web, debate, token=token) as socket, live_at(web, debate, token=ANN) as owner:
            first = json.loads(await socket.recv())
            stored = [json.loads(line) for line in (await guest.get(f"{url}/entries")).text.splitlines()]
            assert _replied(first) == _replied(stored) == known, "what was asked with the person stays sealed"
            assert any(frame["kind"] == "asked" and frame["human"] for frame in first), "who is waited for is told"
            marks = {str(frame["key"]): frame["mark"] for frame in first if frame["kind"] == "asked"}
            assert _replied(json.loads(await owner.recv())) == known | sealed
            before = min(cast("int", row["seq"]) for row in first if row["kind"] == "asked" and row["human"]) - 1
            drawn = (await guest.get(f"{url}/map?at={before}")).json()
            assert {node["mark"] for node in drawn["nodes"]} <= {marks[key] for key in known}, "what was said before"
            state = (await guest.get(url)).json()
            assert (state["entries"], state["sums"]["done"]) == (len(first), len(known)), "nor how much is sealed"
            assert (await ann.get(url)).json()["sums"]["done"] == len(known | sealed)
            for route in READ:
                assert (await guest.get(f"{url}/{route}")).status_code == 403, route
            answer = {"who": "Ada", "key": asks[0]["key"], "fields": filled(asks[0])}
            if not asks[0]["fields"]:
                answer["words"] = "Tea."
            assert (await ann.post(f"{url}/asks/answer", json=answer)).status_code == 200
            await until(lambda: _taken(web, debate, asks[0]["key"]))
            web.site.runner.stop(debate)
            sent = list(first)
            while not sealed <= _replied(sent):
                sent += json.loads(await socket.recv())
        numbers = [frame["seq"] for frame in sent if frame["kind"] != "delta"]
        assert numbers == list(range(1, len(numbers) + 1)), "each once, in order"


async def _ready(web: Web, debate: str) -> bool:
    """Whether some answers are sealed and the person alone is waited for."""
    transcript = fold(await web.site.workspace.entries(debate))
    left = [turn for turn in transcript.all() if turn.ask and not transcript.answered(turn.key)]
    return bool((await answers(web, debate))[0]) and len(left) == 1


async def _taken(web: Web, debate: str, key: object) -> bool:
    """Whether what the person sent has become an answer."""
    return any(
        isinstance(entry.event, Replied) and entry.event.key == key
        for entry in await web.site.workspace.entries(debate)
    )


def _replied(frames: list[dict[str, object]]) -> set[str]:
    turns = [cast("dict[str, object]", frame["turn"]) for frame in frames if frame["kind"] == "replied"]
    return {str(turn["key"]) for turn in turns}
